//! A second opinion on what the checker has found: the check `thorough`.
//!
//! The checker asks one solver, and not about everything: conditions that the constructors of terms decide never become
//! questions, and some questions are answered by the early stages of [`crate::entailment`]. Here everything that a proof rests on is asked again, of Z3,
//! of Bitwuzla and of a solver that is a program of its own ([`ExternalSolver`]):
//!
//! * **Obligations.** Each list of conditions of which the checker says that none can hold, as it was before anything
//!   was left out of it.
//! * **Simplifications.** Each application of an operator of which a constructor has made something else while the
//!   program was lowered ([`record_shared_terms`](crate::term::record_shared_terms)) and while the conditions were derived
//!   ([`Arena::recorded`]): that the two differ must be impossible.
//!
//! If one solver finds a model, one of them or a simplification is wrong, whatever the proof says: that is an internal
//! error, and the result is unknown. A solver that does not know, or is not there, is no objection; it is counted.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::solver::external::ExternalSolver;
use crate::solver::question::{Question, Respondents};
use crate::solver::z3::text::TextAnswer;
use crate::term::{Arena, Op, Pool, Recorded, Sort, TermId};

/// Wall time of a question to each solver.
const QUESTION: Duration = Duration::from_secs(10);

/// Simplifications that are asked about together, and the wall time of one by itself.
const GROUP: usize = 48;
const SIMPLIFICATION: Duration = Duration::from_secs(1);

/// More simplifications than this are not asked about.
const MOST_SIMPLIFICATIONS: usize = 20_000;

/// What came of asking again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The second solver's name, if there is one.
    pub second: Option<String>,
    /// What was asked of obligations.
    pub obligations: Tally,
    /// What was asked of simplifications.
    pub simplifications: Tally,
    /// Simplifications that were too many to be asked about.
    pub left_out: usize,
    /// What one of the solvers has a model for, though it should not: the first such thing.
    pub objection: Option<String>,
}

/// How many questions, and how many of them each of the solvers has confirmed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// All.
    pub asked: usize,
    /// Confirmed by Z3.
    pub first: usize,
    /// Confirmed by Bitwuzla.
    pub bitwuzla: usize,
    /// Confirmed by the second solver.
    pub second: usize,
}

impl Tally {
    /// Counts so many questions for everyone who has confirmed them.
    fn count(&mut self, said: [Said; 3], questions: usize) {
        let confirmed = [&mut self.first, &mut self.bitwuzla, &mut self.second];
        for (confirmed, said) in confirmed.into_iter().zip(said) {
            if said == Said::Impossible {
                *confirmed += questions;
            }
        }
    }
}

impl fmt::Display for Opinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = self.second.as_deref().unwrap_or("no second solver");
        let tallies = [
            ("obligations", self.obligations),
            ("simplifications", self.simplifications),
        ];
        for (number, (what, tally)) in tallies.into_iter().enumerate() {
            let Tally {
                asked,
                first,
                bitwuzla,
                second: confirmed,
            } = tally;
            let separator = if number == 0 { "" } else { "; " };
            write!(
                f,
                "{separator}{asked} {what}: Z3 confirms {first}, Bitwuzla {bitwuzla}, {second} {confirmed}"
            )?;
        }
        if self.left_out > 0 {
            write!(f, "; {} simplifications were not looked at", self.left_out)?;
        }
        Ok(())
    }
}

/// Asks again.
pub(super) struct Second {
    /// Not the checker's own: nothing of what it was asked before is left in this one.
    first: Respondents,
    second: Option<ExternalSolver>,
    pub opinion: Opinion,
}

impl Second {
    pub fn new() -> Self {
        let second = ExternalSolver::find();
        Self {
            first: Respondents::default(),
            opinion: Opinion {
                second: second.as_ref().map(ExternalSolver::name),
                ..Opinion::default()
            },
            second,
        }
    }

    /// Asks about assertions that exclude one another. Whether nobody objects.
    pub fn obligation(&mut self, arena: &Arena, assertions: &[TermId], end: Instant) -> bool {
        let question = Question::new(arena, assertions);
        self.opinion.obligations.asked += 1;
        let said = self.ask(&question, QUESTION, end);
        self.opinion.obligations.count(said, 1);
        self.judge(said, || {
            format!("an obligation is not met:\n{}", question.script())
        })
    }

    /// Asks about what was recorded of simplifications. Whether nobody objects.
    pub fn simplifications(
        &mut self,
        arena: &Arena,
        mut recorded: Vec<Recorded>,
        end: Instant,
    ) -> bool {
        let left = MOST_SIMPLIFICATIONS.saturating_sub(self.opinion.simplifications.asked);
        if recorded.len() > left {
            self.opinion.left_out += recorded.len() - left;
            recorded.truncate(left);
        }
        let differences: Vec<TermId> = recorded.iter().map(|one| difference(arena, one)).collect();
        for group in differences.chunks(GROUP) {
            self.opinion.simplifications.asked += group.len();
            let any = match group {
                [one] => *one,
                _ => arena.intern(Op::Or, Sort::Bool, group),
            };
            let question = Question::new(arena, &[any]);
            let said = self.ask(&question, SIMPLIFICATION * 4, end);
            let tally = &mut self.opinion.simplifications;
            tally.count(said, group.len());
            let [first, bitwuzla, second] = said.map(|one| one == Said::Impossible);
            if first && second && (bitwuzla || cfg!(not(feature = "bitwuzla"))) {
                continue;
            }
            // One by one: those that are hard are not to hide the others.
            for &one in group {
                let question = Question::new(arena, &[one]);
                let again = self.ask(&question, SIMPLIFICATION, end);
                // Whoever has confirmed all of them has been counted.
                let mut new = again;
                for (new, before) in new.iter_mut().zip(said) {
                    if before == Said::Impossible {
                        *new = Said::Nothing;
                    }
                }
                self.opinion.simplifications.count(new, 1);
                let objects = !self.judge(again, || {
                    format!("a simplification is wrong:\n{}", question.script())
                });
                if objects {
                    return false;
                }
            }
        }
        true
    }

    /// What Z3, Bitwuzla and the second solver say.
    fn ask(&mut self, question: &Question, most: Duration, end: Instant) -> [Said; 3] {
        let time = || most.min(end.saturating_duration_since(Instant::now()));
        let first = Said::from(self.first.z3(question, time()));
        let bitwuzla = Said::from(question.to_bitwuzla(&[], time()));
        let second = match &self.second {
            Some(second) => Said::from(second.check(question.script(), time())),
            None => Said::Nothing,
        };
        [first, bitwuzla, second]
    }

    /// Whether none has found a model.
    fn judge(&mut self, said: [Said; 3], what: impl FnOnce() -> String) -> bool {
        let objects = said.contains(&Said::Possible);
        if objects && self.opinion.objection.is_none() {
            let second = self.opinion.second.as_deref().unwrap_or("nobody else");
            let [first, bitwuzla, other] = said;
            let what = what();
            let said = format!("Z3 says {first}, Bitwuzla {bitwuzla}, {second} {other}");
            self.opinion.objection = Some(format!("{said}: {what}"));
        }
        !objects
    }
}

/// What a solver says of something that should be impossible.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Said {
    Impossible,
    Possible,
    Nothing,
}

impl From<TextAnswer> for Said {
    fn from(answer: TextAnswer) -> Self {
        match answer {
            TextAnswer::Unsatisfiable => Self::Impossible,
            TextAnswer::Satisfiable(_) => Self::Possible,
            TextAnswer::Unknown(_) => Self::Nothing,
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Impossible => "unsat",
            Self::Possible => "sat",
            Self::Nothing => "nothing",
        })
    }
}

/// That the application and what was made of it differ; nothing in it is simplified but what was before.
pub(super) fn difference(arena: &Arena, recorded: &Recorded) -> TermId {
    let sort = arena.sort(recorded.result);
    let plain = arena.intern(recorded.op, sort, &recorded.arguments);
    let same = arena.intern(Op::Eq, Sort::Bool, &[plain, recorded.result]);
    arena.intern(Op::Not, Sort::Bool, &[same])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Build, FloatFormat, RoundingMode, Symbol};

    fn end() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn right_simplifications_are_confirmed_and_wrong_ones_are_objected_to() {
        let arena = Arena::recorded();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let (x, y) = (variable("x"), variable("y"));
        let sum = arena.apply(Op::BvAdd, Sort::BitVec(32), &[x, arena.neg(y)]);
        arena.apply(Op::BvMul, Sort::BitVec(32), &[sum, arena.bv(32, 8)]);
        arena.apply(Op::Eq, Sort::Bool, &[sum, arena.bv(32, 0)]);
        let f = arena.variable(Symbol::new("f", Sort::Float(FloatFormat::F32)));
        let nearest = arena.rounding(RoundingMode::NearestEven);
        for format in [FloatFormat::F32, FloatFormat::F64] {
            arena.fp_is_nan(arena.sbv_to_fp(nearest, x, format));
        }
        let wide = arena.fp_to_fp(nearest, f, FloatFormat::F64);
        assert_eq!(arena.fp_to_fp(nearest, wide, FloatFormat::F32), f);
        assert_eq!(arena.fp_gt(f, f), TermId::FALSE);
        let mut second = Second::new();
        assert!(second.simplifications(&arena, arena.take_recorded(), end()));
        let tally = second.opinion.simplifications;
        assert!(tally.asked > 0 && tally.first == tally.asked, "{tally:?}");
        // Nothing is asked twice.
        assert!(second.simplifications(&arena, arena.take_recorded(), end()));
        assert_eq!(second.opinion.simplifications, tally);
        arena.record(Op::BvAdd, &[x, y], x);
        assert!(!second.simplifications(&arena, arena.take_recorded(), end()));
        let objection = second.opinion.objection.expect("a model");
        assert!(
            objection.contains("a simplification is wrong"),
            "{objection}"
        );
    }

    #[test]
    fn obligations_that_are_not_met_are_objected_to() {
        let arena = Arena::new();
        let x = arena.variable(Symbol::new("x", Sort::BitVec(32)));
        let mut second = Second::new();
        let small = arena.ult(x, arena.bv(32, 3));
        let large = arena.ult(arena.bv(32, 3), x);
        assert!(second.obligation(&arena, &[small, large], end()));
        assert_eq!(second.opinion.obligations.first, 1);
        assert!(!second.obligation(&arena, &[small], end()));
        assert!(second.opinion.objection.is_some());
    }

    #[test]
    fn what_was_asked_is_told() {
        let opinion = Opinion {
            obligations: Tally {
                asked: 3,
                first: 3,
                bitwuzla: 2,
                second: 0,
            },
            ..Opinion::default()
        };
        assert_eq!(
            opinion.to_string(),
            "3 obligations: Z3 confirms 3, Bitwuzla 2, no second solver 0; \
             0 simplifications: Z3 confirms 0, Bitwuzla 0, no second solver 0"
        );
    }
}

//! A second opinion on the checker's results (the option `--check thorough`).
//!
//! The checker asks one solver, and not about everything: conditions that term constructors decide never become questions,
//! and some questions are answered in the early stages of [`regatta_entailment`]. Here everything that a proof
//! rests on is asked again of Z3, Bitwuzla and a solver that is a separate program ([`ExternalSolver`]):
//!
//! * **Obligations.** Each list of conditions that the checker has found to be unsatisfiable, in its original form.
//! * **Simplifications.** Each operator application that a constructor has simplified, while the program was lowered
//!   ([`record_shared_terms`](regatta_term::record_shared_terms)) or while the conditions were derived
//!   ([`Arena::recorded`]): the application and the result must not differ.
//!
//! If a solver finds a model, a solver or a simplification is wrong, whatever the proof: that is an internal error, and
//! the result is unknown. A solver that does not decide, or is missing, is no objection; it is counted.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::queries::limits::{
    MAXIMUM_SIMPLIFICATIONS, OBLIGATION_TIME, SIMPLIFICATION_TIME, SIMPLIFICATIONS_PER_QUESTION,
};
use regatta_solver::external::ExternalSolver;
use regatta_solver::question::{Question, TextSolvers};
use regatta_solver::z3::text::TextAnswer;
use regatta_term::{Arena, Op, Pool, Recorded, Sort, TermId};

/// The result of a second opinion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The second solver's name, if there is one.
    pub second: Option<String>,
    /// Questions about obligations.
    pub obligations: Tally,
    /// Questions about simplifications.
    pub simplifications: Tally,
    /// Number of simplifications beyond the maximum, which were not asked about.
    pub left_out: usize,
    /// The first question for which a solver has found a model.
    pub objection: Option<String>,
}

/// The number of questions, and the numbers of them that each solver has confirmed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// All questions.
    pub asked: usize,
    /// Confirmed by Z3.
    pub first: usize,
    /// Confirmed by Bitwuzla.
    pub bitwuzla: usize,
    /// Confirmed by the second solver.
    pub second: usize,
}

impl Tally {
    /// Adds the number of questions for each solver that has confirmed them.
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

/// The solvers of the second opinion.
pub(crate) struct Second {
    /// Separate from the checker's solvers, so that earlier questions have no effect.
    first: TextSolvers,
    second: Option<ExternalSolver>,
    pub opinion: Opinion,
}

impl Second {
    pub fn new() -> Self {
        let second = ExternalSolver::find();
        Self {
            first: TextSolvers::default(),
            opinion: Opinion {
                second: second.as_ref().map(ExternalSolver::name),
                ..Opinion::default()
            },
            second,
        }
    }

    /// Asks about assertions that should be unsatisfiable. Returns whether no solver objects.
    pub fn obligation(&mut self, arena: &Arena, assertions: &[TermId], end: Instant) -> bool {
        let question = Question::new(arena, assertions);
        self.opinion.obligations.asked += 1;
        let said = self.ask(&question, OBLIGATION_TIME, end);
        self.opinion.obligations.count(said, 1);
        self.judge(said, || {
            format!("an obligation is not met:\n{}", question.script())
        })
    }

    /// Asks about recorded simplifications. Returns whether no solver objects.
    pub fn simplifications(
        &mut self,
        arena: &Arena,
        mut recorded: Vec<Recorded>,
        end: Instant,
    ) -> bool {
        let left = MAXIMUM_SIMPLIFICATIONS.saturating_sub(self.opinion.simplifications.asked);
        if recorded.len() > left {
            self.opinion.left_out += recorded.len() - left;
            recorded.truncate(left);
        }
        let differences: Vec<TermId> = recorded.iter().map(|one| difference(arena, one)).collect();
        for group in differences.chunks(SIMPLIFICATIONS_PER_QUESTION) {
            self.opinion.simplifications.asked += group.len();
            let any = match group {
                [one] => *one,
                _ => arena.intern(Op::Or, Sort::Bool, group),
            };
            let question = Question::new(arena, &[any]);
            let said = self.ask(&question, SIMPLIFICATION_TIME * 4, end);
            let tally = &mut self.opinion.simplifications;
            tally.count(said, group.len());
            let [first, bitwuzla, second] = said.map(|one| one == Said::Impossible);
            if first && second && (bitwuzla || !regatta_solver::HAS_BITWUZLA) {
                continue;
            }
            // One by one, so that hard ones do not hide the others.
            for &one in group {
                let question = Question::new(arena, &[one]);
                let again = self.ask(&question, SIMPLIFICATION_TIME, end);
                // A solver that has confirmed the whole group is already counted.
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

    /// Returns the answers of Z3, Bitwuzla and the second solver.
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

    /// Checks that no solver has found a model, and otherwise notes the objection.
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

/// A solver's answer to a question that should be unsatisfiable.
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

/// The condition that an application and its simplified result differ, built without further simplification.
pub(crate) fn difference(arena: &Arena, recorded: &Recorded) -> TermId {
    let sort = arena.sort(recorded.result);
    let plain = arena.intern(recorded.op, sort, &recorded.arguments);
    let same = arena.intern(Op::Eq, Sort::Bool, &[plain, recorded.result]);
    arena.intern(Op::Not, Sort::Bool, &[same])
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Build, FloatFormat, RoundingMode, Symbol};

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
    fn an_opinion_is_displayed_with_its_tallies() {
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

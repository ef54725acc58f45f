//! Unwinding by symbolic execution with merging (Kuznetsov, Kinder, Bucur and Candea, PLDI 2012; Hansen, Schachte and
//! Søndergaard, RV 2009), to a limit per loop as in CBMC (Clarke, Kroening and Lerda, TACAS 2004).
//!
//! Bounded model checking asks about one bound after the other, and a bound is a number of steps. Here the program is
//! walked forward once, call by call and round by round, and states are merged where paths join. What is constant along the way stays
//! constant (counters, pointers, indices), so that a loop with a constant bound unrolls by itself, and a program of such loops is walked
//! to its end without a question. A loop whose condition depends on inputs has so many rounds as its limit allows; what is cut off there is the
//! forward condition. If that can hold, the limits of those loops grow, and the program is walked again.
//!
//! Merged, pointers and indices that differ become choices, and what is read or written through them becomes one of many. Where paths are few it is
//! better to walk each by itself ([`Options::paths`]), as KLEE does (Cadar, Dunbar and Engler, OSDI 2008): each branch is asked about, and
//! an index that is a choice parts the path.
//!
//! * [`walk`]: the order of work, and edges; [`path`]: conditions passed.
//! * [`values`]: constants by cases, ranges; [`cells`]: arrays with a value a cell; [`evaluate`]: terms of the program.
//! * [`questions`]: to the solver: whether a round that is open can be reached, and in the end whether an error can.
//!
//! Alarms are replayed. A proof says how many open rounds are enough; the checker walks over the program as lowered
//! ([`crate::certify`]).

mod cells;
mod evaluate;
mod path;
mod questions;
#[cfg(test)]
mod tests;
mod values;
mod walk;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use self::questions::Questions;
use self::values::Terms;
use self::walk::{Limits, Names, Walk, Walked};
use super::options::options;
use super::{Answer, Context, Progress, SolverFactory};
use crate::certify::certificate::{Certificate, ProofStep};
use crate::certify::replay::Replay;
use crate::program::block::Blocks;
use crate::program::interpreter::Journal;
use crate::program::{InputKind, LocationId, Program, WeakOrder};
use crate::solver::{self, SolverError};
use crate::term::{Build, Pool, TermId, Value, domain::Values, size};

options! {
    /// Options of unwinding.
    pub struct Options {
        /// Open rounds of a loop, one after the other, that are walked at first. Where that is not enough there are twice as many the
        /// next time, and more if the loop is a small part of the work.
        pub rounds: u32 = 6, in 1..=1_000_000;
        /// Edges that are taken at first; then four times as many.
        pub steps: u64 = 200_000, in 1..=1_000_000_000_000;
        /// Wall time, without that in which others had their turn; then it gives up.
        pub time: Duration = Duration::from_secs(1_000_000);
        /// Open rounds of a loop, or edges by the million, after which it gives up.
        pub most: u32 = 1_000_000, in 1..=1_000_000_000;
        /// Wall time of the question whether an error is reached, where all paths are walked to their ends; then it gives up, for
        /// another one with another solver.
        pub question: Duration = Duration::from_secs(1_000_000);
        /// Ask whether an error is reached only when all paths are walked to their ends.
        pub whole: bool = false;
        /// If it is not zero, each path is walked by itself to its end, so many at the most: states are not merged where paths join.
        pub paths: u32 = 0;
    }
}

/// What unwinding took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How often the program was walked.
    pub walks: u64,
    /// Of the last walk: edges taken, the most rounds of a loop, the most open ones in a row, values from outside.
    pub steps: u64,
    pub rounds: u32,
    pub open_rounds: u32,
    pub inputs: u64,
    /// How often a path has parted in two.
    pub parted: u64,
    /// Questions asked on the way.
    pub questions: u64,
    /// Terms made.
    pub terms: u64,
    /// Terms in the larger of the last two questions: whether an error is reached, and whether anything was cut off.
    pub question: u64,
}

impl Statistics {
    /// All of them by name.
    pub fn entries(&self) -> [(&'static str, u64); 9] {
        [
            ("walks", self.walks),
            ("steps", self.steps),
            ("rounds", self.rounds.into()),
            ("open_rounds", self.open_rounds.into()),
            ("inputs", self.inputs),
            ("parted", self.parted),
            ("questions", self.questions),
            ("terms", self.terms),
            ("question", self.question),
        ]
    }
}

/// Alarms that may be rejected before it is given up.
const MOST_REJECTED: u32 = 4;
/// What the forward condition may take of the time until then, and at least.
const FORWARD: f64 = 0.5;
const FORWARD_AT_LEAST: Duration = Duration::from_millis(500);

/// A loop gets so many times the rounds at the most, unless another one had more.
const GROWTH: u32 = 32;
/// Or as many as another one had, if that is fewer times what it would get.
const FEW_TIMES: u32 = 4;

/// Runs unwinding.
///
/// # Errors
/// When there is no solver.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
    statistics: &mut Statistics,
) -> Result<Answer, SolverError> {
    let solver = context.solver(solver)?;
    let arena = Rc::clone(solver.arena());
    let inlined = blocks.inlined();
    let program: &Program = inlined.program();
    let order = WeakOrder::new(program, inlined.graph());
    let mut questions = Questions::new(solver, options.time, options.paths > 0);
    let mut limits = Limits {
        rounds: FxHashMap::default(),
        usual: options.rounds,
        steps: options.steps,
        paths: options.paths,
    };
    let mut names = Names::default();
    let base = Values::default();
    let size = |formula: TermId| size(&*arena, formula) as u64;
    loop {
        questions.paused += context.safe_point();
        if questions.is_over() {
            return Ok(Answer::Unknown("its time is over".to_owned()));
        }
        let bound = limits.rounds.values().copied().max();
        let bound = bound.unwrap_or(limits.usual);
        (context.report)(Progress::Bound { bound });
        let terms = Terms::new(&arena, &base, !limits.merge());
        let walk = Walk::new(inlined, &order, &limits, terms, &mut questions, &mut names);
        let walked = walk.run(context);
        statistics.walks += 1;
        statistics.steps = walked.steps;
        statistics.rounds = walked.rounds;
        statistics.open_rounds = walked.open.values().copied().max().unwrap_or(0);
        statistics.inputs = walked.inputs.len() as u64;
        statistics.parted = walked.parted.into();
        statistics.questions = questions.asked;
        statistics.terms = arena.len() as u64;
        if let Some(reason) = walked.stopped {
            return Ok(Answer::Unknown(reason.to_owned()));
        }
        let error = arena.or(walked.errors.iter().copied());
        let is_whole = walked.cuts.is_empty();
        let asked = Asked {
            error,
            most: is_whole.then_some(options.question),
        };
        if (is_whole || !options.whole)
            && let Some(answer) = errors(program, &*arena, &walked, asked, &mut questions, context)
        {
            statistics.question = size(error);
            return Ok(answer);
        }
        let proof = || {
            Answer::Safe(Certificate {
                steps: vec![ProofStep::Unwinding {
                    rounds: walked.open.iter().map(|(&at, &most)| (at, most)).collect(),
                    merge: limits.merge(),
                }],
            })
        };
        let cuts = walked.cuts.iter().map(|cut| cut.guard);
        let any = arena.or(cuts.collect::<Vec<TermId>>());
        let most = FORWARD_AT_LEAST.max(questions.elapsed().mul_f64(FORWARD));
        match questions.check(any, Some(most)) {
            solver::Answer::Unsatisfiable => {
                statistics.question = size(error).max(size(any));
                return Ok(proof());
            }
            _ if context.token.is_cancelled() => {
                return Ok(Answer::Unknown("stopped".to_owned()));
            }
            answer => {
                let is_known = answer == solver::Answer::Satisfiable;
                let nesting = |head| order.heads(head).len();
                raise(&mut limits, &walked, nesting, |guard| {
                    !is_known || questions.holds(guard)
                });
            }
        }
        let highest = limits.rounds.values().copied().max().unwrap_or(0);
        if highest > options.most || limits.steps / 1_000_000 > options.most.into() {
            return Ok(Answer::Unknown("the largest limit is reached".to_owned()));
        }
    }
}

/// Lets those loops go on that were cut off where execution can be.
fn raise(
    limits: &mut Limits,
    walked: &Walked,
    nesting: impl Fn(LocationId) -> usize,
    mut holds: impl FnMut(TermId) -> bool,
) {
    let mut heads = Vec::new();
    let mut all_steps = false;
    for cut in &walked.cuts {
        if holds(cut.guard) {
            match cut.head {
                Some(head) => heads.push(head),
                None => all_steps = true,
            }
        }
    }
    if heads.is_empty() && !all_steps {
        heads.extend(walked.cuts.iter().filter_map(|cut| cut.head));
        all_steps = true;
    }
    heads.sort_unstable();
    heads.dedup();
    let deepest = heads.iter().map(|&head| nesting(head)).max().unwrap_or(1);
    for head in heads {
        // So many rounds that all of the walk is about twice the work.
        let work = walked.work.get(&head).copied().unwrap_or(walked.steps);
        let most = (walked.steps / work.max(1)) as f64;
        let factor = most.powf(1.0 / deepest.max(1) as f64) as u32;
        let growth = GROWTH.max(walked.rounds / limits.of(head));
        let mut next = limits.of(head).saturating_mul(factor.clamp(2, growth));
        // Loops one after the other mostly go through the same array.
        if next < walked.rounds && walked.rounds / next < FEW_TIMES {
            next = walked.rounds.saturating_add(1);
        }
        limits.rounds.insert(head, next);
    }
    if all_steps {
        limits.steps = limits.steps.saturating_mul(4);
    }
}

/// The question about errors.
#[derive(Copy, Clone)]
struct Asked {
    /// Holds where the walk comes to one.
    error: TermId,
    /// The time that it may take.
    most: Option<Duration>,
}

/// What there is to say about the errors that the walk came to; `None` if it comes to none.
fn errors(
    program: &Program,
    arena: &(impl Pool + ?Sized),
    walked: &Walked,
    asked: Asked,
    questions: &mut Questions,
    context: &mut Context<'_>,
) -> Option<Answer> {
    let mut excluded = TermId::TRUE;
    for _ in 0..=MOST_REJECTED {
        let stopped = || Some(Answer::Unknown("stopped".to_owned()));
        if context.token.is_cancelled() {
            return stopped();
        }
        match questions.check(arena.and2(asked.error, excluded), asked.most) {
            solver::Answer::Satisfiable => {}
            solver::Answer::Unsatisfiable if excluded == TermId::TRUE => break,
            solver::Answer::Unsatisfiable => {
                let reason = "no alarm is confirmed";
                return Some(Answer::Unknown(reason.to_owned()));
            }
            solver::Answer::Unknown(_) if context.token.is_cancelled() => return stopped(),
            solver::Answer::Unknown(reason) => {
                return Some(Answer::Unknown(format!("the solver: {reason:?}")));
            }
        }
        let mut entries = Vec::new();
        let mut unknown = Vec::new();
        let mut same = Vec::new();
        for input in &walked.inputs {
            if !questions.holds(input.guard) {
                continue;
            }
            let sort = arena.sort(input.value);
            let value = questions.value(input.value);
            let value = value.unwrap_or_else(|| Value::zero(sort));
            if matches!(program.input(input.input).kind, InputKind::Unknown(_)) {
                unknown.push(input.guard);
            }
            if !matches!(value, Value::Array(_)) {
                same.push(arena.eq(input.value, arena.value(&value)));
            }
            entries.push((input.input, value));
        }
        match (context.confirm)(&Journal { entries }) {
            Replay::Confirmed(violation) => return Some(Answer::Unsafe(violation)),
            Replay::NotConfirmed(reason) => {
                let reason = reason.to_string();
                (context.report)(Progress::LeftAside { reason });
                questions.forget_samples();
                // No run that asks for a value that is determined elsewhere will be confirmed.
                let other = match unknown.is_empty() {
                    true => arena.not(arena.and(same)),
                    false => arena.not(arena.or(unknown)),
                };
                excluded = arena.and2(excluded, other);
            }
        }
    }
    if excluded != TermId::TRUE {
        return Some(Answer::Unknown("no alarm is confirmed".to_owned()));
    }
    let unsupported = arena.or(walked.unsupported.iter().copied());
    match questions.check(unsupported, None) {
        solver::Answer::Unsatisfiable => None,
        _ => Some(Answer::Unknown(
            "a construct that is not modelled is reached".to_owned(),
        )),
    }
}

//! Unwinding by symbolic execution with state merging (\[KKBC12\], \[HSS09\]), with a bound per loop as in CBMC (\[CKL04\]).
//!
//! Bounded model checking queries one bound after the other, and a bound is a number of steps. Unwinding instead walks
//! forward through the program once, call by call and iteration by iteration, and merges states where paths join. Constants
//! are propagated (counters, pointers, indices), so that a loop with a constant bound is unrolled without solver queries.
//! A loop whose condition depends on inputs has at most as many iterations ("open rounds") as its limit allows; the
//! condition that execution goes beyond a limit is the forward condition. If it is satisfiable, the limits of the loops
//! concerned grow, and the program is walked again.
//!
//! Merging turns pointers and indices that differ into if-then-else terms, and accesses through them become choices. Where
//! there are few paths, walking each path separately is better ([`Options::paths`]), as in KLEE (\[CDE08\]):
//! each branch is a solver query, and an index that is a choice splits the path.
//!
//! * [`walk`]: the order of execution, and edges; [`path`]: path conditions.
//! * [`known_values`]: values known by cases, ranges; [`cells`]: arrays with a value per cell; [`evaluate`]: terms of the
//!   program.
//! * [`queries`]: queries whether an open round is reachable, and finally whether an error is.
//!
//! Alarms are replayed. A proof contains the sufficient number of open rounds per loop; the checker walks over the program
//! as lowered ([`regatta_certify`]).

mod cells;
mod evaluate;
mod known_values;
mod limits;
mod path;
mod queries;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use self::limits::{
    APART_TIME, CATCH_UP_FACTOR, MAXIMUM_FORWARD_CONDITION_SHARE, MAXIMUM_LIMIT_GROWTH,
    MAXIMUM_REJECTED_ALARMS, MINIMUM_FORWARD_CONDITION_TIME,
};
use self::walk::{Instances, Limits, Walk, Walked};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::unrolling::division;
use super::{Answer, Context, Progress, SolverFactory};
use known_values::Terms;
use queries::Queries;
use regatta_base::options;
use regatta_certify::certificate::{Certificate, ProofStep};
use regatta_certify::replay::Replay;
use regatta_program::block::Blocks;
use regatta_program::interpreter::Journal;
use regatta_program::{InputKind, LocationId, Program, WeakOrder};
use regatta_sharing::OpenTargets;
use regatta_solver::SolverError;
use regatta_term::{Arena, Build, Pool, TermId, Value, domain::Values, size};

options! {
    /// Options of unwinding.
    pub struct Options {
        /// Initial maximum number of successive open rounds of a loop. If it does not suffice, it is at least doubled for the
        /// next walk, and grows by more if the loop is a small part of the work.
        pub rounds: u32 = 6, in 1..=1_000_000;
        /// Initial maximum number of edges taken; it is multiplied by four for the next walk.
        pub steps: u64 = 200_000, in 1..=1_000_000_000_000;
        /// Maximum wall time, without the time at safe points.
        pub time: Duration = Duration::from_secs(1_000_000);
        /// Maximum number of open rounds of a loop, and of edges in millions.
        pub most: u32 = 1_000_000, in 1..=1_000_000_000;
        /// Maximum wall time of the query whether an error is reached after a walk in which all paths ended. Beyond it the engine
        /// gives up, so that another one can try with another solver.
        pub question: Duration = Duration::from_secs(1_000_000);
        /// Query errors only after a walk in which all paths ended.
        pub whole: bool = false;
        /// If not zero, the maximum number of paths; each is walked separately to its end, and states are not merged.
        pub paths: u32 = 0;
    }
}

/// Counters of unwinding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Walks over the program.
    pub walks: u64,
    /// Edges taken in the last walk.
    pub steps: u64,
    /// Maximum number of rounds of a loop in the last walk.
    pub rounds: u32,
    /// Maximum number of successive open rounds in the last walk.
    pub open_rounds: u32,
    /// Inputs of the last walk.
    pub inputs: u64,
    /// Paths that were split in two.
    pub parted: u64,
    /// Queries during walks that the solver answered.
    pub questions: u64,
    /// Queries during walks that an earlier answer or a sample assignment answered.
    pub saved_questions: u64,
    /// Wall time of the solver (milliseconds).
    pub solver_time: u64,
    /// Terms created.
    pub terms: u64,
    /// Size of the larger of the last two queries, the one for errors and the forward condition (terms).
    pub question: u64,
}

impl Statistics {
    /// The counters with their names.
    pub fn entries(&self) -> [(&'static str, u64); 11] {
        [
            ("walks", self.walks),
            ("steps", self.steps),
            ("rounds", self.rounds.into()),
            ("open_rounds", self.open_rounds.into()),
            ("inputs", self.inputs),
            ("parted", self.parted),
            ("questions", self.questions),
            ("saved_questions", self.saved_questions),
            ("solver_time", self.solver_time),
            ("terms", self.terms),
            ("question", self.question),
        ]
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "unwind",
            summary: "Symbolic execution with merging, each loop unwound to a limit of its own.",
            has_solver: true,
            recursion: Recursion::Handled,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        let mut done = Statistics::default();
        let answer = run(subject.blocks, self, subject.solver, context, &mut done);
        Report::from(answer).with_counters(done.entries())
    }
}

/// Runs unwinding.
///
/// # Errors
/// When there is no solver.
fn run(
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
    let mut queries = Queries::new(solver, options.time, options.paths > 0);
    let mut limits = Limits {
        rounds: FxHashMap::default(),
        usual: options.rounds,
        steps: options.steps,
        paths: options.paths,
    };
    let mut instances = Instances::default();
    let base = Values::default();
    let size = |formula: TermId| size(&*arena, formula) as u64;
    loop {
        queries.paused += context.safe_point();
        if queries.is_over() {
            return Ok(Answer::Unknown("the time limit is reached".to_owned()));
        }
        let bound = limits.rounds.values().copied().max();
        let bound = bound.unwrap_or(limits.usual);
        (context.report)(Progress::Bound { bound });
        let terms = Terms::new(&arena, &base, !limits.merge());
        let walk = Walk::new(
            inlined,
            &order,
            &limits,
            terms,
            &mut queries,
            &mut instances,
        );
        let walked = walk.run(context);
        statistics.walks += 1;
        statistics.steps = walked.steps;
        statistics.rounds = walked.rounds;
        statistics.open_rounds = walked.open.values().copied().max().unwrap_or(0);
        statistics.inputs = walked.inputs.len() as u64;
        statistics.parted = walked.parted.into();
        let sources = queries.sources();
        statistics.questions = queries.asked;
        statistics.saved_questions = sources.earlier + sources.samples;
        statistics.solver_time = sources.time.as_millis() as u64;
        statistics.terms = arena.len() as u64;
        if let Some(reason) = walked.stopped {
            return Ok(Answer::Unknown(reason.to_owned()));
        }
        let is_whole = walked.cuts.is_empty();
        let unwinding = || ProofStep::Unwinding {
            rounds: walked.open.iter().map(|(&at, &most)| (at, most)).collect(),
            merge: limits.merge(),
        };
        if let Some(targets) = context.targets.filter(|_| is_whole) {
            let excluded = excluded_apart(&arena, &walked, targets, &mut queries, context);
            division::exclude(targets, excluded, &[unwinding()], context.token);
        }
        let open = context.targets.map(OpenTargets::open);
        let is_open = |at: &LocationId| open.as_ref().is_none_or(|open| open.contains(at));
        let guards = walked.errors.iter().filter(|(at, _)| is_open(at));
        let error = arena.or(guards.map(|(_, guard)| *guard).collect::<Vec<TermId>>());
        let asked = ErrorQuery {
            error,
            most: is_whole.then_some(options.question),
        };
        if (is_whole || !options.whole)
            && let Some(answer) = errors(program, &*arena, &walked, asked, &mut queries, context)
        {
            statistics.question = size(error);
            return Ok(answer);
        }
        let proof = || Answer::Safe(Certificate::of_all(vec![unwinding()]));
        let cuts = walked.cuts.iter().map(|cut| cut.guard);
        let any = arena.or(cuts.collect::<Vec<TermId>>());
        let most = MINIMUM_FORWARD_CONDITION_TIME
            .max(queries.elapsed().mul_f64(MAXIMUM_FORWARD_CONDITION_SHARE));
        match queries.check(any, Some(most)) {
            regatta_solver::Answer::Unsatisfiable => {
                statistics.question = size(error).max(size(any));
                return Ok(proof());
            }
            _ if context.token.is_cancelled() => {
                return Ok(Answer::Unknown("stopped".to_owned()));
            }
            answer => {
                let is_known = answer == regatta_solver::Answer::Satisfiable;
                let nesting = |head| order.heads(head).len();
                let is_raised =
                    raise_limits(&mut limits, options.most, &walked, nesting, |guard| {
                        !is_known || queries.holds(guard)
                    });
                if !is_raised || limits.steps / 1_000_000 > options.most.into() {
                    return Ok(Answer::Unknown(
                        "the maximum number of rounds or steps is reached".to_owned(),
                    ));
                }
            }
        }
    }
}

/// Raises the limits of the loops that were cut off on feasible paths, up to `maximum`. Returns whether each of them could be
/// raised.
fn raise_limits(
    limits: &mut Limits,
    maximum: u32,
    walked: &Walked,
    nesting: impl Fn(LocationId) -> usize,
    mut holds: impl FnMut(TermId) -> bool,
) -> bool {
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
    let are_below = heads.iter().all(|&head| limits.of(head) < maximum);
    for head in heads {
        // The next walk is to take about twice the work.
        let work = walked.work.get(&head).copied().unwrap_or(walked.steps);
        let most = (walked.steps / work.max(1)) as f64;
        let factor = most.powf(1.0 / deepest.max(1) as f64) as u32;
        let growth = MAXIMUM_LIMIT_GROWTH.max(walked.rounds / limits.of(head));
        let mut next = limits.of(head).saturating_mul(factor.clamp(2, growth));
        // Successive loops often traverse the same array.
        if next < walked.rounds && walked.rounds / next < CATCH_UP_FACTOR {
            next = walked.rounds.saturating_add(1);
        }
        limits.rounds.insert(head, next.min(maximum));
    }
    if all_steps {
        limits.steps = limits.steps.saturating_mul(4);
    }
    are_below
}

/// After a walk in which all paths ended, where each target is decided by itself: returns the error locations that are shown
/// not to be reached in little time, if there are others.
fn excluded_apart(
    arena: &Arena,
    walked: &Walked,
    targets: &dyn OpenTargets,
    queries: &mut Queries,
    context: &Context<'_>,
) -> BTreeSet<LocationId> {
    let open = targets.open();
    let unsupported = arena.or(walked.unsupported.iter().copied());
    if queries.check(unsupported, Some(APART_TIME)) != regatta_solver::Answer::Unsatisfiable {
        return BTreeSet::new();
    }
    let mut guards: BTreeMap<LocationId, Vec<TermId>> = BTreeMap::new();
    for &(at, guard) in walked.errors.iter().filter(|(at, _)| open.contains(at)) {
        guards.entry(at).or_default().push(guard);
    }
    let mut excluded = BTreeSet::clone(&open);
    for (at, guards) in guards {
        queries.paused += context.safe_point();
        let is_over = context.token.is_cancelled() || queries.is_over();
        let any = arena.or(guards);
        if is_over || queries.check(any, Some(APART_TIME)) != regatta_solver::Answer::Unsatisfiable
        {
            excluded.remove(&at);
        }
    }
    match excluded.len() == open.len() {
        // The usual proof is about all.
        true => BTreeSet::new(),
        false => excluded,
    }
}

/// The query for errors.
#[derive(Copy, Clone)]
struct ErrorQuery {
    /// The condition under which the walk reaches an error.
    error: TermId,
    /// The maximum time.
    most: Option<Duration>,
}

/// Decides whether an error is reachable and returns the answer; `None` if none is reachable.
fn errors(
    program: &Program,
    arena: &(impl Pool + ?Sized),
    walked: &Walked,
    asked: ErrorQuery,
    queries: &mut Queries,
    context: &mut Context<'_>,
) -> Option<Answer> {
    let mut excluded = TermId::TRUE;
    for _ in 0..=MAXIMUM_REJECTED_ALARMS {
        let stopped = || Some(Answer::Unknown("stopped".to_owned()));
        if context.token.is_cancelled() {
            return stopped();
        }
        match queries.check_swept(arena.and2(asked.error, excluded), asked.most) {
            regatta_solver::Answer::Satisfiable => {}
            regatta_solver::Answer::Unsatisfiable if excluded == TermId::TRUE => break,
            regatta_solver::Answer::Unsatisfiable => {
                let reason = "no alarm is confirmed";
                return Some(Answer::Unknown(reason.to_owned()));
            }
            regatta_solver::Answer::Unknown(_) if context.token.is_cancelled() => return stopped(),
            regatta_solver::Answer::Unknown(reason) => {
                return Some(Answer::Unknown(format!("the solver: {reason}")));
            }
        }
        let mut entries = Vec::new();
        let mut unknown = Vec::new();
        let mut same = Vec::new();
        for input in &walked.inputs {
            if !queries.holds(input.guard) {
                continue;
            }
            let sort = arena.sort(input.value);
            let value = queries.value(input.value);
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
                queries.forget_samples();
                // Runs that use a value which is determined elsewhere are never confirmed.
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
    match queries.check(unsupported, None) {
        regatta_solver::Answer::Unsatisfiable => None,
        _ => Some(Answer::Unknown(
            "a construct that is not modelled is reached".to_owned(),
        )),
    }
}

//! Invariants of path programs (\[BHMR07\]; \[BD19\], section
//! 4.9).
//!
//! A counterexample that passes through a loop more than once is one unrolling of it, and its predicates may exclude no
//! other unrolling. Its path program is the part of the program that consists of the counterexample's blocks: a place that
//! is visited twice is a single place, so that the loops are restored. Invariants that prove the path program safe exclude
//! all its unrollings. They are computed by the data-flow analysis or by KIPDR ([`Generator`]), the two that \[BD19\]
//! compares. Induction of KIPDR goes from one cut point to the next here, because interpolants must do so.
//!
//! Departure, unless [`PathPrograms::All`] is chosen: invariants are computed only when a path program recurs, which shows
//! that refinement unrolls a loop. Before that, the program's own conditions and interpolants are the better predicates
//! where there are many paths.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::counterexample::AbstractPath;
use crate::engine::{Engine, Subject};
use crate::unrolling::schedule::{Schedule, Share};
use crate::{Answer, CancellationToken, Context, SolverFactory, data_flow, k_induction};
use regatta_base::choice;
use regatta_certify::certificate::{Certificate, InvariantLocation, ProofStep, quantified};
use regatta_certify::replay::Violation;
use regatta_cpa::location::Place;
use regatta_cpa::predicate::PredicateCpa;
use regatta_cpa::predicate::abstraction::Abstraction;
use regatta_program::InlinedLocation;
use regatta_program::block::{BlockEnd, Blocks};
use regatta_sharing::{Exchange, InvariantStore};
use regatta_term::{Build, TermId, store};

/// Maximum share of the engine's time for path programs.
const MAXIMUM_TIME_SHARE: f64 = 0.3;

/// The analysis that computes invariants of path programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// The data-flow analysis.
    DataFlow,
    /// Property-directed k-induction.
    Kipdr,
}
choice!(Generator: "data-flow" = Self::DataFlow, "kipdr" = Self::Kipdr);

/// The path programs whose invariants are computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PathPrograms {
    /// Those of a second counterexample or a later one.
    Recurring,
    /// All that have a loop.
    All,
}
choice!(PathPrograms: "recurring" = Self::Recurring, "all" = Self::All);

impl Generator {
    /// Runs the analysis on the path program for at least the given CPU time.
    fn run(
        self,
        path_program: &Arc<Blocks>,
        time: Duration,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Answer {
        let subject = Subject::of(path_program, solver);
        let report = match self {
            Self::DataFlow => {
                let options = data_flow::Options {
                    fixpoint: time / 2,
                    simulation: time / 10,
                    ..data_flow::Options::default()
                };
                options.run(&subject, context)
            }
            Self::Kipdr => {
                let options = k_induction::Options {
                    property_directed: true,
                    obligation_bound: 1,
                    longest_step: 1,
                    ..k_induction::Options::default()
                };
                options.run(&subject, context)
            }
        };
        report.answer
    }
}

/// The result of an attempt to prove a path program.
pub(super) enum Attempt {
    /// Interpolants of the counterexample that are invariants of its path program.
    Interpolants(Vec<TermId>),
    /// Another unrolling of the path program is feasible.
    Violated(Violation),
    /// The path program has no loop, is new, or could not be proved.
    Nothing,
}

/// The blocks of a path program: their start and end.
type PathProgram = FxHashSet<(InlinedLocation, BlockEnd)>;

/// Proofs of path programs.
pub(super) struct PathInvariants {
    generator: Generator,
    time: Duration,
    path_programs: PathPrograms,
    schedule: Schedule,
    /// The path programs so far, each with the time that the next attempt to prove it needs.
    seen: Vec<(PathProgram, Duration)>,
}

impl PathInvariants {
    /// Creates it with the minimum CPU time for each path program; zero turns it off.
    pub fn new(generator: Generator, time: Duration, path_programs: PathPrograms) -> Self {
        Self {
            generator,
            time,
            path_programs,
            schedule: Schedule::new(Share {
                of_time: MAXIMUM_TIME_SHARE,
                at_least: time,
            }),
            seen: Vec::new(),
        }
    }

    /// Tries to prove the counterexample's path program. `refinements` is the number of counterexamples so far.
    pub fn attempt<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        refinements: u32,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Attempt {
        let states = path.states.iter();
        let places: Vec<Place> = states.map(|&id| cpa.abstraction_state(id).place).collect();
        let has_loop = places.iter().collect::<FxHashSet<_>>().len() < places.len();
        if self.time.is_zero() || !has_loop {
            return Attempt::Nothing;
        }
        let program = path_program(cpa, &places);
        if self.path_programs == PathPrograms::All
            && self.seen.iter().all(|(seen, _)| *seen != program)
        {
            self.seen.push((program.clone(), Duration::ZERO));
        }
        let Some((_, needed)) = self.seen.iter_mut().find(|(seen, _)| *seen == program) else {
            self.seen.push((program, Duration::ZERO));
            return Attempt::Nothing;
        };
        if !self.schedule.begin(refinements) || self.schedule.allowance() < *needed {
            return Attempt::Nothing;
        }
        let allowance = self.schedule.allowance();
        let blocks = Arc::new(cpa.blocks().restricted_to(&program));
        let (generator, time) = (self.generator, self.time);
        let run = |context: &mut Context<'_>| generator.run(&blocks, time, solver, context);
        let (answer, is_over) = run_within_schedule(&self.schedule, context, run);
        self.schedule.end(refinements);
        *needed = match answer {
            Answer::Safe(_) => Duration::MAX,
            _ if is_over => 2 * allowance,
            _ => Duration::MAX,
        };
        match answer {
            Answer::Safe(certificate) => {
                let interpolants = annotation(cpa.blocks(), &places, &certificate);
                interpolants.map_or(Attempt::Nothing, Attempt::Interpolants)
            }
            Answer::Unsafe(violation) => Attempt::Violated(violation),
            Answer::Unknown(_) | Answer::Explored(_) => Attempt::Nothing,
        }
    }
}

/// Runs the generator, without access to the shared invariants, until it ends or the schedule stops it; also returns
/// whether it was stopped.
fn run_within_schedule<R>(
    schedule: &Schedule,
    context: &mut Context<'_>,
    run: impl FnOnce(&mut Context<'_>) -> R,
) -> (R, bool) {
    let token = CancellationToken::new();
    context.token.interrupts(Arc::new(token.clone()));
    let safe_point = || {
        let waited = (context.safe_point)();
        if schedule.is_over() || context.token.is_cancelled() {
            token.cancel();
        }
        waited
    };
    let result = run(&mut Context {
        token: &token,
        safe_point: &safe_point,
        report: &|_| {},
        confirm: &mut *context.confirm,
        workers: context.workers,
        certifies: None,
        targets: None,
        exchange: &Exchange::new(&InvariantStore::new(), "path invariants", &token),
    });
    (result, token.is_cancelled())
}

/// Returns the blocks on all paths from each place to the next.
fn path_program<A: Abstraction>(cpa: &PredicateCpa<A>, places: &[Place]) -> PathProgram {
    let mut program = PathProgram::default();
    for pair in places.windows(2) {
        if let Place::At(source) = pair[0] {
            let mut known = FxHashMap::default();
            add_paths(cpa, source, pair[1], &mut known, &mut program);
        }
    }
    program
}

/// Adds the blocks on the paths through places without abstraction; returns whether there is such a path.
fn add_paths<A: Abstraction>(
    cpa: &PredicateCpa<A>,
    from: InlinedLocation,
    to: Place,
    known: &mut FxHashMap<InlinedLocation, bool>,
    program: &mut PathProgram,
) -> bool {
    if let Some(&leads_there) = known.get(&from) {
        return leads_there;
    }
    let mut any = false;
    for block in cpa.blocks().from(from).iter() {
        let leads_there = match block.end {
            BlockEnd::CutPoint(at) if to == Place::At(at) => true,
            BlockEnd::CutPoint(at) if !cpa.ends_block(Place::At(at)) => {
                add_paths(cpa, at, to, known, program)
            }
            BlockEnd::Unsupported { edge, call_string } => {
                to == Place::Unsupported { edge, call_string }
            }
            BlockEnd::CutPoint(_) | BlockEnd::RecursiveCall { .. } => false,
        };
        if leads_there {
            program.insert((from, block.end));
        }
        any |= leads_there;
    }
    known.insert(from, any);
    any
}

/// Returns the proof's invariants at the places between the first and the last. Returns `None` if they cannot serve as
/// interpolants: if one is quantified over the cells of an array, or the proof is not inductive from one place to the next.
fn annotation(blocks: &Blocks, places: &[Place], certificate: &Certificate) -> Option<Vec<TermId>> {
    let mut invariants: FxHashMap<&InvariantLocation, Vec<TermId>> = FxHashMap::default();
    for step in &certificate.steps {
        match step {
            ProofStep::Inductive { batch, k: 1, .. } => {
                for (at, formula) in batch {
                    if quantified(*formula).is_some() {
                        return None;
                    }
                    invariants.entry(at).or_default().push(*formula);
                }
            }
            ProofStep::Safety { k: 1, .. } => {}
            _ => return None,
        }
    }
    let inner = places[1..places.len() - 1].iter();
    let at = |place: &Place| match *place {
        Place::At(at) => {
            let at = InvariantLocation::new(blocks.inlined(), at);
            store().and(invariants.get(&at).cloned().unwrap_or_default())
        }
        Place::Unsupported { .. } => TermId::FALSE,
    };
    Some(inner.map(at).collect())
}

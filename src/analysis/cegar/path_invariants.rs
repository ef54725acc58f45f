//! Invariants of path programs (Beyer, Henzinger, Majumdar and Rybalchenko, Path Invariants, PLDI 2007; paper 003, section
//! 4.9).
//!
//! A counterexample that goes through a loop more than once is one unrolling of it, and predicates may exclude no more than
//! that. Its path program is the part of the program that consists of the counterexample's blocks: a place that is visited
//! twice is one place, so that the loops are there again. Invariants that prove the path program safe exclude all its
//! unrollings. Either the data-flow analysis looks for them or KIPDR does ([`Generator`]): what paper 003 compares. KIPDR's
//! induction is from one cut point to the next here, since that is what interpolants are.
//!
//! Departure: they are asked for when a path program comes up again, which shows that refinement unrolls. Before that, the
//! program's own conditions and interpolants are the better predicates where there are many paths.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::counterexample::AbstractPath;
use crate::analysis::invariants::{Exchange, InvariantStore};
use crate::analysis::options::choice;
use crate::analysis::unrolling::schedule::{Schedule, Share};
use crate::analysis::{Answer, CancellationToken, Context, SolverFactory, data_flow, k_induction};
use crate::certify::certificate::{Certificate, InvariantLocation, ProofStep, quantified};
use crate::certify::replay::Violation;
use crate::cpa::location::Place;
use crate::cpa::predicate::PredicateCpa;
use crate::cpa::predicate::abstraction::Abstraction;
use crate::program::InlinedLocation;
use crate::program::block::{BlockEnd, Blocks};
use crate::solver::SolverError;
use crate::term::{Build, TermId, store};

/// What path programs may take of the engine's time.
const SHARE: f64 = 0.3;

/// Who looks for invariants of path programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// The data-flow analysis.
    DataFlow,
    /// Property-directed k-induction.
    Kipdr,
}
choice!(Generator: "data-flow" = Self::DataFlow, "kipdr" = Self::Kipdr);

impl Generator {
    /// Runs it on the path program, which is given so much CPU time at least.
    fn run(
        self,
        path_program: &Arc<Blocks>,
        time: Duration,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Result<Answer, SolverError> {
        match self {
            Self::DataFlow => {
                let options = data_flow::Options {
                    fixpoint: time / 2,
                    simulation: time / 10,
                    ..data_flow::Options::default()
                };
                data_flow::run(path_program, &options, solver, context)
            }
            Self::Kipdr => {
                let options = k_induction::Options {
                    property_directed: true,
                    obligation_bound: 1,
                    longest_step: 1,
                    ..k_induction::Options::default()
                };
                k_induction::run(path_program, &options, solver, context)
            }
        }
    }
}

/// What came of an attempt to prove a path program.
pub(super) enum Attempt {
    /// Interpolants of the counterexample that are invariants of its path program.
    Interpolants(Vec<TermId>),
    /// Another of the path program's unrollings is feasible.
    Violated(Violation),
    /// Nothing: it has no loop, is new, or has no proof.
    Nothing,
}

/// The blocks of a path program: where they start, and where they lead.
type PathProgram = FxHashSet<(InlinedLocation, BlockEnd)>;

/// Proves path programs.
pub(super) struct PathInvariants {
    generator: Generator,
    time: Duration,
    schedule: Schedule,
    /// The path programs so far, with the time that the next attempt to prove each has to have.
    seen: Vec<(PathProgram, Duration)>,
}

impl PathInvariants {
    /// With the CPU time that each path program is given at least; none of them is, if that is zero.
    pub fn new(generator: Generator, time: Duration) -> Self {
        Self {
            generator,
            time,
            schedule: Schedule::new(Share {
                of_time: SHARE,
                at_least: time,
            }),
            seen: Vec::new(),
        }
    }

    /// Tries to prove the counterexample's path program. `refinements` is how many counterexamples there have been.
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
        let (answer, is_over) = within(&self.schedule, context, run);
        self.schedule.end(refinements);
        *needed = match answer {
            Ok(Answer::Safe(_)) => Duration::MAX,
            _ if is_over => 2 * allowance,
            _ => Duration::MAX,
        };
        match answer {
            Ok(Answer::Safe(certificate)) => {
                let interpolants = annotation(cpa.blocks(), &places, &certificate);
                interpolants.map_or(Attempt::Nothing, Attempt::Interpolants)
            }
            Ok(Answer::Unsafe(violation)) => Attempt::Violated(violation),
            _ => Attempt::Nothing,
        }
    }
}

/// Runs the generator, which has no part in what others have proved, until the schedule ends it; says whether it did.
fn within<R>(
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
        exchange: &Exchange::new(&InvariantStore::new(), "path invariants", &token),
    });
    (result, token.is_cancelled())
}

/// The blocks on all ways from each place to the next.
fn path_program<A: Abstraction>(cpa: &PredicateCpa<A>, places: &[Place]) -> PathProgram {
    let mut program = PathProgram::default();
    for pair in places.windows(2) {
        if let Place::At(source) = pair[0] {
            let mut known = FxHashMap::default();
            add_ways(cpa, source, pair[1], &mut known, &mut program);
        }
    }
    program
}

/// Adds the blocks on the ways, past places without abstractions; says whether there is one.
fn add_ways<A: Abstraction>(
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
                add_ways(cpa, at, to, known, program)
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

/// What the proof says at the places between the first and the last; `None` if that cannot be interpolants: if it speaks of
/// any cell of an array, or is not inductive from one place to the next.
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

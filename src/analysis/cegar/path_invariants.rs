//! Invariants of path programs (Beyer, Henzinger, Majumdar and Rybalchenko, Path Invariants, PLDI 2007; paper 003, section
//! 4.9).
//!
//! A counterexample that goes through a loop more than once is one unrolling of it, and predicates may exclude no more than
//! that. Its path program is the part of the program that consists of the counterexample's blocks: a place that is visited
//! twice is one place, so that the loops are there again. Invariants that prove the path program safe exclude all its
//! unrollings. They come from the data-flow analysis, which is better at small programs.
//!
//! Departure: they are asked for when a path program comes up again, which shows that refinement unrolls. Before that, the
//! program's own conditions and interpolants are the better predicates where there are many paths.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::counterexample::AbstractPath;
use crate::analysis::invariants::{Exchange, InvariantStore};
use crate::analysis::unrolling::schedule::{Schedule, Share};
use crate::analysis::{Answer, CancellationToken, Context, SolverFactory, data_flow};
use crate::certify::certificate::{Certificate, InvariantLocation, ProofStep, quantified};
use crate::cpa::location::Place;
use crate::cpa::predicate::PredicateCpa;
use crate::cpa::predicate::abstraction::Abstraction;
use crate::program::InlinedLocation;
use crate::program::block::{BlockEnd, Blocks};
use crate::term::{Build, TermId, store};

/// What path programs may take of the engine's time.
const SHARE: f64 = 0.3;

/// The blocks of a path program: where they start, and where they lead.
type PathProgram = FxHashSet<(InlinedLocation, BlockEnd)>;

/// Proves path programs.
pub(super) struct PathInvariants {
    options: data_flow::Options,
    schedule: Schedule,
    /// The path programs so far, with the time that the next attempt to prove each has to have.
    seen: Vec<(PathProgram, Duration)>,
}

impl PathInvariants {
    /// With the CPU time that each path program is given at least; none of them is, if that is zero.
    pub fn new(time: Duration) -> Self {
        Self {
            options: data_flow::Options {
                fixpoint: time / 2,
                simulation: time / 10,
                ..data_flow::Options::default()
            },
            schedule: Schedule::new(Share {
                of_time: SHARE,
                at_least: time,
            }),
            seen: Vec::new(),
        }
    }

    /// Interpolants of the counterexample that are invariants of its path program; `None` if that has no loop or is new, or
    /// if there is no proof. `refinements` is how many counterexamples there have been.
    pub fn interpolants<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        refinements: u32,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Option<Vec<TermId>> {
        let states = path.states.iter();
        let places: Vec<Place> = states.map(|&id| cpa.abstraction_state(id).place).collect();
        let has_loop = places.iter().collect::<FxHashSet<_>>().len() < places.len();
        if self.options.fixpoint.is_zero() || !has_loop {
            return None;
        }
        let program = path_program(cpa, &places);
        let Some((_, needed)) = self.seen.iter_mut().find(|(seen, _)| *seen == program) else {
            self.seen.push((program, Duration::ZERO));
            return None;
        };
        if !self.schedule.begin(refinements) || self.schedule.allowance() < *needed {
            return None;
        }
        let allowance = self.schedule.allowance();
        let blocks = cpa.blocks().restricted_to(&program);
        let (certificate, is_over) = prove(blocks, &self.options, &self.schedule, solver, context);
        *needed = match is_over {
            true => 2 * allowance,
            false => Duration::MAX,
        };
        self.schedule.end(refinements);
        annotation(cpa.blocks(), &places, &certificate?)
    }
}

/// A proof of the path program, and whether there was too little time for one.
fn prove(
    blocks: Blocks,
    options: &data_flow::Options,
    schedule: &Schedule,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> (Option<Certificate>, bool) {
    let token = CancellationToken::new();
    context.token.interrupts(Arc::new(token.clone()));
    let safe_point = || {
        let waited = (context.safe_point)();
        if schedule.is_over() || context.token.is_cancelled() {
            token.cancel();
        }
        waited
    };
    let answer = data_flow::run(
        &blocks.into(),
        options,
        solver,
        &mut Context {
            token: &token,
            safe_point: &safe_point,
            report: &|_| {},
            confirm: &mut *context.confirm,
            exchange: &Exchange::new(&InvariantStore::new(), "path invariants", &token),
            workers: context.workers,
        },
    );
    match answer {
        Ok(Answer::Safe(certificate)) => (Some(certificate), false),
        _ => (None, token.is_cancelled()),
    }
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

/// What the proof says at the places between the first and the last; `None` if that cannot be an interpolant.
fn annotation(blocks: &Blocks, places: &[Place], certificate: &Certificate) -> Option<Vec<TermId>> {
    let mut invariants: FxHashMap<&InvariantLocation, Vec<TermId>> = FxHashMap::default();
    for step in &certificate.steps {
        if let ProofStep::Inductive { batch, .. } = step {
            for (at, formula) in batch {
                if quantified(*formula).is_some() {
                    return None;
                }
                invariants.entry(at).or_default().push(*formula);
            }
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

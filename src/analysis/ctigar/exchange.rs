//! What goes to the other analyses and comes from them, and certificates.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Ctigar;
use super::cube::Cube;
use super::frames::Level;
use super::system::PlaceId;
use crate::analysis::invariants::houdini::Houdini;
use crate::analysis::invariants::samples::Samples;
use crate::analysis::invariants::{BatchId, Candidate, Proved, Snapshot};
use crate::analysis::unrolling::schedule::{Schedule, Share};
use crate::analysis::{Answer, Context, Progress};
use crate::certify::certificate::quantified;
use crate::program::block::Blocks;
use crate::solver::Solver;
use crate::term::{Build, store};

/// What the search for clauses of the infinite frame may take.
const INFINITE: Share = Share {
    of_time: 0.1,
    at_least: Duration::from_millis(20),
};

/// A solver is made again when it has been told so many times as many clauses as there are, and this many more.
const STALE: (usize, usize) = (3, 200);

/// The exchange with the store.
pub struct Exchange<'e> {
    houdini: Houdini<'e>,
    snapshot: Arc<Snapshot>,
    /// What the system has been told.
    known: FxHashSet<Candidate>,
    schedule: Schedule,
}

impl<'e> Exchange<'e> {
    /// With a solver of its own.
    pub fn new(blocks: &'e Arc<Blocks>, solver: Box<dyn Solver>, context: &Context<'_>) -> Self {
        Self {
            houdini: Houdini::new(blocks, solver, context.token),
            snapshot: Arc::default(),
            known: FxHashSet::default(),
            schedule: Schedule::new(INFINITE),
        }
    }
}

impl Ctigar<'_> {
    /// Takes what the store has: it holds in every frame.
    pub(super) fn take_invariants(&mut self, context: &Context<'_>) {
        if context.invariants.version() == self.exchange.snapshot.version() {
            return;
        }
        let snapshot = context.invariants.snapshot();
        let places: FxHashMap<_, PlaceId> = self
            .system
            .places()
            .map(|(id, place)| (place.at, id))
            .collect();
        for (_, one) in snapshot.invariants() {
            // Formulas that speak of any index would have to be told for each index that is read.
            if quantified(one.formula).is_none()
                && let Some(&at) = places.get(&one.at)
                && self.exchange.known.insert(one)
            {
                self.system.add_invariant(at, one.formula);
                self.statistics.invariants += 1;
            }
        }
        self.exchange.snapshot = snapshot;
    }

    fn candidate(&self, cube: &Cube) -> Candidate {
        Candidate {
            at: self.system.place(cube.at).at,
            formula: store().not(self.domain.cube(cube)),
        }
    }

    /// Looks for clauses of the last frame that are inductive by themselves: they belong to the infinite frame, and are
    /// published. The others are suggested.
    pub(super) fn publish(&mut self, context: &Context<'_>) {
        let cubes = self.frames.exactly(self.frontier.next());
        if cubes.is_empty() || !self.exchange.schedule.begin(self.frontier.0) {
            return;
        }
        let candidates: Vec<Candidate> = cubes.iter().map(|cube| self.candidate(cube)).collect();
        let mut proved: FxHashSet<Candidate> = FxHashSet::default();
        if let Some(batch) = self.prove(&candidates, context) {
            let invariants = batch.invariants().to_vec();
            if context.invariants.publish(batch).is_some() {
                proved.extend(invariants);
            }
        }
        for (cube, &candidate) in cubes.into_iter().zip(&candidates) {
            if proved.contains(&candidate) {
                self.statistics.infinite += 1;
                self.exchange.known.insert(candidate);
                self.exclude(cube, Level::INFINITE);
            }
        }
        if !proved.is_empty() {
            (context.report)(Progress::Invariants {
                round: "infinite frame",
                proved: proved.len(),
                total: context.invariants.snapshot().len(),
            });
        }
        let open = candidates.into_iter().filter(|one| !proved.contains(one));
        context.invariants.suggest(open);
        self.exchange.schedule.end(self.frontier.0);
    }

    fn prove(&mut self, candidates: &[Candidate], context: &Context<'_>) -> Option<Proved> {
        self.exchange.houdini.inductive_subset(
            candidates,
            &context.invariants.snapshot(),
            &Samples::default(),
            context.publisher,
            context.safe_point,
            &mut |_| {},
        )
    }

    /// The proof by a frame that equals the next one.
    pub(super) fn proved(&mut self, level: Level, context: &Context<'_>) -> Answer {
        let cubes = self.frames.of(level.next());
        let candidates: Vec<Candidate> = cubes.iter().map(|cube| self.candidate(cube)).collect();
        let snapshot = Arc::clone(&self.exchange.snapshot);
        context.report_relied(snapshot.publishers_but(context.publisher));
        // The prover's answer has only what is needed.
        let batch = self.prove(&candidates, context);
        let is_complete = |batch: &Proved| {
            candidates
                .iter()
                .all(|one| batch.invariants().contains(one))
        };
        if let Some(batch) = batch.filter(is_complete)
            && context.invariants.publish(batch).is_some()
            && let Some(certificate) = self.exchange.houdini.safety(&context.invariants.snapshot())
        {
            return Answer::Safe(certificate);
        }
        // The certificate that has the whole frame.
        let inlined = self.system.blocks().inlined();
        let all: Vec<BatchId> = snapshot.batches().map(|(id, _)| id).collect();
        Answer::Safe(snapshot.certificate(1, &all, &candidates, inlined))
    }

    /// Lets go of solvers most of whose clauses others have made superfluous.
    pub(super) fn renew_solvers(&mut self) {
        let places: Vec<PlaceId> = self.system.places().map(|(id, _)| id).collect();
        for id in places {
            let needed = self
                .frames
                .clauses()
                .filter(|(_, cube)| cube.at == id)
                .count();
            if self.system.clauses_told(id) > STALE.0 * needed + STALE.1 {
                self.system.forget_solver(id);
            }
        }
    }
}

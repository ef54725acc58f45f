//! Exchange of invariants with the other analyses, and certificates.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Ctigar;
use super::cube::{Cube, State};
use super::frames::Level;
use super::system::{PlaceId, System};
use crate::invariants::houdini::Houdini;
use crate::invariants::samples::Samples;
use crate::unrolling::schedule::{Schedule, Share};
use crate::{Answer, Context, Progress};
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;
use regatta_sharing::taken::Taken;
use regatta_sharing::{Bounded, Candidate, Predicate};
use regatta_solver::Solver;
use regatta_term::{Build, Symbol, TermId, conjuncts, free_variables, store};

/// Share of the time for the search for clauses of the infinite frame.
const INFINITE_FRAME_SHARE: Share = Share {
    of_time: 0.1,
    at_least: Duration::from_millis(20),
};

/// Maximum number of predicates of other engines that a refinement adds to the domain.
const PREDICATES_PER_REFINEMENT: usize = 2;

/// Limit (factor, constant) for obsolete clauses: a solver is recreated when it contains more clauses than factor times the
/// current number plus constant.
const OBSOLETE_CLAUSES: (usize, usize) = (3, 200);

/// The connection to the shared invariant store.
pub struct Exchange {
    houdini: Houdini,
    taken: Taken,
    places: FxHashMap<InlinedLocation, PlaceId>,
    /// The blocks whose cut points proofs are about: some of the places, or all.
    blocks: Arc<Blocks>,
    cut_points: FxHashSet<InlinedLocation>,
    /// The invariants that the engine's solvers already contain.
    known: FxHashSet<Candidate>,
    schedule: Schedule,
    /// Predicates of other engines that are not in the domain, by place; and for predicates of the domain that come from them,
    /// which.
    predicates: FxHashMap<PlaceId, Vec<TermId>>,
    shared: FxHashMap<TermId, Predicate>,
}

impl Exchange {
    /// Creates it with a solver of its own.
    pub fn new(
        blocks: &Arc<Blocks>,
        system: &System<'_>,
        solver: Box<dyn Solver>,
        context: &Context<'_>,
    ) -> Self {
        Self {
            houdini: Houdini::new(blocks, solver, context.token, context.workers),
            taken: Taken::new(blocks),
            cut_points: blocks.cut_points().into_iter().collect(),
            blocks: Arc::clone(blocks),
            places: system.places().map(|(id, place)| (place.at, id)).collect(),
            known: FxHashSet::default(),
            schedule: Schedule::new(INFINITE_FRAME_SHARE),
            predicates: FxHashMap::default(),
            shared: FxHashMap::default(),
        }
    }
}

impl Ctigar<'_> {
    /// Adds the new invariants of the store to all frames.
    pub(super) fn take_invariants(&mut self, context: &Context<'_>) {
        for ground in self.exchange.taken.refresh(context.exchange) {
            let Candidate { at, formula } = ground.fact;
            if let Some(&at) = self.exchange.places.get(&at)
                && self.exchange.known.insert(ground.fact)
            {
                self.queries.add_invariant(at, formula);
                self.statistics.invariants += 1;
            }
        }
    }

    /// Tells the others that no target is reached within as many steps as the last frame has, where a step is one between the
    /// cut points of all engines.
    pub(super) fn tell_bounded(&self, context: &Context<'_>) {
        let blocks = &self.exchange.blocks;
        if Arc::ptr_eq(blocks, self.system.blocks()) && self.steps_left_aside.is_empty() {
            let errors = blocks.inlined().program().errors.iter().copied();
            let result = Bounded::new(blocks, errors.collect(), self.frontier.0);
            context.exchange.tell_bounded(result);
        }
    }

    /// Takes predicates of other engines, and adds those to the domain that are about variables of the state to be told apart
    /// from others.
    pub(super) fn take_predicates(&mut self, state: &State, context: &Context<'_>) -> usize {
        for predicate in context.exchange.predicates() {
            if let Some(&at) = self.exchange.places.get(&predicate.at()) {
                let here = self.exchange.predicates.entry(at).or_default();
                here.push(predicate.formula());
            }
        }
        let Some(here) = self.exchange.predicates.get_mut(&state.at) else {
            return 0;
        };
        let symbols: FxHashSet<Symbol> = state.cells.iter().map(|(cell, _)| cell.symbol).collect();
        let is_about = |formula: &mut TermId| {
            let variables = free_variables(store(), *formula).into_iter();
            let mut variables = variables.map(|(symbol, _)| symbol);
            variables.all(|symbol| symbols.contains(&symbol))
        };
        let mut about: Vec<TermId> = here.extract_if(.., is_about).collect();
        let rest = about.split_off(about.len().min(PREDICATES_PER_REFINEMENT));
        here.extend(rest);
        let at = self.system.place(state.at).at;
        let mut new = 0;
        for formula in about {
            let added = self.domain.add(formula);
            for part in self.domain.last(added) {
                let predicate = Predicate::new(at, formula);
                self.exchange.shared.insert(part, predicate);
            }
            new += added;
        }
        new
    }

    /// Gives the predicates of a refinement to the others.
    pub(super) fn tell_predicates(&self, at: PlaceId, formula: TermId, context: &Context<'_>) {
        let at = self.system.place(at).at;
        if self.exchange.cut_points.contains(&at) {
            let parts = conjuncts(store(), formula).into_iter();
            let parts = parts.map(|part| Predicate::new(at, part));
            context.exchange.tell_predicates(parts);
        }
    }

    /// Tells which predicates of others are in a clause.
    pub(super) fn note_used(&self, cube: &Cube, context: &Context<'_>) {
        if self.exchange.shared.is_empty() {
            return;
        }
        let formulas = cube.literals().iter();
        let formulas = formulas.map(|&literal| self.domain.predicate(literal));
        let used = formulas.filter_map(|formula| self.exchange.shared.get(&formula).copied());
        context.exchange.use_predicates(used);
    }

    fn is_at_cut_point(&self, cube: &Cube) -> bool {
        let at = self.system.place(cube.at).at;
        self.exchange.cut_points.contains(&at)
    }

    fn candidate(&self, cube: &Cube) -> Candidate {
        Candidate {
            at: self.system.place(cube.at).at,
            formula: store().not(self.domain.cube(cube)),
        }
    }

    /// Searches the clauses of the last frame for those that are inductive without a frame; these move to the infinite frame
    /// and are published. The others are offered as candidates.
    pub(super) fn publish(&mut self, context: &Context<'_>) {
        if !self.options.infinite_frame {
            return;
        }
        let mut cubes = self.frames.exactly(self.frontier.next());
        cubes.retain(|cube| self.is_at_cut_point(cube));
        if cubes.is_empty() || !self.exchange.schedule.begin(self.frontier.0) {
            return;
        }
        let candidates: Vec<Candidate> = cubes.iter().map(|cube| self.candidate(cube)).collect();
        let proved: FxHashSet<Candidate> = self.prove(&candidates, context).into_iter().collect();
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
                total: context.exchange.len(),
            });
        }
        let open = candidates.into_iter().filter(|one| !proved.contains(one));
        context.exchange.offer(open);
        self.exchange.schedule.end(self.frontier.0);
    }

    fn prove(&mut self, candidates: &[Candidate], context: &Context<'_>) -> Vec<Candidate> {
        let houdini = &mut self.exchange.houdini;
        houdini.publish(candidates, &Samples::default(), context, &mut |_| {})
    }

    /// Returns the proof by a frame that equals its successor. Where steps are edges, its clauses at the cut points are
    /// inductive from one cut point to the next.
    pub(super) fn proved(&mut self, level: Level, context: &Context<'_>) -> Answer {
        let mut cubes = self.frames.of(level.next());
        cubes.retain(|cube| self.is_at_cut_point(cube));
        self.statistics.fixpoint_clauses = cubes.len() as u64;
        let literals = cubes.iter().map(|cube| cube.literals().len() as u64);
        self.statistics.fixpoint_literals = literals.sum();
        let candidates: Vec<Candidate> = cubes.iter().map(|cube| self.candidate(cube)).collect();
        // The prover's certificate contains only the clauses that are needed.
        self.prove(&candidates, context);
        let now = context.exchange.snapshot();
        let known = now.candidates();
        if candidates.iter().all(|one| known.contains(one))
            && let Some(certificate) = self.exchange.houdini.safety(&now)
        {
            return Answer::Safe(certificate);
        }
        // Otherwise the certificate contains the whole frame.
        let inlined = self.exchange.blocks.inlined();
        let taken = &self.exchange.taken;
        let snapshot = taken.snapshot();
        Answer::Safe(snapshot.certificate(1, &taken.batches(), &candidates, inlined))
    }

    /// Drops the solvers most of whose clauses are subsumed by later ones.
    pub(super) fn renew_solvers(&mut self) {
        let places: Vec<PlaceId> = self.system.places().map(|(id, _)| id).collect();
        for id in places {
            let needed = self
                .frames
                .clauses()
                .filter(|(_, cube)| cube.at == id)
                .count();
            if self.queries.asserted_clauses(id) > OBSOLETE_CLAUSES.0 * needed + OBSOLETE_CLAUSES.1
            {
                self.queries.forget_solver(id);
            }
        }
    }
}

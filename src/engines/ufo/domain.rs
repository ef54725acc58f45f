//! The abstract domain of labels (\[AGC12\]): formulas over the state, an abstract post with predicates, and
//! entailment.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::arg::{Arg, Dag};
use super::places::{PlaceId, Places};
use crate::cegar::atoms::atoms;
use regatta_base::choice;
use regatta_base::counters::{self, Counter};
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_solver::{Answer, CheckLimit, Solver, retain_holding};
use regatta_term::{Build, TermId, conjuncts, free_variables, store};

/// Maximum resources of a query in the solver's own unit. A query that exceeds it is undecided, which excludes nothing.
const QUERY_RESOURCES: u32 = 20_000_000;

/// Maximum number of predicates of a place.
const MAXIMUM_PREDICATES: usize = 60;

/// Maximum number of cubes of a Boolean predicate abstraction; beyond it, the abstraction is Cartesian.
const MAXIMUM_CUBES: usize = 256;

/// The abstract post, by which a label is computed that no interpolant gives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Post {
    /// Every state may follow.
    None,
    /// Cartesian predicate abstraction.
    Cartesian,
    /// Boolean predicate abstraction.
    Boolean,
}
choice!(Post: "none" = Self::None, "cartesian" = Self::Cartesian, "boolean" = Self::Boolean);

/// The domain, with the predicates and invariants of each place.
pub struct Domain<'b> {
    blocks: &'b Blocks,
    places: Rc<Places>,
    post: Post,
    solver: Box<dyn Solver>,
    /// For each place, what other analyses have proved there.
    invariants: Vec<TermId>,
    /// For each place, its predicates.
    predicates: Vec<Vec<TermId>>,
    /// Images under the abstract post, by block and label, with the number of predicates by which they were computed.
    images: FxHashMap<(PlaceId, usize, TermId), (usize, TermId)>,
    entailed: FxHashMap<(PlaceId, TermId, TermId), bool>,
}

impl<'b> Domain<'b> {
    /// Creates the domain without predicates.
    pub fn new(
        blocks: &'b Blocks,
        places: Rc<Places>,
        post: Post,
        mut solver: Box<dyn Solver>,
    ) -> Self {
        solver.set_limit(CheckLimit {
            time: None,
            resource: Some(QUERY_RESOURCES),
        });
        Self {
            blocks,
            post,
            solver,
            invariants: places.all().map(|_| TermId::TRUE).collect(),
            predicates: places.all().map(|_| Vec::new()).collect(),
            images: FxHashMap::default(),
            entailed: FxHashMap::default(),
            places,
        }
    }

    /// Adds an invariant that another analysis has proved, if it is over the state of its place.
    pub fn assume(&mut self, invariant: Candidate) {
        let Candidate { at, formula } = invariant;
        let mut places = self.places.all();
        let Some(place) = places.find(|&one| self.places.location(one) == Some(at)) else {
            return;
        };
        let state = self.places.state(place);
        let mut variables = free_variables(store(), formula).into_iter();
        let is_state = |(symbol, _)| {
            let variable = self.blocks.variable(symbol);
            variable.is_some_and(|variable| state.contains(&variable))
        };
        if variables.all(is_state) {
            let known = &mut self.invariants[place.index()];
            *known = store().and2(*known, formula);
            self.images.clear();
            self.entailed.retain(|_, entailed| *entailed);
        }
    }

    /// What other analyses have proved at the place.
    pub fn invariant(&self, place: PlaceId) -> TermId {
        self.invariants[place.index()]
    }

    /// Makes the atoms of an interpolant predicates of its place.
    pub fn track(&mut self, place: PlaceId, interpolant: TermId) {
        if self.post == Post::None {
            return;
        }
        let known = &mut self.predicates[place.index()];
        for atom in atoms(interpolant) {
            if known.len() < MAXIMUM_PREDICATES && !known.contains(&atom) {
                known.push(atom);
            }
        }
        let all = self.predicates.iter().map(Vec::len).sum::<usize>();
        counters::set(Counter::Predicates, all as u64);
    }

    /// Returns the abstract post of the label under the block.
    pub fn post(&mut self, place: PlaceId, block: usize, label: TermId) -> TermId {
        if self.post == Post::None {
            return TermId::TRUE;
        }
        let target = self.places.target(place, block);
        let predicates = &self.predicates[target.index()];
        let key = (place, block, label);
        if let Some(&(count, image)) = self.images.get(&key)
            && count == predicates.len()
        {
            return image;
        }
        let predicates = predicates.clone();
        let image = || self.image(place, block, label, &predicates);
        let image = counters::time(Counter::Abstraction, image);
        self.images.insert(key, (predicates.len(), image));
        image
    }

    fn image(
        &mut self,
        place: PlaceId,
        block: usize,
        label: TermId,
        predicates: &[TermId],
    ) -> TermId {
        let places = Rc::clone(&self.places);
        let block = &places.leaving(place)[block];
        let before = [label, self.invariants[place.index()], block.guard];
        self.solver.push();
        for formula in before {
            self.solver.assert(formula);
        }
        let image = match self.solver.check(&[]) {
            Answer::Unsatisfiable => TermId::FALSE,
            _ if predicates.is_empty() => TermId::TRUE,
            _ => {
                let preimage = |&predicate: &TermId| {
                    let before = block.preimage(store(), self.blocks, predicate);
                    (predicate, before)
                };
                let predicates: Vec<(TermId, TermId)> = predicates.iter().map(preimage).collect();
                let boolean = match self.post {
                    Post::Boolean => self.boolean(&predicates),
                    Post::None | Post::Cartesian => None,
                };
                boolean.unwrap_or_else(|| self.cartesian(&predicates))
            }
        };
        self.solver.pop();
        image
    }

    /// Returns the conjunction of the predicates and negated predicates that each hold after the block that is asserted;
    /// predicates come with their preimages.
    fn cartesian(&mut self, predicates: &[(TermId, TermId)]) -> TermId {
        let literals = predicates.iter().flat_map(|&(predicate, before)| {
            let not = |term| store().not(term);
            [(predicate, before), (not(predicate), not(before))]
        });
        let mut open: Vec<(TermId, TermId)> = literals.collect();
        while !open.is_empty() {
            let broken = open.iter().map(|&(_, before)| store().not(before));
            let any = store().or(broken.collect::<Vec<_>>());
            match self.solver.check(&[any]) {
                Answer::Unsatisfiable => break,
                Answer::Satisfiable => {
                    let count = open.len();
                    retain_holding(&mut *self.solver, &mut open, |&(_, before)| before);
                    if open.len() == count {
                        open.clear();
                    }
                }
                Answer::Unknown(_) => open.clear(),
            }
        }
        store().and(open.into_iter().map(|(literal, _)| literal))
    }

    /// Returns the strongest Boolean combination of the predicates that holds after the block that is asserted; `None` if that
    /// is not decided, or too large.
    fn boolean(&mut self, predicates: &[(TermId, TermId)]) -> Option<TermId> {
        let before: Vec<TermId> = predicates.iter().map(|&(_, before)| before).collect();
        let mut cubes = Vec::new();
        self.solver.push();
        let image = loop {
            match self.solver.check(&[]) {
                Answer::Unsatisfiable => break Some(store().or(cubes)),
                Answer::Unknown(_) => break None,
                Answer::Satisfiable if cubes.len() == MAXIMUM_CUBES => break None,
                Answer::Satisfiable => {}
            }
            let values = self.solver.holding(&before);
            let signed = |term, value: bool| if value { term } else { store().not(term) };
            let all = predicates.iter().zip(values);
            let (cube, others): (Vec<_>, Vec<_>) = all
                .map(|(&(predicate, before), value)| {
                    (signed(predicate, value), signed(before, !value))
                })
                .unzip();
            cubes.push(store().and(cube));
            self.solver.assert(store().or(others));
        };
        self.solver.pop();
        image
    }

    /// Checks whether one formula implies the other at the place; `false` if that is not decided.
    pub fn entails(&mut self, place: PlaceId, one: TermId, other: TermId) -> bool {
        if one == other || one == TermId::FALSE || other == TermId::TRUE {
            return true;
        }
        if let Some(&known) = self.entailed.get(&(place, one, other)) {
            return known;
        }
        let assumptions = [one, self.invariants[place.index()], store().not(other)];
        let entails = self.solver.check(&assumptions) == Answer::Unsatisfiable;
        self.entailed.insert((place, one, other), entails);
        entails
    }

    /// Leaves out the conjuncts of interpolants that the edges do not need, from the last node on; `None` if the formulas are no
    /// interpolants, or if that is not decided.
    pub fn reduced(&mut self, arg: &Arg, dag: &Dag, formulas: &[TermId]) -> Option<Vec<TermId>> {
        let places = Rc::clone(&self.places);
        let last = dag.nodes.len() - 1;
        let mut reduced = formulas.to_vec();
        reduced[last] = TermId::FALSE;
        for index in (0..last).rev() {
            let node = dag.nodes[index];
            let place = arg.place(node);
            let broken = dag.leaving[index].iter().map(|&(edge, to)| {
                let block = &places.leaving(place)[arg.edge(edge).block];
                let after = block.preimage(store(), self.blocks, reduced[to]);
                store().and2(block.guard, store().not(after))
            });
            let broken = store().or(broken.collect::<Vec<_>>());
            let known = [arg.label(node), self.invariants[place.index()], broken];
            let parts = match index {
                0 => Vec::new(),
                _ => conjuncts(store(), formulas[index]),
            };
            self.solver.push();
            for formula in known {
                self.solver.assert(formula);
            }
            let answer = self.solver.check(&parts);
            let core = match answer {
                Answer::Unsatisfiable => self.solver.unsat_core(),
                _ => Vec::new(),
            };
            self.solver.pop();
            if answer != Answer::Unsatisfiable {
                return None;
            }
            let needed = parts.into_iter().filter(|part| core.contains(part));
            reduced[index] = store().and(needed.collect::<Vec<_>>());
        }
        Some(reduced)
    }

    /// Checks whether one formula before the block implies the other behind it.
    #[cfg(test)]
    pub fn follows(&mut self, place: PlaceId, block: usize, before: TermId, after: TermId) -> bool {
        let places = Rc::clone(&self.places);
        let block = &places.leaving(place)[block];
        let after = block.preimage(store(), self.blocks, after);
        let known = [
            before,
            self.invariants[place.index()],
            block.guard,
            store().not(after),
        ];
        self.solver.check(&known) == Answer::Unsatisfiable
    }
}

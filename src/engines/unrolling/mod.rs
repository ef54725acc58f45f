//! Unrolling of programs, shared by bounded model checking and k-induction.
//!
//! An [`Unrolling`] is the Predicate CPA with blk^never under a loop bound (\[BDW18\], sections 4.1 and 4.2), run by
//! CPA++, together with a solver to which each definition is asserted once. Raising the bound continues from the last
//! one, so that nothing is built twice and the solver keeps what it has learned.
//!
//! * [`base_case`]: base case and forward condition of Algorithm 3; [`step_case`]: its step case, with invariants;
//!   [`schedule`]: how often optional queries are made.
//! * [`beginnings`]: the states in which paths to targets begin.
//! * [`division`]: targets one by one, where each is decided by itself.
//! * [`left_aside`]: how engines continue after alarms that were not confirmed.
//! * [`indices`]: the indices at which paths read and write arrays.
//! * [`last_steps`]: targets that the last steps of a path alone exclude.
//! * [`precondition`]: the weakest precondition over the states in which the unrolling begins.

pub mod base_case;
pub mod beginnings;
pub mod division;
mod indices;
pub mod last_steps;
pub mod left_aside;
mod precondition;
pub mod schedule;
pub mod step_case;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::indices::Indices;
use super::CancellationToken;
use regatta_certify::certificate::{instances_at, quantified};
use regatta_cpa::location::Place;
use regatta_cpa::predicate::{Crossing, PredicateCpa};
use regatta_cpa::{Composite, ElementId, Reached, cpa_plus_plus};
use regatta_program::block::Blocks;
use regatta_program::interpreter::Journal;
use regatta_program::{CutPointKind, InlinedLocation, LocationId};
use regatta_sharing::{ByPlace, Candidate};
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{Arena, Build, Pool, Sort, TermId, Value};

/// Maximum number of instances of invariants about array cells that one refinement asserts.
const MAXIMUM_CELL_INSTANCES: usize = 40;

/// Where an unrolling begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the program's entry.
    Entry,
    /// At any cut point, in any state, for the step case of k-induction.
    AnyCutPoint,
}

/// An abstract state at a location that a proof has to show unreachable.
#[derive(Copy, Clone, Debug)]
pub struct Target {
    /// The state's number in the unrolling.
    pub element: ElementId,
    /// The state's location.
    pub place: Place,
    /// Steps since the beginning.
    pub steps: u32,
    /// Whether it is reached: a Boolean term.
    pub guard: TermId,
}

impl Target {
    /// Whether it still counts: it is at one of the open error locations, or after an edge that is not modelled.
    pub fn is_among(&self, open: &BTreeSet<LocationId>) -> bool {
        self.error().is_none_or(|error| open.contains(&error))
    }

    /// Returns its error location; `None` after an edge that is not modelled.
    pub fn error(&self) -> Option<LocationId> {
        match self.place {
            Place::At(at) => Some(at.location),
            Place::Unsupported { .. } => None,
        }
    }
}

/// An invariant at a state on the path of a model.
struct Passed {
    invariant: Candidate,
    /// Whether the state is reached.
    guard: TermId,
    /// The invariant over the values at that state.
    here: TermId,
}

/// An unrolled program with its solver.
pub struct Unrolling {
    cpa: Composite<PredicateCpa>,
    reached: Reached<Composite<PredicateCpa>>,
    solver: Box<dyn Solver>,
    /// The number of states that have been searched for targets.
    scanned: usize,
    /// The locations in which it begins, each with the condition under which it does.
    starts: Vec<(InlinedLocation, TermId)>,
    indices: Indices,
    /// The bounds so far, each with the number of definitions up to it.
    names: Vec<(u32, usize)>,
}

impl Unrolling {
    /// Creates an unrolling to bound zero. The solver's arena becomes that of the formulas.
    pub fn new(blocks: &Arc<Blocks>, start: Start, solver: Box<dyn Solver>) -> Self {
        let arena = Rc::clone(solver.arena());
        let predicate = PredicateCpa::new(Arc::clone(blocks), arena);
        let mut cpa = Composite::new(Arc::clone(blocks), predicate);
        let mut reached = Reached::new();
        let places = match start {
            Start::Entry => vec![blocks.inlined().entry()],
            Start::AnyCutPoint => inner_cut_points(blocks),
        };
        let selectors = selectors(cpa.domain.arena(), places.len());
        let starts: Vec<(InlinedLocation, TermId)> = places.into_iter().zip(selectors).collect();
        for &(location, guard) in &starts {
            let place = Place::At(location);
            let state = cpa.domain.initial(place, guard);
            let state = cpa.initial(place, state);
            reached.add(&cpa, state, ());
        }
        Self {
            cpa,
            reached,
            solver,
            scanned: 0,
            starts,
            indices: Indices::default(),
            names: Vec::new(),
        }
    }

    /// The bound up to which the program is unrolled.
    pub fn bound(&self) -> u32 {
        self.cpa.loop_bound.bound()
    }

    /// The blocks of the program.
    pub fn blocks(&self) -> &Arc<Blocks> {
        self.cpa.location.blocks()
    }

    /// The arena of the formulas.
    pub fn arena(&self) -> &Rc<Arena> {
        self.solver.arena()
    }

    pub fn solver(&mut self) -> &mut dyn Solver {
        &mut *self.solver
    }

    /// The number of abstract states so far.
    pub fn states(&self) -> usize {
        self.reached.next_number()
    }

    /// Unrolls up to the bound; `false` if the token was cancelled.
    pub fn extend(&mut self, bound: u32, token: &CancellationToken) -> bool {
        self.cpa.loop_bound.raise(bound);
        cpa_plus_plus(&mut self.cpa, &mut self.reached, |_| token.is_cancelled());
        self.names
            .push((bound, self.cpa.domain.definitions.count()));
        !token.is_cancelled()
    }

    /// Returns the targets that have been added since the last call.
    pub fn new_targets(&mut self) -> Vec<Target> {
        let mut targets = Vec::new();
        for (element, reached) in self.reached.since(self.scanned) {
            if self.cpa.is_target(&reached.state) {
                targets.push(Target {
                    element,
                    place: reached.state.place,
                    steps: reached.state.steps,
                    guard: reached.state.domain.formula.guard,
                });
            }
        }
        self.scanned = self.reached.next_number();
        #[cfg(test)]
        if fault::is_planted(fault::Fault::TargetsMissed) {
            targets.clear();
        }
        targets
    }

    /// Returns the states at the bound that have successors, with their guards.
    pub fn frontier(&self) -> Vec<(ElementId, TermId)> {
        #[cfg(test)]
        if fault::is_planted(fault::Fault::FrontierLost) {
            return Vec::new();
        }
        let waiting = self.reached.waitlist().into_iter();
        waiting
            .filter_map(|id| {
                let state = &self.reached.get(id)?.state;
                (!self.cpa.is_target(state)).then_some((id, state.domain.formula.guard))
            })
            .collect()
    }

    /// Returns, for each state at the cut point, its steps, and the condition that it is reached and satisfies the
    /// formula (over state variables at instance 0).
    pub fn where_holds(&self, at: InlinedLocation, formula: TermId) -> Vec<(u32, TermId)> {
        let all = self.reached.since(0).map(|(_, element)| &element.state);
        all.filter(|state| state.place == Place::At(at))
            .map(|state| {
                let path = &state.domain.formula;
                let here = self.cpa.domain.at_end(path, formula);
                (state.steps, self.solver.arena().and2(path.guard, here))
            })
            .collect()
    }

    /// Returns the location in which the model of the last check begins, and the states there from which its inputs
    /// make the formula true: a term of the shared store over state variables at instance 0.
    pub fn precondition(&mut self, formula: TermId) -> Option<(InlinedLocation, TermId)> {
        let starts = self.starts.clone();
        let (at, _) = starts.into_iter().find(|&(_, guard)| self.holds(guard))?;
        Some((at, precondition::precondition(self, formula)))
    }

    /// Removes a state at the bound that was shown to be unreachable.
    pub fn drop_state(&mut self, element: ElementId) {
        self.reached.remove(&self.cpa, element);
    }

    /// Checks whether the formula can hold on some path.
    pub fn check(&mut self, formula: TermId, limit: CheckLimit) -> Answer {
        match formula {
            TermId::FALSE => return Answer::Unsatisfiable,
            formula => self.define(formula),
        }
        self.solver.set_limit(limit);
        self.solver.check(&[formula])
    }

    /// Checks whether the formula can hold under the assumptions, with only those definitions on which they depend. `read` gets
    /// the answer as long as the solver has its model or its core, and the solver forgets the formula then: for an unrolling
    /// in which nothing is asserted, so that each question is as large as what it is about.
    pub fn check_alone<R>(
        &mut self,
        formula: TermId,
        assumptions: &[TermId],
        limit: CheckLimit,
        read: impl FnOnce(&mut Self, Answer) -> R,
    ) -> R {
        let all = [&[formula], assumptions].concat();
        let all = self.solver.arena().and(all);
        self.solver.push();
        for equation in self.cpa.domain.definitions.since(0, all) {
            self.solver.assert(equation);
        }
        self.solver.assert(formula);
        self.solver.set_limit(limit);
        let answer = self.solver.check(assumptions);
        let result = read(self, answer);
        self.solver.pop();
        result
    }

    /// Returns the formula with the definitions of the last `steps` steps only, which over-approximates the paths.
    pub fn about_last_steps(&self, formula: TermId, steps: u32) -> Vec<TermId> {
        let before = self.bound().saturating_sub(steps);
        let mut earlier = self
            .names
            .iter()
            .rev()
            .filter(|&&(bound, _)| bound <= before);
        let count = earlier.next().map_or(0, |&(_, count)| count);
        let mut all = self.cpa.domain.definitions.since(count, formula);
        all.push(formula);
        all
    }

    /// Asserts for good that the formula holds on all paths that are considered from here on.
    pub fn assert(&mut self, formula: TermId) {
        self.define(formula);
        self.solver.assert(formula);
    }

    fn define(&mut self, formula: TermId) {
        for equation in self.cpa.domain.definitions.require(formula) {
            self.solver.assert(equation);
        }
    }

    /// Asserts those invariants that the model of the last check violates at a state on its path, and returns them. All
    /// paths considered from here on satisfy them.
    pub fn assume_broken(&mut self, invariants: &ByPlace) -> Vec<Candidate> {
        let mut broken = Vec::new();
        let mut facts = Vec::new();
        let all = self.passed(invariants);
        let asked: Vec<TermId> = all.iter().map(|passed| passed.here).collect();
        for (passed, holds) in all.into_iter().zip(self.solver.holding(&asked)) {
            if !holds {
                facts.push((passed.guard, passed.here));
                broken.push(passed.invariant);
            }
        }
        self.assume(facts);
        broken
    }

    /// Like [`Self::assume_broken`], for invariants about all indices, instantiated at the indices at which paths read
    /// and write arrays; of indices with the same value in the model, one is enough.
    pub fn assume_broken_cells(&mut self, invariants: &ByPlace) -> Vec<Candidate> {
        if invariants.is_empty() {
            return Vec::new();
        }
        let arena = Rc::clone(self.solver.arena());
        self.indices.refresh(&self.cpa.domain.definitions, &arena);
        let mut values: FxHashMap<Sort, FxHashMap<Value, TermId>> = FxHashMap::default();
        let indices = self.indices.all();
        for (&index, value) in indices.iter().zip(self.solver.values(indices)) {
            if let Some(value) = value {
                let of_the_sort = values.entry(arena.sort(index)).or_default();
                of_the_sort.entry(value).or_insert(index);
            }
        }
        let mut broken = Vec::new();
        let mut facts = Vec::new();
        for passed in self.passed(invariants) {
            let Some(symbol) = quantified(passed.invariant.formula) else {
                continue;
            };
            let indices = values.get(&symbol.sort()).into_iter().flatten();
            let indices: Vec<TermId> = indices.map(|one| *one.1).collect();
            for instance in instances_at(&*arena, passed.here, symbol, &indices) {
                if facts.len() < MAXIMUM_CELL_INSTANCES && !self.holds(instance) {
                    facts.push((passed.guard, instance));
                    broken.push(passed.invariant);
                }
            }
        }
        self.assume(facts);
        broken
    }

    /// Returns the invariants at the states on the path of the last check's model.
    fn passed(&mut self, invariants: &ByPlace) -> Vec<Passed> {
        let mut states = Vec::new();
        let mut guards = Vec::new();
        for (_, element) in self.reached.since(0) {
            if let Place::At(at) = element.state.place
                && let Some(known) = invariants.get(&at)
            {
                let path = &element.state.domain.formula;
                states.push((at, path, known));
                guards.push(path.guard);
            }
        }
        let passes = self.solver.holding(&guards);
        let mut all = Vec::new();
        for ((at, path, known), _) in states.into_iter().zip(passes).filter(|(_, passes)| *passes) {
            all.extend(known.iter().map(|&formula| Passed {
                invariant: Candidate { at, formula },
                guard: path.guard,
                here: self.cpa.domain.at_end(path, formula),
            }));
        }
        all
    }

    /// Asserts facts for good, each under the guard of the state that it is about.
    fn assume(&mut self, facts: Vec<(TermId, TermId)>) {
        for (guard, fact) in facts {
            let implication = self.solver.arena().implies(guard, fact);
            self.assert(implication);
        }
    }

    /// Checks whether the formula holds in the model of the last check.
    pub fn holds(&mut self, formula: TermId) -> bool {
        match formula {
            TermId::TRUE => true,
            TermId::FALSE => false,
            formula => self.solver.value(formula) == Some(Value::Bool(true)),
        }
    }

    /// Returns the edges by which the model of the last check reaches the state.
    pub fn path(&mut self, to: ElementId) -> Option<Vec<Crossing>> {
        let mut node = self.reached.get(to)?.state.node;
        let mut path = Vec::new();
        loop {
            let parents = self.cpa.arg.parents(node).to_vec();
            if parents.is_empty() {
                path.reverse();
                return Some(path);
            }
            let mut taken = parents.into_iter();
            let (parent, crossing) = taken.find(|(_, crossing)| self.holds(crossing.condition))?;
            path.push(crossing);
            node = parent;
        }
    }

    /// Returns the inputs that the program reads on the path, in order, in the model of the last check.
    pub fn inputs(&mut self, path: &[Crossing]) -> Journal {
        let mut entries = Vec::new();
        for crossing in path {
            for input in self.cpa.domain.inputs(crossing) {
                if self.holds(input.condition) {
                    let sort = self.arena().sort(input.value);
                    let value = self.solver.value(input.value);
                    let value = value.unwrap_or_else(|| Value::zero(sort));
                    entries.push((input.input, value));
                }
            }
        }
        Journal { entries }
    }

    /// Returns the conditions under which the model's path reads values that a real execution determines.
    pub fn unknown_values(&mut self, path: &[Crossing]) -> Vec<TermId> {
        let inputs = path
            .iter()
            .flat_map(|crossing| self.cpa.domain.inputs(crossing))
            .filter(|input| self.cpa.domain.is_unknown(input));
        let mut conditions: Vec<TermId> = inputs.map(|input| input.condition).collect();
        conditions.retain(|&condition| self.holds(condition));
        conditions
    }
}

/// Returns the cut points at which an arbitrary state of a run may be: all but the entry and the targets.
pub fn inner_cut_points(blocks: &Blocks) -> Vec<InlinedLocation> {
    let kind = |at: &InlinedLocation| blocks.inlined().cut_points().kind(at.location);
    let mut points = blocks.cut_points();
    points.retain(|at| kind(at).is_none_or(CutPointKind::is_inner));
    points
}

/// Returns conditions of which exactly one holds.
fn selectors(arena: &Arena, count: usize) -> Vec<TermId> {
    if count <= 1 {
        return vec![TermId::TRUE; count];
    }
    let width = (usize::BITS - (count - 1).leading_zeros()) as u8;
    let symbol = regatta_term::Symbol::new("start#", Sort::BitVec(width));
    let start = arena.variable(symbol);
    (0..count)
        .map(|number| arena.eq(start, arena.bv(width, number as u128)))
        .collect()
}

/// Faults that tests plant, to check that no proof that results from them is confirmed.
#[cfg(test)]
pub(crate) mod fault {
    use std::cell::Cell;

    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum Fault {
        /// The base case finds no targets.
        TargetsMissed,
        /// The forward condition finds no states at the bound.
        FrontierLost,
        /// The step case always holds.
        StepCaseHolds,
    }

    thread_local! {
        pub static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    pub fn is_planted(fault: Fault) -> bool {
        PLANTED.get() == Some(fault)
    }
}

//! Selection of predicates that exclude an abstract counterexample from candidates that the program suggests.
//!
//! The blocks of the path are asserted with separate states; at each joint between two blocks, the states are related only
//! by the truth of predicates. This path is feasible if and only if Boolean abstraction with these predicates admits it
//! (the encoding of predicate abstraction within the transition relation: \[Ton09\], \[CGMT14\]).
//! While it is feasible, a model gives two states that the predicates do not distinguish, and
//! predicates that do are added; finally an unsatisfiable core gives the predicates that are needed. Interpolants, which
//! are expensive for large blocks and often specific to one path, are thus only needed where the program's own conditions
//! do not suffice.

use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::MAXIMUM_ARENA_TERMS;
use super::atoms::{collect_atoms, conditions};
use super::counterexample::{AbstractPath, Instances};
use crate::SolverFactory;
use regatta_cpa::location::Place;
use regatta_cpa::predicate::PredicateCpa;
use regatta_cpa::predicate::abstraction::Abstraction;
use regatta_cpa::predicate::path_formula::PathFormula;
use regatta_program::block::Blocks;
use regatta_program::{InlinedLocation, VariableId};
use regatta_solver::{Answer, CheckLimit, Solver, SolverError};
use regatta_term::{
    Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind, Value, evaluate, for_each_subterm,
    instantiate, size, store, transfer,
};

/// Maximum wall time of a query.
const QUERY_TIME: Duration = Duration::from_secs(3);
/// Maximum wall time of the minimisation of a core.
const CORE_MINIMISATION_TIME: Duration = Duration::from_millis(1_000);

/// Maximum wall time of the search for predicates.
const SEARCH_TIME: Duration = Duration::from_secs(8);

/// Maximum number of predicates that are added at a joint in one round.
const PREDICATES_PER_JOINT_AND_ROUND: usize = 2;

/// Maximum number of equations between a variable and a value that are added at a joint in one round.
const VALUES_PER_JOINT_AND_ROUND: usize = 8;

/// Maximum number of candidate predicates at a location.
const MAXIMUM_CANDIDATES_PER_LOCATION: usize = 300;

/// The candidate predicates, and the solver that selects among them.
pub struct Selection<'f> {
    solvers: &'f SolverFactory<'f>,
    solver: Box<dyn Solver>,
    /// The candidates at each location: the conditions of the blocks that begin there, and suggestions.
    known: FxHashMap<InlinedLocation, Vec<TermId>>,
    /// The blocks whose conditions are already candidates.
    visited_blocks: FxHashSet<*const PathFormula>,
    /// The number of selectors that have been used.
    selectors: u32,
    /// What has been chosen so far, until the caller drains it.
    pub chosen: Vec<Located>,
}

/// The language of the predicates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// Conditions of the program, atoms of their weakest preconditions, and atoms of interpolants.
    Conditions,
    /// Additionally equations between a variable and a value.
    Values,
}

/// A predicate at a location.
pub type Located = (InlinedLocation, TermId);

/// Evaluates the predicate in the state, if the state determines it.
fn holds(predicate: TermId, state: &FxHashMap<Symbol, Value>) -> Option<bool> {
    let assignment = |symbol, _| state.get(&symbol).cloned();
    let value = evaluate(store(), predicate, &assignment).ok()?;
    Some(value == Value::Bool(true))
}

/// A location where a block ends and the next begins, with the state on both sides.
struct Joint {
    at: InlinedLocation,
    before: FxHashMap<VariableId, TermId>,
    after: FxHashMap<VariableId, TermId>,
}

fn new_solver(solvers: &SolverFactory<'_>) -> Result<Box<dyn Solver>, SolverError> {
    let mut solver = solvers()?;
    solver.set_limit(CheckLimit {
        time: Some(QUERY_TIME),
        resource: None,
    });
    Ok(solver)
}

impl<'f> Selection<'f> {
    /// Creates a selection with a solver of its own.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(solvers: &'f SolverFactory<'f>) -> Result<Self, SolverError> {
        Ok(Self {
            solver: new_solver(solvers)?,
            solvers,
            known: FxHashMap::default(),
            visited_blocks: FxHashSet::default(),
            selectors: 0,
            chosen: Vec::new(),
        })
    }

    /// Adds a candidate predicate.
    pub fn suggest(&mut self, at: InlinedLocation, predicate: TermId) {
        let known = self.known.entry(at).or_default();
        if known.len() < MAXIMUM_CANDIDATES_PER_LOCATION && !known.contains(&predicate) {
            known.push(predicate);
        }
    }

    fn candidates_at(&self, at: InlinedLocation) -> Vec<TermId> {
        self.known.get(&at).cloned().unwrap_or_default()
    }

    /// Returns a few candidates that exclude the path together with the predicates in use; `None` if all candidates together
    /// do not exclude it.
    pub fn select<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        language: Language,
        used: &dyn Fn(InlinedLocation) -> Vec<TermId>,
        invariants: &dyn Fn(InlinedLocation) -> Vec<TermId>,
    ) -> Option<Vec<Located>> {
        if self.solver.arena().len() > MAXIMUM_ARENA_TERMS {
            self.solver = new_solver(self.solvers).ok()?;
        }
        let arena = Rc::clone(self.solver.arena());
        self.solver.push();
        let joints = self.assert_blocks(cpa, path, &arena, invariants);
        let mut seen = FxHashSet::default();
        for joint in &joints {
            for predicate in used(joint.at) {
                seen.insert((joint.at, predicate));
                let link = joint.link(cpa.blocks(), &arena, predicate);
                self.solver.assert(link);
            }
        }
        let chosen = self.search(cpa.blocks(), &joints, language, seen);
        self.solver.pop();
        self.chosen.extend(chosen.iter().flatten());
        chosen
    }

    /// Adds predicates until the path is excluded, each of which distinguishes the two states of a joint in a model.
    fn search(
        &mut self,
        blocks: &Blocks,
        joints: &[Joint],
        language: Language,
        mut seen: FxHashSet<Located>,
    ) -> Option<Vec<Located>> {
        let arena = &*Rc::clone(self.solver.arena());
        let mut chosen: Vec<(TermId, Located)> = Vec::new();
        let mut preconditions = false;
        let begin = Instant::now();
        loop {
            let selectors: Vec<TermId> = chosen.iter().map(|&(one, _)| one).collect();
            match self.solver.check(&selectors) {
                Answer::Unsatisfiable => break,
                Answer::Unknown(_) => return None,
                Answer::Satisfiable if begin.elapsed() > SEARCH_TIME => return None,
                Answer::Satisfiable => {}
            }
            let mut found = self.distinguishing(blocks, joints, &seen);
            if found.is_empty() && !preconditions {
                // Continue with the weakest preconditions of the conditions.
                preconditions = true;
                self.suggest_preconditions(blocks, arena, joints);
                found = self.distinguishing(blocks, joints, &seen);
            }
            if found.is_empty() && language == Language::Values {
                found = self.values_before(blocks, joints, &seen);
            }
            if found.is_empty() {
                return None;
            }
            for (at, predicate) in found {
                seen.insert((at, predicate));
                let selector = self.selector(arena);
                for joint in joints.iter().filter(|joint| joint.at == at) {
                    let link = joint.link(blocks, arena, predicate);
                    self.solver.assert(arena.implies(selector, link));
                }
                chosen.push((selector, (at, predicate)));
            }
        }
        let core = self.solver.unsat_core();
        chosen.retain(|(selector, _)| core.contains(selector));
        // Minimisation tries to remove the worst predicates first.
        chosen.sort_by_key(|&(_, (_, predicate))| cost(predicate));
        let core = self.minimised(chosen.iter().map(|&(selector, _)| selector));
        chosen.retain(|(selector, _)| core.contains(selector));
        Some(chosen.into_iter().map(|(_, located)| located).collect())
    }

    /// For each joint, returns the best predicates that differ on its two sides in the model of the last check.
    fn distinguishing(
        &mut self,
        blocks: &Blocks,
        joints: &[Joint],
        seen: &FxHashSet<Located>,
    ) -> Vec<Located> {
        let mut found: Vec<Located> = Vec::new();
        for joint in joints {
            let mut known = self.candidates_at(joint.at);
            known.retain(|&predicate| {
                let located = (joint.at, predicate);
                !seen.contains(&located) && !found.contains(&located)
            });
            let before = self.values(blocks, &joint.before, &known);
            let after = self.values(blocks, &joint.after, &known);
            known.retain(|&predicate| {
                let (one, other) = (holds(predicate, &before), holds(predicate, &after));
                one.is_none() || other.is_none() || one != other
            });
            known.sort_by_key(|&predicate| cost(predicate));
            let best = known.into_iter().take(PREDICATES_PER_JOINT_AND_ROUND);
            found.extend(best.map(|predicate| (joint.at, predicate)));
        }
        found
    }

    /// Returns equations between variables and their values before a joint in the model, where these change at the joint.
    fn values_before(
        &mut self,
        blocks: &Blocks,
        joints: &[Joint],
        seen: &FxHashSet<Located>,
    ) -> Vec<Located> {
        let program = blocks.inlined().program();
        let mut found = Vec::new();
        for joint in joints {
            let mut variables: Vec<VariableId> = joint.after.keys().copied().collect();
            variables.sort_unstable();
            let mut here = 0;
            for id in variables {
                let variable = store().variable(program.variable(id).symbol);
                if here == VALUES_PER_JOINT_AND_ROUND || store().sort(variable).is_array() {
                    continue;
                }
                let before = self.solver.value(joint.before[&id]);
                let after = self.solver.value(joint.after[&id]);
                if let Some(value) = before
                    && after.is_some_and(|after| after != value)
                {
                    let located = (joint.at, store().eq(variable, store().value(&value)));
                    if !seen.contains(&located) && !found.contains(&located) {
                        found.push(located);
                        here += 1;
                    }
                }
            }
        }
        found
    }

    /// Returns the values in the model of the variables that occur in the predicates.
    fn values(
        &mut self,
        blocks: &Blocks,
        state: &FxHashMap<VariableId, TermId>,
        predicates: &[TermId],
    ) -> FxHashMap<Symbol, Value> {
        let mut variables: Vec<(Symbol, TermId)> = Vec::new();
        for_each_subterm(store(), predicates.iter().copied(), |_, kind| {
            if let TermKind::Variable { symbol, .. } = kind
                && let Some(&term) = blocks.variable(symbol).and_then(|id| state.get(&id))
            {
                variables.push((symbol, term));
            }
        });
        let terms: Vec<TermId> = variables.iter().map(|&(_, term)| term).collect();
        let values = variables.into_iter().zip(self.solver.values(&terms));
        values
            .filter_map(|((symbol, _), value)| Some((symbol, value?)))
            .collect()
    }

    fn selector(&mut self, arena: &Arena) -> TermId {
        self.selectors += 1;
        arena.variable_at(Symbol::new("selector#", Sort::Bool), self.selectors)
    }

    /// Minimises the core within the time limit, from the last element to the first.
    fn minimised(&mut self, core: impl Iterator<Item = TermId>) -> Vec<TermId> {
        let mut core: Vec<TermId> = core.collect();
        let begin = Instant::now();
        let mut next = core.len();
        while next > 0 && begin.elapsed() < CORE_MINIMISATION_TIME {
            next -= 1;
            let mut rest = core.clone();
            rest.remove(next);
            if self.solver.check(&rest) == Answer::Unsatisfiable {
                let smaller = self.solver.unsat_core();
                core.retain(|one| smaller.contains(one));
                next = next.min(core.len());
            }
        }
        core
    }

    /// Asserts the blocks, each over a state of its own, and returns the joints.
    fn assert_blocks<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        arena: &Arena,
        invariants: &dyn Fn(InlinedLocation) -> Vec<TermId>,
    ) -> Vec<Joint> {
        let blocks = cpa.blocks();
        let mut instances = Instances::new(blocks.inlined().program(), arena);
        let mut joints: Vec<Joint> = Vec::new();
        for (index, &state) in path.states.iter().enumerate().skip(1) {
            let state = cpa.abstraction_state(state);
            let Some((_, formula)) = &state.before else {
                continue;
            };
            let source = cpa.abstraction_state(path.states[index - 1]).place;
            if let Place::At(source) = source
                && self.visited_blocks.insert(Rc::as_ptr(formula))
            {
                for atom in conditions(cpa, formula) {
                    self.suggest(source, atom);
                }
            }
            let block = instances.block(cpa, formula);
            for conjunct in block.conjuncts {
                self.solver.assert(conjunct);
            }
            let Place::At(at) = state.place else {
                continue;
            };
            if index == path.block_count() {
                continue;
            }
            let mut before: FxHashMap<VariableId, TermId> = FxHashMap::default();
            for id in blocks.state(at) {
                before.insert(id, instances.state(id));
            }
            for (id, value) in block.values {
                before.insert(id, value);
            }
            instances.current.clear();
            let after = before.keys().map(|&id| (id, instances.state(id))).collect();
            for invariant in invariants(at) {
                let here = at_state(blocks, arena, &after, invariant);
                self.solver.assert(here);
            }
            joints.push(Joint { at, before, after });
        }
        joints
    }

    /// Suggests the atoms of the weakest preconditions of the candidates at the joints, from the last joint to the first.
    fn suggest_preconditions(&mut self, blocks: &Blocks, arena: &Arena, joints: &[Joint]) {
        for pair in joints.windows(2).rev() {
            let [first, second] = pair else { continue };
            // The state after the first joint is the one in which the second block begins.
            let originals: FxHashMap<TermId, TermId> = first
                .after
                .iter()
                .map(|(&id, &term)| {
                    let symbol = blocks.inlined().program().variable(id).symbol;
                    (term, store().variable(symbol))
                })
                .collect();
            let mut found = Vec::new();
            for predicate in self.candidates_at(second.at) {
                let here = at_state(blocks, arena, &second.before, predicate);
                collect_atoms(
                    arena,
                    [here],
                    &|term| originals.contains_key(&term),
                    &mut found,
                );
            }
            for atom in found {
                let atom = regatta_term::substitute(arena, atom, &originals);
                self.suggest(first.at, transfer(arena, store(), atom));
            }
        }
    }
}

impl Joint {
    /// Returns the formula that the predicate has the same truth value on both sides of the joint.
    fn link(&self, blocks: &Blocks, arena: &Arena, predicate: TermId) -> TermId {
        let before = at_state(blocks, arena, &self.before, predicate);
        let after = at_state(blocks, arena, &self.after, predicate);
        arena.iff(before, after)
    }
}

fn at_state(
    blocks: &Blocks,
    arena: &Arena,
    state: &FxHashMap<VariableId, TermId>,
    formula: TermId,
) -> TermId {
    instantiate(arena, formula, |symbol, _| {
        state.get(&blocks.variable(symbol)?).copied()
    })
}

/// Orders predicates: fewer variables, smaller size, and equations are better.
fn cost(predicate: TermId) -> usize {
    let is_equation = matches!(
        store().kind(predicate),
        TermKind::Apply { op: Op::Eq, .. } | TermKind::Variable { .. }
    );
    let variables = regatta_term::free_variables(store(), predicate).len();
    size(store(), predicate) + 4 * variables + usize::from(!is_equation)
}

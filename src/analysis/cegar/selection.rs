//! Predicates that exclude an abstract counterexample, chosen from those that the program itself suggests.
//!
//! A path whose blocks have nothing in common but the truth of predicates where one ends and the next begins can be
//! taken if and only if Boolean abstraction with these predicates allows it (the encoding of predicate abstraction within
//! the transition relation: Tonetta, FM 2009; Cimatti, Griggio, Mover and Tonetta, TACAS 2014). As long as it can, a model
//! shows states that the predicates do not tell apart, and predicates that do are added; in the end an unsatisfiable core
//! says which of them are needed. So interpolants, which are hard to
//! come by for large blocks and tell of one path more than is good, are only needed where the program's own conditions
//! do not do.

use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::ARENA;
use super::atoms::{collect_atoms, conditions};
use super::counterexample::{AbstractPath, Instances};
use crate::analysis::SolverFactory;
use crate::cpa::location::Place;
use crate::cpa::predicate::PredicateCpa;
use crate::cpa::predicate::abstraction::Abstraction;
use crate::cpa::predicate::path_formula::PathFormula;
use crate::program::block::Blocks;
use crate::program::{InlinedLocation, VariableId};
use crate::solver::{Answer, CheckLimit, Solver, SolverError};
use crate::term::{
    Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind, Value, evaluate, for_each_subterm,
    instantiate, size, store, transfer,
};

/// Wall time of a query, and of all that make a core smaller.
const QUERY: Duration = Duration::from_secs(3);
const SHRINKING: Duration = Duration::from_millis(1_000);

/// Wall time of the search for predicates.
const SEARCH: Duration = Duration::from_secs(8);

/// So many predicates are added at a joint at once.
const AT_ONCE: usize = 2;

/// So many values are added at a joint at once.
const VALUES: usize = 8;

/// Predicates that are known at a location, at most.
const MOST: usize = 300;

/// Chooses predicates.
pub struct Selection<'f> {
    solvers: &'f SolverFactory<'f>,
    solver: Box<dyn Solver>,
    /// The conditions of the blocks that begin at a location, and what else has been of use there.
    known: FxHashMap<InlinedLocation, Vec<TermId>>,
    /// The blocks whose conditions are known.
    looked_at: FxHashSet<*const PathFormula>,
    /// Instances of the selectors' symbol that are used up.
    selectors: u32,
}

/// What predicates are selected from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// Conditions of the program, with what they need to hold before, and atoms of interpolants.
    Conditions,
    /// Also that variables have certain values.
    Values,
}

/// A predicate at a location.
pub type Located = (InlinedLocation, TermId);

/// Whether the predicate holds in the state, if that is known.
fn holds(predicate: TermId, state: &FxHashMap<Symbol, Value>) -> Option<bool> {
    let assignment = |symbol, _| state.get(&symbol).cloned();
    let value = evaluate(store(), predicate, &assignment).ok()?;
    Some(value == Value::Bool(true))
}

/// Where a block ends and the next begins.
struct Joint {
    at: InlinedLocation,
    before: FxHashMap<VariableId, TermId>,
    after: FxHashMap<VariableId, TermId>,
}

/// A solver for the queries.
fn limited(solvers: &SolverFactory<'_>) -> Result<Box<dyn Solver>, SolverError> {
    let mut solver = solvers()?;
    solver.set_limit(CheckLimit {
        time: Some(QUERY),
        resource: None,
    });
    Ok(solver)
}

impl<'f> Selection<'f> {
    /// With a solver of its own.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(solvers: &'f SolverFactory<'f>) -> Result<Self, SolverError> {
        Ok(Self {
            solver: limited(solvers)?,
            solvers,
            known: FxHashMap::default(),
            looked_at: FxHashSet::default(),
            selectors: 0,
        })
    }

    /// A predicate that may be of use.
    pub fn suggest(&mut self, at: InlinedLocation, predicate: TermId) {
        let known = self.known.entry(at).or_default();
        if known.len() < MOST && !known.contains(&predicate) {
            known.push(predicate);
        }
    }

    fn known_at(&self, at: InlinedLocation) -> Vec<TermId> {
        self.known.get(&at).cloned().unwrap_or_default()
    }

    /// A few of the known predicates that exclude the path together with those that are used anyhow; `None` if all of
    /// them do not.
    pub fn select<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        language: Language,
        used: &dyn Fn(InlinedLocation) -> Vec<TermId>,
        invariants: &dyn Fn(InlinedLocation) -> Vec<TermId>,
    ) -> Option<Vec<Located>> {
        if self.solver.arena().len() > ARENA {
            self.solver = limited(self.solvers).ok()?;
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
        chosen
    }

    /// Adds predicates until the path is excluded: such as tell states apart that a model joins.
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
                Answer::Satisfiable if begin.elapsed() > SEARCH => return None,
                Answer::Satisfiable => {}
            }
            let mut found = self.distinguishing(blocks, joints, &seen);
            if found.is_empty() && !preconditions {
                // What has to hold before so that the conditions of the blocks hold after.
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
        // What is worse is tried to be left out first.
        chosen.sort_by_key(|&(_, (_, predicate))| badness(predicate));
        let core = self.shrunk(chosen.iter().map(|&(selector, _)| selector));
        chosen.retain(|(selector, _)| core.contains(selector));
        Some(chosen.into_iter().map(|(_, located)| located).collect())
    }

    /// For each joint the best predicates that differ on its two sides in the model of the last check.
    fn distinguishing(
        &mut self,
        blocks: &Blocks,
        joints: &[Joint],
        seen: &FxHashSet<Located>,
    ) -> Vec<Located> {
        let mut found: Vec<Located> = Vec::new();
        for joint in joints {
            let mut known = self.known_at(joint.at);
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
            known.sort_by_key(|&predicate| badness(predicate));
            let best = known.into_iter().take(AT_ONCE);
            found.extend(best.map(|predicate| (joint.at, predicate)));
        }
        found
    }

    /// That variables have the values which they have before a joint in the model, and not behind it.
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
                if here == VALUES || store().sort(variable).is_array() {
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

    /// The values in the model of the variables that occur in the predicates.
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

    /// Leaves out what is not needed, as long as time allows, the last first.
    fn shrunk(&mut self, core: impl Iterator<Item = TermId>) -> Vec<TermId> {
        let mut core: Vec<TermId> = core.collect();
        let begin = Instant::now();
        let mut next = core.len();
        while next > 0 && begin.elapsed() < SHRINKING {
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

    /// Each block in a state of its own.
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
                && self.looked_at.insert(Rc::as_ptr(formula))
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

    /// Atoms of the weakest preconditions of what is known at the joints, from the last to the first.
    fn suggest_preconditions(&mut self, blocks: &Blocks, arena: &Arena, joints: &[Joint]) {
        for pair in joints.windows(2).rev() {
            let [first, second] = pair else { continue };
            // The state behind the first joint is what the second block begins in.
            let originals: FxHashMap<TermId, TermId> = first
                .after
                .iter()
                .map(|(&id, &term)| {
                    let symbol = blocks.inlined().program().variable(id).symbol;
                    (term, store().variable(symbol))
                })
                .collect();
            let mut found = Vec::new();
            for predicate in self.known_at(second.at) {
                let here = at_state(blocks, arena, &second.before, predicate);
                collect_atoms(
                    arena,
                    [here],
                    &|term| originals.contains_key(&term),
                    &mut found,
                );
            }
            for atom in found {
                let atom = crate::term::substitute(arena, atom, &originals);
                self.suggest(first.at, transfer(arena, store(), atom));
            }
        }
    }
}

impl Joint {
    /// That the predicate holds before the joint if and only if it does behind it.
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

/// Predicates with fewer variables, that are smaller, and that say what a variable is, are better.
fn badness(predicate: TermId) -> usize {
    let is_equation = matches!(
        store().kind(predicate),
        TermKind::Apply { op: Op::Eq, .. } | TermKind::Variable { .. }
    );
    let variables = crate::term::free_variables(store(), predicate).len();
    size(store(), predicate) + 4 * variables + usize::from(!is_equation)
}

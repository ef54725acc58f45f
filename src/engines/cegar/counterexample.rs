//! Abstract counterexamples: the abstraction states from the root to a target and the block formulas between them (\[BDW18\],
//! sections 3.2.1 and 3.2.2).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use regatta_cpa::arg::{ArgCpa, ArgNode};
use regatta_cpa::location::Place;
use regatta_cpa::predicate::abstraction::Abstraction;
use regatta_cpa::predicate::path_formula::PathFormula;
use regatta_cpa::predicate::{AbstractionId, Crossing, PredicateCpa};
use regatta_program::interpreter::Journal;
use regatta_program::{Program, VariableId};
use regatta_sharing::ByPlace;
use regatta_solver::Solver;
use regatta_solver::interpolation::Sequence;
use regatta_term::{
    Arena, Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind, Value, free_variables,
    instantiate, store,
};

/// A sequence of abstraction states, each reached from its predecessor by a block.
#[derive(Clone, Debug)]
pub struct AbstractPath {
    /// e0 … en.
    pub states: Vec<AbstractionId>,
}

impl AbstractPath {
    /// Returns the path to the state from the root, or from the given ancestor.
    pub fn to<A: Abstraction>(
        cpa: &PredicateCpa<A>,
        from: Option<AbstractionId>,
        to: AbstractionId,
    ) -> Self {
        let mut states = vec![to];
        let mut last = to;
        while Some(last) != from
            && let Some((before, _)) = &cpa.abstraction_state(last).before
        {
            states.push(*before);
            last = *before;
        }
        states.reverse();
        Self { states }
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> usize {
        self.states.len() - 1
    }
}

/// An invariant of the shared store on a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The number of blocks before the place where it holds, less one.
    cut: usize,
    formula: TermId,
}

/// The block formulas of a path in SSA form.
pub struct PathSequence {
    arena: Rc<Arena>,
    /// φ1 … φn.
    pub formulas: Vec<TermId>,
    /// The state's variables after each block but the last.
    pub cuts: Vec<Vec<TermId>>,
    /// For each block, the instance that each of its variables was replaced by; the state's variables are those at its
    /// beginning.
    instances: Vec<FxHashMap<(Symbol, u32), TermId>>,
    /// The instances of the state's variables after each block but the last.
    between: Vec<FxHashMap<VariableId, TermId>>,
    /// The instances of the state's variables before the first block, and after the last.
    first: FxHashMap<VariableId, TermId>,
    last: FxHashMap<VariableId, TermId>,
    /// For each instance of a state variable, the state variable of the shared store.
    originals: FxHashMap<TermId, TermId>,
}

/// A supply of fresh instances of variables.
pub(super) struct Instances<'i> {
    arena: &'i Arena,
    program: &'i Program,
    next: FxHashMap<Symbol, u32>,
    /// The instances of the state's variables at the current position.
    pub current: FxHashMap<VariableId, TermId>,
    originals: FxHashMap<TermId, TermId>,
}

/// A block formula over such instances.
pub(super) struct InstantiatedBlock {
    /// The condition under which the block is executed.
    pub conjuncts: Vec<TermId>,
    /// The new values of the variables that change.
    pub values: Vec<(VariableId, TermId)>,
    map: FxHashMap<(Symbol, u32), TermId>,
}

impl<'i> Instances<'i> {
    pub fn new(program: &'i Program, arena: &'i Arena) -> Self {
        Self {
            arena,
            program,
            next: FxHashMap::default(),
            current: FxHashMap::default(),
            originals: FxHashMap::default(),
        }
    }

    /// Instantiates the block in the current state.
    pub fn block<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        formula: &PathFormula,
    ) -> InstantiatedBlock {
        let from = &**cpa.arena();
        let arena = self.arena;
        let mut equations = cpa.definitions.since(0, formula.guard);
        for (_, &value) in formula.values.iter() {
            equations.extend(cpa.definitions.since(0, value));
        }
        let mut map: FxHashMap<(Symbol, u32), TermId> = FxHashMap::default();
        let mut rebuild = Rebuild::new(from, arena, |term| match from.kind(term) {
            TermKind::Variable { symbol, instance } => {
                let known = map.entry((symbol, instance)).or_insert_with(|| {
                    match cpa.blocks().variable(symbol) {
                        Some(variable) if instance == 0 => self.state(variable),
                        _ => self.fresh(symbol),
                    }
                });
                Some(*known)
            }
            _ => None,
        });
        let mut conjuncts = vec![rebuild.rebuild(formula.guard)];
        for equation in equations {
            conjuncts.push(rebuild.rebuild(equation));
        }
        let values = formula
            .values
            .iter()
            .map(|(id, &value)| (VariableId(id), rebuild.rebuild(value)))
            .collect();
        drop(rebuild);
        InstantiatedBlock {
            conjuncts,
            values,
            map,
        }
    }

    fn fresh(&mut self, symbol: Symbol) -> TermId {
        let next = self.next.entry(symbol).or_insert(0);
        *next += 1;
        self.arena.variable_at(symbol, *next)
    }

    fn fresh_state(&mut self, variable: VariableId) -> TermId {
        let symbol = self.program.variable(variable).symbol;
        let fresh = self.fresh(symbol);
        self.originals.insert(fresh, store().variable(symbol));
        self.current.insert(variable, fresh);
        fresh
    }

    /// Returns the instance of the variable in the current state.
    pub fn state(&mut self, variable: VariableId) -> TermId {
        match self.current.get(&variable) {
            Some(&known) => known,
            None => self.fresh_state(variable),
        }
    }
}

impl PathSequence {
    /// Builds the block formulas of the path.
    pub fn new<A: Abstraction>(
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        arena: &Rc<Arena>,
    ) -> Self {
        let blocks = cpa.blocks();
        let mut instances = Instances::new(blocks.inlined().program(), arena);
        let mut result = Self {
            arena: Rc::clone(arena),
            formulas: Vec::new(),
            cuts: Vec::new(),
            instances: Vec::new(),
            between: Vec::new(),
            first: FxHashMap::default(),
            last: FxHashMap::default(),
            originals: FxHashMap::default(),
        };
        if let Place::At(at) = cpa.abstraction_state(path.states[0]).place {
            for id in blocks.state(at) {
                instances.state(id);
            }
        }
        result.first = instances.current.clone();
        for (index, &state) in path.states.iter().enumerate().skip(1) {
            let state = cpa.abstraction_state(state);
            let Some((_, formula)) = &state.before else {
                continue;
            };
            result.add_block(cpa, formula, &mut instances);
            let live = match state.place {
                Place::At(at) => blocks.state(at),
                Place::Unsupported { .. } => Vec::new(),
            };
            let cut = live.iter().map(|&id| instances.state(id)).collect();
            instances.current.retain(|id, _| live.contains(id));
            if index < path.block_count() {
                result.cuts.push(cut);
                result.between.push(instances.current.clone());
            }
        }
        result.last = instances.current;
        result.originals = instances.originals;
        result
    }

    fn add_block<A: Abstraction>(
        &mut self,
        cpa: &PredicateCpa<A>,
        formula: &PathFormula,
        instances: &mut Instances<'_>,
    ) {
        let InstantiatedBlock {
            mut conjuncts,
            values,
            map,
        } = instances.block(cpa, formula);
        for (variable, value) in values {
            let after = instances.fresh_state(variable);
            let arena = &self.arena;
            conjuncts.push(arena.intern(Op::Eq, Sort::Bool, &[after, value]));
        }
        self.formulas.push(self.arena.and(conjuncts));
        self.instances.push(map);
    }

    /// Returns the interpolation problem.
    pub fn sequence(&self) -> Sequence<'_> {
        Sequence {
            formulas: &self.formulas,
            cuts: &self.cuts,
        }
    }

    /// Conjoins a formula of the shared store, over the state at the beginning of the first block, to the first block.
    pub fn assume_first<A: Abstraction>(&mut self, cpa: &PredicateCpa<A>, formula: TermId) {
        let here = at(&self.arena, cpa, &self.first, formula);
        self.formulas[0] = self.arena.and2(self.formulas[0], here);
    }

    /// Returns the invariants of the places between the blocks, each with its meaning there, as far as they are about variables
    /// of the state.
    pub fn invariants<A: Abstraction>(
        &self,
        cpa: &PredicateCpa<A>,
        path: &AbstractPath,
        of: &ByPlace,
    ) -> Vec<(Assumed, TermId)> {
        let mut all = Vec::new();
        let states = path.states[1..].iter().zip(&self.between);
        for (cut, (&id, state)) in states.enumerate() {
            let Place::At(place) = cpa.abstraction_state(id).place else {
                continue;
            };
            let is_known = |symbol: Symbol| {
                let variable = cpa.blocks().variable(symbol);
                variable.is_some_and(|variable| state.contains_key(&variable))
            };
            for &formula in of.get(&place).into_iter().flatten() {
                let mut variables = free_variables(store(), formula).into_iter();
                if variables.all(|(symbol, instance)| instance == 0 && is_known(symbol)) {
                    let here = at(&self.arena, cpa, state, formula);
                    all.push((Assumed { cut, formula }, here));
                }
            }
        }
        all
    }

    /// Conjoins an invariant to the block after the place where it holds: interpolants there need not say it.
    pub fn assume<A: Abstraction>(&mut self, cpa: &PredicateCpa<A>, invariant: Assumed) {
        let state = &self.between[invariant.cut];
        let here = at(&self.arena, cpa, state, invariant.formula);
        let block = &mut self.formulas[invariant.cut + 1];
        *block = self.arena.and2(*block, here);
    }

    /// Conjoins a formula of the shared store, over the state at the end of the last block, to the last block.
    pub fn assume_last<A: Abstraction>(&mut self, cpa: &PredicateCpa<A>, formula: TermId) {
        let here = at(&self.arena, cpa, &self.last, formula);
        if let Some(last) = self.formulas.last_mut() {
            *last = self.arena.and2(*last, here);
        }
    }

    /// Rewrites a term over instances of state variables as a term of the shared store over the variables themselves.
    pub fn original(&self, term: TermId) -> TermId {
        Rebuild::new(&*self.arena, store(), |term| {
            self.originals.get(&term).copied()
        })
        .rebuild(term)
    }

    /// Returns the program's inputs in the solver's model, in order; `None` if the model describes no path.
    pub fn inputs<A: Abstraction>(
        &self,
        cpa: &PredicateCpa<A>,
        arg: &ArgCpa<Crossing>,
        nodes: &[ArgNode],
        solver: &mut dyn Solver,
    ) -> Option<Journal> {
        let mut entries = Vec::new();
        for (index, ends) in nodes.windows(2).enumerate() {
            let mut crossings = Vec::new();
            let mut node = ends[1];
            while node != ends[0] {
                let taken = arg.parents(node).iter().find(|(_, crossing)| {
                    let condition = self.at_block(cpa, index, crossing.condition);
                    holds(solver, condition)
                });
                let (parent, crossing) = taken?;
                crossings.push(crossing);
                node = *parent;
            }
            for crossing in crossings.into_iter().rev() {
                for input in cpa.inputs(crossing) {
                    let condition = self.at_block(cpa, index, input.condition);
                    if holds(solver, condition) {
                        let value = self.at_block(cpa, index, input.value);
                        let sort = self.arena.sort(value);
                        let value = solver.value(value);
                        let value = value.unwrap_or_else(|| Value::zero(sort));
                        entries.push((input.input, value));
                    }
                }
            }
        }
        Some(Journal { entries })
    }

    /// Instantiates a term of the block with the given index.
    fn at_block<A: Abstraction>(
        &self,
        cpa: &PredicateCpa<A>,
        index: usize,
        term: TermId,
    ) -> TermId {
        let from = &**cpa.arena();
        let map = &self.instances[index];
        Rebuild::new(from, &*self.arena, |term| match from.kind(term) {
            TermKind::Variable { symbol, instance } => map.get(&(symbol, instance)).copied(),
            _ => None,
        })
        .rebuild(term)
    }
}

/// Replaces the state variables in a formula by their instances.
fn at<A: Abstraction>(
    arena: &Arena,
    cpa: &PredicateCpa<A>,
    state: &FxHashMap<VariableId, TermId>,
    formula: TermId,
) -> TermId {
    instantiate(arena, formula, |symbol, _| {
        state.get(&cpa.blocks().variable(symbol)?).copied()
    })
}

fn holds(solver: &mut dyn Solver, formula: TermId) -> bool {
    formula == TermId::TRUE || solver.value(formula) == Some(Value::Bool(true))
}

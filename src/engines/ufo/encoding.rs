//! The paths of a part of the graph as one formula (\[AGC12\]): a Boolean variable says of each node,
//! and of each edge, whether the path passes it, and each node has instances of its place's state variables. A node on the path
//! demands its label, and one of the edges that leave it; an edge demands its block, and the node behind it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::arg::{Arg, Dag, EdgeId, NodeId};
use super::domain::Domain;
use super::places::{PlaceId, Places};
use regatta_program::block::{Blocks, InputSource};
use regatta_program::interpreter::Journal;
use regatta_program::{InputId, VariableId};
use regatta_solver::Solver;
use regatta_term::{
    Arena, Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind, Value, instantiate, store,
};

/// The formulas of nodes and edges, each made once.
pub struct Encoding<'b> {
    blocks: &'b Blocks,
    places: Rc<Places>,
    arena: Rc<Arena>,
    /// The instances of state variables by node.
    states: FxHashMap<NodeId, FxHashMap<VariableId, TermId>>,
    edges: FxHashMap<EdgeId, Rc<EncodedEdge>>,
    /// For each instance of a state variable, the variable itself.
    originals: FxHashMap<TermId, TermId>,
    /// The number of instances of each variable.
    instances: FxHashMap<Symbol, u32>,
}

/// A block over the instances of two nodes.
#[derive(Debug)]
pub struct EncodedEdge {
    /// Whether the path takes it: a Boolean variable.
    pub taken: TermId,
    /// The block's guard, and the equations of the state behind it.
    pub relation: TermId,
    /// The inputs, in the order in which they are read, with the conditions under which they are.
    inputs: Vec<(InputId, TermId, TermId)>,
}

impl<'b> Encoding<'b> {
    /// Creates it without formulas, in the arena.
    pub fn new(blocks: &'b Blocks, places: Rc<Places>, arena: Rc<Arena>) -> Self {
        Self {
            blocks,
            places,
            arena,
            states: FxHashMap::default(),
            edges: FxHashMap::default(),
            originals: FxHashMap::default(),
            instances: FxHashMap::default(),
        }
    }

    /// The pool of the formulas.
    pub fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    fn fresh(&mut self, symbol: Symbol) -> TermId {
        let last = self.instances.entry(symbol).or_insert(0);
        *last += 1;
        self.arena.variable_at(symbol, *last)
    }

    /// Returns the instances of the node's state variables.
    pub fn state(&mut self, arg: &Arg, node: NodeId) -> FxHashMap<VariableId, TermId> {
        if let Some(known) = self.states.get(&node) {
            return known.clone();
        }
        let places = Rc::clone(&self.places);
        let mut state = FxHashMap::default();
        for &variable in places.state(arg.place(node)) {
            let symbol = self.blocks.inlined().program().variable(variable).symbol;
            let here = self.fresh(symbol);
            self.originals.insert(here, store().variable(symbol));
            state.insert(variable, here);
        }
        self.states.insert(node, state.clone());
        state
    }

    /// Returns the formula over the state at the node.
    pub fn at(&mut self, arg: &Arg, node: NodeId, formula: TermId) -> TermId {
        let state = self.state(arg, node);
        let blocks = self.blocks;
        instantiate(&*self.arena, formula, |symbol, _| {
            state.get(&blocks.variable(symbol)?).copied()
        })
    }

    /// Rewrites a term over instances as a term of the shared store over the state variables.
    pub fn original(&self, term: TermId) -> TermId {
        Rebuild::new(&*self.arena, store(), |term| {
            self.originals.get(&term).copied()
        })
        .rebuild(term)
    }

    /// Returns the formulas of the edge.
    pub fn edge(&mut self, arg: &Arg, id: EdgeId) -> Rc<EncodedEdge> {
        if let Some(known) = self.edges.get(&id) {
            return Rc::clone(known);
        }
        let edge = arg.edge(id);
        let places = Rc::clone(&self.places);
        let block = &places.leaving(arg.place(edge.from))[edge.block];
        let (before, after) = (self.state(arg, edge.from), self.state(arg, edge.to));
        let arena = Rc::clone(&self.arena);
        let blocks = self.blocks;
        let mut names: FxHashMap<(Symbol, u32), TermId> = FxHashMap::default();
        let mut name = |symbol: Symbol, instance: u32| {
            let variable = blocks.variable(symbol).filter(|_| instance == 0);
            let known = variable.and_then(|variable| before.get(&variable).copied());
            known.unwrap_or_else(|| {
                let fresh = || self.fresh(symbol);
                *names.entry((symbol, instance)).or_insert_with(fresh)
            })
        };
        let instance = block.instantiate(&*arena, &mut name);
        let inputs = block.inputs.iter().zip(&instance.inputs);
        let inputs = inputs.filter_map(|(input, &guard)| match input.source {
            InputSource::Input(id) => Some((id, guard, name(input.symbol, input.instance))),
            InputSource::Choice => None,
        });
        let inputs = inputs.collect();
        let mut relation = vec![instance.guard];
        for (variable, &value) in &after {
            let update = instance.updates.iter().find(|(id, _)| id == variable);
            let update = update.map(|&(_, value)| value);
            // What has no value before the block has any value behind it.
            if let Some(before) = update.or_else(|| before.get(variable).copied()) {
                relation.push(arena.intern(Op::Eq, Sort::Bool, &[value, before]));
            }
        }
        let encoded = Rc::new(EncodedEdge {
            taken: self.fresh(Symbol::new("edge#", Sort::Bool)),
            relation: arena.and(relation),
            inputs,
        });
        self.edges.insert(id, Rc::clone(&encoded));
        encoded
    }

    /// Returns formulas whose models are the paths of the part from the node with the index to an error.
    pub fn paths(&mut self, arg: &Arg, dag: &Dag, from: usize, domain: &Domain<'_>) -> Vec<TermId> {
        let arena = Rc::clone(&self.arena);
        let passed = Symbol::new("node#", Sort::Bool);
        let passed = |index: usize| match index {
            index if index == from => TermId::TRUE,
            index => arena.variable_at(passed, dag.nodes[index].index() as u32 + 1),
        };
        let mut is_reached = vec![false; dag.nodes.len()];
        is_reached[from] = true;
        let mut formulas = Vec::new();
        for index in from..dag.nodes.len() - 1 {
            if !is_reached[index] {
                continue;
            }
            let (node, here) = (dag.nodes[index], passed(index));
            for formula in [arg.label(node), domain.invariant(arg.place(node))] {
                let formula = self.at(arg, node, formula);
                formulas.push(arena.implies(here, formula));
            }
            let mut leaving = Vec::new();
            for &(edge, to) in &dag.leaving[index] {
                is_reached[to] = true;
                let edge = self.edge(arg, edge);
                leaving.push(edge.taken);
                let demands = arena.and2(edge.relation, passed(to));
                formulas.push(arena.implies(edge.taken, demands));
            }
            let one = arena.or(leaving);
            formulas.push(arena.implies(here, one));
        }
        formulas
    }

    /// Returns the edges from the root to the error on the path of the solver's model, and its inputs; `None` if the model
    /// shows no path.
    pub fn path(
        &mut self,
        arg: &Arg,
        dag: &Dag,
        solver: &mut dyn Solver,
    ) -> Option<(Vec<EdgeId>, Journal)> {
        let (mut path, mut entries) = (Vec::new(), Vec::new());
        let mut index = 0;
        while index + 1 < dag.nodes.len() {
            let mut leaving = dag.leaving[index].iter();
            let &(edge, to) = leaving.find(|(edge, _)| {
                let taken = self.edge(arg, *edge).taken;
                solver.value(taken) == Some(Value::Bool(true))
            })?;
            path.push(edge);
            for &(input, guard, variable) in &self.edge(arg, edge).inputs {
                if guard == TermId::TRUE || solver.value(guard) == Some(Value::Bool(true)) {
                    let value = solver.value(variable);
                    let zero = || Value::zero(self.arena.sort(variable));
                    entries.push((input, value.unwrap_or_else(zero)));
                }
            }
            index = to;
        }
        Some((path, Journal { entries }))
    }

    /// Whether the blocks that leave the places have floats, which the engine for Horn clauses has not.
    pub fn has_floats(places: &Places) -> bool {
        let mut has_floats = false;
        for place in places.all() {
            for block in places.leaving(place) {
                let updates = block.updates.iter().map(|&(_, value)| value);
                regatta_term::for_each_subterm(
                    store(),
                    updates.chain([block.guard]),
                    |term, kind| {
                        let is_cast = matches!(
                            kind,
                            TermKind::Apply {
                                op: Op::FpToBits,
                                ..
                            }
                        );
                        has_floats |= is_cast || matches!(store().sort(term), Sort::Float(_));
                    },
                );
            }
        }
        has_floats
    }
}

/// The variables of a predicate over the state at a place.
pub fn parameters(blocks: &Blocks, places: &Places, place: PlaceId) -> Vec<TermId> {
    let program = blocks.inlined().program();
    let state = places.state(place).iter();
    state
        .map(|&variable| store().variable(program.variable(variable).symbol))
        .collect()
}

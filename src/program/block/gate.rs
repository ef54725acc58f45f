//! Computes block formulas by gated single assignment over the acyclic graph between cut points.
//!
//! The paths from a cut point to the next ones form an acyclic graph. Its nodes are visited in topological order; each
//! gets the values of the changed variables as terms over the state at the block's start. A node's *gate* is the condition
//! under which it is reached from its immediate dominator: where several edges join, the value of a variable is selected by
//! the conditions of the edges relative to the join's dominator (as in gated SSA: \[TP95\]). If the join
//! postdominates its dominator and nothing in between can block, its gate is true, and the branches do not occur in the
//! path condition. A path condition is the conjunction of the gates along the dominator tree. Where branches add different
//! constants to a variable, the constant is selected rather than the sum ([`Build::ite_of_sums`]), so that sums of
//! counters remain sums.
//!
//! Conditions of edges from one node need not exclude each other. Where exclusiveness cannot be shown, a Boolean input
//! of its own makes the choice; otherwise the terms that select at a join could hide one of two possible paths.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::block::{Block, BlockEnd, BlockInput, Blocks, InputSource};
use crate::cfa::*;
use crate::conditions::{always_go_on, exclusive, exhaustive};
use crate::cut_points::CutPointKind;
use crate::digraph::{Digraph, Dominators, NONE};
use crate::inline::{CallStringId, InlinedLocation, Step, StepKind};
use crate::persistent::PersistentMap;
use regatta_term::{Build, Op, Pool, Rebuild, Sort, Symbol, TermId, store};

/// A node of the acyclic graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// The source, or a location that is no cut point.
    Inner(InlinedLocation),
    End(BlockEnd),
}

/// An edge of the acyclic graph.
struct Arc {
    source: u32,
    target: u32,
    step: Step,
}

/// The values of the changed variables at a visited node.
type Values = PersistentMap<TermId>;

/// The condition of an edge, and the values after it.
#[derive(Clone)]
struct Crossing {
    condition: TermId,
    values: Values,
}

/// The blocks from the cut point.
pub(super) fn blocks_from(blocks: &Blocks, source: InlinedLocation) -> Vec<Block> {
    let (nodes, arcs) = explore(blocks, source);
    Encoder::new(blocks, nodes, arcs).run(source)
}

/// The acyclic graph from the source to the next cut points; the source is node 0.
fn explore(blocks: &Blocks, source: InlinedLocation) -> (Vec<Node>, Vec<Arc>) {
    let inlined = &blocks.inlined;
    let program = inlined.program();
    let mut nodes = vec![Node::Inner(source)];
    // The source as a target is a second node.
    let mut numbers: FxHashMap<Node, u32> = FxHashMap::default();
    let mut arcs = Vec::new();
    let mut next = 0;
    while next < nodes.len() {
        let number = next as u32;
        next += 1;
        let Node::Inner(location) = nodes[number as usize] else {
            continue;
        };
        if number == 0 && is_final(blocks, location) {
            continue;
        }
        for step in inlined.steps(location) {
            let call_string = location.call_string;
            let unsupported = matches!(
                program.edge(step.edge).operations.last(),
                Some(Operation::Unsupported(_))
            );
            let target = match step.kind {
                StepKind::RecursiveCall => Node::End(BlockEnd::RecursiveCall {
                    edge: step.edge,
                    call_string,
                }),
                StepKind::Operations if unsupported => Node::End(BlockEnd::Unsupported {
                    edge: step.edge,
                    call_string,
                }),
                _ if inlined.cut_points().contains(step.target.location) => {
                    Node::End(BlockEnd::CutPoint(step.target))
                }
                _ => Node::Inner(step.target),
            };
            let target = *numbers.entry(target).or_insert_with(|| {
                nodes.push(target);
                nodes.len() as u32 - 1
            });
            arcs.push(Arc {
                source: number,
                target,
                step,
            });
        }
    }
    (nodes, arcs)
}

/// Whether no block starts at the location.
fn is_final(blocks: &Blocks, location: InlinedLocation) -> bool {
    let kind = blocks.inlined.cut_points().kind(location.location);
    matches!(
        kind,
        Some(CutPointKind::Error | CutPointKind::RecursiveExit)
    )
}

struct Encoder<'a> {
    blocks: &'a Blocks,
    nodes: Vec<Node>,
    arcs: Vec<Arc>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
    order: Vec<u32>,
    dominators: Dominators,
    values: Vec<Values>,
    gates: Vec<TermId>,
    crossings: Vec<Option<Crossing>>,
    /// Cache: the conditions under which a node is reached from one that dominates it.
    conditions: FxHashMap<(u32, u32), TermId>,
    inputs: Vec<(Place, BlockInput)>,
    instances: FxHashMap<Symbol, u32>,
    /// The callers that are being executed, by call string.
    active: FxHashMap<CallStringId, FxHashSet<FunctionId>>,
}

/// The edges on which an input is needed.
#[derive(Copy, Clone)]
enum Place {
    /// On the edge.
    Arc(u32),
    /// On every edge from the node.
    Node(u32),
}

impl<'a> Encoder<'a> {
    fn new(blocks: &'a Blocks, nodes: Vec<Node>, arcs: Vec<Arc>) -> Self {
        let graph = Digraph::new(nodes.len(), arcs.iter().map(|arc| (arc.source, arc.target)));
        let order = graph.reverse_postorder([0]);
        let dominators = Dominators::new(nodes.len(), &order, &graph.reversed());
        let mut outgoing = vec![Vec::new(); nodes.len()];
        let mut incoming = vec![Vec::new(); nodes.len()];
        for (index, arc) in arcs.iter().enumerate() {
            outgoing[arc.source as usize].push(index as u32);
            incoming[arc.target as usize].push(index as u32);
        }
        Self {
            blocks,
            outgoing,
            incoming,
            order,
            dominators,
            values: vec![Values::new(); nodes.len()],
            gates: vec![TermId::TRUE; nodes.len()],
            crossings: vec![None; arcs.len()],
            conditions: FxHashMap::default(),
            inputs: Vec::new(),
            instances: FxHashMap::default(),
            active: FxHashMap::default(),
            nodes,
            arcs,
        }
    }

    fn run(mut self, source: InlinedLocation) -> Vec<Block> {
        // 1. Values at every node, and conditions of every edge.
        let certain = self.certain_joins();
        for index in 0..self.order.len() {
            let node = self.order[index];
            if node != 0 {
                self.enter(node, certain[node as usize]);
            }
            if self.condition(node, 0) != TermId::FALSE {
                self.leave(node);
            }
        }
        // 2. One block for each end that the conditions do not exclude.
        let mut blocks = Vec::new();
        for index in 0..self.order.len() {
            let node = self.order[index];
            if let Node::End(end) = self.nodes[node as usize] {
                let guard = self.condition(node, 0);
                if guard != TermId::FALSE {
                    blocks.push(self.block(source, node, end, guard));
                }
            }
        }
        blocks
    }

    fn block(&mut self, source: InlinedLocation, node: u32, end: BlockEnd, guard: TermId) -> Block {
        let program = self.blocks.inlined.program();
        let updates: Vec<(VariableId, TermId)> = match end {
            BlockEnd::CutPoint(location) => {
                let state: FxHashSet<VariableId> =
                    self.blocks.state(location).into_iter().collect();
                self.values[node as usize]
                    .iter()
                    .map(|(variable, &value)| (VariableId(variable), value))
                    .filter(|&(variable, value)| {
                        state.contains(&variable)
                            && value != store().variable(program.variable(variable).symbol)
                    })
                    .collect()
            }
            BlockEnd::Unsupported { .. } | BlockEnd::RecursiveCall { .. } => Vec::new(),
        };
        // Only inputs on paths to this end count.
        let before = self.ancestors(node);
        let on_the_way = |place: &Place| match *place {
            Place::Arc(arc) => before.contains(&arc),
            Place::Node(node) => self.outgoing[node as usize]
                .iter()
                .any(|arc| before.contains(arc)),
        };
        let inputs = self
            .inputs
            .iter()
            .filter(|(place, _)| on_the_way(place))
            .map(|(_, input)| *input)
            .collect();
        Block {
            source,
            end,
            guard,
            updates,
            inputs,
        }
    }

    /// The edges on some path to the node.
    fn ancestors(&self, node: u32) -> FxHashSet<u32> {
        let mut arcs = FxHashSet::default();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            for &arc in &self.incoming[node as usize] {
                if arcs.insert(arc) {
                    stack.push(self.arcs[arc as usize].source);
                }
            }
        }
        arcs
    }

    /// Returns for each node whether every path from its immediate dominator leads to it.
    fn certain_joins(&self) -> Vec<bool> {
        // The reversed graph, with one more node for the end of every path that may block.
        let end = self.nodes.len() as u32;
        let mut edges = Vec::new();
        for (node, arcs) in self.outgoing.iter().enumerate() {
            edges.extend(
                arcs.iter()
                    .map(|&arc| (self.arcs[arc as usize].target, node as u32)),
            );
            if !self.goes_on(arcs) {
                edges.push((end, node as u32));
            }
        }
        let backward = Digraph::new(self.nodes.len() + 1, edges.iter().copied());
        let postdominators = backward.dominators(end);
        (0..self.nodes.len() as u32)
            .map(|node| {
                let dominator = self.dominators.immediate[node as usize];
                dominator != NONE && postdominators.dominates(node, dominator)
            })
            .collect()
    }

    /// Whether one of the edges can be taken from every state, judged by their first assumptions.
    fn goes_on(&self, arcs: &[u32]) -> bool {
        let program = self.blocks.inlined.program();
        let steps = || arcs.iter().map(|&arc| self.arcs[arc as usize].step);
        if steps().any(|step| step.kind != StepKind::Operations) {
            return true;
        }
        always_go_on(steps().map(|step| program.edge(step.edge)))
    }

    /// The condition under which the node is reached from the node `from`, which dominates it.
    fn condition(&mut self, node: u32, from: u32) -> TermId {
        let mut chain = Vec::new();
        let mut at = node;
        let mut condition = TermId::TRUE;
        while at != from {
            if let Some(&known) = self.conditions.get(&(at, from)) {
                condition = known;
                break;
            }
            chain.push(at);
            at = self.dominators.immediate[at as usize];
        }
        for at in chain.into_iter().rev() {
            condition = conjoin(condition, self.gates[at as usize]);
            self.conditions.insert((at, from), condition);
        }
        condition
    }

    /// Joins the values of the incoming edges.
    fn enter(&mut self, node: u32, certain: bool) {
        let dominator = self.dominators.immediate[node as usize];
        let arcs = std::mem::take(&mut self.incoming[node as usize]);
        let mut ways: Vec<(TermId, Values)> = Vec::new();
        for &arc in &arcs {
            let Some(crossing) = self.crossings[arc as usize].clone() else {
                continue;
            };
            let before = self.condition(self.arcs[arc as usize].source, dominator);
            let condition = conjoin(before, crossing.condition);
            if condition != TermId::FALSE {
                ways.push((condition, crossing.values));
            }
        }
        self.incoming[node as usize] = arcs;
        self.gates[node as usize] = if certain {
            TermId::TRUE
        } else {
            disjoin(ways.iter().map(|way| way.0))
        };
        let Some((_, last)) = ways.pop() else {
            return;
        };
        let program = self.blocks.inlined.program();
        let at = match self.nodes[node as usize] {
            Node::Inner(location) | Node::End(BlockEnd::CutPoint(location)) => location,
            // Such an end has only one incoming edge.
            Node::End(_) => {
                self.values[node as usize] = last;
                return;
            }
        };
        let function = program.location(at.location).function;
        let liveness = &self.blocks.liveness;
        let inlined = &self.blocks.inlined;
        let active = self.active.entry(at.call_string).or_insert_with(|| {
            let callers = inlined.call_edges(at.call_string);
            callers
                .into_iter()
                .map(|call| program.location(program.edge(call).source).function)
                .collect()
        });
        let is_dead = |variable: VariableId| match program.variable(variable).scope {
            Scope::Local(owner) if owner != function => !active.contains(&owner),
            _ => !liveness.is_live(at.location, variable),
        };
        let unchanged =
            |variable: u32| store().variable(program.variable(VariableId(variable)).symbol);
        self.values[node as usize] =
            ways.into_iter()
                .rev()
                .fold(last, |others, (condition, values)| {
                    values.union(&others, &mut |variable, one, other| {
                        match (one, other) {
                            // The value of a dead variable is arbitrary.
                            (Some(value), _) | (_, Some(value))
                                if is_dead(VariableId(variable)) =>
                            {
                                *value
                            }
                            _ => {
                                let one = one.copied().unwrap_or_else(|| unchanged(variable));
                                let other = other.copied().unwrap_or_else(|| unchanged(variable));
                                store().ite_of_sums(condition, one, other)
                            }
                        }
                    })
                });
    }

    /// Computes the conditions and values of the outgoing edges.
    fn leave(&mut self, node: u32) {
        let arcs = self.outgoing[node as usize].clone();
        for &arc in &arcs {
            let crossing = self.cross(node, arc);
            self.crossings[arc as usize] = Some(crossing);
        }
        self.choose(node, &arcs);
    }

    fn cross(&mut self, node: u32, arc: u32) -> Crossing {
        let program = self.blocks.inlined.program();
        let step = self.arcs[arc as usize].step;
        let edge = program.edge(step.edge);
        let mut condition = TermId::TRUE;
        let mut values = self.values[node as usize].clone();
        match (step.kind, edge.operations.first()) {
            (StepKind::Operations, _) => {
                for operation in &edge.operations {
                    self.execute(node, arc, operation, &mut condition, &mut values);
                }
            }
            (
                StepKind::Enter,
                Some(Operation::Call {
                    callee, arguments, ..
                }),
            ) => {
                let before = values.clone();
                for (&parameter, &argument) in
                    program.function(*callee).parameters.iter().zip(arguments)
                {
                    values.insert(parameter.0, self.value(&before, argument));
                }
            }
            (
                StepKind::Return,
                Some(Operation::Call {
                    callee, results, ..
                }),
            ) => {
                let before = values.clone();
                for (&result, &from) in results.iter().zip(&program.function(*callee).results) {
                    let value = store().variable(program.variable(from).symbol);
                    values.insert(result.0, self.value(&before, value));
                }
            }
            _ => {}
        }
        Crossing { condition, values }
    }

    fn execute(
        &mut self,
        node: u32,
        arc: u32,
        operation: &Operation,
        condition: &mut TermId,
        values: &mut Values,
    ) {
        let program = self.blocks.inlined.program();
        match operation {
            Operation::Assign { target, value } => {
                values.insert(target.0, self.value(values, *value))
            }
            Operation::Assume(assumed) => {
                *condition = conjoin(*condition, self.value(values, *assumed))
            }
            Operation::Store {
                region,
                index,
                value,
            } => {
                let variable = program.region(*region).variable;
                let contents =
                    self.value(values, store().variable(program.variable(variable).symbol));
                let (index, value) = (self.value(values, *index), self.value(values, *value));
                values.insert(variable.0, store().store(contents, index, value));
            }
            Operation::Havoc { target, input } => {
                let guard = conjoin(self.condition(node, 0), *condition);
                let name = format!("input#{}", input.0);
                let value = program.input(*input).kind.in_formulas();
                let value = value.unwrap_or_else(|| {
                    self.input(
                        Place::Arc(arc),
                        InputSource::Input(*input),
                        &name,
                        program.variable(*target).sort,
                        guard,
                    )
                });
                values.insert(target.0, value);
            }
            Operation::Call { .. }
            | Operation::Allocate { .. }
            | Operation::Free { .. }
            | Operation::Claim(_)
            | Operation::Unsupported(_) => {}
        }
    }

    fn input(
        &mut self,
        place: Place,
        source: InputSource,
        name: &str,
        sort: Sort,
        guard: TermId,
    ) -> TermId {
        let symbol = Symbol::new(name, sort);
        let instance = self.instances.entry(symbol).or_insert(0);
        *instance += 1;
        let input = BlockInput {
            source,
            symbol,
            instance: *instance,
            guard,
        };
        self.inputs.push((place, input));
        input.variable()
    }

    /// The term's value after the changes.
    fn value(&self, values: &Values, term: TermId) -> TermId {
        let replace = |term| match store().as_variable(term) {
            Some((symbol, 0)) => {
                let variable = self.blocks.variable(symbol)?;
                values.get(variable.0).copied()
            }
            _ => None,
        };
        Rebuild::new(store(), store(), replace).rebuild(term)
    }

    /// The first assumptions of the edges, over the program's variables.
    fn first_conditions(&self, arcs: &[u32]) -> Vec<TermId> {
        let program = self.blocks.inlined.program();
        let edges = arcs
            .iter()
            .map(|&arc| program.edge(self.arcs[arc as usize].step.edge));
        edges
            .map(|edge| match edge.operations.first() {
                Some(Operation::Assume(condition)) => *condition,
                _ => TermId::TRUE,
            })
            .collect()
    }

    /// Makes the conditions of edges from one node exclude each other.
    fn choose(&mut self, node: u32, arcs: &[u32]) {
        let conditions: Vec<TermId> = arcs
            .iter()
            .filter_map(|&arc| self.crossings[arc as usize].as_ref())
            .map(|c| c.condition)
            .collect();
        // In the program, the conditions of branches are negations of each other; after substitution of the values this may
        // no longer be visible.
        if exclusive(&self.first_conditions(arcs)) || exclusive(&conditions) {
            return;
        }
        let guard = self.condition(node, 0);
        let mut not_before = TermId::TRUE;
        for (index, &arc) in arcs.iter().enumerate() {
            let mut chosen = not_before;
            if index + 1 < arcs.len() {
                let choice = self.input(
                    Place::Node(node),
                    InputSource::Choice,
                    "choice",
                    Sort::Bool,
                    guard,
                );
                chosen = conjoin(not_before, choice);
                not_before = conjoin(not_before, store().not(choice));
            }
            if let Some(crossing) = &mut self.crossings[arc as usize] {
                crossing.condition = conjoin(crossing.condition, chosen);
            }
        }
    }
}

/// The conjunction of two terms, as a term of two operands: chains of path conditions share their prefixes.
fn conjoin(a: TermId, b: TermId) -> TermId {
    match (a, b) {
        (TermId::FALSE, _) | (_, TermId::FALSE) => TermId::FALSE,
        (TermId::TRUE, other) | (other, TermId::TRUE) => other,
        (a, b) if a == b => a,
        (a, b) if a == store().not(b) => TermId::FALSE,
        (a, b) => store().intern(Op::And, Sort::Bool, &[a, b]),
    }
}

fn disjoin(conditions: impl Iterator<Item = TermId>) -> TermId {
    let conditions: Vec<TermId> = conditions.collect();
    if exhaustive(&conditions) {
        return TermId::TRUE;
    }
    store().or(conditions)
}

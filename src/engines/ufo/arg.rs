//! The abstract reachability graph (\[AGC12\]): an acyclic unrolling of the program whose paths join.
//!
//! A node stands for one visit of a place in the weak topological order: what leaves a loop after any number of iterations
//! leads to one node behind the loop. The graph is *well-labelled*: the label of the first node is true; of each block from
//! a node that is expanded, the label before it implies the label after it; and a node is left unexpanded if its label is
//! false, or implied by the labels of nodes at its place that are expanded. So the labels of the expanded nodes of a place
//! together are an invariant there.
//!
//! A label may only become weaker if the labels behind it are computed anew. To see that, each node remembers the edges, with
//! the versions of their sources, for which its label holds (its *basis*); strengthening the source of an edge keeps the
//! version, and the node itself is strengthened for the edges of its basis alone.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::domain::Domain;
use super::places::{PlaceId, Places};
use regatta_sharing::Candidate;
use regatta_term::{Build, TermId, store};

/// The number of a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The node at the program's entry.
    pub const ROOT: Self = Self(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of an edge. An edge that is led elsewhere gets another number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(u32);

/// A block from one node to another.
#[derive(Copy, Clone, Debug)]
pub struct Edge {
    /// The node before the block.
    pub from: NodeId,
    /// The index of the block among those that leave its place.
    pub block: usize,
    /// The node behind it.
    pub to: NodeId,
}

/// A block of the program, given by its place and its index there.
pub type Step = (PlaceId, usize);

/// A node.
#[derive(Debug)]
struct Node {
    place: PlaceId,
    /// A formula over the place's state (instance 0).
    label: TermId,
    incoming: Vec<EdgeId>,
    /// For each block that leaves the place, its edge; empty before the first expansion.
    outgoing: Vec<Option<EdgeId>>,
    /// The edges for which the label holds, with the versions of their sources.
    basis: Vec<(EdgeId, u32)>,
    /// How often the label was computed anew.
    version: u32,
    /// The last exploration that visited the node.
    visited: u32,
    /// Whether that exploration has expanded it.
    is_expanded: bool,
    /// Whether the last refinement has given it an interpolant.
    is_bound: bool,
}

/// The part of the graph between the first node and the errors.
#[derive(Debug)]
pub struct Dag {
    /// The nodes in a topological order: the root is the first, the node of errors the last.
    pub nodes: Vec<NodeId>,
    /// For each node, the edges that leave it, with the indices of the nodes behind them.
    pub leaving: Vec<Vec<(EdgeId, usize)>>,
}

/// The exploration ended before its end.
#[derive(Debug)]
pub struct Stopped;

/// The graph.
pub struct Arg {
    places: Rc<Places>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Blocks to errors that are not followed.
    left_aside: FxHashSet<Step>,
    /// The number of explorations.
    exploration: u32,
    /// The nodes of the last exploration, in the order of its visits.
    order: Vec<NodeId>,
    /// For each place, the node that is visited when it is the place's turn: FN of the paper.
    future: FxHashMap<PlaceId, NodeId>,
    /// The expanded nodes of each head of a component: AH of the paper.
    heads: FxHashMap<PlaceId, Vec<NodeId>>,
}

impl Arg {
    /// Creates the graph with its first node alone.
    pub fn new(places: Rc<Places>) -> Self {
        let mut arg = Self {
            places,
            nodes: Vec::new(),
            edges: Vec::new(),
            left_aside: FxHashSet::default(),
            exploration: 0,
            order: Vec::new(),
            future: FxHashMap::default(),
            heads: FxHashMap::default(),
        };
        arg.add_node(PlaceId::ENTRY);
        arg
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    pub fn edge(&self, id: EdgeId) -> Edge {
        self.edges[id.0 as usize]
    }

    /// The block of an edge.
    pub fn step(&self, id: EdgeId) -> Step {
        let Edge { from, block, .. } = self.edge(id);
        (self.place(from), block)
    }

    pub fn place(&self, id: NodeId) -> PlaceId {
        self.nodes[id.index()].place
    }

    pub fn label(&self, id: NodeId) -> TermId {
        self.nodes[id.index()].label
    }

    fn add_node(&mut self, place: PlaceId) -> NodeId {
        self.nodes.push(Node {
            place,
            label: TermId::TRUE,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            basis: Vec::new(),
            version: 0,
            visited: 0,
            is_expanded: false,
            is_bound: false,
        });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Does not follow the block any more.
    pub fn leave_aside(&mut self, step: Step) {
        self.left_aside.insert(step);
    }

    /// Unrolls the program until every node is expanded or covered, and computes the labels that are not known (the paper's EXPANDARG).
    ///
    /// # Errors
    /// When `is_stopped` says so.
    pub fn explore(
        &mut self,
        domain: &mut Domain<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Stopped> {
        self.exploration += 1;
        self.order.clear();
        self.future.clear();
        self.heads.clear();
        self.future.insert(PlaceId::ENTRY, NodeId::ROOT);
        let places = Rc::clone(&self.places);
        let mut position = 0;
        while let Some(&place) = places.order.get(position) {
            if let Some(node) = self.future.remove(&place) {
                if is_stopped() {
                    return Err(Stopped);
                }
                self.visit(node, domain);
            }
            position += 1;
            // A component is left when nothing leads to its head any more.
            let mut ending = places.closing[position].iter();
            let again = ending.find(|&&head| self.future.contains_key(&places.order[head]));
            position = again.copied().unwrap_or(position);
        }
        Ok(())
    }

    fn visit(&mut self, id: NodeId, domain: &mut Domain<'_>) {
        self.order.push(id);
        self.compute_label(id, domain);
        let is_expanded = !self.is_covered(id, domain);
        let node = &mut self.nodes[id.index()];
        node.visited = self.exploration;
        node.is_expanded = is_expanded;
        if is_expanded {
            self.expand(id);
        }
    }

    /// Computes the label anew if an edge leads to the node for which the present one need not hold.
    fn compute_label(&mut self, id: NodeId, domain: &mut Domain<'_>) {
        if id == NodeId::ROOT {
            return;
        }
        let node = &self.nodes[id.index()];
        let edges = node.incoming.iter().copied();
        let edges: Vec<EdgeId> = edges.filter(|&edge| self.is_active(edge)).collect();
        let version = |edge: &EdgeId| self.nodes[self.edge(*edge).from.index()].version;
        let basis: Vec<(EdgeId, u32)> = edges.iter().map(|edge| (*edge, version(edge))).collect();
        let holds = node.version > 0 && basis.iter().all(|one| node.basis.contains(one));
        let mut label = node.label;
        if !holds || !node.is_bound {
            let images = edges.iter().map(|&edge| {
                let (place, block) = self.step(edge);
                domain.post(place, block, self.label(self.edge(edge).from))
            });
            let image = store().or(images.collect::<Vec<_>>());
            label = if holds {
                store().and2(label, image)
            } else {
                image
            };
        }
        let node = &mut self.nodes[id.index()];
        node.version += u32::from(!holds);
        node.label = label;
        node.basis = basis;
    }

    /// Whether the last exploration has expanded the source of the edge.
    fn is_active(&self, edge: EdgeId) -> bool {
        let from = &self.nodes[self.edge(edge).from.index()];
        from.visited == self.exploration && from.is_expanded
    }

    /// Checks whether the node need not be expanded. A head that must be may cover others from then on.
    fn is_covered(&mut self, id: NodeId, domain: &mut Domain<'_>) -> bool {
        let Node { place, label, .. } = self.nodes[id.index()];
        if label == TermId::FALSE || place == self.places.error() {
            return true;
        }
        if !self.places.is_head(place) {
            return false;
        }
        let nodes = &self.nodes;
        let others = self.heads.entry(place).or_default();
        let labels = others.iter().map(|other| nodes[other.index()].label);
        let known = store().or(labels.collect::<Vec<_>>());
        let is_covered = domain.entails(place, label, known);
        if !is_covered {
            others.push(id);
        }
        is_covered
    }

    /// Lets the node's edges lead to nodes that this exploration will visit (the paper's EXPANDNODE).
    ///
    /// Departure: if an edge of an earlier exploration leads to a node that is not the one to come, because the loops between
    /// them were left in another way, the edge is led to that one. So there is one node to come for each place, and no cycle.
    fn expand(&mut self, id: NodeId) {
        let place = self.place(id);
        let places = Rc::clone(&self.places);
        let count = places.leaving(place).len();
        let mut outgoing = std::mem::take(&mut self.nodes[id.index()].outgoing);
        outgoing.resize(count, None);
        for (block, slot) in outgoing.iter_mut().enumerate() {
            if self.left_aside.contains(&(place, block)) {
                self.detach(slot);
                continue;
            }
            let target = places.target(place, block);
            let known = slot.map(|edge| self.edge(edge).to);
            let fresh = known.filter(|to| self.nodes[to.index()].visited != self.exploration);
            let to = match self.future.get(&target) {
                Some(&to) => to,
                None => fresh.unwrap_or_else(|| self.add_node(target)),
            };
            self.future.insert(target, to);
            if known != Some(to) {
                self.detach(slot);
                let edge = EdgeId(self.edges.len() as u32);
                self.edges.push(Edge {
                    from: id,
                    block,
                    to,
                });
                self.nodes[to.index()].incoming.push(edge);
                *slot = Some(edge);
            }
        }
        self.nodes[id.index()].outgoing = outgoing;
    }

    /// Takes the edge out of the graph, if there is one.
    fn detach(&mut self, slot: &mut Option<EdgeId>) {
        if let Some(edge) = slot.take() {
            let to = self.edge(edge).to;
            self.nodes[to.index()].incoming.retain(|&one| one != edge);
        }
    }

    /// Returns the part of the last exploration from which an error is reached; `None` if the label there is false, or nothing
    /// leads there.
    pub fn dag(&self) -> Option<Dag> {
        let &last = self.order.last()?;
        if self.place(last) != self.places.error() || self.label(last) == TermId::FALSE {
            return None;
        }
        // In reverse: indices from the end.
        let mut index: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut nodes = Vec::new();
        let mut leaving: Vec<Vec<(EdgeId, usize)>> = Vec::new();
        for &id in self.order.iter().rev() {
            let node = &self.nodes[id.index()];
            let edges = node.outgoing.iter().flatten().copied();
            let edges = edges.filter(|_| node.is_expanded);
            let ends = edges.filter_map(|edge| Some((edge, *index.get(&self.edge(edge).to)?)));
            let ends: Vec<(EdgeId, usize)> = ends.collect();
            if id == last || !ends.is_empty() {
                index.insert(id, nodes.len());
                nodes.push(id);
                leaving.push(ends);
            }
        }
        nodes.reverse();
        leaving.reverse();
        for (_, end) in leaving.iter_mut().flatten() {
            *end = nodes.len() - 1 - *end;
        }
        Some(Dag { nodes, leaving })
    }

    /// Conjoins interpolants to the labels of the nodes.
    pub fn strengthen(&mut self, dag: &Dag, interpolants: &[TermId], domain: &mut Domain<'_>) {
        for id in &self.order {
            self.nodes[id.index()].is_bound = false;
        }
        for (&id, &interpolant) in dag.nodes.iter().zip(interpolants) {
            let node = &mut self.nodes[id.index()];
            node.is_bound = true;
            if interpolant == TermId::FALSE {
                node.label = TermId::FALSE;
            } else if !domain.entails(node.place, node.label, interpolant) {
                node.label = store().and2(node.label, interpolant);
            }
        }
    }

    /// Returns the invariants that the labels of the last exploration are, if it has reached no error: for each place the
    /// disjunction of the labels of its expanded nodes.
    pub fn invariants(&self) -> Vec<Candidate> {
        let mut labels: FxHashMap<PlaceId, Vec<TermId>> = FxHashMap::default();
        for &id in &self.order {
            let node = &self.nodes[id.index()];
            if node.is_expanded {
                labels.entry(node.place).or_default().push(node.label);
            }
        }
        let located = self.places.all().filter_map(|place| {
            let at = self.places.location(place)?;
            let formula = store().or(labels.remove(&place).unwrap_or_default());
            Some(Candidate { at, formula })
        });
        located.collect()
    }

    /// Returns the blocks before which the label of an expanded node does not imply the label behind them.
    #[cfg(test)]
    pub fn ill_labelled(&self, domain: &mut Domain<'_>) -> Vec<Step> {
        let expanded = self
            .order
            .iter()
            .filter(|id| self.nodes[id.index()].is_expanded);
        let edges = expanded.flat_map(|id| self.nodes[id.index()].outgoing.iter().flatten());
        let is_faulty = |edge: &&EdgeId| {
            let (place, block) = self.step(**edge);
            let Edge { from, to, .. } = self.edge(**edge);
            !domain.follows(place, block, self.label(from), self.label(to))
        };
        edges
            .filter(is_faulty)
            .map(|&edge| self.step(edge))
            .collect()
    }
}

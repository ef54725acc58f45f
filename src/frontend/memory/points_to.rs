//! The points-to graph: unification in the manner of Steensgaard ("Points-to analysis in almost linear time", 1996),
//! with offsets as in Lattner's data structure analysis ("Making context-sensitive points-to analysis with heap cloning
//! practical", 2007).
//!
//! A *node* is a class of objects that pointers could not tell apart. A pointer's *target* is a node and an offset in
//! bytes in the node's own frame. Two targets that one pointer may have are unified: their nodes become one, the frames
//! aligned so that the offsets coincide (a union-find whose links carry a shift). When a node is unified with itself
//! at another offset, as by a pointer that walks along an array, offsets in it are from then on known only modulo the
//! difference: the node's *period*. What pointers stored in a node point to, its *links*, is kept by offset; so the
//! members of a structure stay apart, and an array of structures is one structure repeated.
//!
//! Everything is near-linear in the number of constraints: unions are by rank of the link maps, paths are compressed,
//! and unifications that follow from others wait in a queue instead of on the stack.

use std::collections::BTreeMap;

/// A class of objects.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// Where a pointer points to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The class of objects.
    pub node: NodeId,
    /// Offset in bytes in the node's frame.
    pub offset: i64,
}

impl Target {
    /// The target some bytes further.
    #[must_use]
    pub const fn shifted(self, bytes: i64) -> Self {
        Self {
            node: self.node,
            offset: self.offset.wrapping_add(bytes),
        }
    }
}

/// What is known of a root node.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Offsets are known modulo this; zero: exactly.
    period: u64,
    /// Where the pointers stored at an offset point to.
    links: BTreeMap<i64, Target>,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Union-find parents; a root is its own.
    parent: Vec<NodeId>,
    /// Offset in the parent's frame = offset in the node's own + this.
    shift: Vec<i64>,
    /// Data of the roots.
    nodes: Vec<Node>,
    /// Unifications still to be done.
    pending: Vec<(Target, Target)>,
    /// Counts changes, so that a fixpoint can be seen.
    changes: u64,
}

/// Greatest common divisor; zero is neutral.
pub const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node that is alone in its class.
    pub fn add_node(&mut self) -> NodeId {
        let id = NodeId(self.parent.len() as u32);
        self.parent.push(id);
        self.shift.push(0);
        self.nodes.push(Node::default());
        id
    }

    /// Number of changes so far: it is the same after a pass exactly if that changed nothing.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// The root of the node's class, and what to add to an offset in the node's frame to have it in the root's.
    pub fn root(&self, node: NodeId) -> (NodeId, i64) {
        let mut current = node;
        let mut shift = 0_i64;
        loop {
            let parent = self.parent[current.0 as usize];
            if parent == current {
                return (current, shift);
            }
            shift = shift.wrapping_add(self.shift[current.0 as usize]);
            current = parent;
        }
    }

    /// As [`Graph::root`], and makes the next query short.
    fn root_compressing(&mut self, node: NodeId) -> (NodeId, i64) {
        let (root, total) = self.root(node);
        let mut current = node;
        let mut rest = total;
        while current != root {
            let next = self.parent[current.0 as usize];
            let step = self.shift[current.0 as usize];
            self.parent[current.0 as usize] = root;
            self.shift[current.0 as usize] = rest;
            rest = rest.wrapping_sub(step);
            current = next;
        }
        (root, total)
    }

    /// The same target in the frame of its root, with the offset reduced by the period.
    pub fn canonical(&self, target: Target) -> Target {
        let (node, shift) = self.root(target.node);
        Target {
            node,
            offset: reduce(
                target.offset.wrapping_add(shift),
                self.nodes[node.0 as usize].period,
            ),
        }
    }

    fn canonical_compressing(&mut self, target: Target) -> Target {
        self.root_compressing(target.node);
        self.canonical(target)
    }

    /// The period of the node's class: offsets are known modulo this; zero: exactly.
    pub fn period(&self, node: NodeId) -> u64 {
        self.nodes[self.root(node).0.0 as usize].period
    }

    /// Where pointers stored at the target point to; a node of its own if nothing is known yet.
    pub fn link(&mut self, place: Target) -> Target {
        let place = self.canonical_compressing(place);
        if let Some(&target) = self.nodes[place.node.0 as usize].links.get(&place.offset) {
            return target;
        }
        let target = Target {
            node: self.add_node(),
            offset: 0,
        };
        self.changes += 1;
        self.nodes[place.node.0 as usize]
            .links
            .insert(place.offset, target);
        target
    }

    /// All links of the node's class: offsets in the root's frame, and targets.
    pub fn links(&self, node: NodeId) -> impl Iterator<Item = (i64, Target)> + '_ {
        let (root, _) = self.root(node);
        self.nodes[root.0 as usize]
            .links
            .iter()
            .map(|(&offset, &target)| (offset, target))
    }

    /// The links whose offset in the root's frame is in the range; meaningful if the period is zero.
    pub fn links_between(
        &self,
        node: NodeId,
        from: i64,
        to: i64,
    ) -> impl Iterator<Item = (i64, Target)> + '_ {
        let (root, _) = self.root(node);
        self.nodes[root.0 as usize]
            .links
            .range(from..to.max(from))
            .map(|(&offset, &target)| (offset, target))
    }

    /// One pointer may have either target.
    pub fn unify(&mut self, a: Target, b: Target) {
        self.pending.push((a, b));
        while let Some((a, b)) = self.pending.pop() {
            self.unify_now(a, b);
        }
    }

    /// A pointer to the node may be moved by any multiple of so many bytes.
    pub fn fold(&mut self, node: NodeId, bytes: u64) {
        let (root, _) = self.root_compressing(node);
        self.fold_root(root, bytes);
        while let Some((a, b)) = self.pending.pop() {
            self.unify_now(a, b);
        }
    }

    fn unify_now(&mut self, a: Target, b: Target) {
        let a = self.canonical_compressing(a);
        let b = self.canonical_compressing(b);
        if a.node == b.node {
            if a.offset != b.offset {
                self.fold_root(a.node, a.offset.wrapping_sub(b.offset).unsigned_abs());
            }
            return;
        }
        self.changes += 1;
        // The smaller map of links moves.
        let (keep, lose) = if self.nodes[a.node.0 as usize].links.len()
            >= self.nodes[b.node.0 as usize].links.len()
        {
            (a, b)
        } else {
            (b, a)
        };
        let shift = keep.offset.wrapping_sub(lose.offset);
        let lost = std::mem::take(&mut self.nodes[lose.node.0 as usize]);
        self.parent[lose.node.0 as usize] = keep.node;
        self.shift[lose.node.0 as usize] = shift;
        self.fold_root(keep.node, lost.period);
        for (offset, target) in lost.links {
            self.insert_link(keep.node, offset.wrapping_add(shift), target);
        }
    }

    fn fold_root(&mut self, root: NodeId, bytes: u64) {
        let node = &mut self.nodes[root.0 as usize];
        let period = gcd(node.period, bytes);
        if period == node.period {
            return;
        }
        self.changes += 1;
        node.period = period;
        for (offset, target) in std::mem::take(&mut node.links) {
            self.insert_link(root, offset, target);
        }
    }

    fn insert_link(&mut self, root: NodeId, offset: i64, target: Target) {
        let node = &mut self.nodes[root.0 as usize];
        match node.links.entry(reduce(offset, node.period)) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(target);
            }
            std::collections::btree_map::Entry::Occupied(entry) => {
                self.pending.push((*entry.get(), target))
            }
        }
    }
}

/// The offset modulo the period, if there is one.
const fn reduce(offset: i64, period: u64) -> i64 {
    if period == 0 || period > i64::MAX as u64 {
        offset
    } else {
        offset.rem_euclid(period as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(node: NodeId, offset: i64) -> Target {
        Target { node, offset }
    }

    #[test]
    fn frames_are_aligned() {
        let mut graph = Graph::new();
        let (a, b, c) = (graph.add_node(), graph.add_node(), graph.add_node());
        graph.unify(at(a, 4), at(b, 0));
        graph.unify(at(b, 8), at(c, 2));
        assert_eq!(graph.canonical(at(a, 12)), graph.canonical(at(c, 2)));
        assert_eq!(graph.canonical(at(b, 0)), graph.canonical(at(a, 4)));
        assert_eq!(graph.period(a), 0);
    }

    #[test]
    fn walking_pointers_fold_their_array() {
        let mut graph = Graph::new();
        let array = graph.add_node();
        graph.unify(at(array, 0), at(array, 12));
        assert_eq!(graph.period(array), 12);
        graph.unify(at(array, 8), at(array, 0));
        assert_eq!(graph.period(array), 4);
        assert_eq!(
            graph.canonical(at(array, 40)),
            graph.canonical(at(array, 0))
        );
        assert_ne!(
            graph.canonical(at(array, 41)),
            graph.canonical(at(array, 0))
        );
    }

    #[test]
    fn links_follow_unions_and_folds() {
        let mut graph = Graph::new();
        let (p, q, x, y) = (
            graph.add_node(),
            graph.add_node(),
            graph.add_node(),
            graph.add_node(),
        );
        let (of_p, of_q) = (graph.link(at(p, 0)), graph.link(at(q, 8)));
        graph.unify(of_p, at(x, 0));
        graph.unify(of_q, at(y, 0));
        assert_ne!(graph.canonical(at(x, 0)), graph.canonical(at(y, 0)));
        graph.unify(at(p, 0), at(q, 0));
        assert_ne!(
            graph.canonical(at(x, 0)),
            graph.canonical(at(y, 0)),
            "members stay apart"
        );
        graph.fold(p, 8);
        assert_eq!(graph.canonical(at(x, 0)), graph.canonical(at(y, 0)));
    }

    #[test]
    fn cyclic_structures_end() {
        let mut graph = Graph::new();
        let list = graph.add_node();
        let next = graph.link(at(list, 8));
        graph.unify(next, at(list, 0));
        let far = graph.link(graph.link_path(at(list, 8)));
        assert_eq!(graph.canonical(far), graph.canonical(at(list, 0)));
        assert_eq!(graph.period(list), 0);
    }

    impl Graph {
        fn link_path(&self, place: Target) -> Target {
            let place = self.canonical(place);
            self.nodes[place.node.0 as usize].links[&place.offset].shifted(8)
        }
    }
}

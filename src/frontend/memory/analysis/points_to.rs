//! The points-to graph: unification in the manner of Steensgaard \[Ste96\], with offsets as in Lattner's data structure analysis
//! \[LLA07\].
//!
//! A *node* is a class of objects that the analysis does not tell apart. A pointer's *target* is a node and an offset
//! in bytes in the node's own frame. Two targets that one pointer may have are unified: their nodes become one, the
//! frames aligned so that the offsets coincide (a union-find whose links carry a shift). When a node is unified with
//! itself at another offset, as by a pointer that walks along an array, its offsets are from then on known only modulo
//! the difference: the node's *period*. The targets of the pointers stored in a node, its *links*, are stored by
//! offset; so the members of a structure stay apart, and an array of structures is one structure repeated.
//!
//! Before a node gets a period, a few offsets that one pointer may have are *alike*, as those of the two members in
//! `left ? &t->left : &t->right`: a pointer to one of them may point to the others, and they have the same links, but
//! other members are not affected. Moving such a pointer by a constant moves all its offsets
//! ([`Graph::unify_shifted`]). Where that gives too many offsets, or the accesses do not permit it
//! ([`Graph::fold_alike`]), the node gets a period after all.
//!
//! Everything is near-linear in the number of constraints: unions are by rank of the link maps, paths are compressed,
//! and unifications that follow from others wait in a queue instead of on the stack.

use std::collections::BTreeMap;

use crate::memory::limits::{MAXIMUM_ALIKE_OFFSETS, MAXIMUM_ALIKE_SETS};

/// A class of objects.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// The target of a pointer.
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

/// The data of a root node.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Offsets are known modulo this; zero: exactly.
    period: u64,
    /// The targets of the pointers stored at each offset; for a set of alike offsets, stored at the lowest one.
    links: BTreeMap<i64, Target>,
    /// The sets of alike offsets: disjoint, ascending, of at least two offsets each. Empty if there is a period.
    alike: Vec<Vec<i64>>,
}

impl Node {
    /// The set of alike offsets that contains this one, if there is one.
    fn like(&self, offset: i64) -> Option<&[i64]> {
        let mut sets = self.alike.iter();
        sets.find(|set| set.contains(&offset)).map(Vec::as_slice)
    }

    /// The offset at which the links of this offset are stored.
    fn key(&self, offset: i64) -> i64 {
        let offset = reduce(offset, self.period);
        self.like(offset).map_or(offset, |set| set[0])
    }
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
    /// The number of changes, to detect a fixpoint.
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

    /// The number of changes so far: a pass that leaves it the same has changed nothing.
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

    /// As [`Graph::root`], with path compression.
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

    /// The target of the pointers stored at the place; a new node if nothing is known yet.
    pub fn link(&mut self, place: Target) -> Target {
        let mut place = self.canonical_compressing(place);
        let node = &self.nodes[place.node.0 as usize];
        place.offset = node.key(place.offset);
        if let Some(&target) = node.links.get(&place.offset) {
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

    /// The target of the pointers stored at the place, if any are known.
    pub fn known_link(&self, place: Target) -> Option<Target> {
        let place = self.canonical(place);
        let node = &self.nodes[place.node.0 as usize];
        node.links.get(&node.key(place.offset)).copied()
    }

    /// The offsets that a pointer to the target may have, in the frame of the root: its own and those alike to it.
    pub fn offsets(&self, target: Target) -> Vec<i64> {
        let target = self.canonical(target);
        match self.nodes[target.node.0 as usize].like(target.offset) {
            Some(set) => set.to_vec(),
            None => vec![target.offset],
        }
    }

    /// The sets of offsets that are alike in the node's class, in the frame of the root.
    pub fn alike(&self, node: NodeId) -> &[Vec<i64>] {
        &self.nodes[self.root(node).0.0 as usize].alike
    }

    /// Gives the node's class a period if it has alike offsets.
    pub fn fold_alike(&mut self, node: NodeId) {
        let (root, _) = self.root_compressing(node);
        if let Some(set) = self.nodes[root.0 as usize].alike.first() {
            let bytes = set[1].wrapping_sub(set[0]).unsigned_abs();
            self.fold(root, bytes);
        }
    }

    /// Moves a pointer to the target by a number of bytes, and with it every offset that it may have.
    pub fn unify_shifted(&mut self, target: Target, bytes: i64) {
        let node = self.canonical(target).node;
        let offsets = self.offsets(target);
        if let Some((&first, others)) = offsets.split_first() {
            let moved = |offset: i64| Target {
                node,
                offset: offset.wrapping_add(bytes),
            };
            for &other in others {
                self.unify(moved(first), moved(other));
            }
        }
    }

    /// All links of the node's class: offsets in the root's frame, and targets.
    pub fn links(&self, node: NodeId) -> impl Iterator<Item = (i64, Target)> + '_ {
        let (root, _) = self.root(node);
        self.nodes[root.0 as usize]
            .links
            .iter()
            .map(|(&offset, &target)| (offset, target))
    }

    /// The links at offsets in the range, in the root's frame; meaningful if the period is zero.
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

    /// Unifies two targets that one pointer may have.
    pub fn unify(&mut self, a: Target, b: Target) {
        self.pending.push((a, b));
        while let Some((a, b)) = self.pending.pop() {
            self.unify_now(a, b);
        }
    }

    /// Gives the node a period: a pointer to it may be moved by any multiple of this number of bytes.
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
                self.make_alike(a.node, [a.offset, b.offset]);
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
        for set in lost.alike {
            for pair in set.windows(2) {
                let pair = [pair[0].wrapping_add(shift), pair[1].wrapping_add(shift)];
                self.make_alike(keep.node, pair);
            }
        }
    }

    /// Makes two offsets in the root's frame alike.
    fn make_alike(&mut self, root: NodeId, [a, b]: [i64; 2]) {
        let node = &mut self.nodes[root.0 as usize];
        if node.period != 0 {
            return self.fold_root(root, a.wrapping_sub(b).unsigned_abs());
        }
        if node.like(a).is_some_and(|set| set.contains(&b)) {
            return;
        }
        self.changes += 1;
        let mut united = vec![a, b];
        node.alike.retain(|set| {
            let is_other = !set.contains(&a) && !set.contains(&b);
            if !is_other {
                united.extend(set);
            }
            is_other
        });
        united.sort_unstable();
        united.dedup();
        let are_few =
            united.len() <= MAXIMUM_ALIKE_OFFSETS && node.alike.len() < MAXIMUM_ALIKE_SETS;
        let moved: Vec<Target> = united
            .iter()
            .filter_map(|offset| node.links.remove(offset))
            .collect();
        let first = united[0];
        node.alike.push(united);
        for target in moved {
            self.insert_link(root, first, target);
        }
        if !are_few {
            self.fold_root(root, a.wrapping_sub(b).unsigned_abs());
        }
    }

    fn fold_root(&mut self, root: NodeId, bytes: u64) {
        let node = &mut self.nodes[root.0 as usize];
        let mut period = gcd(node.period, bytes);
        if period == node.period {
            return;
        }
        for pair in std::mem::take(&mut node.alike)
            .iter()
            .flat_map(|set| set.windows(2))
        {
            period = gcd(period, pair[1].wrapping_sub(pair[0]).unsigned_abs());
        }
        self.changes += 1;
        node.period = period;
        for (offset, target) in std::mem::take(&mut node.links) {
            self.insert_link(root, offset, target);
        }
    }

    fn insert_link(&mut self, root: NodeId, offset: i64, target: Target) {
        let node = &mut self.nodes[root.0 as usize];
        let key = node.key(offset);
        match node.links.entry(key) {
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
        graph.fold_alike(array);
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
    fn a_few_offsets_are_alike() {
        let mut graph = Graph::new();
        let (tree, x, y) = (graph.add_node(), graph.add_node(), graph.add_node());
        let (left, right) = (graph.link(at(tree, 8)), graph.link(at(tree, 16)));
        graph.unify(left, at(x, 0));
        graph.unify(right, at(y, 0));
        graph.unify(at(tree, 8), at(tree, 16));
        assert_eq!(graph.period(tree), 0);
        assert_eq!(graph.canonical(at(x, 0)), graph.canonical(at(y, 0)));
        assert_eq!(graph.offsets(at(tree, 16)), [8, 16]);
        assert_eq!(graph.offsets(at(tree, 0)), [0]);
        graph.unify_shifted(at(tree, 8), 24);
        assert_eq!(graph.offsets(at(tree, 40)), [32, 40]);

        // A node that is unified gets the alike offsets, shifted.
        let other = graph.add_node();
        graph.unify(at(other, 0), at(tree, 16));
        let offset = graph.canonical(at(other, 0)).offset;
        assert!(graph.offsets(at(other, 0)).contains(&(offset - 8)));
        graph.fold(tree, 16);
        assert_eq!(graph.period(tree), 8);
        assert!(graph.alike(tree).is_empty());
    }

    #[test]
    fn many_offsets_are_a_row() {
        let mut graph = Graph::new();
        let array = graph.add_node();
        graph.unify(at(array, 0), at(array, 12));
        for _ in 0..MAXIMUM_ALIKE_OFFSETS {
            graph.unify_shifted(at(array, 0), 12);
        }
        assert_eq!(graph.period(array), 12);
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

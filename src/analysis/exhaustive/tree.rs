//! The search tree of a program's inputs: which runs have been explored, and which is next.

use crate::program::interpreter::concolic::{BoxInput, Choice};
use crate::term::domain::IntervalSet;

/// An input on the current path.
#[derive(Clone, Debug)]
struct Node {
    /// Its value on the path.
    value: i128,
    /// The values that are not known to be covered; they include `value`.
    remaining: IntervalSet,
    /// The values of `remaining` for which all runs explored below `value` are the same.
    same: IntervalSet,
    /// Values that some run had to distinguish.
    needed: IntervalSet,
}

impl Node {
    /// Changes `value` to another remaining value, if there is one.
    fn next_value(&mut self) -> bool {
        // Values that no run has distinguished come first: they show early whether the rest is covered in large boxes.
        let undistinguished = self.remaining.difference(&self.needed);
        let next = undistinguished
            .nearest_to_zero()
            .or_else(|| self.remaining.nearest_to_zero());
        if let Some(next) = next {
            self.value = next;
            self.same.clone_from(&self.remaining);
        }
        next.is_some()
    }
}

/// A depth-first search of all choices for the inputs, box by box.
///
/// *Invariant.* For each node: every run that begins with the values of the nodes above it and continues with a value
/// outside `remaining` belongs to an explored box. When everything below a node has been explored, the boxes below it
/// contain, for every member of `same`, all runs with that member.
///
/// The search can be divided: the remaining values of a node are distributed over two trees, which copy the nodes above it
/// and do not advance them. When both trees are complete, what they have learnt about those nodes is combined, and the
/// search continues above.
#[derive(Debug, Default)]
pub(super) struct Tree {
    path: Vec<Node>,
    /// The number of nodes, from the root, that belong to the tree that this one is a part of.
    fixed: usize,
}

/// The tree above two parts.
#[derive(Debug)]
pub(super) struct Above(Tree);

impl Tree {
    /// Returns the value of the input at the position of the path, which may be the first one after its end.
    pub(super) fn choose(&mut self, position: usize, domain: &IntervalSet) -> Option<Choice> {
        if position == self.path.len() {
            let value = domain.nearest_to_zero()?;
            self.path.push(Node {
                value,
                remaining: domain.clone(),
                same: domain.clone(),
                needed: IntervalSet::default(),
            });
        }
        let node = &self.path[position];
        Some(Choice {
            value: node.value,
            concrete: node.needed.contains(node.value),
        })
    }

    /// Returns the number of inputs of the path.
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Records the box of a run with the path's values.
    pub(super) fn record(&mut self, inputs: &[BoxInput]) {
        for (node, input) in self.path.iter_mut().zip(inputs) {
            debug_assert_eq!(node.value, input.value);
            node.same = node.same.intersection(&input.set);
            if let Some(needed) = &input.needed {
                node.needed = node.needed.union(&needed.intersection(&node.remaining));
            }
        }
    }

    /// Advances to an unexplored run; returns false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        while self.path.len() > self.fixed
            && let Some(node) = self.path.last_mut()
        {
            node.remaining = node.remaining.difference(&node.same);
            if node.next_value() {
                return true;
            }
            self.path.pop();
        }
        false
    }

    /// Splits off half of the remaining values of the node nearest to the root that has any, as a tree of its own. Both trees
    /// are parts then.
    pub(super) fn divide(&mut self) -> Option<(Above, Self)> {
        let rest = |node: &Node| node.remaining.difference(&node.same);
        let own = self.path.iter().enumerate().skip(self.fixed);
        let (place, rest) = own
            .map(|(place, node)| (place, rest(node)))
            .find(|(_, rest)| !rest.is_empty())?;
        let (_, given) = rest.halves();
        let above = Above(Self {
            path: self.path[..place].to_vec(),
            fixed: self.fixed,
        });
        let mut path = self.path[..=place].to_vec();
        let node = &mut self.path[place];
        node.remaining = node.remaining.difference(&given);
        path[place].remaining = given;
        path[place].next_value();
        self.fixed = place;
        let part = Self { path, fixed: place };
        Some((above, part))
    }

    /// Returns the number of inputs on the path that have unexplored values.
    pub(super) fn open_inputs(&self) -> usize {
        let open = |node: &&Node| node.same != node.remaining;
        self.path.iter().filter(open).count()
    }

    /// Estimates the number of runs from the values that have to be distinguished.
    pub(super) fn runs_to_expect(&self) -> f64 {
        let needed = self.path.iter().map(|node| node.needed.len().max(1) as f64);
        needed.product()
    }

    /// Estimates the explored fraction, from 0 to 1; `None` if no values had to be distinguished, so that there is no
    /// estimate.
    pub(super) fn progress(&self) -> Option<f64> {
        let (mut done, mut width) = (0.0, 1.0);
        let mut countable = false;
        for node in &self.path {
            let needed = node.needed.len() as f64;
            if needed == 0.0 {
                continue;
            }
            countable = true;
            let left = node.remaining.intersection(&node.needed).len() as f64;
            done += width * (needed - left) / needed;
            width /= needed;
        }
        countable.then_some(done)
    }
}

impl Above {
    /// Combines it with what a complete part has learnt.
    pub(super) fn learn(&mut self, part: &Tree) {
        for (node, other) in self.0.path.iter_mut().zip(&part.path) {
            debug_assert_eq!(node.value, other.value);
            node.same = node.same.intersection(&other.same);
            node.needed = node.needed.union(&other.needed);
        }
    }

    /// Returns the tree above, once both parts are complete.
    pub(super) fn into_tree(self) -> Tree {
        self.0
    }
}

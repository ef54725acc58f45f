//! The tree of a program's inputs: which runs have been seen, and which is next.

use crate::program::interpreter::concolic::{BoxInput, Choice};
use crate::term::domain::IntervalSet;

/// An input on the current path.
#[derive(Clone, Debug)]
struct Node {
    /// Its value on the path.
    value: i128,
    /// The values that are not known to be covered; `value` is one of them.
    remaining: IntervalSet,
    /// The members of `remaining` for which all runs seen below `value` would have been the same.
    same: IntervalSet,
    /// Values that some run had to tell apart.
    needed: IntervalSet,
}

impl Node {
    /// Goes on to a value that remains, if one does.
    fn go_on(&mut self) -> bool {
        // What has not been met first: it shows soon whether the rest is covered in large pieces.
        let unmet = self.remaining.difference(&self.needed);
        let next = unmet
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
/// *Invariant.* For each node: whatever run begins with the values of the nodes above, and then has a value that is not
/// in `remaining`, is a member of a box that has been seen. When everything below a node has been seen, the boxes seen
/// there hold, for every member of `same`, all runs with that member.
///
/// The search can be divided: the values that a node has left are shared out between two trees, which have copies of the
/// nodes above and leave them as they are. What the two have learnt of those is put together when both are done, and
/// the search goes on above.
#[derive(Debug, Default)]
pub(super) struct Tree {
    path: Vec<Node>,
    /// So many nodes of the path belong to the tree that this one is a part of.
    fixed: usize,
}

/// What is above two parts of a tree.
#[derive(Debug)]
pub(super) struct Above(Tree);

impl Tree {
    /// The value of the input at the position of the path, which may be the first one behind its end.
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

    /// How many inputs the path has.
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }

    /// A run with the path's values has been seen, with this box.
    pub(super) fn record(&mut self, inputs: &[BoxInput]) {
        for (node, input) in self.path.iter_mut().zip(inputs) {
            debug_assert_eq!(node.value, input.value);
            node.same = node.same.intersection(&input.set);
            if let Some(needed) = &input.needed {
                node.needed = node.needed.union(&needed.intersection(&node.remaining));
            }
        }
    }

    /// Goes on to a run that has not been seen; false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        while self.path.len() > self.fixed
            && let Some(node) = self.path.last_mut()
        {
            node.remaining = node.remaining.difference(&node.same);
            if node.go_on() {
                return true;
            }
            self.path.pop();
        }
        false
    }

    /// Gives the half of what is left at the node nearest to the root away, if something is: to a tree of its own. This
    /// one is a part then as well.
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
        path[place].go_on();
        self.fixed = place;
        let part = Self { path, fixed: place };
        Some((above, part))
    }

    /// How many inputs on the path have values that are left for other runs.
    pub(super) fn open_inputs(&self) -> usize {
        let open = |node: &&Node| node.same != node.remaining;
        self.path.iter().filter(open).count()
    }

    /// About how many runs there are below the values that have to be told apart.
    pub(super) fn runs_to_expect(&self) -> f64 {
        let needed = self.path.iter().map(|node| node.needed.len().max(1) as f64);
        needed.product()
    }

    /// About which part of the runs has been seen, from 0 to 1; `None` if no values had to be told apart, so that one
    /// cannot tell.
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
    /// Takes over what a part has learnt, all of whose runs have been seen.
    pub(super) fn learn(&mut self, part: &Tree) {
        for (node, other) in self.0.path.iter_mut().zip(&part.path) {
            debug_assert_eq!(node.value, other.value);
            node.same = node.same.intersection(&other.same);
            node.needed = node.needed.union(&other.needed);
        }
    }

    /// The search above, once all parts are done.
    pub(super) fn into_tree(self) -> Tree {
        self.0
    }
}

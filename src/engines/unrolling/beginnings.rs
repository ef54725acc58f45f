//! The states in which the paths to targets begin, and what is known there.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Target, Unrolling};
use regatta_cpa::ElementId;
use regatta_cpa::arg::ArgNode;
use regatta_program::InlinedLocation;
use regatta_sharing::{ByPlace, Candidate};
use regatta_term::{Build, TermId};

/// Numbers of states in which an unrolling begins, in order.
pub type Beginnings = Rc<[usize]>;

impl Unrolling {
    /// Returns for each target the states in which paths to it begin. Each node is looked at once for all targets.
    pub fn beginnings(&self, targets: &[Target]) -> Vec<Beginnings> {
        let mut known = FxHashMap::default();
        let nodes = targets.iter().map(|target| {
            let element = self.reached.get(target.element);
            element.map(|element| element.state.node)
        });
        nodes
            .map(|node| match node {
                Some(node) => self.beginnings_of(node, &mut known),
                None => Beginnings::default(),
            })
            .collect()
    }

    /// Returns the location of such a state.
    pub fn beginning(&self, number: usize) -> Option<InlinedLocation> {
        self.starts.get(number).map(|&(at, _)| at)
    }

    /// Returns the invariants at such states, each with the condition that it holds there.
    pub fn known_at(&self, beginnings: &[usize], invariants: &ByPlace) -> Vec<(Candidate, TermId)> {
        let mut found = Vec::new();
        for &number in beginnings {
            // The states of the beginning are the first ones, with the first nodes.
            if let Some(&(at, guard)) = self.starts.get(number)
                && let Some(element) = self.reached.get(ElementId(number as u32))
            {
                let path = &element.state.domain.formula;
                let known = invariants.get(&at).into_iter().flatten();
                found.extend(known.map(|&formula| {
                    let here = self.cpa.domain.at_end(path, formula);
                    let condition = self.solver.arena().implies(guard, here);
                    (Candidate { at, formula }, condition)
                }));
            }
        }
        found
    }

    fn beginnings_of(
        &self,
        last: ArgNode,
        known: &mut FxHashMap<ArgNode, Beginnings>,
    ) -> Beginnings {
        let mut entered = FxHashSet::default();
        let mut work = vec![last];
        while let Some(&node) = work.last() {
            if known.contains_key(&node) {
                work.pop();
                continue;
            }
            let parents = self.cpa.arg.parents(node).iter();
            let parents = parents.map(|(parent, _)| *parent);
            let before = work.len();
            if entered.insert(node) {
                let is_new =
                    |parent: &ArgNode| !known.contains_key(parent) && !entered.contains(parent);
                work.extend(parents.clone().filter(is_new));
            }
            if work.len() == before {
                let all = self.united(node, parents.filter_map(|parent| known.get(&parent)));
                known.insert(node, all);
                work.pop();
            }
        }
        known.get(&last).cloned().unwrap_or_default()
    }

    /// The beginnings of the node's parents together, with the node itself if it is one.
    fn united<'b>(
        &self,
        node: ArgNode,
        parents: impl Iterator<Item = &'b Beginnings>,
    ) -> Beginnings {
        let own = node.0 as usize;
        let own = (own < self.starts.len()).then_some(own);
        let mut sets: Vec<&Beginnings> = parents.collect();
        sets.dedup_by(|one, other| Rc::ptr_eq(one, other));
        if let (None, [one]) = (own, &sets[..]) {
            return Rc::clone(one);
        }
        let all = sets.into_iter().flat_map(|set| set.iter().copied());
        let mut all: Vec<usize> = all.chain(own).collect();
        all.sort_unstable();
        all.dedup();
        all.into()
    }
}

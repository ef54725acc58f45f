//! Whether freed memory may be allocated again.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Facts;
use crate::ir::{Instruction, Terminator};
use crate::memory::analysis::points_to::NodeId;
use crate::memory::analysis::walk::successors;

/// A program point: function, block, number of the next instruction.
type Position = (u32, u32, u32);

/// A search for allocations after a `free`, along calls and returns; it is context-insensitive: a function returns to
/// all of its callers.
pub(super) struct Reuse<'f, 'a> {
    facts: &'f Facts<'a>,
    /// Where execution goes on when a function returns, by function.
    returns: FxHashMap<u32, Vec<Position>>,
    known: FxHashMap<[NodeId; 2], bool>,
}

impl<'f, 'a> Reuse<'f, 'a> {
    pub fn new(facts: &'f Facts<'a>) -> Self {
        let mut returns: FxHashMap<u32, Vec<Position>> = FxHashMap::default();
        for (&(function, block, number), &site) in &facts.call_of {
            for callee in &facts.calls[site].callees {
                let after = (function, block, number + 1);
                returns.entry(callee.0).or_default().push(after);
            }
        }
        Self {
            facts,
            returns,
            known: FxHashMap::default(),
        }
    }

    /// Whether a heap object of one of the classes may be allocated where a freed one of them was.
    pub fn may_return(&mut self, roots: [NodeId; 2]) -> bool {
        if let Some(&known) = self.known.get(&roots) {
            return known;
        }
        let may = self.is_made_after_a_free(roots);
        self.known.insert(roots, may);
        may
    }

    fn is_made_after_a_free(&self, roots: [NodeId; 2]) -> bool {
        let is_of = |node: NodeId| roots.contains(&self.facts.graph.root(node).0);
        let freed = self.facts.freed.iter();
        let freed = freed.filter(|(_, target)| is_of(target.node));
        let mut open: VecDeque<Position> = freed
            .map(|&((function, block, number), _)| (function, block, number + 1))
            .collect();
        let mut seen: FxHashSet<Position> = open.iter().copied().collect();
        while let Some((function, block, first)) = open.pop_front() {
            let data = &self.facts.unit.functions[function as usize].blocks[block as usize];
            let mut next: Vec<Position> = Vec::new();
            for (number, (instruction, _)) in (0..).zip(&data.instructions).skip(first as usize) {
                let position = (function, block, number);
                match instruction {
                    Instruction::Allocate { .. } => {
                        let site = self.facts.site_of.get(&position);
                        let site = site.map(|&site| &self.facts.sites[site]);
                        if site.is_none_or(|site| site.on_heap && is_of(site.node)) {
                            return true;
                        }
                    }
                    Instruction::Call { .. } => match self.facts.call_of.get(&position) {
                        None => return true,
                        Some(site) if self.facts.unknown_callee.contains(site) => return true,
                        Some(&site) => {
                            let callees = self.facts.calls[site].callees.iter();
                            next.extend(callees.map(|callee| (callee.0, 0, 0)));
                        }
                    },
                    _ => {}
                }
            }
            let after = successors(&data.terminator).into_iter();
            next.extend(after.map(|block| (function, block, 0)));
            if matches!(data.terminator, Terminator::Return) {
                next.extend(self.returns.get(&function).into_iter().flatten());
            }
            open.extend(next.into_iter().filter(|&position| seen.insert(position)));
        }
        false
    }
}

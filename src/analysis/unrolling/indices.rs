//! The indices at which the paths of an unrolling read and write arrays.

use rustc_hash::FxHashSet;

use crate::cpa::predicate::definitions::Definitions;
use crate::term::{Arena, Op, Pool, TermId, TermKind};

/// Maximum number of indices; further ones are ignored.
const MAXIMUM_INDICES: usize = 200;

/// The indices, found as the unrolling grows.
#[derive(Default)]
pub struct Indices {
    all: Vec<TermId>,
    seen: FxHashSet<TermId>,
    /// The number of definitions that have been searched.
    definitions: usize,
}

impl Indices {
    /// The indices found so far.
    pub fn all(&self) -> &[TermId] {
        &self.all
    }

    /// Searches the definitions that are new.
    pub fn refresh(&mut self, definitions: &Definitions, arena: &Arena) {
        let mut stack = definitions.values_from(self.definitions).to_vec();
        self.definitions = definitions.count();
        while let Some(top) = stack.pop() {
            if !self.seen.insert(top) {
                continue;
            }
            if let TermKind::Apply { op, arguments } = arena.kind(top) {
                if matches!(op, Op::Select | Op::Store)
                    && self.all.len() < MAXIMUM_INDICES
                    && !self.all.contains(&arguments[1])
                {
                    self.all.push(arguments[1]);
                }
                stack.extend_from_slice(arguments);
            }
        }
    }
}

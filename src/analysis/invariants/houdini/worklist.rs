//! The blocks that are still to be asked about.

use crate::analysis::invariants::ByPlace;
use crate::program::block::Block;
use crate::term::TermId;
use crate::workers::queue::Work;

/// What several threads work on.
///
/// *Invariant.* A block that is neither dirty nor being asked about leads from all states that satisfy what is open and
/// known at its source to states that satisfy what is open at its target. For what is open only ever shrinks, a block was
/// asked about with what was open at its source then, and is dirty as soon as that shrinks.
pub(super) struct Worklist<'b> {
    blocks: &'b [Block],
    /// What is proved.
    known: ByPlace,
    /// The candidates that nothing has refuted yet.
    open: ByPlace,
    dirty: Vec<bool>,
}

/// Whether the goals hold behind a block.
pub(super) struct Question<'b> {
    pub block: &'b Block,
    /// What may be assumed where the block starts.
    pub assumed: Vec<TermId>,
    pub goals: Vec<TermId>,
}

impl<'b> Worklist<'b> {
    pub fn new(blocks: &'b [Block], candidates: ByPlace, known: ByPlace) -> Self {
        Self {
            blocks,
            known,
            open: candidates,
            dirty: vec![true; blocks.len()],
        }
    }

    /// Whether there is a block that nobody asks about yet.
    pub fn has_work(&self) -> bool {
        self.dirty.contains(&true)
    }

    /// Of the goals behind the block, only these hold.
    pub fn answer(&mut self, block: &Block, held: &[TermId]) {
        let Some(target) = block.target() else {
            return;
        };
        let open = self.open.entry(target).or_default();
        let before = open.len();
        // Somebody else may have dropped others.
        open.retain(|formula| held.contains(formula));
        if open.len() < before {
            for (dirty, block) in self.dirty.iter_mut().zip(self.blocks) {
                *dirty |= block.source == target;
            }
        }
    }

    /// The candidates that are inductive together, once all is done.
    pub fn into_inductive(self) -> ByPlace {
        self.open
    }
}

impl<'b> Work for Worklist<'b> {
    type Part = Question<'b>;

    fn take(&mut self) -> Option<Question<'b>> {
        while let Some(next) = self.dirty.iter().position(|&dirty| dirty) {
            self.dirty[next] = false;
            let block = &self.blocks[next];
            let goals = block.target().and_then(|target| self.open.get(&target));
            let Some(goals) = goals.filter(|goals| !goals.is_empty()) else {
                continue;
            };
            let at_source = [&self.open, &self.known].map(|map| map.get(&block.source));
            let assumed = at_source.into_iter().flatten().flatten().copied();
            return Some(Question {
                block,
                assumed: assumed.collect(),
                goals: goals.clone(),
            });
        }
        None
    }
}

//! The blocks that are still to be checked.

use regatta_base::workers::queue::Work;
use regatta_program::block::Block;
use regatta_sharing::ByPlace;
use regatta_term::TermId;

/// The worklist that several threads share.
///
/// *Invariant.* A block that is neither dirty nor being checked leads from all states that satisfy the open and the
/// known formulas at its source to states that satisfy the open ones at its target. For open sets only ever shrink, a
/// block was checked with the open set at its source at that time, and it becomes dirty as soon as that shrinks.
pub(super) struct Worklist<'b> {
    blocks: &'b [Block],
    /// The proved invariants.
    known: ByPlace,
    /// The candidates that are not refuted.
    open: ByPlace,
    dirty: Vec<bool>,
}

/// A consecution query: whether the goals hold after a block.
pub(super) struct Question<'b> {
    pub block: &'b Block,
    /// The formulas that may be assumed at the block's source.
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

    /// Checks whether there is a block that no thread checks yet.
    pub fn has_work(&self) -> bool {
        self.dirty.contains(&true)
    }

    /// Records that of the goals after the block, only these hold.
    pub fn answer(&mut self, block: &Block, held: &[TermId]) {
        let Some(target) = block.target() else {
            return;
        };
        let open = self.open.entry(target).or_default();
        let before = open.len();
        // Other threads may have dropped others.
        open.retain(|formula| held.contains(formula));
        if open.len() < before {
            for (dirty, block) in self.dirty.iter_mut().zip(self.blocks) {
                *dirty |= block.source == target;
            }
        }
    }

    /// Returns the candidates that are inductive together, once all is done.
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

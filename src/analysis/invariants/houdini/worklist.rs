//! The blocks that are still to be asked about.

use parking_lot::{Condvar, Mutex};

use crate::analysis::invariants::ByPlace;
use crate::program::block::Block;
use crate::term::TermId;

/// What several threads work on.
///
/// *Invariant.* A block that is neither dirty nor being asked about leads from all states that satisfy what is open and
/// known at its source to states that satisfy what is open at its target. For what is open only ever shrinks, a block was
/// asked about with what was open at its source then, and is dirty as soon as that shrinks.
pub(super) struct Worklist<'b> {
    blocks: &'b [Block],
    /// What is proved.
    known: ByPlace,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The candidates that nothing has refuted yet.
    open: ByPlace,
    dirty: Vec<bool>,
    at_work: usize,
    is_stopped: bool,
}

impl<'b> Worklist<'b> {
    pub fn new(blocks: &'b [Block], candidates: ByPlace, known: ByPlace) -> Self {
        Self {
            blocks,
            known,
            state: Mutex::new(State {
                open: candidates,
                dirty: vec![true; blocks.len()],
                at_work: 0,
                is_stopped: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// What is to be asked next; `None` if all is done, or if there is nothing now and one is not to wait.
    pub fn next(&self, waits: bool) -> Option<Question<'_, 'b>> {
        let mut state = self.state.lock();
        while !state.is_stopped {
            if let Some(question) = self.dirty(&mut state) {
                return Some(question);
            }
            if state.at_work == 0 || !waits {
                return None;
            }
            self.changed.wait(&mut state);
        }
        None
    }

    fn dirty(&self, state: &mut State) -> Option<Question<'_, 'b>> {
        while let Some(next) = state.dirty.iter().position(|&dirty| dirty) {
            state.dirty[next] = false;
            let block = &self.blocks[next];
            let goals = block.target().and_then(|target| state.open.get(&target));
            let Some(goals) = goals.filter(|goals| !goals.is_empty()) else {
                continue;
            };
            let at_source = [&state.open, &self.known].map(|map| map.get(&block.source));
            let assumed = at_source.into_iter().flatten().flatten().copied();
            let question = Question {
                block,
                assumed: assumed.collect(),
                goals: goals.clone(),
                worklist: self,
                is_answered: false,
            };
            state.at_work += 1;
            return Some(question);
        }
        None
    }

    /// Whether there is a block that nobody asks about yet.
    pub fn has_work(&self) -> bool {
        self.state.lock().dirty.contains(&true)
    }

    /// Nothing will come of it.
    pub fn stop(&self) {
        self.state.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// The candidates that are inductive together, once all is done; `None` if it was stopped before.
    pub fn into_inductive(self) -> Option<ByPlace> {
        let state = self.state.into_inner();
        (!state.is_stopped).then_some(state.open)
    }
}

/// Whether the goals hold behind a block. One that is never answered stops it all.
pub(super) struct Question<'w, 'b> {
    pub block: &'b Block,
    /// What may be assumed where the block starts.
    pub assumed: Vec<TermId>,
    pub goals: Vec<TermId>,
    worklist: &'w Worklist<'b>,
    is_answered: bool,
}

impl Question<'_, '_> {
    /// Only these goals hold.
    pub fn answer(mut self, held: &[TermId]) {
        self.is_answered = true;
        let state = &mut *self.worklist.state.lock();
        let Some(target) = self.block.target() else {
            return;
        };
        let open = state.open.entry(target).or_default();
        let before = open.len();
        // Somebody else may have dropped others.
        open.retain(|formula| held.contains(formula));
        if open.len() < before {
            for (dirty, block) in state.dirty.iter_mut().zip(self.worklist.blocks) {
                *dirty |= block.source == target;
            }
        }
    }
}

impl Drop for Question<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.worklist.state.lock();
        state.at_work -= 1;
        state.is_stopped |= !self.is_answered;
        self.worklist.changed.notify_all();
    }
}

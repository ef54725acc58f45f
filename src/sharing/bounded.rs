//! Results of bounded model checking: that no run reaches certain targets within k steps from the entry.
//!
//! Which engine has asked does not matter, so that no other need ask again: results for growing bounds are exchanged in
//! unbounded verification as well (\[BHMS20\]). A result names the program and the unit in which k is counted by the
//! blocks whose cut points are visited, and the targets by their error locations; edges that are not modelled are among its
//! targets. It is taken only where all of these are the same.
//!
//! It is no part of a proof: the checker of a certificate unrolls the program itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use regatta_program::LocationId;
use regatta_program::block::Blocks;

/// That no run reaches one of the targets within that many steps from the entry.
#[derive(Clone, Debug)]
pub struct Bounded {
    blocks: Arc<Blocks>,
    errors: BTreeSet<LocationId>,
    steps: u32,
}

impl Bounded {
    /// States that no run reaches one of the error locations, nor an edge that is not modelled, within that many steps between
    /// the cut points of the blocks. Only a base case makes one, which a test of this crate checks.
    pub fn new(blocks: &Arc<Blocks>, errors: BTreeSet<LocationId>, steps: u32) -> Self {
        Self {
            blocks: Arc::clone(blocks),
            errors,
            steps,
        }
    }

    /// The number of steps.
    pub fn steps(&self) -> u32 {
        self.steps
    }
}

/// The results that the engines of a race share.
#[derive(Debug, Default)]
pub(super) struct BoundedResults {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    all: Vec<Bounded>,
    /// The number of times that all were forgotten.
    epoch: u64,
}

impl BoundedResults {
    /// The number of times that all results were forgotten.
    pub fn epoch(&self) -> u64 {
        self.state.lock().epoch
    }

    /// Adds a result, in place of those that it implies, unless results have been forgotten since the epoch, in which the
    /// engine has begun: it may rest on what was refuted.
    pub fn add(&self, result: Bounded, epoch: u64) {
        let implies = |one: &Bounded, other: &Bounded| {
            Arc::ptr_eq(&one.blocks, &other.blocks)
                && one.steps >= other.steps
                && one.errors.is_superset(&other.errors)
        };
        let mut state = self.state.lock();
        if state.epoch != epoch {
            return;
        }
        let all = &mut state.all;
        if all.iter().any(|known| implies(known, &result)) {
            return;
        }
        all.retain(|known| !implies(&result, known));
        all.push(result);
    }

    /// Returns the greatest number of steps within which none of the error locations is known to be reached.
    pub fn steps(&self, blocks: &Arc<Blocks>, errors: &BTreeSet<LocationId>) -> u32 {
        let state = self.state.lock();
        let fits = |known: &&Bounded| {
            Arc::ptr_eq(&known.blocks, blocks) && known.errors.is_superset(errors)
        };
        let steps = state.all.iter().filter(fits).map(Bounded::steps);
        steps.max().unwrap_or(0)
    }

    /// Forgets all results, since what some rely on was refuted.
    pub fn clear(&self) {
        let mut state = self.state.lock();
        state.all.clear();
        state.epoch += 1;
    }
}

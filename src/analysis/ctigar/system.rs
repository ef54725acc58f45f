//! The program as a transition system: places are cut points, and steps are blocks between them.
//!
//! Blocks are functions of the state and the inputs, so that a condition on the state after a step is one on the state
//! before it and the inputs: the [`preimage`](mod@super::preimage).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program::InlinedLocation;
use crate::program::VariableId;
use crate::program::block::{Block, BlockEnd, Blocks};
use crate::term::{Symbol, TermId, Value};

/// The number of a place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(u32);

impl PlaceId {
    /// The program's entry, where execution begins in an arbitrary state.
    pub const ENTRY: Self = Self(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The new values of the variables that a block changes, over the state before it and the inputs.
pub type Updates = FxHashMap<Symbol, TermId>;

/// A cut point.
#[derive(Debug)]
pub struct Place {
    /// The location.
    pub at: InlinedLocation,
    /// The variables that make up its state.
    pub variables: Vec<VariableId>,
    /// The blocks that leave it.
    pub blocks: Arc<[Block]>,
    /// For each block, the new values of the variables that it changes.
    updates: Vec<Updates>,
}

impl Place {
    /// Returns the new values of the variables that the block changes.
    pub fn updates(&self, block: usize) -> &Updates {
        &self.updates[block]
    }
}

/// A block, identified by its place and its index there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The place where it starts.
    pub from: PlaceId,
    /// The index of the block.
    pub block: usize,
}

/// A state from which a step is taken, with the step's inputs.
#[derive(Clone, Debug)]
pub struct Model {
    pub step: Step,
    /// The values of the state before the step and of the inputs, by symbol and instance.
    pub values: FxHashMap<(Symbol, u32), Value>,
}

/// The transition system.
pub struct System<'e> {
    blocks: &'e Arc<Blocks>,
    places: Vec<Place>,
    /// For each place, the steps that lead to it.
    incoming: Vec<Vec<Step>>,
    /// The steps that lead to an error.
    to_errors: Vec<Step>,
}

impl<'e> System<'e> {
    /// Creates the system of the program of the blocks, which must have no recursion.
    pub fn new(blocks: &'e Arc<Blocks>) -> Self {
        let program = blocks.inlined().program();
        let mut points = blocks.cut_points();
        points.retain(|at| !blocks.is_error(at.location));
        let ids: FxHashMap<InlinedLocation, PlaceId> = (0u32..)
            .map(PlaceId)
            .zip(&points)
            .map(|(id, &at)| (at, id))
            .collect();
        let mut incoming = vec![Vec::new(); points.len()];
        let mut to_errors = Vec::new();
        let mut places = Vec::new();
        for (from, &at) in (0u32..).map(PlaceId).zip(&points) {
            let leaving = blocks.from(at);
            let mut updates = Vec::new();
            for (block, one) in leaving.iter().enumerate() {
                let step = Step { from, block };
                match one.end {
                    BlockEnd::CutPoint(to) => match ids.get(&to) {
                        Some(to) => incoming[to.index()].push(step),
                        None => to_errors.push(step),
                    },
                    BlockEnd::Unsupported { .. } => to_errors.push(step),
                    BlockEnd::RecursiveCall { .. } => {}
                }
                let changed = one.updates.iter();
                updates.push(
                    changed
                        .map(|&(id, value)| (program.variable(id).symbol, value))
                        .collect(),
                );
            }
            places.push(Place {
                at,
                variables: blocks.state(at),
                blocks: leaving,
                updates,
            });
        }
        Self {
            blocks,
            places,
            incoming,
            to_errors,
        }
    }

    pub fn blocks(&self) -> &'e Arc<Blocks> {
        self.blocks
    }

    /// Returns the places with their numbers.
    pub fn places(&self) -> impl Iterator<Item = (PlaceId, &Place)> {
        (0u32..).map(PlaceId).zip(&self.places)
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.index()]
    }

    pub fn block(&self, step: Step) -> &Block {
        &self.place(step.from).blocks[step.block]
    }

    pub fn incoming(&self, id: PlaceId) -> Vec<Step> {
        self.incoming[id.index()].clone()
    }

    /// Returns the steps to errors and to unsupported constructs, which a proof must show unreachable.
    pub fn to_errors(&self) -> Vec<Step> {
        self.to_errors.clone()
    }
}

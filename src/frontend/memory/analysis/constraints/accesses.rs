//! The accesses of a program, by class.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Facts;
use crate::ir::{Leaf, Place, ScalarType};
use crate::memory::analysis::points_to::{NodeId, Target};
use crate::memory::analysis::walk;
use crate::memory::limits::MAXIMUM_REPETITIONS;
use regatta_term::FloatFormat;

/// The type as which an access reads or writes the bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    Integer,
    Pointer,
    Float(FloatFormat),
    Bool,
    /// As part of something larger.
    Part,
}

impl From<ScalarType> for View {
    fn from(scalar: ScalarType) -> Self {
        match scalar {
            ScalarType::Integer { .. } => Self::Integer,
            ScalarType::Bool => Self::Bool,
            ScalarType::Float(format) => Self::Float(format),
            ScalarType::Pointer => Self::Pointer,
        }
    }
}

/// Whether an access reads or writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    Load,
    Store,
}

/// An access in the program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The first byte.
    pub place: Target,
    /// The first bit, from the first byte's least significant one.
    pub bit: u32,
    /// Number of bits.
    pub bits: u32,
    pub view: View,
    pub direction: Direction,
}

/// The accesses of each class, by root: offset in bits in the root's frame (reduced), width, view and direction.
pub type AccessTable = FxHashMap<NodeId, FxHashSet<(i64, u32, View, Direction)>>;

impl<'a> Facts<'a> {
    /// Records an access and what its address expression does; returns the target of the address.
    pub(super) fn access(&mut self, place: &'a Place, direction: Direction) -> Target {
        let target = self.address(&place.address);
        let (bit, bits) = walk::place_bits(place, self.pointer_bits);
        self.accesses.push(Access {
            place: target,
            bit: bit.into(),
            bits,
            view: place.scalar.into(),
            direction,
        });
        target
    }

    pub(super) fn access_leaves(&mut self, target: Target, leaves: &[Leaf], direction: Direction) {
        for leaf in leaves {
            for number in 0..leaf.count.min(MAXIMUM_REPETITIONS as u64) {
                let start = leaf
                    .bit_offset
                    .wrapping_add(leaf.stride.wrapping_mul(number));
                let place = self.moved(target, (start / 8) as i64);
                self.accesses.push(Access {
                    place,
                    bit: (start % 8) as u32,
                    bits: leaf.bits,
                    view: leaf.scalar.into(),
                    direction,
                });
            }
            if leaf.count > MAXIMUM_REPETITIONS as u64 {
                self.graph.fold(target.node, (leaf.stride / 8).max(1));
            }
        }
    }

    pub(super) fn whole(&mut self, place: Target, scalar: ScalarType, direction: Direction) {
        self.accesses.push(Access {
            place,
            bit: 0,
            bits: walk::scalar_bits(scalar, self.pointer_bits),
            view: scalar.into(),
            direction,
        });
    }

    /// All accesses by class, including those that copies demand of their sources.
    pub(super) fn access_table(&mut self) -> AccessTable {
        let mut table = AccessTable::default();
        for access in &self.accesses {
            let node = self.graph.root(access.place.node).0;
            let accesses = table.entry(node).or_default();
            for offset in self.graph.offsets(access.place) {
                let start = offset.wrapping_mul(8).wrapping_add(access.bit.into());
                accesses.insert((start, access.bits, access.view, access.direction));
            }
        }
        loop {
            let mut grown = false;
            for index in 0..self.copies.len() {
                grown |= self.demand(index, &mut table);
            }
            if !grown {
                return table;
            }
        }
    }
}

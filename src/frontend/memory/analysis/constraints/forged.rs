//! Forged pointers: those that are made from integers, come from outside, or are written as values of other types.

use rustc_hash::FxHashSet;

use super::Facts;
use super::accesses::{AccessTable, View};
use crate::ir::{Leaf, ScalarType, Storage};
use crate::memory::analysis::points_to::{NodeId, Target};
use crate::memory::limits::MAXIMUM_REPETITIONS;

impl Facts<'_> {
    /// The target of a pointer that is made from an integer.
    pub(super) fn forge(&mut self) -> Target {
        self.forged = true;
        Target {
            node: self.universe,
            offset: 0,
        }
    }

    fn assign_forged(&mut self, place: Target) {
        let value = self.forge();
        self.assign(place, ScalarType::Pointer, Some(value));
    }

    /// Makes pointers that may be read from a device come from outside.
    pub(super) fn read_from_devices(&mut self) {
        for index in 0..self.read_through.len() {
            let (from, target) = self.read_through[index];
            if self.may_be_device(from) {
                self.assign_from_outside(target, ScalarType::Pointer);
            }
        }
    }

    /// Whether a volatile read of the target may give a value that the program did not write there.
    fn may_be_device(&self, target: Target) -> bool {
        let root = self.graph.root(target.node).0;
        let changes = |storage| match storage {
            Storage::Outside => true,
            Storage::Static { .. } => self.unit.devices.change_objects,
            Storage::Literal | Storage::Automatic(_) => false,
        };
        let mut objects = self.unit.objects.iter().zip(&self.objects);
        self.made_from_low
            || self.may_be_forged(target)
            || objects
                .any(|(object, &node)| changes(object.storage) && self.graph.root(node).0 == root)
    }

    /// Whether a pointer to the target may point to no object, because it is made from a number or comes from outside.
    pub fn may_leave_objects(&self, target: Target) -> bool {
        self.may_be_forged(target) && (self.made_from_integer || self.from_outside)
    }

    /// Whether a pointer to the target may be a number that the program computes.
    pub fn may_be_number(&self, target: Target) -> bool {
        self.may_be_forged(target) && self.made_from_integer
    }

    /// Whether some pointer comes from outside: unknown code has made it, say.
    pub const fn comes_from_outside(&self) -> bool {
        self.from_outside
    }

    /// Whether some pointer is a constant that is too low for an object's address.
    pub const fn has_low_pointers(&self) -> bool {
        self.made_from_low
    }

    pub(super) fn assign_from_outside(&mut self, place: Target, scalar: ScalarType) {
        if scalar == ScalarType::Pointer {
            self.from_outside = true;
            self.assign_forged(place);
        }
    }

    /// Forges the pointers in an object with these leaves; returns whether there are any.
    pub(super) fn forge_leaves(&mut self, target: Target, leaves: &[Leaf]) -> bool {
        let mut any = false;
        for leaf in leaves
            .iter()
            .filter(|leaf| leaf.scalar == ScalarType::Pointer)
        {
            for number in 0..leaf.count.min(MAXIMUM_REPETITIONS as u64) {
                let start = leaf
                    .bit_offset
                    .wrapping_add(leaf.stride.wrapping_mul(number));
                let place = self.moved(target, (start / 8) as i64);
                self.assign_forged(place);
            }
            if leaf.count > MAXIMUM_REPETITIONS as u64 {
                self.graph.fold(target.node, (leaf.stride / 8).max(1));
            }
            any = true;
        }
        any
    }

    /// Finds bytes that one access treats as a pointer and another as something else: the pointer escapes, and may be
    /// forged.
    pub(super) fn pointers_in_disguise(&mut self, table: &AccessTable) {
        for (&root, accesses) in table {
            let period = self.graph.period(root).saturating_mul(8);
            let pointers: Vec<i64> = accesses
                .iter()
                .filter(|access| access.2 == View::Pointer)
                .map(|access| access.0)
                .collect::<FxHashSet<i64>>()
                .into_iter()
                .collect();
            if pointers.is_empty() {
                continue;
            }
            let width = i64::from(self.pointer_bits);
            let mut sorted: Vec<(i64, u32, View)> = accesses
                .iter()
                .map(|access| (access.0, access.1, access.2))
                .collect();
            sorted.sort_unstable();
            let widest = sorted
                .iter()
                .map(|access| i64::from(access.1))
                .max()
                .unwrap_or(0);
            for pointer in pointers {
                let clashes = |from: i64| {
                    let first = sorted.partition_point(|access| access.0 <= from - widest);
                    sorted[first..]
                        .iter()
                        .take_while(|access| access.0 < from + width)
                        .any(|&(start, bits, view)| {
                            start + i64::from(bits) > from
                                && (start != from || view != View::Pointer)
                        })
                };
                let period = i64::try_from(period).unwrap_or(0);
                let disguised = if period == 0 {
                    clashes(pointer)
                } else {
                    // The neighbouring repetitions are checked too; the pointer itself may reach into the next one.
                    width > period
                        || clashes(pointer)
                        || clashes(pointer - period)
                        || clashes(pointer + period)
                };
                if disguised {
                    let link = self.graph.link(Target {
                        node: root,
                        offset: pointer.div_euclid(8),
                    });
                    let link_root = self.graph.root(link.node).0;
                    if !self.is_universe(link_root) {
                        self.escapes_as_integer(link);
                        self.made_from_integer = true;
                        let universe = self.forge();
                        self.graph.unify(link, universe);
                    }
                }
            }
        }
    }

    pub(super) fn is_universe(&self, root: NodeId) -> bool {
        self.graph.root(self.universe).0 == root
    }

    /// Whether a pointer to the target may be forged.
    pub fn may_be_forged(&self, target: Target) -> bool {
        self.forged && self.is_universe(self.graph.root(target.node).0)
    }
}

//! Alike offsets: a few offsets that one pointer may have, as long as the accesses there have the same form.
//!
//! A pointer to one of two members gives their structure no period ([`Graph`](super::Graph)). The fields at alike
//! offsets share one region; so there must be one field at each of them, of the same form, and no other access may
//! overlap it.

use super::Facts;
use super::accesses::{AccessTable, View};
use crate::memory::analysis::points_to::{NodeId, Target};

impl Facts<'_> {
    /// Records that a pointer to the target is moved by a constant.
    pub(super) fn moved(&mut self, target: Target, bytes: i64) -> Target {
        if bytes != 0 {
            self.moved.push((target, bytes));
        }
        target.shifted(bytes)
    }

    /// Applies the recorded moves to all alike offsets; classes that are accessed as ranges get a period instead.
    pub(super) fn move_alike(&mut self) {
        loop {
            let before = self.graph.changes();
            for index in 0..self.moved.len() {
                let (target, bytes) = self.moved[index];
                self.graph.unify_shifted(target, bytes);
            }
            if before == self.graph.changes() {
                break;
            }
        }
        let copies = self.copies.iter();
        let copies = copies.flat_map(|copy| [copy.destination.node, copy.source.node]);
        let fills = self.fills.iter().map(|(target, _)| target.node);
        let mut rows: Vec<NodeId> = copies.chain(fills).collect();
        let paddings = self.paddings.iter();
        let paddings = paddings.filter(|&&target| self.graph.offsets(target).len() > 1);
        rows.extend(paddings.map(|target| target.node));
        let bits = self.accesses.iter().filter(|access| access.bit != 0);
        let bits = bits.filter(|access| self.graph.offsets(access.place).len() > 1);
        rows.extend(bits.map(|access| access.place.node));
        for node in rows {
            self.graph.fold_alike(node);
        }
    }

    /// Gives a period to the classes in which accesses at alike offsets have different forms or overlap with others.
    pub(super) fn check_alike(&mut self, table: &AccessTable) {
        let roots: Vec<NodeId> = table.keys().copied().collect();
        for root in roots {
            let sets = self.graph.alike(root);
            let is_one = |set: &Vec<i64>| is_one_field(set, &table[&root]);
            if !sets.iter().all(is_one) {
                self.graph.fold_alike(root);
            }
        }
    }
}

/// Whether all accesses that overlap an access at one of the offsets (in bytes) start at one of them and have the same
/// form.
fn is_one_field<'t, D: 't>(
    set: &[i64],
    accesses: impl IntoIterator<Item = &'t (i64, u32, View, D)> + Clone,
) -> bool {
    let starts: Vec<i64> = set.iter().map(|offset| offset.wrapping_mul(8)).collect();
    let mut here = accesses
        .clone()
        .into_iter()
        .filter(|access| starts.contains(&access.0));
    let Some(&(_, bits, view, _)) = here.next() else {
        return true;
    };
    let width = i64::from(bits);
    let are_equal = here.all(|access| access.1 == bits && access.2 == view);
    let touches = |&(start, bits, ..): &(i64, u32, View, D)| {
        let end = start.saturating_add(bits.into());
        let mut owns = starts.iter();
        owns.any(|&own| start != own && start < own + width && own < end)
    };
    let is_apart = !accesses.into_iter().any(touches);
    are_equal && is_apart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(set: &[i64], accesses: &[(i64, u32, View)]) -> bool {
        let accesses: Vec<_> = accesses
            .iter()
            .map(|&(start, bits, view)| (start, bits, view, ()))
            .collect();
        is_one_field(set, &accesses)
    }

    #[test]
    fn fields_that_are_alike_look_the_same() {
        let pointers = [(64, 64, View::Pointer), (128, 64, View::Pointer)];
        assert!(is_one(&[8, 16], &pointers));
        assert!(is_one(&[8, 16], &[(0, 32, View::Integer)]));
        let with = |access| [pointers[0], pointers[1], access];
        assert!(is_one(&[8, 16], &with((0, 64, View::Integer))));
        assert!(!is_one(&[8, 16], &with((96, 8, View::Integer))));
        assert!(!is_one(&[8, 16], &with((32, 64, View::Integer))));
        assert!(!is_one(&[8, 16], &with((128, 32, View::Integer))));
        assert!(!is_one(&[8, 16], &with((128, 64, View::Integer))));
        assert!(!is_one(
            &[8, 12],
            &[(64, 64, View::Integer), (96, 64, View::Integer)]
        ));
    }
}

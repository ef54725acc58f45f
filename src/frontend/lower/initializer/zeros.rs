//! What an initialiser omits: zero members and padding.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::{Lowerer, Result};
use super::{Plan, UnionMembers, Write};
use crate::ir::{Expr, Instruction, Leaf, Pointer};
use crate::lower::limits::MAXIMUM_PADDED_MEMBERS;
use crate::types::{RecordKind, Type, TypeKind};

impl Lowerer<'_> {
    /// Zeroes an automatic object unless all its scalars are written; returns whether it did.
    pub(super) fn zero_before(&mut self, address: &Expr, plan: &Plan<'_>) -> Result<bool> {
        let leaves = self.types.leaves(plan.ty);
        let all = bits_of(&leaves);
        let mut seen = FxHashSet::default();
        let mut covered: u64 = 0;
        for write in plan.writes.iter().filter(|write| !write.overridden) {
            if !seen.insert((write.bit_offset, write.bit_width)) {
                continue;
            }
            let bits = match write.bit_width {
                Some(bits) => u64::from(bits),
                None => bits_of(&self.types.leaves(write.ty)),
            };
            covered = covered.saturating_add(bits);
        }
        let size = self.size_of(plan.ty)?.max(plan.size);
        if covered >= all && !self.has_overlap(plan.ty) {
            // The padding is not written.
            if let Expr::ObjectAddress(object) = address
                && all < size.saturating_mul(8)
            {
                self.emit(Instruction::Declare(*object));
            }
            return Ok(false);
        }
        self.emit(Instruction::Fill {
            destination: Pointer::new(address.clone()),
            size,
            byte: 0,
            leaves,
        });
        Ok(true)
    }

    /// The ranges of padding that the standard leaves unspecified (C11 6.7.9 p9, p21 and 6.2.6.1 p6). An explicitly
    /// initialised aggregate has values in its members and unspecified padding between them, including unnamed
    /// bit-fields and the bytes of a union behind the member. The rest is initialised like static objects, with zeros
    /// also in the padding.
    pub(super) fn padding(&self, plan: &Plan<'_>) -> Result<Vec<Range<u64>>> {
        let mut writes: Vec<&Write<'_>> = plan
            .writes
            .iter()
            .filter(|write| !write.overridden)
            .collect();
        writes.sort_by_key(|write| write.bit_offset);
        let mut ranges = Vec::new();
        self.padding_of(plan.ty, 0, &writes, &plan.union_members, &mut ranges)?;
        Ok(ranges)
    }

    fn padding_of(
        &self,
        ty: Type,
        start: u64,
        writes: &[&Write<'_>],
        unions: &UnionMembers,
        ranges: &mut Vec<Range<u64>>,
    ) -> Result<()> {
        let is_copied = |write: &Write<'_>| {
            write.bit_offset == start && self.types.compatible(write.ty, ty.unqualified())
        };
        if writes.is_empty() || writes.iter().any(|write| is_copied(write)) {
            return Ok(());
        }
        let within = |from: u64, to: u64| {
            let first = writes.partition_point(|write| write.bit_offset < from);
            let last = writes.partition_point(|write| write.bit_offset < to);
            &writes[first..last.max(first)]
        };
        match *self.types.kind(ty) {
            TypeKind::Array { element, .. } => {
                let size = self.size_of(element)?.saturating_mul(8);
                if size == 0 || self.is_dense(element)? {
                    return Ok(());
                }
                let mut from = start;
                while let Some(write) = within(from, u64::MAX).first() {
                    from = start + (write.bit_offset - start) / size * size;
                    let inside = within(from, from + size);
                    self.padding_of(element, from, inside, unions, ranges)?;
                    from += size;
                }
            }
            TypeKind::Record(id) if !self.is_dense(ty)? => {
                let record = self.types.record(id);
                let is_union = record.kind == RecordKind::Union;
                let position = unions
                    .get(&start)
                    .and_then(|unions| unions.iter().find(|(union, _)| *union == ty.unqualified()))
                    .and_then(|&(_, position)| usize::try_from(position).ok());
                let fields = match position {
                    Some(position) if is_union => record.fields.get(position..=position),
                    None if is_union => None,
                    _ => record.fields.get(..),
                };
                let mut end = start;
                for field in fields.unwrap_or_default() {
                    let from = start + field.bit_offset;
                    if end < from {
                        ranges.push(end..from);
                    }
                    let to = match field.bit_width {
                        Some(bits) => from + u64::from(bits),
                        // A flexible array member continues behind the struct.
                        None if self.is_unsized_array(field.ty) => u64::MAX,
                        None => from + self.size_of(field.ty)?.saturating_mul(8),
                    };
                    if field.bit_width.is_none() {
                        self.padding_of(field.ty, from, within(from, to), unions, ranges)?;
                    }
                    end = end.max(to);
                }
                let all = start + self.size_of(ty)?.saturating_mul(8);
                if end < all && fields.is_some() {
                    ranges.push(end..all);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The bits that belong to no member of any alternative; none for types with too many members.
    pub(in super::super) fn padding_between(&self, ty: Type) -> Result<Vec<Range<u64>>> {
        let leaves = self.types.leaves(ty);
        let members = leaves
            .iter()
            .fold(0, |sum: u64, leaf| sum.saturating_add(leaf.count));
        if members > MAXIMUM_PADDED_MEMBERS {
            return Ok(Vec::new());
        }
        let mut taken: Vec<Range<u64>> = Vec::new();
        for leaf in &leaves {
            let first = (0..leaf.count).map(|number| leaf.bit_offset + number * leaf.stride);
            taken.extend(first.map(|first| first..first + u64::from(leaf.bits)));
        }
        taken.sort_by_key(|range| range.start);
        let all = self.size_of(ty)?.saturating_mul(8);
        let (mut end, mut ranges) = (0, Vec::new());
        for range in taken.into_iter().chain(std::iter::once(all..all)) {
            if end < range.start {
                ranges.push(end..range.start);
            }
            end = end.max(range.end);
        }
        Ok(ranges)
    }

    /// Checks whether every bit of a type belongs to exactly one scalar.
    fn is_dense(&self, ty: Type) -> Result<bool> {
        let bits = bits_of(&self.types.leaves(ty));
        Ok(bits == self.size_of(ty)?.saturating_mul(8) && !self.has_overlap(ty))
    }

    /// Checks whether scalars of the type may overlap, so that counting bits is inconclusive.
    pub(super) fn has_overlap(&self, ty: Type) -> bool {
        match self.types.kind(ty) {
            TypeKind::Array { element, .. } => self.has_overlap(*element),
            TypeKind::Record(id) => {
                let record = self.types.record(*id);
                record.kind == RecordKind::Union
                    || record.fields.iter().any(|field| self.has_overlap(field.ty))
            }
            _ => false,
        }
    }
}

/// The total number of bits of all scalars.
fn bits_of(leaves: &[Leaf]) -> u64 {
    leaves.iter().fold(0, |sum: u64, leaf| {
        sum.saturating_add(u64::from(leaf.bits).saturating_mul(leaf.count))
    })
}

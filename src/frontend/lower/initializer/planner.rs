//! The plan under construction: the writes, and what later initialisers override.

use std::collections::BTreeMap;
use std::ops::Range;

use lang_c::ast;
use lang_c::span::Node;

use super::super::{Lowerer, Result};
use super::members::Target;
use super::{Plan, Source, UnionMembers, Write};
use crate::ir::Leaf;
use crate::lower::limits::MAXIMUM_INITIALIZER_WRITES;
use crate::types::{ArrayLength, Type};

#[derive(Default)]
pub(super) struct Planner<'n> {
    pub writes: Vec<Write<'n>>,
    /// The disjoint writes that are not overridden: first bit to end and number.
    current: BTreeMap<u64, (u64, usize)>,
    /// All overridden bits.
    pub overridden: Vec<Range<u64>>,
    /// The initialised member of each union, by the union's first bit and its type.
    pub union_members: UnionMembers,
    /// The end of the initialised flexible array member, in bits.
    end: u64,
    flexible: Vec<Leaf>,
}

impl Lowerer<'_> {
    pub(in crate::lower) fn plan_initialiser<'n>(
        &mut self,
        ty: Type,
        node: &'n Node<ast::Initializer>,
    ) -> Result<Plan<'n>> {
        let mut planner = Planner::default();
        let length = self.plan_node(&mut planner, Target::whole(ty), node)?;
        self.finish_plan(planner, ty, length)
    }

    /// Plans the braces of a compound literal.
    pub(in crate::lower) fn plan_list<'n>(
        &mut self,
        ty: Type,
        list: &'n [Node<ast::InitializerListItem>],
    ) -> Result<Plan<'n>> {
        let mut planner = Planner::default();
        let length = self.plan_braces(&mut planner, Target::whole(ty), list)?;
        self.finish_plan(planner, ty, length)
    }

    fn finish_plan<'n>(
        &mut self,
        planner: Planner<'n>,
        ty: Type,
        length: Option<u64>,
    ) -> Result<Plan<'n>> {
        let ty = match (self.types.array_parts(ty), length) {
            (Some((element, ArrayLength::Unknown)), Some(length)) => {
                let array = self.types.array(element, ArrayLength::Constant(length));
                self.size_of(array)?;
                ty.replaced(array)
            }
            _ => ty,
        };
        Ok(Plan {
            ty,
            size: planner.end.div_ceil(8),
            flexible: planner.flexible,
            writes: planner.writes,
            union_members: planner.union_members,
        })
    }

    /// Begins an initialiser of a part: earlier ones of the part are overridden.
    pub(super) fn override_target(
        &mut self,
        planner: &mut Planner<'_>,
        target: Target,
    ) -> Result<()> {
        let end = self.end_of(target)?;
        planner.override_bits(target.bit_offset..end);
        Ok(())
    }

    /// Selects the member of a union that is initialised: the last one that was designated.
    pub(super) fn choose_union_member(
        &mut self,
        planner: &mut Planner<'_>,
        target: Target,
        position: u64,
    ) -> Result<()> {
        if !self.types.is_union(target.ty) {
            return Ok(());
        }
        let ty = target.ty.unqualified();
        let before = planner.union_members.get(&target.bit_offset);
        let chosen = before.and_then(|unions| unions.iter().find(|(union, _)| *union == ty));
        if chosen.is_some_and(|&(_, chosen)| chosen != position) {
            self.override_target(planner, target)?;
        }
        let unions = planner.union_members.entry(target.bit_offset).or_default();
        unions.retain(|(union, _)| *union != ty);
        unions.push((ty, position));
        Ok(())
    }

    /// Records the leaves of a flexible array member that has been initialised.
    pub(super) fn note_flexible(
        &mut self,
        planner: &mut Planner<'_>,
        member: Target,
        length: Option<u64>,
    ) -> Result<()> {
        if let (Some((element, ArrayLength::Unknown)), Some(length)) =
            (self.types.array_parts(member.ty), length)
        {
            let array = self.types.array(element, ArrayLength::Constant(length));
            let size = self.size_of(array)?;
            planner.end = planner.end.max(member.bit_offset + size * 8);
            planner.flexible = self.types.leaves(array);
            for leaf in &mut planner.flexible {
                leaf.bit_offset += member.bit_offset;
            }
        }
        Ok(())
    }
}

impl<'n> Planner<'n> {
    pub(super) fn write(
        &mut self,
        lowerer: &Lowerer<'_>,
        target: Target,
        source: Source<'n>,
    ) -> Result<()> {
        if self.writes.len() >= MAXIMUM_INITIALIZER_WRITES {
            return Err(lowerer.error("the initialiser has too many elements"));
        }
        let bits = match target.bit_width {
            Some(bits) => u64::from(bits),
            None => lowerer.size_of(target.ty)?.saturating_mul(8),
        };
        if bits > 0 {
            let end = target.bit_offset.saturating_add(bits);
            self.current
                .insert(target.bit_offset, (end, self.writes.len()));
        }
        self.writes.push(Write {
            bit_offset: target.bit_offset,
            bit_width: target.bit_width,
            ty: target.ty.unqualified(),
            source,
            overridden: false,
        });
        Ok(())
    }

    /// Overrides the writes to these bits.
    pub(super) fn override_bits(&mut self, bits: Range<u64>) {
        if bits.is_empty() {
            return;
        }
        while let Some((&start, &(end, number))) = self.current.range(..bits.end).next_back()
            && end > bits.start
        {
            self.current.remove(&start);
            if let Some(write) = self.writes.get_mut(number) {
                write.overridden = true;
            }
        }
        self.overridden.push(bits);
    }
}

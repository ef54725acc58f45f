//! Designators: `.member = …`, `[index] = …`, and `[first ... last] = …` of GNU C.

use std::ops::Range;

use lang_c::ast;
use lang_c::span::Node;

use super::super::{Lowerer, Result};
use super::Source;
use super::lists::Items;
use super::members::Target;
use super::planner::Planner;
use crate::types::Type;

impl Lowerer<'_> {
    /// Follows one designator and initialises what it designates; returns the (last) position.
    pub(super) fn plan_designated<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        designator: &'n Node<ast::Designator>,
        items: &mut Items<'n>,
    ) -> Result<u64> {
        self.cursor.set_span(self.cursor.place_of(designator));
        match &designator.node {
            ast::Designator::Member(name) => {
                let Some((position, nested)) = self.member_position(target.ty, &name.node.name)
                else {
                    let ty = self.types.describe(target.ty);
                    return Err(self.error(format!("`{ty}` has no member `{}`", name.node.name)));
                };
                let Some(member) = self.member_at(target, position)? else {
                    return Err(self.error("a designator names no member"));
                };
                self.choose_union_member(planner, target, position)?;
                if nested {
                    // A member of an anonymous struct: the designator applies to that struct.
                    let start = items.next;
                    self.plan_designated(planner, member, designator, items)?;
                    if items.next > start && items.designator().is_none() {
                        // The following items continue after the designated member of that struct.
                        self.plan_rest(planner, member, name.node.name.as_str(), items)?;
                    }
                    return Ok(position);
                }
                items.designators += 1;
                self.plan_item(planner, member, items)?;
                Ok(position)
            }
            ast::Designator::Index(index) => {
                let index = self.array_index(target.ty, index)?;
                let Some(member) = self.member_at(target, index)? else {
                    return Err(self.error("an index is out of the array's range"));
                };
                items.designators += 1;
                self.plan_item(planner, member, items)?;
                Ok(index)
            }
            ast::Designator::Range(range) => {
                let first = self.array_index(target.ty, &range.node.from)?;
                let last = self.array_index(target.ty, &range.node.to)?;
                if first > last {
                    return Err(self.error("an empty range of indices"));
                }
                let (Some(member), Some(_)) = (
                    self.member_at(target, first)?,
                    self.member_at(target, last)?,
                ) else {
                    return Err(self.error("an index is out of the array's range"));
                };
                items.designators += 1;
                let start = (planner.writes.len(), planner.overridden.len());
                self.plan_item(planner, member, items)?;
                self.repeat(planner, target, member, start, first..last)?;
                Ok(last)
            }
        }
    }

    /// Repeats the writes and overrides since `start`, for the element `range.start`, for the rest of the range.
    fn repeat(
        &mut self,
        planner: &mut Planner<'_>,
        target: Target,
        member: Target,
        start: (usize, usize),
        range: Range<u64>,
    ) -> Result<()> {
        let end = (planner.writes.len(), planner.overridden.len());
        if start == end {
            return Ok(());
        }
        let member_end = self.end_of(member)?;
        for position in range.start + 1..=range.end {
            let Some(other) = self.member_at(target, position)? else {
                break;
            };
            let distance = other.bit_offset - member.bit_offset;
            for earlier in start.1..end.1 {
                if let Some(bits) = planner.overridden.get(earlier) {
                    planner.override_bits(bits.start + distance..bits.end.saturating_add(distance));
                }
            }
            let unions: Vec<_> = planner
                .union_members
                .range(member.bit_offset..member_end)
                .map(|(bit, members)| (bit + distance, members.clone()))
                .collect();
            planner.union_members.extend(unions);
            for earlier in start.0..end.0 {
                let Some(write) = planner.writes.get(earlier) else {
                    break;
                };
                if write.overridden {
                    continue;
                }
                let target = Target {
                    ty: write.ty,
                    bit_offset: write.bit_offset + distance,
                    bit_width: write.bit_width,
                };
                let source = match write.source {
                    Source::Unit(unit) => Source::Unit(unit),
                    Source::Earlier(first) => Source::Earlier(first),
                    Source::Expression(_) => Source::Earlier(earlier),
                };
                planner.write(self, target, source)?;
            }
        }
        Ok(())
    }

    /// Initialises the members of an anonymous struct that follow the designated one.
    fn plan_rest<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        name: &str,
        items: &mut Items<'n>,
    ) -> Result<()> {
        let Some((position, _)) = self.member_position(target.ty, name) else {
            return Ok(());
        };
        if self.types.is_union(target.ty) {
            return Ok(());
        }
        let mut position = position + 1;
        while items.current().is_some() && items.designator().is_none() {
            let Some(member) = self.member_at(target, position)? else {
                break;
            };
            self.plan_item(planner, member, items)?;
            position += 1;
        }
        Ok(())
    }

    fn array_index(&mut self, ty: Type, node: &Node<ast::Expression>) -> Result<u64> {
        if !self.types.is_array(ty) {
            return Err(self.error("an index designates a member of something that is no array"));
        }
        let (value, _) = self.constant_value(node)?;
        self.cursor.set_span(self.cursor.place_of(node));
        u64::try_from(value)
            .ok()
            .filter(|&index| index < 1 << 60)
            .ok_or_else(|| self.error("an index is out of the array's range"))
    }
}

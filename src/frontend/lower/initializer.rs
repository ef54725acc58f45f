//! Initialisers: which expression goes to which scalar (C11 6.7.9), and the code for it.
//!
//! Planning walks the lists beside the type, with designators, elided braces and strings, and finds the length of an
//! array without one. Emitting evaluates the expressions in their order and writes them; what is not mentioned was
//! zeroed before.
//!
//! An initialiser of a part overrides those before of the part or of what is in it (6.7.9 p19): these are not used, and
//! so what the later one leaves out is zero. They are not evaluated either, as gcc does it, and the standard permits.
//! As in gcc, a part that is given again also overrides the whole struct that was copied there before.

use std::collections::BTreeMap;
use std::ops::Range;

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashSet;

use super::sequencing::key;
use super::value::{Lvalue, Value, ValueKind};
use super::{Lowerer, Result, fold};
use crate::frontend::constant;
use crate::frontend::ir::{BitField, Expr, Instruction, Leaf, Padding, Place, Storage};
use crate::frontend::types::{ArrayLength, RecordKind, Type, TypeKind};

/// More single writes than this make the program too large.
const WRITE_LIMIT: usize = 1 << 20;

/// What an initialiser says.
#[derive(Debug)]
pub(super) struct Plan<'n> {
    /// The object's type, with the length that the initialiser gives.
    pub ty: Type,
    /// The object's size in bytes: larger than the type's if a flexible array member is initialised.
    pub size: u64,
    /// The members of such a flexible array member.
    pub flexible: Vec<Leaf>,
    writes: Vec<Write<'n>>,
    /// Which member of a union is initialised, by the union's first bit and its type.
    union_members: UnionMembers,
}

type UnionMembers = BTreeMap<u64, Vec<(Type, u64)>>;

/// One expression and where it goes.
#[derive(Debug)]
struct Write<'n> {
    /// From the object's start.
    bit_offset: u64,
    bit_width: Option<u8>,
    ty: Type,
    source: Source<'n>,
    /// Whether a later initialiser is for the same part.
    overridden: bool,
}

#[derive(Debug)]
enum Source<'n> {
    Expression(&'n Node<ast::Expression>),
    /// The value of an element of a string.
    Unit(u32),
    /// The value of the write of that number before, for ranges.
    Earlier(usize),
}

/// A part of the object that is to be initialised.
#[derive(Copy, Clone, Debug)]
struct Target {
    ty: Type,
    bit_offset: u64,
    bit_width: Option<u8>,
}

/// The items of one pair of braces.
struct Items<'n> {
    list: &'n [Node<ast::InitializerListItem>],
    next: usize,
    /// How many designators of the next item are used up already.
    designators: usize,
}

#[derive(Default)]
struct Planner<'n> {
    writes: Vec<Write<'n>>,
    /// The writes that are not overridden, which do not overlap: by the first bit, the end and the number.
    current: BTreeMap<u64, (u64, usize)>,
    /// All that has been overridden, in bits.
    overridden: Vec<Range<u64>>,
    /// Which member of a union has been initialised, by the union's first bit and its type.
    union_members: UnionMembers,
    /// The end of what is initialised, in bits.
    end: u64,
    flexible: Vec<Leaf>,
}

impl<'n> Items<'n> {
    fn current(&self) -> Option<&'n ast::InitializerListItem> {
        self.list.get(self.next).map(|item| &item.node)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.designators = 0;
    }

    /// The next designator of the current item.
    fn designator(&self) -> Option<&'n Node<ast::Designator>> {
        self.current()?.designation.get(self.designators)
    }

    /// Whether the current item begins with a designator that nobody has followed.
    fn starts_with_designator(&self) -> bool {
        self.designators == 0 && self.designator().is_some()
    }
}

impl Lowerer<'_> {
    /// Finds out what an initialiser writes where.
    pub(super) fn plan_initialiser<'n>(
        &mut self,
        ty: Type,
        node: &'n Node<ast::Initializer>,
    ) -> Result<Plan<'n>> {
        let mut planner = Planner::default();
        let target = Target {
            ty,
            bit_offset: 0,
            bit_width: None,
        };
        let length = self.plan_node(&mut planner, target, node)?;
        self.finish_plan(planner, ty, length)
    }

    /// The same for the braces of a compound literal.
    pub(super) fn plan_list<'n>(
        &mut self,
        ty: Type,
        list: &'n [Node<ast::InitializerListItem>],
    ) -> Result<Plan<'n>> {
        let mut planner = Planner::default();
        let target = Target {
            ty,
            bit_offset: 0,
            bit_width: None,
        };
        let length = self.plan_braces(&mut planner, target, list)?;
        self.finish_plan(planner, ty, length)
    }

    fn finish_plan<'n>(
        &mut self,
        planner: Planner<'n>,
        ty: Type,
        length: Option<u64>,
    ) -> Result<Plan<'n>> {
        let ty = match (self.array_parts(ty), length) {
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

    /// Gives the length of an array.
    fn plan_node<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        node: &'n Node<ast::Initializer>,
    ) -> Result<Option<u64>> {
        self.span = self.place_of(node);
        match &node.node {
            ast::Initializer::List(list) => self.plan_braces(planner, target, list),
            ast::Initializer::Expression(expression) => {
                self.span = self.place_of(expression);
                if let Some(length) = self.plan_string(planner, target, expression)? {
                    return Ok(Some(length));
                }
                if self.types.is_array(target.ty) && !is_compound_literal(expression) {
                    return Err(self.error("an array is initialised without braces"));
                }
                let length = match self.types.is_array(target.ty) {
                    true => self.plan_array_copy(target, expression)?,
                    false => None,
                };
                let target = self.with_length(target, length);
                self.override_target(planner, target)?;
                planner.write(self, target, Source::Expression(expression))?;
                Ok(length)
            }
        }
    }

    /// GNU C: an array initialised by a compound literal of its type.
    fn plan_array_copy(
        &mut self,
        target: Target,
        expression: &Node<ast::Expression>,
    ) -> Result<Option<u64>> {
        let ty = self.unevaluated(|this| this.expression(expression))?.ty;
        match self.array_parts(ty) {
            Some((_, ArrayLength::Constant(length))) if self.types.compatible(ty, target.ty) => {
                Ok(Some(length))
            }
            _ => Err(self.error("an array is initialised with something else")),
        }
    }

    fn with_length(&mut self, target: Target, length: Option<u64>) -> Target {
        match (self.array_parts(target.ty), length) {
            (Some((element, ArrayLength::Unknown)), Some(length)) => Target {
                ty: self.types.array(element, ArrayLength::Constant(length)),
                ..target
            },
            _ => target,
        }
    }

    fn plan_braces<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        list: &'n [Node<ast::InitializerListItem>],
    ) -> Result<Option<u64>> {
        let mut items = Items {
            list,
            next: 0,
            designators: 0,
        };
        // `{ "text" }` for an array of characters.
        if let [only] = list
            && only.node.designation.is_empty()
            && let ast::Initializer::Expression(expression) = &only.node.initializer.node
            && let Some(length) = self.plan_string(planner, target, expression)?
        {
            return Ok(Some(length));
        }
        self.override_target(planner, target)?;
        let length = match *self.types.kind(target.ty) {
            TypeKind::Array { .. } | TypeKind::Record(_) | TypeKind::Vector { .. } => {
                self.check_target(target)?;
                self.plan_members(planner, target, &mut items)?
            }
            _ => {
                // `int x = { 1 };`
                if let Some(item) = items.current() {
                    if !item.designation.is_empty() {
                        return Err(self.error("a designator in the initialiser of a scalar"));
                    }
                    self.plan_node(planner, target, &item.initializer)?;
                    items.advance();
                }
                None
            }
        };
        if let Some(extra) = list.get(items.next) {
            if !extra.node.designation.is_empty() {
                return Err(self.error_at(extra, "a designator names no member"));
            }
            self.warn("an initialiser has too many elements");
        }
        Ok(length)
    }

    fn check_target(&self, target: Target) -> Result<()> {
        if self.types.as_record(target.ty).is_some() && !self.types.is_complete(target.ty) {
            let ty = self.types.describe(target.ty);
            return Err(self.error(format!("the type `{ty}` is incomplete")));
        }
        Ok(())
    }

    /// Initialises the members of an aggregate from the list in its braces; gives an array's length.
    fn plan_members<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        items: &mut Items<'n>,
    ) -> Result<Option<u64>> {
        let mut position: u64 = 0;
        let mut length: u64 = 0;
        while items.current().is_some() {
            if let Some(designator) = items.designator() {
                let last = self.plan_designated(planner, target, designator, items)?;
                position = last.saturating_add(1);
            } else {
                let Some(member) = self.member_at(target, position)? else {
                    break;
                };
                let before = items.next;
                self.choose_union_member(planner, target, position)?;
                self.plan_item(planner, member, items)?;
                if items.next == before && self.types.is_array(target.ty) {
                    // Elements without members take nothing, however many there are.
                    break;
                }
                position += 1;
            }
            length = length.max(position);
            if self.is_union(target.ty) {
                position = u64::MAX;
            }
        }
        Ok(Some(length))
    }

    /// An initialiser of this part begins: what has been said of its parts does not count any more.
    fn override_target(&mut self, planner: &mut Planner<'_>, target: Target) -> Result<()> {
        let end = self.end_of(target)?;
        planner.override_bits(target.bit_offset..end);
        Ok(())
    }

    /// The end of a part, in bits; an array without a length has none.
    fn end_of(&mut self, target: Target) -> Result<u64> {
        let bits = match target.bit_width {
            Some(bits) => u64::from(bits),
            None if !self.types.is_complete(target.ty) => u64::MAX,
            None => self.size_of(target.ty)?.saturating_mul(8),
        };
        Ok(target.bit_offset.saturating_add(bits))
    }

    /// A designator names a member of what may be a union: of that one member is initialised, the last that was named.
    fn choose_union_member(
        &mut self,
        planner: &mut Planner<'_>,
        target: Target,
        position: u64,
    ) -> Result<()> {
        if !self.is_union(target.ty) {
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

    fn is_union(&self, ty: Type) -> bool {
        self.types
            .as_record(ty)
            .is_some_and(|record| record.kind == RecordKind::Union)
    }

    /// Follows one designator and initialises what it names; gives the (last) position.
    fn plan_designated<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        designator: &'n Node<ast::Designator>,
        items: &mut Items<'n>,
    ) -> Result<u64> {
        self.span = self.place_of(designator);
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
                    // A member of an anonymous struct: the designator counts there.
                    let start = items.next;
                    self.plan_designated(planner, member, designator, items)?;
                    if items.next > start && items.designator().is_none() {
                        // What follows continues after the named member, inside.
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

    /// Repeats what has been written and overridden since `start`, which is for the element `range.start`, for the
    /// following ones.
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

    /// The members of an anonymous struct that follow the named one.
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
        if self.is_union(target.ty) {
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
        self.span = self.place_of(node);
        u64::try_from(value)
            .ok()
            .filter(|&index| index < 1 << 60)
            .ok_or_else(|| self.error("an index is out of the array's range"))
    }

    /// Initialises a member from the current item, or from as many items as it takes.
    fn plan_item<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        member: Target,
        items: &mut Items<'n>,
    ) -> Result<()> {
        if let Some(designator) = items.designator() {
            // `.a.b = …`, `[1][2] = …`
            let last = self.plan_designated(planner, member, designator, items)?;
            // What follows without designators continues in the inner aggregate.
            if !self.is_union(member.ty) {
                self.plan_following(planner, member, last.saturating_add(1), items)?;
            }
            return Ok(());
        }
        let Some(item) = items.current() else {
            return Ok(());
        };
        self.span = self.place_of(&item.initializer);
        let expression = match &item.initializer.node {
            ast::Initializer::List(list) => {
                let length = self.plan_braces(planner, member, list)?;
                self.note_flexible(planner, member, length)?;
                items.advance();
                return Ok(());
            }
            ast::Initializer::Expression(expression) => expression,
        };
        if let Some(length) = self.plan_string(planner, member, expression)? {
            self.note_flexible(planner, member, Some(length))?;
            items.advance();
            return Ok(());
        }
        let descend = match self.types.kind(member.ty) {
            TypeKind::Array { .. } => true,
            TypeKind::Record(_) => !self.is_value_of(expression, member.ty)?,
            TypeKind::Vector { .. } => false,
            _ => false,
        };
        if !descend {
            self.override_target(planner, member)?;
            planner.write(self, member, Source::Expression(expression))?;
            items.advance();
            return Ok(());
        }
        // Elided braces: the member takes items from this list.
        self.check_target(member)?;
        let before = items.next;
        let end = self.plan_following(planner, member, 0, items)?;
        self.note_flexible(planner, member, Some(end))?;
        if items.next == before {
            // An empty struct takes nothing.
            if self.member_at(member, 0)?.is_some() {
                items.advance();
            }
        }
        Ok(())
    }

    /// Initialises members from a position on until the aggregate or the plain items end; gives the next position.
    fn plan_following<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        first: u64,
        items: &mut Items<'n>,
    ) -> Result<u64> {
        let mut position = first;
        while items.current().is_some() && !items.starts_with_designator() {
            let Some(member) = self.member_at(target, position)? else {
                break;
            };
            let before = items.next;
            self.choose_union_member(planner, target, position)?;
            self.plan_item(planner, member, items)?;
            position += 1;
            let stuck = items.next == before && self.types.is_array(target.ty);
            if stuck || self.is_union(target.ty) {
                break;
            }
        }
        Ok(position)
    }

    /// Whether an expression is a struct or union that initialises a member of the type as a whole.
    fn is_value_of(&mut self, expression: &Node<ast::Expression>, ty: Type) -> Result<bool> {
        if matches!(
            expression.node,
            ast::Expression::Constant(_) | ast::Expression::StringLiteral(_)
        ) {
            return Ok(false);
        }
        if let ast::Expression::CompoundLiteral(literal) = &expression.node {
            let own = self.type_name(&literal.node.type_name.node)?;
            return Ok(self.types.compatible(own, ty.unqualified()));
        }
        let span = self.span;
        let value = self.unevaluated(|this| {
            let value = this.expression(expression)?;
            Ok(this.rvalue(value))
        })?;
        self.span = span;
        Ok(self.types.compatible(value.ty, ty.unqualified()))
    }

    /// Remembers the members of a flexible array member that has been given elements.
    fn note_flexible(
        &mut self,
        planner: &mut Planner<'_>,
        member: Target,
        length: Option<u64>,
    ) -> Result<()> {
        if let (Some((element, ArrayLength::Unknown)), Some(length)) =
            (self.array_parts(member.ty), length)
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

    /// The member at a position; `None` after the last one.
    fn member_at(&self, target: Target, position: u64) -> Result<Option<Target>> {
        match *self.types.kind(target.ty) {
            TypeKind::Array { element, length } => {
                let inside = match length {
                    ArrayLength::Constant(length) => position < length,
                    ArrayLength::Unknown => true,
                    _ => {
                        return Err(self.error("a variable-length array is initialised"));
                    }
                };
                if !inside {
                    return Ok(None);
                }
                let size = self.size_of(element)?;
                let offset = position
                    .checked_mul(size)
                    .filter(|&bytes| bytes < 1 << 59)
                    .ok_or_else(|| self.error("an index is out of the array's range"))?;
                Ok(Some(Target {
                    ty: element.qualified(target.ty.qualifiers),
                    bit_offset: target.bit_offset + offset * 8,
                    bit_width: None,
                }))
            }
            TypeKind::Vector { element, count } => {
                let size = self.size_of(element)?;
                Ok((position < count).then(|| Target {
                    ty: element,
                    bit_offset: target.bit_offset + position * size * 8,
                    bit_width: None,
                }))
            }
            TypeKind::Record(id) => {
                let position = usize::try_from(position).unwrap_or(usize::MAX);
                let field = self.types.record(id).fields.get(position);
                Ok(field.map(|field| Target {
                    ty: field.ty,
                    bit_offset: target.bit_offset + field.bit_offset,
                    bit_width: field.bit_width,
                }))
            }
            _ => Ok((position == 0).then_some(target)),
        }
    }

    /// The position of a member by name, and whether it is inside of an anonymous one there.
    fn member_position(&self, ty: Type, name: &str) -> Option<(u64, bool)> {
        let record = self.types.as_record(ty)?;
        record
            .fields
            .iter()
            .enumerate()
            .find_map(|(position, field)| match &field.name {
                Some(own) => (own == name).then_some((position as u64, false)),
                None => self
                    .types
                    .find_field(field.ty, name)
                    .map(|_| (position as u64, true)),
            })
    }

    /// Plans a string literal for an array of characters; gives the array's length, or `None` if it is no such case.
    fn plan_string<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        expression: &'n Node<ast::Expression>,
    ) -> Result<Option<u64>> {
        let ast::Expression::StringLiteral(parts) = &expression.node else {
            return Ok(None);
        };
        let Some((element, length)) = self.array_parts(target.ty) else {
            return Ok(None);
        };
        let Some(kind) = self.types.integer_kind(element) else {
            return Ok(None);
        };
        let (units, encoding) = constant::string(&parts.node)
            .map_err(|error| self.error_at(expression, error.to_string()))?;
        let unit_type = self.character_type(encoding);
        let size = self.size_of(unit_type)?;
        if self.size_of(element)? != size
            || (size == 1) != (kind.bits(self.options.data_model) == 8)
        {
            return Err(self.error("the string does not fit the array's element type"));
        }
        let total = units.len() as u64 + 1;
        let length = match length {
            ArrayLength::Constant(length) => length,
            _ => total,
        };
        self.override_target(planner, target)?;
        if units.len() as u64 > length {
            self.warn("the string is longer than the array");
        }
        for (position, unit) in units.iter().copied().chain([0]).enumerate() {
            if position as u64 >= length {
                break;
            }
            let element = Target {
                ty: element,
                bit_offset: target.bit_offset + position as u64 * size * 8,
                bit_width: None,
            };
            planner.write(self, element, Source::Unit(unit))?;
        }
        Ok(Some(length))
    }

    // --- code ---

    /// Writes what a plan says to the object at an address.
    pub(super) fn emit_initialiser(&mut self, address: Expr, plan: &Plan<'_>) -> Result<()> {
        let is_static = self.is_in_start();
        let padding = self.padding(plan)?;
        let zeroed = (is_static || self.zero_before(&address, plan)?) && !self.has_overlap(plan.ty);
        if !padding.is_empty() && (is_static || zeroed || self.has_overlap(plan.ty)) {
            self.emit(Instruction::Padding {
                destination: address.clone(),
                ranges: padding,
                contents: match is_static {
                    true => Padding::Zero,
                    false => Padding::Undetermined,
                },
            });
        }
        // The values of the writes that a range repeats.
        let repeated: FxHashSet<usize> = plan
            .writes
            .iter()
            .filter(|write| !write.overridden)
            .filter_map(|write| match write.source {
                Source::Earlier(earlier) => Some(earlier),
                _ => None,
            })
            .collect();
        let expressions: Vec<&Node<ast::Expression>> = plan
            .writes
            .iter()
            .filter_map(|write| match write.source {
                Source::Expression(expression) => Some(expression),
                _ => None,
            })
            .collect();
        let name = expressions.first().map_or(0, |&first| key(first));
        let span = self.span;
        let distinct: FxHashSet<u64> = plan.writes.iter().map(|write| write.bit_offset).collect();
        let simple = repeated.is_empty() && distinct.len() == plan.writes.len();
        match self.conflict_at(name) {
            Some(conflict) if simple && expressions.len() == plan.writes.len() => {
                self.in_every_order(&conflict, plan.writes.len(), &mut |this, number| {
                    let write = &plan.writes[number];
                    let value = this.expression(expressions[number])?;
                    this.span = this.place_of(expressions[number]);
                    let value = this.assignable_in(value, write.ty)?;
                    let target = this.write_target(&address, write);
                    this.store_value(target, value)?;
                    Ok(Vec::new())
                })?;
                self.span = span;
                return Ok(());
            }
            // Elements that are written twice have an order of their own.
            Some(_) => self.or_another_order(),
            None => {}
        }
        let mut site = self.open_site(name);
        let mut values = rustc_hash::FxHashMap::default();
        let mut written: FxHashSet<u64> = FxHashSet::default();
        for (number, write) in plan.writes.iter().enumerate() {
            if write.overridden && !repeated.contains(&number) {
                if let Source::Expression(expression) = write.source
                    && !matches!(expression.node, ast::Expression::Constant(_))
                {
                    self.span = self.place_of(expression);
                    self.warn("an overridden initialiser is not evaluated");
                }
                continue;
            }
            let value = match &write.source {
                Source::Expression(expression) => {
                    let start = self.open_operand();
                    let value = self.expression(expression)?;
                    self.span = self.place_of(expression);
                    let mut value = self.assignable_in(value, write.ty)?;
                    self.close_operand(&mut site, start, std::slice::from_ref(&value));
                    if is_static {
                        self.check_static_constant(&value)?;
                    }
                    if repeated.contains(&number) {
                        if let (ValueKind::Scalar(expr), Some(scalar)) =
                            (&value.kind, self.types.scalar(write.ty))
                        {
                            value = Value::scalar(self.keep(expr.clone(), scalar), value.ty);
                        }
                        values.insert(number, value.clone());
                    }
                    value
                }
                Source::Unit(unit) => {
                    let scalar = self.scalar_type(write.ty)?;
                    Value::scalar(fold::integer(i128::from(*unit), scalar), write.ty)
                }
                Source::Earlier(earlier) => match values.get(earlier) {
                    Some(value) => value.clone(),
                    None => continue,
                },
            };
            if write.overridden {
                // Only its value was needed, for other elements.
                continue;
            }
            let first_time = written.insert(write.bit_offset);
            let skip = zeroed && first_time && is_zero_bits(&value);
            if !skip {
                let target = self.write_target(&address, write);
                self.store_value(target, value)?;
            }
        }
        self.close_site(site);
        self.span = span;
        Ok(())
    }

    /// A static object's initialiser is an arithmetic or address constant; gcc lets it read constants of the program.
    fn check_static_constant(&self, value: &Value) -> Result<()> {
        let constant = match &value.kind {
            ValueKind::Scalar(expr) => self.is_static_constant(expr),
            ValueKind::Aggregate(address) | ValueKind::Lvalue(Lvalue { address, .. }) => {
                self.is_constant_object(address)
            }
            _ => true,
        };
        if constant {
            return Ok(());
        }
        Err(self.error("the initialiser of a static object is not constant"))
    }

    fn is_static_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => self.is_constant_object(&place.address),
            Expr::Offset { base, bytes } => {
                self.is_static_constant(base) && self.is_static_constant(bytes)
            }
            Expr::Unary { operand, .. } | Expr::Convert { operand, .. } => {
                self.is_static_constant(operand)
            }
            Expr::Binary { left, right, .. } => {
                self.is_static_constant(left) && self.is_static_constant(right)
            }
            Expr::Conditional {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.is_static_constant(condition)
                    && self.is_static_constant(then)
                    && self.is_static_constant(otherwise)
            }
            Expr::Math { arguments, .. } => arguments
                .iter()
                .all(|argument| self.is_static_constant(argument)),
            Expr::AllocatedSize(_) | Expr::Rounding => false,
            _ => true,
        }
    }

    /// Whether an address is in an object whose contents a static initialiser may copy: a `const` one or a literal.
    fn is_constant_object(&self, address: &Expr) -> bool {
        match address {
            Expr::ObjectAddress(object) => self.constants.contains(object),
            Expr::Offset { base, .. } => self.is_constant_object(base),
            _ => false,
        }
    }

    /// A value for a member; arrays are taken as they are.
    fn assignable_in(&mut self, value: Value, ty: Type) -> Result<Value> {
        if self.types.is_array(ty) {
            return Ok(value);
        }
        self.assignable(value, ty)
    }

    fn write_target(&self, address: &Expr, write: &Write<'_>) -> Value {
        let address = self.constant_offset(address.clone(), write.bit_offset / 8);
        Value {
            ty: write.ty,
            kind: ValueKind::Lvalue(Lvalue {
                address,
                bit_field: write.bit_width.map(|bits| BitField {
                    offset: (write.bit_offset % 8) as u8,
                    bits,
                }),
            }),
        }
    }

    /// Zeroes an automatic object unless every scalar of it is written; says whether it did.
    fn zero_before(&mut self, address: &Expr, plan: &Plan<'_>) -> Result<bool> {
        let leaves = self.types.leaves(plan.ty);
        let all: u64 = leaves.iter().fold(0u64, |sum, leaf| {
            sum.saturating_add(u64::from(leaf.bits).saturating_mul(leaf.count))
        });
        let mut seen = FxHashSet::default();
        let mut covered: u64 = 0;
        for write in plan.writes.iter().filter(|write| !write.overridden) {
            if !seen.insert((write.bit_offset, write.bit_width)) {
                continue;
            }
            let bits = match write.bit_width {
                Some(bits) => u64::from(bits),
                None => self.types.leaves(write.ty).iter().fold(0u64, |sum, leaf| {
                    sum.saturating_add(u64::from(leaf.bits).saturating_mul(leaf.count))
                }),
            };
            covered = covered.saturating_add(bits);
        }
        let size = self.size_of(plan.ty)?.max(plan.size);
        if covered >= all && !self.has_overlap(plan.ty) {
            // Nobody writes the padding.
            if let Expr::ObjectAddress(object) = address
                && all < size.saturating_mul(8)
            {
                self.emit(Instruction::Declare(*object));
            }
            return Ok(false);
        }
        self.emit(Instruction::Fill {
            destination: address.clone(),
            size,
            byte: 0,
            leaves,
        });
        Ok(true)
    }

    /// The padding that the standard leaves open (C11 6.7.9 p9, p21 and 6.2.6.1 p6): what is initialised explicitly has
    /// members with values and padding between them, unnamed bit-fields included, and in a union what lies behind the
    /// member. The rest is initialised as static objects are, with zeros in the padding, too.
    fn padding(&self, plan: &Plan<'_>) -> Result<Vec<Range<u64>>> {
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
                        // A flexible array member goes on behind the struct.
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

    /// Whether every bit of a type belongs to just one scalar.
    fn is_dense(&self, ty: Type) -> Result<bool> {
        let leaves = self.types.leaves(ty);
        let bits = leaves.iter().fold(0_u64, |sum, leaf| {
            sum.saturating_add(u64::from(leaf.bits).saturating_mul(leaf.count))
        });
        Ok(bits == self.size_of(ty)?.saturating_mul(8) && !self.has_overlap(ty))
    }

    /// Whether scalars of the type may overlap, so that counting bits says nothing.
    fn has_overlap(&self, ty: Type) -> bool {
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

    /// `(type){ … }`: an object of the block, or a static one outside of functions.
    pub(super) fn compound_literal(&mut self, literal: &ast::CompoundLiteral) -> Result<Value> {
        let span = self.span;
        let ty = self.type_name(&literal.type_name.node)?;
        let plan = self.plan_list(ty, &literal.initializer_list)?;
        self.span = span;
        if !self.types.is_complete(plan.ty) || self.types.is_variable_size(plan.ty) {
            let ty = self.types.describe(plan.ty);
            return Err(self.error(format!("a compound literal of type `{ty}`")));
        }
        let object = if self.is_in_start() {
            let name = format!("literal#{}", self.objects.len());
            let storage = Storage::Static { external: false };
            let object = self.add_object(name, plan.ty, storage, span)?;
            self.constants.insert(object);
            object
        } else {
            self.temporary_object(plan.ty)?
        };
        self.emit_initialiser(Expr::ObjectAddress(object), &plan)?;
        Ok(Value::lvalue(Expr::ObjectAddress(object), plan.ty))
    }

    /// The place of a whole scalar at an address.
    pub(super) fn scalar_place(&self, address: Expr, ty: Type) -> Result<Place> {
        Ok(Place {
            address: Box::new(address),
            scalar: self.scalar_type(ty)?,
            bit_field: None,
        })
    }
}

impl<'n> Planner<'n> {
    fn write(&mut self, lowerer: &Lowerer<'_>, target: Target, source: Source<'n>) -> Result<()> {
        if self.writes.len() >= WRITE_LIMIT {
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

    /// What was to be written to these bits is not.
    fn override_bits(&mut self, bits: Range<u64>) {
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

fn is_compound_literal(expression: &Node<ast::Expression>) -> bool {
    matches!(expression.node, ast::Expression::CompoundLiteral(_))
}

/// Whether a value is a constant whose representation is all zeros.
fn is_zero_bits(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Scalar(Expr::Integer { value, .. }) => *value == 0,
        ValueKind::Scalar(Expr::Float { bits, .. }) => *bits == 0,
        _ => false,
    }
}

//! Matches initialiser lists with types, including elided braces.

use lang_c::ast;
use lang_c::span::Node;

use super::super::{Lowerer, Result};
use super::Source;
use super::members::Target;
use super::planner::Planner;
use crate::rewrite::encoding;
use crate::types::{ArrayLength, Type, TypeKind};

/// The items of one pair of braces.
pub(super) struct Items<'n> {
    list: &'n [Node<ast::InitializerListItem>],
    pub next: usize,
    /// Number of designators of the current item that have been followed.
    pub designators: usize,
}

impl<'n> Items<'n> {
    pub(super) fn current(&self) -> Option<&'n ast::InitializerListItem> {
        self.list.get(self.next).map(|item| &item.node)
    }

    pub(super) fn advance(&mut self) {
        self.next += 1;
        self.designators = 0;
    }

    /// The next designator of the current item.
    pub(super) fn designator(&self) -> Option<&'n Node<ast::Designator>> {
        self.current()?.designation.get(self.designators)
    }

    /// Checks whether the current item begins with a designator that has not been followed.
    fn starts_with_designator(&self) -> bool {
        self.designators == 0 && self.designator().is_some()
    }
}

impl Lowerer<'_> {
    /// Plans an initialiser; returns the length of an array.
    pub(super) fn plan_node<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        node: &'n Node<ast::Initializer>,
    ) -> Result<Option<u64>> {
        self.cursor.set_span(self.cursor.place_of(node));
        match &node.node {
            ast::Initializer::List(list) => self.plan_braces(planner, target, list),
            ast::Initializer::Expression(expression) => {
                self.cursor.set_span(self.cursor.place_of(expression));
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

    /// GNU C: plans an array initialised by a compound literal of its type.
    fn plan_array_copy(
        &mut self,
        target: Target,
        expression: &Node<ast::Expression>,
    ) -> Result<Option<u64>> {
        let ty = self.unevaluated(|this| this.expression(expression))?.ty;
        match self.types.array_parts(ty) {
            Some((_, ArrayLength::Constant(length))) if self.types.compatible(ty, target.ty) => {
                Ok(Some(length))
            }
            _ => Err(self.error("an array is initialised with something else")),
        }
    }

    pub(super) fn plan_braces<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        target: Target,
        list: &'n [Node<ast::InitializerListItem>],
    ) -> Result<Option<u64>> {
        let list = if is_nothing(list) { &[] } else { list };
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

    /// Initialises the members of an aggregate from the list in its braces; returns an array's length.
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
                    // Elements without members consume no items, so that the loop would not end.
                    break;
                }
                position += 1;
            }
            length = length.max(position);
            if self.types.is_union(target.ty) {
                position = u64::MAX;
            }
        }
        Ok(Some(length))
    }

    /// Initialises a member from the current item, or from as many items as it needs.
    pub(super) fn plan_item<'n>(
        &mut self,
        planner: &mut Planner<'n>,
        member: Target,
        items: &mut Items<'n>,
    ) -> Result<()> {
        if let Some(designator) = items.designator() {
            // `.a.b = …`, `[1][2] = …`
            let last = self.plan_designated(planner, member, designator, items)?;
            // Following items without designators continue in the inner aggregate.
            if !self.types.is_union(member.ty) {
                self.plan_following(planner, member, last.saturating_add(1), items)?;
            }
            return Ok(());
        }
        let Some(item) = items.current() else {
            return Ok(());
        };
        self.cursor
            .set_span(self.cursor.place_of(&item.initializer));
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
            TypeKind::Vector { .. } => !self.is_vector_value(expression)?,
            _ => false,
        };
        if !descend {
            self.override_target(planner, member)?;
            planner.write(self, member, Source::Expression(expression))?;
            items.advance();
            return Ok(());
        }
        // Elided braces: the member consumes items from this list.
        self.check_target(member)?;
        let before = items.next;
        let end = self.plan_following(planner, member, 0, items)?;
        self.note_flexible(planner, member, Some(end))?;
        if items.next == before {
            // An empty struct consumes no items.
            if self.member_at(member, 0)?.is_some() {
                items.advance();
            }
        }
        Ok(())
    }

    /// Initialises members from a position on while the items have no designators; returns the next position.
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
            if stuck || self.types.is_union(target.ty) {
                break;
            }
        }
        Ok(position)
    }

    /// Checks whether an expression is a vector; anything else initialises an element of one.
    fn is_vector_value(&mut self, expression: &Node<ast::Expression>) -> Result<bool> {
        let span = self.cursor.span();
        let ty = self.unevaluated(|this| this.expression(expression))?.ty;
        self.cursor.set_span(span);
        Ok(self.types.is_vector(ty) || self.types.is_unknown(ty))
    }

    /// Checks whether an expression is a struct or union that initialises a member of the type as a whole.
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
        let span = self.cursor.span();
        let value = self.unevaluated(|this| {
            let value = this.expression(expression)?;
            Ok(this.rvalue(value))
        })?;
        self.cursor.set_span(span);
        Ok(self.types.compatible(value.ty, ty.unqualified()))
    }
}

/// Checks whether the braces of a compound literal are empty in the source.
fn is_nothing(list: &[Node<ast::InitializerListItem>]) -> bool {
    let [only] = list else {
        return false;
    };
    let ast::Initializer::Expression(expression) = &only.node.initializer.node else {
        return false;
    };
    matches!(&expression.node, ast::Expression::Identifier(name) if name.node.name == encoding::NOTHING)
}

fn is_compound_literal(expression: &Node<ast::Expression>) -> bool {
    matches!(expression.node, ast::Expression::CompoundLiteral(_))
}

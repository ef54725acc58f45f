//! Structs, unions and enumerations: references and definitions.

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashSet;

use super::specifier::Attributes;
use crate::lower::state::scope::{Entity, Symbol};
use crate::lower::{Lowerer, Result};
use crate::types::record::{FieldDeclaration, Packing};
use crate::types::{IntegerKind, RecordKind, Type, TypeKind};

impl Lowerer<'_> {
    pub(in crate::lower) fn record_specifier(
        &mut self,
        node: &Node<ast::StructType>,
        body: &Attributes,
    ) -> Result<Type> {
        let record = &node.node;
        let kind = match record.kind.node {
            ast::StructKind::Struct => RecordKind::Struct,
            ast::StructKind::Union => RecordKind::Union,
        };
        let tag = record.identifier.as_ref().map(|tag| tag.node.name.as_str());
        let same_kind = |this: &Self, ty: Type| {
            this.types
                .as_record(ty)
                .is_some_and(|record| record.kind == kind)
        };
        let Some(declarations) = &record.declarations else {
            let Some(tag) = tag else {
                return Err(self.error_at(node, "a struct without tag and members"));
            };
            if let Some(known) = self.scopes.lookup_tag(tag) {
                if !same_kind(self, known) {
                    return Err(self.error_at(node, format!("`{tag}` is another kind of tag")));
                }
                return Ok(known);
            }
            let ty = self.types.declare_record(kind, Some(tag.to_owned()));
            self.scopes.bind_tag(tag, ty);
            return Ok(ty);
        };
        let known = tag.and_then(|tag| self.scopes.lookup_tag_innermost(tag));
        let ty = match known {
            Some(known) if !same_kind(self, known) => {
                return Err(self.error_at(node, "the tag is declared as another kind of tag"));
            }
            Some(known) if self.types.is_complete(known) && self.types.compares_members => {
                return self.same_record(node, known, declarations, body);
            }
            Some(known) if self.types.is_complete(known) => {
                let ty = self.types.describe(known);
                if let Some(tag) = &record.identifier {
                    self.cursor.set_span(self.cursor.place_of(tag));
                }
                return Err(self.error(format!("redefinition of `{ty}`")));
            }
            Some(known) => known,
            None => {
                let ty = self.types.declare_record(kind, tag.map(str::to_owned));
                if let Some(tag) = tag {
                    self.scopes.bind_tag(tag, ty);
                }
                ty
            }
        };
        self.define_record(ty, declarations, body)?;
        Ok(ty)
    }

    /// Lowers a repeated definition of a struct, which C23 allows with the same members.
    fn same_record(
        &mut self,
        node: &Node<ast::StructType>,
        known: Type,
        declarations: &[Node<ast::StructDeclaration>],
        body: &Attributes,
    ) -> Result<Type> {
        let tag = node
            .node
            .identifier
            .as_ref()
            .map(|tag| tag.node.name.clone());
        let kind = self.types.as_record(known).map(|record| record.kind);
        let (Some(kind), TypeKind::Record(id)) = (kind, self.types.kind(known).clone()) else {
            return Ok(known);
        };
        let again = self.types.declare_record(kind, tag);
        self.define_record(again, declarations, body)?;
        match *self.types.kind(again) {
            TypeKind::Record(again) if self.types.same_records(id, again) => Ok(known),
            _ => {
                let ty = self.types.describe(known);
                Err(self.error_at(node, format!("redefinition of `{ty}` with other members")))
            }
        }
    }

    fn define_record(
        &mut self,
        ty: Type,
        list: &[Node<ast::StructDeclaration>],
        body: &Attributes,
    ) -> Result<()> {
        let mut members = Vec::new();
        for declaration in list {
            match &declaration.node {
                ast::StructDeclaration::Field(field) => {
                    self.cursor.set_span(self.cursor.place_of(field));
                    self.members(&field.node, &mut members)?;
                }
                ast::StructDeclaration::StaticAssert(assertion) => {
                    self.static_assertion(assertion)?;
                }
            }
        }
        let mut names = FxHashSet::default();
        let members_named = members
            .iter()
            .map(|member| (member.name.as_deref(), member.ty));
        self.check_member_names(members_named, &mut names)?;
        if body.microsoft_layout && members.iter().any(|member| member.bit_width.is_some()) {
            self.refuse("the attribute `ms_struct` on bit-fields");
        }
        let TypeKind::Record(id) = *self.types.kind(ty) else {
            return Ok(());
        };
        if self.define_variable_record(id, &members, body)? {
            return Ok(());
        }
        self.types
            .complete_record(id, &members, body.packing, body.pack, body.alignment)
            .map_err(|error| self.error(error.to_string()))
    }

    /// Checks that the names of members, including those of anonymous records, are distinct.
    fn check_member_names<'m>(
        &self,
        members: impl Iterator<Item = (Option<&'m str>, Type)>,
        names: &mut FxHashSet<String>,
    ) -> Result<()> {
        for (name, ty) in members {
            if let Some(name) = name {
                if !names.insert(name.to_owned()) {
                    return Err(self.error(format!("the member `{name}` occurs twice")));
                }
            } else if let Some(record) = self.types.as_record(ty) {
                let fields: &mut dyn Iterator<Item = _> = &mut record
                    .fields
                    .iter()
                    .map(|field| (field.name.as_deref(), field.ty));
                self.check_member_names(fields, names)?;
            }
        }
        Ok(())
    }

    fn members(
        &mut self,
        field: &ast::StructField,
        members: &mut Vec<FieldDeclaration>,
    ) -> Result<()> {
        let (base, shared) = self.qualified_specifiers(&field.specifiers)?;
        if field.declarators.is_empty() {
            // An anonymous struct or union; other types declare nothing.
            let anonymous = self.types.as_record(base);
            let plain = anonymous.is_some_and(|record| record.tag.is_none());
            if plain || anonymous.is_some() {
                members.push(FieldDeclaration {
                    name: None,
                    ty: base,
                    bit_width: None,
                    packing: shared.packing,
                    alignment: shared.alignment,
                    counted_by: None,
                });
            }
            return Ok(());
        }
        for declarator in &field.declarators {
            let (name, ty, own) = match &declarator.node.declarator {
                Some(declarator) => {
                    let declared = self.declarator(base, declarator)?;
                    let name = declared.name.map(|name| name.node.name.clone());
                    let ty = match shared.noreturn {
                        true => self.types.without_return(declared.ty),
                        false => declared.ty,
                    };
                    (name, ty, declared.attributes)
                }
                None => (None, base, Attributes::default()),
            };
            self.cursor.set_span(self.cursor.place_of(declarator));
            let bit_width = match &declarator.node.bit_width {
                Some(width) => Some(self.bit_width(ty, width, name.is_some())?),
                None => {
                    self.check_member_type(ty)?;
                    None
                }
            };
            let packing = match (shared.packing, own.packing) {
                (Packing::Natural, Packing::Natural) => Packing::Natural,
                _ => Packing::Packed,
            };
            members.push(FieldDeclaration {
                name,
                ty,
                bit_width,
                packing,
                alignment: shared.alignment.max(own.alignment),
                counted_by: own.counted_by,
            });
        }
        Ok(())
    }

    fn check_member_type(&self, ty: Type) -> Result<()> {
        if self.types.is_function(ty) || (!self.types.is_complete(ty) && !self.is_unsized_array(ty))
        {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("a member of type `{ty}`")));
        }
        Ok(())
    }

    fn bit_width(&mut self, ty: Type, width: &Node<ast::Expression>, named: bool) -> Result<u8> {
        if !self.types.is_integer(ty) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("a bit-field of type `{ty}`")));
        }
        let (value, _) = self.constant_value(width)?;
        let limit = match self.types.is_truth(ty) {
            true => 1,
            false => i128::from(self.size_of(ty)?) * 8,
        };
        if value < 0 || value > limit || (value == 0 && named) {
            return Err(self.error("the width of a bit-field is out of range"));
        }
        Ok(value as u8)
    }

    pub(in crate::lower) fn enumeration_specifier(
        &mut self,
        node: &Node<ast::EnumType>,
        body: &Attributes,
    ) -> Result<Type> {
        let enumeration = &node.node;
        let tag = enumeration
            .identifier
            .as_ref()
            .map(|tag| tag.node.name.as_str());
        let is_enumeration =
            |this: &Self, ty: Type| matches!(this.types.kind(ty), TypeKind::Enumeration(_));
        if enumeration.enumerators.is_empty() {
            let Some(tag) = tag else {
                return Err(self.error_at(node, "an enumeration without tag and enumerators"));
            };
            if let Some(known) = self.scopes.lookup_tag(tag) {
                if !is_enumeration(self, known) {
                    return Err(self.error_at(node, format!("`{tag}` is another kind of tag")));
                }
                return Ok(known);
            }
            let ty = self.types.declare_enumeration(Some(tag.to_owned()));
            self.scopes.bind_tag(tag, ty);
            self.fix_underlying(ty, body)?;
            return Ok(ty);
        }
        let known = tag.and_then(|tag| self.scopes.lookup_tag_innermost(tag));
        let ty = match known {
            Some(known)
                if is_enumeration(self, known)
                    && self.types.compares_members
                    && !self.types.is_declared_alone(known) =>
            {
                self.same_enumerators(&enumeration.enumerators)?;
                return Ok(known);
            }
            Some(known)
                if !is_enumeration(self, known)
                    || (self.types.is_complete(known) && !self.types.is_declared_alone(known)) =>
            {
                return Err(self.error_at(node, "the tag is defined twice"));
            }
            Some(known) => known,
            None => {
                let ty = self.types.declare_enumeration(tag.map(str::to_owned));
                if let Some(tag) = tag {
                    self.scopes.bind_tag(tag, ty);
                }
                ty
            }
        };
        self.fix_underlying(ty, body)?;
        match self.fixed_underlying(ty) {
            Some(shape) => self.fixed_enumerators(ty, shape, &enumeration.enumerators)?,
            None => self.enumerators(ty, &enumeration.enumerators, body.packing)?,
        }
        Ok(ty)
    }

    /// Checks a repeated definition of an enumeration, which C23 allows with the same enumerators.
    fn same_enumerators(&mut self, list: &[Node<ast::Enumerator>]) -> Result<()> {
        let mut next: i128 = 0;
        for enumerator in list {
            self.cursor.set_span(self.cursor.place_of(enumerator));
            let name = enumerator.node.identifier.node.name.as_str();
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_value(expression)?.0;
            }
            let known = self.scopes.lookup_innermost(name);
            let same = known.is_some_and(|known| {
                matches!(self.scopes.symbol(known).entity, Entity::Enumerator(value) if value == next)
            });
            if !same {
                return Err(self.error(format!(
                    "redefinition of an enumeration with another `{name}`"
                )));
            }
            next = next.saturating_add(1);
        }
        Ok(())
    }

    /// Completes an enumeration with a specified underlying type (C23).
    fn fix_underlying(&mut self, ty: Type, body: &Attributes) -> Result<()> {
        let (Some(underlying), TypeKind::Enumeration(id)) =
            (body.underlying, self.types.kind(ty).clone())
        else {
            return Ok(());
        };
        let kind = self.types.integer_kind(underlying);
        if kind.is_none() && !self.types.is_truth(underlying) {
            let what = self.types.describe(underlying);
            return Err(self.error(format!("an enumeration with the underlying type `{what}`")));
        }
        let known = self.types.enumeration(id);
        let known = known.is_fixed.then(|| self.types.integer_kind(ty));
        if known.is_some_and(|known| known != kind) {
            return Err(self.error("an enumeration is declared with two underlying types"));
        }
        match kind {
            Some(kind) => self.types.fix_enumeration(id, kind),
            None => self.types.fix_enumeration_of_truth(id),
        }
        Ok(())
    }

    /// The width and signedness of an enumeration with a specified underlying type.
    fn fixed_underlying(&self, ty: Type) -> Option<(u32, bool)> {
        let TypeKind::Enumeration(id) = self.types.kind(ty) else {
            return None;
        };
        let enumeration = self.types.enumeration(*id);
        let kind = enumeration.representation;
        enumeration.is_fixed.then(|| match enumeration.is_truth {
            true => (1, false),
            false => (
                u32::from(kind.bits(self.input.data_model())),
                kind.is_signed(),
            ),
        })
    }

    /// Declares the enumerators of an enumeration with a specified underlying type, which is their type.
    fn fixed_enumerators(
        &mut self,
        ty: Type,
        (bits, signed): (u32, bool),
        list: &[Node<ast::Enumerator>],
    ) -> Result<()> {
        if let TypeKind::Enumeration(id) = *self.types.kind(ty) {
            self.types.define_enumeration(id);
        }
        let mut next: i128 = 0;
        for enumerator in list {
            self.cursor.set_span(self.cursor.place_of(enumerator));
            let name = enumerator.node.identifier.node.name.as_str();
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_value(expression)?.0;
            }
            let fits = match signed {
                true => bits >= 128 || (next >= -(1 << (bits - 1)) && next < 1 << (bits - 1)),
                false => next >= 0 && (bits >= 127 || next < 1 << bits),
            };
            if !fits {
                return Err(self.error(format!("the enumerator `{name}` does not fit its type")));
            }
            if self.scopes.lookup_innermost(name).is_some() {
                return Err(self.error(format!("redefinition of `{name}`")));
            }
            let symbol = self.scopes.create(Symbol {
                ty,
                entity: Entity::Enumerator(next),
                span: self.cursor.span(),
            });
            self.scopes.bind(name, symbol);
            next = next.saturating_add(1);
        }
        Ok(())
    }

    /// Declares enumerators: of type `int` if it represents the value, else of the enumeration's type, as in gcc.
    fn enumerators(
        &mut self,
        ty: Type,
        list: &[Node<ast::Enumerator>],
        packing: Packing,
    ) -> Result<()> {
        let mut next: i128 = 0;
        let (mut lowest, mut highest) = (0i128, 0i128);
        let mut wide = Vec::new();
        let mut narrow = Vec::new();
        for enumerator in list {
            self.cursor.set_span(self.cursor.place_of(enumerator));
            let name = enumerator.node.identifier.node.name.as_str();
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_value(expression)?.0;
            }
            let fits_int = i32::try_from(next).is_ok();
            if self.scopes.lookup_innermost(name).is_some() {
                return Err(self.error(format!("redefinition of `{name}`")));
            }
            let symbol = self.scopes.create(Symbol {
                ty: Type::INT,
                entity: Entity::Enumerator(next),
                span: self.cursor.span(),
            });
            if !fits_int {
                // Its type within the list; the final one is set below.
                let own = self.types.integer(IntegerKind::LongLong);
                self.scopes.symbol_mut(symbol).ty = own;
                wide.push(symbol);
            } else {
                narrow.push(symbol);
            }
            self.scopes.bind(name, symbol);
            lowest = lowest.min(next);
            highest = highest.max(next);
            next = next
                .checked_add(1)
                .ok_or_else(|| self.error("an enumerator is out of range"))?;
        }
        let model = self.input.data_model();
        let candidates = [
            IntegerKind::UnsignedChar,
            IntegerKind::SignedChar,
            IntegerKind::UnsignedShort,
            IntegerKind::Short,
            IntegerKind::UnsignedInt,
            IntegerKind::Int,
            IntegerKind::UnsignedLong,
            IntegerKind::Long,
            IntegerKind::UnsignedLongLong,
            IntegerKind::LongLong,
        ];
        // Types smaller than `int` are only for packed enumerations.
        let first = if packing == Packing::Packed { 0 } else { 4 };
        let representation = candidates
            .into_iter()
            .skip(first)
            .find(|kind| {
                let bits = u32::from(kind.bits(model));
                if kind.is_signed() {
                    lowest < 0 && lowest >= -(1i128 << (bits - 1)) && highest < 1i128 << (bits - 1)
                } else {
                    lowest >= 0 && highest < 1i128 << bits
                }
            })
            .ok_or_else(|| self.error("an enumerator is out of range"))?;
        if let TypeKind::Enumeration(id) = *self.types.kind(ty) {
            self.types.complete_enumeration(id, representation);
            self.types.define_enumeration(id);
        }
        let own = self.types.integer(representation);
        // C23 6.7.3.3p12: if a value does not fit `int`, all enumerators have the enumeration's type.
        if self.cursor.is_c23() && !wide.is_empty() {
            wide.extend(narrow);
        }
        for symbol in wide {
            self.scopes.symbol_mut(symbol).ty = own;
        }
        Ok(())
    }

    pub(in crate::lower) fn static_assertion(
        &mut self,
        node: &Node<ast::StaticAssert>,
    ) -> Result<()> {
        self.cursor.set_span(self.cursor.place_of(node));
        let (value, _) = self.constant_value(&node.node.expression)?;
        if value == 0 {
            let message = node.node.message.node.join(" ");
            return Err(self.error_at(node, format!("a static assertion fails: {message}")));
        }
        Ok(())
    }
}

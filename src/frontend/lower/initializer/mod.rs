//! Initialisers: assigns expressions to scalars (C11 6.7.9) and emits the code.
//!
//! Planning matches the lists with the type, including designators, elided braces and strings, and finds the length of
//! an array without one. Emission evaluates the expressions in order and writes them into the object, which was zeroed
//! before.
//!
//! An initialiser of a part overrides earlier ones of the part or of its members (6.7.9 p19): these are ignored, so
//! that whatever the later one omits is zero. They are not evaluated either, as in gcc; the standard permits that. As
//! in gcc, a part that is initialised again also overrides a whole struct copied there before.
//!
//! # The modules
//! * [`planner`]: the plan under construction; [`members`]: the parts of a type.
//! * [`lists`], [`designators`], [`strings`]: what an initialiser writes to which part.
//! * [`emission`]: the code; [`zeros`]: zeros and padding.
//! * [`static_constants`]: the permitted initialisers of static objects.

mod designators;
mod emission;
mod lists;
mod members;
mod planner;
mod static_constants;
mod strings;
mod zeros;

use std::collections::BTreeMap;

use lang_c::ast;
use lang_c::span::Node;

use super::declarations::constexpr::literal_storage;
use super::expressions::value::Value;
use super::{Lowerer, Result};
use crate::ir::{Expr, Leaf, Storage};
use crate::types::Type;

/// The writes of an initialiser.
#[derive(Debug)]
pub(super) struct Plan<'n> {
    /// The object's type, with the length determined by the initialiser.
    pub ty: Type,
    /// The object's size in bytes: larger than the type's if a flexible array member is initialised.
    pub size: u64,
    /// The leaves of an initialised flexible array member.
    pub flexible: Vec<Leaf>,
    writes: Vec<Write<'n>>,
    /// The initialised member of each union, by the union's first bit and its type.
    union_members: UnionMembers,
}

type UnionMembers = BTreeMap<u64, Vec<(Type, u64)>>;

/// One write of an initialiser.
#[derive(Debug)]
struct Write<'n> {
    /// Offset from the object's start.
    bit_offset: u64,
    bit_width: Option<u8>,
    ty: Type,
    source: Source<'n>,
    /// Whether a later initialiser overrides this one.
    overridden: bool,
}

#[derive(Debug)]
enum Source<'n> {
    Expression(&'n Node<ast::Expression>),
    /// The value of an element of a string.
    Unit(u32),
    /// The value of the earlier write of this number, for ranges.
    Earlier(usize),
}

impl Lowerer<'_> {
    /// Lowers `(type){ … }`: an object of the block, or a static one outside of functions.
    pub(super) fn compound_literal(&mut self, literal: &ast::CompoundLiteral) -> Result<Value> {
        let span = self.cursor.span();
        let ty = self.type_name(&literal.type_name.node)?;
        let plan = self.plan_list(ty, &literal.initializer_list)?;
        self.cursor.set_span(span);
        if !self.types.is_complete(plan.ty) || self.types.is_variable_size(plan.ty) {
            let ty = self.types.describe(plan.ty);
            return Err(self.error(format!("a compound literal of type `{ty}`")));
        }
        let (is_static, is_constant) = literal_storage(&literal.type_name.node);
        if is_static && !self.is_in_start() {
            return self.static_literal(literal, ty, is_constant);
        }
        let object = if self.is_in_start() {
            let name = format!("literal#{}", self.objects.count());
            let storage = Storage::Static { external: false };
            let object = self.add_object(name, plan.ty, storage, span)?;
            self.objects.make_constant(object);
            object
        } else {
            self.temporary_object(plan.ty)?
        };
        let address = Expr::ObjectAddress(object);
        if is_constant {
            self.as_constant(object, |this| this.emit_initialiser(address.clone(), &plan))?;
            return Ok(Value::lvalue(address, self.constant_type(plan.ty)));
        }
        self.emit_initialiser(address.clone(), &plan)?;
        Ok(Value::lvalue(address, plan.ty))
    }

    /// Lowers C23's `(static type){ … }` in a function: one object, initialised before the program begins.
    fn static_literal(
        &mut self,
        literal: &ast::CompoundLiteral,
        ty: Type,
        is_constant: bool,
    ) -> Result<Value> {
        let span = self.cursor.span();
        if let Some((object, ty)) = self.literals.compound(literal) {
            return Ok(Value::lvalue(Expr::ObjectAddress(object), ty));
        }
        let made = self.in_start(|this| {
            let plan = this.plan_list(ty, &literal.initializer_list)?;
            let ty = match is_constant {
                true => this.constant_type(plan.ty),
                false => plan.ty,
            };
            this.cursor.set_span(span);
            let name = format!("literal#{}", this.objects.count());
            let storage = Storage::Static { external: false };
            let object = this.add_object(name, ty, storage, span)?;
            let address = Expr::ObjectAddress(object);
            match is_constant {
                true => this.as_constant(object, |this| this.emit_initialiser(address, &plan))?,
                false => this.emit_initialiser(address, &plan)?,
            }
            Ok((object, ty))
        })?;
        self.literals.add_compound(literal, made);
        self.cursor.set_span(span);
        Ok(Value::lvalue(Expr::ObjectAddress(made.0), made.1))
    }
}

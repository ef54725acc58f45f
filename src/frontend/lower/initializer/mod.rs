//! Initialisers: which expression goes to which scalar (C11 6.7.9), and the code for it.
//!
//! Planning walks the lists beside the type, with designators, elided braces and strings, and finds the length of an
//! array without one. Emitting evaluates the expressions in their order and writes them; what is not mentioned was
//! zeroed before.
//!
//! An initialiser of a part overrides those before of the part or of what is in it (6.7.9 p19): these are not used, and
//! so what the later one leaves out is zero. They are not evaluated either, as gcc does it, and the standard permits.
//! As in gcc, a part that is given again also overrides the whole struct that was copied there before.
//!
//! # The modules
//! * [`planner`]: the plan while it is made; [`members`]: the parts of a type.
//! * [`lists`], [`designators`], [`strings`]: what an initialiser writes where.
//! * [`emission`]: the code; [`zeros`]: what is zero or padding beside it.
//! * [`static_constants`]: what the initialiser of a static object may be.

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

use super::constexpr::literal_storage;
use super::value::Value;
use super::{Lowerer, Result};
use crate::ir::{Expr, Leaf, Storage};
use crate::types::Type;

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

impl Lowerer<'_> {
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
        let (is_static, is_constant) = literal_storage(&literal.type_name.node);
        if is_static && !self.is_in_start() {
            return self.static_literal(literal, ty, is_constant);
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
        let address = Expr::ObjectAddress(object);
        if is_constant {
            self.as_constant(object, |this| this.emit_initialiser(address.clone(), &plan))?;
            return Ok(Value::lvalue(address, self.constant_type(plan.ty)));
        }
        self.emit_initialiser(address.clone(), &plan)?;
        Ok(Value::lvalue(address, plan.ty))
    }

    /// C23's `(static type){ … }` within a function: one object, initialised before the program begins.
    fn static_literal(
        &mut self,
        literal: &ast::CompoundLiteral,
        ty: Type,
        is_constant: bool,
    ) -> Result<Value> {
        let span = self.span;
        let key = literal as *const ast::CompoundLiteral as usize;
        if let Some(&(object, ty)) = self.static_literals.get(&key) {
            return Ok(Value::lvalue(Expr::ObjectAddress(object), ty));
        }
        let made = self.in_start(|this| {
            let plan = this.plan_list(ty, &literal.initializer_list)?;
            let ty = match is_constant {
                true => this.constant_type(plan.ty),
                false => plan.ty,
            };
            this.span = span;
            let name = format!("literal#{}", this.objects.len());
            let storage = Storage::Static { external: false };
            let object = this.add_object(name, ty, storage, span)?;
            let address = Expr::ObjectAddress(object);
            match is_constant {
                true => this.as_constant(object, |this| this.emit_initialiser(address, &plan))?,
                false => this.emit_initialiser(address, &plan)?,
            }
            Ok((object, ty))
        })?;
        self.static_literals.insert(key, made);
        self.span = span;
        Ok(Value::lvalue(Expr::ObjectAddress(made.0), made.1))
    }
}

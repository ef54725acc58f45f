//! Expressions that designate objects: identifiers, members, elements, dereferenced pointers.

use lang_c::ast;
use lang_c::span::Node;

use super::assignment::Use;
use super::defined::Reach;
use super::fold;
use super::value::{Lvalue, Value, ValueKind};
use crate::ir::{
    BinaryOp, BitField, Expr, Instruction, Leaf, Object, ObjectIndex, Place, Pointer, ScalarType,
    Storage,
};
use crate::library;
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::rewrite::encoding;
use crate::types::{
    ArrayLength, FieldPath, FunctionType, ParameterForm, Qualifiers, Type, TypeKind,
};
use regatta_program::{ExternalKind, source_name};

impl Lowerer<'_> {
    /// Builds `address + bytes`, joining nested offsets.
    pub(in crate::lower) fn offset(&self, address: Expr, bytes: Expr) -> Expr {
        if fold::constant(&bytes) == Some(0) {
            return address;
        }
        let scalar = self.types.offset_scalar();
        match address {
            Expr::Offset {
                base,
                bytes: earlier,
            } => match (fold::constant(&earlier), fold::constant(&bytes)) {
                (Some(first), Some(second)) => {
                    let sum = fold::integer(first.wrapping_add(second), scalar);
                    self.offset(*base, sum)
                }
                _ => Expr::Offset {
                    base,
                    bytes: Box::new(fold::binary(BinaryOp::Add, *earlier, bytes, scalar)),
                },
            },
            Expr::Integer {
                value,
                scalar: ScalarType::Pointer,
            } if fold::constant(&bytes).is_some() => {
                let sum = value.wrapping_add(fold::constant(&bytes).unwrap_or(0));
                Expr::Integer {
                    value: fold::wrap(sum, self.types.size_scalar()),
                    scalar: ScalarType::Pointer,
                }
            }
            base => Expr::Offset {
                base: Box::new(base),
                bytes: Box::new(bytes),
            },
        }
    }

    /// Builds `address + bytes` for a constant.
    pub(in crate::lower) fn constant_offset(&self, address: Expr, bytes: u64) -> Expr {
        let bytes = fold::integer(i128::from(bytes), self.types.offset_scalar());
        self.offset(address, bytes)
    }

    /// The size of a type as a signed integer of a pointer's width; not constant for a variable-length array.
    pub(in crate::lower) fn size_expression(&mut self, ty: Type) -> Result<Expr> {
        if self.types.is_variable_size(ty)
            && let Some((element, length)) = self.types.array_parts(ty)
        {
            let element_size = self.size_expression(element)?;
            let scalar = self.types.offset_scalar();
            let count = match length {
                ArrayLength::Constant(count) => fold::integer(i128::from(count), scalar),
                ArrayLength::Variable(object) => {
                    let size = self.types.size_scalar();
                    fold::convert(self.load_visible(object, size), size, scalar)
                }
                ArrayLength::Unknown | ArrayLength::Unspecified => {
                    return Err(self.error("the size of the array is not known"));
                }
            };
            return Ok(fold::binary(
                BinaryOp::Multiply,
                count,
                element_size,
                scalar,
            ));
        }
        if let Some(layout) = self.types.variable_layout(ty) {
            return Ok(self.load_visible(layout.size, self.types.offset_scalar()));
        }
        let size = self.size_of(ty)?;
        Ok(fold::integer(i128::from(size), self.types.offset_scalar()))
    }

    pub(in crate::lower) fn identifier(&mut self, name: &str) -> Result<Value> {
        let Some(id) = self.scopes.lookup(name) else {
            if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
                return Ok(self.function_name_object(name));
            }
            if name == encoding::NULL_POINTER {
                let null = fold::integer(0, ScalarType::Pointer);
                return Ok(Value::scalar(null, self.types.null_pointer_type()));
            }
            if let Some(value) = self.builtin_function_designator(name) {
                return Ok(value);
            }
            return Err(self.error(format!("`{name}` is undeclared")));
        };
        let symbol = self.scopes.symbol(id);
        let ty = symbol.ty;
        Ok(match &symbol.entity {
            Entity::Object(object) => {
                let object = *object;
                self.check_modelled(&self.objects[object].name)?;
                if let Some(value) = self.linked_object(object, ty)? {
                    return Ok(value);
                }
                let address = self.address_of_object(object);
                let address = self.weak_object_address(name, address);
                Value::lvalue(address, ty)
            }
            Entity::VariableArray(pointer) => {
                let pointer = *pointer;
                Value::lvalue(self.load_visible(pointer, ScalarType::Pointer), ty)
            }
            Entity::Nested(index) => {
                let index = *index;
                self.nested_designator(index, ty)
            }
            Entity::Function { name } => {
                let name = name.clone();
                self.check_modelled(&name)?;
                if let Some(value) = self.indirect_designator(&name, ty) {
                    return Ok(value);
                }
                let address = self.function_address(&name, ty);
                let address = self.weak_address(&name, address);
                Value {
                    ty,
                    kind: ValueKind::Function(address),
                }
            }
            Entity::Enumerator(value) => {
                let scalar = self.scalar_type(ty)?;
                Value::scalar(fold::integer(*value, scalar), ty)
            }
            Entity::Typedef => {
                return Err(self.error(format!("`{name}` is a type, not a value")));
            }
            Entity::Unmodelled => {
                return Err(self.error(format!("`{name}`, which is not modelled")));
            }
        })
    }

    /// Checks the use of an object that another part of the linked program may define. Returns its value if it is one
    /// of the library's streams or a known bound of a section.
    fn linked_object(&mut self, object: ObjectIndex, ty: Type) -> Result<Option<Value>> {
        let known = &self.objects[object];
        let elsewhere = matches!(
            known.storage,
            Storage::Static { external: true } | Storage::Outside
        );
        if !elsewhere || self.cursor.span().line == 0 {
            return Ok(None);
        }
        if known.name == library::ENVIRONMENT {
            self.uses.note_environment();
        }
        let name = known.name.clone();
        if self.is_linker_symbol(&name) {
            if let Some(address) = self.section_bound(&name) {
                return Ok(Some(self.object_at(address, ty)));
            }
            self.unsupported(format!("the address of `{name}`, which the linker decides"));
        }
        let Some(stream) = library::stream(&name).filter(|_| !self.linkage.defines_name(&name))
        else {
            return Ok(None);
        };
        let pointer = self.types.pointer(Type::VOID);
        let function = FunctionType {
            result: pointer,
            parameters: Vec::new(),
            form: ParameterForm::Unspecified,
        };
        let value = self.library_values(&stream, &function, Vec::new(), Use::Value)?;
        let (address, _) = self.scalar_value(value)?;
        Ok(Some(self.object_at(address, ty)))
    }

    /// The address of a function with or without a body.
    pub(in crate::lower) fn function_address(&mut self, name: &str, ty: Type) -> Expr {
        if let Some(model) = self.model_under_checks(name)
            && let Ok(index) = self.library_wrapper(&model, ty)
        {
            return Expr::FunctionAddress(index);
        }
        self.refuse_inexact_address(name);
        if let Some(index) = self.functions.named(name) {
            return Expr::FunctionAddress(index);
        }
        if let Ok(Some(index)) = self.inline_address(name, ty) {
            return Expr::FunctionAddress(index);
        }
        if self.is_forbidden_call(name) {
            self.note_external(name, ExternalKind::Error);
            return Expr::FunctionAddress(self.error_stub(name, ty));
        }
        if let Some(known) = library::lookup(name)
            && let Ok(index) = self.library_wrapper(&known, ty)
        {
            return Expr::FunctionAddress(index);
        }
        if let Some(function) = self.types.function_type(ty) {
            self.note_external_function(name, function.result);
        }
        Expr::ExternalFunctionAddress(name.to_owned())
    }

    /// A function that the compiler knows without a declaration.
    fn builtin_function_designator(&mut self, name: &str) -> Option<Value> {
        let known = name.starts_with("__builtin_") || name.starts_with("__VERIFIER_");
        if !known {
            return None;
        }
        let ty = self.types.function(FunctionType {
            result: Type::INT,
            parameters: Vec::new(),
            form: ParameterForm::Unspecified,
        });
        let address = self.function_address(name, ty);
        Some(Value {
            ty,
            kind: ValueKind::Function(address),
        })
    }

    /// The array for `__func__` and its variants, which is distinct from other strings.
    fn function_name_object(&mut self, spelling: &str) -> Value {
        let function = match self.function.name() {
            crate::lower::START => "",
            name => source_name(name),
        };
        let mut units: Vec<u32> = function.bytes().map(u32::from).collect();
        units.push(0);
        let key = format!("{function}::{spelling}");
        if let Some((object, ty)) = self.literals.function_name(&key) {
            return Value::lvalue(Expr::ObjectAddress(object), ty);
        }
        let value = self.literal_object(
            key.clone(),
            units,
            1,
            Type::CHAR.qualified(Qualifiers::CONST),
        );
        if let ValueKind::Lvalue(Lvalue {
            address: Expr::ObjectAddress(object),
            ..
        }) = value.kind
        {
            self.literals.add_function_name(key, object, value.ty);
        }
        value
    }

    pub(in crate::lower) fn string_object(
        &mut self,
        mut units: Vec<u32>,
        bytes: u8,
        element: Type,
    ) -> Value {
        units.push(0);
        let key = (units, bytes);
        if let Some(object) = self.literals.string(&key) {
            if self.cursor.span().line != 0 {
                self.literals.note_equal_strings();
            }
            let length = ArrayLength::Constant(key.0.len() as u64);
            let ty = self.types.array(element, length);
            return Value::lvalue(Expr::ObjectAddress(object), ty);
        }
        let name = format!("string#{}", self.literals.string_count());
        let value = self.literal_object(name, key.0.clone(), bytes, element);
        if let ValueKind::Lvalue(Lvalue {
            address: Expr::ObjectAddress(object),
            ..
        }) = value.kind
        {
            self.literals.add_string(key, object);
        }
        value
    }

    /// Creates a constant array of characters that ends in zero.
    fn literal_object(&mut self, name: String, units: Vec<u32>, bytes: u8, element: Type) -> Value {
        let count = units.len() as u64;
        let ty = self.types.array(element, ArrayLength::Constant(count));
        let bits = bytes * 8;
        let signed = self.types.scalar(element) == Some(ScalarType::Integer { bits, signed: true });
        let scalar = ScalarType::Integer { bits, signed };
        let object = self.push_object(Object {
            name,
            size: count * u64::from(bytes),
            alignment: u64::from(bytes),
            storage: Storage::Literal,
            constant: true,
            leaves: vec![Leaf {
                bit_offset: 0,
                bits: u32::from(bits),
                scalar,
                count,
                stride: u64::from(bits),
            }],
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        self.objects.make_constant(object);
        self.in_start(|this| {
            for (position, &unit) in units.iter().enumerate() {
                if unit != 0 {
                    let address = Expr::ObjectAddress(object);
                    let address = this.constant_offset(address, position as u64 * u64::from(bytes));
                    let value = fold::integer(i128::from(unit), scalar);
                    this.assign_scalar(address, scalar, value);
                }
            }
        });
        Value::lvalue(Expr::ObjectAddress(object), ty)
    }

    /// Lowers `*pointer`.
    pub(in crate::lower) fn dereference(&mut self, value: Value) -> Result<Value> {
        let value = self.rvalue(value);
        let Some(target) = self.types.pointee(value.ty) else {
            let ty = self.types.describe(value.ty);
            return Err(self.error(format!(
                "`*` is applied to a `{ty}`, which is not a pointer"
            )));
        };
        let (address, _) = self.scalar_value(value)?;
        Ok(self.object_at(address, target))
    }

    pub(in crate::lower) fn object_at(&self, address: Expr, ty: Type) -> Value {
        if self.types.is_function(ty) {
            return Value {
                ty,
                kind: ValueKind::Function(address),
            };
        }
        Value::lvalue(address, ty)
    }

    /// The place of a whole scalar at an address.
    pub(in crate::lower) fn scalar_place(&self, address: Expr, ty: Type) -> Result<Place> {
        Ok(Place::new(address, self.scalar_type(ty)?))
    }

    /// Lowers `base.member` or `base->member`.
    pub(in crate::lower) fn member(&mut self, node: &Node<ast::MemberExpression>) -> Result<Value> {
        let member = &node.node;
        let span = self.cursor.span();
        let base = self.expression(&member.expression)?;
        self.cursor.set_span(span);
        let record = match member.operator.node {
            ast::MemberOperator::Direct => match base.kind {
                ValueKind::Aggregate(_) | ValueKind::Lvalue(_) => base,
                _ => self.rvalue(base),
            },
            ast::MemberOperator::Indirect => {
                if !self.types.is_pointer(base.ty) && !self.types.is_array(base.ty) {
                    let ty = self.types.describe(base.ty);
                    return Err(self.error(format!(
                        "`->` is applied to a `{ty}`, which is not a pointer"
                    )));
                }
                self.dereference(base)?
            }
        };
        let name = &member.identifier.node.name;
        match self.stream_member(&record, name)? {
            Some(value) => Ok(value),
            None => self.select(record, name),
        }
    }

    /// Selects a member of a struct or union.
    pub(in crate::lower) fn select(&mut self, record: Value, name: &str) -> Result<Value> {
        if self.types.as_record(record.ty).is_none() {
            let ty = self.types.describe(record.ty);
            return Err(self.error(format!(
                "member `{name}` of something that is not a struct or union but `{ty}`"
            )));
        }
        if !self.types.is_complete(record.ty) {
            let ty = self.types.describe(record.ty);
            return Err(self.error(format!("the type `{ty}` is incomplete")));
        }
        let Some(field) = self.types.find_field(record.ty, name) else {
            let ty = self.types.describe(record.ty);
            return Err(self.error(format!("`{ty}` has no member `{name}`")));
        };
        match record.kind {
            ValueKind::Lvalue(lvalue) => Ok(self.field_lvalue(lvalue.address, field)),
            ValueKind::Aggregate(address) => {
                // The whole record is read, whatever is used of it.
                let address = match self.input.property().checks_memory() {
                    true if self.types.is_array(field.ty) => {
                        self.temporary_copy(address, record.ty)?
                    }
                    true => {
                        self.read_unused(address.clone(), record.ty);
                        address
                    }
                    false => address,
                };
                let part = self.field_lvalue(address, field);
                // The result is not an lvalue: it is read at once unless it is an array.
                if self.types.is_array(part.ty) {
                    let ValueKind::Lvalue(lvalue) = part.kind else {
                        return Ok(part);
                    };
                    return Ok(Value::aggregate(lvalue.address, part.ty));
                }
                Ok(self.rvalue(part))
            }
            _ => Err(self.error("a member of something without an address")),
        }
    }

    /// The address of a copy of a record that is not an lvalue. The copy ends with the full expression (C11 6.2.4p8), before
    /// any other object.
    fn temporary_copy(&mut self, address: Expr, ty: Type) -> Result<Expr> {
        let copy = self.temporary_object(ty.unqualified())?;
        self.objects[copy].blocks.push(u32::MAX - copy.0);
        self.emit_fresh(Instruction::Copy {
            destination: Pointer::new(Expr::ObjectAddress(copy)),
            source: Pointer::new(address),
            size: self.size_of(ty)?,
            leaves: self.types.leaves(ty),
            overlapping: false,
        });
        Ok(Expr::ObjectAddress(copy))
    }

    /// The member at a path within the record at an address.
    pub(in crate::lower) fn field_lvalue(&mut self, address: Expr, field: FieldPath) -> Value {
        let address = match field.variable_offset {
            Some(base) => {
                let base = self.load_visible(base, self.types.offset_scalar());
                self.offset(address, base)
            }
            None => address,
        };
        let address = self.constant_offset(address, field.bit_offset / 8);
        Value {
            ty: field.ty,
            kind: ValueKind::Lvalue(Lvalue {
                address,
                bit_field: field.bit_width.map(|bits| BitField {
                    offset: (field.bit_offset % 8) as u8,
                    bits,
                }),
            }),
        }
    }

    /// Lowers `left[right]`; either operand may be the pointer.
    pub(in crate::lower) fn index(
        &mut self,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
        reach: Reach,
    ) -> Result<Value> {
        let nodes = [left, right];
        let (left, right) = self.index_operands(left, right)?;
        self.expect_in_array(BinaryOp::Add, nodes, [&left, &right], reach)?;
        for (vector, index) in [(&left, &right), (&right, &left)] {
            if self.types.is_vector(vector.ty) {
                let index = self.rvalue(index.clone());
                return self.vector_element(vector.clone(), index);
            }
        }
        let left = self.rvalue(left);
        let right = self.rvalue(right);
        let (pointer, index) = if self.types.is_pointer(left.ty) {
            (left, right)
        } else {
            (right, left)
        };
        if !self.types.is_pointer(pointer.ty) || !self.types.is_integer(index.ty) {
            return Err(self.error(
                "the subscripted value is not an array or pointer, or the index not an integer",
            ));
        }
        let element = self.add_to_pointer(pointer, index, BinaryOp::Add)?;
        self.dereference(element)
    }

    /// Lowers `pointer + integer` or `pointer - integer`.
    pub(in crate::lower) fn add_to_pointer(
        &mut self,
        pointer: Value,
        index: Value,
        op: BinaryOp,
    ) -> Result<Value> {
        let ty = pointer.ty;
        let Some(target) = self.types.pointee(ty) else {
            return Err(self.error("arithmetic on something that is not a pointer"));
        };
        if !self.types.is_complete(target)
            && !self.types.is_void(target)
            && !self.types.is_function(target)
        {
            let target = self.types.describe(target);
            return Err(self.error(format!(
                "arithmetic on a pointer to the incomplete type `{target}`"
            )));
        }
        let size = self.size_expression(target)?;
        let (address, _) = self.scalar_value(pointer)?;
        let (index, index_type) = self.scalar_value(index)?;
        let scalar = self.types.offset_scalar();
        let from = self.scalar_type(index_type)?;
        let index = fold::convert(index, from, scalar);
        let mut bytes = if fold::constant(&size) == Some(1) {
            index
        } else {
            fold::binary(BinaryOp::Multiply, index, size, scalar)
        };
        if op == BinaryOp::Subtract {
            bytes = fold::unary(crate::ir::UnaryOp::Negate, bytes, scalar);
        }
        Ok(Value::scalar(self.offset(address, bytes), ty.unqualified()))
    }

    pub(in crate::lower) fn address_of(
        &mut self,
        operand: &Node<ast::Expression>,
    ) -> Result<Value> {
        let span = self.cursor.span();
        let value = match &operand.node {
            // The element is not accessed.
            ast::Expression::BinaryOperator(binary)
                if binary.node.operator.node == ast::BinaryOperator::Index =>
            {
                self.cursor.set_span(self.cursor.place_of(operand));
                self.index(&binary.node.lhs, &binary.node.rhs, Reach::End)?
            }
            _ => self.expression(operand)?,
        };
        self.cursor.set_span(span);
        let ty = value.ty;
        let address = match value.kind {
            ValueKind::Lvalue(Lvalue {
                bit_field: Some(_), ..
            }) => return Err(self.error("the address of a bit-field is taken")),
            ValueKind::Lvalue(lvalue) => lvalue.address,
            ValueKind::Function(address) => address,
            // gcc rejects the address of a struct that is not an lvalue, but accepts that of an array in one.
            ValueKind::Aggregate(address)
                if matches!(self.types.kind(ty), TypeKind::Array { .. }) =>
            {
                address
            }
            ValueKind::Void if self.types.is_void(ty) => {
                return Err(self.error("the address of a void value is taken"));
            }
            _ => return Err(self.error("the address of something that is not an lvalue is taken")),
        };
        let pointer = self.types.pointer(ty);
        Ok(Value::scalar(address, pointer))
    }
}

//! Functions with a variable number of arguments.
//!
//! The caller stores the variable arguments in an automatic object, each in an aligned slot (8 bytes, or 16 for types
//! aligned to that; 4 in 32-bit code), and passes the object's address as a hidden last parameter. A `va_list` is a
//! pointer to the next slot; see [`crate::types::TypeTable::va_list`].
//!
//! `__builtin_va_arg_pack()`, which gcc allows in functions that are always inlined, passes the pointer on. For functions
//! with `__builtin_va_arg_pack_len()`, the number of variable arguments precedes them.

use lang_c::ast;
use rustc_hash::FxHashSet;

use crate::ir::{
    Argument, BinaryOp, Callee, Expr, FunctionIndex, Instruction, Object, Place, ScalarType,
    Storage,
};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::statements::long_jump;
use crate::lower::{Lowerer, Result};
use crate::memory::walk::start_of;
use crate::types::{Type, TypeKind};
use regatta_program::DataModel;

/// Size of the number in front of the variable arguments (bytes), which keeps them aligned.
const COUNT_BYTES: u64 = 16;

/// The functions that read the number of their variable arguments.
#[derive(Debug, Default)]
pub(in crate::lower) struct ArgumentCounts {
    /// The functions that read it.
    counted: FxHashSet<FunctionIndex>,
    /// The called functions with variable arguments.
    called: FxHashSet<FunctionIndex>,
}

impl Lowerer<'_> {
    /// The unit of slot sizes (bytes).
    fn slot_unit(&self) -> u64 {
        match self.input.data_model() {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    fn slot_alignment(&self, ty: Type) -> Result<u64> {
        let unit = self.slot_unit();
        Ok(match self.input.data_model() {
            DataModel::Ilp32 => unit,
            DataModel::Lp64 => self.alignment_of(ty)?.clamp(unit, 16),
        })
    }

    /// Adds the hidden parameter of the current function.
    pub(in crate::lower) fn add_variable_arguments(&mut self) {
        let (size, alignment) = self.types.scalar_layout(ScalarType::Pointer);
        let bits = u32::from(self.input.pointer_bits());
        let object = self.push_object(Object {
            name: format!("{}::<...>", self.function.name()),
            size,
            alignment,
            storage: Storage::Automatic(self.function.index()),
            constant: false,
            leaves: vec![crate::ir::Leaf {
                bit_offset: 0,
                bits,
                scalar: ScalarType::Pointer,
                count: 1,
                stride: u64::from(bits),
            }],
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        self.function.add_parameter(object);
        self.function.set_variable_arguments(object);
    }

    /// All variable arguments of the function being lowered, as the last argument of a call.
    pub(in crate::lower) fn argument_pack(&mut self) -> Result<Value> {
        let Some(arguments) = self.function.variable_arguments() else {
            return Err(self.error("`__builtin_va_arg_pack` in a function with fixed arguments"));
        };
        let value = self.load_object(arguments, ScalarType::Pointer);
        Ok(Value::scalar(value, self.types.argument_pack_type()))
    }

    /// The number of variable arguments of the function being lowered.
    pub(in crate::lower) fn argument_count(&mut self) -> Result<Value> {
        let Some(arguments) = self.function.variable_arguments() else {
            let what = "`__builtin_va_arg_pack_len` in a function with fixed arguments";
            return Err(self.error(what));
        };
        let own = self.function.index();
        if self.argument_counts.called.contains(&own) {
            self.unsupported("`__builtin_va_arg_pack_len` in a function that is called before");
        }
        self.argument_counts.counted.insert(own);
        let arguments = self.load_object(arguments, ScalarType::Pointer);
        let back = fold::integer(-i128::from(COUNT_BYTES), self.types.offset_scalar());
        let place = Place::new(self.offset(arguments, back), fold::INT);
        Ok(Value::scalar(Expr::Load(place), Type::INT))
    }

    /// The argument that carries a callee's variable arguments.
    pub(in crate::lower) fn variable_arguments(
        &mut self,
        callee: &Callee,
        values: Vec<Value>,
    ) -> Result<Argument> {
        let counts = &mut self.argument_counts;
        let is_counted = match callee {
            Callee::Direct(index) => {
                counts.called.insert(*index);
                counts.counted.contains(index)
            }
            _ if counts.counted.is_empty() => false,
            _ => {
                self.unsupported(
                    "a call through a pointer, where `__builtin_va_arg_pack_len` is used",
                );
                false
            }
        };
        if let [pack] = values.as_slice()
            && self.types.is_argument_pack(pack.ty)
        {
            if is_counted
                && !self
                    .argument_counts
                    .counted
                    .contains(&self.function.index())
            {
                self.unsupported(
                    "`__builtin_va_arg_pack` for a function that counts its arguments",
                );
            }
            let (value, _) = self.scalar_value(pack.clone())?;
            return Ok(Argument::Scalar {
                value,
                scalar: ScalarType::Pointer,
            });
        }
        self.refuse_pack(&values);
        self.pack_variable_arguments(values, is_counted)
    }

    /// Refuses a pack of variable arguments among other variable arguments.
    pub(in crate::lower) fn refuse_pack(&mut self, values: &[Value]) {
        let mut values = values.iter();
        if values.any(|value| self.types.is_argument_pack(value.ty)) {
            self.unsupported("`__builtin_va_arg_pack` behind other variable arguments");
        }
    }

    /// Stores promoted arguments in a new object, preceded by their number if the callee reads it.
    fn pack_variable_arguments(
        &mut self,
        values: Vec<Value>,
        is_counted: bool,
    ) -> Result<Argument> {
        let mut leaves = Vec::new();
        let mut slots = Vec::with_capacity(values.len());
        let header = if is_counted { COUNT_BYTES } else { 0 };
        let mut end: u64 = header;
        if is_counted {
            leaves.push(long_jump::scalar_leaf(fold::INT, 4));
        }
        let unit = self.slot_unit();
        for value in &values {
            let alignment = self.slot_alignment(value.ty)?;
            let start = end.next_multiple_of(alignment);
            for mut leaf in self.types.leaves(value.ty) {
                leaf.bit_offset += start * 8;
                leaves.push(leaf);
            }
            slots.push(start);
            end = start
                .checked_add(self.size_of(value.ty)?)
                .and_then(|end| end.checked_next_multiple_of(unit))
                .ok_or_else(|| self.error("the arguments are too large"))?;
        }
        if values.is_empty() && !is_counted {
            return Ok(Argument::Scalar {
                value: fold::zero(ScalarType::Pointer),
                scalar: ScalarType::Pointer,
            });
        }
        let name = self.function.name_temporary();
        let object = self.push_object(Object {
            name,
            size: end,
            alignment: 16,
            storage: Storage::Automatic(self.function.index()),
            constant: false,
            leaves,
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        if is_counted {
            let place = self.object_place(object, fold::INT);
            let value = fold::int(values.len() as i128);
            self.emit(Instruction::Assign { place, value });
        }
        for (value, start) in values.into_iter().zip(slots) {
            let address = self.constant_offset(Expr::ObjectAddress(object), start);
            let ty = value.ty;
            self.store_value(Value::lvalue(address, ty), value)?;
        }
        Ok(Argument::Scalar {
            value: self.constant_offset(Expr::ObjectAddress(object), header),
            scalar: ScalarType::Pointer,
        })
    }

    /// The place of the pointer in a `va_list`.
    fn list_place(&mut self, value: Value) -> Result<Place> {
        let address = match (self.input.data_model(), value.kind) {
            (DataModel::Ilp32, ValueKind::Lvalue(Lvalue { address, .. }))
                if self.types.is_pointer(value.ty) =>
            {
                address
            }
            (DataModel::Lp64, ValueKind::Lvalue(Lvalue { address, .. }))
                if self.types.is_array(value.ty) =>
            {
                self.constant_offset(address, 8)
            }
            // A parameter of type `va_list` is a pointer to the struct.
            (DataModel::Lp64, kind) if self.types.is_pointer(value.ty) => {
                let pointer = self.rvalue(Value { ty: value.ty, kind });
                let (address, _) = self.scalar_value(pointer)?;
                self.constant_offset(address, 8)
            }
            _ => return Err(self.error("the operand is not a `va_list`")),
        };
        Ok(Place::new(address, ScalarType::Pointer))
    }

    /// The place of the pointer in a `va_list` that gets a value. One that is kept behind the function's return leads to
    /// arguments that exist no more.
    fn new_list_place(&mut self, list: Value) -> Result<Place> {
        let place = self.list_place(list)?;
        let own = start_of(&place.address);
        let is_local = own.is_some_and(|object| self.objects.is_automatic(object));
        if self.input.property().checks_memory() && !is_local {
            self.unsupported("a `va_list` that is not a local variable");
        }
        Ok(place)
    }

    pub(in crate::lower) fn va_start(&mut self, list: Value) -> Result<Value> {
        let place = self.new_list_place(list)?;
        let Some(arguments) = self.function.variable_arguments() else {
            return Err(self.error("`va_start` in a function with fixed arguments"));
        };
        let value = self.load_object(arguments, ScalarType::Pointer);
        self.emit(Instruction::Assign { place, value });
        Ok(Value::void())
    }

    pub(in crate::lower) fn va_copy(&mut self, destination: Value, source: Value) -> Result<Value> {
        let source = self.list_place(source)?;
        let place = self.new_list_place(destination)?;
        let value = Expr::Load(source);
        self.emit(Instruction::Assign { place, value });
        Ok(Value::void())
    }

    /// Lowers `va_arg(list, type)`.
    pub(in crate::lower) fn va_arg(&mut self, argument: &ast::VaArgExpression) -> Result<Value> {
        let span = self.cursor.span();
        let list = self.expression(&argument.va_list)?;
        let ty = self.type_name(&argument.type_name.node)?;
        self.cursor.set_span(span);
        if !self.types.is_complete(ty) || matches!(self.types.kind(ty), TypeKind::Function(_)) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("`va_arg` of the type `{ty}`")));
        }
        let place = self.list_place(list)?;
        let unit = self.slot_unit();
        let alignment = self.slot_alignment(ty)?;
        let mut slot = Expr::Load(place.clone());
        if alignment > unit {
            slot = self.aligned_pointer(slot, alignment);
        }
        let slot = self.store_fresh(slot, ScalarType::Pointer);
        let size = self.size_of(ty)?.next_multiple_of(unit);
        let next = self.constant_offset(slot.clone(), size);
        self.emit(Instruction::Assign { place, value: next });
        let value = self.rvalue(Value::lvalue(slot, ty));
        match value.kind {
            ValueKind::Scalar(expr) => {
                let scalar = self.scalar_type(value.ty)?;
                Ok(Value::scalar(self.keep(expr, scalar), value.ty))
            }
            kind => Ok(Value { kind, ..value }),
        }
    }

    /// Rounds the pointer up to a multiple of the alignment; the arguments' object is aligned to 16.
    fn aligned_pointer(&mut self, pointer: Expr, alignment: u64) -> Expr {
        let scalar = self.types.offset_scalar();
        let address = self.convert_representation(pointer.clone(), ScalarType::Pointer, scalar);
        let negative = fold::unary(crate::ir::UnaryOp::Negate, address, scalar);
        let mask = fold::integer(i128::from(alignment) - 1, scalar);
        let missing = fold::binary(BinaryOp::And, negative, mask, scalar);
        self.offset(pointer, missing)
    }
}

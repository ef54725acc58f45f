//! Library functions that allocate, free, copy and fill objects.

use crate::ir::{
    BinaryOp, Expr, InitialContents, Instruction, Leaf, Pointer, ScalarType, Terminator,
};
use crate::library::{Builtin, LibraryFunction, lookup};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::condition::Condition;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::{Lowerer, Result};
use crate::types::{ArrayLength, FunctionType, ParameterForm, Type};
use regatta_program::{DataModel, Lifetime};

impl Lowerer<'_> {
    pub(in crate::lower) fn memory_builtin(
        &mut self,
        builtin: Builtin,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Value> {
        let value = self.memory_operation(builtin, known, values)?;
        if matches!(
            builtin,
            Builtin::Malloc | Builtin::Calloc | Builtin::AlignedAlloc
        ) && self.errno_is_visible()
            && let Some(check) = lookup("__regatta_allocation")
        {
            self.call_quietly(&check, vec![value.clone()])?;
        }
        Ok(value)
    }

    fn memory_operation(
        &mut self,
        builtin: Builtin,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Value> {
        match builtin {
            Builtin::Malloc => {
                let [size] = self.exactly(known, values)?;
                let size = self.size_operand(size)?;
                let alignment = self.heap_alignment();
                self.allocate(
                    size,
                    alignment,
                    Lifetime::Heap,
                    InitialContents::Uninitialised,
                )
            }
            Builtin::Alloca => {
                let Some(size) = values.into_iter().next() else {
                    return Err(self.error(format!("`{}` needs a size", known.name)));
                };
                let size = self.size_operand(size)?;
                let contents = InitialContents::Uninitialised;
                self.allocate(size, 16, Lifetime::Automatic, contents)
            }
            Builtin::AlignedAlloc => {
                let [alignment, size] = self.exactly(known, values)?;
                let constant = self
                    .constant_argument(&alignment)
                    .and_then(|value| u64::try_from(value).ok())
                    .filter(|value| value.is_power_of_two());
                let Some(constant) = constant else {
                    return self.call_prelude("__regatta_aligned_alloc", vec![alignment, size]);
                };
                let alignment = constant.max(self.heap_alignment());
                let size = self.size_operand(size)?;
                let contents = InitialContents::Uninitialised;
                self.allocate(size, alignment, Lifetime::Heap, contents)
            }
            Builtin::Calloc => {
                let [count, size] = self.exactly(known, values)?;
                self.calloc(count, size)
            }
            Builtin::Pages => {
                let [size] = self.exactly(known, values)?;
                let size = self.size_operand(size)?;
                self.allocate(size, 4096, Lifetime::Heap, InitialContents::Zero)
            }
            Builtin::Resized => {
                let [pointer, size] = self.exactly(known, values)?;
                let address = self.pointer_operand(pointer)?;
                let size = self.size_operand(size)?;
                self.emit(Instruction::Free(Pointer::new(address.clone())));
                let alignment = self.heap_alignment();
                let result =
                    self.allocate(size, alignment, Lifetime::Heap, InitialContents::Previous)?;
                let (new, _) = self.scalar_value(result.clone())?;
                let same = fold::binary(BinaryOp::Equal, new, address, ScalarType::Pointer);
                self.emit(Instruction::Assume(same));
                Ok(result)
            }
            Builtin::Free => {
                let [pointer] = self.exactly(known, values)?;
                let address = self.pointer_operand(pointer)?;
                if self.input.property().checks_memory() {
                    // No byte is filled: but the object changes, which matters for the order of evaluation.
                    self.emit(Instruction::FillRange {
                        destination: Pointer::new(address.clone()),
                        size: fold::zero(self.types.size_scalar()),
                        byte: 0,
                    });
                }
                self.emit(Instruction::Free(Pointer::new(address)));
                Ok(Value::void())
            }
            Builtin::AllocatedSize => {
                let [pointer] = self.exactly(known, values)?;
                let address = self.pointer_operand(pointer)?;
                let expr = Expr::AllocatedSize(Pointer::new(address));
                Ok(Value::scalar(expr, self.types.size_type()))
            }
            Builtin::Memcpy | Builtin::Memmove => self.copy_memory(builtin, known, values),
            Builtin::Memset => self.fill_memory(known, values),
            _ => self.havoc_memory(known, values),
        }
    }

    /// The alignment of glibc's `malloc` on which programs may rely.
    fn heap_alignment(&self) -> u64 {
        match self.input.data_model() {
            DataModel::Ilp32 => 8,
            DataModel::Lp64 => 16,
        }
    }

    /// An argument as a `void *`; type-generic arguments have kept their own types.
    fn pointer_operand(&mut self, value: Value) -> Result<Expr> {
        let pointer_type = self.types.pointer(Type::VOID);
        let value = self.assignable(value, pointer_type)?;
        Ok(self.scalar_value(value)?.0)
    }

    fn size_operand(&mut self, value: Value) -> Result<Expr> {
        let size_type = self.types.size_type();
        let value = self.cast(value, size_type)?;
        Ok(self.scalar_value(value)?.0)
    }

    fn allocate(
        &mut self,
        size: Expr,
        alignment: u64,
        lifetime: Lifetime,
        contents: InitialContents,
    ) -> Result<Value> {
        let object = self.temporary(ScalarType::Pointer);
        let place = self.object_place(object, ScalarType::Pointer);
        self.emit(Instruction::Allocate {
            place,
            size,
            alignment,
            lifetime,
            contents,
        });
        let pointer = self.types.pointer(Type::VOID);
        let value = self.load_object(object, ScalarType::Pointer);
        Ok(Value::scalar(value, pointer))
    }

    /// Lowers `calloc`: null if the product overflows.
    fn calloc(&mut self, count: Value, size: Value) -> Result<Value> {
        let count = self.size_operand(count)?;
        let size = self.size_operand(size)?;
        let scalar = self.types.size_scalar();
        let product = fold::binary(BinaryOp::Multiply, count.clone(), size.clone(), scalar);
        let alignment = self.heap_alignment();
        let contents = InitialContents::Zero;
        if fold::constant(&product).is_some() {
            return self.allocate(product, alignment, Lifetime::Heap, contents);
        }
        // If one factor is constant, the other has a limit; else the product is computed in twice the width.
        let bits = self.input.pointer_bits();
        let largest = (1i128 << bits) - 1;
        let limit = |factor: i128| fold::integer(largest / factor.max(1), scalar);
        let fits = match (fold::constant(&count), fold::constant(&size)) {
            (_, Some(factor)) => fold::binary(BinaryOp::LessEqual, count, limit(factor), scalar),
            (Some(factor), _) => fold::binary(BinaryOp::LessEqual, size, limit(factor), scalar),
            _ => {
                let wide = ScalarType::Integer {
                    bits: bits * 2,
                    signed: false,
                };
                let exact = fold::binary(
                    BinaryOp::Multiply,
                    fold::convert(count, scalar, wide),
                    fold::convert(size, scalar, wide),
                    wide,
                );
                fold::binary(
                    BinaryOp::LessEqual,
                    exact,
                    fold::integer(largest, wide),
                    wide,
                )
            }
        };
        let condition = Condition::Value(fits, fold::INT);
        let (then, otherwise) = self.branch_on(condition);
        self.function.continue_in(then);
        let made = self.allocate(product, alignment, Lifetime::Heap, contents)?;
        let end = self.function.current();
        let ty = made.ty;
        let null = Value::scalar(fold::zero(ScalarType::Pointer), ty);
        self.join_values([(end, made), (otherwise, null)], ty)
    }

    /// The scalars in `size` bytes at a pointer, according to its type.
    fn leaves_at(&mut self, values: &[Value], size: u64) -> Vec<Leaf> {
        for value in values {
            let Some(target) = self.types.pointee(value.ty) else {
                continue;
            };
            let target_size = match self.types.size_of(target) {
                Ok(target_size) if target_size > 0 && self.types.is_complete(target) => target_size,
                _ => continue,
            };
            if self.types.is_void(target) || !size.is_multiple_of(target_size) {
                continue;
            }
            let array = self.types.array(
                target.unqualified(),
                ArrayLength::Constant(size / target_size),
            );
            return self.types.leaves(array);
        }
        let bytes = self.types.array(Type::CHAR, ArrayLength::Constant(size));
        self.types.leaves(bytes)
    }

    fn constant_size(&self, size: &Value) -> Option<u64> {
        let size = u64::try_from(self.constant_argument(size)?).ok()?;
        (size < 1 << 40).then_some(size)
    }

    fn copy_memory(
        &mut self,
        builtin: Builtin,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Value> {
        let [destination, source, size] = self.exactly(known, values)?;
        self.note_stream_copy(source.ty);
        let Some(size_known) = self.constant_size(&size) else {
            let name = match builtin {
                Builtin::Memcpy => "__regatta_memcpy",
                _ => "__regatta_memmove",
            };
            return self.call_prelude(name, vec![destination, source, size]);
        };
        let leaves = self.leaves_at(&[destination.clone(), source.clone()], size_known);
        let source = self.pointer_operand(source)?;
        let pointer_type = self.types.pointer(Type::VOID);
        let destination = self.pointer_operand(destination)?;
        let destination = self.keep(destination, ScalarType::Pointer);
        if size_known > 0 {
            self.emit(Instruction::Copy {
                destination: Pointer::new(destination.clone()),
                source: Pointer::new(source),
                size: size_known,
                leaves,
                overlapping: builtin == Builtin::Memmove,
            });
        }
        Ok(Value::scalar(destination, pointer_type))
    }

    fn fill_memory(&mut self, known: &LibraryFunction, values: Vec<Value>) -> Result<Value> {
        let [destination, byte, size] = self.exactly(known, values)?;
        let (Some(size_known), Some(byte_known)) =
            (self.constant_size(&size), self.constant_argument(&byte))
        else {
            return match self.constant_argument(&byte) {
                // Byte by byte, it would take pointers in the range apart.
                Some(byte) if self.input.property().checks_memory() => {
                    self.fill_range(destination, size, (byte & 0xff) as u8)
                }
                _ => self.call_prelude("__regatta_memset", vec![destination, byte, size]),
            };
        };
        let leaves = self.leaves_at(std::slice::from_ref(&destination), size_known);
        let pointer_type = self.types.pointer(Type::VOID);
        let destination = self.pointer_operand(destination)?;
        let destination = self.keep(destination, ScalarType::Pointer);
        if size_known > 0 {
            self.emit(Instruction::Fill {
                destination: Pointer::new(destination.clone()),
                size: size_known,
                byte: (byte_known & 0xff) as u8,
                leaves,
            });
        }
        Ok(Value::scalar(destination, pointer_type))
    }

    fn fill_range(&mut self, destination: Value, size: Value, byte: u8) -> Result<Value> {
        let destination = self.pointer_operand(destination)?;
        let destination = self.keep(destination, ScalarType::Pointer);
        let size = self.size_operand(size)?;
        self.emit(Instruction::FillRange {
            destination: Pointer::new(destination.clone()),
            size,
            byte,
        });
        let pointer_type = self.types.pointer(Type::VOID);
        Ok(Value::scalar(destination, pointer_type))
    }

    fn call_prelude(&mut self, name: &'static str, values: Vec<Value>) -> Result<Value> {
        let Some(known) = lookup(name) else {
            return Err(self.error(format!("the library has no `{name}`")));
        };
        let pointer = self.types.pointer(Type::VOID);
        let function = FunctionType {
            result: pointer,
            parameters: Vec::new(),
            form: ParameterForm::Unspecified,
        };
        self.library_values(&known, &function, values, Use::Value)
    }

    /// Makes the bytes inputs, in a loop over the bytes.
    fn havoc_memory(&mut self, known: &LibraryFunction, values: Vec<Value>) -> Result<Value> {
        let [pointer, size] = self.exactly(known, values)?;
        let pointer = self.pointer_operand(pointer)?;
        let pointer = self.keep(pointer, ScalarType::Pointer);
        let size = self.size_operand(size)?;
        let scalar = self.types.size_scalar();
        let size = self.keep(size, scalar);
        let span = self.cursor.span();
        let counter = self.temporary(scalar);
        // The counter is assigned in a loop, so that it is not a temporary with a single value.
        self.objects.set_temporary(counter, false);
        self.assign_scalar(Expr::ObjectAddress(counter), scalar, fold::zero(scalar));
        let head = self.function.new_block();
        let body = self.function.new_block();
        let exit = self.function.new_block();
        self.function.goto_new(head, span);
        let index = self.load_object(counter, scalar);
        let condition = fold::binary(BinaryOp::Less, index.clone(), size, scalar);
        self.function.end(
            Terminator::Branch {
                condition,
                scalar: fold::INT,
                then: body,
                otherwise: exit,
            },
            span,
        );
        self.function.continue_in(body);
        let offset = fold::convert(index.clone(), scalar, self.types.offset_scalar());
        let address = self.offset(pointer, offset);
        let character = Type::CHAR;
        let place = self.scalar_place(address, character)?;
        self.emit(Instruction::Nondet {
            place,
            function: known.name.to_owned(),
            call_end: regatta_base::Span::NONE,
        });
        let one = fold::integer(1, scalar);
        let next = fold::binary(BinaryOp::Add, index, one, scalar);
        self.assign_scalar(Expr::ObjectAddress(counter), scalar, next);
        self.function.end(Terminator::Goto(head), span);
        self.function.continue_in(exit);
        Ok(Value::void())
    }
}

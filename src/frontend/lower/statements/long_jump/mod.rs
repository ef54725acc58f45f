//! `setjmp` and `longjmp`: jumps out of active functions.
//!
//! Each call of `setjmp` is a numbered *landing*. `setjmp` writes the landing's number and the number of the
//! function's activation into the buffer and returns zero. `longjmp` copies both into internal objects, where a
//! nonzero landing means that a jump is pending, and returns from its function. After each call of a function that may
//! return with a pending jump, the caller tests for one and returns in turn, until the activation with the landing is
//! reached. If that activation has ended, no function takes the jump, and it arrives in the start function: that is
//! not modelled.
//!
//! Objects of the activation that are not `volatile` and have changed since `setjmp` are indeterminate after the jump
//! (C17 7.13.2.1): if they may be read, they get unknown values. Copies made at `setjmp` tell whether they have
//! changed.
//!
//! [`Lowerer::finish_long_jumps`] adds the branches when all functions are known.

mod control_flow;
mod leaving;
pub(in crate::lower) mod uses;

use std::ops::Range;

use rustc_hash::FxHashMap;

use control_flow::JumpTransformer;
use leaving::{Marks, drop_unneeded_assumption, leaving};

use crate::ir::{
    BinaryOp, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Leaf, Object,
    ObjectIndex, Place, ScalarType, Storage, Terminator,
};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::{Lowerer, Result};
use crate::memory::walk;
use crate::types::Type;
use regatta_program::{AssumptionKind, DataModel, Span};

/// Prefix of the temporary labels of landings; the number follows.
const LANDING: &str = "#landing ";

/// The temporary label of the block that leaves a function with a pending jump.
const EXIT: &str = "#exit";

/// The assumption about buffers.
const BUFFER_IS_NOT_READ: &str = "the program does not read what `setjmp` writes";

/// The assumption about unknown code, if there is any.
const NO_OTHER_JUMPS: &str = "code of other files does not jump to a `setjmp` of this one";

/// The scalar type of a landing's number.
const LANDING_SCALAR: ScalarType = ScalarType::Integer {
    bits: 32,
    signed: false,
};

/// The objects that describe a pending jump.
#[derive(Copy, Clone, Debug)]
struct PendingJump {
    /// The number of the landing; zero if no jump is pending.
    landing: ObjectIndex,
    /// The number of the activation that has the landing.
    activation: ObjectIndex,
    /// The value that `setjmp` returns at the landing.
    value: ObjectIndex,
    /// Number of activations numbered so far.
    count: ObjectIndex,
}

/// The long jumps and landings found so far.
#[derive(Debug, Default)]
pub(in crate::lower) struct LongJumps {
    pending: Option<PendingJump>,
    /// The position of the first jump, if there is one.
    jumps: Option<Span>,
    /// By landing (from one): the object that holds the result of `setjmp`; `None` for landings at labels.
    results: Vec<Option<ObjectIndex>>,
    /// By function with a landing: the object that holds the number of the activation.
    activations: FxHashMap<FunctionIndex, ObjectIndex>,
    /// The bytes of objects that are buffers of `setjmp`, whose contents are kept over a jump.
    buffers: Vec<(ObjectIndex, Range<u64>)>,
}

impl Lowerer<'_> {
    fn pending(&mut self) -> PendingJump {
        if let Some(pending) = self.long_jumps.pending {
            return pending;
        }
        let size = self.types.size_scalar();
        let mut object = |name: &str, scalar: ScalarType| {
            let (bytes, alignment) = self.types.scalar_layout(scalar);
            self.push_object(Object {
                name: format!("#jump::{name}"),
                size: bytes,
                alignment,
                storage: Storage::Static { external: false },
                constant: false,
                leaves: vec![scalar_leaf(scalar, bytes)],
                blocks: Vec::new(),
                span: Span::NONE,
            })
        };
        let pending = PendingJump {
            landing: object("landing", LANDING_SCALAR),
            activation: object("activation", size),
            value: object("value", fold::INT),
            count: object("count", size),
        };
        self.long_jumps.pending = Some(pending);
        pending
    }

    fn activation(&mut self, function: FunctionIndex) -> ObjectIndex {
        if let Some(&object) = self.long_jumps.activations.get(&function) {
            return object;
        }
        let object = self.own_object(function, "activation", self.types.size_scalar());
        self.long_jumps.activations.insert(function, object);
        object
    }

    fn own_object(
        &mut self,
        function: FunctionIndex,
        name: &str,
        scalar: ScalarType,
    ) -> ObjectIndex {
        let (bytes, alignment) = self.types.scalar_layout(scalar);
        let object = self.push_object(Object {
            name: format!("#jump::{}::{name}", function.0),
            size: bytes,
            alignment,
            storage: Storage::Automatic(function),
            constant: false,
            leaves: vec![scalar_leaf(scalar, bytes)],
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        if let Some(object) = self.objects.get_mut(object) {
            object.blocks.clear();
        }
        object
    }

    /// The two words of a buffer that are used: the landing and the activation.
    fn buffer_places(&self, buffer: &Expr) -> (Place, Place) {
        let size = self.types.size_scalar();
        let bytes = i128::from(self.input.pointer_bits() / 8);
        let second = self.offset(
            buffer.clone(),
            fold::integer(bytes, self.types.offset_scalar()),
        );
        (Place::new(buffer.clone(), size), Place::new(second, size))
    }

    /// Lowers `setjmp(buffer)` and its variants.
    pub(in crate::lower) fn set_jump(&mut self, name: &str, buffer: Value) -> Result<Value> {
        let (buffer, _) = self.scalar_value(buffer)?;
        if self.input.property().checks_memory() {
            self.unsupported("the ends of objects that a long jump leaves");
        }
        self.note_buffer(name, &buffer);
        let buffer = self.keep(buffer, ScalarType::Pointer);
        self.note_assumption(AssumptionKind::Layout, BUFFER_IS_NOT_READ);
        self.note_assumption(AssumptionKind::UnknownCode, NO_OTHER_JUMPS);
        self.pending();
        let activation = self.activation(self.function.index());
        let result = self.temporary(fold::INT);
        self.objects.set_temporary(result, false);
        self.long_jumps.results.push(Some(result));
        let number = self.long_jumps.results.len();
        let (landing_place, activation_place) = self.buffer_places(&buffer);
        self.emit(Instruction::Assign {
            place: landing_place,
            value: fold::integer(number as i128, self.types.size_scalar()),
        });
        let value = self.load_object(activation, self.types.size_scalar());
        self.emit(Instruction::Assign {
            place: activation_place,
            value,
        });
        self.emit(Instruction::Assign {
            place: self.object_place(result, fold::INT),
            value: fold::int(0),
        });
        let landing = self.function.new_block();
        self.function
            .set_label(landing, &format!("{LANDING}{number}"));
        let span = self.cursor.span();
        self.function.goto_new(landing, span);
        Ok(Value::scalar(
            self.load_object(result, fold::INT),
            Type::INT,
        ))
    }

    /// Records the bytes of a buffer that is part of an object at a constant offset.
    fn note_buffer(&mut self, name: &str, buffer: &Expr) {
        // The size of glibc's `jmp_buf`; the compiler's own buffer has five words.
        let pointer_bytes = u64::from(self.input.pointer_bits() / 8);
        let size = match (name, self.input.data_model()) {
            ("__builtin_setjmp", _) => 5 * pointer_bytes,
            (_, DataModel::Lp64) => 200,
            (_, DataModel::Ilp32) => 156,
        };
        let (object, start) = match buffer {
            Expr::ObjectAddress(object) => (*object, Some(0)),
            Expr::Offset { base, bytes } => match **base {
                Expr::ObjectAddress(object) => (object, fold::constant(bytes)),
                _ => return,
            },
            _ => return,
        };
        if let Some(start) = start.and_then(|start| u64::try_from(start).ok()) {
            self.long_jumps.buffers.push((object, start..start + size));
        }
    }

    /// Lowers `longjmp(buffer, value)`.
    pub(in crate::lower) fn long_jump(&mut self, buffer: Value, value: Value) -> Result<()> {
        let (buffer, _) = self.scalar_value(buffer)?;
        let (value, ty) = self.scalar_value(value)?;
        let scalar = self.scalar_type(ty)?;
        let value = fold::convert(value, scalar, fold::INT);
        let value = self.keep(value, fold::INT);
        let buffer = self.keep(buffer, ScalarType::Pointer);
        let pending = self.pending();
        let (landing, activation) = self.buffer_places(&buffer);
        let is_zero = fold::binary(BinaryOp::Equal, value.clone(), fold::int(0), fold::INT);
        let value = match fold::constant_truth(&is_zero) {
            Some(true) => fold::int(1),
            Some(false) => value,
            None => Expr::conditional(is_zero, fold::int(1), value, fold::INT),
        };
        let landing = fold::convert(
            Expr::Load(landing),
            self.types.size_scalar(),
            LANDING_SCALAR,
        );
        for (object, scalar, value) in [
            (pending.landing, LANDING_SCALAR, landing),
            (
                pending.activation,
                self.types.size_scalar(),
                Expr::Load(activation),
            ),
            (pending.value, fold::INT, value),
        ] {
            let place = self.object_place(object, scalar);
            self.emit(Instruction::Assign { place, value });
        }
        self.leave_by_jump();
        Ok(())
    }

    /// Lowers a jump to a label of an enclosing function; returns the number of the required landing.
    pub(in crate::lower) fn jump_to_function(&mut self, function: FunctionIndex) -> usize {
        let pending = self.pending();
        self.long_jumps.results.push(None);
        let number = self.long_jumps.results.len();
        let size = self.types.size_scalar();
        let activation = self.activation(function);
        let activation = self.load_visible(activation, size);
        for (object, scalar, value) in [
            (
                pending.landing,
                LANDING_SCALAR,
                fold::integer(number as i128, LANDING_SCALAR),
            ),
            (pending.activation, size, activation),
        ] {
            let place = self.object_place(object, scalar);
            self.emit(Instruction::Assign { place, value });
        }
        self.leave_by_jump();
        number
    }

    /// Creates a landing that leads to a block of the current function.
    pub(in crate::lower) fn land(&mut self, number: usize, block: BlockIndex) {
        let landing = self.function.new_block();
        self.function
            .set_label(landing, &format!("{LANDING}{number}"));
        let span = self.cursor.span();
        self.function
            .end_block(landing, Terminator::Goto(block), span);
        self.function.add_root(landing);
    }

    /// Leaves the function with a pending jump.
    fn leave_by_jump(&mut self) {
        self.long_jumps.jumps.get_or_insert(self.cursor.span());
        let exit = match self.function.jump_exit() {
            Some(exit) => exit,
            None => {
                let exit = self.function.new_block();
                self.function.set_label(exit, EXIT);
                let span = self.cursor.span();
                self.function.end_block(exit, Terminator::Return, span);
                self.function.set_jump_exit(exit);
                exit
            }
        };
        self.end_path(Terminator::Goto(exit));
    }

    /// `main`, if only the start function calls it, so that no caller of it can take a jump.
    fn last_function(&self, functions: &[Function], start: FunctionIndex) -> Option<FunctionIndex> {
        let main = self.functions.named("main")?;
        let calls = |function: &Function| {
            let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            instructions.any(|(one, _)| {
                matches!(
                    one,
                    Instruction::Call {
                        callee: Callee::Direct(callee) | Callee::Escaped(callee),
                        ..
                    } if *callee == main
                )
            })
        };
        let mut is_taken = false;
        for block in functions.iter().flat_map(|function| &function.blocks) {
            walk::every_expression(block, &mut |expr| {
                is_taken |= matches!(expr, Expr::FunctionAddress(index) if *index == main);
            });
        }
        let mut others = functions.iter().enumerate();
        let is_called =
            others.any(|(index, function)| index != start.0 as usize && calls(function));
        (!is_taken && !is_called).then_some(main)
    }

    /// Adds the control flow of jumps: to their landings, and out of the functions that they leave.
    pub(in crate::lower) fn finish_long_jumps(
        &mut self,
        functions: &mut [Function],
        start: FunctionIndex,
    ) {
        let marks: Vec<Marks> = functions.iter_mut().map(Marks::take).collect();
        if self.long_jumps.pending.is_some() {
            drop_unneeded_assumption(functions);
        }
        let (Some(pending), Some(first)) = (self.long_jumps.pending, self.long_jumps.jumps) else {
            return;
        };
        let (leaving, by_pointer) = leaving(functions, &marks);
        let last = self.last_function(functions, start);
        for (index, marks) in marks.into_iter().enumerate() {
            let index = FunctionIndex(index as u32);
            if !leaving.contains(&index) {
                continue;
            }
            let Some(function) = functions.get_mut(index.0 as usize) else {
                continue;
            };
            let mut transformer = JumpTransformer {
                lowerer: &mut *self,
                function,
                index,
                pending,
                leaving: &leaving,
                by_pointer,
                lost: (index == start || Some(index) == last).then_some(first),
            };
            transformer.run(&marks);
        }
    }
}

pub(in crate::lower) fn scalar_leaf(scalar: ScalarType, bytes: u64) -> Leaf {
    Leaf {
        bit_offset: 0,
        bits: bytes as u32 * 8,
        scalar,
        count: 1,
        stride: bytes * 8,
    }
}

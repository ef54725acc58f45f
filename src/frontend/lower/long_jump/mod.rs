//! `setjmp` and `longjmp`: jumps out of functions that are active.
//!
//! `setjmp` writes the number of its call, which is a *landing*, and the number of the function's activation into the
//! buffer and gives zero. `longjmp` reads both into objects of ours, where a landing that is not zero says that a jump is
//! under way, and leaves its function; after each call of a function that may do so, the caller looks for a jump under way
//! and leaves its own function in turn, until the activation is reached that has the landing. Where it has ended, no
//! function takes the jump, and it comes to the start function: that is not modelled.
//!
//! Objects of the activation that are not `volatile`, and that have changed since `setjmp`, are indeterminate after the jump
//! (C17 7.13.2.1): they get values of which nothing is known if they may be read. Whether they have changed is found by
//! copies from before.
//!
//! [`Lowerer::finish_long_jumps`] makes the branches, once all functions are known.

mod leaving;
mod uses;
mod ways;

use std::ops::Range;

use rustc_hash::FxHashMap;

use leaving::{Marks, forget_unknown_code, leaving};
use ways::Maker;

use super::value::Value;
use super::{Lowerer, Result, fold};
use crate::frontend::ir::{
    BinaryOp, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Leaf, Object,
    ObjectIndex, Place, ScalarType, Storage, Terminator,
};
use crate::frontend::memory::walk;
use crate::frontend::types::Type;
use crate::program::{AssumptionKind, DataModel, Span};

/// Labels of blocks that are taken away again: landings have their number behind it.
const LANDING: &str = "#landing ";

/// Where a function is left with a jump under way.
const EXIT: &str = "#exit";

/// What is assumed of buffers.
const NOT_LOOKED_AT: &str = "the program does not look into what `setjmp` writes";

/// What is assumed of unknown code, if there is any.
const NO_OTHER_JUMPS: &str = "code of other files does not jump to a `setjmp` of this one";

/// Maximum number of scalars of a struct, union or array that are followed over a jump.
const SCALARS: u64 = 16;

/// The number of a landing.
const NUMBER: ScalarType = ScalarType::Integer {
    bits: 32,
    signed: false,
};

/// The jump under way.
#[derive(Copy, Clone, Debug)]
struct Way {
    /// The landing, or zero.
    landing: ObjectIndex,
    /// The number of the activation that has the landing.
    activation: ObjectIndex,
    /// What `setjmp` returns there.
    value: ObjectIndex,
    /// How many activations have got a number.
    count: ObjectIndex,
}

/// What is known of far jumps while functions are lowered.
#[derive(Debug, Default)]
pub(super) struct LongJumps {
    way: Option<Way>,
    /// Where the first jump is, if there is one at all.
    jumps: Option<Span>,
    /// By landing (from one): the object that holds what `setjmp` returns; none at labels.
    results: Vec<Option<ObjectIndex>>,
    /// By function with a landing, the object that holds the number of the activation.
    activations: FxHashMap<FunctionIndex, ObjectIndex>,
    /// Bytes of objects that are buffers of `setjmp`: what it has written there is there after a jump.
    buffers: Vec<(ObjectIndex, Range<u64>)>,
}

impl Lowerer<'_> {
    fn way(&mut self) -> Way {
        if let Some(way) = self.long_jumps.way {
            return way;
        }
        let size = self.size_scalar();
        let mut object = |name: &str, scalar: ScalarType| {
            let (bytes, alignment) = self.scalar_layout(scalar);
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
        let way = Way {
            landing: object("landing", NUMBER),
            activation: object("activation", size),
            value: object("value", fold::INT),
            count: object("count", size),
        };
        self.long_jumps.way = Some(way);
        way
    }

    /// The object that holds the number of a function's activation.
    fn activation(&mut self, function: FunctionIndex) -> ObjectIndex {
        if let Some(&object) = self.long_jumps.activations.get(&function) {
            return object;
        }
        let object = self.own_object(function, "activation", self.size_scalar());
        self.long_jumps.activations.insert(function, object);
        object
    }

    fn own_object(
        &mut self,
        function: FunctionIndex,
        name: &str,
        scalar: ScalarType,
    ) -> ObjectIndex {
        let (bytes, alignment) = self.scalar_layout(scalar);
        let object = self.push_object(Object {
            name: format!("#jump::{}::{name}", function.0),
            size: bytes,
            alignment,
            storage: Storage::Automatic(function),
            constant: false,
            leaves: vec![scalar_leaf(scalar, bytes)],
            blocks: Vec::new(),
            span: self.span,
        });
        if let Some(object) = self.objects.get_mut(object.0 as usize) {
            object.blocks.clear();
        }
        object
    }

    /// The two words of a buffer that are used: the landing and the activation.
    fn buffer_places(&self, buffer: &Expr) -> (Place, Place) {
        let size = self.size_scalar();
        let bytes = i128::from(self.options.data_model.pointer_bits() / 8);
        let second = self.offset(buffer.clone(), fold::integer(bytes, self.offset_scalar()));
        (Place::new(buffer.clone(), size), Place::new(second, size))
    }

    /// `setjmp(buffer)`, or one of its kinds.
    pub(super) fn set_jump(&mut self, name: &str, buffer: Value) -> Result<Value> {
        let (buffer, _) = self.scalar_value(buffer)?;
        self.note_buffer(name, &buffer);
        let buffer = self.keep(buffer, ScalarType::Pointer);
        self.note_assumption(AssumptionKind::Layout, NOT_LOOKED_AT);
        self.note_assumption(AssumptionKind::UnknownCode, NO_OTHER_JUMPS);
        self.way();
        let activation = self.activation(self.function.index);
        let result = self.temporary(fold::INT);
        self.temporaries[result.0 as usize] = false;
        self.long_jumps.results.push(Some(result));
        let number = self.long_jumps.results.len();
        let (landing_place, activation_place) = self.buffer_places(&buffer);
        self.emit(Instruction::Assign {
            place: landing_place,
            value: fold::integer(number as i128, self.size_scalar()),
        });
        let value = self.load_object(activation, self.size_scalar());
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
        let span = self.span;
        self.function.goto_new(landing, span);
        Ok(Value::scalar(
            self.load_object(result, fold::INT),
            Type::INT,
        ))
    }

    /// Notes where a buffer is, if it is a part of an object at a constant offset.
    fn note_buffer(&mut self, name: &str, buffer: &Expr) {
        // As large as glibc's `jmp_buf`; the compiler's own has five words.
        let pointer_bytes = u64::from(self.options.data_model.pointer_bits() / 8);
        let size = match (name, self.options.data_model) {
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

    /// `longjmp(buffer, value)`.
    pub(super) fn long_jump(&mut self, buffer: Value, value: Value) -> Result<()> {
        let (buffer, _) = self.scalar_value(buffer)?;
        let (value, ty) = self.scalar_value(value)?;
        let scalar = self.scalar_type(ty)?;
        let value = fold::convert(value, scalar, fold::INT);
        let value = self.keep(value, fold::INT);
        let buffer = self.keep(buffer, ScalarType::Pointer);
        let way = self.way();
        let (landing, activation) = self.buffer_places(&buffer);
        let is_zero = fold::binary(BinaryOp::Equal, value.clone(), fold::int(0), fold::INT);
        let value = match fold::constant_truth(&is_zero) {
            Some(true) => fold::int(1),
            Some(false) => value,
            None => Expr::conditional(is_zero, fold::int(1), value, fold::INT),
        };
        let landing = fold::convert(Expr::Load(landing), self.size_scalar(), NUMBER);
        for (object, scalar, value) in [
            (way.landing, NUMBER, landing),
            (way.activation, self.size_scalar(), Expr::Load(activation)),
            (way.value, fold::INT, value),
        ] {
            let place = self.object_place(object, scalar);
            self.emit(Instruction::Assign { place, value });
        }
        self.leave_by_jump();
        Ok(())
    }

    /// Jumps to a label of a function around; gives the number of the landing that has to be there.
    pub(super) fn jump_to_function(&mut self, function: FunctionIndex) -> usize {
        let way = self.way();
        self.long_jumps.results.push(None);
        let number = self.long_jumps.results.len();
        let size = self.size_scalar();
        let activation = self.activation(function);
        let activation = self.load_visible(activation, size);
        for (object, scalar, value) in [
            (way.landing, NUMBER, fold::integer(number as i128, NUMBER)),
            (way.activation, size, activation),
        ] {
            let place = self.object_place(object, scalar);
            self.emit(Instruction::Assign { place, value });
        }
        self.leave_by_jump();
        number
    }

    /// Makes a landing that leads to a block of the current function.
    pub(super) fn land(&mut self, number: usize, block: BlockIndex) {
        let landing = self.function.new_block();
        self.function
            .set_label(landing, &format!("{LANDING}{number}"));
        let span = self.span;
        self.function
            .end_block(landing, Terminator::Goto(block), span);
        self.function.roots.push(landing);
    }

    /// Leaves the function with a jump under way.
    fn leave_by_jump(&mut self) {
        self.long_jumps.jumps.get_or_insert(self.span);
        let exit = match self.function.far_exit {
            Some(exit) => exit,
            None => {
                let exit = self.function.new_block();
                self.function.set_label(exit, EXIT);
                let span = self.span;
                self.function.end_block(exit, Terminator::Return, span);
                self.function.far_exit = Some(exit);
                exit
            }
        };
        self.end_path(Terminator::Goto(exit));
    }

    /// `main`, if nothing but the start function calls it: nobody around it takes a jump.
    fn last_function(&self, functions: &[Function], start: FunctionIndex) -> Option<FunctionIndex> {
        let main = *self.defined.get("main")?;
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

    /// Makes the ways of jumps: to their landings, and out of the functions that they leave.
    pub(super) fn finish_long_jumps(&mut self, functions: &mut [Function], start: FunctionIndex) {
        let marks: Vec<Marks> = functions.iter_mut().map(Marks::take).collect();
        if self.long_jumps.way.is_some() {
            forget_unknown_code(functions);
        }
        let (Some(way), Some(first)) = (self.long_jumps.way, self.long_jumps.jumps) else {
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
            let mut maker = Maker {
                lowerer: &mut *self,
                function,
                index,
                way,
                leaving: &leaving,
                by_pointer,
                lost: (index == start || Some(index) == last).then_some(first),
            };
            maker.run(&marks);
        }
    }
}

pub(super) fn scalar_leaf(scalar: ScalarType, bytes: u64) -> Leaf {
    Leaf {
        bit_offset: 0,
        bits: bytes as u32 * 8,
        scalar,
        count: 1,
        stride: bytes * 8,
    }
}

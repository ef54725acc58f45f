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

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::value::Value;
use super::{Lowerer, Result, fold};
use crate::frontend::ir::{
    Argument, BinaryOp, Block, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction,
    Leaf, Object, ObjectIndex, Place, ResultPlace, ScalarType, Storage, Terminator, UnknownEffect,
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

/// The blocks of a function that were marked.
#[derive(Debug, Default)]
struct Marks {
    exit: Option<BlockIndex>,
    landings: Vec<(usize, BlockIndex)>,
}

impl Marks {
    /// Takes the marks away.
    fn take(function: &mut Function) -> Self {
        let mut marks = Self::default();
        for (index, block) in function.blocks.iter_mut().enumerate() {
            let index = BlockIndex(index as u32);
            let Some(label) = block
                .label
                .as_deref()
                .filter(|label| label.starts_with('#'))
            else {
                continue;
            };
            match label.strip_prefix(LANDING).map(str::parse) {
                Some(Ok(number)) => marks.landings.push((number, index)),
                _ => marks.exit = Some(index),
            }
            block.label = None;
        }
        marks
    }
}

/// Takes away what is assumed of unknown code where there is none.
fn forget_unknown_code(functions: &mut [Function]) {
    let instructions = |function: &Function| {
        let mut blocks = function.blocks.iter().flat_map(|block| &block.instructions);
        blocks.any(|(one, _)| {
            matches!(
                one,
                Instruction::CallUnknown {
                    effect: UnknownEffect::Reachable,
                    ..
                }
            )
        })
    };
    if functions.iter().any(instructions) {
        return;
    }
    for block in functions
        .iter_mut()
        .flat_map(|function| &mut function.blocks)
    {
        block.instructions.retain(|(one, _)| {
            !matches!(one, Instruction::Assumption { what, .. } if what == NO_OTHER_JUMPS)
        });
    }
}

/// The functions that may be left with a jump under way, or that have a jump in them; and whether one of them may be called
/// through a pointer.
fn leaving(functions: &[Function], marks: &[Marks]) -> (FxHashSet<FunctionIndex>, bool) {
    let mut leaving: FxHashSet<FunctionIndex> = FxHashSet::default();
    for (index, marks) in marks.iter().enumerate() {
        if marks.exit.is_some() {
            leaving.insert(FunctionIndex(index as u32));
        }
    }
    let mut taken: FxHashSet<FunctionIndex> = FxHashSet::default();
    for block in functions.iter().flat_map(|function| &function.blocks) {
        walk::every_expression(block, &mut |expr| {
            if let Expr::FunctionAddress(index) = expr {
                taken.insert(*index);
            }
        });
    }
    loop {
        let before = leaving.len();
        let by_pointer = leaving.iter().any(|index| taken.contains(index));
        for (index, function) in functions.iter().enumerate() {
            let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            if instructions.any(|(one, _)| may_leave(one, &leaving, by_pointer)) {
                leaving.insert(FunctionIndex(index as u32));
            }
        }
        if leaving.len() == before {
            return (leaving, by_pointer);
        }
    }
}

/// Whether a jump may be under way after an instruction.
fn may_leave(
    instruction: &Instruction,
    leaving: &FxHashSet<FunctionIndex>,
    by_pointer: bool,
) -> bool {
    match instruction {
        Instruction::Call { callee, .. } => match callee {
            Callee::Direct(index) | Callee::Escaped(index) => leaving.contains(index),
            Callee::Indirect(_) => by_pointer,
        },
        _ => false,
    }
}

/// Makes the ways of jumps in one function.
struct Maker<'m, 'a> {
    lowerer: &'m mut Lowerer<'a>,
    function: &'m mut Function,
    index: FunctionIndex,
    way: Way,
    leaving: &'m FxHashSet<FunctionIndex>,
    /// Whether a function that is called through a pointer may be one of them.
    by_pointer: bool,
    /// In a function with no other around that could take a jump, the place of the first jump.
    lost: Option<Span>,
}

impl Maker<'_, '_> {
    fn run(&mut self, marks: &Marks) {
        let exit = match marks.exit {
            Some(exit) => exit,
            None => self.add(Vec::new(), Terminator::Return),
        };
        // What the landings find is looked at before there are more ways.
        let of_setjmp = marks
            .landings
            .iter()
            .filter(|(number, _)| self.result(*number).is_some());
        let landings: Vec<BlockIndex> = of_setjmp.map(|&(_, block)| block).collect();
        let changes = self.changes(&landings);
        self.split_calls(exit);
        // Who comes to a landing from `setjmp`, before there are jumps.
        let landings = marks.landings.iter();
        let sources: Vec<Vec<usize>> = landings.map(|&(_, block)| self.sources(block)).collect();
        let mut cases = Vec::new();
        for (&(number, block), sources) in marks.landings.iter().zip(&sources) {
            let target = self.landing(number, block, &changes, sources);
            cases.push((number as i128, number as i128, target));
        }
        self.number_activations(&marks.landings);
        let (instructions, terminator) = self.way_out(cases);
        let exit = &mut self.function.blocks[exit.0 as usize];
        exit.instructions = instructions;
        exit.terminator = terminator;
    }

    fn add(&mut self, instructions: Vec<Instruction>, terminator: Terminator) -> BlockIndex {
        let span = self.function.span;
        let instructions = instructions.into_iter().map(|one| (one, span)).collect();
        self.function.blocks.push(Block {
            label: None,
            instructions,
            terminator,
            span,
            turns: Vec::new(),
        });
        BlockIndex(self.function.blocks.len() as u32 - 1)
    }

    fn load(&self, object: ObjectIndex, scalar: ScalarType) -> Expr {
        self.lowerer.load_object(object, scalar)
    }

    fn assign(&self, object: ObjectIndex, scalar: ScalarType, value: Expr) -> Instruction {
        let place = self.lowerer.object_place(object, scalar);
        Instruction::Assign { place, value }
    }

    /// What happens where the function is left.
    fn way_out(
        &mut self,
        cases: Vec<(i128, i128, BlockIndex)>,
    ) -> (Vec<(Instruction, Span)>, Terminator) {
        let ways_on = match self.lost {
            Some(span) => {
                let what = "`longjmp` without an active `setjmp`".to_owned();
                let lost = (Instruction::Unsupported(what), span);
                (vec![lost], Terminator::End)
            }
            None => (Vec::new(), Terminator::Return),
        };
        let Some(&activation) = self.lowerer.long_jumps.activations.get(&self.index) else {
            return ways_on;
        };
        let outside = self.add(Vec::new(), ways_on.1);
        self.function.blocks[outside.0 as usize].instructions = ways_on.0;
        let switch = Terminator::Switch {
            value: self.load(self.way.landing, NUMBER),
            scalar: NUMBER,
            cases,
            default: outside,
        };
        let inside = self.add(Vec::new(), switch);
        let size = self.lowerer.size_scalar();
        let (own, other) = (
            self.load(activation, size),
            self.load(self.way.activation, size),
        );
        let branch = Terminator::Branch {
            condition: fold::binary(BinaryOp::Equal, own, other, size),
            scalar: fold::INT,
            then: inside,
            otherwise: outside,
        };
        (Vec::new(), branch)
    }

    /// Gives each activation its number.
    fn number_activations(&mut self, landings: &[(usize, BlockIndex)]) {
        let activation = self
            .lowerer
            .long_jumps
            .activations
            .get(&self.index)
            .copied();
        let Some(activation) = activation.filter(|_| !landings.is_empty()) else {
            return;
        };
        let size = self.lowerer.size_scalar();
        let next = fold::binary(
            BinaryOp::Add,
            self.load(self.way.count, size),
            fold::integer(1, size),
            size,
        );
        let first = self.assign(self.way.count, size, next);
        let second = self.assign(activation, size, self.load(self.way.count, size));
        let span = self.function.span;
        let entry = &mut self.function.blocks[0].instructions;
        entry.splice(0..0, [(first, span), (second, span)]);
    }

    /// After each call that may be left by a jump, control leaves this function, too.
    fn split_calls(&mut self, exit: BlockIndex) {
        let mut index = 0;
        while index < self.function.blocks.len() {
            let block = &self.function.blocks[index];
            let mut instructions = block.instructions.iter();
            let position =
                instructions.position(|(one, _)| may_leave(one, self.leaving, self.by_pointer));
            if let Some(position) = position {
                self.split(index, position, exit);
            }
            index += 1;
        }
    }

    /// Cuts a block behind a call.
    fn split(&mut self, index: usize, position: usize, exit: BlockIndex) {
        let block = &mut self.function.blocks[index];
        let mut rest = block.instructions.split_off(position + 1);
        let span = block.span;
        let terminator = std::mem::replace(&mut block.terminator, Terminator::Return);
        let turns = std::mem::take(&mut block.turns);
        if let Some((call, place)) = block.instructions.last_mut() {
            let place = *place;
            if let Some(instruction) = keep_result(self.lowerer, self.index, call) {
                rest.insert(0, (instruction, place));
            }
        }
        self.function.blocks.push(Block {
            label: None,
            instructions: rest,
            terminator,
            span,
            turns,
        });
        let next = BlockIndex(self.function.blocks.len() as u32 - 1);
        let under_way = self.load(self.way.landing, NUMBER);
        self.function.blocks[index].terminator = Terminator::Branch {
            condition: under_way,
            scalar: NUMBER,
            then: exit,
            otherwise: next,
        };
    }

    /// The object that holds what `setjmp` returns, if the landing is one's.
    fn result(&self, number: usize) -> Option<ObjectIndex> {
        let results = &self.lowerer.long_jumps.results;
        *results.get(number.checked_sub(1)?)?
    }

    /// The block where a jump comes to a landing.
    fn landing(
        &mut self,
        number: usize,
        block: BlockIndex,
        changes: &Changes,
        sources: &[usize],
    ) -> BlockIndex {
        let arrive = self.assign(self.way.landing, NUMBER, fold::integer(0, NUMBER));
        let Some(result) = self.result(number) else {
            return self.add(vec![arrive], Terminator::Goto(block));
        };
        let mut next = block;
        // From the last to the first.
        for changed in &changes.scalars {
            let saved = self.save(changed, sources);
            next = self.forget(changed, saved, next);
        }
        let value = self.load(self.way.value, fold::INT);
        let mut instructions = vec![self.assign(result, fold::INT, value), arrive];
        if let Some(name) = &changes.lost {
            let what = format!("a jump with `{name}` changed since `setjmp`");
            instructions.push(Instruction::Unsupported(what));
        }
        self.add(instructions, Terminator::Goto(next))
    }

    /// The blocks that go to a landing.
    fn sources(&self, landing: BlockIndex) -> Vec<usize> {
        let blocks = self.function.blocks.iter().enumerate();
        let goes = |block: &Block| matches!(block.terminator, Terminator::Goto(target) if target == landing);
        blocks
            .filter_map(|(index, block)| goes(block).then_some(index))
            .collect()
    }

    /// Before the landing is come to by `setjmp` itself, the value is copied.
    fn save(&mut self, changed: &Scalar, sources: &[usize]) -> ObjectIndex {
        let name = format!("saved {}", changed.object.0);
        let saved = self
            .lowerer
            .own_object(self.index, &name, changed.place.scalar);
        let value = Expr::Load(changed.place.clone());
        let copy = self.assign(saved, changed.place.scalar, value);
        let span = self.function.span;
        for &source in sources {
            if let Some(block) = self.function.blocks.get_mut(source) {
                block.instructions.push((copy.clone(), span));
            }
        }
        saved
    }

    /// A block that goes on at another one, with any value for a scalar that has changed.
    fn forget(&mut self, changed: &Scalar, saved: ObjectIndex, next: BlockIndex) -> BlockIndex {
        let what = "an object that has changed since `setjmp`".to_owned();
        let forgotten = Instruction::Approximate {
            place: changed.place.clone(),
            what,
        };
        let forgotten = self.add(vec![forgotten], Terminator::Goto(next));
        let scalar = changed.place.scalar;
        let (now, before) = (Expr::Load(changed.place.clone()), self.load(saved, scalar));
        let compared = match scalar {
            ScalarType::Bool => fold::INT,
            other => other,
        };
        let side = |value: Expr| Box::new(fold::convert(value, scalar, compared));
        let differs = Expr::Binary {
            op: BinaryOp::NotEqual,
            left: side(now),
            right: side(before),
            scalar: compared,
        };
        let branch = Terminator::Branch {
            condition: differs,
            scalar: fold::INT,
            then: forgotten,
            otherwise: next,
        };
        self.add(Vec::new(), branch)
    }

    /// What may have changed when a jump comes to one of the landings, and may be read behind it or, after another jump,
    /// behind another.
    fn changes(&self, landings: &[BlockIndex]) -> Changes {
        let uses = Uses::of(self.function, self.index, &self.lowerer.objects);
        let live = uses.live_at(self.function, landings);
        let reached = uses.written_behind(self.function, landings);
        let mut changes = Changes::default();
        let mut objects: Vec<ObjectIndex> = live.into_iter().collect();
        objects.sort_unstable();
        for index in objects {
            let object = &self.lowerer.objects[index.0 as usize];
            let may_change = uses.escaped.contains(&index) || reached.contains(&index);
            let jumps = &self.lowerer.long_jumps;
            let is_ours = object.name.starts_with('#') || jumps.results.contains(&Some(index));
            if !may_change || is_ours || self.lowerer.volatile.contains(&index) {
                continue;
            }
            let leaves = object.leaves.iter();
            let leaves: Vec<&Leaf> = leaves.filter(|leaf| !self.is_buffer(index, leaf)).collect();
            let count: u64 = leaves.iter().map(|leaf| leaf.count).sum();
            if count > SCALARS || object.leaves.is_empty() {
                changes.lost.get_or_insert_with(|| object.name.clone());
                continue;
            }
            for leaf in leaves {
                match self.scalars(index, leaf) {
                    Some(scalars) => changes.scalars.extend(scalars),
                    None => {
                        changes.lost.get_or_insert_with(|| object.name.clone());
                    }
                }
            }
        }
        changes
    }

    /// Whether scalars are a part of a buffer.
    fn is_buffer(&self, object: ObjectIndex, leaf: &Leaf) -> bool {
        let start = leaf.bit_offset / 8;
        let row = leaf.count.saturating_sub(1) * leaf.stride + u64::from(leaf.bits);
        let end = (leaf.bit_offset + row).div_ceil(8);
        let mut buffers = self.lowerer.long_jumps.buffers.iter();
        buffers.any(|(known, bytes)| *known == object && bytes.start <= start && end <= bytes.end)
    }

    /// The scalars of a row; `None` for bit-fields.
    fn scalars(&self, object: ObjectIndex, leaf: &Leaf) -> Option<Vec<Scalar>> {
        let (bytes, _) = self.lowerer.scalar_layout(leaf.scalar);
        let is_whole = leaf.bit_offset.is_multiple_of(8) && leaf.stride.is_multiple_of(8);
        let bits = walk::scalar_bits(leaf.scalar, self.lowerer.options.data_model.pointer_bits());
        if !is_whole || leaf.bits != bits || bytes == 0 {
            return None;
        }
        let start = Expr::ObjectAddress(object);
        let scalars = (0..leaf.count).map(|number| {
            let bytes = (leaf.bit_offset + number * leaf.stride) / 8;
            let address = match bytes {
                0 => start.clone(),
                _ => {
                    let bytes = fold::integer(i128::from(bytes), self.lowerer.offset_scalar());
                    self.lowerer.offset(start.clone(), bytes)
                }
            };
            Scalar {
                object,
                place: Place::new(address, leaf.scalar),
            }
        });
        Some(scalars.collect())
    }
}

/// Lets a call's result wait in an object of ours until it is known that the call has returned; the assignment that is
/// due then, if any.
fn keep_result(
    lowerer: &mut Lowerer<'_>,
    function: FunctionIndex,
    call: &mut Instruction,
) -> Option<Instruction> {
    let Instruction::Call {
        result: Some(result),
        ..
    } = call
    else {
        return None;
    };
    match result {
        ResultPlace::Scalar(place) => {
            let scalar = place.scalar;
            let kept = lowerer.own_object(function, "result", scalar);
            let kept_place = lowerer.object_place(kept, scalar);
            let value = Expr::Load(kept_place.clone());
            let place = std::mem::replace(place, kept_place);
            Some(Instruction::Assign { place, value })
        }
        // An object of its own has it until it is copied.
        ResultPlace::Object { .. } => None,
    }
}

/// What a landing finds changed.
#[derive(Debug, Default)]
struct Changes {
    scalars: Vec<Scalar>,
    /// The name of an object that is not followed.
    lost: Option<String>,
}

/// A scalar of an automatic object.
#[derive(Clone, Debug)]
struct Scalar {
    object: ObjectIndex,
    place: Place,
}

/// How a function uses its automatic objects, block by block.
#[derive(Debug)]
struct Uses {
    /// The objects that are read before they are written as a whole.
    read: Vec<FxHashSet<ObjectIndex>>,
    /// The objects that are written as a whole.
    set: Vec<FxHashSet<ObjectIndex>>,
    /// The objects that are written at all.
    written: Vec<FxHashSet<ObjectIndex>>,
    /// The objects whose addresses go elsewhere.
    escaped: FxHashSet<ObjectIndex>,
}

impl Uses {
    fn of(function: &Function, index: FunctionIndex, objects: &[Object]) -> Self {
        let count = function.blocks.len();
        let mut uses = Self {
            read: vec![FxHashSet::default(); count],
            set: vec![FxHashSet::default(); count],
            written: vec![FxHashSet::default(); count],
            escaped: FxHashSet::default(),
        };
        let is_own = |object: ObjectIndex| {
            objects
                .get(object.0 as usize)
                .is_some_and(|object| object.storage == Storage::Automatic(index))
        };
        for (number, block) in function.blocks.iter().enumerate() {
            for (instruction, _) in &block.instructions {
                uses.instruction(number, instruction, &is_own);
            }
            let mut read = |expr: &Expr| uses.expression(number, expr, &is_own);
            match &block.terminator {
                Terminator::Branch { condition, .. } => read(condition),
                Terminator::Switch { value, .. } => read(value),
                Terminator::Return => {
                    if let Some(result) = function.result {
                        uses.note_read(number, result);
                    }
                }
                _ => {}
            }
        }
        uses
    }

    fn note_read(&mut self, block: usize, object: ObjectIndex) {
        if !self.set[block].contains(&object) {
            self.read[block].insert(object);
        }
    }

    /// What is read in an expression; an address that is not that of what is read goes elsewhere.
    fn expression(&mut self, block: usize, expr: &Expr, is_own: &dyn Fn(ObjectIndex) -> bool) {
        match expr {
            Expr::ObjectAddress(object) if is_own(*object) => {
                self.note_read(block, *object);
                self.escaped.insert(*object);
            }
            Expr::Load(place) => self.address(block, &place.address, is_own),
            other => walk::parts(other, &mut |part| self.expression(block, part, is_own)),
        }
    }

    /// The address of what is read, or written in part.
    fn address(&mut self, block: usize, address: &Expr, is_own: &dyn Fn(ObjectIndex) -> bool) {
        match address {
            Expr::ObjectAddress(object) => {
                if is_own(*object) {
                    self.note_read(block, *object);
                }
            }
            Expr::Offset { base, bytes } => {
                self.address(block, base, is_own);
                self.expression(block, bytes, is_own);
            }
            other => self.expression(block, other, is_own),
        }
    }

    /// The address of what is written.
    fn target(&mut self, block: usize, place: &Place, is_own: &dyn Fn(ObjectIndex) -> bool) {
        if let Some(object) = walk::start_of(&place.address)
            && is_own(object)
        {
            self.written[block].insert(object);
        }
        match &*place.address {
            Expr::ObjectAddress(object) if is_own(*object) => {
                if place.bit_field.is_none() {
                    self.set[block].insert(*object);
                }
            }
            other => self.address(block, other, is_own),
        }
    }

    fn instruction(
        &mut self,
        block: usize,
        instruction: &Instruction,
        is_own: &dyn Fn(ObjectIndex) -> bool,
    ) {
        match instruction {
            Instruction::Assign { place, value }
            | Instruction::WriteDevice { place, value, .. } => {
                self.expression(block, value, is_own);
                self.target(block, place, is_own);
            }
            Instruction::ReadDevice { place, source, .. } => {
                self.address(block, &source.address, is_own);
                self.target(block, place, is_own);
            }
            Instruction::Nondet { place, .. }
            | Instruction::Approximate { place, .. }
            | Instruction::Choice { place } => self.target(block, place, is_own),
            Instruction::Allocate { place, size, .. } => {
                self.expression(block, size, is_own);
                self.target(block, place, is_own);
            }
            Instruction::Declare(object) if is_own(*object) => {
                self.written[block].insert(*object);
                self.set[block].insert(*object);
            }
            Instruction::Copy {
                destination,
                source,
                ..
            } => {
                self.address(block, source, is_own);
                self.filled(block, destination, is_own);
            }
            Instruction::Fill { destination, .. } | Instruction::Padding { destination, .. } => {
                self.filled(block, destination, is_own);
            }
            Instruction::Call {
                callee,
                arguments,
                result,
            } => {
                if let Callee::Indirect(pointer) = callee {
                    self.expression(block, pointer, is_own);
                }
                self.call(block, arguments, result.as_ref(), is_own);
            }
            Instruction::CallUnknown {
                arguments, result, ..
            } => self.call(block, arguments, result.as_ref(), is_own),
            other => walk::operands(other, &mut |expr| self.expression(block, expr, is_own)),
        }
    }

    /// What is written in part.
    fn filled(&mut self, block: usize, address: &Expr, is_own: &dyn Fn(ObjectIndex) -> bool) {
        if let Some(object) = walk::start_of(address)
            && is_own(object)
        {
            self.written[block].insert(object);
        }
        self.address(block, address, is_own);
    }

    fn call(
        &mut self,
        block: usize,
        arguments: &[Argument],
        result: Option<&ResultPlace>,
        is_own: &dyn Fn(ObjectIndex) -> bool,
    ) {
        for argument in arguments {
            match argument {
                Argument::Scalar { value, .. } => self.expression(block, value, is_own),
                Argument::Object { address, .. } => self.address(block, address, is_own),
            }
        }
        match result {
            Some(ResultPlace::Scalar(place)) => self.target(block, place, is_own),
            Some(ResultPlace::Object { address, .. }) => self.filled(block, address, is_own),
            None => {}
        }
    }

    /// The objects that may be read from one of the blocks on.
    fn live_at(&self, function: &Function, blocks: &[BlockIndex]) -> FxHashSet<ObjectIndex> {
        let mut live: Vec<FxHashSet<ObjectIndex>> = self.read.clone();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (index, block) in function.blocks.iter().enumerate().rev() {
                for next in walk::successors(&block.terminator) {
                    let more: Vec<ObjectIndex> = live[next as usize]
                        .iter()
                        .filter(|object| !self.set[index].contains(object))
                        .filter(|object| !live[index].contains(object))
                        .copied()
                        .collect();
                    changed |= !more.is_empty();
                    live[index].extend(more);
                }
            }
        }
        let mut result = FxHashSet::default();
        for block in blocks {
            result.extend(live[block.0 as usize].iter().copied());
        }
        // What is reached through pointers may be read anywhere.
        result.extend(self.escaped.iter().copied());
        result
    }

    /// The objects that may be written behind one of the blocks.
    fn written_behind(&self, function: &Function, blocks: &[BlockIndex]) -> FxHashSet<ObjectIndex> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut written = FxHashSet::default();
        let mut open: Vec<u32> = blocks.iter().map(|block| block.0).collect();
        while let Some(index) = open.pop() {
            if seen.insert(index) {
                written.extend(self.written[index as usize].iter().copied());
                open.extend(walk::successors(
                    &function.blocks[index as usize].terminator,
                ));
            }
        }
        written
    }
}

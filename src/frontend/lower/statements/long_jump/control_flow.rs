//! The control flow of jumps in one function: to its landings, and out of it.

use rustc_hash::FxHashSet;

use super::leaving::{Marks, may_leave};
use super::uses::Uses;
use super::{LANDING_SCALAR, PendingJump};
use crate::ir::{
    BinaryOp, Block, BlockIndex, Expr, Function, FunctionIndex, Instruction, Leaf, ObjectIndex,
    Place, ResultPlace, ScalarType, Terminator,
};
use crate::lower::Lowerer;
use crate::lower::expressions::fold;
use crate::lower::limits::MAXIMUM_TRACKED_SCALARS;
use crate::memory::walk;
use regatta_base::Span;

/// Adds the control flow of jumps to one function.
pub(super) struct JumpTransformer<'m, 'a> {
    pub lowerer: &'m mut Lowerer<'a>,
    pub function: &'m mut Function,
    pub index: FunctionIndex,
    pub pending: PendingJump,
    pub leaving: &'m FxHashSet<FunctionIndex>,
    /// Whether a function called through a pointer may be one of them.
    pub by_pointer: bool,
    /// The position of the first jump, if no caller of the function can take a jump.
    pub lost: Option<Span>,
}

impl JumpTransformer<'_, '_> {
    pub(super) fn run(&mut self, marks: &Marks) {
        let exit = match marks.exit {
            Some(exit) => exit,
            None => self.add(Vec::new(), Terminator::Return),
        };
        // The changes are determined before control flow is added.
        let of_setjmp = marks
            .landings
            .iter()
            .filter(|(number, _)| self.result(*number).is_some());
        let landings: Vec<BlockIndex> = of_setjmp.map(|&(_, block)| block).collect();
        let changes = self.changes(&landings);
        self.split_calls(exit);
        // The predecessors of landings at `setjmp`, before those for jumps are added.
        let landings = marks.landings.iter();
        let sources: Vec<Vec<usize>> = landings.map(|&(_, block)| self.sources(block)).collect();
        let mut cases = Vec::new();
        for (&(number, block), sources) in marks.landings.iter().zip(&sources) {
            let target = self.landing(number, block, &changes, sources);
            cases.push((number as i128, number as i128, target));
        }
        self.number_activations(&marks.landings);
        let (instructions, terminator) = self.exit_terminator(cases);
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

    /// The instructions and terminator of the block that leaves the function with a pending jump.
    fn exit_terminator(
        &mut self,
        cases: Vec<(i128, i128, BlockIndex)>,
    ) -> (Vec<(Instruction, Span)>, Terminator) {
        let beyond = match self.lost {
            Some(span) => {
                let what = "`longjmp` without an active `setjmp`".to_owned();
                let lost = (Instruction::Unsupported(what), span);
                (vec![lost], Terminator::End)
            }
            None => (Vec::new(), Terminator::Return),
        };
        let Some(&activation) = self.lowerer.long_jumps.activations.get(&self.index) else {
            return beyond;
        };
        let outside = self.add(Vec::new(), beyond.1);
        self.function.blocks[outside.0 as usize].instructions = beyond.0;
        let switch = Terminator::Switch {
            value: self.load(self.pending.landing, LANDING_SCALAR),
            scalar: LANDING_SCALAR,
            cases,
            default: outside,
        };
        let inside = self.add(Vec::new(), switch);
        let size = self.lowerer.types.size_scalar();
        let (own, other) = (
            self.load(activation, size),
            self.load(self.pending.activation, size),
        );
        let branch = Terminator::Branch {
            condition: fold::binary(BinaryOp::Equal, own, other, size),
            scalar: fold::INT,
            then: inside,
            otherwise: outside,
        };
        (Vec::new(), branch)
    }

    /// Numbers each activation at the function's entry.
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
        let size = self.lowerer.types.size_scalar();
        let next = fold::binary(
            BinaryOp::Add,
            self.load(self.pending.count, size),
            fold::integer(1, size),
            size,
        );
        let first = self.assign(self.pending.count, size, next);
        let second = self.assign(activation, size, self.load(self.pending.count, size));
        let span = self.function.span;
        let entry = &mut self.function.blocks[0].instructions;
        entry.splice(0..0, [(first, span), (second, span)]);
    }

    /// After each call that may leave a jump pending, control leaves this function as well.
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

    /// Splits a block behind a call.
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
        let under_way = self.load(self.pending.landing, LANDING_SCALAR);
        self.function.blocks[index].terminator = Terminator::Branch {
            condition: under_way,
            scalar: LANDING_SCALAR,
            then: exit,
            otherwise: next,
        };
    }

    /// The object that holds the result of `setjmp`, if the landing belongs to one.
    fn result(&self, number: usize) -> Option<ObjectIndex> {
        let results = &self.lowerer.long_jumps.results;
        *results.get(number.checked_sub(1)?)?
    }

    /// The block at which a jump arrives at a landing.
    fn landing(
        &mut self,
        number: usize,
        block: BlockIndex,
        changes: &Changes,
        sources: &[usize],
    ) -> BlockIndex {
        let arrive = self.assign(
            self.pending.landing,
            LANDING_SCALAR,
            fold::integer(0, LANDING_SCALAR),
        );
        let Some(result) = self.result(number) else {
            return self.add(vec![arrive], Terminator::Goto(block));
        };
        let mut next = block;
        // From the last to the first.
        for changed in &changes.scalars {
            let saved = self.save(changed, sources);
            next = self.forget(changed, saved, next);
        }
        let value = self.load(self.pending.value, fold::INT);
        let mut instructions = vec![self.assign(result, fold::INT, value), arrive];
        if let Some(name) = &changes.lost {
            let what = format!("a jump with `{name}` changed since `setjmp`");
            instructions.push(Instruction::Unsupported(what));
        }
        self.add(instructions, Terminator::Goto(next))
    }

    /// The blocks that jump to a landing.
    fn sources(&self, landing: BlockIndex) -> Vec<usize> {
        let blocks = self.function.blocks.iter().enumerate();
        let goes = |block: &Block| matches!(block.terminator, Terminator::Goto(target) if target == landing);
        blocks
            .filter_map(|(index, block)| goes(block).then_some(index))
            .collect()
    }

    /// Copies a value at `setjmp`, before the landing is reached from there.
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

    /// A block that makes a scalar arbitrary if it has changed, and continues at `next`.
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

    /// The objects that may have changed when a jump arrives at one of the landings, and may be read behind it or,
    /// after another jump, behind another one.
    fn changes(&self, landings: &[BlockIndex]) -> Changes {
        let uses = Uses::of(self.function, self.index, self.lowerer.objects.all());
        let live = uses.live_at(self.function, landings);
        let reached = uses.written_behind(self.function, landings);
        let mut changes = Changes::default();
        let mut objects: Vec<ObjectIndex> = live.into_iter().collect();
        objects.sort_unstable();
        for index in objects {
            let object = &self.lowerer.objects[index];
            let may_change = uses.escaped.contains(&index) || reached.contains(&index);
            let jumps = &self.lowerer.long_jumps;
            let is_ours = object.name.starts_with('#') || jumps.results.contains(&Some(index));
            if !may_change || is_ours || self.lowerer.objects.is_volatile(index) {
                continue;
            }
            let leaves = object.leaves.iter();
            let leaves: Vec<&Leaf> = leaves.filter(|leaf| !self.is_buffer(index, leaf)).collect();
            let count: u64 = leaves.iter().map(|leaf| leaf.count).sum();
            if count > MAXIMUM_TRACKED_SCALARS || object.leaves.is_empty() {
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

    /// Checks whether scalars are part of a buffer.
    fn is_buffer(&self, object: ObjectIndex, leaf: &Leaf) -> bool {
        let start = leaf.bit_offset / 8;
        let row = leaf.count.saturating_sub(1) * leaf.stride + u64::from(leaf.bits);
        let end = (leaf.bit_offset + row).div_ceil(8);
        let mut buffers = self.lowerer.long_jumps.buffers.iter();
        buffers.any(|(known, bytes)| *known == object && bytes.start <= start && end <= bytes.end)
    }

    /// The scalars of a leaf; `None` for bit-fields.
    fn scalars(&self, object: ObjectIndex, leaf: &Leaf) -> Option<Vec<Scalar>> {
        let (bytes, _) = self.lowerer.types.scalar_layout(leaf.scalar);
        let is_whole = leaf.bit_offset.is_multiple_of(8) && leaf.stride.is_multiple_of(8);
        let bits = walk::scalar_bits(leaf.scalar, self.lowerer.input.pointer_bits());
        if !is_whole || leaf.bits != bits || bytes == 0 {
            return None;
        }
        let start = Expr::ObjectAddress(object);
        let scalars = (0..leaf.count).map(|number| {
            let bytes = (leaf.bit_offset + number * leaf.stride) / 8;
            let address = match bytes {
                0 => start.clone(),
                _ => {
                    let bytes =
                        fold::integer(i128::from(bytes), self.lowerer.types.offset_scalar());
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

/// Redirects a call's result to an internal object until it is known that the call has returned; returns the
/// assignment to the actual target, if one is needed.
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
        // It is in an object of its own until it is copied.
        ResultPlace::Object { .. } => None,
    }
}

/// The objects that have changed at a landing.
#[derive(Debug, Default)]
struct Changes {
    scalars: Vec<Scalar>,
    /// The name of a changed object that is not tracked.
    lost: Option<String>,
}

/// A scalar of an automatic object.
#[derive(Clone, Debug)]
struct Scalar {
    object: ObjectIndex,
    place: Place,
}

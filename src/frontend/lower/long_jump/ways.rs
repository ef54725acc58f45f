//! The ways of jumps in one function: to its landings, and out of it.

use rustc_hash::FxHashSet;

use super::leaving::{Marks, may_leave};
use super::uses::Uses;
use super::{NUMBER, SCALARS, Way};
use crate::frontend::ir::{
    BinaryOp, Block, BlockIndex, Expr, Function, FunctionIndex, Instruction, Leaf, ObjectIndex,
    Place, ResultPlace, ScalarType, Terminator,
};
use crate::frontend::lower::{Lowerer, fold};
use crate::frontend::memory::walk;
use crate::program::Span;

/// Makes the ways of jumps in one function.
pub(super) struct Maker<'m, 'a> {
    pub lowerer: &'m mut Lowerer<'a>,
    pub function: &'m mut Function,
    pub index: FunctionIndex,
    pub way: Way,
    pub leaving: &'m FxHashSet<FunctionIndex>,
    /// Whether a function that is called through a pointer may be one of them.
    pub by_pointer: bool,
    /// In a function with no other around that could take a jump, the place of the first jump.
    pub lost: Option<Span>,
}

impl Maker<'_, '_> {
    pub(super) fn run(&mut self, marks: &Marks) {
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

//! The constraints of instructions.

use super::Facts;
use super::accesses::Direction;
use super::copies::CopyFact;
use crate::ir::{
    BlockIndex, Expr, FunctionIndex, InitialContents, Instruction, Place, ScalarType, Terminator,
};
use crate::memory::analysis::devices::{self, Found};
use crate::memory::analysis::points_to::{NodeId, Target};
use crate::memory::analysis::walk;
use crate::memory::layout::MAXIMUM_SMALL_SIZE;
use regatta_program::Lifetime;

/// An allocation site: an instruction that makes objects at run time.
#[derive(Clone, Debug)]
pub struct Site {
    pub function: FunctionIndex,
    pub block: BlockIndex,
    pub node: NodeId,
    /// Alignment in bytes.
    pub alignment: u64,
    /// The first contents of the object.
    pub contents: InitialContents,
    /// Whether it lasts until it is freed.
    pub on_heap: bool,
    /// The blocks around the local that receives the address; they end a variable-length array. Empty for `alloca`.
    pub blocks: Vec<u32>,
    /// Size of its objects (bytes), if it is constant.
    pub size: Option<u64>,
}

impl Site {
    /// Whether its objects are known to be small.
    pub(super) fn is_small(&self) -> bool {
        let most = MAXIMUM_SMALL_SIZE.cast_unsigned();
        self.size.is_some_and(|size| u128::from(size) <= most)
    }
}

impl<'a> Facts<'a> {
    pub(super) fn block(&mut self, function: FunctionIndex, block: BlockIndex) {
        let unit = self.unit;
        let data = &unit.functions[function.0 as usize].blocks[block.0 as usize];
        for (number, (instruction, _)) in data.instructions.iter().enumerate() {
            self.instruction((function.0, block.0, number as u32), instruction);
        }
        match &data.terminator {
            Terminator::Branch { condition, .. } => {
                self.value(condition);
            }
            Terminator::Switch { value, .. } => {
                self.value(value);
            }
            Terminator::Goto(_)
            | Terminator::Return
            | Terminator::End
            | Terminator::Error
            | Terminator::Unreachable => {}
        }
    }

    fn instruction(&mut self, position: (u32, u32, u32), instruction: &'a Instruction) {
        match instruction {
            Instruction::Assign { place, value } => {
                let target = self.access(place, Direction::Store);
                let value = self.value(value);
                self.assign(target, place.scalar, value);
            }
            Instruction::ReadDevice {
                place,
                source,
                volatile,
                ..
            } => self.read_device(place, source, *volatile),
            Instruction::WriteDevice {
                place,
                value,
                volatile,
            } => match devices::found(self.unit, place, *volatile) {
                Found::Device(_) => {
                    self.value(value);
                }
                Found::Memory(_) | Found::Target => {
                    let target = self.access(place, Direction::Store);
                    let value = self.value(value);
                    self.assign(target, place.scalar, value);
                }
            },
            Instruction::Copy {
                destination,
                source,
                size,
                ..
            } => {
                let destination = self.address(destination);
                let source = self.address(source);
                self.copies.push(CopyFact {
                    destination,
                    source,
                    size: *size,
                });
            }
            Instruction::Fill {
                destination, size, ..
            } => {
                let destination = self.address(destination);
                self.fills.push((destination, *size));
            }
            Instruction::FillRange {
                destination, size, ..
            } => {
                self.pointer(destination);
                self.value(size);
            }
            Instruction::Padding { destination, .. } => {
                let target = self.address(destination);
                self.paddings.push(target);
            }
            Instruction::Call {
                callee,
                arguments,
                result,
            } => self.call(position, callee, arguments, result.as_ref()),
            Instruction::CallUnknown {
                arguments,
                result,
                effect,
                ..
            } => self.unknown_call(arguments, result.as_ref(), *effect),
            Instruction::Nondet { place, .. }
            | Instruction::Approximate { place, .. }
            | Instruction::Choice { place } => {
                let target = self.access(place, Direction::Store);
                self.assign_from_outside(target, place.scalar);
            }
            Instruction::Declare(_)
            | Instruction::BeginScope(_)
            | Instruction::EndScope(_)
            | Instruction::ProgramEnds { .. }
            | Instruction::Unsupported(_)
            | Instruction::Waypoint { .. }
            | Instruction::Assumption { .. } => {}
            Instruction::Allocate {
                place,
                size,
                alignment,
                contents,
                lifetime,
            } => {
                let target = self.access(place, Direction::Store);
                self.value(size);
                if let (InitialContents::Previous, Expr::ObjectAddress(object)) =
                    (contents, &*place.address)
                {
                    self.resized.insert(*object);
                }
                let node = self.graph.add_node();
                self.site_of.insert(position, self.sites.len());
                self.sites.push(Site {
                    function: FunctionIndex(position.0),
                    block: BlockIndex(position.1),
                    node,
                    alignment: (*alignment).max(1),
                    contents: *contents,
                    on_heap: *lifetime == Lifetime::Heap,
                    blocks: self.blocks_of_array(place),
                    size: walk::constant_integer(size).and_then(|size| u64::try_from(size).ok()),
                });
                self.assign(target, place.scalar, Some(Target { node, offset: 0 }));
            }
            Instruction::Free(pointer) => {
                let target = self.pointer(pointer);
                self.freed.extend(target.map(|target| (position, target)));
            }
            Instruction::Assume(Expr::Binary { left, right, .. }) if self.is_resized(left) => {
                self.value(left);
                self.value(right);
            }
            Instruction::CheckAlignment { pointer, .. } => {
                self.value(pointer);
            }
            Instruction::Assume(value)
            | Instruction::Check {
                condition: value, ..
            }
            | Instruction::Expect {
                condition: value, ..
            }
            | Instruction::SetRounding(value) => {
                self.value(value);
            }
        }
    }

    fn read_device(&mut self, place: &'a Place, source: &'a Place, volatile: bool) {
        let target = self.access(place, Direction::Store);
        let found = devices::found(self.unit, source, volatile);
        if let Found::Device(_) = found {
            return self.assign_from_outside(target, place.scalar);
        }
        let from = self.access(source, Direction::Load);
        if place.scalar == ScalarType::Pointer {
            let value = self.graph.link(from);
            self.assign(target, place.scalar, Some(value));
            if found == Found::Target {
                self.read_through.push((from, target));
            }
        }
    }

    /// The blocks around a variable-length array whose address the place receives; `alloca` gives it to a temporary.
    fn blocks_of_array(&self, place: &Place) -> Vec<u32> {
        match *place.address {
            Expr::ObjectAddress(object) => {
                let object = &self.unit.objects[object.0 as usize];
                match object.name.contains("::#") {
                    true => Vec::new(),
                    false => object.blocks.clone(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn is_resized(&self, pointer: &Expr) -> bool {
        match pointer {
            Expr::Load(place) => {
                matches!(&*place.address, Expr::ObjectAddress(object) if self.resized.contains(object))
            }
            _ => false,
        }
    }

    pub(super) fn assign(&mut self, place: Target, scalar: ScalarType, value: Option<Target>) {
        if scalar == ScalarType::Pointer
            && let Some(value) = value
        {
            let link = self.graph.link(place);
            self.graph.unify(link, value);
        }
    }
}

//! Emission of instructions: registers, constants and labels.

use rustc_hash::FxHashMap;

use crate::EdgeId;
use crate::interpreter::code::bytecode::{Address, Instruction, Place, Register};
use crate::interpreter::state::bit_pattern::{Class, bits_of};
use crate::interpreter::state::integer::Integer;
use regatta_term::{ScalarSort, Value};

/// The shape of an array register.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ArrayShape {
    pub(crate) index: ScalarSort,
    pub(crate) element: ScalarSort,
    /// The number of cells from index zero on that are probably used.
    pub(crate) expected_length: u64,
}

/// A jump target whose address is not known yet.
pub(crate) type Label = u32;

/// The address of a label that has not been placed; the final code never jumps to such a label.
const UNPLACED: Address = Address::MAX;

/// The code and the registers during compilation.
pub(crate) struct Assembler {
    /// Instructions; until [`Self::finish`] their targets are labels.
    pub(crate) code: Vec<Instruction>,
    /// The edge that each instruction belongs to.
    pub(crate) edge_of: Vec<EdgeId>,
    labels: Vec<Address>,
    /// The edge that is being compiled.
    pub(crate) edge: EdgeId,
    /// The initial values of narrow registers.
    pub(crate) narrow: Vec<u64>,
    /// The initial values of wide registers.
    pub(crate) wide: Vec<u128>,
    /// The initial values of integer registers.
    pub(crate) integer: Vec<Integer>,
    pub(crate) arrays: Vec<ArrayShape>,
    constants: FxHashMap<(Class, u128), Place>,
    big_constants: FxHashMap<Integer, Place>,
    /// The temporaries in use.
    temporaries: Vec<(Class, Register)>,
    /// The free temporaries.
    free: FxHashMap<Class, Vec<Register>>,
    /// The last instruction's address and result, if the result is a new temporary that is not used yet.
    fresh: Option<(usize, Place)>,
}

impl Assembler {
    /// Creates an assembler without code.
    pub(crate) fn new() -> Self {
        Self {
            code: Vec::new(),
            edge_of: Vec::new(),
            labels: Vec::new(),
            edge: EdgeId(0),
            narrow: Vec::new(),
            wide: Vec::new(),
            integer: Vec::new(),
            arrays: Vec::new(),
            constants: FxHashMap::default(),
            big_constants: FxHashMap::default(),
            temporaries: Vec::new(),
            free: FxHashMap::default(),
            fresh: None,
        }
    }

    /// A register that holds the constant.
    pub(crate) fn constant(&mut self, value: &Value) -> Place {
        if let Value::Int(value) = value {
            let value = Integer::from(value.clone());
            if let Some(&place) = self.big_constants.get(&value) {
                return place;
            }
            let place = self.new_integer(value.clone());
            self.big_constants.insert(value, place);
            return place;
        }
        let class = value.sort().scalar().map_or(Class::Narrow, Class::of);
        let bits = bits_of(value);
        if let Some(&place) = self.constants.get(&(class, bits)) {
            return place;
        }
        let place = match class {
            Class::Wide => {
                self.wide.push(bits);
                Place::Wide(self.wide.len() as Register - 1)
            }
            _ => self.new_narrow(bits as u64),
        };
        self.constants.insert((class, bits), place);
        place
    }

    fn new_narrow(&mut self, value: u64) -> Place {
        self.narrow.push(value);
        Place::Narrow(self.narrow.len() as Register - 1)
    }

    fn new_integer(&mut self, value: Integer) -> Place {
        self.integer.push(value);
        Place::Integer(self.integer.len() as Register - 1)
    }

    /// A new register of the class.
    pub(crate) fn new_register(&mut self, class: Class) -> Place {
        match class {
            Class::Narrow => self.new_narrow(0),
            Class::Integer => self.new_integer(Integer::default()),
            Class::Wide => {
                self.wide.push(0);
                Place::Wide(self.wide.len() as Register - 1)
            }
        }
    }

    pub(crate) fn new_array(&mut self, shape: ArrayShape) -> Register {
        self.arrays.push(shape);
        self.arrays.len() as Register - 1
    }

    /// A temporary, valid until [`Self::release_temporaries`].
    pub(crate) fn temporary(&mut self, class: Class) -> Place {
        let place = match self.free.get_mut(&class).and_then(Vec::pop) {
            Some(register) => match class {
                Class::Narrow => Place::Narrow(register),
                Class::Wide => Place::Wide(register),
                Class::Integer => Place::Integer(register),
            },
            None => self.new_register(class),
        };
        if let Place::Narrow(register) | Place::Wide(register) | Place::Integer(register) = place {
            self.temporaries.push((class, register));
        }
        place
    }

    pub(crate) fn narrow_temporary(&mut self) -> Register {
        match self.temporary(Class::Narrow) {
            Place::Narrow(register)
            | Place::Wide(register)
            | Place::Integer(register)
            | Place::Array(register) => register,
        }
    }

    pub(crate) fn release_temporaries(&mut self) {
        for (class, register) in self.temporaries.drain(..) {
            self.free.entry(class).or_default().push(register);
        }
        self.fresh = None;
    }

    pub(crate) fn emit(&mut self, instruction: Instruction) {
        self.code.push(instruction);
        self.edge_of.push(self.edge);
        self.fresh = None;
    }

    /// Emits an instruction whose only effect is a write to a new temporary.
    pub(crate) fn emit_fresh(
        &mut self,
        class: Class,
        instruction: impl FnOnce(Register) -> Instruction,
    ) -> Place {
        let place = self.temporary(class);
        if let Place::Narrow(register) | Place::Wide(register) | Place::Integer(register) = place {
            self.emit(instruction(register));
        }
        self.fresh = Some((self.code.len() - 1, place));
        place
    }

    /// Changes the last instruction to write to `to` if `from` is its unused result; returns whether it did.
    pub(crate) fn redirect(&mut self, from: Place, to: Place) -> bool {
        if self.fresh != Some((self.code.len().wrapping_sub(1), from)) {
            return false;
        }
        let (Place::Narrow(to) | Place::Wide(to) | Place::Integer(to) | Place::Array(to)) = to;
        match self.code.last_mut().and_then(destination) {
            Some(register) => {
                *register = to;
                self.fresh = None;
                true
            }
            None => false,
        }
    }

    /// Excludes the last instruction from [`Self::redirect`], because its result has several uses.
    pub(crate) fn keep_last(&mut self) {
        self.fresh = None;
    }

    /// Emits a copy between registers of one class.
    pub(crate) fn copy(&mut self, to: Place, from: Place) {
        match (to, from) {
            (to, from) if to == from => {}
            (Place::Narrow(to), Place::Narrow(from)) => self.emit(Instruction::Move { to, from }),
            (Place::Wide(to), Place::Wide(from)) => self.emit(Instruction::WideMove { to, from }),
            (Place::Integer(to), Place::Integer(from)) => {
                self.emit(Instruction::IntegerMove { to, from })
            }
            (Place::Array(to), Place::Array(from)) => {
                self.emit(Instruction::CopyArray { to, from })
            }
            _ => {}
        }
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(UNPLACED);
        self.labels.len() as Label - 1
    }

    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label as usize] = self.code.len() as Address;
        self.fresh = None;
    }

    /// Replaces labels by addresses; a label that was not placed becomes the address of the last instruction.
    pub(crate) fn finish(&mut self) {
        let last = self.code.len().saturating_sub(1) as Address;
        for instruction in &mut self.code {
            if let Some(target) = target(instruction) {
                *target = self.labels[*target as usize].min(last);
            }
        }
    }

    /// The address of a label, after [`Self::finish`].
    pub(crate) fn address(&self, label: Label) -> Address {
        self.labels[label as usize].min(self.code.len().saturating_sub(1) as Address)
    }
}

/// The register that the instruction writes.
#[rustfmt::skip]
fn destination(instruction: &mut Instruction) -> Option<&mut Register> {
    use Instruction as I;
    match instruction {
        I::Move { to, .. } | I::Add { to, .. } | I::Subtract { to, .. } | I::Multiply { to, .. } | I::Negate { to, .. }
        | I::Complement { to, .. } | I::And { to, .. } | I::Or { to, .. } | I::Xor { to, .. } | I::ShiftLeft { to, .. }
        | I::ShiftRightLogical { to, .. } | I::ShiftRightArithmetic { to, .. } | I::UnsignedDivide { to, .. }
        | I::UnsignedRemainder { to, .. } | I::SignedDivide { to, .. } | I::SignedRemainder { to, .. }
        | I::Equal { to, .. } | I::UnsignedLess { to, .. } | I::UnsignedLessEqual { to, .. } | I::SignedLess { to, .. }
        | I::SignedLessEqual { to, .. } | I::Concat { to, .. } | I::Extract { to, .. } | I::SignExtend { to, .. }
        | I::Float { to, .. } | I::FloatUnary { to, .. } | I::ToFloat { to, .. } | I::FromFloat { to, .. }
        | I::Integer { to, .. } | I::IntegerNegate { to, .. } | I::IntegerCompare { to, .. }
        | I::IntegerFromBits { to, .. } | I::IntegerToBits { to, .. } | I::IntegerToIndex { to, .. }
        | I::Load { to, .. } | I::LoadBytes { to, .. } | I::LoadWide { to, .. } | I::LoadInteger { to, .. } => Some(to),
        _ => None,
    }
}

/// The target of a jump.
#[rustfmt::skip]
fn target(instruction: &mut Instruction) -> Option<&mut Address> {
    use Instruction as I;
    match instruction {
        I::Jump { target } | I::JumpIfZero { target, .. } | I::JumpUnlessZero { target, .. }
        | I::JumpIfEqual { target, .. } | I::JumpUnlessEqual { target, .. }
        | I::JumpUnlessUnsignedLess { target, .. } | I::JumpUnlessUnsignedLessEqual { target, .. }
        | I::JumpUnlessSignedLess { target, .. } | I::JumpUnlessSignedLessEqual { target, .. }
        | I::JumpIfInteger { target, .. } | I::JumpUnlessInteger { target, .. } | I::Edge { target, .. } => Some(target),
        _ => None,
    }
}

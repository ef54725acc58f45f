//! Pools of terms: the common interface of the shared store and the arenas.

use std::num::NonZeroU32;

use num_bigint::BigInt;

use crate::syntax::value::BitVecValue;
use crate::{FloatValue, Op, Sort, Symbol, Value};

/// A hash-consed term: within one pool, equal terms have equal ids.
///
/// The top bit distinguishes a term of an [`crate::Arena`] from one of the shared store. An id has a meaning only
/// together with the pool it is from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct TermId(pub(crate) NonZeroU32);

/// The bit that marks a term of an arena.
pub(super) const LOCAL: u32 = 1 << 31;

impl TermId {
    /// The constant `false`.
    pub const FALSE: Self = Self(NonZeroU32::new(1).unwrap());
    /// The constant `true`.
    pub const TRUE: Self = Self(NonZeroU32::new(2).unwrap());

    /// Whether the term lives in an arena, not in the shared store.
    pub const fn is_local(self) -> bool {
        self.0.get() & LOCAL != 0
    }

    /// The id as a number.
    pub const fn as_u32(self) -> u32 {
        self.0.get()
    }

    /// The constant `true` or `false`.
    pub const fn from_bool(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum TermKind<'a> {
    /// A constant. Array constants are applications of [`Op::ConstArray`] and [`Op::Store`].
    Constant(Constant<'a>),
    /// A variable. Instance 0 is the program's state variable; 1 and above are copies of it, one for each time it is
    /// assigned on a path.
    Variable {
        /// Name and sort.
        symbol: Symbol,
        /// Which copy.
        instance: u32,
    },
    /// An operator applied to its operands.
    Apply { op: Op, arguments: &'a [TermId] },
}

/// A constant term's value, by reference where it is big.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Constant<'a> {
    Bool(bool),
    BitVec(BitVecValue),
    Int(&'a BigInt),
    Float(FloatValue),
}

impl Constant<'_> {
    pub fn to_value(self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(value),
            Self::BitVec(value) => Value::BitVec(value),
            Self::Int(value) => Value::Int(value.clone()),
            Self::Float(value) => Value::Float(value),
        }
    }
}

/// A pool of terms. [`crate::Build`] has the constructors to use; those here do not simplify.
pub trait Pool {
    /// The application of the operator, without simplification. `sort` must be its sort.
    fn intern(&self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId;

    /// The constant; an array becomes stores into a constant array, by ascending index.
    fn intern_constant(&self, value: &Value) -> TermId;

    /// The constant of a Boolean, bit-vector or float sort with the given bits.
    fn intern_bits(&self, sort: Sort, bits: u128) -> TermId;

    fn intern_variable(&self, symbol: Symbol, instance: u32) -> TermId;

    fn kind(&self, term: TermId) -> TermKind<'_>;

    fn sort(&self, term: TermId) -> Sort;

    /// Called by the constructors with the result of simplifying an application, for pools that keep a record.
    fn record(&self, _op: Op, _arguments: &[TermId], _result: TermId) {}

    /// Whether a record is kept.
    fn records(&self) -> bool {
        false
    }

    /// Operator and operands, if the term is an application.
    fn as_application(&self, term: TermId) -> Option<(Op, &[TermId])> {
        match self.kind(term) {
            TermKind::Apply { op, arguments } => Some((op, arguments)),
            _ => None,
        }
    }

    /// Symbol and instance, if the term is a variable.
    fn as_variable(&self, term: TermId) -> Option<(Symbol, u32)> {
        match self.kind(term) {
            TermKind::Variable { symbol, instance } => Some((symbol, instance)),
            _ => None,
        }
    }

    /// The constant that the term is, or `None` if it is none (array constants never are, see [`TermKind::Constant`]).
    fn constant(&self, term: TermId) -> Option<Constant<'_>> {
        match self.kind(term) {
            TermKind::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// The operands, if the term is an application of the operator.
    fn arguments(&self, op: Op, term: TermId) -> Option<&[TermId]> {
        match self.as_application(term) {
            Some((found, arguments)) if found == op => Some(arguments),
            _ => None,
        }
    }

    /// The negated term, if the term is a negation.
    fn denied(&self, term: TermId) -> Option<TermId> {
        Some(self.arguments(Op::Not, term)?[0])
    }

    /// Whether the term is a variable.
    fn is_variable(&self, term: TermId) -> bool {
        matches!(self.kind(term), TermKind::Variable { .. })
    }

    /// Whether the term is a constant; array constants never are, see [`TermKind::Constant`].
    fn is_constant(&self, term: TermId) -> bool {
        matches!(self.kind(term), TermKind::Constant(_))
    }

    /// The bit-vector constant that the term is.
    fn bit_vec_constant(&self, term: TermId) -> Option<BitVecValue> {
        match self.kind(term) {
            TermKind::Constant(Constant::BitVec(value)) => Some(value),
            _ => None,
        }
    }

    /// The integer constant that the term is.
    fn int_constant(&self, term: TermId) -> Option<&BigInt> {
        match self.kind(term) {
            TermKind::Constant(Constant::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// The width of a bit-vector term.
    ///
    /// # Panics
    /// If the term is none.
    fn width(&self, term: TermId) -> u8 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            sort => panic!("a bit vector was expected, not {sort}"),
        }
    }
}

impl<P: Pool + ?Sized> Pool for &P {
    fn intern(&self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        (**self).intern(op, sort, arguments)
    }
    fn intern_constant(&self, value: &Value) -> TermId {
        (**self).intern_constant(value)
    }
    fn intern_bits(&self, sort: Sort, bits: u128) -> TermId {
        (**self).intern_bits(sort, bits)
    }
    fn intern_variable(&self, symbol: Symbol, instance: u32) -> TermId {
        (**self).intern_variable(symbol, instance)
    }
    fn kind(&self, term: TermId) -> TermKind<'_> {
        (**self).kind(term)
    }
    fn sort(&self, term: TermId) -> Sort {
        (**self).sort(term)
    }
    fn record(&self, op: Op, arguments: &[TermId], result: TermId) {
        (**self).record(op, arguments, result);
    }

    fn records(&self) -> bool {
        (**self).records()
    }
}

/// The part of [`Pool`] that both pools implement by interning keys.
pub(super) trait Intern: Pool {
    fn intern_integer(&self, value: &BigInt) -> TermId;

    /// [`Pool::intern_constant`] for both pools.
    fn intern_value(&self, value: &Value) -> TermId {
        match value {
            Value::Bool(value) => TermId::from_bool(*value),
            Value::BitVec(value) => self.intern_bits(Sort::BitVec(value.width()), value.bits()),
            Value::Int(value) => self.intern_integer(value),
            Value::Float(value) => self.intern_bits(Sort::Float(value.format()), value.bits()),
            Value::Array(array) => {
                let sort = array.sort();
                let default = self.intern_value(array.default_value());
                let mut term = self.intern(Op::ConstArray, sort, &[default]);
                for (index, element) in array.entries() {
                    let arguments = [term, self.intern_value(index), self.intern_value(element)];
                    term = self.intern(Op::Store, sort, &arguments);
                }
                term
            }
        }
    }
}

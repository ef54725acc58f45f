//! Bits as exclusive ors of atoms.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::limits::MAXIMUM_BIT_ATOMS;

/// An exclusive or of atoms, by its number: equal ones have the same number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bit(u32);

impl Bit {
    pub(super) const ZERO: Self = Self(0);
    pub(super) const ONE: Self = Self(1);

    pub(super) const fn constant(value: bool) -> Self {
        match value {
            true => Self::ONE,
            false => Self::ZERO,
        }
    }

    /// The value, if it is constant.
    pub(super) const fn as_constant(self) -> Option<bool> {
        match self {
            Self::ZERO => Some(false),
            Self::ONE => Some(true),
            Self(_) => None,
        }
    }
}

/// The atom that is always one.
const ONE_ATOM: u32 = 0;

/// All bits of the terms of some conditions.
pub(super) struct Bits {
    /// The atoms of each bit, ascending.
    atoms: Vec<Rc<[u32]>>,
    numbers: FxHashMap<Rc<[u32]>, Bit>,
    exclusive_ors: FxHashMap<(Bit, Bit), Bit>,
    products: FxHashMap<(Bit, Bit), Bit>,
    last_atom: u32,
    /// A measure of the work done.
    pub(super) steps: usize,
}

impl Bits {
    pub(super) fn new() -> Self {
        let mut bits = Self {
            atoms: Vec::new(),
            numbers: FxHashMap::default(),
            exclusive_ors: FxHashMap::default(),
            products: FxHashMap::default(),
            last_atom: ONE_ATOM,
            steps: 0,
        };
        bits.number(Vec::new());
        bits.number(vec![ONE_ATOM]);
        bits
    }

    /// A bit of which nothing is known.
    pub(super) fn fresh(&mut self) -> Bit {
        self.last_atom += 1;
        self.number(vec![self.last_atom])
    }

    fn number(&mut self, atoms: Vec<u32>) -> Bit {
        self.steps += 1 + atoms.len();
        let atoms: Rc<[u32]> = atoms.into();
        let next = Bit(self.atoms.len() as u32);
        let number = *self.numbers.entry(Rc::clone(&atoms)).or_insert(next);
        if number == next {
            self.atoms.push(atoms);
        }
        number
    }

    pub(super) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Bit::ZERO {
            return b;
        }
        if a == b {
            return Bit::ZERO;
        }
        if let Some(&known) = self.exclusive_ors.get(&(a, b)) {
            return known;
        }
        let atoms = symmetric_difference(&self.atoms[a.0 as usize], &self.atoms[b.0 as usize]);
        let result = match atoms.len() > MAXIMUM_BIT_ATOMS {
            true => self.fresh(),
            false => self.number(atoms),
        };
        self.exclusive_ors.insert((a, b), result);
        result
    }

    pub(super) fn not(&mut self, a: Bit) -> Bit {
        self.xor(a, Bit::ONE)
    }

    /// The bit without its constant, and whether it has one.
    pub(super) fn split(&mut self, a: Bit) -> (Bit, bool) {
        match self.atoms[a.0 as usize].first() == Some(&ONE_ATOM) {
            true => (self.not(a), true),
            false => (a, false),
        }
    }

    pub(super) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let ((a, is_a_denied), (b, is_b_denied)) = (self.split(a), self.split(b));
        let mut result = self.plain_product(a, b);
        // (a + p)(b + q) = ab + pb + qa + pq
        if is_a_denied {
            result = self.xor(result, b);
        }
        if is_b_denied {
            result = self.xor(result, a);
        }
        match is_a_denied && is_b_denied {
            true => self.not(result),
            false => result,
        }
    }

    /// The product of bits without constants.
    fn plain_product(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Bit::ZERO || a == b {
            return a;
        }
        if let Some(&known) = self.products.get(&(a, b)) {
            return known;
        }
        let result = self.fresh();
        self.products.insert((a, b), result);
        result
    }

    pub(super) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    pub(super) fn choice(&mut self, condition: Bit, then: Bit, otherwise: Bit) -> Bit {
        let difference = self.xor(then, otherwise);
        let change = self.and(condition, difference);
        self.xor(otherwise, change)
    }
}

fn symmetric_difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut result = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&x), Some(&&y)) = (a.peek(), b.peek()) {
        if x <= y {
            a.next();
        }
        if y <= x {
            b.next();
        }
        if x != y {
            result.push(x.min(y));
        }
    }
    result.extend(a.chain(b));
    result
}

//! Linear combinations of the numbers of a state, without any limit of their values.

use regatta_term::{BitVecValue, Build, Op, Pool, Sort, TermId, store};

/// How a bit pattern is read as a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reading {
    Unsigned,
    Signed,
}

/// A bit vector that is read as a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
struct Atom {
    bits: TermId,
    reading: Reading,
}

/// A linear combination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Linear {
    /// The factors, none of which is zero, and the numbers.
    parts: Vec<(i128, Atom)>,
    constant: i128,
}

/// Maximum width (bits) of a feature as a bit vector. Combinations and differences of features need a few more.
const MAXIMUM_WIDTH: u32 = 100;

/// Maximum magnitude of factors that are taken out of products.
const MAXIMUM_FACTOR: u128 = 1 << 32;

impl Linear {
    pub fn constant(constant: i128) -> Self {
        Self {
            parts: Vec::new(),
            constant,
        }
    }

    /// The bit vector as a number.
    pub fn of(bits: TermId, reading: Reading) -> Self {
        match constant(bits) {
            Some(value) if reading == Reading::Signed => Self::constant(value.signed()),
            Some(value) => Self::constant(value.bits().cast_signed()),
            None => Self {
                parts: vec![(1, Atom { bits, reading })],
                constant: 0,
            },
        }
    }

    /// The signed bit vector as a number; its sums and products with constants as those of numbers.
    pub fn of_sum(bits: TermId) -> Self {
        match store().as_application(bits) {
            Some((Op::BvAdd, summands)) => {
                let summands = summands.iter().map(|&summand| Self::of_sum(summand));
                summands.fold(Self::default(), |sum, summand| sum.plus(1, &summand))
            }
            Some((Op::BvNeg, &[number])) => Self::default().plus(-1, &Self::of_sum(number)),
            Some((Op::BvMul, &[a, b])) => {
                let (factor, number) = match constant(a) {
                    Some(_) => (a, b),
                    None => (b, a),
                };
                let factor = constant(factor).map(BitVecValue::signed);
                match factor.filter(|factor| factor.unsigned_abs() <= MAXIMUM_FACTOR) {
                    Some(factor) => Self::default().plus(factor, &Self::of_sum(number)),
                    None => Self::of(bits, Reading::Signed),
                }
            }
            _ => Self::of(bits, Reading::Signed),
        }
    }

    /// The sum with a multiple of the other.
    pub fn plus(&self, factor: i128, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += factor * other.constant;
        for &(of_other, atom) in &other.parts {
            let position = sum.parts.iter().position(|&(_, known)| known == atom);
            match position {
                Some(position) => sum.parts[position].0 += factor * of_other,
                None => sum.parts.push((factor * of_other, atom)),
            }
        }
        sum.parts.retain(|&(factor, _)| factor != 0);
        sum
    }

    /// The difference to the other.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(-1, other)
    }

    /// Whether it always has the same value, or values that need too many bits.
    pub fn is_useless(&self) -> bool {
        self.parts.is_empty() || self.needed() > MAXIMUM_WIDTH
    }

    /// Whether its constant is such that it may be the distance to the greatest number of a type. What a number has to the
    /// end of its type is no bound that the program gives.
    pub fn is_to_end_of_type(&self) -> bool {
        self.constant.unsigned_abs() >= u32::MAX.into()
    }

    /// The bit vectors of which it is made.
    pub fn atoms(&self) -> impl Iterator<Item = TermId> + '_ {
        self.parts.iter().map(|(_, atom)| atom.bits)
    }

    /// The combination of what the bit vectors are mapped to.
    pub fn map(&self, mut to: impl FnMut(TermId) -> TermId) -> Self {
        let parts = self.parts.iter();
        let parts = parts.map(|&(factor, Atom { bits, reading })| {
            let bits = to(bits);
            (factor, Atom { bits, reading })
        });
        Self {
            parts: parts.collect(),
            constant: self.constant,
        }
    }

    /// The number of bits that its values need as signed bit vectors.
    fn needed(&self) -> u32 {
        let mut most = self.constant.unsigned_abs();
        for (factor, atom) in &self.parts {
            let values = 1u128.checked_shl(width(atom.bits).into());
            let values = values.and_then(|values| values.checked_mul(factor.unsigned_abs()));
            most = most.saturating_add(values.unwrap_or(u128::MAX));
        }
        u128::BITS - most.leading_zeros() + 1
    }

    /// The combination as a signed bit vector that has room for its values.
    pub fn term(&self) -> TermId {
        self.term_of(self.width())
    }

    fn width(&self) -> u8 {
        self.needed().min(u128::BITS) as u8
    }

    /// The combination as a signed bit vector of the width.
    fn term_of(&self, width: u8) -> TermId {
        let constant = store().bv_signed(width, self.constant);
        let parts = self.parts.iter();
        parts.fold(constant, |sum, (factor, atom)| {
            store().add(sum, scaled(width, *factor, atom.wide(width)))
        })
    }

    /// Both as signed bit vectors of one width.
    pub fn both(&self, other: &Self) -> (TermId, TermId) {
        let width = self.width().max(other.width());
        (self.term_of(width), other.term_of(width))
    }

    /// Whether it is at least the number.
    pub fn is_at_least(&self, number: i128) -> TermId {
        let (least, own) = Self::constant(number).both(self);
        store().sle(least, own)
    }

    /// Whether it is by so much greater than the combination of other numbers, at least. Parts that correspond to each
    /// other are subtracted first: such differences are easier to reason about than sums.
    pub fn is_above(&self, other: &Self, distance: i128) -> TermId {
        let factors = |of: &Self| of.parts.iter().map(|part| part.0).collect::<Vec<_>>();
        let difference = self.minus(other);
        if factors(self) != factors(other) {
            return difference.is_at_least(distance);
        }
        let width = difference.width().max(Self::constant(distance).width());
        let mut sum = store().bv_signed(width, self.constant - other.constant);
        for ((factor, own), (_, others)) in self.parts.iter().zip(&other.parts) {
            if own != others {
                let change = store().sub(own.wide(width), others.wide(width));
                sum = store().add(sum, scaled(width, *factor, change));
            }
        }
        store().sle(store().bv_signed(width, distance), sum)
    }
}

impl Atom {
    fn wide(self, width: u8) -> TermId {
        match self.reading {
            Reading::Unsigned => store().zero_resize(self.bits, width),
            Reading::Signed => store().sign_resize(self.bits, width),
        }
    }
}

fn scaled(width: u8, factor: i128, number: TermId) -> TermId {
    match factor {
        1 => number,
        -1 => store().neg(number),
        _ => store().mul(store().bv_signed(width, factor), number),
    }
}

fn constant(bits: TermId) -> Option<BitVecValue> {
    store().bit_vec_constant(bits)
}

fn width(bits: TermId) -> u8 {
    match store().sort(bits) {
        Sort::BitVec(width) => width,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::Symbol;

    fn variable(name: &str) -> TermId {
        store().variable(Symbol::new(name, Sort::BitVec(8)))
    }

    #[test]
    fn sums_are_taken_apart() {
        let (x, y) = (variable("linear x"), variable("linear y"));
        let sum = store().add(store().mul(store().bv(8, 3), x), store().neg(y));
        let expected = Linear::of(x, Reading::Signed).plus(2, &Linear::of(x, Reading::Signed));
        let expected = expected.minus(&Linear::of(y, Reading::Signed));
        assert!(Linear::of_sum(sum).minus(&expected).is_useless());
        assert!(Linear::of(sum, Reading::Signed).atoms().eq([sum]));
    }

    #[test]
    fn terms_have_room_for_all_values() {
        let x = Linear::of(variable("linear x"), Reading::Unsigned);
        let distance = Linear::constant(300).plus(-2, &x);
        // From -210 to 300.
        assert_eq!(store().sort(distance.term()), Sort::BitVec(11));
        assert!(distance.minus(&distance).is_useless());
        assert_eq!(Linear::constant(7).is_at_least(7), TermId::TRUE);
        assert_eq!(
            Linear::constant(7).is_above(&Linear::constant(3), 5),
            TermId::FALSE
        );
    }

    #[test]
    fn what_is_equal_is_not_compared() {
        let (x, y, z) = (
            variable("linear x"),
            variable("linear y"),
            variable("linear z"),
        );
        let read = |bits| Linear::of(bits, Reading::Signed);
        let (before, now) = (read(x).minus(&read(y)), read(z).minus(&read(y)));
        let mut uses_y = false;
        regatta_term::for_each_subterm(store(), [before.is_above(&now, 1)], |term, _| {
            uses_y |= term == y;
        });
        assert!(!uses_y);
        assert_eq!(before.is_above(&before, 0), TermId::TRUE);
        assert_eq!(before.is_above(&before, 1), TermId::FALSE);
    }
}

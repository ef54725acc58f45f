//! Integers that stand for bit vectors. Each carries bounds of any size, which decide where wrap-around has to be encoded.
//! (The value analysis of terms is in [`regatta_term::domain`].)

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use regatta_term::{Arena, BitVecValue, Build, TermId};

/// The choice of the integer of a residue class that stands for a bit vector.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// From 0 to 2^w - 1.
    Unsigned,
    /// From -2^(w-1) to 2^(w-1) - 1.
    Signed,
}

/// Maximum number of periods that a number may span so that its wrap-around is a case distinction; beyond it, a division.
const MAXIMUM_PERIOD_CASES: i32 = 3;

/// An integer term that is congruent to a bit vector of some width w modulo 2^w, with bounds of its value.
///
/// Operations that commute with the congruence (sums, products, low bits) are those of integers: nothing wraps, the bounds
/// grow. Operations that depend on the exact number ask for a reading.
#[derive(Clone, Debug)]
pub struct Number {
    pub term: TermId,
    /// Its least possible value.
    pub low: BigInt,
    /// Its greatest possible value.
    pub high: BigInt,
}

/// 2^exponent.
pub fn power(exponent: u32) -> BigInt {
    BigInt::one() << exponent
}

/// The range of a bit vector's number in the reading.
pub fn range(width: u8, reading: Reading) -> (BigInt, BigInt) {
    let width = u32::from(width);
    match reading {
        Reading::Unsigned => (BigInt::zero(), power(width) - 1),
        Reading::Signed => (-power(width - 1), power(width - 1) - 1),
    }
}

impl Number {
    /// A number with the bounds.
    pub fn new(term: TermId, low: impl Into<BigInt>, high: impl Into<BigInt>) -> Self {
        Self {
            term,
            low: low.into(),
            high: high.into(),
        }
    }

    pub fn constant(arena: &Arena, value: impl Into<BigInt>) -> Self {
        let value = value.into();
        Self::new(arena.int_big(value.clone()), value.clone(), value)
    }

    /// The bit vector as a signed number, so that short constants stay short.
    pub fn of_bits(arena: &Arena, value: BitVecValue) -> Self {
        Self::constant(arena, value.signed())
    }

    /// The value, if there is only one.
    pub fn known(&self) -> Option<&BigInt> {
        (self.low == self.high).then_some(&self.low)
    }

    /// Checks whether all values are within the bounds.
    pub fn within(&self, low: &BigInt, high: &BigInt) -> bool {
        *low <= self.low && self.high <= *high
    }

    pub fn plus(&self, arena: &Arena, other: &Self) -> Self {
        Self::new(
            arena.int_add(self.term, other.term),
            &self.low + &other.low,
            &self.high + &other.high,
        )
    }

    pub fn minus(&self, arena: &Arena, other: &Self) -> Self {
        Self::new(
            arena.int_sub(self.term, other.term),
            &self.low - &other.high,
            &self.high - &other.low,
        )
    }

    pub fn times(&self, arena: &Arena, factor: &BigInt) -> Self {
        let term = arena.int_mul(self.term, arena.int_big(factor.clone()));
        let (one, other) = (&self.low * factor, &self.high * factor);
        if factor.is_negative() {
            Self::new(term, other, one)
        } else {
            Self::new(term, one, other)
        }
    }

    /// The quotient, rounded down; the divisor is positive.
    pub fn divided(&self, arena: &Arena, divisor: &BigInt) -> Self {
        let (low, high) = (self.low.div_floor(divisor), self.high.div_floor(divisor));
        if low == high {
            return Self::constant(arena, low);
        }
        let term = arena.int_div(self.term, arena.int_big(divisor.clone()));
        Self::new(term, low, high)
    }

    /// The quotient, rounded towards zero; the divisor is positive.
    pub fn truncated(&self, arena: &Arena, divisor: &BigInt) -> Self {
        if !self.low.is_negative() {
            return self.divided(arena, divisor);
        }
        let minus_one = -BigInt::one();
        let of_negative = self
            .times(arena, &minus_one)
            .divided(arena, divisor)
            .times(arena, &minus_one);
        if self.high.is_negative() {
            return of_negative;
        }
        let negative = arena.int_lt(self.term, arena.int(0));
        let quotient = arena.int_div(self.term, arena.int_big(divisor.clone()));
        // `/` truncates.
        Self::new(
            arena.ite(negative, of_negative.term, quotient),
            &self.low / divisor,
            &self.high / divisor,
        )
    }

    /// The remainder from 0 to modulus - 1; the modulus is positive.
    pub fn modulo(&self, arena: &Arena, modulus: &BigInt) -> Self {
        let period = self.low.div_floor(modulus);
        if period == self.high.div_floor(modulus) {
            return self.minus(arena, &Self::constant(arena, period * modulus));
        }
        let term = arena.int_mod(self.term, arena.int_big(modulus.clone()));
        Self::new(term, 0, modulus - 1)
    }

    /// `condition ? then : otherwise`.
    pub fn choice(arena: &Arena, condition: TermId, then: &Self, otherwise: &Self) -> Self {
        Self::new(
            arena.ite(condition, then.term, otherwise.term),
            (&then.low).min(&otherwise.low).clone(),
            (&then.high).max(&otherwise.high).clone(),
        )
    }

    /// The number of the same bit vector of the width in the reading, wrapped if it may be out of range.
    pub fn read(&self, arena: &Arena, width: u8, reading: Reading) -> Self {
        let (low, high) = range(width, reading);
        if self.within(&low, &high) {
            return self.clone();
        }
        let modulus = power(width.into());
        let period = |value: &BigInt| (value - &low).div_floor(&modulus);
        let (first, last) = (period(&self.low), period(&self.high));
        if &last - &first >= BigInt::from(MAXIMUM_PERIOD_CASES) {
            let shifted = self.minus(arena, &Self::constant(arena, low.clone()));
            let within = shifted.modulo(arena, &modulus);
            return within.plus(arena, &Self::constant(arena, low));
        }
        let in_period = |number: &BigInt| {
            let shift = number * &modulus;
            let shifted = self.minus(arena, &Self::constant(arena, shift));
            let least = (&shifted.low).max(&low).clone();
            let greatest = (&shifted.high).min(&high).clone();
            Self::new(shifted.term, least, greatest)
        };
        let mut result = in_period(&last);
        let mut number = last - 1;
        while number >= first {
            let end = arena.int_big(&low + (&number + 1) * &modulus);
            let below = arena.int_lt(self.term, end);
            result = Self::choice(arena, below, &in_period(&number), &result);
            number -= 1;
        }
        result
    }

    /// The condition that two numbers stand for the same bit vector of the width.
    pub fn congruent(&self, arena: &Arena, other: &Self, width: u8) -> TermId {
        let modulus = power(width.into());
        let least = &self.low - &other.high;
        let greatest = &self.high - &other.low;
        // The multiples of the modulus that the difference may be.
        let (first, last) = (-(-&least).div_floor(&modulus), greatest.div_floor(&modulus));
        if &last - &first >= BigInt::from(MAXIMUM_PERIOD_CASES) {
            let readings = [self, other].map(|number| number.read(arena, width, Reading::Signed));
            return arena.eq(readings[0].term, readings[1].term);
        }
        let mut cases = Vec::new();
        let mut number = first;
        while number <= last {
            let shifted = arena.int_add(other.term, arena.int_big(&number * &modulus));
            cases.push(arena.eq(self.term, shifted));
            number += 1;
        }
        arena.or(cases)
    }

    /// The condition that this number is less than the other, as integers.
    pub fn less(&self, arena: &Arena, other: &Self) -> TermId {
        if self.high < other.low {
            TermId::TRUE
        } else if self.low >= other.high {
            TermId::FALSE
        } else {
            arena.int_lt(self.term, other.term)
        }
    }

    /// The condition that the term is within the bounds.
    pub fn in_bounds(&self, arena: &Arena) -> TermId {
        arena.and2(
            arena.int_le(arena.int_big(self.low.clone()), self.term),
            arena.int_le(self.term, arena.int_big(self.high.clone())),
        )
    }
}

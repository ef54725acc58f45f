//! Translation of terms with bit vectors to terms with integers.
//!
//! Soundness invariant of every rule: for all values of a formula's variables there are values of the translation's
//! variables, the unknowns included, such that all side conditions hold, every Boolean, float and integer term keeps its
//! value, and every bit-vector term's number is congruent to it and within its bounds. So if the translation has no model,
//! the formula has none. (The converse does not hold: an unknown may have values that the operator cannot yield.)
//!
//! Exact are sums, multiples, division and remainder by constants, bitwise operators with a constant of few runs of ones,
//! shifts by constants, extracts, extensions and comparisons. Other products, quotients, bitwise operators and shifts, and
//! conversions between bit vectors and floats, become unknowns, constrained by linear bounds and conditions.
//!
//! Arrays become arrays of integers: indices in the signed reading, elements in one reading for each width. For soundness,
//! an integer that is no index of the bit-vector array may read the same as λ, an index that occurs nowhere in the formulas;
//! there is one if the index sort is wide. Then reads, writes, choices, constant arrays and equalities keep their meaning.
//! For a narrow index sort, a constant array becomes an unknown one (and λ is not needed: such integers read zero).

use std::convert::Infallible;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::number::{Number, Reading, power, range};
use crate::limits::{
    MAXIMUM_MASK_RUNS, MAXIMUM_SPARE_BITS, MAXIMUM_UNSIGNED_ELEMENT_WIDTH, MINIMUM_WIDE_INDEX_WIDTH,
};
use regatta_term::{
    Arena, BitVecValue, Build, Constant, Op, Pool, ScalarSort, Sort, Symbol, TermId, TermKind,
    for_each_unknown_subterm,
};

/// A translated term.
#[derive(Clone, Debug)]
enum Translated {
    /// The number of a bit vector.
    Number(Number),
    /// The translation of any other term.
    Plain(TermId),
}

#[derive(Default)]
pub struct Translator {
    terms: FxHashMap<TermId, Translated>,
    /// Side conditions of the topmost operators of terms.
    sides: FxHashMap<TermId, Vec<TermId>>,
    /// The readings of variables, by symbol, so that all instances have the same.
    readings: FxHashMap<Symbol, Reading>,
    /// Number of uses that prefer the signed reading, minus that of uses that prefer the unsigned one.
    votes: FxHashMap<Symbol, i32>,
    voted: FxHashSet<(TermId, Option<Reading>)>,
    unknowns: u32,
}

impl Translator {
    /// A translator without terms.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of terms translated.
    pub fn translated(&self) -> u64 {
        self.terms.len() as u64
    }

    /// The side conditions of the term's topmost operator.
    pub fn sides(&self, term: TermId) -> &[TermId] {
        self.sides.get(&term).map_or(&[], Vec::as_slice)
    }

    /// Translates a term; a bit vector to its number.
    pub fn translate(&mut self, arena: &Arena, term: TermId) -> TermId {
        self.vote(arena, term);
        let knows = |this: &Self, term| this.terms.contains_key(&term);
        let done = for_each_unknown_subterm(arena, term, self, knows, |this, top, kind| {
            let translated = match kind {
                TermKind::Constant(Constant::BitVec(value)) => {
                    Translated::Number(Number::of_bits(arena, value))
                }
                TermKind::Constant(_) => Translated::Plain(top),
                TermKind::Variable { symbol, instance } => {
                    this.variable(arena, top, symbol, instance)
                }
                TermKind::Apply { op, arguments } => match arena.sort(top) {
                    Sort::BitVec(width) => {
                        let number = this.bit_vector(arena, top, width, op, arguments);
                        Translated::Number(this.shortened(arena, number, width))
                    }
                    sort => Translated::Plain(this.plain(arena, sort, op, arguments)),
                },
            };
            this.terms.insert(top, translated);
            Ok(())
        });
        let Ok::<(), Infallible>(()) = done;
        self.translation(term)
    }

    /// Votes for the readings of a term's variables, by how they are compared, divided and extended. Votes after a
    /// variable's translation have no effect on it.
    pub fn vote(&mut self, arena: &Arena, term: TermId) {
        let mut stack = vec![(term, None)];
        while let Some((top, wanted)) = stack.pop() {
            if !self.voted.insert((top, wanted)) {
                continue;
            }
            let (op, arguments) = match arena.kind(top) {
                TermKind::Constant(_) => continue,
                TermKind::Variable { symbol, .. } => {
                    let vote = match wanted {
                        Some(Reading::Signed) => 1,
                        Some(Reading::Unsigned) => -1,
                        None => continue,
                    };
                    *self.votes.entry(symbol).or_default() += vote;
                    continue;
                }
                TermKind::Apply { op, arguments } => (op, arguments),
            };
            use Reading::{Signed, Unsigned};
            let inner = match op {
                Op::BvUlt | Op::BvUle | Op::BvUdiv | Op::BvUrem | Op::BvLshr => Some(Unsigned),
                Op::ZeroExtend(_) | Op::BvToNat | Op::UbvToFp(_) => Some(Unsigned),
                Op::BvSlt | Op::BvSle | Op::BvSdiv | Op::BvSrem | Op::BvAshr => Some(Signed),
                Op::SignExtend(_) | Op::BvToInt | Op::SbvToFp(_) | Op::Select => Some(Signed),
                Op::BvAdd | Op::BvMul | Op::BvNeg | Op::BvNot | Op::Ite => wanted,
                _ => None,
            };
            stack.extend(arguments.iter().map(|argument| (*argument, inner)));
        }
    }

    /// The reading of the variables with the symbol, if one has been translated.
    pub fn reading(&self, symbol: Symbol) -> Option<Reading> {
        self.readings.get(&symbol).copied()
    }

    fn number(&self, term: TermId) -> &Number {
        match &self.terms[&term] {
            Translated::Number(number) => number,
            Translated::Plain(_) => unreachable!("bit vectors become numbers"),
        }
    }

    fn translation(&self, term: TermId) -> TermId {
        match &self.terms[&term] {
            Translated::Number(number) => number.term,
            Translated::Plain(plain) => *plain,
        }
    }

    fn variable(
        &mut self,
        arena: &Arena,
        term: TermId,
        symbol: Symbol,
        instance: u32,
    ) -> Translated {
        let sort = symbol.sort();
        let Sort::BitVec(width) = sort else {
            let integers = integer_sort(sort);
            if integers == sort {
                return Translated::Plain(term);
            }
            let symbol = Symbol::new(&format!("{}!{sort}", symbol.name()), integers);
            return Translated::Plain(arena.variable_at(symbol, instance));
        };
        let votes = self.votes.get(&symbol).copied().unwrap_or(0);
        let reading = *self.readings.entry(symbol).or_insert(if votes < 0 {
            Reading::Unsigned
        } else {
            Reading::Signed
        });
        let (low, high) = range(width, reading);
        let symbol = Symbol::new(&format!("{}!{sort}", symbol.name()), Sort::Int);
        let number = Number::new(arena.variable_at(symbol, instance), low, high);
        self.side(term, number.in_bounds(arena));
        Translated::Number(number)
    }

    fn side(&mut self, term: TermId, condition: TermId) {
        if condition != TermId::TRUE {
            self.sides.entry(term).or_default().push(condition);
        }
    }

    /// A fresh unconstrained variable.
    fn unknown(&mut self, arena: &Arena, sort: Sort) -> TermId {
        self.unknowns += 1;
        let symbol = Symbol::new("integer encoding!unknown", sort);
        arena.variable_at(symbol, self.unknowns)
    }

    /// A fresh number that is constrained by bounds only.
    fn unknown_number(
        &mut self,
        arena: &Arena,
        term: TermId,
        (low, high): (BigInt, BigInt),
    ) -> Number {
        let number = Number::new(self.unknown(arena, Sort::Int), low, high);
        self.side(term, number.in_bounds(arena));
        number
    }

    fn shortened(&self, arena: &Arena, number: Number, width: u8) -> Number {
        let bits = number.low.bits().max(number.high.bits());
        if bits > u64::from(width) + MAXIMUM_SPARE_BITS {
            number.read(arena, width, Reading::Signed)
        } else {
            number
        }
    }

    fn bit_vector(
        &mut self,
        arena: &Arena,
        term: TermId,
        width: u8,
        op: Op,
        arguments: &[TermId],
    ) -> Number {
        let number = |position: usize| self.number(arguments[position]);
        let inner_width = |position: usize| arena.width(arguments[position]);
        let reading =
            |position: usize, reading| number(position).read(arena, inner_width(position), reading);
        match op {
            Op::Ite => {
                let condition = self.translation(arguments[0]);
                match condition {
                    TermId::TRUE => number(1).clone(),
                    TermId::FALSE => number(2).clone(),
                    _ => Number::choice(arena, condition, number(1), number(2)),
                }
            }
            Op::BvNeg => number(0).times(arena, &BigInt::from(-1)),
            Op::BvNot => Number::constant(arena, -1).minus(arena, number(0)),
            Op::BvAdd => number(0).plus(arena, number(1)),
            Op::BvMul => self.product(arena, term, width, arguments),
            Op::BvUdiv | Op::BvUrem => {
                let operands = [0, 1].map(|position| reading(position, Reading::Unsigned));
                self.unsigned_division(arena, term, width, op, operands)
            }
            Op::BvSdiv | Op::BvSrem => {
                let operands = [0, 1].map(|position| reading(position, Reading::Signed));
                self.signed_division(arena, term, width, op, operands)
            }
            Op::BvAnd | Op::BvOr | Op::BvXor => self.bitwise(arena, term, width, op, arguments),
            Op::BvShl | Op::BvLshr | Op::BvAshr => self.shift(arena, term, width, op, arguments),
            Op::Concat => {
                let low_width = inner_width(1);
                let high = number(0).times(arena, &power(low_width.into()));
                high.plus(arena, &reading(1, Reading::Unsigned))
            }
            // Congruence modulo 2^w implies congruence modulo smaller powers, and the division by one of these preserves it.
            Op::Extract { low, .. } => number(0).divided(arena, &power(low.into())),
            Op::ZeroExtend(_) => reading(0, Reading::Unsigned),
            Op::SignExtend(_) => reading(0, Reading::Signed),
            Op::IntToBv(_) => {
                let modulus = power(width.into());
                let integer = self.translation(arguments[0]);
                let term = arena.int_mod(integer, arena.int_big(modulus.clone()));
                Number::new(term, 0, modulus - 1)
            }
            Op::Select => {
                let (low, high) = range(width, element_reading(width));
                let read = self.read(arena, arguments);
                let number = Number::new(read, low, high);
                self.side(term, number.in_bounds(arena));
                number
            }
            Op::FpToUbv(_) | Op::FpToBits => {
                self.unknown_number(arena, term, range(width, Reading::Unsigned))
            }
            // `FpToSbv` and `PrefixSum`; no other operator makes a bit vector.
            _ => self.unknown_number(arena, term, range(width, Reading::Signed)),
        }
    }

    fn product(&mut self, arena: &Arena, term: TermId, width: u8, arguments: &[TermId]) -> Number {
        let factors = [0, 1].map(|position| self.number(arguments[position]).clone());
        for (one, other) in [(0, 1), (1, 0)] {
            if let Some(known) = factors[one].known() {
                // Of the two readings, the signed one is shorter.
                let factor = BigInt::from(BitVecValue::from_int(width, known).signed());
                return factors[other].times(arena, &factor);
            }
        }
        let [a, b] = factors.map(|factor| factor.read(arena, width, Reading::Signed));
        let corners = [
            &a.low * &b.low,
            &a.low * &b.high,
            &a.high * &b.low,
            &a.high * &b.high,
        ];
        let (low, high) = range(width, Reading::Signed);
        let least = corners.iter().min().cloned().unwrap_or_default();
        let greatest = corners.iter().max().cloned().unwrap_or_default();
        let bounds = if low <= least && greatest <= high {
            (least, greatest)
        } else {
            (low, high)
        };
        self.unknown_number(arena, term, bounds)
    }

    /// Unsigned division or remainder of numbers in the unsigned reading.
    fn unsigned_division(
        &mut self,
        arena: &Arena,
        term: TermId,
        width: u8,
        op: Op,
        [a, b]: [Number; 2],
    ) -> Number {
        let quotient = op == Op::BvUdiv;
        match b.known() {
            Some(zero) if zero.is_zero() && quotient => return Number::constant(arena, -1),
            Some(zero) if zero.is_zero() => return a,
            Some(divisor) if quotient => return a.divided(arena, divisor),
            Some(divisor) => return a.modulo(arena, divisor),
            None => {}
        }
        let result = self.unknown_number(arena, term, range(width, Reading::Unsigned));
        let by_zero = arena.eq(b.term, arena.int(0));
        let not_more = arena.int_le(result.term, a.term);
        let condition = if quotient {
            let all_ones = arena.int_big(power(width.into()) - 1);
            arena.ite(by_zero, arena.eq(result.term, all_ones), not_more)
        } else {
            let less = arena.and2(not_more, arena.int_lt(result.term, b.term));
            arena.ite(by_zero, arena.eq(result.term, a.term), less)
        };
        self.side(term, condition);
        result
    }

    /// Signed division or remainder of numbers in the signed reading.
    fn signed_division(
        &mut self,
        arena: &Arena,
        term: TermId,
        width: u8,
        op: Op,
        [a, b]: [Number; 2],
    ) -> Number {
        let quotient = op == Op::BvSdiv;
        let negative = arena.int_lt(a.term, arena.int(0));
        let minus_one = BigInt::from(-1);
        if let Some(divisor) = b.known() {
            if divisor.is_zero() {
                return if quotient {
                    let (one, other) = (Number::constant(arena, 1), Number::constant(arena, -1));
                    Number::choice(arena, negative, &one, &other)
                } else {
                    a
                };
            }
            let truncated = a.truncated(arena, &divisor.abs());
            return if !quotient {
                // The remainder has the dividend's sign and is nearer to zero than both.
                let remainder = a.minus(arena, &truncated.times(arena, &divisor.abs()));
                let bound: BigInt = divisor.abs() - 1;
                let least: BigInt = -&bound;
                let low = least.max(a.low.clone().min(BigInt::zero()));
                let high = bound.min(a.high.clone().max(BigInt::zero()));
                Number::new(remainder.term, low, high)
            } else if divisor.is_negative() {
                truncated.times(arena, &minus_one)
            } else {
                truncated
            };
        }
        let result = self.unknown_number(arena, term, range(width, Reading::Signed));
        let zero = arena.int(0);
        let by_zero = arena.eq(b.term, zero);
        let between = |low, high| {
            arena.and2(
                arena.int_le(low, result.term),
                arena.int_le(result.term, high),
            )
        };
        let condition = if quotient {
            // One bit has no positive number.
            let one = Number::constant(arena, 1).read(arena, width, Reading::Signed);
            let of_zero = arena.ite(negative, one.term, arena.int(-1));
            let positive = arena.int_lt(zero, b.term);
            let towards_zero = arena.ite(negative, between(a.term, zero), between(zero, a.term));
            arena.ite(
                by_zero,
                arena.eq(result.term, of_zero),
                arena.implies(positive, towards_zero),
            )
        } else {
            let nearer = arena.ite(negative, between(a.term, zero), between(zero, a.term));
            let magnitude = arena.ite(arena.int_lt(zero, b.term), b.term, arena.int_neg(b.term));
            let below = arena.and2(
                arena.int_lt(result.term, magnitude),
                arena.int_lt(arena.int_neg(magnitude), result.term),
            );
            arena.and2(
                nearer,
                arena.ite(by_zero, arena.eq(result.term, a.term), below),
            )
        };
        self.side(term, condition);
        result
    }

    fn bitwise(
        &mut self,
        arena: &Arena,
        term: TermId,
        width: u8,
        op: Op,
        arguments: &[TermId],
    ) -> Number {
        let operands = [0, 1].map(|position| self.number(arguments[position]).clone());
        for (one, other) in [(0, 1), (1, 0)] {
            let Some(known) = operands[one].known() else {
                continue;
            };
            let mask = BitVecValue::from_int(width, known).bits();
            let Some(common) = masked(arena, &operands[other], mask) else {
                continue;
            };
            // a | m = a + m - (a & m), and a ^ m = a + m - 2 (a & m).
            let mask = Number::constant(arena, mask);
            let sum = operands[other].plus(arena, &mask);
            return match op {
                Op::BvAnd => common,
                Op::BvOr => sum.minus(arena, &common),
                _ => sum.minus(arena, &common.times(arena, &BigInt::from(2))),
            };
        }
        let [a, b] = operands.map(|operand| operand.read(arena, width, Reading::Unsigned));
        let one = BigInt::from(1);
        if a.within(&BigInt::zero(), &one) && b.within(&BigInt::zero(), &one) {
            let [x, y] = [&a, &b].map(|bit| arena.eq(bit.term, arena.int(1)));
            let condition = match op {
                Op::BvAnd => arena.and2(x, y),
                Op::BvOr => arena.or2(x, y),
                _ => arena.not(arena.eq(x, y)),
            };
            let bit = |value| Number::constant(arena, value);
            return Number::choice(arena, condition, &bit(1), &bit(0));
        }
        // The result has no bit above the operands' highest one; for `&`, above that of the smaller operand.
        let bits = match op {
            Op::BvAnd => a.high.bits().min(b.high.bits()),
            _ => a.high.bits().max(b.high.bits()),
        };
        let result =
            self.unknown_number(arena, term, (BigInt::zero(), (BigInt::from(1) << bits) - 1));
        let condition = if op == Op::BvAnd {
            arena.and2(
                arena.int_le(result.term, a.term),
                arena.int_le(result.term, b.term),
            )
        } else {
            arena.int_le(result.term, arena.int_add(a.term, b.term))
        };
        self.side(term, condition);
        if op == Op::BvOr {
            self.side(term, arena.int_le(a.term, result.term));
            self.side(term, arena.int_le(b.term, result.term));
        }
        result
    }

    fn shift(
        &mut self,
        arena: &Arena,
        term: TermId,
        width: u8,
        op: Op,
        arguments: &[TermId],
    ) -> Number {
        let shifted = self.number(arguments[0]).clone();
        let amount = self
            .number(arguments[1])
            .known()
            .map(|amount| BitVecValue::from_int(width, amount).bits());
        let a = match op {
            Op::BvShl => shifted,
            Op::BvLshr => shifted.read(arena, width, Reading::Unsigned),
            _ => shifted.read(arena, width, Reading::Signed),
        };
        if let Some(amount) = amount {
            let amount = amount.min(width.into()) as u32;
            return match op {
                Op::BvShl if amount == u32::from(width) => Number::constant(arena, 0),
                Op::BvShl => a.times(arena, &power(amount)),
                _ => a.divided(arena, &power(amount)),
            };
        }
        let result = match op {
            Op::BvLshr => {
                let bounds = (BigInt::zero(), a.high.clone());
                self.unknown_number(arena, term, bounds)
            }
            Op::BvAshr => {
                let bounds = (
                    a.low.clone().min(BigInt::zero()),
                    a.high.clone().max(BigInt::from(-1)),
                );
                self.unknown_number(arena, term, bounds)
            }
            _ => return self.unknown_number(arena, term, range(width, Reading::Signed)),
        };
        let between = |low, high| {
            arena.and2(
                arena.int_le(low, result.term),
                arena.int_le(result.term, high),
            )
        };
        let condition = arena.ite(
            arena.int_lt(a.term, arena.int(0)),
            between(a.term, arena.int(-1)),
            between(arena.int(0), a.term),
        );
        self.side(term, condition);
        result
    }

    /// Translates an operator whose result is not a bit vector.
    fn plain(&mut self, arena: &Arena, sort: Sort, op: Op, arguments: &[TermId]) -> TermId {
        let number = |position: usize| self.number(arguments[position]);
        let inner_width = |position: usize| arena.width(arguments[position]);
        let reading =
            |position: usize, reading| number(position).read(arena, inner_width(position), reading);
        match op {
            Op::Eq if arena.sort(arguments[0]).width().is_some() => {
                number(0).congruent(arena, number(1), inner_width(0))
            }
            Op::BvUlt => reading(0, Reading::Unsigned).less(arena, &reading(1, Reading::Unsigned)),
            Op::BvSlt => reading(0, Reading::Signed).less(arena, &reading(1, Reading::Signed)),
            Op::BvUle => {
                arena.not(reading(1, Reading::Unsigned).less(arena, &reading(0, Reading::Unsigned)))
            }
            Op::BvSle => {
                arena.not(reading(1, Reading::Signed).less(arena, &reading(0, Reading::Signed)))
            }
            Op::BvToNat => reading(0, Reading::Unsigned).term,
            Op::BvToInt => reading(0, Reading::Signed).term,
            Op::Select => self.read(arena, arguments),
            Op::Store => {
                let array = self.translation(arguments[0]);
                let index = self.index(arena, arguments[1]);
                let element = self.element(arena, arguments[2]);
                arena.store(array, index, element)
            }
            Op::ConstArray => {
                let Sort::Array { index, .. } = sort else {
                    unreachable!("a constant array has an array's sort")
                };
                match index {
                    ScalarSort::BitVec(width) if width < MINIMUM_WIDE_INDEX_WIDTH => {
                        self.unknown(arena, integer_sort(sort))
                    }
                    _ => {
                        let element = self.element(arena, arguments[0]);
                        arena.const_array(integer_scalar(index), element)
                    }
                }
            }
            _ => {
                let takes_bits =
                    |argument: &TermId| matches!(arena.sort(*argument), Sort::BitVec(_));
                // A constant rounding mode stays as it is.
                let mode = arguments
                    .first()
                    .filter(|mode| arguments.len() > 1 && arena.bit_vec_constant(**mode).is_some());
                let rest = if mode.is_some() {
                    &arguments[1..]
                } else {
                    arguments
                };
                if rest.iter().any(takes_bits) {
                    return self.unknown(arena, sort);
                }
                let operands: smallvec::SmallVec<[TermId; 4]> = mode
                    .copied()
                    .into_iter()
                    .chain(rest.iter().map(|argument| self.translation(*argument)))
                    .collect();
                arena.apply(op, integer_sort(sort), &operands)
            }
        }
    }

    /// Translates a read of an array.
    fn read(&self, arena: &Arena, arguments: &[TermId]) -> TermId {
        let array = self.translation(arguments[0]);
        arena.select(array, self.index(arena, arguments[1]))
    }

    fn index(&self, arena: &Arena, index: TermId) -> TermId {
        match &self.terms[&index] {
            Translated::Number(number) => {
                let width = arena.width(index);
                number.read(arena, width, Reading::Signed).term
            }
            Translated::Plain(plain) => *plain,
        }
    }

    fn element(&self, arena: &Arena, element: TermId) -> TermId {
        match &self.terms[&element] {
            Translated::Number(number) => {
                let width = arena.width(element);
                number.read(arena, width, element_reading(width)).term
            }
            Translated::Plain(plain) => *plain,
        }
    }
}

fn element_reading(width: u8) -> Reading {
    if width <= MAXIMUM_UNSIGNED_ELEMENT_WIDTH {
        Reading::Unsigned
    } else {
        Reading::Signed
    }
}

fn integer_scalar(sort: ScalarSort) -> ScalarSort {
    match sort {
        ScalarSort::BitVec(_) => ScalarSort::Int,
        other => other,
    }
}

/// The sort of a translation.
fn integer_sort(sort: Sort) -> Sort {
    match sort {
        Sort::BitVec(_) => Sort::Int,
        Sort::Array { index, element } => Sort::Array {
            index: integer_scalar(index),
            element: integer_scalar(element),
        },
        other => other,
    }
}

/// Bitwise `and` of a number and a mask: the sum over the mask's runs of ones of (number mod 2^end) - (number mod 2^begin).
/// `None` if the mask has too many runs.
fn masked(arena: &Arena, number: &Number, mask: u128) -> Option<Number> {
    let mut result = Number::constant(arena, 0);
    let mut rest = mask;
    let mut base = 0;
    for _ in 0..MAXIMUM_MASK_RUNS {
        if rest == 0 {
            return Some(result);
        }
        let low = base + rest.trailing_zeros();
        rest = rest.checked_shr(rest.trailing_zeros()).unwrap_or(0);
        let length = rest.trailing_ones();
        rest = rest.checked_shr(length).unwrap_or(0);
        base = low + length;
        let upper = number.modulo(arena, &power(base));
        let run = upper.minus(arena, &upper.modulo(arena, &power(low)));
        // A multiple of 2^low below 2^base.
        let high = (&run.high).min(&(power(base) - power(low))).clone();
        let least = run.low.clone().max(BigInt::zero());
        result = result.plus(arena, &Number::new(run.term, least, high));
    }
    (rest == 0).then_some(result)
}

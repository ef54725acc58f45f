//! Random terms, each built twice: as it is told, and by the simplifying constructors.

use std::collections::HashMap;

use crate::term::{
    Arena, ArrayValue, Build, Constant, FloatFormat, FloatValue, Op, Pool, RoundingMode,
    ScalarSort, Sort, Symbol, TermId, TermKind, Value, apply_op,
};
use num_bigint::BigInt;
use proptest::prelude::*;

use super::shapes::SHAPES;

/// One term, built twice.
#[derive(Copy, Clone, Debug)]
pub struct Pair {
    /// Without any simplification.
    pub raw: TermId,
    /// With it.
    pub simple: TermId,
    /// Their sort.
    pub sort: Sort,
}

/// What one term is made of: a choice of operator, choices of operands, and a seed of a constant.
pub type Step = (u16, [u16; 4], u64);

/// Which sorts there are.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Widths of bit-vector variables.
    pub widths: Vec<u8>,
    /// Formats of float variables.
    pub formats: Vec<FloatFormat>,
    /// Whether there are integers.
    pub integers: bool,
    /// Sorts of array variables.
    pub arrays: Vec<(ScalarSort, ScalarSort)>,
}

/// A recipe for terms.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub profile: Profile,
    pub steps: Vec<Step>,
    /// Seeds of the variables' values.
    pub seeds: Vec<u64>,
}

/// The terms of a recipe, and the pool they live in.
pub struct Terms {
    pub arena: Arena,
    pub pairs: Vec<Pair>,
    pub variables: Vec<Symbol>,
}

pub fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 1..count)
}

pub fn recipes(
    profile: impl Strategy<Value = Profile>,
    count: usize,
) -> impl Strategy<Value = Recipe> {
    (
        profile,
        steps(count),
        prop::collection::vec(any::<u64>(), 8),
    )
        .prop_map(|(profile, steps, seeds)| Recipe {
            profile,
            steps,
            seeds,
        })
}

fn formats() -> impl Strategy<Value = FloatFormat> {
    use FloatFormat::{F16, F32, F64, F80, F128};
    prop::sample::select(vec![F16, F32, F64, F80, F128])
}

/// Everything at once, with widths of all sizes.
pub fn wide() -> impl Strategy<Value = Profile> {
    let widths = prop_oneof![
        prop::collection::vec(1u8..=128, 3),
        Just(vec![8, 32, 64]),
        Just(vec![1, 16, 128]),
        Just(vec![32, 31, 33]),
    ];
    (widths, prop::collection::vec(formats(), 2)).prop_map(|(widths, formats)| Profile {
        arrays: vec![
            (ScalarSort::BitVec(widths[0]), ScalarSort::BitVec(widths[1])),
            (ScalarSort::Int, ScalarSort::Int),
            (ScalarSort::BitVec(widths[2]), ScalarSort::Float(formats[0])),
        ],
        widths,
        formats,
        integers: true,
    })
}

/// Bit vectors of a few bits, where a random assignment meets every corner.
pub fn narrow() -> impl Strategy<Value = Profile> {
    prop::collection::vec(1u8..=5, 2).prop_map(|widths| Profile {
        arrays: vec![],
        widths,
        formats: vec![],
        integers: false,
    })
}

/// Narrow bit vectors, and arrays of them.
pub fn arrays() -> impl Strategy<Value = Profile> {
    (1u8..=3, 1u8..=4).prop_map(|(index, element)| Profile {
        arrays: vec![
            (ScalarSort::BitVec(index), ScalarSort::BitVec(element)),
            (ScalarSort::Int, ScalarSort::Bool),
        ],
        widths: vec![index, element],
        formats: vec![],
        integers: false,
    })
}

/// Integers.
pub fn integers() -> impl Strategy<Value = Profile> {
    (1u8..=40).prop_map(|width| Profile {
        arrays: vec![],
        widths: vec![width],
        formats: vec![],
        integers: true,
    })
}

/// Floats of one or two formats, and the bit vectors that convert to and from them.
pub fn floats() -> impl Strategy<Value = Profile> {
    (prop::collection::vec(formats(), 1..3), 1u8..=128).prop_map(|(formats, width)| Profile {
        arrays: vec![],
        widths: vec![width, formats[0].storage_bits() as u8],
        formats,
        integers: true,
    })
}

impl Recipe {
    /// Follows the recipe.
    pub fn build(&self) -> Terms {
        let mut terms = Terms {
            arena: Arena::new(),
            pairs: Vec::new(),
            variables: Vec::new(),
        };
        let profile = &self.profile;
        let widths = profile.widths.iter().map(|width| Sort::BitVec(*width));
        let formats = profile.formats.iter().map(|format| Sort::Float(*format));
        let arrays = profile
            .arrays
            .iter()
            .map(|&(index, element)| Sort::Array { index, element });
        let integers = profile.integers.then_some(Sort::Int);
        let modes = (!profile.formats.is_empty()).then_some(Sort::BitVec(2));
        let sorts: Vec<_> = [Sort::Bool]
            .into_iter()
            .chain(modes)
            .chain(widths)
            .chain(formats)
            .chain(arrays)
            .chain(integers)
            .collect();
        for (position, sort) in sorts.into_iter().enumerate() {
            for name in ["x", "y"] {
                let symbol = Symbol::new(&format!("{name}{position}"), sort);
                terms.variables.push(symbol);
                let variable = terms.arena.variable(symbol);
                terms.push(variable, variable);
            }
        }
        for step in &self.steps {
            terms.follow(step);
        }
        terms
    }
}

impl Terms {
    pub fn push(&mut self, raw: TermId, simple: TermId) {
        let sort = self.arena.sort(raw);
        assert_eq!(
            sort,
            self.arena.sort(simple),
            "the simplified term has another sort"
        );
        self.pairs.push(Pair { raw, simple, sort });
    }

    /// Values for the variables.
    pub fn assignment(&self, seed: u64) -> HashMap<Symbol, Value> {
        let value = |(position, symbol): (usize, &Symbol)| {
            let mixed = seed
                .wrapping_add(position as u64)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (*symbol, corner(symbol.sort(), mixed ^ mixed >> 29))
        };
        self.variables.iter().enumerate().map(value).collect()
    }

    /// One of the terms that the predicate accepts; mostly one of the latest.
    pub fn choose(&self, choice: u16, accept: impl Fn(Sort) -> bool) -> Option<Pair> {
        let accepted: Vec<_> = self.pairs.iter().filter(|pair| accept(pair.sort)).collect();
        let recent = accepted.len().min(6);
        let range = if choice & 1 == 0 {
            &accepted[accepted.len() - recent..]
        } else {
            &accepted[..]
        };
        (!range.is_empty()).then(|| *range[usize::from(choice >> 1) % range.len()])
    }

    fn follow(&mut self, &(choice, operands, seed): &Step) {
        let number = usize::from(choice) % (OPERATORS.len() + SHAPES.len());
        match OPERATORS.get(number) {
            Some(&chosen) => {
                if let Some((op, sort, pairs)) = self.application(chosen, operands, seed) {
                    self.apply(op, sort, &pairs);
                }
            }
            None => {
                SHAPES[number - OPERATORS.len()](self, operands, seed);
            }
        }
    }

    /// Builds an application both ways.
    pub fn apply(&mut self, op: Op, sort: Sort, pairs: &[Pair]) -> Pair {
        let raw: Vec<_> = pairs.iter().map(|pair| pair.raw).collect();
        let simple: Vec<_> = pairs.iter().map(|pair| pair.simple).collect();
        let raw = self.arena.intern(op, sort, &raw);
        let simple = self.arena.apply(op, sort, &simple);
        self.push(raw, simple);
        Pair { raw, simple, sort }
    }

    pub fn constant(&mut self, sort: Sort, seed: u64) -> Pair {
        self.literal(&corner(sort, seed))
    }

    pub fn literal(&mut self, value: &Value) -> Pair {
        let term = self.arena.value(value);
        Pair {
            raw: term,
            simple: term,
            sort: value.sort(),
        }
    }

    /// What the simplified term is made of, down to the third level.
    fn parts(&self, term: TermId) -> Vec<TermId> {
        let mut parts = vec![term];
        let mut from = 0;
        for _ in 0..3 {
            let to = parts.len().min(24);
            for place in from..to {
                if let TermKind::Apply { arguments, .. } = self.arena.kind(parts[place]) {
                    parts.extend_from_slice(arguments);
                }
            }
            from = to;
        }
        parts
    }

    /// A constant with which a rule may have to do: one in the partner or next to it, or at the limits of the widths
    /// of what the partner is made of.
    fn constant_near(&mut self, partner: Pair, sort: Sort, seed: u64) -> Pair {
        let parts = self.parts(partner.simple);
        let pick = |length: usize| (seed >> 24) as usize % length;
        let delta = i128::from((seed >> 3) % 5) - 2;
        let constants: Vec<Value> = parts
            .iter()
            .filter_map(|part| self.arena.constant(*part))
            .map(Constant::to_value)
            .collect();
        let numbers: Vec<i128> = constants
            .iter()
            .filter_map(|value| match value {
                Value::BitVec(bits) if seed & 1 == 0 => Some(bits.signed()),
                Value::BitVec(bits) => Some(bits.bits() as i128),
                Value::Int(value) => i128::try_from(value).ok(),
                _ => None,
            })
            .collect();
        let widths: Vec<u32> = parts
            .iter()
            .filter_map(|part| self.arena.sort(*part).width())
            .collect();
        let number = if !numbers.is_empty() && seed & 2 == 0 {
            let number = numbers[pick(numbers.len())];
            match (seed >> 10) % 5 {
                0 => number,
                1 => number.wrapping_neg(),
                2 => !number,
                _ => number.wrapping_add(delta),
            }
        } else if !widths.is_empty() {
            let width = widths[pick(widths.len())];
            let limit = 1_i128.wrapping_shl(width - (seed >> 12 & 1) as u32);
            let limit = if seed & 4096 == 0 && width == 128 {
                0
            } else {
                limit
            };
            let limit = if seed & 8192 == 0 {
                limit
            } else {
                limit.wrapping_neg()
            };
            limit.wrapping_add(delta)
        } else {
            delta
        };
        match sort {
            Sort::BitVec(width) => self.literal(&Value::bit_vec(width, number as u128)),
            Sort::Int => self.literal(&Value::int(number)),
            _ => match constants.iter().find(|value| value.sort() == sort) {
                Some(value) => {
                    let value = value.clone();
                    self.literal(&value)
                }
                None => self.constant(sort, seed),
            },
        }
    }

    /// A term that has a part in common with the partner.
    fn relative(&self, partner: Pair, choice: u16, accept: impl Fn(Sort) -> bool) -> Option<Pair> {
        let own = self.parts(partner.simple);
        let has_parts = |term| match self.arena.kind(term) {
            TermKind::Apply { arguments, .. } => arguments
                .iter()
                .any(|part| own.contains(part) && self.arena.constant(*part).is_none()),
            _ => false,
        };
        let related: Vec<_> = self
            .pairs
            .iter()
            .filter(|pair| {
                accept(pair.sort) && (own.contains(&pair.simple) || has_parts(pair.simple))
            })
            .collect();
        (!related.is_empty()).then(|| *related[usize::from(choice >> 3) % related.len()])
    }

    /// A second operand: another term of the sort, or a constant; often one that goes with the partner.
    pub fn other(
        &mut self,
        partner: Option<Pair>,
        choice: u16,
        sort: Sort,
        seed: u64,
    ) -> Option<Pair> {
        let seed = seed ^ u64::from(choice) << 7;
        match (choice % 10, partner) {
            (0..2, _) | (2..4, None) => Some(self.constant(sort, seed)),
            (2..4, Some(partner)) => Some(self.constant_near(partner, sort, seed)),
            (4..7, Some(partner)) => self
                .relative(partner, choice, |other| other == sort)
                .or_else(|| self.choose(choice, |other| other == sort)),
            _ => self.choose(choice, |other| other == sort),
        }
    }

    /// A first operand: often one that the operator has a rule for.
    pub fn first(&self, op: Op, choice: u16, accept: impl Fn(Sort) -> bool) -> Option<Pair> {
        if !choice.is_multiple_of(3) {
            let favourite = |pair: &&Pair| match self.arena.kind(pair.simple) {
                TermKind::Apply { op: inner, .. } => accept(pair.sort) && goes_with(op, inner),
                _ => false,
            };
            let favourites: Vec<_> = self.pairs.iter().filter(favourite).collect();
            if !favourites.is_empty() {
                return Some(*favourites[usize::from(choice / 3) % favourites.len()]);
            }
        }
        self.choose(choice, accept)
    }

    fn application(
        &mut self,
        op: Op,
        [a, b, c, d]: [u16; 4],
        seed: u64,
    ) -> Option<(Op, Sort, Vec<Pair>)> {
        let is_bool = |sort: Sort| sort == Sort::Bool;
        let is_bv = |sort: Sort| matches!(sort, Sort::BitVec(_));
        let is_float = |sort: Sort| matches!(sort, Sort::Float(_));
        let is_int = |sort: Sort| sort == Sort::Int;
        let is_array = |sort: Sort| sort.is_array();
        // Operands that go with the first.
        let partner = std::cell::Cell::new(None);
        macro_rules! first {
            ($choice:expr, $accept:expr) => {{
                let pair = self.first(op, $choice, $accept)?;
                partner.set(Some(pair));
                pair
            }};
        }
        let other = |this: &mut Self, partner: Option<Pair>, choice: u16, sort: Sort| {
            this.other(partner, choice, sort, seed)
        };
        Some(match op {
            Op::Not => (op, Sort::Bool, vec![first!(a, is_bool)]),
            Op::And | Op::Or => {
                let count = 2 + usize::from(d % 4);
                let mut pairs = vec![first!(a, is_bool)];
                for choice in &[b, c, a ^ b, b ^ c][..count - 1] {
                    let last = pairs.last().copied();
                    pairs.push(match choice % 3 {
                        0 => self.choose(*choice, is_bool)?,
                        _ => other(self, last, *choice, Sort::Bool)?,
                    });
                }
                (op, Sort::Bool, pairs)
            }
            Op::Eq => {
                let left = first!(a, |_| true);
                let right = other(self, partner.get(), b, left.sort)?;
                let pairs = if d % 2 == 0 {
                    vec![left, right]
                } else {
                    vec![right, left]
                };
                (op, Sort::Bool, pairs)
            }
            Op::Ite => {
                let then = first!(a, |_| true);
                let then = if d % 3 == 0 {
                    other(self, partner.get(), d, then.sort)?
                } else {
                    then
                };
                let otherwise = other(self, partner.get(), b, then.sort)?;
                let condition = match c % 3 {
                    0 => self.choose(c, is_bool)?,
                    _ => self
                        .relative(then, c, is_bool)
                        .or_else(|| self.choose(c, is_bool))?,
                };
                let branches = if d % 2 == 0 {
                    [then, otherwise]
                } else {
                    [otherwise, then]
                };
                (op, then.sort, vec![condition, branches[0], branches[1]])
            }
            Op::BvNeg | Op::BvNot => {
                let operand = first!(a, is_bv);
                (op, operand.sort, vec![operand])
            }
            Op::BvAdd
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr => {
                let left = first!(a, is_bv);
                let right = other(self, partner.get(), b, left.sort)?;
                (
                    op,
                    left.sort,
                    if d % 8 == 0 {
                        vec![right, left]
                    } else {
                        vec![left, right]
                    },
                )
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
                let left = first!(a, is_bv);
                let right = other(self, partner.get(), b, left.sort)?;
                (
                    op,
                    Sort::Bool,
                    if d % 2 == 0 {
                        vec![right, left]
                    } else {
                        vec![left, right]
                    },
                )
            }
            Op::Concat => {
                let left = first!(a, is_bv);
                let rest = 128 - left.sort.width()?;
                let right =
                    self.choose(b, |sort| sort.width().is_some_and(|width| width <= rest))?;
                let right = if c % 4 == 0 {
                    self.constant(right.sort, seed)
                } else {
                    right
                };
                let width = (left.sort.width()? + right.sort.width()?) as u8;
                (
                    op,
                    Sort::BitVec(width),
                    if d % 2 == 0 {
                        vec![left, right]
                    } else {
                        vec![right, left]
                    },
                )
            }
            Op::Extract { .. } => {
                let operand = first!(a, is_bv);
                let width = operand.sort.width()? as u8;
                let (first, second) = ((b % u16::from(width)) as u8, (c % u16::from(width)) as u8);
                let (high, low) = match d % 4 {
                    0 => (first, 0),
                    1 => (width - 1, first),
                    _ => (first.max(second), first.min(second)),
                };
                (
                    Op::Extract { high, low },
                    Sort::BitVec(high - low + 1),
                    vec![operand],
                )
            }
            Op::ZeroExtend(_) | Op::SignExtend(_) => {
                let operand = first!(a, is_bv);
                let width = operand.sort.width()? as u8;
                let limit: u8 = if width < 8 { 10 } else { 128 };
                let total = width
                    + 1
                    + (b % u16::from(limit.checked_sub(width).filter(|room| *room > 0)?)) as u8;
                let op = if op == Op::ZeroExtend(0) {
                    Op::ZeroExtend(total)
                } else {
                    Op::SignExtend(total)
                };
                (op, Sort::BitVec(total), vec![operand])
            }
            Op::IntNeg => (op, Sort::Int, vec![first!(a, is_int)]),
            Op::IntAdd | Op::IntMul | Op::IntDiv | Op::IntMod => {
                let left = first!(a, is_int);
                (
                    op,
                    Sort::Int,
                    vec![left, other(self, partner.get(), b, Sort::Int)?],
                )
            }
            Op::IntLt | Op::IntLe => {
                let (left, right) = (first!(a, is_int), other(self, partner.get(), b, Sort::Int)?);
                (
                    op,
                    Sort::Bool,
                    if d % 2 == 0 {
                        vec![left, right]
                    } else {
                        vec![right, left]
                    },
                )
            }
            Op::BvToNat | Op::BvToInt => {
                self.choose(a, is_int)?;
                (op, Sort::Int, vec![first!(a, is_bv)])
            }
            Op::IntToBv(_) => {
                let width = self.choose(b, is_bv)?.sort.width()? as u8;
                (
                    Op::IntToBv(width),
                    Sort::BitVec(width),
                    vec![first!(a, is_int)],
                )
            }
            Op::FpNeg | Op::FpAbs => {
                let operand = first!(a, is_float);
                (op, operand.sort, vec![operand])
            }
            Op::FpIsNan
            | Op::FpIsInfinite
            | Op::FpIsZero
            | Op::FpIsNormal
            | Op::FpIsSubnormal
            | Op::FpIsNegative => (op, Sort::Bool, vec![first!(a, is_float)]),
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => {
                let left = first!(a, is_float);
                (
                    op,
                    left.sort,
                    vec![
                        other(self, partner.get(), c, Sort::BitVec(2))?,
                        left,
                        other(self, partner.get(), b, left.sort)?,
                    ],
                )
            }
            Op::FpFma => {
                let left = first!(a, is_float);
                let mode = other(self, partner.get(), c, Sort::BitVec(2))?;
                (
                    op,
                    left.sort,
                    vec![
                        mode,
                        left,
                        other(self, partner.get(), b, left.sort)?,
                        other(self, partner.get(), d, left.sort)?,
                    ],
                )
            }
            Op::FpSqrt | Op::FpRoundToIntegral => {
                let operand = first!(a, is_float);
                (
                    op,
                    operand.sort,
                    vec![other(self, partner.get(), c, Sort::BitVec(2))?, operand],
                )
            }
            Op::FpRem => {
                let left = first!(a, is_float);
                (
                    op,
                    left.sort,
                    vec![left, other(self, partner.get(), b, left.sort)?],
                )
            }
            Op::FpLt | Op::FpLe | Op::FpEq => {
                let left = first!(a, is_float);
                let right = other(self, partner.get(), b, left.sort)?;
                (
                    op,
                    Sort::Bool,
                    if d % 2 == 0 {
                        vec![left, right]
                    } else {
                        vec![right, left]
                    },
                )
            }
            Op::FpToFp(_) | Op::SbvToFp(_) | Op::UbvToFp(_) | Op::IntToFp(_) => {
                let Sort::Float(format) = self.choose(b, is_float)?.sort else {
                    return None;
                };
                let mode = other(self, partner.get(), c, Sort::BitVec(2))?;
                let (op, operand) = match op {
                    Op::FpToFp(_) => (Op::FpToFp(format), first!(a, is_float)),
                    Op::SbvToFp(_) => (Op::SbvToFp(format), first!(a, is_bv)),
                    Op::UbvToFp(_) => (Op::UbvToFp(format), first!(a, is_bv)),
                    _ => (Op::IntToFp(format), first!(a, is_int)),
                };
                (op, Sort::Float(format), vec![mode, operand])
            }
            Op::FpToSbv(_) | Op::FpToUbv(_) => {
                let operand = first!(a, is_float);
                let width = self.choose(b, is_bv)?.sort.width()? as u8;
                let op = if op == Op::FpToSbv(1) {
                    Op::FpToSbv(width)
                } else {
                    Op::FpToUbv(width)
                };
                (
                    op,
                    Sort::BitVec(width),
                    vec![other(self, partner.get(), c, Sort::BitVec(2))?, operand],
                )
            }
            Op::FpToInt => {
                let operand = first!(a, is_float);
                (
                    op,
                    Sort::Int,
                    vec![other(self, partner.get(), c, Sort::BitVec(2))?, operand],
                )
            }
            Op::FpToBits => {
                let operand = first!(a, is_float);
                let Sort::Float(format) = operand.sort else {
                    return None;
                };
                (op, Sort::BitVec(format.storage_bits() as u8), vec![operand])
            }
            Op::FpFromBits(_) => {
                let Sort::Float(format) = self.choose(b, is_float)?.sort else {
                    return None;
                };
                let sort = Sort::BitVec(format.storage_bits() as u8);
                (
                    Op::FpFromBits(format),
                    Sort::Float(format),
                    vec![other(self, partner.get(), a, sort)?],
                )
            }
            Op::Select | Op::Store => {
                let array = first!(a, is_array);
                let Sort::Array { index, element } = array.sort else {
                    return None;
                };
                let index = other(self, partner.get(), b, index.into())?;
                if op == Op::Select {
                    (op, element.into(), vec![array, index])
                } else {
                    (
                        op,
                        array.sort,
                        vec![array, index, other(self, partner.get(), c, element.into())?],
                    )
                }
            }
            Op::ConstArray => {
                let sort = first!(a, is_array).sort;
                let Sort::Array { element, .. } = sort else {
                    return None;
                };
                (
                    op,
                    sort,
                    vec![other(self, partner.get(), b, element.into())?],
                )
            }
        })
    }
}

/// A value, of those at the corners of the sort more often than not.
pub fn corner(sort: Sort, seed: u64) -> Value {
    let large = u128::from(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)) << 64 | u128::from(seed);
    let small = (seed >> 8) % 6;
    match sort {
        Sort::Bool => Value::Bool(seed & 16 != 0),
        Sort::BitVec(width) => {
            let power = 1u128 << ((seed >> 16) % u64::from(width));
            Value::bit_vec(
                width,
                match seed % 10 {
                    0 => 0,
                    1 => u128::MAX,
                    2 => 1 << (width - 1),
                    3 => (1 << (width - 1)) - 1,
                    4 => power,
                    5 => power - 1,
                    6 => u128::from(small),
                    7 => u128::from(small).wrapping_neg(),
                    8 => u128::from(width),
                    _ => large,
                },
            )
        }
        Sort::Int => {
            let power = BigInt::from(1) << ((seed >> 16) % 70);
            Value::Int(match seed % 7 {
                6 => tie(seed) << ((seed >> 40) % 60),
                0 => BigInt::from(small),
                1 => -BigInt::from(small),
                2 => power,
                3 => -power,
                4 => power - 1,
                _ => BigInt::from(seed as i32),
            })
        }
        Sort::Float(format) => {
            let nearest = RoundingMode::NearestEven;
            Value::Float(match seed % 15 {
                12 => FloatValue::from_int(format, nearest, &tie(seed)),
                13 => {
                    // A tie at the bottom of the format's range, or in the fraction.
                    let quotient = FloatValue::from_int(
                        format,
                        nearest,
                        &(BigInt::from(1) << ((seed >> 40) % 70)),
                    );
                    let Value::Float(quotient) = apply_op(
                        Op::FpDiv,
                        sort,
                        &[
                            Value::bit_vec(2, 0),
                            FloatValue::from_int(format, nearest, &tie(seed)).into(),
                            quotient.into(),
                        ],
                    ) else {
                        unreachable!("a quotient of floats is a float");
                    };
                    quotient
                }
                14 => FloatValue::from_bits(
                    format,
                    FloatValue::from_int(format, nearest, &BigInt::from(small)).bits()
                        ^ (seed >> 20 & 3) as u128,
                ),
                0 => FloatValue::zero(format, seed & 64 != 0),
                1 => FloatValue::infinity(format, seed & 64 != 0),
                2 => FloatValue::nan(format),
                3 => FloatValue::from_bits(format, u128::from(small)),
                4 => FloatValue::from_int(format, nearest, &BigInt::from(small)).negated(),
                5 => FloatValue::from_f64(small as f64 + 0.5).convert(nearest, format),
                6 => FloatValue::from_f64(-(small as f64) / 4.0).convert(nearest, format),
                7 => FloatValue::from_int(
                    format,
                    nearest,
                    &(BigInt::from(1) << ((seed >> 16) % 130)),
                ),
                8 => FloatValue::from_int(
                    format,
                    RoundingMode::TowardZero,
                    &((BigInt::from(1) << ((seed >> 16) % 66)) - 1),
                ),
                9 => FloatValue::from_bits(
                    format,
                    FloatValue::infinity(format, seed & 64 != 0).bits() - 1,
                ),
                10 => FloatValue::from_f64(f64::from_bits(
                    0x3fe0_0000_0000_0000 + (seed & 0xff_ffff_ffff_ffff),
                ))
                .convert(nearest, format),
                _ => FloatValue::from_bits(format, large ^ large.rotate_left(37)),
            })
        }
        Sort::Array { index, element } => {
            let default = corner(element.into(), seed >> 5);
            let entry = |n: u64| {
                (
                    corner(index.into(), seed >> n ^ n),
                    corner(element.into(), seed >> (n + 9)),
                )
            };
            Value::Array(ArrayValue::new(index, default, (0..seed % 4).map(entry)))
        }
    }
}

/// A number that lies in the middle between two neighbouring floats of some format, or next to the middle.
fn tie(seed: u64) -> BigInt {
    let precisions = [11, 24, 53, 64, 113];
    let precision = precisions[(seed >> 8) as usize % precisions.len()];
    let significand = (BigInt::from(1) << (precision - 1)) + BigInt::from(seed >> 32 & 0x3ff);
    let below = 1 + (seed >> 28 & 3) as usize;
    let middle = (significand << below) + (BigInt::from(1) << (below - 1));
    middle + BigInt::from((seed >> 24) % 3) - 1
}

/// Whether there is a rule for the operator on the other's application, so that they should often meet.
fn goes_with(outer: Op, inner: Op) -> bool {
    use Op::*;
    let extension = matches!(inner, ZeroExtend(_) | SignExtend(_));
    let arithmetic = matches!(inner, BvAdd | BvMul | BvNeg | BvNot);
    let bitwise = matches!(inner, BvAnd | BvOr | BvXor | BvNot);
    let comparison = matches!(
        inner,
        BvUlt | BvUle | BvSlt | BvSle | IntLt | IntLe | Eq | Not | FpLt | FpLe | FpEq
    );
    match outer {
        Not => comparison || matches!(inner, And | Or),
        And | Or => comparison || matches!(inner, And | Or),
        Eq => !matches!(inner, Select | FpIsNan),
        Ite => matches!(inner, Ite | Eq | Not),
        Extract { .. } => {
            extension || arithmetic || bitwise || matches!(inner, Extract { .. } | Concat | Ite)
        }
        Concat => extension || matches!(inner, Extract { .. } | Concat),
        ZeroExtend(_) | SignExtend(_) => extension || matches!(inner, Ite | Extract { .. }),
        BvUdiv | BvUrem | BvSdiv | BvSrem => extension || matches!(inner, BvMul | Ite),
        BvAnd | BvOr | BvXor => extension || bitwise || matches!(inner, BvMul | Ite),
        BvShl | BvLshr | BvAshr => {
            extension || matches!(inner, BvShl | BvLshr | BvAshr | BvMul | Concat | Ite)
        }
        BvAdd | BvMul | BvNeg | BvNot => arithmetic || matches!(inner, Ite),
        BvUlt | BvUle | BvSlt | BvSle => extension || arithmetic || matches!(inner, Ite),
        IntNeg | IntAdd | IntMul | IntDiv | IntMod | IntLt | IntLe => matches!(
            inner,
            IntNeg | IntAdd | IntMul | IntMod | IntDiv | Ite | BvToNat | BvToInt
        ),
        BvToNat | BvToInt => extension,
        IntToBv(_) => matches!(inner, BvToNat | BvToInt),
        FpNeg | FpAbs => matches!(inner, FpNeg | FpAbs),
        FpLt | FpLe | FpEq => matches!(inner, FpToFp(_) | SbvToFp(_) | UbvToFp(_) | Ite | FpNeg),
        FpIsNan | FpIsInfinite | FpIsZero | FpIsNormal | FpIsSubnormal | FpIsNegative => matches!(
            inner,
            FpNeg | FpAbs | FpToFp(_) | SbvToFp(_) | UbvToFp(_) | IntToFp(_)
        ),
        FpToFp(_) => matches!(inner, FpToFp(_)),
        FpToSbv(_) | FpToUbv(_) => matches!(inner, SbvToFp(_) | UbvToFp(_)),
        FpRoundToIntegral => matches!(inner, FpRoundToIntegral),
        FpFromBits(_) => matches!(inner, FpToBits),
        Select | Store => matches!(inner, Store | ConstArray),
        _ => false,
    }
}

/// Every operator; the parameters do not matter here.
const OPERATORS: &[Op] = {
    use Op::*;
    const F: FloatFormat = FloatFormat::F32;
    &[
        Not,
        And,
        Or,
        Eq,
        Ite,
        BvNeg,
        BvNot,
        BvAdd,
        BvMul,
        BvUdiv,
        BvUrem,
        BvSdiv,
        BvSrem,
        BvAnd,
        BvOr,
        BvXor,
        BvShl,
        BvLshr,
        BvAshr,
        BvUlt,
        BvUle,
        BvSlt,
        BvSle,
        Concat,
        Extract { high: 0, low: 0 },
        ZeroExtend(0),
        SignExtend(0),
        IntNeg,
        IntAdd,
        IntMul,
        IntDiv,
        IntMod,
        IntLt,
        IntLe,
        BvToNat,
        BvToInt,
        IntToBv(1),
        FpNeg,
        FpAbs,
        FpAdd,
        FpSub,
        FpMul,
        FpDiv,
        FpFma,
        FpSqrt,
        FpRem,
        FpRoundToIntegral,
        FpLt,
        FpLe,
        FpEq,
        FpIsNan,
        FpIsInfinite,
        FpIsZero,
        FpIsNormal,
        FpIsSubnormal,
        FpIsNegative,
        FpToFp(F),
        SbvToFp(F),
        UbvToFp(F),
        IntToFp(F),
        FpToSbv(1),
        FpToUbv(1),
        FpToInt,
        FpToBits,
        FpFromBits(F),
        Select,
        Store,
        ConstArray,
        // Once more what rewrites are about.
        Eq,
        Ite,
        BvAdd,
        BvAdd,
        BvMul,
        BvNeg,
        BvAnd,
        BvOr,
        Concat,
        Extract { high: 0, low: 0 },
        BvUlt,
        BvSle,
        Eq,
        Select,
        Store,
        Not,
        And,
        Or,
        IntAdd,
        IntMul,
        IntLt,
    ]
};

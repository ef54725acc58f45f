//! Applications of an operator to existing terms.

use super::pairs::{Pair, Terms};
use crate::term::{Op, Sort};

impl Terms {
    /// Returns the operator with its parameters, the sort of its application and the operands; `None` if no operands fit.
    pub(super) fn application(
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
        // The first operand, to which the others should be related.
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
            // Solvers do not know it; `term::prefix_sums` has the tests of its axioms.
            Op::PrefixSum => return None,
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

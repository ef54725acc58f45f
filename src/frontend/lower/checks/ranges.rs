//! Ranges of expressions by their types and constants, which decide most checks.

use super::super::expressions::fold;
use crate::ir::{BinaryOp, Expr, ScalarType, UnaryOp};
use crate::memory::walk::is_condition;

/// A range of integers, both ends included.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub low: i128,
    pub high: i128,
}

impl Range {
    /// The numbers of a type; `None` if no `i128` holds them all, or if they are no integers.
    pub(super) fn of_type(scalar: ScalarType) -> Option<Self> {
        match scalar {
            ScalarType::Integer { bits: 0, .. } => None,
            ScalarType::Integer { bits, signed: true } => Some(Self {
                low: i128::MIN >> (128 - bits.min(128)),
                high: i128::MAX >> (128 - bits.min(128)),
            }),
            ScalarType::Integer {
                bits,
                signed: false,
            } if bits < 128 => Some(Self {
                low: 0,
                high: (1 << bits) - 1,
            }),
            // Memory may have been written otherwise.
            ScalarType::Bool => Some(Self { low: 0, high: 255 }),
            ScalarType::Integer { .. } | ScalarType::Float(_) | ScalarType::Pointer => None,
        }
    }

    const fn one(value: i128) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    /// The number, if there is only one.
    pub(super) fn single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub(super) const fn has(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The numbers whose sum with the constant is in the range.
    pub(super) const fn minus(self, constant: i128) -> Self {
        Self {
            low: self.low.saturating_sub(constant),
            high: self.high.saturating_sub(constant),
        }
    }

    /// The numbers that, subtracted from the constant, are in the range.
    pub(super) const fn taken_from(self, constant: i128) -> Self {
        Self {
            low: constant.saturating_sub(self.high),
            high: constant.saturating_sub(self.low),
        }
    }

    /// The numbers whose product with the constant is in the range, which contains zero.
    pub(super) const fn divided(self, constant: i128) -> Self {
        // Quotients are rounded to zero, which is inwards.
        match constant {
            0 => Self {
                low: i128::MIN,
                high: i128::MAX,
            },
            1.. => Self {
                low: self.low / constant,
                high: self.high / constant,
            },
            _ => Self {
                low: self.high.saturating_div(constant),
                high: self.low.saturating_div(constant),
            },
        }
    }

    /// The results of an operator; `None` if they are not known.
    pub(super) fn combined(self, op: BinaryOp, other: Self) -> Option<Self> {
        let ends = |act: fn(i128, i128) -> Option<i128>| {
            let (mut low, mut high) = (i128::MAX, i128::MIN);
            for left in [self.low, self.high] {
                for right in [other.low, other.high] {
                    let value = act(left, right)?;
                    (low, high) = (low.min(value), high.max(value));
                }
            }
            Some(Self { low, high })
        };
        match op {
            BinaryOp::Add => ends(i128::checked_add),
            BinaryOp::Subtract => ends(i128::checked_sub),
            BinaryOp::Multiply => ends(i128::checked_mul),
            BinaryOp::Divide if other.low > 0 => ends(i128::checked_div),
            BinaryOp::Remainder if other.low > 0 => Some(Self {
                low: self.low.clamp(1 - other.high, 0),
                high: self.high.clamp(0, other.high - 1),
            }),
            BinaryOp::And if other.low >= 0 => Some(Self {
                low: 0,
                high: other.high,
            }),
            BinaryOp::And if self.low >= 0 => other.combined(op, self),
            BinaryOp::ShiftRight => {
                let count = u32::try_from(other.single()?).ok()?;
                Some(Self {
                    low: self.low.checked_shr(count)?,
                    high: self.high.checked_shr(count)?,
                })
            }
            _ => None,
        }
    }
}

/// The values of an expression whose type is represented by the scalar; `None` if no `i128` holds them all.
pub(super) fn range(expr: &Expr, scalar: ScalarType) -> Option<Range> {
    let all = Range::of_type(scalar)?;
    let known = match expr {
        Expr::Integer { value, .. } => Some(Range::one(*value)),
        Expr::Convert {
            to: ScalarType::Bool,
            ..
        } => Some(Range { low: 0, high: 1 }),
        Expr::Convert { operand, from, .. } => range(operand, *from),
        Expr::Load(place) => place.bit_field.and_then(|field| {
            let (bits, signed) = (field.bits, all.low < 0);
            Range::of_type(ScalarType::Integer { bits, signed })
        }),
        Expr::Binary { op, .. } if is_condition(*op) => Some(Range { low: 0, high: 1 }),
        Expr::Unary {
            op: UnaryOp::LogicalNot,
            ..
        } => Some(Range { low: 0, high: 1 }),
        Expr::Unary {
            op: UnaryOp::Negate,
            operand,
            ..
        } => range(operand, scalar)
            .and_then(|known| Range::one(0).combined(BinaryOp::Subtract, known)),
        Expr::Binary {
            op: BinaryOp::ShiftRight,
            left,
            right,
            ..
        } => {
            let count = fold::constant(right).map(Range::one);
            range(left, scalar)
                .zip(count)
                .and_then(|(left, count)| left.combined(BinaryOp::ShiftRight, count))
        }
        Expr::Binary {
            op, left, right, ..
        } => range(left, scalar)
            .zip(range(right, scalar))
            .and_then(|(left, right)| left.combined(*op, right)),
        Expr::Conditional {
            then, otherwise, ..
        } => range(then, scalar)
            .zip(range(otherwise, scalar))
            .map(|(a, b)| Range {
                low: a.low.min(b.low),
                high: a.high.max(b.high),
            }),
        _ => None,
    };
    // What is outside of the type wraps around.
    Some(known.filter(|&known| all.contains(known)).unwrap_or(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_range_of_their_operands() {
        let numbers = || -5..=5_i128;
        let ranges = || {
            let pairs = numbers().flat_map(|low| (low..=5).map(move |high| Range { low, high }));
            pairs.collect::<Vec<_>>()
        };
        let compute = |op, a: i128, b: i128| match op {
            BinaryOp::Add => Some(a + b),
            BinaryOp::Subtract => Some(a - b),
            BinaryOp::Multiply => Some(a * b),
            BinaryOp::Divide => a.checked_div(b),
            BinaryOp::Remainder => a.checked_rem(b),
            BinaryOp::And => Some(a & b),
            _ => u32::try_from(b).ok().map(|count| a >> count),
        };
        for op in [
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
            BinaryOp::And,
            BinaryOp::ShiftRight,
        ] {
            for left in ranges() {
                for right in ranges() {
                    let Some(results) = left.combined(op, right) else {
                        continue;
                    };
                    let lefts = left.low..=left.high;
                    for (a, b) in lefts.flat_map(|a| (right.low..=right.high).map(move |b| (a, b)))
                    {
                        let is_in = compute(op, a, b).is_none_or(|value| results.has(value));
                        assert!(is_in, "{a} {op:?} {b} of {left:?} and {right:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn operands_whose_results_are_in_a_range() {
        let limits = Range { low: -8, high: 7 };
        for constant in -9..=9 {
            for number in -40..=40 {
                let allows = |range: Range| range.has(number);
                let is_in = |value| limits.has(value);
                assert_eq!(allows(limits.minus(constant)), is_in(number + constant));
                assert_eq!(
                    allows(limits.taken_from(constant)),
                    is_in(constant - number)
                );
                assert_eq!(allows(limits.divided(constant)), is_in(number * constant));
            }
        }
    }
}

//! Values of a run that are affine functions of one input, over the integers. (Linear terms with several variables and
//! wrap-around are in [`crate::term`].)

/// The *form* of a value: `factor * input + offset` in mathematical integers, or a known value that depends on no input.
///
/// Bit patterns are read as unsigned. The equation holds for all values in the input's set: an operation that may wrap
/// around first restricts the set to the values that wrap around as often as in the run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// Position of the input among the run's inputs, or [`KNOWN`].
    pub(super) input: u32,
    pub(super) factor: i128,
    pub(super) offset: i128,
}

/// Marks a value that depends on no input.
pub(super) const KNOWN: u32 = u32::MAX;

/// Absolute values of factors and offsets are kept below these limits, so that computations with them do not overflow.
const FACTOR_LIMIT: u128 = 1 << 40;
const OFFSET_LIMIT: u128 = 1 << 110;

impl Affine {
    pub(super) const fn known(value: i128) -> Self {
        Self {
            input: KNOWN,
            factor: 0,
            offset: value,
        }
    }

    pub(super) const fn input(input: u32) -> Self {
        Self {
            input,
            factor: 1,
            offset: 0,
        }
    }

    pub(super) const fn is_known(&self) -> bool {
        self.input == KNOWN
    }

    /// The value times a constant; `None` beyond the limits.
    pub(super) fn times(self, constant: i128) -> Option<Self> {
        Self {
            input: self.input,
            factor: self.factor.checked_mul(constant)?,
            offset: self.offset.checked_mul(constant)?,
        }
        .within_limits()
    }

    /// The sum; `None` beyond the limits or if it depends on two inputs.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let input = match (self.is_known(), other.is_known()) {
            (_, true) => self.input,
            (true, false) => other.input,
            (false, false) if self.input == other.input => self.input,
            (false, false) => return None,
        };
        Self {
            input,
            factor: self.factor.checked_add(other.factor)?,
            offset: self.offset.checked_add(other.offset)?,
        }
        .within_limits()
    }

    fn within_limits(mut self) -> Option<Self> {
        if self.factor == 0 {
            self.input = KNOWN;
        }
        let small =
            self.factor.unsigned_abs() < FACTOR_LIMIT && self.offset.unsigned_abs() < OFFSET_LIMIT;
        small.then_some(self)
    }

    /// The bounds of the input for which the value, which must depend on it, is between `low` and `high`; `None` is no bound.
    pub(super) fn inputs_between(
        self,
        low: Option<i128>,
        high: Option<i128>,
    ) -> (Option<i128>, Option<i128>) {
        let up = |bound: i128| ceiling(bound - self.offset, self.factor);
        let down = |bound: i128| floor(bound - self.offset, self.factor);
        match self.factor > 0 {
            true => (low.map(up), high.map(down)),
            false => (high.map(up), low.map(down)),
        }
    }

    /// The input for which the form has the value, if there is one.
    pub(super) fn input_at(self, value: i128) -> Option<i128> {
        let distance = value - self.offset;
        (distance % self.factor == 0).then(|| distance / self.factor)
    }
}

fn floor(dividend: i128, divisor: i128) -> i128 {
    num_integer::div_floor(dividend, divisor)
}

fn ceiling(dividend: i128, divisor: i128) -> i128 {
    -floor(-dividend, divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_values_are_bounds_of_inputs() {
        for factor in [-3, -1, 1, 2, 5] {
            let value = Affine {
                input: 0,
                factor,
                offset: 7,
            };
            for bound in -20..20 {
                let (low, high) = value.inputs_between(Some(bound), Some(bound + 4));
                for input in -40..40 {
                    let at = factor * input + 7;
                    let inside = low.unwrap() <= input && input <= high.unwrap();
                    assert_eq!(inside, bound <= at && at <= bound + 4);
                    assert_eq!(value.input_at(bound) == Some(input), at == bound);
                }
            }
        }
    }

    #[test]
    fn values_beyond_the_limits_are_not_tracked() {
        let far = Affine::input(0).times(1 << 39).unwrap();
        assert_eq!(far.times(2), None);
        assert_eq!(Affine::known(1 << 109).times(4), None);
        assert_eq!(Affine::input(0).plus(Affine::input(1)), None);
        let gone = Affine::input(0).plus(Affine::input(0).times(-1).unwrap());
        assert_eq!(gone, Some(Affine::known(0)));
    }
}

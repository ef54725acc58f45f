//! The choice of the dimension and the code at which a box that is not known to be safe is divided.

use rustc_hash::FxHashMap;

use super::limits::HALVINGS_BY_VALUE_ALONE;
use regatta_certify::boxes::{Codes, Dimension, InputBox, Open};
use regatta_program::Input;
use regatta_term::{FloatFormat, FloatValue, Op, RoundingMode, Sort, Value, apply_op};

/// The number of times that each input was divided in the middle to obtain a box.
pub(super) type Halvings = FxHashMap<Dimension, u32>;

/// A division of a box: `at` is the least code of the upper part.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub dimension: Dimension,
    pub at: u128,
    /// Whether the division decides an undecided comparison with a constant.
    pub is_at_constant: bool,
}

/// Chooses the division of a box: the first that decides an undecided comparison with a constant; otherwise the middle of an
/// input that undecided conditions depend on, one of those divided the fewest times, and of these the widest. Returns
/// `None` if there is no such input.
pub(super) fn division(
    open: &Open,
    inner: &InputBox,
    halvings: &Halvings,
    inputs: &[Input],
) -> Option<Division> {
    let range_of = |dimension: Dimension| {
        let codes = Codes::of(&inputs[dimension.input.index()])?;
        let range = inner.get(&dimension).copied();
        Some((codes, range.unwrap_or((0, codes.greatest()))))
    };
    let at_constants = open.conditions.iter().flat_map(|one| &one.divisions);
    for &(dimension, at) in at_constants {
        if let Some((_, (low, high))) = range_of(dimension)
            && low < at
            && at <= high
        {
            return Some(Division {
                dimension,
                at,
                is_at_constant: true,
            });
        }
    }
    let relevant = open.conditions.iter().fold(0, |all, one| all | one.inputs);
    let relevant = (0..64)
        .zip(&open.drawn)
        .filter(|(number, _)| relevant >> number & 1 == 1);
    let candidates = relevant.filter_map(|(_, &dimension)| {
        let (codes, (low, high)) = range_of(dimension)?;
        (low < high).then_some((dimension, codes, (low, high)))
    });
    let times_halved = |dimension: Dimension| halvings.get(&dimension).copied().unwrap_or(0);
    let (dimension, codes, range) = candidates.min_by_key(|&(dimension, _, (low, high))| {
        (times_halved(dimension), u128::MAX - (high - low), dimension)
    })?;
    Some(Division {
        dimension,
        at: middle(codes, range, times_halved(dimension)),
        is_at_constant: false,
    })
}

/// Returns the least code of the upper half. Floats are halved by value where the bounds have similar magnitudes, and
/// by code otherwise.
fn middle(codes: Codes, (low, high): (u128, u128), times: u32) -> u128 {
    let by_number = low + (high - low).div_ceil(2);
    let Some(format) = codes.format() else {
        return by_number;
    };
    let code = |value: FloatValue| codes.code(&value.into());
    if high == codes.greatest() {
        // A box of NaN alone.
        return high;
    }
    let zero = code(FloatValue::zero(format, false)).unwrap_or(by_number);
    if low < zero && zero <= high {
        return zero;
    }
    let (Value::Float(least), Value::Float(most)) = (codes.value(low), codes.value(high)) else {
        return by_number;
    };
    if is_wide(format, least, most) || (times >= HALVINGS_BY_VALUE_ALONE && times % 2 == 1) {
        return by_number;
    }
    let mode = || Value::bit_vec(2, RoundingMode::NearestEven as u128);
    let float = |op, a, b| apply_op(op, Sort::Float(format), &[mode(), a, b]);
    let half = Value::Float(FloatValue::from_f64(0.5).convert(RoundingMode::NearestEven, format));
    let halved = |value: FloatValue| float(Op::FpMul, value.into(), half.clone());
    let mean = codes.code(&float(Op::FpAdd, halved(least), halved(most)));
    mean.filter(|&at| low < at && at <= high)
        .unwrap_or(by_number)
}

/// Checks whether the bounds, which have one sign, differ by several magnitudes and are large.
fn is_wide(format: FloatFormat, least: FloatValue, most: FloatValue) -> bool {
    let field = format.significand_bits() - 1;
    let exponent = |value: FloatValue| (value.absolute().bits() >> field) as i64;
    let (a, b) = (exponent(least), exponent(most));
    let bias = (1i64 << (format.exponent_bits() - 1)) - 1;
    a.max(b) > bias + 10 && (a - b).abs() > 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_program::{InputId, InputKind};

    fn input(sort: Sort) -> Input {
        Input {
            kind: InputKind::Nondet("x".to_owned()),
            sort,
            c_type: None,
            part: None,
            span: regatta_base::Span::default(),
        }
    }

    /// Repeated division in the middle ends in single values, and no part is empty.
    #[test]
    fn every_middle_divides() {
        let sorts = [
            Sort::Bool,
            Sort::BitVec(5),
            Sort::BitVec(64),
            Sort::Float(FloatFormat::F16),
            Sort::Float(FloatFormat::F32),
            Sort::Float(FloatFormat::F64),
        ];
        for sort in sorts {
            let input = input(sort);
            let codes = Codes::of(&input).expect("codes");
            for goal in [
                0,
                1,
                codes.greatest() / 3,
                codes.greatest() / 2,
                codes.greatest(),
            ] {
                let (mut low, mut high) = (0, codes.greatest());
                let mut times = 0;
                while low < high {
                    let at = middle(codes, (low, high), times);
                    assert!(low < at && at <= high, "{sort} {low} {at} {high}");
                    (low, high) = if goal < at { (low, at - 1) } else { (at, high) };
                    times += 1;
                    assert!(times < 1000, "{sort} {goal}");
                }
            }
        }
    }

    #[test]
    fn a_comparison_with_a_constant_comes_first() {
        let inputs = [input(Sort::BitVec(8)), input(Sort::BitVec(8))];
        let dimension = |number| Dimension {
            input: InputId(number),
            occurrence: 0,
        };
        let mut open = Open {
            drawn: vec![dimension(0), dimension(1)],
            ..Open::default()
        };
        let none = Halvings::default();
        assert_eq!(division(&open, &InputBox::default(), &none, &inputs), None);
        let condition = |inputs, divisions| regatta_certify::boxes::Condition { inputs, divisions };
        open.conditions = vec![condition(2, vec![]), condition(1, vec![(dimension(0), 7)])];
        let found = division(&open, &InputBox::default(), &none, &inputs).expect("one");
        assert_eq!((found.dimension, found.at), (dimension(0), 7));
        let inner: InputBox = [(dimension(0), (7, 7))].into_iter().collect();
        let found = division(&open, &inner, &none, &inputs).expect("one");
        assert_eq!((found.dimension, found.at), (dimension(1), 128));
    }
}

//! Values of inputs: corners of the sort, constants of the program, and random numbers.

use rand::Rng;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;
use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::MAXIMUM_CONSTANTS_PER_SORT;
use regatta_program::{Operation, Program};
use regatta_term::{
    BitVecValue, Constant, FloatFormat, FloatValue, Sort, TermId, TermKind, Value,
    for_each_subterm, store,
};

/// A random number generator that depends on its seed alone.
#[derive(Clone, Debug)]
pub(super) struct Random(SplitMix64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Returns a uniform number of 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform number below the limit, which must not be zero.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Returns true with probability 1 / `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns a random element of the list, or the default if it is empty.
    pub(super) fn pick<T: Copy + Default>(&mut self, list: &[T]) -> T {
        match list.len() {
            0 => T::default(),
            length => list[self.below(length)],
        }
    }
}

/// The value of an input in a candidate: its bit pattern; for a mathematical integer its two's complement; for an array
/// the seed of its contents.
pub(super) type Bits = u128;

/// Truncates a number to the width of the sort.
pub(super) fn fit(sort: Sort, bits: Bits) -> Bits {
    match sort {
        Sort::Bool => bits & 1,
        Sort::BitVec(width) => bits & (u128::MAX >> (128 - u32::from(width))),
        Sort::Float(format) => bits & (u128::MAX >> (128 - format.storage_bits())),
        Sort::Int | Sort::Array { .. } => bits,
    }
}

/// Returns the value of a scalar sort with the bits.
pub(super) fn value_of(sort: Sort, bits: Bits) -> Value {
    match sort {
        Sort::Bool => Value::Bool(bits & 1 != 0),
        Sort::BitVec(width) => Value::BitVec(BitVecValue::new(width, bits)),
        Sort::Float(format) => Value::Float(FloatValue::from_bits(format, bits)),
        Sort::Int => Value::int(bits as i128),
        Sort::Array { .. } => Value::zero(sort),
    }
}

/// Returns the bits of a scalar, or zero if they do not fit.
pub(super) fn bits_of(value: &Value) -> Bits {
    match value {
        Value::Float(value) => value.bits(),
        Value::BitVec(value) => value.bits(),
        other => i128::try_from(other).map_or(0, |value| value as Bits),
    }
}

/// Interesting values for each sort of input.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    by_sort: FxHashMap<Sort, Values>,
}

/// Interesting values of a sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Corners of the sort.
    pub(super) boundary: Vec<Bits>,
    /// Constants of the program, and their neighbours.
    pub(super) constants: Vec<Bits>,
}

impl Dictionary {
    /// Returns the values for the program's inputs.
    pub(super) fn of(program: &Program) -> Self {
        let constants = Constants::of(program);
        let sorts: FxHashSet<Sort> = program
            .inputs
            .iter()
            .map(|input| scalar(input.sort))
            .collect();
        let by_sort = sorts.into_iter().map(|sort| {
            let values = Values {
                boundary: boundary(sort),
                constants: constants.for_sort(sort),
            };
            (sort, values)
        });
        Self {
            by_sort: by_sort.collect(),
        }
    }

    /// Returns the values of the sort, which must be that of an input or of an array input's elements.
    pub(super) fn values(&self, sort: Sort) -> Option<&Values> {
        self.by_sort.get(&scalar(sort))
    }
}

/// Returns the sort of the values that are generated for an input: for an array, that of its elements.
pub(super) fn scalar(sort: Sort) -> Sort {
    match sort {
        Sort::Array { element, .. } => element.into(),
        other => other,
    }
}

#[derive(Default)]
struct Constants {
    integers: Vec<i128>,
    floats: Vec<(FloatFormat, u128)>,
}

impl Constants {
    fn of(program: &Program) -> Self {
        let mut roots = Vec::new();
        for operation in program.edges.iter().flat_map(|edge| &edge.operations) {
            terms_of(operation, &mut roots);
        }
        let mut constants = Self::default();
        for_each_subterm(store(), roots, |_, kind| {
            if let TermKind::Constant(constant) = kind {
                constants.add(constant);
            }
        });
        constants.integers.sort_unstable();
        constants.integers.dedup();
        constants.floats.sort_unstable();
        constants.floats.dedup();
        constants
    }

    fn add(&mut self, constant: Constant<'_>) {
        match constant {
            Constant::BitVec(value) => {
                self.integers.push(value.signed());
                if let Ok(unsigned) = i128::try_from(value.bits()) {
                    self.integers.push(unsigned);
                }
            }
            Constant::Int(value) => self.integers.extend(i128::try_from(value)),
            Constant::Float(value) => self.floats.push((value.format(), value.bits())),
            Constant::Bool(_) => {}
        }
    }

    fn for_sort(&self, sort: Sort) -> Vec<Bits> {
        let mut values = Vec::new();
        match sort {
            Sort::Bool => {}
            Sort::Float(format) => {
                for (_, bits) in self.floats.iter().filter(|(other, _)| *other == format) {
                    values.extend([*bits, bits.wrapping_add(1), bits.wrapping_sub(1)]);
                }
            }
            _ => {
                for value in &self.integers {
                    let neighbours = [0, 1, -1].map(|offset| value.wrapping_add(offset));
                    values.extend(neighbours.map(|value| fit(sort, value as Bits)));
                }
                for value in &self.integers {
                    values.push(fit(sort, value.wrapping_neg() as Bits));
                }
            }
        }
        let mut seen = FxHashSet::default();
        values.retain(|value| seen.insert(*value));
        values.truncate(MAXIMUM_CONSTANTS_PER_SORT);
        values
    }
}

fn terms_of(operation: &Operation, terms: &mut Vec<TermId>) {
    match operation {
        Operation::Assign { value, .. } => terms.push(*value),
        Operation::Assume(condition) => terms.push(*condition),
        Operation::Store { index, value, .. } => terms.extend([*index, *value]),
        Operation::Call { arguments, .. } => terms.extend(arguments),
        Operation::Allocate { size, .. } => terms.push(*size),
        Operation::Havoc { .. }
        | Operation::Free { .. }
        | Operation::Claim(_)
        | Operation::Unsupported(_) => {}
    }
}

/// Returns the corners of a sort: zero, ±1, the ends of the signed and unsigned ranges, powers of two and their neighbours;
/// for floats the special values, the ends of the ranges of normal and subnormal numbers, small integers and halves.
fn boundary(sort: Sort) -> Vec<Bits> {
    let mut values: Vec<Bits> = Vec::new();
    match sort {
        Sort::Bool => values.extend([0, 1]),
        Sort::BitVec(_) | Sort::Int | Sort::Array { .. } => {
            let width = sort.width().unwrap_or(40);
            values.extend([0, 1, Bits::MAX, 2, 3]);
            for power in 2..width {
                let value = 1u128 << power;
                values.extend([value, value - 1, value + 1, value.wrapping_neg()]);
            }
            // The powers give the largest and the smallest value and their neighbours, except 2^w - 2.
            values.push(Bits::MAX - 1);
        }
        Sort::Float(format) => values.extend(float_boundary(format)),
    }
    let mut seen = FxHashSet::default();
    let mut result: Vec<_> = values.into_iter().map(|value| fit(sort, value)).collect();
    result.retain(|value| seen.insert(*value));
    result
}

fn float_boundary(format: FloatFormat) -> Vec<Bits> {
    use regatta_term::RoundingMode;
    let mut values = Vec::new();
    let from_ratio = |numerator: i64, denominator: i64| {
        let mode = RoundingMode::NearestEven;
        let numerator = FloatValue::from_int(format, mode, &numerator.into());
        let denominator = FloatValue::from_int(format, mode, &denominator.into());
        let arguments = [Value::bit_vec(2, 0), numerator.into(), denominator.into()];
        let quotient =
            regatta_term::apply_op(regatta_term::Op::FpDiv, Sort::Float(format), &arguments);
        bits_of(&quotient)
    };
    for (numerator, denominator) in [
        (0, 1),
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 1),
        (10, 1),
        (100, 1),
        (1, 10),
        (1, 3),
        (3, 2),
        (1 << 24, 1),
        (i64::MAX, 1),
    ] {
        let bits = from_ratio(numerator, denominator);
        let sign = 1 << (format.storage_bits() - 1);
        values.extend([bits, bits | sign]);
    }
    for negative in [false, true] {
        let infinity = FloatValue::infinity(format, negative).bits();
        values.push(infinity);
        // The largest finite, the smallest normal, and the least subnormal number. Bit patterns are in the order of values.
        values.push(match format {
            FloatFormat::F80 => infinity - (1 << 64) + (u128::from(u64::MAX) >> 1),
            _ => infinity - 1,
        });
        let zero = FloatValue::zero(format, negative).bits();
        let smallest_normal = match format {
            FloatFormat::F80 => (1 << 64) | (1 << 63),
            _ => 1 << (format.significand_bits() - 1),
        };
        values.extend([zero | 1, zero | smallest_normal]);
    }
    values.push(FloatValue::nan(format).bits());
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_program::ProgramBuilder;
    use regatta_term::Build;

    #[test]
    fn corners_of_a_byte() {
        let values = boundary(Sort::BitVec(8));
        for value in [0, 1, 255, 127, 128, 129, 254, 64, 63, 65, 192] {
            assert!(values.contains(&value), "{value}");
        }
        assert!(values.iter().all(|value| *value < 256));
    }

    #[test]
    fn corners_of_floats_are_canonical() {
        for format in [
            FloatFormat::F16,
            FloatFormat::F32,
            FloatFormat::F64,
            FloatFormat::F80,
            FloatFormat::F128,
        ] {
            for bits in boundary(Sort::Float(format)) {
                let value = regatta_term::FloatValue::from_bits(format, bits);
                assert_eq!(value.bits(), bits, "{format:?} {bits:#x}");
            }
        }
        let doubles = boundary(Sort::Float(FloatFormat::F64));
        for value in [
            0.5,
            -1.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::INFINITY,
            -0.0,
            5e-324,
        ] {
            assert!(doubles.contains(&u128::from(value.to_bits())), "{value}");
        }
    }

    #[test]
    fn the_dictionary_has_the_programs_constants() {
        let mut b = ProgramBuilder::new();
        let x = b.global("x", Sort::BitVec(32));
        let input = b.input("__VERIFIER_nondet_short", Sort::BitVec(16));
        b.havoc(x, input);
        b.assume(store().ult(b.value(x), store().bv(32, 1234)));
        let dictionary = Dictionary::of(b.program());
        let values = dictionary
            .values(Sort::BitVec(16))
            .expect("an input's sort");
        for value in [1233, 1234, 1235, 0x1_0000 - 1234] {
            assert!(values.constants.contains(&value), "{value}");
        }
    }
}

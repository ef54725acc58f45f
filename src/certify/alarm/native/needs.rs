//! The check whether an error depends on inputs that a harness cannot supply.
//!
//! The run is repeated with other values for these inputs. If the error is reached every time, it is considered independent
//! of them. A wrong guess is harmless: a compiled program that then ends elsewhere withdraws a correct alarm, but never
//! confirms a wrong one.

use std::time::Instant;

use super::script::{Unsaid, UnsaidKind};
use crate::alarm::limits::{MAXIMUM_TRIAL_LENGTH_FACTOR, MAXIMUM_TRIALS_TIME};
use crate::alarm::replay::{Replay, Violation, replay_compiled};
use regatta_program::interpreter::{Executable, Journal, Limits};
use regatta_term::{ArrayValue, FloatValue, Sort, Value};

/// Other values to try.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Filling {
    Zeros,
    Ones,
    /// Pseudo-random bits, different for each input.
    Mixed,
}

const FILLINGS: [Filling; 3] = [Filling::Zeros, Filling::Ones, Filling::Mixed];

/// Returns the kinds of inputs that the error depends on, among those that a harness cannot supply.
pub fn needs(executable: &Executable, violation: &Violation, unsaid: &[Unsaid]) -> Vec<UnsaidKind> {
    let deadline = Instant::now() + MAXIMUM_TRIALS_TIME;
    let reaches = |changed: &dyn Fn(&UnsaidKind) -> bool, filling| {
        let mut inputs = violation.inputs.clone();
        let total = unsaid.len();
        for (number, input) in unsaid.iter().enumerate() {
            if changed(&input.kind) {
                change(&mut inputs, input, filling, (number, total));
            }
        }
        let limits = Limits {
            steps: violation
                .steps
                .saturating_mul(MAXIMUM_TRIAL_LENGTH_FACTOR)
                .saturating_add(1_000),
            deadline: Some(deadline),
            ..Limits::default()
        };
        matches!(
            replay_compiled(executable, &inputs, limits),
            Replay::Confirmed(reached) if reached.location == violation.location
        )
    };
    if unsaid.is_empty() || FILLINGS.iter().all(|&filling| reaches(&|_| true, filling)) {
        return Vec::new();
    }
    let mut kinds: Vec<UnsaidKind> = unsaid.iter().map(|input| input.kind.clone()).collect();
    kinds.sort();
    kinds.dedup();
    let all = kinds.clone();
    kinds.retain(|kind| {
        let only = |other: &UnsaidKind| other == kind;
        !FILLINGS.iter().all(|&filling| reaches(&only, filling))
    });
    // Only several kinds together make a difference.
    if kinds.is_empty() { all } else { kinds }
}

/// Gives an input another value.
fn change(inputs: &mut Journal, input: &Unsaid, filling: Filling, (number, total): (usize, usize)) {
    let Some((_, value)) = inputs.entries.get_mut(input.entry) else {
        return;
    };
    let bits = match (&input.kind, filling, value.sort()) {
        // Addresses are distances from an object's usual place: objects are moved apart, in both orders.
        (UnsaidKind::MemoryModel, Filling::Ones, Sort::BitVec(17..)) => (number as u128 + 1) << 10,
        (UnsaidKind::MemoryModel, Filling::Mixed, Sort::BitVec(17..)) => {
            ((total - number) as u128) << 10
        }
        // Another pointer, but not null.
        (UnsaidKind::Pointer(_), Filling::Zeros, _) => 16,
        (UnsaidKind::Pointer(_), _, _) => !15 - (number as u128) * 16,
        (_, Filling::Zeros, _) => 0,
        (_, Filling::Ones, _) => u128::MAX,
        (_, Filling::Mixed, _) => mixed(number as u64),
    };
    *value = filled(value.sort(), bits);
}

/// Pseudo-random bits.
fn mixed(number: u64) -> u128 {
    // The finaliser of SplitMix64.
    let mix = |seed: u64| {
        let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    u128::from(mix(2 * number + 1)) << 64 | u128::from(mix(2 * number + 2))
}

/// The value of the sort with these bits, in all elements of an array.
fn filled(sort: Sort, bits: u128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(bits & 1 != 0),
        Sort::BitVec(width) => Value::bit_vec(width, bits),
        Sort::Int => Value::int(bits as i32),
        Sort::Float(format) => Value::Float(FloatValue::from_bits(format, bits)),
        Sort::Array { index, element } => {
            Value::Array(ArrayValue::constant(index, filled(element.into(), bits)))
        }
    }
}

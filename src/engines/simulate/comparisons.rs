//! Guidance by comparisons: solving for an input that changes the outcome of a comparison.
//!
//! The operands of a comparison are often linear in an input, at least locally (the simplest case is an input that is
//! compared with a constant; AFL++ calls this input-to-state correspondence, and RedQueen substitutes the other operand).
//! Two runs that differ by one in one input give the slope; division modulo 2^width then gives the input for which the
//! operands are equal. Its two neighbours are tried as well, for inequalities. Where adding one has no effect, the lowest
//! bit that has one is changed instead, which handles shifts.

use super::input_values::{Bits, fit};
use super::limits::{MAXIMUM_COMPARISONS, MAXIMUM_COMPARISONS_PER_SITE};
use regatta_program::EdgeId;
use regatta_program::interpreter::{Observer, StateView};
use regatta_term::{BitVecValue, Sort};

/// The first comparisons of a run at each site.
#[derive(Clone, Debug, Default)]
pub(super) struct ComparisonLog {
    entries: Vec<(u32, u64, u64)>,
    /// The number of entries of each site.
    counts: Vec<u8>,
}

impl ComparisonLog {
    /// Creates a log for a program with the given number of instructions.
    pub(super) fn new(instructions: usize) -> Self {
        Self {
            entries: Vec::new(),
            counts: vec![0; instructions],
        }
    }

    /// Checks whether the operands of some comparison differ in the other run.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.entries != other.entries
    }
}

impl Observer for ComparisonLog {
    const MAY_MISS_ITERATIONS: bool = true;

    fn edge(&mut self, _: EdgeId, _: &StateView<'_>) {}

    #[inline]
    fn comparison(&mut self, site: u32, left: u64, right: u64) {
        let count = &mut self.counts[site as usize];
        if *count < MAXIMUM_COMPARISONS_PER_SITE && self.entries.len() < MAXIMUM_COMPARISONS {
            *count += 1;
            self.entries.push((site, left, right));
        }
    }
}

/// Returns the change of the input that makes a difference zero, where the difference grows by `slope` with each increment
/// of the input, modulo 2^width. If there is none, returns the nearest change over the integers.
fn solve(difference: u64, slope: u64, width: u32) -> u64 {
    let zeros = slope.trailing_zeros();
    let odd = slope.checked_shr(zeros).unwrap_or(0);
    if zeros < width
        && difference.trailing_zeros() >= zeros
        && let Some(inverse) = BitVecValue::new(64, odd.into()).inverse()
    {
        let change = (difference >> zeros)
            .wrapping_neg()
            .wrapping_mul(inverse.bits() as u64);
        let rest = width - zeros;
        // The smallest of all such changes: sign-extended from the relevant bits.
        return ((change << (64 - rest)) as i64 >> (64 - rest)) as u64;
    }
    let shift = 64 - width;
    let signed = |value: u64| (value << shift) as i64 >> shift;
    match signed(slope) {
        0 => 0,
        slope => signed(difference).wrapping_neg().wrapping_div(slope) as u64,
    }
}

/// Returns the width of an input's values in arithmetic, if the sort is supported.
pub(super) fn solvable_width(sort: Sort) -> Option<u32> {
    match sort {
        Sort::BitVec(width @ 1..=64) => Some(u32::from(width)),
        Sort::Int => Some(64),
        _ => None,
    }
}

/// Returns the values to try for an input that has `value` in the run of `base`, and `value` + 2^`step` in the run of
/// `changed`.
pub(super) fn proposals(
    base: &ComparisonLog,
    changed: &ComparisonLog,
    value: Bits,
    step: u32,
    sort: Sort,
) -> Vec<Bits> {
    let Some(width) = solvable_width(sort) else {
        return Vec::new();
    };
    let mut proposals = Vec::new();
    for (first, second) in base.entries.iter().zip(&changed.entries) {
        if first.0 != second.0 {
            break;
        }
        if first == second {
            continue;
        }
        let difference = first.1.wrapping_sub(first.2);
        let slope = second.1.wrapping_sub(second.2).wrapping_sub(difference);
        let change = solve(difference, slope, width) as i64;
        for nearby in [0, 1, -1] {
            let change = (i128::from(change) + nearby) << step;
            let proposal = fit(sort, value.wrapping_add(change as Bits));
            if proposal != value && !proposals.contains(&proposal) {
                proposals.push(proposal);
            }
        }
        if proposals.len() > 64 {
            break;
        }
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_conditions_are_solved() {
        // a·x + b = c, given by the difference a·x + b - c and the slope a.
        for (a, b, c, x) in [
            (1u64, 0u64, 1000u64, 5u64),
            (3, 7, 100, 0),
            (4, 2, 4098, 9),
            (u64::MAX, 3, 77, 1),
        ] {
            let difference = a.wrapping_mul(x).wrapping_add(b).wrapping_sub(c) & 0xffff_ffff;
            let solution = x.wrapping_add(solve(difference, a & 0xffff_ffff, 32));
            let result = a.wrapping_mul(solution).wrapping_add(b) & 0xffff_ffff;
            assert_eq!(result, c, "{a}·x + {b} = {c}");
        }
        // 4·x = 10 has no solution; the nearest is 2.
        assert_eq!(solve(0u64.wrapping_sub(10), 4, 32), 2);
    }

    #[test]
    fn proposals_come_from_comparisons_that_the_input_changes() {
        let base = ComparisonLog {
            entries: vec![(1, 5, 5), (2, 10, 1234), (3, 0, 1)],
            counts: Vec::new(),
        };
        let changed = ComparisonLog {
            entries: vec![(1, 5, 5), (2, 12, 1234), (4, 1, 1)],
            counts: Vec::new(),
        };
        assert_eq!(
            proposals(&base, &changed, 5, 0, Sort::BitVec(32)),
            [617, 618, 616]
        );
    }
}

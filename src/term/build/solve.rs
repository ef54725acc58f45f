//! Linear equations, solved for a variable.

use super::linear::{Linear, is_sum};
use super::*;
use crate::{free_variables, occurs};

/// Maximum number of low bits of a sum for which an extraction counts as arithmetic in a small ring, with a least solution.
pub const RING_BITS: u8 = 16;

/// Solves `pattern = value` for the symbol: returns a term such that the pattern has the value if the symbol has the term's
/// value. Bits that the pattern truncates are taken as zero. `None` if the pattern is not linear in the symbol, or if it is not
/// evident that the equation has a solution.
///
/// For `4·x + 2 = 4·y + 6` the solution is `y + 1`. It makes both sides equal wherever some value does and nothing is
/// truncated, modulo 2^w for a factor of ±1. In a small ring, as in `(x + y) mod 5 = z`, it is the least solution. For the
/// concatenation of x and constant bits, the sum of a constant that fits into those bits is taken not to carry out of them.
pub fn solve_for<P: Pool + ?Sized>(
    pool: &P,
    symbol: Symbol,
    pattern: TermId,
    value: TermId,
) -> Option<TermId> {
    let occurs = |term| {
        let mut variables = free_variables(pool, term).into_iter();
        variables.any(|(other, _)| other == symbol)
    };
    let sort = pool.sort(pattern);
    if pool.sort(value) != sort {
        return None;
    }
    match (pool.kind(pattern), sort) {
        (TermKind::Variable { symbol: own, .. }, _) => (own == symbol).then_some(value),
        (
            TermKind::Apply {
                op: Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Extract { low: 0, .. },
                arguments,
            },
            _,
        ) => match pool.sort(arguments[0]) {
            Sort::BitVec(width) => {
                let value = pool.zero_resize(value, width);
                let solution = solve_for(pool, symbol, arguments[0], value)?;
                match (pool.kind(pattern), pool.sort(solution)) {
                    (
                        TermKind::Apply {
                            op:
                                Op::Extract {
                                    high: high @ ..RING_BITS,
                                    low: 0,
                                },
                            ..
                        },
                        Sort::BitVec(width),
                    ) if high + 1 < width => {
                        let least = pool.extract(solution, high, 0);
                        Some(pool.zero_resize(least, width))
                    }
                    _ => Some(solution),
                }
            }
            _ => None,
        },
        (
            TermKind::Apply {
                op: Op::BvUrem,
                arguments: &[inner, size],
            },
            _,
        ) if pool.is_constant(size) => {
            // The size is added because what is subtracted from the value is usually less than it.
            let solution = solve_for(pool, symbol, inner, pool.add(value, size))?;
            (pool.sort(solution) == sort).then(|| pool.urem(solution, size))
        }
        (
            TermKind::Apply {
                op: Op::Concat,
                arguments: &[high, low],
            },
            Sort::BitVec(width),
        ) => {
            let Sort::BitVec(below) = pool.sort(low) else {
                return None;
            };
            match (occurs(high), occurs(low)) {
                (true, false) => {
                    let value = without_small_addend(pool, value, below);
                    let part = pool.extract(value, width - 1, below);
                    solve_for(pool, symbol, high, part)
                }
                (false, true) => solve_for(pool, symbol, low, pool.extract(value, below - 1, 0)),
                _ => None,
            }
        }
        (_, Sort::BitVec(_) | Sort::Int) if is_sum(pool, pattern) => {
            let sum = Linear::of(pool, sort, &[(pattern, 1)])?;
            let mut unknown = sum.addends.iter().filter(|(term, _)| occurs(*term));
            let &(term, factor) = unknown.next()?;
            if unknown.next().is_some() {
                return None;
            }
            let solution = match by_unit(pool, pattern, value, (term, factor)) {
                Some(solution) => solution,
                None => {
                    let rest = multiple(pool, pattern, value, (term, factor))?;
                    rest.is_divisible(factor).then(|| rest.divided(factor))?
                }
            };
            solve_for(pool, symbol, term, solution.term(pool))
        }
        _ => None,
    }
}

/// Returns the value without a constant addend that fits into its lowest bits. If what is left is a multiple of 2^bits, as the
/// address of an object is to whose field an offset leads, both have the same higher bits.
fn without_small_addend<P: Pool + ?Sized>(pool: &P, value: TermId, bits: u8) -> TermId {
    let Some(&[a, b]) = pool.arguments(Op::BvAdd, value) else {
        return value;
    };
    let is_small = |term: TermId| {
        let constant = pool.bit_vec_constant(term);
        constant.is_some_and(|constant| constant.bits() >> bits == 0)
    };
    match (is_small(a), is_small(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => value,
    }
}

/// The value of the addend a·x of the difference, if both terms are equal.
fn multiple<P: Pool + ?Sized>(
    pool: &P,
    one: TermId,
    other: TermId,
    addend: (TermId, i128),
) -> Option<Linear> {
    Linear::of(pool, pool.sort(one), &[(other, 1), (one, -1), addend])
}

/// The value of x, if both terms are equal and x or -x is an addend of their difference.
fn by_unit<P: Pool + ?Sized>(
    pool: &P,
    one: TermId,
    other: TermId,
    addend: (TermId, i128),
) -> Option<Linear> {
    let rest = multiple(pool, one, other, addend).filter(|_| addend.1.abs() == 1)?;
    rest.scaled(addend.1)
}

/// Solves the equation for a variable that is a side or an addend of one: returns the variable and a value without it, such
/// that the terms are equal if and only if the variable has the value.
pub fn solved<P: Pool + ?Sized>(pool: &P, one: TermId, other: TermId) -> Option<(TermId, TermId)> {
    let is_solution = |&(variable, value): &(TermId, TermId)| {
        pool.is_variable(variable) && !occurs(pool, variable, [value])
    };
    let sides = [(one, other), (other, one)].into_iter().find(is_solution);
    if sides.is_some() || !matches!(pool.sort(one), Sort::BitVec(_)) {
        return sides;
    }
    let excess = Linear::of(pool, pool.sort(one), &[(one, 1), (other, -1)])?;
    let solutions = excess.addends.iter().filter_map(|&addend| {
        let value = by_unit(pool, one, other, addend)?;
        Some((addend.0, value.term(pool)))
    });
    solutions.into_iter().find(is_solution)
}

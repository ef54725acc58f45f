//! Linear equations, solved for a variable.

use super::linear::{Linear, is_sum};
use super::*;
use crate::term::free_variables;

/// A term at whose value the pattern, in which the symbol occurs, has the given value; in so far as a term has one: what
/// the pattern cuts off or extends is taken as zero. `None` if the pattern is not linear in the symbol, or the equation
/// is not seen to have a solution.
///
/// For `4·x + 2 = 4·y + 6` it is `y + 1`. The solution makes the two equal wherever some value does and nothing is cut
/// off, modulo 2^w for a factor of ±1.
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
                let value = planted!(
                    "solve: what is cut off is the sign",
                    pool.zero_resize(value, width),
                    pool.sign_resize(value, width)
                );
                solve_for(pool, symbol, arguments[0], value)
            }
            _ => None,
        },
        (_, Sort::BitVec(_) | Sort::Int) if is_sum(pool, pattern) => {
            let sum = Linear::of(pool, sort, &[(pattern, 1)])?;
            let mut unknown = sum.addends.iter().filter(|(term, _)| occurs(*term));
            let &(term, factor) = unknown.next()?;
            if planted!(
                "solve: one of two addends is solved for",
                unknown.next().is_some(),
                false
            ) {
                return None;
            }
            let sign = planted!("solve: what is beside x stays on its side", -1, 1);
            let rest = Linear::of(pool, sort, &[(value, 1), (pattern, sign), (term, factor)])?;
            let solution = match factor {
                1 | -1 => planted!("solve: -x is solved for as x", rest.scaled(factor)?, rest),
                _ if rest.is_divisible(factor) => rest.divided(factor),
                _ => return None,
            };
            solve_for(pool, symbol, term, solution.term(pool))
        }
        _ => None,
    }
}

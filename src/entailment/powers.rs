//! Stage 3: case distinction over variables that are zero or a power of two; with a fixed value, products and quotients are
//! shifts.

use regatta_term::{Build, Op, Pool, Rebuild, Sort, TermId, TermKind, for_each_subterm, occurs};

/// A variable that has at most one bit set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PowerOfTwo {
    /// The variable.
    pub variable: TermId,
    /// The index of the premise `x & (x - 1) = 0` that says so.
    pub premise: usize,
}

/// Returns, of the variables that are a power of two by one of the premises, the one that occurs in operands of the most
/// products, quotients and remainders of the formulas.
pub fn power_of_two<P: Pool + ?Sized>(
    pool: &P,
    premises: &[TermId],
    formulas: &[TermId],
) -> Option<PowerOfTwo> {
    let mut powers: Vec<(PowerOfTwo, u32)> = Vec::new();
    for (premise, formula) in premises.iter().enumerate() {
        let parts = match pool.arguments(Op::And, *formula) {
            Some(parts) => parts,
            None => std::slice::from_ref(formula),
        };
        let variables = parts.iter().filter_map(|&part| with_one_bit(pool, part));
        powers.extend(variables.map(|variable| (PowerOfTwo { variable, premise }, 0)));
    }
    if powers.is_empty() {
        return None;
    }
    for_each_subterm(pool, formulas.iter().copied(), |_, kind| {
        if let TermKind::Apply {
            op: Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem,
            arguments,
        } = kind
        {
            for (power, count) in &mut powers {
                *count += u32::from(occurs(pool, power.variable, arguments.iter().copied()));
            }
        }
    });
    let (power, count) = powers.into_iter().max_by_key(|&(_, count)| count)?;
    (count > 0).then_some(power)
}

/// Returns the formulas of each case: with the variable replaced by zero and by each power of two.
pub fn cases<P: Pool + ?Sized>(
    pool: &P,
    power: PowerOfTwo,
    formulas: &[TermId],
) -> impl Iterator<Item = Vec<TermId>> {
    let variable = power.variable;
    let Sort::BitVec(width) = pool.sort(variable) else {
        unreachable!("bits are those of bit vectors");
    };
    let zero = pool.bv(width, 0);
    let one = pool.bv(width, 1);
    let powers = (0..width).map(move |bit| pool.shl(one, pool.bv(width, bit.into())));
    let values = std::iter::once(zero).chain(powers);
    values.map(move |value| {
        let replace = |term| (term == variable).then_some(value);
        let mut rebuild = Rebuild::new(pool, pool, replace);
        let formulas = formulas.iter();
        formulas.map(|&formula| rebuild.rebuild(formula)).collect()
    })
}

/// Returns the variable x if the formula is `x & (x - 1) = 0`.
fn with_one_bit<P: Pool + ?Sized>(pool: &P, formula: TermId) -> Option<TermId> {
    let arguments = |term, of: Op| match pool.kind(term) {
        TermKind::Apply {
            op,
            arguments: &[a, b],
        } if op == of => Some([(a, b), (b, a)]),
        _ => None,
    };
    for (common, zero) in arguments(formula, Op::Eq)? {
        let Sort::BitVec(width) = pool.sort(zero) else {
            return None;
        };
        let is_zero = zero == pool.bv(width, 0);
        for (variable, before) in arguments(common, Op::BvAnd)
            .filter(|_| is_zero)
            .into_iter()
            .flatten()
        {
            let is_variable = pool.is_variable(variable);
            if is_variable && before == pool.sub(variable, pool.bv(width, 1)) {
                return Some(variable);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Arena, Symbol};

    #[test]
    fn a_factor_with_one_bit_has_one_case_for_each_and_one_for_zero() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(8)));
        let (x, y) = (variable("x"), variable("y"));
        let one_bit = |term| {
            let before = arena.sub(term, arena.bv(8, 1));
            arena.eq(arena.bvand(term, before), arena.bv(8, 0))
        };
        let equation = arena.eq(y, arena.mul(x, y));
        let power = |formulas: &[TermId]| power_of_two(&arena, formulas, formulas);
        assert_eq!(power(&[equation]), None);
        assert_eq!(power(&[one_bit(x)]), None);
        let below = arena.bvand(x, arena.sub(x, arena.bv(8, 1)));
        let other = arena.eq(below, arena.bv(8, 4));
        assert_eq!(power(&[equation, other]), None);
        let formulas = [equation, arena.and2(one_bit(x), arena.ult(y, x))];
        let power = power(&formulas).expect("x");
        let expected = PowerOfTwo {
            variable: x,
            premise: 1,
        };
        assert_eq!(power, expected);
        let cases: Vec<Vec<TermId>> = cases(&arena, power, &formulas).collect();
        assert_eq!(cases.len(), 9);
        let product = |factor| arena.eq(y, arena.mul(y, arena.bv(8, factor)));
        assert_eq!(cases[0], [product(0), TermId::FALSE]);
        assert_eq!(cases[8], [product(128), arena.ult(y, arena.bv(8, 128))]);
    }
}

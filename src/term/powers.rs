//! Variables that are zero or a power of two, by whose values a product or quotient becomes a shift.

use super::{Build, Op, Pool, Rebuild, Sort, TermId, TermKind, for_each_subterm};

/// A variable that has at most one bit set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PowerOfTwo {
    /// The variable.
    pub variable: TermId,
    /// Which formula says it: `x & (x - 1) = 0`.
    pub said_by: usize,
}

/// The variable that is a power of two by one of the formulas and that the most products, quotients and remainders in them
/// have in an operand.
pub fn power_of_two<P: Pool + ?Sized>(pool: &P, formulas: &[TermId]) -> Option<PowerOfTwo> {
    let powers = formulas
        .iter()
        .enumerate()
        .filter_map(|(said_by, &formula)| {
            let variable = with_one_bit(pool, formula)?;
            Some(PowerOfTwo { variable, said_by })
        });
    let mut powers: Vec<(PowerOfTwo, u32)> = powers.map(|power| (power, 0)).collect();
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
                *count += u32::from(occurs(pool, arguments, power.variable));
            }
        }
    });
    let (power, count) = powers.into_iter().max_by_key(|&(_, count)| count)?;
    (count > 0).then_some(power)
}

/// The formulas in each case: with the variable replaced by zero and by each power.
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

/// The x of `x & (x - 1) = 0`.
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
            let is_variable = matches!(pool.kind(variable), TermKind::Variable { .. });
            if is_variable && before == pool.sub(variable, pool.bv(width, 1)) {
                return Some(variable);
            }
        }
    }
    None
}

fn occurs<P: Pool + ?Sized>(pool: &P, terms: &[TermId], variable: TermId) -> bool {
    let mut occurs = false;
    for_each_subterm(pool, terms.iter().copied(), |term, _| {
        occurs |= term == variable
    });
    occurs
}

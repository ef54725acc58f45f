//! Stage 5: remainders by the same divisor, abstracted to unknowns that obey the laws of division.
//!
//! The hard part of `a mod d` is the division, and induction needs little of it: a number that is less than the divisor is
//! its own remainder, and the remainder of a sum is that of one addend if the divisor divides the other one (a congruence).
//! Each law is instantiated for remainders that occur, under the condition that the sum does not wrap; a solver decides these
//! conditions and all else that is linear.

use super::{Core, Oracle, Premises, Stage};
use crate::limits::{MAXIMUM_DIVISOR_CASES, MAXIMUM_DIVISORS, MAXIMUM_REMAINDERS};
use regatta_term::{Arena, Build, Op, Pool, Rebuild, Sort, TermId, TermKind, for_each_subterm};

/// The remainders by one divisor.
struct Group {
    divisor: TermId,
    /// The dividends.
    of: Vec<TermId>,
}

/// Returns the unsigned remainders in the formulas by divisors that are not constants.
fn groups(arena: &Arena, formulas: &[TermId]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for_each_subterm(arena, formulas.iter().copied(), |_, kind| {
        let TermKind::Apply {
            op: Op::BvUrem,
            arguments: &[dividend, divisor],
        } = kind
        else {
            return;
        };
        if arena.is_constant(divisor) {
            return;
        }
        let known = groups.iter().position(|group| group.divisor == divisor);
        match known {
            Some(known) if groups[known].of.len() < MAXIMUM_REMAINDERS => {
                groups[known].of.push(dividend);
            }
            None if groups.len() < MAXIMUM_DIVISORS => groups.push(Group {
                divisor,
                of: vec![dividend],
            }),
            _ => {}
        }
    });
    groups
}

/// Returns the laws of division for the remainders of a group; they hold for all values.
fn laws(arena: &Arena, group: &Group) -> Vec<TermId> {
    let divisor = group.divisor;
    let Sort::BitVec(width) = arena.sort(divisor) else {
        return Vec::new();
    };
    let zero = arena.bv(width, 0);
    let remainder = |dividend| arena.urem(dividend, divisor);
    let mut laws = Vec::new();
    for &a in &group.of {
        laws.push(arena.implies(arena.ne(divisor, zero), arena.ult(remainder(a), divisor)));
        let is_less = arena.ult(a, divisor);
        laws.push(arena.implies(is_less, arena.eq(remainder(a), a)));
        let is_divisor = arena.eq(a, divisor);
        laws.push(arena.implies(is_divisor, arena.eq(remainder(a), zero)));
    }
    // The divisor itself is an addend with remainder zero.
    let addends: Vec<TermId> = group.of.iter().copied().chain([divisor]).collect();
    for &sum in &group.of {
        for &one in &addends {
            let other = arena.sub(sum, one);
            let is_addend = |term: &&TermId| **term == other;
            let known = match addends.iter().find(is_addend) {
                Some(&known) => vec![known],
                // An addend may still be equal to it by the premises.
                None => group.of.clone(),
            };
            for addend in known {
                if addend == sum || one == sum {
                    continue;
                }
                // sum = one + addend, without wrapping.
                let adds_up = arena.eq(addend, other);
                let fits = arena.ule(one, sum);
                let divides = match one == divisor {
                    true => TermId::TRUE,
                    false => arena.eq(remainder(one), zero),
                };
                let same = arena.eq(remainder(sum), remainder(addend));
                laws.push(arena.implies(arena.and(vec![adds_up, fits, divides]), same));
            }
        }
    }
    laws.retain(|&law| law != TermId::TRUE);
    laws
}

/// Moves `ite` in divisors out of remainders; merged paths leave such divisors. `None` if there are no such remainders.
fn by_cases_of_divisors(arena: &Arena, formulas: &[TermId]) -> Option<Vec<TermId>> {
    let mut found = false;
    let mut rebuild = Rebuild::new(arena, arena, |term| {
        let &[dividend, divisor] = arena.arguments(Op::BvUrem, term)? else {
            return None;
        };
        arena.arguments(Op::Ite, divisor)?;
        let cases = remainder_by_cases(arena, dividend, divisor, &mut { MAXIMUM_DIVISOR_CASES })?;
        found = true;
        Some(cases)
    });
    let formulas = formulas.iter();
    let formulas = formulas.map(|&one| rebuild.rebuild(one)).collect();
    drop(rebuild);
    found.then_some(formulas)
}

/// Returns an `ite` of the remainders by each leaf of the divisor; `None` if there are more leaves than `left`.
fn remainder_by_cases(
    arena: &Arena,
    dividend: TermId,
    divisor: TermId,
    left: &mut usize,
) -> Option<TermId> {
    let Some(&[condition, first, second]) = arena.arguments(Op::Ite, divisor) else {
        *left = left.checked_sub(1)?;
        return Some(arena.urem(dividend, divisor));
    };
    let first = remainder_by_cases(arena, dividend, first, left)?;
    let second = remainder_by_cases(arena, dividend, second, left)?;
    Some(arena.ite(condition, first, second))
}

impl Premises<'_> {
    /// Returns premises that imply the goal for all values of products and quotients, if remainders obey the laws of division.
    ///
    /// # Errors
    /// When the oracle stops.
    pub fn by_remainders<O: Oracle>(
        &self,
        goal: TermId,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let arena = &**self.arena;
        let all = [self.formulas, &[goal]].concat();
        let groups = groups(arena, &all);
        if groups.is_empty() {
            return Ok(None);
        }
        if let Some(all) = by_cases_of_divisors(arena, &all) {
            let (&goal, formulas) = all.split_last().expect("the goal");
            return Premises::new(self.arena, formulas).by_remainders(goal, oracle);
        }
        let laws = groups.iter().flat_map(|group| laws_of(self, group));
        let laws: Vec<TermId> = laws.collect();
        if laws.is_empty() {
            return Ok(None);
        }
        let count = self.formulas.len();
        let mut assertions = self.without_products().to_vec();
        assertions.push(arena.not(self.product_free(goal)));
        assertions.extend(laws);
        let core = oracle.unsatisfiable_core(&assertions, Stage::Unknowns)?;
        Ok(core.map(|mut core| {
            core.retain(|&place| place < count);
            core
        }))
    }
}

/// Returns the laws with products and quotients abstracted to the unknowns of the premises.
fn laws_of(premises: &Premises<'_>, group: &Group) -> Vec<TermId> {
    let laws = laws(premises.arena, group).into_iter();
    laws.map(|law| premises.product_free(law)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Symbol, Value, evaluate};

    const WIDTH: u8 = 4;

    /// Evaluates the formula for all values of the variables.
    fn for_all_numbers(
        arena: &Arena,
        variables: [TermId; 3],
        formula: TermId,
    ) -> Vec<Option<bool>> {
        let value = |numbers: u128| {
            let assignment = |symbol: Symbol, _: u32| {
                let term = arena.variable(symbol);
                let place = variables.iter().position(|&one| one == term)?;
                let number = numbers >> (place as u32 * u32::from(WIDTH)) & 0xf;
                Some(Value::bit_vec(WIDTH, number))
            };
            evaluate(arena, formula, &assignment).ok()?.as_bool()
        };
        (0..1u128 << (3 * WIDTH)).map(value).collect()
    }

    /// Compares the formulas for all values of the variables.
    #[test]
    fn a_choice_of_divisors_is_one_of_remainders() {
        let arena = Arena::new();
        let variable = |name, sort| arena.variable(Symbol::new(name, sort));
        let [a, b, d] = ["a", "b", "d"].map(|name| variable(name, Sort::BitVec(WIDTH)));
        let less = arena.ult(a, b);
        let divisor = arena.ite(less, arena.ite(arena.eq(d, b), b, a), d);
        let remainder = arena.urem(b, divisor);
        let before = arena.ult(remainder, arena.bv(WIDTH, 3));
        let after = by_cases_of_divisors(&arena, &[before]).expect("there is a choice");
        let &[after] = &after[..] else {
            panic!("one formula");
        };
        assert_ne!(before, after);
        assert_eq!(by_cases_of_divisors(&arena, &[after]), None);
        let of = |formula| for_all_numbers(&arena, [a, b, d], formula);
        assert!(of(before).iter().all(Option::is_some));
        assert_eq!(of(before), of(after));
    }

    /// Evaluates the laws for all values of the variables.
    #[test]
    fn laws_hold() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(WIDTH)));
        let [a, b, d] = ["a", "b", "d"].map(variable);
        let groups = [
            vec![a, b, arena.add(a, b)],
            vec![a, arena.sub(a, d)],
            vec![a, b, arena.sub(b, a)],
        ];
        for of in groups {
            for law in laws(&arena, &Group { divisor: d, of }) {
                let values = for_all_numbers(&arena, [a, b, d], law);
                assert!(values.iter().all(|&one| one == Some(true)), "{law:?}");
            }
        }
    }
}

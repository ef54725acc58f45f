//! Rung 5: remainders by the same divisor, which are unknown but for the laws of division.
//!
//! For what is hard about `a mod d` is the division, and induction needs little of it: that a number that is less than the
//! divisor is its own remainder, and that the remainder of a sum is that of one addend where the divisor divides the other one
//! (a congruence). Each law is an instance for remainders that occur, under the condition that the sum does not wrap: of
//! these conditions and of all else that is linear a solver finds out.

use super::{Core, Oracle, Premises, Rung};
use crate::term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// The most remainders by one divisor, and the most divisors, that are looked at.
const MOST_REMAINDERS: usize = 6;
const MOST_DIVISORS: usize = 3;

/// Remainders by one divisor.
struct Group {
    divisor: TermId,
    /// The dividends.
    of: Vec<TermId>,
}

/// The unsigned remainders in the formulas, of which none is by a constant.
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
            Some(known) if groups[known].of.len() < MOST_REMAINDERS => {
                groups[known].of.push(dividend);
            }
            None if groups.len() < MOST_DIVISORS => groups.push(Group {
                divisor,
                of: vec![dividend],
            }),
            _ => {}
        }
    });
    groups
}

/// What holds of the remainders of a group, whatever the numbers are.
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
        let is_less = planted!(
            "remainders: what is at most the divisor is its own remainder",
            arena.ult(a, divisor),
            arena.ule(a, divisor)
        );
        laws.push(arena.implies(is_less, arena.eq(remainder(a), a)));
    }
    // The divisor itself is an addend without a remainder.
    let addends: Vec<TermId> = group.of.iter().copied().chain([divisor]).collect();
    for &sum in &group.of {
        for &one in &addends {
            let other = arena.sub(sum, one);
            let is_addend = |term: &&TermId| **term == other;
            let known = match addends.iter().find(is_addend) {
                Some(&known) => vec![known],
                // Perhaps it is one for a reason.
                None => group.of.clone(),
            };
            for addend in known {
                if addend == sum || one == sum {
                    continue;
                }
                // sum = one + addend, and that does not wrap.
                let adds_up = arena.eq(addend, other);
                let fits = planted!(
                    "remainders: sums that wrap have the remainders of sums",
                    arena.ule(one, sum),
                    TermId::TRUE
                );
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

impl Premises<'_> {
    /// Premises that imply the goal whatever products and quotients are, where remainders obey the laws of division.
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
        let laws = groups(arena, &all).into_iter();
        let laws: Vec<TermId> = laws.flat_map(|group| laws_of(self, &group)).collect();
        if laws.is_empty() {
            return Ok(None);
        }
        let count = self.formulas.len();
        let mut assertions = self.without_products().to_vec();
        assertions.push(arena.not(self.product_free(goal)));
        assertions.extend(laws);
        let core = oracle.exclude(&assertions, Rung::Unknowns)?;
        Ok(core.map(|mut core| {
            core.retain(|&place| place < count);
            core
        }))
    }
}

/// The laws with the unknowns of the premises.
fn laws_of(premises: &Premises<'_>, group: &Group) -> Vec<TermId> {
    let laws = laws(premises.arena, group).into_iter();
    laws.map(|law| premises.product_free(law)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Symbol, Value, evaluate};

    const WIDTH: u8 = 4;

    /// Whatever the numbers are.
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
                for numbers in 0..1u128 << (3 * WIDTH) {
                    let assignment = |symbol: Symbol, _: u32| {
                        let term = arena.variable(symbol);
                        let place = [a, b, d].iter().position(|&one| one == term)?;
                        let number = numbers >> (place as u32 * u32::from(WIDTH)) & 0xf;
                        Some(Value::bit_vec(WIDTH, number))
                    };
                    assert_eq!(
                        evaluate(&arena, law, &assignment),
                        Ok(Value::Bool(true)),
                        "{numbers:x}"
                    );
                }
            }
        }
    }
}

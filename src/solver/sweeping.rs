//! SAT sweeping: terms of a condition that are equal under all assignments are replaced by one of them (\[KPKG02\]).
//!
//! Two implementations of one function have intermediate values in common, which no rewriting shows. Terms with equal values
//! under a few random assignments may be equal; a small question tells whether they are, from the inner terms to the outer
//! ones, so that the operands of later questions are the same terms already.

use std::hash::{Hash, Hasher};

use rand::Rng;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::limits::{
    MAXIMUM_FAILED_MERGES, MAXIMUM_REPRESENTATIVES, MAXIMUM_SWEPT_TERMS, MINIMUM_SWEPT_WIDTH,
    SWEEPING_ASSIGNMENTS,
};
use regatta_term::{
    Arena, Build, Evaluator, Op, Pool, Sort, Symbol, TermId, TermKind, Value,
    for_each_unknown_subterm,
};

/// Merges terms of the conditions that are equal. `refutes` decides whether a condition is known to be unsatisfiable. Returns
/// conditions that are equivalent to the given ones; `None` if nothing is merged.
pub fn swept(
    arena: &Arena,
    conditions: &[TermId],
    refutes: &mut dyn FnMut(TermId) -> bool,
) -> Option<Vec<TermId>> {
    let terms = subterms(arena, conditions)?;
    let operands = operands(arena, &terms);
    let computations = terms.iter().copied();
    let computations = computations.filter(|&term| may_be_merged(arena, &operands, term));
    let signatures = signatures(arena, computations.collect());
    let mut sweep = Sweep {
        arena,
        refutes,
        results: FxHashMap::default(),
        classes: FxHashMap::default(),
        merged: 0,
        failed: 0,
    };
    for &term in &terms {
        let rebuilt = rebuilt(arena, term, &sweep.results);
        let result = match signatures.get(&term) {
            Some(&signature) => sweep.merged(signature, rebuilt),
            None => rebuilt,
        };
        sweep.results.insert(term, result);
    }
    (sweep.merged > 0).then(|| conditions.iter().map(|one| sweep.results[one]).collect())
}

/// Returns the term with the results of its arguments, each of which has one, in the place of the arguments.
pub(crate) fn rebuilt(arena: &Arena, term: TermId, results: &FxHashMap<TermId, TermId>) -> TermId {
    let Some((op, arguments)) = arena.as_application(term) else {
        return term;
    };
    let new = arguments.iter().map(|argument| results[argument]);
    let new: SmallVec<[TermId; 4]> = new.collect();
    match new[..] == *arguments {
        true => term,
        false => arena.apply(op, arena.sort(term), &new),
    }
}

struct Sweep<'s> {
    arena: &'s Arena,
    refutes: &'s mut dyn FnMut(TermId) -> bool,
    /// The results of terms.
    results: FxHashMap<TermId, TermId>,
    /// Different results with equal signatures.
    classes: FxHashMap<u64, SmallVec<[TermId; MAXIMUM_REPRESENTATIVES]>>,
    merged: usize,
    failed: usize,
}

impl Sweep<'_> {
    /// Returns an earlier term that equals this one, if one is known, and otherwise this one.
    fn merged(&mut self, signature: u64, term: TermId) -> TermId {
        let class = self.classes.entry(signature).or_default();
        if class.contains(&term) {
            return term;
        }
        for &other in &*class {
            if self.arena.sort(other) != self.arena.sort(term)
                || self.failed == MAXIMUM_FAILED_MERGES
            {
                continue;
            }
            let differ = self.arena.ne(other, term);
            if differ == TermId::FALSE || (differ != TermId::TRUE && (self.refutes)(differ)) {
                self.merged += 1;
                return other;
            }
            self.failed += 1;
        }
        if class.len() < MAXIMUM_REPRESENTATIVES {
            class.push(term);
        }
        term
    }
}

/// The subterms of the conditions, arguments before the terms that contain them; `None` if they are too many.
fn subterms(arena: &Arena, conditions: &[TermId]) -> Option<Vec<TermId>> {
    let mut memory: (FxHashSet<TermId>, Vec<TermId>) = Default::default();
    for &condition in conditions {
        let knows = |memory: &(FxHashSet<TermId>, Vec<TermId>), term| memory.0.contains(&term);
        let learn =
            |memory: &mut (FxHashSet<TermId>, Vec<TermId>), term: TermId, _: TermKind<'_>| {
                memory.0.insert(term);
                memory.1.push(term);
                match memory.1.len() > MAXIMUM_SWEPT_TERMS {
                    true => Err(()),
                    false => Ok(()),
                }
            };
        for_each_unknown_subterm(arena, condition, &mut memory, knows, learn).ok()?;
    }
    Some(memory.1)
}

/// The terms that are operands of other operators than choices.
fn operands(arena: &Arena, terms: &[TermId]) -> FxHashSet<TermId> {
    let mut operands = FxHashSet::default();
    for &term in terms {
        match arena.as_application(term) {
            Some((Op::Ite, _)) | None => {}
            Some((_, arguments)) => operands.extend(arguments),
        }
    }
    operands
}

/// The hashes of the values of the terms under a few assignments.
fn signatures(arena: &Arena, terms: Vec<TermId>) -> FxHashMap<TermId, u64> {
    let mut hashers: Vec<(TermId, FxHasher)> = terms
        .into_iter()
        .map(|term| (term, FxHasher::default()))
        .collect();
    for number in 0..SWEEPING_ASSIGNMENTS {
        let assignment = |symbol: Symbol, instance: u32| random_value(symbol, instance, number);
        let mut evaluator = Evaluator::new(arena, &assignment);
        // A term that depends on whole arrays has no value.
        hashers.retain_mut(|(term, hasher)| match evaluator.evaluate(*term) {
            Ok(value) => {
                value.hash(hasher);
                true
            }
            Err(_) => false,
        });
    }
    let finished = hashers.into_iter();
    finished
        .map(|(term, hasher)| (term, hasher.finish()))
        .collect()
}

/// Whether the term is a computation. Parts and extensions are equal if what they are of is; of the nested choices of a table,
/// which differ in few cases, only the outermost is compared.
fn may_be_merged(arena: &Arena, operands: &FxHashSet<TermId>, term: TermId) -> bool {
    let is_wide = matches!(arena.sort(term), Sort::BitVec(width) if width >= MINIMUM_SWEPT_WIDTH);
    is_wide
        && match arena.as_application(term) {
            Some((
                Op::Extract { .. }
                | Op::Concat
                | Op::ZeroExtend(_)
                | Op::SignExtend(_)
                | Op::Select,
                _,
            ))
            | None => false,
            Some((Op::Ite, _)) => operands.contains(&term),
            Some(_) => true,
        }
}

/// A pseudo-random value of the variable, in every third assignment a small one; `None` for an array.
fn random_value(symbol: Symbol, instance: u32, assignment: u64) -> Option<Value> {
    if symbol.sort().is_array() {
        return None;
    }
    let mut hasher = FxHasher::default();
    (symbol.name(), instance, assignment).hash(&mut hasher);
    let number = SplitMix64::seed_from_u64(hasher.finish()).next_u64();
    let number = match assignment % 3 {
        2 => number >> 60,
        _ => number,
    };
    Some(Value::of_integer(
        i128::from(number.cast_signed()),
        symbol.sort(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, SolverConfig, new_solver};
    use std::rc::Rc;

    #[test]
    fn equal_values_of_two_computations_become_one() {
        let arena = Rc::new(Arena::new());
        let t = &*arena;
        let symbol = Symbol::new("sweeping x", Sort::BitVec(16));
        let [x, y] = [1, 2].map(|number| t.variable_at(symbol, number));
        // x + y, and the same by bits: (x ^ y) + 2 (x & y); then both times y.
        let one = t.mul(t.add(x, y), y);
        let carries = t.shl(t.bvand(x, y), t.bv(16, 1));
        let other = t.mul(t.add(t.bvxor(x, y), carries), y);
        let differ = t.ne(one, other);
        assert_ne!(differ, TermId::FALSE);
        let solver = new_solver(SolverConfig::default(), Rc::clone(&arena));
        let mut solver = solver.expect("Z3");
        let mut asked = 0;
        let mut refutes = |condition: TermId| {
            asked += 1;
            solver.check(&[condition]) == Answer::Unsatisfiable
        };
        assert_eq!(swept(t, &[differ], &mut refutes), Some(vec![TermId::FALSE]));
        assert_eq!(asked, 1, "the products have the same operands");
        let third = t.mul(t.add(x, t.bv(16, 1)), y);
        let unequal = t.ne(one, third);
        assert_eq!(
            swept(t, &[unequal], &mut |_| panic!("nothing to ask")),
            None
        );
    }
}

//! Axioms for sums of array elements below an index ([`Op::PrefixSum`]), which solvers treat as unknown numbers.
//!
//! The sum below `i + 1` is the sum below `i` plus the element at `i`, unless `i` is the last index and `i + 1` wraps around to
//! zero; and sums of one array below equal indices are equal. These axioms are instantiated for the sums that occur in formulas;
//! a solver that refutes the formulas together with them is right. The effect of stores on sums is known to the constructor
//! ([`Build::prefix_sum`]).

use crate::{Build, Op, Pool, TermId, TermKind, for_each_subterm};

/// Maximum number of sums of one array for which the axioms are instantiated, pairwise.
const MAXIMUM_SUMS_PER_ARRAY: usize = 24;

/// Returns instances of the axioms for the sums in the formulas.
pub fn facts(
    pool: &(impl Pool + ?Sized),
    formulas: impl IntoIterator<Item = TermId>,
) -> Vec<TermId> {
    let mut sums: Vec<(TermId, TermId, TermId)> = Vec::new();
    for_each_subterm(pool, formulas, |term, kind| {
        if let TermKind::Apply {
            op: Op::PrefixSum,
            arguments: &[array, index],
        } = kind
        {
            sums.push((array, index, term));
        }
    });
    sums.sort_unstable();
    let mut facts = Vec::new();
    for of_array in sums.chunk_by(|one, other| one.0 == other.0) {
        let of_array = &of_array[..of_array.len().min(MAXIMUM_SUMS_PER_ARRAY)];
        for (number, &(array, below, sum)) in of_array.iter().enumerate() {
            for &(_, other_below, other_sum) in &of_array[number + 1..] {
                let equal = pool.eq(below, other_below);
                facts.push(pool.implies(equal, pool.eq(sum, other_sum)));
            }
            let width = pool.width(below);
            let next = pool.add(below, pool.bv(width, 1));
            let with_element = pool.add(sum, pool.select(array, below));
            for &(_, other_below, other_sum) in of_array {
                if other_below == below {
                    continue;
                }
                // The comparison is a term, because `n = i + 1` may hold for different variables too.
                let follows =
                    pool.and2(pool.eq(other_below, next), pool.ne(next, pool.bv(width, 0)));
                let step = pool.eq(other_sum, with_element);
                facts.push(pool.implies(follows, step));
            }
        }
    }
    facts.retain(|&fact| fact != TermId::TRUE);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrayValue, ScalarSort, Sort, Symbol, Value, evaluate, store};

    const INDEX: Sort = Sort::BitVec(3);
    const ELEMENT: Sort = Sort::BitVec(8);

    fn variable(name: &str, sort: Sort) -> TermId {
        store().variable(Symbol::new(name, sort))
    }

    fn array() -> TermId {
        let (index, element) = (ScalarSort::BitVec(3), ScalarSort::BitVec(8));
        variable("sums: a", Sort::Array { index, element })
    }

    /// Evaluates the term with the array's cells 7, 14, 21, … and the given numbers.
    fn value(term: TermId, numbers: &[(TermId, u128)]) -> Value {
        let assignment = |symbol: Symbol, instance: u32| {
            let variable = store().variable_at(symbol, instance);
            if variable == array() {
                let zero = Value::zero(ELEMENT);
                let cell = |at: u128| (Value::bit_vec(3, at), Value::bit_vec(8, 7 * (at + 1)));
                let cells = ArrayValue::new(ScalarSort::BitVec(3), zero, (0..8).map(cell));
                return Some(Value::Array(cells));
            }
            let (_, number) = numbers.iter().find(|(known, _)| *known == variable)?;
            let width = store().width(variable);
            Some(Value::bit_vec(width, *number))
        };
        evaluate(store(), term, &assignment).expect("a value")
    }

    #[test]
    fn sums_of_changed_arrays_are_sums() {
        let [i, j, k] = ["sums: i", "sums: j", "sums: k"].map(|name| variable(name, INDEX));
        let x = variable("sums: x", ELEMENT);
        let once = store().store(array(), i, x);
        let twice = store().store(once, j, store().bv(8, 200));
        let everywhere = store().const_array(ScalarSort::BitVec(3), x);
        let choice = store().ite(
            store().ult(i, j),
            once,
            store().store(everywhere, j, i8_of(k)),
        );
        for changed in [array(), once, twice, everywhere, choice] {
            let sum = store().prefix_sum(changed, k);
            for numbers in 0..512 {
                let [a, b, c] = [numbers & 7, numbers >> 3 & 7, numbers >> 6];
                let numbers = [(i, a), (j, b), (k, c), (x, 99)];
                let cells =
                    (0..c).map(|at| value(store().select(changed, store().bv(3, at)), &numbers));
                let expected = cells.fold(0u8, |sum, cell| match cell {
                    Value::BitVec(cell) => sum.wrapping_add(cell.bits() as u8),
                    _ => panic!("no number"),
                });
                assert_eq!(value(sum, &numbers), Value::bit_vec(8, expected.into()));
            }
        }
    }

    fn i8_of(index: TermId) -> TermId {
        store().zero_resize(index, 8)
    }

    #[test]
    fn what_follows_for_sums_holds() {
        let [i, n] = ["sums: i", "sums: n"].map(|name| variable(name, INDEX));
        let next = store().add(i, store().bv(3, 1));
        let sums = [i, n, next].map(|index| store().prefix_sum(array(), index));
        let facts = facts(store(), sums);
        assert!(facts.len() >= 6);
        for numbers in 0..64 {
            let numbers = [(i, numbers & 7), (n, numbers >> 3)];
            for &fact in &facts {
                assert_eq!(value(fact, &numbers), Value::Bool(true));
            }
        }
    }
}

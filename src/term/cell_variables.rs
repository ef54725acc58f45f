//! Cells of arrays as variables, where nothing but constant indices leads to them.
//!
//! Of an array that is a variable and that is only read, at constants, a formula says no more than of as many variables: whatever
//! these are, there is an array that has them at different constants (Ackermann, Solvable Cases of the Decision Problem, 1954,
//! where no two arguments can be the same). What was a formula of arrays and bit-vectors may become one of bit-vectors, which
//! solvers decide by a circuit and a SAT solver alone.

use rustc_hash::{FxHashMap, FxHashSet};

use super::substitute::{Rebuild, for_each_unknown_subterm};
use super::{Op, Pool, Sort, Symbol, TermId, TermKind};

/// Replaces reads in terms, one after the other, as if they were parts of one formula. A formula has a model if and only if what it
/// becomes has one, with the same values of all variables that are no arrays.
#[derive(Default)]
pub struct CellVariables {
    seen: FxHashSet<TermId>,
    /// Arrays of which something else is said.
    others: FxHashSet<TermId>,
    /// Reads with the arrays read and the variables instead.
    reads: FxHashMap<TermId, (TermId, TermId)>,
    done: FxHashMap<TermId, TermId>,
}

impl CellVariables {
    /// What the term becomes: a term of the pool, which is to be the same for all. What earlier terms became holds no more for a
    /// question in which the term is, if there is an array of which this one is the first to say something else.
    pub fn replaced(&mut self, pool: &(impl Pool + ?Sized), term: TermId) -> TermId {
        self.look_at(pool, term);
        if self.reads.is_empty() {
            return term;
        }
        let Self {
            others,
            reads,
            done,
            ..
        } = self;
        let replace = |read: TermId| {
            let &(array, variable) = reads.get(&read)?;
            (!others.contains(&array)).then_some(variable)
        };
        let mut rebuild = Rebuild::resumed(pool, pool, replace, std::mem::take(done));
        let result = rebuild.rebuild(term);
        *done = rebuild.into_done();
        result
    }

    /// Notes what the term says of arrays, before it or another one is replaced.
    pub fn look_at(&mut self, pool: &(impl Pool + ?Sized), term: TermId) {
        let knows = |all: &Self, term: TermId| all.seen.contains(&term);
        let learn = |all: &mut Self, term: TermId, kind: TermKind<'_>| {
            all.seen.insert(term);
            all.note(pool, term, kind);
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = for_each_unknown_subterm(pool, term, self, knows, learn);
        if pool.as_variable(term).is_some() {
            self.say(pool, term);
        }
    }

    fn note(&mut self, pool: &(impl Pool + ?Sized), term: TermId, kind: TermKind<'_>) {
        let TermKind::Apply { op, arguments } = kind else {
            return;
        };
        if let (Op::Select, &[array, index]) = (op, arguments)
            && pool.as_variable(array).is_some()
            && matches!(pool.kind(index), TermKind::Constant(_))
        {
            let symbol = Symbol::new("cell of an array", pool.sort(term));
            let variable = pool.intern_variable(symbol, term.as_u32());
            self.reads.insert(term, (array, variable));
            return;
        }
        for &argument in arguments {
            self.say(pool, argument);
        }
    }

    /// Something is said of the term that is no read at a constant.
    fn say(&mut self, pool: &(impl Pool + ?Sized), term: TermId) {
        let is_array = matches!(pool.sort(term), Sort::Array { .. });
        if is_array && pool.as_variable(term).is_some() && self.others.insert(term) {
            self.done.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Arena, Build, ScalarSort, free_variables};

    fn array(name: &str) -> Symbol {
        let (index, element) = (ScalarSort::BitVec(8), ScalarSort::BitVec(16));
        Symbol::new(name, Sort::Array { index, element })
    }

    #[test]
    fn reads_at_constants_are_variables() {
        let t = Arena::new();
        let a = t.variable(array("cells::a"));
        let at = |index: u128| t.select(a, t.bv(8, index));
        let term = t.ult(at(1), t.add(at(2), at(1)));
        let replaced = CellVariables::default().replaced(&t, term);
        let variables = free_variables(&t, replaced);
        assert_eq!(variables.len(), 2);
        assert!(variables.iter().all(|one| one.0.sort() == Sort::BitVec(16)));
        // The same read is the same variable, another another one.
        let mut cells = CellVariables::default();
        let [one, other, again] = [1, 2, 1].map(|index| cells.replaced(&t, at(index)));
        assert!(one == again && one != other);
    }

    #[test]
    fn arrays_of_which_more_is_said_are_left_alone() {
        let t = Arena::new();
        let (a, b) = (t.variable(array("cells::b")), t.variable(array("cells::c")));
        let i = t.variable(Symbol::new("cells::i", Sort::BitVec(8)));
        let (one, two) = (t.bv(8, 1), t.bv(8, 2));
        let j = t.variable(Symbol::new("cells::j", Sort::BitVec(8)));
        let read = t.select(a, one);
        let terms = [
            t.eq(read, t.select(a, i)),
            t.eq(read, t.select(t.store(a, i, t.bv(16, 7)), j)),
        ];
        for term in terms {
            assert_eq!(CellVariables::default().replaced(&t, term), term);
        }
        // Also where it is said later.
        let mut cells = CellVariables::default();
        assert_ne!(cells.replaced(&t, read), read);
        assert_eq!(cells.replaced(&t, terms[0]), terms[0]);
        assert_eq!(cells.replaced(&t, read), read);
        let of_b = t.select(b, two);
        assert_ne!(cells.replaced(&t, of_b), of_b);
    }
}

//! Replaces array cells by variables, for arrays that are read at constant indices only.
//!
//! A formula in which an array variable is only read, and only at constants, is equisatisfiable to one with a variable for
//! each cell: for all values of these there is an array with them at the different constants (\[Ack54\];
//! no two arguments can be the same here). So a formula over arrays and bit vectors may become one
//! over bit vectors, which solvers decide by a circuit and a SAT solver alone.

use rustc_hash::{FxHashMap, FxHashSet};

use super::substitute::{Rebuild, for_each_unknown_subterm};
use crate::{Op, Pool, Sort, Symbol, TermId, TermKind};

/// Replaces reads in terms that are parts of one formula. The resulting formula has a model if and only if the original has one,
/// with the same values of all variables that are not arrays.
#[derive(Default)]
pub struct CellVariables {
    seen: FxHashSet<TermId>,
    /// Array variables that occur in another way than in a read at a constant.
    others: FxHashSet<TermId>,
    /// For each read at a constant, the array and the variable that replaces the read.
    reads: FxHashMap<TermId, (TermId, TermId)>,
    done: FxHashMap<TermId, TermId>,
}

impl CellVariables {
    /// Returns the term with reads replaced. The pool must be the same in all calls. If this term is the first with another use
    /// of an array, earlier results must not be used in a query together with this one.
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

    /// Notes the uses of arrays in the term, before it or another one is replaced.
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

    /// Notes that the term is used in another way than in a read at a constant.
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
    use crate::{Arena, Build, ScalarSort, free_variables};

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
        // Equal reads become the same variable, different ones different variables.
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
        // The other use may come later.
        let mut cells = CellVariables::default();
        assert_ne!(cells.replaced(&t, read), read);
        assert_eq!(cells.replaced(&t, terms[0]), terms[0]);
        assert_eq!(cells.replaced(&t, read), read);
        let of_b = t.select(b, two);
        assert_ne!(cells.replaced(&t, of_b), of_b);
    }
}

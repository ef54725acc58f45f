//! Selection of the integer variables of a clause that need the range of the bit vectors they stand for.
//!
//! Much of a program's state consists of modes and flags, which are only copied and compared with constants for equality.
//! Values other than these constants are indistinguishable, so that the range is irrelevant (except for narrow bit vectors,
//! all of whose values may be among the constants). Ranges are expensive: the solver propagates each bound in each query.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// Width below which bit vectors always have ranges: their values may all be among the constants.
const NARROW_WIDTH: u8 = 16;

/// Equivalence classes of integer terms that are compared for equality, or combined by if-then-else.
#[derive(Default)]
pub struct Ranges {
    parents: FxHashMap<TermId, TermId>,
    /// Members of classes whose ranges are relevant.
    marks: Vec<TermId>,
    marked: FxHashSet<TermId>,
}

impl Ranges {
    /// Creates the classes of the terms, which are over integers and have no ranges yet.
    pub fn new(arena: &Arena, terms: impl IntoIterator<Item = TermId>) -> Self {
        let mut ranges = Self::default();
        for_each_subterm(arena, terms, |term, kind| ranges.note(arena, term, kind));
        for mark in std::mem::take(&mut ranges.marks) {
            let class = ranges.class(mark);
            ranges.marked.insert(class);
        }
        ranges
    }

    fn note(&mut self, arena: &Arena, term: TermId, kind: TermKind<'_>) {
        let TermKind::Apply { op, arguments } = kind else {
            return;
        };
        let is_integer = |term: TermId| arena.sort(term) == Sort::Int;
        match op {
            Op::Eq if is_integer(arguments[0]) => self.join(arena, arguments[0], arguments[1]),
            Op::Ite if is_integer(term) => {
                self.join(arena, term, arguments[1]);
                self.join(arena, term, arguments[2]);
            }
            _ => {
                let integers = [term].into_iter().chain(arguments.iter().copied());
                let integers = integers.filter(|&one| is_integer(one));
                self.marks.extend(integers.map(|one| member(arena, one)));
            }
        }
    }

    fn join(&mut self, arena: &Arena, one: TermId, other: TermId) {
        let is_constant = |term| arena.is_constant(term);
        if !is_constant(one) && !is_constant(other) {
            let one = self.class(member(arena, one));
            let other = self.class(member(arena, other));
            self.parents.insert(one, other);
        }
    }

    fn class(&self, mut term: TermId) -> TermId {
        while let Some(&parent) = self.parents.get(&term)
            && parent != term
        {
            term = parent;
        }
        term
    }

    /// Checks whether the range of the variable, which stands for a bit vector of the width, is relevant.
    pub fn matters(&self, arena: &Arena, variable: TermId, width: u8) -> bool {
        width < NARROW_WIDTH || self.marked.contains(&self.class(member(arena, variable)))
    }
}

/// Returns the representative of the term: all instances of a variable have the same.
fn member(arena: &Arena, term: TermId) -> TermId {
    match arena.kind(term) {
        TermKind::Variable { symbol, .. } => arena.variable(symbol),
        _ => term,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Symbol;

    #[test]
    fn modes_need_no_ranges_but_counters_do() {
        let t = Arena::new();
        let number = |name: &str| Symbol::new(&format!("ranges::{name}"), Sort::Int);
        let [mode, next, count, other, copy] =
            ["mode", "next", "count", "other", "copy"].map(|name| t.variable(number(name)));
        let later = t.variable_at(number("copy"), 7);
        let is_one = t.eq(mode, t.int(1));
        let conditions = [
            t.eq(next, t.ite(is_one, t.int(2), mode)),
            t.eq(count, t.ite(is_one, other, t.int(0))),
            t.eq(other, later),
            t.not(t.eq(copy, t.int_add(mode, t.int(1)))),
        ];
        let matters =
            |count, term| Ranges::new(&t, conditions[..count].to_vec()).matters(&t, term, 32);
        for term in [mode, next, count, other, copy] {
            assert!(!matters(3, term));
        }
        // The last formula compares a sum, which contains the mode, with a copy of the selected value.
        for term in [mode, next, count, other, copy] {
            assert!(matters(4, term));
        }
        assert!(!Ranges::new(&t, [is_one]).matters(&t, mode, 32));
        assert!(Ranges::new(&t, [is_one]).matters(&t, mode, 8));
        assert!(Ranges::new(&t, [t.int_le(mode, t.int(1))]).matters(&t, mode, 32));
    }
}

//! Which integers of a clause need the range of the bit vectors that they stand for.
//!
//! Most state of a program may be modes and flags: it is copied, and compared with constants for equality. What such a
//! number is beyond these constants makes no difference, so that its range says nothing (but for narrow bit vectors, all of
//! whose values may be among the constants). It costs a lot: the solver propagates each bound in each question.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// Bit vectors of fewer bits have their ranges: they may have no value besides the constants.
const NARROW: u8 = 16;

/// Classes of integer terms: those that are compared for equality, or chosen between, are in one.
#[derive(Default)]
pub struct Ranges {
    parents: FxHashMap<TermId, TermId>,
    /// Members of classes whose ranges matter.
    marks: Vec<TermId>,
    marked: FxHashSet<TermId>,
}

impl Ranges {
    /// What the terms, over integers and without ranges, need.
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

    /// Whether the range of the variable, which stands for a bit vector of the width, matters.
    pub fn matters(&self, arena: &Arena, variable: TermId, width: u8) -> bool {
        width < NARROW || self.marked.contains(&self.class(member(arena, variable)))
    }
}

/// The term; all instances of a variable are one.
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
        // The sum is compared with a copy of what is chosen; and it is made of the mode.
        for term in [mode, next, count, other, copy] {
            assert!(matters(4, term));
        }
        assert!(!Ranges::new(&t, [is_one]).matters(&t, mode, 32));
        assert!(Ranges::new(&t, [is_one]).matters(&t, mode, 8));
        assert!(Ranges::new(&t, [t.int_le(mode, t.int(1))]).matters(&t, mode, 32));
    }
}

//! Guards of the states of [`super::rounds`] as paths: sequences of conditions that share what they begin with.
//!
//! A guard is a term, and for each such term it is known which condition it ends with, and the guard before that. Where
//! two guards meet, what both begin with stays as it is, and what follows is a choice. If that is a tautology, since all that parted
//! has come together, the guard is the one from before it parted. So a guard is as long as what it depends on, and questions about many
//! guards have their beginnings in common.

use rustc_hash::FxHashMap;

use crate::term::{Arena, Build, Op, Pool, Sort, TermId};

/// So far back it is looked whether a condition, or its denial, has been assumed.
const LOOK_BACK: u32 = 32;

struct Link {
    before: TermId,
    condition: TermId,
    length: u32,
}

/// What guards end with: `before` and `condition` together are the guard. The empty path is true.
#[derive(Default)]
pub(super) struct Paths {
    links: FxHashMap<TermId, Link>,
    /// Conditions that hold where a guard does, and are no part of it.
    implied: FxHashMap<TermId, Vec<TermId>>,
}

impl Paths {
    /// How many conditions the guard is made of.
    pub fn length(&self, guard: TermId) -> u32 {
        self.links.get(&guard).map_or(0, |link| link.length)
    }

    /// The guard without its last condition, and that condition.
    pub fn last(&self, guard: TermId) -> Option<(TermId, TermId)> {
        let link = self.links.get(&guard)?;
        Some((link.before, link.condition))
    }

    /// The guard and those that it begins with, the longest first; the last is true.
    pub fn beginnings(&self, guard: TermId) -> impl Iterator<Item = TermId> {
        std::iter::successors(Some(guard), move |&at| Some(self.last(at)?.0))
    }

    /// The guard with one more condition.
    pub fn assume(&mut self, arena: &Arena, guard: TermId, condition: TermId) -> TermId {
        match (guard, condition) {
            (TermId::FALSE, _) | (_, TermId::TRUE) => return guard,
            (_, TermId::FALSE) => return TermId::FALSE,
            _ => {}
        }
        match self.truth(arena, guard, condition) {
            Some(true) => return guard,
            Some(false) => return TermId::FALSE,
            None => {}
        }
        let all = both(arena, guard, condition);
        let length = self.length(guard) + 1;
        self.links.entry(all).or_insert(Link {
            before: guard,
            condition,
            length,
        });
        all
    }

    /// The condition holds where the guard does: that it does not is to be impossible.
    pub fn imply(&mut self, guard: TermId, condition: TermId) {
        self.implied.entry(guard).or_default().push(condition);
    }

    /// Whether the condition holds where the guard does, if it is implied by one of the latest beginnings of the guard, or it is one of the last that were assumed, or a beginning of the guard, or
    /// the denial of one.
    pub fn truth(&self, arena: &Arena, guard: TermId, condition: TermId) -> Option<bool> {
        let denial = arena.not(condition);
        let mut at = guard;
        for _ in 0..LOOK_BACK {
            let implied = self.implied.get(&at).map_or(&[][..], |list| list);
            if implied.contains(&condition) {
                return Some(true);
            }
            if implied.contains(&denial) {
                return Some(false);
            }
            let (before, passed) = self.last(at)?;
            for holds in [passed, at] {
                if holds == condition {
                    return Some(true);
                }
                if holds == denial {
                    return Some(false);
                }
            }
            at = before;
        }
        None
    }

    /// The longest guard that both begin with.
    pub fn common(&self, one: TermId, other: TermId) -> TermId {
        let (mut a, mut b) = (one, other);
        while a != b {
            let longer = if self.length(a) >= self.length(b) {
                &mut a
            } else {
                &mut b
            };
            match self.last(*longer) {
                Some((before, _)) => *longer = before,
                None => return TermId::TRUE,
            }
        }
        a
    }

    /// The conditions of the guard after those that it begins with.
    fn since(&self, arena: &Arena, guard: TermId, beginning: TermId) -> TermId {
        let mut conditions = Vec::new();
        let mut at = guard;
        while at != beginning
            && let Some((before, condition)) = self.last(at)
        {
            conditions.push(condition);
            at = before;
        }
        let conditions = conditions.into_iter().rev();
        conditions.fold(TermId::TRUE, |all, one| both(arena, all, one))
    }

    /// The guard of what has either of two guards, which exclude each other; and what tells the first from the second there.
    pub fn meet(&mut self, arena: &Arena, one: TermId, other: TermId) -> (TermId, TermId) {
        let common = self.common(one, other);
        let choice = self.since(arena, one, common);
        let otherwise = self.since(arena, other, common);
        let either = arena.or2(choice, otherwise);
        (self.assume(arena, common, either), choice)
    }
}

/// A conjunction whose first part stays a term of its own.
fn both(arena: &Arena, all: TermId, condition: TermId) -> TermId {
    match (all, condition) {
        (TermId::TRUE, one) | (one, TermId::TRUE) => one,
        _ => arena.intern(Op::And, Sort::Bool, &[all, condition]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Symbol;

    #[test]
    fn what_parted_and_meets_again_has_the_guard_from_before() {
        let t = Arena::new();
        let symbol = Symbol::new("paths condition", Sort::Bool);
        let [a, b, c] = [1, 2, 3].map(|number| t.variable_at(symbol, number));
        let mut paths = Paths::default();
        let start = paths.assume(&t, TermId::TRUE, a);
        let left = paths.assume(&t, start, b);
        let right = paths.assume(&t, start, t.not(b));
        assert_eq!(paths.meet(&t, left, right), (start, b));

        // One of three has ended.
        let inner = paths.assume(&t, left, c);
        let (met, choice) = paths.meet(&t, inner, right);
        assert_eq!(choice, t.and2(b, c));
        assert_eq!(paths.last(met), Some((start, t.or2(choice, t.not(b)))));
        assert_eq!(paths.common(inner, right), start);
        assert_eq!(paths.common(inner, left), left);
    }

    #[test]
    fn what_was_assumed_is_not_assumed_again() {
        let t = Arena::new();
        let symbol = Symbol::new("paths condition", Sort::Bool);
        let [a, b] = [1, 2].map(|number| t.variable_at(symbol, number));
        let mut paths = Paths::default();
        let first = paths.assume(&t, TermId::TRUE, a);
        let both = paths.assume(&t, first, b);
        assert_eq!(paths.assume(&t, both, a), both);
        assert_eq!(paths.assume(&t, both, t.not(a)), TermId::FALSE);
        assert_eq!(paths.assume(&t, both, TermId::TRUE), both);
        assert_eq!(paths.assume(&t, TermId::FALSE, a), TermId::FALSE);
        let all: Vec<TermId> = paths.beginnings(both).collect();
        assert_eq!(all, [both, first, TermId::TRUE]);
    }
}

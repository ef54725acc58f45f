//! Guards of the states of [`super`] as paths: sequences of conditions with shared prefixes.
//!
//! A guard is a term, for which its last condition and the guard before that are known. Where two guards meet, their common
//! prefix is kept, and their suffixes become a disjunction. If that is a tautology, since all branches have joined, the
//! result is the prefix. So a guard contains only conditions that it depends on, and questions about many guards share
//! prefixes.

use rustc_hash::FxHashMap;

use crate::walk::limits::MAXIMUM_LOOK_BACK;
use regatta_term::{Arena, Build, Op, Pool, Sort, TermId};

struct Link {
    before: TermId,
    condition: TermId,
    length: u32,
}

/// The last link of each guard: `before` and `condition` together are the guard. The empty path is `true`.
#[derive(Default)]
pub(super) struct Paths {
    links: FxHashMap<TermId, Link>,
    /// Conditions that a guard implies without containing them.
    implied: FxHashMap<TermId, Vec<TermId>>,
}

impl Paths {
    /// The number of conditions of the guard.
    pub fn length(&self, guard: TermId) -> u32 {
        self.links.get(&guard).map_or(0, |link| link.length)
    }

    /// The guard without its last condition, and that condition.
    pub fn last(&self, guard: TermId) -> Option<(TermId, TermId)> {
        let link = self.links.get(&guard)?;
        Some((link.before, link.condition))
    }

    /// The guard and its prefixes, the longest first; the last is `true`.
    pub fn beginnings(&self, guard: TermId) -> impl Iterator<Item = TermId> {
        std::iter::successors(Some(guard), move |&at| Some(self.last(at)?.0))
    }

    /// The guard extended by a condition.
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

    /// Notes that the guard implies the condition; the caller has to have the converse checked.
    pub fn imply(&mut self, guard: TermId, condition: TermId) {
        self.implied.entry(guard).or_default().push(condition);
    }

    /// Returns the truth value of the condition under the guard, if the condition or its negation is among the guard's last
    /// conditions and prefixes, or noted as implied by one of these prefixes.
    pub fn truth(&self, arena: &Arena, guard: TermId, condition: TermId) -> Option<bool> {
        let denial = arena.not(condition);
        let mut at = guard;
        for _ in 0..MAXIMUM_LOOK_BACK {
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

    /// The longest common prefix of two guards.
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

    /// The conjunction of the guard's conditions after the prefix.
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

    /// The disjunction of two guards that exclude each other, and the condition that distinguishes the first from the second.
    pub fn meet(&mut self, arena: &Arena, one: TermId, other: TermId) -> (TermId, TermId) {
        let common = self.common(one, other);
        let choice = self.since(arena, one, common);
        let otherwise = self.since(arena, other, common);
        let either = arena.or2(choice, otherwise);
        (self.assume(arena, common, either), choice)
    }
}

/// A conjunction that keeps its first part as a subterm.
fn both(arena: &Arena, all: TermId, condition: TermId) -> TermId {
    match (all, condition) {
        (TermId::TRUE, one) | (one, TermId::TRUE) => one,
        _ => arena.intern(Op::And, Sort::Bool, &[all, condition]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::Symbol;

    #[test]
    fn branches_that_have_joined_have_the_guard_from_before() {
        let t = Arena::new();
        let symbol = Symbol::new("paths condition", Sort::Bool);
        let [a, b, c] = [1, 2, 3].map(|number| t.variable_at(symbol, number));
        let mut paths = Paths::default();
        let start = paths.assume(&t, TermId::TRUE, a);
        let left = paths.assume(&t, start, b);
        let right = paths.assume(&t, start, t.not(b));
        assert_eq!(paths.meet(&t, left, right), (start, b));

        // One of three branches has ended.
        let inner = paths.assume(&t, left, c);
        let (met, choice) = paths.meet(&t, inner, right);
        assert_eq!(choice, t.and2(b, c));
        assert_eq!(paths.last(met), Some((start, t.or2(choice, t.not(b)))));
        assert_eq!(paths.common(inner, right), start);
        assert_eq!(paths.common(inner, left), left);
    }

    #[test]
    fn a_condition_is_assumed_only_once() {
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

//! Path conditions as lists of assumed conditions.
//!
//! Paths share their common prefix. Where all branches of a split join again, the path condition is that from before the
//! split, so that it contains only what it depends on.

use std::rc::Rc;

use super::limits::MAXIMUM_SEARCHED_CONDITIONS;
use regatta_term::{Arena, Build, Op, Pool, Sort, TermId};

/// A path condition: a conjunction of conditions in the order in which they were assumed.
#[derive(Clone, Debug, Default)]
pub struct Path(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    condition: TermId,
    before: Path,
    depth: u32,
    /// The conjunction of the conditions up to this one, without those that follow from others.
    all: TermId,
}

impl Path {
    /// Returns the number of conditions.
    pub fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |link| link.depth)
    }

    /// Returns the conjunction.
    pub fn all(&self) -> TermId {
        self.0.as_ref().map_or(TermId::TRUE, |link| link.all)
    }

    /// Checks whether they are the same object; different objects may be equal paths.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Returns the path without its last condition, and that condition.
    pub fn last(&self) -> Option<(&Self, TermId)> {
        let link = self.0.as_ref()?;
        Some((&link.before, link.condition))
    }

    /// Returns up to `most` of the latest conditions, in the order in which they were assumed.
    pub fn latest(&self, most: usize) -> Vec<TermId> {
        let links = std::iter::successors(self.last(), |(before, _)| before.last());
        let mut conditions: Vec<TermId> = links.take(most).map(|link| link.1).collect();
        conditions.reverse();
        conditions
    }

    /// Extends the path by the condition; `None` if the path contains its negation.
    pub fn assume(&self, arena: &Arena, condition: TermId) -> Option<Self> {
        match condition {
            TermId::TRUE => return Some(self.clone()),
            TermId::FALSE => return None,
            _ => {}
        }
        match self.truth(arena, condition) {
            Some(true) => Some(self.clone()),
            Some(false) => None,
            None => Some(self.extended(arena, condition)),
        }
    }

    /// Extends the path by a condition that follows from it, which is not added to the conjunction.
    pub fn noted(&self, condition: TermId) -> Self {
        Self(Some(Rc::new(Link {
            condition,
            depth: self.depth() + 1,
            all: self.all(),
            before: self.clone(),
        })))
    }

    fn extended(&self, arena: &Arena, condition: TermId) -> Self {
        Self(Some(Rc::new(Link {
            condition,
            depth: self.depth() + 1,
            all: both(arena, self.all(), condition),
            before: self.clone(),
        })))
    }

    /// Returns the longest common prefix of both paths.
    pub fn common(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self, other);
        while !a.same(b) {
            let (before, _) = match a.depth() >= b.depth() {
                true => (&mut a, ()),
                false => (&mut b, ()),
            };
            match before.last() {
                Some((earlier, _)) => *before = earlier,
                None => break,
            }
        }
        a.clone()
    }

    /// Returns all prefixes of the path, indexed by their number of conditions.
    pub fn beginnings(&self) -> Vec<Self> {
        let mut all = vec![self.clone()];
        let mut at = self;
        while let Some((before, _)) = at.last() {
            all.push(before.clone());
            at = before;
        }
        all.reverse();
        all
    }

    /// Returns the length of the longest prefix that is also among the given prefixes of a path, and the next condition after it.
    pub fn parting(&self, beginnings: &[Self]) -> (usize, Option<TermId>) {
        let mut own = None;
        let mut at = self;
        while let Some((before, condition)) = at.last() {
            let common = beginnings.get(at.depth() as usize);
            if common.is_some_and(|common| at.same(common)) {
                break;
            }
            own = Some(condition);
            at = before;
        }
        (at.depth() as usize, own)
    }

    /// Returns the truth of the condition if it or its negation is among the latest conditions of the path.
    pub fn truth(&self, arena: &Arena, condition: TermId) -> Option<bool> {
        let denial = arena.not(condition);
        let mut at = self;
        for _ in 0..MAXIMUM_SEARCHED_CONDITIONS {
            let link = at.0.as_ref()?;
            for passed in [link.condition, link.all] {
                if passed == condition {
                    return Some(true);
                }
                if passed == denial {
                    return Some(false);
                }
            }
            at = &link.before;
        }
        None
    }

    /// Returns the conjunction of the conditions after the prefix `earlier`.
    pub fn since(&self, arena: &Arena, earlier: &Self) -> TermId {
        let mut conditions = Vec::new();
        let mut at = self;
        while !at.same(earlier)
            && let Some((before, condition)) = at.last()
        {
            conditions.push(condition);
            at = before;
        }
        let conditions = conditions.into_iter().rev();
        conditions.fold(TermId::TRUE, |all, one| both(arena, all, one))
    }

    /// Joins two paths that exclude each other; also returns the condition that distinguishes the first from the other after
    /// their common prefix.
    pub fn join(&self, arena: &Arena, other: &Self) -> (Self, TermId) {
        let common = self.common(other);
        let (one, two) = (self.since(arena, &common), other.since(arena, &common));
        let joined = match arena.or2(one, two) {
            TermId::TRUE => common,
            either => common.extended(arena, either),
        };
        (joined, one)
    }
}

/// Returns a conjunction whose first operand is kept as a term, so that paths share it.
fn both(arena: &Arena, all: TermId, condition: TermId) -> TermId {
    match (all, condition) {
        (TermId::TRUE, one) | (one, TermId::TRUE) => one,
        _ => arena.intern(Op::And, Sort::Bool, &[all, condition]),
    }
}

impl Drop for Link {
    /// Drops the list iteratively, because a path may be as long as an execution.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(link) = next {
            next = match Rc::try_unwrap(link) {
                Ok(mut link) => link.before.0.take(),
                Err(_) => None,
            };
        }
    }
}

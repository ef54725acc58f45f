//! The condition under which execution is somewhere, as the conditions passed on the way.
//!
//! Paths that part share what they passed before. Where all branches come together again, what is left is the very path from
//! before they parted, so that a condition is as long as what it really depends on.

use std::rc::Rc;

use crate::term::{Arena, Build, Op, Pool, Sort, TermId};

/// A conjunction of conditions, in the order in which they were assumed.
#[derive(Clone, Debug, Default)]
pub struct Path(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    condition: TermId,
    before: Path,
    depth: u32,
    /// All conditions up to this one but those that follow from others.
    all: TermId,
}

/// So far back an assumed condition is looked for.
const LOOK_BACK: usize = 64;

impl Path {
    /// How many conditions there are.
    pub fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |link| link.depth)
    }

    /// The conjunction.
    pub fn all(&self) -> TermId {
        self.0.as_ref().map_or(TermId::TRUE, |link| link.all)
    }

    /// Whether they are the same path; others may be equal.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// The path without its last condition, and that condition.
    pub fn last(&self) -> Option<(&Self, TermId)> {
        let link = self.0.as_ref()?;
        Some((&link.before, link.condition))
    }

    /// So many of the conditions assumed last, in the order in which they were.
    pub fn latest(&self, most: usize) -> Vec<TermId> {
        let links = std::iter::successors(self.last(), |(before, _)| before.last());
        let mut conditions: Vec<TermId> = links.take(most).map(|link| link.1).collect();
        conditions.reverse();
        conditions
    }

    /// The path on which the condition holds as well; `None` if the path is seen to exclude it.
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

    /// The path with a condition that follows from those passed.
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

    /// What both paths begin with.
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

    /// The paths that it begins with, by the number of their conditions, up to itself.
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

    /// How many conditions it has in common with a path, of which all beginnings are given; and the next one of its own.
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

    /// What the path says of the condition, as far as it is seen in its latest conditions.
    pub fn truth(&self, arena: &Arena, condition: TermId) -> Option<bool> {
        let denial = arena.not(condition);
        let mut at = self;
        for _ in 0..LOOK_BACK {
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

    /// The conditions after those that it begins with.
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

    /// The path of all executions that come by one of two paths, which exclude each other; with it, what tells the first from the
    /// other.
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

/// A conjunction that keeps the first part as it is: what many paths begin with is shared.
fn both(arena: &Arena, all: TermId, condition: TermId) -> TermId {
    match (all, condition) {
        (TermId::TRUE, one) | (one, TermId::TRUE) => one,
        _ => arena.intern(Op::And, Sort::Bool, &[all, condition]),
    }
}

impl Drop for Link {
    /// A path may be as long as an execution.
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

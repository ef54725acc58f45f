//! Disjointness of objects whose addresses are variables.

use smallvec::SmallVec;

use super::super::path::Path;
use super::Walk;
use crate::unwind::limits::{MAXIMUM_CONDITIONS, MAXIMUM_OBJECTS, MAXIMUM_VARIABLES};
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// The variables of a term; `None` if there are too many.
pub(super) type Variables = Option<SmallVec<[TermId; MAXIMUM_VARIABLES]>>;

impl Walk<'_, '_> {
    /// Determines which objects are disjoint from those added recently.
    pub(super) fn separate_objects(&mut self, path: &Path) {
        for (new, attempts) in std::mem::take(&mut self.placed) {
            let mut are_all_apart = true;
            let arena = self.terms.arena;
            let sort = arena.sort(new);
            let Sort::BitVec(width) = sort else {
                continue;
            };
            let others = self.terms.objects.iter().map(|(&a, &s)| (a, s));
            let others = others.filter(|&(other, _)| other != new && arena.sort(other) == sort);
            let others: Vec<(TermId, u64)> = others.collect();
            if others.len() > MAXIMUM_OBJECTS {
                continue;
            }
            let own = self.terms.objects[&new];
            for (other, size) in others {
                let pair = (new.min(other), new.max(other));
                if self.terms.are_apart(new, other) {
                    continue;
                }
                if self.terms.addresses.contains_key(&new)
                    && self.terms.addresses.contains_key(&other)
                {
                    are_all_apart = false;
                    continue;
                }
                let said = self.conditions_on(path, new, other);
                let ends = |a: TermId, size: u64| arena.add(a, arena.bv(width, size.into()));
                let (end, other_end) = (ends(new, own), ends(other, size));
                let assumed = [
                    arena.or2(arena.ule(end, other), arena.ule(other_end, new)),
                    arena.ule(new, end),
                    arena.ule(other, other_end),
                ];
                // The objects overlap if one begins in the other.
                let begins = |a: TermId, b: TermId, size: u64| {
                    arena.ult(arena.sub(a, b), arena.bv(width, size.into()))
                };
                let meet = arena.or2(begins(new, other, size), begins(other, new, own));
                let told = arena.and2(arena.and(said.clone()), meet);
                let all = arena.and2(path.all(), meet);
                if assumed.iter().all(|one| said.contains(one))
                    || self.queries.excludes(told, true)
                    || self.queries.excludes(all, false)
                {
                    self.terms.apart.insert(pair);
                } else {
                    are_all_apart = false;
                }
            }
            if !are_all_apart && attempts > 1 {
                self.placed.push((new, attempts - 1));
            }
        }
    }

    /// Returns the conditions of the path whose variables all occur in the two terms; among many objects, these conditions
    /// determine the addresses of the two.
    fn conditions_on(&mut self, path: &Path, one: TermId, other: TermId) -> Vec<TermId> {
        let arena = self.terms.arena;
        let mut own: SmallVec<[TermId; MAXIMUM_VARIABLES]> = SmallVec::new();
        for address in [one, other] {
            match self.variables(address) {
                Some(variables) => own.extend_from_slice(variables),
                None => return Vec::new(),
            }
        }
        let mut said = Vec::new();
        let mut at = path;
        for _ in 0..MAXIMUM_CONDITIONS {
            let Some((before, condition)) = at.last() else {
                break;
            };
            let mut parts = match arena.arguments(Op::And, condition) {
                Some(parts) => parts.to_vec(),
                None => vec![condition],
            };
            parts.retain(|&part| {
                let variables = self.variables(part).as_ref();
                variables.is_some_and(|list| list.iter().all(|one| own.contains(one)))
            });
            said.extend(parts);
            at = before;
        }
        said
    }

    fn variables(&mut self, term: TermId) -> &Variables {
        let arena = self.terms.arena;
        self.variables.entry(term).or_insert_with(|| {
            let mut found: SmallVec<[TermId; MAXIMUM_VARIABLES]> = SmallVec::new();
            for_each_subterm(arena, [term], |one, kind| {
                if matches!(kind, TermKind::Variable { .. }) && found.len() <= MAXIMUM_VARIABLES {
                    found.push(one);
                }
            });
            (found.len() <= MAXIMUM_VARIABLES).then_some(found)
        })
    }
}

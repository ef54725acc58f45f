//! Disjointness of objects whose addresses are variables.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::path::Path;
use super::Walk;
use crate::unwind::limits::{MAXIMUM_CONDITIONS, MAXIMUM_OBJECTS, MAXIMUM_VARIABLES};
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// The variables of a term; `None` if there are too many.
pub(super) type Variables = Option<SmallVec<[TermId; MAXIMUM_VARIABLES]>>;

/// The conditions of a path by the variables that occur in them.
type ByVariable = FxHashMap<TermId, Vec<TermId>>;

impl Walk<'_, '_> {
    /// Determines which objects are disjoint from those added recently.
    pub(super) fn separate_objects(&mut self, path: &Path) {
        if self.placed.is_empty() {
            return;
        }
        let conditions = self.by_variable(path);
        for (new, attempts) in std::mem::take(&mut self.placed) {
            let arena = self.terms.arena;
            let sort = arena.sort(new);
            if !matches!(sort, Sort::BitVec(_)) {
                continue;
            }
            let others = self.terms.objects.keys().copied();
            let others = others.filter(|&other| other != new && arena.sort(other) == sort);
            let others: Vec<TermId> = others.collect();
            let asks = others.len() <= MAXIMUM_OBJECTS;
            let mut are_all_apart = true;
            for other in others {
                are_all_apart &= self.terms.are_apart(new, other)
                    || self.separate(path, &conditions, (new, other), asks);
            }
            if !are_all_apart && attempts > 1 {
                self.placed.push((new, attempts - 1));
            }
        }
    }

    /// Notes that the objects are disjoint if the conditions say so or, if `asks`, if the solver finds it. Returns whether they
    /// are.
    fn separate(
        &mut self,
        path: &Path,
        conditions: &ByVariable,
        (new, other): (TermId, TermId),
        asks: bool,
    ) -> bool {
        let arena = self.terms.arena;
        // Of aligned objects, the addresses tell.
        let addresses = &self.terms.addresses;
        if addresses.contains_key(&new) && addresses.contains_key(&other) {
            return false;
        }
        let Sort::BitVec(width) = arena.sort(new) else {
            return false;
        };
        let (Some(&own), Some(&size)) =
            (self.terms.objects.get(&new), self.terms.objects.get(&other))
        else {
            return false;
        };
        let said = self.conditions_on(conditions, new, other);
        let ends = |a: TermId, size: u64| arena.add(a, arena.bv(width, size.into()));
        let (end, other_end) = (ends(new, own), ends(other, size));
        let assumed = [
            arena.or2(arena.ule(end, other), arena.ule(other_end, new)),
            arena.ule(new, end),
            arena.ule(other, other_end),
        ];
        let mut is_apart = assumed.iter().all(|one| said.contains(one));
        if !is_apart && asks {
            // The objects overlap if one begins in the other.
            let begins = |a: TermId, b: TermId, size: u64| {
                arena.ult(arena.sub(a, b), arena.bv(width, size.into()))
            };
            let meet = arena.or2(begins(new, other, size), begins(other, new, own));
            let told = arena.and2(arena.and(said), meet);
            is_apart = self.queries.excludes(told, true)
                || (path.depth() <= MAXIMUM_CONDITIONS
                    && self.queries.excludes(arena.and2(path.all(), meet), false));
        }
        if is_apart {
            let pair = (new.min(other), new.max(other));
            self.terms.apart.insert(pair);
        }
        is_apart
    }

    fn by_variable(&mut self, path: &Path) -> ByVariable {
        let arena = self.terms.arena;
        let mut all = ByVariable::default();
        let mut at = path;
        while let Some((before, condition)) = at.last() {
            let parts = arena.arguments(Op::And, condition);
            for &part in parts.unwrap_or(std::slice::from_ref(&condition)) {
                for &variable in self.variables(part).iter().flatten() {
                    all.entry(variable).or_default().push(part);
                }
            }
            at = before;
        }
        all
    }

    /// Returns the conditions whose variables all occur in the two terms; among many objects, these conditions determine the
    /// addresses of the two.
    fn conditions_on(
        &mut self,
        conditions: &ByVariable,
        one: TermId,
        other: TermId,
    ) -> Vec<TermId> {
        let mut own: SmallVec<[TermId; MAXIMUM_VARIABLES]> = SmallVec::new();
        for address in [one, other] {
            match self.variables(address) {
                Some(variables) => own.extend_from_slice(variables),
                None => return Vec::new(),
            }
        }
        let mut said = Vec::new();
        for variable in own.clone() {
            for &part in conditions.get(&variable).map_or(&[][..], |list| list) {
                let variables = self.variables(part).as_ref();
                if variables.is_some_and(|list| list.iter().all(|one| own.contains(one))) {
                    said.push(part);
                }
            }
        }
        said.sort_unstable();
        said.dedup();
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

//! Objects whose addresses are variables: which of them are apart.

use smallvec::SmallVec;

use super::super::path::Path;
use super::Walk;
use crate::term::{Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// Objects with variables as addresses that are told apart.
const OBJECTS: usize = 24;
/// Conditions passed that are looked at for what they say of two objects.
const CONDITIONS: u32 = 256;

/// A term with more variables is not looked at.
const VARIABLES: usize = 4;

/// The variables of a term, unless they are many.
pub(super) type Variables = Option<SmallVec<[TermId; VARIABLES]>>;

impl Walk<'_, '_> {
    /// Finds out which objects are apart from those that have just been placed.
    pub(super) fn tell_apart(&mut self, path: &Path) {
        for (new, looks) in std::mem::take(&mut self.placed) {
            let mut are_all_apart = true;
            let arena = self.terms.arena;
            let sort = arena.sort(new);
            let Sort::BitVec(width) = sort else {
                continue;
            };
            let others = self.terms.objects.iter().map(|(&a, &s)| (a, s));
            let others = others.filter(|&(other, _)| other != new && arena.sort(other) == sort);
            let others: Vec<(TermId, u64)> = others.collect();
            if others.len() > OBJECTS {
                continue;
            }
            let own = self.terms.objects[&new];
            for (other, size) in others {
                let pair = (new.min(other), new.max(other));
                if self.terms.apart.contains(&pair) {
                    continue;
                }
                let said = self.said_of(path, new, other);
                let ends = |a: TermId, size: u64| arena.add(a, arena.bv(width, size.into()));
                let (end, other_end) = (ends(new, own), ends(other, size));
                let assumed = [
                    arena.or2(arena.ule(end, other), arena.ule(other_end, new)),
                    arena.ule(new, end),
                    arena.ule(other, other_end),
                ];
                // They have a byte in common where one begins in the other.
                let begins = |a: TermId, b: TermId, size: u64| {
                    arena.ult(arena.sub(a, b), arena.bv(width, size.into()))
                };
                let meet = arena.or2(begins(new, other, size), begins(other, new, own));
                let told = arena.and2(arena.and(said.clone()), meet);
                let all = arena.and2(path.all(), meet);
                if assumed.iter().all(|one| said.contains(one))
                    || self.questions.excludes(told, true)
                    || self.questions.excludes(all, false)
                {
                    self.terms.apart.insert(pair);
                } else {
                    are_all_apart = false;
                }
            }
            if !are_all_apart && looks > 1 {
                self.placed.push((new, looks - 1));
            }
        }
    }

    /// The conditions passed that speak of no variables but those of the two terms: of two objects of many it is these that say
    /// where they are.
    fn said_of(&mut self, path: &Path, one: TermId, other: TermId) -> Vec<TermId> {
        let arena = self.terms.arena;
        let mut own: SmallVec<[TermId; VARIABLES]> = SmallVec::new();
        for address in [one, other] {
            match self.variables(address) {
                Some(variables) => own.extend_from_slice(variables),
                None => return Vec::new(),
            }
        }
        let mut said = Vec::new();
        let mut at = path;
        for _ in 0..CONDITIONS {
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

    /// The variables of the term.
    fn variables(&mut self, term: TermId) -> &Variables {
        let arena = self.terms.arena;
        self.variables.entry(term).or_insert_with(|| {
            let mut found: SmallVec<[TermId; VARIABLES]> = SmallVec::new();
            for_each_subterm(arena, [term], |one, kind| {
                if matches!(kind, TermKind::Variable { .. }) && found.len() <= VARIABLES {
                    found.push(one);
                }
            });
            (found.len() <= VARIABLES).then_some(found)
        })
    }
}

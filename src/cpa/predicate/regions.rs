//! Sets of states as binary decision diagrams over predicates.

// The hash of a decision diagram does not change, although it has interior mutability.
#![allow(clippy::mutable_key_type)]

use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::error::OutOfMemory;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, ManagerRef};
use rustc_hash::FxHashMap;

use regatta_term::{Build, TermId};

/// Maximum number of nodes of all diagrams together.
const MAXIMUM_NODES: usize = 1 << 20;
/// Size of the cache of operations (entries).
const CACHE_SIZE: usize = 1 << 16;

/// A predicate, which is a variable of the diagrams.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

/// A Boolean combination of predicates. Equivalent combinations are the same diagram.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Region(BDDFunction);

impl Region {
    /// Checks whether the set is empty.
    pub fn is_empty(&self) -> bool {
        !self.0.satisfiable()
    }

    /// Checks whether the set is a subset of the other.
    pub fn is_within(&self, other: &Self) -> Result<bool, TooLarge> {
        Ok(self == other || self.0.imp(&other.0)?.valid())
    }

    /// Returns the intersection.
    pub fn and(&self, other: &Self) -> Result<Self, TooLarge> {
        Ok(Self(self.0.and(&other.0)?))
    }

    /// Returns the union.
    pub fn or(&self, other: &Self) -> Result<Self, TooLarge> {
        Ok(Self(self.0.or(&other.0)?))
    }

    /// Returns the difference.
    pub fn without(&self, other: &Self) -> Result<Self, TooLarge> {
        Ok(Self(other.0.imp_strict(&self.0)?))
    }

    /// Returns the root's predicate, and the cofactors where it holds and where it does not.
    fn split(&self) -> Option<(usize, Self, Self)> {
        let (with, without) = self.0.cofactors()?;
        // Levels and variables have the same order, because diagrams are not reordered.
        let root = |f: &BDDFunction| {
            f.with_manager_shared(|manager, edge| manager.get_node(edge).unwrap_inner().level())
        };
        Some((root(&self.0) as usize, Self(with), Self(without)))
    }
}

impl std::fmt::Debug for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Region of {} nodes", self.0.node_count())
    }
}

/// The maximum number of nodes is reached.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the decision diagrams are too large")]
pub struct TooLarge;

impl From<OutOfMemory> for TooLarge {
    fn from(_: OutOfMemory) -> Self {
        Self
    }
}

/// The predicates of an analysis; the variable order is that of their discovery.
pub struct Regions {
    manager: BDDManagerRef,
    predicates: Vec<TermId>,
    variables: Vec<BDDFunction>,
    ids: FxHashMap<TermId, PredicateId>,
    everything: Region,
    nothing: Region,
}

impl Default for Regions {
    fn default() -> Self {
        let manager = new_manager(MAXIMUM_NODES, CACHE_SIZE, 1);
        let (everything, nothing) = manager
            .with_manager_shared(|manager| (BDDFunction::t(manager), BDDFunction::f(manager)));
        Self {
            manager,
            predicates: Vec::new(),
            variables: Vec::new(),
            ids: FxHashMap::default(),
            everything: Region(everything),
            nothing: Region(nothing),
        }
    }
}

impl Regions {
    /// Adds the predicate, a Boolean term of the shared store over state variables at instance 0, unless it is known.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn predicate(&mut self, term: TermId) -> Result<PredicateId, TooLarge> {
        if let Some(&id) = self.ids.get(&term) {
            return Ok(id);
        }
        let variable = self.manager.with_manager_exclusive(|manager| {
            let number = manager.add_vars(1).start;
            BDDFunction::var(manager, number)
        })?;
        let id = PredicateId(self.predicates.len() as u32);
        self.predicates.push(term);
        self.variables.push(variable);
        self.ids.insert(term, id);
        Ok(id)
    }

    /// Returns the predicate that the term is, if it is one.
    pub fn known(&self, term: TermId) -> Option<PredicateId> {
        self.ids.get(&term).copied()
    }

    /// Returns the predicate as a term.
    pub fn term_of(&self, predicate: PredicateId) -> TermId {
        self.predicates[predicate.0 as usize]
    }

    /// Returns the set of all states.
    pub fn everything(&self) -> Region {
        self.everything.clone()
    }

    /// Returns the empty set.
    pub fn nothing(&self) -> Region {
        self.nothing.clone()
    }

    /// Returns the states in which the predicate has the value.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn literal(&self, predicate: PredicateId, value: bool) -> Result<Region, TooLarge> {
        let variable = &self.variables[predicate.0 as usize];
        Ok(Region(match value {
            true => variable.clone(),
            false => variable.not()?,
        }))
    }

    /// Returns the states in which each predicate has its value.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn cube(&self, literals: &[(PredicateId, bool)]) -> Result<Region, TooLarge> {
        let mut literals = literals.to_vec();
        // Built from the bottom of the diagram to its top, each step adds a single node.
        literals.sort_unstable_by(|one, other| other.cmp(one));
        let mut cube = self.everything();
        for (predicate, value) in literals {
            cube = self.literal(predicate, value)?.and(&cube)?;
        }
        Ok(cube)
    }

    /// Returns the region as a term of the pool.
    pub fn term<P: Build + ?Sized>(&self, pool: &P, region: &Region) -> TermId {
        let mut done: FxHashMap<Region, TermId> = FxHashMap::default();
        self.term_memo(pool, region, &mut done)
    }

    fn term_memo<P: Build + ?Sized>(
        &self,
        pool: &P,
        region: &Region,
        done: &mut FxHashMap<Region, TermId>,
    ) -> TermId {
        if let Some(&known) = done.get(region) {
            return known;
        }
        // The depth of the recursion is at most the number of predicates.
        let term = match region.split() {
            None => TermId::from_bool(!region.is_empty()),
            Some((root, with, without)) => {
                let with = self.term_memo(pool, &with, done);
                let without = self.term_memo(pool, &without, done);
                pool.ite(self.predicates[root], with, without)
            }
        };
        done.insert(region.clone(), term);
        term
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Sort, Symbol, store};

    #[test]
    fn regions_are_sets() {
        let mut regions = Regions::default();
        let predicates: Vec<(TermId, PredicateId)> = ["a", "b", "c"]
            .iter()
            .map(|name| {
                let term = store().variable(Symbol::new(name, Sort::Bool));
                (term, regions.predicate(term).unwrap())
            })
            .collect();
        let [(a, pa), (b, pb), (_, pc)] = predicates[..] else {
            panic!("three");
        };
        assert_eq!(regions.predicate(a), Ok(pa));
        let both = regions.cube(&[(pb, true), (pa, true)]).unwrap();
        let one = regions.literal(pa, true).unwrap();
        assert!(both.is_within(&one).unwrap() && !one.is_within(&both).unwrap());
        let rest = one.without(&both).unwrap();
        assert_eq!(rest, regions.cube(&[(pa, true), (pb, false)]).unwrap());
        assert!(rest.and(&both).unwrap().is_empty());
        assert_eq!(rest.or(&both).unwrap(), one);
        let with_c = regions.literal(pc, true).unwrap();
        let excluded = one.without(&with_c.or(&one).unwrap()).unwrap();
        assert_eq!(excluded, regions.nothing());
        assert_eq!(regions.term(store(), &both), store().and([a, b]));
        assert_eq!(regions.term(store(), &regions.everything()), TermId::TRUE);
    }
}

//! Sets of states as binary decision diagrams over predicates.

// The hash of a decision diagram does not change, although it has interior mutability.
#![allow(clippy::mutable_key_type)]

use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::error::OutOfMemory;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, ManagerRef};
use rustc_hash::FxHashMap;

use super::precision::{PredicateId, Predicates};
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, store};

/// Maximum number of nodes of all diagrams together.
const MAXIMUM_NODES: usize = 1 << 20;
/// Size of the cache of operations (entries).
const CACHE_SIZE: usize = 1 << 16;

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
    predicates: Predicates,
    /// The variable of each predicate.
    variables: Vec<BDDFunction>,
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
            predicates: Predicates::default(),
            variables: Vec::new(),
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
        if let Some(id) = self.predicates.known(term) {
            return Ok(id);
        }
        let variable = self.manager.with_manager_exclusive(|manager| {
            let number = manager.add_vars(1).start;
            BDDFunction::var(manager, number)
        })?;
        self.variables.push(variable);
        Ok(self.predicates.add(term))
    }

    /// Returns the predicate that the term is, if it is one.
    pub fn known(&self, term: TermId) -> Option<PredicateId> {
        self.predicates.known(term)
    }

    /// Returns the predicate as a term.
    pub fn term_of(&self, predicate: PredicateId) -> TermId {
        self.predicates.term_of(predicate)
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

    /// Returns the region that a Boolean term of the shared store describes. What is no connective in it is a predicate from
    /// then on.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn region(&mut self, term: TermId) -> Result<Region, TooLarge> {
        let mut done: FxHashMap<TermId, Region> = FxHashMap::default();
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let parts = connective(top);
            let (_, operands) = parts.unwrap_or((Op::And, &[]));
            let open = operands.iter().filter(|part| !done.contains_key(*part));
            let before = stack.len();
            stack.extend(open);
            if stack.len() == before {
                let region = match parts {
                    Some((op, operands)) => combine(op, operands, &done)?,
                    None => self.atom(top)?,
                };
                done.insert(top, region);
                stack.pop();
            }
        }
        Ok(done[&term].clone())
    }

    /// Returns the region of a constant or of a predicate.
    fn atom(&mut self, term: TermId) -> Result<Region, TooLarge> {
        match term {
            TermId::TRUE => Ok(self.everything()),
            TermId::FALSE => Ok(self.nothing()),
            _ => {
                let predicate = self.predicate(term)?;
                self.literal(predicate, true)
            }
        }
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
                pool.ite(self.term_of(PredicateId(root as u32)), with, without)
            }
        };
        done.insert(region.clone(), term);
        term
    }
}

/// Returns the operator and the operands of a connective of Boolean terms.
fn connective(term: TermId) -> Option<(Op, &'static [TermId])> {
    let TermKind::Apply { op, arguments } = store().kind(term) else {
        return None;
    };
    let is_connective = matches!(op, Op::And | Op::Or | Op::Not | Op::Ite | Op::Eq);
    let is_boolean = |&part: &TermId| store().sort(part) == Sort::Bool;
    (is_connective && arguments.iter().all(is_boolean)).then_some((op, arguments))
}

/// Returns the region of a connective, given those of its operands.
fn combine(
    op: Op,
    operands: &[TermId],
    regions: &FxHashMap<TermId, Region>,
) -> Result<Region, TooLarge> {
    let of = |index: usize| &regions[&operands[index]].0;
    let first = of(0).clone();
    let mut rest = (1..operands.len()).map(of);
    let result = match op {
        Op::And => rest.try_fold(first, |all, next| all.and(next))?,
        Op::Or => rest.try_fold(first, |all, next| all.or(next))?,
        Op::Not => first.not()?,
        Op::Ite => first.ite(of(1), of(2))?,
        _ => rest.try_fold(first, |all, next| all.equiv(next))?,
    };
    Ok(Region(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::Symbol;

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
        let described = store().and2(a, store().not(b));
        assert_eq!(regions.region(described), Ok(rest));
        let described = store().or2(store().not(a), store().eq(a, b));
        let implied = regions.region(described).unwrap();
        assert!(both.is_within(&implied).unwrap() && implied.and(&one).unwrap() == both);
        assert_eq!(regions.term(store(), &regions.everything()), TermId::TRUE);
    }
}

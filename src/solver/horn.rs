//! Constrained Horn clauses, as an engine that solves them gets them, and what it answers.

use super::Reason;
use regatta_term::{Arena, Sort, TermId, substitute};

/// Number of a predicate in a [`HornSystem`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

impl PredicateId {
    /// The number as an index into [`HornSystem::predicates`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An unknown predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// For messages; no two have the same.
    pub name: String,
    /// What a solution speaks of: variables, one for each argument, no two the same.
    pub parameters: Vec<TermId>,
}

impl Predicate {
    /// What a formula over the parameters says of the arguments.
    pub fn applied(&self, arena: &Arena, formula: TermId, arguments: &[TermId]) -> TermId {
        let parameters = self.parameters.iter().copied();
        let values = parameters.zip(arguments.iter().copied());
        substitute(arena, formula, &values.collect())
    }
}

/// A predicate applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    pub predicate: PredicateId,
    /// One term for each of its parameters, of the same sort.
    pub arguments: Vec<TermId>,
}

/// For all values of the variables: if the constraint and the body hold, so does the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HornClause {
    /// A Boolean term without unknown predicates.
    pub constraint: TermId,
    /// All of them hold.
    pub body: Vec<Application>,
    /// What follows; `None` is falsity.
    pub head: Option<Application>,
}

/// Clauses over unknown predicates.
#[derive(Clone, Debug, Default)]
pub struct HornSystem {
    pub predicates: Vec<Predicate>,
    pub clauses: Vec<HornClause>,
}

impl HornSystem {
    /// The sorts of the predicates' parameters and of the clauses' arguments.
    pub fn sorts(&self, arena: &Arena) -> Vec<Sort> {
        use regatta_term::Pool;
        let parameters = self.predicates.iter().flat_map(|p| &p.parameters);
        parameters.map(|&parameter| arena.sort(parameter)).collect()
    }
}

/// What an engine says of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum HornAnswer {
    /// It has a solution: for each predicate a term of the shared store over its parameters.
    Solution(Vec<TermId>),
    /// It has none: falsity follows.
    Refuted {
        /// The clauses by which it does, by their numbers: the one that derives it first, and before others those whose
        /// bodies these derive. Empty if they are not known.
        trace: Vec<usize>,
    },
    /// It was not found out, or the answer cannot be read.
    Unknown(Reason),
}

//! Systems of constrained Horn clauses, and the answers of a solver for them.

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

/// An uninterpreted predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// A unique name, for messages.
    pub name: String,
    /// The variables of a solution: one for each argument, all different.
    pub parameters: Vec<TermId>,
}

impl Predicate {
    /// Substitutes the arguments for the parameters in a formula.
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
    /// One term for each parameter of the predicate, of the same sort.
    pub arguments: Vec<TermId>,
}

/// A clause: for all values of the variables, if the constraint and the body hold, so does the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HornClause {
    /// A Boolean term without uninterpreted predicates.
    pub constraint: TermId,
    /// A conjunction.
    pub body: Vec<Application>,
    /// The conclusion; `None` is falsity.
    pub head: Option<Application>,
    /// The number of the error location that is not reached if the clause holds, if it is about one.
    pub error: Option<u32>,
}

/// Clauses over uninterpreted predicates.
#[derive(Clone, Debug, Default)]
pub struct HornSystem {
    pub predicates: Vec<Predicate>,
    pub clauses: Vec<HornClause>,
}

impl HornSystem {
    /// The sorts of the predicates' parameters.
    pub fn sorts(&self, arena: &Arena) -> Vec<Sort> {
        use regatta_term::Pool;
        let parameters = self.predicates.iter().flat_map(|p| &p.parameters);
        parameters.map(|&parameter| arena.sort(parameter)).collect()
    }
}

/// The answer of a solver to a system.
#[derive(Clone, Debug, PartialEq)]
pub enum HornAnswer {
    /// A solution: for each predicate a term of the shared store over its parameters.
    Solution(Vec<TermId>),
    /// There is no solution: falsity follows.
    Refuted {
        /// Numbers of the clauses of a derivation of falsity, the clause with falsity as its head first and each clause
        /// before those that derive its body. Empty if the derivation is not known.
        trace: Vec<usize>,
    },
    /// The system was not decided, or the answer cannot be read.
    Unknown(Reason),
}

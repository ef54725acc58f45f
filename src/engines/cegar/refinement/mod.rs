//! The operators of refinement (\[BDW18\], sections 3.2.4 and 3.3), for each representation of abstraction formulas.
//!
//! * [`predicates`]: interpolants become predicates, and states that lack them are explored again.
//! * [`strengthening`]: interpolants strengthen the states of the path, and may become predicates of new states as well.
//! * [`coverage`]: strengthening and the covering relation; forced covering.

mod coverage;
mod predicates;
mod strengthening;

use std::rc::Rc;

use self::coverage::Coverage;
use super::PredicateSource;
use super::counterexample::{AbstractPath, Assumed};
use super::model::Model;
use super::selection::Selection;
use crate::SolverFactory;
use regatta_base::choice;
use regatta_base::counters::{self, Counter};
use regatta_cpa::ElementId;
use regatta_cpa::predicate::boolean::{BooleanAbstraction, Covering};
use regatta_cpa::predicate::precision::Precision;
use regatta_cpa::predicate::representation::Representation;
use regatta_program::InlinedLocation;
use regatta_sharing::{Candidate, Exchange, Predicate};
use regatta_solver::SolverError;
use regatta_term::{Build, TermId, store};

/// The use of interpolants.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// Predicate refinement: their atoms become predicates, and states that lack them are explored again.
    Predicates,
    /// IMPACT refinement: they strengthen the states of the path.
    Strengthening,
    /// They strengthen the states of the path, and their atoms become predicates of new states (UFO).
    Both,
}

/// The states that get new predicates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that are expanded from then on.
    All,
    /// Those from which states that a refinement has removed are explored again, and what is reached from these
    /// (\[BDW18\], section 3.2.4).
    Local,
}
choice!(Scope: "all" = Self::All, "local" = Self::Local);

/// The operators of refinement and of forced covering.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Operators {
    /// What is made of interpolants.
    pub interpolants: Use,
    /// Where predicates and interpolants come from.
    pub source: PredicateSource,
    /// The states that get new predicates, for [`Use::Predicates`].
    pub scope: Scope,
    /// Whether it is checked at the end of every block whether the block can be executed. If not, the abstraction is true
    /// where there are no predicates.
    pub checks_all_blocks: bool,
    /// Maximum number of states that are tried to cover another by force, the newest first; `None` for fcover^id.
    pub forced_covering: Option<u32>,
}

/// What is known of a path from the root to a target that is infeasible.
pub struct Known<'k> {
    /// Invariants of its path program, if there are some: interpolants at the states between the first and the last.
    pub of_path_program: Option<Vec<TermId>>,
    /// Invariants of the store on the path that interpolants need not say.
    pub invariants: &'k [Assumed],
}

/// Refinement and forced covering with these operators.
pub struct Refinement<'f> {
    operators: Operators,
    selection: Selection<'f>,
    /// Computes interpolants from selected predicates, where none are found otherwise.
    boolean: Option<BooleanAbstraction<'f>>,
    /// The predicates with which new abstractions are computed; of [`Scope::Local`] all predicates together.
    precision: Rc<Precision>,
    /// The interpolants that have strengthened states, as candidate invariants.
    used: Vec<Candidate>,
}

impl<'f> Refinement<'f> {
    /// Creates it without predicates.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(operators: Operators, solvers: &'f SolverFactory<'f>) -> Result<Self, SolverError> {
        let selects_interpolants = operators.interpolants != Use::Predicates
            && operators.source == PredicateSource::Program;
        Ok(Self {
            operators,
            selection: Selection::new(solvers)?,
            boolean: selects_interpolants
                .then(|| BooleanAbstraction::new(solvers, Covering::Single)),
            precision: Rc::default(),
            used: Vec::new(),
        })
    }

    /// Refines the model, given that the path from the root to a target is infeasible.
    ///
    /// # Errors
    /// When refinement fails, with a reason in words.
    pub fn refine<A: Representation>(
        &mut self,
        model: Model<'_, A>,
        path: &AbstractPath,
        known: Known<'_>,
    ) -> Result<(), String> {
        match self.operators.interpolants {
            Use::Predicates => self.add_predicates(model, path, known),
            Use::Strengthening | Use::Both => self.strengthen(model, path, known),
        }
    }

    /// Takes predicates of other engines, which selection tries before interpolants.
    pub fn take_predicates(&mut self, exchange: &Exchange<'_>) {
        if self.operators.source == PredicateSource::Program {
            for predicate in exchange.predicates() {
                let (at, formula) = (predicate.at(), predicate.formula());
                self.selection.suggest(at, formula);
            }
        }
    }

    /// Returns the predicates that selection has chosen since the last call.
    pub fn selected(&mut self) -> Vec<Predicate> {
        let selected = self.selection.chosen.drain(..);
        selected
            .map(|(at, formula)| Predicate::new(at, formula))
            .collect()
    }

    /// The operator fcover.
    pub fn force_cover<A: Representation>(&self, model: Model<'_, A>, id: ElementId) -> bool {
        let Some(attempts) = self.operators.forced_covering else {
            return false;
        };
        let force = || Coverage::new(model).force(id, attempts as usize);
        counters::time(Counter::ForcedCovering, force)
    }

    /// Returns the precision of the initial state.
    pub fn precision(&self) -> Rc<Precision> {
        Rc::clone(&self.precision)
    }

    /// Adds an invariant that another analysis has proved.
    pub fn assume<A: Representation>(
        &mut self,
        abstraction: &mut A,
        at: InlinedLocation,
        invariant: TermId,
    ) {
        abstraction.assume(at, invariant);
        if let Some(boolean) = &mut self.boolean {
            boolean.assume(at, invariant);
        }
    }

    /// Returns the formulas that have been useful, with their locations: the interpolants that have strengthened states; for
    /// predicate refinement, the predicates and their negations.
    pub fn used<A: Representation>(&self, abstraction: &A) -> Vec<Candidate> {
        let mut all = self.used.clone();
        if self.operators.interpolants == Use::Predicates {
            for (at, predicates) in self.precision.places() {
                for &predicate in predicates {
                    let formula = abstraction.term_of(predicate);
                    all.extend(Candidate::each(at, [formula, store().not(formula)]));
                }
            }
        }
        all
    }

    /// Returns the reason why the analysis cannot continue, if any.
    pub fn failure<A: Representation>(&self, abstraction: &A) -> Option<String> {
        let of_interpolation = || self.boolean.as_ref()?.failure();
        abstraction.failure().or_else(of_interpolation)
    }
}

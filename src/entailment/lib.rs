//! Entailment: decides whether premises imply a goal, with a full solver query as the last resort.
//!
//! Solvers are bad at products and at sums that differ between branches: they compare adders bit by bit where the normal form of
//! terms shows the equality at once. So a query passes through stages of increasing cost:
//!
//! 1. the goal is true, or one of the premises;
//! 2. equations among the premises decide it in each case of its conditions ([`by_cases`]), as they are or with products and
//!    quotients abstracted to unknowns ([`unknowns`]);
//! 3. it holds by multiplying out alone (stage 6 without a solver), or for each power of two that a variable may be, if the
//!    premises say that the variable is one ([`powers`]);
//! 4. a solver finds that it holds for all values of the products and quotients;
//! 5. a solver finds so under the laws of division for remainders by the same divisor ([`remainders`]);
//! 6. it follows from polynomial equations whose conditions a solver finds to hold for all values of products and quotients
//!    ([`by_polynomials`]);
//! 7. a solver finds that it holds.
//!
//! Stages 1 and 2 ask no solver. The last stage is left to the caller: the checker wants models that show which of its
//! conditions can hold, Houdini refutes many candidates with one model.
//!
//! # Trust
//! Both the engines that search for proofs and the checker of proofs (`regatta_certify`) use these stages: like the constructors
//! of terms, they belong to the trusted base of an answer. Three measures guard them: each rule has planted faults that a test
//! must catch (`tests/faults`); the tests here have Z3 confirm, on random formulas, whatever is found without it; and under
//! `--check thorough` everything that the checker has found in any stage is asked of Z3, Bitwuzla and a separate solver, in
//! its form before the first stage (`regatta_certify::opinion`).

mod by_cases;
mod by_polynomials;
mod combination;
mod laws;
mod limits;
mod polynomials;
mod powers;
mod remainders;
#[cfg(test)]
mod tests;
pub mod unknowns;

use std::cell::{OnceCell, RefCell};
use std::convert::Infallible;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use self::by_cases::{Equations, is_equation};
use self::unknowns::Abstraction;
use regatta_term::{Arena, Build, TermId};

/// Indices of premises that imply a goal; they need not be minimal.
pub type Core = Vec<usize>;

/// A solver that the stages before the last may ask.
pub trait Oracle {
    /// The reason for which the caller stops.
    type Stop;

    /// Whether it ever answers.
    const ANSWERS: bool = true;

    /// Returns the indices of an unsatisfiable core of the assertions. `Ok(None)` means unknown.
    ///
    /// # Errors
    /// When the caller has to stop.
    fn unsatisfiable_core(
        &mut self,
        assertions: &[TermId],
        stage: Stage,
    ) -> Result<Option<Core>, Self::Stop>;

    /// Checks which of the formulas hold in a model of the assertions of the last query. `false` means unknown.
    fn hold_in_model(&mut self, formulas: &[TermId]) -> Vec<bool> {
        vec![false; formulas.len()]
    }
}

/// An oracle that never answers.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoOracle;

impl Oracle for NoOracle {
    type Stop = Infallible;
    const ANSWERS: bool = false;

    fn unsatisfiable_core(&mut self, _: &[TermId], _: Stage) -> Result<Option<Core>, Infallible> {
        Ok(None)
    }
}

/// The stage in which a solver is asked, which determines the time that the query is worth.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Stage 3: a power of two has a fixed value.
    Power,
    /// Stages 4 to 6: products and quotients are unknowns.
    Unknowns,
}

/// Premises, with data that is computed once for many goals.
pub struct Premises<'p> {
    arena: &'p Rc<Arena>,
    formulas: &'p [TermId],
    equations: OnceCell<Equations<'p>>,
    abstraction: RefCell<Abstraction>,
    /// The formulas with products and quotients abstracted to unknowns, and the solved equations among them.
    coarse: OnceCell<Vec<TermId>>,
    coarse_equations: OnceCell<Equations<'p>>,
}

impl<'p> Premises<'p> {
    /// Creates premises from formulas that are terms of the arena.
    pub fn new(arena: &'p Rc<Arena>, formulas: &'p [TermId]) -> Self {
        Self {
            arena,
            formulas,
            equations: OnceCell::new(),
            abstraction: RefCell::new(Abstraction::new(arena)),
            coarse: OnceCell::new(),
            coarse_equations: OnceCell::new(),
        }
    }

    /// Returns the premises with products and quotients abstracted to unknowns.
    pub fn without_products(&self) -> &[TermId] {
        self.coarse.get_or_init(|| {
            let formulas = self.formulas.iter();
            formulas.map(|&one| self.product_free(one)).collect()
        })
    }

    /// Returns the term with products and quotients abstracted to the same unknowns as in the premises.
    pub fn product_free(&self, term: TermId) -> TermId {
        self.abstraction.borrow_mut().of(term)
    }

    /// Checks whether a term abstracted so far has products or quotients.
    pub fn have_products(&self) -> bool {
        self.abstraction.borrow().is_coarser()
    }

    /// Checks whether stages 1 and 2 find that the goal, an equation, is implied. `false` means unknown.
    pub fn imply(&self, goal: TermId) -> bool {
        if goal == TermId::TRUE || self.formulas.contains(&goal) {
            return true;
        }
        if !is_equation(self.arena, goal) {
            return false;
        }
        let equations = self
            .equations
            .get_or_init(|| Equations::new(self.arena, self.formulas));
        if equations.imply(goal) {
            return true;
        }
        let coarse = self.without_products();
        let coarse_goal = self.product_free(goal);
        if !self.have_products() {
            return false;
        }
        let solved = || Equations::new(self.arena, coarse);
        self.coarse_equations.get_or_init(solved).imply(coarse_goal)
            || equations.imply_in_view(goal, |left| self.product_free(left))
    }

    /// Returns premises that imply the goal by stages 1 and 2. The goal `false` is implied by contradictory premises.
    pub(crate) fn without_solver(&self, goal: TermId) -> Option<Core> {
        if goal == TermId::TRUE {
            return Some(Vec::new());
        }
        let mut premises = self.formulas.iter();
        if let Some(place) =
            premises.position(|&premise| premise == goal || premise == TermId::FALSE)
        {
            return Some(vec![place]);
        }
        if let Some(core) = by_cases::core(self.arena, self.formulas, goal) {
            return Some(core);
        }
        let coarse = self.without_products();
        let coarse_goal = self.product_free(goal);
        if !self.have_products() {
            return None;
        }
        let in_view = || {
            let view = |left| self.product_free(left);
            by_cases::core_in_view(self.arena, self.formulas, goal, view)
        };
        by_cases::core(self.arena, coarse, coarse_goal).or_else(in_view)
    }

    /// Returns premises that imply the goal by stages 1 to 6.
    ///
    /// # Errors
    /// When the oracle stops.
    pub fn before_last_stage<O: Oracle>(
        &self,
        goal: TermId,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        if let Some(core) = self.without_solver(goal) {
            return Ok(Some(core));
        }
        if self.have_products()
            && let Some(core) = self.by_multiplying_out(goal)
        {
            return Ok(Some(core));
        }
        if let Some(core) = self.by_powers(goal, oracle)? {
            return Ok(Some(core));
        }
        let mut found = self.by_unknowns(goal, Stage::Unknowns, oracle)?;
        if found.is_none() {
            found = self.by_remainders(goal, oracle)?;
        }
        if found.is_none() {
            found = self.by_polynomials(goal, oracle)?;
        }
        Ok(found)
    }

    /// Returns premises that imply the goal by stage 6 without a solver: by unconditional polynomial equations, in each case of
    /// the goal's conditions.
    pub fn by_multiplying_out(&self, goal: TermId) -> Option<Core> {
        let Ok(core) = self.by_polynomials(goal, &mut NoOracle);
        core
    }

    /// Returns premises that imply the goal by stage 3: for each power of two that a variable may be.
    ///
    /// # Errors
    /// When the oracle stops.
    pub fn by_powers<O: Oracle>(
        &self,
        goal: TermId,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let formulas = [self.formulas, &[goal]].concat();
        let Some(power) = powers::power_of_two(&**self.arena, self.formulas, &formulas) else {
            return Ok(None);
        };
        let mut used: FxHashSet<usize> = FxHashSet::default();
        used.insert(power.premise);
        for case in powers::cases(&**self.arena, power, &formulas) {
            let (&goal, premises) = case.split_last().expect("the goal");
            let premises = Premises::new(self.arena, premises);
            let mut core = premises.without_solver(goal);
            if core.is_none() {
                core = premises.by_unknowns(goal, Stage::Power, oracle)?;
            }
            if core.is_none() {
                core = premises.ask(premises.formulas, goal, Stage::Power, oracle)?;
            }
            match core {
                Some(core) => used.extend(core),
                None => return Ok(None),
            }
        }
        Ok(Some(sorted(used)))
    }

    /// Returns premises that imply the goal by stage 4.
    fn by_unknowns<O: Oracle>(
        &self,
        goal: TermId,
        stage: Stage,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let coarse = self.without_products();
        let goal = self.product_free(goal);
        match self.have_products() {
            true => self.ask(coarse, goal, stage, oracle),
            false => Ok(None),
        }
    }

    /// Asks the oracle which of the premises, abstracted or not, imply the goal.
    fn ask<O: Oracle>(
        &self,
        premises: &[TermId],
        goal: TermId,
        stage: Stage,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let assertions = [premises, &[self.arena.not(goal)]].concat();
        let core = oracle.unsatisfiable_core(&assertions, stage)?;
        Ok(core.map(|mut core| {
            core.retain(|&place| place < premises.len());
            core
        }))
    }
}

fn sorted(places: FxHashSet<usize>) -> Core {
    let mut core: Core = places.into_iter().collect();
    core.sort_unstable();
    core
}

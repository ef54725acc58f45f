//! Entailment: whether premises imply a goal, with a solver as the last resort.
//!
//! Solvers are bad at products and at sums of which each branch has its own: they compare adders bit by bit where the normal
//! form of terms knows at once. So questions climb a ladder, whose rungs are dearer and dearer:
//!
//! 1. the goal is true, or one of the premises;
//! 2. equations among the premises decide it in each case of its conditions ([`by_cases`]), as they are or with unknowns in
//!    the places of products and quotients ([`unknowns`]);
//! 3. it holds by multiplying out alone (rung 6 without a solver), or whichever power of two a variable is, if the premises
//!    say that it is one ([`powers`]);
//! 4. a solver finds that it holds whatever products and quotients are;
//! 5. it finds so if remainders by the same divisor obey the laws of division ([`remainders`]);
//! 6. polynomial equations whose conditions a solver finds to hold, whatever products and quotients are, decide it
//!    ([`by_polynomials`]);
//! 7. a solver finds that it holds.
//!
//! The lower rungs ask no solver, the last one is whoever's own who asks: the checker wants models that show which of its
//! conditions can hold, Houdini refutes many candidates with one.
//!
//! # Trust
//! Those who look for proofs climb this ladder and so does the checker of proofs, [`crate::certify`]: like the constructors of
//! terms, it is part of what an answer rests on. Three things watch it: each rule has planted faults that a test must catch
//! (`tests/faults`); the tests here have Z3 confirm, on random formulas, whatever is found without it; and under
//! `--check thorough` everything that the checker has found on any rung is asked of two solvers, as it was before the first
//! rung ([`crate::certify::opinion`]).

pub mod by_cases;
mod by_polynomials;
mod combination;
mod laws;
mod polynomials;
pub mod powers;
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
use crate::term::{Arena, Build, TermId};

/// Premises of which nobody need look for fewer, by their places.
pub type Core = Vec<usize>;

/// A solver that is asked on the ladder.
pub trait Oracle {
    /// Why there is no point in asking on.
    type Stop;

    /// Whether it ever says anything.
    const ANSWERS: bool = true;

    /// Whether the assertions exclude one another; if so, which of them do so, by their places. `Ok(None)` says nothing.
    ///
    /// # Errors
    /// When the one who asks is to stop.
    fn exclude(&mut self, assertions: &[TermId], rung: Rung) -> Result<Option<Core>, Self::Stop>;

    /// Which of the formulas hold in a model of the assertions that were asked about last. `false` says nothing.
    fn shown(&mut self, formulas: &[TermId]) -> Vec<bool> {
        vec![false; formulas.len()]
    }
}

/// Nobody to ask.
#[derive(Copy, Clone, Debug, Default)]
pub struct Silence;

impl Oracle for Silence {
    type Stop = Infallible;
    const ANSWERS: bool = false;

    fn exclude(&mut self, _: &[TermId], _: Rung) -> Result<Option<Core>, Infallible> {
        Ok(None)
    }
}

/// Where on the ladder a solver is asked, which says how long it is worth to wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rung {
    /// With one value in the place of a power of two.
    Power,
    /// With unknowns in the places of products and quotients.
    Unknowns,
}

/// Premises, with what is worked out about them once for many goals.
pub struct Premises<'p> {
    arena: &'p Rc<Arena>,
    formulas: &'p [TermId],
    equations: OnceCell<Equations<'p>>,
    abstraction: RefCell<Abstraction>,
    /// The formulas with unknowns in the places of products and quotients, and those of them that are equations, solved.
    coarse: OnceCell<Vec<TermId>>,
    coarse_equations: OnceCell<Equations<'p>>,
}

impl<'p> Premises<'p> {
    /// Of the formulas, terms of the arena.
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

    /// The premises with unknowns in the places of products and quotients.
    pub fn without_products(&self) -> &[TermId] {
        self.coarse.get_or_init(|| {
            let formulas = self.formulas.iter();
            formulas.map(|&one| self.product_free(one)).collect()
        })
    }

    /// The term with the same unknowns in the places of the same products and quotients.
    pub fn product_free(&self, term: TermId) -> TermId {
        self.abstraction.borrow_mut().of(term)
    }

    /// Whether something that was looked at so far has products or quotients.
    pub fn have_products(&self) -> bool {
        self.abstraction.borrow().is_coarser()
    }

    /// Rungs 1 and 2, for a goal that is no more than an equation: whether it is implied. `false` says nothing.
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

    /// Rungs 1 and 2: premises that imply the goal. The goal `false` is implied by premises that exclude one another.
    pub fn without_solver(&self, goal: TermId) -> Option<Core> {
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

    /// Rungs 1 to 6: premises that imply the goal.
    ///
    /// # Errors
    /// When the oracle stops.
    pub fn below_the_last<O: Oracle>(
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
        let mut found = self.by_unknowns(goal, Rung::Unknowns, oracle)?;
        if found.is_none() {
            found = self.by_remainders(goal, oracle)?;
        }
        if found.is_none() {
            found = self.by_polynomials(goal, oracle)?;
        }
        Ok(found)
    }

    /// Rung 6 without a solver: polynomial equations that hold under no condition, or in each case of the goal's choices.
    pub fn by_multiplying_out(&self, goal: TermId) -> Option<Core> {
        let Ok(core) = self.by_polynomials(goal, &mut Silence);
        core
    }

    /// Rung 3: premises that imply the goal whichever power of two a variable is.
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
        used.insert(power.said_by);
        for case in powers::cases(&**self.arena, power, &formulas) {
            let (&goal, premises) = case.split_last().expect("the goal");
            let premises = Premises::new(self.arena, premises);
            let mut core = premises.without_solver(goal);
            if core.is_none() {
                core = premises.by_unknowns(goal, Rung::Power, oracle)?;
            }
            if core.is_none() {
                core = premises.ask(premises.formulas, goal, Rung::Power, oracle)?;
            }
            match core {
                Some(core) => used.extend(core),
                None => return Ok(None),
            }
        }
        Ok(Some(sorted(used)))
    }

    /// Rung 4.
    fn by_unknowns<O: Oracle>(
        &self,
        goal: TermId,
        rung: Rung,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let coarse = self.without_products();
        let goal = self.product_free(goal);
        match self.have_products() {
            true => self.ask(coarse, goal, rung, oracle),
            false => Ok(None),
        }
    }

    /// Asks the oracle which of the premises, in one form or the other, imply the goal.
    fn ask<O: Oracle>(
        &self,
        premises: &[TermId],
        goal: TermId,
        rung: Rung,
        oracle: &mut O,
    ) -> Result<Option<Core>, O::Stop> {
        let assertions = [premises, &[self.arena.not(goal)]].concat();
        let core = oracle.exclude(&assertions, rung)?;
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

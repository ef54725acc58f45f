//! Queries about single transitions: the constraints *Global* of Figure 6, in one solver that is kept across iterations.

use std::time::{Duration, Instant};

use super::limits::{
    MAXIMUM_MINIMISATION_QUERY_TIME, MAXIMUM_MINIMISATION_TIME, MAXIMUM_QUERY_TIME,
};
use super::program::CountedProgram;
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{Build, Sort, Symbol, TermId};

/// The transitions of a program in a solver.
///
/// For each transition, an activation literal E states that it is taken; for each of its constraints, an activation literal
/// σ in Σ states that the constraint holds; and one activation literal states that all of its constraints hold.
pub struct Steps<'p> {
    program: &'p CountedProgram,
    solver: Box<dyn Solver>,
    taken: Vec<TermId>,
    assumptions: Vec<Vec<TermId>>,
    concrete: Vec<TermId>,
}

impl<'p> Steps<'p> {
    /// Creates it in a solver without assertions whose arena is the program's.
    pub fn new(program: &'p CountedProgram, mut solver: Box<dyn Solver>) -> Self {
        let arena = &program.arena;
        let mut literals = 0;
        let mut literal = || {
            literals += 1;
            arena.variable_at(Symbol::new("assumption", Sort::Bool), literals)
        };
        let (mut taken, mut assumptions, mut concrete) = (Vec::new(), Vec::new(), Vec::new());
        for transition in &program.transitions {
            let (is_taken, is_concrete) = (literal(), literal());
            solver.assert(arena.implies(is_taken, transition.always));
            let mut own = Vec::new();
            for &constraint in &transition.constraints {
                let holds = literal();
                solver.assert(arena.implies(holds, constraint.formula(arena)));
                solver.assert(arena.implies(is_concrete, holds));
                own.push(holds);
            }
            taken.push(is_taken);
            concrete.push(is_concrete);
            assumptions.push(own);
        }
        Self {
            program,
            solver,
            taken,
            assumptions,
            concrete,
        }
    }

    pub fn program(&self) -> &'p CountedProgram {
        self.program
    }

    /// Returns the activation literals of the transition's constraints, in order.
    pub fn assumptions(&self, transition: usize) -> &[TermId] {
        &self.assumptions[transition]
    }

    /// Returns the activation literal of all constraints of the transition.
    pub fn concrete(&self, transition: usize) -> TermId {
        self.concrete[transition]
    }

    /// Runs a query with the transition and the formulas asserted.
    pub fn within<R>(
        &mut self,
        transition: usize,
        formulas: impl IntoIterator<Item = TermId>,
        ask: impl FnOnce(&mut dyn Solver) -> R,
    ) -> R {
        let taken = self.taken[transition];
        within(&mut *self.solver, [taken].into_iter().chain(formulas), ask)
    }

    /// Runs a query with the formulas asserted.
    pub fn about<R>(
        &mut self,
        formulas: impl IntoIterator<Item = TermId>,
        ask: impl FnOnce(&mut dyn Solver) -> R,
    ) -> R {
        within(&mut *self.solver, formulas, ask)
    }
}

fn within<R>(
    solver: &mut dyn Solver,
    formulas: impl IntoIterator<Item = TermId>,
    ask: impl FnOnce(&mut dyn Solver) -> R,
) -> R {
    solver.push();
    for formula in formulas {
        solver.assert(formula);
    }
    let result = ask(solver);
    solver.pop();
    result
}

/// Checks whether the assumptions are consistent with the assertions.
pub fn check(solver: &mut dyn Solver, assumptions: &[TermId]) -> Answer {
    check_within(solver, assumptions, MAXIMUM_QUERY_TIME)
}

fn check_within(solver: &mut dyn Solver, assumptions: &[TermId], time: Duration) -> Answer {
    solver.set_limit(CheckLimit {
        time: Some(time),
        resource: None,
    });
    solver.check(assumptions)
}

/// The result of the search for a core.
pub enum Core {
    /// Assumptions that are inconsistent with the assertions, minimal if time allowed.
    Found(Vec<TermId>),
    /// All assumptions are consistent with the assertions.
    Consistent,
    /// The solver did not decide it.
    Unknown,
}

/// Minimises the assumptions that are inconsistent with the assertions; tries to remove the first ones first.
pub fn minimal_core(solver: &mut dyn Solver, assumptions: &[TermId]) -> Core {
    match check(solver, assumptions) {
        Answer::Unsatisfiable => {}
        Answer::Satisfiable => return Core::Consistent,
        Answer::Unknown(_) => return Core::Unknown,
    }
    let until = Instant::now() + MAXIMUM_MINIMISATION_TIME;
    let in_order = |core: &[TermId]| -> Vec<TermId> {
        let assumptions = assumptions.iter().copied();
        assumptions.filter(|one| core.contains(one)).collect()
    };
    let mut core = in_order(&solver.unsat_core());
    // The assumptions before this index are needed.
    let mut next = 0;
    while next < core.len() && Instant::now() < until {
        let mut less = core.clone();
        less.remove(next);
        if check_within(solver, &less, MAXIMUM_MINIMISATION_QUERY_TIME) == Answer::Unsatisfiable {
            core = in_order(&solver.unsat_core());
        } else {
            next += 1;
        }
    }
    Core::Found(core)
}

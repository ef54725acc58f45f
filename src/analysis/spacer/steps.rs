//! Questions about single transitions: the constraints *Global* of Figure 6, in one solver that is kept all along.

use std::time::{Duration, Instant};

use super::program::CountedProgram;
use crate::solver::{Answer, CheckLimit, Solver};
use crate::term::{Build, Sort, Symbol, TermId};

/// Wall time of a question on which something depends, and of one of the many that make a core smaller.
const PATIENT: Duration = Duration::from_secs(10);
const IMPATIENT: Duration = Duration::from_millis(200);

/// Wall time for making one core smaller.
const MINIMISATION: Duration = Duration::from_secs(1);

/// The transitions of a program in a solver.
///
/// A literal for each, E, says that it is taken; one for each of its constraints, σ in Σ, that the constraint holds; and
/// one for all of them that they all do.
pub struct Steps<'p> {
    program: &'p CountedProgram,
    solver: Box<dyn Solver>,
    taken: Vec<TermId>,
    assumptions: Vec<Vec<TermId>>,
    concrete: Vec<TermId>,
}

impl<'p> Steps<'p> {
    /// In a solver without assertions whose arena is the program's.
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

    /// The program.
    pub fn program(&self) -> &'p CountedProgram {
        self.program
    }

    /// The assumptions of the transition's constraints, in order.
    pub fn assumptions(&self, transition: usize) -> &[TermId] {
        &self.assumptions[transition]
    }

    /// That all of the transition's constraints hold.
    pub fn concrete(&self, transition: usize) -> TermId {
        self.concrete[transition]
    }

    /// Asks about the transition, of which the formulas hold.
    pub fn within<R>(
        &mut self,
        transition: usize,
        formulas: impl IntoIterator<Item = TermId>,
        ask: impl FnOnce(&mut dyn Solver) -> R,
    ) -> R {
        let taken = self.taken[transition];
        within(&mut *self.solver, [taken].into_iter().chain(formulas), ask)
    }

    /// Asks about the formulas, and nothing else.
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

/// Whether the assumptions are consistent with what is asserted.
pub fn check(solver: &mut dyn Solver, assumptions: &[TermId]) -> Answer {
    limited(solver, assumptions, PATIENT)
}

fn limited(solver: &mut dyn Solver, assumptions: &[TermId], time: Duration) -> Answer {
    solver.set_limit(CheckLimit {
        time: Some(time),
        resource: None,
    });
    solver.check(assumptions)
}

/// What an attempt to find a core has brought.
pub enum Core {
    /// Assumptions that what is asserted contradicts: as a rule, none of them can be left out.
    Found(Vec<TermId>),
    /// All assumptions are consistent with it.
    Consistent,
    /// It was not found out.
    Unknown,
}

/// The assumptions that what is asserted contradicts, without those that need not be; the first go first.
pub fn minimal_core(solver: &mut dyn Solver, assumptions: &[TermId]) -> Core {
    match check(solver, assumptions) {
        Answer::Unsatisfiable => {}
        Answer::Satisfiable => return Core::Consistent,
        Answer::Unknown(_) => return Core::Unknown,
    }
    let until = Instant::now() + MINIMISATION;
    let in_order = |core: &[TermId]| -> Vec<TermId> {
        let assumptions = assumptions.iter().copied();
        assumptions.filter(|one| core.contains(one)).collect()
    };
    let mut core = in_order(&solver.unsat_core());
    // Those before this one are needed.
    let mut next = 0;
    while next < core.len() && Instant::now() < until {
        let mut less = core.clone();
        less.remove(next);
        if limited(solver, &less, IMPATIENT) == Answer::Unsatisfiable {
            core = in_order(&solver.unsat_core());
        } else {
            next += 1;
        }
    }
    Core::Found(core)
}

//! Refinement of the domain (thesis, section 3.4).
//!
//! The states have no predecessor in the frame, their abstraction has one. For each step that leads to their place, an
//! interpolant J between the frame with the step and the states says why they are not reached; ¬J, of which the states
//! are a part, becomes predicates, conjunct by conjunct. With these the abstraction has no predecessor either.

use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::cube::State;
use super::frames::Level;
use super::system::{PlaceId, Step, state_formula};
use super::{Ctigar, Stop};
use crate::analysis::Context;
use crate::program::conditions::conjuncts;
use crate::solver::interpolation::{
    Choice, Interpolation, InterpolationConfig, Interpolator, Interpolators, Sequence,
};
use crate::solver::{Answer, CheckLimit, Solver};
use crate::term::{Arena, Build, Rebuild, Sort, Symbol, TermId, store};

/// Where predicates come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Interpolants; half-spaces where there are none.
    Interpolants,
    /// For each step, of what the states say, bounds of single cells that an unsat core needs.
    HalfSpaces,
}

/// Wall time of an interpolation.
const INTERPOLATION: Duration = Duration::from_secs(2);

/// Finds predicates.
pub struct Refiner {
    interpolator: Interpolators,
    arena: Rc<Arena>,
}

impl Refiner {
    /// With a solver of its own.
    pub fn new(solver: Box<dyn Solver>, context: &Context<'_>) -> Self {
        let config = InterpolationConfig {
            choice: Choice::Best,
            conditions_time: Duration::from_millis(500),
            horn_time: Duration::from_millis(500),
            ..InterpolationConfig::default()
        };
        let arena = Rc::clone(solver.arena());
        let interpolator = Interpolators::new(config, solver);
        context.token.interrupts(interpolator.interrupter());
        Self {
            interpolator,
            arena,
        }
    }
}

/// What a refinement is about: the states after a step, their cells each as a variable.
struct Question {
    /// The frame and the step.
    before: Vec<TermId>,
    /// What the states say.
    after: Vec<TermId>,
    /// Variables of the cells, and what they are in the state.
    cells: FxHashMap<TermId, TermId>,
}

impl Ctigar<'_> {
    /// REFINEABSTRACTDOMAIN for states that have no predecessor in the frame.
    pub(super) fn refine(
        &mut self,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<(), Stop> {
        self.statistics.refinements += 1;
        let mut new = 0;
        let mut steps = self.system.incoming(state.at);
        steps.retain(|step| level > Level(0) || step.from == PlaceId::ENTRY);
        for &step in &steps {
            if context.token.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            context.safe_point();
            let question = self.question(step, state, level);
            let found = match self.options.interpolation {
                Source::Interpolants => self.interpolant(&question),
                Source::HalfSpaces => None,
            };
            match found {
                Some(formula) => {
                    self.statistics.interpolants += 1;
                    new += self.domain.add(formula);
                }
                None => {
                    self.statistics.half_spaces += 1;
                    let half_spaces = self.half_spaces(step, state, level, context)?;
                    new += half_spaces
                        .into_iter()
                        .map(|one| self.domain.add(one))
                        .sum::<usize>();
                }
            }
        }
        if self.options.mining {
            self.mine(state);
        }
        if new == 0 {
            // What the states say is an interpolant as well.
            new += self.domain.add(state_formula(store(), state));
        }
        match new {
            0 => Err(Stop::Undecided(
                "no predicate refines the domain".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn question(&self, step: Step, state: &State, level: Level) -> Question {
        let arena = &self.refiner.arena;
        let mut before = match step.from {
            PlaceId::ENTRY => self.system.invariants(step.from).to_vec(),
            from => self
                .system
                .frame_at(from, level, &self.frames, &self.domain),
        };
        if step.from == state.at {
            before.push(arena.not(state_formula(&**arena, state)));
        }
        before.push(self.system.block(step).guard);
        let mut after = Vec::new();
        let mut cells = FxHashMap::default();
        for (number, (cell, value)) in (1..).zip(&state.cells) {
            let term = cell.term(store());
            let behind = self.system.behind(arena, step, term);
            let variable = arena.variable_at(Symbol::new("cell#", value.sort()), number);
            before.push(arena.eq(variable, behind));
            after.push(arena.eq(variable, arena.value(value)));
            cells.insert(variable, term);
        }
        Question {
            before,
            after,
            cells,
        }
    }

    /// The negation of an interpolant, over the state.
    fn interpolant(&mut self, question: &Question) -> Option<TermId> {
        let Refiner {
            interpolator,
            arena,
        } = &mut self.refiner;
        let formulas = [&question.before, &question.after].map(|parts| arena.and(parts.clone()));
        let cut: Vec<TermId> = question.cells.keys().copied().collect();
        interpolator.set_limit(CheckLimit {
            time: Some(INTERPOLATION),
            resource: None,
        });
        let answer = interpolator.interpolate(Sequence {
            formulas: &formulas,
            cuts: &[cut],
        });
        let Interpolation::Interpolants(interpolants) = answer else {
            return None;
        };
        let replace = |term| question.cells.get(&term).copied();
        let over_state = Rebuild::new(&**arena, store(), replace).rebuild(interpolants[0]);
        let negated = store().not(over_state);
        (negated != TermId::TRUE).then_some(negated)
    }

    /// Bounds of cells that hold for the states and that no state of the frame satisfies after the step.
    fn half_spaces(
        &mut self,
        step: Step,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Vec<TermId>, Stop> {
        let question = self.question(step, state, level);
        let mut bounds = Vec::new();
        for (cell, value) in &state.cells {
            let (term, value) = (cell.term(store()), store().value(value));
            match self.domain.inequalities(store().eq(term, value)) {
                Some(both) => bounds.extend(both),
                _ => bounds.extend(conjuncts(store().eq(term, value))),
            }
        }
        let mut solver = context.solver(self.factory)?;
        let arena = Rc::clone(solver.arena());
        for formula in question.before {
            // Over the solver's own arena.
            let copy = crate::term::transfer(&*self.refiner.arena, &*arena, formula);
            solver.assert(copy);
        }
        let back: FxHashMap<TermId, TermId> = question
            .cells
            .iter()
            .map(|(&variable, &term)| (term, variable))
            .collect();
        let mut names = Vec::new();
        for (number, &bound) in (1..).zip(&bounds) {
            let name = arena.variable_at(Symbol::new("bound#", Sort::Bool), number);
            let about = Rebuild::new(store(), &*arena, |term| {
                back.get(&term)
                    .map(|&one| crate::term::transfer(&*self.refiner.arena, &*arena, one))
            })
            .rebuild(bound);
            solver.assert(arena.implies(name, about));
            names.push(name);
        }
        let mut tried = names.clone();
        let mut next = 0;
        loop {
            if context.token.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            solver.set_limit(CheckLimit {
                time: Some(INTERPOLATION),
                resource: None,
            });
            match solver.check(&tried) {
                Answer::Unsatisfiable => {
                    let core = solver.unsat_core();
                    let mut kept = names.iter().map(|name| core.contains(name));
                    bounds.retain(|_| kept.next() == Some(true));
                    names.retain(|name| core.contains(name));
                }
                _ if tried.len() == names.len() => break,
                _ => next += 1,
            }
            if next >= names.len() {
                break;
            }
            tried = names.clone();
            tried.remove(next);
        }
        Ok(bounds)
    }
}

//! Refinement of the domain (\[Bir13\], section 3.4).
//!
//! Refinement applies when the states have no predecessor in the frame, but their abstraction has one. For each step to
//! their place, an interpolant J between the frame with the step and the states explains why they are not reached; ¬J,
//! which contains the states, is split into conjuncts that become predicates. With these the abstraction has no predecessor
//! either.

use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::by_preimage::TraceStep;
use super::cube::State;
use super::frames::Level;
use super::half_spaces::Cells;
use super::place_solver::{Post, Query};
use super::preimage::preimage;
use super::system::{PlaceId, Step};
use super::{Ctigar, Options, Stop};
use crate::Context;
use regatta_base::counters::{self, Counter};
use regatta_solver::interpolation::{
    Interpolation, InterpolationConfig, Interpolator, Interpolators, Sequence,
};
use regatta_solver::{CheckLimit, Solver};
use regatta_term::{Arena, Build, Rebuild, Symbol, TermId, store};

/// The source of predicates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Interpolants, and half-spaces where there are none.
    Interpolants,
    /// For each step, those bounds of single cells of the states that an unsat core needs.
    HalfSpaces,
    /// Half-spaces, and interpolants in each third refinement of a place: half-spaces are cheaper and more often reusable,
    /// interpolants relate several cells.
    Both,
    /// Interpolants. If the solver finds none, the formula of the states is used, which is the negation of an interpolant.
    InterpolantsAlone,
    /// Preimages of the abstract states that come next on the trace to the error ([`super::by_preimage`]).
    Preimages,
    /// Interpolants that are disjunctions of half-spaces ([`super::half_spaces`]), as few as possible.
    Beautiful,
}

/// Maximum wall time of an interpolation, if no other is given.
pub const INTERPOLATION_TIME: Duration = Duration::from_secs(2);

/// Computes predicates.
pub struct Refiner {
    interpolator: Interpolators,
    arena: Rc<Arena>,
    interpolation_time: Duration,
    /// The number of refinements of each place.
    turns: FxHashMap<PlaceId, u32>,
}

/// With [`Source::Both`], one in this number of refinements of a place uses interpolants.
const REFINEMENTS_PER_INTERPOLATION: u32 = 3;

impl Refiner {
    /// Creates it with a solver of its own.
    pub fn new(options: &Options, solver: Box<dyn Solver>, context: &Context<'_>) -> Self {
        // A source that may be replaced by the other has a quarter of the time.
        let of_a_source = options.interpolation_time / 4;
        let config = InterpolationConfig {
            choice: options.interpolator,
            conditions_time: of_a_source,
            horn_time: of_a_source,
            ..InterpolationConfig::default()
        };
        let arena = Rc::clone(solver.arena());
        let interpolator = Interpolators::new(config, solver).with_workers(context.workers);
        context.token.interrupts(interpolator.interrupter());
        Self {
            interpolator,
            arena,
            interpolation_time: options.interpolation_time,
            turns: FxHashMap::default(),
        }
    }
}

/// An interpolation problem for the states after a step; each of their cells is a variable.
struct InterpolationProblem {
    /// The frame, and the step.
    before: Vec<TermId>,
    /// The contents of the cells in the states.
    after: Vec<TermId>,
    /// For each variable, the cell as a term over the state.
    cells: FxHashMap<TermId, TermId>,
}

impl Ctigar<'_> {
    /// REFINEABSTRACTDOMAIN for states that have no predecessor in the frame, and the steps from these to the error; returns
    /// whether there are new predicates.
    pub(super) fn refine(
        &mut self,
        state: &State,
        to_error: &[TraceStep],
        level: Level,
        context: &Context<'_>,
    ) -> Result<bool, Stop> {
        self.statistics.refinements += 1;
        counters::set(Counter::Refinements, self.statistics.refinements);
        counters::set(Counter::Predicates, self.domain.len() as u64);
        let turn = self.refiner.turns.entry(state.at).or_default();
        *turn += 1;
        let source = match self.options.interpolation {
            Source::Both if turn.is_multiple_of(REFINEMENTS_PER_INTERPOLATION) => {
                Source::Interpolants
            }
            Source::Both => Source::HalfSpaces,
            source => source,
        };
        let mut new = self.take_predicates(state, context);
        let mut steps = self.system.incoming(state.at);
        steps.retain(|step| level > Level(0) || step.from == PlaceId::ENTRY);
        if source == Source::Preimages {
            new += self.refine_by_preimage(to_error);
            steps.clear();
        }
        for &step in &steps {
            if context.token.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            context.safe_point();
            let found = match source {
                Source::HalfSpaces => None,
                Source::Beautiful => self.few_half_spaces(step, state, level, context)?,
                _ => {
                    let problem = self.problem(&self.refiner.arena, step, state, level);
                    let found = self.interpolant(&problem);
                    self.statistics.interpolants += u64::from(found.is_some());
                    found
                }
            };
            match found {
                Some(formula) => {
                    new += self.domain.add(formula);
                    self.tell_predicates(state.at, formula, context);
                }
                None if matches!(source, Source::InterpolantsAlone | Source::Beautiful) => {}
                None => {
                    self.statistics.half_spaces += 1;
                    let half_spaces = self.half_spaces(step, state, level, context)?;
                    for one in half_spaces {
                        new += self.domain.add(one);
                        self.tell_predicates(state.at, one, context);
                    }
                }
            }
        }
        if self.options.mining {
            self.mine(state);
        }
        if new == 0 {
            // The formula of the states is itself the negation of an interpolant.
            new += self.domain.add(state.formula(store()));
        }
        Ok(new > 0)
    }

    /// Returns the negation of an interpolant of as few half-spaces as possible, over the state.
    fn few_half_spaces(
        &mut self,
        step: Step,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Option<TermId>, Stop> {
        let Some(cells) = Cells::of(state, &self.domain) else {
            return Ok(None);
        };
        let mut solver = context.solver(self.factory)?;
        let arena = Rc::clone(solver.arena());
        let problem = self.problem(&arena, step, state, level);
        for formula in problem.before {
            solver.assert(formula);
        }
        solver.set_limit(CheckLimit {
            time: Some(self.refiner.interpolation_time),
            resource: None,
        });
        let found = cells.separate(&mut *solver, &problem.cells);
        self.statistics.beautiful += u64::from(found.is_some());
        Ok(found.map(|all| store().and(all)))
    }

    fn problem(
        &self,
        arena: &Rc<Arena>,
        step: Step,
        state: &State,
        level: Level,
    ) -> InterpolationProblem {
        let mut before = match step.from {
            PlaceId::ENTRY => self.queries.invariants(step.from).to_vec(),
            from => self
                .queries
                .frame_at(from, level, &self.frames, &self.domain),
        };
        if step.from == state.at {
            before.push(arena.not(state.formula(&**arena)));
        }
        before.push(self.system.block(step).guard);
        let updates = self.system.place(step.from).updates(step.block);
        let mut after = Vec::new();
        let mut cells = FxHashMap::default();
        for (number, (cell, value)) in (1..).zip(&state.cells) {
            let term = cell.term(store());
            let before_step = preimage(&**arena, updates, term);
            let variable = arena.variable_at(Symbol::new("cell#", value.sort()), number);
            before.push(arena.eq(variable, before_step));
            after.push(arena.eq(variable, arena.value(value)));
            cells.insert(variable, term);
        }
        InterpolationProblem {
            before,
            after,
            cells,
        }
    }

    /// Returns the negation of an interpolant, over the state.
    fn interpolant(&mut self, problem: &InterpolationProblem) -> Option<TermId> {
        let Refiner {
            interpolator,
            arena,
            interpolation_time,
            ..
        } = &mut self.refiner;
        let formulas = [&problem.before, &problem.after].map(|parts| arena.and(parts.clone()));
        let cut: Vec<TermId> = problem.cells.keys().copied().collect();
        interpolator.set_limit(CheckLimit {
            time: Some(*interpolation_time),
            resource: None,
        });
        let answer = interpolator.interpolate(Sequence {
            formulas: &formulas,
            cuts: &[cut],
        });
        let Interpolation::Interpolants(interpolants) = answer else {
            return None;
        };
        let replace = |term| problem.cells.get(&term).copied();
        let over_state = Rebuild::new(&**arena, store(), replace).rebuild(interpolants[0]);
        let negated = store().not(over_state);
        (negated != TermId::TRUE).then_some(negated)
    }

    /// Returns bounds of cells that hold in the states and that no state of the frame satisfies after the step.
    fn half_spaces(
        &mut self,
        step: Step,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Vec<TermId>, Stop> {
        let mut bounds = Vec::new();
        for (cell, value) in &state.cells {
            let equation = store().eq(cell.term(store()), store().value(value));
            match self.domain.inequalities(equation) {
                Some(both) => bounds.extend(both),
                None => bounds.push(equation),
            }
        }
        let query = Query {
            level,
            excluding: Some(Post::State(state)),
            post: Post::Reached,
            frames: &self.frames,
            domain: &self.domain,
        };
        self.queries.blocking(step, query, bounds, context)
    }
}

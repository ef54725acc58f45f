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
use super::place_solver::{Post, Query};
use super::preimage::preimage;
use super::system::{PlaceId, Step};
use super::{Ctigar, Stop};
use crate::analysis::Context;
use crate::counters::{self, Counter};
use crate::solver::interpolation::{
    Choice, Interpolation, InterpolationConfig, Interpolator, Interpolators, Sequence,
};
use crate::solver::{CheckLimit, Solver};
use crate::term::{Arena, Build, Rebuild, Symbol, TermId, store};

/// Where predicates come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Interpolants; half-spaces where there are none.
    Interpolants,
    /// For each step, of what the states say, bounds of single cells that an unsat core needs.
    HalfSpaces,
    /// Half-spaces, and each third time that a place is concerned interpolants: the former cost less and are used again
    /// more often, the latter say something of several cells together.
    Both,
}

/// Wall time of an interpolation.
const INTERPOLATION: Duration = Duration::from_secs(2);

/// Finds predicates.
pub struct Refiner {
    interpolator: Interpolators,
    arena: Rc<Arena>,
    /// Refinements so far for each place.
    turns: FxHashMap<PlaceId, u32>,
}

/// Of so many refinements one is by interpolants where sources take turns.
const TURNS: u32 = 3;

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
        let interpolator = Interpolators::new(config, solver).with_workers(context.workers);
        context.token.interrupts(interpolator.interrupter());
        Self {
            interpolator,
            arena,
            turns: FxHashMap::default(),
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
    /// REFINEABSTRACTDOMAIN for states that have no predecessor in the frame; says whether there are new predicates.
    pub(super) fn refine(
        &mut self,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<bool, Stop> {
        self.statistics.refinements += 1;
        counters::set(Counter::Refinements, self.statistics.refinements);
        counters::set(Counter::Predicates, self.domain.len() as u64);
        let turn = self.refiner.turns.entry(state.at).or_default();
        *turn += 1;
        let asks_interpolator = match self.options.interpolation {
            Source::Interpolants => true,
            Source::HalfSpaces => false,
            Source::Both => turn.is_multiple_of(TURNS),
        };
        let mut new = 0;
        let mut steps = self.system.incoming(state.at);
        steps.retain(|step| level > Level(0) || step.from == PlaceId::ENTRY);
        for &step in &steps {
            if context.token.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            context.safe_point();
            let found = match asks_interpolator {
                true => self.interpolant(&self.question(step, state, level)),
                false => None,
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
            new += self.domain.add(state.formula(store()));
        }
        Ok(new > 0)
    }

    fn question(&self, step: Step, state: &State, level: Level) -> Question {
        let arena = &self.refiner.arena;
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
            let before_step = preimage(arena, updates, term);
            let variable = arena.variable_at(Symbol::new("cell#", value.sort()), number);
            before.push(arena.eq(variable, before_step));
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
            ..
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

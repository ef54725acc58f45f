//! Queries about the steps of the transition system.
//!
//! Each place has a solver of its own, made when it is first asked something, that knows the blocks which leave the
//! place, the clauses of the frames there, and the invariants. A query enables one block and the frame's clauses by
//! assumptions.

use std::rc::Rc;
use std::time::Duration;

use super::cube::{Cube, Literal, State};
use super::domain::Domain;
use super::frames::{Frames, Level};
use super::lift::cells_of;
use super::place_solver::{LIMIT, PlaceSolver, Post, Query, in_words};
use super::preimage::{preimage, state_preimage};
use super::system::{Model, Place, PlaceId, Step, System};
use super::{Statistics, Stop};
use crate::analysis::{Context, SolverFactory};
use crate::solver::Answer;
use crate::term::{Build, Symbol, TermId, Value, instantiate, size, store};

/// What came of a query about a step.
#[derive(Debug)]
pub enum StepAnswer {
    /// No state of the frame leads there; because of these literals, if the question was about a cube.
    Blocked(Vec<Literal>),
    /// The model's state does.
    Taken(Model),
    /// The solver does not know.
    Undecided(String),
}

/// Larger preconditions are not lifted.
const MOST_NODES: usize = 50_000;

/// The places' solvers.
pub struct Queries<'e> {
    system: Rc<System<'e>>,
    factory: &'e SolverFactory<'e>,
    /// For each place its solver, if it has been asked something.
    solvers: Vec<Option<PlaceSolver>>,
    /// For each place what always holds there, besides the clauses of frames.
    invariants: Vec<Vec<TermId>>,
    /// What the solvers that are gone have done.
    gone: (u64, Duration),
}

impl<'e> Queries<'e> {
    /// About the system.
    pub fn new(system: Rc<System<'e>>, factory: &'e SolverFactory<'e>) -> Self {
        Self {
            factory,
            solvers: system.places().map(|_| None).collect(),
            invariants: system.places().map(|_| Vec::new()).collect(),
            gone: (0, Duration::ZERO),
            system,
        }
    }

    /// How often the places' solvers have been asked something, and the wall time of that.
    pub fn count(&self) -> (u64, Duration) {
        let solvers = self.solvers.iter().flatten();
        solvers.fold(self.gone, |(checks, time), one| {
            let statistics = one.solver.statistics();
            (checks + statistics.checks, time + statistics.check_time)
        })
    }

    /// The formula always holds at the place.
    pub fn add_invariant(&mut self, id: PlaceId, formula: TermId) {
        self.invariants[id.index()].push(formula);
        if let Some(solver) = &mut self.solvers[id.index()] {
            solver.solver.assert(formula);
        }
    }

    /// What always holds there.
    pub fn invariants(&self, id: PlaceId) -> &[TermId] {
        &self.invariants[id.index()]
    }

    /// The clause (the cube's negation) is part of the frames up to the level.
    pub fn add_clause(&mut self, cube: &Cube, level: Level, domain: &Domain) {
        if let Some(solver) = &mut self.solvers[cube.at.index()] {
            solver.add_clause(cube, level, domain);
        }
    }

    /// The solver of the place is made again, from what still counts.
    pub fn forget_solver(&mut self, id: PlaceId) {
        if let Some(solver) = self.solvers[id.index()].take() {
            let statistics = solver.solver.statistics();
            self.gone.0 += statistics.checks;
            self.gone.1 += statistics.check_time;
        }
    }

    /// How much the place's solver has been told of frames.
    pub fn clauses_told(&self, id: PlaceId) -> usize {
        let solver = self.solvers[id.index()].as_ref();
        solver.map_or(0, |solver| solver.clauses)
    }

    /// The place with its solver, which is made if there is none.
    fn prepared(
        &mut self,
        id: PlaceId,
        frames: &Frames,
        domain: &Domain,
        context: &Context<'_>,
    ) -> Result<(&Place, &mut PlaceSolver), Stop> {
        context.safe_point();
        if context.token.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let place = self.system.place(id);
        let solver = match &mut self.solvers[id.index()] {
            Some(solver) => solver,
            none => {
                let mut made = PlaceSolver::new(context.solver(self.factory)?);
                for &invariant in &self.invariants[id.index()] {
                    made.solver.assert(invariant);
                }
                for (level, cube) in frames.clauses().filter(|(_, cube)| cube.at == id) {
                    made.add_clause(cube, level, domain);
                }
                none.insert(made)
            }
        };
        Ok((place, solver))
    }

    /// Whether a state of the frame, outside what is excluded if that is at the step's start, leads to what is asked.
    pub fn step(
        &mut self,
        step: Step,
        query: Query<'_>,
        context: &Context<'_>,
    ) -> Result<StepAnswer, Stop> {
        if query.level == Level(0) && step.from != PlaceId::ENTRY {
            return Ok(StepAnswer::Blocked(Vec::new()));
        }
        let blocks = self.system.blocks();
        let (place, at) = self.prepared(step.from, query.frames, query.domain, context)?;
        let updates = place.updates(step.block);
        let mut assumptions = at.assumptions(place, step, query.level);
        let mut literals = Vec::new();
        if let Post::Cube(cube) = query.post {
            for &literal in cube.literals() {
                let preimage = at.preimage(place, step.block, literal, query.domain);
                if preimage == TermId::FALSE {
                    return Ok(StepAnswer::Blocked(vec![literal]));
                }
                if preimage != TermId::TRUE {
                    literals.push((literal, preimage));
                    assumptions.push(preimage);
                }
            }
        }
        at.solver.push();
        at.exclude(step.from, query);
        if let Post::State(state) = query.post {
            for formula in state_preimage(&at.arena, updates, state) {
                at.solver.assert(formula);
            }
        }
        at.solver.set_limit(LIMIT);
        let result = match at.solver.check(&assumptions) {
            Answer::Unsatisfiable => {
                let core = at.solver.unsat_core();
                literals.retain(|(_, preimage)| core.contains(preimage));
                StepAnswer::Blocked(literals.into_iter().map(|(literal, _)| literal).collect())
            }
            Answer::Satisfiable => StepAnswer::Taken(at.model(blocks, place, step)),
            Answer::Unknown(reason) => StepAnswer::Undecided(in_words(reason)),
        };
        at.solver.pop();
        Ok(result)
    }

    /// Some of the formulas (over the state after the step) that no state of the frame leads to together; none if all
    /// of them are reached.
    pub fn blocking(
        &mut self,
        step: Step,
        query: Query<'_>,
        mut formulas: Vec<TermId>,
        context: &Context<'_>,
    ) -> Result<Vec<TermId>, Stop> {
        let (place, at) = self.prepared(step.from, query.frames, query.domain, context)?;
        let updates = place.updates(step.block);
        let assumptions = at.assumptions(place, step, query.level);
        let preimages = formulas
            .iter()
            .map(|&one| preimage(&at.arena, updates, one));
        let preimages: Vec<TermId> = preimages.collect();
        at.solver.push();
        at.exclude(step.from, query);
        let needed = at.minimal_core(&assumptions, &preimages);
        at.solver.pop();
        let mut needed = needed.unwrap_or_default().into_iter();
        formulas.retain(|_| needed.next() == Some(true));
        Ok(formulas)
    }

    /// A state of the set that is not excluded from the frame.
    pub fn state_in_frame(
        &mut self,
        state: &State,
        level: Level,
        frames: &Frames,
        domain: &Domain,
        context: &Context<'_>,
    ) -> Result<Option<Model>, Stop> {
        let blocks = self.system.blocks();
        let (place, at) = self.prepared(state.at, frames, domain, context)?;
        let mut assumptions = Vec::new();
        if level != Level::INFINITE {
            assumptions.push(at.level(level));
        }
        at.solver.push();
        let formula = state.formula(&*at.arena);
        at.solver.assert(formula);
        at.solver.set_limit(LIMIT);
        let result = match at.solver.check(&assumptions) {
            Answer::Unsatisfiable => Ok(None),
            Answer::Satisfiable => {
                let step = Step {
                    from: state.at,
                    block: usize::MAX,
                };
                Ok(Some(at.model(blocks, place, step)))
            }
            Answer::Unknown(reason) => Err(Stop::Undecided(in_words(reason))),
        };
        at.solver.pop();
        result
    }

    /// The states, the model's among them, from which the model's inputs lead to what is asked (thesis, section 3.2).
    pub fn lift(
        &mut self,
        model: &Model,
        post: Post<'_>,
        domain: &Domain,
        statistics: &mut Statistics,
    ) -> Result<State, Stop> {
        let step = model.step;
        let place = self.system.place(step.from);
        let Some(at) = &mut self.solvers[step.from.index()] else {
            return Err(Stop::Cancelled);
        };
        let arena = Rc::clone(&at.arena);
        let updates = place.updates(step.block);
        let mut conditions = vec![place.blocks[step.block].guard];
        match post {
            Post::Reached => {}
            Post::Cube(cube) => {
                let literals = cube.literals().iter();
                conditions.extend(
                    literals.map(|&literal| preimage(&arena, updates, domain.literal(literal))),
                );
            }
            Post::State(state) => conditions.extend(state_preimage(&arena, updates, state)),
        }
        // The inputs are the model's.
        let input = |symbol: Symbol, instance: u32| {
            let value = model.values.get(&(symbol, instance));
            (instance > 0).then(|| {
                let zero = || Value::zero(symbol.sort());
                arena.value(&value.cloned().unwrap_or_else(zero))
            })
        };
        let precondition = instantiate(&*arena, arena.and(conditions), input);
        if size(&*arena, precondition) > MOST_NODES {
            return Err(Stop::Undecided(
                "a step is too large to be lifted".to_owned(),
            ));
        }
        let mut cells = cells_of(self.system.blocks(), &arena, precondition, model);
        if precondition == TermId::TRUE {
            cells.clear();
        }
        statistics.lifted += 1;
        statistics.cells_before += cells.len() as u64;
        let cells = at.needed(precondition, cells);
        let undecided = || Stop::Undecided("the solver's model shows no step".to_owned());
        let cells = cells.ok_or_else(undecided)?;
        statistics.cells_after += cells.len() as u64;
        Ok(State {
            at: step.from,
            cells,
        })
    }

    /// What holds in the frame at the place, as formulas of the store.
    pub fn frame_at(
        &self,
        id: PlaceId,
        level: Level,
        frames: &Frames,
        domain: &Domain,
    ) -> Vec<TermId> {
        let clauses = frames
            .clauses()
            .filter(|(at, cube)| *at >= level && cube.at == id);
        let clauses = clauses.map(|(_, cube)| store().not(domain.cube(cube)));
        clauses.chain(self.invariants(id).iter().copied()).collect()
    }
}

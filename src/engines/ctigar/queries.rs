//! Queries about the steps of the transition system.
//!
//! Each place has its own solver, created at the first query, which contains the guards of the blocks that leave the place,
//! the clauses of the frames there, and the invariants. A query enables one block and the clauses of one frame by
//! assumptions.

use std::rc::Rc;
use std::time::Duration;

use super::cube::{Cube, Literal, State};
use super::domain::Domain;
use super::frames::{Frames, Level};
use super::lift::cells_of;
use super::place_solver::{PlaceSolver, Post, Query, in_words};
use super::preimage::{preimage, state_preimage};
use super::system::{Model, Place, PlaceId, Step, System};
use super::{Statistics, Stop};
use crate::{Context, SolverFactory};
use regatta_solver::{Answer, CheckLimit};
use regatta_term::{Build, Symbol, TermId, Value, instantiate, size, store};

/// The answer to a query about a step.
#[derive(Debug)]
pub enum StepAnswer {
    /// No state of the frame takes the step to the queried states; for a cube, these literals suffice for that.
    Blocked(Vec<Literal>),
    /// The state of the model does.
    Taken(Model),
    /// The solver did not decide it; the reason in words.
    Undecided(String),
}

/// Maximum size of a precondition that is lifted (subterms).
const MAXIMUM_PRECONDITION_SIZE: usize = 50_000;

/// The solvers of all places.
pub struct Queries<'e> {
    system: Rc<System<'e>>,
    factory: &'e SolverFactory<'e>,
    /// For each place its solver, if it has been queried.
    solvers: Vec<Option<PlaceSolver>>,
    /// For each place the invariants there, without the clauses of frames.
    invariants: Vec<Vec<TermId>>,
    limit: CheckLimit,
    /// Number and wall time of the queries to solvers that have been dropped.
    dropped: (u64, Duration),
}

impl<'e> Queries<'e> {
    /// Creates the queries about the system; each takes at most the wall time.
    pub fn new(system: Rc<System<'e>>, factory: &'e SolverFactory<'e>, time: Duration) -> Self {
        Self {
            factory,
            solvers: system.places().map(|_| None).collect(),
            invariants: system.places().map(|_| Vec::new()).collect(),
            limit: CheckLimit {
                time: Some(time),
                resource: None,
            },
            dropped: (0, Duration::ZERO),
            system,
        }
    }

    /// Returns the number of queries and their wall time.
    pub fn count(&self) -> (u64, Duration) {
        let solvers = self.solvers.iter().flatten();
        solvers.fold(self.dropped, |(checks, time), one| {
            let statistics = one.solver.statistics();
            (checks + statistics.checks, time + statistics.check_time)
        })
    }

    /// Adds an invariant of the place.
    pub fn add_invariant(&mut self, id: PlaceId, formula: TermId) {
        self.invariants[id.index()].push(formula);
        if let Some(solver) = &mut self.solvers[id.index()] {
            solver.solver.assert(formula);
        }
    }

    pub fn invariants(&self, id: PlaceId) -> &[TermId] {
        &self.invariants[id.index()]
    }

    /// Adds the clause (the cube's negation) to the frames up to the level.
    pub fn add_clause(&mut self, cube: &Cube, level: Level, domain: &Domain) {
        if let Some(solver) = &mut self.solvers[cube.at.index()] {
            solver.add_clause(cube, level, domain);
        }
    }

    /// Drops the solver of the place; the next query creates it from the clauses that are still needed.
    pub fn forget_solver(&mut self, id: PlaceId) {
        if let Some(solver) = self.solvers[id.index()].take() {
            let statistics = solver.solver.statistics();
            self.dropped.0 += statistics.checks;
            self.dropped.1 += statistics.check_time;
        }
    }

    /// Returns the number of clauses of frames that the place's solver contains.
    pub fn asserted_clauses(&self, id: PlaceId) -> usize {
        let solver = self.solvers[id.index()].as_ref();
        solver.map_or(0, |solver| solver.clauses)
    }

    /// Returns the place with its solver, creating the solver if there is none.
    fn place_and_solver(
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
                let mut made = PlaceSolver::new(context.solver(self.factory)?, self.limit);
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

    /// Checks whether a state of the frame, outside the excluded states if these are at the step's start, leads to the queried
    /// states.
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
        let (place, at) = self.place_and_solver(step.from, query.frames, query.domain, context)?;
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
        let result = match at.check(&assumptions) {
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

    /// Returns a minimal subset of the formulas (over the state after the step) that no state of the frame reaches together; the
    /// result is empty if all formulas together can be reached.
    pub fn blocking(
        &mut self,
        step: Step,
        query: Query<'_>,
        mut formulas: Vec<TermId>,
        context: &Context<'_>,
    ) -> Result<Vec<TermId>, Stop> {
        let (place, at) = self.place_and_solver(step.from, query.frames, query.domain, context)?;
        let updates = place.updates(step.block);
        let assumptions = at.assumptions(place, step, query.level);
        let preimages = formulas
            .iter()
            .map(|&one| preimage(&*at.arena, updates, one));
        let preimages: Vec<TermId> = preimages.collect();
        at.solver.push();
        at.exclude(step.from, query);
        let needed = at.minimal_core(&assumptions, &preimages);
        at.solver.pop();
        let mut needed = needed.unwrap_or_default().into_iter();
        formulas.retain(|_| needed.next() == Some(true));
        Ok(formulas)
    }

    /// Returns a state of the set that is not excluded from the frame.
    pub fn state_in_frame(
        &mut self,
        state: &State,
        level: Level,
        frames: &Frames,
        domain: &Domain,
        context: &Context<'_>,
    ) -> Result<Option<Model>, Stop> {
        let blocks = self.system.blocks();
        let (place, at) = self.place_and_solver(state.at, frames, domain, context)?;
        let mut assumptions = Vec::new();
        if level != Level::INFINITE {
            assumptions.push(at.level(level));
        }
        at.solver.push();
        let formula = state.formula(&*at.arena);
        at.solver.assert(formula);
        let result = match at.check(&assumptions) {
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

    /// Lifts the model: returns a set of states, containing the model's, that all reach `post` with the model's inputs
    /// (\[Bir13\], section 3.2).
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
                    literals.map(|&literal| preimage(&*arena, updates, domain.literal(literal))),
                );
            }
            Post::State(state) => conditions.extend(state_preimage(&arena, updates, state)),
        }
        // Inputs have the values of the model.
        let input = |symbol: Symbol, instance: u32| {
            let value = model.values.get(&(symbol, instance));
            (instance > 0).then(|| {
                let zero = || Value::zero(symbol.sort());
                arena.value(&value.cloned().unwrap_or_else(zero))
            })
        };
        let precondition = instantiate(&*arena, arena.and(conditions), input);
        if size(&*arena, precondition) > MAXIMUM_PRECONDITION_SIZE {
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

    /// Returns the clauses and invariants of the frame at the place, as formulas of the store.
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

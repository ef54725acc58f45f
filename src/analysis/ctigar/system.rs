//! The program as a transition system: places, which are cut points, and steps, which are blocks between them.
//!
//! Each place has a solver of its own, made when it is first asked something, that knows the blocks which leave the
//! place, the clauses of the frames there, and the invariants. A query enables one block and the frame's clauses by
//! assumptions. Blocks are functions, so that what is said of the state after a step is a condition on the state before
//! it and the inputs.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::cube::{Cube, Literal, State};
use super::domain::Domain;
use super::frames::{Frames, Level};
use super::lift::cells_of;
use super::place_solver::{LIMIT, PlaceSolver, behind_of, in_words, state_behind, state_formula};
use super::{Statistics, Stop};
use crate::analysis::{Context, SolverFactory};
use crate::program::InlinedLocation;
use crate::program::VariableId;
use crate::program::block::{Block, BlockEnd, Blocks};
use crate::solver::Answer;
use crate::term::{Arena, Build, Symbol, TermId, Value, instantiate, size, store};

/// A place's number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(u32);

impl PlaceId {
    /// The program's entry, where execution begins, in any state.
    pub const ENTRY: Self = Self(0);

    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A cut point.
#[derive(Debug)]
pub struct Place {
    /// Where it is.
    pub at: InlinedLocation,
    /// The variables that make up its state.
    pub variables: Vec<VariableId>,
    /// What leaves it.
    pub blocks: Arc<[Block]>,
    /// For each block, what it makes of the variables that it changes.
    updates: Vec<FxHashMap<Symbol, TermId>>,
    /// What always holds here, besides the clauses of frames.
    invariants: Vec<TermId>,
}

/// A block by the place that it leaves and its number there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where it starts.
    pub from: PlaceId,
    /// Which of the blocks.
    pub block: usize,
}

/// A state from which a step is taken, with the step's inputs.
#[derive(Clone, Debug)]
pub struct Model {
    /// The step.
    pub step: Step,
    /// The state before it, and the inputs, with their instances.
    pub values: FxHashMap<(Symbol, u32), Value>,
}

/// What is asked of a step's end.
#[derive(Copy, Clone, Debug)]
pub enum Post<'p> {
    /// That it is reached.
    Reached,
    /// A state of the cube.
    Cube(&'p Cube),
    /// One of the concrete states.
    State(&'p State),
}

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

/// The transition system with its solvers.
pub struct System<'e> {
    blocks: &'e Arc<Blocks>,
    factory: &'e SolverFactory<'e>,
    places: Vec<Place>,
    solvers: Vec<Option<PlaceSolver>>,
    /// For each place the steps that lead there.
    incoming: Vec<Vec<Step>>,
    /// The steps that lead to an error.
    to_errors: Vec<Step>,
    /// What the solvers that are gone have done.
    gone: (u64, Duration),
}

impl<'e> System<'e> {
    /// The program of the blocks, which must have no recursion.
    pub fn new(blocks: &'e Arc<Blocks>, factory: &'e SolverFactory<'e>) -> Self {
        let program = blocks.inlined().program();
        let mut points = blocks.cut_points();
        points.retain(|at| !blocks.is_error(at.location));
        let ids: FxHashMap<InlinedLocation, PlaceId> = (0u32..)
            .map(PlaceId)
            .zip(&points)
            .map(|(id, &at)| (at, id))
            .collect();
        let mut incoming = vec![Vec::new(); points.len()];
        let mut to_errors = Vec::new();
        let mut places = Vec::new();
        for (from, &at) in (0u32..).map(PlaceId).zip(&points) {
            let leaving = blocks.from(at);
            let mut updates = Vec::new();
            for (block, one) in leaving.iter().enumerate() {
                let step = Step { from, block };
                match one.end {
                    BlockEnd::CutPoint(to) => match ids.get(&to) {
                        Some(to) => incoming[to.index()].push(step),
                        None => to_errors.push(step),
                    },
                    BlockEnd::Unsupported { .. } => to_errors.push(step),
                    BlockEnd::RecursiveCall { .. } => {}
                }
                let changed = one.updates.iter();
                updates.push(
                    changed
                        .map(|&(id, value)| (program.variable(id).symbol, value))
                        .collect(),
                );
            }
            places.push(Place {
                at,
                variables: blocks.state(at),
                blocks: leaving,
                updates,
                invariants: Vec::new(),
            });
        }
        Self {
            blocks,
            factory,
            solvers: places.iter().map(|_| None).collect(),
            places,
            incoming,
            to_errors,
            gone: (0, Duration::ZERO),
        }
    }

    /// How often the places' solvers have been asked something, and the wall time of that.
    pub fn queries(&self) -> (u64, Duration) {
        let solvers = self.solvers.iter().flatten();
        solvers.fold(self.gone, |(checks, time), one| {
            let statistics = one.solver.statistics();
            (checks + statistics.checks, time + statistics.check_time)
        })
    }

    /// The blocks.
    pub fn blocks(&self) -> &'e Arc<Blocks> {
        self.blocks
    }

    /// The places, by their numbers.
    pub fn places(&self) -> impl Iterator<Item = (PlaceId, &Place)> {
        (0u32..).map(PlaceId).zip(&self.places)
    }

    /// The place.
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.index()]
    }

    /// The block.
    pub fn block(&self, step: Step) -> &Block {
        &self.place(step.from).blocks[step.block]
    }

    /// The steps that lead to the place.
    pub fn incoming(&self, id: PlaceId) -> Vec<Step> {
        self.incoming[id.index()].clone()
    }

    /// The steps that lead to what a proof has to show unreachable.
    pub fn to_errors(&self) -> Vec<Step> {
        self.to_errors.clone()
    }

    /// The formula always holds at the place.
    pub fn add_invariant(&mut self, id: PlaceId, formula: TermId) {
        self.places[id.index()].invariants.push(formula);
        if let Some(solver) = &mut self.solvers[id.index()] {
            solver.solver.assert(formula);
        }
    }

    /// What always holds there.
    pub fn invariants(&self, id: PlaceId) -> &[TermId] {
        &self.place(id).invariants
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
        let place = &self.places[id.index()];
        let solver = match &mut self.solvers[id.index()] {
            Some(solver) => solver,
            none => {
                let mut made = PlaceSolver::new(context.solver(self.factory)?);
                for &invariant in &place.invariants {
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
        let blocks = self.blocks;
        let (place, at) = self.prepared(step.from, query.frames, query.domain, context)?;
        let updates = &place.updates[step.block];
        let mut assumptions = at.assumptions(place, step, query.level);
        let mut literals = Vec::new();
        if let Post::Cube(cube) = query.post {
            for &literal in cube.literals() {
                let behind = at.behind(step.block, updates, literal, query.domain);
                if behind == TermId::FALSE {
                    return Ok(StepAnswer::Blocked(vec![literal]));
                }
                if behind != TermId::TRUE {
                    literals.push((literal, behind));
                    assumptions.push(behind);
                }
            }
        }
        at.solver.push();
        at.exclude(step.from, query);
        if let Post::State(state) = query.post {
            for formula in state_behind(&at.arena, updates, state) {
                at.solver.assert(formula);
            }
        }
        at.solver.set_limit(LIMIT);
        let result = match at.solver.check(&assumptions) {
            Answer::Unsatisfiable => {
                let core = at.solver.unsat_core();
                literals.retain(|(_, behind)| core.contains(behind));
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
        let updates = &place.updates[step.block];
        let assumptions = at.assumptions(place, step, query.level);
        let behind = formulas
            .iter()
            .map(|&one| behind_of(&at.arena, updates, one));
        let behind: Vec<TermId> = behind.collect();
        at.solver.push();
        at.exclude(step.from, query);
        let needed = at.minimal_core(&assumptions, &behind);
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
        let blocks = self.blocks;
        let (place, at) = self.prepared(state.at, frames, domain, context)?;
        let mut assumptions = Vec::new();
        if level != Level::INFINITE {
            assumptions.push(at.level(level));
        }
        at.solver.push();
        let formula = state_formula(&*at.arena, state);
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
        let place = &self.places[step.from.index()];
        let Some(at) = &mut self.solvers[step.from.index()] else {
            return Err(Stop::Cancelled);
        };
        let arena = Rc::clone(&at.arena);
        let updates = &place.updates[step.block];
        let mut conditions = vec![place.blocks[step.block].guard];
        match post {
            Post::Reached => {}
            Post::Cube(cube) => {
                let behind = cube.literals().iter();
                conditions.extend(
                    behind.map(|&literal| behind_of(&arena, updates, domain.literal(literal))),
                );
            }
            Post::State(state) => conditions.extend(state_behind(&arena, updates, state)),
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
        let mut cells = cells_of(self.blocks, &arena, precondition, model);
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

    /// The formula, about the state after the step, as one about the state before it and the inputs.
    pub fn behind(&self, arena: &Arena, step: Step, formula: TermId) -> TermId {
        behind_of(arena, &self.place(step.from).updates[step.block], formula)
    }
}

/// A question about a step.
#[derive(Copy, Clone)]
pub struct Query<'q> {
    /// The frame that the state before the step is in.
    pub level: Level,
    /// What it is not in.
    pub excluding: Option<Post<'q>>,
    /// What is to be reached.
    pub post: Post<'q>,
    /// The frames.
    pub frames: &'q Frames,
    /// The predicates.
    pub domain: &'q Domain,
}

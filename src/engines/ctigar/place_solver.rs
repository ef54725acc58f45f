//! The solver of a place: its assertions, queries, models and unsat cores.

use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::cube::{Cell, Cube, Literal, State};
use super::domain::Domain;
use super::frames::{Frames, Level};
use super::preimage::preimage;
use super::system::{Model, Place, PlaceId, Step};
use regatta_program::block::Blocks;
use regatta_solver::{Answer, CheckLimit, Reason, Solver};
use regatta_term::{Arena, Build, Sort, Symbol, TermId, Value, store};

/// Maximum wall time of a query, if no other is given; a query that exceeds it is undecided.
pub const QUERY_TIME: Duration = Duration::from_secs(10);

/// Returns the reason why a query was not decided.
pub fn in_words(reason: Reason) -> String {
    match reason {
        Reason::Interrupted => "stopped".to_owned(),
        Reason::Limit => "a query takes too long".to_owned(),
        Reason::Incomplete(reason) => reason,
    }
}

/// The states at the end of a step that a query is about.
#[derive(Copy, Clone, Debug)]
pub enum Post<'p> {
    /// Any state.
    Reached,
    /// The states of the cube.
    Cube(&'p Cube),
    /// The concrete states.
    State(&'p State),
}

/// A query about a step.
#[derive(Copy, Clone)]
pub struct Query<'q> {
    /// The frame of the state before the step.
    pub level: Level,
    /// States that the state before the step is not in.
    pub excluding: Option<Post<'q>>,
    /// The states to reach.
    pub post: Post<'q>,
    pub frames: &'q Frames,
    pub domain: &'q Domain,
}

/// The solver of a place.
pub struct PlaceSolver {
    pub solver: Box<dyn Solver>,
    pub arena: Rc<Arena>,
    /// The activation literal of each frame; each implies the next one.
    levels: Vec<TermId>,
    /// The activation literal of the guard of each block.
    enabled: FxHashMap<usize, TermId>,
    /// The activation literals of the preimages of literals under blocks.
    preimages: FxHashMap<(usize, Literal), TermId>,
    names: u32,
    limit: CheckLimit,
    /// The number of clauses of frames that have been asserted.
    pub clauses: usize,
}

impl PlaceSolver {
    /// Creates a solver without assertions; the limit is for each query.
    pub fn new(solver: Box<dyn Solver>, limit: CheckLimit) -> Self {
        Self {
            arena: Rc::clone(solver.arena()),
            solver,
            levels: Vec::new(),
            enabled: FxHashMap::default(),
            preimages: FxHashMap::default(),
            names: 0,
            limit,
            clauses: 0,
        }
    }

    /// Checks the assumptions within the limit of a query.
    pub fn check(&mut self, assumptions: &[TermId]) -> Answer {
        self.solver.set_limit(self.limit);
        self.solver.check(assumptions)
    }

    /// Returns a fresh activation literal.
    fn name(&mut self) -> TermId {
        self.names += 1;
        let symbol = Symbol::new("holds#", Sort::Bool);
        self.arena.variable_at(symbol, self.names)
    }

    /// Returns a fresh activation literal that implies the formula.
    fn implying(&mut self, formula: TermId) -> TermId {
        let name = self.name();
        self.solver.assert(self.arena.implies(name, formula));
        name
    }

    /// Returns the activation literal of the frame.
    pub fn level(&mut self, level: Level) -> TermId {
        while self.levels.len() <= level.index() {
            let next = self.name();
            if let Some(&last) = self.levels.last() {
                self.solver.assert(self.arena.implies(last, next));
            }
            self.levels.push(next);
        }
        self.levels[level.index()]
    }

    fn enabled(&mut self, block: usize, guard: TermId) -> TermId {
        if let Some(&name) = self.enabled.get(&block) {
            return name;
        }
        let name = self.implying(guard);
        self.enabled.insert(block, name);
        name
    }

    /// Returns the activation literal of the literal's preimage under the block, or the preimage itself if it is constant.
    pub fn preimage(
        &mut self,
        place: &Place,
        block: usize,
        literal: Literal,
        domain: &Domain,
    ) -> TermId {
        if let Some(&name) = self.preimages.get(&(block, literal)) {
            return name;
        }
        let formula = preimage(&*self.arena, place.updates(block), domain.literal(literal));
        let name = match formula {
            TermId::TRUE | TermId::FALSE => formula,
            formula => self.implying(formula),
        };
        self.preimages.insert((block, literal), name);
        name
    }

    /// Returns the assumptions that the step is taken from a state of the frame.
    pub fn assumptions(&mut self, place: &Place, step: Step, level: Level) -> Vec<TermId> {
        let mut assumptions = vec![self.enabled(step.block, place.blocks[step.block].guard)];
        if step.from != PlaceId::ENTRY && level != Level::INFINITE {
            assumptions.push(self.level(level));
        }
        assumptions
    }

    /// Asserts that the state at the place is not one of those that the query excludes.
    pub fn exclude(&mut self, place: PlaceId, query: Query<'_>) {
        let excluded = match query.excluding {
            Some(Post::Cube(cube)) if cube.at == place => query.domain.cube(cube),
            Some(Post::State(state)) if state.at == place => state.formula(&*self.arena),
            _ => return,
        };
        self.solver.assert(self.arena.not(excluded));
    }

    /// Adds the cube's negation to the frames up to the level.
    pub fn add_clause(&mut self, cube: &Cube, level: Level, domain: &Domain) {
        self.clauses += 1;
        let clause = store().not(domain.cube(cube));
        if level == Level::INFINITE {
            self.solver.assert(clause);
            return;
        }
        let active = self.level(level);
        self.solver.assert(self.arena.implies(active, clause));
    }

    /// Returns the state before the step, and the inputs, in the model of the last check.
    pub fn model(&mut self, blocks: &Blocks, place: &Place, step: Step) -> Model {
        let program = blocks.inlined().program();
        let mut values = FxHashMap::default();
        let state = place
            .variables
            .iter()
            .map(|&id| (program.variable(id).symbol, 0));
        let block = place.blocks.get(step.block);
        let inputs = block.map_or(&[][..], |block| &block.inputs);
        let inputs = inputs.iter().map(|input| (input.symbol, input.instance));
        let variables: Vec<(Symbol, u32)> = state.chain(inputs).collect();
        let terms = variables.iter();
        let terms = terms.map(|&(symbol, instance)| self.arena.variable_at(symbol, instance));
        let found = self.solver.values(&terms.collect::<Vec<_>>());
        for ((symbol, instance), value) in variables.into_iter().zip(found) {
            let value = value.unwrap_or_else(|| Value::zero(symbol.sort()));
            values.insert((symbol, instance), value);
        }
        Model { step, values }
    }

    /// Returns a minimal subset of the cells whose contents imply the formula; `None` if the solver cannot show that all of them
    /// do.
    pub fn needed(
        &mut self,
        formula: TermId,
        cells: Vec<(Cell, Value)>,
    ) -> Option<Vec<(Cell, Value)>> {
        let arena = Rc::clone(&self.arena);
        self.solver.push();
        self.solver.assert(arena.not(formula));
        let equation =
            |(cell, value): &(Cell, Value)| arena.eq(cell.term(&*arena), arena.value(value));
        let equations: Vec<TermId> = cells.iter().map(equation).collect();
        let needed = self.minimal_core(&[], &equations);
        self.solver.pop();
        let mut needed = needed?.into_iter();
        let mut cells = cells;
        cells.retain(|_| needed.next() == Some(true));
        Some(cells)
    }

    /// Computes a minimal subset of the formulas that is inconsistent with the assertions and the assumptions; returns for each
    /// formula whether it is in the subset, or `None` if all of them together are not shown inconsistent.
    pub fn minimal_core(
        &mut self,
        assumptions: &[TermId],
        formulas: &[TermId],
    ) -> Option<Vec<bool>> {
        let names: Vec<TermId> = formulas.iter().map(|&one| self.implying(one)).collect();
        self.solver.set_limit(self.limit);
        let mut kept = names.clone();
        let mut next = 0;
        let mut tried = names.clone();
        loop {
            let all = [assumptions, &tried].concat();
            match self.solver.check(&all) {
                Answer::Unsatisfiable => {
                    let core = self.solver.unsat_core();
                    kept.retain(|name| core.contains(name));
                }
                _ if tried.len() == names.len() => return None,
                _ => next += 1,
            }
            if next >= kept.len() {
                break;
            }
            tried = kept.clone();
            tried.remove(next);
        }
        Some(names.iter().map(|name| kept.contains(name)).collect())
    }
}

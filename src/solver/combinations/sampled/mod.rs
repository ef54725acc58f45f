//! A solver with known assignments that are tried before it is asked.
//!
//! Nothing is asserted; a question is a set of conditions. Symbolic execution asks about many paths with a common prefix,
//! so that a known assignment answers many of its questions (the counterexample cache of KLEE: \[CDE08\]).

mod samples;

use std::rc::Rc;
use std::time::{Duration, Instant};

use self::samples::Samples;
use crate::limits::{MAXIMUM_MODEL_VARIABLES, MINIMUM_QUESTIONS_BEFORE_RESET, SLOW_QUESTION};
use crate::{Answer, CheckLimit, Solver};
use regatta_term::{Build, CellVariables, TermId, Value, free_variables};

/// The model of the last satisfiable question.
#[derive(Copy, Clone, Debug)]
enum Model {
    Solver,
    /// The sample with this number.
    Sample(usize),
}

/// A solver with sample assignments: a few fixed ones, and its latest models.
pub struct SampledSolver {
    solver: Box<dyn Solver>,
    cells: CellVariables,
    samples: Samples,
    model: Model,
    /// Whether questions have little in common with much earlier ones.
    is_diverse: bool,
    /// Number of questions since the solver's state was last dropped, and their wall time.
    since_reset: (u32, Duration),
}

impl SampledSolver {
    /// Wraps a fresh solver, which must not be used otherwise. `is_diverse`: most questions have little in common with
    /// much earlier ones.
    pub fn new(solver: Box<dyn Solver>, is_diverse: bool) -> Self {
        Self {
            is_diverse,
            since_reset: (0, Duration::ZERO),
            solver,
            cells: CellVariables::default(),
            samples: Samples::new(),
            model: Model::Solver,
        }
    }

    /// Asks the solver whether all conditions can hold, within the limit; meant for conditions that no sample satisfies.
    pub fn check(&mut self, conditions: &[TermId], limit: CheckLimit) -> Answer {
        let plain = self.plain(conditions);
        let (questions, time) = self.since_reset;
        if self.is_diverse
            && questions >= MINIMUM_QUESTIONS_BEFORE_RESET
            && time > SLOW_QUESTION * questions
        {
            self.solver.forget_questions();
            self.since_reset = (0, Duration::ZERO);
        }
        self.solver.set_limit(limit);
        let began = Instant::now();
        let answer = self.solver.check(&plain);
        let (questions, time) = self.since_reset;
        self.since_reset = (questions + 1, time + began.elapsed());
        self.model = Model::Solver;
        if answer == Answer::Satisfiable {
            self.keep_model(&plain);
        }
        answer
    }

    /// Checks whether all conditions hold under one of the samples.
    pub fn is_sampled(&mut self, conditions: &[TermId]) -> bool {
        let plain = self.plain(conditions);
        let Some(number) = self.samples.satisfying(self.solver.arena(), &plain) else {
            return false;
        };
        self.model = Model::Sample(number);
        true
    }

    /// Drops the samples, for a caller whom they have led to false alarms.
    pub fn forget_samples(&mut self) {
        self.samples = Samples::none();
    }

    /// Returns the term's value in the model or sample that satisfied the last question.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        let plain = self.cells.replaced(&**self.solver.arena(), term);
        match self.model {
            Model::Solver => self.solver.value(plain),
            Model::Sample(number) => self.samples.value(self.solver.arena(), number, plain),
        }
    }

    fn plain(&mut self, conditions: &[TermId]) -> Vec<TermId> {
        let arena = &**self.solver.arena();
        for &condition in conditions {
            self.cells.look_at(arena, condition);
        }
        let plain = conditions
            .iter()
            .map(|&one| self.cells.replaced(arena, one));
        plain.collect()
    }

    /// Keeps the solver's model as a sample.
    fn keep_model(&mut self, plain: &[TermId]) {
        let arena = Rc::clone(self.solver.arena());
        let mut variables = free_variables(&*arena, arena.and(plain.to_vec()));
        variables.retain(|(symbol, _)| !symbol.sort().is_array());
        if variables.len() > MAXIMUM_MODEL_VARIABLES {
            return;
        }
        let terms = variables.iter();
        let terms = terms.map(|&(symbol, instance)| arena.variable_at(symbol, instance));
        let values = self.solver.values(&terms.collect::<Vec<_>>());
        let values = variables.into_iter().zip(values);
        self.samples
            .add(values.filter_map(|(variable, value)| Some((variable, value?))));
    }
}

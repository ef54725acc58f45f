//! A solver before which assignments are tried.
//!
//! Nothing is ever asserted: what is asked is a few conditions with all that they are made of. For a symbolic execution, which asks about many
//! paths that begin alike, an assignment that is known answers many of the questions (the counterexample cache of KLEE: Cadar,
//! Dunbar and Engler, OSDI 2008).

mod samples;

use std::rc::Rc;
use std::time::{Duration, Instant};

use self::samples::Samples;
use super::{Answer, CheckLimit, Solver};
use regatta_term::{Build, CellVariables, TermId, Value, free_variables};

/// A model of more variables is not kept for later questions.
const MOST_VARIABLES: usize = 4096;
/// After so many questions that took so long on the average, what they left behind is thrown away.
const MANY: u32 = 32;
const SLOW: Duration = Duration::from_millis(2);

/// Where what could hold last was seen to hold.
#[derive(Copy, Clone, Debug)]
enum Model {
    Solver,
    /// The sample of this number.
    Sample(usize),
}

/// The solver with the assignments: some that are made up, and its latest models.
pub struct SampledSolver {
    solver: Box<dyn Solver>,
    cells: CellVariables,
    samples: Samples,
    model: Model,
    /// Whether questions have little in common.
    apart: bool,
    /// Questions since the solver was made to forget all, and the time that they took.
    since: (u32, Duration),
}

impl SampledSolver {
    /// The solver, which has been asked nothing, and is to be asked by this alone. `apart`: most questions have little in common with those
    /// that were asked long before.
    pub fn new(solver: Box<dyn Solver>, apart: bool) -> Self {
        Self {
            apart,
            since: (0, Duration::ZERO),
            solver,
            cells: CellVariables::default(),
            samples: Samples::new(),
            model: Model::Solver,
        }
    }

    /// Whether all conditions can hold, as the solver finds within the limit; it is for what no assignment satisfies.
    pub fn check(&mut self, conditions: &[TermId], limit: CheckLimit) -> Answer {
        let plain = self.plain(conditions);
        if self.apart && self.since.0 >= MANY && self.since.1 > SLOW * self.since.0 {
            self.solver.forget_questions();
            self.since = (0, Duration::ZERO);
        }
        self.solver.set_limit(limit);
        let began = Instant::now();
        let answer = self.solver.check(&plain);
        self.since = (self.since.0 + 1, self.since.1 + began.elapsed());
        self.model = Model::Solver;
        if answer == Answer::Satisfiable {
            self.keep_model(&plain);
        }
        answer
    }

    /// Whether all conditions hold under one of the assignments.
    pub fn is_sampled(&mut self, conditions: &[TermId]) -> bool {
        let plain = self.plain(conditions);
        let Some(number) = self.samples.satisfying(self.solver.arena(), &plain) else {
            return false;
        };
        self.model = Model::Sample(number);
        true
    }

    /// Assignments are of no use, since what they say leads to alarms that are none.
    pub fn forget_samples(&mut self) {
        self.samples = Samples::none();
    }

    /// The term's value where what was asked last, and can be, holds.
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

    /// The solver's model is one more sample.
    fn keep_model(&mut self, plain: &[TermId]) {
        let arena = Rc::clone(self.solver.arena());
        let mut variables = free_variables(&*arena, arena.and(plain.to_vec()));
        variables.retain(|(symbol, _)| !symbol.sort().is_array());
        if variables.len() > MOST_VARIABLES {
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

//! A solver with known assignments that are tried before it is asked.
//!
//! Nothing is asserted; a question is a set of conditions. Symbolic execution asks about many paths with a common prefix,
//! so that a known assignment answers many of its questions (the counterexample cache of KLEE: \[CDE08\]). A question about
//! a path that was extended is put only about the conditions that share variables with the new ones; what was found of a
//! set of conditions, a model or an unsat core, answers later questions.

mod answers;
mod samples;
mod slices;

use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::answers::Answers;
use self::samples::Samples;
use self::slices::Slices;
use crate::limits::{MAXIMUM_MODEL_VARIABLES, MINIMUM_QUESTIONS_BEFORE_RESET, SLOW_QUESTION};
use crate::{Answer, CheckLimit, Reason, Solver};
use regatta_term::{Arena, Build, CellVariables, TermId, Value, conjuncts, free_variables};

/// The model of the last satisfiable question.
#[derive(Copy, Clone, Debug)]
enum Model {
    Solver,
    /// The sample with this number.
    Sample(usize),
}

pub use crate::limits::MAXIMUM_CONDITIONS_FOR_IMPLICATION;

/// What is found of a path that was extended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extension {
    /// It is satisfiable, if the path before was.
    Possible,
    /// These of its conditions contradict one another.
    Impossible(Vec<TermId>),
    /// Nothing.
    Open,
}

/// What answered the questions about paths.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Questions answered by an earlier answer.
    pub earlier: u64,
    /// Questions answered by a sample.
    pub samples: u64,
    /// Questions to the solver, of all kinds.
    pub solver: u64,
    /// Wall time of the solver.
    pub time: Duration,
}

/// A solver with sample assignments: a few fixed ones, and its latest models.
pub struct SampledSolver {
    solver: Box<dyn Solver>,
    cells: CellVariables,
    samples: Samples,
    slices: Slices,
    answers: Answers,
    model: Model,
    sources: Sources,
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
            slices: Slices::default(),
            answers: Answers::default(),
            model: Model::Solver,
            sources: Sources::default(),
        }
    }

    /// Asks the solver whether all conditions can hold, within the limit; meant for conditions that no sample satisfies.
    pub fn check(&mut self, conditions: &[TermId], limit: CheckLimit) -> Answer {
        let plain = self.plain(conditions);
        self.ask(&plain, limit)
    }

    /// [`Self::check`] for conditions with reads replaced.
    fn ask(&mut self, plain: &[TermId], limit: CheckLimit) -> Answer {
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
        let answer = self.solver.check(plain);
        let (questions, time) = self.since_reset;
        self.since_reset = (questions + 1, time + began.elapsed());
        self.sources.solver += 1;
        self.sources.time += began.elapsed();
        self.model = Model::Solver;
        if answer == Answer::Satisfiable {
            self.keep_model(plain);
        }
        answer
    }

    /// Decides within the time whether the condition can hold on the satisfiable path. Only the conditions of the path that
    /// have to do with it are asked about, if they are at most `maximum`.
    pub fn extension(
        &mut self,
        path: TermId,
        condition: TermId,
        most: Duration,
        maximum: usize,
    ) -> Extension {
        let arena = Rc::clone(self.solver.arena());
        let mut conditions = conjuncts(&*arena, path);
        let newest = conditions.len();
        conditions.extend(conjuncts(&*arena, condition));
        let plain = self.plain(&conditions);
        let mut slice: Vec<TermId> = Vec::new();
        let mut original = FxHashMap::default();
        for place in self.slices.connected(&arena, &plain, newest) {
            original.insert(plain[place], conditions[place]);
            slice.push(plain[place]);
        }
        slice.sort_unstable();
        slice.dedup();
        if slice.len() > maximum {
            return Extension::Open;
        }
        if let Some(core) = self.answers.core(&slice, &plain[newest..]) {
            self.sources.earlier += 1;
            return Extension::Impossible(core.iter().map(|one| original[one]).collect());
        }
        if self.answers.is_possible(&slice) {
            self.sources.earlier += 1;
            return Extension::Possible;
        }
        if self.samples.satisfying(&arena, &slice).is_some() {
            self.sources.samples += 1;
            self.answers.add_possible(&slice);
            return Extension::Possible;
        }
        if self.answers.is_left_open(&slice, most) {
            self.sources.earlier += 1;
            return Extension::Open;
        }
        let limit = CheckLimit {
            resource: None,
            time: Some(most),
        };
        match self.ask(&slice, limit) {
            Answer::Satisfiable => {
                self.answers.add_possible(&slice);
                Extension::Possible
            }
            Answer::Unsatisfiable => {
                let core = match self.solver.unsat_core() {
                    core if core.is_empty() => slice,
                    core => core,
                };
                self.answers.add_core(&core);
                Extension::Impossible(core.iter().map(|one| original[one]).collect())
            }
            Answer::Unknown(reason) => {
                if reason == Reason::Limit {
                    self.answers.add_open(&slice, most);
                }
                Extension::Open
            }
        }
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

    /// Returns the pool of the solver's terms.
    pub fn arena(&self) -> &Rc<Arena> {
        self.solver.arena()
    }

    /// Returns what has answered the questions so far.
    pub const fn sources(&self) -> Sources {
        self.sources
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

//! Solver queries of a walk.

use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::limits::{
    FIRST_TIME_OF_HARD_QUESTION, INITIAL_TIME, MAXIMUM_MERGE_TIME, MAXIMUM_QUERY_TIME,
    MAXIMUM_SWEEPING_TIME, MAXIMUM_TIME_SHARE, MINIMUM_IMPORTANT_QUERY_TIME,
};
use regatta_solver::linear_bits;
use regatta_solver::sampled::{
    Extension, MAXIMUM_CONDITIONS_FOR_IMPLICATION, SampledSolver, Sources,
};
use regatta_solver::sweeping::swept;
use regatta_solver::{Answer, CheckLimit, Reason, Solver};
use regatta_term::{Build, TermId, Value};

/// The solver of a walk. It has no assertions: each query is a complete condition.
pub struct Queries {
    solver: SampledSolver,
    began: Instant,
    spent: Duration,
    /// The time spent at safe points.
    pub paused: Duration,
    /// Maximum time of all walks.
    time: Duration,
    /// The satisfiability of conditions that were decided.
    known: FxHashMap<TermId, bool>,
    /// The number of queries during walks that the solver was asked.
    pub asked: u64,
    /// Whether the walks were last expected to end soon.
    pub ends_soon: bool,
}

impl Queries {
    /// Creates it for paths that are walked separately (`by_path`) or merged.
    pub fn new(solver: Box<dyn Solver>, time: Duration, by_path: bool) -> Self {
        Self {
            solver: SampledSolver::new(solver, by_path),
            began: Instant::now(),
            spent: Duration::ZERO,
            paused: Duration::ZERO,
            time,
            known: FxHashMap::default(),
            asked: 0,
            ends_soon: false,
        }
    }

    /// Checks whether the condition is unsatisfiable, as far as that is decided quickly. `matters`: the answer is important.
    pub fn excludes(&mut self, condition: TermId, matters: bool) -> bool {
        if condition == TermId::TRUE {
            return false;
        }
        if let Some(&possible) = self.known.get(&condition) {
            return !possible;
        }
        if self.solver.is_sampled(&[condition]) {
            self.known.insert(condition, true);
            return false;
        }
        let budget = self.elapsed().mul_f64(MAXIMUM_TIME_SHARE) + INITIAL_TIME;
        if !matters && self.spent > budget {
            return false;
        }
        let most = match matters {
            true => self.important_query_time(),
            false => MAXIMUM_QUERY_TIME,
        };
        let (began, before) = (Instant::now(), self.sources().solver);
        let answer = self.ask(condition, Some(most));
        self.spent += began.elapsed();
        self.asked += self.sources().solver - before;
        answer == Answer::Unsatisfiable
    }

    /// Checks whether the condition is unsatisfiable on the path, which is taken to be satisfiable.
    pub fn excludes_on(&mut self, path: TermId, condition: TermId) -> bool {
        self.excludes_among(path, condition, usize::MAX)
    }

    /// Checks whether the condition follows on the path, as far as that is decided by few of the path's conditions.
    pub fn is_implied_on(&mut self, path: TermId, condition: TermId) -> bool {
        let denial = self.solver.arena().not(condition);
        self.excludes_among(path, denial, MAXIMUM_CONDITIONS_FOR_IMPLICATION)
    }

    /// [`Self::excludes_on`] if at most `maximum` conditions of the path have to do with the condition.
    fn excludes_among(&mut self, path: TermId, condition: TermId, maximum: usize) -> bool {
        let left = self.time.saturating_sub(self.elapsed());
        if left.is_zero() {
            return false;
        }
        let most = left.min(self.important_query_time());
        let (began, before) = (Instant::now(), self.sources().solver);
        let found = self.solver.extension(path, condition, most, maximum);
        self.spent += began.elapsed();
        self.asked += self.sources().solver - before;
        matches!(found, Extension::Impossible(_))
    }

    fn important_query_time(&self) -> Duration {
        MINIMUM_IMPORTANT_QUERY_TIME.max(self.elapsed().mul_f64(MAXIMUM_TIME_SHARE / 2.0))
    }

    /// Checks whether the condition is satisfiable.
    pub fn check(&mut self, condition: TermId, most: Option<Duration>) -> Answer {
        if !self.is_over() && self.solver.is_sampled(&[condition]) {
            return Answer::Satisfiable;
        }
        self.ask(condition, most)
    }

    /// [`Self::check`] for a question that may be hard: terms with equal linear forms are merged, and if it is left open at first,
    /// all that are found to be equal.
    pub fn check_swept(&mut self, condition: TermId, most: Option<Duration>) -> Answer {
        let condition = self.with_linear_terms_merged(condition);
        let first = most.map_or(FIRST_TIME_OF_HARD_QUESTION, |most| {
            FIRST_TIME_OF_HARD_QUESTION.min(most / 2)
        });
        match self.check(condition, Some(first)) {
            Answer::Unknown(Reason::Limit) => {}
            answer => return answer,
        }
        let began = Instant::now();
        let arena = Rc::clone(self.solver.arena());
        let mut refutes = |differ: TermId| {
            let is_time_left = began.elapsed() < MAXIMUM_SWEEPING_TIME;
            is_time_left && self.ask(differ, Some(MAXIMUM_MERGE_TIME)) == Answer::Unsatisfiable
        };
        match swept(&arena, &[condition], &mut refutes).as_deref() {
            Some(&[merged]) => self.check(merged, most),
            _ => self.check(condition, most),
        }
    }

    /// An equivalent condition in which terms with equal linear forms are one.
    fn with_linear_terms_merged(&self, condition: TermId) -> TermId {
        let arena = self.solver.arena();
        if !linear_bits::is_bitwise(arena, &[condition]) {
            return condition;
        }
        match linear_bits::merged(arena, &[condition]).as_deref() {
            Some(&[merged]) => merged,
            _ => condition,
        }
    }

    /// Checks whether the condition, which no sample satisfies, is satisfiable.
    fn ask(&mut self, condition: TermId, most: Option<Duration>) -> Answer {
        if condition == TermId::FALSE {
            return Answer::Unsatisfiable;
        }
        let left = self.time.saturating_sub(self.elapsed());
        if left.is_zero() {
            return Answer::Unknown(Reason::Limit);
        }
        let limit = CheckLimit {
            resource: None,
            time: Some(left.min(most.unwrap_or(left))),
        };
        let answer = self.solver.check(&[condition], limit);
        match answer {
            Answer::Satisfiable => self.known.insert(condition, true),
            Answer::Unsatisfiable => self.known.insert(condition, false),
            Answer::Unknown(Reason::Interrupted | Reason::Limit | Reason::Incomplete(_)) => None,
        };
        answer
    }

    /// Drops the samples, whose values led to a spurious alarm.
    pub fn forget_samples(&mut self) {
        self.solver.forget_samples();
    }

    /// Checks whether the condition holds in the model of the last check.
    pub fn holds(&mut self, condition: TermId) -> bool {
        condition == TermId::TRUE || self.value(condition) == Some(Value::Bool(true))
    }

    /// Returns the term's value in the model of the last check.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        self.solver.value(term)
    }

    /// Returns what has answered the queries so far.
    pub const fn sources(&self) -> Sources {
        self.solver.sources()
    }

    /// Returns the elapsed time without the time at safe points.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.paused)
    }

    pub fn is_over(&self) -> bool {
        self.elapsed() >= self.time
    }
}

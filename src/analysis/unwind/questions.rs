//! What the solver is asked.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::solver::sampled::SampledSolver;
use crate::solver::{Answer, CheckLimit, Reason, Solver};
use crate::term::{TermId, Value};

/// What questions on the way may take of the time until then, and how long the first ones.
const SHARE: f64 = 0.6;
const AT_FIRST: Duration = Duration::from_millis(300);
/// How long one may take that need not be asked, and one before something is cut off.
const ONE: Duration = Duration::from_millis(400);
const LAST: Duration = Duration::from_millis(500);

/// The solver of a walk. Nothing is ever asserted: what is asked is a condition with all that it is made of.
pub struct Questions {
    solver: SampledSolver,
    began: Instant,
    spent: Duration,
    /// Time in which others had their turn.
    pub paused: Duration,
    /// What all may take.
    time: Duration,
    /// Answers of conditions that were decided.
    known: FxHashMap<TermId, bool>,
    /// How many questions were asked on the way.
    pub asked: u64,
}

impl Questions {
    /// Nothing has been asked. Paths are walked one by one, or merged.
    pub fn new(solver: Box<dyn Solver>, time: Duration, by_path: bool) -> Self {
        Self {
            solver: SampledSolver::new(solver, by_path),
            began: Instant::now(),
            spent: Duration::ZERO,
            paused: Duration::ZERO,
            time,
            known: FxHashMap::default(),
            asked: 0,
        }
    }

    /// Whether the condition cannot hold, as far as can be found out soon. `matters`: much depends on it.
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
        let budget = self.elapsed().mul_f64(SHARE) + AT_FIRST;
        if !matters && self.spent > budget {
            return false;
        }
        self.asked += 1;
        let most = match matters {
            true => LAST.max(self.elapsed().mul_f64(SHARE / 2.0)),
            false => ONE,
        };
        let began = Instant::now();
        let answer = self.ask(condition, Some(most));
        self.spent += began.elapsed();
        answer == Answer::Unsatisfiable
    }

    /// Whether the condition can hold.
    pub fn check(&mut self, condition: TermId, most: Option<Duration>) -> Answer {
        if !self.is_over() && self.solver.is_sampled(&[condition]) {
            return Answer::Satisfiable;
        }
        self.ask(condition, most)
    }

    /// Whether the condition, which no sample satisfies, can hold.
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

    /// What the samples say leads to alarms that are none.
    pub fn forget_samples(&mut self) {
        self.solver.forget_samples();
    }

    /// Whether the condition holds in the model of the last check.
    pub fn holds(&mut self, condition: TermId) -> bool {
        condition == TermId::TRUE || self.value(condition) == Some(Value::Bool(true))
    }

    /// The term's value in the model of the last check.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        self.solver.value(term)
    }

    /// The time since the first question could be asked, without that of others.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.paused)
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.elapsed() >= self.time
    }
}

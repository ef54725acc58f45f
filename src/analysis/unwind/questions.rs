//! What the solver is asked.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::solver::{Answer, CheckLimit, Reason, Solver};
use crate::term::{CellVariables, TermId, Value};

/// What questions on the way may take of the time until then, and how long the first ones.
const SHARE: f64 = 0.6;
const AT_FIRST: Duration = Duration::from_millis(300);
/// How long one may take that need not be asked, and one before something is cut off.
const ONE: Duration = Duration::from_millis(400);
const LAST: Duration = Duration::from_millis(500);

/// The solver of a walk. Nothing is ever asserted: what is asked is a condition with all that it is made of.
pub struct Questions {
    solver: Box<dyn Solver>,
    began: Instant,
    spent: Duration,
    /// Time in which others had their turn.
    pub paused: Duration,
    /// What all may take.
    time: Duration,
    /// Answers of conditions that were decided.
    known: FxHashMap<TermId, bool>,
    cells: CellVariables,
    /// How many questions were asked on the way.
    pub asked: u64,
}

impl Questions {
    /// Nothing has been asked.
    pub fn new(solver: Box<dyn Solver>, time: Duration) -> Self {
        Self {
            solver,
            began: Instant::now(),
            spent: Duration::ZERO,
            paused: Duration::ZERO,
            time,
            known: FxHashMap::default(),
            cells: CellVariables::default(),
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
        let answer = self.check(condition, Some(most));
        self.spent += began.elapsed();
        answer == Answer::Unsatisfiable
    }

    /// Whether the condition can hold.
    pub fn check(&mut self, condition: TermId, most: Option<Duration>) -> Answer {
        if condition == TermId::FALSE {
            return Answer::Unsatisfiable;
        }
        let left = self.time.saturating_sub(self.elapsed());
        if left.is_zero() {
            return Answer::Unknown(Reason::Limit);
        }
        self.solver.set_limit(CheckLimit {
            resource: None,
            time: Some(left.min(most.unwrap_or(left))),
        });
        let plain = self.cells.replaced(&**self.solver.arena(), condition);
        let answer = self.solver.check(&[plain]);
        match answer {
            Answer::Satisfiable => self.known.insert(condition, true),
            Answer::Unsatisfiable => self.known.insert(condition, false),
            Answer::Unknown(Reason::Interrupted | Reason::Limit | Reason::Incomplete(_)) => None,
        };
        answer
    }

    /// Whether the condition holds in the model of the last check.
    pub fn holds(&mut self, condition: TermId) -> bool {
        condition == TermId::TRUE || self.value(condition) == Some(Value::Bool(true))
    }

    /// The term's value in the model of the last check.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        let plain = self.cells.replaced(&**self.solver.arena(), term);
        self.solver.value(plain)
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

//! The solver checks of interpolation, under a common deadline and interrupt.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::super::{Answer, CheckLimit, Interrupt, Reason, Solver};
use regatta_term::{Arena, TermId, Value};

/// The handle by which other threads interrupt an interpolator.
pub struct Handle {
    interrupted: AtomicBool,
    /// The solvers and searches that may be running.
    workers: Mutex<Vec<Arc<dyn Interrupt>>>,
}

impl Interrupt for Handle {
    fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
        for worker in &*self.workers.lock() {
            worker.interrupt();
        }
    }
}

impl Handle {
    /// Adds a worker, which is interrupted as well until it is removed.
    pub fn add(&self, worker: Arc<dyn Interrupt>) {
        self.workers.lock().push(worker);
    }

    /// Removes the newest worker.
    pub fn remove(&self) {
        self.workers.lock().pop();
    }
}

/// A solver with scoped checks: between two of them it has no assertions.
pub struct Queries {
    solver: Box<dyn Solver>,
    handle: Arc<Handle>,
    deadline: Option<Instant>,
    resource: Option<u32>,
}

impl Queries {
    /// Wraps a solver without assertions.
    pub fn new(solver: Box<dyn Solver>) -> Self {
        let handle = Handle {
            interrupted: AtomicBool::new(false),
            workers: Mutex::new(vec![solver.interrupter()]),
        };
        Self {
            solver,
            handle: Arc::new(handle),
            deadline: None,
            resource: None,
        }
    }

    /// The pool of the terms.
    pub fn arena(&self) -> Rc<Arena> {
        Rc::clone(self.solver.arena())
    }

    /// The pool of the terms.
    pub(crate) fn arena_ref(&self) -> &Rc<Arena> {
        self.solver.arena()
    }

    /// The handle for other threads.
    pub fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// Begins a call with the limits and resets earlier interrupts.
    pub fn begin(&mut self, limit: CheckLimit) {
        self.handle.interrupted.store(false, Ordering::Release);
        self.deadline = limit.time.map(|time| Instant::now() + time);
        self.resource = limit.resource;
    }

    /// Runs the work with an additional limit of the given time.
    pub fn within<T>(&mut self, time: Duration, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.deadline;
        let own = Instant::now() + time;
        self.deadline = Some(outer.map_or(own, |outer| outer.min(own)));
        let result = work(self);
        self.deadline = outer;
        result
    }

    /// Returns the time left, if it is limited.
    ///
    /// # Errors
    /// When none is left, or after an interrupt.
    pub fn time_left(&self) -> Result<Option<Duration>, Reason> {
        if self.handle.interrupted.load(Ordering::Acquire) {
            return Err(Reason::Interrupted);
        }
        let Some(deadline) = self.deadline else {
            return Ok(None);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        // Solvers count milliseconds, and some take zero for no limit.
        if left < Duration::from_millis(1) {
            return Err(Reason::Limit);
        }
        Ok(Some(left))
    }

    /// The limit on the solver's own unit of work in a check.
    pub fn resource(&self) -> Option<u32> {
        self.resource
    }

    /// Runs the work with the terms asserted in a new scope.
    pub fn with<T>(&mut self, assertions: &[TermId], work: impl FnOnce(&mut Self) -> T) -> T {
        self.solver.push();
        for &assertion in assertions {
            self.solver.assert(assertion);
        }
        let result = work(self);
        self.solver.pop();
        result
    }

    /// Adds to the newest scope of [`Queries::with`].
    pub fn assert(&mut self, formula: TermId) {
        self.solver.assert(formula);
    }

    /// Checks whether the assertions and assumptions have a model.
    ///
    /// # Errors
    /// When that is not decided.
    pub fn is_satisfiable(&mut self, assumptions: &[TermId]) -> Result<bool, Reason> {
        let limit = CheckLimit {
            resource: self.resource,
            time: self.time_left()?,
        };
        self.solver.set_limit(limit);
        match self.solver.check(assumptions) {
            Answer::Satisfiable => Ok(true),
            Answer::Unsatisfiable => Ok(false),
            Answer::Unknown(reason) => {
                self.time_left()?;
                Err(reason)
            }
        }
    }

    /// Returns an unsat core of the assumptions, or `None` if they have a model.
    ///
    /// # Errors
    /// When that is not decided.
    pub fn core(&mut self, assumptions: &[TermId]) -> Result<Option<Vec<TermId>>, Reason> {
        if self.is_satisfiable(assumptions)? {
            return Ok(None);
        }
        let core = self.solver.unsat_core();
        let kept = assumptions
            .iter()
            .copied()
            .filter(|term| core.contains(term));
        Ok(Some(kept.collect()))
    }

    /// The value of a term in the model of the last check.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        self.solver.value(term)
    }
}

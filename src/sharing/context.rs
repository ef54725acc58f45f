//! The environment in which an engine runs.

use std::time::Duration;

use super::{Answer, CancellationToken, Exchange, OpenTargets, Progress};
use regatta_base::workers::Workers;
use regatta_certify::certificate::Certificate;
use regatta_certify::replay::Replay;
use regatta_program::interpreter::Journal;
use regatta_solver::{Solver, SolverError};

/// The environment in which an engine runs, supplied by its caller.
pub struct Context<'c> {
    /// Says when to stop.
    pub token: &'c CancellationToken,
    /// See [`Context::safe_point`].
    pub safe_point: &'c dyn Fn() -> Duration,
    /// Receives the engine's progress.
    pub report: &'c dyn Fn(Progress),
    /// Replays an alarm on the program as lowered.
    pub confirm: &'c mut dyn FnMut(&Journal) -> Replay,
    /// The exchange of proved invariants with the other engines.
    pub exchange: &'c Exchange<'c>,
    /// Further threads, where cores are idle.
    pub workers: &'c Workers,
    /// Checks a certificate of which the engine does not know whether it is a proof, where finding that out is as hard
    /// as the check itself. `None` where it is not.
    pub certifies: Option<&'c dyn Fn(&Certificate) -> bool>,
    /// The targets that are left, if there are several and each is decided by itself.
    pub targets: Option<&'c dyn OpenTargets>,
}

impl Context<'_> {
    /// Yields the processor if another engine waits for it and this engine's time slice is over. To be called between
    /// queries, where a pause costs nothing. Returns the time spent waiting, for engines that measure their own time.
    pub fn safe_point(&self) -> Duration {
        (self.safe_point)()
    }

    /// Replays an alarm and returns the answer that follows from it.
    pub fn confirmed(&mut self, alarm: &Journal) -> Answer {
        match (self.confirm)(alarm) {
            Replay::Confirmed(violation) => Answer::Unsafe(violation),
            Replay::NotConfirmed(reason) => {
                let reason = reason.to_string();
                (self.report)(Progress::LeftAside {
                    reason: reason.clone(),
                });
                Answer::Unknown(reason)
            }
        }
    }

    /// Returns a solver that is interrupted when the engine is to stop.
    ///
    /// # Errors
    /// When no solver can be made.
    pub fn solver(&self, factory: &SolverFactory<'_>) -> Result<Box<dyn Solver>, SolverError> {
        self.solvers(factory)()
    }

    /// Returns a factory of solvers that are interrupted when the engine is to stop.
    pub fn solvers<'f>(
        &self,
        factory: &'f SolverFactory<'f>,
    ) -> impl Fn() -> Result<Box<dyn Solver>, SolverError> + use<'f> {
        let token = self.token.clone();
        move || {
            let solver = factory()?;
            token.interrupts(solver.interrupter());
            Ok(solver)
        }
    }
}

/// Makes the solvers of an engine, each with an arena of its own; an error is a reason in words.
pub type SolverFactory<'f> = dyn Fn() -> Result<Box<dyn Solver>, SolverError> + 'f;

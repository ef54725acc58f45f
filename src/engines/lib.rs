//! The engines: one module each.
//!
//! Each has options, which implement [`Engine`] ([`engine`]); [`registry`] has one line for each. Engines do not import one
//! another, with these exceptions: those that guess sample runs of [`simulate`]; [`cegar`] runs [`data_flow`] or
//! [`k_induction`] on path programs; [`predicate`] runs the engine that its options describe.
//!
//! * [`simulate`]: the interpreter on boundary, random and mutated inputs.
//! * [`exhaustive`]: enumeration of all runs, where inputs have few values that make a difference.
//! * [`boxes`]: branch and bound over inputs in interval arithmetic.
//! * [`bmc`]: bounded model checking; [`k_induction`]: k-induction and KIPDR, with its lifting of states; [`unrolling`]: the
//!   unrolling that these two share.
//! * [`unwind`]: symbolic execution with merging of states, each loop up to a limit.
//! * [`predicate_abstraction`]: lazy predicate abstraction; [`impact`]: lazy abstraction with interpolants; [`cegar`]:
//!   the refinement loop that these two share; [`predicate`]: these two, [`bmc`] and [`k_induction`] as settings of one
//!   engine.
//! * [`ctigar`]: IC3 on predicates.
//! * [`horn`]: constrained Horn clauses with summaries of recursive functions, solved by Z3's SPACER; [`horn_clauses`]:
//!   the translation of the program to such clauses, and of solutions back to the program.
//! * [`spacer`]: automatic abstraction of Horn clauses with counters for loops, which Z3's SPACER solves.
//! * [`summaries`]: summaries of recursive functions, guessed and then proved.
//! * [`data_flow`]: invariants by abstract interpretation and by proved guesses, continuously refined; [`states`]: the
//!   combinations of values of variables that have few; [`fits`]: contents of arrays; [`polynomials`]: equations between
//!   variables that are multiplied; [`objects`]: objects on the heap. They share [`invariants::rounds`].
//! * [`invariants`]: the exchange of invariants: candidates, the prover, and the store of what is proved.

pub mod bmc;
pub mod boxes;
pub mod cegar;
pub mod ctigar;
pub mod data_flow;
pub mod engine;
#[cfg(test)]
mod exchange_table;
pub mod exhaustive;
pub mod fits;
pub mod horn;
pub mod horn_clauses;
pub mod impact;
pub mod invariants;
pub mod k_induction;
pub mod objects;
pub mod polynomials;
pub mod predicate;
pub mod predicate_abstraction;
mod registry;
pub mod simulate;
pub mod spacer;
pub mod states;
pub mod summaries;
#[cfg(test)]
mod testing;
pub mod unrolling;
pub mod unwind;

pub use self::engine::{Engine, Lowered, Recursion, Registration, Report, Statistic, Subject};
pub use self::registry::AnyEngine;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use self::invariants::Exchange;
use regatta_base::workers::Workers;
use regatta_certify::certificate::Certificate;
use regatta_certify::replay::{Replay, Violation};
use regatta_program::interpreter::Journal;
use regatta_solver::{Interrupt, Solver, SolverError};

/// An engine's answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The property holds, for the reason that the certificate gives.
    Safe(Certificate),
    /// The property holds: all runs of the program as lowered have been enumerated, as the text says.
    Explored(String),
    /// The property is violated; the violation has been confirmed on the program as lowered.
    Unsafe(Violation),
    /// The verdict is unknown, for a reason in words.
    Unknown(String),
}

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

/// An event in an engine, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The engine turns to this bound.
    Bound {
        /// The bound, in steps between cut points.
        bound: u32,
    },
    /// An abstract counterexample is about to be refined.
    Refinement {
        /// Its number, from one.
        number: u32,
        /// The number of abstract states so far.
        states: usize,
    },
    /// A round of the generation of invariants has ended.
    Invariants {
        /// The round's name.
        round: &'static str,
        /// The number of new invariants.
        proved: usize,
        /// The number of all invariants in the store.
        total: usize,
    },
    /// An alarm was not confirmed: the engine leaves the target aside and can no longer prove the program.
    LeftAside {
        /// The reason why it was not confirmed.
        reason: String,
    },
    /// The engine has a new abstraction of the program.
    Abstracted {
        /// The step that made it.
        step: AbstractionStep,
        /// The number of iterations of each loop that the step looked at.
        bound: u32,
        /// The number of the program's constraints that it keeps.
        kept: usize,
        /// The number of the program's constraints.
        all: usize,
    },
}

/// The step that made an abstraction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AbstractionStep {
    /// It keeps the constraints that the proof of an under-approximation needs.
    ProofBased,
    /// It adds constraints that exclude a counterexample.
    CounterexampleBased,
}

/// Makes the solvers of an engine, each with an arena of its own; an error is a reason in words.
pub type SolverFactory<'f> = dyn Fn() -> Result<Box<dyn Solver>, SolverError> + 'f;

/// Tells an engine to stop. Clones share the flag.
#[derive(Clone, Default)]
pub struct CancellationToken {
    flag: Arc<AtomicBool>,
    solvers: Arc<Mutex<Vec<Arc<dyn Interrupt>>>>,
}

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all holders of a clone of the token to stop, and interrupts their solvers; it cannot be undone.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
        for solver in &*self.solvers.lock() {
            solver.interrupt();
        }
    }

    /// Registers a solver to be interrupted when the token is cancelled, or at once if it is. A query that starts after
    /// the interrupt would run on: look at [`Self::is_cancelled`] before each.
    pub fn interrupts(&self, solver: Arc<dyn Interrupt>) {
        let mut solvers = self.solvers.lock();
        if self.is_cancelled() {
            solver.interrupt();
        }
        solvers.push(solver);
    }

    /// Whether [`Self::cancel`] has been called.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// The flag itself, for loops that read it often.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

/// Cancels this token when another one is cancelled.
impl Interrupt for CancellationToken {
    fn interrupt(&self) {
        self.cancel();
    }
}

impl std::fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CancellationToken")
            .field(&self.is_cancelled())
            .finish()
    }
}

//! The engines: one module each.
//!
//! Uses [`crate::term`], [`crate::program`], [`crate::certify`]. An engine gets a program, a budget and a
//! [`CancellationToken`]; engines do not import one another, except that [`data_flow`] samples what [`simulate`] runs, and
//! [`cegar`] has [`data_flow`] or [`k_induction`] look at parts of the program.
//!
//! * [`simulate`]: the interpreter on boundary, random and mutated inputs.
//! * [`exhaustive`]: all runs, where inputs have few values that matter.
//! * [`boxes`]: branch and bound over inputs in interval arithmetic.
//! * [`bmc`]: bounded model checking; [`k_induction`]; [`unrolling`]: what these two share.
//! * [`unwind`]: symbolic execution with merging, loops to a limit each.
//! * [`predicate_abstraction`]: lazy predicate abstraction; [`impact`]: lazy abstraction with interpolants; [`cegar`]: what
//!   these two share; [`predicate`]: all of these as settings of one.
//! * [`ctigar`]: IC3 on predicates.
//! * [`horn`]: Horn clauses with summaries of recursive functions, solved by Z3's SPACER; [`horn_clauses`]: the program as
//!   such clauses, and back.
//! * [`spacer`]: automatic abstraction of Horn clauses with counters for loops, which Z3's SPACER solves.
//! * [`summaries`]: summaries of recursive functions by guesses.
//! * [`data_flow`]: invariants by abstract interpretation and by guesses, continuously refined.
//! * [`invariants`]: how analyses share them.
//! * [`options`]: how an engine declares what a user can set.

pub mod bmc;
pub mod boxes;
pub mod cegar;
pub mod ctigar;
pub mod data_flow;
#[cfg(test)]
mod exchange_table;
pub mod exhaustive;
pub mod horn;
pub mod horn_clauses;
pub mod impact;
pub mod invariants;
pub mod k_induction;
pub mod options;
pub mod predicate;
pub mod predicate_abstraction;
pub mod simulate;
pub mod spacer;
pub mod summaries;
#[cfg(test)]
mod testing;
pub mod unrolling;
pub mod unwind;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use self::invariants::Exchange;
use crate::certify::certificate::Certificate;
use crate::certify::replay::{Replay, Violation};
use crate::program::interpreter::Journal;
use crate::solver::{Interrupt, Solver, SolverError};
use crate::workers::Workers;

/// An engine's answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The property holds, for the reason that the certificate gives.
    Safe(Certificate),
    /// The property holds: all runs of the program as lowered have been seen.
    Explored(exhaustive::Statistics),
    /// The property is violated; the violation has been confirmed on the program as lowered.
    Unsafe(Violation),
    /// Neither was found out, for a reason in words.
    Unknown(String),
}

/// What an engine gets from whoever runs it.
pub struct Context<'c> {
    /// When to stop.
    pub token: &'c CancellationToken,
    /// See [`Context::safe_point`].
    pub safe_point: &'c dyn Fn() -> Duration,
    /// Whom to tell what happens.
    pub report: &'c dyn Fn(Progress),
    /// Replays an alarm on the program as lowered.
    pub confirm: &'c mut dyn FnMut(&Journal) -> Replay,
    /// What the analyses of the race have proved, to give and to take.
    pub exchange: &'c Exchange<'c>,
    /// More threads, where cores are idle.
    pub workers: &'c Workers,
    /// Whether a proof passes its check of which the engine does not know that it is one, where to find that out is as hard
    /// as the check itself. `None` where it is not.
    pub certifies: Option<&'c dyn Fn(&Certificate) -> bool>,
}

impl Context<'_> {
    /// The engine could stop here. To be called between queries, where it costs nothing: if others are waiting for the
    /// processor and this engine's turn is over, it waits for its next one. Returns how long that took, for an engine
    /// that keeps an eye on the time.
    pub fn safe_point(&self) -> Duration {
        (self.safe_point)()
    }

    /// What there is to say about an alarm, once it has been replayed.
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

    /// A solver that is interrupted when the engine is to stop.
    ///
    /// # Errors
    /// When there is none.
    pub fn solver(&self, factory: &SolverFactory<'_>) -> Result<Box<dyn Solver>, SolverError> {
        self.solvers(factory)()
    }

    /// Makes solvers that are interrupted when the engine is to stop.
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

/// What happens in an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The bound k is being looked at.
    Bound {
        /// The bound, in steps between cut points.
        bound: u32,
    },
    /// An abstract counterexample has been found.
    Refinement {
        /// How many there have been, with this one.
        number: u32,
        /// How many abstract states there have been.
        states: usize,
    },
    /// Invariants have been looked for.
    Invariants {
        /// In which language.
        round: &'static str,
        /// How many are new.
        proved: usize,
        /// How many the store has.
        total: usize,
    },
    /// A target may be reached but was not confirmed: the engine will have no proof.
    LeftAside {
        /// Why it was not confirmed.
        reason: String,
    },
    /// There is another abstraction of the program.
    Abstracted {
        /// What it is based on.
        step: AbstractionStep,
        /// Of how many iterations of each loop.
        bound: u32,
        /// How many of the program's constraints it has.
        kept: usize,
        /// How many the program has.
        all: usize,
    },
}

/// What an abstraction is based on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AbstractionStep {
    /// What the proof of an under-approximation needs.
    ProofBased,
    /// What excludes a counterexample.
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

    /// Asks everybody with a clone of the token to stop, and interrupts their solvers; it cannot be taken back.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
        for solver in &*self.solvers.lock() {
            solver.interrupt();
        }
    }

    /// The solver is to be interrupted when the token is cancelled, or at once if it is. A check that starts after that must not be asked:
    /// look at [`Self::is_cancelled`] first.
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

    /// The flag itself, for a loop that looks at it often.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

/// A token that is cancelled when another one is.
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

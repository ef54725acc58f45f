//! The grounds of an answer, from which witnesses are written.

use std::time::Duration;

use crate::record::event::Reporter;
use crate::task::RunOptions;
use regatta_certify::Certificate;
use regatta_certify::check::FactNumbers;
use regatta_certify::replay::Violation;
use regatta_program::interpreter::Executable;
use regatta_program::{Program, Simplified};

/// The grounds of an answer.
#[derive(Clone, Debug)]
pub enum Ground {
    /// An execution that ends in the error.
    Run(Violation),
    /// A confirmed proof, the simplifier's facts that its check confirmed, and the time of the check.
    Proof(Certificate, FactNumbers, Duration),
    /// The exhaustive exploration of all executions.
    AllRuns,
}

/// The grounds of an answer with the program.
pub struct Evidence<'t> {
    pub options: &'t RunOptions,
    pub reporter: &'t Reporter,
    pub lowered: &'t Program,
    pub executable: &'t Executable,
    pub simplified: &'t Simplified,
    pub ground: &'t Ground,
    /// Checks another proof within about the given time.
    pub confirms: &'t Confirms<'t>,
    /// Returns the simplifier's facts that can be confirmed within about the given time.
    pub confirmed_facts: &'t dyn Fn(Duration) -> FactNumbers,
    /// The remaining wall time, if it is limited.
    pub time_left: Option<Duration>,
}

/// Checks whether a proof is confirmed within about the given time.
pub type Confirms<'c> = dyn Fn(&Certificate, Duration) -> bool + 'c;

/// Writes the grounds of an answer (as witness files) before the answer is given.
pub type Publisher<'p> = dyn Fn(&Evidence<'_>) + 'p;

//! What an answer rests on, for whoever writes it down.

use std::time::Duration;

use super::event::Reporter;
use super::task::RunOptions;
use regatta_certify::Certificate;
use regatta_certify::check::FactNumbers;
use regatta_certify::replay::Violation;
use regatta_program::interpreter::Executable;
use regatta_program::{Program, Simplified};

/// Why an answer is right.
#[derive(Clone, Debug)]
pub enum Ground {
    /// A run that ends in the error.
    Run(Violation),
    /// A proof that was confirmed, the simplifier's facts that were found to hold on the way, and how long that took.
    Proof(Certificate, FactNumbers, Duration),
    /// There are only so many runs, and each has been seen.
    AllRuns,
}

/// What an answer rests on, with the program that it is about.
pub struct Evidence<'t> {
    pub options: &'t RunOptions,
    pub reporter: &'t Reporter,
    pub lowered: &'t Program,
    pub executable: &'t Executable,
    pub simplified: &'t Simplified,
    pub ground: &'t Ground,
    /// Whether another proof is confirmed, too, in about so much time.
    pub confirms: &'t Confirms<'t>,
    /// The simplifier's facts that are found to hold in about so much time.
    pub confirmed_facts: &'t dyn Fn(Duration) -> FactNumbers,
    /// What is left of the wall time, if it is limited.
    pub time_left: Option<Duration>,
}

/// Tells whether a proof is confirmed in about so much time.
pub type Confirms<'c> = dyn Fn(&Certificate, Duration) -> bool + 'c;

/// Writes down what an answer rests on, before the answer is given.
pub type Publisher<'p> = dyn Fn(&Evidence<'_>) + 'p;

//! The grounds of an answer, from which witnesses are written.

use std::time::Duration;

use parking_lot::Mutex;

use crate::options::TaskOptions;
use crate::record::event::Reporter;
use crate::record::verdict::{Conclusion, Verdict};
use crate::task::Task;
use regatta_certify::Certificate;
use regatta_certify::check::FactNumbers;
use regatta_certify::replay::Violation;
use regatta_program::interpreter::Executable;
use regatta_program::termination::LoopMeasure;
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
    /// What decreases in loops, which shows that every execution ends.
    Measures(Vec<LoopMeasure>),
}

/// The grounds of confirmed answers, by analysis.
pub(crate) struct Grounds(Option<Mutex<Vec<(String, Ground)>>>);

impl Grounds {
    /// Makes an empty store, which keeps something only if it is needed later.
    pub fn new(are_needed: bool) -> Self {
        Self(are_needed.then(Mutex::default))
    }

    /// Keeps the grounds of an answer if they are needed later.
    pub fn keep(&self, analysis: &str, ground: impl FnOnce() -> Ground) {
        if let Some(grounds) = &self.0 {
            grounds.lock().push((analysis.to_owned(), ground()));
        }
    }

    /// Returns the grounds of the answer, if they were kept.
    pub fn of(&self, conclusion: &Conclusion) -> Option<Ground> {
        let grounds = self.0.as_ref()?.lock();
        let found = grounds.iter().rev().find(|(analysis, ground)| {
            let fits = match conclusion.verdict {
                Verdict::True => matches!(ground, Ground::Proof(..) | Ground::AllRuns),
                Verdict::False(_) => matches!(ground, Ground::Run(_)),
                Verdict::Unknown(_) => false,
            };
            fits && conclusion.analysis.as_ref() == Some(analysis)
        });
        found.map(|(_, ground)| ground.clone())
    }
}

/// The grounds of an answer with the program.
pub struct Evidence<'t> {
    pub options: &'t TaskOptions,
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

impl<'t> Evidence<'t> {
    /// The grounds of an answer about the task. Nothing further is confirmed.
    pub(crate) fn new(task: &'t Task, reporter: &'t Reporter, ground: &'t Ground) -> Self {
        Self {
            options: &task.options,
            reporter,
            lowered: &task.lowered,
            executable: &task.executable,
            simplified: &task.simplified,
            ground,
            confirms: &|_, _| false,
            confirmed_facts: &|_| FactNumbers::default(),
            time_left: task.time_left(),
        }
    }
}

/// Checks whether a proof is confirmed within about the given time.
pub type Confirms<'c> = dyn Fn(&Certificate, Duration) -> bool + 'c;

/// Writes the grounds of an answer (as witness files) before the answer is given.
pub type Publisher<'p> = dyn Fn(&Evidence<'_>) + 'p;

//! The events of a run, as one stream.
//!
//! Everything that a user, a table or a report needs to know about a run is an [`Event`] with a time. The race's
//! process writes the events into a pipe, one JSON object a line; the supervisor reads them and passes them on: to standard
//! output with `--json`, to the log with `-v`.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::check::CheckRow;
use super::description::RunDescription;
use super::findings::{Automaton, Invariant, ProofPart};
use super::verdict::{Conclusion, ReportedAssumption};
use regatta_certify::verification_conditions::Written;
use regatta_program::TargetSet;

/// An event with its time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Seconds of wall time since the command started.
    pub time: f64,
    /// The event.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The kinds of events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// The description of the run. It is the first event, sent only for `--json` and reports.
    Run(Box<RunDescription>),
    /// A step before the analyses has ended.
    Phase {
        /// Its name: `preprocess`, `parse`, `lower`, `emit`, `simplify`.
        name: String,
        /// Its duration, in seconds of wall time.
        seconds: f64,
    },
    /// Checks of the program with what is known of them now: first all of them, later those of which more is known, and at
    /// the end all of them again. Only if each check is to be decided by itself.
    Checks {
        /// The digest of the program as lowered.
        program: String,
        /// The checks.
        checks: Vec<CheckRow>,
    },
    /// The size of the program before the analyses start.
    Program {
        /// The program as lowered.
        lowered: Size,
        /// The program after simplification.
        simplified: Size,
        /// The number of unsupported edges that are left after simplification.
        unsupported: usize,
        /// The number of checks that are left after simplification.
        checks: usize,
        /// The number of checks of the program as lowered: those that its text does not decide.
        #[serde(default)]
        checks_as_lowered: usize,
    },
    /// The unsupported operations and loops that the analyses have to deal with: the first of each kind.
    Open {
        /// The unsupported operations that are left after simplification: place and reason.
        unsupported: Vec<String>,
        /// The loops and recursive functions that are left after simplification.
        loops: Vec<String>,
        /// The features of the program ([`regatta_program::features`]).
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        features: BTreeMap<String, u64>,
    },
    /// The control-flow automaton of the program to analyse. Only if details are requested.
    Automaton(Automaton),
    /// A warning about the input or the system.
    Warning {
        /// The warning, with its place.
        message: String,
    },
    /// A requested file could not be written.
    NotWritten {
        /// The file and the reason.
        message: String,
    },
    /// An analysis began.
    Started {
        /// Its name in the portfolio.
        analysis: String,
        /// Its number within the run, by which a crash is attributed.
        id: u32,
    },
    /// An analysis waits for its next turn. Only if details are requested.
    Paused {
        /// Its name in the portfolio.
        analysis: String,
    },
    /// An analysis's next turn begins. Only if details are requested.
    Resumed {
        /// Its name in the portfolio.
        analysis: String,
    },
    /// An analysis expects to end soon, by what it has done so far, or its answer is being checked; or neither any longer.
    Expectation {
        /// Its name in the portfolio.
        analysis: String,
        /// Whether its answer is to be waited for.
        ends_soon: bool,
    },
    /// An analysis raised its bound.
    Bound {
        /// Its name in the portfolio.
        analysis: String,
        /// The bound, in steps between cut points.
        bound: u32,
    },
    /// An analysis has found an abstract counterexample.
    Refinement {
        /// Its name in the portfolio.
        analysis: String,
        /// The number of counterexamples found so far, with this one.
        number: u32,
        /// The number of abstract states made so far.
        states: usize,
    },
    /// An analysis has ended a round of its search for invariants.
    Invariants {
        /// Its name in the portfolio.
        analysis: String,
        /// The abstract domain or template language of the round.
        round: String,
        /// The number of invariants proved in the round.
        proved: usize,
        /// The number of invariants in the store now.
        total: usize,
    },
    /// Invariants were published to all analyses. Only if details are requested.
    Published {
        /// Some of them.
        invariants: Vec<Invariant>,
    },
    /// Invariants that an earlier run has proved are tried again, or more of them are proved than before.
    EarlierInvariants {
        /// Whether an earlier race of the same run has proved them.
        #[serde(default)]
        is_same_run: bool,
        /// The number of invariants of the earlier run.
        kept: usize,
        /// The number of those whose loop and variables the program still has.
        placed: usize,
        /// The number of those that are proved again.
        held: usize,
        /// Why the file of the earlier run is of no use, if it is not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// A proof relies on invariants that another analysis has published.
    Relied {
        /// Its name in the portfolio.
        analysis: String,
        /// The name of the analysis that published them.
        publisher: String,
        /// The number of the publisher's invariants in the proof.
        invariants: usize,
    },
    /// An analysis could neither confirm nor exclude that an error location is reached, so it will find no proof.
    LeftAside {
        /// Its name in the portfolio.
        analysis: String,
        /// Why not.
        reason: String,
    },
    /// An analysis has changed its abstraction of the program.
    Abstracted {
        /// Its name in the portfolio.
        analysis: String,
        /// The basis of the new abstraction: `proof` or `counterexample`.
        basis: String,
        /// The number of iterations of each loop in the under-approximation.
        bound: u32,
        /// The number of the program's constraints in the abstraction.
        kept: usize,
        /// The number of the program's constraints.
        all: usize,
    },
    /// The steps of a proof. Only if details are requested.
    Proof {
        /// The name of the analysis that found it.
        analysis: String,
        /// Its steps.
        parts: Vec<ProofPart>,
    },
    /// A proof has been checked.
    Certified {
        /// The name of the analysis that found it.
        analysis: String,
        /// The result: `confirmed`, or the reason why not.
        outcome: String,
        /// The time of the check, in seconds of wall time.
        seconds: f64,
    },
    /// Checks are excluded, while the race goes on about the others. Only if each check is decided by itself.
    Excluded {
        /// The name of the analysis that has proved it.
        analysis: String,
        /// Their numbers, from zero.
        checks: TargetSet,
        /// The assumptions of the proof; empty unless requested.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        assumptions: Vec<ReportedAssumption>,
    },
    /// An alarm has been replayed by the compiled program.
    Replayed {
        /// The name of the analysis that raised it.
        analysis: String,
        /// The result: `confirmed`, or the reason why not.
        outcome: String,
        /// The time of compilation and execution, in seconds of wall time.
        seconds: f64,
    },
    /// An analysis ended.
    Finished {
        /// Its name in the portfolio.
        analysis: String,
        /// Its result, in words.
        outcome: String,
        /// Its counters.
        #[serde(default)]
        statistics: serde_json::Map<String, serde_json::Value>,
    },
    /// The counters of an analysis at the end of the race, also of one that was stopped and has no `finished` event.
    Counted {
        /// Its name in the portfolio.
        analysis: String,
        /// The counters ([`regatta_base::counters::Counter`]) that are not zero, by their names.
        counters: serde_json::Map<String, serde_json::Value>,
        /// Wall time in solvers, summed over all its threads, in seconds.
        solver_seconds: f64,
        /// The number of invariants it has taken from each publisher, by the publisher's name.
        #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
        taken: serde_json::Map<String, serde_json::Value>,
    },
    /// An analysis panicked; the run continues without it.
    Panicked {
        /// Its name in the portfolio.
        analysis: String,
        /// The panic's message.
        message: String,
    },
    /// An answer was refuted by its check, so the analysis has an error.
    Refuted {
        /// Its name in the portfolio.
        analysis: String,
        /// The result of the check.
        reason: String,
    },
    /// Published invariants were refuted and withdrawn, with all that rely on them.
    Withdrawn {
        /// The number of batches withdrawn.
        batches: usize,
    },
    /// The process with the analyses died.
    Crashed {
        /// The analysis that caused it, if known.
        analysis: Option<String>,
        /// The exit code or the signal, in words.
        reason: String,
    },
    /// The present resource usage of the process with the analyses.
    Resources {
        /// Resident memory in MiB.
        memory: u64,
        /// CPU time of all its threads so far, in seconds.
        cpu: f64,
    },
    /// The verification conditions of the proof behind the answer were written to a folder.
    CertificateWritten {
        /// The folder.
        folder: String,
        /// The numbers of files and conditions.
        #[serde(flatten)]
        written: Written,
    },
    /// The answer of the run.
    Concluded(Conclusion),
}

impl EventKind {
    /// Returns the name of the analysis that the event concerns, if it concerns one.
    pub fn analysis(&self) -> Option<&str> {
        match self {
            Self::Started { analysis, .. }
            | Self::Expectation { analysis, .. }
            | Self::Bound { analysis, .. }
            | Self::Refinement { analysis, .. }
            | Self::Invariants { analysis, .. }
            | Self::Relied { analysis, .. }
            | Self::Proof { analysis, .. }
            | Self::Paused { analysis }
            | Self::Resumed { analysis }
            | Self::LeftAside { analysis, .. }
            | Self::Abstracted { analysis, .. }
            | Self::Certified { analysis, .. }
            | Self::Excluded { analysis, .. }
            | Self::Replayed { analysis, .. }
            | Self::Finished { analysis, .. }
            | Self::Counted { analysis, .. }
            | Self::Panicked { analysis, .. }
            | Self::Refuted { analysis, .. } => Some(analysis),
            Self::Crashed { analysis, .. } => analysis.as_deref(),
            Self::Run(_)
            | Self::Phase { .. }
            | Self::Checks { .. }
            | Self::Program { .. }
            | Self::Open { .. }
            | Self::Warning { .. }
            | Self::NotWritten { .. }
            | Self::Automaton(_)
            | Self::Published { .. }
            | Self::EarlierInvariants { .. }
            | Self::Resources { .. }
            | Self::Withdrawn { .. }
            | Self::CertificateWritten { .. }
            | Self::Concluded(_) => None,
        }
    }
}

/// The size of a program.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub functions: usize,
    pub locations: usize,
    pub edges: usize,
    pub variables: usize,
}

/// A message from the race's process to the supervisor: a line of JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// An event.
    Event(Event),
    /// The answer. Nothing follows it.
    Conclusion(Conclusion),
    /// The input cannot be read; the text is ready to be printed. Nothing follows it.
    Rejected(String),
}

/// The race's end of the pipe to the supervisor; clones share it, and all threads may use it.
#[derive(Clone)]
pub struct Reporter {
    started: Instant,
    pipe: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Reporter {
    /// Makes a reporter that writes to `pipe` and counts time from `started`.
    pub fn new(started: Instant, pipe: Box<dyn Write + Send>) -> Self {
        Self {
            started,
            pipe: Arc::new(Mutex::new(pipe)),
        }
    }

    /// Returns when the command started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Sends an event with the present time.
    pub fn event(&self, kind: EventKind) {
        self.send(&Message::Event(Event {
            time: self.started.elapsed().as_secs_f64(),
            kind,
        }));
    }

    /// Runs a step and reports how long it took.
    pub fn phase<T>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = step();
        self.event(EventKind::Phase {
            name: name.to_owned(),
            seconds: begin.elapsed().as_secs_f64(),
        });
        result
    }

    /// Sends a message. A failure to write is ignored, because this process ends with its supervisor.
    pub fn send(&self, message: &Message) {
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            let mut pipe = self.pipe.lock();
            let _ = pipe.write_all(&line);
        }
    }
}

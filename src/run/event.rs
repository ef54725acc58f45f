//! What happens during a run, as one stream.
//!
//! Everything that a user, a table or a report wants to know about a run is an [`Event`] with a time. The race's
//! process writes them, one JSON object a line, into a pipe; the supervisor reads them and hands them on: to standard
//! output with `--json`, to the log with `-v`.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::description::RunDescription;
use super::findings::{Automaton, Invariant, ProofPart};
use super::verdict::Conclusion;
use regatta_certify::record::Written;

/// Something that happened, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Seconds of wall time since the command started.
    pub time: f64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// What is run, and where. Comes first, where somebody wants to know.
    Run(Box<RunDescription>),
    /// A step that comes before the analyses has ended.
    Phase {
        /// Its name: `preprocess`, `parse`, `lower`, `emit`, `simplify`.
        name: String,
        /// How long it took, in seconds of wall time.
        seconds: f64,
    },
    /// What is known of the program before the analyses start.
    Program {
        /// Locations, edges and variables as lowered.
        lowered: Size,
        /// The same after simplification.
        simplified: Size,
        /// Edges that are not supported and left after simplification.
        unsupported: usize,
    },
    /// What the analyses have to deal with: the first places of each kind.
    Open {
        /// Places that are not supported and left after simplification, with the reasons.
        unsupported: Vec<String>,
        /// The loops and recursive functions that are left after simplification.
        loops: Vec<String>,
        /// Numbers by which kinds of programs are told apart ([`regatta_program::features`]).
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        features: BTreeMap<String, u64>,
    },
    /// The automaton that the analyses see. Only where details are wanted.
    Automaton(Automaton),
    /// The input deserves a remark, but was accepted.
    Warning {
        /// The remark, with its place.
        message: String,
    },
    /// A file that was asked for could not be written.
    NotWritten {
        /// Which, and why.
        message: String,
    },
    /// An analysis began.
    Started {
        /// Its name in the portfolio.
        analysis: String,
        /// Its number within the run, by which a crash is attributed.
        id: u32,
    },
    /// An analysis waits for its next turn. Only where details are wanted.
    Paused {
        /// Its name in the portfolio.
        analysis: String,
    },
    /// An analysis has another turn. Only where details are wanted.
    Resumed {
        /// Its name in the portfolio.
        analysis: String,
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
        /// How many it has found, with this one.
        number: u32,
        /// How many abstract states it has made.
        states: usize,
    },
    /// An analysis has looked for invariants.
    Invariants {
        /// Its name in the portfolio.
        analysis: String,
        /// In which language.
        round: String,
        /// How many it has proved.
        proved: usize,
        /// How many the store has now.
        total: usize,
    },
    /// Invariants that analyses share from now on. Only where details are wanted.
    Published {
        /// Some of them.
        invariants: Vec<Invariant>,
    },
    /// A proof has invariants that analyses share.
    Relied {
        /// Its name in the portfolio.
        analysis: String,
        /// The name of the one that published them.
        publisher: String,
        /// How many of its invariants the proof has.
        invariants: usize,
    },
    /// An analysis could not confirm that a target is reached, nor exclude it: it will have no proof.
    LeftAside {
        /// Its name in the portfolio.
        analysis: String,
        /// Why not.
        reason: String,
    },
    /// An analysis has another abstraction of the program.
    Abstracted {
        /// Its name in the portfolio.
        analysis: String,
        /// What it comes from: `proof` or `counterexample`.
        basis: String,
        /// Of how many iterations of each loop.
        bound: u32,
        /// How many of the program's constraints it has.
        kept: usize,
        /// How many the program has.
        all: usize,
    },
    /// What a proof is made of. Only where details are wanted.
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
        /// What came of it: `confirmed`, or why not.
        outcome: String,
        /// How long the check took, in seconds of wall time.
        seconds: f64,
    },
    /// An alarm has been replayed by the compiled program.
    Replayed {
        /// The name of the analysis that raised it.
        analysis: String,
        /// What came of it: `confirmed`, or why not.
        outcome: String,
        /// How long that took with the compiler, in seconds of wall time.
        seconds: f64,
    },
    /// An analysis ended.
    Finished {
        /// Its name in the portfolio.
        analysis: String,
        /// What it found, in words.
        outcome: String,
        /// Its counters.
        #[serde(default)]
        statistics: serde_json::Map<String, serde_json::Value>,
    },
    /// What an analysis has done, when the race is over: also if it was stopped, and has no other last word.
    Counted {
        /// Its name in the portfolio.
        analysis: String,
        /// The counters ([`regatta_base::counters::Counter`]) that are not zero, by their names.
        counters: serde_json::Map<String, serde_json::Value>,
        /// Wall time in solvers, of all its threads together, in seconds.
        solver_seconds: f64,
        /// How many invariants it has taken, by the names of those who published them.
        #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
        taken: serde_json::Map<String, serde_json::Value>,
    },
    /// An analysis panicked; the run goes on without it.
    Panicked {
        /// Its name in the portfolio.
        analysis: String,
        /// The panic's message.
        message: String,
    },
    /// An answer did not pass its check: an error of the analysis, which is left out from here on.
    Refuted {
        /// Its name in the portfolio.
        analysis: String,
        /// What the check found.
        reason: String,
    },
    /// Invariants that analyses share were refuted, and are gone with all that relied on them.
    Withdrawn {
        /// How many batches.
        batches: usize,
    },
    /// The process with the analyses died.
    Crashed {
        /// The analysis that did it, if that is known.
        analysis: Option<String>,
        /// How it died.
        reason: String,
    },
    /// What the process with the analyses uses at the moment.
    Resources {
        /// Resident memory in MiB.
        memory: u64,
        /// CPU time of all its threads so far, in seconds.
        cpu: f64,
    },
    /// The verification conditions of the proof that is the answer are in a folder.
    CertificateWritten {
        /// The folder.
        folder: String,
        /// How much there is.
        #[serde(flatten)]
        written: Written,
    },
    /// The run's answer.
    Concluded(Conclusion),
}

impl EventKind {
    /// The name of the analysis that it is about, if it is about one.
    pub fn analysis(&self) -> Option<&str> {
        match self {
            Self::Started { analysis, .. }
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
            | Self::Replayed { analysis, .. }
            | Self::Finished { analysis, .. }
            | Self::Counted { analysis, .. }
            | Self::Panicked { analysis, .. }
            | Self::Refuted { analysis, .. } => Some(analysis),
            Self::Crashed { analysis, .. } => analysis.as_deref(),
            Self::Run(_)
            | Self::Phase { .. }
            | Self::Program { .. }
            | Self::Open { .. }
            | Self::Warning { .. }
            | Self::NotWritten { .. }
            | Self::Automaton(_)
            | Self::Published { .. }
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

/// What the race's process sends to the supervisor: a line of JSON each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Something happened.
    Event(Event),
    /// The answer. Nothing follows it.
    Conclusion(Conclusion),
    /// The input cannot be read; the text is ready to be printed. Nothing follows it.
    Rejected(String),
}

/// The race's end of the pipe; clones share it, and all threads may use it.
#[derive(Clone)]
pub struct Reporter {
    started: Instant,
    pipe: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Reporter {
    /// A reporter that writes to `pipe` and counts time from `started`.
    pub fn new(started: Instant, pipe: Box<dyn Write + Send>) -> Self {
        Self {
            started,
            pipe: Arc::new(Mutex::new(pipe)),
        }
    }

    /// When the command started.
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

    /// Sends a message. A supervisor that is gone takes this process with it, so a failure to write means nothing.
    pub fn send(&self, message: &Message) {
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            let mut pipe = self.pipe.lock();
            let _ = pipe.write_all(&line);
        }
    }
}

//! The options of a run, in groups: each part of the run gets the group that it needs.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::config::{Portfolio, Role};
use crate::record::description::{AnalysisDescription, Environment, RunDescription};
use crate::record::error_path::WantedPath;
use crate::record::question::{Asked, Questions};
pub use crate::record::recorder::RecordOptions;
use regatta_base::Style;
use regatta_frontend::property::Forbidden;
use regatta_frontend::{LoadOptions, Specification};
use regatta_program::ghost::CountedErrors;
use regatta_program::{Arithmetic, Slicing, TargetSet};
use regatta_witness::input_values::WitnessInput;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    pub task: TaskOptions,
    pub race: RaceOptions,
    pub judge: JudgeOptions,
    pub alarm: AlarmOptions,
    pub record: RecordOptions,
    /// The style of messages for the user.
    pub style: Style,
}

impl TaskOptions {
    /// The program's files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let further = self.load.further.iter();
        std::iter::once(self.file.as_path()).chain(further.map(|file| file.path.as_path()))
    }

    /// The text of one of the program's files.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text_of(&self, file: &Path) -> std::io::Result<Vec<u8>> {
        match &self.load.text {
            Some(text) if file == self.file => Ok(text.to_vec()),
            _ => std::fs::read(file),
        }
    }
}

impl RunOptions {
    /// Describes the run that is about to begin.
    pub fn describe(&self, limits: &Limits, portfolio: &str) -> RunDescription {
        let load = &self.task.load;
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let folder = std::env::current_dir().unwrap_or_default();
        let analyses = self.race.portfolio.analyses.iter();
        let analyses = analyses.map(|analysis| AnalysisDescription {
            name: analysis.name().to_owned(),
            engine: analysis.engine.registration().name.to_owned(),
            is_generator: analysis.common.role == Role::Generator,
        });
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = |limit: Option<Duration>| limit.map(|limit| limit.as_secs_f64());
        RunDescription {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            begun: now.unwrap_or_default().as_secs_f64(),
            command: arguments.collect(),
            folder: folder.to_string_lossy().into_owned(),
            file: self.task.file.to_string_lossy().into_owned(),
            further_files: load
                .further
                .iter()
                .map(|file| file.path.to_string_lossy().into_owned())
                .collect(),
            property: describe_property(&load.property),
            properties: load.property.properties(),
            data_model: load.data_model.name().to_owned(),
            standard: load.standard.map(|standard| standard.name().to_owned()),
            arithmetic: match load.arithmetic {
                Arithmetic::BitVector => "bitvector".to_owned(),
                Arithmetic::Integer => "integer".to_owned(),
            },
            portfolio: portfolio.to_owned(),
            analyses: analyses.collect(),
            threads: self.race.threads(),
            is_thorough: self.judge.is_thorough,
            time_limit: seconds(limits.wall),
            cpu_limit: seconds(limits.cpu),
            memory_limit: limits.memory,
            environment: Environment::here(),
        }
    }
}

fn describe_property(property: &Specification) -> String {
    let mut parts: Vec<String> = match &property.forbidden {
        Forbidden::Assertions => {
            vec!["no assertion fails; reach_error and __VERIFIER_error are not called".to_owned()]
        }
        Forbidden::Listed { calls, labels } => {
            let calls = calls.iter().map(|name| format!("{name} is not called"));
            let labels = labels
                .iter()
                .map(|name| format!("the label {name} is not reached"));
            calls.chain(labels).collect()
        }
    };
    let checks = property.checks.iter();
    parts.extend(checks.map(|check| check.description().to_owned()));
    parts.join("; ")
}

/// The question: a program and its property.
#[derive(Clone, Debug)]
pub struct TaskOptions {
    /// The first C file of the program; the options name the others.
    pub file: PathBuf,
    /// The options of the front end, among them the property.
    pub load: LoadOptions,
    /// Whether an alarm does not count that rests on a function that no file defines.
    pub withholds_unknown: bool,
    /// The witness to validate, with which the program was instrumented.
    pub validation: Option<Validation>,
    /// The text of the program with the witness in it, for questions about termination. Other questions are asked about the
    /// program alone.
    pub with_witness: Option<Arc<[u8]>>,
}

/// The question to a program that was instrumented with a witness ([`regatta_witness::instrument`]).
#[derive(Clone, Debug)]
pub enum Validation {
    /// Whether the witness's invariants, which are assertions in the program, hold.
    Invariants {
        /// The number of assertions.
        count: usize,
    },
    /// Whether the path of the witness, which is an automaton in the program, violates the property.
    Violation {
        /// The errors that lie on the path.
        counted: CountedErrors,
        /// The witness's values of inputs, in order.
        values: Vec<WitnessInput>,
    },
    /// Whether an execution goes on for ever along the path of the witness, which is an automaton in the program.
    Cycle,
}

/// The analyses, and on how many threads they work.
#[derive(Clone, Debug)]
pub struct RaceOptions {
    /// The analyses.
    pub portfolio: Portfolio,
    /// The number of threads that work at a time; if not given, one for each core.
    pub threads: Option<usize>,
    /// The file of the invariants that an earlier run has proved, which are tried first; those of this run take their place.
    pub kept_invariants: Option<PathBuf>,
    /// The file in which the races of this run leave what they have proved for the next one of them, unless that is kept anyway.
    pub carried_invariants: Option<PathBuf>,
}

impl RaceOptions {
    /// Returns the number of threads that work at a time, at least one.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// What an answer has to pass, and what it is given with.
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// Whether all solvers check the verification conditions of proofs ([`regatta_certify::opinion`]).
    pub is_thorough: bool,
    /// The treatment of an answer's assumptions.
    pub assumptions: AssumptionPolicy,
    /// The folder, new or empty, for the verification conditions of the proof behind the answer.
    pub certificate: Option<PathBuf>,
}

/// The treatment of an answer's assumptions.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AssumptionPolicy {
    /// They are not looked for.
    Ignored,
    /// They are reported with the answer.
    Reported,
    /// The answer is "unknown" if there are any.
    Strict,
}

/// The examination of the alarm behind an answer.
#[derive(Clone, Debug)]
pub struct AlarmOptions {
    /// The path to an error, if it is reported.
    pub path: Option<WantedPath>,
    /// The file for the harness of an alarm.
    pub harness: Option<PathBuf>,
    /// The executions that have to confirm an alarm.
    pub replay: ReplayPolicy,
    /// The folder in which a program may be compiled; the caller removes it.
    pub native_folder: Option<PathBuf>,
}

/// Which executions have to reach the error before an alarm becomes an answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReplayPolicy {
    /// The interpreter.
    Interpreter,
    /// The interpreter and the compiled program; the answer is UNKNOWN if the latter is inconclusive.
    Native,
    /// The interpreter, and the compiled program unless its execution is inconclusive.
    Both,
}

/// What the process of a race is to decide.
#[derive(Clone, Debug, Default)]
pub enum Question {
    /// Whether the property holds.
    #[default]
    Property,
    /// Which checks the program has.
    List,
    /// Which checks the program has, and what can be said of them in little time.
    Survey {
        /// The numbers of those that are asked about; `None` for all.
        only: Option<TargetSet>,
    },
    /// Whether some of the program's checks hold.
    Targets {
        /// Their numbers.
        asked: TargetSet,
        /// The digest of the program as lowered in which they have these numbers.
        program: String,
        /// What the engines get of the program.
        slicing: Slicing,
    },
    /// Whether every execution ends.
    Termination(Questions),
}

impl Question {
    /// Whether this is asked about checks, each by itself.
    pub(crate) fn is_about_checks(&self) -> bool {
        matches!(
            self,
            Self::List | Self::Survey { .. } | Self::Targets { .. }
        )
    }

    /// Whether only a proof is an answer to it.
    pub(crate) fn needs_proof(&self) -> bool {
        let Self::Termination(questions) = self else {
            return false;
        };
        matches!(questions.present(), Asked::Ranking(_) | Asked::Closed)
    }
}

/// The limits that the supervisor enforces. `None` means no limit.
#[derive(Copy, Clone, Debug, Default)]
pub struct Limits {
    /// Wall time since the command's start.
    pub wall: Option<Duration>,
    /// Wall time since the command's start after which a race over several checks ends, if parts of them are to be decided
    /// then. The race takes at least as long as reading the program.
    pub together: Option<Duration>,
    /// Wall time since the command's start up to which a race goes on, beyond the two, while an analysis expects to end soon.
    pub prolonged: Option<Duration>,
    /// The same while an answer is being checked.
    pub checked: Option<Duration>,
    /// CPU time of all threads and processes of the run together.
    pub cpu: Option<Duration>,
    /// Resident memory of the race's process and of the processes that it has started, in MiB.
    pub memory: Option<u64>,
    /// The interval of the events about the resources that the run uses.
    pub tell_resources: Option<Duration>,
}

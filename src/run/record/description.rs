//! The description of a run, which is its first event: the command, its options and the machine.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::config::Role;
use crate::process::supervisor::Limits;
use crate::task::RunOptions;
use regatta_base::process::machine_mib;
use regatta_frontend::Specification;
use regatta_program::Arithmetic;

/// The description of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunDescription {
    /// The verifier's version.
    pub version: String,
    /// When the command was started, in seconds since 1970.
    pub begun: f64,
    /// The command line, with the command's name.
    pub command: Vec<String>,
    /// The working folder of the command.
    pub folder: String,
    /// The C file.
    pub file: String,
    /// The property, in words.
    pub property: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
    /// The C standard given by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<String>,
    /// `bitvector` or `integer`.
    pub arithmetic: String,
    /// The portfolio's name or file.
    pub portfolio: String,
    /// The portfolio's analyses.
    pub analyses: Vec<AnalysisDescription>,
    /// The number of threads that work at a time.
    pub threads: usize,
    /// Whether all solvers check the verification conditions of proofs (`--check thorough`).
    pub is_thorough: bool,
    /// The limit of wall time, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// The limit of CPU time, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_limit: Option<f64>,
    /// The limit of resident memory, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u64>,
    pub environment: Environment,
}

/// An analysis of the portfolio.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysisDescription {
    /// Its name in the portfolio.
    pub name: String,
    /// The engine's name.
    pub engine: String,
    /// Whether it only generates invariants and never answers.
    pub is_generator: bool,
}

/// The machine on which a run takes place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The operating system with its version.
    pub system: String,
    /// The processor, as it names itself.
    pub processor: String,
    /// The number of cores that this process may use.
    pub cores: usize,
    /// Memory in MiB.
    pub memory: u64,
}

impl RunDescription {
    /// Describes the run that is about to begin.
    pub fn new(options: &RunOptions, limits: &Limits, portfolio: &str) -> Self {
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let folder = std::env::current_dir().unwrap_or_default();
        let analyses = options.portfolio.analyses.iter();
        let analyses = analyses.map(|analysis| AnalysisDescription {
            name: analysis.name().to_owned(),
            engine: analysis.engine.registration().name.to_owned(),
            is_generator: analysis.common.role == Role::Generator,
        });
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = |limit: Option<Duration>| limit.map(|limit| limit.as_secs_f64());
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            begun: now.unwrap_or_default().as_secs_f64(),
            command: arguments.collect(),
            folder: folder.to_string_lossy().into_owned(),
            file: options.file.to_string_lossy().into_owned(),
            property: describe_property(&options.load.property),
            data_model: options.load.data_model.name().to_owned(),
            standard: options
                .load
                .standard
                .map(|standard| standard.name().to_owned()),
            arithmetic: match options.load.arithmetic {
                Arithmetic::BitVector => "bitvector".to_owned(),
                Arithmetic::Integer => "integer".to_owned(),
            },
            portfolio: portfolio.to_owned(),
            analyses: analyses.collect(),
            threads: options.threads(),
            is_thorough: options.is_thorough,
            time_limit: seconds(limits.wall),
            cpu_limit: seconds(limits.cpu),
            memory_limit: limits.memory,
            environment: Environment::here(),
        }
    }
}

fn describe_property(property: &Specification) -> String {
    match property {
        Specification::Default => {
            "no assertion fails; reach_error and __VERIFIER_error are not called".to_owned()
        }
        Specification::Unreachable { calls, labels } => {
            let calls = calls.iter().map(|name| format!("{name} is not called"));
            let labels = labels
                .iter()
                .map(|name| format!("the label {name} is not reached"));
            calls.chain(labels).collect::<Vec<_>>().join("; ")
        }
    }
}

impl Environment {
    /// Describes the machine of this process. A value that the system does not provide stays empty or zero.
    pub fn here() -> Self {
        let name = nix::sys::utsname::uname();
        let part = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        let system = name.map(|name| {
            let parts = [name.sysname(), name.release(), name.machine()];
            parts.map(part).join(" ")
        });
        Self {
            system: system.unwrap_or_default(),
            processor: field(Path::new("/proc/cpuinfo"), "model name").unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(1, |count| count.get()),
            memory: machine_mib("MemTotal").unwrap_or_default(),
        }
    }
}

/// Returns the value of the first line `name: value` of a file.
fn field(file: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let values = text.lines().filter_map(|line| line.split_once(':'));
    let mut values = values.filter(|(key, _)| key.trim() == name);
    values.next().map(|(_, value)| value.trim().to_owned())
}

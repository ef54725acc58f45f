//! The description of a run, which is its first event: the command, its options and the machine.

use std::path::Path;

use serde::{Deserialize, Serialize};

use regatta_base::process::machine_mib;
use regatta_program::Property;

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
    /// The first C file.
    pub file: String,
    /// The other files of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_files: Vec<String>,
    /// The property, in words.
    pub property: String,
    /// The competition's names of what may be violated.
    #[serde(default)]
    pub properties: Vec<Property>,
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

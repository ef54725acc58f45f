//! The command's options: their text here is the `--help`.

mod experiment;

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::grammar;
use crate::frontend::Standard;
use crate::portfolio::alarm::ReplayPolicy;
use crate::program::{Arithmetic, DataModel};
use crate::witness::format::Version;

pub use experiment::{
    ClusterOptions, CompareOptions, ExperimentCommand, ExperimentRunOptions, ExportOptions,
    ImportOptions, LearnOptions, PageOptions, PlotOptions, TableOptions, TablesOptions,
    WorkOptions,
};

/// A parallel portfolio verifier for C.
///
/// `regatta FILE` is short for `regatta verify FILE`. Exit codes: 0 for TRUE, 1 for FALSE, 2 for UNKNOWN, 3 for bad
/// usage or input that cannot be read.
#[derive(Debug, Parser)]
#[command(
    name = "regatta",
    version,
    long_version = grammar::long_version(),
    propagate_version = true,
    max_term_width = 100
)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Verify a C program; the last line of standard output is the result
    Verify(VerifyOptions),
    /// Write the control-flow automaton of a C program as Graphviz
    Cfa(CfaOptions),
    /// Run a C program in the interpreter, with given values for its inputs
    Interpret(InterpretOptions),
    /// Check a witness of a verifier: an invariant set is proved, a path is followed to its violation
    Validate(ValidateOptions),
    /// Look at witness files
    #[command(subcommand)]
    Witness(WitnessCommand),
    /// Show which portfolios there are and what is in them
    #[command(subcommand)]
    Portfolio(PortfolioCommand),
    /// Make many runs, measured, and look at what comes of them
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Show what is known of the functions of the C library, and how exactly they are modelled
    Library,
    /// Print a script that completes the command's options in a shell
    Completions(CompletionsOptions),
    /// Print the manual page, or write all of them
    Manual(ManualOptions),
}

/// The names of the subcommands; anything else in their place is an option or a file of `verify`.
pub const SUBCOMMANDS: [&str; 11] = [
    "verify",
    "cfa",
    "interpret",
    "validate",
    "witness",
    "portfolio",
    "experiment",
    "library",
    "completions",
    "manual",
    "help",
];

/// How the C program is read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading the program")]
pub struct InputOptions {
    /// The C program, or a task definition if the name ends in .yml; a program whose name ends in .i is taken as
    /// preprocessed already
    #[arg(value_name = "FILE", required_unless_present = "task")]
    pub file: Option<PathBuf>,

    /// The property, in SV-COMP's notation; without one, failing assertions and calls of reach_error and
    /// __VERIFIER_error count
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,

    /// An SV-COMP task definition: names the program, the property and the data model
    #[arg(long, value_name = "FILE.yml")]
    pub task: Option<PathBuf>,

    /// Sizes of C's types [default: the task definition's, else LP64]
    #[arg(long, value_enum, ignore_case = true)]
    pub data_model: Option<DataModelOption>,

    /// The standard of C that the program is written in, as gcc names it: c89 to c23, gnu89 to gnu23 [default: gnu17, or
    /// gnu23 for what can be nothing else]
    #[arg(long = "std", value_name = "NAME")]
    pub standard: Option<Standard>,

    /// What C's integers are
    #[arg(long, value_enum, default_value = "bitvector")]
    pub arithmetic: ArithmeticOption,

    /// What a call of a function may do that has no definition and is not known
    #[arg(long, value_enum, default_value = "havoc")]
    pub unknown_calls: UnknownCallsOption,

    /// What changes volatile objects that the program defines itself; others may always hold any value
    #[arg(long, value_enum, default_value = "program")]
    pub volatile: VolatileOption,

    /// There is a device of SIZE bytes at the address START: a read there gives any value, and no object of the program's
    /// is there; may be given several times
    #[arg(long, value_name = "START:SIZE", value_parser = address_range)]
    pub mmio: Vec<Range<u64>>,

    /// Let malloc return a null pointer, too
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// Define a macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// Look for included files here, too
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
}

/// Sizes of C's types.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum DataModelOption {
    /// int, long and pointers of 32 bits
    Ilp32,
    /// int of 32 bits, long and pointers of 64 bits
    Lp64,
}

impl From<DataModelOption> for DataModel {
    fn from(option: DataModelOption) -> Self {
        match option {
            DataModelOption::Ilp32 => Self::Ilp32,
            DataModelOption::Lp64 => Self::Lp64,
        }
    }
}

/// What C's integers are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArithmeticOption {
    /// Machine integers that wrap around
    Bitvector,
    /// Mathematical integers
    Integer,
}

impl From<ArithmeticOption> for Arithmetic {
    fn from(option: ArithmeticOption) -> Self {
        match option {
            ArithmeticOption::Bitvector => Self::BitVector,
            ArithmeticOption::Integer => Self::Integer,
        }
    }
}

/// What a call of unknown code may do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownCallsOption {
    /// Change what its pointer arguments and the non-static globals reach, and return any value
    Havoc,
    /// Return any value
    Pure,
}

/// What changes volatile objects that the program defines itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum VolatileOption {
    /// The program alone, which the ledger notes
    Program,
    /// The environment, too: each read of one that is no local variable gives any value
    Environment,
}

/// Reads `START:SIZE`, each a decimal number or a hexadecimal one after `0x`.
fn address_range(text: &str) -> Result<Range<u64>, String> {
    let number = |text: &str| match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let parts = text.split_once(':');
    let numbers = parts.and_then(|(start, size)| number(start).zip(number(size)));
    let range = numbers.and_then(|(start, size)| Some(start..start.checked_add(size)?));
    match range {
        Some(range) if !range.is_empty() => Ok(range),
        _ => Err("not START:SIZE, two numbers of bytes, the second one positive".to_owned()),
    }
}

/// How proofs are checked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckOption {
    /// Verification conditions are derived anew and go to a fresh Z3
    Usual,
    /// All of them, and what was simplified on the way, also go to a second solver (cvc5, or the program that
    /// REGATTA_SECOND_SOLVER names); if two solvers disagree, the result is UNKNOWN
    Thorough,
}

/// Who replays an alarm.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayOption {
    /// The compiled program, too; an alarm of which it cannot tell is UNKNOWN
    Native,
    /// The interpreter
    Interpreter,
    /// The interpreter, and the compiled program wherever it can be compiled and given all values that matter
    Both,
}

impl From<ReplayOption> for ReplayPolicy {
    fn from(option: ReplayOption) -> Self {
        match option {
            ReplayOption::Native => Self::Native,
            ReplayOption::Interpreter => Self::Interpreter,
            ReplayOption::Both => Self::Both,
        }
    }
}

/// Options of `verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyOptions {
    /// How the program is read.
    #[command(flatten)]
    pub input: InputOptions,

    /// The analyses to run: a portfolio of `regatta portfolio list`, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "default")]
    pub portfolio: String,

    /// Change an option of the portfolio: `sharing=off`, `schedule.growth=2`, `analysis.k-induction.solver=z3`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// How proofs are checked before they are reported
    #[arg(long, value_enum, default_value = "usual")]
    pub check: CheckOption,

    /// Who has to come to the error before FALSE is reported. Native replay compiles the program and runs it, with all
    /// that it does to files and the like
    #[arg(long, value_enum, default_value = "interpreter")]
    pub replay: ReplayOption,

    /// What the run may use.
    #[command(flatten)]
    pub limits: LimitOptions,

    /// Write the events of the run to standard output, one JSON object a line, before the result
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Answer UNKNOWN where the answer would depend on an assumption, such as that malloc succeeds
    #[arg(long, help_heading = "Output")]
    pub strict: bool,

    /// Write a C file for FALSE that defines the functions that the program does not: linked with the program, it leads it
    /// into the error
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub harness: Option<PathBuf>,

    /// Write the answer for tools that show findings (SARIF 2.1.0), with the path to an error
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// Write a report to read in a browser: the source with the path or the invariants, the automaton, the race
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Leave the program's representations, what was proved, certificates and the longest questions to solvers here
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub dump: Option<PathBuf>,

    /// Write a witness of the answer here, in a format of the Competition on Software Verification
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,

    /// Which format; with 2.1 what is proved of recursive functions is said as contracts
    #[arg(
        long,
        value_name = "VERSION",
        value_enum,
        default_value = "2.0",
        help_heading = "Output"
    )]
    pub witness_format: WitnessFormat,

    /// Write the proof as SMT-LIB files here, each of which is to be unsatisfiable, with an index; the folder must not
    /// exist, or be empty
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub certificate: Option<PathBuf>,

    /// Log what happens to standard error
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// A version of the witness format that witnesses are written in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum WitnessFormat {
    /// What most validators read.
    #[value(name = "2.0")]
    V2_0,
    /// With contracts of functions.
    #[value(name = "2.1")]
    V2_1,
}

impl From<WitnessFormat> for Version {
    fn from(format: WitnessFormat) -> Self {
        match format {
            WitnessFormat::V2_0 => Self::V2_0,
            WitnessFormat::V2_1 => Self::V2_1,
        }
    }
}

/// What a run may use.
#[derive(Clone, Debug, Args)]
pub struct LimitOptions {
    /// Wall time after which the result is UNKNOWN
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, help_heading = "Limits")]
    pub time_limit: Option<f64>,

    /// CPU time, of all threads together, after which the result is UNKNOWN
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, help_heading = "Limits")]
    pub cpu_limit: Option<f64>,

    /// Resident memory after which the result is UNKNOWN
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub memory_limit: Option<u64>,

    /// Threads that work at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    pub threads: Option<u16>,
}

/// Options of `validate`.
#[derive(Clone, Debug, Args)]
pub struct ValidateOptions {
    /// How the program is read.
    #[command(flatten)]
    pub input: InputOptions,

    /// The witness, in format 2.0, 2.1 or 2.2
    #[arg(long, value_name = "FILE.yml")]
    pub witness: PathBuf,

    /// The analyses to run: a portfolio of `regatta portfolio list`, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "default")]
    pub portfolio: String,

    /// Change an option of the portfolio: `sharing=off`, `schedule.growth=2`, `analysis.k-induction.solver=z3`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// What the run may use.
    #[command(flatten)]
    pub limits: LimitOptions,

    /// Write the events of the run to standard output, one JSON object a line, before the result
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Log what happens to standard error
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// What to do with a witness file.
#[derive(Clone, Debug, Subcommand)]
pub enum WitnessCommand {
    /// Compare a witness with its format and its program; exit code 1 if something is wrong
    Lint(LintOptions),
}

/// Options of `witness lint`.
#[derive(Clone, Debug, Args)]
pub struct LintOptions {
    /// The witness, in format 2.0, 2.1 or 2.2
    #[arg(value_name = "WITNESS.yml")]
    pub witness: PathBuf,

    /// How the program is read.
    #[command(flatten)]
    pub input: InputOptions,
}

/// Options of `cfa`.
#[derive(Clone, Debug, Args)]
pub struct CfaOptions {
    /// How the program is read.
    #[command(flatten)]
    pub input: InputOptions,

    /// Which automaton
    #[arg(long, value_enum, default_value = "simplified")]
    pub stage: Stage,
}

/// Which automaton of a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// As the front end made it; certificates are checked on this one
    Lowered,
    /// Simplified and sliced; the analyses run on this one
    Simplified,
}

/// Options of `interpret`.
#[derive(Clone, Debug, Args)]
pub struct InterpretOptions {
    /// How the program is read.
    #[command(flatten)]
    pub input: InputOptions,

    /// Values of the inputs in the order in which the program asks for them, as integers; zero when they run out
    #[arg(
        long,
        value_name = "VALUE,...",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub inputs: Vec<i128>,

    /// Print this global's contents at the end, in hexadecimal, one element a line
    #[arg(long, value_name = "NAME")]
    pub print_global: Vec<String>,

    /// Steps after which the run is given up
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub steps: u64,
}

/// What to show of portfolios.
#[derive(Clone, Debug, Subcommand)]
pub enum PortfolioCommand {
    /// The portfolios that come with the program
    List,
    /// A portfolio as a file with every option, what it means, what it may be and its default
    Explain {
        /// A portfolio's name or file
        #[arg(value_name = "NAME|FILE.toml", default_value = "default")]
        portfolio: String,

        /// Change an option of the portfolio first: `sharing=off`, `analysis.k-induction.solver=z3`
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
}

/// Options of `completions`.
#[derive(Clone, Debug, Args)]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Options of `manual`.
#[derive(Clone, Debug, Args)]
pub struct ManualOptions {
    /// Write a page for each command into this folder, instead of the first page to standard output
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        Ok(_) => Err("not a positive number of seconds".into()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_subcommand_is_listed() {
        let mut names: Vec<String> = CommandLine::command()
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        names.push("help".into());
        assert_eq!(names, SUBCOMMANDS);
    }
}

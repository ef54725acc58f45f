//! The command's options. Their doc comments are the text of `--help` and of the manual.

mod experiment;
pub(super) mod grammar;

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use regatta_frontend::{Specification, Standard};
use regatta_program::{Arithmetic, DataModel};
use regatta_run::options::ReplayPolicy;
use regatta_witness::format::Version;

pub use experiment::{
    ClusterOptions, CompareOptions, DiffOptions, ExperimentCommand, ExperimentRunOptions,
    ExportOptions, ImportOptions, LearnOptions, PageOptions, PlotOptions, TableOptions,
    TablesOptions, WorkOptions,
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
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Verify a C program; the last line of standard output is the result
    Verify(VerifyOptions),
    /// Verify what regatta.toml in the project's folder says, and print a table
    Check(CheckOptions),
    /// Write an entry that calls a function with arbitrary arguments, as a C file to be edited
    Harness(HarnessOptions),
    /// Serve an editor in the Language Server Protocol: what is saved is verified, and errors are shown
    Lsp,
    /// Write the control-flow automaton of a C program as Graphviz
    Cfa(CfaOptions),
    /// Execute a C program in the interpreter, with given values for its inputs
    Interpret(InterpretOptions),
    /// Validate a verifier's witness: prove its invariants, or find a violation along its path
    Validate(ValidateOptions),
    /// Check witness files against the format, without verification
    #[command(subcommand)]
    Witness(WitnessCommand),
    /// List the portfolios, or print one with all its options
    #[command(subcommand)]
    Portfolio(PortfolioCommand),
    /// Run configurations on many tasks with measurements, and evaluate the results
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// List the supported functions of the C library, and how precisely each is modelled
    Library,
    /// Print a completion script for a shell
    Completions(CompletionsOptions),
    /// Print the manual page, or write the pages of all commands
    Manual(ManualOptions),
}

/// The names of the subcommands; any other first argument is an option or a file of `verify`.
pub const SUBCOMMANDS: [&str; 14] = [
    "verify",
    "check",
    "harness",
    "lsp",
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

/// Options about the C program and the property.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading the program")]
pub struct InputOptions {
    /// The C files of the program, or a task definition if the name ends in .yml; a file whose name ends in .i is
    /// preprocessed already, and - is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["task", "database"])]
    pub files: Vec<PathBuf>,

    /// A compilation database, or the folder of one: the flags of the files, and the files themselves if none are given
    #[arg(short = 'p', long, value_name = "compile_commands.json")]
    pub database: Option<PathBuf>,

    /// A target of cmake whose files are taken from the compilation database; may be given several times
    #[arg(long, value_name = "NAME", requires = "database")]
    pub target: Vec<String>,

    /// The property, in SV-COMP's notation [default: that of --checks assertions,undefined, or that of --checks assertions for
    /// mathematical integers]
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,

    /// What is checked, instead of a property: any of assertions, overflow, division, shift, conversion, uninitialised,
    /// unreachable, alignment, bounds, pointers, free, leaks, cleanup, separated by commas, undefined for those from overflow to
    /// free except alignment, or termination alone
    #[arg(long, value_name = "LIST", value_parser = Specification::of_checks, conflicts_with = "property")]
    pub checks: Option<Specification>,

    /// An SV-COMP task definition, which names the program, the property and the data model
    #[arg(long, value_name = "FILE.yml")]
    pub task: Option<PathBuf>,

    /// The sizes of C's types [default: the task definition's, or else LP64]
    #[arg(long, value_enum, ignore_case = true)]
    pub data_model: Option<DataModelOption>,

    /// The C standard of the program, as gcc names it: c89 to c23, gnu89 to gnu23 [default: gnu17, or gnu23 if the
    /// program uses features that only C23 has]
    #[arg(long = "std", value_name = "NAME")]
    pub standard: Option<Standard>,

    /// The semantics of C's integers
    #[arg(long, value_enum, default_value = "bitvector")]
    pub arithmetic: ArithmeticOption,

    /// The possible effects of a call of a function without a definition that is not in the library [default: havoc; without
    /// a property, an error that rests on such a call does not count]
    #[arg(long, value_enum)]
    pub unknown_calls: Option<UnknownCallsOption>,

    /// What may change volatile objects that the program defines; a read of any other volatile object returns any value
    #[arg(long, value_enum, default_value = "program")]
    pub volatile: VolatileOption,

    /// Address range of a memory-mapped device: a read there returns any value, and no object of the program lies there;
    /// may be given several times
    #[arg(long, value_name = "START:SIZE", value_parser = address_range)]
    pub mmio: Vec<Range<u64>>,

    /// A function that the hardware may call whenever the program uses what it uses, like one with the attribute `interrupt`;
    /// may be given several times
    #[arg(long, value_name = "FUNCTION")]
    pub interrupt: Vec<String>,

    /// Let malloc fail: it may return a null pointer
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// Define a macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// Add a folder in which the preprocessor searches for included files
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<PathBuf>,

    /// Options about an entry other than `main`.
    #[command(flatten)]
    pub entry: EntryArguments,

    /// A flag of the C compiler; -U, -include, -isystem, -std=, -m32, -m64, -f, -W, -O and their like can also be given as a
    /// compiler takes them
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub flags: Vec<String>,

    /// The command that compiles the files, or its flags, behind --
    #[arg(last = true, value_name = "COMPILER FLAGS")]
    pub compiler: Vec<String>,
}

/// Options about an entry other than `main`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Beginning in another function than main")]
pub struct EntryArguments {
    /// Begin in this function, with arbitrary arguments and arbitrary values of global objects: pointers are null or point to
    /// new objects, and text has an end
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// What a caller of the function guarantees: a condition in C over its parameters; may be given several times
    #[arg(long, value_name = "CONDITION", requires = "function")]
    pub requires: Vec<String>,

    /// The values of global objects when the function is called
    #[arg(long, value_enum, default_value = "any")]
    pub globals: GlobalsOption,

    /// Maximum number of pointers that lead from an argument or a global object to a further object; those of the last are
    /// null
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub pointer_depth: u32,

    /// Number of elements that a pointer points to
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub pointer_length: u32,
}

/// The values of `--globals`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum GlobalsOption {
    /// Any values of their types
    Any,
    /// Those at the start of the program
    First,
}

/// The values of `--data-model`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum DataModelOption {
    /// int, long and pointers have 32 bits
    Ilp32,
    /// int has 32 bits, long and pointers have 64 bits
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

/// The values of `--arithmetic`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArithmeticOption {
    /// Bit vectors, which wrap around
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

/// The values of `--unknown-calls`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownCallsOption {
    /// It changes memory reachable from its pointer arguments and non-static globals, and returns any value
    Havoc,
    /// It changes nothing and returns any value
    Pure,
}

/// The values of `--volatile`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum VolatileOption {
    /// The program only; the answer has this as an assumption
    Program,
    /// The environment as well: a read returns any value, except of a local variable
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

/// The values of `--check`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckOption {
    /// Bitwuzla and Z3 check the verification conditions, which are derived anew from the program, in another process
    Usual,
    /// Z3, Bitwuzla and a separate solver (cvc5, or the program in REGATTA_SECOND_SOLVER) check the verification
    /// conditions and all simplifications of terms; if one of them objects, the result is UNKNOWN
    Thorough,
}

/// The values of `--replay`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayOption {
    /// The interpreter and the compiled program; the result is UNKNOWN if the latter is inconclusive
    Native,
    /// The interpreter
    Interpreter,
    /// The interpreter, and the compiled program unless the latter is inconclusive
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
    /// Options about the program and the property.
    #[command(flatten)]
    pub input: InputOptions,

    /// The analyses to run: a portfolio of `regatta portfolio list`, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "default")]
    pub portfolio: String,

    /// Change an option of the portfolio: `sharing=off`, `schedule.growth=2`, `analysis.k-induction.solver=z3`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// How proofs are checked before TRUE is reported
    #[arg(long, value_enum, default_value = "usual")]
    pub check: CheckOption,

    /// Decide each check of the program by itself, go on after a violation, and print a table before the result. An
    /// execution ends at the check that it violates: the others are judged under the condition that no check failed before
    #[arg(long, conflicts_with_all = ["witness", "certificate", "harness", "dump"])]
    pub all: bool,

    /// Decide only these checks, each by itself as with --all: their numbers in the list of --show-checks, or their places
    /// FILE:LINE or FILE:LINE:COLUMN, separated by commas. What the others say is not decided; an execution ends at those that
    /// it violates, too
    #[arg(
        long,
        value_name = "CHECK,...",
        value_delimiter = ',',
        conflicts_with_all = ["show_checks", "all_functions", "witness", "certificate", "harness", "dump"]
    )]
    pub only: Vec<String>,

    /// Verify each function of the program by itself, as with --function, and print a table
    #[arg(
        long,
        conflicts_with_all = ["function", "all", "show_checks", "json", "witness", "certificate", "harness", "dump", "sarif", "report"]
    )]
    pub all_functions: bool,

    /// List the checks of the program, and verify nothing
    #[arg(
        long,
        conflicts_with_all = ["all", "witness", "certificate", "harness", "dump", "sarif", "report"]
    )]
    pub show_checks: bool,

    /// Which executions have to reach the error before FALSE is reported; the compiled program runs with its side effects,
    /// such as those on files
    #[arg(long, value_enum, default_value = "interpreter")]
    pub replay: ReplayOption,

    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitOptions,

    /// Write the events of the run to standard output, one JSON object a line, before the result
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Answer UNKNOWN if the answer depends on an assumption, such as that malloc succeeds
    #[arg(long, help_heading = "Output")]
    pub strict: bool,

    /// For FALSE, write a C file that defines the program's undefined functions; linked with it, the program runs into the
    /// error
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub harness: Option<PathBuf>,

    /// Write the answer, with the path to an error, as SARIF 2.1.0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// Write a report for a browser: the source with the path or the invariants, the control-flow automaton, the analyses
    /// over time
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Write intermediate results: the program's representations, invariants, checked proofs, and the slowest solver
    /// queries
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub dump: Option<PathBuf>,

    /// Keep the proved invariants in the file for the next run, and try those of the last run first, also if the program has
    /// changed since then
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub keep_invariants: Option<PathBuf>,

    /// Write a witness of the answer, in the format of the Competition on Software Verification
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,

    /// The version of the witness format; with 2.1, summaries of recursive functions are written as contracts
    #[arg(
        long,
        value_name = "VERSION",
        value_enum,
        default_value = "2.0",
        help_heading = "Output"
    )]
    pub witness_format: WitnessFormat,

    /// Write the proof as SMT-LIB files, each of which has to be unsatisfiable, with an index; the folder must not exist or
    /// must be empty
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub certificate: Option<PathBuf>,

    /// Log the events of the run to standard error
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// Options of `harness`.
#[derive(Clone, Debug, Args)]
pub struct HarnessOptions {
    /// The function
    #[arg(value_name = "FUNCTION")]
    pub name: String,

    /// Options about the program and the property.
    #[command(flatten)]
    pub input: InputOptions,
}

/// Options of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckOptions {
    /// The folder with regatta.toml
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,

    /// Verify everything again, also what has not changed
    #[arg(long)]
    pub again: bool,

    /// Number of runs side by side [default: as many as the cores allow]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Take all errors that are found now as known
    #[arg(long)]
    pub update_baseline: bool,

    /// Write the table as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Write the answers of this time as one SARIF file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// Write the table as JUnit's XML
    #[arg(long, value_name = "FILE.xml", help_heading = "Output")]
    pub junit: Option<PathBuf>,

    /// Keep a witness of each answer about `main` in the folder, with the invariants of its loops
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub witnesses: Option<PathBuf>,
}

/// The values of `--witness-format`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum WitnessFormat {
    /// The version that most validators read.
    #[value(name = "2.0")]
    V2_0,
    /// The version with contracts of functions.
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

/// Options about the limits of a run.
#[derive(Clone, Debug, Args)]
pub struct LimitOptions {
    /// Wall time after which the result is UNKNOWN
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, help_heading = "Limits")]
    pub time_limit: Option<f64>,

    /// CPU time of all threads and processes together after which the result is UNKNOWN
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, help_heading = "Limits")]
    pub cpu_limit: Option<f64>,

    /// Resident memory above which the result is UNKNOWN
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub memory_limit: Option<u64>,

    /// Number of threads that work at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    pub threads: Option<u16>,
}

/// Options of `validate`.
#[derive(Clone, Debug, Args)]
pub struct ValidateOptions {
    /// Options about the program and the property.
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

    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitOptions,

    /// Write the events of the run to standard output, one JSON object a line, before the result
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Log the events of the run to standard error
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// The subcommands of `witness`.
#[derive(Clone, Debug, Subcommand)]
pub enum WitnessCommand {
    /// Check a witness against its format and its program; exit code 1 if there are errors
    Lint(LintOptions),
}

/// Options of `witness lint`.
#[derive(Clone, Debug, Args)]
pub struct LintOptions {
    /// The witness, in format 2.0, 2.1 or 2.2
    #[arg(value_name = "WITNESS.yml")]
    pub witness: PathBuf,

    /// Options about the program and the property.
    #[command(flatten)]
    pub input: InputOptions,
}

/// Options of `cfa`.
#[derive(Clone, Debug, Args)]
pub struct CfaOptions {
    /// Options about the program and the property.
    #[command(flatten)]
    pub input: InputOptions,

    /// The stage of the program whose automaton is written
    #[arg(long, value_enum, default_value = "simplified")]
    pub stage: Stage,
}

/// The values of `--stage`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// As lowered by the front end; answers are checked on this one
    Lowered,
    /// Simplified and sliced; the analyses run on this one
    Simplified,
}

/// Options of `interpret`.
#[derive(Clone, Debug, Args)]
pub struct InterpretOptions {
    /// Options about the program and the property.
    #[command(flatten)]
    pub input: InputOptions,

    /// Values of the inputs, as integers, in the order in which the program reads them; further inputs are zero
    #[arg(
        long,
        value_name = "VALUE,...",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub inputs: Vec<i128>,

    /// Print the value of a global variable at the end, in hexadecimal, one element a line; may be given several times
    #[arg(long, value_name = "NAME")]
    pub print_global: Vec<String>,

    /// Maximum number of steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub steps: u64,
}

/// The subcommands of `portfolio`.
#[derive(Clone, Debug, Subcommand)]
pub enum PortfolioCommand {
    /// List the built-in portfolios
    List,
    /// Print a portfolio as a file with the value, meaning, range and default of every option
    Explain {
        /// The portfolio's name or file
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
    /// Write a page for each command to this folder, instead of the main page to standard output
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

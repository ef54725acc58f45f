//! Options of `regatta experiment` and its subcommands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use regatta_experiment::evaluation::table::format::Format;
use regatta_experiment::running::accounting::AccountingMethod;

/// The subcommands of `experiment`.
#[derive(Clone, Debug, Subcommand)]
pub enum ExperimentCommand {
    /// Make the missing runs of an experiment; exit code 0 if all runs are there, 1 if an answer is wrong, 2 if it was
    /// stopped
    Run(ExperimentRunOptions),
    /// Make the runs of one job on a cluster; called by the scripts of `experiment run --slurm`
    Work(WorkOptions),
    /// Print tables by configuration and by category
    Table(TablesOptions),
    /// Draw plots as SVG and PNG: quantiles, pairs of configurations, score over time, survival, the price of the
    /// race, publishers of invariants, winners
    Plot(PlotOptions),
    /// Write a page for a browser with all tables and plots, in which each cell leads to its run's log
    Report(PageOptions),
    /// Compare configurations: whether they differ significantly, and on which tasks
    Compare(CompareOptions),
    /// Compare the results before and after a change, task by task; exit code 1 if an answer is newly wrong or a task is lost
    Diff(DiffOptions),
    /// Learn a portfolio's openings, the first turns by features of the program, from runs of single analyses
    Learn(LearnOptions),
    /// Write results as result files of BenchExec, for its table-generator
    Export(ExportOptions),
    /// Import result files of BenchExec as a folder of results, for tables, plots and comparisons
    Import(ImportOptions),
}

/// Options of `experiment export`.
#[derive(Clone, Debug, Args)]
pub struct ExportOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// Write result files of BenchExec, one for each configuration and repetition
    #[arg(long, required = true)]
    pub benchexec: bool,

    /// Folder for the files [default: the folder `benchexec` in each folder of results]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// Write plain XML, not compressed by bzip2
    #[arg(long)]
    pub no_compress: bool,
}

/// Options of `experiment import`.
#[derive(Clone, Debug, Args)]
pub struct ImportOptions {
    /// Result files, plain or compressed by bzip2
    #[arg(value_name = "FILE.xml[.bz2]", required = true)]
    pub files: Vec<PathBuf>,

    /// The files are result files of BenchExec
    #[arg(long, required = true)]
    pub benchexec: bool,

    /// The new folder of results [default: the first file's name with the extension .results, in the current folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `experiment learn`.
#[derive(Clone, Debug, Args)]
pub struct LearnOptions {
    /// Folders of results, with configurations of one analysis each: `set.only = ["bmc"]`
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// The portfolio that the openings are for: its name, or a file that ends in .toml
    #[arg(long, value_name = "PORTFOLIO", default_value = "default")]
    pub portfolio: String,

    /// Number of cores for which the openings are learned [default: the machine's]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub cores: Option<u16>,

    /// Write the whole portfolio with the openings to a file
    #[arg(long, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
}

/// Options of `experiment table`.
#[derive(Clone, Debug, Args)]
pub struct TablesOptions {
    #[command(flatten)]
    pub table: TableOptions,

    /// Counters of runs with a right answer: of the winning analysis (`predicates`), of another (`data-flow.queries`), or
    /// a quotient (`kept_constraints/constraints`); `solver` and `check` are seconds [default: the experiments' counters]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub counters: Vec<String>,

    /// Add a table with a row for each task
    #[arg(long)]
    pub tasks: bool,

    /// Only the tasks that the configuration solves (in one of its runs)
    #[arg(long, value_name = "CONFIGURATION")]
    pub solved_by: Vec<String>,

    /// Only the tasks that the configuration does not solve
    #[arg(long, value_name = "CONFIGURATION")]
    pub not_solved_by: Vec<String>,

    /// Only the tasks whose right verdict this is: true or false
    #[arg(long, value_name = "VERDICT", value_parser = ["true", "false"])]
    pub expected: Option<String>,
}

/// Options about the input and the format of tables.
#[derive(Clone, Debug, Args)]
pub struct TableOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// The format of the tables
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatOption,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Options of `experiment plot`.
#[derive(Clone, Debug, Args)]
pub struct PlotOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// Folder for the plots [default: the folder `plots` in the first folder of results]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// The configuration that the others are compared with [default: the first configuration]
    #[arg(long, value_name = "CONFIGURATION")]
    pub base: Option<String>,
}

/// Options of `experiment report`.
#[derive(Clone, Debug, Args)]
pub struct PageOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// File for the page [default: `report.html` in the first folder of results]
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,

    /// The configuration that the others are compared with [default: the first configuration]
    #[arg(long, value_name = "CONFIGURATION")]
    pub base: Option<String>,
}

/// Options of `experiment compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareOptions {
    /// The input and the format.
    #[command(flatten)]
    pub table: TableOptions,

    /// The configuration that the others are compared with [default: the first configuration]
    #[arg(long, value_name = "CONFIGURATION")]
    pub base: Option<String>,

    /// Compare only this configuration with the base; may be given several times
    #[arg(long, value_name = "CONFIGURATION")]
    pub with: Vec<String>,
}

/// Options of `experiment diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffOptions {
    /// Folder of the results before
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,

    /// Folder of the results after; configurations go together by name, or if there is one in each folder
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,

    /// Maximum number of tasks that may be lost
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub lost: usize,

    /// Maximum increase of the CPU time on the tasks solved before and after (geometric mean, in percent); more counts as
    /// worse if it is significant [default: times do not count]
    #[arg(long, value_name = "PERCENT")]
    pub slower: Option<f64>,

    /// The format of the tables
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatOption,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The values of `--format`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatOption {
    /// Aligned columns
    Text,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Markdown tables
    Markdown,
    /// LaTeX tabulars, with booktabs
    Latex,
}

impl From<FormatOption> for Format {
    fn from(option: FormatOption) -> Self {
        match option {
            FormatOption::Text => Self::Text,
            FormatOption::Csv => Self::Csv,
            FormatOption::Markdown => Self::Markdown,
            FormatOption::Latex => Self::Latex,
        }
    }
}

/// Options of `experiment run`.
#[derive(Clone, Debug, Args)]
pub struct ExperimentRunOptions {
    /// The experiment's file
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,

    /// Folder of the results [default: the file's name with the extension .results, in the current folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Change an option of all portfolios: `sharing=off`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Use only every NUMBER-th task of each list of tasks
    #[arg(long, value_name = "NUMBER")]
    pub every: Option<usize>,

    /// Use the file's lists of tasks of this group, too; may be given several times
    #[arg(long, value_name = "NAME")]
    pub group: Vec<String>,

    /// Limit of wall time, instead of the file's; a limit of CPU time is reduced to this time on all cores
    #[arg(long, value_name = "SECONDS")]
    pub wall: Option<f64>,

    /// Limit of CPU time of all processes of a run, instead of the file's
    #[arg(long, value_name = "SECONDS")]
    pub cpu: Option<f64>,

    /// Number of cores for each run, instead of the file's
    #[arg(long, value_name = "NUMBER")]
    pub cores: Option<u32>,

    /// How CPU time and memory are measured [default: the first method that is available]
    #[arg(long, value_enum)]
    pub accounting: Option<AccountingOption>,

    /// Print plain lines instead of the live view, also on a terminal
    #[arg(long)]
    pub plain: bool,

    /// Options about a cluster.
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

/// Options about the runs of an experiment on a cluster.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "On a cluster")]
pub struct ClusterOptions {
    /// Make the runs as jobs of a cluster with Slurm, and collect the results; after an interrupt the jobs continue, and
    /// the same command resumes collecting
    #[arg(long)]
    pub slurm: bool,

    /// The partition in which the jobs run [default: Slurm's choice]
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub partition: Option<String>,

    /// A further option of sbatch, such as --sbatch=--account=physics, for the job script; may be given several times
    #[arg(
        long,
        value_name = "OPTION",
        requires = "slurm",
        allow_hyphen_values = true
    )]
    pub sbatch: Vec<String>,

    /// Maximum number of jobs that are submitted together [default: 1000]
    #[arg(long, value_name = "NUMBER", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,

    /// Interval between two queries to Slurm, in seconds [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub interval: Option<u32>,
}

/// Options of `experiment work`.
#[derive(Clone, Debug, Args)]
pub struct WorkOptions {
    /// The folder of the submission, within the folder of results
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The number of the job
    #[arg(long, value_name = "NUMBER")]
    pub chunk: usize,

    /// How CPU time and memory are measured [default: the first method that is available]
    #[arg(long, value_enum)]
    pub accounting: Option<AccountingOption>,

    /// Write a report of each run
    #[arg(long)]
    pub pages: bool,
}

/// The values of `--accounting`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccountingOption {
    /// A control group of version 2 for each run
    CgroupV2,
    /// Control groups of version 1 for each run
    CgroupV1,
    /// The process tree of each run
    ProcessTree,
}

impl From<AccountingOption> for AccountingMethod {
    fn from(option: AccountingOption) -> Self {
        match option {
            AccountingOption::CgroupV2 => Self::GroupV2,
            AccountingOption::CgroupV1 => Self::GroupV1,
            AccountingOption::ProcessTree => Self::Tree,
        }
    }
}

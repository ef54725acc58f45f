//! Options of `regatta experiment` and its subcommands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use regatta_experiment::accounting::Way;
use regatta_experiment::table::format::Format;

/// What to do with an experiment.
#[derive(Clone, Debug, Subcommand)]
pub enum ExperimentCommand {
    /// Make the runs of an experiment that are missing; exit code 0 if all are there, 1 if an answer is wrong, 2 if
    /// it was stopped
    Run(ExperimentRunOptions),
    /// Make the runs of one job of a cluster: what the scripts of `experiment run --slurm` call
    Work(WorkOptions),
    /// Tables by configuration and by category
    Table(TablesOptions),
    /// Plots as SVG and PNG: quantiles, pairs of configurations, score over time, survival, the race's price,
    /// publishers, winners
    Plot(PlotOptions),
    /// A page for a browser with all of it, each cell leading to its run's log
    Report(PageOptions),
    /// Whether configurations differ by more than noise, and on which tasks
    Compare(CompareOptions),
    /// Learn from runs of single analyses who goes first on what kind of program: openings of a portfolio
    Learn(LearnOptions),
    /// Write results as BenchExec's result files, of which its table-generator makes a page
    Export(ExportOptions),
    /// Make a folder of results of BenchExec's result files, of which tables, plots and comparisons are made as of any other
    Import(ImportOptions),
}

/// Options of `experiment export`.
#[derive(Clone, Debug, Args)]
pub struct ExportOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// As result files of BenchExec: one for each configuration and repetition
    #[arg(long, required = true)]
    pub benchexec: bool,

    /// Where the files go [default: the folder `benchexec` in each folder of results]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// Plain XML, not packed by bzip2
    #[arg(long)]
    pub no_compress: bool,
}

/// Options of `experiment import`.
#[derive(Clone, Debug, Args)]
pub struct ImportOptions {
    /// Result files, plain or packed by bzip2
    #[arg(value_name = "FILE.xml[.bz2]", required = true)]
    pub files: Vec<PathBuf>,

    /// They are result files of BenchExec
    #[arg(long, required = true)]
    pub benchexec: bool,

    /// The folder of results that is made [default: the first file's name with .results in place of its endings, in the current
    /// folder]
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

    /// How many cores the race will have [default: as many as the machine has]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub cores: Option<u16>,

    /// Write the portfolio with the openings, whole
    #[arg(long, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
}

/// Options of `experiment table`.
#[derive(Clone, Debug, Args)]
pub struct TablesOptions {
    #[command(flatten)]
    pub table: TableOptions,

    /// Counters of runs with a right answer: of the analysis that had it (`predicates`), of another (`data-flow.queries`), or one by
    /// another (`kept_constraints/constraints`); `solver` and `check` are seconds [default: those of the experiments' files]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub counters: Vec<String>,

    /// A row for each task, too
    #[arg(long)]
    pub tasks: bool,

    /// Only the tasks that the configuration solves (in one of its runs)
    #[arg(long, value_name = "CONFIGURATION")]
    pub solved_by: Vec<String>,

    /// Only the tasks that the configuration does not solve
    #[arg(long, value_name = "CONFIGURATION")]
    pub not_solved_by: Vec<String>,

    /// Only the tasks of which this verdict is right: true or false
    #[arg(long, value_name = "VERDICT", value_parser = ["true", "false"])]
    pub expected: Option<String>,
}

/// What tables are of, and how they are written.
#[derive(Clone, Debug, Args)]
pub struct TableOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// How the tables are written
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatOption,

    /// Write to a file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Options of `experiment plot`.
#[derive(Clone, Debug, Args)]
pub struct PlotOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// Where the plots go [default: the folder `plots` in the first folder of results]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// What the others are drawn beside [default: the first configuration]
    #[arg(long, value_name = "CONFIGURATION")]
    pub base: Option<String>,
}

/// Options of `experiment report`.
#[derive(Clone, Debug, Args)]
pub struct PageOptions {
    /// Folders of results
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// The page's file [default: `report.html` in the first folder of results]
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,

    /// What the others are compared with [default: the first configuration]
    #[arg(long, value_name = "CONFIGURATION")]
    pub base: Option<String>,
}

/// Options of `experiment compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareOptions {
    /// What is read and written.
    #[command(flatten)]
    pub table: TableOptions,

    /// What the others are compared with [default: the first configuration]
    #[arg(long, value_name = "CONFIGURATION")]
    pub base: Option<String>,

    /// Compare this one only
    #[arg(long, value_name = "CONFIGURATION")]
    pub with: Vec<String>,
}

/// How tables are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatOption {
    /// Columns in line
    Text,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Tables of Markdown
    Markdown,
    /// Tabulars of LaTeX, with booktabs
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

    /// Where the results are, or shall be [default: the file's name with .results, in the current folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Change an option of all portfolios: `sharing=off`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// A smaller experiment: of each list only every so-manieth task that the file chooses
    #[arg(long, value_name = "NUMBER")]
    pub every: Option<usize>,

    /// Another limit of wall time than the file's; one of CPU time is then at most as much on all cores
    #[arg(long, value_name = "SECONDS")]
    pub wall: Option<f64>,

    /// Another number of cores for each run
    #[arg(long, value_name = "NUMBER")]
    pub cores: Option<u32>,

    /// How CPU time and memory are measured [default: the first that can be had]
    #[arg(long, value_enum)]
    pub accounting: Option<AccountingOption>,

    /// Write plain lines, also on a terminal
    #[arg(long)]
    pub plain: bool,

    /// Whether a cluster makes the runs.
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

/// How a cluster makes the runs of an experiment.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "On a cluster")]
pub struct ClusterOptions {
    /// Have the jobs of a cluster with Slurm make the runs, and collect what comes of them; after an interrupt jobs go on,
    /// and the same command goes on to collect
    #[arg(long)]
    pub slurm: bool,

    /// Where the jobs run [default: where Slurm puts them]
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub partition: Option<String>,

    /// A further option of sbatch, as --sbatch=--account=physics; it goes into the script
    #[arg(
        long,
        value_name = "OPTION",
        requires = "slurm",
        allow_hyphen_values = true
    )]
    pub sbatch: Vec<String>,

    /// Cut the runs that are submitted together into at most so many jobs [default: 1000]
    #[arg(long, value_name = "NUMBER", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,

    /// How often Slurm is asked for the jobs, in seconds [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub interval: Option<u32>,
}

/// Options of `experiment work`.
#[derive(Clone, Debug, Args)]
pub struct WorkOptions {
    /// The folder of the submission, below the results'
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The number of the job
    #[arg(long, value_name = "NUMBER")]
    pub chunk: usize,

    /// How CPU time and memory are measured [default: the first that can be had]
    #[arg(long, value_enum)]
    pub accounting: Option<AccountingOption>,

    /// Leave a page of each run
    #[arg(long)]
    pub pages: bool,
}

/// How CPU time and memory are measured.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccountingOption {
    /// A control group of version 2 for each run
    CgroupV2,
    /// Control groups of version 1 for each run
    CgroupV1,
    /// The process tree of each run
    ProcessTree,
}

impl From<AccountingOption> for Way {
    fn from(option: AccountingOption) -> Self {
        match option {
            AccountingOption::CgroupV2 => Self::GroupV2,
            AccountingOption::CgroupV1 => Self::GroupV1,
            AccountingOption::ProcessTree => Self::Tree,
        }
    }
}

//! `regatta experiment`: measured runs of many tasks, and the evaluation of their results.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;

use crate::options::{
    ClusterOptions, CompareOptions, DiffOptions, ExperimentCommand, ExperimentRunOptions,
    ExportOptions, ImportOptions, LearnOptions, PageOptions, PlotOptions, TableOptions,
    TablesOptions, WorkOptions,
};
use crate::{EXIT_INPUT, complain, complain_rendered, input};
use regatta_base::options::nearest;
use regatta_base::{Error, ErrorKind, Place};
use regatta_experiment::benchexec::export::result_files;
use regatta_experiment::benchexec::import::import;
use regatta_experiment::definition::Scale;
use regatta_experiment::evaluation::compare::compare_all;
use regatta_experiment::evaluation::difference::{Tolerance, difference};
use regatta_experiment::evaluation::page::page;
use regatta_experiment::evaluation::plot::{draw, plots};
use regatta_experiment::evaluation::table::details::{by_figure, by_task};
use regatta_experiment::evaluation::table::format::{Format, format};
use regatta_experiment::evaluation::table::{Sheet, by_configuration, tables};
use regatta_experiment::learn::learn;
use regatta_experiment::results::data::Data;
use regatta_experiment::results::figure::{Figure, KnownNames};
use regatta_experiment::results::folder::{Folder, Results};
use regatta_experiment::running::runner;
use regatta_experiment::slurm;
use regatta_run::config::Portfolio;
use regatta_run::file;

/// The exit code of `experiment run` if an answer is wrong.
const EXIT_WRONG: u8 = 1;
/// The exit code of `experiment run` if it was stopped before all runs were made.
const EXIT_STOPPED: u8 = 2;

/// The exit code of `experiment diff` if the later results are worse.
const EXIT_WORSE: u8 = 1;

/// Runs the command; returns the exit code.
pub fn run(command: &ExperimentCommand) -> u8 {
    let done = match command {
        ExperimentCommand::Run(options) => make_runs(options),
        ExperimentCommand::Work(options) => work(options),
        ExperimentCommand::Table(options) => show_tables(options),
        ExperimentCommand::Plot(options) => draw_plots(options),
        ExperimentCommand::Report(options) => write_page(options),
        ExperimentCommand::Compare(options) => show_comparisons(options),
        ExperimentCommand::Diff(options) => show_difference(options),
        ExperimentCommand::Learn(options) => show_openings(options),
        ExperimentCommand::Export(options) => export_results(options),
        ExperimentCommand::Import(options) => import_results(options),
    };
    done.unwrap_or_else(|error| {
        complain_rendered(&error.render(input::style()));
        EXIT_INPUT
    })
}

fn make_runs(options: &ExperimentRunOptions) -> Result<u8, Error> {
    let general = runner::Options {
        out: options.out.clone(),
        method: options.accounting.map(Into::into),
        settings: options.set.clone(),
        scale: Scale {
            every: options.every,
            wall: options.wall,
            cpu: options.cpu,
            cores: options.cores,
            groups: options.group.clone(),
        },
        is_plain: options.plain,
    };
    let ended = match options.cluster.slurm {
        true => slurm::collector::run(&options.file, &general, &slurm_options(&options.cluster)),
        false => runner::run(&options.file, &general),
    }?;
    let data = Data::read(std::slice::from_ref(&ended.folder))?;
    let table = format(&[by_configuration(&data)], Format::Text);
    let printed = crate::print(table.as_bytes(), 0);
    if printed != 0 {
        return Ok(printed);
    }
    if !ended.is_complete {
        complain("stopped; the same command continues from here");
    }
    Ok(match (ended.wrong, ended.is_complete) {
        (1.., _) => EXIT_WRONG,
        (0, true) => 0,
        (0, false) => EXIT_STOPPED,
    })
}

fn slurm_options(options: &ClusterOptions) -> slurm::Options {
    /// Default of the maximum number of jobs of a submission.
    const DEFAULT_JOBS: u32 = 1000;
    /// Default of the interval between two queries to Slurm, in seconds.
    const DEFAULT_INTERVAL: u32 = 10;
    slurm::Options {
        partition: options.partition.clone(),
        further: options.sbatch.clone(),
        jobs: options.jobs.unwrap_or(DEFAULT_JOBS) as usize,
        interval: Duration::from_secs(options.interval.unwrap_or(DEFAULT_INTERVAL).into()),
    }
}

/// Makes the runs of a job.
fn work(options: &WorkOptions) -> Result<u8, Error> {
    let given = slurm::worker::Options {
        chunk: options.chunk,
        method: options.accounting.map(Into::into),
        has_pages: options.pages,
    };
    let is_complete = slurm::worker::work(&options.folder, &given)?;
    Ok(if is_complete { 0 } else { EXIT_STOPPED })
}

/// Reads the results in the folders, and prints remarks on them to standard error.
fn read(folders: &[PathBuf]) -> Result<Data, Error> {
    let data = Data::read(folders)?;
    for remark in &data.remarks {
        complain(&format!("note: {remark}"));
    }
    Ok(data)
}

fn show_tables(options: &TablesOptions) -> Result<u8, Error> {
    let mut data = read(&options.table.folders)?;
    filter_tasks(options, &mut data)?;
    let figures = figures(options, &data)?;
    let mut sheets = tables(&data);
    if !figures.is_empty() {
        sheets.push(by_figure(&data, &figures));
    }
    if options.tasks {
        sheets.push(by_task(&data, &figures));
    }
    write(&options.table, &sheets)
}

/// Leaves out the tasks that the options exclude.
fn filter_tasks(options: &TablesOptions, data: &mut Data) -> Result<(), Error> {
    for (names, is_wanted) in [(&options.solved_by, true), (&options.not_solved_by, false)] {
        for name in names {
            let number = number_of(data, name)?;
            let solved = data.configurations[number].solved_tasks();
            data.retain(|record| solved.contains(&record.key.task) == is_wanted);
        }
    }
    if let Some(expected) = &options.expected {
        data.retain(|record| {
            let known = record.expected.as_deref();
            known.is_some_and(|known| {
                known == expected || known.starts_with(&format!("{expected}("))
            })
        });
    }
    Ok(())
}

/// Returns the counters that the options name, or else those of the experiments' files.
fn figures(options: &TablesOptions, data: &Data) -> Result<Vec<Figure>, Error> {
    let mut names = options.counters.clone();
    if names.is_empty() {
        let folders = data.folders.iter();
        names.extend(folders.flat_map(|folder| folder.description.counters.iter().cloned()));
    }
    let known = KnownNames::of(data.records());
    let mut figures: Vec<Figure> = Vec::new();
    for name in names {
        let figure = Figure::parse(&name);
        let figure = figure.map_err(|message| Error::new(ErrorKind::Experiment, message))?;
        if let Some((message, near)) = figure.unknown(&known) {
            // A run of few tasks may lack what the experiment's file asks for; what the user asks for must be there.
            if options.counters.is_empty() {
                complain(&format!("note: {message}"));
            } else {
                let error = Error::new(ErrorKind::Experiment, message);
                return Err(match near {
                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                    None => error,
                });
            }
        }
        if !figures.contains(&figure) {
            figures.push(figure);
        }
    }
    Ok(figures)
}

fn show_comparisons(options: &CompareOptions) -> Result<u8, Error> {
    let data = read(&options.table.folders)?;
    let base = base_of(&data, options.base.as_ref())?;
    let with = match options.with.as_slice() {
        [] => (0..data.configurations.len())
            .filter(|&other| other != base)
            .collect(),
        names => {
            let numbers = names.iter().map(|name| number_of(&data, name));
            numbers.collect::<Result<Vec<_>, _>>()?
        }
    };
    if with.is_empty() {
        let message = "there is one configuration; a comparison needs two";
        return Err(Error::new(ErrorKind::Experiment, message));
    }
    let comparisons = compare_all(&data, base, &with);
    let sheets = comparisons.iter().flat_map(|one| one.sheets(&data));
    write(&options.table, &sheets.collect::<Vec<_>>())
}

/// Prints what differs between two folders; the exit code tells whether something became worse.
fn show_difference(options: &DiffOptions) -> Result<u8, Error> {
    let before = read(std::slice::from_ref(&options.before))?;
    let after = read(std::slice::from_ref(&options.after))?;
    let tolerance = Tolerance {
        lost: options.lost,
        slower: options.slower,
    };
    let found = difference(&before, &after, &tolerance);
    let found = found.map_err(|message| Error::new(ErrorKind::Experiment, message))?;
    for remark in &found.remarks {
        complain(&format!("note: {remark}"));
    }
    let sheets = [found.summary, found.changes];
    let written = write_sheets(options.format.into(), options.out.as_deref(), &sheets)?;
    for regression in &found.regressions {
        complain(&format!("worse: {regression}"));
    }
    Ok(match (written, found.regressions.is_empty()) {
        (0, false) => EXIT_WORSE,
        (written, _) => written,
    })
}

/// Prints the learned openings in the syntax of portfolio files, after their evaluation as comments.
fn show_openings(options: &LearnOptions) -> Result<u8, Error> {
    let data = read(&options.folders)?;
    let mut portfolio = Portfolio::find(&options.portfolio)?;
    let here = || std::thread::available_parallelism().map_or(1, usize::from);
    let cores = options.cores.map_or_else(here, usize::from);
    let learned = learn(&data, &portfolio, cores)?;
    let mut text = String::new();
    for line in format(&[learned.sheet], Format::Text).lines() {
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
    for opening in &learned.openings {
        text.push('\n');
        text.push_str(&opening.to_toml());
    }
    let printed = crate::print(text.as_bytes(), 0);
    if let Some(file) = &options.out {
        portfolio.openings = learned.openings;
        write_file(file, portfolio.explain().as_bytes())?;
    }
    Ok(printed)
}

/// Writes each plot as SVG and PNG.
fn draw_plots(options: &PlotOptions) -> Result<u8, Error> {
    let data = read(&options.folders)?;
    let base = base_of(&data, options.base.as_ref())?;
    let beside = || options.folders[0].join("plots");
    let folder = options.out.clone().unwrap_or_else(beside);
    std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
    let files: Vec<(PathBuf, Vec<u8>)> = plots(&data, base)
        .par_iter()
        .map(|plot| {
            let file = |ending: &str| folder.join(format!("{}.{ending}", plot.name));
            Ok([
                (file("svg"), draw::svg(plot)?.into_bytes()),
                (file("png"), draw::png(plot)?),
            ])
        })
        .collect::<Result<Vec<_>, String>>()
        .map_err(|message| Error::new(ErrorKind::Internal, message))?
        .into_iter()
        .flatten()
        .collect();
    for (file, bytes) in &files {
        write_file(file, bytes)?;
    }
    complain(&format!(
        "{} plots in {}",
        files.len() / 2,
        folder.display()
    ));
    Ok(0)
}

fn write_page(options: &PageOptions) -> Result<u8, Error> {
    let data = read(&options.folders)?;
    let base = base_of(&data, options.base.as_ref())?;
    let beside = || options.folders[0].join("report.html");
    let file = options.out.clone().unwrap_or_else(beside);
    let page = page(&data, base, &file);
    let page = page.map_err(|message| Error::new(ErrorKind::Internal, message))?;
    write_file(&file, page.as_bytes())?;
    complain(&format!("written: {}", file.display()));
    Ok(0)
}

/// Writes BenchExec's result files; their names go to standard output.
fn export_results(options: &ExportOptions) -> Result<u8, Error> {
    let mut written = Vec::new();
    for path in &options.folders {
        let results = Results::read(path)?;
        let beside = || path.join("benchexec");
        let folder = options.out.clone().unwrap_or_else(beside);
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        let files = result_files(&results, !options.no_compress);
        let files = files.map_err(|error| unwritable(&folder, &error))?;
        for result in files {
            let file = folder.join(result.name);
            if written.contains(&file) {
                let message = format!("two of the folders have results for {}", file.display());
                return Err(Error::new(ErrorKind::Experiment, message)
                    .with_help("give each a folder of its own with --out"));
            }
            write_file(&file, &result.bytes)?;
            crate::print(format!("{}\n", file.display()).as_bytes(), 0);
            written.push(file);
        }
    }
    complain(
        "left out, because BenchExec has no counterpart: the counters and results of single analyses",
    );
    Ok(0)
}

/// Makes a folder of results from BenchExec's result files.
fn import_results(options: &ImportOptions) -> Result<u8, Error> {
    let imported = import(&options.files)?;
    let folder = options.out.clone().unwrap_or_else(|| {
        let name = options.files[0].file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let name = name.trim_end_matches(".bz2").trim_end_matches(".xml");
        PathBuf::from(format!("{name}.results"))
    });
    let names = options.files.iter().map(|file| file.display().to_string());
    let definition = format!(
        "# Results of BenchExec, imported from:\n#   {}\n",
        names.collect::<Vec<_>>().join("\n#   ").replace('\r', " ")
    );
    Folder::create(
        &folder,
        &imported.description,
        &definition,
        &imported.records,
    )?;
    for remark in &imported.remarks {
        complain(&format!("note: {remark}"));
    }
    let (runs, configurations) = (
        imported.records.len(),
        imported.description.fixed.configurations.len(),
    );
    complain(&format!(
        "{runs} runs of {configurations} configurations in {}",
        folder.display()
    ));
    Ok(0)
}

/// Returns the number of the configuration that the others are compared with.
fn base_of(data: &Data, name: Option<&String>) -> Result<usize, Error> {
    name.map_or(Ok(0), |name| number_of(data, name))
}

/// Returns the number of the configuration with the name.
fn number_of(data: &Data, name: &str) -> Result<usize, Error> {
    let names = || data.configurations.iter().map(|known| known.name.as_str());
    names().position(|known| known == name).ok_or_else(|| {
        let known: Vec<&str> = names().collect();
        let message = format!("no configuration `{name}`; there are {}", known.join(", "));
        let error = Error::new(ErrorKind::Experiment, message);
        match nearest(name, names()) {
            Some(near) => error.with_help(format!("did you mean `{near}`?")),
            None => error,
        }
    })
}

fn write(options: &TableOptions, sheets: &[Sheet]) -> Result<u8, Error> {
    write_sheets(options.format.into(), options.out.as_deref(), sheets)
}

/// Writes tables to the file, or to standard output.
fn write_sheets(kind: Format, out: Option<&Path>, sheets: &[Sheet]) -> Result<u8, Error> {
    let text = format(sheets, kind);
    match out {
        Some(file) => write_file(file, text.as_bytes())?,
        None => return Ok(crate::print(text.as_bytes(), 0)),
    }
    Ok(0)
}

/// Writes a file atomically.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    file::write(path, bytes).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    let place = Place::file(path.display().to_string());
    Error::new(ErrorKind::Unwritable, error.to_string()).at(place)
}

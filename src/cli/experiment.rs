//! `regatta experiment`: many runs, and what comes of them.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::options::{
    CompareOptions, ExperimentCommand, ExperimentRunOptions, PageOptions, PlotOptions, TableOptions,
};
use super::{EXIT_INPUT, complain, input};
use crate::analysis::options::nearest;
use crate::experiment::compare::compare;
use crate::experiment::data::Data;
use crate::experiment::page::page;
use crate::experiment::plot::{draw, plots};
use crate::experiment::runner;
use crate::experiment::table::format::{Format, format};
use crate::experiment::table::{Sheet, by_configuration, tables};
use crate::frontend::{Error, ErrorKind, Place};
use crate::portfolio::file;

/// Exit codes of `run`: an answer is wrong; it was stopped before all runs were made.
const EXIT_WRONG: u8 = 1;
const EXIT_STOPPED: u8 = 2;

/// Runs the command; returns the exit code.
pub fn run(command: &ExperimentCommand) -> u8 {
    let done = match command {
        ExperimentCommand::Run(options) => make_runs(options),
        ExperimentCommand::Table(options) => show_tables(options),
        ExperimentCommand::Plot(options) => draw_plots(options),
        ExperimentCommand::Report(options) => write_page(options),
        ExperimentCommand::Compare(options) => show_comparisons(options),
    };
    done.unwrap_or_else(|error| {
        complain(&error.render(input::style()));
        EXIT_INPUT
    })
}

fn make_runs(options: &ExperimentRunOptions) -> Result<u8, Error> {
    let ended = runner::run(
        &options.file,
        &runner::Options {
            out: options.out.clone(),
            way: options.accounting.map(Into::into),
            settings: options.set.clone(),
            is_plain: options.plain,
        },
    )?;
    let data = Data::read(std::slice::from_ref(&ended.folder))?;
    // A reader that has seen enough is no error.
    let table = format(&[by_configuration(&data)], Format::Text);
    let _ = std::io::stdout().lock().write_all(table.as_bytes());
    if !ended.is_complete {
        complain("stopped; the same command goes on from here");
    }
    Ok(match (ended.wrong, ended.is_complete) {
        (1.., _) => EXIT_WRONG,
        (0, true) => 0,
        (0, false) => EXIT_STOPPED,
    })
}

/// The data of the folders; what there is to remark on them goes to standard error.
fn read(folders: &[PathBuf]) -> Result<Data, Error> {
    let data = Data::read(folders)?;
    for remark in &data.remarks {
        complain(&format!("note: {remark}"));
    }
    Ok(data)
}

fn show_tables(options: &TableOptions) -> Result<u8, Error> {
    let data = read(&options.folders)?;
    write(options, &tables(&data))
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
    let sheets = with
        .into_iter()
        .flat_map(|other| compare(&data, base, other).sheets(&data));
    write(&options.table, &sheets.collect::<Vec<_>>())
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

/// The configuration that the others are compared with.
fn base_of(data: &Data, name: Option<&String>) -> Result<usize, Error> {
    name.map_or(Ok(0), |name| number_of(data, name))
}

/// The configuration with the name.
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
    let text = format(sheets, options.format.into());
    match &options.out {
        Some(file) => write_file(file, text.as_bytes())?,
        None => {
            // A reader that has seen enough is no error.
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
        }
    }
    Ok(0)
}

/// Writes a file as a whole or not at all.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    file::write(path, bytes).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    let place = Place::file(path.display().to_string());
    Error::new(ErrorKind::Unwritable, error.to_string()).at(place)
}

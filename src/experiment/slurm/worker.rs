//! The work of a job on the cluster: makes the runs of one chunk, one after the other.

use std::path::Path;

use super::journal::Journal;
use super::submission::{journal_of, read_list};
use crate::definition::Limits;
use crate::definition::programs::Programs;
use crate::results::folder::{Description, read_description};
use crate::results::record::Key;
use crate::running::accounting::{Accounting, AccountingMethod};
use crate::running::display::Display;
use crate::running::machine::{Slots, cores, online};
use crate::running::plan::{Planned, plan};
use crate::running::runner::{Setup, make};
use regatta_base::{Error, ErrorKind, Place};

/// The options of a job.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of the chunk in the submission.
    pub chunk: usize,
    /// The method of measurement; if not given, the best that is available.
    pub method: Option<AccountingMethod>,
    /// Whether each run writes a report.
    pub has_pages: bool,
}

/// Makes the missing runs of a chunk of the submission in the folder. Returns whether all are there. Must be called while the
/// process has one thread.
///
/// # Errors
/// When the folder or the program have changed since the submission, or the machine lacks cores for a run.
pub fn work(submission: &Path, options: &Options) -> Result<bool, Error> {
    let problem = |message: String| {
        let place = Place::file(submission.display().to_string());
        Error::new(ErrorKind::Experiment, message).at(place)
    };
    let system = |error: std::io::Error| problem(error.to_string());
    let path = submission.canonicalize().map_err(system)?;
    let folder = path.parent().and_then(Path::parent);
    let folder = folder.ok_or_else(|| problem("this is no submission's folder".to_owned()))?;
    let description = read_description(folder)?;
    let keys = read_list(&path, options.chunk).map_err(system)?;
    let runs = runs_of(&description, &keys).map_err(problem)?;
    let programs = programs_of(&description, &runs)?;
    let slots = slot(&description.fixed.limits).map_err(problem)?;
    let accounting = Accounting::new(options.method).map_err(problem)?;
    accounting.clean();
    let (journal, done) =
        Journal::open(&journal_of(&path, options.chunk), folder).map_err(system)?;
    let setup = Setup {
        description: &description,
        programs,
        accounting: &accounting,
        slots,
        has_pages: options.has_pages,
    };
    let mut display = Display::new(&description, true);
    let ended = make(setup, journal, runs, &done, &mut display).map_err(problem)?;
    Ok(ended.is_complete)
}

/// Returns the runs with these keys, in their order.
fn runs_of(description: &Description, keys: &[Key]) -> Result<Vec<Planned>, String> {
    let wanted: std::collections::HashMap<&Key, usize> = keys.iter().zip(0..).collect();
    let mut runs: Vec<Planned> = plan(&description.fixed);
    runs.retain(|run| wanted.contains_key(&run.key));
    runs.sort_by_key(|run| wanted[&run.key]);
    match runs.len() == keys.len() {
        true => Ok(runs),
        false => Err("its runs are not of this experiment".to_owned()),
    }
}

/// Returns the programs of the runs, after a check that they are those of the submission.
fn programs_of(description: &Description, runs: &[Planned]) -> Result<Programs, Error> {
    let mut programs = Programs::default();
    for (number, described) in description.fixed.configurations.iter().enumerate() {
        if runs.iter().all(|run| run.configuration != number) {
            continue;
        }
        let program = programs.add(Some(Path::new(&described.program)))?;
        if program.digest != described.digest {
            let message = format!("the program of `{}` is another one here", described.name);
            return Err(Error::new(ErrorKind::Experiment, message)
                .at(Place::file(described.program.clone())));
        }
    }
    Ok(programs)
}

/// Returns the cores of the job. If they are its own, because Slurm binds jobs to cores or has given it the whole machine, a run
/// is bound to as many of them as it may use. Otherwise it is unknown which cores are free, and the system schedules the run.
fn slot(limits: &Limits) -> Result<Slots, String> {
    let mut mine = cores();
    let each = limits.cores as usize;
    if mine.len() < each {
        return Err(format!(
            "a run needs {each} cores; this job may use {}",
            mine.len()
        ));
    }
    let allocated = std::env::var("SLURM_CPUS_ON_NODE").ok();
    let is_mine = match allocated.and_then(|number| number.parse::<usize>().ok()) {
        Some(number) => number >= mine.len(),
        None => mine.len() < online(),
    };
    if is_mine {
        mine.truncate(each);
    }
    Ok(Slots(vec![mine]))
}

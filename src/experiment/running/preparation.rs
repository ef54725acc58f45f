//! Prepares an experiment on this machine: reads its file, selects its tasks and hashes its programs.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::definition::Definition;
use crate::definition::programs::Programs;
use crate::definition::selection::{Selected, select};
use crate::results::folder::{Described, Description, Fixed};
use crate::results::record::Measured;
use crate::running::runner::Options;
use regatta_base::{Error, ErrorKind, Place};
use regatta_run::config::Portfolio;
use regatta_run::description::Environment;

/// An experiment with its tasks and programs.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub definition: Definition,
    /// The description of tasks, configurations and limits.
    pub fixed: Fixed,
    pub programs: Programs,
    /// The folder of the results.
    pub path: PathBuf,
    /// The text of the definition.
    pub text: Vec<u8>,
}

/// Maximum number of runs; more are taken for a mistake.
const MAXIMUM_RUNS: u128 = 10_000_000;

impl Prepared {
    /// Reads the experiment and applies the options. The default folder of the results is the file's name with the extension
    /// `.results` in the current folder.
    ///
    /// # Errors
    /// When the file or its tasks are invalid.
    pub fn new(file: &Path, options: &Options) -> Result<Self, Error> {
        let mut definition = Definition::read(file)?;
        definition.add_settings(&options.settings)?;
        definition.scale(&options.scale)?;
        let tasks = select(&definition)?;
        let runs = tasks.len() as u128
            * definition.configurations.len() as u128
            * u128::from(definition.repetitions);
        if runs > MAXIMUM_RUNS {
            let message = format!("{runs} runs are more than {MAXIMUM_RUNS}");
            let place = Place::file(file.display().to_string());
            return Err(Error::new(ErrorKind::Experiment, message).at(place));
        }
        let mut programs = Programs::default();
        let fixed = describe(&definition, tasks, &mut programs)?;
        let stem = || file.file_stem().unwrap_or_default().to_string_lossy();
        let beside = || format!("{}.results", stem()).into();
        let path = options.out.clone().unwrap_or_else(beside);
        Ok(Self {
            definition,
            fixed,
            programs,
            path,
            text: std::fs::read(file).unwrap_or_default(),
        })
    }

    /// Describes the experiment that begins now, with the given number of runs at a time.
    pub fn description(&self, measured: Measured, side_by_side: usize) -> Description {
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Description {
            fixed: self.fixed.clone(),
            environment: Environment::here(),
            measured,
            begun: clock.unwrap_or_default().as_secs_f64(),
            side_by_side,
            counters: self.definition.counters.clone(),
        }
    }
}

/// Describes the fixed part of the experiment on this machine.
fn describe(
    definition: &Definition,
    tasks: Vec<Selected>,
    programs: &mut Programs,
) -> Result<Fixed, Error> {
    let mut configurations = Vec::with_capacity(definition.configurations.len());
    for configuration in &definition.configurations {
        let configuration = configuration.get_ref();
        let settings = configuration.settings();
        let program = programs.add(configuration.program.as_deref())?;
        let portfolio = match configuration.program {
            None => Portfolio::find_with(&configuration.portfolio, &settings)?.explain(),
            Some(_) => String::new(),
        };
        let mut arguments = vec!["--portfolio".to_owned(), absolute(&configuration.portfolio)];
        for setting in settings {
            arguments.extend(["--set".to_owned(), setting]);
        }
        arguments.extend(configuration.options.iter().cloned());
        configurations.push(Described {
            name: configuration.name.clone(),
            arguments,
            program: program.path.display().to_string(),
            digest: program.digest.clone(),
            portfolio,
        });
    }
    Ok(Fixed {
        description: definition.description.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: definition.seed,
        repetitions: definition.repetitions,
        order: definition.order,
        limits: definition.limits.clone(),
        configurations,
        tasks,
    })
}

/// Returns the absolute path of a portfolio's file; a name is unchanged.
fn absolute(portfolio: &str) -> String {
    let path = Path::new(portfolio).canonicalize();
    match (portfolio.ends_with(".toml"), path) {
        (true, Ok(path)) => path.display().to_string(),
        _ => portfolio.to_owned(),
    }
}

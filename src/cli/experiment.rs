//! `regatta experiment`: many runs, and what comes of them.

use super::options::{ExperimentCommand, ExperimentRunOptions};
use super::{EXIT_INPUT, complain, input};
use crate::experiment::runner;
use crate::frontend::Error;

/// Exit codes of `run`: an answer is wrong; it was stopped before all runs were made.
const EXIT_WRONG: u8 = 1;
const EXIT_STOPPED: u8 = 2;

/// Runs the command; returns the exit code.
pub fn run(command: &ExperimentCommand) -> u8 {
    let done = match command {
        ExperimentCommand::Run(options) => make_runs(options),
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
    Ok(match (ended.wrong, ended.is_complete) {
        (1.., _) => EXIT_WRONG,
        (0, true) => 0,
        (0, false) => EXIT_STOPPED,
    })
}

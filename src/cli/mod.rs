//! The command `regatta`.
//!
//! Uses everything; nothing uses it. [`run`] parses the command line and returns the exit code; what is printed where:
//! results and output that was asked for on standard output, everything else on standard error.

mod cfa;
mod completions;
mod experiment;
mod explain;
mod grammar;
mod input;
mod interpret;
mod library;
mod manual;
pub mod options;
mod portfolio;
mod progress;
mod reports;
mod validate;
mod verify;
mod witness;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use options::{Command, CommandLine, SUBCOMMANDS};

/// Exit code for bad usage and for input that cannot be read.
pub const EXIT_INPUT: u8 = 3;

/// Runs the command with the process's arguments. `started` is when the process began.
pub fn run(started: Instant) -> ExitCode {
    #[cfg(feature = "planted-faults")]
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == "planted-faults")
    {
        print!("{}", crate::planted::LIST);
        return ExitCode::SUCCESS;
    }
    let command_line = match CommandLine::try_parse_from(with_default_command(std::env::args_os()))
    {
        Ok(command_line) => command_line,
        Err(error) => {
            let _ = error.print();
            // `--help` and `--version` come this way, too.
            return ExitCode::from(if error.use_stderr() { EXIT_INPUT } else { 0 });
        }
    };
    ExitCode::from(match &command_line.command {
        Command::Verify(options) => verify::run(started, options),
        Command::Validate(options) => validate::run(started, options),
        Command::Witness(command) => witness::run(command),
        Command::Cfa(options) => cfa::run(options),
        Command::Interpret(options) => interpret::run(options),
        Command::Portfolio(command) => portfolio::run(command),
        Command::Experiment(command) => experiment::run(command),
        Command::Library => library::run(),
        Command::Completions(options) => completions::run(options),
        Command::Manual(options) => manual::run(options),
    })
}

/// Makes `regatta [OPTIONS] FILE` the same as `regatta verify [OPTIONS] FILE`.
fn with_default_command(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let is_command = arguments.get(1).is_none_or(|first| {
        SUBCOMMANDS.iter().any(|name| first == name)
            || ["-h", "--help", "-V", "--version"]
                .iter()
                .any(|option| first == option)
    });
    if !is_command {
        arguments.insert(1, "verify".into());
    }
    arguments
}

/// Prints a message for the user to standard error.
fn complain(message: &str) {
    eprintln!("{}", message.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verify_is_the_default_command() {
        for (given, expected) in [
            (vec!["regatta", "a.c"], vec!["regatta", "verify", "a.c"]),
            (
                vec!["regatta", "--json", "a.c"],
                vec!["regatta", "verify", "--json", "a.c"],
            ),
            (vec!["regatta", "cfa", "a.c"], vec!["regatta", "cfa", "a.c"]),
            (vec!["regatta", "--version"], vec!["regatta", "--version"]),
            (vec!["regatta"], vec!["regatta"]),
        ] {
            let given = given.into_iter().map(OsString::from);
            assert_eq!(with_default_command(given), expected);
        }
    }
}

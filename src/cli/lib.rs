//! The command `regatta`.
//!
//! [`run`] parses the command line and returns the exit code. Results and requested output go to standard output,
//! everything else to standard error.
//!
//! * [`mod@options`]: the options and their help, from which `completions` and `manual` are generated.
//! * `commands`: the subcommands.
//! * `compilation`: the compiler's flags, and compilation databases.
//! * `input`: options about the input.
//! * `project`: many runs on one project.
//! * `language_server`: errors in an editor.
//! * `output`: the path to an error in words, the live view, the files written at the end.

mod commands;
mod compilation;
mod input;
mod language_server;
mod options;
mod output;
mod project;

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use options::{Command, CommandLine, SUBCOMMANDS};
use regatta_base::printable::printable;

/// Exit code for bad usage and for input that cannot be read.
pub const EXIT_INPUT: u8 = 3;

/// Runs the command with the process's arguments. `started` is when the process began.
pub fn run(started: Instant) -> ExitCode {
    let command_line = match CommandLine::try_parse_from(arguments()) {
        Ok(command_line) => command_line,
        Err(error) => {
            // `--help` and `--version` are reported as errors, too.
            return ExitCode::from(match (error.use_stderr(), error.print()) {
                (true, _) => {
                    if let Some(advice) = input::advice_on_arguments(&error) {
                        complain(&advice);
                    }
                    EXIT_INPUT
                }
                (false, Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
                    complain(&format!(
                        "error: standard output cannot be written: {error}"
                    ));
                    EXIT_INPUT
                }
                (false, _) => 0,
            });
        }
    };
    ExitCode::from(match &command_line.command {
        Command::Verify(options) => commands::verify::run(started, options),
        Command::Harness(options) => commands::harness::run(options),
        Command::Lsp => language_server::run(),
        Command::Check(options) => commands::check::run(options),
        Command::Validate(options) => commands::validate::run(started, options),
        Command::Witness(command) => commands::witness::run(command),
        Command::Cfa(options) => commands::cfa::run(options),
        Command::Interpret(options) => commands::interpret::run(options),
        Command::Portfolio(command) => commands::portfolio::run(command),
        Command::Experiment(command) => commands::experiment::run(command),
        Command::Library => commands::library::run(),
        Command::Completions(options) => commands::completions::run(options),
        Command::Manual(options) => commands::manual::run(options),
    })
}

/// The arguments of the process, with the subcommand, and with options of ours for flags of the compiler.
fn arguments() -> Vec<OsString> {
    compilation::flags::as_options(with_default_command(std::env::args_os()))
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

/// Prints a message for the user to standard error. Control characters in it are escaped.
fn complain(message: &str) {
    complain_rendered(&printable(message));
}

/// Prints a message that was rendered for the terminal, with colours ([`regatta_base::Error::render`]).
fn complain_rendered(message: &str) {
    // There is no channel left on which a failure could be reported.
    let _ = writeln!(std::io::stderr().lock(), "{}", message.trim_end());
}

/// Prints requested output to standard output. Returns the exit code, which is the given one on success.
fn print(text: &[u8], code: u8) -> u8 {
    match try_print(text) {
        Ok(()) => code,
        Err(error) => {
            complain(&format!(
                "error: standard output cannot be written: {error}"
            ));
            EXIT_INPUT
        }
    }
}

/// Prints to standard output. A pipe closed by the reader is no error.
///
/// # Errors
/// When the system refuses.
fn try_print(text: &[u8]) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
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

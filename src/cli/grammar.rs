//! What the command line may be, for those who describe it: shells and the manual.

use std::sync::LazyLock;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory};

use super::options::{CommandLine, VerifyOptions};
use regatta_run::config::Portfolio;

/// What `--version` prints after the name. The first line is the version and nothing else: other tools read it.
pub fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}\nSolvers: {}\nLicence: {}",
            env!("CARGO_PKG_VERSION"),
            regatta_solver::versions().join(", "),
            env!("CARGO_PKG_LICENSE"),
        )
    });
    &TEXT
}

/// The command with all that a user may write: `verify` and its options need not be named.
pub fn whole() -> Command {
    let command = CommandLine::command()
        .subcommand_required(false)
        .arg_required_else_help(false);
    let about = command.get_about().cloned();
    let long_about = command.get_long_about().cloned();
    // This takes the description of the options, too.
    VerifyOptions::augment_args(command)
        .about(about.unwrap_or_default())
        .long_about(long_about.unwrap_or_default())
        .args_conflicts_with_subcommands(true)
}

/// The same with the names that options can be given, where these are not all that they can be given.
pub fn with_names() -> Command {
    let name_portfolios = |mut command: Command| {
        if command
            .get_arguments()
            .any(|argument| argument.get_id() == "portfolio")
        {
            let names = PossibleValuesParser::new(Portfolio::names());
            command = command.mut_arg("portfolio", |argument| argument.value_parser(names));
        }
        command
    };
    name_portfolios(whole()).mut_subcommands(name_portfolios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        whole().debug_assert();
        with_names().debug_assert();
    }

    #[test]
    fn the_version_is_the_first_line() {
        let mut lines = long_version().lines();
        assert_eq!(lines.next(), Some(env!("CARGO_PKG_VERSION")));
        assert!(lines.next().is_some_and(|line| line.contains("Z3 ")));
    }
}

//! The grammar of the command line, from which shell completions and the manual are generated.

use std::sync::LazyLock;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory};

use super::{CommandLine, VerifyOptions};
use regatta_run::config::Portfolio;

/// Returns the text of `--version` after the name. The first line is the version only, because other tools read it.
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

/// Returns the command with the options of `verify` at the top level as well, since `verify` may be omitted.
pub fn whole() -> Command {
    let command = CommandLine::command()
        .subcommand_required(false)
        .arg_required_else_help(false);
    let about = command.get_about().cloned();
    let long_about = command.get_long_about().cloned();
    // This overwrites the description, which is set again below.
    VerifyOptions::augment_args(command)
        .about(about.unwrap_or_default())
        .long_about(long_about.unwrap_or_default())
        .args_conflicts_with_subcommands(true)
}

/// Returns the command with the portfolios' names as the values of `--portfolio`, though it accepts files as well.
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

//! `regatta completions`: scripts by which shells complete the command's options.

use super::grammar;
use super::options::CompletionsOptions;

/// Runs the command; returns the exit code.
pub fn run(options: &CompletionsOptions) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut grammar::with_names(),
        "regatta",
        &mut text,
    );
    super::print(&text, 0)
}

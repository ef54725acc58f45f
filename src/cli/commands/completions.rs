//! `regatta completions`: scripts by which shells complete the command's options.

use crate::options::CompletionsOptions;
use crate::options::grammar;

/// Runs the command; returns the exit code.
pub fn run(options: &CompletionsOptions) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut grammar::with_names(),
        "regatta",
        &mut text,
    );
    crate::print(&text, 0)
}

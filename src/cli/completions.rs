//! `regatta completions`: what a shell needs to complete the command's options.

use std::io::Write;

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
    // A reader that has seen enough is no error.
    let _ = std::io::stdout().lock().write_all(&text);
    0
}

//! Runs of the command.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the command with the arguments in the folder.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    let command = command.args(arguments).current_dir(folder);
    command.output().expect("the command runs")
}

/// Returns all that it has written.
pub fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).expect("UTF-8")
}

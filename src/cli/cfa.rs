//! `regatta cfa`: the control-flow automaton as Graphviz.

use std::io::Write;

use super::options::{CfaOptions, Stage};
use super::{EXIT_INPUT, complain, input};
use crate::frontend::load;
use crate::program::dot::to_dot;
use crate::program::simplify::simplify;

/// Runs the command; returns the exit code.
pub fn run(options: &CfaOptions) -> u8 {
    let program = input::resolve(&options.input).and_then(|(file, options)| {
        load(&file, &options).map_err(|error| error.render(input::style()))
    });
    let program = match program {
        Ok(loaded) => loaded.program,
        Err(message) => {
            complain(&message);
            return EXIT_INPUT;
        }
    };
    let text = match options.stage {
        Stage::Lowered => to_dot(&program),
        Stage::Simplified => to_dot(&simplify(&program).program),
    };
    // A reader that has seen enough is no error.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    0
}

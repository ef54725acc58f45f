//! `regatta cfa`: the control-flow automaton as Graphviz.

use crate::options::{CfaOptions, Stage};
use crate::{EXIT_INPUT, complain_rendered, input};
use regatta_base::printable::printable;
use regatta_frontend::advice::advise;
use regatta_frontend::load;
use regatta_program::dot::to_dot;
use regatta_program::simplify::simplify;

/// Runs the command; returns the exit code.
pub fn run(options: &CfaOptions) -> u8 {
    let program = input::resolve(&options.input).and_then(|input| {
        let (file, options) = (&input.file, &input.load);
        load(file, options).map_err(|error| advise(error, file).render(input::style()))
    });
    let program = match program {
        Ok(loaded) => loaded.program,
        Err(message) => {
            complain_rendered(&message);
            return EXIT_INPUT;
        }
    };
    let text = match options.stage {
        Stage::Lowered => to_dot(&program),
        Stage::Simplified => to_dot(&simplify(&program).program),
    };
    crate::print(printable(&text).as_bytes(), 0)
}

//! `regatta harness`: an entry for a function, as a C file to be edited.

use crate::options::HarnessOptions;
use crate::{EXIT_INPUT, complain, complain_rendered, input};
use regatta_frontend::advice::advise;
use regatta_frontend::load;

/// Runs the command; returns the exit code.
pub fn run(options: &HarnessOptions) -> u8 {
    let mut arguments = options.input.clone();
    arguments.entry.function = Some(options.name.clone());
    let loaded = input::resolve(&arguments).and_then(|input| {
        let loaded = load(&input.file, &input.load);
        loaded.map_err(|error| advise(error, &input.file).render(input::style()))
    });
    match loaded.map(|loaded| loaded.entry) {
        Ok(Some(text)) => crate::print(text.as_bytes(), 0),
        Ok(None) => {
            complain("internal error: there is no entry");
            EXIT_INPUT
        }
        Err(message) => {
            complain_rendered(&message);
            EXIT_INPUT
        }
    }
}

//! Prints a portfolio as a file with every option, its value and its documentation.

use std::fmt::Write;

use super::Portfolio;
use regatta_base::options::{OptionValue, Options};
use regatta_engines::{AnyEngine, Registration};

/// Maximum number of columns of a comment line.
const WIDTH: usize = 100;

impl Portfolio {
    /// Returns the portfolio as a file with the value, documentation, range and default of every option. Reading it again gives
    /// the same portfolio.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        write_options(&mut text, &self.general);
        text.push_str("\n[schedule]\n");
        write_options(&mut text, &self.schedule);
        for opening in &self.openings {
            text.push_str("\n[[opening]]\n");
            write_options(&mut text, opening);
        }
        for analysis in &self.analyses {
            text.push_str("\n[[analysis]]\n");
            let engine = analysis.engine.registration();
            write_comment(&mut text, &about(engine));
            let _ = writeln!(text, "engine = {}", engine.name.to_owned().show());
            write_options(&mut text, &analysis.common);
            if let Some(solver) = &analysis.solver {
                write_options(&mut text, solver);
            }
            write_options(&mut text, &*analysis.engine);
        }
        text
    }
}

/// Returns what the engine does, and the names of all engines.
fn about(engine: Registration) -> String {
    let known: Vec<String> = AnyEngine::names()
        .iter()
        .map(|name| format!("{name:?}"))
        .collect();
    format!("{} The engines: {}.", engine.summary, known.join(", "))
}

fn write_options(text: &mut String, options: &dyn Options) {
    for entry in options.entries() {
        if !text.is_empty() && !text.ends_with("]\n") {
            text.push('\n');
        }
        let documentation = format!(
            "{} It is {}; default {}.",
            entry.documentation, entry.values, entry.default
        );
        write_comment(text, &documentation);
        let _ = writeln!(text, "{} = {}", entry.name, entry.value);
    }
}

/// Writes the text as comment lines.
fn write_comment(text: &mut String, comment: &str) {
    let mut column = 0;
    for word in comment.split_whitespace() {
        let length = word.chars().count() + 1;
        if column == 0 || column + length > WIDTH {
            text.push_str(if column == 0 { "#" } else { "\n#" });
            column = 1;
        }
        text.push(' ');
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

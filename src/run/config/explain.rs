//! A portfolio as a file that hides nothing: every option with its value and its documentation.

use std::fmt::Write;

use super::{Engine, Portfolio};
use regatta_base::options::{OptionValue, Options};

/// Columns of a comment.
const WIDTH: usize = 100;

impl Portfolio {
    /// The portfolio as a file that gives every option its value, and says what it means, what it may be and what it is
    /// by default. Reading it again gives the same portfolio.
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
            write_comment(&mut text, &about(&analysis.engine));
            let _ = writeln!(
                text,
                "engine = {}",
                analysis.engine.name().to_owned().show()
            );
            write_options(&mut text, &analysis.common);
            if let Some(solver) = &analysis.solver {
                write_options(&mut text, solver);
            }
            write_options(&mut text, analysis.engine.options());
        }
        text
    }
}

/// What an engine is, beside which others.
fn about(engine: &Engine) -> String {
    let known: Vec<String> = Engine::NAMES
        .iter()
        .map(|name| format!("{name:?}"))
        .collect();
    format!(
        "{} The engines: {}.",
        engine.documentation(),
        known.join(", ")
    )
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

/// The text as comment lines.
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

//! `regatta library`: what is known of the functions of the C library.

use std::io::Write;

use crate::frontend::library::precision::entries;

/// Prints the table in columns; returns the exit code.
pub fn run() -> u8 {
    let mut text = format!(
        "{:34} {:13} {:50} {}\n",
        "function", "model", "precision", "sets"
    );
    for entry in entries() {
        let precision = entry.precision.describe();
        let line = format!(
            "{:34} {:13} {precision:50} {}",
            entry.name, entry.model, entry.sets
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    // A reader that has seen enough is no error.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    0
}

//! `regatta library`: lists the models of the C library's functions.

use regatta_frontend::library::precision::entries;

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
    crate::print(text.as_bytes(), 0)
}

//! The table of checks: what `verify --all` has decided, and the list of `--show-checks`.

use std::time::Duration;

use regatta_base::printable::printable;
use regatta_run::check::{CheckRow, CheckVerdict};

/// Said below a table in which a check is violated.
const CONDITION: &str = "An execution ends at the check that it violates: the other checks are judged under the condition that no check failed \
    before.";

/// Returns the checks with what was decided, one a line, with their places first.
pub fn decided(rows: &[CheckRow]) -> String {
    let mut text = aligned(rows.iter().map(|row| {
        let seconds = row.seconds.map(Duration::try_from_secs_f64);
        let seconds = seconds.and_then(Result::ok).unwrap_or_default();
        [
            row.place.clone(),
            row.number.to_string(),
            row.verdict.word().to_owned(),
            row.by.clone().unwrap_or_else(|| "–".to_owned()),
            format!("{:.2} s", seconds.as_secs_f64()),
            match &row.reason {
                Some(reason) => format!("{} ({reason})", row.text),
                None => row.text.clone(),
            },
        ]
    }));
    if rows.iter().any(|row| row.verdict == CheckVerdict::Violated) {
        text.push_str(CONDITION);
        text.push('\n');
    }
    text
}

/// Returns the list of the checks, one a line.
pub fn listed(rows: &[CheckRow]) -> String {
    aligned(rows.iter().map(|row| {
        [
            row.place.clone(),
            row.number.to_string(),
            row.property.to_string(),
            row.text.clone(),
        ]
    }))
}

/// Returns the lines with their columns below each other.
fn aligned<const N: usize>(lines: impl Iterator<Item = [String; N]>) -> String {
    let lines = lines.map(|line| line.map(|cell| printable(&cell).replace('\n', " ")));
    let lines: Vec<[String; N]> = lines.collect();
    let width = |column: usize| {
        let widths = lines.iter().map(|line| line[column].chars().count());
        widths.max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row as the process of a run sends it.
    fn row(number: u32, verdict: CheckVerdict) -> CheckRow {
        let row = serde_json::json!({
            "number": number,
            "place": format!("a.c:{number}:1"),
            "property": "unreach-call",
            "text": "assert(x);",
            "verdict": verdict,
        });
        serde_json::from_value(row).expect("a row")
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [9, 10].map(|number| row(number, CheckVerdict::Excluded));
        assert_eq!(
            listed(&rows),
            "a.c:9:1   9   unreach-call  assert(x);\na.c:10:1  10  unreach-call  assert(x);\n"
        );
    }

    #[test]
    fn the_condition_is_named_where_a_check_is_violated() {
        let with = |verdict| decided(&[row(1, verdict)]).contains(CONDITION);
        assert!(with(CheckVerdict::Violated));
        assert!(!with(CheckVerdict::Excluded));
    }
}

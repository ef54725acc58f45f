//! Answers as a table.

use regatta_base::printable::printable;

use super::runs::{Answer, Run, Verdict};

/// A row of the table.
pub struct Row<'a> {
    pub run: &'a Run,
    pub answer: &'a Answer,
    /// A word on where the answer comes from: an earlier run, the list of known findings.
    pub note: &'static str,
}

/// The table with a line that sums it up.
pub fn table(rows: &[Row<'_>]) -> String {
    let mut lines = vec![["entry", "place", "verdict", "seconds", "what"].map(str::to_owned)];
    lines.extend(rows.iter().map(line));
    let width = |column: usize| {
        let widths = lines.iter().map(|line| line[column].chars().count());
        widths.max().unwrap_or_default()
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            3 => format!("{cell:>width$}"),
            _ => format!("{cell:<width$}"),
        });
        let cells: Vec<String> = cells.collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text.push_str(&sum(rows));
    text.push('\n');
    text
}

fn line(row: &Row<'_>) -> [String; 5] {
    let Row { run, answer, note } = row;
    let what = match answer.verdict {
        Verdict::True => String::new(),
        Verdict::False => format!("{} at {}", answer.reason, answer.place),
        Verdict::Unknown | Verdict::Error => answer.reason.clone(),
    };
    let what = match (what.is_empty(), note.is_empty()) {
        (_, true) => what,
        (true, false) => format!("({note})"),
        (false, false) => format!("{what} ({note})"),
    };
    let cells = [
        run.name.clone(),
        run.place.clone(),
        answer.verdict.word().to_owned(),
        format!("{:.1}", answer.seconds),
        what,
    ];
    cells.map(|cell| printable(&cell).replace('\n', " "))
}

/// How many answers of each kind there are.
fn sum(rows: &[Row<'_>]) -> String {
    let count = |verdict: Verdict| {
        let rows = rows.iter().filter(|row| row.answer.verdict == verdict);
        rows.count()
    };
    let kinds = [
        Verdict::True,
        Verdict::False,
        Verdict::Unknown,
        Verdict::Error,
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .map(|verdict| (verdict, count(verdict)))
        .filter(|(_, number)| *number > 0)
        .map(|(verdict, number)| format!("{number} {}", verdict.word()))
        .collect();
    let runs = match rows.len() {
        1 => "1 run".to_owned(),
        number => format!("{number} runs"),
    };
    format!("{runs}: {}", parts.join(", "))
}

/// The exit code: that of the worst verdict.
pub fn exit_code(verdicts: impl Iterator<Item = Verdict>) -> u8 {
    let code = |verdict: Verdict| match verdict {
        Verdict::True => 0,
        Verdict::Unknown => 2,
        Verdict::False => 1,
        Verdict::Error => 3,
    };
    let order = |code: u8| match code {
        0 => 0,
        2 => 1,
        1 => 2,
        _ => 3,
    };
    verdicts
        .map(code)
        .max_by_key(|&code| order(code))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_decides_the_exit_code() {
        let code = |verdicts: &[Verdict]| exit_code(verdicts.iter().copied());
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[Verdict::True, Verdict::Unknown]), 2);
        assert_eq!(code(&[Verdict::False, Verdict::Unknown]), 1);
        assert_eq!(code(&[Verdict::False, Verdict::Error]), 3);
    }
}

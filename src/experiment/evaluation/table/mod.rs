//! Tables of an experiment: by configuration, by category, by the reason for UNKNOWN.
//!
//! * [`details`]: times of right answers, counters, a row for each task.
//! * [`mod@format`]: output as text, CSV, Markdown and LaTeX.

pub mod details;
pub mod format;

use std::collections::{BTreeMap, BTreeSet};

use crate::evaluation::best;
use crate::results::data::{Data, Summary};

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub title: String,
    pub head: Vec<String>,
    /// The rows, each with as many cells as the head.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    Number(i64),
    /// A number with a number of decimals.
    Decimal(f64, usize),
    /// A missing value.
    Nothing,
    /// A number that should be zero, such as that of wrong answers.
    Wrong(i64),
}

impl Cell {
    /// Returns the cell as text; a number without separators.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) | Self::Wrong(number) => number.to_string(),
            Self::Decimal(number, decimals) => format!("{number:.decimals$}"),
            Self::Nothing => String::new(),
        }
    }

    /// Checks whether the cell is aligned to the right.
    pub fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_))
    }
}

/// Returns the cell of a count.
pub fn count(number: usize) -> Cell {
    Cell::Number(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The head of a summary.
const FIGURES: [&str; 13] = [
    "runs",
    "solved",
    "proofs",
    "alarms",
    "wrong",
    "unknown",
    "score",
    "of",
    "PAR-2 (s)",
    "median (s)",
    "CPU (s)",
    "solved by all",
    "median of these (s)",
];

fn figures(summary: &Summary) -> Vec<Cell> {
    let unknown = summary.unknown.values().sum::<usize>() + summary.unjudged;
    vec![
        count(summary.runs),
        count(summary.solved()),
        count(summary.proofs),
        count(summary.alarms),
        match count(summary.wrong) {
            Cell::Number(number) if number > 0 => Cell::Wrong(number),
            cell => cell,
        },
        count(unknown),
        Cell::Number(summary.score),
        Cell::Number(summary.most),
        Cell::Decimal(summary.par2, 2),
        decimal(summary.median),
        Cell::Decimal(summary.cpu, 1),
        count(summary.common),
        decimal(summary.common_median),
    ]
}

/// Returns the cell of a number with two decimals, if there is one.
fn decimal(value: Option<f64>) -> Cell {
    value.map_or(Cell::Nothing, |value| Cell::Decimal(value, 2))
}

/// Returns all tables that are shown without further options.
pub fn tables(data: &Data) -> Vec<Sheet> {
    let mut sheets = vec![
        by_configuration(data),
        by_category(data),
        by_reason(data),
        details::times_of_answers(data),
    ];
    sheets.extend(best::sheets(data));
    sheets
}

/// Returns a table with a row for each configuration.
pub fn by_configuration(data: &Data) -> Sheet {
    let common = data.solved_by_all();
    let rows = data.configurations.iter().map(|configuration| {
        let summary = Summary::new(configuration, None, &common);
        let name = Cell::Text(configuration.name.clone());
        let normalised = decimal(data.normalised_score(configuration));
        let cells = std::iter::once(name).chain(figures(&summary));
        cells.chain(std::iter::once(normalised)).collect()
    });
    let mut head = head(&["configuration"], &FIGURES);
    head.push("normalised score".to_owned());
    Sheet {
        title: "By configuration".to_owned(),
        head,
        rows: rows.collect(),
    }
}

/// Returns a table with a row for each category and configuration.
pub fn by_category(data: &Data) -> Sheet {
    let common = data.solved_by_all();
    let mut rows = Vec::new();
    for category in &data.categories {
        for configuration in &data.configurations {
            let summary = Summary::new(configuration, Some(category), &common);
            if summary.runs > 0 {
                let names = [category, &configuration.name].map(|name| Cell::Text(name.clone()));
                rows.push(names.into_iter().chain(figures(&summary)).collect());
            }
        }
    }
    Sheet {
        title: "By category".to_owned(),
        head: head(&["category", "configuration"], &FIGURES),
        rows,
    }
}

/// Returns a table with a row for each reason why there is no answer, the most frequent first, and a column for each
/// configuration.
pub fn by_reason(data: &Data) -> Sheet {
    let configurations = data.configurations.iter();
    let reasons: Vec<BTreeMap<String, usize>> = configurations
        .map(|configuration| {
            let summary = Summary::new(configuration, None, &BTreeSet::new());
            let mut reasons = summary.unknown;
            if summary.unjudged > 0 {
                reasons.insert(
                    "an answer without an expected verdict".to_owned(),
                    summary.unjudged,
                );
            }
            reasons
        })
        .collect();
    let mut total: BTreeMap<&str, usize> = BTreeMap::new();
    for (reason, number) in reasons.iter().flatten() {
        *total.entry(reason).or_default() += number;
    }
    let mut order: Vec<(&str, usize)> = total.into_iter().collect();
    order.sort_by_key(|&(reason, number)| (std::cmp::Reverse(number), reason));
    let rows = order.iter().map(|(reason, _)| {
        let numbers = reasons
            .iter()
            .map(|known| count(known.get(*reason).copied().unwrap_or(0)));
        std::iter::once(Cell::Text((*reason).to_owned()))
            .chain(numbers)
            .collect()
    });
    let names: Vec<&str> = data
        .configurations
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    Sheet {
        title: "Why there is no answer".to_owned(),
        head: head(&["reason"], &names),
        rows: rows.collect(),
    }
}

fn head(names: &[&str], figures: &[&str]) -> Vec<String> {
    let all = names.iter().chain(figures);
    all.map(|&name| name.to_owned()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::results::data::Configuration;
    use crate::results::record::Record;

    /// A configuration with a proof, an alarm, and a timeout.
    pub fn data() -> Data {
        let record = |task: u32,
                      expected: &str,
                      verdict: &str,
                      score: i32,
                      cpu: f64,
                      predicates| {
            let text = format!(
                r#"{{"configuration":"a","task":"t{task}","repetition":0,"category":"c","expected":"{expected}",
                "verdict":"{verdict}","score":{score},"winner":"w","wall":{},"cpu":{cpu},"memory":0,
                "measured":{{"cpu":"","memory":""}},"exit":0,"begun":0.0,"cores":[],"overhead":0.0,"log":"",
                "analyses":[{{"name":"w","started":0.0,"counters":{{"predicates":{predicates}}}}}]}}"#,
                2.0 * cpu
            );
            serde_json::from_str::<Record>(&text).expect("a record")
        };
        Data {
            configurations: vec![Configuration {
                name: "a".to_owned(),
                folder: 0,
                limit: 10.0,
                records: vec![
                    record(0, "true", "true", 2, 1.0, 5),
                    record(1, "false", "false(unreach-call)", 1, 2.0, 7),
                    record(2, "true", "timeout", 0, 5.0, 9),
                ],
            }],
            categories: vec!["c".to_owned()],
            remarks: Vec::new(),
            folders: Vec::new(),
        }
    }

    #[test]
    fn each_category_has_the_same_weight() {
        let mut data = data();
        "d".clone_into(&mut data.configurations[0].records[1].category);
        data.categories.push("d".to_owned());
        // Two points of two runs, and one of one: (2/2 + 1/1) * 3 / 2.
        let normalised = data.normalised_score(&data.configurations[0]);
        assert_eq!(normalised, Some(3.0));
        data.configurations[0].records.clear();
        assert_eq!(data.normalised_score(&data.configurations[0]), None);
    }

    #[test]
    fn medians_of_common_tasks_leave_out_what_one_does_not_solve() {
        let mut data = data();
        let mut other = data.configurations[0].clone();
        "b".clone_into(&mut other.name);
        other.records[0].score = 0;
        "unknown".clone_into(&mut other.records[0].verdict);
        data.configurations.push(other);
        assert_eq!(data.solved_by_all(), BTreeSet::from(["t1"]));
        let sheet = by_configuration(&data);
        let last = |row: usize| -> Vec<String> {
            let cells = &sheet.rows[row][12..14];
            cells.iter().map(Cell::text).collect()
        };
        assert_eq!(last(0), ["1", "4.00"]);
        assert_eq!(last(1), ["1", "4.00"]);
    }

    #[test]
    fn all_rows_are_as_long_as_the_head() {
        for sheet in tables(&data()) {
            assert!(!sheet.rows.is_empty());
            for row in &sheet.rows {
                assert_eq!(row.len(), sheet.head.len(), "{}", sheet.title);
            }
        }
    }
}

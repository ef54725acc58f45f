//! The difference between two folders of results, task by task, such as before and after a change of the verifier.
//!
//! A regression is a wrong answer that was not there before, an answer that contradicts the one before, or a task that is solved
//! in fewer of its runs. Whether longer times are one is the caller's choice.

use std::collections::BTreeMap;

use super::statistics::{SIGNIFICANCE_LEVEL, mean, wilcoxon};
use super::table::{Cell, Sheet, count};
use crate::results::data::{Configuration, Data};
use crate::results::record::Record;

/// What counts as a regression.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Maximum number of tasks that may be lost, over all configurations.
    pub lost: usize,
    /// Maximum increase of the CPU time in percent: the geometric mean over the tasks that are solved before and after. `None`
    /// means that times do not count.
    pub slower: Option<f64>,
}

/// A difference between two folders of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// A row for each configuration.
    pub summary: Sheet,
    /// A row for each task with another result.
    pub changes: Sheet,
    /// Remarks for the reader, such as that tasks are missing.
    pub remarks: Vec<String>,
    /// The regressions in words; empty if there are none.
    pub regressions: Vec<String>,
}

/// Minimum CPU time in seconds; shorter ones are noise.
const MINIMUM_TIME: f64 = 0.01;

/// A change of a task's result.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Change {
    Wrong,
    Contradiction,
    Lost,
    Won,
    NoLongerWrong,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Contradiction => "contradicts",
            Self::Lost => "lost",
            Self::Won => "won",
            Self::NoLongerWrong => "no longer wrong",
        }
    }
}

/// The runs of a task in one folder.
type Runs<'d> = Vec<&'d Record>;

/// Compares the results before and after. Configurations go together by name, or if there is one in each folder.
///
/// # Errors
/// A message if no configuration is in both.
pub fn difference(
    before: &Data,
    after: &Data,
    tolerance: &Tolerance,
) -> Result<Difference, String> {
    let mut difference = Difference {
        summary: Sheet {
            title: "Before and after, on the tasks that both have".to_owned(),
            head: SUMMARY.map(str::to_owned).into(),
            rows: Vec::new(),
        },
        changes: Sheet {
            title: "Tasks with another result".to_owned(),
            head: CHANGES.map(str::to_owned).into(),
            rows: Vec::new(),
        },
        remarks: Vec::new(),
        regressions: Vec::new(),
    };
    let pairs = pairs(before, after);
    if pairs.is_empty() {
        let names = |data: &Data| {
            let names = data.configurations.iter().map(|known| known.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        return Err(format!(
            "no configuration is in both: before there are {}, after {}",
            names(before),
            names(after)
        ));
    }
    difference.remark_changed_tasks(before, after);
    let mut lost = 0;
    for (first, second) in pairs {
        lost += difference.add(first, second, tolerance);
    }
    if lost > tolerance.lost {
        let most = tolerance.lost;
        let regression = format!("tasks lost: {lost}, and {most} are permitted");
        difference.regressions.push(regression);
    }
    Ok(difference)
}

const SUMMARY: [&str; 12] = [
    "configuration",
    "tasks",
    "solved before",
    "solved after",
    "lost",
    "won",
    "wrong before",
    "wrong after",
    "score before",
    "score after",
    "CPU time after/before",
    "p",
];

const CHANGES: [&str; 6] = [
    "configuration",
    "task",
    "expected",
    "before",
    "after",
    "change",
];

fn pairs<'d>(before: &'d Data, after: &'d Data) -> Vec<(&'d Configuration, &'d Configuration)> {
    if let ([first], [second]) = (&before.configurations[..], &after.configurations[..]) {
        return vec![(first, second)];
    }
    let named = before.configurations.iter().filter_map(|first| {
        let mut others = after.configurations.iter();
        Some((first, others.find(|second| second.name == first.name)?))
    });
    named.collect()
}

fn by_task(configuration: &Configuration) -> BTreeMap<&str, Runs<'_>> {
    let mut tasks: BTreeMap<&str, Runs<'_>> = BTreeMap::new();
    for record in &configuration.records {
        tasks.entry(&record.key.task).or_default().push(record);
    }
    tasks
}

impl Difference {
    /// Adds a configuration; returns the number of tasks lost.
    fn add(&mut self, first: &Configuration, second: &Configuration, given: &Tolerance) -> usize {
        let (before, after) = (by_task(first), by_task(second));
        let name = &second.name;
        let common = before
            .iter()
            .filter_map(|(task, runs)| Some((*task, runs, after.get(task)?)));
        let common: Vec<(&str, &Runs<'_>, &Runs<'_>)> = common.collect();
        for (tasks, when) in [(before.len(), "before"), (after.len(), "after")] {
            if tasks > common.len() {
                let more = tasks - common.len();
                self.remarks
                    .push(format!("{name}: {more} tasks were run only {when}"));
            }
        }
        let mut numbers = [0; 2];
        let mut logarithms = Vec::new();
        for (task, before, after) in &common {
            if let Some(change) = change(before, after) {
                numbers[0] += usize::from(change == Change::Lost);
                numbers[1] += usize::from(change == Change::Won);
                self.add_change(name, task, change, before, after);
            }
            if solved(before) == 1.0 && solved(after) == 1.0 {
                logarithms.push((cpu(after) / cpu(before)).ln());
            }
        }
        let ratio = mean(&logarithms).map(f64::exp);
        let p = wilcoxon(&logarithms);
        if let (Some(most), Some(ratio)) = (given.slower, ratio)
            && ratio > 1.0 + most / 100.0
            && p < SIGNIFICANCE_LEVEL
        {
            let more = (ratio - 1.0) * 100.0;
            self.regressions.push(format!(
                "{name}: {more:.1} % more CPU time, and {most} % are permitted"
            ));
        }
        let runs = || common.iter().map(|(_, before, after)| [*before, *after]);
        let sum = |place: usize, of: &dyn Fn(&Record) -> i64| -> i64 {
            let records = runs().flat_map(|both| both[place].iter());
            records.map(|record| of(record)).sum()
        };
        let mut row = vec![Cell::Text(name.clone()), count(common.len())];
        let is_solved = |record: &Record| i64::from(record.is_solved());
        row.extend([0, 1].map(|place| Cell::Number(sum(place, &is_solved))));
        row.extend(numbers.map(count));
        let is_wrong = |record: &Record| i64::from(record.is_wrong());
        row.extend([0, 1].map(|place| match sum(place, &is_wrong) {
            0 => Cell::Number(0),
            number => Cell::Wrong(number),
        }));
        let score = |record: &Record| i64::from(record.score);
        row.extend([0, 1].map(|place| Cell::Number(sum(place, &score))));
        row.push(ratio.map_or(Cell::Nothing, |ratio| Cell::Decimal(ratio, 3)));
        row.push(match logarithms.is_empty() {
            true => Cell::Nothing,
            false => Cell::Decimal(p, 4),
        });
        self.summary.rows.push(row);
        numbers[0]
    }

    fn add_change(
        &mut self,
        name: &str,
        task: &str,
        change: Change,
        before: &Runs<'_>,
        after: &Runs<'_>,
    ) {
        let expected = after.iter().find_map(|record| record.expected.clone());
        let texts = [
            name.to_owned(),
            task.to_owned(),
            expected.unwrap_or_default(),
            verdicts(before),
            verdicts(after),
            change.name().to_owned(),
        ];
        if matches!(change, Change::Wrong | Change::Contradiction) {
            self.regressions.push(format!(
                "{name} on {task}: {} after {}: {}",
                verdicts(after),
                verdicts(before),
                change.name()
            ));
        }
        self.changes.rows.push(texts.map(Cell::Text).into());
    }

    /// Adds a remark on tasks whose files are not the same.
    fn remark_changed_tasks(&mut self, before: &Data, after: &Data) {
        let digests = |data: &Data| -> BTreeMap<String, String> {
            let folders = data.folders.iter();
            let tasks = folders.flat_map(|folder| &folder.description.fixed.tasks);
            tasks
                .map(|task| (task.name.clone(), task.digest.clone()))
                .collect()
        };
        let (first, second) = (digests(before), digests(after));
        let changed = first.iter().filter(|(task, digest)| {
            let other = second.get(*task);
            other.is_some_and(|other| other != *digest)
        });
        let names: Vec<&str> = changed.map(|(task, _)| task.as_str()).collect();
        if let Some(one) = names.first() {
            let number = names.len();
            self.remarks.push(format!(
                "the files of {number} tasks are not those of before, such as {one}"
            ));
        }
    }
}

/// Returns the part of the runs that solve the task.
fn solved(runs: &Runs<'_>) -> f64 {
    let number = runs.iter().filter(|record| record.is_solved()).count();
    number as f64 / runs.len().max(1) as f64
}

/// Returns the mean CPU time of the runs.
fn cpu(runs: &Runs<'_>) -> f64 {
    let sum: f64 = runs.iter().map(|record| record.cpu).sum();
    (sum / runs.len().max(1) as f64).max(MINIMUM_TIME)
}

/// Returns the change of a task's result, the gravest first.
fn change(before: &Runs<'_>, after: &Runs<'_>) -> Option<Change> {
    let is_wrong = |runs: &Runs<'_>| runs.iter().any(|record| record.is_wrong());
    // Of a task without a known verdict, two answers cannot both be right.
    let says = |runs: &Runs<'_>, verdict: &str| {
        let mut runs = runs.iter();
        runs.any(|record| record.expected.is_none() && record.verdict.starts_with(verdict))
    };
    let contradict = |verdict: &str, other: &str| says(before, verdict) && says(after, other);
    match (is_wrong(before), is_wrong(after)) {
        (false, true) => Some(Change::Wrong),
        (true, false) => Some(Change::NoLongerWrong),
        _ if contradict("true", "false") || contradict("false", "true") => {
            Some(Change::Contradiction)
        }
        _ if solved(after) < solved(before) => Some(Change::Lost),
        _ if solved(after) > solved(before) => Some(Change::Won),
        _ => None,
    }
}

/// Returns the verdicts of the runs, or the reasons for UNKNOWN, each once.
fn verdicts(runs: &Runs<'_>) -> String {
    let mut texts: Vec<String> = Vec::new();
    for record in runs {
        let is_answer = record.verdict == "true" || record.verdict.starts_with("false");
        let text = match is_answer {
            true => record.verdict.clone(),
            false => record.reason_class(),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::table::tests::data;

    #[test]
    fn the_same_results_have_no_difference() {
        let found = difference(&data(), &data(), &Tolerance::default()).expect("a difference");
        assert_eq!(found.regressions, [] as [String; 0]);
        assert!(found.changes.rows.is_empty());
        let row: Vec<String> = found.summary.rows[0].iter().map(Cell::text).collect();
        assert_eq!(
            row,
            [
                "a", "3", "2", "2", "0", "0", "0", "0", "3", "3", "1.000", "1.0000"
            ]
        );
    }

    #[test]
    fn lost_wrong_and_slower_answers_are_regressions() {
        let before = data();
        let mut after = data();
        after.configurations[0].records[0].score = 0;
        "unknown".clone_into(&mut after.configurations[0].records[0].verdict);
        let most = |lost: usize, slower: Option<f64>| Tolerance { lost, slower };
        let found = difference(&before, &after, &most(0, None)).expect("a difference");
        assert_eq!(found.regressions, ["tasks lost: 1, and 0 are permitted"]);
        let found = difference(&before, &after, &most(1, None)).expect("a difference");
        assert_eq!(found.regressions, [] as [String; 0]);
        let last: Vec<String> = found.changes.rows[0].iter().map(Cell::text).collect();
        assert_eq!(last, ["a", "t0", "true", "true", "unknown", "lost"]);
        after.configurations[0].records[2].score = -16;
        "false".clone_into(&mut after.configurations[0].records[2].verdict);
        let found = difference(&before, &after, &most(1, None)).expect("a difference");
        assert_eq!(
            found.regressions,
            ["a on t2: false after time limit: wrong"]
        );
    }

    #[test]
    fn times_count_if_the_caller_says_so() {
        let mut before = data();
        let one = before.configurations[0].records[0].clone();
        before.configurations[0].records = (0..8)
            .map(|number| {
                let mut record = one.clone();
                record.key.task = format!("t{number}");
                record
            })
            .collect();
        let mut after = before.clone();
        for (number, record) in (0..)
            .map(f64::from)
            .zip(&mut after.configurations[0].records)
        {
            record.cpu *= 1.2 + number / 100.0;
        }
        let with = |slower: Option<f64>| Tolerance { lost: 0, slower };
        for (given, expected) in [(None, 0), (Some(10.0), 1), (Some(30.0), 0)] {
            let found = difference(&before, &after, &with(given)).expect("a difference");
            assert_eq!(found.regressions.len(), expected, "{given:?}");
        }
    }

    #[test]
    fn answers_that_contradict_each_other_are_told() {
        let mut before = data();
        before.configurations[0].records.truncate(1);
        let record = &mut before.configurations[0].records[0];
        record.expected = None;
        record.score = 0;
        let mut after = before.clone();
        "false(unreach-call)".clone_into(&mut after.configurations[0].records[0].verdict);
        let found = difference(&before, &after, &Tolerance::default()).expect("a difference");
        assert_eq!(
            found.regressions,
            ["a on t0: false(unreach-call) after true: contradicts"]
        );
    }
}

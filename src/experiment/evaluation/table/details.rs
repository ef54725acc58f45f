//! Further tables: the times of right answers, counters, and a row for each task.

use super::{Cell, Sheet, count, decimal, head};
use crate::evaluation::statistics::{mean, median, quantile, standard_deviation};
use crate::results::data::{Configuration, Data};
use crate::results::figure::Figure;
use crate::results::record::Record;

/// Returns for each configuration the times of right answers, of the proofs among them, and of the alarms.
pub fn times_of_answers(data: &Data) -> Sheet {
    let mut rows = Vec::new();
    for configuration in &data.configurations {
        for (name, is_wanted) in [
            ("answers", None),
            ("proofs", Some(true)),
            ("alarms", Some(false)),
        ] {
            let solved = configuration.records.iter().filter(|one| one.is_solved());
            let solved = solved
                .filter(|one| is_wanted.is_none_or(|is_proof| (one.verdict == "true") == is_proof));
            let times: Vec<(f64, f64)> = solved.map(|one| (one.cpu, one.wall)).collect();
            let mut row = vec![
                Cell::Text(configuration.name.clone()),
                Cell::Text(name.to_owned()),
                count(times.len()),
            ];
            for times in [
                times.iter().map(|one| one.0).collect::<Vec<f64>>(),
                times.iter().map(|one| one.1).collect(),
            ] {
                row.push(Cell::Decimal(sum(&times), 1));
                row.push(decimal(mean(&times)));
                row.push(decimal(median(times)));
            }
            rows.push(row);
        }
    }
    Sheet {
        title: "Times of right answers".to_owned(),
        head: head(
            &["configuration", "of", "runs"],
            &[
                "CPU (s)",
                "mean CPU (s)",
                "median CPU (s)",
                "wall (s)",
                "mean wall (s)",
                "median wall (s)",
            ],
        ),
        rows,
    }
}

/// Returns the counters of the runs that have solved their tasks: a row for each figure and configuration.
pub fn by_figure(data: &Data, figures: &[Figure]) -> Sheet {
    let mut rows = Vec::new();
    for figure in figures {
        for configuration in &data.configurations {
            let solved = configuration.records.iter().filter(|one| one.is_solved());
            let mut values: Vec<f64> = solved.filter_map(|one| figure.of(one)).collect();
            if !is_counted(figure, configuration) {
                values.clear();
            }
            values.sort_unstable_by(f64::total_cmp);
            rows.push(vec![
                Cell::Text(figure.name.clone()),
                Cell::Text(configuration.name.clone()),
                count(values.len()),
                fine(mean(&values)),
                fine(standard_deviation(&values)),
                fine(quantile(&values, 0.5)),
                fine(values.last().copied()),
                fine(Some(sum(&values))),
            ]);
        }
    }
    Sheet {
        title: "Counters of runs with a right answer".to_owned(),
        head: head(
            &["counter", "configuration", "runs"],
            &["mean", "deviation", "median", "largest", "sum"],
        ),
        rows,
    }
}

/// Returns a row for each task: for each configuration the wall time, or the reason for UNKNOWN, and the figures of its first
/// run.
pub fn by_task(data: &Data, figures: &[Figure]) -> Sheet {
    let mut tasks: Vec<&str> = data.records().map(|one| one.key.task.as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let first = |configuration: &Configuration, task: &str| {
        let of = configuration.records.iter();
        let of = of.filter(|one| one.key.task == task);
        // Records are in the order in which runs ended.
        of.min_by_key(|one| one.key.repetition).cloned()
    };
    let mut names = vec!["task".to_owned(), "expected".to_owned()];
    for configuration in &data.configurations {
        names.push(format!("{} (s)", configuration.name));
        let figures = figures.iter();
        names.extend(figures.map(|figure| format!("{} {}", configuration.name, figure.name)));
    }
    let rows = tasks.into_iter().map(|task| {
        let runs = data.configurations.iter().map(|one| first(one, task));
        let runs: Vec<Option<Record>> = runs.collect();
        let expected = runs.iter().flatten().find_map(|one| one.expected.clone());
        let mut row = vec![
            Cell::Text(task.to_owned()),
            Cell::Text(expected.unwrap_or_default()),
        ];
        for (run, configuration) in runs.iter().zip(&data.configurations) {
            row.push(run.as_ref().map_or(Cell::Nothing, time));
            row.extend(figures.iter().map(|figure| {
                let solved = run.as_ref().filter(|run| run.is_solved());
                let solved = solved.filter(|_| is_counted(figure, configuration));
                decimal(solved.and_then(|run| figure.of(run)))
            }));
        }
        row
    });
    Sheet {
        title: "By task".to_owned(),
        rows: rows.collect(),
        head: names,
    }
}

/// Checks whether one of the configuration's runs has the figure.
fn is_counted(figure: &Figure, configuration: &Configuration) -> bool {
    let mut records = configuration.records.iter();
    records.any(|record| figure.is_counted(record))
}

fn time(record: &Record) -> Cell {
    match record.score {
        1.. => Cell::Decimal(record.wall, 2),
        ..0 => Cell::Text(format!("WRONG: {}", record.verdict)),
        0 => Cell::Text(record.reason_class()),
    }
}

/// Returns the sum; zero for no values, for which Rust returns negative zero.
fn sum(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() + 0.0
}

/// Returns a cell with three decimals, since phases may take milliseconds.
fn fine(value: Option<f64>) -> Cell {
    value.map_or(Cell::Nothing, |value| Cell::Decimal(value, 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::table::tests::data;

    #[test]
    fn times_are_those_of_right_answers_alone() {
        let sheet = times_of_answers(&data());
        let texts =
            |row: usize| -> Vec<String> { sheet.rows[row].iter().map(Cell::text).collect() };
        assert_eq!(
            texts(0),
            [
                "a", "answers", "2", "3.0", "1.50", "1.50", "6.0", "3.00", "3.00"
            ]
        );
        assert_eq!(texts(2)[1..4], ["alarms", "1", "2.0"]);
        assert_eq!(format!("{:.1}", sum(&[])), "0.0");
        assert!(sheet.rows.iter().all(|row| row.len() == sheet.head.len()));
    }

    #[test]
    fn a_task_that_is_not_solved_has_its_reason() {
        let figures = [Figure::parse("predicates").expect("a name")];
        let sheet = by_task(&data(), &figures);
        let texts =
            |row: usize| -> Vec<String> { sheet.rows[row].iter().map(Cell::text).collect() };
        assert_eq!(texts(0), ["t0", "true", "2.00", "5.00"]);
        assert_eq!(texts(2), ["t2", "true", "time limit", ""]);
        let sheet = by_figure(&data(), &figures);
        let row: Vec<String> = sheet.rows[0].iter().map(Cell::text).collect();
        // The run that has not solved its task does not count.
        assert_eq!(
            row,
            [
                "predicates",
                "a",
                "2",
                "6.000",
                "1.414",
                "6.000",
                "7.000",
                "12.000"
            ]
        );
    }
}

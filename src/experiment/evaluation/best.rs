//! The virtual best configuration, and what each configuration and each analysis contributes.
//!
//! The virtual best takes for each task the result of the best configuration, as an oracle would choose it. What a
//! configuration contributes is what the virtual best of the others loses \[XHHL12\].

use std::collections::BTreeMap;

use super::table::{Cell, Sheet, count};
use crate::definition::WITHOUT;
use crate::results::data::{Data, Means};

/// Returns the tables that have rows.
pub fn sheets(data: &Data) -> Vec<Sheet> {
    let sheets = [virtual_best(data), leave_one_out(data), by_winner(data)];
    let sheets = sheets.into_iter();
    sheets.filter(|sheet| !sheet.rows.is_empty()).collect()
}

/// What configurations achieve on some tasks: sums over tasks of the means over repetitions.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
struct Achieved {
    solved: f64,
    score: f64,
    par2: f64,
}

impl Achieved {
    /// Sums up the results of tasks.
    fn of<'m>(results: impl Iterator<Item = &'m Means>) -> Self {
        results.fold(Self::default(), |sum, means| Self {
            solved: sum.solved + means.solved,
            score: sum.score + means.score,
            par2: sum.par2 + means.par2,
        })
    }
}

/// The results of tasks that all configurations with runs were run on.
struct Results<'d> {
    /// The numbers of these configurations.
    configurations: Vec<usize>,
    /// For each task the results, in the order of the configurations.
    tasks: Vec<Vec<Means>>,
    data: &'d Data,
}

impl<'d> Results<'d> {
    fn new(data: &'d Data) -> Self {
        let configurations = (0..data.configurations.len())
            .filter(|&number| !data.configurations[number].records.is_empty());
        let configurations: Vec<usize> = configurations.collect();
        let mut by_task: BTreeMap<&str, Vec<Means>> = BTreeMap::new();
        for &number in &configurations {
            for (task, means) in data.configurations[number].by_task() {
                by_task.entry(task).or_default().push(means);
            }
        }
        let complete = by_task.into_values();
        let complete = complete.filter(|results| results.len() == configurations.len());
        Self {
            tasks: complete.collect(),
            configurations,
            data,
        }
    }

    fn name(&self, place: usize) -> &'d str {
        &self.data.configurations[self.configurations[place]].name
    }

    /// Returns what a configuration achieves.
    fn alone(&self, place: usize) -> Achieved {
        Achieved::of(self.tasks.iter().map(|results| &results[place]))
    }

    /// Returns what the virtual best achieves, without one of the configurations.
    fn best(&self, without: Option<usize>) -> Achieved {
        Achieved::of(self.tasks.iter().filter_map(|results| {
            let others = (0..results.len()).filter(|&place| Some(place) != without);
            others
                .map(|place| &results[place])
                .max_by(|one, other| compare(one, other))
        }))
    }

    /// Returns the number of tasks that only this configuration solves.
    fn only_by(&self, place: usize) -> usize {
        let solves = |means: &Means| means.solved > 0.0;
        let only = self.tasks.iter().filter(|results| {
            let mut others = (0..results.len()).filter(|&other| other != place);
            solves(&results[place]) && !others.any(|other| solves(&results[other]))
        });
        only.count()
    }

    /// Returns the cells of what is achieved.
    fn cells(&self, achieved: Achieved) -> [Cell; 3] {
        let has_repetitions = self.tasks.iter().flatten().any(|means| means.runs > 1.0);
        let decimals = usize::from(has_repetitions);
        let tasks = self.tasks.len().max(1) as f64;
        [
            Cell::Decimal(achieved.solved, decimals),
            Cell::Decimal(achieved.score, decimals),
            Cell::Decimal(achieved.par2 / tasks, 2),
        ]
    }
}

/// Compares results of a task: the score first, then the time.
fn compare(one: &Means, other: &Means) -> std::cmp::Ordering {
    let by_score = one.score.total_cmp(&other.score);
    by_score.then(other.par2.total_cmp(&one.par2))
}

/// Returns a table with the virtual best, the single best, and a row for each configuration: what it achieves, the number of
/// tasks that only it solves, and the virtual best without it. It has no rows for fewer than two configurations.
pub fn virtual_best(data: &Data) -> Sheet {
    let results = Results::new(data);
    let mut rows = Vec::new();
    if results.configurations.len() > 1 && !results.tasks.is_empty() {
        let places = 0..results.configurations.len();
        let text = |text: String| Cell::Text(text);
        let nothing = || std::iter::repeat_n(Cell::Nothing, 4);
        let summary = |name: String, achieved: Achieved| {
            let cells = std::iter::once(text(name)).chain(results.cells(achieved));
            cells.chain(nothing()).collect::<Vec<Cell>>()
        };
        rows.push(summary("virtual best".to_owned(), results.best(None)));
        let better = |&one: &usize, &other: &usize| {
            let (first, second) = (results.alone(one), results.alone(other));
            let by_score = first.score.total_cmp(&second.score);
            by_score.then(second.par2.total_cmp(&first.par2))
        };
        if let Some(single) = places.clone().max_by(better) {
            let name = format!("single best: {}", results.name(single));
            rows.push(summary(name, results.alone(single)));
        }
        rows.extend(places.map(|place| {
            let name = text(results.name(place).to_owned());
            let mut row = vec![name];
            row.extend(results.cells(results.alone(place)));
            row.push(count(results.only_by(place)));
            row.extend(results.cells(results.best(Some(place))));
            row
        }));
    }
    let head = [
        "configuration",
        "solved",
        "score",
        "PAR-2 (s)",
        "only by it",
        "best without it: solved",
        "best without it: score",
        "best without it: PAR-2 (s)",
    ];
    Sheet {
        title: format!(
            "Virtual best, and what each configuration contributes, on {} tasks",
            results.tasks.len()
        ),
        head: head.map(str::to_owned).into(),
        rows,
    }
}

/// Returns a row for each configuration `PORTFOLIO without ANALYSIS` whose portfolio was run as well: what the portfolio loses
/// without the analysis, on the tasks that both were run on.
pub fn leave_one_out(data: &Data) -> Sheet {
    let mut rows = Vec::new();
    for whole in &data.configurations {
        for part in &data.configurations {
            let Some(analysis) = without(&part.name, &whole.name) else {
                continue;
            };
            let common = whole.common_tasks(part);
            let number = |is_lost: &dyn Fn(&Means, &Means) -> bool| {
                let lost = common.iter().filter(|(_, with, less)| is_lost(with, less));
                count(lost.count())
            };
            let with = Achieved::of(common.iter().map(|(_, means, _)| means));
            let less = Achieved::of(common.iter().map(|(_, _, means)| means));
            let tasks = common.len().max(1) as f64;
            rows.push(vec![
                Cell::Text(whole.name.clone()),
                Cell::Text(analysis.to_owned()),
                count(common.len()),
                number(&|with, less| with.solved > less.solved),
                number(&|with, less| less.solved > with.solved),
                Cell::Decimal(with.score - less.score, 1),
                Cell::Decimal((less.par2 - with.par2) / tasks, 2),
            ]);
        }
    }
    let head = [
        "portfolio",
        "analysis",
        "tasks",
        "solved only with it",
        "solved only without it",
        "score that it adds",
        "PAR-2 that it saves (s)",
    ];
    Sheet {
        title: "What each analysis contributes (leave one out)".to_owned(),
        head: head.map(str::to_owned).into(),
        rows,
    }
}

/// Returns the analysis that the configuration leaves out of the other.
fn without<'n>(name: &'n str, whole: &str) -> Option<&'n str> {
    name.strip_prefix(whole)?.strip_prefix(WITHOUT)
}

/// Returns the number of right answers by the analysis that found them, for each configuration.
pub fn answers_by_winner(data: &Data) -> BTreeMap<(&str, &str), u64> {
    let mut numbers: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for configuration in &data.configurations {
        let solved = configuration.records.iter().filter(|one| one.is_solved());
        for record in solved {
            // An answer of the simplifier has no winner among the analyses.
            let winner = record.winner.as_deref().unwrap_or("before the race");
            *numbers.entry((winner, &configuration.name)).or_default() += 1;
        }
    }
    numbers
}

/// Returns a row for each analysis that had an answer, the most frequent first, and a column for each configuration.
pub fn by_winner(data: &Data) -> Sheet {
    let numbers = answers_by_winner(data);
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (&(winner, _), &number) in &numbers {
        *sums.entry(winner).or_default() += number;
    }
    let mut order: Vec<(&str, u64)> = sums.into_iter().collect();
    order.sort_by_key(|&(name, sum)| (std::cmp::Reverse(sum), name));
    let rows = order.into_iter().map(|(winner, _)| {
        let cells = data.configurations.iter().map(|configuration| {
            let number = numbers.get(&(winner, configuration.name.as_str()));
            count(number.map_or(0, |&number| number as usize))
        });
        let name = Cell::Text(winner.to_owned());
        std::iter::once(name).chain(cells).collect()
    });
    let names = data.configurations.iter().map(|one| one.name.clone());
    Sheet {
        title: "Right answers by analysis".to_owned(),
        rows: rows.collect(),
        head: std::iter::once("analysis".to_owned())
            .chain(names)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::table::tests::data;

    /// Two configurations: the first solves t0 and t1, the second t1 (faster) and t2.
    fn two() -> Data {
        let mut data = data();
        let mut other = data.configurations[0].clone();
        other.name = format!("{}{WITHOUT}w", other.name);
        other.records[0].score = 0;
        "unknown".clone_into(&mut other.records[0].verdict);
        other.records[1].wall = 1.0;
        other.records[2].score = 2;
        "true".clone_into(&mut other.records[2].verdict);
        data.configurations.push(other);
        data
    }

    fn texts(sheet: &Sheet, row: usize) -> Vec<String> {
        sheet.rows[row].iter().map(Cell::text).collect()
    }

    #[test]
    fn the_virtual_best_takes_the_best_of_each_task() {
        let sheet = virtual_best(&two());
        // The times are 2, 1 and 10; the first has 2, 4 and twice the limit.
        assert_eq!(texts(&sheet, 0)[..4], ["virtual best", "3", "5", "4.33"]);
        assert_eq!(texts(&sheet, 1)[..4], ["single best: a", "2", "3", "8.67"]);
        assert_eq!(
            texts(&sheet, 2),
            ["a", "2", "3", "8.67", "1", "2", "3", "10.33"]
        );
        assert!(virtual_best(&data()).rows.is_empty());
    }

    #[test]
    fn an_analysis_contributes_what_is_lost_without_it() {
        let sheet = leave_one_out(&two());
        assert_eq!(texts(&sheet, 0), ["a", "w", "3", "1", "1", "0.0", "1.67"]);
        assert!(leave_one_out(&data()).rows.is_empty());
        assert_eq!(texts(&by_winner(&two()), 0), ["w", "2", "2"]);
    }
}

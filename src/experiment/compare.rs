//! Two configurations on the same tasks: what differs, and what of it is noise.

use super::data::{Configuration, Data, Means};
use super::statistics::{Estimate, bootstrap, wilcoxon};
use super::table::{Cell, Sheet, count};

/// A comparison of two configurations.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Their numbers in the data.
    pub base: usize,
    pub other: usize,
    /// The tasks that both have been run on.
    pub tasks: usize,
    pub measures: Vec<Measure>,
    /// Tasks that the second solves and the first does not, and the other way round.
    pub won: Vec<String>,
    pub lost: Vec<String>,
}

/// A measure of both.
#[derive(Clone, Debug)]
pub struct Measure {
    pub name: &'static str,
    /// Means over tasks.
    pub base: f64,
    pub other: f64,
    /// The second less the first.
    pub difference: Estimate,
    /// Of Wilcoxon's signed-rank test.
    pub p: f64,
}

/// Differences that chance makes more rarely than this are none of its.
const SIGNIFICANT: f64 = 0.05;

impl Measure {
    /// Whether the difference may be noise: if either the interval or the test says so.
    pub fn is_noise(&self) -> bool {
        self.difference.may_be_zero() || self.p >= SIGNIFICANT
    }
}

/// A figure of a task.
type Figure = fn(&Means) -> f64;

/// What is measured of a task.
const MEASURES: [(&str, Figure); 4] = [
    ("solved", |means| means.solved),
    ("score", |means| means.score),
    ("PAR-2 (s)", |means| means.par2),
    ("CPU (s)", |means| means.cpu),
];

/// Compares the configuration with the base on the tasks that they have in common.
pub fn compare(data: &Data, base: usize, other: usize) -> Comparison {
    let of = |number: usize| -> &Configuration { &data.configurations[number] };
    let (first, second) = (of(base).by_task(), of(other).by_task());
    let common: Vec<(&str, &Means, &Means)> = first
        .iter()
        .filter_map(|(task, means)| Some((*task, means, second.get(task)?)))
        .collect();
    let measures = MEASURES.map(|(name, value)| {
        let differences: Vec<f64> = common
            .iter()
            .map(|(_, first, second)| value(second) - value(first))
            .collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            values.sum::<f64>() / common.len().max(1) as f64
        };
        Measure {
            name,
            base: mean(&mut common.iter().map(|(_, first, _)| value(first))),
            other: mean(&mut common.iter().map(|(_, _, second)| value(second))),
            difference: bootstrap(&differences),
            p: wilcoxon(&differences),
        }
    });
    // With repetitions, whoever solves a task more often has the better of it.
    let names = |is_wanted: &dyn Fn(&Means, &Means) -> bool| {
        let wanted = common
            .iter()
            .filter(|(_, first, second)| is_wanted(first, second));
        wanted.map(|(task, _, _)| (*task).to_owned()).collect()
    };
    Comparison {
        base,
        other,
        tasks: common.len(),
        measures: measures.into(),
        won: names(&|first, second| second.solved > first.solved),
        lost: names(&|first, second| second.solved < first.solved),
    }
}

impl Comparison {
    /// The comparison as tables: the measures, and the tasks won and lost.
    pub fn sheets(&self, data: &Data) -> Vec<Sheet> {
        let name = |number: usize| data.configurations[number].name.clone();
        let (base, other) = (name(self.base), name(self.other));
        let text = |text: &str| Cell::Text(text.to_owned());
        let rows = self.measures.iter().map(|measure| {
            let estimate = measure.difference;
            vec![
                text(measure.name),
                Cell::Decimal(measure.base, 3),
                Cell::Decimal(measure.other, 3),
                Cell::Decimal(estimate.value, 3),
                text(&format!("[{:.3}, {:.3}]", estimate.low, estimate.high)),
                Cell::Decimal(measure.p, 4),
                text(if measure.is_noise() {
                    "may be noise"
                } else {
                    "differs"
                }),
            ]
        });
        let title = format!(
            "{other} against {base}, on {} tasks (means a task; 95 % interval of the paired bootstrap, p of Wilcoxon's test)",
            self.tasks
        );
        let head = [
            "measure",
            &base,
            &other,
            "difference",
            "interval",
            "p",
            "verdict",
        ];
        let sheet = Sheet {
            title,
            head: head.iter().map(|&name| name.to_owned()).collect(),
            rows: rows.collect(),
        };
        let list = |title: String, tasks: &[String]| Sheet {
            title,
            head: vec!["number".to_owned(), "task".to_owned()],
            rows: (1..)
                .zip(tasks)
                .map(|(number, task)| vec![count(number), text(task)])
                .collect(),
        };
        vec![
            sheet,
            list(
                format!(
                    "Solved by {other} and less often by {base}: {}",
                    self.won.len()
                ),
                &self.won,
            ),
            list(
                format!(
                    "Solved by {base} and less often by {other}: {}",
                    self.lost.len()
                ),
                &self.lost,
            ),
        ]
    }
}

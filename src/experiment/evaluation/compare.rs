//! Compares two configurations on the same tasks, with effect sizes and tests of significance.

use rayon::prelude::*;

use crate::evaluation::statistics::{
    Estimate, SIGNIFICANCE_LEVEL, bootstrap, holm, rank_biserial, wilcoxon,
};
use crate::evaluation::table::{Cell, Sheet, count};
use crate::results::data::{Data, Means};

/// A comparison of two configurations.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The configurations' numbers in the data.
    pub base: usize,
    pub other: usize,
    /// The number of tasks that both were run on.
    pub tasks: usize,
    pub measures: Vec<Measure>,
    /// The tasks that the second solves more often than the first, and those that it solves less often.
    pub won: Vec<String>,
    pub lost: Vec<String>,
}

/// A measure of both configurations.
#[derive(Clone, Debug)]
pub struct Measure {
    pub name: &'static str,
    /// The means over tasks.
    pub base: f64,
    pub other: f64,
    /// The mean difference, second minus first.
    pub difference: Estimate,
    /// The effect size: the rank-biserial correlation, from -1 (the second is never larger) to 1 (never smaller).
    pub effect: f64,
    /// The p-value of Wilcoxon's signed-rank test, by itself and corrected for the number of tests.
    pub p: f64,
    pub corrected: f64,
}

impl Measure {
    /// Checks whether the difference may be noise by the interval or by the corrected test.
    pub fn is_noise(&self) -> bool {
        self.difference.may_be_zero() || self.corrected >= SIGNIFICANCE_LEVEL
    }
}

/// A measure of a task.
type Figure = fn(&Means) -> f64;

/// The measures of a task, by name.
const MEASURES: [(&str, Figure); 4] = [
    ("solved", |means| means.solved),
    ("score", |means| means.score),
    ("PAR-2 (s)", |means| means.par2),
    ("CPU (s)", |means| means.cpu),
];

/// Compares each of the other configurations with the base. The p-values are corrected for all tests together.
pub fn compare_all(data: &Data, base: usize, others: &[usize]) -> Vec<Comparison> {
    let compared = others.par_iter();
    let mut comparisons: Vec<Comparison> =
        compared.map(|&other| compare(data, base, other)).collect();
    let measures = || comparisons.iter().flat_map(|one| &one.measures);
    let corrected = holm(&measures().map(|measure| measure.p).collect::<Vec<f64>>());
    let measures = comparisons.iter_mut().flat_map(|one| &mut one.measures);
    for (measure, p) in measures.zip(corrected) {
        measure.corrected = p;
    }
    comparisons
}

/// Compares the configuration with the base on the tasks that they have in common, without a correction.
fn compare(data: &Data, base: usize, other: usize) -> Comparison {
    let of = |number: usize| &data.configurations[number];
    let common = of(base).common_tasks(of(other));
    let measures = MEASURES.map(|(name, value)| {
        let differences: Vec<f64> = common
            .iter()
            .map(|(_, first, second)| value(second) - value(first))
            .collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            values.sum::<f64>() / common.len().max(1) as f64
        };
        let p = wilcoxon(&differences);
        Measure {
            name,
            base: mean(&mut common.iter().map(|(_, first, _)| value(first))),
            other: mean(&mut common.iter().map(|(_, _, second)| value(second))),
            difference: bootstrap(&differences),
            effect: rank_biserial(&differences),
            p,
            corrected: p,
        }
    });
    // With repetitions, a task counts for the configuration that solves it more often.
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
                Cell::Decimal(measure.effect, 2),
                Cell::Decimal(measure.p, 4),
                Cell::Decimal(measure.corrected, 4),
                text(if measure.is_noise() {
                    "may be noise"
                } else {
                    "differs"
                }),
            ]
        });
        let title = format!(
            "{other} against {base}, on {} tasks (means a task; 95 % interval of the paired bootstrap; effect: rank-biserial \
             correlation; p of Wilcoxon's test, and corrected for all tests here by Holm's method)",
            self.tasks
        );
        let head = [
            "measure",
            &base,
            &other,
            "difference",
            "interval",
            "effect",
            "p",
            "p (Holm)",
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

//! The training data: the features of each task's program, and the time that each analysis needs for it.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::evaluation::statistics::median;
use crate::results::data::{Configuration, Data};
use crate::results::record::Record;
use regatta_program::features::Features;
use regatta_run::config::Portfolio;

/// A task that at least one analysis solves.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub category: String,
    pub features: Features,
    /// Seconds until the analyses begin.
    pub before: f64,
    /// Seconds that each analysis needs alone; infinite if it does not solve the task in time.
    pub needs: Vec<f64>,
}

impl Case {
    /// Returns the wall time of the best analysis alone.
    pub fn best(&self) -> f64 {
        let least = self.needs.iter().copied().fold(f64::INFINITY, f64::min);
        self.before + least
    }
}

/// Number of variants of each task.
const VARIANTS_PER_TASK: usize = 8;

/// Maximum change of the logarithm of a time.
const MAXIMUM_LOG_CHANGE: f64 = 0.7;

/// Probability that an analysis that solves a task does not solve its variant.
const MISS_PROBABILITY: f64 = 0.25;

/// Returns random variants of the tasks, in which analyses take longer or shorter or do not solve the task, against
/// overfitting to the times of a few tasks. The result is deterministic.
pub(super) fn varied(cases: &[&Case]) -> Vec<Case> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut variants = Vec::with_capacity(cases.len() * VARIANTS_PER_TASK);
    for &case in cases {
        for _ in 0..VARIANTS_PER_TASK {
            let mut variant = case.clone();
            for need in &mut variant.needs {
                *need *= random
                    .random_range(-MAXIMUM_LOG_CHANGE..MAXIMUM_LOG_CHANGE)
                    .exp();
                if random.random_bool(MISS_PROBABILITY) {
                    *need = f64::INFINITY;
                }
            }
            if variant.best().is_finite() {
                variants.push(variant);
            }
        }
    }
    variants
}

/// Returns the tasks that one of the analyses solves alone.
pub(super) fn cases(data: &Data, names: &[String]) -> Vec<Case> {
    let mut found: BTreeMap<&str, Found> = BTreeMap::new();
    for configuration in &data.configurations {
        let Some(analysis) = single(data, configuration) else {
            continue;
        };
        let Some(number) = names.iter().position(|name| *name == analysis) else {
            continue;
        };
        for record in &configuration.records {
            if let Some(begin) = begin(record, &analysis) {
                let task = found
                    .entry(&record.key.task)
                    .or_insert_with(|| Found::new(record, names.len()));
                task.begins.push(begin);
                if record.is_solved() {
                    task.needs[number].push((record.wall - begin).max(0.0));
                }
            }
        }
    }
    let found = found.into_values().filter_map(Found::case);
    found.collect()
}

/// Returns the configuration's analysis, if it has only one.
fn single(data: &Data, configuration: &Configuration) -> Option<String> {
    let described = &data.folders[configuration.folder]
        .description
        .fixed
        .configurations;
    let described = described.iter().find(|known| {
        configuration.name == known.name
            || configuration.name.starts_with(&format!("{} (", known.name))
    })?;
    let portfolio = Portfolio::parse("experiment.json", &described.portfolio).ok()?;
    match portfolio.analyses.as_slice() {
        [analysis] => Some(analysis.name().to_owned()),
        _ => None,
    }
}

/// Returns the time at which the analysis began.
fn begin(record: &Record, name: &str) -> Option<f64> {
    if record.features.is_empty() {
        return None;
    }
    let mut analyses = record.analyses.iter();
    let analysis = analyses.find(|analysis| analysis.name == name)?;
    Some(analysis.started)
}

/// The data of a task under construction.
struct Found {
    category: String,
    features: Features,
    begins: Vec<f64>,
    needs: Vec<Vec<f64>>,
}

impl Found {
    fn new(record: &Record, analyses: usize) -> Self {
        Self {
            category: record.category.clone(),
            features: Features::from_names(&record.features),
            begins: Vec::new(),
            needs: vec![Vec::new(); analyses],
        }
    }

    fn case(self) -> Option<Case> {
        let needs = self.needs.into_iter();
        let needs: Vec<f64> = needs
            .map(|walls| median(walls).unwrap_or(f64::INFINITY))
            .collect();
        let case = Case {
            category: self.category,
            features: self.features,
            before: median(self.begins)?,
            needs,
        };
        case.best().is_finite().then_some(case)
    }
}

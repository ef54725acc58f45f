//! What the runs say of each task: what its program is like, and how long each analysis needs for it.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::data::{Configuration, Data};
use crate::record::Record;
use crate::statistics::median;
use regatta_program::features::Features;
use regatta_run::config::Portfolio;

/// A task that some analysis solves.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub category: String,
    pub features: Features,
    /// Seconds until the analyses begin.
    pub before: f64,
    /// Seconds that each analysis needs by itself; infinite where it does not solve the task in time.
    pub needs: Vec<f64>,
}

impl Case {
    /// The wall time of the best analysis alone.
    pub fn best(&self) -> f64 {
        let least = self.needs.iter().copied().fold(f64::INFINITY, f64::min);
        self.before + least
    }
}

/// So many times each task is varied.
const VARIANTS: usize = 8;

/// By so much the logarithms of times are varied, at most.
const SPREAD: f64 = 0.7;

/// How probable it is that an analysis does not solve the variant of a task that it solves.
const MISSES: f64 = 0.25;

/// Tasks like those: an analysis takes longer or less long, or does not solve the task. What is learned from them does not
/// rely on the times of a few tasks. The same cases have the same variants.
pub(super) fn varied(cases: &[&Case]) -> Vec<Case> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut variants = Vec::with_capacity(cases.len() * VARIANTS);
    for &case in cases {
        for _ in 0..VARIANTS {
            let mut variant = case.clone();
            for need in &mut variant.needs {
                *need *= random.random_range(-SPREAD..SPREAD).exp();
                if random.random_bool(MISSES) {
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

/// The tasks that are solved by one of the analyses alone.
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

/// The analysis that the configuration consists of, if it is one.
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

/// When the analysis began.
fn begin(record: &Record, name: &str) -> Option<f64> {
    if record.features.is_empty() {
        return None;
    }
    let mut analyses = record.analyses.iter();
    let analysis = analyses.find(|analysis| analysis.name == name)?;
    Some(analysis.started)
}

/// What has been found of a task.
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

//! Scatter plots: the times of two configurations on the same tasks.

use std::collections::BTreeMap;

use super::{Kind, MINIMUM_TIME, Plot, Point, plain};
use crate::results::data::{Configuration, Data};
use crate::results::record::{Key, Record};

/// Factor of the limit at which unsolved tasks are drawn.
pub const UNSOLVED_FACTOR: f64 = 1.35;

fn time(record: &Record, limit: f64) -> f64 {
    match record.is_solved() {
        true => record.wall.clamp(MINIMUM_TIME, limit),
        false => limit * UNSOLVED_FACTOR,
    }
}

/// Returns the runs by task and repetition.
fn runs(configuration: &Configuration) -> BTreeMap<(&str, u32), &Record> {
    let records = configuration.records.iter();
    records
        .map(|record| {
            let Key {
                task, repetition, ..
            } = &record.key;
            ((task.as_str(), *repetition), record)
        })
        .collect()
}

/// Plots two configurations: tasks below the diagonal are faster in the second.
pub fn scatter(data: &Data, base: usize, other: usize) -> Plot {
    let (first, second) = (&data.configurations[base], &data.configurations[other]);
    let limit = first.limit.max(second.limit);
    let others = runs(second);
    let pairs = runs(first).into_iter();
    let points = pairs.filter_map(|(key, record)| {
        let paired = others.get(&key)?;
        Some(Point {
            x: time(record, limit),
            y: time(paired, limit),
            is_wrong: record.is_wrong() || paired.is_wrong(),
        })
    });
    Plot {
        name: format!("scatter-{}-{}", plain(&first.name), plain(&second.name)),
        title: format!("{} and {}", first.name, second.name),
        kind: Kind::Pairs {
            x: format!("{}: wall time (s)", first.name),
            y: format!("{}: wall time (s)", second.name),
            limit,
            points: points.collect(),
        },
    }
}

/// Returns the number of analyses of the configuration's portfolio; `None` if it is not known.
fn analyses(data: &Data, number: usize) -> Option<usize> {
    let configuration = &data.configurations[number];
    let folder = &data.folders[configuration.folder];
    // The folder's name may be appended to the configuration's.
    let described = folder.description.fixed.configurations.iter();
    let described = described.filter(|described| configuration.name.starts_with(&described.name));
    let portfolio = &described
        .max_by_key(|described| described.name.len())?
        .portfolio;
    let number = portfolio
        .lines()
        .filter(|line| *line == "[[analysis]]")
        .count();
    (number > 0).then_some(number)
}

/// Returns a plot for each configuration with several analyses: its times against those of the best configuration with
/// a single analysis, task by task. The distance above the diagonal is the price of the race.
pub fn price_of_the_race(data: &Data) -> Vec<Plot> {
    let numbers = 0..data.configurations.len();
    let is_race = |number: &usize| analyses(data, *number).is_some_and(|count| count > 1);
    let is_single = |number: &usize| analyses(data, *number) == Some(1);
    let singles: Vec<usize> = numbers.clone().filter(is_single).collect();
    if singles.is_empty() {
        return Vec::new();
    }
    let mut best: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for &single in &singles {
        let single = &data.configurations[single];
        for (key, record) in runs(single) {
            let known = best.entry(key).or_insert(f64::INFINITY);
            *known = known.min(time(record, single.limit));
        }
    }
    let races = numbers.filter(is_race);
    let plots = races.map(|race| {
        let race = &data.configurations[race];
        let points = runs(race).into_iter().filter_map(|(key, record)| {
            Some(Point {
                x: best.get(&key)?.min(race.limit * UNSOLVED_FACTOR),
                y: time(record, race.limit),
                is_wrong: record.is_wrong(),
            })
        });
        Plot {
            name: format!("price-{}", plain(&race.name)),
            title: format!(
                "The price of the race: {} and the best single analysis",
                race.name
            ),
            kind: Kind::Pairs {
                x: format!("best of {} single analyses: wall time (s)", singles.len()),
                y: format!("{}: wall time (s)", race.name),
                limit: race.limit,
                points: points.collect(),
            },
        }
    });
    plots.collect()
}

//! `regatta experiment learn`: learns the openings of a portfolio from runs of single analyses.
//!
//! The objective is the price of the race: a task's wall time divided by that of the best analysis alone, as the geometric
//! mean over the tasks that some analysis solves. A decision tree over a program's features selects an opening
//! ([`tree`]). An opening is built greedily turn by turn and then improved by local search ([`search`]); its effect is
//! simulated from the runs ([`schedule`]). Greedy schedules of runs with limits are those of \[SGS07\].
//!
//! Cross-validation estimates the price on unseen programs: the categories are divided into folds, and
//! each fold is evaluated by the tree learned from the others. The depth of the tree is chosen in the same way.

mod cases;
mod schedule;
mod search;
#[cfg(test)]
mod tests;
mod tree;

use rayon::prelude::*;

use self::cases::{Case, cases};
use self::schedule::{Rules, Step, finish};
use self::tree::Tree;
use crate::evaluation::statistics::quantile;
use crate::evaluation::table::{Cell, Sheet, count};
use crate::results::data::Data;
use regatta_base::{Error, ErrorKind};
use regatta_run::config::Portfolio;
use regatta_run::config::opening::{Condition, Opening, Turn};

/// Number of folds of cross-validation.
const FOLDS: usize = 8;

/// Maximum depth of the tree.
const MAXIMUM_DEPTH: usize = 2;

/// Minimum number of tasks for learning.
const MINIMUM_CASES: usize = 20;

/// The learned openings.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The openings, of which the first that fits is used.
    pub openings: Vec<Opening>,
    /// Their evaluation, compared with the portfolio's present openings.
    pub sheet: Sheet,
}

/// Learns openings of the portfolio for the number of cores.
///
/// # Errors
/// When the folders have too few solved runs of single analyses of the portfolio.
pub fn learn(data: &Data, portfolio: &Portfolio, cores: usize) -> Result<Learned, Error> {
    let names: Vec<String> = portfolio
        .analyses
        .iter()
        .filter(|analysis| analysis.common.after.is_empty())
        .map(|analysis| analysis.name().to_owned())
        .collect();
    let cases = cases(data, &names);
    if cases.len() < MINIMUM_CASES {
        let message = format!(
            "single analyses of the portfolio solve {} tasks with known features; {MINIMUM_CASES} are needed",
            cases.len()
        );
        let help = "a configuration with one analysis: set.only = [\"bmc\"]".to_owned();
        return Err(Error::new(ErrorKind::Experiment, message).with_help(help));
    }
    let rules = Rules::new(portfolio, &names, cores);
    let all: Vec<&Case> = cases.iter().collect();
    let parts = parts(&cases);
    let depths: Vec<(usize, Vec<f64>)> = (0..=MAXIMUM_DEPTH)
        .map(|depth| (depth, held_out(&rules, &parts, depth)))
        .collect();
    let total = |walls: &[f64]| -> f64 { walls.iter().sum() };
    let best = depths
        .iter()
        .min_by(|one, other| {
            let (one, other) = (price_of(&parts, &one.1), price_of(&parts, &other.1));
            total(&one).total_cmp(&total(&other))
        })
        .map_or(0, |&(depth, _)| depth);
    let tree = Tree::learn(&rules, &all, best);
    let present = |case: &Case| -> f64 {
        let opening = portfolio.opening(&case.features);
        let steps = match opening {
            Some(opening) => steps(&opening.turns, &names),
            None => rules.head_start(),
        };
        case.before + finish(&steps, case, &rules)
    };
    let mut rows = vec![row(
        "as it is",
        &all,
        &all.iter().map(|case| present(case)).collect::<Vec<_>>(),
    )];
    let dealt: Vec<&Case> = parts.iter().flatten().copied().collect();
    for (depth, walls) in &depths {
        let what = match depth {
            0 => "one opening, held out".to_owned(),
            1 => "one question, held out".to_owned(),
            _ => format!("{depth} questions, held out"),
        };
        rows.push(row(&what, &dealt, walls));
    }
    let walls = |case: &&Case| case.before + finish(tree.opening(&case.features), case, &rules);
    rows.push(row(
        "learned from all",
        &all,
        &all.iter().map(walls).collect::<Vec<_>>(),
    ));
    let head = [
        "schedule",
        "tasks",
        "price: median",
        "90th percentile",
        "geometric mean",
        "wall: median (s)",
        "sum (s)",
    ];
    Ok(Learned {
        openings: openings(&tree, &names),
        sheet: Sheet {
            title: format!(
                "The race's price on {cores} cores, simulated from runs of single analyses"
            ),
            head: head.map(str::to_owned).to_vec(),
            rows,
        },
    })
}

/// Divides the tasks by categories into folds of about the same size.
fn parts(cases: &[Case]) -> Vec<Vec<&Case>> {
    let mut by_category: std::collections::BTreeMap<&str, Vec<&Case>> = Default::default();
    for case in cases {
        by_category.entry(&case.category).or_default().push(case);
    }
    let mut groups: Vec<Vec<&Case>> = by_category.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut parts: Vec<Vec<&Case>> = vec![Vec::new(); FOLDS.min(groups.len())];
    for group in groups {
        if let Some(smallest) = parts.iter_mut().min_by_key(|part| part.len()) {
            smallest.extend(group);
        }
    }
    parts
}

/// Returns the wall times on each fold under the tree learned from the others, in the order of the folds.
fn held_out(rules: &Rules, parts: &[Vec<&Case>], depth: usize) -> Vec<f64> {
    let of_part = |index: usize| {
        let others = parts
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != index);
        let others: Vec<&Case> = others.flat_map(|(_, part)| part).copied().collect();
        let tree = Tree::learn(rules, &others, depth);
        let wall = |case: &&Case| case.before + finish(tree.opening(&case.features), case, rules);
        parts[index].iter().map(wall).collect::<Vec<f64>>()
    };
    let walls: Vec<Vec<f64>> = (0..parts.len()).into_par_iter().map(of_part).collect();
    walls.into_iter().flatten().collect()
}

/// Returns the logarithms of the prices.
fn price_of(parts: &[Vec<&Case>], walls: &[f64]) -> Vec<f64> {
    let cases = parts.iter().flatten();
    cases
        .zip(walls)
        .map(|(case, wall)| (wall / case.best()).ln())
        .collect()
}

fn row(what: &str, cases: &[&Case], walls: &[f64]) -> Vec<Cell> {
    let mut prices: Vec<f64> = cases
        .iter()
        .zip(walls)
        .map(|(case, wall)| wall / case.best())
        .collect();
    prices.sort_unstable_by(f64::total_cmp);
    let mut sorted = walls.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |values: &[f64], part: f64, decimals: usize| {
        quantile(values, part).map_or(Cell::Nothing, |value| Cell::Decimal(value, decimals))
    };
    let logarithms = prices.iter().map(|price| price.ln()).sum::<f64>();
    vec![
        Cell::Text(what.to_owned()),
        count(prices.len()),
        at(&prices, 0.5, 2),
        at(&prices, 0.9, 2),
        Cell::Decimal((logarithms / prices.len().max(1) as f64).exp(), 3),
        at(&sorted, 0.5, 3),
        Cell::Decimal(walls.iter().sum(), 1),
    ]
}

/// Returns the turns of known analyses, by their numbers.
fn steps(turns: &[Turn], names: &[String]) -> Vec<Step> {
    let step = |turn: &Turn| {
        let analysis = names.iter().position(|name| *name == turn.analysis)?;
        Some(Step {
            analysis,
            time: turn.time.as_secs_f64(),
        })
    };
    turns.iter().filter_map(step).collect()
}

/// Returns the tree's leaves as openings of a portfolio.
fn openings(tree: &Tree, names: &[String]) -> Vec<Opening> {
    let leaves = tree.leaves();
    let opening = |(when, steps): (Vec<Condition>, &[Step])| Opening {
        when,
        turns: steps
            .iter()
            .map(|step| Turn {
                analysis: names[step.analysis].clone(),
                time: std::time::Duration::from_secs_f64(step.time),
            })
            .collect(),
    };
    leaves.into_iter().map(opening).collect()
}

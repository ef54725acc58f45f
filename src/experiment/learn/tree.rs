//! A decision tree over a program's features, with an opening at each leaf.

use rayon::prelude::*;

use super::cases::{Case, varied};
use super::schedule::{Rules, Step};
use super::search::{greedy, search};
use regatta_program::features::Features;
use regatta_run::config::opening::{Bound, Condition};

/// Minimum number of cases at a leaf: 20 tasks with 8 variants each.
const MINIMUM_LEAF_CASES: usize = 20 * 8;

/// Maximum number of bounds of a feature that are tried, in addition to one.
const MAXIMUM_BOUNDS_PER_FEATURE: usize = 6;

/// Number of turns of the openings by which conditions are compared.
const TURNS_TO_COMPARE: usize = 5;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(Vec<Step>),
    /// The condition that the feature is at least the number.
    Question {
        feature: &'static str,
        least: u64,
        yes: Box<Tree>,
        no: Box<Tree>,
    },
}

impl Tree {
    /// Learns a tree of at most the given depth from variants of the tasks.
    pub fn learn(rules: &Rules, cases: &[&Case], depth: usize) -> Self {
        let varied = varied(cases);
        Self::grow(rules, &varied.iter().collect::<Vec<_>>(), depth)
    }

    fn grow(rules: &Rules, cases: &[&Case], depth: usize) -> Self {
        let question = match depth {
            0 => None,
            _ => best_question(rules, cases),
        };
        let Some((feature, least)) = question else {
            return Self::Leaf(search(cases, rules));
        };
        let (yes, no) = split(cases, feature, least);
        Self::Question {
            feature,
            least,
            yes: Box::new(Self::grow(rules, &yes, depth - 1)),
            no: Box::new(Self::grow(rules, &no, depth - 1)),
        }
    }

    /// Returns the opening for a program.
    pub fn opening(&self, features: &Features) -> &[Step] {
        match self {
            Self::Leaf(steps) => steps,
            Self::Question {
                feature,
                least,
                yes,
                no,
            } => match features.get(feature).unwrap_or_default() >= *least {
                true => yes.opening(features),
                false => no.opening(features),
            },
        }
    }

    /// Returns each opening with the conditions that lead to it.
    pub fn leaves(&self) -> Vec<(Vec<Condition>, &[Step])> {
        match self {
            Self::Leaf(steps) => vec![(Vec::new(), steps)],
            Self::Question {
                feature,
                least,
                yes,
                no,
            } => {
                let mut all = Vec::new();
                for (tree, bound) in [
                    (yes, Bound::AtLeast(*least)),
                    (no, Bound::AtMost(least - 1)),
                ] {
                    for (mut when, steps) in tree.leaves() {
                        when.insert(0, Condition { feature, bound });
                        all.push((when, steps));
                    }
                }
                all
            }
        }
    }
}

/// Divides the cases by whether the feature is at least the number.
fn split<'c>(cases: &[&'c Case], feature: &str, least: u64) -> (Vec<&'c Case>, Vec<&'c Case>) {
    let is_yes = |case: &&Case| case.features.get(feature).unwrap_or_default() >= least;
    cases.iter().copied().partition(is_yes)
}

/// Returns the condition after which short openings are best, if it is an improvement.
fn best_question(rules: &Rules, cases: &[&Case]) -> Option<(&'static str, u64)> {
    let questions = Features::NAMES.iter().flat_map(|&feature| {
        let bounds = bounds(cases, feature).into_iter();
        bounds.map(move |least| (feature, least))
    });
    let questions: Vec<(&'static str, u64)> = questions.collect();
    let judged = questions.into_par_iter().filter_map(|(feature, least)| {
        let (yes, no) = split(cases, feature, least);
        if yes.len().min(no.len()) < MINIMUM_LEAF_CASES {
            return None;
        }
        let cost = |cases: &[&Case]| greedy(cases, rules, TURNS_TO_COMPARE).1 * cases.len() as f64;
        Some((cost(&yes) + cost(&no), feature, least))
    });
    let judged: Vec<(f64, &'static str, u64)> = judged.collect();
    let best = judged
        .into_iter()
        .min_by(|one, other| one.0.total_cmp(&other.0))?;
    let without = greedy(cases, rules, TURNS_TO_COMPARE).1 * cases.len() as f64;
    (best.0 < without).then_some((best.1, best.2))
}

/// Returns candidate bounds of a feature, from one: quantiles of its values.
fn bounds(cases: &[&Case], feature: &str) -> Vec<u64> {
    let mut values: Vec<u64> = cases
        .iter()
        .map(|case| case.features.get(feature).unwrap_or_default())
        .collect();
    values.sort_unstable();
    let of_quantile = |part: usize| {
        values
            .get(values.len() * part / (MAXIMUM_BOUNDS_PER_FEATURE + 1))
            .copied()
    };
    let mut bounds: Vec<u64> = (1..=MAXIMUM_BOUNDS_PER_FEATURE)
        .filter_map(of_quantile)
        .chain([1])
        .filter(|&bound| bound > 0)
        .collect();
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

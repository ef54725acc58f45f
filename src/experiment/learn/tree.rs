//! Questions about a program, and an opening for each way to answer them.

use rayon::prelude::*;

use super::cases::{Case, varied};
use super::schedule::{Rules, Step};
use super::search::{greedy, search};
use regatta_program::features::Features;
use regatta_run::config::opening::{Bound, Condition};

/// A leaf is for no fewer tasks, each with its variants.
const LEAST_TASKS: usize = 20 * 8;

/// So many bounds of a feature are tried.
const MOST_BOUNDS: usize = 6;

/// Turns of the openings by which questions are compared.
const TURNS_TO_COMPARE: usize = 5;

/// A question and what follows, or an opening.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(Vec<Step>),
    /// Whether the feature is at least the number.
    Question {
        feature: &'static str,
        least: u64,
        yes: Box<Tree>,
        no: Box<Tree>,
    },
}

impl Tree {
    /// From the tasks and variants of them, with at most so many questions on a way.
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

    /// The opening for a program.
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

    /// Each opening with what leads to it.
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

/// Those of which the feature is at least the number, and the others.
fn split<'c>(cases: &[&'c Case], feature: &str, least: u64) -> (Vec<&'c Case>, Vec<&'c Case>) {
    let is_yes = |case: &&Case| case.features.get(feature).unwrap_or_default() >= least;
    cases.iter().copied().partition(is_yes)
}

/// The question after which short openings are best, if one is better than none.
fn best_question(rules: &Rules, cases: &[&Case]) -> Option<(&'static str, u64)> {
    let questions = Features::NAMES.iter().flat_map(|&feature| {
        let bounds = bounds(cases, feature).into_iter();
        bounds.map(move |least| (feature, least))
    });
    let questions: Vec<(&'static str, u64)> = questions.collect();
    let judged = questions.into_par_iter().filter_map(|(feature, least)| {
        let (yes, no) = split(cases, feature, least);
        if yes.len().min(no.len()) < LEAST_TASKS {
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

/// Numbers from one on that divide the tasks, at most some.
fn bounds(cases: &[&Case], feature: &str) -> Vec<u64> {
    let mut values: Vec<u64> = cases
        .iter()
        .map(|case| case.features.get(feature).unwrap_or_default())
        .collect();
    values.sort_unstable();
    let of_quantile = |part: usize| values.get(values.len() * part / (MOST_BOUNDS + 1)).copied();
    let mut bounds: Vec<u64> = (1..=MOST_BOUNDS)
        .filter_map(of_quantile)
        .chain([1])
        .filter(|&bound| bound > 0)
        .collect();
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

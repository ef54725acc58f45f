//! The search for an opening: greedily turn by turn, then local search.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cases::Case;
use super::schedule::{Rules, Step, finish};

/// The possible lengths of turns, in seconds.
const TURN_LENGTHS: [f64; 8] = [0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5];

/// Maximum number of turns of an opening.
const MAXIMUM_TURNS: usize = 16;

/// Minimum gain for which a turn is added, in the mean logarithm of prices.
const MINIMUM_GAIN: f64 = 0.001;

/// Number of changes that local search tries.
const LOCAL_SEARCH_STEPS: usize = 1500;

/// Returns the mean of the logarithms of the prices.
pub(super) fn cost(opening: &[Step], cases: &[&Case], rules: &Rules) -> f64 {
    let sum: f64 = cases
        .iter()
        .map(|case| ((case.before + finish(opening, case, rules)) / case.best()).ln())
        .sum();
    sum / cases.len().max(1) as f64
}

/// Builds an opening greedily, of at most `most` turns. Returns it with its cost.
pub(super) fn greedy(cases: &[&Case], rules: &Rules, most: usize) -> (Vec<Step>, f64) {
    let mut opening: Vec<Step> = Vec::new();
    let mut least = cost(&opening, cases, rules);
    while opening.len() < most {
        let mut best: Option<(f64, Step)> = None;
        for analysis in 0..rules.analyses() {
            for time in TURN_LENGTHS {
                let step = Step { analysis, time };
                opening.push(step);
                let found = cost(&opening, cases, rules);
                opening.pop();
                if best.is_none_or(|(least, _)| found < least) {
                    best = Some((found, step));
                }
            }
        }
        match best {
            Some((found, step)) if found < least - MINIMUM_GAIN => {
                opening.push(step);
                least = found;
            }
            _ => break,
        }
    }
    (opening, least)
}

/// Returns the best opening found. The result is deterministic.
pub(super) fn search(cases: &[&Case], rules: &Rules) -> Vec<Step> {
    let (mut opening, mut least) = greedy(cases, rules, MAXIMUM_TURNS);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..LOCAL_SEARCH_STEPS {
        let changed = change(&opening, rules, &mut random);
        let found = cost(&changed, cases, rules);
        // Of openings with equal cost, the shorter one is preferred.
        let is_shorter = changed.len() < opening.len();
        if found < least - 1e-9 || is_shorter && found < least + MINIMUM_GAIN / 4.0 {
            (opening, least) = (changed, found);
        }
    }
    opening
}

/// Returns the opening with one random change.
fn change(opening: &[Step], rules: &Rules, random: &mut Xoshiro256PlusPlus) -> Vec<Step> {
    let mut changed = opening.to_vec();
    let step = Step {
        analysis: random.random_range(0..rules.analyses()),
        time: TURN_LENGTHS[random.random_range(0..TURN_LENGTHS.len())],
    };
    if changed.is_empty() {
        return vec![step];
    }
    let place = random.random_range(0..changed.len());
    match random.random_range(0..5) {
        0 if changed.len() < MAXIMUM_TURNS => changed.insert(place, step),
        0 | 1 => {
            changed.remove(place);
        }
        2 => changed[place].time = step.time,
        3 => changed[place].analysis = step.analysis,
        _ => {
            let other = random.random_range(0..changed.len());
            changed.swap(place, other);
        }
    }
    changed
}

//! The search for an opening: turn by turn the one that is best at once, then small changes.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cases::Case;
use super::schedule::{Rules, Step, finish};

/// Lengths of turns, in seconds.
const TIMES: [f64; 8] = [0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5];

/// An opening has no more turns.
const MOST_TURNS: usize = 16;

/// The least gain for which a turn is added: a part of the mean logarithm of prices.
const LEAST_GAIN: f64 = 0.001;

/// So many small changes are tried.
const CHANGES: usize = 1500;

/// The mean of the logarithms of the prices.
pub(super) fn cost(opening: &[Step], cases: &[&Case], rules: &Rules) -> f64 {
    let sum: f64 = cases
        .iter()
        .map(|case| ((case.before + finish(opening, case, rules)) / case.best()).ln())
        .sum();
    sum / cases.len().max(1) as f64
}

/// An opening made turn by turn.
pub(super) fn greedy(cases: &[&Case], rules: &Rules, most: usize) -> (Vec<Step>, f64) {
    let mut opening: Vec<Step> = Vec::new();
    let mut least = cost(&opening, cases, rules);
    while opening.len() < most {
        let mut best: Option<(f64, Step)> = None;
        for analysis in 0..rules.analyses() {
            for time in TIMES {
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
            Some((found, step)) if found < least - LEAST_GAIN => {
                opening.push(step);
                least = found;
            }
            _ => break,
        }
    }
    (opening, least)
}

/// The best opening that is found. The same cases give the same.
pub(super) fn search(cases: &[&Case], rules: &Rules) -> Vec<Step> {
    let (mut opening, mut least) = greedy(cases, rules, MOST_TURNS);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..CHANGES {
        let changed = change(&opening, rules, &mut random);
        let found = cost(&changed, cases, rules);
        // Of equals the shorter.
        let is_shorter = changed.len() < opening.len();
        if found < least - 1e-9 || is_shorter && found < least + LEAST_GAIN / 4.0 {
            (opening, least) = (changed, found);
        }
    }
    opening
}

/// The opening with one thing changed.
fn change(opening: &[Step], rules: &Rules, random: &mut Xoshiro256PlusPlus) -> Vec<Step> {
    let mut changed = opening.to_vec();
    let step = Step {
        analysis: random.random_range(0..rules.analyses()),
        time: TIMES[random.random_range(0..TIMES.len())],
    };
    if changed.is_empty() {
        return vec![step];
    }
    let place = random.random_range(0..changed.len());
    match random.random_range(0..5) {
        0 if changed.len() < MOST_TURNS => changed.insert(place, step),
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

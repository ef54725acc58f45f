//! The choice of measures: linear combinations of features that decrease in all known rounds.

use super::features::Features;
use super::limits::{MAXIMUM_ALTERNATIVES, MAXIMUM_COMPONENTS, MAXIMUM_IN_TRIPLES, MAXIMUM_PAIRED};
use super::linear::Linear;
use super::samples::{Numbers, Sample, Visits};

/// Why a measure that decreases cannot do so for ever.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Descent {
    /// The component that decreases was not negative before. This holds for unbounded numbers as well, so executions may end
    /// by an overflow.
    Bounded,
    /// There are finitely many values. An overflow is an error.
    Finite,
}

/// A number of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A linear combination: the factors and the numbers of the features.
    Sum(Vec<(i8, usize)>),
    /// One of two features, to the second of which a constant is added.
    Extreme {
        extreme: Extreme,
        first: usize,
        second: usize,
        constant: i8,
    },
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Extreme {
    Greatest,
    Least,
}

/// The numbers of a loop or a recursive function, and how they decrease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    pub(super) components: Vec<Component>,
    pub(super) order: Order,
}

/// How the numbers of a measure decrease.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// From each visit of the loop's head to the next one, lexicographically, the most significant number first.
    Lexicographic,
    /// From each visit of the loop's head to each later one, any of them. A relation that is covered by finitely many
    /// well-founded ones together with all its compositions is well-founded \[PR04\].
    AnyOf,
}

impl Measure {
    pub(super) fn lexicographic(components: Vec<Component>) -> Self {
        Self {
            components,
            order: Order::Lexicographic,
        }
    }

    /// Whether the measure decreases between the visits.
    pub(super) fn decreases(&self, sample: &Sample, descent: Descent) -> bool {
        let components = self.components.iter();
        let mut changes = components.map(|component| Change::of(component, sample, descent));
        match self.order {
            Order::Lexicographic if sample.visits == Visits::Apart => true,
            Order::Lexicographic => {
                changes.find(|&change| change != Change::Stays) == Some(Change::Decreases)
            }
            Order::AnyOf => changes.any(|change| change == Change::Decreases),
        }
    }
}

impl Component {
    pub(super) fn of(feature: usize) -> Self {
        Self(Kind::Sum(vec![(1, feature)]))
    }

    pub(super) fn combined(&self, features: &Features) -> Linear {
        match &self.0 {
            Kind::Sum(parts) => parts
                .iter()
                .fold(Linear::default(), |sum, &(factor, feature)| {
                    sum.plus(factor.into(), &features.all[feature])
                }),
            Kind::Extreme {
                extreme,
                first,
                second,
                constant,
            } => {
                let first = features.all[*first].clone();
                let constant = Linear::constant((*constant).into());
                let second = features.all[*second].plus(1, &constant);
                let is_second_greater = second.is_above(&first, 1);
                match extreme {
                    Extreme::Greatest => Linear::choice(is_second_greater, second, first),
                    Extreme::Least => Linear::choice(is_second_greater, first, second),
                }
            }
        }
    }

    fn value(&self, features: &Numbers) -> i128 {
        match &self.0 {
            Kind::Sum(parts) => parts
                .iter()
                .map(|&(factor, feature)| i128::from(factor) * features.get(feature))
                .sum(),
            Kind::Extreme {
                extreme,
                first,
                second,
                constant,
            } => {
                let first = features.get(*first);
                let second = features.get(*second) + i128::from(*constant);
                match extreme {
                    Extreme::Greatest => first.max(second),
                    Extreme::Least => first.min(second),
                }
            }
        }
    }
}

/// How complicated the components of a measure may be. Of measures that all decrease in the samples, the simpler ones do so
/// more often in every round, and are proved more easily.
pub(super) const TIERS: [Tier; 4] = [Tier::Likely, Tier::Single, Tier::Pair, Tier::Combination];

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// Features. Programs count up to a bound or down to zero as a rule, and features are distances to these.
    Likely,
    /// Features and their opposites.
    Single,
    /// Sums and differences of two.
    Pair,
    /// Sums of three, of two with small factors, and the greatest and least of two.
    Combination,
}

/// The candidates for components up to the tier, the likely ones first.
pub(super) fn candidates(features: &Features, tier: Tier) -> Vec<Component> {
    let mut result = Vec::new();
    let mut add = |parts: &[(i8, usize)]| {
        result.push(Component(Kind::Sum(parts.to_vec())));
    };
    for feature in 0..features.all.len() {
        add(&[(1, feature)]);
        if tier > Tier::Likely {
            add(&[(-1, feature)]);
        }
    }
    let paired = &features.summands[..features.summands.len().min(MAXIMUM_PAIRED)];
    let factors: &[[i8; 2]] = match tier {
        Tier::Likely | Tier::Single => &[],
        Tier::Pair => &[[1, 1]],
        Tier::Combination => &[[1, 1], [1, 2], [2, 1]],
    };
    for factors in factors {
        for (number, &first) in paired.iter().enumerate() {
            for &second in &paired[number + 1..] {
                for signs in [[1, -1], [-1, 1], [1, 1], [-1, -1]] {
                    add(&[
                        (factors[0] * signs[0], first),
                        (factors[1] * signs[1], second),
                    ]);
                }
            }
        }
    }
    if tier == Tier::Combination {
        let few = &paired[..paired.len().min(MAXIMUM_IN_TRIPLES)];
        result.extend(triples(few));
        result.extend(extremes(few));
    }
    result
}

/// The sums of three of the features, with small factors.
fn triples(features: &[usize]) -> Vec<Component> {
    const FACTORS: [[i8; 3]; 7] = [
        [1, 1, 1],
        [2, 1, 1],
        [1, 2, 1],
        [1, 1, 2],
        [2, 2, 1],
        [2, 1, 2],
        [1, 2, 2],
    ];
    let mut result = Vec::new();
    for factors in FACTORS {
        for (number, &first) in features.iter().enumerate() {
            for (next, &second) in features.iter().enumerate().skip(number + 1) {
                for &third in &features[next + 1..] {
                    for signs in 0..8 {
                        let factor = |of: usize| (1 - 2 * ((signs >> of) & 1)) * factors[of];
                        let parts = [first, second, third].into_iter().enumerate();
                        let parts = parts.map(|(of, feature)| (factor(of), feature));
                        result.push(Component(Kind::Sum(parts.collect())));
                    }
                }
            }
        }
    }
    result
}

/// The greatest and the least of two of the features.
fn extremes(features: &[usize]) -> Vec<Component> {
    let mut result = Vec::new();
    for constant in [0, -1, 1] {
        for (number, &first) in features.iter().enumerate() {
            for &second in &features[number + 1..] {
                for extreme in [Extreme::Greatest, Extreme::Least] {
                    result.push(Component(Kind::Extreme {
                        extreme,
                        first,
                        second,
                        constant,
                    }));
                }
            }
        }
    }
    result
}

/// How a candidate changes in a round.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Change {
    /// As the component that makes the measure decrease.
    Decreases,
    /// In a way that a component before that one may change.
    Stays,
    Increases,
}

impl Change {
    fn of(candidate: &Component, sample: &Sample, descent: Descent) -> Self {
        let before = candidate.value(&sample.before);
        let is_allowed = descent == Descent::Finite || before >= 0;
        let Some(after) = &sample.after else {
            // What the round would have done without the overflow is not known.
            return match is_allowed {
                true => Self::Decreases,
                false => Self::Stays,
            };
        };
        match candidate.value(after).cmp(&before) {
            std::cmp::Ordering::Less if is_allowed => Self::Decreases,
            std::cmp::Ordering::Greater => Self::Increases,
            _ => Self::Stays,
        }
    }
}

/// Chooses a lexicographic measure of the first tier of which some decreases in all rounds. Each earlier turn without an answer,
/// except for the first, which is short, skips two tiers.
pub(super) fn choose(
    features: &Features,
    rounds: &[&Sample],
    turns: usize,
    descent: Descent,
) -> Option<Measure> {
    if rounds.is_empty() && !features.all.is_empty() {
        // Any is better than one that allows no round.
        return Some(Measure::lexicographic(vec![Component::of(0)]));
    }
    let skipped = 2 * turns.saturating_sub(1);
    let mut tiers = TIERS.into_iter().skip(skipped.min(TIERS.len() - 1));
    tiers.find_map(|tier| lexicographic(&candidates(features, tier), rounds.to_vec(), descent))
}

/// Chooses a lexicographic measure: no component increases in a round in which none before it decreases, and each round
/// decreases some component. Taking any component that decreases in a round and increases in none never excludes a solution
/// (Alias, Darte, Feautrier and Gonnord, SAS 2010).
fn lexicographic(
    candidates: &[Component],
    mut open: Vec<&Sample>,
    descent: Descent,
) -> Option<Measure> {
    let mut components = Vec::new();
    while !open.is_empty() {
        if components.len() == MAXIMUM_COMPONENTS {
            return None;
        }
        let decreased = |candidate: &Component| {
            let mut count = 0;
            for sample in &open {
                match Change::of(candidate, sample, descent) {
                    Change::Decreases => count += 1,
                    Change::Stays => {}
                    Change::Increases => return 0,
                }
            }
            count
        };
        // Among equals, the likeliest comes first.
        let rated = candidates.iter().rev();
        let (count, best) = rated
            .map(|candidate| (decreased(candidate), candidate))
            .max_by_key(|&(count, _)| count)?;
        if count == 0 {
            return None;
        }
        open.retain(|sample| Change::of(best, sample, descent) != Change::Decreases);
        components.push(best.clone());
    }
    Some(Measure::lexicographic(components))
}

/// Chooses a measure of the first tier of which some number decreases between the visits of each sample.
pub(super) fn choose_any_of(
    features: &Features,
    samples: &[&Sample],
    descent: Descent,
) -> Option<Measure> {
    let mut tiers = TIERS.into_iter();
    tiers.find_map(|tier| any_of(&candidates(features, tier), samples.to_vec(), descent))
}

/// Chooses numbers one by one, each the one that decreases in most of the samples that are left.
fn any_of(candidates: &[Component], mut open: Vec<&Sample>, descent: Descent) -> Option<Measure> {
    let mut components = Vec::new();
    while !open.is_empty() {
        if components.len() == MAXIMUM_ALTERNATIVES {
            return None;
        }
        let decreases = |candidate: &Component, sample: &Sample| {
            Change::of(candidate, sample, descent) == Change::Decreases
        };
        let rated = candidates.iter().rev().map(|candidate| {
            let decreased = open.iter().filter(|sample| decreases(candidate, sample));
            (decreased.count(), candidate)
        });
        let (count, best) = rated.max_by_key(|&(count, _)| count)?;
        if count == 0 {
            return None;
        }
        open.retain(|sample| !decreases(best, sample));
        components.push(best.clone());
    }
    Some(Measure {
        components,
        order: Order::AnyOf,
    })
}

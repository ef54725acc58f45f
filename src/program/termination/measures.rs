//! The choice of measures: lists of linear combinations of features that decrease in all known rounds.

use super::features::Features;
use super::limits::{MAXIMUM_COMPONENTS, MAXIMUM_IN_TRIPLES, MAXIMUM_PAIRED};
use super::linear::Linear;
use super::samples::{Numbers, Sample};

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

/// A linear combination of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The factors and the numbers of the features.
    parts: Vec<(i8, usize)>,
}

/// The components of a measure, the most significant one first.
pub type Measure = Vec<Component>;

impl Component {
    pub(super) fn of(feature: usize) -> Self {
        Self {
            parts: vec![(1, feature)],
        }
    }

    pub(super) fn combined(&self, features: &Features) -> Linear {
        let parts = self.parts.iter();
        parts.fold(Linear::default(), |sum, &(factor, feature)| {
            sum.plus(factor.into(), &features.all[feature])
        })
    }

    fn value(&self, features: &Numbers) -> i128 {
        let parts = self.parts.iter();
        parts
            .map(|&(factor, feature)| i128::from(factor) * features.get(feature))
            .sum()
    }
}

/// How complicated the components of a measure may be. Of measures that all decrease in the samples, the simpler ones do so
/// more often in every round, and are proved more easily.
pub(super) const TIERS: [Tier; 3] = [Tier::Single, Tier::Pair, Tier::Combination];

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// Features.
    Single,
    /// Sums and differences of two.
    Pair,
    /// Sums of three, and of two with small factors.
    Combination,
}

/// The candidates for components up to the tier, the likely ones first.
pub(super) fn candidates(features: &Features, tier: Tier) -> Vec<Component> {
    let mut result = Vec::new();
    let mut add = |parts: &[(i8, usize)]| {
        result.push(Component {
            parts: parts.to_vec(),
        });
    };
    for feature in 0..features.all.len() {
        add(&[(1, feature)]);
        add(&[(-1, feature)]);
    }
    let paired = &features.summands[..features.summands.len().min(MAXIMUM_PAIRED)];
    let factors: &[[i8; 2]] = match tier {
        Tier::Single => &[],
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
    let in_triples = match tier {
        Tier::Combination => &paired[..paired.len().min(MAXIMUM_IN_TRIPLES)],
        Tier::Single | Tier::Pair => &[],
    };
    for (number, &first) in in_triples.iter().enumerate() {
        for (next, &second) in in_triples.iter().enumerate().skip(number + 1) {
            for &third in &in_triples[next + 1..] {
                for signs in 0..8 {
                    let sign = |bit: u8| 1 - 2 * ((signs >> bit) & 1);
                    add(&[(sign(0), first), (sign(1), second), (sign(2), third)]);
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

/// Whether the measure decreases in the round.
pub(super) fn decreases(measure: &[Component], sample: &Sample, descent: Descent) -> bool {
    let mut changes = measure
        .iter()
        .map(|component| Change::of(component, sample, descent));
    changes.find(|&change| change != Change::Stays) == Some(Change::Decreases)
}

/// Chooses a measure of the tier, or of the first one after it of which some decreases in all samples.
pub(super) fn choose(
    features: &Features,
    samples: &[&Sample],
    first: usize,
    descent: Descent,
) -> Option<Measure> {
    if samples.is_empty() && !features.all.is_empty() {
        // Any is better than one that allows no round.
        return Some(vec![Component::of(0)]);
    }
    let mut tiers = TIERS.into_iter().skip(first.min(TIERS.len() - 1));
    tiers.find_map(|tier| lexicographic(&candidates(features, tier), samples.to_vec(), descent))
}

/// Chooses a lexicographic measure: no component increases in a round in which none before it decreases, and each round
/// decreases some component. Taking any component that decreases in a round and increases in none never excludes a solution
/// (Alias, Darte, Feautrier and Gonnord, SAS 2010).
fn lexicographic(
    candidates: &[Component],
    mut open: Vec<&Sample>,
    descent: Descent,
) -> Option<Measure> {
    let mut measure = Vec::new();
    while !open.is_empty() {
        if measure.len() == MAXIMUM_COMPONENTS {
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
        measure.push(best.clone());
    }
    Some(measure)
}

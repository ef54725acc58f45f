//! Statistics of paired measurements, and tests of significance.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The p-value below which a difference is significant.
pub const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// Returns the quantile (from 0 to 1) of the sorted values, interpolated between two values. `None` without values.
pub fn quantile(sorted: &[f64], quantile: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = quantile.clamp(0.0, 1.0) * last as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(last);
    Some(sorted[below] + (sorted[above] - sorted[below]) * part)
}

/// Returns the median; `None` without values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// Returns the arithmetic mean; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the sample standard deviation (with divisor n - 1); `None` for less than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    Some((squares.sum::<f64>() / (values.len() - 1) as f64).sqrt())
}

/// An estimate of a mean with its confidence interval.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the sample.
    pub value: f64,
    /// The bounds of the 95 % interval.
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// Checks whether zero is within the interval, so that the difference may be noise.
    pub fn may_be_zero(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// Number of bootstrap samples.
const RESAMPLES: usize = 4_000;

/// Returns the mean of differences with its interval, by the paired bootstrap (Efron and Tibshirani, An Introduction to the
/// Bootstrap, chapter 13: percentile intervals): tasks are drawn with replacement, with their differences. The result is
/// deterministic.
pub fn bootstrap(differences: &[f64]) -> Estimate {
    let number = differences.len();
    if number == 0 {
        return Estimate {
            value: 0.0,
            low: 0.0,
            high: 0.0,
        };
    }
    let mean = |sum: f64| sum / number as f64;
    // Most tasks are solved by both or by none, so that their difference is zero: only their number matters.
    let differing: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|one| *one != 0.0)
        .collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number as u64);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            // A draw beyond the list is a difference of zero.
            let drawn = (0..number).map(|_| random.random_range(0..number));
            mean(drawn.filter_map(|index| differing.get(index)).sum())
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    Estimate {
        value: mean(differences.iter().sum()),
        low: quantile(&means, 0.025).unwrap_or_default(),
        high: quantile(&means, 0.975).unwrap_or_default(),
    }
}

/// The ranks of the absolute differences. Zeros are left out, and ties share their ranks.
struct SignedRanks {
    /// The number of differences that are not zero.
    number: usize,
    /// The sum of the ranks of positive differences, and that of all.
    positive: f64,
    total: f64,
    /// The sum of t³ - t over the groups of t equal differences.
    ties: f64,
}

fn signed_ranks(differences: &[f64]) -> SignedRanks {
    let mut ranked: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|one| *one != 0.0)
        .collect();
    ranked.sort_unstable_by(|one, other| one.abs().total_cmp(&other.abs()));
    let number = ranked.len();
    let mut positive = 0.0;
    let mut ties = 0.0;
    let mut begin = 0;
    while begin < number {
        let same = ranked[begin..].iter();
        let same = same
            .take_while(|one| one.abs() == ranked[begin].abs())
            .count();
        // Ranks count from one.
        let rank = begin as f64 + (same as f64 + 1.0) / 2.0;
        let above = ranked[begin..begin + same].iter().filter(|one| **one > 0.0);
        positive += rank * above.count() as f64;
        ties += (same as f64).powi(3) - same as f64;
        begin += same;
    }
    SignedRanks {
        number,
        positive,
        total: (number * (number + 1)) as f64 / 2.0,
        ties,
    }
}

/// Returns the two-sided p-value of Wilcoxon's signed-rank test. Zeros are left out and ties share their ranks. Up to
/// [`MAXIMUM_EXACT_SIZE`] differences without ties the distribution is exact, otherwise it is the normal approximation,
/// corrected for ties and continuity. The p-value is one without differences.
pub fn wilcoxon(differences: &[f64]) -> f64 {
    let SignedRanks {
        number,
        positive,
        total,
        ties,
    } = signed_ranks(differences);
    if number == 0 {
        return 1.0;
    }
    let smaller = positive.min(total - positive);
    if number <= MAXIMUM_EXACT_SIZE && ties == 0.0 {
        return (2.0 * exact_tail(number, smaller as usize)).min(1.0);
    }
    let count = number as f64;
    let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
    let deviation = ((total / 2.0 - smaller) - 0.5).max(0.0) / variance.sqrt();
    libm::erfc(deviation / std::f64::consts::SQRT_2).min(1.0)
}

/// Returns the matched-pairs rank-biserial correlation \[Ker14\], the effect size that goes with Wilcoxon's test: the part of
/// the ranks that is positive less the part that is negative. One means that no difference is negative, minus one that none is
/// positive; zero without differences.
pub fn rank_biserial(differences: &[f64]) -> f64 {
    let ranks = signed_ranks(differences);
    match ranks.number {
        0 => 0.0,
        _ => (2.0 * ranks.positive - ranks.total) / ranks.total,
    }
}

/// Returns the p-values corrected for the number of tests by Holm's step-down method \[Hol79\], in the same order: if those
/// below a level are called significant, the probability of any false one among them is at most that level.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let number = p_values.len();
    let mut order: Vec<usize> = (0..number).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut corrected = vec![0.0; number];
    let mut greatest: f64 = 0.0;
    for (place, index) in order.into_iter().enumerate() {
        let tests = (number - place) as f64;
        greatest = greatest.max((tests * p_values[index]).min(1.0));
        corrected[index] = greatest;
    }
    corrected
}

/// Maximum number of differences for which the exact distribution is computed.
const MAXIMUM_EXACT_SIZE: usize = 50;

/// Returns the probability that the ranks from one to `number` with random signs have a sum of positive ranks of at most `sum`.
fn exact_tail(number: usize, sum: usize) -> f64 {
    let mut ways = vec![0.0; number * (number + 1) / 2 + 1];
    ways[0] = 1.0;
    for rank in 1..=number {
        for total in (rank..ways.len()).rev() {
            ways[total] += ways[total - rank];
        }
    }
    let below: f64 = ways[..=sum].iter().sum();
    below / 2f64.powi(i32::try_from(number).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-3, "{value} is not {expected}");
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0], 1.0), Some(2.0));
    }

    /// Values of R's `wilcox.test` (paired, two-sided).
    #[test]
    fn wilcoxon_agrees_with_other_implementations() {
        near(wilcoxon(&[1.0, 2.0, 3.0, 4.0, 5.0]), 0.0625);
        near(wilcoxon(&[1.0, -2.0, 3.0, -4.0, 5.0]), 0.8125);
        near(wilcoxon(&[0.0, 0.0]), 1.0);
        // [HW73], depression scale: p = 0.03906.
        let depression = [
            0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010,
        ];
        near(wilcoxon(&depression), 0.0390625);
        // With ties: n = 10, W = 6, by the normal approximation with both corrections.
        let ties = [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, -1.0, 2.0, -1.0, 4.0];
        near(wilcoxon(&ties), 0.02966);
    }

    #[test]
    fn effects_are_parts_of_the_ranks() {
        near(rank_biserial(&[]), 0.0);
        near(rank_biserial(&[0.0, 0.0]), 0.0);
        near(rank_biserial(&[1.0, 2.0, 0.0]), 1.0);
        near(rank_biserial(&[-1.0, -2.0]), -1.0);
        // Ranks 1, 3, 5 are positive, 2 and 4 are negative.
        near(rank_biserial(&[1.0, -2.0, 3.0, -4.0, 5.0]), 3.0 / 15.0);
    }

    /// Values of R's `p.adjust(…, "holm")`.
    #[test]
    fn holm_agrees_with_other_implementations() {
        assert_eq!(holm(&[]), [] as [f64; 0]);
        for (given, expected) in holm(&[0.01, 0.04, 0.03, 0.005])
            .into_iter()
            .zip([0.03, 0.06, 0.06, 0.02])
        {
            near(given, expected);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn noise_is_not_significant() {
        let noise: Vec<f64> = (0..200).map(|index| f64::from(index % 7) - 3.0).collect();
        assert!(bootstrap(&noise).may_be_zero());
        let shifted: Vec<f64> = noise.iter().map(|one| one + 2.0).collect();
        let estimate = bootstrap(&shifted);
        assert!(!estimate.may_be_zero() && estimate.low > 1.0 && estimate.high < 3.0);
        assert_eq!(bootstrap(&shifted), estimate);
        // A few tasks of many: the zeros count.
        let mut few = vec![0.0; 100];
        few[0] = 1.0;
        let estimate = bootstrap(&few);
        assert!(
            estimate.may_be_zero() && estimate.high < 0.05,
            "{estimate:?}"
        );
    }
}

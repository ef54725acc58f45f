//! Remainders by variables: one variable divides another, or the remainder is a third.

use super::{Column, Vocabulary, cases};
use crate::analysis::invariants::samples::PlaceSamples;
use crate::term::{Build, Sort, TermId, store};

/// Maximum number of variables of a location that are combined.
const MAXIMUM_VARIABLES: usize = 10;

/// Minimum number of samples from which remainders are guessed.
const MINIMUM_SAMPLES: usize = 3;

/// Returns the candidates of all samples, and of cases.
pub(super) fn candidates(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = remainders(columns);
    let facts = |part: &PlaceSamples| remainders(&Column::all(part).collect::<Vec<_>>());
    all.extend(cases::of(columns, vocabulary, &facts));
    all
}

/// Returns x mod y = 0, x mod y ≠ 0 and x mod y = z, where y is positive and x is not negative.
fn remainders(columns: &[Column]) -> Vec<TermId> {
    let columns = &columns[..columns.len().min(MAXIMUM_VARIABLES)];
    let mut all = Vec::new();
    for y in columns {
        let Sort::BitVec(width) = y.variable.sort else {
            continue;
        };
        let divisors = y.read();
        if divisors.len() < MINIMUM_SAMPLES
            || divisors.iter().any(|&divisor| divisor <= 0)
            || divisors.iter().all(|&divisor| divisor == 1)
        {
            continue;
        }
        for x in columns.iter().filter(|x| x.comparable(y)) {
            let dividends = x.read();
            if x.variable.term == y.variable.term
                || dividends.iter().any(|&dividend| dividend < 0)
                || dividends == divisors
            {
                continue;
            }
            let rows = dividends.iter().zip(&divisors);
            let remainders: Vec<i128> = rows.map(|(x, y)| x % y).collect();
            let remainder = store().urem(x.variable.term, y.variable.term);
            let zero = store().bv(width, 0);
            let is_constant = dividends.iter().all(|&dividend| dividend == dividends[0]);
            if remainders.iter().all(|&one| one == 0) {
                if !is_constant || dividends[0] != 0 {
                    all.push(store().eq(remainder, zero));
                }
                continue;
            }
            // x is less than y in all samples: x = z says more.
            if remainders == dividends {
                continue;
            }
            if remainders.iter().all(|&one| one != 0) {
                all.push(store().ne(remainder, zero));
            }
            let same = columns.iter().filter(|z| z.comparable(y));
            let same = same.filter(|z| z.read() == remainders);
            all.extend(same.map(|z| store().eq(remainder, z.variable.term)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::invariants::guess::testing::{is_distinguished, sampled};

    #[test]
    fn one_divides_the_other() {
        let rows = vec![vec![12, 4], vec![9, 3], vec![35, 7], vec![22, 11]];
        let place = sampled(&["x", "y"], rows);
        let columns: Vec<Column> = Column::all(&place).collect();
        let all = candidates(&columns, &Vocabulary::default());
        assert!(is_distinguished(&all, &place, [100, 10], [101, 10]));
    }

    #[test]
    fn remainders_that_differ_give_no_candidates() {
        let rows = vec![vec![12, 5], vec![9, 3], vec![35, 7], vec![22, 9]];
        let place = sampled(&["x", "y"], rows);
        let columns: Vec<Column> = Column::all(&place).collect();
        assert_eq!(candidates(&columns, &Vocabulary::default()), []);
    }
}

//! Remainders by variables: one variable divides another, or leaves a third.

use super::{Column, Vocabulary, cases};
use crate::analysis::invariants::samples::PlaceSamples;
use crate::term::{Build, Sort, TermId, store};

/// The most variables of a place that are combined.
const MOST_VARIABLES: usize = 10;

/// The fewest samples in which a remainder is looked at.
const FEWEST: usize = 3;

/// Those of all samples, and of cases.
pub(super) fn candidates(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = remainders(columns);
    let facts = |part: &PlaceSamples| remainders(&Column::all(part).collect::<Vec<_>>());
    all.extend(cases::of(columns, vocabulary, &facts));
    all
}

/// x mod y = 0, x mod y ≠ 0 and x mod y = z, where y is positive and x is not negative.
fn remainders(columns: &[Column]) -> Vec<TermId> {
    let columns = &columns[..columns.len().min(MOST_VARIABLES)];
    let mut all = Vec::new();
    for y in columns {
        let Sort::BitVec(width) = y.variable.sort else {
            continue;
        };
        let divisors = y.read();
        if divisors.len() < FEWEST
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
            // Less than y in all samples: that x is z says more.
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
    use crate::analysis::invariants::guess::testing::{is_said, sampled};

    #[test]
    fn one_divides_the_other() {
        let rows = vec![vec![12, 4], vec![9, 3], vec![35, 7], vec![22, 11]];
        let place = sampled(&["x", "y"], rows);
        let columns: Vec<Column> = Column::all(&place).collect();
        let all = candidates(&columns, &Vocabulary::default());
        assert!(is_said(&all, &place, [100, 10], [101, 10]));
    }

    #[test]
    fn nothing_is_said_of_remainders_that_differ() {
        let rows = vec![vec![12, 5], vec![9, 3], vec![35, 7], vec![22, 9]];
        let place = sampled(&["x", "y"], rows);
        let columns: Vec<Column> = Column::all(&place).collect();
        assert_eq!(candidates(&columns, &Vocabulary::default()), []);
    }
}

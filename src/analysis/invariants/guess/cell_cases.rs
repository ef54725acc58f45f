//! Polynomials that fit cells of arrays where a condition of the program holds, and where it does not.
//!
//! After `if (n % 2 == 0) a[i] = 2; else a[i] = 1;` no polynomial fits the cells, but one does for each outcome of the
//! condition; after `if (i % 2 == 0) …`, cells with an even number have one fit, and the others another.

use rustc_hash::FxHashSet;

use super::fits::{equations, limited, of_range};
use super::ranges::{ranges, strides};
use super::{Vocabulary, constant};
use crate::analysis::invariants::samples::PlaceSamples;
use crate::analysis::invariants::views::View;
use crate::certify::certificate::any_index;
use crate::term::{Build, Pool, Rebuild, Sort, TermId, occurs, store};

/// Maximum number of conditions for the cells of a view.
const MAXIMUM_CONDITIONS: usize = 6;

/// Maximum number of ranges of a view.
const MAXIMUM_RANGES: usize = 8;

pub(super) fn candidates(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    for (number, view) in place.views.iter().enumerate() {
        let conditions = conditions(place, view, vocabulary);
        if conditions.is_empty() {
            continue;
        }
        for range in ranges(place, view, vocabulary)
            .into_iter()
            .take(MAXIMUM_RANGES)
        {
            if !of_range(place, number, range, TermId::TRUE, equations).is_empty() {
                continue;
            }
            for &condition in &conditions {
                for case in [condition, store().not(condition)] {
                    all.extend(of_range(place, number, range, case, equations));
                }
            }
        }
    }
    limited(all)
}

/// Returns the program's conditions over variables that are no counters, and those over counters with any number
/// instead of the counter; and the remainders of numbers by a factor with which the array is indexed, too.
fn conditions(place: &PlaceSamples, view: &View, vocabulary: &Vocabulary) -> Vec<TermId> {
    let variables = place.variables.iter().map(|variable| variable.term);
    let any = any_index(view.sort);
    let mut all = Vec::new();
    for condition in vocabulary.conditions_over(variables) {
        let mut by = view.by.iter();
        let counter =
            by.find(|&&by| store().sort(by) == view.sort && occurs(store(), by, [condition]));
        all.push(match counter {
            None => condition,
            Some(&counter) => {
                let replace = |term| (term == counter).then_some(any);
                Rebuild::new(store(), store(), replace).rebuild(condition)
            }
        });
    }
    for (_, stride) in strides(place, view) {
        let rest = |rest| {
            let number = store().urem(any, constant(view.sort, stride));
            store().eq(number, constant(view.sort, rest))
        };
        if matches!(view.sort, Sort::BitVec(_)) {
            all.extend((0..stride).map(rest));
        }
    }
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    all.retain(|&one| !store().is_constant(one) && seen.insert(one));
    all.truncate(MAXIMUM_CONDITIONS);
    all
}

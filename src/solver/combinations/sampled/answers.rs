//! What is known of sets of conjuncts from earlier questions.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use regatta_term::TermId;

/// Sets of conjuncts that were asked about.
#[derive(Default)]
pub struct Answers {
    /// Sorted sets that have a model.
    possible: FxHashSet<Box<[TermId]>>,
    /// Sorted sets that were left open, with the longest time limit.
    open: FxHashMap<Box<[TermId]>, Duration>,
    /// Sets without a model.
    cores: Vec<Box<[TermId]>>,
    /// The numbers of the cores that have the conjunct.
    with: FxHashMap<TermId, Vec<usize>>,
}

impl Answers {
    /// Returns a core among the sorted conjuncts that has one of `newest`.
    pub fn core(&self, conjuncts: &[TermId], newest: &[TermId]) -> Option<&[TermId]> {
        let numbers = newest.iter().filter_map(|one| self.with.get(one)).flatten();
        let mut cores = numbers.map(|&number| &*self.cores[number]);
        cores.find(|core| core.iter().all(|one| conjuncts.binary_search(one).is_ok()))
    }

    /// Checks whether the sorted conjuncts are known to have a model.
    pub fn is_possible(&self, conjuncts: &[TermId]) -> bool {
        self.possible.contains(conjuncts)
    }

    /// Checks whether the sorted conjuncts were left open with about this limit.
    pub fn is_left_open(&self, conjuncts: &[TermId], limit: Duration) -> bool {
        self.open
            .get(conjuncts)
            .is_some_and(|&most| limit < 2 * most)
    }

    pub fn add_possible(&mut self, conjuncts: &[TermId]) {
        self.possible.insert(conjuncts.into());
    }

    pub fn add_open(&mut self, conjuncts: &[TermId], limit: Duration) {
        self.open.insert(conjuncts.into(), limit);
    }

    pub fn add_core(&mut self, core: &[TermId]) {
        for &one in core {
            self.with.entry(one).or_default().push(self.cores.len());
        }
        self.cores.push(core.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Arena, Build, Sort, Symbol};

    #[test]
    fn answers_hold_for_larger_sets_and_longer_limits() {
        let arena = Arena::new();
        let symbol = Symbol::new("answers p", Sort::Bool);
        let [a, b, c] = [1, 2, 3].map(|number| arena.variable_at(symbol, number));
        let sorted = |mut all: Vec<TermId>| {
            all.sort_unstable();
            all
        };
        let all = sorted(vec![a, b, c]);
        let mut answers = Answers::default();
        answers.add_core(&[a, c]);
        assert_eq!(answers.core(&all, &[c]), Some(&[a, c][..]));
        assert_eq!(answers.core(&all, &[b]), None);
        assert_eq!(answers.core(&sorted(vec![b, c]), &[c]), None);
        answers.add_possible(&sorted(vec![a, b]));
        assert!(answers.is_possible(&sorted(vec![a, b])));
        assert!(!answers.is_possible(&all));
        let second = Duration::from_secs(1);
        answers.add_open(&all, second);
        assert!(answers.is_left_open(&all, second));
        assert!(!answers.is_left_open(&all, 2 * second));
    }
}

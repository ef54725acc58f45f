//! Sets of tuples of feature values, and formulas for them.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::features::{Feature, Kind, distinct};
use super::samples::number;
use crate::term::{Arena, Build, Pool, TermId};

/// A tuple of values, each by its number among the values of its feature.
pub type Tuple = Box<[u16]>;

/// The tuples of feature values at a cut point.
#[derive(Clone, Debug, Default)]
pub struct Tuples {
    /// The features whose values the tuples have.
    pub features: Vec<Feature>,
    /// The tuples.
    pub all: BTreeSet<Tuple>,
    /// The values of each feature, in the order in which they were found.
    values: Vec<Vec<i128>>,
}

/// Maximum number of values of a feature; with more, it is dropped.
const MAXIMUM_VALUES_PER_FEATURE: usize = 24;

/// Maximum number of tuples of a location; beyond it, features are dropped.
const MAXIMUM_TUPLES_PER_LOCATION: usize = 10_000;

impl Tuples {
    /// Creates the tuples of samples: the same position in the features' values is the same state.
    pub fn new(mut features: Vec<(Feature, Vec<i128>)>) -> Self {
        features.sort_by_key(|(_, values)| distinct(values));
        let rows = features.first().map_or(0, |(_, values)| values.len());
        let mut tuples = Self {
            values: vec![Vec::new(); features.len()],
            all: BTreeSet::new(),
            features: features.iter().map(|(feature, _)| *feature).collect(),
        };
        for row in 0..rows {
            let tuple: Vec<i128> = features.iter().map(|(_, values)| values[row]).collect();
            tuples.add(&tuple);
        }
        tuples
    }

    /// Adds a tuple; returns it if it is new.
    pub fn add(&mut self, tuple: &[i128]) -> Option<Tuple> {
        let numbers = self.values.iter_mut().zip(tuple).map(|(values, value)| {
            number_of(values, *value).unwrap_or_else(|| {
                values.push(*value);
                (values.len() - 1) as u16
            })
        });
        let tuple: Tuple = numbers.collect();
        self.all.insert(tuple.clone()).then_some(tuple)
    }

    /// Checks whether the tuple of these values is in the set.
    pub fn contains(&self, tuple: &[i128]) -> bool {
        let numbers = self.values.iter().zip(tuple);
        let numbers = numbers.map(|(values, &value)| number_of(values, value));
        let tuple: Option<SmallVec<[u16; 64]>> = numbers.collect();
        tuple.is_some_and(|tuple| self.all.contains(&tuple[..]))
    }

    /// Returns the values of a tuple.
    pub fn values(&self, tuple: &[u16]) -> Vec<i128> {
        let numbers = self.values.iter().zip(tuple);
        numbers
            .map(|(values, &number)| values[usize::from(number)])
            .collect()
    }

    /// Returns the terms of the features.
    pub fn terms(&self) -> Vec<TermId> {
        self.features.iter().map(|one| one.term).collect()
    }

    /// Returns the formula that the features, which are the terms, have the tuple's values.
    pub fn is(&self, pool: &impl Build, terms: &[TermId], tuple: &[i128]) -> TermId {
        let parts = self.features.iter().zip(terms).zip(tuple);
        let parts = parts.map(|((feature, &term), &value)| feature.is(pool, term, value));
        pool.and(parts.collect::<Vec<_>>())
    }

    /// Returns the formula that the features, which are the terms, have the values of one of the tuples.
    pub fn is_one(&self, arena: &Arena, terms: &[TermId]) -> TermId {
        let value = |&term: &TermId| number(&arena.constant(term)?.to_value());
        let known: Vec<Option<i128>> = terms.iter().map(value).collect();
        if let Some(tuple) = known.iter().copied().collect::<Option<Vec<i128>>>() {
            return arena.boolean(self.contains(&tuple));
        }
        let open: Vec<usize> = (0..known.len())
            .filter(|&index| known[index].is_none())
            .collect();
        // Known values by their numbers; if no tuple has one of them, the formula is false.
        let numbers = known.iter().zip(&self.values).map(|(value, values)| {
            let number = value.map(|value| number_of(values, value));
            // The outer option is none if no tuple has the value.
            number.map_or(Some(None), |number| number.map(Some))
        });
        let Some(numbers) = numbers.collect::<Option<Vec<Option<u16>>>>() else {
            return TermId::FALSE;
        };
        let fits = |tuple: &&Tuple| {
            let mut parts = tuple.iter().zip(&numbers);
            parts.all(|(one, number)| number.is_none_or(|number| number == *one))
        };
        let part = |tuple: &Tuple| open.iter().map(|&index| tuple[index]).collect();
        // The set is ordered, so that tuples with the known prefix are adjacent.
        let begin: Tuple = numbers.iter().map_while(|&number| number).collect();
        let from_there = self.all.range(begin.clone()..);
        let near = from_there.take_while(|tuple| tuple.starts_with(&begin));
        let tuples: BTreeSet<Tuple> = near.filter(fits).map(part).collect();
        self.formula(arena, terms, &open, &tuples)
    }

    /// Returns the formula that the state has one of the tuples, in the smaller of two orders of the features.
    pub fn invariant(&self, pool: &impl Build) -> TermId {
        let by_number: Vec<usize> = (0..self.features.len()).collect();
        let orders = [by_number, self.by_mutual_information()];
        let arranged = orders.into_iter().map(|order| {
            let tuple = |tuple: &Tuple| order.iter().map(|&index| tuple[index]).collect();
            let tuples: BTreeSet<Tuple> = self.all.iter().map(tuple).collect();
            (order, tuples)
        });
        let best = arranged.min_by_key(|(_, tuples)| nodes(tuples));
        best.map_or(TermId::TRUE, |(order, tuples)| {
            self.formula(pool, &self.terms(), &order, &tuples)
        })
    }

    /// Returns a decision diagram over the features of these numbers, in their order.
    fn formula(
        &self,
        pool: &impl Build,
        terms: &[TermId],
        order: &[usize],
        tuples: &BTreeSet<Tuple>,
    ) -> TermId {
        let tuples: Vec<&[u16]> = tuples.iter().map(|tuple| &tuple[..]).collect();
        let is = |level: usize, value: u16| {
            let number = order[level];
            let value = self.values[number][usize::from(value)];
            self.features[number].is(pool, terms[number], value)
        };
        let node = &mut |level: usize, parts: Parts<TermId>| {
            let parts = parts.into_iter().map(|(rest, values)| {
                let values = values.into_iter().map(|value| is(level, value));
                pool.and2(pool.or(values.collect::<Vec<_>>()), rest)
            });
            pool.or(parts.collect::<Vec<_>>())
        };
        diagram(&tuples, 0, order.len(), TermId::TRUE, node)
    }

    /// Orders the features such that neighbours have high mutual information.
    fn by_mutual_information(&self) -> Vec<usize> {
        let columns: Vec<Vec<usize>> = (0..self.features.len())
            .map(|index| numbered(self.all.iter().map(|tuple| tuple[index])))
            .collect();
        let mut left: Vec<usize> = (0..columns.len()).collect();
        let mut order: Vec<usize> = Vec::new();
        // The mutual information of each feature with the last one in the order, and with the one before.
        let mut gains = vec![[0.0; 2]; columns.len()];
        while !left.is_empty() {
            let gain = |&index: &usize| gains[index].iter().sum::<f64>();
            let best = left
                .iter()
                .copied()
                .max_by(|one, other| gain(one).total_cmp(&gain(other)));
            let best = best.unwrap_or_default();
            left.retain(|&other| other != best);
            for &next in &left {
                gains[next] = [information(&columns[best], &columns[next]), gains[next][0]];
            }
            order.push(best);
        }
        order
    }

    /// Drops features with too many values, and those that cause too many tuples; `true` if there was one.
    pub fn drop_large_features(&mut self) -> bool {
        let mut is_changed = false;
        let has_many = |(feature, values): (&Feature, &Vec<i128>)| {
            !matches!(feature.kind, Kind::Choice { .. })
                && values.len() > MAXIMUM_VALUES_PER_FEATURE
        };
        while let Some(index) = self.features.iter().zip(&self.values).position(has_many) {
            self.drop(index);
            is_changed = true;
        }
        while self.all.len() > MAXIMUM_TUPLES_PER_LOCATION {
            let left = |index: &usize| {
                let others = self
                    .all
                    .iter()
                    .map(|tuple| (&tuple[..*index], &tuple[index + 1..]));
                others.collect::<FxHashSet<_>>().len()
            };
            let worst = (0..self.features.len()).min_by_key(left);
            self.drop(worst.unwrap_or_default());
            is_changed = true;
        }
        is_changed
    }

    fn drop(&mut self, index: usize) {
        self.features.remove(index);
        self.values.remove(index);
        let all = std::mem::take(&mut self.all).into_iter();
        let without = all.map(|tuple| [&tuple[..index], &tuple[index + 1..]].concat().into());
        self.all = without.collect();
    }
}

/// Returns the number of a value among those of a feature.
fn number_of(values: &[i128], value: i128) -> Option<u16> {
    let place = values.iter().position(|&one| one == value);
    place.map(|place| place as u16)
}

/// Numbers the values from 0 on, equal ones alike.
fn numbered<T: Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known: FxHashMap<T, usize> = FxHashMap::default();
    let numbers = values.map(|value| {
        let next = known.len();
        *known.entry(value).or_insert(next)
    });
    numbers.collect()
}

/// Returns the entropy of a column of numbers from 0 on, in nats.
fn entropy(column: &[usize]) -> f64 {
    let mut counts = vec![0_u32; column.iter().max().map_or(0, |most| most + 1)];
    column.iter().for_each(|&number| counts[number] += 1);
    let shares = counts.into_iter().filter(|&count| count != 0);
    let shares = shares.map(|count| f64::from(count) / column.len() as f64);
    shares.map(|share| -share * share.ln()).sum()
}

/// Returns the mutual information of two columns, in nats.
fn information(one: &[usize], other: &[usize]) -> f64 {
    let both = numbered(one.iter().zip(other));
    entropy(one) + entropy(other) - entropy(&both)
}

/// The children of a node, each with the values that lead to it.
type Parts<T> = Vec<(T, Vec<u16>)>;

/// Returns the number of nodes of the tuples' decision diagram.
fn nodes(tuples: &BTreeSet<Tuple>) -> usize {
    let depth = tuples.first().map_or(0, |tuple| tuple.len());
    let tuples: Vec<&[u16]> = tuples.iter().map(|tuple| &tuple[..]).collect();
    let mut known: FxHashMap<(usize, Parts<usize>), usize> = FxHashMap::default();
    let node = &mut |level: usize, parts: Parts<usize>| {
        let next = known.len() + 1;
        *known.entry((level, parts)).or_insert(next)
    };
    diagram(&tuples, 0, depth, 0, node);
    known.len()
}

/// Folds the tuples, which are ordered and equal up to the level, from the leaves: `node` makes a node of its children.
fn diagram<T: Copy + Eq>(
    tuples: &[&[u16]],
    level: usize,
    depth: usize,
    leaf: T,
    node: &mut impl FnMut(usize, Parts<T>) -> T,
) -> T {
    if level == depth && !tuples.is_empty() {
        return leaf;
    }
    let mut parts: Parts<T> = Vec::new();
    for group in tuples.chunk_by(|one, other| one[level] == other[level]) {
        let rest = diagram(group, level + 1, depth, leaf, node);
        match parts.iter_mut().find(|(other, _)| *other == rest) {
            Some((_, values)) => values.push(group[0][level]),
            None => parts.push((rest, vec![group[0][level]])),
        }
    }
    node(level, parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::{BitVecValue, Sort, Symbol, Value, evaluate, store};

    const BYTE: Sort = Sort::BitVec(8);

    fn symbols() -> [Symbol; 3] {
        ["a", "b", "c"].map(|name| Symbol::new(name, BYTE))
    }

    fn tuples(all: &[Vec<i128>]) -> Tuples {
        let features = symbols().into_iter().enumerate().map(|(index, symbol)| {
            let feature = Feature {
                kind: Kind::Variable,
                term: store().variable(symbol),
                sort: BYTE,
            };
            (feature, all.iter().map(|tuple| tuple[index]).collect())
        });
        Tuples::new(features.collect())
    }

    fn holds(formula: TermId, pool: &impl Pool, tuple: &[i128]) -> bool {
        let assignment = |symbol: Symbol, _: u32| {
            let index = symbols().iter().position(|&one| one == symbol)?;
            Some(Value::BitVec(BitVecValue::from_signed(8, tuple[index])))
        };
        evaluate(pool, formula, &assignment)
            .ok()
            .and_then(|value| value.as_bool())
            == Some(true)
    }

    proptest! {
        #[test]
        fn formulas_hold_of_the_tuples_alone(
            all in prop::collection::vec(prop::collection::vec(-2i128..3, 3), 1..20),
            other in prop::collection::vec(-2i128..3, 3),
            known in prop::collection::vec(any::<bool>(), 3),
        ) {
            let set = tuples(&all);
            let invariant = set.invariant(store());
            let arena = Arena::new();
            for tuple in all.iter().chain([&other]) {
                prop_assert_eq!(holds(invariant, store(), tuple), all.contains(tuple));
                // Some of the features are constants.
                let terms = set.features.iter().map(|feature| {
                    let number = symbols().iter().position(|&one| store().variable(one) == feature.term);
                    let number = number.expect("a feature");
                    match known[number] {
                        true => arena.bv_signed(8, tuple[number]),
                        false => feature.term,
                    }
                });
                let terms: Vec<TermId> = terms.collect();
                prop_assert_eq!(holds(set.is_one(&arena, &terms), &arena, tuple), all.contains(tuple));
            }
        }
    }

    #[test]
    fn features_with_many_values_are_dropped() {
        let few: Vec<Vec<i128>> = (0..20).map(|i| vec![i % 2, i, 0]).collect();
        let mut set = tuples(&few);
        assert!(!set.drop_large_features());
        let term = store().variable(symbols()[1]);
        let index = set
            .features
            .iter()
            .position(|one| one.term == term)
            .expect("b");
        for value in 20..40 {
            let mut tuple = vec![0; 3];
            tuple[index] = value;
            assert!(set.add(&tuple).is_some());
        }
        assert!(set.drop_large_features());
        assert_eq!(set.features.len(), 2);
        assert_eq!(set.all.len(), 2);
        let formula = set.invariant(store());
        assert!(holds(formula, store(), &[1, 99, 0]));
        assert!(!holds(formula, store(), &[2, 0, 0]));
    }
}

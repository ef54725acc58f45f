//! What few features at a time have for values together: the projections of a set of tuples on each three features.

use rustc_hash::FxHashSet;

use super::features::{Feature, distinct};
use crate::term::{Build, TermId};

/// More values of a feature are many.
const FEW: usize = 24;

/// The most features that differ in the samples, the most that do not, and the most values of all features together.
const MOST_FEATURES: usize = 64;
const MOST_CONSTANT: usize = 64;
const MOST_VALUES: usize = 256;

/// Which values each three features of a place have together in some tuples. The tuples themselves are as many as the product of
/// the features' values; what is kept of them is a cubic number of bits.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// What has values.
    pub features: Vec<Feature>,
    /// The values of each feature.
    values: Vec<Vec<i128>>,
    /// The numbers of these values, the same position the same value, if there are several.
    numbers: Vec<Vec<usize>>,
    /// The value with a number.
    meaning: Vec<i128>,
    seen: Seen,
    /// The tuples that had something new.
    tuples: Vec<Vec<i128>>,
}

/// That wherever two features have certain values, or one has one, another one has one of some: a clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The features with the values, two at most.
    condition: Vec<(usize, i128)>,
    /// The other one.
    of: usize,
    /// Its values.
    allowed: Vec<i128>,
    /// Its other values, as far as smaller clauses do not exclude them; if there is no condition, all that is not allowed.
    excluded: Vec<i128>,
}

/// A set of triples of numbers below a bound.
#[derive(Clone, Debug)]
struct Seen {
    /// log₂ of the bound.
    width: u32,
    /// For each pair, the third numbers, a bit each.
    thirds: Vec<u64>,
}

impl Default for Seen {
    fn default() -> Self {
        Self::of_width(0)
    }
}

impl Seen {
    fn of_width(width: u32) -> Self {
        let width = width.max(6);
        Self {
            width,
            thirds: vec![0; 1 << (3 * width - 6)],
        }
    }

    fn words(&self) -> usize {
        1 << (self.width - 6)
    }

    fn contains(&self, [a, b, c]: [usize; 3]) -> bool {
        let first = ((a << self.width) | b) << (self.width - 6);
        self.thirds[first + c / 64] & (1 << (c % 64)) != 0
    }

    /// Adds all triples of the numbers, which are in order; says if there were new ones.
    fn insert(&mut self, numbers: &[usize]) -> bool {
        let mut all = vec![0u64; self.words()];
        for number in numbers {
            all[number / 64] |= 1 << (number % 64);
        }
        let mut is_new = false;
        for (place, a) in numbers.iter().enumerate() {
            for b in &numbers[place..] {
                let first = ((a << self.width) | b) << (self.width - 6);
                let thirds = &mut self.thirds[first..first + all.len()];
                for (known, word) in thirds.iter_mut().zip(&all) {
                    is_new |= word & !*known != 0;
                    *known |= word;
                }
            }
        }
        is_new
    }
}

impl Relation {
    /// With the features' values, the same position the same state; the most important features come first.
    pub fn new(mut features: Vec<(Feature, Vec<i128>)>) -> Self {
        let (mut varying, mut constant) = (0, 0);
        features.retain(|(_, values)| {
            let (count, most) = match distinct(values) > 1 {
                true => (&mut varying, MOST_FEATURES),
                false => (&mut constant, MOST_CONSTANT),
            };
            *count += 1;
            *count <= most
        });
        // Those of which a clause lists values come last.
        features.sort_by_key(|(_, values)| distinct(values));
        let rows = features.first().map_or(0, |(_, values)| values.len());
        let mut relation = Self::of(features.iter().map(|(feature, _)| *feature).collect());
        for row in 0..rows {
            let tuple: Vec<i128> = features.iter().map(|(_, values)| values[row]).collect();
            relation.add(&tuple);
        }
        relation
    }

    fn of(features: Vec<Feature>) -> Self {
        Self {
            values: vec![Vec::new(); features.len()],
            numbers: vec![Vec::new(); features.len()],
            features,
            ..Self::default()
        }
    }

    /// Whether there is no tuple.
    pub fn is_empty(&self) -> bool {
        self.tuples.is_empty()
    }

    /// What the features are in the state itself.
    pub fn terms(&self) -> Vec<TermId> {
        self.features.iter().map(|one| one.term).collect()
    }

    /// Adds a tuple; says if something of it is new.
    pub fn add(&mut self, tuple: &[i128]) -> bool {
        let mut varies = false;
        for (values, value) in self.values.iter_mut().zip(tuple) {
            if !values.contains(value) {
                values.push(*value);
                varies |= values.len() == 2;
            }
        }
        // What has one value says nothing of others, and has no numbers.
        for (feature, values) in self.values.iter().enumerate() {
            if values.len() > 1 {
                let known = self.numbers[feature].len();
                for &value in &values[known..] {
                    self.numbers[feature].push(self.meaning.len());
                    self.meaning.push(value);
                }
            }
        }
        let width = usize::BITS - self.meaning.len().leading_zeros();
        if varies || width > self.seen.width {
            self.seen = Seen::of_width(width.max(self.seen.width));
            for tuple in std::mem::take(&mut self.tuples) {
                self.insert(tuple);
            }
        }
        self.insert(tuple.to_vec())
    }

    fn insert(&mut self, tuple: Vec<i128>) -> bool {
        let places = tuple.iter().zip(self.values.iter().zip(&self.numbers));
        let numbers: Vec<usize> = places
            .filter_map(|(value, (values, numbers))| {
                let place = values.iter().position(|one| one == value)?;
                numbers.get(place).copied()
            })
            .collect();
        let is_new = self.seen.insert(&numbers) || self.tuples.is_empty();
        if is_new {
            self.tuples.push(tuple);
        }
        is_new
    }

    /// Stops telling apart what has too many values; says whether there was such.
    pub fn forget(&mut self) -> bool {
        let mut dropped = FxHashSet::default();
        let mut left: usize = self.values.iter().map(Vec::len).sum();
        loop {
            let kept = (0..self.features.len()).filter(|feature| !dropped.contains(feature));
            let Some(most) = kept.max_by_key(|&feature| self.values[feature].len()) else {
                break;
            };
            let count = self.values[most].len();
            if count <= FEW && left <= MOST_VALUES {
                break;
            }
            left -= count;
            dropped.insert(most);
        }
        if dropped.is_empty() {
            return false;
        }
        let kept: Vec<usize> = (0..self.features.len())
            .filter(|feature| !dropped.contains(feature))
            .collect();
        let old = std::mem::take(self);
        *self = Self::of(kept.iter().map(|&feature| old.features[feature]).collect());
        for tuple in old.tuples {
            let values: Vec<i128> = kept.iter().map(|&feature| tuple[feature]).collect();
            self.add(&values);
        }
        true
    }

    /// The clauses of up to three features that hold of all tuples, none of which follows from a smaller one.
    pub fn clauses(&self) -> Vec<Clause> {
        let mut all = Vec::new();
        let seen = &self.seen;
        for (third, values) in self.numbers.iter().enumerate() {
            all.push(Clause {
                condition: Vec::new(),
                of: third,
                allowed: self.values[third].clone(),
                excluded: Vec::new(),
            });
            for (second, others) in self.numbers[..third].iter().enumerate() {
                for &b in others {
                    let with_b: Vec<usize> = values
                        .iter()
                        .copied()
                        .filter(|&c| seen.contains([b, b, c]))
                        .collect();
                    if with_b.len() < values.len() {
                        let excluded: Vec<usize> = values
                            .iter()
                            .copied()
                            .filter(|c| !with_b.contains(c))
                            .collect();
                        all.push(self.clause(&[(second, b)], third, &with_b, &excluded));
                    }
                    for (first, firsts) in self.numbers[..second].iter().enumerate() {
                        for &a in firsts {
                            if !seen.contains([a, a, b]) {
                                continue;
                            }
                            let possible = with_b.iter().copied();
                            let possible = possible.filter(|&c| seen.contains([a, a, c]));
                            let (allowed, excluded): (Vec<usize>, Vec<usize>) =
                                possible.partition(|&c| seen.contains([a, b, c]));
                            if !excluded.is_empty() {
                                let condition = [(first, a), (second, b)];
                                all.push(self.clause(&condition, third, &allowed, &excluded));
                            }
                        }
                    }
                }
            }
        }
        all
    }

    fn clause(
        &self,
        condition: &[(usize, usize)],
        of: usize,
        allowed: &[usize],
        excluded: &[usize],
    ) -> Clause {
        let meaning = |numbers: &[usize]| numbers.iter().map(|&one| self.meaning[one]).collect();
        let condition = condition.iter();
        Clause {
            condition: condition
                .map(|&(feature, value)| (feature, self.meaning[value]))
                .collect(),
            of,
            allowed: meaning(allowed),
            excluded: meaning(excluded),
        }
    }

    /// The clause, where the features are the terms.
    pub fn formula(&self, pool: &impl Build, terms: &[TermId], clause: &Clause) -> TermId {
        let is = |feature: usize, value| self.features[feature].is(pool, terms[feature], value);
        let condition = clause.condition.iter();
        let mut literals: Vec<TermId> = condition
            .map(|&(feature, value)| pool.not(is(feature, value)))
            .collect();
        if clause.condition.is_empty() || clause.allowed.len() <= clause.excluded.len() {
            literals.extend(clause.allowed.iter().map(|&value| is(clause.of, value)));
        } else {
            let excluded = clause.excluded.iter();
            let others = excluded.map(|&value| pool.not(is(clause.of, value)));
            literals.push(pool.and(others.collect::<Vec<_>>()));
        }
        pool.or(literals)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::invariants::features::Kind;
    use crate::term::{BitVecValue, Sort, Symbol, Value, evaluate, store};

    const BYTE: Sort = Sort::BitVec(8);

    fn symbol(index: usize) -> Symbol {
        Symbol::new(&format!("v{index}"), BYTE)
    }

    fn relation(count: usize, all: &[Vec<i128>]) -> Relation {
        let features = (0..count).map(|index| {
            let feature = Feature {
                kind: Kind::Variable,
                term: store().variable(symbol(index)),
                sort: BYTE,
            };
            (feature, all.iter().map(|tuple| tuple[index]).collect())
        });
        Relation::new(features.collect())
    }

    fn holds(relation: &Relation, tuple: &[i128]) -> bool {
        let assignment = |found: Symbol, _: u32| {
            let index = (0..tuple.len()).find(|&index| symbol(index) == found)?;
            Some(Value::BitVec(BitVecValue::from_signed(8, tuple[index])))
        };
        let terms = relation.terms();
        relation.clauses().iter().all(|clause| {
            let formula = relation.formula(store(), &terms, clause);
            evaluate(store(), formula, &assignment)
                .ok()
                .and_then(|value| value.as_bool())
                == Some(true)
        })
    }

    /// Whether each three of the tuple's values are together in one of the others.
    fn is_covered(all: &[Vec<i128>], tuple: &[i128]) -> bool {
        let with = |a: usize, b: usize, c: usize| {
            let mut all = all.iter();
            all.any(|one| [a, b, c].iter().all(|&place| one[place] == tuple[place]))
        };
        let places = 0..tuple.len();
        let mut firsts = places.clone();
        firsts.all(|a| {
            let mut seconds = places.clone();
            seconds.all(|b| places.clone().all(|c| with(a, b, c)))
        })
    }

    proptest! {
        #[test]
        fn clauses_hold_of_what_has_all_projections_in_the_tuples(
            all in prop::collection::vec(prop::collection::vec(0i128..3, 4), 1..20),
            other in prop::collection::vec(0i128..3, 4),
        ) {
            let relation = relation(4, &all);
            for tuple in all.iter().chain([&other]) {
                prop_assert_eq!(holds(&relation, tuple), is_covered(&all, tuple));
            }
        }
    }

    #[test]
    fn what_has_many_values_is_forgotten() {
        let mut set = relation(2, &[vec![0, 0]]);
        for value in 0..=FEW as i128 {
            assert_eq!(set.add(&[value % 2, value]), value > 0);
        }
        assert!(set.forget());
        assert_eq!(set.features.len(), 1);
        assert!(holds(&set, &[1, 99]) && !holds(&set, &[2, 0]));
    }
}

//! The strongest conjunction of clauses of at most two literals that some assignments satisfy: an over-approximation of sets
//! of assignments that are too large to be enumerated.
//!
//! It is computed as in symbolic abstraction (\[RSY04\]): as long as there is an assignment that
//! violates the clauses, it is added.

use super::precision::PredicateId;
use super::regions::{Region, Regions, TooLarge};

/// A literal: the index of a predicate in a list, and its value.
type Literal = (usize, bool);

/// The clauses that all added assignments satisfy.
#[derive(Clone, Debug)]
pub struct Hull {
    /// A clause of a single literal contains it twice.
    clauses: Vec<(Literal, Literal)>,
}

impl Hull {
    /// Creates the clauses of one assignment.
    pub fn of(assignment: &[bool]) -> Self {
        let mut clauses = Vec::new();
        for (index, &value) in assignment.iter().enumerate() {
            clauses.push(((index, value), (index, value)));
            for (other, &other_value) in assignment.iter().enumerate().skip(index + 1) {
                for (one, two) in [(true, true), (true, false), (false, true), (false, false)] {
                    if one == value || two == other_value {
                        clauses.push(((index, one), (other, two)));
                    }
                }
            }
        }
        Self { clauses }
    }

    /// Adds an assignment: removes the clauses that it violates.
    pub fn add(&mut self, assignment: &[bool]) {
        let holds = |(index, value): Literal| assignment[index] == value;
        self.clauses.retain(|&(one, two)| holds(one) || holds(two));
    }

    /// Returns the clauses, without those that a unit clause implies.
    pub fn clauses(&self) -> Vec<(Literal, Literal)> {
        let units: Vec<Literal> = self
            .clauses
            .iter()
            .filter(|(one, two)| one == two)
            .map(|&(one, _)| one)
            .collect();
        let mut clauses = self.clauses.clone();
        clauses.retain(|(one, two)| one == two || !units.contains(one) && !units.contains(two));
        clauses
    }

    /// Returns the region of the assignments that satisfy the clauses.
    ///
    /// # Errors
    /// When there are too many nodes.
    pub fn region(
        &self,
        regions: &Regions,
        predicates: &[PredicateId],
    ) -> Result<Region, TooLarge> {
        let mut all = regions.everything();
        for (one, two) in self.clauses() {
            let literal = |(index, value): Literal| regions.literal(predicates[index], value);
            all = all.and(&literal(one)?.or(&literal(two)?)?)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Build, Sort, Symbol, store};

    #[test]
    fn pairs_of_literals_are_kept() {
        let mut regions = Regions::default();
        let predicates: Vec<PredicateId> = ["a", "b", "c"]
            .iter()
            .map(|name| {
                let term = store().variable(Symbol::new(name, Sort::Bool));
                regions.predicate(term).unwrap()
            })
            .collect();
        // a and b exclude each other, c holds.
        let assignments = [
            [true, false, true],
            [false, true, true],
            [false, false, true],
        ];
        let mut hull = Hull::of(&assignments[0]);
        hull.add(&assignments[1]);
        hull.add(&assignments[2]);
        let mut expected = regions.nothing();
        for assignment in assignments {
            let literals: Vec<_> = predicates.iter().copied().zip(assignment).collect();
            expected = expected.or(&regions.cube(&literals).unwrap()).unwrap();
        }
        assert_eq!(hull.region(&regions, &predicates).unwrap(), expected);
        // Without a relation between a and b, only c is left.
        hull.add(&[true, true, true]);
        let expected = regions.literal(predicates[2], true).unwrap();
        assert_eq!(hull.region(&regions, &predicates).unwrap(), expected);
    }
}

//! The strongest conjunction of clauses of at most two literals that some assignments satisfy: what stands for sets of
//! assignments that are too large to be enumerated.
//!
//! It is found as symbolic abstraction does it (Reps, Sagiv and Yorsh, VMCAI 2004): as long as there is an assignment
//! outside of what those so far satisfy together, that one is added.

use super::regions::{PredicateId, Region, Regions, TooLarge};

/// A literal: the place of a predicate in a list, and its value.
type Literal = (usize, bool);

/// The clauses that all assignments so far satisfy.
#[derive(Clone, Debug)]
pub struct Hull {
    /// One literal is a clause of that literal twice.
    clauses: Vec<(Literal, Literal)>,
}

impl Hull {
    /// Of one assignment.
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

    /// Adds an assignment.
    pub fn add(&mut self, assignment: &[bool]) {
        let holds = |(index, value): Literal| assignment[index] == value;
        self.clauses.retain(|&(one, two)| holds(one) || holds(two));
    }

    /// The clauses, without those that a clause of one literal implies.
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

    /// The assignments that satisfy the clauses.
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
    use crate::term::{Build, Sort, Symbol, store};

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
        // Without relations between the two, nothing is left but c.
        hull.add(&[true, true, true]);
        let expected = regions.literal(predicates[2], true).unwrap();
        assert_eq!(hull.region(&regions, &predicates).unwrap(), expected);
    }
}

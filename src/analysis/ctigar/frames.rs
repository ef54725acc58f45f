//! The sequence of frames: F(i) over-approximates the states that are reachable within i steps.
//!
//! A clause is the negation of a cube. It is stored once, with the largest level whose frame contains it (delta encoding);
//! all frames below contain it as well. F(0) is the program's entry and needs no clauses; there are never clauses at the
//! entry.

use super::cube::Cube;

/// The number of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level(pub u32);

impl Level {
    /// The frame of the clauses that hold in all reachable states.
    pub const INFINITE: Self = Self(u32::MAX);

    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    pub const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

#[derive(Debug, Default)]
pub struct Frames {
    /// The clauses, unordered.
    clauses: Vec<(Level, Cube)>,
}

impl Frames {
    /// Returns all clauses with their levels, as the cubes that they exclude.
    pub fn clauses(&self) -> impl Iterator<Item = (Level, &Cube)> {
        self.clauses.iter().map(|(level, cube)| (*level, cube))
    }

    /// Returns the clauses of the frame that are in no higher frame, as cubes.
    pub fn exactly(&self, level: Level) -> Vec<Cube> {
        let here = self.clauses.iter().filter(|(at, _)| *at == level);
        here.map(|(_, cube)| cube.clone()).collect()
    }

    /// Returns the clauses of the frame, as cubes.
    pub fn of(&self, level: Level) -> Vec<Cube> {
        let here = self.clauses.iter().filter(|(at, _)| *at >= level);
        here.map(|(_, cube)| cube.clone()).collect()
    }

    /// Excludes the cube from all frames up to the level, and removes the clauses that this subsumes.
    pub fn add(&mut self, cube: Cube, level: Level) {
        self.clauses
            .retain(|(at, other)| *at > level || !cube.subsumes(other));
        self.clauses.push((level, cube));
    }
}

#[cfg(test)]
mod tests {
    use super::super::cube::{Literal, PredicateId};
    use super::super::system::PlaceId;
    use super::*;

    fn cube(literals: &[(u32, bool)]) -> Cube {
        let literal = |&(predicate, is_true)| Literal {
            predicate: PredicateId(predicate),
            is_true,
        };
        Cube::new(PlaceId::ENTRY, literals.iter().map(literal).collect())
    }

    #[test]
    fn a_clause_is_kept_at_its_largest_level() {
        let mut frames = Frames::default();
        let (strong, weak) = (cube(&[(0, true)]), cube(&[(0, true), (1, false)]));
        frames.add(weak.clone(), Level(1));
        frames.add(strong.clone(), Level(2));
        assert_eq!(
            frames.clauses().count(),
            1,
            "the weaker clause is superfluous"
        );
        frames.add(weak.clone(), Level(3));
        assert_eq!(frames.of(Level(2)).len(), 2);
        assert_eq!(frames.exactly(Level(2)), [strong]);
        assert_eq!(frames.of(Level(3)), [weak]);
        assert!(frames.of(Level(4)).is_empty());
    }
}

//! Targets: the checks of a program as lowered, numbered, so that each can be decided by itself.
//!
//! A check is an error location of the program as lowered. An error location has no successors: an execution ends at the
//! first check that it violates, and the other checks are judged under "no earlier check failed". So the program restricted
//! to some of its targets ([`Program::restricted_to`]), in which the other error locations are ordinary ends of paths, has
//! the same executions up to their ends, and
//!
//! * a violation in it is one of the program;
//! * if each target is unreachable in a restricted program that has it, no target is reachable in the program: an
//!   execution that reached one would reach it in that restricted program too. No proof assumes that another check holds.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cfa::{LocationId, Program, Property};
use regatta_base::source::Span;

/// The number of a target among [`Program::targets`], from zero.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TargetId(pub u32);

/// Writes the number for the user, from one.
impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u64::from(self.0) + 1)
    }
}

/// A check: an error location of the program as lowered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The error location.
    pub location: LocationId,
    /// The property that reaching it violates.
    pub property: Property,
    /// The place in the source.
    pub span: Span,
}

/// Some of a program's targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetSet(BTreeSet<TargetId>);

impl TargetSet {
    /// Returns whether the target is one of them.
    pub fn contains(&self, target: TargetId) -> bool {
        self.0.contains(&target)
    }

    /// Returns the number of targets.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the targets in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = TargetId> + '_ {
        self.0.iter().copied()
    }

    /// Returns those that are in the other set too.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.0.intersection(&other.0).copied().collect()
    }

    /// Returns those that are in one of the sets or in both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.0.union(&other.0).copied().collect()
    }

    /// Returns those that are not in the other set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.0.difference(&other.0).copied().collect()
    }
}

impl FromIterator<TargetId> for TargetSet {
    fn from_iter<T: IntoIterator<Item = TargetId>>(targets: T) -> Self {
        Self(targets.into_iter().collect())
    }
}

/// The targets that a question or a proof is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Targets {
    /// All that the program has.
    #[default]
    All,
    /// These.
    Only(TargetSet),
}

impl Program {
    /// Returns the targets in the order of the source. Their numbers are those of the program as lowered: a restricted or
    /// simplified program has other ones.
    pub fn targets(&self) -> Vec<Target> {
        let targets = self.errors.iter().filter_map(|&location| {
            let error = self.location(location);
            Some(Target {
                location,
                property: error.violates?,
                span: error.span,
            })
        });
        let mut targets: Vec<Target> = targets.collect();
        targets.sort_by_key(|target| {
            let span = target.span;
            (span.file, span.line, span.column, target.location)
        });
        targets
    }

    /// Returns the targets at these locations.
    pub fn targets_at(&self, locations: &BTreeSet<LocationId>) -> TargetSet {
        let numbered = self.targets().into_iter().zip(0..);
        let here = numbered.filter(|(target, _)| locations.contains(&target.location));
        here.map(|(_, number)| TargetId(number)).collect()
    }

    /// Returns the program in which only these targets are errors; `None` if a number is no target's.
    pub fn restricted_to(&self, kept: &TargetSet) -> Option<Self> {
        let targets = self.targets();
        let locations = kept.iter().map(|target| {
            let target = targets.get(target.0 as usize)?;
            Some(target.location)
        });
        let locations: BTreeSet<LocationId> = locations.collect::<Option<_>>()?;
        let mut restricted = self.clone();
        restricted.retain_errors(|error| locations.contains(&error));
        Some(restricted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;

    /// A program with two errors, the second of which comes first in the source.
    fn program() -> Program {
        let mut builder = ProgramBuilder::new();
        let entry = builder.cursor();
        let errors = [3, 2].map(|line| {
            let error = builder.new_location();
            builder.edge(entry, error, Vec::new());
            (error, line)
        });
        let mut program = builder.program().clone();
        for (error, line) in errors {
            program.add_error(error, Property::UnreachCall);
            program.locations[error.index()].span.line = line;
        }
        program
    }

    #[test]
    fn targets_are_numbered_in_the_order_of_the_source() {
        let program = program();
        let lines: Vec<u32> = program.targets().iter().map(|t| t.span.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn a_restricted_program_has_the_errors_that_are_named() {
        let program = program();
        let second = TargetSet::from_iter([TargetId(1)]);
        let restricted = program.restricted_to(&second).expect("a target");
        assert_eq!(restricted.errors, [program.targets()[1].location]);
        assert_eq!(restricted.edges.len(), program.edges.len());
        assert_eq!(restricted.validate(), Ok(()));
        let third = TargetSet::from_iter([TargetId(2)]);
        assert!(program.restricted_to(&third).is_none());
    }
}

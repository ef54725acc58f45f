//! What a program has in it that watches its runs, where a witness was put into it ([`crate::witness::instrument`]).

use super::{Edge, Location, LocationId, Operation, Program};
use crate::term::{Build, Sort, TermId, store};

/// The variable that counts the segments that have been passed.
pub const SEGMENT: &str = "__regatta_segment";

/// The variable that says which assertion does not hold: one more than its number.
pub const WRONG: &str = "__regatta_wrong";

/// The variable that says which expression of the witness is evaluated: one more than its number, or zero.
pub const CHECKING: &str = "__regatta_checking";

/// The variable that is one while the statement of the violation is executed.
pub const AT_TARGET: &str = "__regatta_at_target";

/// Which errors are those that a witness speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedErrors {
    /// How many segments come before the violation's.
    pub segments: u32,
    /// Where the statement of the violation is: in one of these ranges; `None` if places in the program say nothing of it.
    pub target: Option<Vec<TextRange>>,
    /// Whether [`AT_TARGET`] says when it is executed.
    pub is_marked: bool,
    /// Functions whose call is a violation: what calls one that is defined through a pointer is seen by [`AT_TARGET`] alone.
    pub forbidden: Vec<String>,
}

/// A part of a file, in a function, from its first to its last character: line and column in bytes, from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRange {
    pub file: String,
    pub function: String,
    pub first: (u32, u32),
    pub last: (u32, u32),
}

impl TextRange {
    /// The lines of the range as a whole.
    #[must_use]
    pub fn lines(&self) -> Self {
        Self {
            first: (self.first.0, 0),
            last: (self.last.0, u32::MAX),
            ..self.clone()
        }
    }

    /// Whether the location is in it; of a place without a column the line decides.
    fn contains(&self, program: &Program, location: &Location) -> bool {
        if program.function(location.function).name != self.function {
            return false;
        }
        let span = location.span;
        let file = program.sources.files.get(usize::from(span.file.0));
        let (line, column) = (span.line, u32::from(span.column));
        let is_within = match column {
            0 => (self.first.0..=self.last.0).contains(&line),
            _ => (self.first..=self.last).contains(&(line, column)),
        };
        line > 0 && is_within && file.is_some_and(|file| **file == *self.file)
    }
}

/// What is known of where an error happens.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ErrorPlace {
    /// In the range.
    Inside,
    Outside,
    /// That depends on who calls the function that it is in.
    OfItsCaller,
}

/// Where the error is, as seen from the range.
pub fn place_of(program: &Program, error: LocationId, counted: &CountedErrors) -> ErrorPlace {
    let Some(ranges) = &counted.target else {
        return ErrorPlace::OfItsCaller;
    };
    let location = program.location(error);
    let name = &program.function(location.function).name;
    match ranges.iter().any(|range| range.contains(program, location)) {
        true => ErrorPlace::Inside,
        false if location.span.line == 0 || counted.forbidden.contains(name) => {
            ErrorPlace::OfItsCaller
        }
        false => ErrorPlace::Outside,
    }
}

/// Makes errors count only where so many segments have been passed, and in the statement of the violation. Whether that can
/// be said of the program.
#[must_use]
pub fn restrict(program: &mut Program, counted: &CountedErrors) -> bool {
    for error in std::mem::take(&mut program.errors) {
        let Some(property) = program.locations[error.index()].violates.take() else {
            continue;
        };
        let place = place_of(program, error, counted);
        let mut conditions = Vec::new();
        match place {
            ErrorPlace::Outside => continue,
            ErrorPlace::OfItsCaller => conditions.push((AT_TARGET, 1)),
            ErrorPlace::Inside if counted.is_marked => conditions.push((AT_TARGET, 1)),
            ErrorPlace::Inside => {}
        }
        // Also if there are none before: another waypoint may have led astray.
        conditions.push((SEGMENT, counted.segments));
        let mut assumed = Vec::new();
        let mut can_happen = true;
        for (name, value) in conditions {
            match equals(program, name, value) {
                Ok(condition) => assumed.push(Operation::Assume(condition)),
                Err(Absent::Nowhere) => can_happen &= value == 0,
                Err(Absent::NotAVariable) => return false,
            }
        }
        if !can_happen {
            continue;
        }
        let copy = program.locations[error.index()].clone();
        let counting = LocationId(program.locations.len() as u32);
        program.locations.push(copy);
        program.add_error(counting, property);
        // Without an edge to the error nothing is lost.
        let mut edges = program.edges.iter();
        if let Some(edge) = edges.find(|edge| edge.target == error) {
            let edge = Edge {
                source: error,
                target: counting,
                operations: assumed,
                ..edge.clone()
            };
            program.edges.push(edge);
        }
    }
    true
}

/// Why nothing can be said of a variable.
enum Absent {
    /// No code that is there changes it: it has its first value, zero.
    Nowhere,
    /// It is no number that stands by itself.
    NotAVariable,
}

/// That the ghost variable has the value.
fn equals(program: &Program, name: &str, value: u32) -> Result<TermId, Absent> {
    let mut variables = program.variables.iter();
    let variable = variables.find(|variable| variable.name == name);
    let variable = variable.ok_or(Absent::Nowhere)?;
    let value = match variable.sort {
        Sort::Int => store().int(i64::from(value)),
        Sort::BitVec(32) => store().bv(32, u128::from(value)),
        _ => return Err(Absent::NotAVariable),
    };
    Ok(store().eq(store().variable(variable.symbol), value))
}

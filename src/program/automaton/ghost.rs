//! Ghost variables of a program that is instrumented with a witness (`regatta_witness::instrument`).

use crate::{Edge, Location, LocationId, Operation, Program};
use regatta_term::{Build, Sort, TermId, store};

/// The ghost variable that counts the witness's segments that the run has passed.
pub const SEGMENT: &str = "__regatta_segment";

/// The ghost variable that identifies the violated assertion: its number plus one.
pub const VIOLATED_ASSERTION: &str = "__regatta_wrong";

/// The ghost variable that identifies the expression of the witness that is evaluated: its number plus one, or zero.
pub const CHECKING: &str = "__regatta_checking";

/// The ghost variable that is one while the statement of the violation is executed.
pub const AT_TARGET: &str = "__regatta_at_target";

/// The ghost variable that is one if all segments of the witness's cycle have been passed since it was last set to zero.
pub const LAP: &str = "__regatta_lap";

/// The errors that count as the violation described by a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedErrors {
    /// The number of segments before the violation's.
    pub segments: u32,
    /// The ranges that may contain the statement of the violation; `None` if the position does not identify it.
    pub target: Option<Vec<TextRange>>,
    /// Whether [`AT_TARGET`] is set while that statement is executed.
    pub is_marked: bool,
    /// Functions whose call is a violation. A call through a pointer of one that has a definition is recognised by
    /// [`AT_TARGET`] alone.
    pub forbidden: Vec<String>,
}

/// A range of characters of a file, within a function; positions are a line and a column in bytes, both from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRange {
    pub file: String,
    pub function: String,
    pub first: (u32, u32),
    pub last: (u32, u32),
}

impl TextRange {
    /// The range extended to whole lines.
    #[must_use]
    pub fn lines(&self) -> Self {
        Self {
            first: (self.first.0, 0),
            last: (self.last.0, u32::MAX),
            ..self.clone()
        }
    }

    /// Whether the location is in the range; a location without a column is compared by its line.
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

/// The position of an error relative to the ranges of the violation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ErrorPlace {
    /// In one of the ranges.
    Inside,
    Outside,
    /// Determined by the caller of the error's function.
    OfItsCaller,
}

/// Returns the position of the error relative to the ranges of the violation.
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

/// Restricts the program's errors to those in the statement of the violation after the given number of segments. Returns
/// `false` if the program's variables cannot express this.
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
        // Needed for zero segments too: an avoided waypoint may have ended the match.
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
        let counting = program.add_location(copy);
        program.add_error(counting, property);
        // An error without an incoming edge is unreachable and may be dropped.
        let mut edges = program.edges.iter();
        if let Some(edge) = edges.find(|edge| edge.target == error) {
            let edge = Edge {
                source: error,
                target: counting,
                operations: assumed,
                ..edge.clone()
            };
            program.add_edge(edge);
        }
    }
    true
}

/// Restricts the program's errors to wrong expressions of the witness, and to operations in them that are not defined. Returns
/// `false` if the program's variables cannot express this.
#[must_use]
pub fn restrict_to_assertions(program: &mut Program) -> bool {
    let mut conditions = Vec::new();
    for name in [VIOLATED_ASSERTION, CHECKING] {
        match equals(program, name, 0) {
            Ok(is_zero) => conditions.push(store().not(is_zero)),
            Err(Absent::Nowhere) => {}
            Err(Absent::NotAVariable) => return false,
        }
    }
    let is_of_witness = store().or(conditions);
    for edge in &mut program.edges {
        if program.errors.contains(&edge.target) {
            edge.operations.push(Operation::Assume(is_of_witness));
        }
    }
    true
}

/// Why a ghost variable cannot be compared.
enum Absent {
    /// No code of the program changes it, so it keeps its initial value, zero.
    Nowhere,
    /// It is not a scalar variable of a known width.
    NotAVariable,
}

/// The term that says that the ghost variable has the value.
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

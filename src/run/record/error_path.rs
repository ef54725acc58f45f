//! The error path of a confirmed alarm, for users: function by function in the order of the run, with the values assigned
//! to variables, and with loops folded.
//!
//! These are its types. The crate `regatta_report` makes the path; the run asks for it by a [`PathTracer`], because only the
//! race's process has the program.

use serde::{Deserialize, Serialize};

use regatta_certify::replay::Violation;
use regatta_program::Program;
use regatta_program::interpreter::{Executable, Limits};

/// Makes the path of a violation; `None` if its run takes longer than the limits permit.
pub type PathTracer =
    fn(&Program, &Executable, &Violation, Limits<'_>, Detail) -> Option<Vec<PathStep>>;

/// The path that a report wants.
#[derive(Copy, Clone, Debug)]
pub struct WantedPath {
    /// The level of detail.
    pub detail: Detail,
    /// How the path is made.
    pub tracer: PathTracer,
}

/// The detail of a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Loops and recursion are folded.
    Folded,
    /// Everything.
    Whole,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// The number of open calls; zero in `main`.
    pub depth: u32,
    /// File, line and column.
    pub place: String,
    pub what: PathEvent,
}

/// The event of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathEvent {
    /// A function is called, with the values of its parameters.
    Call {
        function: String,
        arguments: Vec<Change>,
    },
    /// Control passes a place; the variables that change there.
    At { changes: Vec<Change> },
    /// A number of rounds of a loop is left out.
    Rounds { count: usize },
    /// A number of nested calls is left out.
    Calls { count: usize },
    /// The error.
    Error,
}

/// A variable, or an object in memory, with its value from here on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub name: String,
    /// The value in C's notation.
    pub value: String,
    /// The call of an undefined function that returned the value, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

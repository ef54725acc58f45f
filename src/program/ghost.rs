//! What a program has in it that watches its runs, where a witness was put into it ([`crate::witness::instrument`]).

use super::{Edge, LocationId, Operation, Program};
use crate::term::{Build, Sort, store};

/// The variable that counts the segments that have been passed.
pub const SEGMENT: &str = "__regatta_segment";

/// The variable that says which assertion does not hold: one more than its number.
pub const WRONG: &str = "__regatta_wrong";

/// Makes errors count only where so many segments have been passed. Whether the program counts them.
#[must_use]
pub fn restrict(program: &mut Program, segments: u32) -> bool {
    let mut variables = program.variables.iter();
    let counter = variables.find(|variable| {
        variable.name == SEGMENT && matches!(variable.sort, Sort::BitVec(32) | Sort::Int)
    });
    let Some(variable) = counter else {
        return false;
    };
    let passed = store().variable(variable.symbol);
    let all = match variable.sort {
        Sort::Int => store().int(i64::from(segments)),
        _ => store().bv(32, u128::from(segments)),
    };
    let condition = store().eq(passed, all);
    for error in std::mem::take(&mut program.errors) {
        let location = &mut program.locations[error.index()];
        let Some(property) = location.violates.take() else {
            continue;
        };
        let copy = location.clone();
        let counted = LocationId(program.locations.len() as u32);
        program.locations.push(copy);
        program.add_error(counted, property);
        // Without an edge to the error nothing is lost.
        let mut edges = program.edges.iter();
        if let Some(edge) = edges.find(|edge| edge.target == error) {
            let edge = Edge {
                source: error,
                target: counted,
                operations: vec![Operation::Assume(condition)],
                ..edge.clone()
            };
            program.edges.push(edge);
        }
    }
    true
}

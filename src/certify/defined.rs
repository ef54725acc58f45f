//! Expressions of a witness that have no defined value: a division by zero, a shift by too much, signed arithmetic that
//! overflows, an access outside of all objects.
//!
//! The program that a witness was put into says by a variable when it evaluates one of its expressions
//! ([`crate::program::ghost::CHECKING`]). What is assumed there of operands and accesses is looked at by the program itself.

use super::violated_assumptions::violation;
use crate::program::ghost::CHECKING;
use crate::program::{
    Assumption, AssumptionKind, Edge, EdgeId, Location, LocationId, Operation, Program, Property,
    VariableId,
};
use crate::term::{Build, Pool, TermId, Value, store};

/// What becomes of a run in which an expression has no defined value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// It violates the property.
    Violates,
    /// It ends.
    Ends,
}

/// Has the program look whether a witness's expressions have defined values. Returns the first access of which that cannot
/// be seen; `open` says for each of the program's assumptions whether it may be violated.
pub fn guard(program: &mut Program, becomes: Undefined, open: &[bool]) -> Option<String> {
    let checking = |variable: &crate::program::Variable| variable.name == CHECKING;
    let variable = program.variables.iter().position(checking)?;
    let within = Within::new(program, VariableId(variable as u32));
    let assumptions = std::mem::take(&mut program.assumptions);
    let is_meant = |assumption: &&Assumption| {
        let kinds = [
            AssumptionKind::Defined,
            AssumptionKind::WrapAround,
            AssumptionKind::WithinBounds,
        ];
        kinds.contains(&assumption.kind)
            && within.is_at(program, assumption.location, assumption.operations)
    };
    let mut unseen = None;
    let mut places: Vec<(LocationId, usize, TermId)> = Vec::new();
    for (number, assumption) in assumptions.iter().enumerate() {
        if !is_meant(&assumption) {
            continue;
        }
        let Some(violated) = violation(&assumption.doubt) else {
            let is_open = open.get(number).is_none_or(|open| *open);
            unseen = unseen.or_else(|| is_open.then(|| assumption.what.clone()));
            continue;
        };
        let guards = assumption.guards.iter().copied();
        let condition = store().and(guards.chain([violated]));
        places.push((assumption.location, assumption.operations, condition));
    }
    // Behind other operations first, so that the numbers of those before stay.
    places.sort_by_key(|&(location, operations, _)| (location, std::cmp::Reverse(operations)));
    for place in places.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let conditions = place.iter().map(|(_, _, condition)| *condition);
        let undefined = store().or(conditions);
        divide(program, (place[0].0, place[0].1), undefined, becomes);
    }
    debug_assert_eq!(program.validate(), Ok(()));
    unseen
}

/// Where expressions of a witness are evaluated.
struct Within {
    variable: VariableId,
    /// For each location, whether that may go on there.
    locations: Vec<bool>,
    outgoing: Vec<Vec<EdgeId>>,
}

impl Within {
    fn new(program: &Program, variable: VariableId) -> Self {
        let outgoing = program.outgoing();
        let mut result = Self {
            variable,
            locations: vec![false; program.locations.len()],
            outgoing,
        };
        let mut work: Vec<LocationId> = Vec::new();
        for edge in &program.edges {
            if result.after(&edge.operations) == Some(true) {
                work.push(edge.target);
            }
        }
        while let Some(location) = work.pop() {
            if std::mem::replace(&mut result.locations[location.index()], true) {
                continue;
            }
            for &edge in &result.outgoing[location.index()] {
                let edge = &program.edges[edge.index()];
                if result.after(&edge.operations).is_none() {
                    work.push(edge.target);
                }
            }
        }
        result
    }

    /// What the operations make of it; `None` if nothing.
    fn after(&self, operations: &[Operation]) -> Option<bool> {
        let mut operations = operations.iter().rev();
        operations.find_map(|operation| match operation {
            Operation::Assign { target, value } if *target == self.variable => {
                let zero = store().value(&Value::zero(store().sort(*value)));
                Some(*value != zero)
            }
            _ => None,
        })
    }

    /// Whether an expression may be evaluated after so many operations of the edges from the location.
    fn is_at(&self, program: &Program, location: LocationId, operations: usize) -> bool {
        let mut edges = self.outgoing[location.index()].iter();
        edges.any(|edge| {
            let before = &program.edges[edge.index()].operations;
            let before = before.get(..operations).unwrap_or(before);
            self.after(before)
                .unwrap_or(self.locations[location.index()])
        })
    }
}

/// Divides the edges from a location after so many operations: there, the run goes on only where nothing is undefined. Of
/// the edges from any location, at most one can be taken, as before.
fn divide(
    program: &mut Program,
    (location, position): (LocationId, usize),
    undefined: TermId,
    becomes: Undefined,
) {
    let outgoing = program.outgoing();
    let outgoing = &outgoing[location.index()];
    if position == 0 {
        let next = new_location(program, location);
        let span = program.location(location).span;
        for &edge in outgoing {
            program.edges[edge.index()].source = next;
        }
        program.edges.push(Edge {
            source: location,
            target: next,
            operations: vec![Operation::Assume(store().not(undefined))],
            span,
        });
        fail(program, location, undefined, becomes);
        return;
    }
    for &edge in outgoing {
        let operations = &program.edges[edge.index()].operations;
        let stands_alone = matches!(
            operations.last(),
            Some(Operation::Unsupported(_) | Operation::Call { .. })
        );
        if position > operations.len() || stands_alone {
            continue;
        }
        let middle = new_location(program, location);
        let whole = &mut program.edges[edge.index()];
        let rest = whole.operations.split_off(position);
        let target = std::mem::replace(&mut whole.target, middle);
        let span = whole.span;
        let goes_on = Operation::Assume(store().not(undefined));
        program.edges.push(Edge {
            source: middle,
            target,
            operations: [vec![goes_on], rest].concat(),
            span,
        });
        fail(program, middle, undefined, becomes);
    }
}

/// What happens at the location where something is undefined.
fn fail(program: &mut Program, location: LocationId, undefined: TermId, becomes: Undefined) {
    if becomes == Undefined::Ends {
        return;
    }
    let error = new_location(program, location);
    program.add_error(error, Property::UnreachCall);
    program.edges.push(Edge {
        source: location,
        target: error,
        operations: vec![Operation::Assume(undefined)],
        span: program.location(location).span,
    });
}

/// A location like the other one.
fn new_location(program: &mut Program, like: LocationId) -> LocationId {
    let Location { function, span, .. } = *program.location(like);
    let location = LocationId(program.locations.len() as u32);
    program.locations.push(Location {
        function,
        span,
        label: None,
        violates: None,
    });
    location
}

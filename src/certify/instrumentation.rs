//! Ghost variables and operations that the checks put into a copy of the program.

use regatta_program::{
    Edge, EdgeId, Location, LocationId, Operation, Program, Role, Scope, Span, Variable, VariableId,
};
use regatta_term::{Sort, Symbol};

/// Adds a global variable that the source does not have.
pub(super) fn ghost_variable(program: &mut Program, name: String, sort: Sort) -> VariableId {
    program.add_variable(Variable {
        symbol: Symbol::fresh(&name, sort),
        name,
        sort,
        scope: Scope::Global,
        role: Role::Model,
        c_type: None,
        span: Span::NONE,
    })
}

/// Adds a location of the same function and place in the source.
pub(super) fn location_like(program: &mut Program, like: LocationId) -> LocationId {
    let Location { function, span, .. } = *program.location(like);
    program.add_location(Location {
        function,
        span,
        label: None,
        violates: None,
    })
}

/// Inserts operations before the edges from a location: the edges then leave a new location behind the operations.
pub(super) fn insert_before(
    program: &mut Program,
    location: LocationId,
    outgoing: &[EdgeId],
    operations: Vec<Operation>,
) {
    let next = location_like(program, location);
    for &edge in outgoing {
        program.edges[edge.index()].source = next;
    }
    program.edges.push(Edge {
        source: location,
        target: next,
        operations,
        span: program.location(location).span,
    });
}

/// Checks whether operations can be inserted at the position of an edge: an edge that ends with a call or an unsupported
/// operation has no other operations.
pub(super) fn has_position(operations: &[Operation], position: usize) -> bool {
    let stands_alone = matches!(
        operations.last(),
        Some(Operation::Unsupported(_) | Operation::Call { .. })
    );
    position <= operations.len() && !stands_alone
}

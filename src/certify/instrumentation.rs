//! Ghost variables and operations that the checks put into a copy of the program.

use regatta_program::{EdgeId, LocationId, Operation, Program, Scope, VariableId};
use regatta_term::{Sort, Symbol};

/// Adds a global variable that the source does not have.
pub(super) fn ghost_variable(program: &mut Program, name: String, sort: Sort) -> VariableId {
    let symbol = Symbol::fresh(&name, sort);
    program.add_ghost(name, symbol, Scope::Global)
}

/// Inserts operations before the edges from a location: the edges then leave a new location behind the operations.
pub(super) fn insert_before(
    program: &mut Program,
    location: LocationId,
    outgoing: &[EdgeId],
    operations: Vec<Operation>,
) {
    let next = program.add_location_like(location);
    for &edge in outgoing {
        program.edges[edge.index()].source = next;
    }
    program.connect(location, next, operations);
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

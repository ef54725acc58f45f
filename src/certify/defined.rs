//! Expressions, of a witness as a rule, that have no defined value: a division by zero, a shift by too much, signed arithmetic
//! that overflows, an access outside of all objects.
//!
//! The program that a witness was put into says by a variable when it evaluates one of its expressions
//! ([`regatta_program::ghost::CHECKING`]). What is assumed there of operands and accesses is looked at by the program itself.
//!
//! The data-flow analysis cannot relate an index to a size that depends on an input. Such accesses are compared with the
//! objects that the allocations on the heap made last, which ghost variables remember while they live; an access outside of
//! them may be within another object, so it counts as not modelled, not as a violation.

use super::instrumentation::{ghost_variable, has_position, insert_before};
use super::violated_assumptions::{is_outside, violation};
use regatta_program::ghost::CHECKING;
use regatta_program::{
    Assumption, AssumptionKind, Doubt, Edge, EdgeId, Lifetime, LocationId, Operation, Program,
    Property, UnsupportedReason, VariableId,
};
use regatta_term::{Build, Pool, Sort, Symbol, TermId, Value, store};

/// The end of a run in which an expression has no defined value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// It violates the property.
    Violates,
    /// It ends.
    Ends,
    /// It is not modelled.
    Unknown,
}

/// Maximum number of allocation sites whose objects are watched.
const MAXIMUM_SITES: usize = 8;

/// The object that an allocation on the heap made last, as ghost variables.
struct Site {
    is_live: VariableId,
    start: VariableId,
    size: VariableId,
}

/// Makes the ghost variables for the program's allocations; none if there are too many.
fn allocation_sites(program: &mut Program) -> Vec<Site> {
    let operations = program.edges.iter().flat_map(|edge| &edge.operations);
    let sorts: Vec<Sort> = operations
        .filter_map(|operation| match operation {
            Operation::Allocate {
                address,
                lifetime: Lifetime::Heap,
                ..
            } => Some(store().sort(*address)),
            _ => None,
        })
        .collect();
    if sorts.len() > MAXIMUM_SITES {
        return Vec::new();
    }
    let mut ghost = |name: String, sort: Sort| ghost_variable(program, name, sort);
    let sites = sorts.into_iter().enumerate().map(|(number, sort)| Site {
        is_live: ghost(format!("allocation {number} is live"), Sort::Bool),
        start: ghost(format!("allocation {number}"), sort),
        size: ghost(format!("size of allocation {number}"), sort),
    });
    sites.collect()
}

/// When an access is outside of the objects that the sites made last; `None` if no term says that.
fn outside_of_all(program: &Program, sites: &[Site], doubt: &Doubt) -> Option<TermId> {
    let value = |id: VariableId| store().variable(program.variables[id.index()].symbol);
    let outside = sites.iter().map(|site| {
        let outside = is_outside(doubt, value(site.start), value(site.size))?;
        Some(store().or2(store().not(value(site.is_live)), outside))
    });
    let outside: Option<Vec<TermId>> = outside.collect();
    outside
        .filter(|all| !all.is_empty())
        .map(|all| store().and(all))
}

/// Adds the assignments that keep the ghost variables up to date.
fn watch_objects(program: &mut Program, sites: &[Site]) {
    let symbols: Vec<Symbol> = program.variables.iter().map(|one| one.symbol).collect();
    let value = |id: VariableId| store().variable(symbols[id.index()]);
    let assign = |target, value| Operation::Assign { target, value };
    let mut next = sites.iter();
    for edge in &mut program.edges {
        for operation in std::mem::take(&mut edge.operations) {
            edge.operations.push(operation.clone());
            match operation {
                Operation::Allocate {
                    address,
                    size,
                    lifetime: Lifetime::Heap,
                } => {
                    if let Some(site) = next.next() {
                        edge.operations.extend([
                            assign(site.is_live, TermId::TRUE),
                            assign(site.start, address),
                            assign(site.size, size),
                        ]);
                    }
                }
                Operation::Free { address, .. } => {
                    edge.operations.extend(sites.iter().map(|site| {
                        let same = store().eq(address, value(site.start));
                        let remains = store().and2(value(site.is_live), store().not(same));
                        assign(site.is_live, remains)
                    }))
                }
                _ => {}
            }
        }
    }
    let entry = program.functions[program.start.index()].entry;
    let outgoing = program.outgoing();
    let none_is_live = sites.iter().map(|site| assign(site.is_live, TermId::FALSE));
    insert_before(
        program,
        entry,
        &outgoing[entry.index()],
        none_is_live.collect(),
    );
}

/// Has the program look whether a witness's expressions have defined values. Returns the first access of which that cannot
/// be seen; `open` says for each of the program's assumptions whether it may be violated.
pub fn guard(program: &mut Program, becomes: Undefined, open: &[bool]) -> Option<String> {
    let checking = |variable: &regatta_program::Variable| variable.name == CHECKING;
    let variable = program.variables.iter().position(checking)?;
    let within = Within::new(program, VariableId(variable as u32));
    guard_where(program, becomes, open, |program, assumption| {
        within.is_at(program, assumption.location, assumption.operations)
    })
}

/// Has the program look everywhere whether behaviour is defined; where it is not, the program is not modelled. Returns the first
/// access of which that cannot be seen; `open` says for each of the program's assumptions whether it may be violated.
pub fn guard_all(program: &mut Program, open: &[bool]) -> Option<String> {
    guard_where(program, Undefined::Unknown, open, |_, _| true)
}

/// Has the program look whether the assumptions hold that are meant.
fn guard_where(
    program: &mut Program,
    becomes: Undefined,
    open: &[bool],
    is_looked_at: impl Fn(&Program, &Assumption) -> bool,
) -> Option<String> {
    let assumptions = std::mem::take(&mut program.assumptions);
    let sites = match becomes {
        Undefined::Ends => Vec::new(),
        Undefined::Violates | Undefined::Unknown => allocation_sites(program),
    };
    let is_meant = |assumption: &&Assumption| {
        let kinds = [
            AssumptionKind::Defined,
            AssumptionKind::WrapAround,
            AssumptionKind::WithinBounds,
        ];
        kinds.contains(&assumption.kind)
    };
    let mut unseen = None;
    let mut places: Vec<(LocationId, usize, TermId)> = Vec::new();
    let mut accesses: Vec<(LocationId, usize, TermId)> = Vec::new();
    for (number, assumption) in assumptions.iter().enumerate() {
        if !is_meant(&assumption) || !is_looked_at(program, assumption) {
            continue;
        }
        let guarded = |violated| {
            let guards = assumption.guards.iter().copied();
            let condition = store().and(guards.chain([violated]));
            (assumption.location, assumption.operations, condition)
        };
        if let Some(violated) = violation(&assumption.doubt) {
            places.push(guarded(violated));
            continue;
        }
        if !open.get(number).is_none_or(|open| *open) {
            continue;
        }
        match outside_of_all(program, &sites, &assumption.doubt) {
            Some(outside) => accesses.push(guarded(outside)),
            None => unseen = unseen.or_else(|| Some(assumption.what.clone())),
        }
    }
    let watches_objects = !accesses.is_empty();
    let places = places.into_iter().map(|place| (place, becomes));
    let accesses = accesses
        .into_iter()
        .map(|place| (place, Undefined::Unknown));
    let mut places: Vec<_> = places.chain(accesses).collect();
    // Behind other operations first, so that the numbers of those before stay.
    places.sort_by_key(|&((location, operations, _), _)| (location, std::cmp::Reverse(operations)));
    for place in places.chunk_by(|(a, c), (b, d)| (a.0, a.1, c) == (b.0, b.1, d)) {
        let conditions = place.iter().map(|((_, _, condition), _)| *condition);
        let undefined = store().or(conditions);
        let ((location, operations, _), becomes) = place[0];
        divide(program, (location, operations), undefined, becomes);
    }
    if watches_objects {
        watch_objects(program, &sites);
    }
    debug_assert_eq!(program.validate(), Ok(()));
    unseen
}

/// The locations at which expressions of a witness are evaluated.
struct Within {
    variable: VariableId,
    /// For each location, whether an evaluation that began before may go on there.
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

    /// Whether an expression is evaluated after the operations; `None` if they do not change that.
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

    /// Checks whether an expression may be evaluated at the position, a number of operations, on the edges from the location.
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

/// Divides the edges from a location at the position, a number of operations: a run passes it only if nothing is undefined
/// there. Of the edges from any location, at most one can be taken, as before.
fn divide(
    program: &mut Program,
    (location, position): (LocationId, usize),
    undefined: TermId,
    becomes: Undefined,
) {
    let outgoing = program.outgoing();
    let outgoing = &outgoing[location.index()];
    let goes_on = Operation::Assume(store().not(undefined));
    if position == 0 {
        insert_before(program, location, outgoing, vec![goes_on]);
        fail(program, location, undefined, becomes);
        return;
    }
    for &edge in outgoing {
        if !has_position(&program.edges[edge.index()].operations, position) {
            continue;
        }
        let middle = program.add_location_like(location);
        let whole = &mut program.edges[edge.index()];
        let rest = whole.operations.split_off(position);
        let target = std::mem::replace(&mut whole.target, middle);
        let span = whole.span;
        program.add_edge(Edge {
            source: middle,
            target,
            operations: [vec![goes_on.clone()], rest].concat(),
            span,
        });
        fail(program, middle, undefined, becomes);
    }
}

/// What happens at the location where something is undefined.
fn fail(program: &mut Program, location: LocationId, undefined: TermId, becomes: Undefined) {
    let mut operations = vec![Operation::Assume(undefined)];
    let end = match becomes {
        Undefined::Ends => return,
        Undefined::Violates => {
            let error = program.add_location_like(location);
            program.add_error(error, Property::UnreachCall);
            error
        }
        Undefined::Unknown => {
            let reason = "an invariant's access to an object that may not exist";
            operations.push(Operation::Unsupported(UnsupportedReason(reason.to_owned())));
            program.add_location_like(location)
        }
    };
    program.connect(location, end, operations);
}

//! Candidates for the components of measures: terms over what a loop's function sees at the loop's head.
//!
//! They are guesses: nothing depends on where they come from. What stays true in a round (`i < n`) suggests the distance to
//! where it would not (`n - i`); a variable that changes may count by itself, up or down; two variables may count together.
//!
//! A candidate is a bit vector, read as a signed number, that is wider than what it is made of, so that its sums and
//! differences do not wrap around.

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{MAXIMUM_CANDIDATES, MAXIMUM_PAIRED, MAXIMUM_SIZE, MAXIMUM_WAY, MAXIMUM_WIDTH};
use super::loops::{Loops, value};
use crate::cfa::*;
use crate::cut_points::Loop;
use crate::variables::VariableUse;
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm, store, substitute};

/// How a bit pattern is read as a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Reading {
    Unsigned,
    Signed,
}

/// The bits by which a candidate is wider than what it is made of.
const ROOM: u8 = 2;

/// Returns the candidates for the loop's measure, the likely ones first.
pub(super) fn of_loop(loops: &Loops<'_>, cycle: &Loop) -> Vec<TermId> {
    let ways = Ways::new(loops, cycle.head, loops.own_edges(cycle));
    let modified = loops.modified(cycle);
    candidates(&ways, &modified)
}

/// Returns the candidates for the measure of the function's calls of itself: terms over its parameters and global variables.
/// What a caller computes for a call is then what the called activation has at its entry; other locals of the two differ.
pub(super) fn of_calls(loops: &Loops<'_>, function: FunctionId) -> Vec<TermId> {
    let Function {
        parameters, entry, ..
    } = loops.program.function(function);
    let ways = Ways::new(loops, *entry, loops.edges_of(function).to_vec());
    let mut uses = VariableUse::new(loops.program);
    let is_at_entry = |variable: &VariableId| {
        let is_global = loops.program.variable(*variable).scope == Scope::Global;
        is_global || parameters.contains(variable)
    };
    let mut candidates = candidates(&ways, parameters);
    candidates.retain(|&term| uses.of(term).iter().all(is_at_entry));
    candidates
}

fn candidates(ways: &Ways<'_>, variables: &[VariableId]) -> Vec<TermId> {
    let program = ways.program;
    let (mut found, mut distances) = (Found::default(), Vec::new());
    for (left, right, reading) in ways.comparisons() {
        let (left, right) = (wide(left, reading), wide(right, reading));
        if let (Some(left), Some(right)) = (left, right) {
            let distance = store().sub(right, left);
            found.add(distance);
            found.add(store().sub(left, right));
            distances.push(magnitude(distance));
        }
    }
    let mut variables = variables.to_vec();
    variables.sort_by_key(|&variable| program.variable(variable).role != Role::Source);
    let variables = variables.into_iter();
    let terms = variables.map(|variable| value(program, variable));
    let scalars = ways.cells().into_iter().chain(terms);
    let scalars: Vec<TermId> = scalars.filter(|&term| width(term).is_some()).collect();
    for &scalar in &scalars {
        for reading in [Reading::Signed, Reading::Unsigned] {
            if let Some(term) = wide(scalar, reading) {
                found.add(term);
                found.add(store().neg(term));
            }
        }
    }
    let paired = &scalars[..scalars.len().min(MAXIMUM_PAIRED)];
    for (number, &first) in paired.iter().enumerate() {
        for &second in &paired[number + 1..] {
            if width(first) != width(second) {
                continue;
            }
            for reading in [Reading::Signed, Reading::Unsigned] {
                if let (Some(first), Some(second)) = (wide(first, reading), wide(second, reading)) {
                    found.add(store().sub(first, second));
                    found.add(store().sub(second, first));
                    found.add(store().add(first, second));
                    found.add(store().neg(store().add(first, second)));
                }
            }
        }
    }
    distances
        .into_iter()
        .for_each(|distance| found.add(distance));
    found.candidates
}

/// The magnitude of a number of which there is no least one.
fn magnitude(number: TermId) -> TermId {
    let zero = match store().sort(number) {
        Sort::BitVec(width) => store().bv(width, 0),
        _ => return number,
    };
    let is_negative = store().slt(number, zero);
    store().ite(is_negative, store().neg(number), number)
}

/// Candidates, each once.
#[derive(Default)]
struct Found {
    candidates: Vec<TermId>,
    known: FxHashSet<TermId>,
}

impl Found {
    fn add(&mut self, term: TermId) {
        let is_useful = store().constant(term).is_none() && size(term) <= MAXIMUM_SIZE;
        if self.candidates.len() < MAXIMUM_CANDIDATES && is_useful && self.known.insert(term) {
            self.candidates.push(term);
        }
    }
}

/// The number of different subterms.
fn size(term: TermId) -> usize {
    let mut count = 0;
    for_each_subterm(store(), [term], |_, _| count += 1);
    count
}

/// The width of a bit vector that may be part of a candidate; a Boolean has one bit.
fn width(term: TermId) -> Option<u8> {
    match store().sort(term) {
        Sort::BitVec(width) if width <= MAXIMUM_WIDTH => Some(width),
        Sort::Bool => Some(1),
        _ => None,
    }
}

/// The number as a signed bit vector with some room.
fn wide(term: TermId, reading: Reading) -> Option<TermId> {
    let width = width(term)?;
    let bits = match store().sort(term) {
        Sort::Bool => store().bool_to_bv(term, 1),
        _ => term,
    };
    Some(match reading {
        Reading::Unsigned => store().zero_resize(bits, width + ROOM),
        Reading::Signed => store().sign_resize(bits, width + ROOM),
    })
}

/// The ways from a place, a loop's head or a function's entry, along edges of the loop or the function.
struct Ways<'p> {
    program: &'p Program,
    start: LocationId,
    edges: Vec<EdgeId>,
    /// The first of the edges that lead to a location.
    before: FxHashMap<LocationId, EdgeId>,
}

impl<'p> Ways<'p> {
    fn new(loops: &Loops<'p>, start: LocationId, edges: Vec<EdgeId>) -> Self {
        let mut before = FxHashMap::default();
        for &id in &edges {
            before.entry(loops.program.edge(id).target).or_insert(id);
        }
        Self {
            program: loops.program,
            start,
            edges,
            before,
        }
    }

    /// The comparisons in the conditions, over the values at the start where these can be told.
    fn comparisons(&self) -> Vec<(TermId, TermId, Reading)> {
        let mut result = Vec::new();
        for &id in &self.edges {
            for (position, operation) in self.program.edge(id).operations.iter().enumerate() {
                if let Operation::Assume(condition) = operation {
                    compared(self.at_start(*condition, id, position), &mut result);
                }
            }
        }
        result
    }

    /// The cells of memory that are read.
    fn cells(&self) -> Vec<TermId> {
        let mut cells = Vec::new();
        for &id in &self.edges {
            for (position, operation) in self.program.edge(id).operations.iter().enumerate() {
                let mut reads = Vec::new();
                for_each_subterm(store(), operation.terms(), |_, kind| {
                    if let TermKind::Apply {
                        op: Op::Select,
                        arguments: &[contents, index],
                    } = kind
                        && store().as_variable(contents).is_some()
                    {
                        reads.push((contents, index));
                    }
                });
                for (contents, index) in reads {
                    let cell = store().select(contents, self.at_start(index, id, position));
                    if cells.len() < MAXIMUM_PAIRED && !cells.contains(&cell) {
                        cells.push(cell);
                    }
                }
            }
        }
        cells
    }

    /// The term before an operation of the edge as one over the values at the start, along one of the ways from there.
    fn at_start(&self, term: TermId, edge: EdgeId, position: usize) -> TermId {
        let edge = self.program.edge(edge);
        let mut term = back_over(self.program, term, &edge.operations[..position]);
        let mut location = edge.source;
        for _ in 0..MAXIMUM_WAY {
            if location == self.start || size(term) > MAXIMUM_SIZE {
                break;
            }
            let Some(&edge) = self.before.get(&location) else {
                break;
            };
            let edge = self.program.edge(edge);
            term = back_over(self.program, term, &edge.operations);
            location = edge.source;
        }
        term
    }
}

/// The term as one over the values before the operations.
fn back_over(program: &Program, mut term: TermId, operations: &[Operation]) -> TermId {
    for operation in operations.iter().rev() {
        let (target, assigned) = match operation {
            Operation::Assign { target, value } => (*target, *value),
            Operation::Store {
                region,
                index,
                value: element,
            } => {
                let variable = program.region(*region).variable;
                let contents = value(program, variable);
                (variable, store().store(contents, *index, *element))
            }
            _ => continue,
        };
        let map = FxHashMap::from_iter([(value(program, target), assigned)]);
        term = substitute(store(), term, &map);
    }
    term
}

/// Adds the comparisons of bit vectors in the condition.
fn compared(condition: TermId, result: &mut Vec<(TermId, TermId, Reading)>) {
    if size(condition) > MAXIMUM_SIZE {
        return;
    }
    for_each_subterm(store(), [condition], |_, kind| {
        let TermKind::Apply {
            op,
            arguments: &[left, right],
        } = kind
        else {
            return;
        };
        match op {
            Op::BvUlt | Op::BvUle => result.push((left, right, Reading::Unsigned)),
            Op::BvSlt | Op::BvSle => result.push((left, right, Reading::Signed)),
            Op::Eq if width(left).is_some() => {
                result.push((left, right, Reading::Signed));
                result.push((left, right, Reading::Unsigned));
            }
            _ => {}
        }
    });
}

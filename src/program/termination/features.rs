//! The numbers that measures are made of: terms over what a loop's function sees at the loop's head.
//!
//! They are guesses: nothing depends on where they come from. What stays true in a round (`i < n`) suggests the distance to
//! where it would not (`n - i`); a cell that is accessed lies before the end of the memory; a variable that changes may count
//! by itself.
//!
//! A feature is a linear combination of the numbers of a state, whose values have no limit: its sums and differences do not
//! wrap around.

use rustc_hash::FxHashMap;

use super::accesses;
use super::limits::{
    MAXIMUM_ASSIGNED, MAXIMUM_BY_CONDITION, MAXIMUM_FEATURES, MAXIMUM_SCALARS, MAXIMUM_SIZE,
    MAXIMUM_WAY, MAXIMUM_WIDTH,
};
use super::linear::{Linear, Reading};
use super::loops::{Loops, value};
use crate::cfa::*;
use crate::cut_points::Loop;
use crate::liveness::Liveness;
use crate::variables::VariableUse;
use regatta_term::{
    Build, Op, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm, store, substitute,
};

/// The features of a loop or a recursive function, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    /// The features, the likely ones first.
    pub all: Vec<Linear>,
    /// The features by which others may be increased or reduced: the numbers of distances and variables.
    pub summands: Vec<usize>,
}

impl Features {
    /// Adds the feature and returns its number, if it is new.
    fn add(&mut self, feature: Linear) -> Option<usize> {
        let size: usize = feature.atoms().into_iter().map(size).sum();
        let is_useful = !feature.is_useless() && size <= MAXIMUM_SIZE;
        let is_added =
            self.all.len() < MAXIMUM_FEATURES && is_useful && !self.all.contains(&feature);
        is_added.then(|| {
            self.all.push(feature);
            self.all.len() - 1
        })
    }

    fn add_summand(&mut self, feature: Linear) {
        let number = self.add(feature);
        self.summands.extend(number);
    }

    /// Keeps the features that `is_kept` accepts.
    fn retain(&mut self, mut is_kept: impl FnMut(&Linear) -> bool) {
        let mut kept = Self::default();
        for (number, feature) in std::mem::take(&mut self.all).into_iter().enumerate() {
            if !is_kept(&feature) {
                continue;
            }
            match self.summands.contains(&number) {
                true => kept.add_summand(feature),
                false => {
                    kept.add(feature);
                }
            }
        }
        *self = kept;
    }
}

/// Returns the features of the loop.
pub(super) fn of_loop(loops: &Loops<'_>, liveness: &Liveness, cycle: &Loop) -> Features {
    let ways = Ways::new(loops, cycle.head, loops.own_edges(cycle));
    let modified = loops.modified(cycle);
    features(&ways, liveness, &modified)
}

/// Returns the features for the measure of the function's calls of itself: terms over its parameters and global variables.
/// What a caller computes for a call is then what the called activation has at its entry; other locals of the two differ.
pub(super) fn of_calls(loops: &Loops<'_>, liveness: &Liveness, function: FunctionId) -> Features {
    let Function {
        parameters, entry, ..
    } = loops.program.function(function);
    let ways = Ways::new(loops, *entry, loops.edges_of(function).to_vec());
    let mut uses = VariableUse::new(loops.program);
    let is_at_entry = |variable: &VariableId| {
        let is_global = loops.program.variable(*variable).scope == Scope::Global;
        is_global || parameters.contains(variable)
    };
    let mut features = features(&ways, liveness, parameters);
    features.retain(|feature| {
        let mut atoms = feature.atoms().into_iter();
        atoms.all(|atom| uses.of(atom).iter().all(is_at_entry))
    });
    features
}

fn features(ways: &Ways<'_, '_>, liveness: &Liveness, variables: &[VariableId]) -> Features {
    let program = ways.program;
    let (mut found, mut distances) = (Features::default(), Vec::new());
    let mut others = Vec::new();
    let mut uses = VariableUse::new(program);
    for address in ways.addresses() {
        if uses.of(address).iter().any(|used| variables.contains(used)) {
            found.add_before_end(address);
        }
    }
    let comparisons = ways.comparisons();
    for comparison in &comparisons {
        let sides = [comparison.left, comparison.right];
        if let [Some(left), Some(right)] = sides.map(|side| number(side, comparison.reading)) {
            let distance = right.minus(&left);
            let opposite = left.minus(&right);
            if distance.is_to_end_of_type() {
                continue;
            }
            if !distances.contains(&opposite) && !distances.contains(&distance) {
                found.add_summand(distance.clone());
                others.extend([indicator(&distance), indicator(&opposite)]);
                others.extend(least_and_greatest(&left, &right));
                distances.push(distance);
            }
        }
    }
    // A variable on which the rest of the execution does not depend has what an earlier round has left in it.
    let mut live = variables.to_vec();
    live.retain(|&variable| liveness.is_live(ways.start, variable));
    for variable in of_source(program, &live) {
        found.add_variable(program, variable);
    }
    for cell in ways.cells() {
        found.add_number(cell, Reading::Signed);
        if width(cell).is_some_and(|width| width < PROMOTED) {
            found.add_number(cell, Reading::Unsigned);
        }
    }
    others.splice(0..0, distances.iter().map(magnitude));
    for decides in ways.unchanged(variables, &mut uses) {
        others.extend(by_condition(decides.is_at_least(1), &distances));
    }
    let equal = comparisons.iter().filter_map(Comparison::equality);
    let equal: Vec<TermId> = equal.take(MAXIMUM_BY_CONDITION).collect();
    for &is in equal.iter().chain(&ways.assigned(variables)) {
        others.extend([truth(is), truth(store().not(is))]);
    }
    for decides in equal {
        others.extend(by_condition(decides, &distances));
    }
    for other in others {
        found.add(other);
    }
    found
}

/// The numbers among the variables, as many of the source as are useful.
fn of_source(program: &Program, variables: &[VariableId]) -> Vec<VariableId> {
    let is_number = |variable: &VariableId| {
        let is_source = program.variable(*variable).role == Role::Source;
        is_source && number(value(program, *variable), Reading::Signed).is_some()
    };
    let variables = variables.iter().copied().filter(is_number);
    variables.take(MAXIMUM_SCALARS).collect()
}

/// The number of bits to which C promotes numbers. Signed ones that have them may overflow, so their bits are not read as an
/// unsigned number: what such a number tells depends on the width.
const PROMOTED: u8 = 32;

impl Features {
    fn add_variable(&mut self, program: &Program, variable: VariableId) {
        let term = value(program, variable);
        match program.variable(variable).c_type {
            Some(CScalar::Integer { signed: false, .. } | CScalar::Bool) => {
                self.add_number(term, Reading::Unsigned);
            }
            Some(CScalar::Pointer) => {
                self.add_number(term, Reading::Unsigned);
                self.add_before_end(term);
            }
            Some(CScalar::Integer { signed: true, .. } | CScalar::Float) | None => {
                self.add_number(term, Reading::Signed);
            }
        }
    }

    fn add_number(&mut self, term: TermId, reading: Reading) {
        if let Some(number) = number(term, reading) {
            self.add_summand(number);
        }
    }

    /// Adds the number of bytes after the address.
    fn add_before_end(&mut self, address: TermId) {
        let Sort::BitVec(bits) = store().sort(address) else {
            return;
        };
        let last = Linear::constant((1 << bits) - 1);
        self.add(last.minus(&Linear::of(address, Reading::Unsigned)));
    }
}

/// A comparison of numbers in a condition.
struct Comparison {
    left: TermId,
    right: TermId,
    reading: Reading,
    is_equality: bool,
}

impl Comparison {
    /// The condition, if it is that both are equal.
    fn equality(&self) -> Option<TermId> {
        self.is_equality
            .then(|| store().eq(self.left, self.right))
            .filter(|&is_equal| store().constant(is_equal).is_none())
    }
}

/// The truth of the condition, as a number.
fn truth(condition: TermId) -> Linear {
    Linear::choice(condition, Linear::constant(1), Linear::constant(0))
}

/// Whether the number is positive, as a number.
fn indicator(number: &Linear) -> Linear {
    truth(number.is_at_least(1))
}

fn least_and_greatest(left: &Linear, right: &Linear) -> [Linear; 2] {
    let is_less = right.is_above(left, 1);
    [(left, right), (right, left)]
        .map(|(if_less, other)| Linear::choice(is_less, if_less.clone(), other.clone()))
}

/// The distances to which a condition may lead.
fn by_condition(condition: TermId, distances: &[Linear]) -> impl Iterator<Item = Linear> {
    let distances = &distances[..distances.len().min(MAXIMUM_BY_CONDITION)];
    distances.iter().flat_map(move |then| {
        let others = distances.iter().filter(move |&other| other != then);
        others.map(move |other| Linear::choice(condition, then.clone(), other.clone()))
    })
}

fn magnitude(number: &Linear) -> Linear {
    let opposite = Linear::default().minus(number);
    Linear::choice(number.is_at_least(1), number.clone(), opposite)
}

/// The number of different subterms.
fn size(term: TermId) -> usize {
    let mut count = 0;
    for_each_subterm(store(), [term], |_, _| count += 1);
    count
}

/// The width of a bit vector that may be part of a feature; a Boolean has one bit.
fn width(term: TermId) -> Option<u8> {
    match store().sort(term) {
        Sort::BitVec(width) if width <= MAXIMUM_WIDTH => Some(width),
        Sort::Bool => Some(1),
        _ => None,
    }
}

/// The term as a number; a float as its bits, which have the order of positive floats.
fn number(term: TermId, reading: Reading) -> Option<Linear> {
    let bits = match store().sort(term) {
        Sort::Bool => store().bool_to_bv(term, 1),
        Sort::Float(_) => store().fp_to_bits(term),
        _ => term,
    };
    width(bits)?;
    Some(match (reading, store().sort(term)) {
        (Reading::Unsigned, _) | (_, Sort::Bool) => Linear::of(bits, Reading::Unsigned),
        (Reading::Signed, _) => Linear::of_sum(bits),
    })
}

/// The ways from a place, a loop's head or a function's entry, along edges of the loop or the function.
struct Ways<'l, 'p> {
    loops: &'l Loops<'p>,
    program: &'p Program,
    variables: FxHashMap<Symbol, VariableId>,
    start: LocationId,
    edges: Vec<EdgeId>,
    /// The first of the edges that lead to a location.
    before: FxHashMap<LocationId, EdgeId>,
}

impl<'l, 'p> Ways<'l, 'p> {
    fn new(loops: &'l Loops<'p>, start: LocationId, edges: Vec<EdgeId>) -> Self {
        let mut before = FxHashMap::default();
        for &id in &edges {
            before.entry(loops.program.edge(id).target).or_insert(id);
        }
        Self {
            loops,
            program: loops.program,
            variables: loops.program.variables_by_symbol(),
            start,
            edges,
            before,
        }
    }

    /// The comparisons in the conditions, over the values at the start where these can be told.
    fn comparisons(&self) -> Vec<Comparison> {
        let mut result = Vec::new();
        for &id in &self.edges {
            if self.is_check(id) {
                continue;
            }
            for (position, operation) in self.program.edge(id).operations.iter().enumerate() {
                if let Operation::Assume(condition) = operation
                    && let Some(condition) = self.at_start(*condition, id, position)
                {
                    self.compared(condition, &mut result);
                }
            }
        }
        result
    }

    /// Whether the edge leaves where arithmetic is checked for overflow: the ends of a type are no bounds of numbers.
    fn is_check(&self, edge: EdgeId) -> bool {
        let source = self.program.edge(edge).source;
        let mut edges = self.loops.outgoing[source.index()].iter();
        edges.any(|&edge| self.loops.is_overflow(self.program.edge(edge).target))
    }

    /// The addresses of accesses, over the values at the start where these can be told.
    fn addresses(&self) -> Vec<TermId> {
        let mut addresses = Vec::new();
        for access in accesses::of(self.program) {
            for edge in access.edges(self.loops) {
                if access.is_unsigned
                    && self.edges.contains(&edge)
                    && addresses.len() < MAXIMUM_SCALARS
                    && let Some(address) = self.at_start(access.address, edge, access.operations)
                {
                    addresses.push(address);
                }
            }
        }
        addresses
    }

    /// Returns some of the numbers that a round uses and does not modify.
    fn unchanged(&self, modified: &[VariableId], uses: &mut VariableUse) -> Vec<Linear> {
        let mut terms = self.cells();
        for &id in &self.edges {
            for term in self
                .program
                .edge(id)
                .operations
                .iter()
                .flat_map(Operation::terms)
            {
                for &used in uses.of(term) {
                    let is_source = self.program.variable(used).role == Role::Source;
                    let term = value(self.program, used);
                    if is_source && !modified.contains(&used) && !terms.contains(&term) {
                        terms.push(term);
                    }
                }
            }
            if terms.len() > MAXIMUM_SCALARS {
                break;
            }
        }
        terms.retain(|&term| !uses.of(term).iter().any(|used| modified.contains(used)));
        let numbers = terms.into_iter();
        let numbers = numbers.filter_map(|term| number(term, Reading::Signed));
        numbers.take(MAXIMUM_BY_CONDITION).collect()
    }

    /// The conditions that a variable, or a cell of memory, has a value that a round gives to it: a constant, or that of a
    /// variable that no round modifies.
    fn assigned(&self, modified: &[VariableId]) -> Vec<TermId> {
        let stays = |value: TermId| match store().as_variable(value) {
            Some((symbol, _)) => {
                let variable = self.variables.get(&symbol);
                variable.is_some_and(|variable| !modified.contains(variable))
            }
            None => store().constant(value).is_some(),
        };
        let mut conditions = Vec::new();
        for &id in &self.edges {
            for (position, operation) in self.program.edge(id).operations.iter().enumerate() {
                let (target, assigned) = match operation {
                    Operation::Assign { target, value: to } => {
                        let is_source = self.program.variable(*target).role == Role::Source;
                        (is_source.then(|| value(self.program, *target)), *to)
                    }
                    Operation::Store {
                        region,
                        index,
                        value: to,
                    } => {
                        let contents = value(self.program, self.program.region(*region).variable);
                        let index = self.at_start(*index, id, position);
                        (index.map(|index| store().select(contents, index)), *to)
                    }
                    _ => continue,
                };
                if stays(assigned)
                    && width(assigned).is_some()
                    && let Some(target) = target
                    && conditions.len() < MAXIMUM_ASSIGNED
                {
                    let is_equal = store().eq(target, assigned);
                    if !conditions.contains(&is_equal) {
                        conditions.push(is_equal);
                    }
                }
            }
        }
        conditions
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
                    let Some(index) = self.at_start(index, id, position) else {
                        continue;
                    };
                    let cell = store().select(contents, index);
                    if cells.len() < MAXIMUM_SCALARS && !cells.contains(&cell) {
                        cells.push(cell);
                    }
                }
            }
        }
        cells
    }

    /// The term before an operation of the edge as one over the values at the start, along one of the ways from there; `None`
    /// if it depends on what is only known later.
    fn at_start(&self, term: TermId, edge: EdgeId, position: usize) -> Option<TermId> {
        let edge = self.program.edge(edge);
        let mut term = back_over(self.program, term, &edge.operations[..position])?;
        let mut location = edge.source;
        for _ in 0..MAXIMUM_WAY {
            if location == self.start || size(term) > MAXIMUM_SIZE {
                break;
            }
            let Some(&edge) = self.before.get(&location) else {
                break;
            };
            let edge = self.program.edge(edge);
            term = back_over(self.program, term, &edge.operations)?;
            location = edge.source;
        }
        Some(term)
    }

    /// Adds the comparisons of numbers in the condition.
    fn compared(&self, condition: TermId, result: &mut Vec<Comparison>) {
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
            let reading = match op {
                Op::BvUlt | Op::BvUle => Reading::Unsigned,
                Op::BvSlt | Op::BvSle => Reading::Signed,
                Op::Eq if width(left).is_some() => {
                    match self.is_unsigned(left) && self.is_unsigned(right) {
                        true => Reading::Unsigned,
                        false => Reading::Signed,
                    }
                }
                _ => return,
            };
            result.push(Comparison {
                left,
                right,
                reading,
                is_equality: op == Op::Eq,
            });
        });
    }

    /// Whether the term is only made of unsigned numbers and constants.
    fn is_unsigned(&self, term: TermId) -> bool {
        let mut is_unsigned = true;
        for_each_subterm(store(), [term], |term, _| {
            if let Some((symbol, _)) = store().as_variable(term) {
                let of = self.variables.get(&symbol);
                let c_type = of.and_then(|&variable| self.program.variable(variable).c_type);
                is_unsigned &= matches!(
                    c_type,
                    Some(CScalar::Integer { signed: false, .. } | CScalar::Bool | CScalar::Pointer)
                );
            }
        });
        is_unsigned
    }
}

/// The term as one over the values before the operations; `None` if it depends on what they get from elsewhere.
fn back_over(program: &Program, mut term: TermId, operations: &[Operation]) -> Option<TermId> {
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
            Operation::Havoc { target, .. } => match contains(term, value(program, *target)) {
                true => return None,
                false => continue,
            },
            Operation::Call { results, .. } => {
                let mut results = results.iter();
                match results.any(|&result| contains(term, value(program, result))) {
                    true => return None,
                    false => continue,
                }
            }
            _ => continue,
        };
        let map = FxHashMap::from_iter([(value(program, target), assigned)]);
        term = substitute(store(), term, &map);
    }
    Some(term)
}

fn contains(term: TermId, part: TermId) -> bool {
    let mut is_found = false;
    for_each_subterm(store(), [term], |subterm, _| is_found |= subterm == part);
    is_found
}

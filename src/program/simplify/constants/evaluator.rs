//! Abstract states, and the transfer functions of operations.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::memory::{Assumption, Known, Memory};
use super::objects::{Objects, Pointer, Site};
use crate::cfa::*;
use crate::persistent::PersistentMap;
use crate::simplify::limits::MAXIMUM_STORES;
use crate::simplify::range::{Abstract, Assumed, Bounds, range_of, restrict};
use crate::simplify::workspace::replace;
use crate::variables::VariableUse;
use regatta_term::domain::Values;
use regatta_term::{Build, Op, Pool, Rebuild, Sort, TermId, TermKind, store};

/// Abstract values by variable.
pub(super) type Map = PersistentMap<Abstract>;

/// The abstract state of a location; a variable without an entry may have any value.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) globals: Map,
    pub(super) locals: Map,
    /// Abstract pointers, by variable, followed by the existing objects at constant addresses, by their keys.
    /// Empty unless the evaluator tracks objects.
    pub(super) objects: PersistentMap<Pointer>,
}

impl State {
    pub(super) fn same(&self, other: &Self) -> bool {
        self.globals.same(&other.globals)
            && self.locals.same(&other.locals)
            && self.objects.same(&other.objects)
    }

    /// Whether both have the same values.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.globals.agrees(&other.globals)
            && self.locals.agrees(&other.locals)
            && self.objects.agrees(&other.objects)
    }
}

/// Evaluates terms and operations of one program.
pub(super) struct Evaluator<'a> {
    pub(super) program: &'a Program,
    pub(super) uses: RefCell<&'a mut VariableUse>,
    /// The objects of the program; tracked only by the analysis of open assumptions.
    pub(super) objects: Option<Objects>,
    /// Cache: the number of stores in the term of a constant array.
    array_sizes: RefCell<FxHashMap<TermId, usize>>,
    /// Cache: the results of evaluations.
    memory: RefCell<Memory>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(program: &'a Program, uses: &'a mut VariableUse) -> Self {
        Self {
            program,
            uses: RefCell::new(uses),
            objects: None,
            array_sizes: RefCell::default(),
            memory: RefCell::default(),
        }
    }

    pub(super) fn get(&self, state: &State, variable: VariableId) -> Option<Abstract> {
        match self.program.variable(variable).scope {
            Scope::Global => state.globals.get(variable.0),
            Scope::Local(_) => state.locals.get(variable.0),
        }
        .copied()
    }

    pub(super) fn set(&self, state: &mut State, variable: VariableId, value: Option<Abstract>) {
        let map = match self.program.variable(variable).scope {
            Scope::Global => &mut state.globals,
            Scope::Local(_) => &mut state.locals,
        };
        match value {
            Some(value) => map.insert(variable.0, value),
            None => map.remove(variable.0),
        }
    }

    fn get_term(&self, state: &State, variable: TermId) -> Option<Abstract> {
        match store().as_variable(variable) {
            Some((symbol, 0)) => {
                let variable = self.uses.borrow().variable(symbol)?;
                self.get(state, variable)
            }
            _ => None,
        }
    }

    /// The term simplified in the state: known constants are substituted, and conditions decided by ranges are constants.
    /// Arrays are not substituted, but their cells are.
    pub(super) fn simplify(&self, state: &State, term: TermId) -> TermId {
        self.simplified(state, term).0
    }

    /// The simplified term, and its range if that was computed.
    fn simplified(&self, state: &State, term: TermId) -> (TermId, Option<Bounds>) {
        if store().is_constant(term) {
            return (term, None);
        }
        let known = self.values_in(state, term);
        if let Some(found) = self.memory.borrow().simplified(&known) {
            return found;
        }
        let result = self.simplify_anew(state, term);
        self.memory.borrow_mut().set_simplified(known, result);
        result
    }

    /// The term with the abstract values of its variables: what its evaluation depends on.
    fn values_in(&self, state: &State, term: TermId) -> Known {
        let mut uses = self.uses.borrow_mut();
        let variables = uses.of(term).iter();
        let values = variables.map(|&variable| self.get(state, variable));
        Known::new(term, values)
    }

    fn simplify_anew(&self, state: &State, term: TermId) -> (TermId, Option<Bounds>) {
        let result = self.with_constants(state, term);
        let sort = store().sort(result);
        let may_have_range = match sort {
            Sort::Bool => true,
            sort => !sort.is_array() && self.has_range(state, term),
        };
        if !may_have_range {
            return (result, None);
        }
        let range = self.range(state, result);
        if let Some((low, high)) = range
            && low == high
            && let Some(Abstract::Constant(value)) = Abstract::from_range(sort, low, high)
        {
            return (value, None);
        }
        (result, Some(range))
    }

    /// The term with known constants substituted.
    fn with_constants(&self, state: &State, term: TermId) -> TermId {
        let is_constant = |&variable: &VariableId| {
            matches!(self.get(state, variable), Some(Abstract::Constant(_)))
        };
        let has_constants = self.uses.borrow_mut().of(term).iter().any(is_constant);
        match has_constants {
            true => self.substitute_constants(state, term),
            false => term,
        }
    }

    /// Whether one of the term's variables has a range.
    fn has_range(&self, state: &State, term: TermId) -> bool {
        let is_range =
            |&variable: &VariableId| matches!(self.get(state, variable), Some(Abstract::Range(..)));
        self.uses.borrow_mut().of(term).iter().any(is_range)
    }

    fn range(&self, state: &State, term: TermId) -> Bounds {
        range_of(term, &self.known(state, term))
    }

    /// The term with constant scalars and cells of constant arrays substituted.
    fn substitute_constants(&self, state: &State, term: TermId) -> TermId {
        let with = |term| match store().kind(term) {
            TermKind::Variable { .. } if store().sort(term).is_array() => None,
            TermKind::Variable { .. } => match self.get_term(state, term) {
                Some(Abstract::Constant(value)) => Some(value),
                _ => None,
            },
            TermKind::Apply {
                op: Op::Select,
                arguments: &[array, index],
            } => match self.get_term(state, array) {
                Some(Abstract::Constant(contents)) => {
                    cell(contents, self.substitute_constants(state, index))
                }
                _ => None,
            },
            _ => None,
        };
        Rebuild::new(store(), store(), with).rebuild(term)
    }

    /// The abstract values of the term's variables.
    fn known(&self, state: &State, term: TermId) -> Values {
        let mut uses = self.uses.borrow_mut();
        let known = uses.of(term).iter().filter_map(|&id| {
            let symbol = self.program.variable(id).symbol;
            let known = self.get(state, id)?.set(symbol.sort())?;
            Some((store().variable(symbol), known))
        });
        known.collect()
    }

    /// Whether the term has no variables.
    fn is_closed(&self, term: TermId) -> bool {
        self.uses.borrow_mut().of(term).is_empty()
    }

    pub(super) fn evaluate(&self, state: &State, term: TermId) -> Option<Abstract> {
        let sort = store().sort(term);
        if sort.is_array() {
            let value = replace(term, |symbol| {
                match self.get(state, self.uses.borrow().variable(symbol)?) {
                    Some(Abstract::Constant(value)) => Some(value),
                    _ => None,
                }
            });
            let known = self.is_closed(value) && self.array_size(value) <= MAXIMUM_STORES;
            return known.then_some(Abstract::Constant(value));
        }
        if store().is_constant(term) {
            return Some(Abstract::Constant(term));
        }
        let known = self.values_in(state, term);
        if let Some(found) = self.memory.borrow().value(&known) {
            return found;
        }
        let value = self.evaluate_anew(state, term);
        self.memory.borrow_mut().set_value(known, value);
        value
    }

    /// The abstract value of a term that is no array.
    fn evaluate_anew(&self, state: &State, term: TermId) -> Option<Abstract> {
        let (value, range) = self.simplified(state, term);
        if self.is_closed(value) {
            return Some(Abstract::Constant(value));
        }
        let (low, high) = range.unwrap_or_else(|| self.range(state, value))?;
        Abstract::from_range(store().sort(term), low, high)
    }

    fn array_size(&self, array: TermId) -> usize {
        let mut sizes = self.array_sizes.borrow_mut();
        let mut size = 0;
        let mut at = array;
        while let Some((Op::Store, arguments)) = store().as_application(at) {
            if let Some(known) = sizes.get(&at) {
                size += known;
                break;
            }
            size += 1;
            at = arguments[0];
        }
        sizes.insert(array, size);
        size
    }

    /// The state after the operations of an edge that is not a call; `None` if it cannot be taken.
    pub(super) fn execute(&self, state: &State, edge: EdgeId) -> Option<State> {
        let mut state = state.clone();
        for (number, operation) in self.program.edge(edge).operations.iter().enumerate() {
            let site = Site {
                edge,
                operation: number,
            };
            self.step(&mut state, operation, Some(site))?;
        }
        Some(state)
    }

    /// What an assumed condition says in the state.
    fn assumed(&self, state: &State, condition: TermId) -> Assumption {
        let known = self.values_in(state, condition);
        if let Some(found) = self.memory.borrow().assumption(&known) {
            return found;
        }
        let assumption = self.assume_anew(state, condition);
        let kept = assumption.clone();
        self.memory.borrow_mut().set_assumption(known, kept);
        assumption
    }

    fn assume_anew(&self, state: &State, condition: TermId) -> Assumption {
        let condition = self.with_constants(state, condition);
        let known = self.known(state, condition);
        let mut learned = Vec::new();
        let uses = self.uses.borrow();
        let mut learn = |term, value| {
            let symbol = store().as_variable(term).map(|(symbol, _)| symbol);
            let variable = symbol.and_then(|symbol| uses.variable(symbol));
            learned.extend(variable.map(|variable| (variable, value)));
        };
        match restrict(condition, &known, &mut learn) {
            Assumed::Never => Assumption::Never,
            Assumed::Always => Assumption::Always,
            Assumed::Sometimes => Assumption::Sometimes(learned.into()),
        }
    }

    /// Applies the transfer function of an operation; `None` if it blocks. An operation of the program has a site.
    pub(super) fn step(
        &self,
        state: &mut State,
        operation: &Operation,
        site: Option<Site>,
    ) -> Option<()> {
        match operation {
            Operation::Assign { target, value } => {
                let known = self.evaluate(state, *value);
                if self.objects.is_some() {
                    self.assign_pointer(state, *target, *value);
                }
                self.set(state, *target, known);
            }
            Operation::Assume(condition) => {
                let learned = match self.assumed(state, *condition) {
                    Assumption::Never => return None,
                    Assumption::Always => return Some(()),
                    Assumption::Sometimes(learned) => learned,
                };
                if self.objects.is_some() {
                    let condition = self.with_constants(state, *condition);
                    self.learn_pointers(state, condition);
                }
                for &(variable, value) in learned.iter() {
                    self.set(state, variable, Some(value));
                }
            }
            Operation::Store {
                region,
                index,
                value,
            } => {
                let variable = self.program.region(*region).variable;
                let contents = match self.get(state, variable) {
                    Some(Abstract::Constant(contents)) => {
                        let (index, value) =
                            (self.simplify(state, *index), self.simplify(state, *value));
                        let closed = self.is_closed(index) && self.is_closed(value);
                        closed.then(|| store().store(contents, index, value))
                    }
                    _ => None,
                };
                let contents =
                    contents.filter(|&contents| self.array_size(contents) <= MAXIMUM_STORES);
                self.set(state, variable, contents.map(Abstract::Constant));
            }
            Operation::Havoc { target, .. } => {
                if self.objects.is_some() {
                    state.objects.remove(target.0);
                }
                self.set(state, *target, None);
            }
            Operation::Allocate {
                address,
                size,
                lifetime,
            } => {
                if let Some(objects) = &self.objects {
                    let (place, made) = ((*address, *size), (*lifetime, site));
                    self.begin_object(state, objects, place, made);
                }
            }
            Operation::Free { address, lifetime } => {
                if let Some(objects) = &self.objects {
                    self.end_object(state, objects, *address, *lifetime);
                }
            }
            Operation::Call { .. } | Operation::Claim(_) => {}
            Operation::Unsupported(_) => return None,
        }
        Some(())
    }
}

/// The value of a cell of a constant array, if the index is constant.
fn cell(contents: TermId, index: TermId) -> Option<TermId> {
    let is_constant = |term| store().is_constant(term);
    if !is_constant(index) {
        return None;
    }
    let mut at = contents;
    loop {
        match store().as_application(at) {
            Some((Op::Store, &[_, place, value])) if place == index => {
                return Some(value);
            }
            Some((Op::Store, &[rest, place, _])) if is_constant(place) => at = rest,
            Some((Op::ConstArray, &[value])) => return Some(value),
            _ => return None,
        }
    }
}

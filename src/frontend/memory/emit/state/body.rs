//! The function that is being emitted: where control is, and the edges that are not finished yet.

use rustc_hash::FxHashMap;

use crate::memory::analysis::endless::Progress;
use crate::memory::builder::{Builder, Description, LinkHistory};
use crate::memory::operators::arithmetic::pool;
use regatta_program::{
    CScalar, Claim, FunctionId, InputId, InputKind, InputPart, LocationId, Operation, Passed,
    Program, Property, RegionId, Role, Scope, Span, UnsupportedReason, VariableId, Waypoint,
};
use regatta_term::{Build, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm};

use crate::ir::FunctionIndex;

/// The function that is being emitted, and the program that its edges are added to.
pub(in crate::memory::emit) struct Body<'a, 'b> {
    pub(in crate::memory::emit) builder: &'b mut Builder,
    /// The function in the typed representation.
    pub(in crate::memory::emit) index: FunctionIndex,
    /// The function in the program.
    pub(in crate::memory::emit) function: FunctionId,
    /// Its name.
    name: &'a str,
    /// The place in the source of what is being emitted.
    pub(in crate::memory::emit) span: Span,
    /// The location where `operations` start; `None` where control does not come.
    current: Option<LocationId>,
    operations: Vec<Operation>,
    /// The waypoints that control has passed since `operations` began.
    passed: Vec<Passed>,
    /// The branching location after them: all edges from it pass them, later ones do not.
    fork: Option<LocationId>,
    sink: Option<LocationId>,
    /// The error locations, by their places in the source.
    errors: FxHashMap<(Span, Property), LocationId>,
    temporaries: FxHashMap<Sort, Vec<VariableId>>,
    /// The number of temporaries of each sort that the current instruction uses.
    taken: FxHashMap<Sort, usize>,
    /// The reason why the current instruction is not supported, if it is not.
    trouble: Option<String>,
    /// Whether all executions that come here have passed a check that is not modelled; false if that is not known.
    is_in_doubt: bool,
    /// What the current block has to do so that loops are known to end.
    pub(in crate::memory::emit) progress: Vec<Progress>,
}

impl<'a, 'b> Body<'a, 'b> {
    /// A body before the first function is entered.
    pub(in crate::memory::emit) fn new(builder: &'b mut Builder, start: FunctionIndex) -> Self {
        Self {
            builder,
            index: start,
            function: FunctionId(0),
            name: "",
            span: Span::NONE,
            current: None,
            operations: Vec::new(),
            passed: Vec::new(),
            fork: None,
            sink: None,
            errors: FxHashMap::default(),
            temporaries: FxHashMap::default(),
            taken: FxHashMap::default(),
            trouble: None,
            is_in_doubt: false,
            progress: Vec::new(),
        }
    }

    /// Goes on with another function.
    pub(in crate::memory::emit) fn enter(
        &mut self,
        index: FunctionIndex,
        function: FunctionId,
        name: &'a str,
    ) {
        self.index = index;
        self.function = function;
        self.name = name;
        self.sink = None;
        self.errors.clear();
        self.temporaries.clear();
        self.taken.clear();
    }
}

impl Body<'_, '_> {
    /// Whether control comes to what is emitted next.
    pub(in crate::memory::emit) const fn is_reached(&self) -> bool {
        self.current.is_some()
    }

    /// The location where control is, and the number of operations since; `None` where control does not come.
    pub(in crate::memory::emit) fn position(&self) -> Option<(LocationId, usize)> {
        self.current
            .map(|location| (location, self.operations.len()))
    }

    /// Continues at the location, with no operations before it.
    pub(in crate::memory::emit) const fn continue_at(&mut self, location: LocationId) {
        self.current = Some(location);
        self.is_in_doubt = false;
    }

    /// Lets control come to nothing that is emitted next, until it continues elsewhere.
    pub(in crate::memory::emit) const fn stop(&mut self) {
        self.current = None;
    }

    /// Drops the operations since the current location, and stops: control does not come here.
    pub(in crate::memory::emit) fn abandon(&mut self) {
        self.operations.clear();
        self.stop();
    }

    /// The error location for the property at the current place.
    pub(in crate::memory::emit) fn error(&mut self, property: Property) -> LocationId {
        let place = (self.span, property);
        if let Some(&error) = self.errors.get(&place) {
            return error;
        }
        let error = self.location();
        self.program().add_error(error, property);
        self.errors.insert(place, error);
        error
    }

    /// Goes on where the condition holds; elsewhere the property is violated.
    pub(in crate::memory::emit) fn check(&mut self, holds: TermId, property: Property) {
        self.fork_error(holds, property, None);
    }

    /// Goes on where the condition holds; elsewhere the property is violated because of what is claimed of memory.
    pub(in crate::memory::emit) fn check_memory(
        &mut self,
        holds: TermId,
        property: Property,
        claim: Claim,
    ) {
        self.fork_error(holds, property, Some(claim));
    }

    fn fork_error(&mut self, holds: TermId, property: Property, claim: Option<Claim>) {
        if holds == TermId::TRUE {
            return;
        }
        let Some(fork) = self.cut() else { return };
        let (error, onward) = (self.error(property), self.location());
        self.branch(fork, error, pool().not(holds));
        if let (Some(claim), Some(edge)) = (claim, self.program().edges.last_mut()) {
            edge.operations.push(Operation::Claim(claim));
        }
        self.branch(fork, onward, holds);
        self.current = Some(onward);
    }

    /// Lets the next instruction use the temporaries that were taken.
    pub(in crate::memory::emit) fn release_temporaries(&mut self) {
        self.taken.clear();
    }

    /// Lets the current instruction use the last temporary of the sort again.
    pub(in crate::memory::emit) fn release_temporary(&mut self, sort: Sort) {
        self.taken.entry(sort).and_modify(|taken| *taken -= 1);
    }

    pub(in crate::memory::emit) const fn program(&mut self) -> &mut Program {
        &mut self.builder.program
    }

    /// Starts to collect operations at the location.
    pub(in crate::memory::emit) fn begin(&mut self, location: LocationId) {
        debug_assert!(self.operations.is_empty());
        self.passed.clear();
        self.fork = None;
        self.continue_at(location);
    }

    /// Whether each execution that comes here has passed a check that is not modelled, as far as that is known.
    pub(in crate::memory::emit) const fn is_in_doubt(&self) -> bool {
        self.is_in_doubt
    }

    /// Tells that each execution that comes here has passed a check that is not modelled.
    pub(in crate::memory::emit) const fn note_doubt(&mut self) {
        self.is_in_doubt = true;
    }

    pub(in crate::memory::emit) fn push(&mut self, operation: Operation) {
        if self.current.is_none() {
            return;
        }
        let mut written = None;
        match operation {
            Operation::Store {
                region,
                index,
                value,
            } => {
                // Where a value may be a zero is not recorded: engines would carry the conditions of all that are written.
                if self.builder.records_zeros && value == pool().bv(8, 0) {
                    let target = self.builder.last_zero(region);
                    self.operations.push(Operation::Assign {
                        target,
                        value: index,
                    });
                }
                if let Some(&history) = self.builder.links.get(&region) {
                    self.record_link(history, index, value);
                }
            }
            Operation::Assign { target, .. } | Operation::Havoc { target, .. } => {
                written = Some(target);
            }
            _ => {}
        }
        self.operations.push(operation);
        if let Some(variable) = written
            && let Some(&copy) = self.builder.copies.get(&variable)
        {
            let value = self.builder.term(variable);
            self.operations.push(Operation::Assign {
                target: copy,
                value,
            });
        }
    }

    /// Records that a pointer is written to a field of an object on the heap.
    fn record_link(&mut self, history: LinkHistory, index: TermId, pointer: TermId) {
        let (Sort::BitVec(index_width), Sort::BitVec(width)) =
            (pool().sort(index), pool().sort(pointer))
        else {
            return;
        };
        let LinkHistory {
            slot,
            within,
            holders,
            ..
        } = history;
        let object = pool().extract(index, index_width - 1, within);
        let target = pool().extract(pointer, width - 1, slot);
        let is_null = pool().eq(pointer, pool().bv(width, 0));
        if let Some(sides) = history.sides {
            let is_watched = pool().eq(object, sides.watched);
            let of = |body: &Self, side: VariableId, number: TermId| {
                let known = pool().select(body.builder.term(side), number);
                pool().or2(is_watched, known)
            };
            let leads = of(self, sides.before, target);
            self.record_at(sides.before, object, leads);
            if is_null != TermId::TRUE {
                let follows = of(self, sides.after, object);
                self.record_at(sides.after, target, follows);
            }
        }
        if is_null != TermId::TRUE {
            self.record_at(holders, target, index);
        }
    }

    /// Records that the link of an object is read: a walk may come from there to where the watched object will be put.
    pub(in crate::memory::emit) fn record_walk(&mut self, region: RegionId, index: TermId) {
        let history = self.builder.links.get(&region);
        let Some(&LinkHistory {
            within,
            sides: Some(sides),
            ..
        }) = history
        else {
            return;
        };
        if let (Some(is_next), Sort::BitVec(width)) = (sides.is_next, pool().sort(index)) {
            let object = pool().extract(index, width - 1, within);
            let known = pool().select(self.builder.term(sides.before), object);
            self.record_at(sides.before, object, pool().or2(known, is_next));
        }
    }

    /// Writes an element of an array that is a variable.
    fn record_at(&mut self, target: VariableId, index: TermId, value: TermId) {
        let value = pool().store(self.builder.term(target), index, value);
        self.operations.push(Operation::Assign { target, value });
    }

    pub(in crate::memory::emit) fn assign(&mut self, target: VariableId, value: TermId) {
        self.push(Operation::Assign { target, value });
    }

    pub(in crate::memory::emit) fn assume(&mut self, condition: TermId) {
        if condition != TermId::TRUE {
            self.push(Operation::Assume(condition));
        }
    }

    pub(in crate::memory::emit) fn location(&mut self) -> LocationId {
        self.builder.location(self.function, self.span, None)
    }

    /// Puts the collected operations on an edge to the location; control is then nowhere.
    pub(in crate::memory::emit) fn finish(&mut self, target: LocationId) {
        let operations = std::mem::take(&mut self.operations);
        if let Some(source) = self.current.take() {
            self.leave_fork(Some(source));
            self.builder
                .edge(source, target, operations, self.span, &self.passed);
            if self.fork.is_none() {
                self.passed.clear();
            }
        }
    }

    /// Tells that control is at the location, or within an edge: waypoints passed before a branching elsewhere are on
    /// the edges from there already.
    fn leave_fork(&mut self, now: Option<LocationId>) {
        if self.fork.is_some() && self.fork != now {
            self.passed.clear();
            self.fork = None;
        }
    }

    /// Records that control passes the waypoint.
    pub(in crate::memory::emit) fn pass_waypoint(&mut self, waypoint: Waypoint) {
        if self.current.is_some() {
            self.leave_fork(None);
            self.passed.push(Passed {
                operation: self.operations.len() as u32,
                waypoint,
            });
        }
    }

    /// Puts the collected operations, if any, on an edge and returns the location after it; `None` where control does
    /// not come.
    pub(in crate::memory::emit) fn cut(&mut self) -> Option<LocationId> {
        let source = self.current?;
        if self.operations.is_empty() {
            return Some(source);
        }
        let target = self.location();
        self.finish(target);
        self.current = Some(target);
        Some(target)
    }

    /// Adds an edge with a condition, unless that is false; returns whether it did.
    pub(in crate::memory::emit) fn branch(
        &mut self,
        source: LocationId,
        target: LocationId,
        condition: TermId,
    ) -> bool {
        if condition != TermId::FALSE {
            let operations = if condition == TermId::TRUE {
                Vec::new()
            } else {
                vec![Operation::Assume(condition)]
            };
            self.leave_fork(Some(source));
            self.fork = Some(source);
            self.builder
                .edge(source, target, operations, self.span, &self.passed);
        }
        condition != TermId::FALSE
    }

    /// Adds the waypoints to the end of the last edge.
    pub(in crate::memory::emit) fn turn(&mut self, waypoints: impl IntoIterator<Item = Waypoint>) {
        let operations = self.builder.program.edges.last();
        let operation = operations.map_or(0, |edge| edge.operations.len()) as u32;
        let passed = waypoints.into_iter().map(|waypoint| Passed {
            operation,
            waypoint,
        });
        self.builder.waypoints.add_to_last_edge(passed);
    }

    /// The function's location without successors, where paths end that do not return.
    pub(in crate::memory::emit) fn sink(&mut self) -> LocationId {
        match self.sink {
            Some(sink) => sink,
            None => {
                let sink = self.builder.location(self.function, Span::NONE, None);
                self.sink = Some(sink);
                sink
            }
        }
    }

    /// Ends the path with an operation that is not modelled.
    pub(in crate::memory::emit) fn unsupported(&mut self, reason: &str) {
        self.push(Operation::Unsupported(UnsupportedReason(reason.to_owned())));
        let sink = self.sink();
        self.finish(sink);
    }

    /// Notes that the current instruction cannot be expressed.
    pub(in crate::memory::emit) fn note_trouble(&mut self, reason: &str) {
        if self.trouble.is_none() {
            self.trouble = Some(reason.to_owned());
        }
    }

    /// Ends the path if something since the last call of this function could not be expressed.
    pub(in crate::memory::emit) fn check_trouble(&mut self) {
        if let Some(reason) = self.trouble.take() {
            self.unsupported(&reason);
        }
    }

    /// A temporary variable that the current instruction does not use yet.
    pub(in crate::memory::emit) fn temporary(&mut self, sort: Sort) -> VariableId {
        let taken = self.taken.entry(sort).or_insert(0);
        let number = *taken;
        *taken += 1;
        if let Some(&variable) = self
            .temporaries
            .get(&sort)
            .and_then(|list| list.get(number))
        {
            return variable;
        }
        let name = format!("{}::temporary {number} of {sort}", self.name);
        let variable = self.builder.variable(
            &name,
            sort,
            Description {
                scope: Scope::Local(self.function),
                role: Role::Temporary,
                c_type: None,
                span: Span::NONE,
            },
        );
        self.temporaries.entry(sort).or_default().push(variable);
        variable
    }

    pub(in crate::memory::emit) fn input(
        &mut self,
        kind: InputKind,
        sort: Sort,
        c_type: Option<CScalar>,
    ) -> InputId {
        self.builder.input(kind, sort, c_type, self.span)
    }

    /// Marks the last input as a part of a larger value.
    pub(in crate::memory::emit) fn set_part(&mut self, part: InputPart) {
        if let Some(input) = self.builder.program.inputs.last_mut() {
            input.part = Some(part);
        }
    }

    /// An arbitrary value of the sort, in a temporary.
    pub(in crate::memory::emit) fn any(
        &mut self,
        sort: Sort,
        kind: InputKind,
        c_type: Option<CScalar>,
    ) -> TermId {
        let target = self.temporary(sort);
        let input = self.input(kind, sort, c_type);
        self.push(Operation::Havoc { target, input });
        self.builder.term(target)
    }

    /// The current value of the term, which later assignments do not change.
    pub(in crate::memory::emit) fn freeze(&mut self, term: TermId) -> TermId {
        if regatta_term::Pool::constant(pool(), term).is_some() {
            return term;
        }
        let sort = regatta_term::Pool::sort(pool(), term);
        let variable = self.temporary(sort);
        self.assign(variable, term);
        self.builder.term(variable)
    }

    /// Whether the term depends on one of the variables.
    pub(in crate::memory::emit) fn mentions(&self, term: TermId, variables: &[VariableId]) -> bool {
        let symbols: Vec<Symbol> = variables
            .iter()
            .map(|&variable| self.builder.symbol(variable))
            .collect();
        let mut found = false;
        for_each_subterm(pool(), [term], |_, kind| {
            if let TermKind::Variable { symbol, .. } = kind {
                found |= symbols.contains(&symbol);
            }
        });
        found
    }
}

//! Compilation of edges and calls.
//!
//! The code of a location tries its edges in order. An edge is taken only if all its conditions hold, so until the last one
//! has held it must have no effects that another edge would see: new values of variables stay
//! in temporaries, and writes to memory are logged and undone if a condition is false. Nearly all edges start with their
//! conditions, and then this costs nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::arrays::is_at_distance;
use super::assembler::{Assembler, Label};
use super::expression::{Compiled, Expressions, NotCompiled, Truth, narrow};
use super::facts::VariableFilter;
use crate::call_graph::CallGraph;
use crate::interpreter::code::bytecode::{CallSite, ClaimKind, Instruction, Place, Register};
use crate::interpreter::code::executable::{AccessChecks, Executable};
use crate::interpreter::code::tables;
use crate::interpreter::state::bit_pattern::Class;
use crate::simplify::leads_to_targets;
use crate::{
    Claim, Edge, EdgeId, FunctionId, Input, InputId, LocationId, Operation, Program, VariableId,
};
use regatta_term::{Build, Op, Pool, Sort, TermId, store};

impl Executable {
    /// Compiles the program. This cannot fail: an edge with a term that the machine cannot compute ends a run with
    /// [`crate::interpreter::Outcome::Unsupported`].
    pub fn compile(program: &Program) -> Self {
        Self::compile_for(program, AccessChecks::All)
    }

    /// Compiles the program so that only the given accesses are checked.
    pub fn compile_for(program: &Program, checks: AccessChecks) -> Self {
        compile(program, checks, program.outgoing())
    }

    /// Compiles the program so that an execution ends where no target can be reached any more.
    pub fn compile_to_targets(program: &Program) -> Self {
        let leads = leads_to_targets(program);
        let mut outgoing = program.outgoing();
        for edges in &mut outgoing {
            edges.retain(|edge| leads[edge.index()]);
        }
        compile(program, AccessChecks::All, outgoing)
    }
}

fn compile(program: &Program, checks: AccessChecks, outgoing: Vec<Vec<EdgeId>>) -> Executable {
    let mut assembler = Assembler::new();
    // A location's label is its id.
    for _ in &program.locations {
        assembler.label();
    }
    let lengths = tables::expected_lengths(program);
    let mut places = Vec::with_capacity(program.variables.len());
    for (index, variable) in program.variables.iter().enumerate() {
        let length = lengths.get(&VariableId(index as u32)).copied().unwrap_or(0);
        places.push(
            match (
                variable.sort.scalar(),
                Expressions::shape(variable.sort, length),
            ) {
                (Some(scalar), _) => assembler.new_register(Class::of(scalar)),
                (None, Some(shape)) => Place::Array(assembler.new_array(shape)),
                (None, None) => assembler.new_register(Class::Narrow),
            },
        );
    }
    let variables = VariableRegisters {
        narrow: assembler.narrow.len() as Register,
        wide: assembler.wide.len() as Register,
        integer: assembler.integer.len() as Register,
    };
    let mut compiler = Compiler {
        variables,
        call_graph: CallGraph::new(program),
        outgoing,
        errors: program.errors.iter().copied().collect(),
        exits: program
            .functions
            .iter()
            .map(|function| function.exit)
            .collect(),
        expressions: Expressions::new(program, assembler, places),
        calls: Vec::new(),
        unsupported: FxHashMap::default(),
        placed: vec![false; program.locations.len()],
        program,
    };
    compiler.run();
    compiler.finish(checks)
}

struct Compiler<'p> {
    program: &'p Program,
    expressions: Expressions,
    outgoing: Vec<Vec<EdgeId>>,
    errors: FxHashSet<LocationId>,
    exits: FxHashSet<LocationId>,
    call_graph: CallGraph,
    calls: Vec<CallSite>,
    unsupported: FxHashMap<EdgeId, String>,
    placed: Vec<bool>,
    variables: VariableRegisters,
}

/// The number of registers of each class that hold variables.
struct VariableRegisters {
    narrow: Register,
    wide: Register,
    integer: Register,
}

/// The state of the compilation of an edge.
struct EdgeState {
    /// The label of the next edge, for a condition that is false.
    next: Label,
    /// The label of the code that undoes the edge's effects, if it has any before a condition.
    rollback: Option<Label>,
    /// Whether a condition is still to come.
    undecided: bool,
    /// The number of the operation.
    operation: u16,
}

impl<'p> Compiler<'p> {
    fn emit(&mut self, instruction: Instruction) {
        self.expressions.assembler.emit(instruction);
    }

    /// Compiles all reachable locations, where possible in the order of execution.
    fn run(&mut self) {
        let start = self.program.function(self.program.start).entry;
        let mut stack = vec![start];
        while let Some(location) = stack.pop() {
            if std::mem::replace(&mut self.placed[location.index()], true) {
                continue;
            }
            self.location(location);
            for edge in self.outgoing[location.index()].iter().rev() {
                let edge = self.program.edge(*edge);
                stack.push(edge.target);
                for operation in &edge.operations {
                    if let Operation::Call { callee, .. } = operation {
                        stack.push(self.program.function(*callee).entry);
                    }
                }
            }
        }
    }

    fn location(&mut self, location: LocationId) {
        self.expressions.start_edge();
        self.expressions.assembler.place(location.0);
        if self.errors.contains(&location) {
            return self.emit(Instruction::Error { location });
        }
        let edges = self.outgoing[location.index()].clone();
        if edges.is_empty() {
            return self.emit(match self.exits.contains(&location) {
                true => Instruction::Return { location },
                false => Instruction::End { location },
            });
        }
        let mut implied = None;
        for edge in &edges {
            let next = self.expressions.assembler.label();
            self.edge(*edge, next, implied);
            self.expressions.assembler.place(next);
            implied = self.implied_by_failure(self.program.edge(*edge));
        }
        self.emit(Instruction::Blocked { location });
    }

    /// The negation of the edge's condition, if it has only one: it holds if the edge was tried and not taken.
    fn implied_by_failure(&self, edge: &Edge) -> Option<TermId> {
        match edge.operations.split_first() {
            Some((Operation::Assume(condition), rest))
                if !rest
                    .iter()
                    .any(|operation| matches!(operation, Operation::Assume(_))) =>
            {
                Some(store().not(*condition))
            }
            _ => None,
        }
    }

    /// Compiles an edge. `implied` holds at its start.
    fn edge(&mut self, id: EdgeId, next: Label, implied: Option<TermId>) {
        let edge = self.program.edge(id);
        self.expressions.assembler.edge = id;
        self.expressions.start_edge();
        let mut operations = &edge.operations[..];
        if let [Operation::Assume(condition), rest @ ..] = operations
            && implied == Some(*condition)
        {
            operations = rest;
        }
        match self.operations(id, operations, next) {
            Ok(()) => {}
            Err(NotCompiled(reason)) => self.not_supported(id, reason),
        }
    }

    fn not_supported(&mut self, edge: EdgeId, reason: String) {
        self.unsupported.insert(edge, reason);
        self.emit(Instruction::Unsupported { edge });
    }

    fn operations(&mut self, id: EdgeId, operations: &[Operation], next: Label) -> Compiled<()> {
        let edge = self.program.edge(id);
        let conditions = operations
            .iter()
            .rposition(|operation| matches!(operation, Operation::Assume(_)))
            .map_or(0, |last| last + 1);
        let mut state = EdgeState {
            next,
            rollback: None,
            undecided: false,
            operation: 0,
        };
        let is_effect = |operation: &Operation| {
            !matches!(operation, Operation::Assume(_) | Operation::Assign { .. })
                || self.assigns_array(operation)
        };
        if operations[..conditions].iter().any(is_effect) {
            state.rollback = Some(self.expressions.assembler.label());
            self.emit(Instruction::Begin);
        }
        let mut position = 0;
        while position < operations.len() {
            state.undecided = position < conditions;
            state.operation = u16::try_from(position).unwrap_or(u16::MAX);
            if !state.undecided {
                self.commit();
            }
            match &operations[position] {
                Operation::Call {
                    callee,
                    arguments,
                    results,
                } => return self.call(id, *callee, arguments, results),
                Operation::Unsupported(reason) => {
                    self.not_supported(id, reason.0.clone());
                    return Ok(());
                }
                _ => position += self.operation(&operations[position..], &state)?,
            }
        }
        self.commit();
        if state.rollback.is_some() {
            self.emit(Instruction::Commit);
        }
        self.emit(Instruction::Edge {
            weight: edge.operations.len().clamp(1, 255) as u8,
            edge: id,
            target: edge.target.0,
        });
        if let Some(rollback) = state.rollback {
            self.expressions.assembler.place(rollback);
            self.emit(Instruction::Rollback);
        }
        Ok(())
    }

    fn assigns_array(&self, operation: &Operation) -> bool {
        matches!(operation, Operation::Assign { target, .. } if self.program.variable(*target).sort.is_array())
    }

    /// Copies the new values of variables from temporaries to the variables' registers.
    fn commit(&mut self) {
        let mut renamed: Vec<_> = self.expressions.renamed.drain().collect();
        renamed.sort_unstable_by_key(|(variable, _)| *variable);
        for (variable, place) in renamed {
            let to = self.expressions.places[variable.index()];
            self.expressions.assembler.copy(to, place);
        }
    }

    /// Compiles the first operation, or several that form a unit; returns their number.
    fn operation(&mut self, operations: &[Operation], state: &EdgeState) -> Compiled<usize> {
        match &operations[0] {
            Operation::Assume(condition) => {
                let target = state.rollback.unwrap_or(state.next);
                self.expressions.jump(*condition, Truth::False, target)?;
            }
            Operation::Assign { target, value } => self.assign(*target, *value, state)?,
            Operation::Store { .. } => return self.store(operations, state),
            Operation::Havoc { target, input } => self.havoc(*target, *input, state)?,
            Operation::Allocate {
                address,
                size,
                lifetime,
            } => {
                let (address, size) = (self.address(*address)?, self.address(*size)?);
                if state.undecided {
                    self.emit(Instruction::RememberObjects);
                }
                let lifetime = *lifetime;
                self.emit(Instruction::Allocate {
                    lifetime,
                    operation: state.operation,
                    address,
                    size,
                });
            }
            Operation::Free { address, lifetime } => {
                let address = self.address(*address)?;
                if state.undecided {
                    self.emit(Instruction::RememberObjects);
                }
                let lifetime = *lifetime;
                self.emit(Instruction::Free {
                    lifetime,
                    operation: state.operation,
                    address,
                });
            }
            Operation::Claim(claim) => self.claim(*claim)?,
            Operation::Call { .. } | Operation::Unsupported(_) => {}
        }
        Ok(1)
    }

    fn claim(&mut self, claim: Claim) -> Compiled<()> {
        let (claim, address, bytes) = match claim {
            Claim::InvalidAccess { address, bytes } => {
                let (address, bytes) = (self.address(address)?, self.address(bytes)?);
                (ClaimKind::InvalidAccess, address, bytes)
            }
            Claim::InvalidFree { address } => {
                let address = self.address(address)?;
                (ClaimKind::InvalidFree, address, address)
            }
            Claim::Lost => (ClaimKind::Lost, 0, 0),
            Claim::Allocated => (ClaimKind::Allocated, 0, 0),
        };
        self.emit(Instruction::Claim {
            claim,
            address,
            bytes,
        });
        Ok(())
    }

    /// An address or a size as a narrow register.
    fn address(&mut self, term: TermId) -> Compiled<u32> {
        let place = self.expressions.value(term)?;
        self.expressions.index_register(place)
    }

    fn assign(&mut self, target: VariableId, value: TermId, state: &EdgeState) -> Compiled<()> {
        let to = self.expressions.places[target.index()];
        if let Place::Array(array) = to {
            if state.undecided {
                self.emit(Instruction::RememberArray { array });
            }
            self.expressions.assign_array(array, value)?;
            self.expressions.changed(target);
            return Ok(());
        }
        let from = self.expressions.value(value)?;
        if state.undecided {
            let temporary = self.own_copy(from);
            self.expressions.changed(target);
            self.expressions.renamed.insert(target, temporary);
            return Ok(());
        }
        if !self.expressions.assembler.redirect(from, to) {
            self.expressions.assembler.copy(to, from);
        }
        self.expressions.changed(target);
        self.expressions.remember_in_variable(value, target, to);
        Ok(())
    }

    /// A register with the value that no later write to a variable changes.
    fn own_copy(&mut self, from: Place) -> Place {
        // Variables have the first registers of each class.
        let (class, is_variable) = match from {
            Place::Narrow(register) => (Class::Narrow, register < self.variables.narrow),
            Place::Wide(register) => (Class::Wide, register < self.variables.wide),
            Place::Integer(register) => (Class::Integer, register < self.variables.integer),
            Place::Array(_) => return from,
        };
        if !is_variable {
            return from;
        }
        let temporary = self.expressions.assembler.temporary(class);
        self.expressions.assembler.copy(temporary, from);
        temporary
    }

    fn havoc(&mut self, target: VariableId, input: InputId, state: &EdgeState) -> Compiled<()> {
        let Input { kind, sort, .. } = self.program.input(input);
        if kind.is_zero_in_runs() {
            let zero = match sort {
                Sort::BitVec(width) => store().bv(*width, 0),
                _ => TermId::FALSE,
            };
            return self.assign(target, zero, state);
        }
        let place = self.expressions.places[target.index()];
        let to = match place {
            Place::Array(array) => {
                if state.undecided {
                    self.emit(Instruction::RememberArray { array });
                }
                place
            }
            Place::Narrow(_) if state.undecided => {
                self.expressions.assembler.temporary(Class::Narrow)
            }
            Place::Wide(_) if state.undecided => self.expressions.assembler.temporary(Class::Wide),
            Place::Integer(_) if state.undecided => {
                self.expressions.assembler.temporary(Class::Integer)
            }
            _ => place,
        };
        self.emit(match to {
            Place::Narrow(to) => Instruction::Havoc { to, input },
            Place::Wide(to) => Instruction::HavocWide { to, input },
            Place::Integer(to) => Instruction::HavocInteger { to, input },
            Place::Array(to) => Instruction::HavocArray { to, input },
        });
        self.expressions.changed(target);
        if to != place {
            self.expressions.renamed.insert(target, to);
        }
        Ok(())
    }

    /// Compiles a store, or several that write the bytes of one number; returns their number.
    fn store(&mut self, operations: &[Operation], state: &EdgeState) -> Compiled<usize> {
        let Operation::Store {
            region,
            index,
            value,
        } = &operations[0]
        else {
            return Ok(1);
        };
        let variable = self.program.region(*region).variable;
        let array = self.expressions.places[variable.index()];
        let array = self.expressions.array_register(array)?;
        let (count, value) = match self.byte_stores(operations) {
            Some((count, whole)) => (count, whole),
            None => (1, *value),
        };
        let place = self.expressions.value(*index)?;
        let index = self.expressions.index_register(place)?;
        let value = self.expressions.value(value)?;
        if state.undecided {
            self.emit(Instruction::Remember {
                array,
                index,
                count: count as u8,
            });
        }
        if count == 1 {
            self.expressions.store(array, index, value)?;
        } else {
            let value = narrow(value)?;
            let count = count as u8;
            self.emit(Instruction::StoreBytes {
                count,
                array,
                index,
                value,
            });
        }
        self.expressions.changed(variable);
        Ok(count)
    }

    /// The length of a prefix of stores that write the consecutive bytes of one number, and the number.
    fn byte_stores(&mut self, operations: &[Operation]) -> Option<(usize, TermId)> {
        let Operation::Store {
            region,
            index,
            value,
        } = operations[0]
        else {
            return None;
        };
        let number = lowest_byte_of(value)?;
        let width = store().sort(number).width()?;
        let follows = |(operation, position): (&Operation, u8)| {
            matches!(operation, Operation::Store { region: other, index: later, value }
                if *other == region
                    && is_at_distance(index, *later, u128::from(position))
                    && is_byte_of(*value, number, position))
        };
        let count = 1 + operations[1..]
            .iter()
            .zip(1..8)
            .take_while(|&step| follows(step))
            .count();
        // The values and indices of later stores must not depend on the earlier stores.
        let written = VariableFilter::of(self.program.region(region).variable);
        let read = self.expressions.facts.get(number).variables;
        let read = read.or(self.expressions.facts.get(index).variables);
        (count > 1 && width <= 64 && !read.may_meet(written)).then_some((count, number))
    }

    fn call(
        &mut self,
        id: EdgeId,
        callee: FunctionId,
        arguments: &[TermId],
        results: &[VariableId],
    ) -> Compiled<()> {
        let function = self.program.function(callee);
        if arguments.len() != function.parameters.len() {
            return Err(NotCompiled(format!(
                "a call of {} with another number of arguments",
                function.name
            )));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.expressions.value(*argument)?;
            let is_parameter =
                |variable: &VariableId| self.expressions.places[variable.index()] == value;
            values.push(match function.parameters.iter().any(is_parameter) {
                true => self.own_copy(value),
                false => value,
            });
        }
        let place_of = |variable: &VariableId| self.expressions.places[variable.index()];
        let parameters = function.parameters.iter().map(place_of);
        let parameters = values.into_iter().zip(parameters).collect();
        let results = function
            .results
            .iter()
            .map(place_of)
            .zip(results.iter().map(place_of))
            .collect();
        let site = self.calls.len() as u32;
        self.calls.push(CallSite {
            edge: id,
            callee,
            entry: function.entry.0,
            parameters,
            results,
            recursive: self.call_graph.is_recursive(callee),
        });
        self.emit(Instruction::Call { site, edge: id });
        let target = self.program.edge(id).target.0;
        self.emit(Instruction::Jump { target });
        Ok(())
    }

    fn finish(mut self, checks: AccessChecks) -> Executable {
        // The target of labels that were not placed.
        self.emit(Instruction::Blocked {
            location: self.program.function(self.program.start).exit,
        });
        self.expressions.assembler.finish();
        for call in &mut self.calls {
            call.entry = self.expressions.assembler.address(call.entry);
        }
        tables::executable(
            self.program,
            self.expressions,
            self.calls,
            self.unsupported,
            checks,
        )
    }
}

/// The number of which the term is the lowest byte.
fn lowest_byte_of(value: TermId) -> Option<TermId> {
    match store().as_application(value) {
        Some((Op::Extract { high: 7, low: 0 }, arguments)) => Some(arguments[0]),
        _ => None,
    }
}

/// Whether the term is the number's byte at the position, counted from the lowest byte.
fn is_byte_of(term: TermId, number: TermId, position: u8) -> bool {
    match store().as_application(term) {
        Some((Op::Extract { high, low }, arguments)) => {
            arguments[0] == number && low == position * 8 && high == position * 8 + 7
        }
        _ => false,
    }
}

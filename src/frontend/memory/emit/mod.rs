//! Makes the program's edges, after the plan.

mod allocation;
mod assumptions;
mod calls;
mod choice;
mod devices;
mod expressions;
mod functions;
mod instructions;
mod memory;
mod nan;
mod places;
mod start;
mod transfer;
mod unknown_code;

use rustc_hash::FxHashMap;

use super::analysis::constraints::Facts;
use super::analysis::points_to::Target;
use super::builder::{Builder, Description};
use super::operators::arithmetic::{Semantics, pool};
use super::placement::plan::{ClassId, Home, Plan, Planner, Representation};
use super::{MemoryError, MemoryOptions};
use crate::ir::{FunctionIndex, ObjectIndex, Pointer, ScalarType, Storage, Unit};
use regatta_program::{
    Arithmetic, CScalar, FunctionId, InputId, InputKind, InputPart, LocationId, Operation, Passed,
    Program, Role, Scope, Span, UnsupportedReason, VariableId, Waypoint,
};
use regatta_term::{Build, RoundingMode, Sort, Symbol, TermId, TermKind, for_each_subterm};

pub use calls::Interface;

/// Makes the edges of all functions.
pub struct Emitter<'a, 'b> {
    unit: &'a Unit,
    options: &'b MemoryOptions,
    facts: &'b Facts<'a>,
    plan: &'b Plan,
    planner: &'b Planner<'a, 'b>,
    builder: &'b mut Builder,
    semantics: Semantics,
    function_ids: &'b [Option<FunctionId>],
    interfaces: Vec<Option<Interface>>,
    /// The automatic objects of each function.
    locals_of: Vec<Vec<ObjectIndex>>,
    /// The variable that holds the rounding mode, if it can change.
    rounding: Option<VariableId>,
    /// The number of elements of constant objects restored after calls of unknown code.
    restored: usize,
    // --- state of the function that is being emitted ---
    index: FunctionIndex,
    function: FunctionId,
    /// The location where `operations` start; `None` where control does not come.
    current: Option<LocationId>,
    operations: Vec<Operation>,
    span: Span,
    /// The waypoints that control has passed since `operations` began.
    passed: Vec<Passed>,
    /// The branching location after them: all edges from it pass them, later ones do not.
    fork: Option<LocationId>,
    /// The conditions under which C evaluates the current subexpression.
    guards: Vec<TermId>,
    /// The nesting depth of the expression that is being evaluated.
    depth: usize,
    /// Operations of these expressions that may fault, and the conditions under which C evaluates them.
    faulting: Vec<(TermId, TermId)>,
    /// The reason why the current instruction is not supported, if it is not.
    trouble: Option<String>,
    /// The first contradiction between the plan and the unit; then no program is made.
    contradiction: Option<String>,
    sink: Option<LocationId>,
    errors: FxHashMap<Span, LocationId>,
    temporaries: FxHashMap<Sort, Vec<VariableId>>,
    /// The number of temporaries of each sort that the current instruction uses.
    taken: FxHashMap<Sort, usize>,
}

impl<'a, 'b> Emitter<'a, 'b> {
    pub fn new(
        unit: &'a Unit,
        options: &'b MemoryOptions,
        planner: &'b Planner<'a, 'b>,
        plan: &'b Plan,
        builder: &'b mut Builder,
    ) -> Self {
        let function_ids = planner.function_ids;
        let mut locals_of = vec![Vec::new(); unit.functions.len()];
        for (index, object) in unit.objects.iter().enumerate() {
            if let Storage::Automatic(function) = object.storage {
                locals_of[function.0 as usize].push(ObjectIndex(index as u32));
            }
        }
        let semantics = Semantics {
            arithmetic: options.arithmetic,
            pointer_bits: unit.data_model.pointer_bits(),
        };
        let rounding = unit.dynamic_rounding.then(|| {
            builder.variable(
                "rounding mode",
                Sort::BitVec(2),
                Description {
                    scope: Scope::Global,
                    role: Role::Model,
                    c_type: None,
                    span: Span::NONE,
                },
            )
        });
        Self {
            unit,
            options,
            facts: planner.facts,
            plan,
            planner,
            builder,
            semantics,
            function_ids,
            interfaces: Vec::new(),
            locals_of,
            rounding,
            restored: 0,
            index: unit.start,
            function: FunctionId(0),
            current: None,
            operations: Vec::new(),
            span: Span::NONE,
            passed: Vec::new(),
            fork: None,
            guards: Vec::new(),
            depth: 0,
            faulting: Vec::new(),
            trouble: None,
            contradiction: None,
            sink: None,
            errors: FxHashMap::default(),
            temporaries: FxHashMap::default(),
            taken: FxHashMap::default(),
        }
    }

    /// Emits everything.
    pub fn run(mut self) -> Result<(), MemoryError> {
        self.declare_functions();
        for index in 0..self.unit.functions.len() {
            if self.function_ids[index].is_some() {
                self.emit_function(FunctionIndex(index as u32));
            }
        }
        match self.contradiction {
            Some(what) => Err(MemoryError::Internal(what)),
            None => Ok(()),
        }
    }

    /// Notes that the plan contradicts the unit. The program is then discarded.
    fn contradict(&mut self, what: impl std::fmt::Display) {
        if self.contradiction.is_none() {
            let function = &self.unit.functions[self.index.0 as usize].name;
            let line = self.span.line;
            self.contradiction = Some(format!("{what} (in `{function}`, line {line})"));
        }
    }

    fn target(&mut self, pointer: &Pointer) -> Target {
        match self.facts.target(pointer) {
            Ok(target) => target,
            Err(error) => {
                self.contradict(format_args!("a pointer: {error}"));
                self.facts.nowhere()
            }
        }
    }

    const fn program(&mut self) -> &mut Program {
        &mut self.builder.program
    }

    /// The current rounding mode.
    fn mode(&self) -> TermId {
        match self.rounding {
            Some(variable) => self.builder.term(variable),
            None => pool().rounding(RoundingMode::NearestEven),
        }
    }

    fn home(&self, object: ObjectIndex) -> Home {
        self.plan.homes[object.0 as usize]
    }

    const fn pointer_sort(&self) -> Sort {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => Sort::BitVec(self.semantics.pointer_bits),
            Arithmetic::Integer => Sort::Int,
        }
    }

    fn pointer_constant(&self, value: i128) -> TermId {
        self.semantics.constant(value, ScalarType::Pointer)
    }

    fn pointer_add(&self, a: TermId, b: TermId) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().add(a, b),
            Arithmetic::Integer => pool().int_add(a, b),
        }
    }

    fn pointer_sub(&self, a: TermId, b: TermId) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().sub(a, b),
            Arithmetic::Integer => pool().int_sub(a, b),
        }
    }

    // --- control flow ---

    /// Starts to collect operations at the location.
    fn begin(&mut self, location: LocationId) {
        debug_assert!(self.operations.is_empty());
        self.passed.clear();
        self.fork = None;
        self.current = Some(location);
    }

    fn push(&mut self, operation: Operation) {
        if self.current.is_some() {
            self.operations.push(operation);
        }
    }

    fn assign(&mut self, target: VariableId, value: TermId) {
        self.push(Operation::Assign { target, value });
    }

    fn assume(&mut self, condition: TermId) {
        if condition != TermId::TRUE {
            self.push(Operation::Assume(condition));
        }
    }

    fn location(&mut self) -> LocationId {
        self.builder.location(self.function, self.span, None)
    }

    /// Puts the collected operations on an edge to the location; control is then nowhere.
    fn finish(&mut self, target: LocationId) {
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
    fn pass_waypoint(&mut self, waypoint: Waypoint) {
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
    fn cut(&mut self) -> Option<LocationId> {
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
    fn branch(&mut self, source: LocationId, target: LocationId, condition: TermId) -> bool {
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
    fn turn(&mut self, waypoints: impl IntoIterator<Item = Waypoint>) {
        let operations = self.builder.program.edges.last();
        let operation = operations.map_or(0, |edge| edge.operations.len()) as u32;
        let passed = waypoints.into_iter().map(|waypoint| Passed {
            operation,
            waypoint,
        });
        self.builder.waypoints.add_to_last_edge(passed);
    }

    /// The function's location without successors, where paths end that do not return.
    fn sink(&mut self) -> LocationId {
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
    fn unsupported(&mut self, reason: &str) {
        self.push(Operation::Unsupported(UnsupportedReason(reason.to_owned())));
        let sink = self.sink();
        self.finish(sink);
    }

    /// Notes that the current instruction cannot be expressed.
    fn note_trouble(&mut self, reason: &str) {
        if self.trouble.is_none() {
            self.trouble = Some(reason.to_owned());
        }
    }

    /// Ends the path if something since the last call of this function could not be expressed.
    fn check_trouble(&mut self) {
        if let Some(reason) = self.trouble.take() {
            self.unsupported(&reason);
        }
    }

    // --- variables ---

    /// A temporary variable that the current instruction does not use yet.
    fn temporary(&mut self, sort: Sort) -> VariableId {
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
        let name = &self.unit.functions[self.index.0 as usize].name;
        let name = format!("{name}::temporary {number} of {sort}");
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

    fn input(&mut self, kind: InputKind, sort: Sort, c_type: Option<CScalar>) -> InputId {
        self.builder.input(kind, sort, c_type, self.span)
    }

    /// Marks the last input as a part of a larger value.
    fn set_part(&mut self, part: InputPart) {
        if let Some(input) = self.builder.program.inputs.last_mut() {
            input.part = Some(part);
        }
    }

    /// An arbitrary value of the sort, in a temporary.
    fn any(&mut self, sort: Sort, kind: InputKind, c_type: Option<CScalar>) -> TermId {
        let target = self.temporary(sort);
        let input = self.input(kind, sort, c_type);
        self.push(Operation::Havoc { target, input });
        self.builder.term(target)
    }

    /// The current value of the term, which later assignments do not change.
    fn freeze(&mut self, term: TermId) -> TermId {
        if regatta_term::Pool::constant(pool(), term).is_some() {
            return term;
        }
        let sort = regatta_term::Pool::sort(pool(), term);
        let variable = self.temporary(sort);
        self.assign(variable, term);
        self.builder.term(variable)
    }

    /// Whether the term depends on one of the variables.
    fn mentions(&self, term: TermId, variables: &[VariableId]) -> bool {
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

    const fn c_scalar(scalar: ScalarType) -> CScalar {
        match scalar {
            ScalarType::Integer { bits, signed } => CScalar::Integer { bits, signed },
            ScalarType::Bool => CScalar::Bool,
            ScalarType::Float(_) => CScalar::Float,
            ScalarType::Pointer => CScalar::Pointer,
        }
    }

    /// The representation in which a scalar of the type is loaded and stored; `bits` is the width of the access.
    fn form(&self, scalar: ScalarType, bits: u32) -> Representation {
        match (scalar, self.semantics.arithmetic) {
            (ScalarType::Bool, _) => Representation::Bool,
            (ScalarType::Float(format), _) => Representation::Float(format),
            (_, Arithmetic::Integer) => Representation::Int,
            (_, Arithmetic::BitVector) => Representation::Bits(bits.clamp(1, 128) as u8),
        }
    }

    fn class_fields(&self, id: ClassId) -> &'b [super::placement::plan::FieldPlan] {
        &self.plan.class_by_id(id).fields
    }
}

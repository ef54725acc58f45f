//! Programs made by hand, for tests and generators.
//!
//! A [`ProgramBuilder`] has a *cursor*: a location at which the next operation starts. Straight-line operations append
//! an edge and move the cursor to its target; [`ProgramBuilder::branch`] and [`ProgramBuilder::repeat_while`] make the
//! structured statements; [`ProgramBuilder::location`] and [`ProgramBuilder::edge`] make any graph.
//!
//! ```
//! use regatta_program::{ProgramBuilder, Operation};
//! use regatta_term::{Build, Sort, store};
//!
//! let mut b = ProgramBuilder::new();
//! let x = b.global("x", Sort::BitVec(32));
//! let input = b.input("__VERIFIER_nondet_int", Sort::BitVec(32));
//! b.havoc(x, input);
//! let ten = store().bv(32, 10);
//! let one = store().bv(32, 1);
//! b.repeat_while(store().ult(b.value(x), ten), |b| b.assign(x, store().add(b.value(x), one)));
//! b.error_unless(store().uge(b.value(x), ten));
//! let program = b.finish();
//! assert_eq!(program.errors.len(), 1);
//! ```

use super::cfa::*;
use regatta_base::source::{SourceMap, Span};
use regatta_term::{Build, ScalarSort, Sort, Symbol, TermId, store};

/// Builds a [`Program`] step by step; see the module documentation.
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    program: Program,
    cursor: LocationId,
}

impl Default for ProgramBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgramBuilder {
    /// An empty bit-vector program for LP64, with a start function; the cursor is at its entry.
    pub fn new() -> Self {
        let mut builder = Self {
            program: Program {
                sources: SourceMap::default(),
                arithmetic: Arithmetic::BitVector,
                data_model: DataModel::Lp64,
                variables: Vec::new(),
                functions: Vec::new(),
                locations: Vec::new(),
                edges: Vec::new(),
                regions: Vec::new(),
                objects: Vec::new(),
                inputs: Vec::new(),
                start: FunctionId(0),
                errors: Vec::new(),
                assumptions: Vec::new(),
                externals: Vec::new(),
                waypoints: std::sync::Arc::default(),
            },
            cursor: LocationId(0),
        };
        builder.function("start", &[], &[]);
        builder.enter(FunctionId(0));
        builder
    }

    /// Sets the semantics of integers.
    pub fn arithmetic(&mut self, arithmetic: Arithmetic) {
        self.program.arithmetic = arithmetic;
    }

    /// The program built so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn start(&self) -> FunctionId {
        self.program.start
    }

    /// A new function with parameters and results of the given names and sorts; the cursor stays where it is.
    pub fn function(
        &mut self,
        name: &str,
        parameters: &[(&str, Sort)],
        results: &[(&str, Sort)],
    ) -> FunctionId {
        let id = FunctionId(self.program.functions.len() as u32);
        let locals = |builder: &mut Self, list: &[(&str, Sort)]| {
            list.iter()
                .map(|&(local, sort)| {
                    builder.new_variable(format!("{name}::{local}"), sort, Scope::Local(id))
                })
                .collect::<Vec<_>>()
        };
        let parameters = locals(self, parameters);
        let results = locals(self, results);
        let entry = self.location(id);
        let exit = self.location(id);
        self.program.functions.push(Function {
            name: name.to_owned(),
            parameters,
            results,
            entry,
            exit,
            span: Span::NONE,
        });
        id
    }

    pub fn parameter(&self, function: FunctionId, index: usize) -> VariableId {
        self.program.function(function).parameters[index]
    }

    /// The variable of the result at `index`.
    pub fn result(&self, function: FunctionId, index: usize) -> VariableId {
        self.program.function(function).results[index]
    }

    /// A new global variable.
    pub fn global(&mut self, name: &str, sort: Sort) -> VariableId {
        self.new_variable(name.to_owned(), sort, Scope::Global)
    }

    /// A new local variable, whose name is prefixed with the function's.
    pub fn local(&mut self, function: FunctionId, name: &str, sort: Sort) -> VariableId {
        let name = format!("{}::{name}", self.program.function(function).name);
        self.new_variable(name, sort, Scope::Local(function))
    }

    /// A new region of byte-sized or wider elements, without static objects.
    pub fn region(&mut self, name: &str, index: ScalarSort, element: ScalarSort) -> RegionId {
        let id = RegionId(self.program.regions.len() as u32);
        let variable = self.new_variable(
            name.to_owned(),
            Sort::Array { index, element },
            Scope::Global,
        );
        self.program.variables[variable.index()].role = Role::Region(id);
        let base = match index {
            ScalarSort::BitVec(width) => store().bv(width, 0),
            _ => store().int(0),
        };
        self.program.regions.push(Region {
            variable,
            element_bytes: 1,
            base,
            objects: Vec::new(),
            dynamic: true,
        });
        id
    }

    /// A new input: the value returned by a call of the function of that name.
    pub fn input(&mut self, name: &str, sort: Sort) -> InputId {
        let id = InputId(self.program.inputs.len() as u32);
        self.program.inputs.push(Input {
            kind: InputKind::Nondet(name.to_owned()),
            sort,
            c_type: None,
            part: None,
            span: Span::NONE,
        });
        id
    }

    pub fn value(&self, variable: VariableId) -> TermId {
        store().variable(self.program.variable(variable).symbol)
    }

    /// The region's contents as a term.
    pub fn contents(&self, region: RegionId) -> TermId {
        self.value(self.program.region(region).variable)
    }

    /// A new location of the function.
    pub fn location(&mut self, function: FunctionId) -> LocationId {
        self.program.add_location(Location {
            function,
            span: Span::NONE,
            label: None,
            violates: None,
        })
    }

    /// A new location of the cursor's function.
    pub fn new_location(&mut self) -> LocationId {
        self.location(self.program.location(self.cursor).function)
    }

    /// A new edge; the cursor stays where it is.
    pub fn edge(
        &mut self,
        source: LocationId,
        target: LocationId,
        operations: Vec<Operation>,
    ) -> EdgeId {
        self.program.add_edge(Edge {
            source,
            target,
            operations,
            span: Span::NONE,
        })
    }

    /// The location at which the next operation starts.
    pub fn cursor(&self) -> LocationId {
        self.cursor
    }

    /// Moves the cursor.
    pub fn at(&mut self, location: LocationId) {
        self.cursor = location;
    }

    /// Moves the cursor to the function's entry.
    pub fn enter(&mut self, function: FunctionId) {
        self.cursor = self.program.function(function).entry;
    }

    /// Adds an edge with the operations from the cursor to a new location, and moves the cursor there.
    pub fn operations(&mut self, operations: Vec<Operation>) {
        let target = self.new_location();
        self.edge(self.cursor, target, operations);
        self.cursor = target;
    }

    /// A skip from the cursor to the location; the cursor stays where it is.
    pub fn jump(&mut self, target: LocationId) {
        self.edge(self.cursor, target, Vec::new());
    }

    /// A skip from the cursor to the exit of its function.
    pub fn leave(&mut self) {
        let function = self.program.location(self.cursor).function;
        self.jump(self.program.function(function).exit);
    }

    /// `target := value`.
    pub fn assign(&mut self, target: VariableId, value: TermId) {
        self.operations(vec![Operation::Assign { target, value }]);
    }

    /// `region[index] := value`.
    pub fn write(&mut self, region: RegionId, index: TermId, value: TermId) {
        self.operations(vec![Operation::Store {
            region,
            index,
            value,
        }]);
    }

    /// `target := input`.
    pub fn havoc(&mut self, target: VariableId, input: InputId) {
        self.operations(vec![Operation::Havoc { target, input }]);
    }

    /// Goes on only if the condition holds.
    pub fn assume(&mut self, condition: TermId) {
        self.operations(vec![Operation::Assume(condition)]);
    }

    pub fn call(&mut self, callee: FunctionId, arguments: Vec<TermId>, results: Vec<VariableId>) {
        self.operations(vec![Operation::Call {
            callee,
            arguments,
            results,
        }]);
    }

    /// Adds an unsupported operation; the cursor is then at an unreachable location.
    pub fn unsupported(&mut self, reason: &str) {
        self.operations(vec![Operation::Unsupported(UnsupportedReason(
            reason.to_owned(),
        ))]);
    }

    /// A new error location, to which a skip leads from the cursor; the cursor stays where it is.
    pub fn error(&mut self) -> LocationId {
        let error = self.new_location();
        self.program.add_error(error, Property::UnreachCall);
        self.jump(error);
        error
    }

    /// `if (condition) then else otherwise`; the cursor goes to where the branches meet.
    pub fn branch(
        &mut self,
        condition: TermId,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let start = self.cursor;
        let join = self.new_location();
        self.assume(condition);
        then(self);
        self.jump(join);
        self.cursor = start;
        self.assume(store().not(condition));
        otherwise(self);
        self.jump(join);
        self.cursor = join;
    }

    /// `while (condition) body`; the cursor goes to where the loop is left.
    pub fn repeat_while(&mut self, condition: TermId, body: impl FnOnce(&mut Self)) {
        let head = self.new_location();
        self.jump(head);
        self.cursor = head;
        self.assume(condition);
        body(self);
        self.jump(head);
        self.cursor = head;
        self.assume(store().not(condition));
    }

    /// `if (!condition) error`; the cursor goes to where the condition holds.
    pub fn error_unless(&mut self, condition: TermId) {
        self.branch(
            condition,
            |_| (),
            |b| {
                b.error();
                // The branch ends in an unreachable location.
                b.cursor = b.new_location();
            },
        );
    }

    pub fn finish(self) -> Program {
        self.program
    }

    fn new_variable(&mut self, name: String, sort: Sort, scope: Scope) -> VariableId {
        let symbol = Symbol::new(&name, sort);
        self.program.add_variable(Variable {
            name,
            symbol,
            sort,
            scope,
            role: Role::Source,
            c_type: None,
            span: Span::NONE,
        })
    }
}

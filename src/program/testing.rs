//! Random programs for tests, and a reference interpreter that follows the definition of execution literally.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::cfa::*;
use crate::{Graph, ProgramBuilder};
use regatta_term::random::{Choices, Listed};
use regatta_term::{Build, ScalarSort, Sort, Symbol, TermId, Value, evaluate, store};

/// Width in bits of the integers of random programs: narrow, so that loops end soon.
const WIDTH: u8 = 4;

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At an error location.
    Error(LocationId),
    /// At an unsupported edge.
    Unsupported(String),
    /// No edge could be taken.
    Stopped,
    /// After the maximum number of steps.
    OutOfSteps,
}

/// The state of an execution, and the sequence of its inputs.
pub struct Machine<'a> {
    pub program: &'a Program,
    pub values: FxHashMap<Symbol, Value>,
    /// The number of times that each input has been read.
    asked: BTreeMap<InputId, u64>,
    seed: u64,
    /// The inputs' values, in the order of reading.
    pub inputs: Vec<(InputId, Value)>,
}

impl<'a> Machine<'a> {
    /// A machine with all variables zero; the seed determines the values of the inputs.
    pub fn new(program: &'a Program, seed: u64) -> Self {
        let zero = |variable: &Variable| (variable.symbol, Value::zero(variable.sort));
        Self {
            program,
            values: program.variables.iter().map(zero).collect(),
            asked: BTreeMap::new(),
            seed,
            inputs: Vec::new(),
        }
    }

    pub fn evaluate(&self, term: TermId) -> Value {
        evaluate(store(), term, &|symbol, instance| {
            assert_eq!(instance, 0);
            self.values.get(&symbol).cloned()
        })
        .expect("all variables have values")
    }

    pub fn get(&self, variable: VariableId) -> Value {
        self.values[&self.program.variable(variable).symbol].clone()
    }

    pub fn set(&mut self, variable: VariableId, value: Value) {
        self.values
            .insert(self.program.variable(variable).symbol, value);
    }

    fn input(&mut self, input: InputId) -> Value {
        let count = self.asked.entry(input).or_insert(0);
        let mut bits =
            self.seed ^ u64::from(input.0).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ *count << 32;
        *count += 1;
        for _ in 0..3 {
            bits = (bits ^ bits >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        }
        let value = match self.program.input(input).sort {
            Sort::Bool => Value::Bool(bits & 1 != 0),
            Sort::BitVec(width) => Value::bit_vec(width, u128::from(bits)),
            sort => Value::zero(sort),
        };
        self.inputs.push((input, value.clone()));
        value
    }

    /// Executes an operation other than a call; returns whether execution continues.
    pub fn execute(&mut self, operation: &Operation) -> bool {
        match operation {
            Operation::Assign { target, value } => self.set(*target, self.evaluate(*value)),
            Operation::Assume(condition) => return self.evaluate(*condition) == Value::Bool(true),
            Operation::Store {
                region,
                index,
                value,
            } => {
                let variable = self.program.region(*region).variable;
                let (index, value) = (self.evaluate(*index), self.evaluate(*value));
                let Value::Array(mut contents) = self.get(variable) else {
                    panic!("a region is an array")
                };
                contents.store(index, value);
                self.set(variable, Value::Array(contents));
            }
            Operation::Havoc { target, input } => {
                let value = self.input(*input);
                self.set(*target, value);
            }
            Operation::Call { .. } => panic!("calls are the caller's business"),
            Operation::Allocate { .. }
            | Operation::Free { .. }
            | Operation::Claim(_)
            | Operation::Unsupported(_) => {}
        }
        true
    }

    /// Whether the edge can be taken now. The state is unchanged afterwards.
    pub fn can_take(&mut self, edge: &Edge) -> bool {
        let (values, asked, count) = (self.values.clone(), self.asked.clone(), self.inputs.len());
        let taken = edge.operations.iter().all(|operation| match operation {
            Operation::Call { .. } => true,
            operation => self.execute(operation),
        });
        self.values = values;
        self.asked = asked;
        self.inputs.truncate(count);
        taken
    }

    /// Executes the program; where several edges can be taken, the first.
    pub fn run(&mut self, steps: usize) -> Outcome {
        let program = self.program;
        let graph = Graph::new(program);
        let mut location = program.function(program.start).entry;
        let mut stack: Vec<(EdgeId, Vec<(Symbol, Value)>)> = Vec::new();
        for _ in 0..steps {
            if program.errors.contains(&location) {
                return Outcome::Error(location);
            }
            let function = program.location(location).function;
            if location == program.function(function).exit {
                let Some((call, saved)) = stack.pop() else {
                    return Outcome::Stopped;
                };
                let edge = program.edge(call);
                let Some(Operation::Call {
                    callee, results, ..
                }) = edge.operations.first()
                else {
                    panic!()
                };
                let values: Vec<Value> = program
                    .function(*callee)
                    .results
                    .iter()
                    .map(|&r| self.get(r))
                    .collect();
                self.values.extend(saved);
                for (&result, value) in results.iter().zip(values) {
                    self.set(result, value);
                }
                location = edge.target;
                continue;
            }
            let Some(&id) = graph
                .outgoing(location)
                .iter()
                .find(|&&id| self.can_take(program.edge(id)))
            else {
                return Outcome::Stopped;
            };
            let edge = program.edge(id);
            if let Some(Operation::Call {
                callee, arguments, ..
            }) = edge.operations.first()
            {
                let own = |variable: &&Variable| matches!(variable.scope, Scope::Local(_));
                let locals = program.variables.iter().filter(own);
                let saved = locals
                    .map(|v| (v.symbol, self.values[&v.symbol].clone()))
                    .collect();
                let values: Vec<Value> = arguments
                    .iter()
                    .map(|&argument| self.evaluate(argument))
                    .collect();
                for (&parameter, value) in program.function(*callee).parameters.iter().zip(values) {
                    self.set(parameter, value);
                }
                stack.push((id, saved));
                location = program.function(*callee).entry;
                continue;
            }
            for operation in &edge.operations {
                if let Operation::Unsupported(reason) = operation {
                    return Outcome::Unsupported(reason.0.clone());
                }
                assert!(self.execute(operation));
            }
            location = edge.target;
        }
        Outcome::OutOfSteps
    }
}

/// Whether one of 20 runs reaches an error or an unsupported edge; the seed determines their inputs.
pub fn some_run_fails(program: &Program, seed: u64) -> bool {
    (seed..seed + 20).any(|seed| {
        let outcome = Machine::new(program, seed).run(3000);
        matches!(outcome, Outcome::Error(_) | Outcome::Unsupported(_))
    })
}

/// Whether random programs may have functions that call themselves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Recursion {
    Allowed,
    Excluded,
}

/// Decodes a sequence of bytes into a program: every sequence encodes a program, and shorter sequences encode smaller
/// ones, so that failures shrink.
pub fn random_program(bytes: &[u8], recursion: Recursion) -> Program {
    let mut generator = Generator::new(bytes, recursion);
    generator.functions();
    generator.builder.finish()
}

struct Generator<'b> {
    bytes: Listed<'b, u8>,
    builder: ProgramBuilder,
    recursion: Recursion,
    globals: Vec<VariableId>,
    region: RegionId,
    inputs: Vec<InputId>,
    functions: Vec<FunctionId>,
    scope: Vec<VariableId>,
    current: usize,
    targets: Vec<LocationId>,
}

impl<'b> Generator<'b> {
    fn new(bytes: &'b [u8], recursion: Recursion) -> Self {
        let mut b = ProgramBuilder::new();
        let sort = Sort::BitVec(WIDTH);
        let globals = ["a", "b", "c"].map(|name| b.global(name, sort)).to_vec();
        let region = b.region(
            "region",
            ScalarSort::BitVec(WIDTH),
            ScalarSort::BitVec(WIDTH),
        );
        let inputs = (0..4)
            .map(|number| b.input(&format!("input{number}"), sort))
            .collect();
        let mut functions = vec![b.start()];
        functions.push(b.function("f", &[("p", sort)], &[("r", sort)]));
        functions.push(b.function("g", &[("p", sort), ("q", sort)], &[("r", sort)]));
        functions.push(b.function("h", &[], &[]));
        Self {
            bytes: Listed::new(bytes),
            builder: b,
            recursion,
            globals,
            region,
            inputs,
            functions,
            scope: Vec::new(),
            current: 0,
            targets: Vec::new(),
        }
    }

    fn byte(&mut self) -> u8 {
        self.bytes.number() as u8
    }

    fn pick(&mut self, count: usize) -> usize {
        self.bytes.below(count)
    }

    fn functions(&mut self) {
        for index in 0..self.functions.len() {
            let function = self.functions[index];
            self.current = index;
            let local = self.builder.local(function, "x", Sort::BitVec(WIDTH));
            let info = self.builder.program().function(function).clone();
            self.scope = self.globals.clone();
            self.scope.push(local);
            self.scope
                .extend(info.parameters.iter().chain(&info.results));
            self.targets.clear();
            self.builder.enter(function);
            for &result in info.results.iter().chain([&local]) {
                self.builder.assign(result, store().bv(WIDTH, 0));
            }
            if index == 0 {
                for global in self.globals.clone() {
                    self.builder.assign(global, store().bv(WIDTH, 0));
                }
                let zero = store().const_array(ScalarSort::BitVec(WIDTH), store().bv(WIDTH, 0));
                let contents = self.builder.program().region(self.region).variable;
                self.builder.assign(contents, zero);
            }
            let length = 1 + self.pick(if index == 0 { 10 } else { 5 });
            for _ in 0..length {
                self.statement(2);
            }
            self.builder.leave();
        }
    }

    fn statement(&mut self, depth: u32) {
        let (x, y) = (self.variable(), self.term(2));
        match self.pick(if depth == 0 { 9 } else { 14 }) {
            0..=2 => self.builder.assign(x, y),
            3 => {
                let input = self.inputs[self.bytes.clone().below(4)];
                self.byte();
                self.builder.havoc(x, input);
            }
            4 => {
                let index = self.index();
                self.builder.write(self.region, index, y);
            }
            5 => {
                let condition = self.condition();
                self.builder.error_unless(condition);
            }
            6 => {
                let condition = self.condition();
                self.builder.assume(condition);
            }
            7 => self.call(x),
            8 => match self.pick(6) {
                0 => {
                    let condition = self.condition();
                    self.builder
                        .branch(condition, |b| b.unsupported("random"), |_| ());
                }
                1 => {
                    let contents = self.builder.program().region(self.region).variable;
                    let value = store().const_array(ScalarSort::BitVec(WIDTH), y);
                    self.builder.assign(contents, value);
                }
                2 if !self.targets.is_empty() => {
                    // A jump back, or into a loop.
                    let number = self.pick(self.targets.len());
                    let target = self.targets[number];
                    let condition = self.condition();
                    self.builder.branch(
                        condition,
                        |b| {
                            b.jump(target);
                            let dead = b.new_location();
                            b.at(dead);
                        },
                        |_| (),
                    );
                }
                _ => {
                    let here = self.builder.cursor();
                    self.targets.push(here);
                }
            },
            9..=11 => {
                let condition = self.condition();
                let (then, otherwise) = (self.pick(3), self.pick(3));
                self.branch(condition, depth, then, otherwise);
            }
            12 => {
                // Counts from zero to a bound.
                let bound = store().bv(WIDTH, u128::from(self.byte()) % 16);
                self.builder.assign(x, store().bv(WIDTH, 0));
                let value = self.builder.value(x);
                let condition = store().ult(value, bound);
                let length = self.pick(3);
                self.repeat(
                    condition,
                    depth,
                    length,
                    Some((x, store().add(value, store().bv(WIDTH, 1)))),
                );
            }
            _ => {
                let condition = self.condition();
                let length = 1 + self.pick(2);
                self.repeat(condition, depth, length, None);
            }
        }
    }

    fn branch(&mut self, condition: TermId, depth: u32, then: usize, otherwise: usize) {
        let start = self.builder.cursor();
        let join = self.builder.new_location();
        for (condition, length) in [(condition, then), (store().not(condition), otherwise)] {
            self.builder.at(start);
            self.builder.assume(condition);
            for _ in 0..length {
                self.statement(depth - 1);
            }
            self.builder.jump(join);
        }
        self.builder.at(join);
    }

    fn repeat(
        &mut self,
        condition: TermId,
        depth: u32,
        length: usize,
        step: Option<(VariableId, TermId)>,
    ) {
        let head = self.builder.new_location();
        self.builder.jump(head);
        self.builder.at(head);
        self.builder.assume(condition);
        for _ in 0..length {
            self.statement(depth - 1);
        }
        if let Some((variable, value)) = step {
            self.builder.assign(variable, value);
        }
        self.builder.jump(head);
        self.builder.at(head);
        self.builder.assume(store().not(condition));
    }

    fn call(&mut self, result: VariableId) {
        let callees = match self.recursion {
            Recursion::Allowed => &self.functions[1..],
            Recursion::Excluded => &self.functions[self.current + 1..],
        };
        let callees = callees.to_vec();
        if callees.is_empty() {
            return;
        }
        let callee = callees[self.pick(callees.len())];
        let info = self.builder.program().function(callee).clone();
        let arguments = info.parameters.iter().map(|_| self.term(1)).collect();
        let results = if self.pick(3) == 0 {
            vec![]
        } else {
            info.results.iter().map(|_| result).collect()
        };
        self.builder.call(callee, arguments, results);
    }

    fn variable(&mut self) -> VariableId {
        self.scope[self.bytes.clone().below(self.scope.len())]
    }

    fn term(&mut self, depth: u32) -> TermId {
        let kind = self.pick(if depth == 0 { 3 } else { 7 });
        if kind < 2 {
            let number = self.pick(self.scope.len());
            let variable = self.scope[number];
            return self.builder.value(variable);
        }
        if kind == 2 {
            return store().bv(WIDTH, u128::from(self.byte()));
        }
        if kind == 3 {
            let index = self.index();
            return store().select(self.builder.contents(self.region), index);
        }
        let (a, b) = (self.term(depth - 1), self.term(depth - 1));
        match kind {
            4 => store().add(a, b),
            5 => store().bvand(a, b),
            _ => store().ite(store().ult(a, b), b, a),
        }
    }

    fn index(&mut self) -> TermId {
        if self.pick(3) == 0 {
            self.term(0)
        } else {
            store().bv(WIDTH, u128::from(self.byte()) % 3)
        }
    }

    fn condition(&mut self) -> TermId {
        let (a, b) = (self.term(1), self.term(0));
        match self.pick(5) {
            0 => store().eq(a, b),
            1 => store().not(store().eq(a, b)),
            2 => store().ult(a, b),
            3 => store().slt(a, b),
            _ => store().or2(store().eq(a, b), store().slt(a, store().bv(WIDTH, 2))),
        }
    }
}

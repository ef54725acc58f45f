//! The machine agrees with the semantics of terms: random programs against an interpreter that follows the definition of
//! execution literally.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use crate::program::interpreter::{Executable, InputSource, Limits, Machine, Outcome};
use crate::program::{Input, InputId, LocationId, Operation, Program, ProgramBuilder, VariableId};
use crate::term::FloatFormat::{F16, F32, F64, F80, F128};
use crate::term::random::{Choices, Language, Listed, RandomTerms, corner};
use crate::term::{
    ArrayValue, Build, ScalarSort, Sort, Store, Symbol, TermId, Value, evaluate, store,
};

/// Index and element of the arrays in random programs.
const ARRAYS: [(ScalarSort, ScalarSort); 4] = [
    (ScalarSort::BitVec(32), ScalarSort::BitVec(8)),
    (ScalarSort::BitVec(16), ScalarSort::BitVec(64)),
    (ScalarSort::Int, ScalarSort::Int),
    (ScalarSort::BitVec(64), ScalarSort::Float(F80)),
];

/// The scalar sorts in random programs.
const SCALARS: [Sort; 14] = [
    Sort::BitVec(32),
    Sort::Bool,
    Sort::BitVec(8),
    Sort::BitVec(64),
    Sort::Int,
    Sort::Float(F32),
    Sort::Float(F64),
    Sort::BitVec(16),
    Sort::BitVec(1),
    Sort::BitVec(100),
    Sort::BitVec(128),
    Sort::Float(F16),
    Sort::Float(F80),
    Sort::Float(F128),
];

const fn array_of((index, element): (ScalarSort, ScalarSort)) -> Sort {
    Sort::Array { index, element }
}

/// Two variables of each sort.
struct Variables {
    all: Vec<(VariableId, Sort)>,
}

impl Variables {
    fn declare(builder: &mut ProgramBuilder) -> Self {
        let sorts = SCALARS.into_iter().chain(ARRAYS.map(array_of));
        let all = sorts.flat_map(|sort| (0..2).map(move |copy| (copy, sort)));
        let all = all
            .map(|(copy, sort)| (builder.global(&format!("v{copy}{sort}"), sort), sort))
            .collect();
        Self { all }
    }

    /// A variable of the sort, if there are any.
    fn find(&self, sort: Sort, choice: u64) -> Option<VariableId> {
        let of_sort = |&&(_, other): &&(VariableId, Sort)| other == sort;
        let matching: Vec<_> = self.all.iter().filter(of_sort).collect();
        let position = choice as usize % matching.len().max(1);
        matching.get(position).map(|(variable, _)| *variable)
    }

    fn of(&self, sort: Sort, choice: u64) -> VariableId {
        self.find(sort, choice).expect("a variable of the sort")
    }
}

/// A generator of terms over the variables, controlled by the choices.
fn random_terms<'a, 'c>(
    builder: &'a ProgramBuilder,
    variables: &'a Variables,
    choices: &'a mut Listed<'c, u64>,
) -> RandomTerms<'a, Store, &'a mut Listed<'c, u64>> {
    let language = Language {
        widths: vec![32, 8, 64, 16, 1, 100, 128],
        formats: vec![F32, F64, F80, F128, F16],
        integers: true,
        arrays: ARRAYS.to_vec(),
    };
    let variables = |sort, choice| Some(builder.value(variables.find(sort, choice)?));
    let mut terms = RandomTerms::new(store(), choices, language, variables);
    terms.odd_widths = true;
    terms.constants = value_of;
    terms
}

/// A value, often a corner case. Integer indices are small, since large ones are equal for the machine modulo 2^64.
fn value_of(sort: Sort, choice: u64) -> Value {
    match corner(sort, choice) {
        Value::Array(array) => {
            let Sort::Array { index, .. } = sort else {
                unreachable!("the value of an array");
            };
            let short = |(index, element): (&Value, &Value)| match index {
                Value::Int(index) => (Value::Int(index % 1_000_000), element.clone()),
                other => (other.clone(), element.clone()),
            };
            let default = array.default_value().clone();
            Value::Array(ArrayValue::new(
                index,
                default,
                array.entries().iter().map(short),
            ))
        }
        value => value,
    }
}

/// A source that gives listed values, then zeros.
struct Inputs {
    values: FxHashMap<InputId, Vec<Value>>,
}

impl InputSource for Inputs {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let queue = self.values.get_mut(&id);
        Some(
            queue
                .and_then(Vec::pop)
                .unwrap_or_else(|| Value::zero(input.sort)),
        )
    }
}

/// The reference interpreter, without calls and objects.
struct Reference<'p> {
    program: &'p Program,
    state: FxHashMap<Symbol, Value>,
}

impl Reference<'_> {
    fn eval(&self, state: &FxHashMap<Symbol, Value>, term: TermId) -> Value {
        evaluate(store(), term, &|symbol, _| state.get(&symbol).cloned())
            .expect("every variable has a value")
    }

    fn symbol(&self, variable: VariableId) -> Symbol {
        self.program.variable(variable).symbol
    }

    /// The state after the edge's operations, if none blocks.
    fn attempt(
        &self,
        operations: &[Operation],
        inputs: &mut Inputs,
    ) -> Option<FxHashMap<Symbol, Value>> {
        let mut state = self.state.clone();
        for operation in operations {
            match operation {
                Operation::Assign { target, value } => {
                    let value = self.eval(&state, *value);
                    state.insert(self.symbol(*target), value);
                }
                Operation::Assume(condition) => {
                    if self.eval(&state, *condition) != Value::Bool(true) {
                        return None;
                    }
                }
                Operation::Store {
                    region,
                    index,
                    value,
                } => {
                    let (index, value) = (self.eval(&state, *index), self.eval(&state, *value));
                    let symbol = self.symbol(self.program.region(*region).variable);
                    if let Some(Value::Array(array)) = state.get_mut(&symbol) {
                        array.store(index, value);
                    }
                }
                Operation::Havoc { target, input } => {
                    let value = inputs.next(*input, self.program.input(*input))?;
                    state.insert(self.symbol(*target), value);
                }
                _ => unreachable!("not made here"),
            }
        }
        Some(state)
    }

    /// Runs for at most the number of edges; `None` if the run does not end.
    fn run(&mut self, inputs: &mut Inputs, edges: usize) -> Option<Outcome> {
        let outgoing = self.program.outgoing();
        let mut location = self.program.function(self.program.start).entry;
        for _ in 0..edges {
            if self.program.errors.contains(&location) {
                return Some(Outcome::Error { location });
            }
            let leaving = &outgoing[location.index()];
            if leaving.is_empty() {
                return Some(Outcome::Ended { location });
            }
            let mut next = None;
            for edge in leaving {
                let edge = self.program.edge(*edge);
                // An edge that is not taken reads no inputs.
                let before = inputs.values.clone();
                match self.attempt(&edge.operations, inputs) {
                    Some(state) => {
                        self.state = state;
                        next = Some(edge.target);
                        break;
                    }
                    None => inputs.values = before,
                }
            }
            match next {
                Some(target) => location = target,
                None => return Some(Outcome::Blocked { location }),
            }
        }
        None
    }
}

fn listed(choices: &mut Listed<'_, u64>, program: &Program) -> Inputs {
    let mut values: FxHashMap<InputId, Vec<Value>> = FxHashMap::default();
    for (index, input) in program.inputs.iter().enumerate() {
        let list = (0..3)
            .map(|_| value_of(input.sort, choices.number()))
            .collect();
        values.insert(InputId(index as u32), list);
    }
    Inputs { values }
}

/// Runs the program with both interpreters, and compares the outcomes and the values of all variables.
fn compare(program: &Program, choices: &mut Listed<'_, u64>) -> Result<(), TestCaseError> {
    let mut inputs = listed(choices, program);
    let mut same_inputs = Inputs {
        values: inputs.values.clone(),
    };
    let mut reference = Reference {
        program,
        state: program
            .variables
            .iter()
            .map(|variable| (variable.symbol, Value::zero(variable.sort)))
            .collect(),
    };
    let Some(expected) = reference.run(&mut inputs, 60) else {
        // The run does not end within the limit.
        return Ok(());
    };
    let executable = Executable::compile(program);
    let mut machine = Machine::new(&executable);
    let limits = Limits {
        steps: 100_000,
        ..Limits::default()
    };
    let report = machine.run(&mut same_inputs, limits);
    prop_assert_eq!(&report.outcome, &expected);
    for (index, variable) in program.variables.iter().enumerate() {
        let value = machine.value(VariableId(index as u32));
        prop_assert_eq!(
            &value,
            &reference.state[&variable.symbol],
            "{}",
            variable.name
        );
    }
    Ok(())
}

/// Assigns a random value to every variable.
fn initialise(builder: &mut ProgramBuilder, variables: &Variables) {
    for (variable, sort) in &variables.all {
        let input = builder.input("any", *sort);
        builder.havoc(*variable, input);
    }
}

/// Random operations: one, or the stores of a number's bytes.
fn operation(
    builder: &ProgramBuilder,
    variables: &Variables,
    choices: &mut Listed<'_, u64>,
    depth: u32,
) -> Vec<Operation> {
    let choice = choices.number();
    let kind = choices.number() % 8;
    let sort = match kind {
        0 | 3 => array_of(choices.one_of(&ARRAYS)),
        _ => choices.one_of(&SCALARS),
    };
    let target = variables.of(sort, choice);
    let input = InputId(choices.below(builder.program().inputs.len()) as u32);
    let mut terms = random_terms(builder, variables, choices);
    match kind {
        1 | 2 => vec![Operation::Assume(terms.term(Sort::Bool, depth))],
        3 => {
            let region = builder
                .program()
                .regions
                .iter()
                .position(|region| region.variable == target);
            let Sort::Array { index, element } = sort else {
                unreachable!("an array was chosen");
            };
            vec![Operation::Store {
                region: crate::program::RegionId(region.expect("every array is a region") as u32),
                index: terms.index(index.into(), depth),
                value: terms.term(element.into(), depth),
            }]
        }
        4 => {
            // A number written byte by byte.
            let number = terms.term(Sort::BitVec(32), depth);
            let index = terms.term(Sort::BitVec(32), depth.min(1));
            let region = crate::program::RegionId(choice as u32 % 2);
            let store_byte = |position: u8| Operation::Store {
                region,
                index: store().add(index, store().bv(32, u128::from(position))),
                value: store().extract(number, position * 8 + 7, position * 8),
            };
            (0..4).map(store_byte).collect()
        }
        5 => {
            let target = builder.program().inputs[input.index()].sort;
            vec![Operation::Havoc {
                target: variables.of(target, choice),
                input,
            }]
        }
        _ => vec![Operation::Assign {
            target,
            value: terms.term(sort, depth),
        }],
    }
}

/// Adds a region for every array sort, so that [`Operation::Store`] can write to it.
fn make_regions(builder: &mut ProgramBuilder) {
    // The builder gives each region a variable of its own.
    for (index, element) in ARRAYS {
        let sort = Sort::Array { index, element };
        for copy in 0..2 {
            builder.region(&format!("r{copy}{sort}"), index, element);
        }
    }
}

fn declare(builder: &mut ProgramBuilder) -> Variables {
    let mut variables = Variables::declare(builder);
    make_regions(builder);
    variables.all.retain(|(_, sort)| !sort.is_array());
    let program = builder.program();
    let regions = program.regions.iter().map(|region| region.variable);
    let arrays: Vec<_> = regions
        .map(|variable| (variable, program.variable(variable).sort))
        .collect();
    variables.all.extend(arrays);
    variables
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// One assignment to a variable of each sort.
    #[test]
    fn terms(list in proptest::collection::vec(any::<u64>(), 0..400)) {
        let mut choices = Listed::new(&list);
        let mut builder = ProgramBuilder::new();
        let variables = declare(&mut builder);
        initialise(&mut builder, &variables);
        for _ in 0..6 {
            let (choice, array) = (choices.number(), choices.number().is_multiple_of(5));
            let sort = match array {
                true => array_of(choices.one_of(&ARRAYS)),
                false => choices.one_of(&SCALARS),
            };
            let target = variables.of(sort, choice);
            let value = random_terms(&builder, &variables, &mut choices).term(sort, 4);
            builder.assign(target, value);
        }
        compare(builder.program(), &mut choices)?;
    }

    /// Random graphs with several operations on an edge and conditions at any place.
    #[test]
    fn programs(list in proptest::collection::vec(any::<u64>(), 0..900)) {
        let mut choices = Listed::new(&list);
        let mut builder = ProgramBuilder::new();
        let variables = declare(&mut builder);
        initialise(&mut builder, &variables);
        let locations: Vec<LocationId> = std::iter::once(builder.cursor())
            .chain((0..4).map(|_| builder.new_location()))
            .collect();
        for (source, location) in locations.iter().enumerate().take(4) {
            for _ in 0..1 + choices.below(3) {
                let mut operations = Vec::new();
                for _ in 0..choices.below(5) {
                    operations.extend(operation(&builder, &variables, &mut choices, 2));
                }
                let target = match choices.number() % 5 {
                    0 => locations[choices.below(5)],
                    _ => locations[source + 1],
                };
                builder.edge(*location, target, operations);
            }
        }
        compare(builder.program(), &mut choices)?;
    }
}

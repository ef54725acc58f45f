//! The machine computes what terms mean, on random operations in random programs: against an interpreter that is as
//! simple as the definition.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::generator::{ARRAYS, Choices, Generator, SCALARS, Variables};
use crate::program::interpreter::{Executable, InputSource, Limits, Machine, Outcome};
use crate::program::{Input, InputId, LocationId, Operation, Program, ProgramBuilder, VariableId};
use crate::term::{Symbol, TermId, Value, evaluate, store};

/// Gives listed values, then zeros.
struct Listed {
    values: FxHashMap<InputId, Vec<Value>>,
}

impl InputSource for Listed {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let queue = self.values.get_mut(&id);
        Some(
            queue
                .and_then(Vec::pop)
                .unwrap_or_else(|| Value::zero(input.sort)),
        )
    }
}

/// The definition of a program's meaning, without calls and objects.
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

    /// The state behind the edge's operations, if all go through.
    fn attempt(
        &self,
        operations: &[Operation],
        inputs: &mut Listed,
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

    /// Runs for a number of edges.
    fn run(&mut self, inputs: &mut Listed, edges: usize) -> Option<Outcome> {
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
                // A failed attempt gives its inputs back.
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

fn listed(choices: &mut Choices<'_>, program: &Program) -> Listed {
    let mut values: FxHashMap<InputId, Vec<Value>> = FxHashMap::default();
    for (index, input) in program.inputs.iter().enumerate() {
        let list = (0..3).map(|_| choices.value(input.sort)).collect();
        values.insert(InputId(index as u32), list);
    }
    Listed { values }
}

/// Runs the program both ways and compares how it ends and what every variable holds.
fn compare(program: &Program, choices: &mut Choices<'_>) -> Result<(), TestCaseError> {
    let mut inputs = listed(choices, program);
    let mut same_inputs = Listed {
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
        // It runs too long to be of interest.
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

/// Every variable gets a random value.
fn initialise(builder: &mut ProgramBuilder, variables: &Variables) {
    for (variable, sort) in &variables.all {
        let input = builder.input("any", *sort);
        builder.havoc(*variable, input);
    }
}

/// A random operation; `arrays` may be changed as a whole.
fn operation(
    builder: &ProgramBuilder,
    variables: &Variables,
    choices: &mut Choices<'_>,
    depth: u32,
) -> Vec<Operation> {
    let choice = choices.next();
    let kind = choices.next() % 8;
    let sort = match kind {
        0 | 3 => choices.one_of(&ARRAYS),
        _ => choices.one_of(&SCALARS),
    };
    let target = variables.of(sort, choice);
    let input = InputId(choices.below(builder.program().inputs.len()) as u32);
    let mut generator = Generator {
        builder,
        variables,
        choices,
    };
    match kind {
        1 | 2 => vec![Operation::Assume(
            generator.term(crate::term::Sort::Bool, depth),
        )],
        3 => {
            let region = builder
                .program()
                .regions
                .iter()
                .position(|region| region.variable == target);
            let crate::term::Sort::Array { index, element } = sort else {
                unreachable!("an array was chosen");
            };
            vec![Operation::Store {
                region: crate::program::RegionId(region.expect("every array is a region") as u32),
                index: generator.index(index.into(), depth),
                value: generator.term(element.into(), depth),
            }]
        }
        4 => {
            // A number written byte by byte.
            use crate::term::Build;
            let number = generator.term(crate::term::Sort::BitVec(32), depth);
            let index = generator.term(crate::term::Sort::BitVec(32), depth.min(1));
            let region = crate::program::RegionId(choice % 2);
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
            value: generator.term(sort, depth),
        }],
    }
}

/// Every array is a region, so that it can be written by [`Operation::Store`].
fn make_regions(builder: &mut ProgramBuilder) {
    // The builder makes regions with variables of their own; here the arrays are declared first.
    for sort in ARRAYS {
        let crate::term::Sort::Array { index, element } = sort else {
            continue;
        };
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
    fn terms(list in proptest::collection::vec(any::<u32>(), 0..400)) {
        let mut choices = Choices::new(&list);
        let mut builder = ProgramBuilder::new();
        let variables = declare(&mut builder);
        initialise(&mut builder, &variables);
        for _ in 0..6 {
            let (choice, array) = (choices.next(), choices.next().is_multiple_of(5));
            let sort = match array {
                true => choices.one_of(&ARRAYS),
                false => choices.one_of(&SCALARS),
            };
            let target = variables.of(sort, choice);
            let value = Generator { builder: &builder, variables: &variables, choices: &mut choices }.term(sort, 4);
            builder.assign(target, value);
        }
        compare(builder.program(), &mut choices)?;
    }

    /// Random graphs with several operations on an edge and conditions at any place.
    #[test]
    fn programs(list in proptest::collection::vec(any::<u32>(), 0..900)) {
        let mut choices = Choices::new(&list);
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
                let target = match choices.next() % 5 {
                    0 => locations[choices.below(5)],
                    _ => locations[source + 1],
                };
                builder.edge(*location, target, operations);
            }
        }
        compare(builder.program(), &mut choices)?;
    }
}

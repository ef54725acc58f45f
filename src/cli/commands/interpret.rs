//! `regatta interpret`: executes the program as lowered in the interpreter.
//!
//! The command is for examining a program's behaviour, and for the scripts and tests that compare the semantics with a
//! compiler's.

use crate::options::InterpretOptions;
use crate::{EXIT_INPUT, complain, complain_rendered, input};
use regatta_frontend::advice::advise;
use regatta_frontend::load;
use regatta_program::interpreter::{Executable, InputSource, Limits, Machine, Outcome};
use regatta_program::{Input, InputId, InputKind, Program};
use regatta_term::Value;

/// The exit code of a run that was stopped.
const EXIT_RUN: u8 = 2;

/// Runs the command; returns the exit code.
pub fn run(options: &InterpretOptions) -> u8 {
    let program = input::resolve(&options.input).and_then(|input| {
        let (file, options) = (&input.file, &input.load);
        load(file, options).map_err(|error| advise(error, file).render(input::style()))
    });
    let program = match program {
        Ok(loaded) => loaded.program,
        Err(message) => {
            complain_rendered(&message);
            return EXIT_INPUT;
        }
    };
    let executable = Executable::compile(&program);
    let mut machine = Machine::new(&executable);
    let mut inputs = ListedInputs {
        values: options.inputs.iter(),
    };
    let report = machine.run(
        &mut inputs,
        Limits {
            steps: options.steps,
            ..Limits::default()
        },
    );
    for fault in &report.faults {
        let place = program.sources.describe(program.edge(fault.edge).span);
        complain(&format!("{place}: undefined behaviour: {}", fault.kind));
    }
    let mut text = String::new();
    for name in &options.print_global {
        match global(&program, &machine, name) {
            Some(elements) => {
                for element in elements {
                    text.push_str(&format!("{element:x}\n"));
                }
            }
            None => {
                complain(&format!("error: there is no global variable `{name}`"));
                return EXIT_INPUT;
            }
        }
    }
    let printed = crate::print(text.as_bytes(), 0);
    if printed != 0 {
        return printed;
    }
    let place = |location| program.sources.describe(program.location(location).span);
    match report.outcome {
        Outcome::Ended { .. } => 0,
        Outcome::Error { location } => {
            let violated = program.location(location).violates;
            let property =
                violated.map_or_else(|| "the property".to_owned(), |one| one.to_string());
            complain(&format!("{}: {property} is violated here", place(location)));
            if let Some(fault) = report.memory_fault {
                let explanation = fault.explain(&program);
                complain(&format!("{}: {}", place(location), explanation.what));
                for (span, what) in explanation.history {
                    complain(&format!("{}: {what}", program.sources.describe(span)));
                }
            }
            1
        }
        Outcome::Blocked { location } => {
            complain(&format!("{}: an assumption does not hold", place(location)));
            EXIT_RUN
        }
        Outcome::Unsupported { edge, reason } => {
            complain(&format!(
                "{}: not supported: {reason}",
                program.sources.describe(program.edge(edge).span)
            ));
            EXIT_RUN
        }
        Outcome::StepLimit => {
            complain(&format!("step limit reached: {}", options.steps));
            EXIT_RUN
        }
        other => {
            complain(&format!("the run was stopped: {other}"));
            EXIT_RUN
        }
    }
}

/// Returns the elements of a global: one for a scalar, all for an array in memory.
fn global(program: &Program, machine: &Machine<'_>, name: &str) -> Option<Vec<u128>> {
    if let Some(value) = machine.read_variable(name) {
        return Some(vec![bits(&value)?]);
    }
    let object = program.objects.iter().find(|object| object.name == name)?;
    let bytes = machine.read_object(name)?;
    let width = program.region(object.region).element_bytes.clamp(1, 16) as usize;
    Some(
        bytes
            .chunks(width)
            .map(|chunk| {
                chunk
                    .iter()
                    .rev()
                    .fold(0, |bits, &byte| bits << 8 | u128::from(byte))
            })
            .collect(),
    )
}

fn bits(value: &Value) -> Option<u128> {
    match value {
        Value::Bool(truth) => Some(u128::from(*truth)),
        Value::BitVec(bits) => Some(bits.bits()),
        Value::Int(number) => u128::try_from(number).ok(),
        Value::Float(float) => Some(float.bits()),
        Value::Array(_) => None,
    }
}

/// Supplies the command line's values to nondeterministic functions and volatile reads, and zero to all other inputs.
struct ListedInputs<'o> {
    values: std::slice::Iter<'o, i128>,
}

impl InputSource for ListedInputs<'_> {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        let given = match input.kind {
            InputKind::Nondet(_) | InputKind::Volatile(_) => self.values.next(),
            _ => None,
        };
        Some(given.map_or_else(
            || Value::zero(input.sort),
            |&given| Value::of_integer(given, input.sort),
        ))
    }
}

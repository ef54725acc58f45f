//! The return values of undefined functions on the path to the error.

use std::fmt;

use crate::alarm::limits::MAXIMUM_CONTENTS_SIZE;
use regatta_program::interpreter::Journal;
use regatta_program::{
    DataModel, External, ExternalKind, Input, InputKind, InputPart, Program, ReturnType, Span,
    c_value,
};
use regatta_term::{Sort, Value};

/// The inputs of a run, by their sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// For each of [`Program::externals`], the values that its calls return, in order. For an object there is one entry, its
    /// initial contents, if any part of it is read.
    pub returned: Vec<Vec<Returned>>,
    /// The inputs that a harness cannot supply, in the order of the run.
    pub unsaid: Vec<Unsaid>,
}

/// The return value of a call, or the contents of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    pub value: Contents,
    /// The call.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    Scalar(Value),
    /// Bits of the representation: the first one, their number, and their values. Other bits are never read.
    Parts(Vec<(u32, u32, u128)>),
}

/// An input that a harness cannot supply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaid {
    /// The index of its entry in the journal.
    pub entry: usize,
    pub kind: UnsaidKind,
}

/// The kind of an input that a harness cannot supply.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnsaidKind {
    /// A variable or memory that is not initialised.
    Uninitialised,
    /// Memory that unknown code has changed; the name of that code.
    Changed(String),
    /// The address of an object, or an order of evaluation.
    MemoryModel,
    /// A choice of the environment that no undefined function returns: the program's arguments, data read by a library
    /// function.
    Environment(String),
    /// A pointer other than null; the function that returns it.
    Pointer(String),
    /// A value that cannot be written in C here; the function that returns it.
    Value(String),
}

impl fmt::Display for UnsaidKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uninitialised => f.write_str("values of what is not initialised"),
            Self::Changed(by) => write!(f, "what {by} leaves in memory"),
            Self::MemoryModel => f.write_str("the addresses of objects or an order of evaluation"),
            Self::Environment(what) => write!(f, "{what}"),
            Self::Pointer(function) => write!(f, "a pointer that {function} returns"),
            Self::Value(function) => write!(f, "a value that {function} returns"),
        }
    }
}

impl Script {
    /// The script of a run's inputs.
    pub fn new(program: &Program, inputs: &Journal) -> Self {
        let mut script = Self {
            returned: vec![Vec::new(); program.externals.len()],
            unsaid: Vec::new(),
        };
        for (entry, (id, value)) in inputs.entries.iter().enumerate() {
            let Some(input) = program.inputs.get(id.index()) else {
                continue;
            };
            if let Err(kind) = script.add(program, input, value) {
                script.unsaid.push(Unsaid { entry, kind });
            }
        }
        script
    }

    /// Adds an input; the error is the reason why a harness cannot supply it.
    fn add(&mut self, program: &Program, input: &Input, value: &Value) -> Result<(), UnsaidKind> {
        match &input.kind {
            InputKind::Nondet(name) => {
                // Inputs without a place are not in the source.
                let external = program
                    .externals
                    .iter()
                    .position(|external| external.name == *name)
                    .filter(|_| input.span.line != 0);
                match external {
                    Some(number) => self.add_returned(program, number, input, value),
                    None => Err(UnsaidKind::Environment(environment(input, name))),
                }
            }
            InputKind::Outside(name) => {
                let object = program.externals.iter().position(|external| {
                    external.name == *name && matches!(external.kind, ExternalKind::Object { .. })
                });
                match (object, input.part) {
                    (Some(number), Some(part)) => {
                        let contents = &mut self.returned[number];
                        let external = &program.externals[number];
                        if contents.is_empty() {
                            contents.push(Returned {
                                value: Contents::Parts(Vec::new()),
                                span: external.span,
                            });
                        }
                        add_part(contents.last_mut(), part, value, external)
                    }
                    _ if name.starts_with('<') => {
                        Err(UnsaidKind::Environment(environment(input, name)))
                    }
                    _ => Err(UnsaidKind::Changed(name.clone())),
                }
            }
            InputKind::Uninitialised => Err(UnsaidKind::Uninitialised),
            // A compiled object does not change by itself.
            InputKind::Volatile(name) => Err(UnsaidKind::Environment(format!(
                "what volatile reads of {name} find"
            ))),
            InputKind::MemoryModel => Err(UnsaidKind::MemoryModel),
            InputKind::Watched | InputKind::Watching => Ok(()),
            InputKind::Unknown(what) => Err(UnsaidKind::Environment(what.clone())),
        }
    }

    fn add_returned(
        &mut self,
        program: &Program,
        number: usize,
        input: &Input,
        value: &Value,
    ) -> Result<(), UnsaidKind> {
        let external = &program.externals[number];
        let calls = &mut self.returned[number];
        let call = |value| Returned {
            value,
            span: input.span,
        };
        match input.part {
            None => {
                calls.push(call(Contents::Scalar(value.clone())));
                said(external, input, value, program.data_model)
            }
            Some(InputPart::Begin) => {
                calls.push(call(Contents::Parts(Vec::new())));
                Ok(())
            }
            Some(part) => add_part(calls.last_mut(), part, value, external),
        }
    }
}

/// Adds a part to the contents of a call's value or an object.
fn add_part(
    of: Option<&mut Returned>,
    part: InputPart,
    value: &Value,
    external: &External,
) -> Result<(), UnsaidKind> {
    let unsaid = || UnsaidKind::Value(external.name.clone());
    let Some(Contents::Parts(parts)) = of.map(|of| &mut of.value) else {
        return Err(unsaid());
    };
    match part {
        InputPart::Begin => {}
        InputPart::Bits { start, count } => {
            parts.push((start, count, c_value::bits(value).ok_or_else(unsaid)?));
        }
        InputPart::Cells { bytes } => {
            let size = match &external.kind {
                ExternalKind::Object { size, .. }
                | ExternalKind::Function {
                    returns: ReturnType::Record { size, .. },
                    ..
                } => u32::try_from(*size).unwrap_or(0).min(MAXIMUM_CONTENTS_SIZE),
                _ => 0,
            };
            let array = value.as_array().ok_or_else(unsaid)?;
            let Sort::Array { index, .. } = value.sort() else {
                return Err(unsaid());
            };
            for cell in 0..size.div_ceil(bytes.max(1)) {
                let position = match Sort::from(index) {
                    Sort::BitVec(width) => Value::bit_vec(width, cell.into()),
                    _ => Value::int(cell),
                };
                let bits = c_value::bits(array.select(&position)).ok_or_else(unsaid)?;
                parts.push((cell * bytes * 8, bytes * 8, bits));
            }
        }
        InputPart::Some => return Err(unsaid()),
    }
    Ok(())
}

/// Checks whether a C function can return the scalar as a literal.
fn said(
    external: &External,
    input: &Input,
    value: &Value,
    data_model: DataModel,
) -> Result<(), UnsaidKind> {
    let unsaid = || Err(UnsaidKind::Value(external.name.clone()));
    match &external.kind {
        ExternalKind::FillsMemory => Ok(()),
        ExternalKind::Function {
            returns: ReturnType::Scalar(name),
            ..
        } => {
            if name.ends_with('*') && c_value::bits(value) != Some(0) {
                return Err(UnsaidKind::Pointer(external.name.clone()));
            }
            // 32-bit code has no such integers.
            let is_too_wide = name.contains("__int128") && data_model == DataModel::Ilp32;
            match c_value::literal(value, input.c_type) {
                Some(_) if !is_too_wide => Ok(()),
                _ => unsaid(),
            }
        }
        _ => unsaid(),
    }
}

/// Describes a choice of the environment.
fn environment(input: &Input, name: &str) -> String {
    match name {
        "argc" | "main" | "<strings>" => "the program's arguments".to_owned(),
        // Generated names.
        _ if name.starts_with('<') => "what code and memory outside of the program do".to_owned(),
        _ if input.span.line == 0 => "what library functions find".to_owned(),
        _ => format!("what {name} returns"),
    }
}

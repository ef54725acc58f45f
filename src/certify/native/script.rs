//! What functions that the program does not define return on the way to the error.

use std::fmt;

use regatta_program::interpreter::Journal;
use regatta_program::{
    DataModel, External, ExternalKind, Input, InputKind, InputPart, Program, ReturnType, Span,
    c_value,
};
use regatta_term::{Sort, Value};

/// The inputs of a run, by who gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// For each of [`Program::externals`], what its calls return, in order. For an object there is one, its first contents,
    /// if something of it is ever looked at.
    pub returned: Vec<Vec<Returned>>,
    /// What nobody gives, in the order of the run.
    pub unsaid: Vec<Unsaid>,
}

/// What a call returns, or an object holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    pub value: Contents,
    /// The call.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    Scalar(Value),
    /// Bits of the representation: the first one, how many, and what they are. Nobody looks at the others.
    Parts(Vec<(u32, u32, u128)>),
}

/// An input that nobody gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaid {
    /// Which entry of the journal it is.
    pub entry: usize,
    pub kind: UnsaidKind,
}

/// What kind of input nobody gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnsaidKind {
    /// A variable or memory that is not initialised.
    Uninitialised,
    /// Memory that unknown code has changed; whose.
    Changed(String),
    /// Where an object lies, in which order something is evaluated.
    MemoryModel,
    /// A choice of the environment that no function of the program's own returns: its arguments, what a library function
    /// has read.
    Environment(String),
    /// A pointer that is not null; the function that returns it.
    Pointer(String),
    /// A value that is not said in C here; the function that returns it.
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
    /// That of a run's inputs.
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

    /// Notes an input; an error is why nobody gives it.
    fn add(&mut self, program: &Program, input: &Input, value: &Value) -> Result<(), UnsaidKind> {
        match &input.kind {
            InputKind::Nondet(name) => {
                // Text of ours has no places.
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

/// Adds a part to a call or an object that has begun.
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
                } => u32::try_from(*size).unwrap_or(0).min(LARGEST),
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

/// Bytes of an object or a result whose contents are told.
const LARGEST: u32 = 1 << 16;

/// Whether a function can return the scalar, in C.
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

/// What the environment has decided.
fn environment(input: &Input, name: &str) -> String {
    match name {
        "argc" | "main" | "<strings>" => "the program's arguments".to_owned(),
        // Names of ours.
        _ if name.starts_with('<') => "what code and memory outside of the program do".to_owned(),
        _ if input.span.line == 0 => "what library functions find".to_owned(),
        _ => format!("what {name} returns"),
    }
}

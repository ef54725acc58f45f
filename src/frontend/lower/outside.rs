//! What lies outside of the program: code that is not known, and the objects that it has.
//!
//! Unknown code may call what it can name, every function that is not `static`, and what it is given: any number of
//! times, in any order, with any arguments, whenever it is called itself. One function of ours, the *environment*, stands
//! for all such calls; it is called where unknown code is, and leaves out functions that change nothing which unknown
//! code could not change by itself, nor learn. It does not call `main`, nor names that C reserves for the implementation
//! (C17 7.1.3), nor those that end a program, which is where verification tasks have their own checks.
//!
//! Unknown code that ever had control may come back where the program calls none: it can ask to be called when the
//! program ends (`atexit`, a handler of SIGABRT), and make streams, or change those that there are, so that it is called
//! when they are used. Where the program goes on meanwhile, by a signal or in another thread, it does not come back:
//! what it then did to the objects of the program would be undefined (C17 5.1.2.4, 7.14.1.1). It may end the program.
//! Nor does it come back where the program divides by zero or accesses no object: all of that is undefined. A signal that the
//! program sends itself is no such case: `library/signal.c` lets unknown code handle it.

use rustc_hash::FxHashSet;

use super::exit::Late;
use super::{Lowerer, block};
use crate::frontend::ir::{
    Argument, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Leaf, Object,
    ObjectIndex, Outside, Place, Pointer, ResultPlace, ScalarType, Storage, Terminator,
    UnknownEffect,
};
use crate::frontend::library;
use crate::frontend::memory::walk::{INT, every_expression, start_of};
use crate::program::Span;

/// What the environment is called.
const ENVIRONMENT: &str = "<environment>";

/// What the function is called that unknown code has called when the program ends.
const AT_END: &str = "<environment at the end>";

/// Functions of the system that are not modelled and make a stream out of memory or functions of the program.
const STREAM_MAKERS: &[&str] = &[
    "fmemopen",
    "open_memstream",
    "open_wmemstream",
    "fopencookie",
    "funopen",
];

/// Bytes of the memory that belongs to nobody in the program.
const OUTSIDE_BYTES: u64 = 1 << 20;

impl Lowerer<'_> {
    /// Adds what lies outside to a program that is complete otherwise; and who may act late.
    pub(super) fn finish_outside(&mut self, functions: &mut Vec<Function>) -> (Outside, Late) {
        self.define_at_end(functions, None);
        let effect = self.options.unknown_calls;
        let meets = Meeting::of(functions, &self.objects);
        let memory = meets.any().then(|| {
            self.push_object(Object {
                name: "<outside>".to_owned(),
                size: OUTSIDE_BYTES,
                alignment: 16,
                storage: Storage::Outside,
                constant: false,
                leaves: Vec::new(),
                blocks: Vec::new(),
                span: Span::NONE,
            })
        });
        let may_call = meets.unknown_code || (meets.any() && meets.indirect_call);
        let environment = match effect {
            UnknownEffect::Reachable if may_call => self.environment(functions),
            _ => None,
        };
        let late = self.who_is_late(meets, environment.is_some(), functions);
        if let Some(environment) = environment {
            self.define_at_end(functions, Some(environment));
        }
        if let Some(environment) = environment {
            for function in functions.iter_mut().take(environment.0 as usize) {
                for block in &mut function.blocks {
                    call_after_unknown_code(&mut block.instructions, environment);
                }
            }
        }
        let outside = Outside {
            effect,
            environment,
            memory,
        };
        (outside, late)
    }

    fn who_is_late(&self, meets: Meeting, calls_back: bool, functions: &[Function]) -> Late {
        let is_active = self.options.unknown_calls == UnknownEffect::Reachable;
        // The library's own objects hold no functions of unknown code.
        let foreign = self.objects.iter().enumerate().any(|(index, object)| {
            is_outside_with_pointer(object)
                && !object.name.ends_with("environ")
                && !self.system_objects.contains(&ObjectIndex(index as u32))
        });
        let foreign_call = (foreign || meets.input_pointers) && meets.indirect_call;
        let makes_streams = || {
            instructions(functions).any(|instruction| match instruction {
                Instruction::CallUnknown { name, effect, .. } => {
                    *effect == UnknownEffect::Reachable && !self.leaves_streams_alone(name)
                }
                _ => false,
            })
        };
        Late {
            elsewhere: is_active
                && (meets.unknown_code || foreign_call)
                && (calls_back || self.exit_matters(functions)),
            streams: is_active && self.uses_streams && (foreign || foreign_call || makes_streams()),
            signals: self.handles_signals(),
            status: self.shows_status(),
        }
    }

    /// Whether a function is one of the system's, and neither makes a stream out of what it is given.
    fn leaves_streams_alone(&self, name: &str) -> bool {
        self.system_functions.contains(name) && !STREAM_MAKERS.contains(&name)
    }

    /// Whether an exit does something.
    fn exit_matters(&self, functions: &[Function]) -> bool {
        let exit = self.lifecycle.exit;
        let changes = || functions_with_effects(functions, &self.objects);
        let does_nothing = |index: FunctionIndex| {
            let function = functions.get(index.0 as usize);
            let mut blocks = function.into_iter().flat_map(|function| &function.blocks);
            blocks.all(|block| block.instructions.is_empty())
        };
        exit.is_some_and(|exit| !does_nothing(exit) && changes().contains(&exit))
    }

    /// The object that says whether unknown code was ever called.
    pub(super) fn had_control(&mut self) -> ObjectIndex {
        match self.lifecycle.had_control {
            Some(object) => object,
            None => {
                let object = self.push_object(Object {
                    name: "<outside>::had control".to_owned(),
                    storage: Storage::Static { external: false },
                    ..integer_object()
                });
                self.lifecycle.had_control = Some(object);
                object
            }
        }
    }

    /// The function that is called when the program ends calls the environment, if unknown code was ever called.
    fn define_at_end(&mut self, functions: &mut [Function], environment: Option<FunctionIndex>) {
        let Some(at_end) = self.lifecycle.at_end else {
            return;
        };
        let (come_back, end) = (BlockIndex(1), BlockIndex(2));
        let blocks = match environment {
            None => vec![block(Vec::new(), Terminator::Return)],
            Some(environment) => {
                let branch = Terminator::Branch {
                    condition: Expr::Load(place(self.had_control(), INT)),
                    scalar: INT,
                    then: come_back,
                    otherwise: end,
                };
                let call = Instruction::Call {
                    callee: Callee::Direct(environment),
                    arguments: Vec::new(),
                    result: None,
                };
                vec![
                    block(Vec::new(), branch),
                    block(vec![call], Terminator::Goto(end)),
                    block(Vec::new(), Terminator::Return),
                ]
            }
        };
        if let Some(slot) = functions.get_mut(at_end.0 as usize) {
            *slot = Function {
                name: AT_END.to_owned(),
                parameters: Vec::new(),
                result: None,
                blocks,
                span: Span::NONE,
            };
        }
    }

    /// The function that stands for what unknown code calls; none if it would call nothing.
    fn environment(&mut self, functions: &mut Vec<Function>) -> Option<FunctionIndex> {
        let changes = functions_with_effects(functions, &self.objects);
        let taken = functions_taken(functions);
        let mut callees = Vec::new();
        // Text of ours has no place.
        let is_ours = |index: FunctionIndex| functions[index.0 as usize].span == Span::NONE;
        let mut named: Vec<(FunctionIndex, &str)> = self
            .defined
            .iter()
            .map(|(name, &index)| (index, &**name))
            .collect();
        named.sort_unstable();
        for (index, name) in named {
            let reserved = name == "main"
                || name.starts_with("__")
                || name == "assert"
                || self.property.forbids_call(name)
                || is_for_checks(name)
                || is_ours(index);
            if !changes.contains(&index) {
                continue;
            }
            if !reserved && !self.internal.contains(name) {
                callees.push(Callee::Direct(index));
            } else if taken.contains(&index) {
                callees.push(Callee::Escaped(index));
            }
        }
        let late = self.late.elsewhere || self.late.streams;
        let exit = self.lifecycle.exit;
        let exit = exit.filter(|exit| late && changes.contains(exit));
        if callees.is_empty() && !late {
            return None;
        }
        let environment = FunctionIndex(functions.len() as u32);
        let choice = self.environment_object(environment, &integer_object());
        // The loop is not the entry.
        let (head, end) = (BlockIndex(1), BlockIndex(2));
        let had_control = late.then(|| Instruction::Assign {
            place: place(self.had_control(), INT),
            value: Expr::Integer {
                value: 1,
                scalar: INT,
            },
        });
        let mut blocks = vec![
            block(had_control.into_iter().collect(), Terminator::Goto(head)),
            block(Vec::new(), Terminator::Return),
            block(Vec::new(), Terminator::Return),
        ];
        let mut cases = Vec::new();
        for (number, callee) in callees.into_iter().enumerate() {
            let (Callee::Direct(index) | Callee::Escaped(index)) = &callee else {
                continue;
            };
            let function = &functions[index.0 as usize];
            let parameters = function.parameters.clone();
            let given = function
                .result
                .filter(|_| gives_away(function, &self.objects));
            let mut instructions = Vec::new();
            let mut arguments = Vec::new();
            for parameter in parameters {
                let (given, argument) = self.any_argument(environment, parameter);
                instructions.push(given);
                arguments.push(argument);
            }
            let (result, taken) = match given {
                Some(result) => {
                    let (result, taken) = self.taken_result(environment, result);
                    (Some(result), Some(taken))
                }
                None => (None, None),
            };
            instructions.push(Instruction::Call {
                callee,
                arguments,
                result,
            });
            instructions.extend(taken);
            let target = BlockIndex(blocks.len() as u32);
            blocks.push(block(instructions, Terminator::Goto(head)));
            cases.push((number as i128, number as i128, target));
        }
        if let Some(exit) = exit {
            let number = cases.len() as i128;
            let call = Instruction::Call {
                callee: Callee::Direct(exit),
                arguments: Vec::new(),
                result: None,
            };
            let target = BlockIndex(blocks.len() as u32);
            blocks.push(block(vec![call], Terminator::End));
            cases.push((number, number, target));
        }
        let place = place(choice, INT);
        blocks[head.0 as usize] = block(
            vec![
                unknown_code(None, UnknownEffect::Reachable),
                unknown_code(
                    Some(ResultPlace::Scalar(place.clone())),
                    UnknownEffect::Pure,
                ),
            ],
            Terminator::Switch {
                value: Expr::Load(place),
                scalar: INT,
                cases,
                default: end,
            },
        );
        functions.push(Function {
            name: ENVIRONMENT.to_owned(),
            parameters: Vec::new(),
            result: None,
            blocks,
            span: Span::NONE,
        });
        Some(environment)
    }

    /// An object of the environment that is like the given one.
    fn environment_object(&mut self, environment: FunctionIndex, like: &Object) -> ObjectIndex {
        let number = self.objects.len();
        self.push_object(Object {
            name: format!("{ENVIRONMENT}::#{number}"),
            storage: Storage::Automatic(environment),
            blocks: Vec::new(),
            span: Span::NONE,
            ..like.clone()
        })
    }

    /// Where a result of unknown code's own call goes, and how that code gets it.
    fn taken_result(
        &mut self,
        environment: FunctionIndex,
        result: ObjectIndex,
    ) -> (ResultPlace, Instruction) {
        let like = self.objects[result.0 as usize].clone();
        let object = self.environment_object(environment, &like);
        let address = || Pointer::new(Expr::ObjectAddress(object));
        let (result, argument) = match like.leaves[..] {
            [leaf] if leaf.bit_offset == 0 && leaf.count <= 1 => {
                let place = place(object, leaf.scalar);
                let argument = Argument::Scalar {
                    value: Expr::Load(place.clone()),
                    scalar: leaf.scalar,
                };
                (ResultPlace::Scalar(place), argument)
            }
            _ => {
                let argument = Argument::Object {
                    address: address(),
                    size: like.size,
                    leaves: like.leaves.clone(),
                };
                let result = ResultPlace::Object {
                    address: address(),
                    size: like.size,
                    leaves: like.leaves,
                };
                (result, argument)
            }
        };
        let taken = Instruction::CallUnknown {
            name: ENVIRONMENT.to_owned(),
            arguments: vec![argument],
            returns: false,
            result: None,
            effect: UnknownEffect::Reachable,
        };
        (result, taken)
    }

    /// Any argument for the parameter: what makes it, and the argument itself.
    pub(super) fn any_argument(
        &mut self,
        environment: FunctionIndex,
        parameter: ObjectIndex,
    ) -> (Instruction, Argument) {
        let like = self.objects[parameter.0 as usize].clone();
        let object = self.environment_object(environment, &like);
        match like.leaves[..] {
            [leaf] if leaf.bit_offset == 0 && leaf.count <= 1 => {
                let place = place(object, leaf.scalar);
                let argument = Argument::Scalar {
                    value: Expr::Load(place.clone()),
                    scalar: leaf.scalar,
                };
                let result = Some(ResultPlace::Scalar(place));
                (unknown_code(result, UnknownEffect::Pure), argument)
            }
            _ => {
                let argument = Argument::Object {
                    address: Pointer::new(Expr::ObjectAddress(object)),
                    size: like.size,
                    leaves: like.leaves.clone(),
                };
                let result = Some(ResultPlace::Object {
                    address: Pointer::new(Expr::ObjectAddress(object)),
                    size: like.size,
                    leaves: like.leaves,
                });
                (unknown_code(result, UnknownEffect::Pure), argument)
            }
        }
    }
}

/// What of the outside a program meets.
#[derive(Copy, Clone, Debug, Default)]
struct Meeting {
    unknown_code: bool,
    pointers: bool,
    indirect_call: bool,
    /// Pointers that are inputs.
    input_pointers: bool,
}

impl Meeting {
    fn of(functions: &[Function], objects: &[Object]) -> Self {
        let mut result = Self {
            pointers: objects.iter().any(is_outside_with_pointer),
            ..Self::default()
        };
        for instruction in instructions(functions) {
            match instruction {
                Instruction::CallUnknown {
                    result: to, effect, ..
                } => {
                    result.unknown_code |= *effect == UnknownEffect::Reachable;
                    result.pointers |= match to {
                        Some(ResultPlace::Scalar(place)) => place.scalar == ScalarType::Pointer,
                        Some(ResultPlace::Object { leaves, .. }) => {
                            leaves.iter().any(|leaf| leaf.scalar == ScalarType::Pointer)
                        }
                        None => false,
                    };
                }
                Instruction::Nondet { place, .. } | Instruction::ReadDevice { place, .. } => {
                    let is_pointer = place.scalar == ScalarType::Pointer;
                    result.pointers |= is_pointer;
                    result.input_pointers |= is_pointer;
                }
                Instruction::Call { callee, .. } => {
                    result.indirect_call |= matches!(callee, Callee::Indirect(_));
                }
                _ => {}
            }
        }
        result
    }

    const fn any(self) -> bool {
        self.unknown_code || self.pointers
    }
}

/// Whether the object is defined elsewhere, and may hold a pointer.
fn is_outside_with_pointer(object: &Object) -> bool {
    let mut leaves = object.leaves.iter();
    object.storage == Storage::Outside
        && (object.leaves.is_empty() || leaves.any(|leaf| leaf.scalar == ScalarType::Pointer))
}

fn instructions(functions: &[Function]) -> impl Iterator<Item = &Instruction> {
    let blocks = functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| block.instructions.iter().map(|entry| &entry.0))
}

/// The functions whose address is taken somewhere.
fn functions_taken(functions: &[Function]) -> FxHashSet<FunctionIndex> {
    let mut taken = FxHashSet::default();
    for block in functions.iter().flat_map(|function| &function.blocks) {
        every_expression(block, &mut |expr| {
            if let Expr::FunctionAddress(function) = expr {
                taken.insert(*function);
            }
        });
    }
    taken
}

/// The functions that may change what unknown code cannot change by itself, or violate the property.
fn functions_with_effects(functions: &[Function], objects: &[Object]) -> FxHashSet<FunctionIndex> {
    let mut changes: FxHashSet<FunctionIndex> = FxHashSet::default();
    loop {
        let before = changes.len();
        for (index, function) in functions.iter().enumerate() {
            let index = FunctionIndex(index as u32);
            if !changes.contains(&index) && has_effect(function, objects, &changes) {
                changes.insert(index);
            }
        }
        if changes.len() == before {
            return changes;
        }
    }
}

/// Whether a name is one that verification tasks define for their own checks.
fn is_for_checks(name: &str) -> bool {
    use library::Builtin;
    let model = library::lookup(name).map(|known| known.model);
    let Some(library::Model::Builtin(builtin)) = model else {
        return false;
    };
    matches!(
        builtin,
        Builtin::Abort
            | Builtin::AssertFail
            | Builtin::VerifierAssert
            | Builtin::VerifierError
            | Builtin::Assume
    ) || name == "exit"
}

/// Whether unknown code may get an address through a call of the function that it may not have otherwise: that of an
/// object or a function that it cannot name, or one that is kept in such an object.
fn gives_away(function: &Function, objects: &[Object]) -> bool {
    let instructions = || {
        let blocks = function.blocks.iter();
        blocks.flat_map(|block| block.instructions.iter().map(|entry| &entry.0))
    };
    let holds_address = |leaf: &Leaf| match leaf.scalar {
        ScalarType::Pointer => true,
        ScalarType::Integer { bits, .. } => bits >= 32,
        _ => false,
    };
    let result = function.result.map(|result| &objects[result.0 as usize]);
    let gives_result = result
        .is_some_and(|result| result.leaves.is_empty() || result.leaves.iter().any(holds_address));
    let leaves = |instruction: &Instruction| match instruction {
        Instruction::CallUnknown { arguments, .. } | Instruction::Call { arguments, .. } => {
            !arguments.is_empty()
        }
        Instruction::Assign { place, .. } => !is_automatic(&place.address, objects),
        Instruction::Copy { destination, .. } => !is_automatic(destination, objects),
        _ => false,
    };
    (gives_result || instructions().any(leaves))
        && instructions().any(|instruction| takes_hidden_address(instruction, objects))
}

fn is_automatic(address: &Expr, objects: &[Object]) -> bool {
    start_of(address)
        .is_some_and(|object| matches!(objects[object.0 as usize].storage, Storage::Automatic(_)))
}

/// Whether an instruction takes an address that unknown code may not have as a value.
fn takes_hidden_address(instruction: &Instruction, objects: &[Object]) -> bool {
    let is_hidden = |expr: &Expr| is_hidden_address(expr, objects);
    match instruction {
        Instruction::Assign { value, .. } => is_hidden(value),
        Instruction::Copy { source, leaves, .. } => {
            let pointers = leaves.iter().any(|leaf| leaf.scalar == ScalarType::Pointer);
            (leaves.is_empty() || pointers) && comes_from_hidden(source, objects)
        }
        Instruction::Call { arguments, .. } | Instruction::CallUnknown { arguments, .. } => {
            arguments.iter().any(|argument| match argument {
                Argument::Scalar { value, .. } => is_hidden(value),
                Argument::Object { address, .. } => comes_from_hidden(address, objects),
            })
        }
        _ => false,
    }
}

/// Whether the value may be an address that is hidden from unknown code.
fn is_hidden_address(value: &Expr, objects: &[Object]) -> bool {
    let is_hidden = |expr: &Expr| is_hidden_address(expr, objects);
    match value {
        Expr::FunctionAddress(_) => true,
        Expr::ObjectAddress(object) => is_hidden_object(*object, objects),
        Expr::Load(place) => {
            place.scalar == ScalarType::Pointer && comes_from_hidden(&place.address, objects)
        }
        Expr::Offset { base, .. } => is_hidden(base),
        Expr::Conditional {
            then, otherwise, ..
        } => is_hidden(then) || is_hidden(otherwise),
        Expr::Convert { operand, .. } | Expr::Unary { operand, .. } => is_hidden(operand),
        Expr::Binary { left, right, .. } => is_hidden(left) || is_hidden(right),
        _ => false,
    }
}

/// Whether what is at the address is found through an object that is hidden from unknown code.
fn comes_from_hidden(address: &Expr, objects: &[Object]) -> bool {
    match address {
        Expr::ObjectAddress(object) => is_hidden_object(*object, objects),
        Expr::Offset { base, .. } => comes_from_hidden(base, objects),
        Expr::Load(place) => comes_from_hidden(&place.address, objects),
        Expr::Convert { operand, .. } => comes_from_hidden(operand, objects),
        Expr::Conditional {
            then, otherwise, ..
        } => comes_from_hidden(then, objects) || comes_from_hidden(otherwise, objects),
        _ => false,
    }
}

fn is_hidden_object(object: ObjectIndex, objects: &[Object]) -> bool {
    objects[object.0 as usize].storage == Storage::Static { external: false }
}

fn has_effect(function: &Function, objects: &[Object], changes: &FxHashSet<FunctionIndex>) -> bool {
    let is_harmless = |address: &Expr| match start_of(address) {
        Some(object) => match objects[object.0 as usize].storage {
            Storage::Automatic(_) | Storage::Outside | Storage::Static { external: true } => true,
            Storage::Static { external: false } | Storage::Literal => false,
        },
        None => false,
    };
    let place = |place: &Place| !is_harmless(&place.address);
    let result = |result: &Option<ResultPlace>| match result {
        Some(ResultPlace::Scalar(to)) => place(to),
        Some(ResultPlace::Object { address, .. }) => !is_harmless(address),
        None => false,
    };
    gives_away(function, objects)
        || function.blocks.iter().any(|block| {
            matches!(block.terminator, Terminator::Error)
                || block.instructions.iter().any(|(one, _)| match one {
                    one if one.written_place().is_some_and(place) => true,
                    Instruction::Copy { destination, .. }
                    | Instruction::Fill { destination, .. } => !is_harmless(destination),
                    Instruction::Call {
                        callee, result: to, ..
                    } => {
                        result(to)
                            || match callee {
                                Callee::Direct(callee) | Callee::Escaped(callee) => {
                                    changes.contains(callee)
                                }
                                Callee::Indirect(_) => true,
                            }
                    }
                    Instruction::CallUnknown { result: to, .. } => result(to),
                    Instruction::SetRounding(_) | Instruction::Unsupported(_) => true,
                    _ => false,
                })
        })
}

/// After each call of unknown code comes what that calls.
fn call_after_unknown_code(
    instructions: &mut Vec<(Instruction, Span)>,
    environment: FunctionIndex,
) {
    let calls = |one: &Instruction| {
        matches!(
            one,
            Instruction::CallUnknown {
                effect: UnknownEffect::Reachable,
                ..
            }
        )
    };
    if !instructions.iter().any(|(one, _)| calls(one)) {
        return;
    }
    for (one, span) in std::mem::take(instructions) {
        let follows = calls(&one);
        instructions.push((one, span));
        if follows {
            let call = Instruction::Call {
                callee: Callee::Direct(environment),
                arguments: Vec::new(),
                result: None,
            };
            instructions.push((call, span));
        }
    }
}

fn unknown_code(result: Option<ResultPlace>, effect: UnknownEffect) -> Instruction {
    Instruction::CallUnknown {
        name: ENVIRONMENT.to_owned(),
        arguments: Vec::new(),
        returns: result.is_some(),
        result,
        effect,
    }
}

fn place(object: ObjectIndex, scalar: ScalarType) -> Place {
    Place::new(Expr::ObjectAddress(object), scalar)
}

/// An object that holds an `int`.
fn integer_object() -> Object {
    Object {
        leaves: vec![scalar_leaf(INT, 32)],
        size: 4,
        alignment: 4,
        name: String::new(),
        storage: Storage::Outside,
        constant: false,
        blocks: Vec::new(),
        span: Span::NONE,
    }
}

const fn scalar_leaf(scalar: ScalarType, bits: u32) -> Leaf {
    Leaf {
        bit_offset: 0,
        bits,
        scalar,
        count: 1,
        stride: bits as u64,
    }
}

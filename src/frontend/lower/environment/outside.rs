//! The outside of the program: unknown code and its objects.
//!
//! Whenever unknown code is called, it may call every function that it can name (those that are not `static`) or whose
//! address it has, any number of times, in any order, with any arguments. A generated function, the *environment*,
//! represents these calls and is called behind each call of unknown code. It omits functions that neither modify nor
//! reveal anything that unknown code could not modify or learn by itself. It does not call `main`, names reserved for
//! the implementation (C17 7.1.3), or functions that end a program, which verification tasks define for their own
//! checks.
//!
//! Unknown code that ever had control may run again without a call by the program: at the end of the program
//! (`atexit`, a handler of SIGABRT), and when streams are used that it has created or changed. It does not run again
//! through a signal or in another thread while the program continues: its accesses to the program's objects would then
//! be undefined (C17 5.1.2.4, 7.14.1.1). It may end the program. Nor does it run again at a division by zero or an
//! invalid access, which are undefined. If the program sends itself a signal, `library/models/signal.c` lets unknown code
//! handle it.

use rustc_hash::FxHashSet;

use super::exit::Late;
use crate::ir::{
    Argument, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Leaf, Object,
    ObjectIndex, Outside, Place, Pointer, ResultPlace, ScalarType, Storage, Terminator,
    UnknownEffect,
};
use crate::library;
use crate::lower::state::functions::Functions;
use crate::lower::{Lowerer, block};
use crate::memory::reachable_from;
use crate::memory::walk::{INT, every_expression, start_of};
use regatta_base::Span;

/// The name of the environment.
const ENVIRONMENT: &str = "<environment>";

/// The name of the object that represents the memory outside of the program.
const OUTSIDE: &str = "<outside>";

/// The name of the function that represents unknown code at the end of the program.
const AT_END: &str = "<environment at the end>";

/// Unmodelled system functions that create a stream from memory or functions of the program.
const STREAM_MAKERS: &[&str] = &[
    "fmemopen",
    "open_memstream",
    "open_wmemstream",
    "fopencookie",
    "funopen",
];

/// Size of the memory outside of the program (bytes).
const OUTSIDE_BYTES: u64 = 1 << 20;

impl Lowerer<'_> {
    /// Adds the outside to an otherwise complete program; also returns the late actions found.
    pub(in crate::lower) fn finish_outside(
        &mut self,
        functions: &mut Vec<Function>,
    ) -> (Outside, Late) {
        self.define_at_end(functions, None);
        let effect = self.input.unknown_calls();
        // Unknown code has control only after a function that runs without it has called it.
        let runs = reachable_from(functions, [Functions::START]);
        let contacts = Contacts::of(running(functions, &runs), self.objects.all());
        let memory = contacts.any().then(|| {
            self.push_object(Object {
                name: OUTSIDE.to_owned(),
                size: OUTSIDE_BYTES,
                alignment: 16,
                storage: Storage::Outside,
                constant: false,
                leaves: Vec::new(),
                blocks: Vec::new(),
                span: Span::NONE,
            })
        });
        let may_call = contacts.unknown_code || (contacts.any() && contacts.indirect_call);
        let environment = match effect {
            // With arguments of its own, it would violate what is checked of memory.
            UnknownEffect::Reachable if may_call && !self.input.property().checks_memory() => {
                self.environment(functions)
            }
            _ => None,
        };
        let late = self.late_actions(contacts, environment.is_some(), functions, &runs);
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

    /// The late actions; `runs` says which functions run even if unknown code never has control.
    fn late_actions(
        &self,
        contacts: Contacts,
        calls_back: bool,
        functions: &[Function],
        runs: &[bool],
    ) -> Late {
        let is_active = self.input.unknown_calls() == UnknownEffect::Reachable;
        // The library's own objects contain no pointers to unknown functions, nor does the memory that they point to.
        let mut objects = self.objects.all().iter().enumerate();
        let foreign = contacts.unknown_code
            || contacts.received_pointers
            || objects.any(|(index, object)| {
                is_outside_with_pointer(object)
                    && object.name != OUTSIDE
                    && !library::is_object(&object.name)
                    && !self.objects.is_from_system(ObjectIndex(index as u32))
            });
        let foreign_call = (foreign || contacts.input_pointers) && contacts.indirect_call;
        let makes_streams = || {
            let is_called_back = |number: usize| calls_back || runs.get(number) == Some(&true);
            let mut functions = functions.iter().enumerate();
            functions.any(|(number, function)| {
                is_called_back(number)
                    && instructions([function]).any(|instruction| match instruction {
                        Instruction::CallUnknown { name, effect, .. } => {
                            *effect == UnknownEffect::Reachable && !self.leaves_streams_alone(name)
                        }
                        _ => false,
                    })
            })
        };
        Late {
            elsewhere: is_active
                && (contacts.unknown_code || foreign_call)
                && (calls_back || self.exit_matters(functions)),
            streams: is_active
                && self.uses.streams()
                && (foreign || foreign_call || makes_streams()),
            signals: self.handles_signals(),
            status: self.shows_status(),
        }
    }

    /// Checks whether a function belongs to the system and creates no stream from its arguments.
    fn leaves_streams_alone(&self, name: &str) -> bool {
        self.symbols.is_from_system(name) && !STREAM_MAKERS.contains(&name)
    }

    /// Checks whether an exit of the program has an effect.
    fn exit_matters(&self, functions: &[Function]) -> bool {
        let exit = self.lifecycle.exit;
        let changes = || functions_with_effects(functions, self.objects.all());
        let does_nothing = |index: FunctionIndex| {
            let function = functions.get(index.0 as usize);
            let mut blocks = function.into_iter().flat_map(|function| &function.blocks);
            blocks.all(|block| block.instructions.is_empty())
        };
        exit.is_some_and(|exit| !does_nothing(exit) && changes().contains(&exit))
    }

    /// The object that records whether unknown code was ever called.
    pub(in crate::lower) fn had_control(&mut self) -> ObjectIndex {
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

    /// Builds the function called at the end of the program: it calls the environment if unknown code was ever called.
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

    /// Builds the environment; `None` if it would call nothing.
    fn environment(&mut self, functions: &mut Vec<Function>) -> Option<FunctionIndex> {
        let changes = functions_with_effects(functions, self.objects.all());
        let taken = functions_taken(functions);
        let mut callees = Vec::new();
        // The verifier's own text has no source positions.
        let is_ours = |index: FunctionIndex| functions[index.0 as usize].span == Span::NONE;
        for (index, name) in self.functions.names() {
            let reserved = name == "main"
                || name.starts_with("__")
                || name == "assert"
                || self.input.property().forbids_call(name)
                || is_for_checks(name)
                || is_ours(index);
            if !changes.contains(&index) {
                continue;
            }
            if !reserved && !self.symbols.is_internal(name) {
                callees.push(Callee::Direct(index));
            } else if taken.contains(&index) {
                callees.push(Callee::Escaped(index));
            }
        }
        let late = self.input.late().elsewhere || self.input.late().streams;
        let exit = self.lifecycle.exit;
        let exit = exit.filter(|exit| late && changes.contains(exit));
        if callees.is_empty() && !late {
            return None;
        }
        let environment = FunctionIndex(functions.len() as u32);
        let choice = self.environment_object(environment, &integer_object());
        // The head of the loop must not be the entry.
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
                .filter(|_| may_reveal_address(function, self.objects.all()));
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

    fn environment_object(&mut self, environment: FunctionIndex, like: &Object) -> ObjectIndex {
        let number = self.objects.count();
        self.push_object(Object {
            name: format!("{ENVIRONMENT}::#{number}"),
            storage: Storage::Automatic(environment),
            blocks: Vec::new(),
            span: Span::NONE,
            ..like.clone()
        })
    }

    /// The place for the result of a call by unknown code, and the instruction that passes the result to that code.
    fn taken_result(
        &mut self,
        environment: FunctionIndex,
        result: ObjectIndex,
    ) -> (ResultPlace, Instruction) {
        let like = self.objects[result].clone();
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

    /// An arbitrary argument for a parameter, and the instruction that creates it.
    pub(in crate::lower) fn any_argument(
        &mut self,
        environment: FunctionIndex,
        parameter: ObjectIndex,
    ) -> (Instruction, Argument) {
        let like = self.objects[parameter].clone();
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

/// The contacts of a program with the outside.
#[derive(Copy, Clone, Debug, Default)]
struct Contacts {
    unknown_code: bool,
    pointers: bool,
    indirect_call: bool,
    input_pointers: bool,
    /// Whether unknown code or an input gives the program a pointer.
    received_pointers: bool,
}

impl Contacts {
    fn of<'f>(functions: impl Iterator<Item = &'f Function>, objects: &[Object]) -> Self {
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
                    result.received_pointers |= match to {
                        Some(ResultPlace::Scalar(place)) => place.scalar == ScalarType::Pointer,
                        Some(ResultPlace::Object { leaves, .. }) => {
                            leaves.iter().any(|leaf| leaf.scalar == ScalarType::Pointer)
                        }
                        None => false,
                    };
                }
                Instruction::Nondet { place, .. } | Instruction::ReadDevice { place, .. } => {
                    let is_pointer = place.scalar == ScalarType::Pointer;
                    result.received_pointers |= is_pointer;
                    result.input_pointers |= is_pointer;
                }
                Instruction::Call { callee, .. } => {
                    result.indirect_call |= matches!(callee, Callee::Indirect(_));
                }
                _ => {}
            }
        }
        result.pointers |= result.received_pointers;
        result
    }

    const fn any(self) -> bool {
        self.unknown_code || self.pointers
    }
}

/// Checks whether an external object may contain a pointer.
fn is_outside_with_pointer(object: &Object) -> bool {
    let mut leaves = object.leaves.iter();
    object.storage == Storage::Outside
        && (object.leaves.is_empty() || leaves.any(|leaf| leaf.scalar == ScalarType::Pointer))
}

/// The functions that run.
fn running<'f>(functions: &'f [Function], runs: &[bool]) -> impl Iterator<Item = &'f Function> {
    let functions = functions.iter().zip(runs);
    functions.filter_map(|(function, runs)| runs.then_some(function))
}

fn instructions<'f>(
    functions: impl IntoIterator<Item = &'f Function>,
) -> impl Iterator<Item = &'f Instruction> {
    let blocks = functions.into_iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| block.instructions.iter().map(|entry| &entry.0))
}

/// The functions whose addresses are taken.
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

/// The functions that may modify what unknown code cannot modify by itself, or violate the property.
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

/// Checks whether a name is one that verification tasks define for their own checks.
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

/// Checks whether a call of the function may reveal a hidden address to unknown code: that of an object or function
/// that it cannot name, or one stored in such an object.
fn may_reveal_address(function: &Function, objects: &[Object]) -> bool {
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

/// Checks whether an instruction copies an address that may be hidden from unknown code.
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

/// Checks whether the value may be an address that is hidden from unknown code.
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

/// Checks whether the address leads through an object that is hidden from unknown code.
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
    may_reveal_address(function, objects)
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
                    Instruction::SetRounding(_)
                    | Instruction::Unsupported(_)
                    | Instruction::Check { .. }
                    | Instruction::CheckAlignment { .. } => true,
                    _ => false,
                })
        })
}

/// Inserts a call of the environment behind each call of unknown code.
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

/// An object of type `int`.
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

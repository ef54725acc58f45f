//! What lies outside of the program: code that is not known, and the objects that it has.
//!
//! Unknown code may call what it can name, every function that is not `static`, and what it is given: any number of
//! times, in any order, with any arguments, whenever it is called itself. One function of ours, the *environment*, stands
//! for all such calls; it is called where unknown code is, and leaves out functions that change nothing which unknown
//! code could not change by itself. It does not call `main`, nor the names that C reserves for the implementation and
//! its library (C17 7.1.3), which is where verification tasks have their own checks.

use rustc_hash::FxHashSet;

use super::Lowerer;
use crate::frontend::ir::{
    Argument, Block, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Object,
    ObjectIndex, Outside, Place, Pointer, ResultPlace, ScalarType, Storage, Terminator,
    UnknownEffect,
};
use crate::frontend::library;
use crate::frontend::memory::walk::{INT, every_expression, start_of};
use crate::program::Span;

/// What the environment is called.
const ENVIRONMENT: &str = "<environment>";

/// Bytes of the memory that belongs to nobody in the program.
const OUTSIDE_BYTES: u64 = 1 << 20;

impl Lowerer<'_> {
    /// Adds what lies outside to a program that is complete otherwise.
    pub(super) fn finish_outside(&mut self, functions: &mut Vec<Function>) -> Outside {
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
        if let Some(environment) = environment {
            for function in functions.iter_mut().take(environment.0 as usize) {
                for block in &mut function.blocks {
                    call_after_unknown_code(&mut block.instructions, environment);
                }
            }
        }
        Outside {
            effect,
            environment,
            memory,
        }
    }

    /// The function that stands for what unknown code calls; none if it would call nothing.
    fn environment(&mut self, functions: &mut Vec<Function>) -> Option<FunctionIndex> {
        let changes = functions_with_effects(functions, &self.objects);
        let taken = functions_taken(functions);
        let mut callees = Vec::new();
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
                || library::lookup(name).is_some();
            if !changes.contains(&index) {
                continue;
            }
            if !reserved && !self.internal.contains(name) {
                callees.push(Callee::Direct(index));
            } else if taken.contains(&index) {
                callees.push(Callee::Escaped(index));
            }
        }
        if callees.is_empty() {
            return None;
        }
        let environment = FunctionIndex(functions.len() as u32);
        let choice = self.environment_object(
            environment,
            &Object {
                leaves: vec![scalar_leaf(INT, 32)],
                size: 4,
                alignment: 4,
                name: String::new(),
                storage: Storage::Outside,
                constant: false,
                blocks: Vec::new(),
                span: Span::NONE,
            },
        );
        // The loop is not the entry.
        let (head, exit) = (BlockIndex(1), BlockIndex(2));
        let mut blocks = vec![
            block(Vec::new(), Terminator::Goto(head)),
            block(Vec::new(), Terminator::Return),
            block(Vec::new(), Terminator::Return),
        ];
        let mut cases = Vec::new();
        for (number, callee) in callees.into_iter().enumerate() {
            let (Callee::Direct(index) | Callee::Escaped(index)) = &callee else {
                continue;
            };
            let parameters = functions[index.0 as usize].parameters.clone();
            let mut instructions = Vec::new();
            let mut arguments = Vec::new();
            for parameter in parameters {
                let (given, argument) = self.any_argument(environment, parameter);
                instructions.push(given);
                arguments.push(argument);
            }
            instructions.push(Instruction::Call {
                callee,
                arguments,
                result: None,
            });
            let target = BlockIndex(blocks.len() as u32);
            blocks.push(block(instructions, Terminator::Goto(head)));
            cases.push((number as i128, number as i128, target));
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
                default: exit,
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
}

impl Meeting {
    fn of(functions: &[Function], objects: &[Object]) -> Self {
        let mut result = Self::default();
        let has_pointer = |object: &Object| {
            let mut leaves = object.leaves.iter();
            object.leaves.is_empty() || leaves.any(|leaf| leaf.scalar == ScalarType::Pointer)
        };
        result.pointers = objects
            .iter()
            .any(|object| object.storage == Storage::Outside && has_pointer(object));
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
                    result.pointers |= place.scalar == ScalarType::Pointer;
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
    function.blocks.iter().any(|block| {
        matches!(block.terminator, Terminator::Error)
            || block.instructions.iter().any(|(one, _)| match one {
                one if one.written_place().is_some_and(place) => true,
                Instruction::Copy { destination, .. } | Instruction::Fill { destination, .. } => {
                    !is_harmless(destination)
                }
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

fn block(instructions: Vec<Instruction>, terminator: Terminator) -> Block {
    Block {
        label: None,
        instructions: instructions
            .into_iter()
            .map(|instruction| (instruction, Span::NONE))
            .collect(),
        terminator,
        span: Span::NONE,
        turns: Vec::new(),
    }
}

fn place(object: ObjectIndex, scalar: ScalarType) -> Place {
    Place::new(Expr::ObjectAddress(object), scalar)
}

const fn scalar_leaf(scalar: ScalarType, bits: u32) -> crate::frontend::ir::Leaf {
    crate::frontend::ir::Leaf {
        bit_offset: 0,
        bits,
        scalar,
        count: 1,
        stride: bits as u64,
    }
}

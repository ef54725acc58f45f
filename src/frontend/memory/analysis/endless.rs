//! Loops that are not known to end, by their blocks alone.
//!
//! A loop is known to end if one local variable, which only its name accesses, moves by a constant step, and in each round
//! control passes
//! * a branch that leaves the loop when the variable reaches a bound that does not change, or
//! * an access at an address that moves with the variable: it leaves its object after some rounds.
//!
//! In each round: what is left of the loop without the step, or without the branch or access, is no loop that contains the other
//! one, and loops in it are known to end in the same way.
//!
//! For lost memory, four more kinds of loops count as such that end:
//! * Each round frees an object, and none makes one. That what is freed is not null is checked when the round does so.
//! * In each round, a pointer gets a value from memory, as in a walk through a list each of whose elements was made before the one
//!   that leads to it. That its address becomes lower is checked then.
//! * The same of a pointer that is the copy of another one at first, if no memory is written. That the new value is not that one,
//!   and that a pointer to there was written last where it is read now, is checked: the walk comes to no place from two
//!   others, nor back to where it began.
//! * Each round passes a branch on an input that could leave the loop. Memory that is lost in an execution which stays in the
//!   loop is also lost in the one that leaves it at the next such branch, and is found at the end of that. This holds only if
//!   each end of the program is looked at, and nothing excludes executions ([`Exits`]).
//!
//! These checks also hold where nothing is lost. Of infinitely many rounds only finitely many make progress, and what is lost
//! stays lost.

use std::collections::BTreeSet;

use regatta_program::digraph::Digraph;

use super::walk::{self, Operand, start_of};
use crate::ir::{
    BinaryOp, Block, Expr, Instruction, ObjectIndex, Place, ScalarType, Terminator, UnaryOp, Unit,
};
use crate::memory::limits::MAXIMUM_LOOP_BLOCKS;

/// Blocks of a function.
type Blocks = BTreeSet<u32>;

/// Who can access a scalar.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Its function, by its name.
    Function,
    /// All functions, by its name.
    Names,
    /// What has its address, too.
    Anything,
}

/// Whether executions that may leave a loop come to where lost memory is looked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exits {
    Checked,
    Unknown,
}

impl Exits {
    /// Exits of the functions of a program: they are known if each end of the program is marked, and if nothing but the models
    /// of the library excludes executions.
    pub fn of(unit: &Unit) -> Self {
        let mut blocks = unit.functions.iter().flat_map(|function| &function.blocks);
        match blocks.all(|block| block.span.line == 0 || keeps_executions(block)) {
            true => Self::Checked,
            false => Self::Unknown,
        }
    }
}

/// Whether no execution ends in the block without being looked at.
fn keeps_executions(block: &Block) -> bool {
    let mut ends = false;
    for (instruction, span) in &block.instructions {
        match instruction {
            Instruction::Assume(_) if span.line != 0 => return false,
            Instruction::CallUnknown { returns: false, .. } => return false,
            Instruction::ProgramEnds { .. } => ends = true,
            _ => {}
        }
    }
    match block.terminator {
        Terminator::End => ends,
        Terminator::Error | Terminator::Unreachable => false,
        _ => true,
    }
}

/// The loops of a function.
pub struct Loops<'a> {
    blocks: &'a [Block],
    /// Who can access an object, if it is a scalar.
    reach: &'a dyn Fn(ObjectIndex) -> Reach,
    exits: Exits,
}

/// What is to be checked of loops.
#[derive(Default)]
pub struct Checks {
    /// Blocks of the outermost loops that are not known to end, some of each round. A loop in which nothing happens stands for
    /// the end of the program.
    pub endless: Blocks,
    /// What blocks have to do so that loops end.
    pub progress: BTreeSet<(u32, Progress)>,
}

/// What ends a loop that does it in each round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// It frees an object.
    Frees,
    /// It gives the pointer a lower address.
    Lowers(ObjectIndex),
    /// It moves the pointer over a link that no other object has, and not to where the other pointer leads, which does not change.
    Follows {
        pointer: ObjectIndex,
        start: ObjectIndex,
    },
}

/// A variable's step.
struct Step {
    variable: ObjectIndex,
    block: u32,
    distance: i128,
}

impl<'a> Loops<'a> {
    pub const fn new(
        blocks: &'a [Block],
        reach: &'a dyn Fn(ObjectIndex) -> Reach,
        exits: Exits,
    ) -> Self {
        Self {
            blocks,
            reach,
            exits,
        }
    }

    /// What is to be checked of the loops.
    pub fn checks(&self) -> Checks {
        let all: Blocks = (0..self.blocks.len() as u32).collect();
        let loops = self.components(&all).into_iter();
        let is_idle = |members: &Blocks| {
            let mut members = members.iter();
            members.all(|&block| self.block(block).instructions.is_empty())
        };
        let mut checks = Checks::default();
        for members in loops.filter(|members| !is_idle(members)) {
            if let Some(progress) = self.ends(&members) {
                checks.progress.extend(progress);
                continue;
            }
            for &source in &members {
                // Every cycle has an edge that does not lead to a later block.
                let targets = walk::successors(&self.block(source).terminator).into_iter();
                let heads = targets.filter(|target| *target <= source && members.contains(target));
                checks.endless.extend(heads);
            }
        }
        checks
    }

    fn is_private(&self, object: ObjectIndex) -> bool {
        (self.reach)(object) == Reach::Function
    }

    fn block(&self, number: u32) -> &'a Block {
        &self.blocks[number as usize]
    }

    /// The strongly connected components with cycles of a part of the blocks.
    fn components(&self, part: &Blocks) -> Vec<Blocks> {
        let edges = part.iter().flat_map(|&source| {
            let targets = walk::successors(&self.block(source).terminator).into_iter();
            let inside = targets.filter(|target| part.contains(target));
            inside.map(move |target| (source, target))
        });
        let edges: Vec<(u32, u32)> = edges.collect();
        let graph = Digraph::new(self.blocks.len(), edges.iter().copied());
        let members = graph.components(part.iter().copied()).members();
        let sets = members.into_iter().map(Blocks::from_iter);
        let is_cyclic = |members: &Blocks| {
            let mut inside = edges.iter();
            inside.any(|(source, target)| members.contains(source) && members.contains(target))
        };
        sets.filter(is_cyclic).collect()
    }

    /// If control cannot stay in a strongly connected part for ever, or need not: the progress on which this rests.
    fn ends(&self, part: &Blocks) -> Option<BTreeSet<(u32, Progress)>> {
        if part.len() > MAXIMUM_LOOP_BLOCKS {
            return None;
        }
        let by_step = self.steps(part).into_iter().find_map(|step| {
            let mut tests = part.iter().filter(|&&block| self.tests(part, block, &step));
            tests.find(|&&test| {
                let untested = self.components(&without(part, test)).into_iter();
                let mut untested = untested.filter(|members| members.contains(&step.block));
                untested.next().is_none()
            })?;
            self.all_end(&without(part, step.block))
        });
        by_step
            .or_else(|| {
                let mut passed = part.iter().filter(|&&block| self.may_leave(part, block));
                passed.find_map(|&block| self.all_end(&without(part, block)))
            })
            .or_else(|| self.ends_by_freeing(part))
            .or_else(|| self.ends_by_following(part))
            .or_else(|| self.ends_by_descent(part))
    }

    /// Whether all loops among the blocks end.
    fn all_end(&self, part: &Blocks) -> Option<BTreeSet<(u32, Progress)>> {
        let loops = self.components(part).into_iter();
        let progress: Option<Vec<_>> = loops.map(|members| self.ends(&members)).collect();
        Some(progress?.into_iter().flatten().collect())
    }

    /// Whether the block branches on an input that alone decides, one way out of the part.
    fn may_leave(&self, part: &Blocks, number: u32) -> bool {
        let block = self.block(number);
        let Terminator::Branch {
            condition,
            then,
            otherwise,
            ..
        } = &block.terminator
        else {
            return false;
        };
        let stays = [then, otherwise].map(|target| part.contains(&target.0));
        let Some(variable) = tested_for_zero(condition) else {
            return false;
        };
        let mut instructions = block.instructions.iter().rev();
        let last = instructions.find(|(instruction, _)| writes_object(instruction, variable));
        let is_input = last.is_some_and(|(instruction, _)| match instruction {
            Instruction::Nondet { place, .. } => place.bit_field.is_none(),
            _ => false,
        });
        self.exits == Exits::Checked
            && stays[0] != stays[1]
            && self.is_private(variable)
            && is_input
    }

    /// The same for a part that makes no object and frees one in each round.
    fn ends_by_freeing(&self, part: &Blocks) -> Option<BTreeSet<(u32, Progress)>> {
        let instructions = |number: &u32| self.block(*number).instructions.iter();
        let mut all = part.iter().flat_map(instructions);
        if !all.all(|(instruction, _)| makes_no_object(instruction)) {
            return None;
        }
        part.iter().find_map(|&number| {
            let mut own = instructions(&number);
            own.find(|(instruction, _)| matches!(instruction, Instruction::Free(_)))?;
            let mut progress = self.all_end(&without(part, number))?;
            progress.insert((number, Progress::Frees));
            Some(progress)
        })
    }

    /// The same for a part that writes variables alone, and in each round of which a pointer is moved over a link. It begins where
    /// another one leads.
    fn ends_by_following(&self, part: &Blocks) -> Option<BTreeSet<(u32, Progress)>> {
        let instructions = |number: &u32| self.block(*number).instructions.iter();
        let mut all = part.iter().flat_map(instructions);
        if !all.all(|(instruction, _)| self.writes_variables(instruction)) {
            return None;
        }
        part.iter().find_map(|&number| {
            let mut own = instructions(&number);
            let pointer = own.find_map(|(instruction, _)| {
                let pointer = followed_pointer(instruction)?;
                let is_only = self.is_private(pointer) && self.writes(part, pointer) == 1;
                is_only.then_some(pointer)
            })?;
            let start = self.start(part, pointer)?;
            let mut progress = self.all_end(&without(part, number))?;
            progress.insert((number, Progress::Follows { pointer, start }));
            Some(progress)
        })
    }

    /// The variable that the pointer is a copy of wherever control comes into the part, if neither is written in between, nor that
    /// variable in the part.
    fn start(&self, part: &Blocks, pointer: ObjectIndex) -> Option<ObjectIndex> {
        let outside = (0..self.blocks.len() as u32).filter(|number| !part.contains(number));
        let leads_in = |number: &u32| {
            let mut targets = walk::successors(&self.block(*number).terminator).into_iter();
            targets.any(|target| part.contains(&target))
        };
        let starts = outside.filter(leads_in).map(|number| {
            let instructions = &self.block(number).instructions;
            let writes = |(instruction, _): &_| writes_object(instruction, pointer);
            let last = instructions.iter().rposition(writes)?;
            let (_, source) = assigned_pointer(&instructions[last].0)?;
            let start = match source {
                Expr::ObjectAddress(start) => *start,
                _ => return None,
            };
            let mut later = instructions[last + 1..].iter();
            let changes = later.any(|(instruction, _)| writes_object(instruction, start));
            (!changes).then_some(start)
        });
        let starts: BTreeSet<Option<ObjectIndex>> = starts.collect();
        let mut starts = starts.into_iter();
        let (Some(Some(start)), None) = (starts.next(), starts.next()) else {
            return None;
        };
        // A function begins in its first block.
        let is_known = !part.contains(&0) && start != pointer && self.is_private(start);
        (is_known && self.writes(part, start) == 0).then_some(start)
    }

    /// Whether the instruction writes no memory but variables that only their names access.
    fn writes_variables(&self, instruction: &Instruction) -> bool {
        let mut keeps = match instruction {
            Instruction::Free(_) | Instruction::Unsupported(_) => false,
            Instruction::Declare(object)
            | Instruction::BeginScope(object)
            | Instruction::EndScope(object) => self.is_private(*object),
            _ => makes_no_object(instruction),
        };
        walk::operands_by_use(instruction, &mut |operand| {
            keeps &= match operand {
                Operand::Target(place) => match *place.address {
                    Expr::ObjectAddress(object) => self.is_private(object),
                    _ => false,
                },
                Operand::Filled(_) => false,
                Operand::Value(_) | Operand::Source(_) => true,
            };
        });
        keeps
    }

    /// The same for a part in each round of which a pointer gets another value, always at one place.
    fn ends_by_descent(&self, part: &Blocks) -> Option<BTreeSet<(u32, Progress)>> {
        part.iter().find_map(|&number| {
            let own = &self.block(number).instructions;
            let pointer = own
                .iter()
                .enumerate()
                .find_map(|(place, (instruction, _))| {
                    let loaded = loaded_pointer(instruction)?;
                    // Where the links are changed, the next object is kept in another variable meanwhile.
                    let mut later = own[place + 1..].iter();
                    let walked = later.find_map(|(later, _)| {
                        copied_pointer(later, loaded)
                            .filter(|&walked| mentions(instruction, walked))
                    });
                    let pointer = walked.unwrap_or(loaded);
                    let is_only = self.is_private(pointer) && self.writes(part, pointer) == 1;
                    is_only.then_some(pointer)
                })?;
            let mut progress = self.all_end(&without(part, number))?;
            progress.insert((number, Progress::Lowers(pointer)));
            Some(progress)
        })
    }

    /// The steps of variables that are written once in the part.
    fn steps(&self, part: &Blocks) -> Vec<Step> {
        let mut steps = Vec::new();
        for &number in part {
            for (instruction, _) in &self.block(number).instructions {
                if let Instruction::Assign { place, value } = instruction
                    && let Expr::ObjectAddress(variable) = *place.address
                    && place.bit_field.is_none()
                    && self.is_private(variable)
                    && let Some(distance) = distance_from(value, variable)
                    && (1..1 << 20).contains(&distance.unsigned_abs())
                    && self.writes(part, variable) == 1
                {
                    steps.push(Step {
                        variable,
                        block: number,
                        distance,
                    });
                }
            }
        }
        steps
    }

    /// The number of instructions of the part that write an object.
    fn writes(&self, part: &Blocks, object: ObjectIndex) -> usize {
        let instructions = part
            .iter()
            .flat_map(|&block| &self.block(block).instructions);
        let writes = instructions.filter(|(instruction, _)| writes_object(instruction, object));
        writes.count()
    }

    /// Whether no function is called in the part.
    fn calls_nothing(&self, part: &Blocks) -> bool {
        let blocks = part.iter().map(|&block| self.block(block));
        let mut instructions = blocks.flat_map(|block| &block.instructions);
        instructions.all(|(instruction, _)| calls_no_function(instruction))
    }

    /// Whether an expression has the same value wherever it is evaluated in the part.
    fn is_fixed(&self, part: &Blocks, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => match *place.address {
                Expr::ObjectAddress(object) => {
                    let is_known = match (self.reach)(object) {
                        Reach::Function => true,
                        Reach::Names => self.calls_nothing(part),
                        Reach::Anything => false,
                    };
                    is_known && self.writes(part, object) == 0
                }
                _ => false,
            },
            _ => walk::all_parts(expr, &mut |inner| self.is_fixed(part, inner)),
        }
    }

    /// Whether control does not pass the block for ever, given the step.
    fn tests(&self, part: &Blocks, number: u32, step: &Step) -> bool {
        let block = self.block(number);
        if let Terminator::Branch {
            condition,
            then,
            otherwise,
            ..
        } = &block.terminator
        {
            let stays = [then, otherwise].map(|target| part.contains(&target.0));
            let leaves = match stays {
                [true, false] => self.is_bound(part, condition, step, true),
                [false, true] => self.is_bound(part, condition, step, false),
                _ => false,
            };
            if leaves {
                return true;
            }
        }
        let mut accesses = false;
        walk::every_expression(block, &mut |expr| {
            if let Expr::Load(place) = expr {
                accesses |= self.moves(part, place, step);
            }
        });
        for (instruction, _) in &block.instructions {
            walk::operands_by_use(instruction, &mut |operand| {
                if let Operand::Target(place) = operand {
                    accesses |= self.moves(part, place, step);
                }
            });
        }
        accesses
    }

    /// Whether the condition, which has the truth value while control stays, has the other one for some value of the variable.
    fn is_bound(&self, part: &Blocks, condition: &Expr, step: &Step, stays_if: bool) -> bool {
        let Expr::Binary {
            op, left, right, ..
        } = condition
        else {
            return false;
        };
        let (op, loaded, bound) = if loads(left, step.variable) && self.is_fixed(part, right) {
            (*op, left, right)
        } else if loads(right, step.variable) && self.is_fixed(part, left) {
            (mirrored(*op), right, left)
        } else {
            return false;
        };
        let op = if stays_if { op } else { negated(op) };
        let Some((scalar, is_converted)) = type_of_load(loaded) else {
            return false;
        };
        let ScalarType::Integer { bits, .. } = scalar else {
            return false;
        };
        let constant = walk::constant_integer(bound);
        // A value in the types of both sides.
        let small = constant.is_some_and(|value| (0..(1 << bits.min(100)) / 2).contains(&value));
        let is_reached = !is_converted || small;
        match (op, step.distance) {
            (BinaryOp::NotEqual, 1 | -1) | (BinaryOp::Less, 1) | (BinaryOp::Greater, -1) => {
                is_reached
            }
            (BinaryOp::LessEqual, 1) => small && constant != Some((1 << bits.min(100)) / 2 - 1),
            (BinaryOp::GreaterEqual, -1) => small && constant != Some(0),
            _ => false,
        }
    }

    /// Whether the address of a place moves with the variable.
    fn moves(&self, part: &Blocks, place: &Place, step: &Step) -> bool {
        let is_wide = |loaded: &Expr| {
            let scalar = type_of_load(loaded);
            scalar.is_some_and(|(scalar, _)| match scalar {
                ScalarType::Pointer => true,
                ScalarType::Integer { bits, .. } => bits >= 32,
                _ => false,
            })
        };
        match &*place.address {
            Expr::Load(_) => is_load(&place.address, step.variable),
            Expr::Offset { base, bytes } if is_load(base, step.variable) => {
                self.is_fixed(part, bytes)
            }
            Expr::Offset { base, bytes } if self.is_fixed(part, base) => {
                let index = match &**bytes {
                    Expr::Binary {
                        op: BinaryOp::Multiply,
                        left,
                        right,
                        ..
                    } => match (walk::constant_integer(left), walk::constant_integer(right)) {
                        (_, Some(factor)) if (1..1 << 32).contains(&factor) => left,
                        (Some(factor), _) if (1..1 << 32).contains(&factor) => right,
                        _ => return false,
                    },
                    _ => bytes,
                };
                loads(index, step.variable) && is_wide(index)
            }
            _ => false,
        }
    }
}

/// Whether the instruction writes a part of an object that only its name accesses, or begins or ends it.
fn writes_object(instruction: &Instruction, object: ObjectIndex) -> bool {
    let mut writes = matches!(
        instruction,
        Instruction::Declare(other)
            | Instruction::BeginScope(other)
            | Instruction::EndScope(other)
            if *other == object
    );
    walk::operands_by_use(instruction, &mut |operand| {
        writes |= match operand {
            Operand::Target(place) => start_of(&place.address) == Some(object),
            Operand::Filled(address) => start_of(address) == Some(object),
            Operand::Value(_) | Operand::Source(_) => false,
        };
    });
    writes
}

const fn calls_no_function(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Allocate { .. }) || makes_no_object(instruction)
}

/// Whether the instruction makes no object on the heap, and calls no function, which might make one.
const fn makes_no_object(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Assign { .. }
        | Instruction::Copy { .. }
        | Instruction::Fill { .. }
        | Instruction::FillRange { .. }
        | Instruction::Padding { .. }
        | Instruction::Nondet { .. }
        | Instruction::ReadDevice { .. }
        | Instruction::WriteDevice { .. }
        | Instruction::Approximate { .. }
        | Instruction::Choice { .. }
        | Instruction::Declare(_)
        | Instruction::BeginScope(_)
        | Instruction::EndScope(_)
        | Instruction::ProgramEnds { .. }
        | Instruction::Free(_)
        | Instruction::Assume(_)
        | Instruction::SetRounding(_)
        | Instruction::Unsupported(_)
        | Instruction::Waypoint { .. }
        | Instruction::Check { .. }
        | Instruction::CheckAlignment { .. }
        | Instruction::Expect { .. }
        | Instruction::Assumption { .. } => true,
        Instruction::Call { .. }
        | Instruction::CallUnknown { .. }
        | Instruction::Allocate { .. } => false,
    }
}

/// The pointer variable that gets the value at an address, and the address.
fn assigned_pointer(instruction: &Instruction) -> Option<(ObjectIndex, &Expr)> {
    match instruction {
        Instruction::Assign {
            place:
                Place {
                    address,
                    scalar: ScalarType::Pointer,
                    bit_field: None,
                    ..
                },
            value: Expr::Load(source),
        } => match **address {
            Expr::ObjectAddress(pointer) => Some((pointer, &source.address)),
            _ => None,
        },
        _ => None,
    }
}

/// The pointer that gets a value from the object where it leads itself.
fn followed_pointer(instruction: &Instruction) -> Option<ObjectIndex> {
    let (pointer, source) = assigned_pointer(instruction)?;
    let base = match source {
        Expr::Offset { base, bytes } if walk::constant_integer(bytes).is_some() => base,
        _ => source,
    };
    loads(base, pointer).then_some(pointer)
}

/// The pointer that gets a value which a pointer leads to.
pub(super) fn loaded_pointer(instruction: &Instruction) -> Option<ObjectIndex> {
    let (pointer, source) = assigned_pointer(instruction)?;
    start_of(source).is_none().then_some(pointer)
}

/// The pointer that gets the value of another variable.
pub(super) fn copied_pointer(instruction: &Instruction, from: ObjectIndex) -> Option<ObjectIndex> {
    let (pointer, source) = assigned_pointer(instruction)?;
    matches!(source, Expr::ObjectAddress(source) if *source == from).then_some(pointer)
}

/// Whether an expression of the instruction is the variable.
fn mentions(instruction: &Instruction, variable: ObjectIndex) -> bool {
    let mut found = false;
    walk::every_part(instruction, &mut |expression| {
        found |= matches!(expression, Expr::ObjectAddress(object) if *object == variable);
    });
    found
}

/// The variable that the condition compares with zero, if it does nothing else.
fn tested_for_zero(condition: &Expr) -> Option<ObjectIndex> {
    match condition {
        Expr::Load(place) if place.bit_field.is_none() => match (&*place.address, place.scalar) {
            (
                Expr::ObjectAddress(object),
                ScalarType::Integer { .. } | ScalarType::Bool | ScalarType::Pointer,
            ) => Some(*object),
            _ => None,
        },
        Expr::Unary {
            op: UnaryOp::LogicalNot,
            operand,
            ..
        } => tested_for_zero(operand),
        Expr::Binary {
            op: BinaryOp::Equal | BinaryOp::NotEqual,
            left,
            right,
            ..
        } if walk::constant_integer(right) == Some(0) => tested_for_zero(left),
        Expr::Convert {
            operand,
            from: ScalarType::Integer { bits: from, .. },
            to: ScalarType::Integer { bits: to, .. },
        } if from <= to => tested_for_zero(operand),
        Expr::Convert {
            operand,
            from: ScalarType::Bool,
            to: ScalarType::Integer { .. },
        }
        | Expr::Convert {
            operand,
            to: ScalarType::Bool,
            ..
        } => tested_for_zero(operand),
        _ => None,
    }
}

fn without(part: &Blocks, block: u32) -> Blocks {
    part.iter()
        .copied()
        .filter(|&other| other != block)
        .collect()
}

fn is_load(expr: &Expr, variable: ObjectIndex) -> bool {
    match expr {
        Expr::Load(place) => {
            place.bit_field.is_none()
                && matches!(*place.address, Expr::ObjectAddress(object) if object == variable)
        }
        _ => false,
    }
}

/// Whether the expression is the variable, converted to wider integers perhaps.
fn loads(expr: &Expr, variable: ObjectIndex) -> bool {
    match expr {
        Expr::Convert {
            operand,
            from: ScalarType::Integer { bits: from, .. },
            to: ScalarType::Integer { bits: to, .. },
        } => from <= to && loads(operand, variable),
        _ => is_load(expr, variable),
    }
}

/// The type of a variable that is loaded, and whether it is converted.
fn type_of_load(expr: &Expr) -> Option<(ScalarType, bool)> {
    match expr {
        Expr::Convert { operand, .. } => Some((type_of_load(operand)?.0, true)),
        Expr::Load(place) => Some((place.scalar, false)),
        _ => None,
    }
}

/// The constant by which a value differs from the variable.
fn distance_from(value: &Expr, variable: ObjectIndex) -> Option<i128> {
    match value {
        Expr::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Subtract),
            left,
            right,
            ..
        } if is_load(left, variable) => {
            let distance = walk::constant_integer(right)?;
            Some(if *op == BinaryOp::Add {
                distance
            } else {
                -distance
            })
        }
        Expr::Offset { base, bytes } if is_load(base, variable) => walk::constant_integer(bytes),
        _ => None,
    }
}

const fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

const fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        other => other,
    }
}

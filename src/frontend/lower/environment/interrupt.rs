//! Interrupt functions, which are marked by an attribute or named by an option. The hardware calls them at any time.
//!
//! A generated function represents the hardware: it calls any of them any number of times. It is called before each
//! volatile read and behind each write to an object that an interrupt function accesses by name: only there can the
//! program distinguish when they run. If the option names one, it is also called before whatever else uses such an object, volatile or
//! not. That they run nowhere else is an assumption in the ledger. They do not interrupt each other.

use rustc_hash::FxHashSet;

use super::entry::ENTRY;
use crate::ir::{
    BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Object, ObjectIndex, Place,
    Storage, Terminator,
};
use crate::lower::{Lowerer, Result, block, unreachable_function};
use crate::memory::walk::{INT, every_expression, every_part, expressions_of_end, start_of};
use regatta_base::diagnostic::{Error, ErrorKind};
use regatta_program::{AssumptionKind, Span};

/// The name of the function that represents the hardware.
const INTERRUPTS: &str = "<interrupts>";

impl Lowerer<'_> {
    /// Adds the calls of interrupt functions to an otherwise complete program.
    ///
    /// # Errors
    /// If no file defines one that is named by the option.
    pub(in crate::lower) fn add_interrupts(
        &mut self,
        functions: &mut Vec<Function>,
        start: FunctionIndex,
    ) -> Result<()> {
        let named = &self.input.devices().interrupts;
        let is_defined = |name: &String| functions.iter().any(|function| function.name == *name);
        if let Some(name) = named.iter().find(|name| !is_defined(name)) {
            let message = format!("no file defines the function `{name}`, which is an interrupt");
            return Err(Error::new(ErrorKind::Link, message));
        }
        let mut handlers: Vec<FunctionIndex> = self
            .lifecycle
            .interrupts
            .iter()
            .chain(named)
            .filter_map(|name| self.functions.named(name))
            .collect();
        handlers.sort_unstable();
        handlers.dedup();
        if handlers.is_empty() {
            return Ok(());
        }
        let before = match named.is_empty() {
            true => Uses::Volatile,
            false => Uses::All,
        };
        let inside = called_from(&handlers, functions);
        let shared = self.shared_objects(&inside, functions);
        let machine = FunctionIndex(functions.len() as u32);
        functions.push(unreachable_function());
        let body = self.machine(machine, &handlers, functions, before);
        functions[machine.0 as usize] = body;
        for (index, function) in functions.iter_mut().enumerate() {
            let index = FunctionIndex(index as u32);
            if index == start
                || index == machine
                || inside.contains(&index)
                || function.name == ENTRY
            {
                continue;
            }
            for block in &mut function.blocks {
                interrupt(&mut block.instructions, machine, &shared, before);
                if before == Uses::All && ends_with_use(&block.terminator, &shared) {
                    let span = block.instructions.last().map_or(Span::NONE, |last| last.1);
                    block.instructions.push((call_of(machine), span));
                }
            }
        }
        Ok(())
    }

    /// The objects with static storage that interrupt functions access by name.
    fn shared_objects(
        &self,
        inside: &FxHashSet<FunctionIndex>,
        functions: &[Function],
    ) -> FxHashSet<ObjectIndex> {
        let mut shared = FxHashSet::default();
        for index in inside {
            for block in &functions[index.0 as usize].blocks {
                every_expression(block, &mut |expr| {
                    if let Expr::ObjectAddress(object) = expr
                        && !self.objects.is_automatic(*object)
                    {
                        shared.insert(*object);
                    }
                });
            }
        }
        shared
    }

    /// A function that calls any of the handlers any number of times.
    fn machine(
        &mut self,
        machine: FunctionIndex,
        handlers: &[FunctionIndex],
        functions: &[Function],
        before: Uses,
    ) -> Function {
        let choice = self.push_object(Object {
            name: format!("{INTERRUPTS}::#choice"),
            size: 4,
            alignment: 4,
            storage: Storage::Automatic(machine),
            constant: false,
            leaves: self.types.leaves(crate::types::Type::INT),
            blocks: Vec::new(),
            span: Span::NONE,
        });
        let place = Place::new(Expr::ObjectAddress(choice), INT);
        // The head of the loop must not be the entry.
        let (head, exit) = (BlockIndex(1), BlockIndex(2));
        let note = Instruction::Assumption {
            kind: AssumptionKind::Volatile,
            what: match before {
                Uses::Volatile => {
                    "interrupt functions run only before volatile reads, and after writes to what they name"
                }
                Uses::All => "interrupt functions run only before and after uses of what they name",
            }
            .to_owned(),
        };
        let mut blocks = vec![
            block(vec![note], Terminator::Goto(head)),
            block(Vec::new(), Terminator::Return),
            block(Vec::new(), Terminator::Return),
        ];
        let mut cases = Vec::new();
        for (number, &handler) in handlers.iter().enumerate() {
            let mut instructions = Vec::new();
            let mut arguments = Vec::new();
            for parameter in functions[handler.0 as usize].parameters.clone() {
                let (given, argument) = self.any_argument(machine, parameter);
                instructions.push(given);
                arguments.push(argument);
            }
            instructions.push(Instruction::Call {
                callee: Callee::Direct(handler),
                arguments,
                result: None,
            });
            let target = BlockIndex(blocks.len() as u32);
            blocks.push(block(instructions, Terminator::Goto(head)));
            cases.push((number as i128, number as i128, target));
        }
        blocks[head.0 as usize] = block(
            vec![Instruction::Choice {
                place: place.clone(),
            }],
            Terminator::Switch {
                value: Expr::Load(place),
                scalar: INT,
                cases,
                default: exit,
            },
        );
        Function {
            name: INTERRUPTS.to_owned(),
            parameters: Vec::new(),
            result: None,
            blocks,
            span: Span::NONE,
        }
    }
}

/// The handlers, and the functions that they call directly.
fn called_from(handlers: &[FunctionIndex], functions: &[Function]) -> FxHashSet<FunctionIndex> {
    let mut inside: FxHashSet<FunctionIndex> = FxHashSet::default();
    let mut open = handlers.to_vec();
    while let Some(index) = open.pop() {
        if !inside.insert(index) {
            continue;
        }
        let blocks = functions[index.0 as usize].blocks.iter();
        for (instruction, _) in blocks.flat_map(|block| &block.instructions) {
            if let Instruction::Call {
                callee: Callee::Direct(callee),
                ..
            } = instruction
            {
                open.push(*callee);
            }
        }
    }
    inside
}

/// Before which uses of what interrupt functions name they may run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Uses {
    /// Volatile reads.
    Volatile,
    /// All.
    All,
}

fn call_of(machine: FunctionIndex) -> Instruction {
    Instruction::Call {
        callee: Callee::Direct(machine),
        arguments: Vec::new(),
        result: None,
    }
}

/// Checks whether an expression is the address of one of the objects.
fn names_one(expr: &Expr, objects: &FxHashSet<ObjectIndex>) -> bool {
    matches!(expr, Expr::ObjectAddress(object) if objects.contains(object))
}

/// Checks whether the end of a block uses one of the objects.
fn ends_with_use(terminator: &Terminator, shared: &FxHashSet<ObjectIndex>) -> bool {
    let mut uses = false;
    expressions_of_end(terminator, &mut |expr| uses |= names_one(expr, shared));
    uses
}

/// Inserts calls where an interrupt can make a difference.
fn interrupt(
    instructions: &mut Vec<(Instruction, Span)>,
    machine: FunctionIndex,
    shared: &FxHashSet<ObjectIndex>,
    before: Uses,
) {
    let is_shared = |address: &Expr| match start_of(address) {
        Some(object) => shared.contains(&object),
        None => false,
    };
    for (one, span) in std::mem::take(instructions) {
        let call = call_of(machine);
        let is_before = match (&one, before) {
            (
                Instruction::ReadDevice {
                    source,
                    volatile: true,
                    ..
                },
                _,
            ) if start_of(&source.address).is_none() || is_shared(&source.address) => true,
            (_, Uses::Volatile) => false,
            (one, Uses::All) => {
                let mut uses = false;
                every_part(one, &mut |expr| uses |= names_one(expr, shared));
                uses
            }
        };
        if is_before {
            instructions.push((call.clone(), span));
        }
        let writes = match &one {
            Instruction::Copy { destination, .. } | Instruction::Fill { destination, .. } => {
                is_shared(destination)
            }
            _ => one
                .written_place()
                .is_some_and(|place| is_shared(&place.address)),
        };
        instructions.push((one, span));
        if writes {
            instructions.push((call, span));
        }
    }
}

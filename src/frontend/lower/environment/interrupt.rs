//! Interrupt functions, which are marked by an attribute. The hardware calls them at any time.
//!
//! A generated function represents the hardware: it calls any of them any number of times. It is called before each
//! volatile read and behind each write to an object that an interrupt function accesses by name: only there can the
//! program distinguish when they run. That they run nowhere else is an assumption in the ledger. They do not interrupt
//! each other.

use rustc_hash::FxHashSet;

use crate::ir::{
    BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Object, ObjectIndex, Place,
    Storage, Terminator,
};
use crate::lower::{Lowerer, block, unreachable_function};
use crate::memory::walk::{INT, every_expression, start_of};
use regatta_program::{AssumptionKind, Span};

/// The name of the function that represents the hardware.
const INTERRUPTS: &str = "<interrupts>";

impl Lowerer<'_> {
    /// Adds the calls of interrupt functions to an otherwise complete program.
    pub(in crate::lower) fn add_interrupts(
        &mut self,
        functions: &mut Vec<Function>,
        start: FunctionIndex,
    ) {
        let mut handlers: Vec<FunctionIndex> = self
            .lifecycle
            .interrupts
            .iter()
            .filter_map(|name| self.functions.named(name))
            .collect();
        handlers.sort_unstable();
        handlers.dedup();
        if handlers.is_empty() {
            return;
        }
        let inside = called_from(&handlers, functions);
        let shared = self.shared_objects(&inside, functions);
        let machine = FunctionIndex(functions.len() as u32);
        functions.push(unreachable_function());
        let body = self.machine(machine, &handlers, functions);
        functions[machine.0 as usize] = body;
        for (index, function) in functions.iter_mut().enumerate() {
            let index = FunctionIndex(index as u32);
            if index == start || index == machine || inside.contains(&index) {
                continue;
            }
            for block in &mut function.blocks {
                interrupt(&mut block.instructions, machine, &shared);
            }
        }
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
            what: "interrupt functions run only before volatile reads, and after writes to what they name"
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

/// Inserts calls where an interrupt can make a difference.
fn interrupt(
    instructions: &mut Vec<(Instruction, Span)>,
    machine: FunctionIndex,
    shared: &FxHashSet<ObjectIndex>,
) {
    let is_shared = |address: &Expr| match start_of(address) {
        Some(object) => shared.contains(&object),
        None => false,
    };
    for (one, span) in std::mem::take(instructions) {
        let call = Instruction::Call {
            callee: Callee::Direct(machine),
            arguments: Vec::new(),
            result: None,
        };
        if let Instruction::ReadDevice {
            source,
            volatile: true,
            ..
        } = &one
            && (start_of(&source.address).is_none() || is_shared(&source.address))
        {
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

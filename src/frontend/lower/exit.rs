//! Before `main` and after it: constructors, and what runs when the program ends normally.
//!
//! `exit` and the return from `main` call one function, which calls what `atexit` registered (the prelude keeps the
//! list), last first, and then the functions with the attribute `destructor`. If there is nothing to do, the calls go.

use super::specifier::Attributes;
use super::{Effect, Lowerer, Result};
use crate::frontend::ir::{Callee, FunctionIndex, Instruction, Terminator};
use crate::frontend::types::Type;
use crate::program::Span;

/// Functions that run before and after `main`, by name.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    /// With the attribute `constructor`, and their priorities.
    pub constructors: Vec<(String, u32)>,
    /// With the attribute `destructor`, and their priorities.
    pub destructors: Vec<(String, u32)>,
    /// Those that the machine calls at any time, see [`super::interrupt`].
    pub interrupts: Vec<String>,
    /// The function that every exit calls.
    exit: Option<FunctionIndex>,
}

/// In the prelude: registers a function, and calls those that are registered.
const REGISTER: &str = "__regatta_atexit";
const RUN: &str = "__regatta_run_exit_functions";

impl Lowerer<'_> {
    /// The program ends normally here.
    pub(super) fn exit_program(&mut self) {
        let index = match self.lifecycle.exit {
            Some(index) => index,
            None => {
                let index = self.new_function();
                self.lifecycle.exit = Some(index);
                index
            }
        };
        self.emit(call(index));
        self.end_path(Terminator::End);
    }

    /// Notes what the attributes of a function's declaration say about it.
    pub(super) fn note_lifecycle(&mut self, name: &str, attributes: &Attributes) {
        let lifecycle = &mut self.lifecycle;
        if let Some(priority) = attributes.constructor {
            lifecycle.constructors.push((name.to_owned(), priority));
        }
        if let Some(priority) = attributes.destructor {
            lifecycle.destructors.push((name.to_owned(), priority));
        }
        if attributes.interrupt {
            lifecycle.interrupts.push(name.to_owned());
        }
    }

    /// Calls the constructors, in the order of their priorities and definitions.
    pub(super) fn call_constructors(&mut self) {
        let constructors = std::mem::take(&mut self.lifecycle.constructors);
        for constructor in self.scheduled(&constructors) {
            let instruction = self.scheduled_call(constructor);
            self.emit(instruction);
        }
    }

    /// Asks for what the exit function needs of the prelude, once it is known whether the program uses `atexit`.
    pub(super) fn want_exit_functions(&mut self) -> Result<()> {
        if self.defined.contains_key(REGISTER) {
            self.prelude_function(RUN);
            self.lower_prelude()?;
        }
        Ok(())
    }

    /// Gives the exit function its body, or takes back the calls if it has nothing to do.
    pub(super) fn finish_exits(&mut self) {
        let Some(index) = self.lifecycle.exit else {
            return;
        };
        let mut last: Vec<Instruction> = self
            .scheduled(&self.lifecycle.destructors)
            .into_iter()
            .map(|function| self.scheduled_call(function))
            .collect();
        last.reverse();
        let run = self.defined.get(RUN).copied();
        let mut builder = self.builder_for(index, "<exit>", Type::VOID);
        for instruction in run.map(call).into_iter().chain(last) {
            builder.emit(instruction, Effect::Visible, Span::NONE);
        }
        builder.end(Terminator::Return, Span::NONE);
        let body = builder.finish();
        let nothing = body
            .blocks
            .iter()
            .all(|block| block.instructions.is_empty());
        if let Some(slot) = self.functions.get_mut(index.0 as usize) {
            *slot = Some(body);
        }
        if nothing {
            for function in self.functions.iter_mut().flatten() {
                for block in &mut function.blocks {
                    block
                        .instructions
                        .retain(|(instruction, _)| !calls(instruction, index));
                }
            }
        }
    }

    /// Those of the functions that have a body, by priority and then in the order of their definitions.
    fn scheduled(&self, functions: &[(String, u32)]) -> Vec<FunctionIndex> {
        // What one declaration says about the priority holds for all.
        let mut priorities: std::collections::BTreeMap<FunctionIndex, u32> =
            std::collections::BTreeMap::new();
        for (name, priority) in functions {
            if let Some(&index) = self.defined.get(name.as_str())
                && matches!(self.functions.get(index.0 as usize), Some(Some(_)))
            {
                let known = priorities.entry(index).or_insert(*priority);
                *known = (*known).min(*priority);
            }
        }
        let mut order: Vec<_> = priorities.into_iter().collect();
        order.sort_by_key(|&(index, priority)| (priority, index));
        order.into_iter().map(|entry| entry.0).collect()
    }

    /// The call of a constructor or destructor. One with parameters gets what the loader passes, which is not modelled.
    fn scheduled_call(&self, index: FunctionIndex) -> Instruction {
        match self.functions.get(index.0 as usize) {
            Some(Some(function)) if !function.parameters.is_empty() => {
                let message = format!(
                    "the constructor or destructor `{}` with parameters",
                    function.name
                );
                Instruction::Unsupported(message)
            }
            _ => call(index),
        }
    }
}

fn calls(instruction: &Instruction, function: FunctionIndex) -> bool {
    matches!(instruction, Instruction::Call { callee: Callee::Direct(callee), .. } if *callee == function)
}

const fn call(function: FunctionIndex) -> Instruction {
    Instruction::Call {
        callee: Callee::Direct(function),
        arguments: Vec::new(),
        result: None,
    }
}

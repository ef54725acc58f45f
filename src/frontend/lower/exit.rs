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
    /// With the attribute `constructor`.
    pub constructors: Vec<String>,
    /// With the attribute `destructor`.
    pub destructors: Vec<String>,
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
        if attributes.constructor {
            self.lifecycle.constructors.push(name.to_owned());
        }
        if attributes.destructor {
            self.lifecycle.destructors.push(name.to_owned());
        }
    }

    /// Calls the constructors, in the order of their definitions.
    pub(super) fn call_constructors(&mut self) {
        let names = std::mem::take(&mut self.lifecycle.constructors);
        for constructor in self.without_parameters(&names) {
            self.emit(call(constructor));
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
        let mut last = self.without_parameters(&self.lifecycle.destructors);
        last.reverse();
        let run = self.defined.get(RUN).copied();
        let mut builder = self.builder_for(index, "<exit>", Type::VOID);
        for function in run.into_iter().chain(last) {
            builder.emit(call(function), Effect::Visible, Span::NONE);
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

    /// Those of the functions that have a body and no parameters, in the order of their definitions.
    fn without_parameters(&self, names: &[String]) -> Vec<FunctionIndex> {
        let takes_none = |index: &FunctionIndex| {
            self.functions
                .get(index.0 as usize)
                .and_then(Option::as_ref)
                .is_some_and(|function| function.parameters.is_empty())
        };
        let mut indices: Vec<_> = names
            .iter()
            .filter_map(|name| self.defined.get(name.as_str()).copied())
            .filter(takes_none)
            .collect();
        indices.sort_unstable();
        indices.dedup();
        indices
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

//! Before `main` and after it: constructors, and what runs when the program ends.
//!
//! `exit` and the return from `main` call one function, which calls what `atexit` registered (the prelude keeps the
//! list), last first, and then the functions with the attribute `destructor`. If there is nothing to do, the calls go.
//!
//! Unknown code may have asked to be called at the end, whichever it is, and a program that is aborted may have a handler
//! for that. Few programs have such code or handlers, and whether one does is known when it has been lowered: then it is
//! lowered once more, with those calls ([`Late`]).

use super::section::{Array, Placed, Position};
use super::specifier::Attributes;
use super::value::Value;
use super::{Effect, Lowerer, Result};
use crate::ir::{Argument, Callee, FunctionIndex, Instruction, ObjectIndex, Terminator};
use crate::library;
use crate::types::Type;
use regatta_base::Span;

/// Functions that run before and after `main`, by name.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    /// With the attribute `constructor`, and their priorities.
    pub constructors: Vec<(String, u32)>,
    /// With the attribute `destructor`, and their priorities.
    pub destructors: Vec<(String, u32)>,
    /// Those that the machine calls at any time, see [`super::interrupt`].
    pub interrupts: Vec<String>,
    /// Objects in sections of which the loader calls what they point to.
    pub placed: std::collections::BTreeMap<ObjectIndex, Placed>,
    /// The sections of objects that have others than usual.
    pub sections: std::collections::BTreeMap<ObjectIndex, String>,
    /// How many objects were defined.
    pub objects: usize,
    /// The function that was defined last.
    pub last_definition: Option<FunctionIndex>,
    /// What happens last, in this order.
    last: Vec<Instruction>,
    /// The function that every exit calls.
    pub exit: Option<FunctionIndex>,
    /// The function that stands for what unknown code does when the program ends.
    pub at_end: Option<FunctionIndex>,
    /// The object that says whether unknown code was ever called.
    pub had_control: Option<ObjectIndex>,
}

/// Who may act when the program has not called them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Late {
    /// Unknown code when the program ends.
    pub elsewhere: bool,
    /// Unknown code when the program uses streams.
    pub streams: bool,
    /// Handlers of signals.
    pub signals: bool,
    /// Functions that are given the status of the exit.
    pub status: bool,
}

impl Late {
    pub(super) const fn any(self) -> bool {
        self.elsewhere || self.streams || self.signals || self.status
    }
}

/// In the prelude: registers a function, and calls those that are registered.
const REGISTER: &str = "__regatta_atexit";
const RUN: &str = "__regatta_run_exit_functions";

/// The same where functions with an argument may be registered.
const REGISTER_ANY: &str = "__regatta_exit_with_argument";
const RUN_ANY: &str = "__regatta_run_any_exit_functions";

/// Those that are given the status of the exit, and what tells the prelude of it.
const REGISTER_FOR_STATUS: &str = "on_exit";
const SET_STATUS: &str = "__regatta_set_exit_status";

/// In the prelude: installs a handler of a signal, and calls those of a program that aborts or traps.
const INSTALL: &str = "__regatta_install_handler";
const ABORT: &str = "__regatta_abort_signal";
const TRAP: &str = "__regatta_trap_signal";

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

    /// The program ends here by a signal of its own: by a trap, or by `abort`, a failed assertion.
    pub(super) fn abort_program(&mut self, trap: bool) {
        if self.late.signals {
            let handlers = self.prelude_function(if trap { TRAP } else { ABORT });
            self.emit(call(handlers));
        }
        self.elsewhere_at_end();
        self.end_path(Terminator::End);
    }

    /// The program is about to end: unknown code may have asked to be called then.
    pub(super) fn elsewhere_at_end(&mut self) {
        if self.late.elsewhere {
            let index = self.at_end_function();
            self.emit(call(index));
        }
    }

    fn at_end_function(&mut self) -> FunctionIndex {
        match self.lifecycle.at_end {
            Some(index) => index,
            None => {
                let index = self.new_function();
                self.lifecycle.at_end = Some(index);
                index
            }
        }
    }

    /// The program is about to end with the status.
    pub(super) fn exit_with(&mut self, status: Value) -> Result<()> {
        match library::lookup(SET_STATUS) {
            Some(known) if self.late.status => self.call_quietly(&known, vec![status]),
            _ => Ok(()),
        }
    }

    /// Whether the program installs handlers of signals, as far as it has been lowered.
    pub(super) fn handles_signals(&self) -> bool {
        self.defined.contains_key(INSTALL)
    }

    /// Whether functions are registered that are given the status of the exit, as far as the program has been lowered.
    pub(super) fn shows_status(&self) -> bool {
        self.defined.contains_key(REGISTER_FOR_STATUS) && self.defined.contains_key(REGISTER_ANY)
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

    /// Calls the constructors, in the order of their priorities and definitions, with the arguments of the program, and
    /// plans the calls of the destructors.
    pub(super) fn call_constructors(&mut self, arguments: &[Argument]) {
        self.note_section_order();
        for array in [Array::BeforeAll, Array::Start] {
            for instruction in self.scheduled(array, arguments) {
                self.emit(instruction);
            }
        }
        let mut last = self.scheduled(Array::End, &[]);
        last.reverse();
        self.lifecycle.last = last;
    }

    /// How many arguments of the program the constructors take, at most.
    pub(super) fn constructor_parameters(&self) -> usize {
        let functions =
            [Array::BeforeAll, Array::Start].map(|array| self.scheduled_functions(array));
        let count = |index: FunctionIndex| match self.functions.get(index.0 as usize) {
            Some(Some(function)) => function.parameters.len(),
            _ => 0,
        };
        functions
            .into_iter()
            .flatten()
            .map(count)
            .max()
            .unwrap_or(0)
    }

    /// Asks for what the exit function needs of the prelude, once it is known whether the program uses `atexit`.
    pub(super) fn want_exit_functions(&mut self) -> Result<()> {
        let run = match (
            self.defined.contains_key(REGISTER),
            self.defined.contains_key(REGISTER_ANY),
        ) {
            (_, true) => RUN_ANY,
            (true, false) => RUN,
            (false, false) => return Ok(()),
        };
        self.prelude_function(run);
        if self.late.status {
            self.prelude_function(SET_STATUS);
        }
        self.lower_prelude()
    }

    /// Gives the exit function its body, or takes back the calls if it has nothing to do.
    pub(super) fn finish_exits(&mut self) {
        let Some(index) = self.lifecycle.exit else {
            return;
        };
        let last = std::mem::take(&mut self.lifecycle.last);
        let run = [RUN_ANY, RUN]
            .iter()
            .find_map(|name| self.defined.get(*name).copied());
        // Unknown code comes first and last, and between any two.
        let elsewhere = self.late.elsewhere.then(|| self.at_end_function());
        let mut builder = self.builder_for(index, "<exit>", Type::VOID);
        for instruction in run.map(call).into_iter().chain(last) {
            if let Some(elsewhere) = elsewhere {
                builder.emit(call(elsewhere), Effect::Visible, Span::NONE);
            }
            builder.emit(instruction, Effect::Visible, Span::NONE);
        }
        if let Some(elsewhere) = elsewhere {
            builder.emit(call(elsewhere), Effect::Visible, Span::NONE);
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

    /// The functions with an attribute that have a body, with their priorities and where they are defined.
    pub(super) fn attributed(&self, array: Array) -> Vec<(u32, Position, FunctionIndex)> {
        let functions = match array {
            Array::BeforeAll => return Vec::new(),
            Array::Start => &self.lifecycle.constructors,
            Array::End => &self.lifecycle.destructors,
        };
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
        let entries = priorities.into_iter();
        entries
            .map(|(index, priority)| (priority, Position::function(index), index))
            .collect()
    }

    /// The call of a constructor or destructor with as many of the arguments as it takes.
    pub(super) fn scheduled_call(
        &self,
        index: FunctionIndex,
        arguments: &[Argument],
    ) -> Instruction {
        let Some(Some(function)) = self.functions.get(index.0 as usize) else {
            return call(index);
        };
        let parameters = &function.parameters;
        let fits = |(parameter, argument): (&ObjectIndex, &Argument)| {
            let leaves = &self.objects[parameter.0 as usize].leaves;
            matches!((&leaves[..], argument), ([leaf], Argument::Scalar { scalar, .. })
                if leaf.scalar == *scalar && leaf.count <= 1)
        };
        match arguments.get(..parameters.len()) {
            Some(given) if parameters.iter().zip(given).all(fits) => Instruction::Call {
                callee: Callee::Direct(index),
                arguments: given.to_vec(),
                result: None,
            },
            _ => {
                let name = &function.name;
                Instruction::Unsupported(format!(
                    "the constructor or destructor `{name}` with such parameters"
                ))
            }
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

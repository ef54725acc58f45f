//! Code before and after `main`: constructors, and what runs when the program ends.
//!
//! `exit` and the return from `main` call one exit function. It calls the functions registered with `atexit` (the
//! prelude keeps the list), last registered first, and then the functions with the attribute `destructor`. If it has
//! nothing to do, its calls are removed.
//!
//! Unknown code may have registered a function of its own, and a program that is aborted may have a signal handler.
//! Few programs have such code or handlers, and whether one has is known only after lowering: it is then lowered a
//! second time, with those calls ([`Late`]).

use crate::ir::{Argument, Callee, FunctionIndex, Instruction, ObjectIndex, Terminator};
use crate::library;
use crate::lower::declarations::section::{Array, Placed, Position};
use crate::lower::declarations::specifier::Attributes;
use crate::lower::expressions::value::Value;
use crate::lower::state::builder::Effect;
use crate::lower::{Lowerer, Result};
use crate::types::Type;
use regatta_base::Span;

/// Functions that run before and after `main`, by name.
#[derive(Debug, Default)]
pub(in crate::lower) struct Lifecycle {
    /// Functions with the attribute `constructor`, and their priorities.
    pub constructors: Vec<(String, u32)>,
    /// Functions with the attribute `destructor`, and their priorities.
    pub destructors: Vec<(String, u32)>,
    /// Interrupt handlers, which may run at any time; see [`super::interrupt`].
    pub interrupts: Vec<String>,
    /// Objects in sections whose entries the loader calls.
    pub placed: std::collections::BTreeMap<ObjectIndex, Placed>,
    /// The explicit sections of objects.
    pub sections: std::collections::BTreeMap<ObjectIndex, String>,
    /// Number of objects defined.
    pub objects: usize,
    pub last_definition: Option<FunctionIndex>,
    /// The calls at the end of the program, in this order.
    last: Vec<Instruction>,
    /// The function that every exit of the program calls.
    pub exit: Option<FunctionIndex>,
    /// The function that represents unknown code at the end of the program.
    pub at_end: Option<FunctionIndex>,
    /// The object that records whether unknown code was ever called.
    pub had_control: Option<ObjectIndex>,
}

/// Late actions: the code that may run without a call by the program.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::lower) struct Late {
    /// Unknown code at the end of the program.
    pub elsewhere: bool,
    /// Unknown code when the program uses streams.
    pub streams: bool,
    /// Signal handlers.
    pub signals: bool,
    /// Functions that receive the exit status.
    pub status: bool,
}

impl Late {
    pub(in crate::lower) const fn any(self) -> bool {
        self.elsewhere || self.streams || self.signals || self.status
    }
}

/// Prelude functions that register an exit function, and run the registered ones.
const REGISTER: &str = "__regatta_atexit";
const RUN: &str = "__regatta_run_exit_functions";

/// The variants used if functions with an argument may be registered.
const REGISTER_ANY: &str = "__regatta_exit_with_argument";
const RUN_ANY: &str = "__regatta_run_any_exit_functions";

/// The function that registers those that receive the exit status, and the prelude function that sets that status.
const REGISTER_FOR_STATUS: &str = "on_exit";
const SET_STATUS: &str = "__regatta_set_exit_status";

/// Prelude functions that install a signal handler, and run those of a program that aborts or traps.
const INSTALL: &str = "__regatta_install_handler";
const ABORT: &str = "__regatta_abort_signal";
const TRAP: &str = "__regatta_trap_signal";

impl Lifecycle {
    /// Records the attributes of a function's declaration that concern its life cycle.
    pub(in crate::lower) fn note_attributes(&mut self, name: &str, attributes: &Attributes) {
        if let Some(priority) = attributes.constructor {
            self.constructors.push((name.to_owned(), priority));
        }
        if let Some(priority) = attributes.destructor {
            self.destructors.push((name.to_owned(), priority));
        }
        if attributes.interrupt {
            self.interrupts.push(name.to_owned());
        }
    }
}

impl Lowerer<'_> {
    /// Lowers a normal end of the program.
    pub(in crate::lower) fn exit_program(&mut self) {
        let index = match self.lifecycle.exit {
            Some(index) => index,
            None => {
                let index = self.functions.reserve();
                self.lifecycle.exit = Some(index);
                index
            }
        };
        self.emit(call(index));
        self.end_process(false);
    }

    /// Ends the process; what exists then is looked at.
    pub(in crate::lower) fn end_process(&mut self, is_aborted: bool) {
        if self.input.property().checks_memory() {
            self.emit(Instruction::ProgramEnds { is_aborted });
        }
        self.end_path(Terminator::End);
    }

    /// Lowers an end of the program by a signal that it raises: a trap, `abort`, a failed assertion.
    pub(in crate::lower) fn abort_program(&mut self, trap: bool) {
        if self.input.late().signals {
            let handlers = self.prelude_function(if trap { TRAP } else { ABORT });
            self.emit(call(handlers));
        }
        self.elsewhere_at_end();
        self.end_process(true);
    }

    /// Calls the unknown code that may run at the end of the program.
    pub(in crate::lower) fn elsewhere_at_end(&mut self) {
        if self.input.late().elsewhere {
            let index = self.at_end_function();
            self.emit(call(index));
        }
    }

    fn at_end_function(&mut self) -> FunctionIndex {
        match self.lifecycle.at_end {
            Some(index) => index,
            None => {
                let index = self.functions.reserve();
                self.lifecycle.at_end = Some(index);
                index
            }
        }
    }

    /// Records the exit status before the program ends.
    pub(in crate::lower) fn exit_with(&mut self, status: Value) -> Result<()> {
        match library::lookup(SET_STATUS) {
            Some(known) if self.input.late().status => self.call_quietly(&known, vec![status]),
            _ => Ok(()),
        }
    }

    /// Checks whether the program, as far as it has been lowered, installs signal handlers.
    pub(in crate::lower) fn handles_signals(&self) -> bool {
        self.functions.has(INSTALL)
    }

    /// Checks whether the program, as far as it has been lowered, registers functions that receive the exit status.
    pub(in crate::lower) fn shows_status(&self) -> bool {
        self.functions.has(REGISTER_FOR_STATUS) && self.functions.has(REGISTER_ANY)
    }

    /// Calls the constructors with the program's arguments, in the order of their priorities and definitions, and
    /// schedules the destructors.
    pub(in crate::lower) fn call_constructors(&mut self, arguments: &[Argument]) {
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

    /// Maximum number of the program's arguments that a constructor takes.
    pub(in crate::lower) fn constructor_parameters(&self) -> usize {
        let functions =
            [Array::BeforeAll, Array::Start].map(|array| self.scheduled_functions(array));
        let count = |index: FunctionIndex| {
            let function = self.functions.get(index);
            function.map_or(0, |function| function.parameters.len())
        };
        functions
            .into_iter()
            .flatten()
            .map(count)
            .max()
            .unwrap_or(0)
    }

    /// Requests the prelude functions for exits, once it is known whether the program uses `atexit`.
    pub(in crate::lower) fn want_exit_functions(&mut self) -> Result<()> {
        let run = match (
            self.functions.has(REGISTER),
            self.functions.has(REGISTER_ANY),
        ) {
            (_, true) => RUN_ANY,
            (true, false) => RUN,
            (false, false) => return Ok(()),
        };
        self.prelude_function(run);
        if self.input.late().status {
            self.prelude_function(SET_STATUS);
        }
        self.lower_prelude()
    }

    /// Builds the exit function's body, or removes its calls if it has nothing to do.
    pub(in crate::lower) fn finish_exits(&mut self) {
        let Some(index) = self.lifecycle.exit else {
            return;
        };
        let last = std::mem::take(&mut self.lifecycle.last);
        let run = [RUN_ANY, RUN]
            .iter()
            .find_map(|name| self.functions.named(name));
        // Unknown code may run first, last, and between any two calls.
        let elsewhere = self.input.late().elsewhere.then(|| self.at_end_function());
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
        self.functions.finish(index, body);
        if nothing {
            for function in self.functions.iter_mut() {
                for block in &mut function.blocks {
                    block
                        .instructions
                        .retain(|(instruction, _)| !calls(instruction, index));
                }
            }
        }
    }

    /// The attributed functions that have a body, with their priorities and positions of definition.
    pub(in crate::lower) fn attributed(&self, array: Array) -> Vec<(u32, Position, FunctionIndex)> {
        let functions = match array {
            Array::BeforeAll => return Vec::new(),
            Array::Start => &self.lifecycle.constructors,
            Array::End => &self.lifecycle.destructors,
        };
        // A priority in one declaration holds for all declarations.
        let mut priorities: std::collections::BTreeMap<FunctionIndex, u32> =
            std::collections::BTreeMap::new();
        for (name, priority) in functions {
            if let Some(index) = self.functions.named(name)
                && self.functions.is_finished(index)
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

    /// The call of a constructor or destructor with as many of the arguments as it has parameters.
    pub(in crate::lower) fn scheduled_call(
        &self,
        index: FunctionIndex,
        arguments: &[Argument],
    ) -> Instruction {
        let Some(function) = self.functions.get(index) else {
            return call(index);
        };
        let parameters = &function.parameters;
        let fits = |(parameter, argument): (&ObjectIndex, &Argument)| {
            let leaves = &self.objects[*parameter].leaves;
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

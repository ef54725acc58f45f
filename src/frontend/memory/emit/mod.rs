//! Makes the program's edges, after the plan.
//!
//! An [`Emitter`] has three parts ([`state`]): what it only reads, the function that it emits, and the expression that it
//! evaluates. What needs one of them alone is a method of that part.

mod allocation;
mod assumptions;
mod calls;
mod choice;
mod devices;
mod expressions;
mod functions;
mod instructions;
mod leaks;
mod memory;
mod nan;
mod places;
mod start;
mod state;
mod transfer;
mod unknown_code;
mod validity;

use rustc_hash::FxHashMap;

use super::analysis::points_to::Target;
use super::builder::{Builder, Description};
use super::operators::arithmetic::pool;
use super::placement::plan::{ClassId, Home, Plan, Planner, Representation};
use super::{MemoryError, MemoryOptions};
use crate::ir::{FunctionIndex, ObjectIndex, Pointer, ScalarType, Storage, Unit};
use regatta_program::{
    Arithmetic, CScalar, InputId, InputKind, InputPart, LocationId, Operation, Role, Scope, Span,
    VariableId, Waypoint,
};
use regatta_term::{Build, RoundingMode, Sort, TermId};

use state::body::Body;
use state::evaluation::Evaluation;
use state::tables::Tables;

/// Makes the edges of all functions.
pub struct Emitter<'a, 'b> {
    tables: Tables<'a, 'b>,
    body: Body<'a, 'b>,
    evaluation: Evaluation,
    /// The number of elements of constant objects restored after calls of unknown code.
    restored: usize,
    /// The first contradiction between the plan and the unit; then no program is made.
    contradiction: Option<String>,
}

impl<'a, 'b> Emitter<'a, 'b> {
    pub fn new(
        unit: &'a Unit,
        options: &'b MemoryOptions,
        planner: &'b Planner<'a, 'b>,
        plan: &'b Plan,
        builder: &'b mut Builder,
    ) -> Self {
        let rounding = unit.dynamic_rounding.then(|| {
            let variable = builder.variable(
                "rounding mode",
                Sort::BitVec(2),
                Description {
                    scope: Scope::Global,
                    role: Role::Model,
                    c_type: None,
                    span: Span::NONE,
                },
            );
            (variable, builder.term(variable))
        });
        Self {
            tables: Tables::new(unit, options, planner, plan, rounding),
            body: Body::new(builder, unit.start),
            evaluation: Evaluation::default(),
            restored: 0,
            contradiction: None,
        }
    }

    /// Emits everything.
    pub fn run(mut self) -> Result<(), MemoryError> {
        self.declare_functions();
        for index in 0..self.tables.unit.functions.len() {
            if self.tables.function_ids[index].is_some() {
                self.emit_function(FunctionIndex(index as u32));
            }
        }
        match self.contradiction {
            Some(what) => Err(MemoryError::Internal(what)),
            None => Ok(()),
        }
    }

    /// Notes that the plan contradicts the unit. The program is then discarded.
    fn contradict(&mut self, what: impl std::fmt::Display) {
        if self.contradiction.is_none() {
            let function = &self.tables.unit.functions[self.body.index.0 as usize].name;
            let line = self.body.span.line;
            self.contradiction = Some(format!("{what} (in `{function}`, line {line})"));
        }
    }

    fn target(&mut self, pointer: &Pointer) -> Target {
        match self.tables.facts.target(pointer) {
            Ok(target) => target,
            Err(error) => {
                self.contradict(format_args!("a pointer: {error}"));
                self.tables.facts.nowhere()
            }
        }
    }
}

//! What tests of engines have in common.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::invariants::InvariantStore;
use super::{CancellationToken, Context, Progress};
use crate::certify::replay::replay;
use crate::frontend::preprocess::Preprocessed;
use crate::frontend::{LoadOptions, load_preprocessed};
use crate::program::block::Blocks;
use crate::program::interpreter::{Journal, Limits};
use crate::program::{InlinedProgram, Program};
use crate::solver::{Solver, SolverConfig, SolverError, new_solver};
use crate::term::Arena;

/// The C program as lowered.
pub fn lowered(text: &str) -> Program {
    let source = Preprocessed::from_text("t.c", text);
    let loaded = load_preprocessed(source, &LoadOptions::default());
    loaded.expect("a program").program
}

pub fn blocks(program: Program) -> Arc<Blocks> {
    Arc::new(Blocks::new(Arc::new(InlinedProgram::new(Arc::new(
        program,
    )))))
}

/// The default solver, with an arena of its own.
pub fn default_solver() -> Result<Box<dyn Solver>, SolverError> {
    new_solver(SolverConfig::default(), Rc::new(Arena::new()))
}

/// What is around an engine that has no rivals.
pub struct Setting<'s> {
    /// What alarms are replayed on; without it, there must be none.
    pub program: Option<&'s Program>,
    pub invariants: InvariantStore,
    pub token: CancellationToken,
    pub report: &'s dyn Fn(Progress),
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self {
            program: None,
            invariants: InvariantStore::new(),
            token: CancellationToken::new(),
            report: &|_| {},
        }
    }
}

impl<'s> Setting<'s> {
    /// Alarms are replayed on the program.
    pub fn of(program: &'s Program) -> Self {
        Self {
            program: Some(program),
            ..Self::default()
        }
    }

    pub fn run<R>(&self, test: impl FnOnce(&mut Context<'_>) -> R) -> R {
        let limits = Limits {
            steps: 100_000,
            ..Limits::default()
        };
        let mut confirm = |alarm: &Journal| replay(self.program.expect("no alarm"), alarm, limits);
        test(&mut Context {
            publisher: "test",
            invariants: &self.invariants,
            token: &self.token,
            safe_point: &|| Duration::ZERO,
            report: self.report,
            confirm: &mut confirm,
        })
    }
}

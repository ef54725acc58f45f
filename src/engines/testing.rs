//! Helpers for tests of engines.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use proptest::prelude::prop_assert;
use proptest::test_runner::TestCaseError;

use super::{Answer, CancellationToken, Context, Engine, Progress, Subject};
use regatta_base::workers::Workers;
use regatta_certify::replay::replay;
use regatta_certify::{Budget, Check, check};
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, Specification, load_preprocessed};
use regatta_program::block::Blocks;
use regatta_program::interpreter::{Journal, Limits};
use regatta_program::simplify::simplify;
use regatta_program::testing::some_run_fails;
use regatta_program::{InlinedProgram, Program, Simplified};
use regatta_sharing::{Exchange, InvariantStore, OpenTargets};
use regatta_solver::{Solver, SolverConfig, SolverError, new_solver};
use regatta_term::Arena;

/// Lowers a C program.
pub fn lowered(text: &str) -> Program {
    lowered_for(text, Specification::default())
}

/// Lowers a C program, of which the property is to be verified.
pub fn lowered_for(text: &str, property: Specification) -> Program {
    let source = Preprocessed::from_text("t.c", text);
    let options = LoadOptions {
        property,
        ..LoadOptions::default()
    };
    let loaded = load_preprocessed(source, &options);
    loaded.expect("a program").program
}

pub fn blocks(program: Program) -> Arc<Blocks> {
    Arc::new(Blocks::new(Arc::new(InlinedProgram::new(Arc::new(
        program,
    )))))
}

/// Returns the default solver, with an arena of its own.
pub fn default_solver() -> Result<Box<dyn Solver>, SolverError> {
    new_solver(SolverConfig::default(), Rc::new(Arena::new()))
}

/// Fails if the answer proves a program of which some run with inputs from the seed fails, or if its proof is refuted.
pub fn not_wrong(
    lowered: &Program,
    simplified: &Simplified,
    answer: &Answer,
    seed: u64,
) -> Result<(), TestCaseError> {
    if let Answer::Safe(certificate) = answer {
        prop_assert!(!some_run_fails(lowered, seed));
        let budget = Duration::from_secs(60);
        let result = check(lowered, simplified, certificate, Budget::of(budget));
        prop_assert!(!matches!(result, Check::Refuted { .. }), "{:?}", result);
    }
    Ok(())
}

/// Asserts that the engine has a proof of the program that the checker confirms, or none.
pub fn assert_proved(text: &str, engine: &dyn Engine, setting: &Setting<'_>, is_proved: bool) {
    assert_program_proved(&lowered(text), engine, setting, is_proved);
}

/// [`assert_proved`] for a lowered program.
pub fn assert_program_proved(
    lowered: &Program,
    engine: &dyn Engine,
    setting: &Setting<'_>,
    is_proved: bool,
) {
    let simplified = simplify(lowered);
    let blocks = blocks(simplified.program.clone());
    let subject = Subject::of(&blocks, &default_solver);
    match setting.run(|context| engine.run(&subject, context)).answer {
        Answer::Safe(certificate) if is_proved => {
            let limit = Duration::from_secs(60);
            let outcome = check(lowered, &simplified, &certificate, Budget::of(limit));
            assert_eq!(outcome, Check::Confirmed);
        }
        Answer::Unknown(_) if !is_proved => {}
        answer => panic!("{}: {answer:?}", engine.registration().name),
    }
}

/// The environment of an engine that runs alone.
pub struct Setting<'s> {
    /// The program on which alarms are replayed; without it, there must be no alarm.
    pub program: Option<&'s Program>,
    pub invariants: InvariantStore,
    pub token: CancellationToken,
    pub workers: Workers,
    pub report: &'s dyn Fn(Progress),
    /// The targets that are left, if each is decided by itself.
    pub targets: Option<&'s dyn OpenTargets>,
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self {
            program: None,
            invariants: InvariantStore::new(),
            token: CancellationToken::new(),
            workers: Workers::none(),
            report: &|_| {},
            targets: None,
        }
    }
}

impl<'s> Setting<'s> {
    /// A setting in which alarms are replayed on the program.
    pub fn of(program: &'s Program) -> Self {
        Self {
            program: Some(program),
            ..Self::default()
        }
    }

    /// Runs the test, whose engine is cancelled after the time.
    pub fn run_within<R>(&self, time: Duration, test: impl FnOnce(&mut Context<'_>) -> R) -> R {
        self.run_as("test", time, test)
    }

    /// Like [`Self::run_within`], under the analysis's name.
    pub fn run_as<R>(
        &self,
        name: &str,
        time: Duration,
        test: impl FnOnce(&mut Context<'_>) -> R,
    ) -> R {
        let (sender, ended) = channel::<()>();
        std::thread::scope(|scope| {
            let canceller = self.token.clone();
            scope.spawn(move || {
                // Until the engine has ended, or the time.
                let _ = ended.recv_timeout(time);
                canceller.cancel();
            });
            let result = self.run_named(name, test);
            drop(sender);
            result
        })
    }

    pub fn run<R>(&self, test: impl FnOnce(&mut Context<'_>) -> R) -> R {
        self.run_named("test", test)
    }

    fn run_named<R>(&self, name: &str, test: impl FnOnce(&mut Context<'_>) -> R) -> R {
        let limits = Limits {
            steps: 100_000,
            ..Limits::default()
        };
        let mut confirm = |alarm: &Journal| replay(self.program.expect("no alarm"), alarm, limits);
        test(&mut Context {
            exchange: &Exchange::new(&self.invariants, name, &self.token),
            token: &self.token,
            safe_point: &|| Duration::ZERO,
            report: self.report,
            confirm: &mut confirm,
            workers: &self.workers,
            certifies: None,
            targets: self.targets,
        })
    }
}

//! Helpers for tests of engines.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use proptest::prelude::prop_assert;
use proptest::test_runner::TestCaseError;

use super::engine::Lowered;
use super::{Answer, CancellationToken, Context, Engine, Progress, Subject};
use regatta_base::workers::Workers;
use regatta_certify::replay::replay;
use regatta_certify::{Budget, Certificate, Check, ProofStep, check};
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, Specification, load_preprocessed};
use regatta_program::block::Blocks;
use regatta_program::interpreter::{Executable, Journal, Limits};
use regatta_program::simplify::simplify;
use regatta_program::testing::some_run_fails;
use regatta_program::{InlinedProgram, LocationId, Program, Simplified, TargetId, Targets};
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

/// Targets that are decided one by one: each proof is checked on the program as lowered, with the others as they are.
struct OneByOne<'t> {
    lowered: &'t Program,
    simplified: &'t Simplified,
    open: RefCell<Arc<BTreeSet<LocationId>>>,
    token: CancellationToken,
    /// The number of exclusions, and of proofs that were not confirmed.
    confirmed: Cell<usize>,
    refused: Cell<usize>,
}

impl OpenTargets for OneByOne<'_> {
    fn open(&self) -> Arc<BTreeSet<LocationId>> {
        Arc::clone(&self.open.borrow())
    }

    fn as_lowered(&self, error: LocationId) -> LocationId {
        self.simplified.origins[error.index()].location
    }

    fn exclude(&self, errors: &BTreeSet<LocationId>, steps: Vec<ProofStep>) -> bool {
        let targets = self.lowered.targets();
        let origins = errors.iter().map(|&error| self.as_lowered(error));
        let numbers = origins.map(|origin| {
            let number = targets.iter().position(|target| target.location == origin);
            TargetId(number.expect("a target") as u32)
        });
        let certificate = Certificate {
            targets: Targets::Only(numbers.collect()),
            steps,
        };
        let budget = Budget::of(Duration::from_secs(60));
        let checked = check(self.lowered, self.simplified, &certificate, budget);
        if checked != Check::Confirmed {
            self.refused.set(self.refused.get() + 1);
            return false;
        }
        self.confirmed.set(self.confirmed.get() + 1);
        let left: BTreeSet<LocationId> = self.open().difference(errors).copied().collect();
        if left.is_empty() {
            self.token.cancel();
        }
        *self.open.borrow_mut() = Arc::new(left);
        true
    }
}

/// Returns the lines of the errors that are left by an engine that excludes targets one by one, and the numbers of proofs that
/// were confirmed and refused.
pub fn left_open(text: &str, engine: &dyn Engine) -> (Vec<u32>, usize, usize) {
    one_by_one(text, |subject, setting, left| {
        setting.run_within(Duration::from_secs(20), |context| {
            engine.run(subject, context)
        });
        left()
    })
}

/// Runs the test on a program of which each target is decided by itself. It gets a function that returns the lines of the
/// errors that are left, and the numbers of proofs that were confirmed and refused.
pub fn one_by_one<R>(
    text: &str,
    test: impl FnOnce(&Subject<'_>, &Setting<'_>, &dyn Fn() -> (Vec<u32>, usize, usize)) -> R,
) -> R {
    let mut lowered = lowered(text);
    lowered.separate_checks();
    let simplified = simplify(&lowered);
    let blocks = blocks(simplified.program.clone());
    let errors = simplified.program.errors.iter().copied().collect();
    let token = CancellationToken::new();
    let targets = OneByOne {
        lowered: &lowered,
        simplified: &simplified,
        open: RefCell::new(Arc::new(errors)),
        token: token.clone(),
        confirmed: Cell::default(),
        refused: Cell::default(),
    };
    let setting = Setting {
        token,
        targets: Some(&targets),
        ..Setting::of(&lowered)
    };
    let executable = Executable::compile(&lowered);
    let subject = Subject {
        lowered: Some(Lowered {
            program: &lowered,
            executable: &executable,
            passed: None,
        }),
        ..Subject::of(&blocks, &default_solver)
    };
    test(&subject, &setting, &|| {
        let open = targets.open();
        let lines = open
            .iter()
            .map(|&error| simplified.program.location(error).span.line);
        (
            lines.collect(),
            targets.confirmed.get(),
            targets.refused.get(),
        )
    })
}

//! The verification task, and the checks of its answers.
//!
//! Every answer is checked on the program as lowered before it is reported: an alarm by replay, a proof by its
//! certificate, in another process ([`crate::judge::check_process`]).

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::judge::alarm::ReplayPolicy;
use parking_lot::Mutex;

use crate::config::Portfolio;
use crate::judge::check_process;
use crate::judge::evidence::Ground;
use crate::judge::ledger::{self, AssumptionPolicy};
use crate::process::zygote::Zygote;
use crate::record::dump::Dump;
use crate::record::error_path::WantedPath;
use crate::record::event::{EventKind, Reporter};
use crate::record::findings;
use crate::record::verdict::{Conclusion, InputValue, Verdict};
use regatta_base::Style;
use regatta_base::workers::Workers;
use regatta_certify::check::FactNumbers;
use regatta_certify::portable::{Reply, Request};
use regatta_certify::replay::Violation;
use regatta_certify::verification_conditions::Destination;
use regatta_certify::{Certificate, Check, ProofStep};
use regatta_frontend::LoadOptions;
use regatta_program::block::Blocks;
use regatta_program::ghost::{CHECKING, CountedErrors, VIOLATED_ASSERTION};
use regatta_program::interpreter::{Executable, Journal, Limits, Machine, ReplayInputs};
use regatta_program::simplify::Simplified;
use regatta_program::{InputKind, InputPart, Program, c_value};
use regatta_sharing::InvariantStore;
use regatta_term::Value;
use regatta_witness::input_values::WitnessInput;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The C file.
    pub file: PathBuf,
    /// The options of the front end.
    pub load: LoadOptions,
    /// The analyses.
    pub portfolio: Portfolio,
    /// The style of messages for the user.
    pub style: Style,
    /// Whether all solvers check the verification conditions of proofs ([`regatta_certify::opinion`]).
    pub is_thorough: bool,
    /// The limit of wall time of the whole run.
    pub time_limit: Option<Duration>,
    /// The number of threads that work at a time; if not given, one for each core.
    pub threads: Option<usize>,
    /// The folder for intermediate results.
    pub dump: Option<PathBuf>,
    /// Whether there are events with the details that only a report needs: turns, formulas, the automaton.
    pub has_details: bool,
    /// The folder, new or empty, for the verification conditions of the proof behind the answer.
    pub certificate: Option<PathBuf>,
    /// The witness to validate, with which the program was instrumented.
    pub validation: Option<Validation>,
    /// The treatment of an answer's assumptions.
    pub assumptions: AssumptionPolicy,
    /// The path to an error, if it is reported.
    pub path: Option<WantedPath>,
    /// The file for the harness of an alarm.
    pub harness: Option<PathBuf>,
    /// The executions that have to confirm an alarm.
    pub replay: ReplayPolicy,
    /// The folder in which a program may be compiled; the caller removes it.
    pub native_folder: Option<PathBuf>,
}

/// The question to a program that was instrumented with a witness ([`regatta_witness::instrument`]).
#[derive(Clone, Debug)]
pub enum Validation {
    /// Whether the witness's invariants, which are assertions in the program, hold.
    Invariants {
        /// The number of assertions.
        count: usize,
    },
    /// Whether the path of the witness, which is an automaton in the program, violates the property.
    Violation {
        /// The errors that lie on the path.
        counted: CountedErrors,
        /// The witness's values of inputs, in order.
        values: Vec<WitnessInput>,
    },
}

/// Maximum wall time for writing a certificate if the run has no time limit.
const CERTIFICATE_BUDGET: Duration = Duration::from_secs(600);

impl RunOptions {
    /// Returns the number of threads that work at a time, at least one.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// The proof checker's name in events.
pub(crate) const CHECKER: &str = "proof checker";

/// Maximum wall time for the check of a proof if the run has no time limit.
const CHECK_BUDGET: Duration = Duration::from_secs(60);

/// The data that the threads of a run share: the program, the invariants, and the checks of answers.
pub(crate) struct Task {
    pub dump: Option<Arc<Dump>>,
    pub options: RunOptions,
    pub reporter: Reporter,
    pub lowered: Program,
    pub executable: Executable,
    pub simplified: Simplified,
    /// The process from which checkers are forked; without it no proof can be checked.
    pub zygote: Option<Zygote>,
    pub invariants: InvariantStore,
    /// The grounds of confirmed answers, by analysis, if a witness or a certificate needs them.
    pub grounds: Option<Mutex<Vec<(String, Ground)>>>,
}

/// The status of a proof before its check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Standing {
    /// The engine claims it: a refutation is an error of the engine.
    Proved,
    /// The engine only conjectures it.
    Conjectured,
}

impl Task {
    /// Returns the remaining wall time, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let limit = self.options.time_limit?;
        Some(limit.saturating_sub(self.reporter.started().elapsed()))
    }

    /// Starts the process from which proof checkers are forked, with the program as it is now. Must be called while the process
    /// has one thread.
    pub fn start_zygote(&mut self) {
        self.zygote = None;
        let started = Zygote::start(&self.lowered, &self.simplified, self.options.is_thorough);
        match started {
            Ok(zygote) => self.zygote = Some(zygote),
            Err(error) => self.reporter.event(EventKind::Warning {
                message: format!("no proof can be checked: the checker has no process: {error}"),
            }),
        }
    }

    /// Has the proof checked within the time and returns the reply.
    fn checked(&self, certificate: &Certificate, helpers: usize, time: Duration) -> Reply {
        let undecided = |reason: &str| Reply {
            check: Check::Undecided(reason.to_owned()),
            opinion: None,
            written: None,
            facts: Vec::new(),
        };
        let Some(zygote) = &self.zygote else {
            return undecided("the checker has no process");
        };
        let request = Request {
            certificate: certificate.clone(),
            time,
            helpers,
            record: None,
        };
        check_process::check(zygote, &request).unwrap_or_else(|message| {
            self.reporter.event(EventKind::Panicked {
                analysis: CHECKER.to_owned(),
                message,
            });
            undecided("the check did not come to an end")
        })
    }

    /// Keeps the grounds of an answer if they are needed later.
    pub fn keep(&self, analysis: &str, ground: impl FnOnce() -> Ground) {
        if let Some(grounds) = &self.grounds {
            grounds.lock().push((analysis.to_owned(), ground()));
        }
    }

    /// Returns the grounds of the answer, if they were kept.
    pub fn ground_of(&self, conclusion: &Conclusion) -> Option<Ground> {
        let grounds = self.grounds.as_ref()?.lock();
        let found = grounds.iter().rev().find(|(analysis, ground)| {
            let fits = match conclusion.verdict {
                Verdict::True => matches!(ground, Ground::Proof(..) | Ground::AllRuns),
                Verdict::False(_) => matches!(ground, Ground::Run(_)),
                Verdict::Unknown(_) => false,
            };
            fits && conclusion.analysis.as_ref() == Some(analysis)
        });
        found.map(|(_, ground)| ground.clone())
    }

    /// Checks whether a proof is confirmed within about the given time, at the end of the run.
    pub fn confirms(&self, certificate: &Certificate, time: Duration) -> bool {
        let reply = self.checked(certificate, 0, time);
        let is_objection =
            |opinion: &regatta_certify::opinion::Opinion| opinion.objection.is_some();
        reply.check == Check::Confirmed && !reply.opinion.as_ref().is_some_and(is_objection)
    }

    /// Checks a proof again and has the verification conditions written.
    pub fn recorded(&self, certificate: &Certificate, destination: Destination) -> Reply {
        let reply = |reason: &str| Reply {
            check: Check::Undecided(reason.to_owned()),
            opinion: None,
            written: None,
            facts: Vec::new(),
        };
        let Some(zygote) = &self.zygote else {
            return reply("the checker has no process");
        };
        let request = Request {
            certificate: certificate.clone(),
            time: self.time_left().unwrap_or(CERTIFICATE_BUDGET),
            helpers: 0,
            record: Some(destination),
        };
        check_process::check(zygote, &request).unwrap_or_else(|message| reply(&message))
    }

    /// Returns the simplifier's facts that can be confirmed within about the given time.
    pub fn confirmed_facts(&self, time: Duration) -> FactNumbers {
        // Only the facts in the reply matter, not whether this certificate proves the property.
        let certificate = Certificate {
            steps: vec![ProofStep::Simplified],
        };
        self.checked(&certificate, 0, time).facts
    }

    /// Withdraws the invariants of a refuted step from the store, with all that rely on them. The analyses that have
    /// used them begin again.
    fn withdraw(&self, step: &ProofStep, blocks: Option<&Blocks>) {
        let (ProofStep::Inductive { batch, .. }, Some(blocks)) = (step, blocks) else {
            return;
        };
        let batches = self.invariants.withdraw_all(batch, blocks.inlined());
        self.reporter.event(EventKind::Withdrawn { batches });
    }

    /// Returns the answer of a proof if it passes its check on the program as lowered. The blocks are those of the program
    /// that shared invariants refer to.
    pub fn certified(
        &self,
        analysis: &str,
        certificate: &Certificate,
        blocks: Option<&Blocks>,
        workers: &Workers,
    ) -> Option<Conclusion> {
        self.certified_as(Standing::Proved, analysis, certificate, blocks, workers)
    }

    /// Does the same for a conjectured proof, whose refutation is not an error of the engine.
    pub fn certified_conjecture(
        &self,
        analysis: &str,
        certificate: &Certificate,
        blocks: &Blocks,
        workers: &Workers,
    ) -> Option<Conclusion> {
        let standing = Standing::Conjectured;
        self.certified_as(standing, analysis, certificate, Some(blocks), workers)
    }

    fn certified_as(
        &self,
        standing: Standing,
        analysis: &str,
        certificate: &Certificate,
        blocks: Option<&Blocks>,
        workers: &Workers,
    ) -> Option<Conclusion> {
        // The check uses the cores that are idle now. They are not given back before its end, because the process cannot be told.
        let helpers: Vec<_> = std::iter::from_fn(|| workers.borrow()).collect();
        let begin = Instant::now();
        let Reply {
            check: result,
            opinion,
            facts,
            ..
        } = self.checked(
            certificate,
            helpers.len(),
            self.time_left().unwrap_or(CHECK_BUDGET),
        );
        drop(helpers);
        let is_objected_to = opinion
            .as_ref()
            .is_some_and(|opinion| opinion.objection.is_some());
        if standing == Standing::Conjectured && result != Check::Confirmed && !is_objected_to {
            return None;
        }
        let mut outcome = match &result {
            Check::Confirmed => "confirmed".to_owned(),
            Check::Refuted { reason, .. } => format!("refuted: {reason}"),
            Check::Undecided(reason) => format!("undecided: {reason}"),
        };
        if let Some(dump) = &self.dump {
            dump.proof(analysis, certificate, &result, &self.simplified.program);
        }
        if let Some(opinion) = &opinion {
            outcome.push_str(&format!(" ({opinion})"));
        }
        if self.options.has_details && result == Check::Confirmed {
            let snapshot = self.invariants.snapshot();
            let inlined = blocks.map(|blocks| &**blocks.inlined());
            let program = &self.simplified.program;
            self.reporter.event(EventKind::Proof {
                analysis: analysis.to_owned(),
                parts: findings::proof(certificate, &snapshot, inlined, program),
            });
        }
        self.reporter.event(EventKind::Certified {
            analysis: analysis.to_owned(),
            outcome,
            seconds: begin.elapsed().as_secs_f64(),
        });
        if let Some(objection) = opinion.and_then(|opinion| opinion.objection) {
            // Whichever solver is wrong, the next proof may depend on the same error.
            self.reporter.event(EventKind::Refuted {
                analysis: analysis.to_owned(),
                reason: objection,
            });
            return Some(Conclusion::unknown("internal error: solvers disagree"));
        }
        match result {
            Check::Confirmed => {
                let time = begin.elapsed();
                self.keep(analysis, || Ground::Proof(certificate.clone(), facts, time));
                Some(Conclusion {
                    invariants: Some(certificate.formulas()),
                    ..Conclusion::proved(analysis)
                })
            }
            Check::Refuted { step, reason } => {
                self.reporter.event(EventKind::Refuted {
                    analysis: analysis.to_owned(),
                    reason,
                });
                if let Some(step) = step {
                    self.withdraw(&certificate.steps[step], blocks);
                }
                None
            }
            Check::Undecided(_) => None,
        }
    }

    /// Returns the answer of a confirmed violation.
    pub fn violated(&self, analysis: &str, violation: &Violation) -> Conclusion {
        let error = self.lowered.location(violation.location);
        let property = error.violates.expect("a violation ends in an error");
        self.keep(analysis, || Ground::Run(violation.clone()));
        let Some((assertion, is_undefined)) = self.assertion(violation) else {
            return Conclusion::unknown("internal error in the validator");
        };
        Conclusion {
            verdict: Verdict::False(property),
            analysis: Some(analysis.to_owned()),
            invariants: None,
            wrong_assertion: assertion.checked_sub(1),
            is_undefined,
            inputs: describe_inputs(&self.lowered, &violation.inputs),
            place: Some(self.lowered.sources.describe(error.span)),
            assumptions: match self.options.assumptions {
                AssumptionPolicy::Ignored => Vec::new(),
                AssumptionPolicy::Reported | AssumptionPolicy::Strict => {
                    ledger::of_violation(&self.lowered, violation)
                }
            },
            path: Vec::new(),
            violation: Some(Box::new(violation.clone())),
        }
    }
}

impl Task {
    /// Returns the number, from one, of the violated assertion among those that a witness has put into the program; zero if it
    /// is none of them, and `None` if that cannot be determined. The second part tells whether the assertion has no defined value.
    fn assertion(&self, violation: &Violation) -> Option<(u32, bool)> {
        match self.options.validation {
            Some(Validation::Invariants { count: 1.. }) => {}
            _ => return Some((0, false)),
        }
        let mut machine = Machine::new(&self.executable);
        let limits = Limits {
            steps: violation.steps.saturating_add(1),
            ..Limits::default()
        };
        machine.run(&mut ReplayInputs::new(&violation.inputs), limits);
        let number = |name: &str| {
            let mut variables = self.lowered.variables.iter();
            if !variables.any(|variable| variable.name == name) {
                // No code that is there changes it: assertions can be constant.
                return Some(0);
            }
            match machine.read_variable(name)? {
                Value::BitVec(bits) => u32::try_from(bits.bits()).ok(),
                Value::Int(number) => u32::try_from(&number).ok(),
                _ => None,
            }
        };
        Some(match (number(VIOLATED_ASSERTION)?, number(CHECKING)?) {
            (0, checked) => (checked, checked > 0),
            (wrong, _) => (wrong, false),
        })
    }
}

/// Returns the inputs of a run for the user, without the choices of the memory model.
fn describe_inputs(program: &Program, journal: &Journal) -> Vec<InputValue> {
    let shown = journal.entries.iter().filter_map(|(id, value)| {
        let input = program.inputs.get(id.index())?;
        if input.part == Some(InputPart::Begin) {
            return None;
        }
        let source = match &input.kind {
            InputKind::Nondet(function) => format!("{function}()"),
            InputKind::Uninitialised => "uninitialised".to_owned(),
            InputKind::Unknown(what) => what.clone(),
            InputKind::Outside(name) => format!("memory changed by {name}"),
            InputKind::Volatile(name) => format!("a volatile read of {name}"),
            InputKind::MemoryModel => return None,
        };
        if value.as_array().is_some() {
            return None;
        }
        Some(InputValue {
            source,
            place: program.sources.describe(input.span),
            value: c_value::describe(value, input.c_type),
        })
    });
    shown.collect()
}

//! The verification task, and which answers to it count.
//!
//! Every answer is checked on the program as lowered before it is reported: an alarm by replay, a proof by its
//! certificate, in another process ([`super::checker`]).

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::alarm::ReplayPolicy;
use parking_lot::Mutex;

use super::checker;
use super::config::Portfolio;
use super::dump::Dump;
use super::event::{EventKind, Reporter};
use super::evidence::Ground;
use super::findings;
use super::ledger::{self, AssumptionPolicy};
use super::verdict::{Conclusion, InputValue, Verdict};
use super::zygote::Zygote;
use crate::analysis::invariants::InvariantStore;
use crate::certify::check::FactNumbers;
use crate::certify::path::Detail;
use crate::certify::portable::{Reply, Request};
use crate::certify::record::Destination;
use crate::certify::replay::Violation;
use crate::certify::{Certificate, Check, ProofStep};
use crate::frontend::{LoadOptions, Style};
use crate::program::block::Blocks;
use crate::program::ghost::{CHECKING, CountedErrors, VIOLATED_ASSERTION};
use crate::program::interpreter::{Executable, Journal, Limits, Machine, ReplayInputs};
use crate::program::simplify::Simplified;
use crate::program::{InputKind, InputPart, Program, c_value};
use crate::term::Value;
use crate::witness::values::WitnessInput;
use crate::workers::Workers;

/// What to verify, and how.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The C file.
    pub file: PathBuf,
    /// How it is read.
    pub load: LoadOptions,
    /// The analyses.
    pub portfolio: Portfolio,
    /// How messages for the user look.
    pub style: Style,
    /// Whether proofs get a second opinion ([`crate::certify::opinion`]).
    pub is_thorough: bool,
    /// The wall time of the whole run.
    pub time_limit: Option<Duration>,
    /// How many threads work at a time; if not given, one for each core.
    pub threads: Option<usize>,
    /// Where to leave what the run has worked out.
    pub dump: Option<PathBuf>,
    /// Whether events tell what a report needs and nobody else does: turns, formulas, the automaton.
    pub has_details: bool,
    /// Where to write the verification conditions of the proof that is the answer; nothing is there yet.
    pub certificate: Option<PathBuf>,
    /// The witness that the program was put together with, if it was.
    pub validation: Option<Validation>,
    /// Whether assumptions are told, and what becomes of an answer that has some.
    pub assumptions: AssumptionPolicy,
    /// How much of the way to an error is told, if it is.
    pub path: Option<Detail>,
    /// Where to write a harness for an alarm.
    pub harness: Option<PathBuf>,
    /// Who has to confirm an alarm.
    pub replay: ReplayPolicy,
    /// Where a program may be compiled; whoever gives it takes it away.
    pub native_folder: Option<PathBuf>,
}

/// What is asked of a program that a witness was put into ([`crate::witness::instrument`]).
#[derive(Clone, Debug)]
pub enum Validation {
    /// Its invariants are assertions.
    Invariants {
        /// How many there are.
        count: usize,
    },
    /// Its path is an automaton.
    Violation {
        /// Which errors are the path's.
        counted: CountedErrors,
        /// What it says of the inputs, in order.
        values: Vec<WitnessInput>,
    },
}

/// What the writing of a certificate may take when there is no time limit.
const CERTIFICATE_BUDGET: Duration = Duration::from_secs(600);

impl RunOptions {
    /// How many threads work at a time, at least one.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// The proof checker's name in events.
pub(super) const CHECKER: &str = "proof checker";

/// What the check of a proof may take when there is no time limit.
const CHECK_BUDGET: Duration = Duration::from_secs(60);

/// What the threads of a run share: the program, what is known of it, and who judges what they claim.
pub(super) struct Task {
    pub dump: Option<Arc<Dump>>,
    pub options: RunOptions,
    pub reporter: Reporter,
    pub lowered: Program,
    pub executable: Executable,
    pub simplified: Simplified,
    /// Makes processes, if the system has granted it one: without it no proof is checked.
    pub zygote: Option<Zygote>,
    pub invariants: InvariantStore,
    /// What confirmed answers rest on, by analysis, if somebody wants to know.
    pub grounds: Option<Mutex<Vec<(String, Ground)>>>,
}

/// What a proof is before its check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Standing {
    /// An engine has found it to be one.
    Proved,
    /// Nobody knows.
    Conjectured,
}

impl Task {
    /// What is left of the wall time, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let limit = self.options.time_limit?;
        Some(limit.saturating_sub(self.reporter.started().elapsed()))
    }

    /// Starts the process that checkers of proofs are made from, with the program as it is now. Must be called while the process has
    /// one thread.
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

    /// What the checker says of a proof within the time.
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
        checker::check(zygote, &request).unwrap_or_else(|message| {
            self.reporter.event(EventKind::Panicked {
                analysis: CHECKER.to_owned(),
                message,
            });
            undecided("the check did not come to an end")
        })
    }

    /// Keeps what an answer rests on, if somebody wants to know.
    pub fn keep(&self, analysis: &str, ground: impl FnOnce() -> Ground) {
        if let Some(grounds) = &self.grounds {
            grounds.lock().push((analysis.to_owned(), ground()));
        }
    }

    /// What the answer rests on, if that was kept.
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

    /// Whether the proof passes its check in about so much time, at the end of the run.
    pub fn confirms(&self, certificate: &Certificate, time: Duration) -> bool {
        let reply = self.checked(certificate, 0, time);
        let is_objection = |opinion: &crate::certify::opinion::Opinion| opinion.objection.is_some();
        reply.check == Check::Confirmed && !reply.opinion.as_ref().is_some_and(is_objection)
    }

    /// Checks a proof again and has what is asked written down.
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
        checker::check(zygote, &request).unwrap_or_else(|message| reply(&message))
    }

    /// The simplifier's facts that are found to hold in about so much time.
    pub fn confirmed_facts(&self, time: Duration) -> FactNumbers {
        // Whether they prove anything does not matter.
        let certificate = Certificate {
            steps: vec![ProofStep::Simplified],
        };
        self.checked(&certificate, 0, time).facts
    }

    /// Takes what a refuted step of a proof has out of the store, if it is from there, with all that relies on it. Who has
    /// used it begins again.
    fn withdraw(&self, step: &ProofStep, blocks: Option<&Blocks>) {
        let (ProofStep::Inductive { batch, .. }, Some(blocks)) = (step, blocks) else {
            return;
        };
        let batches = self.invariants.withdraw_all(batch, blocks.inlined());
        self.reporter.event(EventKind::Withdrawn { batches });
    }

    /// The answer that a proof is, if it passes its check on the program as lowered. The blocks are those of the program
    /// that invariants are shared about.
    pub fn certified(
        &self,
        analysis: &str,
        certificate: &Certificate,
        blocks: Option<&Blocks>,
        workers: &Workers,
    ) -> Option<Conclusion> {
        self.certified_as(Standing::Proved, analysis, certificate, blocks, workers)
    }

    /// The same for what is a proof only if its check says so: it is nobody's error if it is not.
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
        // What is idle now; the checker's process does not hear of it if somebody wants it back.
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
            // Whoever is wrong, the next proof may rest on the same.
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

    /// The answer that a confirmed violation is.
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
    /// Which of the assertions that were put into the program the violation is one of, from one, and whether it has no
    /// defined value there; zero if it is none of them, and `None` if that cannot be told.
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

/// The inputs of a run as the user sees them; choices of the memory model are none of the user's.
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

//! The verification task, and which answers to it count.
//!
//! Every answer is checked on the program as lowered before it is reported: an alarm by replay, a proof by its
//! certificate, in another process ([`super::checker`]).

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::checker::CheckerProcess;
use super::config::Portfolio;
use super::dump::Dump;
use super::event::{EventKind, Reporter};
use super::ledger::{self, AssumptionPolicy};
use super::verdict::{Conclusion, InputValue, Verdict};
use crate::analysis::invariants::InvariantStore;
use crate::certify::portable::{Reply, Request};
use crate::certify::replay::Violation;
use crate::certify::{Certificate, Check, ProofStep};
use crate::frontend::{LoadOptions, Style};
use crate::program::block::Blocks;
use crate::program::interpreter::{Executable, Journal};
use crate::program::simplify::Simplified;
use crate::program::{CScalar, InputKind, Program};
use crate::term::Value;
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
    /// Whether assumptions are told, and what becomes of an answer that has some.
    pub assumptions: AssumptionPolicy,
}

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
    /// Checks proofs, if the system has granted it a process.
    pub checker: Option<CheckerProcess>,
    pub invariants: InvariantStore,
}

impl Task {
    /// What is left of the wall time, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let limit = self.options.time_limit?;
        Some(limit.saturating_sub(self.reporter.started().elapsed()))
    }

    /// Starts the checker's process with the program as it is now. Must be called while the process has one thread.
    pub fn start_checker(&mut self) {
        self.checker = None;
        let started =
            CheckerProcess::start(&self.lowered, &self.simplified, self.options.is_thorough);
        match started {
            Ok(checker) => self.checker = Some(checker),
            Err(error) => self.reporter.event(EventKind::Warning {
                message: format!("no proof can be checked: the checker has no process: {error}"),
            }),
        }
    }

    /// What the checker says of a proof.
    fn checked(&self, certificate: &Certificate, helpers: usize) -> Reply {
        let undecided = |reason: &str| Reply {
            check: Check::Undecided(reason.to_owned()),
            opinion: None,
        };
        let Some(checker) = &self.checker else {
            return undecided("the checker has no process");
        };
        let request = Request {
            certificate: certificate.clone(),
            time: self.time_left().unwrap_or(CHECK_BUDGET),
            helpers,
        };
        checker.check(&request).unwrap_or_else(|message| {
            self.reporter.event(EventKind::Panicked {
                analysis: CHECKER.to_owned(),
                message,
            });
            undecided("the check did not come to an end")
        })
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
        // What is idle now; the checker's process does not hear of it if somebody wants it back.
        let helpers: Vec<_> = std::iter::from_fn(|| workers.borrow()).collect();
        let begin = Instant::now();
        let Reply {
            check: result,
            opinion,
        } = self.checked(certificate, helpers.len());
        drop(helpers);
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
            Check::Confirmed => Some(Conclusion::proved(analysis)),
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
        Conclusion {
            verdict: Verdict::False(property),
            analysis: Some(analysis.to_owned()),
            inputs: describe_inputs(&self.lowered, &violation.inputs),
            place: Some(self.lowered.sources.describe(error.span)),
            assumptions: match self.options.assumptions {
                AssumptionPolicy::Ignored => Vec::new(),
                AssumptionPolicy::Reported | AssumptionPolicy::Strict => {
                    ledger::of_violation(&self.lowered, violation)
                }
            },
        }
    }
}

/// The inputs of a run as the user sees them; choices of the memory model are none of the user's.
fn describe_inputs(program: &Program, journal: &Journal) -> Vec<InputValue> {
    let shown = journal.entries.iter().filter_map(|(id, value)| {
        let input = program.inputs.get(id.index())?;
        let source = match &input.kind {
            InputKind::Nondet(function) => format!("{function}()"),
            InputKind::Uninitialised => "uninitialised".to_owned(),
            InputKind::Unknown(what) => what.clone(),
            InputKind::Outside(name) => format!("memory changed by {name}"),
            InputKind::MemoryModel => return None,
        };
        if value.as_array().is_some() {
            return None;
        }
        Some(InputValue {
            source,
            place: program.sources.describe(input.span),
            value: describe_value(value, input.c_type),
        })
    });
    shown.collect()
}

fn describe_value(value: &Value, c_type: Option<CScalar>) -> String {
    match (value, c_type) {
        (Value::BitVec(bits), Some(CScalar::Integer { signed: true, .. })) => {
            bits.signed().to_string()
        }
        (Value::BitVec(bits), _) => bits.bits().to_string(),
        (Value::Bool(truth), _) => u8::from(*truth).to_string(),
        (Value::Int(number), _) => number.to_string(),
        (Value::Float(float), _) => float.to_string(),
        (Value::Array(_), _) => "…".to_owned(),
    }
}

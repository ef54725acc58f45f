//! The judge of answers.
//!
//! Every answer is checked on the program as lowered before it is reported: an alarm by replay, a proof by its
//! certificate, in another process ([`super::check_process`]).

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::check_process::RemoteChecker;
use super::evidence::{Ground, Grounds};
use super::{ledger, memory_note};
use crate::options::{AssumptionPolicy, JudgeOptions, Validation};
use crate::record::event::EventKind;
use crate::record::findings;
use crate::record::recorder::Recorder;
use crate::record::verdict::{Conclusion, InputValue, ReportedAssumption, Verdict};
use crate::task::Task;
use regatta_base::workers::Workers;
use regatta_certify::portable::Reply;
use regatta_certify::replay::Violation;
use regatta_certify::{Certificate, Check, ProofStep};
use regatta_program::block::Blocks;
use regatta_program::ghost::{CHECKING, VIOLATED_ASSERTION};
use regatta_program::interpreter::{Journal, Limits, Machine, ReplayInputs};
use regatta_program::{InputKind, InputPart, Program, Span, TargetSet, Targets, c_value};
use regatta_sharing::InvariantStore;
use regatta_term::Value;

/// Maximum wall time for the check of a proof if the run has no time limit.
const CHECK_BUDGET: Duration = Duration::from_secs(60);

/// Judges answers about a task: what passes becomes a conclusion, and its grounds are kept.
pub(crate) struct Judge {
    options: JudgeOptions,
    recorder: Recorder,
    pub checker: RemoteChecker,
    /// The proved invariants, on which proofs may rest.
    pub invariants: InvariantStore,
    /// The grounds of confirmed answers, if a witness or a certificate needs them.
    pub grounds: Grounds,
    /// The targets that confirmed proofs have excluded while the race goes on about the others.
    excluded: Mutex<TargetSet>,
}

/// The status of a proof before its check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The engine claims it: a refutation is an error of the engine.
    Proved,
    /// The same; and if it does not pass for all of the targets that it names, the answer is about those for which it does.
    ProvedInPart,
    /// The engine only conjectures it: a refutation is no error of the engine.
    Conjectured,
}

impl Judge {
    /// Makes the judge, who confirms no proof before its checker is started. Grounds of answers are kept if something needs
    /// them.
    pub fn new(options: &JudgeOptions, recorder: &Recorder, needs_grounds: bool) -> Self {
        Self {
            options: options.clone(),
            recorder: recorder.clone(),
            checker: RemoteChecker::new(&recorder.reporter, options.is_thorough),
            invariants: InvariantStore::new(),
            grounds: Grounds::new(needs_grounds || options.certificate.is_some()),
            excluded: Mutex::default(),
        }
    }

    /// Withdraws the invariants of a refuted step from the store, with all that rely on them. The analyses that have
    /// used them begin again.
    fn withdraw(&self, step: &ProofStep, blocks: Option<&Blocks>) {
        let (ProofStep::Inductive { batch, .. }, Some(blocks)) = (step, blocks) else {
            return;
        };
        let batches = self.invariants.withdraw_all(batch, blocks.inlined());
        self.recorder.event(EventKind::Withdrawn { batches });
    }

    /// Returns the answer of a proof if it passes its check on the program as lowered. The blocks are those of the program
    /// that shared invariants refer to.
    pub fn certified(
        &self,
        task: &Task,
        standing: Standing,
        analysis: &str,
        certificate: &Certificate,
        blocks: Option<&Blocks>,
        workers: &Workers,
    ) -> Option<Conclusion> {
        let named = task.scope.as_ref().map(|scope| Certificate {
            targets: match &certificate.targets {
                // What is proved of all targets that are left need not be so of those that were excluded before.
                Targets::All => Targets::Only(scope.asked.difference(&self.excluded.lock())),
                Targets::Only(some) => Targets::Only(some.clone()),
            },
            ..certificate.clone()
        });
        let certificate = named.as_ref().unwrap_or(certificate);
        // The check uses the cores that are idle now. They are not given back before its end, because the process cannot be told.
        let helpers: Vec<_> = std::iter::from_fn(|| workers.borrow()).collect();
        let begin = Instant::now();
        let time = task.time_left_for_check().unwrap_or(CHECK_BUDGET);
        let reply = self.checker.check(certificate, helpers.len(), time);
        drop(helpers);
        let time = begin.elapsed();
        let opinion = reply.opinion.as_ref();
        let objection = opinion.and_then(|opinion| opinion.objection.clone());
        let is_confirmed = reply.check == Check::Confirmed;
        if standing == Standing::Conjectured && !is_confirmed && objection.is_none() {
            return None;
        }
        self.record_check(task, analysis, certificate, blocks, &reply, time);
        if let Some(objection) = objection {
            // Whichever solver is wrong, the next proof may depend on the same error.
            self.recorder.event(EventKind::Refuted {
                analysis: analysis.to_owned(),
                reason: objection,
            });
            return Some(Conclusion::unknown("internal error: solvers disagree"));
        }
        match reply.check {
            Check::Confirmed => {
                let ground = || Ground::Proof(certificate.clone(), reply.facts, time);
                self.grounds.keep(analysis, ground);
                Some(Conclusion {
                    invariants: u32::try_from(certificate.formulas()).ok(),
                    targets: match &certificate.targets {
                        Targets::All => None,
                        Targets::Only(some) => Some(some.clone()),
                    },
                    ..Conclusion::proved(analysis)
                })
            }
            Check::Undecided(_)
                if standing == Standing::ProvedInPart && !reply.excluded.is_empty() =>
            {
                Some(Conclusion {
                    targets: Some(reply.excluded),
                    ..Conclusion::proved(analysis)
                })
            }
            Check::Refuted { step, reason } => {
                self.recorder.event(EventKind::Refuted {
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

    /// Records the check of a proof, which took the time.
    fn record_check(
        &self,
        task: &Task,
        analysis: &str,
        certificate: &Certificate,
        blocks: Option<&Blocks>,
        reply: &Reply,
        time: Duration,
    ) {
        let program = &task.simplified.program;
        if let Some(dump) = &self.recorder.dump {
            dump.proof(analysis, certificate, &reply.check, program);
        }
        if reply.check == Check::Confirmed {
            self.recorder.detail(|| EventKind::Proof {
                analysis: analysis.to_owned(),
                parts: findings::proof(
                    certificate,
                    &self.invariants.snapshot(),
                    blocks.map(|blocks| &**blocks.inlined()),
                    program,
                ),
            });
        }
        let mut outcome = match &reply.check {
            Check::Confirmed => "confirmed".to_owned(),
            Check::Refuted { reason, .. } => format!("refuted: {reason}"),
            Check::Undecided(reason) => match reply.excluded.len() {
                0 => format!("undecided: {reason}"),
                excluded => format!("{excluded} targets are excluded; {reason}"),
            },
        };
        if let Some(opinion) = &reply.opinion {
            outcome.push_str(&format!(" ({opinion})"));
        }
        self.recorder.event(EventKind::Certified {
            analysis: analysis.to_owned(),
            outcome,
            seconds: time.as_secs_f64(),
        });
    }

    /// Notes that a proof excludes these targets, if it does under the assumptions that are allowed. Returns the assumptions.
    pub fn exclude(&self, task: &Task, proved: &Conclusion) -> Option<Vec<ReportedAssumption>> {
        let targets = proved.targets.as_ref()?;
        let (policy, reporter) = (self.options.assumptions, &self.recorder.reporter);
        let reported = ledger::with_assumptions(proved.clone(), policy, &task.lowered, reporter);
        if reported.verdict != Verdict::True {
            return None;
        }
        let mut excluded = self.excluded.lock();
        *excluded = excluded.union(targets);
        Some(reported.assumptions)
    }

    /// Returns the answer of an exploration of all executions.
    pub fn explored(&self, task: &Task, analysis: &str) -> Option<Conclusion> {
        // An exploration has no verification conditions for a certificate; another engine may find a proof.
        if self.options.certificate.is_some() {
            return None;
        }
        self.grounds.keep(analysis, || Ground::AllRuns);
        Some(Conclusion {
            targets: task.scope.as_ref().map(|scope| scope.asked.clone()),
            ..Conclusion::proved(analysis)
        })
    }

    /// Returns the answer of a confirmed violation.
    pub fn violated(&self, task: &Task, analysis: &str, violation: &Violation) -> Conclusion {
        let error = task.lowered.location(violation.location);
        let property = error.violates.expect("a violation ends in an error");
        self.grounds
            .keep(analysis, || Ground::Run(violation.clone()));
        let Some((assertion, is_undefined)) = assertion(task, violation) else {
            return Conclusion::unknown("internal error in the validator");
        };
        Conclusion {
            verdict: Verdict::False(property),
            analysis: Some(analysis.to_owned()),
            invariants: None,
            wrong_assertion: assertion.checked_sub(1),
            is_undefined,
            inputs: describe_inputs(&task.lowered, &violation.inputs),
            place: Some(place(task, violation)),
            assumptions: match self.options.assumptions {
                AssumptionPolicy::Ignored => Vec::new(),
                AssumptionPolicy::Reported | AssumptionPolicy::Strict => {
                    ledger::of_violation(&task.lowered, violation)
                }
            },
            targets: task
                .scope
                .as_ref()
                .map(|scope| scope.at(violation.location)),
            path: Vec::new(),
            memory: memory_note::of_violation(&task.lowered, violation).map(Box::new),
            sequel: None,
            violation: Some(Box::new(violation.clone())),
        }
    }
}

/// Returns the machine in the state in which the error has been reached.
fn at_error<'t>(task: &'t Task, violation: &Violation) -> Machine<'t> {
    let mut machine = Machine::new(&task.executable);
    let limits = Limits {
        steps: violation.steps.saturating_add(1),
        ..Limits::default()
    };
    machine.run(&mut ReplayInputs::new(&violation.inputs), limits);
    machine
}

/// Returns the place of the error: if that is in a function of the library, of the call of the program's text that leads there,
/// and for memory that is lost or not freed, of its allocation.
fn place(task: &Task, violation: &Violation) -> String {
    let program = &task.lowered;
    let error = program.location(violation.location).span;
    let is_in_text = |span: &Span| span.line != 0;
    let in_call = || {
        let machine = at_error(task, violation);
        let calls = machine.open_calls();
        let mut spans = calls.map(|edge| program.edge(edge).span);
        spans.find(is_in_text)
    };
    let of_object = || {
        let history = violation.memory_fault?.explain(program).history;
        let mut spans = history.into_iter().map(|(span, _)| span);
        spans.find(is_in_text)
    };
    let span = match is_in_text(&error) {
        true => error,
        false => in_call().or_else(of_object).unwrap_or(error),
    };
    program.sources.describe(span)
}

/// Returns the number, from one, of the violated assertion among those that a witness has put into the program; zero if it
/// is none of them, and `None` if that cannot be determined. The second part tells whether the assertion has no defined value.
fn assertion(task: &Task, violation: &Violation) -> Option<(u32, bool)> {
    match task.options.validation {
        Some(Validation::Invariants { count: 1.. }) => {}
        _ => return Some((0, false)),
    }
    let machine = at_error(task, violation);
    let number = |name: &str| {
        let mut variables = task.lowered.variables.iter();
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

/// Returns the inputs of a run for the user, without the choices of the memory model.
fn describe_inputs(program: &Program, journal: &Journal) -> Vec<InputValue> {
    let shown = journal.entries.iter().filter_map(|(id, value)| {
        let input = program.inputs.get(id.index())?;
        if input.part == Some(InputPart::Begin) {
            return None;
        }
        let source = match &input.kind {
            InputKind::Nondet(function) => InputKind::call(function),
            InputKind::Uninitialised => "uninitialised".to_owned(),
            InputKind::Unknown(what) => what.clone(),
            InputKind::Outside(name) => format!("memory changed by {name}"),
            InputKind::Volatile(name) => format!("a volatile read of {name}"),
            InputKind::MemoryModel | InputKind::Watched | InputKind::Watching => return None,
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

//! What the analysis process does: load, simplify, analyse, certify.
//!
//! Every answer is checked on the program as lowered before it is reported: an alarm by replay, a proof by its
//! certificate, in another process ([`super::checker`]). What the simplifier decides is a claim like an engine's.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Map;

use super::checker::CheckerProcess;
use super::config::Portfolio;
use super::crash;
use super::dump::Dump;
use super::engine;
use super::event::{Reporter, Size, What};
use super::ledger;
use super::supervisor::{Attempt, RaceEnd};
use super::verdict::{Conclusion, InputValue, Verdict};
use crate::analysis::invariants::InvariantStore;
use crate::certify::portable::{Reply, Request};
use crate::certify::replay::Violation;
use crate::certify::{Certificate, Check, ProofStep};
use crate::frontend::{Error, ErrorKind, LoadOptions, Style, load};
use crate::program::block::Blocks;
use crate::program::dot::to_dot;
use crate::program::interpreter::{Executable, Journal};
use crate::program::simplify::{Simplified, simplify, unsimplified};
use crate::program::{CScalar, InputKind, Operation, Program};
use crate::term::{Value, record_shared_terms};

/// What to do in the race.
#[derive(Clone, Debug)]
pub struct RaceOptions {
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
    pub ledger: Ledger,
}

/// What is done with the assumptions of an answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ledger {
    /// They are not looked for.
    Ignored,
    /// They are told with the answer.
    Told,
    /// The answer is "unknown" if there are any.
    Strict,
}

/// Names of the analyses, for events and for what a crash excludes.
const FRONT_END: &str = "front end";
const SIMPLIFIER: &str = "simplifier";
const CHECKER: &str = "proof checker";
const LEDGER: &str = "ledger of assumptions";

/// What the check of a proof may take when there is no time limit.
const CHECK_BUDGET: Duration = Duration::from_secs(60);

/// Runs the race.
pub fn run(options: &RaceOptions, attempt: &Attempt, reporter: &Reporter) -> RaceEnd {
    let dump = options.dump.as_deref().map(Dump::new).transpose();
    let dump = dump.unwrap_or_else(|error| {
        let message = format!("nothing is dumped: {error}");
        reporter.event(What::Warning { message });
        None
    });
    let dump = dump.map(Arc::new);
    record_shared_terms(options.is_thorough);
    let load = || load_program(options, reporter, dump.as_deref());
    let lowered = guarded(reporter, FRONT_END, 1, load);
    record_shared_terms(false);
    let lowered = match lowered {
        Some(Ok(lowered)) => lowered,
        Some(Err(error)) if error.kind() == ErrorKind::Internal => {
            return RaceEnd::Concluded(Conclusion::unknown(error.to_string()));
        }
        Some(Err(error)) => return RaceEnd::Rejected(error.render(options.style)),
        None => return RaceEnd::Concluded(Conclusion::unknown("internal error in the front end")),
    };
    let simplified = guarded(reporter, SIMPLIFIER, 2, || {
        reporter.phase("simplify", || simplify(&lowered))
    });
    let Some(simplified) = simplified else {
        return RaceEnd::Concluded(Conclusion::unknown("internal error in the simplifier"));
    };
    reporter.event(What::Finished {
        analysis: SIMPLIFIER.to_owned(),
        outcome: simplified.statistics.to_string(),
        statistics: Map::new(),
    });
    reporter.event(What::Program {
        lowered: size(&lowered),
        simplified: size(&simplified.program),
        unsupported: unsupported(&simplified.program).count(),
    });
    if let Some(dump) = &dump {
        dump.write("simplified.dot", &to_dot(&simplified.program));
    }
    let mut race = Race {
        dump,
        options: options.clone(),
        reporter: reporter.clone(),
        executable: Executable::compile(&lowered),
        lowered,
        checker: None,
        simplified,
        invariants: InvariantStore::new(),
    };
    race.start_checker();
    if race.simplified.is_safe() {
        match race.simplifier_decides() {
            Some(conclusion) => return race.end(conclusion),
            // Whatever it knew, it cannot be checked: the engines get the program without it.
            None => {
                race.simplified = unsimplified(&race.lowered);
                race.start_checker();
            }
        }
    }
    let race = Arc::new(race);
    let conclusion = Arc::clone(&race).run(attempt);
    race.end(conclusion)
}

/// Runs a part of the work; a panic in it is reported, and costs that part alone.
pub(super) fn guarded<T>(
    reporter: &Reporter,
    analysis: &str,
    id: u32,
    work: impl FnOnce() -> T,
) -> Option<T> {
    reporter.event(What::Started {
        analysis: analysis.to_owned(),
        id,
    });
    crash::attribute_thread(id);
    let result = catch_unwind(AssertUnwindSafe(work));
    crash::attribute_thread(0);
    match result {
        Ok(value) => Some(value),
        Err(panic) => {
            reporter.event(What::Panicked {
                analysis: analysis.to_owned(),
                message: panic_message(&*panic),
            });
            None
        }
    }
}

/// What a panic said.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "no message".to_owned(),
    }
}

fn load_program(
    options: &RaceOptions,
    reporter: &Reporter,
    dump: Option<&Dump>,
) -> Result<Program, Error> {
    let load_options = LoadOptions {
        keeps_typed: dump.is_some(),
        ..options.load.clone()
    };
    let loaded = load(&options.file, &load_options)?;
    if let (Some(dump), Some(typed)) = (dump, &loaded.typed) {
        dump.write("typed.txt", typed);
        dump.write("lowered.dot", &to_dot(&loaded.program));
    }
    for (name, time) in &loaded.phases {
        reporter.event(What::Phase {
            name: (*name).to_owned(),
            seconds: time.as_secs_f64(),
        });
    }
    for warning in loaded.warnings {
        let place = loaded.program.sources.describe(warning.span);
        reporter.event(What::Warning {
            message: format!("{place}: {}", warning.message),
        });
    }
    Ok(loaded.program)
}

pub(super) struct Race {
    pub dump: Option<Arc<Dump>>,
    pub options: RaceOptions,
    pub reporter: Reporter,
    pub lowered: Program,
    pub executable: Executable,
    pub simplified: Simplified,
    /// Checks proofs, if the system has granted it a process.
    checker: Option<CheckerProcess>,
    pub invariants: InvariantStore,
}

impl Race {
    /// How the run ends with the answer: with what a proof was given under, and what that makes of the answer.
    fn end(&self, mut conclusion: Conclusion) -> RaceEnd {
        if let Some(failure) = self.dump.as_ref().and_then(|dump| dump.take_failure()) {
            let message = format!("not everything is dumped: {failure}");
            self.reporter.event(What::Warning { message });
        }
        if self.options.ledger == Ledger::Ignored {
            return RaceEnd::Concluded(conclusion);
        }
        if conclusion.verdict == Verdict::True {
            let found = guarded(&self.reporter, LEDGER, 4, || {
                ledger::of_proof(&self.lowered)
            });
            conclusion.assumptions = match found {
                Some(assumptions) => assumptions,
                None => {
                    return RaceEnd::Concluded(Conclusion::unknown("internal error in the ledger"));
                }
            };
        }
        RaceEnd::Concluded(match self.options.ledger {
            Ledger::Strict => conclusion.strict(),
            Ledger::Told | Ledger::Ignored => conclusion,
        })
    }

    fn run(self: Arc<Self>, attempt: &Attempt) -> Conclusion {
        let takes_part = |name: &str| !attempt.excluded.iter().any(|excluded| excluded == name);
        let analyses = (0..).zip(self.options.portfolio.analyses.iter().cloned());
        let analyses = analyses.filter(|(_, analysis)| takes_part(analysis.name()));
        if let Some(conclusion) =
            engine::race(&self, analyses.collect(), takes_part(engine::PROVER))
        {
            return conclusion;
        }
        match unsupported(&self.simplified.program).next() {
            Some((place, reason)) => Conclusion::unknown(format!(
                "{reason} is not supported, {}",
                self.lowered.sources.describe(place)
            )),
            None => Conclusion::unknown("no analysis found an answer"),
        }
    }

    /// The answer, if no target is left and that passes its check.
    fn simplifier_decides(&self) -> Option<Conclusion> {
        let certificate = Certificate {
            steps: vec![ProofStep::Simplified],
        };
        let check = || self.certified(SIMPLIFIER, &certificate, None);
        guarded(&self.reporter, CHECKER, 3, check).flatten()
    }

    /// What is left of the wall time, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let limit = self.options.time_limit?;
        Some(limit.saturating_sub(self.reporter.started().elapsed()))
    }

    /// Starts the checker's process with the program as it is now. Must be called while the process has one thread.
    fn start_checker(&mut self) {
        self.checker = None;
        let started =
            CheckerProcess::start(&self.lowered, &self.simplified, self.options.is_thorough);
        match started {
            Ok(checker) => self.checker = Some(checker),
            Err(error) => self.reporter.event(What::Warning {
                message: format!("no proof can be checked: the checker has no process: {error}"),
            }),
        }
    }

    /// What the checker says of a proof.
    fn checked(&self, certificate: &Certificate) -> Reply {
        let undecided = |reason: &str| Reply {
            check: Check::Undecided(reason.to_owned()),
            opinion: None,
        };
        let Some(checker) = &self.checker else {
            return undecided("the checker has no process");
        };
        let request = Request {
            certificate: certificate.clone(),
            budget: self.time_left().unwrap_or(CHECK_BUDGET),
        };
        checker.check(&request).unwrap_or_else(|message| {
            self.reporter.event(What::Panicked {
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
        self.reporter.event(What::Withdrawn { batches });
    }

    /// The answer that a proof is, if it passes its check on the program as lowered. The blocks are those of the program
    /// that invariants are shared about.
    pub fn certified(
        &self,
        analysis: &str,
        certificate: &Certificate,
        blocks: Option<&Blocks>,
    ) -> Option<Conclusion> {
        let begin = Instant::now();
        let Reply {
            check: result,
            opinion,
        } = self.checked(certificate);
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
        self.reporter.event(What::Certified {
            analysis: analysis.to_owned(),
            outcome,
            seconds: begin.elapsed().as_secs_f64(),
        });
        if let Some(objection) = opinion.and_then(|opinion| opinion.objection) {
            // Whoever is wrong, the next proof may rest on the same.
            self.reporter.event(What::Refuted {
                analysis: analysis.to_owned(),
                reason: objection,
            });
            return Some(Conclusion::unknown("internal error: solvers disagree"));
        }
        match result {
            Check::Confirmed => Some(proved(analysis)),
            Check::Refuted { step, reason } => {
                self.reporter.event(What::Refuted {
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
            assumptions: match self.options.ledger {
                Ledger::Ignored => Vec::new(),
                Ledger::Told | Ledger::Strict => ledger::of_violation(&self.lowered, violation),
            },
        }
    }
}

/// The answer that a confirmed proof is.
pub(super) fn proved(analysis: &str) -> Conclusion {
    Conclusion {
        verdict: Verdict::True,
        analysis: Some(analysis.to_owned()),
        inputs: Vec::new(),
        place: None,
        assumptions: Vec::new(),
    }
}

fn size(program: &Program) -> Size {
    Size {
        functions: program.functions.len(),
        locations: program.locations.len(),
        edges: program.edges.len(),
        variables: program.variables.len(),
    }
}

/// The places that are not supported, with the reasons.
fn unsupported(program: &Program) -> impl Iterator<Item = (crate::program::Span, &str)> {
    program
        .edges
        .iter()
        .filter_map(|edge| match edge.operations.last() {
            Some(Operation::Unsupported(reason)) => Some((edge.span, reason.0.as_str())),
            _ => None,
        })
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

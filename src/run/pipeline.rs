//! The work of the analysis process: load, simplify, analyse, and post-process the answer.
//!
//! An answer of the simplifier is checked like an engine's ([`crate::task`]).

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Map;

use super::race;
use crate::config::Switch;
use crate::config::opening::Turn;
use crate::judge::alarm;
use crate::judge::evidence::{Evidence, Publisher};
use crate::judge::follow;
use crate::judge::ledger::{self, AssumptionPolicy};
use crate::judge::proof_export;
use crate::process::crash::{guarded, number};
use crate::process::supervisor::{Attempt, RaceEnd};
use crate::record::dump::Dump;
use crate::record::event::{EventKind, Reporter, Size};
use crate::record::findings;
use crate::record::verdict::{Conclusion, Verdict};
use crate::task::{CHECKER, RunOptions, Task, Validation};
use regatta_base::workers::Workers;
use regatta_base::{Error, ErrorKind};
use regatta_certify::defined::{Undefined, guard};
use regatta_certify::{Certificate, ProofStep};
use regatta_frontend::advice::advise;
use regatta_frontend::{LoadOptions, load};
use regatta_program::dot::to_dot;
use regatta_program::features::Features;
use regatta_program::ghost::{CHECKING, restrict};
use regatta_program::interpreter::Executable;
use regatta_program::simplify::{Simplified, simplify, unsimplified};
use regatta_program::{
    CallGraph, CutPoints, FunctionId, Operation, Program, Span, Variable, open_assumptions,
};
use regatta_sharing::InvariantStore;
use regatta_term::record_shared_terms;

/// The names of the parts of a run in events; a part that crashes is excluded from the next attempt by its name.
const FRONT_END: &str = "front end";
const SIMPLIFIER: &str = "simplifier";
const ALARM: &str = "examination of an alarm";
const LEDGER: &str = "ledger of assumptions";
const PUBLISHER: &str = "witness";

/// Verifies the program. The grounds of the answer are given to the publisher.
pub fn run(
    options: &RunOptions,
    attempt: &Attempt,
    reporter: &Reporter,
    publish: Option<&Publisher<'_>>,
) -> RaceEnd {
    let dump = options.dump.as_deref().map(Dump::new).transpose();
    let dump = dump.unwrap_or_else(|error| {
        let message = format!("nothing is dumped: {error}");
        reporter.event(EventKind::NotWritten { message });
        None
    });
    let dump = dump.map(Arc::new);
    record_shared_terms(options.is_thorough);
    let load = || load_program(options, reporter, dump.as_deref());
    let lowered = guarded(reporter, FRONT_END, number::FRONT_END, load);
    record_shared_terms(false);
    let lowered = match lowered {
        Some(Ok(mut lowered)) => {
            if let Some(Validation::Violation { counted, .. }) = &options.validation
                && !restrict(&mut lowered, counted)
            {
                return RaceEnd::Concluded(Conclusion::unknown("internal error in the validator"));
            }
            lowered
        }
        Some(Err(error)) if error.kind() == ErrorKind::Internal => {
            return RaceEnd::Concluded(Conclusion::unknown(error.to_string()));
        }
        Some(Err(error)) => {
            let error = advise(error, &options.file);
            return RaceEnd::Rejected(error.render(options.style));
        }
        None => return RaceEnd::Concluded(Conclusion::unknown("internal error in the front end")),
    };
    let mut lowered = lowered;
    let unseen = guard_witness(options, &mut lowered);
    // The execution with a witness's values does not need the simplifier.
    if let Some(Validation::Violation { .. }) = options.validation {
        let task = new_task(options, reporter, dump.clone(), publish, lowered, None);
        if let Some(conclusion) = follow::values(&task) {
            return end(&task, conclusion, publish);
        }
        lowered = task.lowered;
    }
    let simplified = guarded(reporter, SIMPLIFIER, number::SIMPLIFIER, || {
        reporter.phase("simplify", || simplify(&lowered))
    });
    let Some(simplified) = simplified else {
        return RaceEnd::Concluded(Conclusion::unknown("internal error in the simplifier"));
    };
    reporter.event(EventKind::Finished {
        analysis: SIMPLIFIER.to_owned(),
        outcome: simplified.statistics.to_string(),
        statistics: Map::new(),
    });
    reporter.event(EventKind::Program {
        lowered: size(&lowered),
        simplified: size(&simplified.program),
        unsupported: unsupported(&simplified.program).count(),
    });
    if options.has_details {
        let automaton = findings::automaton(&simplified.program);
        reporter.event(EventKind::Automaton(automaton));
    }
    if let Some(dump) = &dump {
        dump.write("simplified.dot", &to_dot(&simplified.program));
    }
    let mut task = new_task(options, reporter, dump, publish, lowered, Some(simplified));
    task.start_zygote();
    if task.simplified.is_safe() {
        match simplifier_decides(&task) {
            Some(conclusion) => {
                return end(&task, as_far_as_seen(conclusion, unseen), publish);
            }
            // The simplifier's claim could not be confirmed, so the engines get the program without simplification.
            None => {
                task.simplified = unsimplified(&task.lowered);
                task.start_zygote();
            }
        }
    }
    let task = Arc::new(task);
    let conclusion = analyse(&task, attempt);
    let examined = guarded(reporter, ALARM, number::ALARM, || {
        alarm::examine(&task, conclusion)
    });
    let conclusion = examined
        .unwrap_or_else(|| Conclusion::unknown("internal error in the examination of an alarm"));
    end(&task, as_far_as_seen(conclusion, unseen), publish)
}

/// Has the program look whether the expressions of a witness that was put into it have defined values. Returns what of that
/// it cannot see, if a proof depends on it.
fn guard_witness(options: &RunOptions, lowered: &mut Program) -> Option<String> {
    let becomes = match options.validation.as_ref()? {
        Validation::Invariants { .. } => Undefined::Violates,
        Validation::Violation { .. } => Undefined::Ends,
    };
    let is_checked = |variable: &Variable| variable.name == CHECKING;
    if !lowered.variables.iter().any(is_checked) {
        return None;
    }
    let open = open_assumptions(lowered);
    guard(lowered, becomes, &open).filter(|_| becomes == Undefined::Violates)
}

/// A proof is none if an expression of the witness may have no defined value.
fn as_far_as_seen(conclusion: Conclusion, unseen: Option<String>) -> Conclusion {
    match unseen {
        Some(what) if conclusion.verdict == Verdict::True => Conclusion::unknown(format!(
            "an invariant may have no defined value: it is not known whether {what}"
        )),
        _ => conclusion,
    }
}

/// Makes the task that all parts of a run share. Without a simplified program it has the program as lowered in its place.
fn new_task(
    options: &RunOptions,
    reporter: &Reporter,
    dump: Option<Arc<Dump>>,
    publish: Option<&Publisher<'_>>,
    lowered: Program,
    simplified: Option<Simplified>,
) -> Task {
    Task {
        dump,
        options: options.clone(),
        reporter: reporter.clone(),
        executable: Executable::compile(&lowered),
        simplified: simplified.unwrap_or_else(|| unsimplified(&lowered)),
        lowered,
        zygote: None,
        invariants: InvariantStore::new(),
        grounds: (publish.is_some() || options.certificate.is_some()).then(Mutex::default),
    }
}

fn load_program(
    options: &RunOptions,
    reporter: &Reporter,
    dump: Option<&Dump>,
) -> Result<Program, Error> {
    let load_options = LoadOptions {
        keeps_typed: dump.is_some(),
        // Of the expressions of a witness everything is looked at.
        all_assumptions: options.load.all_assumptions || options.validation.is_some(),
        ..options.load.clone()
    };
    let loaded = load(&options.file, &load_options)?;
    if let (Some(dump), Some(typed)) = (dump, &loaded.typed) {
        dump.write("typed.txt", typed);
        dump.write("lowered.dot", &to_dot(&loaded.program));
    }
    for (name, time) in &loaded.phases {
        reporter.event(EventKind::Phase {
            name: (*name).to_owned(),
            seconds: time.as_secs_f64(),
        });
    }
    for warning in loaded.warnings {
        let place = loaded.program.sources.describe(warning.span);
        reporter.event(EventKind::Warning {
            message: format!("{place}: {}", warning.message),
        });
    }
    Ok(loaded.program)
}

/// Ends the run with the answer: writes the certificate and adds the assumptions.
fn end(task: &Task, conclusion: Conclusion, publish: Option<&Publisher<'_>>) -> RaceEnd {
    if let Some(failure) = task.dump.as_ref().and_then(|dump| dump.take_failure()) {
        let message = format!("not everything is dumped: {failure}");
        task.reporter.event(EventKind::NotWritten { message });
    }
    if conclusion.verdict == Verdict::True
        && let Some(folder) = &task.options.certificate
    {
        let written = proof_export::write(task, &conclusion, folder);
        task.reporter.event(match written {
            Ok(written) => EventKind::CertificateWritten {
                folder: folder.display().to_string(),
                written,
            },
            Err(reason) => EventKind::Warning {
                message: format!("no certificate is written: {reason}"),
            },
        });
    }
    let conclusion = with_assumptions(task, conclusion);
    if let Some(publish) = publish {
        let publish = || publish_ground(task, &conclusion, publish);
        guarded(&task.reporter, PUBLISHER, number::PUBLISHER, publish);
    }
    RaceEnd::Concluded(conclusion)
}

/// Gives the grounds of the answer to the publisher.
fn publish_ground(task: &Task, conclusion: &Conclusion, publish: &Publisher<'_>) {
    if let Some(ground) = task.ground_of(conclusion) {
        publish(&Evidence {
            options: &task.options,
            reporter: &task.reporter,
            lowered: &task.lowered,
            executable: &task.executable,
            simplified: &task.simplified,
            ground: &ground,
            confirms: &|certificate, time| task.confirms(certificate, time),
            confirmed_facts: &|time| task.confirmed_facts(time),
            time_left: task.time_left(),
        });
    }
}

/// Adds its assumptions to the answer, which becomes UNKNOWN if the user allows none.
fn with_assumptions(task: &Task, mut conclusion: Conclusion) -> Conclusion {
    if task.options.assumptions == AssumptionPolicy::Ignored {
        return conclusion;
    }
    if conclusion.verdict == Verdict::True {
        let found = guarded(&task.reporter, LEDGER, number::LEDGER, || {
            ledger::of_proof(&task.lowered)
        });
        conclusion.assumptions = match found {
            Some(assumptions) => assumptions,
            None => {
                return Conclusion::unknown("internal error in the ledger");
            }
        };
    }
    match task.options.assumptions {
        AssumptionPolicy::Strict => conclusion.strict(),
        AssumptionPolicy::Reported | AssumptionPolicy::Ignored => conclusion,
    }
}

/// Runs the analyses and returns their answer.
fn analyse(task: &Arc<Task>, attempt: &Attempt) -> Conclusion {
    let takes_part = |name: &str| !attempt.excluded.iter().any(|excluded| excluded == name);
    let analyses = (0..).zip(task.options.portfolio.analyses.iter().cloned());
    let analyses = analyses.filter(|(_, analysis)| takes_part(analysis.name()));
    let features = Features::of(&task.simplified.program);
    task.reporter.event(what_is_open(task, &features));
    let analyses = analyses.collect();
    let opening = opening(task, &features);
    if let Some(conclusion) = race::run(task, analyses, opening, takes_part(race::PROVER)) {
        return conclusion;
    }
    match unsupported(&task.simplified.program).next() {
        Some((place, reason)) => Conclusion::unknown(format!(
            "{reason} is not supported, {}",
            task.lowered.sources.describe(place)
        )),
        None => Conclusion::unknown("no analysis found an answer"),
    }
}

/// Returns the turns of the opening that fits a program with the features.
fn opening<'t>(task: &'t Task, features: &Features) -> &'t [Turn] {
    let portfolio = &task.options.portfolio;
    // With a witness, its invariants are proved first, by the prover, which has no turns in openings.
    let is_followed = portfolio.general.openings == Switch::On && task.options.validation.is_none();
    match portfolio.opening(features) {
        Some(opening) if is_followed => &opening.turns,
        _ => &[],
    }
}

/// Returns the answer of the simplifier, which has left no error location, if it passes its check.
fn simplifier_decides(task: &Task) -> Option<Conclusion> {
    let certificate = Certificate {
        steps: vec![ProofStep::Simplified],
    };
    // No other thread works yet.
    let alone = Workers::fixed(task.options.threads() - 1);
    let check = || task.certified(SIMPLIFIER, &certificate, None, &alone);
    guarded(&task.reporter, CHECKER, number::CHECKER, check).flatten()
}

/// Returns the event of the loops and unsupported operations that are left, which tells why analyses may not terminate.
fn what_is_open(task: &Task, features: &Features) -> EventKind {
    /// Maximum number of places of each kind in the event.
    const MAXIMUM_PLACES: usize = 50;
    let (program, sources) = (&task.simplified.program, &task.lowered.sources);
    let place = |span: Span, what: &str| format!("{}: {what}", sources.describe(span));
    let calls = CallGraph::new(program);
    let cut_points = CutPoints::new(program, &calls);
    let heads = cut_points.loops().iter();
    let heads = heads.map(|found| {
        let name = &program.function(found.function).name;
        // The start function contains what was inlined into it, so its name would mislead.
        let what = match name.starts_with('<') {
            true => "a loop".to_owned(),
            false => format!("a loop in {name}"),
        };
        (program.location(found.head).span, what)
    });
    let functions = (0..program.functions.len()).map(|number| FunctionId(number as u32));
    let recursive = functions.filter(|&function| calls.is_recursive(function));
    let recursive = recursive.map(|function| {
        let function = program.function(function);
        (function.span, format!("{} is recursive", function.name))
    });
    let mut loops: Vec<(Span, String)> = heads.chain(recursive).collect();
    loops.sort_by_key(|(place, _)| (place.file, place.line, place.column));
    loops.dedup();
    let loops = loops.into_iter().take(MAXIMUM_PLACES);
    let unsupported = unsupported(program).take(MAXIMUM_PLACES);
    EventKind::Open {
        unsupported: unsupported
            .map(|(span, reason)| place(span, reason))
            .collect(),
        loops: loops.map(|(span, what)| place(span, &what)).collect(),
        features: features.by_name(),
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

/// Returns the places of unsupported operations, with the reasons.
fn unsupported(program: &Program) -> impl Iterator<Item = (Span, &str)> {
    program
        .edges
        .iter()
        .filter_map(|edge| match edge.operations.last() {
            Some(Operation::Unsupported(reason)) => Some((edge.span, reason.0.as_str())),
            _ => None,
        })
}

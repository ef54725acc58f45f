//! What the analysis process does: load, simplify, analyse, and look at what the answer rests on.
//!
//! What the simplifier decides is a claim like an engine's ([`super::task`]).

use std::sync::Arc;

use serde_json::Map;

use super::crash::guarded;
use super::dump::Dump;
use super::event::{EventKind, Reporter, Size};
use super::ledger::{self, AssumptionPolicy};
use super::race;
use super::supervisor::{Attempt, RaceEnd};
use super::task::{CHECKER, RunOptions, Task};
use super::verdict::{Conclusion, Verdict};
use crate::analysis::invariants::InvariantStore;
use crate::certify::{Certificate, ProofStep};
use crate::frontend::{Error, ErrorKind, LoadOptions, load};
use crate::program::dot::to_dot;
use crate::program::interpreter::Executable;
use crate::program::simplify::{simplify, unsimplified};
use crate::program::{Operation, Program};
use crate::term::record_shared_terms;
use crate::workers::Workers;

/// Names of the analyses, for events and for what a crash excludes.
const FRONT_END: &str = "front end";
const SIMPLIFIER: &str = "simplifier";
const LEDGER: &str = "ledger of assumptions";

/// Verifies the program.
pub fn run(options: &RunOptions, attempt: &Attempt, reporter: &Reporter) -> RaceEnd {
    let dump = options.dump.as_deref().map(Dump::new).transpose();
    let dump = dump.unwrap_or_else(|error| {
        let message = format!("nothing is dumped: {error}");
        reporter.event(EventKind::Warning { message });
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
    if let Some(dump) = &dump {
        dump.write("simplified.dot", &to_dot(&simplified.program));
    }
    let mut task = Task {
        dump,
        options: options.clone(),
        reporter: reporter.clone(),
        executable: Executable::compile(&lowered),
        lowered,
        checker: None,
        simplified,
        invariants: InvariantStore::new(),
    };
    task.start_checker();
    if task.simplified.is_safe() {
        match simplifier_decides(&task) {
            Some(conclusion) => return end(&task, conclusion),
            // Whatever it knew, it cannot be checked: the engines get the program without it.
            None => {
                task.simplified = unsimplified(&task.lowered);
                task.start_checker();
            }
        }
    }
    let task = Arc::new(task);
    let conclusion = analyse(&task, attempt);
    end(&task, conclusion)
}

fn load_program(
    options: &RunOptions,
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

/// How the run ends with the answer: with what a proof was given under, and what that makes of the answer.
fn end(task: &Task, mut conclusion: Conclusion) -> RaceEnd {
    if let Some(failure) = task.dump.as_ref().and_then(|dump| dump.take_failure()) {
        let message = format!("not everything is dumped: {failure}");
        task.reporter.event(EventKind::Warning { message });
    }
    if task.options.assumptions == AssumptionPolicy::Ignored {
        return RaceEnd::Concluded(conclusion);
    }
    if conclusion.verdict == Verdict::True {
        let found = guarded(&task.reporter, LEDGER, 4, || {
            ledger::of_proof(&task.lowered)
        });
        conclusion.assumptions = match found {
            Some(assumptions) => assumptions,
            None => {
                return RaceEnd::Concluded(Conclusion::unknown("internal error in the ledger"));
            }
        };
    }
    RaceEnd::Concluded(match task.options.assumptions {
        AssumptionPolicy::Strict => conclusion.strict(),
        AssumptionPolicy::Reported | AssumptionPolicy::Ignored => conclusion,
    })
}

/// The answer of the analyses.
fn analyse(task: &Arc<Task>, attempt: &Attempt) -> Conclusion {
    let takes_part = |name: &str| !attempt.excluded.iter().any(|excluded| excluded == name);
    let analyses = (0..).zip(task.options.portfolio.analyses.iter().cloned());
    let analyses = analyses.filter(|(_, analysis)| takes_part(analysis.name()));
    if let Some(conclusion) = race::run(task, analyses.collect(), takes_part(race::PROVER)) {
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

/// The answer, if no target is left and that passes its check.
fn simplifier_decides(task: &Task) -> Option<Conclusion> {
    let certificate = Certificate {
        steps: vec![ProofStep::Simplified],
    };
    // Nobody else is at work yet.
    let alone = Workers::fixed(task.options.threads() - 1);
    let check = || task.certified(SIMPLIFIER, &certificate, None, &alone);
    guarded(&task.reporter, CHECKER, 3, check).flatten()
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

//! The ledger of assumptions: what an answer was given under that could have made a difference.
//!
//! A proof is about all executions, so that every assumption counts that one of them may meet on its way to an error.
//! A violation is about one run: what counts is what did not hold where that run came by, and what a run cannot show.

use std::time::{Duration, Instant};

use super::verdict::ReportedAssumption;
use regatta_certify::replay::Violation;
use regatta_certify::violated_assumptions;
use regatta_program::interpreter::Limits;
use regatta_program::{Assumption, AssumptionKind, Program, open_assumptions};

/// What is done with the assumptions of an answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AssumptionPolicy {
    /// They are not looked for.
    Ignored,
    /// They are told with the answer.
    Reported,
    /// The answer is "unknown" if there are any.
    Strict,
}

/// What a proof depends on.
pub(super) fn of_proof(lowered: &Program) -> Vec<ReportedAssumption> {
    let open = open_assumptions(lowered);
    told(lowered, |number, assumption| {
        open[number] && assumption.kind.matters_to_proofs()
    })
}

/// How long the run of a violation is looked at, which may take longer than the run itself.
const LOOKING: Duration = Duration::from_secs(2);

/// What a violation depends on.
pub(super) fn of_violation(lowered: &Program, violation: &Violation) -> Vec<ReportedAssumption> {
    let matters = |assumption: &Assumption| assumption.kind.matters_to_violations();
    let counts: Vec<bool> = lowered.assumptions.iter().map(matters).collect();
    if !counts.contains(&true) {
        return Vec::new();
    }
    let limits = Limits {
        deadline: Some(Instant::now() + LOOKING),
        ..Limits::default()
    };
    match violated_assumptions::of_run(lowered, violation, &counts, limits) {
        Some(violated) => told(lowered, |number, _| violated[number]),
        None => {
            let open = open_assumptions(lowered);
            told(lowered, |number, _| counts[number] && open[number])
        }
    }
}

/// The assumptions that count, in the order of the source, each once: what is assumed of the program's surroundings, at
/// the first place.
fn told(lowered: &Program, counts: impl Fn(usize, &Assumption) -> bool) -> Vec<ReportedAssumption> {
    let assumptions = lowered.assumptions.iter().enumerate();
    let mut counting: Vec<&Assumption> = assumptions
        .filter(|&(number, assumption)| counts(number, assumption))
        .filter(|&(_, assumption)| !is_of_a_model(lowered, assumption))
        .map(|(_, assumption)| assumption)
        .collect();
    counting.sort_by_key(|assumption| {
        let span = assumption.span;
        (span.file.0, span.line, span.column, assumption.kind)
    });
    let mut result: Vec<ReportedAssumption> = Vec::new();
    for assumption in counting {
        let place = if assumption.span.line == 0 {
            // Text of our own: a library function.
            let function = lowered.location(assumption.location).function;
            format!("`{}`", lowered.function(function).name)
        } else {
            lowered.sources.describe(assumption.span)
        };
        let once = matches!(
            assumption.kind,
            AssumptionKind::Layout
                | AssumptionKind::Library
                | AssumptionKind::Volatile
                | AssumptionKind::Environment
        );
        if once && result.iter().any(|met| met.what == assumption.what) {
            continue;
        }
        let met = ReportedAssumption {
            place,
            kind: assumption.kind,
            what: assumption.what.clone(),
        };
        if !result.contains(&met) {
            result.push(met);
        }
    }
    result
}

/// Whether it is about the arithmetic of a model's own functions, which says nothing of the program.
fn is_of_a_model(lowered: &Program, assumption: &Assumption) -> bool {
    let is_arithmetic = matches!(
        assumption.kind,
        AssumptionKind::WrapAround | AssumptionKind::Defined
    );
    let function = lowered.location(assumption.location).function;
    is_arithmetic
        && assumption.span.line == 0
        && lowered.function(function).name.starts_with("__regatta_")
}

//! The ledger of assumptions: the assumptions on which an answer may depend.
//!
//! A proof covers all executions, so every assumption counts that an execution may reach on its way to an error.
//! A violation is one execution: an assumption counts if it does not hold where that execution reaches it, or if an
//! execution cannot show whether it holds.

use std::time::{Duration, Instant};

use crate::options::AssumptionPolicy;
use crate::process::crash::{guarded, number};
use crate::record::event::Reporter;
use crate::record::verdict::{Conclusion, ReportedAssumption, Verdict};
use regatta_certify::replay::Violation;
use regatta_certify::violated_assumptions;
use regatta_program::interpreter::Limits;
use regatta_program::{Assumption, AssumptionKind, Program, open_assumptions};

/// The ledger's name in events.
const LEDGER: &str = "ledger of assumptions";

/// Adds its assumptions to the answer, which becomes UNKNOWN if the user allows none.
pub(crate) fn with_assumptions(
    mut conclusion: Conclusion,
    policy: AssumptionPolicy,
    lowered: &Program,
    reporter: &Reporter,
) -> Conclusion {
    if policy == AssumptionPolicy::Ignored {
        return conclusion;
    }
    if conclusion.verdict == Verdict::True {
        let found = guarded(reporter, LEDGER, number::LEDGER, || of_proof(lowered));
        conclusion.assumptions = match found {
            Some(assumptions) => assumptions,
            None => {
                return Conclusion::unknown("internal error in the ledger");
            }
        };
    }
    match policy {
        AssumptionPolicy::Strict => conclusion.strict(),
        AssumptionPolicy::Reported | AssumptionPolicy::Ignored => conclusion,
    }
}

/// Returns the assumptions that a proof depends on.
fn of_proof(lowered: &Program) -> Vec<ReportedAssumption> {
    let open = open_assumptions(lowered);
    reported(lowered, |number, assumption| {
        open[number] && assumption.kind.matters_to_proofs()
    })
}

/// Maximum wall time for finding the assumptions that the execution of a violation violates, which takes longer than the
/// execution itself.
const REPLAY_TIME_LIMIT: Duration = Duration::from_secs(2);

/// Returns the assumptions that a violation depends on.
pub(crate) fn of_violation(lowered: &Program, violation: &Violation) -> Vec<ReportedAssumption> {
    let matters = |assumption: &Assumption| assumption.kind.matters_to_violations();
    let counts: Vec<bool> = lowered.assumptions.iter().map(matters).collect();
    if !counts.contains(&true) {
        return Vec::new();
    }
    let limits = Limits {
        deadline: Some(Instant::now() + REPLAY_TIME_LIMIT),
        ..Limits::default()
    };
    match violated_assumptions::of_run(lowered, violation, &counts, limits) {
        Some(violated) => reported(lowered, |number, _| violated[number]),
        None => {
            let open = open_assumptions(lowered);
            reported(lowered, |number, _| counts[number] && open[number])
        }
    }
}

/// Returns the assumptions that count, in the order of the source and without duplicates; one about the program's
/// environment is reported at its first place only.
fn reported(
    lowered: &Program,
    counts: impl Fn(usize, &Assumption) -> bool,
) -> Vec<ReportedAssumption> {
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
            // A library function that Regatta provides.
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

/// Checks whether the assumption concerns the arithmetic of a library model's own functions, on which the program has no
/// influence.
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

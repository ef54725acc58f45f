//! The ledger of assumptions: what an answer was given under that could have made a difference.
//!
//! A proof is about all executions, so that every assumption counts that one of them may meet on its way to an error.
//! A violation is about one run: what counts is what that run came by, and which the run itself does not show.

use super::verdict::MetAssumption;
use crate::certify::replay::{self, Violation};
use crate::program::interpreter::Executable;
use crate::program::{Assumption, Program, open_assumptions};

/// What a proof depends on.
pub(super) fn of_proof(lowered: &Program) -> Vec<MetAssumption> {
    let open = open_assumptions(lowered);
    told(lowered, |number, assumption| {
        open[number] && assumption.kind.matters_to_proofs()
    })
}

/// What a violation depends on.
pub(super) fn of_violation(
    lowered: &Program,
    executable: &Executable,
    violation: &Violation,
) -> Vec<MetAssumption> {
    let matters = |assumption: &Assumption| assumption.kind.matters_to_violations();
    if !lowered.assumptions.iter().any(matters) {
        return Vec::new();
    }
    let mut passed = vec![false; lowered.locations.len()];
    for edge in replay::visited(executable, violation) {
        passed[lowered.edge(edge).source.index()] = true;
    }
    let open = open_assumptions(lowered);
    told(lowered, |number, assumption| {
        open[number] && matters(assumption) && passed[assumption.location.index()]
    })
}

/// The assumptions that count, in the order of the source, each once.
fn told(lowered: &Program, counts: impl Fn(usize, &Assumption) -> bool) -> Vec<MetAssumption> {
    let assumptions = lowered.assumptions.iter().enumerate();
    let mut counting: Vec<&Assumption> = assumptions
        .filter(|&(number, assumption)| counts(number, assumption))
        .map(|(_, assumption)| assumption)
        .collect();
    counting.sort_by_key(|assumption| {
        let span = assumption.span;
        (span.file.0, span.line, span.column, assumption.kind)
    });
    let mut result: Vec<MetAssumption> = Vec::new();
    for assumption in counting {
        let place = if assumption.span.line == 0 {
            // Text of our own: a library function.
            let function = lowered.location(assumption.location).function;
            format!("`{}`", lowered.function(function).name)
        } else {
            lowered.sources.describe(assumption.span)
        };
        let met = MetAssumption {
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

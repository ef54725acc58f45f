//! Writes witnesses of answers in the format of the Competition on Software Verification, version 2.0 or 2.1.
//!
//! Every statement of a witness is true of the program as the user wrote it. A formula is left out if C cannot express it in
//! the scope of an exactly known place: a validator without it may take longer, but one that finds
//! a wrong statement rejects the whole witness.
//!
//! * [`violation`]: the waypoints of a confirmed alarm's execution.
//! * [`correctness`]: the invariants of a confirmed proof as invariants of the source.
//! * [`measures`]: measures of loops as transition invariants (version 2.1).
//! * [`contract`]: summaries of recursive functions as contracts (version 2.1).
//! * [`scope`]: formulas as C expressions in a scope; [`expression`]: variables and values as C.
//! * [`mod@write`]: the file.

mod contract;
pub mod correctness;
mod expression;
mod measures;
mod scope;
pub mod violation;
pub mod write;

use std::path::Path;

use regatta_certify::Certificate;
use regatta_run::event::EventKind;
use regatta_run::evidence::{Evidence, Ground};
use regatta_witness::format::Version;

use write::SourceLines;

/// Writes the witness of an answer to the file. A witness without invariants is reported as a warning.
pub fn publish(file: &Path, version: Version, evidence: &Evidence<'_>) {
    let warn = |message: String| evidence.reporter.event(EventKind::Warning { message });
    let lines = SourceLines::read(evidence.options);
    let is_of_termination = evidence.options.load.property.is_termination();
    let version = match is_of_termination {
        true => version.max(Version::V2_1),
        false => version,
    };
    let entry = match evidence.ground {
        Ground::Run(violation) if is_of_termination => {
            let limits = violation::Limits::of(evidence.time_left);
            let (lowered, executable) = (evidence.lowered, evidence.executable);
            match violation::of_endless_run(lowered, executable, violation, limits, &lines) {
                Some((stem, cycle)) => write::Entry::Endless(stem, cycle),
                None => {
                    warn("no witness is written: no state comes again, or the cycle has no place in the source".to_owned());
                    return;
                }
            }
        }
        Ground::Measures(found) => {
            let mut invariants = measures::in_source(evidence.lowered, found);
            invariants.retain(|one| lines.is_of_file(&one.at));
            if invariants.is_empty() {
                let reason = match found.is_empty() {
                    true => {
                        "there is no loop that is executed once, or its measure is not made of variables"
                    }
                    false => "C cannot express why the loops end",
                };
                warn(format!("the witness has no invariant: {reason}"));
            }
            write::Entry::Correctness(invariants, Vec::new())
        }
        Ground::Run(violation) => {
            let limits = violation::Limits::of(evidence.time_left);
            let found = violation::of_run(
                evidence.lowered,
                evidence.executable,
                violation,
                limits,
                &lines,
            );
            write::Entry::Violation(found)
        }
        Ground::Proof(..) | Ground::AllRuns => {
            let (proof, facts) = match evidence.ground {
                Ground::Proof(certificate, facts, time) => (
                    correctness::reduce(certificate, evidence, *time),
                    facts.clone(),
                ),
                _ => {
                    let facts = correctness::facts_in_time(evidence);
                    (Certificate::of_all(Vec::new()), facts)
                }
            };
            let mut found =
                correctness::of_proof(evidence.lowered, evidence.simplified, &proof, &facts);
            let all = found.invariants.len();
            found.invariants.retain(|one| lines.is_of_file(&one.at));
            found.left_out.elsewhere = all - found.invariants.len();
            let mut contracts = Vec::new();
            if version >= Version::V2_1 {
                let (said, lost) =
                    contract::contracts(evidence.lowered, evidence.simplified, &proof);
                contracts = said;
                contracts.retain(|one| lines.is_of_file(&one.at));
                found.left_out.all += lost;
                found.left_out.inexpressible += lost;
            }
            if found.invariants.is_empty() && contracts.is_empty() {
                warn(format!(
                    "the witness has no invariant: {}",
                    found.left_out.reason()
                ));
            }
            write::Entry::Correctness(found.invariants, contracts)
        }
    };
    let violated = match evidence.ground {
        Ground::Run(violation) => {
            let location = evidence.lowered.location(violation.location);
            let place = write::Place::of(evidence.lowered, location.span, None);
            location.violates.map(|property| write::Violated {
                property,
                text: lines.text_at(&place).unwrap_or_default(),
            })
        }
        Ground::Proof(..) | Ground::AllRuns | Ground::Measures(_) => None,
    };
    let written = write::write(file, version, &entry, evidence.options, violated.as_ref());
    if let Err(error) = written {
        let message = format!("no witness is written to {}: {error}", file.display());
        evidence.reporter.event(EventKind::NotWritten { message });
    }
}

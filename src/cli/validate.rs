//! `regatta validate`: whether a witness is right.
//!
//! The witness is put into the program ([`crate::witness::instrument`]), and that is verified as any program is: every
//! answer passes the same checks.

use std::time::Instant;

use super::options::{CheckOption, ReplayOption, ValidateOptions, VerifyOptions, WitnessFormat};
use super::verify::{self, Job};
use super::{complain, witness};
use crate::portfolio::task::Validation;
use crate::portfolio::verdict::{Conclusion, Verdict};
use crate::witness::instrument::{with_assertions, with_automaton};
use crate::witness::lint::{Resolved, ResolvedInvariant, Subject, ViolationPath};
use crate::witness::values::values_of;

/// Runs the command; returns the exit code.
pub fn run(started: Instant, options: &ValidateOptions) -> u8 {
    let verify_options = VerifyOptions {
        input: options.input.clone(),
        portfolio: options.portfolio.clone(),
        set: options.set.clone(),
        check: CheckOption::Usual,
        limits: options.limits.clone(),
        json: options.json,
        strict: false,
        dump: None,
        certificate: None,
        witness: None,
        witness_format: WitnessFormat::V2_0,
        harness: None,
        replay: ReplayOption::Interpreter,
        sarif: None,
        report: None,
        verbose: options.verbose,
    };
    verify::run_with(started, &verify_options, || job(options))
}

/// The program with the witness put in.
fn job(options: &ValidateOptions) -> Result<Job, String> {
    let examined = witness::examine(&options.witness, &options.input)?;
    let name = options.witness.display();
    if !examined.findings.is_empty() {
        let mut message: String = examined.rendered().collect();
        message.push_str(&format!("error: the witness {name} is refused"));
        return Err(message);
    }
    let witness::Examined {
        subject, resolved, ..
    } = examined;
    for unused in count(&resolved.unused) {
        complain(&format!("warning: {name}: not looked at: {unused}"));
    }
    let Subject {
        file,
        source,
        options: mut load,
        ..
    } = subject;
    let Some(property) = resolved.property else {
        return Err(format!(
            "error: {name}: the witness's property is not supported"
        ));
    };
    load.property = property;
    load.data_model = resolved.data_model.unwrap_or(load.data_model);
    let Resolved {
        violations,
        invariants,
        has_invariant_set,
        ..
    } = resolved;
    let mut violations = violations.into_iter();
    if let Some(path) = violations.next() {
        if violations.next().is_some() {
            complain(&format!("warning: {name}: not looked at: further paths"));
        }
        load.text = Some(with_automaton(&source, &path.steps).into());
        return Ok(Job {
            file,
            load,
            validation: Some(task(&path)),
            judge: Box::new(judge_violation),
        });
    }
    if !has_invariant_set {
        return Err(format!(
            "error: {name}: there is nothing in the witness that can be validated"
        ));
    }
    let assertions = invariants.iter();
    let assertions: Vec<_> = assertions
        .map(|invariant| (invariant.point, invariant.expression.clone()))
        .collect();
    load.text = Some(with_assertions(&source, &assertions).into());
    Ok(Job {
        file,
        load,
        validation: Some(Validation::Invariants {
            count: invariants.len(),
        }),
        judge: Box::new(move |conclusion| judge_invariants(&invariants, conclusion)),
    })
}

fn task(path: &ViolationPath) -> Validation {
    Validation::Violation {
        segments: path.segments,
        values: values_of(path),
    }
}

/// Each text once, with how often it occurs.
fn count(texts: &[String]) -> Vec<String> {
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for text in texts {
        match counted.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counted.push((text, 1)),
        }
    }
    let describe = |(text, count): (&String, usize)| match count {
        1 => text.clone(),
        _ => format!("{text} ({count} times)"),
    };
    counted.into_iter().map(describe).collect()
}

/// What an answer about the program with a path's automaton means.
fn judge_violation(conclusion: Conclusion) -> Conclusion {
    match &conclusion.verdict {
        Verdict::False(_) => {
            complain("the witness is confirmed: a run along its path violates the property");
            conclusion
        }
        Verdict::True => Conclusion {
            verdict: Verdict::Unknown(
                "the witness is refuted: no run along its path violates the property".to_owned(),
            ),
            ..conclusion
        },
        Verdict::Unknown(_) => conclusion,
    }
}

/// What an answer about the program with invariants as assertions means.
fn judge_invariants(invariants: &[ResolvedInvariant], conclusion: Conclusion) -> Conclusion {
    let wrong = conclusion.wrong_assertion;
    let wrong = wrong.and_then(|number| invariants.get(number as usize));
    match &conclusion.verdict {
        Verdict::True => {
            let more = match conclusion.invariants {
                None | Some(0) => String::new(),
                Some(count) => format!(" (and {count} more that were found)"),
            };
            complain(&match invariants.len() {
                0 => "the witness has no invariants; the property holds".to_owned(),
                1 => format!("the invariant holds, and the property follows from it{more}"),
                count => format!(
                    "all of {count} invariants hold, and the property follows from them{more}"
                ),
            });
            conclusion
        }
        Verdict::False(_) => match wrong {
            Some(wrong) => {
                let what = wrong.kind.name();
                let refuted = format!(
                    "the witness is refuted: the {what} `{}` at {} does not hold",
                    wrong.text, wrong.place
                );
                let inputs: Vec<String> = conclusion
                    .inputs
                    .iter()
                    .map(|input| {
                        format!("\n    {}: {} = {}", input.place, input.source, input.value)
                    })
                    .collect();
                let with = match inputs.is_empty() {
                    true => "",
                    false => ", with these inputs:",
                };
                complain(&format!("{refuted}{with}{}", inputs.concat()));
                Conclusion {
                    verdict: Verdict::Unknown(refuted),
                    place: Some(wrong.place.clone()),
                    ..conclusion
                }
            }
            None => {
                complain("the witness is refuted: the property is violated");
                conclusion
            }
        },
        Verdict::Unknown(_) => conclusion,
    }
}

//! `regatta validate`: validates a witness.
//!
//! The program is instrumented with the witness ([`regatta_witness::instrument`]) and verified like any program, with
//! the same checks of answers.

use std::sync::Arc;
use std::time::Instant;

use super::verify::{self, Job};
use super::witness;
use crate::complain;
use crate::options::{CheckOption, ReplayOption, ValidateOptions, VerifyOptions, WitnessFormat};
use regatta_base::printable::{printable, printable_line};
use regatta_program::Property;
use regatta_program::ghost::CountedErrors;
use regatta_run::options::Validation;
use regatta_run::verdict::{Conclusion, Verdict};
use regatta_witness::input_values::values_of;
use regatta_witness::instrument::{Assertion, with_assertions, with_automaton, with_cycle};
use regatta_witness::lint::{
    Resolved, ResolvedInvariant, Subject, ViolationPath, forbidden, place_in,
};

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
        all: false,
        only: Vec::new(),
        all_functions: false,
        show_checks: false,
        dump: None,
        keep_invariants: None,
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

/// Returns the verification job of the program instrumented with the witness.
fn job(options: &ValidateOptions) -> Result<Job, String> {
    let examined = witness::examine(&options.witness, &options.input)?;
    let name = options.witness.display().to_string();
    let name = printable_line(&name);
    if !examined.findings.is_empty() {
        let mut message: String = examined.rendered().collect();
        message.push_str(&format!("error: the witness {name} is refused"));
        return Err(message);
    }
    let witness::Examined {
        subject, resolved, ..
    } = examined;
    let mut unused = count(&resolved.unused);
    if resolved.has_several {
        unused.push("all but the first path, or the invariants".to_owned());
    }
    let Subject {
        file,
        source,
        options: mut load,
        ..
    } = subject;
    let Some(property) = resolved.property else {
        let reason = resolved.unused.first().map_or("", String::as_str);
        return Err(printable(&format!(
            "error: {name}: the witness's property is not supported: {reason}"
        ))
        .into_owned());
    };
    load.property = property;
    load.data_model = resolved.data_model.unwrap_or(load.data_model);
    let Resolved {
        violations,
        cycles,
        invariants,
        has_invariant_set,
        has_several,
        ..
    } = resolved;
    let is_proof = violations.is_empty() && cycles.is_empty() && has_invariant_set;
    if is_proof && load.property.checks_memory() {
        // The evaluation of invariants would be checked like the program's own accesses.
        load.property.checks.retain(|check| !check.is_of_memory());
        if load.property.properties().is_empty() {
            return Err(format!(
                "error: {name}: invariants are not validated for properties of memory"
            ));
        }
        unused.push("the properties of memory".to_owned());
    }
    let unused_text = unused.join("; ");
    let warnings = unused
        .iter()
        .map(|unused| format!("{name}: not checked: {unused}"))
        .collect();
    if let Some(path) = violations.into_iter().next() {
        let (text, range) = with_automaton(&source, &path.steps, path.target);
        let is_marked = path.target.statement.is_some();
        // With the preprocessor, columns refer to the file, otherwise to the instrumented text.
        let ranges = match is_marked {
            true => vec![range.lines()],
            false => vec![range, place_in(&source, path.target)],
        };
        let validation = Validation::Violation {
            counted: CountedErrors {
                segments: path.segments,
                target: path.has_place.then_some(ranges),
                is_marked,
                forbidden: forbidden(&load.property),
            },
            values: values_of(&path),
        };
        load.text = Some(text.into());
        return Ok(Job {
            file,
            load,
            // Whether the witness is right is asked of the program as it is.
            withholds_unknown: false,
            validation: Some(validation),
            with_witness: None,
            warnings,
            judge: Box::new(move |conclusion| {
                with_unused(
                    judge_violation(&path, has_several, conclusion),
                    &unused_text,
                )
            }),
        });
    }
    if let Some(path) = cycles.into_iter().next() {
        return Ok(Job {
            file,
            load,
            withholds_unknown: false,
            validation: Some(Validation::Cycle),
            with_witness: Some(with_cycle(&source, &path.steps).into()),
            warnings,
            judge: Box::new(move |conclusion| with_unused(judge_cycle(conclusion), &unused_text)),
        });
    }
    if !has_invariant_set {
        let unused = match unused_text.as_str() {
            "" => String::new(),
            unused => format!("; not checked: {unused}"),
        };
        return Err(format!(
            "error: {name}: the witness has no part that can be validated{unused}"
        ));
    }
    let assertions = invariants.iter();
    let assertions: Vec<_> = assertions
        .map(|invariant| Assertion {
            point: invariant.point,
            expression: invariant.expression.clone(),
            earlier: (invariant.transition.as_ref()).map(|transition| transition.earlier.clone()),
        })
        .collect();
    let text: Arc<[u8]> = with_assertions(&source, &assertions).into();
    if load.property.is_termination() {
        return Ok(Job {
            file,
            load,
            withholds_unknown: false,
            validation: Some(Validation::Invariants {
                count: invariants.len(),
            }),
            with_witness: Some(text),
            warnings,
            judge: Box::new(move |conclusion| {
                judge_termination(&invariants, &unused_text, conclusion)
            }),
        });
    }
    load.text = Some(text);
    Ok(Job {
        file,
        load,
        withholds_unknown: false,
        validation: Some(Validation::Invariants {
            count: invariants.len(),
        }),
        with_witness: None,
        warnings,
        judge: Box::new(move |conclusion| {
            with_unused(judge_invariants(&invariants, conclusion), &unused_text)
        }),
    })
}

/// Adds the parts of the witness that were not checked to the answer: to the reason of UNKNOWN, or else as a message.
fn with_unused(conclusion: Conclusion, unused: &str) -> Conclusion {
    if unused.is_empty() {
        return conclusion;
    }
    match conclusion.verdict {
        Verdict::Unknown(reason) => Conclusion {
            verdict: Verdict::Unknown(format!("{reason}; not checked: {unused}")),
            ..conclusion
        },
        _ => {
            complain(&format!(
                "the answer does not cover the parts of the witness that were not checked: {unused}"
            ));
            conclusion
        }
    }
}

/// Returns each text once, with the number of its occurrences.
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

/// Translates an answer about the program with a path's automaton to one about the witness.
fn judge_violation(path: &ViolationPath, has_several: bool, conclusion: Conclusion) -> Conclusion {
    match &conclusion.verdict {
        Verdict::False(_) => {
            complain("the witness is confirmed: a run along its path violates the property");
            conclusion
        }
        Verdict::True => {
            let reason = match path.inexact {
                Some(why) => {
                    format!(
                        "no run along the path was found, but the path is not followed exactly: {why}"
                    )
                }
                None if has_several => {
                    "no run along the first path violates the property".to_owned()
                }
                None => {
                    "the witness is refuted: no run along its path violates the property".to_owned()
                }
            };
            Conclusion {
                verdict: Verdict::Unknown(reason),
                ..conclusion
            }
        }
        Verdict::Unknown(_) => conclusion,
    }
}

/// Translates an answer about endless executions along the path of a witness to one about the witness.
fn judge_cycle(conclusion: Conclusion) -> Conclusion {
    match &conclusion.verdict {
        Verdict::False(_) => {
            complain("the witness is confirmed: an execution goes on for ever along its cycle");
            conclusion
        }
        Verdict::True => Conclusion {
            verdict: Verdict::Unknown(
                "the witness is refuted: no run along its path goes on for ever".to_owned(),
            ),
            ..conclusion
        },
        Verdict::Unknown(_) => conclusion,
    }
}

/// Translates an answer about a program and the transition invariants of a witness to one about the witness.
fn judge_termination(
    invariants: &[ResolvedInvariant],
    unused: &str,
    conclusion: Conclusion,
) -> Conclusion {
    let unknown = |reason: String, conclusion: Conclusion| Conclusion {
        verdict: Verdict::Unknown(reason),
        ..conclusion
    };
    let is_unfounded = |invariant: &&ResolvedInvariant| {
        let transition = invariant.transition.as_ref();
        transition.is_some_and(|transition| !transition.is_well_founded)
    };
    let unfounded = invariants.iter().find(is_unfounded);
    match (&conclusion.verdict, unfounded) {
        (Verdict::True, _) if !unused.is_empty() => {
            let reason = format!("the program ends, but not checked is: {unused}");
            unknown(reason, conclusion)
        }
        (Verdict::True, Some(invariant)) => {
            let reason = format!(
                "the transition invariant `{}` at {} is not seen to be well-founded",
                invariant.text, invariant.place
            );
            unknown(reason, conclusion)
        }
        (Verdict::True, None) => {
            complain(match invariants.len() {
                0 => "the witness has no invariants; every execution ends",
                _ => "all invariants hold, and every execution ends",
            });
            conclusion
        }
        (Verdict::False(Property::Termination), _) => {
            complain("the witness is refuted: an execution goes on for ever");
            conclusion
        }
        (Verdict::False(_), _) => {
            let wrong = conclusion.wrong_assertion;
            let wrong = wrong.and_then(|number| invariants.get(number as usize));
            match wrong.filter(|wrong| wrong.transition.is_some() && !conclusion.is_undefined) {
                // A witness may mean only visits within one execution of the loop.
                Some(wrong) => {
                    let (text, place) = (&wrong.text, &wrong.place);
                    let reason = format!(
                        "the witness cannot be confirmed: the transition invariant `{text}` at {place} does not hold between two visits of this place"
                    );
                    complain(&reason);
                    unknown(reason, conclusion)
                }
                None => match judge_invariants(invariants, conclusion) {
                    // A proof or an alarm of another property is no answer.
                    conclusion if matches!(conclusion.verdict, Verdict::Unknown(_)) => conclusion,
                    conclusion => unknown("an invariant does not hold".to_owned(), conclusion),
                },
            }
        }
        (Verdict::Unknown(_), _) => conclusion,
    }
}

/// Translates an answer about the program with invariants as assertions to one about the witness.
fn judge_invariants(invariants: &[ResolvedInvariant], conclusion: Conclusion) -> Conclusion {
    let wrong = conclusion.wrong_assertion;
    let wrong = wrong.and_then(|number| invariants.get(number as usize));
    match &conclusion.verdict {
        Verdict::True => {
            let more = match conclusion.invariants {
                None | Some(0) => String::new(),
                Some(count) => format!(" (with {count} further invariants)"),
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
                let (text, place) = (&wrong.text, &wrong.place);
                let refuted = match conclusion.is_undefined {
                    true => format!(
                        "the witness cannot be confirmed: the {what} `{text}` at {place} has no defined value there"
                    ),
                    false => format!(
                        "the witness is refuted: the {what} `{text}` at {place} does not hold"
                    ),
                };
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

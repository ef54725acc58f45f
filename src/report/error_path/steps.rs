//! The steps of the path to an error, with their source lines.

use serde::Serialize;

use crate::place::Place;
use crate::sources::Sources;
use regatta_run::error_path::{Change, PathEvent, PathStep};
use regatta_run::verdict::Conclusion;

/// A step of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The place, if it is in the source.
    pub place: Option<Place>,
    /// The function, if it is known.
    pub function: Option<String>,
    /// The number of active calls.
    pub depth: usize,
    /// The source line, or a description.
    pub text: String,
    /// The variables and inputs that have new values after the step.
    pub assigned: Vec<Assigned>,
    /// Whether the step is the error.
    pub is_error: bool,
}

/// A variable or an input with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assigned {
    pub name: String,
    /// The value as C would write it.
    pub value: String,
    /// The input from which the value comes, if it comes from one.
    pub source: Option<String>,
}

/// Returns the steps to the error; none if the answer is not FALSE.
pub fn to_error(conclusion: &Conclusion, sources: &mut Sources) -> Vec<Step> {
    let Some(error) = &conclusion.place else {
        return Vec::new();
    };
    if !conclusion.path.is_empty() {
        return of_path(&conclusion.path, sources);
    }
    let inputs = conclusion.inputs.iter().map(|input| Step {
        text: format!("{} is {}", input.source, input.value),
        assigned: vec![Assigned {
            name: input.source.clone(),
            value: input.value.clone(),
            source: None,
        }],
        ..Step::at(&input.place, sources)
    });
    let mut steps: Vec<Step> = inputs.collect();
    steps.push(Step {
        is_error: true,
        ..Step::at(error, sources)
    });
    steps
}

fn of_path(path: &[PathStep], sources: &mut Sources) -> Vec<Step> {
    // The functions of the active calls, from `main`.
    let mut open = vec!["main".to_owned()];
    let mut steps = Vec::with_capacity(path.len());
    for PathStep { depth, place, what } in path {
        let depth = *depth as usize;
        open.truncate(depth + 1);
        let here = Step {
            depth,
            function: open.get(depth).cloned(),
            ..Step::at(place, sources)
        };
        steps.push(match what {
            PathEvent::Call {
                function,
                arguments,
            } => {
                open.resize(depth + 1, String::new());
                open.push(function.clone());
                Step {
                    assigned: arguments.iter().map(Assigned::from).collect(),
                    ..here
                }
            }
            PathEvent::At { changes } => Step {
                assigned: changes.iter().map(Assigned::from).collect(),
                ..here
            },
            PathEvent::Rounds { count } => Step {
                text: format!("… {count} more rounds of the loop"),
                ..here
            },
            PathEvent::Calls { count } => Step {
                text: format!("… {count} more nested calls"),
                ..here
            },
            PathEvent::Error => Step {
                is_error: true,
                ..here
            },
        });
    }
    steps
}

impl From<&Change> for Assigned {
    fn from(change: &Change) -> Self {
        Self {
            name: change.name.clone(),
            value: change.value.clone(),
            source: change.from.clone(),
        }
    }
}

impl Step {
    /// Makes a step at the place, with the text of its line.
    fn at(place: &str, sources: &mut Sources) -> Self {
        let place = Place::parse(place);
        let line = place
            .as_ref()
            .and_then(|place| sources.line(&place.file, place.line));
        Self {
            text: line.map_or_else(|| "?".to_owned(), |line| line.trim().to_owned()),
            place,
            ..Self::default()
        }
    }
}

//! The way to an error, step by step.

use serde::Serialize;

use super::place::Place;
use super::sources::Sources;
use regatta_certify::path::{Change, PathEvent, PathStep};
use regatta_run::verdict::Conclusion;

/// A step of the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Where, if that is in the source.
    pub place: Option<Place>,
    /// In which function, if that is known.
    pub function: Option<String>,
    /// How many calls are open.
    pub depth: usize,
    /// What happens.
    pub text: String,
    /// What has a new value after it.
    pub assigned: Vec<Assigned>,
    /// Whether it is the error.
    pub is_error: bool,
}

/// Something with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assigned {
    pub name: String,
    /// As C would write it.
    pub value: String,
    /// What the value is from, if that is outside of the program.
    pub source: Option<String>,
}

/// The steps to the error; none if the answer is another.
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
    // The functions that are open, from `main`.
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
                text: format!("… {count} more calls within one another"),
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
    /// At the place, with the text of its line.
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

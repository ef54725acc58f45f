//! Alarms that rest on functions that no file of the program defines.
//!
//! Such a function may return and change anything here, which is right for a proof. An alarm that needs a certain value of
//! it, or a certain effect, says nothing about the program in which the function has a body: it is withheld, unless the user
//! wants it counted. Here is also what the user is told of such functions, and of a program that has no checks.

use regatta_certify::dependence::depends_on;
use regatta_certify::replay::Violation;
use regatta_program::{CallGraph, External, ExternalKind, InputId, InputKind, Program};

use crate::record::verdict::{Conclusion, Verdict};
use crate::task::Task;

/// The words by which an answer is known that an alarm was withheld for.
pub(crate) const NO_BODY: &str = "which no file defines";

/// Makes an alarm UNKNOWN if it rests on functions without a body and the options say that it then does not count.
pub(crate) fn withhold(task: &Task, conclusion: Conclusion) -> Conclusion {
    if !task.options.withholds_unknown {
        return conclusion;
    }
    let (Verdict::False(_), Some(violation)) = (&conclusion.verdict, &conclusion.violation) else {
        return conclusion;
    };
    let names = rests_on(task, violation);
    if names.is_empty() {
        return conclusion;
    }
    let them = match names.len() {
        1 => "it",
        _ => "them",
    };
    let names = names.join(" and ");
    let place = conclusion.place.unwrap_or_default();
    Conclusion::unknown(format!(
        "the error at {place} needs a result or an effect of {names}, {NO_BODY}: give the file that defines {them}, or \
         `--unknown-calls havoc` to count such alarms",
    ))
}

/// The functions without a body on whose results or effects the violation depends.
fn rests_on(task: &Task, violation: &Violation) -> Vec<String> {
    let program = &task.lowered;
    let source = |id: InputId| match &program.inputs.get(id.index())?.kind {
        InputKind::Nondet(name) | InputKind::Outside(name) if is_without_body(program, name) => {
            Some(name.as_str())
        }
        _ => None,
    };
    let is_asked = |id: InputId| source(id).is_some();
    let needed = depends_on(&task.executable, violation, &is_asked);
    let mut names: Vec<String> = needed
        .into_iter()
        .filter_map(source)
        .map(|name| match name {
            ENVIRONMENT => "the code that calls back".to_owned(),
            name => format!("`{name}`"),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// How the program calls unknown code that calls the program's functions.
const ENVIRONMENT: &str = "<environment>";

/// The functions that the program's text uses, that no file of it defines, and that belong neither to the C library nor to
/// the verifier.
pub(crate) fn without_body(program: &Program) -> impl Iterator<Item = &External> {
    program.externals.iter().filter(|external| {
        let is_function = matches!(
            external.kind,
            ExternalKind::Function {
                is_library: false,
                ..
            }
        );
        is_function && !external.name.starts_with("__VERIFIER_")
    })
}

fn is_without_body(program: &Program, name: &str) -> bool {
    name == ENVIRONMENT || without_body(program).any(|external| external.name == name)
}

/// What the user is told of functions without a body.
pub(crate) fn describe(program: &Program) -> Option<String> {
    const MAXIMUM_SHOWN: usize = 6;
    let all: Vec<String> = without_body(program)
        .map(|external| {
            let place = program.sources.describe(external.span);
            format!("`{}` ({place})", external.name)
        })
        .collect();
    let more = match all.len().checked_sub(MAXIMUM_SHOWN) {
        None | Some(0) => String::new(),
        Some(more) => format!(", and {more} more"),
    };
    let shown: Vec<&str> = all.iter().take(MAXIMUM_SHOWN).map(String::as_str).collect();
    (!all.is_empty()).then(|| format!("not defined in any file: {}{more}", shown.join(", ")))
}

/// Checks whether some error location is in a function that the program may call.
pub(crate) fn has_check(program: &Program) -> bool {
    let calls = CallGraph::new(program);
    let mut errors = program.errors.iter();
    errors.any(|&error| calls.is_reachable(program.location(error).function))
}

//! The table of the library's precision for users. It is derived from the table of functions and from the prelude's
//! texts, so that it agrees with the models.

use std::collections::BTreeSet;

use crate::ir::MathFunction;

use super::{
    Builtin, LIBRARY, Library, LibraryFunction, Model, format, function_name, is_name_character,
};

/// How the results of a function's model compare with real executions.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Precision {
    /// Some results are decided by the environment: each result that the standard permits is a real one.
    pub environment: bool,
    /// Some results are unknown values where a real execution determines them; no alarm depends on those.
    pub approximated: bool,
    /// Some uses are not modelled; a proof has to show that they do not occur.
    pub unsupported: bool,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: &'static str,
    /// How it is modelled: `C text`, `built in`, `term`, `any value`, `not modelled`.
    pub model: &'static str,
    /// The precision of the model.
    pub precision: Precision,
    /// Its effects besides its result: `errno`, and the targets of pointer arguments, by their position from 1.
    pub sets: String,
}

impl Precision {
    /// Describes the precision in words.
    pub fn describe(self) -> String {
        let mut words = Vec::new();
        if self.environment {
            words.push("environment");
        }
        if self.approximated {
            words.push("over-approximated");
        }
        if words.is_empty() && !self.unsupported {
            words.push("exact");
        }
        if self.unsupported {
            words.push("partly unsupported");
        }
        words.join(", ")
    }
}

/// Facts about the text of a function and of all functions that it calls.
#[derive(Default)]
struct Facts {
    precision: Precision,
    errno: bool,
    seen: BTreeSet<&'static str>,
}

impl Facts {
    fn follow(&mut self, library: &'static Library, text: &'static str) {
        // A call is a name in front of a parenthesis.
        let calls = text.split('(').filter_map(|before| {
            let word = before.rsplit(|character: char| !is_name_character(character));
            word.into_iter().next()
        });
        for word in calls {
            if word == "__errno_location" {
                self.errno = true;
                continue;
            }
            if word.starts_with("__VERIFIER_nondet_") {
                self.precision.environment = true;
                continue;
            }
            let Some(function) = library.functions.get(word) else {
                continue;
            };
            match function.model {
                Model::Approximate => self.precision.approximated = true,
                Model::Unsupported => self.precision.unsupported = true,
                Model::Prelude if self.seen.insert(function.name) => {
                    if let Some(text) = library.items.get(function.name) {
                        self.follow(library, text);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The pointer parameters through which the prototype permits writes.
fn targets(function: &LibraryFunction) -> Vec<String> {
    let Some((_, parameters)) = function.prototype.split_once('(') else {
        return Vec::new();
    };
    let mut depth = 0;
    let mut texts = vec![String::new()];
    for character in parameters.trim_end_matches(')').chars() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                texts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(text) = texts.last_mut() {
            text.push(character);
        }
    }
    let writable = |text: &String| {
        let (pointee, _) = text.rsplit_once('*')?;
        let plain = !pointee.trim_end().ends_with("const") && !pointee.contains("const ");
        (plain && !text.contains('(')).then_some(())
    };
    texts
        .iter()
        .enumerate()
        .filter(|(_, text)| writable(text).is_some())
        .map(|(position, _)| format!("*{}", position + 1))
        .collect()
}

fn entry(library: &'static Library, function: &LibraryFunction) -> Entry {
    let mut facts = Facts::default();
    let mut sets = Vec::new();
    let model = match function.model {
        Model::Prelude => {
            facts.seen.insert(function.name);
            if let Some(text) = library.items.get(function.name) {
                facts.follow(library, text);
            }
            "C text"
        }
        Model::Builtin(builtin) => {
            built_in(builtin, function.name, &mut facts);
            "built in"
        }
        Model::Math(function) => {
            facts.errno = matches!(
                function,
                MathFunction::SquareRoot | MathFunction::Modulo | MathFunction::IeeeRemainder
            );
            "term"
        }
        Model::Approximate => {
            facts.precision.approximated = true;
            facts.errno = super::is_transcendental(function.name);
            "any value"
        }
        Model::Unsupported => {
            facts.precision.unsupported = true;
            "not modelled"
        }
    };
    if facts.errno {
        sets.push("errno".to_owned());
    }
    let changes = match function.model {
        Model::Prelude => true,
        Model::Builtin(builtin) => !matches!(
            builtin,
            Builtin::Free
                | Builtin::Exit
                | Builtin::FirstArgument
                | Builtin::SetJump
                | Builtin::LongJump
                | Builtin::Nothing
                | Builtin::Zero
        ),
        _ => false,
    };
    if changes {
        sets.extend(targets(function));
    }
    if format::family(function.name).is_some_and(|family| {
        use format::Channel::{Input, StandardInput, TextInput};
        matches!(family.channel, Input | StandardInput | TextInput)
    }) {
        sets.push("…".to_owned());
    }
    Entry {
        name: function.name,
        model,
        precision: facts.precision,
        sets: sets.join(" "),
    }
}

fn built_in(builtin: Builtin, name: &str, facts: &mut Facts) {
    match builtin {
        Builtin::Malloc | Builtin::Calloc | Builtin::AlignedAlloc => facts.errno = true,
        Builtin::Nondet | Builtin::NondetMemory => facts.precision.environment = true,
        Builtin::ObjectSize => facts.precision.approximated = true,
        Builtin::SetJump | Builtin::LongJump => facts.precision.unsupported = true,
        Builtin::Formatted => {
            use format::Channel;
            let family = format::family(name);
            facts.precision = Precision {
                environment: family.is_none_or(|family| {
                    !matches!(
                        family.channel,
                        Channel::Text
                            | Channel::LimitedText
                            | Channel::NewText
                            | Channel::TextInput
                    )
                }),
                approximated: true,
                unsupported: true,
            };
            facts.errno = facts.precision.environment;
        }
        _ => {}
    }
}

/// Whether a function may change `errno` though it succeeds. The standard permits it where it does not say what the
/// function does to `errno` (C11, 7.5 p3), and POSIX where it does not say that `errno` stays as it is (2.3): such
/// functions ask the environment for something and may fail. Functions that only compute leave `errno` alone.
pub fn may_change_errno(function: &LibraryFunction) -> bool {
    match function.model {
        Model::Builtin(Builtin::Malloc | Builtin::Calloc | Builtin::AlignedAlloc) => true,
        Model::Builtin(Builtin::Formatted) => {
            let mut facts = Facts::default();
            built_in(Builtin::Formatted, function.name, &mut facts);
            facts.errno || function.name.contains("asprintf")
        }
        Model::Prelude => {
            let mut facts = Facts::default();
            if let Some(text) = LIBRARY.items.get(function.name) {
                facts.seen.insert(function.name);
                facts.follow(&LIBRARY, text);
            }
            let asks = facts.precision.environment && facts.errno;
            let allocates = ALLOCATING.contains(&function.name);
            let is_own = function.name.starts_with("__regatta_");
            (asks || allocates) && !is_own && !KEEP_ERRNO.contains(&function.name)
        }
        _ => false,
    }
}

/// Functions of the prelude that allocate heap objects.
const ALLOCATING: &[&str] = &["realloc", "reallocarray", "strdup", "strndup"];

/// Functions with a documented use of `errno`, or that do not change it for valid arguments.
const KEEP_ERRNO: &[&str] = &[
    "ftell",
    "ftello",
    "ftello64",
    "fgetpos",
    "fsetpos",
    "signal",
    "feof",
    "ferror",
    "clearerr",
    "fileno",
    "raise",
    "gsignal",
    "bsd_signal",
    "ssignal",
    "sysv_signal",
    "__sysv_signal",
    "sigset",
    "sigaction",
    "sigprocmask",
    "sighold",
    "sigrelse",
    "sigignore",
];

/// The table, by name, without the reserved `__regatta_` functions.
pub fn entries() -> Vec<Entry> {
    let library = &*LIBRARY;
    let mut entries: Vec<Entry> = library
        .functions
        .values()
        .filter(|function| !function.name.starts_with("__regatta_"))
        .map(|function| entry(library, function))
        .collect();
    entries.sort_by_key(|entry| entry.name);
    debug_assert!(
        entries
            .iter()
            .all(|entry| function_name(entry.name) == entry.name)
    );
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_line() {
        let entries = entries();
        let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), entries.len());
        for function in LIBRARY.functions.values() {
            let ours = function.name.starts_with("__regatta_");
            assert_eq!(names.contains(function.name), !ours, "{}", function.name);
        }
    }

    #[test]
    fn functions_that_ask_the_environment_may_change_errno() {
        let changes = |name| may_change_errno(LIBRARY.functions.get(name).unwrap());
        for name in [
            "printf", "fputs", "fopen", "malloc", "realloc", "strdup", "read",
        ] {
            assert!(changes(name), "{name}");
        }
        for name in [
            "strtol",
            "strlen",
            "sprintf",
            "sqrt",
            "tan",
            "free",
            "ferror",
            "getpid",
            "__regatta_errno_may_change",
        ] {
            assert!(!changes(name), "{name}");
        }
    }

    #[test]
    fn lines_say_what_the_models_do() {
        let entries = entries();
        let table = [
            ("strlen", "C text", "exact", ""),
            ("strcpy", "C text", "exact", "*1"),
            ("strtol", "C text", "exact", "errno *2"),
            ("getpid", "C text", "environment", ""),
            ("close", "C text", "environment", "errno"),
            ("sqrt", "term", "exact", "errno"),
            ("fabs", "term", "exact", ""),
            ("tan", "any value", "over-approximated", "errno"),
            ("memcpy", "built in", "exact", "*1"),
            ("malloc", "built in", "exact", "errno"),
            ("setjmp", "built in", "partly unsupported", ""),
            ("getcontext", "not modelled", "partly unsupported", ""),
            (
                "system",
                "C text",
                "environment, over-approximated",
                "errno",
            ),
            (
                "sscanf",
                "built in",
                "over-approximated, partly unsupported",
                "…",
            ),
        ];
        for (name, model, precision, sets) in table {
            let entry = entries.iter().find(|entry| entry.name == name).unwrap();
            assert_eq!(entry.model, model, "{name}");
            assert_eq!(entry.precision.describe(), precision, "{name}");
            assert_eq!(entry.sets, sets, "{name}");
        }
    }
}

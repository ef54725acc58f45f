//! Specification files of the Competition on Software Verification, such as
//! `CHECK( init(main()), LTL(G ! call(reach_error())) )`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use regatta_base::diagnostic::{Error, ErrorKind, Place};
use regatta_program::Property;

/// The property to be verified: what must not be reachable, and which operations must be defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Specification {
    /// What control must not reach.
    pub forbidden: Forbidden,
    /// The conditions of operations that are checked.
    pub checks: BTreeSet<Check>,
}

/// What control must not reach.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Forbidden {
    /// A failing `assert` or `__VERIFIER_assert`, `reach_error()`, `__VERIFIER_error()`.
    #[default]
    Assertions,
    /// Calls of functions, labels, or both. Nothing else is a violation: a failing `assert` ends the program.
    Listed {
        /// The functions that must not be called.
        calls: BTreeSet<String>,
        /// The labels that control must not reach.
        labels: BTreeSet<String>,
    },
}

impl Forbidden {
    /// Control may reach everything.
    pub const fn nothing() -> Self {
        Self::Listed {
            calls: BTreeSet::new(),
            labels: BTreeSet::new(),
        }
    }
}

/// A kind of conditions under which operations are defined; see [`Rule`](crate::defined::Rule).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// The results of signed arithmetic are in their types.
    Overflow,
    /// No integer is divided by zero.
    Division,
    /// Integers are shifted by less than their width, and not by negative counts.
    Shift,
    /// Floating-point numbers are in the integer types that they are converted to.
    Conversion,
    /// Local variables whose address is not taken are set before they are read.
    Uninitialised,
    /// Control does not come to what is promised to be unreachable.
    Unreachable,
    /// Pointers are aligned for the types of pointers that they are converted to.
    Alignment,
    /// Accesses by an object's name are within the object.
    Bounds,
    /// Accesses through pointers are within objects that exist.
    Pointers,
    /// Only null and the beginnings of objects of the heap that exist are freed.
    Free,
    /// Objects of the heap are freed, or can be reached when the program ends.
    Leaks,
    /// Objects of the heap are freed before the program ends.
    Cleanup,
    /// Every execution ends. This is no condition of an operation, and nothing else can be checked with it.
    Termination,
}

impl Check {
    /// All kinds, each once.
    pub const ALL: [Self; 13] = [
        Self::Overflow,
        Self::Division,
        Self::Shift,
        Self::Conversion,
        Self::Uninitialised,
        Self::Unreachable,
        Self::Alignment,
        Self::Bounds,
        Self::Pointers,
        Self::Free,
        Self::Leaks,
        Self::Cleanup,
        Self::Termination,
    ];

    /// The kinds that say that an operation is undefined.
    pub const UNDEFINED: [Self; 9] = [
        Self::Overflow,
        Self::Division,
        Self::Shift,
        Self::Conversion,
        Self::Uninitialised,
        Self::Unreachable,
        Self::Bounds,
        Self::Pointers,
        Self::Free,
    ];

    /// The name in the option `--checks`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::Division => "division",
            Self::Shift => "shift",
            Self::Conversion => "conversion",
            Self::Uninitialised => "uninitialised",
            Self::Unreachable => "unreachable",
            Self::Alignment => "alignment",
            Self::Bounds => "bounds",
            Self::Pointers => "pointers",
            Self::Free => "free",
            Self::Leaks => "leaks",
            Self::Cleanup => "cleanup",
            Self::Termination => "termination",
        }
    }

    /// What holds if no check of the kind fails, as a sentence without an initial capital.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Overflow => "no signed arithmetic overflows",
            Self::Division => "no integer is divided by zero",
            Self::Shift => "shifts are by less than the width, and not by negative counts",
            Self::Conversion => {
                "floating-point numbers are in the integer types that they are converted to"
            }
            Self::Uninitialised => {
                "local variables whose address is not taken are set before they are read"
            }
            Self::Alignment => {
                "pointers are aligned for the types of pointers that they are converted to"
            }
            Self::Unreachable => "control does not come to what is promised to be unreachable",
            Self::Bounds => "accesses by an object's name are within the object",
            Self::Pointers => "accesses through pointers are within objects that exist",
            Self::Free => "only null and objects of the heap that exist are freed",
            Self::Leaks => "memory that is not freed can be reached when the program ends",
            Self::Cleanup => "all memory is freed when the program ends",
            Self::Termination => "every execution ends",
        }
    }

    /// The formula that the check belongs to: the competition's, or, where it has none, one of the same form.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Overflow => "G ! overflow",
            Self::Division => "G valid-division",
            Self::Shift => "G valid-shift",
            Self::Conversion => "G valid-conversion",
            Self::Uninitialised => "G valid-initialisation",
            Self::Unreachable => "G valid-control",
            Self::Alignment => "G valid-alignment",
            Self::Bounds | Self::Pointers => "G valid-deref",
            Self::Free => "G valid-free",
            Self::Leaks => "G valid-memtrack",
            Self::Cleanup => "G valid-memcleanup",
            Self::Termination => "F end",
        }
    }

    /// Whether it is about the objects of memory.
    pub const fn is_of_memory(self) -> bool {
        match self {
            Self::Bounds | Self::Pointers | Self::Free | Self::Leaks | Self::Cleanup => true,
            Self::Overflow
            | Self::Division
            | Self::Shift
            | Self::Conversion
            | Self::Uninitialised
            | Self::Unreachable
            | Self::Alignment
            | Self::Termination => false,
        }
    }

    /// The property that a failing check violates.
    pub const fn property(self) -> Property {
        match self {
            Self::Overflow => Property::NoOverflow,
            Self::Division => Property::ValidDivision,
            Self::Shift => Property::ValidShift,
            Self::Conversion => Property::ValidConversion,
            Self::Uninitialised => Property::ValidInitialisation,
            Self::Unreachable => Property::ValidControl,
            Self::Alignment => Property::ValidAlignment,
            Self::Bounds | Self::Pointers => Property::ValidDeref,
            Self::Free => Property::ValidFree,
            Self::Leaks => Property::ValidMemtrack,
            Self::Cleanup => Property::ValidMemcleanup,
            Self::Termination => Property::Termination,
        }
    }
}

/// The name for assertions and error functions in the option `--checks`.
const ASSERTIONS: &str = "assertions";

/// The name for the checks of undefined behaviour in the option `--checks`.
const UNDEFINED: &str = "undefined";

/// A reserved function: its call violates every property, since a condition that was inserted into the program does not
/// hold.
pub const VIOLATED: &str = "__regatta_violated";

impl Specification {
    /// What is checked unless something else is asked for: assertions, and all operations that C leaves undefined.
    pub fn assertions_and_undefined() -> Self {
        Self {
            forbidden: Forbidden::Assertions,
            checks: Check::UNDEFINED.into(),
        }
    }

    /// The part of it that is about one of what may be violated.
    pub fn about(&self, property: Property) -> Self {
        let checks = self.checks.iter().copied();
        Self {
            forbidden: match property {
                Property::UnreachCall => self.forbidden.clone(),
                _ => Forbidden::nothing(),
            },
            checks: checks
                .filter(|check| check.property() == property)
                .collect(),
        }
    }

    /// Whether a call of the function violates the property.
    pub fn forbids_call(&self, function: &str) -> bool {
        match &self.forbidden {
            _ if function == VIOLATED => true,
            Forbidden::Assertions => matches!(function, "reach_error" | "__VERIFIER_error"),
            Forbidden::Listed { calls, .. } => calls.contains(function),
        }
    }

    /// Whether a statement with the label violates the property.
    pub fn forbids_label(&self, label: &str) -> bool {
        match &self.forbidden {
            Forbidden::Assertions => false,
            Forbidden::Listed { labels, .. } => labels.contains(label),
        }
    }

    /// Whether a failing `assert` or `__VERIFIER_assert` violates the property.
    pub fn forbids_failing_assertions(&self) -> bool {
        matches!(self.forbidden, Forbidden::Assertions)
    }

    /// Whether the question is whether every execution ends.
    pub fn is_termination(&self) -> bool {
        self.checks.contains(&Check::Termination)
    }

    /// Whether it is checked that operations are defined.
    pub fn checks_operations(&self) -> bool {
        let mut checks = self.checks.iter();
        checks.any(|check| *check != Check::Termination)
    }

    /// Whether something is checked about the objects of memory.
    pub fn checks_memory(&self) -> bool {
        self.checks.iter().any(|check| check.is_of_memory())
    }

    /// The formulas that the checks belong to, each once.
    pub fn formulas(&self) -> Vec<&'static str> {
        let mut formulas: Vec<&str> = self.checks.iter().map(|check| check.formula()).collect();
        // Checks of one formula follow each other.
        formulas.dedup();
        formulas
    }

    /// Whether it asks for termination and for something else, too.
    fn is_mixed(&self) -> bool {
        self.is_termination() && (self.checks.len() > 1 || self.forbidden != Forbidden::nothing())
    }

    /// What may be violated.
    pub fn properties(&self) -> Vec<Property> {
        let has_targets = match &self.forbidden {
            Forbidden::Assertions => true,
            Forbidden::Listed { calls, labels } => !calls.is_empty() || !labels.is_empty(),
        };
        let unreachable = has_targets.then_some(Property::UnreachCall);
        let checks = self.checks.iter().map(|check| check.property());
        let mut properties: Vec<Property> = unreachable.into_iter().chain(checks).collect();
        // Checks of one property follow each other.
        properties.dedup();
        properties
    }

    /// The property that nothing of the kinds in the list fails: their names, separated by commas, or `undefined` for all that
    /// C leaves undefined.
    ///
    /// # Errors
    /// The name that is none, with those that are.
    pub fn of_checks(list: &str) -> Result<Self, String> {
        let mut property = Self {
            forbidden: Forbidden::nothing(),
            checks: BTreeSet::new(),
        };
        for name in list.split(',').map(str::trim) {
            match Check::ALL.into_iter().find(|check| check.name() == name) {
                Some(check) => {
                    property.checks.insert(check);
                }
                None if name == ASSERTIONS => property.forbidden = Forbidden::Assertions,
                None if name == UNDEFINED => property.checks.extend(Check::UNDEFINED),
                None => {
                    let names = Check::ALL.map(Check::name).join(", ");
                    return Err(format!(
                        "no such check: `{name}`; there are {ASSERTIONS}, {UNDEFINED}, {names}"
                    ));
                }
            }
        }
        match property.is_mixed() {
            true => Err("termination has to be checked alone".to_owned()),
            false => Ok(property),
        }
    }

    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.as_str()))
        })?;
        Self::parse(&name, &text)
    }

    /// Reads the text of a property file; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let mut reader = Reader {
            name: name.into(),
            text,
            position: 0,
        };
        let mut property = Listed::default();
        reader.space();
        if reader.at_end() {
            return Err(
                reader.error("expected `CHECK( init(main()), LTL(…) )`, found an empty file")
            );
        }
        while !reader.at_end() {
            reader.check(&mut property)?;
        }
        let Listed {
            calls,
            labels,
            checks,
        } = property;
        let forbidden = Forbidden::Listed { calls, labels };
        let property = Self { forbidden, checks };
        match property.is_mixed() {
            true => Err(reader.error("property not supported: termination together with another")),
            false => Ok(property),
        }
    }
}

/// What the lines of a property file list.
#[derive(Default)]
struct Listed {
    calls: BTreeSet<String>,
    labels: BTreeSet<String>,
    checks: BTreeSet<Check>,
}

/// The unsupported formulas of the competition, by their first words, with the properties' names.
const OTHER_PROPERTIES: &[(&[&str], &str)] = &[
    (&["G", "!", "data", "-", "race"], "no-data-race"),
    (&["G", "def", "-", "behavior"], "def-behavior"),
    (&["G", "assert"], "assertions"),
];

struct Reader<'text> {
    name: Arc<str>,
    text: &'text str,
    position: usize,
}

impl<'text> Reader<'text> {
    fn rest(&self) -> &'text str {
        &self.text[self.position..]
    }

    fn at_end(&self) -> bool {
        self.position >= self.text.len()
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Property, message).at(Place::in_text(
            self.name.clone(),
            self.text,
            self.position,
        ))
    }

    /// Skips white space and comments (`//`, `#`, `/* … */`).
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|character: char| {
                character.is_whitespace() || character == '\u{feff}'
            });
            let skipped = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                comment.find("*/").map_or(trimmed.len(), |end| end + 4)
            } else {
                0
            };
            self.position += rest.len() - trimmed.len() + skipped;
            if skipped == 0 {
                return;
            }
        }
    }

    /// The next word or single character, without consuming it; empty at the end.
    fn peek(&self) -> &'text str {
        let rest = self.rest();
        let word = rest
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .unwrap_or(rest.len());
        let length = if word > 0 {
            word
        } else {
            rest.chars().next().map_or(0, char::len_utf8)
        };
        &rest[..length]
    }

    fn next(&mut self) -> &'text str {
        let token = self.peek();
        self.position += token.len();
        self.space();
        token
    }

    fn expect(&mut self, expected: &str) -> Result<(), Error> {
        let found = self.peek();
        if found == expected {
            self.next();
            return Ok(());
        }
        let found = if found.is_empty() {
            "the end of the file".to_owned()
        } else {
            format!("`{found}`")
        };
        Err(self
            .error(format!(
                "this is no property: expected `{expected}`, found {found}"
            ))
            .with_help("for example: CHECK( init(main()), LTL(G ! call(reach_error())) )"))
    }

    fn name(&mut self) -> Result<&'text str, Error> {
        let word = self.peek();
        if word.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_') {
            return Ok(self.next());
        }
        Err(self.error(format!(
            "this is no property: expected a name, found `{word}`"
        )))
    }

    /// `CHECK( init(main()), LTL(G ! call(f())) )`
    fn check(&mut self, property: &mut Listed) -> Result<(), Error> {
        if self.peek() == "COVER" {
            return Err(self.unsupported("coverage"));
        }
        for expected in ["CHECK", "(", "init", "("] {
            self.expect(expected)?;
        }
        if self.peek() != "main" {
            let entry = self.peek().to_owned();
            return Err(self.error(format!(
                "property not supported: it begins in `{entry}`, not in `main`"
            )));
        }
        for expected in ["main", "(", ")", ")", ","] {
            self.expect(expected)?;
        }
        if self.peek() == "FQL" {
            return Err(self.unsupported("coverage"));
        }
        for expected in ["LTL", "("] {
            self.expect(expected)?;
        }
        self.formula(property)?;
        for expected in [")", ")"] {
            self.expect(expected)?;
        }
        Ok(())
    }

    fn unsupported(&self, property: &str) -> Error {
        self.error(format!("property not supported: {property}"))
            .with_help(
                "supported are `G ! call(function())`, `G ! label(NAME)`, `G ! overflow`, `G valid-deref`, `G valid-free`, \
                 `G valid-memtrack`, `G valid-memcleanup`, `G valid-division`, `G valid-shift`, `G valid-conversion`, \
                 `G valid-initialisation`, `G valid-control`, `G valid-alignment` and `F end`",
            )
    }

    fn formula(&mut self, property: &mut Listed) -> Result<(), Error> {
        let start = self.position;
        for (words, property) in OTHER_PROPERTIES {
            let matches = words.iter().all(|word| self.next() == *word);
            self.position = start;
            if matches {
                return Err(self.unsupported(property));
            }
        }
        if self.peek() == "F" {
            self.next();
            self.expect("end")?;
            property.checks.insert(Check::Termination);
            return Ok(());
        }
        self.expect("G")?;
        if self.peek() == "valid" {
            return self.validity(property);
        }
        self.expect("!")?;
        match self.peek() {
            "call" => {
                self.next();
                self.expect("(")?;
                property.calls.insert(self.name()?.to_owned());
                for expected in ["(", ")", ")"] {
                    self.expect(expected)?;
                }
                Ok(())
            }
            "label" => {
                self.next();
                self.expect("(")?;
                property.labels.insert(self.name()?.to_owned());
                self.expect(")")
            }
            "overflow" => {
                self.next();
                property.checks.insert(Check::Overflow);
                Ok(())
            }
            other => Err(self.unsupported(&format!("`G ! {other}…`"))),
        }
    }

    /// What follows `G` in `G valid-deref` and its like.
    fn validity(&mut self, property: &mut Listed) -> Result<(), Error> {
        self.expect("valid")?;
        self.expect("-")?;
        let checks: &[Check] = match self.peek() {
            "deref" => &[Check::Bounds, Check::Pointers],
            "free" => &[Check::Free],
            "memtrack" => &[Check::Leaks],
            "memcleanup" => &[Check::Cleanup],
            "division" => &[Check::Division],
            "shift" => &[Check::Shift],
            "conversion" => &[Check::Conversion],
            "initialisation" => &[Check::Uninitialised],
            "control" => &[Check::Unreachable],
            "alignment" => &[Check::Alignment],
            other => return Err(self.unsupported(&format!("`G valid-{other}`"))),
        };
        self.next();
        property.checks.extend(checks);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(items: &[&str]) -> BTreeSet<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn supported_properties() {
        let table: &[(&str, &[&str], &[&str])] = &[
            (
                "CHECK( init(main()), LTL(G ! call(reach_error())) )",
                &["reach_error"],
                &[],
            ),
            ("CHECK(init(main()),LTL(G!call(f())))\n", &["f"], &[]),
            (
                "  CHECK( init( main ( ) ) ,\n LTL( G ! label( ERROR ) ) )",
                &[],
                &["ERROR"],
            ),
            (
                "// two\nCHECK( init(main()), LTL(G ! call(a())) )\n# more\n\
                 /* and\n */ CHECK( init(main()), LTL(G ! call(b())) )\n//end",
                &["a", "b"],
                &[],
            ),
            (
                "CHECK( init(main()), LTL(G ! call(a())) )\nCHECK( init(main()), LTL(G ! label(L)) )",
                &["a"],
                &["L"],
            ),
        ];
        for (text, calls, labels) in table {
            let expected = Specification {
                forbidden: Forbidden::Listed {
                    calls: names(calls),
                    labels: names(labels),
                },
                checks: BTreeSet::new(),
            };
            assert_eq!(
                Specification::parse("p.prp", text).unwrap(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn other_properties_and_garbage_are_refused_with_their_place() {
        let table = [
            (
                "",
                "p.prp:1:1: property file: expected `CHECK( init(main()), LTL(…) )`, found an empty file",
            ),
            (
                "\nx",
                "p.prp:2:1: property file: this is no property: expected `CHECK`, found `x`",
            ),
            (
                "CHECK( init(main()), LTL(G valid-freedom) )",
                "p.prp:1:34: property file: property not supported: `G valid-freedom`",
            ),
            (
                "CHECK( init(main()), LTL(F end) )CHECK( init(main()), LTL(G ! overflow) )",
                "p.prp:1:74: property file: property not supported: termination together with another",
            ),
            (
                "CHECK( init(main()), FQL(COVER EDGES(@CALL(f))) )",
                "p.prp:1:22: property file: property not supported: coverage",
            ),
            (
                "CHECK( init(start()), LTL(G ! call(f())) )",
                "p.prp:1:13: property file: property not supported: it begins in `start`, not in `main`",
            ),
            (
                "CHECK( init(main()), LTL(G ! call(f())",
                "p.prp:1:39: property file: this is no property: expected `)`, found the end of the file",
            ),
            (
                "CHECK( init(main()), LTL(G ! call(3())) )",
                "p.prp:1:35: property file: this is no property: expected a name, found `3`",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(
                Specification::parse("p.prp", text).unwrap_err().to_string(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_forbidden() {
        assert!(Specification::default().forbids_call("reach_error"));
        assert!(Specification::default().forbids_failing_assertions());
        assert_eq!(
            Specification::of_checks("assertions,undefined").unwrap(),
            Specification::assertions_and_undefined()
        );
        let property =
            Specification::parse("p", "CHECK( init(main()), LTL(G ! call(f())) )").unwrap();
        assert!(property.forbids_call("f"));
        assert!(!property.forbids_call("reach_error"));
        assert!(!property.forbids_failing_assertions());
        assert!(!property.forbids_label("f"));
    }

    #[test]
    fn checks_by_property_file_and_by_name() {
        let overflow =
            Specification::parse("p", "CHECK( init(main()), LTL(G ! overflow) )").unwrap();
        assert_eq!(overflow, Specification::of_checks("overflow").unwrap());
        assert!(!overflow.forbids_call("reach_error"));
        assert!(!overflow.forbids_failing_assertions());
        let both = Specification::of_checks("assertions, overflow").unwrap();
        assert_eq!(both.forbidden, Forbidden::Assertions);
        assert_eq!(both.checks, overflow.checks);
        assert_eq!(
            Specification::of_checks("undefined,leaks").unwrap(),
            Specification::of_checks(
                "overflow,division,shift,conversion,uninitialised,unreachable,bounds,pointers,free,leaks"
            )
            .unwrap()
        );
        assert_eq!(
            Specification::of_checks("overflows").unwrap_err(),
            "no such check: `overflows`; there are assertions, undefined, overflow, division, shift, conversion, \
             uninitialised, unreachable, alignment, bounds, pointers, free, leaks, cleanup, termination"
        );
        let termination = Specification::parse("p", "CHECK( init(main()), LTL(F end) )").unwrap();
        assert!(termination.is_termination());
        assert_eq!(
            termination,
            Specification::of_checks("termination").unwrap()
        );
        assert_eq!(
            Specification::of_checks("assertions,termination").unwrap_err(),
            "termination has to be checked alone"
        );
    }

    #[test]
    fn checks_of_memory_by_property_file_and_by_name() {
        let text = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                    CHECK( init(main()), LTL(G valid-memtrack) )\n";
        let memsafety = Specification::parse("p", text).unwrap();
        assert_eq!(
            memsafety,
            Specification::of_checks("bounds,pointers,free,leaks").unwrap()
        );
        assert_eq!(
            memsafety.properties(),
            [
                Property::ValidDeref,
                Property::ValidFree,
                Property::ValidMemtrack
            ]
        );
        assert_eq!(
            memsafety.formulas(),
            ["G valid-deref", "G valid-free", "G valid-memtrack"]
        );
        assert!(memsafety.checks_memory());
        let cleanup = Specification::parse("p", "CHECK( init(main()), LTL(G valid-memcleanup) )");
        assert_eq!(
            cleanup.unwrap(),
            Specification::of_checks("cleanup").unwrap()
        );
        assert!(
            !Specification::of_checks("overflow")
                .unwrap()
                .checks_memory()
        );
    }
}

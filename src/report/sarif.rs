//! A run as a SARIF 2.1.0 log, for GitHub and other tools that show findings.
//!
//! A violation is a result with its path as code flow; a proof is a result of the kind `pass`. UNKNOWN is a
//! notification of the invocation, as are warnings and internal errors. The types have the names of the standard and contain
//! the parts that are written here.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Serialize;

use super::error_path::{self, Step};
use super::place::Place;
use super::sources::Sources;
use super::utc;
use super::{Ending, Recording};
use regatta_program::Property;
use regatta_run::event::EventKind;
use regatta_run::verdict::{Conclusion, Verdict};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Maximum number of steps at the begin and at the end of a code flow. GitHub accepts 10,000 in all.
const MAXIMUM_STEPS_PER_END: usize = 1000;

/// The command's exit code for bad input.
const EXIT_REJECTED: u8 = 3;

#[derive(Debug, Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<ResultObject>,
    column_kind: &'static str,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    information_uri: &'static str,
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    name: &'static str,
    short_description: Text,
    full_description: Text,
    help: Text,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

/// The properties by which GitHub sorts rules.
#[derive(Debug, Serialize)]
struct RuleProperties {
    tags: [&'static str; 2],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultObject {
    rule_id: String,
    rule_index: usize,
    kind: &'static str,
    level: &'static str,
    message: Text,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow>,
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "is_zero")]
    start_column: usize,
}

#[derive(Debug, Serialize)]
struct LogicalLocation {
    name: String,
    kind: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: [ThreadFlow; 1],
}

#[derive(Debug, Serialize)]
struct ThreadFlow {
    locations: Vec<ThreadFlowLocation>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadFlowLocation {
    location: Location,
    nesting_level: usize,
    execution_order: usize,
    importance: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    state: BTreeMap<String, Text>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time_utc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time_utc: Option<String>,
    arguments: Vec<String>,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification {
    level: &'static str,
    message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

/// Returns the log of a run.
pub fn to_sarif(recording: &Recording, ending: &Ending) -> String {
    let sources = Sources::new(&recording.description.file);
    let folder = recording.description.folder.clone();
    let mut writer = Writer { sources, folder };
    let results = match ending {
        Ending::Concluded(conclusion) => writer.results(recording, conclusion),
        Ending::Rejected(_) => Vec::new(),
    };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "Regatta",
                    version: env!("CARGO_PKG_VERSION"),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: RULES.map(rule).into(),
                },
            },
            invocations: [writer.invocation(recording, ending)],
            results,
            column_kind: "unicodeCodePoints",
        }],
    };
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

/// The properties that have a rule, in the order of the rules.
const RULES: [Property; 13] = [
    Property::UnreachCall,
    Property::NoOverflow,
    Property::ValidDeref,
    Property::ValidFree,
    Property::ValidMemtrack,
    Property::ValidMemcleanup,
    Property::Termination,
    Property::ValidDivision,
    Property::ValidShift,
    Property::ValidConversion,
    Property::ValidInitialisation,
    Property::ValidControl,
    Property::ValidAlignment,
];

/// The number of a property's rule.
fn rule_index(property: Property) -> usize {
    let position = RULES.iter().position(|&known| known == property);
    position.unwrap_or_default()
}

fn rule(property: Property) -> Rule {
    let (name, short, full) = match property {
        Property::UnreachCall => (
            "ErrorReachable",
            "An assertion can fail, or an error function can be called",
            "There are inputs with which the program reaches a place that the property excludes: a failing \
             assertion, a call of an error function, or a label. They were replayed.",
        ),
        Property::NoOverflow => (
            "SignedOverflow",
            "Signed arithmetic can overflow",
            "There are inputs with which the result of an operation on signed integers is not in its type. The \
             behaviour of the program is then undefined (C11 6.5p5). They were replayed.",
        ),
        Property::ValidDeref => (
            "InvalidAccess",
            "An access can be outside of the objects that exist",
            "There are inputs with which the program reads or writes through a null pointer, beyond the end of an object, or \
             in an object that does not exist any more. The behaviour of the program is then undefined (C11 6.5.3.2p4, \
             6.5.6p8). They were replayed.",
        ),
        Property::ValidFree => (
            "InvalidFree",
            "What cannot be freed can be freed",
            "There are inputs with which the program frees what is neither null nor the beginning of an object of the heap \
             that exists. The behaviour of the program is then undefined (C11 7.22.3.3p2). They were replayed.",
        ),
        Property::ValidMemtrack => (
            "LostMemory",
            "Memory can be lost",
            "There are inputs with which the program ends while an object of the heap exists that no pointer leads to. They \
             were replayed.",
        ),
        Property::ValidMemcleanup => (
            "MemoryNotFreed",
            "Memory can remain allocated",
            "There are inputs with which the program ends before it has freed all objects of the heap. They were replayed.",
        ),
        Property::Termination => (
            "EndlessLoop",
            "A loop can go on for ever",
            "There are inputs with which a state comes again at the head of a loop, so that the same inputs lead \
             to it for ever, or with which the program was proved to reach no end. The execution up to there was replayed.",
        ),
        Property::ValidDivision => (
            "DivisionByZero",
            "An integer can be divided by zero",
            "There are inputs with which the program divides an integer by zero. The behaviour of the program is then \
             undefined (C11 6.5.5p5). They were replayed.",
        ),
        Property::ValidShift => (
            "InvalidShift",
            "A shift can be by a negative count or too far",
            "There are inputs with which the program shifts an integer by a negative count, or by its width or more. The \
             behaviour of the program is then undefined (C11 6.5.7p3). They were replayed.",
        ),
        Property::ValidConversion => (
            "InvalidConversion",
            "A floating-point number can be outside of the type that it is converted to",
            "There are inputs with which the program converts a floating-point number to an integer type that does not have \
             the number without its fraction. The behaviour of the program is then undefined (C11 6.3.1.4p1). They were \
             replayed.",
        ),
        Property::ValidInitialisation => (
            "UninitialisedVariable",
            "A local variable can be read before it is set",
            "There are inputs with which the program reads a local variable, whose address it does not take, before it has set \
             it. The behaviour of the program is then undefined (C11 6.3.2.1p2). They were replayed.",
        ),
        Property::ValidAlignment => (
            "MisalignedPointer",
            "A pointer can be converted to a type for which it is not aligned",
            "There are inputs with which the program converts a pointer to a type of pointers to objects of a stricter alignment \
             than it has. The behaviour of the program is then undefined (C11 6.3.2.3p7). They were replayed.",
        ),
        Property::ValidControl => (
            "BrokenPromise",
            "Control can come to what is promised to be unreachable",
            "There are inputs with which control reaches `unreachable()` or `__builtin_unreachable()`, or the end of a function \
             that is declared `_Noreturn`. The behaviour of the program is then undefined (C23 7.21.1p2, C11 6.7.4p8). They \
             were replayed.",
        ),
    };
    let help =
        "The code flow is the execution that reaches the place, with the value of each input.";
    Rule {
        id: property.to_string(),
        name,
        short_description: short.into(),
        full_description: full.into(),
        help: help.into(),
        default_configuration: Configuration { level: "error" },
        properties: RuleProperties {
            tags: ["correctness", "formal-verification"],
            precision: "very-high",
            severity: "error",
        },
    }
}

/// Makes the parts of the log that refer to sources.
struct Writer {
    sources: Sources,
    folder: String,
}

impl Writer {
    fn results(&mut self, recording: &Recording, conclusion: &Conclusion) -> Vec<ResultObject> {
        let file = &recording.description.file;
        let by = conclusion.analysis.as_deref().unwrap_or("the run");
        match &conclusion.verdict {
            Verdict::Unknown(_) => Vec::new(),
            Verdict::True => {
                let properties = recording.description.properties.iter();
                let pass = |&property: &Property| ResultObject {
                    rule_id: property.to_string(),
                    rule_index: rule_index(property),
                    kind: "pass",
                    level: "none",
                    message: format!("The property holds, proved by {by}{}.", under(conclusion))
                        .into(),
                    locations: vec![self.of_file(file)],
                    related_locations: Vec::new(),
                    code_flows: Vec::new(),
                    partial_fingerprints: self.fingerprints(&property.to_string(), file, ""),
                };
                properties.map(pass).collect()
            }
            Verdict::False(property) => {
                let steps = error_path::to_error(conclusion, &mut self.sources);
                let error = steps.last().and_then(|step| step.place.clone());
                let location = match &error {
                    Some(place) => self.of_place(place),
                    None => self.of_file(file),
                };
                let text = error
                    .as_ref()
                    .and_then(|place| self.sources.line(&place.file, place.line))
                    .map(|line| line.trim().to_owned());
                let error_file = error.map_or_else(|| file.clone(), |place| place.file);
                let rule_id = property.to_string();
                vec![ResultObject {
                    partial_fingerprints: self.fingerprints(
                        &rule_id,
                        &error_file,
                        &text.unwrap_or_default(),
                    ),
                    rule_id,
                    rule_index: rule_index(*property),
                    kind: "fail",
                    level: "error",
                    message: message(conclusion).into(),
                    locations: vec![location],
                    related_locations: self.history(conclusion),
                    code_flows: vec![self.code_flow(&steps)],
                }]
            }
        }
    }

    /// Returns the places where the object of an alarm about memory was allocated and where it ended.
    fn history(&mut self, conclusion: &Conclusion) -> Vec<Location> {
        let notes = conclusion.memory.iter().flat_map(|memory| &memory.places);
        notes
            .filter_map(|note| {
                let place = Place::parse(&note.place)?;
                let mut location = self.of_place(&place);
                location.message = Some(note.what.clone().into());
                Some(location)
            })
            .collect()
    }

    fn code_flow(&mut self, steps: &[Step]) -> CodeFlow {
        let dropped = steps.len().saturating_sub(2 * MAXIMUM_STEPS_PER_END);
        let kept = (1..).zip(steps).filter(|&(number, _)| {
            number <= MAXIMUM_STEPS_PER_END
                || number > steps.len().saturating_sub(MAXIMUM_STEPS_PER_END)
        });
        let mut locations = Vec::new();
        for (number, step) in kept {
            let mut location = match &step.place {
                Some(place) => self.of_place(place),
                None => Location::default(),
            };
            let mut text = step.text.clone();
            if dropped > 0 && number == MAXIMUM_STEPS_PER_END {
                text.push_str(&format!(" ({dropped} steps that follow are left out)"));
            }
            location.message = Some(text.into());
            location.logical_locations = step.function.iter().map(|name| name.into()).collect();
            locations.push(ThreadFlowLocation {
                location,
                nesting_level: step.depth,
                execution_order: number,
                importance: if step.is_error {
                    "essential"
                } else {
                    "important"
                },
                state: step
                    .assigned
                    .iter()
                    .map(|assigned| (assigned.name.clone(), assigned.value.as_str().into()))
                    .collect(),
            });
        }
        CodeFlow {
            thread_flows: [ThreadFlow { locations }],
        }
    }

    fn of_file(&self, file: &str) -> Location {
        Location {
            physical_location: Some(PhysicalLocation {
                artifact_location: self.artifact(file),
                region: None,
            }),
            ..Location::default()
        }
    }

    fn of_place(&mut self, place: &Place) -> Location {
        let line = self.sources.line(&place.file, place.line);
        let start_column = match line {
            Some(line) if place.column > 0 => characters_up_to(line, place.column),
            _ => place.column,
        };
        Location {
            physical_location: Some(PhysicalLocation {
                artifact_location: self.artifact(&place.file),
                region: Some(Region {
                    start_line: place.line,
                    start_column,
                }),
            }),
            ..Location::default()
        }
    }

    fn artifact(&self, file: &str) -> ArtifactLocation {
        ArtifactLocation {
            uri: uri(Path::new(file), Path::new(&self.folder)),
        }
    }

    /// Returns the fingerprint of a result, which does not change when other lines are added.
    fn fingerprints(&self, rule: &str, file: &str, line: &str) -> BTreeMap<&'static str, String> {
        let identity = [rule, &self.artifact(file).uri, line].join("\n");
        BTreeMap::from([("regatta/v1", format!("{:016x}", fnv1a(identity.as_bytes())))])
    }

    fn invocation(&mut self, recording: &Recording, ending: &Ending) -> Invocation {
        let mut notifications = Vec::new();
        let mut notify = |level, text: String| notifications.push(notification(level, text));
        for event in &recording.events {
            match &event.kind {
                EventKind::Warning { message } | EventKind::NotWritten { message } => {
                    notify("warning", message.clone())
                }
                EventKind::Panicked { analysis, message } => {
                    notify(
                        "error",
                        format!("internal error: {analysis} panicked: {message}"),
                    );
                }
                EventKind::Refuted { analysis, reason } => notify(
                    "error",
                    format!("internal error: the proof of {analysis} was refuted: {reason}"),
                ),
                EventKind::Crashed { analysis, reason } => {
                    let of = analysis.as_ref();
                    let of = of.map_or_else(String::new, |name| format!(" (in {name})"));
                    notify("error", format!("{reason}{of}"));
                }
                _ => {}
            }
        }
        match ending {
            Ending::Concluded(conclusion) => {
                if let Verdict::Unknown(reason) = &conclusion.verdict {
                    let text = format!("Not known whether the property holds: {reason}");
                    notify("warning", text);
                }
                for assumption in &conclusion.assumptions {
                    let text = format!("assumed: {}", assumption.what);
                    let mut note = notification("note", text);
                    if let Some(place) = Place::parse(&assumption.place) {
                        note.locations = vec![self.of_place(&place)];
                    }
                    notifications.push(note);
                }
            }
            Ending::Rejected(text) => notify("error", text.clone()),
        }
        let begun = recording.description.begun;
        Invocation {
            execution_successful: matches!(ending, Ending::Concluded(_)),
            exit_code: match ending {
                Ending::Concluded(conclusion) => conclusion.verdict.exit_code(),
                Ending::Rejected(_) => EXIT_REJECTED,
            },
            start_time_utc: utc::milliseconds(begun),
            end_time_utc: utc::milliseconds(begun + recording.duration()),
            arguments: recording
                .description
                .command
                .iter()
                .skip(1)
                .cloned()
                .collect(),
            tool_execution_notifications: notifications,
        }
    }
}

fn notification(level: &'static str, text: String) -> Notification {
    // The level is given apart from the text.
    let trimmed = text.trim();
    let text = trimmed.strip_prefix("error: ").unwrap_or(trimmed);
    Notification {
        level,
        message: text.into(),
        locations: Vec::new(),
    }
}

/// Returns the message of a violation, with the values of the first inputs.
fn values(conclusion: &Conclusion) -> String {
    /// Maximum number of inputs in the message.
    const MAXIMUM_SHOWN_INPUTS: usize = 5;
    let inputs = conclusion.inputs.iter().take(MAXIMUM_SHOWN_INPUTS);
    let mut values: Vec<String> = inputs
        .map(|input| format!("{} = {}", input.source, input.value))
        .collect();
    if conclusion.inputs.len() > MAXIMUM_SHOWN_INPUTS {
        values.push("…".to_owned());
    }
    match values.is_empty() {
        true => "The error is reached".to_owned(),
        false => format!("The error is reached with {}", values.join(", ")),
    }
}

/// Returns the message of a violation, with what is wrong with memory.
fn message(conclusion: &Conclusion) -> String {
    let reached = format!("{}{}.", values(conclusion), under(conclusion));
    match &conclusion.memory {
        Some(memory) => format!("{reached} There, {}.", memory.what),
        None => reached,
    }
}

fn under(conclusion: &Conclusion) -> String {
    match conclusion.assumptions.len() {
        0 => String::new(),
        1 => ", under an assumption".to_owned(),
        count => format!(", under {count} assumptions"),
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self { text: text.into() }
    }
}

impl From<&String> for LogicalLocation {
    fn from(name: &String) -> Self {
        Self {
            name: name.clone(),
            kind: "function",
        }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Converts a column from bytes to characters.
fn characters_up_to(line: &str, column: usize) -> usize {
    let before = line.char_indices().take_while(|(at, _)| at + 1 < column);
    before.count() + 1
}

/// Returns the file as a URI reference, relative to the folder if it lies in it or was named by a relative path.
fn uri(file: &Path, folder: &Path) -> String {
    let within = file.strip_prefix(folder).ok();
    let named = within.unwrap_or(file);
    let parts = named.components().filter_map(|part| match part {
        Component::Normal(name) => Some(escape(&name.to_string_lossy())),
        Component::ParentDir => Some("..".to_owned()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let path = parts.collect::<Vec<_>>().join("/");
    match named.is_absolute() {
        true => format!("file:///{path}"),
        false => path,
    }
}

/// Escapes a part of a path by RFC 3986.
fn escape(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    bytes.collect()
}

/// Computes the FNV-1a hash, which is the same on all platforms and in all versions.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use regatta_run::description::RunDescription;
    use regatta_run::event::Event;
    use regatta_run::verdict::{InputValue, MemoryNote, PlaceNote};

    fn recording(file: &str) -> Recording {
        Recording {
            description: RunDescription {
                properties: vec![Property::UnreachCall],
                file: file.to_owned(),
                folder: "/home".to_owned(),
                begun: 951_827_696.5,
                command: vec!["regatta".to_owned(), file.to_owned()],
                ..RunDescription::default()
            },
            events: Vec::new(),
        }
    }

    fn log(recording: &Recording, ending: &Ending) -> Value {
        serde_json::from_str(&to_sarif(recording, ending)).expect("JSON")
    }

    #[test]
    fn a_misuse_of_memory_has_the_places_of_the_object() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c").to_string_lossy().into_owned();
        let places = [("3:4", "allocated here"), ("5:6", "freed here")];
        let conclusion = Conclusion {
            verdict: Verdict::False(Property::ValidDeref),
            place: Some(format!("{file}:7:8")),
            memory: Some(Box::new(MemoryNote {
                what: "4 bytes are accessed".to_owned(),
                places: places
                    .map(|(place, what)| PlaceNote {
                        place: format!("{file}:{place}"),
                        what: what.to_owned(),
                    })
                    .into(),
            })),
            ..Conclusion::proved("bmc")
        };
        let log = log(&recording(&file), &Ending::Concluded(conclusion));
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "valid-deref");
        assert_eq!(
            result["message"]["text"],
            "The error is reached. There, 4 bytes are accessed."
        );
        let related = &result["relatedLocations"];
        assert_eq!(related[1]["message"]["text"], "freed here");
        assert_eq!(related[1]["physicalLocation"]["region"]["startLine"], 5);
    }

    #[test]
    fn a_violation_is_a_result_with_a_code_flow() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a b.c");
        std::fs::write(&file, "int main(void)\n{ /* \u{fc} */ reach_error(); }\n")
            .expect("written");
        let file = file.to_string_lossy().into_owned();
        let mut conclusion = Conclusion {
            verdict: Verdict::False(Property::UnreachCall),
            place: Some(format!("{file}:2:13")),
            ..Conclusion::proved("bmc")
        };
        conclusion.inputs.push(InputValue {
            source: "__VERIFIER_nondet_int()".to_owned(),
            place: format!("{file}:1:1"),
            value: "7".to_owned(),
        });
        let mut recording = recording(&file);
        recording.description.folder = folder.path().to_string_lossy().into_owned();
        let log = log(&recording, &Ending::Concluded(conclusion));
        let run = &log["runs"][0];
        let result = &run["results"][0];
        assert_eq!(result["ruleId"], run["tool"]["driver"]["rules"][0]["id"]);
        assert_eq!(
            (&result["kind"], &result["level"]),
            (&"fail".into(), &"error".into())
        );
        let at = &result["locations"][0]["physicalLocation"];
        assert_eq!(at["artifactLocation"]["uri"], "a%20b.c");
        // The twelfth character is the thirteenth byte.
        assert_eq!(at["region"]["startLine"], 2);
        assert_eq!(at["region"]["startColumn"], 12);
        let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(steps.as_array().map(Vec::len), Some(2));
        assert_eq!(steps[0]["state"]["__VERIFIER_nondet_int()"]["text"], "7");
        assert_eq!(steps[1]["importance"], "essential");
        assert_eq!(run["invocations"][0]["exitCode"], 1);
        assert_eq!(
            run["invocations"][0]["startTimeUtc"],
            "2000-02-29T12:34:56.500Z"
        );
    }

    #[test]
    fn a_long_path_keeps_its_begin_and_its_end() {
        let step = |number| Step {
            text: format!("{number}"),
            ..Step::default()
        };
        let steps: Vec<Step> = (1..=2 * MAXIMUM_STEPS_PER_END + 5).map(step).collect();
        let mut writer = Writer {
            sources: Sources::default(),
            folder: String::new(),
        };
        let flow = writer.code_flow(&steps);
        let locations = &flow.thread_flows[0].locations;
        assert_eq!(locations.len(), 2 * MAXIMUM_STEPS_PER_END);
        let orders = |at: usize| locations[at].execution_order;
        assert_eq!(orders(MAXIMUM_STEPS_PER_END - 1), MAXIMUM_STEPS_PER_END);
        assert_eq!(orders(MAXIMUM_STEPS_PER_END), MAXIMUM_STEPS_PER_END + 6);
        let message = locations[MAXIMUM_STEPS_PER_END - 1]
            .location
            .message
            .as_ref();
        assert!(message.is_some_and(|message| message.text.contains("5 steps")));
    }

    #[test]
    fn other_endings_have_no_findings() {
        let recording = Recording {
            events: vec![Event {
                time: 1.0,
                kind: EventKind::Warning {
                    message: "a remark".to_owned(),
                },
            }],
            ..recording("../a.c")
        };
        let pass = log(
            &recording,
            &Ending::Concluded(Conclusion::proved("k-induction")),
        );
        let results = &pass["runs"][0]["results"];
        assert_eq!(results[0]["kind"], "pass");
        assert_eq!(results[0]["level"], "none");
        let at = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(at["artifactLocation"]["uri"], "../a.c");
        let notes = |log: &Value| {
            let invocation = &log["runs"][0]["invocations"][0];
            let notes = invocation["toolExecutionNotifications"].as_array().cloned();
            let notes = notes.into_iter().flatten();
            notes
                .map(|note| {
                    note["message"]["text"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(notes(&pass), ["a remark"]);
        let open = log(
            &recording,
            &Ending::Concluded(Conclusion::unknown("time limit")),
        );
        assert_eq!(open["runs"][0]["results"], Value::Array(Vec::new()));
        assert_eq!(
            notes(&open)[1],
            "Not known whether the property holds: time limit"
        );
        let rejected = log(&recording, &Ending::Rejected("error: no file".to_owned()));
        assert_eq!(notes(&rejected)[1], "no file");
        let invocation = &rejected["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(invocation["exitCode"], 3);
    }

    #[test]
    fn files_are_references() {
        let folder = Path::new("/home/me");
        for (file, expected) in [
            ("a.c", "a.c"),
            ("./b/a.c", "b/a.c"),
            ("../a.c", "../a.c"),
            ("/home/me/b/a.c", "b/a.c"),
            ("/etc/a#1.c", "file:///etc/a%231.c"),
            ("\u{fc}:%.c", "%C3%BC%3A%25.c"),
        ] {
            assert_eq!(uri(Path::new(file), folder), expected);
        }
    }
}

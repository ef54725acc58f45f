//! Writes witness files in version 2.0 or 2.1 of the format, as JSON, which is a subset of YAML.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rand::RngExt as _;
use serde::Serialize;

use super::contract::Contract;
use super::correctness::{InvariantKind, SourceInvariant};
use super::violation::WitnessWaypoint;
use crate::utc;
use regatta_base::digest::{hexadecimal, sha256};
use regatta_frontend::property::{Forbidden, Specification};
use regatta_program::{FunctionId, Program, Property, Span, source_name};
use regatta_run::file;
use regatta_run::options::TaskOptions;
use regatta_witness::format::{OWN_SPECIFICATION, Version};

/// The content of a witness.
#[derive(Clone, Debug)]
pub enum Entry {
    /// The waypoints of a run, in order, the last one being the target.
    Violation(Vec<WitnessWaypoint>),
    /// The waypoints of a run that does not end: those that are passed once, and those of its cycle.
    Endless(Vec<WitnessWaypoint>, Vec<WitnessWaypoint>),
    /// Invariants, and contracts for versions from 2.1 on.
    Correctness(Vec<SourceInvariant>, Vec<Contract>),
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    pub file_name: String,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl Place {
    /// Returns the place of the span, with the function if it is given.
    pub fn of(program: &Program, span: Span, function: Option<FunctionId>) -> Self {
        let file = program.sources.files.get(usize::from(span.file.0));
        Self {
            file_name: file.map_or_else(String::new, |file| file.to_string()),
            line: span.line,
            column: (span.column > 0).then_some(u32::from(span.column)),
            function: function
                .map(|function| source_name(&program.function(function).name).to_owned()),
        }
    }
}

/// The lines of the user's files.
pub struct SourceLines {
    /// The files' names and texts.
    files: Vec<(String, Vec<u8>)>,
}

impl SourceLines {
    /// Reads the program's files; one that cannot be read has no lines.
    pub(super) fn read(options: &TaskOptions) -> Self {
        let files = options.files().map(|file| {
            let text = options.text_of(file).unwrap_or_default();
            (file.display().to_string(), text)
        });
        Self {
            files: files.collect(),
        }
    }

    fn text_of(&self, place: &Place) -> Option<&[u8]> {
        let mut files = self.files.iter();
        let file = files.find(|(name, _)| *name == place.file_name);
        file.map(|(_, text)| text.as_slice())
    }

    /// The text at a place, up to the end of its line.
    pub(super) fn text_at(&self, place: &Place) -> Option<&[u8]> {
        let index = (place.line as usize).checked_sub(1)?;
        let line = self
            .text_of(place)?
            .split(|&byte| byte == b'\n')
            .nth(index)?;
        line.get((place.column? as usize).checked_sub(1)?..)
    }

    /// Checks whether the place is in one of these files.
    pub(super) fn is_of_file(&self, place: &Place) -> bool {
        self.text_of(place).is_some()
    }

    /// Checks whether only spaces precede the span in its line of one of these files.
    pub(super) fn is_first(&self, program: &Program, span: Span) -> bool {
        let place = Place::of(program, span, None);
        let index = (place.line as usize).checked_sub(1);
        let text = self.text_of(&place).unwrap_or_default();
        let line = index.and_then(|index| text.split(|&byte| byte == b'\n').nth(index));
        let before = line.and_then(|line| line.get(..usize::from(span.column).checked_sub(1)?));
        self.is_of_file(&place)
            && before.is_some_and(|before| before.iter().all(u8::is_ascii_whitespace))
    }
}

/// A violation.
pub struct Violated<'t> {
    pub property: Property,
    /// The text at its place.
    pub text: &'t [u8],
}

/// Writes the witness atomically.
///
/// # Errors
/// When the program cannot be read or the file cannot be written.
pub fn write(
    path: &Path,
    version: Version,
    entry: &Entry,
    options: &TaskOptions,
    violated: Option<&Violated<'_>>,
) -> std::io::Result<()> {
    let mut input_files = Vec::new();
    let mut input_file_hashes = BTreeMap::new();
    for file in options.files() {
        let name = file.display().to_string();
        input_file_hashes.insert(name.clone(), sha256(&options.text_of(file)?));
        input_files.push(name);
    }
    let task = TaskText {
        input_file_hashes,
        input_files,
        specification: specification(&options.load.property, violated),
        data_model: options.load.data_model.name(),
        language: "C",
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let metadata = Metadata {
        format_version: version.name(),
        uuid: uuid(rand::rng().random()),
        creation_time: utc::seconds(since.map_or(0, |since| since.as_secs())),
        producer: Producer {
            name: "Regatta",
            version: env!("CARGO_PKG_VERSION"),
        },
        task,
    };
    let content = match entry {
        Entry::Violation(followed) => {
            let segments = followed.iter();
            let segments = segments.map(|one| segment(one, "follow", version));
            Content::Violation(segments.collect())
        }
        Entry::Endless(stem, cycle) => {
            let stem = stem.iter().map(|one| segment(one, "follow", version));
            let cycle = cycle.iter().map(|one| segment(one, "cycle", version));
            Content::Violation(stem.chain(cycle).collect())
        }
        Entry::Correctness(invariants, contracts) => {
            let invariants = invariants.iter().map(invariant);
            let all = invariants.chain(contracts.iter().map(contract));
            Content::Correctness(all.collect())
        }
    };
    let entry = EntryText {
        entry_type: match entry {
            Entry::Violation(_) | Entry::Endless(..) => "violation_sequence",
            Entry::Correctness(..) => "invariant_set",
        },
        metadata,
        content,
    };
    let mut text = serde_json::to_vec_pretty(&[entry])?;
    text.push(b'\n');
    file::write(path, &text)
}

/// Returns the specification in the format of property files. Assertions are the competition's property for a proof, and for
/// a violation that is a call of `reach_error` at that place of the program; for any other they are [`OWN_SPECIFICATION`]. Where
/// more than assertions is checked, a violation is one of what it violates.
fn specification(property: &Specification, violated: Option<&Violated<'_>>) -> String {
    let check = |formula: String| format!("CHECK( init(main()), LTL(G {formula}) )");
    let is_call = |one: &Violated<'_>| one.text.starts_with(b"reach_error");
    let narrowed = match violated {
        Some(one) if property.forbidden == Forbidden::Assertions => property.about(one.property),
        _ => property.clone(),
    };
    let property = &narrowed;
    let mut lines: Vec<String> = match &property.forbidden {
        Forbidden::Assertions if violated.is_none_or(is_call) => {
            vec![check("! call(reach_error())".to_owned())]
        }
        Forbidden::Assertions => vec![OWN_SPECIFICATION.to_owned()],
        Forbidden::Listed { calls, labels } => {
            let calls = calls.iter().map(|name| check(format!("! call({name}())")));
            let labels = labels.iter().map(|name| check(format!("! label({name})")));
            calls.chain(labels).collect()
        }
    };
    let formulas = property.formulas().into_iter();
    lines.extend(formulas.map(|formula| format!("CHECK( init(main()), LTL({formula}) )")));
    lines.join("\n")
}

/// Returns the UUID (version 4, RFC 9562) of random bytes.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hexadecimal(&bytes);
    let part = |from: usize, to: usize| &digits[from..to];
    [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ]
    .join("-")
}

#[derive(Serialize)]
struct EntryText<'e> {
    entry_type: &'e str,
    metadata: Metadata,
    content: Content<'e>,
}

#[derive(Serialize)]
struct Metadata {
    format_version: &'static str,
    uuid: String,
    creation_time: String,
    producer: Producer,
    task: TaskText,
}

#[derive(Serialize)]
struct Producer {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct TaskText {
    input_files: Vec<String>,
    input_file_hashes: BTreeMap<String, String>,
    specification: String,
    data_model: &'static str,
    language: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'e> {
    Violation(Vec<SegmentText<'e>>),
    Correctness(Vec<SetElement<'e>>),
}

#[derive(Serialize)]
struct SegmentText<'e> {
    segment: [WaypointElement<'e>; 1],
}

#[derive(Serialize)]
struct WaypointElement<'e> {
    waypoint: WaypointText<'e>,
}

#[derive(Serialize)]
struct WaypointText<'e> {
    r#type: &'static str,
    action: &'static str,
    location: &'e Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint<'e>>,
}

#[derive(Serialize)]
struct Constraint<'e> {
    value: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum SetElement<'e> {
    Invariant(InvariantText<'e>),
    Contract(ContractText<'e>),
}

#[derive(Serialize)]
struct ContractText<'e> {
    r#type: &'static str,
    location: &'e Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ensures: Option<&'e str>,
    format: &'static str,
}

#[derive(Serialize)]
struct InvariantText<'e> {
    r#type: &'static str,
    location: &'e Place,
    value: &'e str,
    format: &'static str,
}

fn segment<'w>(
    followed: &'w WitnessWaypoint,
    action: &'static str,
    version: Version,
) -> SegmentText<'w> {
    let of_result = match version {
        Version::V2_0 => "acsl_expression",
        Version::V2_1 | Version::V2_2 => "ext_c_expression",
    };
    let (kind, location, constraint) = match followed {
        WitnessWaypoint::Assumption { at, value } => {
            ("assumption", at, Some((value, Some("c_expression"))))
        }
        WitnessWaypoint::Branching { at, value } => ("branching", at, Some((value, None))),
        WitnessWaypoint::FunctionReturn { at, value } => {
            ("function_return", at, Some((value, Some(of_result))))
        }
        WitnessWaypoint::Target { at } => ("target", at, None),
    };
    let waypoint = WaypointText {
        r#type: kind,
        action,
        location,
        constraint: constraint.map(|(value, format)| Constraint { value, format }),
    };
    SegmentText {
        segment: [WaypointElement { waypoint }],
    }
}

fn invariant(invariant: &SourceInvariant) -> SetElement<'_> {
    SetElement::Invariant(InvariantText {
        r#type: match invariant.kind {
            InvariantKind::Loop => "loop_invariant",
            InvariantKind::Location => "location_invariant",
            InvariantKind::LoopTransition => "loop_transition_invariant",
        },
        location: &invariant.at,
        value: &invariant.value,
        format: match invariant.kind {
            InvariantKind::Loop | InvariantKind::Location => "c_expression",
            InvariantKind::LoopTransition => "ext_c_expression",
        },
    })
}

fn contract(contract: &Contract) -> SetElement<'_> {
    SetElement::Contract(ContractText {
        r#type: "function_contract",
        location: &contract.at,
        requires: contract.requires.as_deref(),
        ensures: contract.ensures.as_deref(),
        format: "ext_c_expression",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_of_version_four() {
        assert_eq!(uuid([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(uuid([0; 16]), "00000000-0000-4000-8000-000000000000");
    }

    #[test]
    fn hashes_are_sha256() {
        // FIPS 180-4's example.
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}

//! The witness formats 2.0, 2.1 and 2.2 of the Competition on Software Verification, for C.
//!
//! A file is parsed as a tree ([`super::node`]), which is compared with the formats' tables of fields here. Each error is a
//! [`Finding`] with its position; the rest of the file is still read.

use super::finding::{Finding, Findings};
use super::node::{Kind, Located, Node, Position, parse};
use regatta_program::DataModel;

/// A witness file.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    pub entries: Vec<Entry>,
}

/// An entry of a witness file.
#[derive(Clone, Debug)]
pub struct Entry {
    pub metadata: Metadata,
    pub content: Content,
    pub at: Position,
}

/// The format and the task of an entry.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    pub version: Version,
    pub task: Option<TaskText>,
}

/// The format's version.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Version {
    #[default]
    V2_0,
    V2_1,
    V2_2,
}

/// The verification task that a witness is for.
#[derive(Clone, Debug)]
pub struct TaskText {
    pub input_files: Vec<Located<String>>,
    /// SHA-256 in hexadecimal, by file.
    pub hashes: Vec<(Located<String>, Located<String>)>,
    pub specification: Option<Located<String>>,
    pub data_model: Option<Located<DataModel>>,
    pub at: Position,
}

/// The content of an entry.
#[derive(Clone, Debug)]
pub enum Content {
    /// A set of paths to a violation.
    Violation(Vec<Segment>),
    /// Invariants.
    Invariants(Vec<Invariant>),
    /// The names of ghost variables; their updates are ignored.
    Ghosts(Vec<String>),
    /// Content that could not be read.
    Unreadable,
}

/// A segment of a path: the last waypoint is the next to be passed, and none of the others may be passed before it.
#[derive(Clone, Debug)]
pub struct Segment {
    pub waypoints: Vec<Waypoint>,
    pub at: Position,
}

/// A place that a path passes or avoids, with a condition.
#[derive(Clone, Debug)]
pub struct Waypoint {
    pub kind: WaypointKind,
    pub action: Action,
    pub location: Location,
    pub constraint: Option<Constraint>,
    /// The thread, in format 2.2.
    pub thread: Option<Located<i128>>,
    pub at: Position,
}

/// The kind of a waypoint.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WaypointKind {
    Assumption,
    Branching,
    FunctionEnter,
    FunctionReturn,
    Target,
}

/// Whether a waypoint is to be passed or avoided.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Follow,
    Avoid,
    /// On the cycle of an infinite path, in format 2.1.
    Cycle,
}

/// A place in the program.
#[derive(Clone, Debug)]
pub struct Location {
    pub file_name: Located<String>,
    pub line: Located<u32>,
    pub column: Option<Located<u32>>,
    pub function: Option<Located<String>>,
    pub at: Position,
}

/// The condition of a waypoint.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub value: Located<String>,
    pub at: Position,
}

/// An invariant or a contract at a location.
#[derive(Clone, Debug)]
pub struct Invariant {
    pub kind: InvariantKind,
    pub location: Location,
    /// A C expression; for a contract, the postcondition.
    pub value: Located<String>,
    /// For a contract, the precondition.
    pub requires: Option<Located<String>>,
    pub at: Position,
}

/// The kind of an invariant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InvariantKind {
    /// Holds whenever a loop's controlling expression is about to be evaluated.
    Loop,
    /// Holds whenever a statement is about to be executed.
    Location,
    /// Relates two visits of a loop's controlling expression, in format 2.1.
    LoopTransition,
    /// Relates two visits of a statement, in format 2.1.
    LocationTransition,
    /// A function's contract, in format 2.1.
    Contract,
}

/// The specification that is verified if no property is given: the competition's error functions, and failing assertions.
pub const OWN_SPECIFICATION: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )
CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )
CHECK( init(main()), LTL(G assert) )";

impl Witness {
    /// Returns the names of the witness's ghost variables.
    pub(crate) fn ghosts(&self) -> Vec<String> {
        let entries = self.entries.iter();
        let names = entries.filter_map(|entry| match &entry.content {
            Content::Ghosts(names) => Some(names.iter().cloned()),
            _ => None,
        });
        names.flatten().collect()
    }
}

/// Returns the names of the variables in the content of an entry for ghost variables.
fn ghost_names(content: &Node) -> Vec<String> {
    let field = |node: &Node, name: &str| match &node.value {
        Kind::Mapping(entries) => {
            let found = entries.iter().find(|(key, _)| key.value == name);
            found.map(|(_, value)| value.clone())
        }
        _ => None,
    };
    match field(content, "ghost_variables").map(|list| list.value) {
        Some(Kind::Sequence(variables)) => {
            let names = variables.iter().filter_map(|one| field(one, "name"));
            let names = names.filter_map(|name| match name.value {
                Kind::Text(text) => Some(text),
                _ => None,
            });
            names.collect()
        }
        _ => Vec::new(),
    }
}

/// Reads a witness file. Errors are added to the findings.
pub fn read(text: &str, findings: &mut Findings) -> Witness {
    match parse(text) {
        Ok(node) => {
            let mut reader = Reader {
                findings,
                version: Version::default(),
            };
            reader.witness(&node)
        }
        Err(error) => {
            findings.add(Finding::new(error.at, format!("no YAML: {}", error.value)));
            Witness::default()
        }
    }
}

/// The kind of an entry.
#[derive(Copy, Clone)]
enum EntryKind {
    Violation,
    Invariants,
    Ghosts,
}

/// Whether a field is required.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}
use Need::{Optional, Required};

struct Reader<'f> {
    findings: &'f mut Findings,
    /// The format version of the entry that is being read.
    version: Version,
}

impl Reader<'_> {
    fn complain(&mut self, at: Position, message: impl Into<String>) {
        self.findings.add(Finding::new(at, message));
    }

    fn witness(&mut self, node: &Node) -> Witness {
        let Kind::Sequence(entries) = &node.value else {
            let message = format!("expected a list of entries, found {}", node.value.name());
            self.complain(node.at, message);
            return Witness::default();
        };
        if entries.is_empty() {
            self.complain(node.at, "the witness has no entry");
        }
        Witness {
            entries: entries
                .iter()
                .filter_map(|entry| self.entry(entry))
                .collect(),
        }
    }

    /// Returns the fields of a mapping in the order of the table; fields that are not in the table are errors.
    fn fields<'n, const N: usize>(
        &mut self,
        node: &'n Node,
        what: &str,
        table: [(&str, Need); N],
    ) -> Option<[Option<&'n Node>; N]> {
        let Kind::Mapping(entries) = &node.value else {
            let message = format!("{what}: expected a mapping, found {}", node.value.name());
            self.complain(node.at, message);
            return None;
        };
        let mut found = [None; N];
        for (key, value) in entries {
            match table.iter().position(|(name, _)| *name == key.value) {
                Some(index) => found[index] = Some(value),
                None => {
                    let message = format!("{what} has no field `{}`", key.value);
                    self.complain(key.at, message);
                }
            }
        }
        for ((name, need), value) in table.iter().zip(&found) {
            if *need == Required && value.is_none() {
                self.complain(node.at, format!("{what}: `{name}` is missing"));
            }
        }
        Some(found)
    }

    fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.value {
            Kind::Sequence(elements) => elements,
            other => {
                let message = format!("{what}: expected a list, found {}", other.name());
                self.complain(node.at, message);
                &[]
            }
        }
    }

    fn text(&mut self, node: &Node, what: &str) -> Option<Located<String>> {
        match &node.value {
            Kind::Text(text) => Some(Located {
                value: text.clone(),
                at: node.at,
            }),
            other => {
                let message = format!("{what}: expected a string, found {}", other.name());
                self.complain(node.at, message);
                None
            }
        }
    }

    /// Reads a string; or a truth value or an integer, which some verifiers write without quotes.
    fn value(&mut self, node: &Node) -> Option<Located<String>> {
        let value = match &node.value {
            Kind::Truth(truth) => truth.to_string(),
            Kind::Integer(number) => number.to_string(),
            _ => return self.text(node, "value"),
        };
        Some(Located { value, at: node.at })
    }

    /// Reads one of the words in the table.
    fn word<T: Copy>(
        &mut self,
        node: &Node,
        what: &str,
        table: &[(&str, Version, T)],
    ) -> Option<T> {
        let text = self.text(node, what)?;
        let found = table.iter().find(|(word, _, _)| *word == text.value);
        match found {
            Some(&(_, since, value)) if since <= self.version => Some(value),
            Some((word, since, _)) => {
                let message = format!("{what} `{word}` came with format {}", since.name());
                self.complain(text.at, message);
                None
            }
            None => {
                let known = table.iter().filter(|entry| entry.1 <= self.version);
                let known: Vec<&str> = known.map(|entry| entry.0).collect();
                let message = format!(
                    "{what}: expected one of {}, found `{}`",
                    known.join(", "),
                    text.value
                );
                self.complain(text.at, message);
                None
            }
        }
    }

    fn entry(&mut self, node: &Node) -> Option<Entry> {
        let [kind, metadata, content] = self.fields(
            node,
            "an entry",
            [
                ("entry_type", Required),
                ("metadata", Required),
                ("content", Required),
            ],
        )?;
        self.version = Version::default();
        let metadata = match metadata {
            Some(metadata) => self.metadata(metadata),
            None => Metadata::default(),
        };
        const KINDS: &[(&str, Version, EntryKind)] = &[
            ("violation_sequence", Version::V2_0, EntryKind::Violation),
            ("invariant_set", Version::V2_0, EntryKind::Invariants),
            ("ghost_instrumentation", Version::V2_1, EntryKind::Ghosts),
        ];
        let kind = kind.and_then(|kind| self.word(kind, "entry_type", KINDS));
        let content = match (kind, content) {
            (Some(EntryKind::Violation), Some(content)) => {
                Content::Violation(self.violation(content))
            }
            (Some(EntryKind::Invariants), Some(content)) => {
                Content::Invariants(self.invariants(content))
            }
            (Some(EntryKind::Ghosts), Some(content)) => Content::Ghosts(ghost_names(content)),
            _ => Content::Unreadable,
        };
        Some(Entry {
            metadata,
            content,
            at: node.at,
        })
    }

    fn metadata(&mut self, node: &Node) -> Metadata {
        let fields = self.fields(
            node,
            "metadata",
            [
                ("format_version", Required),
                ("uuid", Required),
                ("creation_time", Required),
                ("producer", Required),
                ("task", Required),
            ],
        );
        let Some([version, uuid, time, producer, task]) = fields else {
            return Metadata::default();
        };
        if let Some(version) = version {
            self.format_version(version);
        }
        if let Some(uuid) = uuid
            && let Some(text) = self.text(uuid, "uuid")
            && !is_uuid(&text.value)
        {
            self.complain(text.at, format!("`{}` is no UUID", text.value));
        }
        if let Some(time) = time
            && let Some(text) = self.text(time, "creation_time")
            && !is_time(&text.value)
        {
            let message = format!("`{}` is no time of ISO 8601 with a zone", text.value);
            self.complain(text.at, message);
        }
        if let Some(producer) = producer {
            let table = [
                ("name", Required),
                ("version", Required),
                ("configuration", Optional),
                ("command_line", Optional),
                ("description", Optional),
            ];
            let fields = self.fields(producer, "producer", table);
            for ((name, _), field) in table.iter().zip(fields.into_iter().flatten()) {
                if let Some(field) = field {
                    self.text(field, name);
                }
            }
        }
        Metadata {
            version: self.version,
            task: task.and_then(|task| self.task(task)),
        }
    }

    fn format_version(&mut self, node: &Node) {
        let text = match &node.value {
            Kind::Number(number) => {
                let message = "format_version is a string: it wants quotes";
                self.complain(node.at, message);
                format!("{number:.1}")
            }
            _ => match self.text(node, "format_version") {
                Some(text) => text.value,
                None => return,
            },
        };
        let versions = [Version::V2_0, Version::V2_1, Version::V2_2];
        match versions.iter().find(|version| version.name() == text) {
            Some(&version) => self.version = version,
            None => self.complain(node.at, format!("format version `{text}` is not known")),
        }
    }

    fn task(&mut self, node: &Node) -> Option<TaskText> {
        let [files, hashes, specification, model, language] = self.fields(
            node,
            "task",
            [
                ("input_files", Required),
                ("input_file_hashes", Required),
                ("specification", Required),
                ("data_model", Required),
                ("language", Required),
            ],
        )?;
        let mut input_files = Vec::new();
        if let Some(files) = files {
            let list = self.list(files, "input_files");
            if list.is_empty() {
                self.complain(files.at, "input_files is empty");
            }
            input_files.extend(
                list.iter()
                    .filter_map(|one| self.text(one, "an input file")),
            );
        }
        let mut by_file = Vec::new();
        if let Some(hashes) = hashes {
            match &hashes.value {
                Kind::Mapping(entries) => {
                    for (file, hash) in entries {
                        if let Some(hash) = self.text(hash, "a hash") {
                            by_file.push((file.clone(), hash));
                        }
                    }
                }
                other => {
                    let message = format!(
                        "input_file_hashes: expected a mapping, found {}",
                        other.name()
                    );
                    self.complain(hashes.at, message);
                }
            }
        }
        const MODELS: &[(&str, Version, DataModel)] = &[
            ("ILP32", Version::V2_0, DataModel::Ilp32),
            ("LP64", Version::V2_0, DataModel::Lp64),
        ];
        let data_model = model.and_then(|node| {
            let value = self.word(node, "data_model", MODELS)?;
            Some(Located { value, at: node.at })
        });
        if let Some(language) = language {
            self.word(language, "language", &[("C", Version::V2_0, ())]);
        }
        Some(TaskText {
            input_files,
            hashes: by_file,
            specification: specification.and_then(|node| self.text(node, "specification")),
            data_model,
            at: node.at,
        })
    }

    fn violation(&mut self, node: &Node) -> Vec<Segment> {
        let list = self.list(node, "content");
        if list.is_empty() {
            self.complain(
                node.at,
                "a violation without a segment: the target is missing",
            );
        }
        let mut segments = Vec::new();
        for element in list {
            let fields = self.fields(element, "an element", [("segment", Required)]);
            if let Some([Some(segment)]) = fields {
                let list = self.list(segment, "segment");
                segments.push(Segment {
                    waypoints: list.iter().filter_map(|one| self.waypoint(one)).collect(),
                    at: segment.at,
                });
            }
        }
        segments
    }

    fn waypoint(&mut self, node: &Node) -> Option<Waypoint> {
        let [waypoint] = self.fields(node, "an element", [("waypoint", Required)])?;
        let node = waypoint?;
        let [kind, action, location, constraint, thread] = self.fields(
            node,
            "a waypoint",
            [
                ("type", Required),
                ("action", Required),
                ("location", Required),
                ("constraint", Optional),
                ("thread_id", Optional),
            ],
        )?;
        const KINDS: &[(&str, Version, WaypointKind)] = &[
            ("assumption", Version::V2_0, WaypointKind::Assumption),
            ("branching", Version::V2_0, WaypointKind::Branching),
            ("function_enter", Version::V2_0, WaypointKind::FunctionEnter),
            (
                "function_return",
                Version::V2_0,
                WaypointKind::FunctionReturn,
            ),
            ("target", Version::V2_0, WaypointKind::Target),
        ];
        const ACTIONS: &[(&str, Version, Action)] = &[
            ("follow", Version::V2_0, Action::Follow),
            ("avoid", Version::V2_0, Action::Avoid),
            ("cycle", Version::V2_1, Action::Cycle),
        ];
        let kind = kind.and_then(|kind| self.word(kind, "type", KINDS));
        let action = action.and_then(|action| self.word(action, "action", ACTIONS));
        let location = location.and_then(|location| self.location(location));
        let thread = thread.and_then(|thread| self.thread(thread));
        let (kind, action, location) = (kind?, action?, location?);
        let constraint_node = constraint;
        let constraint = constraint.and_then(|node| self.constraint(node, kind));
        match (kind, constraint_node) {
            (WaypointKind::Assumption | WaypointKind::Branching, None) => {
                self.complain(node.at, format!("{}: `constraint` is missing", kind.name()));
            }
            (WaypointKind::FunctionEnter | WaypointKind::Target, Some(constraint)) => {
                let message = format!("{} has no constraint", kind.name());
                self.complain(constraint.at, message);
            }
            _ => {}
        }
        Some(Waypoint {
            kind,
            action,
            location,
            constraint,
            thread,
            at: node.at,
        })
    }

    fn thread(&mut self, node: &Node) -> Option<Located<i128>> {
        if self.version < Version::V2_2 {
            self.complain(node.at, "`thread_id` came with format 2.2");
            return None;
        }
        match node.value {
            Kind::Integer(number) if number >= 0 => Some(Located {
                value: number,
                at: node.at,
            }),
            _ => {
                self.complain(node.at, "thread_id: expected a number from zero");
                None
            }
        }
    }

    fn constraint(&mut self, node: &Node, kind: WaypointKind) -> Option<Constraint> {
        let [value, format] = self.fields(
            node,
            "constraint",
            [("value", Required), ("format", Optional)],
        )?;
        let value = value.and_then(|value| self.value(value));
        match (kind, format) {
            (WaypointKind::Assumption, Some(format)) => {
                let table = [
                    ("c_expression", Version::V2_0, ()),
                    ("ext_c_expression", Version::V2_1, ()),
                ];
                self.word(format, "format", &table);
            }
            (WaypointKind::FunctionReturn, Some(format)) => {
                let table = [
                    ("acsl_expression", Version::V2_0, ()),
                    ("ext_c_expression", Version::V2_1, ()),
                ];
                self.word(format, "format", &table);
            }
            (WaypointKind::Assumption | WaypointKind::FunctionReturn, None) => {
                self.complain(node.at, "constraint: `format` is missing");
            }
            (_, Some(format)) => {
                let message = format!("the constraint of {} has no format", kind.name());
                self.complain(format.at, message);
            }
            (_, None) => {}
        }
        let value = value?;
        if value.value.trim().is_empty() {
            self.complain(value.at, "the value is empty");
        }
        if kind == WaypointKind::Branching {
            let text = value.value.trim();
            let is_known = matches!(text, "true" | "false" | "default");
            if !is_known && text.parse::<i128>().is_err() {
                let message = format!("branching: expected true or false, found `{text}`");
                self.complain(value.at, message);
            }
        }
        Some(Constraint { value, at: node.at })
    }

    fn location(&mut self, node: &Node) -> Option<Location> {
        let [file, line, column, function] = self.fields(
            node,
            "location",
            [
                ("file_name", Required),
                ("line", Required),
                ("column", Optional),
                ("function", Optional),
            ],
        )?;
        let file_name = file.and_then(|file| self.text(file, "file_name"));
        let line = line.and_then(|line| self.ordinal(line, "line"));
        let column = column.map(|column| self.ordinal(column, "column"));
        let function = function.map(|function| self.text(function, "function"));
        Some(Location {
            file_name: file_name?,
            line: line?,
            // A field with an erroneous value has been reported already.
            column: column.flatten(),
            function: function.flatten(),
            at: node.at,
        })
    }

    /// Reads a number from one.
    fn ordinal(&mut self, node: &Node, what: &str) -> Option<Located<u32>> {
        let number = match node.value {
            Kind::Integer(number) => u32::try_from(number).ok().filter(|&number| number > 0),
            _ => None,
        };
        if number.is_none() {
            self.complain(node.at, format!("{what}: expected a number from one"));
        }
        number.map(|value| Located { value, at: node.at })
    }

    fn invariants(&mut self, node: &Node) -> Vec<Invariant> {
        let mut invariants = Vec::new();
        for element in self.list(node, "content") {
            let table = [("invariant", Optional), ("contract", Optional)];
            match self.fields(element, "an element", table) {
                Some([Some(invariant), None]) => {
                    invariants.extend(self.invariant(invariant));
                }
                Some([None, Some(contract)]) => {
                    if self.version < Version::V2_1 {
                        self.complain(contract.at, "`contract` came with format 2.1");
                    }
                    invariants.extend(self.contract(contract));
                }
                Some(_) => {
                    self.complain(element.at, "an element: expected `invariant`");
                }
                None => {}
            }
        }
        invariants
    }

    fn invariant(&mut self, node: &Node) -> Option<Invariant> {
        let [kind, location, value, format, labels] = self.fields(
            node,
            "an invariant",
            [
                ("type", Required),
                ("location", Required),
                ("value", Required),
                ("format", Required),
                ("labels", Optional),
            ],
        )?;
        const KINDS: &[(&str, Version, InvariantKind)] = &[
            ("loop_invariant", Version::V2_0, InvariantKind::Loop),
            ("location_invariant", Version::V2_0, InvariantKind::Location),
            (
                "loop_transition_invariant",
                Version::V2_1,
                InvariantKind::LoopTransition,
            ),
            (
                "location_transition_invariant",
                Version::V2_1,
                InvariantKind::LocationTransition,
            ),
        ];
        let kind = kind.and_then(|kind| self.word(kind, "type", KINDS));
        let location = location.and_then(|location| self.location(location));
        let value = value.and_then(|value| self.value(value));
        if let Some(format) = format {
            let table = [
                ("c_expression", Version::V2_0, ()),
                ("ext_c_expression", Version::V2_1, ()),
            ];
            self.word(format, "format", &table);
        }
        self.labels(labels);
        let value = value?;
        if value.value.trim().is_empty() {
            self.complain(value.at, "the value is empty");
        }
        Some(Invariant {
            kind: kind?,
            location: location?,
            value,
            requires: None,
            at: node.at,
        })
    }

    fn labels(&mut self, labels: Option<&Node>) {
        let Some(labels) = labels else {
            return;
        };
        if self.version < Version::V2_1 {
            self.complain(labels.at, "`labels` came with format 2.1");
        }
        for label in self.list(labels, "labels") {
            self.text(label, "a label");
        }
    }

    fn contract(&mut self, node: &Node) -> Option<Invariant> {
        let [kind, location, requires, ensures, format, labels] = self.fields(
            node,
            "a contract",
            [
                ("type", Required),
                ("location", Required),
                ("requires", Optional),
                ("ensures", Optional),
                ("format", Required),
                ("labels", Optional),
            ],
        )?;
        let table = [("function_contract", Version::V2_1, ())];
        kind.and_then(|kind| self.word(kind, "type", &table));
        let requires = requires.and_then(|requires| self.value(requires));
        if let Some(format) = format {
            self.word(format, "format", &[("ext_c_expression", Version::V2_1, ())]);
        }
        self.labels(labels);
        let location = location.and_then(|location| self.location(location));
        let ensures = ensures.and_then(|ensures| self.value(ensures));
        Some(Invariant {
            kind: InvariantKind::Contract,
            location: location?,
            value: ensures.unwrap_or_else(|| Located {
                value: "1".to_owned(),
                at: node.at,
            }),
            requires,
            at: node.at,
        })
    }
}

impl Version {
    /// The version as it is written in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2_0 => "2.0",
            Self::V2_1 => "2.1",
            Self::V2_2 => "2.2",
        }
    }
}

impl WaypointKind {
    /// The kind as it is written in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assumption => "assumption",
            Self::Branching => "branching",
            Self::FunctionEnter => "function_enter",
            Self::FunctionReturn => "function_return",
            Self::Target => "target",
        }
    }
}

impl InvariantKind {
    /// The kind for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop invariant",
            Self::Location => "location invariant",
            Self::LoopTransition | Self::LocationTransition => "transition invariant",
            Self::Contract => "contract",
        }
    }
}

/// Checks whether the text is a UUID of version 4.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
        && parts[2].starts_with('4')
        && parts[3].starts_with(['8', '9', 'a', 'b', 'A', 'B'])
}

/// Checks whether the text is a time such as `2026-11-22T15:00:00Z`, optionally with fractions of seconds or another zone
/// (`+01:00`).
fn is_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else {
        return false;
    };
    let numbers = |text: &str, separator: char, ranges: &[(usize, u32, u32)]| {
        let parts: Vec<&str> = text.split(separator).collect();
        parts.len() == ranges.len()
            && parts.iter().zip(ranges).all(|(part, (length, low, high))| {
                let number = part.parse::<u32>();
                part.len() == *length && number.is_ok_and(|number| (*low..=*high).contains(&number))
            })
    };
    let zone = time.find(['Z', 'z', '+', '-']);
    let Some((clock, zone)) = zone.map(|zone| time.split_at(zone)) else {
        return false;
    };
    let is_zone = match zone.strip_prefix(['+', '-']) {
        None => zone.len() == 1,
        Some(offset) => {
            numbers(offset, ':', &[(2, 0, 14), (2, 0, 59)]) || numbers(offset, ':', &[(4, 0, 1459)])
        }
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    is_zone
        && numbers(date, '-', &[(4, 1970, 9999), (2, 1, 12), (2, 1, 31)])
        && numbers(clock, ':', &[(2, 0, 23), (2, 0, 59), (2, 0, 60)])
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_identifiers() {
        for (text, expected) in [
            ("2026-11-22T15:00:00Z", true),
            ("2026-11-22T15:00:00.125+01:00", true),
            ("2026-11-22 15:00:00-0500", true),
            ("2026-11-22T15:00:00", false),
            ("2026-13-22T15:00:00Z", false),
            ("yesterday", false),
        ] {
            assert_eq!(is_time(text), expected, "{text}");
        }
        assert!(is_uuid("91023a0f-9f45-4385-88c4-1152ade45537"));
        assert!(!is_uuid("91023a0f-9f45-1385-88c4-1152ade45537"));
        assert!(!is_uuid("91023a0f9f45438588c41152ade45537"));
    }
}

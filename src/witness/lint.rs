//! Checks whether a file is a valid witness of a program: its task, its places, and its expressions.

use std::path::PathBuf;

use super::finding::{Finding, Findings};
use super::format::{
    Action, Content, Entry, Invariant, InvariantKind, Location, OWN_SPECIFICATION, Segment,
    TaskText, Version, Waypoint, WaypointKind, Witness,
};
use super::instrument::{RESULT, Step, default_of, other_branch, previous, with_expressions};
use super::node::Located;
use super::points::{Extent, Point, Wanted, find, targets};
use super::transition;
use regatta_base::Error;
use regatta_base::digest::sha256;
use regatta_frontend::property::Forbidden;
use regatta_frontend::pure::pure_expression;
use regatta_frontend::statements::SourceText;
use regatta_frontend::{LoadOptions, Specification, load};
use regatta_program::ghost::{CountedErrors, ErrorPlace, TextRange, place_of};
use regatta_program::{DataModel, Program};

/// The program that a witness is checked against.
pub struct Subject {
    pub file: PathBuf,
    pub source: SourceText,
    /// The options for reading it. Property and data model are the user's, if given; the witness has to agree with
    /// them.
    pub options: LoadOptions,
    /// Whether the user has given a property.
    pub has_property: bool,
    /// Whether the user has given a data model.
    pub has_data_model: bool,
}

/// The content of a witness, resolved in the program.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The witness's property, if it is supported.
    pub property: Option<Specification>,
    pub data_model: Option<DataModel>,
    /// The paths to violations.
    pub violations: Vec<ViolationPath>,
    /// The paths that do not end.
    pub cycles: Vec<CyclicPath>,
    /// Whether there is a set of invariants, even an empty one.
    pub has_invariant_set: bool,
    /// The invariants with their points in the program.
    pub invariants: Vec<ResolvedInvariant>,
    /// Descriptions of parts of the witness that are valid, but not used here.
    pub unused: Vec<String>,
    /// Whether there is more than one entry with invariants or a violation.
    pub has_several: bool,
}

/// An invariant in the program.
#[derive(Clone, Debug)]
pub struct ResolvedInvariant {
    pub point: Point,
    /// The expression on one line.
    pub expression: String,
    /// The expression as it is in the witness.
    pub text: String,
    /// The place in the program, for messages.
    pub place: String,
    pub kind: InvariantKind,
    /// What a transition invariant says of earlier visits.
    pub transition: Option<Transition>,
}

/// What a transition invariant says of earlier visits of its point.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The expressions whose earlier values are named ([`previous`]) in the invariant.
    pub earlier: Vec<String>,
    /// Whether there is no infinite sequence of visits each two of which the invariant relates.
    pub is_well_founded: bool,
}

/// A path of a program that does not end.
#[derive(Clone, Debug)]
pub struct CyclicPath {
    pub steps: Vec<(Point, Step)>,
}

/// The path of a violation in the program.
#[derive(Clone, Debug)]
pub struct ViolationPath {
    pub steps: Vec<(Point, Step)>,
    /// The number of segments before that of the target.
    pub segments: u32,
    /// The part of the program in which the violation has to happen.
    pub target: Extent,
    /// Whether the target can be recognised by places in the program; otherwise its statement is marked by ghost code.
    pub has_place: bool,
    /// The reason, if any, for which a run along the path may not be recognised; then the witness cannot be refuted.
    pub inexact: Option<&'static str>,
}

/// Compares a witness with a program.
///
/// # Errors
/// When the program itself cannot be read.
pub fn lint(
    witness: &Witness,
    subject: &Subject,
    findings: &mut Findings,
) -> Result<Resolved, Error> {
    let mut linter = Linter {
        subject,
        findings,
        property: Specification::default(),
        version: Version::default(),
        resolved: Resolved::default(),
        expressions: Vec::new(),
        ghosts: witness.ghosts(),
        program: None,
    };
    for entry in &witness.entries {
        linter.entry(entry)?;
    }
    let claims = witness.entries.iter().filter(|entry| {
        matches!(
            entry.content,
            Content::Violation(_) | Content::Invariants(_)
        )
    });
    linter.resolved.has_several = claims.count() > 1;
    linter.read_expressions()?;
    Ok(linter.resolved)
}

struct Linter<'l> {
    subject: &'l Subject,
    findings: &'l mut Findings,
    /// The property of the entry that is being checked.
    property: Specification,
    version: Version,
    resolved: Resolved,
    /// Expressions that have to be valid at their points, with the findings if they are not.
    expressions: Vec<(Point, String, Finding)>,
    /// Names of ghost variables, which the program does not have.
    ghosts: Vec<String>,
    /// The loaded program and its property, once needed.
    program: Option<(Specification, Program)>,
}

impl Linter<'_> {
    fn complain(&mut self, at: super::node::Position, message: impl Into<String>) {
        self.findings.add(Finding::new(at, message));
    }

    fn entry(&mut self, entry: &Entry) -> Result<(), Error> {
        self.version = entry.metadata.version;
        if let Some(task) = &entry.metadata.task {
            self.task(task);
        }
        match &entry.content {
            Content::Violation(segments) => self.violation(segments)?,
            Content::Invariants(invariants) => {
                self.resolved.has_invariant_set = true;
                for invariant in invariants {
                    self.invariant(invariant);
                }
            }
            Content::Ghosts(_) => self.unused("ghost variables"),
            Content::Unreadable => {}
        }
        Ok(())
    }

    fn unused(&mut self, what: &str) {
        self.resolved.unused.push(what.to_owned());
    }

    fn task(&mut self, task: &TaskText) {
        let own = base_name(&self.subject.file.to_string_lossy()).to_owned();
        let named = task
            .input_files
            .iter()
            .find(|file| base_name(&file.value) == own);
        if named.is_none()
            && let Some(first) = task.input_files.first()
        {
            let message = format!("the witness is for `{}`, not for `{own}`", first.value);
            self.complain(first.at, message);
        }
        let expected = sha256(self.subject.source.text());
        let mut has_hash = false;
        for (file, hash) in &task.hashes {
            let is_listed = task.input_files.iter().any(|one| one.value == file.value);
            if !is_listed {
                let message = format!("`{}` is not among the input files", file.value);
                self.complain(file.at, message);
            }
            let is_hash =
                hash.value.len() == 64 && hash.value.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_hash {
                let message = format!("`{}` is no SHA-256 in hexadecimal", hash.value);
                self.complain(hash.at, message);
            }
            if base_name(&file.value) != own {
                continue;
            }
            has_hash = true;
            if is_hash && !hash.value.eq_ignore_ascii_case(&expected) {
                let message = format!("the hash is not that of the file, which is {expected}");
                self.complain(hash.at, message);
            }
        }
        if named.is_some() && !has_hash {
            self.complain(task.at, format!("the hash of `{own}` is missing"));
        }
        self.property(task);
        if let Some(model) = &task.data_model {
            let given = self.subject.options.data_model;
            if self.subject.has_data_model && model.value != given {
                let message = "the data model is not the one of the task";
                self.complain(model.at, message);
            }
            if self
                .resolved
                .data_model
                .is_some_and(|known| known != model.value)
            {
                self.complain(model.at, "the data model is not that of the other entries");
            }
            self.resolved.data_model = Some(model.value);
        }
    }

    fn property(&mut self, task: &TaskText) {
        let Some(text) = &task.specification else {
            return;
        };
        match specification(&text.value) {
            Ok(property) => {
                let is_other =
                    self.subject.has_property && property != self.subject.options.property;
                if is_other {
                    let message = "the specification is not the property of the task";
                    self.complain(text.at, message);
                }
                if self
                    .resolved
                    .property
                    .as_ref()
                    .is_some_and(|known| *known != property)
                {
                    let message = "the specification is not that of the other entries";
                    self.complain(text.at, message);
                }
                self.property = property.clone();
                self.resolved.property = Some(property);
            }
            Err(message) if message.starts_with(NOT_SUPPORTED) => self.unused(&message),
            Err(message) => self.complain(text.at, message),
        }
    }

    fn is_own_file(&mut self, location: &Location) -> bool {
        let own = self.subject.file.to_string_lossy();
        let name = &location.file_name;
        let is_own = base_name(&name.value) == base_name(&own);
        let mut further = self.subject.options.further.iter();
        if !is_own
            && further.any(|file| base_name(&file.path.to_string_lossy()) == base_name(&name.value))
        {
            self.unused(&format!("what is said of `{}`", name.value));
        } else if !is_own {
            let message = format!("`{}` is not the program's file", name.value);
            self.complain(name.at, message);
        }
        is_own
    }

    fn find(&mut self, wanted: Wanted, location: &Location) -> Option<Point> {
        if !self.is_own_file(location) {
            return None;
        }
        match find(&self.subject.source, wanted, location) {
            Ok(point) => Some(point),
            Err(finding) => {
                self.findings.add(finding);
                None
            }
        }
    }

    /// Finds the extent of a target: one that its location may mean and that violates the property.
    fn target(&mut self, waypoint: &Waypoint) -> Result<Option<Extent>, Error> {
        let location = &waypoint.location;
        if !self.is_own_file(location) {
            return Ok(None);
        }
        let subject = self.subject;
        let source = &subject.source;
        let extents = match targets(source, location) {
            Ok(extents) => extents,
            Err(finding) => {
                self.findings.add(finding);
                return Ok(None);
            }
        };
        let text = |token: usize| String::from_utf8_lossy(source.bytes(token));
        let is_label =
            |token: usize| source.is(token + 1, b":") && self.property.forbids_label(&text(token));
        let labelled = extents.iter().find(|extent| is_label(extent.first));
        if let Some(labelled) = labelled {
            // The label is reached before the statement.
            return Ok(Some(Extent {
                statement: None,
                ..*labelled
            }));
        }
        let calls = |extent: &&Extent| {
            (extent.first..=extent.last)
                .any(|token| source.is_name(token) && self.property.forbids_call(&text(token)))
        };
        if let Some(calling) = extents.iter().find(calls) {
            return Ok(Some(*calling));
        }
        // The violation may be a call by a macro, a pointer or another name.
        if !self.has_places() {
            return Ok(extents.first().copied());
        }
        let ranges: Vec<(Extent, CountedErrors)> = extents
            .into_iter()
            .map(|extent| (extent, self.counted(extent)))
            .collect();
        let program = self.program()?;
        let happens = |counted: &CountedErrors, place: ErrorPlace| {
            let mut errors = program.errors.iter();
            errors.any(|&error| place_of(program, error, counted) == place)
        };
        let inside = ranges
            .iter()
            .find(|(_, counted)| happens(counted, ErrorPlace::Inside));
        let found = inside.or_else(|| {
            ranges.iter().find(|(extent, counted)| {
                source.calls_unknown(extent.first, extent.last)
                    && happens(counted, ErrorPlace::OfItsCaller)
            })
        });
        if let Some((extent, _)) = found {
            return Ok(Some(*extent));
        }
        let at = location.column.as_ref().map_or(location.line.at, |c| c.at);
        let message = "the target is no violation: nothing there violates the property";
        self.complain(at, message);
        Ok(None)
    }

    /// Checks whether the program's places are lines and columns of the file.
    fn has_places(&self) -> bool {
        let extension = self.subject.file.extension();
        extension.is_some_and(|extension| extension == "i")
            || !self.subject.source.has_line_directives()
    }

    fn counted(&self, extent: Extent) -> CountedErrors {
        let source = &self.subject.source;
        CountedErrors {
            segments: 0,
            target: Some(vec![place_in(source, extent)]),
            is_marked: false,
            forbidden: forbidden(&self.property),
        }
    }

    /// Loads the program without instrumentation.
    fn program(&mut self) -> Result<&Program, Error> {
        let known = self.program.take();
        let known = known.filter(|(property, _)| *property == self.property);
        let program = match known {
            Some((_, program)) => program,
            None => load(&self.subject.file, &self.load_options())?.program,
        };
        let (_, program) = self.program.insert((self.property.clone(), program));
        Ok(program)
    }

    /// Returns the options for reading the program with the entry's property.
    fn load_options(&self) -> LoadOptions {
        LoadOptions {
            text: Some(self.subject.source.text().into()),
            property: self.property.clone(),
            data_model: self
                .resolved
                .data_model
                .unwrap_or(self.subject.options.data_model),
            ..self.subject.options.clone()
        }
    }

    fn invariant(&mut self, invariant: &Invariant) {
        let point = self.find(Wanted::Invariant(invariant.kind), &invariant.location);
        match invariant.kind {
            InvariantKind::Contract => {
                self.contract(invariant, point);
                return self.unused(invariant.kind.name());
            }
            InvariantKind::LoopTransition | InvariantKind::LocationTransition => {
                return self.transition(invariant, point);
            }
            InvariantKind::Loop | InvariantKind::Location => {}
        }
        let words = |text: &str, name: &String| {
            text.split(|one: char| !one.is_alphanumeric() && one != '_')
                .any(|word| word == name)
        };
        if self
            .ghosts
            .iter()
            .any(|name| words(&invariant.value.value, name))
        {
            return self.unused("invariant over ghost variables");
        }
        if invariant.value.value.contains("\\at") && self.version >= Version::V2_1 {
            return self.unused("invariant over states of before (`\\at`)");
        }
        let expression = self.expression(&invariant.value);
        let (Some(point), Some(expression)) = (point, expression) else {
            return;
        };
        let finding = Finding::new(invariant.value.at, invariant.value.value.clone());
        self.expressions.push((point, expression.clone(), finding));
        self.resolved.invariants.push(ResolvedInvariant {
            point,
            expression,
            text: invariant.value.value.clone(),
            place: place_of_location(&invariant.location),
            kind: invariant.kind,
            transition: None,
        });
    }

    /// Resolves a transition invariant, which is used for termination.
    fn transition(&mut self, invariant: &Invariant, point: Option<Point>) {
        let value = &invariant.value;
        let mut ghosts = self.ghosts.iter();
        let is_of_ghosts = ghosts.any(|name| transition::has_word(&value.value, name));
        if !self.property.is_termination() || is_of_ghosts {
            return self.unused(invariant.kind.name());
        }
        let Some(read) = transition::read(&value.value) else {
            return self.unused("transition invariant with a label other than `AnyPrev`");
        };
        let named = |text: &str| Located {
            value: text.to_owned(),
            at: value.at,
        };
        let expression = self.expression(&named(&read.text));
        let earlier = read.earlier.iter();
        let earlier: Option<Vec<String>> =
            earlier.map(|text| self.expression(&named(text))).collect();
        let (Some(point), Some(expression), Some(earlier)) = (point, expression, earlier) else {
            return;
        };
        // The earlier values are of the present ones' types.
        let numbers = 0..earlier.len();
        let declared = numbers.map(|number| {
            let text = &earlier[number];
            format!(
                "__typeof__(({text}) + 0) {} = ({text}) + 0; ",
                previous(number)
            )
        });
        let declared: String = declared.collect();
        let readable = format!("({{ {declared}!({expression}); }})");
        let finding = Finding::new(value.at, value.value.clone());
        self.expressions.push((point, readable, finding));
        self.resolved.invariants.push(ResolvedInvariant {
            point,
            expression,
            text: value.value.clone(),
            place: place_of_location(&invariant.location),
            kind: invariant.kind,
            transition: Some(Transition {
                is_well_founded: transition::is_well_founded(&read),
                earlier,
            }),
        });
    }

    /// Collects a contract's expressions, which have to be valid at the beginning of its function.
    fn contract(&mut self, contract: &Invariant, point: Option<Point>) {
        let Some(Point::Body(open)) = point else {
            return;
        };
        let point = Point::Body(open);
        if let Some(requires) = &contract.requires
            && let Some(expression) = self.expression(requires)
        {
            let finding = Finding::new(requires.at, requires.value.clone());
            self.expressions.push((point, expression, finding));
        }
        let ensures = &contract.value;
        let Some(result) = self.subject.source.call_of_itself(open) else {
            return;
        };
        // The result has the type of a call of the function; old values are those of the same expressions.
        let text = at_beginning(&ensures.value).replace("\\result", RESULT);
        match pure_expression(&text) {
            Ok(expression) => {
                let inside = expression.text.replace(RESULT, &result);
                let finding = Finding::new(ensures.at, ensures.value.clone());
                self.expressions
                    .push((point, format!("sizeof({inside})"), finding));
            }
            Err(error) => {
                let message = format!("`{}`: {}", ensures.value, error.message);
                self.complain(ensures.at, message);
            }
        }
    }

    /// Returns the expression on one line, with checks that the types of its casts are types.
    fn expression(&mut self, value: &Located<String>) -> Option<String> {
        match pure_expression(&value.value) {
            Ok(expression) => {
                let types = expression.types.iter();
                // If the name is not a type, the cast would be a call.
                let types: Vec<String> = types.map(|name| format!("sizeof({name} *)")).collect();
                Some(match types.is_empty() {
                    true => expression.text,
                    false => format!("{} && ({})", types.join(" && "), expression.text),
                })
            }
            Err(error) => {
                self.complain(value.at, format!("`{}`: {}", value.value, error.message));
                None
            }
        }
    }

    fn violation(&mut self, segments: &[Segment]) -> Result<(), Error> {
        let is_cyclic = segments.iter().any(|segment| {
            let mut waypoints = segment.waypoints.iter();
            waypoints.any(|waypoint| waypoint.action == Action::Cycle)
        });
        if self.property.is_termination() {
            self.cyclic(segments);
            return Ok(());
        }
        if is_cyclic {
            self.unused("a path that does not end");
        }
        let mut steps = Vec::new();
        let mut target = None;
        let mut is_whole = !is_cyclic;
        for (segment, number) in segments.iter().zip(0u32..) {
            let is_final = number as usize + 1 == segments.len();
            is_whole &= self.segment(segment, is_final, is_cyclic);
            for waypoint in &segment.waypoints {
                if waypoint.kind == WaypointKind::Target {
                    target = self.target(waypoint)?;
                    continue;
                }
                match self.waypoint(waypoint, number) {
                    Some(step) => steps.push(step),
                    None => is_whole = false,
                }
            }
        }
        if is_whole && let Some(target) = target {
            let has_place = self.has_places();
            let path = ViolationPath {
                inexact: self.inexact(&steps, target, has_place),
                steps,
                segments: (segments.len() as u32).saturating_sub(1),
                target,
                has_place,
            };
            self.resolved.violations.push(path);
        }
        Ok(())
    }

    /// Resolves a path that does not end: segments that are passed once, then those of the cycle.
    fn cyclic(&mut self, segments: &[Segment]) {
        let is_cycle = |segment: &Segment| {
            let last = segment.waypoints.last();
            last.is_some_and(|waypoint| waypoint.action == Action::Cycle)
        };
        let Some(first) = segments.iter().position(is_cycle) else {
            if let Some(last) = segments.last() {
                self.complain(
                    last.at,
                    "the cycle is missing: no segment has `action: cycle`",
                );
            }
            return;
        };
        let mut steps = Vec::new();
        let mut is_whole = true;
        let first_of_cycle = first as u32;
        for (segment, number) in segments.iter().zip(0u32..) {
            is_whole &= self.segment(segment, false, true);
            if number > first_of_cycle && !is_cycle(segment) {
                self.complain(segment.at, "a segment to follow comes after the cycle");
                is_whole = false;
            }
            let is_last = number as usize + 1 == segments.len();
            for waypoint in &segment.waypoints {
                if waypoint.kind == WaypointKind::Target {
                    self.complain(waypoint.at, "a path that does not end has no target");
                    is_whole = false;
                    continue;
                }
                let Some((point, mut step)) = self.waypoint(waypoint, number) else {
                    is_whole = false;
                    continue;
                };
                if waypoint.action == Action::Cycle {
                    steps.extend(departure(waypoint.kind, point, &step));
                    step.returns_to = is_last.then_some(first_of_cycle);
                }
                steps.push((point, step));
            }
        }
        if is_whole {
            self.resolved.cycles.push(CyclicPath { steps });
        }
    }

    /// Returns the reason, if any, for which a run along the path may not be recognised.
    fn inexact(
        &self,
        steps: &[(Point, Step)],
        target: Extent,
        has_place: bool,
    ) -> Option<&'static str> {
        let source = &self.subject.source;
        if !has_place && target.statement.is_none() {
            return Some("places are those of `#line` directives");
        }
        let is_unseen = |extent: Extent| {
            extent.statement.is_none() && source.calls_unknown(extent.first, extent.last)
        };
        if is_unseen(target) {
            return Some("the target may call by a pointer");
        }
        // The automaton enters a call before its arguments are evaluated.
        let closed = |point: &Point| match point {
            Point::Enter(close) | Point::Return(close) => Some(*close),
            Point::Choice(token) | Point::Expression(token) => Some(*token),
            _ => None,
        };
        let is_within = |close: usize| {
            let open = source.partner(close);
            let mut others = steps.iter().filter_map(|(point, _)| closed(point));
            others.any(|other| open < other && other < close)
        };
        let mut entered = steps.iter().filter_map(|(point, _)| match point {
            Point::Enter(close) => Some(*close),
            _ => None,
        });
        entered
            .any(is_within)
            .then_some("waypoints are within the arguments of a call that is to be entered")
    }

    /// Checks the rules for the waypoints of a segment, and returns whether it can be used.
    fn segment(&mut self, segment: &Segment, is_final: bool, is_cyclic: bool) -> bool {
        let follows = |waypoint: &&Waypoint| waypoint.action != Action::Avoid;
        let count = segment.waypoints.iter().filter(follows).count();
        let Some(last) = segment.waypoints.last() else {
            self.complain(segment.at, "the segment has no waypoint");
            return false;
        };
        // A data race has two targets.
        let targets = |waypoint: &Waypoint| waypoint.kind == WaypointKind::Target;
        let is_race = is_final
            && self.version >= Version::V2_2
            && count == 2
            && segment.waypoints.iter().filter(follows).all(targets);
        if is_race {
            self.unused("a data race");
            return false;
        }
        let mut is_right = true;
        if last.action == Action::Avoid {
            self.complain(last.at, "the segment does not end in a waypoint to follow");
            is_right = false;
        }
        if count > 1 {
            self.complain(segment.at, "the segment has several waypoints to follow");
            is_right = false;
        }
        let has_target = last.kind == WaypointKind::Target && last.action == Action::Follow;
        if is_final && !has_target && !is_cyclic {
            self.complain(last.at, "the target is missing: the last waypoint is none");
            is_right = false;
        }
        if has_target && !is_final {
            self.complain(last.at, "a waypoint comes after the target");
            is_right = false;
        }
        for waypoint in &segment.waypoints {
            if targets(waypoint) && waypoint.action != Action::Follow {
                self.complain(waypoint.at, "a target is to be followed");
                is_right = false;
            }
        }
        let mut threads = segment
            .waypoints
            .iter()
            .filter_map(|one| one.thread.as_ref());
        if threads.any(|thread| thread.value != 0) {
            self.unused("a path of several threads");
            return false;
        }
        is_right
    }

    fn waypoint(&mut self, waypoint: &Waypoint, segment: u32) -> Option<(Point, Step)> {
        let point = self.find(Wanted::Waypoint(waypoint.kind), &waypoint.location);
        let condition = match (&waypoint.constraint, waypoint.kind) {
            (None, _) => None,
            (Some(constraint), WaypointKind::Branching) => {
                let value = constraint.value.value.trim().to_owned();
                if value == "default" {
                    return self.default_step(point?, waypoint, segment);
                }
                if let Some(Point::Branch(number)) = point
                    && !self.branch_value(number, &value)
                {
                    let message = format!("`{value}` is no value of this branching");
                    self.complain(constraint.value.at, message);
                }
                Some(value)
            }
            (Some(constraint), WaypointKind::FunctionReturn) => {
                Some(self.result(&constraint.value, point)?)
            }
            (Some(constraint), _) => {
                let expression = self.expression(&constraint.value)?;
                if let Some(point) = point {
                    let value = &constraint.value;
                    let finding = Finding::new(value.at, value.value.clone());
                    self.expressions.push((point, expression.clone(), finding));
                }
                Some(expression)
            }
        };
        let step = Step {
            segment,
            advances: waypoint.action != Action::Avoid,
            condition,
            returns_to: None,
        };
        Some((point?, step))
    }

    /// Returns a step that is passed when no case of a `switch` has the value.
    fn default_step(
        &mut self,
        point: Point,
        waypoint: &Waypoint,
        segment: u32,
    ) -> Option<(Point, Step)> {
        use regatta_frontend::statements::StatementKind;
        let source = &self.subject.source;
        let cases = match point {
            Point::Branch(number) => match source.statements()[number].kind {
                StatementKind::Switch(_) => Some(source.cases(number)),
                _ => None,
            },
            _ => None,
        };
        let Some(cases) = cases else {
            let message = "`default` is no value of this branching";
            self.complain(waypoint.at, message);
            return None;
        };
        let cases: Vec<String> = cases.into_iter().map(|case| source.words(case)).collect();
        let step = Step {
            segment,
            advances: waypoint.action != Action::Avoid,
            condition: Some(default_of(&cases)),
            returns_to: None,
        };
        Some((point, step))
    }

    /// Checks whether the statement can branch by the value: a `switch` has numbers, other statements truth values.
    fn branch_value(&self, statement: usize, value: &str) -> bool {
        use regatta_frontend::statements::StatementKind;
        let statement = &self.subject.source.statements()[statement];
        let is_number = value.parse::<i128>().is_ok();
        is_number == matches!(statement.kind, StatementKind::Switch(_))
    }

    /// Returns the condition on a call's result, with `\result` replaced by [`RESULT`].
    fn result(&mut self, value: &Located<String>, point: Option<Point>) -> Option<String> {
        if !value.value.contains("\\result") {
            let message = format!("`{}` does not speak of `\\result`", value.value);
            self.complain(value.at, message);
            return None;
        }
        let text = value.value.replace("\\result", RESULT);
        let expression = match pure_expression(&text) {
            Ok(expression) => expression.text,
            Err(error) => {
                self.complain(value.at, format!("`{}`: {}", value.value, error.message));
                return None;
            }
        };
        // Checked with the unevaluated call in place of the result.
        if let Some(Point::Return(close)) = point {
            let source = &self.subject.source;
            let first = source.callee_start(source.partner(close));
            let call = format!("({})", source.words(first..close + 1));
            let inside = format!("sizeof({})", expression.replace(RESULT, &call));
            let finding = Finding::new(value.at, value.value.clone());
            self.expressions
                .push((Point::Enter(close), inside, finding));
        }
        Some(expression)
    }

    /// Checks with the front end that all expressions are valid at their points.
    fn read_expressions(&mut self) -> Result<(), Error> {
        let expressions = std::mem::take(&mut self.expressions);
        if expressions.is_empty() {
            return Ok(());
        }
        let all: Vec<usize> = (0..expressions.len()).collect();
        if self.reads(&expressions, &all).is_ok() {
            return Ok(());
        }
        // Check the program alone, so that its own errors are not attributed to the witness.
        self.reads(&expressions, &[])?;
        let mut work = vec![all];
        while let Some(group) = work.pop() {
            match (self.reads(&expressions, &group), group.as_slice()) {
                (Ok(()), _) | (_, []) => {}
                (Err(error), &[one]) => {
                    let Finding { at, message } = &expressions[one].2;
                    let message = format!(
                        "`{message}` cannot be read there: {}: {}",
                        error.kind().title(),
                        error.message()
                    );
                    self.complain(*at, message);
                }
                (Err(_), group) => {
                    let (left, right) = group.split_at(group.len() / 2);
                    work.push(right.to_vec());
                    work.push(left.to_vec());
                }
            }
        }
        Ok(())
    }

    fn reads(
        &self,
        expressions: &[(Point, String, Finding)],
        chosen: &[usize],
    ) -> Result<(), Error> {
        let chosen = chosen.iter().map(|&one| &expressions[one]);
        // The value must be usable as a condition.
        let chosen: Vec<(Point, String)> = chosen
            .map(|(point, text, _)| (*point, format!("!({text})")))
            .collect();
        let options = LoadOptions {
            text: Some(with_expressions(&self.subject.source, &chosen).into()),
            ..self.load_options()
        };
        load(&self.subject.file, &options).map(drop)
    }
}

/// Returns the step by which a path leaves its cycle: the waypoint is evaluated, but not passed.
fn departure(kind: WaypointKind, point: Point, step: &Step) -> Option<(Point, Step)> {
    let condition = step.condition.as_ref()?;
    let departure = Step {
        advances: false,
        condition: Some(match kind {
            WaypointKind::Branching => other_branch(condition),
            _ => format!("!({condition})"),
        }),
        ..step.clone()
    };
    Some((point, departure))
}

/// Describes a location for messages.
fn place_of_location(location: &Location) -> String {
    let (file, line) = (&location.file_name.value, location.line.value);
    match &location.column {
        Some(column) => format!("{file}:{line}:{}", column.value),
        None => format!("{file}:{line}"),
    }
}

/// Replaces `\old(…)` and `\at(…, Old)` in a contract's expression by their operands.
fn at_beginning(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    let begins = |text: &str| ["\\old(", "\\at("].map(|word| text.find(word));
    while let Some(begin) = begins(rest).into_iter().flatten().min() {
        let is_at = rest[begin..].starts_with("\\at(");
        let open = begin + rest[begin..].find('(').unwrap_or_default();
        let Some(length) = closed_by(&rest[open..]) else {
            break;
        };
        let inner = &rest[open + 1..open + length];
        let about = match is_at {
            true => match inner.rsplit_once(',') {
                Some((about, "Old" | " Old" | "Pre" | " Pre")) => about,
                // An unknown label is left as it is, and reported when the expression is parsed.
                _ => break,
            },
            false => inner,
        };
        result.push_str(&rest[..begin]);
        result.push_str(&format!("({})", at_beginning(about)));
        rest = &rest[open + length + 1..];
    }
    result.push_str(rest);
    result
}

/// Returns the offset of the parenthesis that closes the one at the beginning of the text.
fn closed_by(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The beginning of messages about valid properties that are not supported.
const NOT_SUPPORTED: &str = "property not supported";

/// Parses a property of a witness: a line of a property file, or the formula alone.
///
/// # Errors
/// When it is neither.
fn specification(text: &str) -> Result<Specification, String> {
    if text
        .split_whitespace()
        .eq(OWN_SPECIFICATION.split_whitespace())
    {
        return Ok(Specification::default());
    }
    let whole = match text.contains("CHECK") {
        true => text.to_owned(),
        false => format!("CHECK( init(main()), LTL({text}) )"),
    };
    Specification::parse("", &whole).map_err(|error| error.message().to_owned())
}

/// Returns the range of the extent in the file.
pub fn place_in(source: &SourceText, extent: Extent) -> TextRange {
    let (line, column) = source.position(extent.last);
    let length = source.bytes(extent.last).len() as u32;
    TextRange {
        file: source.name().to_owned(),
        function: source.function(extent.first).unwrap_or_default().to_owned(),
        first: source.position(extent.first),
        last: (line, column + length.saturating_sub(1)),
    }
}

/// Returns the functions whose call violates the property.
pub fn forbidden(property: &Specification) -> Vec<String> {
    match &property.forbidden {
        Forbidden::Assertions => ["reach_error", "__VERIFIER_error"]
            .map(str::to_owned)
            .to_vec(),
        Forbidden::Listed { calls, .. } => calls.iter().cloned().collect(),
    }
}

/// Returns the last component of a path; directories are ignored because witnesses may come from another machine.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

//! Translates the execution of a confirmed alarm to the waypoints of a violation witness.
//!
//! The execution is repeated and observed. The value of an input is written where a validator can check it first: as an
//! assumption at the next statement if a variable in scope has the value there (which validators support best), or else as the
//! return value of the call. Between them, each decision of a branch is written. Waypoints may be left out: the execution
//! still passes the others in their order.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::expression;
use super::write::{Place, SourceLines};
use regatta_certify::replay::Violation;
use regatta_program::interpreter::{Executable, Machine, Observer, ReplayInputs, StateView};
use regatta_program::termination::saved_for;
use regatta_program::{
    EdgeId, FunctionId, InputId, InputKind, Names, Operation, Program, Role, Scope, Span,
    VariableId, Waypoint, WaypointKind, interpreter,
};
use regatta_term::{Symbol, TermId, Value, evaluate, free_variables, store};

/// Maximum number of waypoints; of a longer execution only the first part is written.
const MAXIMUM_WAYPOINTS: usize = 4_000;

/// Maximum number of waypoints up to which branchings are written; most decisions follow from the values of inputs.
const MAXIMUM_BRANCHINGS: usize = 1_000;

/// Maximum number of observed steps of an execution.
const MAXIMUM_STEPS: u64 = 20_000_000;

/// The time limit of the observation.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    deadline: Instant,
}

impl Limits {
    /// Returns a limit of a third of the remaining time, at most 5 s.
    pub fn of(time_left: Option<Duration>) -> Self {
        let most = Duration::from_secs(5);
        let time = time_left.map_or(most, |left| (left / 3).min(most));
        Self {
            deadline: Instant::now() + time,
        }
    }
}

/// A waypoint of a violation witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessWaypoint {
    /// The C expression holds before the statement.
    Assumption { at: Place, value: String },
    /// The condition at the keyword has the truth value, or the switch takes the case.
    Branching { at: Place, value: String },
    /// The call has returned the value.
    FunctionReturn { at: Place, value: String },
    /// The violation.
    Target { at: Place },
}

impl WitnessWaypoint {
    /// Returns the place of the waypoint.
    const fn at(&self) -> &Place {
        match self {
            Self::Assumption { at, .. }
            | Self::Branching { at, .. }
            | Self::FunctionReturn { at, .. }
            | Self::Target { at } => at,
        }
    }
}

/// Returns the waypoints of the execution in the file, in order; the last one is the target, in whichever file.
pub fn of_run(
    program: &Program,
    executable: &Executable,
    violation: &Violation,
    limits: Limits,
    lines: &SourceLines,
) -> Vec<WitnessWaypoint> {
    let mut follower = Follower::new(program, violation);
    let reached = follower.follow(executable, violation, limits);
    let span = match follower.last_statement.filter(|_| reached) {
        Some(statement) => statement.span,
        // The place is the call's, whose column may differ from the statement's.
        None => Span {
            column: 0,
            ..program.location(violation.location).span
        },
    };
    let at = Place {
        // Without a column, validators take the first statement of the line.
        column: Some(u32::from(span.column))
            .filter(|&column| column > 0 && !lines.is_first(program, span)),
        function: None,
        ..Place::of(program, span, None)
    };
    let mut result = follower.followed;
    result.retain(|followed| lines.is_of_file(followed.at()));
    result.push(WitnessWaypoint::Target { at });
    result
}

/// Returns the waypoints of an execution that goes on for ever, as far as they are in the file: those up to the first visit of
/// the state that comes again, and those from there to the next visit; `None` if the latter has none.
pub fn of_endless_run(
    program: &Program,
    executable: &Executable,
    violation: &Violation,
    limits: Limits,
    lines: &SourceLines,
) -> Option<(Vec<WitnessWaypoint>, Vec<WitnessWaypoint>)> {
    let saved = saved_for(program, violation.location)?;
    let mut follower = Follower::new(program, violation);
    follower.saved = Some(saved);
    if !follower.follow(executable, violation, limits) {
        return None;
    }
    let is_cut = follower.followed.len() >= MAXIMUM_BRANCHINGS;
    let (begin, passed) = (follower.lap?, follower.passed_in_lap);
    let mut stem = follower.followed;
    let mut cycle = stem.split_off(begin.min(stem.len()));
    for waypoints in [&mut stem, &mut cycle] {
        waypoints.retain(|waypoint| lines.is_of_file(waypoint.at()));
    }
    if is_cut || cycle.is_empty() {
        // A waypoint that is missing would be one at which the cycle is left.
        cycle.clear();
        cycle.extend(passed.filter(|waypoint| lines.is_of_file(waypoint.at())));
    }
    (!cycle.is_empty()).then_some((stem, cycle))
}

/// An input that is not written yet, and the variable that has its value.
struct Drawn {
    input: InputId,
    value: Value,
    /// The number of waypoints before it.
    position: usize,
    /// The function that reads the input.
    function: FunctionId,
    /// The first source variable that depends on it, with the variable's value.
    assigned: Option<(VariableId, Value)>,
}

struct Follower<'a> {
    program: &'a Program,
    names: Names<'a>,
    /// The remaining inputs of the journal.
    journal: std::slice::Iter<'a, (InputId, Value)>,
    /// Whether the inputs read so far are those of the journal.
    is_in_step: bool,
    followed: Vec<WitnessWaypoint>,
    drawn: Vec<Drawn>,
    /// The values of variables that are computed from inputs since the last statement, and the last of these inputs in `drawn`.
    known: FxHashMap<Symbol, (Value, usize)>,
    last_statement: Option<Waypoint>,
    /// Whether the last edge led to a function's exit.
    has_returned: bool,
    /// The variable that becomes true where the state is saved that comes again.
    saved: Option<VariableId>,
    /// The number of waypoints up to there.
    lap: Option<usize>,
    /// A waypoint after that which is passed whatever the values of variables are: the first statement, or else a loop.
    passed_in_lap: Option<WitnessWaypoint>,
}

impl<'a> Follower<'a> {
    fn new(program: &'a Program, violation: &'a Violation) -> Self {
        Self {
            program,
            names: Names::new(&program.waypoints),
            journal: violation.inputs.entries.iter(),
            is_in_step: true,
            followed: Vec::new(),
            drawn: Vec::new(),
            known: FxHashMap::default(),
            last_statement: None,
            has_returned: false,
            saved: None,
            lap: None,
            passed_in_lap: None,
        }
    }

    /// Follows the execution to its end. Returns whether that is the violation.
    fn follow(&mut self, executable: &Executable, violation: &Violation, limits: Limits) -> bool {
        let mut inputs = ReplayInputs::new(&violation.inputs);
        let limits = interpreter::Limits {
            steps: MAXIMUM_STEPS,
            deadline: Some(limits.deadline),
            ..interpreter::Limits::default()
        };
        let report = Machine::new(executable).run_observed(&mut inputs, limits, self);
        self.settle_all();
        let end = interpreter::Outcome::Error {
            location: violation.location,
        };
        report.outcome == end
    }

    fn is_full(&self) -> bool {
        self.followed.len() >= MAXIMUM_WAYPOINTS
    }

    /// Drops what is known of local variables, which belong to another activation from here on.
    fn change_activation(&mut self) {
        self.known.clear();
        for drawn in &mut self.drawn {
            let is_local =
                |variable: VariableId| self.program.variable(variable).scope != Scope::Global;
            drawn.assigned = drawn
                .assigned
                .take()
                .filter(|(variable, _)| !is_local(*variable));
        }
    }

    fn operation(&mut self, operation: &Operation, function: FunctionId) {
        match operation {
            Operation::Havoc { target, input } => self.draw(*target, *input, function),
            Operation::Assign { target, value } => {
                if self.saved == Some(*target) && *value == TermId::TRUE {
                    self.begin_lap();
                }
                self.forget(*target);
                if self.known.is_empty() {
                    return;
                }
                let known = &self.known;
                let lookup = |symbol: Symbol, _: u32| known.get(&symbol).map(|one| one.0.clone());
                let Ok(result) = evaluate(store(), *value, &lookup) else {
                    return;
                };
                let variables = free_variables(store(), *value).into_iter();
                let from = variables.filter_map(|(symbol, _)| known.get(&symbol).map(|one| one.1));
                if let Some(from) = from.max() {
                    self.know(*target, result, from);
                }
            }
            Operation::Call { .. } => self.change_activation(),
            _ => {}
        }
    }

    /// Begins with the waypoints of the cycle. What comes before is written at the calls that it is from.
    fn begin_lap(&mut self) {
        self.settle_all();
        self.known.clear();
        self.lap = Some(self.followed.len());
        self.passed_in_lap = None;
    }

    /// Drops what is known of a variable that is written.
    fn forget(&mut self, variable: VariableId) {
        if !self.known.is_empty() {
            self.known.remove(&self.program.variable(variable).symbol);
        }
        for drawn in &mut self.drawn {
            drawn.assigned = drawn.assigned.take().filter(|one| one.0 != variable);
        }
    }

    fn know(&mut self, variable: VariableId, value: Value, from: usize) {
        let description = self.program.variable(variable);
        if description.role == Role::Source
            && let Some(drawn) = self.drawn.get_mut(from)
            && drawn.assigned.is_none()
        {
            drawn.assigned = Some((variable, value.clone()));
        }
        self.known.insert(description.symbol, (value, from));
    }

    fn draw(&mut self, target: VariableId, input: InputId, function: FunctionId) {
        self.forget(target);
        let next = self.journal.next();
        let Some((_, value)) = next.filter(|(id, _)| *id == input) else {
            self.is_in_step = false;
            return;
        };
        let is_said = match self.program.inputs[input.index()].kind {
            InputKind::Nondet(_) => true,
            // Validators take an input without a waypoint as zero.
            InputKind::Uninitialised => {
                *value != Value::of_integer(0, self.program.variable(target).sort)
            }
            _ => false,
        };
        if !is_said || value.as_array().is_some() || self.is_full() {
            return;
        }
        self.drawn.push(Drawn {
            input,
            value: value.clone(),
            position: self.followed.len(),
            function,
            assigned: None,
        });
        self.know(target, value.clone(), self.drawn.len() - 1);
    }

    fn waypoint(&mut self, waypoint: Waypoint, function: FunctionId) {
        let Waypoint { kind, span, .. } = waypoint;
        self.note_in_lap(kind, Place::of(self.program, span, Some(function)));
        if kind == WaypointKind::Statement {
            self.last_statement = Some(waypoint);
            self.settle(waypoint, function);
        }
        if span.column == 0 || self.followed.len() >= MAXIMUM_BRANCHINGS {
            return;
        }
        let value = match kind {
            WaypointKind::Branch(truth) => truth.to_string(),
            WaypointKind::Switch(Some(value)) => value.to_string(),
            WaypointKind::Switch(None) => "default".to_owned(),
            WaypointKind::Statement | WaypointKind::Loop => return,
        };
        let at = Place::of(self.program, span, Some(function));
        self.followed.push(WitnessWaypoint::Branching { at, value });
    }

    /// Remembers a waypoint of the cycle that is passed whatever the values of variables are.
    fn note_in_lap(&mut self, kind: WaypointKind, at: Place) {
        let is_known = matches!(self.passed_in_lap, Some(WitnessWaypoint::Assumption { .. }));
        if self.lap.is_none() || at.column.is_none() || is_known {
            return;
        }
        match kind {
            WaypointKind::Statement => {
                let value = "1".to_owned();
                self.passed_in_lap = Some(WitnessWaypoint::Assumption { at, value });
            }
            WaypointKind::Loop if self.passed_in_lap.is_none() => {
                let value = "true".to_owned();
                self.passed_in_lap = Some(WitnessWaypoint::Branching { at, value });
            }
            WaypointKind::Loop | WaypointKind::Branch(_) | WaypointKind::Switch(_) => {}
        }
    }

    /// Writes the pending inputs as assumptions at a statement, or at their calls.
    fn settle(&mut self, statement: Waypoint, function: FunctionId) {
        if self.drawn.is_empty() {
            return;
        }
        let mut texts: Vec<String> = Vec::new();
        let drawn = std::mem::take(&mut self.drawn);
        let mut inserted = 0;
        for mut drawn in drawn {
            drawn.position += inserted;
            let text = drawn.assigned.as_ref().and_then(|(variable, value)| {
                let name = self.names.of(*variable, statement.time)?;
                expression::equation(self.program, *variable, &name, value)
            });
            match text.filter(|_| statement.span.column > 0 && self.is_in_step) {
                Some(text) => {
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                None => inserted += usize::from(self.settle_at_call(drawn)),
            }
        }
        self.known.clear();
        if !texts.is_empty() {
            let at = Place::of(self.program, statement.span, Some(function));
            let value = texts.join(" && ");
            self.followed
                .push(WitnessWaypoint::Assumption { at, value });
        }
    }

    /// Writes the return value of a call, if possible. Returns whether it was.
    fn settle_at_call(&mut self, drawn: Drawn) -> bool {
        let end = self.program.waypoints.call_end(drawn.input);
        let Some(end) = end.filter(|end| end.column > 0 && self.is_in_step) else {
            return false;
        };
        let c_type = self.program.inputs[drawn.input.index()].c_type;
        let Some(literal) = expression::literal(&drawn.value, c_type) else {
            return false;
        };
        let at = Place::of(self.program, end, Some(drawn.function));
        let value = format!("\\result == {literal}");
        let position = drawn.position.min(self.followed.len());
        self.followed
            .insert(position, WitnessWaypoint::FunctionReturn { at, value });
        true
    }

    /// Writes the pending inputs at the end of the execution.
    fn settle_all(&mut self) {
        let mut inserted = 0;
        for mut drawn in std::mem::take(&mut self.drawn) {
            drawn.position += inserted;
            inserted += usize::from(self.settle_at_call(drawn));
        }
    }
}

impl Observer for Follower<'_> {
    fn edge(&mut self, edge: EdgeId, _: &StateView<'_>) {
        let program = self.program;
        let passed = program.waypoints.of_edge(edge);
        let edge = program.edge(edge);
        let function = program.location(edge.source).function;
        if self.has_returned {
            self.change_activation();
        }
        let mut next = 0;
        for (number, operation) in edge.operations.iter().enumerate() {
            while let Some(one) = passed
                .get(next)
                .filter(|one| one.operation as usize <= number)
            {
                self.waypoint(one.waypoint, function);
                next += 1;
            }
            self.operation(operation, function);
        }
        for one in &passed[next..] {
            self.waypoint(one.waypoint, function);
        }
        self.has_returned = program.function(function).exit == edge.target;
    }
}

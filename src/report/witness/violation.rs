//! From the run of a confirmed alarm to the waypoints that it passes.
//!
//! The run is repeated and watched. What the program got from outside is said where it can be checked first: at the next
//! statement, if a variable in scope has the value there (validators know that best), else at the call itself. In
//! between, each decision of a branch is said. Whatever is left out, the run still passes the others in their order.

use std::path::Path;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::expression;
use super::write::{Place, SourceLines};
use regatta_certify::replay::Violation;
use regatta_program::interpreter::{Executable, Machine, Observer, ReplayInputs, StateView};
use regatta_program::{
    EdgeId, FunctionId, InputId, InputKind, Names, Operation, Program, Role, Scope, Span,
    VariableId, Waypoint, WaypointKind, interpreter,
};
use regatta_term::{Symbol, Value, evaluate, free_variables, store};

/// More waypoints are not written: a run that loops for long is followed for its first part.
const MOST_WAYPOINTS: usize = 4_000;

/// Of decisions fewer are: most follow from the values.
const MOST_BRANCHINGS: usize = 1_000;

/// Steps of a run that are watched.
const MOST_STEPS: u64 = 20_000_000;

/// How long a run is watched.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    deadline: Instant,
}

impl Limits {
    /// A part of the time that is left.
    pub fn of(time_left: Option<Duration>) -> Self {
        let most = Duration::from_secs(5);
        let time = time_left.map_or(most, |left| (left / 3).min(most));
        Self {
            deadline: Instant::now() + time,
        }
    }
}

/// What a run passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The C expression holds before the statement.
    Assumption { at: Place, value: String },
    /// The condition of the keyword has been evaluated so, or the switch goes so.
    Branching { at: Place, value: String },
    /// What the call has returned.
    FunctionReturn { at: Place, value: String },
    /// The violation.
    Target { at: Place },
}

impl Followed {
    /// Where it is.
    const fn at(&self) -> &Place {
        match self {
            Self::Assumption { at, .. }
            | Self::Branching { at, .. }
            | Self::FunctionReturn { at, .. }
            | Self::Target { at } => at,
        }
    }
}

/// The waypoints of the run in the file, in order; the last one is the target, wherever that is.
pub fn of_run(
    program: &Program,
    executable: &Executable,
    violation: &Violation,
    limits: Limits,
    file: &Path,
) -> Vec<Followed> {
    let mut follower = Follower::new(program, violation);
    let mut inputs = ReplayInputs::new(&violation.inputs);
    let limits = interpreter::Limits {
        steps: MOST_STEPS,
        deadline: Some(limits.deadline),
        ..interpreter::Limits::default()
    };
    let report = Machine::new(executable).run_observed(&mut inputs, limits, &mut follower);
    follower.settle_all();
    let reached = report.outcome
        == interpreter::Outcome::Error {
            location: violation.location,
        };
    let span = match follower.last_statement.filter(|_| reached) {
        Some(statement) => statement.span,
        // The call's place; its column need not be the statement's.
        None => Span {
            column: 0,
            ..program.location(violation.location).span
        },
    };
    let lines = SourceLines::read(file);
    let at = Place {
        // Validators find the statement best by its line.
        column: Some(u32::from(span.column))
            .filter(|&column| column > 0 && !lines.is_first(program, span)),
        function: None,
        ..Place::of(program, span, None)
    };
    let mut result = follower.followed;
    result.retain(|followed| lines.is_of_file(followed.at()));
    result.push(Followed::Target { at });
    result
}

/// A value that the program got from outside, and what has become of it since.
struct Drawn {
    input: InputId,
    value: Value,
    /// How many waypoints there were before.
    position: usize,
    /// The function in which that was.
    function: FunctionId,
    /// The variable of the source that depends on it, and what it holds.
    assigned: Option<(VariableId, Value)>,
}

struct Follower<'a> {
    program: &'a Program,
    names: Names<'a>,
    /// The inputs that are still to come.
    journal: std::slice::Iter<'a, (InputId, Value)>,
    /// Whether the edges ask for the journal's inputs.
    is_in_step: bool,
    followed: Vec<Followed>,
    drawn: Vec<Drawn>,
    /// Values of variables that follow from inputs since the last statement, and the last of the `drawn` among these.
    known: FxHashMap<Symbol, (Value, usize)>,
    last_statement: Option<Waypoint>,
    /// Whether the last edge was a function's last.
    has_returned: bool,
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
        }
    }

    fn is_full(&self) -> bool {
        self.followed.len() >= MOST_WAYPOINTS
    }

    /// Another activation is at work from here on: locals are not those that they were.
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

    /// The variable is written.
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
            // What is not said is taken for zero.
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
        if kind == WaypointKind::Statement {
            self.last_statement = Some(waypoint);
            self.settle(waypoint, function);
        }
        if span.column == 0 || self.followed.len() >= MOST_BRANCHINGS {
            return;
        }
        let value = match kind {
            WaypointKind::Branch(truth) => truth.to_string(),
            WaypointKind::Switch(Some(value)) => value.to_string(),
            WaypointKind::Switch(None) => "default".to_owned(),
            WaypointKind::Statement | WaypointKind::Loop => return,
        };
        let at = Place::of(self.program, span, Some(function));
        self.followed.push(Followed::Branching { at, value });
    }

    /// Says what has been drawn, now that a statement is at hand.
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
            self.followed.push(Followed::Assumption { at, value });
        }
    }

    /// Says what a call has returned, if that is possible; tells whether it was.
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
            .insert(position, Followed::FunctionReturn { at, value });
        true
    }

    /// The run is over.
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

//! Executions that go on for ever without a state that comes again: each input always has the same value, and a proof shows
//! that an execution with these values never ends.
//!
//! The states that such an execution comes to are a closed recurrence set, and what has to be proved
//! is that no end of the program is reached \[CCF+14\]. So all engines look for its invariants.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::limits::{MAXIMUM_ENDLESS, REFUTING_STEPS, SAMPLED_STEPS};
use super::loops::{Loops, choice, failure};
use super::recurrence::may_not_return;
use super::samples::{RandomInputs, random};
use crate::cfa::*;
use crate::interpreter::{Executable, InputSource, Limits, Machine, Observer, Outcome, StateView};
use crate::simplify;
use regatta_term::{Build, Sort, TermId, Value, store};

/// The values of inputs with which an execution seems to go on for ever.
pub struct Endless {
    values: FxHashMap<InputId, Value>,
    /// The head of the loop in which it does so.
    pub head: LocationId,
}

impl Endless {
    /// Runs the program with inputs that always have the same values. Of the runs that do not end it passes over `tried`,
    /// those with the numbers nearest to zero first.
    ///
    /// # Errors
    /// When no further run goes on, or a run that goes on would not show that an execution goes on for ever.
    pub fn find(program: &Program, tried: usize) -> Result<Self, Obstacle> {
        if program.externals.iter().any(may_not_return) {
            return Err(Obstacle(
                "it is not known whether a function without a definition returns",
            ));
        }
        let loops = Loops::new(program);
        if let Some(obstacle) = loops.repeats_allocation() {
            return Err(obstacle);
        }
        let executable = Executable::compile(program);
        let found = random().filter_map(|random| {
            let mut inputs = ConstantInputs::new(random);
            goes_on(&executable, &mut inputs, SAMPLED_STEPS)?;
            let last = goes_on(&executable, &mut inputs, REFUTING_STEPS)?;
            let mut values = inputs.values;
            values.retain(|&input, _| is_free(program.input(input)));
            Some((values, last))
        });
        let mut found: Vec<_> = found.take(MAXIMUM_ENDLESS).collect();
        found.sort_by_key(|(values, _)| values.values().map(magnitude).sum::<u128>());
        found.dedup();
        let none = Obstacle("no execution seems to go on for ever");
        let (values, last) = found.into_iter().nth(tried).ok_or(none)?;
        let target = program.edge(last).target;
        let around = loops.all().iter().filter(|cycle| cycle.contains(target));
        let outermost = around.min_by_key(|cycle| cycle.depth);
        Ok(Self {
            head: outermost.map_or(target, |cycle| cycle.head),
            values,
        })
    }

    /// The program in which the inputs that may have any value have the values.
    pub fn with_values(&self, program: &Program) -> Program {
        let mut result = program.clone();
        result.retain_errors(|_| false);
        for edge in &mut result.edges {
            for operation in &mut edge.operations {
                let Operation::Havoc { target, input } = *operation else {
                    continue;
                };
                let described = &program.inputs[input.index()];
                if !is_free(described) {
                    continue;
                }
                let value = self.values.get(&input).cloned();
                let value = value.unwrap_or_else(|| Value::zero(described.sort));
                *operation = Operation::Assign {
                    target,
                    value: store().value(&value),
                };
            }
        }
        result
    }

    /// For each assumption of the program with the values whether it may be violated.
    pub fn open_assumptions(&self, with_values: &Program) -> Vec<bool> {
        // What leads to no error would not count.
        let mut program = with_values.clone();
        let exits: FxHashSet<LocationId> = program.functions.iter().map(|one| one.exit).collect();
        for number in 0..with_values.locations.len() as u32 {
            let location = LocationId(number);
            if !exits.contains(&location) {
                let error = failure(&mut program, location);
                let (may_fail, input) = choice(&mut program, "execution may fail", location);
                let operations = vec![input, Operation::Assume(may_fail)];
                program.connect(location, error, operations);
            }
        }
        simplify::open_assumptions(&program)
    }

    /// The program in which an error is reached at the head of the loop.
    pub fn until_head(&self, program: &Program) -> Program {
        let mut result = program.clone();
        result.retain_errors(|_| false);
        let error = failure(&mut result, self.head);
        let (is_reached, choose) = choice(&mut result, "the loop is reached", self.head);
        let chosen = result.add_location_like(self.head);
        for edge in &mut result.edges {
            if edge.source == self.head {
                edge.source = chosen;
            }
        }
        let made = result.add_location_like(self.head);
        result.connect(self.head, made, vec![choose]);
        result.connect(made, error, vec![Operation::Assume(is_reached)]);
        let goes_on = Operation::Assume(store().not(is_reached));
        result.connect(made, chosen, vec![goes_on]);
        result
    }

    /// Inputs for a run of [`Self::until_head`].
    pub fn inputs(&self) -> impl InputSource + use<> {
        ConstantInputs {
            random: None,
            values: self.values.clone(),
        }
    }
}

/// Makes errors of all ends of executions: where the program returns or is left, and where no edge can be taken.
pub fn fail_at_ends(program: &mut Program) {
    separate_assumptions(program);
    let mut returns = vec![false; program.locations.len()];
    for (function, number) in program.functions.iter().zip(0..) {
        returns[function.exit.index()] = FunctionId(number) != program.start;
    }
    let outgoing = program.outgoing();
    for (number, edges) in outgoing.iter().enumerate() {
        let location = LocationId(number as u32);
        if edges.is_empty() {
            if !returns[number] {
                program.add_error(location, Property::Termination);
            }
            continue;
        }
        let passed = edges.iter().map(|&edge| condition(program.edge(edge)));
        let is_stuck = store().not(store().or(passed));
        if is_stuck != TermId::FALSE {
            let error = failure(program, location);
            program.connect(location, error, vec![Operation::Assume(is_stuck)]);
        }
    }
}

/// Divides the edges so that what they assume comes before everything else.
fn separate_assumptions(program: &mut Program) {
    let is_assumption = |operation: &Operation| matches!(operation, Operation::Assume(_));
    let mut next = 0;
    while next < program.edges.len() {
        let edge = &program.edges[next];
        let first = edge.operations.iter().position(|one| !is_assumption(one));
        let first = first.unwrap_or(edge.operations.len());
        let late = edge.operations[first..].iter().position(is_assumption);
        if let Some(late) = late {
            let middle = program.add_location_like(edge.source);
            let edge = &mut program.edges[next];
            let operations = edge.operations.split_off(first + late);
            let target = std::mem::replace(&mut edge.target, middle);
            let span = edge.span;
            program.add_edge(Edge {
                source: middle,
                target,
                operations,
                span,
            });
        }
        next += 1;
    }
}

/// The condition on which the edge can be taken, if what it assumes comes first.
fn condition(edge: &Edge) -> TermId {
    let assumed = edge
        .operations
        .iter()
        .map_while(|operation| match operation {
            Operation::Assume(condition) => Some(*condition),
            _ => None,
        });
    store().and(assumed)
}

/// The distance of a number from zero.
fn magnitude(value: &Value) -> u128 {
    value
        .as_bit_vec()
        .map_or(0, |bits| bits.signed().unsigned_abs())
}

/// Whether an execution exists for every value of the input.
fn is_free(input: &Input) -> bool {
    let is_scalar = matches!(input.sort, Sort::Bool | Sort::BitVec(_));
    let is_chosen = matches!(input.kind, InputKind::Nondet(_) | InputKind::Uninitialised);
    is_scalar && is_chosen
}

/// Runs the program; if it does not end, returns the last edge.
fn goes_on(executable: &Executable, inputs: &mut ConstantInputs, steps: u64) -> Option<EdgeId> {
    let limits = Limits {
        steps,
        ..Limits::default()
    };
    let mut last = LastEdge(None);
    let report = Machine::new(executable).run_observed(inputs, limits, &mut last);
    let is_endless = report.outcome == Outcome::StepLimit && report.fault_count == 0;
    last.0.filter(|_| is_endless)
}

/// The edge that was taken last.
struct LastEdge(Option<EdgeId>);

impl Observer for LastEdge {
    fn edge(&mut self, edge: EdgeId, _: &StateView<'_>) {
        self.0 = Some(edge);
    }
}

/// Inputs that always have the same values.
struct ConstantInputs {
    /// The source of the first value of each input; without it, the value is zero, or true.
    random: Option<RandomInputs>,
    values: FxHashMap<InputId, Value>,
}

impl ConstantInputs {
    fn new(random: RandomInputs) -> Self {
        Self {
            random: Some(random),
            values: FxHashMap::default(),
        }
    }
}

impl InputSource for ConstantInputs {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        if let Some(value) = self.values.get(&id) {
            return Some(value.clone());
        }
        let value = match &mut self.random {
            Some(random) => random.next(id, input)?,
            // The choice of `Endless::until_head` is the only one that is not known.
            None if input.sort == Sort::Bool => Value::Bool(true),
            None => Value::zero(input.sort),
        };
        self.values.insert(id, value.clone());
        Some(value)
    }
}

//! Runs of the program as lowered on boxes of inputs.
//!
//! A path has a set of values for each variable. If a condition is not decided, all branches are followed with the same
//! sets. The notes in [`Open`] help to divide the box; the verdict does not depend on them.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use super::evaluate::{Plan, Step};
use super::value_sets::{Cells, Set};
use super::{Codes, Dimension, InputBox};
use regatta_program::{EdgeId, FunctionId, InputId, LocationId, Operation, Program, VariableId};
use regatta_term::{Op, RoundingMode, Sort, Symbol, TermId, Value, store};

/// Limits of a run.
#[derive(Copy, Clone, Debug)]
pub struct Limits<'c> {
    /// Maximum number of edges on all paths together.
    pub steps: u64,
    /// Maximum number of paths.
    pub paths: u32,
    /// Cancels the run when it becomes true.
    pub cancelled: Option<&'c AtomicBool>,
}

/// The result of a run on a box.
#[derive(Clone, Debug)]
pub struct Run {
    pub verdict: Verdict,
    /// Number of edges on all paths together.
    pub steps: u64,
}

/// The verdict on a box.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run from the box reaches an error or an unsupported operation.
    Safe,
    /// Not decided.
    Open(Open),
    /// The program cannot be run on boxes, for the given reason.
    GivenUp(&'static str),
}

/// Hints for dividing a box that was not decided.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// The inputs read on all paths, in order.
    pub drawn: Vec<Dimension>,
    /// The undecided conditions on the path that may lead to an error.
    pub conditions: Vec<Condition>,
    /// The error location that the path has come to; none if it has reached a limit, or something that is not modelled.
    pub error: Option<LocationId>,
}

/// A condition that a box does not decide.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    /// The inputs that the condition depends on: a bit set of indices in [`Open::drawn`].
    pub inputs: u64,
    /// Divisions of inputs that decide a comparison with a constant: the first code of the upper half.
    pub divisions: Vec<(Dimension, u128)>,
}

/// The abstract value of a variable on a path.
#[derive(Clone)]
struct Known {
    set: Set,
    /// The inputs that the value depends on, as in [`Condition::inputs`].
    inputs: u64,
    /// The index of the input that the value is equal to, if any.
    is: Option<u32>,
}

impl Known {
    /// Any value, without dependences.
    const fn any() -> Self {
        Self {
            set: Set::Any,
            inputs: 0,
            is: None,
        }
    }
}

/// The number of variables whose values are copied together.
const VALUES_PER_PART: usize = 32;

/// The values of all variables on a path. Copies share the parts that neither has changed: of a program with many functions, a
/// path knows few variables.
#[derive(Clone)]
struct Values(Vec<Rc<[Known; VALUES_PER_PART]>>);

impl Values {
    /// Any value of each variable.
    fn any(variables: usize) -> Self {
        let part = Rc::new([const { Known::any() }; VALUES_PER_PART]);
        Self(vec![part; variables.div_ceil(VALUES_PER_PART)])
    }

    fn get(&self, id: VariableId) -> &Known {
        let index = id.index();
        &self.0[index / VALUES_PER_PART][index % VALUES_PER_PART]
    }

    fn get_mut(&mut self, id: VariableId) -> &mut Known {
        let index = id.index();
        &mut Rc::make_mut(&mut self.0[index / VALUES_PER_PART])[index % VALUES_PER_PART]
    }
}

#[derive(Clone)]
struct Path {
    location: LocationId,
    variables: Values,
    /// The edges of the calls that are open, outermost first.
    calls: Vec<EdgeId>,
    /// The number of reads of each input.
    occurrences: FxHashMap<InputId, u32>,
    /// Conditions that were not decided.
    conditions: Vec<Rc<Condition>>,
}

/// Why a path stops.
enum Stop {
    /// It has ended without an error.
    Ends,
    /// It may lead to an error.
    Open,
    GivenUp(&'static str),
}

/// Runs a program on boxes.
pub struct Machine<'p> {
    program: &'p Program,
    outgoing: Vec<Vec<EdgeId>>,
    is_error: Vec<bool>,
    symbols: FxHashMap<Symbol, VariableId>,
    /// The local variables of each function.
    locals: Vec<Vec<VariableId>>,
    plans: FxHashMap<TermId, Option<Rc<Plan>>>,
    /// The values of the subterms of the term that was evaluated last.
    values: Vec<Set>,
    /// The inputs read in the current run.
    drawn: Vec<Dimension>,
}

/// Maximum number of inputs whose dependences are tracked, one bit each.
const MAXIMUM_TRACKED_INPUTS: usize = 64;

impl<'p> Machine<'p> {
    /// A machine for the program as lowered.
    pub fn new(program: &'p Program) -> Self {
        let is_error = program.error_marks();
        let locals = program.locals_by_function();
        Self {
            program,
            locals,
            outgoing: program.outgoing(),
            is_error,
            symbols: program.variables_by_symbol(),
            plans: FxHashMap::default(),
            values: Vec::new(),
            drawn: Vec::new(),
        }
    }

    /// Makes those of the program's error locations that are not among these ordinary ends of paths.
    pub fn retain_errors(&mut self, kept: impl Fn(LocationId) -> bool) {
        for &error in &self.program.errors {
            self.is_error[error.index()] = kept(error);
        }
    }

    /// Runs the program on all inputs in the box.
    pub fn run(&mut self, inner: &InputBox, limits: Limits<'_>) -> Run {
        self.drawn.clear();
        let mut open = vec![Path {
            location: self.program.function(self.program.start).entry,
            variables: Values::any(self.program.variables.len()),
            calls: Vec::new(),
            occurrences: FxHashMap::default(),
            conditions: Vec::new(),
        }];
        let mut steps = 0;
        let mut paths = 1;
        let is_cancelled = || {
            limits
                .cancelled
                .is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        while let Some(mut path) = open.pop() {
            let stop = loop {
                if self.is_error[path.location.index()] {
                    break Stop::Open;
                }
                steps += 1;
                if steps > limits.steps || paths > limits.paths || is_cancelled() {
                    break Stop::Open;
                }
                let before = open.len();
                let next = self.step(&mut path, inner, &mut open);
                paths += (open.len() - before) as u32;
                if let Err(stop) = next {
                    break stop;
                }
            };
            let verdict = match stop {
                Stop::Ends => continue,
                Stop::Open => Verdict::Open(Open {
                    drawn: self.drawn.clone(),
                    conditions: path.conditions.iter().map(|one| (**one).clone()).collect(),
                    error: Some(path.location).filter(|at| self.is_error[at.index()]),
                }),
                Stop::GivenUp(reason) => Verdict::GivenUp(reason),
            };
            return Run { verdict, steps };
        }
        Run {
            verdict: Verdict::Safe,
            steps,
        }
    }

    /// Takes a step from the location; all branches but one are added to `others`.
    fn step(
        &mut self,
        path: &mut Path,
        inner: &InputBox,
        others: &mut Vec<Path>,
    ) -> Result<(), Stop> {
        let program = self.program;
        let function = program.function(program.location(path.location).function);
        if path.location == function.exit {
            return self.leave(path);
        }
        let mut ways = Vec::new();
        for place in 0..self.outgoing[path.location.index()].len() {
            let id = self.outgoing[path.location.index()][place];
            let first = program.edge(id).operations.first();
            let truth = match first {
                Some(Operation::Assume(condition)) => {
                    self.evaluate(path, *condition)?;
                    self.value().as_truth()
                }
                _ => Some(true),
            };
            if truth != Some(false) {
                ways.push((id, truth));
            }
        }
        let Some(&(last, _)) = ways.last() else {
            return Err(Stop::Ends);
        };
        for &(id, truth) in &ways {
            if truth.is_none()
                && let Some(Operation::Assume(condition)) = program.edge(id).operations.first()
            {
                self.note(path, *condition)?;
            }
        }
        for &(id, _) in &ways[..ways.len() - 1] {
            let mut other = path.clone();
            match self.take(&mut other, inner, id) {
                Ok(()) => others.push(other),
                Err(Stop::Ends) => {}
                Err(stop) => {
                    *path = other;
                    return Err(stop);
                }
            }
        }
        self.take(path, inner, last)
    }

    /// Takes the edge, whose first condition holds or may hold.
    fn take(&mut self, path: &mut Path, inner: &InputBox, id: EdgeId) -> Result<(), Stop> {
        let edge = self.program.edge(id);
        for (index, operation) in edge.operations.iter().enumerate() {
            match operation {
                Operation::Assume(_) if index == 0 => {}
                Operation::Assume(condition) => {
                    self.evaluate(path, *condition)?;
                    match self.value().as_truth() {
                        Some(true) => {}
                        Some(false) => return Err(Stop::Ends),
                        None => self.note(path, *condition)?,
                    }
                }
                Operation::Assign { target, value } => {
                    *path.variables.get_mut(*target) = self.known(path, *value)?;
                }
                Operation::Store {
                    region,
                    index,
                    value,
                } => {
                    let (index, value) = (self.known(path, *index)?, self.known(path, *value)?);
                    let variable = self.program.region(*region).variable;
                    self.store(path, variable, &index, &value)?;
                }
                Operation::Havoc { target, input } => self.draw(path, inner, *target, *input),
                Operation::Call {
                    callee, arguments, ..
                } => return self.call(path, id, *callee, arguments),
                Operation::Allocate { .. } | Operation::Free { .. } | Operation::Claim(_) => {}
                Operation::Unsupported(_) => return Err(Stop::Open),
            }
        }
        path.location = edge.target;
        Ok(())
    }

    fn call(
        &mut self,
        path: &mut Path,
        id: EdgeId,
        callee: FunctionId,
        arguments: &[TermId],
    ) -> Result<(), Stop> {
        let program = self.program;
        let of = |edge: EdgeId| program.location(program.edge(edge).source).function;
        let mut active = path.calls.iter().map(|&edge| of(edge)).chain([of(id)]);
        if active.any(|function| function == callee) {
            return Err(Stop::GivenUp("a function calls itself"));
        }
        let values: Result<Vec<Known>, Stop> = arguments
            .iter()
            .map(|&argument| self.known(path, argument))
            .collect();
        // A new activation does not begin with the final values of an earlier one.
        for local in &self.locals[callee.index()] {
            *path.variables.get_mut(*local) = Known::any();
        }
        let callee = program.function(callee);
        for (parameter, value) in callee.parameters.iter().zip(values?) {
            *path.variables.get_mut(*parameter) = value;
        }
        path.calls.push(id);
        path.location = callee.entry;
        Ok(())
    }

    /// Returns from a function's exit to its caller.
    fn leave(&self, path: &mut Path) -> Result<(), Stop> {
        let callee = self.program.location(path.location).function;
        let edge = path.calls.pop().ok_or(Stop::Ends)?;
        let edge = self.program.edge(edge);
        if let [Operation::Call { results, .. }] = &edge.operations[..] {
            let values = self.program.function(callee).results.iter();
            let values: Vec<Known> = values
                .map(|value| path.variables.get(*value).clone())
                .collect();
            for (result, value) in results.iter().zip(values) {
                *path.variables.get_mut(*result) = value;
            }
        }
        path.location = edge.target;
        Ok(())
    }

    fn draw(&mut self, path: &mut Path, inner: &InputBox, target: VariableId, id: InputId) {
        let input = self.program.input(id);
        let occurrence = path.occurrences.entry(id).or_default();
        let dimension = Dimension {
            input: id,
            occurrence: *occurrence,
        };
        *occurrence += 1;
        let drawn = self.drawn.iter().position(|one| *one == dimension);
        let number = drawn.unwrap_or_else(|| {
            self.drawn.push(dimension);
            self.drawn.len() - 1
        });
        let sort = self.program.variable(target).sort;
        let range = inner.get(&dimension);
        let set = match (range, Codes::of(input)) {
            (Some(&range), Some(codes)) if input.sort == sort => codes.set(range),
            _ => Set::top(sort),
        };
        *path.variables.get_mut(target) = Known {
            set,
            inputs: if number < MAXIMUM_TRACKED_INPUTS {
                1 << number
            } else {
                0
            },
            is: Some(number as u32),
        };
    }

    fn store(
        &self,
        path: &mut Path,
        variable: VariableId,
        index: &Known,
        value: &Known,
    ) -> Result<(), Stop> {
        let known = path.variables.get_mut(variable);
        if known.set == Set::Any {
            known.set = Set::top(self.program.variable(variable).sort);
        }
        let Set::Array(cells) = &mut known.set else {
            return Err(Stop::GivenUp("a region is no array"));
        };
        Cells::store(Rc::make_mut(cells), &index.set, &value.set);
        known.inputs |= index.inputs | value.inputs;
        Ok(())
    }

    fn plan(&mut self, term: TermId) -> Result<Rc<Plan>, Stop> {
        let symbols = &self.symbols;
        let plan = self.plans.entry(term);
        let plan = plan.or_insert_with(|| Plan::new(store(), term, symbols).map(Rc::new));
        plan.clone()
            .ok_or(Stop::GivenUp("a term has a variable of its own"))
    }

    /// Evaluates a term; see [`Self::value`].
    fn evaluate(&mut self, path: &Path, term: TermId) -> Result<Rc<Plan>, Stop> {
        let plan = self.plan(term)?;
        plan.evaluate(|id| &path.variables.get(id).set, &mut self.values);
        Ok(plan)
    }

    /// The value of the term that was evaluated last.
    fn value(&self) -> &Set {
        self.values.last().unwrap_or(&Set::Any)
    }

    /// Evaluates a term with its dependences.
    fn known(&mut self, path: &Path, term: TermId) -> Result<Known, Stop> {
        let plan = self.evaluate(path, term)?;
        Ok(Known {
            set: self.value().clone(),
            inputs: inputs_of(path, &plan),
            is: match plan.steps[..] {
                [Step::Variable(id, _)] => path.variables.get(id).is,
                _ => None,
            },
        })
    }

    /// Notes a condition that is not decided.
    fn note(&mut self, path: &mut Path, condition: TermId) -> Result<(), Stop> {
        let plan = self.evaluate(path, condition)?;
        let mut noted = Condition {
            inputs: inputs_of(path, &plan),
            divisions: Vec::new(),
        };
        for (step, value) in plan.steps.iter().zip(&self.values) {
            let Step::Apply { op, arguments, .. } = step else {
                continue;
            };
            let is_comparison = matches!(
                op,
                Op::FpLt
                    | Op::FpLe
                    | Op::FpEq
                    | Op::Eq
                    | Op::BvSlt
                    | Op::BvSle
                    | Op::BvUlt
                    | Op::BvUle
            );
            if is_comparison && value.as_truth().is_none() {
                for (this, that) in [(0, 1), (1, 0)] {
                    self.divisions(path, &plan, [arguments[this], arguments[that]], &mut noted);
                }
            }
        }
        path.conditions.push(Rc::new(noted));
        Ok(())
    }

    /// Notes the divisions that decide a comparison of two steps, if the first is an input and the second a constant.
    fn divisions(&self, path: &Path, plan: &Plan, [this, that]: [u32; 2], noted: &mut Condition) {
        let mut step = &plan.steps[this as usize];
        if let Step::Apply {
            op: Op::FpToFp(_),
            arguments,
            ..
        } = step
        {
            step = &plan.steps[arguments[1] as usize];
        }
        let Step::Variable(id, sort) = step else {
            return;
        };
        let Some(number) = path.variables.get(*id).is else {
            return;
        };
        let dimension = self.drawn[number as usize];
        let codes = Codes::of(self.program.input(dimension.input));
        let of = match &plan.steps[that as usize] {
            Step::Constant(_) => *sort,
            Step::Variable(_, sort) | Step::Apply { sort, .. } => *sort,
        };
        let constant = match (self.values[that as usize].as_point(of), sort) {
            (Some(Value::Float(value)), Sort::Float(format)) => {
                Some(value.convert(RoundingMode::Downward, *format).into())
            }
            (constant, _) => constant,
        };
        if let (Some(codes), Some(constant)) = (codes, constant)
            && let Some(code) = codes.code(&constant)
        {
            let behind = (code + 1).min(codes.greatest());
            noted
                .divisions
                .extend([(dimension, code), (dimension, behind)]);
        }
    }
}

/// The inputs that the plan's variables depend on.
fn inputs_of(path: &Path, plan: &Plan) -> u64 {
    let inputs = plan
        .variables
        .iter()
        .map(|id| path.variables.get(*id).inputs);
    inputs.fold(0, |all, one| all | one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_values_share_what_neither_has_changed() {
        let mut one = Values::any(3 * VALUES_PER_PART + 1);
        let other = one.clone();
        let [first, last] = [0, 3 * VALUES_PER_PART as u32].map(VariableId);
        one.get_mut(last).inputs = 5;
        let copy = one.clone();
        one.get_mut(first).inputs = 3;
        let inputs = |values: &Values| [first, last].map(|id| values.get(id).inputs);
        assert_eq!(inputs(&other), [0, 0]);
        assert_eq!(inputs(&copy), [0, 5]);
        assert_eq!(inputs(&one), [3, 5]);
        assert!(Rc::ptr_eq(&one.0[3], &copy.0[3]), "a part that is the same");
        assert!(Rc::ptr_eq(&one.0[1], &other.0[2]));
    }
}

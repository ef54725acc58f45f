//! States that come again.
//!
//! At each visit of a loop's head, the program of the question may save the values of the variables on which the rest of the
//! execution depends. If they are the same at a later visit, without the loop having been left in between, an error is
//! reached: from there the same inputs lead to the same state again, and so for ever.
//!
//! Of the variables that are live at the head ([`Liveness`]: those that may decide whether and how the execution goes on) the
//! ones that the loop changes are compared. So are the variables on which the loop's accesses and divisions depend directly,
//! since these have to stay defined. Memory is not compared: it is required that each cell that a round writes holds
//! the value already. The frames of callers stay as they are while the loop is not left, and those of callees are gone at
//! the head, unless the loop's function is recursive: then nothing is asked about the loop.
//!
//! So it is at the entry of a recursive function: if the parameters, and the global variables on which the execution depends,
//! are those of an activation that is still waiting for its callees, the same inputs lead to one activation more, and so for
//! ever. The stack is unbounded.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::loops::{Detour, Loops, choosing_input, failure, ghost, lead, value};
use super::samples::{RandomInputs, random};
use crate::cfa::*;
use crate::cut_points::{Loop, LoopShape};
use crate::external::{External, ExternalKind};
use crate::ghost::{LAP, SEGMENT};
use crate::graph::Graph;
use crate::interpreter::InputSource;
use crate::liveness::Liveness;
use crate::variables::VariableUse;
use regatta_term::{Build, Op, Sort, TermId, TermKind, Value, conjuncts, for_each_subterm, store};

/// A program in which an error is reached when a state comes again. What were errors before are ends of executions.
pub struct Recurrence {
    pub program: Program,
    /// The number of inputs that the program had before. Those after them choose when a state is saved.
    inputs: usize,
}

impl Recurrence {
    /// Inputs for runs that come upon a state that comes again, even if it does so late: a state is saved after 1, 2, 4, …
    /// visits of its place (Brent's algorithm). In every other run each input always has the same value.
    pub fn runs(&self) -> impl Iterator<Item = Revisits> {
        let inputs = self.inputs;
        let kinds = random().zip([true, false].into_iter().cycle());
        kinds.map(move |(random, is_constant)| Revisits {
            random,
            constants: is_constant.then(FxHashMap::default),
            visits: FxHashMap::default(),
            inputs,
        })
    }
}

/// The inputs of a run that is to come upon a state again.
pub struct Revisits {
    random: RandomInputs,
    /// The value of each input, if it is always the same.
    constants: Option<FxHashMap<InputId, Value>>,
    /// The number of visits of each place where a state can be saved.
    visits: FxHashMap<InputId, u64>,
    inputs: usize,
}

impl InputSource for Revisits {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        if id.index() >= self.inputs {
            let visits = self.visits.entry(id).or_default();
            *visits += 1;
            return Some(Value::Bool(visits.is_power_of_two()));
        }
        let Some(constants) = &mut self.constants else {
            return self.random.next(id, input);
        };
        match constants.entry(id) {
            Entry::Occupied(known) => Some(known.get().clone()),
            Entry::Vacant(free) => Some(free.insert(self.random.next(id, input)?).clone()),
        }
    }
}

/// What has to happen between two visits of a state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lap {
    /// Nothing in particular.
    Any,
    /// The cycle of a witness is passed ([`LAP`]).
    OfWitness,
}

/// The variable that becomes true where the state is saved whose return is the error.
pub fn saved_for(program: &Program, error: LocationId) -> Option<VariableId> {
    let mut edges = program.edges.iter();
    let edge = edges.find(|edge| edge.target == error)?;
    let Some(Operation::Assume(returns)) = edge.operations.last() else {
        return None;
    };
    let mut parts = conjuncts(store(), *returns).into_iter();
    parts.find_map(|part| {
        let mut variables = (0..).map(VariableId).zip(&program.variables);
        let is_saved = |assigned: &Operation, variable: VariableId| {
            *assigned == assign(variable, TermId::TRUE)
        };
        let (variable, _) = variables.find(|(_, known)| store().variable(known.symbol) == part)?;
        let mut operations = program.edges.iter().flat_map(|edge| &edge.operations);
        operations
            .any(|operation| is_saved(operation, variable))
            .then_some(variable)
    })
}

/// Asks whether a state comes again.
///
/// # Errors
/// When an execution that comes back to a state need not go on for ever, or the program does not have the cycle of a witness.
pub fn recurrence(program: &Program, lap: Lap) -> Result<Recurrence, Obstacle> {
    let lap = match lap {
        Lap::Any => None,
        Lap::OfWitness => Some(LapOfWitness::of(program)?),
    };
    if program.externals.iter().any(may_not_return) {
        return Err(Obstacle(
            "it is not known whether a function without a definition returns",
        ));
    }
    let mut result = program.clone();
    result.retain_errors(|_| false);
    let loops = Loops::new(program);
    let graph = Graph::new(program);
    let mut uses = VariableUse::new(program);
    let liveness = Liveness::new(program, &graph, &loops.calls, &mut uses);
    let mut question = Question {
        result,
        loops: &loops,
        liveness: &liveness,
        uses,
        edges: program.edges.len(),
        lap,
    };
    for (number, cycle) in loops.all().iter().enumerate() {
        let is_natural = cycle.shape == LoopShape::Natural;
        let is_recursive = loops.calls.is_recursive(cycle.function);
        let edges = loops.edges_in(cycle);
        if is_natural && !is_recursive && !changes_heap(&loops, &edges) {
            question.ask(number, cycle, &edges);
        }
    }
    for function in loops.recursive() {
        let edges = loops.edges_with_called(function);
        if !changes_heap(&loops, &edges) {
            question.ask_of_calls(function, &edges);
        }
    }
    Ok(Recurrence {
        program: question.result,
        inputs: program.inputs.len(),
    })
}

/// The ghost variables by which the cycle of a witness is followed.
#[derive(Copy, Clone)]
struct LapOfWitness {
    segment: VariableId,
    is_passed: VariableId,
}

impl LapOfWitness {
    fn of(program: &Program) -> Result<Self, Obstacle> {
        let find = |name: &str| {
            let mut variables = (0..).map(VariableId).zip(&program.variables);
            let found = variables.find(|(_, variable)| variable.name == name);
            let is_usable =
                |(_, variable): &(VariableId, &Variable)| variable.sort == Sort::BitVec(32);
            let missing = Obstacle("the cycle of the witness is not in the program");
            found.filter(is_usable).map(|found| found.0).ok_or(missing)
        };
        Ok(Self {
            segment: find(SEGMENT)?,
            is_passed: find(LAP)?,
        })
    }
}

/// Whether a call of the function may be the last thing that an execution does, although the program as lowered goes on.
pub(super) fn may_not_return(external: &External) -> bool {
    match external.kind {
        ExternalKind::Function { is_library, .. } => {
            !is_library && !external.name.starts_with("__VERIFIER_nondet")
        }
        _ => false,
    }
}

/// Whether a round may make or free objects of the heap. Which of them are live is not compared.
fn changes_heap(loops: &Loops<'_>, edges: &[EdgeId]) -> bool {
    let is_change = |operation: &Operation| {
        matches!(
            operation,
            Operation::Allocate {
                lifetime: Lifetime::Heap,
                ..
            } | Operation::Free {
                lifetime: Lifetime::Heap,
                ..
            }
        )
    };
    let mut edges = edges.iter();
    edges.any(|&edge| loops.program.edge(edge).operations.iter().any(is_change))
}

/// The variables that have to be the same.
struct Relevant {
    /// Regions' contents, which have to stay as they are.
    memory: Vec<VariableId>,
    /// Those that are compared.
    scalars: Vec<VariableId>,
}

/// The program in the making.
struct Question<'l, 'p> {
    result: Program,
    loops: &'l Loops<'p>,
    liveness: &'l Liveness,
    uses: VariableUse,
    /// The number of edges of the original program.
    edges: usize,
    /// The cycle of a witness that has to be passed, if there is one.
    lap: Option<LapOfWitness>,
}

impl Question<'_, '_> {
    fn ask(&mut self, number: usize, cycle: &Loop, edges: &[EdgeId]) {
        let modified = self.loops.modified(cycle);
        let relevant = self.relevant(cycle.head, modified, edges);
        let name = format!("loop {number}");
        let is_saved = self.flag(&name, "is saved", Scope::Global);
        let scope = Scope::Local(cycle.function);
        let saved = self.saved(&name, &relevant.scalars, scope);
        self.watch_memory(edges, &relevant.memory, is_saved);
        let lap = self.lap;
        let program = &mut self.result;
        let (entries, rounds) = (
            program.add_location_like(cycle.head),
            program.add_location_like(cycle.head),
        );
        let visit = program.add_location_like(cycle.head);
        lead(program, self.edges, cycle, &Detour { entries, rounds });
        let forget = vec![assign(is_saved, TermId::FALSE)];
        program.connect(entries, visit, forget);
        compare(program, rounds, visit, &saved, is_saved, lap);
        let saves = self.flag(&name, "saves", scope);
        let chosen = self.choose(visit, saves);
        let program = &mut self.result;
        let is_chosen = value(program, saves);
        let other = Operation::Assume(store().not(is_chosen));
        program.connect(chosen, cycle.head, vec![other]);
        let mut save = vec![Operation::Assume(is_chosen)];
        save.extend(save_all(program, &saved, is_saved, lap));
        program.connect(chosen, cycle.head, save);
    }

    /// Asks whether an activation of the function leads to another one like it before it returns.
    fn ask_of_calls(&mut self, function: FunctionId, edges: &[EdgeId]) {
        let Function {
            parameters,
            entry,
            exit,
            name,
            ..
        } = self.loops.program.function(function).clone();
        let mut variables = self.loops.modified_globals(edges);
        variables.extend(&parameters);
        let relevant = self.relevant(entry, variables, edges);
        let name = format!("call of {name}");
        let is_saved = self.flag(&name, "is saved", Scope::Global);
        let is_own = self.flag(&name, "is own", Scope::Local(function));
        let saved = self.saved(&name, &relevant.scalars, Scope::Global);
        self.watch_memory(edges, &relevant.memory, is_saved);
        self.at_start(assign(is_saved, TermId::FALSE));
        let lap = self.lap;
        let program = &mut self.result;
        let (first, visit) = (
            program.add_location_like(entry),
            program.add_location_like(entry),
        );
        let leaves = program.add_location_like(exit);
        for edge in &mut program.edges[..self.edges] {
            if edge.target == exit {
                edge.target = leaves;
            }
        }
        // A loop at the entry has a location before it.
        let begin = std::mem::replace(&mut program.functions[function.index()].entry, first);
        compare(program, first, visit, &saved, is_saved, lap);
        let chosen = self.choose(visit, is_own);
        let program = &mut self.result;
        let own = value(program, is_own);
        let mut save = vec![Operation::Assume(own)];
        save.extend(save_all(program, &saved, is_saved, lap));
        program.connect(chosen, begin, save);
        let other = Operation::Assume(store().not(own));
        program.connect(chosen, begin, vec![other.clone()]);
        let forget = vec![Operation::Assume(own), assign(is_saved, TermId::FALSE)];
        program.connect(leaves, exit, forget);
        program.connect(leaves, exit, vec![other]);
    }

    /// Adds a variable that is true or false.
    fn flag(&mut self, of: &str, what: &str, scope: Scope) -> VariableId {
        ghost(&mut self.result, format!("{of} {what}"), Sort::Bool, scope)
    }

    /// Adds variables for the values of the others. Each variable comes with that of its value.
    fn saved(
        &mut self,
        of: &str,
        variables: &[VariableId],
        scope: Scope,
    ) -> Vec<(VariableId, VariableId)> {
        let program = &mut self.result;
        let variables = variables.iter();
        let saved = variables.map(|&variable| {
            let Variable { name, sort, .. } = program.variable(variable).clone();
            let name = format!("{of} saved {name}");
            (variable, ghost(program, name, sort, scope))
        });
        saved.collect()
    }

    /// Adds an operation before all others.
    fn at_start(&mut self, operation: Operation) {
        let program = &mut self.result;
        let start = program.start.index();
        let entry = program.functions[start].entry;
        let first = program.add_location_like(entry);
        program.functions[start].entry = first;
        program.connect(first, entry, vec![operation]);
    }

    /// Chooses a value for the flag after the location. Returns the location after that.
    fn choose(&mut self, after: LocationId, flag: VariableId) -> LocationId {
        let program = &mut self.result;
        let input = choosing_input(program);
        let chosen = program.add_location_like(after);
        let choose = Operation::Havoc {
            target: flag,
            input,
        };
        program.connect(after, chosen, vec![choose]);
        chosen
    }

    /// Those of the variables, which the edges may change, that have to be the same at the location.
    fn relevant(
        &mut self,
        location: LocationId,
        mut variables: Vec<VariableId>,
        edges: &[EdgeId],
    ) -> Relevant {
        let accessed = self.accessed(edges);
        let lap = self.lap;
        let is_segment = |variable: VariableId| lap.is_some_and(|lap| lap.segment == variable);
        variables.retain(|&variable| {
            let is_live = self.liveness.is_live(location, variable);
            is_live || accessed.contains(&variable) || is_segment(variable)
        });
        let is_memory = |variable: &VariableId| {
            let sort = self.loops.program.variable(*variable).sort;
            matches!(sort, Sort::Array { .. })
        };
        let (memory, scalars) = variables.into_iter().partition(is_memory);
        Relevant { memory, scalars }
    }

    /// The variables on which accesses and divisions of the edges depend directly.
    fn accessed(&mut self, edges: &[EdgeId]) -> FxHashSet<VariableId> {
        let mut accessed = FxHashSet::default();
        for &edge in edges {
            for operation in &self.loops.program.edge(edge).operations {
                let mut operands = Vec::new();
                if let Operation::Store { index, .. } = operation {
                    operands.push(*index);
                }
                for_each_subterm(store(), operation.terms(), |_, kind| {
                    if let TermKind::Apply { op, arguments } = kind
                        && can_fault(op)
                    {
                        operands.extend(&arguments[1..]);
                    }
                });
                for operand in operands {
                    accessed.extend(self.uses.of(operand));
                }
            }
        }
        accessed
    }

    /// Forgets what is saved when an edge changes the memory.
    fn watch_memory(&mut self, edges: &[EdgeId], memory: &[VariableId], is_saved: VariableId) {
        let saved = value(&self.result, is_saved);
        for &id in edges {
            let mut operations = Vec::new();
            // Loops around this one may watch the edge as well.
            for operation in std::mem::take(&mut self.result.edges[id.index()].operations) {
                let program = &self.result;
                match &operation {
                    Operation::Store {
                        region,
                        index,
                        value: element,
                    } if memory.contains(&program.region(*region).variable) => {
                        let contents = value(program, program.region(*region).variable);
                        let before = store().select(contents, *index);
                        let stays = store().eq(before, *element);
                        operations.push(assign(is_saved, store().and2(saved, stays)));
                    }
                    Operation::Assign { target, .. } | Operation::Havoc { target, .. }
                        if memory.contains(target) =>
                    {
                        operations.push(assign(is_saved, TermId::FALSE));
                    }
                    _ => {}
                }
                operations.push(operation);
            }
            self.result.edges[id.index()].operations = operations;
        }
    }
}

/// Lets an error be reached where the values are those that are saved, and goes on elsewhere.
fn compare(
    program: &mut Program,
    from: LocationId,
    to: LocationId,
    saved: &[(VariableId, VariableId)],
    is_saved: VariableId,
    lap: Option<LapOfWitness>,
) {
    let same = saved
        .iter()
        .map(|&(variable, saved)| store().eq(value(program, variable), value(program, saved)));
    let mut same: Vec<TermId> = same.collect();
    same.extend(lap.map(|lap| store().eq(value(program, lap.is_passed), store().bv(32, 1))));
    let same = store().and2(value(program, is_saved), store().and(same));
    let error = failure(program, from);
    program.connect(from, error, vec![Operation::Assume(same)]);
    let differs = store().not(same);
    program.connect(from, to, vec![Operation::Assume(differs)]);
}

/// Saves the values.
fn save_all(
    program: &Program,
    saved: &[(VariableId, VariableId)],
    is_saved: VariableId,
    lap: Option<LapOfWitness>,
) -> Vec<Operation> {
    let values = saved.iter();
    let values = values.map(|&(variable, saved)| assign(saved, value(program, variable)));
    let marked = assign(is_saved, TermId::TRUE);
    let begins = lap.map(|lap| assign(lap.is_passed, store().bv(32, 0)));
    values.chain([marked]).chain(begins).collect()
}

fn assign(target: VariableId, value: TermId) -> Operation {
    Operation::Assign { target, value }
}

/// Whether the operator is undefined in C for some values of its operands after the first one.
const fn can_fault(op: Op) -> bool {
    matches!(
        op,
        Op::Select
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
    )
}

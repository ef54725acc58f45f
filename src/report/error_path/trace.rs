//! Makes the error path of a confirmed alarm: function by function in the order of the run, with the values assigned to
//! variables, and with loops folded.
//!
//! The run is made twice: first for its edges, by which the shown steps are chosen; then for the values there. Folding does
//! not use the loops of the program: the part between two visits of a location in one activation is a round, and of many
//! rounds the first and the last are shown.

use rustc_hash::FxHashMap;

use regatta_certify::replay::Violation;
use regatta_program::interpreter::{
    EdgeTrace, Executable, Limits, Machine, Observer, Outcome, ReplayInputs, StateView,
};
use regatta_program::{
    EdgeId, FunctionId, InputKind, InputPart, LocationId, Operation, Program, Role, Span,
    VariableId, c_value, last_part,
};
use regatta_run::error_path::{Change, Detail, PathEvent, PathStep};
use regatta_term::{
    Build as _, Evaluator, Symbol, TermId, TermKind, Value, for_each_subterm, store,
};

/// Maximum number of rounds of a loop that are all shown.
const MAXIMUM_SHOWN_ROUNDS: usize = 3;

/// Number of nested calls of one function that are shown at either end of a long chain.
const SHOWN_NESTED_CALLS: usize = 4;

/// Maximum number of steps of a path, folded or not.
const MAXIMUM_PATH_STEPS: usize = 100_000;

/// The path of a violation; `None` if its run takes longer than the limits permit.
pub fn trace(
    program: &Program,
    executable: &Executable,
    violation: &Violation,
    limits: Limits<'_>,
    detail: Detail,
) -> Option<Vec<PathStep>> {
    let run = |observer: &mut EdgeTrace| {
        let mut inputs = ReplayInputs::new(&violation.inputs);
        Machine::new(executable).run_observed(&mut inputs, limits, observer)
    };
    let mut observed = EdgeTrace::default();
    let report = run(&mut observed);
    if !matches!(report.outcome, Outcome::Error { .. }) {
        return None;
    }
    let calls = Calls::new(program, &observed.edges);
    let mut shown = Vec::new();
    calls.show(detail, &mut shown);
    shown.truncate(MAXIMUM_PATH_STEPS);
    let mut values = Values {
        program,
        symbols: program.variables_by_symbol(),
        position: 0,
        wanted: shown.iter().filter_map(Shown::position).collect(),
        last: FxHashMap::default(),
        found: Vec::new(),
    };
    let mut inputs = ReplayInputs::new(&violation.inputs);
    Machine::new(executable).run_observed(&mut inputs, limits, &mut values);
    let mut path = calls.steps(shown, values.found);
    path.push(PathStep {
        depth: path.last().map_or(0, |last| last.depth),
        place: program
            .sources
            .describe(program.location(violation.location).span),
        what: PathEvent::Error,
    });
    Some(path)
}

/// An edge of the run, or a call with the activation that it makes.
#[derive(Copy, Clone, Debug)]
enum Item {
    Edge(usize),
    Call { position: usize, activation: usize },
}

impl Item {
    fn position(self) -> usize {
        match self {
            Self::Edge(position) | Self::Call { position, .. } => position,
        }
    }
}

struct Activation {
    function: FunctionId,
    items: Vec<Item>,
}

/// A run as a list of activations; the first is that of the start function.
struct Calls<'p> {
    program: &'p Program,
    edges: &'p [EdgeId],
    activations: Vec<Activation>,
    /// The activations that are open at the error.
    open: Vec<usize>,
}

/// A shown step, before its values are known.
enum Shown {
    Edge {
        depth: u32,
        position: usize,
    },
    Call {
        depth: u32,
        position: usize,
        function: FunctionId,
    },
    Rounds {
        depth: u32,
        at: LocationId,
        count: usize,
    },
    Calls {
        depth: u32,
        function: FunctionId,
        count: usize,
    },
}

impl Shown {
    fn position(&self) -> Option<usize> {
        match self {
            Self::Edge { position, .. } | Self::Call { position, .. } => Some(*position),
            Self::Rounds { .. } | Self::Calls { .. } => None,
        }
    }
}

impl<'p> Calls<'p> {
    fn new(program: &'p Program, edges: &'p [EdgeId]) -> Self {
        let mut activations = vec![Activation {
            function: program.start,
            items: Vec::new(),
        }];
        // Open activations, each with the location to which it returns.
        let mut open: Vec<(usize, Option<LocationId>)> = vec![(0, None)];
        for (position, &edge) in edges.iter().enumerate() {
            let edge = program.edge(edge);
            let Some(&(top, _)) = open.last() else {
                break;
            };
            let mut at = edge.target;
            if let Some(Operation::Call { callee, .. }) = edge.operations.last() {
                let activation = activations.len();
                activations[top].items.push(Item::Call {
                    position,
                    activation,
                });
                activations.push(Activation {
                    function: *callee,
                    items: Vec::new(),
                });
                open.push((activation, Some(edge.target)));
                at = program.function(*callee).entry;
            } else {
                activations[top].items.push(Item::Edge(position));
            }
            while let Some(&(top, behind)) = open.last()
                && let Some(behind) = behind
                && program.function(activations[top].function).exit == at
            {
                open.pop();
                at = behind;
            }
        }
        Self {
            program,
            edges,
            activations,
            open: open.into_iter().map(|(activation, _)| activation).collect(),
        }
    }

    /// The activation of `main`, or else the first.
    fn main(&self) -> usize {
        let is_main =
            |activation: &Activation| self.program.function(activation.function).name == "main";
        self.activations.iter().position(is_main).unwrap_or(0)
    }

    /// Checks whether a returned activation is of a function that is not in the source.
    fn is_hidden(&self, activation: usize) -> bool {
        let function = self.activations[activation].function;
        self.program.function(function).span.line == 0 && !self.open.contains(&activation)
    }

    /// Collects the shown steps, in order. Iterative, since recursion may be deep.
    fn show(&self, detail: Detail, shown: &mut Vec<Shown>) {
        enum Task<'i> {
            Items(u32, &'i [Item]),
            Note(Shown),
        }
        let main = self.main();
        let hidden = self.calls_left_out(detail);
        let mut tasks = vec![Task::Items(0, &self.activations[main].items)];
        while let Some(task) = tasks.pop() {
            if shown.len() >= MAXIMUM_PATH_STEPS {
                return;
            }
            let (depth, items) = match task {
                Task::Note(note) => {
                    shown.push(note);
                    continue;
                }
                Task::Items(depth, items) => (depth, items),
            };
            let repeated = match detail {
                Detail::Folded => self.first_repeated(items),
                Detail::Whole => None,
            };
            if let Some((first, visits)) = repeated {
                // In reverse order, since it is a stack.
                let last = visits[visits.len() - 1];
                let rounds: Vec<_> = visits
                    .windows(2)
                    .map(|pair| &items[pair[0]..pair[1]])
                    .collect();
                // The last visit leads out of the loop.
                tasks.push(Task::Items(depth, &items[last..]));
                let at = self.program.edge(self.edges[items[last].position()]).source;
                if rounds.len() > MAXIMUM_SHOWN_ROUNDS {
                    tasks.push(Task::Items(depth, rounds[rounds.len() - 1]));
                    let count = rounds.len() - 2;
                    tasks.push(Task::Note(Shown::Rounds { depth, at, count }));
                    tasks.push(Task::Items(depth, rounds[0]));
                } else {
                    tasks.extend(rounds.iter().rev().map(|round| Task::Items(depth, round)));
                }
                tasks.push(Task::Items(depth, &items[..first]));
                continue;
            }
            // The items up to the first shown call, then its activation, then the rest.
            for (number, item) in items.iter().enumerate() {
                match *item {
                    Item::Edge(position) => shown.push(Shown::Edge { depth, position }),
                    Item::Call {
                        position,
                        activation,
                    } if !self.is_hidden(activation) => {
                        let called = &self.activations[activation];
                        let function = called.function;
                        tasks.push(Task::Items(depth, &items[number + 1..]));
                        let inner = &called.items[..];
                        match hidden.get(&activation) {
                            None => {
                                shown.push(Shown::Call {
                                    depth,
                                    position,
                                    function,
                                });
                                tasks.push(Task::Items(depth + 1, inner));
                            }
                            Some(&Skip { count, to }) => {
                                tasks.push(Task::Items(depth + 1, &self.activations[to].items));
                                tasks.push(Task::Note(Shown::Calls {
                                    depth,
                                    function,
                                    count,
                                }));
                            }
                        }
                        break;
                    }
                    Item::Call { .. } => {}
                }
            }
        }
    }

    /// Chooses the activations to leave out: those in the middle of long chains of open activations of one function.
    fn calls_left_out(&self, detail: Detail) -> FxHashMap<usize, Skip> {
        let mut left_out = FxHashMap::default();
        if detail == Detail::Whole {
            return left_out;
        }
        let same =
            |a: &usize, b: &usize| self.activations[*a].function == self.activations[*b].function;
        for chain in self.open.chunk_by(same) {
            if chain.len() > 2 * SHOWN_NESTED_CALLS + 1 {
                let (from, to) = (SHOWN_NESTED_CALLS, chain.len() - SHOWN_NESTED_CALLS);
                let skip = Skip {
                    count: to - from,
                    to: chain[to - 1],
                };
                left_out.insert(chain[from], skip);
            }
        }
        left_out
    }

    /// Finds the first item whose location is visited again, and all visits of that location.
    fn first_repeated(&self, items: &[Item]) -> Option<(usize, Vec<usize>)> {
        let location = |item: &Item| self.program.edge(self.edges[item.position()]).source;
        let mut visits: FxHashMap<LocationId, Vec<usize>> = FxHashMap::default();
        for (number, item) in items.iter().enumerate() {
            visits.entry(location(item)).or_default().push(number);
        }
        let first = items
            .iter()
            .position(|item| visits[&location(item)].len() > 1)?;
        let visits = visits.remove(&location(&items[first]))?;
        Some((first, visits))
    }

    /// Makes the steps, given the changes in the shown part of the run.
    fn steps(&self, shown: Vec<Shown>, changes: Vec<Vec<Change>>) -> Vec<PathStep> {
        let program = self.program;
        let place = |span: Span| program.sources.describe(span);
        let span_of = |position: usize| program.edge(self.edges[position]).span;
        let mut changes = changes.into_iter();
        let mut path: Vec<PathStep> = Vec::new();
        for step in shown {
            let (depth, span, what) = match step {
                Shown::Edge { depth, position } => {
                    let changes = changes.next().unwrap_or_default();
                    (depth, span_of(position), PathEvent::At { changes })
                }
                Shown::Call {
                    depth,
                    position,
                    function,
                } => {
                    let function = program.function(function).name.clone();
                    let arguments = changes.next().unwrap_or_default();
                    let what = PathEvent::Call {
                        function,
                        arguments,
                    };
                    (depth, span_of(position), what)
                }
                Shown::Rounds { depth, at, count } => (
                    depth,
                    program.location(at).span,
                    PathEvent::Rounds { count },
                ),
                Shown::Calls {
                    depth,
                    function,
                    count,
                } => (
                    depth,
                    program.function(function).span,
                    PathEvent::Calls { count },
                ),
            };
            // Steps without a place are not in the source.
            if span.line == 0 {
                continue;
            }
            let place = place(span);
            // Edges of one statement are one step.
            if let PathEvent::At { changes } = &what
                && let Some(last) = path.last_mut()
                && let PathEvent::At { changes: before } = &mut last.what
                && (last.depth, &last.place) == (depth, &place)
                // Another round of a loop is another step.
                && !changes.iter().any(|change| before.iter().any(|old| old.name == change.name))
            {
                before.extend(changes.iter().cloned());
                continue;
            }
            path.push(PathStep { depth, place, what });
        }
        // A place without changes shows the branch taken, but is dropped on the same line as the step before.
        path.dedup_by(|later, earlier| {
            let is_empty = matches!(&later.what, PathEvent::At { changes } if changes.is_empty());
            let line = |step: &PathStep| {
                let end = step.place.rfind(':').unwrap_or(step.place.len());
                (step.depth, step.place[..end].to_owned())
            };
            is_empty && line(later) == line(earlier)
        });
        path
    }
}

/// Calls that are left out: their number, and the activation that is shown next.
#[derive(Copy, Clone, Debug)]
struct Skip {
    count: usize,
    to: usize,
}

/// An observer that collects changes at the wanted positions of a run.
struct Values<'p> {
    program: &'p Program,
    symbols: FxHashMap<Symbol, VariableId>,
    position: usize,
    /// The positions, sorted.
    wanted: Vec<usize>,
    /// The last value shown of each variable.
    last: FxHashMap<String, String>,
    found: Vec<Vec<Change>>,
}

impl Observer for Values<'_> {
    fn edge(&mut self, edge: EdgeId, state: &StateView<'_>) {
        let position = self.position;
        self.position += 1;
        if self.wanted.get(self.found.len()) == Some(&position) {
            let changes = self.changes(edge, state);
            self.found.push(changes);
        }
    }
}

impl Values<'_> {
    fn changes(&mut self, edge: EdgeId, state: &StateView<'_>) -> Vec<Change> {
        let program = self.program;
        let mut changes: Vec<Change> = Vec::new();
        let mut drawn: FxHashMap<TermId, String> = FxHashMap::default();
        // Changes that show a call's value under the call's name, as long as no variable of the source has it.
        let mut nameless: FxHashMap<TermId, usize> = FxHashMap::default();
        for operation in &program.edge(edge).operations {
            match operation {
                Operation::Assign { target, value } => {
                    let from = drawn.get(value).cloned();
                    if let Some(from) = &from {
                        drawn.insert(self.term(*target), from.clone());
                    }
                    let change = self.variable(*target, state, from);
                    match (nameless.get(value).copied(), change) {
                        (Some(number), Some(change)) => {
                            nameless.remove(value);
                            changes[number] = change;
                        }
                        (Some(number), None) => {
                            nameless.insert(self.term(*target), number);
                        }
                        (None, change) => changes.extend(change),
                    }
                }
                Operation::Havoc { target, input } => {
                    let source = program.input(*input);
                    let InputKind::Nondet(name) = &source.kind else {
                        continue;
                    };
                    if source.part == Some(InputPart::Begin) {
                        continue;
                    }
                    let from = InputKind::call(name);
                    drawn.insert(self.term(*target), from.clone());
                    if self.is_of_the_source(*target) {
                        changes.extend(self.variable(*target, state, Some(from)));
                        continue;
                    }
                    let described = program.variable(*target);
                    if described.sort.scalar().is_some() {
                        nameless.insert(self.term(*target), changes.len());
                        let value = c_value::describe(&state.value(*target), described.c_type);
                        changes.push(Change {
                            name: from,
                            value,
                            from: None,
                        });
                    }
                }
                Operation::Store { region, index, .. } => {
                    let from = None;
                    changes.extend(self.cell(edge, *region, *index, state, from));
                }
                Operation::Call { callee, .. } => {
                    for &parameter in &program.function(*callee).parameters {
                        // Parameters are shown at each call.
                        self.last.remove(&program.variable(parameter).name);
                        changes.extend(self.variable(parameter, state, None));
                    }
                }
                _ => {}
            }
        }
        changes
    }

    fn term(&self, variable: VariableId) -> TermId {
        store().variable(self.program.variable(variable).symbol)
    }

    /// Checks whether a variable is in the source and its value can be shown.
    fn is_of_the_source(&self, variable: VariableId) -> bool {
        let described = self.program.variable(variable);
        // Generated names are no C identifiers.
        let local = last_part(&described.name);
        described.role == Role::Source
            && described.sort.scalar().is_some()
            && !local.starts_with(['#', '<'])
    }

    /// The change of a variable of the source, if its value differs from the one shown last.
    fn variable(
        &mut self,
        variable: VariableId,
        state: &StateView<'_>,
        from: Option<String>,
    ) -> Option<Change> {
        if !self.is_of_the_source(variable) {
            return None;
        }
        let described = self.program.variable(variable);
        let value = c_value::describe(&state.value(variable), described.c_type);
        self.change(described.name.clone(), value, from)
    }

    fn change(&mut self, name: String, value: String, from: Option<String>) -> Option<Change> {
        let before = self.last.insert(name.clone(), value.clone());
        (before.as_ref() != Some(&value) || from.is_some()).then_some(Change { name, value, from })
    }

    /// The change of a cell of a static object.
    fn cell(
        &mut self,
        edge: EdgeId,
        region: regatta_program::RegionId,
        index: TermId,
        state: &StateView<'_>,
        from: Option<String>,
    ) -> Option<Change> {
        let region = self.program.region(region);
        if self.is_assigned(edge, index) {
            // The index has another value by now.
            return None;
        }
        let number = |term| {
            let assignment = |symbol: Symbol, _| Some(state.value(*self.symbols.get(&symbol)?));
            match Evaluator::new(store(), &assignment).evaluate(term).ok()? {
                Value::BitVec(bits) => u64::try_from(bits.bits()).ok(),
                Value::Int(number) => u64::try_from(&number).ok(),
                _ => None,
            }
        };
        let cell = number(index)?;
        let bytes = region.element_bytes;
        let address = number(region.base)?.wrapping_add(cell.wrapping_mul(bytes));
        let (object, offset) = region.objects.iter().find_map(|&object| {
            let object = self.program.object(object);
            let offset = address.wrapping_sub(number(object.address)?);
            (offset < object.size).then_some((object, offset))
        })?;
        if object.name.starts_with('<') {
            return None;
        }
        let value = c_value::describe(&state.cell(region.variable, cell)?, None);
        let name = match object.size <= bytes {
            true => object.name.clone(),
            false => format!("{}[{}]", object.name, offset / bytes),
        };
        self.change(name, value, from)
    }

    /// Checks whether the edge assigns a variable of the term.
    fn is_assigned(&self, edge: EdgeId, term: TermId) -> bool {
        let targets: Vec<Symbol> = self
            .program
            .edge(edge)
            .operations
            .iter()
            .filter_map(|operation| match operation {
                Operation::Assign { target, .. } | Operation::Havoc { target, .. } => {
                    Some(self.program.variable(*target).symbol)
                }
                _ => None,
            })
            .collect();
        let mut found = false;
        for_each_subterm(store(), [term], |_, kind| {
            if let TermKind::Variable { symbol, .. } = kind {
                found |= targets.contains(&symbol);
            }
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_certify::replay::{Replay, replay_compiled};
    use regatta_frontend::preprocess::Preprocessed;
    use regatta_frontend::{LoadOptions, load_preprocessed};
    use regatta_program::InputId;
    use regatta_program::interpreter::Journal;

    /// The path of the run without inputs, as lines.
    fn path_of(text: &str, detail: Detail) -> Vec<String> {
        path_with(text, detail, |_| Journal::default())
    }

    /// The path of the run with inputs, as lines.
    fn path_with(text: &str, detail: Detail, inputs: impl Fn(&Program) -> Journal) -> Vec<String> {
        let source = Preprocessed::from_text("a.c", text);
        let program = load_preprocessed(source, &LoadOptions::default())
            .unwrap()
            .program;
        let executable = Executable::compile(&program);
        let replay = replay_compiled(&executable, &inputs(&program), Limits::default());
        let Replay::Confirmed(violation) = replay else {
            panic!("{replay:?}");
        };
        let path = trace(&program, &executable, &violation, Limits::default(), detail).unwrap();
        let line = |step: &PathStep| {
            let line = step.place.split(':').nth(1).unwrap_or_default();
            let list = |changes: &[Change]| {
                let changes = changes
                    .iter()
                    .map(|change| format!(" {}={}", change.name, change.value));
                changes.collect::<String>()
            };
            let what = match &step.what {
                PathEvent::Call {
                    function,
                    arguments,
                } => format!("{function}{}", list(arguments)),
                PathEvent::At { changes } => list(changes),
                PathEvent::Rounds { count } => format!("{count} rounds"),
                PathEvent::Calls { count } => format!("{count} calls"),
                PathEvent::Error => "error".to_owned(),
            };
            format!("{}:{line}:{what}", step.depth)
        };
        path.iter().map(line).collect()
    }

    fn count(path: &[String], part: &str) -> usize {
        path.iter().filter(|line| line.contains(part)).count()
    }

    const LOOPS: &str = "void reach_error(void);
int f(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += i;
  return s;
}
int main(void) {
  int r = 0;
  while (r < 100)
    r += f(10);
  if (r > 130) reach_error();
  return 0;
}
";

    #[test]
    fn loops_are_folded_and_calls_are_within_their_callers() {
        let folded = path_of(LOOPS, Detail::Folded);
        // Three rounds of the outer loop are all shown, with ten of the inner one in each.
        assert_eq!(count(&folded, "0:11:f f::n=10"), 3, "{folded:#?}");
        assert_eq!(count(&folded, "rounds"), 3, "{folded:#?}");
        assert_eq!(
            count(&folded, "8 rounds") + count(&folded, "9 rounds"),
            3,
            "{folded:#?}"
        );
        assert_eq!(folded.last().unwrap(), "0:12:error");
        assert!(count(&folded, "main::r=135") == 1, "{folded:#?}");
        let whole = path_of(LOOPS, Detail::Whole);
        assert_eq!(count(&whole, "rounds"), 0);
        // The eight rounds in place of their number.
        assert_eq!(whole.len(), folded.len() + 3 * 7, "{whole:#?}");
    }

    #[test]
    fn a_call_s_value_is_shown_also_if_no_variable_gets_it() {
        let text = "void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (__VERIFIER_nondet_int() == 34) reach_error();
  return x;
}
";
        let inputs = |program: &Program| Journal {
            entries: program
                .inputs
                .iter()
                .enumerate()
                .filter(|(_, input)| matches!(&input.kind, InputKind::Nondet(_)))
                .map(|(id, input)| {
                    let value = if input.span.line == 4 { 12 } else { 34 };
                    (InputId(id as u32), Value::bit_vec(32, value))
                })
                .collect(),
        };
        let path = path_with(text, Detail::Folded, inputs);
        let path = path.join("\n");
        assert!(
            path.ends_with("main::x=12 __VERIFIER_nondet_int()=34\n0:5:error"),
            "{path}"
        );
    }

    #[test]
    fn deep_recursion_is_folded_in_the_middle() {
        let text = "void reach_error(void);
void f(int n) {
  if (n == 0) reach_error();
  f(n - 1);
}
int main(void) { f(100); return 0; }
";
        let folded = path_of(text, Detail::Folded);
        assert_eq!(count(&folded, " calls"), 1, "{folded:#?}");
        assert!(folded.len() < 40, "{folded:#?}");
        assert!(
            count(&folded, "f::n=100") == 1 && count(&folded, "f::n=0") == 1,
            "{folded:#?}"
        );
        assert!(count(&folded, "f::n=50") == 0, "{folded:#?}");
        assert_eq!(count(&path_of(text, Detail::Whole), "f::n=50"), 1);
    }
}

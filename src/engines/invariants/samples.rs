//! Samples: states of concrete runs at cut points.
//!
//! The runs are shared with the other engines of a race, and so are some of their states, with all variables
//! ([`ReachedState`]); each engine has samples of its own, as rows of numbers, from which it guesses.

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::contents;
use super::views::{View, root};
use crate::simulate::{self, Control, Unconfirmed, simulate_confirmed};
use regatta_program::block::Blocks;
use regatta_program::graph::callee;
use regatta_program::interpreter::{
    Executable, InputSource, Journal, Limits, Machine, Observer, ReplayInputs, StateView,
};
use regatta_program::{
    CScalar, CallStringId, CutPointKind, EdgeId, InlinedLocation, Input, InputId, LocationId,
    Program, Role, VariableId,
};
use regatta_sharing::{Exchange, ReachedState};
use regatta_term::{
    Build, Evaluator, Op, Pool, Rebuild, ScalarSort, Sort, Symbol, TermId, TermKind, Value,
    for_each_subterm, store,
};

/// A sampled variable, or cell of an array at a constant index: a Boolean, an integer, or at most 64 bits.
#[derive(Copy, Clone, Debug)]
pub struct SampledVariable {
    /// The variable, or the array.
    pub id: VariableId,
    /// The cell's index.
    pub cell: Option<u64>,
    /// The variable or cell as a term.
    pub term: TermId,
    pub sort: Sort,
    /// Whether its C type is unsigned.
    pub unsigned: bool,
}

impl SampledVariable {
    /// Returns those of the variables that are sampled. History variables are not: what they are good for is known.
    pub fn all(program: &Program, variables: &[VariableId]) -> Vec<Self> {
        let variables = variables.iter().filter(|&&id| !is_history(program, id));
        variables.filter_map(|&id| Self::new(program, id)).collect()
    }

    /// Returns the variable, if it is sampled.
    pub fn new(program: &Program, id: VariableId) -> Option<Self> {
        let variable = program.variable(id);
        let sampled = match variable.sort {
            Sort::Bool | Sort::Int => true,
            Sort::BitVec(width) => width <= 64,
            _ => false,
        };
        sampled.then(|| Self {
            id,
            cell: None,
            term: store().variable(variable.symbol),
            sort: variable.sort,
            unsigned: matches!(
                variable.c_type,
                Some(CScalar::Integer { signed: false, .. } | CScalar::Pointer | CScalar::Bool)
            ),
        })
    }

    /// Returns the cells that the blocks read or write most at constant indices.
    fn cells(blocks: &Blocks) -> Vec<Self> {
        let program = blocks.inlined().program();
        let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut note = |array: TermId, index: TermId| {
            if store().is_constant(index) {
                *uses.entry(store().select(array, index)).or_default() += 1;
            }
        };
        for at in blocks.cut_points() {
            for block in blocks.from(at).iter() {
                let updates = block.updates.iter().map(|&(_, value)| value);
                for_each_subterm(store(), updates.chain([block.guard]), |_, kind| {
                    if let TermKind::Apply {
                        op: Op::Select | Op::Store,
                        arguments,
                    } = kind
                        && let Some(array) = root(arguments[0])
                    {
                        note(array, arguments[1]);
                    }
                });
                // Writes to arrays with unknown contents.
                for &(variable, mut value) in &block.updates {
                    while let Some(&[array, index, _]) = store().arguments(Op::Store, value) {
                        note(store().variable(program.variable(variable).symbol), index);
                        value = array;
                    }
                }
            }
        }
        let mut uses: Vec<(TermId, usize)> = uses.into_iter().collect();
        uses.sort_unstable_by_key(|&(cell, count)| (usize::MAX - count, cell));
        let cells = uses
            .into_iter()
            .filter_map(|(cell, _)| Self::cell(blocks, cell));
        cells.take(MAXIMUM_CELLS).collect()
    }

    fn cell(blocks: &Blocks, cell: TermId) -> Option<Self> {
        let TermKind::Apply { arguments, .. } = store().kind(cell) else {
            return None;
        };
        let TermKind::Variable { symbol, .. } = store().kind(arguments[0]) else {
            return None;
        };
        let id = blocks.variable(symbol)?;
        let array = SampledArray::new(blocks.inlined().program(), id)?;
        let index = match store().constant(arguments[1])?.to_value() {
            Value::BitVec(bits) => u64::try_from(bits.bits()).ok()?,
            other => u64::try_from(number(&other)?).ok()?,
        };
        Some(Self {
            id,
            cell: Some(index),
            term: cell,
            sort: array.element,
            unsigned: false,
        })
    }

    /// Returns its value in a state.
    pub fn in_state(&self, state: &StateView<'_>) -> Option<i128> {
        match self.cell {
            Some(index) => number(&state.cell(self.id, index)?),
            None => number(&state.value(self.id)),
        }
    }
}

fn is_history(program: &Program, id: VariableId) -> bool {
    matches!(program.variable(id).role, Role::History(_))
}

/// Replaces cells at constant indices in the term by fresh variables; returns also the cells of these.
pub fn with_named_cells(term: TermId) -> (TermId, FxHashMap<Symbol, TermId>) {
    let mut names: FxHashMap<TermId, Symbol> = FxHashMap::default();
    for_each_subterm(store(), [term], |part, kind| {
        if let TermKind::Apply {
            op: Op::Select,
            arguments,
        } = kind
            && store().is_constant(arguments[1])
            && let TermKind::Variable { instance: 0, .. } = store().kind(arguments[0])
        {
            let name = format!("cell {}#", names.len());
            names.insert(part, Symbol::new(&name, store().sort(part)));
        }
    });
    let replace = |part| names.get(&part).map(|&symbol| store().variable(symbol));
    let named = Rebuild::new(store(), store(), replace).rebuild(term);
    (
        named,
        names
            .into_iter()
            .map(|(cell, symbol)| (symbol, cell))
            .collect(),
    )
}

/// The views and cells of arrays that samples record.
pub struct Watched {
    views: Vec<View>,
    cells: Vec<SampledVariable>,
}

impl Watched {
    /// Returns those that the program's blocks use.
    pub fn of(blocks: &Blocks) -> Self {
        Self {
            views: View::all(blocks),
            cells: SampledVariable::cells(blocks),
        }
    }
}

/// Returns a value of a sampled sort as a number; bit vectors as signed ones. `None` for integers beyond 100 bits.
pub fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(truth) => Some(i128::from(*truth)),
        Value::BitVec(bits) => Some(bits.signed()),
        Value::Int(_) => i128::try_from(value)
            .ok()
            .filter(|number| number.unsigned_abs() < 1 << 100),
        _ => None,
    }
}

/// Returns the value of a sampled sort for the number.
pub fn value(sort: Sort, number: i128) -> Option<Value> {
    Some(match sort {
        Sort::Bool => Value::Bool(number != 0),
        Sort::BitVec(width) => Value::bit_vec(width, number.cast_unsigned()),
        Sort::Int => Value::int(number),
        _ => return None,
    })
}

/// An array that is sampled: of bit vectors, or of integers.
#[derive(Copy, Clone, Debug)]
pub struct SampledArray {
    /// The variable.
    pub id: VariableId,
    /// The variable as a term.
    pub term: TermId,
    /// The sort of its indices.
    pub index: Sort,
    /// The sort of its elements.
    pub element: Sort,
}

impl SampledArray {
    /// Returns those of the variables that are sampled arrays.
    pub fn all(program: &Program, variables: &[VariableId]) -> Vec<Self> {
        let one = |&id: &VariableId| Self::new(program, id);
        variables.iter().filter_map(one).collect()
    }

    fn new(program: &Program, id: VariableId) -> Option<Self> {
        let variable = program.variable(id);
        let Sort::Array { index, element } = variable.sort else {
            return None;
        };
        let fits = |sort: ScalarSort| match sort {
            ScalarSort::BitVec(width) => width <= 64,
            ScalarSort::Int => true,
            _ => false,
        };
        (fits(index) && fits(element)).then(|| Self {
            id,
            term: store().variable(variable.symbol),
            index: index.into(),
            element: element.into(),
        })
    }
}

/// Some cells of the arrays in a state.
#[derive(Clone, Debug)]
pub struct ArrayRow {
    /// The sampled variables.
    pub scalars: Vec<i128>,
    /// The indices of the cells.
    pub indices: Vec<i128>,
    /// For each array, its elements there, as signed numbers.
    pub cells: Vec<Vec<i128>>,
}

/// The samples of a cut point.
#[derive(Clone, Debug, Default)]
pub struct PlaceSamples {
    /// The live variables that are sampled.
    pub variables: Vec<SampledVariable>,
    /// Their values, one row for each state, without duplicates.
    pub rows: Vec<Vec<i128>>,
    /// The live arrays that are sampled.
    pub arrays: Vec<SampledArray>,
    /// The live history variables.
    pub histories: Vec<TermId>,
    /// The views of these arrays.
    pub views: Vec<View>,
    /// Some of the states with the arrays.
    pub array_rows: Vec<ArrayRow>,
    /// The number of visits of the present run to the location.
    visits_in_run: u64,
    /// The number of its states that have been kept, and the divisor n of "one visit in n is kept".
    rows_in_run: u64,
    one_in: u64,
}

impl PlaceSamples {
    /// Creates an empty set of samples of these live variables.
    pub fn of(program: &Program, live: &[VariableId], watched: &Watched) -> Self {
        let arrays = SampledArray::all(program, live);
        let is_live = |view: &&View| arrays.iter().any(|array| array.term == view.array);
        let mut variables = SampledVariable::all(program, live);
        let cells = watched.cells.iter();
        variables.extend(cells.filter(|cell| live.contains(&cell.id)));
        let histories = live.iter().filter(|&&id| is_history(program, id));
        let histories = histories.map(|&id| store().variable(program.variable(id).symbol));
        Self {
            variables,
            histories: histories.collect(),
            views: watched.views.iter().filter(is_live).cloned().collect(),
            arrays,
            ..Self::default()
        }
    }

    /// Makes samples of scalars alone.
    pub fn with_rows(variables: Vec<SampledVariable>, rows: Vec<Vec<i128>>) -> Self {
        Self {
            variables,
            rows,
            ..Self::default()
        }
    }

    /// Starts to count the visits of another run.
    pub fn begin_run(&mut self) {
        self.visits_in_run = 0;
        self.rows_in_run = 0;
        self.one_in = 1;
    }

    /// Decides whether the state at this visit is kept, if there is room. The longer the run, the smaller the share
    /// that is kept, by a hash: a regular choice would show as a pattern in the values.
    pub fn is_kept(&mut self) -> bool {
        self.visits_in_run += 1;
        if self.rows.len() >= MAXIMUM_ROWS {
            return false;
        }
        let visit = self.visits_in_run;
        if visit <= FIRST_VISITS {
            return true;
        }
        let one_in = self.one_in.max(1);
        let hash = visit.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let kept = hash.is_multiple_of(one_in);
        self.rows_in_run += u64::from(kept);
        if self.rows_in_run >= LATER_VISITS {
            self.rows_in_run = LATER_VISITS / 2;
            self.one_in = one_in * 4;
        }
        kept
    }

    /// Adds a state; `true` if it is new.
    pub fn add(&mut self, row: Vec<i128>) -> bool {
        let new = !self.rows.contains(&row);
        if new {
            self.rows.push(row);
        }
        new
    }
}

impl ArrayRow {
    fn new(scalars: Vec<i128>, place: &PlaceSamples, state: &StateView<'_>) -> Self {
        let arrays = &place.arrays;
        let numbers = Self::numbers(&scalars);
        let viewed = place.views.iter();
        let viewed = viewed.flat_map(|view| {
            let indices = numbers.iter();
            let scalars = &scalars;
            indices.filter_map(move |&number| view.at(number, &place.variables, scalars))
        });
        let near = scalars
            .iter()
            .flat_map(|value| [value - 1, *value, value + 1]);
        let near = near.filter(|index| (0..1 << 40).contains(index));
        let far = (4..20).flat_map(|bit| [(1 << bit) - 3, 1 << bit]);
        let mut indices: Vec<i128> = (0..FIRST_CELLS).chain(near).chain(far).collect();
        indices.extend(viewed);
        indices.sort_unstable();
        indices.dedup();
        let cells = arrays.iter().map(|array| {
            let cell = |&index: &i128| number(&state.cell(array.id, index as u64)?);
            let cells = indices.iter().map(|index| cell(index).unwrap_or_default());
            cells.collect()
        });
        Self {
            cells: cells.collect(),
            indices,
            scalars,
        }
    }

    /// Returns the numbers whose cells are kept of each view, in order: the first ones, and those near small scalars.
    pub fn numbers(scalars: &[i128]) -> Vec<i128> {
        let small = scalars.iter().filter(|value| (1..1 << 10).contains(*value));
        let near = small.flat_map(|value| [value - 1, *value]);
        let mut numbers: Vec<i128> = (0..FIRST_CELLS).chain(near).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// The samples of all inner cut points.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The samples by location.
    pub places: FxHashMap<InlinedLocation, PlaceSamples>,
}

/// Maximum number of cells at constant indices that are sampled like variables.
const MAXIMUM_CELLS: usize = 8;

/// Maximum number of states of a location.
const MAXIMUM_ROWS: usize = 300;

/// Maximum numbers of states with arrays, of a location and of a run on average; number of first cells kept.
const MAXIMUM_ARRAY_ROWS: usize = 120;
const ARRAY_ROWS_PER_RUN: usize = 12;
const FIRST_CELLS: i128 = 12;

/// Number of ordinary runs.
const ORDINARY_RUNS: usize = 96;

/// Maximum number of steps of a run, and of a long run: what happens late in a loop differs in many programs.
pub const RUN_STEPS: u64 = 5_000;
const LONG_RUN_STEPS: u64 = 5_000_000;

/// Of the first 72 runs, every 24th is long.
const LONG_RUNS: usize = 72;
const LONG_RUN_EVERY: usize = 24;

/// Number of first visits of a run that are all kept, and approximate number of later ones that are kept at random.
const FIRST_VISITS: u64 = 6;
const LATER_VISITS: u64 = 24;

/// Maximum numbers of states that are shared with other engines: of a run at a location on average, and of a run. Of a run,
/// the first three states at a location are shared, and then one whenever the number of visits has grown by the factor.
const SHARED_STATES_PER_RUN: usize = 5;
const SHARED_STATES_OF_A_RUN: usize = 200;
const SHARED_VISITS_GROWTH: u64 = 4;

/// Maximum number of cells that an array of such a state has in store, and of those that are not like all others; larger
/// arrays are left out.
const MAXIMUM_STORED_CELLS: usize = 8_192;
const MAXIMUM_SHARED_CELLS: usize = 128;

/// Maximum number of inputs that lead to such a state.
const MAXIMUM_SHARED_INPUTS: usize = 4_000;

impl Samples {
    /// Samples ordinary runs, and runs that simulation finds worth keeping in the time of the options; if other engines have
    /// shared such runs, then these. The first engine to do so shares its runs and some of the states.
    pub fn of_simulation(
        blocks: &Blocks,
        options: &simulate::Options,
        control: Control<'_>,
        exchange: Option<&Exchange<'_>>,
    ) -> Self {
        let (executable, runs) = match exchange.and_then(Exchange::runs) {
            Some(runs) => {
                let program = blocks.inlined().program();
                let executable = Executable::compile_for(program, options.accesses);
                (executable, runs.to_vec())
            }
            None => {
                let (executable, runs) = simulated(blocks, options, control);
                if let Some(exchange) = exchange {
                    exchange.share_runs(&runs);
                }
                (executable, runs)
            }
        };
        let sharing = exchange.filter(|exchange| exchange.claims_reached_states());
        Self::of_runs(blocks, &executable, runs, sharing)
    }

    /// Checks whether a sample at the location violates the formula; formulas about arrays are not refuted.
    pub fn refute(&self, at: InlinedLocation, formula: TermId) -> bool {
        let Some(place) = self.places.get(&at) else {
            return false;
        };
        place.rows.iter().any(|row| {
            let assignment = |symbol: Symbol, instance| {
                let term = store().variable_at(symbol, instance);
                let mut variables = place.variables.iter().zip(row);
                let (_, &number) = variables.find(|(variable, _)| variable.term == term)?;
                value(symbol.sort(), number)
            };
            let mut evaluator = Evaluator::new(store(), &assignment);
            evaluator.evaluate(formula) == Ok(Value::Bool(false))
        })
    }

    /// Samples the runs on these inputs, and shares some of their states if there is an exchange.
    fn of_runs(
        blocks: &Blocks,
        executable: &Executable,
        mut runs: Vec<Journal>,
        exchange: Option<&Exchange<'_>>,
    ) -> Self {
        let program = blocks.inlined().program();
        let watched = Watched::of(blocks);
        contents::fill(&watched.views, &mut runs);
        let mut machine = Machine::new(executable);
        let inputs_read = Cell::new(0);
        let mut recorder = Recorder {
            states: exchange.map(|_| States::new(&inputs_read)),
            blocks,
            program,
            watched,
            samples: Self::default(),
            run: 0,
            calls: Vec::new(),
            points: inner_points(blocks),
        };
        for (number, run) in runs.iter().enumerate() {
            recorder.run = number;
            recorder.calls.clear();
            inputs_read.set(0);
            for place in recorder.samples.places.values_mut() {
                place.begin_run();
            }
            let mut inputs = RecordedInputs {
                source: ReplayInputs::new(run),
                most: exchange.map_or(0, |_| MAXIMUM_SHARED_INPUTS),
                recorded: Journal::default(),
                read: &inputs_read,
            };
            machine.run_observed(&mut inputs, limits_of(number), &mut recorder);
            if let (Some(states), Some(exchange)) = (&mut recorder.states, exchange) {
                exchange.tell_reached(states.of_run(inputs.recorded));
            }
        }
        recorder.samples
    }
}

/// Returns the compiled program, ordinary runs of it, and runs that simulation finds worth keeping in the time of the options.
pub fn simulated(
    blocks: &Blocks,
    options: &simulate::Options,
    control: Control<'_>,
) -> (Executable, Vec<Journal>) {
    let program = blocks.inlined().program();
    let executable = Executable::compile_for(program, options.accesses);
    let mut runs = simulate::sample_runs(program, &executable, ORDINARY_RUNS, RUN_STEPS);
    let simulation = simulate_confirmed(program, options, control, &mut Unconfirmed);
    runs.extend(simulation.corpus);
    (executable, runs)
}

/// Returns the limits of the run with the number.
fn limits_of(number: usize) -> Limits<'static> {
    let is_long = number < LONG_RUNS && number.is_multiple_of(LONG_RUN_EVERY);
    Limits {
        steps: if is_long { LONG_RUN_STEPS } else { RUN_STEPS },
        ..Limits::default()
    }
}

/// Marks the locations of cut points other than the entry and the errors.
fn inner_points(blocks: &Blocks) -> Vec<bool> {
    let inlined = blocks.inlined();
    let count = inlined.program().locations.len() as u32;
    let inner = |location: u32| {
        let kind = inlined.cut_points().kind(LocationId(location));
        kind.is_some_and(CutPointKind::is_inner)
    };
    (0..count).map(inner).collect()
}

/// A source of inputs that records the first ones and counts all.
struct RecordedInputs<'c> {
    source: ReplayInputs,
    /// Maximum number of inputs that are recorded.
    most: usize,
    recorded: Journal,
    read: &'c Cell<usize>,
}

impl InputSource for RecordedInputs<'_> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let value = self.source.next(id, input)?;
        if self.recorded.entries.len() < self.most {
            self.recorded.entries.push((id, value.clone()));
        }
        self.read.set(self.read.get() + 1);
        Some(value)
    }
}

/// A state with all variables, for other engines: its values, the number of inputs before it, and that of steps.
struct WholeState {
    at: InlinedLocation,
    values: FxHashMap<Symbol, Value>,
    inputs: usize,
    steps: u32,
}

/// The states that are shared with other engines.
struct States<'c> {
    inputs_read: &'c Cell<usize>,
    /// Those of the present run.
    of_run: Vec<WholeState>,
    /// The number of steps between cut points of the present run.
    steps: u32,
    /// The number of states of all runs by location.
    taken: FxHashMap<InlinedLocation, usize>,
    /// The visit of the present run at which the next state is taken, by location.
    next_visit: FxHashMap<InlinedLocation, u64>,
}

impl<'c> States<'c> {
    fn new(inputs_read: &'c Cell<usize>) -> Self {
        Self {
            inputs_read,
            of_run: Vec::new(),
            steps: 0,
            taken: FxHashMap::default(),
            next_visit: FxHashMap::default(),
        }
    }

    /// Whether the state at the visit with the number is taken.
    fn is_due(&mut self, at: InlinedLocation, visit: u64) -> bool {
        let next = self.next_visit.entry(at).or_insert(1);
        let is_due = visit >= *next;
        if is_due {
            *next = match visit {
                0..=2 => visit + 1,
                _ => visit * SHARED_VISITS_GROWTH,
            };
        }
        is_due
    }

    /// Takes the state of the run with the number, if there is room.
    fn take(
        &mut self,
        at: InlinedLocation,
        run: usize,
        live: impl Iterator<Item = (Symbol, VariableId)>,
        state: &StateView<'_>,
    ) {
        let inputs = self.inputs_read.get();
        let taken = self.taken.entry(at).or_default();
        if *taken >= (run + 1) * SHARED_STATES_PER_RUN
            || self.of_run.len() >= SHARED_STATES_OF_A_RUN
            || inputs > MAXIMUM_SHARED_INPUTS
        {
            return;
        }
        *taken += 1;
        let values = live.filter_map(|(symbol, id)| {
            let value = state.value_within(id, MAXIMUM_STORED_CELLS)?;
            match &value {
                Value::Array(array) if array.entries().len() > MAXIMUM_SHARED_CELLS => None,
                _ => Some((symbol, value)),
            }
        });
        self.of_run.push(WholeState {
            at,
            values: values.collect(),
            inputs,
            steps: self.steps,
        });
    }

    /// Ends the run, which has read these inputs, and returns its states.
    fn of_run(&mut self, inputs: Journal) -> Vec<(InlinedLocation, ReachedState)> {
        self.steps = 0;
        self.next_visit.clear();
        let run = Arc::new(inputs);
        let states = self.of_run.drain(..).map(|state| {
            let WholeState {
                at,
                values,
                inputs,
                steps,
            } = state;
            (at, ReachedState::new(values, &run, inputs, steps))
        });
        states.collect()
    }
}

struct Recorder<'b> {
    blocks: &'b Blocks,
    /// The states for other engines, if they are shared.
    states: Option<States<'b>>,
    program: &'b Program,
    watched: Watched,
    samples: Samples,
    /// The number of the run.
    run: usize,
    /// The calls that are being executed, with their call strings.
    calls: Vec<(EdgeId, CallStringId)>,
    points: Vec<bool>,
}

impl Recorder<'_> {
    fn call_string(&self) -> CallStringId {
        let inlined = self.blocks.inlined();
        let root = || inlined.root(self.program.start);
        self.calls.last().map_or_else(root, |call| call.1)
    }
}

impl Observer for Recorder<'_> {
    fn edge(&mut self, edge: EdgeId, state: &StateView<'_>) {
        let taken = self.program.edge(edge);
        let function = self.program.location(taken.source).function;
        // A call that has returned is noticed at the next edge of its caller.
        while let Some(&(call, _)) = self.calls.last()
            && callee(self.program.edge(call)) != Some(function)
        {
            self.calls.pop();
        }
        let mut location = taken.target;
        if let Some(callee) = callee(taken) {
            let string = self.blocks.inlined().push(self.call_string(), edge);
            self.calls.push((edge, string));
            location = self.program.function(callee).entry;
        }
        if !self.points[location.index()] {
            return;
        }
        let at = InlinedLocation {
            location,
            call_string: self.call_string(),
        };
        let place = self.samples.places.entry(at).or_insert_with(|| {
            PlaceSamples::of(self.program, &self.blocks.state(at), &self.watched)
        });
        let is_kept = place.is_kept();
        if let Some(states) = &mut self.states {
            states.steps = states.steps.saturating_add(1);
            if states.is_due(at, place.visits_in_run) {
                let live = self.blocks.state(at).into_iter();
                let live = live.map(|id| (self.program.variable(id).symbol, id));
                states.take(at, self.run, live, state);
            }
        }
        if !is_kept {
            return;
        }
        let values = place.variables.iter();
        let row: Option<Vec<i128>> = values.map(|variable| variable.in_state(state)).collect();
        let Some(row) = row else { return };
        let room = MAXIMUM_ARRAY_ROWS.min((self.run + 1) * ARRAY_ROWS_PER_RUN);
        if !place.arrays.is_empty() && place.array_rows.len() < room {
            let array_row = ArrayRow::new(row.clone(), place, state);
            place.array_rows.push(array_row);
        }
        place.add(row);
    }
}

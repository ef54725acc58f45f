//! States of concrete runs at cut points.

use rustc_hash::FxHashMap;

use super::contents;
use super::views::{View, root};
use crate::analysis::simulate::{self, Control, Unconfirmed, simulate_confirmed};
use crate::program::block::Blocks;
use crate::program::graph::callee;
use crate::program::interpreter::{
    Executable, Journal, Limits, Machine, Observer, ReplayInputs, StateView,
};
use crate::program::{
    CScalar, CallStringId, CutPointKind, EdgeId, InlinedLocation, LocationId, Program, VariableId,
};
use crate::term::{
    Build, Evaluator, Op, Pool, Rebuild, ScalarSort, Sort, Symbol, TermId, TermKind, Value,
    for_each_subterm, store,
};

/// A variable that is sampled, or a cell of an array at a constant index: a Boolean, a bit vector of up to 64 bits, or an
/// integer.
#[derive(Copy, Clone, Debug)]
pub struct SampledVariable {
    /// Which, or the array's.
    pub id: VariableId,
    /// The cell's index.
    pub cell: Option<u64>,
    /// As a term.
    pub term: TermId,
    pub sort: Sort,
    /// Whether C reads it as unsigned.
    pub unsigned: bool,
}

impl SampledVariable {
    /// Those of the variables that are sampled.
    pub fn all(program: &Program, variables: &[VariableId]) -> Vec<Self> {
        let one = |&id| Self::new(program, id);
        variables.iter().filter_map(one).collect()
    }

    /// The variable, if it is sampled.
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

    /// The cells that the blocks read or write at constant indices, those that are used most.
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
                // What is written to an array that nothing is known of yet.
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
        cells.take(MOST_CELLS).collect()
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

    /// What it is in a state.
    pub fn in_state(&self, state: &StateView<'_>) -> Option<i128> {
        match self.cell {
            Some(index) => number(&state.cell(self.id, index)?),
            None => number(&state.value(self.id)),
        }
    }
}

/// The term with a variable in the place of each cell of an array at a constant index, and what these stand for.
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

/// How states are looked at where there are arrays.
pub struct Watched {
    views: Vec<View>,
    cells: Vec<SampledVariable>,
}

impl Watched {
    /// As the program's blocks use the arrays.
    pub fn of(blocks: &Blocks) -> Self {
        Self {
            views: View::all(blocks),
            cells: SampledVariable::cells(blocks),
        }
    }
}

/// The number that a value of a sampled sort is; bit vectors as signed ones. `None` for integers beyond 100 bits.
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

/// The value of a sampled sort that the number stands for.
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
    /// Which.
    pub id: VariableId,
    /// As a term.
    pub term: TermId,
    /// The sort of its indices.
    pub index: Sort,
    /// The sort of its elements.
    pub element: Sort,
}

impl SampledArray {
    /// Those of the variables that are sampled arrays.
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

/// The states seen at a cut point.
#[derive(Clone, Debug, Default)]
pub struct PlaceSamples {
    /// The live variables that are sampled.
    pub variables: Vec<SampledVariable>,
    /// Their values, a row a state; rows differ from one another.
    pub rows: Vec<Vec<i128>>,
    /// The live arrays that are sampled.
    pub arrays: Vec<SampledArray>,
    /// What the program means by these arrays' cells.
    pub views: Vec<View>,
    /// Some of the states with the arrays.
    pub array_rows: Vec<ArrayRow>,
    /// How often the run at hand has visited the place.
    visits_in_run: u64,
    /// How many states of it have been kept, and which share of the visits is kept now.
    rows_in_run: u64,
    one_in: u64,
}

impl PlaceSamples {
    /// No states yet of these live variables, whose arrays are seen in some of these ways.
    pub fn of(program: &Program, live: &[VariableId], watched: &Watched) -> Self {
        let arrays = SampledArray::all(program, live);
        let is_live = |view: &&View| arrays.iter().any(|array| array.term == view.array);
        let mut variables = SampledVariable::all(program, live);
        let cells = watched.cells.iter();
        variables.extend(cells.filter(|cell| live.contains(&cell.id)));
        Self {
            variables,
            views: watched.views.iter().filter(is_live).cloned().collect(),
            arrays,
            ..Self::default()
        }
    }

    /// States without arrays.
    pub fn with_rows(variables: Vec<SampledVariable>, rows: Vec<Vec<i128>>) -> Self {
        Self {
            variables,
            rows,
            ..Self::default()
        }
    }

    /// The visits from now on are those of another run.
    pub fn begin_run(&mut self) {
        self.visits_in_run = 0;
        self.rows_in_run = 0;
        self.one_in = 1;
    }

    /// Whether the state at this visit is kept, if there is room. The longer the run, the fewer are, without any pattern, or the pattern
    /// would be seen in the values.
    pub fn is_kept(&mut self) -> bool {
        self.visits_in_run += 1;
        if self.rows.len() >= MOST_ROWS {
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

    /// Adds a state; says if it is new.
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

    /// The numbers whose cells are kept of each view, in order: the first ones, and those near small values of variables.
    pub fn numbers(scalars: &[i128]) -> Vec<i128> {
        let small = scalars.iter().filter(|value| (1..1 << 10).contains(*value));
        let near = small.flat_map(|value| [value - 1, *value]);
        let mut numbers: Vec<i128> = (0..FIRST_CELLS).chain(near).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// The states seen at all cut points that are inside of runs.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// By place.
    pub places: FxHashMap<InlinedLocation, PlaceSamples>,
}

/// How many cells of arrays are looked at as if they were variables.
const MOST_CELLS: usize = 8;

/// How many states are kept for a place.
const MOST_ROWS: usize = 300;

/// How many states are kept with their arrays, so many of a run on average; and how many cells from the beginning on.
const MOST_ARRAY_ROWS: usize = 120;
const ARRAY_ROWS_OF_RUN: usize = 12;
const FIRST_CELLS: i128 = 12;

/// Ordinary runs.
const RUNS: usize = 96;

/// Steps of a run; of some of the runs, since what happens late in a loop differs in many programs.
pub const RUN_STEPS: u64 = 5_000;
const LONG_RUN_STEPS: u64 = 5_000_000;

/// The first of so many runs are long, each so many apart.
const LONG_RUNS: usize = 72;
const LONG_RUN_EVERY: usize = 24;

/// The states of a run that are kept: the first ones, and then about so many at random.
const FIRST_VISITS: u64 = 6;
const LATER_VISITS: u64 = 24;

impl Samples {
    /// States of ordinary runs, and of runs that simulation finds worth keeping in the time of the options.
    pub fn of_simulation(
        blocks: &Blocks,
        options: &simulate::Options,
        control: Control<'_>,
    ) -> Self {
        let program = blocks.inlined().program();
        let executable = Executable::compile_for(program, options.accesses);
        let runs = runs(program, &executable, options, control);
        Self::of_runs(blocks, &executable, &runs)
    }

    /// Whether one of the states at the place does not satisfy the formula. What it says of arrays is not looked at.
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

    /// States of the runs on these inputs.
    pub fn of_runs(blocks: &Blocks, executable: &Executable, runs: &[Journal]) -> Self {
        let program = blocks.inlined().program();
        let watched = Watched::of(blocks);
        let mut runs = runs.to_vec();
        contents::fill(&watched.views, &mut runs);
        let mut machine = Machine::new(executable);
        let mut recorder = Recorder {
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
            for place in recorder.samples.places.values_mut() {
                place.begin_run();
            }
            machine.run_observed(
                &mut ReplayInputs::new(run),
                limits_of(number),
                &mut recorder,
            );
        }
        recorder.samples
    }
}

/// Ordinary runs, and runs that simulation finds worth keeping in the time of the options.
pub fn runs(
    program: &Program,
    executable: &Executable,
    options: &simulate::Options,
    control: Control<'_>,
) -> Vec<Journal> {
    let mut runs = simulate::sample_runs(program, executable, RUNS, RUN_STEPS);
    let simulation = simulate_confirmed(program, options, control, &mut Unconfirmed);
    runs.extend(simulation.corpus);
    runs
}

/// How far the run with the number is followed.
fn limits_of(number: usize) -> Limits<'static> {
    let is_long = number < LONG_RUNS && number.is_multiple_of(LONG_RUN_EVERY);
    Limits {
        steps: if is_long { LONG_RUN_STEPS } else { RUN_STEPS },
        ..Limits::default()
    }
}

/// The locations of cut points other than the entry and the errors.
fn inner_points(blocks: &Blocks) -> Vec<bool> {
    let inlined = blocks.inlined();
    let count = inlined.program().locations.len() as u32;
    let inner = |location: u32| {
        let kind = inlined.cut_points().kind(LocationId(location));
        kind.is_some_and(CutPointKind::is_inner)
    };
    (0..count).map(inner).collect()
}

struct Recorder<'b> {
    blocks: &'b Blocks,
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
        if !place.is_kept() {
            return;
        }
        let values = place.variables.iter();
        let row: Option<Vec<i128>> = values.map(|variable| variable.in_state(state)).collect();
        let Some(row) = row else { return };
        let room = MOST_ARRAY_ROWS.min((self.run + 1) * ARRAY_ROWS_OF_RUN);
        if !place.arrays.is_empty() && place.array_rows.len() < room {
            let array_row = ArrayRow::new(row.clone(), place, state);
            place.array_rows.push(array_row);
        }
        place.add(row);
    }
}

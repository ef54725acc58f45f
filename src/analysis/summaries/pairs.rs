//! Pairs of states of concrete runs: where an activation of a recursive function was entered, and where it is at a place.

use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::horn_clauses::encode::Encoding;
use crate::analysis::invariants::samples::{PlaceSamples, RUN_STEPS, SampledVariable, runs};
use crate::analysis::simulate::{self, Control};
use crate::certify::certificate::AT_ENTRY;
use crate::program::block::Blocks;
use crate::program::graph::callee;
use crate::program::interpreter::{
    Executable, Journal, Limits, Machine, Observer, ReplayInputs, StateView,
};
use crate::program::{
    CallStringId, EdgeId, FunctionId, InlinedLocation, InlinedProgram, Program, VariableId,
};
use crate::term::{Pool, TermId, TermKind, store};

/// For each predicate of the clauses the pairs of states in which its place was reached.
pub struct Pairs {
    /// By the predicates' numbers: the sampled ones of the parameters, and a row for each pair. `None` for predicates that no clause
    /// has, and for those without such parameters.
    pub places: Vec<Option<PlaceSamples>>,
}

/// Where a sampled parameter has its value from.
#[derive(Copy, Clone)]
struct Source {
    variable: SampledVariable,
    /// Whether it is the value at the activation's entry.
    is_entry: bool,
}

impl Pairs {
    /// Pairs of ordinary runs, and of runs that simulation finds worth keeping in the time of the options.
    pub fn of_simulation(
        blocks: &Blocks,
        encoding: &Encoding,
        options: &simulate::Options,
        control: Control<'_>,
    ) -> Self {
        let program = blocks.inlined().program();
        let executable = Executable::compile_for(program, options.accesses);
        let runs = runs(program, &executable, options, control);
        Self::of_runs(blocks, encoding, &executable, &runs)
    }

    /// Pairs of the runs on these inputs.
    pub fn of_runs(
        blocks: &Blocks,
        encoding: &Encoding,
        executable: &Executable,
        runs: &[Journal],
    ) -> Self {
        let mut recorder = Recorder::new(blocks, encoding);
        let mut machine = Machine::new(executable);
        let begin = Instant::now();
        let deadline = begin + RECORDING;
        for run in runs {
            recorder.begin_run();
            let may_be_long = begin.elapsed() < LONG_RUNS;
            let limits = Limits {
                steps: if may_be_long {
                    LONG_RUN_STEPS
                } else {
                    RUN_STEPS
                },
                memory: MEMORY,
                deadline: Some(deadline),
                ..Limits::default()
            };
            machine.run_observed(&mut ReplayInputs::new(run), limits, &mut recorder);
        }
        recorder.pairs
    }
}

/// The most pairs of a predicate; so many are kept of what is rare.
const MOST: usize = 600;

/// Wall time in which pairs are recorded, and what a run may have of memory: deep recursion has more of both than it is worth.
const RECORDING: Duration = Duration::from_millis(600);
const MEMORY: usize = 16 << 20;

/// Steps of a run in the first part of the time, since a tree of calls of some depth has many.
const LONG_RUN_STEPS: u64 = 600_000;
const LONG_RUNS: Duration = Duration::from_millis(200);

/// So many visits of a run are looked at.
const MOST_VISITS: u32 = 100_000;

/// How often each value of a parameter occurs that has few: where one of these is rare, a pair is kept that others would crowd out
/// (a function of two parameters may be called thousands of times with one value of the first, and a dozen times with another).
struct Occurrences {
    /// `None` for a parameter with many values.
    columns: Vec<Option<FxHashMap<i128, u32>>>,
    /// The pairs that are kept.
    kept: FxHashSet<Vec<i128>>,
    /// How often the run at hand has visited the place.
    visits: u32,
}

impl Occurrences {
    /// A parameter has few values if they are no more than these, and one is rare if it occurs less often.
    const FEW: usize = 6;
    const RARE: u32 = 16;

    fn of(columns: usize) -> Self {
        Self {
            columns: vec![Some(FxHashMap::default()); columns],
            kept: FxHashSet::default(),
            visits: 0,
        }
    }

    /// Whether a value in the row is rare.
    fn is_rare(&mut self, row: &[i128]) -> bool {
        let mut rare = false;
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(known) = column {
                let count = known.entry(*value).or_default();
                rare |= *count < Self::RARE;
                if known.len() > Self::FEW {
                    *column = None;
                }
            }
        }
        rare
    }

    /// The row is kept; says whether it is new.
    fn note(&mut self, row: &[i128]) -> bool {
        if !self.kept.insert(row.to_vec()) {
            return false;
        }
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(known) = column {
                *known.entry(*value).or_default() += 1;
            }
        }
        true
    }
}

struct Recorder<'b> {
    inlined: &'b InlinedProgram,
    program: &'b Program,
    numbers: FxHashMap<InlinedLocation, usize>,
    sources: Vec<Vec<Source>>,
    occurrences: Vec<Occurrences>,
    pairs: Pairs,
    /// For each recursive function the variables whose values at its entry are asked for.
    at_entry: FxHashMap<FunctionId, Vec<SampledVariable>>,
    /// The activations, with those of inlined functions.
    activations: Vec<Activation>,
    /// The call string in the start function.
    start: CallStringId,
}

/// A call that is being executed.
struct Activation {
    function: FunctionId,
    call_string: CallStringId,
    /// The values that are asked for, where the innermost recursive function was entered; those that are no numbers are absent.
    entry: Rc<[(VariableId, i128)]>,
}

impl<'b> Recorder<'b> {
    fn new(blocks: &'b Blocks, encoding: &Encoding) -> Self {
        let inlined = blocks.inlined();
        let program: &Program = inlined.program();
        let used = encoding.used();
        let mut recorder = Self {
            inlined,
            program,
            numbers: FxHashMap::default(),
            sources: Vec::new(),
            occurrences: Vec::new(),
            pairs: Pairs { places: Vec::new() },
            at_entry: FxHashMap::default(),
            activations: Vec::new(),
            start: inlined.root(program.start),
        };
        for (number, place) in encoding.places.iter().enumerate() {
            let parameters = &encoding.system.predicates[number].parameters;
            let parameters = match used[number] && place.at != inlined.entry() {
                true => &parameters[..],
                false => &[],
            };
            let sources = parameters.iter();
            let sources: Vec<Source> = sources
                .filter_map(|&parameter| source(blocks, parameter))
                .collect();
            let root = inlined.root_function(place.at.call_string);
            let at_entry = recorder.at_entry.entry(root).or_default();
            at_entry.extend(
                sources
                    .iter()
                    .filter(|one| one.is_entry)
                    .map(|one| one.variable),
            );
            let variables: Vec<SampledVariable> = sources.iter().map(|one| one.variable).collect();
            let samples = PlaceSamples::with_rows(variables, Vec::new());
            let is_sampled = !sources.is_empty();
            if is_sampled {
                recorder.numbers.insert(place.at, number);
            }
            recorder.occurrences.push(Occurrences::of(sources.len()));
            recorder.sources.push(sources);
            recorder.pairs.places.push(is_sampled.then_some(samples));
        }
        for variables in recorder.at_entry.values_mut() {
            variables.sort_unstable_by_key(|one| one.id);
            variables.dedup_by_key(|one| one.id);
        }
        recorder
    }

    fn begin_run(&mut self) {
        self.activations.clear();
        for occurrences in &mut self.occurrences {
            occurrences.visits = 0;
        }
        for place in self.pairs.places.iter_mut().flatten() {
            place.begin_run();
        }
    }

    /// The call has been made, in the state.
    fn call(&mut self, edge: EdgeId, function: FunctionId, state: &StateView<'_>) {
        let known = self.program.function(function);
        if known.entry == known.exit {
            // It has ended already, and no edge says so.
            return;
        }
        let activation = if self.inlined.calls().is_recursive(function) {
            let asked = self.at_entry.get(&function).into_iter().flatten();
            let values = asked.filter_map(|one| Some((one.id, one.in_state(state)?)));
            Activation {
                function,
                call_string: self.inlined.root(function),
                entry: values.collect(),
            }
        } else {
            let last = self.activations.last();
            Activation {
                function,
                call_string: self.inlined.push(self.call_string(), edge),
                entry: last.map_or_else(|| Rc::from([]), |last| Rc::clone(&last.entry)),
            }
        };
        self.activations.push(activation);
    }

    fn call_string(&self) -> CallStringId {
        self.activations
            .last()
            .map_or(self.start, |last| last.call_string)
    }

    /// The place has been reached, in the state.
    fn reached(&mut self, at: InlinedLocation, state: &StateView<'_>) {
        let Some(&number) = self.numbers.get(&at) else {
            return;
        };
        let Some(place) = &mut self.pairs.places[number] else {
            return;
        };
        let visits = &mut self.occurrences[number].visits;
        *visits += 1;
        if place.rows.len() >= MOST || *visits > MOST_VISITS {
            return;
        }
        let entry = self.activations.last().map(|last| &last.entry);
        let sources = self.sources[number].iter();
        let values = sources.map(|source| match source.is_entry {
            true => {
                let mut known = entry?.iter();
                let known = known.find(|(variable, _)| *variable == source.variable.id);
                known.map(|&(_, value)| value)
            }
            false => source.variable.in_state(state),
        });
        let Some(row) = values.collect::<Option<Vec<i128>>>() else {
            return;
        };
        let occurrences = &mut self.occurrences[number];
        let is_rare = occurrences.is_rare(&row);
        if (place.is_kept() || is_rare) && occurrences.note(&row) {
            place.rows.push(row);
        }
    }
}

/// What a parameter is in a pair of states, if it is sampled.
fn source(blocks: &Blocks, parameter: TermId) -> Option<Source> {
    let TermKind::Variable { symbol, instance } = store().kind(parameter) else {
        return None;
    };
    let id = blocks.variable(symbol)?;
    let variable = SampledVariable::new(blocks.inlined().program(), id)?;
    Some(Source {
        variable: SampledVariable {
            term: parameter,
            ..variable
        },
        is_entry: instance == AT_ENTRY,
    })
}

impl Observer for Recorder<'_> {
    fn edge(&mut self, edge: EdgeId, state: &StateView<'_>) {
        let taken = self.program.edge(edge);
        let mut location = taken.target;
        if let Some(callee) = callee(taken) {
            self.call(edge, callee, state);
            location = self.program.function(callee).entry;
        }
        let at = InlinedLocation {
            location,
            call_string: self.call_string(),
        };
        self.reached(at, state);
        // An activation ends where its exit is reached; its caller goes on with the next edge.
        if let Some(last) = self.activations.last()
            && self.program.function(last.function).exit == location
        {
            self.activations.pop();
        }
    }
}

//! Pairs of states of concrete runs: at the entry of an activation of a recursive function, and at a location in it.

use std::rc::Rc;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{
    LONG_RUN_TIME, MAXIMUM_LONG_RUN_STEPS, MAXIMUM_PAIRS_PER_PREDICATE, MAXIMUM_RECORDING_TIME,
    MAXIMUM_RUN_MEMORY, MAXIMUM_VISITS_PER_RUN,
};
use crate::horn_clauses::encode::Encoding;
use crate::invariants::samples::{PlaceSamples, RUN_STEPS, SampledVariable, simulated};
use crate::simulate::{self, Control};
use regatta_certify::certificate::AT_ENTRY;
use regatta_program::block::Blocks;
use regatta_program::graph::callee;
use regatta_program::interpreter::{
    Executable, Journal, Limits, Machine, Observer, ReplayInputs, StateView,
};
use regatta_program::{
    CallStringId, EdgeId, FunctionId, InlinedLocation, InlinedProgram, Program, VariableId,
};
use regatta_term::{Pool, TermId, TermKind, store};

/// For each predicate of the clauses, the pairs of states at its location.
pub struct Pairs {
    /// For each predicate, the sampled parameters and a row of values for each pair. `None` for predicates that occur in no
    /// clause, and for those without sampled parameters.
    pub places: Vec<Option<PlaceSamples>>,
}

/// The source of a sampled parameter's value.
#[derive(Copy, Clone)]
struct Source {
    variable: SampledVariable,
    /// Whether it is the value at the activation's entry, not the current one.
    is_entry: bool,
}

impl Pairs {
    /// Samples typical runs, and runs that simulation finds with the given options.
    pub fn of_simulation(
        blocks: &Blocks,
        encoding: &Encoding,
        options: &simulate::Options,
        control: Control<'_>,
    ) -> Self {
        let (executable, runs) = simulated(blocks, options, control);
        Self::of_runs(blocks, encoding, &executable, &runs)
    }

    /// Samples the runs on the given inputs.
    pub fn of_runs(
        blocks: &Blocks,
        encoding: &Encoding,
        executable: &Executable,
        runs: &[Journal],
    ) -> Self {
        let mut recorder = Recorder::new(blocks, encoding);
        let mut machine = Machine::new(executable);
        let begin = Instant::now();
        let deadline = begin + MAXIMUM_RECORDING_TIME;
        for run in runs {
            recorder.begin_run();
            let may_be_long = begin.elapsed() < LONG_RUN_TIME;
            let limits = Limits {
                steps: if may_be_long {
                    MAXIMUM_LONG_RUN_STEPS
                } else {
                    RUN_STEPS
                },
                memory: MAXIMUM_RUN_MEMORY,
                deadline: Some(deadline),
                ..Limits::default()
            };
            machine.run_observed(&mut ReplayInputs::new(run), limits, &mut recorder);
        }
        recorder.pairs
    }
}

/// The frequencies of the values of parameters with few values. A pair with a rare value is kept, because others would
/// displace it (a function may be called thousands of times with one value of its first parameter, and a dozen times with
/// another).
struct Occurrences {
    /// The frequency of each value; `None` for a parameter with many values.
    columns: Vec<Option<FxHashMap<i128, u32>>>,
    /// The pairs that are kept.
    kept: FxHashSet<Vec<i128>>,
    /// The number of visits in the current run.
    visits: u32,
}

impl Occurrences {
    /// Maximum number of values of a parameter with few values.
    const FEW_VALUES: usize = 6;
    /// Number of occurrences from which a value is not rare.
    const RARE_OCCURRENCES: u32 = 16;

    fn of(columns: usize) -> Self {
        Self {
            columns: vec![Some(FxHashMap::default()); columns],
            kept: FxHashSet::default(),
            visits: 0,
        }
    }

    fn is_rare(&mut self, row: &[i128]) -> bool {
        let mut rare = false;
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(known) = column {
                let count = known.entry(*value).or_default();
                rare |= *count < Self::RARE_OCCURRENCES;
                if known.len() > Self::FEW_VALUES {
                    *column = None;
                }
            }
        }
        rare
    }

    /// Adds the row; returns whether it is new.
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
    /// For each recursive function, the variables whose values at its entry are recorded.
    at_entry: FxHashMap<FunctionId, Vec<SampledVariable>>,
    /// The call stack, including inlined functions.
    activations: Vec<Activation>,
    /// The call string in the start function.
    start: CallStringId,
}

/// An activation.
struct Activation {
    function: FunctionId,
    call_string: CallStringId,
    /// The recorded values at the entry of the innermost recursive function; values that are not numbers are missing.
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

    fn call(&mut self, edge: EdgeId, function: FunctionId, state: &StateView<'_>) {
        let known = self.program.function(function);
        if known.entry == known.exit {
            // The call has already returned, and no edge will show it.
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

    /// Records that the location has been reached.
    fn reached(&mut self, at: InlinedLocation, state: &StateView<'_>) {
        let Some(&number) = self.numbers.get(&at) else {
            return;
        };
        let Some(place) = &mut self.pairs.places[number] else {
            return;
        };
        let visits = &mut self.occurrences[number].visits;
        *visits += 1;
        if place.rows.len() >= MAXIMUM_PAIRS_PER_PREDICATE || *visits > MAXIMUM_VISITS_PER_RUN {
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

/// Returns the source of a parameter, if it is sampled.
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
        // An activation ends when its exit is reached; its caller continues with the next edge.
        if let Some(last) = self.activations.last()
            && self.program.function(last.function).exit == location
        {
            self.activations.pop();
        }
    }
}

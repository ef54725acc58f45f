//! Measures that decrease in each round of a loop.
//!
//! A measure is a list of numbers, compared lexicographically; the numbers are candidates ([`super::candidates`]), evaluated
//! at the loop's head. In the program of the question, each edge from within the loop to its head compares the measure with
//! what it was at the last visit of the head, and leads to an error unless it has decreased. The numbers are bit vectors
//! of a fixed width, compared as signed ones without any arithmetic: there are finitely many values, so no measure decreases
//! for ever, and no lower bound is needed. Whether sums inside a candidate wrap around does not matter for that either.
//!
//! If no error is reachable, no execution is infinite ([`Loops::obstacle`] has the argument). Rounds of an inner loop
//! between two visits of the outer loop's head belong to a round of the outer loop, and an inner loop that is entered again
//! begins anew. A function that calls itself has a measure of its parameters: what it is for a call has to be less than at the
//! entry of the caller's activation.
//!
//! Measures are chosen so that they decrease in the rounds of sample executions; an execution that reaches an error is
//! another sample (counterexample-guided inductive synthesis).

use rand::Rng;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::candidates;
use super::limits::{MAXIMUM_COMPONENTS, MAXIMUM_SAMPLES, SAMPLED_RUNS, SAMPLED_STEPS};
use super::loops::{Detour, Loops, failure, ghost, lead, value};
use crate::cfa::*;
use crate::cut_points::Loop;
use crate::graph::callee;
use crate::interpreter::{Executable, InputSource, Limits, Machine, Observer, StateView};
use regatta_term::{BitVecValue, Build, Pool, Sort, TermId, Value, store, substitute};

/// The components of a measure, as numbers of candidates, the most significant one first.
pub type Measure = Vec<usize>;

/// A round of a loop, or a call of a function by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sample {
    /// The number of the loop or function.
    site: usize,
    /// By how much each candidate has changed: only the sign.
    changes: Vec<i8>,
}

/// What needs a measure.
#[derive(Copy, Clone)]
enum Site {
    /// A loop, by its number.
    Loop(usize),
    /// The calls of a function by itself.
    Calls(FunctionId),
}

/// The loops and recursive functions of a program with the candidates for their measures.
pub struct Ranking<'p> {
    loops: Loops<'p>,
    sites: Vec<Site>,
    candidates: Vec<Vec<TermId>>,
}

/// A candidate's variables in the program of the question.
#[derive(Copy, Clone)]
struct Watched {
    candidate: usize,
    /// The value at the last visit of the loop's head, or at the function's entry.
    saved: VariableId,
    /// The value at the present visit, or for the call.
    now: VariableId,
}

/// A program in which candidates are watched.
struct Instrumented {
    program: Program,
    /// For each site, what is watched.
    watched: Vec<Vec<Watched>>,
    /// The site of each edge after which all its candidates have their present values.
    rounds: FxHashMap<EdgeId, usize>,
}

/// Whether a round that does not decrease its loop's measure is an error.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Errors {
    Ignored,
    Reached,
}

impl<'p> Ranking<'p> {
    /// Finds the loops and their candidates.
    ///
    /// # Errors
    /// When measures would prove nothing.
    pub fn new(program: &'p Program) -> Result<Self, Obstacle> {
        let loops = Loops::new(program);
        if let Some(obstacle) = loops.obstacle() {
            return Err(obstacle);
        }
        // Calls come last: their edges get other sources, by which loops know their edges.
        let cycles = (0..loops.all().len()).map(Site::Loop);
        let sites: Vec<Site> = cycles.chain(loops.recursive().map(Site::Calls)).collect();
        let candidates = sites.iter().map(|&site| match site {
            Site::Loop(number) => candidates::of_loop(&loops, &loops.all()[number]),
            Site::Calls(function) => candidates::of_calls(&loops, function),
        });
        let candidates = candidates.collect();
        Ok(Self {
            loops,
            sites,
            candidates,
        })
    }

    /// The program in which an error is reached when a round does not decrease the measure of its loop, or a call that of its
    /// function. An empty measure allows no round and no call.
    pub fn question(&self, measures: &[Measure]) -> Program {
        self.instrument(measures, Errors::Reached).program
    }

    /// Chooses measures that decrease in all samples; `None` if for some site there are none among the candidates.
    pub fn measures(&self, samples: &[Sample]) -> Option<Vec<Measure>> {
        let sites = 0..self.candidates.len();
        let of_site = |number: usize| {
            let samples = samples.iter().filter(|sample| sample.site == number);
            let changes: Vec<&[i8]> = samples.map(|sample| &*sample.changes).collect();
            lexicographic(self.candidates[number].len(), changes)
        };
        sites.map(of_site).collect()
    }

    /// The measures in words, for messages.
    pub fn describe(&self, measures: &[Measure]) -> String {
        let program = self.loops.program;
        let described = self.sites.iter().zip(measures).zip(&self.candidates);
        let described = described.map(|((&site, measure), candidates)| {
            let span = match site {
                Site::Loop(number) => program.location(self.loops.all()[number].head).span,
                Site::Calls(function) => program.function(function).span,
            };
            let place = program.sources.describe(span);
            let parts = measure
                .iter()
                .map(|&number| regatta_term::to_smtlib(store(), candidates[number]));
            format!("{place}: ({})", parts.collect::<Vec<_>>().join(", "))
        });
        described.collect::<Vec<_>>().join("; ")
    }

    /// Runs the program with random inputs and returns the rounds.
    pub fn explore(&self) -> Vec<Sample> {
        let seeds = 0..SAMPLED_RUNS;
        self.follow(seeds.map(|seed| RandomInputs(SplitMix64::seed_from_u64(seed))))
    }

    /// Runs the program once with each source of inputs and returns the rounds.
    pub fn follow(&self, runs: impl IntoIterator<Item: InputSource>) -> Vec<Sample> {
        let watching = self.watching();
        let executable = Executable::compile(&watching.program);
        let mut collector = Collector::new(&watching);
        for mut inputs in runs {
            collector.run(&executable, &mut inputs);
        }
        collector.samples.into_iter().collect()
    }

    /// The program in which all candidates are watched.
    fn watching(&self) -> Instrumented {
        let all = self.candidates.iter();
        let all: Vec<Measure> = all
            .map(|candidates| (0..candidates.len()).collect())
            .collect();
        self.instrument(&all, Errors::Ignored)
    }

    fn instrument(&self, measures: &[Measure], errors: Errors) -> Instrumented {
        let mut result = Instrumented {
            program: self.loops.program.clone(),
            watched: Vec::new(),
            rounds: FxHashMap::default(),
        };
        let edges = result.program.edges.len();
        for (number, (&site, measure)) in self.sites.iter().zip(measures).enumerate() {
            let function = match site {
                Site::Loop(cycle) => self.loops.all()[cycle].function,
                Site::Calls(function) => function,
            };
            let watch = |&candidate| self.watch(&mut result.program, function, number, candidate);
            let watched: Vec<Watched> = measure.iter().map(watch).collect();
            let site = Watch {
                candidates: &self.candidates[number],
                watched: &watched,
                errors,
            };
            let rounds = match self.sites[number] {
                Site::Loop(cycle) => {
                    let cycle = &self.loops.all()[cycle];
                    vec![site.instrument_loop(&mut result.program, edges, cycle)]
                }
                Site::Calls(function) => {
                    let calls = self.loops.edges_of(function).iter().copied();
                    let is_own =
                        |edge: &EdgeId| callee(self.loops.program.edge(*edge)) == Some(function);
                    let calls: Vec<EdgeId> = calls.filter(is_own).collect();
                    site.instrument_calls(&mut result.program, function, &calls)
                }
            };
            let rounds = rounds.into_iter().map(|round| (round, number));
            result.rounds.extend(rounds);
            result.watched.push(watched);
        }
        result
    }

    /// Adds the variables of a candidate.
    fn watch(
        &self,
        program: &mut Program,
        function: FunctionId,
        site: usize,
        candidate: usize,
    ) -> Watched {
        let sort = store().sort(self.candidates[site][candidate]);
        let mut variable = |what: &str| {
            let name = format!("measure {site}.{candidate} {what}");
            ghost(program, name, sort, Scope::Local(function))
        };
        Watched {
            candidate,
            saved: variable("before"),
            now: variable("now"),
        }
    }
}

/// What is watched at a site.
struct Watch<'w> {
    candidates: &'w [TermId],
    watched: &'w [Watched],
    errors: Errors,
}

impl Watch<'_> {
    /// Watches a loop; returns the edge after which the present values are known.
    fn instrument_loop(&self, program: &mut Program, edges: usize, cycle: &Loop) -> EdgeId {
        let (entries, rounds) = (
            program.add_location_like(cycle.head),
            program.add_location_like(cycle.head),
        );
        lead(program, edges, cycle, &Detour { entries, rounds });
        program.connect(entries, cycle.head, self.save());
        let present = self.watched.iter().map(|watched| Operation::Assign {
            target: watched.now,
            value: self.candidates[watched.candidate],
        });
        let present = present.collect();
        self.compare(program, rounds, present, entries)
    }

    /// Watches the calls of a function by itself; returns the edges after which the values for a call are known. Each
    /// activation has variables of its own, which keep the values at its entry.
    fn instrument_calls(
        &self,
        program: &mut Program,
        function: FunctionId,
        calls: &[EdgeId],
    ) -> Vec<EdgeId> {
        let Function {
            entry, parameters, ..
        } = program.function(function).clone();
        let first = program.add_location_like(entry);
        program.connect(first, entry, self.save());
        program.functions[function.index()].entry = first;
        let mut rounds = Vec::new();
        for &call in calls {
            let edge = program.edge(call);
            let Some(Operation::Call { arguments, .. }) = edge.operations.first() else {
                continue;
            };
            let values = parameters
                .iter()
                .map(|&parameter| value(program, parameter));
            let values: FxHashMap<TermId, TermId> = values.zip(arguments.iter().copied()).collect();
            let present = self.watched.iter().map(|watched| Operation::Assign {
                target: watched.now,
                value: substitute(store(), self.candidates[watched.candidate], &values),
            });
            let (present, source) = (present.collect(), edge.source);
            let calls = program.add_location_like(source);
            program.edges[call.index()].source = calls;
            rounds.push(self.compare(program, source, present, calls));
        }
        rounds
    }

    /// Saves the values of what is watched.
    fn save(&self) -> Vec<Operation> {
        let save = self.watched.iter().map(|watched| Operation::Assign {
            target: watched.saved,
            value: self.candidates[watched.candidate],
        });
        save.collect()
    }

    /// Determines the present values and goes on if they have decreased. Returns the edge that determines them.
    fn compare(
        &self,
        program: &mut Program,
        from: LocationId,
        present: Vec<Operation>,
        to: LocationId,
    ) -> EdgeId {
        let compared = program.add_location_like(from);
        let round = program.connect(from, compared, present);
        if self.errors == Errors::Ignored {
            program.connect(compared, to, Vec::new());
            return round;
        }
        let decreases = decreases(program, self.watched);
        let error = failure(program, from);
        program.connect(compared, to, vec![Operation::Assume(decreases)]);
        let fails = vec![Operation::Assume(store().not(decreases))];
        program.connect(compared, error, fails);
        round
    }
}

/// The condition that the present values are less than the saved ones lexicographically.
fn decreases(program: &Program, watched: &[Watched]) -> TermId {
    let mut result = TermId::FALSE;
    for component in watched.iter().rev() {
        let (saved, now) = (
            value(program, component.saved),
            value(program, component.now),
        );
        let less = store().slt(now, saved);
        let rest = store().and2(store().eq(now, saved), result);
        result = store().or2(less, rest);
    }
    result
}

/// Chooses a lexicographic measure: each component increases in no round in which those before it stay, and each round
/// decreases some component. Taking any component that decreases in a round and increases in none never excludes a solution
/// (Alias, Darte, Feautrier and Gonnord, SAS 2010).
fn lexicographic(candidates: usize, mut open: Vec<&[i8]>) -> Option<Measure> {
    let mut measure = Vec::new();
    while !open.is_empty() {
        if measure.len() == MAXIMUM_COMPONENTS {
            return None;
        }
        let decreased = |candidate: usize| {
            let changes = open.iter().map(|changes| changes[candidate]);
            changes.filter(|&change| change < 0).count()
        };
        let increases = |candidate: usize| open.iter().any(|changes| changes[candidate] > 0);
        let possible = (0..candidates).filter(|&candidate| !increases(candidate));
        // Among equals, the likeliest comes first.
        let best = possible
            .rev()
            .max_by_key(|&candidate| decreased(candidate))?;
        if decreased(best) == 0 {
            return None;
        }
        open.retain(|changes| changes[best] == 0);
        measure.push(best);
    }
    Some(measure)
}

/// Collects the rounds of runs.
struct Collector<'i> {
    watching: &'i Instrumented,
    /// For each site the number of its samples.
    counts: Vec<usize>,
    samples: FxHashSet<Sample>,
}

impl<'i> Collector<'i> {
    fn new(watching: &'i Instrumented) -> Self {
        Self {
            watching,
            counts: vec![0; watching.watched.len()],
            samples: FxHashSet::default(),
        }
    }

    fn run(&mut self, executable: &Executable, inputs: &mut dyn InputSource) {
        let limits = Limits {
            steps: SAMPLED_STEPS,
            ..Limits::default()
        };
        Machine::new(executable).run_observed(inputs, limits, self);
    }
}

impl Observer for Collector<'_> {
    fn edge(&mut self, edge: EdgeId, state: &StateView<'_>) {
        let Some(&site) = self.watching.rounds.get(&edge) else {
            return;
        };
        if self.counts[site] == MAXIMUM_SAMPLES {
            return;
        }
        let number = |variable: VariableId| {
            let bits = state.value(variable).as_bit_vec();
            bits.map_or(0, BitVecValue::signed)
        };
        let watched = self.watching.watched[site].iter();
        let changes = watched.map(|watched| number(watched.now).cmp(&number(watched.saved)) as i8);
        let sample = Sample {
            site,
            changes: changes.collect(),
        };
        if self.samples.insert(sample) {
            self.counts[site] += 1;
        }
    }
}

/// Random inputs, small numbers as a rule.
struct RandomInputs(SplitMix64);

impl InputSource for RandomInputs {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        let random = self.0.next_u64();
        let number = match random % 8 {
            0 => 0,
            1..=3 => (random >> 8) as i128 % 8 - 2,
            4..=6 => (random >> 8) as i128 % 200 - 60,
            _ => i128::from((random >> 3).cast_signed() << 3),
        };
        Some(match (input.sort, &input.kind) {
            (_, InputKind::MemoryModel) => Value::zero(input.sort),
            (Sort::Bool, _) => Value::Bool(number % 2 != 0),
            (Sort::BitVec(width), _) => Value::BitVec(BitVecValue::from_signed(width, number)),
            (sort, _) => Value::zero(sort),
        })
    }
}

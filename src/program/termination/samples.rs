//! Samples of rounds and of longer ways between two visits of a loop's head, from runs.

use std::collections::VecDeque;

use rand::Rng;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::limits::{
    MAXIMUM_FIRST_VISITS, MAXIMUM_LAST_VISITS, MAXIMUM_SAMPLES, MAXIMUM_SAMPLES_OF_RUN,
    REFUTING_STEPS, SAMPLED_RUNS, SAMPLED_STEPS,
};
use crate::cfa::*;
use crate::interpreter::{Executable, InputSource, Limits, Machine, Observer, StateView};
use regatta_term::{ArrayValue, BitVecValue, ScalarSort, Sort, Value};

/// Two visits of a loop's head in one execution of the loop, or a call of a function by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sample {
    /// The number of the loop or function.
    pub(super) site: usize,
    /// The features at the earlier visit, or at the function's entry.
    pub(super) before: Numbers,
    /// The features at the later visit, or for the call; `None` if the round was cut short by an overflow.
    pub(super) after: Option<Numbers>,
    pub(super) visits: Visits,
}

/// Which visits of a loop's head are compared.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visits {
    /// One and the next.
    Successive,
    /// Two between which there are others.
    Apart,
}

/// The values of features.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Numbers(
    /// The high and the low half of each, since not all serialisers know wide numbers.
    Vec<(i64, u64)>,
);

impl Numbers {
    pub(super) fn get(&self, feature: usize) -> i128 {
        let (high, low) = self.0.get(feature).copied().unwrap_or_default();
        (i128::from(high) << 64) | i128::from(low)
    }
}

impl FromIterator<i128> for Numbers {
    fn from_iter<I: IntoIterator<Item = i128>>(numbers: I) -> Self {
        let halves = numbers.into_iter();
        Self(
            halves
                .map(|number| ((number >> 64) as i64, number as u64))
                .collect(),
        )
    }
}

/// A feature's variables in an instrumented program.
#[derive(Copy, Clone)]
pub(super) struct Watched {
    /// The value at the last visit of the loop's head, or at the function's entry.
    pub before: VariableId,
    /// The value at the present visit, or for the call.
    pub now: VariableId,
}

/// A program in which features are watched.
pub(super) struct Instrumented {
    pub program: Program,
    /// For each site, what is watched.
    pub watched: Vec<Vec<Watched>>,
    /// The site of each edge after which all its features have their present values.
    pub rounds: FxHashMap<EdgeId, usize>,
    /// The sites of each edge to an overflow in the middle of a round.
    pub overflows: FxHashMap<EdgeId, Vec<usize>>,
}

/// Random inputs for runs.
pub(super) fn random() -> impl Iterator<Item = RandomInputs> {
    let seeds = 0..SAMPLED_RUNS;
    seeds.map(|seed| RandomInputs(SplitMix64::seed_from_u64(seed)))
}

/// Collects the rounds of runs.
pub(super) struct Collector<'i> {
    watching: &'i Instrumented,
    /// Whether a round is wanted, although there are many already.
    is_wanted: Option<&'i dyn Fn(&Sample) -> bool>,
    /// For each site the number of its samples, and of those of the present run.
    counts: Vec<(usize, usize)>,
    /// For each site the visits in the present execution of the loop, if visits apart are compared.
    visits: Option<Vec<PastVisits>>,
    pub samples: FxHashSet<Sample>,
}

impl<'i> Collector<'i> {
    pub fn new(watching: &'i Instrumented) -> Self {
        Self {
            watching,
            is_wanted: None,
            counts: vec![(0, 0); watching.watched.len()],
            visits: None,
            samples: FxHashSet::default(),
        }
    }

    /// Compares visits apart, too.
    pub fn comparing_all(mut self) -> Self {
        self.visits = Some(vec![PastVisits::default(); self.watching.watched.len()]);
        self
    }

    /// Collects the first rounds of a run.
    pub fn run(&mut self, executable: &Executable, inputs: &mut dyn InputSource) {
        self.execute(executable, inputs, SAMPLED_STEPS);
    }

    /// Collects the first rounds of a run, and the ones that are wanted of those after them.
    pub fn run_for(
        &mut self,
        executable: &Executable,
        inputs: &mut dyn InputSource,
        is_wanted: &'i dyn Fn(&Sample) -> bool,
    ) {
        self.is_wanted = Some(is_wanted);
        self.execute(executable, inputs, REFUTING_STEPS);
    }

    fn execute(&mut self, executable: &Executable, inputs: &mut dyn InputSource, steps: u64) {
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        for (_, of_run) in &mut self.counts {
            *of_run = 0;
        }
        self.visits.iter_mut().flatten().for_each(PastVisits::clear);
        Machine::new(executable).run_observed(inputs, limits, self);
    }

    fn add(&mut self, site: usize, state: &StateView<'_>, is_complete: bool) {
        if self.is_passed_over(site) {
            return;
        }
        let number = |variable: VariableId| {
            let bits = state.value(variable).as_bit_vec();
            bits.map_or(0, BitVecValue::signed)
        };
        let watched = self.watching.watched[site].iter();
        let after = watched.clone().map(|watched| number(watched.now));
        let sample = Sample {
            site,
            after: is_complete.then(|| after.collect()),
            before: watched.map(|watched| number(watched.before)).collect(),
            visits: Visits::Successive,
        };
        let visits = self.visits.as_mut().map(|visits| &mut visits[site]);
        if let (Some(visits), Some(after)) = (visits, &sample.after) {
            let earlier = visits.before(&sample.before, after);
            for before in earlier {
                self.keep(Sample {
                    site,
                    before,
                    after: Some(after.clone()),
                    visits: Visits::Apart,
                });
            }
        }
        self.keep(sample);
    }

    /// Whether no more samples are taken of the site in the present run.
    fn is_passed_over(&self, site: usize) -> bool {
        let is_long = self.counts[site].1 >= 2 * MAXIMUM_SAMPLES_OF_RUN;
        is_long || (self.is_full(site) && self.is_wanted.is_none())
    }

    /// Whether only samples that are wanted are taken of the site.
    fn is_full(&self, site: usize) -> bool {
        let (all, of_run) = self.counts[site];
        all >= MAXIMUM_SAMPLES || of_run >= MAXIMUM_SAMPLES_OF_RUN
    }

    fn keep(&mut self, sample: Sample) {
        let site = sample.site;
        let is_kept =
            !self.is_full(site) || self.is_wanted.is_some_and(|is_wanted| is_wanted(&sample));
        if is_kept && self.samples.insert(sample) {
            let (all, of_run) = &mut self.counts[site];
            (*all, *of_run) = (*all + 1, *of_run + 1);
        }
    }
}

/// Visits of a loop's head in one execution of the loop: the first ones and the last ones.
#[derive(Clone, Default)]
struct PastVisits {
    first: Vec<Numbers>,
    last: VecDeque<Numbers>,
}

impl PastVisits {
    fn clear(&mut self) {
        self.first.clear();
        self.last.clear();
    }

    /// Adds the visit `now`. Returns the known ones earlier than the one before it.
    fn before(&mut self, previous: &Numbers, now: &Numbers) -> Vec<Numbers> {
        let known = self.last.back().or(self.first.last());
        if known != Some(previous) {
            // The loop was entered anew.
            self.clear();
            self.first.push(previous.clone());
        }
        let mut earlier: Vec<Numbers> = self.first.iter().chain(&self.last).cloned().collect();
        earlier.pop();
        if self.first.len() < MAXIMUM_FIRST_VISITS {
            self.first.push(now.clone());
        } else {
            self.last.push_back(now.clone());
            if self.last.len() > MAXIMUM_LAST_VISITS {
                self.last.pop_front();
            }
        }
        earlier
    }
}

impl Observer for Collector<'_> {
    fn edge(&mut self, edge: EdgeId, state: &StateView<'_>) {
        let watching = self.watching;
        if let Some(&site) = watching.rounds.get(&edge) {
            self.add(site, state, true);
        }
        for &site in watching.overflows.get(&edge).into_iter().flatten() {
            self.add(site, state, false);
        }
    }
}

/// Random inputs, small numbers as a rule.
pub(super) struct RandomInputs(SplitMix64);

impl RandomInputs {
    fn number(&mut self) -> i128 {
        let random = self.0.next_u64();
        match random % 8 {
            0 => 0,
            1..=3 => (random >> 8) as i128 % 8 - 2,
            4..=6 => (random >> 8) as i128 % 200 - 60,
            _ => i128::from((random >> 3).cast_signed() << 3),
        }
    }

    fn scalar(&mut self, sort: Sort) -> Value {
        let number = self.number();
        match sort {
            Sort::Bool => Value::Bool(number % 2 != 0),
            Sort::BitVec(width) => Value::BitVec(BitVecValue::from_signed(width, number)),
            sort => Value::zero(sort),
        }
    }
}

impl InputSource for RandomInputs {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        Some(match (input.sort, &input.kind) {
            (sort, InputKind::MemoryModel) => Value::zero(sort),
            (
                Sort::Array {
                    index,
                    element: element @ ScalarSort::BitVec(_),
                },
                _,
            ) => {
                let everywhere = self.scalar(element.into());
                Value::Array(ArrayValue::new(index, everywhere, []))
            }
            (sort, _) => self.scalar(sort),
        })
    }
}

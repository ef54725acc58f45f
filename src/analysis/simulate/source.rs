//! A candidate: the inputs of one run, in little space however long the run is.

use crate::program::interpreter::{InputSource, Journal};
use crate::program::{Input, InputId};
use crate::term::{ArrayValue, FloatValue, ScalarSort, Sort, Value};

use super::values::{Bits, Chance, Dictionary, fit, value_of};

/// How inputs get values that a candidate does not list.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// All the same small number.
    Constant(i8),
    /// Zero or one.
    Binary,
    /// A small number, of either sign.
    Small,
    /// A corner of the sort.
    Boundary,
    /// A constant of the program or one of its neighbours.
    Dictionary,
    /// Any bits.
    Uniform,
    /// Zero seven times of eight, else as [`Policy::Mixed`].
    Sparse,
    /// Each time another one of these.
    Mixed,
}

impl Policy {
    /// All of them but constants.
    pub(super) const VARIED: [Self; 7] = [
        Self::Mixed,
        Self::Small,
        Self::Binary,
        Self::Dictionary,
        Self::Boundary,
        Self::Uniform,
        Self::Sparse,
    ];

    /// Any of them.
    pub(super) fn random(chance: &mut Chance) -> Self {
        match chance.once_in(8) {
            true => Self::Constant(chance.below(5) as i8 - 2),
            false => Self::VARIED[chance.below(Self::VARIED.len())],
        }
    }

    /// A value of the scalar sort.
    pub(super) fn value(self, sort: Sort, dictionary: &Dictionary, chance: &mut Chance) -> Bits {
        let values = dictionary.values(sort);
        match self {
            Self::Constant(value) => number(sort, i128::from(value)),
            Self::Binary => number(sort, i128::from(chance.next() & 1)),
            Self::Small => {
                let range = 1usize << (1 + chance.below(5));
                number(
                    sort,
                    chance.below(range) as i128 - chance.pick(&[0, 0, 0, range as i128 / 2]),
                )
            }
            Self::Boundary => values.map_or(0, |values| chance.pick(&values.boundary)),
            Self::Dictionary => match values {
                Some(values) if !values.constants.is_empty() => chance.pick(&values.constants),
                _ => Self::Small.value(sort, dictionary, chance),
            },
            Self::Uniform => {
                let bits = u128::from(chance.next()) | u128::from(chance.next()) << 64;
                match sort {
                    Sort::Int => (bits as i128 >> chance.pick(&[64, 96, 112, 120])) as Bits,
                    _ => fit(sort, bits),
                }
            }
            Self::Sparse => match chance.once_in(8) {
                true => Self::Mixed.value(sort, dictionary, chance),
                false => 0,
            },
            Self::Mixed => {
                let policy = Self::VARIED[1 + chance.below(Self::VARIED.len() - 2)];
                policy.value(sort, dictionary, chance)
            }
        }
    }
}

/// A small number as a value of the sort.
fn number(sort: Sort, value: i128) -> Bits {
    match sort {
        Sort::Float(format) => {
            let mode = crate::term::RoundingMode::NearestEven;
            FloatValue::from_int(format, mode, &value.into()).bits()
        }
        _ => fit(sort, value as Bits),
    }
}

/// The inputs of a run: a list of values, and how to make up the others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// Values in the order in which the inputs occurred when the list was recorded; for each input they are used in
    /// this order.
    pub(super) list: Vec<(InputId, Bits)>,
    /// For the values after those.
    pub(super) policy: Policy,
    /// For the policy.
    pub(super) seed: u64,
}

impl Candidate {
    /// The values listed, apart from arrays.
    pub(super) fn journal(&self, inputs: &[Input]) -> Journal {
        let value = |&(id, bits): &(InputId, Bits)| (id, value_of(inputs[id.index()].sort, bits));
        Journal {
            entries: self.list.iter().map(value).collect(),
        }
    }
}

/// How many values of a run are recorded.
pub(super) const RECORD_LIMIT: usize = 4_096;
/// The most cells of an array that get a value of their own.
const ARRAY_CELLS: usize = 256;

/// Gives a candidate's values, and records what it gives.
pub(super) struct CandidateInputs<'d> {
    dictionary: &'d Dictionary,
    policy: Policy,
    seed: u64,
    /// For each input the values listed, last one first.
    queues: Vec<Vec<Bits>>,
    /// How often each input has occurred.
    occurrences: Vec<u64>,
    /// The first values given.
    pub(super) recorded: Vec<(InputId, Bits)>,
}

impl<'d> CandidateInputs<'d> {
    pub(super) fn new(inputs: usize, dictionary: &'d Dictionary) -> Self {
        Self {
            dictionary,
            policy: Policy::Constant(0),
            seed: 0,
            queues: vec![Vec::new(); inputs],
            occurrences: vec![0; inputs],
            recorded: Vec::new(),
        }
    }

    /// Gets ready for a run on the candidate.
    pub(super) fn load(&mut self, candidate: &Candidate) {
        self.policy = candidate.policy;
        self.seed = candidate.seed;
        self.occurrences.fill(0);
        self.recorded.clear();
        for queue in &mut self.queues {
            queue.clear();
        }
        for (id, bits) in candidate.list.iter().rev() {
            if let Some(queue) = self.queues.get_mut(id.index()) {
                queue.push(*bits);
            }
        }
    }

    fn bits(&mut self, id: InputId, sort: Sort) -> Bits {
        let bits = match self.queues[id.index()].pop() {
            Some(bits) => bits,
            None => {
                let occurrence = self.occurrences[id.index()];
                let mut chance = Chance::new(mix(self.seed, u64::from(id.0), occurrence));
                match sort {
                    Sort::Array { .. } => u128::from(chance.next()),
                    _ => self.policy.value(sort, self.dictionary, &mut chance),
                }
            }
        };
        self.occurrences[id.index()] += 1;
        if self.recorded.len() < RECORD_LIMIT {
            self.recorded.push((id, bits));
        }
        bits
    }

    /// An array made up from a seed: mostly all zeros, sometimes some cells from zero on that differ.
    fn array(&self, index: ScalarSort, element: ScalarSort, seed: Bits) -> ArrayValue {
        let sort = Sort::from(element);
        let mut chance = Chance::new(seed as u64);
        let policy = match chance.below(4) {
            0 => Policy::Constant(0),
            1 => self.policy,
            _ => Policy::random(&mut chance),
        };
        let default = value_of(sort, policy.value(sort, self.dictionary, &mut chance));
        let cells = match policy {
            Policy::Constant(_) => 0,
            _ => [0, 8, 64, ARRAY_CELLS][chance.below(4)],
        };
        let cells = match index {
            ScalarSort::BitVec(width @ 0..=8) => cells.min(1 << width.saturating_sub(1)),
            ScalarSort::Bool | ScalarSort::Float(_) => 0,
            _ => cells,
        };
        let entry = |position: usize| {
            let position = value_of(index.into(), position as Bits);
            (
                position,
                value_of(sort, policy.value(sort, self.dictionary, &mut chance)),
            )
        };
        ArrayValue::new(index, default, (0..cells).map(entry))
    }
}

impl InputSource for CandidateInputs<'_> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let bits = self.bits(id, input.sort);
        Some(match input.sort {
            Sort::Array { index, element } => Value::Array(self.array(index, element, bits)),
            sort => value_of(sort, bits),
        })
    }

    fn next_bits(&mut self, id: InputId, input: &Input) -> Option<u64> {
        Some(self.bits(id, input.sort) as u64)
    }
}

/// One number of three, such that all bits of all matter.
fn mix(seed: u64, a: u64, b: u64) -> u64 {
    let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15;
    for word in [a, b] {
        hash = (hash ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash ^= hash >> 32;
    }
    hash
}

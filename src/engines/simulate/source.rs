//! A candidate: a compact representation of the inputs of one run of any length.

use regatta_program::interpreter::{InputSource, Journal};
use regatta_program::{Input, InputId};
use regatta_term::{ArrayValue, FloatValue, ScalarSort, Sort, Value};

use super::input_values::{Bits, Dictionary, Random, fit, value_of};
use super::limits::{MAXIMUM_ARRAY_CELLS, MAXIMUM_RECORDED_VALUES};

/// The source of input values that a candidate does not list.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// A single small number.
    Constant(i8),
    /// Zero or one.
    Binary,
    /// A small number of either sign.
    Small,
    /// A corner of the sort.
    Boundary,
    /// A constant of the program or one of its neighbours.
    Dictionary,
    /// Uniform bits.
    Uniform,
    /// Zero with probability 7/8, otherwise like [`Policy::Mixed`].
    Sparse,
    /// One of the other policies for each value.
    Mixed,
}

impl Policy {
    /// All policies except constants.
    pub(super) const VARIED: [Self; 7] = [
        Self::Mixed,
        Self::Small,
        Self::Binary,
        Self::Dictionary,
        Self::Boundary,
        Self::Uniform,
        Self::Sparse,
    ];

    pub(super) fn random(random: &mut Random) -> Self {
        match random.once_in(8) {
            true => Self::Constant(random.below(5) as i8 - 2),
            false => Self::VARIED[random.below(Self::VARIED.len())],
        }
    }

    /// Returns a value of the scalar sort.
    pub(super) fn value(self, sort: Sort, dictionary: &Dictionary, random: &mut Random) -> Bits {
        let values = dictionary.values(sort);
        match self {
            Self::Constant(value) => number(sort, i128::from(value)),
            Self::Binary => number(sort, i128::from(random.next() & 1)),
            Self::Small => {
                let range = 1usize << (1 + random.below(5));
                number(
                    sort,
                    random.below(range) as i128 - random.pick(&[0, 0, 0, range as i128 / 2]),
                )
            }
            Self::Boundary => values.map_or(0, |values| random.pick(&values.boundary)),
            Self::Dictionary => match values {
                Some(values) if !values.constants.is_empty() => random.pick(&values.constants),
                _ => Self::Small.value(sort, dictionary, random),
            },
            Self::Uniform => {
                let bits = u128::from(random.next()) | u128::from(random.next()) << 64;
                match sort {
                    Sort::Int => (bits as i128 >> random.pick(&[64, 96, 112, 120])) as Bits,
                    _ => fit(sort, bits),
                }
            }
            Self::Sparse => match random.once_in(8) {
                true => Self::Mixed.value(sort, dictionary, random),
                false => 0,
            },
            Self::Mixed => {
                let policy = Self::VARIED[1 + random.below(Self::VARIED.len() - 2)];
                policy.value(sort, dictionary, random)
            }
        }
    }
}

/// Converts a small number to a value of the sort.
fn number(sort: Sort, value: i128) -> Bits {
    match sort {
        Sort::Float(format) => {
            let mode = regatta_term::RoundingMode::NearestEven;
            FloatValue::from_int(format, mode, &value.into()).bits()
        }
        _ => fit(sort, value as Bits),
    }
}

/// The inputs of a run: a list of values, and a policy and seed for further values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// Values in the order in which the inputs occurred when the list was recorded; each input uses its values in this
    /// order.
    pub(super) list: Vec<(InputId, Bits)>,
    /// The policy for further values.
    pub(super) policy: Policy,
    /// The seed of the policy.
    pub(super) seed: u64,
}

impl Candidate {
    /// Returns the listed values as a journal, with zeros for arrays.
    pub(super) fn journal(&self, inputs: &[Input]) -> Journal {
        let value = |&(id, bits): &(InputId, Bits)| (id, value_of(inputs[id.index()].sort, bits));
        Journal {
            entries: self.list.iter().map(value).collect(),
        }
    }
}

/// The input source for a candidate, which records the values drawn.
pub(super) struct CandidateInputs<'d> {
    dictionary: &'d Dictionary,
    policy: Policy,
    seed: u64,
    /// For each input, the listed values in reverse order.
    queues: Vec<Vec<Bits>>,
    /// The number of occurrences of each input.
    occurrences: Vec<u64>,
    /// The first values drawn.
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

    /// Prepares a run on the candidate.
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
                let mut random = Random::new(mix(self.seed, u64::from(id.0), occurrence));
                match sort {
                    Sort::Array { .. } => u128::from(random.next()),
                    _ => self.policy.value(sort, self.dictionary, &mut random),
                }
            }
        };
        self.occurrences[id.index()] += 1;
        if self.recorded.len() < MAXIMUM_RECORDED_VALUES {
            self.recorded.push((id, bits));
        }
        bits
    }

    /// Returns an array generated from a seed: mostly all zeros, sometimes with some different cells from index zero on.
    fn array(&self, index: ScalarSort, element: ScalarSort, seed: Bits) -> ArrayValue {
        let sort = Sort::from(element);
        let mut random = Random::new(seed as u64);
        let policy = match random.below(4) {
            0 => Policy::Constant(0),
            1 => self.policy,
            _ => Policy::random(&mut random),
        };
        let default = value_of(sort, policy.value(sort, self.dictionary, &mut random));
        let cells = match policy {
            Policy::Constant(_) => 0,
            _ => [0, 8, 64, MAXIMUM_ARRAY_CELLS][random.below(4)],
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
                value_of(sort, policy.value(sort, self.dictionary, &mut random)),
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

/// Hashes three numbers.
fn mix(seed: u64, a: u64, b: u64) -> u64 {
    let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15;
    for word in [a, b] {
        hash = (hash ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash ^= hash >> 32;
    }
    hash
}

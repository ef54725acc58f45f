//! The corpus of candidates, and their mutation.

use super::input_values::{Bits, Dictionary, Random, fit};
use super::limits::{MAXIMUM_ENTRIES, RECENT_ENTRIES};
use super::source::{Candidate, Policy};
use regatta_program::Input;
use regatta_term::Sort;

/// A candidate that has covered something new.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) candidate: Candidate,
    /// The steps of its run.
    pub(super) steps: u64,
    /// The smallest distance of its run to an error.
    pub(super) distance: u32,
    /// The number of times that it was chosen for mutation.
    chosen: u32,
}

/// The candidates with new coverage.
#[derive(Clone, Debug, Default)]
pub(super) struct Corpus {
    pub(super) entries: Vec<Entry>,
}

impl Corpus {
    pub(super) fn add(&mut self, candidate: Candidate, steps: u64, distance: u32) {
        if self.entries.len() >= MAXIMUM_ENTRIES {
            let half = MAXIMUM_ENTRIES / 2;
            self.entries.sort_by_key(|entry| entry.chosen);
            self.entries.truncate(half);
        }
        self.entries.push(Entry {
            candidate,
            steps,
            distance,
            chosen: 0,
        });
    }

    /// Chooses an entry for mutation: a recent one, one close to an error, or the least tried of several.
    pub(super) fn choose(&mut self, random: &mut Random) -> Option<usize> {
        let count = self.entries.len();
        if count == 0 {
            return None;
        }
        let any = |random: &mut Random| random.below(count);
        let mut candidates = [any(random), any(random), any(random), any(random)];
        if random.once_in(3) {
            candidates = candidates.map(|_| count - 1 - random.below(count.min(RECENT_ENTRIES)));
        }
        let entries = &self.entries;
        let closest = random.once_in(3);
        let chosen = candidates.into_iter().min_by_key(|&index| {
            let entry = &entries[index];
            let cost = u64::from(entry.chosen) + entry.steps.ilog2().saturating_sub(8) as u64 * 4;
            (if closest { entry.distance } else { 0 }, cost)
        })?;
        self.entries[chosen].chosen += 1;
        Some(chosen)
    }

    pub(super) fn any(&self, random: &mut Random) -> Option<&Candidate> {
        match self.entries.len() {
            0 => None,
            count => Some(&self.entries[random.below(count)].candidate),
        }
    }
}

/// Returns a mutated copy of the candidate, which may take parts from `other`.
pub(super) fn mutate(
    candidate: &Candidate,
    other: Option<&Candidate>,
    inputs: &[Input],
    dictionary: &Dictionary,
    random: &mut Random,
) -> Candidate {
    let mut changed = candidate.clone();
    let most = 1 << random.below(4);
    let count = 1 + random.below(most);
    for _ in 0..count {
        change(&mut changed, other, inputs, dictionary, random);
    }
    changed
}

fn change(
    candidate: &mut Candidate,
    other: Option<&Candidate>,
    inputs: &[Input],
    dictionary: &Dictionary,
    random: &mut Random,
) {
    let length = candidate.list.len();
    match random.below(10) {
        // Another tail after a prefix of the list.
        0 | 1 => {
            let keep = match random.once_in(2) {
                true => random.below(length + 1),
                false => length,
            };
            candidate.list.truncate(keep);
            candidate.seed = random.next();
            if random.once_in(2) {
                candidate.policy = Policy::random(random);
            }
        }
        // The tail of another candidate.
        2 => {
            let keep = random.below(length + 1);
            candidate.list.truncate(keep);
            if let Some(other) = other {
                candidate.list.extend(other.list.iter().skip(keep).copied());
                (candidate.policy, candidate.seed) = (other.policy, other.seed);
            }
        }
        // A value removed, doubled, or swapped.
        3 if length > 0 => {
            let position = random.below(length);
            match random.below(3) {
                0 => {
                    candidate.list.remove(position);
                }
                1 => {
                    let value = candidate.list[position];
                    candidate.list.insert(position, value);
                }
                _ => {
                    let target = random.below(length);
                    candidate.list.swap(position, target);
                }
            }
        }
        _ if length > 0 => {
            let position = random.below(length);
            let (id, bits) = candidate.list[position];
            let Some(input) = inputs.get(id.index()) else {
                return;
            };
            let same = candidate.list[random.below(length)].1;
            candidate.list[position].1 = change_value(input.sort, bits, same, dictionary, random);
        }
        _ => candidate.seed = random.next(),
    }
}

/// Mutates a value of an input; `same` is another value of the run.
fn change_value(
    sort: Sort,
    bits: Bits,
    same: Bits,
    dictionary: &Dictionary,
    random: &mut Random,
) -> Bits {
    let width = match sort {
        Sort::BitVec(width) => u32::from(width),
        Sort::Float(format) => format.storage_bits(),
        Sort::Bool => 1,
        Sort::Int | Sort::Array { .. } => 64,
    };
    if sort.is_array() {
        return Bits::from(random.next());
    }
    let changed = match random.below(8) {
        0 => bits.wrapping_add(1),
        1 => bits.wrapping_sub(1),
        2 => {
            let amount = random.below(64) as Bits;
            if random.once_in(2) {
                bits.wrapping_add(amount)
            } else {
                bits.wrapping_sub(amount)
            }
        }
        3 => bits ^ 1 << random.below(width as usize),
        4 => same,
        5 => bits.wrapping_neg(),
        _ => return Policy::random(random).value(sort, dictionary, random),
    };
    fit(sort, changed)
}

//! The candidates worth changing, and how they are changed.

use super::source::{Candidate, Policy};
use super::values::{Bits, Chance, Dictionary, fit};
use crate::program::Input;
use crate::term::Sort;

/// A candidate that has covered something new.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) candidate: Candidate,
    /// Steps of its run.
    pub(super) steps: u64,
    /// How close it came to an error.
    pub(super) distance: u32,
    /// How often it was chosen.
    chosen: u32,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Corpus {
    pub(super) entries: Vec<Entry>,
}

/// The most entries; then those are dropped that were chosen most.
const LIMIT: usize = 2_048;
/// How many of the newest entries are preferred.
const RECENT: usize = 8;

impl Corpus {
    pub(super) fn add(&mut self, candidate: Candidate, steps: u64, distance: u32) {
        if self.entries.len() >= LIMIT {
            let half = LIMIT / 2;
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

    /// An entry to change: a recent one, one that came close to an error, or the least tried of several.
    pub(super) fn choose(&mut self, chance: &mut Chance) -> Option<usize> {
        let count = self.entries.len();
        if count == 0 {
            return None;
        }
        let any = |chance: &mut Chance| chance.below(count);
        let mut candidates = [any(chance), any(chance), any(chance), any(chance)];
        if chance.once_in(3) {
            candidates = candidates.map(|_| count - 1 - chance.below(count.min(RECENT)));
        }
        let entries = &self.entries;
        let closest = chance.once_in(3);
        let chosen = candidates.into_iter().min_by_key(|&index| {
            let entry = &entries[index];
            let cost = u64::from(entry.chosen) + entry.steps.ilog2().saturating_sub(8) as u64 * 4;
            (if closest { entry.distance } else { 0 }, cost)
        })?;
        self.entries[chosen].chosen += 1;
        Some(chosen)
    }

    /// Any entry's candidate.
    pub(super) fn any(&self, chance: &mut Chance) -> Option<&Candidate> {
        match self.entries.len() {
            0 => None,
            count => Some(&self.entries[chance.below(count)].candidate),
        }
    }
}

/// A changed copy of the candidate; `other` is one to take parts from.
pub(super) fn mutate(
    candidate: &Candidate,
    other: Option<&Candidate>,
    inputs: &[Input],
    dictionary: &Dictionary,
    chance: &mut Chance,
) -> Candidate {
    let mut changed = candidate.clone();
    let most = 1 << chance.below(4);
    let count = 1 + chance.below(most);
    for _ in 0..count {
        change(&mut changed, other, inputs, dictionary, chance);
    }
    changed
}

fn change(
    candidate: &mut Candidate,
    other: Option<&Candidate>,
    inputs: &[Input],
    dictionary: &Dictionary,
    chance: &mut Chance,
) {
    let length = candidate.list.len();
    match chance.below(10) {
        // Another tail, kept as it is up to a point.
        0 | 1 => {
            let keep = match chance.once_in(2) {
                true => chance.below(length + 1),
                false => length,
            };
            candidate.list.truncate(keep);
            candidate.seed = chance.next();
            if chance.once_in(2) {
                candidate.policy = Policy::random(chance);
            }
        }
        // Another one's tail.
        2 => {
            let keep = chance.below(length + 1);
            candidate.list.truncate(keep);
            if let Some(other) = other {
                candidate.list.extend(other.list.iter().skip(keep).copied());
                (candidate.policy, candidate.seed) = (other.policy, other.seed);
            }
        }
        // A value lost, doubled, or moved.
        3 if length > 0 => {
            let position = chance.below(length);
            match chance.below(3) {
                0 => {
                    candidate.list.remove(position);
                }
                1 => {
                    let value = candidate.list[position];
                    candidate.list.insert(position, value);
                }
                _ => {
                    let target = chance.below(length);
                    candidate.list.swap(position, target);
                }
            }
        }
        _ if length > 0 => {
            let position = chance.below(length);
            let (id, bits) = candidate.list[position];
            let Some(input) = inputs.get(id.index()) else {
                return;
            };
            let same = candidate.list[chance.below(length)].1;
            candidate.list[position].1 = change_value(input.sort, bits, same, dictionary, chance);
        }
        _ => candidate.seed = chance.next(),
    }
}

/// Another value for an input; `same` is one that the run has elsewhere.
fn change_value(
    sort: Sort,
    bits: Bits,
    same: Bits,
    dictionary: &Dictionary,
    chance: &mut Chance,
) -> Bits {
    let width = match sort {
        Sort::BitVec(width) => u32::from(width),
        Sort::Float(format) => format.storage_bits(),
        Sort::Bool => 1,
        Sort::Int | Sort::Array { .. } => 64,
    };
    if sort.is_array() {
        return Bits::from(chance.next());
    }
    let changed = match chance.below(8) {
        0 => bits.wrapping_add(1),
        1 => bits.wrapping_sub(1),
        2 => {
            let amount = chance.below(64) as Bits;
            if chance.once_in(2) {
                bits.wrapping_add(amount)
            } else {
                bits.wrapping_sub(amount)
            }
        }
        3 => bits ^ 1 << chance.below(width as usize),
        4 => same,
        5 => bits.wrapping_neg(),
        _ => return Policy::random(chance).value(sort, dictionary, chance),
    };
    fit(sort, changed)
}

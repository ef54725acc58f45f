//! Arenas: allocation counters all of whose objects have the same size.
//!
//! The memory model gives objects that are created at run time ascending addresses: a counter holds the next free address, and
//! an allocation advances it past the new object. Where every allocation advances the counter by the same power of two (the
//! *slot size*), the objects that exist are exactly those at the multiples of it from the first address up to the counter;
//! a formula can express this.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::cfa::*;
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, store};

/// Maximum binary logarithm of the slot size (bytes) of an arena that formulas speak of.
const MAXIMUM_SLOT_BITS: u8 = 36;

/// An arena whose objects all have the same slot size.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Arena {
    /// The variable that holds the next free address.
    pub counter: VariableId,
    /// The width of an address in bits.
    pub width: u8,
    /// The first object's address, a multiple of the slot size.
    pub first: u128,
    /// The binary logarithm of the slot size in bytes.
    pub bits: u8,
}

/// The values assigned to a counter.
#[derive(Default)]
struct Assigned {
    first: Vec<u128>,
    /// The greatest common divisor of the increments; zero if there are none.
    room: u128,
    other: bool,
}

impl Arena {
    /// Returns the arenas of the program.
    pub fn all(program: &Program) -> Vec<Self> {
        let counters = program.variables.iter().filter(|variable| {
            variable.role == Role::Model
                && variable.scope == Scope::Global
                && matches!(variable.sort, Sort::BitVec(32 | 64))
        });
        let counters: FxHashSet<TermId> = counters
            .map(|variable| store().variable(variable.symbol))
            .collect();
        if counters.is_empty() {
            return Vec::new();
        }
        let mut assigned: BTreeMap<VariableId, Assigned> = BTreeMap::new();
        for edge in &program.edges {
            // A new object's address is a copy of the counter, and the counter's next value is computed from the copy.
            let mut address: Option<(TermId, TermId)> = None;
            for operation in &edge.operations {
                for target in operation.written(program) {
                    let written = store().variable(program.variable(target).symbol);
                    let before = address;
                    address =
                        address.filter(|&(one, counter)| one != written && counter != written);
                    match operation {
                        Operation::Assign { value, .. } if counters.contains(&written) => {
                            let is_from = |&(_, counter): &(TermId, TermId)| counter == written;
                            let from = before.filter(is_from).map_or(written, |(one, _)| one);
                            assigned
                                .entry(target)
                                .or_default()
                                .note([written, from], *value);
                        }
                        Operation::Assign { value, .. } => {
                            if counters.contains(value) {
                                address = Some((written, *value));
                            }
                        }
                        _ => assigned.entry(target).or_default().other = true,
                    }
                }
            }
        }
        let of = |(counter, assigned): (VariableId, Assigned)| {
            let Sort::BitVec(width) = program.variable(counter).sort else {
                return None;
            };
            let bits = u8::try_from(assigned.room.trailing_zeros()).ok()?;
            let &[first] = &assigned.first[..] else {
                return None;
            };
            let is_one = !assigned.other
                && (5..=MAXIMUM_SLOT_BITS).contains(&bits)
                && assigned.room == 1 << bits
                && first.trailing_zeros() >= u32::from(bits);
            is_one.then_some(Self {
                counter,
                width,
                first,
                bits,
            })
        };
        assigned.into_iter().filter_map(of).collect()
    }
}

impl Assigned {
    /// Records the assignment of `value`. `counter` are the terms that equal the counter before it: its variable, and
    /// perhaps a copy.
    fn note(&mut self, counter: [TermId; 2], value: TermId) {
        if let Some(first) = store().bit_vec_constant(value) {
            if !self.first.contains(&first.bits()) {
                self.first.push(first.bits());
            }
            return;
        }
        let room = match store().kind(value) {
            TermKind::Apply {
                op: Op::BvAdd,
                arguments: &[a, b],
            } => match (store().bit_vec_constant(a), store().bit_vec_constant(b)) {
                (Some(room), None) if counter.contains(&b) => Some(room.bits()),
                (None, Some(room)) if counter.contains(&a) => Some(room.bits()),
                _ => None,
            },
            _ => None,
        };
        match room {
            Some(room) => self.room = num_integer::gcd(self.room, room),
            None => self.other |= !counter.contains(&value),
        }
    }
}

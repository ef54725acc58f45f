//! Copies of ranges: a read from the copy counts as a read from the source.

use super::Facts;
use super::accesses::{AccessTable, Direction, View};
use crate::memory::analysis::points_to::Target;
use crate::memory::limits::MAXIMUM_REPETITIONS;

/// A copy of a range of bytes.
#[derive(Copy, Clone, Debug)]
pub struct CopyFact {
    pub destination: Target,
    pub source: Target,
    /// Number of bytes.
    pub size: u64,
}

impl Facts<'_> {
    /// Unifies the links of each copied range with those of its source.
    pub(super) fn copy_links(&mut self) {
        for index in 0..self.copies.len() {
            let copy = self.copies[index];
            let destination = self.graph.canonical(copy.destination);
            let period = self.graph.period(destination.node);
            let size = i64::try_from(copy.size).unwrap_or(i64::MAX);
            let links: Vec<(i64, Target)> = if period == 0 {
                let end = destination.offset.saturating_add(size);
                self.graph
                    .links_between(destination.node, destination.offset, end)
                    .collect()
            } else {
                self.graph.links(destination.node).collect()
            };
            for (offset, target) in links {
                for relative in self.repetitions(&copy, offset - destination.offset, period) {
                    let link = self.graph.link(copy.source.shifted(relative));
                    self.graph.unify(link, target);
                }
            }
        }
    }

    /// Adds the reads of one copy to the table, as reads of its source; returns whether any was new.
    pub(super) fn demand(&mut self, index: usize, table: &mut AccessTable) -> bool {
        let copy = self.copies[index];
        let destination = self.graph.canonical(copy.destination);
        let period = self.graph.period(destination.node);
        let start = destination.offset.wrapping_mul(8);
        let size = i64::try_from(copy.size)
            .unwrap_or(i64::MAX)
            .saturating_mul(8);
        let Some(accesses) = table.get(&destination.node) else {
            return false;
        };
        let loads: Vec<(i64, u32, View)> = accesses
            .iter()
            .filter(|access| access.3 == Direction::Load)
            .map(|access| (access.0, access.1, access.2))
            .collect();
        let mut grown = false;
        for (offset, bits, view) in loads {
            // Relative to the range's start; an access before it may reach into it.
            let relative = offset.wrapping_sub(start);
            let places: Vec<i64> = if period == 0 {
                vec![relative]
            } else {
                let mut places: Vec<i64> = self
                    .repetitions(&copy, relative.div_euclid(8), period)
                    .into_iter()
                    .map(|place| place * 8 + relative.rem_euclid(8))
                    .collect();
                if let Some(&first) = places.first() {
                    places.push(first - period as i64 * 8);
                }
                places
            };
            for place in places {
                let from = place.max(0);
                let to = place.saturating_add(i64::from(bits)).min(size);
                if from >= to {
                    continue;
                }
                let view = if to - from == i64::from(bits) {
                    view
                } else {
                    View::Part
                };
                let byte = from.div_euclid(8);
                let source = self.graph.canonical(copy.source.shifted(byte));
                let bit = source
                    .offset
                    .wrapping_mul(8)
                    .wrapping_add(from.rem_euclid(8));
                grown |= table.entry(source.node).or_default().insert((
                    bit,
                    (to - from) as u32,
                    view,
                    Direction::Load,
                ));
            }
        }
        grown
    }

    /// All offsets in the range of a copy, from its start, that are equal to `relative` modulo the period; if there are
    /// many, the source gets the period too, and the first one stands for them all.
    fn repetitions(&mut self, copy: &CopyFact, relative: i64, period: u64) -> Vec<i64> {
        let size = i64::try_from(copy.size).unwrap_or(i64::MAX);
        if period == 0 {
            return if (0..size).contains(&relative) {
                vec![relative]
            } else {
                Vec::new()
            };
        }
        let Ok(step) = i64::try_from(period) else {
            return Vec::new();
        };
        let first = relative.rem_euclid(step);
        if size / step > MAXIMUM_REPETITIONS {
            self.graph.fold(copy.source.node, period);
            return vec![first];
        }
        (0..=MAXIMUM_REPETITIONS)
            .map(|number| first + number * step)
            .take_while(|&place| place < size)
            .collect()
    }
}

//! Unsigned and signed interpretation of bit vectors, and the difference of two numbers in it.

use super::abstract_value::AbstractValue;
use super::intervals::{INFINITY, Intervals, Universe};
use super::set::Span;
use crate::Op;

/// The least difference between a number from `low` on and a number up to `high`.
pub(super) fn floor(low: i128, high: i128) -> i128 {
    match low <= -INFINITY || high >= INFINITY {
        true => -INFINITY,
        false => low - high,
    }
}

/// The greatest difference between a number up to `high` and a number from `low` on.
pub(super) fn ceiling(high: i128, low: i128) -> i128 {
    match high >= INFINITY || low <= -INFINITY {
        true => INFINITY,
        false => high - low,
    }
}

/// The interpretation of numbers by a comparison.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum View {
    Unsigned,
    Signed,
}

impl View {
    /// The interpretation by the operator, if it is a comparison.
    pub(super) fn of(op: Op) -> Option<Self> {
        match op {
            Op::Eq | Op::BvUlt | Op::BvUle | Op::IntLt | Op::IntLe => Some(Self::Unsigned),
            Op::BvSlt | Op::BvSle => Some(Self::Signed),
            _ => None,
        }
    }

    pub(super) fn hull(self, value: &AbstractValue) -> Option<Span> {
        match self {
            Self::Unsigned => value.intervals.hull(),
            Self::Signed => value.intervals.signed_hull(),
        }
    }

    pub(super) fn least(self, universe: Universe) -> i128 {
        match self {
            Self::Unsigned => universe.least(),
            Self::Signed => -universe.sign(),
        }
    }

    pub(super) fn greatest(self, universe: Universe) -> i128 {
        match self {
            Self::Unsigned => universe.greatest(),
            Self::Signed => universe.sign() - 1,
        }
    }

    /// Returns bounds of the difference of two numbers, given the set of it modulo the length of the circle.
    pub(super) fn distance(
        self,
        a: &AbstractValue,
        b: &AbstractValue,
        apart: &AbstractValue,
    ) -> Option<Span> {
        let (x, y) = (self.hull(a)?, self.hull(b)?);
        let all = Intervals::arc(Universe::Line, floor(x.0, y.1), ceiling(x.1, y.0));
        let turn = a.universe().turn();
        let mut possible = Intervals::empty(Universe::Line);
        let turns: &[i128] = if turn == 0 { &[0] } else { &[-1, 0] };
        for turns in turns {
            for &(low, high) in apart.intervals.spans() {
                let arc = Intervals::arc(Universe::Line, low + turns * turn, high + turns * turn);
                possible = possible.join(&arc.meet(&all));
            }
        }
        possible.hull()
    }
}

//! The truth value of a condition, as far as ranges decide it.

use super::evaluation::{Evaluation, Range};
use super::unsigned;
use crate::term::{Op, Pool, TermId, store};

impl Evaluation<'_> {
    /// The truth value of a condition, if the ranges decide it.
    pub(super) fn condition(&mut self, op: Op, arguments: &[TermId], depth: usize) -> Option<bool> {
        match (op, arguments) {
            (Op::Not, &[a]) => self.truth(a, depth).map(|value| {
                planted!(
                    "range: a denial holds if what it denies does",
                    !value,
                    value
                )
            }),
            (Op::And, _) => {
                let mut all = Some(true);
                for &argument in arguments {
                    match self.truth(argument, depth) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => all = planted!("range: an open conjunct holds", None, all),
                    }
                }
                all
            }
            (Op::Or, _) => {
                let mut all = Some(false);
                for &argument in arguments {
                    match self.truth(argument, depth) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => all = planted!("range: an open disjunct is false", None, all),
                    }
                }
                all
            }
            (Op::Eq, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                if planted!(
                    "range: ranges that meet in one number do not meet",
                    b < c || d < a,
                    b <= c || d < a
                ) {
                    Some(false)
                } else {
                    planted!(
                        "range: one number is enough to decide an equality",
                        a == b && c == d,
                        a == b
                    )
                    .then_some(a == c)
                }
            }
            (Op::BvSlt | Op::IntLt, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                if planted!("range: a < b if they may be equal", b < c, b <= c) {
                    Some(true)
                } else {
                    planted!(
                        "range: a < b is false if a may be as great as b",
                        a >= d,
                        b >= d
                    )
                    .then_some(false)
                }
            }
            (Op::BvSle | Op::IntLe, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                if planted!("range: a <= b if a may be as small as b", b <= c, a <= c) {
                    Some(true)
                } else {
                    planted!("range: a <= b is false if they are equal", a > d, a >= d)
                        .then_some(false)
                }
            }
            (Op::BvUlt, &[a, b]) => {
                let ((a, b), (c, d)) = (self.unsigned(a, depth)?, self.unsigned(b, depth)?);
                if planted!(
                    "range: a < b if they may be equal (unsigned)",
                    b < c,
                    b <= c
                ) {
                    Some(true)
                } else {
                    (a >= d).then_some(false)
                }
            }
            (Op::BvUle, &[a, b]) => {
                let ((a, b), (c, d)) = (self.unsigned(a, depth)?, self.unsigned(b, depth)?);
                if b <= c {
                    Some(true)
                } else {
                    planted!(
                        "range: a <= b is false if they are equal (unsigned)",
                        a > d,
                        a >= d
                    )
                    .then_some(false)
                }
            }
            _ => None,
        }
    }

    fn truth(&mut self, term: TermId, depth: usize) -> Option<bool> {
        match self.range(term, depth)? {
            (0, 0) => Some(false),
            (1, 1) => Some(true),
            _ => None,
        }
    }

    /// The range of the unsigned value.
    fn unsigned(&mut self, term: TermId, depth: usize) -> Range {
        let signed = self.range(term, depth)?;
        let width = store().sort(term).width().filter(|width| *width <= 64)?;
        Some(unsigned(signed, width))
    }
}

//! The check that no run from any box of a covering reaches an error.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::boxes::{Covering, Limits, Machine, Verdict};
use super::super::walk::GivenUp;
use super::{Checker, Failure};
use crate::lowered::passed::passed_over;

/// Limits of a run on a box: above those of engines, but low enough that the time is checked between runs.
const LIMITS: Limits<'_> = Limits {
    steps: 2_000_000,
    paths: 10_000,
    cancelled: None,
};

impl Checker<'_> {
    /// Checks that the covering is complete and that no run from its boxes reaches an error.
    pub(super) fn boxes(&self, covering: &Covering) -> Result<(), Failure> {
        if self.solver.borrow().recorder.is_some() {
            return Err(Failure::Unclear(
                "runs on boxes have no verification conditions".to_owned(),
            ));
        }
        let passed = passed_over(self.lowered.program, self.simplified);
        let program = passed.as_ref().unwrap_or(self.lowered.program);
        let Some(boxes) = covering.boxes(&program.inputs) else {
            return Err(Failure::Wrong("the boxes cover not all inputs".to_owned()));
        };
        let deadline = self.deadline;
        let is_over = AtomicBool::new(false);
        let run = |machine: &mut Machine<'_>, inner: &_| {
            if is_over.load(Ordering::Relaxed) {
                return Err(GivenUp("another box was not safe".to_owned()));
            }
            let result = deadline.left().and_then(|_| {
                let limits = Limits {
                    cancelled: deadline.cancelled,
                    ..LIMITS
                };
                match machine.run(inner, limits).verdict {
                    Verdict::Safe => Ok(()),
                    Verdict::Open(_) => Err(GivenUp("a run may reach an error".to_owned())),
                    Verdict::GivenUp(reason) => Err(GivenUp(reason.to_owned())),
                }
            });
            is_over.fetch_or(result.is_err(), Ordering::Relaxed);
            result
        };
        let mut mine = Machine::new(program);
        let results = self
            .workers
            .map(&boxes, &mut mine, || Machine::new(program), run);
        for result in results {
            result?;
        }
        Ok(())
    }
}

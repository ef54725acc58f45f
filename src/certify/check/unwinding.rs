//! The check that all paths end, and none in a target, by unrolling loops round by round.

use rustc_hash::FxHashMap;

use super::super::walk::Recursion;
use super::super::walk::rounds::Rounds;
use super::{Budget, Checker, Failure};
use crate::lowered::passed::passed_over;
use crate::queries::query::{Answer, ask, ask_alike};
use regatta_program::LocationId;

/// Number of open rounds beyond those of the engine: loops of the program as lowered may be left later, and the solver may
/// fail to exclude one round but not the next.
const SPARE_ROUNDS: u32 = 2;

impl Checker<'_> {
    /// Checks that all paths end within the rounds of the loops, and none in a target. Paths are merged where they join, or
    /// each is executed separately. What a loose slice has left out is passed over.
    pub(super) fn unwinding(
        &mut self,
        rounds: &[(LocationId, u32)],
        merge: bool,
    ) -> Result<(), Failure> {
        let Some(passed) = passed_over(self.lowered.program, self.simplified) else {
            return self.unwind(rounds, merge);
        };
        let budget = Budget {
            time: self.deadline.left()?,
            cancelled: self.deadline.cancelled,
            workers: self.workers.clone(),
        };
        let mut inner = Checker::new(&passed, self.simplified, budget);
        inner.solver.swap(&self.solver);
        let result = inner.unwind(rounds, merge);
        inner.solver.swap(&self.solver);
        result.map_err(|failure| match failure {
            // The target may be reachable only where something is passed over.
            Failure::Wrong(reason) => Failure::Unclear(reason),
            unclear @ Failure::Unclear(_) => unclear,
        })
    }

    fn unwind(&mut self, rounds: &[(LocationId, u32)], merge: bool) -> Result<(), Failure> {
        let mut of: FxHashMap<LocationId, u32> = FxHashMap::default();
        let mut most = 0;
        for &(location, number) in rounds {
            let origin = self.simplified.origins.get(location.index());
            let Some(origin) = origin else {
                return Err(Failure::Unclear("a loop without a counterpart".to_owned()));
            };
            let number = number.saturating_add(SPARE_ROUNDS + number / 2);
            let known = of.entry(origin.location).or_default();
            *known = number.max(*known);
            most = most.max(number);
        }
        let rounds = Rounds {
            of,
            usual: most.max(SPARE_ROUNDS),
            merge,
        };
        let cuts = self.cuts.clone();
        let mut walk = self.walk(&cuts, Recursion::Unrolled);
        let left = walk.all_rounds(&rounds)?;
        walk.left()?;
        if ask_alike(&walk, &left.cut_off)? != Answer::Impossible {
            // The two programs count rounds differently, so that this need not be an error of the engine.
            return Err(Failure::Unclear(
                "some path does not end within the rounds".to_owned(),
            ));
        }
        if ask(&walk, &left.overlaps)? != Answer::Impossible {
            return Err(Failure::Unclear(
                "objects may not be apart that were taken to be".to_owned(),
            ));
        }
        let goals = std::mem::take(&mut walk.targets);
        if ask(&walk, &goals.conditions)? != Answer::Impossible {
            return Err(Failure::Wrong("some path ends in a target".to_owned()));
        }
        Ok(())
    }
}

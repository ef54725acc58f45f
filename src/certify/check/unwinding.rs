//! The check that all paths end, and none in a target, by a walk round by round.

use rustc_hash::FxHashMap;

use super::super::query::{Answer, ask};
use super::super::walk::Recursion;
use super::super::walk::rounds::Rounds;
use super::{Checker, Failure};
use crate::program::LocationId;

/// Open rounds more than the engine needed: loops of the program as lowered may be left later, and what could not be excluded in one
/// round may be easy to exclude in the next.
const SPARE: u32 = 2;

impl Checker<'_> {
    /// Checks that all paths end, and none in a target, in so many rounds of the loops. They are merged where they join, or each is
    /// walked by itself.
    pub(super) fn unwinding(
        &mut self,
        rounds: &[(LocationId, u32)],
        merge: bool,
    ) -> Result<(), Failure> {
        let mut of: FxHashMap<LocationId, u32> = FxHashMap::default();
        let mut most = 0;
        for &(location, number) in rounds {
            let origin = self.simplified.origins.get(location.index());
            let Some(origin) = origin else {
                return Err(Failure::Unclear("a loop without a counterpart".to_owned()));
            };
            let number = number.saturating_add(SPARE + number / 2);
            let known = of.entry(origin.location).or_default();
            *known = number.max(*known);
            most = most.max(number);
        }
        let rounds = Rounds {
            of,
            usual: most.max(SPARE),
            merge,
        };
        let cuts = self.cuts.clone();
        let mut walk = self.walk(&cuts, Recursion::Unrolled);
        let left = walk.all_rounds(&rounds)?;
        walk.left()?;
        if ask(&walk, &left.cut_off)? != Answer::Impossible {
            // Rounds are not counted alike in both programs; this may be no error of the engine's.
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
        if ask(&walk, &goals)? != Answer::Impossible {
            return Err(Failure::Wrong("some path ends in a target".to_owned()));
        }
        Ok(())
    }
}

//! The targets of a race that decides each by itself: which are open, and when the race should end for those that are left.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::task::Task;
use regatta_program::{LocationId, TargetId, TargetSet, Targets};

/// Time without a further exclusion after which a race ends that has excluded at least half of its targets: the program
/// simplified for the others alone is smaller. Half of the race's age, if that is longer, since the engines begin again then, or the
/// time until this race began, since the program is read and simplified again.
const PATIENCE: Duration = Duration::from_millis(400);
const PATIENCE_BY_AGE: u32 = 2;

/// The open targets of a race.
pub(super) struct Exclusions {
    state: Mutex<State>,
    /// When the race began.
    started: Instant,
    /// The wall time until then, for reading and simplifying the program.
    setup: Duration,
    /// Whether the simplifier has excluded further targets that are asked about.
    has_simplified: bool,
}

struct State {
    /// The error locations in the program to analyse by the targets that they are images of.
    open: BTreeMap<TargetId, BTreeSet<LocationId>>,
    /// All of them.
    errors: Arc<BTreeSet<LocationId>>,
    /// When a target was excluded last.
    last: Option<Instant>,
    /// The number of proofs that are being checked.
    checks: usize,
    /// The number of targets of which half have to be excluded before the race ends: those at the beginning, or those that were left
    /// when another race would have begun with much the same program.
    counted: usize,
}

impl Exclusions {
    /// Finds the targets that are left in the program to analyse; `None` unless there are several, each of which is decided by
    /// itself.
    pub fn new(task: &Task) -> Option<Self> {
        let scope = task.scope.as_ref()?;
        let numbered = scope.targets.iter().zip(0..);
        let numbers: BTreeMap<LocationId, TargetId> = numbered
            .map(|(target, number)| (target.location, TargetId(number)))
            .collect();
        let mut open: BTreeMap<TargetId, BTreeSet<LocationId>> = BTreeMap::new();
        for &error in &task.simplified.program.errors {
            let target = *numbers.get(&task.as_lowered(error))?;
            open.entry(target).or_default().insert(error);
        }
        let errors = open.values().flatten().copied().collect();
        (open.len() > 1).then(|| Self {
            started: Instant::now(),
            setup: task.time.began.elapsed(),
            has_simplified: scope.asked.len() > open.len(),
            state: Mutex::new(State {
                counted: open.len(),
                open,
                errors: Arc::new(errors),
                last: None,
                checks: 0,
            }),
        })
    }

    /// Returns the error locations that are open.
    pub fn open(&self) -> Arc<BTreeSet<LocationId>> {
        Arc::clone(&self.state.lock().errors)
    }

    /// Returns the open targets that are excluded if none of these error locations is reached. If no other error location is
    /// open, these are all that are asked about and left, also those that the simplifier has excluded: if it is not
    /// confirmed that they are, the open ones are the second choice.
    pub fn targets_of(&self, errors: &BTreeSet<LocationId>) -> Vec<Targets> {
        let state = self.state.lock();
        let excluded = state.open.iter();
        let excluded = excluded.filter(|(_, images)| images.is_subset(errors));
        let excluded = Targets::Only(excluded.map(|(&target, _)| target).collect());
        match (state.errors.is_subset(errors), self.has_simplified) {
            (true, true) => vec![Targets::All, excluded],
            (true, false) => vec![Targets::All],
            (false, _) => vec![excluded],
        }
    }

    /// Notes that a proof is being checked, or is no longer.
    pub fn checking(&self, is_checking: bool) {
        let mut state = self.state.lock();
        match is_checking {
            true => state.checks += 1,
            false => state.checks = state.checks.saturating_sub(1),
        }
    }

    /// Notes that the targets are excluded.
    pub fn note(&self, excluded: &TargetSet) {
        let mut state = self.state.lock();
        state.open.retain(|&target, _| !excluded.contains(target));
        state.errors = Arc::new(state.open.values().flatten().copied().collect());
        state.last = Some(Instant::now());
    }

    /// Whether all error locations are excluded.
    pub fn is_over(&self) -> bool {
        self.state.lock().open.is_empty()
    }

    /// Goes on with the targets that are left. The race ends when half of them are excluded.
    pub fn go_on(&self) {
        let mut state = self.state.lock();
        state.counted = state.open.len();
    }

    /// Returns when the race ends unless there is a further exclusion: `None` as long as less than half is excluded.
    pub fn end(&self) -> Option<Instant> {
        let state = self.state.lock();
        let is_small = state.open.len() <= state.counted / 2 && state.checks == 0;
        let last = state.last.filter(|_| is_small)?;
        let age = last.saturating_duration_since(self.started);
        last.checked_add(PATIENCE.max(age / PATIENCE_BY_AGE).max(self.setup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three targets; the second has two images.
    fn exclusions() -> Exclusions {
        let images = [vec![10], vec![11, 12], vec![13]];
        let images = images.map(|images| images.into_iter().map(LocationId).collect());
        let open: BTreeMap<TargetId, BTreeSet<LocationId>> =
            (0..).map(TargetId).zip(images).collect();
        Exclusions {
            started: Instant::now(),
            setup: Duration::ZERO,
            has_simplified: false,
            state: Mutex::new(State {
                errors: Arc::new(open.values().flatten().copied().collect()),
                counted: open.len(),
                open,
                last: None,
                checks: 0,
            }),
        }
    }

    fn errors(numbers: &[u32]) -> BTreeSet<LocationId> {
        numbers.iter().copied().map(LocationId).collect()
    }

    #[test]
    fn a_target_is_excluded_if_all_its_images_are() {
        let exclusions = exclusions();
        let targets = |numbers: &[u32]| exclusions.targets_of(&errors(numbers));
        let only = |numbers: &[u32]| {
            Targets::Only(numbers.iter().copied().map(TargetId).collect::<TargetSet>())
        };
        assert_eq!(targets(&[10, 11]), [only(&[0])]);
        assert_eq!(targets(&[11, 12]), [only(&[1])]);
        assert_eq!(targets(&[10, 11, 12, 13]), [Targets::All]);
    }

    #[test]
    fn a_race_ends_when_most_is_excluded() {
        let exclusions = exclusions();
        let first = TargetSet::from_iter([TargetId(0)]);
        exclusions.note(&first);
        assert_eq!(*exclusions.open(), errors(&[11, 12, 13]));
        assert!(exclusions.end().is_none());
        exclusions.note(&TargetSet::from_iter([TargetId(1)]));
        assert!(exclusions.end().is_some() && !exclusions.is_over());
        exclusions.checking(true);
        assert!(exclusions.end().is_none());
        exclusions.checking(false);
        assert!(exclusions.end().is_some());
        exclusions.go_on();
        assert!(exclusions.end().is_none());
        exclusions.note(&TargetSet::from_iter([TargetId(2)]));
        assert!(exclusions.is_over());
    }
}

//! The check of batches and of the property by k-induction.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::walk::{Frontier, GivenUp, Goals, Recursion, Starts, State, Walk, tells_cases};
use super::{Checker, Failure, Invariants, Places};
use crate::lowered::call_strings::Node;
use crate::queries::query::{Answer, ask, ask_each, ask_within};
use crate::verification_conditions::What;
use regatta_program::LocationId;
use regatta_term::{Build, TermId};

/// Maximum wall time of the question about all cases of the claims together. Zero in tests, which cover the cases.
const ALL_CASES_TIME: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 500 });

/// Maximum wall time of a question about one of several targets that are not excluded together.
const TARGET_TIME: Duration = Duration::from_millis(500);

/// Maximum number of consecutive such questions that exclude nothing; the other targets are not asked about.
const MAXIMUM_TARGETS_IN_VAIN: usize = 16;

/// Maximum wall time of a question, which is limited if it can be asked case by case as well.
fn time_of(claims: &Invariants, starts: Starts) -> Duration {
    match starts {
        Starts::Whole if any_cases(claims) => ALL_CASES_TIME,
        _ => Duration::MAX,
    }
}

/// Checks whether the claims about any node have cases.
fn any_cases(claims: &Invariants) -> bool {
    claims.values().any(|formulas| tells_cases(formulas))
}

impl Checker<'_> {
    /// Checks a k-inductive batch.
    pub(super) fn inductive(
        &mut self,
        batch: &Invariants,
        k: u32,
        relied: Invariants,
    ) -> Result<(), Failure> {
        self.confirm_facts()?;
        let mut known = relied;
        for (node, formulas) in batch {
            known.entry(*node).or_default().extend(formulas);
        }
        let mark = self.mark();
        match self.inductive_from(batch, k, &known, Starts::Whole) {
            Err(Failure::Unclear(_)) if any_cases(&known) => {
                self.forget(mark);
                self.inductive_from(batch, k, &known, Starts::ByCase)
            }
            checked => checked,
        }
    }

    fn inductive_from(
        &mut self,
        batch: &Invariants,
        k: u32,
        known: &Invariants,
        starts: Starts,
    ) -> Result<(), Failure> {
        let cuts = self.cuts.clone();
        let time = time_of(known, starts);
        let known = |node: Node| known.get(&node).map_or(&[][..], Vec::as_slice);
        let claimed = |node: Node| batch.get(&node).map_or(&[][..], Vec::as_slice);
        let violations = |walk: &Walk<'_, '_>, node: Node, state: &State| -> Vec<TermId> {
            let formulas = claimed(node).iter();
            formulas
                .map(|&formula| {
                    let value = walk.formula(state, node, formula);
                    let violation = walk.arena.and2(state.guard, walk.arena.not(value));
                    walk.label(violation, node, What::Violates(formula));
                    violation
                })
                .collect()
        };
        let mut places = Places::default();

        // 1. Base case.
        let mut walk = self.walk(&cuts, Recursion::Summarised);
        let entry = walk.entry();
        let state = walk.arbitrary();
        let mut goals = violations(&walk, entry, &state);
        let mut frontier = Frontier::from([(entry, state)]);
        for step in 1..=k {
            frontier = walk.segment(frontier)?;
            for (&node, state) in &frontier {
                goals.extend(violations(&walk, node, state));
                if step == 1 {
                    places.add(node)?;
                }
            }
        }
        let (base_goals, base_over_approximated) = (goals.clone(), walk.over_approximated);

        // 2. Step case. An activation that is not executed in its caller reaches no cut point of the batch.
        while let Some(place) = places.next() {
            for state in walk.starts(place, known(place), starts) {
                let mut frontier = Frontier::from([(place, state)]);
                for step in 1..=k {
                    frontier = walk.segment(frontier)?;
                    for (&node, state) in &mut frontier {
                        if step == 1 {
                            places.add(node)?;
                        }
                        if step == k {
                            let violations = violations(&walk, node, state);
                            goals.extend(violations);
                        } else {
                            walk.restrict(state, node, known(node));
                        }
                    }
                }
            }
        }

        // 3. One question about both cases, and one about the base case if it fails.
        if ask_within(&walk, &goals, time)? != Answer::Impossible {
            let base = ask(&walk, &base_goals)?;
            let over_approximated = walk.over_approximated;
            return Err(if base == Answer::Impossible {
                let reason = format!("the invariants are not {k}-inductive");
                self.precision(over_approximated).failure(reason)
            } else {
                let reason = "an invariant does not hold within the first steps";
                self.precision(base_over_approximated)
                    .failure(reason.to_owned())
            });
        }
        Ok(())
    }

    /// Checks the property by k-induction.
    pub(super) fn safety(&mut self, k: u32, relied: &Invariants) -> Result<(), Failure> {
        self.confirm_facts()?;
        let mark = self.mark();
        match self.safety_within(k, relied) {
            // Engines count k in two ways; see [`ProofStep::Safety`].
            Err(StepFails(_)) => {
                self.forget(mark);
                match self.safety_within(k + 1, relied) {
                    Err(StepFails(failure) | BaseFails(failure)) => Err(failure),
                    Ok(()) => Ok(()),
                }
            }
            Err(BaseFails(failure)) => Err(failure),
            Ok(()) => Ok(()),
        }
    }

    pub(super) fn safety_within(
        &mut self,
        k: u32,
        relied: &Invariants,
    ) -> Result<(), SafetyFailure> {
        let mark = self.mark();
        match self.safety_from(k, relied, Starts::Whole) {
            Err(StepFails(Failure::Unclear(_)) | BaseFails(Failure::Unclear(_)))
                if any_cases(relied) =>
            {
                self.forget(mark);
                self.safety_from(k, relied, Starts::ByCase)
            }
            checked => checked,
        }
    }

    fn safety_from(
        &mut self,
        k: u32,
        relied: &Invariants,
        starts: Starts,
    ) -> Result<(), SafetyFailure> {
        let cuts = self.cuts.clone();
        let time = time_of(relied, starts);
        let is_partial = self.is_partial;
        let known = |node: Node| relied.get(&node).map_or(&[][..], Vec::as_slice);
        let mut places = Places::default();

        // 1. Base case.
        let mut walk = self.walk(&cuts, Recursion::Summarised);
        let mut frontier = Frontier::from([(walk.entry(), walk.arbitrary())]);
        for step in 1..=k {
            frontier = walk.segment(frontier)?;
            if step == 1 {
                frontier.keys().try_for_each(|&node| places.add(node))?;
            }
        }
        Self::enter(&mut walk, k, &mut places)?;
        let base_goals = std::mem::take(&mut walk.targets);
        let base_over_approximated = walk.over_approximated;

        // 2. Step case.
        let mut goals = base_goals.clone();
        while let Some(place) = places.next() {
            for state in walk.starts(place, known(place), starts) {
                let mut frontier = Frontier::from([(place, state)]);
                for step in 1..=k {
                    walk.targets.clear();
                    frontier = walk.segment(frontier)?;
                    if step == 1 {
                        frontier.keys().try_for_each(|&node| places.add(node))?;
                    }
                    if step < k {
                        for (&node, state) in &mut frontier {
                            walk.restrict(state, node, known(node));
                        }
                    }
                }
                goals.append(&mut walk.targets);
                Self::enter(&mut walk, k, &mut places)?;
            }
        }

        // 3. One question about both cases, and one about the base case if it fails.
        let mut conditions = goals.conditions.clone();
        let answer = ask_each(&walk, &mut conditions, time);
        if answer == Ok(Answer::Impossible) {
            return Ok(());
        }
        let base = match answer {
            Ok(_) => ask(&walk, &base_goals.conditions),
            Err(_) => Ok(Answer::Impossible),
        };
        let over_approximated = walk.over_approximated;
        let open = is_partial.then(|| open_targets(&walk, &goals, &conditions));
        if let Some(open) = open {
            self.exclude_all_but(&open);
        }
        answer?;
        Err(if base? == Answer::Impossible {
            let reason = format!("the property is not {k}-inductive");
            StepFails(self.precision(over_approximated).failure(reason))
        } else {
            let reason = format!("a target is reached within {k} steps");
            BaseFails(self.precision(base_over_approximated).failure(reason))
        })
    }

    /// Adds the entries of recursive functions with targets, which begin paths of their own: with more than one step, paths
    /// through the call would be missed.
    fn enter(walk: &mut Walk<'_, '_>, k: u32, places: &mut Places) -> Result<(), GivenUp> {
        for (node, _) in std::mem::take(&mut walk.entered) {
            if walk.has_target(node) {
                if k > 1 {
                    return Err(GivenUp("a target in a recursive function".to_owned()));
                }
                places.add(node)?;
            }
        }
        Ok(())
    }
}

/// Returns the places of goals that may be possible, where `conditions` has what is known of the goals' conditions. Each place is
/// asked about by itself, as far as there is time.
fn open_targets(walk: &Walk<'_, '_>, goals: &Goals, conditions: &[TermId]) -> BTreeSet<LocationId> {
    let mut in_vain = 0;
    let mut open = goals.open(conditions);
    open.retain(|_, here| {
        if in_vain == MAXIMUM_TARGETS_IN_VAIN || walk.left().is_err() {
            return true;
        }
        in_vain += 1;
        let here: Vec<TermId> = here.iter().map(|&number| conditions[number]).collect();
        let is_excluded = ask_within(walk, &here, TARGET_TIME) == Ok(Answer::Impossible);
        if is_excluded {
            in_vain = 0;
        }
        !is_excluded
    });
    open.into_keys().collect()
}

/// The part of an induction that fails.
pub(super) enum SafetyFailure {
    BaseFails(Failure),
    StepFails(Failure),
}
use SafetyFailure::{BaseFails, StepFails};

impl From<GivenUp> for SafetyFailure {
    fn from(reason: GivenUp) -> Self {
        BaseFails(reason.into())
    }
}

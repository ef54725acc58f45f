//! Targets one by one: which of several a question excludes, and the proof for these.

use std::collections::BTreeSet;

use super::Target;
use crate::CancellationToken;
use regatta_certify::certificate::ProofStep;
use regatta_program::LocationId;
use regatta_sharing::OpenTargets;
use regatta_solver::Answer;

/// Maximum number of targets in a question. Each of them that is reached costs another question about the others.
const MAXIMUM_TOGETHER: usize = 16;

/// Maximum number of times that a set of targets is halved if the check of the proof for it does not pass.
const MAXIMUM_HALVINGS: u32 = 3;

/// Targets that are asked about in groups. A group that is not excluded loses those that a model reaches; one whose question
/// is not answered is halved.
pub struct Division {
    groups: Vec<Vec<Target>>,
    /// Error locations that may be reached.
    left: BTreeSet<LocationId>,
    /// Whether an edge that is not modelled may be reached.
    is_unmodelled: bool,
}

impl Division {
    /// Starts with the targets in the order of the program, all of them open.
    pub fn new(targets: &[Target]) -> Self {
        let (errors, unmodelled): (Vec<Target>, Vec<Target>) =
            targets.iter().partition(|target| target.error().is_some());
        let groups = errors.chunks(MAXIMUM_TOGETHER).map(<[Target]>::to_vec);
        Self {
            // The last group is the first to be asked about: the others are of no use if what is not modelled is reached.
            groups: groups.chain([unmodelled]).collect(),
            left: BTreeSet::new(),
            is_unmodelled: false,
        }
    }

    /// Returns the targets to be asked about next. They are excluded unless [`Self::answered`] says otherwise.
    pub fn next_group(&mut self) -> Option<Vec<Target>> {
        if self.is_unmodelled {
            return None;
        }
        while let Some(mut group) = self.groups.pop() {
            // An error location is reached in several ways; one that is reached in one of them is left.
            let is_left = |error: LocationId| self.left.contains(&error);
            group.retain(|target| !target.error().is_some_and(is_left));
            if !group.is_empty() {
                return Some(group);
            }
        }
        None
    }

    /// Takes the answer to the question whether one of the group is reached. With a model, `reached` tells which are.
    pub fn answered(&mut self, group: Vec<Target>, answer: Answer, reached: &[bool]) {
        match answer {
            Answer::Unsatisfiable => {}
            Answer::Satisfiable if reached.contains(&true) => {
                let told = group.iter().zip(reached);
                let (lost, rest): (Vec<_>, Vec<_>) = told.partition(|(_, is_reached)| **is_reached);
                lost.into_iter().for_each(|(target, _)| self.leave(target));
                let rest = rest.into_iter().map(|(target, _)| *target);
                self.groups.push(rest.collect());
            }
            Answer::Unknown(_) if group.len() > 1 => {
                let (first, second) = group.split_at(group.len() / 2);
                self.groups.extend([second.to_vec(), first.to_vec()]);
            }
            Answer::Satisfiable | Answer::Unknown(_) => {
                group.iter().for_each(|target| self.leave(target));
            }
        }
    }

    /// Leaves all that have not been asked about, with the group, for there is no time. Returns their error locations.
    pub fn end(&mut self, group: &[Target]) -> BTreeSet<LocationId> {
        let groups = std::mem::take(&mut self.groups);
        let waiting = groups.iter().flatten().chain(group);
        let is_left = |error: &LocationId| self.left.contains(error);
        let errors = waiting.clone().filter_map(Target::error);
        let errors = errors.filter(|error| !is_left(error)).collect();
        waiting.for_each(|target| self.leave(target));
        errors
    }

    fn leave(&mut self, target: &Target) {
        match target.error() {
            Some(error) => _ = self.left.insert(error),
            None => self.is_unmodelled = true,
        }
    }

    /// Returns those of the error locations that are excluded.
    pub fn excluded(&self, among: &BTreeSet<LocationId>) -> BTreeSet<LocationId> {
        match self.is_unmodelled {
            // Any error may follow what is not modelled.
            true => BTreeSet::new(),
            false => among.difference(&self.left).copied().collect(),
        }
    }
}

/// Has the proof checked that none of the error locations is reached; where that does not pass, for parts of them. Returns
/// those that stay open.
pub fn exclude(
    targets: &dyn OpenTargets,
    errors: BTreeSet<LocationId>,
    steps: &[ProofStep],
    token: &CancellationToken,
) -> BTreeSet<LocationId> {
    let mut refused = BTreeSet::new();
    let mut parts = vec![(errors, 0)];
    while let Some((part, halvings)) = parts.pop() {
        if part.is_empty() || token.is_cancelled() {
            continue;
        }
        if targets.exclude(&part, steps.to_vec()) {
            continue;
        }
        let open = targets.open();
        let asked = part.len();
        let part: BTreeSet<LocationId> = part.intersection(&open).copied().collect();
        if part.len() < asked {
            // What is left was asked about, unless there was no time for it.
            parts.push((part, MAXIMUM_HALVINGS));
        } else if part.len() > 1 && halvings < MAXIMUM_HALVINGS {
            let all: Vec<LocationId> = part.into_iter().collect();
            let (first, second) = all.split_at(all.len() / 2);
            let halves = [second, first].map(|half| (half.iter().copied().collect(), halvings + 1));
            parts.extend(halves);
        } else {
            refused.extend(part);
        }
    }
    refused
}

//! The check of a proof, on the program as lowered.
//!
//! Nothing that the engines compute is used but the certificate itself: verification conditions come from the edges of
//! the program as lowered ([`super::walk`]), and go to the solver as text. What the simplifier did is not trusted either.
//! It says where its cut points were and what it knew there; that decides where paths are cut and is assumed as far as
//! it is found to be inductive, but whatever it says, what is confirmed holds of the program as lowered:
//!
//! 1. **Facts.** What the simplifier knew at its cut points is taken as a batch of candidates. Those that one step from
//!    a state that satisfies all of them can violate are dropped, until the rest is inductive (Houdini).
//! 2. **Batches** of the certificate are claims: k-inductive relative to the facts and the batches they name, or not.
//! 3. **The property**, likewise, by k-induction or by following all paths to their ends.
//!
//! A step here leads from an image of a cut point of the simplified program to the next. Should the program as lowered
//! pass more of them on a path than the simplified one, a k that is right there is too small here: then the check fails,
//! which costs a proof, not the truth.

mod summaries;

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::certificate::{Certificate, InvariantLocation, ProofStep};
use super::lowered::Lowered;
use super::places::{Cuts, Facts, Meaning, is_in_scope};
use super::query::{Answer, ask, ask_within};
use super::stacks::{Node, Stacks};
use super::walk::{Deadline, Frontier, GivenUp, Recursion, State, Walk};
use crate::program::{Program, Simplified};
use crate::solver::z3::text::TextSolver;
use crate::term::{Build, TermId};

/// What became of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// It holds of the program as lowered.
    Confirmed,
    /// It is wrong, whatever the simplifier did: an internal error of the engine.
    Refuted(String),
    /// It was not found out whether it holds.
    Undecided(String),
}

/// Why a check is given up that leads to more than [`MOST_PLACES`].
const TOO_MANY_PLACES: &str = "too many places";

/// Places to which a proof may lead before it is given up.
const MOST_PLACES: usize = 20_000;

/// Rounds of dropping facts one model after the other; then all that are in doubt go at once.
const PATIENT_ROUNDS: u32 = 6;

/// Checks a proof. It takes at most some more than the budget.
pub fn check(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
    budget: Duration,
    cancelled: Option<&AtomicBool>,
) -> Check {
    let deadline = Deadline {
        end: Instant::now() + budget,
        cancelled,
    };
    match Checker::new(lowered, simplified, deadline).run(certificate) {
        Ok(()) => Check::Confirmed,
        Err(Failure::Wrong(reason)) => Check::Refuted(reason),
        Err(Failure::Unclear(reason)) => Check::Undecided(reason),
    }
}

/// Why a proof was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    Wrong(String),
    Unclear(String),
}

impl From<GivenUp> for Failure {
    fn from(reason: GivenUp) -> Self {
        Self::Unclear(reason.0)
    }
}

/// Whether a counterexample is one.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Precision {
    /// It is a run of the program as lowered, or of what an engine assumes of it.
    Exact,
    /// Something was forgotten that the engine may know.
    Approximate,
}

impl Precision {
    fn failure(self, reason: String) -> Failure {
        match self {
            Self::Exact => Failure::Wrong(reason),
            Self::Approximate => Failure::Unclear(reason),
        }
    }
}

/// Formulas by place.
type Invariants = FxHashMap<Node, Vec<TermId>>;

struct Checker<'a> {
    lowered: Lowered<'a>,
    simplified: &'a Simplified,
    meaning: Meaning<'a>,
    stacks: Stacks,
    /// The images of the cut points that the engines see.
    cuts: Cuts,
    facts: Facts<'a>,
    /// Whether the facts have been looked at.
    has_facts: bool,
    /// Whether some fact was dropped.
    dropped: bool,
    deadline: Deadline<'a>,
    /// Answers the questions.
    solver: RefCell<TextSolver>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, simplified: &'a Simplified, deadline: Deadline<'a>) -> Self {
        let lowered = Lowered::new(program);
        Self {
            meaning: Meaning::new(simplified, program),
            stacks: Stacks::new(&lowered),
            cuts: Cuts::of_simplified(simplified, program),
            facts: Facts::default(),
            has_facts: false,
            dropped: false,
            deadline,
            solver: RefCell::default(),
            simplified,
            lowered,
        }
    }

    fn run(&mut self, certificate: &Certificate) -> Result<(), Failure> {
        let is_last = |step: &ProofStep| !matches!(step, ProofStep::Inductive { .. });
        let Some(last) = certificate.steps.iter().rposition(is_last) else {
            return Err(Failure::Unclear("no step proves the property".to_owned()));
        };
        let entry = self
            .lowered
            .program
            .function(self.lowered.program.start)
            .entry;
        if self.lowered.is_error[entry.index()] {
            return Err(Failure::Wrong("the program starts in an error".to_owned()));
        }
        // Only what the last step relies on is looked at.
        let mut needed = FxHashSet::default();
        let mut work = vec![last];
        while let Some(index) = work.pop() {
            if !needed.insert(index) {
                continue;
            }
            let relies_on = match &certificate.steps[index] {
                ProofStep::Inductive { relies_on, .. } | ProofStep::Safety { relies_on, .. } => {
                    &relies_on[..]
                }
                ProofStep::Unrolling { .. }
                | ProofStep::Summaries { .. }
                | ProofStep::Simplified => &[],
            };
            for &earlier in relies_on {
                if earlier >= index || is_last(&certificate.steps[earlier]) {
                    return Err(Failure::Unclear(format!(
                        "step {index} relies on step {earlier}"
                    )));
                }
                work.push(earlier);
            }
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        let mut batches: FxHashMap<usize, Invariants> = FxHashMap::default();
        for &index in &needed {
            if let ProofStep::Inductive { batch, .. } = &certificate.steps[index] {
                batches.insert(index, self.translate(batch)?);
            }
        }
        for index in needed {
            let step = &certificate.steps[index];
            let relied = |relies_on: &[usize]| {
                let mut all = Invariants::default();
                for earlier in relies_on {
                    for (node, formulas) in batches.get(earlier).into_iter().flatten() {
                        all.entry(*node).or_default().extend(formulas);
                    }
                }
                all
            };
            let result = match step {
                ProofStep::Inductive { k, relies_on, .. } => {
                    self.inductive(&batches[&index], (*k).max(1), relied(relies_on))
                }
                ProofStep::Safety { k, relies_on } => self.safety((*k).max(1), &relied(relies_on)),
                ProofStep::Unrolling { bound } => self.unrolling(*bound),
                ProofStep::Summaries { batch } => self.summaries(batch),
                ProofStep::Simplified => self.simplified(),
            };
            result.map_err(|failure| match failure {
                Failure::Wrong(reason) => Failure::Wrong(format!("step {index}: {reason}")),
                Failure::Unclear(reason) => Failure::Unclear(format!("step {index}: {reason}")),
            })?;
        }
        Ok(())
    }

    /// A batch in terms of the program as lowered; its places become cut points.
    fn translate(&mut self, batch: &[(InvariantLocation, TermId)]) -> Result<Invariants, Failure> {
        let mut result = Invariants::default();
        for (at, formula) in batch {
            let no_counterpart =
                || Failure::Unclear("an invariant without a counterpart".to_owned());
            let (location, calls) = self
                .meaning
                .place(at.location, &at.calls)
                .ok_or_else(no_counterpart)?;
            let stack = self
                .stacks
                .of(&self.lowered, &calls)
                .ok_or_else(no_counterpart)?;
            let function = self.lowered.program.location(location).function;
            let functions = self.stacks.functions(stack);
            if functions.first() != Some(&function) {
                return Err(no_counterpart());
            }
            let mut functions = functions.into_iter();
            if functions.any(|function| self.lowered.calls.is_recursive(function)) {
                return Err(Failure::Unclear(
                    "an invariant in a recursive function".to_owned(),
                ));
            }
            let formula = self.meaning.formula(*formula).ok_or_else(no_counterpart)?;
            let node = Node { stack, location };
            if !is_in_scope(&self.lowered, &self.stacks, node, formula) {
                return Err(no_counterpart());
            }
            self.cuts.add(location, calls);
            result.entry(node).or_default().push(formula);
        }
        Ok(result)
    }

    fn walk<'w>(&'w mut self, cuts: &'w Cuts, recursion: Recursion<'w>) -> Walk<'w, 'a> {
        Walk::new(
            &self.lowered,
            &mut self.stacks,
            cuts,
            &mut self.facts,
            recursion,
            (self.deadline, &self.solver),
        )
    }

    /// Whether a counterexample found by a walk counts against the engine.
    fn precision(&self, over_approximated: bool) -> Precision {
        if over_approximated || self.dropped {
            Precision::Approximate
        } else {
            Precision::Exact
        }
    }

    /// Finds out which facts are inductive; the others are dropped.
    fn confirm_facts(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.has_facts, true) {
            return Ok(());
        }
        let rounds = self.simplified.invariants.iter().map(|place| place.round);
        for round in 1..=rounds.max().unwrap_or(0) {
            if !self.facts.add_round(self.simplified, &self.meaning, round) {
                continue;
            }
            let cuts = Cuts::of_round(self.simplified, self.lowered.program, round);
            if let Err(failure) = self.confirm_round(&cuts) {
                // The time may be over for these, but not for all.
                self.deadline.left()?;
                self.dropped = true;
                let all = self.facts.confirmed..self.facts.count();
                self.facts.drop_facts(all);
                if failure == Failure::Unclear(TOO_MANY_PLACES.to_owned()) {
                    break;
                }
            }
            self.facts.confirmed = self.facts.count();
        }
        Ok(())
    }

    /// Drops facts of the newest round until the rest is inductive (Houdini).
    fn confirm_round(&mut self, cuts: &Cuts) -> Result<(), Failure> {
        let confirmed = self.facts.confirmed;
        for round in 1.. {
            let mut walk = self.walk(cuts, Recursion::Summarised);
            let mut places = Places::default();
            let mut goals: Vec<TermId> = Vec::new();
            let mut claimed: Vec<usize> = Vec::new();
            let mut start = Some((walk.entry(), walk.arbitrary()));
            loop {
                let (node, state) = match start.take() {
                    Some(start) => start,
                    None => match places.next() {
                        Some(node) => (node, walk.start(node, &[])),
                        None => break,
                    },
                };
                let ends = walk.segment(Frontier::from([(node, state)]))?;
                let entered = std::mem::take(&mut walk.entered);
                for (end, state) in ends.into_iter().chain(entered) {
                    for claim in walk.claims(end).iter() {
                        if claim.fact < confirmed {
                            continue;
                        }
                        let value = walk.formula(&state, end, claim.formula);
                        let goal = walk.arena.and2(state.guard, walk.arena.not(value));
                        if goal != TermId::FALSE {
                            goals.push(goal);
                            claimed.push(claim.fact);
                        }
                    }
                    places.add(end)?;
                }
            }
            let violated: Vec<usize> = match ask(&walk, &goals) {
                Ok(Answer::Impossible) => return Ok(()),
                Ok(Answer::Possible(values)) if round <= PATIENT_ROUNDS => {
                    let pairs = claimed.iter().zip(values);
                    pairs.filter(|pair| pair.1).map(|pair| *pair.0).collect()
                }
                // All in doubt go.
                _ => claimed,
            };
            self.deadline.left()?;
            self.dropped = true;
            if !self.facts.drop_facts(violated) {
                break;
            }
        }
        Err(Failure::Unclear("no fact can be dropped".to_owned()))
    }

    /// Checks that what the simplifier knew excludes the targets.
    fn simplified(&mut self) -> Result<(), Failure> {
        self.confirm_facts()?;
        match self.safety_within(1, &Invariants::default()) {
            Ok(()) => Ok(()),
            // What the simplifier knows of its own program is not all recorded.
            Err(BaseFails(Failure::Wrong(reason)) | StepFails(Failure::Wrong(reason))) => {
                Err(Failure::Unclear(reason))
            }
            Err(BaseFails(failure) | StepFails(failure)) => Err(failure),
        }
    }

    /// Checks a k-inductive batch.
    fn inductive(&mut self, batch: &Invariants, k: u32, relied: Invariants) -> Result<(), Failure> {
        self.confirm_facts()?;
        let cuts = self.cuts.clone();
        let mut known = relied;
        for (node, formulas) in batch {
            known.entry(*node).or_default().extend(formulas);
        }
        let known = |node: Node| known.get(&node).map_or(&[][..], Vec::as_slice);
        let claimed = |node: Node| batch.get(&node).map_or(&[][..], Vec::as_slice);
        let violations = |walk: &Walk<'_, '_>, node: Node, state: &State| -> Vec<TermId> {
            let formulas = claimed(node).iter();
            formulas
                .map(|&formula| {
                    let value = walk.formula(state, node, formula);
                    walk.arena.and2(state.guard, walk.arena.not(value))
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

        // 2. Step case. An activation that is not executed in its caller comes to no place of the batch.
        while let Some(place) = places.next() {
            let state = walk.start(place, known(place));
            let mut frontier = Frontier::from([(place, state)]);
            for step in 1..=k {
                frontier = walk.segment(frontier)?;
                for (&node, state) in &mut frontier {
                    if step == 1 {
                        places.add(node)?;
                    }
                    if step == k {
                        goals.extend(violations(&walk, node, state));
                    } else {
                        walk.restrict(state, node, known(node));
                    }
                }
            }
        }

        // 3. One question, and another one only if it fails.
        if ask(&walk, &goals)? != Answer::Impossible {
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
    fn safety(&mut self, k: u32, relied: &Invariants) -> Result<(), Failure> {
        self.confirm_facts()?;
        match self.safety_within(k, relied) {
            // Engines count in two ways; see [`ProofStep::Safety`].
            Err(StepFails(_)) => match self.safety_within(k + 1, relied) {
                Err(StepFails(failure) | BaseFails(failure)) => Err(failure),
                Ok(()) => Ok(()),
            },
            Err(BaseFails(failure)) => Err(failure),
            Ok(()) => Ok(()),
        }
    }

    fn safety_within(&mut self, k: u32, relied: &Invariants) -> Result<(), SafetyFailure> {
        let cuts = self.cuts.clone();
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
            let state = walk.start(place, known(place));
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

        // 3. One question, and another one only if it fails.
        if ask(&walk, &goals)? != Answer::Impossible {
            let base = ask(&walk, &base_goals)?;
            let over_approximated = walk.over_approximated;
            return Err(if base == Answer::Impossible {
                let reason = format!("the property is not {k}-inductive");
                StepFails(self.precision(over_approximated).failure(reason))
            } else {
                let reason = format!("a target is reached within {k} steps");
                BaseFails(self.precision(base_over_approximated).failure(reason))
            });
        }
        Ok(())
    }

    /// Adds the places at which recursive functions with targets are entered. They begin a path of their own: with more
    /// than one step, paths through the call would be missed.
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

    /// Checks that all paths end, and none in a target.
    fn unrolling(&mut self, bound: u32) -> Result<(), Failure> {
        match self.unroll(bound) {
            Err(Failure::Unclear(reason))
                if !self.has_facts && !self.simplified.invariants.is_empty() =>
            {
                // What the simplifier knew may be needed for loops that it has taken out.
                self.deadline.left()?;
                self.confirm_facts().map_err(|_| Failure::Unclear(reason))?;
                self.unroll(bound)
            }
            result => result,
        }
    }

    fn unroll(&mut self, bound: u32) -> Result<(), Failure> {
        let cuts = self.cuts.clone();
        let mut walk = self.walk(&cuts, Recursion::Unrolled);
        let mut frontier = Frontier::from([(walk.entry(), walk.arbitrary())]);
        // The program as lowered may have a few cut points more on a path.
        let most = bound.saturating_add(bound / 4).saturating_add(2);
        let mut steps = 0;
        let mut pruning = Pruning::new();
        loop {
            walk.left()?;
            frontier = walk.segment(frontier)?;
            walk.name(&mut frontier);
            pruning.prune(&walk, &mut frontier)?;
            let mut entered = std::mem::take(&mut walk.entered).into_iter();
            if entered.any(|(node, _)| walk.has_target(node)) {
                return Err(Failure::Unclear(
                    "a target in a recursive function".to_owned(),
                ));
            }
            steps += 1;
            if frontier.is_empty() {
                break;
            }
            if steps == bound || steps >= most {
                let alive: Vec<TermId> = frontier.values().map(|state| state.guard).collect();
                // As a rule one question is enough.
                let mut all = walk.targets.clone();
                all.extend(&alive);
                if ask(&walk, &all)? == Answer::Impossible {
                    return Ok(());
                }
                if ask(&walk, &alive)? == Answer::Impossible {
                    break;
                }
            }
            if steps >= most {
                // Steps are not counted alike in both programs; this may be no error of the engine's.
                return Err(Failure::Unclear(format!(
                    "some path does not end within {most} steps"
                )));
            }
        }
        let goals = std::mem::take(&mut walk.targets);
        if ask(&walk, &goals)? != Answer::Impossible {
            let over_approximated = walk.over_approximated;
            return Err(self
                .precision(over_approximated)
                .failure("some path ends in a target".to_owned()));
        }
        Ok(())
    }
}

/// Drops states that are not reached, lest activations of recursive functions be followed that do not exist. It is a
/// matter of time alone: what is not dropped is followed.
struct Pruning {
    began: Instant,
    /// Whether it has dropped something the last time.
    useful: bool,
    /// States and depth of call strings from which on it is worth asking.
    states: usize,
    depth: u32,
}

impl Pruning {
    /// For less it is not worth asking.
    const STATES: usize = 8;
    const DEPTH: u32 = 3;

    fn new() -> Self {
        Self {
            began: Instant::now(),
            useful: false,
            states: Self::STATES,
            depth: Self::DEPTH,
        }
    }

    fn prune(&mut self, walk: &Walk<'_, '_>, frontier: &mut Frontier) -> Result<(), GivenUp> {
        let depth = |frontier: &Frontier| {
            let depths = frontier.keys().map(|node| walk.stacks.depth(node.stack));
            depths.max().unwrap_or(0)
        };
        let (states, now) = (frontier.len(), depth(frontier));
        if states >= self.states || now >= self.depth {
            // As long as everything before: the question is asked again only when there is much more to ask about.
            let end = Instant::now() + Duration::from_millis(500).max(self.began.elapsed());
            let mut open: Vec<(Node, TermId)> = frontier
                .iter()
                .map(|(&node, state)| (node, state.guard))
                .filter(|&(_, guard)| guard != TermId::TRUE)
                .collect();
            while !open.is_empty() {
                let guards: Vec<TermId> = open.iter().map(|entry| entry.1).collect();
                let left = end.saturating_duration_since(Instant::now());
                match ask_within(walk, &guards, left) {
                    Ok(Answer::Impossible) => {
                        for (node, _) in open.drain(..) {
                            frontier.remove(&node);
                        }
                    }
                    Ok(Answer::Possible(reached)) => {
                        let mut reached = reached.into_iter();
                        let before = open.len();
                        open.retain(|_| !reached.next().unwrap_or(false));
                        if open.len() == before {
                            break;
                        }
                    }
                    Err(_) => {
                        walk.left()?;
                        break;
                    }
                }
            }
            self.useful = frontier.len() < states;
            self.states = 2 * frontier.len();
            self.depth = depth(frontier) + 1 + depth(frontier) / 4;
        }
        if self.useful {
            // What has grown and shrunk again will be asked about when it grows.
            let (states, now) = (frontier.len(), depth(frontier));
            self.states = self.states.min(2 * states);
            self.depth = self.depth.min(now + 1 + now / 4);
        }
        self.states = self.states.max(Self::STATES);
        self.depth = self.depth.max(Self::DEPTH);
        Ok(())
    }
}

/// Places from which steps start, each once, in the order in which they are found.
#[derive(Default)]
struct Places {
    seen: FxHashSet<Node>,
    order: Vec<Node>,
    done: usize,
}

impl Places {
    fn add(&mut self, node: Node) -> Result<(), GivenUp> {
        if self.seen.insert(node) {
            self.order.push(node);
        }
        if self.order.len() > MOST_PLACES {
            return Err(GivenUp(TOO_MANY_PLACES.to_owned()));
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Node> {
        let next = self.order.get(self.done).copied();
        self.done += usize::from(next.is_some());
        next
    }
}

/// Which part of an induction fails.
enum SafetyFailure {
    BaseFails(Failure),
    StepFails(Failure),
}
use SafetyFailure::{BaseFails, StepFails};

impl From<GivenUp> for SafetyFailure {
    fn from(reason: GivenUp) -> Self {
        BaseFails(reason.into())
    }
}

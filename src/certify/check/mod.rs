//! The check of a proof, on the program as lowered.
//!
//! Of the engines' results only the certificate is used: verification conditions come from the edges of the program as
//! lowered ([`super::walk`]) and go to the solver as text. The simplifier is not trusted either. Its cut points decide
//! where paths are cut, and its facts there are assumed as far as they are found to be inductive; but whatever they are, a
//! confirmed proof holds of the program as lowered:
//!
//! 0. **Targets.** The checks that the certificate does not name become ordinary ends of paths.
//! 1. **Facts.** The simplifier's facts at its cut points are candidates. Those that one step from a state satisfying all
//!    of them can violate are dropped, until the rest is inductive (Houdini).
//! 2. **Batches** of the certificate are checked to be k-inductive relative to the facts and the batches they name.
//! 3. **The property** is checked by k-induction or by following all paths to their ends.
//!
//! A step here leads from an image of a cut point of the simplified program to the next. If a path of the program as
//! lowered passes more of them than in the simplified program, a k that is enough there is too small here. Then the check
//! fails: a proof is lost, but soundness is not affected.
//!
//! * [`facts`], [`induction`], [`unrolling`], [`summaries`], [`boxes`]: the checks, by what is claimed.

mod boxes;
mod facts;
mod induction;
mod summaries;
mod unrolling;
mod unwinding;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::certificate::{Certificate, InvariantLocation, ProofStep};
use super::lowered::Lowered;
use super::lowered::call_strings::{CallStrings, Node};
use super::lowered::places::{Cuts, Facts, Meaning, is_in_scope};
use super::opinion::{Opinion, Second};
use super::queries::solvers::Solvers;
use super::walk::{Deadline, GivenUp, Recursion, Walk};
use crate::verification_conditions::{Destination, Recorder, Written};
use regatta_base::workers::Workers;
use regatta_program::{LocationId, Program, Simplified, TargetSet, Targets};
use regatta_term::{Arena, TermId, take_recorded_shared_terms};

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Check {
    /// The proof holds of the program as lowered.
    Confirmed,
    /// The proof is wrong, whatever the simplifier did: an internal error of the engine.
    Refuted {
        /// The wrong step, if a single one is.
        step: Option<usize>,
        /// The reason, for the user.
        reason: String,
    },
    /// Not decided, with the reason.
    Undecided(String),
}

/// Reason for giving up a check that reaches more than [`MAXIMUM_PLACES`] cut points.
const TOO_MANY_PLACES: &str = "too many places";

/// Maximum number of cut points that a check may reach; beyond it the check is given up.
const MAXIMUM_PLACES: usize = 20_000;

/// Resources of a check.
#[derive(Clone)]
pub struct Budget<'b> {
    /// Wall time; the check may take slightly more.
    pub time: Duration,
    /// Cancels the check when it becomes true.
    pub cancelled: Option<&'b AtomicBool>,
    /// Threads that ask parts of the questions.
    pub workers: Workers,
}

impl Budget<'_> {
    /// The given time, on one thread.
    pub const fn of(time: Duration) -> Self {
        Self {
            time,
            cancelled: None,
            workers: Workers::none(),
        }
    }
}

/// The numbers of the simplifier's facts that a check has found to hold; see [`super::invariants::facts`].
pub type FactNumbers = Vec<u32>;

/// What a check has found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The result.
    pub check: Check,
    /// The facts of the simplifier that were confirmed.
    pub facts: FactNumbers,
    /// Where the proof is not confirmed, the targets of its certificate that it excludes all the same.
    pub excluded: TargetSet,
}

/// [`check`], also returning what holds besides. If the certificate names its targets, it may be confirmed for some of them.
pub fn check_with_facts(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
    budget: Budget<'_>,
) -> Checked {
    let Some(restricted) = restricted(lowered, certificate) else {
        return Checked {
            check: unknown_target(),
            facts: FactNumbers::new(),
            excluded: TargetSet::default(),
        };
    };
    let mut checker = Checker::new(&restricted, simplified, budget);
    checker.is_partial = matches!(certificate.targets, Targets::Only(_));
    let check = checker.outcome(certificate);
    let excluded = std::mem::take(&mut checker.excluded);
    Checked {
        facts: checker.facts.confirmed_numbers(),
        excluded: match check {
            Check::Undecided(_) => lowered.targets_at(&excluded),
            Check::Confirmed | Check::Refuted { .. } => TargetSet::default(),
        },
        check,
    }
}

/// Checks a proof.
pub fn check(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
    budget: Budget<'_>,
) -> Check {
    match restricted(lowered, certificate) {
        Some(restricted) => Checker::new(&restricted, simplified, budget).outcome(certificate),
        None => unknown_target(),
    }
}

/// [`check`], and a second opinion on everything that the answer rests on, including the simplifications of shared terms
/// recorded so far. If the opinion has an objection, the answer must not be used.
pub fn check_thoroughly(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
    budget: Budget<'_>,
) -> (Check, Opinion) {
    let mut second = Second::new();
    let lowering = take_recorded_shared_terms();
    let Some(restricted) = restricted(lowered, certificate) else {
        return (unknown_target(), second.opinion);
    };
    let mut checker = Checker::new(&restricted, simplified, budget);
    let agreed = second.simplifications(&Arena::new(), lowering, checker.deadline.end);
    checker.solver.borrow_mut().second = Some(second);
    let result = match agreed {
        true => checker.outcome(certificate),
        false => Check::Undecided("a simplification of the program as lowered is wrong".to_owned()),
    };
    let second = checker.solver.into_inner().second;
    let opinion = second.map_or_else(Opinion::default, |second| second.opinion);
    (result, opinion)
}

/// [`check`], writing the verification conditions to files. They are valid only if the proof is confirmed.
pub fn check_and_record(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
    budget: Budget<'_>,
    destination: &Destination,
) -> (Check, Result<Written, String>) {
    let Some(restricted) = restricted(lowered, certificate) else {
        return (unknown_target(), Ok(Written::default()));
    };
    let mut checker = Checker::new(&restricted, simplified, budget);
    checker.solver.borrow_mut().recorder = Some(Recorder::new(destination));
    let result = checker.outcome(certificate);
    let recorder = checker.solver.into_inner().recorder;
    let written = recorder.map_or_else(|| Ok(Written::default()), Recorder::finish);
    (result, written)
}

/// Returns the program in which only the certificate's targets are errors; `None` if it names one that there is not. The
/// proof is checked on that program, so it excludes these targets and no others, and assumes nothing of the others.
fn restricted<'p>(program: &'p Program, certificate: &Certificate) -> Option<Cow<'p, Program>> {
    match &certificate.targets {
        Targets::All => Some(Cow::Borrowed(program)),
        Targets::Only(targets) => program.restricted_to(targets).map(Cow::Owned),
    }
}

fn unknown_target() -> Check {
    Check::Undecided("the proof is about a target that the program does not have".to_owned())
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

/// Whether a counterexample to a proof is real.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Precision {
    /// It is a run of the program as lowered, or of what an engine assumes of it.
    Exact,
    /// It may be spurious: the walk has over-approximated something that the engine may know.
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
    stacks: CallStrings,
    /// The images of the cut points that the engines see.
    cuts: Cuts,
    facts: Facts<'a>,
    /// Whether the facts have been checked.
    has_facts: bool,
    /// Whether some fact was dropped.
    dropped: bool,
    deadline: Deadline<'a>,
    /// The step of the proof that is being checked.
    step: Option<usize>,
    /// Whether it is of use to confirm the proof for some targets only.
    is_partial: bool,
    /// The error locations that are excluded where the proof is not confirmed for all.
    excluded: BTreeSet<LocationId>,
    /// Answers the questions.
    solver: RefCell<Solvers>,
    /// Threads for parts of the proof that need no solver.
    workers: Workers,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, simplified: &'a Simplified, budget: Budget<'a>) -> Self {
        let deadline = Deadline {
            end: Instant::now() + budget.time,
            cancelled: budget.cancelled,
        };
        let lowered = Lowered::new(program);
        Self {
            meaning: Meaning::new(simplified, program),
            stacks: CallStrings::new(&lowered),
            cuts: Cuts::of_simplified(simplified, program),
            facts: Facts::default(),
            has_facts: false,
            dropped: false,
            deadline,
            step: None,
            is_partial: false,
            excluded: BTreeSet::new(),
            solver: RefCell::new(Solvers::new(budget.workers.clone())),
            workers: budget.workers,
            simplified,
            lowered,
        }
    }

    fn outcome(&mut self, certificate: &Certificate) -> Check {
        let result = self.run(certificate);
        let step = self.step;
        let located = |reason: String| match step {
            Some(step) => format!("step {step}: {reason}"),
            None => reason,
        };
        match result {
            Ok(()) => Check::Confirmed,
            Err(Failure::Wrong(reason)) => Check::Refuted {
                step,
                reason: located(reason),
            },
            Err(Failure::Unclear(reason)) => Check::Undecided(located(reason)),
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
        // Only the steps that the last step relies on are checked.
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
                | ProofStep::Unwinding { .. }
                | ProofStep::Summaries { .. }
                | ProofStep::Boxes { .. }
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
            self.step = Some(index);
            let is_recorded = self.solver.borrow().recorder.is_some();
            let is_walked = matches!(
                step,
                ProofStep::Unrolling { .. } | ProofStep::Unwinding { .. } | ProofStep::Boxes { .. }
            );
            if is_recorded && !is_walked {
                // Before the step, so that they are recorded in a part of their own.
                self.confirm_facts()?;
            }
            self.section(|| format!("Step {index} of the proof: {}", describe(step)));
            match step {
                ProofStep::Inductive { k, relies_on, .. } => {
                    let relied = relied(relies_on);
                    self.inductive(&batches[&index], (*k).max(1), relied)
                }
                ProofStep::Safety { k, relies_on } => {
                    let k = (*k).max(1);
                    self.safety(k, &relied(relies_on))
                }
                ProofStep::Unrolling { bound } => self.unrolling(*bound),
                ProofStep::Unwinding { rounds, merge } => self.unwinding(rounds, *merge),
                ProofStep::Summaries { batch } => self.summaries(batch),
                ProofStep::Boxes { covering } => self.boxes(covering),
                ProofStep::Simplified => self.simplified(),
            }?;
        }
        Ok(())
    }

    /// Notes that the last step excludes all error locations but these. If something that is not modelled is among them, it may have
    /// any effect, and nothing is excluded.
    ///
    /// Each target is judged by itself: a path ends at the first target that it reaches, and what the step relies on holds whether
    /// targets are excluded or not.
    fn exclude_all_but(&mut self, open: &BTreeSet<LocationId>) {
        let errors = &self.lowered.program.errors;
        if open.iter().all(|at| self.lowered.is_error[at.index()]) {
            let excluded = errors.iter().filter(|at| !open.contains(at));
            self.excluded.extend(excluded);
        }
    }

    /// Begins a part of the proof in the record.
    fn section(&self, text: impl FnOnce() -> String) {
        if let Some(recorder) = &mut self.solver.borrow_mut().recorder {
            recorder.section(text());
        }
    }

    /// Returns a mark of the record, for [`Self::forget`].
    fn mark(&self) -> usize {
        let solvers = self.solver.borrow();
        solvers.recorder.as_ref().map_or(0, Recorder::mark)
    }

    /// Removes everything recorded since the mark.
    fn forget(&self, mark: usize) {
        if let Some(recorder) = &mut self.solver.borrow_mut().recorder {
            recorder.forget(mark);
        }
    }

    /// Translates a batch to the program as lowered; its locations become cut points.
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

    /// The precision of a counterexample found by a walk.
    fn precision(&self, over_approximated: bool) -> Precision {
        if over_approximated || self.dropped {
            Precision::Approximate
        } else {
            Precision::Exact
        }
    }
}

/// Describes a step of a proof for the record.
fn describe(step: &ProofStep) -> String {
    match step {
        ProofStep::Inductive {
            batch,
            k,
            relies_on,
        } => format!(
            "a batch of {} formulas is {k}-inductive, relative to the facts and the steps {relies_on:?}",
            batch.len()
        ),
        ProofStep::Safety { k, relies_on } => format!(
            "the property is {k}-inductive, relative to the facts and the steps {relies_on:?}"
        ),
        ProofStep::Unrolling { bound } => format!("all paths end within {bound} steps"),
        ProofStep::Unwinding { rounds, .. } => {
            let most = rounds.iter().map(|one| one.1).max().unwrap_or(0);
            format!("all paths end, with at most {most} open rounds of a loop")
        }
        ProofStep::Summaries { batch } => format!(
            "{} formulas are a solution of the program's Horn clauses, with summaries of recursive functions",
            batch.len()
        ),
        ProofStep::Boxes { covering } => format!(
            "no run from {} boxes of inputs reaches an error",
            covering.nodes.len().div_ceil(2)
        ),
        ProofStep::Simplified => "the facts exclude the property's violation".to_owned(),
    }
}

/// Cut points from which steps start, each once, in the order in which they are found.
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
        if self.order.len() > MAXIMUM_PLACES {
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

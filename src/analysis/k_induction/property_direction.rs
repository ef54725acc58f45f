//! Property direction (paper 003, section 3, Algorithm 1, lines 10 to 23 and 30): failed inductions say which invariants
//! would help.
//!
//! A counterexample to induction is lifted to a set of states ([`lift`](super::lift)); that none of them is reached is a
//! proof obligation, a clause. Obligations are proved by k-induction and strengthened; those that are not leave
//! counterexamples of their own.
//!
//! Departure: obligations are tried at a k of their own, which stays small; what they need beyond it becomes obligations
//! again. Beyond the paper: before an obligation is tried alone, the largest inductive subset of all open obligations and of
//! what implies them is taken; a counterexample is only learned from if it satisfies the other open obligations; and obligations of
//! which none can be proved alone are tried together.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::k_inductive::{Attempt, KInduction};
use super::lift::{Cube, Lifter};
use super::parts::Parts;
use crate::analysis::invariants::houdini::Houdini;
use crate::analysis::invariants::samples::Samples;
use crate::analysis::invariants::{Candidate, Proved};
use crate::analysis::unrolling::base_case::BaseCases;
use crate::analysis::unrolling::schedule::{Schedule, Share};
use crate::analysis::unrolling::step_case::StepCase;
use crate::analysis::unrolling::{Start, Unrolling};
use crate::analysis::{Context, SolverFactory};
use crate::program::InlinedLocation;
use crate::program::block::Blocks;
use crate::solver::{CheckLimit, SolverError};
use crate::term::{Build, Op, Pool, Sort, TermId, TermKind, store};

/// What property direction may take.
const SHARE: Share = Share {
    of_time: 0.5,
    at_least: Duration::from_millis(100),
};

/// Wall time of a query about an obligation, at most.
const QUERY: Duration = Duration::from_millis(500);

/// An obligation that could not be decided so often is dropped.
const MOST_FAILURES: u32 = 3;

/// Of clauses with more literals, only single ones are tried for themselves.
const PAIRS_UP_TO: usize = 4;

/// That certain states, from which a target is reached, are not.
#[derive(Clone, Debug)]
struct Obligation {
    clause: Clause,
    /// Steps from one of the states to the target.
    distance: u32,
    failures: u32,
}

/// A disjunction of literals at a cut point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Clause {
    candidate: Candidate,
    literals: Vec<TermId>,
}

impl Clause {
    fn new(at: InlinedLocation, literals: Vec<TermId>) -> Self {
        let formula = store().or(literals.iter().copied());
        Self {
            candidate: Candidate { at, formula },
            literals,
        }
    }

    fn excluding(cube: Cube) -> Self {
        let literals = cube.literals.into_iter();
        Self::new(
            cube.at,
            literals.map(|literal| store().not(literal)).collect(),
        )
    }

    fn without(&self, index: usize) -> Self {
        let mut literals = self.literals.clone();
        literals.remove(index);
        Self::new(self.candidate.at, literals)
    }

    fn implies(&self, other: &Self) -> bool {
        self.candidate.at == other.candidate.at
            && self
                .literals
                .iter()
                .all(|literal| other.literals.contains(literal))
    }

    /// Clauses of one literal or one that implies it, and of two if there are not many.
    fn parts(&self) -> Vec<Self> {
        let at = self.candidate.at;
        let literals = &self.literals;
        let stronger = literals.iter().flat_map(|&one| stronger(one));
        let single = literals.iter().copied().chain(stronger);
        let mut parts: Vec<Self> = single.map(|one| Self::new(at, vec![one])).collect();
        if (3..=PAIRS_UP_TO).contains(&literals.len()) {
            for (index, &one) in literals.iter().enumerate() {
                let others = literals[index + 1..].iter();
                parts.extend(others.map(|&other| Self::new(at, vec![one, other])));
            }
        }
        parts
    }
}

/// For a literal that says that a term is not a certain number: that it is less, greater, or another number modulo 2, 4
/// or 8.
fn stronger(literal: TermId) -> Vec<TermId> {
    let pool = store();
    let Some((term, number)) = differs_from_constant(literal) else {
        return Vec::new();
    };
    let all = match pool.sort(term) {
        Sort::BitVec(width) if width > 1 => {
            let mut all = vec![
                pool.ult(term, number),
                pool.ugt(term, number),
                pool.slt(term, number),
                pool.sgt(term, number),
            ];
            let low = |term, bit| pool.extract(term, bit, 0);
            let bits = 0..(width - 1).min(3);
            all.extend(bits.map(|bit| pool.ne(low(term, bit), low(number, bit))));
            all
        }
        Sort::Int => {
            let mut all = vec![pool.int_lt(term, number), pool.int_gt(term, number)];
            let rest = |term, modulus| pool.int_mod(term, pool.int(modulus));
            let moduli = [2, 4, 8].into_iter();
            all.extend(moduli.map(|modulus| pool.ne(rest(term, modulus), rest(number, modulus))));
            all
        }
        _ => Vec::new(),
    };
    let not_trivial = |term: &TermId| !matches!(*term, TermId::TRUE | TermId::FALSE);
    all.into_iter().filter(not_trivial).collect()
}

/// The term and the constant, if the literal says that they differ.
fn differs_from_constant(literal: TermId) -> Option<(TermId, TermId)> {
    let TermKind::Apply {
        op: Op::Not,
        arguments: &[equation],
    } = store().kind(literal)
    else {
        return None;
    };
    let TermKind::Apply {
        op: Op::Eq,
        arguments: &[one, other],
    } = store().kind(equation)
    else {
        return None;
    };
    let is_constant = |term| store().is_constant(term);
    match (is_constant(one), is_constant(other)) {
        (false, true) => Some((one, other)),
        (true, false) => Some((other, one)),
        _ => None,
    }
}

/// What has come of the obligations at a bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The store has something new.
    Stronger,
    /// A state is reached from which a target is, so many steps from the entry: a reason for bounded model checking to
    /// look there.
    Towards {
        /// Steps between cut points.
        steps: u32,
    },
    /// Neither.
    Nothing,
}

/// The obligations with what works on them.
pub struct PropertyDirection {
    step: StepCase,
    /// The largest k for obligations.
    most_steps: u32,
    lifter: Lifter,
    houdini: Houdini,
    open: Vec<Obligation>,
    most: usize,
    /// Obligations that a reached state violates.
    violated: FxHashSet<Candidate>,
    schedule: Schedule,
    turns: u32,
    parts: Parts,
    /// Obligations so far.
    learned: u64,
}

impl PropertyDirection {
    /// With no obligations yet, never more than `most`, and tried at k up to `most_steps`.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(
        blocks: &Arc<Blocks>,
        most: usize,
        most_steps: u32,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let limit = CheckLimit {
            time: Some(QUERY),
            resource: None,
        };
        let (step, lifting) = (context.solver(solver)?, context.solver(solver)?);
        Ok(Self {
            step: StepCase::new(Unrolling::new(blocks, Start::AnyCutPoint, step)),
            most_steps,
            lifter: Lifter::new(lifting, limit),
            houdini: Houdini::new(blocks, solver()?, context.token, context.workers).impatient(),
            open: Vec::new(),
            most,
            violated: FxHashSet::default(),
            schedule: Schedule::new(SHARE),
            turns: 0,
            parts: Parts::new(),
            learned: 0,
        })
    }

    /// Works on what is open, and on the property's own counterexamples, as long as that finds something and the time
    /// for it lasts. The base case has been unrolled to the bound.
    pub fn direct(
        &mut self,
        bound: u32,
        base: &mut BaseCases,
        context: &mut Context<'_>,
    ) -> Direction {
        let k = bound.min(self.most_steps);
        self.turns += 1;
        if !self.schedule.begin(self.turns) || !self.step.extend(k, context) {
            return Direction::Nothing;
        }
        let mut result = Direction::Nothing;
        loop {
            let learned = self.learned;
            self.learn_from_property(k, context);
            let found = self.work(k, base, context);
            if found != Direction::Nothing {
                result = found;
            }
            let goes_on = self.learned > learned || found == Direction::Stronger;
            if !goes_on || self.schedule.is_over() || context.token.is_cancelled() {
                break;
            }
        }
        self.schedule.end(self.turns);
        result
    }

    /// Line 30: a new obligation, if targets can be reached in k steps from states that satisfy the invariants and the
    /// obligations.
    fn learn_from_property(&mut self, k: u32, context: &Context<'_>) {
        let limit = self.schedule.allowance().min(QUERY);
        let assumed = candidates(&self.open);
        let counterexample = self.step.counterexample(k, &assumed, limit, context);
        if let Some(reached) = counterexample {
            self.learn(reached, k);
        }
    }

    /// Lines 21 and 30: the obligation that the states from which the model leads to the violation are not reached.
    fn learn(&mut self, violation: TermId, distance: u32) {
        if self.open.len() >= self.most {
            return;
        }
        let snapshot = Arc::clone(self.step.snapshot());
        let Some(cube) = self.lifter.lift(self.step.unrolling(), violation, &|at| {
            let all = snapshot.invariants().map(|(_, one)| one);
            all.filter(|one| one.at == at)
                .map(|one| one.formula)
                .collect()
        }) else {
            return;
        };
        let clause = Clause::excluding(cube);
        let known = self.open.iter().any(|one| one.clause.implies(&clause));
        if known || self.violated.contains(&clause.candidate) {
            return;
        }
        self.learned += 1;
        self.parts.has_new = true;
        self.open.push(Obligation {
            clause,
            distance,
            failures: 0,
        });
    }

    fn work(&mut self, k: u32, base: &mut BaseCases, context: &mut Context<'_>) -> Direction {
        let mut stronger = false;
        if !self.open.is_empty()
            && let Some(factor) = self.parts.begin()
        {
            self.houdini.set_impatience(factor);
            stronger = self.inductive_parts(context);
            self.parts.end();
        }
        let mut towards = None;
        let mut next = 0;
        let mut all_follow = true;
        while next < self.open.len() && !context.token.is_cancelled() {
            if self.schedule.is_over() {
                all_follow = false;
                break;
            }
            let limit = self.schedule.allowance().min(QUERY);
            let mut induction = KInduction {
                base,
                step: &mut self.step,
                k,
                limit,
            };
            let clause = self.open[next].clause.clone();
            match induction.prove(&[clause.candidate], context) {
                Attempt::Proved(proved) => {
                    let proved = strengthened(&clause, proved, &mut induction, context);
                    self.open.remove(next);
                    match context.exchange.publish(proved) {
                        Some(_) => stronger = true,
                        // What was refuted once is not learned again.
                        None => _ = self.violated.insert(clause.candidate),
                    }
                    continue;
                }
                Attempt::Violated { steps } => {
                    let gone = self.open.remove(next);
                    self.violated.insert(clause.candidate);
                    let steps = steps + gone.distance;
                    towards = Some(towards.map_or(steps, |before: u32| before.min(steps)));
                    continue;
                }
                Attempt::NotInductive { .. } => {
                    let all = candidates(&self.open);
                    match induction.step_cases(&all, &[clause.candidate], context) {
                        None => {}
                        Some(Attempt::NotInductive { broken }) => {
                            all_follow = false;
                            let distance = self.open[next].distance + k;
                            self.learn(broken, distance);
                        }
                        Some(_) => {
                            all_follow = false;
                            self.open[next].failures += 1;
                        }
                    }
                }
                Attempt::Open => {
                    all_follow = false;
                    self.open[next].failures += 1;
                }
            }
            next += 1;
        }
        if all_follow && self.open.len() > 1 && towards.is_none() {
            stronger |= self.together(k, base, context);
        }
        // What could not be decided here may be inductive with what others offer.
        let given_up = |one: &&Obligation| one.failures >= MOST_FAILURES;
        let given_up: Vec<Candidate> = self
            .open
            .iter()
            .filter(given_up)
            .map(|one| one.clause.candidate)
            .collect();
        context.exchange.offer(given_up);
        self.open.retain(|one| one.failures < MOST_FAILURES);
        match towards {
            Some(steps) => Direction::Towards { steps },
            None if stronger => Direction::Stronger,
            None => Direction::Nothing,
        }
    }

    /// The largest inductive subset of the obligations and of clauses that imply them; says if there is one.
    fn inductive_parts(&mut self, context: &mut Context<'_>) -> bool {
        let mut clauses: Vec<Clause> = Vec::new();
        for one in &self.open {
            clauses.extend(one.clause.parts());
            clauses.push(one.clause.clone());
        }
        let candidates: Vec<Candidate> = clauses.iter().map(|one| one.candidate).collect();
        let proved = self
            .houdini
            .publish(&candidates, &Samples::default(), context, &mut |_| {});
        clauses.retain(|clause| proved.contains(&clause.candidate));
        self.open
            .retain(|one| !clauses.iter().any(|clause| clause.implies(&one.clause)));
        !proved.is_empty()
    }

    /// All that is open at once.
    fn together(&mut self, k: u32, base: &mut BaseCases, context: &mut Context<'_>) -> bool {
        let all = candidates(&self.open);
        let mut induction = KInduction {
            base,
            step: &mut self.step,
            k,
            limit: self.schedule.allowance().min(QUERY),
        };
        let Attempt::Proved(proved) = induction.prove(&all, context) else {
            return false;
        };
        self.open.clear();
        context.exchange.publish(proved).is_some()
    }
}

fn candidates(open: &[Obligation]) -> Vec<Candidate> {
    open.iter().map(|one| one.clause.candidate).collect()
}

/// Line 23, the function `strengthen`: literals are dropped as long as what is left is k-inductive.
fn strengthened(
    clause: &Clause,
    proved: Proved,
    induction: &mut KInduction<'_>,
    context: &Context<'_>,
) -> Proved {
    let mut best = (clause.clone(), proved);
    let mut next = 0;
    while best.0.literals.len() > 1 && next < best.0.literals.len() {
        let candidate = best.0.without(next);
        match induction.prove(&[candidate.candidate], context) {
            Attempt::Proved(proved) => best = (candidate, proved),
            _ => next += 1,
        }
    }
    best.1
}

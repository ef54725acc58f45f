//! Property direction (\[BD19\], section 3, Algorithm 1, lines 10 to 23 and 30): invariants from failed inductions.
//!
//! A counterexample to induction is lifted to a set of states ([`lift`](super::lift)); that none of them is reached is
//! a proof obligation, a clause. Obligations are proved by k-induction and strengthened; failed proofs give more of
//! them.
//!
//! [`Order::Eager`] is the paper's algorithm. Departures with [`Order::Scheduled`]: obligations are tried at a k of
//! their own, which stays small; if a proof needs a greater k, its counterexamples become obligations. Beyond the paper:
//! before an obligation is tried alone, the largest inductive subset of all open obligations and of clauses that imply
//! them is computed; a counterexample becomes an obligation only if it satisfies the other open ones; and obligations of
//! which none can be proved alone are tried together.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::k_inductive::{Attempt, KInduction};
use super::lift::{Cube, Lifter};
use super::parts::Parts;
use super::{Options, Order};
use crate::invariants::houdini::Houdini;
use crate::invariants::samples::Samples;
use crate::unrolling::base_case::BaseCases;
use crate::unrolling::schedule::{Frequency, Schedule, Share};
use crate::unrolling::step_case::StepCase;
use crate::unrolling::{Start, Unrolling};
use crate::{Context, SolverFactory};
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;
use regatta_sharing::{Candidate, Predicate, Proved, ReachedState};
use regatta_solver::{Answer, CheckLimit, SolverError};
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, free_variables, store};

/// The share of the time of property direction.
const PROPERTY_DIRECTION_SHARE: Share = Share {
    of_time: 0.5,
    at_least: Duration::from_millis(100),
};

/// Maximum wall time of a query about an obligation.
const QUERY_LIMIT: Duration = Duration::from_millis(500);

/// Number of steps beyond k up to which a path to a target is searched that continues a run to a reached state.
const REACHED_LOOKAHEAD: u32 = 12;

/// Maximum number of predicates of other engines that are tried with an obligation.
const PREDICATES_PER_OBLIGATION: usize = 6;

/// Maximum number of undecided attempts at an obligation before it is dropped.
const MAXIMUM_FAILURES_PER_OBLIGATION: u32 = 3;

/// Maximum number of literals of a clause whose pairs of literals are tried as clauses.
const MAXIMUM_LITERALS_FOR_PAIRS: usize = 4;

/// A proof obligation: that certain states, from which a target is reached, are unreachable.
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

    /// Returns clauses that imply this one: of one literal, possibly strengthened, and of two if there are few
    /// literals.
    fn parts(&self) -> Vec<Self> {
        let at = self.candidate.at;
        let literals = &self.literals;
        let stronger = literals.iter().flat_map(|&one| stronger(one));
        let single = literals.iter().copied().chain(stronger);
        let mut parts: Vec<Self> = single.map(|one| Self::new(at, vec![one])).collect();
        if (3..=MAXIMUM_LITERALS_FOR_PAIRS).contains(&literals.len()) {
            for (index, &one) in literals.iter().enumerate() {
                let others = literals[index + 1..].iter();
                parts.extend(others.map(|&other| Self::new(at, vec![one, other])));
            }
        }
        parts
    }
}

/// Strengthens a disequality of a term and a constant: the term is less, greater, or different modulo 2, 4 or 8.
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

/// Returns the term and the constant, if the literal is their disequality.
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

/// The result of the work on obligations at a bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The store has new invariants.
    Stronger,
    /// A reached state may lead to a target, which bounded model checking should look for.
    Towards {
        /// The length of that path, in steps between cut points.
        steps: u32,
    },
    /// Neither.
    Nothing,
}

/// The proof obligations, with the means to prove them.
pub struct PropertyDirection {
    step: StepCase,
    /// The largest k at which obligations are tried.
    maximum_steps: u32,
    lifter: Lifter,
    houdini: Houdini,
    open: Vec<Obligation>,
    maximum_open: usize,
    is_joint: bool,
    /// Obligations that a reachable state violates.
    violated: FxHashSet<Candidate>,
    schedule: Schedule,
    turns: u32,
    parts: Parts,
    /// The number of obligations so far.
    learned: u64,
    /// The length of a path to a target from a reached state that violates an obligation, if there was one.
    towards: Option<u32>,
    predicates: PredicatesAtHand,
}

/// Predicates of other engines by cut point.
type PredicatesAtHand = FxHashMap<InlinedLocation, Vec<TermId>>;

impl PropertyDirection {
    /// Starts with no obligations.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(
        blocks: &Arc<Blocks>,
        options: &Options,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let is_eager = options.direction == Order::Eager;
        let limit = CheckLimit {
            time: (!is_eager).then_some(QUERY_LIMIT),
            resource: None,
        };
        let frequency = match options.direction {
            Order::Scheduled => Frequency::WithinShare,
            Order::Eager => Frequency::EveryBound,
        };
        let (step, lifting) = (context.solver(solver)?, context.solver(solver)?);
        Ok(Self {
            step: StepCase::new(Unrolling::new(blocks, Start::AnyCutPoint, step))
                .with_frequency(frequency),
            maximum_steps: options.obligation_bound,
            lifter: Lifter::new(options.lifting, lifting, limit, context),
            houdini: Houdini::new(blocks, solver()?, context.token, context.workers)
                .with_shortest_limits(),
            open: Vec::new(),
            maximum_open: options.obligations as usize,
            is_joint: options.joint_obligations,
            violated: FxHashSet::default(),
            schedule: Schedule::with_frequency(frequency, PROPERTY_DIRECTION_SHARE),
            turns: 0,
            parts: Parts::new(),
            learned: 0,
            towards: None,
            predicates: PredicatesAtHand::default(),
        })
    }

    /// Works on open obligations and on counterexamples to the property's induction, as long as there is progress and
    /// time. The base case must be unrolled to the bound.
    pub fn direct(
        &mut self,
        bound: u32,
        base: &mut BaseCases,
        context: &mut Context<'_>,
    ) -> Direction {
        let k = bound.min(self.maximum_steps);
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

    /// Line 30: adds an obligation, if k steps from states that satisfy invariants and obligations may reach a target.
    fn learn_from_property(&mut self, k: u32, context: &Context<'_>) {
        let limit = self.schedule.allowance().min(QUERY_LIMIT);
        let assumed = candidates(&self.open);
        let counterexample = self.step.counterexample(k, &assumed, limit, context);
        if let Some(reached) = counterexample {
            self.learn(reached, k, context);
        }
    }

    /// Lines 21 and 30: adds the obligation that the states that lead to the violation are unreachable.
    fn learn(&mut self, violation: TermId, distance: u32, context: &Context<'_>) {
        if self.open.len() >= self.maximum_open {
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
        if let Some(steps) = reached(&clause, context) {
            self.violated.insert(clause.candidate);
            let steps = steps.saturating_add(distance);
            self.towards = Some(self.towards.map_or(steps, |before| before.min(steps)));
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

    /// Lines 11 to 23: tries each open obligation once, by k-induction. Those that are proved become invariants; the
    /// counterexamples to the others are the obligations for the next k. Returns the number of steps within which a state
    /// that violates an obligation leads to an error, if there is one.
    pub fn try_each(
        &mut self,
        k: u32,
        base: &mut BaseCases,
        context: &mut Context<'_>,
    ) -> Option<u32> {
        let k = k.min(self.maximum_steps);
        if !self.step.extend(k, context) {
            return None;
        }
        let within = k.saturating_add(REACHED_LOOKAHEAD);
        let mut towards = self.towards.take().filter(|&steps| steps <= within);
        for Obligation {
            clause, distance, ..
        } in std::mem::take(&mut self.open)
        {
            let mut induction = KInduction {
                base,
                step: &mut self.step,
                k,
                limit: self.schedule.allowance(),
            };
            match induction.prove(&[clause.candidate], context) {
                Attempt::Proved(proved) => {
                    let proved = strengthened(&clause, proved, &mut induction, context);
                    context.exchange.publish(proved);
                }
                Attempt::Violated { steps } => {
                    let steps = steps + distance;
                    towards = Some(towards.map_or(steps, |before| before.min(steps)));
                    self.violated.insert(clause.candidate);
                }
                Attempt::NotInductive { broken } => self.learn(broken, distance + k, context),
                Attempt::Open => {}
            }
        }
        towards
    }

    /// Lines 24 to 32: `true` if the step case for the property holds; otherwise its counterexample becomes an obligation.
    pub fn property(&mut self, k: u32, context: &mut Context<'_>) -> bool {
        match self.step.check_property(k, context) {
            Some(Answer::Unsatisfiable) => return true,
            Some(Answer::Satisfiable) => {
                if let Some(reached) = self.step.reached_target() {
                    self.learn(reached, k, context);
                }
            }
            Some(Answer::Unknown(_)) | None => {}
        }
        false
    }

    /// The step case for the property.
    pub fn step(&self) -> &StepCase {
        &self.step
    }

    fn work(&mut self, k: u32, base: &mut BaseCases, context: &mut Context<'_>) -> Direction {
        let mut stronger = false;
        if self.is_joint
            && !self.open.is_empty()
            && let Some(factor) = self.parts.begin()
        {
            self.houdini.scale_shortest_limits(factor);
            stronger = self.inductive_parts(context);
            self.parts.end();
        }
        let within = k.saturating_add(REACHED_LOOKAHEAD);
        let mut towards = self.towards.take().filter(|&steps| steps <= within);
        let mut next = 0;
        let mut all_follow = true;
        while next < self.open.len() && !context.token.is_cancelled() {
            if self.schedule.is_over() {
                all_follow = false;
                break;
            }
            let limit = self.schedule.allowance().min(QUERY_LIMIT);
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
                        // A refuted obligation is not learned again.
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
                            self.learn(broken, distance, context);
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
        if self.is_joint && all_follow && self.open.len() > 1 && towards.is_none() {
            stronger |= self.together(k, base, context);
        }
        // Obligations that were not decided here may be inductive with invariants that other engines offer.
        let given_up = |one: &&Obligation| one.failures >= MAXIMUM_FAILURES_PER_OBLIGATION;
        let given_up: Vec<Candidate> = self
            .open
            .iter()
            .filter(given_up)
            .map(|one| one.clause.candidate)
            .collect();
        context.exchange.offer(given_up);
        self.open
            .retain(|one| one.failures < MAXIMUM_FAILURES_PER_OBLIGATION);
        match towards {
            Some(steps) => Direction::Towards { steps },
            None if stronger => Direction::Stronger,
            None => Direction::Nothing,
        }
    }

    /// Proves the largest inductive subset of obligations and clauses that imply them; `true` if it is not empty.
    fn inductive_parts(&mut self, context: &mut Context<'_>) -> bool {
        let mut clauses: Vec<Clause> = Vec::new();
        for one in &self.open {
            clauses.extend(one.clause.parts());
            clauses.push(one.clause.clone());
        }
        let shared = self.shared_literals(context);
        let candidates = clauses.iter().map(|one| one.candidate);
        let candidates: Vec<Candidate> = candidates.chain(shared.iter().copied()).collect();
        let proved = self
            .houdini
            .publish(&candidates, &Samples::default(), context, &mut |_| {});
        let used = shared.iter().filter(|one| proved.contains(one));
        let used = used.map(|one| Predicate::new(one.at, one.formula));
        context.exchange.use_predicates(used);
        clauses.retain(|clause| proved.contains(&clause.candidate));
        self.open
            .retain(|one| !clauses.iter().any(|clause| clause.implies(&one.clause)));
        !proved.is_empty()
    }

    /// Returns predicates of other engines and their negations as candidates: those that share a variable with an obligation
    /// at their cut point, each once.
    fn shared_literals(&mut self, context: &Context<'_>) -> Vec<Candidate> {
        for predicate in context.exchange.predicates() {
            let here = self.predicates.entry(predicate.at()).or_default();
            here.push(predicate.formula());
        }
        let mut all = Vec::new();
        for one in &self.open {
            let Candidate { at, formula } = one.clause.candidate;
            let Some(known) = self.predicates.get_mut(&at) else {
                continue;
            };
            let own = free_variables(store(), formula);
            let is_related = |predicate: &mut TermId| {
                let variables = free_variables(store(), *predicate);
                variables.iter().any(|variable| own.contains(variable))
            };
            let related: Vec<TermId> = known.extract_if(.., is_related).collect();
            for predicate in related.into_iter().take(PREDICATES_PER_OBLIGATION) {
                all.extend(Candidate::each(at, [predicate, store().not(predicate)]));
            }
        }
        all
    }

    /// Tries to prove all open obligations together.
    fn together(&mut self, k: u32, base: &mut BaseCases, context: &mut Context<'_>) -> bool {
        let all = candidates(&self.open);
        let mut induction = KInduction {
            base,
            step: &mut self.step,
            k,
            limit: self.schedule.allowance().min(QUERY_LIMIT),
        };
        let Attempt::Proved(proved) = induction.prove(&all, context) else {
            return false;
        };
        self.open.clear();
        context.exchange.publish(proved).is_some()
    }
}

/// Returns the number of steps after which a run reaches a state that violates the clause, if there is one.
fn reached(clause: &Clause, context: &Context<'_>) -> Option<u32> {
    let Candidate { at, formula } = clause.candidate;
    if !context.exchange.is_violated(&clause.candidate) {
        return None;
    }
    let violates = |state: &ReachedState| state.satisfies(formula) == Some(false);
    let state = context.exchange.nearest_reached(at, violates);
    state.map(|state| state.steps())
}

fn candidates(open: &[Obligation]) -> Vec<Candidate> {
    open.iter().map(|one| one.clause.candidate).collect()
}

/// Line 23, the function `strengthen`: drops literals as long as the clause stays k-inductive.
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

//! Data-flow invariants, continuously refined: the generator of k-induction with continuously-refined invariants (\[BDW15\];
//! \[BD19\], Algorithm
//! 1 without
//! its property direction).
//!
//! Each round is more precise than those before it, and publishes its invariants at once. There are two kinds of rounds
//! ([`Round`]); both produce candidates, of which the largest inductive subset is proved.
//!
//! * [`fixpoint`]: abstract interpretation. A fixpoint is inductive, so that all its formulas are expected to be
//!   proved; [`relevance`] chooses the variables to track. These rounds go first, for they take milliseconds.
//! * Guesses: each round enlarges the language of candidates ([`guess`]) and drops those that states of concrete runs
//!   refute. This is symbolic abstraction (\[RSY04\]) with templates: the abstraction must
//!   cover the samples and the solver's models. It needs no widening, since each language is finite, except that of
//!   equations, whose solution space grows in dimension at most as many times as there are monomials.
//!
//! The round [`guess::Round::States`] differs, and is not among those that run by default: it enumerates the
//! combinations of values of variables that have few ([`super::invariants::states`]), and may prove the property by
//! itself. [`guess::Round::Fits`], the rounds that follow it ([`guess::Round::CellOrders`],
//! [`guess::Round::CellCases`], [`guess::Round::SortedCells`]) and [`guess::Round::Objects`] do not run by default
//! either; they are quick, for they have few candidates, all about programs with arrays or with objects on the heap.
//! [`guess::Round::Identities`] is quick because it asks no solver: it proves only equations that follow by multiplying
//! out ([`regatta_entailment`]).
//!
//! After each round, the property is tried with all known invariants; as an engine of its own, the analysis ends if
//! that succeeds. Abstraction refinement runs it on path programs ([`super::cegar`]).

mod fixpoint;
mod relevance;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use toml::de::DeValue;

use self::fixpoint::Fixpoints;
pub use self::fixpoint::Refinement;
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::invariants::Candidate;
use super::invariants::guess::{
    self, Degree, Vocabulary, about_any_cell, about_writes, candidates, equations, writes,
};
use super::invariants::houdini::{Houdini, Means, Refutation};
use super::invariants::samples::Watched;
use super::invariants::samples::{PlaceSamples, Samples};
use super::invariants::states::{Precision, States};
use super::invariants::views::View;
use super::unrolling::inner_cut_points;
use super::{Answer, Context, Progress, SolverFactory, simulate};
use regatta_base::options::{OptionValue, alternatives};
use regatta_base::{choice, options};
use regatta_certify::certificate::Certificate;
use regatta_entailment::unknowns::is_hard;
use regatta_program::block::Blocks;
use regatta_program::interpreter::AccessChecks;
use regatta_solver::SolverError;
use regatta_term::{
    Arena, Build, Op, Pool, TermId, TermKind, conjuncts, disjuncts, store, transfer,
};

/// A round of the analysis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Round {
    /// A fixpoint of the value analysis, with a refined precision.
    Fixpoint(Refinement),
    /// Guessed candidates of a language.
    Guess(guess::Round),
}

impl Round {
    /// All rounds, in order.
    pub fn all() -> Vec<Self> {
        let fixpoints = Refinement::ALL.map(Self::Fixpoint);
        let guesses = guess::Round::ALL.map(Self::Guess);
        fixpoints.into_iter().chain(guesses).collect()
    }

    /// The name in events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixpoint(refinement) => refinement.name(),
            Self::Guess(language) => language.name(),
        }
    }
}

impl OptionValue for Round {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        alternatives(&Self::choices())
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let fixpoint = Refinement::read(value).map(Self::Fixpoint);
        fixpoint.or_else(|| guess::Round::read(value).map(Self::Guess))
    }

    fn show(&self) -> String {
        match self {
            Self::Fixpoint(refinement) => refinement.show(),
            Self::Guess(language) => language.show(),
        }
    }

    fn choices() -> Vec<String> {
        [Refinement::choices(), guess::Round::choices()].concat()
    }
}

options! {
    /// Options of the data-flow analysis.
    pub struct Options {
        /// The rounds, in order: first what fixpoints of the value analysis track, then languages of guesses.
        pub rounds: Vec<Round> = Round::all();
        /// Maximum wall time of a fixpoint.
        pub fixpoint: Duration = Duration::from_millis(500);
        /// Maximum wall time of the round "states".
        pub states: Duration = Duration::from_millis(2_000);
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
        /// The programs that it analyses; others are left to other engines.
        pub programs: Programs = Programs::All;
    }
}

/// The programs that the analysis takes on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// All.
    All,
    /// Those in which variables are multiplied, or divided by one another.
    Products,
}
choice!(Programs: "all" = Self::All, "products" = Self::Products);

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "data_flow",
            summary: "Continuously refined data-flow invariants, for itself and for the other analyses.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn unsuitable(&self, subject: &Subject<'_>) -> Option<&'static str> {
        (self.programs == Programs::Products && !has_products(subject.blocks))
            .then_some("the program has no products of variables")
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs the data-flow analysis.
///
/// # Errors
/// When there is no solver.
fn run<'b>(
    blocks: &'b Arc<Blocks>,
    options: &'b Options,
    solver: &'b SolverFactory<'b>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let mut analysis = Analysis {
        blocks,
        options,
        houdini: Houdini::new(blocks, solver()?, context.token, context.workers),
        solver,
        fixpoints: Fixpoints::new(blocks, options.fixpoint),
        guesses: None,
        proof: None,
    };
    let mut tried = None;
    for &round in &options.rounds {
        if context.token.is_cancelled() {
            return Ok(Answer::Unknown("stopped".to_owned()));
        }
        let proved = analysis.round(round, context);
        (context.report)(Progress::Invariants {
            round: round.name(),
            proved,
            total: context.exchange.len(),
        });
        if let Some(certificate) = analysis.proof.take() {
            return Ok(Answer::Safe(certificate));
        }
        // With the same invariants, it would fail again.
        let snapshot = context.exchange.snapshot();
        if tried.replace(snapshot.version()) != Some(snapshot.version())
            && let Some(certificate) = analysis.houdini.safety(&snapshot)
        {
            return Ok(Answer::Safe(certificate));
        }
    }
    let reason = "no round has an invariant that proves the property";
    Ok(Answer::Unknown(reason.to_owned()))
}

struct Analysis<'b> {
    blocks: &'b Arc<Blocks>,
    options: &'b Options,
    houdini: Houdini,
    solver: &'b SolverFactory<'b>,
    fixpoints: Fixpoints<'b>,
    /// The rounds of guesses, from the first one on.
    guesses: Option<Guesses<'b>>,
    /// A proof of the property by a round.
    proof: Option<Certificate>,
}

impl<'b> Analysis<'b> {
    /// Runs a round; returns the number of new invariants.
    fn round(&mut self, round: Round, context: &mut Context<'_>) -> usize {
        let language = match round {
            Round::Fixpoint(refinement) => return self.fixpoint(refinement, context),
            Round::Guess(guess::Round::States) => return self.states(context),
            Round::Guess(
                guess::Round::Fits
                | guess::Round::CellOrders
                | guess::Round::CellCases
                | guess::Round::SortedCells,
            ) if View::all(self.blocks).is_empty() => {
                return 0;
            }
            Round::Guess(guess::Round::Objects) => return self.objects(context),
            Round::Guess(language) => language,
        };
        let (blocks, options) = (self.blocks, self.options);
        let guesses = self.guesses.get_or_insert_with(|| Guesses {
            blocks,
            vocabulary: Vocabulary::of(blocks.inlined().program()),
            samples: samples(blocks, options, context),
            proposed: Vec::new(),
        });
        self.houdini.set_means(match language {
            guess::Round::Identities => Means::Algebra,
            _ => Means::All,
        });
        let new = guesses.round(language, &mut self.houdini, context);
        self.houdini.set_means(Means::All);
        new
    }

    /// Proves candidates about objects on the heap; returns the number of new invariants.
    fn objects(&mut self, context: &mut Context<'_>) -> usize {
        let mut new = 0;
        let mut open: Vec<Candidate> = Vec::new();
        for mut stage in guess::objects::candidates(self.blocks, &safe_states(self.blocks)) {
            open.append(&mut stage);
            let known = context.exchange.snapshot().candidates();
            open.retain(|one| !known.contains(one));
            let proved = self
                .houdini
                .publish(&open, &Samples::default(), context, &mut |_| {});
            new += proved.len();
        }
        new
    }

    /// Proves the set of combinations of values, also at joins of paths; returns the number of new invariants.
    fn states(&mut self, context: &Context<'_>) -> usize {
        let Ok(mut solver) = context.solver(self.solver) else {
            return 0;
        };
        let inlined = self.blocks.inlined();
        let fine = Arc::new(Blocks::new(Arc::new(inlined.with_joins())));
        let samples = samples(&fine, self.options, context);
        let conditions = Vocabulary::of(inlined.program());
        // If a lower precision is enough, a higher one only adds tuples.
        let explored = Precision::all().find_map(|precision| {
            let share = match precision {
                Precision::Chosen(1..) => 10,
                _ => 1,
            };
            let states = States::new(
                &fine,
                &mut *solver,
                context.token,
                &samples,
                (&conditions, precision),
                self.options.states / share,
            );
            states?.explore(context.safe_point)
        });
        let Some(explored) = explored else {
            return 0;
        };
        let (batch, certificate) = explored.proved(context.exchange.publisher(), self.blocks);
        self.proof = certificate;
        let new = batch.as_ref().map_or(0, |batch| batch.invariants().len());
        batch.and_then(|batch| context.exchange.publish(batch));
        new
    }

    fn fixpoint(&mut self, refinement: Refinement, context: &mut Context<'_>) -> usize {
        let Some(mut candidates) = self.fixpoints.refine(refinement, context) else {
            return 0;
        };
        let known = context.exchange.snapshot().candidates();
        candidates.retain(|one| !known.contains(one));
        // Easy candidates are published first, whether or not hard ones can be proved.
        let is_disjunction = |one: &Candidate| {
            let kind = store().kind(one.formula);
            matches!(kind, TermKind::Apply { op: Op::Or, .. })
        };
        let (hard, easy): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_disjunction);
        let mut new = 0;
        for candidates in [easy, hard] {
            let proved =
                self.houdini
                    .publish(&candidates, &Samples::default(), context, &mut |_| {});
            new += proved.len();
        }
        new
    }
}

/// Returns, for each block to a target that depends on no input, the candidate that its guard is false.
fn safe_states(blocks: &Blocks) -> Vec<Candidate> {
    let mut all = Vec::new();
    for at in inner_cut_points(blocks) {
        for block in blocks.from(at).iter() {
            if blocks.is_target(block) && block.inputs.is_empty() {
                let formula = store().not(block.guard);
                all.push(Candidate { at, formula });
                all.extend(Candidate::each(at, negated_cases(block.guard)));
            }
        }
    }
    all
}

/// Splits a guard at its first disjunction, and returns the negation of each case. A guard combines several assertions,
/// whose proofs need different invariants.
fn negated_cases(guard: TermId) -> Vec<TermId> {
    let parts = conjuncts(store(), guard);
    let cases = parts.iter().enumerate().find_map(|(number, &part)| {
        let cases = disjuncts(store(), part);
        (2..=MAXIMUM_CASES)
            .contains(&cases.len())
            .then_some((number, cases))
    });
    let Some((number, cases)) = cases else {
        return Vec::new();
    };
    let denied = cases.into_iter().map(|case| {
        let mut parts = parts.clone();
        parts[number] = case;
        store().not(store().and(parts))
    });
    denied.collect()
}

/// Maximum number of cases into which a guard is split.
const MAXIMUM_CASES: usize = 16;

/// Checks whether a block has a product or a quotient of terms that are not constant.
fn has_products(blocks: &Blocks) -> bool {
    let arena = std::rc::Rc::new(Arena::new());
    blocks.cut_points().into_iter().any(|at| {
        blocks.from(at).iter().any(|block| {
            let updates = block.updates.iter().map(|&(_, value)| value);
            let terms = updates.chain([block.guard]);
            let terms: Vec<TermId> = terms.map(|term| transfer(store(), &*arena, term)).collect();
            is_hard(&arena, &terms)
        })
    })
}

/// The rounds of guesses.
struct Guesses<'b> {
    blocks: &'b Arc<Blocks>,
    vocabulary: Vocabulary,
    samples: Samples,
    /// Candidates of the rounds so far that were not proved.
    proposed: Vec<Candidate>,
}

/// Returns sampled states at all cut points; for those that simulation has not reached, the variables without states.
fn samples(blocks: &Blocks, options: &Options, context: &Context<'_>) -> Samples {
    let simulation = simulate::Options {
        time: options.simulation,
        patience: Some(simulate::PATIENCE),
        accesses: AccessChecks::SingleObjects,
        ..simulate::Options::default()
    };
    let control = simulate::Control {
        workers: context.workers,
        ..simulate::Control::new(context.token)
    };
    let mut samples = Samples::of_simulation(blocks, &simulation, control);
    let watched = Watched::of(blocks);
    for at in inner_cut_points(blocks) {
        let program = blocks.inlined().program();
        let place = samples.places.entry(at);
        place.or_insert_with(|| PlaceSamples::of(program, &blocks.state(at), &watched));
    }
    samples
}

impl Guesses<'_> {
    /// Proves candidates of the round and those left of earlier rounds; returns the number of new invariants.
    fn round(
        &mut self,
        round: guess::Round,
        houdini: &mut Houdini,
        context: &mut Context<'_>,
    ) -> usize {
        let mut fresh = self.guesses(round);
        let mut new = 0;
        let mut hulls = Samples::default();
        // Each pass replaces equations that models refute by weaker ones.
        for _ in 0..MAXIMUM_WEAKENINGS {
            context.safe_point();
            let known = context.exchange.snapshot().candidates();
            self.proposed.append(&mut fresh);
            self.proposed.retain(|one| !known.contains(one));
            self.proposed
                .sort_unstable_by_key(|one| (one.at, one.formula));
            self.proposed.dedup();
            let mut refutations = Vec::new();
            let proved =
                houdini.publish(&self.proposed, &self.samples, context, &mut |refutation| {
                    refutations.push(refutation)
                });
            new += proved.len();
            fresh = self.weaker(round, refutations, &mut hulls);
            if fresh.is_empty() || context.token.is_cancelled() {
                break;
            }
        }
        new
    }

    fn guesses(&self, round: guess::Round) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (&at, place) in &self.samples.places {
            let formulas = match place.rows.is_empty() {
                true if round == guess::Round::Identities => Vec::new(),
                true => vec![TermId::FALSE],
                false => candidates(round, place, &self.vocabulary),
            };
            all.extend(Candidate::each(at, formulas));
        }
        match round {
            guess::Round::Values => all.extend(safe_states(self.blocks)),
            guess::Round::Fits => {
                let demanded = safe_states(self.blocks).into_iter().map(|one| one.formula);
                let facts: Vec<_> = demanded.flat_map(writes::for_each_variable).collect();
                for (&at, place) in &self.samples.places {
                    let formulas = about_writes(place, &self.vocabulary, &facts);
                    all.extend(Candidate::each(at, formulas));
                }
            }
            guess::Round::Writes => {
                let demanded = safe_states(self.blocks).into_iter().map(|one| one.formula);
                let demanded = demanded.flat_map(writes::for_each_variable);
                let facts: Vec<_> = writes::facts(self.blocks)
                    .into_iter()
                    .chain(demanded)
                    .collect();
                for (&at, place) in &self.samples.places {
                    let formulas = about_writes(place, &self.vocabulary, &facts);
                    all.extend(Candidate::each(at, formulas));
                }
            }
            guess::Round::Arrays => {
                let demanded = safe_states(self.blocks).into_iter().map(|one| one.formula);
                let conditions = demanded.chain(self.vocabulary.about_cells());
                let mut conditions: Vec<TermId> = conditions.collect();
                conditions.sort_unstable();
                conditions.dedup();
                for (&at, place) in &self.samples.places {
                    let formulas = about_any_cell(place, &self.vocabulary, &conditions);
                    all.extend(Candidate::each(at, formulas));
                }
            }
            _ => {}
        }
        all
    }

    /// Returns new candidates that the refutations of old ones suggest. `hulls` are the samples together with the
    /// models' states, which need not be reachable: they serve to weaken equations, not to guess.
    fn weaker(
        &mut self,
        round: guess::Round,
        refutations: Vec<Refutation>,
        hulls: &mut Samples,
    ) -> Vec<Candidate> {
        let degree = match round {
            guess::Round::Linear => Some(Degree::LINEAR),
            guess::Round::Quadratic | guess::Round::Polynomial => Some(Degree(2)),
            _ => None,
        };
        let mut fresh = Vec::new();
        for Refutation { at, row } in refutations {
            let (Some(place), Some(row)) = (self.samples.places.get_mut(&at), row) else {
                continue;
            };
            let mut add = |formulas: Vec<TermId>| {
                fresh.extend(Candidate::each(at, formulas));
            };
            if place.rows.is_empty() {
                // Simulation has not reached this location: such a state is better than none.
                place.add(row);
                add(candidates(round, place, &self.vocabulary));
            } else if let Some(degree) = degree {
                let hull = hulls.places.entry(at).or_insert_with(|| place.clone());
                if hull.add(row) {
                    add(equations(hull, degree));
                }
            }
        }
        fresh.retain(|one| !self.proposed.contains(one));
        fresh
    }
}

/// Maximum number of times that a round starts again with weaker equations.
const MAXIMUM_WEAKENINGS: u32 = 12;

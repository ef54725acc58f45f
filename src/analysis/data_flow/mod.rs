//! Data-flow invariants, continuously refined: the generator of k-induction with continuously-refined invariants (Beyer,
//! Dangl and Wendler, Boosting k-Induction with Continuously-Refined Invariants, CAV 2015; paper 003, Algorithm 1 without
//! its property direction).
//!
//! Each round is more precise than those before, and publishes what it has proved at once. There are two kinds of rounds
//! ([`Round`]), and what both come up with are candidates of which the largest inductive subset is proved.
//!
//! * [`fixpoint`]: abstract interpretation. A fixpoint is inductive, so that all that it says is expected to be proved;
//!   [`relevance`] says what to track. These rounds go first, for they take milliseconds.
//! * Guesses: each round enlarges the language of candidates ([`guess`]) and drops those that states of concrete runs
//!   refute. That is symbolic abstraction (Reps, Sagiv and Yorsh, VMCAI 2004) with templates: samples and the solver's
//!   models are what the abstraction must cover, and there is no widening, since each language is finite; equations,
//!   whose language is not, grow in dimension at most as many times as there are monomials.
//!
//! The round [`guess::Round::States`] is of another kind, and not among those that are run by default: it enumerates the
//! combinations of values of what has few ([`super::invariants::states`]), and may prove the property by itself. Nor are
//! [`guess::Round::Fits`], the rounds that follow it ([`guess::Round::CellOrders`], [`guess::Round::CellCases`],
//! [`guess::Round::SortedCells`]) and [`guess::Round::Objects`], which have few candidates, all about programs with arrays or
//! with objects on the heap, and so are quick by themselves. [`guess::Round::Identities`] is quick because it asks no solver:
//! what it tries are equations, and those that multiplying out does not show ([`crate::entailment`]) are left to other rounds.
//!
//! After each round the property is tried with all that is known; as an engine of its own it ends there. Abstraction
//! refinement runs it on path programs ([`super::cegar`]).

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
use super::invariants::Candidate;
use super::invariants::guess::{
    self, Degree, Vocabulary, about_any_cell, about_writes, candidates, equations, writes,
};
use super::invariants::houdini::{Houdini, Means, Refutation};
use super::invariants::samples::Watched;
use super::invariants::samples::{PlaceSamples, Samples};
use super::invariants::states::{Precision, States};
use super::invariants::views::View;
use super::options::{OptionValue, alternatives, choice, options};
use super::unrolling::inner_cut_points;
use super::{Answer, Context, Progress, SolverFactory, simulate};
use crate::certify::certificate::Certificate;
use crate::entailment::unknowns::is_hard;
use crate::program::block::Blocks;
use crate::program::interpreter::AccessChecks;
use crate::solver::SolverError;
use crate::term::{
    Arena, Build, Op, Pool, TermId, TermKind, conjuncts, disjuncts, store, transfer,
};

/// A round.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Round {
    /// A fixpoint of the value analysis, with more tracked than before.
    Fixpoint(Refinement),
    /// Candidates of a language.
    Guess(guess::Round),
}

impl Round {
    /// All of them, in order.
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
        /// Wall time of a fixpoint.
        pub fixpoint: Duration = Duration::from_millis(500);
        /// Wall time of the round "states".
        pub states: Duration = Duration::from_millis(2_000);
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
        /// Which programs it looks at; the others it leaves to other analyses.
        pub programs: Programs = Programs::All;
    }
}

/// Programs that the analysis looks at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// All.
    All,
    /// Those in which variables are multiplied, or divided by one another.
    Products,
}
choice!(Programs: "all" = Self::All, "products" = Self::Products);

/// Runs the data-flow analysis.
///
/// # Errors
/// When there is no solver.
pub fn run<'b>(
    blocks: &'b Arc<Blocks>,
    options: &'b Options,
    solver: &'b SolverFactory<'b>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    if blocks.inlined().calls().has_recursion() {
        let reason = "the data-flow analysis does not handle recursion";
        return Ok(Answer::Unknown(reason.to_owned()));
    }
    if options.programs == Programs::Products && !has_products(blocks) {
        let reason = "the program has no products of variables";
        return Ok(Answer::Unknown(reason.to_owned()));
    }
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
        // What failed with the same invariants fails again.
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
    /// From the first round of guesses on.
    guesses: Option<Guesses<'b>>,
    /// By what a round has found.
    proof: Option<Certificate>,
}

impl<'b> Analysis<'b> {
    /// Proves what it can; says how many invariants are new.
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

    /// Proves what it can about objects on the heap.
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

    /// Proves which combinations of values there are, where paths join as well.
    fn states(&mut self, context: &Context<'_>) -> usize {
        let Ok(mut solver) = context.solver(self.solver) else {
            return 0;
        };
        let inlined = self.blocks.inlined();
        let fine = Arc::new(Blocks::new(Arc::new(inlined.with_joins())));
        let samples = samples(&fine, self.options, context);
        let conditions = Vocabulary::of(inlined.program());
        // Where a lower precision is enough, a higher one only makes for more tuples.
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
        // What is hard to show does not keep the others from being shown.
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

/// For each block to a target that depends on no input: that it is not run.
fn safe_states(blocks: &Blocks) -> Vec<Candidate> {
    let mut all = Vec::new();
    for at in inner_cut_points(blocks) {
        for block in blocks.from(at).iter() {
            if blocks.is_target(block) && block.inputs.is_empty() {
                let formula = store().not(block.guard);
                all.push(Candidate { at, formula });
                all.extend(Candidate::each(at, each_way(block.guard)));
            }
        }
    }
    all
}

/// For a guard with a choice, that none of the ways to satisfy it is open: one formula for each. Several assertions
/// together are one guard, and the reasons why they hold differ.
fn each_way(guard: TermId) -> Vec<TermId> {
    let parts = conjuncts(store(), guard);
    let ways = parts.iter().enumerate().find_map(|(number, &part)| {
        let ways = disjuncts(store(), part);
        (2..=MOST_WAYS)
            .contains(&ways.len())
            .then_some((number, ways))
    });
    let Some((number, ways)) = ways else {
        return Vec::new();
    };
    let denied = ways.into_iter().map(|way| {
        let mut parts = parts.clone();
        parts[number] = way;
        store().not(store().and(parts))
    });
    denied.collect()
}

/// The most ways into which a guard is split.
const MOST_WAYS: usize = 16;

/// Whether a block has a product or a quotient of what is not constant.
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
    /// What the rounds so far have come up with and was not proved.
    proposed: Vec<Candidate>,
}

/// States at all cut points; for those that simulation has not seen, the variables alone.
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
    /// Proves what it can of the round's candidates and of those before; says how many invariants are new.
    fn round(
        &mut self,
        round: guess::Round,
        houdini: &mut Houdini,
        context: &mut Context<'_>,
    ) -> usize {
        let mut fresh = self.guesses(round);
        let mut new = 0;
        let mut hulls = Samples::default();
        // Equations that models refute make room for those that are left of them.
        for _ in 0..ATTEMPTS {
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

    /// New candidates in the light of what has refuted old ones. `hulls` are the samples together with what models have
    /// added to them, which need not be reachable: good for what has to be weaker, not for guesses.
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
                // Simulation has not been here: better such a state than none.
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

/// How often a round starts again with weaker equations.
const ATTEMPTS: u32 = 12;

//! Rounds of candidates, each proved and published before the next: what the engines that generate invariants share
//! ([`crate::data_flow`], [`crate::states`], [`crate::fits`], [`crate::polynomials`], [`crate::objects`]).
//!
//! After each round, the property is tried with all known invariants, and the engine ends if that succeeds.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::guess::{
    Degree, Round, Vocabulary, about_any_cell, about_writes, candidates, equations, terminators,
    writes,
};
use super::houdini::{Houdini, Means, Refutation};
use super::samples::{PlaceSamples, Samples, Watched};
use crate::unrolling::inner_cut_points;
use crate::{Answer, Context, Progress, SolverFactory, simulate};
use regatta_certify::certificate::{Certificate, quantified};
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;
use regatta_program::interpreter::AccessChecks;
use regatta_sharing::{Candidate, Predicate};
use regatta_solver::SolverError;
use regatta_term::{Build, TermId, conjuncts, disjuncts, size, store};

/// Maximum number of times that a round starts again with weaker equations.
const MAXIMUM_WEAKENINGS: u32 = 12;

/// Maximum number of candidates of a cut point that a round gives to other engines as predicates.
const MAXIMUM_PREDICATES_PER_ROUND: usize = 4;

/// Wall time of the simulation by an engine that wants no samples but states that refute candidates.
const SIMULATION_TIME: Duration = Duration::from_millis(60);

/// Maximum number of cases into which a guard is split.
const MAXIMUM_CASES: usize = 16;

/// The rounds of an engine.
pub struct Rounds<'b> {
    blocks: &'b Arc<Blocks>,
    /// Wall time of the simulation whose states refute candidates.
    simulation: Duration,
    houdini: Houdini,
    /// The rounds of guesses, from the first one on.
    guesses: Option<Guesses<'b>>,
    /// A proof of the property by a round.
    proof: Option<Certificate>,
}

impl<'b> Rounds<'b> {
    /// Creates it with the wall time of the simulation whose states refute candidates.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(
        blocks: &'b Arc<Blocks>,
        simulation: Duration,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        Ok(Self {
            blocks,
            simulation,
            houdini: Houdini::new(blocks, solver()?, context.token, context.workers),
            guesses: None,
            proof: None,
        })
    }

    /// Performs the rounds, which have names for events, in order, until the property is proved. `perform` returns the
    /// number of new invariants.
    pub fn run<R>(
        &mut self,
        rounds: impl IntoIterator<Item = (&'static str, R)>,
        context: &mut Context<'_>,
        mut perform: impl FnMut(&mut Self, R, &mut Context<'_>) -> usize,
    ) -> Answer {
        let mut tried = None;
        for (name, round) in rounds {
            if context.token.is_cancelled() {
                return Answer::Unknown("stopped".to_owned());
            }
            let proved = perform(self, round, context);
            (context.report)(Progress::Invariants {
                round: name,
                proved,
                total: context.exchange.len(),
            });
            if let Some(certificate) = self.proof.take() {
                return Answer::Safe(certificate);
            }
            // With the same invariants, it would fail again.
            let snapshot = context.exchange.snapshot();
            if tried.replace(snapshot.version()) != Some(snapshot.version())
                && let Some(certificate) = self.houdini.safety(&snapshot)
            {
                return Answer::Safe(certificate);
            }
        }
        Answer::Unknown("no round has an invariant that proves the property".to_owned())
    }

    /// Ends the rounds with a proof of the property.
    pub fn conclude(&mut self, proof: Certificate) {
        self.proof = Some(proof);
    }

    /// Publishes the largest inductive subset of the candidates; returns the number of new invariants.
    pub fn publish(&mut self, candidates: &[Candidate], context: &Context<'_>) -> usize {
        let none = Samples::default();
        let proved = self
            .houdini
            .publish(candidates, &none, context, &mut |_| {});
        proved.len()
    }

    /// Guesses candidates of the language; returns the number of new invariants.
    pub fn guess(&mut self, language: Round, context: &mut Context<'_>) -> usize {
        let (blocks, simulation) = (self.blocks, self.simulation);
        let guesses = self.guesses.get_or_insert_with(|| Guesses {
            blocks,
            vocabulary: Vocabulary::of(blocks.inlined().program()),
            samples: samples(blocks, simulation, context),
            proposed: Vec::new(),
        });
        self.houdini.set_means(match language {
            Round::Identities => Means::Algebra,
            _ => Means::All,
        });
        let new = guesses.round(language, &mut self.houdini, context);
        self.houdini.set_means(Means::All);
        new
    }
}

/// Returns, for each block to a target that depends on no input, the candidate that its guard is false.
pub fn safe_states(blocks: &Blocks) -> Vec<Candidate> {
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

/// The rounds of guesses.
struct Guesses<'b> {
    blocks: &'b Arc<Blocks>,
    vocabulary: Vocabulary,
    samples: Samples,
    /// Candidates of the rounds so far that were not proved.
    proposed: Vec<Candidate>,
}

/// Finds reached states that refute candidates, unless another engine has done so.
pub fn find_reached_states(blocks: &Blocks, context: &Context<'_>) {
    if context.exchange.lacks_reached_states() {
        samples(blocks, SIMULATION_TIME, context);
    }
}

/// Returns sampled states at all cut points; for those that simulation has not reached, the variables without states.
pub fn samples(blocks: &Blocks, simulation: Duration, context: &Context<'_>) -> Samples {
    let simulation = simulate::Options {
        time: simulation,
        patience: Some(simulate::PATIENCE),
        accesses: AccessChecks::SingleObjects,
        ..simulate::Options::default()
    };
    let control = simulate::Control {
        workers: context.workers,
        ..simulate::Control::new(context.token)
    };
    let mut samples = Samples::of_simulation(blocks, &simulation, control, Some(context.exchange));
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
    fn round(&mut self, round: Round, houdini: &mut Houdini, context: &mut Context<'_>) -> usize {
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
        self.tell_open(context);
        new
    }

    /// Gives the smallest candidates that were not proved, and that no reached state violates, to the others as predicates.
    fn tell_open(&self, context: &Context<'_>) {
        let mut of_place: FxHashMap<InlinedLocation, Vec<(usize, TermId)>> = FxHashMap::default();
        for one in &self.proposed {
            if quantified(one.formula).is_none() {
                let size = size(store(), one.formula);
                let here = of_place.entry(one.at).or_default();
                here.push((size, one.formula));
            }
        }
        for (at, mut formulas) in of_place {
            formulas.sort_unstable();
            let open = formulas.into_iter().map(|(_, formula)| formula);
            let open = open.map(|formula| Predicate::new(at, formula));
            let open = open.take(MAXIMUM_PREDICATES_PER_ROUND);
            context.exchange.tell_predicates(open);
        }
    }

    fn guesses(&self, round: Round) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (&at, place) in &self.samples.places {
            let formulas = match place.rows.is_empty() {
                true if round == Round::Identities => Vec::new(),
                true => vec![TermId::FALSE],
                false => candidates(round, place, &self.vocabulary),
            };
            all.extend(Candidate::each(at, formulas));
        }
        match round {
            Round::Values => all.extend(safe_states(self.blocks)),
            Round::Fits => {
                let demanded = safe_states(self.blocks).into_iter().map(|one| one.formula);
                let facts: Vec<_> = demanded.flat_map(writes::for_each_variable).collect();
                for (&at, place) in &self.samples.places {
                    let formulas = about_writes(place, &self.vocabulary, &facts);
                    all.extend(Candidate::each(at, formulas));
                }
            }
            Round::Terminators => {
                let texts = terminators::Text::all(self.blocks);
                for (&at, place) in &self.samples.places {
                    let formulas = texts.iter().flat_map(|text| text.candidates(place));
                    all.extend(Candidate::each(at, formulas));
                }
            }
            Round::Writes => {
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
            Round::Arrays => {
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
        round: Round,
        refutations: Vec<Refutation>,
        hulls: &mut Samples,
    ) -> Vec<Candidate> {
        let degree = match round {
            Round::Linear => Some(Degree::LINEAR),
            Round::Quadratic | Round::Polynomial => Some(Degree(2)),
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

//! Summaries of recursive functions by guessing, proved by induction over the tree of calls.
//!
//! The interpreter gives pairs of states: those in which a function was entered, each with the one in which that activation
//! ended, or was at a loop. What all pairs have in common is a candidate ([`guess`], the languages that invariants of
//! loops are guessed in); the largest set of candidates that the program's Horn clauses respect is a relation between entry and
//! exit that holds of all activations, with what holds whenever a function is called. This is Houdini over Horn clauses
//! with guesses from data (Garg, Löding, Madhusudan and Neider, ICE, CAV 2014, and Ezudheen et al., Horn-ICE, OOPSLA
//! 2018, learn from examples and counterexamples as well; guesses of a summary as a polynomial: Sharma et al., ESOP
//! 2013).
//!
//! Where [`super::horn`] asks Z3's engine for a solution, which finds those of linear arithmetic, here products, powers of two
//! and remainders come from samples and are proved by [`crate::entailment`].
//!
//! * [`pairs`]: the states, by the predicates of the clauses.
//! * [`inductive`]: which candidates the clauses respect, and whether these prove the property.

mod inductive;
mod pairs;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use self::inductive::{Formulas, Inductive, Refutation};
use self::pairs::Pairs;
use super::horn_clauses::encode::{Contexts, encode, is_within_reach};
use super::horn_clauses::resolve::resolve_calls;
use super::invariants::guess::{self, Vocabulary, candidates};
use super::invariants::houdini::{BRISK, Consecution};
use super::options::options;
use super::{Answer, Context, Progress, SolverFactory, simulate};
use crate::program::block::Blocks;
use crate::program::interpreter::AccessChecks;
use crate::solver::SolverError;
use crate::term::TermId;

options! {
    /// Options of the engine that guesses summaries.
    pub struct Options {
        /// The languages of guesses, in order; of arrays and objects it guesses nothing.
        pub rounds: Vec<guess::Round> = ROUNDS.to_vec();
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
    }
}

/// What is quick comes first.
const ROUNDS: [guess::Round; 10] = [
    guess::Round::Values,
    guess::Round::Pairs,
    guess::Round::Linear,
    guess::Round::Quadratic,
    guess::Round::Moduli,
    guess::Round::Powers,
    guess::Round::Cases,
    guess::Round::Inequalities,
    guess::Round::Polynomial,
    guess::Round::Differences,
];

/// How often a round starts again with what is left of its guesses.
const ATTEMPTS: u32 = 12;

/// Runs the engine.
///
/// # Errors
/// When there is no solver.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let unknown = |reason: &str| Ok(Answer::Unknown(reason.to_owned()));
    if !blocks.inlined().calls().has_recursion() {
        return unknown("the program has no recursion");
    }
    let solver = context.solver(solver)?;
    let mut encoding = encode(blocks, Contexts::Called, Rc::clone(solver.arena()));
    if !is_within_reach(&encoding) {
        return unknown("the clauses are beyond the engine");
    }
    resolve_calls(blocks.inlined(), &mut encoding);
    let simulation = simulate::Options {
        time: options.simulation,
        accesses: AccessChecks::SingleObjects,
        ..simulate::Options::default()
    };
    let control = simulate::Control {
        workers: context.workers,
        ..simulate::Control::new(context.token)
    };
    let consecution = Consecution::new(blocks, solver, context.token, BRISK);
    let mut search = Search {
        pairs: Pairs::of_simulation(blocks, &encoding, &simulation, control),
        vocabulary: Vocabulary::of(blocks.inlined().program()).with_entry(),
        inductive: Inductive::new(&encoding, consecution),
        proposed: vec![Vec::new(); encoding.places.len()],
    };
    for &round in &options.rounds {
        let before = search.inductive.count();
        let solution = search.round(round, context);
        if context.token.is_cancelled() {
            return unknown("stopped");
        }
        let total = search.inductive.count();
        (context.report)(Progress::Invariants {
            round: round.name(),
            proved: total - before,
            total,
        });
        if let Some(formulas) = solution {
            let certificate = encoding.summaries(blocks, &formulas);
            return Ok(Answer::Safe(certificate));
        }
    }
    unknown("no round has a summary that proves the property")
}

/// The rounds of guesses.
struct Search<'e> {
    pairs: Pairs,
    vocabulary: Vocabulary,
    inductive: Inductive<'e>,
    /// What the rounds so far have come up with and was not proved, for each predicate.
    proposed: Formulas,
}

impl Search<'_> {
    /// Proves what it can of the round's candidates and of those before; what is proved of each predicate, if it proves the property.
    fn round(&mut self, round: guess::Round, context: &Context<'_>) -> Option<Vec<TermId>> {
        let guesses = |place: &_| candidates(round, place, &self.vocabulary);
        let places = self.pairs.places.iter();
        let mut fresh: Formulas = places
            .map(|place| match place {
                Some(place) if place.rows.is_empty() => vec![TermId::FALSE],
                Some(place) => guesses(place),
                None => Vec::new(),
            })
            .collect();
        if round == guess::Round::Values {
            for (fresh, demanded) in fresh.iter_mut().zip(self.inductive.demanded()) {
                fresh.extend(demanded);
            }
        }
        let mut hulls = Pairs {
            places: vec![None; self.pairs.places.len()],
        };
        for _ in 0..ATTEMPTS {
            for (proposed, fresh) in self.proposed.iter_mut().zip(&mut fresh) {
                proposed.append(fresh);
                proposed.sort_unstable();
                proposed.dedup();
            }
            let mut refutations = Vec::new();
            let new = self.inductive.prove(
                &mut self.proposed,
                &self.pairs,
                context,
                &mut |refutation| refutations.push(refutation),
            );
            // What needs no invariant needs no proof of one.
            if (new > 0 || self.inductive.count() == 0)
                && let Some(solution) = self.inductive.solution(context)
            {
                return Some(solution);
            }
            fresh = self.weaker(round, refutations, &mut hulls);
            if fresh.iter().all(Vec::is_empty) || context.token.is_cancelled() {
                break;
            }
        }
        None
    }

    /// New candidates in the light of what has refuted old ones. `hulls` are the samples together with what models have
    /// added to them, which need not be reachable: good for what has to be weaker, not for guesses.
    fn weaker(
        &mut self,
        round: guess::Round,
        refutations: Vec<Refutation>,
        hulls: &mut Pairs,
    ) -> Formulas {
        let is_closed_under_sums = matches!(
            round,
            guess::Round::Linear
                | guess::Round::Powers
                | guess::Round::Quadratic
                | guess::Round::Polynomial
        );
        let mut fresh = vec![Vec::new(); self.proposed.len()];
        for Refutation { predicate, row } in refutations {
            let (Some(place), number) = (&mut self.pairs.places[predicate.index()], predicate)
            else {
                continue;
            };
            let number = number.index();
            if place.rows.is_empty() {
                // Simulation has not been here: better such a state than none.
                place.add(row);
                fresh[number] = candidates(round, place, &self.vocabulary);
            } else if is_closed_under_sums {
                let hull = hulls.places[number].get_or_insert_with(|| place.clone());
                if hull.add(row) {
                    fresh[number] = candidates(round, hull, &self.vocabulary);
                }
            }
        }
        for (fresh, proposed) in fresh.iter_mut().zip(&self.proposed) {
            fresh.retain(|one| !proposed.contains(one));
        }
        fresh
    }
}

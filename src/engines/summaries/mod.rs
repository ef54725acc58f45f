//! Guessing of summaries of recursive functions, and their proof by induction over the call tree.
//!
//! The interpreter gives pairs of states: the state at the entry of an activation, and the state at its exit or at one of
//! its loops. Formulas that hold in all pairs are candidates ([`guess`], the same languages as for loop invariants). The
//! largest set of candidates that the program's Horn clauses preserve relates entry and exit of all activations, and
//! contains the conditions that hold at every call. This is Houdini over Horn clauses with guesses from data (ICE \[GLMN14\] and
//! Horn-ICE \[END+18\] learn from examples and counterexamples as well; guesses of a summary as a polynomial: \[SGH+13\]).
//!
//! While [`super::horn`] has Z3's engine find solutions in linear arithmetic, this engine guesses products, powers of two
//! and remainders from samples and proves them by the stages of [`regatta_entailment`].
//!
//! * [`pairs`]: the pairs of states for each predicate of the clauses.
//! * [`inductive`]: the candidates that the clauses preserve, and the check that they prove the property.

mod inductive;
mod limits;
mod pairs;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use self::inductive::{Formulas, Inductive, Refutation};
use self::limits::MAXIMUM_ATTEMPTS_PER_ROUND;
use self::pairs::Pairs;
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::horn_clauses::encode::{Contexts, encode, is_supported};
use super::horn_clauses::resolve::resolve_calls;
use super::invariants::guess::{self, Vocabulary, candidates};
use super::invariants::houdini::{Consecution, SHORT_LIMITS};
use super::unrolling::division;
use super::{Answer, Context, Progress, SolverFactory, simulate};
use regatta_base::options;
use regatta_program::LocationId;
use regatta_program::block::Blocks;
use regatta_program::interpreter::AccessChecks;
use regatta_solver::SolverError;
use regatta_term::TermId;

options! {
    /// Options of the engine that guesses summaries.
    pub struct Options {
        /// The languages of guesses, in order; those about arrays and objects give no guesses.
        pub rounds: Vec<guess::Round> = ROUNDS.to_vec();
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
    }
}

/// The default rounds, the fastest first.
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

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "summaries",
            summary: "Summaries of recursive functions, guessed from executions and proved by induction over calls.",
            has_solver: true,
            recursion: Recursion::Required,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs the engine.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let unknown = |reason: &str| Ok(Answer::Unknown(reason.to_owned()));
    let solver = context.solver(solver)?;
    let mut encoding = encode(blocks, Contexts::Called, Rc::clone(solver.arena()));
    if !is_supported(&encoding) {
        return unknown("the Horn engine does not support the clauses");
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
    let consecution = Consecution::new(blocks, solver, context.token, SHORT_LIMITS);
    let mut search = Search {
        pairs: Pairs::of_simulation(blocks, &encoding, &simulation, control),
        vocabulary: Vocabulary::of(blocks.inlined().program()).with_entry(),
        inductive: Inductive::new(&encoding, consecution),
        proposed: vec![Vec::new(); encoding.places.len()],
        refused: BTreeSet::new(),
    };
    for &round in &options.rounds {
        let before = search.inductive.count();
        let solution = search.round(round, blocks, context);
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
            let certificate = search.inductive.certificate(blocks, &formulas);
            return Ok(Answer::Safe(certificate));
        }
    }
    unknown("no round has a summary that proves the property")
}

/// The state of the search through the rounds.
struct Search<'e> {
    pairs: Pairs,
    vocabulary: Vocabulary,
    inductive: Inductive<'e>,
    /// For each predicate, the candidates of the rounds so far that were not proved.
    proposed: Formulas,
    /// The error locations for which the check of a proof did not pass.
    refused: BTreeSet<LocationId>,
}

impl Search<'_> {
    /// Proves candidates of this round and of earlier ones; returns the solution if the proved ones prove the property.
    fn round(
        &mut self,
        round: guess::Round,
        blocks: &Blocks,
        context: &Context<'_>,
    ) -> Option<Vec<TermId>> {
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
        for _ in 0..MAXIMUM_ATTEMPTS_PER_ROUND {
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
            // Without a proved candidate, the property may still need none.
            if (new > 0 || self.inductive.count() == 0)
                && let Some(solution) = self.solution(blocks, context)
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

    /// Returns the solution if the proved formulas prove the property. If it is decided of each error location by itself, those of
    /// which they prove it are excluded.
    fn solution(&mut self, blocks: &Blocks, context: &Context<'_>) -> Option<Vec<TermId>> {
        let Some(targets) = context.targets else {
            return self.inductive.solution(None, context);
        };
        let open = targets.open();
        let errors = blocks.inlined().program().errors.iter().copied();
        let mut left: BTreeSet<LocationId> = errors.filter(|error| !open.contains(error)).collect();
        left.extend(&self.refused);
        let solution = self.inductive.solution(Some(&mut left), context)?;
        if open.is_disjoint(&left) {
            return Some(solution);
        }
        let proved = open.difference(&left).copied().collect();
        let steps = self.inductive.certificate(blocks, &solution).steps;
        self.refused
            .extend(division::exclude(targets, proved, &steps, context.token));
        None
    }

    /// Returns new candidates that take refutations into account. `hulls` are the samples extended by states of models, which
    /// may be unreachable: these serve to weaken candidates, not to guess new ones.
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
                // Without samples, an unreachable state is better than none.
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

//! Data-flow invariants, continuously refined: the generator of k-induction with continuously-refined invariants (\[BDW15\];
//! \[BD19\], Algorithm 1 without its property direction).
//!
//! Each round is more precise than those before it, and publishes its invariants at once. There are two kinds of rounds
//! ([`Round`]); both produce candidates, of which the largest inductive subset is proved
//! ([`rounds`](super::invariants::rounds)).
//!
//! * `fixpoint`: abstract interpretation. A fixpoint is inductive, so that all its formulas are expected to be
//!   proved; [`relevance`] chooses the variables to track. These rounds go first, for they take milliseconds.
//! * Guesses: each round enlarges the language of candidates ([`guess`]) and drops those that states of concrete runs
//!   refute. This is symbolic abstraction (\[RSY04\]) with templates: the abstraction must
//!   cover the samples and the solver's models. It needs no widening, since each language is finite, except that of
//!   equations, whose solution space grows in dimension at most as many times as there are monomials.
//!
//! Abstraction refinement runs it on path programs ([`super::cegar`]).

mod fixpoint;
mod limits;
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
use super::invariants::guess;
use super::invariants::rounds::Rounds;
use super::{Answer, Context, SolverFactory};
use regatta_base::options;
use regatta_base::options::{OptionValue, alternatives};
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_solver::SolverError;
use regatta_term::{Op, Pool, TermKind, store};

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
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
    }
}

/// What to say of options by which this engine once stood for others.
const STATES: &str =
    "this is an engine of its own: `engine = \"states\"`, with its time limit as `time`";
const OBJECTS: &str = "this is an engine of its own: `engine = \"objects\"`, without `rounds`";
const FITS: &str = "this is an engine of its own: `engine = \"fits\"`";
const POLYNOMIALS: &str =
    "this is an engine of its own: `engine = \"polynomials\"`, without `programs`";

/// Returns what to say of a round that belongs to another engine.
fn moved_round(name: &str) -> Option<&'static str> {
    match name {
        "states" => Some(STATES),
        "objects" => Some(OBJECTS),
        "fits" | "cell_orders" | "cell_cases" | "sorted_cells" => Some(FITS),
        "identities" => Some(POLYNOMIALS),
        _ => None,
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "data_flow",
            summary: "Continuously refined data-flow invariants, for itself and for the other analyses.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn moved(&self, option: &str, value: &DeValue<'_>) -> Option<&'static str> {
        match option {
            "states" => Some(STATES),
            "programs" => Some(POLYNOMIALS),
            "rounds" => {
                let mut rounds = value.as_array()?.iter();
                rounds.find_map(|round| moved_round(round.get_ref().as_str()?))
            }
            _ => None,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs the data-flow analysis.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let mut rounds = Rounds::new(blocks, options.simulation, solver, context)?;
    let mut fixpoints = Fixpoints::new(blocks, options.fixpoint);
    let named = options.rounds.iter().map(|&round| (round.name(), round));
    Ok(
        rounds.run(named, context, |rounds, round, context| match round {
            Round::Fixpoint(refinement) => fixpoint(&mut fixpoints, refinement, rounds, context),
            Round::Guess(language) => rounds.guess(language, context),
        }),
    )
}

/// Proves the formulas of a fixpoint; returns the number of new invariants.
fn fixpoint(
    fixpoints: &mut Fixpoints<'_>,
    refinement: Refinement,
    rounds: &mut Rounds<'_>,
    context: &mut Context<'_>,
) -> usize {
    let Some(mut candidates) = fixpoints.refine(refinement, context) else {
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
        new += rounds.publish(&candidates, context);
    }
    new
}

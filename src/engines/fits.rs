//! Contents of arrays: where strings end, polynomials that fit their cells in ranges, orders of cells, and sorted segments
//! ([`guess`], compare \[CGU21\]).
//!
//! It is quick, for it has few candidates, all about arrays.

use std::sync::Arc;
use std::time::Duration;

use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::invariants::guess::terminators::Text;
use super::invariants::guess::{self, Round};
use super::invariants::rounds::Rounds;
use super::invariants::views::View;
use super::{Answer, Context, SolverFactory};
use regatta_base::options;
use regatta_program::block::Blocks;
use regatta_solver::SolverError;

options! {
    /// Options of the engine that fits polynomials to cells.
    pub struct Options {
        /// The languages of guesses, in order.
        pub rounds: Vec<Language> = Language::ALL.to_vec();
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
    }
}

guess::languages! {
    /// A language of candidates about cells of arrays.
    pub enum Language {
        /// Zeros that end strings.
        Terminators = "terminators",
        /// Polynomials that fit cells in ranges, and variables.
        Fits = "fits",
        /// Orders of cells in ranges where no polynomial fits.
        CellOrders = "cell_orders",
        /// Polynomials that fit cells where a condition holds.
        CellCases = "cell_cases",
        /// Sorted segments, and cells that are in an order with one of their cells.
        SortedCells = "sorted_cells",
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "fits",
            summary: "Ends of strings, polynomials that fit cells of arrays, orders of cells, and sorted segments.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs the engine.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let mut rounds = Rounds::new(blocks, options.simulation, solver, context)?;
    let all = options.rounds.iter().map(|language| language.round());
    let named = all.map(|round| (round.name(), round));
    Ok(rounds.run(named, context, |rounds, language, context| {
        let is_idle = match language {
            Round::Terminators => Text::all(blocks).is_empty(),
            _ => View::all(blocks).is_empty(),
        };
        match is_idle {
            true => 0,
            false => rounds.guess(language, context),
        }
    }))
}

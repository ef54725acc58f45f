//! Polynomial equations between variables ([`guess`]), first those that follow by multiplying out, for which no solver is
//! asked ([`regatta_entailment`]).
//!
//! [`data_flow`](super::data_flow) has polynomials, too, but late; this engine tries them at once where the program
//! multiplies.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::invariants::guess;
use super::invariants::rounds::Rounds;
use super::{Answer, Context, SolverFactory};
use regatta_base::options;
use regatta_entailment::unknowns::is_hard;
use regatta_program::block::Blocks;
use regatta_solver::SolverError;
use regatta_term::{Arena, TermId, store, transfer};

options! {
    /// Options of the engine for polynomial equations.
    pub struct Options {
        /// The languages of guesses, in order.
        pub rounds: Vec<Language> = Language::ALL.to_vec();
        /// Wall time of the simulation whose states refute candidates.
        pub simulation: Duration = Duration::from_millis(100);
    }
}

guess::languages! {
    /// A language of candidates about variables that are multiplied.
    pub enum Language {
        /// Equations of degree two and in the program's conditions that follow by multiplying out, without a solver.
        Identities = "identities",
        /// Constants, ranges, small sets of values, and the program's conditions.
        Values = "values",
        /// Equations of degree two.
        Quadratic = "quadratic",
        /// Equations of degree two and three.
        Polynomial = "polynomial",
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "polynomials",
            summary: "Polynomial equations between variables, in programs that multiply or divide them.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn unsuitable(&self, subject: &Subject<'_>) -> Option<&'static str> {
        (!has_products(subject.blocks)).then_some("the program has no products of variables")
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
    Ok(rounds.run(named, context, Rounds::guess))
}

/// Checks whether a block has a product or a quotient of terms that are not constant.
fn has_products(blocks: &Blocks) -> bool {
    let arena = Rc::new(Arena::new());
    blocks.cut_points().into_iter().any(|at| {
        blocks.from(at).iter().any(|block| {
            let updates = block.updates.iter().map(|&(_, value)| value);
            let terms = updates.chain([block.guard]);
            let terms: Vec<TermId> = terms.map(|term| transfer(store(), &*arena, term)).collect();
            is_hard(&arena, &terms)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Setting, assert_proved};

    #[test]
    fn equations_are_proved_by_multiplying_out() {
        let options = Options {
            rounds: vec![Language::Identities],
            ..Options::default()
        };
        for step in [1, 2] {
            let text = format!(
                "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
                int main(void) {{
                    unsigned y = __VERIFIER_nondet_uint(), x = 0, n = 0;
                    while (__VERIFIER_nondet_uint()) {{
                        unsigned d = __VERIFIER_nondet_uint();
                        if (d > 5) {{ x += d * y; n += d; }}
                        else if (d > 3 && x > n) {{ x += y * y; n += y; }}
                        else {{ x += y; n += {step}; }}
                        if (x != n * y) reach_error();
                    }}
                }}"
            );
            assert_proved(&text, &options, &Setting::default(), step == 1);
        }
    }
}

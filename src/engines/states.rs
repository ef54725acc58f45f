//! Explicit-state model checking of what has few values ([`generator`]): the combinations of values of variables that have
//! few, such as the modes of a program's threads, whatever the values of the others.

use std::sync::Arc;
use std::time::Duration;

use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::invariants::guess::Vocabulary;
use super::invariants::rounds::{Rounds, samples};
use super::invariants::states::{self as generator, Precision};
use super::{Answer, Context, SolverFactory};
use regatta_base::options;
use regatta_base::options::DeValue;
use regatta_program::block::Blocks;
use regatta_solver::SolverError;

options! {
    /// Options of the enumeration of states.
    pub struct Options {
        /// Maximum wall time.
        pub time: Duration = Duration::from_millis(2_000);
        /// Wall time of the simulation whose states tell what has few values.
        pub simulation: Duration = Duration::from_millis(100);
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "states",
            summary: "Explicit-state model checking of the variables that have few values.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn moved(&self, option: &str, _: &DeValue<'_>) -> Option<&'static str> {
        (option == "states").then_some("its name is `time`")
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
    Ok(
        rounds.run([("states", ())], context, |rounds, (), context| {
            explore(blocks, options, solver, rounds, context)
        }),
    )
}

/// Proves the set of combinations of values, also at joins of paths; returns the number of new invariants.
fn explore(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    rounds: &mut Rounds<'_>,
    context: &Context<'_>,
) -> usize {
    let Ok(mut solver) = context.solver(solver) else {
        return 0;
    };
    let inlined = blocks.inlined();
    let fine = Arc::new(Blocks::new(Arc::new(inlined.with_joins())));
    let samples = samples(&fine, options.simulation, context);
    let conditions = Vocabulary::of(inlined.program());
    // If a lower precision is enough, a higher one only adds tuples.
    let explored = Precision::all().find_map(|precision| {
        let share = match precision {
            Precision::Chosen(1..) => 10,
            _ => 1,
        };
        let states = generator::States::new(
            &fine,
            &mut *solver,
            context.token,
            &samples,
            (&conditions, precision),
            options.time / share,
        );
        states?.explore(context.safe_point)
    });
    let Some(explored) = explored else {
        return 0;
    };
    let (batch, certificate) = explored.proved(context.exchange.publisher(), blocks);
    if let Some(certificate) = certificate {
        rounds.conclude(certificate);
    }
    let new = batch.as_ref().map_or(0, |batch| batch.invariants().len());
    batch.and_then(|batch| context.exchange.publish(batch));
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Setting, assert_proved};

    /// Two threads that pass a number back and forth, each while the other sleeps.
    fn hand_over(step: u32) -> String {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
            int number, copy, first_at, second_at, first_sleeps, second_sleeps;
            void second(void) {{
                if (second_at == 1) {{ number += {step}; first_sleeps = 0; }}
                second_at = 1;
                second_sleeps = 1;
            }}
            int main(void) {{
                while (1) {{
                    if (!first_sleeps && __VERIFIER_nondet_int()) {{
                        if (first_at == 1 && number != copy + 1) reach_error();
                        copy = number = __VERIFIER_nondet_int();
                        if (second_at == 1) second_sleeps = 0;
                        first_at = first_sleeps = 1;
                    }}
                    if (!second_sleeps && __VERIFIER_nondet_int()) second();
                }}
            }}"
        )
    }

    #[test]
    fn combinations_of_values_are_enumerated() {
        let options = Options {
            time: Duration::from_secs(60),
            ..Options::default()
        };
        for step in [1, 2] {
            let setting = Setting::default();
            assert_proved(&hand_over(step), &options, &setting, step == 1);
            // Other engines get them, too.
            assert!(!setting.invariants.snapshot().is_empty());
        }
    }
}

//! How fast the solvers are on what bounded model checking asks, side by side. Not run by default:
//! `cargo test --release --lib solver::comparison -- --ignored --nocapture`.

use std::rc::Rc;
use std::time::Instant;

use super::{Answer, Backend, Encoding, SolverConfig, SolverError, new_solver};
use crate::term::{Arena, Build, ScalarSort, Sort, Symbol, TermId};

const VARIABLES: usize = 20;
const STEPS: u32 = 200;

/// Twenty counters that, at each step and by a nondeterministic choice, stay or are increased by one if they are below a
/// bound; each is shown, after every step, not to exceed the number of steps.
fn counters(config: SolverConfig, with_array: bool) -> Result<(), SolverError> {
    let t = Rc::new(Arena::new());
    let begin = Instant::now();
    let mut solver = new_solver(config, Rc::clone(&t))?;
    if with_array {
        // Nothing depends on it, but the solver must be ready for more.
        let index = ScalarSort::BitVec(32);
        let sort = Sort::Array {
            index,
            element: index,
        };
        let array = t.variable(Symbol::new("comparison::array", sort));
        solver.assert(t.eq(t.select(array, t.bv(32, 0)), t.bv(32, 0)));
    }
    let names: Vec<_> = (0..VARIABLES)
        .map(|number| Symbol::new(&format!("comparison::x{number}"), Sort::BitVec(32)))
        .collect();
    let choices: Vec<_> = (0..VARIABLES)
        .map(|number| Symbol::new(&format!("comparison::input{number}"), Sort::BitVec(32)))
        .collect();
    let at = |step: u32, number: usize| t.variable_at(names[number % VARIABLES], step);
    for number in 0..VARIABLES {
        solver.assert(t.eq(at(1, number), t.bv(32, 0)));
    }
    for step in 1..=STEPS {
        for number in 0..VARIABLES {
            let input = t.variable_at(choices[number], step);
            let increased = t.add(at(step, number), t.bv(32, 1));
            let bounded = t.slt(at(step, number), t.bv(32, 1000));
            let counted = t.ite(bounded, increased, t.bv(32, 0));
            let next = t.ite(t.slt(input, t.bv(32, 0)), at(step, number), counted);
            solver.assert(t.eq(at(step + 1, number), next));
        }
        let bad: TermId =
            t.or((0..VARIABLES).map(|number| t.sgt(at(step + 1, number), t.bv(32, step.into()))));
        let answer = solver.check(&[bad]);
        assert_eq!(answer, Answer::Unsatisfiable, "{config:?}, step {step}");
        solver.assert(t.not(bad));
        let reached = t.eq(at(step + 1, 0), t.bv(32, step.into()));
        if step % 50 == 0 {
            let answer = solver.check(&[reached]);
            assert_eq!(answer, Answer::Satisfiable, "{config:?}, step {step}");
            println!(
                "{}, {}, array {with_array}: {step} steps, {:.2} s, {:.2} s of them in checks",
                config.backend,
                config.encoding,
                begin.elapsed().as_secs_f64(),
                solver.statistics().check_time.as_secs_f64()
            );
        }
    }
    Ok(())
}

#[test]
#[ignore = "measures"]
fn counters_by_all_solvers() -> Result<(), SolverError> {
    let choices = [
        #[cfg(feature = "yices2")]
        (Backend::Yices2, Encoding::BitVector),
        (Backend::Z3, Encoding::BitVector),
        (Backend::Z3, Encoding::Integer),
    ];
    for (backend, encoding) in choices {
        for with_array in [false, true] {
            counters(SolverConfig { backend, encoding }, with_array)?;
        }
    }
    Ok(())
}

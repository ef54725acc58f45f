//! Compares the solvers' speed on formulas of bounded model checking. Not run by default:
//! `cargo test --release --package regatta-solver --lib comparison -- --ignored --nocapture`.

use std::rc::Rc;
use std::time::Instant;

use crate::z3::{Core, Z3Solver};
use crate::{Answer, Backend, Encoding, Solver, SolverConfig, new_solver};
use regatta_term::{Build, ScalarSort, Sort, Symbol, TermId};

const VARIABLES: usize = 20;

/// Checks twenty counters, each of which stays or is increased (below a bound) by a nondeterministic choice in each step:
/// after every step, the first `shown` of them do not exceed the number of steps.
fn counters(name: &str, solver: &mut dyn Solver, shown: usize, steps: u32, with_array: bool) {
    let t = Rc::clone(solver.arena());
    let begin = Instant::now();
    if with_array {
        // Nothing depends on the array, but the solver has to set up its array theory.
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
    for step in 1..=steps {
        for (number, &choice) in choices.iter().enumerate() {
            let input = t.variable_at(choice, step);
            let increased = t.add(at(step, number), t.bv(32, 1));
            let bounded = t.slt(at(step, number), t.bv(32, 1000));
            let counted = t.ite(bounded, increased, t.bv(32, 0));
            let next = t.ite(t.slt(input, t.bv(32, 0)), at(step, number), counted);
            solver.assert(t.eq(at(step + 1, number), next));
        }
        let bad: TermId =
            t.or((0..shown).map(|number| t.sgt(at(step + 1, number), t.bv(32, step.into()))));
        let answer = solver.check(&[bad]);
        assert_eq!(answer, Answer::Unsatisfiable, "{name}, step {step}");
        solver.assert(t.not(bad));
        let reached = t.eq(at(step + 1, 0), t.bv(32, step.into()));
        if step % 50 == 0 || step == 10 {
            let answer = solver.check(&[reached]);
            assert_eq!(answer, Answer::Satisfiable, "{name}, step {step}");
            println!(
                "{name}, {shown} shown, array {with_array}: {step} steps, {:.2} s, {:.2} s of them in checks",
                begin.elapsed().as_secs_f64(),
                solver.statistics().check_time.as_secs_f64()
            );
        }
    }
}

fn all(name: &str, solver: impl Fn() -> Box<dyn Solver>) {
    for with_array in [false, true] {
        counters(name, &mut *solver(), 1, 200, with_array);
        counters(name, &mut *solver(), VARIABLES, 50, with_array);
    }
}

fn by_config(backend: Backend, encoding: Encoding) {
    let config = SolverConfig { backend, encoding };
    let name = format!("{backend}, {encoding}");
    all(&name, || new_solver(config, Rc::default()).unwrap());
}

#[test]
#[ignore = "measures"]
#[cfg(feature = "yices2")]
fn yices_counts() {
    by_config(Backend::Yices2, Encoding::BitVector);
}

#[test]
#[ignore = "measures"]
#[cfg(feature = "bitwuzla")]
fn bitwuzla_counts() {
    by_config(Backend::Bitwuzla, Encoding::BitVector);
}

#[test]
#[ignore = "measures"]
fn z3_counts() {
    by_config(Backend::Z3, Encoding::BitVector);
}

#[test]
#[ignore = "measures"]
fn z3_counts_integers() {
    by_config(Backend::Z3, Encoding::Integer);
}

#[test]
#[ignore = "measures"]
fn z3_counts_by_sat() {
    let solver = || Z3Solver::new(Rc::default(), Core::Sat).unwrap();
    counters("z3, SAT core", &mut solver(), 1, 200, false);
    counters("z3, SAT core", &mut solver(), VARIABLES, 50, false);
}

//! Tests that every implementation of [`Solver`] has to pass.

use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::{Answer, CheckLimit, Reason, Solver};
use regatta_term::{Build, Sort, Symbol, TermId, Value};

/// Checks that models satisfy the assertions, that cores are contradictory, and that contradictions end with their scopes.
pub fn models_cores_and_scopes(solver: &mut dyn Solver) {
    let t = Rc::clone(solver.arena());
    let x = t.variable(Symbol::new("contract::x", Sort::BitVec(32)));
    let y = t.variable(Symbol::new("contract::y", Sort::BitVec(32)));
    let wide = t.variable(Symbol::new("contract::wide", Sort::BitVec(128)));
    solver.assert(t.eq(t.add(x, y), t.bv(32, 10)));
    solver.assert(t.eq(t.mul(wide, t.bv(128, 3)), t.bv(128, u128::MAX - 2)));
    let small = t.ult(x, t.bv(32, 4));
    let big = t.ult(t.bv(32, 4), x);
    let other = t.ult(y, t.bv(32, 100));
    assert_eq!(solver.check(&[small]), Answer::Satisfiable);
    let (vx, vy) = (solver.value(x).unwrap(), solver.value(y).unwrap());
    let sum = vx.as_bit_vec().unwrap().bits() + vy.as_bit_vec().unwrap().bits();
    assert_eq!(sum as u32, 10);
    assert_eq!(solver.value(wide), Some(Value::bit_vec(128, u128::MAX)));
    assert_eq!(solver.check(&[small, other, big]), Answer::Unsatisfiable);
    let mut contradiction = solver.unsat_core();
    contradiction.sort();
    let mut expected = vec![small, big];
    expected.sort();
    assert_eq!(contradiction, expected);
    // Scopes can be opened above a contradiction, which ends with its scope.
    solver.push();
    solver.assert(t.boolean(false));
    assert_eq!(solver.check(&[]), Answer::Unsatisfiable);
    solver.push();
    solver.assert(small);
    assert_eq!(solver.check(&[other]), Answer::Unsatisfiable);
    solver.pop();
    solver.pop();
    assert_eq!(solver.check(&[big]), Answer::Satisfiable);
    solver.pop();
    assert_eq!(solver.check(&[big]), Answer::Satisfiable);
}

/// Checks that each conjunction is decided as expected and that every conjunct is true in the model.
pub fn decides(solver: &mut dyn Solver, cases: Vec<(Vec<TermId>, bool)>, what: &str) {
    for (number, (formulas, satisfiable)) in cases.into_iter().enumerate() {
        solver.push();
        for &formula in &formulas {
            solver.assert(formula);
        }
        let expected = match satisfiable {
            true => Answer::Satisfiable,
            false => Answer::Unsatisfiable,
        };
        assert_eq!(solver.check(&[]), expected, "{what}, case {number}");
        for &formula in formulas.iter().filter(|_| satisfiable) {
            let value = solver.value(formula);
            assert_eq!(value, Some(Value::Bool(true)), "{what}, case {number}");
        }
        solver.pop();
    }
}

/// Checks that limits and interrupts end the search for two factors of `product`, which is hard. The scope of the product
/// stays open; the assertion below it contradicts the term that is returned.
pub fn limits_and_interrupts_end_a_check(solver: &mut dyn Solver, product: u128) -> TermId {
    let t = Rc::clone(solver.arena());
    let x = t.variable(Symbol::new("contract::x", Sort::BitVec(32)));
    let [p, q] =
        ["contract::p", "contract::q"].map(|name| t.variable(Symbol::new(name, Sort::BitVec(64))));
    solver.assert(t.ult(x, t.bv(32, 5)));
    solver.push();
    let multiplied = t.mul(t.zero_extend(p, 128), t.zero_extend(q, 128));
    solver.assert(t.eq(multiplied, t.bv(128, product)));
    solver.assert(t.and2(t.ult(t.bv(64, 1), p), t.ult(p, q)));
    for (time, resource) in [
        (Some(Duration::from_millis(100)), None),
        (None, Some(100_000)),
    ] {
        solver.set_limit(CheckLimit { time, resource });
        let begin = Instant::now();
        assert_eq!(solver.check(&[]), Answer::Unknown(Reason::Limit));
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
    solver.set_limit(CheckLimit::default());
    let interrupter = solver.interrupter();
    let begin = Instant::now();
    let answer = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            interrupter.interrupt();
        });
        solver.check(&[])
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    assert!(begin.elapsed() < Duration::from_secs(30));
    // The next check is not affected.
    solver.push();
    assert_eq!(solver.check(&[t.boolean(false)]), Answer::Unsatisfiable);
    solver.pop();
    t.ult(t.bv(32, 5), x)
}

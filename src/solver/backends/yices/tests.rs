use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use rand::RngExt;

use super::{YicesSolver, YicesToken};
use crate::backends::z3::{Core, Z3Solver};
use crate::unit_tests::contract;
use crate::{Answer, CheckLimit, Reason, Solver};
use regatta_term::random::{RandomTerms, seeds};
use regatta_term::{Arena, Build, Evaluator, FloatFormat, ScalarSort, Sort, Symbol, TermId, Value};

/// Waits for the token, since tests run on several threads of one process.
fn token() -> YicesToken {
    loop {
        match YicesToken::take() {
            Some(token) => return token,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

fn solver() -> (Rc<Arena>, YicesSolver) {
    let arena = Rc::new(Arena::new());
    let solver = YicesSolver::new(Rc::clone(&arena), token()).unwrap();
    (arena, solver)
}

#[test]
fn one_thread_at_a_time() {
    let first = token();
    let second = YicesToken::take();
    assert!(second.is_some(), "the owner may take it again");
    let elsewhere = || std::thread::spawn(|| YicesToken::take().is_some()).join();
    assert!(!elsewhere().unwrap());
    drop(first);
    assert!(!elsewhere().unwrap());
    drop(second);
}

#[test]
fn models_cores_and_scopes() {
    contract::models_cores_and_scopes(&mut solver().1);
}

#[test]
fn inexpressible_formulas_are_unknown() {
    let (t, mut solver) = solver();
    let x = t.variable(Symbol::new("yices_tests::x", Sort::Int));
    let f = t.variable(Symbol::new("yices_tests::f", Sort::Float(FloatFormat::F32)));
    let integer = t.int_lt(x, t.int(5));
    let float = t.fp_is_nan(f);
    solver.push();
    solver.assert(float);
    assert!(matches!(
        solver.check(&[]),
        Answer::Unknown(Reason::Incomplete(_))
    ));
    solver.pop();
    assert!(matches!(
        solver.check(&[integer]),
        Answer::Unknown(Reason::Incomplete(_))
    ));
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
}

#[test]
fn constant_arrays() {
    let (t, mut solver) = solver();
    for width in [2, 8, 32] {
        let index = ScalarSort::BitVec(width);
        let sort = Sort::Array {
            index,
            element: ScalarSort::BitVec(8),
        };
        let a = t.variable(Symbol::new("yices_tests::a", sort));
        let b = t.variable(Symbol::new("yices_tests::b", sort));
        let i = t.variable(Symbol::new("yices_tests::i", Sort::BitVec(width)));
        let zeros = t.const_array(index, t.bv(8, 0));
        let ones = t.const_array(index, t.bv(8, 1));
        let written = t.store(b, i, t.bv(8, 7));
        let cases = vec![
            (
                vec![t.eq(a, zeros), t.ne(t.select(a, i), t.bv(8, 0))],
                false,
            ),
            (vec![t.eq(t.store(zeros, i, t.bv(8, 1)), ones)], false),
            (vec![t.eq(written, zeros)], false),
            (
                vec![t.eq(a, zeros), t.eq(t.select(written, i), t.select(a, i))],
                false,
            ),
            (
                vec![t.eq(a, t.store(zeros, i, t.bv(8, 1))), t.ne(a, zeros)],
                true,
            ),
            (
                vec![
                    t.ne(a, zeros),
                    t.ne(a, ones),
                    t.eq(t.select(a, i), t.bv(8, 1)),
                ],
                true,
            ),
            (
                vec![
                    t.ne(a, zeros),
                    t.eq(b, zeros),
                    t.eq(t.store(a, i, t.bv(8, 0)), b),
                ],
                true,
            ),
        ];
        contract::decides(&mut solver, cases, &format!("width {width}"));
    }
}

/// Whether the formulas are true by our evaluation of the solver's values of their variables.
fn is_model(t: &Arena, solver: &mut Z3Solver, formulas: impl Iterator<Item = TermId>) -> bool {
    let solver = RefCell::new(solver);
    let assignment = |symbol, instance| solver.borrow_mut().value(t.variable_at(symbol, instance));
    let mut evaluator = Evaluator::new(t, &assignment);
    let mut is_true = |formula| evaluator.evaluate(formula) == Ok(Value::Bool(true));
    formulas.into_iter().all(&mut is_true)
}

/// Checks on a random sequence of pushes, pops, assertions and checks that both solvers give the same answers, models
/// satisfy the assertions under our evaluation, and cores are contradictory.
fn agree(seed: u64, depth: u32) {
    let (t, mut yices) = solver();
    let mut z3 = Z3Solver::new(Rc::clone(&t), Core::Smt).unwrap();
    let limit = CheckLimit {
        time: Some(Duration::from_secs(5)),
        resource: None,
    };
    z3.set_limit(limit);
    let mut random = RandomTerms::seeded(&t, seed);
    let mut asserted: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in 0..12 {
        match random.choices.random_range(0..6) {
            0 => {
                yices.push();
                z3.push();
                asserted.push(Vec::new());
            }
            1 if asserted.len() > 1 => {
                yices.pop();
                z3.pop();
                asserted.pop();
            }
            2 | 3 => {
                let formula = random.boolean(depth);
                yices.assert(formula);
                z3.assert(formula);
                asserted.last_mut().unwrap().push(formula);
            }
            _ => {
                let count = random.choices.random_range(0..4);
                let assumptions: Vec<_> = (0..count).map(|_| random.boolean(depth)).collect();
                let answer = yices.check(&assumptions);
                let expected = z3.check(&assumptions);
                if matches!(expected, Answer::Unknown(_)) {
                    continue;
                }
                let all = || asserted.iter().flatten().chain(&assumptions).copied();
                if expected == Answer::Satisfiable && !is_model(&t, &mut z3, all()) {
                    // Z3's models of constant arrays with few indices can be wrong.
                    continue;
                }
                assert_eq!(answer, expected, "seed {seed}");
                if answer == Answer::Satisfiable {
                    for formula in all() {
                        let value = yices.value(formula);
                        assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                    }
                } else {
                    let core = yices.unsat_core();
                    assert!(core.iter().all(|term| assumptions.contains(term)));
                    assert_eq!(z3.check(&core), Answer::Unsatisfiable, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn yices_and_z3_agree() {
    for seed in 0..seeds(250) {
        agree(seed, 4);
    }
    for seed in 0..seeds(100) {
        agree(seed + (1 << 32), 5);
    }
}

#[test]
fn limits_and_interrupts_end_a_check() {
    let product = 0xb7e1_5162_8aed_2a6b * 0x9e37_79b9_7f4a_7c15;
    let (_, mut solver) = solver();
    let large = contract::limits_and_interrupts_end_a_check(&mut solver, product);
    // The solver still has its assertions, without the popped ones.
    assert_eq!(solver.check(&[large]), Answer::Unsatisfiable);
    assert_eq!(solver.unsat_core(), [large]);
    solver.pop();
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
    assert_eq!(solver.check(&[large]), Answer::Unsatisfiable);
}

/// Products of sums of products: multiplied out, they would have 2^60 monomials.
#[test]
fn polynomials_are_not_multiplied_out() {
    let (t, mut solver) = solver();
    let mut product = t.bv(32, 1);
    for number in 0..60 {
        let name = format!("yices_tests::v{number}");
        let x = t.variable(Symbol::new(&name, Sort::BitVec(32)));
        product = t.mul(product, t.add(x, t.bv(32, number + 3)));
    }
    let even = t.eq(t.bvand(product, t.bv(32, 1)), t.bv(32, 0));
    assert_eq!(solver.check(&[even]), Answer::Satisfiable);
    assert_eq!(solver.value(even), Some(Value::Bool(true)));
}

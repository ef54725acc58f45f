use std::rc::Rc;

use super::{Core, Z3Solver};
use crate::unit_tests::contract;
use crate::{Answer, Solver};
use regatta_term::{
    Arena, Build, FloatFormat, FloatValue, Pool, RoundingMode, ScalarSort, Sort, Symbol, Value,
    evaluate,
};

fn solver(core: Core) -> (Rc<Arena>, Z3Solver) {
    let arena = Rc::new(Arena::new());
    let solver = Z3Solver::new(Rc::clone(&arena), core).unwrap();
    (arena, solver)
}

#[test]
fn models_cores_and_scopes() {
    for core in [Core::Smt, Core::Sat] {
        contract::models_cores_and_scopes(&mut solver(core).1);
    }
}

#[test]
fn array_models() {
    let (t, mut solver) = solver(Core::Smt);
    let sort = Sort::Array {
        index: ScalarSort::BitVec(32),
        element: ScalarSort::BitVec(8),
    };
    let a = t.variable(Symbol::new("z3_tests::a", sort));
    let at = |index: u128| t.select(a, t.bv(32, index));
    solver.assert(t.eq(at(3), t.bv(8, 7)));
    solver.assert(t.eq(at(9), t.bv(8, 1)));
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
    let value = solver.value(a).unwrap();
    let array = value.as_array().unwrap();
    assert_eq!(array.select(&Value::bit_vec(32, 3)), &Value::bit_vec(8, 7));
    assert_eq!(array.select(&Value::bit_vec(32, 9)), &Value::bit_vec(8, 1));
}

/// What SMT-LIB leaves open is the same for Z3 and for our evaluation; variables keep the constructors from folding.
#[test]
fn corners_agree_with_evaluation() {
    let (t, mut solver) = solver(Core::Smt);
    let formats = [
        FloatFormat::F16,
        FloatFormat::F32,
        FloatFormat::F64,
        FloatFormat::F80,
        FloatFormat::F128,
    ];
    let mut cases = Vec::new();
    for format in formats {
        let special = [
            FloatValue::nan(format),
            FloatValue::infinity(format, false),
            FloatValue::infinity(format, true),
            FloatValue::zero(format, true),
            FloatValue::parse(format, RoundingMode::NearestEven, "-2.5").unwrap(),
            FloatValue::parse(format, RoundingMode::NearestEven, "60000").unwrap(),
            FloatValue::parse(format, RoundingMode::NearestEven, "1e-7").unwrap(),
            FloatValue::from_bits(format, 1),
        ];
        for value in special {
            cases.push((Value::Float(value), Sort::Float(format)));
        }
    }
    let mode = Symbol::new("z3_tests::mode", Sort::BitVec(2));
    for (number, (value, sort)) in cases.iter().enumerate() {
        let Sort::Float(format) = *sort else {
            unreachable!()
        };
        let symbol = Symbol::new(&format!("z3_tests::f{number}"), *sort);
        let x = t.variable(symbol);
        for rounding in 0..4u128 {
            let m = t.bv(2, rounding);
            let terms = [
                t.fp_to_bits(x),
                t.fp_from_bits(t.fp_to_bits(x), format),
                t.fp_to_sbv(m, x, 8),
                t.fp_to_sbv(m, x, 32),
                t.fp_to_ubv(m, x, 16),
                t.fp_to_int(m, x),
                t.fp_round_to_integral(m, x),
                t.fp_add(m, x, x),
                t.fp_sqrt(m, x),
                t.fp_to_fp(m, x, FloatFormat::F16),
                t.fp_is_negative(x),
            ];
            let assignment = |wanted: Symbol, _| {
                Some(if wanted == mode {
                    Value::bit_vec(2, rounding)
                } else {
                    value.clone()
                })
            };
            solver.push();
            solver.assert(t.eq(m, t.bv(2, rounding)));
            let constant = t.value(value);
            solver.assert(t.eq(x, constant));
            assert_eq!(solver.check(&[]), Answer::Satisfiable);
            for term in terms {
                let expected = evaluate(&*t, term, &assignment).unwrap();
                // As a theorem, not only in this model.
                let equal = t.eq(term, t.value(&expected));
                let differs = t.not(equal);
                assert_eq!(
                    solver.check(&[differs]),
                    Answer::Unsatisfiable,
                    "{value} rounding {rounding}: {:?} should be {expected}",
                    t.kind(term)
                );
            }
            solver.pop();
        }
    }
}

#[test]
fn integer_division_by_zero_is_fixed() {
    let (t, mut solver) = solver(Core::Smt);
    let x = t.variable(Symbol::new("z3_tests::i", Sort::Int));
    let y = t.variable(Symbol::new("z3_tests::j", Sort::Int));
    solver.assert(t.eq(y, t.int(0)));
    let wrong = t.or2(t.ne(t.int_div(x, y), t.int(0)), t.ne(t.int_mod(x, y), x));
    assert_eq!(solver.check(&[wrong]), Answer::Unsatisfiable);
}

#[test]
fn limits_and_interrupts_end_a_check() {
    let product = 0xb7e1_5162_8aed_2a6b * 0x9e37_79b9_7f4a_7c15;
    contract::limits_and_interrupts_end_a_check(&mut solver(Core::Smt).1, product);
}

use std::rc::Rc;
use std::time::Duration;

use rand::RngExt;

use super::IntegerEncoding;
use crate::unit_tests::contract;
use crate::z3::{Core, Z3Solver};
use crate::{Answer, CheckLimit, Solver};
use regatta_term::random::{RandomTerms, seeds};
use regatta_term::{
    Arena, BitVecValue, Build, FloatFormat, Op, Pool, ScalarSort, Sort, Symbol, TermId, Value,
    apply_op,
};

fn solver() -> (Rc<Arena>, IntegerEncoding<Z3Solver>) {
    let arena = Rc::new(Arena::new());
    let z3 = Z3Solver::new(Rc::clone(&arena), Core::Smt).unwrap();
    (arena, IntegerEncoding::new(z3))
}

fn variable(t: &Arena, name: &str, width: u8) -> TermId {
    let name = format!("integer_encoding_tests::{name}");
    t.variable(Symbol::new(&name, Sort::BitVec(width)))
}

/// The precision of the encoding of an operator at corner values.
#[derive(Copy, Clone, PartialEq)]
enum Precision {
    /// Only the operator's value is possible.
    Exact,
    /// The operator's value is possible among others.
    Unknown,
}

const BINARY: [(Op, Precision); 16] = [
    (Op::BvAdd, Precision::Exact),
    (Op::BvMul, Precision::Unknown),
    (Op::BvUdiv, Precision::Unknown),
    (Op::BvUrem, Precision::Unknown),
    (Op::BvSdiv, Precision::Unknown),
    (Op::BvSrem, Precision::Unknown),
    (Op::BvAnd, Precision::Unknown),
    (Op::BvOr, Precision::Unknown),
    (Op::BvXor, Precision::Unknown),
    (Op::BvShl, Precision::Unknown),
    (Op::BvLshr, Precision::Unknown),
    (Op::BvAshr, Precision::Unknown),
    (Op::BvUlt, Precision::Exact),
    (Op::BvUle, Precision::Exact),
    (Op::BvSlt, Precision::Exact),
    (Op::BvSle, Precision::Exact),
];

const CORNERS: [u128; 8] = [0, 1, 2, 7, 127, 128, 129, 255];

/// Checks that the term has the value wherever the conditions hold, or at least may have it.
fn expect(
    solver: &mut IntegerEncoding<Z3Solver>,
    term: TermId,
    value: &Value,
    precision: Precision,
    what: &str,
) {
    let t = Rc::clone(solver.arena());
    let equal = t.intern(Op::Eq, Sort::Bool, &[term, t.value(value)]);
    let answer = solver.check(&[equal]);
    assert_eq!(answer, Answer::Satisfiable, "{what} may be {value}");
    if precision == Precision::Exact {
        let differs = t.intern(Op::Not, Sort::Bool, &[equal]);
        let answer = solver.check(&[differs]);
        assert_eq!(answer, Answer::Unsatisfiable, "{what} is {value}");
    }
}

/// With two variables of known values as operands, and with a constant as the second operand, where every operator is exact.
#[test]
fn binary_operators_at_the_corners() {
    let (t, mut solver) = solver();
    let (x, y) = (variable(&t, "x", 8), variable(&t, "y", 8));
    for a in CORNERS {
        for b in CORNERS {
            solver.push();
            solver.assert(t.eq(x, t.bv(8, a)));
            solver.assert(t.eq(y, t.bv(8, b)));
            for (op, precision) in BINARY {
                let values = [Value::bit_vec(8, a), Value::bit_vec(8, b)];
                let predicate = matches!(op, Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle);
                let sort = if predicate {
                    Sort::Bool
                } else {
                    Sort::BitVec(8)
                };
                let expected = apply_op(op, sort, &values);
                let what = format!("{op:?} of {a} and {b}");
                let term = t.intern(op, sort, &[x, y]);
                expect(&mut solver, term, &expected, precision, &what);
                let term = t.intern(op, sort, &[x, t.bv(8, b)]);
                expect(&mut solver, term, &expected, Precision::Exact, &what);
            }
            solver.pop();
        }
    }
}

#[test]
fn other_operators_at_the_corners() {
    let (t, mut solver) = solver();
    let (x, y) = (variable(&t, "x", 8), variable(&t, "y", 8));
    let bits = Sort::BitVec;
    for a in CORNERS {
        solver.push();
        solver.assert(t.eq(x, t.bv(8, a)));
        solver.assert(t.eq(y, t.bv(8, 0xa5)));
        let unary = [
            (Op::BvNeg, bits(8)),
            (Op::BvNot, bits(8)),
            (Op::Extract { high: 3, low: 0 }, bits(4)),
            (Op::Extract { high: 7, low: 7 }, bits(1)),
            (Op::Extract { high: 6, low: 2 }, bits(5)),
            (Op::ZeroExtend(16), bits(16)),
            (Op::SignExtend(16), bits(16)),
            (Op::BvToNat, Sort::Int),
            (Op::BvToInt, Sort::Int),
        ];
        let value = Value::bit_vec(8, a);
        for (op, sort) in unary {
            let expected = apply_op(op, sort, std::slice::from_ref(&value));
            let term = t.intern(op, sort, &[x]);
            expect(
                &mut solver,
                term,
                &expected,
                Precision::Exact,
                &format!("{op:?} of {a}"),
            );
            // The same for a number that is out of range.
            let sum = t.intern(Op::BvAdd, bits(8), &[x, y]);
            let sum = t.intern(Op::BvAdd, bits(8), &[sum, y]);
            let wrapped = Value::bit_vec(8, a + 2 * 0xa5);
            let expected = apply_op(op, sort, &[wrapped]);
            let term = t.intern(op, sort, &[sum]);
            expect(
                &mut solver,
                term,
                &expected,
                Precision::Exact,
                &format!("{op:?} of a sum, {a}"),
            );
        }
        let both = t.intern(Op::Concat, bits(16), &[x, y]);
        let expected = Value::bit_vec(16, a << 8 | 0xa5);
        expect(&mut solver, both, &expected, Precision::Exact, "concat");
        let difference = t.int_sub(t.bv_to_int(x), t.int(1000));
        let low = t.intern(Op::IntToBv(8), bits(8), &[difference]);
        let signed = BitVecValue::new(8, a).signed() - 1000;
        let expected = Value::BitVec(BitVecValue::from_signed(8, signed));
        expect(&mut solver, low, &expected, Precision::Exact, "int to bv");
        solver.pop();
    }
}

/// Cases of wrap-around in C programs.
#[test]
fn wrap_around() {
    let (t, mut solver) = solver();
    let (x, y) = (variable(&t, "i", 32), variable(&t, "j", 32));
    let unsigned = variable(&t, "u", 32);
    let one = t.bv(32, 1);
    let least = t.bv(32, 1 << 31);
    let cases = vec![
        // x + 1 > x, but for INT_MAX.
        (vec![t.sle(t.add(x, one), x)], true),
        (vec![t.sle(t.add(x, one), x), t.slt(x, y)], false),
        (
            vec![
                t.ult(unsigned, t.bv(32, 10)),
                t.ugt(t.sub(unsigned, t.bv(32, 11)), t.bv(32, 100)),
            ],
            true,
        ),
        (
            vec![
                t.ult(unsigned, t.bv(32, 10)),
                t.ult(t.sub(unsigned, t.bv(32, 11)), t.bv(32, 100)),
            ],
            false,
        ),
        // INT_MIN / -1 and INT_MIN % -1.
        (
            vec![t.eq(x, least), t.ne(t.sdiv(x, t.bv_signed(32, -1)), least)],
            false,
        ),
        (
            vec![
                t.eq(x, least),
                t.ne(t.srem(x, t.bv_signed(32, -1)), t.bv(32, 0)),
            ],
            false,
        ),
        (
            vec![t.eq(t.neg(x), x), t.ne(x, least), t.ne(x, t.bv(32, 0))],
            false,
        ),
        // Signed and unsigned comparisons of the same value.
        (
            vec![t.slt(x, t.bv(32, 0)), t.ult(x, t.bv(32, 1 << 31))],
            false,
        ),
        (vec![t.slt(x, y), t.ult(y, x)], true),
        (vec![t.slt(t.bv(32, 0), x), t.slt(x, y), t.ult(y, x)], false),
        // Truncation and extension.
        (vec![t.ne(t.extract(t.zero_extend(x, 64), 31, 0), x)], false),
        (
            vec![
                t.ne(t.extract(t.sign_extend(x, 64), 63, 32), t.bv(32, 0)),
                t.sle(t.bv(32, 0), x),
            ],
            false,
        ),
        // Even and odd.
        (vec![t.eq(t.bvand(t.add(x, x), one), one)], false),
        (
            vec![t.eq(
                t.bvand(t.shl(unsigned, t.bv(32, 3)), t.bv(32, 4)),
                t.bv(32, 4),
            )],
            false,
        ),
    ];
    contract::decides(&mut solver, cases, "wrap around");
}

#[test]
fn arrays_floats_and_cores() {
    let (t, mut solver) = solver();
    let index = ScalarSort::BitVec(64);
    let sort = Sort::Array {
        index,
        element: ScalarSort::BitVec(8),
    };
    let a = t.variable(Symbol::new("integer_encoding_tests::a", sort));
    let i = variable(&t, "at", 64);
    let f = t.variable(Symbol::new(
        "integer_encoding_tests::f",
        Sort::Float(FloatFormat::F32),
    ));
    let zeros = t.const_array(index, t.bv(8, 0));
    let high = t.zero_extend(t.select(a, i), 32);
    let large = t.ugt(high, t.bv(32, 255));
    let initial = t.eq(a, t.store(zeros, t.bv(64, 1 << 63), t.bv(8, 200)));
    let other = t.eq(t.select(a, i), t.bv(8, 200));
    let elsewhere = t.slt(t.bv(64, 0), i);
    assert_eq!(solver.check(&[large]), Answer::Unsatisfiable);
    assert_eq!(
        solver.check(&[initial, large, other, elsewhere]),
        Answer::Unsatisfiable
    );
    assert!(!solver.unsat_core().is_empty());
    solver.assert(initial);
    assert_eq!(solver.check(&[elsewhere, other]), Answer::Unsatisfiable);
    assert_eq!(solver.unsat_core().len(), 2);
    assert_eq!(solver.check(&[other]), Answer::Satisfiable);
    assert_eq!(solver.value(i), Some(Value::bit_vec(64, 1 << 63)));
    let read = solver.value(t.select(a, t.bv(64, 1 << 63)));
    assert_eq!(read, Some(Value::bit_vec(8, 200)));
    // Floats stay floats; their conversions to integers are unconstrained.
    let mode = t.rounding(Default::default());
    let converted = t.fp_to_sbv(mode, f, 32);
    let zero = t.float(regatta_term::FloatValue::zero(FloatFormat::F32, false));
    solver.assert(t.fp_lt(zero, f));
    assert_eq!(solver.check(&[t.fp_lt(f, zero)]), Answer::Unsatisfiable);
    assert_eq!(
        solver.check(&[t.slt(converted, t.bv(32, 0))]),
        Answer::Satisfiable
    );
}

/// Checks on random sequences of assertions and checks that contradictions and cores of the encoding are confirmed by the
/// exact solver. Returns the numbers of contradictions found and missed.
fn sound(seed: u64, depth: u32, widths: &[u8]) -> (u32, u32) {
    let (t, mut encoded) = solver();
    let mut exact = Z3Solver::new(Rc::clone(&t), Core::Smt).unwrap();
    let limit = CheckLimit {
        time: Some(Duration::from_millis(1500)),
        resource: None,
    };
    exact.set_limit(limit);
    encoded.set_limit(limit);
    let mut random = RandomTerms::seeded(&t, seed);
    random.language.widths = widths.to_vec();
    let bits = ScalarSort::BitVec;
    random.language.arrays = vec![
        (bits(widths[widths.len() - 1]), bits(widths[1])),
        (bits(widths[0]), bits(widths[1])),
        (bits(32), bits(widths[0])),
        (bits(widths[0]), ScalarSort::Bool),
        (ScalarSort::Bool, bits(widths[1])),
    ];
    let (mut scopes, mut contradictory, mut missed) = (0, 0, 0);
    for _ in 0..10 {
        match random.choices.random_range(0..6) {
            0 => {
                encoded.push();
                exact.push();
                scopes += 1;
            }
            1 if scopes > 0 => {
                encoded.pop();
                exact.pop();
                scopes -= 1;
            }
            2 | 3 => {
                let formula = random.boolean(depth);
                encoded.assert(formula);
                exact.assert(formula);
            }
            _ => {
                let count = random.choices.random_range(0..4);
                let assumptions: Vec<_> = (0..count).map(|_| random.boolean(depth)).collect();
                if encoded.check(&assumptions) == Answer::Unsatisfiable {
                    contradictory += 1;
                    let core = encoded.unsat_core();
                    let answer = exact.check(&core);
                    assert_ne!(answer, Answer::Satisfiable, "seed {seed}, {widths:?}");
                } else if exact.check(&assumptions) == Answer::Unsatisfiable {
                    missed += 1;
                }
            }
        }
    }
    (contradictory, missed)
}

#[test]
fn contradictions_are_real() {
    let (mut contradictory, mut missed) = (0, 0);
    for widths in [[1, 3, 8], [3, 8, 32]] {
        for seed in 0..seeds(40) {
            let found = sound(seed, 4, &widths);
            contradictory += found.0;
            missed += found.1;
        }
    }
    // Not required for soundness, but an encoding that finds few contradictions would be useless.
    assert!(
        contradictory > missed,
        "{contradictory} found, {missed} missed"
    );
}

/// For linear formulas over variables in small ranges, both solvers give the same answers, and models are real.
#[test]
fn linear_formulas_are_decided() {
    for seed in 0..seeds(100) {
        let (t, mut encoded) = solver();
        let mut exact = Z3Solver::new(Rc::clone(&t), Core::Smt).unwrap();
        let mut random = RandomTerms::seeded(&t, seed);
        let variables = ["a", "b", "c"].map(|name| variable(&t, name, 32));
        let mut formulas = Vec::new();
        for x in variables {
            formulas.push(t.sle(t.bv_signed(32, -100), x));
            formulas.push(t.sle(x, t.bv_signed(32, 100)));
        }
        for _ in 0..4 {
            let mut side = || {
                let constant = random.choices.random_range(-200..200);
                variables.iter().fold(t.bv_signed(32, constant), |sum, x| {
                    let factor = random.choices.random_range(-5..5);
                    t.add(sum, t.mul(*x, t.bv_signed(32, factor)))
                })
            };
            let (left, right) = (side(), side());
            formulas.push(match random.choices.random_range(0..3) {
                0 => t.eq(left, right),
                1 => t.slt(left, right),
                _ => t.ne(left, right),
            });
        }
        for &formula in &formulas {
            encoded.assert(formula);
            exact.assert(formula);
        }
        let answer = encoded.check(&[]);
        assert_eq!(answer, exact.check(&[]), "seed {seed}");
        if answer == Answer::Satisfiable {
            for formula in formulas {
                assert_eq!(
                    encoded.value(formula),
                    Some(Value::Bool(true)),
                    "seed {seed}"
                );
            }
        }
    }
}

use std::rc::Rc;
use std::time::{Duration, Instant};

use rand::RngExt;

use super::BitwuzlaSolver;
use crate::backends::z3::{Core, Z3Solver};
use crate::unit_tests::contract;
use crate::{Answer, CheckLimit, Reason, Solver};
use regatta_term::random::{Language, RandomTerms, corner, seeds};
use regatta_term::{
    Arena, Build, Evaluator, FloatFormat, Pool, RoundingMode, ScalarSort, Sort, Symbol, TermId,
    Value, evaluate,
};

fn solver() -> (Rc<Arena>, BitwuzlaSolver) {
    let arena = Rc::new(Arena::new());
    let solver = BitwuzlaSolver::new(Rc::clone(&arena));
    (arena, solver)
}

#[test]
fn models_cores_and_scopes() {
    contract::models_cores_and_scopes(&mut solver().1);
}

#[test]
fn inexpressible_formulas_are_unknown() {
    let (t, mut solver) = solver();
    let x = t.variable(Symbol::new("bitwuzla_tests::x", Sort::Int));
    let name = "bitwuzla_tests::long";
    let f = t.variable(Symbol::new(name, Sort::Float(FloatFormat::F80)));
    let name = "bitwuzla_tests::double";
    let d = t.variable(Symbol::new(name, Sort::Float(FloatFormat::F64)));
    let is_unknown = |answer| matches!(answer, Answer::Unknown(Reason::Incomplete(_)));
    let integer = t.int_lt(x, t.int(5));
    let float = t.fp_is_nan(f);
    let remainder = t.fp_is_nan(t.fp_rem(d, d));
    solver.push();
    solver.assert(float);
    assert!(is_unknown(solver.check(&[])));
    solver.push();
    assert!(is_unknown(solver.check(&[])));
    solver.pop();
    solver.pop();
    assert!(is_unknown(solver.check(&[integer])));
    assert!(is_unknown(solver.check(&[remainder])));
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
}

#[test]
fn array_models() {
    let (t, mut solver) = solver();
    for element in [
        ScalarSort::Bool,
        ScalarSort::BitVec(8),
        ScalarSort::Float(FloatFormat::F32),
    ] {
        let index = ScalarSort::BitVec(32);
        let sort = Sort::Array { index, element };
        let a = t.variable(Symbol::new("bitwuzla_tests::a", sort));
        let b = t.variable(Symbol::new("bitwuzla_tests::b", sort));
        let at = |array, index: u128| t.select(array, t.bv(32, index));
        let [seven, one] = [7, 1].map(|number| t.value(&corner(element.into(), number)));
        solver.push();
        solver.assert(t.eq(at(a, 3), seven));
        solver.assert(t.eq(at(a, 9), one));
        solver.assert(t.ne(a, b));
        solver.assert(t.eq(
            t.store(b, t.bv(32, 4), seven),
            t.store(a, t.bv(32, 4), seven),
        ));
        assert_eq!(solver.check(&[]), Answer::Satisfiable);
        let values = [a, b].map(|array| solver.value(array).unwrap());
        let [a, b] = values.each_ref().map(|value| value.as_array().unwrap());
        let at = |index| Value::bit_vec(32, index);
        assert_eq!(a.select(&at(3)), &corner(element.into(), 7));
        assert_eq!(a.select(&at(9)), &corner(element.into(), 1));
        assert_ne!(a.select(&at(4)), b.select(&at(4)));
        assert_eq!(a.select(&at(1234)), b.select(&at(1234)));
        solver.pop();
    }
}

/// Checks that Bitwuzla and our evaluation agree on all operators, including what SMT-LIB leaves open. The floats are fixed
/// by their bits, so that the terms are not folded.
fn agrees_with_evaluation(format: FloatFormat, numbers: std::ops::Range<u64>) {
    let (t, mut solver) = solver();
    let sort = Sort::Float(format);
    let width = format.storage_bits() as u8;
    let name = |name: &str| format!("bitwuzla_tests::{format:?}::{name}");
    let [x, y, z] = ["x", "y", "z"].map(|one| Symbol::new(&name(one), sort));
    let small = Symbol::new("bitwuzla_tests::small", Sort::BitVec(12));
    let mode = Symbol::new("bitwuzla_tests::mode", Sort::BitVec(2));
    let half = |a| t.udiv(a, t.bv(width, 2));
    for number in numbers {
        let random = |salt: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt << 7;
        let values = [
            (x, corner(sort, number)),
            (y, corner(sort, random(1) >> 17)),
            (z, corner(sort, random(2) >> 23)),
            (small, corner(Sort::BitVec(12), number)),
            (mode, Value::bit_vec(2, (number % 4).into())),
        ];
        let assignment = |wanted: Symbol, _| {
            let found = values.iter().find(|(symbol, _)| *symbol == wanted);
            found.map(|(_, value)| value.clone())
        };
        let [a, b, c, s, m] = [x, y, z, small, mode].map(|symbol| t.variable(symbol));
        let significand = format.significand_bits() as u8;
        let part = |width: u8| t.extract(t.fp_to_bits(b), width - 1, 0);
        let mut terms = vec![
            t.fp_add(m, a, b),
            t.fp_sub(m, a, b),
            t.fp_mul(m, a, b),
            t.fp_div(m, a, b),
            t.fp_sqrt(m, a),
            t.fp_round_to_integral(m, a),
            t.fp_neg(a),
            t.fp_abs(a),
            t.fp_to_bits(a),
            t.fp_from_bits(t.fp_to_bits(a), format),
            t.fp_from_bits(half(t.fp_to_bits(a)), format),
            t.fp_to_sbv(m, a, 1),
            t.fp_to_sbv(m, a, 2),
            t.fp_to_sbv(m, a, 8),
            t.fp_to_sbv(m, a, 32),
            t.fp_to_sbv(m, a, 64),
            t.fp_to_ubv(m, a, 16),
            t.fp_to_ubv(m, a, 1),
            t.fp_to_ubv(m, a, 64),
            t.sbv_to_fp(m, s, format),
            t.ubv_to_fp(m, s, format),
            t.sbv_to_fp(m, t.extract(s, 0, 0), format),
            t.ubv_to_fp(m, part(significand - 1), format),
            t.ubv_to_fp(m, part(significand), format),
            t.ubv_to_fp(m, part(significand + 1), format),
            t.ubv_to_fp(m, part(significand + 2), format),
            t.sbv_to_fp(m, part(significand - 1), format),
            t.sbv_to_fp(m, part(significand), format),
            t.sbv_to_fp(m, part(significand + 1), format),
            t.sbv_to_fp(m, part(significand + 2), format),
            t.ubv_to_fp(m, t.fp_to_bits(a), format),
            t.sbv_to_fp(m, t.fp_to_bits(a), format),
            t.fp_lt(a, b),
            t.fp_le(a, b),
            t.fp_eq(a, b),
            t.eq(a, b),
            t.fp_is_nan(a),
            t.fp_is_infinite(a),
            t.fp_is_zero(a),
            t.fp_is_normal(a),
            t.fp_is_subnormal(a),
            t.fp_is_negative(a),
        ];
        let others = [
            FloatFormat::F16,
            FloatFormat::F32,
            FloatFormat::F64,
            FloatFormat::F128,
        ];
        terms.extend(others.map(|other| t.fp_to_fp(m, a, other)));
        if format != FloatFormat::F128 {
            terms.push(t.fp_fma(m, a, b, c));
        }
        if format == FloatFormat::F16 {
            terms.push(t.fp_rem(a, b));
        }
        solver.push();
        for (symbol, value) in &values {
            let fixed = t.value(value);
            let variable = t.variable(*symbol);
            solver.assert(match symbol.sort() {
                Sort::Float(_) => t.eq(t.fp_to_bits(variable), t.fp_to_bits(fixed)),
                _ => t.eq(variable, fixed),
            });
        }
        assert_eq!(solver.check(&[]), Answer::Satisfiable);
        for term in terms {
            let expected = evaluate(&*t, term, &assignment).unwrap();
            let differs = t.not(t.eq(term, t.value(&expected)));
            assert_eq!(
                solver.check(&[differs]),
                Answer::Unsatisfiable,
                "{values:?}: {:?} should be {expected}",
                t.kind(term)
            );
        }
        solver.pop();
    }
}

#[test]
fn half_floats_agree_with_evaluation() {
    agrees_with_evaluation(FloatFormat::F16, 0..seeds(60));
}

#[test]
fn floats_agree_with_evaluation() {
    agrees_with_evaluation(FloatFormat::F32, 0..seeds(30));
}

#[test]
fn doubles_agree_with_evaluation() {
    agrees_with_evaluation(FloatFormat::F64, 0..seeds(12));
}

#[test]
fn quadruples_agree_with_evaluation() {
    agrees_with_evaluation(FloatFormat::F128, 0..seeds(3));
}

/// Checks on a random sequence of pushes, pops, assertions and checks, some of them stopped by a limit, that both solvers
/// give the same answers, models satisfy the assertions under our evaluation, and cores are contradictory.
fn agree(seed: u64, depth: u32, language: Option<Language>) {
    let (t, mut bitwuzla) = solver();
    let mut z3 = Z3Solver::new(Rc::clone(&t), Core::Smt).unwrap();
    let limit = |milliseconds| CheckLimit {
        time: Some(Duration::from_millis(milliseconds)),
        resource: None,
    };
    z3.set_limit(limit(2000));
    let mut random = RandomTerms::seeded(&t, seed);
    if let Some(language) = language {
        random.language = language;
    }
    let mut asserted: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in 0..12 {
        match random.choices.random_range(0..7) {
            0 => {
                bitwuzla.push();
                z3.push();
                asserted.push(Vec::new());
            }
            1 if asserted.len() > 1 => {
                bitwuzla.pop();
                z3.pop();
                asserted.pop();
            }
            2 | 3 => {
                let formula = random.boolean(depth);
                bitwuzla.assert(formula);
                z3.assert(formula);
                asserted.last_mut().unwrap().push(formula);
            }
            4 => {
                bitwuzla.set_limit(limit(0));
                bitwuzla.check(&[]);
            }
            _ => {
                bitwuzla.set_limit(limit(5000));
                let count = random.choices.random_range(0..4);
                let assumptions: Vec<_> = (0..count).map(|_| random.boolean(depth)).collect();
                let answer = bitwuzla.check(&assumptions);
                let all = || asserted.iter().flatten().chain(&assumptions).copied();
                if answer == Answer::Satisfiable {
                    for formula in all() {
                        let value = bitwuzla.value(formula);
                        assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                    }
                } else if answer == Answer::Unsatisfiable {
                    assert!(!has_model(&t, &mut z3, &assumptions, all()), "seed {seed}");
                    let core = bitwuzla.unsat_core();
                    assert!(core.iter().all(|term| assumptions.contains(term)));
                    let all = || asserted.iter().flatten().chain(&core).copied();
                    assert!(!has_model(&t, &mut z3, &core, all()), "seed {seed}: core");
                }
            }
        }
    }
}

/// Checks whether Z3 finds a model that is also one under our evaluation.
fn has_model(
    t: &Arena,
    z3: &mut Z3Solver,
    assumptions: &[TermId],
    mut all: impl Iterator<Item = TermId>,
) -> bool {
    if z3.check(assumptions) != Answer::Satisfiable {
        return false;
    }
    let z3 = std::cell::RefCell::new(z3);
    let assignment = |symbol, instance| z3.borrow_mut().value(t.variable_at(symbol, instance));
    let mut evaluator = Evaluator::new(t, &assignment);
    all.all(|formula| evaluator.evaluate(formula) == Ok(Value::Bool(true)))
}

#[test]
fn bitwuzla_and_z3_agree() {
    for seed in 0..seeds(250) {
        agree(seed, 4, None);
    }
    for seed in 0..seeds(100) {
        agree(seed + (1 << 32), 5, None);
    }
}

#[test]
fn they_agree_on_floats() {
    for seed in 0..seeds(60) {
        let language = Language {
            widths: vec![2, 8, 16],
            formats: vec![FloatFormat::F16],
            ..Language::default()
        };
        agree(seed, 3, Some(language));
    }
}

#[test]
fn limits_and_interrupts_end_a_check() {
    let product = 0xb7e1_5162_8aed_2a6b * 0x9e37_79b9_7f4a_7c15;
    let (_, mut solver) = solver();
    let large = contract::limits_and_interrupts_end_a_check(&mut solver, product);
    assert_eq!(solver.check(&[large]), Answer::Unsatisfiable);
    assert_eq!(solver.unsat_core(), [large]);
    solver.pop();
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
    assert_eq!(solver.check(&[large]), Answer::Unsatisfiable);
}

/// Divisions and square roots of doubles, which are large circuits and hard.
#[test]
fn interrupts_are_early() {
    let (t, mut solver) = solver();
    let sort = Sort::Float(FloatFormat::F64);
    let [x, y] =
        ["bitwuzla_tests::p", "bitwuzla_tests::q"].map(|name| t.variable(Symbol::new(name, sort)));
    let mode = t.rounding(RoundingMode::NearestEven);
    let left = t.fp_div(mode, t.fp_sqrt(mode, t.fp_mul(mode, x, y)), y);
    let right = t.fp_sqrt(mode, t.fp_div(mode, x, y));
    solver.assert(t.fp_lt(left, right));
    solver.assert(t.fp_lt(t.fp_from_bits(t.bv(64, 0x3ff0 << 48), FloatFormat::F64), x));
    solver.assert(t.fp_lt(x, y));
    solver.assert(t.fp_eq(t.fp_mul(mode, x, x), t.fp_mul(mode, left, right)));
    let interrupter = solver.interrupter();
    let (answer, late) = std::thread::scope(|scope| {
        let told = scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(700));
            interrupter.interrupt();
            Instant::now()
        });
        let answer = solver.check(&[]);
        let end = Instant::now();
        (answer, end.saturating_duration_since(told.join().unwrap()))
    });
    if answer == Answer::Unknown(Reason::Interrupted) {
        println!("{late:?} late");
        assert!(late < Duration::from_secs(5), "{late:?}");
    }
}

/// Instances on several threads answer as they do alone.
#[test]
fn threads_do_not_interfere() {
    let agree_on = |thread: u64| {
        for seed in 0..seeds(25) {
            agree(seed + (thread << 40), 4, None);
        }
    };
    std::thread::scope(|scope| {
        for thread in 1..=4 {
            scope.spawn(move || agree_on(thread));
        }
    });
}

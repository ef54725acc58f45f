//! The solvers are linked and answer a query each, so that a broken set-up is detected here, not in an engine.

/// The version that `scripts/setup.sh` installs. (With the feature `vendored`, the version is the crate's.)
#[cfg(not(feature = "vendored"))]
#[test]
fn z3_is_the_pinned_one() {
    assert!(
        z3::full_version().starts_with("5.4.0"),
        "linked: {}",
        z3::full_version()
    );
}

#[test]
fn z3_finds_a_factor() {
    use z3::ast::BV;
    let solver = z3::Solver::new();
    let (x, y) = (BV::new_const("x", 16), BV::new_const("y", 16));
    solver.assert((&x * &y).eq(BV::from_u64(15 * 17, 16)));
    for factor in [&x, &y] {
        solver.assert(factor.bvugt(BV::from_u64(1, 16)));
        solver.assert(factor.bvult(BV::from_u64(255, 16)));
    }
    assert_eq!(solver.check(), z3::SatResult::Sat);
    let model = solver.get_model().expect("a model after sat");
    let value = |v: &BV| {
        model
            .eval(v, true)
            .and_then(|v| v.as_u64())
            .expect("a value")
    };
    assert_eq!((value(&x) * value(&y)) & 0xffff, 15 * 17);
    solver.assert((&x & BV::from_u64(1, 16)).eq(BV::from_u64(0, 16)));
    assert_eq!(solver.check(), z3::SatResult::Unsat);
}

/// All calls of Yices are in one test, because only one thread at a time may call it.
#[cfg(feature = "yices2")]
#[test]
fn yices2_finds_an_overflow() -> Result<(), yices2::error::Error> {
    use yices2::context::{Config, Context, Logic, Status};
    use yices2::term::{
        BitVectorAdd, BitVectorConstant, BitVectorSignedGreaterThanAtom,
        BitVectorSignedLessThanAtom, Term, Uninterpreted,
    };
    yices2::init();
    let context = Context::with_config(&Config::with_defaults_for_logics([Logic::QF_BV])?)?;
    let word = yices2::typ::BitVectorType::new(32)?;
    let zero = BitVectorConstant::from_hex("00000000")?;
    let (x, y) = (
        Uninterpreted::with_name(word, "x")?,
        Uninterpreted::with_name(word, "y")?,
    );
    let sum = BitVectorAdd::new(x, y)?;
    let x_is_positive: Term = BitVectorSignedGreaterThanAtom::new(x, zero)?.into();
    let y_is_positive: Term = BitVectorSignedGreaterThanAtom::new(y, zero)?.into();
    let sum_is_less: Term = BitVectorSignedLessThanAtom::new(sum, x)?.into();
    let sum_is_positive: Term = BitVectorSignedGreaterThanAtom::new(sum, zero)?.into();
    context.assert([x_is_positive, y_is_positive, sum_is_less])?;
    assert_eq!(context.check()?, Status::STATUS_SAT);
    context.assert([sum_is_positive])?;
    assert_eq!(context.check()?, Status::STATUS_UNSAT);
    Ok(())
}

//! Tests that the rules simplify terms of C programs as intended. Their correctness is tested in

use super::*;
use crate::{Arena, evaluate, to_smtlib};

const INT: Sort = Sort::BitVec(32);

fn variable(name: &str, sort: Sort) -> TermId {
    crate::store().variable(Symbol::new(name, sort))
}

/// Asserts that both terms are the same.
#[track_caller]
fn same(pool: &Arena, actual: TermId, expected: TermId) {
    assert!(
        actual == expected,
        "{}\nis not\n{}",
        to_smtlib(pool, actual),
        to_smtlib(pool, expected)
    );
}

#[test]
fn truth_values_as_integers() {
    let pool = &Arena::new();
    let (a, b) = (variable("a", Sort::Bool), variable("b", Sort::Bool));
    let (zero, one) = (pool.bv(32, 0), pool.bv(32, 1));
    let as_int = |condition| pool.ite(condition, one, zero);
    same(pool, pool.ne(as_int(a), zero), a);
    same(pool, pool.eq(as_int(a), zero), pool.not(a));
    same(pool, pool.eq(as_int(a), pool.bv(32, 7)), TermId::FALSE);
    same(pool, pool.slt(zero, as_int(a)), a);
    // !(a && b), as C makes an int of it, and asks whether it is nonzero
    let both = pool.ite(a, as_int(b), zero);
    same(pool, pool.ne(both, zero), pool.and2(a, b));
    same(
        pool,
        pool.zero_extend(as_int(a), 64),
        pool.ite(a, pool.bv(64, 1), pool.bv(64, 0)),
    );
    same(
        pool,
        pool.add(as_int(a), one),
        pool.ite(a, pool.bv(32, 2), one),
    );
    let x = variable("x", INT);
    same(
        pool,
        pool.eq(pool.ite(a, x, one), pool.bv(32, 5)),
        pool.and2(a, pool.eq(x, pool.bv(32, 5))),
    );
    same(
        pool,
        pool.int_le(pool.ite(a, pool.int(1), pool.int(0)), pool.int(0)),
        pool.not(a),
    );
}

#[test]
fn connectives() {
    let pool = &Arena::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| variable(name, Sort::Bool));
    let (x, y) = (variable("x", INT), variable("y", INT));
    same(pool, pool.and2(a, pool.and2(b, a)), pool.and2(a, b));
    same(pool, pool.and([a, b, pool.not(a)]), TermId::FALSE);
    same(pool, pool.or2(pool.ult(x, y), pool.ule(y, x)), TermId::TRUE);
    same(
        pool,
        pool.or2(pool.slt(x, pool.bv(32, 10)), pool.sgt(x, pool.bv(32, 9))),
        TermId::TRUE,
    );
    same(pool, pool.and2(a, pool.or2(a, b)), a);
    // Many conjuncts with a negated one, and many with two contradictory ones.
    let names = ["d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
    let many = names.map(|name| variable(name, Sort::Bool));
    let open = pool.and(many.into_iter().chain([pool.not(a)]));
    assert_ne!(open, TermId::FALSE);
    let contradiction = pool.and(many.into_iter().chain([a, pool.not(a)]));
    same(pool, contradiction, TermId::FALSE);
    same(
        pool,
        pool.and2(a, pool.or2(pool.not(a), b)),
        pool.and2(a, b),
    );
    same(pool, pool.not(pool.slt(x, y)), pool.sle(y, x));
    same(pool, pool.ite(pool.not(a), x, y), pool.ite(a, y, x));
    same(
        pool,
        pool.ite(a, x, pool.ite(b, x, y)),
        pool.ite(pool.or2(a, b), x, y),
    );
    same(pool, pool.ite(a, pool.ite(a, x, y), y), pool.ite(a, x, y));
    same(pool, pool.ite(pool.eq(x, y), x, y), y);
    same(pool, pool.ite(a, TermId::TRUE, b), pool.or2(a, b));
    same(pool, pool.iff(pool.not(a), pool.not(b)), pool.iff(a, b));
    same(pool, pool.implies(c, c), TermId::TRUE);
}

#[test]
fn sums() {
    let pool = &Arena::new();
    let [x, y, base, i] = ["x", "y", "base", "i"].map(|name| variable(name, INT));
    let k = |value| pool.bv_signed(32, value);
    same(pool, pool.add(pool.add(x, k(3)), k(-3)), x);
    same(
        pool,
        pool.sub(pool.add(base, pool.mul(k(4), i)), base),
        pool.mul(i, k(4)),
    );
    same(
        pool,
        pool.add(pool.mul(x, k(3)), pool.mul(k(5), x)),
        pool.shl(x, k(3)),
    );
    same(pool, pool.sub(x, pool.sub(x, y)), y);
    same(pool, pool.eq(pool.add(x, k(3)), k(5)), pool.eq(x, k(2)));
    same(
        pool,
        pool.eq(pool.add(x, k(3)), pool.add(x, k(4))),
        TermId::FALSE,
    );
    same(
        pool,
        pool.eq(pool.add(x, y), pool.add(y, k(4))),
        pool.eq(x, k(4)),
    );
    same(pool, pool.eq(pool.mul(x, k(3)), k(9)), pool.eq(x, k(3)));
    same(pool, pool.eq(pool.mul(x, k(4)), k(6)), TermId::FALSE);
    same(pool, pool.neg(pool.bvnot(x)), pool.add(x, k(1)));
    same(pool, pool.mul(pool.neg(x), pool.neg(y)), pool.mul(x, y));
    let [m, n] = ["m", "n"].map(|name| variable(name, Sort::Int));
    let k = |value| pool.int(value);
    same(
        pool,
        pool.int_lt(pool.int_add(m, k(2)), k(5)),
        pool.int_lt(m, k(3)),
    );
    same(pool, pool.int_le(m, k(2)), pool.int_lt(m, k(3)));
    same(
        pool,
        pool.int_le(pool.int_mul(k(2), m), k(5)),
        pool.int_lt(m, k(3)),
    );
    same(pool, pool.int_lt(m, pool.int_add(m, k(1))), TermId::TRUE);
    same(pool, pool.not(pool.int_lt(m, n)), pool.int_le(n, m));
    same(pool, pool.int_eq_for_test(m, n), TermId::FALSE);
    same(
        pool,
        pool.int_div(pool.int_add(pool.int_mul(m, k(4)), k(7)), k(4)),
        pool.int_add(m, k(1)),
    );
    same(
        pool,
        pool.int_mod(pool.int_add(pool.int_mul(m, k(4)), k(7)), k(4)),
        k(3),
    );
}

trait ForTest: Build {
    /// 2m = 4n + 1
    fn int_eq_for_test(&self, m: TermId, n: TermId) -> TermId {
        let right = self.int_add(self.int_mul(n, self.int(4)), self.int(1));
        self.eq(self.int_mul(m, self.int(2)), right)
    }
}

impl ForTest for Arena {}

#[test]
fn comparisons_of_extended_operands() {
    let pool = &Arena::new();
    let (c, d) = (
        variable("char c", Sort::BitVec(8)),
        variable("char d", Sort::BitVec(8)),
    );
    let (signed, unsigned) = (
        |term| pool.sign_extend(term, 32),
        |term| pool.zero_extend(term, 32),
    );
    let k = |value| pool.bv_signed(32, value);
    let narrow = |value| pool.bv_signed(8, value);
    same(pool, pool.slt(signed(c), signed(d)), pool.slt(c, d));
    same(pool, pool.slt(unsigned(c), unsigned(d)), pool.ult(c, d));
    same(pool, pool.eq(signed(c), signed(d)), pool.eq(c, d));
    same(pool, pool.slt(signed(c), k(200)), TermId::TRUE);
    same(pool, pool.slt(signed(c), k(-5)), pool.slt(c, narrow(-5)));
    same(pool, pool.sle(k(-1), unsigned(c)), TermId::TRUE);
    same(pool, pool.eq(unsigned(c), k(-1)), TermId::FALSE);
    same(pool, pool.eq(signed(c), k(-1)), pool.eq(c, narrow(-1)));
    // c++ of a char
    same(
        pool,
        pool.extract(pool.add(signed(c), k(1)), 7, 0),
        pool.add(c, narrow(1)),
    );
    same(
        pool,
        pool.sdiv(signed(c), k(3)),
        signed(pool.sdiv(c, narrow(3))),
    );
    let x = variable("x", INT);
    same(pool, pool.ult(x, k(1)), pool.eq(x, k(0)));
    same(pool, pool.uge(x, k(0)), TermId::TRUE);
    same(pool, pool.sgt(x, k(i32::MAX.into())), TermId::FALSE);
}

#[test]
fn parts() {
    let pool = &Arena::new();
    let x = variable("x", INT);
    let bytes = [0, 1, 2, 3].map(|n| pool.extract(x, 8 * n + 7, 8 * n));
    let joined = bytes
        .into_iter()
        .reduce(|low, high| pool.concat(high, low))
        .expect("bytes");
    same(pool, joined, x);
    let shifted = |n: u8| {
        pool.shl(
            pool.zero_extend(bytes[usize::from(n)], 32),
            pool.bv(32, u128::from(8 * n)),
        )
    };
    let united = (1..4).fold(shifted(0), |low, n| pool.bvor(low, shifted(n)));
    same(pool, united, x);
    let k = |value| pool.bv(32, value);
    same(
        pool,
        pool.lshr(pool.shl(x, k(24)), k(24)),
        pool.bvand(x, k(255)),
    );
    same(
        pool,
        pool.ashr(pool.shl(x, k(24)), k(24)),
        pool.sign_extend(bytes[0], 32),
    );
    same(pool, pool.urem(x, k(256)), pool.bvand(x, k(255)));
    same(pool, pool.udiv(x, k(256)), pool.lshr(x, k(8)));
    same(pool, pool.bvxor(pool.bvxor(x, k(5)), k(5)), x);
    same(pool, pool.bvand(x, pool.bvnot(x)), k(0));
    // Index of the element at base + 4 * (i + 1), base = 1000.
    let i = variable("i", Sort::BitVec(64));
    let one = pool.add(i, pool.bv(64, 1));
    let address = pool.add(pool.bv(64, 1000), pool.mul(pool.bv(64, 4), one));
    same(
        pool,
        pool.extract(address, 63, 2),
        pool.add(pool.extract(i, 61, 0), pool.bv(62, 251)),
    );
}

#[test]
fn arrays() {
    let pool = &Arena::new();
    let sort = Sort::Array {
        index: ScalarSort::BitVec(32),
        element: ScalarSort::Int,
    };
    let (array, i) = (variable("array", sort), variable("i", INT));
    let (v, w) = (variable("v", Sort::Int), variable("w", Sort::Int));
    let next = pool.add(i, pool.bv(32, 1));
    let written = pool.store(array, i, v);
    same(pool, pool.select(written, i), v);
    same(pool, pool.select(pool.store(written, next, w), i), v);
    same(pool, pool.select(written, next), pool.select(array, next));
    same(pool, pool.store(written, i, w), pool.store(array, i, w));
    same(pool, pool.store(array, i, pool.select(array, i)), array);
    same(
        pool,
        pool.select(pool.const_array(ScalarSort::BitVec(32), v), i),
        v,
    );
}

#[test]
fn floats() {
    let pool = &Arena::new();
    let f = variable("f", Sort::Float(FloatFormat::F32));
    let i = variable("i", INT);
    let nearest = pool.rounding(RoundingMode::NearestEven);
    let widened = pool.fp_to_fp(nearest, f, FloatFormat::F64);
    let half =
        |format| pool.float(FloatValue::from_f64(0.5).convert(RoundingMode::NearestEven, format));
    same(pool, pool.fp_to_fp(nearest, widened, FloatFormat::F32), f);
    same(
        pool,
        pool.fp_lt(widened, half(FloatFormat::F64)),
        pool.fp_lt(f, half(FloatFormat::F32)),
    );
    same(
        pool,
        pool.fp_from_bits(pool.fp_to_bits(f), FloatFormat::F32),
        f,
    );
    let zero = pool.rounding(RoundingMode::TowardZero);
    same(
        pool,
        pool.fp_to_sbv(zero, pool.sbv_to_fp(nearest, i, FloatFormat::F64), 32),
        i,
    );
    same(pool, pool.fp_eq(f, f), pool.not(pool.fp_is_nan(f)));
    // Unsigned numbers of 24 bits are floats, those of 25 are not all.
    for (width, all) in [(24, true), (25, false)] {
        let [a, b] = ["a", "b"].map(|name| variable(name, Sort::BitVec(width)));
        let float = |a| pool.ubv_to_fp(nearest, a, FloatFormat::F32);
        let as_integers = pool.fp_lt(float(a), float(b)) == pool.ult(a, b);
        assert_eq!(as_integers, all, "{width}");
    }
    same(
        pool,
        pool.fp_add(nearest, half(FloatFormat::F32), half(FloatFormat::F32)),
        pool.float(FloatValue::from_f32(1.0)),
    );
}

/// A chain of 200,000 terms, on a thread with 2 MiB of stack: nothing recurses through it.
#[test]
fn deep_terms() {
    let pool = &Arena::new();
    let (x, y) = (variable("x", INT), variable("y", INT));
    let depth = 200_000;
    let step = |term, n: u32| match n % 3 {
        0 => pool.bvxor(pool.mul(term, x), y),
        1 => pool.ite(pool.ult(term, y), term, pool.bv(32, n.into())),
        _ => pool.add(term, pool.bvor(y, pool.bv(32, n.into()))),
    };
    let deep = (0..depth).fold(x, step);
    let value = |symbol: Symbol, _| Some(Value::bit_vec(32, symbol.name().len() as u128));
    let expected = crate::evaluate(pool, deep, &value).expect("all have values");
    assert!(crate::size(pool, deep) > depth as usize);
    assert_eq!(crate::free_variables(pool, deep).len(), 2);
    assert!(to_smtlib(pool, deep).len() > depth as usize);
    let renamed = crate::at_instance(pool, deep, 3);
    assert_ne!(renamed, deep);
    let again = crate::transfer(pool, &Arena::new(), deep);
    assert!(again.is_local());
    assert_eq!(crate::evaluate(pool, renamed, &value), Ok(expected));
}

/// Numbers that cannot be negated in 128 bits are too large for sums in normal form.
#[test]
fn the_least_number_of_128_bits_is_too_large() {
    let pool = &Arena::new();
    let x = variable("i", Sort::Int);
    let least = pool.int_big(i128::MIN.into());
    let value = |term| {
        let assigned = |_, _| Some(Value::int(2));
        crate::evaluate(pool, term, &assigned).map(|value| value.to_string())
    };
    let product = pool.int_mul(x, least);
    let expected = (BigInt::from(i128::MIN) * BigInt::from(2)).to_string();
    for (term, expected) in [
        (product, expected.as_str()),
        (pool.int_lt(product, pool.int(0)), "true"),
        (pool.eq(product, pool.int_mul(least, pool.int(2))), "true"),
        (pool.int_mod(product, least), "0"),
        (pool.int_div(product, least), "2"),
        (
            pool.int_neg(pool.int_add(least, pool.int_sub(x, x))),
            "170141183460469231731687303715884105728",
        ),
    ] {
        assert_eq!(
            value(term).as_deref(),
            Ok(expected),
            "{}",
            to_smtlib(pool, term)
        );
    }
}

#[test]
fn linear_equations_are_solved() {
    let pool = &Arena::new();
    let (x, y, t) = (variable("x", INT), variable("y", INT), variable("t", INT));
    let symbol = Symbol::new("t", INT);
    let number = |number| pool.bv_signed(32, number);
    let solve = |pattern, value| solve_for(pool, symbol, pattern, value);
    same(pool, solve(t, x).unwrap(), x);
    // N - 1 - t = x
    let pattern = pool.sub(number(99), t);
    same(pool, solve(pattern, x).unwrap(), pool.sub(number(99), x));
    // 4 t + y + 2 = 4 x + y - 6
    let scaled = |term| pool.mul(term, number(4));
    let pattern = pool.add(pool.add(scaled(t), y), number(2));
    let value = pool.sub(pool.add(scaled(x), y), number(6));
    same(pool, solve(pattern, value).unwrap(), pool.sub(x, number(2)));
    assert_eq!(solve(pattern, scaled(x)), None);
    assert_eq!(solve(scaled(t), pool.add(scaled(x), number(2))), None);
    assert_eq!(solve(pool.mul(t, t), x), None);
    assert_eq!(solve(pool.add(pool.mul(t, t), t), x), None);
    assert_eq!(solve(pool.add(x, y), x), None);
    // Truncated bits are taken as zero.
    let low = |term| pool.extract(term, 29, 0);
    let solution = solve(low(t), low(x)).unwrap();
    same(pool, solution, pool.zero_extend(low(x), 32));
    let wide = pool.sign_extend(t, 64);
    same(pool, solve(wide, pool.sign_extend(x, 64)).unwrap(), x);
}

#[test]
fn an_offset_into_an_object_does_not_change_its_number() {
    let pool = &Arena::new();
    let address = variable("address", Sort::BitVec(32));
    let number = variable("number", Sort::BitVec(24));
    let symbol = Symbol::new("number", Sort::BitVec(24));
    let field = pool.concat(number, pool.bv(8, 12));
    let solve = |value| solve_for(pool, symbol, field, value);
    let expected = pool.extract(address, 31, 8);
    assert_eq!(solve(address), Some(expected));
    assert_eq!(solve(pool.add(address, pool.bv(32, 12))), Some(expected));
    let elsewhere = pool.add(address, pool.bv(32, 256));
    assert_eq!(solve(elsewhere), Some(pool.extract(elsewhere, 31, 8)));
}

#[test]
fn the_least_number_of_a_ring_is_found() {
    let pool = &Arena::new();
    let (x, y, t) = (variable("x", INT), variable("y", INT), variable("t", INT));
    let symbol = Symbol::new("t", INT);
    let solve = |pattern, value| solve_for(pool, symbol, pattern, value).unwrap();
    let value = |term, [x, y]: [u128; 2]| {
        let assignment = |symbol: Symbol, _: u32| match symbol.name() {
            "x" => Some(Value::bit_vec(32, x)),
            "y" => Some(Value::bit_vec(32, y)),
            name => panic!("{name}"),
        };
        evaluate(pool, term, &assignment)
            .unwrap()
            .as_bit_vec()
            .unwrap()
            .bits()
    };
    // The remainder by a power of two is an extraction, by another size a division.
    for size in [8, 5, 1000] {
        let ring = |term| pool.urem(term, pool.bv(32, size));
        let solution = solve(ring(pool.add(x, t)), ring(y));
        for [x, y] in [[0, 0], [3, 4], [4, 3], [2, 999], [4, 17]] {
            let number = value(solution, [x, y]);
            assert!(number < size, "{number} of {size} for {x}, {y}");
            assert_eq!((x + number) % size, y % size, "of {size} for {x}, {y}");
        }
    }
}

/// Tests a word that is split and combined byte by byte in any order, as in code that is independent of the byte order.
#[test]
fn bytes_put_together_are_the_word() {
    let pool = &Arena::new();
    let x = variable("x", INT);
    let byte = |number: u128| {
        let down = pool.lshr(x, pool.bv(32, 8 * number));
        let byte = pool.bvand(down, pool.bv(32, 255));
        pool.shl(byte, pool.bv(32, 8 * number))
    };
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let word = order.map(byte).into_iter();
        same(pool, word.reduce(|a, b| pool.bvor(a, b)).expect("bytes"), x);
    }
    let ends = pool.bvor(byte(3), byte(0));
    same(pool, pool.extract(ends, 7, 0), pool.extract(x, 7, 0));
    same(pool, pool.extract(ends, 23, 8), pool.bv(16, 0));
    same(pool, pool.extract(ends, 31, 24), pool.extract(x, 31, 24));
    // Two bytes above zeros are a shifted word.
    let high = pool.bvor(byte(3), byte(2));
    let shifted = pool.shl(pool.lshr(x, pool.bv(32, 16)), pool.bv(32, 16));
    same(pool, high, shifted);
    // Parts with common bits are not combined.
    let y = variable("y", Sort::BitVec(8));
    let other = pool.shl(pool.zero_extend(y, 32), pool.bv(32, 4));
    let common = pool.bvor(byte(0), other);
    assert!(pool.arguments(Op::BvOr, common).is_some());
}

#[test]
fn a_sum_that_does_not_wrap_around_is_extended_by_its_addends() {
    let pool = &Arena::new();
    let offset = variable("offset", Sort::BitVec(8));
    let sum = |constant| {
        let part = pool.zero_extend(offset, 16);
        pool.zero_extend(pool.add(part, pool.bv(16, constant)), 32)
    };
    let extended = |constant| pool.add(pool.zero_extend(offset, 32), pool.bv(32, constant));
    for fits in [1, 0x100, 0xff00] {
        assert_eq!(extended_sum(pool, sum(fits)), Some(extended(fits)));
    }
    assert_eq!(extended_sum(pool, sum(0xff01)), None);
    assert_eq!(extended_sum(pool, sum(0xffff)), None);
}

/// Tests that a high part of a sum is joined with the sum of the low bits, and with no other term.
#[test]
fn the_low_bits_of_a_sum_continue_its_high_bits() {
    let pool = &Arena::new();
    let upper = variable("upper", Sort::BitVec(24));
    let [lower, other] = ["lower", "other"].map(|name| variable(name, Sort::BitVec(8)));
    let sum = pool.add(pool.concat(upper, lower), pool.bv(32, 8));
    let low = |byte, added| pool.add(byte, pool.bv(8, added));
    let continued = |low| pool.concat(pool.extract(sum, 31, 8), low);
    same(pool, continued(low(lower, 8)), sum);
    assert_ne!(continued(low(lower, 9)), sum);
    assert_ne!(continued(low(other, 8)), sum);
}

#[test]
fn high_bits_of_a_product_with_a_reciprocal_are_a_quotient() {
    let pool = &Arena::new();
    let x = variable("x", INT);
    let product = pool.mul(pool.zero_extend(x, 64), pool.bv(64, 0xCCCC_CCCD));
    let quotient = pool.udiv(x, pool.bv(32, 10));
    same(
        pool,
        pool.extract(product, 63, 35),
        pool.extract(quotient, 28, 0),
    );
    let shifted = pool.lshr(product, pool.bv(64, 35));
    same(pool, pool.extract(shifted, 31, 0), quotient);
}

/// All factors, shifts and values of four bits.
#[test]
fn quotients_of_products_are_right() {
    let pool = &Arena::new();
    let symbol = Symbol::new("quotients::x", Sort::BitVec(4));
    let x = pool.variable(symbol);
    let mut quotients = 0;
    for (factor, low) in (0..256).flat_map(|factor| (0..11).map(move |low| (factor, low))) {
        let product = pool.mul(pool.zero_extend(x, 11), pool.bv(11, factor));
        let part = pool.extract(product, 10, low);
        quotients += u32::from(to_smtlib(pool, part).contains("bvudiv"));
        for value in 0..16 {
            let assigned = |_, _| Some(Value::BitVec(BitVecValue::new(4, value)));
            let expected = BitVecValue::new(11 - low, ((value * factor) & 0x7FF) >> low);
            let actual = evaluate(pool, part, &assigned);
            assert_eq!(
                actual,
                Ok(Value::BitVec(expected)),
                "{value} * {factor} >> {low}"
            );
        }
    }
    assert!(quotients > 20, "{quotients}");
}

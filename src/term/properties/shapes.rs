//! Larger forms of terms that rules match and that single random steps hardly ever generate.

use crate::term::{Build, Op, Pool, Sort, TermId, Value};

use super::pairs::{Pair, Terms};

/// Adds a form to the terms; `None` if there are no terms for it.
pub type Shape = fn(&mut Terms, [u16; 4], u64) -> Option<()>;

/// All forms; some are repeated, so that they are chosen more often.
pub const SHAPES: &[Shape] = &[
    long_sum,
    long_sum,
    junction,
    choices,
    choices,
    compared_choices,
    bytes,
    stores,
    neighbours,
    neighbours,
    neighbours,
    widened,
    widened,
    guarded,
    guarded,
    narrow_arithmetic,
    narrow_arithmetic,
    multiples,
    multiples,
    derived,
    derived,
    derived,
    joined,
    joined,
    exact_floats,
    exact_floats,
    complements,
    complements,
];

/// A choice of operands that differs with the number.
const fn mixed(choice: u16, number: usize) -> u16 {
    choice
        .wrapping_mul(number as u16 * 2 + 1)
        .wrapping_add((number as u16).wrapping_mul(7919))
}

fn is_number(sort: Sort) -> bool {
    matches!(sort, Sort::BitVec(_) | Sort::Int)
}

fn is_bv(sort: Sort) -> bool {
    matches!(sort, Sort::BitVec(_))
}

const fn sum_and_product(sort: Sort) -> (Op, Op, Op) {
    match sort {
        Sort::Int => (Op::IntAdd, Op::IntMul, Op::IntNeg),
        _ => (Op::BvAdd, Op::BvMul, Op::BvNeg),
    }
}

/// A comparison of two numbers.
fn comparison(sort: Sort, choice: u16) -> Op {
    let ops: &[Op] = match sort {
        Sort::Int => &[Op::IntLt, Op::IntLe, Op::Eq],
        _ => &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq],
    };
    ops[usize::from(choice) % ops.len()]
}

/// A sum of more addends than the normal form has, with factors.
fn long_sum(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let mut sum = terms.choose(a, is_number)?;
    let (add, mul, neg) = sum_and_product(sum.sort);
    for number in 0..2 + usize::from(d % 8) {
        let own = mixed(b, number);
        let mut addend = terms.choose(own, |sort| sort == sum.sort)?;
        match mixed(c, number) % 4 {
            0 => addend = terms.apply(neg, sum.sort, &[addend]),
            1 => {
                let factor = terms.constant(sum.sort, seed.rotate_left(number as u32 * 5));
                addend = terms.apply(mul, sum.sort, &[addend, factor]);
            }
            2 if number % 2 == 0 => {
                addend = terms.constant(sum.sort, seed.rotate_left(number as u32 * 7))
            }
            _ => {}
        }
        sum = terms.apply(add, sum.sort, &[sum, addend]);
    }
    // There is no operator for differences; they are sums.
    let other = terms.choose(mixed(a, 9), |sort| sort == sum.sort)?;
    let negated = terms.arena.intern(neg, sum.sort, &[other.raw]);
    let raw = terms.arena.intern(add, sum.sort, &[sum.raw, negated]);
    let simple = match sum.sort {
        Sort::Int => terms.arena.int_sub(sum.simple, other.simple),
        _ => terms.arena.sub(sum.simple, other.simple),
    };
    terms.push(raw, simple);
    Some(())
}

/// A conjunction or disjunction of many literals.
fn junction(terms: &mut Terms, [a, b, c, d]: [u16; 4], _: u64) -> Option<()> {
    let mut literals = Vec::new();
    for number in 0..6 + usize::from(d % 8) {
        let literal = terms.choose(mixed(a, number) ^ b, |sort| sort == Sort::Bool)?;
        literals.push(if mixed(c, number).is_multiple_of(5) {
            terms.apply(Op::Not, Sort::Bool, &[literal])
        } else {
            literal
        });
    }
    let (outer, inner) = if d & 16 == 0 {
        (Op::And, Op::Or)
    } else {
        (Op::Or, Op::And)
    };
    let all = terms.apply(outer, Sort::Bool, &literals);
    // Literals that are absorbed or removed.
    let literal = literals[usize::from(b) % literals.len()];
    let negated = terms.apply(Op::Not, Sort::Bool, &[literal]);
    let other = literals[usize::from(c) % literals.len()];
    let pair = [if c & 1 == 0 { literal } else { negated }, other];
    let dual = terms.apply(inner, Sort::Bool, &pair);
    terms.apply(outer, Sort::Bool, &[literal, dual]);
    terms.apply(outer, Sort::Bool, &[dual, all]);
    Some(())
}

/// Nested `ite` with common branches and conditions.
fn choices(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let is_bool = |sort: Sort| sort == Sort::Bool;
    let first = terms.choose(a, |_| true)?;
    let second = terms.other(Some(first), b, first.sort, seed)?;
    let (p, q) = (
        terms.choose(c, is_bool)?,
        terms.choose(mixed(c, 3), is_bool)?,
    );
    let condition = |terms: &mut Terms, number: u16| match number % 4 {
        0 => terms.apply(Op::Not, Sort::Bool, &[p]),
        1 => p,
        2 => terms.apply(Op::Eq, Sort::Bool, &[first, second]),
        _ => q,
    };
    let (outer, inner) = (condition(terms, d), condition(terms, d >> 2));
    let branches = if d & 16 == 0 {
        [first, second]
    } else {
        [second, first]
    };
    let within = terms.apply(Op::Ite, first.sort, &[inner, branches[0], branches[1]]);
    let third = terms.choose(mixed(a, 5), |sort| sort == first.sort)?;
    let outside = if d & 32 == 0 {
        branches[usize::from(d >> 7 & 1)]
    } else {
        third
    };
    let whole = if d & 64 == 0 {
        [outer, within, outside]
    } else {
        [outer, outside, within]
    };
    terms.apply(Op::Ite, first.sort, &whole);
    terms.apply(Op::Ite, first.sort, &[outer, first, second]);
    Some(())
}

/// A chain of `ite` with constants, compared with a constant.
fn compared_choices(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let mut chain = terms.choose(a, |sort| is_number(sort) || matches!(sort, Sort::Float(_)))?;
    let sort = chain.sort;
    for number in 0..1 + usize::from(d % 4) {
        let condition = terms.choose(mixed(b, number), |sort| sort == Sort::Bool)?;
        let constant = terms.constant(sort, seed.rotate_left(number as u32 * 9));
        let branches = if mixed(c, number).is_multiple_of(2) {
            [constant, chain]
        } else {
            [chain, constant]
        };
        chain = terms.apply(Op::Ite, sort, &[condition, branches[0], branches[1]]);
    }
    let bound = terms.other(Some(chain), 2, sort, seed)?;
    let op = match sort {
        Sort::Float(_) => [Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq][usize::from(c) % 4],
        _ => comparison(sort, c),
    };
    let sides = if d & 8 == 0 {
        [chain, bound]
    } else {
        [bound, chain]
    };
    terms.apply(op, Sort::Bool, &sides);
    Some(())
}

/// Bytes put together by shifts and disjunctions, and a part of the result.
fn bytes(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let low = terms.choose(a, is_bv)?;
    let width = u16::from(low.sort.width()? as u8);
    let total = (width + 1 + b % 24).min(128) as u8;
    if u16::from(total) <= width {
        return None;
    }
    let sort = Sort::BitVec(total);
    let low = terms.apply(Op::ZeroExtend(total), sort, &[low]);
    let high = terms.choose(c, |sort| {
        sort.width().is_some_and(|own| own <= u32::from(total))
    })?;
    let extension = if d & 1 == 0 {
        Op::ZeroExtend(total)
    } else {
        Op::SignExtend(total)
    };
    let high = if high.sort == sort {
        high
    } else {
        terms.apply(extension, sort, &[high])
    };
    let amount = u128::from(width).wrapping_add_signed(i128::from(d >> 1 & 3) - 1);
    let amount = terms.literal(&Value::bit_vec(total, amount));
    let shifted = terms.apply(Op::BvShl, sort, &[high, amount]);
    let op = [Op::BvOr, Op::BvAdd, Op::BvXor, Op::BvAnd][usize::from(d >> 3) % 4];
    let whole = terms.apply(op, sort, &[low, shifted]);
    let first = (seed % u64::from(total)) as u8;
    let second = (seed >> 8) as u8 % total;
    let (high, low) = (first.max(second), first.min(second));
    terms.apply(
        Op::Extract { high, low },
        Sort::BitVec(high - low + 1),
        &[whole],
    );
    Some(())
}

/// Stores at neighbouring indices, and a read.
fn stores(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let mut array = terms.choose(a, Sort::is_array)?;
    let Sort::Array { index, element } = array.sort else {
        return None;
    };
    let base = terms.choose(b, |sort| sort == index.into())?;
    let place = |terms: &mut Terms, number: u64| match index.into() {
        sort @ (Sort::BitVec(_) | Sort::Int) => {
            let distance = match sort {
                Sort::BitVec(width) => Value::bit_vec(width, u128::from(number % 3)),
                _ => Value::int(number as i64 % 3 - 1),
            };
            let distance = terms.literal(&distance);
            terms.apply(sum_and_product(sort).0, sort, &[base, distance])
        }
        _ => base,
    };
    for number in 0..1 + usize::from(d % 4) {
        let own = place(terms, seed.rotate_left(number as u32 * 3));
        let value = match mixed(c, number) % 3 {
            0 => terms.apply(Op::Select, element.into(), &[array, own]),
            _ => terms.other(None, mixed(c, number), element.into(), seed)?,
        };
        array = terms.apply(Op::Store, array.sort, &[array, own, value]);
    }
    let own = place(terms, seed >> 20);
    terms.apply(Op::Select, element.into(), &[array, own]);
    Some(())
}

/// Comparisons of one term with neighbouring constants, joined: `x < k` and `k - 1 < x`.
fn neighbours(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let term = terms.choose(a, is_number)?;
    let first = terms.constant(term.sort, seed);
    let one = terms.literal(&match term.sort {
        Sort::BitVec(width) => Value::bit_vec(width, u128::from(b % 3).wrapping_sub(1)),
        _ => Value::int(i64::from(b % 3) - 1),
    });
    let second = terms.apply(sum_and_product(term.sort).0, term.sort, &[first, one]);
    // Comparisons of one kind belong together.
    let ops = [
        comparison(term.sort, c),
        comparison(term.sort, if d & 4 == 0 { c } else { b }),
    ];
    let mut literals = Vec::new();
    for (number, (op, constant)) in ops.into_iter().zip([first, second]).enumerate() {
        let sides = if d >> number & 1 == 0 {
            [term, constant]
        } else {
            [constant, term]
        };
        literals.push(terms.apply(op, Sort::Bool, &sides));
    }
    for op in [Op::And, Op::Or, Op::Eq] {
        terms.apply(op, Sort::Bool, &literals);
    }
    Some(())
}

/// An extension that is compared, divided or masked: with a constant, or with another extension.
fn widened(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let inner = terms.choose(a, |sort| sort.width().is_some_and(|width| width < 128))?;
    let width = inner.sort.width()? as u8;
    let total = width + 1 + (b % u16::from(128 - width).min(9)) as u8;
    let sort = Sort::BitVec(total);
    let extension = |number: u16| {
        if number & 1 == 0 {
            Op::ZeroExtend(total)
        } else {
            Op::SignExtend(total)
        }
    };
    let left = terms.apply(extension(d), sort, &[inner]);
    let right = if d & 2 == 0 {
        terms.other(Some(left), 2, sort, seed)?
    } else {
        let other = terms.choose(c, |sort| {
            sort.width().is_some_and(|width| width <= u32::from(total))
        })?;
        if other.sort == sort {
            other
        } else {
            terms.apply(extension(d >> 2), sort, &[other])
        }
    };
    let ops = [
        Op::BvUlt,
        Op::BvUle,
        Op::BvSlt,
        Op::BvSle,
        Op::Eq,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvAdd,
        Op::BvMul,
    ];
    let op = ops[usize::from(d >> 3) % ops.len()];
    let result = match op {
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq => Sort::Bool,
        _ => sort,
    };
    let sides = if d & 4 == 0 {
        [left, right]
    } else {
        [right, left]
    };
    terms.apply(op, result, &sides);
    Some(())
}

/// An `ite` whose condition occurs again in a branch, or is an equality of the branches.
fn guarded(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let first = terms.choose(a, |sort| !sort.is_array())?;
    let second = terms.other(Some(first), b, first.sort, seed)?;
    let condition = terms.apply(Op::Eq, Sort::Bool, &[first, second]);
    let condition = if d & 1 == 0 {
        condition
    } else {
        terms.apply(Op::Not, Sort::Bool, &[condition])
    };
    let third = terms.choose(c, |sort| sort == first.sort)?;
    let branches = match d >> 1 & 3 {
        0 => [first, second],
        1 => [second, first],
        2 => [first, third],
        _ => [third, second],
    };
    terms.apply(Op::Ite, first.sort, &[condition, branches[0], branches[1]]);
    // A truth value as a number, multiplied by a term.
    if is_bv(first.sort) {
        let (zero, one) = (
            terms.literal(&Value::bit_vec(first.sort.width()? as u8, 0)),
            terms.literal(&Value::bit_vec(first.sort.width()? as u8, 1)),
        );
        let bits = if d & 8 == 0 { [one, zero] } else { [zero, one] };
        let bit = terms.apply(Op::Ite, first.sort, &[condition, bits[0], bits[1]]);
        terms.apply(Op::BvMul, first.sort, &[bit, third]);
    }
    Some(())
}

/// C's arithmetic on narrow types: extended, computed, truncated.
fn narrow_arithmetic(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let left = terms.choose(a, |sort| sort.width().is_some_and(|width| width < 64))?;
    let right = terms.choose(b, |sort| sort == left.sort)?;
    let width = left.sort.width()? as u8;
    let total = width * 2;
    let sort = Sort::BitVec(total);
    let extension = |number: u16| {
        if number & 1 == 0 {
            Op::ZeroExtend(total)
        } else {
            Op::SignExtend(total)
        }
    };
    let mut operands = [
        terms.apply(extension(c), sort, &[left]),
        terms.apply(extension(c >> 1), sort, &[right]),
    ];
    if c & 4 == 0 {
        operands[1] = terms.other(Some(operands[0]), 2, sort, seed)?;
    }
    let ops = [Op::BvAdd, Op::BvMul, Op::BvAnd, Op::BvOr, Op::BvXor];
    let mut whole = terms.apply(ops[usize::from(d) % ops.len()], sort, &operands);
    for number in 0..d >> 3 & 3 {
        whole = match mixed(c, usize::from(number)) % 4 {
            0 => terms.apply(Op::BvNeg, sort, &[whole]),
            1 => terms.apply(Op::BvNot, sort, &[whole]),
            2 => {
                let condition = terms.choose(c, |sort| sort == Sort::Bool)?;
                terms.apply(Op::Ite, sort, &[condition, whole, operands[1]])
            }
            _ => terms.apply(
                ops[usize::from(d >> 5) % ops.len()],
                sort,
                &[whole, operands[0]],
            ),
        };
    }
    let (first, second) = ((seed >> 8) as u8 % total, (seed >> 16) as u8 % total);
    let (high, low) = match seed % 3 {
        0 => (width - 1, 0),
        1 => (first, 0),
        _ => (first.max(second), first.min(second)),
    };
    terms.apply(
        Op::Extract { high, low },
        Sort::BitVec(high - low + 1),
        &[whole],
    );
    Some(())
}

/// Sums of multiples of a power of two (addresses), compared, divided, truncated, masked; for integers, of any number.
fn multiples(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let first = terms.choose(a, is_number)?;
    let sort = first.sort;
    let (add, mul, _) = sum_and_product(sort);
    let scale = match sort {
        Sort::BitVec(width) if b & 0x100 == 0 => {
            Value::bit_vec(width, u128::from(seed.rotate_left(9)) | 1)
        }
        Sort::BitVec(width) => Value::bit_vec(width, 1 << (b % u16::from(width).min(5))),
        _ => Value::int([2, 3, -4, 6, 10][usize::from(b) % 5]),
    };
    let scale = terms.literal(&scale);
    let mut sum = terms.apply(mul, sort, &[first, scale]);
    for number in 0..d % 3 {
        let addend = terms.choose(mixed(c, usize::from(number)), |own| own == sort)?;
        let addend = terms.apply(mul, sort, &[addend, scale]);
        sum = terms.apply(add, sort, &[sum, addend]);
    }
    if d & 4 == 0 {
        let constant = terms.constant(sort, seed);
        sum = terms.apply(add, sort, &[sum, constant]);
    }
    let other: Pair = terms.other(Some(sum), c, sort, seed >> 5)?;
    match (sort, d >> 3 & 3) {
        (Sort::BitVec(width), 0) => {
            let (first, second) = ((seed >> 8) as u8 % width, (seed >> 16) as u8 % width);
            let (high, low) = (first.max(second), first.min(second));
            terms.apply(
                Op::Extract { high, low },
                Sort::BitVec(high - low + 1),
                &[sum],
            );
        }
        (Sort::Int, 0) => {
            terms.apply(Op::IntDiv, sort, &[sum, other]);
            terms.apply(Op::IntDiv, sort, &[sum, scale]);
        }
        (Sort::Int, 1) => {
            terms.apply(Op::IntMod, sort, &[sum, other]);
            let rest = terms.apply(Op::IntMod, sort, &[sum, scale]);
            let near = terms.literal(&Value::int(i64::from(c % 3) - 1));
            let near = terms.apply(Op::IntAdd, sort, &[scale, near]);
            let rest = if d & 32 == 0 {
                rest
            } else {
                terms.apply(Op::IntMod, sort, &[first, scale])
            };
            terms.apply(Op::IntDiv, sort, &[rest, near]);
            terms.apply(Op::IntMod, sort, &[rest, near]);
        }
        (_, 1) => {
            terms.apply(Op::BvUdiv, sort, &[sum, scale]);
            terms.apply(Op::BvUrem, sort, &[sum, scale]);
        }
        _ => {
            terms.apply(comparison(sort, c), Sort::Bool, &[sum, other]);
            terms.apply(Op::Eq, Sort::Bool, &[sum, other]);
            // True for a small number.
            terms.apply(Op::Eq, Sort::Bool, &[sum, scale]);
            let near = terms.choose(a, |own| own == sort)?;
            let distance =
                terms.constant(sort, seed & 0x700 | if sort == Sort::Int { 1 } else { 7 });
            let near = terms.apply(add, sort, &[near, distance]);
            terms.apply(comparison(sort, c >> 3), Sort::Bool, &[near, other]);
        }
    }
    Some(())
}

/// Constructors without an operator of their own.
fn derived(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let left = terms.choose(a, |sort| is_number(sort) || sort == Sort::Bool)?;
    let right = terms.other(Some(left), b, left.sort, seed)?;
    let arena = &terms.arena;
    let (x, y) = (left.simple, right.simple);
    let raw = |op, sort, operands: &[TermId]| arena.intern(op, sort, operands);
    let not = |term| raw(Op::Not, Sort::Bool, &[term]);
    let pair = [left.raw, right.raw];
    let (raw, simple) = match left.sort {
        Sort::Bool => match d % 4 {
            0 => (
                raw(Op::Or, Sort::Bool, &[not(left.raw), right.raw]),
                arena.implies(x, y),
            ),
            1 => (raw(Op::Eq, Sort::Bool, &pair), arena.iff(x, y)),
            2 => (not(raw(Op::Eq, Sort::Bool, &pair)), arena.xor(x, y)),
            _ => {
                let width = 1 + (c % 40) as u8;
                let bits = [arena.bv(width, 1), arena.bv(width, 0)];
                let raw = raw(Op::Ite, Sort::BitVec(width), &[left.raw, bits[0], bits[1]]);
                (raw, arena.bool_to_bv(x, width))
            }
        },
        Sort::Int => {
            let sort = Sort::Int;
            let zero = arena.int(0);
            let neg = |term| raw(Op::IntNeg, sort, &[term]);
            // Divide magnitudes, then set the signs.
            let truncating = |op: Op| {
                let positive = raw(op, sort, &pair);
                let negative = neg(raw(op, sort, &[neg(left.raw), right.raw]));
                raw(
                    Op::Ite,
                    sort,
                    &[
                        raw(Op::IntLt, Sort::Bool, &[left.raw, zero]),
                        negative,
                        positive,
                    ],
                )
            };
            match d % 5 {
                0 => (truncating(Op::IntDiv), arena.int_tdiv(x, y)),
                1 => (truncating(Op::IntMod), arena.int_trem(x, y)),
                2 => (
                    raw(Op::IntLt, Sort::Bool, &[right.raw, left.raw]),
                    arena.int_gt(x, y),
                ),
                3 => (
                    raw(Op::IntLe, Sort::Bool, &[right.raw, left.raw]),
                    arena.int_ge(x, y),
                ),
                _ => (
                    raw(Op::IntAdd, sort, &[left.raw, neg(right.raw)]),
                    arena.int_sub(x, y),
                ),
            }
        }
        sort => {
            let own = sort.width()? as u8;
            let width = 1 + (c % 128) as u8;
            let narrow = Op::Extract {
                high: width - 1,
                low: 0,
            };
            match d % 8 {
                0 => (
                    raw(Op::BvUlt, Sort::Bool, &[right.raw, left.raw]),
                    arena.ugt(x, y),
                ),
                1 => (
                    raw(Op::BvUle, Sort::Bool, &[right.raw, left.raw]),
                    arena.uge(x, y),
                ),
                2 => (
                    raw(Op::BvSlt, Sort::Bool, &[right.raw, left.raw]),
                    arena.sgt(x, y),
                ),
                3 => (
                    raw(Op::BvSle, Sort::Bool, &[right.raw, left.raw]),
                    arena.sge(x, y),
                ),
                4 => (not(raw(Op::Eq, Sort::Bool, &pair)), arena.ne(x, y)),
                5 => {
                    let op = if width < own {
                        narrow
                    } else {
                        Op::ZeroExtend(width)
                    };
                    (
                        raw(op, Sort::BitVec(width), &[left.raw]),
                        arena.zero_resize(x, width),
                    )
                }
                6 => {
                    let op = if width < own {
                        narrow
                    } else {
                        Op::SignExtend(width)
                    };
                    (
                        raw(op, Sort::BitVec(width), &[left.raw]),
                        arena.sign_resize(x, width),
                    )
                }
                _ => {
                    let negated = raw(Op::BvNeg, sort, &[right.raw]);
                    (raw(Op::BvAdd, sort, &[left.raw, negated]), arena.sub(x, y))
                }
            }
        }
    };
    terms.push(raw, simple);
    Some(())
}

/// Concatenations of neighbouring parts, of one term or of two, and their comparison.
fn joined(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let left = terms.choose(a, |sort| {
        sort.width().is_some_and(|width| width > 1 && width <= 64)
    })?;
    let right = if d & 1 == 0 {
        left
    } else {
        terms.choose(b, |sort| sort == left.sort)?
    };
    let width = left.sort.width()? as u8;
    let middle = 1 + (seed % u64::from(width - 1)) as u8;
    let top = (middle + (seed >> 8) as u8 % (width - middle)).min(width - 1);
    let bottom = (seed >> 16) as u8 % middle;
    let bottom = if d & 2 == 0 { 0 } else { bottom };
    let top = if d & 4 == 0 { width - 1 } else { top };
    let part = |terms: &mut Terms, of: Pair, high: u8, low: u8| {
        terms.apply(
            Op::Extract { high, low },
            Sort::BitVec(high - low + 1),
            &[of],
        )
    };
    let high = part(terms, left, top, middle);
    let low = part(terms, right, middle - 1, bottom);
    let sort = Sort::BitVec(top - bottom + 1);
    let whole = terms.apply(Op::Concat, sort, &[high, low]);
    // Another concatenation with the same widths.
    let own = Sort::BitVec(top - middle + 1);
    let other_high = terms.other(Some(high), c, own, seed)?;
    let other_low = if d & 8 == 0 {
        low
    } else {
        terms.other(Some(low), b, low.sort, seed >> 9)?
    };
    let other = terms.apply(Op::Concat, sort, &[other_high, other_low]);
    terms.apply(Op::Eq, Sort::Bool, &[whole, other]);
    let other = terms.apply(Op::Concat, sort, &[high, other_low]);
    terms.apply(Op::Eq, Sort::Bool, &[whole, other]);
    Some(())
}

/// Integers and narrow floats that are converted without loss, or nearly: compared, and converted back.
fn exact_floats(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let target = terms.choose(a, |sort| matches!(sort, Sort::Float(_)))?.sort;
    let Sort::Float(format) = target else {
        return None;
    };
    let from = terms.choose(b, |sort| is_bv(sort) || matches!(sort, Sort::Float(_)))?;
    let other = terms.other(Some(from), c, from.sort, seed)?;
    let mode = terms.constant(Sort::BitVec(2), seed >> 7);
    let conversion = |number: u16| match from.sort {
        Sort::Float(_) => Op::FpToFp(format),
        _ if number & 1 == 0 => Op::SbvToFp(format),
        _ => Op::UbvToFp(format),
    };
    let left = terms.apply(conversion(d), target, &[mode, from]);
    let right = match d & 6 {
        0 => terms.other(Some(left), 0, target, seed)?,
        2 => terms.apply(conversion(d >> 3), target, &[mode, other]),
        _ => terms.apply(conversion(d), target, &[mode, other]),
    };
    let op = [Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq][usize::from(d >> 4) % 4];
    let sides = if d & 64 == 0 {
        [left, right]
    } else {
        [right, left]
    };
    terms.apply(op, Sort::Bool, &sides);
    let width = match from.sort {
        Sort::BitVec(width) => width
            .saturating_add_signed((d >> 7 & 3) as i8 - 1)
            .clamp(1, 128),
        _ => 32,
    };
    let back = if d & 512 == 0 {
        Op::FpToSbv(width)
    } else {
        Op::FpToUbv(width)
    };
    terms.apply(back, Sort::BitVec(width), &[mode, left]);
    for op in [
        Op::FpIsNegative,
        Op::FpIsZero,
        Op::FpIsInfinite,
        Op::FpIsNan,
    ] {
        terms.apply(op, Sort::Bool, &[left]);
    }
    Some(())
}

/// Complements or negations of two terms, or of the same term, compared and combined.
fn complements(terms: &mut Terms, [a, b, c, d]: [u16; 4], seed: u64) -> Option<()> {
    let left = terms.choose(a, |sort| is_number(sort) || matches!(sort, Sort::Float(_)))?;
    let right = match d & 3 {
        0 => terms.other(Some(left), b, left.sort, seed)?,
        1 => terms.choose(b, |sort| sort == left.sort)?,
        _ => left,
    };
    let op = match left.sort {
        Sort::Float(_) => Op::FpNeg,
        Sort::Int => Op::IntNeg,
        _ => [Op::BvNot, Op::BvNeg][usize::from(c & 1)],
    };
    let first = terms.apply(op, left.sort, &[left]);
    let second = match d & 4 {
        0 => right,
        _ => terms.apply(op, left.sort, &[right]),
    };
    terms.apply(Op::Eq, Sort::Bool, &[first, second]);
    if is_bv(left.sort) {
        let ops = [Op::BvXor, Op::BvAnd, Op::BvOr, Op::BvAdd];
        let op = ops[usize::from(d >> 3) % ops.len()];
        terms.apply(op, left.sort, &[first, second]);
    }
    Some(())
}

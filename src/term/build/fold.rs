//! What all rules use: folding of constants, matching, and the way from an operator to its constructor.

use super::*;

/// Applies the operator: to its value if all arguments are constants, to both if one argument chooses between two and
/// the others are constants, else as it is told.
pub(super) fn fold<P: Pool + ?Sized>(pool: &P, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
    let Some(chooser) = single_choice(pool, arguments) else {
        return pool.intern(op, sort, arguments);
    };
    let with = |branch: Option<TermId>| {
        let value = |(place, argument): (usize, &TermId)| {
            let term = branch
                .filter(|_| {
                    planted!(
                        "fold: the branch takes the place of all operands",
                        Some(place) == chooser,
                        true
                    )
                })
                .unwrap_or(*argument);
            pool.constant(term).map(Constant::to_value)
        };
        let values: Option<smallvec::SmallVec<[Value; 4]>> =
            arguments.iter().enumerate().map(value).collect();
        values.map(|values| pool.intern_constant(&semantics::apply(op, sort, &values)))
    };
    let result = match chooser.and_then(|place| choice(pool, arguments[place])) {
        None => with(None),
        Some((condition, then, otherwise)) => match (with(Some(then)), with(Some(otherwise))) {
            (Some(then), Some(otherwise)) => Some(planted!(
                "fold: a choice among constants is the other one",
                pool.ite(condition, then, otherwise),
                pool.ite(condition, otherwise, then)
            )),
            _ => None,
        },
    };
    result.unwrap_or_else(|| pool.intern(op, sort, arguments))
}

/// `Some` if all arguments are constants but for at most one, which is a choice between constants; that one's place.
fn single_choice<P: Pool + ?Sized>(pool: &P, arguments: &[TermId]) -> Option<Option<usize>> {
    let mut place = None;
    for (position, argument) in arguments.iter().enumerate() {
        match pool.kind(*argument) {
            TermKind::Constant(_) => {}
            TermKind::Apply {
                op: Op::Ite,
                arguments: &[_, then, otherwise],
            } if place.is_none()
                && pool.constant(then).is_some()
                && pool.constant(otherwise).is_some() =>
            {
                place = Some(position);
            }
            _ => return None,
        }
    }
    Some(place)
}

/// The operands, if the term is an application of the operator.
pub(super) fn arguments<P: Pool + ?Sized>(pool: &P, term: TermId, wanted: Op) -> Option<&[TermId]> {
    match pool.kind(term) {
        TermKind::Apply { op, arguments } if op == wanted => Some(arguments),
        _ => None,
    }
}

/// The operand, if the term is an application of the unary operator.
pub(super) fn unary<P: Pool + ?Sized>(pool: &P, term: TermId, wanted: Op) -> Option<TermId> {
    match arguments(pool, term, wanted) {
        Some(&[argument]) => Some(argument),
        _ => None,
    }
}

/// The operands, if the term is an application of the binary operator.
pub(super) fn binary<P: Pool + ?Sized>(
    pool: &P,
    term: TermId,
    wanted: Op,
) -> Option<(TermId, TermId)> {
    match arguments(pool, term, wanted) {
        Some(&[left, right]) => Some((left, right)),
        _ => None,
    }
}

/// Condition and branches, if the term is a choice.
pub(super) fn choice<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<(TermId, TermId, TermId)> {
    match arguments(pool, term, Op::Ite) {
        Some(&[condition, then, otherwise]) => Some((condition, then, otherwise)),
        _ => None,
    }
}

/// [`Build::apply`].
pub(super) fn dispatch<P: Pool + ?Sized>(
    pool: &P,
    op: Op,
    sort: Sort,
    operands: &[TermId],
) -> TermId {
    match (op, operands) {
        (Op::And, _) => boolean::and(pool, operands),
        (Op::Or, _) => boolean::or(pool, operands),
        (Op::Not, &[a]) => pool.not(a),
        (Op::BvNeg, &[a]) => pool.neg(a),
        (Op::BvNot, &[a]) => pool.bvnot(a),
        (Op::IntNeg, &[a]) => pool.int_neg(a),
        (Op::BvToNat, &[a]) => pool.bv_to_nat(a),
        (Op::BvToInt, &[a]) => pool.bv_to_int(a),
        (Op::FpNeg, &[a]) => pool.fp_neg(a),
        (Op::FpAbs, &[a]) => pool.fp_abs(a),
        (Op::FpIsNan, &[a]) => pool.fp_is_nan(a),
        (Op::FpIsInfinite, &[a]) => pool.fp_is_infinite(a),
        (Op::FpIsZero, &[a]) => pool.fp_is_zero(a),
        (Op::FpIsNormal, &[a]) => pool.fp_is_normal(a),
        (Op::FpIsSubnormal, &[a]) => pool.fp_is_subnormal(a),
        (Op::FpIsNegative, &[a]) => pool.fp_is_negative(a),
        (Op::FpToBits, &[a]) => pool.fp_to_bits(a),
        (Op::Extract { high, low }, &[a]) => pool.extract(a, high, low),
        (Op::ZeroExtend(width), &[a]) => pool.zero_extend(a, width),
        (Op::SignExtend(width), &[a]) => pool.sign_extend(a, width),
        (Op::IntToBv(width), &[a]) => pool.int_to_bv(a, width),
        (Op::FpFromBits(format), &[a]) => pool.fp_from_bits(a, format),
        (Op::Eq, &[a, b]) => pool.eq(a, b),
        (Op::BvAdd, &[a, b]) => pool.add(a, b),
        (Op::BvMul, &[a, b]) => pool.mul(a, b),
        (Op::BvUdiv, &[a, b]) => pool.udiv(a, b),
        (Op::BvUrem, &[a, b]) => pool.urem(a, b),
        (Op::BvSdiv, &[a, b]) => pool.sdiv(a, b),
        (Op::BvSrem, &[a, b]) => pool.srem(a, b),
        (Op::BvAnd, &[a, b]) => pool.bvand(a, b),
        (Op::BvOr, &[a, b]) => pool.bvor(a, b),
        (Op::BvXor, &[a, b]) => pool.bvxor(a, b),
        (Op::BvShl, &[a, b]) => pool.shl(a, b),
        (Op::BvLshr, &[a, b]) => pool.lshr(a, b),
        (Op::BvAshr, &[a, b]) => pool.ashr(a, b),
        (Op::BvUlt, &[a, b]) => pool.ult(a, b),
        (Op::BvUle, &[a, b]) => pool.ule(a, b),
        (Op::BvSlt, &[a, b]) => pool.slt(a, b),
        (Op::BvSle, &[a, b]) => pool.sle(a, b),
        (Op::Concat, &[a, b]) => pool.concat(a, b),
        (Op::IntAdd, &[a, b]) => pool.int_add(a, b),
        (Op::IntMul, &[a, b]) => pool.int_mul(a, b),
        (Op::IntDiv, &[a, b]) => pool.int_div(a, b),
        (Op::IntMod, &[a, b]) => pool.int_mod(a, b),
        (Op::IntLt, &[a, b]) => pool.int_lt(a, b),
        (Op::IntLe, &[a, b]) => pool.int_le(a, b),
        (Op::FpRem, &[a, b]) => pool.fp_rem(a, b),
        (Op::FpLt, &[a, b]) => pool.fp_lt(a, b),
        (Op::FpLe, &[a, b]) => pool.fp_le(a, b),
        (Op::FpEq, &[a, b]) => pool.fp_eq(a, b),
        (Op::FpSqrt, &[a, b]) => pool.fp_sqrt(a, b),
        (Op::FpRoundToIntegral, &[a, b]) => pool.fp_round_to_integral(a, b),
        (Op::FpToInt, &[a, b]) => pool.fp_to_int(a, b),
        (Op::Select, &[a, b]) => pool.select(a, b),
        (Op::FpToFp(format), &[a, b]) => pool.fp_to_fp(a, b, format),
        (Op::SbvToFp(format), &[a, b]) => pool.sbv_to_fp(a, b, format),
        (Op::UbvToFp(format), &[a, b]) => pool.ubv_to_fp(a, b, format),
        (Op::IntToFp(format), &[a, b]) => pool.int_to_fp(a, b, format),
        (Op::FpToSbv(width), &[a, b]) => pool.fp_to_sbv(a, b, width),
        (Op::FpToUbv(width), &[a, b]) => pool.fp_to_ubv(a, b, width),
        (Op::Ite, &[a, b, c]) => pool.ite(a, b, c),
        (Op::FpAdd, &[a, b, c]) => pool.fp_add(a, b, c),
        (Op::FpSub, &[a, b, c]) => pool.fp_sub(a, b, c),
        (Op::FpMul, &[a, b, c]) => pool.fp_mul(a, b, c),
        (Op::FpDiv, &[a, b, c]) => pool.fp_div(a, b, c),
        (Op::Store, &[a, b, c]) => pool.store(a, b, c),
        (Op::FpFma, &[a, b, c, d]) => pool.fp_fma(a, b, c, d),
        (Op::ConstArray, &[a]) => match sort {
            Sort::Array { index, .. } => pool.const_array(index, a),
            _ => panic!("an array's sort was expected, not {sort}"),
        },
        _ => panic!("{op:?} does not take {} operands", operands.len()),
    }
}

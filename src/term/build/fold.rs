//! Helpers of all rules: constant folding and matching.

use super::*;

/// Applies the operator: folds it if all arguments are constants, folds both branches if one argument is an `ite` of constants
/// and the others are constants, and interns it otherwise.
pub(super) fn fold<P: Pool + ?Sized>(pool: &P, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
    let Some(chooser) = single_choice(pool, arguments) else {
        return pool.intern(op, sort, arguments);
    };
    let with = |branch: Option<TermId>| {
        let value = |(place, argument): (usize, &TermId)| {
            let term = branch
                .filter(|_| Some(place) == chooser)
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
            (Some(then), Some(otherwise)) => Some(pool.ite(condition, then, otherwise)),
            _ => None,
        },
    };
    result.unwrap_or_else(|| pool.intern(op, sort, arguments))
}

/// Returns `Some` if all arguments are constants except for at most one, which is an `ite` of constants; with its index.
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

/// The operand, if the term is an application of the unary operator.
pub(super) fn unary<P: Pool + ?Sized>(pool: &P, term: TermId, wanted: Op) -> Option<TermId> {
    match pool.arguments(wanted, term) {
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
    match pool.arguments(wanted, term) {
        Some(&[left, right]) => Some((left, right)),
        _ => None,
    }
}

/// Condition and branches, if the term is an `ite`.
pub(super) fn choice<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<(TermId, TermId, TermId)> {
    match pool.arguments(Op::Ite, term) {
        Some(&[condition, then, otherwise]) => Some((condition, then, otherwise)),
        _ => None,
    }
}

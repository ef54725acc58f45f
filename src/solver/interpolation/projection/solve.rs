//! Solves an equation for a variable by inverting the operators around it, one by one, with side conditions where an
//! operator is not surjective. The result is equivalent. The variable may occur only once; [`solved`] is for sums with it.
//!
//! [`solved`]: regatta_term::solved

use num_traits::{One, Signed};
use rustc_hash::FxHashSet;

use regatta_term::{Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm};

/// The solution of an equation, which is equivalent to ∃ fresh. variable = value ∧ sides.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The variable's value; the variable does not occur in it.
    pub value: TermId,
    /// Side conditions; the variable does not occur here either.
    pub sides: Vec<TermId>,
    /// Fresh variables, each with its meaning as a term over the variable solved for.
    pub fresh: Vec<(TermId, TermId)>,
}

/// Returns the subterms that contain the variable, including the term itself.
pub fn containing(arena: &Arena, term: TermId, variable: TermId) -> FxHashSet<TermId> {
    let mut found = FxHashSet::default();
    for_each_subterm(arena, [term], |term, kind| {
        let contains = match kind {
            TermKind::Apply { arguments, .. } => arguments.iter().any(|a| found.contains(a)),
            _ => term == variable,
        };
        if contains {
            found.insert(term);
        }
    });
    found
}

/// Solves a literal for a variable: an equation, or a Boolean variable itself.
pub fn solve(arena: &Arena, literal: TermId, variable: TermId) -> Option<Solution> {
    let within = containing(arena, literal, variable);
    match arena.kind(literal) {
        TermKind::Variable { .. } if literal == variable => Some(Solution {
            value: TermId::TRUE,
            sides: Vec::new(),
            fresh: Vec::new(),
        }),
        TermKind::Apply {
            op: Op::Not,
            arguments: &[inner],
        } => match arena.as_application(inner) {
            _ if inner == variable => Some(Solution {
                value: TermId::FALSE,
                sides: Vec::new(),
                fresh: Vec::new(),
            }),
            // For Booleans, a ≠ b is a = ¬b.
            Some((Op::Eq, &[a, b])) if arena.sort(a) == Sort::Bool => {
                solve_equation(arena, a, arena.not(b), variable, &within)
            }
            _ => None,
        },
        TermKind::Apply {
            op: Op::Eq,
            arguments: &[a, b],
        } => solve_equation(arena, a, b, variable, &within),
        _ => None,
    }
}

/// Solves a = b if the variable occurs on one side only; `within` are the terms that contain it.
pub(crate) fn solve_equation(
    arena: &Arena,
    a: TermId,
    b: TermId,
    variable: TermId,
    within: &FxHashSet<TermId>,
) -> Option<Solution> {
    let contains =
        |term: TermId| within.contains(&term) || containing(arena, term, variable).contains(&term);
    let (mut side, mut value) = match (contains(a), contains(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return None,
    };
    let mut sides = Vec::new();
    let mut fresh = Vec::new();
    while side != variable {
        let (op, arguments) = arena.as_application(side)?;
        let arguments: smallvec::SmallVec<[TermId; 3]> = arguments.into();
        // The only operand with the variable.
        let mut places = (0..arguments.len()).filter(|&place| contains(arguments[place]));
        let place = places.next()?;
        if places.next().is_some() {
            return None;
        }
        let inner = arguments[place];
        let other = |place: usize| arguments[place];
        value = match (op, place) {
            (Op::Not, _) => arena.not(value),
            (Op::Eq, _) if arena.sort(inner) == Sort::Bool => arena.eq(value, other(1 - place)),
            (Op::BvAdd, _) => arena.sub(value, other(1 - place)),
            (Op::IntAdd, _) => arena.int_sub(value, other(1 - place)),
            (Op::BvNeg, _) => arena.neg(value),
            (Op::IntNeg, _) => arena.int_neg(value),
            (Op::BvNot, _) => arena.bvnot(value),
            (Op::BvXor, _) => arena.bvxor(value, other(1 - place)),
            (Op::BvMul, _) => {
                let factor = arena.bit_vec_constant(other(1 - place))?;
                let inverse = factor.inverse()?;
                arena.mul(value, arena.bv(inverse.width(), inverse.bits()))
            }
            (Op::IntMul, _) => {
                let factor = arena.int_constant(other(1 - place))?.clone();
                if factor.abs().is_one() {
                    arena.int_mul(value, other(1 - place))
                } else if factor.is_positive() || factor.is_negative() {
                    let factor = arena.int_big(factor);
                    sides.push(arena.eq(arena.int_mod(value, factor), arena.int(0)));
                    arena.int_div(value, factor)
                } else {
                    return None;
                }
            }
            (Op::ZeroExtend(_) | Op::SignExtend(_), _) => {
                let width = arena.width(inner);
                let low = arena.extract(value, width - 1, 0);
                let extended = if matches!(op, Op::ZeroExtend(_)) {
                    arena.zero_extend(low, arena.width(side))
                } else {
                    arena.sign_extend(low, arena.width(side))
                };
                sides.push(arena.eq(extended, value));
                low
            }
            (Op::Concat, 0) => {
                let low = arena.width(other(1));
                sides.push(arena.eq(arena.extract(value, low - 1, 0), other(1)));
                arena.extract(value, arena.width(side) - 1, low)
            }
            (Op::Concat, _) => {
                let low = arena.width(inner);
                let high = arena.extract(value, arena.width(side) - 1, low);
                sides.push(arena.eq(high, other(0)));
                arena.extract(value, low - 1, 0)
            }
            (Op::Extract { high, low }, _) => {
                let width = arena.width(inner);
                let mut whole = value;
                if low > 0 {
                    let rest = free(arena, arena.extract(inner, low - 1, 0), &mut fresh);
                    whole = arena.concat(whole, rest);
                }
                if high + 1 < width {
                    let rest = free(arena, arena.extract(inner, width - 1, high + 1), &mut fresh);
                    whole = arena.concat(rest, whole);
                }
                whole
            }
            (Op::BvToNat | Op::BvToInt, _) => {
                let bits = arena.int_to_bv(value, arena.width(inner));
                let back = if op == Op::BvToNat {
                    arena.bv_to_nat(bits)
                } else {
                    arena.bv_to_int(bits)
                };
                sides.push(arena.eq(back, value));
                bits
            }
            (Op::Store, 0) => {
                sides.push(arena.eq(arena.select(value, other(1)), other(2)));
                let before = free(arena, arena.select(inner, other(1)), &mut fresh);
                arena.store(value, other(1), before)
            }
            (Op::Store, 2) => {
                let element = arena.select(value, other(1));
                sides.push(arena.eq(arena.store(other(0), other(1), element), value));
                element
            }
            _ => return None,
        };
        side = inner;
    }
    Some(Solution {
        value,
        sides,
        fresh,
    })
}

/// Makes a fresh variable with the meaning.
pub fn free(arena: &Arena, meaning: TermId, fresh: &mut Vec<(TermId, TermId)>) -> TermId {
    // New instances, not new symbols, since symbols are never freed.
    thread_local! {
        static NEXT: std::cell::Cell<u32> = const { std::cell::Cell::new(1) };
    }
    let instance = NEXT.get();
    NEXT.set(instance.wrapping_add(1).max(1));
    let symbol = Symbol::new("interpolation::free", arena.sort(meaning));
    let variable = arena.variable_at(symbol, instance);
    fresh.push((variable, meaning));
    variable
}

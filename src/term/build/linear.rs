//! Small linear sums: `c1·x1 + … + cn·xn + k`, over the integers or modulo a power of two.
//!
//! The normal form of a sum of at most [`MAXIMUM_ADDENDS`] different addends has them by ascending id, each at most once, and
//! the constant last: `((x + -y) + 4·z) + 3`. Larger sums are left as they are built: the form is for offsets and
//! indices, and its cost must be bounded.

use num_integer::Integer;
use num_traits::ToPrimitive;
use smallvec::{SmallVec, smallvec};

use super::*;
use crate::build::limits::{MAXIMUM_ADDEND_VISITS, MAXIMUM_ADDENDS};

/// A linear sum. The addends are sorted; no factor is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    sort: Sort,
    /// Terms with their factors; modulo 2^w, the factor is the signed number.
    pub(super) addends: SmallVec<[(TermId, i128); MAXIMUM_ADDENDS]>,
    pub(super) constant: i128,
}

/// Arithmetic in the ring of a sort. Results are `None` on overflow, which only happens for integers.
#[derive(Copy, Clone)]
struct Ring(Sort);

impl Ring {
    fn reduce(self, value: i128) -> i128 {
        match self.0 {
            Sort::BitVec(width) => BitVecValue::from_signed(width, value).signed(),
            _ => value,
        }
    }

    fn add(self, a: i128, b: i128) -> Option<i128> {
        match self.0 {
            Sort::BitVec(_) => Some(self.reduce(a.wrapping_add(b))),
            _ => a.checked_add(b).filter(is_negatable),
        }
    }

    fn mul(self, a: i128, b: i128) -> Option<i128> {
        match self.0 {
            Sort::BitVec(_) => Some(self.reduce(a.wrapping_mul(b))),
            _ => a.checked_mul(b).filter(is_negatable),
        }
    }
}

/// Returns the signed value of a bit-vector constant, or an integer constant that fits.
pub(super) fn number<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<i128> {
    match pool.constant(term)? {
        Constant::BitVec(value) => Some(value.signed()),
        Constant::Int(value) => value.to_i128().filter(is_negatable),
        _ => None,
    }
}

/// Checks whether an integer can be negated: the least one counts as too large.
const fn is_negatable(value: &i128) -> bool {
    *value != i128::MIN
}

impl Linear {
    /// The sum of terms of one sort, each with a factor; `None` if it is too large.
    pub(super) fn of<P: Pool + ?Sized>(
        pool: &P,
        sort: Sort,
        terms: &[(TermId, i128)],
    ) -> Option<Self> {
        let ring = Ring(sort);
        let mut sum = Self {
            sort,
            addends: smallvec![],
            constant: 0,
        };
        let mut stack: SmallVec<[(TermId, i128); 8]> = terms.iter().copied().rev().collect();
        let mut visits = 0;
        while let Some((term, factor)) = stack.pop() {
            visits += 1;
            if visits > MAXIMUM_ADDEND_VISITS {
                return None;
            }
            match pool.kind(term) {
                TermKind::Constant(_) => {
                    let product = ring.mul(factor, number(pool, term)?)?;
                    sum.constant = ring.add(sum.constant, product)?;
                }
                TermKind::Apply {
                    op: Op::BvAdd | Op::IntAdd,
                    arguments: &[a, b],
                } => stack.extend([(b, factor), (a, factor)]),
                TermKind::Apply {
                    op: Op::BvNeg | Op::IntNeg,
                    arguments: &[a],
                } => {
                    stack.push((a, ring.mul(factor, -1)?));
                }
                TermKind::Apply {
                    op: op @ (Op::BvMul | Op::IntMul),
                    arguments: &[a, b],
                } => match number(pool, b) {
                    // A product with a larger sum is not multiplied out.
                    Some(number) if binary(pool, a, sum_of(op)).is_some() => {
                        sum.include(a, ring.mul(factor, number)?)?;
                    }
                    Some(number) => stack.push((a, ring.mul(factor, number)?)),
                    None => sum.include(term, factor)?,
                },
                _ => sum.include(term, factor)?,
            }
        }
        Some(sum)
    }

    fn include(&mut self, term: TermId, factor: i128) -> Option<()> {
        match self.addends.binary_search_by_key(&term, |(term, _)| *term) {
            Ok(place) => {
                let factor = Ring(self.sort).add(self.addends[place].1, factor)?;
                if factor == 0 {
                    self.addends.remove(place);
                } else {
                    self.addends[place].1 = factor;
                }
            }
            Err(_) if factor == 0 => {}
            Err(_) if self.addends.len() == MAXIMUM_ADDENDS => return None,
            Err(place) => self.addends.insert(place, (term, factor)),
        }
        Some(())
    }

    /// The sum times a number.
    pub(super) fn scaled(mut self, factor: i128) -> Option<Self> {
        let ring = Ring(self.sort);
        for (_, own) in &mut self.addends {
            *own = ring.mul(*own, factor)?;
        }
        self.addends.retain(|(_, factor)| *factor != 0);
        self.constant = ring.mul(self.constant, factor)?;
        Some(self)
    }

    /// Whether the number divides every factor and the constant.
    pub(super) fn is_divisible(&self, divisor: i128) -> bool {
        let mut numbers = self.addends.iter().map(|(_, factor)| factor);
        numbers.all(|factor| factor % divisor == 0) && self.constant % divisor == 0
    }

    /// The sum divided by a number that divides every factor and the constant.
    pub(super) fn divided(mut self, divisor: i128) -> Self {
        for (_, factor) in &mut self.addends {
            *factor /= divisor;
        }
        self.constant /= divisor;
        self
    }

    /// The greatest common divisor of the factors, the constant not included.
    pub(super) fn common_factor(&self) -> i128 {
        self.addends
            .iter()
            .fold(0, |divisor, (_, factor)| divisor.gcd(factor))
    }

    /// Returns the constant, if there are no addends.
    pub(super) fn as_constant(&self) -> Option<i128> {
        self.addends.is_empty().then_some(self.constant)
    }

    /// Returns the sum of the addends with a positive factor, and the negated sum of the others: the whole is the first minus the
    /// second plus the constant. `None` if it cannot be negated.
    pub(super) fn sides(&self) -> Option<(Self, Self)> {
        let empty = Self {
            sort: self.sort,
            addends: smallvec![],
            constant: 0,
        };
        let (mut positive, mut negative) = (empty.clone(), empty);
        for &(term, factor) in &self.addends {
            if factor > 0 {
                positive.addends.push((term, factor));
            } else {
                negative.addends.push((term, factor));
            }
        }
        Some((positive, negative.scaled(-1)?))
    }

    pub(super) fn plus(mut self, number: i128) -> Option<Self> {
        self.constant = Ring(self.sort).add(self.constant, number)?;
        Some(self)
    }

    /// The sum as a term in normal form.
    pub(super) fn term<P: Pool + ?Sized>(&self, pool: &P) -> TermId {
        let (add, neg, mul) = match self.sort {
            Sort::Int => (Op::IntAdd, Op::IntNeg, Op::IntMul),
            _ => (Op::BvAdd, Op::BvNeg, Op::BvMul),
        };
        let addend = |&(term, factor): &(TermId, i128)| match factor {
            1 => term,
            // Modulo 2, -1 is 1.
            -1 if self.sort == Sort::BitVec(1) => term,
            -1 => fold(pool, neg, self.sort, &[term]),
            _ => fold(
                pool,
                mul,
                self.sort,
                &[term, literal(pool, self.sort, factor)],
            ),
        };
        let sum = self
            .addends
            .iter()
            .map(addend)
            .reduce(|sum, next| pool.intern(add, self.sort, &[sum, next]));
        let constant = literal(pool, self.sort, self.constant);
        match sum {
            None => constant,
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => fold(pool, add, self.sort, &[sum, constant]),
        }
    }
}

fn sum_of(product: Op) -> Op {
    match product {
        Op::IntMul => Op::IntAdd,
        _ => Op::BvAdd,
    }
}

/// The number as a constant of the sort.
pub(super) fn literal<P: Pool + ?Sized>(pool: &P, sort: Sort, number: i128) -> TermId {
    match sort {
        Sort::BitVec(width) => pool.bv_signed(width, number),
        _ => pool.int_big(number.into()),
    }
}

/// Checks whether the term is a constant, a sum, a negation or a multiple, which [`Linear`] takes apart.
pub(super) fn is_sum<P: Pool + ?Sized>(pool: &P, term: TermId) -> bool {
    match pool.kind(term) {
        TermKind::Constant(_) => true,
        TermKind::Apply { op, arguments } => match op {
            Op::BvAdd | Op::BvNeg | Op::IntAdd | Op::IntNeg => true,
            Op::BvMul | Op::IntMul => arguments
                .get(1)
                .is_some_and(|factor| pool.constant(*factor).is_some()),
            _ => false,
        },
        TermKind::Variable { .. } => false,
    }
}

/// `a + factor·b` in normal form, for bit vectors and for integers.
pub(super) fn add<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId, factor: i128) -> TermId {
    let sort = pool.sort(a);
    match Linear::of(pool, sort, &[(a, 1), (b, factor)]) {
        Some(sum) => sum.term(pool),
        None => large_sum(
            pool,
            sort,
            a,
            if factor == 1 { b } else { negated(pool, b) },
        ),
    }
}

/// `-a` in normal form.
pub(super) fn negated<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    let sort = pool.sort(a);
    if sort == Sort::BitVec(1) {
        return a;
    }
    if is_sum(pool, a)
        && let Some(sum) = Linear::of(pool, sort, &[(a, -1)])
    {
        return sum.term(pool);
    }
    let op = if sort == Sort::Int {
        Op::IntNeg
    } else {
        Op::BvNeg
    };
    match unary(pool, a, op) {
        Some(inner) => inner,
        None => fold(pool, op, sort, &[a]),
    }
}

/// A sum that is too large for the normal form; its constants are still combined and outermost.
fn large_sum<P: Pool + ?Sized>(pool: &P, sort: Sort, a: TermId, b: TermId) -> TermId {
    let op = if sort == Sort::Int {
        Op::IntAdd
    } else {
        Op::BvAdd
    };
    let split = |term| match binary(pool, term, op) {
        Some((rest, constant)) if pool.constant(constant).is_some() => (Some(rest), Some(constant)),
        _ if pool.constant(term).is_some() => (None, Some(term)),
        _ => (Some(term), None),
    };
    let ((a, first), (b, second)) = (split(a), split(b));
    let both = |op, a: Option<TermId>, b: Option<TermId>| match (a, b) {
        (Some(a), Some(b)) => Some(fold(pool, op, sort, &[a.min(b), a.max(b)])),
        (one, other) => one.or(other),
    };
    let zero = literal(pool, sort, 0);
    let constant = both(op, first, second).filter(|constant| *constant != zero);
    match (both(op, a, b), constant) {
        (Some(sum), Some(constant)) => pool.intern(op, sort, &[sum, constant]),
        (sum, constant) => sum.or(constant).unwrap_or(zero),
    }
}

/// `factor · a` in normal form, or `None` if no rule applies.
pub(super) fn scaled<P: Pool + ?Sized>(pool: &P, a: TermId, factor: i128) -> Option<TermId> {
    let sort = pool.sort(a);
    match factor {
        0 => return Some(literal(pool, sort, 0)),
        1 => return Some(a),
        -1 => return Some(negated(pool, a)),
        _ => {}
    }
    if !is_sum(pool, a) {
        return None;
    }
    // Multiplying out a larger sum would make more products.
    let sum = Linear::of(pool, sort, &[(a, 1)]).filter(|sum| sum.addends.len() <= 3)?;
    Some(sum.scaled(factor)?.term(pool))
}

/// `a - b`, if one of them is a sum; otherwise nothing can cancel.
pub(super) fn difference<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<Linear> {
    let tells = |term| pool.constant(term).is_none() && is_sum(pool, term);
    if !tells(a) && !tells(b) {
        return None;
    }
    Linear::of(pool, pool.sort(a), &[(a, 1), (b, -1)])
}

/// Decides whether two terms of a bit-vector or integer sort are equal, if their difference is constant. Builds no terms.
pub(super) fn decide_equal<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    if let (Some(a), Some(b)) = (pool.constant(a), pool.constant(b)) {
        return Some(a == b);
    }
    match pool.sort(a) {
        Sort::BitVec(_) | Sort::Int => Some(difference(pool, a, b)?.as_constant()? == 0),
        _ => None,
    }
}

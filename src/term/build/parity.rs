//! Small sums over exclusive or: `x1 ^ … ^ xn ^ k`.
//!
//! The normal form of at most [`MAXIMUM_PARITY_OPERANDS`] different operands has them by ascending id, each once, and the
//! constant last. What is combined with the same term twice, as when a stream cipher decrypts what it encrypted, is the term
//! from before. Larger sums are left as they are built.

use smallvec::SmallVec;

use super::bitvector::plain_xor;
use super::*;
use crate::build::limits::{MAXIMUM_PARITY_OPERANDS, MAXIMUM_PARITY_VISITS};

/// An exclusive or. The operands are sorted.
pub(super) struct Parity {
    width: u8,
    operands: SmallVec<[TermId; MAXIMUM_PARITY_OPERANDS]>,
    constant: u128,
}

impl Parity {
    /// The exclusive or of two terms; `None` if it is too large.
    pub(super) fn of<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<Self> {
        let width = pool.width(a);
        let mut parity = Self {
            width,
            operands: SmallVec::new(),
            constant: 0,
        };
        let mut stack: SmallVec<[TermId; 8]> = SmallVec::from_slice(&[b, a]);
        let mut visits = 0;
        while let Some(term) = stack.pop() {
            visits += 1;
            if visits > MAXIMUM_PARITY_VISITS {
                return None;
            }
            match pool.kind(term) {
                TermKind::Constant(Constant::BitVec(value)) => parity.constant ^= value.bits(),
                TermKind::Apply {
                    op: Op::BvXor,
                    arguments: &[left, right],
                } => stack.extend([right, left]),
                TermKind::Apply {
                    op: Op::BvNot,
                    arguments: &[inner],
                } => {
                    parity.constant ^= BitVecValue::new(width, u128::MAX).bits();
                    stack.push(inner);
                }
                _ => parity.toggle(term)?,
            }
        }
        Some(parity)
    }

    fn toggle(&mut self, term: TermId) -> Option<()> {
        match self.operands.binary_search(&term) {
            Ok(place) => {
                self.operands.remove(place);
            }
            Err(_) if self.operands.len() == MAXIMUM_PARITY_OPERANDS => return None,
            Err(place) => self.operands.insert(place, term),
        }
        Some(())
    }

    /// The number of different operands.
    pub(super) fn len(&self) -> usize {
        self.operands.len()
    }

    /// The exclusive or as a term in normal form.
    pub(super) fn term<P: Pool + ?Sized>(&self, pool: &P) -> TermId {
        let constant = pool.bv(self.width, self.constant);
        let operands = self.operands.iter().copied();
        match operands.reduce(|all, next| plain_xor(pool, all, next)) {
            Some(all) => plain_xor(pool, all, constant),
            None => constant,
        }
    }

    /// Two terms that are equal if and only if the exclusive or is zero, the second the least operand.
    pub(super) fn sides<P: Pool + ?Sized>(&self, pool: &P) -> (TermId, TermId) {
        let (Some(&first), constant) = (self.operands.first(), pool.bv(self.width, self.constant))
        else {
            return (pool.bv(self.width, self.constant), pool.bv(self.width, 0));
        };
        let rest = self.operands[1..].iter().copied();
        let rest = rest.reduce(|all, next| plain_xor(pool, all, next));
        match rest {
            Some(rest) => (plain_xor(pool, rest, constant), first),
            None => (first, constant),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Build, Sort, Symbol, TermId};

    #[test]
    fn what_is_combined_twice_is_gone() {
        let t = Arena::new();
        let symbol = Symbol::new("parity x", Sort::BitVec(8));
        let [x, y, z] = [1, 2, 3].map(|number| t.variable_at(symbol, number));
        let key = t.bvxor(t.mul(y, z), t.bv(8, 0x5a));
        assert_eq!(t.bvxor(t.bvxor(x, key), key), x);
        assert_eq!(t.bvxor(key, t.bvxor(z, t.bvxor(key, x))), t.bvxor(z, x));
        assert_eq!(t.bvxor(t.bvnot(x), t.bvxor(y, x)), t.bvnot(y));
        let one = t.bvxor(t.bvxor(x, y), z);
        assert_eq!(one, t.bvxor(y, t.bvxor(z, x)));
        assert_eq!(t.eq(one, t.bvxor(y, x)), t.eq(z, t.bv(8, 0)));
        assert_eq!(t.eq(one, t.bvxor(t.bvxor(y, z), key)), t.eq(x, key));
        assert_eq!(t.eq(t.bvxor(one, x), t.bvxor(z, y)), TermId::TRUE);
    }
}

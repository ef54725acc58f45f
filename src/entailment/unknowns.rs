//! Stage 4: abstraction of products, quotients, remainders and powers of two, which make queries hard, to unknown values.
//!
//! A formula that is unsatisfiable with unknowns is unsatisfiable. Most candidates that hold at all hold for a reason that has
//! nothing to do with the products in the same block; the others mostly need no more of multiplication than that it
//! distributes over sums and `ite`, so products are multiplied out before the remaining ones become unknowns.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::limits::MAXIMUM_EXPANSIONS;
use regatta_term::{Arena, Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind};

/// Abstracts hard subterms to unknowns; equal subterms become equal unknowns.
pub struct Abstraction {
    arena: Rc<Arena>,
    unknowns: FxHashMap<TermId, TermId>,
    /// The number of expansions that are left.
    expansions: usize,
}

impl Abstraction {
    /// Creates an abstraction for terms of the arena.
    pub fn new(arena: &Rc<Arena>) -> Self {
        Self {
            arena: Rc::clone(arena),
            unknowns: FxHashMap::default(),
            expansions: MAXIMUM_EXPANSIONS,
        }
    }

    /// Returns the term with its hard subterms replaced by unknowns.
    pub fn of(&mut self, term: TermId) -> TermId {
        let arena = Rc::clone(&self.arena);
        let mut rebuild = Rebuild::new(&*arena, &*arena, |part| self.hard(part));
        rebuild.rebuild(term)
    }

    /// Checks whether any subterm was abstracted.
    pub(crate) fn is_coarser(&self) -> bool {
        !self.unknowns.is_empty()
    }

    /// Returns the abstraction of the part, if it is hard.
    fn hard(&mut self, part: TermId) -> Option<TermId> {
        let arena = Rc::clone(&self.arena);
        let TermKind::Apply { op, arguments } = arena.kind(part) else {
            return None;
        };
        let constant = |term| arena.is_constant(term);
        match op {
            Op::BvMul | Op::IntMul => {
                let is_hard = !arguments.iter().any(|&argument| constant(argument));
                is_hard.then(|| self.product(arguments[0], arguments[1]))
            }
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => Some(self.unknown(part)),
            Op::BvShl => {
                let kind = arena.kind(part);
                exponent(&arena, kind).map(|_| self.unknown(part))
            }
            Op::IntDiv | Op::IntMod => (!constant(arguments[1])).then(|| self.unknown(part)),
            _ => None,
        }
    }

    fn unknown(&mut self, part: TermId) -> TermId {
        let number = self.unknowns.len() as u32 + 1;
        *self.unknowns.entry(part).or_insert_with(|| {
            let symbol = Symbol::new("unknown#", self.arena.sort(part));
            self.arena.variable_at(symbol, number)
        })
    }

    /// Returns the product of two terms, multiplied out.
    fn product(&mut self, a: TermId, b: TermId) -> TermId {
        let arena = Rc::clone(&self.arena);
        let whole = times(&arena, a, b);
        let TermKind::Apply {
            op: Op::BvMul | Op::IntMul,
            arguments: &[a, b],
        } = arena.kind(whole)
        else {
            return self.of(whole);
        };
        for (this, other) in [(a, b), (b, a)] {
            let TermKind::Apply { op, arguments } = arena.kind(this) else {
                continue;
            };
            if self.expansions == 0 {
                break;
            }
            self.expansions -= 1;
            match (op, arguments) {
                (Op::BvAdd, &[a, b]) => {
                    return arena.add(self.product(a, other), self.product(b, other));
                }
                (Op::IntAdd, &[a, b]) => {
                    return arena.int_add(self.product(a, other), self.product(b, other));
                }
                (Op::Ite, &[condition, a, b]) => {
                    let (a, b) = (self.product(a, other), self.product(b, other));
                    return arena.ite(self.of(condition), a, b);
                }
                _ => {}
            }
        }
        match arena.kind(b) {
            TermKind::Constant(_) => times(&arena, self.of(a), b),
            _ => self.unknown(whole),
        }
    }
}

/// Returns the term x if the term is `1 << x`.
pub fn exponent(arena: &Arena, kind: TermKind<'_>) -> Option<TermId> {
    match kind {
        TermKind::Apply {
            op: Op::BvShl,
            arguments: &[base, exponent],
        } => (base == arena.bv(arena.width(base), 1)).then_some(exponent),
        _ => None,
    }
}

/// Checks whether one of the terms has a hard subterm.
pub fn is_hard(arena: &Rc<Arena>, terms: &[TermId]) -> bool {
    let mut abstraction = Abstraction::new(arena);
    terms.iter().any(|&term| {
        abstraction.of(term);
        abstraction.is_coarser()
    })
}

fn times(arena: &Arena, a: TermId, b: TermId) -> TermId {
    match arena.sort(a) {
        Sort::Int => arena.int_mul(a, b),
        _ => arena.mul(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_multiplied_out() {
        let arena = Rc::new(Arena::new());
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let [x, y, z] = ["x", "y", "z"].map(variable);
        let grows = arena.variable(Symbol::new("grows", Sort::Bool));
        let one = arena.bv(32, 1);
        let mut abstraction = Abstraction::new(&arena);
        let product = abstraction.of(arena.mul(x, y));
        assert!(abstraction.is_coarser());
        // (x + 1)·y is x·y + y
        let larger = abstraction.of(arena.mul(arena.add(x, one), y));
        assert_eq!(larger, arena.add(product, y));
        let chosen = arena.ite(grows, arena.add(x, one), x);
        let either = abstraction.of(arena.mul(y, chosen));
        assert_eq!(either, arena.ite(grows, larger, product));
        let other = abstraction.of(arena.mul(x, z));
        assert_ne!(other, product);
        // (x + 1)·(y + z) is x·y + x·z + y + z
        let sums = abstraction.of(arena.mul(arena.add(x, one), arena.add(y, z)));
        let all = [other, y, z]
            .into_iter()
            .fold(product, |sum, one| arena.add(sum, one));
        assert_eq!(sums, all);
        // (x + 2)·y is x·y + 2·y
        let two = arena.bv(32, 2);
        let twice = abstraction.of(arena.mul(arena.add(x, two), y));
        assert_eq!(twice, arena.add(product, arena.mul(y, two)));
    }

    #[test]
    fn products_of_integers_are_multiplied_out() {
        let arena = Rc::new(Arena::new());
        let variable = |name| arena.variable(Symbol::new(name, Sort::Int));
        let [x, y, z] = ["x", "y", "z"].map(variable);
        let mut abstraction = Abstraction::new(&arena);
        let [first, second] = [x, y].map(|factor| abstraction.of(arena.int_mul(factor, z)));
        let both = abstraction.of(arena.int_mul(arena.int_add(x, y), z));
        assert_eq!(both, arena.int_add(first, second));
    }
}

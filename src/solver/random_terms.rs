//! Random terms for tests in which two solvers must agree.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::term::{Arena, Build, Op, Pool, ScalarSort, Sort, Symbol, TermId};

/// The number of random runs, times the environment's `RANDOM_FACTOR`: for a long look when a solver changes.
pub fn seeds(usual: u64) -> u64 {
    let factor = std::env::var("RANDOM_FACTOR").ok();
    usual * factor.and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// A source of random terms over a few variables.
pub struct RandomTerms<'a> {
    arena: &'a Arena,
    pub random: Xoshiro256PlusPlus,
    /// Widths of the bit vectors.
    pub widths: Vec<u8>,
    /// Sorts of the arrays; none: no arrays.
    pub arrays: Vec<Sort>,
}

impl<'a> RandomTerms<'a> {
    pub fn new(arena: &'a Arena, seed: u64) -> Self {
        let array = |index, element| Sort::Array { index, element };
        Self {
            arena,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            widths: vec![1, 3, 8],
            arrays: vec![
                array(ScalarSort::BitVec(8), ScalarSort::BitVec(3)),
                array(ScalarSort::BitVec(3), ScalarSort::BitVec(8)),
                array(ScalarSort::BitVec(8), ScalarSort::Bool),
                array(ScalarSort::Bool, ScalarSort::BitVec(3)),
            ],
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of three variables of the sort.
    fn variable(&mut self, sort: Sort) -> TermId {
        let name = self.choose(&["random::x", "random::y", "random::z"]);
        self.arena.variable(Symbol::new(name, sort))
    }

    /// With or without the simplifying constructors.
    fn apply(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        if self.random.random() {
            self.arena.apply(op, sort, arguments)
        } else {
            self.arena.intern(op, sort, arguments)
        }
    }

    pub fn term(&mut self, sort: Sort, depth: u32) -> TermId {
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::BitVec(width) => self.bit_vector(width, depth),
            _ => self.array(sort, depth),
        }
    }

    pub fn boolean(&mut self, depth: u32) -> TermId {
        if depth == 0 {
            return self.variable(Sort::Bool);
        }
        let depth = depth - 1;
        let kinds = if self.arrays.is_empty() { 10 } else { 12 };
        let sort = Sort::Bool;
        match self.below(kinds) {
            0 => {
                let a = self.boolean(depth);
                self.apply(Op::Not, sort, &[a])
            }
            1 | 2 => {
                let op = self.choose(&[Op::And, Op::Or, Op::Eq]);
                let operands = [self.boolean(depth), self.boolean(depth)];
                self.apply(op, sort, &operands)
            }
            3 => self.choice(sort, depth),
            10 => {
                let of = self.choose(&self.arrays.clone());
                let operands = [self.array(of, depth), self.array(of, depth)];
                self.apply(Op::Eq, sort, &operands)
            }
            11 => self
                .read(sort, depth)
                .unwrap_or_else(|| self.variable(sort)),
            _ => {
                let width = self.choose(&self.widths.clone());
                let op = self.choose(&[Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]);
                let operands = [self.bit_vector(width, depth), self.bit_vector(width, depth)];
                self.apply(op, sort, &operands)
            }
        }
    }

    pub fn bit_vector(&mut self, width: u8, depth: u32) -> TermId {
        let sort = Sort::BitVec(width);
        if depth == 0 {
            return if self.below(3) == 0 {
                let corners = [0, 1, 2, 5, 1 << (width - 1), u128::MAX, u128::MAX >> 1];
                let bits = self.choose(&corners);
                self.arena.bv(width, bits)
            } else {
                self.variable(sort)
            };
        }
        let depth = depth - 1;
        match self.below(12) {
            0 => self.choice(sort, depth),
            1 => {
                let op = self.choose(&[Op::BvNeg, Op::BvNot]);
                let a = self.bit_vector(width, depth);
                self.apply(op, sort, &[a])
            }
            2 => self
                .read(sort, depth)
                .unwrap_or_else(|| self.variable(sort)),
            3 => {
                let narrower = self.other_width(|other| other < width);
                let Some(other) = narrower else {
                    return self.variable(sort);
                };
                if self.random.random() {
                    let high = self.bit_vector(width - other, depth);
                    let low = self.bit_vector(other, depth);
                    return self.apply(Op::Concat, sort, &[high, low]);
                }
                let op = self.choose(&[Op::ZeroExtend(width), Op::SignExtend(width)]);
                let a = self.bit_vector(other, depth);
                self.apply(op, sort, &[a])
            }
            4 => {
                let Some(other) = self.other_width(|other| other > width) else {
                    return self.variable(sort);
                };
                let low = self.below(usize::from(other - width) + 1) as u8;
                let high = low + width - 1;
                let a = self.bit_vector(other, depth);
                self.apply(Op::Extract { high, low }, sort, &[a])
            }
            _ => {
                let op = self.choose(&[
                    Op::BvAdd,
                    Op::BvAdd,
                    Op::BvAdd,
                    Op::BvMul,
                    Op::BvMul,
                    Op::BvUdiv,
                    Op::BvUrem,
                    Op::BvSdiv,
                    Op::BvSrem,
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
                    Op::BvShl,
                    Op::BvLshr,
                    Op::BvAshr,
                ]);
                let operands = [self.bit_vector(width, depth), self.bit_vector(width, depth)];
                self.apply(op, sort, &operands)
            }
        }
    }

    fn array(&mut self, sort: Sort, depth: u32) -> TermId {
        let Sort::Array { index, element } = sort else {
            panic!("an array sort was expected, not {sort}")
        };
        if depth == 0 {
            return self.variable(sort);
        }
        let depth = depth - 1;
        match self.below(5) {
            0 => self.choice(sort, depth),
            1 => {
                let everywhere = self.term(element.into(), depth);
                self.apply(Op::ConstArray, sort, &[everywhere])
            }
            2 => self.variable(sort),
            _ => {
                let operands = [
                    self.array(sort, depth),
                    self.term(index.into(), depth),
                    self.term(element.into(), depth),
                ];
                self.apply(Op::Store, sort, &operands)
            }
        }
    }

    fn choice(&mut self, sort: Sort, depth: u32) -> TermId {
        let operands = [
            self.boolean(depth),
            self.term(sort, depth),
            self.term(sort, depth),
        ];
        self.apply(Op::Ite, sort, &operands)
    }

    /// A read from an array with such elements.
    fn read(&mut self, sort: Sort, depth: u32) -> Option<TermId> {
        let fitting: Vec<_> = self
            .arrays
            .iter()
            .copied()
            .filter(|of| matches!(of, Sort::Array { element, .. } if Sort::from(*element) == sort))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let of = self.choose(&fitting);
        let Sort::Array { index, .. } = of else {
            return None;
        };
        let operands = [self.array(of, depth), self.term(index.into(), depth)];
        Some(self.apply(Op::Select, sort, &operands))
    }

    fn other_width(&mut self, fits: impl Fn(u8) -> bool) -> Option<u8> {
        let fitting: Vec<_> = self.widths.iter().copied().filter(|w| fits(*w)).collect();
        (!fitting.is_empty()).then(|| self.choose(&fitting))
    }
}

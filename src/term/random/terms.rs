//! Random terms of a given sort, built top-down: an operator, then its operands.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::operators::{ROUNDING_MODE, rounds};
use super::{Choices, Language, Listed, corner};
use crate::term::{
    Arena, Build, FloatFormat, Op, Pool, ScalarSort, Sort, Symbol, TermId, TermKind, Value,
};

/// The constructors by which terms are built.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Construction {
    /// Constructors without simplification, so that every operator occurs.
    Plain,
    /// Simplifying constructors for half of the terms.
    Mixed,
}

/// A source of random terms over a few variables.
pub(crate) struct RandomTerms<'a, P, C> {
    pool: &'a P,
    pub choices: C,
    pub language: Language,
    /// Whether parts of bit vectors may have any width.
    pub odd_widths: bool,
    pub construction: Construction,
    /// Returns a constant of the sort.
    pub constants: fn(Sort, u64) -> Value,
    /// Returns a variable of the sort, if there are any.
    variables: Box<dyn Fn(Sort, u64) -> Option<TermId> + 'a>,
}

impl<'a> RandomTerms<'a, Arena, Xoshiro256PlusPlus> {
    /// Returns a source of truth values, short bit vectors and arrays of them, for solvers, with three variables of each sort.
    pub fn seeded(pool: &'a Arena, seed: u64) -> Self {
        let variables = |sort, choice: u64| {
            let name = ["random::x", "random::y", "random::z"][choice as usize % 3];
            Some(pool.variable(Symbol::new(name, sort)))
        };
        let bits = ScalarSort::BitVec;
        let language = Language {
            widths: vec![1, 3, 8],
            arrays: vec![
                (bits(8), bits(3)),
                (bits(3), bits(8)),
                (bits(8), ScalarSort::Bool),
                (ScalarSort::Bool, bits(3)),
            ],
            ..Language::default()
        };
        let choices = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self {
            construction: Construction::Mixed,
            ..Self::new(pool, choices, language, variables)
        }
    }
}

impl<'a, P: Build, C: Choices> RandomTerms<'a, P, C> {
    pub fn new(
        pool: &'a P,
        choices: C,
        language: Language,
        variables: impl Fn(Sort, u64) -> Option<TermId> + 'a,
    ) -> Self {
        Self {
            pool,
            choices,
            language,
            odd_widths: false,
            construction: Construction::Plain,
            constants: corner,
            variables: Box::new(variables),
        }
    }

    pub fn boolean(&mut self, depth: u32) -> TermId {
        self.term(Sort::Bool, depth)
    }

    /// Returns a term of the sort with at most the depth; indices and numbers read byte by byte add to it.
    pub fn term(&mut self, sort: Sort, depth: u32) -> TermId {
        if depth == 0 || self.choices.below(12) == 0 {
            return self.leaf(sort);
        }
        let depth = depth - 1;
        if let Some(number) = self.read_by_bytes(sort, depth) {
            return number;
        }
        let Some((op, operands)) = self.application(sort) else {
            return self.leaf(sort);
        };
        let leaf = self.place_of_a_leaf(op);
        let mut arguments = Vec::with_capacity(operands.len());
        for (place, &operand) in operands.iter().enumerate() {
            arguments.push(match (op, place) {
                (Op::Select | Op::Store, 1) => self.index(operand, depth),
                (_, 0) if rounds(op) => self.rounding_mode(),
                (_, place) if Some(place) == leaf => self.leaf(operand),
                _ => self.term(operand, depth),
            });
        }
        self.apply(op, sort, &arguments)
    }

    /// Chooses an operand that is a leaf, if any: rules often match a leaf on one side, and for shifts and divisions on the
    /// right.
    fn place_of_a_leaf(&mut self, op: Op) -> Option<usize> {
        use Op::*;
        let places = match op {
            BvShl | BvLshr | BvAshr | BvUdiv | BvUrem | BvSdiv | BvSrem | IntDiv | IntMod => {
                [None, Some(1), Some(1), Some(1)]
            }
            _ => [None, None, Some(0), Some(1)],
        };
        self.choices.one_of(&places)
    }

    /// Returns an index. Integers stay within 64 bits, because the interpreter has a single cell for all indices beyond.
    pub fn index(&mut self, sort: Sort, depth: u32) -> TermId {
        let index = self.term(sort, depth);
        match sort {
            Sort::Int => self.apply(Op::IntMod, sort, &[index, self.pool.int(1 << 40)]),
            _ => index,
        }
    }

    fn apply(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        if self.construction == Construction::Mixed && self.choices.below(2) == 1 {
            self.pool.apply(op, sort, arguments)
        } else {
            self.pool.intern(op, sort, arguments)
        }
    }

    /// Returns a variable or a constant.
    fn leaf(&mut self, sort: Sort) -> TermId {
        let is_constant = self.choices.below(4) == 1;
        let choice = self.choices.number();
        match (self.variables)(sort, choice) {
            Some(variable) if !is_constant => variable,
            _ => self.pool.value(&(self.constants)(sort, choice)),
        }
    }

    /// Returns a rounding mode, mostly one of the two that C programs use.
    fn rounding_mode(&mut self) -> TermId {
        let mode = match self.choices.below(4) {
            3 => self.choices.value(ROUNDING_MODE),
            2 => Value::bit_vec(2, 3),
            _ => Value::bit_vec(2, 0),
        };
        self.pool.value(&mode)
    }

    /// Returns, with a small probability, a number concatenated from bytes of an array, as a C program reads it.
    fn read_by_bytes(&mut self, sort: Sort, depth: u32) -> Option<TermId> {
        let Sort::BitVec(width @ (16 | 24 | 32 | 40 | 48 | 56 | 64)) = sort else {
            return None;
        };
        let mut arrays = self.language.arrays.iter().copied();
        let (index, element, index_width) = arrays.find_map(|(index, element)| match index {
            ScalarSort::BitVec(width) if element == ScalarSort::BitVec(8) => {
                Some((index, element, width))
            }
            _ => None,
        })?;
        if self.choices.below(12) != 11 {
            return None;
        }
        let array = self.leaf(Sort::Array { index, element });
        let first = self.term(index.into(), depth.min(1));
        let pool = self.pool;
        let byte = |position: u8| {
            let place = pool.add(first, pool.bv(index_width, position.into()));
            pool.intern(Op::Select, element.into(), &[array, place])
        };
        let mut number = byte(0);
        for position in 1..width / 8 {
            let sort = Sort::BitVec((position + 1) * 8);
            number = pool.intern(Op::Concat, sort, &[byte(position), number]);
        }
        Some(number)
    }
}

/// Checks that every operator occurs, and that choices of zero give small terms.
#[test]
fn all_operators_occur() {
    let pool = Arena::new();
    let bits = ScalarSort::BitVec;
    let language = Language {
        widths: vec![8, 16, 32, 64],
        formats: vec![FloatFormat::F16, FloatFormat::F32, FloatFormat::F64],
        integers: true,
        arrays: vec![
            (bits(32), bits(8)),
            (bits(16), ScalarSort::Bool),
            (bits(8), ScalarSort::Float(FloatFormat::F64)),
            (ScalarSort::Int, ScalarSort::Int),
        ],
    };
    let variables = |sort, _| Some(pool.variable(Symbol::new("random::x", sort)));
    let random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut terms = RandomTerms::new(&pool, random, language.clone(), variables);
    let mut seen = HashSet::new();
    for _ in 0..5_000 {
        let mut open = vec![terms.boolean(4)];
        while let Some(term) = open.pop() {
            if let TermKind::Apply { op, arguments } = pool.kind(term) {
                seen.insert(std::mem::discriminant(&op));
                open.extend_from_slice(arguments);
            }
        }
    }
    assert_eq!(seen.len(), 68, "{seen:?}");
    let none: Listed<'_, u64> = Listed::new(&[]);
    let smallest = RandomTerms::new(&pool, none, language, variables).boolean(4);
    assert_eq!(
        smallest,
        pool.variable(Symbol::new("random::x", Sort::Bool))
    );
}

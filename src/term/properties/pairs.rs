//! Terms that are built twice, without and with simplification; and the choice of related operands, for which there
//! may be a rule.

use std::collections::HashMap;

use super::operators::{OPERATORS, goes_with};
use super::recipe::Step;
use super::shapes::SHAPES;
use crate::term::random::corner;
use crate::term::{Arena, Build, Constant, Op, Pool, Sort, Symbol, TermId, TermKind, Value};

/// One term, built twice.
#[derive(Copy, Clone, Debug)]
pub struct Pair {
    /// The term built without simplification.
    pub raw: TermId,
    /// The term built by simplifying constructors.
    pub simple: TermId,
    /// The sort of both.
    pub sort: Sort,
}

/// The terms of a recipe, and the pool they live in.
pub struct Terms {
    pub arena: Arena,
    pub pairs: Vec<Pair>,
    pub variables: Vec<Symbol>,
}

impl Terms {
    pub fn push(&mut self, raw: TermId, simple: TermId) {
        let sort = self.arena.sort(raw);
        assert_eq!(
            sort,
            self.arena.sort(simple),
            "the simplified term has another sort"
        );
        self.pairs.push(Pair { raw, simple, sort });
    }

    /// Returns values for the variables.
    pub fn assignment(&self, seed: u64) -> HashMap<Symbol, Value> {
        let value = |(position, symbol): (usize, &Symbol)| {
            let mixed = seed
                .wrapping_add(position as u64)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (*symbol, corner(symbol.sort(), mixed ^ mixed >> 29))
        };
        self.variables.iter().enumerate().map(value).collect()
    }

    /// Chooses a term that the predicate accepts; mostly one of the latest.
    pub fn choose(&self, choice: u16, accept: impl Fn(Sort) -> bool) -> Option<Pair> {
        let accepted: Vec<_> = self.pairs.iter().filter(|pair| accept(pair.sort)).collect();
        let recent = accepted.len().min(6);
        let range = if choice & 1 == 0 {
            &accepted[accepted.len() - recent..]
        } else {
            &accepted[..]
        };
        (!range.is_empty()).then(|| *range[usize::from(choice >> 1) % range.len()])
    }

    pub fn follow(&mut self, &(choice, operands, seed): &Step) {
        let number = usize::from(choice) % (OPERATORS.len() + SHAPES.len());
        match OPERATORS.get(number) {
            Some(&chosen) => {
                if let Some((op, sort, pairs)) = self.application(chosen, operands, seed) {
                    self.apply(op, sort, &pairs);
                }
            }
            None => {
                SHAPES[number - OPERATORS.len()](self, operands, seed);
            }
        }
    }

    /// Builds an application with and without simplification.
    pub fn apply(&mut self, op: Op, sort: Sort, pairs: &[Pair]) -> Pair {
        let raw: Vec<_> = pairs.iter().map(|pair| pair.raw).collect();
        let simple: Vec<_> = pairs.iter().map(|pair| pair.simple).collect();
        let raw = self.arena.intern(op, sort, &raw);
        let simple = self.arena.apply(op, sort, &simple);
        self.push(raw, simple);
        Pair { raw, simple, sort }
    }

    pub fn constant(&mut self, sort: Sort, seed: u64) -> Pair {
        self.literal(&corner(sort, seed))
    }

    pub fn literal(&mut self, value: &Value) -> Pair {
        let term = self.arena.value(value);
        Pair {
            raw: term,
            simple: term,
            sort: value.sort(),
        }
    }

    /// Returns the subterms of a term, down to the third level.
    fn parts(&self, term: TermId) -> Vec<TermId> {
        let mut parts = vec![term];
        let mut from = 0;
        for _ in 0..3 {
            let to = parts.len().min(24);
            for place in from..to {
                if let TermKind::Apply { arguments, .. } = self.arena.kind(parts[place]) {
                    parts.extend_from_slice(arguments);
                }
            }
            from = to;
        }
        parts
    }

    /// Returns a constant that may be relevant for a rule: one in the partner or next to it, or at the limits of the widths of
    /// the partner's subterms.
    fn constant_near(&mut self, partner: Pair, sort: Sort, seed: u64) -> Pair {
        let parts = self.parts(partner.simple);
        let pick = |length: usize| (seed >> 24) as usize % length;
        let delta = i128::from((seed >> 3) % 5) - 2;
        let constants: Vec<Value> = parts
            .iter()
            .filter_map(|part| self.arena.constant(*part))
            .map(Constant::to_value)
            .collect();
        let numbers: Vec<i128> = constants
            .iter()
            .filter_map(|value| match value {
                Value::BitVec(bits) if seed & 1 == 0 => Some(bits.signed()),
                Value::BitVec(bits) => Some(bits.bits() as i128),
                Value::Int(value) => i128::try_from(value).ok(),
                _ => None,
            })
            .collect();
        let widths: Vec<u32> = parts
            .iter()
            .filter_map(|part| self.arena.sort(*part).width())
            .collect();
        let number = if !numbers.is_empty() && seed & 2 == 0 {
            let number = numbers[pick(numbers.len())];
            match (seed >> 10) % 5 {
                0 => number,
                1 => number.wrapping_neg(),
                2 => !number,
                _ => number.wrapping_add(delta),
            }
        } else if !widths.is_empty() {
            let width = widths[pick(widths.len())];
            let limit = 1_i128.wrapping_shl(width - (seed >> 12 & 1) as u32);
            let limit = if seed & 4096 == 0 && width == 128 {
                0
            } else {
                limit
            };
            let limit = if seed & 8192 == 0 {
                limit
            } else {
                limit.wrapping_neg()
            };
            limit.wrapping_add(delta)
        } else {
            delta
        };
        match sort {
            Sort::BitVec(width) => self.literal(&Value::bit_vec(width, number as u128)),
            Sort::Int => self.literal(&Value::int(number)),
            _ => match constants.iter().find(|value| value.sort() == sort) {
                Some(value) => {
                    let value = value.clone();
                    self.literal(&value)
                }
                None => self.constant(sort, seed),
            },
        }
    }

    /// Chooses a term that has a subterm in common with the partner.
    pub fn relative(
        &self,
        partner: Pair,
        choice: u16,
        accept: impl Fn(Sort) -> bool,
    ) -> Option<Pair> {
        let own = self.parts(partner.simple);
        let has_parts = |term| match self.arena.kind(term) {
            TermKind::Apply { arguments, .. } => arguments
                .iter()
                .any(|part| own.contains(part) && self.arena.constant(*part).is_none()),
            _ => false,
        };
        let related: Vec<_> = self
            .pairs
            .iter()
            .filter(|pair| {
                accept(pair.sort) && (own.contains(&pair.simple) || has_parts(pair.simple))
            })
            .collect();
        (!related.is_empty()).then(|| *related[usize::from(choice >> 3) % related.len()])
    }

    /// Chooses a second operand: another term of the sort, or a constant; often one related to the partner.
    pub fn other(
        &mut self,
        partner: Option<Pair>,
        choice: u16,
        sort: Sort,
        seed: u64,
    ) -> Option<Pair> {
        let seed = seed ^ u64::from(choice) << 7;
        match (choice % 10, partner) {
            (0..2, _) | (2..4, None) => Some(self.constant(sort, seed)),
            (2..4, Some(partner)) => Some(self.constant_near(partner, sort, seed)),
            (4..7, Some(partner)) => self
                .relative(partner, choice, |other| other == sort)
                .or_else(|| self.choose(choice, |other| other == sort)),
            _ => self.choose(choice, |other| other == sort),
        }
    }

    /// Chooses a first operand: often one for which the operator has a rule.
    pub fn first(&self, op: Op, choice: u16, accept: impl Fn(Sort) -> bool) -> Option<Pair> {
        if !choice.is_multiple_of(3) {
            let favourite = |pair: &&Pair| match self.arena.kind(pair.simple) {
                TermKind::Apply { op: inner, .. } => accept(pair.sort) && goes_with(op, inner),
                _ => false,
            };
            let favourites: Vec<_> = self.pairs.iter().filter(favourite).collect();
            if !favourites.is_empty() {
                return Some(*favourites[usize::from(choice / 3) % favourites.len()]);
            }
        }
        self.choose(choice, accept)
    }
}

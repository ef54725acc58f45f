//! Terms in a form that another process can read.
//!
//! A [`TermId`] means nothing outside of the process that made it. Here terms are a list in which arguments come before
//! what is made of them, each term once; a place in the list takes the part of the id.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Constant, Op, Pool, Sort, Symbol, TermId, TermKind, Value};

/// Terms of some pool, without it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct PortableTerms(Vec<PortableTerm>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum PortableTerm {
    /// A constant of a Boolean, bit-vector or float sort.
    Bits(Sort, u128),
    Integer(BigInt),
    Variable {
        name: String,
        sort: Sort,
        instance: u32,
    },
    Apply {
        op: Op,
        sort: Sort,
        /// Earlier places.
        arguments: Vec<u32>,
    },
}

/// Adds terms of a pool to a list.
pub struct Exporter<'p, P: ?Sized> {
    pool: &'p P,
    terms: PortableTerms,
    places: FxHashMap<TermId, u32>,
}

impl<'p, P: Pool + ?Sized> Exporter<'p, P> {
    pub fn new(pool: &'p P) -> Self {
        Self {
            pool,
            terms: PortableTerms::default(),
            places: FxHashMap::default(),
        }
    }

    /// The term's place in the list, which gets what it lacks.
    pub fn add(&mut self, term: TermId) -> u32 {
        // Terms may be deeper than the stack.
        let mut work = vec![term];
        while let Some(&term) = work.last() {
            if self.places.contains_key(&term) {
                work.pop();
                continue;
            }
            let portable = match self.pool.kind(term) {
                TermKind::Constant(constant) => self.constant(term, constant),
                TermKind::Variable { symbol, instance } => PortableTerm::Variable {
                    name: symbol.name().to_owned(),
                    sort: symbol.sort(),
                    instance,
                },
                TermKind::Apply { op, arguments } => {
                    let before = work.len();
                    let missing = arguments
                        .iter()
                        .filter(|one| !self.places.contains_key(one));
                    work.extend(missing);
                    if work.len() > before {
                        continue;
                    }
                    PortableTerm::Apply {
                        op,
                        sort: self.pool.sort(term),
                        arguments: arguments.iter().map(|one| self.places[one]).collect(),
                    }
                }
            };
            work.pop();
            self.places.insert(term, self.terms.0.len() as u32);
            self.terms.0.push(portable);
        }
        self.places[&term]
    }

    fn constant(&self, term: TermId, constant: Constant<'_>) -> PortableTerm {
        let sort = self.pool.sort(term);
        match constant {
            Constant::Bool(value) => PortableTerm::Bits(sort, u128::from(value)),
            Constant::BitVec(value) => PortableTerm::Bits(sort, value.bits()),
            Constant::Float(value) => PortableTerm::Bits(sort, value.bits()),
            Constant::Int(value) => PortableTerm::Integer(value.clone()),
        }
    }

    pub fn finish(self) -> PortableTerms {
        self.terms
    }
}

impl PortableTerms {
    /// The terms in the pool, by their places, exactly as they were. `None` if an argument does not come before what is
    /// made of it.
    pub fn import(&self, pool: &(impl Pool + ?Sized)) -> Option<Vec<TermId>> {
        let mut terms: Vec<TermId> = Vec::with_capacity(self.0.len());
        for term in &self.0 {
            let term = match term {
                PortableTerm::Bits(sort, bits) => pool.intern_bits(*sort, *bits),
                PortableTerm::Integer(value) => pool.intern_constant(&Value::Int(value.clone())),
                PortableTerm::Variable {
                    name,
                    sort,
                    instance,
                } => pool.intern_variable(Symbol::new(name, *sort), *instance),
                PortableTerm::Apply {
                    op,
                    sort,
                    arguments,
                } => {
                    let arguments = arguments
                        .iter()
                        .map(|&place| terms.get(place as usize).copied());
                    let arguments: Option<Vec<TermId>> = arguments.collect();
                    pool.intern(*op, *sort, &arguments?)
                }
            };
            terms.push(term);
        }
        Some(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Arena, Build, FloatFormat, FloatValue, ScalarSort, store};

    #[test]
    fn what_comes_out_is_what_went_in() {
        let pool = store();
        let x = pool.variable(Symbol::new("portable x", Sort::BitVec(32)));
        let later = pool.variable_at(Symbol::new("portable x", Sort::BitVec(32)), 7);
        let array = Sort::Array {
            index: ScalarSort::BitVec(32),
            element: ScalarSort::BitVec(8),
        };
        let cells = pool.variable(Symbol::new("portable a", array));
        let float = Value::Float(FloatValue::from_bits(
            FloatFormat::F80,
            0x3fff_8000_0000_0000_0000,
        ));
        let terms = [
            TermId::TRUE,
            pool.and((0..9).map(|number| pool.ne(x, pool.bv(32, number)))),
            pool.select(pool.store(cells, x, pool.bv(8, 255)), later),
            pool.intern_constant(&float),
            pool.intern_constant(&Value::int(BigInt::from(3).pow(200))),
            pool.intern(Op::BvAdd, Sort::BitVec(32), &[x, pool.bv(32, 0)]),
        ];
        let mut exporter = Exporter::new(pool);
        let places = terms.map(|term| exporter.add(term));
        let portable = exporter.finish();
        let bytes = postcard::to_stdvec(&portable).expect("bytes");
        let read: PortableTerms = postcard::from_bytes(&bytes).expect("terms");
        assert_eq!(read, portable);
        let imported = read.import(pool).expect("a list in order");
        assert_eq!(places.map(|place| imported[place as usize]), terms);
    }

    #[test]
    fn a_deep_term_takes_no_stack() {
        let arena = Arena::new();
        let mut term = arena.variable(Symbol::new("portable deep", Sort::BitVec(8)));
        for _ in 0..300_000 {
            term = arena.intern(Op::BvNot, Sort::BitVec(8), &[term]);
        }
        let mut exporter = Exporter::new(&arena);
        let place = exporter.add(term);
        let other = Arena::new();
        let imported = exporter.finish().import(&other).expect("a list in order");
        assert_eq!(place as usize, imported.len() - 1);
        assert_eq!(imported.len(), 300_001);
    }

    #[test]
    fn a_list_out_of_order_is_refused() {
        let portable = PortableTerms(vec![PortableTerm::Apply {
            op: Op::Not,
            sort: Sort::Bool,
            arguments: vec![0],
        }]);
        assert_eq!(portable.import(store()), None);
    }
}

//! Serialisation of terms for another process.
//!
//! A [`TermId`] has no meaning outside of the process that made it. Portable terms are a list in which arguments come before
//! the terms that contain them, each term once; an index into the list takes the role of the id.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{Constant, Op, Pool, Sort, Symbol, TermId, TermKind, Value};

/// Terms without a pool.
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
        /// Earlier indices.
        arguments: Vec<u32>,
    },
}

/// Adds terms of one pool to a list, which may be taken in pieces.
#[derive(Default)]
pub struct Exporter {
    /// The terms that have not been taken yet.
    terms: PortableTerms,
    /// The indices of all terms that were ever added.
    places: FxHashMap<TermId, u32>,
}

impl Exporter {
    /// Adds the term and its subterms unless they are in the list, and returns the term's index. The pool must be the same in
    /// all calls.
    pub fn add(&mut self, pool: &(impl Pool + ?Sized), term: TermId) -> u32 {
        // Terms may be deeper than the stack.
        let mut work = vec![term];
        while let Some(&term) = work.last() {
            if self.places.contains_key(&term) {
                work.pop();
                continue;
            }
            let portable = match pool.kind(term) {
                TermKind::Constant(constant) => portable_constant(pool.sort(term), constant),
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
                        sort: pool.sort(term),
                        arguments: arguments.iter().map(|one| self.places[one]).collect(),
                    }
                }
            };
            work.pop();
            self.places.insert(term, self.places.len() as u32);
            self.terms.0.push(portable);
        }
        self.places[&term]
    }

    /// Takes the part of the list that was added since the last call.
    pub fn take(&mut self) -> PortableTerms {
        std::mem::take(&mut self.terms)
    }

    /// The number of terms that have been added.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Checks whether no term has been added.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

fn portable_constant(sort: Sort, constant: Constant<'_>) -> PortableTerm {
    match constant {
        Constant::Bool(value) => PortableTerm::Bits(sort, u128::from(value)),
        Constant::BitVec(value) => PortableTerm::Bits(sort, value.bits()),
        Constant::Float(value) => PortableTerm::Bits(sort, value.bits()),
        Constant::Int(value) => PortableTerm::Integer(value.clone()),
    }
}

impl PortableTerms {
    /// Builds the terms in the pool, without simplification, and returns them by index. `None` if an argument does not come
    /// before the term that contains it.
    pub fn import(&self, pool: &(impl Pool + ?Sized)) -> Option<Vec<TermId>> {
        let mut terms = Vec::with_capacity(self.0.len());
        self.import_after(pool, &mut terms)?;
        Some(terms)
    }

    /// Like [`Self::import`], for a part of a list whose earlier parts have been imported to `terms`.
    pub fn import_after(&self, pool: &(impl Pool + ?Sized), terms: &mut Vec<TermId>) -> Option<()> {
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
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Build, FloatFormat, FloatValue, ScalarSort, store};

    #[test]
    fn imported_terms_equal_the_exported_ones() {
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
        let mut exporter = Exporter::default();
        let places = terms.map(|term| exporter.add(pool, term));
        let portable = exporter.take();
        let bytes = postcard::to_stdvec(&portable).expect("bytes");
        let read: PortableTerms = postcard::from_bytes(&bytes).expect("terms");
        assert_eq!(read, portable);
        let imported = read.import(pool).expect("a list in order");
        assert_eq!(places.map(|place| imported[place as usize]), terms);
    }

    /// Parts that are taken one after the other form one list.
    #[test]
    fn a_list_in_parts() {
        let pool = store();
        let x = pool.variable(Symbol::new("portable y", Sort::BitVec(8)));
        let first = pool.add(x, pool.bv(8, 3));
        let second = pool.mul(first, x);
        let mut exporter = Exporter::default();
        let mut imported = Vec::new();
        for term in [first, second, first] {
            let place = exporter.add(pool, term) as usize;
            let part = exporter.take();
            assert_eq!(part.import_after(pool, &mut imported), Some(()));
            assert_eq!(imported[place], term);
        }
        assert_eq!(imported.len(), exporter.len());
        assert_eq!(exporter.take(), PortableTerms::default());
        exporter.add(pool, pool.mul(second, second));
        let alone = exporter.take().import(pool);
        assert_eq!(alone, None, "its arguments are in an earlier part");
    }

    #[test]
    fn a_deep_term_takes_no_stack() {
        let arena = Arena::new();
        let mut term = arena.variable(Symbol::new("portable deep", Sort::BitVec(8)));
        for _ in 0..300_000 {
            term = arena.intern(Op::BvNot, Sort::BitVec(8), &[term]);
        }
        let mut exporter = Exporter::default();
        let place = exporter.add(&arena, term);
        let other = Arena::new();
        let imported = exporter.take().import(&other).expect("a list in order");
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

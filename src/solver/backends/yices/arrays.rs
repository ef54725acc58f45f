//! Constant arrays, which Yices does not have.
//!
//! A constant array is an uninterpreted function c for Yices, constrained at the relevant indices. Let I be the indices of
//! all reads and writes of arrays of its sort; then these conditions are asserted:
//!
//! * c(i) = v for every i in I;
//! * a = b or a(k) ≠ b(k), with a new index k, which joins I, for every equality of arrays of the sort;
//! * λ ≠ i for every i in I, and c(λ) = v, with a new index λ, which stands for all indices outside I.
//!
//! This changes no answer as long as there are more indices than |I|. Every model of the formula extends to k and λ: k is an
//! index where a and b differ, λ one outside I. In the other direction, take a model of the conditions and give every array,
//! outside I, its value at λ. Then reads in I are unchanged; a store's result and its array agree outside I, as they agree
//! at λ; equal arrays stay equal, and different ones differ at their k; and c is constant. Models are read back in this
//! form ([`Instances::indices`]).
//!
//! If the index sort has few values, I is all of them, and λ is not needed.

use rustc_hash::{FxHashMap, FxHashSet};
use yices2::sys::*;

use super::translate::{self, Translator, required};
use crate::limits::MAXIMUM_NARROW_INDEX_WIDTH;
use regatta_term::{ScalarSort, Sort};

type Result<T> = std::result::Result<T, String>;

/// Indices, equalities and constant arrays that occur in the open scopes, for each array sort.
#[derive(Default)]
pub struct Instances {
    sorts: FxHashMap<Sort, Occurrences>,
    /// Additions in order, so that they can be undone.
    trail: Vec<(Sort, Kind)>,
}

#[derive(Copy, Clone)]
enum Kind {
    Index,
    Equality,
    Constant,
}

#[derive(Default)]
struct Occurrences {
    /// The set I, including the witnesses of the equalities.
    indices: Vec<term_t>,
    known: FxHashSet<term_t>,
    /// Each equality with its sides.
    equalities: Vec<[term_t; 3]>,
    /// The pairs c and v.
    constants: Vec<[term_t; 2]>,
    /// The witness k of each pair of compared arrays.
    witnesses: FxHashMap<[term_t; 2], term_t>,
    lambda: Option<term_t>,
}

impl Instances {
    /// Returns a mark; [`Self::truncate`] undoes later additions.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes the additions since the mark.
    pub fn truncate(&mut self, mark: usize) {
        for (sort, kind) in self.trail.drain(mark..).rev() {
            let Some(of) = self.sorts.get_mut(&sort) else {
                continue;
            };
            match kind {
                Kind::Index => {
                    if let Some(index) = of.indices.pop() {
                        of.known.remove(&index);
                    }
                }
                Kind::Equality => {
                    of.equalities.pop();
                }
                Kind::Constant => {
                    of.constants.pop();
                }
            }
        }
    }

    /// Returns the indices at which arrays of the sort are determined, and the index whose value they have elsewhere.
    /// `None` if no constant array of the sort is asserted, so that Yices's own models of functions hold.
    pub fn indices(&self, sort: Sort) -> Option<(&[term_t], Option<term_t>)> {
        let of = self.sorts.get(&sort)?;
        let lambda = if is_narrow(sort) { None } else { of.lambda };
        (!of.constants.is_empty()).then_some((of.indices.as_slice(), lambda))
    }

    /// Notes a read or write at the index. Its conditions are added to `out`.
    ///
    /// # Errors
    /// When the index sort may have too few values.
    pub fn index(&mut self, sort: Sort, index: term_t, out: &mut Vec<term_t>) -> Result<()> {
        let of = self.sorts.entry(sort).or_default();
        if !of.known.insert(index) {
            return Ok(());
        }
        of.indices.push(index);
        self.trail.push((sort, Kind::Index));
        if !of.constants.is_empty() {
            of.at_index(sort, index, out)?;
        }
        Ok(())
    }

    /// Notes an equality of arrays.
    ///
    /// # Errors
    /// As [`Self::index`].
    pub fn equality(
        &mut self,
        translator: &mut Translator,
        sort: Sort,
        equality: [term_t; 3],
        out: &mut Vec<term_t>,
    ) -> Result<()> {
        let of = self.sorts.entry(sort).or_default();
        of.equalities.push(equality);
        self.trail.push((sort, Kind::Equality));
        if !of.constants.is_empty() {
            self.witness(translator, sort, equality, out)?;
        }
        Ok(())
    }

    /// Notes a constant array: the function and the element.
    ///
    /// # Errors
    /// As [`Self::index`].
    pub fn constant(
        &mut self,
        translator: &mut Translator,
        sort: Sort,
        constant: [term_t; 2],
        out: &mut Vec<term_t>,
    ) -> Result<()> {
        let of = self.sorts.entry(sort).or_default();
        let first = of.constants.is_empty();
        of.constants.push(constant);
        self.trail.push((sort, Kind::Constant));
        if !first {
            for &index in &of.indices {
                out.push(constant_at(constant, index)?);
            }
            if let Some(lambda) = of.lambda {
                out.push(constant_at(constant, lambda)?);
            }
            return Ok(());
        }
        if is_narrow(sort) {
            for index in all_indices(sort)? {
                self.index(sort, index, out)?;
            }
        } else {
            let lambda = match of.lambda {
                Some(lambda) => lambda,
                None => *of.lambda.insert(translator.fresh(index_sort(sort))?),
            };
            out.push(constant_at(constant, lambda)?);
        }
        let of = self.sorts.entry(sort).or_default();
        for index in of.indices.clone() {
            of.at_index(sort, index, out)?;
        }
        for equality in of.equalities.clone() {
            self.witness(translator, sort, equality, out)?;
        }
        Ok(())
    }

    fn witness(
        &mut self,
        translator: &mut Translator,
        sort: Sort,
        [equal, left, right]: [term_t; 3],
        out: &mut Vec<term_t>,
    ) -> Result<()> {
        if is_narrow(sort) {
            return Ok(());
        }
        let of = self.sorts.entry(sort).or_default();
        let witness = match of.witnesses.get(&[left, right]) {
            Some(&witness) => witness,
            None => {
                let witness = translator.fresh(index_sort(sort))?;
                of.witnesses.insert([left, right], witness);
                witness
            }
        };
        // SAFETY: everything is Yices's, of fitting types.
        out.push(required(unsafe {
            let left = required(yices_application1(left, witness))?;
            let right = required(yices_application1(right, witness))?;
            yices_or2(equal, required(yices_neq(left, right))?)
        })?);
        self.index(sort, witness, out)
    }
}

impl Occurrences {
    /// Adds the conditions for a member of I.
    fn at_index(&self, sort: Sort, index: term_t, out: &mut Vec<term_t>) -> Result<()> {
        for &constant in &self.constants {
            out.push(constant_at(constant, index)?);
        }
        if is_narrow(sort) {
            return Ok(());
        }
        let bits = index_sort(sort).width().unwrap_or(0);
        if bits < usize::BITS && self.indices.len() + 1 >= 1 << bits {
            return Err("as many array indices as the index sort has".into());
        }
        if let Some(lambda) = self.lambda {
            // SAFETY: both are Yices's, of one type.
            out.push(required(unsafe { yices_neq(lambda, index) })?);
        }
        Ok(())
    }
}

fn constant_at([constant, element]: [term_t; 2], index: term_t) -> Result<term_t> {
    // SAFETY: everything is Yices's, of fitting types.
    required(unsafe { yices_eq(required(yices_application1(constant, index))?, element) })
}

fn index_sort(sort: Sort) -> Sort {
    match sort {
        Sort::Array { index, .. } => index.into(),
        other => other,
    }
}

fn is_narrow(sort: Sort) -> bool {
    match sort {
        Sort::Array { index, .. } => match index {
            ScalarSort::BitVec(width) => width <= MAXIMUM_NARROW_INDEX_WIDTH,
            _ => true,
        },
        _ => false,
    }
}

fn all_indices(sort: Sort) -> Result<Vec<term_t>> {
    match index_sort(sort) {
        Sort::BitVec(width) => (0..1u128 << width)
            .map(|index| translate::bits(width, index))
            .collect(),
        // SAFETY: without arguments.
        _ => Ok(unsafe { vec![yices_false(), yices_true()] }),
    }
}

//! Bit vectors given to a solver as integers, in linear arithmetic.
//!
//! [`IntegerEncoding`] is a [`Solver`] over another one that knows integers (Z3). A bit vector becomes a number that is
//! congruent to it ([`number`]); wrap-around appears only where a number's bounds, which come from the widths, cannot
//! exclude it; what linear arithmetic cannot express becomes an unknown value ([`translate`]).
//!
//! **What answers mean.** The encoding admits more than there is: `Unsatisfiable` is exact, cores included;
//! `Satisfiable` may be wrong and needs replay. [`Solver::value`] gives values of the bit vectors' own variables, and of
//! terms what the operators make of these: so a formula that was asserted and whose value is `false` shows that the
//! model is none.

mod number;
#[cfg(test)]
mod tests;
mod translate;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::number::Reading;
pub use self::translate::Translator;
use super::{Answer, CheckLimit, Encoding, Interrupt, Solver, SolverConfig, SolverStatistics};
use regatta_term::{
    Arena, ArrayValue, BitVecValue, Evaluator, Pool, ScalarSort, Sort, Symbol, TermId, Value,
};

/// A solver over terms with bit vectors that asks another one about integers.
pub struct IntegerEncoding<S> {
    inner: S,
    translator: Translator,
    /// Terms whose side conditions are asserted in the open scopes; oldest first.
    occurred: Vec<TermId>,
    occurring: FxHashSet<TermId>,
    /// The number of them when each scope was opened.
    scopes: Vec<usize>,
    /// The assumptions of the last check by their translations.
    assumptions: FxHashMap<TermId, TermId>,
}

impl<S: Solver> IntegerEncoding<S> {
    /// Over a solver without assertions, which must know integers and arrays.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            translator: Translator::new(),
            occurred: Vec::new(),
            occurring: FxHashSet::default(),
            scopes: Vec::new(),
            assumptions: FxHashMap::default(),
        }
    }

    /// The translation of a Boolean term, with its side conditions asserted in the current scope.
    fn prepare(&mut self, formula: TermId) -> TermId {
        let arena = Rc::clone(self.inner.arena());
        let translated = self.translator.translate(&arena, formula);
        let mut stack = vec![formula];
        while let Some(top) = stack.pop() {
            if arena.is_constant(top) || !self.occurring.insert(top) {
                continue;
            }
            self.occurred.push(top);
            for &condition in self.translator.sides(top) {
                self.inner.assert(condition);
            }
            if let Some((_, arguments)) = arena.as_application(top) {
                stack.extend(arguments);
            }
        }
        translated
    }
}

impl<S: Solver> Solver for IntegerEncoding<S> {
    fn arena(&self) -> &Rc<Arena> {
        self.inner.arena()
    }

    fn push(&mut self) {
        self.scopes.push(self.occurred.len());
        self.inner.push();
    }

    fn pop(&mut self) {
        let Some(mark) = self.scopes.pop() else {
            return;
        };
        for term in self.occurred.drain(mark..) {
            self.occurring.remove(&term);
        }
        self.inner.pop();
    }

    fn assert(&mut self, formula: TermId) {
        let translated = self.prepare(formula);
        self.inner.assert(translated);
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        self.assumptions.clear();
        let mut translated = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            let translation = self.prepare(assumption);
            self.assumptions.entry(translation).or_insert(assumption);
            translated.push(translation);
        }
        self.inner.check(&translated)
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        let arena = Rc::clone(self.inner.arena());
        let asked = RefCell::new((&mut self.inner, &mut self.translator));
        let assignment = |symbol: Symbol, instance| {
            let (inner, translator) = &mut *asked.borrow_mut();
            let variable = arena.intern_variable(symbol, instance);
            let translated = translator.translate(&arena, variable);
            as_bits(inner.value(translated)?, symbol.sort())
        };
        Evaluator::new(&*arena, &assignment).evaluate(term).ok()
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        let core = self.inner.unsat_core();
        core.iter()
            .filter_map(|term| self.assumptions.get(term).copied())
            .collect()
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.inner.set_limit(limit);
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.inner.interrupter()
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics {
            translated: self.translator.translated(),
            ..self.inner.statistics()
        }
    }

    fn for_another_thread(&self) -> SolverConfig {
        SolverConfig {
            encoding: Encoding::Integer,
            ..self.inner.for_another_thread()
        }
    }
}

/// The value of a variable of the sort from the value of its translation.
fn as_bits(value: Value, sort: Sort) -> Option<Value> {
    match (value, sort) {
        (Value::Int(number), Sort::BitVec(width)) => {
            Some(Value::BitVec(BitVecValue::from_int(width, &number)))
        }
        (Value::Array(array), Sort::Array { index, element }) => {
            let default = as_bits(array.default_value().clone(), element.into())?;
            let mut result = ArrayValue::constant(index, default);
            for (key, value) in array.entries() {
                if !is_index(key, index) {
                    continue;
                }
                let key = as_bits(key.clone(), index.into())?;
                result.store(key, as_bits(value.clone(), element.into())?);
            }
            Some(Value::Array(result))
        }
        (value, sort) => (value.sort() == sort).then_some(value),
    }
}

/// Whether a bit vector has the number as an index.
fn is_index(key: &Value, index: ScalarSort) -> bool {
    match (key, index) {
        (Value::Int(number), ScalarSort::BitVec(width)) => {
            BigInt::from(BitVecValue::from_int(width, number).signed()) == *number
        }
        _ => true,
    }
}

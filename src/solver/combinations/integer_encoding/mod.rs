//! Bit vectors encoded as integers, in linear arithmetic.
//!
//! [`IntegerEncoding`] is a [`Solver`] over another one with integer arithmetic (Z3). A bit vector becomes a number that is
//! congruent to it ([`number`]). Wrap-around is encoded only where a number's bounds, which come from the widths, do not
//! exclude it. An operation that linear arithmetic cannot express becomes an unconstrained value ([`translate`]).
//!
//! **Meaning of answers.** The encoding over-approximates: `Unsatisfiable` is exact, cores included; `Satisfiable` may be
//! wrong and needs replay. [`Solver::value`] evaluates terms exactly from the values of the bit-vector variables. So an
//! asserted formula whose value is `false` shows that the model is spurious.

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
use crate::{Answer, CheckLimit, Encoding, Interrupt, Solver, SolverConfig, SolverStatistics};
use regatta_term::{
    Arena, ArrayValue, BitVecValue, Evaluator, Pool, ScalarSort, Sort, Symbol, TermId, Value,
};

/// A solver for terms with bit vectors over one for integers.
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
    /// Wraps a solver without assertions, which must support integers and arrays.
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

    /// Translates a Boolean term and asserts its side conditions in the current scope.
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

/// Converts the value of a translated variable to the variable's sort.
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

/// Checks whether the number is the signed value of an index of the sort.
fn is_index(key: &Value, index: ScalarSort) -> bool {
    match (key, index) {
        (Value::Int(number), ScalarSort::BitVec(width)) => {
            BigInt::from(BitVecValue::from_int(width, number).signed()) == *number
        }
        _ => true,
    }
}

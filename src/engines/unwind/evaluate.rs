//! Evaluation of terms of the program in a state.

use rustc_hash::FxHashMap;

use super::cells::Cells;
use super::known_values::Terms;
use regatta_term::{Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind, store};

/// The value of a scalar or of a region.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Scalar(TermId),
    Array(Cells),
}

impl Value {
    /// Returns the value that the term represents.
    pub fn of(arena: &Arena, term: TermId) -> Self {
        match arena.sort(term).is_array() {
            true => Self::Array(Cells::new(term)),
            false => Self::Scalar(term),
        }
    }
}

/// The stage of the evaluation of a term.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Visit {
    First,
    /// The condition of a choice has been evaluated.
    Condition,
    Last,
}

impl Terms<'_> {
    /// Evaluates a term of the shared store; `read` returns the values of variables.
    pub fn evaluate(&mut self, term: TermId, read: &mut dyn FnMut(Symbol) -> Value) -> Value {
        let mut done: FxHashMap<TermId, Value> = FxHashMap::default();
        let mut stack = vec![(term, Visit::First)];
        while let Some((top, visit)) = stack.pop() {
            if visit == Visit::First && done.contains_key(&top) {
                continue;
            }
            let (op, arguments) = match store().kind(top) {
                TermKind::Constant(_) => {
                    done.insert(top, Value::Scalar(top));
                    continue;
                }
                TermKind::Variable { symbol, .. } => {
                    let value = match read(symbol) {
                        Value::Scalar(term) => Value::Scalar(self.on_path(term)),
                        array => array,
                    };
                    done.insert(top, value);
                    continue;
                }
                TermKind::Apply { op, arguments } => (op, arguments),
            };
            match (op, visit) {
                (Op::Ite, Visit::First) => {
                    stack.push((top, Visit::Condition));
                    stack.push((arguments[0], Visit::First));
                    continue;
                }
                (Op::Ite, Visit::Condition) => {
                    stack.push((top, Visit::Last));
                    let condition = done.get(&arguments[0]).cloned();
                    let needed = match condition {
                        Some(Value::Scalar(TermId::TRUE)) => &arguments[1..2],
                        Some(Value::Scalar(TermId::FALSE)) => &arguments[2..],
                        _ => &arguments[1..],
                    };
                    stack.extend(needed.iter().map(|&one| (one, Visit::First)));
                    continue;
                }
                (_, Visit::First) => {
                    stack.push((top, Visit::Last));
                    stack.extend(arguments.iter().map(|&one| (one, Visit::First)));
                    continue;
                }
                _ => {}
            }
            let value = self.applied(op, store().sort(top), arguments, &done);
            done.insert(top, value);
        }
        done.remove(&term).unwrap_or(Value::Scalar(term))
    }

    fn applied(
        &mut self,
        op: Op,
        sort: Sort,
        arguments: &[TermId],
        done: &FxHashMap<TermId, Value>,
    ) -> Value {
        let scalar = |term: &TermId| match &done[term] {
            Value::Scalar(value) => *value,
            Value::Array(_) => TermId::FALSE,
        };
        if op == Op::Ite {
            let condition = scalar(&arguments[0]);
            return match condition {
                TermId::TRUE => done[&arguments[1]].clone(),
                TermId::FALSE => done[&arguments[2]].clone(),
                _ => self.choice(condition, &done[&arguments[1]], &done[&arguments[2]]),
            };
        }
        if let Some(Value::Array(array)) = arguments.first().map(|first| &done[first]) {
            return match (op, arguments) {
                (Op::Select, &[_, index]) => {
                    let element = self.read(array, scalar(&index));
                    Value::Scalar(self.on_path(element))
                }
                (Op::Store, &[_, index, element]) => {
                    Value::Array(self.write(array, scalar(&index), scalar(&element)))
                }
                _ => {
                    let operands: Vec<TermId> =
                        arguments.iter().map(|one| self.term(&done[one])).collect();
                    Value::of(self.arena, self.arena.apply(op, sort, &operands))
                }
            };
        }
        let operands: Vec<TermId> = arguments.iter().map(scalar).collect();
        match op {
            Op::ConstArray => Value::Array(Cells::new(self.arena.apply(op, sort, &operands))),
            _ => Value::Scalar(self.apply(op, sort, &operands)),
        }
    }

    /// Returns the choice between two values.
    pub fn choice(&mut self, condition: TermId, then: &Value, otherwise: &Value) -> Value {
        match (then, otherwise) {
            (Value::Array(a), Value::Array(b)) => Value::Array(self.choose(condition, a, b)),
            _ => {
                let (a, b) = (self.term(then), self.term(otherwise));
                Value::Scalar(self.ite(condition, a, b))
            }
        }
    }

    /// Returns the nested choice that is `first`, or the value of the last of `later` whose condition holds. Each condition
    /// implies those before it.
    pub fn choice_along(&mut self, first: &Value, later: &[(TermId, Value)]) -> Value {
        if let Value::Array(first) = first {
            let arrays = later.iter().map(|(beyond, next)| match next {
                Value::Array(next) => Some((*beyond, next.clone())),
                Value::Scalar(_) => None,
            });
            let arrays: Option<Vec<(TermId, Cells)>> = arrays.collect();
            if let Some(joined) = arrays.and_then(|arrays| self.choose_along(first, &arrays)) {
                return Value::Array(joined);
            }
            return later
                .iter()
                .fold(Value::Array(first.clone()), |value, (beyond, next)| {
                    self.choice(*beyond, next, &value)
                });
        }
        let terms = later
            .iter()
            .map(|(beyond, next)| (*beyond, self.term(next)));
        let terms: Vec<(TermId, TermId)> = terms.collect();
        let first = self.term(first);
        Value::Scalar(self.ite_along(first, &terms))
    }

    /// Returns the value as a single term.
    pub fn term(&self, value: &Value) -> TermId {
        match value {
            Value::Scalar(term) => *term,
            Value::Array(array) => self.array(array),
        }
    }
}

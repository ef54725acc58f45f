//! Evaluation of a term under an assignment of its variables.

use rustc_hash::FxHashMap;

use super::apply;
use crate::{Op, Pool, Sort, Symbol, TermId, TermKind, Value};

/// The error that a variable has no value on which the term's value depends.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variable {symbol} (instance {instance}) has no value")]
pub struct Unassigned {
    pub symbol: Symbol,
    pub instance: u32,
}

/// Evaluates a term. Evaluation is lazy: variables in a branch not taken, or after a false conjunct, need no value.
pub fn evaluate(
    pool: &(impl Pool + ?Sized),
    term: TermId,
    assignment: &dyn Fn(Symbol, u32) -> Option<Value>,
) -> Result<Value, Unassigned> {
    Evaluator::new(pool, assignment).evaluate(term)
}

/// Evaluates several terms under one assignment, and caches the values of subterms.
pub struct Evaluator<'e, P: ?Sized> {
    pool: &'e P,
    assignment: &'e dyn Fn(Symbol, u32) -> Option<Value>,
    known: FxHashMap<TermId, Value>,
}

/// The next step in the evaluation of a term.
enum Step {
    /// The value is known.
    Done(Value),
    /// Evaluate another term first. For a conjunction or disjunction: the number of arguments before it, which do not decide.
    Need(TermId, usize),
    /// Evaluate all arguments first.
    NeedAll,
}

impl<'e, P: Pool + ?Sized> Evaluator<'e, P> {
    /// Creates an evaluator with an empty cache.
    pub fn new(pool: &'e P, assignment: &'e dyn Fn(Symbol, u32) -> Option<Value>) -> Self {
        Self::resumed(pool, assignment, FxHashMap::default())
    }

    /// Creates an evaluator with the cache of another one for the same assignment.
    pub fn resumed(
        pool: &'e P,
        assignment: &'e dyn Fn(Symbol, u32) -> Option<Value>,
        known: FxHashMap<TermId, Value>,
    ) -> Self {
        Self {
            pool,
            assignment,
            known,
        }
    }

    /// Returns the cache: the values of all terms that were evaluated.
    pub fn into_known(self) -> FxHashMap<TermId, Value> {
        self.known
    }

    pub fn evaluate(&mut self, term: TermId) -> Result<Value, Unassigned> {
        let mut stack = vec![(term, 0)];
        while let Some(&(top, from)) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            match self.step(top, from)? {
                Step::Done(value) => {
                    self.known.insert(top, value);
                    stack.pop();
                }
                Step::Need(argument, from) => {
                    if let Some(top) = stack.last_mut() {
                        top.1 = from;
                    }
                    stack.push((argument, 0));
                }
                Step::NeedAll => {
                    if let Some((_, arguments)) = self.pool.as_application(top) {
                        stack.extend(
                            arguments
                                .iter()
                                .filter(|argument| !self.known.contains_key(argument))
                                .map(|&argument| (argument, 0)),
                        );
                    }
                }
            }
        }
        Ok(self.known[&term].clone())
    }

    fn step(&self, term: TermId, from: usize) -> Result<Step, Unassigned> {
        let (op, arguments) = match self.pool.kind(term) {
            TermKind::Constant(constant) => return Ok(Step::Done(constant.to_value())),
            TermKind::Variable { symbol, instance } => {
                let value = (self.assignment)(symbol, instance);
                return value.map(Step::Done).ok_or(Unassigned { symbol, instance });
            }
            TermKind::Apply { op, arguments } => (op, arguments),
        };
        Ok(match (op, arguments) {
            (Op::And, _) => self.until(arguments, from, false),
            (Op::Or, _) => self.until(arguments, from, true),
            (Op::Ite, &[condition, then, otherwise]) => match self.known.get(&condition) {
                None => Step::Need(condition, 0),
                Some(value) => {
                    let branch = if *value == Value::Bool(true) {
                        then
                    } else {
                        otherwise
                    };
                    self.known
                        .get(&branch)
                        .map_or(Step::Need(branch, 0), |value| Step::Done(value.clone()))
                }
            },
            _ => self.strict(op, self.pool.sort(term), arguments),
        })
    }

    /// The step of a conjunction or disjunction: the first argument with the decisive value decides; those before `from` do not.
    fn until(&self, arguments: &[TermId], from: usize, decisive: bool) -> Step {
        for (number, argument) in arguments.iter().enumerate().skip(from) {
            match self.known.get(argument) {
                None => return Step::Need(*argument, number),
                Some(value) if *value == Value::Bool(decisive) => {
                    return Step::Done(decisive.into());
                }
                Some(_) => {}
            }
        }
        Step::Done((!decisive).into())
    }

    fn strict(&self, op: Op, sort: Sort, arguments: &[TermId]) -> Step {
        let mut values: smallvec::SmallVec<[Value; 3]> = smallvec::SmallVec::new();
        for argument in arguments {
            match self.known.get(argument) {
                Some(value) => values.push(value.clone()),
                None => return Step::NeedAll,
            }
        }
        Step::Done(apply(op, sort, &values))
    }
}

//! Implicants: conjunctions of literals that are true in a model and imply a formula.
//!
//! Only subformulas with a variable to eliminate are decomposed; the others stay as they are, so that an implicant is no
//! more specific to the path than elimination needs.

use rustc_hash::{FxHashMap, FxHashSet};

use regatta_term::{
    Arena, Build, Evaluator, Op, Pool, Sort, Symbol, TermId, TermKind, Value, for_each_subterm,
    substitute,
};

/// Values of variables.
#[derive(Clone, Debug, Default)]
pub struct Model {
    values: FxHashMap<(Symbol, u32), Value>,
}

impl Model {
    /// Gives a variable its value.
    pub fn set(&mut self, arena: &Arena, variable: TermId, value: Value) {
        if let Some((symbol, instance)) = arena.as_variable(variable) {
            self.values.insert((symbol, instance), value);
        }
    }

    /// The value of a term, if its variables have one.
    pub fn value(&self, arena: &Arena, term: TermId) -> Option<Value> {
        let assignment = |symbol, instance| self.values.get(&(symbol, instance)).cloned();
        Evaluator::new(arena, &assignment).evaluate(term).ok()
    }

    /// Whether a Boolean term is true.
    pub fn is_true(&self, arena: &Arena, term: TermId) -> bool {
        self.value(arena, term) == Some(Value::Bool(true))
    }
}

/// Checks whether one of the variables occurs in the term.
pub fn mentions(arena: &Arena, term: TermId, variables: &FxHashSet<TermId>) -> bool {
    let mut found = false;
    for_each_subterm(arena, [term], |term, _| found |= variables.contains(&term));
    found
}

/// Returns an implicant of the conjunction in which neither `ite` terms nor reads over stores contain the variables. `None`
/// if the conjunction is not true in the model.
pub(crate) fn implicant(
    arena: &Arena,
    conjuncts: &[TermId],
    variables: &FxHashSet<TermId>,
    model: &Model,
) -> Option<Vec<TermId>> {
    let mut literals = Vec::new();
    let mut seen = FxHashSet::default();
    // Formulas that have to be true.
    let mut stack: Vec<TermId> = conjuncts.iter().rev().copied().collect();
    while let Some(top) = stack.pop() {
        if top == TermId::TRUE || !seen.insert(top) {
            continue;
        }
        if !mentions(arena, top, variables) {
            if !model.is_true(arena, top) {
                return None;
            }
            literals.push(top);
            continue;
        }
        let (is_negated, formula) = match arena.as_application(top) {
            Some((Op::Not, &[inner])) => (true, inner),
            _ => (false, top),
        };
        let signed = |term| if is_negated { arena.not(term) } else { term };
        let Some((op, arguments)) = arena.as_application(formula) else {
            literals.push(top);
            continue;
        };
        match op {
            Op::And | Op::Or if (op == Op::And) != is_negated => {
                stack.extend(arguments.iter().rev().map(|&argument| signed(argument)));
            }
            Op::And | Op::Or => {
                let mut holding = arguments
                    .iter()
                    .map(|&argument| signed(argument))
                    .filter(|&argument| model.is_true(arena, argument))
                    .collect::<Vec<_>>();
                holding.sort_by_key(|&argument| mentions(arena, argument, variables));
                stack.push(*holding.first()?);
            }
            Op::Ite => {
                let holds = model.is_true(arena, arguments[0]);
                stack.push(signed(arguments[if holds { 1 } else { 2 }]));
                stack.push(if holds {
                    arguments[0]
                } else {
                    arena.not(arguments[0])
                });
            }
            Op::Eq
                if arena.sort(arguments[0]) == Sort::Bool
                    && !is_leaf_equation(arena, arguments) =>
            {
                for &argument in arguments {
                    let holds = model.is_true(arena, argument);
                    stack.push(if holds { argument } else { arena.not(argument) });
                }
            }
            _ => match resolve(arena, top, variables, model) {
                Some(Resolved { literal, because }) => {
                    stack.push(literal);
                    stack.push(because);
                }
                None => literals.push(top),
            },
        }
    }
    Some(literals)
}

/// Checks whether an equation of Booleans has a variable as a side, so that it can be solved as it is.
fn is_leaf_equation(arena: &Arena, arguments: &[TermId]) -> bool {
    let is_variable = |&term: &TermId| arena.is_variable(term);
    arguments.iter().any(is_variable)
}

struct Resolved {
    literal: TermId,
    because: TermId,
}

/// Resolves one `ite` term, or one read over a store, in a literal.
fn resolve(
    arena: &Arena,
    literal: TermId,
    variables: &FxHashSet<TermId>,
    model: &Model,
) -> Option<Resolved> {
    let mut found = None;
    let mut mentioning = FxHashSet::default();
    for_each_subterm(arena, [literal], |term, kind| {
        let TermKind::Apply { op, arguments } = kind else {
            if variables.contains(&term) {
                mentioning.insert(term);
            }
            return;
        };
        if arguments
            .iter()
            .any(|argument| mentioning.contains(argument))
        {
            mentioning.insert(term);
            let decision = match op {
                Op::Ite => Some((arguments[0], arguments[1], arguments[2])),
                Op::Select => match arena.as_application(arguments[0]) {
                    Some((Op::Store, &[array, index, element])) => {
                        let behind = arena.select(array, arguments[1]);
                        Some((arena.eq(index, arguments[1]), element, behind))
                    }
                    _ => None,
                },
                _ => None,
            };
            if found.is_none() {
                found = decision.map(|decision| (term, decision));
            }
        }
    });
    let (term, (condition, then, otherwise)) = found?;
    let (because, result) = if model.is_true(arena, condition) {
        (condition, then)
    } else {
        (arena.not(condition), otherwise)
    };
    let map = [(term, result)].into_iter().collect();
    Some(Resolved {
        literal: substitute(arena, literal, &map),
        because,
    })
}

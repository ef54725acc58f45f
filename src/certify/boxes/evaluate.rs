//! Evaluation of terms on sets of values.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::value_sets::{Cells, Set};
use regatta_program::VariableId;
use regatta_term::domain::abstract_value::apply as apply_to_numbers;
use regatta_term::domain::float_transfer::{
    Operand, Outcome, apply as apply_to_floats, is_on_floats,
};
use regatta_term::domain::{AbstractValue, Universe};
use regatta_term::{Op, Pool, Sort, Symbol, TermId, TermKind};

/// A term as a list of subterms, in an order for evaluation.
pub struct Plan {
    pub steps: Vec<Step>,
    /// The variables of the term.
    pub variables: Vec<VariableId>,
}

/// A subterm.
pub enum Step {
    Constant(Set),
    Variable(VariableId, Sort),
    Apply {
        op: Op,
        sort: Sort,
        /// Indices of steps.
        arguments: SmallVec<[u32; 3]>,
    },
}

impl Plan {
    /// The plan of a term over the variables; `None` if the term has others.
    pub fn new(
        pool: &impl Pool,
        term: TermId,
        variables: &FxHashMap<Symbol, VariableId>,
    ) -> Option<Self> {
        let mut places: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut plan = Self {
            steps: Vec::new(),
            variables: Vec::new(),
        };
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if places.contains_key(&top) {
                stack.pop();
                continue;
            }
            let step = match pool.kind(top) {
                TermKind::Constant(constant) => Step::Constant(Set::constant(constant)),
                TermKind::Variable { symbol, .. } => {
                    let variable = *variables.get(&symbol)?;
                    plan.variables.push(variable);
                    Step::Variable(variable, symbol.sort())
                }
                TermKind::Apply { op, arguments } => {
                    let before = stack.len();
                    let open = arguments.iter().copied();
                    stack.extend(open.filter(|part| !places.contains_key(part)));
                    if stack.len() > before {
                        continue;
                    }
                    Step::Apply {
                        op,
                        sort: pool.sort(top),
                        arguments: arguments.iter().map(|part| places[part]).collect(),
                    }
                }
            };
            places.insert(top, plan.steps.len() as u32);
            plan.steps.push(step);
            stack.pop();
        }
        Some(plan)
    }

    /// Evaluates all steps into `values`; the last is the value of the term.
    pub fn evaluate<'v>(&self, variable: impl Fn(VariableId) -> &'v Set, values: &mut Vec<Set>) {
        values.clear();
        for step in &self.steps {
            let value = match step {
                Step::Constant(set) => set.clone(),
                Step::Variable(id, sort) => match variable(*id) {
                    Set::Any => Set::top(*sort),
                    set => set.clone(),
                },
                Step::Apply {
                    op,
                    sort,
                    arguments,
                } => {
                    let arguments = arguments.iter().map(|&place| &values[place as usize]);
                    let arguments: SmallVec<[&Set; 3]> = arguments.collect();
                    apply(*op, *sort, &arguments).unwrap_or_else(|| Set::top(*sort))
                }
            };
            values.push(value);
        }
    }
}

/// Applies the operator to sets; `None` stands for all values of its sort.
pub fn apply(op: Op, sort: Sort, arguments: &[&Set]) -> Option<Set> {
    match (op, arguments) {
        (Op::Ite, [condition, then, otherwise]) => Some(match condition.as_truth() {
            Some(true) => (*then).clone(),
            Some(false) => (*otherwise).clone(),
            None => then.join(otherwise),
        }),
        (Op::Select, [Set::Array(cells), index]) => Some(cells.select(index)),
        (Op::Store, [Set::Array(cells), index, element]) => {
            let mut cells = Cells::clone(cells);
            cells.store(index, element);
            Some(Set::Array(Rc::new(cells)))
        }
        (Op::ConstArray, [element]) => match sort {
            Sort::Array { index, element: of } => {
                let cells = Cells::constant(index, of, (*element).clone());
                Some(Set::Array(Rc::new(cells)))
            }
            _ => None,
        },
        _ if is_on_floats(op) || matches!(arguments, [Set::Float(_), ..]) => {
            on_floats(op, sort, arguments)
        }
        _ => {
            let universe = Universe::of(sort).filter(|_| !sort.is_array())?;
            // Operands without numbers make the result unknown.
            let known = arguments.iter().map(|argument| match argument {
                Set::Number(number) => Some(number),
                _ => None,
            });
            let numbers: Option<SmallVec<[&AbstractValue; 3]>> = known.collect();
            Some(Set::Number(apply_to_numbers(op, universe, &numbers?)))
        }
    }
}

/// Applies an operator with floats as operands or result.
fn on_floats(op: Op, sort: Sort, arguments: &[&Set]) -> Option<Set> {
    let operands = arguments.iter().map(|&set| match set {
        Set::Number(number) => Some(Operand::Number(number)),
        Set::Float(float) => Some(Operand::Float(*float)),
        Set::Array(_) | Set::Any => None,
    });
    let operands: Option<SmallVec<[Operand<'_>; 4]>> = operands.collect();
    Some(match apply_to_floats(op, sort, &operands?)? {
        Outcome::Number(number) => Set::Number(number),
        Outcome::Float(float) => Set::Float(float),
    })
}

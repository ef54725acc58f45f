//! Facts about terms that the compiler needs before it emits code for them.

use rustc_hash::FxHashMap;

use crate::{Program, VariableId};
use regatta_term::{Op, Pool, Symbol, TermId, TermKind, store};

/// A set of variables, as a Bloom filter: a variable that is in the set has its bit set, others may have it too.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VariableFilter(u64);

impl VariableFilter {
    /// The set with one variable.
    pub(crate) fn of(variable: VariableId) -> Self {
        Self(1 << (variable.0 % 64))
    }

    /// The union.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets may have a variable in common.
    pub(crate) fn may_meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Facts about a term.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) variables: VariableFilter,
    /// Whether its evaluation may record a fault, or is expensive.
    pub(crate) may_fault: bool,
}

/// The facts about terms, computed on demand.
pub(crate) struct FactTable {
    variables: FxHashMap<Symbol, VariableId>,
    facts: FxHashMap<TermId, Facts>,
}

impl FactTable {
    /// Creates a table for the program's terms.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            variables: program.variables_by_symbol(),
            facts: FxHashMap::default(),
        }
    }

    pub(crate) fn variable(&self, symbol: Symbol) -> Option<VariableId> {
        self.variables.get(&symbol).copied()
    }

    /// The facts about the term.
    pub(crate) fn get(&mut self, root: TermId) -> Facts {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.facts.contains_key(&term) {
                stack.pop();
                continue;
            }
            let mut facts = Facts::default();
            match store().kind(term) {
                TermKind::Constant(_) => {}
                TermKind::Variable { symbol, .. } => {
                    if let Some(variable) = self.variable(symbol) {
                        facts.variables = VariableFilter::of(variable);
                    }
                }
                TermKind::Apply { op, arguments } => {
                    let mut complete = true;
                    for argument in arguments {
                        match self.facts.get(argument) {
                            Some(known) => {
                                facts.variables = facts.variables.or(known.variables);
                                facts.may_fault |= known.may_fault;
                            }
                            None => {
                                stack.push(*argument);
                                complete = false;
                            }
                        }
                    }
                    if !complete {
                        continue;
                    }
                    facts.may_fault |= match (op, arguments) {
                        (Op::Select, _) => true,
                        (
                            Op::BvUdiv
                            | Op::BvUrem
                            | Op::BvSdiv
                            | Op::BvSrem
                            | Op::IntDiv
                            | Op::IntMod
                            | Op::BvShl
                            | Op::BvLshr
                            | Op::BvAshr,
                            [_, right],
                        ) => !store().is_constant(*right),
                        _ => false,
                    };
                }
            }
            self.facts.insert(term, facts);
            stack.pop();
        }
        self.facts[&root]
    }
}

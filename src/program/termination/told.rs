//! Measures as witnesses tell them: what holds between any two visits of a loop's head.
//!
//! Between two visits within one execution of a loop, its measure has decreased. An inner loop is executed again in each round
//! of the loop around it. So either its own measure has decreased or that of some loop around it, where these are the same at
//! the inner loop's head as they were at the outer one's. Nothing is told of a loop that is executed several times for another
//! reason, and nothing at all where a function without a definition may call those of the program.

use super::linear::{Linear, Part, Reading};
use super::measures::{Descent, Measure, Order};
use super::ranking::{Ranking, Site};
use super::recurrence::may_not_return;
use crate::cfa::*;
use crate::cut_points::Loop;
use regatta_term::{Op, Pool, Symbol, TermId, free_variables, store};

/// What decreases from any visit of a loop's head to any later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopMeasure {
    /// The loop's head.
    pub head: LocationId,
    /// Lists of numbers, one of which decreases lexicographically: those of the loop, then those of the loops around it.
    pub lists: Vec<Vec<VariableSum>>,
    /// Whether the number that decreases was not negative at the earlier visit.
    pub is_bounded: bool,
}

/// A linear combination of variables, as of numbers without any limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableSum {
    /// The factors and the numbers.
    pub parts: Vec<(i128, ToldNumber)>,
    /// The constant.
    pub constant: i128,
}

/// A number in a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToldNumber {
    /// The value of a variable.
    Variable {
        variable: VariableId,
        /// Whether its bits are read as a signed number.
        is_signed: bool,
    },
    /// One of two sums.
    Choice {
        /// The condition of the first one, a term over variables.
        condition: TermId,
        then: VariableSum,
        otherwise: VariableSum,
    },
}

impl Ranking<'_> {
    /// The measures of the loops that can be told.
    pub fn told(&self, measures: &[Measure], descent: Descent) -> Vec<LoopMeasure> {
        if self.loops.program.externals.iter().any(may_not_return) {
            return Vec::new();
        }
        let sites = self.sites.iter();
        let loops = sites.filter_map(|site| match site {
            Site::Loop(number) => Some(&self.loops.all()[*number]),
            Site::Calls(_) => None,
        });
        let told = loops.filter_map(|cycle| {
            let is_executed_once = self.is_called_once(cycle.function);
            let lists = is_executed_once.then(|| self.lists(measures, cycle))??;
            Some(LoopMeasure {
                head: cycle.head,
                lists,
                is_bounded: descent == Descent::Bounded,
            })
        });
        told.collect()
    }

    /// Whether no execution calls the function twice.
    fn is_called_once(&self, function: FunctionId) -> bool {
        let mut function = function;
        while function != self.loops.program.start {
            if self.loops.calls.is_recursive(function) {
                return false;
            }
            let &[call] = self.loops.calls.calls_of(function) else {
                return false;
            };
            let from = self.loops.program.edge(call).source;
            if self.loops.all().iter().any(|cycle| cycle.contains(from)) {
                return false;
            }
            function = self.loops.program.location(from).function;
        }
        !self.loops.calls.is_recursive(function)
    }

    /// The measures of the loop and of those around it, the innermost first.
    fn lists(&self, measures: &[Measure], inner: &Loop) -> Option<Vec<Vec<VariableSum>>> {
        let mut lists = Vec::new();
        let mut next = Some(inner);
        while let Some(cycle) = next {
            let of_loop = self.sums(measures, cycle)?;
            let sums = of_loop.iter().flatten();
            let mut variables = sums.flat_map(|sum| self.variables(sum));
            if !variables.all(|variable| self.keeps(cycle, inner, variable)) {
                return None;
            }
            lists.extend(of_loop);
            next = cycle.parent.map(|parent| &self.loops.all()[parent.index()]);
        }
        Some(lists)
    }

    /// The measure of the loop as lists of sums of variables, one of which decreases lexicographically.
    fn sums(&self, measures: &[Measure], cycle: &Loop) -> Option<Vec<Vec<VariableSum>>> {
        let of_loop = |site: &Site| match site {
            Site::Loop(number) => self.loops.all()[*number].head == cycle.head,
            Site::Calls(_) => false,
        };
        let site = self.sites.iter().position(of_loop)?;
        let Measure { components, order } = measures.get(site)?;
        let sums = components.iter();
        let sums =
            sums.map(|component| self.sum_of_variables(&component.combined(&self.features[site])));
        match order {
            Order::Lexicographic => Some(vec![sums.collect::<Option<_>>()?]),
            Order::AnyOf => sums.map(|sum| Some(vec![sum?])).collect(),
        }
    }

    fn sum_of_variables(&self, sum: &Linear) -> Option<VariableSum> {
        let (parts, constant) = sum.parts();
        let parts = parts.map(|(factor, part)| {
            let number = match part {
                Part::Bits(bits, reading) => {
                    let (bits, reading) = as_narrow(bits, reading);
                    let (symbol, 0) = store().as_variable(bits)? else {
                        return None;
                    };
                    ToldNumber::Variable {
                        variable: self.variable(symbol)?,
                        is_signed: reading == Reading::Signed,
                    }
                }
                Part::Choice(condition, then, otherwise) => ToldNumber::Choice {
                    condition,
                    then: self.sum_of_variables(then)?,
                    otherwise: self.sum_of_variables(otherwise)?,
                },
            };
            Some((factor, number))
        });
        Some(VariableSum {
            parts: parts.collect::<Option<_>>()?,
            constant,
        })
    }

    fn variable(&self, symbol: Symbol) -> Option<VariableId> {
        let mut variables = (0..).map(VariableId).zip(&self.loops.program.variables);
        let found = variables.find(|(_, known)| known.symbol == symbol);
        found.map(|(variable, _)| variable)
    }

    /// The variables on which the sum depends.
    fn variables(&self, sum: &VariableSum) -> Vec<VariableId> {
        let parts = sum.parts.iter();
        let of_part = |(_, number): &(i128, ToldNumber)| match number {
            ToldNumber::Variable { variable, .. } => vec![*variable],
            ToldNumber::Choice {
                condition,
                then,
                otherwise,
            } => {
                let free = free_variables(store(), *condition).into_iter();
                let free = free.filter_map(|(symbol, _)| self.variable(symbol));
                let of_sums = [then, otherwise].map(|sum| self.variables(sum));
                free.chain(of_sums.concat()).collect()
            }
        };
        parts.flat_map(of_part).collect()
    }

    /// Whether the variable has the same value at the inner loop's head as at the last visit of the outer loop's.
    fn keeps(&self, outer: &Loop, inner: &Loop, variable: VariableId) -> bool {
        if outer.head == inner.head {
            return true;
        }
        let edges = self.loops.own_edges(outer).into_iter();
        let changing = edges.filter(|&edge| {
            let edges = self.loops.with_called(vec![edge]);
            self.loops.modified_by(&edges).contains(&variable)
        });
        let mut open: Vec<LocationId> = changing
            .map(|edge| self.loops.program.edge(edge).target)
            .collect();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(location) = open.pop() {
            if location == inner.head {
                return false;
            }
            if location == outer.head || !outer.contains(location) || !seen.insert(location) {
                continue;
            }
            let onward = self.loops.outgoing[location.index()].iter();
            open.extend(onward.map(|&edge| self.loops.program.edge(edge).target));
        }
        true
    }
}

/// The bits without the extension that does not change what they are read as.
fn as_narrow(bits: TermId, reading: Reading) -> (TermId, Reading) {
    match (store().as_application(bits), reading) {
        (Some((Op::SignExtend(_), &[narrow])), Reading::Signed) => as_narrow(narrow, reading),
        (Some((Op::ZeroExtend(_), &[narrow])), _) => as_narrow(narrow, Reading::Unsigned),
        _ => (bits, reading),
    }
}

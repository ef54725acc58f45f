//! Recursion through several functions as recursion of one: calls of the others are replaced by copies of their bodies.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::MAXIMUM_COPIES;
use super::loops::{called, value};
use crate::assumption::{Assumption, Doubt, Operand};
use crate::cfa::*;
use crate::graph::callee;
use regatta_term::{Symbol, TermId, store, substitute};

/// The program in which, if possible, each recursive function calls itself alone.
pub fn unfold(program: &Program) -> Cow<'_, Program> {
    let called = called(program);
    let functions = (0..program.functions.len() as u32).map(FunctionId);
    let mut result = Cow::Borrowed(program);
    let mut done: FxHashSet<FunctionId> = FxHashSet::default();
    for function in functions {
        let is_member = |other: &FunctionId| called[other.index()].contains(&function);
        let members = called[function.index()].iter().copied();
        let component: FxHashSet<FunctionId> = members.filter(is_member).collect();
        if component.len() < 2 || done.contains(&function) {
            continue;
        }
        done.extend(&component);
        let Some(kept) = keystone(program, &component) else {
            return Cow::Borrowed(program);
        };
        let mut unfolding = Unfolding {
            original: program,
            result: result.into_owned(),
            kept,
            copies: 0,
        };
        if unfolding.run(&component).is_none() {
            return Cow::Borrowed(program);
        }
        result = Cow::Owned(unfolding.result);
    }
    result
}

/// A function of the component without which there is no recursion among the others.
fn keystone(program: &Program, component: &FxHashSet<FunctionId>) -> Option<FunctionId> {
    let mut calls: FxHashMap<FunctionId, FxHashSet<FunctionId>> = FxHashMap::default();
    for edge in &program.edges {
        let caller = program.location(edge.source).function;
        if let Some(callee) = callee(edge)
            && component.contains(&callee)
            && component.contains(&caller)
        {
            calls.entry(caller).or_default().insert(callee);
        }
    }
    let ends_without = |kept: FunctionId| {
        let mut others: FxHashSet<FunctionId> = component.clone();
        others.remove(&kept);
        // A function that calls none of those that are left is on no way around.
        loop {
            let calls_none = |function: &&FunctionId| {
                let mut called = calls.get(*function).into_iter().flatten();
                !called.any(|callee| others.contains(callee))
            };
            let Some(&last) = others.iter().find(calls_none) else {
                return others.is_empty();
            };
            others.remove(&last);
        }
    };
    let mut members: Vec<FunctionId> = component.iter().copied().collect();
    members.sort_unstable();
    members.into_iter().find(|&kept| ends_without(kept))
}

struct Unfolding<'p> {
    original: &'p Program,
    result: Program,
    /// The function that goes on calling itself.
    kept: FunctionId,
    copies: usize,
}

impl Unfolding<'_> {
    /// Replaces the calls in the function that is kept until it calls no other of the component; `None` if it cannot be done.
    fn run(&mut self, component: &FxHashSet<FunctionId>) -> Option<()> {
        let mut next = 0;
        while next < self.result.edges.len() {
            let id = EdgeId(next as u32);
            next += 1;
            let edge = self.result.edge(id);
            let is_own = self.result.location(edge.source).function == self.kept;
            if let Some(callee) = callee(edge)
                && is_own
                && callee != self.kept
                && component.contains(&callee)
            {
                self.copies += 1;
                if self.copies > MAXIMUM_COPIES {
                    return None;
                }
                self.replace(id, callee)?;
            }
        }
        Some(())
    }

    /// Replaces the call of the function by a copy of its body.
    fn replace(&mut self, call: EdgeId, function: FunctionId) -> Option<()> {
        let Edge {
            target, operations, ..
        } = self.result.edge(call).clone();
        let Some(Operation::Call {
            arguments, results, ..
        }) = operations.first()
        else {
            return None;
        };
        let Function {
            parameters,
            results: returned,
            entry,
            exit,
            ..
        } = self.original.function(function).clone();
        let variables = self.copy_locals(function)?;
        let locations = self.copy_locations(function);
        let terms: FxHashMap<TermId, TermId> = variables
            .iter()
            .map(|(&of, &copy)| (value(&self.result, of), value(&self.result, copy)))
            .collect();
        let copy = Copy { variables, terms };
        for edge in &self.original.edges {
            if let (Some(&source), Some(&target)) =
                (locations.get(&edge.source), locations.get(&edge.target))
            {
                let operations = edge.operations.iter();
                self.result.add_edge(Edge {
                    source,
                    target,
                    operations: operations
                        .map(|operation| copy.operation(operation))
                        .collect(),
                    span: edge.span,
                });
            }
        }
        for assumption in &self.original.assumptions {
            if let Some(&location) = locations.get(&assumption.location) {
                let assumption = copy.assumption(assumption, location);
                self.result.assumptions.push(assumption);
            }
        }
        let pass = parameters.iter().zip(arguments);
        let pass = pass.map(|(&parameter, &value)| Operation::Assign {
            target: copy.variable(parameter),
            value,
        });
        let call = &mut self.result.edges[call.index()];
        call.operations = pass.collect();
        call.target = locations[&entry];
        let give = results.iter().zip(&returned);
        let give = give.map(|(&target, &result)| Operation::Assign {
            target,
            value: value(&self.result, copy.variable(result)),
        });
        let give = give.collect();
        self.result.connect(locations[&exit], target, give);
        Some(())
    }

    fn copy_locals(&mut self, function: FunctionId) -> Option<FxHashMap<VariableId, VariableId>> {
        let mut copies = FxHashMap::default();
        let variables = (0..).map(VariableId).zip(&self.original.variables);
        for (id, variable) in variables {
            if variable.scope != Scope::Local(function) {
                continue;
            }
            if let Role::Region(_) = variable.role {
                // Accesses name the region, not its variable.
                return None;
            }
            let name = format!("{} unfolded {}", variable.name, self.copies);
            let copy = self.result.add_variable(Variable {
                symbol: Symbol::fresh(&name, variable.sort),
                name,
                scope: Scope::Local(self.kept),
                ..variable.clone()
            });
            copies.insert(id, copy);
        }
        Some(copies)
    }

    fn copy_locations(&mut self, function: FunctionId) -> FxHashMap<LocationId, LocationId> {
        let mut copies = FxHashMap::default();
        let locations = (0..).map(LocationId).zip(&self.original.locations);
        for (id, location) in locations {
            if location.function != function {
                continue;
            }
            let copy = self.result.add_location(Location {
                function: self.kept,
                span: location.span,
                label: None,
                violates: None,
            });
            if let Some(property) = location.violates {
                self.result.add_error(copy, property);
            }
            copies.insert(id, copy);
        }
        copies
    }
}

/// A copy of a function's body.
struct Copy {
    variables: FxHashMap<VariableId, VariableId>,
    /// The same variables as terms.
    terms: FxHashMap<TermId, TermId>,
}

impl Copy {
    fn variable(&self, variable: VariableId) -> VariableId {
        self.variables.get(&variable).copied().unwrap_or(variable)
    }

    fn term(&self, term: TermId) -> TermId {
        substitute(store(), term, &self.terms)
    }

    fn operation(&self, operation: &Operation) -> Operation {
        let mut copy = operation.clone();
        copy.map_terms(|term| self.term(term));
        match &mut copy {
            Operation::Assign { target, .. } | Operation::Havoc { target, .. } => {
                *target = self.variable(*target);
            }
            Operation::Call { results, .. } => {
                for result in results {
                    *result = self.variable(*result);
                }
            }
            Operation::Assume(_)
            | Operation::Store { .. }
            | Operation::Allocate { .. }
            | Operation::Free { .. }
            | Operation::Claim(_)
            | Operation::Unsupported(_) => {}
        }
        copy
    }

    fn assumption(&self, assumption: &Assumption, location: LocationId) -> Assumption {
        let guards = assumption.guards.iter();
        Assumption {
            location,
            doubt: self.doubt(&assumption.doubt),
            guards: guards.map(|&guard| self.term(guard)).collect(),
            ..assumption.clone()
        }
    }

    fn doubt(&self, doubt: &Doubt) -> Doubt {
        let operand = |operand: &Operand| Operand {
            term: self.term(operand.term),
            signed: operand.signed,
        };
        let all = |parts: &[(i128, Operand)]| {
            let parts = parts.iter();
            parts
                .map(|(factor, part)| (*factor, operand(part)))
                .collect()
        };
        match doubt {
            Doubt::Always => Doubt::Always,
            Doubt::Zero(term) => Doubt::Zero(self.term(*term)),
            Doubt::SumOutside {
                constant,
                parts,
                bounds,
            } => Doubt::SumOutside {
                constant: *constant,
                parts: all(parts),
                bounds: *bounds,
            },
            Doubt::ProductOutside { factors, bounds } => Doubt::ProductOutside {
                factors: (operand(&factors.0), operand(&factors.1)),
                bounds: *bounds,
            },
            Doubt::NotInObject {
                parts,
                constant,
                bytes,
            } => Doubt::NotInObject {
                parts: all(parts),
                constant: *constant,
                bytes: *bytes,
            },
        }
    }
}

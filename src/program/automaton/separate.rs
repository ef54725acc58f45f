//! A target for each call of an assertion function.
//!
//! A program's own assertion function, `__VERIFIER_assert` say, has one error location for all of its calls, so all its
//! assertions are one target. Where each is to be decided by itself, each call gets a copy of the function.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::assumption::Assumption;
use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::copy::BodyCopy;
use regatta_term::Symbol;

/// Maximum size of a function that is copied (edges).
const MAXIMUM_FUNCTION_SIZE: usize = 32;

/// Maximum number of calls of a function that is copied.
const MAXIMUM_CALLS: usize = 10_000;

impl Program {
    /// Gives each call of a small function whose error locations are failing assertions a function of its own, whose error
    /// locations are at the call. The program has the same executions.
    pub fn separate_checks(&mut self) {
        let calls = CallGraph::new(self);
        let functions = (0..self.functions.len() as u32).map(FunctionId);
        let is_copied = |&function: &FunctionId| {
            function != self.start
                && (2..=MAXIMUM_CALLS).contains(&calls.calls_of(function).len())
                && !calls.is_recursive(function)
                && self.is_small_assertion(function)
        };
        let copied: Vec<FunctionId> = functions.filter(is_copied).collect();
        if copied.is_empty() {
            return;
        }
        let original = self.clone();
        let mut symbols: FxHashSet<Symbol> = self.variables.iter().map(|one| one.symbol).collect();
        for function in copied {
            for (number, &site) in calls.calls_of(function).iter().enumerate() {
                // The original is the first call's.
                let callee = match number {
                    0 => Some(function),
                    _ => self.copy_function(&original, function, &mut symbols),
                };
                if let Some(callee) = callee {
                    self.give(site, callee);
                }
            }
        }
    }

    /// Checks whether the function is small, has failing assertions, and nothing refers to its places from outside.
    fn is_small_assertion(&self, function: FunctionId) -> bool {
        let is_inside = |location: LocationId| self.location(location).function == function;
        let mut errors = self.errors.iter().filter(|&&error| is_inside(error));
        let is_assertion =
            |&error: &LocationId| self.location(error).violates == Some(Property::UnreachCall);
        let is_assumed = |assumption: &Assumption| is_inside(assumption.location);
        let is_region = |variable: &Variable| {
            variable.scope == Scope::Local(function) && matches!(variable.role, Role::Region(_))
        };
        let edges = self.edges.iter().filter(|edge| is_inside(edge.source));
        errors.next().is_some_and(is_assertion)
            && errors.all(is_assertion)
            && !self.assumptions.iter().any(is_assumed)
            && !self.variables.iter().any(is_region)
            && edges.count() <= MAXIMUM_FUNCTION_SIZE
    }

    /// Adds a copy of the function; `None` if it cannot be copied.
    fn copy_function(
        &mut self,
        original: &Self,
        function: FunctionId,
        symbols: &mut FxHashSet<Symbol>,
    ) -> Option<FunctionId> {
        let id = FunctionId(self.functions.len() as u32);
        let named = |variable: &Variable| {
            let mut number = 0;
            loop {
                let name = format!("{}@{}.{number}", variable.name, id.0);
                let symbol = Symbol::new(&name, variable.sort);
                if symbols.insert(symbol) {
                    return (name, symbol);
                }
                number += 1;
            }
        };
        let copy = BodyCopy::begin(original, function, self, id, named)?;
        for (edge, copied) in copy.edges(original) {
            Arc::make_mut(&mut self.waypoints).copy_edge(edge);
            self.add_edge(copied);
        }
        let Function {
            name,
            parameters,
            results,
            entry,
            exit,
            span,
        } = original.function(function).clone();
        let copies = |variables: Vec<VariableId>| {
            let variables = variables.into_iter();
            variables.map(|one| copy.variable(one)).collect()
        };
        self.functions.push(Function {
            name,
            parameters: copies(parameters),
            results: copies(results),
            entry: copy.location(entry),
            exit: copy.location(exit),
            span,
        });
        Some(id)
    }

    /// Makes the function the callee of the call alone: its errors are at the call.
    fn give(&mut self, site: EdgeId, function: FunctionId) {
        let edge = &mut self.edges[site.index()];
        if let Some(Operation::Call { callee, .. }) = edge.operations.first_mut() {
            *callee = function;
        }
        for error in &self.errors {
            let location = &mut self.locations[error.index()];
            if location.function == function {
                location.span = edge.span;
            }
        }
    }
}

//! A target for each call of an assertion function.
//!
//! A program's own assertion function, `__VERIFIER_assert` say, has one error location for all of its calls, so all its
//! assertions are one target. Where each is to be decided by itself, each call gets a copy of the function.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::simplify::{rename_targets, replace};
use regatta_term::{Build, Symbol, TermId, store};

/// Maximum size of a function that is copied (edges).
const MAXIMUM_FUNCTION_SIZE: usize = 32;

/// Maximum number of calls of a function that is copied.
const MAXIMUM_CALLS: usize = 256;

impl Program {
    /// Gives each call of a small function whose error locations are failing assertions a function of its own, whose error
    /// locations are at the call. The program has the same executions.
    pub fn separate_checks(&mut self) {
        let calls = CallGraph::new(self);
        let mut copied = Vec::new();
        for function in (0..self.functions.len() as u32).map(FunctionId) {
            let sites = calls.calls_of(function);
            let may_be_copied = function != self.start
                && (2..=MAXIMUM_CALLS).contains(&sites.len())
                && !calls.is_recursive(function);
            if may_be_copied && let Some(body) = Body::of(self, function) {
                copied.push((body, sites.to_vec()));
            }
        }
        let mut symbols: FxHashSet<Symbol> = self.variables.iter().map(|one| one.symbol).collect();
        for (body, sites) in copied {
            // The original is the first call's.
            body.move_errors_to(self, sites[0]);
            for &site in &sites[1..] {
                let copy = body.copy(self, &mut symbols, site);
                if let Some(Operation::Call { callee, .. }) =
                    self.edges[site.index()].operations.first_mut()
                {
                    *callee = copy;
                }
            }
        }
    }
}

/// A function that may be copied.
struct Body {
    function: FunctionId,
    locations: Vec<LocationId>,
    edges: Vec<EdgeId>,
    locals: Vec<VariableId>,
}

impl Body {
    /// Returns the function's body if it is small, has failing assertions and nothing that refers to its places from outside.
    fn of(program: &Program, function: FunctionId) -> Option<Self> {
        let is_inside = |location: LocationId| program.location(location).function == function;
        let mut errors = program.errors.iter().filter(|&&error| is_inside(error));
        let property = |&error: &LocationId| program.location(error).violates;
        let first = errors.next()?;
        let are_assertions = [first]
            .into_iter()
            .chain(errors)
            .all(|error| property(error) == Some(Property::UnreachCall));
        let is_assumed =
            |assumption: &crate::assumption::Assumption| is_inside(assumption.location);
        if !are_assertions || program.assumptions.iter().any(is_assumed) {
            return None;
        }
        let ids = (0..).map(EdgeId).zip(&program.edges);
        let edges: Vec<EdgeId> = ids
            .filter(|(_, edge)| is_inside(edge.source))
            .map(|(id, _)| id)
            .collect();
        let variables = (0..).map(VariableId).zip(&program.variables);
        let locals: Vec<VariableId> = variables
            .filter(|(_, variable)| variable.scope == Scope::Local(function))
            .map(|(id, _)| id)
            .collect();
        let is_region =
            |local: &VariableId| matches!(program.variable(*local).role, Role::Region(_));
        if edges.len() > MAXIMUM_FUNCTION_SIZE || locals.iter().any(is_region) {
            return None;
        }
        let locations = (0..program.locations.len() as u32).map(LocationId);
        Some(Self {
            function,
            locations: locations.filter(|&location| is_inside(location)).collect(),
            edges,
            locals,
        })
    }

    /// Puts the function's errors where it is called.
    fn move_errors_to(&self, program: &mut Program, site: EdgeId) {
        let span = program.edge(site).span;
        for location in &self.locations {
            let location = &mut program.locations[location.index()];
            if location.violates.is_some() {
                location.span = span;
            }
        }
    }

    /// Adds a copy of the function for a call.
    fn copy(
        &self,
        program: &mut Program,
        symbols: &mut FxHashSet<Symbol>,
        site: EdgeId,
    ) -> FunctionId {
        let id = FunctionId(program.functions.len() as u32);
        let span = program.edge(site).span;
        let mut variables: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        let mut values: FxHashMap<Symbol, TermId> = FxHashMap::default();
        for &local in &self.locals {
            let mut variable = program.variable(local).clone();
            let mut names = (0..).map(|number: u32| format!("{}@{}.{number}", variable.name, id.0));
            let free = names.find(|name| symbols.insert(Symbol::new(name, variable.sort)));
            let original = variable.symbol;
            variable.name = free.unwrap_or_default();
            variable.symbol = Symbol::new(&variable.name, variable.sort);
            variable.scope = Scope::Local(id);
            values.insert(original, store().variable(variable.symbol));
            variables.insert(local, program.add_variable(variable));
        }
        let mut locations: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        for &location in &self.locations {
            let mut copy = program.location(location).clone();
            copy.function = id;
            copy.label = None;
            let violated = copy.violates.take();
            if violated.is_some() {
                copy.span = span;
            }
            let copy = program.add_location(copy);
            locations.insert(location, copy);
            if let Some(property) = violated {
                program.add_error(copy, property);
            }
        }
        let variable = |of: VariableId| variables.get(&of).copied().unwrap_or(of);
        for &edge in &self.edges {
            let mut copy = program.edge(edge).clone();
            copy.source = locations[&copy.source];
            copy.target = locations[&copy.target];
            for operation in &mut copy.operations {
                operation.map_terms(|term| replace(term, |symbol| values.get(&symbol).copied()));
                rename_targets(operation, &variable);
            }
            Arc::make_mut(&mut program.waypoints).copy_edge(edge);
            program.add_edge(copy);
        }
        let mut function = program.function(self.function).clone();
        function
            .parameters
            .iter_mut()
            .for_each(|one| *one = variable(*one));
        function
            .results
            .iter_mut()
            .for_each(|one| *one = variable(*one));
        function.entry = locations[&function.entry];
        function.exit = locations[&function.exit];
        program.functions.push(function);
        id
    }
}

//! Replaces calls by copies of the functions' bodies.
//!
//! Engines see all calls of non-recursive functions inlined on demand, but the passes are insensitive to calling contexts;
//! a copy of the body for each call gives them that precision. A function called once is moved, which costs nothing; small
//! functions are copied, larger ones as long as a budget lasts. All calls of a function are replaced, or none.
//!
//! Variables need no renaming, because a non-recursive function has one activation at a time. A local belongs to one
//! function, though: if a function is called from several, each of these gets a copy of the locals.

use rustc_hash::FxHashMap;

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::simplify::Origin;
use crate::simplify::limits::{MAXIMUM_FUNCTION_SIZE, MAXIMUM_GROWTH, MAXIMUM_SMALL_FUNCTION_SIZE};
use crate::simplify::workspace::{Workspace, replace};
use regatta_term::{Symbol, TermId};

/// Runs the pass; returns the number of replaced calls.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let calls = CallGraph::new(&workspace.program);
    // Later rounds only move functions that are called once by then, and copy small functions.
    let mut budget = if workspace.expanded {
        0
    } else {
        MAXIMUM_GROWTH.max(workspace.program.edges.len() / 2)
    };
    workspace.expanded = true;
    let mut expansion = Expansion::new(&workspace.program);
    let mut changes = 0;
    // Callees come first: a function's own calls are replaced before it is copied, and before any body that calls it is.
    for &function in calls.bottom_up() {
        if function == workspace.program.start || calls.is_recursive(function) {
            continue;
        }
        // The variable of a region cannot be copied.
        let is_region =
            |local: &VariableId| matches!(workspace.program.variable(*local).role, Role::Region(_));
        if expansion.locals_of[function.index()].iter().any(is_region) {
            continue;
        }
        let is_live = |site: &EdgeId| {
            let caller = workspace
                .program
                .location(workspace.program.edge(*site).source)
                .function;
            !expansion.removed[site.index()] && calls.is_reachable(caller)
        };
        let sites: Vec<EdgeId> = calls
            .calls_of(function)
            .iter()
            .copied()
            .filter(is_live)
            .collect();
        let size = expansion.edges_of[function.index()].len();
        let growth = size * sites.len().saturating_sub(1);
        if sites.is_empty()
            || (sites.len() > 1 && size > MAXIMUM_SMALL_FUNCTION_SIZE && growth > budget)
        {
            continue;
        }
        if expansion.would_be_too_large(&workspace.program, size, &sites) {
            continue;
        }
        if size > MAXIMUM_SMALL_FUNCTION_SIZE {
            budget = budget.saturating_sub(growth);
        }
        changes += sites.len();
        expansion.replace_calls(workspace, function, &sites);
    }
    let keep: Vec<bool> = expansion.removed.iter().map(|removed| !removed).collect();
    workspace.keep_edges(&keep);
    changes
}

struct Expansion {
    edges_of: Vec<Vec<EdgeId>>,
    locals_of: Vec<Vec<VariableId>>,
    /// The call edges that were replaced.
    removed: Vec<bool>,
}

/// The body that replaces a function's calls.
struct Body {
    function: Function,
    edges: Vec<EdgeId>,
    locations: Vec<LocationId>,
    /// The copies of the locals, by the caller that they belong to; empty if a single caller takes over the originals.
    renamed: FxHashMap<FunctionId, FxHashMap<VariableId, VariableId>>,
}

impl Expansion {
    fn new(program: &Program) -> Self {
        let mut result = Self {
            edges_of: vec![Vec::new(); program.functions.len()],
            locals_of: program.locals_by_function(),
            removed: vec![false; program.edges.len()],
        };
        for (index, edge) in program.edges.iter().enumerate() {
            result.edges_of[program.location(edge.source).function.index()]
                .push(EdgeId(index as u32));
        }
        result
    }

    /// Whether replacing each call by a body of the given size would make some caller too large.
    fn would_be_too_large(&self, program: &Program, size: usize, sites: &[EdgeId]) -> bool {
        let mut added: FxHashMap<FunctionId, usize> = FxHashMap::default();
        sites.iter().any(|site| {
            let caller = program.location(program.edge(*site).source).function;
            let added = added.entry(caller).or_default();
            *added += size;
            size > MAXIMUM_SMALL_FUNCTION_SIZE
                && self.edges_of[caller.index()].len() + *added > MAXIMUM_FUNCTION_SIZE
        })
    }

    /// Replaces all calls of the function by copies of its body.
    fn replace_calls(&mut self, workspace: &mut Workspace, id: FunctionId, sites: &[EdgeId]) {
        let mut edges = self.edges_of[id.index()].clone();
        edges.retain(|edge| !self.removed[edge.index()]);
        let function = workspace.program.function(id).clone();
        let ends = edges.iter().flat_map(|&edge| {
            let edge = workspace.program.edge(edge);
            [edge.source, edge.target]
        });
        let mut locations: Vec<LocationId> = ends.chain([function.entry, function.exit]).collect();
        locations.sort_unstable();
        locations.dedup();
        let renamed = self.rename_locals(workspace, id, sites);
        let body = Body {
            function,
            edges,
            locations,
            renamed,
        };
        for &site in sites {
            self.replace(workspace, &body, site);
        }
        // The original is no longer called.
        for edge in body.edges {
            self.removed[edge.index()] = true;
        }
    }

    fn rename_locals(
        &mut self,
        workspace: &mut Workspace,
        id: FunctionId,
        sites: &[EdgeId],
    ) -> FxHashMap<FunctionId, FxHashMap<VariableId, VariableId>> {
        let caller = |site: &EdgeId| {
            workspace
                .program
                .location(workspace.program.edge(*site).source)
                .function
        };
        let mut callers: Vec<FunctionId> = sites.iter().map(caller).collect();
        callers.sort_unstable();
        callers.dedup();
        let locals = std::mem::take(&mut self.locals_of[id.index()]);
        if let &[caller] = &callers[..] {
            for local in &locals {
                workspace.program.variables[local.index()].scope = Scope::Local(caller);
            }
            self.locals_of[caller.index()].extend(locals);
            return FxHashMap::default();
        }
        let mut renamed: FxHashMap<FunctionId, FxHashMap<VariableId, VariableId>> =
            FxHashMap::default();
        for caller in callers {
            let suffix = workspace.program.function(caller).name.clone();
            for &local in &locals {
                let name = format!("{}@{suffix}", workspace.program.variable(local).name);
                let origin = workspace.variable_origins[local.index()];
                let copy = workspace.copy_variable(local, &name, Scope::Local(caller), origin);
                self.locals_of[caller.index()].push(copy);
                renamed.entry(caller).or_default().insert(local, copy);
            }
        }
        renamed
    }

    /// Replaces the call edge by a copy of the body.
    fn replace(&mut self, workspace: &mut Workspace, body: &Body, site: EdgeId) {
        let call = workspace.program.edge(site).clone();
        let Some(Operation::Call {
            arguments, results, ..
        }) = call.operations.first()
        else {
            return;
        };
        self.removed[site.index()] = true;
        let caller = workspace.program.location(call.source).function;
        let renamed = body.renamed.get(&caller);
        let variable = |variable: VariableId| {
            renamed
                .and_then(|names| names.get(&variable))
                .copied()
                .unwrap_or(variable)
        };

        // 1. Locations.
        let mut copies: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        let mut outer = workspace.origins[call.source.index()].calls.clone();
        outer.push(workspace.call_origins[site.index()]);
        for &location in &body.locations {
            let own = &workspace.origins[location.index()];
            let origin = Origin {
                location: own.location,
                calls: outer.iter().chain(&own.calls).copied().collect(),
            };
            let mut copy = workspace.program.location(location).clone();
            let property = copy.violates.take();
            copy.function = caller;
            let copy = workspace.add_location(copy, origin);
            copies.insert(location, copy);
            if let Some(property) = property {
                workspace.program.add_error(copy, property);
            }
        }

        // 2. Edges.
        let by_symbol: FxHashMap<Symbol, TermId> = renamed
            .into_iter()
            .flatten()
            .map(|(&from, &to)| (workspace.program.variable(from).symbol, workspace.value(to)))
            .collect();
        for &id in &body.edges {
            let mut edge = workspace.program.edge(id).clone();
            edge.source = copies[&edge.source];
            edge.target = copies[&edge.target];
            if !by_symbol.is_empty() {
                for operation in &mut edge.operations {
                    operation
                        .map_terms(|term| replace(term, |symbol| by_symbol.get(&symbol).copied()));
                    operation.map_targets(variable);
                }
            }
            self.add_edge(workspace, caller, edge);
            let origin = workspace.call_origins[id.index()];
            if let Some(last) = workspace.call_origins.last_mut() {
                *last = origin;
            }
        }

        // 3. Parameters and results.
        let parameters = body
            .function
            .parameters
            .iter()
            .map(|&parameter| variable(parameter));
        let enter =
            workspace.parallel_assignment(parameters.zip(arguments.iter().copied()).collect());
        let values = body
            .function
            .results
            .iter()
            .map(|&result| workspace.value(variable(result)));
        let leave: Vec<(VariableId, TermId)> = results.iter().copied().zip(values).collect();
        let leave = workspace.parallel_assignment(leave);
        let (entry, exit) = (copies[&body.function.entry], copies[&body.function.exit]);
        for (source, target, operations) in
            [(call.source, entry, enter), (exit, call.target, leave)]
        {
            let span = call.span;
            self.add_edge(
                workspace,
                caller,
                Edge {
                    source,
                    target,
                    operations,
                    span,
                },
            );
        }
    }

    fn add_edge(&mut self, workspace: &mut Workspace, function: FunctionId, edge: Edge) {
        self.edges_of[function.index()].push(EdgeId(workspace.program.edges.len() as u32));
        self.removed.push(false);
        workspace.add_edge(edge);
    }
}

//! The call graph.

use std::cmp::Reverse;

use super::digraph::{Components, Digraph, NONE};
use super::graph::callee;
use crate::cfa::*;

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    /// The graph from callers to callees, with one edge for each call edge.
    callees: Digraph,
    components: Components,
    recursive: Vec<bool>,
    calls: Vec<Vec<EdgeId>>,
    bottom_up: Vec<FunctionId>,
}

impl CallGraph {
    /// The call graph of all of the program's edges.
    pub fn new(program: &Program) -> Self {
        let functions = program.functions.len();
        let mut calls = vec![Vec::new(); functions];
        let mut pairs = Vec::new();
        for (index, edge) in program.edges.iter().enumerate() {
            if let Some(callee) = callee(edge) {
                calls[callee.index()].push(EdgeId(index as u32));
                pairs.push((program.location(edge.source).function.0, callee.0));
            }
        }
        let callees = Digraph::new(functions, pairs.iter().copied());
        let components = callees.components([program.start.0]);
        let recursive = components.on_cycles(&callees);
        let mut bottom_up: Vec<FunctionId> = (0..functions as u32)
            .map(FunctionId)
            .filter(|function| components.component[function.index()] != NONE)
            .collect();
        let mut position = vec![0; functions];
        for (number, &function) in callees
            .reverse_postorder([program.start.0])
            .iter()
            .enumerate()
        {
            position[function as usize] = number;
        }
        bottom_up.sort_by_key(|function| {
            let component = components.component[function.index()];
            (component, Reverse(position[function.index()]))
        });
        Self {
            callees,
            components,
            recursive,
            calls,
            bottom_up,
        }
    }

    /// Whether a chain of calls leads from the start function to this one.
    pub fn is_reachable(&self, function: FunctionId) -> bool {
        self.components.component[function.index()] != NONE
    }

    /// Whether the function can call itself, directly or through others.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive[function.index()]
    }

    /// Whether any reachable function is recursive.
    pub fn has_recursion(&self) -> bool {
        self.recursive.contains(&true)
    }

    /// The call edges that lead to the function, those in unreachable functions included.
    pub fn calls_of(&self, function: FunctionId) -> &[EdgeId] {
        &self.calls[function.index()]
    }

    /// The functions that the function calls, once for each call edge.
    pub fn callees(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        self.callees
            .successors(function.0)
            .iter()
            .map(|&callee| FunctionId(callee))
    }

    /// The reachable functions, callees before callers; within a recursive component in postorder of a depth-first search from the
    /// start function.
    pub fn bottom_up(&self) -> &[FunctionId] {
        &self.bottom_up
    }
}

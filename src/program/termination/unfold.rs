//! Recursion through several functions as recursion of one: calls of the others are replaced by copies of their bodies.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::MAXIMUM_COPIES;
use super::loops::{called, value};
use crate::cfa::*;
use crate::copy::BodyCopy;
use crate::graph::callee;
use regatta_term::Symbol;

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
        let named = |variable: &Variable| {
            let name = format!("{} unfolded {}", variable.name, self.copies);
            let symbol = Symbol::fresh(&name, variable.sort);
            (name, symbol)
        };
        let (original, kept) = (self.original, self.kept);
        let copy = BodyCopy::begin(original, function, &mut self.result, kept, named)?;
        for (_, edge) in copy.edges(original) {
            self.result.add_edge(edge);
        }
        let assumptions = original.assumptions.iter();
        let assumptions = assumptions.filter_map(|assumption| copy.assumption(assumption));
        self.result.assumptions.extend(assumptions);
        let pass = parameters.iter().zip(arguments);
        let pass = pass.map(|(&parameter, &value)| Operation::Assign {
            target: copy.variable(parameter),
            value,
        });
        let call = &mut self.result.edges[call.index()];
        call.operations = pass.collect();
        call.target = copy.location(entry);
        let give = results.iter().zip(&returned);
        let give = give.map(|(&target, &result)| Operation::Assign {
            target,
            value: value(&self.result, copy.variable(result)),
        });
        let give = give.collect();
        self.result.connect(copy.location(exit), target, give);
        Some(())
    }
}

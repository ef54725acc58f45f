//! The assumptions that an execution may violate, as far as constants and ranges can tell.

use super::Analysis;
use super::evaluator::{Evaluator, State};
use super::objects::Objects;
use crate::program::assumption::{Assumption, Doubt, Operand};
use crate::program::call_graph::CallGraph;
use crate::program::cfa::*;
use crate::program::graph::Graph;
use crate::program::liveness::Liveness;
use crate::program::simplify::range::number;
use crate::program::simplify::workspace::Workspace;
use crate::term::domain::{Intervals, Universe};
use crate::term::{Op, Pool, Sort, store};

/// Returns for each of the program's assumptions whether an execution may violate it. The workspace has the relevant edges
/// of that program, with the same locations.
pub(in crate::program::simplify) fn open(
    workspace: &mut Workspace,
    lowered: &Program,
) -> Vec<bool> {
    for edge in &mut workspace.program.edges {
        let operations = std::mem::take(&mut edge.operations);
        edge.operations = operations.into_iter().flat_map(split).collect();
    }
    let graph = Graph::new(&workspace.program);
    let calls = CallGraph::new(&workspace.program);
    let Workspace { program, uses, .. } = workspace;
    let liveness = Liveness::new(program, &graph, &calls, uses);
    let mut analysis = Analysis::new(program, &graph, &calls, &liveness, uses);
    analysis.evaluator.objects = Some(Objects::new(program, &calls));
    analysis.ascend();
    analysis.descend();
    let mut matters = vec![false; program.locations.len()];
    for edge in &program.edges {
        matters[edge.source.index()] = true;
    }
    let outgoing = lowered.outgoing();
    let check = |assumption: &Assumption| {
        let location = assumption.location;
        let state = analysis.states[location.index()].as_ref();
        let Some(state) = state.filter(|_| matters[location.index()]) else {
            return false;
        };
        let edge = outgoing[location.index()]
            .iter()
            .map(|&id| lowered.edge(id))
            .find(|edge| edge.operations.len() >= assumption.operations);
        let before = edge.map_or(&[][..], |edge| &edge.operations[..assumption.operations]);
        may_be_violated(&analysis.evaluator, state.clone(), before, assumption)
    };
    lowered.assumptions.iter().map(check).collect()
}

/// Splits an assumed conjunction into a sequence of assumptions: each is then evaluated in the state after those before it.
fn split(operation: Operation) -> Vec<Operation> {
    if let Operation::Assume(condition) = operation
        && let Some((Op::And, arguments)) = store().as_application(condition)
    {
        return arguments.iter().copied().map(Operation::Assume).collect();
    }
    vec![operation]
}

fn may_be_violated(
    evaluator: &Evaluator,
    mut state: State,
    before: &[Operation],
    assumption: &Assumption,
) -> bool {
    let guards = assumption
        .guards
        .iter()
        .map(|&guard| Operation::Assume(guard));
    for operation in before.iter().cloned().chain(guards).flat_map(split) {
        if evaluator.step(&mut state, &operation, None).is_none() {
            return false;
        }
    }
    let within = |range: Option<(i128, i128)>, (low, high): (i128, i128)| {
        range.is_some_and(|range| low <= range.0 && range.1 <= high)
    };
    match &assumption.doubt {
        Doubt::Always => true,
        Doubt::Zero(term) => {
            let signed = true;
            let operand = Operand {
                term: *term,
                signed,
            };
            range(evaluator, &state, operand).is_none_or(|(low, high)| low <= 0 && 0 <= high)
        }
        Doubt::SumOutside {
            constant,
            parts,
            bounds,
        } => !within(sum(evaluator, &state, *constant, parts), *bounds),
        Doubt::ProductOutside {
            factors: (left, right),
            bounds,
        } => {
            let left = range(evaluator, &state, *left);
            let right = range(evaluator, &state, *right);
            let product = left
                .zip(right)
                .and_then(|(left, right)| product(left, right));
            !within(product, *bounds)
        }
        Doubt::NotInObject {
            parts,
            constant,
            bytes,
        } => {
            let address = sum(evaluator, &state, *constant, parts);
            let mut objects = evaluator.program.objects.iter();
            let is_static = objects.any(|object| {
                number(object.address).is_some_and(|start| {
                    let last = i128::from(object.size) - i128::from(*bytes);
                    within(address, (start, start + last))
                })
            });
            !is_static
                && !is_in_allocated_object(evaluator, &state, (*constant, parts), *bytes, address)
        }
    }
}

/// Whether an access is within an object that has been allocated and not freed.
fn is_in_allocated_object(
    evaluator: &Evaluator,
    state: &State,
    (constant, parts): (i128, &[(i128, Operand)]),
    bytes: u64,
    address: Option<(i128, i128)>,
) -> bool {
    let Some(objects) = &evaluator.objects else {
        return false;
    };
    if address.is_some_and(|address| evaluator.is_in_fixed(state, objects, address, bytes)) {
        return true;
    }
    parts.iter().enumerate().any(|(position, &(factor, base))| {
        let mut others = parts.to_vec();
        others.remove(position);
        factor == 1
            && sum(evaluator, state, constant, &others)
                .is_some_and(|distance| evaluator.is_inside(state, base.term, distance, bytes))
    })
}

fn sum(
    evaluator: &Evaluator,
    state: &State,
    constant: i128,
    parts: &[(i128, Operand)],
) -> Option<(i128, i128)> {
    parts
        .iter()
        .try_fold((constant, constant), |(low, high), &(factor, operand)| {
            let (a, b) = product((factor, factor), range(evaluator, state, operand)?)?;
            Some((low.checked_add(a)?, high.checked_add(b)?))
        })
}

/// The range of the products of two ranges.
fn product((a, b): (i128, i128), (c, d): (i128, i128)) -> Option<(i128, i128)> {
    let products = [
        a.checked_mul(c)?,
        a.checked_mul(d)?,
        b.checked_mul(c)?,
        b.checked_mul(d)?,
    ];
    Some((*products.iter().min()?, *products.iter().max()?))
}

/// The range of the operand.
fn range(evaluator: &Evaluator, state: &State, operand: Operand) -> Option<(i128, i128)> {
    let bounds = evaluator.bounds(state, operand.term);
    match store().sort(operand.term) {
        Sort::BitVec(width @ 1..=64) if !operand.signed => {
            let (low, high) = bounds?;
            Intervals::arc(Universe::Circle(width), low, high).hull()
        }
        Sort::BitVec(1..=64) | Sort::Int => bounds,
        _ => None,
    }
}

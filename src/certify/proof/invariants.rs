//! The invariants of a proof on the program as lowered, for witnesses and reports.

use rustc_hash::FxHashSet;

use super::certificate::{Certificate, InvariantLocation, ProofStep};
use crate::lowered::Lowered;
use crate::lowered::call_strings::{CallStrings, Node};
use crate::lowered::places::{Facts, Meaning, is_in_scope, is_relation_in_scope};
use regatta_program::{EdgeId, FunctionId, LocationId, Program, Simplified};
use regatta_term::TermId;

/// A formula that holds whenever a location is reached by certain calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    pub location: LocationId,
    /// The calls that lead there, outermost first, from the start function.
    pub calls: Vec<EdgeId>,
    /// A Boolean term over the variables of the program as lowered.
    pub formula: TermId,
}

/// Returns the facts of the simplifier with the numbers, which a check gives for confirmed ones. Each holds whenever its
/// location is reached by a call string that ends in its calls.
pub fn facts(lowered: &Program, simplified: &Simplified, numbers: &[u32]) -> Vec<Invariant> {
    let meaning = Meaning::new(simplified, lowered);
    let mut all = Facts::default();
    let rounds = simplified.invariants.iter().map(|place| place.round);
    // The check numbers them in this order.
    for round in 1..=rounds.max().unwrap_or(0) {
        all.add_round(simplified, &meaning, round);
    }
    let numbers: FxHashSet<usize> = numbers.iter().map(|&number| number as usize).collect();
    let claims = all
        .claims()
        .filter(|(_, _, claim)| numbers.contains(&claim.fact));
    let mut claims: Vec<_> = claims.collect();
    claims.sort_by_key(|(_, _, claim)| claim.fact);
    let facts = claims
        .into_iter()
        .map(|(location, calls, claim)| Invariant {
            location,
            calls: calls.to_vec(),
            formula: claim.formula,
        });
    facts.collect()
}

/// Returns the indices of the steps that a proof needs, sorted.
pub fn needed_steps(certificate: &Certificate) -> Vec<usize> {
    let is_last = |step: &ProofStep| !matches!(step, ProofStep::Inductive { .. });
    let mut needed = FxHashSet::default();
    let mut work: Vec<usize> = certificate
        .steps
        .iter()
        .rposition(is_last)
        .into_iter()
        .collect();
    while let Some(index) = work.pop() {
        if needed.insert(index)
            && let Some(
                ProofStep::Inductive { relies_on, .. } | ProofStep::Safety { relies_on, .. },
            ) = certificate.steps.get(index)
        {
            work.extend(relies_on);
        }
    }
    let mut needed: Vec<usize> = needed.into_iter().collect();
    needed.sort_unstable();
    needed
}

/// Returns the invariants that a confirmed proof rests on, as far as they can be stated on the program as lowered without
/// the state at an activation's entry.
pub fn invariants(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
) -> Vec<Invariant> {
    let meaning = Meaning::new(simplified, lowered);
    let lowered = Lowered::new(lowered);
    let mut stacks = CallStrings::new(&lowered);
    let steps = needed_steps(certificate).into_iter();
    let batches = steps.filter_map(|index| match &certificate.steps[index] {
        ProofStep::Inductive { batch, .. } | ProofStep::Summaries { batch } => Some(batch),
        _ => None,
    });
    let mut translate = |(at, formula): &(InvariantLocation, TermId)| {
        let (location, calls) = meaning.place(at.location, &at.calls)?;
        let stack = stacks.of(&lowered, &calls)?;
        let function = lowered.program.location(location).function;
        let functions = stacks.functions(stack);
        // Otherwise the calls begin in a recursive function instead of the start function.
        let begins_at_start = functions.first() == Some(&function);
        let is_recursive = |&function: &_| lowered.calls.is_recursive(function);
        if !begins_at_start || functions.iter().any(is_recursive) {
            return None;
        }
        let formula = meaning.formula(*formula)?;
        let node = Node { stack, location };
        is_in_scope(&lowered, &stacks, node, formula).then_some(Invariant {
            location,
            calls,
            formula,
        })
    };
    batches.flatten().filter_map(&mut translate).collect()
}

/// A summary of a recursive function from a confirmed proof, for all its callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub function: FunctionId,
    pub when: Moment,
    /// A Boolean term over the variables of the program as lowered; those of instance
    /// [`AT_ENTRY`](super::certificate::AT_ENTRY) stand for the state at the function's entry.
    pub formula: TermId,
}

/// When a [`Summary`] holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// Whenever the function is entered. The formula is about that state alone.
    Entry,
    /// Whenever the function returns.
    Exit,
}

/// Returns the summaries of recursive functions in a confirmed proof, at their entries and exits.
pub fn summaries(
    lowered: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
) -> Vec<Summary> {
    let meaning = Meaning::new(simplified, lowered);
    let lowered = Lowered::new(lowered);
    let mut stacks = CallStrings::new(&lowered);
    let steps = needed_steps(certificate).into_iter();
    let batches = steps.filter_map(|index| match &certificate.steps[index] {
        ProofStep::Summaries { batch } => Some(batch),
        _ => None,
    });
    let mut translate = |(at, formula): &(InvariantLocation, TermId)| {
        let (location, calls) = meaning.place(at.location, &at.calls)?;
        let id = lowered.program.location(location).function;
        if !calls.is_empty() || id == lowered.program.start || !lowered.calls.is_recursive(id) {
            return None;
        }
        let function = lowered.program.function(id);
        let when = match location {
            at if at == function.entry => Moment::Entry,
            at if at == function.exit => Moment::Exit,
            _ => return None,
        };
        let formula = meaning.relation(*formula)?;
        let stack = stacks.root(id);
        let node = Node { stack, location };
        is_relation_in_scope(&lowered, &stacks, node, formula).then_some(Summary {
            function: id,
            when,
            formula,
        })
    };
    batches.flatten().filter_map(&mut translate).collect()
}

//! Translates the invariants of a confirmed proof to invariants of the source.
//!
//! An invariant of a proof holds at a location of the program as lowered, for a given call string. It is written at a
//! loop's keyword or a statement if that location is the only one that belongs to it, in C over the
//! variables in scope. If the function is called from several places, only what holds for all calls is written.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::scope::{Scopes, conjunction};
use super::write::Place;
use regatta_certify::check::FactNumbers;
use regatta_certify::invariants::{Invariant, invariants, needed_steps};
use regatta_certify::{Certificate, ProofStep};
use regatta_program::{
    CallGraph, EdgeId, FunctionId, LocationId, Program, Simplified, Waypoint, WaypointKind,
};
use regatta_run::evidence::Evidence;
use regatta_term::{TermId, conjuncts, store};

/// Maximum length of a C expression in bytes; longer ones are left out.
pub(super) const MAXIMUM_EXPRESSION_LENGTH: usize = 4_000;

/// Maximum number of call strings of a function; beyond it, its invariants are left out.
const MAXIMUM_CALL_STRINGS: usize = 64;

/// Maximum number of call strings whose invariants are joined by a disjunction.
const MAXIMUM_DISJUNCTS: usize = 4;

/// An invariant of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInvariant {
    pub kind: InvariantKind,
    pub at: Place,
    /// A C expression.
    pub value: String,
}

/// The kinds of invariants of the witness format.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InvariantKind {
    /// It holds whenever the loop's controlling expression is about to be evaluated.
    Loop,
    /// It holds whenever the statement is about to be executed.
    Location,
    /// It holds between any two times at which the loop's controlling expression is about to be evaluated.
    LoopTransition,
}

/// The invariants of the source, and what is left out of the proof.
#[derive(Clone, Debug)]
pub struct Found {
    pub invariants: Vec<SourceInvariant>,
    pub left_out: LeftOut,
}

/// The numbers of the proof's formulas that are left out, by reason.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of all formulas.
    pub all: usize,
    /// Formulas at locations without a loop or statement of their own.
    pub without_place: usize,
    /// Formulas that C cannot express over the variables in scope, or that are too long.
    pub inexpressible: usize,
    /// Invariants in other files, such as headers, of which the witness has no hash.
    pub elsewhere: usize,
    /// Formulas that hold only for some calls of their function, or whose function has too many call strings.
    pub of_some_calls: usize,
}

impl LeftOut {
    /// Returns the reason why there is no invariant, in words.
    pub fn reason(&self) -> String {
        match self.all {
            0 => "the proof needs none".to_owned(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "of {} formulas, {} have no place in the source, {} cannot be expressed in C there, {} hold for some calls only; {} \
            places are in other files",
            self.all, self.without_place, self.inexpressible, self.of_some_calls, self.elsewhere
        )
    }
}

/// Minimum time in which the checker can confirm one of the simplifier's facts.
const MINIMUM_TIME_FOR_FACTS: Duration = Duration::from_millis(10);

/// Removes unneeded formulas from the proof, by checking smaller proofs within a fortieth of the time that the run has
/// taken so far.
pub fn reduce(certificate: &Certificate, evidence: &Evidence<'_>, check: Duration) -> Certificate {
    let elapsed = evidence.reporter.started().elapsed();
    let mut time = (elapsed / 40).min(Duration::from_secs(1));
    if let Some(left) = evidence.time_left {
        time = time.min(left / 4);
    }
    let deadline = Instant::now() + time;
    let mut reduced = certificate.clone();
    let needed = needed_steps(certificate);
    // Steps on which no other step relies are emptied.
    for (index, step) in reduced.steps.iter_mut().enumerate() {
        if let ProofStep::Inductive { batch, .. } = step
            && !needed.contains(&index)
        {
            batch.clear();
        }
    }
    let places = |certificate: &Certificate| {
        let steps = certificate.steps.iter().enumerate();
        let batches = steps.flat_map(|(index, step)| {
            let count = match step {
                ProofStep::Inductive { batch, .. } => batch.len(),
                _ => 0,
            };
            (0..count).map(move |number| (index, number))
        });
        batches.collect::<Vec<_>>()
    };
    let mut size = places(&reduced).len().div_ceil(2);
    while size > 0 {
        let mut position = places(&reduced).len();
        while position > 0 {
            // A smaller proof may take longer to check.
            let most = check * 2;
            if Instant::now() + most > deadline {
                return reduced;
            }
            let all = places(&reduced);
            let end = position.min(all.len());
            let begin = end.saturating_sub(size);
            let mut smaller = reduced.clone();
            for &(step, number) in all[begin..end].iter().rev() {
                if let ProofStep::Inductive { batch, .. } = &mut smaller.steps[step] {
                    batch.remove(number);
                }
            }
            if (evidence.confirms)(&smaller, most) {
                reduced = smaller;
            }
            position = begin;
        }
        size /= 2;
    }
    reduced
}

/// Returns the simplifier's facts that can be confirmed in a twentieth of the time that the run has taken so far; none if
/// that is too short.
pub fn facts_in_time(evidence: &Evidence<'_>) -> FactNumbers {
    let elapsed = evidence.reporter.started().elapsed();
    let mut time = elapsed / 20;
    if let Some(left) = evidence.time_left {
        time = time.min(left / 4);
    }
    match time < MINIMUM_TIME_FOR_FACTS {
        true => FactNumbers::default(),
        false => (evidence.confirmed_facts)(time),
    }
}

/// Returns the source invariants of a confirmed proof, or of the confirmed facts of the simplifier if the proof has none.
pub fn of_proof(
    program: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
    facts: &[u32],
) -> Found {
    let known = invariants(program, simplified, certificate);
    let facts = regatta_certify::invariants::facts(program, simplified, facts);
    let found = in_source(program, known, &facts);
    if !found.invariants.is_empty() || facts.is_empty() {
        return found;
    }
    let is_dead = |fact: &&Invariant| fact.formula == TermId::FALSE;
    let (dead, facts): (Vec<_>, Vec<_>) = facts.iter().partition(is_dead);
    let dead: Vec<Invariant> = dead.into_iter().cloned().collect();
    let mut everywhere = Vec::new();
    let calls = CallGraph::new(program);
    for fact in facts {
        let function = program.location(fact.location).function;
        for string in call_strings(program, &calls, function)
            .into_iter()
            .flatten()
        {
            if string.ends_with(&fact.calls) {
                everywhere.push(Invariant {
                    calls: string,
                    ..fact.clone()
                });
            }
        }
    }
    in_source(program, everywhere, &dead)
}

/// Translates the invariants to the source. Facts that are `false` exclude call strings.
fn in_source(program: &Program, known: Vec<Invariant>, facts: &[Invariant]) -> Found {
    let mut left_out = LeftOut::default();
    // For each location the formulas that hold there, by call string.
    type ByCalls = BTreeMap<Vec<EdgeId>, Vec<TermId>>;
    let mut by_location: BTreeMap<LocationId, ByCalls> = BTreeMap::new();
    for invariant in known {
        let by_calls = by_location.entry(invariant.location).or_default();
        let formulas = by_calls.entry(invariant.calls).or_default();
        for part in conjuncts(store(), invariant.formula) {
            if !formulas.contains(&part) {
                left_out.all += 1;
                formulas.push(part);
            }
        }
    }
    let source = Source {
        scopes: Scopes::new(program),
        waypoints: program.waypoints.by_location(),
    };
    let calls = CallGraph::new(program);
    let mut found: Vec<SourceInvariant> = Vec::new();
    for (location, by_calls) in by_location {
        let count = by_calls.values().map(Vec::len).sum::<usize>();
        let Some((kind, waypoint)) = source.waypoint(location) else {
            left_out.without_place += count;
            continue;
        };
        let function = program.location(location).function;
        let Some(strings) = call_strings(program, &calls, function) else {
            left_out.of_some_calls += count;
            continue;
        };
        let mut cases: Vec<Vec<String>> = Vec::new();
        for string in &strings {
            let is_impossible = facts.iter().any(|fact| {
                fact.formula == TermId::FALSE
                    && fact.location == location
                    && string.ends_with(&fact.calls)
            });
            if is_impossible {
                continue;
            }
            let formulas = by_calls.get(string).map_or(&[][..], Vec::as_slice);
            let mut texts: Vec<String> = Vec::new();
            for &formula in formulas {
                match source.expression(formula, waypoint) {
                    Some(text) if !texts.contains(&text) => texts.push(text),
                    Some(_) => {}
                    None => left_out.inexpressible += 1,
                }
            }
            cases.push(texts);
        }
        let (value, lost) = joined(&cases);
        left_out.of_some_calls += lost;
        if let Some(value) = value {
            found.push(SourceInvariant {
                kind,
                at: Place::of(program, waypoint.span, Some(function)),
                value,
            });
        }
    }
    found.sort_by(|a, b| (&a.at, a.kind, &a.value).cmp(&(&b.at, b.kind, &b.value)));
    Found {
        invariants: found,
        left_out,
    }
}

/// Returns the disjunction of the cases, each a conjunction, simplified, and the number of conjuncts that are lost.
fn joined(cases: &[Vec<String>]) -> (Option<String>, usize) {
    let Some((first, others)) = cases.split_first() else {
        return (None, 0);
    };
    let is_common = |text: &String| others.iter().all(|case| case.contains(text));
    let mut parts: Vec<String> = first
        .iter()
        .filter(|text| is_common(text))
        .cloned()
        .collect();
    let rest = |case: &Vec<String>| {
        let own = case.iter().filter(|text| !parts.contains(text));
        own.cloned().collect::<Vec<_>>()
    };
    let rests: Vec<Vec<String>> = cases.iter().map(rest).collect();
    let mut lost = 0;
    if rests.iter().any(Vec::is_empty) || rests.len() > MAXIMUM_DISJUNCTS {
        lost = rests.iter().map(Vec::len).sum();
    } else {
        let mut alternatives: Vec<String> = rests.iter().map(|rest| conjunction(rest)).collect();
        alternatives.dedup();
        let text = alternatives.join(") || (");
        match text.len() {
            ..=MAXIMUM_EXPRESSION_LENGTH => parts.push(format!("({text})")),
            _ => lost = rests.iter().map(Vec::len).sum(),
        }
    }
    // Conjuncts beyond the maximum length are dropped; the others still hold.
    let mut length = 0;
    let all = parts.len();
    parts.retain(|part| {
        length += part.len();
        length <= MAXIMUM_EXPRESSION_LENGTH
    });
    lost += all - parts.len();
    ((!parts.is_empty()).then(|| conjunction(&parts)), lost)
}

/// The places and names in a program's source.
struct Source<'p> {
    scopes: Scopes<'p>,
    waypoints: FxHashMap<LocationId, Vec<Waypoint>>,
}

impl Source<'_> {
    /// Returns the place in the source of the location: a loop if possible, or else a statement.
    fn waypoint(&self, location: LocationId) -> Option<(InvariantKind, Waypoint)> {
        let here = self.waypoints.get(&location)?.iter();
        let exact = here.filter(|waypoint| waypoint.span.column > 0);
        let kinds = exact.filter_map(|&waypoint| match waypoint.kind {
            WaypointKind::Loop => Some((InvariantKind::Loop, waypoint)),
            WaypointKind::Statement => Some((InvariantKind::Location, waypoint)),
            WaypointKind::Branch(_) | WaypointKind::Switch(_) => None,
        });
        kinds.min_by_key(|(kind, waypoint)| (*kind, waypoint.time))
    }

    /// Returns the formula as a C expression at the waypoint, if C can express it within the maximum length.
    fn expression(&self, formula: TermId, at: Waypoint) -> Option<String> {
        let text = self.scopes.expression(formula, at.time)?;
        (text.len() <= MAXIMUM_EXPRESSION_LENGTH).then_some(text)
    }
}

/// Returns all call strings that lead to the function, outermost call first; `None` if there are too many.
fn call_strings(
    program: &Program,
    graph: &CallGraph,
    function: FunctionId,
) -> Option<Vec<Vec<EdgeId>>> {
    let mut complete = Vec::new();
    let mut partial: Vec<(FunctionId, Vec<EdgeId>)> = vec![(function, Vec::new())];
    while let Some((function, calls)) = partial.pop() {
        if graph.is_recursive(function) {
            return None;
        }
        if function == program.start {
            complete.push(calls.iter().rev().copied().collect());
        }
        for &call in graph.calls_of(function) {
            let caller = program.location(program.edge(call).source).function;
            if graph.is_reachable(caller) {
                let mut calls = calls.clone();
                calls.push(call);
                partial.push((caller, calls));
            }
        }
        if complete.len() + partial.len() > MAXIMUM_CALL_STRINGS {
            return None;
        }
    }
    Some(complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_joined_by_what_they_share() {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let cases: [Vec<String>; 2] = [texts(&["a", "b ? c : d"]), texts(&["a", "e || f"])];
        let (value, lost) = joined(&cases);
        assert_eq!(value.as_deref(), Some("a && ((b ? c : d) || (e || f))"));
        assert_eq!(lost, 0);
        let cases: [Vec<String>; 2] = [texts(&["a", "b"]), texts(&["a"])];
        assert_eq!(joined(&cases), (Some("a".to_owned()), 1));
        assert_eq!(joined(&[texts(&["a"]), Vec::new()]), (None, 1));
        assert_eq!(joined(&[]), (None, 0));
        let one: [Vec<String>; 1] = [texts(&["a || b", "c"])];
        assert_eq!(joined(&one).0.as_deref(), Some("(a || b) && c"));
    }
}

//! Elimination of predicates by resolution, where the number of clauses does not grow much.
//!
//! The locations before and after calls need no predicates of their own.

use rustc_hash::FxHashMap;

use super::encode::{Encoding, Place};
use regatta_program::{CutPointKind, InlinedLocation, InlinedProgram};
use regatta_solver::horn::{Application, HornClause, PredicateId};
use regatta_term::{Arena, Build, Pool, Rebuild, TermId, TermKind};

/// Maximum growth of the number of clauses by the elimination of one predicate.
const MAXIMUM_CLAUSE_GROWTH: usize = 2;

/// Eliminates the predicates of locations next to calls. A location is treated equally in all layers, so that the formulas
/// of its layers can be conjoined.
pub fn resolve_calls(inlined: &InlinedProgram, encoding: &mut Encoding) {
    let mut layers: FxHashMap<InlinedLocation, Vec<PredicateId>> = FxHashMap::default();
    let mut order = Vec::new();
    for (&Place { at, .. }, number) in encoding.places.iter().zip(0..) {
        let kind = inlined.cut_points().kind(at.location);
        if matches!(
            kind,
            Some(CutPointKind::RecursiveCall | CutPointKind::RecursiveReturn)
        ) {
            let numbers = layers.entry(at).or_default();
            if numbers.is_empty() {
                order.push(at);
            }
            numbers.push(PredicateId(number));
        }
    }
    loop {
        let before = order.len();
        order.retain(|at| {
            let numbers = &layers[at];
            let all = numbers.iter().all(|&number| is_cheap(encoding, number));
            if all {
                numbers.iter().for_each(|&number| resolve(encoding, number));
            }
            !all
        });
        if order.len() == before {
            break;
        }
    }
}

fn is_head(clause: &HornClause, predicate: PredicateId) -> bool {
    let mut head = clause.head.iter();
    head.any(|head| head.predicate == predicate)
}

fn uses(clause: &HornClause, predicate: PredicateId) -> usize {
    let body = clause.body.iter();
    body.filter(|one| one.predicate == predicate).count()
}

/// Checks whether the predicate does not depend on itself directly, and its elimination adds few clauses.
fn is_cheap(encoding: &Encoding, predicate: PredicateId) -> bool {
    let (mut defined, mut used) = (0, 0);
    for clause in &encoding.system.clauses {
        let (head, body) = (is_head(clause, predicate), uses(clause, predicate));
        if body > 1 || (head && body > 0) {
            return false;
        }
        defined += usize::from(head);
        used += body;
    }
    defined * used <= defined + used + MAXIMUM_CLAUSE_GROWTH
}

/// Replaces the clauses that use the predicate by resolvents with those that define it.
fn resolve(encoding: &mut Encoding, predicate: PredicateId) {
    let clauses = std::mem::take(&mut encoding.system.clauses);
    let (defining, rest): (Vec<_>, Vec<_>) = clauses
        .into_iter()
        .partition(|clause| is_head(clause, predicate));
    let (using, mut rest): (Vec<_>, Vec<_>) = rest
        .into_iter()
        .partition(|clause| uses(clause, predicate) > 0);
    for user in &using {
        for definition in &defining {
            let arena = std::rc::Rc::clone(&encoding.arena);
            let definition = renamed(&arena, definition, &mut encoding.fresh);
            let resolvent = resolvent(&arena, &definition, user, predicate);
            if resolvent.constraint != TermId::FALSE {
                rest.push(resolvent);
            }
        }
    }
    encoding.system.clauses = rest;
}

/// Renames the clause's variables to fresh ones.
fn renamed(arena: &Arena, clause: &HornClause, fresh: &mut u32) -> HornClause {
    map_terms(arena, clause, |term| match arena.kind(term) {
        TermKind::Variable { symbol, .. } => {
            *fresh += 1;
            Some(arena.variable_at(symbol, *fresh))
        }
        _ => None,
    })
}

fn map_terms(
    arena: &Arena,
    clause: &HornClause,
    replace: impl FnMut(TermId) -> Option<TermId>,
) -> HornClause {
    let mut rebuild = Rebuild::new(arena, arena, replace);
    let mut application = |one: &Application| Application {
        predicate: one.predicate,
        arguments: one
            .arguments
            .iter()
            .map(|&term| rebuild.rebuild(term))
            .collect(),
    };
    let body = clause.body.iter().map(&mut application).collect();
    let head = clause.head.as_ref().map(&mut application);
    HornClause {
        constraint: rebuild.rebuild(clause.constraint),
        body,
        head,
        error: clause.error,
    }
}

/// Returns the resolvent of the two clauses on the predicate, which `definition` defines and `user` uses once.
fn resolvent(
    arena: &Arena,
    definition: &HornClause,
    user: &HornClause,
    predicate: PredicateId,
) -> HornClause {
    let used = user.body.iter().find(|one| one.predicate == predicate);
    let (Some(used), Some(head)) = (used, &definition.head) else {
        return user.clone();
    };
    let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut equations = Vec::new();
    for (&parameter, &value) in used.arguments.iter().zip(&head.arguments) {
        let is_variable = arena.is_variable(parameter);
        if is_variable && !values.contains_key(&parameter) {
            values.insert(parameter, value);
        } else {
            equations.push(arena.eq(parameter, value));
        }
    }
    equations.push(user.constraint);
    let rest = HornClause {
        constraint: arena.and(equations),
        body: user
            .body
            .iter()
            .filter(|one| one.predicate != predicate)
            .cloned()
            .collect(),
        ..user.clone()
    };
    let mut result = map_terms(arena, &rest, |term| values.get(&term).copied());
    result.constraint = arena.and2(definition.constraint, result.constraint);
    let mut body = definition.body.clone();
    body.append(&mut result.body);
    HornClause { body, ..result }
}

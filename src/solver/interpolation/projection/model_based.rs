//! Iterated model-based projection (\[KGC14\]).
//!
//! An implicant of a conjunction in a model is projected to a formula that is true in the model and implies
//! ∃ variables. conjunction. That is repeated with models outside the projections until there are none. A single projection
//! under-approximates; the final disjunction is equivalent.

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::implicant::{Model, implicant, mentions};
use super::project::{Eliminated, flat};
use super::solve::{containing, free, solve_equation};
use crate::Reason;
use crate::interpolation::core::variables;
use crate::interpolation::limits::{
    MAXIMUM_ELIMINATION_STEPS, MAXIMUM_IMPLICANTS, MAXIMUM_PART_SIZE, MAXIMUM_PART_TIME,
};
use crate::interpolation::queries::Queries;
use regatta_term::{
    Arena, Build, Op, Pool, Sort, TermId, TermKind, Value, for_each_subterm, size, substitute,
};

/// Returns ∃ variables. part, if few implicants cover it.
pub(crate) fn by_models(
    queries: &mut Queries,
    eliminated: &Eliminated<'_>,
    part: &[TermId],
) -> Result<Option<TermId>, Reason> {
    let arena = queries.arena();
    let whole = arena.and(part.iter().copied());
    if size(&*arena, whole) > MAXIMUM_PART_SIZE {
        return Ok(None);
    }
    let mut all: Vec<_> = variables(&arena, [whole]).into_iter().collect();
    all.sort_unstable();
    queries.within(MAXIMUM_PART_TIME, |queries| {
        queries.with(part, |queries| {
            let mut disjuncts = Vec::new();
            while queries.is_satisfiable(&[])? {
                if disjuncts.len() == MAXIMUM_IMPLICANTS {
                    return Ok(None);
                }
                let mut model = Model::default();
                for &variable in &all {
                    let Some(value) = queries.value(variable) else {
                        return Ok(None);
                    };
                    model.set(&arena, variable, value);
                }
                let Some(projected) = project_model(&arena, eliminated, part, model) else {
                    return Ok(None);
                };
                let projected = arena.and(projected);
                queries.assert(arena.not(projected));
                disjuncts.push(projected);
            }
            Ok(Some(arena.or(disjuncts)))
        })
    })
}

/// Returns literals without the variables to eliminate that are true in the model and imply ∃ variables. formula.
fn project_model(
    arena: &Arena,
    eliminated: &Eliminated<'_>,
    formula: &[TermId],
    mut model: Model,
) -> Option<Vec<TermId>> {
    let mut literals = formula.to_vec();
    for _ in 0..MAXIMUM_ELIMINATION_STEPS {
        let left = eliminated.of(arena, arena.and(literals.iter().copied()));
        let Some(&first) = left.first() else {
            return Some(literals);
        };
        let set: FxHashSet<_> = left.iter().copied().collect();
        let cube = implicant(arena, &literals, &set, &model)?;
        literals = eliminated.by_equations(arena, cube.clone(), |solution| {
            for &(variable, meaning) in &solution.fresh {
                if let Some(value) = model.value(arena, meaning) {
                    model.set(arena, variable, value);
                }
            }
        });
        if literals != cube {
            continue;
        }
        literals = eliminated.by_freedom(arena, literals);
        if literals != cube {
            continue;
        }
        let scalar = left
            .iter()
            .find(|&&variable| !arena.sort(variable).is_array());
        literals = match scalar {
            Some(&variable) => eliminate_scalar(arena, variable, literals, &model)?,
            None => eliminate_array(arena, first, literals, &mut model)?,
        };
    }
    None
}

/// Replaces the variable by a term with which the literals stay true in the model; the model's value is tried last.
fn eliminate_scalar(
    arena: &Arena,
    variable: TermId,
    literals: Vec<TermId>,
    model: &Model,
) -> Option<Vec<TermId>> {
    let only: FxHashSet<_> = [variable].into_iter().collect();
    let (with, mut rest): (Vec<_>, Vec<_>) = literals
        .into_iter()
        .partition(|&literal| mentions(arena, literal, &only));
    if let Some(Value::Int(_)) = model.value(arena, variable)
        && is_unbounded(arena, variable, &with, model)
    {
        return Some(rest);
    }
    let candidates = candidates(arena, variable, &with);
    let replaced = |value: TermId| -> Option<Vec<TermId>> {
        let map: FxHashMap<_, _> = [(variable, value)].into_iter().collect();
        let replaced: Vec<_> = with
            .iter()
            .map(|&literal| substitute(arena, literal, &map))
            .collect();
        let all = replaced
            .iter()
            .all(|&literal| model.is_true(arena, literal));
        all.then_some(replaced)
    };
    let chosen = candidates.into_iter().find_map(replaced).or_else(|| {
        let value = model.value(arena, variable)?;
        replaced(arena.value(&value))
    })?;
    rest.extend(chosen);
    Some(flat(arena, rest))
}

/// Checks whether all literals are comparisons that every large enough, or every small enough, integer satisfies.
fn is_unbounded(arena: &Arena, variable: TermId, literals: &[TermId], model: &Model) -> bool {
    let at = |literal: TermId, value: BigInt| {
        let mut model = model.clone();
        model.set(arena, variable, Value::Int(value));
        model.is_true(arena, literal)
    };
    let (mut above, mut below) = (true, true);
    for &literal in literals {
        let atom = arena.denied(literal).unwrap_or(literal);
        let Some((op, &[a, b])) = arena.as_application(atom) else {
            return false;
        };
        let within = containing(arena, atom, variable);
        let Some(bound) = solve_equation(arena, a, b, variable, &within)
            .filter(|solution| solution.sides.is_empty() && solution.fresh.is_empty())
            .and_then(|solution| model.value(arena, solution.value))
        else {
            return false;
        };
        let Value::Int(bound) = bound else {
            return false;
        };
        match op {
            // A disequality excludes a single value.
            Op::Eq if atom != literal => {}
            Op::IntLt | Op::IntLe => {
                above &= at(literal, &bound + 1);
                below &= at(literal, &bound - 1);
            }
            _ => return false,
        }
    }
    above || below
}

/// Returns terms by which the variable may be replaced; first those that may make literals trivial.
fn candidates(arena: &Arena, variable: TermId, literals: &[TermId]) -> Vec<TermId> {
    let sort = arena.sort(variable);
    let mut candidates = Vec::new();
    if let Sort::BitVec(width) = sort {
        let half = 1u128 << (width - 1);
        let extremes = [0, u128::MAX, half, half - 1];
        candidates.extend(extremes.map(|bits| arena.bv(width, bits)));
    }
    for &literal in literals {
        let atom = arena.denied(literal).unwrap_or(literal);
        let Some((_, &[a, b])) = arena.as_application(atom) else {
            continue;
        };
        if arena.sort(a) != arena.sort(b) {
            continue;
        }
        let within = containing(arena, atom, variable);
        let Some(solution) = solve_equation(arena, a, b, variable, &within) else {
            continue;
        };
        if !solution.fresh.is_empty() {
            continue;
        }
        let value = solution.value;
        candidates.push(value);
        match sort {
            Sort::BitVec(width) => {
                let one = arena.bv(width, 1);
                candidates.extend([arena.add(value, one), arena.sub(value, one)]);
            }
            Sort::Int => {
                let one = arena.int(1);
                candidates.extend([arena.int_add(value, one), arena.int_sub(value, one)]);
            }
            _ => {}
        }
    }
    candidates
}

/// Replaces reads of the array by fresh variables (Ackermann's reduction, for the index equalities of the model); if the
/// array has other occurrences, replaces it by its value.
fn eliminate_array(
    arena: &Arena,
    variable: TermId,
    literals: Vec<TermId>,
    model: &mut Model,
) -> Option<Vec<TermId>> {
    let whole = arena.and(literals.iter().copied());
    let mut reads = Vec::new();
    let mut others = false;
    for_each_subterm(arena, [whole], |term, kind| {
        if let TermKind::Apply { op, arguments } = kind {
            match (op, arguments) {
                (Op::Select, &[array, index]) if array == variable => reads.push((term, index)),
                _ => others |= arguments.contains(&variable),
            }
        }
    });
    let mut map = FxHashMap::default();
    let mut conditions = Vec::new();
    if others {
        map.insert(variable, arena.value(&model.value(arena, variable)?));
    } else {
        let mut groups: Vec<(Value, TermId, TermId)> = Vec::new();
        for (read, index) in reads {
            let at = model.value(arena, index)?;
            let known = groups.iter().find(|(value, ..)| *value == at);
            if let Some(&(_, representative, element)) = known {
                conditions.push(arena.eq(index, representative));
                map.insert(read, element);
                continue;
            }
            let value = model.value(arena, read)?;
            let mut fresh = Vec::new();
            let element = free(arena, read, &mut fresh);
            model.set(arena, element, value);
            for &(_, other, _) in &groups {
                conditions.push(arena.ne(index, other));
            }
            groups.push((at, index, element));
            map.insert(read, element);
        }
    }
    let literals = literals.into_iter().chain(conditions);
    let replaced = literals.map(|literal| substitute(arena, literal, &map));
    Some(flat(arena, replaced))
}

//! Eliminating variables: formulas that follow from ∃ variables. conjunction.
//!
//! First by equations, then where a variable is in the way of nothing, both exactly. What is left is enumerated by
//! model-based projection (Komuravelli, Gurfinkel, Chaki: SMT-Based Model Checking for Recursive Programs, CAV 2014):
//! an implicant of the conjunction in a model is projected to a formula that is true in the model and implies
//! ∃ variables. conjunction; then a model outside of it is looked for, until there is none. A single projection
//! under-approximates; only their disjunction, once there is no other model, is what is wanted here. If that does not
//! end within the limits, the conjuncts in question are left out.

use std::time::Duration;

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Reason;
use super::core::{conjuncts, variables};
use super::implicant::{Model, implicant, mentions};
use super::queries::Queries;
use super::solve::{Solution, containing, solve, solve_equation};
use crate::term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, Value, size, substitute};

/// So many implicants of a part are projected.
const IMPLICANTS: usize = 16;
/// A larger part is not looked at by models.
const TERMS: usize = 2_000;
/// So many steps lead from an implicant to its projection.
const STEPS: usize = 200;
/// All models of one part together have this long.
const TIME: Duration = Duration::from_millis(300);

/// What follows from a conjunction without all variables but those to keep, as conjuncts.
///
/// # Errors
/// When interrupted or out of time.
pub fn project(
    queries: &mut Queries,
    formula: impl IntoIterator<Item = TermId>,
    keep: &FxHashSet<TermId>,
) -> Result<Vec<TermId>, Reason> {
    let arena = queries.arena();
    let eliminated = Eliminated::new(keep);
    let mut formula = flat(&arena, formula);
    formula = eliminated.by_equations(&arena, formula, |_| {});
    formula = eliminated.by_freedom(&arena, formula);
    let (mut conjuncts, rest): (Vec<_>, Vec<_>) = formula
        .into_iter()
        .partition(|&conjunct| eliminated.of(&arena, conjunct).is_empty());
    for part in parts(&arena, &eliminated, rest) {
        match by_models(queries, &eliminated, &part) {
            Ok(Some(projected)) => conjuncts.extend(flat(&arena, [projected])),
            Err(Reason::Interrupted) => return Err(Reason::Interrupted),
            Ok(None) | Err(_) => {
                queries.time_left()?;
            }
        }
    }
    Ok(flat(&arena, conjuncts))
}

/// The conjuncts of a conjunction, each once; of a contradiction only that.
fn flat(arena: &Arena, formula: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut result = Vec::new();
    for formula in formula {
        for conjunct in conjuncts(arena, formula) {
            if conjunct == TermId::FALSE {
                return vec![TermId::FALSE];
            }
            if seen.insert(conjunct) {
                result.push(conjunct);
            }
        }
    }
    result
}

/// Which variables are to go: all that are not kept.
struct Eliminated<'k> {
    keep: &'k FxHashSet<TermId>,
}

impl<'k> Eliminated<'k> {
    fn new(keep: &'k FxHashSet<TermId>) -> Self {
        Self { keep }
    }

    /// Those in a term, in a fixed order.
    fn of(&self, arena: &Arena, term: TermId) -> Vec<TermId> {
        let mut found: Vec<_> = variables(arena, [term])
            .into_iter()
            .filter(|variable| !self.keep.contains(variable))
            .collect();
        found.sort_unstable();
        found
    }

    /// Replaces every variable that an equation gives a value; `chosen` is told each solution.
    fn by_equations(
        &self,
        arena: &Arena,
        formula: Vec<TermId>,
        mut chosen: impl FnMut(&Solution),
    ) -> Vec<TermId> {
        let mut formula: Vec<(TermId, Vec<TermId>)> = formula
            .into_iter()
            .map(|conjunct| (conjunct, self.of(arena, conjunct)))
            .collect();
        while let Some((position, variable, solution)) = solved(arena, &formula) {
            chosen(&solution);
            formula.swap_remove(position);
            let map: FxHashMap<_, _> = [(variable, solution.value)].into_iter().collect();
            let (changed, mut rest): (Vec<_>, Vec<_>) = formula
                .into_iter()
                .partition(|(_, variables)| variables.contains(&variable));
            let changed = changed
                .into_iter()
                .map(|(conjunct, _)| substitute(arena, conjunct, &map));
            for conjunct in flat(arena, changed.chain(solution.sides)) {
                if conjunct == TermId::FALSE {
                    return vec![TermId::FALSE];
                }
                rest.push((conjunct, self.of(arena, conjunct)));
            }
            formula = rest;
        }
        flat(arena, formula.into_iter().map(|(conjunct, _)| conjunct))
    }

    /// Leaves out comparisons with what can have any value.
    fn by_freedom(&self, arena: &Arena, mut formula: Vec<TermId>) -> Vec<TermId> {
        loop {
            let mut occurrences: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
            for (position, &conjunct) in formula.iter().enumerate() {
                for variable in self.of(arena, conjunct) {
                    occurrences.entry(variable).or_default().push(position);
                }
            }
            let mut free: Vec<_> = occurrences.into_iter().collect();
            free.sort_unstable();
            let found = free.into_iter().find_map(|(variable, positions)| {
                let instead = without(arena, variable, &positions, &formula)?;
                Some((positions, instead))
            });
            let Some((positions, instead)) = found else {
                return formula;
            };
            let mut position = 0;
            formula.retain(|_| {
                position += 1;
                !positions.contains(&(position - 1))
            });
            formula.push(instead);
            formula = flat(arena, formula);
        }
    }
}

/// An equation that gives a variable its value; first one that says nothing else.
fn solved(arena: &Arena, formula: &[(TermId, Vec<TermId>)]) -> Option<(usize, TermId, Solution)> {
    let mut second = None;
    for (position, (conjunct, variables)) in formula.iter().enumerate() {
        for &variable in variables {
            if let Some(solution) = solve(arena, *conjunct, variable) {
                if solution.sides.is_empty() && solution.fresh.is_empty() {
                    return Some((position, variable, solution));
                }
                second = second.or(Some((position, variable, solution)));
            }
        }
    }
    second
}

/// What ∃ variable says of the conjuncts at the positions, the only ones with it, where it is easy to see.
fn without(
    arena: &Arena,
    variable: TermId,
    positions: &[usize],
    formula: &[TermId],
) -> Option<TermId> {
    if let &[position] = positions {
        return comparison(arena, variable, formula[position]);
    }
    // It differs from fewer values than there are.
    let values = match arena.sort(variable) {
        Sort::BitVec(width) if width < 20 => 1usize << width,
        Sort::BitVec(_) | Sort::Int => usize::MAX,
        _ => return None,
    };
    let all_differ = positions.iter().all(|&position| {
        matches!(arena.kind(formula[position]), TermKind::Apply { op: Op::Not, arguments: &[inner] }
            if is_free_side(arena, inner, variable, Op::Eq))
    });
    (all_differ && positions.len() < values).then_some(TermId::TRUE)
}

/// Whether the term is the relation of something that takes each value for one value of the variable.
fn is_free_side(arena: &Arena, term: TermId, variable: TermId, relation: Op) -> bool {
    let TermKind::Apply {
        op,
        arguments: &[a, b],
    } = arena.kind(term)
    else {
        return false;
    };
    let within = containing(arena, term, variable);
    op == relation
        && solve_equation(arena, a, b, variable, &within)
            .is_some_and(|solution| solution.sides.is_empty())
}

/// ∃ variable. comparison, of a side that takes each value.
fn comparison(arena: &Arena, variable: TermId, conjunct: TermId) -> Option<TermId> {
    let TermKind::Apply { op, arguments } = arena.kind(conjunct) else {
        return None;
    };
    if let (Op::Not, &[inner]) = (op, arguments) {
        return is_free_side(arena, inner, variable, Op::Eq).then_some(TermId::TRUE);
    }
    let &[a, b] = arguments else { return None };
    if !is_free_side(arena, conjunct, variable, op) {
        return None;
    }
    let left = containing(arena, a, variable).contains(&a);
    let other = if left { b } else { a };
    let bits = |value: fn(u32) -> u128| {
        let width = arena.width(other);
        arena.bv(width, value(u32::from(width)))
    };
    let bound = match (op, left) {
        (Op::BvUle | Op::BvSle | Op::IntLe | Op::IntLt, _) => return Some(TermId::TRUE),
        (Op::BvUlt, true) => bits(|_| 0),
        (Op::BvUlt, false) => bits(|_| u128::MAX),
        (Op::BvSlt, true) => bits(|width| 1 << (width - 1)),
        (Op::BvSlt, false) => bits(|width| (1 << (width - 1)) - 1),
        _ => return None,
    };
    Some(arena.ne(other, bound))
}

/// Groups conjuncts that share variables to be eliminated.
fn parts(arena: &Arena, eliminated: &Eliminated<'_>, formula: Vec<TermId>) -> Vec<Vec<TermId>> {
    let mut groups: Vec<(FxHashSet<TermId>, Vec<TermId>)> = Vec::new();
    for conjunct in formula {
        let mut shared: FxHashSet<_> = eliminated.of(arena, conjunct).into_iter().collect();
        let mut members = Vec::new();
        groups.retain_mut(|(variables, conjuncts)| {
            let is_apart = variables.is_disjoint(&shared);
            if !is_apart {
                shared.extend(variables.drain());
                members.append(conjuncts);
            }
            is_apart
        });
        members.push(conjunct);
        groups.push((shared, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// ∃ variables. part, if few implicants cover it.
fn by_models(
    queries: &mut Queries,
    eliminated: &Eliminated<'_>,
    part: &[TermId],
) -> Result<Option<TermId>, Reason> {
    let arena = queries.arena();
    let whole = arena.and(part.iter().copied());
    if size(&*arena, whole) > TERMS {
        return Ok(None);
    }
    let mut all: Vec<_> = variables(&arena, [whole]).into_iter().collect();
    all.sort_unstable();
    queries.within(TIME, |queries| {
        queries.with(part, |queries| {
            let mut disjuncts = Vec::new();
            while queries.is_satisfiable(&[])? {
                if disjuncts.len() == IMPLICANTS {
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

/// Literals without variables to be eliminated, true in the model, that imply ∃ variables. formula.
fn project_model(
    arena: &Arena,
    eliminated: &Eliminated<'_>,
    formula: &[TermId],
    mut model: Model,
) -> Option<Vec<TermId>> {
    let mut literals = formula.to_vec();
    for _ in 0..STEPS {
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

/// Replaces the variable by a term that makes the same literals true in the model; the model's value comes last.
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

/// Whether all literals are comparisons that a great enough, or all that a small enough integer satisfies.
fn is_unbounded(arena: &Arena, variable: TermId, literals: &[TermId], model: &Model) -> bool {
    let at = |literal: TermId, value: BigInt| {
        let mut model = model.clone();
        model.set(arena, variable, Value::Int(value));
        model.is_true(arena, literal)
    };
    let (mut above, mut below) = (true, true);
    for &literal in literals {
        let atom = match arena.kind(literal) {
            TermKind::Apply {
                op: Op::Not,
                arguments: &[inner],
            } => inner,
            _ => literal,
        };
        let TermKind::Apply {
            op,
            arguments: &[a, b],
        } = arena.kind(atom)
        else {
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
            // Differs from a single value.
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

/// Terms by which the variable may be replaced, those first that make literals go away.
fn candidates(arena: &Arena, variable: TermId, literals: &[TermId]) -> Vec<TermId> {
    let sort = arena.sort(variable);
    let mut candidates = Vec::new();
    if let Sort::BitVec(width) = sort {
        let half = 1u128 << (width - 1);
        let extremes = [0, u128::MAX, half, half - 1];
        candidates.extend(extremes.map(|bits| arena.bv(width, bits)));
    }
    for &literal in literals {
        let atom = match arena.kind(literal) {
            TermKind::Apply {
                op: Op::Not,
                arguments: &[inner],
            } => inner,
            _ => literal,
        };
        let TermKind::Apply {
            arguments: &[a, b], ..
        } = arena.kind(atom)
        else {
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

/// Replaces what is read from the array by fresh variables (Ackermann's reduction, for the indices that are equal in the
/// model); if it is not only read, the array by its value.
fn eliminate_array(
    arena: &Arena,
    variable: TermId,
    literals: Vec<TermId>,
    model: &mut Model,
) -> Option<Vec<TermId>> {
    let whole = arena.and(literals.iter().copied());
    let mut reads = Vec::new();
    let mut others = false;
    crate::term::for_each_subterm(arena, [whole], |term, kind| {
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
            let element = super::solve::free(arena, read, &mut fresh);
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

//! Elimination of variables: formulas that follow from ∃ variables. conjunction.
//!
//! Variables are eliminated by solving equations, then by dropping comparisons that some value of the variable always
//! satisfies, both exactly; the rest by [`by_models`]. If that exceeds its limits, the conjuncts in question are left out.

use rustc_hash::{FxHashMap, FxHashSet};

use super::model_based::by_models;
use super::solve::{Solution, containing, solve, solve_equation};
use crate::Reason;
use crate::interpolation::core::variables;
use crate::interpolation::queries::Queries;
use regatta_term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, conjuncts, substitute};

/// Returns consequences of a conjunction over the variables to keep, as conjuncts.
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

/// Returns the conjuncts of a conjunction, each once; for a contradiction only `false`.
pub fn flat(arena: &Arena, formula: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
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

/// The variables to eliminate: all that are not kept.
pub struct Eliminated<'k> {
    keep: &'k FxHashSet<TermId>,
}

impl<'k> Eliminated<'k> {
    fn new(keep: &'k FxHashSet<TermId>) -> Self {
        Self { keep }
    }

    /// The variables to eliminate in a term, sorted.
    pub fn of(&self, arena: &Arena, term: TermId) -> Vec<TermId> {
        let mut found: Vec<_> = variables(arena, [term])
            .into_iter()
            .filter(|variable| !self.keep.contains(variable))
            .collect();
        found.sort_unstable();
        found
    }

    /// Substitutes every variable for which an equation can be solved; `chosen` is called with each solution.
    pub(crate) fn by_equations(
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

    /// Eliminates variables that occur only in comparisons which some value of theirs satisfies.
    pub(crate) fn by_freedom(&self, arena: &Arena, mut formula: Vec<TermId>) -> Vec<TermId> {
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

/// Finds an equation that can be solved for a variable; preferably one without side conditions.
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

/// Returns ∃ variable. conjuncts at the positions (the only ones with the variable), in simple cases.
fn without(
    arena: &Arena,
    variable: TermId,
    positions: &[usize],
    formula: &[TermId],
) -> Option<TermId> {
    if let &[position] = positions {
        return comparison(arena, variable, formula[position]);
    }
    // The variable differs from fewer values than its sort has.
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

/// Checks whether the term is the relation with a side that is a bijective function of the variable.
fn is_free_side(arena: &Arena, term: TermId, variable: TermId, relation: Op) -> bool {
    let Some((op, &[a, b])) = arena.as_application(term) else {
        return false;
    };
    let within = containing(arena, term, variable);
    op == relation
        && solve_equation(arena, a, b, variable, &within)
            .is_some_and(|solution| solution.sides.is_empty())
}

/// Returns ∃ variable. comparison, if a side is a bijective function of the variable.
fn comparison(arena: &Arena, variable: TermId, conjunct: TermId) -> Option<TermId> {
    let (op, arguments) = arena.as_application(conjunct)?;
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

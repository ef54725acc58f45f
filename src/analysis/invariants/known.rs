//! What a tuple of features makes of formulas.

use rustc_hash::FxHashMap;

use super::features::{Feature, Kind};
use super::guess::constant;
use super::samples::number;
use crate::term::{Arena, Build, Pool, Rebuild, Sort, TermId};

/// The states with a tuple: what they are instead of their variables, and what else is known of them.
pub(super) struct Known {
    values: FxHashMap<TermId, TermId>,
    pub condition: TermId,
}

impl Known {
    /// Those in which the features are the tuple's values.
    pub fn new(arena: &Arena, features: &[Feature], tuple: &[i128]) -> Self {
        let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut conditions = Vec::new();
        for (feature, &value) in features.iter().zip(tuple) {
            let constant = constant(feature.sort, value);
            match feature.kind {
                Kind::Variable => _ = values.insert(feature.term, constant),
                Kind::Difference { of, from } => {
                    values.insert(of, arena.add(from, constant));
                }
                Kind::Condition => conditions.push(feature.is(arena, feature.term, value)),
            }
        }
        let mut known = Self {
            values,
            condition: TermId::TRUE,
        };
        let condition = known.rebuild(arena).rebuild(arena.and(conditions));
        known.condition = condition;
        known
    }

    /// Puts the values into terms.
    pub fn rebuild<'r>(
        &'r self,
        arena: &'r Arena,
    ) -> Rebuild<'r, Arena, Arena, impl FnMut(TermId) -> Option<TermId> + 'r> {
        Rebuild::new(arena, arena, |term| self.values.get(&term).copied())
    }
}

/// What the terms are if every variable has the same small value, and the formula holds then: often, for what is left of
/// a block are choices, this is a model and needs no solver.
pub(super) fn guessed(arena: &Arena, formula: TermId, terms: &[TermId]) -> Option<Vec<i128>> {
    guesses(arena, formula, terms).next()
}

/// The same for each such value.
pub(super) fn guesses(
    arena: &Arena,
    formula: TermId,
    terms: &[TermId],
) -> impl Iterator<Item = Vec<i128>> {
    [0, 1].into_iter().filter_map(move |value| {
        let mut rebuild = Rebuild::new(arena, arena, |term| {
            let sort = arena.sort(term);
            let is_number = matches!(sort, Sort::Bool | Sort::BitVec(_) | Sort::Int);
            let is_variable = arena.is_variable(term);
            (is_variable && is_number).then(|| constant(sort, value))
        });
        if rebuild.rebuild(formula) != TermId::TRUE {
            return None;
        }
        let values = terms.iter().map(|&term| {
            let constant = arena.constant(rebuild.rebuild(term))?;
            number(&constant.to_value())
        });
        values.collect()
    })
}

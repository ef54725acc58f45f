//! The unsatisfiable core of a sequence: the conjuncts that make it infeasible.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Reason;
use super::Sequence;
use super::queries::Queries;
use crate::interpolation::limits::MAXIMUM_MINIMIZED_CORE;
use regatta_term::{Arena, TermId, TermKind, conjuncts, for_each_subterm};

/// A sequence reduced to its core.
#[derive(Clone, Debug)]
pub struct CoreSequence {
    /// The conjuncts of each formula.
    pub formulas: Vec<Vec<TermId>>,
    /// For each cut the variables of the state that occur on both sides.
    pub live: Vec<FxHashSet<TermId>>,
}

impl CoreSequence {
    /// The live variables at each cut, sorted.
    pub fn cuts(&self) -> Vec<Vec<TermId>> {
        let sorted = |live: &FxHashSet<TermId>| {
            let mut variables: Vec<TermId> = live.iter().copied().collect();
            variables.sort_unstable();
            variables
        };
        self.live.iter().map(sorted).collect()
    }
}

pub fn variables(arena: &Arena, terms: impl IntoIterator<Item = TermId>) -> FxHashSet<TermId> {
    let mut found = FxHashSet::default();
    for_each_subterm(arena, terms, |term, kind| {
        if matches!(kind, TermKind::Variable { .. }) {
            found.insert(term);
        }
    });
    found
}

/// Returns the core of the sequence, or `None` if its conjunction has a model (which the queries then have).
///
/// # Errors
/// When that is not decided.
pub fn core(queries: &mut Queries, sequence: Sequence<'_>) -> Result<Option<CoreSequence>, Reason> {
    let arena = queries.arena();
    let formulas: Vec<_> = sequence
        .formulas
        .iter()
        .map(|&formula| conjuncts(&*arena, formula))
        .collect();
    // A conjunct that occurs in several formulas is assumed once.
    let mut all: Vec<TermId> = formulas.iter().flatten().copied().collect();
    let mut seen = FxHashSet::default();
    all.retain(|&conjunct| seen.insert(conjunct));
    let Some(core) = queries.core(&all)? else {
        return Ok(None);
    };
    let core: FxHashSet<_> = minimized(queries, core)?.into_iter().collect();
    let mut formulas = formulas;
    for formula in &mut formulas {
        formula.retain(|conjunct| core.contains(conjunct));
    }
    let live = live(&arena, &formulas, sequence.cuts);
    Ok(Some(CoreSequence { formulas, live }))
}

/// Leaves out conjuncts that are not needed, as long as time permits.
fn minimized(queries: &mut Queries, mut core: Vec<TermId>) -> Result<Vec<TermId>, Reason> {
    if core.len() > MAXIMUM_MINIMIZED_CORE {
        return Ok(core);
    }
    let mut needed = 0;
    while needed < core.len() {
        // From the end, since late conditions on a path are often irrelevant.
        let candidate = core.len() - 1 - needed;
        let mut rest = core.clone();
        rest.remove(candidate);
        match queries.core(&rest) {
            Ok(Some(smaller)) => {
                let kept: FxHashSet<_> = smaller.into_iter().collect();
                // Conjuncts that were found to be needed are in every smaller core.
                core.retain(|term| kept.contains(term));
            }
            Ok(None) => needed += 1,
            Err(Reason::Interrupted) => return Err(Reason::Interrupted),
            Err(_) => break,
        }
    }
    Ok(core)
}

fn live(arena: &Arena, formulas: &[Vec<TermId>], cuts: &[Vec<TermId>]) -> Vec<FxHashSet<TermId>> {
    let mut first = FxHashMap::default();
    let mut last = FxHashMap::default();
    for (position, formula) in formulas.iter().enumerate() {
        for variable in variables(arena, formula.iter().copied()) {
            first.entry(variable).or_insert(position);
            last.insert(variable, position);
        }
    }
    let both = |position: usize, variable: &TermId| {
        first.get(variable).is_some_and(|&first| first <= position)
            && last.get(variable).is_some_and(|&last| last > position)
    };
    let cuts = cuts.iter().enumerate();
    cuts.map(|(position, cut)| cut.iter().copied().filter(|v| both(position, v)).collect())
        .collect()
}

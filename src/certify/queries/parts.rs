//! Independent parts of conditions.
//!
//! Of a program with many checks, the condition of each says what was assumed of the execution before, at all the other checks.
//! Conjuncts that share no variable with one another are independent: a condition is impossible if and only if some part
//! is, and mostly it is the part with the conjunct that was made last.

use rustc_hash::FxHashMap;

use crate::walk::Walk;
use regatta_term::{Build, Symbol, TermId, conjuncts, free_variables};

/// Divides conditions into independent parts.
#[derive(Default)]
pub(super) struct Independence {
    /// The variables of a conjunct, those of definitions included.
    variables: FxHashMap<TermId, Vec<(Symbol, u32)>>,
}

impl Independence {
    /// Returns the parts of the condition, each as a condition: the part with the newest conjunct first.
    pub(super) fn parts(&mut self, walk: &Walk<'_, '_>, condition: TermId) -> Vec<TermId> {
        let mut all = conjuncts(&*walk.arena, condition);
        all.sort_unstable_by_key(|conjunct| std::cmp::Reverse(conjunct.as_u32()));
        let mut sets = Sets::new(all.len());
        let mut owners: FxHashMap<(Symbol, u32), usize> = FxHashMap::default();
        for (place, &conjunct) in all.iter().enumerate() {
            let variables = self.variables.entry(conjunct);
            for &variable in &*variables.or_insert_with(|| variables_of(walk, conjunct)) {
                let owner = *owners.entry(variable).or_insert(place);
                sets.join(owner, place);
            }
        }
        let mut parts: Vec<(usize, Vec<TermId>)> = Vec::new();
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        for (place, &conjunct) in all.iter().enumerate() {
            let set = sets.of(place);
            let number = *numbers.entry(set).or_insert(parts.len());
            match parts.get_mut(number) {
                Some((_, part)) => part.push(conjunct),
                None => parts.push((set, vec![conjunct])),
            }
        }
        let parts = parts.into_iter();
        parts.map(|(_, part)| walk.arena.and(part)).collect()
    }
}

fn variables_of(walk: &Walk<'_, '_>, conjunct: TermId) -> Vec<(Symbol, u32)> {
    let definitions = walk.definitions_for(&[conjunct]);
    let terms = definitions.into_iter().chain([conjunct]);
    let mut variables: Vec<(Symbol, u32)> = terms
        .flat_map(|term| free_variables(&*walk.arena, term))
        .collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// Disjoint sets of numbers.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// Returns the representative of the number's set.
    fn of(&mut self, number: usize) -> usize {
        let mut root = number;
        while self.0[root] != root {
            root = self.0[root];
        }
        let mut at = number;
        while self.0[at] != root {
            at = std::mem::replace(&mut self.0[at], root);
        }
        root
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other)] = one.min(other);
    }
}

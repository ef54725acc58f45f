//! Conjunctions split by variables: the conjuncts that have to do with some of them, through any number of others.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::limits::MAXIMUM_SLICE_VARIABLES;
use regatta_term::{Arena, TermId, TermKind, for_each_unknown_subterm};

/// The variables of a term, sorted; `None` if there are too many.
type Variables = Option<Rc<[TermId]>>;

/// The variables of terms.
#[derive(Default)]
pub struct Slices {
    known: FxHashMap<TermId, Variables>,
}

impl Slices {
    /// Returns the indices of the conjuncts that share variables with those from index `newest` on, directly or through other
    /// conjuncts; ascending. The others are independent of them.
    pub fn connected(&mut self, arena: &Arena, conjuncts: &[TermId], newest: usize) -> Vec<usize> {
        let all: Vec<Variables> = conjuncts
            .iter()
            .map(|&one| self.variables(arena, one))
            .collect();
        let mut reached: Vec<TermId> = Vec::new();
        for variables in &all[newest..] {
            match variables {
                Some(variables) => include(&mut reached, variables),
                None => return (0..conjuncts.len()).collect(),
            }
        }
        let mut is_connected = vec![false; newest];
        is_connected.resize(conjuncts.len(), true);
        let mut grows = true;
        while grows {
            grows = false;
            for place in (0..newest).rev() {
                if is_connected[place] {
                    continue;
                }
                let Some(variables) = &all[place] else {
                    return (0..conjuncts.len()).collect();
                };
                if variables
                    .iter()
                    .any(|one| reached.binary_search(one).is_ok())
                {
                    is_connected[place] = true;
                    grows = true;
                    include(&mut reached, variables);
                }
            }
        }
        (0..conjuncts.len())
            .filter(|&place| is_connected[place])
            .collect()
    }

    fn variables(&mut self, arena: &Arena, term: TermId) -> Variables {
        let knows = |all: &Self, term: TermId| all.known.contains_key(&term);
        let learn = |all: &mut Self, term: TermId, kind: TermKind<'_>| {
            let variables = all.of_kind(term, kind);
            all.known.insert(term, variables);
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = for_each_unknown_subterm(arena, term, self, knows, learn);
        self.known.get(&term).cloned().flatten()
    }

    /// Returns the variables of a term whose arguments' are known. Sets are shared where a term has no more than an argument.
    fn of_kind(&self, term: TermId, kind: TermKind<'_>) -> Variables {
        let arguments = match kind {
            TermKind::Constant(_) => return Some(Rc::default()),
            TermKind::Variable { .. } => return Some(Rc::from([term])),
            TermKind::Apply { arguments, .. } => arguments,
        };
        let mut largest: Rc<[TermId]> = Rc::default();
        for argument in arguments {
            let variables = self.known.get(argument)?.as_ref()?;
            if variables.len() > largest.len() {
                largest = Rc::clone(variables);
            }
        }
        let mut all: Vec<TermId> = Vec::new();
        for argument in arguments {
            let variables = self.known.get(argument)?.as_ref()?;
            if Rc::ptr_eq(variables, &largest)
                || variables
                    .iter()
                    .all(|one| largest.binary_search(one).is_ok())
            {
                continue;
            }
            if all.is_empty() {
                all.extend_from_slice(&largest);
            }
            include(&mut all, variables);
        }
        match all.len() {
            0 => Some(largest),
            count => (count <= MAXIMUM_SLICE_VARIABLES).then(|| all.into()),
        }
    }
}

/// Adds elements to a sorted list.
fn include(all: &mut Vec<TermId>, new: &[TermId]) {
    let count = all.len();
    for one in new {
        if all[..count].binary_search(one).is_err() {
            all.push(*one);
        }
    }
    all.sort_unstable();
    all.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Build, Op, Pool, Sort, Symbol};

    #[test]
    fn conjuncts_are_connected_through_others() {
        let arena = Arena::new();
        let symbol = Symbol::new("slices x", Sort::BitVec(8));
        let [a, b, c, d] = [1, 2, 3, 4].map(|number| arena.variable_at(symbol, number));
        let conjuncts = [
            arena.ult(a, b),
            arena.ult(d, arena.bv(8, 7)),
            arena.ult(b, arena.add(c, c)),
            arena.ult(c, arena.bv(8, 9)),
        ];
        let mut slices = Slices::default();
        assert_eq!(slices.connected(&arena, &conjuncts, 3), [0, 2, 3]);
        assert_eq!(slices.connected(&arena, &conjuncts[..2], 1), [1]);
    }

    #[test]
    fn a_conjunct_with_many_variables_is_connected_with_all() {
        let arena = Arena::new();
        let symbol = Symbol::new("slices y", Sort::BitVec(8));
        let variable = |number| arena.variable_at(symbol, number);
        let many = (0..=MAXIMUM_SLICE_VARIABLES as u32).map(variable);
        let sum = many.reduce(|sum, one| arena.intern(Op::BvXor, Sort::BitVec(8), &[sum, one]));
        let sum = sum.expect("variables");
        let other = variable(1_000_000);
        let conjuncts = [
            arena.ult(other, arena.bv(8, 3)),
            arena.ult(sum, arena.bv(8, 3)),
        ];
        assert_eq!(Slices::default().connected(&arena, &conjuncts, 1), [0, 1]);
    }
}

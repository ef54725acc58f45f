//! Case distinctions: a state that satisfies a large disjunction is split into a state for each disjunct.
//!
//! Equations of a case (`pc = 1`, `local = token + 3`) are substituted in its state and decide most conditions from there
//! on. So a large disjunction (from an engine that enumerates modes) leads to many small questions instead of one large one.

use super::super::certificate::quantified;
use super::{State, Walk};
use crate::lowered::call_strings::Node;
use crate::walk::limits::{
    MAXIMUM_CASES, MAXIMUM_DEFINITION_SIZE, MAXIMUM_EDGES_OF_CASES, MINIMUM_SPLIT_SIZE,
};
use regatta_term::{Build, Op, Pool, Sort, TermId, TermKind, conjuncts, occurs, size, store};

/// The states to start from.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Starts {
    /// A single state.
    Whole,
    /// A state for each case of the formulas.
    ByCase,
}

/// Checks whether the formulas can be split into cases.
pub(crate) fn tells_cases(formulas: &[TermId]) -> bool {
    longest(&[all_conjuncts(formulas)]).is_some()
}

impl Walk<'_, '_> {
    /// Returns arbitrary states at the node that together cover all states satisfying the claims and the formulas.
    pub fn starts(&mut self, node: Node, formulas: &[TermId], starts: Starts) -> Vec<State> {
        if starts == Starts::Whole {
            return vec![self.start(node, formulas)];
        }
        let edges = self.lowered.program.edges.len().max(1);
        let cases = cases(formulas, MAXIMUM_CASES.min(MAXIMUM_EDGES_OF_CASES / edges));
        self.cases = self.cases.max(cases.len());
        let cases = cases.iter();
        cases.map(|formulas| self.start(node, formulas)).collect()
    }

    /// Substitutes variables for which assumed formulas give a value. The state stays equivalent, since its guard implies
    /// these formulas.
    pub(super) fn put_definitions(&self, state: &mut State, node: Node, formulas: &[TermId]) {
        for &formula in formulas {
            let Some((variable, value)) = definition(formula) else {
                continue;
            };
            if let Some(slot) = self.slot_of(node, variable)
                && state.values.get(slot).is_none()
            {
                state.values.insert(slot, self.formula(state, node, value));
            }
        }
    }
}

/// Splits the formulas into at most the given number of cases, the largest disjunctions first. Returns the formulas of each
/// case.
fn cases(formulas: &[TermId], most: usize) -> Vec<Vec<TermId>> {
    let mut cases = vec![all_conjuncts(formulas)];
    while let Some((case, formula, alternatives)) = longest(&cases) {
        if cases.len() + alternatives.len() > most + 1 {
            break;
        }
        let common = cases.swap_remove(case);
        cases.extend(alternatives.into_iter().map(|alternative| {
            let mut case = common.clone();
            case.retain(|&one| one != formula);
            case.extend(conjuncts(store(), alternative));
            case
        }));
    }
    cases
}

fn all_conjuncts(formulas: &[TermId]) -> Vec<TermId> {
    let formulas = formulas.iter();
    formulas.flat_map(|&one| conjuncts(store(), one)).collect()
}

/// Finds the largest disjunction in the cases: the index of its case, the disjunction, and its disjuncts.
fn longest(cases: &[Vec<TermId>]) -> Option<(usize, TermId, Vec<TermId>)> {
    let formulas = cases.iter().zip(0..).flat_map(|(formulas, case)| {
        let formulas = formulas.iter();
        formulas.map(move |&formula| (case, formula))
    });
    let disjunctions = formulas.filter_map(|(case, formula)| {
        let alternatives = store().arguments(Op::Or, formula)?;
        Some((case, formula, alternatives.to_vec()))
    });
    let long =
        disjunctions
            .map(|one| (size(store(), one.1), one))
            .filter(|&(size, (_, formula, _))| {
                size >= MINIMUM_SPLIT_SIZE && quantified(formula).is_none()
            });
    long.max_by_key(|&(size, _)| size).map(|(_, one)| one)
}

/// Returns a variable and its value, if the formula is equivalent to their equation.
fn definition(formula: TermId) -> Option<(TermId, TermId)> {
    let pool = store();
    let sides = match pool.kind(formula) {
        TermKind::Variable { .. } => return Some((formula, TermId::TRUE)),
        TermKind::Apply {
            op: Op::Not,
            arguments: &[one],
        } if pool.is_variable(one) => return Some((one, TermId::FALSE)),
        TermKind::Apply {
            op: Op::Eq,
            arguments: &[one, other],
        } if matches!(pool.sort(one), Sort::BitVec(_)) => [(one, other), (other, one)],
        _ => return None,
    };
    sides.into_iter().find_map(|(side, other)| {
        let summands = pool.arguments(Op::BvAdd, side);
        let summands = summands.map_or_else(|| vec![side], <[TermId]>::to_vec);
        let variable = *summands.iter().find(|&&one| pool.is_variable(one))?;
        let others = summands.iter().filter(|&&one| one != variable);
        let value = others.fold(other, |value, &one| pool.sub(value, one));
        let is_small = size(pool, value) <= MAXIMUM_DEFINITION_SIZE;
        (is_small && !occurs(pool, variable, [value])).then_some((variable, value))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use regatta_term::{BitVecValue, Symbol, Value, evaluate};

    const BYTE: Sort = Sort::BitVec(8);

    fn variable(number: usize) -> TermId {
        store().variable(Symbol::new(["a", "b", "c"][number], BYTE))
    }

    fn holds(formula: TermId, values: [u8; 3]) -> bool {
        let names = ["a", "b", "c"].map(|name| Symbol::new(name, BYTE));
        let assignment = |symbol: Symbol, _: u32| {
            let number = names.iter().position(|&one| one == symbol)?;
            Some(Value::BitVec(BitVecValue::new(8, values[number].into())))
        };
        let value = evaluate(store(), formula, &assignment).expect("a value");
        value.as_bool().expect("a truth value")
    }

    /// The formula that the variables have these values.
    fn tuple(values: [u8; 3]) -> TermId {
        let parts = (0..3).map(|number| {
            let constant = store().bv(8, values[number].into());
            store().eq(variable(number), constant)
        });
        store().and(parts.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn cases_cover_exactly_the_formulas(
            tuples in prop::collection::vec(prop::array::uniform3(0_u8..6), 10..60),
            least in 0_u8..4,
            most in 1_usize..80,
            values in prop::array::uniform3(0_u8..6),
        ) {
            let known = store().ule(store().bv(8, least.into()), variable(0));
            let one_of = store().or(tuples.iter().map(|&one| tuple(one)).collect::<Vec<_>>());
            let cases = cases(&[known, one_of], most);
            prop_assert!(cases.len() <= most.max(1));
            let is_case = cases.iter().any(|case| case.iter().all(|&one| holds(one, values)));
            let expected = values[0] >= least && tuples.contains(&values);
            prop_assert_eq!(is_case, expected);
        }

        #[test]
        fn a_definition_is_equivalent(
            constant in any::<u8>(),
            is_difference in any::<bool>(),
            swapped in any::<bool>(),
            values in prop::array::uniform3(0_u8..6),
        ) {
            let other = match is_difference {
                true => store().sub(store().bv(8, 0), variable(1)),
                false => variable(1),
            };
            let sum = store().add(variable(0), other);
            let constant = store().bv(8, constant.into());
            let formula = match swapped {
                true => store().eq(constant, store().add(sum, variable(2))),
                false => store().eq(sum, store().add(variable(2), constant)),
            };
            // Some normal forms have no lone variable on either side.
            if let Some((variable, value)) = definition(formula) {
                let defined = store().eq(variable, value);
                prop_assert_eq!(holds(formula, values), holds(defined, values));
            }
        }
    }

    #[test]
    fn small_disjunctions_and_circular_definitions_are_left_alone() {
        let few = store().or([tuple([0, 0, 0]), tuple([1, 1, 1])]);
        assert_eq!(cases(&[few], MAXIMUM_CASES), [[few]]);
        // A variable is not defined by itself.
        let square = store().mul(variable(0), variable(0));
        assert_eq!(definition(store().eq(variable(0), square)), None);
        assert_eq!(definition(store().ule(variable(0), variable(1))), None);
    }
}

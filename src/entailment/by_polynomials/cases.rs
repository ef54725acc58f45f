//! Case distinction over the conditions in the two sides of a disequality.
//!
//! A decided condition may be a Boolean variable that is defined by an assertion; then the definition yields further literals.
//! The checker of proofs needs this: it states the facts that hold on a path as a part of the path's condition, which has a
//! name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Oracle;
use super::super::by_cases::{Literal, literals};
use super::Search;
use crate::limits::{MAXIMUM_CASE_NODES, MAXIMUM_CASES, MAXIMUM_PREMISE_LITERALS};
use regatta_term::{Arena, Build, Op, Pool, Rebuild, TermId, for_each_subterm};

/// A case: a decision of the conditions of `ite` terms.
pub(super) struct Case {
    /// The two sides of the disequality, simplified in this case.
    pub denial: [TermId; 2],
    /// The conditions, or their negations, that hold in this case.
    pub holds: Vec<TermId>,
    /// The indices of assertions by which further conditions hold.
    pub places: Vec<usize>,
    /// The literals that follow from the assertions and the conditions.
    pub literals: Vec<Literal>,
    /// The truth values of conditions and of their names in this case.
    truths: FxHashMap<TermId, TermId>,
}

impl Case {
    /// Returns a rebuilder that replaces conditions by their truth values.
    pub fn rebuild<'a>(
        &'a self,
        arena: &'a Arena,
    ) -> Rebuild<'a, Arena, Arena, impl FnMut(TermId) -> Option<TermId> + use<'a>> {
        let replace = |part| self.truths.get(&part).copied();
        Rebuild::new(arena, arena, replace)
    }

    /// Notes that the formula holds in this case.
    fn learn(&mut self, arena: &Arena, formula: TermId) {
        self.truths.insert(formula, TermId::TRUE);
        self.truths.insert(arena.not(formula), TermId::FALSE);
    }

    /// Simplifies a condition whose own truth value is known, by the other ones.
    fn part_of(&self, arena: &Arena, condition: TermId) -> TermId {
        let others = |part| match part == condition {
            true => None,
            false => self.truths.get(&part).copied(),
        };
        Rebuild::new(arena, arena, others).rebuild(condition)
    }

    /// Simplifies the term until a fixed point, because a simplified condition may have a known truth value in turn.
    fn left_of(&self, arena: &Arena, term: TermId) -> TermId {
        let left = self.rebuild(arena).rebuild(term);
        match left == term {
            true => left,
            false => self.left_of(arena, left),
        }
    }
}

impl<O: Oracle> Search<'_, '_, O> {
    /// Returns the cases of the conditions in the disequality that the assertions allow; `None` if there are too many.
    pub(super) fn cases(&mut self, denial: [TermId; 2]) -> Option<Vec<Case>> {
        let mut cases = Vec::new();
        self.split(denial, Vec::new(), &mut cases, &mut { MAXIMUM_CASE_NODES })?;
        Some(cases)
    }

    /// Collects the cases in which these conditions hold. A condition is decided as a whole, and conditions below it only in the
    /// branch where they still occur, so that a chain of `ite` has as many cases as leaves.
    fn split(
        &mut self,
        denial: [TermId; 2],
        holds: Vec<TermId>,
        cases: &mut Vec<Case>,
        visits: &mut usize,
    ) -> Option<()> {
        *visits = visits.checked_sub(1)?;
        let Some(case) = self.case(denial, holds) else {
            return Some(());
        };
        let arena = self.arena();
        let Some(condition) = first_condition(arena, case.denial) else {
            cases.push(case);
            return (cases.len() <= MAXIMUM_CASES).then_some(());
        };
        for condition in [condition, arena.not(condition)] {
            let holds = [&case.holds[..], &[condition]].concat();
            self.split(case.denial, holds, cases, visits)?;
        }
        Some(())
    }

    /// Returns the case of these conditions, with the literals and truth values that follow from the assertions. If conditions
    /// and assertions are contradictory, notes the assertions used and returns `None`.
    fn case(&mut self, denial: [TermId; 2], holds: Vec<TermId>) -> Option<Case> {
        let arena = self.arena();
        let first = self.assertions.len();
        let mut left = [self.assertions, &holds].concat();
        let mut known: FxHashSet<TermId> = FxHashSet::default();
        let mut case = Case {
            denial,
            holds: Vec::new(),
            places: Vec::new(),
            literals: Vec::new(),
            truths: FxHashMap::default(),
        };
        for &condition in &holds {
            case.learn(arena, condition);
        }
        case.holds = holds;
        loop {
            {
                let mut rebuild = case.rebuild(arena);
                for one in &mut left {
                    *one = match case.truths.contains_key(one) {
                        true => case.part_of(arena, *one),
                        false => rebuild.rebuild(*one),
                    };
                }
            }
            if let Some(place) = left.iter().position(|&one| one == TermId::FALSE) {
                self.used.extend(case.places);
                self.used.insert(place);
                return None;
            }
            let mut found = literals(arena, &left, MAXIMUM_PREMISE_LITERALS).unwrap_or_default();
            found.retain(|literal| known.insert(literal.formula));
            let before = case.truths.len();
            let mut more = Vec::new();
            for literal in &mut found {
                let formula = literal.formula;
                let name = arena.denied(formula).unwrap_or(formula);
                if arena.is_variable(name) || literal.places.iter().any(|&place| place >= first) {
                    case.learn(arena, formula);
                    more.extend_from_slice(&literal.places);
                }
                literal.places.extend_from_slice(&case.places);
            }
            case.places.extend(more);
            case.literals.append(&mut found);
            if case.truths.len() == before {
                case.denial = denial.map(|side| case.left_of(arena, side));
                return Some(case);
            }
        }
    }
}

/// Returns the condition of an outermost `ite` in the terms.
fn first_condition(arena: &Arena, terms: [TermId; 2]) -> Option<TermId> {
    let mut condition = None;
    // Subterms are visited before the terms that contain them, so the last is outermost.
    for_each_subterm(arena, terms, |term, _| {
        if let Some(choice) = arena.arguments(Op::Ite, term) {
            condition = Some(choice[0]);
        }
    });
    condition
}

//! The cases of the conditions on which the two sides depend that are said to differ.
//!
//! What a case says of names of conditions takes the assertions apart once more: the checker knows what holds on a way only as a
//! part of the condition of that way, which has a name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Oracle;
use super::super::by_cases::{Literal, literals};
use super::{MOST_LITERALS, Search};
use crate::term::{Arena, Build, Op, Pool, Rebuild, TermId, for_each_subterm};

/// The most cases, and visits to tell them apart.
const MOST_CASES: usize = 16;
const MOST_VISITS: usize = 4 * MOST_CASES;

/// A case of the conditions on which choices depend.
pub(super) struct Case {
    /// What is left of the two that are said to differ.
    pub denial: [TermId; 2],
    /// The conditions, or their negations, that hold.
    pub holds: Vec<TermId>,
    /// The assertions by which others hold.
    pub places: Vec<usize>,
    /// What the assertions and the conditions say.
    pub literals: Vec<Literal>,
    /// What follows for conditions and names of conditions.
    truths: FxHashMap<TermId, TermId>,
}

impl Case {
    /// Puts what is known of conditions in their places.
    pub fn rebuild<'a>(
        &'a self,
        arena: &'a Arena,
    ) -> Rebuild<'a, Arena, Arena, impl FnMut(TermId) -> Option<TermId> + use<'a>> {
        let replace = |part| self.truths.get(&part).copied();
        Rebuild::new(arena, arena, replace)
    }

    /// Notes that the formula holds.
    fn learn(&mut self, arena: &Arena, formula: TermId) {
        self.truths.insert(formula, TermId::TRUE);
        self.truths.insert(arena.not(formula), TermId::FALSE);
    }

    /// What is left of a condition that is known itself.
    fn part_of(&self, arena: &Arena, condition: TermId) -> TermId {
        let others = |part| match part == condition {
            true => None,
            false => self.truths.get(&part).copied(),
        };
        Rebuild::new(arena, arena, others).rebuild(condition)
    }

    /// What is left of the term; what conditions become may be known in turn.
    fn left_of(&self, arena: &Arena, term: TermId) -> TermId {
        let left = self.rebuild(arena).rebuild(term);
        match left == term {
            true => left,
            false => self.left_of(arena, left),
        }
    }
}

impl<O: Oracle> Search<'_, '_, O> {
    /// The cases of the conditions on which choices in the denial depend and which the assertions allow; `None` if there are
    /// too many.
    pub(super) fn cases(&mut self, denial: [TermId; 2]) -> Option<Vec<Case>> {
        let mut cases = Vec::new();
        self.tell_apart(denial, Vec::new(), &mut cases, &mut { MOST_VISITS })?;
        Some(cases)
    }

    /// Notes the cases in which these conditions hold. A condition is decided as a whole, and those behind it only where they
    /// still matter, so that a chain of choices has as many cases as ends.
    fn tell_apart(
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
            return (cases.len() <= MOST_CASES).then_some(());
        };
        for condition in [condition, arena.not(condition)] {
            let holds = [&case.holds[..], &[condition]].concat();
            self.tell_apart(case.denial, holds, cases, visits)?;
        }
        Some(())
    }

    /// What the assertions say where these conditions hold, with what follows for names of conditions; `None`, and notes the
    /// assertions, if they then exclude one another.
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
            let mut found = literals(arena, &left, MOST_LITERALS).unwrap_or_default();
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

/// The condition of a choice in the terms that is in no other choice's branch.
fn first_condition(arena: &Arena, terms: [TermId; 2]) -> Option<TermId> {
    let mut condition = None;
    // What a term is in comes after it.
    for_each_subterm(arena, terms, |term, _| {
        if let Some(choice) = arena.arguments(Op::Ite, term) {
            condition = Some(choice[0]);
        }
    });
    condition
}

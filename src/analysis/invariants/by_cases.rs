//! Goals that the constructors of terms decide, once the conditions in them are.
//!
//! A sum of which one part grows in each branch is the same sum in each: as long as the conditions are open, a solver
//! has to compare adders bit by bit; with each of them decided, the normal form of sums does.

use crate::term::{
    Arena, Build, Op, Pool, Rebuild, TermId, TermKind, for_each_subterm, free_variables,
};

/// The most conditions that are decided in all ways.
const MOST_CONDITIONS: usize = 5;

/// Whether the goal holds in all cases, given the assumptions that are equations with a variable on one side. `false`
/// says nothing.
pub(super) fn holds(arena: &Arena, assumptions: &[TermId], goal: TermId) -> bool {
    let TermKind::Apply { op: Op::Eq, .. } = arena.kind(goal) else {
        return false;
    };
    let conditions = conditions(arena, goal);
    if conditions.len() > MOST_CONDITIONS {
        return false;
    }
    let cases = 0..1u32 << conditions.len();
    let mut goals = cases.map(|case| {
        let decided = |term| {
            let number = conditions.iter().position(|&condition| condition == term)?;
            Some(arena.boolean(case >> number & 1 == 1))
        };
        Rebuild::new(arena, arena, decided).rebuild(goal)
    });
    let equations: Vec<(TermId, TermId)> = assumptions
        .iter()
        .filter_map(|&assumption| equation(arena, assumption))
        .collect();
    goals.all(|goal| follows(arena, &equations, goal))
}

/// Some of the assumptions, given by index, by which alone the goal holds in all cases, if it does by all of them.
pub(super) fn core(arena: &Arena, assumptions: &[TermId], goal: TermId) -> Option<Vec<usize>> {
    if !holds(arena, assumptions, goal) {
        return None;
    }
    let mut used: Vec<usize> = (0..assumptions.len()).collect();
    let mut next = 0;
    while next < used.len() {
        let left = [&used[..next], &used[next + 1..]].concat();
        let assumed: Vec<TermId> = left.iter().map(|&index| assumptions[index]).collect();
        if holds(arena, &assumed, goal) {
            used = left;
        } else {
            next += 1;
        }
    }
    Some(used)
}

/// Whether the goal becomes true when variables are replaced by what they equal, one equation after the other.
fn follows(arena: &Arena, equations: &[(TermId, TermId)], goal: TermId) -> bool {
    let mut goal = goal;
    for &(variable, value) in equations {
        if goal == TermId::TRUE {
            break;
        }
        let replace = |term| (term == variable).then_some(value);
        goal = Rebuild::new(arena, arena, replace).rebuild(goal);
    }
    goal == TermId::TRUE
}

/// A variable with what it equals, if the formula says so.
fn equation(arena: &Arena, formula: TermId) -> Option<(TermId, TermId)> {
    let TermKind::Apply {
        op: Op::Eq,
        arguments: &[a, b],
    } = arena.kind(formula)
    else {
        return None;
    };
    let solved = |variable: TermId, value: TermId| match arena.kind(variable) {
        TermKind::Variable { symbol, instance } => {
            let occurs = free_variables(arena, value).contains(&(symbol, instance));
            (!occurs).then_some((variable, value))
        }
        _ => None,
    };
    solved(a, b).or_else(|| solved(b, a))
}

/// The atoms of the conditions by which values are chosen in the term.
fn conditions(arena: &Arena, term: TermId) -> Vec<TermId> {
    let mut stack = Vec::new();
    for_each_subterm(arena, [term], |_, kind| {
        if let TermKind::Apply {
            op: Op::Ite,
            arguments,
        } = kind
        {
            stack.push(arguments[0]);
        }
    });
    let mut atoms = Vec::new();
    while let Some(top) = stack.pop() {
        match arena.kind(top) {
            TermKind::Apply {
                op: Op::And | Op::Or | Op::Not,
                arguments,
            } => stack.extend_from_slice(arguments),
            TermKind::Constant(_) => {}
            _ if atoms.contains(&top) => {}
            _ => atoms.push(top),
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, Symbol};

    #[test]
    fn one_of_two_counters_grows() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let (x, y, z) = (variable("x"), variable("y"), variable("z"));
        let which = arena.variable(Symbol::new("which", Sort::Bool));
        let one = arena.bv(32, 1);
        let grown = |counter, grows| arena.ite(grows, arena.add(counter, one), counter);
        let goal = |of_x: TermId, of_y: TermId| {
            let sum = arena.add(grown(x, of_x), grown(y, of_y));
            arena.eq(arena.add(z, one), sum)
        };
        let known = arena.eq(z, arena.add(x, y));
        assert!(holds(&arena, &[known], goal(which, arena.not(which))));
        assert!(!holds(&arena, &[], goal(which, arena.not(which))));
        assert!(!holds(&arena, &[known], goal(which, which)));
    }
}

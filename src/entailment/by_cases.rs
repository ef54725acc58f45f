//! Stage 2: goals that the simplifying constructors of terms decide once the conditions in the goal are decided.
//!
//! Example: a sum of which one addend grows in each branch is the same sum in all branches. With open conditions, a solver has
//! to compare adders bit by bit; with each condition decided, the normal form of sums shows the equality.

use rustc_hash::FxHashMap;

use crate::limits::{MAXIMUM_CONDITIONS, MAXIMUM_CONTRADICTION_LITERALS, MAXIMUM_EQUATIONS};
use regatta_term::{
    Arena, Build, Op, Pool, Rebuild, Sort, TermId, TermKind, atoms, conjuncts, for_each_subterm,
    solved,
};

/// Equations in triangular form: each is solved for a variable that does not occur in the later ones.
pub struct Equations<'a> {
    arena: &'a Arena,
    solved: Vec<(TermId, TermId)>,
}

impl<'a> Equations<'a> {
    /// Solves the equations among the formulas, up to a maximum number.
    pub fn new(arena: &'a Arena, formulas: &[TermId]) -> Self {
        let mut equations = Self {
            arena,
            solved: Vec::new(),
        };
        let all = formulas.iter().filter(|one| is_equation(arena, **one));
        for &formula in all.take(MAXIMUM_EQUATIONS) {
            let left = equations.reduced(formula);
            let sides = arena.arguments(Op::Eq, left);
            equations
                .solved
                .extend(sides.and_then(|sides| solved(arena, sides[0], sides[1])));
        }
        equations
    }

    /// Substitutes the solved variables in the formula, one equation after the other.
    pub fn reduced(&self, formula: TermId) -> TermId {
        let mut formula = formula;
        for &(variable, value) in &self.solved {
            if formula == TermId::TRUE {
                break;
            }
            let replace = |term| (term == variable).then_some(value);
            formula = Rebuild::new(self.arena, self.arena, replace).rebuild(formula);
        }
        formula
    }

    /// Checks whether the goal holds under every truth assignment of its conditions. `false` means unknown.
    pub fn imply(&self, goal: TermId) -> bool {
        let arena = self.arena;
        if !is_equation(arena, goal) {
            return goal == TermId::TRUE;
        }
        let conditions = conditions(arena, goal);
        if conditions.len() > MAXIMUM_CONDITIONS {
            return false;
        }
        let mut cases = 0..1u32 << conditions.len();
        let holds = |case: u32| {
            let decided = |term| {
                let number = conditions.iter().position(|&condition| condition == term)?;
                Some(arena.boolean(case >> number & 1 == 1))
            };
            let goal = Rebuild::new(arena, arena, decided).rebuild(goal);
            self.reduced(goal) == TermId::TRUE
        };
        cases.all(holds)
    }

    /// Like [`Self::imply`], with the substituted goal rewritten by `view`. `false` means unknown.
    pub(crate) fn imply_in_view(&self, goal: TermId, view: impl FnOnce(TermId) -> TermId) -> bool {
        let left = view(self.reduced(goal));
        left == TermId::TRUE
            || is_equation(self.arena, left) && Self::new(self.arena, &[]).imply(left)
    }
}

/// Checks whether the premises imply the goal in all cases. An equation is decided by the premises that are equations; `false` by
/// a premise that is the negation of an equation implied by the others. A result `false` means unknown.
fn decide(
    arena: &Arena,
    premises: &[TermId],
    goal: TermId,
    view: &mut dyn FnMut(TermId) -> TermId,
) -> bool {
    match goal {
        TermId::FALSE => exclude_one_another(arena, premises, view),
        goal if is_equation(arena, goal) => {
            let equations = Equations::new(arena, premises);
            equations.imply(goal) || equations.imply_in_view(goal, view)
        }
        goal => goal == TermId::TRUE,
    }
}

/// Checks whether the formula is an equation.
pub fn is_equation(arena: &Arena, formula: TermId) -> bool {
    arena.arguments(Op::Eq, formula).is_some()
}

/// Returns indices of premises that suffice to decide the goal in all cases; `None` if the premises do not decide it.
pub fn core(arena: &Arena, premises: &[TermId], goal: TermId) -> Option<Vec<usize>> {
    core_in_view(arena, premises, goal, |left| left)
}

/// Like [`core()`], also with the substituted goal rewritten by `view`.
pub(crate) fn core_in_view(
    arena: &Arena,
    premises: &[TermId],
    goal: TermId,
    mut view: impl FnMut(TermId) -> TermId,
) -> Option<Vec<usize>> {
    let mut decides = |premises: &[TermId]| decide(arena, premises, goal, &mut view);
    if !decides(premises) {
        return None;
    }
    let mut used: Vec<usize> = (0..premises.len()).collect();
    if goal == TermId::FALSE {
        // Callers with this goal do not need a smaller core.
        return Some(used);
    }
    used.retain(|&place| is_equation(arena, premises[place]));
    used.truncate(MAXIMUM_EQUATIONS);
    let mut next = 0;
    while next < used.len() {
        let left = [&used[..next], &used[next + 1..]].concat();
        let fewer: Vec<TermId> = left.iter().map(|&place| premises[place]).collect();
        if decides(&fewer) {
            used = left;
        } else {
            next += 1;
        }
    }
    Some(used)
}

/// A conjunct of the assertions.
pub struct Literal {
    pub formula: TermId,
    /// The indices of the assertions that imply it.
    pub places: Vec<usize>,
}

/// Splits the assertions into literals, taking apart conjunctions and negated disjunctions. A Boolean variable defined by an
/// equation is replaced by its definition where it holds. `None` if there are more than `most` literals.
pub fn literals(arena: &Arena, assertions: &[TermId], most: usize) -> Option<Vec<Literal>> {
    let mut definitions: FxHashMap<TermId, (TermId, Vec<usize>)> = FxHashMap::default();
    let mut all: Vec<Literal> = Vec::new();
    let mut work: Vec<(TermId, Vec<usize>)> = assertions
        .iter()
        .enumerate()
        .map(|(place, &assertion)| (assertion, vec![place]))
        .collect();
    while let Some((next, places)) = work.pop() {
        if all.len() > most {
            return None;
        }
        let parts = conjuncts(arena, next);
        match arena.kind(next) {
            _ if parts != [next] => {
                work.extend(parts.into_iter().map(|part| (part, places.clone())));
            }
            TermKind::Apply {
                op: Op::Eq,
                arguments: &[a, b],
            } if arena.sort(a) == Sort::Bool => {
                let named = [(a, b), (b, a)].into_iter();
                let named = named.filter(|(name, _)| arena.is_variable(*name));
                definitions.extend(named.map(|(name, of)| (name, (of, places.clone()))));
            }
            _ if !all.iter().any(|known| known.formula == next) => all.push(Literal {
                formula: next,
                places,
            }),
            _ => {}
        }
        if work.is_empty() {
            let named = |one: &Literal| {
                let (of, places) = definitions.remove(&one.formula)?;
                Some((of, [one.places.clone(), places].concat()))
            };
            let known = all.iter().filter_map(named);
            work.extend(known);
        }
    }
    Some(all)
}

/// Checks whether the assertions are unsatisfiable because one literal is the negation of an equation that the others imply in
/// all cases, as it is or rewritten by `view`. `false` means unknown.
fn exclude_one_another(
    arena: &Arena,
    assertions: &[TermId],
    view: &mut dyn FnMut(TermId) -> TermId,
) -> bool {
    let Some(literals) = literals(arena, assertions, MAXIMUM_CONTRADICTION_LITERALS) else {
        return false;
    };
    let all: Vec<TermId> = literals.into_iter().map(|one| one.formula).collect();
    let denied = all.iter().filter_map(|&denial| match arena.kind(denial) {
        TermKind::Apply {
            op: Op::Not,
            arguments: &[goal],
        } => is_equation(arena, goal).then_some(goal),
        _ => None,
    });
    let mut denied = denied.peekable();
    if denied.peek().is_none() {
        return false;
    }
    let equations = Equations::new(arena, &all);
    denied.any(|goal| equations.imply(goal) || equations.imply_in_view(goal, &mut *view))
}

/// Returns the atoms of the conditions of all `ite` in the term.
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
    atoms(arena, stack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::Symbol;

    fn holds(arena: &Arena, premises: &[TermId], goal: TermId) -> bool {
        core(arena, premises, goal).is_some()
    }

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

    #[test]
    fn each_case_counts() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let (x, y) = (variable("x"), variable("y"));
        let condition = |name: &str| arena.variable(Symbol::new(name, Sort::Bool));
        let chosen = |name| arena.ite(condition(name), arena.add(x, y), arena.bv(32, 3));
        let goal = arena.eq(arena.mul(x, chosen("a")), arena.mul(x, chosen("b")));
        assert!(!holds(&arena, &[], goal));
        // Not an equation; then too many conditions.
        assert!(!Equations::new(&arena, &[]).imply(arena.ult(x, y)));
        let sum = ["a", "b", "c", "d", "e", "f"].into_iter().map(chosen);
        let sum = sum.reduce(|sum, next| arena.add(sum, arena.mul(next, y)));
        assert!(!holds(&arena, &[], arena.eq(x, sum.expect("addends"))));
    }

    #[test]
    fn equations_are_solved_whatever_the_sign() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let twice = |term| arena.mul(term, arena.bv(32, 2));
        let all = ["a", "b", "c"].map(variable);
        for [x, y, z] in [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]]
            .map(|places| places.map(|place| all[place]))
        {
            // 2·y - x = 2·z
            let known = arena.eq(arena.sub(twice(y), x), twice(z));
            let goal = arena.eq(arena.add(x, twice(z)), twice(y));
            assert!(Equations::new(&arena, &[known]).imply(goal));
            let value = arena.sub(twice(y), twice(z));
            let equations = Equations::new(&arena, &[known]);
            assert_eq!(equations.reduced(x), value);
            // x + 2·y = 2·z
            let known = arena.eq(arena.add(x, twice(y)), twice(z));
            let value = arena.sub(twice(z), twice(y));
            assert_eq!(Equations::new(&arena, &[known]).reduced(x), value);
        }
    }

    #[test]
    fn what_is_denied_by_a_name() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let [a, b, c] = ["a", "b", "c"].map(variable);
        let name = arena.variable(Symbol::new("name", Sort::Bool));
        let [one, other] = [arena.eq(a, arena.add(b, c)), arena.eq(arena.sub(a, b), c)];
        let defined = arena.eq(name, arena.and2(one, arena.not(other)));
        let exclude = |all: &[TermId]| core(&arena, all, TermId::FALSE).is_some();
        assert!(exclude(&[defined, name]));
        assert!(!exclude(&[defined, arena.not(name)]));
        assert!(!exclude(&[arena.not(other)]));
    }

    #[test]
    fn equations_between_sums_are_solved_one_after_the_other() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(32)));
        let [a, b, c, d] = ["a", "b", "c", "d"].map(variable);
        let twice = |term| arena.mul(term, arena.bv(32, 2));
        let sum = |terms: &[TermId]| {
            terms
                .iter()
                .copied()
                .reduce(|a, b| arena.add(a, b))
                .unwrap()
        };
        // a + b = 2·c and b - c = d
        let first = arena.eq(sum(&[a, b]), twice(c));
        let second = arena.eq(arena.sub(b, c), d);
        let goal = arena.eq(sum(&[a, b, b]), sum(&[twice(c), c, d]));
        assert!(holds(&arena, &[first, second], goal));
        assert!(holds(&arena, &[second, first], goal));
        assert!(!holds(&arena, &[first], goal));
        // 2·a = 2·b does not imply a = b.
        assert!(!holds(
            &arena,
            &[arena.eq(twice(a), twice(b))],
            arena.eq(a, b)
        ));
    }
}

//! Has Z3 confirm what the stages find, on random formulas that are often implied.

use std::rc::Rc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::solver::z3::text::{TextAnswer, TextSolver};
use crate::term::random::seeds;
use crate::term::{ScalarSort, Sort, Symbol, smtlib_script};

const WIDTH: u8 = 6;
const QUERY_TIME_LIMIT: Duration = Duration::from_secs(20);

/// Z3 as the oracle of the stages and as the judge of their results.
#[derive(Default)]
struct Z3(TextSolver, Option<Rc<Arena>>);

impl Z3 {
    fn excludes(&mut self, arena: &Arena, assertions: &[TermId]) -> bool {
        let script = smtlib_script(arena, assertions);
        self.0.check(&script, &[], QUERY_TIME_LIMIT) == TextAnswer::Unsatisfiable
    }
}

impl Oracle for Z3 {
    type Stop = std::convert::Infallible;

    fn unsatisfiable_core(
        &mut self,
        assertions: &[TermId],
        _: Stage,
    ) -> Result<Option<Core>, Self::Stop> {
        let arena = self.1.clone().expect("an arena");
        let excluded = self.excludes(&arena, assertions);
        Ok(excluded.then(|| (0..assertions.len()).collect()))
    }
}

struct Formulas<'a> {
    arena: &'a Arena,
    random: Xoshiro256PlusPlus,
}

impl Formulas<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    fn variable(&mut self) -> TermId {
        let name = ["a", "b", "c", "d"][self.below(4)];
        self.arena.variable(Symbol::new(name, Sort::BitVec(WIDTH)))
    }

    fn condition(&mut self) -> TermId {
        let arena = self.arena;
        let [p, q] = ["p", "q"].map(|name| arena.variable(Symbol::new(name, Sort::Bool)));
        match self.below(12) {
            0..4 => p,
            4..8 => q,
            8 => arena.eq(p, q),
            9 => arena.and2(p, q),
            10 => arena.or2(p, arena.not(q)),
            _ => arena.ult(self.variable(), self.variable()),
        }
    }

    fn addend(&mut self) -> TermId {
        let arena = self.arena;
        match self.below(8) {
            0 => arena.bv(WIDTH, self.random.random_range(0..64)),
            1 => arena.mul(arena.bv(WIDTH, 3), self.variable()),
            2 => match self.below(3) {
                0 => {
                    let one = arena.bv(WIDTH, 1);
                    let exponent = self.variable();
                    let exponent =
                        arena.sub(exponent, arena.bv(WIDTH, self.random.random_range(0..2)));
                    arena.shl(one, exponent)
                }
                _ => arena.mul(self.variable(), self.variable()),
            },
            3 => match self.below(4) {
                0 => arena.udiv(self.variable(), self.variable()),
                1 => arena.urem(self.variable(), self.variable()),
                2 => arena.udiv(self.variable(), arena.bv(WIDTH, 2)),
                _ => arena.sdiv(self.variable(), arena.bv(WIDTH, 4)),
            },
            4 => {
                let condition = self.condition();
                arena.ite(condition, self.variable(), self.variable())
            }
            _ => self.variable(),
        }
    }

    fn sum(&mut self) -> TermId {
        let first = self.addend();
        (0..self.below(3)).fold(first, |sum, _| match self.below(2) {
            0 => self.arena.add(sum, self.addend()),
            _ => self.arena.sub(sum, self.addend()),
        })
    }

    /// Returns an equation that the others often imply.
    fn goal(&mut self, equations: &[(TermId, TermId)]) -> TermId {
        let arena = self.arena;
        let (mut left, mut right) = equations[self.below(equations.len())];
        for _ in 0..self.below(3) {
            let (other, same) = equations[self.below(equations.len())];
            match self.below(4) {
                0 => (left, right) = (arena.add(left, other), arena.add(right, same)),
                1 => (left, right) = (arena.sub(left, same), arena.sub(right, other)),
                2 => {
                    let factor = self.addend();
                    (left, right) = (arena.mul(left, factor), arena.mul(factor, right));
                }
                _ => {
                    let (condition, grown) = (self.condition(), self.addend());
                    let chosen = |side| arena.ite(condition, arena.add(side, grown), side);
                    (left, right) = (chosen(left), chosen(right));
                }
            }
        }
        if self.below(3) == 0 {
            right = arena.add(right, self.addend());
        }
        arena.eq(left, right)
    }
}

/// Returns random premises and a goal.
fn question(arena: &Arena, seed: u64) -> (Vec<TermId>, TermId) {
    let random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut formulas = Formulas { arena, random };
    let count = 1 + formulas.below(3);
    let equations: Vec<(TermId, TermId)> = (0..count)
        .map(|_| match formulas.below(2) {
            0 => (formulas.variable(), formulas.sum()),
            _ => (formulas.sum(), formulas.sum()),
        })
        .collect();
    let mut premises: Vec<TermId> = Vec::new();
    for &(a, b) in &equations {
        let equation = arena.eq(a, b);
        if formulas.below(4) > 0 {
            premises.push(equation);
            continue;
        }
        // An equation under a condition, which is mostly a premise as well.
        let condition = formulas.condition();
        premises.push(arena.implies(condition, equation));
        if formulas.below(4) > 0 {
            premises.push(condition);
        }
    }
    if formulas.below(3) == 0 {
        let power = formulas.variable();
        let before = arena.sub(power, arena.bv(WIDTH, 1));
        let none = arena.bv(WIDTH, 0);
        premises.push(arena.eq(arena.bvand(power, before), none));
    }
    let goal = formulas.goal(&equations);
    if formulas.below(3) > 0 {
        return (premises, goal);
    }
    // The same query in the form in which the checker poses it.
    let name = arena.variable(Symbol::new("name", Sort::Bool));
    premises.push(arena.eq(name, arena.not(goal)));
    premises.push(name);
    (premises, TermId::FALSE)
}

#[test]
fn what_is_found_holds() {
    let mut z3 = Z3::default();
    let (mut early, mut late, mut multiplied) = (0, 0, 0);
    for seed in 0..seeds(400) {
        let arena = Rc::new(Arena::new());
        z3.1 = Some(Rc::clone(&arena));
        let (formulas, goal) = question(&arena, seed);
        let premises = Premises::new(&arena, &formulas);
        let denied = arena.not(goal);
        let confirm = |z3: &mut Z3, core: &[usize], who: &str| {
            let mut assertions: Vec<TermId> = core.iter().map(|&place| formulas[place]).collect();
            assertions.push(denied);
            assert!(z3.excludes(&arena, &assertions), "{who}, seed {seed}");
        };
        if premises.imply(goal) {
            let all: Vec<usize> = (0..formulas.len()).collect();
            confirm(&mut z3, &all, "without a core");
            assert!(premises.without_solver(goal).is_some(), "seed {seed}");
        }
        if let Some(core) = premises.without_solver(goal) {
            confirm(&mut z3, &core, "without a solver");
            early += 1;
        }
        let Ok(by_powers) = premises.by_powers(goal, &mut z3);
        if let Some(core) = by_powers {
            confirm(&mut z3, &core, "by powers");
        }
        let Ok(by_remainders) = premises.by_remainders(goal, &mut z3);
        if let Some(core) = by_remainders {
            confirm(&mut z3, &core, "by remainders");
        }
        let Ok(by_polynomials) = premises.by_polynomials(goal, &mut z3);
        if let Some(core) = by_polynomials {
            confirm(&mut z3, &core, "by polynomials");
            multiplied += 1;
        }
        let Ok(found) = premises.before_last_stage(goal, &mut z3);
        if let Some(core) = found {
            confirm(&mut z3, &core, "before the last stage");
            late += 1;
        }
    }
    assert!(early > 100 && late > early, "{early} and {late}");
    assert!(multiplied > early, "{multiplied}, {early} without a solver");
}

#[test]
fn cases_are_told_apart_by_names_and_whole_conditions() {
    let arena = Rc::new(Arena::new());
    let number = |name| arena.variable(Symbol::new(name, Sort::BitVec(WIDTH)));
    let [x, y, z, w] = ["x", "y", "z", "w"].map(number);
    let [name, p, q] = ["name", "p", "q"].map(|name| arena.variable(Symbol::new(name, Sort::Bool)));
    let product = arena.mul(x, y);
    // The checker names the conditions of paths, and states the facts of a path as a part of its condition.
    let way = arena.eq(name, arena.and2(p, arena.eq(product, z)));
    let is_found = |formulas: &[TermId], goal| {
        let premises = Premises::new(&arena, formulas);
        premises.by_multiplying_out(goal).is_some()
    };
    let squared = |one| arena.mul(one, w);
    let chosen = |condition| arena.eq(squared(arena.ite(condition, product, z)), squared(z));
    assert!(is_found(&[way], chosen(name)));
    assert!(!is_found(&[way], chosen(p)));
    assert!(!is_found(&[way], chosen(arena.or2(name, q))));
    // One of two paths was taken, and it is not the other one.
    let either = arena.or2(name, arena.and2(q, arena.not(p)));
    assert!(is_found(&[way, either], chosen(p)));
    assert!(!is_found(&[way, arena.or2(name, q)], chosen(p)));
    // A chain of `ite` by conditions with common parts; then a condition that cannot be split into literals.
    let (small, large) = (arena.ult(x, y), arena.ule(y, x));
    let chain = |last| {
        let rest = arena.ite(arena.and2(large, q), arena.mul(w, z), last);
        arena.ite(small, arena.mul(z, w), rest)
    };
    let times = |last| arena.eq(arena.mul(chain(last), x), arena.mul(squared(z), x));
    let equal = arena.sub(arena.mul(w, arena.add(z, x)), arena.mul(w, x));
    assert!(is_found(&[], times(equal)));
    assert!(is_found(&[q], times(product)));
    assert!(!is_found(&[], times(product)));
    let same = arena.ite(arena.eq(p, q), arena.mul(w, z), product);
    assert!(!is_found(&[], arena.eq(same, squared(z))));
}

#[test]
fn reads_may_meet_writes() {
    let arena = Rc::new(Arena::new());
    let number = |name| arena.variable(Symbol::new(name, Sort::BitVec(WIDTH)));
    let (index, element) = (ScalarSort::BitVec(WIDTH), ScalarSort::BitVec(WIDTH));
    let cells = arena.variable(Symbol::new("cells", Sort::Array { index, element }));
    let [i, k] = ["i", "k"].map(number);
    let square = |one| arena.mul(one, one);
    let behind = |value| {
        let read = arena.select(arena.store(cells, i, value), k);
        arena.eq(read, square(k))
    };
    let formulas = [arena.eq(arena.select(cells, k), square(k))];
    let premises = Premises::new(&arena, &formulas);
    let mut z3 = Z3(TextSolver::default(), Some(Rc::clone(&arena)));
    let mut is_found = |goal| {
        let Ok(core) = premises.by_polynomials(goal, &mut z3);
        core.is_some()
    };
    assert!(is_found(behind(square(i))));
    assert!(!is_found(behind(number("other"))));
    // Disjuncts are examined as well.
    let range = arena.ult(number("n"), k);
    assert!(is_found(arena.or2(range, behind(square(i)))));
    assert!(!is_found(arena.or2(range, behind(number("other")))));
}

#[test]
fn an_index_may_be_cut_off() {
    let arena = Rc::new(Arena::new());
    let number = |name| arena.variable(Symbol::new(name, Sort::BitVec(WIDTH)));
    let (index, element) = (ScalarSort::BitVec(4), ScalarSort::BitVec(WIDTH));
    let cells = arena.variable(Symbol::new("cells", Sort::Array { index, element }));
    let [i, one] = [number("i"), arena.bv(WIDTH, 1)];
    let square = |one| arena.mul(one, one);
    // The previous cell, addressed by the low bits of its index.
    let before = arena.sub(arena.extract(i, 3, 0), arena.bv(4, 1));
    let cell = arena.select(cells, before);
    let known = arena.eq(cell, square(arena.zero_extend(before, WIDTH)));
    let goal = arena.eq(cell, square(arena.sub(i, one)));
    let ranges = [arena.ule(one, i), arena.ult(i, arena.bv(WIDTH, 16))];
    let is_found = |formulas: &[TermId]| {
        let mut z3 = Z3(TextSolver::default(), Some(Rc::clone(&arena)));
        let Ok(core) = Premises::new(&arena, formulas).by_polynomials(goal, &mut z3);
        core.is_some()
    };
    assert!(is_found(&[known, ranges[0], ranges[1]]));
    assert!(!is_found(&[known, ranges[0]]));
    assert!(!is_found(&[known, ranges[1]]));
}

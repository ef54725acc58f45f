//! Random sequences in the form of program paths, for tests.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use regatta_term::{Arena, Build, Pool, ScalarSort, Sort, Symbol, TermId};

/// A class of sequences.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Class {
    Integers,
    BitVectors,
    Arrays,
    Branching,
}

impl Class {
    pub const ALL: [Self; 4] = [
        Self::Integers,
        Self::BitVectors,
        Self::Arrays,
        Self::Branching,
    ];
}

/// An owned [`Sequence`](crate::interpolation::Sequence).
#[derive(Clone, Debug)]
pub struct Owned {
    pub formulas: Vec<TermId>,
    pub cuts: Vec<Vec<TermId>>,
}

const VARIABLES: usize = 3;
const INDEX: ScalarSort = ScalarSort::BitVec(16);

pub struct RandomSequences<'a> {
    arena: &'a Arena,
    class: Class,
    random: Xoshiro256PlusPlus,
}

impl<'a> RandomSequences<'a> {
    pub fn new(arena: &'a Arena, class: Class, seed: u64) -> Self {
        Self {
            arena,
            class,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn sort(&self) -> Sort {
        match self.class {
            Class::Integers => Sort::Int,
            _ => INDEX.into(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    fn number(&mut self) -> TermId {
        let value = self.below(6) as i64 - 1;
        match self.sort() {
            Sort::Int => self.arena.int(value),
            _ => self.arena.bv_signed(16, value.into()),
        }
    }

    fn scalar(&self, number: usize, step: u32) -> TermId {
        let names = ["sequence::x", "sequence::y", "sequence::z"];
        self.arena
            .variable_at(Symbol::new(names[number], self.sort()), step)
    }

    fn array(&self, step: u32) -> TermId {
        let sort = Sort::Array {
            index: INDEX,
            element: INDEX,
        };
        self.arena
            .variable_at(Symbol::new("sequence::a", sort), step)
    }

    fn any(&mut self, step: u32) -> TermId {
        let number = self.below(VARIABLES);
        self.scalar(number, step)
    }

    fn add(&self, a: TermId, b: TermId) -> TermId {
        match self.sort() {
            Sort::Int => self.arena.int_add(a, b),
            _ => self.arena.add(a, b),
        }
    }

    /// A random expression over the state at the step.
    fn value(&mut self, step: u32) -> TermId {
        match self.below(7) {
            0 => self.number(),
            1 => self.any(step),
            2 => {
                let input = Symbol::new("sequence::input", self.sort());
                self.arena.variable_at(input, step + 1)
            }
            3 if self.class == Class::Arrays => {
                let index = self.any(step);
                self.arena.select(self.array(step), index)
            }
            3 | 4 => {
                let (a, b) = (self.any(step), self.any(step));
                self.add(a, b)
            }
            _ => {
                let (a, b) = (self.any(step), self.number());
                self.add(a, b)
            }
        }
    }

    fn condition(&mut self, step: u32) -> TermId {
        let (a, b) = (self.any(step), self.any(step));
        let b = if self.below(2) == 0 { b } else { self.number() };
        let t = self.arena;
        let atom = match (self.below(3), self.sort()) {
            (0, _) => t.eq(a, b),
            (1, Sort::Int) => t.int_lt(a, b),
            (_, Sort::Int) => t.int_le(b, a),
            (1, _) => t.slt(a, b),
            _ => t.ult(a, b),
        };
        if self.below(2) == 0 {
            atom
        } else {
            t.not(atom)
        }
    }

    /// A transition to the given step.
    fn step(&mut self, step: u32) -> TermId {
        let t = self.arena;
        let mut conjuncts = Vec::new();
        for number in 0..VARIABLES {
            let next = self.scalar(number, step);
            if self.below(2) == 0 {
                conjuncts.push(t.eq(next, self.scalar(number, step - 1)));
                continue;
            }
            let value = self.value(step - 1);
            if self.class != Class::Branching {
                conjuncts.push(t.eq(next, value));
                continue;
            }
            let (condition, other) = (self.condition(step - 1), self.value(step - 1));
            conjuncts.push(if self.below(2) == 0 {
                t.eq(next, t.ite(condition, value, other))
            } else {
                let then = t.and2(condition, t.eq(next, value));
                let otherwise = t.and2(t.not(condition), t.eq(next, other));
                t.or2(then, otherwise)
            });
        }
        if self.class == Class::Arrays {
            let mut array = self.array(step - 1);
            for _ in 0..self.below(3) {
                let (index, element) = (self.any(step - 1), self.value(step - 1));
                array = t.store(array, index, element);
            }
            conjuncts.push(t.eq(self.array(step), array));
        }
        if self.below(3) == 0 {
            conjuncts.push(self.condition(step - 1));
        }
        t.and(conjuncts)
    }

    /// An initial condition, some transitions, and a condition that does not hold at the end, if one is found.
    pub fn sequence(
        &mut self,
        mut is_unsatisfiable: impl FnMut(&[TermId]) -> bool,
    ) -> Option<Owned> {
        let t = self.arena;
        let steps = 2 + self.below(4) as u32;
        let start: Vec<_> = (0..VARIABLES)
            .map(|number| {
                let value = self.number();
                t.eq(self.scalar(number, 1), value)
            })
            .collect();
        let mut formulas = vec![t.and(start)];
        for step in 2..=steps {
            formulas.push(self.step(step));
        }
        let cuts = (1..=steps).map(|step| {
            let scalars = (0..VARIABLES).map(|number| self.scalar(number, step));
            let array = (self.class == Class::Arrays).then(|| self.array(step));
            scalars.chain(array).collect()
        });
        let cuts = cuts.collect();
        formulas.push(TermId::TRUE);
        for _ in 0..20 {
            let last = formulas.len() - 1;
            formulas[last] = if self.class == Class::Arrays && self.below(2) == 0 {
                let (index, value) = (self.any(steps), self.any(steps));
                t.eq(t.select(self.array(steps), index), value)
            } else {
                t.and2(self.condition(steps), self.condition(steps))
            };
            if self.below(2) == 0 {
                formulas[last] = t.not(formulas[last]);
            }
            if t.constant(formulas[last]).is_none() && is_unsatisfiable(&formulas) {
                return Some(Owned { formulas, cuts });
            }
        }
        None
    }
}

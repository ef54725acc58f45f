//! Abstract states and lifted concrete states.

use super::system::PlaceId;
use crate::program::VariableId;
use crate::term::{Build, Symbol, TermId, Value};

/// The number of a predicate in the [`super::domain::Domain`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

/// A predicate or its negation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    pub predicate: PredicateId,
    /// The polarity.
    pub is_true: bool,
}

/// A set of abstract states: a place and a conjunction of literals. Its negation is a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cube {
    /// The value of the program counter.
    pub at: PlaceId,
    /// The literals, sorted.
    literals: Vec<Literal>,
}

impl Cube {
    pub fn new(at: PlaceId, mut literals: Vec<Literal>) -> Self {
        literals.sort_unstable();
        literals.dedup();
        Self { at, literals }
    }

    /// Returns the literals, sorted.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    pub fn contains(&self, literal: Literal) -> bool {
        self.literals.binary_search(&literal).is_ok()
    }

    /// Returns the cube of the literals that `keep` accepts.
    pub fn filtered(&self, keep: impl Fn(Literal) -> bool) -> Self {
        let literals = self.literals.iter().copied();
        Self {
            at: self.at,
            literals: literals.filter(|&literal| keep(literal)).collect(),
        }
    }

    pub fn without(&self, literal: Literal) -> Self {
        self.filtered(|other| other != literal)
    }

    /// Returns the cube with `literal` replaced by `other`.
    pub fn with_instead(&self, literal: Literal, other: Literal) -> Self {
        let mut literals = self.without(literal).literals;
        literals.push(other);
        Self::new(self.at, literals)
    }

    /// Checks whether the literals are a subset of the other cube's literals, so that the other's states are included.
    pub fn subsumes(&self, other: &Self) -> bool {
        self.at == other.at
            && self.literals.len() <= other.literals.len()
            && self.literals.iter().all(|&literal| other.contains(literal))
    }
}

/// A part of a state: a variable, or one cell of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub variable: VariableId,
    pub symbol: Symbol,
    /// The index of the cell of an array; `None` stands for the whole variable.
    pub index: Option<Value>,
}

impl Cell {
    /// Returns the cell as a term, in a state where the variable has the given term as its value.
    pub fn of(&self, pool: &impl Build, variable: TermId) -> TermId {
        match &self.index {
            None => variable,
            Some(index) => pool.select(variable, pool.value(index)),
        }
    }

    /// Returns the cell as a term over state variables.
    pub fn term(&self, pool: &impl Build) -> TermId {
        self.of(pool, pool.variable(self.symbol))
    }
}

/// A lifted concrete state: the set of states with the given contents of some cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The value of the program counter.
    pub at: PlaceId,
    /// The cells, sorted, with their contents.
    pub cells: Vec<(Cell, Value)>,
}

impl State {
    /// Returns the formula of the set.
    pub fn formula(&self, pool: &impl Build) -> TermId {
        let cells = self.cells.iter();
        let equations = cells.map(|(cell, value)| pool.eq(cell.term(pool), pool.value(value)));
        pool.and(equations.collect::<Vec<_>>())
    }
}

//! Abstract states and lifted concrete states.

use super::system::PlaceId;
use crate::program::VariableId;
use crate::term::{Build, Symbol, TermId, Value};

/// A predicate's number in the [`super::domain::Domain`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

/// A predicate or its negation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    pub predicate: PredicateId,
    /// Whether it holds.
    pub is_true: bool,
}

/// An abstract state, or a set of them: a place and literals that all hold. Its negation is a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cube {
    /// The value of the program counter.
    pub at: PlaceId,
    /// In order.
    literals: Vec<Literal>,
}

impl Cube {
    /// The cube of the literals.
    pub fn new(at: PlaceId, mut literals: Vec<Literal>) -> Self {
        literals.sort_unstable();
        literals.dedup();
        Self { at, literals }
    }

    /// Its literals, in order.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Whether the literal is one of its.
    pub fn contains(&self, literal: Literal) -> bool {
        self.literals.binary_search(&literal).is_ok()
    }

    /// The cube of those literals that are kept.
    pub fn filtered(&self, keep: impl Fn(Literal) -> bool) -> Self {
        let literals = self.literals.iter().copied();
        Self {
            at: self.at,
            literals: literals.filter(|&literal| keep(literal)).collect(),
        }
    }

    /// The cube without a literal.
    pub fn without(&self, literal: Literal) -> Self {
        self.filtered(|other| other != literal)
    }

    /// The cube with another literal in the place of one.
    pub fn with_instead(&self, literal: Literal, other: Literal) -> Self {
        let mut literals = self.without(literal).literals;
        literals.push(other);
        Self::new(self.at, literals)
    }

    /// Whether the other has all its literals: then it has all the other's states.
    pub fn subsumes(&self, other: &Self) -> bool {
        self.at == other.at
            && self.literals.len() <= other.literals.len()
            && self.literals.iter().all(|&literal| other.contains(literal))
    }
}

/// What a state says something of: a scalar variable, or a cell of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub variable: VariableId,
    pub symbol: Symbol,
    /// The index, if it is an array of which one cell is meant.
    pub index: Option<Value>,
}

impl Cell {
    /// The cell as a term, in a state where the variable is the given term.
    pub fn of(&self, pool: &impl Build, variable: TermId) -> TermId {
        match &self.index {
            None => variable,
            Some(index) => pool.select(variable, pool.value(index)),
        }
    }

    /// The cell as a term over state variables.
    pub fn term(&self, pool: &impl Build) -> TermId {
        self.of(pool, pool.variable(self.symbol))
    }
}

/// A concrete state, lifted: what some cells contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The value of the program counter.
    pub at: PlaceId,
    /// The cells, in order, with their contents.
    pub cells: Vec<(Cell, Value)>,
}

impl State {
    /// The set as a formula.
    pub fn formula(&self, pool: &impl Build) -> TermId {
        let cells = self.cells.iter();
        let equations = cells.map(|(cell, value)| pool.eq(cell.term(pool), pool.value(value)));
        pool.and(equations.collect::<Vec<_>>())
    }
}

//! The blocks from a location as one program of words, executed on one tuple after the other.

use super::super::features::{Feature, Kind};
use super::super::tuples::Tuples;
use super::words::{Place, Values, Words};
use crate::program::block::Block;
use crate::term::{Pool, TermId};

/// The result of a block on the states with a tuple.
pub enum Run {
    /// The block is infeasible, or leads to known tuples.
    NothingNew,
    /// The block leads to this tuple only.
    To(Vec<i128>),
    /// The words do not decide it.
    Undecided,
}

/// The constraint that a feature's value puts on a state.
#[derive(Copy, Clone, Debug)]
enum Constraint {
    /// The value of the variable.
    Equals(Place),
    /// The difference of two variables.
    Difference { of: Place, from: Place },
    /// The value of the variable, unless it is `other`; else the value of the term.
    EqualsUnless { of: Place, other: i128, term: Place },
    /// The value of the term.
    Holds(Place),
}

/// A block as nodes of the program.
#[derive(Debug)]
struct Compiled {
    guard: Place,
    /// The features at the block's end.
    after: Vec<Place>,
}

/// The states with the tuple that are tried: all of them, those whose other variables are all 0, and those with all 1.
/// Often a block that is feasible in some state is so in one of these.
const OTHER_VARIABLES: [Option<u64>; 3] = [None, Some(0), Some(1)];

/// The blocks from a location, and the values that are known in the states with a tuple.
#[derive(Debug)]
pub struct Machine {
    words: Words,
    constraints: Vec<Constraint>,
    blocks: Vec<Option<Compiled>>,
    tuple: Vec<i128>,
    states: [Values; OTHER_VARIABLES.len()],
    /// For each, whether it is a state with the tuple, once known.
    is_of_tuple: [Option<bool>; OTHER_VARIABLES.len()],
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            words: Words::default(),
            constraints: Vec::new(),
            blocks: Vec::new(),
            tuple: Vec::new(),
            states: OTHER_VARIABLES.map(Values::new),
            is_of_tuple: [None; OTHER_VARIABLES.len()],
        }
    }
}

impl Machine {
    /// Begins with the states with the tuple. Features may have been dropped since the last call, never added.
    pub fn begin(&mut self, pool: &impl Pool, features: &[Feature], tuple: Vec<i128>) {
        if self.constraints.len() != features.len() {
            let words = &mut self.words;
            let mut place = |term| words.place(pool, term);
            let constraints = features.iter().map(|feature| match feature.kind {
                Kind::Variable => Constraint::Equals(place(feature.term)),
                Kind::Difference { of, from } => Constraint::Difference {
                    of: place(of),
                    from: place(from),
                },
                Kind::Choice { of, other } => Constraint::EqualsUnless {
                    of: place(of),
                    other,
                    term: place(feature.term),
                },
                Kind::Condition => Constraint::Holds(place(feature.term)),
            });
            self.constraints = constraints.collect();
        }
        self.tuple = tuple;
        self.is_of_tuple = [None; OTHER_VARIABLES.len()];
    }

    /// The tuple whose states are executed.
    pub fn tuple(&self) -> &[i128] {
        &self.tuple
    }

    /// Checks whether the states of this number satisfy the whole tuple, as far as words decide.
    fn is_state(&mut self, number: usize) -> bool {
        if let Some(known) = self.is_of_tuple[number] {
            return known;
        }
        let (words, state) = (&self.words, &mut self.states[number]);
        state.begin();
        for (constraint, &value) in self.constraints.iter().zip(&self.tuple) {
            match *constraint {
                Constraint::Equals(variable) => words.set(state, variable, value),
                Constraint::EqualsUnless { of, other, .. } if value != other => {
                    words.set(state, of, value)
                }
                Constraint::Difference { of, from } => words.set_difference(state, of, from, value),
                Constraint::EqualsUnless { .. } | Constraint::Holds(_) => {}
            }
        }
        let holds =
            self.constraints.iter().zip(&self.tuple).all(
                |(constraint, &value)| match *constraint {
                    Constraint::EqualsUnless { other, term, .. } if value == other => {
                        words.number(state, term) == Some(value)
                    }
                    Constraint::Holds(term) => words.number(state, term) == Some(value),
                    _ => true,
                },
            );
        self.is_of_tuple[number] = Some(holds);
        holds
    }

    /// Checks whether the block is infeasible in all states, as far as words decide.
    pub fn excludes(&mut self, pool: &impl Pool, block: &Block) -> bool {
        self.is_state(0);
        let guard = self.words.place(pool, block.guard);
        self.words.number(&mut self.states[0], guard) == Some(0)
    }

    /// Executes the block of the number, at whose end the features are these terms and these tuples are known.
    pub fn run(
        &mut self,
        pool: &impl Pool,
        (number, block): (usize, &Block),
        after: &[TermId],
        known: &Tuples,
    ) -> Run {
        if self.blocks.len() <= number {
            self.blocks.resize_with(number + 1, || None);
        }
        let compiled = self.blocks[number].take();
        let compiled = compiled.filter(|one| one.after.len() == after.len());
        let compiled = compiled.unwrap_or_else(|| Compiled {
            guard: self.words.place(pool, block.guard),
            after: after
                .iter()
                .map(|&term| self.words.place(pool, term))
                .collect(),
        });
        let run = self.run_compiled(&compiled, known);
        self.blocks[number] = Some(compiled);
        run
    }

    fn run_compiled(&mut self, block: &Compiled, known: &Tuples) -> Run {
        let is_any = self.is_state(0);
        let any = &mut self.states[0];
        let guard = self.words.number(any, block.guard);
        if guard == Some(0) {
            return Run::NothingNew;
        }
        let after = block.after.iter();
        let after = after.map(|&term| self.words.number(any, term));
        let Some(tuple) = after.collect::<Option<Vec<i128>>>() else {
            return Run::Undecided;
        };
        if known.contains(&tuple) {
            return Run::NothingNew;
        }
        // The tuple counts only if there is a state in which the block is feasible.
        let is_run = is_any && guard == Some(1)
            || (1..OTHER_VARIABLES.len()).any(|number| {
                self.is_state(number)
                    && self.words.number(&mut self.states[number], block.guard) == Some(1)
            });
        match is_run {
            true => Run::To(tuple),
            false => Run::Undecided,
        }
    }
}

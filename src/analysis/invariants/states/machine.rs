//! The blocks from a place as one program of words, run on one tuple after the other.

use super::super::features::{Feature, Kind};
use super::super::tuples::Tuples;
use super::words::{Place, Values, Words};
use crate::program::block::Block;
use crate::term::{Pool, TermId};

/// What becomes of the states with a tuple in a block.
pub enum Run {
    /// The block is not run, or leads to what is known.
    NothingNew,
    /// It leads here, and nowhere else.
    To(Vec<i128>),
    /// The words do not tell.
    Unclear,
}

/// What a feature says of the states with a tuple.
#[derive(Copy, Clone, Debug)]
enum Says {
    /// What the variable is.
    Is(Place),
    /// What the one is more than the other.
    Beyond { of: Place, from: Place },
    /// What the variable is, if that is not the number; what the term is otherwise.
    IsUnless { of: Place, other: i128, term: Place },
    /// What the term is.
    Holds(Place),
}

/// A block as places in the program.
#[derive(Debug)]
struct Compiled {
    guard: Place,
    /// What the features at its end are.
    after: Vec<Place>,
}

/// States with the tuple: all of them, and those whose other variables are all 0, or all 1. Often a block is run in one of
/// these if it is run in any.
const OTHERS: [Option<u64>; 3] = [None, Some(0), Some(1)];

/// The blocks from a place, and what is known in the states with a tuple.
#[derive(Debug)]
pub struct Machine {
    words: Words,
    says: Vec<Says>,
    blocks: Vec<Option<Compiled>>,
    tuple: Vec<i128>,
    states: [Values; OTHERS.len()],
    /// Of each, whether it is of the tuple; and if there is such a state.
    begun: [Option<bool>; OTHERS.len()],
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            words: Words::default(),
            says: Vec::new(),
            blocks: Vec::new(),
            tuple: Vec::new(),
            states: OTHERS.map(Values::new),
            begun: [None; OTHERS.len()],
        }
    }
}

impl Machine {
    /// Begins with the states whose features have the tuple's values. Features go away, but never come back.
    pub fn begin(&mut self, pool: &impl Pool, features: &[Feature], tuple: Vec<i128>) {
        if self.says.len() != features.len() {
            let words = &mut self.words;
            let mut place = |term| words.place(pool, term);
            let says = features.iter().map(|feature| match feature.kind {
                Kind::Variable => Says::Is(place(feature.term)),
                Kind::Difference { of, from } => Says::Beyond {
                    of: place(of),
                    from: place(from),
                },
                Kind::Choice { of, other } => Says::IsUnless {
                    of: place(of),
                    other,
                    term: place(feature.term),
                },
                Kind::Condition => Says::Holds(place(feature.term)),
            });
            self.says = says.collect();
        }
        self.tuple = tuple;
        self.begun = [None; OTHERS.len()];
    }

    /// The tuple that it is about.
    pub fn tuple(&self) -> &[i128] {
        &self.tuple
    }

    /// Whether all that the tuple says is so in the states of this number, as far as words tell.
    fn is_state(&mut self, number: usize) -> bool {
        if let Some(known) = self.begun[number] {
            return known;
        }
        let (words, state) = (&self.words, &mut self.states[number]);
        state.begin();
        for (says, &value) in self.says.iter().zip(&self.tuple) {
            match *says {
                Says::Is(variable) => words.set(state, variable, value),
                Says::IsUnless { of, other, .. } if value != other => words.set(state, of, value),
                Says::Beyond { of, from } => words.set_beyond(state, of, from, value),
                Says::IsUnless { .. } | Says::Holds(_) => {}
            }
        }
        let holds = self
            .says
            .iter()
            .zip(&self.tuple)
            .all(|(says, &value)| match *says {
                Says::IsUnless { other, term, .. } if value == other => {
                    words.number(state, term) == Some(value)
                }
                Says::Holds(term) => words.number(state, term) == Some(value),
                _ => true,
            });
        self.begun[number] = Some(holds);
        holds
    }

    /// Whether the block is not run in any of the states, as far as words tell.
    pub fn excludes(&mut self, pool: &impl Pool, block: &Block) -> bool {
        self.is_state(0);
        let guard = self.words.place(pool, block.guard);
        self.words.number(&mut self.states[0], guard) == Some(0)
    }

    /// Runs the block of the number, at whose end the features are these terms and these tuples are known.
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
            return Run::Unclear;
        };
        if known.contains(&tuple) {
            return Run::NothingNew;
        }
        // A tuple without a state is none.
        let is_run = is_any && guard == Some(1)
            || (1..OTHERS.len()).any(|number| {
                self.is_state(number)
                    && self.words.number(&mut self.states[number], block.guard) == Some(1)
            });
        match is_run {
            true => Run::To(tuple),
            false => Run::Unclear,
        }
    }
}

//! Random divisions of trees, without threads: whatever part is explored first, all inputs are covered when the whole is
//! complete, and not before.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::parts::{Continuation, Part};
use crate::program::InputId;
use crate::program::interpreter::concolic::BoxInput;
use crate::term::domain::IntervalSet;
use crate::term::random::seeds;

/// Maximum number of inputs of a run.
const INPUTS: usize = 4;
/// Number of values of an input.
const VALUES: i128 = 5;

type Inputs = [i128; INPUTS];

/// A program that draws inputs and distinguishes their values.
enum Steps {
    End,
    /// Draws the next input.
    Draw(Box<Self>),
    /// Compares an input that was drawn.
    Compare {
        input: usize,
        below: i128,
        then: Box<Self>,
        otherwise: Box<Self>,
    },
    /// Branches on the exact value of an input, which intervals do not describe.
    Switch {
        input: usize,
        cases: Vec<Self>,
    },
}

impl Steps {
    fn random(random: &mut Xoshiro256PlusPlus, drawn: usize, depth: u32) -> Self {
        if depth == 0 {
            return Self::End;
        }
        let choice = if drawn == 0 {
            1
        } else {
            random.random_range(0..9)
        };
        let input = random.random_range(0..drawn.max(1));
        let below = random.random_range(1..VALUES);
        let mut next = |drawn| Self::random(random, drawn, depth - 1);
        match choice {
            0 => Self::End,
            1..=4 if drawn < INPUTS => Self::Draw(Box::new(next(drawn + 1))),
            5 => Self::Switch {
                input,
                cases: (0..VALUES).map(|_| next(drawn)).collect(),
            },
            _ => Self::Compare {
                input,
                below,
                then: Box::new(next(drawn)),
                otherwise: Box::new(next(drawn)),
            },
        }
    }

    /// Runs the program; returns the box of the run.
    fn run(&self, draw: &mut dyn FnMut(usize) -> (i128, bool)) -> Vec<BoxInput> {
        let all = || IntervalSet::range(0, VALUES - 1);
        let mut inputs: Vec<BoxInput> = Vec::new();
        let mut at = self;
        loop {
            at = match at {
                Self::End => return inputs,
                Self::Draw(next) => {
                    let (value, concrete) = draw(inputs.len());
                    let mut input = BoxInput {
                        id: InputId(0),
                        value,
                        set: all(),
                        needed: None,
                    };
                    if concrete {
                        concretise(&mut input);
                    }
                    inputs.push(input);
                    next
                }
                Self::Compare {
                    input,
                    below,
                    then,
                    otherwise,
                } => {
                    let input = &mut inputs[*input];
                    let (holds, side) = match input.value < *below {
                        true => (then, IntervalSet::range(0, below - 1)),
                        false => (otherwise, IntervalSet::range(*below, VALUES - 1)),
                    };
                    input.set = input.set.intersection(&side);
                    holds
                }
                Self::Switch { input, cases } => {
                    let input = &mut inputs[*input];
                    concretise(input);
                    &cases[input.value as usize]
                }
            }
        }
    }
}

fn concretise(input: &mut BoxInput) {
    if input.set.only().is_none() {
        input.needed = Some(input.set.clone());
        input.set = IntervalSet::range(input.value, input.value);
    }
}

/// Returns all sequences of the maximum number of inputs.
fn all_inputs() -> impl Iterator<Item = Inputs> {
    let count = VALUES.pow(INPUTS as u32);
    (0..count).map(|number| [0, 1, 2, 3].map(|place| number / VALUES.pow(place) % VALUES))
}

fn is_covered(boxes: &[Vec<BoxInput>], values: &Inputs) -> bool {
    boxes.iter().any(|inputs| {
        let mut members = inputs.iter().zip(values);
        members.all(|(input, &value)| input.set.contains(value))
    })
}

#[test]
fn all_is_covered_however_trees_are_divided() {
    let mut divisions = 0;
    for seed in 0..seeds(3_000) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let program = Steps::random(&mut random, 0, 7);
        let mut boxes: Vec<Vec<BoxInput>> = Vec::new();
        let mut open = vec![Part::whole()];
        let mut is_complete = false;
        while !open.is_empty() {
            assert!(!is_complete, "{seed}: something is left");
            let mut part = open.swap_remove(random.random_range(0..open.len()));
            let tree = &mut part.tree;
            let inputs = program.run(&mut |position| {
                let domain = IntervalSet::range(0, VALUES - 1);
                let choice = tree.choose(position, &domain).expect("a value");
                (choice.value, choice.concrete)
            });
            assert_eq!(inputs.len(), tree.depth(), "{seed}");
            tree.record(&inputs);
            boxes.push(inputs);
            assert!(boxes.len() < 10_000, "{seed}: it does not end");
            let left = loop {
                if part.tree.advance() {
                    break Some(part);
                }
                match part.ended() {
                    Continuation::Above(above) => part = above,
                    Continuation::OtherPartOpen => break None,
                    Continuation::Complete => {
                        is_complete = true;
                        break None;
                    }
                }
            };
            if let Some(mut part) = left {
                while random.random_bool(0.4)
                    && let Some(other) = part.divide()
                {
                    divisions += 1;
                    open.push(other);
                }
                open.push(part);
            }
        }
        assert!(is_complete, "{seed}: a part is lost");
        for values in all_inputs() {
            assert!(is_covered(&boxes, &values), "{seed}: {values:?}");
        }
    }
    assert!(divisions > 1_000, "{divisions}");
}

//! Ordinary runs, as examples of what a program does.

use super::source::{Candidate, CandidateInputs, Policy};
use super::values::{Chance, Dictionary};
use crate::program::Program;
use crate::program::interpreter::{Executable, Journal, Limits, Machine};

/// Where the inputs of one run in a row of eight come from: mostly small numbers, whose runs are short and differ.
const POLICIES: [Policy; 8] = [
    Policy::Small,
    Policy::Mixed,
    Policy::Small,
    Policy::Dictionary,
    Policy::Small,
    Policy::Binary,
    Policy::Small,
    Policy::Sparse,
];

/// Inputs of so many runs, each of at most so many steps: on small constants first, then random ones.
pub fn sample_runs(
    program: &Program,
    executable: &Executable,
    runs: usize,
    steps: u64,
) -> Vec<Journal> {
    let dictionary = Dictionary::of(program);
    let mut inputs = CandidateInputs::new(program.inputs.len(), &dictionary);
    let mut chance = Chance::new(1);
    let mut machine = Machine::new(executable);
    let constants = [0, 1, 2, 5, -1].map(Policy::Constant).into_iter();
    let policies = constants.chain(POLICIES.into_iter().cycle()).take(runs);
    let journal = |policy| {
        inputs.load(&Candidate {
            list: Vec::new(),
            policy,
            seed: chance.next(),
        });
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        machine.run(&mut inputs, limits);
        let recorded = Candidate {
            list: inputs.recorded.clone(),
            policy,
            seed: 0,
        };
        recorded.journal(&program.inputs)
    };
    policies.map(journal).collect()
}

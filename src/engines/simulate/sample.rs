//! Typical runs of a program, as samples of its reachable states.

use super::input_values::{Dictionary, Random};
use super::source::{Candidate, CandidateInputs, Policy};
use regatta_program::Program;
use regatta_program::interpreter::{Executable, Journal, Limits, Machine};

/// The policies of eight successive runs: mostly small numbers, whose runs are short and diverse.
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

/// Returns the inputs of the given number of runs, each with at most `steps` steps: first on small constants, then on random
/// inputs.
pub fn sample_runs(
    program: &Program,
    executable: &Executable,
    runs: usize,
    steps: u64,
) -> Vec<Journal> {
    let dictionary = Dictionary::of(program);
    let mut inputs = CandidateInputs::new(program.inputs.len(), &dictionary);
    let mut random = Random::new(1);
    let mut machine = Machine::new(executable);
    let constants = [0, 1, 2, 5, -1].map(Policy::Constant).into_iter();
    let policies = constants.chain(POLICIES.into_iter().cycle()).take(runs);
    let journal = |policy| {
        inputs.load(&Candidate {
            list: Vec::new(),
            policy,
            seed: random.next(),
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

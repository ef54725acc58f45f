//! What an engine tells while it runs.

/// An event in an engine, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The engine turns to this bound.
    Bound {
        /// The bound, in steps between cut points.
        bound: u32,
    },
    /// An abstract counterexample is about to be refined.
    Refinement {
        /// Its number, from one.
        number: u32,
        /// The number of abstract states so far.
        states: usize,
    },
    /// A round of the generation of invariants has ended.
    Invariants {
        /// The round's name.
        round: &'static str,
        /// The number of new invariants.
        proved: usize,
        /// The number of all invariants in the store.
        total: usize,
    },
    /// By what it has done so far, the engine expects to end soon, or no longer does.
    Expectation {
        /// Whether it does.
        ends_soon: bool,
    },
    /// An alarm was not confirmed: the engine leaves the target aside and can no longer prove the program.
    LeftAside {
        /// The reason why it was not confirmed.
        reason: String,
    },
    /// The engine has a new abstraction of the program.
    Abstracted {
        /// The step that made it.
        step: AbstractionStep,
        /// The number of iterations of each loop that the step looked at.
        bound: u32,
        /// The number of the program's constraints that it keeps.
        kept: usize,
        /// The number of the program's constraints.
        all: usize,
    },
}

/// The step that made an abstraction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AbstractionStep {
    /// It keeps the constraints that the proof of an under-approximation needs.
    ProofBased,
    /// It adds constraints that exclude a counterexample.
    CounterexampleBased,
}

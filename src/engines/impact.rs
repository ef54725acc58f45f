//! Lazy abstraction with interpolants (\[McM06\]; \[BDW18\], section 4.4): the Predicate CPA with blk^l,
//! abstraction formulas as terms, IMPACT refinement (section 3.2.4) and forced covering (section 3.3), under CEGAR. The
//! algorithm is [`super::cegar`].

use std::time::Duration;

use super::Context;
use super::cegar::configuration::{Combination, Configuration, Representation};
use super::cegar::refinement::{Operators, Scope, Use};
use super::cegar::{self, BlockEnds, Generator, PathPrograms, PredicateSource};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use regatta_base::{choice, options};
use regatta_cpa::predicate::Merging;
use regatta_cpa::predicate::boolean::{Covering, INITIAL_MODELS};
use regatta_solver::interpolation::Choice;

options! {
    /// Options of IMPACT.
    pub struct Options {
        /// Where blocks end.
        pub blocks: BlockEnds = BlockEnds::Loops;
        /// Maximum number of edges of a block.
        pub block_size: u32 = u32::MAX, in 1..=u32::MAX;
        /// Where interpolants come from: from predicates of the program if no interpolation succeeds ("program"), or from
        /// interpolation alone.
        pub predicates: PredicateSource = PredicateSource::Program;
        /// Whether it is checked for each new state whether its block can be executed. If not, the state is true where it has no
        /// predicates.
        pub block_queries: bool = true;
        /// CPU time that a path program is given at least for invariants that exclude all unrollings of a
        /// counterexample; with zero, there are none.
        pub path_invariants: Duration = Duration::from_millis(1_000);
        /// The engine that looks for these invariants.
        pub path_invariants_by: Generator = Generator::DataFlow;
        /// The path programs whose invariants are computed: those that recur, or all.
        pub path_programs: PathPrograms = PathPrograms::Recurring;
        /// Whether states are strengthened to be covered before they are expanded.
        pub forced_covering: bool = true;
        /// Maximum number of states that are tried to cover another by force, the newest first.
        pub forced_covering_attempts: u32 = 3, in 1..=u32::MAX;
        /// The formula of a new state: true, the interpolants' predicates at its location that hold, or the strongest Boolean
        /// combination of them that holds (UFO).
        pub abstraction: NewStates = NewStates::True;
        /// The sources of interpolants: strongest postconditions and weakest preconditions ("conditions"), or Z3's engine for
        /// Horn clauses.
        pub interpolator: Choice = Choice::ConditionsFirst;
        /// Maximum wall time of an interpolation.
        pub interpolation_time: Duration = cegar::INTERPOLATION_TIME;
        /// Maximum wall time of a query whether a counterexample is feasible.
        pub feasibility_time: Duration = cegar::FEASIBILITY_TIME;
        /// Whether invariants of other analyses are assumed on counterexamples, too: in the query whether one is feasible, and those
        /// that its answer needs in interpolation.
        pub invariants_on_paths: bool = false;
    }
}

/// The formulas of new states.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NewStates {
    /// True.
    True,
    /// Cartesian predicate abstraction.
    Cartesian,
    /// Boolean predicate abstraction.
    Boolean,
}
choice!(NewStates: "true" = Self::True, "cartesian" = Self::Cartesian, "boolean" = Self::Boolean);

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "impact",
            summary: "Lazy abstraction with interpolants.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        let configuration = self.configuration();
        configuration
            .run(subject.blocks, subject.solver, context)
            .into()
    }
}

impl Options {
    /// Returns the operators that the options choose.
    pub(super) fn configuration(&self) -> Configuration {
        Configuration {
            options: cegar::Options {
                blocks: self.blocks,
                block_size: self.block_size,
                merging: Merging::Join,
                path_invariants: self.path_invariants,
                path_invariants_by: self.path_invariants_by,
                path_programs: self.path_programs,
                interpolator: self.interpolator,
                interpolation_time: self.interpolation_time,
                feasibility_time: self.feasibility_time,
                invariants_on_paths: self.invariants_on_paths,
            },
            representation: Representation::Formula,
            combination: match self.abstraction {
                NewStates::Cartesian => Combination::Cartesian,
                NewStates::True | NewStates::Boolean => Combination::Boolean,
            },
            models: INITIAL_MODELS,
            covering: Covering::Single,
            operators: Operators {
                interpolants: match self.abstraction {
                    NewStates::True => Use::Strengthening,
                    NewStates::Cartesian | NewStates::Boolean => Use::Both,
                },
                source: self.predicates,
                scope: Scope::All,
                checks_all_blocks: self.block_queries,
                forced_covering: self
                    .forced_covering
                    .then_some(self.forced_covering_attempts),
            },
        }
    }
}

//! Lazy predicate abstraction (\[BDW18\], section 4.3): the Predicate CPA with blk^l, abstraction formulas as decision
//! diagrams and predicate refinement (section 3.2.4), under CEGAR. The algorithm is [`super::cegar`].

use std::time::Duration;

use super::Context;
use super::cegar::configuration::{Combination, Configuration, Representation};
use super::cegar::refinement::{Operators, Scope, Use};
use super::cegar::{self, BlockEnds, Generator, PathPrograms, PredicateSource};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use regatta_base::options;
use regatta_cpa::predicate::Merging;
use regatta_cpa::predicate::boolean::{Covering, INITIAL_MODELS};
use regatta_solver::interpolation::Choice;

options! {
    /// Options of predicate abstraction.
    pub struct Options {
        /// Where abstractions are computed.
        pub blocks: BlockEnds = BlockEnds::Loops;
        /// Maximum number of edges of a block.
        pub block_size: u32 = u32::MAX, in 1..=u32::MAX;
        /// Where predicates come from: from the program's conditions, from interpolants where these do not suffice, and from
        /// values in models ("program"), or from interpolants alone.
        pub predicates: PredicateSource = PredicateSource::Program;
        /// The states that may cover another: all others at its location together, or a single one of them (stop^sep).
        pub covering: Covering = Covering::Union;
        /// Maximum number of models of an abstraction at first; of further ones, only the relations between pairs of
        /// predicates are kept, until that is too coarse.
        pub models: usize = INITIAL_MODELS, in 1..=usize::MAX;
        /// The abstraction at the end of a block: the strongest Boolean combination of predicates, or the conjunction of those
        /// predicates and negations that each hold.
        pub abstraction: Combination = Combination::Boolean;
        /// Whether it is checked at the end of every block whether the block can be executed. If not, the abstraction is true
        /// where there are no predicates.
        pub block_queries: bool = true;
        /// The states that get new predicates: all that are expanded from then on, or only those from which the removed
        /// states are explored again.
        pub precision: Scope = Scope::All;
        /// CPU time that a path program is given at least for invariants that exclude all unrollings of a
        /// counterexample; with zero, there are none.
        pub path_invariants: Duration = Duration::from_millis(1_000);
        /// The engine that looks for these invariants.
        pub path_invariants_by: Generator = Generator::DataFlow;
        /// The path programs whose invariants are computed: those that recur, or all.
        pub path_programs: PathPrograms = PathPrograms::Recurring;
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

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "predicate_abstraction",
            summary: "Lazy predicate abstraction.",
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
            representation: Representation::Bdd,
            combination: self.abstraction,
            models: self.models,
            covering: self.covering,
            operators: Operators {
                interpolants: Use::Predicates,
                source: self.predicates,
                scope: self.precision,
                checks_all_blocks: self.block_queries,
                forced_covering: None,
            },
        }
    }
}

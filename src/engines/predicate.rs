//! The approaches of \[BDW18\] as settings of one engine. The options are operators, the columns of its Table 1 among them, and
//! each is chosen by itself.
//!
//! Where blocks never end ([`BlockOperator::Never`]), the algorithm is the paper's Algorithm 3, which unrolls the program and has
//! no other operators. Else it is Algorithm 4, the refinement loop ([`super::cegar`]). Its rows are
//!
//! | | `representation` | `abstraction` | `refinement` | `coverage` |
//! |---|---|---|---|---|
//! | [`predicate_abstraction`](super::predicate_abstraction) | `bdd` | `boolean`, `cartesian` | `predicates` | `none` |
//! | [`impact`](super::impact) | `formula` | `none` | `impact` | `none`, `forced` |
//! | UFO (section 4.5.1) | `formula` | `boolean`, `cartesian` | `both` | `none`, `forced` |
//!
//! and all else that these columns say: predicate abstraction with terms, or with forced covering; IMPACT and UFO with decision
//! diagrams. What makes no sense is refused with the reason.

use std::time::Duration;

use super::cegar::configuration::{Combination, Configuration, Representation};
use super::cegar::refinement::{Operators, Scope, Use};
use super::cegar::{self, BlockEnds, Generator, PathPrograms, PredicateSource};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::{Answer, Context, bmc, k_induction};
use regatta_base::{choice, options};
use regatta_cpa::predicate::Merging;
use regatta_cpa::predicate::boolean::{Covering, INITIAL_MODELS};
use regatta_solver::interpolation::Choice;

options! {
    /// The operators of the Predicate CPA and of the algorithms around it.
    pub struct Options {
        /// Where blocks end: the operator blk.
        pub blocks: BlockOperator = BlockOperator::Loops;
        /// Maximum number of edges of a block.
        pub block_size: u32 = u32::MAX, in 1..=u32::MAX;
        /// What becomes of the paths within a block: one formula (merge^P), or each is followed by itself (merge^sep).
        pub merge: Merging = Merging::Join;
        /// What abstraction formulas are represented by: decision diagrams over predicates, or terms.
        pub representation: Representation = Representation::Bdd;
        /// The abstraction that is computed at the end of a block.
        pub abstraction: Computation = Computation::Boolean;
        /// The use of interpolants.
        pub refinement: Refinement = Refinement::Predicates;
        /// Whether states are strengthened to be covered before they are expanded: the operator fcover.
        pub coverage: Coverage = Coverage::None;
        /// Maximum number of states that are tried to cover another by force, the newest first.
        pub forced_covering_attempts: u32 = 3, in 1..=u32::MAX;
        /// The states that may cover another: all others at its location together, or a single one of them (stop^sep).
        pub covering: Covering = Covering::Union;
        /// Where predicates and interpolants come from: from the program as well, or from interpolation alone.
        pub predicates: PredicateSource = PredicateSource::Program;
        /// The states that get new predicates, where refinement is about predicates alone.
        pub precision: Scope = Scope::All;
        /// Whether it is checked at the end of every block whether the block can be executed. If not, the abstraction is true
        /// where there are no predicates.
        pub block_queries: bool = true;
        /// Maximum number of models of an abstraction at first, where it is a decision diagram; of further ones, only the
        /// relations between pairs of predicates are kept, until that is too coarse.
        pub models: usize = INITIAL_MODELS, in 1..=usize::MAX;
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
        /// Whether the step case is checked as well, where blocks never end.
        pub induction: bool = false;
        /// The largest bound, in steps between cut points, where blocks never end.
        pub max_bound: u32 = u32::MAX;
        /// CPU time that a path program is given at least for invariants that exclude all unrollings of a
        /// counterexample; with zero, there are none.
        pub path_invariants: Duration = Duration::ZERO;
        /// The engine that looks for these invariants.
        pub path_invariants_by: Generator = Generator::DataFlow;
        /// The path programs whose invariants are computed: those that recur, or all.
        pub path_programs: PathPrograms = PathPrograms::Recurring;
    }
}

/// Where blocks end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BlockOperator {
    /// blk^never.
    Never,
    /// blk^l.
    Loops,
    /// blk^lf.
    LoopsAndFunctions,
}
choice!(BlockOperator: "never" = Self::Never, "loops" = Self::Loops, "loops-and-functions" = Self::LoopsAndFunctions);

/// The abstraction that is computed at the end of a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Computation {
    /// None: the formula of a new state is true.
    None,
    /// Cartesian predicate abstraction.
    Cartesian,
    /// Boolean predicate abstraction.
    Boolean,
}
choice!(Computation: "none" = Self::None, "cartesian" = Self::Cartesian, "boolean" = Self::Boolean);

/// The use of interpolants.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// There are no interpolants.
    None,
    /// Their atoms become predicates.
    Predicates,
    /// They strengthen the states of the path.
    Impact,
    /// They strengthen the states of the path, and their atoms become predicates of new states.
    Both,
}
choice!(
    Refinement: "none" = Self::None, "predicates" = Self::Predicates, "impact" = Self::Impact, "both" = Self::Both
);

/// Whether coverage is forced.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// fcover^id.
    None,
    /// fcover^IMPACT.
    Forced,
}
choice!(Coverage: "none" = Self::None, "forced" = Self::Forced);

/// The algorithm that the options describe.
#[derive(Clone, Debug, PartialEq)]
pub enum Approach {
    /// Algorithm 3 without the step case: bounded model checking.
    Bmc(bmc::Options),
    /// Algorithm 3: k-induction.
    KInduction(k_induction::Options),
    /// Algorithm 4: the refinement loop.
    Refinement(Configuration),
}

impl Options {
    /// Returns the algorithm that the options describe, with its operators.
    ///
    /// # Errors
    /// When the operators do not go together, with the reason in words.
    pub fn approach(&self) -> Result<Approach, String> {
        let blocks = match self.blocks {
            BlockOperator::Never => return self.unrolling(),
            BlockOperator::Loops => BlockEnds::Loops,
            BlockOperator::LoopsAndFunctions => BlockEnds::LoopsAndFunctions,
        };
        if self.induction || self.max_bound != u32::MAX {
            return Err("`induction` and `max_bound` are for blocks that never end".to_owned());
        }
        let configuration = self.configuration(blocks)?;
        configuration.check()?;
        Ok(Approach::Refinement(configuration))
    }

    /// Returns the algorithm for blocks that never end.
    fn unrolling(&self) -> Result<Approach, String> {
        let columns = (self.abstraction, self.refinement, self.coverage);
        if columns != (Computation::None, Refinement::None, Coverage::None) {
            return Err(
                "where blocks never end, there is nothing to abstract, to refine or to cover: `abstraction`, \
                `refinement` and `coverage` are \"none\" then"
                    .to_owned(),
            );
        }
        if self.merge == Merging::Separate || self.block_size != u32::MAX {
            return Err(
                "where blocks never end, all paths of a length are asked about at once: `merge` is \"join\" and \
                `block_size` is unlimited then"
                    .to_owned(),
            );
        }
        let max_bound = self.max_bound;
        Ok(match self.induction {
            false => Approach::Bmc(bmc::Options {
                max_bound,
                ..bmc::Options::default()
            }),
            true => Approach::KInduction(k_induction::Options {
                max_bound,
                ..k_induction::Options::default()
            }),
        })
    }

    /// Returns the operators of the refinement loop.
    fn configuration(&self, blocks: BlockEnds) -> Result<Configuration, String> {
        Ok(Configuration {
            options: cegar::Options {
                blocks,
                block_size: self.block_size,
                merging: self.merge,
                path_invariants: self.path_invariants,
                path_invariants_by: self.path_invariants_by,
                path_programs: self.path_programs,
                interpolator: self.interpolator,
                interpolation_time: self.interpolation_time,
                feasibility_time: self.feasibility_time,
                invariants_on_paths: self.invariants_on_paths,
            },
            representation: self.representation,
            combination: match self.abstraction {
                Computation::Cartesian => Combination::Cartesian,
                Computation::None | Computation::Boolean => Combination::Boolean,
            },
            models: self.models,
            covering: self.covering,
            operators: Operators {
                interpolants: self.interpolants()?,
                source: self.predicates,
                scope: self.precision,
                checks_all_blocks: self.block_queries,
                forced_covering: match self.coverage {
                    Coverage::None => None,
                    Coverage::Forced => Some(self.forced_covering_attempts),
                },
            },
        })
    }

    /// Returns what is made of interpolants, if that goes with the abstraction.
    fn interpolants(&self) -> Result<Use, String> {
        let is_none = self.abstraction == Computation::None;
        let reason = match self.refinement {
            Refinement::Predicates if !is_none => return Ok(Use::Predicates),
            Refinement::Both if !is_none => return Ok(Use::Both),
            Refinement::Impact if is_none => return Ok(Use::Strengthening),
            Refinement::None => {
                "without `refinement`, the first counterexample ends the analysis: it is for blocks that never end"
            }
            Refinement::Predicates | Refinement::Both => {
                "predicates are for an `abstraction`: with \"none\", a new one changes nothing"
            }
            Refinement::Impact => {
                "an `abstraction` needs predicates, which `refinement = \"impact\"` does not make of interpolants: \"both\" \
                does"
            }
        };
        Err(reason.to_owned())
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "predicate",
            summary: "Bounded model checking, k-induction, predicate abstraction, IMPACT or a mixture, by operators.",
            has_solver: true,
            recursion: match self.blocks {
                BlockOperator::Never => Recursion::Handled,
                BlockOperator::Loops | BlockOperator::LoopsAndFunctions => Recursion::Excluded,
            },
        }
    }

    fn check(&self) -> Result<(), String> {
        self.approach().map(|_| ())
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        match self.approach() {
            Ok(Approach::Bmc(options)) => options.run(subject, context),
            Ok(Approach::KInduction(options)) => options.run(subject, context),
            Ok(Approach::Refinement(configuration)) => configuration
                .run(subject.blocks, subject.solver, context)
                .into(),
            Err(reason) => Answer::Unknown(reason).into(),
        }
    }
}

#[cfg(test)]
mod tests;

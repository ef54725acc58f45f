//! The approaches of \[BDW18\] as settings of one engine. The options are the columns of its Table 1, and can be
//! combined as far as there is an algorithm for the combination.
//!
//! | | `blocks` | `abstraction` | `refinement` | `coverage` | |
//! |---|---|---|---|---|---|
//! | [`bmc`] | `never` | `none` | `none` | `none` | |
//! | [`k_induction`] | `never` | `none` | `none` | `none` | `induction = true` |
//! | [`predicate_abstraction`] | `loops`, `loops-and-functions` | `boolean`, `cartesian` | `predicates` | `none` | |
//! | [`impact`] | `loops`, `loops-and-functions` | `none` | `impact` | `none`, `forced` | |
//! | UFO (section 4.5.1) | `loops`, `loops-and-functions` | `boolean`, `cartesian` | `impact` | `none`, `forced` | |
//!
//! Abstraction formulas are decision diagrams where `refinement` is `predicates`, else terms. For UFO, interpolants become
//! predicates, too. A combination without an algorithm is refused with the reason.

use std::time::Duration;

use super::cegar::{BlockEnds, Generator, PredicateSource};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::impact::NewStates;
use super::predicate_abstraction::{Combination, Scope};
use super::{Answer, Context, bmc, impact, k_induction, predicate_abstraction};
use regatta_base::{choice, options};
use regatta_cpa::predicate::boolean::Covering;
use regatta_solver::interpolation::Choice;

options! {
    /// The Predicate CPA's columns of the paper's Table 1.
    pub struct Options {
        /// Where blocks end: the operator blk.
        pub blocks: BlockOperator = BlockOperator::Loops;
        /// Maximum number of edges of a block.
        pub block_size: u32 = u32::MAX, in 1..=u32::MAX;
        /// The abstraction that is computed at the end of a block.
        pub abstraction: Computation = Computation::Boolean;
        /// The use of interpolants.
        pub refinement: Refinement = Refinement::Predicates;
        /// Where predicates and interpolants come from: from the program as well, or from interpolation alone.
        pub predicates: PredicateSource = PredicateSource::Program;
        /// The sources of interpolants: strongest postconditions and weakest preconditions ("conditions"), or Z3's engine for
        /// Horn clauses.
        pub interpolator: Choice = Choice::ConditionsFirst;
        /// The states that may cover another, where abstraction formulas are decision diagrams.
        pub covering: Covering = Covering::Union;
        /// The states that get new predicates, where refinement is about predicates.
        pub precision: Scope = Scope::All;
        /// Whether it is checked at the end of every block whether the block can be executed.
        pub block_queries: bool = true;
        /// Whether states are strengthened to be covered before they are expanded: the operator fcover.
        pub coverage: Coverage = Coverage::None;
        /// Whether the step case is checked as well, where blocks never end.
        pub induction: bool = false;
        /// The largest bound, in steps between cut points, where blocks never end.
        pub max_bound: u32 = u32::MAX;
        /// CPU time that a path program is given at least for invariants that exclude all unrollings of a
        /// counterexample; with zero, there are none.
        pub path_invariants: Duration = Duration::ZERO;
        /// The engine that looks for these invariants.
        pub path_invariants_by: Generator = Generator::DataFlow;
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
}
choice!(Refinement: "none" = Self::None, "predicates" = Self::Predicates, "impact" = Self::Impact);

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
    /// Bounded model checking.
    Bmc(bmc::Options),
    /// k-induction.
    KInduction(k_induction::Options),
    /// Predicate abstraction.
    PredicateAbstraction(predicate_abstraction::Options),
    /// IMPACT, or UFO.
    Impact(impact::Options),
}

impl Options {
    /// Returns the algorithm that the options describe.
    ///
    /// # Errors
    /// When there is no such algorithm, with the reason in words.
    pub fn approach(&self) -> Result<Approach, String> {
        let (path_invariants, path_invariants_by) = (self.path_invariants, self.path_invariants_by);
        let max_bound = self.max_bound;
        let blocks = match self.blocks {
            BlockOperator::Never => {
                let columns = (self.abstraction, self.refinement, self.coverage);
                if columns != (Computation::None, Refinement::None, Coverage::None) {
                    let reason = "where blocks never end, there is nothing to abstract, to refine or to cover: \
                        `abstraction`, `refinement` and `coverage` are \"none\" then";
                    return Err(reason.to_owned());
                }
                return Ok(match self.induction {
                    false => Approach::Bmc(bmc::Options {
                        max_bound,
                        ..bmc::Options::default()
                    }),
                    true => Approach::KInduction(k_induction::Options {
                        max_bound,
                        ..k_induction::Options::default()
                    }),
                });
            }
            BlockOperator::Loops => BlockEnds::Loops,
            BlockOperator::LoopsAndFunctions => BlockEnds::LoopsAndFunctions,
        };
        if self.induction || max_bound != u32::MAX {
            return Err("`induction` and `max_bound` are for blocks that never end".to_owned());
        }
        match (self.abstraction, self.refinement) {
            (Computation::Boolean | Computation::Cartesian, Refinement::Predicates)
                if self.coverage == Coverage::None =>
            {
                Ok(Approach::PredicateAbstraction(predicate_abstraction::Options {
                    blocks,
                    path_invariants,
                    path_invariants_by,
                    block_size: self.block_size,
                    predicates: self.predicates,
                    interpolator: self.interpolator,
                    covering: self.covering,
                    precision: self.precision,
                    block_queries: self.block_queries,
                    abstraction: match self.abstraction {
                        Computation::Cartesian => Combination::Cartesian,
                        _ => Combination::Boolean,
                    },
                    ..predicate_abstraction::Options::default()
                }))
            }
            (_, Refinement::Impact) if self.abstraction != Computation::None && !self.block_queries => {
                Err("without `block_queries`, new states are true: they go with `abstraction = \"none\"`".to_owned())
            }
            (_, Refinement::Impact) => {
                Ok(Approach::Impact(impact::Options {
                    blocks,
                    path_invariants,
                    path_invariants_by,
                    forced_covering: self.coverage == Coverage::Forced,
                    abstraction: match self.abstraction {
                        Computation::Cartesian => NewStates::Cartesian,
                        Computation::Boolean => NewStates::Boolean,
                        Computation::None => NewStates::True,
                    },
                    block_size: self.block_size,
                    predicates: self.predicates,
                    interpolator: self.interpolator,
                    block_queries: self.block_queries,
                    ..impact::Options::default()
                }))
            }
            (Computation::Boolean | Computation::Cartesian, Refinement::Predicates) => {
                Err("`coverage` is forced by strengthening states, which `refinement = \"impact\"` does".to_owned())
            }
            (_, Refinement::None) => {
                Err("without `refinement`, the first counterexample ends the analysis: \
                    it is for blocks that never end".to_owned())
            }
            (Computation::None, Refinement::Predicates) => {
                Err("predicates are for an `abstraction`: with \"none\", a new one changes nothing".to_owned())
            }
        }
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "predicate",
            summary: "Bounded model checking, k-induction, predicate abstraction, IMPACT or a mixture, chosen by the options.",
            has_solver: true,
            recursion: Recursion::Handled,
        }
    }

    fn check(&self) -> Result<(), String> {
        self.approach().map(|_| ())
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        match self.approach() {
            Ok(Approach::Bmc(options)) => options.run(subject, context),
            Ok(Approach::KInduction(options)) => options.run(subject, context),
            Ok(Approach::PredicateAbstraction(options)) => options.run(subject, context),
            Ok(Approach::Impact(options)) => options.run(subject, context),
            Err(reason) => Answer::Unknown(reason).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of Table 1 give the engines with their own defaults, except for options that go beyond the paper.
    #[test]
    fn named_engines_are_settings() {
        let never = Options {
            blocks: BlockOperator::Never,
            abstraction: Computation::None,
            refinement: Refinement::None,
            ..Options::default()
        };
        assert_eq!(never.approach(), Ok(Approach::Bmc(bmc::Options::default())));
        let induction = Options {
            induction: true,
            ..never.clone()
        };
        let expected = Approach::KInduction(k_induction::Options::default());
        assert_eq!(induction.approach(), Ok(expected));
        let predicates = predicate_abstraction::Options {
            path_invariants: Duration::ZERO,
            ..predicate_abstraction::Options::default()
        };
        let expected = Approach::PredicateAbstraction(predicates);
        assert_eq!(Options::default().approach(), Ok(expected));
        let impact = Options {
            abstraction: Computation::None,
            refinement: Refinement::Impact,
            coverage: Coverage::Forced,
            ..Options::default()
        };
        let expected = Approach::Impact(impact::Options {
            path_invariants: Duration::ZERO,
            ..impact::Options::default()
        });
        assert_eq!(impact.approach(), Ok(expected));
        let without_algorithm = [
            Options {
                coverage: Coverage::Forced,
                ..Options::default()
            },
            Options {
                refinement: Refinement::None,
                ..Options::default()
            },
            Options {
                abstraction: Computation::None,
                ..Options::default()
            },
            Options {
                refinement: Refinement::Impact,
                block_queries: false,
                ..Options::default()
            },
            Options {
                refinement: Refinement::Predicates,
                ..never
            },
            Options {
                max_bound: 3,
                ..Options::default()
            },
        ];
        for options in without_algorithm {
            assert!(options.approach().is_err(), "{options:?}");
        }
    }

    /// Of the combinations of columns, those that make sense run, and the others say why they do not.
    #[test]
    fn every_combination_runs_or_says_why_not() {
        use {BlockOperator as B, Computation as C, Refinement as R};
        let mut runs = 0;
        for blocks in [B::Never, B::Loops, B::LoopsAndFunctions] {
            for abstraction in [C::None, C::Cartesian, C::Boolean] {
                for refinement in [R::None, R::Predicates, R::Impact] {
                    for coverage in [Coverage::None, Coverage::Forced] {
                        let options = Options {
                            blocks,
                            abstraction,
                            refinement,
                            coverage,
                            ..Options::default()
                        };
                        match options.approach() {
                            Ok(_) => runs += 1,
                            Err(reason) => assert!(!reason.is_empty()),
                        }
                    }
                }
            }
        }
        // One without blocks. For each operator blk: two abstractions with predicates, and three with interpolants that
        // strengthen states, forced or not.
        assert_eq!(runs, 1 + 2 * (2 + 3 * 2));
    }
}

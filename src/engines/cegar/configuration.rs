//! Configurations of the refinement loop: each operator is chosen by itself. `predicate_abstraction` and `impact` are two of
//! them, and `predicate` has an option for each operator.

use std::sync::Arc;

use super::refinement::{Operators, Refinement, Scope, Use};
use super::{Cegar, Options};
use crate::{Answer, Context, SolverFactory};
use regatta_base::choice;
use regatta_cpa::predicate::boolean::{BooleanAbstraction, Covering};
use regatta_cpa::predicate::representation::Representation as Formulas;
use regatta_cpa::predicate::syntactic::SyntacticAbstraction;
use regatta_program::block::Blocks;
use regatta_solver::SolverError;

/// What abstraction formulas are represented by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Representation {
    /// Binary decision diagrams over predicates; one formula covers another if it implies that for all values of the predicates.
    Bdd,
    /// Terms; a solver decides coverage.
    Formula,
}
choice!(Representation: "bdd" = Self::Bdd, "formula" = Self::Formula);

/// How predicates are combined in the abstraction at the end of a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Boolean predicate abstraction.
    Boolean,
    /// Cartesian predicate abstraction.
    Cartesian,
}
choice!(Combination: "boolean" = Self::Boolean, "cartesian" = Self::Cartesian);

/// A choice of operators.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The operators blk and merge, the interpolator, path invariants, limits.
    pub options: Options,
    /// The representation of abstraction formulas.
    pub representation: Representation,
    /// The abstraction with the predicates of the precision. With [`Use::Strengthening`], the precision is empty.
    pub combination: Combination,
    /// Maximum number of models of an abstraction at first; of further ones, only the relations between pairs of predicates
    /// are kept. For decision diagrams.
    pub models: usize,
    /// The states that may cover another.
    pub covering: Covering,
    /// The operators of refinement and of forced covering.
    pub operators: Operators,
}

impl Configuration {
    /// Checks that the operators go together.
    ///
    /// # Errors
    /// The reason in words, if they do not.
    pub fn check(&self) -> Result<(), String> {
        let strengthens = self.operators.interpolants != Use::Predicates
            || self.operators.forced_covering.is_some();
        if self.covering == Covering::Union && self.representation == Representation::Formula {
            return Err(
                "`covering = \"union\"` needs the union of states as a decision diagram: with \
                `representation = \"formula\"`, it is \"single\""
                    .to_owned(),
            );
        }
        if self.covering == Covering::Union && strengthens {
            return Err("`covering = \"union\"` takes from new states what others have, so that none can be strengthened \
                without the others: with `refinement = \"impact\"` or \"both\", and with `coverage = \"forced\"`, it is \
                \"single\""
                .to_owned());
        }
        if self.operators.interpolants != Use::Predicates && self.operators.scope == Scope::Local {
            return Err(
                "`precision = \"local\"` is about states that are explored again, which only \
                `refinement = \"predicates\"` does"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Runs the analysis.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn run(
        &self,
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Result<Answer, SolverError> {
        let solvers = context.solvers(solver);
        match self.representation {
            Representation::Bdd => {
                let mut formulas =
                    BooleanAbstraction::new(&solvers, self.covering).with_models(self.models);
                if self.combination == Combination::Cartesian {
                    formulas = formulas.with_cartesian_abstraction();
                }
                if !self.operators.checks_all_blocks {
                    formulas = formulas.without_queries_for_empty_precision();
                }
                self.run_with(formulas, blocks, &solvers, solver, context)
            }
            Representation::Formula => {
                let mut formulas = SyntacticAbstraction::new(&solvers)?;
                if self.combination == Combination::Boolean {
                    formulas = formulas.with_boolean_abstraction();
                }
                if !self.operators.checks_all_blocks {
                    formulas = formulas.without_queries_for_empty_precision();
                }
                self.run_with(formulas, blocks, &solvers, solver, context)
            }
        }
    }

    fn run_with<A: Formulas>(
        &self,
        formulas: A,
        blocks: &Arc<Blocks>,
        solvers: &SolverFactory<'_>,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Result<Answer, SolverError> {
        let refinement = Refinement::new(self.operators, solvers)?;
        let mut cegar = Cegar::new(blocks, self.options, formulas, refinement, solver, context)?;
        cegar.run(context)
    }
}

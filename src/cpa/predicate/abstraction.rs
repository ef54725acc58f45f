//! The computation and comparison of abstraction formulas (\[BDW18\], section 3.1; Table 1, first column).
//!
//! * [`NoAbstraction`]: for blk^never.
//! * [`super::boolean::BooleanAbstraction`]: Boolean predicate abstraction, with decision diagrams.
//! * [`super::syntactic::SyntacticAbstraction`]: terms that refinements strengthen; initially true where a block is
//!   feasible.

use std::fmt::Debug;
use std::rc::Rc;

use super::definitions::Definitions;
use super::path_formula::PathFormula;
use crate::location::Place;
use regatta_program::block::Blocks;
use regatta_term::{Arena, Op, Pool, Rebuild, Sort, TermId, TermKind};

/// Abstraction formulas: the operator prec at the end of a block, and entailment.
pub trait Abstraction {
    /// Abstraction formulas ψ.
    type Formula: Clone + Debug;
    /// The precision of the computation.
    type Precision: Clone;

    /// Returns the formula that is true.
    fn top(&self) -> Self::Formula;

    /// Returns the abstraction at the end of the block if `before` holds at its beginning; `None` if the block is infeasible.
    fn compute(
        &mut self,
        before: &Self::Formula,
        block: &BlockFormula<'_>,
        precision: &Self::Precision,
    ) -> Option<Self::Formula>;

    /// Checks whether one formula implies the other at the place; returns `false` if that is not decided.
    fn entails(&mut self, one: &Self::Formula, other: &Self::Formula, at: Place) -> bool;
}

/// All paths from an abstraction state to the next.
pub struct BlockFormula<'c> {
    /// The place where it begins.
    pub source: Place,
    /// The place where it ends.
    pub target: Place,
    /// Whether a proof must show that the target is unreachable.
    pub is_target: bool,
    /// The formula; another occurrence of the block has the same object, not just an equal one.
    pub formula: &'c Rc<PathFormula>,
    pub(super) arena: &'c Rc<Arena>,
    pub(super) definitions: &'c Definitions,
    pub(super) blocks: &'c Blocks,
}

impl BlockFormula<'_> {
    /// Returns the guard of the block and the definitions in it, in the other arena.
    pub fn guard(&self, arena: &Arena) -> Vec<TermId> {
        let mut all = self.definitions.since(0, self.formula.guard);
        all.push(self.formula.guard);
        all.into_iter().map(|term| self.copy(arena, term)).collect()
    }

    /// Returns a term over state variables (instance 0), evaluated at the block's end, in the other arena.
    pub fn at_end(&self, arena: &Arena, term: TermId) -> TermId {
        let value = |term| match self.arena.kind(term) {
            TermKind::Variable {
                symbol,
                instance: 0,
            } => {
                let variable = self.blocks.variable(symbol)?;
                self.formula.values.get(variable.0).copied()
            }
            _ => None,
        };
        let here = Rebuild::new(&**self.arena, &**self.arena, value).rebuild(term);
        self.copy(arena, here)
    }

    /// Returns the definitions on which a term of [`Self::at_end`] depends.
    pub fn definitions(&self, arena: &Arena, term: TermId) -> Vec<TermId> {
        if self.definitions.count() == 0 {
            return Vec::new();
        }
        let mut equations = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            if !seen.insert(top) {
                continue;
            }
            match arena.kind(top) {
                TermKind::Variable { symbol, instance } => {
                    let name = self.arena.intern_variable(symbol, instance);
                    if let Some(value) = self.definitions.value_of(name) {
                        let value = self.copy(arena, value);
                        equations.push(arena.intern(Op::Eq, Sort::Bool, &[top, value]));
                        stack.push(value);
                    }
                }
                TermKind::Apply { arguments, .. } => stack.extend_from_slice(arguments),
                TermKind::Constant(_) => {}
            }
        }
        equations
    }

    fn copy(&self, arena: &Arena, term: TermId) -> TermId {
        match term.is_local() {
            true => regatta_term::transfer(&**self.arena, arena, term),
            false => term,
        }
    }
}

/// For blk^never: there are no abstraction formulas.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoAbstraction;

impl Abstraction for NoAbstraction {
    type Formula = ();
    type Precision = ();

    fn top(&self) {}

    fn compute(&mut self, _: &(), _: &BlockFormula<'_>, _: &()) -> Option<()> {
        Some(())
    }

    fn entails(&mut self, _: &(), _: &(), _: Place) -> bool {
        false
    }
}

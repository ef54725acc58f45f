//! How abstraction formulas are made, kept and compared (paper 000, section 3.1; Table 1, first column).
//!
//! * [`NoAbstraction`]: for blk^never.
//! * [`super::boolean::BooleanAbstraction`]: Boolean predicate abstraction, kept as decision diagrams.
//! * [`super::syntactic::SyntacticAbstraction`]: true where a block can be run at all, kept as terms; what they say
//!   comes from refinements.

use std::fmt::Debug;
use std::rc::Rc;

use super::definitions::Definitions;
use super::path_formula::PathFormula;
use crate::cpa::location::Place;
use crate::program::block::Blocks;
use crate::term::{Arena, Op, Pool, Rebuild, Sort, TermId, TermKind};

/// Abstraction formulas: the operator prec at the end of a block, and entailment.
pub trait Abstraction {
    /// ψ.
    type Formula: Clone + Debug;
    /// What the computation may use.
    type Precision: Clone;

    /// Says nothing.
    fn top(&self) -> Self::Formula;

    /// What holds at the end of the block, if `before` holds where it begins; `None` if the block cannot be run then.
    fn compute(
        &mut self,
        before: &Self::Formula,
        block: &BlockFormula<'_>,
        precision: &Self::Precision,
    ) -> Option<Self::Formula>;

    /// Whether one formula implies the other, at the place; `false` if that is not found out.
    fn entails(&mut self, one: &Self::Formula, other: &Self::Formula, at: Place) -> bool;
}

/// All paths from an abstraction state to the next.
pub struct BlockFormula<'c> {
    /// Where it begins.
    pub source: Place,
    /// Where it ends.
    pub target: Place,
    /// Whether the target is what a proof has to show unreachable.
    pub is_target: bool,
    /// The formula; blocks that are met again have the same one, not an equal one.
    pub formula: &'c Rc<PathFormula>,
    pub(super) arena: &'c Rc<Arena>,
    pub(super) definitions: &'c Definitions,
    pub(super) blocks: &'c Blocks,
}

impl BlockFormula<'_> {
    /// Whether the block is run, and the definitions that this leads to, in the other arena.
    pub fn guard(&self, arena: &Arena) -> Vec<TermId> {
        let mut all = self.definitions.since(0, self.formula.guard);
        all.push(self.formula.guard);
        all.into_iter().map(|term| self.copy(arena, term)).collect()
    }

    /// A term over state variables (instance 0) at the block's end, in the other arena.
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

    /// The definitions that a term from [`Self::at_end`] may lead to.
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
            true => crate::term::transfer(&**self.arena, arena, term),
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

//! The Predicate CPA (\[BDW18\], section 3): abstraction formula, abstraction location, path formula.
//!
//! Engines are configurations of it (\[BDW18\], Table 1):
//!
//! | engine | abstraction formulas | blk | refinement | fcover |
//! | --- | --- | --- | --- | --- |
//! | BMC (`regatta_engines::bmc`) | [`NoAbstraction`] | [`BlockOperator::Never`] | none | none |
//! | k-induction (`regatta_engines::k_induction`) | [`NoAbstraction`] | [`BlockOperator::Never`] | none | none |
//! | predicate abstraction | [`boolean::BooleanAbstraction`] | [`BlockOperator::Loops`] | predicates | none |
//! | IMPACT | [`syntactic::SyntacticAbstraction`] | [`BlockOperator::Loops`] | strengthening | `force_cover` |
//!
//! The last two are configurations of `regatta_engines::cegar`, which mixes them as well.
//!
//! * [`abstraction`]: the interface of abstraction formulas; [`boolean`]: Boolean predicate abstraction, with decision
//!   diagrams ([`regions`]) and an approximation of many models ([`hull`]); [`syntactic`]: formulas as terms;
//!   [`representation`]: what refinements need of both; [`precision`]: predicates.
//! * [`path_formula`]: path formulas; [`definitions`]: names for their parts.
//! * [`postcondition`]: the strongest postcondition; [`crossing`]: the labels of edges of the ARG.
//! * This file: the states and the operators.

pub mod abstraction;
pub mod boolean;
mod crossing;
pub mod definitions;
mod hull;
pub mod path_formula;
mod postcondition;
pub mod precision;
pub mod regions;
pub mod representation;
pub mod syntactic;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::abstraction::{Abstraction, BlockFormula, NoAbstraction};
pub use self::crossing::{Crossing, PathInput};
use self::definitions::Definitions;
use self::path_formula::PathFormula;
use super::composite::Domain;
use super::location::{Edge, EdgeKind, Place};
use regatta_base::choice;
use regatta_program::block::Blocks;
use regatta_program::{CutPointKind, InlinedLocation, Program, VariableId};
use regatta_term::{Arena, Symbol, TermId};

/// The operator blk of adjustable-block encoding (ABE: \[BKW10\]; \[BDW18\], section 3.1.6):
/// the places where an abstraction is computed. [`PredicateCpa::with_block_size`] limits the size of blocks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum BlockOperator {
    /// blk^never: nowhere; path formulas start at the initial state.
    #[default]
    Never,
    /// blk^l: at loop heads, and at targets, which a proof must show unreachable.
    Loops,
    /// blk^lf: also at function entries and exits, if these are cut points.
    LoopsAndFunctions,
}

/// The operator merge for intermediate states of one block.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Merging {
    /// merge^P (\[BDW18\], section 3.1): they become one, whose path formula is the disjunction.
    #[default]
    Join,
    /// merge^sep: each path is followed by itself.
    Separate,
}
choice!(Merging: "join" = Self::Join, "separate" = Self::Separate);

/// An abstract state of the Predicate CPA: the strongest postcondition of the abstraction formula of its abstraction state
/// by its path formula.
#[derive(Clone, Debug)]
pub struct PredicateState {
    /// The abstraction state where the path formula began, which may be this state.
    pub abstraction: AbstractionId,
    /// Whether this is an abstraction state; otherwise it is an intermediate state.
    pub is_abstraction: bool,
    /// The number of edges of the longest path since the abstraction state.
    pub length: u32,
    /// The path formula φ, shared with the edges of the ARG that leave the state.
    pub formula: Rc<PathFormula>,
}

/// The number of an abstraction state in [`PredicateCpa::abstractions`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AbstractionId(pub u32);

/// An abstraction state; together they form a tree.
pub struct AbstractionState<A: Abstraction> {
    /// The abstraction formula ψ, over state variables at instance 0.
    pub formula: A::Formula,
    /// The precision of its computation; `None` for an initial state.
    pub precision: Option<A::Precision>,
    /// The abstraction location l^ψ.
    pub place: Place,
    /// The previous abstraction state, and the path formula between the two.
    pub before: Option<(AbstractionId, Rc<PathFormula>)>,
    /// The state that covers it.
    pub covered_by: Option<AbstractionId>,
}

/// The Predicate CPA.
pub struct PredicateCpa<A: Abstraction = NoAbstraction> {
    blocks: Arc<Blocks>,
    arena: Rc<Arena>,
    /// The names of terms.
    pub definitions: Definitions,
    /// The last used instance of each input's symbol.
    instances: FxHashMap<Symbol, u32>,
    /// The variables of the inputs of the state that is being expanded. Its blocks share them, because the same input values
    /// decide which of the blocks a run takes.
    inputs: FxHashMap<(Symbol, u32), TermId>,
    /// The live variables at a cut point.
    live: FxHashMap<InlinedLocation, Rc<FxHashSet<VariableId>>>,
    blk: BlockOperator,
    merging: Merging,
    /// Maximum number of edges of a block.
    block_size: u32,
    /// The computation of abstraction formulas.
    pub abstraction: A,
    /// All abstraction states so far.
    pub abstractions: Vec<AbstractionState<A>>,
    /// The formulas of the edges from one abstraction location to another.
    whole_blocks: FxHashMap<*const Edge, (Rc<Edge>, Rc<PathFormula>)>,
}

impl PredicateCpa {
    /// Creates the CPA over blocks with blk^never, with formulas in the arena.
    pub fn new(blocks: Arc<Blocks>, arena: Rc<Arena>) -> Self {
        Self::with(blocks, arena, BlockOperator::Never, NoAbstraction)
    }
}

impl<A: Abstraction> PredicateCpa<A> {
    /// Creates the CPA over blocks, with formulas in the arena.
    pub fn with(blocks: Arc<Blocks>, arena: Rc<Arena>, blk: BlockOperator, abstraction: A) -> Self {
        Self {
            blocks,
            definitions: Definitions::new(Rc::clone(&arena)),
            arena,
            instances: FxHashMap::default(),
            inputs: FxHashMap::default(),
            live: FxHashMap::default(),
            blk,
            merging: Merging::Join,
            block_size: u32::MAX,
            abstraction,
            abstractions: Vec::new(),
            whole_blocks: FxHashMap::default(),
        }
    }

    /// Sets the maximum number of edges of a block, which ends there wherever that is (\[BKW10\]). For single edges of the
    /// program, the blocks must have a cut point at every location.
    pub fn with_block_size(self, block_size: u32) -> Self {
        Self { block_size, ..self }
    }

    /// Sets the operator merge for intermediate states. For paths of single edges of the program, the blocks must have a cut
    /// point at every location.
    pub fn with_merging(self, merging: Merging) -> Self {
        Self { merging, ..self }
    }

    /// Returns the arena of its formulas.
    pub fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    /// Returns the blocks of the program.
    pub fn blocks(&self) -> &Arc<Blocks> {
        &self.blocks
    }

    fn program(&self) -> &Program {
        self.blocks.inlined().program()
    }

    /// Creates a state with arbitrary values of the variables, if the condition holds.
    pub fn initial(&mut self, place: Place, condition: TermId) -> PredicateState {
        let formula = Rc::new(PathFormula::new(condition));
        let top = self.abstraction.top();
        let abstraction = self.add_abstraction(top, None, place, None);
        PredicateState {
            abstraction,
            is_abstraction: true,
            length: 0,
            formula,
        }
    }

    fn add_abstraction(
        &mut self,
        formula: A::Formula,
        precision: Option<A::Precision>,
        place: Place,
        before: Option<(AbstractionId, Rc<PathFormula>)>,
    ) -> AbstractionId {
        self.abstractions.push(AbstractionState {
            formula,
            precision,
            place,
            before,
            covered_by: None,
        });
        AbstractionId(self.abstractions.len() as u32 - 1)
    }

    /// Returns the abstraction state with the number.
    pub fn abstraction_state(&self, id: AbstractionId) -> &AbstractionState<A> {
        &self.abstractions[id.0 as usize]
    }

    /// Returns the block formula from the abstraction state to the target.
    pub fn block_formula<'c>(
        &'c self,
        source: AbstractionId,
        formula: &'c Rc<PathFormula>,
        target: Place,
    ) -> BlockFormula<'c> {
        BlockFormula {
            source: self.abstraction_state(source).place,
            target,
            is_target: target.is_target(&self.blocks),
            formula,
            arena: &self.arena,
            definitions: &self.definitions,
            blocks: &self.blocks,
        }
    }

    /// The operator blk, as far as it depends on the place alone.
    pub fn ends_block(&self, place: Place) -> bool {
        if self.block_size == 1 {
            return true;
        }
        let Place::At(at) = place else {
            return self.blk != BlockOperator::Never;
        };
        let kind = self.blocks.inlined().cut_points().kind(at.location);
        match self.blk {
            BlockOperator::Never => false,
            BlockOperator::Loops => kind != Some(CutPointKind::Added),
            BlockOperator::LoopsAndFunctions => {
                let program = self.blocks.inlined().program();
                let function = program.function(program.location(at.location).function);
                kind != Some(CutPointKind::Added)
                    || [function.entry, function.exit].contains(&at.location)
            }
        }
    }
}

impl<A: Abstraction> Domain for PredicateCpa<A> {
    type State = PredicateState;
    type Precision = A::Precision;
    type Label = Crossing;
    const KEEPS_COVERED: bool = true;

    fn expand(&mut self) {
        self.inputs.clear();
    }

    /// Conjoins the strongest postcondition to the path formula.
    fn transfer(
        &mut self,
        state: &PredicateState,
        edge: &Rc<Edge>,
        _: &A::Precision,
    ) -> Option<(PredicateState, Crossing)> {
        let before = &state.formula;
        let after = |formula: Rc<PathFormula>, inputs| {
            let label = Crossing {
                before: Rc::clone(before),
                edge: Rc::clone(edge),
                condition: formula.guard,
                inputs,
            };
            let state = PredicateState {
                abstraction: state.abstraction,
                is_abstraction: false,
                length: state.length + 1,
                formula,
            };
            Some((state, label))
        };
        if state.is_abstraction
            && before.guard == TermId::TRUE
            && let Some((formula, inputs)) = self.whole_block(edge)
        {
            return after(formula, inputs);
        }
        let mut inputs: Rc<[TermId]> = Rc::from([]);
        let program = Arc::clone(self.blocks.inlined().program());
        let operation = |edge| program.edge(edge).operations.first();
        let mut formula = match &edge.kind {
            EdgeKind::Block { blocks, index } => {
                let (after, fresh) = self.run_block(before, &blocks[*index])?;
                inputs = fresh;
                after
            }
            EdgeKind::Call { edge } => self.call(before, operation(*edge)?)?,
            EdgeKind::Return { edge } => self.return_from(before, operation(*edge)?)?,
        };
        self.remove_dead_variables(&mut formula, edge.target);
        after(Rc::new(formula), inputs)
    }

    /// Computes the abstraction at the end of a block.
    fn adjust_precision(
        &mut self,
        state: PredicateState,
        place: Place,
        precision: &A::Precision,
    ) -> Option<(PredicateState, A::Precision)> {
        if !self.ends_block(place) && state.length < self.block_size {
            return Some((state, precision.clone()));
        }
        let before = self.abstraction_state(state.abstraction);
        let block = BlockFormula {
            source: before.place,
            target: place,
            is_target: place.is_target(&self.blocks),
            formula: &state.formula,
            arena: &self.arena,
            definitions: &self.definitions,
            blocks: &self.blocks,
        };
        let formula = &self.abstractions[state.abstraction.0 as usize].formula;
        let formula = self.abstraction.compute(formula, &block, precision)?;
        let before = Some((state.abstraction, state.formula));
        let state = PredicateState {
            abstraction: self.add_abstraction(formula, Some(precision.clone()), place, before),
            is_abstraction: true,
            length: 0,
            formula: Rc::new(PathFormula::new(TermId::TRUE)),
        };
        Some((state, precision.clone()))
    }

    /// Joins intermediate states whose path formulas began at the same abstraction state.
    fn merge(
        &mut self,
        new: &PredicateState,
        old: &PredicateState,
        _: &A::Precision,
    ) -> Option<PredicateState> {
        let of_one_block =
            new.abstraction == old.abstraction && !new.is_abstraction && !old.is_abstraction;
        if self.merging == Merging::Separate {
            return None;
        }
        if !of_one_block && self.blk != BlockOperator::Never {
            return None;
        }
        let formula = new
            .formula
            .join(&old.formula, &self.arena, &mut self.definitions, &|id| {
                self.blocks.inlined().program().variable(id).symbol
            });
        Some(PredicateState {
            formula: Rc::new(formula),
            length: old.length.max(new.length),
            ..old.clone()
        })
    }

    /// Intermediate states are never covered.
    fn is_covered(&mut self, new: &PredicateState, by: &PredicateState, _: &A::Precision) -> bool {
        if self.blk == BlockOperator::Never || !new.is_abstraction || !by.is_abstraction {
            return false;
        }
        let one = &self.abstractions[new.abstraction.0 as usize];
        let other = &self.abstractions[by.abstraction.0 as usize];
        let covered = self
            .abstraction
            .entails(&one.formula, &other.formula, one.place);
        if covered {
            self.abstractions[new.abstraction.0 as usize].covered_by = Some(by.abstraction);
        }
        covered
    }
}

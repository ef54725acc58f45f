//! The Predicate CPA (paper 000, section 3): abstraction formula, abstraction location, path formula.
//!
//! Engines are configurations of it (paper 000, Table 1):
//!
//! | engine | abstraction formulas | blk | refinement | fcover |
//! | --- | --- | --- | --- | --- |
//! | BMC ([`crate::analysis::bmc`]) | [`NoAbstraction`] | [`BlockOperator::Never`] | none | none |
//! | k-induction ([`crate::analysis::k_induction`]) | [`NoAbstraction`] | [`BlockOperator::Never`] | none | none |
//! | predicate abstraction | [`boolean::BooleanAbstraction`] | [`BlockOperator::Loops`] | [`crate::analysis::predicate_abstraction::PredicateRefinement`] | none |
//! | IMPACT | [`syntactic::SyntacticAbstraction`] | [`BlockOperator::Loops`] | [`crate::analysis::impact::ImpactRefinement`] | the same, [`crate::analysis::cegar::Strategy::force_cover`] |
//!
//! * [`abstraction`]: what abstraction formulas have in common; [`boolean`]: Boolean predicate abstraction, with [`regions`],
//!   its decision diagrams, and [`hull`], what stands for too many models; [`syntactic`]: formulas as terms.
//! * [`path_formula`]: what a path formula is here; [`definitions`]: names for what it is made of.
//! * This file: the operators.

pub mod abstraction;
pub mod boolean;
pub mod definitions;
mod hull;
pub mod path_formula;
pub mod regions;
pub mod syntactic;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::abstraction::{Abstraction, BlockFormula, NoAbstraction};
use self::definitions::Definitions;
use self::path_formula::{Frame, PathFormula, Values};
use super::composite::Domain;
use super::location::{Edge, EdgeKind, Place};
use crate::program::block::{Block, Blocks, InputSource};
use crate::program::{
    CutPointKind, InlinedLocation, InputId, InputKind, Operation, Program, Scope, VariableId,
};
use crate::term::{Arena, Build, Pool, Rebuild, Symbol, TermId, TermKind};

/// The operator blk: where an abstraction is computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum BlockOperator {
    /// blk^never. Nowhere: path formulas go back to the beginning.
    #[default]
    Never,
    /// blk^l: where loops are cut, and at what a proof has to show unreachable.
    Loops,
    /// blk^lf: also where functions begin and end, if these are cut points.
    LoopsAndFunctions,
}

/// An abstract state of the Predicate CPA: what holds is the abstraction formula of its abstraction state, and then what
/// the path formula says has happened.
#[derive(Clone, Debug)]
pub struct PredicateState {
    /// The abstraction state where the path formula began, which may be this state.
    pub abstraction: AbstractionId,
    /// Whether this is that abstraction state; else it is an intermediate one.
    pub is_abstraction: bool,
    /// φ: what has happened since. Shared with the edges of the ARG that leave the state.
    pub formula: Rc<PathFormula>,
}

/// A number of an abstraction state in [`PredicateCpa::abstractions`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AbstractionId(pub u32);

/// An abstraction state; together they are a tree.
pub struct AbstractionState<A: Abstraction> {
    /// ψ, over state variables at instance 0.
    pub formula: A::Formula,
    /// What it was computed with; nothing for an initial state.
    pub precision: Option<A::Precision>,
    /// l^ψ.
    pub place: Place,
    /// The abstraction state before it, and what happens between the two.
    pub before: Option<(AbstractionId, Rc<PathFormula>)>,
    /// The state that covered it when it was found, or later.
    pub covered_by: Option<AbstractionId>,
}

/// What an edge of the ARG remembers.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The path formula before the edge.
    before: Rc<PathFormula>,
    /// The edge.
    pub edge: Rc<Edge>,
    /// Whether the edge is taken: a term over state variables at instance 0, inputs and names.
    pub condition: TermId,
    /// For a block's inputs, in order, the variables that they were given.
    inputs: Rc<[TermId]>,
}

/// An input on a path.
#[derive(Copy, Clone, Debug)]
pub struct PathInput {
    /// Which input of the program.
    pub input: InputId,
    /// Whether the path asks for it: a Boolean term.
    pub condition: TermId,
    /// Its value.
    pub value: TermId,
}

/// The Predicate CPA.
pub struct PredicateCpa<A: Abstraction = NoAbstraction> {
    blocks: Arc<Blocks>,
    arena: Rc<Arena>,
    /// What is named.
    pub definitions: Definitions,
    /// Instances of the inputs' symbols that are taken.
    instances: FxHashMap<Symbol, u32>,
    /// The variables of the inputs of the state that is being expanded: its blocks have them in common, for the run that
    /// takes one of the blocks is decided by the same values as the run that does not.
    inputs: FxHashMap<(Symbol, u32), TermId>,
    /// The variables that matter at a cut point.
    live: FxHashMap<InlinedLocation, Rc<FxHashSet<VariableId>>>,
    blk: BlockOperator,
    /// How abstraction formulas are made.
    pub abstraction: A,
    /// All abstraction states so far.
    pub abstractions: Vec<AbstractionState<A>>,
    /// The formulas of the edges from one abstraction location to another.
    whole_blocks: FxHashMap<*const Edge, (Rc<Edge>, Rc<PathFormula>)>,
}

impl PredicateCpa {
    /// The CPA over blocks with blk^never, with formulas in the arena.
    pub fn new(blocks: Arc<Blocks>, arena: Rc<Arena>) -> Self {
        Self::with(blocks, arena, BlockOperator::Never, NoAbstraction)
    }
}

impl<A: Abstraction> PredicateCpa<A> {
    /// The CPA over blocks, with formulas in the arena.
    pub fn with(blocks: Arc<Blocks>, arena: Rc<Arena>, blk: BlockOperator, abstraction: A) -> Self {
        Self {
            blocks,
            definitions: Definitions::new(Rc::clone(&arena)),
            arena,
            instances: FxHashMap::default(),
            inputs: FxHashMap::default(),
            live: FxHashMap::default(),
            blk,
            abstraction,
            abstractions: Vec::new(),
            whole_blocks: FxHashMap::default(),
        }
    }

    /// The pool of its formulas.
    pub fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    /// The blocks of the program.
    pub fn blocks(&self) -> &Arc<Blocks> {
        &self.blocks
    }

    fn program(&self) -> &Program {
        self.blocks.inlined().program()
    }

    /// A state with any values of the variables, if the condition holds.
    pub fn initial(&mut self, place: Place, condition: TermId) -> PredicateState {
        let formula = Rc::new(PathFormula::new(condition));
        let top = self.abstraction.top();
        let abstraction = self.add_abstraction(top, None, place, None);
        PredicateState {
            abstraction,
            is_abstraction: true,
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

    /// The abstraction state with the number.
    pub fn abstraction_state(&self, id: AbstractionId) -> &AbstractionState<A> {
        &self.abstractions[id.0 as usize]
    }

    /// The block formula that ends in the abstraction state.
    pub fn block_formula<'c>(
        &'c self,
        source: AbstractionId,
        formula: &'c Rc<PathFormula>,
        target: Place,
    ) -> BlockFormula<'c> {
        BlockFormula {
            source: self.abstraction_state(source).place,
            target,
            is_target: is_target(&self.blocks, target),
            formula,
            arena: &self.arena,
            definitions: &self.definitions,
            blocks: &self.blocks,
        }
    }

    /// The operator blk.
    pub fn ends_block(&self, place: Place) -> bool {
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

    /// The edge's block as a path formula of its own, if the edge leads from one abstraction location to another: its
    /// inputs need no names then, and what is computed of it can be kept.
    fn whole_block(&mut self, edge: &Rc<Edge>) -> Option<(Rc<PathFormula>, Rc<[TermId]>)> {
        if !self.ends_block(edge.target) {
            return None;
        }
        let block = edge.block()?;
        let inputs = block.inputs.iter().map(|input| input.variable());
        let inputs: Rc<[TermId]> = inputs.collect();
        if let Some((_, known)) = self.whole_blocks.get(&Rc::as_ptr(edge)) {
            return Some((Rc::clone(known), inputs));
        }
        let mut formula = PathFormula::new(block.guard);
        for &(variable, value) in &block.updates {
            formula.values.insert(variable.0, value);
        }
        self.forget_dead(&mut formula, edge.target);
        let formula = Rc::new(formula);
        let entry = (Rc::clone(edge), Rc::clone(&formula));
        self.whole_blocks.insert(Rc::as_ptr(edge), entry);
        Some((formula, inputs))
    }

    /// A term over state variables (instance 0), at the end of the path formula.
    pub fn at_end(&self, formula: &PathFormula, term: TermId) -> TermId {
        self.rebuild(formula, &FxHashMap::default(), [term])[0]
    }

    fn rebuild<const N: usize>(
        &self,
        formula: &PathFormula,
        inputs: &FxHashMap<(Symbol, u32), TermId>,
        terms: [TermId; N],
    ) -> [TermId; N] {
        let mut rebuild = Rebuild::new(&*self.arena, &*self.arena, |term| {
            self.substitute(formula, inputs, term)
        });
        terms.map(|term| rebuild.rebuild(term))
    }

    fn substitute(
        &self,
        formula: &PathFormula,
        inputs: &FxHashMap<(Symbol, u32), TermId>,
        term: TermId,
    ) -> Option<TermId> {
        match self.arena.kind(term) {
            TermKind::Variable {
                symbol,
                instance: 0,
            } => {
                let variable = self.blocks.variable(symbol)?;
                Some(formula.values.get(variable.0).copied().unwrap_or(term))
            }
            TermKind::Variable { symbol, instance } => inputs.get(&(symbol, instance)).copied(),
            _ => None,
        }
    }

    /// Variables for the block's inputs: those that another block of the state has, or new ones.
    fn inputs_of(&mut self, block: &Block) -> Rc<[TermId]> {
        let variables = block.inputs.iter().map(|input| {
            let known = self.inputs.entry((input.symbol, input.instance));
            *known.or_insert_with(|| {
                let instance = self.instances.entry(input.symbol).or_insert(0);
                *instance += 1;
                self.arena.variable_at(input.symbol, *instance)
            })
        });
        variables.collect()
    }

    fn run_block(
        &mut self,
        before: &PathFormula,
        block: &Block,
    ) -> Option<(PathFormula, Rc<[TermId]>)> {
        let fresh = self.inputs_of(block);
        let inputs = input_map(block, &fresh);
        let mut values = before.values.clone();
        let guard;
        let updates: Vec<(VariableId, TermId)>;
        {
            let mut rebuild = Rebuild::new(&*self.arena, &*self.arena, |term| {
                self.substitute(before, &inputs, term)
            });
            guard = self.arena.and2(before.guard, rebuild.rebuild(block.guard));
            if guard == TermId::FALSE {
                return None;
            }
            let run = block.updates.iter();
            updates = run
                .map(|&(variable, value)| (variable, rebuild.rebuild(value)))
                .collect();
        }
        for (variable, value) in updates {
            values.insert(variable.0, self.definitions.name(value));
        }
        let after = PathFormula {
            guard: self.definitions.name(guard),
            values,
            frames: before.frames.clone(),
        };
        Some((after, fresh))
    }

    /// Enters a function of a recursive component: its parameters are assigned, the caller's locals put aside.
    fn call(&mut self, before: &PathFormula, call: &Operation) -> Option<PathFormula> {
        let Operation::Call {
            callee, arguments, ..
        } = call
        else {
            return None;
        };
        let parameters = self.program().function(*callee).parameters.clone();
        let none = FxHashMap::default();
        let arguments: Vec<TermId> = arguments
            .iter()
            .map(|&argument| self.rebuild(before, &none, [argument])[0])
            .collect();
        let mut values = before.values.clone();
        let program = self.blocks.inlined().program();
        values.retain(|variable, _| program.variable(VariableId(variable)).scope == Scope::Global);
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            values.insert(parameter.0, self.definitions.name(argument));
        }
        Some(PathFormula {
            guard: before.guard,
            values,
            frames: Some(Rc::new(Frame {
                values: before.values.clone(),
                caller: before.frames.clone(),
            })),
        })
    }

    /// Returns from it: the globals stay as they are, the caller's locals come back, and the results are assigned.
    fn return_from(&mut self, before: &PathFormula, call: &Operation) -> Option<PathFormula> {
        let Operation::Call {
            callee, results, ..
        } = call
        else {
            return None;
        };
        let frame = before.frames.as_ref()?;
        let program = self.blocks.inlined().program();
        let is_global =
            |variable: u32| program.variable(VariableId(variable)).scope == Scope::Global;
        let mut values = frame.values.clone();
        values.retain(|variable, _| !is_global(variable));
        for (variable, &value) in before.values.iter() {
            if is_global(variable) {
                values.insert(variable, value);
            }
        }
        for (&result, &from) in results.iter().zip(&program.function(*callee).results) {
            let value = self.arena.variable(program.variable(from).symbol);
            let value = before.values.get(from.0).copied().unwrap_or(value);
            values.insert(result.0, value);
        }
        Some(PathFormula {
            guard: before.guard,
            values,
            frames: frame.caller.clone(),
        })
    }

    /// Forgets what cannot matter any more at the place.
    fn forget_dead(&mut self, formula: &mut PathFormula, place: Place) {
        match place {
            Place::At(at) => {
                let blocks = &self.blocks;
                let live = self.live.entry(at).or_insert_with(|| {
                    Rc::new(blocks.state(at).into_iter().collect::<FxHashSet<_>>())
                });
                formula
                    .values
                    .retain(|variable, _| live.contains(&VariableId(variable)));
            }
            Place::Unsupported { .. } => formula.values = Values::new(),
        }
    }

    /// The inputs of the program that an edge asks for, in order.
    pub fn inputs(&self, crossing: &Crossing) -> Vec<PathInput> {
        let Some(block) = crossing.edge.block() else {
            return Vec::new();
        };
        let map = input_map(block, &crossing.inputs);
        let mut inputs = Vec::new();
        for (input, &value) in block.inputs.iter().zip(crossing.inputs.iter()) {
            if let InputSource::Input(id) = input.source {
                inputs.push(PathInput {
                    input: id,
                    condition: self.rebuild(&crossing.before, &map, [input.guard])[0],
                    value,
                });
            }
        }
        inputs
    }

    /// Whether the edge asks for a value that a real execution determines.
    pub fn asks_unknown(&self, crossing: &Crossing) -> bool {
        let program = self.program();
        let unknown = |id: InputId| matches!(program.input(id).kind, InputKind::Unknown(_));
        crossing.edge.block().is_some_and(|block| {
            block
                .inputs
                .iter()
                .any(|input| matches!(input.source, InputSource::Input(id) if unknown(id)))
        })
    }
}

fn input_map(block: &Block, variables: &[TermId]) -> FxHashMap<(Symbol, u32), TermId> {
    let inputs = block.inputs.iter().zip(variables);
    inputs
        .map(|(input, &variable)| ((input.symbol, input.instance), variable))
        .collect()
}

fn is_target(blocks: &Blocks, place: Place) -> bool {
    match place {
        Place::At(at) => blocks.is_error(at.location),
        Place::Unsupported { .. } => true,
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

    /// The strongest postcondition, conjoined to the path formula.
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
        self.forget_dead(&mut formula, edge.target);
        after(Rc::new(formula), inputs)
    }

    /// At the end of a block, the abstraction of what holds there.
    fn adjust_precision(
        &mut self,
        state: PredicateState,
        place: Place,
        precision: &A::Precision,
    ) -> Option<(PredicateState, A::Precision)> {
        if !self.ends_block(place) {
            return Some((state, precision.clone()));
        }
        let before = self.abstraction_state(state.abstraction);
        let block = BlockFormula {
            source: before.place,
            target: place,
            is_target: is_target(&self.blocks, place),
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
            formula: Rc::new(PathFormula::new(TermId::TRUE)),
        };
        Some((state, precision.clone()))
    }

    /// Intermediate states whose path formulas began at one abstraction state are joined: merge of paper 000, section
    /// 3.1.
    fn merge(
        &mut self,
        new: &PredicateState,
        old: &PredicateState,
        _: &A::Precision,
    ) -> Option<PredicateState> {
        let of_one_block =
            new.abstraction == old.abstraction && !new.is_abstraction && !old.is_abstraction;
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

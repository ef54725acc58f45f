//! Block formulas: what happens between two cut points, as one formula.
//!
//! A [`Block`] covers all paths of the inlined program from a cut point to a next one (large-block encoding: Beyer,
//! Cimatti, Griggio, Keremoglu and Sebastiani, FMCAD 2009). Where an engine puts several of them together is the operator
//! blk of adjustable-block encoding ([`crate::cpa::predicate::BlockOperator`]). It is a function rather than a relation: given the
//! values of the state variables (instance 0) and of the block's inputs, `guard` says whether the block is run, and
//! `updates` what the variables that it changes are afterwards. So a precondition is a substitution, and the usual
//! formula in SSA form is [`Block::relation`]. Nothing is duplicated: terms are shared, and where branches join,
//! values are chosen by the conditions of the branches alone (see `gate`), so that thirty diamonds one after the other
//! give a formula of thirty conditional terms.
//!
//! A block leads to one [`BlockEnd`]. The variables of the updates are those that are live there; the others are lost,
//! which is not the same as unchanged: [`Blocks::state`] gives the variables that make up the state of a cut point.
//!
//! Blocks are computed when they are first asked for, and kept: engines that share a [`Blocks`] share them.

mod gate;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::arena::Arena;
use crate::program::cfa::*;
use crate::program::inline::{CallStringId, InlinedLocation, InlinedProgram};
use crate::program::liveness::Liveness;
use crate::program::variables::VariableUse;
use crate::term::{Build, Pool, Rebuild, Symbol, TermId, instantiate, store};

/// Where a block leads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlockEnd {
    /// A cut point; an error location among them.
    CutPoint(InlinedLocation),
    /// An edge that is not modelled: a target of its own.
    Unsupported {
        /// The edge, whose last operation says why.
        edge: EdgeId,
        /// The calls that lead there.
        call_string: CallStringId,
    },
    /// A call of a function in a recursive component, whose edge starts at the block's source. The block has no
    /// updates; it comes back at the edge's target, at the same call string.
    RecursiveCall {
        edge: EdgeId,
        /// The call string of the caller.
        call_string: CallStringId,
    },
}

/// All paths from a cut point to an end.
#[derive(Clone, Debug)]
pub struct Block {
    /// The cut point where it starts.
    pub source: InlinedLocation,
    /// Where it leads.
    pub end: BlockEnd,
    /// Whether it is run: a Boolean term over state variables at instance 0 and inputs.
    pub guard: TermId,
    /// The live variables that it may change, by id, with their values afterwards.
    pub updates: Vec<(VariableId, TermId)>,
    /// What comes from outside, in the order in which it does on any path.
    pub inputs: Vec<BlockInput>,
}

/// A value from outside within a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BlockInput {
    /// What it stands for.
    pub source: InputSource,
    /// The symbol of its variable in the block's terms.
    pub symbol: Symbol,
    /// The instance of its variable, from one.
    pub instance: u32,
    /// Whether the path taken asks for it: a Boolean term like the block's guard.
    pub guard: TermId,
}

impl BlockInput {
    /// The input as a term.
    pub fn variable(&self) -> TermId {
        store().variable_at(self.symbol, self.instance)
    }
}

/// What a [`BlockInput`] stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// An input of the program.
    Input(InputId),
    /// The choice among edges whose conditions could hold together; of no interest to the interpreter.
    Choice,
}

/// A block in terms of a state and inputs of the caller's own.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Whether it is run.
    pub guard: TermId,
    /// The values afterwards of the variables that change.
    pub updates: Vec<(VariableId, TermId)>,
    /// Whether each of the block's inputs is asked for, in order.
    pub inputs: Vec<TermId>,
}

impl Block {
    /// The block as one formula in SSA form: instance 0 is the state before, and instance 1 of each updated variable
    /// its value afterwards.
    pub fn relation(&self, program: &Program) -> TermId {
        let updates = self.updates.iter().map(|&(variable, value)| {
            let after = store().variable_at(program.variable(variable).symbol, 1);
            store().eq(after, value)
        });
        store().and(
            std::iter::once(self.guard)
                .chain(updates)
                .collect::<Vec<_>>(),
        )
    }

    /// The block's terms, in `pool`, with other terms in the places of its variables: `replace` is asked once for
    /// each, a state variable having instance 0 and an input its own symbol.
    pub fn instantiate<P: Pool + ?Sized>(
        &self,
        pool: &P,
        mut replace: impl FnMut(Symbol, u32) -> TermId,
    ) -> Instance {
        let mut rebuild = Rebuild::new(pool, pool, |term| match pool.as_variable(term) {
            Some((symbol, instance)) => Some(replace(symbol, instance)),
            _ => None,
        });
        Instance {
            guard: rebuild.rebuild(self.guard),
            updates: self
                .updates
                .iter()
                .map(|&(variable, value)| (variable, rebuild.rebuild(value)))
                .collect(),
            inputs: self
                .inputs
                .iter()
                .map(|input| rebuild.rebuild(input.guard))
                .collect(),
        }
    }

    /// The preimage of the formula at the block's end (its weakest precondition), apart from the guard. `blocks` are those that it is one
    /// of.
    pub fn preimage<P: Pool + ?Sized>(&self, pool: &P, blocks: &Blocks, formula: TermId) -> TermId {
        instantiate(pool, formula, |symbol, _| {
            let variable = blocks.variable(symbol)?;
            let updated = self.updates.iter().find(|(id, _)| *id == variable);
            updated.map(|(_, value)| *value)
        })
    }

    /// The location where it ends, if it does at a cut point.
    pub fn target(&self) -> Option<InlinedLocation> {
        match self.end {
            BlockEnd::CutPoint(location) => Some(location),
            BlockEnd::Unsupported { .. } | BlockEnd::RecursiveCall { .. } => None,
        }
    }
}

/// The blocks of a program; threads share them.
#[derive(Debug)]
pub struct Blocks {
    inlined: Arc<InlinedProgram>,
    liveness: Arc<Liveness>,
    by_symbol: Arc<FxHashMap<Symbol, VariableId>>,
    errors: FxHashSet<LocationId>,
    known: RwLock<FxHashMap<InlinedLocation, Arc<[Block]>>>,
}

impl Blocks {
    /// The blocks of the program.
    pub fn new(inlined: Arc<InlinedProgram>) -> Self {
        let program = inlined.program();
        let mut liveness = Liveness::new(
            program,
            inlined.graph(),
            inlined.calls(),
            &mut VariableUse::new(program),
        );
        // Which objects there are is said by the next free address.
        liveness.keep(Arena::all(program).into_iter().map(|arena| arena.counter));
        Self {
            by_symbol: Arc::new(program.variables_by_symbol()),
            errors: program.errors.iter().copied().collect(),
            liveness: Arc::new(liveness),
            known: RwLock::default(),
            inlined,
        }
    }

    /// The part of the program that consists of these blocks alone, each by where it starts and where it leads. They are to be
    /// all that is asked for: other cut points have all their blocks.
    pub fn restricted_to(&self, kept: &FxHashSet<(InlinedLocation, BlockEnd)>) -> Self {
        let part = |at: InlinedLocation| {
            let all = self.from(at);
            let all = all.iter().filter(|block| kept.contains(&(at, block.end)));
            (at, all.cloned().collect())
        };
        let ends = kept.iter().filter_map(|&(_, end)| match end {
            BlockEnd::CutPoint(at) => Some(at),
            _ => None,
        });
        let places = kept.iter().map(|&(source, _)| source).chain(ends);
        Self {
            inlined: Arc::clone(&self.inlined),
            liveness: Arc::clone(&self.liveness),
            by_symbol: Arc::clone(&self.by_symbol),
            errors: self.errors.clone(),
            known: RwLock::new(places.map(part).collect()),
        }
    }

    /// The program that the blocks are of.
    pub fn inlined(&self) -> &Arc<InlinedProgram> {
        &self.inlined
    }

    /// Whether the location violates the property.
    pub fn is_error(&self, location: LocationId) -> bool {
        self.errors.contains(&location)
    }

    /// Whether the block leads to what a proof has to show unreachable.
    pub fn is_target(&self, block: &Block) -> bool {
        match block.end {
            BlockEnd::CutPoint(at) => self.is_error(at.location),
            BlockEnd::Unsupported { .. } => true,
            BlockEnd::RecursiveCall { .. } => false,
        }
    }

    pub fn variable(&self, symbol: Symbol) -> Option<VariableId> {
        self.by_symbol.get(&symbol).copied()
    }

    /// The blocks from a cut point, one for each end that some path reaches.
    pub fn from(&self, source: InlinedLocation) -> Arc<[Block]> {
        if let Some(blocks) = self.known.read().get(&source) {
            return blocks.clone();
        }
        let blocks: Arc<[Block]> = gate::blocks_from(self, source).into();
        self.known.write().entry(source).or_insert(blocks).clone()
    }

    /// The variables whose values at the location can matter later, by id: the locals of the callers included.
    pub fn state(&self, at: InlinedLocation) -> Vec<VariableId> {
        let program = self.inlined.program();
        let mut state: Vec<VariableId> = self.liveness.live(program, at.location).collect();
        for call in self.inlined.call_edges(at.call_string) {
            let edge = program.edge(call);
            let written: Vec<VariableId> = edge
                .operations
                .iter()
                .flat_map(|call| call.written(program))
                .collect();
            let after = self.liveness.live(program, edge.target);
            state.extend(after.filter(|variable| {
                program.variable(*variable).scope != Scope::Global && !written.contains(variable)
            }));
        }
        state.sort_unstable();
        state.dedup();
        state
    }

    /// All cut points that blocks lead to from the start function's entry, and from the entries of the functions in
    /// recursive components that are called, in the order in which they are found.
    pub fn cut_points(&self) -> Vec<InlinedLocation> {
        let program = self.inlined.program();
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut next = 0;
        let mut add = |location, order: &mut Vec<_>| {
            if seen.insert(location) {
                order.push(location);
            }
        };
        add(self.inlined.entry(), &mut order);
        while next < order.len() {
            for block in self.from(order[next]).iter() {
                match block.end {
                    BlockEnd::CutPoint(location) => add(location, &mut order),
                    BlockEnd::Unsupported { .. } => {}
                    BlockEnd::RecursiveCall { edge, call_string } => {
                        let edge = program.edge(edge);
                        if let Some(Operation::Call { callee, .. }) = edge.operations.first() {
                            add(self.inlined.entry_of(*callee), &mut order);
                        }
                        let location = edge.target;
                        add(
                            InlinedLocation {
                                location,
                                call_string,
                            },
                            &mut order,
                        );
                    }
                }
            }
            next += 1;
        }
        order
    }
}

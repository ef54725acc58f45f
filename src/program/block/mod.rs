//! Block formulas: the paths between two cut points as one formula.
//!
//! A [`Block`] covers all paths of the inlined program from a cut point to a next one (large-block encoding: \[BCG+09\]).
//! The operator blk of adjustable-block encoding
//! (`regatta_cpa::predicate::BlockOperator`) decides where an engine concatenates several blocks. A block is a function
//! rather than a relation: over the values of the state variables (instance 0) and of the block's inputs, `guard` is the
//! condition under which the block is executed, and `updates` are the values afterwards of the variables that it changes.
//! A weakest precondition is therefore a substitution; the usual formula in SSA form is [`Block::relation`]. Nothing is
//! duplicated: terms are shared, and where branches join, values are selected by the conditions of the branches alone (see
//! `gate`), so that a sequence of thirty diamonds gives a formula of thirty conditional terms.
//!
//! A block leads to one [`BlockEnd`]. Its updates cover only the variables that are live there; the others are lost, which
//! is not the same as unchanged: [`Blocks::state`] gives the variables that make up the state of a cut point.
//!
//! Blocks are computed on demand and cached: engines that share a [`Blocks`] share them.

mod gate;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::cfa::*;
use crate::inline::{CallStringId, InlinedLocation, InlinedProgram};
use crate::liveness::Liveness;
use crate::variables::VariableUse;
use regatta_term::{Build, Pool, Rebuild, Symbol, TermId, instantiate, store};

/// Where a block leads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlockEnd {
    /// A cut point, possibly an error location.
    CutPoint(InlinedLocation),
    /// An unsupported edge, which a proof has to show unreachable.
    Unsupported {
        /// The edge, whose last operation has the reason.
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
    /// The condition under which it is executed: a Boolean term over state variables at instance 0 and inputs.
    pub guard: TermId,
    /// The live variables that it may change, by id, with their values afterwards.
    pub updates: Vec<(VariableId, TermId)>,
    /// The inputs, in an order that agrees with the order of reading on every path.
    pub inputs: Vec<BlockInput>,
}

/// An input of a block: a value that the state before it does not determine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BlockInput {
    /// The origin of the value.
    pub source: InputSource,
    /// The symbol of its variable in the block's terms.
    pub symbol: Symbol,
    /// The instance of its variable, from one.
    pub instance: u32,
    /// The condition under which the input is read: a Boolean term like the block's guard.
    pub guard: TermId,
}

impl BlockInput {
    /// The input as a term.
    pub fn variable(&self) -> TermId {
        store().variable_at(self.symbol, self.instance)
    }
}

/// The origin of a [`BlockInput`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// An input of the program.
    Input(InputId),
    /// The choice among edges whose conditions are not mutually exclusive; the interpreter does not need it.
    Choice,
}

/// A block over the caller's terms for the state and the inputs.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The condition under which it is executed.
    pub guard: TermId,
    /// The values afterwards of the variables that change.
    pub updates: Vec<(VariableId, TermId)>,
    /// For each of the block's inputs, in order, the condition under which it is read.
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

    /// The block's terms, in `pool`, with other terms substituted for its variables: `replace` is called once for each; a
    /// state variable has instance 0, an input its own symbol.
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

    /// The weakest precondition of the formula with respect to the block's updates; the guard is left out. `blocks` are
    /// the program's blocks, of which this is one.
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
        // The next free address determines which objects exist.
        liveness.keep(Arena::all(program).into_iter().map(|arena| arena.counter));
        Self {
            by_symbol: Arc::new(program.variables_by_symbol()),
            errors: program.errors.iter().copied().collect(),
            liveness: Arc::new(liveness),
            known: RwLock::default(),
            inlined,
        }
    }

    /// Restricts the cut points of `kept` to the blocks in it, given by source and end. Cut points that do not occur in
    /// `kept` still have all their blocks, so the caller must not ask for them.
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

    /// The program whose blocks these are.
    pub fn inlined(&self) -> &Arc<InlinedProgram> {
        &self.inlined
    }

    /// Whether the location violates the property.
    pub fn is_error(&self, location: LocationId) -> bool {
        self.errors.contains(&location)
    }

    /// Whether a proof has to show the block's end unreachable.
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

    /// The variables that are live at the location, by id, the locals of the callers included.
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

    /// All cut points that are reachable over blocks from the entries of the start function and of the called functions in
    /// recursive components, in the order of discovery.
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

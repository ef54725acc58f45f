//! The location CPA: locations, and the edges between them.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program::block::{Block, BlockEnd, Blocks};
use crate::program::{CallStringId, CutPointKind, EdgeId, FunctionId, InlinedLocation, Operation};

/// An abstract state of the location CPA.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// At a cut point.
    At(InlinedLocation),
    /// After an edge that is not modelled: nothing is known from there on.
    Unsupported {
        /// The edge.
        edge: EdgeId,
        /// The call string of the edge.
        call_string: CallStringId,
    },
}

impl Place {
    /// Checks whether a proof must show that the place is unreachable.
    pub fn is_target(self, blocks: &Blocks) -> bool {
        match self {
            Self::At(at) => blocks.is_error(at.location),
            Self::Unsupported { .. } => true,
        }
    }
}

/// An edge from one cut point to the next.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The source.
    pub source: InlinedLocation,
    /// The target.
    pub target: Place,
    /// The operation.
    pub kind: EdgeKind,
}

/// The operation of an [`Edge`].
#[derive(Clone, Debug)]
pub enum EdgeKind {
    /// Execution of a block.
    Block {
        /// The blocks from the source.
        blocks: Arc<[Block]>,
        /// The index of the block among them.
        index: usize,
    },
    /// Entry into a function of a recursive component.
    Call {
        /// The call edge.
        edge: EdgeId,
    },
    /// Return from a function of a recursive component.
    Return {
        /// The call edge that is completed.
        edge: EdgeId,
    },
}

impl Edge {
    /// Returns the call string of the source.
    pub fn call_string(&self) -> CallStringId {
        self.source.call_string
    }

    /// Returns the call string of the target, if the target is a cut point.
    pub fn target_call_string(&self) -> Option<CallStringId> {
        match self.target {
            Place::At(location) => Some(location.call_string),
            Place::Unsupported { .. } => None,
        }
    }

    /// Returns the block that is executed, if any.
    pub fn block(&self) -> Option<&Block> {
        match &self.kind {
            EdgeKind::Block { blocks, index } => blocks.get(*index),
            _ => None,
        }
    }
}

/// The location CPA over the blocks of a program.
#[derive(Clone, Debug)]
pub struct LocationCpa {
    blocks: Arc<Blocks>,
    /// The calls so far of each function of a recursive component.
    callers: FxHashMap<FunctionId, Vec<(EdgeId, CallStringId)>>,
    /// The edges of the cut points that have been expanded.
    edges: FxHashMap<InlinedLocation, Rc<[Rc<Edge>]>>,
}

impl LocationCpa {
    /// Creates the CPA for the program of the blocks.
    pub fn new(blocks: Arc<Blocks>) -> Self {
        Self {
            blocks,
            callers: FxHashMap::default(),
            edges: FxHashMap::default(),
        }
    }

    /// Returns the blocks.
    pub fn blocks(&self) -> &Arc<Blocks> {
        &self.blocks
    }

    /// Returns whether reaching the place counts as a step: an additional cut point does not.
    pub fn is_step(&self, place: Place) -> bool {
        match place {
            Place::At(at) => {
                let cut_points = self.blocks.inlined().cut_points();
                cut_points.kind(at.location) != Some(CutPointKind::Added)
            }
            Place::Unsupported { .. } => true,
        }
    }

    /// The transfer relation.
    pub fn edges(&mut self, place: Place) -> Rc<[Rc<Edge>]> {
        let Place::At(source) = place else {
            return Rc::from([]);
        };
        // The return edges of a function depend on its callers so far.
        if let Some(function) = self.returning_function(source) {
            return self.returns(source, function).map(Rc::new).collect();
        }
        if let Some(known) = self.edges.get(&source) {
            return Rc::clone(known);
        }
        let edges: Rc<[Rc<Edge>]> = self.leaving(source).into_iter().map(Rc::new).collect();
        self.edges.insert(source, Rc::clone(&edges));
        edges
    }

    /// Returns the edges from a cut point that is not the exit of a recursive function.
    fn leaving(&mut self, source: InlinedLocation) -> Vec<Edge> {
        let blocks = self.blocks.from(source);
        let edge = |(index, block): (usize, &Block)| {
            let run = || EdgeKind::Block {
                blocks: Arc::clone(&blocks),
                index,
            };
            match block.end {
                BlockEnd::CutPoint(location) => Some(Edge {
                    source,
                    target: Place::At(location),
                    kind: run(),
                }),
                BlockEnd::Unsupported { edge, call_string } => Some(Edge {
                    source,
                    target: Place::Unsupported { edge, call_string },
                    kind: run(),
                }),
                BlockEnd::RecursiveCall { edge, call_string } => {
                    self.call(source, edge, call_string)
                }
            }
        };
        blocks.iter().enumerate().filter_map(edge).collect()
    }

    fn call(
        &mut self,
        source: InlinedLocation,
        edge: EdgeId,
        call_string: CallStringId,
    ) -> Option<Edge> {
        let inlined = self.blocks.inlined();
        let operation = inlined.program().edge(edge).operations.first();
        let Some(Operation::Call { callee, .. }) = operation else {
            return None;
        };
        let callers = self.callers.entry(*callee).or_default();
        if !callers.contains(&(edge, call_string)) {
            callers.push((edge, call_string));
        }
        Some(Edge {
            source,
            target: Place::At(inlined.entry_of(*callee)),
            kind: EdgeKind::Call { edge },
        })
    }

    /// Returns the function of a recursive component whose activation ends at the location.
    fn returning_function(&self, at: InlinedLocation) -> Option<FunctionId> {
        let inlined = self.blocks.inlined();
        let function = inlined.program().location(at.location).function;
        let ends = inlined.program().function(function).exit == at.location
            && inlined.calls().is_recursive(function)
            && inlined.pop(at.call_string).is_none();
        ends.then_some(function)
    }

    fn returns(&self, source: InlinedLocation, function: FunctionId) -> impl Iterator<Item = Edge> {
        let program = self.blocks.inlined().program();
        let callers = self.callers.get(&function).into_iter().flatten();
        callers.map(move |&(edge, call_string)| Edge {
            source,
            target: Place::At(InlinedLocation {
                location: program.edge(edge).target,
                call_string,
            }),
            kind: EdgeKind::Return { edge },
        })
    }
}

//! The composite of the CPAs that every engine here uses: location, call stack, loop bound, ARG, and a domain.

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use super::Cpa;
use super::arg::{ArgCpa, ArgNode};
use super::call_stack::{CallStackCpa, StackId};
use super::location::{Edge, LocationCpa, Place};
use super::loop_bound::LoopBoundCpa;
use crate::program::block::Blocks;

/// A component CPA for facts about the variables.
pub trait Domain {
    /// Abstract states.
    type State: Clone;
    /// Precisions.
    type Precision: Clone;
    /// The labels of edges of the ARG.
    type Label: Clone;
    /// See [`Cpa::KEEPS_COVERED`].
    const KEEPS_COVERED: bool = false;

    /// Is called before a state is expanded: the following calls of [`Self::transfer`] are about its edges, only one of which
    /// a concrete run takes.
    fn expand(&mut self) {}

    /// The transfer relation along one edge; returns `None` if no concrete state can take it.
    fn transfer(
        &mut self,
        state: &Self::State,
        edge: &Rc<Edge>,
        precision: &Self::Precision,
    ) -> Option<(Self::State, Self::Label)>;

    /// The operator prec at a place.
    fn adjust_precision(
        &mut self,
        state: Self::State,
        place: Place,
        precision: &Self::Precision,
    ) -> Option<(Self::State, Self::Precision)>;

    /// The operator merge, for states whose other components are equal.
    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        precision: &Self::Precision,
    ) -> Option<Self::State>;

    /// The operator stop for one other state.
    fn is_covered(
        &mut self,
        new: &Self::State,
        by: &Self::State,
        precision: &Self::Precision,
    ) -> bool;
}

/// The composite CPA.
pub struct Composite<D: Domain> {
    /// The location CPA.
    pub location: LocationCpa,
    /// The activations of recursive functions.
    pub call_stack: CallStackCpa,
    /// The bound on the number of steps.
    pub loop_bound: LoopBoundCpa,
    /// The abstract reachability graph.
    pub arg: ArgCpa<D::Label>,
    /// The domain.
    pub domain: D,
}

/// An abstract state of the composite.
#[derive(Clone, Debug)]
pub struct CompositeState<S> {
    /// The place of execution.
    pub place: Place,
    /// The activations of recursive functions.
    pub stack: StackId,
    /// The number of steps between cut points since the start.
    pub steps: u32,
    /// The node in the ARG.
    pub node: ArgNode,
    /// The state of the domain.
    pub domain: S,
}

impl<D: Domain> Composite<D> {
    /// Creates the composite over the blocks of a program, with the bound zero.
    pub fn new(blocks: Arc<Blocks>, domain: D) -> Self {
        Self {
            location: LocationCpa::new(blocks),
            call_stack: CallStackCpa::default(),
            loop_bound: LoopBoundCpa::new(0),
            arg: ArgCpa::default(),
            domain,
        }
    }

    /// Creates an initial state.
    pub fn initial(&mut self, place: Place, domain: D::State) -> CompositeState<D::State> {
        CompositeState {
            place,
            stack: StackId::EMPTY,
            steps: 0,
            node: self.arg.root(),
            domain,
        }
    }

    /// Checks whether a proof must show that the state is unreachable.
    pub fn is_target(&self, state: &CompositeState<D::State>) -> bool {
        state.place.is_target(self.location.blocks())
    }

    fn depth(&self, state: &CompositeState<D::State>) -> u32 {
        let inlined = self.location.blocks().inlined();
        let call_string = match state.place {
            Place::At(at) => at.call_string,
            Place::Unsupported { call_string, .. } => call_string,
        };
        self.call_stack.height(state.stack) + inlined.depth(call_string)
    }
}

impl<D: Domain> Cpa for Composite<D> {
    type State = CompositeState<D::State>;
    type Precision = D::Precision;
    type Partition = (Place, StackId, u32);
    type Rank = (u32, Reverse<u32>, u32);
    const KEEPS_COVERED: bool = D::KEEPS_COVERED;

    fn partition(&self, state: &Self::State) -> Self::Partition {
        (state.place, state.stack, state.steps)
    }

    fn rank(&self, state: &Self::State) -> Self::Rank {
        let order = match state.place {
            Place::At(at) => self
                .location
                .blocks()
                .inlined()
                .reverse_postorder(at.location),
            Place::Unsupported { .. } => u32::MAX,
        };
        (state.steps, Reverse(self.depth(state)), order)
    }

    fn is_postponed(&self, state: &Self::State, _: &Self::Precision) -> bool {
        self.loop_bound.is_postponed(state.steps)
    }

    fn successors(&mut self, state: &Self::State, precision: &Self::Precision) -> Vec<Self::State> {
        let mut successors = Vec::new();
        self.domain.expand();
        for edge in self.location.edges(state.place).iter() {
            let Some(stack) = self.call_stack.transfer(state.stack, edge) else {
                continue;
            };
            let Some((domain, label)) = self.domain.transfer(&state.domain, edge, precision) else {
                continue;
            };
            successors.push(CompositeState {
                place: edge.target,
                stack,
                steps: self
                    .loop_bound
                    .transfer(state.steps, self.location.is_step(edge.target)),
                node: self.arg.child(state.node, label),
                domain,
            });
        }
        successors
    }

    fn adjust_precision(
        &mut self,
        state: Self::State,
        precision: &Self::Precision,
    ) -> Option<(Self::State, Self::Precision)> {
        let (domain, precision) =
            self.domain
                .adjust_precision(state.domain, state.place, precision)?;
        Some((CompositeState { domain, ..state }, precision))
    }

    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        precision: &Self::Precision,
    ) -> Option<Self::State> {
        let domain = self.domain.merge(&new.domain, &old.domain, precision)?;
        Some(CompositeState {
            node: self.arg.merge(new.node, old.node),
            domain,
            ..old.clone()
        })
    }

    fn is_covered(
        &mut self,
        new: &Self::State,
        by: &Self::State,
        precision: &Self::Precision,
    ) -> bool {
        self.domain.is_covered(&new.domain, &by.domain, precision)
    }
}

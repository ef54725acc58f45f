//! The labels of edges of the ARG: the block that an edge takes, and its inputs.

use std::rc::Rc;

use super::PredicateCpa;
use super::abstraction::Abstraction;
use super::path_formula::PathFormula;
use super::postcondition::input_map;
use crate::cpa::location::Edge;
use crate::program::block::InputSource;
use crate::program::{InputId, InputKind};
use crate::term::TermId;

/// The label of an edge of the ARG.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The path formula before the edge.
    pub(super) before: Rc<PathFormula>,
    /// The edge.
    pub edge: Rc<Edge>,
    /// The condition under which the edge is taken: a term over state variables at instance 0, inputs and names.
    pub condition: TermId,
    /// The variables of the block's inputs, in order.
    pub(super) inputs: Rc<[TermId]>,
}

/// An input on a path.
#[derive(Copy, Clone, Debug)]
pub struct PathInput {
    /// The input of the program.
    pub input: InputId,
    /// The condition under which the path draws it, a Boolean term.
    pub condition: TermId,
    /// Its value.
    pub value: TermId,
}

impl<A: Abstraction> PredicateCpa<A> {
    /// Returns the inputs of the program that an edge draws, in order.
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

    /// Checks whether a real execution determines the value.
    pub fn is_unknown(&self, input: &PathInput) -> bool {
        let kind = &self.program().input(input.input).kind;
        matches!(kind, InputKind::Unknown(_))
    }
}

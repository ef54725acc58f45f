//! What an edge of the ARG remembers of the block that it crosses, and what that asks for.

use std::rc::Rc;

use super::PredicateCpa;
use super::abstraction::Abstraction;
use super::path_formula::PathFormula;
use super::postcondition::input_map;
use crate::cpa::location::Edge;
use crate::program::block::InputSource;
use crate::program::{InputId, InputKind};
use crate::term::TermId;

/// What an edge of the ARG remembers.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The path formula before the edge.
    pub(super) before: Rc<PathFormula>,
    /// The edge.
    pub edge: Rc<Edge>,
    /// Whether the edge is taken: a term over state variables at instance 0, inputs and names.
    pub condition: TermId,
    /// For a block's inputs, in order, the variables that they were given.
    pub(super) inputs: Rc<[TermId]>,
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

impl<A: Abstraction> PredicateCpa<A> {
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

    /// Whether a real execution determines the value.
    pub fn is_unknown(&self, input: &PathInput) -> bool {
        let kind = &self.program().input(input.input).kind;
        matches!(kind, InputKind::Unknown(_))
    }
}

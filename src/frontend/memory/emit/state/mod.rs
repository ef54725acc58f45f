//! The parts of an [`Emitter`](super::Emitter): what it only reads ([`tables`]), the function that it emits ([`body`]), and the
//! expression that it evaluates ([`evaluation`]).

pub(super) mod body;
pub(super) mod evaluation;
pub(super) mod tables;

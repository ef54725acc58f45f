//! Solvers made of others: two of them ([`pair`]), one in another process ([`remote`]), one with variable assignments that are
//! tried first ([`sampled`]), one for integers that is given bit vectors ([`integer_encoding`]).

pub mod integer_encoding;
pub mod pair;
pub mod remote;
pub mod sampled;

//! C's operators as terms: for both arithmetics ([`arithmetic`]), machine integers ([`bit_vectors`]), mathematical integers
//! ([`integer`]), [`floats`].

pub(super) mod arithmetic;
pub(super) mod bit_vectors;
pub(super) mod floats;
pub mod integer;

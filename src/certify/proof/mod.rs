//! Proofs: the [certificates](certificate) that engines submit, as [bytes](portable) for another process, and their
//! [invariants] on the program as lowered.

pub mod certificate;
pub mod invariants;
pub mod portable;

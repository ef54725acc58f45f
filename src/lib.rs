//! Regatta: a parallel portfolio verifier for C.

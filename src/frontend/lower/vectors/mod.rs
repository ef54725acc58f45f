//! Values with several scalar parts: vectors, complex numbers, and the built-in functions for x86 vectors.

pub(super) mod complex;
pub(super) mod intrinsic;
pub(super) mod parts;
pub(super) mod vector;

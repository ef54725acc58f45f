//! The state of lowering: the names in scope, and the function under construction.

pub(super) mod builder;
pub(super) mod scope;

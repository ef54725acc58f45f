//! What terms consist of: operators, sorts, variables' symbols, and constants' values.

pub mod op;
pub mod sort;
pub(super) mod symbol;
pub(super) mod value;

//! Analyses that need no solver: variables read and written, live variables, features for a portfolio, branch conditions,
//! allocation counters.

pub mod arena;
pub mod conditions;
pub mod features;
pub mod liveness;
pub mod variables;

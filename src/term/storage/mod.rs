//! Terms in memory: [`pool`] is the interface; [`store`](mod@store) and [`arena`] are the two kinds of pools, made of
//! [nodes](node) in an [`append_only`] vector; [`rewrite_log`] notes how constructors have simplified.

pub(super) mod append_only;
pub(super) mod arena;
mod node;
pub(super) mod pool;
pub(super) mod rewrite_log;
pub(super) mod store;

//! Analyses of the typed representation: its [indices] are valid; which functions run ([`call_graph`]); the points-to graph
//! ([`points_to`]), the [`constraints`] that fill it, and which functions a pointer may call ([`function_pointers`]); accesses to
//! [`devices`]; which loops are known to end ([`endless`]); whether new objects are put behind others of a list ([`walks`]);
//! queries on expressions and instructions ([`walk`]).

pub(super) mod call_graph;
pub(super) mod constraints;
pub(crate) mod devices;
pub(super) mod endless;
mod function_pointers;
pub(super) mod indices;
pub(super) mod points_to;
pub(crate) mod walk;
pub(super) mod walks;

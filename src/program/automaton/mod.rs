//! The control-flow automaton ([`cfa`]) and what belongs to it: the source's statements on its edges ([`waypoint`]), assumptions
//! of the lowering ([`assumption`]), functions that the source does not define ([`external`]), [ghost](ghost) variables; the
//! checks as [`targets`], and [separate](Program::separate_checks) for each call of an assertion function; [copies](copy) of
//! functions' bodies; how an automaton is [built](builder) and [checked](validate).

pub mod assumption;
pub mod builder;
pub mod cfa;
pub(crate) mod copy;
pub mod external;
pub mod ghost;
mod separate;
pub mod targets;
pub mod validate;
pub mod waypoint;

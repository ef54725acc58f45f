//! Questions to solvers: the checker's ([`query`], with [`solvers`]), those of a second [`opinion`], and verification conditions
//! as files ([`record`]).

pub mod opinion;
pub(super) mod query;
pub mod record;
pub(super) mod solvers;

//! Questions to solvers: the checker's ([`query`], with [`solvers`]), those of a second [`opinion`], and verification conditions
//! as files ([`verification_conditions`]).

mod limits;
pub mod opinion;
pub(super) mod query;
pub(super) mod solvers;
pub mod verification_conditions;

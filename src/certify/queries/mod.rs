//! Questions to solvers: the checker's ([`query`], with [`solvers`]), those of a second [`opinion`], and verification conditions
//! as files ([`verification_conditions`]). [`parts`] of conditions are asked about first where a question is large; of many conditions
//! that are [`alike`], one is asked about.

mod alike;
mod limits;
pub mod opinion;
mod parts;
pub(super) mod query;
pub(super) mod solvers;
pub mod verification_conditions;

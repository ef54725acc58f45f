//! Questions to solvers: the checker's ([`query`], with [`solvers`]), those of a second [`opinion`], and verification conditions
//! as files ([`verification_conditions`]). [`many`] conditions are asked about in groups, and in independent [`parts`], where a question is
//! large; of many that are [`alike`], one is asked about.

mod alike;
mod limits;
mod many;
pub mod opinion;
mod parts;
pub(super) mod query;
pub(super) mod solvers;
pub mod verification_conditions;

//! Where objects live: the [`plan`] of variables and regions, the fields of a class of objects ([`cells`]), the address space
//! ([`layout`], [`addresses`]), and what the source's names stand for ([`names`]).

mod addresses;
pub(super) mod cells;
pub(crate) mod layout;
mod names;
pub(super) mod plan;

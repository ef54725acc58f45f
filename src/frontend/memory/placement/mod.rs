//! Where objects live: the [`plan`] of variables and regions, the fields of a class of objects ([`cells`]), the address space
//! ([`layout`], [`addresses`]), which objects exist ([`lives`]), and what the source's names stand for ([`names`]).

mod addresses;
pub(super) mod cells;
pub(crate) mod layout;
pub(super) mod lives;
mod names;
pub(super) mod plan;

//! Where objects live: the [`plan`] of variables and regions, the fields of a class of objects ([`cells`]), the address space
//! ([`layout`], [`addresses`]), which objects exist ([`lives`]), the local ones that keep memory ([`holders`]), and what the
//! source's names stand for ([`names`]).

mod addresses;
pub(super) mod cells;
pub(super) mod holders;
pub(crate) mod layout;
pub(super) mod lives;
mod names;
pub(super) mod plan;

//! The sources of interpolants: [`conditions`] and [`horn`], which may run [`beside`] the first.

pub(super) mod beside;
pub mod conditions;
pub mod horn;

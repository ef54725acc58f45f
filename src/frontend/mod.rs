//! From C to [`crate::program::Program`].
//!
//! `preprocess` (cc -E) → `rewrite` (what lang-c cannot parse) → `parse` (lang-c) → `types`, `lower` (type check, make
//! the typed intermediate representation [`ir`]) → `memory` (points-to analysis, regions, emission).

mod align;
pub mod constant;
pub mod diagnostic;
pub mod ir;
#[cfg(debug_assertions)]
mod ir_check;
mod ir_print;
pub mod library;
mod literal;
mod load;
pub mod lower;
pub mod memory;
pub mod parse;
pub mod position;
pub mod preprocess;
pub mod property;
pub mod rewrite;
mod split;
pub mod task;
mod token;
pub mod types;

pub use diagnostic::{Error, ErrorKind, Place, Style, Warning};
pub use load::{LoadOptions, Loaded, load, load_preprocessed};
pub use property::Specification;
pub use task::Task;

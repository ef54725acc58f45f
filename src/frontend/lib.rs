//! From C to [`regatta_program::Program`].
//!
//! `preprocess` (cc -E) → `rewrite` (what lang-c cannot parse) → `parse` (lang-c) → `types`, `lower` (type check, make
//! the typed intermediate representation [`ir`]) → `memory` (points-to analysis, regions, emission).
//!
//! # The way of a bit-field
//! * Its type and width are checked in `lower::tag`; `types::record` lays it out, as gcc does.
//! * A member access becomes an lvalue with an [`ir::BitField`], the bits after the first byte touched
//!   (`lower::place`; in initialisers `lower::initializer`). It has no address.
//! * A read has the declared type first, and then the promoted one: `int`, or exactly the field's width where that is
//!   wider than `int` and narrower than the type (`types::relation`, `bit_field_value`; called in `lower::value`).
//! * An assignment stores the value, and reads it back for its own value (`lower::assignment`).
//! * `memory::cells` makes fields of memory out of accesses by their bits, a bit-field's like any others;
//!   `read_place` and `store_at` in `memory::emit` cut to the width and extend from it; mathematical integers are not cut
//!   (`memory::integer`). What depends on where in its unit a bit-field lies is noted as an assumption
//!   (`note_bit_field`).

pub mod advice;
mod align;
pub mod constant;
mod embed;
mod headers;
pub mod ir;
#[cfg(debug_assertions)]
mod ir_check;
mod ir_print;
pub mod library;
mod literal;
mod load;
pub mod lower;
pub mod memory;
mod modern;
pub mod parse;
pub mod position;
pub mod preprocess;
pub mod property;
pub mod pure;
pub mod rewrite;
mod split;
pub mod standard;
pub mod statements;
pub mod task;
mod token;
pub mod types;

pub use load::{LoadOptions, Loaded, load, load_preprocessed};
pub use property::Specification;
pub use standard::Standard;
pub use task::Task;

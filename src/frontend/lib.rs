//! Translates C to [`regatta_program::Program`].
//!
//! `preprocess` (cc -E) → `rewrite` (constructs that lang-c cannot parse) → `parse` (lang-c) → `types`, `lower` (type
//! check, make the typed intermediate representation [`ir`]) → `memory` (points-to analysis, regions, emission).
//!
//! * [`mod@load`]: all these steps, from a file to a program; [`task`], [`mod@property`]: task definitions and properties of
//!   SV-COMP; [`standard`]: the option `--std`; [`advice`]: inputs that are no C programs.
//! * [`preprocess`]: `cc -E`; [`embed`]: what older compilers lack of C23's preprocessor; [`headers`]: headers that a machine
//!   may lack.
//! * [`rewrite`]: what lang-c cannot parse, rewritten; [`token`], [`literal`], [`modern`]: tokens, literals and keywords;
//!   [`split`]: external declarations; [`parse`]: lang-c; [`position`], [`align`]: places in the user's files.
//! * [`types`], [`constant`]: C's types and literals; [`lower`]: type check and lowering.
//! * [`library`]: models of the C library (`malloc` is built in: `lower::memory_builtin`).
//! * [`ir`]: the typed representation; `ir_check`, [`ir_print`]: its typing rules, its text.
//! * [`memory`]: where each object lives, and the edges (`malloc`: `memory::emit::allocation`).
//! * [`statements`], [`pure`]: places and expressions that witnesses name.
//!
//! # Bit-fields in the front end
//! * The type and width of a bit-field are checked in `lower::tag`; `types::record` lays it out, as gcc does.
//! * A member access becomes an lvalue with an [`ir::BitField`], the bits after the first byte touched
//!   (`lower::place`; in initialisers `lower::initializer`). It has no address.
//! * A read has the declared type, then the promoted one: `int`, or an integer of exactly the field's width if that is
//!   wider than `int` and narrower than the type (`types::relation`, `bit_field_value`; called in `lower::value`).
//! * An assignment stores the value, and reads it back for its own value (`lower::assignment`).
//! * `memory::cells` computes the fields of memory from the bits of all accesses, including those of bit-fields;
//!   `load_place` and `store_place` in `memory::emit` truncate to the width and extend from it; mathematical integers
//!   are not truncated (`memory::integer`). An access that depends on the position of a bit-field in its storage unit
//!   is noted as an assumption (`note_bit_field`).

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

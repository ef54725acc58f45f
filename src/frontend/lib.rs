//! Translates C to [`regatta_program::Program`].
//!
//! `preprocess` (cc -E) → `rewrite` (constructs that lang-c cannot parse) → `parse` (lang-c) → `types`, `lower` (type
//! check, make the typed intermediate representation [`ir`]) → `memory` (points-to analysis, regions, emission).
//!
//! * [`mod@load`]: all these steps, from a file to a program.
//! * [`input`]: task definitions and properties of SV-COMP; the option `--std`; advice on inputs that are no C programs.
//! * [`source`]: `cc -E`, what compilers and machines lack of C23 and of headers, places in the user's files.
//! * [`syntax`]: tokens, literals and keywords; what lang-c cannot parse, rewritten; external declarations; lang-c; places
//!   and expressions that witnesses name.
//! * [`types`]: C's types and literals; [`lower`]: type check and lowering.
//! * [`library`]: models of the C library (`malloc` is built in: `lower::calls::memory_builtin`).
//! * [`defined`]: when operations are defined.
//! * [`ir`]: the typed representation, its typing rules, its text.
//! * [`memory`]: where each object lives, and the edges (`malloc`: `memory::emit::allocation`).
//!
//! # Bit-fields in the front end
//! * The type and width of a bit-field are checked in `lower::declarations::tag`; `types::record` lays it out, as gcc does.
//! * A member access becomes an lvalue with an [`ir::BitField`], the bits after the first byte touched
//!   (`lower::expressions::place`; in initialisers `lower::initializer`). It has no address.
//! * A read has the declared type, then the promoted one: `int`, or an integer of exactly the field's width if that is
//!   wider than `int` and narrower than the type (`types::relation`, `bit_field_value`; called in `lower::expressions::value`).
//! * An assignment stores the value, and reads it back for its own value (`lower::expressions::assignment`).
//! * `memory::placement::cells` computes the fields of memory from the bits of all accesses, including those of bit-fields;
//!   `load_place` and `store_place` in `memory::emit` truncate to the width and extend from it; mathematical integers
//!   are not truncated (`memory::integer`). An access that depends on the position of a bit-field in its storage unit
//!   is noted as an assumption (`note_bit_field`).

pub mod defined;
mod input;
pub mod ir;
pub mod library;
mod load;
pub mod lower;
mod memory;
mod source;
mod syntax;
mod types;

pub use input::{advice, property};
pub(crate) use input::{standard, task};
pub use load::{
    DefinedFunction, FileOptions, LoadOptions, Loaded, SourceFile, digests, functions, load,
    load_preprocessed,
};
pub use lower::EntryOptions;
pub use property::Specification;
pub(crate) use source::position;
pub use source::preprocess;
pub use standard::Standard;
pub(crate) use syntax::rewrite;
pub use syntax::{parse, pure, statements};
pub use task::Task;

//! The state of lowering, in parts: what lowering reads ([`input`], [`cursor`]), the names ([`scope`], [`linkage`],
//! [`symbols`]), what the unit consists of ([`objects`], [`literals`], [`functions`]), the function under construction
//! ([`builder`], [`start`]; its instructions go through [`emission`]), the verifier's own text ([`own_text`]), and what the user
//! is told ([`diagnostics`]). Parts that one topic alone uses are with that topic.

pub(super) mod builder;
pub(super) mod cursor;
pub(super) mod diagnostics;
mod emission;
pub(super) mod files;
pub(super) mod functions;
pub(super) mod input;
pub(super) mod linkage;
pub(super) mod literals;
pub(super) mod objects;
pub(super) mod own_text;
pub(super) mod scope;
pub(super) mod start;
pub(super) mod symbols;
mod types;
pub(super) mod uses;

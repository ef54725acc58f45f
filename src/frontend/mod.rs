//! From C to [`crate::program::Program`].
//!
//! `preprocess` (cc -E) → `rewrite` (what lang-c cannot parse) → `parse` (lang-c) → `types`, `lower` (type check, make
//! the typed intermediate representation [`ir`]) → `memory` (points-to analysis, regions, emission).

pub mod ir;

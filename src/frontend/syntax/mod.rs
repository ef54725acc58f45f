//! From preprocessed text to syntax trees: tokens, the rewriting of what lang-c cannot parse, and lang-c. Also the texts
//! of witnesses: the places of statements, and expressions without side effects.

pub(crate) mod literal;
pub(crate) mod modern;
pub mod parse;
pub mod pure;
pub mod rewrite;
pub(crate) mod split;
pub mod statements;
pub(crate) mod token;

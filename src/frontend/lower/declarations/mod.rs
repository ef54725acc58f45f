//! Declarations: specifiers and declarators become types, names get symbols and linkage, functions get bodies.
//!
//! [`declaration`] and [`function`] begin here; [`specifier`], [`declarator`], [`tag`] and [`variable_record`] make types;
//! [`linkage`], [`link`], [`inline`], [`section`] and [`external`] decide which symbol a name denotes and who defines it;
//! [`constexpr`] records constants, [`nested`] lowers functions in functions.

pub(super) mod constexpr;
pub(super) mod declaration;
pub(super) mod declarator;
pub(super) mod external;
pub(super) mod function;
pub(super) mod inline;
pub(super) mod link;
pub(super) mod linkage;
pub(super) mod nested;
pub(super) mod section;
pub(super) mod specifier;
pub(super) mod tag;
pub(super) mod variable_record;

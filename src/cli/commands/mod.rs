//! The subcommands, one in each file.

pub(super) mod cfa;
pub(super) mod check;
pub(super) mod completions;
pub(super) mod experiment;
pub(super) mod functions;
pub(super) mod harness;
pub(super) mod interpret;
pub(super) mod library;
pub(super) mod manual;
pub(super) mod portfolio;
pub(super) mod validate;
pub(super) mod verify;
pub(super) mod witness;

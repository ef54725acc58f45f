//! Statements, and the control flow between them: jumps within a function and out of it, and assembly.

pub(super) mod assembly;
pub(super) mod jump;
pub(super) mod long_jump;
pub(super) mod statement;
pub(super) mod switch;

//! Statements, and the control flow between them: jumps within a function and out of it, and assembly.
//!
//! [`statement`] and [`switch`] lower statements; [`control`] is what is around the current one: [`blocks`] with their
//! objects, and [`labels`]. [`jump`] ends and begins the lifetimes of objects on jumps; [`long_jump`] leaves functions.

pub(super) mod assembly;
pub(super) mod blocks;
pub(super) mod control;
pub(super) mod jump;
pub(super) mod labels;
pub(super) mod long_jump;
pub(super) mod statement;
pub(super) mod switch;

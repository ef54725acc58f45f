//! Checks of an alarm: its [run](replay) by the interpreter, its run as a [compiled program](native),
//! [assumptions](violated_assumptions) that the run violates, and the inputs on which it [depends](dependence).

pub mod dependence;
mod limits;
pub mod native;
pub mod replay;
pub mod violated_assumptions;

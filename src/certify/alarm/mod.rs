//! Checks of an alarm: its [run](replay) by the interpreter, its run as a [compiled program](native), and
//! [assumptions](violated_assumptions) that the run violates.

mod limits;
pub mod native;
pub mod replay;
pub mod violated_assumptions;

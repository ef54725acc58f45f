//! What the user gives beside the C file: task definitions and properties of SV-COMP, the option `--std`, and advice for
//! inputs that are no C programs.

pub mod advice;
pub mod property;
pub mod standard;
pub mod task;

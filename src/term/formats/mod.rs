//! Terms as text (SMT-LIB for solvers, C for witnesses), and as bytes for another process.

pub(super) mod c_printer;
pub(super) mod portable;
pub mod smtlib;

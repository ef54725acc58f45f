//! How the program's files are compiled: the compiler's flags, and compilation databases.

pub mod database;
pub mod flags;

//! What people get to read: the path to an error in words ([`explain`]), the live view ([`progress`]), the table of checks
//! ([`check_table`]), the files written at the
//! end ([`reports`]), and [`checks`] before a run that these can be written.

pub(super) mod check_table;
pub(super) mod checks;
pub(super) mod explain;
pub(super) mod progress;
pub(super) mod reports;
pub mod selection;

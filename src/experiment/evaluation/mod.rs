//! The evaluation of results: tables, comparisons, plots, and a page with all of them.
//!
//! * [`table`]: tables.
//! * [`compare`]: two configurations on the same tasks, with tests of significance ([`statistics`]).
//! * [`difference`]: two folders of results, task by task.
//! * [`plot`]: plots; [`page`]: a page for a browser.

pub mod compare;
pub mod page;
pub mod plot;
pub mod statistics;
pub mod table;

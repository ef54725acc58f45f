//! The evaluation of results: tables, comparisons, plots, and a page with all of them.
//!
//! * [`table`]: tables; [`best`]: the virtual best configuration, and what each configuration contributes to it.
//! * [`compare`]: two configurations on the same tasks, with tests of significance ([`statistics`]).
//! * [`difference`]: two folders of results, task by task.
//! * [`plot`]: plots; [`page`]: a page for a browser.

pub mod best;
pub mod compare;
pub mod difference;
pub mod page;
pub mod plot;
pub mod statistics;
pub mod table;

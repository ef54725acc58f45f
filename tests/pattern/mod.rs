//! Some of the cases of a table: those whose names have the text of the environment's `REGATTA_TEST` in them.

/// Whether the case is to be run: all are unless the variable is set.
pub fn is_chosen(name: &str) -> bool {
    std::env::var("REGATTA_TEST").map_or(true, |pattern| name.contains(&pattern))
}

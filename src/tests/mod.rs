//! Tests that cover several modules, from C text to its semantics. They are here, not in `tests`, so that they share the
//! one build of the library with debug assertions and overflow checks; their programs are in `tests`, as are the tests of
//! the command.

mod c_terms;
mod layout;
mod mutation;
mod order;
mod semantics;
mod toolchain;
mod waypoints;

#[path = "../../tests/pattern/mod.rs"]
mod pattern;

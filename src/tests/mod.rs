//! Tests across the modules, from C to its meaning. They are here, and not in `tests`, to be part of the one build of
//! the library with debug assertions and overflow checks; the programs that they are about are in `tests`. What is
//! tested of the command, as users get it, is in `tests` too.

mod c_terms;
mod layout;
mod mutation;
mod order;
mod semantics;
mod toolchain;
mod waypoints;

#[path = "../../tests/pattern/mod.rs"]
mod pattern;

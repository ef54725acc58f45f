//! What is around the program: code before and after `main`, interrupts, unknown code, and the library's streams.

pub(super) mod entry;
pub(super) mod exit;
pub(super) mod interrupt;
pub(super) mod outside;
pub(super) mod stream;

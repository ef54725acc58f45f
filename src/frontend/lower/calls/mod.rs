//! Calls: of the program's functions, the compiler's built-in ones, the C library's, and of unknown code.
//!
//! [`call`] begins here; [`variadic`] and [`reconcile`] match arguments with parameters; [`builtin`] and its neighbours are
//! functions of the compiler; [`library_call`], [`memory_builtin`] and [`format`](mod@format) are those of the library;
//! [`property`] says which calls are errors.

pub(super) mod atomic;
pub(super) mod builtin;
pub(super) mod call;
pub(super) mod float_builtin;
pub(super) mod format;
pub(super) mod library_call;
pub(super) mod memory_builtin;
pub(super) mod property;
pub(super) mod reconcile;
pub(super) mod variadic;

//! Executable counterexamples: a harness in C that supplies an alarm's input values, and a run of the compiled program with
//! it.
//!
//! * [`script`]: the return values of each undefined function, call by call, and the inputs that no function returns.
//! * [`mod@needs`]: whether the error depends on the latter.
//! * [`mod@harness`]: the C file, with values as written by [`regatta_program::c_value`].
//! * [`mod@run`]: compiles and runs the program, and tells how the run ends.
//!
//! A harness is *faithful* if the error does not depend on inputs that it cannot supply: the value of an uninitialised
//! variable, the address of an object, memory written by unknown code. Then the compiled program must reach the error;
//! otherwise Regatta and the compiler interpret the program differently.

pub mod harness;
pub mod needs;
pub mod run;
pub mod script;

pub use harness::{Command, harness};
pub use needs::needs;
pub use run::{NativeEnd, NativeRun, run};
pub use script::{Script, Unsaid, UnsaidKind};

//! Alarms outside of this program: as a C file that gives the program the alarm's values, and as a run of what a
//! compiler makes of the two.
//!
//! * [`script`]: what each function that the program does not define returns on the way to the error, call by call; and
//!   what of the alarm's inputs no function returns.
//! * [`mod@needs`]: whether the error depends on the latter.
//! * [`mod@harness`]: the C file, with values as [`regatta_program::c_value`] says them.
//! * [`mod@run`]: compiles, runs, and says where the run has come to.
//!
//! A harness is *faithful* if the error does not depend on inputs that it cannot give: an uninitialised variable's value,
//! an object's address, what unknown code has left in memory. Then the compiled program must reach the error, or one of
//! the two readings of C is wrong.

pub mod harness;
pub mod needs;
pub mod run;
pub mod script;

pub use harness::{Command, harness};
pub use needs::needs;
pub use run::{NativeEnd, NativeRun, run};
pub use script::{Script, Unsaid, UnsaidKind};

//! The judgement of answers: what an answer has to pass before it is given, and what it rests on.
//!
//! * [`checker`]: the processes that check proofs.
//! * [`alarm`]: confirmation of an alarm by the compiled program, and its harness.
//! * [`follow`]: execution with the input values of a violation witness.
//! * [`ledger`]: the assumptions of an answer; [`evidence`]: its grounds; [`certificate`]: a proof as SMT-LIB files.

pub mod alarm;
pub mod certificate;
pub mod checker;
pub mod evidence;
pub mod follow;
pub mod ledger;

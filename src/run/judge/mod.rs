//! The judgement of answers: what an answer has to pass before it is given, and what it rests on.
//!
//! * [`answer`]: the judge, by whom a proof or a violation becomes an answer.
//! * [`check_process`]: the processes that check proofs.
//! * [`alarm`]: confirmation of an alarm by the compiled program, and its harness.
//! * [`follow`]: execution with the input values of a violation witness.
//! * [`memory_note`]: what an alarm about memory says of it.
//! * [`unknown_code`]: alarms that rest on functions without a body.
//! * [`ledger`]: the assumptions of an answer; [`evidence`]: its grounds; [`proof_export`]: a proof as SMT-LIB files.

pub mod alarm;
pub(crate) mod answer;
pub mod check_process;
pub mod evidence;
pub mod follow;
pub mod ledger;
mod memory_note;
pub mod proof_export;
pub(crate) mod unknown_code;

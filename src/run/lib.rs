//! A run as a whole: the supervisor process, the pipeline in its child process, the race of the engines, events, limits
//! and the verdict.
//!
//! # The layers
//! A file uses only files before it in this list, in which a folder's `mod.rs` comes after the folder's other files. A test
//! reads the list and the paths in the files.
//!
//! 1. `config`: portfolio files.
//! 2. `record`: what is told of a run, and its answer, as data: `file` (atomic writes), `check` (the table of checks),
//!    `error_path`, `question` (about termination), `verdict` (the answer), `findings` (automaton, invariants and proofs as
//!    text), `kept_invariants` (the file of invariants for the next run), `description` (command, options and machine), `event`,
//!    `dump` (intermediate results for debugging), `recorder` (what the parts of a run record with).
//! 3. `options`: the options of a run, in groups: each part gets its group.
//! 4. `process`: the processes: `exit`, `crash` (which analysis a panic or a fatal signal is attributed to), `supervisor` (the
//!    parent process: signals, limits, standard output, restarts), `zygote` (from which others are forked).
//! 5. `task`: what is verified, as data.
//! 6. `judge`: what an answer has to pass, and what it rests on: `evidence` (its grounds), `ledger` (its assumptions),
//!    `check_process` (it checks proofs), `unknown_code` (alarms that rest on functions without a body), `memory_note` (what is
//!    wrong with memory), `answer` (the judge), `follow` (execution with the values of a violation witness), `alarm`
//!    (confirmation by the compiled program), `proof_export` (a proof as SMT-LIB files).
//! 7. `race`: the engines on their threads; the first answer that passes its check wins: `scheduler` (the rules of permits and
//!    turns), `coordinator` (these rules applied to threads), `helper_permits`, `mailbox`, `exclusions` (the targets that are
//!    left, where each is decided by itself), `thread` (the data of each thread), `targets` (the targets as an analysis sees them),
//!    `alarm_replay`, `engine_thread`, `keeper` (of invariants from run to run), `prover_thread`, `participants` (which
//!    analyses start, and in which order), `invariant_record`.
//! 8. `survey`: what can be said of each check in little time.
//! 9. `pipeline`: the work of the child process: load, simplify, analyse, end.
//! 10. `rounds`: the decision of each check by itself, in rounds: a race for each set of checks.
//! 11. `turns`: the decision of termination: two questions take turns, a race for each turn.

pub mod config;
mod judge;
#[cfg(test)]
mod layers;
pub mod options;
pub mod pipeline;
mod process;
mod race;
mod record;
pub mod rounds;
mod survey;
mod task;
pub mod turns;

// For other crates, each file by its name alone.
pub use judge::{alarm, check_process, evidence, ledger, proof_export};
pub use process::{crash, exit, supervisor, zygote};
pub use record::{check, description, error_path, event, file, findings, verdict};

//! The limits of the replay of alarms and of what is shown of them.

use std::time::Duration;

// --- native::needs ---

/// Maximum wall time of all trials whether an input is needed; inputs that are undecided then count as needed.
pub(super) const MAXIMUM_TRIALS_TIME: Duration = Duration::from_secs(5);

/// Maximum length of such a trial as a multiple of the violation's run.
pub(super) const MAXIMUM_TRIAL_LENGTH_FACTOR: u64 = 4;

// --- native::run ---

/// Maximum length of what a compiled program reports (bytes).
pub(super) const MAXIMUM_MARK_LENGTH: usize = 200;

/// Interval at which the compiled program's process is polled.
pub(super) const POLL_INTERVAL: Duration = Duration::from_micros(500);

/// Maximum address space of the compiled program (bytes), for 64-bit code.
pub(super) const MAXIMUM_ADDRESS_SPACE: u64 = 16 << 30;

/// Maximum stack of the compiled program (bytes), if the system permits it.
pub(super) const MAXIMUM_STACK: u64 = 1 << 30;

/// Maximum size of files that the compiled program writes (bytes).
pub(super) const MAXIMUM_FILE_SIZE: u64 = 64 << 20;

// --- native::script ---

/// Maximum size of the contents of an object or result that are written (bytes).
pub(super) const MAXIMUM_CONTENTS_SIZE: u32 = 1 << 16;

//! Attributes panics and fatal signals to the analysis that caused them.
//!
//! A panic ends only the part of the work in which it happened ([`guarded`]). A solver that aborts or overflows a stack
//! kills its process, and from outside the calling analysis cannot be determined. So every analysis thread stores its number
//! in a thread-local word. A handler of the fatal signals, which runs on the thread that caused them, writes that
//! number into the pipe to the supervisor and raises the signal again. The handler calls async-signal-safe functions only.

use std::any::Any;
use std::cell::Cell;
use std::os::fd::RawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::record::event::{EventKind, Reporter};
use regatta_base::counters;

/// The first byte of the handler's line; no JSON text begins with it.
pub const CRASH_MARK: u8 = b'!';

/// The signals that end a faulty process.
const FATAL: [Signal; 5] = [
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGABRT,
    Signal::SIGILL,
    Signal::SIGFPE,
];

/// The numbers of the parts of a run, by which crashes are attributed. They differ pairwise because engines may still
/// run during the later parts.
pub mod number {
    pub const FRONT_END: u32 = 1;
    pub const SIMPLIFIER: u32 = 2;
    pub const CHECKER: u32 = 3;
    pub const ALARM: u32 = 4;
    pub const LEDGER: u32 = 5;
    pub const PUBLISHER: u32 = 6;
    /// The number of the first analysis.
    pub const FIRST_ANALYSIS: u32 = 7;
}

static PIPE: AtomicI32 = AtomicI32::new(-1);

thread_local! {
    static ANALYSIS: Cell<u32> = const { Cell::new(0) };
}

/// Attributes this thread to the analysis with the number; zero means none.
pub fn attribute_thread(id: u32) {
    ANALYSIS.set(id);
    counters::attribute(id);
}

/// Runs a part of the work under its name and number. Reports a panic in it and returns `None` then.
pub(crate) fn guarded<T>(
    reporter: &Reporter,
    analysis: &str,
    id: u32,
    work: impl FnOnce() -> T,
) -> Option<T> {
    reporter.event(EventKind::Started {
        analysis: analysis.to_owned(),
        id,
    });
    counters::name(id, analysis);
    let before = ANALYSIS.get();
    attribute_thread(id);
    let result = catch_unwind(AssertUnwindSafe(work));
    // It may be a part of another part, as the ledger of an answer is of an analysis that goes on.
    attribute_thread(before);
    match result {
        Ok(value) => Some(value),
        Err(panic) => {
            reporter.event(EventKind::Panicked {
                analysis: analysis.to_owned(),
                message: panic_message(&*panic),
            });
            None
        }
    }
}

/// Returns a panic's message.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "no message".to_owned(),
    }
}

/// Installs the handler of fatal signals, which writes to the pipe.
pub fn install(pipe: RawFd) {
    PIPE.store(pipe, Ordering::Relaxed);
    // The standard library gives each thread an alternate stack, on which the handler can run after a stack overflow.
    let action = SigAction::new(
        SigHandler::Handler(on_fatal_signal),
        SaFlags::SA_ONSTACK | SaFlags::SA_RESETHAND,
        SigSet::empty(),
    );
    for signal in FATAL {
        // SAFETY: the handler only calls functions that are async-signal-safe.
        let _ = unsafe { sigaction(signal, &action) };
    }
}

/// Restores the default action of the fatal signals in a process that has inherited the handler.
pub fn uninstall() {
    PIPE.store(-1, Ordering::Relaxed);
    let action = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    for signal in FATAL {
        // SAFETY: the default action runs no code of this process.
        let _ = unsafe { sigaction(signal, &action) };
    }
}

extern "C" fn on_fatal_signal(signal: libc::c_int) {
    // "\n!<id>\n": the newline first, in case another thread was in the middle of a line.
    let mut line = [0u8; 16];
    let mut at = line.len() - 1;
    line[at] = b'\n';
    let mut id = ANALYSIS.try_with(Cell::get).unwrap_or(0);
    loop {
        at -= 1;
        line[at] = b'0' + (id % 10) as u8;
        id /= 10;
        if id == 0 {
            break;
        }
    }
    at -= 1;
    line[at] = CRASH_MARK;
    at -= 1;
    line[at] = b'\n';
    // SAFETY: write and raise are async-signal-safe; the buffer outlives the call.
    unsafe {
        libc::write(
            PIPE.load(Ordering::Relaxed),
            line[at..].as_ptr().cast(),
            line.len() - at,
        );
        libc::raise(signal);
    }
}

//! Panics and fatal signals, and which analysis they came from.
//!
//! A panic costs the work that it happened in alone ([`guarded`]). A solver that aborts or overflows a stack takes its
//! process with it, and from outside nobody can tell which of the analyses called it. So every analysis thread says who it
//! is in a thread-local word, and a handler of the fatal signals, which runs on the thread that caused them, writes that
//! word into the pipe to the supervisor before it lets the signal take its course. The handler uses nothing but `write`, as it must.

use std::any::Any;
use std::cell::Cell;
use std::os::fd::RawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use super::event::{EventKind, Reporter};
use regatta_base::counters;

/// First byte of the handler's line; no JSON text begins with it.
pub const CRASH_MARK: u8 = b'!';

/// The signals that end a process that is out of order.
const FATAL: [Signal; 5] = [
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGABRT,
    Signal::SIGILL,
    Signal::SIGFPE,
];

/// The numbers of the parts of a run, by which crashes are attributed. No two are the same: engines may still be at work
/// when the parts that follow them are.
pub mod number {
    pub const FRONT_END: u32 = 1;
    pub const SIMPLIFIER: u32 = 2;
    pub const CHECKER: u32 = 3;
    pub const ALARM: u32 = 4;
    pub const LEDGER: u32 = 5;
    pub const PUBLISHER: u32 = 6;
    /// What those of the analyses begin with.
    pub const FIRST_ANALYSIS: u32 = 7;
}

static PIPE: AtomicI32 = AtomicI32::new(-1);

thread_local! {
    static ANALYSIS: Cell<u32> = const { Cell::new(0) };
}

/// Says that this thread works for the analysis with the number from here on; zero is nobody.
pub fn attribute_thread(id: u32) {
    ANALYSIS.set(id);
    counters::attribute(id);
}

/// Runs a part of the work; a panic in it is reported, and costs that part alone.
pub(super) fn guarded<T>(
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
    attribute_thread(id);
    let result = catch_unwind(AssertUnwindSafe(work));
    attribute_thread(0);
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

/// What a panic said.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "no message".to_owned(),
    }
}

/// Catches the fatal signals of this process.
pub fn install(pipe: RawFd) {
    PIPE.store(pipe, Ordering::Relaxed);
    // The standard library gives each thread an alternate stack, which is what makes an overflow reportable.
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

/// Lets the fatal signals take their course in this process, which has inherited the handler.
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

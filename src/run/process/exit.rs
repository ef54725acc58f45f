//! How a process made by `fork` ends.

use nix::sys::signal::Signal;
use nix::unistd::Pid;

/// Makes this process end when its parent ends.
pub fn die_with(parent: Pid) {
    let _ = nix::sys::prctl::set_pdeathsig(Some(Signal::SIGKILL));
    if nix::unistd::getppid() != parent {
        // The parent had ended before the line above.
        exit_now(1);
    }
}

/// Ends the process without running destructors: other threads may be deep in a solver.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit has no preconditions.
    unsafe { libc::_exit(code) }
}

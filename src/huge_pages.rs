//! Transparent huge pages, switched on only for processes that run long enough to gain from them.
//!
//! The allocator asks for transparent huge pages. They make long runs faster, by up to a third. But the system zeroes
//! two megabytes where the first byte of them is touched, and each of a dozen threads that begin side by side touches some:
//! half of the time of a run of fifty milliseconds was spent on that. So a process begins with small pages.

use std::time::Duration;

use nix::sys::prctl::set_thp_disable;

/// The running time after which a process gets huge pages.
const SMALL_PAGES_PERIOD: Duration = Duration::from_millis(100);

/// Gives this process, and those that it forks, small pages until they call [`allow_soon`]. Has no effect where the system does
/// not support it.
pub fn hold_back() {
    let _ = set_thp_disable(true);
}

/// Allows huge pages to this process after a short time, from a thread that it starts for this.
pub fn allow_soon() {
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    let _ = thread.spawn(|| {
        std::thread::sleep(SMALL_PAGES_PERIOD);
        let _ = set_thp_disable(false);
    });
}

#[cfg(test)]
mod tests {
    use nix::sys::prctl::get_thp_disable;

    use super::*;

    #[test]
    fn huge_pages_are_allowed_after_a_while() {
        hold_back();
        let Ok(true) = get_thp_disable() else {
            return;
        };
        allow_soon();
        for _ in 0..100 {
            std::thread::sleep(SMALL_PAGES_PERIOD / 2);
            if get_thp_disable() == Ok(false) {
                return;
            }
        }
        panic!("huge pages are still held back");
    }
}

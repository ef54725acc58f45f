//! Huge pages, only for what takes long enough to need them.
//!
//! The allocator asks for transparent huge pages. They make long runs faster, by up to a third; but the system zeroes
//! two megabytes where the first byte of them is touched, and each of a dozen threads that begin side by side touches some:
//! half of the time of a run of fifty milliseconds was spent on that. So a process begins with small pages.

use std::time::Duration;

use nix::sys::prctl::set_thp_disable;

/// Who has been at work for so long is given huge pages.
const SMALL: Duration = Duration::from_millis(100);

/// This process, and those that it forks, have small pages until they call [`allow_soon`]. Where the system does not know this,
/// everything is as it is.
pub fn hold_back() {
    let _ = set_thp_disable(true);
}

/// This process has huge pages before long, on a thread that it starts for that.
pub fn allow_soon() {
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    let _ = thread.spawn(|| {
        std::thread::sleep(SMALL);
        let _ = set_thp_disable(false);
    });
}

#[cfg(test)]
mod tests {
    use nix::sys::prctl::get_thp_disable;

    use super::*;

    #[test]
    fn small_pages_are_for_the_beginning() {
        hold_back();
        let Ok(true) = get_thp_disable() else {
            return;
        };
        allow_soon();
        for _ in 0..100 {
            std::thread::sleep(SMALL / 2);
            if get_thp_disable() == Ok(false) {
                return;
            }
        }
        panic!("huge pages are still held back");
    }
}

//! How much of an engine's CPU time a question may take that need not be asked at every bound.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// A share of the time.
#[derive(Copy, Clone, Debug)]
pub struct Share {
    /// From 0 to 1.
    pub of_time: f64,
    /// Each time it is asked, it may take this long.
    pub at_least: Duration,
}

/// CPU time of this thread. It stands still while others have their turn.
fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// At which bounds to ask, and for how long (for one thread): at every bound as long as that stays within the share, then at bounds that
/// are farther and farther apart.
#[derive(Clone, Debug)]
pub struct Schedule {
    share: Share,
    started: Duration,
    spent: Duration,
    next: u32,
    asking: Duration,
}

impl Schedule {
    /// Starts now.
    pub fn new(share: Share) -> Self {
        let now = now();
        Self {
            share,
            started: now,
            spent: Duration::ZERO,
            next: 0,
            asking: now,
        }
    }

    /// Whether to ask at the bound; the time runs from here on.
    pub fn begin(&mut self, bound: u32) -> bool {
        self.asking = now();
        bound >= self.next
    }

    /// How long the question may still take.
    pub fn allowance(&self) -> Duration {
        let now = now();
        let allowed = (now - self.started).mul_f64(self.share.of_time);
        let spent = self.spent + (now - self.asking);
        allowed.saturating_sub(spent).max(self.share.at_least)
    }

    /// Whether the question has taken what it may, and has to come to an end.
    pub fn is_over(&self) -> bool {
        let now = now();
        let asking = now - self.asking;
        let allowed = (now - self.started).mul_f64(self.share.of_time);
        asking > self.share.at_least && self.spent + asking > allowed
    }

    /// It has been asked at the bound.
    pub fn end(&mut self, bound: u32) {
        let now = now();
        self.spent += now - self.asking;
        let within = self.spent <= (now - self.started).mul_f64(self.share.of_time);
        self.next = bound + if within { 1 } else { 1 + bound / 4 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_asked_less_often() {
        let mut schedule = Schedule::new(Share {
            of_time: 0.0,
            at_least: Duration::from_millis(1),
        });
        let mut asked = Vec::new();
        for bound in 1..40 {
            if schedule.begin(bound) {
                assert!(schedule.allowance() >= Duration::from_millis(1));
                asked.push(bound);
                std::thread::sleep(Duration::from_micros(10));
                schedule.end(bound);
            }
        }
        assert_eq!(asked, [1, 2, 3, 4, 6, 8, 11, 14, 18, 23, 29, 37]);
    }
}

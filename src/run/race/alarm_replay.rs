//! The replays of an engine's alarms.

use std::time::{Duration, Instant};

use regatta_certify::replay::{NotConfirmed, Replay, replay_compiled};
use regatta_program::interpreter::{Executable, Journal, Limits, Outcome};

/// Maximum number of steps of an alarm's first replay; it is raised while there is time.
const REPLAY_STEPS: u64 = 5_000_000;

/// Factor by which the maximum number of steps grows.
const REPLAY_GROWTH: u64 = 6;

/// Maximum time of an engine's replays: the larger of this share of its time so far and this duration.
const REPLAY_SHARE: f64 = 0.3;
const REPLAY_AT_LEAST: Duration = Duration::from_secs(3);

/// Replays the alarms of an engine. Code that the simplifier has removed may make an execution much longer than the
/// engine's path, or non-terminating, so the limit of steps grows within a share of the time.
pub(super) struct AlarmReplayer<'e> {
    executable: &'e Executable,
    started: Instant,
    spent: Duration,
}

impl<'e> AlarmReplayer<'e> {
    pub fn new(executable: &'e Executable) -> Self {
        Self {
            executable,
            started: Instant::now(),
            spent: Duration::ZERO,
        }
    }

    pub fn replay(&mut self, alarm: &Journal) -> Replay {
        let mut steps = REPLAY_STEPS;
        loop {
            let begin = Instant::now();
            let limits = Limits {
                steps,
                ..Limits::default()
            };
            let result = replay_compiled(self.executable, alarm, limits);
            let took = begin.elapsed();
            self.spent += took;
            let cut_off = Replay::NotConfirmed(NotConfirmed::Elsewhere(Outcome::StepLimit));
            let allowed = self.started.elapsed().mul_f64(REPLAY_SHARE);
            let next = self.spent + took * REPLAY_GROWTH as u32;
            if result != cut_off || next > allowed.max(REPLAY_AT_LEAST) {
                return result;
            }
            steps *= REPLAY_GROWTH;
        }
    }
}

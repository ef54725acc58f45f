//! The replays of an engine's alarms.

use std::time::{Duration, Instant};

use regatta_certify::replay::{NotConfirmed, Replay, replay_compiled};
use regatta_program::interpreter::{Executable, Journal, Limits, Outcome};

/// Steps of a replay at first; an alarm that needs more may have more if there is time.
const REPLAY_STEPS: u64 = 5_000_000;

/// By how much more is more.
const REPLAY_GROWTH: u64 = 6;

/// Replays may take this share of the engine's time so far, and this long in any case.
const REPLAY_SHARE: f64 = 0.3;
const REPLAY_AT_LEAST: Duration = Duration::from_secs(3);

/// Replays the alarms of an engine. What the simplifier left out may make a run much longer than the engine's path, or
/// never end: so the limit grows, within a share of the time.
pub(super) struct Replays<'e> {
    executable: &'e Executable,
    started: Instant,
    spent: Duration,
}

impl<'e> Replays<'e> {
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

//! What a user sees while runs are made: plain lines, or a live view on a terminal.

use std::io::IsTerminal as _;
use std::time::Duration;

use super::folder::Description;
use super::record::{Key, Record};

/// How far an experiment is.
#[derive(Clone, Debug, Default)]
pub struct Situation {
    pub planned: usize,
    pub done: usize,
    /// What runs now, and for how long.
    pub running: Vec<(Key, Duration)>,
    /// Since this process began.
    pub elapsed: Duration,
    /// How long the rest will take, if that can be told.
    pub left: Option<Duration>,
}

/// Where the progress is shown.
pub struct Display {
    last: Duration,
    has_lines: bool,
}

/// How often a plain line says how far it is.
const EVERY: Duration = Duration::from_secs(10);

impl Display {
    /// On standard error.
    pub fn new(_description: &Description, _is_plain: bool) -> Self {
        Self {
            last: Duration::ZERO,
            has_lines: !std::io::stderr().is_terminal() || _is_plain,
        }
    }

    /// Something that the user should know.
    pub fn say(&mut self, message: &str) {
        eprintln!("{message}");
    }

    pub fn begin(&mut self, done: &[Record], situation: &Situation) {
        let _ = done;
        self.line(situation);
    }

    /// A run has ended.
    pub fn record(&mut self, record: &Record, situation: &Situation) {
        if record.is_wrong() {
            self.say(&format!(
                "WRONG: {} says {} of {}, which is {}",
                record.key.configuration,
                record.verdict,
                record.key.task,
                record.expected.as_deref().unwrap_or("unknown")
            ));
        }
        self.draw(situation);
    }

    pub fn draw(&mut self, situation: &Situation) {
        if situation.elapsed.saturating_sub(self.last) >= EVERY {
            self.line(situation);
        }
    }

    fn line(&mut self, situation: &Situation) {
        self.last = situation.elapsed;
        let _ = self.has_lines;
        let left = situation
            .left
            .map(|left| format!(", {} s left", left.as_secs()));
        self.say(&format!(
            "{} of {} runs{}",
            situation.done,
            situation.planned,
            left.unwrap_or_default()
        ));
    }

    pub fn end(&mut self, situation: &Situation) {
        self.line(situation);
    }

    /// Whether the user has asked for an end.
    pub fn wants_to_stop(&mut self) -> bool {
        false
    }
}

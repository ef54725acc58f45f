//! The progress display on a terminal: a line for each analysis, and one for time and memory.
//!
//! The display uses the events only. It is drawn on the supervisor's single thread, when an event arrives: a second thread
//! would make a restart of the race, which forks, unsafe and would delay the end. Nothing is drawn in the first
//! moment, in which most answers come, and nothing at all if standard error is not a terminal.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use regatta_base::printable::printable_line;
use regatta_run::config::{Analysis, Portfolio};
use regatta_run::event::{Event, EventKind};

/// Interval between two events of resource usage, by which time and memory are redrawn.
pub const RESOURCE_INTERVAL: Duration = Duration::from_millis(200);

/// Time before the display appears, in seconds; most answers come earlier.
const SILENT_SECONDS: f64 = 0.3;

/// Maximum number of redraws a second.
const MAXIMUM_DRAWS_PER_SECOND: u8 = 10;

/// The progress display.
pub struct Progress {
    lines: MultiProgress,
    head: ProgressBar,
    analyses: Vec<Line>,
    /// The present step before the analyses, or the last event of no analysis.
    phase: String,
    /// The number of invariants in the store.
    stored: usize,
    drawn: bool,
}

/// The line of an analysis.
struct Line {
    name: String,
    bar: ProgressBar,
    activity: Activity,
}

/// The state of an analysis, from its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Activity {
    bound: Option<u32>,
    left_aside: Option<String>,
    /// The last round of its search for invariants, and the number proved in all rounds.
    invariants: Option<(String, usize)>,
    /// Running, or its result.
    state: String,
}

impl Activity {
    /// Updates the state by an event of the analysis.
    fn note(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Started { .. } => {
                *self = Self {
                    state: "runs".to_owned(),
                    ..Self::default()
                }
            }
            EventKind::Bound { bound, .. } => self.bound = Some(*bound),
            EventKind::Refinement { number, .. } => self.bound = Some(*number),
            EventKind::Invariants { round, proved, .. } => {
                let before = self.invariants.take().map_or(0, |(_, before)| before);
                self.invariants = Some((round.clone(), before + proved));
            }
            EventKind::LeftAside { reason, .. } => self.left_aside = Some(reason.clone()),
            EventKind::Certified { outcome, .. } => self.state = format!("proof {outcome}"),
            EventKind::Finished { outcome, .. } => self.state.clone_from(outcome),
            EventKind::Panicked { .. } => self.state = "internal error".to_owned(),
            EventKind::Refuted { .. } => self.state = "internal error: refuted".to_owned(),
            EventKind::Crashed { .. } => self.state = "crashed".to_owned(),
            _ => {}
        }
    }

    fn describe(&self) -> String {
        let mut parts = vec![self.state.clone()];
        parts.extend(self.bound.map(|bound| format!("bound {bound}")));
        let invariants = self.invariants.as_ref();
        parts.extend(invariants.map(|(round, proved)| format!("{round}: {proved} invariants")));
        let left_aside = self.left_aside.as_ref();
        parts.extend(left_aside.map(|reason| format!("undecided: {reason}")));
        parts.join(", ")
    }
}

impl Progress {
    /// Makes a display for the portfolio's analyses, if standard error is a terminal.
    pub fn new(portfolio: &Portfolio) -> Option<Self> {
        let target = ProgressDrawTarget::stderr_with_hz(MAXIMUM_DRAWS_PER_SECOND);
        if target.is_hidden() {
            return None;
        }
        let names = portfolio.analyses.iter().map(Analysis::name);
        Some(Self::on(target, names))
    }

    fn on<'n>(target: ProgressDrawTarget, names: impl Iterator<Item = &'n str>) -> Self {
        let lines = MultiProgress::with_draw_target(target);
        let line = |_: &str| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(style("{prefix:>14}  {wide_msg}"));
            bar
        };
        Self {
            lines,
            head: line(""),
            analyses: names
                .map(|name| Line {
                    name: name.to_owned(),
                    bar: line(name),
                    activity: Activity::default(),
                })
                .collect(),
            phase: String::new(),
            stored: 0,
            drawn: false,
        }
    }

    /// Updates the display by an event.
    pub fn event(&mut self, event: &Event) {
        if let EventKind::Concluded(_) = event.kind {
            return self.clear();
        }
        if !self.drawn && event.time >= SILENT_SECONDS {
            self.begin();
        }
        if let EventKind::Invariants { total, .. } = event.kind {
            self.stored = total;
        }
        match event.kind.analysis() {
            Some(name) => match self.analyses.iter_mut().find(|line| line.name == name) {
                Some(line) => {
                    line.activity.note(&event.kind);
                    line.show(self.drawn);
                }
                None => name.clone_into(&mut self.phase),
            },
            None => {
                let mut head = self.phase.clone();
                if let EventKind::Resources { memory, cpu } = event.kind {
                    head = format!("{memory} MiB, CPU {cpu:.1} s, {} invariants", self.stored);
                }
                self.head.set_prefix(format!("{:.1} s", event.time));
                self.head.set_message(printable_line(&head).into_owned());
            }
        }
    }

    /// Runs `print` while the display is hidden, so that its output appears above the display.
    pub fn above(&self, print: impl FnOnce()) {
        if self.drawn {
            self.lines.suspend(print);
        } else {
            print();
        }
    }

    /// Removes the display for good.
    pub fn clear(&mut self) {
        if self.drawn {
            let _ = self.lines.clear();
            self.lines.set_draw_target(ProgressDrawTarget::hidden());
            self.drawn = false;
        }
    }

    fn begin(&mut self) {
        self.drawn = true;
        self.head = self.lines.add(self.head.clone());
        for line in &mut self.analyses {
            line.bar = self.lines.add(line.bar.clone());
            line.show(true);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Line {
    fn show(&self, drawn: bool) {
        if drawn {
            self.bar.set_prefix(printable_line(&self.name).into_owned());
            let activity = self.activity.describe();
            self.bar.set_message(printable_line(&activity).into_owned());
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use indicatif::{InMemoryTerm, TermLike};

    use super::*;
    use regatta_run::verdict::Conclusion;

    fn event(time: f64, kind: EventKind) -> Event {
        Event { time, kind }
    }

    fn started(analysis: &str) -> EventKind {
        EventKind::Started {
            analysis: analysis.to_owned(),
            id: 1,
        }
    }

    fn bound(bound: u32) -> EventKind {
        EventKind::Bound {
            analysis: "bmc".to_owned(),
            bound,
        }
    }

    fn invariants(round: &str, proved: usize, total: usize) -> EventKind {
        EventKind::Invariants {
            analysis: "bmc".to_owned(),
            round: round.to_owned(),
            proved,
            total,
        }
    }

    #[test]
    fn lines_show_the_state_and_vanish_at_the_end() {
        let terminal = InMemoryTerm::new(10, 60);
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let mut progress = Progress::on(target, ["simulation", "bmc"].into_iter());
        progress.event(&event(0.01, started("front end")));
        progress.event(&event(0.02, started("bmc")));
        progress.event(&event(0.1, bound(3)));
        assert_eq!(terminal.contents(), "", "nothing in the first moment");
        progress.event(&event(0.5, started("simulation")));
        progress.event(&event(0.55, invariants("pairs", 2, 5)));
        let resources = EventKind::Resources {
            memory: 120,
            cpu: 0.75,
        };
        progress.event(&event(0.6, resources));
        std::thread::sleep(Duration::from_millis(150));
        progress.event(&event(0.7, bound(4)));
        let drawn = terminal.contents();
        let lines: Vec<&str> = drawn.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "0.6 s  120 MiB, CPU 0.8 s, 5 invariants",
                "simulation  runs",
                "bmc  runs, bound 4, pairs: 2 invariants"
            ]
        );
        progress.above(|| {
            let _ = terminal.write_line("a line of the log");
        });
        assert!(terminal.contents().starts_with("a line of the log"));
        let conclusion = EventKind::Concluded(Conclusion::unknown("no"));
        progress.event(&event(0.8, conclusion));
        assert_eq!(terminal.contents().trim(), "a line of the log");
        progress.event(&event(0.9, bound(5)));
        assert_eq!(terminal.contents().trim(), "a line of the log");
    }

    #[test]
    fn an_activity_follows_the_last_events() {
        let mut activity = Activity::default();
        for kind in [started("bmc"), bound(7)] {
            activity.note(&kind);
        }
        assert_eq!(activity.describe(), "runs, bound 7");
        activity.note(&invariants("pairs", 2, 5));
        activity.note(&invariants("cases", 1, 6));
        assert_eq!(activity.describe(), "runs, bound 7, cases: 3 invariants");
        activity.note(&EventKind::LeftAside {
            analysis: "bmc".to_owned(),
            reason: "a sine".to_owned(),
        });
        assert!(activity.describe().ends_with(", undecided: a sine"));
        // The analysis begins again.
        activity.note(&started("bmc"));
        assert_eq!(activity.describe(), "runs");
    }
}

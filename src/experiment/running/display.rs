//! The display of an experiment's progress on standard error: a live view on a terminal, or else plain lines.
//!
//! The view occupies the last lines of the terminal; lasting messages, above all wrong answers, are printed above it. The
//! runner draws it without a further thread, because the runner forks.

use std::io::{IsTerminal as _, Stderr, Write as _, stderr};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Gauge, Paragraph, Row, Table, Widget, Wrap};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use crate::results::folder::Description;
use crate::results::record::{Key, Record};

/// The progress of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    pub planned: usize,
    pub done: usize,
    /// The present runs, with their times so far.
    pub running: Vec<(Key, Duration)>,
    /// The time since this process began.
    pub elapsed: Duration,
    /// The estimated time for the remaining runs, if there is an estimate.
    pub left: Option<Duration>,
}

/// The results of a configuration so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    name: String,
    done: usize,
    solved: usize,
    wrong: usize,
    score: i64,
}

/// The display.
pub struct Display {
    view: View,
    tallies: Vec<Tally>,
    /// The time of the last plain line.
    last: Duration,
}

enum View {
    Lines,
    Live(Box<Terminal<CrosstermBackend<Stderr>>>),
}

/// Interval between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum number of configurations, and of runs, in the view.
const MAXIMUM_LINES_PER_PART: usize = 12;

impl Display {
    /// Makes the display; plain lines if `is_plain` is set or standard error is not a terminal.
    pub fn new(description: &Description, is_plain: bool) -> Self {
        let configurations = &description.fixed.configurations;
        let lines = configurations.len().min(MAXIMUM_LINES_PER_PART)
            + description.side_by_side.min(MAXIMUM_LINES_PER_PART);
        let is_live = !is_plain && stderr().is_terminal();
        let view = is_live.then(|| {
            let options = TerminalOptions {
                // Two more lines are for the head of the table and the gauge.
                viewport: Viewport::Inline(lines as u16 + 2),
            };
            Terminal::with_options(CrosstermBackend::new(stderr()), options)
        });
        Self {
            view: match view {
                Some(Ok(terminal)) => View::Live(Box::new(terminal)),
                _ => View::Lines,
            },
            tallies: configurations
                .iter()
                .map(|configuration| Tally {
                    name: configuration.name.clone(),
                    ..Tally::default()
                })
                .collect(),
            last: Duration::ZERO,
        }
    }

    /// Prints a message for the user.
    pub fn say(&mut self, message: &str) {
        self.write(message, Style::default());
    }

    fn write(&mut self, message: &str, style: Style) {
        match &mut self.view {
            View::Lines => {
                // A closed standard error is ignored.
                let _ = writeln!(stderr(), "{message}");
            }
            View::Live(terminal) => {
                let width = terminal.size().map_or(80, |size| size.width.max(1));
                let text = Line::from(Span::styled(message, style));
                let height = text.width().div_ceil(usize::from(width)).max(1);
                let _ = terminal.insert_before(height as u16, |buffer| {
                    let text = Paragraph::new(text).wrap(Wrap { trim: false });
                    text.render(buffer.area, buffer);
                });
            }
        }
    }

    /// Shows the state before the first run, with the runs that earlier processes have made.
    pub fn begin(&mut self, done: &[Record], progress: &Progress) {
        for record in done {
            self.count(record);
        }
        match self.view {
            View::Lines => self.line(progress),
            View::Live(_) => self.draw(progress),
        }
    }

    fn count(&mut self, record: &Record) {
        let mut tallies = self.tallies.iter_mut();
        if let Some(tally) = tallies.find(|tally| tally.name == record.key.configuration) {
            tally.done += 1;
            tally.solved += usize::from(record.is_solved());
            tally.wrong += usize::from(record.is_wrong());
            tally.score += i64::from(record.score);
        }
    }

    /// Shows a run that has ended.
    pub fn record(&mut self, record: &Record, progress: &Progress) {
        self.count(record);
        if record.is_wrong() {
            let message = format!(
                "WRONG: {} says {} of {}, which is {}",
                record.key.configuration,
                record.verdict,
                record.key.task,
                record.expected.as_deref().unwrap_or("unknown")
            );
            let red = Style::default().fg(Color::Red).add_modifier(Modifier::BOLD);
            self.write(&message, red);
        }
        if matches!(self.view, View::Lines) {
            self.draw(progress);
        }
    }

    /// Shows the progress.
    pub fn draw(&mut self, progress: &Progress) {
        match &mut self.view {
            View::Lines => {
                if progress.elapsed.saturating_sub(self.last) >= LINE_INTERVAL {
                    self.line(progress);
                }
            }
            View::Live(terminal) => {
                let tallies = &self.tallies;
                // A failure to draw must not end the experiment.
                let _ = terminal.draw(|frame| draw(frame, tallies, progress));
            }
        }
    }

    fn line(&mut self, progress: &Progress) {
        self.last = progress.elapsed;
        let sum = |value: fn(&Tally) -> usize| self.tallies.iter().map(value).sum::<usize>();
        let message = format!(
            "{} of {} runs, {} solved, {} wrong{}",
            progress.done,
            progress.planned,
            sum(|tally| tally.solved),
            sum(|tally| tally.wrong),
            left(progress)
        );
        self.say(&message);
    }

    /// Shows the state after the last run.
    pub fn end(&mut self, progress: &Progress) {
        self.draw(progress);
        match &mut self.view {
            View::Lines => self.line(progress),
            View::Live(terminal) => {
                let _ = terminal.show_cursor();
                // Further output comes below the view.
                let area = terminal.get_frame().area();
                let _ = terminal.set_cursor_position((0, area.bottom().saturating_sub(1)));
                let _ = writeln!(stderr());
            }
        }
    }
}

fn left(progress: &Progress) -> String {
    let left = progress.left.filter(|_| progress.done < progress.planned);
    left.map(|left| format!(", {} left", duration(left)))
        .unwrap_or_default()
}

/// Formats a duration for the user.
fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        seconds => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

fn draw(frame: &mut Frame<'_>, tallies: &[Tally], progress: &Progress) {
    let configurations = tallies.len().min(MAXIMUM_LINES_PER_PART) as u16;
    let parts = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(configurations + 1),
        Constraint::Min(0),
    ]);
    let [gauge, table, running] = parts.areas(frame.area());
    let ratio = progress.done as f64 / progress.planned.max(1) as f64;
    let label = format!(
        "{} of {} runs, {}{}",
        progress.done,
        progress.planned,
        duration(progress.elapsed),
        left(progress)
    );
    let bar = Gauge::default().ratio(ratio.clamp(0.0, 1.0)).label(label);
    frame.render_widget(bar.gauge_style(Style::default().fg(Color::Blue)), gauge);
    let faint = Style::default().add_modifier(Modifier::DIM);
    let head = Row::new(["configuration", "done", "solved", "wrong", "score"]).style(faint);
    let rows = tallies.iter().take(MAXIMUM_LINES_PER_PART).map(|tally| {
        let wrong = match tally.wrong {
            0 => Style::default(),
            _ => Style::default().fg(Color::Red).add_modifier(Modifier::BOLD),
        };
        Row::new([
            Cell::from(tally.name.clone()),
            Cell::from(tally.done.to_string()),
            Cell::from(tally.solved.to_string()),
            Cell::from(tally.wrong.to_string()).style(wrong),
            Cell::from(tally.score.to_string()),
        ])
    });
    let widths = [
        Constraint::Fill(1),
        Constraint::Length(7),
        Constraint::Length(7),
        Constraint::Length(7),
        Constraint::Length(8),
    ];
    frame.render_widget(Table::new(rows, widths).header(head), table);
    let lines = progress
        .running
        .iter()
        .take(MAXIMUM_LINES_PER_PART)
        .map(|(key, time)| {
            Line::from(format!(
                "{:>8}  {} on {}",
                duration(*time),
                key.configuration,
                key.task
            ))
        });
    frame.render_widget(
        Paragraph::new(lines.collect::<Vec<_>>()).style(faint),
        running,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::TestBackend;

    #[test]
    fn the_view_shows_wrong_answers() {
        let mut terminal = Terminal::new(TestBackend::new(60, 6)).expect("a terminal");
        let tallies = [
            Tally {
                name: "default".to_owned(),
                done: 3,
                solved: 2,
                wrong: 1,
                score: -29,
            },
            Tally {
                name: "ki".to_owned(),
                ..Tally::default()
            },
        ];
        let key = Key {
            configuration: "ki".to_owned(),
            task: "a/b".to_owned(),
            repetition: 0,
        };
        let progress = Progress {
            planned: 8,
            done: 3,
            running: vec![(key, Duration::from_secs(75))],
            elapsed: Duration::from_secs(30),
            left: Some(Duration::from_secs(7265)),
        };
        let drawn = terminal.draw(|frame| super::draw(frame, &tallies, &progress));
        let buffer = drawn.expect("drawn").buffer.clone();
        let lines: Vec<String> = (0..6)
            .map(|y| (0..60).map(|x| buffer[(x, y)].symbol()).collect())
            .collect();
        assert!(
            lines[0].contains("3 of 8 runs, 30 s, 2:01 h left"),
            "{lines:?}"
        );
        assert!(lines[2].starts_with("default") && lines[2].contains("-29"));
        assert!(lines[4].contains("1:15 min  ki on a/b"));
        let place = lines[2].find('1').expect("the number") as u16;
        assert_eq!(buffer[(place, 2)].fg, Color::Red);
    }
}

//! What a user sees while runs are made: a live view on a terminal, or else plain lines.
//!
//! Both are on standard error. The view has the last lines of the terminal; what is to be read afterwards, wrong answers first of
//! all, goes above it. There is no thread: the runner, which forks, draws.

use std::io::{IsTerminal as _, Stderr, Write as _, stderr};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Gauge, Paragraph, Row, Table, Widget, Wrap};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

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

/// A configuration so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    name: String,
    done: usize,
    solved: usize,
    wrong: usize,
    score: i64,
}

/// Where the progress is shown.
pub struct Display {
    view: View,
    tallies: Vec<Tally>,
    /// When a plain line was last written.
    last: Duration,
}

enum View {
    Lines,
    Live(Box<Terminal<CrosstermBackend<Stderr>>>),
}

/// How often a plain line says how far it is.
const EVERY: Duration = Duration::from_secs(10);

/// Configurations and runs that the view has lines for.
const MOST_LINES: usize = 12;

impl Display {
    /// On standard error; plain if that is wanted, or there is no terminal.
    pub fn new(description: &Description, is_plain: bool) -> Self {
        let configurations = &description.fixed.configurations;
        let lines = configurations.len().min(MOST_LINES) + description.side_by_side.min(MOST_LINES);
        let is_live = !is_plain && stderr().is_terminal();
        let view = is_live.then(|| {
            let options = TerminalOptions {
                // The head of the table and the gauge.
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

    /// Something that the user should know.
    pub fn say(&mut self, message: &str) {
        self.write(message, Style::default());
    }

    fn write(&mut self, message: &str, style: Style) {
        match &mut self.view {
            View::Lines => {
                // Nobody may be reading any more.
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

    /// Before the first run; these were made by earlier processes.
    pub fn begin(&mut self, done: &[Record], situation: &Situation) {
        for record in done {
            self.count(record);
        }
        match self.view {
            View::Lines => self.line(situation),
            View::Live(_) => self.draw(situation),
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

    /// A run has ended.
    pub fn record(&mut self, record: &Record, situation: &Situation) {
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
            self.draw(situation);
        }
    }

    /// Shows how far it is.
    pub fn draw(&mut self, situation: &Situation) {
        match &mut self.view {
            View::Lines => {
                if situation.elapsed.saturating_sub(self.last) >= EVERY {
                    self.line(situation);
                }
            }
            View::Live(terminal) => {
                let tallies = &self.tallies;
                // What cannot be drawn is not worth the experiment.
                let _ = terminal.draw(|frame| draw(frame, tallies, situation));
            }
        }
    }

    fn line(&mut self, situation: &Situation) {
        self.last = situation.elapsed;
        let sum = |value: fn(&Tally) -> usize| self.tallies.iter().map(value).sum::<usize>();
        let message = format!(
            "{} of {} runs, {} solved, {} wrong{}",
            situation.done,
            situation.planned,
            sum(|tally| tally.solved),
            sum(|tally| tally.wrong),
            left(situation)
        );
        self.say(&message);
    }

    /// After the last run.
    pub fn end(&mut self, situation: &Situation) {
        self.draw(situation);
        match &mut self.view {
            View::Lines => self.line(situation),
            View::Live(terminal) => {
                let _ = terminal.show_cursor();
                // What is written next comes below the view.
                let area = terminal.get_frame().area();
                let _ = terminal.set_cursor_position((0, area.bottom().saturating_sub(1)));
                let _ = writeln!(stderr());
            }
        }
    }
}

fn left(situation: &Situation) -> String {
    let left = situation
        .left
        .filter(|_| situation.done < situation.planned);
    left.map(|left| format!(", {} left", duration(left)))
        .unwrap_or_default()
}

/// A duration for people.
fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        seconds => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

fn draw(frame: &mut Frame<'_>, tallies: &[Tally], situation: &Situation) {
    let configurations = tallies.len().min(MOST_LINES) as u16;
    let parts = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(configurations + 1),
        Constraint::Min(0),
    ]);
    let [gauge, table, running] = parts.areas(frame.area());
    let ratio = situation.done as f64 / situation.planned.max(1) as f64;
    let label = format!(
        "{} of {} runs, {}{}",
        situation.done,
        situation.planned,
        duration(situation.elapsed),
        left(situation)
    );
    let bar = Gauge::default().ratio(ratio.clamp(0.0, 1.0)).label(label);
    frame.render_widget(bar.gauge_style(Style::default().fg(Color::Blue)), gauge);
    let faint = Style::default().add_modifier(Modifier::DIM);
    let head = Row::new(["configuration", "done", "solved", "wrong", "score"]).style(faint);
    let rows = tallies.iter().take(MOST_LINES).map(|tally| {
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
    let lines = situation
        .running
        .iter()
        .take(MOST_LINES)
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
    fn the_view_shows_what_is_wrong() {
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
        let situation = Situation {
            planned: 8,
            done: 3,
            running: vec![(key, Duration::from_secs(75))],
            elapsed: Duration::from_secs(30),
            left: Some(Duration::from_secs(7265)),
        };
        let drawn = terminal.draw(|frame| super::draw(frame, &tallies, &situation));
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

//! The race on the page: when each analysis ran, its events, and its result.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Recording;
use regatta_run::event::EventKind;
use regatta_run::verdict::Conclusion;

/// Maximum number of listed events of an analysis.
const MAXIMUM_EVENTS: usize = 200;
/// Maximum number of marks on a lane.
const MAXIMUM_MARKS: usize = 60;

/// The race as shown on the page.
#[derive(Debug, Default, Serialize)]
pub struct RaceView {
    /// The width of the drawing in seconds.
    pub duration: f64,
    pub ticks: Vec<TickView>,
    pub lanes: Vec<LaneView>,
    /// Samples of the run's memory.
    pub memory: Vec<SampleView>,
    /// The maximum of the samples in MiB.
    pub most_memory: u64,
}

#[derive(Debug, Serialize)]
pub struct TickView {
    /// The position in per cent of the width.
    pub at: f64,
    pub label: String,
}

/// A sample of memory: time and amount in per cent of the drawing's width and height.
#[derive(Debug, Serialize)]
pub struct SampleView {
    pub at: f64,
    pub height: f64,
}

/// An analysis, or a step before the analyses.
#[derive(Debug, Default, Serialize)]
pub struct LaneView {
    pub name: String,
    /// Its engine; empty if it is none of the portfolio's analyses.
    pub engine: String,
    pub is_winner: bool,
    pub spans: Vec<SpanView>,
    pub marks: Vec<MarkView>,
    /// Its result, or its state at the end of the run.
    pub state: String,
    /// Its last progress.
    pub last: String,
    /// Its running time in seconds.
    pub ran: f64,
    /// The number of invariants that it has proved.
    pub proved: usize,
    pub events: Vec<EventView>,
    /// The number of events that are not listed.
    pub more: usize,
    /// The counters of its last event.
    pub counters: Vec<(String, String)>,
}

/// An interval of time, in per cent of the width.
#[derive(Debug, Serialize)]
pub struct SpanView {
    pub begin: f64,
    pub length: f64,
    /// `runs`, `waits` or `certifies`.
    pub class: &'static str,
    pub title: String,
}

/// An event that is marked on the lane.
#[derive(Debug, Serialize)]
pub struct MarkView {
    pub at: f64,
    pub class: &'static str,
    pub title: String,
}

/// An event in the list.
#[derive(Clone, Debug, Serialize)]
pub struct EventView {
    pub time: f64,
    pub text: String,
}

/// Maximum position of a tick as a share of the width, so that its label does not extend beyond the right end.
const LAST_TICK_POSITION: f64 = 0.94;

/// A lane under construction.
#[derive(Default)]
struct Lane {
    /// The begin of the present interval, with its class.
    since: Option<(f64, &'static str)>,
    spans: Vec<(f64, f64, &'static str)>,
    marks: Vec<(f64, &'static str, String)>,
    events: Vec<EventView>,
    state: String,
    last: String,
    proved: usize,
    counters: Vec<(String, String)>,
}

impl Lane {
    /// Ends the present interval, and begins the next one of the given class, if any.
    fn turn(&mut self, time: f64, next: Option<&'static str>) {
        if let Some((since, class)) = self.since.take() {
            self.spans.push((since, time.max(since), class));
        }
        self.since = next.map(|class| (time, class));
    }

    fn note(&mut self, time: f64, kind: &EventKind) {
        let Some(text) = describe(kind) else {
            return self.note_turn(time, kind);
        };
        match kind {
            EventKind::Started { .. } => {
                self.turn(time, Some("runs"));
                self.state = "was running when the run ended".to_owned();
            }
            EventKind::Finished {
                outcome,
                statistics,
                ..
            } => {
                self.turn(time, None);
                self.state.clone_from(outcome);
                let plain = |value: &serde_json::Value| match value.as_str() {
                    Some(text) => text.to_owned(),
                    None => value.to_string(),
                };
                let counters = statistics.iter();
                self.counters = counters
                    .map(|(name, value)| (name.replace('_', " "), plain(value)))
                    .collect();
            }
            EventKind::Certified {
                outcome, seconds, ..
            } => {
                self.spans.push((time - seconds, time, "certifies"));
                self.state = format!("its proof: {outcome}");
            }
            EventKind::Panicked { .. } | EventKind::Refuted { .. } | EventKind::Crashed { .. } => {
                self.turn(time, None);
                self.state.clone_from(&text);
            }
            EventKind::Invariants { proved, .. } => {
                self.proved += proved;
                self.last.clone_from(&text);
            }
            _ => self.last.clone_from(&text),
        }
        if let Some(class) = mark(kind) {
            self.marks.push((time, class, text.clone()));
        }
        self.events.push(EventView { time, text });
    }

    fn note_turn(&mut self, time: f64, kind: &EventKind) {
        match kind {
            EventKind::Paused { .. } => {
                self.turn(time, Some("waits"));
                self.state = "was waiting for its next turn when the run ended".to_owned();
            }
            EventKind::Resumed { .. } => {
                self.turn(time, Some("runs"));
                self.state = "was running when the run ended".to_owned();
            }
            _ => {}
        }
    }
}

/// Returns the class of an event's mark on a lane.
fn mark(kind: &EventKind) -> Option<&'static str> {
    Some(match kind {
        EventKind::Bound { .. } | EventKind::Refinement { .. } | EventKind::Abstracted { .. } => {
            "bound"
        }
        EventKind::Invariants { proved: 1.., .. } => "proved",
        EventKind::Relied { .. } => "relied",
        EventKind::Refuted { .. } | EventKind::Panicked { .. } | EventKind::Crashed { .. } => "bad",
        EventKind::LeftAside { .. } => "aside",
        _ => return None,
    })
}

/// Describes an analysis's event; `None` for events that are only drawn.
fn describe(kind: &EventKind) -> Option<String> {
    Some(match kind {
        EventKind::Started { .. } => "starts".to_owned(),
        EventKind::Bound { bound, .. } => format!("bound {bound}"),
        EventKind::Refinement { number, states, .. } => {
            format!("refinement {number}, {states} abstract states")
        }
        EventKind::Invariants {
            round,
            proved,
            total,
            ..
        } => format!("{round}: {proved} new invariants, {total} in all"),
        EventKind::Relied {
            publisher,
            invariants,
            ..
        } => format!("its proof has {invariants} invariants of {publisher}"),
        EventKind::LeftAside { reason, .. } => {
            format!("cannot decide whether an error location is reached: {reason}")
        }
        EventKind::Abstracted {
            basis,
            bound,
            kept,
            all,
            ..
        } => format!("{kept} of {all} constraints, from a {basis} for {bound} iterations"),
        EventKind::Certified {
            outcome, seconds, ..
        } => format!("proof {outcome}, after {:.1} ms", seconds * 1e3),
        EventKind::Excluded { checks, .. } => format!("{} checks are excluded", checks.len()),
        EventKind::Replayed {
            outcome, seconds, ..
        } => format!("native replay: {outcome}, after {:.1} ms", seconds * 1e3),
        EventKind::Finished { outcome, .. } => format!("ends: {outcome}"),
        EventKind::Panicked { message, .. } => format!("internal error: {message}"),
        EventKind::Refuted { reason, .. } => format!("its answer did not pass its check: {reason}"),
        EventKind::Crashed { reason, .. } => reason.clone(),
        EventKind::Proof { parts, .. } => {
            let parts: Vec<&str> = parts.iter().map(|part| part.what.as_str()).collect();
            format!("a proof: {}", parts.join("; "))
        }
        _ => return None,
    })
}

/// Returns the race of a run with the duration in seconds.
pub fn view(recording: &Recording, conclusion: Option<&Conclusion>, duration: f64) -> RaceView {
    let mut lanes: BTreeMap<String, Lane> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut samples = Vec::new();
    for event in &recording.events {
        if let EventKind::Resources { memory, .. } = event.kind {
            samples.push((event.time, memory));
        }
        // The phases are the events of the front end.
        if let EventKind::Phase { name, seconds } = &event.kind {
            let lane = lanes.entry("front end".to_owned()).or_default();
            let text = format!("{name}: {:.1} ms", seconds * 1e3);
            lane.state = "done".to_owned();
            lane.turn(event.time, None);
            lane.events.push(EventView {
                time: event.time,
                text,
            });
            continue;
        }
        let Some(name) = event.kind.analysis() else {
            continue;
        };
        if !order.iter().any(|one| one == name) {
            order.push(name.to_owned());
        }
        let lane = lanes.entry(name.to_owned()).or_default();
        lane.note(event.time, &event.kind);
    }
    let analyses = &recording.description.analyses;
    for analysis in analyses {
        if !order.contains(&analysis.name) {
            order.push(analysis.name.clone());
            let lane = lanes.entry(analysis.name.clone()).or_default();
            lane.state = "did not begin".to_owned();
        }
    }
    let scale = 100.0 / duration.max(1e-6);
    let per_cent = |time: f64| round((time * scale).clamp(0.0, 100.0));
    let winner = conclusion.and_then(|conclusion| conclusion.analysis.as_deref());
    let lanes = order.into_iter().map(|name| {
        let mut lane = lanes.remove(&name).unwrap_or_default();
        lane.turn(duration, None);
        let ran = lane.spans.iter().filter(|span| span.2 == "runs");
        let engine = analyses.iter().find(|analysis| analysis.name == name);
        LaneView {
            engine: engine.map_or_else(String::new, |analysis| analysis.engine.clone()),
            is_winner: winner == Some(name.as_str()),
            // The empty sum is negative zero.
            ran: round(0.0 + ran.map(|(begin, end, _)| end - begin).sum::<f64>()),
            spans: lane
                .spans
                .iter()
                .map(|&(begin, end, class)| SpanView {
                    begin: per_cent(begin),
                    length: round(per_cent(end) - per_cent(begin)),
                    class,
                    title: format!("{class} from {begin:.3} s to {end:.3} s"),
                })
                .collect(),
            marks: thin(&lane.marks)
                .map(|(time, class, text)| MarkView {
                    at: per_cent(*time),
                    class,
                    title: format!("{time:.3} s: {text}"),
                })
                .collect(),
            more: lane.events.len().saturating_sub(MAXIMUM_EVENTS),
            events: lane.events.into_iter().take(MAXIMUM_EVENTS).collect(),
            state: lane.state,
            last: lane.last,
            proved: lane.proved,
            counters: lane.counters,
            name,
        }
    });
    let most_memory = samples.iter().map(|sample| sample.1).max().unwrap_or(0);
    RaceView {
        duration,
        ticks: ticks(duration)
            .map(|time| TickView {
                at: per_cent(time),
                label: format!("{} s", round(time)),
            })
            .collect(),
        lanes: lanes.collect(),
        memory: samples
            .iter()
            .map(|&(time, memory)| SampleView {
                at: per_cent(time),
                height: round(memory as f64 * 100.0 / most_memory.max(1) as f64),
            })
            .collect(),
        most_memory,
    }
}

/// Thins the marks out to the maximum number, and keeps the last one.
fn thin<T>(all: &[T]) -> impl Iterator<Item = &T> {
    let every = all.len().div_ceil(MAXIMUM_MARKS).max(1);
    let last = all.len().saturating_sub(1);
    let kept = all.iter().enumerate();
    kept.filter(move |(index, _)| index % every == 0 || *index == last)
        .map(|(_, one)| one)
}

/// Returns about five round times.
fn ticks(duration: f64) -> impl Iterator<Item = f64> {
    let rough = (duration / 5.0).max(1e-4);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step
        .into_iter()
        .find(|&step| step >= rough)
        .unwrap_or(rough);
    (0..)
        .map(move |number| f64::from(number) * step)
        .take_while(move |&time| time <= duration * LAST_TICK_POSITION)
}

/// Rounds to a thousandth.
fn round(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_run::event::Event;

    fn analysis() -> String {
        "bmc".to_owned()
    }

    #[test]
    fn a_lane_runs_waits_and_certifies() {
        let kinds = [
            (
                1.0,
                EventKind::Started {
                    analysis: analysis(),
                    id: 4,
                },
            ),
            (
                2.0,
                EventKind::Bound {
                    analysis: analysis(),
                    bound: 3,
                },
            ),
            (
                3.0,
                EventKind::Paused {
                    analysis: analysis(),
                },
            ),
            (
                5.0,
                EventKind::Resumed {
                    analysis: analysis(),
                },
            ),
            (
                6.0,
                EventKind::Finished {
                    analysis: analysis(),
                    outcome: "found a proof".to_owned(),
                    statistics: serde_json::Map::new(),
                },
            ),
            (
                8.0,
                EventKind::Certified {
                    analysis: analysis(),
                    outcome: "confirmed".to_owned(),
                    seconds: 1.0,
                },
            ),
        ];
        let recording = Recording {
            events: kinds.map(|(time, kind)| Event { time, kind }).into(),
            ..Recording::default()
        };
        let view = view(&recording, Some(&Conclusion::proved("bmc")), 10.0);
        let [lane] = &view.lanes[..] else {
            panic!("one lane");
        };
        assert!(lane.is_winner);
        assert_eq!(lane.ran, 3.0);
        let spans = lane
            .spans
            .iter()
            .map(|span| (span.class, span.begin, span.length));
        let spans: Vec<_> = spans.collect();
        assert_eq!(
            spans,
            [
                ("runs", 10.0, 20.0),
                ("waits", 30.0, 20.0),
                ("runs", 50.0, 10.0),
                ("certifies", 70.0, 10.0)
            ]
        );
        assert_eq!(lane.marks.len(), 1);
        assert_eq!(
            (lane.state.as_str(), lane.last.as_str()),
            ("its proof: confirmed", "bound 3")
        );
        assert_eq!(view.ticks.len(), 5);
    }

    #[test]
    fn few_of_many_marks_are_kept() {
        let all: Vec<usize> = (0..1000).collect();
        let kept: Vec<_> = thin(&all).collect();
        assert!(kept.len() <= MAXIMUM_MARKS + 1);
        assert_eq!((kept[0], kept[kept.len() - 1]), (&0, &999));
        assert_eq!(thin(&all[..3]).count(), 3);
    }
}

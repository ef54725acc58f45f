//! The recorded events of a run.

use regatta_run::description::RunDescription;
use regatta_run::event::{Event, EventKind};
use regatta_run::verdict::Conclusion;

/// The ending of a run.
#[derive(Clone, Debug)]
pub enum Ending {
    /// An answer (which may be "unknown").
    Concluded(Conclusion),
    /// The input could not be read, for the reason given.
    Rejected(String),
}

impl Ending {
    /// Returns the ending for rejected input; colours are removed from the message.
    pub fn rejected(text: &str) -> Self {
        let mut parts = text.split("\u{1b}[");
        let mut plain = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            // The only escape sequences in messages are colours, which end with `m`.
            let rest = part.split_once('m').map_or(part, |(_, rest)| rest);
            plain.push_str(rest);
        }
        Self::Rejected(plain)
    }
}

/// The recorded events of a run, with its description.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub description: RunDescription,
    /// The events in the order of their arrival.
    pub events: Vec<Event>,
}

impl Recording {
    /// Records an event.
    pub fn note(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Run(description) => self.description = (**description).clone(),
            EventKind::Concluded(_) => {}
            _ => self.events.push(event.clone()),
        }
    }

    /// Returns the time of the last recorded event, in seconds.
    pub fn duration(&self) -> f64 {
        self.events
            .iter()
            .map(|event| event.time)
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_lose_their_colours() {
        let Ending::Rejected(text) = Ending::rejected("\u{1b}[1;31merror\u{1b}[0m: no") else {
            panic!("rejected");
        };
        assert_eq!(text, "error: no");
    }
}

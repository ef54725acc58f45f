//! The events of a run, gathered.

use regatta_run::description::RunDescription;
use regatta_run::event::{Event, EventKind};
use regatta_run::verdict::Conclusion;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// With an answer (which may be "unknown").
    Concluded(Conclusion),
    /// The input could not be read; why not.
    Rejected(String),
}

impl Ending {
    /// Rejected with the text, which may have been made for a terminal.
    pub fn rejected(text: &str) -> Self {
        let mut parts = text.split("\u{1b}[");
        let mut plain = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            // A sequence ends with a letter; ours are colours.
            let rest = part.split_once('m').map_or(part, |(_, rest)| rest);
            plain.push_str(rest);
        }
        Self::Rejected(plain)
    }
}

/// What happened in a run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub description: RunDescription,
    /// What happened, in the order in which it came to be known.
    pub events: Vec<Event>,
}

impl Recording {
    /// Takes note of an event.
    pub fn note(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Run(description) => self.description = (**description).clone(),
            EventKind::Concluded(_) => {}
            _ => self.events.push(event.clone()),
        }
    }

    /// How long the run took as far as it is recorded, in seconds.
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

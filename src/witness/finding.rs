//! Errors in a witness, with their positions.

use super::node::Position;
use crate::frontend::{Error, ErrorKind, Place, Style};

/// An error in a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The position in the witness file.
    pub at: Position,
    /// One sentence without a full stop.
    pub message: String,
}

impl Finding {
    pub fn new(at: Position, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }

    /// Renders the finding for the user, with the witness's name and text: file, line, column, message and source line.
    pub fn render(&self, name: &str, text: &str, style: Style) -> String {
        let error = Error::new(ErrorKind::Witness, self.message.clone());
        let place = match self.at.line {
            0 => Place::file(name),
            line => Place {
                file: name.into(),
                line,
                column: self.at.column,
                source_line: text
                    .lines()
                    .nth(line as usize - 1)
                    .map(|line| line.trim_end().into()),
            },
        };
        error.at(place).render(style)
    }
}

/// The errors in a witness, in the order of discovery.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    pub fn add(&mut self, finding: Finding) {
        if !self.list.contains(&finding) {
            self.list.push(finding);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the findings in the order of the file.
    pub fn into_sorted(mut self) -> Vec<Finding> {
        self.list
            .sort_by_key(|finding| (finding.at.line, finding.at.column));
        self.list
    }
}

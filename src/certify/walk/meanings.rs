//! The meanings of conditions, for those who read the verification conditions.

use std::cell::{Cell, RefCell};

use crate::lowered::call_strings::Node;
use crate::verification_conditions::{Begin, Label, Labels, What};
use regatta_term::TermId;

/// The meanings of conditions, if they are recorded.
pub(super) struct Meanings {
    labels: Option<RefCell<Labels>>,
    /// Where the execution began.
    begin: Cell<Begin>,
}

impl Meanings {
    pub(super) fn new(is_recorded: bool) -> Self {
        Self {
            labels: is_recorded.then(RefCell::default),
            begin: Cell::default(),
        }
    }

    /// Notes that the execution begins at the node.
    pub(super) fn begin_at(&self, node: Node) {
        self.begin.set(Begin {
            from: Some(node),
            segments: 0,
        });
    }

    /// Notes that the execution goes on from cut points.
    pub(super) fn next_segment(&self) {
        let begin = self.begin.get();
        self.begin.set(Begin {
            segments: begin.segments + 1,
            ..begin
        });
    }

    /// Notes the meaning of a condition.
    pub(super) fn note(&self, condition: TermId, at: Node, what: What) {
        if let Some(labels) = &self.labels {
            let begin = self.begin.get();
            let label = Label { what, at, begin };
            let mut labels = labels.borrow_mut();
            labels.entry(condition).or_default().push(label);
        }
    }

    /// Removes and returns the meanings of the condition.
    pub(super) fn take(&self, condition: TermId) -> Vec<Label> {
        let labels = self.labels.as_ref();
        let taken = labels.and_then(|labels| labels.borrow_mut().remove(&condition));
        taken.unwrap_or_default()
    }
}

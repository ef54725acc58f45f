//! Parts of an exploration, distributed over several threads.
//!
//! A [`Tree`] is divided when a worker is idle. Each part is explored by one thread at a time; the two parts of a tree share
//! a [`Joint`], and the thread that completes the second of them continues with the tree above.

use std::sync::Arc;

use parking_lot::Mutex;

use super::tree::{Above, Tree};
use super::{Exploration, Statistics};
use crate::analysis::CancellationToken;
use crate::workers::queue::Work;

pub(super) struct Part {
    pub tree: Tree,
    /// The joint with the other part of the tree; `None` for the whole tree.
    joint: Option<Arc<Joint>>,
}

/// The synchronisation of two parts of a tree.
struct Joint {
    meeting: Mutex<Meeting>,
    /// The joint of the divided tree, if that is itself a part.
    above: Option<Arc<Joint>>,
}

struct Meeting {
    /// The tree above; `None` once both parts are complete.
    tree: Option<Above>,
    is_one_complete: bool,
}

impl Part {
    /// Creates the part that contains all runs.
    pub(super) fn whole() -> Self {
        Self {
            tree: Tree::default(),
            joint: None,
        }
    }

    /// Splits off half of the part, if possible.
    pub(super) fn divide(&mut self) -> Option<Self> {
        let (above, tree) = self.tree.divide()?;
        let joint = Arc::new(Joint {
            meeting: Mutex::new(Meeting {
                tree: Some(above),
                is_one_complete: false,
            }),
            above: self.joint.take(),
        });
        self.joint = Some(Arc::clone(&joint));
        let joint = Some(joint);
        Some(Self { tree, joint })
    }

    /// Completes the part, all of whose runs have been explored; returns how the thread continues.
    pub(super) fn ended(self) -> Continuation {
        let Some(joint) = self.joint else {
            return Continuation::Complete;
        };
        let mut meeting = joint.meeting.lock();
        if let Some(above) = &mut meeting.tree {
            above.learn(&self.tree);
        }
        if !std::mem::replace(&mut meeting.is_one_complete, true) {
            return Continuation::OtherPartOpen;
        }
        match meeting.tree.take() {
            Some(above) => Continuation::Above(Self {
                tree: above.into_tree(),
                joint: joint.above.clone(),
            }),
            None => Continuation::OtherPartOpen,
        }
    }
}

/// The continuation after a completed part.
pub(super) enum Continuation {
    /// The tree above is next; its current run has been explored.
    Above(Part),
    /// The other part of the tree is not complete; the thread that completes it continues above.
    OtherPartOpen,
    /// The exploration is complete.
    Complete,
}

/// The state that the threads of an exploration share.
pub(super) struct Parts {
    /// The parts that no thread explores.
    open: Vec<Part>,
    end: Option<Exploration>,
    statistics: Statistics,
    /// Stops all threads.
    token: CancellationToken,
}

/// The result of a thread's work on a part.
pub(super) enum Remainder {
    /// The part is complete, and the other part of its tree is not.
    Nothing,
    /// The thread returns an incomplete part to the queue.
    Part(Part),
    /// The exploration ends with a result.
    End(Exploration),
}

impl Parts {
    /// Creates the state with the whole exploration as one part.
    pub(super) fn new(token: CancellationToken) -> Self {
        Self {
            open: vec![Part::whole()],
            end: None,
            statistics: Statistics::default(),
            token,
        }
    }

    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn offer(&mut self, part: Part) {
        self.open.push(part);
    }

    /// Records the result of a part. Only the first end counts.
    pub(super) fn leave(&mut self, left: Remainder) {
        match left {
            Remainder::Nothing => {}
            Remainder::Part(part) => self.offer(part),
            Remainder::End(end) => {
                self.end.get_or_insert(end);
                self.token.cancel();
            }
        }
    }

    pub(super) fn add(&mut self, statistics: &Statistics) {
        let sum = &mut self.statistics;
        sum.boxes += statistics.boxes;
        sum.steps += statistics.steps;
        sum.longest = sum.longest.max(statistics.longest);
    }

    /// Returns the result of the exploration after all threads have ended.
    pub(super) fn into_end(self) -> Exploration {
        match self.end {
            Some(Exploration::Complete(_)) if self.open.is_empty() => {
                Exploration::Complete(self.statistics)
            }
            None | Some(Exploration::Complete(_)) => {
                Exploration::GivenUp("a part of the exploration has been lost".to_owned())
            }
            Some(end) => end,
        }
    }
}

impl Work for Parts {
    type Part = Part;

    fn take(&mut self) -> Option<Part> {
        match self.end {
            None => self.open.pop(),
            Some(_) => None,
        }
    }

    fn stopped(&mut self) {
        self.token.cancel();
    }
}

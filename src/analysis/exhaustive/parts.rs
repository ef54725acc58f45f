//! Parts of one exploration, shared out among several threads.
//!
//! A [`Tree`] is divided when somebody has nothing to do. Each part is searched by one thread at a time; the two parts of
//! a tree meet at a [`Joint`], where the one that is done last goes on with what is above.

use std::sync::Arc;

use parking_lot::Mutex;

use super::tree::{Above, Tree};
use super::{Exploration, Statistics};
use crate::analysis::CancellationToken;
use crate::workers::queue::Work;

/// A part of the exploration.
pub(super) struct Part {
    pub tree: Tree,
    /// Where it meets the other part of the tree; `None` for the whole.
    joint: Option<Arc<Joint>>,
}

/// Where two parts meet.
struct Joint {
    meeting: Mutex<Meeting>,
    /// Where the tree of which they are parts meets another.
    above: Option<Arc<Joint>>,
}

struct Meeting {
    /// Nothing once both have come.
    tree: Option<Above>,
    has_come: bool,
}

impl Part {
    /// All runs.
    pub(super) fn whole() -> Self {
        Self {
            tree: Tree::default(),
            joint: None,
        }
    }

    /// Gives a half away, if that can be.
    pub(super) fn divide(&mut self) -> Option<Self> {
        let (above, tree) = self.tree.divide()?;
        let joint = Arc::new(Joint {
            meeting: Mutex::new(Meeting {
                tree: Some(above),
                has_come: false,
            }),
            above: self.joint.take(),
        });
        self.joint = Some(Arc::clone(&joint));
        let joint = Some(joint);
        Some(Self { tree, joint })
    }

    /// All runs of the part have been seen. What is to be searched next, above it.
    pub(super) fn ended(self) -> After {
        let Some(joint) = self.joint else {
            return After::AllSeen;
        };
        let mut meeting = joint.meeting.lock();
        if let Some(above) = &mut meeting.tree {
            above.learn(&self.tree);
        }
        if !std::mem::replace(&mut meeting.has_come, true) {
            return After::OthersGoOn;
        }
        match meeting.tree.take() {
            Some(above) => After::Above(Self {
                tree: above.into_tree(),
                joint: joint.above.clone(),
            }),
            None => After::OthersGoOn,
        }
    }
}

/// What comes after a part.
pub(super) enum After {
    /// The part above; its current run has been seen.
    Above(Part),
    /// The other part of the tree is still being searched, and what is above comes after that.
    OthersGoOn,
    /// Nothing: that was all.
    AllSeen,
}

/// What the threads of an exploration have in common.
pub(super) struct Parts {
    /// Those that nobody searches.
    open: Vec<Part>,
    end: Option<Exploration>,
    statistics: Statistics,
    /// Stops all.
    token: CancellationToken,
}

/// What a thread leaves of a part that it has searched.
pub(super) enum Left {
    /// Nothing: others go on.
    Nothing,
    /// A part for somebody else.
    Part(Part),
    /// Nothing more is to be searched.
    End(Exploration),
}

impl Parts {
    /// The whole exploration as one part.
    pub(super) fn new(token: CancellationToken) -> Self {
        Self {
            open: vec![Part::whole()],
            end: None,
            statistics: Statistics::default(),
            token,
        }
    }

    /// Whether somebody could take a part.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// A part for somebody else.
    pub(super) fn offer(&mut self, part: Part) {
        self.open.push(part);
    }

    /// What has become of a part that was taken. The first end counts.
    pub(super) fn leave(&mut self, left: Left) {
        match left {
            Left::Nothing => {}
            Left::Part(part) => self.offer(part),
            Left::End(end) => {
                self.end.get_or_insert(end);
                self.token.cancel();
            }
        }
    }

    /// Adds what a thread has done.
    pub(super) fn add(&mut self, statistics: &Statistics) {
        let sum = &mut self.statistics;
        sum.boxes += statistics.boxes;
        sum.steps += statistics.steps;
        sum.longest = sum.longest.max(statistics.longest);
    }

    /// How it has ended, when all threads have.
    pub(super) fn into_end(self) -> Exploration {
        match self.end {
            Some(Exploration::Complete(_)) if self.open.is_empty() => {
                Exploration::Complete(self.statistics)
            }
            None | Some(Exploration::Complete(_)) => {
                Exploration::GivenUp("a part of the runs has been lost".to_owned())
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

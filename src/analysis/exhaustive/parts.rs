//! Parts of one exploration, shared out among several threads.
//!
//! A [`Tree`] is divided when somebody has nothing to do. Each part is searched by one thread at a time; the two parts of
//! a tree meet at a [`Joint`], where the one that is done last goes on with what is above.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex};

use super::tree::{Above, Tree};
use super::{Exploration, Statistics};
use crate::analysis::CancellationToken;

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
pub(super) struct Shared {
    state: Mutex<State>,
    /// Something has been added, or all is over.
    changed: Condvar,
    /// How many parts are ready for somebody.
    ready: AtomicUsize,
    /// Stops all.
    pub token: CancellationToken,
}

struct State {
    parts: Vec<Part>,
    at_work: usize,
    end: Option<Exploration>,
    statistics: Statistics,
}

impl Shared {
    /// With the whole exploration to be done.
    pub(super) fn new(token: CancellationToken) -> Self {
        Self {
            state: Mutex::new(State {
                parts: vec![Part::whole()],
                at_work: 0,
                end: None,
                statistics: Statistics::default(),
            }),
            changed: Condvar::new(),
            ready: AtomicUsize::new(1),
            token,
        }
    }

    /// Whether somebody could take a part.
    pub(super) fn has_parts(&self) -> bool {
        self.ready.load(Ordering::Relaxed) > 0
    }

    /// A part for somebody else.
    pub(super) fn offer(&self, part: Part) {
        let mut state = self.state.lock();
        state.parts.push(part);
        self.ready.store(state.parts.len(), Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// A part to do; `None` if all is over, or if there is none and one is not to wait for it.
    pub(super) fn next(&self, waits: bool) -> Option<Part> {
        let mut state = self.state.lock();
        loop {
            if state.end.is_some() {
                return None;
            }
            if let Some(part) = state.parts.pop() {
                self.ready.store(state.parts.len(), Ordering::Relaxed);
                state.at_work += 1;
                return Some(part);
            }
            if state.at_work == 0 || !waits {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    /// A part that was taken is done, or has been put back.
    pub(super) fn done(&self) {
        self.state.lock().at_work -= 1;
        self.changed.notify_all();
    }

    /// The exploration ends with this, unless it has ended. What all threads have done is added afterwards.
    pub(super) fn end(&self, end: Exploration) {
        let mut state = self.state.lock();
        state.end.get_or_insert(end);
        self.token.cancel();
        self.changed.notify_all();
    }

    /// Adds what a thread has done.
    pub(super) fn add(&self, statistics: &Statistics) {
        let mut state = self.state.lock();
        let sum = &mut state.statistics;
        sum.boxes += statistics.boxes;
        sum.steps += statistics.steps;
        sum.longest = sum.longest.max(statistics.longest);
    }

    /// Ends the exploration if the thread panics while the value lives, so that nobody waits for it.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    /// How it has ended, when all threads have.
    pub(super) fn into_end(self) -> Exploration {
        let state = self.state.into_inner();
        match state.end {
            Some(Exploration::Complete(_)) => Exploration::Complete(state.statistics),
            Some(end) => end,
            None => Exploration::GivenUp("a part of the runs has been lost".to_owned()),
        }
    }
}

/// See [`Shared::guard`].
pub(super) struct Guard<'s>(&'s Shared);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0
                .end(Exploration::GivenUp("a thread has failed".to_owned()));
        }
    }
}

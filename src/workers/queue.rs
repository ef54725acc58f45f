//! Work whose parts make new parts, for several threads.
//!
//! Threads take parts until there are none. One that finds nothing may wait as long as another is at work, who may leave
//! something: at least one has to, or what a helper leaves that is wanted back would be nobody's. A part that is taken
//! and never done, because its thread panics, stops it all, so that nobody waits for it and nobody believes the result.

use parking_lot::{Condvar, Mutex};

/// What there is to do, and what has come of it.
pub trait Work {
    /// What one thread does.
    type Part;

    /// Takes out a part that nobody has taken yet.
    fn take(&mut self) -> Option<Self::Part>;

    /// No part will be given out any more, and nobody needs what the threads are doing.
    fn stopped(&mut self) {}
}

/// Work that threads share.
pub struct Queue<W> {
    state: Mutex<State<W>>,
    /// There may be a part for who waits, or will never be one.
    changed: Condvar,
}

struct State<W> {
    work: W,
    /// How many parts have been taken and are not done.
    at_work: usize,
    is_stopped: bool,
}

impl<W: Work> State<W> {
    fn stop(&mut self) {
        if !std::mem::replace(&mut self.is_stopped, true) {
            self.work.stopped();
        }
    }
}

impl<W: Work> Queue<W> {
    /// Of this work, of which nobody does anything yet.
    pub fn new(work: W) -> Self {
        Self {
            state: Mutex::new(State {
                work,
                at_work: 0,
                is_stopped: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// A part, and the turn in which it is done; `None` if all is done or stopped, or if there is nothing now and one is
    /// not to wait.
    pub fn next(&self, waits: bool) -> Option<(W::Part, Turn<'_, W>)> {
        let mut state = self.state.lock();
        while !state.is_stopped {
            if let Some(part) = state.work.take() {
                state.at_work += 1;
                let turn = Turn {
                    queue: self,
                    is_done: false,
                };
                return Some((part, turn));
            }
            if state.at_work == 0 || !waits {
                return None;
            }
            self.changed.wait(&mut state);
        }
        None
    }

    /// Looks at the work.
    pub fn look<R>(&self, look: impl FnOnce(&W) -> R) -> R {
        look(&self.state.lock().work)
    }

    /// Adds to the work: who waits is told.
    pub fn add(&self, add: impl FnOnce(&mut W)) {
        add(&mut self.state.lock().work);
        self.changed.notify_all();
    }

    /// Nothing will come of it.
    pub fn stop(&self) {
        self.state.lock().stop();
        self.changed.notify_all();
    }

    /// The work, when no thread is at it any more.
    ///
    /// # Errors
    /// With the work as it is left, if not all of it has been done.
    pub fn finish(self) -> Result<W, W> {
        let mut state = self.state.into_inner();
        let is_done = !state.is_stopped && state.at_work == 0 && state.work.take().is_none();
        match is_done {
            true => Ok(state.work),
            false => Err(state.work),
        }
    }
}

/// A thread is doing a part. If the turn ends otherwise than by [`Self::done`], the work is stopped.
#[must_use = "a part that is not done stops the work"]
pub struct Turn<'q, W: Work> {
    queue: &'q Queue<W>,
    is_done: bool,
}

impl<W: Work> Turn<'_, W> {
    /// The part is done, with this result; new parts may be one.
    pub fn done(mut self, settle: impl FnOnce(&mut W)) {
        settle(&mut self.queue.state.lock().work);
        self.is_done = true;
    }
}

impl<W: Work> Drop for Turn<'_, W> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.at_work -= 1;
        if !self.is_done {
            state.stop();
        }
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::term::random::seeds;
    use crate::workers::{Helper, Permits, Scope, Threads, Workers};

    /// A graph, whose nodes are visited as soon as all their predecessors have been, of which one is reached.
    struct Graph {
        successors: Vec<Vec<usize>>,
    }

    impl Graph {
        fn random(random: &mut Xoshiro256PlusPlus) -> Self {
            let nodes = random.random_range(1..60);
            let successors = |_| {
                let count = random.random_range(0..4);
                (0..count).map(|_| random.random_range(0..nodes)).collect()
            };
            Self {
                successors: (0..nodes).map(successors).collect(),
            }
        }
    }

    /// How often each node has been visited; each goes to its successors the first time that it is reached.
    #[derive(Clone, Debug, PartialEq)]
    struct Search {
        open: Vec<usize>,
        is_reached: Vec<bool>,
        visits: Vec<usize>,
        is_told: bool,
    }

    impl Search {
        fn of(graph: &Graph) -> Self {
            let nodes = graph.successors.len();
            let mut search = Self {
                open: Vec::new(),
                is_reached: vec![false; nodes],
                visits: vec![0; nodes],
                is_told: false,
            };
            search.reach(0);
            search
        }

        fn reach(&mut self, node: usize) {
            if !std::mem::replace(&mut self.is_reached[node], true) {
                self.open.push(node);
            }
        }

        fn visited(&mut self, graph: &Graph, node: usize) {
            self.visits[node] += 1;
            for &next in &graph.successors[node] {
                self.reach(next);
            }
        }
    }

    impl Work for Search {
        type Part = usize;

        fn take(&mut self) -> Option<usize> {
            self.open.pop()
        }

        fn stopped(&mut self) {
            assert!(!self.is_told, "it is told once");
            self.is_told = true;
        }
    }

    /// Permits that are wanted back after a random number of looks.
    struct Fickle {
        lent: AtomicUsize,
        looks: AtomicU64,
    }

    impl Permits for Fickle {
        fn lend(&self) -> Option<usize> {
            let more = |lent: usize| (lent < 3).then_some(lent + 1);
            let lent = self
                .lent
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, more);
            lent.ok()
        }

        fn begin(&self, _: usize) {}

        fn is_wanted_back(&self, _: usize) -> bool {
            let look = self.looks.fetch_add(1, Ordering::SeqCst);
            look.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0
        }

        fn give_back(&self, _: usize) {
            self.lent.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// What the threads have in common.
    #[derive(Copy, Clone)]
    struct Task<'t> {
        graph: &'t Graph,
        queue: &'t Queue<Search>,
        /// Where somebody panics.
        fails_at: Option<usize>,
        helped: &'t AtomicBool,
    }

    impl<'t> Task<'t> {
        fn work(self, scope: &Scope<'_, 't>, helper: Option<&Helper<'t>>) {
            while !helper.is_some_and(Helper::is_wanted_back)
                && let Some((node, turn)) = self.queue.next(helper.is_none())
            {
                if self.queue.look(|search| !search.open.is_empty()) {
                    scope.hire(move |scope, helper| self.work(scope, Some(helper)));
                }
                assert!(Some(node) != self.fails_at, "a node cannot be visited");
                if node.is_multiple_of(3) {
                    std::thread::sleep(Duration::from_micros(50));
                }
                self.helped.fetch_or(helper.is_some(), Ordering::SeqCst);
                if helper.is_some_and(Helper::is_wanted_back) {
                    return turn.done(|search| search.open.push(node));
                }
                turn.done(|search| search.visited(self.graph, node));
            }
        }
    }

    fn searched(
        graph: &Graph,
        workers: &Workers,
        fails_at: Option<usize>,
        helped: &AtomicBool,
    ) -> Result<Search, Search> {
        let queue = Queue::new(Search::of(graph));
        let task = Task {
            graph,
            queue: &queue,
            fails_at,
            helped,
        };
        let search = || workers.scope(|scope| task.work(scope, None));
        let result = catch_unwind(AssertUnwindSafe(search));
        let finished = queue.finish();
        assert_eq!(result.is_err(), finished.is_err(), "who fails is heard of");
        finished
    }

    #[test]
    fn all_is_done_once_whoever_helps_and_leaves() {
        let permits = Arc::new(Fickle {
            lent: AtomicUsize::new(0),
            looks: AtomicU64::new(0),
        });
        let fickle = Workers::under(Arc::<Fickle>::clone(&permits), Threads::new(3));
        let crowds = [Workers::fixed(1), Workers::fixed(3), fickle];
        let helped = AtomicBool::new(false);
        for seed in 0..seeds(400) {
            let graph = Graph::random(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
            let alone = searched(&graph, &Workers::none(), None, &AtomicBool::new(false));
            let alone = alone.expect("nobody fails");
            let once: Vec<usize> = alone.is_reached.iter().copied().map(usize::from).collect();
            assert_eq!(alone.visits, once);
            for crowd in &crowds {
                let result = searched(&graph, crowd, None, &helped);
                assert_eq!(result.as_ref(), Ok(&alone), "{seed}");
            }
            assert_eq!(permits.lent.load(Ordering::SeqCst), 0);
        }
        assert!(helped.into_inner(), "nobody has helped");
    }

    #[test]
    fn who_fails_stops_all() {
        let crowds = [Workers::none(), Workers::fixed(1), Workers::fixed(3)];
        for seed in 0..seeds(60) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let graph = Graph::random(&mut random);
            let fails_at = random.random_range(0..graph.successors.len());
            let alone = searched(&graph, &Workers::none(), None, &AtomicBool::new(false));
            let is_reached = alone.expect("nobody fails").is_reached[fails_at];
            for crowd in &crowds {
                let result = searched(&graph, crowd, Some(fails_at), &AtomicBool::new(false));
                assert_eq!(result.is_err(), is_reached, "{seed}");
                if let Err(search) = result {
                    assert_eq!(search.visits[fails_at], 0);
                    assert!(search.is_told);
                }
            }
        }
    }

    #[test]
    fn what_is_left_is_not_finished() {
        let graph = Graph {
            successors: vec![vec![1], vec![]],
        };
        let queue = Queue::new(Search::of(&graph));
        let (node, turn) = queue.next(true).expect("the first node");
        assert!(queue.next(false).is_none(), "nobody waits for it");
        turn.done(|search| search.visited(&graph, node));
        assert!(queue.finish().is_err(), "the second node is left");
        let queue = Queue::new(Search::of(&graph));
        queue.stop();
        assert!(queue.next(true).is_none());
        assert!(queue.finish().is_err());
    }
}

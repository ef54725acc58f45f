//! A queue of parts of work for several threads, where a part may create new parts.
//!
//! Threads take parts until there are none. A thread that finds none may wait as long as another is at work, because that one
//! may add parts. At least one thread has to wait, or parts left by a helper that is wanted back would never be done. A part
//! that is taken and never done, because its thread panics, stops the queue, so that no thread waits for it and no caller
//! takes the result for complete.

use parking_lot::{Condvar, Mutex};

/// Open parts of some work, and the results of those that are done.
pub trait Work {
    /// The unit of work that one thread does.
    type Part;

    /// Removes and returns an open part.
    fn take(&mut self) -> Option<Self::Part>;

    /// Called once when the queue is stopped: no part will be taken any more, and parts in progress are in vain.
    fn stopped(&mut self) {}
}

/// Work that several threads share.
pub struct Queue<W> {
    state: Mutex<State<W>>,
    /// Signals that there may be a part, or that there will never be one.
    changed: Condvar,
}

struct State<W> {
    work: W,
    /// The number of parts that have been taken and are not done.
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
    /// Creates a queue for work that no thread has begun.
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

    /// Takes a part, with a [`Turn`] that marks it as in progress; `None` if all parts are done, the queue is stopped, or no part
    /// is open and the caller does not wait.
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

    /// Reads the work under the lock.
    pub fn look<R>(&self, look: impl FnOnce(&W) -> R) -> R {
        look(&self.state.lock().work)
    }

    /// Changes the work and wakes the threads that wait.
    pub fn add(&self, add: impl FnOnce(&mut W)) {
        add(&mut self.state.lock().work);
        self.changed.notify_all();
    }

    /// Stops the queue: its work is in vain.
    pub fn stop(&self) {
        self.state.lock().stop();
        self.changed.notify_all();
    }

    /// Returns the work when no thread is at it any more.
    ///
    /// # Errors
    /// Returns the work as it was left if not all of it has been done.
    pub fn finish(self) -> Result<W, W> {
        let mut state = self.state.into_inner();
        let is_done = !state.is_stopped && state.at_work == 0 && state.work.take().is_none();
        match is_done {
            true => Ok(state.work),
            false => Err(state.work),
        }
    }
}

/// The processing of a part by a thread. Dropping it without [`Self::done`] stops the queue.
#[must_use = "a part that is not done stops the work"]
pub struct Turn<'q, W: Work> {
    queue: &'q Queue<W>,
    is_done: bool,
}

impl<W: Work> Turn<'_, W> {
    /// Marks the part as done; `settle` enters its result, and new parts if there are any.
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

    /// A graph whose nodes are visited from node 0 on.
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

    /// The number of visits of each node; a node is opened the first time that it is reached.
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
            assert!(!self.is_told, "the stop is told once");
            self.is_told = true;
        }
    }

    /// A source of permits that are wanted back after a random number of checks.
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

    /// The state that the threads share.
    #[derive(Copy, Clone)]
    struct Task<'t> {
        graph: &'t Graph,
        queue: &'t Queue<Search>,
        /// The node at which a thread panics.
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
        assert_eq!(result.is_err(), finished.is_err(), "a panic is reported");
        finished
    }

    #[test]
    fn each_part_is_done_once_with_helpers_that_come_and_leave() {
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
            let alone = alone.expect("no node fails");
            let once: Vec<usize> = alone.is_reached.iter().copied().map(usize::from).collect();
            assert_eq!(alone.visits, once);
            for crowd in &crowds {
                let result = searched(&graph, crowd, None, &helped);
                assert_eq!(result.as_ref(), Ok(&alone), "{seed}");
            }
            assert_eq!(permits.lent.load(Ordering::SeqCst), 0);
        }
        assert!(helped.into_inner(), "there was no helper");
    }

    #[test]
    fn a_panic_stops_the_queue() {
        let crowds = [Workers::none(), Workers::fixed(1), Workers::fixed(3)];
        for seed in 0..seeds(60) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let graph = Graph::random(&mut random);
            let fails_at = random.random_range(0..graph.successors.len());
            let alone = searched(&graph, &Workers::none(), None, &AtomicBool::new(false));
            let is_reached = alone.expect("no node fails").is_reached[fails_at];
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
    fn a_queue_with_open_parts_is_not_finished() {
        let graph = Graph {
            successors: vec![vec![1], vec![]],
        };
        let queue = Queue::new(Search::of(&graph));
        let (node, turn) = queue.next(true).expect("the first node");
        assert!(queue.next(false).is_none(), "the caller does not wait");
        turn.done(|search| search.visited(&graph, node));
        assert!(queue.finish().is_err(), "the second node is left");
        let queue = Queue::new(Search::of(&graph));
        queue.stop();
        assert!(queue.next(true).is_none());
        assert!(queue.finish().is_err());
    }
}

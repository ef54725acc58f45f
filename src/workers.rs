//! More threads for one analysis, as long as there are cores that nobody else wants.
//!
//! An analysis has one thread and one permit to run. Where its work falls into independent parts, it may *hire*: a permit
//! that is idle is lent, and a thread of a pool works under it. What is lent is wanted back as soon as somebody waits for
//! a permit; a helper looks at [`Helper::is_wanted_back`] between two parts of the work, and leaves the rest to the
//! others. So there are never more threads at work than permits, but for the part that each helper is in the middle of.
//!
//! [`Workers::map`] is for a list of parts; [`Workers::scope`] with a [`queue`] for work that makes new work.

pub mod queue;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Who lends permits to run.
pub trait Permits: Send + Sync {
    /// The number of a permit that nobody has or waits for; the caller's from now on.
    fn lend(&self) -> Option<usize>;

    /// The calling thread begins to work under the permit.
    fn begin(&self, permit: usize);

    /// Whether somebody waits for the permit.
    fn is_wanted_back(&self, permit: usize) -> bool;

    /// The calling thread has ended its work; the permit is nobody's again.
    fn give_back(&self, permit: usize);
}

/// The stack of a thread on which solvers work, in bytes: they recurse over deep terms. It is reserved, not used.
pub const SOLVER_STACK: usize = 1 << 30;

/// Helpers for an analysis, as many as there are permits to lend.
#[derive(Clone)]
pub struct Workers {
    source: Option<Arc<Source>>,
}

struct Source {
    permits: Arc<dyn Permits>,
    threads: Threads,
}

/// Threads for helpers, which all analyses of a process may share.
#[derive(Clone)]
pub struct Threads {
    number: usize,
    /// How many of them have something to do. A helper who is wanted back keeps its thread for a while, and who hires is
    /// not to wait for somebody who waits for a thread.
    busy: Arc<AtomicUsize>,
    /// Started when it is needed for the first time; `None` if the system gives no threads.
    started: Arc<OnceLock<Option<ThreadPool>>>,
}

impl Threads {
    /// With so many threads.
    pub fn new(number: usize) -> Self {
        Self {
            number,
            busy: Arc::default(),
            started: Arc::default(),
        }
    }

    /// One that has nothing to do.
    fn reserve(&self) -> Option<Reserved> {
        let more = |busy: usize| (busy < self.number).then_some(busy + 1);
        let reserved = self
            .busy
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        reserved.ok().map(|_| Reserved(Arc::clone(&self.busy)))
    }

    fn start(&self) -> Option<&ThreadPool> {
        let start = || {
            let pool = ThreadPoolBuilder::new()
                .num_threads(self.number)
                .stack_size(SOLVER_STACK)
                .thread_name(|number| format!("helper {number}"));
            pool.build().ok()
        };
        self.started.get_or_init(start).as_ref()
    }
}

/// A thread of the pool that has something to do as long as this lives.
struct Reserved(Arc<AtomicUsize>);

impl Drop for Reserved {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// Nobody ever helps.
    pub const fn none() -> Self {
        Self { source: None }
    }

    /// Helpers on these threads under these permits.
    pub fn under(permits: Arc<dyn Permits>, threads: Threads) -> Self {
        let source = (threads.number > 0).then(|| Arc::new(Source { permits, threads }));
        Self { source }
    }

    /// So many helpers, whoever waits: for a process in which nobody else works.
    pub fn fixed(number: usize) -> Self {
        let permits = Fixed(AtomicUsize::new(number));
        Self::under(Arc::new(permits), Threads::new(number))
    }

    /// The most threads that are at work together, the caller's included.
    pub fn maximum_threads(&self) -> usize {
        1 + self
            .source
            .as_ref()
            .map_or(0, |source| source.threads.number)
    }

    /// A permit for somebody who is not one of these threads.
    pub fn borrow(&self) -> Option<Helper<'_>> {
        let permits = &*self.source.as_ref()?.permits;
        let permit = permits.lend()?;
        Some(Helper { permits, permit })
    }

    /// Does the work, which may hire for parts of it; comes back when all of them are done.
    ///
    /// # Panics
    /// When a part does.
    pub fn scope<'s, R>(&'s self, work: impl FnOnce(&Scope<'_, 's>) -> R) -> R {
        let source = self.source.as_deref();
        match source.and_then(|source| Some((source, source.threads.start()?))) {
            None => work(&Scope { helpers: None }),
            Some((source, pool)) => pool.in_place_scope(|threads| {
                work(&Scope {
                    helpers: Some((source, threads)),
                })
            }),
        }
    }

    /// Applies `work` to all items, on the calling thread and by helpers; the results are in the items' order. Each
    /// thread has a state of its own: the caller's is `mine`, a helper's is made by `state`.
    pub fn map<T: Sync, S, R: Send>(
        &self,
        items: &[T],
        mine: &mut S,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &T) -> R + Sync,
    ) -> Vec<R> {
        if self.source.is_none() || items.len() < 2 {
            return items.iter().map(|item| work(mine, item)).collect();
        }
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(items.len()));
        let take = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        };
        let help = |_: &Scope<'_, '_>, helper: &Helper<'_>| {
            let mut state = state();
            while !helper.is_wanted_back()
                && let Some((index, item)) = take()
            {
                let result = work(&mut state, item);
                done.lock().push((index, result));
            }
        };
        self.scope(|scope| {
            loop {
                // As long as there is something left for another.
                while next.load(Ordering::Relaxed) + 1 < items.len() && scope.hire(help) {}
                let Some((index, item)) = take() else {
                    break;
                };
                let result = work(mine, item);
                done.lock().push((index, result));
            }
        });
        let mut done = done.into_inner();
        done.sort_unstable_by_key(|&(index, _)| index);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Work that may hire.
pub struct Scope<'r, 's> {
    helpers: Option<(&'s Source, &'r rayon::Scope<'s>)>,
}

impl<'s> Scope<'_, 's> {
    /// Whether there may be somebody to hire.
    pub fn may_hire(&self) -> bool {
        self.helpers.is_some()
    }

    /// Has somebody else do the part, at once, if there is a thread and a permit is lent; says whether that is so.
    pub fn hire(&self, part: impl FnOnce(&Scope<'_, 's>, &Helper<'s>) + Send + 's) -> bool {
        let Some((source, threads)) = self.helpers else {
            return false;
        };
        let Some(thread) = source.threads.reserve() else {
            return false;
        };
        let Some(permit) = source.permits.lend() else {
            return false;
        };
        let helper = Helper {
            permits: &*source.permits,
            permit,
        };
        threads.spawn(move |threads| {
            let _thread = thread;
            helper.permits.begin(permit);
            let scope = Scope {
                helpers: Some((source, threads)),
            };
            part(&scope, &helper);
        });
        true
    }
}

/// Who works under a lent permit.
pub struct Helper<'s> {
    permits: &'s dyn Permits,
    permit: usize,
}

impl Helper<'_> {
    /// Whether the helper has to end when its part is done.
    pub fn is_wanted_back(&self) -> bool {
        self.permits.is_wanted_back(self.permit)
    }
}

impl Drop for Helper<'_> {
    fn drop(&mut self) {
        self.permits.give_back(self.permit);
    }
}

/// So many permits as the number says, for whoever asks.
struct Fixed(AtomicUsize);

impl Permits for Fixed {
    fn lend(&self) -> Option<usize> {
        let taken = |left: usize| left.checked_sub(1);
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken);
        left.ok()
    }

    fn begin(&self, _: usize) {}

    fn is_wanted_back(&self, _: usize) -> bool {
        false
    }

    fn give_back(&self, _: usize) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// One permit, until it is wanted back.
    #[derive(Default)]
    struct Recalled {
        is_lent: AtomicBool,
        is_wanted: AtomicBool,
    }

    impl Permits for Recalled {
        fn lend(&self) -> Option<usize> {
            let free = !self.is_wanted.load(Ordering::SeqCst);
            (free && !self.is_lent.swap(true, Ordering::SeqCst)).then_some(0)
        }

        fn begin(&self, _: usize) {}

        fn is_wanted_back(&self, _: usize) -> bool {
            self.is_wanted.load(Ordering::SeqCst)
        }

        fn give_back(&self, _: usize) {
            self.is_lent.store(false, Ordering::SeqCst);
        }
    }

    fn squares(workers: &Workers, count: u64) -> (Vec<u64>, usize) {
        let items: Vec<u64> = (0..count).collect();
        let states = AtomicUsize::new(0);
        let count = || {
            states.fetch_add(1, Ordering::Relaxed);
        };
        let results = workers.map(&items, &mut (), count, |(), &item| {
            std::thread::sleep(std::time::Duration::from_micros(200));
            item * item
        });
        (results, states.into_inner())
    }

    #[test]
    fn a_map_is_in_order_whoever_helps() {
        let expected: Vec<u64> = (0..200).map(|item| item * item).collect();
        assert_eq!(squares(&Workers::none(), 200), (expected.clone(), 0));
        for helpers in 1..4 {
            let (results, states) = squares(&Workers::fixed(helpers), 200);
            assert_eq!(results, expected);
            assert!(states >= 1, "nobody has helped");
        }
    }

    #[test]
    fn who_is_wanted_back_leaves_the_rest_to_others() {
        let permits = Arc::new(Recalled::default());
        let workers = Workers::under(permits.clone(), Threads::new(1));
        let items: Vec<usize> = (0..100).collect();
        let helped = AtomicUsize::new(0);
        let work = |is_helper: &mut bool, &item: &usize| {
            if *is_helper {
                helped.fetch_add(1, Ordering::SeqCst);
                permits.is_wanted.store(true, Ordering::SeqCst);
            } else {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            item
        };
        let results = workers.map(&items, &mut false, || true, work);
        assert_eq!(results, items);
        assert_eq!(helped.into_inner(), 1, "it has taken one part, and no more");
        assert!(!permits.is_lent.load(Ordering::SeqCst));
    }

    #[test]
    fn a_panic_of_a_helper_is_the_callers() {
        let permits = Arc::new(Recalled::default());
        let workers = Workers::under(permits.clone(), Threads::new(1));
        let work = |is_helper: &mut bool, &(): &()| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            assert!(!*is_helper, "a helper fails");
        };
        let map = || workers.map(&[(); 100], &mut false, || true, work);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(map));
        assert!(result.is_err());
        assert!(!permits.is_lent.load(Ordering::SeqCst), "it is given back");
    }

    /// A helper who is wanted back keeps its thread until its part is done; meanwhile the permit is lent to another, who is
    /// not to wait for the thread.
    #[test]
    fn who_hires_does_not_wait_for_a_thread() {
        let threads = Threads::new(1);
        let workers = || Workers::under(Arc::new(Fixed(AtomicUsize::new(1))), threads.clone());
        let (one, other) = (workers(), workers());
        let (is_begun, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        let until = |flag: &AtomicBool| {
            while !flag.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        };
        one.scope(|scope| {
            assert!(scope.hire(|_, _| {
                is_begun.store(true, Ordering::SeqCst);
                until(&is_over);
            }));
            until(&is_begun);
            assert!(!scope.hire(|_, _| ()), "the permit is lent");
            let hired = other.scope(|scope| {
                let hired = scope.hire(|_, _| ());
                // Otherwise this would never come to an end.
                is_over.fetch_or(hired, Ordering::SeqCst);
                hired
            });
            assert!(!hired, "the thread is busy");
            is_over.store(true, Ordering::SeqCst);
        });
        assert!(
            other.scope(|scope| scope.hire(|_, _| ())),
            "it is free again"
        );
    }
}

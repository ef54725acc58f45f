//! Helper threads for one analysis, as long as there are idle cores.
//!
//! An analysis has one thread and one permit to run. Where its work falls into independent parts, it may *hire* a helper: it
//! borrows an idle permit, and a thread of a pool works under it. A permit is wanted back as soon as an analysis waits for
//! one; a helper checks [`Helper::is_wanted_back`] between two parts of the work, and leaves the rest to the other
//! threads. So there are never more threads at work than permits, except for the part that each helper is in the middle of.
//!
//! [`Workers::map`] is for a list of parts; [`Workers::scope`] with a [`queue`] is for parts that create new parts.

pub mod queue;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A source of permits to run, which are numbered.
pub trait Permits: Send + Sync {
    /// Takes a permit that no thread has or waits for, and returns its number.
    fn lend(&self) -> Option<usize>;

    /// Tells that the calling thread begins to work under the permit.
    fn begin(&self, permit: usize);

    /// Checks whether a thread waits for the permit.
    fn is_wanted_back(&self, permit: usize) -> bool;

    /// Returns the permit: the calling thread has ended its work.
    fn give_back(&self, permit: usize);
}

/// Stack size of a thread on which solvers work, in bytes: they recurse over deep terms. The memory is reserved, not used.
pub const SOLVER_STACK: usize = 1 << 30;

/// Hires helpers for an analysis, as many as there are idle permits.
#[derive(Clone)]
pub struct Workers {
    source: Option<Arc<Source>>,
}

struct Source {
    permits: Arc<dyn Permits>,
    threads: Threads,
}

/// A pool of threads for helpers, which all analyses of a process may share.
#[derive(Clone)]
pub struct Threads {
    number: usize,
    /// The number of threads that are at work. It is kept so that hiring never waits for a thread: a helper whose permit is
    /// wanted back keeps its thread until its part is done.
    busy: Arc<AtomicUsize>,
    /// The pool, started when it is needed for the first time; `None` if the system gives no threads.
    started: Arc<OnceLock<Option<ThreadPool>>>,
}

impl Threads {
    /// Creates a pool with the number of threads.
    pub fn new(number: usize) -> Self {
        Self {
            number,
            busy: Arc::default(),
            started: Arc::default(),
        }
    }

    /// Reserves an idle thread.
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

/// A reservation of a thread of the pool, until it is dropped.
struct Reserved(Arc<AtomicUsize>);

impl Drop for Reserved {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// Returns workers that never have a helper.
    pub const fn none() -> Self {
        Self { source: None }
    }

    /// Returns helpers on these threads under these permits.
    pub fn under(permits: Arc<dyn Permits>, threads: Threads) -> Self {
        let source = (threads.number > 0).then(|| Arc::new(Source { permits, threads }));
        Self { source }
    }

    /// Returns workers with a fixed number of helpers, never wanted back: for a process with one analysis.
    pub fn fixed(number: usize) -> Self {
        let permits = Fixed(AtomicUsize::new(number));
        Self::under(Arc::new(permits), Threads::new(number))
    }

    /// The maximum number of threads that are at work at once, including the caller's.
    pub fn maximum_threads(&self) -> usize {
        1 + self
            .source
            .as_ref()
            .map_or(0, |source| source.threads.number)
    }

    /// Borrows a permit for a thread outside of the pool.
    pub fn borrow(&self) -> Option<Helper<'_>> {
        let permits = &*self.source.as_ref()?.permits;
        let permit = permits.lend()?;
        Some(Helper { permits, permit })
    }

    /// Does the work, which may hire helpers for parts of it; returns when all parts are done.
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
                // Hire while items are left for helpers.
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

/// A scope in which work may hire helpers.
pub struct Scope<'r, 's> {
    helpers: Option<(&'s Source, &'r rayon::Scope<'s>)>,
}

impl<'s> Scope<'_, 's> {
    /// Checks whether hiring may succeed.
    pub fn may_hire(&self) -> bool {
        self.helpers.is_some()
    }

    /// Starts the part on a helper at once, if a thread and a permit are idle; returns whether it has done so.
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

/// A helper that works under a borrowed permit.
pub struct Helper<'s> {
    permits: &'s dyn Permits,
    permit: usize,
}

impl Helper<'_> {
    /// Checks whether the helper has to end when its part is done.
    pub fn is_wanted_back(&self) -> bool {
        self.permits.is_wanted_back(self.permit)
    }
}

impl Drop for Helper<'_> {
    fn drop(&mut self) {
        self.permits.give_back(self.permit);
    }
}

/// A fixed number of permits, which are never wanted back.
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

    /// A source of one permit, which may be wanted back.
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
    fn results_of_a_map_are_in_the_order_of_the_items() {
        let expected: Vec<u64> = (0..200).map(|item| item * item).collect();
        assert_eq!(squares(&Workers::none(), 200), (expected.clone(), 0));
        for helpers in 1..4 {
            let (results, states) = squares(&Workers::fixed(helpers), 200);
            assert_eq!(results, expected);
            assert!(states >= 1, "there was no helper");
        }
    }

    #[test]
    fn a_helper_that_is_wanted_back_leaves_the_rest_to_other_threads() {
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
        assert_eq!(helped.into_inner(), 1, "the helper has taken one part");
        assert!(!permits.is_lent.load(Ordering::SeqCst));
    }

    #[test]
    fn a_panic_of_a_helper_reaches_the_caller() {
        let permits = Arc::new(Recalled::default());
        let workers = Workers::under(permits.clone(), Threads::new(1));
        let work = |is_helper: &mut bool, &(): &()| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            assert!(!*is_helper, "a helper fails");
        };
        let map = || workers.map(&[(); 100], &mut false, || true, work);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(map));
        assert!(result.is_err());
        assert!(
            !permits.is_lent.load(Ordering::SeqCst),
            "the permit is returned"
        );
    }

    /// A helper that is wanted back keeps its thread until its part is done; an analysis that gets its permit meanwhile must
    /// not wait for that thread.
    #[test]
    fn hiring_does_not_wait_for_a_thread() {
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
            "the thread is free again"
        );
    }
}

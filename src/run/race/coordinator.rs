//! Applies the rules of [`super::scheduler`] to the threads of a race and to the clock.
//!
//! An analysis's thread is started when the analysis gets its first permit. It calls [`Coordinator::enter`] first,
//! [`Coordinator::safe_point`] between its queries, [`Coordinator::certify`] when it has an answer and [`Coordinator::leave`] at
//! its end. The thread that runs the race calls [`Coordinator::tick`] at [`Coordinator::next_tick`]. It may be late when all
//! processors are busy, so an analysis that reaches a safe point after the end of its turn calls the scheduler itself.
//!
//! A thread that runs without a permit gets a lower priority in the operating system. A user without privileges can
//! lower a thread's priority but not raise it again; in that case all priorities stay unchanged.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::scheduler::{Action, Scheduler};
use crate::config::Schedule;
use regatta_base::workers::Permits;

/// Added to the nice value of a thread that runs without a permit: its share of the processor is about a tenth of the others'.
const NICENESS: i32 = 10;

/// Time after which an analysis that runs on past the end of its turn, because no other is waiting, calls the scheduler again.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// The scheduler with the threads that it controls.
pub(super) struct Coordinator {
    started: Instant,
    scheduler: Mutex<Scheduler>,
    slots: Vec<Slot>,
    /// The slots of helper threads, one for each permit.
    loans: Vec<Slot>,
    priorities: Arc<OnceLock<Priorities>>,
}

/// Starts the thread of the slot with the given number.
type Start = Box<dyn FnOnce(usize) + Send>;

/// The state of one thread, under the number that its analysis has in the scheduler.
#[derive(Default)]
struct Slot {
    /// How to start the thread; `None` once it has been started.
    start: Mutex<Option<Start>>,
    /// Whether the thread has to ask the scheduler at its next safe point.
    attention: AtomicBool,
    /// The time from which it has to ask in any case: nanoseconds since the coordinator was made.
    ends: AtomicU64,
    granted: Condvar,
    /// The thread's number in the operating system; zero before [`Coordinator::enter`].
    thread: AtomicI32,
}

impl Slot {
    fn has_ended(&self, now: Duration) -> bool {
        now.as_nanos() >= u128::from(self.ends.load(Ordering::Relaxed))
    }

    fn set_end(&self, end: Duration) {
        let end = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX);
        self.ends.store(end, Ordering::Relaxed);
    }

    /// Makes the calling thread the one of this slot.
    fn take(&self) {
        // SAFETY: gettid has no preconditions.
        let thread = unsafe { libc::gettid() };
        self.thread.store(thread, Ordering::Relaxed);
    }
}

impl Coordinator {
    /// Makes a coordinator with the number of permits, for at most the given number of analyses.
    pub fn new(permits: usize, schedule: &Schedule, analyses: usize) -> Self {
        let permits = permits.max(1);
        Self {
            started: Instant::now(),
            scheduler: Mutex::new(Scheduler::new(permits, schedule.clone())),
            slots: (0..analyses).map(|_| Slot::default()).collect(),
            loans: (0..permits).map(|_| Slot::default()).collect(),
            priorities: Priorities::probe(),
        }
    }

    /// Admits another analysis and returns its slot. It gets a permit at [`Self::tick`] at the earliest. Its thread is started
    /// then by calling `start` with the slot; `start` must not call the coordinator, which is locked.
    pub fn admit(
        &self,
        priority: u32,
        eases_after: Duration,
        start: impl FnOnce(usize) + Send + 'static,
    ) -> usize {
        let mut scheduler = self.scheduler.lock();
        let slot = scheduler.add(priority, eases_after);
        *self.slots[slot].start.lock() = Some(Box::new(start));
        slot
    }

    /// Hands out and takes away permits.
    pub fn tick(&self) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.tick(self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// When to call [`Self::tick`] next, if nothing else happens.
    pub fn next_tick(&self) -> Option<Instant> {
        let next = self.scheduler.lock().next_tick()?;
        self.started.checked_add(next)
    }

    /// Sets the turns that come before all others: slots with durations.
    pub fn open(&self, turns: impl IntoIterator<Item = (usize, Duration)>) {
        self.scheduler.lock().open(turns);
    }

    /// Admits an analysis that rests until [`Self::wake`], and returns its slot.
    pub fn admit_resting(&self, priority: u32) -> usize {
        self.scheduler.lock().add_resting(priority)
    }

    /// Makes the calling thread the analysis's, and waits for the first permit.
    pub fn enter(&self, slot: usize) {
        self.attach(slot);
        let mut scheduler = self.scheduler.lock();
        self.wait_locked(slot, &mut scheduler);
        // A new thread inherits the priority of the one that started it, which may have lost its permit; so may this one by now.
        let slot = &self.slots[slot];
        match slot.attention.load(Ordering::Relaxed) {
            true => self.lower(slot),
            false => self.raise(slot),
        }
    }

    /// Makes the calling thread the analysis's.
    pub fn attach(&self, slot: usize) {
        self.slots[slot].take();
    }

    /// Takes the analysis's permit away until [`Self::wake`].
    pub fn rest(&self, slot: usize) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.rest(slot, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// Queues the resting analysis for a permit. [`Self::tick`] has to be called soon.
    pub fn wake(&self, slot: usize) {
        self.scheduler.lock().wake(slot);
    }

    /// Waits for a permit.
    pub fn wait(&self, slot: usize) {
        self.wait_locked(slot, &mut self.scheduler.lock());
    }

    fn wait_locked(&self, slot: usize, scheduler: &mut MutexGuard<'_, Scheduler>) {
        while !scheduler.may_run(slot) {
            self.slots[slot].granted.wait(scheduler);
        }
    }

    /// Waits for the analysis's next turn if it has lost its permit, after a call of `pauses`. Returns how long that took.
    pub fn safe_point(&self, slot: usize, pauses: &dyn Fn()) -> Duration {
        let own = &self.slots[slot];
        let begin = Instant::now();
        let now = begin.saturating_duration_since(self.started);
        let has_ended = own.has_ended(now);
        if !has_ended && !own.attention.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        let mut scheduler = self.scheduler.lock();
        if has_ended {
            let actions = scheduler.tick(now);
            self.apply(&scheduler, &actions);
            let end = scheduler.end_of_turn(slot).unwrap_or(Duration::MAX);
            own.set_end(end.max(now + LOOK_AGAIN));
        }
        if scheduler.safe_point(slot) {
            MutexGuard::unlocked(&mut scheduler, pauses);
            self.wait_locked(slot, &mut scheduler);
        }
        begin.elapsed()
    }

    /// Notes whether the analysis is expected to end soon.
    pub fn favour(&self, slot: usize, ends_soon: bool) {
        self.scheduler.lock().favour(slot, ends_soon);
    }

    /// Gives the analysis a permit for as long as its answer is being checked.
    pub fn certify(&self, slot: usize) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.certify(slot, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// Lets the analysis take turns again after its answer did not pass the check.
    pub fn resume(&self, slot: usize) {
        let mut scheduler = self.scheduler.lock();
        let now = self.started.elapsed();
        scheduler.resume(slot, now);
        let actions = scheduler.tick(now);
        self.apply(&scheduler, &actions);
    }

    /// Frees the permit of an analysis that has ended.
    pub fn leave(&self, slot: usize) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.finish(slot, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// Carries out the actions. The scheduler has to be locked, so that actions take effect in their order.
    fn apply(&self, scheduler: &Scheduler, actions: &[Action]) {
        for &action in actions {
            match action {
                Action::Grant(number) => {
                    let slot = &self.slots[number];
                    slot.set_end(scheduler.end_of_turn(number).unwrap_or(Duration::MAX));
                    if let Some(start) = slot.start.lock().take() {
                        start(number);
                        continue;
                    }
                    // Only a thread that has lost its permit runs with a lower priority.
                    if slot.attention.swap(false, Ordering::Relaxed) {
                        self.raise(slot);
                    }
                    slot.granted.notify_one();
                }
                Action::Revoke(slot) => self.call(&self.slots[slot]),
                Action::Recall(loan) => self.call(&self.loans[loan]),
            }
        }
    }

    /// Tells the thread of the slot that it has lost its permit.
    fn call(&self, slot: &Slot) {
        slot.attention.store(true, Ordering::Relaxed);
        self.lower(slot);
    }

    /// Gives the slot's thread a lower priority than the threads with permits have.
    fn lower(&self, slot: &Slot) {
        if let Some(priorities) = self.priorities.get() {
            priorities.lower(slot.thread.load(Ordering::Relaxed));
        }
    }

    /// Gives the slot's thread the usual priority.
    fn raise(&self, slot: &Slot) {
        if let Some(priorities) = self.priorities.get() {
            priorities.raise(slot.thread.load(Ordering::Relaxed));
        }
    }
}

/// Idle permits are lent to helper threads of the analyses.
impl Permits for Coordinator {
    fn lend(&self) -> Option<usize> {
        let mut scheduler = self.scheduler.lock();
        let loan = scheduler.lend()?;
        // No thread uses the slot yet.
        self.loans[loan].attention.store(false, Ordering::Relaxed);
        self.loans[loan].thread.store(0, Ordering::Relaxed);
        Some(loan)
    }

    fn begin(&self, loan: usize) {
        let slot = &self.loans[loan];
        slot.take();
    }

    fn is_wanted_back(&self, loan: usize) -> bool {
        self.loans[loan].attention.load(Ordering::Relaxed)
    }

    fn give_back(&self, loan: usize) {
        let slot = &self.loans[loan];
        let mut scheduler = self.scheduler.lock();
        // The pool's thread will help other analyses next, so it gets its priority back.
        if slot.attention.swap(false, Ordering::Relaxed) {
            self.raise(slot);
        }
        slot.thread.store(0, Ordering::Relaxed);
        let actions = scheduler.give_back(loan, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }
}

/// The operating system's priorities of threads.
struct Priorities {
    /// The nice value of threads that hold a permit.
    usual: i32,
    /// Whether a lowered priority can be raised again.
    can_raise: bool,
}

impl Priorities {
    /// Finds out in a new thread whether priorities can be raised, since that thread may be left with a lower one. The result
    /// is empty until then.
    fn probe() -> Arc<OnceLock<Self>> {
        let known = Arc::new(OnceLock::new());
        let result = Arc::clone(&known);
        let probe = move || {
            // SAFETY: getpriority and gettid have no preconditions.
            let (usual, thread) =
                unsafe { (libc::getpriority(libc::PRIO_PROCESS, 0), libc::gettid()) };
            let can_raise = set_nice(thread, usual + 1) && set_nice(thread, usual);
            let _ = result.set(Self { usual, can_raise });
        };
        // Without the thread, priorities stay unchanged.
        let _ = std::thread::Builder::new().spawn(probe);
        known
    }

    fn lower(&self, thread: libc::pid_t) {
        if self.can_raise && thread != 0 {
            set_nice(thread, self.usual + NICENESS);
        }
    }

    fn raise(&self, thread: libc::pid_t) {
        if self.can_raise && thread != 0 {
            set_nice(thread, self.usual);
        }
    }
}

/// Sets the nice value of a thread of this process. Returns whether that was allowed.
fn set_nice(thread: libc::pid_t, nice: i32) -> bool {
    // SAFETY: setpriority has no preconditions. On Linux the number may be a thread's.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, thread.cast_unsigned(), nice) == 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Three threads share one permit: the one that never reaches a safe point neither blocks the others nor is stopped.
    #[test]
    fn a_thread_without_safe_points_does_not_block_others() {
        let schedule = Schedule {
            first_slice: Duration::from_millis(5),
            longest_slice: Duration::from_millis(5),
            ..Schedule::default()
        };
        let coordinator = Arc::new(Coordinator::new(1, &schedule, 3));
        let over = Arc::new(AtomicBool::new(false));
        let at_work = Arc::new(AtomicUsize::new(0));
        let (sender, ends) = crossbeam::channel::unbounded();
        for number in 0..3 {
            let (own, over, at_work, sender) = (
                Arc::downgrade(&coordinator),
                Arc::clone(&over),
                Arc::clone(&at_work),
                sender.clone(),
            );
            let work = move |slot: usize| {
                let coordinator = own.upgrade().expect("the race is on");
                coordinator.enter(slot);
                let mut turns = 0;
                while turns < 3 && !over.load(Ordering::Relaxed) {
                    if number == 0 {
                        std::thread::sleep(Duration::from_millis(1));
                        continue;
                    }
                    // The two others run at the same time only until the one that lost its permit reaches a safe point.
                    at_work.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(1));
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    if coordinator.safe_point(slot, &|| ()) > Duration::ZERO {
                        turns += 1;
                    }
                }
                coordinator.certify(slot);
                coordinator.leave(slot);
                let _ = sender.send(number);
            };
            let slot = coordinator.admit(10, Duration::MAX, move |slot| {
                std::thread::spawn(move || work(slot));
            });
            assert_eq!(slot, number);
        }
        let mut ended = Vec::new();
        coordinator.tick();
        while ended.len() < 3 {
            let next = coordinator.next_tick();
            let latest = Instant::now() + Duration::from_secs(20);
            match ends.recv_deadline(next.unwrap_or(latest).min(latest)) {
                Ok(number) => ended.push(number),
                Err(_) => assert!(Instant::now() < latest, "a thread never runs"),
            }
            coordinator.tick();
            if ended.len() == 2 {
                over.store(true, Ordering::Relaxed);
            }
        }
        assert_eq!(ended[2], 0);
        assert_eq!(at_work.load(Ordering::SeqCst), 0);
    }

    /// Both threads get their turns although `tick` is called only once.
    #[test]
    fn a_safe_point_after_the_end_of_a_turn_ends_it() {
        let schedule = Schedule {
            first_slice: Duration::from_millis(2),
            longest_slice: Duration::from_millis(2),
            ..Schedule::default()
        };
        let coordinator = Arc::new(Coordinator::new(1, &schedule, 2));
        let (sender, ends) = crossbeam::channel::unbounded();
        for _ in 0..2 {
            let (own, sender) = (Arc::downgrade(&coordinator), sender.clone());
            let work = move |slot: usize| {
                let coordinator = own.upgrade().expect("the race is on");
                coordinator.enter(slot);
                let begin = Instant::now();
                let mut waits = 0;
                while waits < 3 && begin.elapsed() < Duration::from_secs(20) {
                    let waited = coordinator.safe_point(slot, &|| ());
                    waits += u32::from(waited > Duration::from_millis(1));
                }
                let _ = sender.send(waits);
                coordinator.leave(slot);
            };
            coordinator.admit(10, Duration::MAX, move |slot| {
                std::thread::spawn(move || work(slot));
            });
        }
        coordinator.tick();
        let first = ends.recv_timeout(Duration::from_secs(30)).expect("an end");
        assert_eq!(first, 3);
    }
}

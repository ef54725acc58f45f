//! The threads of a race and the permits to run: [`super::scheduler`]'s rules, with clocks and threads.
//!
//! An analysis's thread is started when it gets its first permit. It calls [`Coordinator::enter`] first,
//! [`Coordinator::safe_point`] between its queries, [`Coordinator::certify`] when it has an answer and [`Coordinator::leave`] at
//! its end. The race's own thread calls [`Coordinator::tick`] at [`Coordinator::next_tick`]. It may come late where all
//! processors are busy: so who comes to a safe point after the end of its turn sees to it that others go on.
//!
//! A thread that runs without a permit has a lower priority of the operating system. A user without privileges can
//! lower a thread's priority, but not raise it again; where that is so, it stays as it is.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::config::Schedule;
use super::scheduler::{Action, Scheduler};
use regatta_base::workers::Permits;

/// What is added to the nice value of a thread that runs without a permit: it gets about a tenth of what others get.
const NICENESS: i32 = 10;

/// How long after the end of a turn somebody for whom nobody waits looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// Who may run.
pub(super) struct Coordinator {
    started: Instant,
    scheduler: Mutex<Scheduler>,
    seats: Vec<Seat>,
    /// Seats of helpers, one for each permit.
    loans: Vec<Seat>,
    priorities: Arc<OnceLock<Priorities>>,
}

/// Starts the thread of who sits on the seat with the number.
type Start = Box<dyn FnOnce(usize) + Send>;

/// What there is for an analysis's thread.
#[derive(Default)]
struct Seat {
    /// Until the thread is started.
    start: Mutex<Option<Start>>,
    /// It has to ask the scheduler when it comes to a safe point.
    attention: AtomicBool,
    /// It has to ask then from this time on, too: nanoseconds since the coordinator began.
    ends: AtomicU64,
    granted: Condvar,
    /// The thread's number in the operating system; zero before it has entered.
    thread: AtomicI32,
}

impl Seat {
    fn has_ended(&self, now: Duration) -> bool {
        now.as_nanos() >= u128::from(self.ends.load(Ordering::Relaxed))
    }

    fn set_end(&self, end: Duration) {
        let end = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX);
        self.ends.store(end, Ordering::Relaxed);
    }

    /// The calling thread sits there from here on.
    fn take(&self) {
        // SAFETY: gettid has no preconditions.
        let thread = unsafe { libc::gettid() };
        self.thread.store(thread, Ordering::Relaxed);
    }
}

impl Coordinator {
    /// With so many permits, for at most so many analyses.
    pub fn new(permits: usize, schedule: &Schedule, analyses: usize) -> Self {
        let permits = permits.max(1);
        Self {
            started: Instant::now(),
            scheduler: Mutex::new(Scheduler::new(permits, schedule.clone())),
            seats: (0..analyses).map(|_| Seat::default()).collect(),
            loans: (0..permits).map(|_| Seat::default()).collect(),
            priorities: Priorities::probe(),
        }
    }

    /// Admits another analysis and returns its seat. It has a permit after [`Self::tick`] at the earliest, and is started
    /// then: with its seat, by whoever hands out the permit, which must not ask for anything of the coordinator.
    pub fn admit(
        &self,
        priority: u32,
        eases_after: Duration,
        start: impl FnOnce(usize) + Send + 'static,
    ) -> usize {
        let mut scheduler = self.scheduler.lock();
        let seat = scheduler.add(priority, eases_after);
        *self.seats[seat].start.lock() = Some(Box::new(start));
        seat
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

    /// Gives these turns before all others: seats, and how long.
    pub fn open(&self, turns: impl IntoIterator<Item = (usize, Duration)>) {
        self.scheduler.lock().open(turns);
    }

    /// Admits somebody who rests until woken.
    pub fn admit_resting(&self, priority: u32) -> usize {
        self.scheduler.lock().add_resting(priority)
    }

    /// The calling thread is the analysis's from here on; waits for the first permit.
    pub fn enter(&self, seat: usize) {
        self.attach(seat);
        let mut scheduler = self.scheduler.lock();
        self.wait_locked(seat, &mut scheduler);
        // A thread begins with the priority of the one that started it, who may have lost its permit just then; so may this one.
        let seat = &self.seats[seat];
        match seat.attention.load(Ordering::Relaxed) {
            true => self.lower(seat),
            false => self.raise(seat),
        }
    }

    /// The calling thread is the analysis's from here on.
    pub fn attach(&self, seat: usize) {
        self.seats[seat].take();
    }

    /// The analysis needs no permit until it is woken.
    pub fn rest(&self, seat: usize) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.rest(seat, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// The analysis wants a permit again. [`Self::tick`] has to be called soon.
    pub fn wake(&self, seat: usize) {
        self.scheduler.lock().wake(seat);
    }

    /// Waits for a permit.
    pub fn wait(&self, seat: usize) {
        self.wait_locked(seat, &mut self.scheduler.lock());
    }

    fn wait_locked(&self, seat: usize, scheduler: &mut MutexGuard<'_, Scheduler>) {
        while !scheduler.may_run(seat) {
            self.seats[seat].granted.wait(scheduler);
        }
    }

    /// The analysis could stop here; if it must, waits for its next turn, once it has said so. Returns how long that took.
    pub fn safe_point(&self, seat: usize, pauses: &dyn Fn()) -> Duration {
        let own = &self.seats[seat];
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
            let end = scheduler.end_of_turn(seat).unwrap_or(Duration::MAX);
            own.set_end(end.max(now + LOOK_AGAIN));
        }
        if scheduler.safe_point(seat) {
            MutexGuard::unlocked(&mut scheduler, pauses);
            self.wait_locked(seat, &mut scheduler);
        }
        begin.elapsed()
    }

    /// The analysis has an answer, which is checked from here on.
    pub fn certify(&self, seat: usize) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.certify(seat, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// The analysis's answer did not pass its check, and it begins again.
    pub fn resume(&self, seat: usize) {
        let mut scheduler = self.scheduler.lock();
        let now = self.started.elapsed();
        scheduler.resume(seat, now);
        let actions = scheduler.tick(now);
        self.apply(&scheduler, &actions);
    }

    /// The analysis is over.
    pub fn leave(&self, seat: usize) {
        let mut scheduler = self.scheduler.lock();
        let actions = scheduler.finish(seat, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }

    /// To be called while the scheduler is locked, lest a later action be overtaken.
    fn apply(&self, scheduler: &Scheduler, actions: &[Action]) {
        for &action in actions {
            match action {
                Action::Grant(number) => {
                    let seat = &self.seats[number];
                    seat.set_end(scheduler.end_of_turn(number).unwrap_or(Duration::MAX));
                    if let Some(start) = seat.start.lock().take() {
                        start(number);
                        continue;
                    }
                    // Only who has lost a permit runs slowly.
                    if seat.attention.swap(false, Ordering::Relaxed) {
                        self.raise(seat);
                    }
                    seat.granted.notify_one();
                }
                Action::Revoke(seat) => self.call(&self.seats[seat]),
                Action::Recall(loan) => self.call(&self.loans[loan]),
            }
        }
    }

    /// Who sits there has lost the permit.
    fn call(&self, seat: &Seat) {
        seat.attention.store(true, Ordering::Relaxed);
        self.lower(seat);
    }

    /// Who sits there is less urgent than who has a permit.
    fn lower(&self, seat: &Seat) {
        if let Some(priorities) = self.priorities.get() {
            priorities.lower(seat.thread.load(Ordering::Relaxed));
        }
    }

    /// Who sits there is as urgent as anybody who has a permit.
    fn raise(&self, seat: &Seat) {
        if let Some(priorities) = self.priorities.get() {
            priorities.raise(seat.thread.load(Ordering::Relaxed));
        }
    }
}

/// What is idle is lent to helpers of the analyses.
impl Permits for Coordinator {
    fn lend(&self) -> Option<usize> {
        let mut scheduler = self.scheduler.lock();
        let loan = scheduler.lend()?;
        // Nobody sits there yet.
        self.loans[loan].attention.store(false, Ordering::Relaxed);
        self.loans[loan].thread.store(0, Ordering::Relaxed);
        Some(loan)
    }

    fn begin(&self, loan: usize) {
        let seat = &self.loans[loan];
        seat.take();
    }

    fn is_wanted_back(&self, loan: usize) -> bool {
        self.loans[loan].attention.load(Ordering::Relaxed)
    }

    fn give_back(&self, loan: usize) {
        let seat = &self.loans[loan];
        let mut scheduler = self.scheduler.lock();
        // The thread serves others after this.
        if seat.attention.swap(false, Ordering::Relaxed) {
            self.raise(seat);
        }
        seat.thread.store(0, Ordering::Relaxed);
        let actions = scheduler.give_back(loan, self.started.elapsed());
        self.apply(&scheduler, &actions);
    }
}

/// The operating system's priorities of threads.
struct Priorities {
    /// The nice value of threads that hold a permit.
    usual: i32,
    /// Whether what has been lowered can be raised again.
    can_raise: bool,
}

impl Priorities {
    /// Tries it, in a thread of its own, which may come out of it with a lower priority; until then, nothing is known.
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
        // Without it, priorities stay as they are.
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

/// Sets the nice value of a thread of this process; whether that was allowed.
fn set_nice(thread: libc::pid_t, nice: i32) -> bool {
    // SAFETY: setpriority has no preconditions. On Linux the number may be a thread's.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, thread.cast_unsigned(), nice) == 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Three threads, one permit: one that never comes to a safe point keeps nobody from running, and is not stopped.
    #[test]
    fn an_overstayer_keeps_nobody_from_running() {
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
            let work = move |seat: usize| {
                let coordinator = own.upgrade().expect("the race is on");
                coordinator.enter(seat);
                let mut turns = 0;
                while turns < 3 && !over.load(Ordering::Relaxed) {
                    if number == 0 {
                        std::thread::sleep(Duration::from_millis(1));
                        continue;
                    }
                    // The two others are never at work at the same time but for the moment until a safe point.
                    at_work.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(1));
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    if coordinator.safe_point(seat, &|| ()) > Duration::ZERO {
                        turns += 1;
                    }
                }
                coordinator.certify(seat);
                coordinator.leave(seat);
                let _ = sender.send(number);
            };
            let seat = coordinator.admit(10, Duration::MAX, move |seat| {
                std::thread::spawn(move || work(seat));
            });
            assert_eq!(seat, number);
        }
        let mut ended = Vec::new();
        coordinator.tick();
        while ended.len() < 3 {
            let next = coordinator.next_tick();
            let latest = Instant::now() + Duration::from_secs(20);
            match ends.recv_deadline(next.unwrap_or(latest).min(latest)) {
                Ok(number) => ended.push(number),
                Err(_) => assert!(Instant::now() < latest, "somebody never runs"),
            }
            coordinator.tick();
            if ended.len() == 2 {
                over.store(true, Ordering::Relaxed);
            }
        }
        assert_eq!(ended[2], 0);
        assert_eq!(at_work.load(Ordering::SeqCst), 0);
    }

    /// Nobody ticks but once, and both of two have their turns.
    #[test]
    fn who_comes_to_a_safe_point_ends_its_own_turn() {
        let schedule = Schedule {
            first_slice: Duration::from_millis(2),
            longest_slice: Duration::from_millis(2),
            ..Schedule::default()
        };
        let coordinator = Arc::new(Coordinator::new(1, &schedule, 2));
        let (sender, ends) = crossbeam::channel::unbounded();
        for _ in 0..2 {
            let (own, sender) = (Arc::downgrade(&coordinator), sender.clone());
            let work = move |seat: usize| {
                let coordinator = own.upgrade().expect("the race is on");
                coordinator.enter(seat);
                let begin = Instant::now();
                let mut waits = 0;
                while waits < 3 && begin.elapsed() < Duration::from_secs(20) {
                    let waited = coordinator.safe_point(seat, &|| ());
                    waits += u32::from(waited > Duration::from_millis(1));
                }
                let _ = sender.send(waits);
                coordinator.leave(seat);
            };
            coordinator.admit(10, Duration::MAX, move |seat| {
                std::thread::spawn(move || work(seat));
            });
        }
        coordinator.tick();
        let first = ends.recv_timeout(Duration::from_secs(30)).expect("an end");
        assert_eq!(first, 3);
    }
}

//! What the analyses of a race count, where another process can read it, too.
//!
//! An analysis that is stopped cannot say what it has done: its process is killed as soon as somebody else has the answer or
//! a limit is reached. So its counters are in memory that the supervisor shares with the race's process
//! ([`Counters::shared`], before the fork) and reads when the race is over, however that ended. A thread says for whom
//! it works ([`attribute`]); whoever has something to count calls [`add`], [`set`] or [`query`], in any module. Without
//! shared memory, or on a thread that works for nobody, these do nothing; otherwise each is an atomic operation or two.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use rustc_hash::FxBuildHasher;

/// Analyses have smaller numbers, or are not counted.
const MOST: usize = 64;

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $Variant:ident = $name:literal;)+) => {
        /// What is counted.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum Counter {
            $($(#[doc = $doc])+ $Variant,)+
        }

        impl Counter {
            /// All of them with their names in events.
            pub const ALL: &[(Self, &'static str)] = &[$((Self::$Variant, $name)),+];
        }
    };
}

counters! {
    /// The bound that was looked at last, in steps between cut points, or the last frame.
    Bound = "bound";
    /// Refinements of an abstraction.
    Refinements = "refinements";
    /// Abstract states.
    States = "states";
    /// Predicates of the precision.
    Predicates = "predicates";
    /// Proof obligations.
    Obligations = "obligations";
    /// Invariants published.
    Published = "published";
    /// Questions to solvers that have begun.
    Queries = "queries";
    /// Wall time of unrolling the program from its entry, in microseconds as all that follow.
    BaseUnrolling = "base_unrolling_microseconds";
    /// Of looking for a path to an error within the bound, with the replay of those that were found.
    BaseCase = "base_case_microseconds";
    /// Of asking whether an execution is longer than the bound.
    ForwardCondition = "forward_condition_microseconds";
    /// Of unrolling the program from any state.
    StepUnrolling = "step_unrolling_microseconds";
    /// Of asking whether an error or a broken invariant follows on so many steps without.
    StepCase = "step_case_microseconds";
    /// Of computing abstractions of blocks.
    Abstraction = "abstraction_microseconds";
    /// Of interpolation, for forced covering, too.
    Interpolation = "interpolation_microseconds";
    /// Of forced covering, with the interpolation for it.
    ForcedCovering = "forced_covering_microseconds";
    /// Constraints of the program that the last abstraction has.
    KeptConstraints = "kept_constraints";
    /// Those of the largest abstraction but the first, which has all.
    MostKeptConstraints = "most_kept_constraints";
    /// All constraints of the program.
    Constraints = "constraints";
}

/// How many counters there are.
const COUNTERS: usize = Counter::ALL.len();

/// What one analysis has counted.
struct Seat {
    /// A hash of its name; zero if nobody sits there.
    name: AtomicU64,
    counters: [AtomicU64; COUNTERS],
    /// Questions to solvers that have not ended.
    asking: AtomicI64,
    /// The sum of the ends of questions less that of their begins, in nanoseconds of the monotonic clock.
    asked: AtomicI64,
    /// How many invariants it has taken from each other.
    taken: [AtomicU64; MOST],
}

/// What all analyses of a race have counted.
struct Board {
    seats: [Seat; MOST],
}

/// The board that this process counts on.
static BOARD: AtomicPtr<Board> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    static FOR: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Counters in memory that is shared with processes that are forked later.
pub struct Counters {
    board: NonNull<Board>,
}

/// What an analysis has counted, in the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// The counters that are not zero, by their names.
    pub counters: Vec<(&'static str, u64)>,
    /// Wall time in solvers, of all its threads together, with questions that were not answered.
    pub solver_time: Duration,
    /// The numbers of others, and how many of their invariants it has taken.
    pub taken: BTreeMap<u32, u64>,
}

impl Counters {
    /// New ones, all zero; `None` where the system has no memory to share.
    pub fn shared() -> Option<Self> {
        // SAFETY: an anonymous mapping of its own; what the system gives is zeroed.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Board>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return None;
        }
        NonNull::new(memory.cast()).map(|board| Self { board })
    }

    /// This process counts here from now on, until it ends.
    pub fn install(&self) {
        BOARD.store(self.board.as_ptr(), Ordering::Release);
    }

    /// What the analysis with the number has counted so far.
    pub fn of(&self, analysis: u32) -> Counted {
        // SAFETY: the mapping lives as long as `self`, and consists of atomics, of which zero is a value.
        let board = unsafe { self.board.as_ref() };
        let Some(seat) = board.seats.get(analysis as usize) else {
            return Counted::default();
        };
        let value = |counter: Counter| seat.counters[counter as usize].load(Ordering::Relaxed);
        let counters = Counter::ALL.iter();
        let counters = counters.map(|&(counter, name)| (name, value(counter)));
        let asking = seat.asking.load(Ordering::Relaxed);
        let nanoseconds = seat.asked.load(Ordering::Relaxed) + asking.max(0) * now();
        let taken = (0..).zip(&seat.taken);
        let taken = taken.map(|(other, number)| (other, number.load(Ordering::Relaxed)));
        Counted {
            counters: counters.filter(|&(_, value)| value != 0).collect(),
            solver_time: Duration::from_nanos(nanoseconds.max(0).cast_unsigned()),
            taken: taken.filter(|&(_, number)| number != 0).collect(),
        }
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        let board = self.board.as_ptr();
        // Whoever counts there in this process does so no more.
        let _ = BOARD.compare_exchange(
            board,
            std::ptr::null_mut(),
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        // SAFETY: the mapping is this one's, and of that size.
        unsafe { libc::munmap(board.cast(), size_of::<Board>()) };
    }
}

/// The calling thread works for the analysis with the number from here on; zero is nobody.
pub fn attribute(analysis: u32) {
    FOR.set(match analysis {
        0 => usize::MAX,
        analysis => analysis as usize,
    });
}

/// The analysis with the number has the name, under which it publishes.
pub fn name(analysis: u32, name: &str) {
    if let Some(seat) = board().and_then(|board| board.seats.get(analysis as usize)) {
        seat.name.store(hash(name), Ordering::Relaxed);
    }
}

/// Counts so many more.
pub fn add(counter: Counter, number: u64) {
    if let Some(seat) = seat() {
        seat.counters[counter as usize].fetch_add(number, Ordering::Relaxed);
    }
}

/// There are so many now.
pub fn set(counter: Counter, number: u64) {
    if let Some(seat) = seat() {
        seat.counters[counter as usize].store(number, Ordering::Relaxed);
    }
}

/// There have been so many at most, if there were never more.
pub fn raise(counter: Counter, number: u64) {
    if let Some(seat) = seat() {
        seat.counters[counter as usize].fetch_max(number, Ordering::Relaxed);
    }
}

/// Counts the wall time of what is done, in microseconds, when it has ended.
pub fn time<T>(counter: Counter, work: impl FnOnce() -> T) -> T {
    if seat().is_none() {
        return work();
    }
    let begun = now();
    let result = work();
    let microseconds = (now() - begun).max(0).cast_unsigned() / 1000;
    add(counter, microseconds);
    result
}

/// The calling thread's analysis has taken so many invariants of another.
pub fn take(publisher: &str, number: usize) {
    let (Some(board), Some(seat)) = (board(), seat()) else {
        return;
    };
    let wanted = hash(publisher);
    let mut names = board.seats.iter().map(|seat| &seat.name);
    if let Some(other) = names.position(|name| name.load(Ordering::Relaxed) == wanted) {
        seat.taken[other].fetch_add(number as u64, Ordering::Relaxed);
    }
}

/// Asks a solver, and counts that with the time that it takes, also if it never ends.
pub fn query<T>(ask: impl FnOnce() -> T) -> T {
    let Some(seat) = seat() else {
        return ask();
    };
    seat.counters[Counter::Queries as usize].fetch_add(1, Ordering::Relaxed);
    seat.asked.fetch_sub(now(), Ordering::Relaxed);
    seat.asking.fetch_add(1, Ordering::Relaxed);
    let answer = ask();
    seat.asking.fetch_sub(1, Ordering::Relaxed);
    seat.asked.fetch_add(now(), Ordering::Relaxed);
    answer
}

fn board() -> Option<&'static Board> {
    // SAFETY: what is stored is mapped until it is taken out; a process that counts never takes it out, because it
    // ends first, and the supervisor, which does, has one thread.
    unsafe { BOARD.load(Ordering::Acquire).as_ref() }
}

fn seat() -> Option<&'static Seat> {
    board()?.seats.get(FOR.get())
}

/// Nanoseconds of the monotonic clock, which all processes share.
fn now() -> i64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| time.num_nanoseconds())
}

/// Never zero.
fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With numbers that no other test's analyses have.
    #[test]
    fn what_is_counted_is_read() {
        let counters = Counters::shared().expect("memory");
        add(Counter::Queries, 7);
        counters.install();
        add(Counter::Queries, 7);
        name(62, "data-flow");
        attribute(61);
        add(Counter::Obligations, 2);
        add(Counter::Obligations, 3);
        set(Counter::Bound, 9);
        set(Counter::Bound, 4);
        raise(Counter::MostKeptConstraints, 6);
        raise(Counter::MostKeptConstraints, 5);
        assert_eq!(time(Counter::BaseCase, || 7), 7);
        time(Counter::StepCase, || {
            std::thread::sleep(Duration::from_millis(5))
        });
        take("data-flow", 11);
        take("nobody", 5);
        query(|| std::thread::sleep(Duration::from_millis(20)));
        attribute(0);
        add(Counter::Bound, 100);
        attribute(MOST as u32);
        add(Counter::Bound, 100);
        attribute(0);
        let counted = counters.of(61);
        let of = |wanted: &str| {
            let mut known = counted.counters.iter();
            known.find(|(name, _)| *name == wanted).map(|known| known.1)
        };
        assert_eq!(of("bound"), Some(4));
        assert_eq!(of("obligations"), Some(5));
        assert_eq!(of("queries"), Some(1));
        assert_eq!(of("most_kept_constraints"), Some(6));
        assert!(
            of("step_case_microseconds").is_some_and(|time| (5_000..10_000_000).contains(&time))
        );
        assert_eq!(of("states"), None);
        assert_eq!(counted.taken, BTreeMap::from([(62, 11)]));
        assert!(counted.solver_time >= Duration::from_millis(20));
        assert!(counted.solver_time < Duration::from_secs(10));
        assert_eq!(counters.of(62), Counted::default());
        assert_eq!(counters.of(u32::MAX), Counted::default());
        // A question that is not answered counts for as long as it has been asked.
        attribute(63);
        query(|| {
            std::thread::sleep(Duration::from_millis(10));
            let counted = counters.of(63);
            assert!(counted.solver_time >= Duration::from_millis(10));
        });
        attribute(0);
        // Threads of other tests may be counting.
        std::mem::forget(counters);
    }
}

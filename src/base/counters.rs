//! Counters of the analyses of a race, in memory that the supervisor's process can read.
//!
//! An analysis that is stopped cannot report what it has done: its process is killed as soon as another engine has the answer or
//! a limit is reached. So its counters are in memory that the supervisor shares with the race's process
//! ([`Counters::shared`], before the fork) and reads when the race is over, however that ended. A thread declares the analysis
//! that it works for ([`attribute`]); any module counts with [`add`], [`set`] or [`query`]. Without shared memory, or on a
//! thread without an analysis, these do nothing; otherwise each is an atomic operation or two.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use rustc_hash::FxBuildHasher;

/// Maximum number of analyses that are counted, and the exclusive bound of their numbers.
const MAXIMUM_ANALYSES: usize = 64;

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
    /// The bound that was examined last, in steps between cut points, or the last frame.
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
    /// Candidates and obligations that a reached state has refuted, without a solver.
    RefutedByStates = "refuted_by_states";
    /// Predicates of other analyses that were used.
    PredicatesUsed = "predicates_used";
    /// Steps of base cases that were taken from another analysis.
    StepsTaken = "steps_taken";
    /// Questions of the closing check: whether the shared invariants exclude a way to a target.
    ClosingQuestions = "closing_questions";
    /// Targets that the closing check has excluded.
    ClosedTargets = "closed_targets";
    /// Candidates, and questions of the closing check, that the kept model of an earlier question has answered.
    KeptModels = "kept_models";
    /// Solver queries that have begun.
    Queries = "queries";
    /// Wall time of unrolling the program from its entry, in microseconds like all times below.
    BaseUnrolling = "base_unrolling_microseconds";
    /// Wall time of searching for a path to an error within the bound, with the replay of the paths found.
    BaseCase = "base_case_microseconds";
    /// Wall time of the forward condition: whether an execution is longer than the bound.
    ForwardCondition = "forward_condition_microseconds";
    /// Wall time of unrolling the program from an arbitrary state.
    StepUnrolling = "step_unrolling_microseconds";
    /// Wall time of the step case: whether an error or a violated invariant follows on as many steps as the bound without one.
    StepCase = "step_case_microseconds";
    /// Wall time of the closing check, without the check of its proofs.
    Closing = "closing_microseconds";
    /// Wall time of computing abstractions of blocks.
    Abstraction = "abstraction_microseconds";
    /// Wall time of interpolation, including that for forced covering.
    Interpolation = "interpolation_microseconds";
    /// Wall time of forced covering, including interpolation for it.
    ForcedCovering = "forced_covering_microseconds";
    /// Constraints of the program in the last abstraction.
    KeptConstraints = "kept_constraints";
    /// Constraints in the largest abstraction other than the first, which has all.
    MostKeptConstraints = "most_kept_constraints";
    /// All constraints of the program.
    Constraints = "constraints";
}

/// The number of counters.
const COUNTERS: usize = Counter::ALL.len();

/// The counters of one analysis.
struct AnalysisCounters {
    /// A hash of the analysis's name; zero if no analysis has the number.
    name: AtomicU64,
    counters: [AtomicU64; COUNTERS],
    /// The number of solver queries that have not ended.
    open_queries: AtomicI64,
    /// The sum of the end times of queries minus the sum of their start times, in nanoseconds of the monotonic clock.
    query_nanoseconds: AtomicI64,
    /// The number of invariants that it has taken from each other analysis.
    taken: [AtomicU64; MAXIMUM_ANALYSES],
}

/// The counters of all analyses of a race.
struct RaceCounters {
    analyses: [AnalysisCounters; MAXIMUM_ANALYSES],
}

/// The counters that this process updates; null if there are none.
static RACE_COUNTERS: AtomicPtr<RaceCounters> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    static ANALYSIS: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Counters in memory that is shared with processes that are forked later.
pub struct Counters {
    shared: NonNull<RaceCounters>,
}

/// A snapshot of the counters of an analysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// The counters that are not zero, with their names.
    pub counters: Vec<(&'static str, u64)>,
    /// Wall time in solvers, summed over its threads, including queries that were not answered.
    pub solver_time: Duration,
    /// The number of invariants taken from each other analysis, by that analysis's number.
    pub taken: BTreeMap<u32, u64>,
}

impl Counters {
    /// Maps new counters, all zero; `None` if the system has no memory to share.
    pub fn shared() -> Option<Self> {
        // SAFETY: an anonymous mapping of its own; what the system gives is zeroed.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<RaceCounters>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return None;
        }
        NonNull::new(memory.cast()).map(|shared| Self { shared })
    }

    /// Makes this process update these counters from now on, until it ends.
    pub fn install(&self) {
        RACE_COUNTERS.store(self.shared.as_ptr(), Ordering::Release);
    }

    /// Returns the counters of the analysis with the number, as they are now.
    pub fn of(&self, analysis: u32) -> Counted {
        // SAFETY: the mapping lives as long as `self`, and consists of atomics, of which zero is a value.
        let shared = unsafe { self.shared.as_ref() };
        let Some(analysis) = shared.analyses.get(analysis as usize) else {
            return Counted::default();
        };
        let value = |counter: Counter| analysis.counters[counter as usize].load(Ordering::Relaxed);
        let counters = Counter::ALL.iter();
        let counters = counters.map(|&(counter, name)| (name, value(counter)));
        let open = analysis.open_queries.load(Ordering::Relaxed);
        let nanoseconds = analysis.query_nanoseconds.load(Ordering::Relaxed) + open.max(0) * now();
        let taken = (0..).zip(&analysis.taken);
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
        let shared = self.shared.as_ptr();
        // The rest of this process counts no more.
        let _ = RACE_COUNTERS.compare_exchange(
            shared,
            std::ptr::null_mut(),
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        // SAFETY: the mapping is this one's, and of that size.
        unsafe { libc::munmap(shared.cast(), size_of::<RaceCounters>()) };
    }
}

/// Makes the calling thread count for the analysis with the number; zero is no analysis.
pub fn attribute(analysis: u32) {
    ANALYSIS.set(match analysis {
        0 => usize::MAX,
        analysis => analysis as usize,
    });
}

/// Sets the name under which the analysis with the number publishes invariants.
pub fn name(analysis: u32, name: &str) {
    if let Some(counters) = race().and_then(|race| race.analyses.get(analysis as usize)) {
        counters.name.store(hash(name), Ordering::Relaxed);
    }
}

/// Adds the number to a counter.
pub fn add(counter: Counter, number: u64) {
    if let Some(own) = own() {
        own.counters[counter as usize].fetch_add(number, Ordering::Relaxed);
    }
}

/// Sets a counter to the number.
pub fn set(counter: Counter, number: u64) {
    if let Some(own) = own() {
        own.counters[counter as usize].store(number, Ordering::Relaxed);
    }
}

/// Raises a counter to the number, if it is smaller.
pub fn raise(counter: Counter, number: u64) {
    if let Some(own) = own() {
        own.counters[counter as usize].fetch_max(number, Ordering::Relaxed);
    }
}

/// Does the work and adds its wall time, in microseconds, to the counter when it has ended.
pub fn time<T>(counter: Counter, work: impl FnOnce() -> T) -> T {
    if own().is_none() {
        return work();
    }
    let begun = now();
    let result = work();
    let microseconds = (now() - begun).max(0).cast_unsigned() / 1000;
    add(counter, microseconds);
    result
}

/// Counts invariants that the calling thread's analysis has taken from another one.
pub fn take(publisher: &str, number: usize) {
    let (Some(race), Some(own)) = (race(), own()) else {
        return;
    };
    let wanted = hash(publisher);
    let mut names = race.analyses.iter().map(|analysis| &analysis.name);
    if let Some(other) = names.position(|name| name.load(Ordering::Relaxed) == wanted) {
        own.taken[other].fetch_add(number as u64, Ordering::Relaxed);
    }
}

/// Runs a solver query and counts it and its time, even if it never ends.
pub fn query<T>(ask: impl FnOnce() -> T) -> T {
    let Some(own) = own() else {
        return ask();
    };
    own.counters[Counter::Queries as usize].fetch_add(1, Ordering::Relaxed);
    own.query_nanoseconds.fetch_sub(now(), Ordering::Relaxed);
    own.open_queries.fetch_add(1, Ordering::Relaxed);
    let answer = ask();
    own.open_queries.fetch_sub(1, Ordering::Relaxed);
    own.query_nanoseconds.fetch_add(now(), Ordering::Relaxed);
    answer
}

fn race() -> Option<&'static RaceCounters> {
    // SAFETY: what is stored is mapped until it is taken out; a process that counts never takes it out, because it
    // ends first, and the supervisor, which does, has one thread.
    unsafe { RACE_COUNTERS.load(Ordering::Acquire).as_ref() }
}

/// The counters of the calling thread's analysis.
fn own() -> Option<&'static AnalysisCounters> {
    race()?.analyses.get(ANALYSIS.get())
}

/// Nanoseconds of the monotonic clock, which all processes share.
fn now() -> i64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| time.num_nanoseconds())
}

/// Returns a hash that is never zero.
fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses numbers of analyses that no other test has.
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
        attribute(MAXIMUM_ANALYSES as u32);
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
        // A query that has not ended counts with the time since its start.
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

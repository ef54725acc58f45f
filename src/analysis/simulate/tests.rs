//! Simulation of small programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Confirm, Control, Options, SimulationOutcome, simulate, simulate_confirmed};
use crate::analysis::CancellationToken;
use crate::certify::replay::{Replay, replay};
use crate::program::interpreter::{Journal, Limits};
use crate::program::{Arithmetic, Operation, Program, ProgramBuilder};
use crate::term::{Build, FloatFormat, FloatValue, Sort, TermId, store};
use crate::workers::{Permits, Threads, Workers};

const WORD: Sort = Sort::BitVec(32);

fn word(value: u32) -> TermId {
    store().bv(32, u128::from(value))
}

/// A budget in runs, so that the tests do not depend on the machine's speed.
fn budget(runs: u64) -> Options {
    Options {
        time: Duration::from_secs(120),
        runs,
        steps: 500_000_000,
        ..Options::default()
    }
}

#[track_caller]
fn assert_unsafe(program: &Program, runs: u64) {
    let simulation = simulate(program, &budget(runs), &CancellationToken::new());
    let SimulationOutcome::Unsafe(journal) = &simulation.outcome else {
        panic!("{simulation:?}");
    };
    assert!(matches!(
        replay(program, journal, Limits::default()),
        Replay::Confirmed(_)
    ));
}

/// `x = nondet(); if (condition(x)) error`.
fn one_input(sort: Sort, condition: impl Fn(TermId) -> TermId) -> Program {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", sort);
    let input = b.input("__VERIFIER_nondet", sort);
    b.havoc(x, input);
    b.error_unless(store().not(condition(b.value(x))));
    b.finish()
}

#[test]
fn conditions_on_an_input_are_met() {
    let s = store();
    // A linear equation, a distant range, shifted bits, and a sign extension.
    assert_unsafe(
        &one_input(WORD, |x| {
            s.eq(s.add(s.mul(x, word(3)), word(17)), word(1_000_000_016))
        }),
        2_000,
    );
    assert_unsafe(
        &one_input(WORD, |x| {
            s.and2(s.ugt(x, word(77_777)), s.ult(x, word(77_790)))
        }),
        2_000,
    );
    assert_unsafe(
        &one_input(WORD, |x| s.eq(s.lshr(x, word(4)), word(0xabcdef))),
        5_000,
    );
    assert_unsafe(
        &one_input(Sort::BitVec(8), |x| {
            s.eq(s.sign_extend(x, 32), word(u32::MAX - 99))
        }),
        2_000,
    );
    assert_unsafe(
        &one_input(Sort::Int, |x| s.int_lt(s.int(5_000_000_000), x)),
        2_000,
    );
    let double = Sort::Float(FloatFormat::F64);
    let limit = s.float(FloatValue::from_f64(1e300));
    assert_unsafe(&one_input(double, |x| s.fp_lt(limit, x)), 2_000);
    assert_unsafe(&one_input(double, |x| s.fp_is_nan(x)), 2_000);
}

#[test]
fn a_lock_with_several_digits_is_opened_digit_by_digit() {
    let mut b = ProgramBuilder::new();
    let (i, x) = (b.global("i", WORD), b.global("x", WORD));
    let input = b.input("__VERIFIER_nondet_int", WORD);
    let end = b.new_location();
    for digit in [31_415_926u32, 53_589_793, 23_846_264, 33_832_795] {
        b.havoc(x, input);
        let matches = store().eq(b.value(x), store().add(word(digit), b.value(i)));
        b.edge(
            b.cursor(),
            end,
            vec![Operation::Assume(store().not(matches))],
        );
        b.assume(matches);
        b.assign(i, store().add(b.value(i), word(1)));
    }
    b.error();
    assert_unsafe(&b.finish(), 10_000);
}

#[test]
fn a_sequence_of_events_is_found() {
    // A counter is incremented on 1, kept on 0, and reset on any other input; the error is at 6.
    let mut b = ProgramBuilder::new();
    let (count, x) = (b.global("count", WORD), b.global("x", WORD));
    let input = b.input("__VERIFIER_nondet_int", WORD);
    b.repeat_while(store().ult(b.value(count), word(6)), |b| {
        b.havoc(x, input);
        let (value, counted) = (b.value(x), b.value(count));
        b.branch(
            store().eq(value, word(1)),
            |b| b.assign(count, store().add(counted, word(1))),
            |b| {
                let ignored = store().eq(value, word(0));
                b.branch(ignored, |_| (), |b| b.assign(count, word(0)));
            },
        );
    });
    b.error();
    assert_unsafe(&b.finish(), 20_000);
}

/// Counts to the limit, then reaches the error if `wrong`.
fn counter(limit: u32, wrong: bool) -> Program {
    let mut b = ProgramBuilder::new();
    let i = b.global("i", WORD);
    b.repeat_while(store().ult(b.value(i), word(limit)), |b| {
        b.assign(i, store().add(b.value(i), word(1)));
    });
    let expected = if wrong { limit + 1 } else { limit };
    b.error_unless(store().eq(b.value(i), word(expected)));
    b.finish()
}

#[test]
fn a_program_without_inputs_has_one_run_which_decides() {
    assert_unsafe(&counter(3_000_000, true), 10);
    let simulation = simulate(
        &counter(3_000_000, false),
        &budget(10),
        &CancellationToken::new(),
    );
    let SimulationOutcome::OnlyRun { steps } = simulation.outcome else {
        panic!("{simulation:?}");
    };
    // Loop acceleration skips most iterations.
    assert!((1..6_000_000).contains(&steps), "{steps}");
}

#[test]
fn overlapping_edges_are_never_exhausted() {
    let mut b = ProgramBuilder::new();
    let target = b.new_location();
    b.edge(b.cursor(), target, Vec::new());
    b.edge(b.cursor(), target, Vec::new());
    let simulation = simulate(&b.finish(), &budget(10), &CancellationToken::new());
    assert_eq!(simulation.outcome, SimulationOutcome::Unknown);
}

/// Rejects everything.
struct Refuse {
    asked: u32,
}

impl Confirm for Refuse {
    fn alarm(&mut self, _: &Journal, _: u64) -> Result<(), String> {
        self.asked += 1;
        Err("no".to_owned())
    }

    fn only_run(&mut self, _: u64) -> Result<(), String> {
        Err("no".to_owned())
    }
}

#[test]
fn runs_with_faults_and_runs_that_are_not_confirmed_are_no_alarms() {
    // The error is reached only after a division by zero.
    let s = store();
    let faulty = one_input(WORD, |x| s.eq(s.udiv(word(5), x), word(u32::MAX)));
    let simulation = simulate(&faulty, &budget(300), &CancellationToken::new());
    assert_eq!(simulation.outcome, SimulationOutcome::Unknown);
    assert!(simulation.statistics.rejected > 0);
    let plain = one_input(WORD, |x| s.ugt(x, word(10)));
    let mut refuse = Refuse { asked: 0 };
    let token = CancellationToken::new();
    let simulation = simulate_confirmed(&plain, &budget(300), Control::new(&token), &mut refuse);
    assert_eq!(simulation.outcome, SimulationOutcome::Unknown);
    assert_eq!(simulation.statistics.first_rejection.as_deref(), Some("no"));
    assert!(refuse.asked > 1);
    let simulation = simulate_confirmed(
        &counter(10, false),
        &budget(300),
        Control::new(&token),
        &mut refuse,
    );
    assert_eq!(simulation.outcome, SimulationOutcome::Unknown);
}

#[test]
fn simulation_is_deterministic_and_can_be_cancelled() {
    let program = one_input(WORD, |x| store().eq(store().mul(x, x), word(2)));
    let run = || {
        let mut simulation = simulate(&program, &budget(3_000), &CancellationToken::new());
        simulation.statistics.time = Duration::ZERO;
        simulation
    };
    assert_eq!(run(), run());
    let token = CancellationToken::new();
    token.cancel();
    let endless = counter(u32::MAX, false);
    let simulation = simulate(&endless, &Options::default(), &token);
    assert_eq!(simulation.outcome, SimulationOutcome::Unknown);
    assert!(simulation.statistics.steps < 1_000_000);
}

#[test]
fn mathematical_integers_are_simulated() {
    let mut b = ProgramBuilder::new();
    b.arithmetic(Arithmetic::Integer);
    let (x, y) = (b.global("x", Sort::Int), b.global("y", Sort::Int));
    let input = b.input("__VERIFIER_nondet_int", Sort::Int);
    b.havoc(x, input);
    b.havoc(y, input);
    let sum = store().int_add(store().int_mul(b.value(x), store().int(3)), b.value(y));
    b.error_unless(store().not(store().eq(sum, store().int(123_456_789_012_345))));
    assert_unsafe(&b.finish(), 3_000);
}

/// Permits for two worker threads at a time, which count them.
#[derive(Default)]
struct Counted {
    hired: AtomicUsize,
    at_work: AtomicUsize,
}

impl Permits for Counted {
    fn lend(&self) -> Option<usize> {
        let busy = |count: usize| (count < 2).then_some(count + 1);
        let at_work = &self.at_work;
        let lent = at_work.fetch_update(Ordering::SeqCst, Ordering::SeqCst, busy);
        lent.ok()
    }

    fn begin(&self, _: usize) {
        self.hired.fetch_add(1, Ordering::SeqCst);
    }

    fn is_wanted_back(&self, _: usize) -> bool {
        false
    }

    fn give_back(&self, _: usize) {
        self.at_work.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns two worker threads and their counters.
fn counted() -> (Workers, Arc<Counted>) {
    let counted = Arc::new(Counted::default());
    let workers = Workers::under(Arc::<Counted>::clone(&counted), Threads::new(2));
    (workers, counted)
}

/// Counts up to one input by steps that depend on another; the error is reached if the sum of their product and the
/// counter satisfies the condition.
fn many_ways(condition: impl Fn(TermId) -> TermId) -> Program {
    let s = store();
    let mut b = ProgramBuilder::new();
    let (i, x, y) = (
        b.global("i", WORD),
        b.global("x", WORD),
        b.global("y", WORD),
    );
    let input = b.input("__VERIFIER_nondet_uint", WORD);
    b.havoc(x, input);
    b.havoc(y, input);
    let (counter, bound) = (b.value(i), b.value(x));
    b.repeat_while(
        s.and2(s.ult(counter, bound), s.ult(counter, word(3_000))),
        |b| {
            let odd = s.eq(s.urem(s.mul(counter, b.value(y)), word(7)), word(3));
            b.branch(
                odd,
                |b| b.assign(i, s.add(counter, word(2))),
                |b| b.assign(i, s.add(counter, word(1))),
            );
        },
    );
    let sum = s.add(s.mul(b.value(x), b.value(y)), b.value(i));
    b.error_unless(s.not(condition(sum)));
    b.finish()
}

/// Returns the simulation with the given workers, without its time, and the number of alarms.
fn found_by(program: &Program, options: &Options, workers: &Workers) -> (super::Simulation, u32) {
    found_at_pace(program, options, workers, &|| Duration::ZERO)
}

/// Like [`found_by`], with a caller that waits before each run.
fn found_at_pace(
    program: &Program,
    options: &Options,
    workers: &Workers,
    safe_point: &dyn Fn() -> Duration,
) -> (super::Simulation, u32) {
    let token = CancellationToken::new();
    let control = Control {
        token: &token,
        safe_point,
        workers,
    };
    let mut refuse = Refuse { asked: 0 };
    let mut simulation = simulate_confirmed(program, options, control, &mut refuse);
    simulation.statistics.time = Duration::ZERO;
    (simulation, refuse.asked)
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let easy = one_input(WORD, |x| store().ult(word(1_000), x));
    // Two is not a square.
    let none = many_ways(|sum| store().eq(store().mul(sum, sum), word(2)));
    for (name, program) in [("no alarm", none), ("alarms that are not confirmed", easy)] {
        for (runs, steps, run_steps) in [
            (3_000, u64::MAX, 200_000),
            (u64::MAX, 2_000_000, 200_000),
            (u64::MAX, 1_000_003, 1_000),
            (217, 300_001, 100_000),
        ] {
            let options = Options {
                time: Duration::from_secs(600),
                runs,
                steps,
                run_steps,
                ..Options::default()
            };
            let alone = found_by(&program, &options, &Workers::none());
            let statistics = &alone.0.statistics;
            assert!(statistics.steps <= steps, "{name}: {statistics:?}");
            assert!(statistics.runs <= runs, "{name}: {statistics:?}");
            let (workers, counted) = counted();
            assert_eq!(found_by(&program, &options, &workers), alone, "{name}");
            assert!(
                counted.hired.load(Ordering::SeqCst) > 0,
                "no worker was used"
            );
            assert_eq!(counted.at_work.load(Ordering::SeqCst), 0);
            let crowd = Workers::fixed(5);
            assert_eq!(found_by(&program, &options, &crowd), alone, "{name}");
        }
    }
}

/// Draws eight numbers and compares each with another constant; the error is reached if a sum is one more than a multiple
/// of four, and an endless loop otherwise.
fn endless_but_for_alarms() -> Program {
    let s = store();
    let mut b = ProgramBuilder::new();
    let (x, sum) = (b.global("x", WORD), b.global("sum", WORD));
    let input = b.input("__VERIFIER_nondet_uint", WORD);
    for digit in 0..8 {
        b.havoc(x, input);
        let (value, before) = (b.value(x), b.value(sum));
        b.branch(
            s.ult(value, word(1_000 + 77 * digit)),
            |b| b.assign(sum, s.add(before, value)),
            |b| b.assign(sum, s.add(before, s.mul(value, word(3)))),
        );
    }
    let is_alarm = s.eq(s.bvand(b.value(sum), word(3)), word(1));
    b.error_unless(s.not(is_alarm));
    b.repeat_while(TermId::TRUE, |b| {
        b.assign(x, s.add(s.mul(b.value(x), word(5)), word(1)));
    });
    b.finish()
}

/// Worker threads run ahead of a slow caller: their results after a finding or a rejected alarm do not count, because a
/// single thread would not have computed them.
#[test]
fn threads_that_run_ahead_do_not_change_the_result() {
    let none = many_ways(|sum| store().eq(store().mul(sum, sum), word(2)));
    let easy = one_input(WORD, |x| store().ult(word(1_000), x));
    let slow = || {
        std::thread::sleep(Duration::from_micros(400));
        Duration::from_micros(400)
    };
    for (name, program) in [
        ("no alarm", none),
        ("alarms that are not confirmed", easy),
        ("alarms among endless runs", endless_but_for_alarms()),
    ] {
        for seed in 1..=3 {
            let options = Options {
                time: Duration::from_secs(600),
                runs: 600,
                run_steps: 1_000,
                seed,
                ..Options::default()
            };
            let alone = found_by(&program, &options, &Workers::none());
            for helpers in [1, 3] {
                let crowd = Workers::fixed(helpers);
                let ahead = found_at_pace(&program, &options, &crowd, &slow);
                assert_eq!(ahead, alone, "{name}, seed {seed}, {helpers} helpers");
            }
        }
    }
}

#[test]
fn no_budget_is_exceeded() {
    for program in [
        endless_but_for_alarms(),
        many_ways(|sum| store().eq(sum, word(0xdead_beef))),
    ] {
        for runs in (1..400).step_by(3) {
            let options = Options {
                run_steps: 1_000,
                ..budget(runs)
            };
            let simulation = simulate(&program, &options, &CancellationToken::new());
            let statistics = simulation.statistics;
            assert!(statistics.runs <= runs, "{runs}: {statistics:?}");
        }
        for steps in (1_000..100_000).step_by(1_009) {
            let options = Options {
                steps,
                run_steps: 1_000,
                ..budget(u64::MAX)
            };
            let simulation = simulate(&program, &options, &CancellationToken::new());
            let statistics = simulation.statistics;
            assert!(statistics.steps <= steps, "{steps}: {statistics:?}");
        }
    }
}

/// Confirms alarms, on the calling thread only.
struct OnThread {
    thread: std::thread::ThreadId,
    confirmed: Option<Journal>,
}

impl Confirm for OnThread {
    fn alarm(&mut self, inputs: &Journal, _: u64) -> Result<(), String> {
        assert_eq!(std::thread::current().id(), self.thread);
        self.confirmed = Some(inputs.clone());
        Ok(())
    }

    fn only_run(&mut self, _: u64) -> Result<(), String> {
        Err("there are more".to_owned())
    }
}

#[test]
fn an_error_that_a_helper_finds_is_confirmed_by_the_caller() {
    let token = CancellationToken::new();
    let program = many_ways(|sum| store().eq(sum, word(0xdead_beef)));
    for seed in 1..=5 {
        // The caller waits before each run, so that workers find almost everything.
        let (workers, counted) = counted();
        let safe_point = || {
            std::thread::sleep(Duration::from_micros(300));
            Duration::from_micros(300)
        };
        let control = Control {
            token: &token,
            safe_point: &safe_point,
            workers: &workers,
        };
        let mut confirm = OnThread {
            thread: std::thread::current().id(),
            confirmed: None,
        };
        let options = Options {
            seed,
            ..budget(20_000)
        };
        let simulation = simulate_confirmed(&program, &options, control, &mut confirm);
        let SimulationOutcome::Unsafe(journal) = simulation.outcome else {
            panic!("{:?}", simulation.statistics);
        };
        let replayed = replay(&program, &journal, Limits::default());
        assert!(matches!(replayed, Replay::Confirmed(_)));
        assert_eq!(confirm.confirmed, Some(journal));
        assert!(
            counted.hired.load(Ordering::SeqCst) > 0,
            "no worker was used"
        );
    }
}

#[test]
fn helpers_stop_when_it_is_cancelled_and_when_time_is_up() {
    // All runs except those on zero exceed the time limits.
    let mut b = ProgramBuilder::new();
    let (i, x) = (b.global("i", WORD), b.global("x", WORD));
    let input = b.input("__VERIFIER_nondet_int", WORD);
    b.havoc(x, input);
    let s = store();
    b.repeat_while(s.not(s.eq(b.value(x), word(0))), |b| {
        b.assign(i, s.add(s.mul(b.value(i), word(5)), word(1)));
    });
    let endless = b.finish();
    let run = |time, cancel_after: Option<Duration>| {
        let (workers, counted) = counted();
        let token = CancellationToken::new();
        let options = Options {
            time,
            run_steps: 1 << 50,
            ..Options::default()
        };
        let control = Control {
            workers: &workers,
            ..Control::new(&token)
        };
        let begin = Instant::now();
        let simulation = std::thread::scope(|scope| {
            if let Some(delay) = cancel_after {
                let token = &token;
                scope.spawn(move || {
                    std::thread::sleep(delay);
                    token.cancel();
                });
            }
            simulate_confirmed(&endless, &options, control, &mut Refuse { asked: 0 })
        });
        assert!(begin.elapsed() < Duration::from_secs(30));
        assert_eq!(simulation.outcome, SimulationOutcome::Unknown);
        assert!(
            counted.hired.load(Ordering::SeqCst) > 0,
            "no worker was used"
        );
        assert_eq!(counted.at_work.load(Ordering::SeqCst), 0);
    };
    let long = Duration::from_secs(600);
    run(long, Some(Duration::from_millis(300)));
    run(Duration::from_millis(300), None);
}

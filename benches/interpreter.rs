//! Measures the speed of the interpreter, in steps (edges or operations) per second on typical loops, and of simulation
//! with one and with two threads.
//!
//! The goal for the scalar loop is 20 million steps per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use regatta::base::workers::Workers;
use regatta::engines::simulate::{Control, Options, Simulation, Unconfirmed, simulate_confirmed};
use regatta::program::interpreter::{Executable, Limits, Machine, Outcome, ZeroInputs};
use regatta::program::{Arithmetic, Lifetime, Operation, Program, ProgramBuilder};
use regatta::sharing::CancellationToken;
use regatta::term::{Build, FloatFormat, RoundingMode, ScalarSort, Sort, TermId, store};
use std::hint::black_box;

const WORD: Sort = Sort::BitVec(32);
/// Number of iterations of each loop.
const ROUNDS: u32 = 100_000;

fn word(value: u32) -> TermId {
    store().bv(32, u128::from(value))
}

/// `while (i < ROUNDS) { body; i++; }`
fn counting_loop(mut b: ProgramBuilder, body: impl FnOnce(&mut ProgramBuilder, TermId)) -> Program {
    let i = b.global("i", WORD);
    let counter = b.value(i);
    b.repeat_while(store().slt(counter, word(ROUNDS)), |b| {
        body(b, counter);
        b.assign(i, store().add(counter, word(1)));
    });
    b.finish()
}

/// `if (i % 3 == 0) s += i; else s = s * 5 ^ i;`
fn scalar_loop() -> Program {
    let mut b = ProgramBuilder::new();
    let s = b.global("s", WORD);
    counting_loop(b, |b, i| {
        let sum = b.value(s);
        let condition = store().eq(store().srem(i, word(3)), word(0));
        b.branch(
            condition,
            |b| b.assign(s, store().add(sum, i)),
            |b| b.assign(s, store().bvxor(store().mul(sum, word(5)), i)),
        );
    })
}

/// `s += i;` on mathematical integers.
fn integer_loop() -> Program {
    let mut b = ProgramBuilder::new();
    b.arithmetic(Arithmetic::Integer);
    let (i, s) = (b.global("i", Sort::Int), b.global("s", Sort::Int));
    let (counter, sum) = (b.value(i), b.value(s));
    b.repeat_while(
        store().int_lt(counter, store().int(i64::from(ROUNDS))),
        |b| {
            b.assign(s, store().int_add(sum, counter));
            b.assign(i, store().int_add(counter, store().int(1)));
        },
    );
    b.finish()
}

/// `a[i & 1023] = a[(i + 7) & 1023] + i;` in a region of bytes with a live object.
fn array_loop() -> Program {
    let mut b = ProgramBuilder::new();
    let region = b.region("m", ScalarSort::BitVec(32), ScalarSort::BitVec(8));
    let t = b.global("t", WORD);
    b.operations(vec![Operation::Allocate {
        address: word(0x1000),
        size: word(4096),
        lifetime: Lifetime::Heap,
    }]);
    counting_loop(b, |b, i| {
        let contents = b.contents(region);
        let place = |index: TermId| {
            let offset = store().shl(store().bvand(index, word(1023)), word(2));
            store().add(word(0x1000), offset)
        };
        let byte = |offset| {
            store().select(
                contents,
                store().add(place(store().add(i, word(7))), word(offset)),
            )
        };
        let number = store().concat(
            byte(3),
            store().concat(byte(2), store().concat(byte(1), byte(0))),
        );
        b.assign(t, store().add(number, i));
        let stored = b.value(t);
        let stores = (0..4u8).map(|offset| Operation::Store {
            region,
            index: store().add(place(i), word(u32::from(offset))),
            value: store().extract(stored, offset * 8 + 7, offset * 8),
        });
        b.operations(stores.collect());
    })
}

/// `s = f(s, i);` with `f(a, b) = a + b`.
fn call_loop() -> Program {
    let mut b = ProgramBuilder::new();
    let s = b.global("s", WORD);
    let f = b.function("f", &[("a", WORD), ("b", WORD)], &[("r", WORD)]);
    let start = b.cursor();
    b.enter(f);
    let sum = store().add(b.value(b.parameter(f, 0)), b.value(b.parameter(f, 1)));
    b.assign(b.result(f, 0), sum);
    b.leave();
    b.at(start);
    counting_loop(b, |b, i| b.call(f, vec![b.value(s), i], vec![s]))
}

/// `x = x * 0.5 + i;`
fn float_loop() -> Program {
    let double = Sort::Float(FloatFormat::F64);
    let mut b = ProgramBuilder::new();
    let x = b.global("x", double);
    let half = store().float(regatta::term::FloatValue::from_f64(0.5));
    counting_loop(b, |b, i| {
        let mode = store().rounding(RoundingMode::NearestEven);
        let product = store().fp_mul(mode, b.value(x), half);
        let sum = store().fp_add(mode, product, store().sbv_to_fp(mode, i, FloatFormat::F64));
        b.assign(x, sum);
    })
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("interpreter");
    let programs = [
        ("scalar loop", scalar_loop()),
        ("integer loop", integer_loop()),
        ("array loop", array_loop()),
        ("call loop", call_loop()),
        ("float loop", float_loop()),
    ];
    for (name, program) in &programs {
        let executable = Executable::compile(program);
        let mut machine = Machine::new(&executable);
        let report = machine.run(&mut ZeroInputs, Limits::default());
        assert!(
            matches!(report.outcome, Outcome::Ended { .. }) && report.is_faithful(),
            "{name}: {report:?}"
        );
        group.throughput(Throughput::Elements(report.steps));
        group.bench_function(*name, |bencher| {
            bencher.iter(|| black_box(machine.run(&mut ZeroInputs, Limits::default()).steps));
        });
    }
    group.finish();
}

/// A loop that adds up inputs, whose number is an input too; the property holds.
fn loop_over_inputs(limit: u32) -> Program {
    let mut b = ProgramBuilder::new();
    let (i, n, x, s) = (
        b.global("i", WORD),
        b.global("n", WORD),
        b.global("x", WORD),
        b.global("s", WORD),
    );
    let input = b.input("__VERIFIER_nondet_int", WORD);
    b.havoc(n, input);
    let (counter, number, sum) = (b.value(i), b.value(n), b.value(s));
    let goes_on = store().and2(
        store().slt(counter, number),
        store().slt(counter, word(limit)),
    );
    b.repeat_while(goes_on, |b| {
        b.havoc(x, input);
        let drawn = b.value(x);
        b.branch(
            store().eq(store().srem(drawn, word(3)), word(0)),
            |b| b.assign(s, store().add(sum, drawn)),
            |b| b.assign(s, store().bvxor(store().mul(sum, word(5)), drawn)),
        );
        b.assign(i, store().add(counter, word(1)));
    });
    // No square is two.
    let square = store().mul(b.value(s), b.value(s));
    b.error_unless(store().not(store().eq(square, word(2))));
    b.finish()
}

/// Simulates the program for the given number of steps.
fn simulate(program: &Program, steps: u64, workers: &Workers) -> Simulation {
    let token = CancellationToken::new();
    let options = Options {
        steps,
        time: std::time::Duration::from_secs(600),
        ..Options::default()
    };
    let control = Control {
        workers,
        ..Control::new(&token)
    };
    simulate_confirmed(program, &options, control, &mut Unconfirmed)
}

fn bench_simulation(criterion: &mut Criterion) {
    const STEPS: u64 = 20_000_000;
    let mut group = criterion.benchmark_group("simulation");
    group.sample_size(10);
    group.throughput(Throughput::Elements(STEPS));
    for (length, limit) in [("short runs", 20), ("long runs", 20_000)] {
        let program = loop_over_inputs(limit);
        for helpers in 0..2 {
            let workers = Workers::fixed(helpers);
            let name = format!("{length}, {helpers} helpers");
            group.bench_function(name, |bencher| {
                bencher.iter(|| black_box(simulate(&program, STEPS, &workers)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench, bench_simulation);
criterion_main!(benches);

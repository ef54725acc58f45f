//! Tests of runs: control flow, calls, inputs, limits.

use std::sync::atomic::AtomicBool;

use crate::program::interpreter::{
    EdgeTrace, Executable, FaultKind, InputSource, Limits, Machine, Observer, Outcome,
    RecordingInputs, ReplayInputs, Report, StateView, ZeroInputs,
};
use crate::program::{
    EdgeId, Input, InputId, InputKind, Operation, Program, ProgramBuilder, VariableId,
};
use crate::term::{Build, Sort, TermId, Value, store};

pub(super) const WORD: Sort = Sort::BitVec(32);

pub(super) fn word(value: u32) -> TermId {
    store().bv(32, u128::from(value))
}

/// Runs the program with zero for every input.
pub(super) fn run(program: &Program) -> (Report, Vec<Value>) {
    run_with(program, &mut ZeroInputs)
}

pub(super) fn run_with(program: &Program, inputs: &mut dyn InputSource) -> (Report, Vec<Value>) {
    let executable = Executable::compile(program);
    let mut machine = Machine::new(&executable);
    let report = machine.run(
        inputs,
        Limits {
            steps: 10_000_000,
            ..Limits::default()
        },
    );
    let variables = 0..program.variables.len() as u32;
    let values = variables
        .map(|variable| machine.value(VariableId(variable)))
        .collect();
    (report, values)
}

/// A source that gives consecutive numbers of 32 bits.
struct Counting(u32);

impl InputSource for Counting {
    fn next(&mut self, _: InputId, _: &Input) -> Option<Value> {
        self.0 += 1;
        Some(Value::bit_vec(32, u128::from(self.0)))
    }
}

/// A program that sums 0 .. limit in a loop.
fn sum(limit: u32) -> (Program, VariableId) {
    let mut b = ProgramBuilder::new();
    let (i, s) = (b.global("i", WORD), b.global("s", WORD));
    let condition = store().ult(b.value(i), word(limit));
    b.repeat_while(condition, |b| {
        b.assign(s, store().add(b.value(s), b.value(i)));
        b.assign(i, store().add(b.value(i), word(1)));
    });
    (b.finish(), s)
}

#[test]
fn a_loop_runs_to_its_end() {
    let (program, s) = sum(1000);
    let (report, values) = run(&program);
    assert!(matches!(report.outcome, Outcome::Ended { .. }));
    assert_eq!(values[s.index()], Value::bit_vec(32, 499_500));
    assert!(report.is_faithful());
    // An edge to the loop's head, four edges for each iteration, and an edge out of the loop.
    assert_eq!(report.steps, 1 + 4 * 1000 + 1);
}

#[test]
fn limits_stop_a_run() {
    let (program, _) = sum(u32::MAX);
    let executable = Executable::compile(&program);
    let mut machine = Machine::new(&executable);
    let (stopped, going) = (AtomicBool::new(true), AtomicBool::new(false));
    let unlimited = Limits::default();
    let cases = [
        (
            Limits {
                steps: 0,
                ..unlimited
            },
            Outcome::StepLimit,
        ),
        (
            Limits {
                steps: 7,
                cancelled: Some(&going),
                ..unlimited
            },
            Outcome::StepLimit,
        ),
        (
            Limits {
                steps: 100_000,
                ..unlimited
            },
            Outcome::StepLimit,
        ),
        (
            Limits {
                cancelled: Some(&stopped),
                ..unlimited
            },
            Outcome::Cancelled,
        ),
        (
            Limits {
                deadline: Some(std::time::Instant::now()),
                ..unlimited
            },
            Outcome::TimeLimit,
        ),
    ];
    for (limits, expected) in cases {
        let report = machine.run(&mut ZeroInputs, limits);
        assert_eq!(report.outcome, expected);
        if expected == Outcome::StepLimit {
            assert_eq!(report.steps, limits.steps);
        }
    }
}

#[test]
fn the_first_edge_that_can_be_taken_is_taken() {
    for (input, expected) in [(3, 10), (7, 20), (12, 30)] {
        let mut b = ProgramBuilder::new();
        let (x, y) = (b.global("x", WORD), b.global("y", WORD));
        b.assign(x, word(input));
        let (start, end) = (b.cursor(), b.new_location());
        for (limit, result) in [(5, 10), (10, 20), (100, 30)] {
            let operations = vec![
                Operation::Assume(store().ult(b.value(x), word(limit))),
                Operation::Assign {
                    target: y,
                    value: word(result),
                },
            ];
            b.edge(start, end, operations);
        }
        let (report, values) = run(&b.finish());
        assert_eq!(report.outcome, Outcome::Ended { location: end });
        assert_eq!(values[y.index()], Value::bit_vec(32, expected));
    }
}

#[test]
fn an_edge_that_fails_late_leaves_no_trace() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let region = b.region(
        "m",
        crate::term::ScalarSort::BitVec(32),
        crate::term::ScalarSort::BitVec(32),
    );
    let input = b.input("__VERIFIER_nondet_uint", WORD);
    b.assign(y, word(5));
    let (start, end) = (b.cursor(), b.new_location());
    let first = |condition: TermId, b: &ProgramBuilder| {
        vec![
            Operation::Havoc { target: x, input },
            Operation::Assign {
                target: y,
                value: store().add(b.value(y), b.value(x)),
            },
            Operation::Store {
                region,
                index: word(1),
                value: b.value(y),
            },
            Operation::Assume(condition),
        ]
    };
    let not_taken = first(store().ult(b.value(y), b.value(x)), &b);
    b.edge(start, end, not_taken);
    // The store of the first edge is undone, and the input that it read is read again.
    let stored = store().select(b.contents(region), word(1));
    let mut taken = vec![Operation::Assume(store().eq(stored, word(0)))];
    taken.extend(first(store().eq(b.value(y), word(6)), &b));
    b.edge(start, end, taken);
    let mut inputs = Counting(0);
    let mut recording = RecordingInputs::new(&mut inputs);
    let program = b.finish();
    let (report, values) = run_with(&program, &mut recording);
    assert_eq!(report.outcome, Outcome::Ended { location: end });
    assert_eq!(values[x.index()], Value::bit_vec(32, 1));
    assert_eq!(values[y.index()], Value::bit_vec(32, 6));
    assert_eq!(
        recording.into_journal().entries,
        [(input, Value::bit_vec(32, 1))]
    );
}

#[test]
fn errors_blocks_and_unsupported_edges_end_a_run() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", WORD);
    b.error_unless(store().ugt(b.value(x), word(0)));
    let program = b.finish();
    assert_eq!(
        run(&program).0.outcome,
        Outcome::Error {
            location: program.errors[0]
        }
    );

    let mut b = ProgramBuilder::new();
    let location = b.cursor();
    let x = b.global("x", WORD);
    b.assume(store().ugt(b.value(x), word(0)));
    assert_eq!(run(&b.finish()).0.outcome, Outcome::Blocked { location });

    let mut b = ProgramBuilder::new();
    b.unsupported("setjmp");
    let expected = Outcome::Unsupported {
        edge: EdgeId(0),
        reason: "setjmp".to_owned(),
    };
    assert_eq!(run(&b.finish()).0.outcome, expected);
}

/// A program for `f(n) = n == 0 ? 0 : n + f(n - 1)`, with a local that must survive the recursive call.
fn recursive_sum(n: u32) -> (Program, VariableId) {
    let mut b = ProgramBuilder::new();
    let result = b.global("result", WORD);
    let f = b.function("f", &[("n", WORD)], &[("r", WORD)]);
    b.call(f, vec![word(n)], vec![result]);
    let (n, r) = (b.parameter(f, 0), b.result(f, 0));
    let rest = b.local(f, "rest", WORD);
    b.enter(f);
    let is_zero = store().eq(b.value(n), word(0));
    b.branch(
        is_zero,
        |b| b.assign(r, word(0)),
        |b| {
            b.call(f, vec![store().sub(b.value(n), word(1))], vec![rest]);
            b.assign(r, store().add(b.value(n), b.value(rest)));
        },
    );
    b.leave();
    (b.finish(), result)
}

#[test]
fn recursion_keeps_locals_and_is_not_limited_by_the_native_stack() {
    for n in [0, 1, 10, 300_000] {
        let (program, result) = recursive_sum(n);
        let (report, values) = run(&program);
        assert!(
            matches!(report.outcome, Outcome::Ended { .. }),
            "{report:?}"
        );
        let expected = (u128::from(n) * (u128::from(n) + 1) / 2) & u128::from(u32::MAX);
        assert_eq!(values[result.index()], Value::bit_vec(32, expected), "{n}");
    }
    let (program, _) = recursive_sum(u32::MAX);
    let executable = Executable::compile(&program);
    let limits = Limits {
        memory: 1 << 20,
        ..Limits::default()
    };
    assert_eq!(
        Machine::new(&executable)
            .run(&mut ZeroInputs, limits)
            .outcome,
        Outcome::MemoryLimit
    );
}

#[test]
fn arguments_are_assigned_at_once() {
    // f(a, b, k) swaps its arguments k times.
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let f = b.function(
        "f",
        &[("a", WORD), ("b", WORD), ("k", WORD)],
        &[("r", WORD), ("s", WORD)],
    );
    let parameters: Vec<_> = (0..3).map(|index| b.parameter(f, index)).collect();
    let (r, s) = (b.result(f, 0), b.result(f, 1));
    b.call(f, vec![word(1), word(2), word(5)], vec![x, y]);
    b.enter(f);
    let done = store().eq(b.value(parameters[2]), word(0));
    b.branch(
        done,
        |b| {
            b.assign(r, b.value(parameters[0]));
            b.assign(s, b.value(parameters[1]));
        },
        |b| {
            let swapped = vec![
                b.value(parameters[1]),
                b.value(parameters[0]),
                store().sub(b.value(parameters[2]), word(1)),
            ];
            b.call(f, swapped, vec![s, r]);
        },
    );
    b.leave();
    let (_, values) = run(&b.finish());
    // Five swaps of the arguments, and as many of the results on the way back.
    assert_eq!(values[x.index()], Value::bit_vec(32, 1));
    assert_eq!(values[y.index()], Value::bit_vec(32, 2));
}

#[test]
fn inputs_are_recorded_and_replayed() {
    let mut b = ProgramBuilder::new();
    let (i, x, y) = (
        b.global("i", WORD),
        b.global("x", WORD),
        b.global("y", WORD),
    );
    let (first, second) = (b.input("a", WORD), b.input("b", WORD));
    let more = store().ult(b.value(i), word(5));
    b.repeat_while(more, |b| {
        b.havoc(x, first);
        b.havoc(y, second);
        b.assign(i, store().add(b.value(i), word(1)));
    });
    let program = b.finish();
    let mut counting = Counting(0);
    let mut recording = RecordingInputs::new(&mut counting);
    let (report, values) = run_with(&program, &mut recording);
    let journal = recording.into_journal();
    assert_eq!((report.inputs, journal.entries.len()), (10, 10));
    let (_, replayed) = run_with(&program, &mut ReplayInputs::new(&journal));
    assert_eq!(values, replayed);
    assert_eq!(values[y.index()], Value::bit_vec(32, 10));
}

#[test]
fn unknown_inputs_and_faults_are_counted() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let input = b.input("sin", WORD);
    b.havoc(x, input);
    b.assign(y, store().udiv(word(7), b.value(x)));
    b.assign(
        y,
        store().shl(b.value(y), store().add(b.value(x), word(32))),
    );
    let mut program = b.finish();
    program.inputs[input.index()].kind = InputKind::Unknown("sin".to_owned());
    let (report, values) = run(&program);
    let kinds: Vec<_> = report
        .faults
        .iter()
        .map(|fault| (fault.kind, fault.edge.0))
        .collect();
    assert_eq!(
        kinds,
        [
            (FaultKind::DivisionByZero, 1),
            (FaultKind::OversizedShift, 2)
        ]
    );
    assert_eq!(report.unknown_inputs, 1);
    assert!(!report.is_faithful());
    assert_eq!(values[y.index()], Value::bit_vec(32, 0));
}

#[test]
fn a_guard_keeps_its_operand_from_faulting() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let quotient = store().udiv(word(7), b.value(x));
    let is_zero = store().eq(b.value(x), word(0));
    b.assign(y, store().ite(is_zero, word(1), quotient));
    b.assume(store().or2(is_zero, store().eq(quotient, word(3))));
    let (report, values) = run(&b.finish());
    assert!(matches!(report.outcome, Outcome::Ended { .. }));
    assert_eq!(report.fault_count, 0);
    assert_eq!(values[y.index()], Value::bit_vec(32, 1));
}

#[test]
fn observers_see_edges_states_and_comparisons() {
    struct Watcher {
        x: VariableId,
        values: Vec<Value>,
        comparisons: Vec<(u64, u64)>,
    }
    impl Observer for Watcher {
        fn edge(&mut self, _: EdgeId, state: &StateView<'_>) {
            self.values.push(state.value(self.x));
        }
        fn comparison(&mut self, _: u32, left: u64, right: u64) {
            self.comparisons.push((left, right));
        }
    }
    let mut b = ProgramBuilder::new();
    let x = b.global("x", WORD);
    b.assign(x, word(3));
    b.assume(store().ne(b.value(x), word(4)));
    let program = b.finish();
    let executable = Executable::compile(&program);
    let mut machine = Machine::new(&executable);
    let mut watcher = Watcher {
        x,
        values: Vec::new(),
        comparisons: Vec::new(),
    };
    machine.run_observed(&mut ZeroInputs, Limits::default(), &mut watcher);
    assert_eq!(
        watcher.values,
        [Value::bit_vec(32, 3), Value::bit_vec(32, 3)]
    );
    let (mut low, mut high) = watcher.comparisons[0];
    if low > high {
        (low, high) = (high, low);
    }
    assert_eq!((low, high), (3, 4));
    let mut trace = EdgeTrace::default();
    machine.run_observed(&mut ZeroInputs, Limits::default(), &mut trace);
    assert_eq!(trace.edges, [EdgeId(0), EdgeId(1)]);
}

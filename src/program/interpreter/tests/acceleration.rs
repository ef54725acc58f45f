//! Tests of loop acceleration: an accelerated run ends in the same state as a run without acceleration.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::memory::make_object_of;
use super::runs::{WORD, run, word};
use crate::program::interpreter::concolic::acceleration::Accelerator;
use crate::program::interpreter::{
    Executable, Limits, Machine, NoObserver, Observer, Outcome, ZeroInputs,
};
use crate::program::{Arithmetic, Program, ProgramBuilder, VariableId};
use crate::term::{Build, ScalarSort, Sort, TermId, Value, store};

/// An observer that excludes acceleration.
struct ExcludesAcceleration;

impl Observer for ExcludesAcceleration {}

const LIMITS: Limits<'static> = Limits {
    steps: 300_000,
    memory: 1 << 30,
    deadline: None,
    cancelled: None,
};

#[test]
fn a_counting_loop_is_accelerated() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let condition = store().ult(b.value(x), word(0x0fff_ffff));
    b.repeat_while(condition, |b| {
        b.assign(x, store().add(b.value(x), word(2)));
        b.assign(y, store().sub(b.value(y), b.value(x)));
        b.assign(y, store().add(b.value(y), b.value(x)));
        b.assign(y, store().sub(b.value(y), word(3)));
    });
    let (report, values) = run(&b.finish());
    assert!(matches!(report.outcome, Outcome::Ended { .. }));
    assert!(report.steps < 200_000, "{}", report.steps);
    assert_eq!(values[x.index()], Value::bit_vec(32, 0x1000_0000));
    let y_after = 0u32.wrapping_sub(3u32.wrapping_mul(0x0800_0000));
    assert_eq!(values[y.index()], Value::bit_vec(32, u128::from(y_after)));
}

#[test]
fn a_loop_around_a_counting_loop_is_accelerated() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let condition = store().ult(b.value(x), word(0x0fff_ffff));
    b.repeat_while(condition, |b| {
        b.assign(y, word(0));
        let condition = store().ult(b.value(y), word(10));
        b.repeat_while(condition, |b| {
            b.assign(y, store().add(b.value(y), word(1)));
        });
        b.assign(x, store().add(b.value(x), word(1)));
    });
    let (report, values) = run(&b.finish());
    assert!(matches!(report.outcome, Outcome::Ended { .. }));
    assert!(report.steps < 200_000, "{}", report.steps);
    assert_eq!(values[x.index()], Value::bit_vec(32, 0x0fff_ffff));
    assert_eq!(values[y.index()], Value::bit_vec(32, 10));
}

#[test]
fn stores_in_a_loop_are_not_lost() {
    let mut b = ProgramBuilder::new();
    let region = b.region("cells", ScalarSort::BitVec(32), ScalarSort::BitVec(32));
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let condition = store().ult(b.value(x), word(100_000));
    b.repeat_while(condition, |b| {
        b.write(region, b.value(x), word(1));
        b.assign(x, store().add(b.value(x), word(1)));
    });
    b.assign(y, store().select(b.contents(region), word(99_999)));
    let (report, values) = run(&b.finish());
    assert!(matches!(report.outcome, Outcome::Ended { .. }));
    assert_eq!(values[y.index()], Value::bit_vec(32, 1));
}

/// Two loops, of which the inner one reads all cells before the outer loop's cell.
#[test]
fn a_loop_that_reads_equal_cells_is_accelerated() {
    let mut b = ProgramBuilder::new();
    let cells = b.region("cells", ScalarSort::BitVec(32), ScalarSort::BitVec(32));
    let [x, y, found] = ["x", "y", "found"].map(|name| b.global(name, WORD));
    b.write(cells, word(7_000), word(5));
    let condition = store().ult(b.value(x), word(20_000));
    b.repeat_while(condition, |b| {
        b.assign(y, b.value(x));
        let condition = store().ne(b.value(y), word(0));
        b.repeat_while(condition, |b| {
            b.assign(y, store().sub(b.value(y), word(1)));
            let cell = |at| store().select(b.contents(cells), at);
            let (here, there) = (cell(b.value(x)), cell(b.value(y)));
            b.branch(
                store().ult(here, there),
                |b| b.assign(found, store().add(b.value(found), word(1))),
                |_| {},
            );
        });
        b.assign(x, store().add(b.value(x), word(1)));
    });
    let mut program = b.finish();
    make_object_of(&mut program, cells, "cells", 20_000, 4);
    let executable = Executable::compile(&program);
    let mut machine = Machine::new(&executable);
    let limits = Limits {
        steps: 10_000_000,
        ..LIMITS
    };
    // Without acceleration, the run takes a thousand million steps.
    let report = machine.run(&mut ZeroInputs, limits);
    assert!(
        matches!(report.outcome, Outcome::Ended { .. }),
        "{report:?}"
    );
    assert_eq!(
        machine.value(found),
        Value::bit_vec(32, 20_000 - 7_001),
        "those behind cell 7000 find it"
    );
}

/// Number of cells of the object that [`Reading`] reads. Accesses beyond it are faults.
const OBJECT: u64 = 1300;

/// A program whose inner loop reads memory.
#[derive(Clone, Debug)]
struct Reading {
    /// The cells that are written first: index, number, and value.
    writes: Vec<(u32, u32, u8)>,
    start: u32,
    step: i64,
    iterations: u32,
    /// The distance between the first indices of two executions of the inner loop.
    shift: u32,
    rounds: u32,
    /// Whether cells are bytes, of which four are read at once.
    by_bytes: bool,
}

fn readings() -> impl Strategy<Value = Reading> {
    let writes = proptest::collection::vec((900u32..1500, 1u32..90, 0u8..2), 0..4);
    (
        writes,
        (1000u32..1200, -3i64..=3, 1u32..300),
        (0u32..3, 1u32..20),
        any::<bool>(),
    )
        .prop_map(
            |(writes, (start, step, iterations), (shift, rounds), by_bytes)| Reading {
                writes,
                start,
                step,
                iterations,
                shift,
                rounds,
                by_bytes,
            },
        )
}

impl Reading {
    fn program(&self) -> Program {
        let mut b = ProgramBuilder::new();
        let width = if self.by_bytes { 8 } else { 32 };
        let cells = b.region("cells", ScalarSort::BitVec(32), ScalarSort::BitVec(width));
        let [i, round, at, sum, ones] =
            ["i", "round", "at", "sum", "ones"].map(|name| b.global(name, WORD));
        for (start, number, value) in &self.writes {
            for index in *start..start + number {
                let value = store().bv(width, (*value).into());
                b.write(cells, word(index), value);
            }
        }
        let condition = store().ult(b.value(round), word(self.rounds));
        b.repeat_while(condition, |b| {
            let start = store().mul(b.value(round), word(self.shift));
            b.assign(at, store().add(start, word(self.start)));
            b.assign(i, word(0));
            let condition = store().ult(b.value(i), word(self.iterations));
            b.repeat_while(condition, |b| {
                let cell = |offset: u32| {
                    let index = store().add(b.value(at), word(offset));
                    store().select(b.contents(cells), index)
                };
                let read = match self.by_bytes {
                    true => {
                        let high = store().concat(cell(3), cell(2));
                        store().concat(high, store().concat(cell(1), cell(0)))
                    }
                    false => cell(0),
                };
                b.assign(sum, store().add(b.value(sum), read));
                b.branch(
                    store().eq(read, word(1)),
                    |b| b.assign(ones, store().add(b.value(ones), word(1))),
                    |_| {},
                );
                b.assign(
                    at,
                    store().add(b.value(at), store().bv_signed(32, self.step.into())),
                );
                b.assign(i, store().add(b.value(i), word(1)));
            });
            b.assign(round, store().add(b.value(round), word(1)));
        });
        let mut program = b.finish();
        let bytes = u64::from(width / 8);
        make_object_of(&mut program, cells, "cells", OBJECT, bytes);
        program
    }
}

/// A random loop over the variables x, y and z.
#[derive(Clone, Debug)]
struct Loop {
    sort: Sort,
    start: [i64; 3],
    /// The relation in the loop's condition.
    relation: u8,
    bound: i64,
    /// Whether the condition compares x with y, not with `bound`.
    with_y: bool,
    steps: [i64; 3],
    /// The assignment to z.
    last: u8,
    /// The bound below which y changes by another step.
    split: Option<i64>,
    /// The number of iterations of the inner loop.
    inner: i64,
}

fn loops() -> impl Strategy<Value = Loop> {
    let small = || -20i64..20;
    let sort = prop_oneof![
        Just(Sort::BitVec(8)),
        Just(Sort::BitVec(16)),
        Just(Sort::Int)
    ];
    let numbers = (
        prop::array::uniform3(-300i64..300),
        prop::array::uniform3(small()),
        -9000i64..9000,
    );
    (
        sort,
        numbers,
        0u8..4,
        any::<bool>(),
        0u8..6,
        prop::option::of(-300i64..300),
        0i64..4,
    )
        .prop_map(
            |(sort, (start, steps, bound), relation, with_y, last, split, inner)| Loop {
                sort,
                start,
                relation,
                bound,
                with_y,
                steps,
                last,
                split,
                inner,
            },
        )
}

impl Loop {
    fn number(&self, number: i64) -> TermId {
        match self.sort {
            Sort::BitVec(width) => store().bv_signed(width, number.into()),
            _ => store().int(number),
        }
    }

    fn sum(&self, a: TermId, b: TermId) -> TermId {
        match self.sort {
            Sort::BitVec(_) => store().add(a, b),
            _ => store().int_add(a, b),
        }
    }

    fn less(&self, a: TermId, b: TermId, signed: bool) -> TermId {
        match (self.sort, signed) {
            (Sort::BitVec(_), true) => store().slt(a, b),
            (Sort::BitVec(_), false) => store().ult(a, b),
            _ => store().int_lt(a, b),
        }
    }

    fn program(&self) -> Program {
        let mut b = ProgramBuilder::new();
        if self.sort == Sort::Int {
            b.arithmetic(Arithmetic::Integer);
        }
        let [x, y, z, j] = ["x", "y", "z", "j"].map(|name| b.global(name, self.sort));
        for (variable, start) in [x, y, z].into_iter().zip(self.start) {
            b.assign(variable, self.number(start));
        }
        let other = match self.with_y {
            true => b.value(y),
            false => self.number(self.bound),
        };
        let condition = match self.relation {
            0 => self.less(b.value(x), other, false),
            1 => self.less(b.value(x), other, true),
            2 => store().not(self.less(other, b.value(x), true)),
            _ => store().ne(b.value(x), other),
        };
        b.repeat_while(condition, |b| {
            let [dx, dy, dz] = self.steps.map(|step| self.number(step));
            b.assign(x, self.sum(b.value(x), dx));
            let changed = self.sum(b.value(y), dy);
            match self.split {
                None => b.assign(y, changed),
                Some(split) => {
                    let low = self.less(b.value(y), self.number(split), true);
                    let otherwise = self.sum(b.value(y), dz);
                    b.branch(low, |b| b.assign(y, changed), |b| b.assign(y, otherwise));
                }
            }
            let last = match self.last {
                0 => b.value(x),
                1 => self.sum(b.value(x), b.value(y)),
                2 => dz,
                3 => self.sum(b.value(z), b.value(x)),
                4 => store().ite(store().eq(b.value(y), dz), b.value(x), b.value(z)),
                _ => self.sum(b.value(z), dz),
            };
            b.assign(z, last);
            b.assign(j, self.number(0));
            let inner = self.less(b.value(j), self.number(self.inner), true);
            b.repeat_while(inner, |b| {
                b.assign(j, self.sum(b.value(j), self.number(1)));
                b.assign(y, self.sum(b.value(y), self.number(self.inner)));
            });
        });
        b.finish()
    }
}

/// Checks that runs with and without acceleration have the same outcome and values.
fn assert_acceleration_is_right(program: &Program, eager: u64) -> Result<(), TestCaseError> {
    let executable = Executable::compile(program);
    let mut machine = Machine::new(&executable);
    let values = |machine: &Machine<'_>| -> Vec<Value> {
        let variables = 0..program.variables.len() as u32;
        variables
            .map(|variable| machine.value(VariableId(variable)))
            .collect()
    };
    let plain = machine.run_observed(&mut ZeroInputs, LIMITS, &mut ExcludesAcceleration);
    if plain.outcome != Outcome::StepLimit {
        let expected = values(&machine);
        let accelerator = Accelerator::eager(eager);
        let accelerated =
            machine.run_accelerated(&mut ZeroInputs, LIMITS, &mut NoObserver, accelerator);
        prop_assert_eq!(accelerated.outcome, plain.outcome);
        prop_assert_eq!(values(&machine), expected);
        prop_assert!(accelerated.steps <= plain.steps);
        prop_assert_eq!(accelerated.fault_count, plain.fault_count);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn accelerated_runs_end_in_the_same_state(one in loops(), eager in 1u64..200) {
        assert_acceleration_is_right(&one.program(), eager)?;
    }

    #[test]
    fn accelerated_runs_that_read_memory_end_in_the_same_state(one in readings(), eager in 1u64..200) {
        assert_acceleration_is_right(&one.program(), eager)?;
    }
}

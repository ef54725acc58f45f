//! Random programs with two small inputs: the boxes cover all inputs, and every member of a box takes the same path as the
//! run from which the box was generalised.

use parking_lot::Mutex;
use proptest::prelude::*;

use super::*;
use crate::program::interpreter::concolic::GeneralRun;
use crate::program::interpreter::{EdgeTrace, InputSource, Machine, Outcome};
use crate::program::{FunctionId, Input, InputId, Lifetime, RegionId, VariableId};
use crate::term::Value;
use crate::term::random::{Choices, Listed};

fn constant(choices: &mut Listed<'_, u8>, width: u8) -> TermId {
    let near = choices.below(7) as i128 - 3;
    let corner = choices.one_of(&[0, 1 << (width - 1), 1 << (width / 2), 7]);
    store().bv_signed(width, near + corner)
}

/// The width of the inputs.
const SMALL: u8 = 6;
const WIDTHS: [u8; 3] = [SMALL, 16, 32];
/// The address of the region's object.
const OBJECT: u128 = 16;

struct Generator<'c> {
    b: ProgramBuilder,
    choices: Listed<'c, u8>,
    /// Two variables of each width.
    numbers: Vec<(VariableId, u8)>,
    integer: VariableId,
    flag: VariableId,
    region: RegionId,
    input: InputId,
    drawn: u8,
    recursive: FunctionId,
}

impl Generator<'_> {
    fn variable(&mut self, width: u8) -> TermId {
        let candidates: Vec<_> = self.numbers.iter().filter(|(_, w)| *w == width).collect();
        let (variable, _) = candidates[self.choices.below(2)];
        self.b.value(*variable)
    }

    fn number(&mut self, width: u8, depth: u8) -> TermId {
        let s = store();
        let choice = if depth == 0 {
            self.choices.below(2)
        } else {
            self.choices.below(20)
        };
        let part = |generator: &mut Self| generator.number(width, depth - 1);
        match choice {
            0 | 2 => self.variable(width),
            1 => constant(&mut self.choices, width),
            3..=6 => {
                let (a, constant) = (part(self), constant(&mut self.choices, width));
                [
                    s.add(a, constant),
                    s.sub(constant, a),
                    s.mul(a, constant),
                    s.bvand(a, constant),
                ][choice - 3]
            }
            7 => s.add(part(self), part(self)),
            8 => s.sub(part(self), part(self)),
            9 => s.mul(part(self), part(self)),
            10 => {
                let operand = part(self);
                [s.neg(operand), s.bvnot(operand)][self.choices.below(2)]
            }
            11 | 12 => {
                let from = WIDTHS[self.choices.below(3)];
                let operand = self.number(from, depth - 1);
                match choice {
                    11 => s.sign_resize(operand, width),
                    _ => s.zero_resize(operand, width),
                }
            }
            13 => {
                let condition = self.condition(depth - 1);
                s.ite(condition, part(self), part(self))
            }
            14 => {
                let divisor = s.bvor(part(self), s.bv(width, 1));
                let dividend = part(self);
                [
                    s.udiv(dividend, divisor),
                    s.srem(dividend, divisor),
                    s.lshr(dividend, s.bv(width, 2)),
                    s.shl(dividend, s.bv(width, 3)),
                ][self.choices.below(4)]
            }
            15 => s.int_to_bv(self.b.value(self.integer), width),
            16 => s.bool_to_bv(self.b.value(self.flag), width),
            17 => s.bvxor(part(self), part(self)),
            _ => {
                let index = self.index();
                let contents = self.b.contents(self.region);
                let byte = |offset| s.select(contents, s.add(index, s.bv(32, offset)));
                let bytes =
                    [s.concat(byte(1), byte(0)), s.concat(byte(0), byte(1))][self.choices.below(2)];
                s.zero_resize(bytes, width)
            }
        }
    }

    /// Returns the index of a cell that is followed by another one.
    fn index(&mut self) -> TermId {
        let s = store();
        let offset = match self.choices.below(3) {
            0 => s.bvand(self.variable(32), s.bv(32, 3)),
            _ => s.bv(32, self.choices.below(4) as u128),
        };
        s.add(s.bv(32, OBJECT), offset)
    }

    fn integer(&mut self, depth: u8) -> TermId {
        let s = store();
        if depth == 0 {
            return self.b.value(self.integer);
        }
        let width = WIDTHS[self.choices.below(3)];
        match self.choices.below(6) {
            0 => s.bv_to_nat(self.number(width, depth - 1)),
            1 => s.bv_to_int(self.number(width, depth - 1)),
            2 => s.int_mul(
                self.integer(depth - 1),
                s.int(self.choices.below(7) as i64 - 3),
            ),
            3 => s.int_add(self.integer(depth - 1), self.integer(depth - 1)),
            4 => s.int_sub(
                s.int(self.choices.below(50) as i64),
                self.integer(depth - 1),
            ),
            _ => s.int_mod(self.integer(depth - 1), s.int(5)),
        }
    }

    fn condition(&mut self, depth: u8) -> TermId {
        let s = store();
        let width = WIDTHS[self.choices.below(3)];
        let below = depth.saturating_sub(1);
        let choice = self.choices.below(10);
        match choice {
            0 => self.b.value(self.flag),
            1 if depth > 0 => s.and2(self.condition(below), self.condition(below)),
            2 if depth > 0 => s.not(self.condition(below)),
            3 => s.int_le(
                self.integer(below),
                s.int(self.choices.below(60) as i64 - 20),
            ),
            4 => s.eq(self.integer(below), self.integer(below)),
            _ => {
                let (a, b) = (self.number(width, below), self.number(width, below));
                [
                    s.eq(a, b),
                    s.ult(a, b),
                    s.ule(a, b),
                    s.slt(a, b),
                    s.sle(a, b),
                ][choice % 5]
            }
        }
    }

    fn draw(&mut self) {
        if self.drawn < 2 {
            self.drawn += 1;
            let (variable, _) = self.numbers[self.choices.below(2)];
            self.b.havoc(variable, self.input);
        }
    }

    fn statement(&mut self, depth: u8) {
        let s = store();
        match self.choices.below(if depth > 0 { 12 } else { 8 }) {
            0 => self.draw(),
            1 => {
                let value = self.condition(2);
                self.b.assign(self.flag, value);
            }
            2 => {
                let value = self.integer(2);
                self.b.assign(self.integer, value);
            }
            3 => {
                let (index, value) = (self.index(), self.number(16, 1));
                let region = self.region;
                let byte = |position: u8| Operation::Store {
                    region,
                    index: s.add(index, s.bv(32, position.into())),
                    value: s.extract(value, 8 * position + 7, 8 * position),
                };
                let mut operations = vec![byte(0), byte(1)];
                if self.choices.below(3) == 0 {
                    // The stores may have to be undone because the assumption fails.
                    let condition = self.condition(1);
                    operations.push(Operation::Assume(condition));
                }
                self.b.operations(operations);
            }
            4 => {
                let (variable, _) = self.numbers[4 + self.choices.below(2)];
                let argument = s.bvand(self.number(32, 1), s.bv(32, 7));
                self.b.call(self.recursive, vec![argument], vec![variable]);
            }
            5..=7 => {
                let (variable, width) = self.numbers[self.choices.below(6)];
                let value = self.number(width, 3);
                self.b.assign(variable, value);
            }
            8 => {
                let condition = self.condition(2);
                self.b.assume(condition);
            }
            _ => {
                // Like `ProgramBuilder::branch`, which cannot lend the generator to both branches.
                let condition = self.condition(2);
                let (start, join) = (self.b.cursor(), self.b.new_location());
                for holds in [true, false] {
                    self.b.at(start);
                    self.b
                        .assume(if holds { condition } else { s.not(condition) });
                    let before = self.drawn;
                    for _ in 0..self.choices.below(3) {
                        self.statement(depth - 1);
                    }
                    // A run may draw at most two inputs.
                    self.drawn = before.max(self.drawn);
                    self.b.jump(join);
                }
                self.b.at(join);
            }
        }
    }
}

/// `f(n) = n == 0 ? 1 : n + f(n - 1)`, where `n` is live across the call.
fn add_recursive_function(b: &mut ProgramBuilder) -> FunctionId {
    let s = store();
    let f = b.function("f", &[("n", WORD)], &[("result", WORD)]);
    let (n, result, start) = (b.parameter(f, 0), b.result(f, 0), b.cursor());
    b.enter(f);
    b.branch(
        s.eq(b.value(n), word(0)),
        |b| b.assign(result, word(1)),
        |b| {
            let smaller = s.sub(b.value(n), word(1));
            b.call(f, vec![smaller], vec![result]);
            b.assign(result, s.add(b.value(result), b.value(n)));
        },
    );
    b.leave();
    b.at(start);
    f
}

fn random_program(choices: &[u8]) -> Program {
    let s = store();
    let mut b = ProgramBuilder::new();
    let numbers = [6, 6, 16, 16, 32, 32].into_iter().zip(0..);
    let numbers =
        numbers.map(|(width, i)| (b.global(&format!("n{i}"), Sort::BitVec(width)), width));
    let numbers = numbers.collect();
    let integer = b.global("integer", Sort::Int);
    let flag = b.global("flag", Sort::Bool);
    let region = b.region("memory", ScalarSort::BitVec(32), ScalarSort::BitVec(8));
    let input = b.input("__VERIFIER_nondet", Sort::BitVec(SMALL));
    let recursive = add_recursive_function(&mut b);
    b.operations(vec![Operation::Allocate {
        address: s.bv(32, OBJECT),
        size: s.bv(32, 5),
        lifetime: Lifetime::Automatic,
    }]);
    let mut generator = Generator {
        b,
        choices: Listed::new(choices),
        numbers,
        integer,
        flag,
        region,
        input,
        drawn: 0,
        recursive,
    };
    generator.draw();
    for _ in 0..8 {
        generator.statement(2);
    }
    let claim = generator.condition(2);
    if generator.choices.below(3) == 0 {
        generator.b.error_unless(claim);
    }
    generator.b.finish()
}

/// A source of the given inputs in order.
struct Inputs<'v>(std::slice::Iter<'v, i128>);

impl InputSource for Inputs<'_> {
    fn next(&mut self, _: InputId, _: &Input) -> Option<Value> {
        let value = *self.0.next()?;
        Some(Value::bit_vec(SMALL, value as u128))
    }
}

/// Explores the program and compares all runs with the boxes. After each run, half of the rest is offered to workers.
fn check(program: &Program, workers: &Workers) -> Result<(), TestCaseError> {
    let executable = Executable::compile(program);
    let boxes: Mutex<Vec<GeneralRun>> = Mutex::default();
    let observed = Observed {
        observe: &|run: &GeneralRun| boxes.lock().push(run.clone()),
        runs_per_check: 1,
    };
    let token = CancellationToken::new();
    let end = explore_observed(
        &executable,
        &Options::default(),
        &token,
        workers,
        &|| Duration::ZERO,
        observed,
    );
    let boxes = boxes.into_inner();
    let mut machine = Machine::new(&executable);
    let mut traces = vec![None; boxes.len()];
    let mut errors = 0;
    for first in 0..64 {
        for second in 0..64 {
            let values = [first, second];
            let mut trace = EdgeTrace::default();
            let mut inputs = Inputs(values.iter());
            let report = machine.run_observed(&mut inputs, Limits::default(), &mut trace);
            errors +=
                u32::from(matches!(report.outcome, Outcome::Error { .. }) && report.is_faithful());
            let holds = |run: &GeneralRun| {
                let mut members = run.inputs.iter().zip(values);
                members.all(|(input, value)| input.set.contains(value))
            };
            let homes: Vec<usize> = (0..boxes.len()).filter(|&at| holds(&boxes[at])).collect();
            prop_assert!(
                !homes.is_empty() || !matches!(end, Exploration::Complete(_)),
                "{values:?} is in no box"
            );
            for home in homes {
                let run = &boxes[home].report;
                prop_assert_eq!(&report.outcome, &run.outcome, "{:?}", values);
                prop_assert_eq!(report.steps, run.steps);
                prop_assert_eq!(report.fault_count, run.fault_count);
                prop_assert_eq!(report.inputs, boxes[home].inputs.len() as u64);
                let expected = traces[home].get_or_insert_with(|| trace.edges.clone());
                prop_assert_eq!(&*expected, &trace.edges);
            }
        }
    }
    match end {
        Exploration::Complete(statistics) => {
            prop_assert_eq!(errors, 0);
            prop_assert_eq!(statistics.boxes, boxes.len() as u64);
        }
        Exploration::OutOfTime => prop_assert!(false, "it takes minutes"),
        Exploration::Alarm(_) => prop_assert!(errors > 0),
        Exploration::GivenUp(reason) => prop_assert!(reason.contains("C program"), "{reason}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn boxes_cover_all_inputs_with_equal_runs(choices in prop::collection::vec(any::<u8>(), 20..220)) {
        let program = random_program(&choices);
        check(&program, &Workers::none())?;
        check(&program, &Workers::fixed(2))?;
    }
}

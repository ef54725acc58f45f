//! Explorations of small programs and of random ones.

mod agreement;
mod division;

use std::cell::Cell;
use std::time::Duration;

use super::{Exploration, Observed, Options, explore, explore_observed};
use crate::CancellationToken;
use crate::testing::lowered_for;
use regatta_base::workers::Workers;
use regatta_certify::replay::{Replay, replay_compiled};
use regatta_frontend::property::{Check, Specification};
use regatta_program::interpreter::{Executable, Limits};
use regatta_program::{Arithmetic, Input, InputKind, Operation, Program, ProgramBuilder};
use regatta_term::{Build, ScalarSort, Sort, TermId, store};

const BYTE: Sort = Sort::BitVec(8);
const WORD: Sort = Sort::BitVec(32);

fn word(value: i32) -> TermId {
    store().bv_signed(32, value.into())
}

fn explored(program: &Program) -> Exploration {
    explored_by(program, &Workers::none())
}

fn explored_by(program: &Program, workers: &Workers) -> Exploration {
    let options = Options {
        run_steps: 1_000_000,
        ..Options::default()
    };
    explore(
        &Executable::compile(program),
        &options,
        &CancellationToken::new(),
        workers,
        &|| Duration::ZERO,
    )
}

/// Which object is watched is no input, and an object is lost whichever is.
#[test]
fn a_list_of_constant_length_is_explored() {
    let list = |middle: &str| {
        let text = format!(
            "void *malloc(unsigned long); void free(void *);
             struct node {{ struct node *next; }};
             int main(void) {{
                 struct node *list = 0, *node;
                 for (int i = 0; i < 20; i++) {{
                     node = malloc(sizeof *node);
                     node->next = list;
                     list = node;
                 }}
                 {middle}
                 while (list) {{ node = list; list = list->next; free(node); }}
                 return 0;
             }}"
        );
        let property = Specification {
            checks: [Check::Leaks].into(),
            ..Specification::assertions_and_undefined()
        };
        lowered_for(&text, property)
    };
    let whole = list("");
    let lossy = list("list->next = list->next->next;");
    let has_watched = |input: &Input| input.kind == InputKind::Watched;
    assert!(whole.inputs.iter().any(has_watched));
    assert_refuted(&lossy);
    let exploration = explored(&whole);
    assert!(
        matches!(exploration, Exploration::Complete(_)),
        "{exploration:?}"
    );
}

/// Asserts that the program is proved with this number of boxes.
#[track_caller]
fn assert_boxes(program: &Program, boxes: u64) {
    match explored(program) {
        Exploration::Complete(statistics) => assert_eq!(statistics.boxes, boxes),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_refuted(program: &Program) {
    let Exploration::Alarm(alarm) = explored(program) else {
        panic!("no alarm");
    };
    let replay = replay_compiled(&Executable::compile(program), &alarm, Limits::default());
    assert!(matches!(replay, Replay::Confirmed(_)), "{replay:?}");
}

#[track_caller]
fn assert_given_up(program: &Program, reason: &str) {
    match explored(program) {
        Exploration::GivenUp(given) => assert!(given.contains(reason), "{given}"),
        other => panic!("{other:?}"),
    }
}

/// `x = nondet(); assume(assumption(x)); assert(claim(x));`
fn one(
    sort: Sort,
    assumption: impl Fn(TermId) -> TermId,
    claim: impl Fn(TermId) -> TermId,
) -> Program {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", sort);
    let input = b.input("__VERIFIER_nondet", sort);
    b.havoc(x, input);
    b.assume(assumption(b.value(x)));
    b.error_unless(claim(b.value(x)));
    b.finish()
}

fn square_is_not(x: TermId, value: i32) -> TermId {
    store().ne(store().mul(x, x), word(value))
}

#[test]
fn ranges_are_cut_out_and_enumerated() {
    let s = store();
    let unsigned = |x| s.ule(x, word(20));
    // One by one from zero to twenty; the assumption rejects the others together.
    assert_boxes(&one(WORD, unsigned, |x| square_is_not(x, 5)), 22);
    assert_refuted(&one(WORD, unsigned, |x| square_is_not(x, 400)));
    let signed = |x| s.and2(s.sle(word(-3), x), s.slt(x, word(2)));
    assert_boxes(&one(WORD, signed, |x| square_is_not(x, 5)), 5 + 2);
    assert_refuted(&one(WORD, signed, |x| square_is_not(x, 9)));
    assert_given_up(
        &one(WORD, |_| s.boolean(true), |x| square_is_not(x, 5)),
        "runs",
    );
    let large = |x| s.ule(x, word(2_000_000_000));
    assert_given_up(&one(WORD, large, |x| square_is_not(x, 5)), "runs");
}

#[test]
fn compared_inputs_are_not_enumerated() {
    let s = store();
    let any = |_| s.boolean(true);
    let next = |x| s.add(x, word(1));
    // All but the greatest value.
    assert_refuted(&one(WORD, any, |x| s.sgt(next(x), x)));
    assert_refuted(&one(WORD, any, |x| s.ugt(next(x), x)));
    assert_boxes(&one(WORD, |x| s.ult(x, word(-1)), |x| s.ugt(next(x), x)), 2);
    // Sets with holes.
    let hole = |x| s.and2(s.ne(x, word(7)), s.ne(x, word(-9)));
    assert_boxes(&one(WORD, hole, |x| s.ne(s.sub(x, word(7)), word(0))), 3);
    assert_refuted(&one(WORD, hole, |x| s.ne(s.add(word(10), x), word(18))));
    // Casts that truncate and extend.
    let narrow = |x: TermId| s.sign_extend(s.extract(x, 7, 0), 32);
    assert_refuted(&one(
        WORD,
        |x| s.ult(x, word(300)),
        |x| s.ne(narrow(x), word(-128)),
    ));
    assert_boxes(
        &one(
            WORD,
            |x| s.ult(x, word(300)),
            |x| s.ne(narrow(x), s.sub(x, word(1000))),
        ),
        // Up to 127, 255 and 299, and the rest.
        4,
    );
    assert_boxes(&one(Sort::Bool, any, |x| s.or2(x, s.not(x))), 1);
}

/// The run of the input takes all steps; loop acceleration skips steps of the runs at the corners of its box.
#[test]
fn accelerated_runs_agree_despite_fewer_steps() {
    let s = store();
    let mut b = ProgramBuilder::new();
    let [x, i, last] = ["x", "i", "last"].map(|name| b.global(name, WORD));
    let input = b.input("__VERIFIER_nondet", WORD);
    b.havoc(x, input);
    let (large, counter) = (s.sgt(b.value(x), word(5)), b.value(i));
    b.repeat_while(s.ult(counter, word(60_000)), |b| {
        b.branch(
            large,
            |b| b.assign(last, word(1)),
            |b| b.assign(last, word(2)),
        );
        b.assign(i, s.add(counter, word(1)));
    });
    b.error_unless(s.eq(b.value(last), s.ite(large, word(1), word(2))));
    assert_boxes(&b.finish(), 2);
}

#[test]
fn mathematical_integers_have_no_bounds() {
    let s = store();
    let integers = |assumption: &dyn Fn(TermId) -> TermId, claim: &dyn Fn(TermId) -> TermId| {
        let mut b = ProgramBuilder::new();
        b.arithmetic(Arithmetic::Integer);
        let x = b.global("x", Sort::Int);
        let input = b.input("__VERIFIER_nondet_int", Sort::Int);
        b.havoc(x, input);
        b.assume(assumption(b.value(x)));
        b.error_unless(claim(b.value(x)));
        b.finish()
    };
    let below = |limit| move |x| s.int_lt(x, s.int(limit));
    let above = |limit| move |x| s.int_lt(s.int(limit), x);
    let twice = |x| s.int_mul(s.int(2), x);
    let five = |x| s.and2(above(-3)(x), below(3)(x));
    let square = |x| s.ne(s.int_mul(x, x), s.int(3));
    assert_boxes(&integers(&above(2), &|x| above(4)(twice(x))), 2);
    assert_refuted(&integers(&above(2), &|x| above(6)(twice(x))));
    assert_refuted(&integers(&above(1 << 62), &|x| below(i64::MAX)(x)));
    assert_boxes(&integers(&five, &square), 5 + 2);
    assert_given_up(&integers(&above(2), &square), "runs");
}

/// `x = nondet(); y = nondet(); assume(0 <= y <= 10); assume(low <= x <= 10); assert(claim(x, y));`
fn interleaved(low: i32, claim: impl Fn(TermId, TermId) -> TermId) -> Program {
    let s = store();
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", WORD), b.global("y", WORD));
    let input = b.input("__VERIFIER_nondet_int", WORD);
    b.havoc(x, input);
    b.havoc(y, input);
    let (x, y) = (b.value(x), b.value(y));
    for (value, low) in [(y, 0), (x, low)] {
        b.assume(s.sle(word(low), value));
        b.assume(s.sle(value, word(10)));
    }
    b.error_unless(claim(x, y));
    b.finish()
}

#[test]
fn inputs_may_be_restricted_in_any_order() {
    let s = store();
    let product = |value| move |x, y| s.ne(s.mul(x, y), word(value));
    assert!(matches!(
        explored(&interleaved(0, product(11))),
        Exploration::Complete(statistics) if statistics.boxes > 11
    ));
    assert_refuted(&interleaved(0, product(63)));
    // Too many values.
    assert_given_up(&interleaved(i32::MIN, |x, _| square_is_not(x, 5)), "runs");
    // If the inputs are only compared, one value of each case is enough.
    let ordered = |x, y| s.or2(s.sle(x, y), s.slt(y, x));
    assert!(matches!(
        explored(&interleaved(i32::MIN, ordered)),
        Exploration::Complete(statistics) if statistics.boxes < 50
    ));
    assert_refuted(&interleaved(i32::MIN, |x, y| s.ne(s.add(x, word(99)), y)));
}

/// Draws an input in each of a number of rounds, and counts the positive ones.
fn rounds(times: i32, sort: Sort, kind: InputKind, limit: i32) -> Program {
    let s = store();
    let mut b = ProgramBuilder::new();
    let (i, n, x) = (
        b.global("i", WORD),
        b.global("n", WORD),
        b.global("x", sort),
    );
    let input = b.input("__VERIFIER_nondet", sort);
    let zero = s.bv(sort.width().unwrap_or(1) as u8, 0);
    b.repeat_while(s.ult(b.value(i), word(times)), |b| {
        b.havoc(x, input);
        let (counted, value) = (b.value(n), b.value(x));
        b.branch(
            s.sgt(value, zero),
            |b| b.assign(n, s.add(counted, word(1))),
            |_| (),
        );
        b.assign(i, s.add(b.value(i), word(1)));
    });
    b.error_unless(s.ule(b.value(n), word(limit)));
    let mut program = b.finish();
    program.inputs[input.index()].kind = kind;
    program
}

#[test]
fn inputs_in_loops_have_a_box_for_each_sequence_of_cases() {
    let nondet = || InputKind::Nondet("__VERIFIER_nondet".to_owned());
    assert_boxes(&rounds(10, WORD, nondet(), 10), 1 << 10);
    assert_refuted(&rounds(10, WORD, nondet(), 9));
    assert_boxes(&rounds(4, BYTE, InputKind::Uninitialised, 4), 1 << 4);
    assert_given_up(
        &rounds(2, BYTE, InputKind::Unknown("sin".to_owned()), 2),
        "not known",
    );
    // About four billion rounds.
    assert_given_up(&rounds(-1, WORD, nondet(), 0), "depends on too many inputs");
}

#[test]
fn runs_that_do_not_end_or_have_a_fault_prove_nothing() {
    let s = store();
    let mut b = ProgramBuilder::new();
    b.repeat_while(s.boolean(true), |_| ());
    assert_given_up(&b.finish(), "does not seem to end");
    let any = |_| s.boolean(true);
    let divided = one(BYTE, any, |x| s.ult(s.udiv(s.bv(8, 5), x), s.bv(8, 255)));
    assert_given_up(&divided, "not known to be one of the C program");
    let mut b = ProgramBuilder::new();
    b.unsupported("setjmp");
    assert_given_up(&b.finish(), "setjmp");
    let mut b = ProgramBuilder::new();
    let target = b.new_location();
    b.edge(b.cursor(), target, Vec::new());
    b.edge(b.cursor(), target, Vec::new());
    assert_given_up(&b.finish(), "two edges");
}

#[test]
fn arrays_keep_what_depends_on_inputs_and_are_not_read_before_they_are_written() {
    let s = store();
    let array = Sort::Array {
        index: ScalarSort::BitVec(32),
        element: ScalarSort::BitVec(32),
    };
    // `a[..] = anything; a[write] = x; y = a[read]; assert(y < 9 || y > 5);` with 0 <= x < 4.
    let program =
        |write: &dyn Fn(TermId) -> TermId, read: &dyn Fn(TermId) -> TermId, wrong: bool| {
            let mut b = ProgramBuilder::new();
            let (a, x, y) = (
                b.global("a", array),
                b.global("x", WORD),
                b.global("y", WORD),
            );
            let contents = b.input("uninitialised", array);
            let input = b.input("__VERIFIER_nondet_int", WORD);
            b.havoc(a, contents);
            b.havoc(x, input);
            let value = b.value(x);
            b.assign(a, s.store(b.value(a), write(value), value));
            b.assign(y, s.select(b.value(a), read(value)));
            let y = b.value(y);
            b.assume(s.ult(value, word(4)));
            let claim = s.or2(s.ult(y, word(9)), s.ugt(y, word(5)));
            b.error_unless(match wrong {
                true => s.ne(y, word(3)),
                false => claim,
            });
            b.finish()
        };
    let fixed = |_| word(2);
    assert!(matches!(
        explored(&program(&fixed, &fixed, false)),
        Exploration::Complete(statistics) if statistics.boxes < 5
    ));
    assert_refuted(&program(&fixed, &fixed, true));
    assert_given_up(&program(&fixed, &|_| word(3), false), "not initialised");
    // A symbolic index has 2^32 values before it is restricted.
    assert_given_up(&program(&|x| x, &|x| x, false), "runs");
}

#[test]
fn it_can_be_cancelled_and_has_a_time_limit() {
    let s = store();
    let mut b = ProgramBuilder::new();
    let i = b.global("i", Sort::BitVec(64));
    b.repeat_while(s.boolean(true), |b| {
        b.assign(i, s.add(b.value(i), s.bv(64, 1)));
    });
    let endless = Executable::compile(&b.finish());
    let token = CancellationToken::new();
    let options = Options {
        time: Duration::from_millis(1),
        run_steps: u64::MAX,
        ..Options::default()
    };
    let explore = |options: &Options| {
        let go_on = || Duration::ZERO;
        explore(&endless, options, &token, &Workers::none(), &go_on)
    };
    assert_eq!(explore(&options), Exploration::OutOfTime);
    token.cancel();
    assert_eq!(
        explore(&Options::default()),
        Exploration::GivenUp("cancelled".to_owned())
    );
}

/// A run that never ends and draws input after input is stopped before the limits on steps and memory.
#[test]
fn too_many_inputs_end_the_exploration_in_the_first_run() {
    let s = store();
    let mut b = ProgramBuilder::new();
    let variable = b.global("a", WORD);
    let input = b.input("__VERIFIER_nondet", WORD);
    b.repeat_while(s.boolean(true), |b| {
        b.havoc(variable, input);
        b.assume(s.ult(b.value(variable), word(24)));
    });
    let endless = Executable::compile(&b.finish());
    let options = Options {
        run_steps: u64::MAX,
        ..Options::default()
    };
    let token = CancellationToken::new();
    let end = explore(&endless, &options, &token, &Workers::none(), &|| {
        Duration::ZERO
    });
    let expected = "a run depends on too many inputs".to_owned();
    assert_eq!(end, Exploration::GivenUp(expected));
}

/// No estimate is possible: each box is a range between conditions.
#[test]
fn it_waits_when_it_is_told_to() {
    let s = store();
    let mut b = ProgramBuilder::new();
    let [limit, i] = ["limit", "i"].map(|name| b.global(name, WORD));
    let input = b.input("__VERIFIER_nondet", WORD);
    b.havoc(limit, input);
    b.assume(s.ult(b.value(limit), word(700)));
    b.repeat_while(s.ult(b.value(i), b.value(limit)), |b| {
        b.assign(i, s.add(b.value(i), word(1)));
    });
    let executable = Executable::compile(&b.finish());
    let waits = Cell::new(0);
    let wait = || {
        waits.set(waits.get() + 1);
        Duration::from_secs(3600)
    };
    let (options, token) = (Options::default(), CancellationToken::new());
    let end = explore(&executable, &options, &token, &Workers::none(), &wait);
    // Time at safe points does not count as the engine's own time.
    assert!(matches!(end, Exploration::Complete(_)), "{end:?}");
    assert!(waits.get() >= 10, "{}", waits.get());
}

/// Each value matters, so that the rest can be estimated.
#[test]
fn it_does_not_wait_when_the_end_is_in_sight() {
    let cube = |[a, b, c]: [TermId; 3]| store().mul(a, store().mul(b, c));
    let program = three_inputs(|values| store().ule(cube(values), word(23 * 23 * 23)));
    let executable = Executable::compile(&program);
    let wait = || panic!("the end is in sight");
    let (options, token) = (Options::default(), CancellationToken::new());
    let end = explore(&executable, &options, &token, &Workers::none(), &wait);
    assert!(matches!(end, Exploration::Complete(_)), "{end:?}");
}

/// Three inputs each of whose values matters.
fn three_inputs(claim: impl FnOnce([TermId; 3]) -> TermId) -> Program {
    let s = store();
    let mut b = ProgramBuilder::new();
    let inputs = ["a", "b", "c"].map(|name| {
        let variable = b.global(name, WORD);
        let input = b.input("__VERIFIER_nondet", WORD);
        b.havoc(variable, input);
        b.assume(s.ult(b.value(variable), word(24)));
        variable
    });
    let values = inputs.map(|variable| b.value(variable));
    b.error_unless(claim(values));
    b.finish()
}

#[test]
fn helpers_see_all_that_one_would_see() {
    let s = store();
    let sum = |values: [TermId; 3]| {
        let [a, b, c] = values.map(|value| s.mul(value, value));
        s.add(a, s.add(b, c))
    };
    let squares = three_inputs(|values| s.ule(sum(values), word(3 * 23 * 23)));
    let alone = explored(&squares);
    for helpers in 1..4 {
        let workers = Workers::fixed(helpers);
        let together = explored_by(&squares, &workers);
        let (Exploration::Complete(alone), Exploration::Complete(together)) = (&alone, &together)
        else {
            panic!("{alone:?} and {together:?}");
        };
        // The order of exploration decides which values are distinguished, but each choice is.
        assert!(together.boxes >= 24 * 24 * 24);
        assert_eq!(alone.longest, together.longest);
        // The only violating choice is found as well.
        let wrong = three_inputs(|values| s.ult(sum(values), word(3 * 23 * 23)));
        let end = explored_by(&wrong, &workers);
        assert!(matches!(end, Exploration::Alarm(_)), "{end:?}");
    }
}

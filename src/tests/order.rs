//! Order of evaluation: lowered programs have exactly the outcomes of the orders that C permits.
//!
//! Each case is the body of `main`, after common declarations, and assigns a number to `outcome`. The interpreter runs it
//! with all values of the order choices.

use std::collections::BTreeSet;
use std::process::Command;

use crate::frontend::preprocess::Preprocessed;
use crate::frontend::{LoadOptions, load_preprocessed};
use crate::program::interpreter::{Executable, InputSource, Limits, Machine, Outcome};
use crate::program::{Input, InputId, InputKind};
use crate::term::{Sort, Value};

const DECLARATIONS: &str = "
    int outcome, x, y, calls; int cells[4]; int local_of_main;
    struct node { int value; struct node *next; } first, second, *cursor;
    int next(void) { return ++calls; }
    int twice(void) { x = x * 2; return 100; }
    int increase(void) { x = x + 1; return 1000; }
    int decrease(int *p) { return --*p; }
    int look(int *p) { return *p; }
    int pure(int n) { int square = n * n; return square; }
    int touch_y(void) { return ++y; }
    int advance(void) { cursor = &second; return 7; }
    int pair(int a, int b) { return a * 10 + b; }
    int triple(int a, int b, int c) { return a * 100 + b * 10 + c; }
    int plus(int a) { return a + 1; }
    int minus(int a) { return a - 1; }
    int (*operation)(int) = plus;
    int swap(void) { operation = minus; return 5; }
    struct box { int a, b; } boxes[2];
    struct box make(void) { x = 1; struct box made = {5, 6}; return made; }
    int even(int n); int odd(int n) { y++; return n == 0 ? 0 : even(n - 1); }
    int even(int n) { y *= 2; return n == 0 ? 1 : odd(n - 1); }
";

/// The possible outcomes of a body.
struct Case {
    body: &'static str,
    outcomes: &'static [i64],
    /// Whether the outcomes are complete.
    all: bool,
    /// Whether there is a choice of orders.
    open: bool,
}

const fn fixed(body: &'static str, outcomes: &'static [i64]) -> Case {
    Case {
        body,
        outcomes,
        all: true,
        open: false,
    }
}

const fn open(body: &'static str, outcomes: &'static [i64]) -> Case {
    Case {
        body,
        outcomes,
        all: true,
        open: true,
    }
}

const fn among_others(body: &'static str, outcomes: &'static [i64]) -> Case {
    Case {
        body,
        outcomes,
        all: false,
        open: true,
    }
}

const CASES: &[Case] = &[
    // No conflict, no choice.
    fixed("int i = 1; outcome = i++ + x;", &[1]),
    fixed("int i = 1, s = 0; s += cells[i++]; outcome = s + i;", &[2]),
    fixed("x = 3; x = x + pure(y); outcome = x;", &[3]),
    fixed("x = 3; outcome = x + touch_y();", &[4]),
    fixed("outcome = pure(next()) + pure(3);", &[10]),
    fixed(
        "int a = 1; int *p = &a; int b = 5; outcome = b + decrease(p);",
        &[5],
    ),
    fixed("outcome = pair(look(&x), look(&y));", &[0]),
    fixed(
        "char *p = \"ab\"; char t[3]; char *q = t; *q++ = *p++; outcome = t[0] - 'a';",
        &[0],
    ),
    fixed(
        "int a[2] = {pure(2), pure(3)}; outcome = a[0] * 10 + a[1];",
        &[49],
    ),
    fixed(
        "outcome = next() && next() || next(); outcome = calls;",
        &[2],
    ),
    fixed("outcome = (next(), next());", &[2]),
    fixed("outcome = next() == 1 ? next() : 5;", &[2]),
    fixed("int a = next(), b = next(); outcome = a * 10 + b;", &[12]),
    fixed(
        "first.next = &second; cursor = &first; cursor = cursor->next; outcome = cursor == &second;",
        &[1],
    ),
    fixed(
        "boxes[0].a = boxes[0].b = 3; outcome = boxes[0].a + boxes[0].b;",
        &[6],
    ),
    fixed("outcome = (int)sizeof(next() + next()) + calls;", &[4]),
    // Operators.
    open(
        "x = 1; outcome = twice() + increase(); outcome = x;",
        &[3, 4],
    ),
    open("outcome = next() - next();", &[-1, 1]),
    open("outcome = calls == next();", &[0, 1]),
    open("outcome = next() == calls;", &[0, 1]),
    open("x = 5; outcome = x + twice();", &[105, 110]),
    open("x = 5; outcome = x++ + twice(); outcome += x;", &[117, 121]),
    open(
        "x = 5; outcome = (x += 2) + twice(); outcome += x;",
        &[121, 124],
    ),
    fixed("x = plus(x++); outcome = x;", &[1]),
    fixed("x = (x++, 5); outcome = x;", &[5]),
    open(
        "outcome = next() * 100 + next() * 10 + next();",
        &[123, 132, 213, 231, 312, 321],
    ),
    open(
        "x = 1; outcome = x + (10 * x + increase());",
        &[1011, 1012, 1021, 1022],
    ),
    open("int a = 3; outcome = decrease(&a) * 10 + a;", &[22, 23]),
    open(
        "outcome = cells[next()] + calls; cells[1] = 0; outcome = outcome;",
        &[0, 1],
    ),
    open("y = 1; outcome = even(1) + odd(1); outcome = y;", &[8, 9]),
    // Assignments.
    open(
        "cells[next()] = next(); outcome = cells[1] * 10 + cells[2];",
        &[20, 1],
    ),
    open(
        "cursor = &first; cursor->value = advance(); outcome = first.value * 10 + second.value;",
        &[70, 7],
    ),
    open(
        "boxes[x] = make(); outcome = boxes[0].a * 10 + boxes[1].b;",
        &[50, 6],
    ),
    open("x = 3; x += twice(); outcome = x;", &[103, 106]),
    open(
        "int r = (x = 3); r = (x -= twice()); outcome = r + x;",
        &[-194, -188],
    ),
    // Arguments, and the called function.
    open("outcome = pair(next(), next());", &[12, 21]),
    open("outcome = triple(next(), 7, next());", &[172, 271]),
    open("outcome = pair(calls, next());", &[1, 11]),
    open("outcome = operation(swap());", &[6, 4]),
    // Initialisers.
    open(
        "int a[2] = {next(), next()}; outcome = a[0] * 10 + a[1];",
        &[12, 21],
    ),
    open(
        "struct box b = {.b = next(), .a = next()}; outcome = b.a * 10 + b.b;",
        &[12, 21],
    ),
    open("outcome = ((struct box){next(), next()}).a;", &[1, 2]),
    // Nested choices.
    open(
        "outcome = pair(pair(next(), next()), 0) + (x = 4); outcome += 0;",
        &[124, 214],
    ),
    // Undefined behaviour that still has outcomes.
    among_others(
        "int i = 1; cells[i] = i++; outcome = cells[1] * 10 + cells[2];",
        &[10, 1],
    ),
    // Interleaved calls: not all orders are tried.
    among_others(
        "x = 1; outcome = pair(increase() + x, increase() + x); outcome = x;",
        &[3],
    ),
];

/// A source that gives the values of the order choices in sequence, and zero for other inputs.
struct Choices<'c> {
    values: &'c [u128],
    used: usize,
}

impl InputSource for Choices<'_> {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        if input.kind == InputKind::MemoryModel
            && let Sort::BitVec(width) = input.sort
        {
            let value = self.values.get(self.used).copied().unwrap_or(0);
            self.used += 1;
            return Some(Value::bit_vec(width, value));
        }
        Some(Value::zero(input.sort))
    }
}

/// The outcomes of all choices, whether some choice leads to an unsupported edge, and whether there is a choice.
fn outcomes(body: &str) -> (BTreeSet<i64>, bool, bool) {
    let text = format!("{DECLARATIONS}\nint main(void) {{ {body} return 0; }}");
    let source = Preprocessed::from_text("order.c", text);
    let loaded = load_preprocessed(source, &LoadOptions::default()).expect("a program");
    let has_choice = loaded
        .program
        .inputs
        .iter()
        .any(|input| input.kind == InputKind::MemoryModel && input.sort == Sort::BitVec(32));
    let executable = Executable::compile(&loaded.program);
    let mut found = BTreeSet::new();
    let mut gives_up = false;
    // Explore the tree of choices: a prefix is extended if the run reads a further choice.
    let mut work: Vec<Vec<u128>> = vec![Vec::new()];
    while let Some(prefix) = work.pop() {
        let mut machine = Machine::new(&executable);
        let mut choices = Choices {
            values: &prefix,
            used: 0,
        };
        let report = machine.run(&mut choices, Limits::default());
        match &report.outcome {
            Outcome::Unsupported { .. } => gives_up = true,
            Outcome::Ended { .. } => {
                let Some(Value::BitVec(bits)) = machine.read_variable("outcome") else {
                    panic!("no outcome: {body}");
                };
                found.insert(bits.signed() as i64);
            }
            other => panic!("{body}: {other:?}"),
        }
        if choices.used > prefix.len() {
            for value in 0..7 {
                let mut longer = prefix.clone();
                longer.push(value);
                work.push(longer);
            }
        }
    }
    (found, gives_up, has_choice)
}

#[test]
fn every_permitted_order_has_its_outcome() {
    for case in CASES {
        let (found, gives_up, has_choice) = outcomes(case.body);
        let expected: BTreeSet<i64> = case.outcomes.iter().copied().collect();
        assert_eq!(has_choice, case.open, "{}", case.body);
        if case.all {
            assert_eq!(found, expected, "{}", case.body);
            assert!(!gives_up, "{}", case.body);
        } else {
            assert!(found.is_superset(&expected), "{}: {found:?}", case.body);
        }
    }
}

/// The outcome of the compiled program is one of the outcomes.
#[test]
fn the_compiled_program_has_a_permitted_outcome() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, case) in CASES.iter().enumerate() {
        let source = folder.path().join(format!("order{number}.c"));
        let program = folder.path().join(format!("order{number}"));
        let text = format!(
            "#include <stdio.h>\n{DECLARATIONS}\nint main(void) {{ {} printf(\"%d\", outcome); return 0; }}",
            case.body
        );
        std::fs::write(&source, text).expect("a file");
        let compiled = Command::new("cc")
            .args(["-O0", "-w", "-o"])
            .arg(&program)
            .arg(&source)
            .status();
        assert!(
            compiled.is_ok_and(|status| status.success()),
            "{}",
            case.body
        );
        let run = Command::new(&program).output().expect("it runs");
        let printed: i64 = String::from_utf8_lossy(&run.stdout)
            .parse()
            .expect("a number");
        let (found, ..) = outcomes(case.body);
        assert!(
            found.contains(&printed),
            "{}: {printed} not in {found:?}",
            case.body
        );
    }
}

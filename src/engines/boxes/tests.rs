//! Small programs with known verdicts, and random programs; each proof is checked.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::testing::{Setting, blocks, default_solver, left_open, lowered, not_wrong};
use regatta_base::workers::Workers;
use regatta_certify::{Budget, Check, check};
use regatta_program::interpreter::Executable;
use regatta_program::simplify;
use regatta_program::testing::{Recursion, random_program};

const DECLARED: &str =
    "extern int __VERIFIER_nondet_int(void); extern float __VERIFIER_nondet_float(void);
    extern double __VERIFIER_nondet_double(void); extern void __VERIFIER_assume(int);
    extern double sqrt(double); void reach_error(void) {}\n";

fn found(program: &Program, options: &Options, workers: Workers) -> (Answer, Statistics) {
    let executable = Executable::compile(program);
    let lowered = Lowered {
        passed: None,
        program,
        executable: &executable,
    };
    let setting = Setting {
        workers,
        ..Setting::of(program)
    };
    let mut done = Statistics::default();
    let blocks = blocks(simplify(program).program);
    let subject = Subject {
        lowered: Some(lowered),
        ..Subject::of(&blocks, &default_solver)
    };
    if let Some(reason) = options.unsuitable(&subject) {
        return (Answer::Unknown(reason.to_owned()), done);
    }
    let answer = setting.run_within(Duration::from_secs(60), |context| {
        run(lowered, options, context, &mut done)
    });
    (answer, done)
}

fn c(body: &str) -> Program {
    lowered(&format!("{DECLARED} int main(void) {{ {body} return 0; }}"))
}

/// Proves the program with and without worker threads, and checks the proof.
fn proves(body: &str) -> Statistics {
    let program = c(body);
    let (answer, done) = found(&program, &Options::default(), Workers::none());
    let Answer::Safe(certificate) = &answer else {
        panic!("{answer:?} {done:?}\n{body}");
    };
    let simplified = simplify(&program);
    let result = check(
        &program,
        &simplified,
        certificate,
        Budget::of(Duration::from_secs(60)),
    );
    assert_eq!(result, Check::Confirmed, "{body}");
    let (helped, _) = found(&program, &Options::default(), Workers::fixed(2));
    assert!(
        matches!(&helped, Answer::Safe(other) if other == certificate),
        "worker threads do not change the proof"
    );
    done
}

fn refutes(body: &str) {
    let (answer, done) = found(&c(body), &Options::default(), Workers::none());
    assert!(
        matches!(answer, Answer::Unsafe(_)),
        "{answer:?} {done:?}\n{body}"
    );
}

fn is_unknown(body: &str) {
    let options = Options {
        boxes: 2_000,
        ..Options::default()
    };
    let (answer, _) = found(&c(body), &options, Workers::none());
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}\n{body}");
}

#[test]
fn polynomials_are_decided_in_few_boxes() {
    let sine = |limit| {
        format!(
            "float x = __VERIFIER_nondet_float(); __VERIFIER_assume(x > -1.57f && x < 1.57f);
             float y = x - (x*x*x)/6.0f + (x*x*x*x*x)/120.0f; if (!(y <= {limit})) reach_error();"
        )
    };
    let done = proves(&sine("1.1f"));
    assert!(done.boxes < 500, "{done:?}");
    refutes(&sine("0.9f"));
}

#[test]
fn loops_end_as_the_box_decides() {
    proves(
        "double a = __VERIFIER_nondet_double(); __VERIFIER_assume(a >= 20. && a <= 30.);
         double x = 0.03, last; int rounds = 0;
         do { last = x; x = 2 * x - a * x * x; rounds++; } while (rounds < 4 && (x - last > 1e-10 || last - x > 1e-10));
         if (!(x >= 0 && x <= 0.06)) reach_error();",
    );
}

#[test]
fn corners_of_floats() {
    refutes("float x = __VERIFIER_nondet_float(); if (!(x == x)) reach_error();");
    refutes("float x = __VERIFIER_nondet_float(); if (x * 0 != 0) reach_error();");
    proves(
        "float x = __VERIFIER_nondet_float(); __VERIFIER_assume(x >= 0 && x <= 1); if (x * 0 != 0) reach_error();",
    );
    refutes("double x = __VERIFIER_nondet_double(); if (x == 0 && 1 / x < 0) reach_error();");
    proves(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0 && x < 1e300); if (!(1 / x > 0)) reach_error();",
    );
    refutes(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0); float f = x; if (!(f > 0)) reach_error();",
    );
    proves("double x = __VERIFIER_nondet_double(); double r = sqrt(x); if (r < 0) reach_error();");
    proves(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0 && x < 9); if (x + 1 - x > 2) reach_error();",
    );
    refutes(
        "int i = __VERIFIER_nondet_int(); float f = i; if ((double)f == i + 1.0) reach_error();",
    );
    proves(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > -5 && x < 5); int i = x;
         if (i < -4 || i > 4) reach_error();",
    );
}

#[test]
fn products_of_integers() {
    proves(
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         __VERIFIER_assume(x >= 10 && x <= 1000 && y >= 10 && y <= 1000);
         if (x * y < 100 || x * y > 1000000) reach_error();",
    );
    refutes(
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         if (x > 0 && y > 0 && x * y < 0) reach_error();",
    );
}

#[test]
fn conditions_on_no_input_or_on_too_many_stay_undecided() {
    is_unknown(
        "double x = __VERIFIER_nondet_double(); while (x + 1 != __VERIFIER_nondet_double()) { } ",
    );
    is_unknown(
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x - y == 7 && x != y + 7) reach_error();",
    );
    is_unknown("long double x = __VERIFIER_nondet_double(); if (x + 1 < x) reach_error();");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_programs(bytes in prop::collection::vec(any::<u8>(), 0..80), seed in any::<u64>()) {
        let program = random_program(&bytes, Recursion::Allowed);
        let options = Options { boxes: 300, steps: 3_000, paths: 60, ..Options::default() };
        let (answer, _) = found(&program, &options, Workers::none());
        not_wrong(&program, &simplify(&program), &answer, seed)?;
        if let Answer::Safe(certificate) = &answer {
            let budget = Budget::of(Duration::from_secs(60));
            prop_assert_eq!(check(&program, &simplify(&program), certificate, budget), Check::Confirmed);
        }
    }
}

/// Sets of values do not tell that a product is the same twice; the other checks do not need that.
#[test]
fn what_boxes_do_not_decide_is_in_no_other_checks_way() {
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < -100 || x > 100 || y < -100 || y > 100) return 0;
    if (x * y > 10000) reach_error();
    double z = (double) x * y / 3;
    if (z * z < 0) reach_error();
    if (z - z != 0) reach_error();
    return 0;
}";
    let options = Options {
        boxes: 20_000,
        ..Options::default()
    };
    let (left, confirmed, refused) = left_open(text, &options);
    assert_eq!(left, [9]);
    assert!(confirmed > 0);
    assert_eq!(refused, 0);
}

//! The engine and the effect of each of its options on small programs.

use std::rc::Rc;

use super::*;
use crate::testing::{Setting, blocks, lowered};
use regatta_certify::certificate::ProofStep;
use regatta_program::Program;
use regatta_program::simplify::simplify;
use regatta_solver::{Encoding, SolverConfig, new_solver};
use regatta_term::Arena;

fn program(body: &str) -> Program {
    lowered(&format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         int main(void) {{ {body} }}"
    ))
}

/// Runs the engine on the program; returns its answer and its counters.
fn run_on(body: &str, options: &Options) -> (Answer, Statistics) {
    let lowered = program(body);
    run_in(&Setting::of(&lowered), options)
}

fn run_in(setting: &Setting<'_>, options: &Options) -> (Answer, Statistics) {
    let program = setting.program.expect("a program");
    let blocks = blocks(simplify(program).program);
    let mut done = Statistics::default();
    let answer = setting.run(|context| run(&blocks, options, &over_integers, context, &mut done));
    (answer.expect("a solver"), done)
}

fn over_integers() -> Result<Box<dyn Solver>, SolverError> {
    let config = SolverConfig {
        encoding: Encoding::Integer,
        ..SolverConfig::default()
    };
    new_solver(config, Rc::new(Arena::new()))
}

/// The configuration NOOPT of the thesis.
fn no_options() -> Options {
    Options {
        mining: false,
        max_depth: 0,
        max_ctgs: 0,
        ..Options::default()
    }
}

/// Two counters are incremented together and decremented together.
const UP_AND_DOWN: &str = "int n = __VERIFIER_nondet_int(), up = 0, k = 0, down = 0;
    if (n > 1000) return 0;
    while (up < n) { up++; k++; }
    while (down < n) { if (k <= 0) reach_error(); down++; k--; }";

/// The sum is invariant.
const TRANSFER: &str = "int a = 5, b = 0, c = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && a > 0) { a--; b++; }
        else if (b > 0) { b--; c++; }
    }
    if (a + b + c != 5) reach_error();";

/// No condition of the program suggests that y is twice x.
const TWICE: &str = "int x = 0, y = 0;
    while (__VERIFIER_nondet_int()) { if (x < 4) { x++; y += 2; } }
    if (y > 9) reach_error();";

/// The error is twelve steps away.
const TWELVE: &str = "int i = 0, last = 0;
    while (last != 77) {
        if (i == 10) { if (last == 3) reach_error(); return 0; }
        last = __VERIFIER_nondet_int();
        i++;
    }";

#[test]
fn proofs_have_certificates_and_violations_are_replayed() {
    for body in [TRANSFER, TWICE] {
        let (answer, done) = run_on(body, &Options::default());
        let Answer::Safe(certificate) = answer else {
            panic!("{answer:?} {done:?} {body}");
        };
        let last = certificate.steps.last();
        assert!(
            matches!(last, Some(ProofStep::Safety { k: 1, .. })),
            "{body}"
        );
        assert!(done.frames > 0 && done.queries > 0);
    }
    let (answer, done) = run_on(TWELVE, &Options::default());
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
    assert!(done.obligations >= 10, "the trace has an obligation a step");
}

#[test]
fn each_option_fires_where_it_is_set_and_only_there() {
    type Counter = fn(&Statistics) -> u64;
    let cases: [(&str, Options, Counter); 5] = [
        (
            "ctgs",
            Options {
                max_depth: 1,
                max_ctgs: 3,
                ..no_options()
            },
            |done| done.ctgs,
        ),
        (
            "joins",
            Options {
                max_depth: 1,
                ..no_options()
            },
            |done| done.joins,
        ),
        (
            "geometric",
            Options {
                max_geo: 100,
                ..no_options()
            },
            |done| done.geometric,
        ),
        (
            "mining",
            Options {
                mining: true,
                ..no_options()
            },
            |done| done.mined,
        ),
        (
            "lazy",
            Options {
                max_spurious: 3,
                ..no_options()
            },
            |done| done.spurious,
        ),
    ];
    for (name, options, counter) in cases {
        assert!(counter(&run_on(TWICE, &options).1) > 0, "{name}");
        assert_eq!(counter(&run_on(TWICE, &no_options()).1), 0, "{name}");
    }
}

#[test]
fn the_initial_domain_is_what_is_asked_for() {
    let initial = |initial_conditions, initial_orders| {
        let options = Options {
            initial_conditions,
            initial_orders,
            max_bound: 1,
            ..Options::default()
        };
        run_on(UP_AND_DOWN, &options).1.initial_predicates
    };
    assert_eq!(initial(false, false), 0);
    assert!(initial(true, false) > 0 && initial(false, true) > 0);
}

#[test]
fn equations_are_split_where_that_is_asked_for() {
    let initial = |equations| {
        let options = Options {
            equations,
            initial_orders: false,
            max_bound: 1,
            ..Options::default()
        };
        run_on(TRANSFER, &options).1.initial_predicates
    };
    assert!(initial(Equations::Whole) < initial(Equations::Split));
    assert!(initial(Equations::Whole) < initial(Equations::Both));
}

#[test]
fn both_sources_of_predicates_refine() {
    for (interpolation, counter) in [
        (
            Source::Interpolants,
            (|done| done.interpolants) as fn(&Statistics) -> u64,
        ),
        (Source::HalfSpaces, |done| done.half_spaces),
    ] {
        let options = Options {
            interpolation,
            ..Options::default()
        };
        let (answer, done) = run_on(TWICE, &options);
        assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
        assert!(counter(&done) > 0, "{interpolation:?} {done:?}");
    }
}

#[test]
fn clauses_are_published_and_invariants_are_taken() {
    let lowered = program(TWICE);
    let setting = Setting::of(&lowered);
    let (_, first) = run_in(&setting, &Options::default());
    assert!(!setting.invariants.snapshot().is_empty(), "{first:?}");
    let (answer, second) = run_in(&setting, &Options::default());
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    assert!(second.invariants > 0);
    assert!(
        second.obligations < first.obligations,
        "{first:?} {second:?}"
    );
}

#[test]
fn it_stops_and_says_what_it_does_not_handle() {
    let plain = program(UP_AND_DOWN);
    let setting = Setting::of(&plain);
    setting.token.cancel();
    let (answer, _) = run_in(&setting, &Options::default());
    assert!(
        matches!(&answer, Answer::Unknown(reason) if reason == "stopped"),
        "{answer:?}"
    );
    let recursion = lowered(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
         int f(int n) { return n <= 0 ? 0 : f(n - 1) + 1; }
         int main(void) { if (f(__VERIFIER_nondet_int()) < 0) reach_error(); }",
    );
    let blocks = blocks(recursion.clone());
    let subject = Subject::of(&blocks, &over_integers);
    let report = Setting::of(&recursion).run(|context| Options::default().run(&subject, context));
    assert!(
        matches!(&report.answer, Answer::Unknown(reason) if reason.contains("recursion")),
        "{report:?}"
    );
}

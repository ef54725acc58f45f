//! Tests of fixpoints of small programs, and of the invariants proved from them.

use super::*;
use crate::analysis::testing::{Setting, blocks, default_solver, lowered};
use crate::certify::{Budget, Check, check};
use crate::program::simplify::simplify;
use crate::term::to_smtlib;

/// Returns the formulas of the last fixpoint, and the number of those that are proved with the earlier ones.
fn fixpoints(text: &str, refinements: &[Refinement]) -> (Vec<String>, usize) {
    let inputs = "extern int __VERIFIER_nondet_int(void); \
                  extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);";
    let blocks = blocks(simplify(&lowered(&format!("{inputs} {text}"))).program);
    Setting::default().run(|context| fixpoints_of(&blocks, refinements, context))
}

fn fixpoints_of(
    blocks: &Arc<Blocks>,
    refinements: &[Refinement],
    context: &Context<'_>,
) -> (Vec<String>, usize) {
    let mut fixpoints = Fixpoints::new(blocks, Duration::from_secs(60));
    let solver = default_solver().expect("a solver");
    let mut houdini = Houdini::new(blocks, solver, context.token, context.workers);
    let mut last = (Vec::new(), 0);
    for &refinement in refinements {
        let candidates = fixpoints.refine(refinement, context).expect("enough time");
        let proved = houdini.publish(&candidates, &Samples::default(), context, &mut |_| {});
        let text = |one: &Candidate| to_smtlib(store(), one.formula).replace("main::", "");
        last = (candidates.iter().map(text).collect(), proved.len());
    }
    last
}

const RING: &str = "int main(void) {
    unsigned head = __VERIFIER_nondet_uint(), tail = head, half = 0;
    while (__VERIFIER_nondet_int()) {
        if (head - tail < 1000) head += 37;
        if (__VERIFIER_nondet_int() && head != tail) tail++;
        half = (head - tail) / 2;
    }
    if (half > 518) reach_error();
}";

#[test]
fn the_distance_of_two_counters_that_wrap_around() {
    let (formulas, proved) = fixpoints(RING, &Refinement::ALL[..6]);
    let has_formula = |parts: [&str; 3]| {
        let all = |formula: &String| parts.iter().all(|&part| formula.contains(part));
        formulas.iter().any(all)
    };
    assert!(
        has_formula(["|head@0|", "|tail@0|", " #x0000040d)"]),
        "{formulas:?}"
    );
    assert!(
        has_formula(["(bvult", "|half@0|", "#x00000207)"]),
        "{formulas:?}"
    );
    assert!(proved >= 2, "{formulas:?}");
}

#[test]
fn a_remainder_is_proved_and_lost_when_the_number_wraps_around() {
    let of = |bound| {
        let text = format!(
            "int main(void) {{ unsigned x = 1; while (__VERIFIER_nondet_int()) {{ {bound} x += 12; }}
             if (x == 123456780) reach_error(); }}"
        );
        fixpoints(&text, &[Refinement::Intervals, Refinement::Congruences])
    };
    // The formulas are x mod 4, and x mod 3 by the inverse of three.
    let (formulas, proved) = of("if (x < 1000000000)");
    let third = |formulas: &[String]| formulas.iter().any(|one| one.contains("#xaaaaaaab"));
    assert!(third(&formulas) && proved >= 2, "{formulas:?}");
    let (formulas, proved) = of("");
    assert!(!third(&formulas), "{formulas:?}");
    let fourth = "(= ((_ extract 1 0) |x@0|) #b01)";
    assert!(
        proved > 0 && formulas.iter().any(|one| one == fourth),
        "{formulas:?}"
    );
}

/// Asserts that the analysis with these options has a proof of the program that the checker confirms, or none.
fn assert_proved(text: &str, options: &Options, setting: &Setting, is_proved: bool) {
    let lowered = lowered(text);
    let simplified = simplify(&lowered);
    let blocks = blocks(simplified.program.clone());
    let answer = setting.run(|context| run(&blocks, options, &default_solver, context));
    match answer.expect("a solver") {
        Answer::Safe(certificate) if is_proved => {
            let limit = Duration::from_secs(60);
            let outcome = check(&lowered, &simplified, &certificate, Budget::of(limit));
            assert_eq!(outcome, Check::Confirmed);
        }
        Answer::Unknown(_) if !is_proved => {}
        answer => panic!("{text}: {answer:?}"),
    }
}

#[test]
fn equations_are_proved_by_multiplying_out() {
    let options = Options {
        rounds: vec![Round::Guess(guess::Round::Identities)],
        ..Options::default()
    };
    for step in [1, 2] {
        let text = format!(
            "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
            int main(void) {{
                unsigned y = __VERIFIER_nondet_uint(), x = 0, n = 0;
                while (__VERIFIER_nondet_uint()) {{
                    unsigned d = __VERIFIER_nondet_uint();
                    if (d > 5) {{ x += d * y; n += d; }}
                    else if (d > 3 && x > n) {{ x += y * y; n += y; }}
                    else {{ x += y; n += {step}; }}
                    if (x != n * y) reach_error();
                }}
            }}"
        );
        assert_proved(&text, &options, &Setting::default(), step == 1);
    }
}

/// Two threads that pass a number back and forth, each while the other sleeps.
fn hand_over(step: u32) -> String {
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int number, copy, first_at, second_at, first_sleeps, second_sleeps;
        void second(void) {{
            if (second_at == 1) {{ number += {step}; first_sleeps = 0; }}
            second_at = 1;
            second_sleeps = 1;
        }}
        int main(void) {{
            while (1) {{
                if (!first_sleeps && __VERIFIER_nondet_int()) {{
                    if (first_at == 1 && number != copy + 1) reach_error();
                    copy = number = __VERIFIER_nondet_int();
                    if (second_at == 1) second_sleeps = 0;
                    first_at = first_sleeps = 1;
                }}
                if (!second_sleeps && __VERIFIER_nondet_int()) second();
            }}
        }}"
    )
}

#[test]
fn combinations_of_values_are_enumerated() {
    let options = Options {
        rounds: vec![Round::Guess(guess::Round::States)],
        states: Duration::from_secs(60),
        ..Options::default()
    };
    for step in [1, 2] {
        let setting = Setting::default();
        assert_proved(&hand_over(step), &options, &setting, step == 1);
        // Other engines get them, too.
        assert!(!setting.invariants.snapshot().is_empty());
    }
}

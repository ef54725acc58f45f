//! Tests of fixpoints of small programs, and of the invariants proved from them.

use super::*;
use crate::invariants::houdini::Houdini;
use crate::invariants::samples::Samples;
use crate::testing::{Setting, blocks, default_solver, lowered};
use regatta_program::simplify::simplify;
use regatta_term::to_smtlib;

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

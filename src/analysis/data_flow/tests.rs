//! What the fixpoints say of small programs, and what of that is proved.

use super::*;
use crate::analysis::testing::{Setting, blocks, default_solver, lowered};
use crate::program::simplify::simplify;
use crate::term::to_smtlib;

/// What the fixpoint says after these refinements, and how much of the last one's is proved with what was before.
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
    let mut houdini = Houdini::new(blocks, solver, context.token);
    let mut last = (Vec::new(), 0);
    for &refinement in refinements {
        let candidates = fixpoints.refine(refinement, context).expect("enough time");
        let batch = houdini.inductive_subset(
            &candidates,
            &context.invariants.snapshot(),
            &Samples::default(),
            context.publisher,
            context.safe_point,
            &mut |_| {},
        );
        let proved = batch.as_ref().map_or(0, |batch| batch.invariants().len());
        let text = |one: &Candidate| to_smtlib(store(), one.formula).replace("main::", "");
        last = (candidates.iter().map(text).collect(), proved);
        if let Some(batch) = batch {
            context.invariants.publish(batch);
        }
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
    let (said, proved) = fixpoints(RING, &Refinement::ALL[..6]);
    let says = |parts: [&str; 3]| {
        let all = |formula: &String| parts.iter().all(|&part| formula.contains(part));
        said.iter().any(all)
    };
    assert!(says(["|head@0|", "|tail@0|", " #x0000040d)"]), "{said:?}");
    assert!(says(["(bvult", "|half@0|", "#x00000207)"]), "{said:?}");
    assert!(proved >= 2, "{said:?}");
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
    // x mod 4, and x mod 3 by the inverse of three.
    let (said, proved) = of("if (x < 1000000000)");
    let third = |said: &[String]| said.iter().any(|one| one.contains("#xaaaaaaab"));
    assert!(third(&said) && proved >= 2, "{said:?}");
    let (said, proved) = of("");
    assert!(!third(&said), "{said:?}");
    let fourth = "(= ((_ extract 1 0) |x@0|) #b01)";
    assert!(
        proved > 0 && said.iter().any(|one| one == fourth),
        "{said:?}"
    );
}

//! What the fixpoints say of small programs, and what of that is proved.

use std::rc::Rc;

use super::*;
use crate::analysis::{CancellationToken, InvariantStore};
use crate::frontend::preprocess::Preprocessed;
use crate::frontend::{LoadOptions, load_preprocessed};
use crate::program::InlinedProgram;
use crate::program::simplify::simplify;
use crate::solver::{SolverConfig, new_solver};
use crate::term::{Arena, to_smtlib};

/// What the fixpoint says after these refinements, and how much of the last one's is proved with what was before.
fn fixpoints(text: &str, refinements: &[Refinement]) -> (Vec<String>, usize) {
    let inputs = "extern int __VERIFIER_nondet_int(void); \
                  extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);";
    let source = Preprocessed::from_text("t.c", format!("{inputs} {text}"));
    let loaded = load_preprocessed(source, &LoadOptions::default()).expect("a program");
    let program = Arc::new(simplify(&loaded.program).program);
    let blocks = Arc::new(Blocks::new(Arc::new(InlinedProgram::new(program))));
    let token = CancellationToken::new();
    let mut confirm = |_: &_| panic!("no alarm");
    let invariants = InvariantStore::new();
    let context = Context {
        invariants: &invariants,
        token: &token,
        safe_point: &|| Duration::ZERO,
        report: &|_| {},
        confirm: &mut confirm,
    };
    let mut fixpoints = Fixpoints::new(&blocks, Duration::from_secs(60));
    let solver = new_solver(SolverConfig::default(), Rc::new(Arena::new())).expect("a solver");
    let mut houdini = Houdini::new(&blocks, solver, &token);
    let mut last = (Vec::new(), 0);
    for &refinement in refinements {
        let candidates = fixpoints.refine(refinement, &context).expect("enough time");
        let batch = houdini.inductive_subset(
            &candidates,
            &invariants.snapshot(),
            &Samples::default(),
            "test",
            &|| Duration::ZERO,
            &mut |_| {},
        );
        let proved = batch.as_ref().map_or(0, |batch| batch.invariants().len());
        let text = |one: &Candidate| to_smtlib(store(), one.formula).replace("main::", "");
        last = (candidates.iter().map(text).collect(), proved);
        if let Some(batch) = batch {
            invariants.publish(batch);
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
fn debug_ring() {
    let (said, proved) = fixpoints(RING, &Refinement::ALL[..6]);
    panic!("{proved} {said:#?}");
}

//! Tests of the closing check.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use crate::invariants::prover::Prover;
use crate::testing::{blocks, default_solver, lowered, one_by_one};
use crate::unrolling::inner_cut_points;
use crate::{CancellationToken, data_flow, engine::Engine};
use regatta_base::workers::Workers;
use regatta_certify::{Budget, Check, ProofStep, check};
use regatta_program::block::Blocks;
use regatta_program::simplify::simplify;
use regatta_sharing::{Candidate, InvariantStore, Proved, Publisher};
use regatta_term::{Build, TermId, store};

const INPUTS: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);";

fn prover<'s>(
    invariants: &'s InvariantStore,
    blocks: &Arc<Blocks>,
    token: &CancellationToken,
) -> Prover<'s> {
    let prover = Prover::new(invariants, blocks, default_solver, token, &Workers::none());
    prover.expect("no recursion")
}

fn variable(blocks: &Blocks, name: &str) -> TermId {
    let mut variables = blocks.inlined().program().variables.iter();
    let variable = variables.find(|one| one.symbol.name() == name);
    store().variable(variable.expect("a variable").symbol)
}

/// The candidate at the only loop's head that two variables of `main` are equal.
fn equal(blocks: &Blocks, one: &str, other: &str) -> Candidate {
    let [at] = inner_cut_points(blocks)[..] else {
        panic!("one loop");
    };
    let [one, other] = [one, other].map(|name| variable(blocks, &format!("main::{name}")));
    Candidate {
        at,
        formula: store().eq(one, other),
    }
}

fn offer(invariants: &InvariantStore, candidate: Candidate, prover: &mut Prover<'_>) {
    invariants.offer(&Publisher::from("somebody"), [candidate]);
    assert_eq!(prover.round(&|| Duration::ZERO).proved, 1);
}

/// Two counters that go on together, and what is wrong with them.
fn counters(error: &str) -> String {
    format!(
        "{INPUTS} int main(void) {{
            unsigned w = __VERIFIER_nondet_uint(), x = w, y = w;
            while (__VERIFIER_nondet_uint()) {{ x += 3; y += 3; }}
            if ({error}) reach_error();
            return 0;
        }}"
    )
}

#[test]
fn what_the_prover_has_proved_excludes_the_only_target() {
    let lowered = lowered(&counters("(x ^ y) & 64"));
    let simplified = simplify(&lowered);
    let blocks = blocks(simplified.program.clone());
    let (invariants, token) = (InvariantStore::new(), CancellationToken::new());
    let mut prover = prover(&invariants, &blocks, &token);
    assert!(!prover.may_close(false), "there is no invariant");
    offer(&invariants, equal(&blocks, "x", "y"), &mut prover);
    assert!(prover.may_close(false));
    let exclusion = prover.close(None, false, &|| Duration::ZERO);
    let certificate = exclusion.expect("a proof").of_all();
    let budget = Budget::of(Duration::from_secs(60));
    let checked = check(&lowered, &simplified, &certificate, budget);
    assert_eq!(checked, Check::Confirmed);
    // The proof is not handed in again.
    assert!(prover.close(None, false, &|| Duration::ZERO).is_none());
}

#[test]
fn a_target_that_the_invariants_do_not_exclude_stays_open_and_costs_one_question() {
    let blocks = blocks(simplify(&lowered(&counters("x != y && w > 3 || y - w == 12"))).program);
    let (invariants, token) = (InvariantStore::new(), CancellationToken::new());
    let mut prover = prover(&invariants, &blocks, &token);
    let head = equal(&blocks, "x", "y").at;
    offer(&invariants, equal(&blocks, "x", "y"), &mut prover);
    let asked = Cell::new(0);
    let count = || {
        asked.set(asked.get() + 1);
        Duration::ZERO
    };
    assert!(prover.close(None, false, &count).is_none());
    let first = asked.get();
    assert!(first > 0);
    assert!(
        !prover.may_close(true),
        "everything has been asked of this version"
    );
    // Invariants elsewhere change nothing.
    let entry = blocks.inlined().entry();
    assert_ne!(entry, head);
    let elsewhere = Candidate {
        at: entry,
        formula: store().eq(variable(&blocks, "main::x"), variable(&blocks, "main::y")),
    };
    invariants.publish(Proved::new(vec![elsewhere], 1, vec![], |_| {
        Publisher::from("test")
    }));
    assert!(prover.may_close(true));
    // The way from the entry, which comes first then, and no other.
    assert!(prover.close(None, false, &count).is_none());
    assert!(asked.get() <= first + 1, "{} {first}", asked.get());
}

#[test]
fn a_state_that_satisfies_the_newer_invariants_keeps_a_target_open_without_a_question() {
    let blocks = blocks(simplify(&lowered(&counters("x == 77 && w != 3"))).program);
    let (invariants, token) = (InvariantStore::new(), CancellationToken::new());
    let mut prover = prover(&invariants, &blocks, &token);
    let candidate = equal(&blocks, "x", "y");
    let [x, y] = ["x", "y"].map(|name| variable(&blocks, &format!("main::{name}")));
    let asked = Cell::new(0);
    let count = || {
        asked.set(asked.get() + 1);
        Duration::ZERO
    };
    let mut questions_with = |formula| {
        let one = Candidate {
            formula,
            ..candidate
        };
        // None of these is checked here: the closing check takes what is in the store.
        invariants.publish(Proved::new(vec![one], 1, vec![], |_| {
            Publisher::from("test")
        }));
        asked.set(0);
        let is_excluded = prover.close(None, true, &count).is_some();
        (asked.get(), is_excluded)
    };
    let (first, is_excluded) = questions_with(candidate.formula);
    assert!(first > 0 && !is_excluded);
    // The state of the failed question satisfies it, and so does every other where both are equal.
    assert_eq!(questions_with(store().ule(x, y)), (0, false));
    let number = store().bv(32, 77);
    assert_eq!(questions_with(store().ule(y, number)), (0, false));
    // It violates this one: the question is asked again.
    let (again, is_excluded) = questions_with(store().not(store().eq(x, number)));
    assert!(again > 0 && is_excluded, "{again}");
}

#[test]
fn some_of_several_targets_are_excluded_and_others_when_more_is_known() {
    let text = format!(
        "{INPUTS} int main(void) {{
            unsigned w = __VERIFIER_nondet_uint(), x = w, y = w, z = w;
            while (__VERIFIER_nondet_uint()) {{ x += 3; y += 3; z += 3; }}
            if (x != y)
                reach_error();
            if (x == 77)
                reach_error();
            if (y != z)
                reach_error();
            return 0;
        }}"
    );
    one_by_one(&text, |subject, setting, left| {
        let invariants = &setting.invariants;
        let mut prover = prover(invariants, subject.blocks, &setting.token);
        let close = |prover: &mut Prover<'_>| {
            let exclusion = prover.close(setting.targets, false, &|| Duration::ZERO);
            assert!(exclusion.is_none(), "each is decided by itself");
            left()
        };
        offer(invariants, equal(subject.blocks, "x", "y"), &mut prover);
        assert_eq!(close(&mut prover), (vec![7, 9], 1, 0));
        offer(invariants, equal(subject.blocks, "z", "y"), &mut prover);
        assert_eq!(close(&mut prover), (vec![7], 2, 0));
    });
}

/// Two variables that change places: that one of them has the first value is 2-inductive only.
const SWAPPED: &str = "unsigned w = __VERIFIER_nondet_uint(), x = w, y = w;
    while (__VERIFIER_nondet_uint()) { unsigned t = x; x = y; y = t; }
    if (x != w) reach_error();
    return 0;";

#[test]
fn invariants_of_k_induction_are_in_the_proof_as_they_were_proved() {
    let lowered = lowered(&format!("{INPUTS} int main(void) {{ {SWAPPED} }}"));
    let simplified = simplify(&lowered);
    let blocks = blocks(simplified.program.clone());
    let (invariants, token) = (InvariantStore::new(), CancellationToken::new());
    let mut prover = prover(&invariants, &blocks, &token);
    let candidate = equal(&blocks, "x", "w");
    let batch = Proved::new(vec![candidate], 2, vec![], |_| Publisher::from("test"));
    assert!(invariants.publish(batch).is_some());
    let exclusion = prover.close(None, false, &|| Duration::ZERO);
    let certificate = exclusion.expect("a proof").of_all();
    assert!(
        matches!(
            certificate.steps[..],
            [
                ProofStep::Inductive { k: 2, .. },
                ProofStep::Safety { k: 1, .. }
            ]
        ),
        "{certificate:?}"
    );
    let budget = Budget::of(Duration::from_secs(60));
    let checked = check(&lowered, &simplified, &certificate, budget);
    assert_eq!(checked, Check::Confirmed);
}

#[test]
fn a_wrong_invariant_makes_no_proof_and_is_no_reason_after_it_is_withdrawn() {
    let lowered = lowered(&counters("x - w == 12"));
    let simplified = simplify(&lowered);
    let blocks = blocks(simplified.program.clone());
    let (invariants, token) = (InvariantStore::new(), CancellationToken::new());
    let mut prover = prover(&invariants, &blocks, &token);
    let wrong = equal(&blocks, "x", "w");
    let batch = Proved::new(vec![wrong], 1, vec![], |_| Publisher::from("test"));
    let id = invariants.publish(batch).expect("published");
    let exclusion = prover.close(None, false, &|| Duration::ZERO);
    let certificate = exclusion.expect("what the store says is believed").of_all();
    let budget = Budget::of(Duration::from_secs(60));
    let checked = check(&lowered, &simplified, &certificate, budget);
    assert!(matches!(checked, Check::Refuted { .. }), "{checked:?}");
    invariants.withdraw(id);
    assert!(prover.may_close(true));
    assert!(prover.close(None, true, &|| Duration::ZERO).is_none());
}

#[test]
fn nothing_is_excluded_after_cancellation() {
    let blocks = blocks(simplify(&lowered(&counters("x != y"))).program);
    let (invariants, token) = (InvariantStore::new(), CancellationToken::new());
    let mut prover = prover(&invariants, &blocks, &token);
    offer(&invariants, equal(&blocks, "x", "y"), &mut prover);
    token.cancel();
    assert!(prover.close(None, true, &|| Duration::ZERO).is_none());
}

#[test]
fn invariants_of_a_generator_exclude_what_it_may_not_answer() {
    let text = counters("x != y");
    one_by_one(&text, |subject, setting, _| {
        setting.run_within(Duration::from_secs(20), |context| {
            // As the generator of a race, which is to decide nothing.
            context.targets = None;
            data_flow::Options::default().run(subject, context);
        });
        let token = CancellationToken::new();
        let mut prover = prover(&setting.invariants, subject.blocks, &token);
        assert!(prover.close(None, false, &|| Duration::ZERO).is_some());
    });
}

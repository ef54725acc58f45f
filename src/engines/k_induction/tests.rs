//! Tests of property direction.

use std::time::Duration;

use super::k_inductive::{Attempt, KInduction};
use super::lift::{Lifter, Lifting};
use super::*;
use crate::testing::{Setting, blocks, default_solver, left_open, lowered};
use regatta_program::Program;
use regatta_program::simplify::simplify;
use regatta_sharing::Candidate;
use regatta_solver::{CheckLimit, Solver};
use regatta_term::{Build, TermId, conjuncts, store, to_smtlib};

fn program(body: &str) -> Program {
    lowered(&format!(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
         int main(void) {{ {body} }}"
    ))
}

fn z3() -> Box<dyn Solver> {
    default_solver().expect("a solver")
}

/// Returns the answer of property-directed k-induction, and the invariants that it has published, as text.
fn directed(body: &str, max_bound: u32) -> (Answer, Vec<String>) {
    directed_by(
        body,
        &Options {
            max_bound,
            property_directed: true,
            ..Options::default()
        },
    )
}

fn directed_by(body: &str, options: &Options) -> (Answer, Vec<String>) {
    let lowered = program(body);
    let blocks = blocks(simplify(&lowered).program);
    let setting = Setting::of(&lowered);
    let answer = setting.run(|context| run(&blocks, options, &default_solver, context));
    let snapshot = setting.invariants.snapshot();
    let all = snapshot.invariants().map(|(_, one)| one.formula);
    let answer = answer.expect("a solver");
    (answer, all.map(|one| to_smtlib(store(), one)).collect())
}

/// \[BD19\], Table 1: y = z is learned from a counterexample in which they differ.
const EQUAL_SUMS: &str = "unsigned w = __VERIFIER_nondet_uint(), x = w, y = w + 1, z = x + 1;
    while (__VERIFIER_nondet_uint()) { y++; z++; }
    if (y != z) reach_error();";

#[test]
fn an_equation_is_learned_from_a_counterexample() {
    let (answer, learned) = directed(EQUAL_SUMS, 5);
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    assert!(
        learned.iter().any(|one| {
            ["(= |main::y@0| |main::z@0|)", "(= |main::z@0| |main::y@0|)"].contains(&&**one)
        }),
        "{learned:?}"
    );
}

#[test]
fn parity_is_learned_from_a_number_that_is_skipped() {
    let (answer, learned) = directed(
        "unsigned x = 0; while (__VERIFIER_nondet_uint()) x += 2; if (x == 21) reach_error();",
        5,
    );
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?} {learned:?}");
}

/// The error is unreachable if y <= 2, which needs x <= 1, which holds.
const CHAIN: &str = "unsigned x = 0, y = 0, z = 0;
    while (__VERIFIER_nondet_uint()) {
        if (y == 3) z = 1;
        if (x == 2) y = 3;
        if (__VERIFIER_nondet_uint() == 7) x = 1;
    }
    if (z == 1) reach_error();";

#[test]
fn obligations_have_obligations() {
    let (answer, learned) = directed(CHAIN, 6);
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?} {learned:?}");
}

const LATE: &str = "unsigned x = 0, y = 0;
    while (__VERIFIER_nondet_uint()) {
        if (x == 6) y = 1;
        x++;
    }
    if (y == 1) reach_error();";

#[test]
fn a_state_that_is_reached_directs_bounded_model_checking() {
    let (answer, _) = directed(LATE, 12);
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
}

/// Algorithm 1 as it stands: k grows in each round, at the same k for the property and for obligations.
#[test]
fn the_papers_order_proves_and_refutes() {
    for lifting in [
        Lifting::Preconditions,
        Lifting::Interpolation,
        Lifting::WeakestInterpolant,
    ] {
        let options = Options {
            max_bound: 12,
            forward_condition: Frequency::EveryBound,
            step_case: Frequency::EveryBound,
            first_step_case: false,
            property_directed: true,
            obligations: u32::MAX,
            obligation_bound: u32::MAX,
            direction: Order::Eager,
            lifting,
            joint_obligations: false,
            ..Options::default()
        };
        // For the second one, a greater k may be enough before its obligations are proved.
        for (body, learns) in [(EQUAL_SUMS, true), (CHAIN, false)] {
            let (answer, learned) = directed_by(body, &options);
            assert!(matches!(answer, Answer::Safe(_)), "{answer:?} {learned:?}");
            assert!(!learned.is_empty() || !learns, "{body}");
        }
        let (answer, _) = directed_by(LATE, &options);
        assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
    }
}

/// Runs a test on the induction of a program at k = 1.
fn with_induction<R>(
    body: &str,
    test: impl FnOnce(&mut KInduction<'_>, &Blocks, &mut Context<'_>) -> R,
) -> R {
    let lowered = program(body);
    let blocks = blocks(simplify(&lowered).program);
    Setting::of(&lowered).run(|context| {
        let mut base = BaseCases::new(Unrolling::new(&blocks, Start::Entry, z3()));
        let mut step = StepCase::new(Unrolling::new(&blocks, Start::AnyCutPoint, z3()));
        assert!(base.unrolling().extend(1, context.token) && step.extend(1, context));
        let mut induction = KInduction {
            base: &mut base,
            step: &mut step,
            k: 1,
            limit: Duration::from_secs(20),
        };
        test(&mut induction, &blocks, context)
    })
}

/// Builds a candidate over the variables with these names at the only loop.
fn at_loop(blocks: &Blocks, names: &[&str], formula: impl Fn(&[TermId]) -> TermId) -> Candidate {
    let program = blocks.inlined().program();
    let variable = |name: &&str| {
        let mut all = program.variables.iter();
        let found = all.find(|variable| variable.symbol.name() == format!("main::{name}"));
        store().variable(found.expect("a variable").symbol)
    };
    let variables: Vec<TermId> = names.iter().map(variable).collect();
    Candidate {
        at: crate::unrolling::inner_cut_points(blocks)[0],
        formula: formula(&variables),
    }
}

#[test]
fn only_inductive_candidates_are_proved() {
    with_induction(EQUAL_SUMS, |induction, blocks, context| {
        let right = at_loop(blocks, &["y", "z"], |v| store().eq(v[0], v[1]));
        assert!(matches!(
            induction.prove(&[right], context),
            Attempt::Proved(proved) if proved.invariants() == [right] && proved.k() == 1
        ));
        let false_at_once = at_loop(blocks, &["y", "z"], |v| store().ne(v[0], v[1]));
        assert!(matches!(
            induction.prove(&[false_at_once], context),
            Attempt::Violated { steps: 1 }
        ));
        let false_later = at_loop(blocks, &["y"], |v| store().ne(v[0], store().bv(32, 77)));
        assert!(!matches!(
            induction.prove(&[right, false_later], context),
            Attempt::Proved(_)
        ));
    });
    let swapped = "unsigned n = __VERIFIER_nondet_uint(), x = n, y = n;
        while (__VERIFIER_nondet_uint()) { unsigned t = x; x = y; y = t; }
        if (x != n) reach_error();";
    with_induction(swapped, |induction, blocks, context| {
        let x = at_loop(blocks, &["x", "n"], |v| store().eq(v[0], v[1]));
        let y = at_loop(blocks, &["y", "n"], |v| store().eq(v[0], v[1]));
        assert!(matches!(
            induction.prove(&[x], context),
            Attempt::NotInductive { .. }
        ));
        assert!(matches!(
            induction.prove(&[x, y], context),
            Attempt::Proved(_)
        ));
    });
}

#[test]
fn lifted_states_all_lead_to_the_violation() {
    let branches = "unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), z = 0;
        while (__VERIFIER_nondet_uint()) {
            if (x > 10 && y < 5) z = 9;
            if (__VERIFIER_nondet_uint() == 7) y++;
        }
        if (z == 9) reach_error();";
    with_induction(branches, |induction, blocks, context| {
        let nine = store().bv(32, 9);
        let goal = at_loop(blocks, &["z"], |v| store().ne(v[0], nine));
        let attempt = induction.prove(&[goal], context);
        let Attempt::NotInductive { broken } = attempt else {
            panic!("{attempt:?}");
        };
        let limit = CheckLimit::default();
        let mut lifter = Lifter::new(Lifting::Preconditions, z3(), limit, context);
        let unrolling = induction.step.unrolling();
        let cube = lifter.lift(unrolling, broken, &|_| Vec::new()).unwrap();
        assert_eq!(cube.at, goal.at);
        // The cube is x > 10 and y < 5, without z and without values of the single state.
        let bound = |name: &str, low: u128, high: u128| {
            at_loop(blocks, &[name], |v| {
                let low = store().ult(store().bv(32, low), v[0]);
                store().and2(low, store().ult(v[0], store().bv(32, high)))
            })
        };
        let states = store().and(cube.literals.iter().copied());
        let mut solver = z3();
        for (part, low, high) in [("x", 10, u128::from(u32::MAX)), ("y", 0, 5)] {
            let inside = bound(part, low, high).formula;
            solver.push();
            solver.assert(states);
            assert_eq!(solver.check(&[inside]), regatta_solver::Answer::Satisfiable);
            solver.pop();
        }
        assert_eq!(cube.literals.len(), 2, "{}", to_smtlib(store(), states));
        // An interpolant may be any set in between: it has the model's state, and no state that does not lead there.
        let Attempt::NotInductive { broken } = induction.prove(&[goal], context) else {
            panic!("the same candidate is inductive now");
        };
        let mut lifter = Lifter::new(Lifting::Interpolation, z3(), limit, context);
        let unrolling = induction.step.unrolling();
        let cube = lifter.lift(unrolling, broken, &|_| Vec::new()).unwrap();
        assert_eq!(cube.at, goal.at);
        let set = store().and(cube.literals.iter().copied());
        for literal in conjuncts(store(), states) {
            let mut solver = z3();
            solver.assert(set);
            let outside = store().not(literal);
            assert_eq!(
                solver.check(&[outside]),
                regatta_solver::Answer::Unsatisfiable,
                "{}",
                to_smtlib(store(), set)
            );
        }
    });
}

/// The check behind the second loop needs an invariant, that of the third loop three steps, and the others one.
const ONE_IS_HARD: &str = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y, n = 0, c = __VERIFIER_nondet_uint(), p, q;
    while (__VERIFIER_nondet_uint()) x++;
    if (x > 4) y = x; else y = 4;
    if (y < 4) reach_error();
    while (__VERIFIER_nondet_uint()) { n++; if (n == 40) n = 0; }
    if (n == 41) reach_error();
    p = c; q = c;
    while (__VERIFIER_nondet_uint()) {
        if (p != c) reach_error();
        p = q; q = c;
    }
    if (x > 7) y = x; else y = 7;
    if (y < 7) reach_error();
    return 0;
}";

#[test]
fn a_check_that_is_hard_is_in_nobodys_way() {
    for property_directed in [false, true] {
        let options = Options {
            max_bound: 4,
            property_directed,
            // Nothing is learned in no time.
            obligations: 1,
            ..Options::default()
        };
        let (left, confirmed, refused) = left_open(ONE_IS_HARD, &options);
        if !property_directed {
            assert_eq!(left, [9]);
        }
        assert!(
            !left.contains(&7) && !left.contains(&12) && !left.contains(&16),
            "{left:?}"
        );
        assert!(confirmed > 0);
        assert_eq!(refused, 0);
    }
}

/// Both the second check and the fourth are violated, the one in the first round of a loop, the other in one step.
#[test]
fn what_is_reached_is_not_excluded() {
    let text = ONE_IS_HARD
        .replace("if (y < 7)", "if (y < 8)")
        .replace("n == 41", "n == 1");
    let options = Options {
        max_bound: 4,
        ..Options::default()
    };
    let (left, _, refused) = left_open(&text, &options);
    assert!(left.contains(&9) && left.contains(&16), "{left:?}");
    assert_eq!(refused, 0);
}

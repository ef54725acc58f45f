//! Tests of bounded model checking and k-induction on programs made by hand and at random.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::base_case::{BaseCase, BaseCases};
use super::fault::{self, Fault};
use super::{Start, Unrolling};
use crate::engine::{Engine as _, Subject};
use crate::testing::{Setting, blocks, default_solver};
use crate::{Answer, CancellationToken, Progress, bmc, k_induction};
use regatta_certify::certificate::ProofStep;
use regatta_certify::{Budget, Check, check};
use regatta_program::testing::{Machine, Outcome, Recursion, random_program};
use regatta_program::{LocationId, Program, ProgramBuilder, simplify};
use regatta_sharing::{Bounded, Exchange};
use regatta_term::{Build, Sort, store};

const INT: Sort = Sort::BitVec(32);

#[derive(Copy, Clone)]
enum Engine {
    Bmc,
    KInduction,
    /// k-induction with property direction.
    Kipdr,
}

const ALL: [Engine; 3] = [Engine::Bmc, Engine::KInduction, Engine::Kipdr];

fn run(engine: Engine, program: &Program, bound: u32) -> Answer {
    run_reported(engine, program, bound, &|_| {})
}

fn run_reported(
    engine: Engine,
    program: &Program,
    bound: u32,
    report: &dyn Fn(Progress),
) -> Answer {
    run_cancellable(engine, program, bound, report, &CancellationToken::new())
}

fn run_cancellable(
    engine: Engine,
    program: &Program,
    bound: u32,
    report: &dyn Fn(Progress),
    token: &CancellationToken,
) -> Answer {
    let blocks = blocks(program.clone());
    let setting = Setting {
        token: token.clone(),
        report,
        ..Setting::of(program)
    };
    let subject = Subject::of(&blocks, &default_solver);
    let report = setting.run(|context| match engine {
        Engine::Bmc => {
            let options = bmc::Options {
                max_bound: bound,
                ..bmc::Options::default()
            };
            options.run(&subject, context)
        }
        Engine::KInduction | Engine::Kipdr => {
            let options = k_induction::Options {
                max_bound: bound,
                property_directed: matches!(engine, Engine::Kipdr),
                ..k_induction::Options::default()
            };
            options.run(&subject, context)
        }
    });
    report.answer
}

/// `while (nondet()) { x += 2; } if (x == bad) error;`
fn even_counter(bad: u128) -> Program {
    let mut b = ProgramBuilder::new();
    let (x, go) = (b.global("x", INT), b.global("go", Sort::Bool));
    let input = b.input("__VERIFIER_nondet_bool", Sort::Bool);
    b.assign(x, store().bv(32, 0));
    b.havoc(go, input);
    b.repeat_while(b.value(go), |b| {
        b.assign(x, store().add(b.value(x), store().bv(32, 2)));
        b.havoc(go, input);
    });
    b.error_unless(store().ne(b.value(x), store().bv(32, bad)));
    b.finish()
}

#[test]
fn a_violation_is_found_at_its_depth() {
    for engine in ALL {
        assert!(matches!(
            run(engine, &even_counter(20), 30),
            Answer::Unsafe(_)
        ));
        assert!(matches!(
            run(engine, &even_counter(20), 10),
            Answer::Unknown(_)
        ));
    }
}

#[test]
fn a_result_of_another_base_case_is_taken_if_it_is_about_the_same_blocks() {
    let program = even_counter(6);
    let (own, others) = (blocks(program.clone()), blocks(program.clone()));
    let errors: BTreeSet<LocationId> = program.errors.iter().copied().collect();
    // What is claimed is wrong, so that it shows whether it is believed.
    for (about, is_taken) in [(&own, true), (&others, false)] {
        let setting = Setting::of(&program);
        let subject = Subject::of(&own, &default_solver);
        let options = bmc::Options {
            max_bound: 10,
            ..bmc::Options::default()
        };
        let answer = setting.run(|context| {
            let token = CancellationToken::new();
            let other = Exchange::new(&setting.invariants, "other", &token);
            other.tell_bounded(Bounded::new(about, errors.clone(), 10));
            options.run(&subject, context).answer
        });
        let is_found = matches!(answer, Answer::Unsafe(_));
        assert_eq!(is_found, !is_taken, "{answer:?}");
    }
}

#[test]
fn parity_needs_an_invariant() {
    // For any k, x may be odd at the loop head in the step case.
    for engine in [Engine::Bmc, Engine::KInduction] {
        assert!(matches!(
            run(engine, &even_counter(21), 15),
            Answer::Unknown(_)
        ));
    }
    match run(Engine::Kipdr, &even_counter(21), 15) {
        Answer::Safe(certificate) => assert!(matches!(
            certificate.steps[..],
            [ProofStep::Inductive { .. }, ProofStep::Safety { .. }]
        )),
        other => panic!("{other:?}"),
    }
}

/// A flag that returns to its value after two iterations: the property is 2-inductive, not 1-inductive.
fn alternating() -> Program {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let (zero, one) = (store().bv(32, 0), store().bv(32, 1));
    b.assign(x, zero);
    b.assign(y, one);
    b.repeat_while(store().boolean(true), |b| {
        b.error_unless(store().ne(b.value(x), store().bv(32, 7)));
        let old = b.value(y);
        b.assign(y, store().sub(one, store().sub(one, b.value(x))));
        b.assign(x, store().bvand(old, one));
    });
    b.finish()
}

#[test]
fn k_induction_raises_k() {
    match run(Engine::KInduction, &alternating(), 10) {
        Answer::Safe(certificate) => {
            assert!(matches!(
                certificate.steps[..],
                [ProofStep::Safety { k: 2 | 3, .. }]
            ));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        run(Engine::Bmc, &alternating(), 10),
        Answer::Unknown(_)
    ));
}

#[test]
fn bounded_loops_are_proved_by_unrolling() {
    let mut b = ProgramBuilder::new();
    let (i, n) = (b.global("i", INT), b.global("n", INT));
    let input = b.input("__VERIFIER_nondet_int", INT);
    b.havoc(n, input);
    b.assume(store().ult(b.value(n), store().bv(32, 6)));
    b.assign(i, store().bv(32, 0));
    b.repeat_while(store().ult(b.value(i), b.value(n)), |b| {
        b.assign(i, store().add(b.value(i), store().bv(32, 1)));
    });
    b.error_unless(store().eq(b.value(i), b.value(n)));
    match run(Engine::Bmc, &b.finish(), 50) {
        Answer::Safe(certificate) => {
            assert!(matches!(
                certificate.steps[..],
                [ProofStep::Unrolling { bound: 6..=9 }]
            ));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_cancelled_engine_stops() {
    let blocks = blocks(even_counter(21));
    let token = CancellationToken::new();
    let setting = Setting {
        token: token.clone(),
        report: &|_| token.cancel(),
        ..Setting::default()
    };
    let options = bmc::Options::default();
    let subject = Subject::of(&blocks, &default_solver);
    let report = setting.run(|context| options.run(&subject, context));
    assert!(matches!(report.answer, Answer::Unknown(_)));
}

/// `while (nondet()) { check x; x += 2 * nondet(); }`
fn checked_in_the_loop(bad: u128) -> Program {
    let mut b = ProgramBuilder::new();
    let (x, go) = (b.global("x", INT), b.global("go", Sort::Bool));
    let input = b.input("__VERIFIER_nondet_bool", Sort::Bool);
    b.assign(x, store().bv(32, 0));
    b.havoc(go, input);
    b.repeat_while(b.value(go), |b| {
        let odd = store().bvand(b.value(x), store().bv(32, 1));
        b.error_unless(store().eq(odd, store().bv(32, 0)));
        b.error_unless(store().ne(b.value(x), store().bv(32, bad)));
        let step = b.input("__VERIFIER_nondet_int", INT);
        let amount = b.global("amount", INT);
        b.havoc(amount, step);
        b.assign(
            x,
            store().add(b.value(x), store().mul(b.value(amount), store().bv(32, 2))),
        );
        b.havoc(go, input);
    });
    b.finish()
}

#[test]
fn queries_about_last_steps_replace_queries_about_whole_paths() {
    // The checks of the unrolling's own solver up to the bound, and whether a violation was found.
    let checks = |bad: u128, with_last_steps: bool| {
        let program = checked_in_the_loop(bad);
        let blocks = blocks(program.clone());
        let unrolling = Unrolling::new(&blocks, Start::Entry, default_solver().expect("a solver"));
        let mut base = BaseCases::new(unrolling);
        if with_last_steps {
            base = base.with_last_steps(None);
        }
        let found = Setting::of(&program).run(|context| base.search(8, context));
        let violated = matches!(found, Some((_, BaseCase::Violated(_))));
        (base.unrolling().solver().statistics().checks, violated)
    };
    // An odd number is excluded by the last steps, so that only the forward condition queries the whole path.
    let (with, violated) = checks(7, true);
    let (without, _) = checks(7, false);
    assert!(!violated && with < without, "{with} {without}");
    // An even number is not, and the violation is found all the same.
    assert!(checks(8, true).1);
}

/// A factorisation that takes a solver much longer than the test waits.
fn factors() -> Program {
    let mut b = ProgramBuilder::new();
    let sort = Sort::BitVec(64);
    let (x, y) = (b.global("x", sort), b.global("y", sort));
    for variable in [x, y] {
        let input = b.input("__VERIFIER_nondet_ulong", sort);
        b.havoc(variable, input);
        b.assume(store().ult(b.value(variable), store().bv(64, 1 << 32)));
        b.assume(store().ult(store().bv(64, 1), b.value(variable)));
    }
    // The square of a prime, so that there is one solution.
    let product = store().mul(b.value(x), b.value(y));
    b.error_unless(store().ne(product, store().bv(64, 4_294_967_291 * 4_294_967_291)));
    b.finish()
}

#[test]
fn cancelling_interrupts_a_solver_in_the_middle_of_a_check() {
    for engine in ALL {
        let program = factors();
        let token = CancellationToken::new();
        let canceller = token.clone();
        let begin = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                canceller.cancel();
            });
            let answer = run_cancellable(engine, &program, 10, &|_| {}, &token);
            assert!(!matches!(answer, Answer::Safe(_)));
        });
        // Z3 reacts to interrupts late, by seconds.
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
}

/// Planted faults make engines claim proofs, which the checker does not confirm; the error `x == 20` is reached.
#[test]
fn proofs_by_faulty_steps_are_not_confirmed() {
    for fault in [
        Fault::TargetsMissed,
        Fault::FrontierLost,
        Fault::StepCaseHolds,
    ] {
        for engine in ALL {
            let lowered = even_counter(20);
            let simplified = simplify(&lowered);
            fault::PLANTED.set(Some(fault));
            let answer = run(engine, &simplified.program, 5);
            fault::PLANTED.set(None);
            let Answer::Safe(certificate) = answer else {
                // The fault is in another engine, or has no effect within the bound.
                assert!(
                    matches!(answer, Answer::Unknown(_)),
                    "{fault:?}: {answer:?}"
                );
                continue;
            };
            let outcome = check(
                &lowered,
                &simplified,
                &certificate,
                Budget::of(Duration::from_secs(20)),
            );
            assert_ne!(outcome, Check::Confirmed, "{fault:?}");
        }
    }
    // The faults do lead to wrong proofs.
    for (fault, engine) in [
        (Fault::FrontierLost, Engine::Bmc),
        (Fault::StepCaseHolds, Engine::KInduction),
    ] {
        fault::PLANTED.set(Some(fault));
        let answer = run(engine, &even_counter(20), 5);
        fault::PLANTED.set(None);
        assert!(matches!(answer, Answer::Safe(_)), "{fault:?}: {answer:?}");
    }
}

#[test]
fn proofs_by_missed_targets_are_not_confirmed() {
    // All executions end soon, one of them in the error.
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let input = b.input("__VERIFIER_nondet_int", INT);
    b.havoc(x, input);
    b.error_unless(store().ne(b.value(x), store().bv(32, 7)));
    let lowered = b.finish();
    let simplified = simplify(&lowered);
    fault::PLANTED.set(Some(Fault::TargetsMissed));
    let answer = run(Engine::Bmc, &simplified.program, 5);
    fault::PLANTED.set(None);
    let Answer::Safe(certificate) = answer else {
        panic!("{answer:?}");
    };
    let outcome = check(
        &lowered,
        &simplified,
        &certificate,
        Budget::of(Duration::from_secs(20)),
    );
    assert_ne!(outcome, Check::Confirmed);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// No engine contradicts a concrete run, and short violations are found.
    #[test]
    fn engines_agree_with_runs(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        for recursion in [Recursion::Excluded, Recursion::Allowed] {
            let program = random_program(&bytes, recursion);
            let mut outcomes = Vec::new();
            let mut soon = false;
            for seed in 0..24 {
                outcomes.push(Machine::new(&program, seed).run(3000));
                soon |= matches!(Machine::new(&program, seed).run(12), Outcome::Error(_));
            }
            let violated = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Error(_)));
            let unknown = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Unsupported(_)));
            for engine in ALL {
                let aside = RefCell::new(Vec::new());
                let answer = run_reported(engine, &program, 12, &|progress| {
                    if let Progress::LeftAside { reason } = progress {
                        aside.borrow_mut().push(reason);
                    }
                });
                let aside = aside.into_inner();
                // The alarm may be no violation of the C program, but its inputs are those of a run to the error.
                prop_assert!(!aside.iter().any(|reason| reason.contains("elsewhere")), "{:?}", aside);
                let handles = matches!(engine, Engine::Bmc) || recursion == Recursion::Excluded;
                if soon && handles && aside.is_empty() {
                    prop_assert!(matches!(answer, Answer::Unsafe(_)), "{:?}", answer);
                }
                prop_assert!(!(matches!(answer, Answer::Safe(_)) && (violated || unknown)), "{:?}", answer);
            }
        }
    }
}

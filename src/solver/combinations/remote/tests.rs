//! Tests in which the server is a thread instead of a process.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use num_bigint::BigInt;
use rand::RngExt;

use super::wire::{Frame, Interruption, Reply, Request, receive, send};
use super::{RemoteSolver, Streams, serve};
use crate::limits::INTERRUPT_TIMEOUT;
use crate::unit_tests::contract;
use crate::{Answer, CheckLimit, Reason, Solver, SolverConfig, SolverError, new_solver};
use regatta_term::random::{RandomTerms, seeds};
use regatta_term::{
    Arena, Build, Exporter, FloatFormat, FloatValue, ScalarSort, Sort, Symbol, TermId, Value,
};

type Made = Result<Box<dyn Solver>, SolverError>;

fn remote(make: impl FnOnce(Rc<Arena>) -> Made + Send + 'static) -> RemoteSolver {
    let start = || {
        let (ours, theirs) = Streams::pair()?;
        thread::spawn(move || serve(theirs, make));
        Ok(ours)
    };
    RemoteSolver::new(Rc::default(), Box::new(start))
}

fn z3() -> RemoteSolver {
    remote(|arena| new_solver(SolverConfig::default(), arena))
}

#[test]
fn models_cores_and_scopes() {
    contract::models_cores_and_scopes(&mut z3());
}

#[test]
fn limits_and_interrupts_end_a_check() {
    let product = 0xb7e1_5162_8aed_2a6b * 0x9e37_79b9_7f4a_7c15;
    let mut solver = z3();
    let large = contract::limits_and_interrupts_end_a_check(&mut solver, product);
    assert_eq!(solver.check(&[large]), Answer::Unsatisfiable);
    assert_eq!(solver.unsat_core(), [large]);
    solver.pop();
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
}

/// A remote solver gives the same answers as a local one, whatever was asked before.
#[test]
fn the_same_answers_as_without() {
    for seed in 0..seeds(8) {
        let t = Rc::new(Arena::new());
        let start = || {
            let (ours, theirs) = Streams::pair()?;
            thread::spawn(move || {
                serve(theirs, |arena| new_solver(SolverConfig::default(), arena))
            });
            Ok(ours)
        };
        let mut remote = RemoteSolver::new(Rc::clone(&t), Box::new(start));
        let mut direct = new_solver(SolverConfig::default(), Rc::clone(&t)).expect("Z3");
        let mut random = RandomTerms::seeded(&t, seed);
        for _ in 0..20 {
            match random.choices.random_range(0..5) {
                0 => {
                    remote.push();
                    direct.push();
                }
                1 => {
                    remote.pop();
                    direct.pop();
                }
                _ => {
                    let formula = random.boolean(3);
                    remote.assert(formula);
                    direct.assert(formula);
                }
            }
            let assumption = random.boolean(2);
            let expected = direct.check(&[assumption]);
            assert_eq!(remote.check(&[assumption]), expected, "seed {seed}");
            if expected == Answer::Satisfiable {
                assert_eq!(remote.value(assumption), Some(Value::Bool(true)));
                let asked = [TermId::FALSE, assumption, t.not(assumption), TermId::TRUE];
                assert_eq!(remote.holding(&asked), [false, true, false, true]);
            } else {
                assert_eq!(remote.values(&[assumption; 2]), [None, None]);
            }
        }
    }
}

/// Values of every sort are transmitted.
#[test]
fn values() {
    let mut solver = z3();
    let t = Rc::clone(solver.arena());
    let index = ScalarSort::BitVec(8);
    let sort = Sort::Array {
        index,
        element: ScalarSort::Int,
    };
    let array = t.variable(Symbol::new("remote::array", sort));
    let float = t.variable(Symbol::new("remote::float", Sort::Float(FloatFormat::F64)));
    let half = Value::Float(FloatValue::from_bits(FloatFormat::F64, 0x3fe0 << 48));
    let large = Value::int(BigInt::from(7).pow(90));
    solver.assert(t.eq(t.select(array, t.bv(8, 3)), t.value(&large)));
    solver.assert(t.eq(float, t.value(&half)));
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
    assert_eq!(solver.value(float), Some(half));
    let Some(Value::Array(value)) = solver.value(array) else {
        panic!("no array");
    };
    assert_eq!(*value.select(&Value::bit_vec(8, 3)), large);
}

/// A remote solver whose server is an arbitrary function.
fn with(other: impl FnOnce(UnixStream) + Send + 'static) -> RemoteSolver {
    let start = || {
        let (ours, theirs) = Streams::pair()?;
        thread::spawn(move || other(theirs.questions));
        Ok(ours)
    };
    RemoteSolver::new(Rc::default(), Box::new(start))
}

#[test]
fn a_process_that_is_lost_leaves_everything_open() {
    let dead: [RemoteSolver; 5] = [
        with(drop),
        with(|stream| {
            send(&stream, &Reply::Here { thread: 0 }).expect("sent");
            (&stream).write_all(&u64::MAX.to_ne_bytes()).expect("sent");
        }),
        with(|stream| {
            (&stream)
                .write_all(&[9, 0, 0, 0, 0, 0, 0, 0, 1, 2])
                .expect("sent")
        }),
        remote(|_| panic!("expected by the test")),
        RemoteSolver::new(Rc::default(), Box::new(|| Err(ErrorKind::NotFound.into()))),
    ];
    for mut solver in dead {
        solver.push();
        for _ in 0..2 {
            let answer = solver.check(&[TermId::TRUE]);
            assert!(
                matches!(answer, Answer::Unknown(Reason::Incomplete(_))),
                "{answer:?}"
            );
            assert_eq!(solver.value(TermId::TRUE), None);
        }
        solver.pop();
    }
}

/// Interruptions do not wait behind questions. One that arrives before its question ends it all the same; the next
/// question is answered.
#[test]
fn an_interruption_may_overtake_its_question() {
    let (asks, answers) = Streams::pair().expect("streams");
    let server =
        thread::spawn(|| serve(answers, |arena| new_solver(SolverConfig::default(), arena)));
    send(&asks.interruptions, &Interruption { check: 1 }).expect("sent");
    thread::sleep(Duration::from_millis(50));
    let ask = || {
        let check = Request::Check {
            assumptions: Vec::new(),
            limit: CheckLimit::default(),
        };
        let frame = Frame {
            terms: Exporter::default().take(),
            requests: vec![check],
        };
        send(&asks.questions, &frame).expect("sent");
        loop {
            match receive(&asks.questions, || true).expect("an answer") {
                Reply::Checked { answer, .. } => return answer,
                Reply::Here { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    };
    assert_eq!(ask(), Answer::Unknown(Reason::Interrupted));
    assert_eq!(ask(), Answer::Satisfiable);
    asks.hang_up();
    assert!(server.join().expect("no panic").is_ok());
}

/// A reply with values of too few terms is ignored.
#[test]
fn values_that_are_missing_are_none() {
    let mut solver = with(|stream| {
        let checked = Reply::Checked {
            answer: Answer::Satisfiable,
            core: Vec::new(),
        };
        for reply in [checked, Reply::Values(vec![Some(Value::Bool(true))])] {
            let _: Frame = receive(&stream, || true).expect("a question");
            send(&stream, &reply).expect("sent");
        }
    });
    assert_eq!(solver.check(&[]), Answer::Satisfiable);
    assert_eq!(solver.values(&[TermId::TRUE, TermId::FALSE]), [None, None]);
}

/// A process that neither answers nor reacts to interruptions is given up soon after it was interrupted.
#[test]
fn a_process_that_does_not_react_is_given_up() {
    let mut solver = with(|stream| {
        let mut all = Vec::new();
        (&stream).read_to_end(&mut all).expect("read");
    });
    let interrupter = solver.interrupter();
    let begin = Instant::now();
    let answer = thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(50));
            interrupter.interrupt();
        });
        solver.check(&[TermId::TRUE])
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    assert!(begin.elapsed() < 20 * INTERRUPT_TIMEOUT);
}

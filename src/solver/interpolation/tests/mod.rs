use std::rc::Rc;
use std::time::{Duration, Instant};

pub(super) mod random_sequences;

use super::*;
use crate::{Answer, Solver, SolverConfig, new_solver};
use random_sequences::{Class, Owned, RandomSequences};
use regatta_base::workers::Workers;
use regatta_term::random::seeds;
use regatta_term::{Build, Sort, Symbol, TermKind, for_each_subterm, to_smtlib};

/// An interpolator with a time limit for a busy machine.
fn interpolator(choice: Choice, arena: &Rc<Arena>) -> Box<dyn Interpolator> {
    let config = InterpolationConfig {
        choice,
        horn_time: Duration::from_secs(30),
        ..InterpolationConfig::default()
    };
    new_interpolator(config, Rc::clone(arena)).unwrap()
}

fn solver(arena: &Rc<Arena>) -> Box<dyn Solver> {
    new_solver(SolverConfig::default(), Rc::clone(arena)).unwrap()
}

fn is_unsatisfiable(solver: &mut dyn Solver, formulas: &[TermId]) -> bool {
    solver.push();
    for &formula in formulas {
        solver.assert(formula);
    }
    let answer = solver.check(&[]);
    solver.pop();
    answer == Answer::Unsatisfiable
}

/// Checks the definition of interpolants by another solver.
fn assert_interpolants(arena: &Rc<Arena>, sequence: &Owned, interpolants: &[TermId]) {
    assert_eq!(interpolants.len(), sequence.cuts.len());
    for (&interpolant, cut) in interpolants.iter().zip(&sequence.cuts) {
        for_each_subterm(&**arena, [interpolant], |term, kind| {
            if matches!(kind, TermKind::Variable { .. }) {
                assert!(cut.contains(&term), "{}", to_smtlib(&**arena, interpolant));
            }
        });
    }
    let mut solver = solver(arena);
    let mut before = TermId::TRUE;
    let after = interpolants.iter().copied().chain([TermId::FALSE]);
    for (&formula, after) in sequence.formulas.iter().zip(after) {
        let step = [before, formula, arena.not(after)];
        assert!(
            is_unsatisfiable(&mut *solver, &step),
            "{}",
            to_smtlib(&**arena, after)
        );
        before = after;
    }
}

impl Owned {
    fn borrowed(&self) -> Sequence<'_> {
        Sequence {
            formulas: &self.formulas,
            cuts: &self.cuts,
        }
    }
}

/// Checks that the required number of fifty random sequences of each class is answered, and that every answer is right. With
/// workers, SPACER runs in parallel from the beginning.
fn answers(choice: Choice, workers: &Workers, required: [usize; 4]) {
    for (class, required) in Class::ALL.into_iter().zip(required) {
        let count = seeds(50);
        let (mut asked, mut answered, mut time) = (0, 0, Duration::ZERO);
        let mut seed = 0;
        while asked < count {
            seed += 1;
            let arena = Rc::new(Arena::new());
            let mut random = RandomSequences::new(&arena, class, seed);
            let mut solver = solver(&arena);
            let found = random.sequence(|formulas| is_unsatisfiable(&mut *solver, formulas));
            let Some(sequence) = found else {
                continue;
            };
            asked += 1;
            let config = InterpolationConfig {
                choice,
                ..InterpolationConfig::default()
            };
            let interpolator = Interpolators::new(config, self::solver(&arena));
            let mut interpolator = interpolator.with_workers(workers);
            interpolator.delay = Duration::ZERO;
            let begin = Instant::now();
            let answer = interpolator.interpolate(sequence.borrowed());
            time += begin.elapsed();
            match answer {
                Interpolation::Interpolants(interpolants) => {
                    answered += 1;
                    assert_interpolants(&arena, &sequence, &interpolants);
                }
                Interpolation::Satisfiable => panic!("{class:?}, seed {seed}: satisfiable"),
                Interpolation::Unknown(reason) => println!("{class:?}, seed {seed}: {reason:?}"),
            }
        }
        println!("{choice:?}, {class:?}: {answered} of {count} in {time:?}");
        let required = required as u64 * count / 50;
        assert!(
            answered >= required,
            "{choice:?}, {class:?}: {answered} of {count}"
        );
    }
}

#[test]
fn conditions_answer_random_sequences() {
    answers(Choice::Conditions, &Workers::none(), [48, 48, 45, 45]);
}

#[test]
fn clauses_answer_random_sequences() {
    answers(Choice::Horn, &Workers::none(), [42, 38, 38, 32]);
}

#[test]
fn both_side_by_side_answer_random_sequences() {
    answers(Choice::Best, &Workers::fixed(1), [48, 48, 45, 45]);
}

/// A parallel search does not exceed the time limit of a sequence.
#[test]
fn a_search_keeps_to_the_limit() {
    let limit = Duration::from_millis(200);
    let mut searches = 0;
    for seed in 0..seeds(60) {
        let arena = Rc::new(Arena::new());
        let mut random = RandomSequences::new(&arena, Class::ALL[seed as usize % 4], seed);
        let mut solver = solver(&arena);
        let found = random.sequence(|formulas| is_unsatisfiable(&mut *solver, formulas));
        let Some(sequence) = found else {
            continue;
        };
        let config = InterpolationConfig {
            choice: Choice::Best,
            horn_time: Duration::from_secs(60),
            ..InterpolationConfig::default()
        };
        let interpolator = Interpolators::new(config, solver);
        let mut interpolator = interpolator.with_workers(&Workers::fixed(1));
        interpolator.delay = Duration::ZERO;
        interpolator.set_limit(CheckLimit {
            time: Some(limit),
            resource: None,
        });
        let begin = Instant::now();
        interpolator.interpolate(sequence.borrowed());
        let took = begin.elapsed();
        // With time for a busy machine.
        assert!(took < limit + Duration::from_secs(5), "{seed}: {took:?}");
        searches += 1;
    }
    assert!(searches > 10);
}

/// Two counters that start at zero, are increased together, and differ at the end.
fn running_example(arena: &Arena, sort: Sort, rounds: u32) -> Owned {
    let t = arena;
    let at = |name: &str, step: u32| t.variable_at(Symbol::new(name, sort), step);
    let number = |value: i64| match sort {
        Sort::Int => t.int(value),
        _ => t.bv(32, value as u128),
    };
    let add = |a, b| match sort {
        Sort::Int => t.int_add(a, b),
        _ => t.add(a, b),
    };
    let names = ["example::x", "example::y"];
    let mut formulas = vec![t.and(names.map(|name| t.eq(at(name, 1), number(0))))];
    for step in 1..=rounds {
        let up = names.map(|name| t.eq(at(name, step + 1), add(at(name, step), number(1))));
        formulas.push(t.and(up));
    }
    let cuts = (1..=rounds + 1).map(|step| names.map(|name| at(name, step)).to_vec());
    let cuts = cuts.collect();
    formulas.push(t.ne(at(names[0], rounds + 1), at(names[1], rounds + 1)));
    Owned { formulas, cuts }
}

#[test]
fn the_running_example_is_an_equality_at_each_cut() {
    for sort in [Sort::Int, Sort::BitVec(32)] {
        for choice in [Choice::Conditions, Choice::Horn, Choice::Best] {
            let arena = Rc::new(Arena::new());
            let sequence = running_example(&arena, sort, 5);
            let mut interpolator = interpolator(choice, &arena);
            let answer = interpolator.interpolate(sequence.borrowed());
            println!("{sort} {choice:?}: {:?}", interpolator.statistics().time);
            let Interpolation::Interpolants(interpolants) = answer else {
                panic!("{sort}, {choice:?}: {answer:?}");
            };
            assert_interpolants(&arena, &sequence, &interpolants);
            for (&interpolant, cut) in interpolants.iter().zip(&sequence.cuts) {
                println!("{}", to_smtlib(&*arena, interpolant));
                let equal = arena.eq(cut[0], cut[1]);
                let differ = arena.xor(interpolant, equal);
                assert!(
                    is_unsatisfiable(&mut *solver(&arena), &[differ]),
                    "{sort}, {choice:?}"
                );
            }
        }
    }
}

#[test]
fn a_satisfiable_sequence_has_a_model() {
    let arena = Rc::new(Arena::new());
    let mut sequence = running_example(&arena, Sort::BitVec(32), 3);
    let last = sequence.formulas.len() - 1;
    sequence.formulas[last] = arena.not(sequence.formulas[last]);
    for choice in [Choice::Conditions, Choice::Horn] {
        let mut interpolator = interpolator(choice, &arena);
        let answer = interpolator.interpolate(sequence.borrowed());
        assert_eq!(answer, Interpolation::Satisfiable);
        let value = interpolator.value(sequence.cuts[3][0]);
        assert_eq!(value, Some(Value::bit_vec(32, 3)));
        assert_eq!(interpolator.statistics().satisfiable, 1);
    }
}

#[test]
fn a_single_formula_has_no_cut() {
    let arena = Rc::new(Arena::new());
    let sequence = Owned {
        formulas: vec![TermId::FALSE],
        cuts: Vec::new(),
    };
    let mut interpolator = interpolator(Choice::ConditionsFirst, &arena);
    let answer = interpolator.interpolate(sequence.borrowed());
    assert_eq!(answer, Interpolation::Interpolants(Vec::new()));
}

/// A factorisation problem of 63 bits, which is hard to refute.
fn hard(arena: &Arena) -> Owned {
    let t = arena;
    let [x, y, z] = ["hard::x", "hard::y", "hard::z"]
        .map(|name| t.variable(Symbol::new(name, Sort::BitVec(64))));
    let factors = [x, y].map(|factor| {
        let small = t.ult(factor, t.bv(64, 1 << 32));
        t.and2(small, t.ult(t.bv(64, 1), factor))
    });
    let product = t.eq(z, t.mul(x, y));
    Owned {
        formulas: vec![
            t.and([factors[0], factors[1], product]),
            t.eq(z, t.bv(64, 0x7fff_ffff_ffff_ffe7)),
        ],
        cuts: vec![vec![z]],
    }
}

#[test]
fn limits_and_interrupts_end_it() {
    let arena = Rc::new(Arena::new());
    let sequence = hard(&arena);
    let mut interpolator = interpolator(Choice::ConditionsFirst, &arena);
    interpolator.set_limit(CheckLimit {
        time: Some(Duration::from_millis(50)),
        resource: None,
    });
    let answer = interpolator.interpolate(sequence.borrowed());
    assert_eq!(answer, Interpolation::Unknown(Reason::Limit));
    interpolator.set_limit(CheckLimit::default());
    let interrupter = interpolator.interrupter();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        interrupter.interrupt();
    });
    let answer = interpolator.interpolate(sequence.borrowed());
    assert_eq!(answer, Interpolation::Unknown(Reason::Interrupted));
    thread.join().unwrap();
    // The interpolator can be used again.
    let easy = running_example(&arena, Sort::Int, 2);
    let answer = interpolator.interpolate(easy.borrowed());
    assert!(matches!(answer, Interpolation::Interpolants(_)));
}

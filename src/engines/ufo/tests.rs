//! Proofs and refutations, the labels of the graph, and DAG interpolants.

use std::time::Instant;

use proptest::prelude::*;

use super::arg::NodeId;
use super::*;
use crate::testing::{Setting, assert_proved, blocks, default_solver, lowered, not_wrong};
use regatta_program::testing::{Recursion as Functions, random_program};
use regatta_program::{Program, simplify};

const POSTS: [Post; 3] = [Post::None, Post::Cartesian, Post::Boolean];
const SOURCES: [Source; 2] = [Source::Clauses, Source::Nodes];

fn with(post: Post, interpolants: Source) -> Options {
    Options {
        post,
        interpolants,
        ..Options::default()
    }
}

fn program(body: &str) -> String {
    format!(
        "extern void reach_error(void);
        extern unsigned __VERIFIER_nondet_uint(void);
        unsigned input(void) {{ return __VERIFIER_nondet_uint(); }}
        int main(void) {{ {body} return 0; }}"
    )
}

/// Runs the engine within the time.
fn run(text: &str, options: &Options, time: Duration) -> Answer {
    let lowered = lowered(text);
    let blocks = blocks(simplify(&lowered).program);
    let subject = Subject::of(&blocks, &default_solver);
    let setting = Setting::of(&lowered);
    let report = setting.run_within(time, |context| options.run(&subject, context));
    report.answer
}

/// A lock that is taken and given back in turns.
const LOCK: &str = "unsigned locked = 0, again;
    do {
        if (locked) reach_error();
        locked = 1;
        again = input();
        if (again) locked = 0;
    } while (again);
    if (!locked) reach_error();";

/// Two loops, of which the second needs what the first has done.
const TWO_LOOPS: &str = "unsigned x = 0, y = 0, z = 0;
    while (input()) { x++; y++; }
    while (input()) z = x - y;
    if (z != 0 || x != y) reach_error();";

/// A loop within a loop, entered with two modes.
const NESTED: &str = "unsigned mode = 0, open = 0;
    while (input()) {
        mode = 1 - mode;
        open = mode;
        while (input()) { open = 1 - open; if (input()) break; open = 1 - open; }
        if (open > 1) reach_error();
    }
    if (mode > 1) reach_error();";

#[test]
fn protocols_and_equal_counters_are_proved() {
    for post in POSTS {
        for source in SOURCES {
            for text in [LOCK, TWO_LOOPS, NESTED] {
                let options = with(post, source);
                assert_proved(&program(text), &options, &Setting::default(), true);
            }
        }
    }
}

#[test]
fn violations_are_replayed() {
    let sixth = "unsigned count = 0;
        while (input()) { count++; if (count == 6 && input() == 77) reach_error(); }";
    let behind = "unsigned x = 0, y = 0;
        while (input()) x++;
        while (input()) y++;
        if (x == 2 && y == 3 && input() > 5) reach_error();";
    for post in POSTS {
        for text in [sixth, behind] {
            let options = with(post, Source::ClausesFirst);
            let answer = run(&program(text), &options, Duration::from_secs(60));
            assert!(matches!(answer, Answer::Unsafe(_)), "{post:?}: {answer:?}");
        }
    }
}

/// The result of `sin` is not known, so that no run shows the violation, and there is no proof, either.
#[test]
fn what_no_run_shows_is_left_open() {
    let text = "extern void reach_error(void);
        extern double sin(double);
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned x = 0;
            while (__VERIFIER_nondet_uint()) { x = x + 2; if (sin(x) == 0.25) reach_error(); }
            return 0;
        }";
    for post in POSTS {
        let options = with(post, Source::ClausesFirst);
        assert_proved(text, &options, &Setting::of(&lowered(text)), false);
    }
}

#[test]
fn recursion_is_not_supported() {
    let text = "extern void reach_error(void);
        extern unsigned __VERIFIER_nondet_uint(void);
        unsigned same(unsigned n) { return n == 0 ? 0 : same(n - 1) + 1; }
        int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (same(n) != n) reach_error(); return 0; }";
    let Answer::Unknown(reason) = run(text, &Options::default(), Duration::from_secs(60)) else {
        panic!("an answer");
    };
    assert_eq!(reason, "the engine does not handle recursion");
}

#[test]
fn cancelling_interrupts_a_query() {
    // A prime is no product.
    let text = program(
        "unsigned a = input(), b = input(), n = input(), i = 0;
        while (i < n) { a ^= b; i++; }
        if (a > 1 && b > 1 && (unsigned long long)a * b == 4611686018427387847ull) reach_error();",
    );
    for source in SOURCES {
        let begin = Instant::now();
        let answer = run(
            &text,
            &with(Post::Boolean, source),
            Duration::from_millis(1500),
        );
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}

/// Takes the steps of the algorithm up to a number, and looks at the analysis after each exploration.
fn steps(
    lowered: &Program,
    options: &Options,
    count: usize,
    mut look: impl FnMut(&mut Ufo<'_>),
) -> Option<Answer> {
    let blocks = blocks(simplify(lowered).program);
    let places = Places::new(&blocks)?;
    let setting = Setting::of(lowered);
    setting.run_within(Duration::from_secs(10), |context| {
        let ufo = Ufo::new(options, &blocks, Rc::new(places), &default_solver, context);
        let mut ufo = ufo.expect("a solver");
        for _ in 0..count {
            let answer = ufo.step(context).expect("a solver");
            if context.token.is_cancelled() {
                break;
            }
            look(&mut ufo);
            if answer.is_some() {
                return answer;
            }
        }
        None
    })
}

/// What is behind both loops is reached by one node, which the paths of any number of iterations lead to.
#[test]
fn paths_join_behind_loops() {
    let lowered = lowered(&program(TWO_LOOPS));
    let blocks = blocks(lowered.clone());
    let places = Rc::new(Places::new(&blocks).expect("places"));
    let options = with(Post::None, Source::Clauses);
    Setting::of(&lowered).run(|context| {
        let ufo = Ufo::new(
            &options,
            &blocks,
            Rc::clone(&places),
            &default_solver,
            context,
        );
        let mut ufo = ufo.expect("a solver");
        ufo.step(context).expect("a solver");
        ufo.arg
            .explore(&mut ufo.domain, &|| false)
            .expect("not stopped");
        let dag = ufo.arg.dag().expect("an error is reached");
        assert_eq!(dag.nodes.first(), Some(&NodeId::ROOT));
        let mut incoming = vec![0; dag.nodes.len()];
        for &(_, to) in dag.leaving.iter().flatten() {
            incoming[to] += 1;
        }
        let joins = dag
            .nodes
            .iter()
            .zip(incoming)
            .filter(|&(_, count)| count > 1);
        let places: Vec<_> = joins.map(|(&node, _)| ufo.arg.place(node)).collect();
        assert!(
            places.iter().any(|&place| ufo.places.is_head(place)),
            "{places:?}"
        );
    });
}

/// An inner loop is left in other ways in a later exploration: labels must not outlive the edges for which they hold.
#[test]
fn labels_follow_one_another() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/engines/nested_product.c"
    ));
    let nested_product = text.expect("the program");
    for post in POSTS {
        for text in [program(NESTED), program(TWO_LOOPS), nested_product.clone()] {
            let options = with(post, Source::ClausesFirst);
            steps(&lowered(&text), &options, 8, |ufo| {
                let faulty = ufo.arg.ill_labelled(&mut ufo.domain);
                assert!(faulty.is_empty(), "{post:?}: {faulty:?} of {text}");
            });
        }
    }
}

#[test]
fn formulas_that_are_no_interpolants_are_refused() {
    let text = program(TWO_LOOPS);
    let mut asked = 0;
    for source in SOURCES {
        let options = with(Post::None, source);
        let lowered = lowered(&text);
        let blocks = blocks(simplify(&lowered).program);
        let places = Rc::new(Places::new(&blocks).expect("places"));
        Setting::of(&lowered).run(|context| {
            let ufo = Ufo::new(&options, &blocks, places, &default_solver, context);
            let mut ufo = ufo.expect("a solver");
            for _ in 0..2 {
                let explored = ufo.arg.explore(&mut ufo.domain, &|| false);
                explored.expect("not stopped");
                let dag = ufo.arg.dag().expect("an error is reached");
                let (arg, domain) = (&ufo.arg, &mut ufo.domain);
                let found = ufo.interpolator.interpolate(arg, &dag, domain, context);
                let found = found.expect("interpolants");
                assert_eq!(
                    (found[0], found.last()),
                    (TermId::TRUE, Some(&TermId::FALSE))
                );
                assert!(domain.reduced(arg, &dag, &found).is_some());
                // Each formula is needed: with `true` in the place of one, the others are no interpolants.
                for index in 1..found.len() - 1 {
                    let mut others = found.clone();
                    if std::mem::replace(&mut others[index], TermId::TRUE) != TermId::TRUE {
                        asked += 1;
                        assert_eq!(domain.reduced(arg, &dag, &others), None);
                    }
                }
                ufo.arg.strengthen(&dag, &found, &mut ufo.domain);
            }
        });
    }
    assert!(asked > 0);
}

#[test]
fn blocks_ascend_or_lead_back_to_a_head() {
    for text in [NESTED, TWO_LOOPS] {
        let blocks = blocks(lowered(&program(text)));
        let places = Places::new(&blocks).expect("places");
        let position = |place| places.order.iter().position(|&one| one == place);
        let mut closed = 0;
        for place in places.all() {
            for block in 0..places.leaving(place).len() {
                let (from, to) = (position(place), position(places.target(place, block)));
                let ends = places.closing.iter().zip(0..);
                let around = |(heads, end): (&Vec<usize>, usize)| {
                    heads.contains(&to.expect("ordered")) && Some(end) > from
                };
                let is_back = from >= to;
                closed += usize::from(is_back);
                assert!(!is_back || ends.clone().any(around), "{places:?}");
            }
        }
        assert!(closed >= 2);
        assert_eq!(places.order.last(), Some(&places.error()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_program_that_fails_is_proved(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        seed in 0u64..1000,
    ) {
        let lowered = random_program(&bytes, Functions::Excluded);
        let simplified = simplify(&lowered);
        let blocks = blocks(simplified.program.clone());
        for post in POSTS {
            for source in SOURCES {
                let options = with(post, source);
                let subject = Subject::of(&blocks, &default_solver);
                let setting = Setting::of(&lowered);
                let time = Duration::from_millis(500);
                let report = setting.run_within(time, |context| options.run(&subject, context));
                not_wrong(&lowered, &simplified, &report.answer, seed)?;
            }
            let mut faulty = Vec::new();
            steps(&lowered, &with(post, Source::Clauses), 4, |ufo| {
                faulty.extend(ufo.arg.ill_labelled(&mut ufo.domain));
            });
            prop_assert!(faulty.is_empty(), "{:?}", faulty);
        }
    }
}

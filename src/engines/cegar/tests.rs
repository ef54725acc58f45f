//! The four configurations of the Predicate CPA on the running example of \[BDW18\], and abstraction refinement on
//! small programs.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cegar::{BlockEnds, Generator, Options, PredicateSource};
use crate::engine::{Engine as _, Subject};
use crate::invariants::houdini::Houdini;
use crate::invariants::prover::Prover;
use crate::invariants::samples::Samples;
use crate::testing::{Setting, default_solver, lowered};
use crate::{Answer, CancellationToken, Context, Progress, impact, predicate_abstraction};
use regatta_base::workers::Workers;
use regatta_certify::certificate::{Certificate, ProofStep};
use regatta_certify::{Budget, Check, check};
use regatta_cpa::location::Place;
use regatta_cpa::predicate::PredicateCpa;
use regatta_cpa::{Composite, Reached, cpa_plus_plus};
use regatta_program::block::Blocks;
use regatta_program::{
    CutPointKind, InlinedProgram, LocationId, Program, ProgramBuilder, simplify,
};
use regatta_sharing::{Candidate, Publisher};
use regatta_term::{Arena, Build, Sort, TermId, store};

const INT: Sort = Sort::BitVec(32);

/// Figure 2: the program, its loop head, and the predicate x = y.
fn running_example() -> (Program, LocationId, TermId) {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let (zero, one, two) = (store().bv(32, 0), store().bv(32, 1), store().bv(32, 2));
    b.assign(x, zero);
    b.assign(y, zero);
    b.repeat_while(store().ult(b.value(x), two), |b| {
        b.assign(x, store().add(b.value(x), one));
        b.assign(y, store().add(b.value(y), one));
        b.error_unless(store().eq(b.value(x), b.value(y)));
    });
    let equal = store().eq(b.value(x), b.value(y));
    let program = b.finish();
    let inlined = InlinedProgram::new(Arc::new(program.clone()));
    let mut cut_points = inlined.cut_points().iter();
    let head = cut_points.find(|(_, kind)| matches!(kind, CutPointKind::LoopHead(_)));
    (program, head.expect("a loop").0, equal)
}

fn edge_by_edge(program: Program) -> Arc<Blocks> {
    Arc::new(Blocks::new(Arc::new(InlinedProgram::edge_by_edge(
        Arc::new(program),
    ))))
}

fn is_satisfiable(cpa: &mut Composite<PredicateCpa>, guard: TermId, arena: &Rc<Arena>) -> bool {
    let config = regatta_solver::SolverConfig::default();
    let mut solver = regatta_solver::new_solver(config, Rc::clone(arena)).expect("a solver");
    for equation in cpa.domain.definitions.since(0, guard) {
        solver.assert(equation);
    }
    solver.check(&[guard]) == regatta_solver::Answer::Satisfiable
}

/// The states of an unrolling from a location: location, number of steps, and whether the state is reachable.
fn unrolled(from: Option<LocationId>, bound: u32) -> Vec<(LocationId, u32, bool)> {
    let (program, _, _) = running_example();
    let blocks = edge_by_edge(program);
    let arena = Rc::new(Arena::new());
    let domain = PredicateCpa::new(Arc::clone(&blocks), Rc::clone(&arena));
    let mut cpa = Composite::new(Arc::clone(&blocks), domain);
    let mut place = blocks.inlined().entry();
    place.location = from.unwrap_or(place.location);
    let state = cpa.domain.initial(Place::At(place), TermId::TRUE);
    let state = cpa.initial(Place::At(place), state);
    let mut reached = Reached::new();
    reached.add(&cpa, state, ());
    cpa.loop_bound.raise(bound);
    cpa_plus_plus(&mut cpa, &mut reached, |_| false);
    let states: Vec<_> = reached.since(0).map(|(_, e)| e.state.clone()).collect();
    let mut all = Vec::new();
    for state in states {
        if let Place::At(at) = state.place {
            let guard = state.domain.formula.guard;
            let reached = is_satisfiable(&mut cpa, guard, &arena);
            all.push((at.location, state.steps, reached));
        }
    }
    all
}

/// Figure 5: with one unrolling the error is not reached, and the loop head is reached again.
#[test]
fn bmc_unrolls_the_running_example() {
    let (program, head, _) = running_example();
    let states = unrolled(None, 2);
    let at = |location| {
        let states = states.iter().filter(move |(at, ..)| *at == location);
        states.map(|&(_, _, reached)| reached).collect::<Vec<_>>()
    };
    assert_eq!(at(head), [true, true], "{states:?}");
    assert!(!at(program.errors[0]).contains(&true), "{states:?}");
}

/// Figure 6: from an arbitrary state at the loop head the error is reachable immediately, but not after a safe step.
#[test]
fn k_induction_needs_one_step() {
    let (program, head, _) = running_example();
    let states = unrolled(Some(head), 2);
    let errors = states.iter().filter(|(at, ..)| *at == program.errors[0]);
    let reached: Vec<bool> = errors.map(|&(_, _, reached)| reached).collect();
    assert_eq!(reached, [true, false], "{states:?}");
}

/// Figures 7 and 8: x = y at the loop head, and no other invariant.
#[test]
fn predicate_abstraction_and_impact_find_that_x_is_y() {
    let (program, head, equal) = running_example();
    for blocks in [
        edge_by_edge(program.clone()),
        crate::testing::blocks(program.clone()),
    ] {
        for engine in [Engine::PredicateAbstraction, Engine::Impact] {
            let (answer, refinements, _) = run(engine, BlockEnds::Loops, &blocks, &program);
            let Answer::Safe(certificate) = answer else {
                panic!("{engine:?}: {answer:?}");
            };
            assert!((1..=2).contains(&refinements), "{engine:?}: {refinements}");
            let ProofStep::Inductive { batch, .. } = &certificate.steps[0] else {
                panic!("{certificate:?}");
            };
            let said: Vec<(LocationId, TermId)> = batch
                .iter()
                .map(|(at, term)| (at.location, *term))
                .collect();
            assert_eq!(said, [(head, equal)], "{engine:?}");
        }
    }
}

#[derive(Copy, Clone, Debug)]
enum Engine {
    PredicateAbstraction,
    Impact,
}

impl Engine {
    fn run(self, options: Options, blocks: &Arc<Blocks>, context: &mut Context<'_>) -> Answer {
        let Options {
            blocks: ends,
            path_invariants,
            path_invariants_by,
            ..
        } = options;
        let subject = Subject::of(blocks, &default_solver);
        let report = match self {
            Self::PredicateAbstraction => {
                let options = predicate_abstraction::Options {
                    blocks: ends,
                    path_invariants,
                    path_invariants_by,
                    ..Default::default()
                };
                options.run(&subject, context)
            }
            Self::Impact => {
                let options = impact::Options {
                    blocks: ends,
                    path_invariants,
                    path_invariants_by,
                    ..Default::default()
                };
                options.run(&subject, context)
            }
        };
        report.answer
    }
}

fn interpolants_only(blocks: BlockEnds) -> Options {
    Options {
        blocks,
        path_invariants: Duration::ZERO,
        ..Options::default()
    }
}

/// Returns the answer, the number of counterexamples, and the number of states before the last of them.
fn run(
    engine: Engine,
    ends: BlockEnds,
    blocks: &Arc<Blocks>,
    program: &Program,
) -> (Answer, u32, usize) {
    let last = std::cell::Cell::new((0, 0));
    let report = |progress| {
        if let Progress::Refinement { number, states } = progress {
            last.set((number, states));
        }
    };
    let setting = Setting {
        report: &report,
        ..Setting::of(program)
    };
    let answer = setting.run(|context| engine.run(interpolants_only(ends), blocks, context));
    let (refinements, states) = last.get();
    (answer, refinements, states)
}

#[test]
fn invariants_of_other_engines_are_used() {
    let (program, head, equal) = running_example();
    let blocks = crate::testing::blocks(program.clone());
    let mut cut_points = blocks.cut_points().into_iter();
    let at = cut_points.find(|at| at.location == head).expect("the head");
    for engine in [Engine::PredicateAbstraction, Engine::Impact] {
        let setting = Setting::of(&program);
        let solver = default_solver().expect("a solver");
        let mut houdini = Houdini::new(&blocks, solver, &setting.token, &Workers::none());
        let invariant = Candidate { at, formula: equal };
        let samples = Samples::default();
        setting.run(|context| houdini.publish(&[invariant], &samples, context, &mut |_| {}));
        let answer = setting
            .run(|context| engine.run(interpolants_only(BlockEnds::Loops), &blocks, context));
        let Answer::Safe(certificate) = answer else {
            panic!("{engine:?}: {answer:?}");
        };
        let proved = setting.invariants.snapshot();
        let used = proved.publishers_in(&certificate, blocks.inlined());
        assert_eq!(used.values().sum::<usize>(), 1, "{engine:?}");
    }
}

/// A loop that alternates between two modes, with a counter that the property does not depend on.
fn modes(wrong: bool) -> Program {
    let mut b = ProgramBuilder::new();
    let names = ["mode", "held", "count"];
    let [mode, held, count] = names.map(|name| b.global(name, INT));
    let (go, input) = (
        b.global("go", Sort::Bool),
        b.input("__VERIFIER_nondet_bool", Sort::Bool),
    );
    let (zero, one) = (store().bv(32, 0), store().bv(32, 1));
    for variable in [mode, held, count] {
        b.assign(variable, zero);
    }
    b.havoc(go, input);
    b.repeat_while(b.value(go), |b| {
        let is_idle = store().eq(b.value(mode), zero);
        b.branch(
            is_idle,
            |b| {
                b.error_unless(store().eq(b.value(held), zero));
                b.assign(held, one);
                b.assign(mode, one);
            },
            |b| {
                b.error_unless(store().eq(b.value(held), one));
                b.assign(held, if wrong { b.value(count) } else { zero });
                b.assign(mode, zero);
            },
        );
        b.assign(count, store().add(b.value(count), one));
        b.havoc(go, input);
    });
    b.finish()
}

#[test]
fn proofs_are_confirmed_and_violations_replayed() {
    for engine in [Engine::PredicateAbstraction, Engine::Impact] {
        for wrong in [false, true] {
            let lowered = modes(wrong);
            let simplified = simplify(&lowered);
            let blocks = crate::testing::blocks(simplified.program.clone());
            match run(engine, BlockEnds::Loops, &blocks, &simplified.program).0 {
                Answer::Safe(certificate) if !wrong => {
                    let limit = Duration::from_secs(20);
                    let outcome = check(&lowered, &simplified, &certificate, Budget::of(limit));
                    assert!(matches!(outcome, Check::Confirmed), "{outcome:?}");
                }
                Answer::Unsafe(_) if wrong => {}
                other => panic!("{engine:?} {wrong}: {other:?}"),
            }
        }
    }
}

/// blk^lf has abstraction states at function entries and exits; they do not occur in the proof.
#[test]
fn blocks_may_end_at_functions() {
    let text = |held: u32| {
        format!(
            "extern int __VERIFIER_nondet_int(void);
            extern void __VERIFIER_assert(int);
            int mode, held;
            int next(int other) {{ held = held - mode + other; return other; }}
            int main(void) {{
                while (__VERIFIER_nondet_int()) {{
                    if (mode == 0) mode = next(1); else mode = next(0);
                    __VERIFIER_assert(held == mode && held != {held});
                }}
                return 0;
            }}"
        )
    };
    for engine in [Engine::PredicateAbstraction, Engine::Impact] {
        let (safe, wrong) = (lowered(&text(2)), lowered(&text(1)));
        let blocks = crate::testing::blocks(safe.clone());
        let [loops, functions] = [BlockEnds::Loops, BlockEnds::LoopsAndFunctions]
            .map(|ends| run(engine, ends, &blocks, &safe));
        assert!(
            loops.2 < functions.2,
            "{engine:?}: {} {}",
            loops.2,
            functions.2
        );
        let Answer::Safe(Certificate { steps, .. }) = functions.0 else {
            panic!("{engine:?}: {:?}", functions.0);
        };
        let is_head = |at: LocationId| {
            let kind = blocks.inlined().cut_points().kind(at);
            matches!(kind, Some(CutPointKind::LoopHead(_)))
        };
        for step in &steps {
            if let ProofStep::Inductive { batch, .. } = step {
                let mut places = batch.iter().map(|(at, _)| at.location);
                assert!(places.all(is_head), "{batch:?}");
            }
        }

        let blocks = crate::testing::blocks(wrong.clone());
        let answer = run(engine, BlockEnds::LoopsAndFunctions, &blocks, &wrong).0;
        assert!(
            matches!(answer, Answer::Unsafe(_)),
            "{engine:?}: {answer:?}"
        );
    }
}

/// Two counters that are incremented together; the property needs their equality.
const EQUAL_COUNTERS: &str = "extern void reach_error(void);
    int main(void) {
        unsigned x = 0, y = 0;
        while (x < 1000000) { x++; y++; }
        if (x + y != 2000000) reach_error();
        return 0;
    }";

/// Three permuted numbers whose exclusive or stays even, which only the property suggests.
const EVEN_XOR: &str = "extern void reach_error(void);
    extern unsigned __VERIFIER_nondet_uint(void);
    int main(void) {
        unsigned x = 1, y = 1, z = 0, n = 0;
        while (n < 1000000) {
            unsigned first = x, s = __VERIFIER_nondet_uint();
            if (s & 1) { x = y ^ s; y = z ^ s; z = first; }
            else { x = z + s; z = first - s; }
            n++;
        }
        if ((x ^ y ^ z) == 21) reach_error();
        return 0;
    }";

/// Runs an engine with a maximum number of refinements and a time limit.
fn refined(
    text: &str,
    engine: Engine,
    options: Options,
    maximum_refinements: u32,
    time: Duration,
) -> Answer {
    let program = lowered(text);
    let simplified = simplify(&program);
    let blocks = crate::testing::blocks(simplified.program.clone());
    let setting = Setting::of(&program);
    let token = setting.token.clone();
    let report = |progress| {
        if let Progress::Refinement { number, .. } = progress
            && number >= maximum_refinements
        {
            token.cancel();
        }
    };
    let setting = Setting {
        report: &report,
        ..setting
    };
    let answer = setting.run_within(time, |context| engine.run(options, &blocks, context));
    if let Answer::Safe(certificate) = &answer {
        let limit = Duration::from_secs(20);
        let outcome = check(&program, &simplified, certificate, Budget::of(limit));
        assert!(matches!(outcome, Check::Confirmed), "{outcome:?}");
    }
    answer
}

fn with_path_invariants(by: Generator, time: Duration) -> Options {
    Options {
        blocks: BlockEnds::Loops,
        path_invariants: time,
        path_invariants_by: by,
        ..Options::default()
    }
}

#[test]
fn path_invariants_exclude_all_unrollings() {
    let (none, enough) = (Duration::ZERO, Duration::from_secs(60));
    let (patient, impatient) = (2 * enough, enough / 3);
    for engine in [Engine::PredicateAbstraction, Engine::Impact] {
        for (text, by, time, limit, proves) in [
            (EQUAL_COUNTERS, Generator::DataFlow, none, patient, false),
            (EQUAL_COUNTERS, Generator::DataFlow, enough, patient, true),
            (EVEN_XOR, Generator::DataFlow, enough, impatient, false),
            (EVEN_XOR, Generator::Kipdr, enough, patient, true),
        ] {
            let options = with_path_invariants(by, time);
            let answer = refined(text, engine, options, 8, limit);
            let is_proof = matches!(answer, Answer::Safe(_));
            assert_eq!(is_proof, proves, "{engine:?}, {by:?}: {answer:?}");
        }
    }
}

/// Runs the engine where another one has proved that x and y are equal at the loop's head. Returns the number of refinements.
fn with_equality(text: &str, engine: &dyn crate::Engine) -> (Answer, u32) {
    let program = lowered(text);
    let simplified = simplify(&program);
    let blocks = crate::testing::blocks(simplified.program.clone());
    let number = Cell::new(0);
    let setting = Setting {
        report: &|progress| {
            if let Progress::Refinement { number: now, .. } = progress {
                number.set(now);
            }
        },
        ..Setting::of(&program)
    };
    let named = |name: &str| {
        let mut variables = blocks.inlined().program().variables.iter();
        let variable = variables.find(|one| one.symbol.name() == name);
        store().variable(variable.expect("a variable").symbol)
    };
    let equal = store().eq(named("main::x"), named("main::y"));
    let heads = crate::unrolling::inner_cut_points(&blocks);
    let equal = heads.into_iter().map(|at| Candidate { at, formula: equal });
    let (invariants, workers) = (&setting.invariants, Workers::none());
    invariants.offer(&Publisher::from("other"), equal);
    let token = CancellationToken::new();
    let prover = Prover::new(invariants, &blocks, default_solver, &token, &workers);
    let round = prover.expect("no recursion").round(&|| Duration::ZERO);
    assert!(round.proved > 0);
    let answer = setting.run_within(Duration::from_secs(60), |context| {
        let subject = Subject::of(&blocks, &default_solver);
        engine.run(&subject, context).answer
    });
    if let Answer::Safe(certificate) = &answer {
        let budget = Budget::of(Duration::from_secs(20));
        let outcome = check(&program, &simplified, certificate, budget);
        assert_eq!(outcome, Check::Confirmed);
    }
    (answer, number.get())
}

#[test]
fn what_is_known_may_be_assumed_on_paths() {
    let text = |error: &str| {
        format!(
            "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
            int main(void) {{
                unsigned x = __VERIFIER_nondet_uint(), y = x, z = x;
                while (__VERIFIER_nondet_uint()) {{ x += 3; y += 3; z = y; }}
                if ({error}) reach_error();
                return 0;
            }}"
        )
    };
    for source in [PredicateSource::Interpolants, PredicateSource::Program] {
        let abstraction = predicate_abstraction::Options {
            predicates: source,
            path_invariants: Duration::ZERO,
            invariants_on_paths: true,
            ..predicate_abstraction::Options::default()
        };
        let strengthening = impact::Options {
            predicates: source,
            path_invariants: Duration::ZERO,
            invariants_on_paths: true,
            ..impact::Options::default()
        };
        for engine in [&abstraction as &dyn crate::Engine, &strengthening] {
            let name = engine.registration().name;
            let (answer, refinements) = with_equality(&text("(x ^ z) & 64"), engine);
            assert!(matches!(answer, Answer::Safe(_)), "{name}: {answer:?}");
            assert!(refinements <= 3, "{name}: {refinements}");
            let (answer, _) = with_equality(&text("x == z && y == 18"), engine);
            assert!(matches!(answer, Answer::Unsafe(_)), "{name}: {answer:?}");
        }
    }
}

/// KIPDR gets more time than available, and a path program whose base case is hard.
#[test]
fn cancelling_stops_path_invariants() {
    let hard = "extern void reach_error(void);
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
            unsigned i = 0, x = a;
            while (i < n) { x ^= b; i++; }
            /* A prime. */
            if (x > 1 && b > 1 && (unsigned long long)x * b == 4611686018427387847ull) reach_error();
            return 0;
        }";
    for engine in [Engine::PredicateAbstraction, Engine::Impact] {
        let options = with_path_invariants(Generator::Kipdr, Duration::from_secs(600));
        let begin = Instant::now();
        let answer = refined(hard, engine, options, u32::MAX, Duration::from_secs(3));
        assert!(
            matches!(answer, Answer::Unknown(_)),
            "{engine:?}: {answer:?}"
        );
        assert!(begin.elapsed() < Duration::from_secs(25), "{engine:?}");
    }
}

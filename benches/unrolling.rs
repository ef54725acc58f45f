//! Measures bounded model checking: the total time for all bounds up to a given one, and the time spent in the solver.
//!
//!     cargo bench --bench unrolling [BOUND]          (default: 1000)
//!
//! The environment variable `SOLVER` (`z3`, `yices2` or `bitwuzla`) selects a single solver.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regatta::base::workers::Workers;
use regatta::engines::unrolling::base_case::{BaseCase, BaseCases};
use regatta::engines::unrolling::{Start, Unrolling};
use regatta::frontend::{LoadOptions, load};
use regatta::program::block::Blocks;
use regatta::program::{InlinedProgram, simplify};
use regatta::sharing::{CancellationToken, Context, Exchange, InvariantStore};
use regatta::solver::{Backend, Solver, SolverConfig, new_solver};
use regatta::term::Arena;

const PROGRAM: &str = "benches/programs/twenty_counters.c";

fn main() {
    let bound = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    let bound: u32 = bound.unwrap_or(1000);
    let only = std::env::var("SOLVER").ok();
    println!("solver   bound    total s   solver s   outside   states");
    for backend in [Backend::Z3, Backend::Yices2, Backend::Bitwuzla] {
        if only
            .as_ref()
            .is_some_and(|only| *only != backend.to_string())
        {
            continue;
        }
        let config = SolverConfig {
            backend,
            ..SolverConfig::default()
        };
        match new_solver(config, Rc::new(Arena::new())) {
            Ok(solver) => measure(&backend.to_string(), solver, bound),
            Err(error) => println!("{backend}: {error}"),
        }
    }
}

fn measure(name: &str, solver: Box<dyn Solver>, bound: u32) {
    let loaded = load(Path::new(PROGRAM), &LoadOptions::default()).expect("the program is there");
    let program = Arc::new(simplify(&loaded.program).program);
    let blocks = Arc::new(Blocks::new(Arc::new(InlinedProgram::new(program))));
    let token = CancellationToken::new();
    let invariants = InvariantStore::new();
    let mut confirm = |_: &_| panic!("the property holds");
    let mut context = Context {
        certifies: None,
        targets: None,
        exchange: &Exchange::new(&invariants, "bench", &token),
        token: &token,
        safe_point: &|| Duration::ZERO,
        report: &|_| {},
        confirm: &mut confirm,
        workers: &Workers::none(),
    };
    let unrolling = Unrolling::new(&blocks, Start::Entry, solver);
    let mut base = BaseCases::new(unrolling).with_last_steps(None);
    let begin = Instant::now();
    for step in 1..=bound {
        assert!(matches!(base.check(step, &mut context), BaseCase::Open));
        if step % (bound / 4).max(1) == 0 {
            let total = begin.elapsed();
            let solver = base.check_time();
            let outside = total.saturating_sub(solver);
            println!(
                "{name:8} {step:5} {:10.3} {:10.3} {:8.1}% {:8}",
                total.as_secs_f64(),
                solver.as_secs_f64(),
                100.0 * share(outside, total),
                base.unrolling().states(),
            );
        }
    }
}

fn share(part: Duration, whole: Duration) -> f64 {
    part.as_secs_f64() / whole.as_secs_f64().max(1e-9)
}

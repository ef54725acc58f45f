//! Measures interpolation on path formulas: for each method the number of answered queries, the median time, and the number
//! of answers with constants of a single path.
//!
//!     cargo bench --bench interpolation [LENGTH]          (default: 5)
//!
//! The queries are the infeasible paths of at most LENGTH blocks to an error of each program, and paths of counters over
//! integers. The last columns give how often each method had the better answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use regatta::frontend::{LoadOptions, load};
use regatta::program::block::{Block, BlockEnd, Blocks};
use regatta::program::{InlinedLocation, InlinedProgram, simplify};
use regatta::solver::interpolation::{
    Choice, Interpolation, InterpolationConfig, InterpolationStatistics, Interpolator, Sequence,
    new_interpolator, path_constants_of,
};
use regatta::term::{Arena, Build, Sort, Symbol, TermId};

const PROGRAMS: [&str; 5] = [
    "equal_counters",
    "bounded_counter",
    "branching_blocks",
    "twenty_counters",
    "array_fill",
];

/// A sequence of formulas, and the variables shared by neighbouring formulas.
struct Query {
    formulas: Vec<TermId>,
    cuts: Vec<Vec<TermId>>,
}

fn main() {
    let length = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    let length: usize = length.unwrap_or(5);
    println!(
        "{:24}{:>8}   {:30}   {:30}   won by",
        "", "", "sp-wp", "spacer"
    );
    println!(
        "{:24}{:>8}   {:>9}{:>9}{:>12}   {:>9}{:>9}{:>12}   {:>6}{:>8}{:>10}",
        "program",
        "queries",
        "answered",
        "median s",
        "constants",
        "answered",
        "median s",
        "constants",
        "sp-wp",
        "spacer",
        "unknown"
    );
    for program in PROGRAMS {
        let arena = Rc::new(Arena::new());
        let queries = paths(program, length, &arena);
        measure(program, &queries, &arena);
    }
    let arena = Rc::new(Arena::new());
    let queries: Vec<_> = (1..=length)
        .map(|rounds| counters(&arena, rounds))
        .collect();
    measure("counters, integers", &queries, &arena);
}

fn measure(name: &str, queries: &[Query], arena: &Rc<Arena>) {
    let mut columns = String::new();
    let mut infeasible = 0;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for choice in [Choice::Conditions, Choice::Horn] {
        let mut interpolator = interpolator(choice, arena);
        let (mut answered, mut constants, mut times) = (0, 0, Vec::new());
        infeasible = 0;
        for query in queries {
            let before = interpolator.statistics().time;
            let sequence = query.sequence();
            let answer = interpolator.interpolate(sequence);
            if answer == Interpolation::Satisfiable {
                continue;
            }
            infeasible += 1;
            times.push(interpolator.statistics().time.saturating_sub(before));
            match answer {
                Interpolation::Interpolants(interpolants) => {
                    answered += 1;
                    constants += usize::from(path_constants_of(arena, sequence, &interpolants) > 0);
                }
                Interpolation::Unknown(reason) => {
                    *reasons.entry(format!("{reason:?}")).or_insert(0) += 1
                }
                Interpolation::Satisfiable => {}
            }
        }
        columns += &format!("   {answered:>9}{:>9.3}{constants:>12}", median(times));
    }
    let mut best = interpolator(Choice::Best, arena);
    for query in queries {
        best.interpolate(query.sequence());
    }
    let InterpolationStatistics {
        conditions,
        horn,
        unknown,
        ..
    } = best.statistics();
    println!(
        "{name:24}{infeasible:>8}{columns}   {:>6}{:>8}{unknown:>10}",
        conditions.won, horn.won
    );
    for (reason, count) in reasons {
        println!("{:24}{count:>8}   not answered: {reason}", "");
    }
}

fn interpolator(choice: Choice, arena: &Rc<Arena>) -> Box<dyn Interpolator> {
    let config = InterpolationConfig {
        choice,
        ..InterpolationConfig::default()
    };
    new_interpolator(config, Rc::clone(arena)).expect("Z3 is there")
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .map_or(0.0, Duration::as_secs_f64)
}

impl Query {
    fn sequence(&self) -> Sequence<'_> {
        Sequence {
            formulas: &self.formulas,
            cuts: &self.cuts,
        }
    }
}

/// The paths of at most `length` blocks from the program's entry to an error.
fn paths(program: &str, length: usize, arena: &Arena) -> Vec<Query> {
    let path = format!("benches/programs/{program}.c");
    let loaded = load(Path::new(&path), &LoadOptions::default()).expect("the program is there");
    let program = Arc::new(simplify(&loaded.program).program);
    let blocks = Blocks::new(Arc::new(InlinedProgram::new(program)));
    let mut queries = Vec::new();
    let mut stack: Vec<Vec<Block>> = vec![Vec::new()];
    while let Some(path) = stack.pop() {
        let at = path
            .last()
            .map_or(Some(blocks.inlined().entry()), Block::target);
        let Some(at) = at else { continue };
        for block in &*blocks.from(at) {
            let mut longer = path.clone();
            longer.push(block.clone());
            if blocks.is_target(block) {
                queries.push(query(&blocks, &longer, arena));
            } else if longer.len() < length {
                stack.push(longer);
            }
        }
    }
    queries
}

fn query(blocks: &Blocks, path: &[Block], arena: &Arena) -> Query {
    let program = blocks.inlined().program();
    let at = |location: InlinedLocation, step: u32| -> Vec<(_, TermId)> {
        let state = blocks.state(location).into_iter();
        let variable = |id| arena.variable_at(program.variable(id).symbol, step);
        state.map(|id| (id, variable(id))).collect()
    };
    let mut query = Query {
        formulas: Vec::new(),
        cuts: Vec::new(),
    };
    for (block, step) in path.iter().zip(1..) {
        // Inputs of different steps have different instances.
        let replace = |symbol, instance| {
            let is_state = instance == 0;
            arena.variable_at(
                symbol,
                if is_state {
                    step
                } else {
                    1000 * step + instance
                },
            )
        };
        let instance = block.instantiate(arena, replace);
        let mut conjuncts = vec![instance.guard];
        if let BlockEnd::CutPoint(target) = block.end
            && !blocks.is_target(block)
        {
            let after = at(target, step + 1);
            for &(id, variable) in &after {
                let updated = instance.updates.iter().find(|(updated, _)| *updated == id);
                let value = updated.map_or_else(
                    || arena.variable_at(program.variable(id).symbol, step),
                    |&(_, value)| value,
                );
                conjuncts.push(arena.eq(variable, value));
            }
            query
                .cuts
                .push(after.into_iter().map(|(_, variable)| variable).collect());
        }
        query.formulas.push(arena.and(conjuncts));
    }
    query
}

/// The program `equal_counters` over mathematical integers.
fn counters(t: &Arena, rounds: usize) -> Query {
    let names = ["x", "y", "other"].map(|name| Symbol::new(name, Sort::Int));
    let at = |step: usize| names.map(|name| t.variable_at(name, step as u32 + 1));
    let mut formulas = vec![t.and(at(0).map(|variable| t.eq(variable, t.int(0))))];
    for step in 0..rounds {
        let ([x, y, other], after) = (at(step), at(step + 1));
        let one = t.int(1);
        let values = [t.int_add(x, one), t.int_add(y, one), t.int_add(other, x)];
        let equations = after.iter().zip(values);
        formulas.push(t.and(equations.map(|(&variable, value)| t.eq(variable, value))));
    }
    let [x, y, _] = at(rounds);
    formulas.push(t.ne(x, y));
    Query {
        formulas,
        cuts: (0..=rounds).map(|step| at(step).to_vec()).collect(),
    }
}

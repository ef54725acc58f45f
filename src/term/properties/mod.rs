//! Property tests of terms: simplified terms have the values of the original ones, and our semantics of operators is Z3's.

mod application;
mod c_text;
mod meaning;
mod operators;
mod pairs;
mod recipe;
mod shapes;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::random::Language;
use crate::term::{
    Arena, Build, Evaluator, Op, Pool, Sort, Symbol, TermId, TermKind, Value, for_each_subterm,
    smtlib_script, to_smtlib,
};
use pairs::{Pair, Terms};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestCaseError;
use recipe::{Recipe, arrays, floats, integers, narrow, recipes, wide};

fn cases(count: u32) -> ProptestConfig {
    // The variable multiplies the numbers of cases, as PROPTEST_CASES cannot do here.
    let factor = std::env::var("REGATTA_TERM_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    ProptestConfig {
        cases: count * factor,
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    }
}

/// Checks that simplified terms have the values of the original ones.
fn simplification_keeps_values(recipe: &Recipe) -> Result<(), TestCaseError> {
    let terms = recipe.build();
    for seed in &recipe.seeds {
        let values = terms.assignment(*seed);
        let assignment = |symbol: Symbol, _| values.get(&symbol).cloned();
        let mut evaluator = Evaluator::new(&terms.arena, &assignment);
        for pair in &terms.pairs {
            let raw = evaluator
                .evaluate(pair.raw)
                .expect("all variables have values");
            let simple = evaluator
                .evaluate(pair.simple)
                .expect("all variables have values");
            prop_assert!(
                raw == simple,
                "{}\nis {raw}, but simplified\n{}\nis {simple} under {values:?}",
                to_smtlib(&terms.arena, pair.raw),
                to_smtlib(&terms.arena, pair.simple),
            );
        }
    }
    Ok(())
}

/// Checks whether Z3 refutes the assertions; an error in the script is no refutation.
fn z3_refutes(script: &str) -> bool {
    let solver = z3::Solver::new();
    let mut parameters = z3::Params::new();
    parameters.set_u32("timeout", 20_000);
    solver.set_params(&parameters);
    solver.from_string(script);
    solver.check() == z3::SatResult::Unsat
}

/// Returns the script of `not (term = value and ...)`, with the variables defined as their values.
fn disagreement(
    terms: &Terms,
    values: &HashMap<Symbol, Value>,
    pairs: &[(TermId, Value)],
) -> String {
    let arena = &terms.arena;
    let equalities: Vec<_> = pairs
        .iter()
        .map(|(term, value)| arena.intern(Op::Eq, Sort::Bool, &[*term, arena.value(value)]))
        .chain([TermId::TRUE])
        .collect();
    let all = arena.intern(Op::And, Sort::Bool, &equalities);
    let script = smtlib_script(arena, &[arena.intern(Op::Not, Sort::Bool, &[all])]);
    let by_name: HashMap<_, _> = values
        .iter()
        .map(|(symbol, value)| (symbol.name(), value))
        .collect();
    let mut result = String::new();
    for line in script.lines() {
        match line.strip_prefix("(declare-const ") {
            Some(rest) => {
                let (name, sort) = rest.split_once(' ').expect("name and sort");
                let value = by_name[name.trim_end_matches("@0")];
                let text = to_smtlib(arena, arena.value(value));
                let _ = writeln!(
                    result,
                    "(define-fun {name} () {} {text})",
                    &sort[..sort.len() - 1]
                );
            }
            None => {
                let _ = writeln!(result, "{line}");
            }
        }
    }
    result
}

/// Checks that Z3 computes the values that we compute.
fn evaluation_agrees_with_z3(recipe: &Recipe) -> Result<(), TestCaseError> {
    let terms = recipe.build();
    let values = terms.assignment(recipe.seeds[0]);
    let assignment = |symbol: Symbol, _| values.get(&symbol).cloned();
    let mut evaluator = Evaluator::new(&terms.arena, &assignment);
    let pairs: Vec<_> = terms
        .pairs
        .iter()
        .map(|pair| {
            (
                pair.raw,
                evaluator
                    .evaluate(pair.raw)
                    .expect("all variables have values"),
            )
        })
        .collect();
    if z3_refutes(&disagreement(&terms, &values, &pairs)) {
        return Ok(());
    }
    for pair in pairs {
        let script = disagreement(&terms, &values, std::slice::from_ref(&pair));
        prop_assert!(
            z3_refutes(&script),
            "not {}: {}\n{script}",
            pair.1,
            to_smtlib(&terms.arena, pair.0)
        );
    }
    Ok(())
}

/// Checks whether integers are multiplied, or divided by a non-constant. Z3 then isolates roots of polynomials, and may
/// do so for many minutes, ignoring its time limit.
fn multiplies_integers(arena: &Arena, terms: [TermId; 2]) -> bool {
    let mut found = false;
    for_each_subterm(arena, terms, |_, kind| {
        let TermKind::Apply { op, arguments } = kind else {
            return;
        };
        let is_open = |one: &TermId| !arena.is_constant(*one);
        found |= match op {
            Op::IntMul => arguments.iter().filter(|one| is_open(one)).count() > 1,
            Op::IntDiv | Op::IntMod => arguments.last().is_some_and(is_open),
            _ => false,
        };
    });
    found
}

/// Checks that Z3 proves simplified terms equal to the original ones.
fn z3_proves_simplification(recipe: &Recipe) -> Result<(), TestCaseError> {
    let terms = recipe.build();
    let arena = &terms.arena;
    let different = |Pair { raw, simple, .. }: &Pair| {
        let equal = arena.intern(Op::Eq, Sort::Bool, &[*raw, *simple]);
        arena.intern(Op::Not, Sort::Bool, &[equal])
    };
    let pairs = terms.pairs.iter().filter(|pair| {
        pair.raw != pair.simple && !multiplies_integers(arena, [pair.raw, pair.simple])
    });
    for pair in pairs {
        let script = smtlib_script(arena, &[different(pair)]);
        prop_assert!(z3_refutes(&script), "not proved:\n{script}");
    }
    Ok(())
}

macro_rules! agree {
    ($($name:ident: $property:ident, $language:expr, $steps:expr, $cases:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let strategy = recipes($language, $steps);
                let mut runner = proptest::test_runner::TestRunner::new(cases($cases));
                if let Err(error) = runner.run(&strategy, |recipe| $property(&recipe)) {
                    panic!("{error}");
                }
            }
        )*
    };
}

agree! {
    simplified_narrow: simplification_keeps_values, narrow(), 40, 3000;
    simplified_wide: simplification_keeps_values, wide(), 60, 3000;
    simplified_arrays: simplification_keeps_values, arrays(), 40, 1500;
    simplified_integers: simplification_keeps_values, integers(), 40, 5000;
    simplified_floats: simplification_keeps_values, floats(), 40, 2000;
    z3_evaluates_wide: evaluation_agrees_with_z3, wide(), 60, 150;
    z3_evaluates_arrays: evaluation_agrees_with_z3, arrays(), 40, 100;
    z3_evaluates_floats: evaluation_agrees_with_z3, floats(), 40, 250;
    z3_proves_narrow: z3_proves_simplification, narrow(), 25, 60;
    z3_proves_arrays: z3_proves_simplification, arrays(), 20, 40;
    z3_proves_integers: z3_proves_simplification, linear(), 15, 30;
}

/// Integers, with few terms that make Z3 slow.
fn linear() -> impl Strategy<Value = Language> {
    integers().prop_map(|mut language| {
        language.widths = vec![3];
        language
    })
}

/// Checks that the other tests can fail: Z3 does not refute valid formulas or erroneous scripts, and every operator occurs.
#[test]
fn the_tests_test() {
    assert!(!z3_refutes("(assert true)"));
    assert!(!z3_refutes("(assert (no such thing))(assert false)"));
    assert!(z3_refutes("(assert false)"));
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = HashSet::new();
    for _ in 0..300 {
        let tree = recipes(wide(), 60).new_tree(&mut runner).expect("a recipe");
        let terms = tree.current().build();
        for pair in &terms.pairs {
            if let TermKind::Apply { op, .. } = terms.arena.kind(pair.raw) {
                seen.insert(std::mem::discriminant(&op));
            }
        }
    }
    assert_eq!(seen.len(), 68, "{seen:?}");
}

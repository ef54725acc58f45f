//! Tests of the whole simplifier: random programs against the reference interpreter, and programs that it must decide.

use proptest::prelude::*;

use super::*;
use crate::ProgramBuilder;
use crate::testing::{Machine, Outcome, Recursion, random_program};
use regatta_term::{Build, ScalarSort, Sort, conjuncts, store};

const STEPS: usize = 3000;
const INT: Sort = Sort::BitVec(32);

/// Simplifies the program without replacing calls, to test how the passes treat calls.
fn with_all_calls(program: &Program) -> Simplified {
    let others = PASSES.iter().filter(|(pass, _)| *pass != Pass::Expand);
    simplify_by(program, &[], &others.copied().collect::<Vec<_>>())
}

/// Checks that both programs reach the same target with the same inputs, or both none.
fn compare(program: &Program, seed: u64) -> Result<(), TestCaseError> {
    compare_simplified(program, &simplify(program), seed)
}

fn compare_simplified(
    program: &Program,
    simplified: &Simplified,
    seed: u64,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(simplified.program.validate(), Ok(()));
    for seed in seed..seed + 3 {
        let expected = Machine::new(program, seed).run(STEPS);
        let found = Machine::new(&simplified.program, seed).run(STEPS);
        match (&expected, &found) {
            (Outcome::Error(at), Outcome::Error(there)) => {
                prop_assert_eq!(*at, simplified.origins[there.index()].location);
            }
            (Outcome::Error(_) | Outcome::Unsupported(_), _) => prop_assert_eq!(&expected, &found),
            (Outcome::Stopped, _) => {
                prop_assert!(
                    !matches!(found, Outcome::Error(_) | Outcome::Unsupported(_)),
                    "{:?}",
                    found
                );
            }
            // The execution did not end; it may reach a target much later.
            (Outcome::OutOfSteps, _) => {
                if matches!(found, Outcome::Error(_) | Outcome::Unsupported(_)) {
                    let longer = Machine::new(program, seed).run(100 * STEPS);
                    prop_assert!(
                        matches!(longer, Outcome::Error(_) | Outcome::Unsupported(_)),
                        "{:?}",
                        longer
                    );
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn targets_are_reached_with_the_same_inputs(bytes in prop::collection::vec(any::<u8>(), 0..160), seed in 0u64..1000) {
        compare(&random_program(&bytes, Recursion::Excluded), seed)?;
    }

    #[test]
    fn targets_are_reached_with_recursion(bytes in prop::collection::vec(any::<u8>(), 0..160), seed in 0u64..1000) {
        compare(&random_program(&bytes, Recursion::Allowed), seed)?;
    }

    #[test]
    fn targets_are_reached_where_calls_are_not_replaced(bytes in prop::collection::vec(any::<u8>(), 0..160), seed in 0u64..1000) {
        let program = random_program(&bytes, Recursion::Excluded);
        compare_simplified(&program, &with_all_calls(&program), seed)?;
    }

    #[test]
    fn the_loose_slice_reaches_what_the_program_reaches(bytes in prop::collection::vec(any::<u8>(), 0..160), seed in 0u64..1000) {
        let program = random_program(&bytes, Recursion::Allowed);
        // Loops that run once read fewer inputs.
        let simplified = simplify_by(&program, &[(Pass::Slice, slice::run_loosely)], &PASSES);
        prop_assert_eq!(simplified.program.validate(), Ok(()));
        prop_assert_eq!(simplify_loosely(&program).program.validate(), Ok(()));
        for seed in seed..seed + 3 {
            let expected = Machine::new(&program, seed).run(STEPS);
            let found = Machine::new(&simplified.program, seed).run(STEPS);
            match (&expected, &found) {
                (Outcome::Error(at), Outcome::Error(there)) => {
                    prop_assert_eq!(*at, simplified.origins[there.index()].location);
                }
                (Outcome::Error(_) | Outcome::Unsupported(_), _) => prop_assert_eq!(&expected, &found),
                (Outcome::Stopped | Outcome::OutOfSteps, _) => {}
            }
        }
    }

    /// A pass must not rely on an earlier pass, nor on a later one to correct it.
    #[test]
    fn passes_in_any_order(
        bytes in prop::collection::vec(any::<u8>(), 0..160),
        order in prop::collection::vec(prop::sample::select(PASSES.to_vec()), 1..5),
        seed in 0u64..1000,
    ) {
        let program = random_program(&bytes, Recursion::Allowed);
        compare_simplified(&program, &simplify_by(&program, &[], &order), seed)?;
    }
}

fn number(value: u128) -> TermId {
    store().bv(32, value)
}

/// The beginning of a program with a region and a variable that holds an input.
fn with_region_and_input() -> (ProgramBuilder, RegionId, VariableId) {
    let mut b = ProgramBuilder::new();
    let region = b.region("region", ScalarSort::BitVec(32), ScalarSort::BitVec(32));
    let x = b.global("x", INT);
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    (b, region, x)
}

#[test]
fn a_constant_that_passes_through_calls_decides_the_property() {
    let mut b = ProgramBuilder::new();
    let g = b.global("g", INT);
    let start = b.start();
    let x = b.local(start, "x", INT);
    let f = b.function("f", &[("p", INT)], &[("r", INT)]);
    b.assign(g, number(7));
    b.call(f, vec![number(1)], vec![x]);
    b.call(f, vec![b.value(x)], vec![x]);
    b.error_unless(store().eq(b.value(x), number(15)));
    b.enter(f);
    b.assign(
        b.result(f, 0),
        store().add(b.value(b.parameter(f, 0)), b.value(g)),
    );
    b.leave();
    assert!(simplify(&b.finish()).is_safe());
}

#[test]
fn bounds_of_a_loop_decide_the_property() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    b.assign(x, number(0));
    b.repeat_while(store().slt(b.value(x), number(1000)), |b| {
        b.error_unless(store().sle(number(0), b.value(x)));
        b.assign(x, store().add(b.value(x), number(1)));
    });
    b.error_unless(store().eq(b.value(x), number(1000)));
    assert!(simplify(&b.finish()).is_safe());
}

#[test]
fn a_loop_without_effect_is_removed_only_if_it_terminates() {
    for (ends, bound) in [(true, number(100)), (false, number(0))] {
        let mut b = ProgramBuilder::new();
        let (i, x) = (b.global("i", INT), b.global("x", INT));
        let input = b.input("nondet", INT);
        b.havoc(x, input);
        b.assign(i, number(1));
        b.havoc(i, input);
        let condition = if ends {
            store().ult(b.value(i), bound)
        } else {
            store().not(store().eq(b.value(i), bound))
        };
        let step = number(if ends { 1 } else { 2 });
        b.repeat_while(condition, |b| b.assign(i, store().add(b.value(i), step)));
        b.error_unless(store().ult(b.value(x), number(5)));
        let simplified = simplify(&b.finish());
        assert!(!simplified.is_safe());
        let calls = crate::CallGraph::new(&simplified.program);
        let loops = crate::CutPoints::new(&simplified.program, &calls)
            .loops()
            .len();
        assert_eq!(loops, usize::from(!ends), "{ends}");
    }
}

#[test]
fn fixed_cells_of_a_region_are_scalars() {
    let (mut b, region, x) = with_region_and_input();
    b.write(region, number(3), b.value(x));
    b.write(region, number(4), number(1));
    b.error_unless(store().eq(store().select(b.contents(region), number(3)), b.value(x)));
    assert!(simplify(&b.finish()).is_safe());
}

#[test]
fn code_after_the_last_target_is_removed() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    b.error_unless(store().ult(b.value(x), number(10)));
    b.repeat_while(store().eq(b.value(x), number(3)), |b| b.havoc(x, input));
    let simplified = simplify(&b.finish());
    assert_eq!(
        simplified.program.edges.len(),
        1,
        "{}",
        simplified.statistics
    );
    assert_eq!(simplified.program.errors.len(), 1);
}

#[test]
fn values_are_assigned_all_at_once() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let pairs = vec![(x, b.value(y)), (y, b.value(x))];
    let mut workspace = Workspace::new(&b.finish());
    let operations = workspace.parallel_assignment(pairs);
    let mut machine = Machine::new(&workspace.program, 0);
    for (variable, value) in [(x, 5), (y, 7)] {
        machine.set(variable, regatta_term::Value::bit_vec(32, value));
    }
    assert!(
        operations
            .iter()
            .all(|operation| machine.execute(operation))
    );
    assert_eq!(machine.get(x), regatta_term::Value::bit_vec(32, 7));
    assert_eq!(machine.get(y), regatta_term::Value::bit_vec(32, 5));
}

/// Checks the program with the given passes only: other passes would hide the faults that these programs reveal.
fn check_with_passes(passes: &[Pass], b: ProgramBuilder) {
    let program = b.finish();
    let chosen = PASSES.iter().filter(|(pass, _)| passes.contains(pass));
    let simplified = simplify_by(&program, &[], &chosen.copied().collect::<Vec<_>>());
    for seed in (0..20).step_by(3) {
        compare_simplified(&program, &simplified, seed).unwrap();
    }
}

#[test]
fn an_edge_that_matters_among_others() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    let first = store().ult(b.value(x), number(1 << 31));
    let (start, end) = (b.cursor(), b.new_location());
    for (condition, value) in [(first, 1), (store().not(first), 2)] {
        let operations = vec![
            Operation::Assume(condition),
            Operation::Assign {
                target: y,
                value: number(value),
            },
        ];
        b.at(start);
        b.operations(operations);
        b.jump(end);
    }
    b.at(end);
    b.error_unless(store().eq(b.value(y), number(1)));
    check_with_passes(&[Pass::Slice], b);
}

#[test]
fn stored_values_are_relevant() {
    let (mut b, region, x) = with_region_and_input();
    let i = b.global("i", INT);
    b.assign(i, number(4));
    b.write(region, b.value(i), b.value(x));
    let cell = store().select(b.contents(region), number(4));
    b.error_unless(store().ult(cell, number(1 << 31)));
    check_with_passes(&[Pass::Slice], b);
}

/// Only the second value of the input is relevant, but a replay must read the first value before it.
#[test]
fn an_input_whose_value_is_not_used() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let input = b.input("nondet", INT);
    b.havoc(y, input);
    b.havoc(x, input);
    b.error_unless(store().ult(b.value(x), number(1 << 31)));
    check_with_passes(&[Pass::Slice], b);
}

#[test]
fn a_store_leaves_the_other_cells() {
    let (mut b, region, x) = with_region_and_input();
    b.write(region, number(3), b.value(x));
    b.write(region, number(4), number(1));
    let cell = store().select(b.contents(region), number(3));
    b.error_unless(store().ult(cell, number(1 << 31)));
    check_with_passes(&[Pass::Dead], b);
}

/// The loop's back edge leads to the program's entry.
#[test]
fn a_loop_around_the_entry() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let entry = b.cursor();
    b.assign(x, store().add(b.value(x), number(1)));
    let end = b.cursor();
    let again = store().ult(b.value(x), number(5));
    b.edge(end, entry, vec![Operation::Assume(again)]);
    b.assume(store().not(again));
    b.error();
    check_with_passes(&[Pass::Chains], b);
}

/// An array that is read as a whole, written at an unknown index, or an input.
#[test]
fn regions_that_are_more_than_their_cells() {
    let bits = ScalarSort::BitVec(32);
    for way in 0..3 {
        let mut b = ProgramBuilder::new();
        let (one, other) = (b.region("one", bits, bits), b.region("other", bits, bits));
        let [from, to] = [one, other].map(|region| b.program().region(region).variable);
        let x = b.global("x", INT);
        let number_input = b.input("nondet", INT);
        let array_input = b.input(
            "array",
            Sort::Array {
                index: bits,
                element: bits,
            },
        );
        b.havoc(x, number_input);
        b.write(other, number(0), number(1));
        match way {
            0 => {
                b.write(one, number(0), number(7));
                b.assign(to, b.value(from));
            }
            1 => b.write(other, store().bvand(b.value(x), number(1)), number(7)),
            _ => b.havoc(to, array_input),
        }
        let cell = store().select(b.contents(other), number(0));
        b.error_unless(store().ne(cell, number(if way == 2 { 1 } else { 7 })));
        check_with_passes(&[Pass::Regions], b);
    }
}

/// An array all of whose cells are assigned a value that depends on one of them.
#[test]
fn cells_that_are_assigned_together() {
    for from in [0, 1] {
        let (mut b, region, x) = with_region_and_input();
        let whole = b.program().region(region).variable;
        let cell = |b: &ProgramBuilder, index| store().select(b.contents(region), number(index));
        b.write(region, number(0), number(1));
        b.write(region, number(1), number(1));
        let sum = store().add(b.value(x), cell(&b, from));
        b.assign(whole, store().const_array(ScalarSort::BitVec(32), sum));
        let both = [0, 1].map(|index| cell(&b, index));
        b.error_unless(store().eq(both[0], both[1]));
        check_with_passes(&[Pass::Regions], b);
    }
}

/// The effects, reads, results and arguments of a call that is not replaced by the body.
#[test]
fn effects_of_calls_are_preserved() {
    let mut b = ProgramBuilder::new();
    let (g, x, y) = (b.global("g", INT), b.global("x", INT), b.global("y", INT));
    let input = b.input("nondet", INT);
    let f = b.function("f", &[("p", INT), ("q", INT)], &[("r", INT)]);
    b.havoc(x, input);
    b.assign(g, number(3));
    b.call(f, vec![number(1), b.value(x)], vec![y]);
    let sum = store().add(b.value(x), number(1));
    b.error_unless(store().and2(
        store().ne(b.value(g), number(4)),
        store().eq(b.value(y), sum),
    ));
    b.enter(f);
    let (p, q) = (b.value(b.parameter(f, 0)), b.value(b.parameter(f, 1)));
    b.assign(b.result(f, 0), store().add(p, q));
    b.assign(g, store().add(b.value(g), p));
    b.leave();
    let program = b.finish();
    compare_simplified(&program, &with_all_calls(&program), 0).unwrap();
    compare(&program, 0).unwrap();
}

/// A program with an error behind a loop that may not end, a call that may not return, and an assumption about one input;
/// the error depends on another input. If `is_related`, the assumption is about what is computed from that one.
fn behind_what_may_not_end(is_related: bool) -> Program {
    let mut b = ProgramBuilder::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| b.global(name, INT));
    for variable in [x, y] {
        let input = b.input("nondet", INT);
        b.havoc(variable, input);
    }
    let f = b.function("f", &[], &[]);
    b.repeat_while(store().eq(b.value(y), number(3)), |_| {});
    b.call(f, vec![], vec![]);
    let from = if is_related { x } else { y };
    b.assign(z, store().add(b.value(from), number(1)));
    b.assume(store().ult(b.value(z), number(10)));
    b.error_unless(store().ult(b.value(x), number(11)));
    b.leave();
    b.enter(f);
    let again = store().eq(b.value(y), number(4));
    b.branch(again, |b| b.call(f, vec![], vec![]), |_| {});
    b.leave();
    b.finish()
}

#[test]
fn the_loose_slice_lacks_what_only_may_not_end() {
    let reads = |simplified: &Simplified, name: &str| {
        let program = &simplified.program;
        let operations = program.edges.iter().flat_map(|edge| &edge.operations);
        let written = operations.flat_map(|operation| operation.written(program));
        let mut names = written.map(|variable| program.variable(variable).name.as_str());
        names.any(|found| found == name)
    };
    for is_related in [false, true] {
        let program = behind_what_may_not_end(is_related);
        let exact = simplify(&program);
        assert!(reads(&exact, "y"));
        let loose = simplify_loosely(&program);
        assert!(!reads(&loose, "y"));
        assert!(loose.program.edges.len() < exact.program.edges.len());
        let operations = loose.program.edges.iter().flat_map(|edge| &edge.operations);
        let assumed = operations.filter_map(|operation| match operation {
            Operation::Assume(condition) => Some(conjuncts(store(), *condition).len()),
            _ => None,
        });
        assert_eq!(
            assumed.sum::<usize>() > 1,
            is_related,
            "{:?}",
            loose.program.edges
        );
    }
}

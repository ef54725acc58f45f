//! Block formulas against the definition of execution.

use std::sync::Arc;

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::program::testing::{Machine, Recursion, random_program};
use crate::program::{ProgramBuilder, StepKind};
use crate::term::{Evaluator, Sort, Value, size};

const INT: Sort = Sort::BitVec(32);

fn blocks_of(program: Program) -> Blocks {
    Blocks::new(Arc::new(InlinedProgram::new(Arc::new(program))))
}

/// Takes a step if possible; returns whether it was.
fn take(machine: &mut Machine, program: &Program, step: crate::program::Step) -> bool {
    let edge = program.edge(step.edge);
    match (step.kind, edge.operations.first()) {
        (
            StepKind::Enter,
            Some(Operation::Call {
                callee, arguments, ..
            }),
        ) => {
            let values: Vec<Value> = arguments
                .iter()
                .map(|&argument| machine.evaluate(argument))
                .collect();
            for (&parameter, value) in program.function(*callee).parameters.iter().zip(values) {
                machine.set(parameter, value);
            }
            true
        }
        (
            StepKind::Return,
            Some(Operation::Call {
                callee, results, ..
            }),
        ) => {
            for (&result, &from) in results.iter().zip(&program.function(*callee).results) {
                machine.set(result, machine.get(from));
            }
            true
        }
        _ => {
            machine.can_take(edge)
                && edge
                    .operations
                    .iter()
                    .all(|operation| machine.execute(operation))
        }
    }
}

/// The values of the block's input variables in an execution; `None` if the block reads other inputs than it did.
fn assignment(
    block: &Block,
    before: &FxHashMap<Symbol, Value>,
    taken: &[(InputId, Value)],
) -> Option<FxHashMap<(Symbol, u32), Value>> {
    let mut values: FxHashMap<(Symbol, u32), Value> = FxHashMap::default();
    let mut taken = taken.iter();
    for input in &block.inputs {
        let InputSource::Input(id) = input.source else {
            panic!("the random programs leave no choice")
        };
        let asked = {
            let known = |symbol, instance| match instance {
                0 => before.get(&symbol).cloned(),
                _ => values.get(&(symbol, instance)).cloned(),
            };
            Evaluator::new(store(), &known)
                .evaluate(input.guard)
                .unwrap()
                == Value::Bool(true)
        };
        let value = if asked {
            let (expected, value) = taken.next()?;
            if *expected != id {
                return None;
            }
            value.clone()
        } else {
            Value::zero(input.symbol.sort())
        };
        values.insert((input.symbol, input.instance), value);
    }
    taken.next().is_none().then_some(values)
}

proptest! {
    /// A concrete execution from cut point to cut point satisfies the guard of the block between them and of no other,
    /// and the updates give the values afterwards.
    #[test]
    fn blocks_agree_with_execution(bytes in prop::collection::vec(any::<u8>(), 0..160), seed in 0u64..1000) {
        let blocks = blocks_of(random_program(&bytes, Recursion::Excluded));
        let inlined = blocks.inlined().clone();
        let program = inlined.program().clone();
        let mut machine = Machine::new(&program, seed);
        let (mut at, mut source) = (inlined.entry(), inlined.entry());
        let mut before = machine.values.clone();
        let mut taken = 0;
        for _ in 0..500 {
            let steps = inlined.steps(at);
            let Some(step) = steps.into_iter().find(|&step| take(&mut machine, &program, step)) else { break };
            let unsupported = matches!(program.edge(step.edge).operations.last(), Some(Operation::Unsupported(_)));
            at = step.target;
            if !unsupported && !inlined.cut_points().contains(at.location) {
                continue;
            }
            let end = if unsupported {
                BlockEnd::Unsupported { edge: step.edge, call_string: at.call_string }
            } else {
                BlockEnd::CutPoint(at)
            };
            let mut seen = false;
            for block in blocks.from(source).iter() {
                let Some(inputs) = assignment(block, &before, &machine.inputs[taken..]) else {
                    prop_assert!(block.end != end, "the inputs do not fit");
                    continue;
                };
                let known = |symbol, instance| match instance {
                    0 => before.get(&symbol).cloned(),
                    _ => inputs.get(&(symbol, instance)).cloned(),
                };
                let mut evaluator = Evaluator::new(store(), &known);
                let runs = evaluator.evaluate(block.guard).unwrap() == Value::Bool(true);
                prop_assert_eq!(runs, block.end == end);
                if runs {
                    seen = true;
                    for variable in if unsupported { vec![] } else { blocks.state(at) } {
                        let update = block.updates.iter().find(|update| update.0 == variable);
                        let value = match update {
                            Some(&(_, value)) => evaluator.evaluate(value).unwrap(),
                            None => before[&program.variable(variable).symbol].clone(),
                        };
                        prop_assert_eq!(value, machine.get(variable), "{}", program.variable(variable).name);
                    }
                }
            }
            prop_assert!(seen);
            if unsupported {
                break;
            }
            (source, before, taken) = (at, machine.values.clone(), machine.inputs.len());
        }
    }
}

#[test]
fn thirty_diamonds_give_one_small_block() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let input = b.input("nondet", INT);
    for number in 0..30 {
        b.havoc(y, input);
        let bound = store().bv(32, number);
        let sum = store().add(b.value(x), bound);
        b.branch(
            store().ult(b.value(y), bound),
            |b| b.assign(x, sum),
            |b| b.assign(x, store().bvxor(b.value(x), bound)),
        );
    }
    b.error_unless(store().eq(b.value(x), store().bv(32, 0)));
    let blocks = blocks_of(b.finish());
    let from_entry = blocks.from(blocks.inlined().entry());
    let [block] = &from_entry[..] else {
        panic!("only the error is a next cut point")
    };
    assert_eq!(block.inputs.len(), 30);
    assert!(block.inputs.iter().all(|input| input.guard == TermId::TRUE));
    assert!(
        size(store(), block.guard) < 300,
        "{}",
        size(store(), block.guard)
    );
}

#[test]
fn early_returns_do_not_repeat_path_conditions() {
    let mut b = ProgramBuilder::new();
    let f = b.function("f", &[("p", INT)], &[("r", INT)]);
    let (p, r) = (b.parameter(f, 0), b.result(f, 0));
    let x = b.global("x", INT);
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    b.call(f, vec![b.value(x)], vec![x]);
    b.error_unless(store().ult(b.value(x), store().bv(32, 100)));
    b.enter(f);
    for number in 0..200 {
        let exit = b.program().function(f).exit;
        b.assign(r, store().bv(32, number));
        b.branch(
            store().eq(b.value(p), store().bv(32, 7 * number)),
            |b| {
                b.jump(exit);
                let dead = b.new_location();
                b.at(dead);
            },
            |_| (),
        );
    }
    b.leave();
    let blocks = blocks_of(b.finish());
    let from_entry = blocks.from(blocks.inlined().entry());
    assert_eq!(from_entry.len(), 1);
    assert!(
        size(store(), from_entry[0].guard) < 2000,
        "{}",
        size(store(), from_entry[0].guard)
    );
}

#[test]
fn edges_that_do_not_exclude_each_other_get_a_choice() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let (start, join) = (b.cursor(), b.new_location());
    for number in 1..3 {
        b.at(start);
        b.assign(x, store().bv(32, number));
        b.jump(join);
    }
    b.at(join);
    b.error_unless(store().eq(b.value(x), store().bv(32, 1)));
    let blocks = blocks_of(b.finish());
    let from_entry = blocks.from(blocks.inlined().entry());
    let [input] = &from_entry[0].inputs[..] else {
        panic!("one choice")
    };
    assert_eq!(input.source, InputSource::Choice);
    for choice in [false, true] {
        let known = |symbol, _| (symbol == input.symbol).then_some(Value::Bool(choice));
        let runs = Evaluator::new(store(), &known).evaluate(from_entry[0].guard);
        assert_eq!(runs, Ok(Value::Bool(!choice)));
    }
}

#[test]
fn a_part_of_a_program_has_no_other_blocks() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let (zero, one, two) = (store().bv(32, 0), store().bv(32, 1), store().bv(32, 2));
    b.assign(x, zero);
    b.repeat_while(store().ult(b.value(x), two), |b| {
        b.error_unless(store().ult(b.value(x), two));
        b.assign(x, store().add(b.value(x), one));
    });
    b.error_unless(store().eq(b.value(x), two));
    let blocks = blocks_of(b.finish());
    let points = blocks.cut_points();
    let all = || points.iter().flat_map(|&at| blocks.from(at).to_vec());
    assert!(all().any(|block| blocks.is_target(&block)));
    let kept = all().filter(|block| !blocks.is_target(block));
    let kept: FxHashSet<_> = kept.map(|block| (block.source, block.end)).collect();
    let part = blocks.restricted_to(&kept);
    let left = part.cut_points();
    let left = left.iter().flat_map(|&at| part.from(at).to_vec());
    let left: FxHashSet<_> = left.map(|block| (block.source, block.end)).collect();
    assert_eq!(left, kept);
}

//! The value analysis of whole programs against concrete evaluation.

use std::rc::Rc;
use std::sync::Arc;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::{FxHashMap, FxHashSet};

use super::paths::paths;
use super::*;
use crate::loop_bound::LoopBoundCpa;
use crate::{Composite, Reached, algorithm::End, cpa_plus_plus};
use regatta_program::InlinedProgram;
use regatta_program::block::Block;
use regatta_program::testing::{Recursion, random_program};
use regatta_term::random::{is_member, random_value};
use regatta_term::{Evaluator, Symbol, Value, evaluate};

fn precisions() -> [Precision; 3] {
    let least = Precision {
        variables: Rc::default(),
        pairs: Rc::from([]),
        relations: Relations::None,
        disjuncts: 1,
        paths: 1,
        remainders: Remainders::None,
        cells: false,
    };
    let middle = Precision {
        relations: Relations::Equalities,
        disjuncts: 2,
        paths: 3,
        remainders: Remainders::All,
        cells: true,
        ..least.clone()
    };
    let most = Precision {
        relations: Relations::Differences,
        disjuncts: 4,
        paths: 12,
        ..middle.clone()
    };
    [least, middle, most]
}

/// Returns the fixpoint, by place, and its CPA.
fn fixpoint(
    blocks: &Arc<Blocks>,
    precision: Precision,
) -> (
    Composite<ValueAnalysis>,
    FxHashMap<InlinedLocation, Rc<Values>>,
) {
    let program = blocks.inlined().program();
    let ids = (0..program.variables.len() as u32).map(VariableId);
    let numbers = |id: &VariableId| matches!(program.variable(*id).sort, Sort::BitVec(_));
    let all: Vec<VariableId> = ids.clone().filter(numbers).collect();
    let pairs = all.windows(2).map(|pair| (pair[0], pair[1]));
    let same =
        |(x, y): &(VariableId, VariableId)| program.variable(*x).sort == program.variable(*y).sort;
    let precision = Rc::new(Precision {
        variables: Rc::new(ids.collect::<FxHashSet<_>>()),
        pairs: pairs.filter(same).collect::<Vec<_>>().into(),
        ..precision
    });
    let domain = ValueAnalysis::new(Arc::clone(blocks), Thresholds::new([3, 7]));
    let mut cpa = Composite::new(Arc::clone(blocks), domain);
    cpa.loop_bound = LoopBoundCpa::unbounded();
    let entry = Place::At(blocks.inlined().entry());
    let state = cpa.domain.initial();
    let initial = cpa.initial(entry, state);
    let mut reached = Reached::new();
    reached.add(&cpa, initial, precision);
    assert_eq!(cpa_plus_plus(&mut cpa, &mut reached, |_| false), End::Done);
    let states = reached
        .since(0)
        .filter_map(|(_, element)| match element.state.place {
            Place::At(at) => Some((at, Rc::clone(&element.state.domain.values))),
            Place::Unsupported { .. } => None,
        });
    let mut by_place = FxHashMap::default();
    for (at, values) in states {
        assert!(
            by_place.insert(at, values).is_none(),
            "two states of one place"
        );
    }
    (cpa, by_place)
}

/// Returns the values after the block, if it is taken with the inputs.
fn run(
    program: &regatta_program::Program,
    block: &Block,
    state: &FxHashMap<Symbol, Value>,
    inputs: &FxHashMap<(Symbol, u32), Value>,
) -> Option<FxHashMap<Symbol, Value>> {
    let assignment = |symbol: Symbol, instance: u32| match instance {
        0 => state.get(&symbol).cloned(),
        _ => inputs.get(&(symbol, instance)).cloned(),
    };
    let mut evaluator = Evaluator::new(store(), &assignment);
    if evaluator.evaluate(block.guard) != Ok(Value::Bool(true)) {
        return None;
    }
    let mut after = state.clone();
    for &(variable, value) in &block.updates {
        let value = evaluator
            .evaluate(value)
            .expect("all variables have values");
        after.insert(program.variable(variable).symbol, value);
    }
    Some(after)
}

fn check_program(bytes: &[u8], seed: u64) {
    let program = random_program(bytes, Recursion::Excluded);
    let blocks = Arc::new(Blocks::new(Arc::new(InlinedProgram::new(Arc::new(
        program,
    )))));
    let program = Arc::clone(blocks.inlined().program());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for precision in precisions() {
        let (cpa, states) = fixpoint(&blocks, precision.clone());
        for _ in 0..4 {
            let mut at = blocks.inlined().entry();
            let zero = |variable: &regatta_program::Variable| {
                (variable.symbol, Value::zero(variable.sort))
            };
            let mut state: FxHashMap<Symbol, Value> = program.variables.iter().map(zero).collect();
            for _ in 0..30 {
                let values = states.get(&at).expect("the place is reached");
                for (&term, set) in &**values {
                    let of = |symbol: Symbol, _: u32| state.get(&symbol).cloned();
                    let value = evaluate(store(), term, &of).expect("a value");
                    assert!(is_member(set, &value), "seed {seed}: {set:?} {value:?}");
                }
                let mut inputs = FxHashMap::default();
                let from = blocks.from(at);
                for input in from.iter().flat_map(|block| &block.inputs) {
                    let key = (input.symbol, input.instance);
                    let value = random_value(&mut random, input.symbol.sort());
                    inputs.entry(key).or_insert(value);
                }
                let next = from.iter().find_map(|block| {
                    let after = run(&program, block, &state, &inputs)?;
                    // Exactly one of the paths into which the block is split is taken, with the same values.
                    let split = paths(&cpa.domain.arena, block, precision.paths);
                    let assignment = |symbol: Symbol, instance: u32| match instance {
                        0 => state.get(&symbol).cloned(),
                        _ => inputs.get(&(symbol, instance)).cloned(),
                    };
                    let mut evaluator = Evaluator::new(&cpa.domain.arena, &assignment);
                    let taken = split
                        .iter()
                        .filter(|path| evaluator.evaluate(path.guard) == Ok(Value::Bool(true)));
                    let taken: Vec<&Path> = taken.collect();
                    assert_eq!(taken.len(), 1, "seed {seed}: paths are told apart");
                    for &(id, value) in &taken[0].updates {
                        let value = Evaluator::new(&cpa.domain.arena, &assignment).evaluate(value);
                        assert_eq!(value.as_ref(), Ok(&after[&program.variable(id).symbol]));
                    }
                    Some((block.target()?, after))
                });
                let Some((target, after)) = next else { break };
                (at, state) = (target, after);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn fixpoints_have_all_concrete_states(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        seed in any::<u64>(),
    ) {
        check_program(&bytes, seed);
    }
}

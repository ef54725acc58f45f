//! Forged certificates, by which tests see whether the checker refuses them (`scripts/planted-faults.py`).
//!
//! There is one for each kind of step that can prove the property, and for `false` as an invariant of locations. The engine
//! submits it for any program.

use regatta_certify::boxes::{Covering, CoveringNode};
use regatta_certify::{Certificate, InvariantLocation, ProofStep};
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;

use regatta_term::TermId;

/// Returns the forged certificate of the planted fault, if one is planted.
pub(super) fn certificate(blocks: &Blocks) -> Option<Certificate> {
    let safety = |relies_on| ProofStep::Safety { k: 1, relies_on };
    let inductive = |places: Vec<InlinedLocation>| ProofStep::Inductive {
        batch: false_at(blocks, places),
        k: 1,
        relies_on: Vec::new(),
    };
    let places = || {
        let places = blocks.cut_points();
        let places = places.into_iter().skip(1);
        let places = places.filter(|at| !blocks.is_error(at.location));
        places.collect::<Vec<_>>()
    };
    let steps = None;
    let steps = planted!(
        "lie: no step leads to a target",
        steps,
        Some(vec![safety(Vec::new())])
    );
    let steps = planted!(
        "lie: no step leads to a target in no step",
        steps,
        Some(vec![ProofStep::Safety {
            k: 0,
            relies_on: Vec::new()
        }])
    );
    let steps = planted!(
        "lie: no two steps lead to a target",
        steps,
        Some(vec![ProofStep::Safety {
            k: 2,
            relies_on: Vec::new()
        }])
    );
    let steps = planted!(
        "lie: all paths end within three steps",
        steps,
        Some(vec![ProofStep::Unrolling { bound: 3 }])
    );
    let steps = planted!(
        "lie: all paths end without open rounds",
        steps,
        Some(vec![ProofStep::Unwinding {
            rounds: Vec::new(),
            merge: true
        }])
    );
    let steps = planted!(
        "lie: no run from the box of all inputs reaches an error",
        steps,
        Some(vec![ProofStep::Boxes {
            covering: Covering {
                nodes: vec![CoveringNode::Leaf]
            }
        }])
    );
    let steps = planted!(
        "lie: no place is reached",
        steps,
        Some(vec![inductive(places()), safety(vec![0])])
    );
    let steps = planted!(
        "lie: each of two steps relies on the other",
        steps,
        Some(vec![
            ProofStep::Inductive {
                batch: false_at(blocks, places()),
                k: 1,
                relies_on: vec![1],
            },
            inductive(places()),
            safety(vec![0]),
        ])
    );
    let steps = planted!(
        "lie: the last place is not reached",
        steps,
        Some(vec![
            inductive(places().into_iter().next_back().into_iter().collect()),
            safety(vec![0]),
        ])
    );
    let steps = planted!(
        "lie: the last place is not reached by two steps",
        steps,
        Some(vec![
            ProofStep::Inductive {
                batch: false_at(
                    blocks,
                    places().into_iter().next_back().into_iter().collect()
                ),
                k: 2,
                relies_on: Vec::new(),
            },
            safety(vec![0]),
        ])
    );
    let steps = planted!(
        "lie: recursive functions are not called and do not return",
        steps,
        Some(vec![ProofStep::Summaries {
            batch: false_at(blocks, function_ends(blocks)),
        }])
    );
    let steps = planted!(
        "lie: recursive functions do not return",
        steps,
        Some(vec![ProofStep::Summaries {
            batch: {
                let mut batch = false_at(blocks, function_ends(blocks));
                let entries = batch.iter_mut().step_by(2);
                entries.for_each(|(_, formula)| *formula = TermId::TRUE);
                batch
            },
        }])
    );
    let steps = planted!(
        "lie: the simplifier left no target",
        steps,
        Some(vec![ProofStep::Simplified])
    );
    steps.map(|steps| Certificate { steps })
}

fn false_at(blocks: &Blocks, places: Vec<InlinedLocation>) -> Vec<(InvariantLocation, TermId)> {
    let places = places.into_iter();
    places
        .map(|at| (InvariantLocation::new(blocks.inlined(), at), TermId::FALSE))
        .collect()
}

/// Returns entry and exit of each recursive function, one after the other.
fn function_ends(blocks: &Blocks) -> Vec<InlinedLocation> {
    let inlined = blocks.inlined();
    let program = inlined.program();
    let functions = inlined.calls().bottom_up().iter();
    functions
        .filter(|&&function| inlined.calls().is_recursive(function))
        .flat_map(|&function| {
            let entry = inlined.entry_of(function);
            let exit = InlinedLocation {
                location: program.function(function).exit,
                ..entry
            };
            [entry, exit]
        })
        .collect()
}

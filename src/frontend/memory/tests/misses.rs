//! Tests that inconsistent results of the steps are an internal error, never a guess.

use super::super::builder::Builder;
use super::super::emit::Emitter;
use super::super::{MemoryChecks, MemoryError};
use super::*;
use crate::memory::analysis::call_graph;
use crate::memory::analysis::constraints::{Facts, NotAnalysed};
use crate::memory::placement::plan::Planner;

/// Emits a unit with the analysis results of another unit.
fn emit_unlike(
    analysed: &Unit,
    unit: &Unit,
    arithmetic: Arithmetic,
) -> Result<Program, MemoryError> {
    let options = MemoryOptions {
        arithmetic,
        ..MemoryOptions::default()
    };
    let reached = call_graph::reachable_functions(analysed);
    let ids: Vec<_> = (0..)
        .zip(&reached)
        .map(|(id, reached)| reached.then_some(regatta_program::FunctionId(id)))
        .collect();
    let (facts, table) = Facts::solve(analysed, &reached);
    let calls = call_graph::CallGraph::new(analysed, &reached, &facts.calls);
    let planner = Planner {
        unit: analysed,
        arithmetic,
        facts: &facts,
        table: &table,
        calls: &calls,
        function_ids: &ids,
        checks: MemoryChecks::default(),
        inserts_behind: std::cell::OnceCell::new(),
    };
    let mut builder = Builder::new(unit.sources.clone(), arithmetic, unit.data_model);
    let mut plan = planner.plan(&mut builder);
    planner.lay_out(&mut plan, &mut builder).unwrap();
    planner.finish_bases(&mut builder);
    Emitter::new(unit, &options, &planner, &plan, &mut builder).run()?;
    Ok(builder.finish())
}

const POINTER: ScalarType = ScalarType::Pointer;

/// `int x, y; int *p = &x; *p = 1;`, with room for more.
fn unit_with(more: Vec<Instruction>) -> Unit {
    let mut maker = Maker::new();
    let x = maker.global("x", vec![leaf(0, INT, 1)]);
    let y = maker.global("y", vec![leaf(0, INT, 1)]);
    let p = maker.local("p", POINTER);
    assert_eq!((x, y, p), (X, Y, P));
    let mut body = vec![
        assign(address(P), POINTER, address(X)),
        assign(load(address(P), POINTER), INT, int(1)),
    ];
    body.extend(more);
    maker.block(body, Terminator::Return);
    maker.unit
}

const X: ObjectIndex = ObjectIndex(0);
const Y: ObjectIndex = ObjectIndex(1);
const P: ObjectIndex = ObjectIndex(2);

fn pointer_of(unit: &Unit) -> &Pointer {
    match &unit.functions[0].blocks[0].instructions[1].0 {
        Instruction::Assign { place, .. } => &place.address,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pointers_are_known_wherever_they_are_moved() {
    let unit = unit_with(Vec::new());
    let (facts, _) = Facts::solve(&unit, &[true]);
    let x = facts.graph.canonical(facts.object(X));
    let copy = unit.clone();
    assert_eq!(facts.target(pointer_of(&unit)), Ok(x));
    assert_eq!(facts.target(pointer_of(&copy)), Ok(x));
    let moved = Box::new(pointer_of(&copy).clone());
    drop(copy);
    assert_eq!(facts.target(&moved), Ok(x));
    // An equal expression elsewhere is another pointer.
    let other = Pointer::new(load(address(P), POINTER));
    assert_eq!(other, *moved);
    assert_eq!(facts.target(&other), Err(NotAnalysed));
}

#[test]
fn a_copy_of_the_unit_is_the_unit() {
    let unit = unit_with(vec![assign(address(Y), INT, load(address(X), INT))]);
    for arithmetic in [Arithmetic::BitVector, Arithmetic::Integer] {
        let program = emit_unlike(&unit, &unit, arithmetic).unwrap();
        let same = emit_unlike(&unit, &unit.clone(), arithmetic).unwrap();
        assert_eq!(operations(&program), operations(&same));
    }
}

#[test]
fn what_the_analysis_has_not_seen_is_an_internal_error() {
    let call = |callee| Instruction::Call {
        callee,
        arguments: Vec::new(),
        result: None,
    };
    let analysed = unit_with(Vec::new());
    let narrow = Place {
        address: pointer_of(&analysed).clone(),
        scalar: CHAR,
        bit_field: None,
    };
    let unseen = [
        ("pointer", assign(address(Y), INT, int(1))),
        ("pointer", Instruction::Assume(load(address(X), INT))),
        // The pointer is known, but not that a byte is read or written there.
        ("access", Instruction::Assume(Expr::Load(narrow.clone()))),
        ("access", Instruction::Choice { place: narrow }),
        ("pointer", Instruction::Free(Pointer::new(address(X)))),
        (
            "`y`, which has none",
            Instruction::Assume(Expr::Convert {
                operand: Box::new(address(Y)),
                from: POINTER,
                to: LONG,
            }),
        ),
        (
            "`main`, which has none",
            assign(address(P), POINTER, Expr::FunctionAddress(FunctionIndex(0))),
        ),
        (
            "`f`, which has none",
            assign(
                address(P),
                POINTER,
                Expr::ExternalFunctionAddress("f".to_owned()),
            ),
        ),
        ("call", call(Callee::Direct(FunctionIndex(0)))),
        (
            "call",
            call(Callee::Indirect(Pointer::new(load(address(P), POINTER)))),
        ),
        (
            "allocation",
            Instruction::Allocate {
                place: Place::new(address(P), POINTER),
                size: long(4),
                alignment: 8,
                lifetime: Lifetime::Heap,
                contents: InitialContents::Uninitialised,
            },
        ),
    ];
    for (what, instruction) in unseen {
        let shown = format!("{instruction:?}");
        let mut unit = analysed.clone();
        let block = &mut unit.functions[0].blocks[0];
        block.instructions.push((instruction, Span::NONE));
        for arithmetic in [Arithmetic::BitVector, Arithmetic::Integer] {
            match emit_unlike(&analysed, &unit, arithmetic) {
                Err(MemoryError::Internal(message)) => {
                    assert!(message.contains(what), "{message} for {shown}");
                }
                other => panic!(
                    "{:?} for {shown}",
                    other.map(|program| operations(&program))
                ),
            }
        }
    }
}

#[test]
fn indices_that_mean_nothing_are_an_internal_error() {
    let no_object = ObjectIndex(7);
    let no_function = FunctionIndex(7);
    let breaks: [fn(&mut Unit); 5] = [
        |unit| unit.functions[0].result = Some(ObjectIndex(7)),
        |unit| unit.functions[0].blocks[0].terminator = Terminator::Goto(BlockIndex(1)),
        |unit| unit.functions[0].blocks.clear(),
        |unit| unit.outside.environment = Some(FunctionIndex(7)),
        |unit| unit.objects[2].storage = Storage::Automatic(FunctionIndex(7)),
    ];
    let mut broken: Vec<Unit> = vec![
        unit_with(vec![Instruction::Declare(no_object)]),
        unit_with(vec![assign(address(no_object), INT, int(1))]),
        unit_with(vec![assign(
            address(P),
            POINTER,
            Expr::FunctionAddress(no_function),
        )]),
        unit_with(vec![Instruction::Call {
            callee: Callee::Direct(no_function),
            arguments: Vec::new(),
            result: None,
        }]),
    ];
    for change in breaks {
        let mut unit = unit_with(Vec::new());
        change(&mut unit);
        broken.push(unit);
    }
    for (number, unit) in broken.iter().enumerate() {
        let result = emit(unit, &MemoryOptions::default());
        assert!(
            matches!(result, Err(MemoryError::Internal(_))),
            "{number}: {result:?}"
        );
    }
}

/// An array of pointers that is written and never read is assigned a copy of one that is not used otherwise.
#[test]
fn what_is_never_read_is_not_copied() {
    let mut maker = Maker::new();
    let array = || vec![leaf(0, POINTER, 100)];
    let (a, b) = (maker.global("a", array()), maker.global("b", array()));
    let i = maker.local("i", INT);
    let size = maker.unit.objects[0].size;
    let element = offset(address(a), times(load(address(i), INT), 8));
    let program = maker.finish(vec![
        assign(element, POINTER, address(a)),
        Instruction::Copy {
            destination: Pointer::new(address(a)),
            source: Pointer::new(address(b)),
            size,
            leaves: array(),
            overlapping: true,
        },
    ]);
    let unsupported = |operation: &Operation| matches!(operation, Operation::Unsupported(_));
    let mut all = program.edges.iter().flat_map(|edge| &edge.operations);
    assert!(!all.any(unsupported), "{:?}", operations(&program));
}

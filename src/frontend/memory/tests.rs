//! Tests on whole units, made by hand: how their objects are stored, and that the program is well formed.

mod misses;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{MemoryOptions, emit};
use crate::ir::*;
use regatta_program::{Arithmetic, DataModel, Lifetime, Operation, Program, Role, SourceMap, Span};
use regatta_term::{FloatFormat, Sort, store, to_smtlib};

const INT: ScalarType = ScalarType::Integer {
    bits: 32,
    signed: true,
};
const LONG: ScalarType = ScalarType::Integer {
    bits: 64,
    signed: true,
};
const CHAR: ScalarType = ScalarType::Integer {
    bits: 8,
    signed: true,
};
const DOUBLE: ScalarType = ScalarType::Float(FloatFormat::F64);

fn leaf(offset: u64, scalar: ScalarType, count: u64) -> Leaf {
    let bits = super::analysis::walk::scalar_bits(scalar, 64);
    Leaf {
        bit_offset: offset * 8,
        bits,
        scalar,
        count,
        stride: bits.into(),
    }
}

/// A unit of one function under construction; `main` is the start.
struct Maker {
    unit: Unit,
}

impl Maker {
    fn new() -> Self {
        let function = Function {
            name: "main".to_owned(),
            parameters: Vec::new(),
            result: None,
            blocks: Vec::new(),
            span: Span::NONE,
        };
        Self {
            unit: Unit {
                sources: SourceMap::default(),
                data_model: DataModel::Lp64,
                objects: Vec::new(),
                functions: vec![function],
                start: FunctionIndex(0),
                dynamic_rounding: false,
                names: Vec::new(),
                texts: FxHashMap::default(),
                entry: None,
                outside: Outside {
                    effect: UnknownEffect::Reachable,
                    environment: None,
                    memory: None,
                },
                devices: Devices::default(),
                volatile: FxHashSet::default(),
                signalled: FxHashSet::default(),
                externals: Vec::new(),
            },
        }
    }

    fn object(&mut self, name: &str, leaves: Vec<Leaf>, storage: Storage) -> ObjectIndex {
        let end = leaves
            .iter()
            .map(|leaf| leaf.bit_offset / 8 + leaf.count * leaf.stride / 8);
        self.unit.objects.push(Object {
            name: name.to_owned(),
            size: end.max().unwrap_or(0).next_multiple_of(8),
            alignment: 8,
            storage,
            constant: false,
            leaves,
            blocks: Vec::new(),
            span: Span::NONE,
        });
        ObjectIndex(self.unit.objects.len() as u32 - 1)
    }

    fn global(&mut self, name: &str, leaves: Vec<Leaf>) -> ObjectIndex {
        self.object(name, leaves, Storage::Static { external: false })
    }

    fn local(&mut self, name: &str, scalar: ScalarType) -> ObjectIndex {
        self.object(
            name,
            vec![leaf(0, scalar, 1)],
            Storage::Automatic(FunctionIndex(0)),
        )
    }

    fn block(&mut self, instructions: Vec<Instruction>, terminator: Terminator) {
        self.unit.functions[0].blocks.push(Block {
            label: None,
            instructions: instructions.into_iter().map(|i| (i, Span::NONE)).collect(),
            terminator,
            span: Span::NONE,
            turns: Vec::new(),
        });
    }

    fn emit(&self, arithmetic: Arithmetic) -> Program {
        let options = MemoryOptions {
            arithmetic,
            malloc_may_fail: false,
            all_assumptions: false,
            checks_overflow: false,
            checks_division: false,
            checks_shift: false,
            memory_checks: super::MemoryChecks::default(),
        };
        let program = emit(&self.unit, &options).unwrap();
        program.validate().unwrap();
        program
    }

    /// Both arithmetics must give well-formed programs; gives the bit vectors' one.
    fn finish(mut self, instructions: Vec<Instruction>) -> Program {
        self.block(instructions, Terminator::Return);
        self.emit(Arithmetic::Integer);
        self.emit(Arithmetic::BitVector)
    }
}

fn int(value: i128) -> Expr {
    Expr::Integer { value, scalar: INT }
}

fn long(value: i128) -> Expr {
    Expr::Integer {
        value,
        scalar: LONG,
    }
}

fn address(object: ObjectIndex) -> Expr {
    Expr::ObjectAddress(object)
}

fn offset(base: Expr, bytes: Expr) -> Expr {
    Expr::Offset {
        base: Box::new(base),
        bytes: Box::new(bytes),
    }
}

fn load(address: Expr, scalar: ScalarType) -> Expr {
    Expr::Load(Place::new(address, scalar))
}

fn assign(address: Expr, scalar: ScalarType, value: Expr) -> Instruction {
    Instruction::Assign {
        place: Place::new(address, scalar),
        value,
    }
}

fn times(index: Expr, size: i128) -> Expr {
    let wide = Expr::Convert {
        operand: Box::new(index),
        from: INT,
        to: LONG,
    };
    Expr::Binary {
        op: BinaryOp::Multiply,
        left: Box::new(wide),
        right: Box::new(long(size)),
        scalar: LONG,
    }
}

fn variable<'p>(program: &'p Program, name: &str) -> &'p regatta_program::Variable {
    program
        .variables
        .iter()
        .find(|variable| variable.name == name)
        .unwrap_or_else(|| panic!("no variable {name} in {:?}", names(program)))
}

fn names(program: &Program) -> Vec<&str> {
    program
        .variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect()
}

/// The sorts of the elements of all regions that are accessed.
fn elements(program: &Program) -> Vec<Sort> {
    program
        .variables
        .iter()
        .filter(|variable| matches!(variable.role, Role::Region(_)))
        .map(|variable| match variable.sort {
            Sort::Array { element, .. } => element.into(),
            other => other,
        })
        .collect()
}

fn operations(program: &Program) -> Vec<String> {
    let show = |term| to_smtlib(store(), term);
    program
        .edges
        .iter()
        .flat_map(|edge| &edge.operations)
        .map(|operation| match operation {
            Operation::Assign { target, value } => {
                format!("{} := {}", program.variable(*target).name, show(*value))
            }
            Operation::Store {
                region,
                index,
                value,
            } => {
                format!("{}[{}] := {}", region.0, show(*index), show(*value))
            }
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn objects_without_an_address_are_variables() {
    let mut maker = Maker::new();
    let x = maker.local("x", INT);
    let d = maker.local("d", DOUBLE);
    let s = maker.global("s", vec![leaf(0, INT, 1), leaf(8, LONG, 1)]);
    let program = maker.finish(vec![
        Instruction::Declare(x),
        assign(address(x), INT, int(1)),
        assign(
            address(d),
            DOUBLE,
            Expr::Float {
                bits: 0,
                format: FloatFormat::F64,
            },
        ),
        assign(offset(address(s), long(8)), LONG, long(5)),
        assign(address(s), INT, load(address(x), INT)),
    ]);
    assert!(program.regions.is_empty());
    assert_eq!(variable(&program, "main::x").sort, Sort::BitVec(32));
    assert_eq!(
        variable(&program, "main::d").sort,
        Sort::Float(FloatFormat::F64)
    );
    assert_eq!(variable(&program, "s@0").sort, Sort::BitVec(32));
    assert_eq!(variable(&program, "s@8").sort, Sort::BitVec(64));
}

#[test]
fn unions_are_bits() {
    let mut maker = Maker::new();
    let mut leaves = vec![leaf(0, LONG, 1), leaf(0, DOUBLE, 1)];
    leaves.push(leaf(4, INT, 1));
    let u = maker.global("u", leaves);
    let d = maker.local("d", DOUBLE);
    maker.block(
        vec![
            assign(address(u), LONG, long(1)),
            assign(offset(address(u), long(4)), INT, int(2)),
            assign(address(d), DOUBLE, load(address(u), DOUBLE)),
        ],
        Terminator::Return,
    );
    let program = maker.emit(Arithmetic::BitVector);
    assert_eq!(variable(&program, "u").sort, Sort::BitVec(64));
    let text = operations(&program).join("\n");
    assert!(text.contains("concat"), "{text}");
    // Mathematical integers give it no meaning.
    let program = maker.emit(Arithmetic::Integer);
    let unsupported = |o: &Operation| matches!(o, Operation::Unsupported(_));
    assert!(
        program
            .edges
            .iter()
            .flat_map(|edge| &edge.operations)
            .any(unsupported)
    );
}

#[test]
fn an_indexed_array_is_a_region_of_words() {
    let mut maker = Maker::new();
    let a = maker.global("a", vec![leaf(0, INT, 10)]);
    let i = maker.local("i", INT);
    let element = || offset(address(a), times(load(address(i), INT), 4));
    let program = maker.finish(vec![
        assign(address(i), INT, int(3)),
        assign(element(), INT, load(offset(address(a), long(8)), INT)),
    ]);
    assert_eq!(elements(&program), [Sort::BitVec(32)]);
    assert_eq!(program.regions[0].element_bytes, 4);
    assert_eq!(program.objects[0].address, program.regions[0].base);
    let text = operations(&program).join("\n");
    // Neither an address nor a shift is left in the index.
    assert!(
        text.contains("0[((_ sign_extend 30) |main::i@0|)]"),
        "{text}"
    );
    assert!(text.contains("select |region#0@0|"), "{text}");
}

#[test]
fn pointers_of_one_class_share_a_region_and_members_do_not() {
    let mut maker = Maker::new();
    let pair = || vec![leaf(0, INT, 1), leaf(8, DOUBLE, 1)];
    let (a, b) = (maker.global("a", pair()), maker.global("b", pair()));
    let p = maker.local("p", ScalarType::Pointer);
    let x = maker.local("x", INT);
    let program = maker.finish(vec![
        assign(address(p), ScalarType::Pointer, address(a)),
        assign(address(p), ScalarType::Pointer, address(b)),
        assign(
            offset(load(address(p), ScalarType::Pointer), long(8)),
            DOUBLE,
            Expr::Float {
                bits: 0,
                format: FloatFormat::F64,
            },
        ),
        assign(
            address(x),
            INT,
            load(load(address(p), ScalarType::Pointer), INT),
        ),
    ]);
    assert_eq!(
        elements(&program),
        [Sort::BitVec(32), Sort::Float(FloatFormat::F64)]
    );
    assert_eq!(program.objects.len(), 2);
    assert_ne!(program.objects[0].address, program.objects[1].address);
    assert_eq!(program.regions[0].objects.len(), 2);
}

#[test]
fn bytes_of_words_are_bytes() {
    let mut maker = Maker::new();
    let a = maker.global("a", vec![leaf(0, INT, 10)]);
    let i = maker.local("i", INT);
    let c = maker.local("c", CHAR);
    maker.block(
        vec![
            assign(
                offset(address(a), times(load(address(i), INT), 4)),
                INT,
                int(7),
            ),
            assign(
                address(c),
                CHAR,
                load(offset(address(a), times(load(address(i), INT), 1)), CHAR),
            ),
        ],
        Terminator::Return,
    );
    let program = maker.emit(Arithmetic::BitVector);
    assert_eq!(elements(&program), [Sort::BitVec(8)]);
    let stores = program
        .edges
        .iter()
        .flat_map(|edge| &edge.operations)
        .filter(|operation| matches!(operation, Operation::Store { .. }));
    assert_eq!(stores.count(), 4);
}

#[test]
fn observed_addresses_are_chosen() {
    let mut maker = Maker::new();
    let (a, b) = (
        maker.global("a", vec![leaf(0, INT, 1)]),
        maker.global("b", vec![leaf(0, INT, 1)]),
    );
    let x = maker.local("x", LONG);
    let as_integer = |object| Expr::Convert {
        operand: Box::new(address(object)),
        from: ScalarType::Pointer,
        to: LONG,
    };
    let program = maker.finish(vec![
        assign(address(x), LONG, as_integer(a)),
        assign(address(x), LONG, as_integer(b)),
    ]);
    assert_eq!(variable(&program, "&a").role, Role::Model);
    assert_eq!(variable(&program, "&b").role, Role::Model);
    // No address is chosen for an object whose address is only passed around.
    let mut maker = Maker::new();
    let a = maker.global("a", vec![leaf(0, INT, 1)]);
    let p = maker.local("p", ScalarType::Pointer);
    let program = maker.finish(vec![
        assign(address(p), ScalarType::Pointer, address(a)),
        assign(load(address(p), ScalarType::Pointer), INT, int(1)),
    ]);
    assert!(!names(&program).contains(&"&a"));
}

#[test]
fn allocations_and_lists() {
    let mut maker = Maker::new();
    let p = maker.local("p", ScalarType::Pointer);
    let q = maker.local("q", ScalarType::Pointer);
    let allocate = || Instruction::Allocate {
        place: Place::new(address(p), ScalarType::Pointer),
        size: long(16),
        alignment: 16,
        lifetime: Lifetime::Heap,
        contents: InitialContents::Uninitialised,
    };
    let pointer = ScalarType::Pointer;
    let body = vec![
        allocate(),
        assign(load(address(p), pointer), INT, int(1)),
        assign(
            offset(load(address(p), pointer), long(8)),
            pointer,
            load(address(q), pointer),
        ),
        assign(address(q), pointer, load(address(p), pointer)),
    ];
    maker.block(body, Terminator::Goto(BlockIndex(0)));
    for arithmetic in [Arithmetic::BitVector, Arithmetic::Integer] {
        let program = maker.emit(arithmetic);
        assert_eq!(elements(&program).len(), 2, "{:?}", names(&program));
        assert!(program.regions.iter().all(|region| region.dynamic));
        assert_eq!(variable(&program, "next address").role, Role::Model);
    }
    // An allocation that happens once has a constant address.
    let mut maker = Maker::new();
    let _ = maker.local("p", ScalarType::Pointer);
    let _ = maker.local("q", ScalarType::Pointer);
    let program = maker.finish(vec![
        allocate(),
        assign(load(address(p), pointer), INT, int(1)),
    ]);
    assert!(
        !names(&program).contains(&"next address"),
        "{:?}",
        names(&program)
    );
}

#[test]
fn calls_pass_parts() {
    let mut maker = Maker::new();
    let structure = || vec![leaf(0, INT, 1), leaf(8, LONG, 1)];
    let callee = FunctionIndex(1);
    let parameter = maker.object("s", structure(), Storage::Automatic(callee));
    let number = maker.object("n", vec![leaf(0, INT, 1)], Storage::Automatic(callee));
    let result = maker.object(
        "<result>",
        vec![leaf(0, LONG, 1)],
        Storage::Automatic(callee),
    );
    let s = maker.object("s", structure(), Storage::Automatic(FunctionIndex(0)));
    let x = maker.local("x", LONG);
    maker.unit.functions.push(Function {
        name: "f".to_owned(),
        parameters: vec![parameter, number],
        result: Some(result),
        blocks: vec![Block {
            label: None,
            instructions: vec![(
                assign(
                    address(result),
                    LONG,
                    load(offset(address(parameter), long(8)), LONG),
                ),
                Span::NONE,
            )],
            terminator: Terminator::Return,
            span: Span::NONE,
            turns: Vec::new(),
        }],
        span: Span::NONE,
    });
    let program = maker.finish(vec![
        assign(offset(address(s), long(8)), LONG, long(4)),
        Instruction::Call {
            callee: Callee::Direct(callee),
            arguments: vec![
                Argument::Object {
                    address: Pointer::new(address(s)),
                    size: 16,
                    leaves: structure(),
                },
                Argument::Scalar {
                    value: int(3),
                    scalar: INT,
                },
            ],
            result: Some(ResultPlace::Scalar(Place::new(address(x), LONG))),
        },
    ]);
    let f = &program.functions[1];
    // Only the member that is read is passed, and the number.
    assert_eq!((f.parameters.len(), f.results.len()), (2, 1));
    assert_eq!(program.variable(f.parameters[0]).name, "f::s@8");
}

#[test]
fn function_pointers_are_cases() {
    let mut maker = Maker::new();
    let pointer = ScalarType::Pointer;
    let p = maker.global("p", vec![leaf(0, pointer, 1)]);
    for (name, parameters) in [("f", 0), ("g", 0), ("h", 1)] {
        let index = FunctionIndex(maker.unit.functions.len() as u32);
        let parameters = (0..parameters)
            .map(|_| maker.object("x", vec![leaf(0, INT, 1)], Storage::Automatic(index)))
            .collect();
        maker.unit.functions.push(Function {
            name: name.to_owned(),
            parameters,
            result: None,
            blocks: vec![Block {
                label: None,
                instructions: Vec::new(),
                terminator: Terminator::Return,
                span: Span::NONE,
                turns: Vec::new(),
            }],
            span: Span::NONE,
        });
    }
    let mut body: Vec<Instruction> = (1..4)
        .map(|index| {
            assign(
                address(p),
                pointer,
                Expr::FunctionAddress(FunctionIndex(index)),
            )
        })
        .collect();
    body.push(Instruction::Call {
        callee: Callee::Indirect(Pointer::new(load(address(p), pointer))),
        arguments: Vec::new(),
        result: None,
    });
    let program = maker.finish(body);
    let count = |wanted: fn(&Operation) -> bool| {
        program
            .edges
            .iter()
            .flat_map(|edge| &edge.operations)
            .filter(|o| wanted(o))
            .count()
    };
    assert_eq!(count(|o| matches!(o, Operation::Call { .. })), 2);
    assert_eq!(count(|o| matches!(o, Operation::Unsupported(_))), 1);
}

#[test]
fn copies_move_what_is_looked_at() {
    let mut maker = Maker::new();
    let structure = || vec![leaf(0, INT, 1), leaf(8, LONG, 1), leaf(16, INT, 100)];
    let (a, b) = (
        maker.global("a", structure()),
        maker.global("b", structure()),
    );
    let x = maker.local("x", LONG);
    let i = maker.local("i", INT);
    let size = maker.unit.objects[0].size;
    let copy = |from, to| Instruction::Copy {
        destination: Pointer::new(address(to)),
        source: Pointer::new(address(from)),
        size,
        leaves: structure(),
        overlapping: false,
    };
    let program = maker.finish(vec![
        assign(offset(address(a), long(8)), LONG, long(4)),
        copy(a, b),
        assign(address(x), LONG, load(offset(address(b), long(8)), LONG)),
    ]);
    assert!(
        operations(&program).contains(&"b@8 := a@8@0".to_owned()),
        "{:?}",
        operations(&program)
    );

    // With an index into the array the objects are in memory, and a loop copies.
    let mut maker = Maker::new();
    let (a2, b2) = (
        maker.global("a", structure()),
        maker.global("b", structure()),
    );
    assert_eq!((a2, b2), (a, b));
    let _ = (maker.local("x", LONG), maker.local("i", INT));
    let element = |object| {
        offset(
            offset(address(object), long(16)),
            times(load(address(i), INT), 4),
        )
    };
    let program = maker.finish(vec![
        assign(element(a), INT, int(4)),
        copy(a, b),
        assign(address(i), INT, load(element(b), INT)),
    ]);
    assert_eq!(elements(&program).len(), 2);
    let outgoing = program.outgoing();
    assert!(
        outgoing.iter().any(|edges| edges.len() == 2),
        "there is a loop"
    );
}

//! Tests of regions and objects: faults, and the values that are read nevertheless.

use super::runs::{WORD, run, word};
use crate::interpreter::{
    Executable, FaultKind, Limits, Machine, MemoryFaultKind, Outcome, ZeroInputs,
};
use crate::{
    Claim, Lifetime, Object, ObjectId, Operation, Program, ProgramBuilder, RegionId, VariableId,
};
use regatta_term::{Build, ScalarSort, Sort, TermId, Value, store};

const POINTER: ScalarSort = ScalarSort::BitVec(64);
const BYTE: ScalarSort = ScalarSort::BitVec(8);

fn address(value: u64) -> TermId {
    store().bv(64, u128::from(value))
}

/// A region of words for [`make_object`].
fn region_of_words(b: &mut ProgramBuilder) -> RegionId {
    b.region("m", ScalarSort::BitVec(62), ScalarSort::BitVec(32))
}

/// Makes the region a single object of `words` words.
fn make_object(program: &mut Program, region: RegionId, name: &str, words: u64) {
    make_object_of(program, region, name, words, 4);
}

/// Makes the region a single object of `cells` cells of `bytes` bytes.
pub(super) fn make_object_of(
    program: &mut Program,
    region: RegionId,
    name: &str,
    cells: u64,
    bytes: u64,
) {
    let object = ObjectId(program.objects.len() as u32);
    program.objects.push(Object {
        name: name.to_owned(),
        address: address(0x1000),
        size: cells * bytes,
        region,
        is_outside: false,
    });
    let region = &mut program.regions[region.index()];
    region.objects.push(object);
    region.dynamic = false;
    region.element_bytes = bytes;
    region.base = address(0x1000);
}

fn cell(index: u128) -> TermId {
    store().bv(62, index)
}

#[test]
fn an_access_outside_of_an_object_is_a_fault_and_reads_the_cell() {
    let mut b = ProgramBuilder::new();
    let region = region_of_words(&mut b);
    let x = b.global("x", WORD);
    for index in [0, 2, 3] {
        b.write(region, cell(index), word(10 + index as u32));
    }
    b.assign(x, store().select(b.contents(region), cell(3)));
    let mut program = b.finish();
    make_object(&mut program, region, "a", 3);
    let (report, values) = run(&program);
    assert_eq!(values[x.index()], Value::bit_vec(32, 13));
    let faults: Vec<_> = report
        .faults
        .iter()
        .map(|fault| (fault.kind, fault.edge.0))
        .collect();
    assert_eq!(
        faults,
        [(FaultKind::OutOfBounds, 2), (FaultKind::OutOfBounds, 3)]
    );
    let executable = Executable::compile(&program);
    let mut machine = Machine::new(&executable);
    machine.run(&mut ZeroInputs, Limits::default());
    assert_eq!(
        machine.read_object("a"),
        Some(vec![10, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0])
    );
    assert_eq!(machine.read_object("b"), None);
}

#[test]
fn objects_live_from_allocation_to_release() {
    let mut b = ProgramBuilder::new();
    let region = b.region("heap", POINTER, BYTE);
    let x = b.global("x", Sort::BitVec(8));
    let allocate = |start, size| Operation::Allocate {
        address: address(start),
        size: address(size),
        lifetime: Lifetime::Heap,
    };
    let free = |start| Operation::Free {
        address: address(start),
        lifetime: Lifetime::Heap,
    };
    let read = |b: &mut ProgramBuilder, index| {
        let value = store().select(b.contents(region), address(index));
        b.assign(x, value);
    };
    b.operations(vec![allocate(0x1000, 8)]);
    b.operations(vec![allocate(0x1008, 8)]);
    read(&mut b, 0x1000); // edge 2
    read(&mut b, 0x1007);
    read(&mut b, 0x100f);
    read(&mut b, 0x1010); // edge 5: behind the second
    read(&mut b, 8); // edge 6: null
    b.operations(vec![free(0x1000)]);
    read(&mut b, 0x1007); // edge 8: released
    read(&mut b, 0x1008); // the other one lives
    b.operations(vec![free(0x1000)]); // edge 10: twice
    b.operations(vec![free(0)]); // null
    b.operations(vec![free(0x1009)]); // edge 12: not a start
    b.operations(vec![allocate(0x1000, 4)]);
    read(&mut b, 0x1003);
    read(&mut b, 0x1004); // edge 15: the new one is shorter
    let (report, _) = run(&b.finish());
    assert!(matches!(report.outcome, Outcome::Ended { .. }));
    let faults: Vec<_> = report
        .faults
        .iter()
        .map(|fault| (fault.edge.0, fault.kind))
        .collect();
    let expected = [
        (5, FaultKind::OutOfBounds),
        (6, FaultKind::NullAccess),
        (8, FaultKind::UseAfterFree),
        (10, FaultKind::InvalidFree),
        (12, FaultKind::InvalidFree),
        (15, FaultKind::OutOfBounds),
    ];
    assert_eq!(faults, expected);
}

#[test]
fn a_number_may_be_written_and_read_byte_by_byte() {
    let mut b = ProgramBuilder::new();
    let region = b.region("heap", POINTER, BYTE);
    let (x, p, low) = (
        b.global("x", WORD),
        b.global("p", Sort::BitVec(64)),
        b.global("low", WORD),
    );
    b.operations(vec![Operation::Allocate {
        address: address(0x1000),
        size: address(6),
        lifetime: Lifetime::Heap,
    }]);
    b.assign(p, address(0x1001));
    b.assign(x, word(0x1234_5678));
    let place = |b: &ProgramBuilder, offset: u64| store().add(b.value(p), address(offset));
    let bytes = (0..4u8).map(|position| Operation::Store {
        region,
        index: place(&b, u64::from(position)),
        value: store().extract(b.value(x), position * 8 + 7, position * 8),
    });
    let bytes = bytes.collect();
    b.operations(bytes);
    let number = |b: &ProgramBuilder, from: u64| {
        let byte = |position| store().select(b.contents(region), place(b, from + position));
        let high = store().concat(byte(3), byte(2));
        store().concat(high, store().concat(byte(1), byte(0)))
    };
    b.assign(x, number(&b, 1));
    b.assign(low, number(&b, 2));
    let (report, values) = run(&b.finish());
    assert_eq!(values[x.index()], Value::bit_vec(32, 0x0012_3456));
    assert_eq!(values[low.index()], Value::bit_vec(32, 0x1234));
    let faults: Vec<_> = report
        .faults
        .iter()
        .map(|fault| (fault.edge.0, fault.kind))
        .collect();
    assert_eq!(faults, [(5, FaultKind::OutOfBounds)]);
}

#[test]
fn stores_that_see_each_other_are_not_merged() {
    // The first store changes a byte on which the value of the second one depends.
    let mut b = ProgramBuilder::new();
    let region = b.region("m", ScalarSort::BitVec(32), BYTE);
    b.write(region, word(0), store().bv(8, 7));
    let number = store().concat(
        store().select(b.contents(region), word(0)),
        store().select(b.contents(region), word(0)),
    );
    b.operations(vec![
        Operation::Store {
            region,
            index: word(0),
            value: store().extract(store().add(number, store().bv(16, 1)), 7, 0),
        },
        Operation::Store {
            region,
            index: word(1),
            value: store().extract(store().add(number, store().bv(16, 1)), 15, 8),
        },
    ]);
    let contents = b.program().region(region).variable;
    let (_, values) = run(&b.finish());
    let Value::Array(array) = &values[contents.index()] else {
        panic!("a region is an array");
    };
    assert_eq!(array.select(&Value::bit_vec(32, 0)), &Value::bit_vec(8, 8));
    assert_eq!(array.select(&Value::bit_vec(32, 1)), &Value::bit_vec(8, 8));
}

#[test]
fn large_arrays_are_cheap_until_they_are_written() {
    let mut b = ProgramBuilder::new();
    let region = region_of_words(&mut b);
    let (x, i) = (b.global("x", WORD), b.global("i", Sort::BitVec(62)));
    let variable = b.program().region(region).variable;
    let sort = b.program().variable(variable).sort;
    let Sort::Array { index, .. } = sort else {
        panic!("a region is an array")
    };
    b.assign(variable, store().const_array(index, word(9)));
    let more = store().ult(b.value(i), cell(1 << 33));
    b.repeat_while(more, |b| {
        b.write(region, b.value(i), word(1));
        b.assign(i, store().add(b.value(i), cell(1 << 20)));
    });
    b.assign(
        x,
        store().add(
            store().select(b.contents(region), cell((1 << 33) - (1 << 20))),
            store().select(b.contents(region), cell((1 << 33) - 1)),
        ),
    );
    let mut program = b.finish();
    make_object(&mut program, region, "large", 1 << 34);
    let (report, values) = run(&program);
    assert_eq!(report.fault_count, 0);
    assert_eq!(values[x.index()], Value::bit_vec(32, 10));
}

/// A run of the operations, from a program whose pointer variable `p` and heap are those that `make` gets.
fn run_of(
    make: impl FnOnce(RegionId, VariableId) -> Vec<Vec<Operation>>,
) -> crate::interpreter::Report {
    let mut b = ProgramBuilder::new();
    let region = b.region("heap", ScalarSort::BitVec(61), POINTER);
    let p = b.global("p", POINTER.into());
    for operations in make(region, p) {
        b.operations(operations);
    }
    let mut program = b.finish();
    program.regions[region.index()].element_bytes = 8;
    run(&program).0
}

fn allocated(start: u64) -> Operation {
    Operation::Allocate {
        address: address(start),
        size: address(16),
        lifetime: Lifetime::Heap,
    }
}

#[test]
fn claims_are_judged_by_the_objects() {
    let access = |start, bytes| {
        Operation::Claim(Claim::InvalidAccess {
            address: address(start),
            bytes: address(bytes),
        })
    };
    let free = |start| {
        Operation::Claim(Claim::InvalidFree {
            address: address(start),
        })
    };
    for (claim, expected) in [
        (access(0x1008, 8), None),
        (access(0x1009, 8), Some(MemoryFaultKind::OutOfBounds)),
        (access(0, 1), Some(MemoryFaultKind::NullAccess)),
        (free(0x1000), None),
        (free(0), None),
        (free(0x1008), Some(MemoryFaultKind::FreeInside)),
        (
            Operation::Claim(Claim::Allocated),
            Some(MemoryFaultKind::NotFreed),
        ),
    ] {
        let report = run_of(|_, _| vec![vec![allocated(0x1000)], vec![claim.clone()]]);
        let found = report.memory_fault.map(|fault| fault.kind);
        assert_eq!(found, expected, "{claim:?}");
        let is_false = report
            .faults
            .iter()
            .any(|fault| fault.kind == FaultKind::FalseClaim);
        assert_eq!(is_false, expected.is_none(), "{claim:?}");
    }
}

#[test]
fn an_object_is_lost_if_no_pointer_leads_to_it() {
    let lost = || vec![Operation::Claim(Claim::Lost)];
    let set = |target, value| vec![Operation::Assign { target, value }];
    let two = || vec![vec![allocated(0x1000)], vec![allocated(0x2000)]];
    let store_at = |region, start: u128, value| {
        vec![Operation::Store {
            region,
            index: store().bv(61, start / 8),
            value: address(value),
        }]
    };
    let is_lost = |report: crate::interpreter::Report| {
        report.memory_fault.map(|fault| fault.kind) == Some(MemoryFaultKind::Lost)
    };
    // Both, one of the two, the second by the first, and by each other only.
    assert!(is_lost(run_of(|_, _| [two(), vec![lost()]].concat())));
    assert!(is_lost(run_of(|_, p| {
        [two(), vec![set(p, address(0x1000)), lost()]].concat()
    })));
    assert!(!is_lost(run_of(|region, p| {
        let first = store_at(region, 0x1008, 0x2010);
        [two(), vec![first, set(p, address(0x1004)), lost()]].concat()
    })));
    assert!(is_lost(run_of(|region, _| {
        let each = [
            store_at(region, 0x1000, 0x2000),
            store_at(region, 0x2000, 0x1000),
        ];
        [two(), each.to_vec(), vec![lost()]].concat()
    })));
}

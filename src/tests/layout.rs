//! Sizes, alignments and offsets of C's types agree with gcc, for both data models: random declarations are lowered, and
//! gcc checks the results as static assertions.

use std::fmt::Write as _;
use std::process::Command;

use crate::frontend::Specification;
use crate::frontend::ir::{Devices, Expr, Instruction, UnknownEffect};
use crate::frontend::lower::{LowerOptions, lower};
use crate::frontend::parse::{parse, with_large_stack};
use crate::frontend::preprocess::Preprocessed;
use crate::program::DataModel;
use proptest::prelude::*;

/// The values of constant expressions after the declarations, as lowered.
fn values(declarations: &str, expressions: &[String], data_model: DataModel) -> Vec<i128> {
    let mut text = declarations.to_owned();
    for (number, expression) in expressions.iter().enumerate() {
        // A constant is added so that no value is zero: zero is not assigned.
        let _ = writeln!(
            text,
            "unsigned long long v{number} = ({expression}) + 1000;"
        );
    }
    text.push_str("int main(void) { return 0; }\n");
    let lowered = with_large_stack(|| {
        let parsed = parse(Preprocessed::from_text("layout.c", text.as_str()))?;
        let options = LowerOptions {
            data_model,
            unknown_calls: UnknownEffect::Pure,
            devices: Devices::default(),
            entry: None,
        };
        Ok(lower(&[parsed], &Specification::default(), &options)?.0)
    });
    let unit = match lowered {
        Ok(Ok(unit)) => unit,
        Ok(Err(error)) | Err(error) => panic!("{error}\n{text}"),
    };
    let start = &unit.functions[unit.start.0 as usize];
    let mut values = vec![None; expressions.len()];
    for (instruction, _) in &start.blocks[0].instructions {
        if let Instruction::Assign { place, value } = instruction
            && let Expr::ObjectAddress(object) = &*place.address
            && let Some(number) = unit.objects[object.0 as usize].name.strip_prefix('v')
            && let Ok(number) = number.parse::<usize>()
            && let Expr::Integer { value, .. } = value
        {
            values[number] = Some(value - 1000);
        }
    }
    values
        .into_iter()
        .zip(expressions)
        .map(|(value, expression)| value.unwrap_or_else(|| panic!("no value: {expression}")))
        .collect()
}

/// Checks with gcc that the expressions have the same values as lowered. Only the syntax is checked, so `-m32` needs no
/// libraries.
fn confirm(declarations: &str, expressions: &[String]) {
    for (model, flag) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let values = values(declarations, expressions, model);
        let mut text = declarations.to_owned();
        for (expression, value) in expressions.iter().zip(values) {
            let _ = writeln!(
                text,
                "_Static_assert(({expression}) == {value}, \"{value}\");"
            );
        }
        let folder = tempfile::tempdir().expect("a folder for the test");
        let file = folder.path().join("layout.c");
        std::fs::write(&file, &text).expect("the file can be written");
        let output = Command::new("gcc")
            .args([flag, "-w", "-fsyntax-only", "-std=gnu11"])
            .arg(&file)
            .output()
            .expect("gcc runs");
        assert!(
            output.status.success(),
            "{flag}\n{}\n{text}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn basic_types() {
    let types = [
        "_Bool",
        "char",
        "short",
        "int",
        "long",
        "long long",
        "float",
        "double",
        "long double",
        "_Float128",
        "void *",
        "int (*)(void)",
        "wchar",
        "enum small",
        "enum negative",
        "enum large",
        "__builtin_va_list",
        "enum packed",
        "vector",
    ];
    let declarations = "typedef __typeof__(L'a') wchar;\nenum small { A };\nenum negative { B = -1 };\n\
        enum large { C = 0x100000000ll };\nenum packed { D, E = 200 } __attribute__((packed));\n\
        typedef int vector __attribute__((vector_size(16)));\n";
    let mut expressions = Vec::new();
    for ty in types {
        expressions.push(format!("sizeof({ty})"));
        expressions.push(format!("_Alignof({ty})"));
    }
    confirm(declarations, &expressions);
}

#[test]
fn records_with_attributes() {
    let declarations = "
        struct packed_inside { char c; int i __attribute__((packed)); short s; };
        struct aligned { char c; } __attribute__((aligned(32)));
        struct both { char c; double d; short s; } __attribute__((packed, aligned(4)));
        struct member_aligned { char c; char d __attribute__((aligned(8))); int i; };
        typedef int aligned_int __attribute__((aligned(16)));
        struct by_typedef { char c; aligned_int i; char d; };
        typedef long long loose __attribute__((aligned(2)));
        struct by_loose_typedef { char c; loose l; char d; };
        struct flexible { char c; long long rest[]; };
        struct zero_length { short s; int none[0]; char c; };
        struct empty {};
        struct with_empty { char c; struct empty e; int i; };
        union mixed { char c[5]; short s; int : 17; };
        struct anonymous { char c; union { int i; double d; }; struct { char x; short y; }; };
        struct packed_nested { char c; struct { char x; int y; } n; } __attribute__((packed));
        struct packed_bits { char c; unsigned a : 3; unsigned b : 30; char d; } __attribute__((packed));
        struct zero_width { unsigned a : 3; unsigned : 0; unsigned b : 3; char c; };
        struct unnamed { char c; long long : 40; char d; };
        struct long_bits { int i; long long a : 33; long long b : 33; char c; };
        struct bool_bits { _Bool a : 1; _Bool b : 1; char c : 7; short s : 9; };
        struct packed_field_bits { char c; int i : 20 __attribute__((packed)); int j : 20; };
        union bits { unsigned a : 3; long long b : 35; };
        struct quad { char c; _Float128 q; char d; };
        struct extended { char c; long double l; char d; };
    ";
    let records = [
        ("struct packed_inside", "i s"),
        ("struct aligned", "c"),
        ("struct both", "d s"),
        ("struct member_aligned", "d i"),
        ("struct by_typedef", "i d"),
        ("struct by_loose_typedef", "l d"),
        ("struct flexible", "rest"),
        ("struct zero_length", "none c"),
        ("struct empty", ""),
        ("struct with_empty", "e i"),
        ("union mixed", "c s"),
        ("struct anonymous", "i d x y"),
        ("struct packed_nested", "n n.y"),
        ("struct packed_bits", "c d"),
        ("struct zero_width", "c"),
        ("struct unnamed", "d"),
        ("struct long_bits", "c"),
        ("struct bool_bits", ""),
        ("struct packed_field_bits", "c"),
        ("union bits", ""),
        ("struct quad", "q d"),
        ("struct extended", "l d"),
    ];
    let mut expressions = Vec::new();
    for (record, members) in records {
        expressions.push(format!("sizeof({record})"));
        expressions.push(format!("_Alignof({record})"));
        for member in members.split_whitespace() {
            expressions.push(format!("__builtin_offsetof({record}, {member})"));
        }
    }
    confirm(declarations, &expressions);
}

/// A member: its declaration with `@` for the name, and whether `offsetof` applies.
fn member() -> impl Strategy<Value = (String, bool)> {
    let scalar = prop::sample::select(vec![
        "char",
        "short",
        "int",
        "long",
        "long long",
        "float",
        "double",
        "long double",
        "void *",
        "_Bool",
        "enum e",
    ]);
    let attribute = prop::sample::select(vec![
        "",
        "",
        "",
        "",
        "__attribute__((packed))",
        "__attribute__((aligned(8)))",
        "__attribute__((aligned(2)))",
    ]);
    let bit_type = prop::sample::select(vec![
        ("char", 8u32),
        ("unsigned short", 16),
        ("int", 32),
        ("unsigned", 32),
        ("long long", 64),
        ("unsigned long long", 64),
        ("_Bool", 1),
        ("enum e", 32),
    ]);
    let bit_attribute = prop::sample::select(vec!["", "", "", "__attribute__((packed))"]);
    prop_oneof![
        (scalar.clone(), attribute)
            .prop_map(|(ty, attribute)| (format!("{ty} @ {attribute}"), true)),
        (scalar.clone(), 0u32..4).prop_map(|(ty, length)| (format!("{ty} @[{length}]"), true)),
        (scalar.clone(), scalar)
            .prop_map(|(first, second)| (format!("struct {{ {first} x; {second} y; }} @"), true)),
        (bit_type.clone(), 1u32..65, bit_attribute).prop_map(|((ty, limit), width, attribute)| {
            let width = (width - 1) % limit + 1;
            (format!("{ty} @ : {width} {attribute}"), false)
        }),
        (bit_type, 0u32..65).prop_map(|((ty, limit), width)| {
            (format!("{ty} : {}", width % (limit + 1)), false)
        }),
    ]
}

fn record() -> impl Strategy<Value = (&'static str, Vec<(String, bool)>, &'static str)> {
    (
        prop::sample::select(vec!["struct", "struct", "struct", "union"]),
        prop::collection::vec(member(), 1..9),
        prop::sample::select(vec![
            "",
            "",
            "__attribute__((packed))",
            "__attribute__((aligned(8)))",
            "__attribute__((packed, aligned(2)))",
        ]),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn random_records(records in prop::collection::vec(record(), 40)) {
        let mut declarations = "enum e { A, B };\n".to_owned();
        let mut expressions = Vec::new();
        for (number, (kind, members, attribute)) in records.iter().enumerate() {
            let name = format!("{kind} r{number}");
            let _ = write!(declarations, "{name} {{ ");
            for (position, (member, has_offset)) in members.iter().enumerate() {
                let member_name = format!("m{position}");
                let _ = write!(declarations, "{}; ", member.replace('@', &member_name));
                if *has_offset {
                    expressions.push(format!("__builtin_offsetof({name}, {member_name})"));
                }
            }
            let _ = writeln!(declarations, "}} {attribute};");
            expressions.push(format!("sizeof({name})"));
            expressions.push(format!("_Alignof({name})"));
        }
        confirm(&declarations, &expressions);
    }
}

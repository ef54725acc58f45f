//! Tests that printed C expressions have the values of their terms, by compiling and running them.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use crate::term::{
    BitVecValue, CType, CVariable, Evaluator, FloatFormat, Sort, Symbol, Value, evaluate, to_c,
    to_smtlib,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::recipe::recipes;
use crate::term::random::Language;

/// Languages with the types of C; extraction and concatenation add odd widths.
fn c_types() -> impl Strategy<Value = Language> {
    let widths = prop::sample::select(vec![
        vec![8, 32],
        vec![16, 64],
        vec![32, 64],
        vec![8, 16],
        vec![64, 8],
        vec![32],
    ]);
    let formats = vec![FloatFormat::F32, FloatFormat::F64];
    (widths, any::<bool>(), any::<bool>()).prop_map(move |(widths, floats, integers)| Language {
        widths,
        formats: if floats { formats.clone() } else { Vec::new() },
        integers,
        arrays: Vec::new(),
    })
}

/// The variable's type: the first of a pair is signed.
fn declared(symbol: Symbol) -> CVariable {
    let is_signed = symbol.name().starts_with('x');
    let c_type = match symbol.sort() {
        Sort::BitVec(2) => CType::Bool,
        Sort::BitVec(width) if is_signed => CType::Signed(width),
        Sort::BitVec(width) => CType::Unsigned(width),
        Sort::Int if is_signed => CType::Signed(32),
        Sort::Int => CType::Unsigned(16),
        Sort::Float(format) => CType::Float(format),
        _ => CType::Bool,
    };
    CVariable {
        name: symbol.name().to_owned(),
        c_type,
    }
}

fn type_name(c_type: CType) -> &'static str {
    match c_type {
        CType::Signed(8) => "signed char",
        CType::Signed(16) => "short",
        CType::Signed(32) => "int",
        CType::Signed(_) => "long",
        CType::Unsigned(8) => "unsigned char",
        CType::Unsigned(16) => "unsigned short",
        CType::Unsigned(32) => "unsigned int",
        CType::Unsigned(_) => "unsigned long",
        CType::Bool => "_Bool",
        CType::Float(FloatFormat::F32) => "float",
        CType::Float(_) => "double",
        CType::Pointer => "void *",
    }
}

/// Reduces the value to the range of the variable's C type.
fn in_range(symbol: Symbol, value: Value) -> Value {
    match (value, declared(symbol).c_type) {
        (Value::Int(value), CType::Signed(width)) => {
            Value::int(BitVecValue::from_int(width, &value).signed())
        }
        (Value::Int(value), CType::Unsigned(width)) => {
            Value::int(BitVecValue::from_int(width, &value).bits())
        }
        (Value::BitVec(value), CType::Bool) => Value::bit_vec(value.width(), value.bits() & 1),
        (value, _) => value,
    }
}

/// Returns an initialiser and a comparison of an expression `E` with the value.
fn in_c(value: &Value) -> (String, String) {
    let of_bits = |bits: u128| format!("{}ULL", bits as u64);
    match value {
        Value::Bool(value) => (
            u8::from(*value).to_string(),
            format!("(E) == {}", u8::from(*value)),
        ),
        Value::BitVec(value) => {
            let ones = of_bits(u128::MAX >> (128 - value.width()));
            let bits = of_bits(value.bits());
            (
                bits.clone(),
                format!("((unsigned long long)(E) & {ones}) == {bits}"),
            )
        }
        Value::Int(value) => {
            let number = BitVecValue::from_int(64, value);
            let text = format!("(long long){}", of_bits(number.bits()));
            (text.clone(), format!("(long long)(E) == {text}"))
        }
        Value::Float(value) if value.is_nan() => {
            ("__builtin_nanf(\"\")".to_owned(), "(E) != (E)".to_owned())
        }
        Value::Float(value) => {
            let sign = if value.sign_bit() { "-" } else { "" };
            let text = match value.is_infinite() {
                true => format!("{sign}__builtin_inf()"),
                false => value.to_string(),
            };
            let same_sign = format!("!__builtin_signbit(E) == {}", u8::from(!value.sign_bit()));
            (text.clone(), format!("(E) == {text} && ({same_sign})"))
        }
        Value::Array(_) => unreachable!("no arrays here"),
    }
}

#[test]
fn printed_c_means_the_same() {
    let mut runner = TestRunner::deterministic();
    let mut source = "#include <stdio.h>\n".to_owned();
    let (mut checks, mut calls) = (0, String::new());
    for number in 0..60 {
        let recipe = recipes(c_types(), 50)
            .new_tree(&mut runner)
            .expect("a recipe")
            .current();
        let terms = recipe.build();
        let values: HashMap<_, _> = terms
            .assignment(recipe.seeds[0])
            .into_iter()
            .map(|(symbol, value)| (symbol, in_range(symbol, value)))
            .collect();
        let assignment = |symbol: Symbol, _| values.get(&symbol).cloned();
        let mut evaluator = Evaluator::new(&terms.arena, &assignment);
        let _ = writeln!(source, "static void f{number}(void) {{");
        for symbol in &terms.variables {
            let name = type_name(declared(*symbol).c_type);
            let _ = writeln!(
                source,
                "  {name} {} = {};",
                symbol.name(),
                in_c(&values[symbol]).0
            );
        }
        for term in terms.pairs.iter().flat_map(|pair| [pair.raw, pair.simple]) {
            let declared = |symbol, _| Some(declared(symbol));
            let Some(text) = to_c(&terms.arena, term, &declared).filter(|text| text.len() < 4000)
            else {
                continue;
            };
            let value = evaluator.evaluate(term).expect("all variables have values");
            let _ = writeln!(source, "  // {} is {value}", to_smtlib(&terms.arena, term));
            let comparison = in_c(&value).1.replace("(E)", &format!("({text})"));
            let _ = writeln!(
                source,
                "  if (!({comparison})) printf(\"line %d\\n\", __LINE__);"
            );
            checks += 1;
        }
        source.push_str("}\n");
        let _ = writeln!(calls, "  f{number}();");
    }
    assert!(checks > 1500, "{checks} expressions");
    let _ = writeln!(source, "int main(void) {{\n{calls}  return 0;\n}}");
    let folder = tempfile::tempdir().expect("a folder");
    let (file, program) = (folder.path().join("terms.c"), folder.path().join("terms"));
    fs::write(&file, &source).expect("written");
    let trap = [
        "-fsanitize=undefined",
        "-fsanitize-undefined-trap-on-error",
        "-fno-sanitize=float-cast-overflow",
    ];
    let compiled = Command::new("gcc")
        .args(["-std=c11", "-w"])
        .args(trap)
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .output();
    let compiled = compiled.expect("gcc runs");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let run = Command::new(&program).output().expect("it runs");
    let output = String::from_utf8_lossy(&run.stdout);
    let wrong: Vec<_> = output
        .lines()
        .filter_map(|line| line.strip_prefix("line ")?.parse::<usize>().ok())
        .map(|line| {
            source
                .lines()
                .skip(line - 2)
                .take(2)
                .collect::<Vec<_>>()
                .join("\n")
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {checks}, such as\n{}",
        wrong.len(),
        wrong[0]
    );
    assert!(
        run.status.success(),
        "undefined behaviour: {:?}",
        run.status
    );
}

/// Tests that texts are readable in a witness.
#[test]
fn readable() {
    use crate::term::{Build, store};
    let pool = store();
    let (x, y) = (
        Symbol::new("x0", Sort::BitVec(32)),
        Symbol::new("y0", Sort::BitVec(32)),
    );
    let (a, b) = (pool.variable(x), pool.variable(y));
    let k = |value| pool.bv_signed(32, value);
    let cases = [
        (pool.sle(a, k(9)), "x0 < 10"),
        (
            pool.and2(pool.ne(a, k(-1)), pool.ult(b, k(7))),
            "!(x0 == -1) && y0 < 7U",
        ),
        (pool.ult(pool.add(a, k(3)), b), "(unsigned int)x0 + 3U < y0"),
        (pool.slt(a, b), "x0 < (int)y0"),
    ];
    for (term, expected) in cases {
        let text = to_c(pool, term, &|symbol, _| Some(declared(symbol)));
        let sorted = |text: &str| {
            text.split(" && ")
                .map(str::to_owned)
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(text.as_deref().map(sorted), Some(sorted(expected)));
        assert!(evaluate(pool, term, &|symbol, _| Some(Value::zero(symbol.sort()))).is_ok());
    }
}

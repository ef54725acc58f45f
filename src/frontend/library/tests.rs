//! Tests of the table and of the prelude's texts.

use lang_c::ast::ExternalDeclaration;

use super::*;

#[test]
fn every_function_of_the_prelude_is_one_definition() {
    let mut count = 0;
    for function in LIBRARY
        .functions
        .values()
        .filter(|function| function.model == Model::Prelude)
    {
        let unit = definition(function.name)
            .unwrap()
            .unwrap_or_else(|error| panic!("{}: {error}", function.name));
        let definitions = unit
            .declarations
            .iter()
            .filter(|declaration| {
                matches!(
                    declaration.node.node,
                    ExternalDeclaration::FunctionDefinition(_)
                )
            })
            .count();
        assert_eq!(definitions, 1, "{}", function.name);
        count += 1;
    }
    assert!(count > 150, "{count}");
}

#[test]
fn every_prototype_is_a_declaration() {
    for function in LIBRARY.functions.values() {
        match prototype(function.name) {
            Some(unit) => {
                let unit = unit.unwrap_or_else(|error| panic!("{}: {error}", function.prototype));
                assert!(!unit.declarations.is_empty(), "{}", function.name);
            }
            None => assert_eq!(function.prototype, "", "{}", function.name),
        }
        assert!(
            function.name.chars().all(is_name_character),
            "{}",
            function.name
        );
    }
}

#[test]
fn lookups() {
    let model = |name: &str| lookup(name).map(|function| function.model);
    let table = [
        ("strlen", Some(Model::Prelude)),
        ("__builtin_strlen", Some(Model::Prelude)),
        ("__builtin_parity", Some(Model::Prelude)),
        ("malloc", Some(Model::Builtin(Builtin::Malloc))),
        ("fabsf", Some(Model::Math(MathFunction::AbsoluteValue))),
        (
            "__builtin_fabs",
            Some(Model::Math(MathFunction::AbsoluteValue)),
        ),
        ("fmodl", Some(Model::Math(MathFunction::Modulo))),
        ("fminl", Some(Model::Prelude)),
        ("tanf", Some(Model::Approximate)),
        ("printf", Some(Model::Builtin(Builtin::Formatted))),
        ("__isoc99_sscanf", Some(Model::Builtin(Builtin::Formatted))),
        ("getc_unlocked", Some(Model::Prelude)),
        (
            "__VERIFIER_nondet_int",
            Some(Model::Builtin(Builtin::Nondet)),
        ),
        (
            "__VERIFIER_nondet_of_the_user",
            Some(Model::Builtin(Builtin::Nondet)),
        ),
        ("__builtin_of_the_future", Some(Model::Unsupported)),
        ("__sync_fetch_and_add", Some(Model::Unsupported)),
        ("longjmp", Some(Model::Builtin(Builtin::LongJump))),
        ("getcontext", Some(Model::Unsupported)),
        ("of_the_user", None),
        ("", None),
    ];
    for (name, expected) in table {
        assert_eq!(model(name), expected, "{name}");
    }
    assert_eq!(
        lookup("fmodf").unwrap().prototype,
        "float fmodf(float, float)"
    );
    assert_eq!(
        lookup("strlen").unwrap().prototype,
        "__regatta_size_t strlen(const char *s)"
    );
    assert_eq!(lookup("__builtin_isnan").unwrap().prototype, "");
}

#[test]
fn dependencies_come_in_front() {
    let names = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let lines = names(&LIBRARY.with_dependencies("__regatta_long_double_bits x;"));
    assert_eq!(lines.len(), 3);
    assert!(lines[0].ends_with("__regatta_long_double_parts;"));
    assert!(lines[1].ends_with("__regatta_long_double_bits;"));
    let lines =
        names(&LIBRARY.with_dependencies("int *f(void) { return &__regatta_shared_errno; }"));
    assert_eq!(lines[0], "static int __regatta_shared_errno;");
}

/// Definitions of the reserved functions that the prelude calls, for a compiled program.
const STUBS: &str = "
    #include <stdlib.h>
    static char __regatta_unknown_char(void) { return 'x'; }
    static int unknown_bits;
    static int __regatta_unknown_int(void) { return unknown_bits; }
    static float __regatta_unknown_float(void) { return 0; }
    static double __regatta_unknown_double(void) { return 0; }
    static long double __regatta_unknown_long_double(void) { return 0; }
    static __regatta_size_t __regatta_allocated_size(void *p) { (void)p; return 0; }
    static void *__regatta_resized(void *p, __regatta_size_t size) { return (realloc)(p, size); }
    static void *__regatta_zeroed_pages(__regatta_size_t size) { return calloc(1, size); }
    static void __regatta_unsupported(const char *what) { (void)what; abort(); }
    static void __VERIFIER_assume(int condition) { if (!condition) abort(); }
    static int __VERIFIER_nondet_int(void) { return 0; }
    static unsigned __VERIFIER_nondet_uint(void) { return 0; }
    static long __VERIFIER_nondet_long(void) { return 0; }
    static char __VERIFIER_nondet_char(void) { return 'x'; }
    static _Bool __VERIFIER_nondet_bool(void) { return 0; }
    static double __VERIFIER_nondet_double(void) { return 0; }
    static unsigned long __VERIFIER_nondet_ulong(void) { return 1; }
    static long long __VERIFIER_nondet_longlong(void) { return 0; }
    static unsigned long long __VERIFIER_nondet_ulonglong(void) { return 0; }
    static void __VERIFIER_nondet_memory(void *p, __regatta_size_t n) { (void)p; (void)n; }
    static __regatta_size_t __regatta_unknown_size(void) { return 0; }
    static void __regatta_assumed_library(const char *what) { (void)what; }
    static void __regatta_assumed_surroundings(const char *what) { (void)what; }
    static int __regatta_callbacks_matter(void) { return 0; }
    static int __regatta_counts_matter(void) { return 0; }
    static int __regatta_environment_is_named(void) { return 0; }
    static int __regatta_streams_elsewhere(void) { return 0; }
    static int __regatta_elsewhere_had_control(void) { return 0; }
    static void __regatta_elsewhere_at_end(void) {}
    static int __regatta_elsewhere(void *stream, ...) { (void)stream; return 0; }
    static long long __regatta_unknown_longlong(void) { return 0; }
    static double __regatta_unknown_real(void) { return 0; }
    static float __regatta_unknown_realf(void) { return 0; }
    static long double __regatta_unknown_reall(void) { return 0; }
    static __regatta_size_t __VERIFIER_nondet_size_t(void) { return 0; }
";

/// The prelude as a C program, with the prefix `model_` for its functions' names, followed by code that uses them.
fn prelude_with(text_behind: &str) -> String {
    let mut names: Vec<&str> = LIBRARY.items.keys().copied().collect();
    names.retain(|name| lookup(name).is_some_and(|function| function.model == Model::Prelude));
    names.sort_unstable();
    let mut text = String::from("#define _GNU_SOURCE\n#include \"types.c\"\n");
    text.push_str(STUBS);
    text.push_str(
        "#include <math.h>\n#include <string.h>\n#include <ctype.h>\n#include <fenv.h>\n",
    );
    for name in &names {
        text.push_str(&format!("#undef {name}\n"));
        if !name.starts_with("__regatta_input") {
            text.push_str(&format!("#define {name} model_{name}\n"));
        }
    }
    // Every function is declared before any is defined.
    let prototypes = names
        .iter()
        .filter_map(|name| lookup(name))
        .map(|function| function.prototype);
    text.extend(prototypes.map(|prototype| format!("{prototype};\n")));
    text.extend(PRELUDE.iter().copied());
    text.push_str(&MATH_TEXT);
    text.extend(names.iter().map(|name| format!("\n#undef {name}")));
    text.push('\n');
    text.push_str(text_behind);
    text
}

/// Compiles a program with the prelude for a machine and runs it. Returns its complaints, or `None` without a compiler.
fn run_with_prelude(text_behind: &str, machine: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("types.c"), TYPES).unwrap();
    std::fs::write(folder.path().join("main.c"), prelude_with(text_behind)).unwrap();
    let program = folder.path().join("main");
    let compiled = std::process::Command::new("cc")
        .args([
            "-std=gnu11",
            "-w",
            "-fno-builtin",
            "-frounding-math",
            "-ffp-contract=off",
            "-O0",
        ])
        .args(machine)
        .arg("-o")
        .arg(&program)
        .arg(folder.path().join("main.c"))
        .args(["-lm", "-lpthread"])
        .output()
        .ok()?;
    let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
    if !compiled.status.success() {
        // Not every compiler supports both machines.
        let is_missing = machine.contains(&"-m32") && complaints.contains("gnu/stubs");
        return (!is_missing).then_some(complaints);
    }
    let run = std::process::Command::new(&program).output().ok()?;
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    Some(match run.status.success() {
        true => String::new(),
        false => format!("{}\n{output}", run.status),
    })
}

/// The compiler's flags for the two data models, without excess precision.
const MACHINES: [&[&str]; 2] = [&["-m64"], &["-m32", "-msse2", "-mfpmath=sse"]];

fn assert_agreement(text_behind: &str) {
    for machine in MACHINES {
        match run_with_prelude(text_behind, machine) {
            Some(complaints) => assert!(complaints.is_empty(), "{machine:?}: {complaints}"),
            None => eprintln!("SKIPPED: there is no `cc {}`", machine.join(" ")),
        }
    }
}

#[test]
fn the_prelude_does_what_the_c_library_does() {
    assert_agreement(include_str!("tests/compare.c"));
}

#[test]
fn objects_look_as_the_c_library_makes_them() {
    assert_agreement(include_str!("tests/objects.c"));
}

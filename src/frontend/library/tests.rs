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
        ("sinf", Some(Model::Approximate)),
        ("printf", Some(Model::NoEffect)),
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
        ("longjmp", Some(Model::Unsupported)),
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
    let lines = names(&LIBRARY.with_dependencies("int *f(void) { return &__regatta_errno; }"));
    assert_eq!(lines[0], "static int __regatta_errno;");
}

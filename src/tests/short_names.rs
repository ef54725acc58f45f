//! The names of variables that people read.

use crate::frontend::preprocess::Preprocessed;
use crate::frontend::{LoadOptions, load_preprocessed};
use crate::program::{FunctionId, ShortNames, VariableId};

#[test]
fn functions_are_named_where_two_variables_could_be_meant() {
    let text = "int g, x; int f(int a, int n) { int x = a + n; return x + g; }\n\
        int main(void) { int a = f(x, 2); { int b = a; a = b; { int b = g; a += b; } } return a; }\n";
    let source = Preprocessed::from_text("a.c", text);
    let program = load_preprocessed(source, &LoadOptions::default())
        .expect("a program")
        .program;
    let names = ShortNames::new(&program);
    let function = |name: &str| {
        let found = program.functions.iter().position(|one| one.name == name);
        FunctionId(found.expect("a function") as u32)
    };
    let of = |variable: &str, at: &str| {
        let found = program
            .variables
            .iter()
            .position(|one| one.name == variable);
        names.of(VariableId(found.expect(variable) as u32), function(at))
    };
    assert_eq!(of("g", "main"), "g");
    assert_eq!(of("f::n", "main"), "n");
    assert_eq!(of("f::a", "f"), "a");
    assert_eq!(of("f::a", "main"), "f::a");
    assert_eq!(of("main::a", "main"), "a");
    // A global that a local hides.
    assert_eq!(of("x", "f"), "x");
    assert_eq!(of("f::x", "f"), "f::x");
    assert_eq!(of("x", "main"), "x");
}

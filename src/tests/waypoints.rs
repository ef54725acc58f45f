//! The waypoints of lowered programs: runs of small programs are described by the statements and branches that they pass.

use std::fmt::Write as _;

use crate::frontend::preprocess::Preprocessed;
use crate::frontend::{LoadOptions, Loaded, load, load_preprocessed};
use crate::program::interpreter::{
    Executable, InputSource, Limits, Machine, Observer, Outcome, StateView,
};
use crate::program::{
    EdgeId, Input, InputId, InputKind, Names, Program, Span, VariableId, WaypointKind,
};
use crate::term::{Sort, Value};

/// A source that gives the values in order, then zeros.
struct Values<'v>(std::slice::Iter<'v, u128>);

impl InputSource for Values<'_> {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        let value = match input.kind {
            InputKind::Nondet(_) => self.0.next().copied().unwrap_or(0),
            _ => 0,
        };
        Some(match input.sort {
            Sort::BitVec(width) => Value::bit_vec(width, value),
            sort => Value::zero(sort),
        })
    }
}

/// An observer that describes the waypoints of a run: `line:column`, followed by `?` and the truth of a branch, `=` and the
/// case of a switch, or `*` for a loop.
struct Passages<'p> {
    program: &'p Program,
    text: String,
}

impl Observer for Passages<'_> {
    fn edge(&mut self, edge: EdgeId, _: &StateView<'_>) {
        for passed in self.program.waypoints.of_edge(edge) {
            let Span { line, column, .. } = passed.waypoint.span;
            let what = match passed.waypoint.kind {
                WaypointKind::Statement => String::new(),
                WaypointKind::Branch(truth) => format!("?{}", u8::from(truth)),
                WaypointKind::Switch(Some(value)) => format!("={value}"),
                WaypointKind::Switch(None) => "=default".to_owned(),
                WaypointKind::Loop => "*".to_owned(),
            };
            let _ = write!(self.text, " {line}:{column}{what}");
        }
    }
}

/// The waypoints of the program's run with the inputs.
fn run(loaded: &Loaded, inputs: &[u128]) -> String {
    let program = &loaded.program;
    let executable = Executable::compile(program);
    let mut passages = Passages {
        program,
        text: String::new(),
    };
    let mut values = Values(inputs.iter());
    let report =
        Machine::new(&executable).run_observed(&mut values, Limits::default(), &mut passages);
    assert!(
        matches!(
            report.outcome,
            Outcome::Ended { .. } | Outcome::Error { .. }
        ),
        "{:?}",
        report.outcome
    );
    passages.text.trim().to_owned()
}

fn lowered(text: &str) -> Loaded {
    let text = format!("int __VERIFIER_nondet_int(void); void reach_error(void);\n{text}");
    let source = Preprocessed::from_text("t.i", text);
    load_preprocessed(source, &LoadOptions::default()).expect("a program")
}

/// Each program begins in line 2.
#[test]
fn statements_and_branches_are_passed_in_order() {
    let table: &[(&str, &[u128], &str)] = &[
        // Several statements on one line, a declaration with an initialiser.
        (
            "int main(void) { int x = 1; x = x + 1; ; return x; }",
            &[],
            "2:18 2:29 2:40 2:42",
        ),
        // The join of an `if` without `else` is no waypoint.
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); if (x) x = 1; return x; }",
            &[1],
            "2:18 2:51 2:51?1 2:58 2:65",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); if (x) x = 1; return x; }",
            &[0],
            "2:18 2:51 2:51?0 2:65",
        ),
        (
            "int main(void) {\n int x = __VERIFIER_nondet_int();\n if (x > 2 && 8 / x > 1) {\n x = 1;\n }\n \
             else x = 2;\n return x; }",
            &[3],
            "3:2 4:2 4:2?1 5:2 8:2",
        ),
        (
            "int main(void) {\n int x = __VERIFIER_nondet_int();\n if (x > 2 && 8 / x > 1) {\n x = 1;\n }\n \
             else x = 2;\n return x; }",
            &[9],
            "3:2 4:2 4:2?0 7:7 8:2",
        ),
        // Loops: the keyword is passed as a statement once, and as a loop each time.
        (
            "int main(void) { int i = 0;\n while (i < 2)\n  i++;\n return i; }",
            &[],
            "2:18 3:2 3:2* 3:2?1 4:3 3:2* 3:2?1 4:3 3:2* 3:2?0 5:2",
        ),
        (
            "int main(void) {\n for (int i = 0; i < 1; i++)\n  ;\n return 0; }",
            &[],
            "3:2 3:2* 3:2?1 4:3 3:2* 3:2?0 5:2",
        ),
        (
            "int main(void) { int i = 0;\n do { i++; } while (i < 2);\n return i; }",
            &[],
            "2:18 3:2 3:7 3:2* 3:2?1 3:7 3:2* 3:2?0 4:2",
        ),
        (
            "int main(void) { int i = 0;\n while (1) { if (i > 0) break; i++; }\n return i; }",
            &[],
            "2:18 3:2 3:2* 3:14 3:14?0 3:32 3:2* 3:14 3:14?1 3:25 4:2",
        ),
        (
            "int main(void) { int i = 0;\n for (;;) { i++; if (i == 2) goto out; }\n out: return i; }",
            &[],
            "2:18 3:2 3:2* 3:13 3:18 3:18?0 3:2* 3:13 3:18 3:18?1 3:30 4:7",
        ),
        // A `switch` has a waypoint for the chosen case, unless two cases share a statement.
        (
            "int main(void) { int x = __VERIFIER_nondet_int();\n switch (x) {\n case 4: x = 1; break;\n \
             case 5: case 6: x = 2; }\n return x; }",
            &[4],
            "2:18 3:2 3:2=4 4:10 4:17 6:2",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int();\n switch (x) {\n case 4: x = 1; break;\n \
             case 5: case 6: x = 2; }\n return x; }",
            &[6],
            "2:18 3:2 5:18 6:2",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int();\n switch (x) {\n case 4: x = 1; break;\n \
             case 5: case 6: x = 2; }\n return x; }",
            &[7],
            "2:18 3:2 3:2=default 6:2",
        ),
        // `?:` has a branch, at the `?`.
        (
            "int main(void) { int x = __VERIFIER_nondet_int();\n return (x > 2) ? 8 / x : __VERIFIER_nondet_int(); }",
            &[3],
            "2:18 3:2 3:17?1",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int();\n return (x > 2) ? 8 / x : __VERIFIER_nondet_int(); }",
            &[0],
            "2:18 3:2 3:17?0",
        ),
        // Calls: the waypoints of the function come in between.
        (
            "int f(int a) {\n if (a) return 1;\n return 2; }\nint main(void) { int x = f(0) + f(1);\n return x; }",
            &[],
            "5:18 3:2 3:2?0 4:2 3:2 3:2?1 3:9 6:2",
        ),
        // Labels and nested blocks are no waypoints.
        (
            "int main(void) { { { int x; l: x = 1; } } }",
            &[],
            "2:22 2:32",
        ),
        (
            "int main(void) { if (__VERIFIER_nondet_int()) { reach_error(); } return 0; }",
            &[1],
            "2:18 2:18?1 2:49",
        ),
    ];
    for (text, inputs, expected) in table {
        assert_eq!(run(&lowered(text), inputs), *expected, "{text} {inputs:?}");
    }
}

/// Line markers determine the lines; expansions of macros have no column.
#[test]
fn places_are_those_of_the_original_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.c");
    let text = "extern int __VERIFIER_nondet_int(void);\n\
                #define SET(x) x = 1; x = 2\n\
                #define CHECK(c) do { if (!(c)) return 1; } while (0)\n\
                int main(void) {\n\
                \x20 int  y   = __VERIFIER_nondet_int( );  /* a comment */ y++;\n\
                \x20 SET(y);  y = 3;\n\
                \x20 CHECK(y > 2);\n\
                #line 100\n\
                \x20 return y;\n}\n";
    std::fs::write(&file, text).expect("written");
    let loaded = load(&file, &LoadOptions::default()).expect("a program");
    // Statements in a macro's expansion have a line but no column, even if they begin with an argument of the macro.
    let passages = run(&loaded, &[]);
    assert!(passages.starts_with("5:3 5:57 6:"), "{passages}");
    assert!(passages.contains(" 6:12 "), "{passages}");
    assert!(!passages.contains(" 6:7"), "{passages}");
    assert!(passages.contains(" 7:0"), "{passages}");
    assert!(
        passages.ends_with(" 100:3") || passages.ends_with(" 100:0"),
        "{passages}"
    );
    let input = loaded.program.inputs.iter().position(
        |input| matches!(&input.kind, InputKind::Nondet(name) if name == "__VERIFIER_nondet_int"),
    );
    let input = InputId(input.expect("the call") as u32);
    let end = loaded.program.waypoints.call_end(input).expect("its end");
    assert_eq!((end.line, end.column), (5, 37));
}

/// In a preprocessed file of the user, its own lines and columns count, not those of its line markers.
#[test]
fn a_preprocessed_file_has_its_own_places() {
    let text = "# 1 \"other.c\"\nint main(void) {\n# 70 \"third.h\"\n  int x; x = 1; return x; }";
    let source = Preprocessed::from_text("t.i", text);
    let loaded = load_preprocessed(source, &LoadOptions::default()).expect("a program");
    assert_eq!(run(&loaded, &[]), "4:3 4:10 4:17");
}

#[test]
fn names_are_resolved_as_in_c() {
    let text = "int x; int g; enum { E };\n\
                int f(int a) { static int x = 5; a += x; { int a = 2; g = a; } return a; }\n\
                int main(void) { int y = x; { int x = y; g = x; } g = f(g); for (int y = 0; y < 2; y++) g++; return x + y; }";
    let loaded = lowered(text);
    let program = &loaded.program;
    let names = Names::new(&program.waypoints);
    let waypoints: Vec<_> = (0..program.edges.len() as u32)
        .flat_map(|edge| program.waypoints.of_edge(EdgeId(edge)))
        .map(|passed| passed.waypoint)
        .collect();
    let at = |line: u32, column: u16, kind: WaypointKind| {
        let here = |waypoint: &&crate::program::Waypoint| {
            (waypoint.span.line, waypoint.span.column) == (line, column) && waypoint.kind == kind
        };
        waypoints.iter().find(here).expect("a waypoint").time
    };
    let variable = |name: &str| {
        let mut variables = program.variables.iter();
        let index = variables.position(|variable| variable.name == name);
        VariableId(index.unwrap_or_else(|| panic!("no variable {name}")) as u32)
    };
    let statement = |line, column| at(line, column, WaypointKind::Statement);
    // In `f`, its own `x` hides the global one, and the inner `a` the parameter.
    assert_eq!(names.of(variable("x"), statement(3, 34)).as_deref(), None);
    assert_eq!(
        names.of(variable("f::x"), statement(3, 34)).as_deref(),
        Some("x")
    );
    assert_eq!(
        names.of(variable("f::a"), statement(3, 34)).as_deref(),
        Some("a")
    );
    assert_eq!(
        names.of(variable("f::a"), statement(3, 55)).as_deref(),
        None
    );
    assert_eq!(
        names.of(variable("f::a"), statement(3, 64)).as_deref(),
        Some("a")
    );
    // The waypoint of a declaration comes before the name is visible.
    assert_eq!(
        names.of(variable("main::y"), statement(4, 18)).as_deref(),
        None
    );
    assert_eq!(
        names.of(variable("main::y"), statement(4, 42)).as_deref(),
        Some("y")
    );
    assert_eq!(names.of(variable("x"), statement(4, 42)).as_deref(), None);
    assert_eq!(
        names.of(variable("x"), statement(4, 51)).as_deref(),
        Some("x")
    );
    assert_eq!(
        names.of(variable("f::x"), statement(4, 51)).as_deref(),
        None
    );
    // The controlling expression of a `for` is in the scope of its declaration, the statement is not.
    let head = at(4, 61, WaypointKind::Loop);
    assert_eq!(names.of(variable("main::y"), head).as_deref(), None);
    assert_eq!(
        names.of(variable("main::y"), statement(4, 61)).as_deref(),
        Some("y")
    );
    assert_eq!(names.of(variable("g"), head).as_deref(), Some("g"));
}

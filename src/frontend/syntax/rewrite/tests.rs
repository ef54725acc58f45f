//! Tables of constructs and their rewritten forms.

use super::*;
use crate::syntax::split::outline;
use crate::syntax::token::{Markers, tokenise};

fn rewritten(text: &str) -> Result<String, Error> {
    let mut tokens = tokenise(text.as_bytes(), "t.c", Markers::Ignore)?;
    let positions = PositionMap::new(text.as_bytes().to_vec(), &mut tokens, Markers::Ignore);
    let outline = outline(&tokens, text.as_bytes(), &positions)?;
    let texts: Result<Vec<String>, Error> = (0..outline.chunks.len())
        .map(|number| {
            Ok(rewrite(
                text.as_bytes(),
                &tokens,
                &outline,
                number,
                &positions,
                &[],
                false,
            )?
            .text)
        })
        .collect();
    Ok(texts?.join("\n"))
}

/// The warnings for a text.
fn warnings(text: &str) -> Result<Vec<String>, Error> {
    let mut tokens = tokenise(text.as_bytes(), "t.c", Markers::Ignore)?;
    let positions = PositionMap::new(text.as_bytes().to_vec(), &mut tokens, Markers::Ignore);
    let outline = outline(&tokens, text.as_bytes(), &positions)?;
    let mut all = Vec::new();
    for number in 0..outline.chunks.len() {
        let found = rewrite(
            text.as_bytes(),
            &tokens,
            &outline,
            number,
            &positions,
            &[],
            false,
        )?;
        all.extend(found.warnings.into_iter().map(|(_, message)| message));
    }
    Ok(all)
}

/// Whether texts are equal up to white space.
fn same(left: &str, right: &str) -> bool {
    let dense = |text: &str| {
        text.chars()
            .filter(|character| !character.is_whitespace())
            .collect::<String>()
    };
    dense(left) == dense(right)
}

fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        let found = rewritten(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert!(same(&found, expected), "{text}\n{}\n{expected}", found);
    }
}

#[test]
fn expressions() {
    check(&[
        (
            "int x = a ?: b;",
            "int x = a ? __regatta_condition_value : b;",
        ),
        ("int x = a ? b : c;", "int x = a ? b : c;"),
        (
            "int f(void) { x = a ?: b ?: c; }",
            "int f(void) { x = a ? __regatta_condition_value : b ? __regatta_condition_value : c; }",
        ),
        (
            "int x = __alignof__(int);",
            "int x = __regatta_preferred_alignment(sizeof(int));",
        ),
        (
            "int x = __alignof__ y.z[3] + 1;",
            "int x = __regatta_preferred_alignment(sizeof y.z[3]) + 1;",
        ),
        (
            "int x = _Alignof(y)->z;",
            "int x = _Alignof(__typeof__((y)->z));",
        ),
        (
            "int x = __builtin_types_compatible_p(void *, int[3]);",
            "int x = __regatta_types_compatible(sizeof(void *), sizeof(int[3]));",
        ),
        (
            "int x = sizeof (int[]){1, 2};",
            "int x = sizeof ((int[]){1, 2});",
        ),
        ("int x = sizeof (int) * 2;", "int x = sizeof (int) * 2;"),
        (
            "double x = __real__ y + __imag__ y;",
            "typedef int __regatta_real_part,__regatta_imaginary_part; \
             double x = *(__regatta_real_part) y + *(__regatta_imaginary_part) y;",
        ),
        (
            "int x = __builtin_convertvector(f(a, b), v);",
            "int x = __regatta_convert_vector(f(a, b), sizeof( v));",
        ),
        (
            "struct s x = f((struct s){}, (struct s) { 1 });",
            "struct s x = f((struct s){ __regatta_nothing }, (struct s) { 1 });",
        ),
        ("int x = __extension__ 3;", "int x = 3;"),
        (
            "int x = (*__ctype_b_loc())[(int)(c[1])] & 4;",
            "int x = __regatta_ctype_b((int)(c[1])) & 4;",
        ),
        ("int x = 1.0q + 1e3w;", "int x = 1.0f128 + 1e3f64x;"),
        (
            "char *s = \"\\e\" \"\u{e9}\";",
            "char *s = \"\\033\" \"\\303\\251\";",
        ),
        ("char *s = \"a\\\nb\";", "char *s = \"ab\";"),
        ("int x<:2:> = <% 1 %>;", "int x[2] = { 1 };"),
        ("int x = i++ && i++;", "int x = i++ && i++;"),
    ]);
}

#[test]
fn labels() {
    check(&[
        (
            "void f(void) { void *p = &&l; l: goto *p; }",
            "void f(void) { void *p = __regatta_label_address(l); l: __regatta_computed_goto(p); }",
        ),
        (
            "typedef int T; void *p[] = { (T *)&&l, a && b, (a) && b };",
            "typedef int T; typedef int T; void *p[] = { (T *)__regatta_label_address(l), a && b, (a) && b };",
        ),
        (
            "void f(void) { { __label__ l, m; goto l; l: m: ; } l: x = a ? l : m; }",
            "void f(void) { { goto l__in_block_0; l__in_block_0: m__in_block_0: ; } l: x = a ? l : m; }",
        ),
        ("void f(void) { l: }", "void f(void) { l: ; }"),
        ("void f(void) { l: int x; }", "void f(void) { l: ; int x; }"),
        (
            "void f(void) { switch (x) { case 1: int y; case 2 ... 3: f(); default: } }",
            "void f(void) { switch (x) { case 1: ; int y; case 2 ... 3: f(); default: ; } }",
        ),
        (
            "void f(void) { if (x) l: f(); }",
            "void f(void) { if (x) l: f(); }",
        ),
        (
            "void f(void) { x = a ? b : c; y ? (z) : w; }",
            "void f(void) { x = a ? b : c; y ? (z) : w; }",
        ),
        ("struct s { int a : 3; };", "struct s { int a : 3; };"),
        (
            "void f(void) { l: __attribute__((unused)); f(); }",
            "void f(void) { l: ; f(); }",
        ),
    ]);
}

#[test]
fn declarations() {
    check(&[
        ("main() { }", "int main() { }"),
        ("static x, *y;", "static int x, *y;"),
        ("const z = 3;", "const int z = 3;"),
        ("*p;", "int *p;"),
        ("f(a, b) char b; { }", "int f(a, b) char b; { }"),
        (
            "void f(register i) { static x; register int y; const z = 1; }",
            "void f(register int i) { static int x; register int y; const int z = 1; }",
        ),
        (
            "typedef int T; static T x; const T y; T z;",
            "typedef int T; typedef int T; static T x; typedef int T; const T y; typedef int T; T z;",
        ),
        (
            "void f(void) { typedef int U; const U x; }",
            "void f(void) { typedef int U; const U x; }",
        ),
        ("typedef x;", "typedef int x;"),
        (
            "unsigned __int128 x; __uint128_t y; __int128_t z;",
            "unsigned _Decimal128x x; unsigned _Decimal128x y; _Decimal128x z;",
        ),
        ("__float128 x; __float80 y;", "_Float128 x; _Float64x y;"),
        ("static __thread int x;", "static _Thread_local int x;"),
        (
            "void f(void) { __auto_type x = 3; }",
            "typedef int __auto_type; void f(void) { __auto_type x = 3; }",
        ),
        ("int f(...);", "int f(void, ...);"),
        ("int f(int, ...);", "int f(int, ...);"),
        (
            "_Static_assert(1); _Static_assert(1, \"x\");",
            "_Static_assert(1, \"\"); _Static_assert(1, \"x\");",
        ),
        ("struct { ; int a;; };", "struct { int a; };"),
        (
            "struct s { _Alignas(8) int a; _Alignas(double) char b; };",
            "struct s { __attribute__((aligned(8))) int a; __attribute__((aligned(_Alignof(double)))) char b; };",
        ),
        (";;int x;;", "int x;"),
        ("int x$y;", "int x_dollar_y;"),
        (
            "int *p = (int[]){ 1, 2 }, q;",
            "int *p = (int[]){ 1, 2 }, q;",
        ),
        (
            "[[noreturn]] void f(void);",
            "__attribute__((noreturn)) void f(void);",
        ),
        (
            "[[gnu::aligned(8), deprecated]] x; struct [[gnu::packed]] s { [[maybe_unused]] int a; };",
            "__attribute__((aligned(8))) int x; struct s { int a; } __attribute__((packed));",
        ),
        ("int x = 1'000'000;", "int x = 1000000;"),
        ("asm(\"x\"); int y;", "\nint y;"),
        ("", ""),
    ]);
}

#[test]
fn attributes() {
    check(&[
        (
            "int x __attribute__((unused)); int y __attribute__((aligned(8), unused));",
            "int x; int y __attribute__((aligned(8)));",
        ),
        (
            "struct __attribute__((packed)) s { int a; } x;",
            "struct s { int a; } __attribute__((packed)) x;",
        ),
        (
            "struct __attribute__((packed)) __attribute__((aligned(__alignof(int)))) { int a; };",
            "struct { int a; } __attribute__((packed, aligned(__regatta_preferred_alignment(sizeof(int)))));",
        ),
        (
            "enum __attribute__((packed)) e { A };",
            "enum e { A } __attribute__((packed));",
        ),
        ("struct __attribute__((packed)) s x;", "struct s x;"),
        (
            "struct s { struct __attribute__((packed)) { int b; } a; } x;",
            "struct s { struct { int b; } __attribute__((packed)) a; } x;",
        ),
        (
            "#pragma pack(1)\nstruct s { int a; };\n#pragma pack()\nstruct t { int a; };",
            "struct s { int a; } __attribute__((__regatta_pack(1))); struct t { int a; };",
        ),
        (
            "#pragma pack(push, 2)\nstruct s { int a; };\n#pragma pack(pop)\nstruct t { int a; };",
            "struct s { int a; } __attribute__((__regatta_pack(2))); struct t { int a; };",
        ),
        (
            "void f(void) { switch (x) { case 1: f(); __attribute__((fallthrough)); case 2: ; } }",
            "void f(void) { switch (x) { case 1: f(); ; case 2: ; } }",
        ),
        (
            "void f(void) { asm goto (\"x\" : : : : l); asm volatile inline (\"y\"); asm(\"z\"); }",
            "void f(void) { { __asm__ volatile (\"x\" : : :); __regatta_assembly_jump(l);} \
             __asm__ volatile (\"y\"); __asm__ (\"z\"); }",
        ),
        (
            "void f(void) { asm goto (\"x\" : : l); }",
            "void f(void) { __regatta_unsupported(\"asm goto\"); }",
        ),
        (
            "int f(void) { int g(void) { return 1; } return g(); }",
            "int f(void) { int g(void) = ({ return 1; }); return g(); }",
        ),
        (
            "int f(void) asm(\"g\") __attribute__((noreturn));",
            "int f(void) __asm__ (\"g\") __attribute__((noreturn));",
        ),
    ]);
}

#[test]
fn what_is_refused() {
    let table = [
        (
            "int x = __builtin_types_compatible_p(int);",
            "t.c:1:9: syntax error: `__builtin_types_compatible_p` takes two types",
        ),
        (
            "int f(void) { (1]; }",
            "t.c:1:17: syntax error: expected `)`, found `]`",
        ),
        (
            "int f(void) { x[1; }",
            "t.c:1:18: syntax error: expected `]`, found `;`",
        ),
        (
            "int f(void) {",
            "t.c:1:14: syntax error: expected `}`, found the end of the file",
        ),
        (
            "}",
            "t.c:1:1: syntax error: expected a declaration, found a `}` that closes nothing",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(rewritten(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str, count: usize| {
        format!(
            "int f(int x) {{ x = {}x{}; }}",
            open.repeat(count),
            close.repeat(count)
        )
    };
    let statements =
        |text: &str, count: usize| format!("int f(int x) {{ {} x = 1; }}", text.repeat(count));
    let forms: Vec<Box<dyn Fn(usize) -> String>> = vec![
        Box::new(|count| deep("(", ")", count)),
        Box::new(|count| deep("-", "", count)),
        Box::new(|count| deep("(int)", "", count)),
        Box::new(|count| deep("x = ", "", count)),
        Box::new(|count| deep("x + ", "", count)),
        Box::new(|count| deep("x < 1 || ", "", count)),
        Box::new(|count| deep("x ? 1 : ", "", count)),
        Box::new(|count| deep("f(", ")", count)),
        Box::new(|count| deep("", "[1]", count)),
        Box::new(|count| statements("if (x == 1) x = 2; else ", count)),
        Box::new(|count| statements("if (x == 1) ", count)),
        Box::new(|count| statements("l: ", count)),
        Box::new(|count| statements("while (x) { ", count) + &"}".repeat(count)),
        Box::new(|count| format!("int {}x{};", "(".repeat(count), ")".repeat(count))),
        Box::new(|count| format!("int x = {}1{};", "{".repeat(count), "}".repeat(count))),
    ];
    for form in forms {
        let (text, shown) = (form(100_000), form(1));
        let error = rewritten(&text).expect_err(&shown);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{shown}");
        assert!(rewritten(&form(400)).is_ok(), "{shown}");
    }
    // Forms that are common in generated programs are within the bounds.
    assert!(rewritten(&deep("x + ", "", 20_000)).is_ok());
    let chain = statements("if (x == 1) x = 2; else ", 5_000);
    assert!(rewritten(&chain).is_ok());
    // Sequences are not bounded.
    let list = format!("int x[] = {{ {} }};", "1 + 2, ".repeat(50_000));
    assert!(rewritten(&list).is_ok());
    let sequence = format!(
        "int f(int x) {{ {} }}",
        "if (x == 1) x = 2; else x = 3; while (x) x--; ".repeat(5_000)
    );
    assert!(rewritten(&sequence).is_ok());
}

#[test]
fn unknown_attributes_are_told_of() {
    let warnings = |text: &str| warnings(text).expect("the text is rewritten");
    for text in [
        "__attribute__((unused, __noinline__)) static int f(void);",
        "[[deprecated(\"reason\"), gnu::cold]] int f(void);",
        "int f(void) __attribute__((alias(\"g\")));",
    ] {
        assert_eq!(warnings(text), Vec::<String>::new(), "{text}");
    }
    for (text, name) in [
        ("__attribute__((frobnicate)) int x;", "frobnicate"),
        ("[[vendor::thing(1)]] int x;", "vendor"),
        (
            "int f(void) { lab: __attribute__((odd)); return 0; }",
            "odd",
        ),
    ] {
        assert!(
            matches!(warnings(text).as_slice(), [only] if only.contains(name)),
            "{text}"
        );
    }
}

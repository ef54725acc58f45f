//! Tests from a text to its syntax trees.

use std::fmt::Write as _;
use std::path::Path;

use lang_c::ast::{BlockItem, Expression, Statement};
use lang_c::visit::{Visit, visit_expression};

use super::*;
use crate::preprocess::{Options, preprocess};
use regatta_program::{DataModel, Span};

/// The error's first line, or `None` if the text can be parsed.
fn failure(text: &str) -> Option<String> {
    with_large_stack(|| {
        parse(Preprocessed::from_text("t.c", text))
            .err()
            .map(|error| error.to_string())
    })
    .unwrap()
}

/// Programs that must be parsed; gcc accepts them all.
const PROGRAMS: &[&str] = &[
    "int f(void) { return 1 ?: 2; }",
    "__int128 x; unsigned __int128 y;",
    "int f(void) { void *p = &&l; l: goto *p; }",
    "int f(void) { return __builtin_choose_expr(1, 2, 3) + __builtin_offsetof(struct s, a.b[2]); }",
    "struct s { int a; } __attribute__((packed)) x __attribute__((aligned(8))) = {1}, y;",
    "struct s { int a __attribute__((aligned(8))); int b:3 __attribute__((packed)); int :0; };",
    "struct s {}; union u {}; struct {} y = {};",
    "struct s { int a; struct { int b; }; union { int c; float d; }; int e[]; };",
    "enum e { A __attribute__((deprecated)) = 1, B, }; enum e2 { C = A + 1 };",
    "int f(__attribute__((unused)) int x, int y __attribute__((unused))) { return x; }",
    "int __attribute__((noreturn)) f(void) { } __attribute__((noreturn)) int g(void) { }",
    "int (__attribute__((cdecl)) *f)(void); int * __attribute__((x)) g(void);",
    "extern int foo(int) __asm__(\"bar\") __attribute__((nothrow)); register int r asm(\"eax\");",
    "void f(void) { asm(\"nop\"); asm volatile(\"x\" : \"=r\"(x) : \"r\"(y) : \"memory\"); __asm__(\"\" ::: \"memory\"); }",
    "__extension__ typedef struct { int a; } T; struct s { __extension__ int a; };",
    "void f(void) { __extension__ int x; x = __extension__ 5; x = __extension__ ({ 3; }); }",
    "_Float128 a; _Float64x b; _Float32 c; __float128 d; _Float16 e; __fp16 g; _Decimal64 h;",
    "double _Complex a; __complex__ float b; double f(void) { return __real__ f() + __imag__ f(); } double c = 1.0i;",
    "int f(__builtin_va_list a) { return __builtin_va_arg(a, int); }",
    "void f(int x) { __auto_type y = 3; switch(x) { case 1 ... 5: break; case 'a'...'z': ; } }",
    "struct s { int a; } x = { a: 1 }; int y[3] = { [0 ... 1] = 3, [2] 4 }; int z[3] = { };",
    "int f(a, b) int a; char b; { return a; } int g(a, b) int a; { return a; } h(a, b) { return a; }",
    "main() { return 0; } static x; y; const z = 3; extern foo(); static bar(a) { } *p; typedef t;",
    "int f(int a) { typeof(a) b; __typeof__(int) c; __typeof(a+1) *e; return ({ typeof(a) q = a; q; }); }",
    "int f(int a) { return _Generic(a, int: 1, default: 2, const char *: 3); }",
    "_Static_assert(1, \"x\"); _Static_assert(sizeof(int) == 4, \"a\" \"b\"); _Static_assert(1);",
    "_Thread_local int a; __thread int b; static __thread int c; _Noreturn void f(void);",
    "_Atomic int a; _Atomic(int) b; int _Atomic c; int * _Atomic d;",
    "int a = L'a'; int *b = L\"abc\" L\"d\"; char *c = u8\"x\"; int d = u'a', e = U'a';",
    "double a = 0x1.8p3, b = 0x.8p-1f, c=0x1p0L, d=1e10, e=.5, g=1.f, h = 1.0L, i=1.0q, j = 1.0f128, k = 1.0F64;",
    "int a = 0b101, b = 0B11u; long x = 1L, y = 1UL, z = 1LL, w = 1ULL, v = 1lu, u = 1llu, t = 0xFFul, s = 077;",
    "char *a = \"\\x1b\\u00e9\\U0001F600\\377\\e\"; int b = 'ab', c = '\\e'; char *d = \"\u{e9}\"; int \u{e9} = 3, x$y;",
    "int a;; ; int b; ;",
    "typedef int T; struct s { int T; T a; }; int f(struct s *p) { T: p->T = 1; goto T; return p->a; }",
    "typedef int T; T *(*fp)(T *, const T *[2], int (*)(T)); T (f)(T); void g(int (T));",
    "void f(void) { typedef int U; U x; { int U = 3; U++; } U y; }",
    "void f(void) { sizeof(int)*2; sizeof (int){3}; sizeof(int[3]); sizeof x; (int){1}.a; &(int){3}; }",
    "void f(void) { int a[n]; int b[*p]; } int g(int a[static 3], int b[const], int c[*], int d[restrict static 3]);",
    "int f(int a[], ...); int g(void (*)(int), ...); int h(...);",
    "int (*f(int a))(int b) { return 0; } void (*signal(int sig, void (*func)(int)))(int);",
    "void f(void) { if (1) if (2) ; else ; else ; do ; while(0); while(1); for(;;) {} for (int i = 0, j; ; i++) ; }",
    "void f(int x) { l: int y; switch(x) { int y; case 1: int z; default: } m: }",
    "int f(void) { return __func__[0] + __FUNCTION__[0] + __PRETTY_FUNCTION__[0]; }",
    "inline int f(void) { return 1; } extern __inline __attribute__ ((__gnu_inline__)) int g(int x) { return x; }",
    "char const * restrict y; char * __restrict z; __const int a; __volatile__ int b; __signed__ c; long double k;",
    "int long unsigned j; signed char l; _Bool m; short int n; long long int unsigned o;",
    "# 1 \"a.c\"\nint x;\n# 3 \"b.h\" 1 3 4\nint y;\n#pragma foo\nint f(void) {\n#pragma omp\nreturn 1; }\n\
     #ident \"x\"\n#line 3 \"foo\"\n",
    "typedef int v4 __attribute__((vector_size(16))); typedef unsigned int u __attribute__((__mode__(__SI__)));",
    "int a, *b, **c, d[3], (*e)(void), *(*g)[3]; int f(void), h(void), i;",
    "void f(void) { __typeof__(int *) a, b; for (__attribute__((unused)) int i = 0; ;) ; static const int c; }",
    "int f(struct s { int a; } *p); struct t { int a; } g(void) { struct t x; return x; }",
    "static const struct { int a; } t[] = { { 1 }, { 2 } }; union u { int a; float b; } x = { .b = 1.0 };",
    "int *p = (int[]){ 1, 2 }; struct s { int *q; } r = { (int[2]){ [1] = 2 } };",
    "int f(int n, int a[n][n]); int g(int n, int (*a)[n]) { return sizeof *a; }",
    "[[noreturn]] void f(void); [[gnu::unused]] static int x;",
    "void f(void) { while (({ int x = 3; x; })) ; (void)0; x ? (void)0 : (void)1; }",
    "",
    "/* nothing */ // at all",
];

#[test]
fn programs_are_parsed() {
    for program in PROGRAMS {
        assert_eq!(failure(program), None, "{program}");
    }
}

#[test]
fn mistakes_are_found_at_their_place() {
    let table = [
        (
            "int f(void) { return 1 }",
            "t.c:1:24: syntax error: expected `;` or an operator, found `}`",
        ),
        (
            "int f(void) { x = ; }",
            "t.c:1:19: syntax error: expected an expression, found `;`",
        ),
        (
            "int f(void) {\n  if x;\n}",
            "t.c:2:6: syntax error: expected `(`, found `x`",
        ),
        (
            "int a; int f(void) { number x; }",
            "t.c:1:29: syntax error: expected `:`, `;` or an operator, found `x`",
        ),
        (
            "int a",
            "t.c:1:6: syntax error: expected `(`, `,`, `;`, `=`, `{` or a declaration, found the end of the file",
        ),
        (
            "int f(void) { goto 3; }",
            "t.c:1:20: syntax error: expected a name, found `3`",
        ),
        (
            "int f(void) { a + b = 3; }",
            "t.c:1:15: type error: an lvalue is required as left operand of an assignment",
        ),
        (
            "typedef int T; void f(void) { unsigned T x; }",
            "t.c:1:42: syntax error: expected `,`, `;` or `=`, found `x`",
        ),
        (
            "int x; # 12 34",
            "t.c:1:8: syntax error: expected a token of C, found `#`",
        ),
    ];
    for (text, expected) in table {
        let message = failure(text).unwrap_or_default();
        let place = expected.split(" error").next().unwrap_or_default();
        assert!(message.starts_with(place), "{text}\n{message}\n{expected}");
        assert!(
            message.contains("found `")
                || message.contains("found the")
                || message.contains("lvalue"),
            "{message}"
        );
    }
}

/// Counts casts.
#[derive(Default)]
struct Casts(usize);

impl<'ast> Visit<'ast> for Casts {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast lang_c::span::Span) {
        self.0 += usize::from(matches!(expression, Expression::Cast(_)));
        visit_expression(self, expression, span);
    }
}

#[test]
fn names_hide_typedefs() {
    let table = [
        ("int f(void) { return (T)+1; }", 1),
        ("int f(int T) { return (T)+1; }", 0),
        ("int f(T T) { return (T)+1; }", 0),
        ("int f(T) int T; { return (T)+1; }", 0),
        ("int f(int (*T)(int)) { return (T)+1; }", 0),
        ("int f(int x, int T) { { T = 3; } return (T)+1; }", 0),
        ("int f(void) { int T = 3; return (T)+1; }", 0),
        ("int f(void) { { int T; x = (T)+1; } return (T)+1; }", 1),
        (
            "int f(void) { for (int T = 0; ; ) x = (T)+1; return (T)+1; }",
            1,
        ),
        ("int f(void) { enum { T }; return (T)+1; }", 0),
        ("int f(int x, int y) { return (T)+1; }", 1),
        (
            "struct s { int T; }; int g(int T); int f(void) { return (T)+1; }",
            1,
        ),
        ("int f(void) { T: return (T)+1; }", 1),
    ];
    for (text, expected) in table {
        let text = format!("typedef int T; {text}");
        let unit = parse(Preprocessed::from_text("t.c", text.as_str()))
            .unwrap_or_else(|error| panic!("{text}\n{error}"));
        let mut casts = Casts::default();
        for declaration in &unit.declarations {
            casts.visit_external_declaration(&declaration.node.node, &declaration.node.span);
        }
        assert_eq!(casts.0, expected, "{text}");
    }
}

/// The spans of a function's statements.
fn statement_spans(unit: &ParsedUnit) -> Vec<Span> {
    let mut spans = Vec::new();
    for declaration in &unit.declarations {
        if let ExternalDeclaration::FunctionDefinition(function) = &declaration.node.node
            && let Statement::Compound(items) = &function.node.statement.node
        {
            for item in items {
                if let BlockItem::Statement(statement) = &item.node {
                    spans.push(
                        unit.positions
                            .span(declaration.origin, statement.span.start),
                    );
                }
            }
        }
    }
    spans
}

#[test]
fn positions_are_those_of_the_text() {
    let text =
        "typedef int T;\nstatic x;\n\nint f(T a) {\n  /* c */ a = x ?:\n 1;  return\ta; l: }\n";
    let unit = parse(Preprocessed::from_text("t.c", text)).unwrap();
    let places: Vec<_> = statement_spans(&unit)
        .iter()
        .map(|span| (span.line, span.column))
        .collect();
    assert_eq!(places, [(5, 11), (6, 6), (6, 16)]);
    assert_eq!(
        unit.positions
            .source_map()
            .describe(statement_spans(&unit)[0]),
        "t.c:5:11"
    );
    let error = unit
        .positions
        .error(ErrorKind::Type, "m", unit.declarations[1].origin, 0);
    assert_eq!(
        error.place().unwrap().source_line.as_deref(),
        Some("static x;")
    );
}

#[test]
fn places_are_not_on_line_markers() {
    // gcc's output after a header: the lines counted from the second marker continue beyond the third.
    let text = "# 1 \"t.c\"\n# 1 \"h.h\" 1 3 4\n# 2 \"t.c\" 2\n\n\n# 3 \"t.c\"\nint x;\nint f(void) { return x; }\n";
    let source = Preprocessed {
        positions_from_markers: true,
        ..Preprocessed::from_text("t.c", text)
    };
    let unit = parse(source).unwrap();
    let place = unit.positions.place(statement_spans(&unit)[0]).unwrap();
    assert_eq!((place.line, place.column), (4, 15));
    assert_eq!(
        place.source_line.as_deref(),
        Some("int f(void) { return x; }")
    );
}

/// Whether there is a C compiler; reports its absence.
fn compiler_is_there() -> bool {
    let there = std::process::Command::new("cc")
        .arg("--version")
        .output()
        .is_ok();
    if !there {
        eprintln!("SKIPPED: there is no `cc`");
    }
    there
}

#[test]
fn positions_go_through_the_preprocessor() {
    if !compiler_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("own.h"),
        "\nint g(void) {   return  0; }\n",
    )
    .unwrap();
    let file = folder.path().join("main.c");
    let text = "#include <stddef.h>\n#include \"own.h\"\n#define SUM(a, b) ((a) + (b))\n\
                int f(int x) {\n\tx = SUM(x,  1);   x--; /* c */ x++;\n  return SUM(1, 2); }\n";
    std::fs::write(&file, text).unwrap();
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let options = Options {
            data_model,
            ..Options::default()
        };
        let unit = parse(preprocess(&file, &options).unwrap()).unwrap();
        let sources = unit.positions.source_map();
        let places: Vec<_> = statement_spans(&unit)
            .iter()
            .map(|&span| {
                sources
                    .describe(span)
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        let expected = [
            "own.h:2:17",
            "main.c:5:2",
            "main.c:5:20",
            "main.c:5:33",
            "main.c:6:3",
        ];
        assert_eq!(places, expected, "{data_model:?}");
    }
}

/// Standard and common headers; those that are not installed are skipped.
const HEADERS: &str = "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign \
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype \
    pthread unistd strings memory malloc alloca fcntl dirent getopt sched semaphore poll err error libgen search \
    syslog termios ucontext sys/types sys/stat sys/time sys/wait sys/socket sys/mman sys/select sys/ioctl sys/resource \
    netinet/in arpa/inet linux/types";

#[test]
fn headers_are_parsed_under_both_data_models() {
    if !compiler_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut parsed = 0;
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let options = Options {
            data_model,
            ..Options::default()
        };
        for header in HEADERS.split_whitespace() {
            let file = folder
                .path()
                .join(format!("{}.c", header.replace('/', "_")));
            std::fs::write(
                &file,
                format!("#include <{header}.h>\nint main(void) {{ return 0; }}\n"),
            )
            .unwrap();
            let source = match preprocess(&file, &options) {
                Ok(source) => source,
                Err(error) => {
                    let name = format!("{header}.h");
                    assert!(error.message().starts_with(&name), "{data_model:?} {error}");
                    continue;
                }
            };
            let result =
                with_large_stack(|| parse(source).err().map(|error| error.to_string())).unwrap();
            assert_eq!(result, None, "{data_model:?} {header}");
            parsed += 1;
        }
    }
    assert!(parsed >= 50, "{parsed}");
}

#[test]
fn macros_of_headers_are_parsed() {
    if !compiler_is_there() {
        return;
    }
    let text = r"
        #include <assert.h>
        #include <ctype.h>
        #include <errno.h>
        #include <fenv.h>
        #include <math.h>
        #include <stdarg.h>
        #include <stddef.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        struct s { int a, b; };
        int f(int n, ...) {
            va_list list, copy;
            va_start(list, n);
            va_copy(copy, list);
            int sum = va_arg(list, int) + isdigit(n) + tolower(n) + (int)offsetof(struct s, b);
            va_end(list);
            assert(n > 0 && sum != INFINITY);
            double d = isnan((double)n) || signbit(1.0) || isgreater(1.0, 2.0) ? NAN : HUGE_VAL;
            fesetround(FE_UPWARD);
            errno = fpclassify(d) == FP_NORMAL;
            fprintf(stderr, __FILE__);
            return sum;
        }";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("macros.c");
    std::fs::write(&file, text).unwrap();
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let options = Options {
            data_model,
            ..Options::default()
        };
        let result = parse(preprocess(&file, &options).unwrap());
        assert_eq!(
            result.err().map(|error| error.to_string()),
            None,
            "{data_model:?}"
        );
    }
}

/// A generator of pseudo-random numbers that is the same everywhere (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// A text with some bytes or pieces changed, moved or taken out.
fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        ":",
        "?",
        "?:",
        "&&",
        "goto *",
        "__label__ ",
        "__attribute__((",
        "asm ",
        "struct ",
        "enum ",
        "typedef ",
        "int ",
        "__alignof__",
        "\"",
        "'",
        "\\",
        "\n",
        "/*",
        "//",
        "#pragma pack(1)\n",
        "# 1 \"x\"\n",
        "sizeof",
        "case ",
        "default:",
        "T",
        "\\u00e9",
        "\u{e9}",
        "_Static_assert(",
        "__auto_type ",
        "...",
        "(*__ctype_b_loc())[",
        "__builtin_types_compatible_p(",
        "<%",
        "[[",
        "]]",
        "0x",
        "1.0q",
        "register ",
        "__real__ ",
        "\0",
        "\\\n",
        "_Alignas(",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let length = random.below(6).min(bytes.len() - at);
        match random.below(5) {
            0 => drop(bytes.drain(at..at + length)),
            1 | 2 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at + random.below(2).min(length), piece.bytes());
            }
            3 => {
                let copy = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            _ => {
                let byte = u8::try_from(random.below(256)).unwrap_or(0);
                bytes.insert(at, byte);
            }
        }
    }
    bytes
}

#[test]
fn mutated_programs_do_no_harm() {
    let mut random = Random(20_240_229);
    let outcome = with_large_stack(|| {
        let mut errors = 0;
        for round in 0..6000 {
            let text = mutated(PROGRAMS[round % PROGRAMS.len()], &mut random);
            match parse(Preprocessed::from_text("t.c", text)) {
                Ok(_) => {}
                Err(error) => {
                    errors += 1;
                    assert!(error.place().is_some(), "{error}");
                    assert!(!error.render(regatta_base::Style::Plain).is_empty());
                    assert!(!error.render(regatta_base::Style::Fancy).is_empty());
                }
            }
        }
        errors
    })
    .unwrap();
    assert!(outcome > 1000, "{outcome}");
}

#[test]
fn what_is_nested_as_deep_as_it_may_be_is_parsed() {
    let repeat = |open: &str, count: usize, middle: &str, close: &str| {
        let mut text = String::from("int f(int x) { ");
        text.push_str(&open.repeat(count));
        text.push_str(middle);
        text.push_str(&close.repeat(count));
        text.push('}');
        text
    };
    let table = [
        repeat("if (x == 1) x = 2; else ", 2500, "x = 1;", ""),
        repeat("x = (", 1, "x", ");")
            .replace('x', &format!("{}x{}", "(".repeat(400), ")".repeat(400))),
        repeat("if (x) { ", 2500, "x = 1;", "}"),
        repeat("x = x + ", 1, &"x + ".repeat(5500), "1;"),
        repeat("case 1: ", 2500, ";", ""),
        repeat("x = ", 5000, "x;", ""),
        repeat("x ? 1 : ", 2500, "2;", ""),
        repeat("!", 5500, "x;", ""),
    ];
    for text in &table {
        let mut shown = String::new();
        write!(shown, "{}", &text[..60]).unwrap();
        assert_eq!(failure(text), None, "{shown}");
    }
}

#[test]
fn unused_declarations_of_system_headers_are_left_out() {
    let text = "# 1 \"h.h\" 1 3\ntypedef int only_unused; typedef int used; extern only_unused a(int a); used b(void);\n\
        struct s { int x; }; static inline int c(void) { return 1; } enum { E }; typedef int *p, q; int d, e;\n\
        # 1 \"t.c\" 2\nint unused; q f(void) { return b() + e; }\n";
    let unit = parse(Preprocessed::from_text("t.c", text)).unwrap();
    // `used`, `b`, `struct s`, the enumeration, `p` with `q`, `d` with `e`, and the user's two.
    assert_eq!(unit.declarations.len(), 8);
}

#[test]
fn many_declarations_are_parsed_in_their_order() {
    // Enough of them to be parsed by several threads.
    let mut text = String::new();
    for number in 0..4000 {
        writeln!(
            text,
            "int f{number}(int a) {{ int b = a + {number}; return b * 2; }}"
        )
        .unwrap();
    }
    let unit = with_large_stack(|| {
        let unit = parse(Preprocessed::from_text("t.c", text.as_str())).unwrap();
        let lines: Vec<u32> = unit
            .declarations
            .iter()
            .map(|declaration| {
                unit.positions
                    .span(declaration.origin, declaration.node.span.start)
                    .line
            })
            .collect();
        lines
    })
    .unwrap();
    assert_eq!(unit, (1..=4000).collect::<Vec<u32>>());
}

#[test]
#[ignore = "measures: FILES is a file with names of C files"]
fn time_of_files() {
    let list = std::fs::read_to_string(std::env::var("FILES").unwrap()).unwrap();
    for file in list.lines() {
        let start = std::time::Instant::now();
        let source = preprocess(Path::new(file), &Options::default()).unwrap();
        let preprocessed = start.elapsed();
        let failure =
            with_large_stack(|| parse(source).err().map(|error| error.to_string())).unwrap();
        println!(
            "{file}: {preprocessed:?} {:?} {}",
            start.elapsed() - preprocessed,
            failure.unwrap_or_default()
        );
    }
}

/// A line marker may have the greatest line number.
#[test]
fn line_markers_do_not_overflow() {
    let text = "# 4294967295 \"src/frontend/syntax/parse/tests.rs\"\nint a;\nint b = ;\n";
    let source = Preprocessed {
        text: text.into(),
        name: "overflow.i".into(),
        positions_from_markers: true,
        dialect: Dialect::default(),
    };
    assert!(with_large_stack(|| parse(source).is_err()).unwrap());
}

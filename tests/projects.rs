//! Programs of several files, and how a project is given to the command: linkage, the compiler's flags, compilation
//! databases, standard input.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const TRUE: &str = "RESULT: TRUE";
const FALSE: &str = "RESULT: FALSE(unreach-call)";

/// A folder with files.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("the folder is made");
        std::fs::write(path, text).expect("the file is written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("the file is written")
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
        command.current_dir(self.path()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output();
        output.expect("the command runs")
    }

    fn assert_result(&self, arguments: &[&str], expected: &str) {
        let limits = ["verify", "--time-limit", "60", "--threads", "2"];
        let output = self.run(&[&limits, arguments].concat());
        let result = last_line(&output);
        assert_eq!(result, expected, "{arguments:?}: {}", said(&output));
    }

    /// The command refuses the program with all these words.
    fn assert_refused(&self, arguments: &[&str], words: &[&str]) {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        let said = said(&output);
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_owned()
}

/// Both files have a `count` and a `next` of their own.
const COUNTER: &str = "static int count = START;\nstatic int next(void) { static int step; step++; return count += step; }\n\
                       int NAME(void) { return next(); }\n";

#[test]
fn static_names_of_different_files_stay_apart() {
    let one = COUNTER.replace("START", "10").replace("NAME", "one");
    let two = COUNTER.replace("START", "20").replace("NAME", "two");
    let main = |last: i32| {
        format!(
            "#include <assert.h>\nint one(void), two(void);\nint main(void) {{ assert(one() == 11); assert(two() == 21); \
             assert(one() == 13); assert(two() == {last}); }}\n"
        )
    };
    let project = Project::new(&[("one.c", &one), ("two.c", &two), ("main.c", &main(23))]);
    project.assert_result(&["one.c", "two.c", "main.c"], TRUE);
    project.write("main.c", &main(24));
    project.assert_result(&["main.c", "two.c", "one.c"], FALSE);
}

#[test]
fn declarations_of_one_object_are_one() {
    let project = Project::new(&[
        (
            "table.h",
            "struct node { int key; struct node *next; }; extern struct node *head; extern int table[];\n\
             enum colour { RED, GREEN = 5 }; extern enum colour colour;\n",
        ),
        (
            "table.c",
            "#include \"table.h\"\nint table[3] = { 1, 2, 3 };\nstatic struct node first = { 4, 0 };\n\
             struct node *head = &first;\nint shared;\nenum colour colour = GREEN;\n",
        ),
        (
            "main.c",
            "#include <assert.h>\n#include \"table.h\"\nint shared;\nint set(void);\n\
             int main(void) { assert(shared == 0); set(); assert(table[2] + head->key + shared == 16); \
             assert(colour == GREEN); }\n",
        ),
        (
            "set.c",
            "struct node; extern struct node *head; int shared = 0; int set(void) { return shared = head ? 9 : 1; }\n",
        ),
    ]);
    project.assert_result(&["main.c", "table.c", "set.c"], TRUE);
    project.assert_result(&["set.c", "main.c", "table.c"], TRUE);
}

#[test]
fn weak_definitions_give_way() {
    let weak = "__attribute__((weak)) int level(void) { return 1; }\n__attribute__((weak)) int size = 1;\n\
                int first(void) { return level() + size; }\n";
    let project = Project::new(&[
        ("weak.c", weak),
        ("strong.c", "int level(void) { return 2; }\nint size = 3;\n"),
        (
            "main.c",
            "#include <assert.h>\nint first(void), level(void);\nint main(void) { assert(first() + level() == SUM); }\n",
        ),
    ]);
    project.assert_result(&["-DSUM=7", "main.c", "weak.c", "strong.c"], TRUE);
    project.assert_result(&["-DSUM=3", "main.c", "weak.c"], TRUE);
    project.assert_result(&["-DSUM=7", "main.c", "weak.c"], FALSE);
}

/// A function may have a body in a header that is not its definition, which one file has.
#[test]
fn inline_definitions_are_not_the_definition() {
    let header = "inline int twice(int x) { return 2 * x; }\nstatic inline int half(int x) { return x / 2; }\n";
    let project = Project::new(&[
        ("twice.h", header),
        (
            "twice.c",
            "#include \"twice.h\"\nextern inline int twice(int x);\nint four(void) { return twice(half(4)); }\n",
        ),
        (
            "main.c",
            "#include <assert.h>\n#include \"twice.h\"\nint four(void);\n\
             int main(void) { assert(twice(3) == 6); assert(four() == 4); assert(half(9) == 4); }\n",
        ),
    ]);
    project.assert_result(&["main.c", "twice.c"], TRUE);
}

#[test]
fn a_name_is_that_of_its_text() {
    let text = "#include <assert.h>\n#include <string.h>\nstatic void check(void) { assert(strcmp(__func__, \"check\") == 0); }\n\
                void NAME(void) { check(); }\n";
    let project = Project::new(&[
        ("a.c", &text.replace("NAME", "a")),
        ("b.c", &text.replace("NAME", "b")),
        (
            "main.c",
            "void a(void), b(void);\nint main(void) { a(); b(); }\n",
        ),
    ]);
    project.assert_result(&["a.c", "b.c", "main.c"], TRUE);
}

#[test]
fn two_definitions_are_refused_with_both_places() {
    let project = Project::new(&[
        ("a.c", "int start = 1;\nint main(void) { return start; }\n"),
        ("b.c", "\n  int start = 2;\n"),
        ("c.c", "int main(void) { return 0; }\n"),
    ]);
    let words = [
        "b.c:2:7",
        "int start = 2;",
        "a.c:1:5",
        "int start = 1;",
        "two files",
    ];
    project.assert_refused(&["a.c", "b.c"], &words);
    project.assert_refused(&["a.c", "c.c"], &["a.c:2:5", "c.c:1:5"]);
}

#[test]
fn types_that_differ_are_refused_with_both_places() {
    let project = Project::new(&[
        (
            "main.c",
            "extern long limit;\nstruct s { int a; };\nint f(struct s *);\nint main(void) { return f(0) + limit; }\n",
        ),
        (
            "limit.c",
            "int limit = 1;\nint f(struct s { int a; } *p) { return p != 0; }\n",
        ),
        (
            "f.c",
            "long limit;\nstruct s { char a; };\nint f(struct s *p) { return p != 0; }\n",
        ),
        ("h.c", "int f(char c) { return c; }\nlong limit;\n"),
        (
            "g.c",
            "const long limit = 3;\nstruct s { int a; };\nint f(struct s *p) { return p != 0; }\n",
        ),
    ]);
    project.assert_refused(
        &["main.c", "limit.c"],
        &["limit.c:1:5", "main.c:1:13", "`int`", "`long"],
    );
    let output = project.run(&["main.c", "f.c"]);
    for word in ["f.c:3:5", "main.c:3:5", "struct s"] {
        assert!(said(&output).contains(word), "{}", said(&output));
    }
    project.assert_refused(
        &["main.c", "h.c"],
        &["h.c:1:5", "main.c:3:5", "struct s", "int(char)"],
    );
    project.assert_refused(&["main.c", "g.c"], &["g.c:1:12", "main.c:1:13"]);
}

#[test]
fn places_name_the_right_file() {
    let project = Project::new(&[
        (
            "check.c",
            "#include <assert.h>\n/* padding */\nvoid check(int x) {\n  assert(x < 5);\n}\n",
        ),
        (
            "main.c",
            "extern int __VERIFIER_nondet_int(void);\nvoid check(int);\nint main(void) {\n  check(__VERIFIER_nondet_int());\n}\n",
        ),
    ]);
    let files = ["main.c", "check.c"];
    let outputs = [
        "--witness",
        "w.yml",
        "--sarif",
        "s.json",
        "--harness",
        "h.c",
        "--replay",
        "native",
    ];
    project.assert_result(&[&files[..], &outputs].concat(), FALSE);
    let sarif: Value = serde_json::from_str(&project.read("s.json")).expect("JSON");
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "check.c");
    assert_eq!(place["region"]["startLine"], 4);
    let witness = project.read("w.yml");
    assert!(witness.contains("\"file_name\": \"main.c\""), "{witness}");
    assert!(witness.contains("\"file_name\": \"check.c\""), "{witness}");
    assert!(project.read("h.c").contains("main.c check.c"));
}

#[test]
fn flags_are_those_of_a_compiler() {
    let project = Project::new(&[
        ("include/limit.h", "#define LIMIT 3\n"),
        ("forced.h", "#define FORCED 1\n"),
        (
            "main.c",
            "#include <assert.h>\n#include <limit.h>\n#ifdef GONE\n#error\n#endif\n\
             int main(void) { assert(LIMIT == 3 && FORCED && sizeof(long) == 4); }\n",
        ),
    ]);
    let flags = [
        "-isystem", "include", "-include", "forced.h", "-DGONE", "-U", "GONE", "-m32", "-Wall",
        "-O2", "-std=c11",
    ];
    project.assert_result(&[&["main.c"][..], &flags].concat(), TRUE);
    project.assert_result(&[&["main.c", "--", "cc", "-c"][..], &flags].concat(), TRUE);
    let output = project.run(&[&["main.c"][..], &flags].concat());
    assert!(
        said(&output).contains("ignored: -O2, -Wall"),
        "{}",
        said(&output)
    );
    project.assert_refused(&["main.c", "-funsigned-char"], &["-funsigned-char"]);
}

#[test]
fn a_compilation_database_gives_files_and_flags() {
    let project = Project::new(&[
        ("src/a.c", "int a(void) { return VALUE; }\n"),
        (
            "src/b.c",
            "#include \"h.h\"\n#include <assert.h>\nint a(void);\nint main(void) { assert(a() + VALUE == 5); }\n",
        ),
        ("include/h.h", ""),
        (
            "build/compile_commands.json",
            r#"[{"directory": "FOLDER/build", "file": "../src/a.c", "command": "cc -DVALUE=2 -O2 -c ../src/a.c -o a.o"},
                {"directory": "FOLDER/build", "file": "../src/b.c", "arguments": ["cc", "-DVALUE=3", "-I../include", "-c", "../src/b.c"]}]"#,
        ),
    ]);
    let name = "build/compile_commands.json";
    let folder = project.path().display().to_string();
    project.write(name, &project.read(name).replace("FOLDER", &folder));
    project.assert_result(&["-p", name], TRUE);
    project.assert_result(&["-p", "."], TRUE);
    project.assert_result(&["-p", "build", "src/b.c", "src/a.c"], TRUE);
    project.assert_refused(&["-p", "src"], &["bear"]);
}

#[test]
fn a_program_may_come_from_standard_input() {
    let project = Project::new(&[("two.c", "int two(void) { return 2; }\n")]);
    let mut command = project.command(&["-", "two.c", "--time-limit", "60"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    let text = "#include <assert.h>\nint two(void);\nint main(void) { assert(two() == 2); }\n";
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(last_line(&output), TRUE, "{}", said(&output));
}

/// Whether an error counts that rests on functions without a body.
#[test]
fn a_function_without_a_body_decides_nothing() {
    let text = "#include <assert.h>\nint get(void);\nvoid log_it(const char *);\nextern int __VERIFIER_nondet_int(void);\n\
                int state;\nint main(void) { int x = get(); int y = __VERIFIER_nondet_int(); state = 1; log_it(\"a\");\n\
                assert(CONDITION); }\n";
    let project = Project::new(&[
        ("main.c", text),
        (
            "get.c",
            "int get(void) { return 7; }\nvoid log_it(const char *text) { }\n",
        ),
        (
            "some.prp",
            "CHECK( init(main()), LTL(G ! call(__assert_fail())) )\n",
        ),
    ]);
    for condition in ["x != 7", "x < 5", "state == 1", "x < y", "x == 3"] {
        let define = format!("-DCONDITION={condition}");
        let output = project.run(&["main.c", &define, "--time-limit", "60"]);
        let result = last_line(&output);
        assert!(
            result.starts_with("RESULT: UNKNOWN(the error at main.c:7"),
            "{result}"
        );
        assert!(
            result.contains("`get`") || result.contains("`log_it`"),
            "{result}"
        );
        assert!(result.contains("--unknown-calls havoc"), "{result}");
        assert!(said(&output).contains("not defined in any file: `get` (main.c:6"));
        project.assert_result(&["main.c", &define, "--unknown-calls", "havoc"], FALSE);
        project.assert_result(&["main.c", &define, "--property", "some.prp"], FALSE);
    }
    // These errors need nothing of the functions, or they need what a file says.
    for condition in ["y < 5", "y + 0 * x != 3"] {
        project.assert_result(&["main.c", &format!("-DCONDITION={condition}")], FALSE);
    }
    project.assert_result(&["main.c", "-DCONDITION=x == x && state * 0 == 0"], TRUE);
    project.assert_result(
        &["main.c", "get.c", "-DCONDITION=x == 7 && state == 1"],
        TRUE,
    );
    project.assert_result(&["main.c", "get.c", "-DCONDITION=x != 7"], FALSE);
}

#[test]
fn all_functions_make_a_table() {
    let project = Project::new(&[("library.c", LIBRARY)]);
    let output = project.run(&[
        "verify",
        "library.c",
        "-DMOST=1",
        "--all-functions",
        "--time-limit",
        "30",
    ]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{table}");
    let row = |name: &str| {
        let mut lines = table.lines();
        let row = lines.find(|line| line.split_whitespace().next() == Some(name));
        row.unwrap_or_default().to_owned()
    };
    assert!(row("positive").contains("TRUE"), "{table}");
    assert!(row("depth").contains("FALSE"), "{table}");
    assert!(
        row("depth").contains("unreach-call at library.c:6"),
        "{table}"
    );
    assert!(row("limited").contains("library.c:7"), "{table}");
    assert_eq!(
        table.lines().last(),
        Some("5 runs: 2 TRUE, 3 FALSE"),
        "{table}"
    );
}

#[test]
fn a_program_without_checks_says_so() {
    let project = Project::new(&[(
        "main.c",
        "#define NDEBUG\n#include <assert.h>\nvoid unused(void) { __builtin_trap(); }\nint main(void) { assert(0); return 0; }\n",
    )]);
    let output = project.run(&["main.c"]);
    assert_eq!(last_line(&output), TRUE);
    assert!(
        said(&output).contains("there is nothing to verify"),
        "{}",
        said(&output)
    );
}

/// Functions of a library that has no `main`.
const LIBRARY: &str = "#include <assert.h>\n#include <stddef.h>\n\
    struct node { int key; struct node *next; int (*visit)(int); };\n\
    int limit = 3;\n\
    int positive(const int *a, size_t n) { int s = 0; for (size_t i = 0; i < n; i++) s += a[i] > 0; assert(s <= 4); return s; }\n\
    int depth(struct node *p) { int c = 0; for (; p; p = p->next) c++; assert(c <= MOST); return c; }\n\
    static int limited(int x) { assert(limit == 3); return x; }\n\
    int small(int x) { assert(x < 10); return x; }\n\
    int length(const char *s) { int i = 0; if (!s) return 0; while (s[i]) i++; assert(i < 4); return i; }\n";

#[test]
fn any_function_may_be_the_entry() {
    let project = Project::new(&[
        ("library.c", LIBRARY),
        (
            "other.c",
            "int other = 5;\nint use(void) { return other; }\n",
        ),
        (
            "use.c",
            "#include <assert.h>\nint use(void);\nint any(void) { int x = use(); assert(x == 5); return x; }\n",
        ),
    ]);
    let run = |more: &[&str], expected: &str| {
        project.assert_result(&[&["library.c", "-DMOST=2"][..], more].concat(), expected);
    };
    run(&["--function", "positive"], TRUE);
    run(&["--function", "depth"], TRUE);
    run(&["--function", "depth", "--pointer-depth", "3"], FALSE);
    run(&["--function", "limited"], FALSE);
    run(&["--function", "limited", "--globals", "first"], TRUE);
    run(&["--function", "small"], FALSE);
    run(&["--function", "small", "--requires", "x < 9"], TRUE);
    run(&["--function", "length"], TRUE);
    run(&["--function", "length", "--pointer-length", "5"], FALSE);
    // Global objects of other files have any value, too.
    project.assert_result(&["use.c", "other.c", "--function", "any"], FALSE);
    project.assert_result(
        &[
            "use.c",
            "other.c",
            "--function",
            "any",
            "--globals",
            "first",
        ],
        TRUE,
    );
    project.assert_refused(
        &["library.c", "--function", "none"],
        &["no file defines", "`none`"],
    );
}

const TABLES: &str = "#include <assert.h>\n\
    static const char *names[] = { \"a\", \"bc\" };\nstatic int fixed = 3, set = 3, given = 3, reached = 3;\nint open = 3;\n\
    static int *const link = &reached;\nvoid change(void) { set = 4; }\nint *give(void) { return &given; }\n\
    int name(int k) { assert(names[1][1] == 'c'); return k; }\n\
    int of_fixed(void) { assert(fixed == 3); return 0; }\nint of_set(void) { assert(set == 3); return 0; }\n\
    int of_given(void) { assert(given == 3); return 0; }\nint of_open(void) { assert(open == 3); return 0; }\n\
    int of_reached(void) { assert(reached == 3); return link != 0; }\n";

/// A static object has its first value if no function changes it.
#[test]
fn what_nothing_changes_has_its_first_value() {
    let project = Project::new(&[("tables.c", TABLES)]);
    for (function, expected) in [
        ("name", TRUE),
        ("of_fixed", TRUE),
        ("of_set", FALSE),
        ("of_given", FALSE),
        ("of_open", FALSE),
        ("of_reached", FALSE),
    ] {
        project.assert_result(&["tables.c", "--function", function], expected);
    }
}

/// The elements behind a pointer are inputs one by one, whatever they have inside.
#[test]
fn a_struct_with_pointers_takes_no_loop() {
    let text = "#include <stddef.h>\nstruct parser { int state; size_t used; unsigned char *buffer; int (*is_space)(unsigned char); \
                int (*is_end)(unsigned char); void *(*get)(size_t); void *(*more)(void *, size_t); void (*release)(void *); \
                unsigned char mark; };\nvoid set(struct parser *p, unsigned char c) { if (p) p->mark = c; }\n\
                void all(struct parser *p) { for (int i = 0; p && i < 5; i++) p[i].mark = 1; }\n";
    let project = Project::new(&[("parser.c", text)]);
    let checks = "--checks=bounds,pointers";
    project.assert_result(&["parser.c", "--function", "set", checks], TRUE);
    let expected = "RESULT: FALSE(valid-deref)";
    project.assert_result(&["parser.c", "--function", "all", checks], expected);
    let more = ["--pointer-length", "5"];
    project.assert_result(
        &[&["parser.c", "--function", "all", checks][..], &more].concat(),
        TRUE,
    );
}

/// Cmake's database has the files of all targets, here of two programs.
#[test]
fn a_target_of_cmake_is_one_program() {
    let entry = |file: &str, target: &str| {
        format!(
            "{{\"directory\": \"/\", \"file\": \"FOLDER/{file}.c\", \
             \"command\": \"cc -o CMakeFiles/{target}.dir/{file}.c.o -c FOLDER/{file}.c\"}}"
        )
    };
    let main = "#include <assert.h>\nint a(void);\nint main(void) { assert(a() == 2); }\n";
    let entries = [entry("a", "one"), entry("m", "one"), entry("t", "two")].join(",\n");
    let project = Project::new(&[
        ("a.c", "int a(void) { return 2; }\n"),
        ("m.c", main),
        ("t.c", main),
    ]);
    let folder = project.path().display().to_string();
    let database = format!("[{entries}]").replace("FOLDER", &folder);
    project.write("compile_commands.json", &database);
    project.assert_refused(&["verify", "-p", "."], &["main", "linking"]);
    project.assert_result(&["-p", ".", "--target", "one"], TRUE);
    project.assert_refused(
        &["verify", "-p", ".", "--target", "three"],
        &["`three`", "`one`, `two`"],
    );
}

/// An error in a function of the library is told at its call; a function that is an interrupt has to be there.
#[test]
fn messages_name_a_place_of_the_program() {
    let project = Project::new(&[
        (
            "print.c",
            "#include <stdio.h>\nstatic const char *text;\nvoid set(const char *t) { text = t; }\n\
                     int print(void) {\n  return printf(\"%s\", text);\n}\n",
        ),
        (
            "regatta.toml",
            "files = [\"print.c\"]\nchecks = [\"bounds,pointers\"]\n[[entry]]\nfunction = \"print\"\n",
        ),
    ]);
    let output = project.run(&["check"]);
    assert!(said(&output).contains("print.c:5:"), "{}", said(&output));
    let words = ["no file defines the function `timer`"];
    project.assert_refused(
        &[
            "verify",
            "print.c",
            "--function",
            "set",
            "--interrupt",
            "timer",
        ],
        &words,
    );
}

const BUFFERS: &str = "#include <stddef.h>\n\
    __attribute__((access(read_only, 2, 1))) int first(int many, const int *p);\n\
    int first(int many, const int *p) { return many > 0 ? p[many - 1] : 0; }\n\
    int behind(const int *p, int len) { return len > 0 ? p[len - 1] : 0; }\n\
    int other(const int *p, int last) { return last > 0 ? p[last - 1] : 0; }\n\
    int sum(unsigned k, const int a[k]) { int s = 0; for (unsigned i = 0; i < k; i++) s ^= a[i]; return s; }\n\
    int sixteen(const char key[16]) { return key ? key[15] : 0; }\n\
    int there(const char key[static 16]) { return key[15]; }\n\
    __attribute__((nonnull)) int given(const int *p);\n\
    int given(const int *p) { return *p; }\n\
    struct text { char *data; size_t size, cap; };\n\
    int end(const struct text *t) { return t && t->size ? t->data[t->size - 1] : 0; }\n\
    struct row { unsigned many; int cells[] __attribute__((counted_by(many))); };\n\
    int last(const struct row *r) { return r && r->many ? r->cells[r->many - 1] : 0; }\n\
    struct loose { unsigned many; int cells[]; };\n\
    int beyond(const struct loose *r) { return r && r->many ? r->cells[r->many - 1] : 0; }\n";

#[test]
fn declarations_say_how_long_an_array_is() {
    let project = Project::new(&[("buffers.c", BUFFERS)]);
    let run = |name: &str, expected: &str| {
        let checks = ["--checks", "bounds,pointers", "--function", name];
        project.assert_result(&[&["buffers.c"][..], &checks].concat(), expected);
    };
    let names = [
        "first", "behind", "sum", "sixteen", "there", "given", "end", "last",
    ];
    for name in names {
        run(name, TRUE);
    }
    for name in ["other", "beyond"] {
        run(name, "RESULT: FALSE(valid-deref)");
    }
}

/// The rows of a table by their entries.
fn rows(output: &Output) -> std::collections::BTreeMap<String, String> {
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = table.lines().filter_map(|line| {
        let entry = line.split_whitespace().next()?;
        Some((entry.to_owned(), line.to_owned()))
    });
    rows.collect()
}

#[test]
fn a_project_is_checked_again_only_where_it_has_changed() {
    let project = Project::new(&[
        ("library.c", LIBRARY),
        ("gone.c", "#error\n"),
        (
            "regatta.toml",
            "files = [\"*.c\"]\nexclude = [\"gone.c\"]\ndefines = [\"MOST=1\"]\ntime-limit = 30\nbaseline = \"known.json\"\n",
        ),
    ]);
    let outputs = [
        "check", "--json", "t.json", "--sarif", "t.sarif", "--junit", "t.xml",
    ];
    let output = project.run(&outputs);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let table = rows(&output);
    assert!(
        table["positive"].contains("TRUE") && table["depth"].contains("FALSE"),
        "{table:?}"
    );
    let json: Value = serde_json::from_str(&project.read("t.json")).expect("JSON");
    assert_eq!(json["entries"].as_array().map(Vec::len), Some(5));
    let sarif: Value = serde_json::from_str(&project.read("t.sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let failures = results
        .iter()
        .filter(|result| result["kind"] == "fail" || result["level"] == "error");
    assert_eq!(failures.count(), 3, "{sarif}");
    assert!(
        project.read("t.xml").contains("failures=\"3\""),
        "{}",
        project.read("t.xml")
    );

    // Nothing has changed: what was proved is not proved again.
    let table = rows(&project.run(&["check"]));
    assert!(table["positive"].contains("as before"), "{table:?}");
    assert!(!table["depth"].contains("as before"), "{table:?}");

    // One function has changed.
    project.write("library.c", &LIBRARY.replace("a[i] > 0", "a[i] > 1"));
    let table = rows(&project.run(&["check"]));
    assert!(!table["positive"].contains("as before"), "{table:?}");
    assert!(table["length"].contains("as before"), "{table:?}");

    // Known findings do not fail the check.
    let output = project.run(&["check", "--update-baseline"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    project.write("library.c", &format!("\n{LIBRARY}"));
    let output = project.run(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(rows(&output)["depth"].contains("known"));
    project.write(
        "library.c",
        &format!("{LIBRARY}int fresh(int x) {{ assert(x); return x; }}\n"),
    );
    assert_eq!(project.run(&["check"]).status.code(), Some(1));
}

/// `y` is a multiple of `x`; `STEP` and the lines before the loop are the edits of this text.
const RELATED: &str = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\n\
                       int main(void) {\n  unsigned x = 0, y = 0;\nBEFORE  while (__VERIFIER_nondet_uint()) {\n    \
                       x++;\n    y += STEP;\n  }\n  assert(y == STEP * x);\n}\n";

/// Checks the project of one entry again; returns how many invariants of an earlier run there were, and how many of them hold.
fn earlier_invariants(project: &Project) -> (u64, u64) {
    let output = project.run(&["check", "--json", "table.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let table: Value = serde_json::from_str(&project.read("table.json")).expect("JSON");
    let earlier = &table["entries"][0]["earlier_invariants"];
    let (kept, held) = (earlier["kept"].as_u64(), earlier["held"].as_u64());
    let counts = (kept.unwrap_or_default(), held.unwrap_or_default());
    if counts.0 > 0 {
        let words = format!("main: TRUE ({} of {} invariants", counts.1, counts.0);
        assert!(said(&output).contains(&words), "{}", said(&output));
    }
    counts
}

/// Invariants are tried again where their loop is now; those that do not hold any more are of no use, and do no harm.
#[test]
fn invariants_are_kept_over_edits() {
    let text = |before: &str, step: &str| RELATED.replace("BEFORE", before).replace("STEP", step);
    let project = Project::new(&[
        ("regatta.toml", "files = [\"main.c\"]\nthreads = 2\n"),
        ("main.c", &text("", "2")),
    ]);
    assert_eq!(earlier_invariants(&project), (0, 0));
    project.write("main.c", &text("\n  assert(x <= y);\n", "2"));
    let (kept, held) = earlier_invariants(&project);
    assert!(kept > 0 && held == kept, "{held} of {kept}");
    project.write("main.c", &text("\n", "3"));
    let (kept, held) = earlier_invariants(&project);
    assert!(held < kept, "{held} of {kept}");
    // The name of a variable is part of an invariant.
    project.write("main.c", &text("\n", "3").replace('y', "other"));
    let (kept, held) = earlier_invariants(&project);
    assert!(held < kept, "{held} of {kept}");
}

#[test]
fn a_broken_file_of_invariants_is_told_and_replaced() {
    let text = RELATED.replace("BEFORE", "").replace("STEP", "2");
    let project = Project::new(&[("main.c", &text)]);
    let run = |words: Option<&str>| {
        let limits = ["verify", "--time-limit", "60", "--threads", "2"];
        let output =
            project.run(&[&limits[..], &["--keep-invariants", "kept.json", "main.c"]].concat());
        assert_eq!(last_line(&output), TRUE, "{}", said(&output));
        let said = said(&output);
        match words {
            Some(words) => assert!(said.contains(words), "{said}"),
            None => assert!(!said.contains("warning"), "{said}"),
        }
    };
    run(None);
    let kept = project.read("kept.json");
    for broken in [
        "{".to_owned(),
        kept.replacen("\"misses\":0", "\"misses\":1", 1),
    ] {
        assert_ne!(broken, kept);
        project.write("kept.json", &broken);
        run(Some(
            "the invariants of an earlier run are not used: kept.json",
        ));
        run(None);
    }
}

#[test]
fn a_project_says_what_is_verified() {
    let project = Project::new(&[
        ("src/library.c", LIBRARY),
        ("stubs/get.c", "int get(void) { return 3; }\n"),
        (
            "src/main.c",
            "#include <assert.h>\nint get(void);\nint main(void) { assert(get() == 3); return 0; }\n",
        ),
        (
            "regatta.toml",
            "files = [\"src/*.c\"]\nstubs = [\"stubs/*.c\"]\ndefines = [\"MOST=2\"]\ntime-limit = 30\n\
             [[entry]]\nfunction = \"main\"\n\
             [[entry]]\nfunction = \"small\"\nrequires = [\"x < 9\"]\nchecks = [\"assertions\", \"overflow\"]\n",
        ),
    ]);
    let output = project.run(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        table.contains("small (overflow)") && table.contains("small (assertions)"),
        "{table}"
    );
    assert_eq!(table.lines().last(), Some("3 runs: 3 TRUE"), "{table}");
    project.write("regatta.toml", "files = [\"src/*.c\"]\nentries = []\n");
    project.assert_refused(&["check"], &["regatta.toml", "`entries`"]);
    project.assert_refused(&["check", "src"], &["regatta.toml"]);
}

#[test]
fn a_harness_is_c_to_be_edited() {
    let project = Project::new(&[
        ("library.c", LIBRARY),
        (
            "more.c",
            "typedef struct { int x; int (*f)(char, ...); } point;\nint table[2][3];\nenum { A } kind;\n\
             int move(point *p, int (*row)[3]) { return p && row ? p->x : 0; }\nint main(void) { return 0; }\n",
        ),
    ]);
    let output = project.run(&["harness", "depth", "library.c", "-DMOST=2"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    project.write("harness.c", &text);
    project.assert_result(&["harness.c", "-DMOST=2"], TRUE);
    project.assert_result(&["harness.c", "-DMOST=1"], FALSE);
    let output = project.run(&["harness", "move", "more.c"]);
    project.write("other.c", &String::from_utf8_lossy(&output.stdout));
    let compiled = Command::new("cc")
        .args([
            "-c",
            "-Wno-builtin-declaration-mismatch",
            "-o",
            "/dev/null",
            "other.c",
        ])
        .current_dir(project.path())
        .output()
        .expect("a compiler");
    assert!(
        compiled.status.success(),
        "{}\n{}",
        said(&compiled),
        project.read("other.c")
    );
}

/// The script of a step of `action.yml`.
fn script_of(step: &str) -> String {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    let action = std::fs::read_to_string(action).expect("the action");
    let (_, rest) = action
        .split_once(&format!("- name: {step}\n"))
        .expect("the step");
    let (_, script) = rest.split_once("      run: |\n").expect("a script");
    let lines = script
        .lines()
        .map_while(|line| line.strip_prefix("        "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The steps of the action run as GitHub runs them, without its services.
#[test]
fn the_action_verifies_and_annotates() {
    let project = Project::new(&[
        (
            "main.c",
            "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
             int main(void) {\n  assert(__VERIFIER_nondet_int() < 5);\n}\n",
        ),
        ("regatta.toml", "files = [\"main.c\"]\ntime-limit = 30\n"),
    ]);
    let program = Path::new(env!("CARGO_BIN_EXE_regatta")).parent();
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", program.expect("a folder").display());
    let verify = || {
        let output = Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &script_of("Verify")])
            .current_dir(project.path())
            .env("PATH", &path)
            .env("RUNNER_TEMP", project.path())
            .env("GITHUB_OUTPUT", project.path().join("output"))
            .env("GITHUB_STEP_SUMMARY", project.path().join("summary"))
            .envs([
                ("FOLDER", "."),
                ("ARGUMENTS", "--jobs 1"),
                ("FAIL_ON_OPEN", "false"),
            ])
            .output();
        output.expect("bash runs")
    };
    let output = verify();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    // The problem matcher finds this line.
    assert!(
        said(&output).contains("error: unreach-call, beginning in main"),
        "{}",
        said(&output)
    );
    assert!(project.read("summary").contains("1 run: 1 FALSE"));
    let sarif: Value = serde_json::from_str(&project.read("regatta.sarif")).expect("JSON");
    assert_eq!(
        sarif["runs"][0]["results"].as_array().map(Vec::len),
        Some(1)
    );
    project.write(
        "main.c",
        "#include <assert.h>\nint main(void) { assert(1); }\n",
    );
    assert_eq!(verify().status.code(), Some(0));
}

/// What fills global objects for an entry is no part of the program: it has no checks of its own.
#[test]
fn an_entry_is_not_checked_itself() {
    let project = Project::new(&[(
        "state.c",
        "#include <stdlib.h>\nstruct list { struct list *next; int value; } *head;\nchar *text;\n\
         static int table[8];\nstatic void *(*make)(size_t) = malloc;\n\
         void use(void *(*f)(size_t)) { make = f; table[3]++; }\n\
         int read(int i) {\n  if (head && i >= 0 && i < 8)\n    return head->value + table[i];\n  return text ? text[0] : 0;\n}\n\
         int beyond(int i) {\n  return table[i];\n}\n\
         int guarded(int *p) { return p ? *p : 0; }\n",
    )]);
    let checks = [
        "--checks",
        "bounds,pointers",
        "--time-limit",
        "60",
        "--threads",
        "2",
    ];
    let run = |function: &str, more: &[&str]| {
        let options = [
            &["verify", "state.c", "--function", function][..],
            &checks,
            more,
        ]
        .concat();
        project.run(&options)
    };
    let output = run("read", &["--all"]);
    assert_eq!(last_line(&output), TRUE, "{}", said(&output));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let places = table.lines().filter(|line| line.contains("  holds  "));
    assert!(places.clone().count() >= 2, "{table}");
    assert!(
        places.into_iter().all(|line| line.starts_with("state.c:")),
        "{table}"
    );
    let output = run("beyond", &[]);
    assert_eq!(
        last_line(&output),
        "RESULT: FALSE(valid-deref)",
        "{}",
        said(&output)
    );
    // A condition of the caller is the user's text, whose reads are checked.
    let output = run("guarded", &["--requires", "*p > 3"]);
    assert_eq!(
        last_line(&output),
        "RESULT: FALSE(valid-deref)",
        "{}",
        said(&output)
    );
    let output = run("guarded", &["--requires", "p && *p > 3"]);
    assert_eq!(last_line(&output), TRUE, "{}", said(&output));
}

/// A message of the Language Server Protocol.
fn message(content: &Value) -> String {
    let text = content.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// Reads messages of a server up to one with the method.
fn read_message(server: &mut impl std::io::BufRead, method: &str) -> Value {
    read_until(server, |message| message["method"] == method)
}

/// Reads messages of a server up to the one that is wanted.
fn read_until(server: &mut impl std::io::BufRead, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            server.read_line(&mut line).expect("a line");
            match line.trim() {
                "" => break,
                line => {
                    if let Some(number) = line.strip_prefix("Content-Length: ") {
                        length = number.parse().expect("a number");
                    }
                }
            }
        }
        let mut text = vec![0; length];
        server.read_exact(&mut text).expect("a message");
        let message: Value = serde_json::from_slice(&text).expect("JSON");
        if is_wanted(&message) {
            return message;
        }
    }
}

/// The server sends the loop's invariants as hints, for a project and for a single file; a file with an error has no hints.
#[test]
fn an_editor_is_told_of_invariants() {
    let right = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
                 int main(void) {\n  unsigned x = 0, y = 0;\n  while (__VERIFIER_nondet_int()) {\n    x++;\n    y++;\n  }\n\
                 \n  assert(x == y);\n}\n";
    let configuration = (
        "regatta.toml",
        "files = [\"main.c\"]\nchecks = [\"assertions\"]\ntime-limit = 30\n",
    );
    for files in [
        &[configuration, ("main.c", right)][..],
        &[("main.c", right)],
    ] {
        let project = Project::new(files);
        let mut command = project.command(&["lsp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("the server runs");
        let mut input = server.stdin.take().expect("a pipe");
        let mut output = std::io::BufReader::new(server.stdout.take().expect("a pipe"));
        let mut send = |content: Value| {
            input
                .write_all(message(&content).as_bytes())
                .expect("written");
            input.flush().expect("written");
        };
        let root = format!("file://{}", project.path().display());
        let file = format!("{root}/main.c");
        let document = serde_json::json!({ "uri": file });
        let saved = serde_json::json!({
            "jsonrpc": "2.0", "method": "textDocument/didSave", "params": { "textDocument": document },
        });
        let question = |id: u32| {
            let range = serde_json::json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 20, "character": 0 } });
            serde_json::json!({
                "jsonrpc": "2.0", "id": id, "method": "textDocument/inlayHint",
                "params": { "textDocument": document, "range": range },
            })
        };
        let capabilities =
            serde_json::json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
        send(serde_json::json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "rootUri": root, "capabilities": capabilities },
        }));
        send(serde_json::json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        send(saved.clone());
        let refresh = read_message(&mut output, "workspace/inlayHint/refresh");
        send(serde_json::json!({ "jsonrpc": "2.0", "id": refresh["id"], "result": null }));
        send(question(2));
        let answer = read_until(&mut output, |message| message["id"] == 2);
        let hints = answer["result"].as_array().cloned().unwrap_or_default();
        assert_eq!(hints.len(), 1, "{answer}");
        let position = serde_json::json!({ "line": 4, "character": 35 });
        assert_eq!(hints[0]["position"], position, "{answer}");
        let label = hints[0]["label"].as_str().unwrap_or_default();
        let tooltip = hints[0]["tooltip"].as_str().unwrap_or_default();
        assert!(label.starts_with("invariant: "), "{answer}");
        assert!(
            tooltip
                .lines()
                .any(|line| ["x == y", "y == x"].contains(&line)),
            "{answer}"
        );
        project.write("main.c", &right.replace("x == y", "x != y"));
        send(saved);
        read_message(&mut output, "workspace/inlayHint/refresh");
        send(question(3));
        let answer = read_until(&mut output, |message| message["id"] == 3);
        assert_eq!(answer["result"], serde_json::json!([]), "{answer}");
        send(serde_json::json!({ "jsonrpc": "2.0", "id": 4, "method": "shutdown" }));
        send(serde_json::json!({ "jsonrpc": "2.0", "method": "exit" }));
        assert!(server.wait().expect("the server ends").success());
    }
}

#[test]
fn an_editor_is_told_of_errors() {
    let wrong = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
                 int main(void) {\n  int x = __VERIFIER_nondet_int();\n  assert(x < 5);\n}\n";
    let project = Project::new(&[
        ("main.c", wrong),
        ("regatta.toml", "files = [\"main.c\"]\ntime-limit = 30\n"),
    ]);
    let mut command = project.command(&["lsp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the server runs");
    let mut input = server.stdin.take().expect("a pipe");
    let mut output = std::io::BufReader::new(server.stdout.take().expect("a pipe"));
    let mut send = |content: Value| {
        input
            .write_all(message(&content).as_bytes())
            .expect("written");
        input.flush().expect("written");
    };
    let root = format!("file://{}", project.path().display());
    let file = format!("{root}/main.c");
    let saved = serde_json::json!({
        "jsonrpc": "2.0", "method": "textDocument/didSave", "params": { "textDocument": { "uri": file } },
    });
    send(serde_json::json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "rootUri": root, "capabilities": {} },
    }));
    send(serde_json::json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    send(saved.clone());
    let method = "textDocument/publishDiagnostics";
    let told = read_message(&mut output, method);
    assert_eq!(told["params"]["uri"], file.as_str());
    let diagnostics = told["params"]["diagnostics"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(diagnostics.len(), 1, "{told}");
    assert_eq!(diagnostics[0]["range"]["start"]["line"], 4);
    let related = diagnostics[0]["relatedInformation"].as_array();
    assert!(related.is_some_and(|steps| !steps.is_empty()), "{told}");
    // Two runs at a time: only the last is told of.
    project.write("main.c", &wrong.replace("x < 5", "x == x"));
    send(saved.clone());
    send(saved);
    let told = read_message(&mut output, method);
    assert_eq!(
        told["params"]["diagnostics"],
        serde_json::json!([]),
        "{told}"
    );
    send(serde_json::json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    send(serde_json::json!({ "jsonrpc": "2.0", "method": "exit" }));
    let status = server.wait().expect("the server ends");
    assert!(status.success());
}

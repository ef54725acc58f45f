//! `verify --all`: each check is decided by itself; `--only`, `--show-checks`.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Seconds for each run; the machine may be busy.
const TIME_LIMIT: &str = "60";

fn regatta(program: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(["verify", "--time-limit", TIME_LIMIT])
        .args(["--checks", "assertions"])
        .args(options)
        .arg(program)
        .output()
        .expect("the command runs")
}

/// Returns the RESULT line, the exit code, and the verdicts of the checks by their lines.
fn decide(text: &str, options: &[&str]) -> (String, Option<i32>, Vec<(u64, String)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.c");
    std::fs::write(&program, text).expect("the program is written");
    let all = [&["--all", "--json"], options].concat();
    let output = regatta(&program, &all);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(!complaints.contains("internal error"), "{complaints}");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let result = stdout.lines().last().unwrap_or_default().to_owned();
    let events = stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut tables = events.filter(|event| event["event"] == "checks");
    let table = tables.next_back().unwrap_or_default();
    let rows = table["checks"].as_array().into_iter().flatten();
    let rows = rows.map(|row| {
        let place = row["place"].as_str().expect("a place");
        let line = place.rsplit(':').nth(1).expect("a line");
        let verdict = row["verdict"].as_str().expect("a verdict");
        (line.parse().expect("a number"), verdict.to_owned())
    });
    (result, output.status.code(), rows.collect())
}

fn assert_decided(text: &str, result: &str, code: i32, expected: &[(u64, &str)]) {
    assert_decided_with(text, &[], result, code, expected);
}

fn assert_decided_with(
    text: &str,
    options: &[&str],
    result: &str,
    code: i32,
    expected: &[(u64, &str)],
) {
    let (line, exit, rows) = decide(text, options);
    let rows: Vec<(u64, &str)> = rows
        .iter()
        .map(|(line, verdict)| (*line, &**verdict))
        .collect();
    assert_eq!(rows, expected, "{line}\n{text}");
    assert!(line.starts_with(result), "{line}\n{text}");
    assert_eq!(exit, Some(code), "{text}");
}

/// Checks that the simplifier, simulation and a proof by induction decide.
const THREE: &str = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0, known = 1;
    if (known != 1)
        reach_error();
    if (n % 8 == 3)
        reach_error();
    while (x < n) { x++; y += 2; }
    if (y != 2 * n)
        reach_error();
    return 0;
}
";

#[test]
fn each_check_has_its_verdict() {
    let expected = [(6, "excluded"), (8, "violated"), (11, "excluded")];
    assert_decided(THREE, "RESULT: FALSE(unreach-call)", 1, &expected);
}

#[test]
fn several_checks_are_violated() {
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 77123)
        reach_error();
    if (x == 1)
        reach_error();
    if (x > 0 && x + x == 154246)
        reach_error();
    if (x == 1948271)
        reach_error();
    return 0;
}
";
    let expected = [
        (6, "violated"),
        (8, "violated"),
        (10, "excluded"),
        (12, "violated"),
    ];
    assert_decided(text, "RESULT: FALSE(unreach-call)", 1, &expected);
}

#[test]
fn true_needs_all_checks() {
    let text = THREE.replace("n % 8 == 3", "n % 8 == 8");
    let expected = [(6, "excluded"), (8, "excluded"), (11, "excluded")];
    assert_decided(&text, "RESULT: TRUE", 0, &expected);
}

/// Behind a function that calls itself are checks that no engine proves which does not handle recursion; behind a loop that
/// does not end for some input, one that no execution violates, and one that some do.
const BEHIND: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
static int parity(int n) { return n == 0 ? 0 : 1 - parity(n - 1); }
static void recursive(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 5)
        return;
    if (parity(n) > 1)
        reach_error();
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0, step = __VERIFIER_nondet_uint();
    recursive();
    parity(__VERIFIER_nondet_int());
    while (x < n) { x++; y += 3; }
    if (y != 3 * n)
        reach_error();
    while (step == 77)
        ;
    if (step == 77)
        reach_error();
    if (step == 76)
        reach_error();
    return 0;
}
";

#[test]
fn what_is_before_a_check_is_not_in_its_way() {
    let expected = [
        (10, "excluded"),
        (18, "excluded"),
        (22, "excluded"),
        (24, "violated"),
    ];
    assert_decided(BEHIND, "RESULT: FALSE(unreach-call)", 1, &expected);
}

/// A loop without end comes before the check, so nothing reaches it. The loose slice leaves the loop out, so its engines find
/// an alarm; the replay on the program as lowered rejects it.
#[test]
fn nothing_is_violated_behind_a_loop_without_end() {
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = 0;
    if (x != x)
        reach_error();
    while (1)
        if (__VERIFIER_nondet_int() > y + 1 && y * y == 3)
            break;
    if (x == 7)
        reach_error();
    return 0;
}
";
    let (line, _, rows) = decide(text, &[]);
    assert!(!line.starts_with("RESULT: FALSE"), "{line}");
    assert!(
        rows.iter().all(|(_, verdict)| verdict != "violated"),
        "{rows:?}"
    );
}

/// The checks behind one that always fails are not reached; the one in the function that is not called neither.
#[test]
fn checks_behind_a_certain_violation_hold() {
    let text = "extern void reach_error(void);
static void unused(void) { reach_error(); }
int main(void) {
    reach_error();
    reach_error();
    return 0;
}
";
    let (line, code, rows) = decide(text, &[]);
    assert_eq!(line, "RESULT: FALSE(unreach-call)");
    assert_eq!(code, Some(1));
    assert!(rows.contains(&(4, "violated".to_owned())), "{rows:?}");
    assert!(
        rows.iter()
            .all(|(line, verdict)| *line == 4 || verdict == "excluded")
    );
}

/// What is not modelled may violate any check, so none is excluded where it is reached.
#[test]
fn no_check_holds_beside_what_is_not_modelled() {
    let text = "#include <setjmp.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern jmp_buf buffer;
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 5)
        reach_error();
    if (x == 5)
        reach_error();
    longjmp(buffer, 1);
    return 0;
}
";
    let (line, code, rows) = decide(text, &[]);
    assert_eq!(line, "RESULT: FALSE(unreach-call)");
    assert_eq!(code, Some(1));
    let rows: Vec<&str> = rows.iter().map(|(_, verdict)| &**verdict).collect();
    assert_eq!(rows, ["violated", "unknown"]);
}

#[test]
fn the_result_names_the_checks_that_are_open() {
    let text = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x = a % 4;
    if (a > 3 && b > 3 && a < 65536 && b < 65536 && a * b == 4292870399u && a != 65521)
        reach_error();
    if (x > 3)
        reach_error();
    return 0;
}
";
    // Simulation alone proves nothing.
    let options = ["--portfolio", "simulate"];
    let (line, code, rows) = decide(text, &options);
    assert!(
        line.starts_with("RESULT: UNKNOWN(not decided: check"),
        "{line}"
    );
    assert_eq!(code, Some(2));
    assert!(rows.contains(&(6, "unknown".to_owned())), "{rows:?}");
}

#[test]
fn a_program_without_checks_is_decided_as_a_whole() {
    assert_decided("int main(void) { return 0; }\n", "RESULT: TRUE", 0, &[]);
}

#[test]
fn checks_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.c");
    std::fs::write(&program, THREE).expect("the program is written");
    let output = regatta(&program, &["--show-checks"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    for (line, number) in lines.iter().zip([6, 8, 11]) {
        assert!(line.contains(&format!("program.c:{number}:")), "{line}");
        assert!(line.contains("unreach-call  reach_error();"), "{line}");
    }
}

/// Only the checks that are named are decided, by their numbers or by their places.
#[test]
fn only_the_checks_that_are_named_are_decided() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.c");
    std::fs::write(&program, THREE).expect("the program is written");
    for (only, verdicts, result, code) in [
        ("1", &["holds"][..], "RESULT: TRUE", 0),
        (
            "program.c:8",
            &["violated"],
            "RESULT: FALSE(unreach-call)",
            1,
        ),
        ("3,1", &["holds", "holds"], "RESULT: TRUE", 0),
    ] {
        let output = regatta(&program, &["--only", only]);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("program.c:"))
            .collect();
        assert_eq!(rows.len(), verdicts.len(), "{only}: {text}");
        for (row, verdict) in rows.iter().zip(verdicts) {
            assert!(row.contains(verdict), "{only}: {row}");
        }
        assert_eq!(text.lines().last(), Some(result), "{only}");
        assert_eq!(output.status.code(), Some(code), "{only}");
    }
    let unknown = regatta(&program, &["--only", "1,4"]);
    let said = String::from_utf8_lossy(&unknown.stderr);
    assert_eq!(unknown.status.code(), Some(3), "{said}");
    assert!(said.contains("no such check: `4`"), "{said}");
}

#[test]
fn the_table_comes_before_the_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.c");
    let report = folder.path().join("report.html");
    std::fs::write(&program, THREE).expect("the program is written");
    let output = regatta(
        &program,
        &["--all", "--report", &report.display().to_string()],
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    for (line, verdict) in lines.iter().zip(["holds", "violated", "holds"]) {
        assert!(line.contains(verdict), "{line}");
    }
    assert!(lines[3].contains("no check failed"), "{text}");
    assert_eq!(lines[4], "RESULT: FALSE(unreach-call)");
    let page = std::fs::read_to_string(report).expect("a report");
    assert!(page.contains("<h2 id=\"checks-title\">"));
    assert_eq!(page.matches("<td>holds</td>").count(), 2);
}

/// A pipe can be read once only, so that no round can be sure to see the same program.
#[test]
fn a_program_that_cannot_be_read_again_is_not_decided_wrongly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(["verify", "--all", "--time-limit", TIME_LIMIT, "/dev/stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, THREE.as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(!text.contains("RESULT: TRUE"), "{text}");
}

#[test]
fn outputs_of_a_single_answer_are_refused() {
    for option in ["--witness", "--certificate", "--harness", "--dump"] {
        let output = regatta(Path::new("program.c"), &["--all", option, "there"]);
        assert_eq!(output.status.code(), Some(3), "{option}");
    }
}

/// Each call of a function that asserts is a check of its own, at the call.
#[test]
fn each_call_of_an_assertion_function_is_a_check() {
    let text = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
static void check(int holds) { if (!holds) reach_error(); }
static unsigned twice(unsigned x) { check(x < 100); return 2 * x; }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n >= 100)
        return 0;
    check(n != 7);
    check(twice(n) % 2 == 0);
    return 0;
}";
    assert_decided(
        text,
        "RESULT: FALSE(unreach-call)",
        1,
        &[(4, "excluded"), (9, "violated"), (10, "excluded")],
    );
}

/// All checks together need an invariant of one loop and all runs of the other: each has its engine, none has both.
#[test]
fn parts_of_the_checks_are_raced_over_where_all_together_are_too_hard() {
    let text = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned s = __VERIFIER_nondet_uint(), h = 5381, i;
    if (s > 5000) return 0;
    for (i = 0; i < 40; i++) { h = h * 33 ^ (s + i); h ^= h >> 7; }
    if (h == 0x12345678u) reach_error();
    unsigned w = __VERIFIER_nondet_uint(), x = w, y = w + 1, z = x + 1;
    while (__VERIFIER_nondet_uint()) { y++; z++; }
    if (y != z) reach_error();
    return 0;
}";
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.c");
    std::fs::write(&program, text).expect("the program is written");
    let output = regatta(&program, &[]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(stdout.lines().last(), Some("RESULT: TRUE"));
}

/// Returns the events of `verify --all` of the program; the time limit is in seconds.
fn events(text: &str, seconds: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.c");
    std::fs::write(&program, text).expect("the program is written");
    let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(["verify", "--all", "--json", "--time-limit", seconds])
        .args(["--checks", "assertions"])
        .arg(&program)
        .output()
        .expect("the command runs");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let events = stdout.lines();
    let events = events.filter_map(|line| serde_json::from_str(line).ok());
    events.collect()
}

/// Forty checks, one of which is a question about a product that no engine answers in the time: the others are excluded in a few
/// races, and not one by one.
#[test]
fn a_check_that_is_hard_keeps_no_other_open() {
    let mut text = String::from(
        "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), i, s = 0;
",
    );
    for number in 0..39 {
        let lines = match number % 3 {
            0 => format!(
                "if (x > {number}) y = x; else y = {number}; if (y < {number}) reach_error();"
            ),
            1 => format!(
                "i = __VERIFIER_nondet_uint(); s = i; if (i < 1000) s = i + {number}; if (i < 1000 && s > 1000 + {number}) reach_error();"
            ),
            _ => format!(
                "while (__VERIFIER_nondet_uint()) x++; if (x < {number}) y = x; else y = 0; if (y > {number}) reach_error();"
            ),
        };
        text.push_str(&format!("    {lines}\n"));
    }
    text.push_str(
        "    unsigned long long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    // A prime number.
    if (a > 1 && b > 1 && a * b == 9300000000000000127ull) reach_error();
    return 0;
}
",
    );
    let events = events(&text, "20");
    let table = events
        .iter()
        .rfind(|event| event["event"] == "checks")
        .expect("a table");
    let rows = table["checks"].as_array().expect("rows");
    assert_eq!(rows.len(), 40);
    for row in &rows[..39] {
        assert_eq!(row["verdict"], "excluded", "{row}");
    }
    assert_ne!(rows[39]["verdict"], "violated");
    let excluded = events.iter().filter(|event| event["event"] == "excluded");
    assert!(
        excluded.count() > 0,
        "no race has excluded checks and gone on"
    );
}

/// Many checks of several kinds, in functions of their own, some of which fail: each has its verdict.
#[test]
fn many_checks_have_their_verdicts() {
    const EACH: u32 = 7;
    let mut text = String::from(
        "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
",
    );
    let mut expected = Vec::new();
    for number in 0..50_u32 {
        let fails = number % 13 == 5;
        let more = u32::from(fails);
        let (before, condition) = match number % 3 {
            0 => (
                format!("if (x > {number}u) x = {number}u;\nunsigned y = x + 3u;"),
                format!("y + {more}u > {number}u + 3u"),
            ),
            1 => (
                "int a[8]; unsigned i = x % 8u;\na[i] = 5; a[(i + 1u) % 8u] = 7;".to_owned(),
                format!("a[i] != 5 - {more} * (i == 3u)"),
            ),
            _ => (
                "unsigned i = 0, twice = 2u;\nwhile (i < x) { i++; twice += 2u; }".to_owned(),
                format!("twice == 2u * i + 3u - {more}u && x < 9u"),
            ),
        };
        text += &format!(
            "static void check_{number}(void) {{
unsigned x = __VERIFIER_nondet_uint();
{before}
if ({condition})
reach_error();
}}
"
        );
        let line = 2 + u64::from((number + 1) * EACH - 1);
        let verdict = if fails { "violated" } else { "excluded" };
        expected.push((line, verdict));
    }
    let calls = (0..50).map(|number| format!("check_{number}();\n"));
    text += &format!("int main(void) {{\n{}}}\n", calls.collect::<String>());
    assert_decided(&text, "RESULT: FALSE(unreach-call)", 1, &expected);
}

/// A later race, which has the check that nothing decides left, tries first what an earlier one has proved of the loop.
#[test]
fn a_race_begins_with_what_an_earlier_one_has_proved() {
    let text = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned long long n = 0, a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    while (__VERIFIER_nondet_uint()) { n = n + 2; if (n == 40) n = 0; }
    if (n % 2 == 1) reach_error();
    if (n > 40) reach_error();
    // A prime number, and n does not matter.
    if (a > 1 && b > 1 && a * b + (n & 1) == 9300000000000000127ull) reach_error();
    return 0;
}
";
    let events = events(text, "12");
    assert!(events.iter().any(|event| {
        event["event"] == "earlier_invariants"
            && event["is_same_run"] == true
            && event["held"].as_u64() > Some(0)
    }));
}

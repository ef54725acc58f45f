//! Witnesses: what the linter finds, what the validator says, and an independent reader.

mod running;

use std::path::{Path, PathBuf};
use std::process::Command;

use running::{run, said};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate")
}

/// The program of a witness.
fn program_of(witness: &str) -> &'static str {
    match witness.split(['.', '_']).next() {
        Some("loop") => "loop.c",
        Some("contract") => "contract.c",
        _ => "path.c",
    }
}

const RIGHT: &[&str] = &[
    "contract.yml",
    "loop.yml",
    "loop_empty.yml",
    "loop_wrong.yml",
    "path.yml",
    "path_avoided.yml",
    "path_avoids.yml",
    "path_target_only.yml",
    "path_wrong_value.yml",
];

/// A witness with one thing wrong: which, what is replaced by what, and what the linter says. The last tells whether the
/// independent reader sees it, too.
const WRONG: &[(&str, &str, &str, &str, bool)] = &[
    // The envelope.
    (
        "loop.yml",
        "- entry_type: invariant_set",
        "entry_type: invariant_set",
        "no YAML",
        true,
    ),
    (
        "loop.yml",
        "'2.0'",
        "'3.0'",
        "format version `3.0` is not known",
        true,
    ),
    (
        "loop.yml",
        "'2.0'",
        "2.0",
        "format_version is a string",
        true,
    ),
    (
        "loop.yml",
        "91023a0f-9f45-4385",
        "91023a0f-4385",
        "is no UUID",
        true,
    ),
    (
        "loop.yml",
        "15:00:00Z",
        "15:00:00",
        "is no time of ISO 8601 with a zone",
        true,
    ),
    (
        "loop.yml",
        "      name: x\n",
        "",
        "producer: `name` is missing",
        true,
    ),
    (
        "loop.yml",
        "invariant_set",
        "invariants",
        "expected one of violation_sequence, invariant_set",
        true,
    ),
    (
        "loop.yml",
        "language: C",
        "language: Java",
        "language: expected one of C, found `Java`",
        true,
    ),
    // The task.
    (
        "loop.yml",
        "loop.c: 58a5",
        "loop.c: 58a6",
        "the hash is not that of the file",
        true,
    ),
    (
        "loop.yml",
        "loop.c: 58a5",
        "loop.c: 5",
        "is no SHA-256",
        true,
    ),
    (
        "loop.yml",
        "        loop.c: 58",
        "        pool.c: 58",
        "`pool.c` is not among the input files",
        true,
    ),
    (
        "loop.yml",
        "      - loop.c",
        "      - pool.c",
        "the witness is for `pool.c`, not for `loop.c`",
        true,
    ),
    (
        "loop.yml",
        "call(reach_error())",
        "call reach_error",
        "this is no property",
        true,
    ),
    (
        "loop.yml",
        "LP64",
        "LP65",
        "data_model: expected one of ILP32, LP64, found `LP65`",
        true,
    ),
    // Places.
    (
        "loop.yml",
        "file_name: loop.c",
        "file_name: pool.c",
        "`pool.c` is not the program's file",
        true,
    ),
    (
        "loop.yml",
        "line: 9",
        "line: 99",
        "the file has only 16 lines",
        true,
    ),
    (
        "loop.yml",
        "line: 9",
        "line: 10",
        "expected loop's keyword (`for`, `while` or `do`)",
        true,
    ),
    (
        "loop.yml",
        "column: 3",
        "column: 4",
        "expected loop's keyword (`for`, `while` or `do`)",
        true,
    ),
    (
        "loop.yml",
        "line: 9\n        column: 3",
        "line: 9\n        column: 33",
        "line 9 has only 17 columns",
        true,
    ),
    (
        "loop.yml",
        "line: 9\n        column: 3",
        "line: 9\n        column: 0",
        "column: expected a number from one",
        true,
    ),
    (
        "loop.yml",
        "function: main",
        "function: mane",
        "there is no function `mane`",
        true,
    ),
    (
        "path.yml",
        "function: main",
        "function: add",
        "this place is in the function `main`, not in `add`",
        false,
    ),
    (
        "path.yml",
        "column: 33",
        "column: 32",
        "expected closing parenthesis of a call, found `(`",
        true,
    ),
    (
        "path.yml",
        "line: 9\n          column: 3\n          function: main\n        constraint:\n          value: 'true'",
        "line: 10\n          column: 5\n          function: main\n        constraint:\n          value: 'true'",
        "expected keyword that branches",
        true,
    ),
    // Values and expressions.
    (
        "loop.yml",
        "s == 2 * i",
        "s == 2 * k",
        "cannot be read there",
        false,
    ),
    (
        "loop.yml",
        "s == 2 * i",
        "s == 2 * i)",
        "a bracket without its partner",
        true,
    ),
    (
        "loop.yml",
        "s == 2 * i",
        "s = 2 * i",
        "the expression has a side effect",
        true,
    ),
    (
        "loop.yml",
        "s == 2 * i",
        "s == __VERIFIER_nondet_int()",
        "the expression calls a function",
        false,
    ),
    (
        "loop.yml",
        "s == 2 * i",
        "s == 2 i",
        "cannot be read there: syntax error",
        false,
    ),
    (
        "path.yml",
        "value: 'true'",
        "value: '1'",
        "`1` is no value of this branching",
        false,
    ),
    (
        "path.yml",
        "value: 'true'",
        "value: maybe",
        "branching: expected true or false, found `maybe`",
        true,
    ),
    (
        "path.yml",
        "\\result == 7",
        "x == 7",
        "does not speak of `\\result`",
        true,
    ),
    (
        "path.yml",
        "y == 7",
        "a == 7",
        "`a == 7` cannot be read there",
        false,
    ),
    // The path.
    (
        "path.yml",
        "type: target",
        "type: function_enter",
        "expected closing parenthesis of a call",
        true,
    ),
    (
        "path.yml",
        "type: target",
        "type: goal",
        "type: expected one of assumption, branching",
        true,
    ),
    (
        "path_target_only.yml",
        "action: follow",
        "action: avoid",
        "the segment does not end in a waypoint to follow",
        true,
    ),
    (
        "path_target_only.yml",
        "action: follow",
        "action: cycle",
        "action `cycle` came with format 2.1",
        true,
    ),
    (
        "path.yml",
        "          format: c_expression\n",
        "",
        "constraint: `format` is missing",
        true,
    ),
    (
        "path.yml",
        "acsl_expression",
        "ext_c_expression",
        "format `ext_c_expression` came with format 2.1",
        true,
    ),
    (
        "loop.yml",
        "loop_invariant",
        "loop_transition_invariant",
        "came with format 2.1",
        true,
    ),
    (
        "path.yml",
        "        action: follow\n",
        "        action: follow\n        thread_id: 0\n",
        "`thread_id` came with format 2.2",
        true,
    ),
    // Contracts.
    (
        "contract.yml",
        "requires: n <= 1000",
        "requires: rest <= 1000",
        "`rest <= 1000 && limits [0] == 0` cannot be read there",
        false,
    ),
    (
        "contract.yml",
        "(limits[1])",
        "(limit[1])",
        "cannot be read there",
        false,
    ),
    (
        "contract.yml",
        "(n, Old)",
        "(n, Later)",
        "`\\` in a C expression",
        false,
    ),
    (
        "contract.yml",
        "line: 6",
        "line: 10",
        "expected definition of a function",
        false,
    ),
    (
        "contract.yml",
        "function: sum",
        "function: before",
        "this place is in the function `sum`, not in `before`",
        false,
    ),
    (
        "path.yml",
        "        action: follow\n",
        "        action: follow\n        colour: red\n",
        "a waypoint has no field `colour`",
        true,
    ),
];

/// A folder with a program and a text as the witness `w.yml`.
fn with_witness(program: &str, text: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::copy(folder().join(program), place.path().join(program)).expect("a copy");
    std::fs::write(place.path().join("w.yml"), text).expect("a witness");
    place
}

/// The witness without its last segment.
fn without_target(text: &str) -> String {
    let last = text.rfind("  - segment:").expect("a segment");
    text[..last].to_owned()
}

#[test]
fn right_witnesses_have_nothing_wrong() {
    for witness in RIGHT {
        let output = run(
            &folder(),
            &["witness", "lint", witness, program_of(witness)],
        );
        assert_eq!(
            output.status.code(),
            Some(0),
            "{witness}: {}",
            said(&output)
        );
        assert!(said(&output).contains("nothing is wrong"), "{witness}");
    }
}

#[test]
fn one_thing_wrong_is_refused_with_its_reason() {
    let reader = independent_reader();
    for (witness, from, to, reason, others_see_it) in WRONG {
        let text = std::fs::read_to_string(folder().join(witness)).expect("a witness");
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{witness}: {from}");
        check_refused(
            program_of(witness),
            &changed,
            reason,
            *others_see_it,
            reader,
        );
    }
    let text = std::fs::read_to_string(folder().join("path.yml")).expect("a witness");
    let reason = "the target is missing";
    check_refused("path.c", &without_target(&text), reason, true, reader);
}

fn check_refused(program: &str, text: &str, reason: &str, others_see_it: bool, reader: bool) {
    let place = with_witness(program, text);
    let output = run(place.path(), &["witness", "lint", "w.yml", program]);
    let said_by_us = said(&output);
    assert_eq!(output.status.code(), Some(1), "{reason}: {said_by_us}");
    assert!(said_by_us.contains(reason), "{reason}: {said_by_us}");
    // With its place and its line.
    let findings = said_by_us
        .lines()
        .filter(|line| line.contains(": witness: "));
    for finding in findings {
        let mut parts = finding.split(':').skip(1);
        let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok());
        let (line, column) = (number(), number());
        assert!(line.is_some() && column.is_some(), "{finding}");
        let line = text.lines().nth(line.unwrap_or(0) - 1);
        assert!(said_by_us.contains(line.expect("a line")), "{said_by_us}");
    }
    let output = run(place.path(), &["validate", program, "--witness", "w.yml"]);
    assert_eq!(output.status.code(), Some(3), "{reason}: {}", said(&output));
    assert!(said(&output).contains(reason), "{}", said(&output));
    if reader {
        let (accepts, text) = read_by_others(place.path(), program, "w.yml");
        assert_eq!(accepts, !others_see_it, "{reason}: {text}");
    }
}

/// Whether there is somebody else who reads witnesses.
fn independent_reader() -> bool {
    let mut command = Command::new("python3");
    let status = command.args(["-c", "import yaml"]).output();
    let is_there = status.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: python3 with PyYAML is not there");
    }
    is_there
}

fn read_by_others(folder: &Path, program: &str, witness: &str) -> (bool, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check_witness.py");
    let mut command = Command::new("python3");
    let command = command.arg(script).args([program, witness]);
    let output = command.current_dir(folder).output().expect("python runs");
    (output.status.success(), said(&output))
}

#[test]
fn another_reader_accepts_the_same() {
    if !independent_reader() {
        return;
    }
    for witness in RIGHT {
        let (accepts, text) = read_by_others(&folder(), program_of(witness), witness);
        assert!(accepts, "{witness}: {text}");
    }
}

#[test]
fn witnesses_are_validated() {
    for (witness, result, code, message) in [
        (
            "loop.yml",
            "RESULT: TRUE",
            0,
            "all of 2 invariants hold, and the property follows from them",
        ),
        (
            "loop_empty.yml",
            "RESULT: TRUE",
            0,
            "the witness has no invariants; the property holds",
        ),
        (
            "loop_wrong.yml",
            "RESULT: UNKNOWN(the witness is refuted: the loop invariant `i < 7` at loop.c:9:3 does not hold)",
            2,
            "__VERIFIER_nondet_int() = ",
        ),
        (
            "path.yml",
            "RESULT: FALSE(unreach-call)",
            1,
            "the witness is confirmed",
        ),
        (
            "path_target_only.yml",
            "RESULT: FALSE(unreach-call)",
            1,
            "the witness is confirmed",
        ),
        (
            "path_avoids.yml",
            "RESULT: FALSE(unreach-call)",
            1,
            "the witness is confirmed",
        ),
        (
            "path_avoided.yml",
            "RESULT: UNKNOWN(the witness is refuted: no run along its path violates the property)",
            2,
            "",
        ),
        (
            "path_wrong_value.yml",
            "RESULT: UNKNOWN(the witness is refuted: no run along its path violates the property)",
            2,
            "",
        ),
    ] {
        let program = program_of(witness);
        let limits = ["--time-limit", "60"];
        let arguments = [&["validate", program, "--witness", witness][..], &limits].concat();
        let output = run(&folder(), &arguments);
        let text = said(&output);
        let results: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("RESULT:"))
            .collect();
        assert_eq!(results, [result], "{witness}: {text}");
        assert_eq!(output.status.code(), Some(code), "{witness}: {text}");
        assert!(text.contains(message), "{witness}: {text}");
    }
}

/// A witness of a violation does not fit the program once its error is mended.
#[test]
fn a_mended_program_has_no_violation() {
    let text = std::fs::read_to_string(folder().join("path.c")).expect("a program");
    let mended = text.replace("return a + 1;", "return a + 2;");
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("path.c"), &mended).expect("a program");
    let hash = |text: &str| regatta::base::digest::sha256(text.as_bytes());
    for witness in ["path.yml", "path_avoids.yml"] {
        let original = std::fs::read_to_string(folder().join(witness)).expect("a witness");
        let changed = original.replace(&hash(&text), &hash(&mended));
        assert_ne!(original, changed);
        std::fs::write(place.path().join(witness), changed).expect("a witness");
    }
    for (witness, is_refuted) in [("path.yml", true), ("path_avoids.yml", false)] {
        let arguments = ["validate", "path.c", "--witness", witness];
        let output = run(place.path(), &arguments);
        let is_unknown = output.status.code() == Some(2);
        assert_eq!(is_unknown, is_refuted, "{witness}: {}", said(&output));
    }
}

/// Recursive functions have contracts in format 2.1.
fn format_for(program: &str) -> &'static str {
    match program.ends_with("recursive") {
        true => "2.1",
        false => "2.0",
    }
}

/// What we write is right: for the linter, for another reader, and for the validator in a process of its own.
#[test]
fn our_own_witnesses_are_validated() {
    let place = tempfile::tempdir().expect("a folder");
    let witness = place.path().join("own.yml").display().to_string();
    let engines = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines");
    let reader = independent_reader();
    for program in [
        "lock_protocol",
        "lock_protocol_broken",
        "sum_to_bound",
        "even_steps",
        "goto_into_loop_violated",
        "up_then_down_unequal",
        "switch_machine",
        "switch_code_lock",
        "../witness/members",
        "../witness/cells",
        "../witness/indices",
        "../witness/pointers",
        "../witness/recursive",
        "../witness/layout",
    ] {
        let file = engines.join(format!("{program}.c"));
        let file = file.display().to_string();
        let limits = ["--time-limit", "60"];
        let verify = [
            "verify",
            &file,
            "--witness",
            &witness,
            "--witness-format",
            format_for(program),
        ];
        let answer = run(place.path(), &[&verify[..], &limits].concat());
        if answer.status.code() == Some(2) {
            continue;
        }
        let linted = run(place.path(), &["witness", "lint", &witness, &file]);
        assert_eq!(
            linted.status.code(),
            Some(0),
            "{program}: {}",
            said(&linted)
        );
        if reader {
            let (accepts, text) = read_by_others(place.path(), &file, &witness);
            assert!(accepts, "{program}: {text}");
        }
        let validate = ["validate", &file, "--witness", &witness];
        let validated = run(place.path(), &[&validate[..], &limits].concat());
        let text = said(&validated);
        assert_eq!(
            validated.status.code(),
            answer.status.code(),
            "{program}: {text}"
        );
    }
}

/// The smallest number, which C has no literal for, and values of variables that nothing initialises are found in a
/// witness: the data-flow analysis, which is all that validates here, finds no violations itself.
#[test]
fn a_witness_s_values_are_followed() {
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int first = __VERIFIER_nondet_int();
  int unset;
  int last = __VERIFIER_nondet_int();
  if (first == -2147483647 - 1 && unset == 77 && last == 5)
    reach_error();
  return 0;
}
";
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), text).expect("a program");
    // That `unset` is read is a violation of its own by default.
    let checks = ["--checks", "assertions", "--portfolio", "bmc"];
    let verify = ["verify", "a.c", "--witness", "a.yml"];
    let answer = run(place.path(), &[verify, checks].concat());
    assert_eq!(answer.status.code(), Some(1), "{}", said(&answer));
    let witness = std::fs::read_to_string(place.path().join("a.yml")).expect("a witness");
    assert!(witness.contains("unset == 77"), "{witness}");
    let validate = ["validate", "a.c", "--witness", "a.yml", "--portfolio", "df"];
    let validated = run(place.path(), &validate);
    assert_eq!(validated.status.code(), Some(1), "{}", said(&validated));
}

/// The programs of the cases: name, the one with the error, the mended one.
fn twins() -> Vec<(String, String, String)> {
    let declarations = "extern int __VERIFIER_nondet_int(void);\n\
        extern unsigned __VERIFIER_nondet_uint(void);\n\
        extern unsigned char __VERIFIER_nondet_uchar(void);\n\
        extern float __VERIFIER_nondet_float(void);\n\
        extern void reach_error(void);\n\
        void __VERIFIER_assert(int c) { if (!c) reach_error(); }\n";
    let text = std::fs::read_to_string(folder().join("twins.cases")).expect("the cases");
    let cases = text.split("\n=== ").skip(1);
    cases
        .map(|case| {
            let (name, program) = case.split_once('\n').expect("a program");
            let choose = |first: bool| {
                let mut parts = program.split("{{");
                let mut text = format!("{declarations}{}", parts.next().unwrap_or_default());
                for part in parts {
                    let (choice, rest) = part.split_once("}}").expect("the end of a choice");
                    let (broken, mended) = choice.split_once('|').expect("two texts");
                    text.push_str(if first { broken } else { mended });
                    text.push_str(rest);
                }
                text
            };
            (name.to_owned(), choose(true), choose(false))
        })
        .collect()
}

/// Of a program with an error, its witness is confirmed; of its mended twin, the same is refuted: with the twin's hash, so
/// that what the witness says decides.
#[test]
fn mended_twins_refute_the_witnesses_of_errors() {
    let place = tempfile::tempdir().expect("a folder");
    let (program, witness) = (place.path().join("twin.c"), place.path().join("w.yml"));
    let hash = |text: &str| regatta::base::digest::sha256(text.as_bytes());
    let validate = [
        "validate",
        "twin.c",
        "--witness",
        "w.yml",
        "--time-limit",
        "60",
    ];
    let twins = twins();
    assert!(twins.len() >= 20, "{}", twins.len());
    for (name, broken, mended) in twins {
        let _ = std::fs::remove_file(&witness);
        std::fs::write(&program, &broken).expect("a program");
        let verify = [
            "verify",
            "twin.c",
            "--witness",
            "w.yml",
            "--time-limit",
            "60",
        ];
        let found = run(place.path(), &verify);
        assert_eq!(found.status.code(), Some(1), "{name}: {}", said(&found));
        let confirmed = run(place.path(), &validate);
        let text = said(&confirmed);
        assert_eq!(confirmed.status.code(), Some(1), "{name}: {text}");
        std::fs::write(&program, &mended).expect("a program");
        let original = std::fs::read_to_string(&witness).expect("a witness");
        let changed = original.replace(&hash(&broken), &hash(&mended));
        assert_ne!(original, changed, "{name}");
        std::fs::write(&witness, changed).expect("a witness");
        let refuted = run(place.path(), &validate);
        let text = said(&refuted);
        let result = "RESULT: UNKNOWN(the witness is refuted: no run along its path violates";
        assert!(text.contains(result), "{name}: {text}");
        assert_eq!(refuted.status.code(), Some(2), "{name}: {text}");
        let right = run(place.path(), &verify[..2]);
        assert_eq!(right.status.code(), Some(0), "{name}: {}", said(&right));
    }
}

/// A witness of format 2.0 or later of a program, with the content.
fn witness_of(program: &str, kind: &str, version: &str, content: &serde_json::Value) -> String {
    let hash = regatta::base::digest::sha256(program.as_bytes());
    let metadata = serde_json::json!({
        "format_version": version,
        "uuid": "91023a0f-9f45-4385-88c4-1152ade45537",
        "creation_time": "2026-11-22T15:00:00Z",
        "producer": {"name": "x", "version": "1"},
        "task": {
            "input_files": ["a.c"],
            "input_file_hashes": {"a.c": hash},
            "specification": "CHECK( init(main()), LTL(G ! call(reach_error())) )",
            "data_model": "LP64",
            "language": "C",
        },
    });
    let entry = serde_json::json!({
        "entry_type": kind, "metadata": metadata, "content": content,
    });
    format!("{}\n", serde_json::json!([entry]))
}

/// The place of the so many-th occurrence of a text, from zero.
fn place(program: &str, text: &str, number: usize) -> serde_json::Value {
    let (offset, _) = program.match_indices(text).nth(number).expect("the text");
    let before = &program[..offset];
    let line = before.matches('\n').count() + 1;
    let column = offset - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    serde_json::json!({"file_name": "a.c", "line": line, "column": column})
}

fn waypoint(kind: &str, action: &str, at: &serde_json::Value, value: &str) -> serde_json::Value {
    let mut waypoint = serde_json::json!({"type": kind, "action": action, "location": at});
    match kind {
        "assumption" => {
            waypoint["constraint"] = serde_json::json!({"value": value, "format": "c_expression"});
        }
        "branching" => waypoint["constraint"] = serde_json::json!({ "value": value }),
        "function_return" => {
            waypoint["constraint"] =
                serde_json::json!({"value": value, "format": "acsl_expression"});
        }
        _ => {}
    }
    serde_json::json!({ "waypoint": waypoint })
}

/// What the validator says of a witness: its exit code, and all that it prints.
fn validated(program: &str, witness: &str) -> (Option<i32>, String) {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), program).expect("a program");
    std::fs::write(place.path().join("w.yml"), witness).expect("a witness");
    let limit = ["--time-limit", "60"];
    let arguments = [&["validate", "a.c", "--witness", "w.yml"][..], &limit].concat();
    let output = run(place.path(), &arguments);
    let text = said(&output);
    assert!(!text.contains("internal error"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    (output.status.code(), text)
}

const CONFIRMED: (i32, &str) = (1, "RESULT: FALSE(unreach-call)");
const REFUTED: (i32, &str) = (2, "RESULT: UNKNOWN(the witness is refuted: no run along");
const REFUSED: (i32, &str) = (3, "the target is no violation: nothing there violates");

const TARGETS: &str = "#define FAIL() reach_error()
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
typedef void function(void);
function *pointer = reach_error;
int g;
void note(int x) { g = x; }
void check(int x) { if (x == 3) reach_error(); }
void helper(void) { pointer(); }
int never(void) { reach_error(); return 1; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  note(x);
  if (x > 100)
    reach_error();
  check(x);
  if (x == 7) { g = 1; FAIL(); } if (x == 6) { g = 2; reach_error(); }
  if (x == 8) pointer();
  if (x == 9) helper();
  while (x == 10 && (reach_error(), 1)) ;
  return x == 11 ? reach_error(), 1 : 0;
}
";

/// The error has to happen at the target, not somewhere after it.
#[test]
fn a_target_is_where_the_violation_happens() {
    for (text, number, (code, message)) in [
        ("note(x);", 0, REFUSED),
        ("check(x);", 0, REFUSED),
        ("if (x > 100)", 0, REFUSED),
        ("g = 1", 0, REFUSED),
        ("helper();", 0, REFUSED),
        ("int x = ", 0, REFUSED),
        ("reach_error();", 0, CONFIRMED),
        ("reach_error();", 1, REFUTED),
        ("reach_error();", 2, CONFIRMED),
        ("reach_error();", 3, CONFIRMED),
        ("FAIL();", 0, CONFIRMED),
        ("pointer();", 0, CONFIRMED),
        ("pointer();", 1, CONFIRMED),
        ("while (x", 0, CONFIRMED),
        ("x == 10", 0, CONFIRMED),
        ("return x == 11", 0, CONFIRMED),
    ] {
        let at = place(TARGETS, text, number);
        let content = serde_json::json!([{"segment": [waypoint("target", "follow", &at, "")]}]);
        let witness = witness_of(TARGETS, "violation_sequence", "2.0", &content);
        let (found, said) = validated(TARGETS, &witness);
        assert_eq!(found, Some(code), "{text}: {said}");
        assert!(said.contains(message), "{text}: {said}");
    }
}

/// Waypoints on the way: in their order, by their values, and none that is to be avoided.
#[test]
fn a_path_is_followed_as_it_is_said() {
    let at = |text: &str, number: usize| place(TARGETS, text, number);
    let target = |number: usize| waypoint("target", "follow", &at("reach_error();", number), "");
    let first = |value: &str| waypoint("branching", "follow", &at("if (x > 100)", 0), value);
    let second = |value: &str| waypoint("branching", "follow", &at("if (x == 6)", 0), value);
    let avoid = |value: &str| waypoint("branching", "avoid", &at("if (x > 100)", 0), value);
    let assumed = |value: &str| waypoint("assumption", "follow", &at("note(x);", 0), value);
    let (call, close) = (
        at("__VERIFIER_nondet_int();", 0),
        "__VERIFIER_nondet_int(".len(),
    );
    let mut call = call;
    call["column"] = (call["column"].as_u64().expect("a column") + close as u64).into();
    let returned = |value: &str| waypoint("function_return", "follow", &call, value);
    let follow = |waypoints: &[serde_json::Value]| {
        let segments = waypoints
            .iter()
            .map(|one| serde_json::json!({"segment": [one]}));
        serde_json::Value::Array(segments.collect())
    };
    for (name, content, (code, message)) in [
        (
            "order",
            follow(&[first("false"), second("true"), target(3)]),
            CONFIRMED,
        ),
        (
            "out of order",
            follow(&[second("true"), first("false"), target(3)]),
            REFUTED,
        ),
        (
            "wrong branch",
            follow(&[first("false"), second("false"), target(3)]),
            REFUTED,
        ),
        (
            "value",
            follow(&[assumed("x == 101"), target(2)]),
            CONFIRMED,
        ),
        (
            "wrong value",
            follow(&[assumed("x == 100"), target(2)]),
            REFUTED,
        ),
        (
            "result",
            follow(&[returned("\\result == 101"), target(2)]),
            CONFIRMED,
        ),
        (
            "wrong result",
            follow(&[returned("\\result == 7"), target(2)]),
            REFUTED,
        ),
        (
            "avoided",
            serde_json::json!([{"segment": [avoid("true"), target(3)]}]),
            CONFIRMED,
        ),
        (
            "not avoided",
            serde_json::json!([{"segment": [avoid("false"), target(3)]}]),
            REFUTED,
        ),
    ] {
        let witness = witness_of(TARGETS, "violation_sequence", "2.0", &content);
        let (found, said) = validated(TARGETS, &witness);
        assert_eq!(found, Some(code), "{name}: {said}");
        assert!(said.contains(message), "{name}: {said}");
    }
}

/// Where a run along the path could be overlooked, nothing is refuted.
#[test]
fn what_is_not_seen_is_not_refuted() {
    let program = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int g(int x) { return x + 1; }
int f(int x) { if (x == 8) reach_error(); return x; }
int main(void) {
  f(g(__VERIFIER_nondet_int()));
}
";
    let mut entered = place(program, "));", 0);
    let mut returned = entered.clone();
    let column = entered["column"].as_u64().expect("a column");
    returned["column"] = column.into();
    entered["column"] = (column + 1).into();
    let target = place(program, "reach_error();", 0);
    let content = serde_json::json!([
        {"segment": [waypoint("function_return", "follow", &returned, "\\result == 8")]},
        {"segment": [waypoint("function_enter", "follow", &entered, "")]},
        {"segment": [waypoint("target", "follow", &target, "")]},
    ]);
    let witness = witness_of(program, "violation_sequence", "2.0", &content);
    let (code, said) = validated(program, &witness);
    assert_ne!(code, Some(3), "{said}");
    assert!(!said.contains("is refuted"), "{said}");
}

const SUM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int sum(int n) { return n <= 0 ? 0 : 2 + sum(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, s = 0;
  if (n < 0 || n > 10) return 0;
  while (i < n) {
    s += 2;
    i++;
  }
  if (s != 2 * n) reach_error();
  return 0;
}
";

/// What is left aside is said to the user, and in the reason where there is no answer; a constant invariant is one.
#[test]
fn what_is_left_aside_is_said() {
    let unsafe_sum = SUM.replace("s != 2 * n", "s == 2 * n");
    let elements = |program: &str, value: &str| {
        let head = place(program, "while", 0);
        let function = place(program, "int sum", 0);
        let invariant = |kind: &str, value: &str, format: &str| {
            serde_json::json!({"invariant": {
                "type": kind, "location": head, "value": value, "format": format,
            }})
        };
        let contract = serde_json::json!({"contract": {
            "type": "function_contract", "location": function,
            "requires": "1", "ensures": "\\result >= 7", "format": "ext_c_expression",
        }});
        let transition = "i >= \\at(i, AnyPrev)";
        let transition = invariant("loop_transition_invariant", transition, "ext_c_expression");
        serde_json::json!([
            contract,
            transition,
            invariant("loop_invariant", value, "c_expression")
        ])
    };
    for (program, value, code, result) in [
        (SUM, "s == 2 * i", 0, "RESULT: TRUE"),
        (
            SUM,
            "i < 3",
            2,
            "`i < 3` at a.c:7:3 does not hold; not checked: contract; transition invariant)",
        ),
        (
            &unsafe_sum,
            "1",
            1,
            "the witness is refuted: the property is violated",
        ),
        (&unsafe_sum, "i <= n", 1, "RESULT: FALSE(unreach-call)"),
    ] {
        let content = elements(program, value);
        let witness = witness_of(program, "invariant_set", "2.1", &content);
        let (found, said) = validated(program, &witness);
        assert_eq!(found, Some(code), "{value}: {said}");
        assert!(said.contains(result), "{value}: {said}");
        for what in ["contract", "transition invariant"] {
            let warning = format!("warning: w.yml: not checked: {what}");
            assert!(said.contains(&warning), "{value}: {said}");
        }
    }
}

/// What was verified without a property is validated without one.
#[test]
fn witnesses_of_runs_without_a_property_are_validated() {
    const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\n";
    for (declarations, statement) in [
        ("#include <assert.h>\n", "assert(x != 3);"),
        (
            "extern void __VERIFIER_assert(int);\n",
            "__VERIFIER_assert(x != 3);",
        ),
        (
            "extern void __VERIFIER_error(void);\n",
            "if (x == 3) __VERIFIER_error();",
        ),
        (
            "extern void reach_error(void);\n",
            "if (x == 3) reach_error();",
        ),
        (
            "#define ERROR reach_error()\nextern void reach_error(void);\n",
            "if (x == 3) ERROR;",
        ),
    ] {
        let program = format!(
            "{declarations}{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  {statement}\n}}\n"
        );
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("a.c"), &program).expect("a program");
        let verified = run(place.path(), &["a.c", "--witness", "w.yml"]);
        assert_eq!(verified.status.code(), Some(1), "{}", said(&verified));
        let witness = std::fs::read_to_string(place.path().join("w.yml")).expect("a witness");
        let (code, text) = validated(&program, &witness);
        assert_eq!(code, Some(1), "{statement}: {text}\n{witness}");
        let names_it = witness.contains("G assert");
        assert_eq!(!names_it, statement.contains("reach_error"), "{witness}");
    }
}

/// Asserts what becomes of a witness with one invariant at the location: it is confirmed, or neither confirmed nor refuted.
fn assert_invariant(program: &str, location: &serde_json::Value, value: &str, is_right: bool) {
    let invariant = serde_json::json!([{"invariant": {
        "type": "loop_invariant", "location": location, "value": value, "format": "c_expression",
    }}]);
    let witness = witness_of(program, "invariant_set", "2.0", &invariant);
    let (code, said) = validated(program, &witness);
    let expected = if is_right { 0 } else { 2 };
    assert_eq!(code, Some(expected), "{value}: {said}");
    assert!(!said.contains("is refuted"), "{value}: {said}");
}

/// An invariant whose value is not defined somewhere does not hold there, whatever the machine makes of it.
#[test]
fn an_invariant_without_a_value_is_not_confirmed() {
    let program = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[4];
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  int *p = a;
  if (n < 0 || n > 3) return 0;
  while (i < n) {
    a[i] = n / (i + 1);
    i++;
  }
  if (i != n) reach_error();
  return 0;
}
";
    let head = place(program, "while", 0);
    for (value, is_right) in [
        ("a[i] == a[i]", true),
        ("n / (i + 1) >= 0", true),
        ("i == 0 || n / i >= 1", true),
        ("(1 << i) >= 1", true),
        ("1 / 0 == 1 / 0", false),
        ("1 / (i - i) == 1 / (i - i)", false),
        ("n % i == n % i", false),
        ("a[i + 1] == a[i + 1]", false),
        ("a[100] == a[100]", false),
        ("*(p + 1000) == *(p + 1000)", false),
        ("*(int *)0 == *(int *)0", false),
        ("(1 << (i + 30)) == (1 << (i + 30))", false),
        ("i < 0 ? n / i > 9 : i <= n", true),
        ("!(i > 0 && n / i == 0)", true),
        ("i > 2 || a[i + 1] == 0", true),
        ("i + 1 > i && i * 2 <= 6", true),
        ("1 || n / i", true),
        ("sizeof(1 / 0) == 4", true),
        ("&a[4] == a + 4", true),
        ("&a[100] == &a[100]", false),
        ("i > 3 || a[i + 1] == a[i + 1]", false),
        ("n / i == n / i || 1", false),
        ("(n / i) * 0 == 0", false),
        ("a[i + 1] * 0 == 0", false),
        ("(1 << (i + 31)) * 0 == 0", false),
        ("(1 / i, 1)", false),
        ("((void)(n / i), 1)", false),
        ("2147483647 + i == 2147483647 + i", false),
        ("i - 2147483647 - 2 < i", false),
        ("n * 1073741824 <= 2147483647", false),
        ("-(-2147483647 - 1 + i) != 5", false),
        ("(-2147483647 - 1 + i) / -1 != 5", false),
        ("(-2147483647 - 1 + i) % (i - 1) * 0 == 0", false),
    ] {
        assert_invariant(program, &head, value, is_right);
    }
}

/// What is undefined although the machine finds a value, or nothing to do.
#[test]
fn an_invariant_is_read_as_c_reads_it() {
    let program = "extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);
struct { int x; int y[3]; int z; } s, *q = &s;
int m[2][3];
double big = 1e30, small;
int *z;
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  int *p = s.y;
  small = 2.5;
  if (n < 0 || n > 2) return 0;
  while (i < n) {
    s.y[i] = 0;
    i++;
  }
  if (i != n) reach_error();
  return 0;
}
";
    let head = place(program, "while", 0);
    for (value, is_right) in [
        // Members are not what is beside them.
        ("s.y[i] * 0 == 0", true),
        ("q->y[i] == s.y[i]", true),
        ("*(s.y + i) == 0", true),
        ("m[1][i] == 0", true),
        ("&s.y[3] == s.y + 3", true),
        ("s.y[-1] * 0 == 0", false),
        ("s.y[3] * 0 == 0", false),
        ("s.y[i + 1] * 0 == 0", false),
        ("q->y[i - 1] * 0 == 0", false),
        ("(i - 1)[s.y] * 0 == 0", false),
        ("*(s.y - 1) * 0 == 0", false),
        ("*(s.y + 3) * 0 == 0", false),
        ("(1, s.y)[-1] * 0 == 0", false),
        ("(s.y + 1)[-2] * 0 == 0", false),
        ("m[0][3] * 0 == 0", false),
        ("s.y + 4 != 0", false),
        ("((unsigned char *)&s)[19] * 0 == 0", true),
        ("*(int *)((char *)&s + 4) * 0 == 0", true),
        ("((unsigned char *)&s)[20] * 0 == 0", false),
        ("((unsigned char *)s.y)[12] * 0 == 0", false),
        ("(&s.z)[-1] * 0 == 0", false),
        ("i < 3 && s.y[i] == 0", true),
        ("i == 0 || s.y[i - 1] == 0", true),
        ("i == 0 ? n >= 0 : s.y[i - 1] == 0", true),
        ("sizeof(s.y[9]) == 4", true),
        // Numbers that the type does not have.
        ("(int)small == 2", true),
        ("(unsigned char)255.5 == 255", true),
        ("(int)big * 0 == 0", false),
        ("(int)big == (int)big", false),
        ("(int)1e30 == (int)1e30", false),
        ("(unsigned)-1.5 >= 0", false),
        ("(long long)9223372036854775808.0 != 5", false),
        ("big > 1e9 || (int)big > 0", true),
        ("big < 1e9 && (int)big > 0 || n >= 0", true),
        ("big > 1e9 ? n >= 0 : (int)big > 0", true),
        // Shifts out of the type.
        ("(n << 29) >= 0", true),
        ("(n << 31) * 0 == 0", false),
        ("(-1 << i) < 0", false),
        ("((unsigned)n << 31) >= 0", true),
        ("n > 1 || (n << 30) >= 0", true),
        ("n < 2 ? (n << 30) >= 0 : n == 2", true),
        // What is read and dropped.
        ("(s.y[2], 1)", true),
        ("(s.y[9], 1)", false),
        ("((void)*z, 1)", false),
        ("(*z, 1)", false),
        ("(s.x, 1)", true),
        ("z == 0 || (*z, 1)", true),
    ] {
        assert_invariant(program, &head, value, is_right);
    }
}

/// Accesses to an object whose size depends on an input.
#[test]
fn an_invariant_reads_what_is_allocated() {
    let program = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 1 || n > 1000) return 0;
  int *q = malloc(n * sizeof(int));
  int *freed = malloc(n);
  if (!q || !freed) return 0;
  free(freed);
  while (i < n) {
    q[i] = 1;
    i++;
  }
  if (i != n) reach_error();
  return 0;
}
";
    let head = place(program, "while", 0);
    for (value, is_right) in [
        ("i == n || q[i] * 0 == 0", true),
        ("q[-1] * 0 == 0", false),
        ("*(char *)freed * 0 == 0", false),
    ] {
        assert_invariant(program, &head, value, is_right);
    }
}

/// The default of a `switch` whose cases are named constants.
#[test]
fn cases_may_be_names() {
    let program = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
enum colour { RED = 3, GREEN };
int main(void) {
  int x = __VERIFIER_nondet_int();
  switch (x) { case RED: return 0; case GREEN: return 1; }
  if (x == 7) reach_error();
  return 0;
}
";
    let target = waypoint("target", "follow", &place(program, "reach_error();", 0), "");
    for (value, (code, message)) in [("default", CONFIRMED), ("3", REFUTED)] {
        let branch = waypoint("branching", "follow", &place(program, "switch", 0), value);
        let content = serde_json::json!([{"segment": [branch]}, {"segment": [target]}]);
        let witness = witness_of(program, "violation_sequence", "2.0", &content);
        let (found, said) = validated(program, &witness);
        assert_eq!(found, Some(code), "{value}: {said}");
        assert!(said.contains(message), "{value}: {said}");
    }
}

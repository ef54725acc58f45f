//! Witness files, as users get them: what is said, and where.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/witness")
}

/// The run's output, and the one entry of its witness.
fn witness(arguments: &[&str]) -> (Output, Option<Value>) {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = scratch.path().join("witness.yml");
    let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(["verify", "--witness"])
        .arg(&file)
        .args(arguments)
        .current_dir(folder())
        .output()
        .expect("the command runs");
    let text = std::fs::read_to_string(&file).ok();
    let entry = text.map(|text| {
        let entries: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(entries.len(), 1, "{text}");
        entries.into_iter().next().expect("an entry")
    });
    let left: Vec<_> = std::fs::read_dir(scratch.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert!(left.len() <= 1, "something is left aside: {left:?}");
    (output, entry)
}

fn verdict(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().unwrap_or_default().to_owned()
}

/// `type file:line:column function value` of a waypoint or an invariant; what is left out is `-`.
fn line(element: &Value) -> String {
    let or_dash = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let at = &element["location"];
    let constraint = &element["constraint"];
    let value = match element.get("value") {
        Some(value) => value,
        None => &constraint["value"],
    };
    let line = format!(
        "{} {}:{}:{} {} {}",
        or_dash(&element["type"]),
        or_dash(&at["file_name"]),
        or_dash(&at["line"]),
        or_dash(&at["column"]),
        or_dash(&at["function"]),
        or_dash(value),
    );
    let format = match or_dash(&element["type"]).as_str() {
        "assumption" => "c_expression",
        "function_return" => "acsl_expression",
        _ => "-",
    };
    assert_eq!(or_dash(&constraint["format"]), format, "{line}");
    line
}

fn waypoints(entry: &Value) -> Vec<String> {
    assert_eq!(entry["entry_type"], "violation_sequence");
    let segments = entry["content"].as_array().expect("segments");
    let lines = segments.iter().map(|segment| {
        let waypoints = segment["segment"].as_array().expect("waypoints");
        assert_eq!(waypoints.len(), 1);
        assert_eq!(waypoints[0]["waypoint"]["action"], "follow");
        line(&waypoints[0]["waypoint"])
    });
    lines.collect()
}

fn invariants(entry: &Value) -> Vec<String> {
    assert_eq!(entry["entry_type"], "invariant_set");
    let elements = entry["content"].as_array().expect("invariants");
    let lines = elements.iter().map(|element| {
        assert_eq!(element["invariant"]["format"], "c_expression");
        line(&element["invariant"])
    });
    lines.collect()
}

/// Values are said at the next statement if a variable has them there, else at the call; branches in between.
#[test]
fn a_violation_is_said_step_by_step() {
    // The sum in `add` may overflow too, which a run with all checks may find first.
    let assertions = ["--checks", "assertions"];
    let (output, entry) =
        witness(&[&["inputs.c", "--data-model", "ilp32"], &assertions[..]].concat());
    assert_eq!(verdict(&output), "RESULT: FALSE(unreach-call)");
    let entry = entry.expect("a witness");
    assert_eq!(
        waypoints(&entry),
        [
            "assumption inputs.c:12:3 main x == 7",
            "assumption inputs.c:13:3 main c == 200U",
            "branching inputs.c:13:3 main false",
            "function_return inputs.c:15:29 main \\result == -3",
            "branching inputs.c:15:3 main false",
            "function_return inputs.c:8:51 add \\result == 2",
            "branching inputs.c:18:3 main true",
            "assumption inputs.c:20:5 main z == 100",
            "branching inputs.c:20:5 main false",
            "branching inputs.c:18:3 main true",
            "assumption inputs.c:20:5 main z == 101",
            "branching inputs.c:20:5 main false",
            "branching inputs.c:18:3 main false",
            "branching inputs.c:23:3 main 9",
            // What the macro expands to has no column.
            "target inputs.c:24:- - -",
        ]
    );
    let metadata = &entry["metadata"];
    assert_eq!(metadata["format_version"], "2.0");
    assert_eq!(metadata["producer"]["name"], "Regatta");
    let task = &metadata["task"];
    assert_eq!(task["input_files"], serde_json::json!(["inputs.c"]));
    assert_eq!(task["data_model"], "ILP32");
    // Without a property file, all that counts as an error is named.
    let properties = [
        "! call(reach_error())",
        "! call(__VERIFIER_error())",
        "assert",
    ];
    let checks = properties.map(|property| format!("CHECK( init(main()), LTL(G {property}) )"));
    assert_eq!(task["specification"], checks.join("\n"));
    let hash = task["input_file_hashes"]["inputs.c"].as_str();
    let expected = Command::new("sha256sum")
        .arg(folder().join("inputs.c"))
        .output()
        .expect("sha256sum runs");
    let expected = String::from_utf8_lossy(&expected.stdout);
    assert_eq!(hash, expected.split_whitespace().next());
}

/// A call in a macro has no place of its own; the value is said at the next statement. The target is not the first in
/// its line, so that it has a column.
#[test]
fn what_is_in_a_macro_is_said_where_it_arrives() {
    let (_, entry) = witness(&["lines.c"]);
    assert_eq!(
        waypoints(&entry.expect("a witness")),
        [
            "assumption lines.c:5:16 main a == 5",
            "branching lines.c:6:3 main true",
            "target lines.c:6:24 - -",
        ]
    );
}

/// The parts of an invariant.
fn parts(invariant: &str) -> BTreeSet<&str> {
    let value = invariant.splitn(4, ' ').nth(3).expect("a value");
    value.split(" && ").collect()
}

/// What is proved of memory is said as the source has it.
#[test]
fn memory_is_said_as_the_source_has_it() {
    for (program, engine, expected) in [
        ("members.c", "predicate-abstraction", "s.i == s.j"),
        ("members.c", "predicate-abstraction", "s.in.low"),
        ("cells.c", "predicate-abstraction", "a[1]"),
        ("indices.c", "predicate-abstraction", "a[k].y"),
        ("pointers.c", "predicate-abstraction", "&x"),
    ] {
        let (output, entry) = witness(&[program, "--portfolio", engine]);
        assert_eq!(verdict(&output), "RESULT: TRUE", "{program}");
        let found = invariants(&entry.expect("a witness"));
        let has_it = found.iter().any(|invariant| invariant.contains(expected));
        assert!(has_it, "{program}: {expected}: {found:#?}");
    }
}

/// What is proved of a recursive function is a contract, which came with format 2.1.
#[test]
fn a_recursive_function_has_a_contract() {
    for (format, is_there) in [("2.0", false), ("2.1", true)] {
        let (output, entry) = witness(&["recursive.c", "--witness-format", format]);
        assert_eq!(verdict(&output), "RESULT: TRUE");
        let entry = entry.expect("a witness");
        assert_eq!(entry["metadata"]["format_version"], format);
        let elements = entry["content"].as_array().expect("elements");
        let mut contracts = elements.iter().filter_map(|one| one.get("contract"));
        let contract = contracts.next();
        assert_eq!(contract.is_some(), is_there, "{entry}");
        let Some(contract) = contract else { continue };
        assert_eq!(contract["type"], "function_contract");
        assert_eq!(contract["format"], "ext_c_expression");
        assert_eq!(contract["location"]["function"], "sum");
        assert_eq!(contract["location"]["line"], 4);
        let ensures = contract["ensures"].as_str().expect("what it gives");
        assert!(
            ensures.contains("\\result") && ensures.contains("\\at(n, Old)"),
            "{ensures}"
        );
    }
}

#[test]
fn a_loop_has_its_invariant() {
    let (output, entry) = witness(&["equal_counters.c", "--portfolio", "impact"]);
    assert_eq!(verdict(&output), "RESULT: TRUE");
    let found = invariants(&entry.expect("a witness"));
    let [only] = &found[..] else {
        panic!("{found:?}");
    };
    let at = "loop_invariant equal_counters.c:7:3 main ";
    assert!(only.starts_with(at), "{only}");
    let says = parts(only);
    assert!(says.contains("i == j") || says.contains("j == i"), "{only}");
}

/// Nothing is said that does not hold, or that is about other variables than those in scope.
#[test]
fn a_function_that_is_called_twice_has_what_holds_for_both_calls() {
    let (output, entry) = witness(&["called_twice.c"]);
    assert_eq!(verdict(&output), "RESULT: TRUE");
    for found in invariants(&entry.expect("a witness")) {
        assert!(
            found.contains("called_twice.c:7:3 even ") || found.contains("main"),
            "{found}"
        );
        assert!(
            !found.contains(" a ") && !found.contains('#') && !found.contains("::"),
            "{found}"
        );
    }
}

/// Where nothing can be said, the set is empty, and the user hears of it.
#[test]
fn an_empty_set_is_told() {
    let (output, entry) = witness(&["../command/property.c"]);
    assert_eq!(verdict(&output), "RESULT: TRUE");
    let said = String::from_utf8_lossy(&output.stderr);
    let is_empty = invariants(&entry.expect("a witness")).is_empty();
    assert_eq!(
        is_empty,
        said.contains("the witness has no invariant"),
        "{said}"
    );
}

#[test]
fn without_an_answer_there_is_no_witness() {
    let (output, entry) = witness(&["../errors/unsupported_longjmp.c"]);
    assert!(verdict(&output).starts_with("RESULT: UNKNOWN("));
    assert_eq!(entry, None);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_run() {
    let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args([
            "verify",
            "lines.c",
            "--witness",
            "no/such/folder/witness.yml",
        ])
        .current_dir(folder())
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("cannot be written: there is no folder"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
}

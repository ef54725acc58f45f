//! `--sarif` and `--report` from outside: what GitHub wants of a SARIF log, and the page in a browser.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

/// The exit code by which `tests/report/walk.py` says that there is no browser.
const NO_BROWSER: i32 = 77;

/// A run's files.
struct Reports {
    folder: tempfile::TempDir,
    code: Option<i32>,
}

impl Reports {
    /// Of the program in `tests`, with more options.
    fn of(program: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let output = regatta(folder.path(), program, options)
            .output()
            .expect("the command runs");
        Self {
            folder,
            code: output.status.code(),
        }
    }

    fn sarif(&self) -> Value {
        let text = std::fs::read_to_string(self.folder.path().join("a.sarif"));
        serde_json::from_str(&text.expect("a SARIF log")).expect("JSON")
    }

    /// Opens the page in a browser, if there is one, and walks the path.
    fn browse(&self, verdict: &str, lines: &[u64], texts: &[&str]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/walk.py");
        let expectations = json!({"verdict": verdict, "lines": lines, "texts": texts});
        let output = Command::new("python3")
            .arg(script)
            .arg(self.folder.path().join("a.html"))
            .arg(expectations.to_string())
            .output()
            .expect("Python runs");
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(NO_BROWSER) => eprintln!("no chromium and chromedriver: the page is not opened"),
            code => panic!("{code:?}: {said}"),
        }
    }
}

fn regatta(folder: &Path, program: &str, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    command
        .arg(program)
        .arg("--sarif")
        .arg(folder.join("a.sarif"))
        .arg("--report")
        .arg(folder.join("a.html"))
        .args(options)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
    command
}

/// What the schema of SARIF 2.1.0 requires of the objects that are written, and GitHub besides. Returns the run.
fn checked(log: &Value) -> &Value {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    assert!(
        log["$schema"]
            .as_str()
            .is_some_and(|schema| schema.ends_with("sarif-2.1.0.json"))
    );
    assert_eq!(log["version"], "2.1.0");
    let [run] = &log["runs"].as_array().expect("runs")[..] else {
        panic!("one run");
    };
    let driver = &run["tool"]["driver"];
    assert!(text(&driver["name"]) && text(&driver["semanticVersion"]));
    let rules = driver["rules"].as_array().expect("rules");
    for rule in rules {
        assert!(
            text(&rule["id"]) && text(&rule["shortDescription"]["text"]),
            "{rule}"
        );
        assert!(
            text(&rule["fullDescription"]["text"]) && text(&rule["help"]["text"]),
            "{rule}"
        );
    }
    for invocation in run["invocations"].as_array().expect("invocations") {
        assert!(invocation["executionSuccessful"].is_boolean());
        let notes = invocation["toolExecutionNotifications"].as_array();
        for note in notes.expect("notifications") {
            assert!(text(&note["message"]["text"]), "{note}");
            assert!(is_level(&note["level"]), "{note}");
        }
    }
    for result in run["results"].as_array().expect("results") {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(result["ruleId"], rule["id"]);
        assert!(
            text(&result["message"]["text"]) && is_level(&result["level"]),
            "{result}"
        );
        // Whatever has a level has the kind "fail".
        assert_eq!(result["level"] == "none", result["kind"] != "fail");
        for location in result["locations"].as_array().expect("locations") {
            check_location(location);
        }
        let hash = &result["partialFingerprints"]["regatta/v1"];
        assert!(text(hash), "{result}");
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            let threads = flow["threadFlows"].as_array().expect("threads");
            assert!(!threads.is_empty());
            let locations = threads
                .iter()
                .flat_map(|thread| thread["locations"].as_array());
            for location in locations.flatten() {
                check_location(&location["location"]);
                assert!(text(&location["location"]["message"]["text"]), "{location}");
            }
        }
    }
    run
}

fn is_level(level: &Value) -> bool {
    ["none", "note", "warning", "error"].contains(&level.as_str().unwrap_or_default())
}

fn check_location(location: &Value) {
    let at = &location["physicalLocation"];
    let uri = at["artifactLocation"]["uri"].as_str().expect("a reference");
    assert!(
        !uri.is_empty() && !uri.contains(char::is_whitespace),
        "{uri}"
    );
    if let Some(region) = at.get("region") {
        assert!(
            region["startLine"].as_u64().is_some_and(|line| line > 0),
            "{location}"
        );
        let column = region.get("startColumn");
        assert!(column.is_none_or(|column| column.as_u64().is_some_and(|column| column > 0)));
    }
}

#[test]
fn a_violation_has_a_path_that_can_be_walked() {
    let reports = Reports::of("engines/lock_protocol_broken.c", &[]);
    assert_eq!(reports.code, Some(1));
    let log = reports.sarif();
    let run = checked(&log);
    let [result] = &run["results"].as_array().expect("results")[..] else {
        panic!("one result");
    };
    assert_eq!(
        (&result["kind"], &result["level"]),
        (&json!("fail"), &json!("error"))
    );
    let at = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        at["artifactLocation"]["uri"],
        "engines/lock_protocol_broken.c"
    );
    assert_eq!(at["region"]["startLine"], 10);
    let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let steps = steps.as_array().expect("steps");
    let line = |step: &Value| step["location"]["physicalLocation"]["region"]["startLine"].as_u64();
    let lines: Vec<u64> = steps.iter().map(|step| line(step).unwrap_or(0)).collect();
    assert_eq!(lines.last(), Some(&10));
    let states = steps.iter().filter_map(|step| step["state"].as_object());
    let mut values = states.flat_map(|state| state.values());
    assert!(values.any(|value| value["text"] == "1"), "{steps:?}");
    let texts = [
        "Path to the error",
        "acquire();",
        "Control-flow automaton",
        "Race",
    ];
    reports.browse("FALSE", &lines, &texts);
}

#[test]
fn a_proof_has_its_invariants_at_their_lines() {
    let reports = Reports::of(
        "engines/even_steps.c",
        &["--portfolio", "df", "--checks", "assertions"],
    );
    assert_eq!(reports.code, Some(0));
    let log = reports.sarif();
    let run = checked(&log);
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["kind"], "pass");
    let page = std::fs::read_to_string(reports.folder.path().join("a.html")).expect("a page");
    let after = page.split(r#"id="f0-L8""#).nth(1).expect("the loop's line");
    let before_next = after.split(r#"class="line "#).next().expect("a text");
    assert!(
        before_next.contains(r#"class="note invariant""#),
        "{before_next}"
    );
    reports.browse("TRUE", &[], &["Steps of the proof", "even_steps.c:8"]);
}

#[test]
fn without_an_answer_there_is_a_reason() {
    let reports = Reports::of("command/undecided.c", &["--time-limit", "2"]);
    assert_eq!(reports.code, Some(2));
    let log = reports.sarif();
    let run = checked(&log);
    assert_eq!(run["results"], json!([]));
    let notes = &run["invocations"][0]["toolExecutionNotifications"];
    let reason = notes[0]["message"]["text"].as_str().expect("a text");
    assert!(
        reason.starts_with("Not known whether the property holds: "),
        "{reason}"
    );
    let texts = ["State of the analyses", "Ran", "command/undecided.c"];
    reports.browse("UNKNOWN", &[], &texts);
}

#[test]
fn an_interrupted_run_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = regatta(folder.path(), "command/undecided.c", &["--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_secs(1));
    let pid = i32::try_from(child.id()).expect("a process id");
    // An impatient user.
    for _ in 0..3 {
        kill(Pid::from_raw(pid), Signal::SIGINT).expect("the signal is sent");
    }
    let stdout = child.stdout.take().expect("piped");
    let text = std::io::read_to_string(stdout).expect("UTF-8");
    assert_eq!(child.wait().expect("the command ends").code(), Some(2));
    assert_eq!(
        text.lines().last(),
        Some("RESULT: UNKNOWN(interrupted by SIGINT)")
    );
    let has = |event: &str| text.contains(&format!(r#""event":"{event}""#));
    assert!(
        has("run") && has("automaton"),
        "what is reported is in the events: {text}"
    );
    let reports = Reports { folder, code: None };
    let log = reports.sarif();
    let notes = &checked(&log)["invocations"][0]["toolExecutionNotifications"];
    assert!(notes.to_string().contains("interrupted by SIGINT"));
    reports.browse("UNKNOWN", &[], &["interrupted by SIGINT"]);
    // Nothing is left beside them.
    let files = std::fs::read_dir(reports.folder.path()).expect("a folder");
    assert_eq!(files.count(), 2);
}

#[test]
fn input_that_cannot_be_read_is_reported() {
    let reports = Reports::of("report/walk.py", &[]);
    assert_eq!(reports.code, Some(3));
    let log = reports.sarif();
    let run = checked(&log);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["exitCode"], 3);
    reports.browse("NO ANSWER", &[], &["could not be read"]);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let output = regatta(&missing, "command/data_model.c", &["--data-model", "ILP32"])
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

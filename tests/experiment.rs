//! Experiments from outside: runs that are killed and go on, what runs use, tables and pages.
//!
//! Where only the runner matters, the verifier is a script that says what a verifier says.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    command.args(arguments).current_dir(folder);
    command
}

fn regatta(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments)
        .output()
        .expect("the command runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with so many tasks, a script for a verifier, and an experiment of both.
fn folder(tasks: usize, script: &str, more: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::create_dir(path.join("tasks")).expect("a folder");
    for task in 0..tasks {
        let text = format!("int main(void) {{ return {task}; }}\n");
        std::fs::write(path.join(format!("tasks/{task:02}.c")), text).expect("written");
    }
    let verifier = path.join("verifier");
    std::fs::write(&verifier, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&verifier, std::fs::Permissions::from_mode(0o755))
        .expect("executable");
    let text = format!(
        "limits.wall = 1\n{more}\n[[tasks]]\nfiles = [\"tasks/*.c\"]\nexpected = \"true\"\n\
         [[configuration]]\nname = \"a\"\nprogram = \"verifier\"\n"
    );
    std::fs::write(path.join("e.toml"), text).expect("written");
    folder
}

fn records(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("e.results/results.jsonl")).expect("results");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

fn number(record: &Value, name: &str) -> f64 {
    record[name]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} in {record}"))
}

const ANSWER: &str = "echo 'RESULT: TRUE'; exit 0";

/// The ways to measure that this machine has.
fn ways() -> Vec<&'static str> {
    let folder = folder(1, ANSWER, "");
    let can = |way: &&str| {
        let out = format!("{way}.out");
        let run = [
            "experiment",
            "run",
            "e.toml",
            "--accounting",
            way,
            "--out",
            &out,
        ];
        regatta(folder.path(), &run).status.code() == Some(0)
    };
    let ways: Vec<&str> = ["cgroup-v2", "cgroup-v1", "process-tree"]
        .into_iter()
        .filter(can)
        .collect();
    assert!(ways.contains(&"process-tree"), "{ways:?}");
    ways
}

/// Starts the experiment and waits until so many runs are there.
fn begin(folder: &Path, runs: usize) -> Child {
    let child = command(folder, &["experiment", "run", "e.toml"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let results = folder.join("e.results/results.jsonl");
    let begun = Instant::now();
    let lines = || std::fs::read_to_string(&results).map_or(0, |text| text.lines().count());
    while lines() < runs {
        assert!(begun.elapsed() < Duration::from_secs(60), "no runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn what_is_killed_goes_on() {
    let script = "sleep 0.02; echo 'RESULT: TRUE'; exit 0";
    let folder = folder(12, script, "repetitions = 3\nseed = 5");
    let path = folder.path();
    for runs in [3, 8, 15] {
        let mut child = begin(path, runs);
        child.kill().expect("killed");
        child.wait().expect("waited for");
    }
    let results = path.join("e.results/results.jsonl");
    let mut text = std::fs::read_to_string(&results).expect("results");
    assert!(
        text.lines().count() < 36,
        "all was done before the last kill"
    );
    text.push_str("{\"configuration\":\"a\",\"task\":\"tasks/0");
    std::fs::write(&results, text).expect("written");
    let output = regatta(path, &["experiment", "run", "e.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(
        errors(&output).contains("the last line was torn (36 bytes)"),
        "{}",
        errors(&output)
    );
    let records = records(path);
    let keys: BTreeSet<String> = records
        .iter()
        .map(|record| {
            format!(
                "{} {} {}",
                record["configuration"], record["task"], record["repetition"]
            )
        })
        .collect();
    assert_eq!((records.len(), keys.len()), (36, 36));
    assert!(records.iter().all(|record| record["score"] == 2));
    // Nothing is left to do.
    let output = regatta(path, &["experiment", "run", "e.toml"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(self::records(path).len(), 36);
}

#[test]
fn two_at_once_and_other_experiments_are_refused() {
    let folder = folder(40, "sleep 0.1; echo 'RESULT: TRUE'", "");
    let path = folder.path();
    let mut child = begin(path, 1);
    let output = regatta(path, &["experiment", "run", "e.toml"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        errors(&output).contains("another process adds runs"),
        "{}",
        errors(&output)
    );
    child.kill().expect("killed");
    child.wait().expect("waited for");
    let change = |file: &str, from: &str, to: &str, expected: &str| {
        let before = std::fs::read_to_string(path.join(file)).expect("a text");
        std::fs::write(path.join(file), before.replace(from, to)).expect("written");
        let output = regatta(path, &["experiment", "run", "e.toml"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(errors(&output).contains(expected), "{}", errors(&output));
        std::fs::write(path.join(file), before).expect("written");
    };
    change("e.toml", "wall = 1", "wall = 2", "the limits changed");
    change(
        "e.toml",
        "\"a\"",
        "\"b\"",
        "the list of configurations changed",
    );
    change("tasks/07.c", "7", "8", "the task `tasks/07` changed");
    change("verifier", "TRUE", "FALSE", "the program of `a` changed");
    // A line in the middle that is none.
    let results = path.join("e.results/results.jsonl");
    let text = std::fs::read_to_string(&results).expect("results");
    std::fs::write(&results, format!("{{}}\n{text}")).expect("written");
    for arguments in [
        &["experiment", "run", "e.toml"][..],
        &["experiment", "table", "e.results"],
    ] {
        let output = regatta(path, arguments);
        assert_eq!(output.status.code(), Some(3));
        assert!(
            errors(&output).contains("results.jsonl:1: experiment: not a run"),
            "{}",
            errors(&output)
        );
    }
}

/// A process that has left its session and whose parent is gone is ended all the same.
#[test]
fn an_interrupt_ends_all_processes() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let script =
            "setsid sh -c 'echo $$ >> \"$0\"; exec sleep 1000' \"${0%/*}/pids\" & sleep 1000";
        let folder = folder(3, script, "limits.cores = 1");
        let path = folder.path();
        let text = std::fs::read_to_string(path.join("e.toml")).expect("a text");
        std::fs::write(
            path.join("e.toml"),
            text.replace("wall = 1\n", "wall = 100\n"),
        )
        .expect("written");
        let mut child = command(path, &["experiment", "run", "e.toml"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let begun = Instant::now();
        let pids = || std::fs::read_to_string(path.join("pids")).unwrap_or_default();
        while !pids().ends_with('\n') {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing starts");
            std::thread::sleep(Duration::from_millis(10));
        }
        kill(Pid::from_raw(child.id().cast_signed()), signal).expect("sent");
        let status = child.wait().expect("waited for");
        assert_eq!(status.code(), Some(2));
        for pid in pids().lines() {
            assert!(
                !Path::new(&format!("/proc/{pid}")).exists(),
                "{pid} is alive"
            );
        }
        assert!(records(path).is_empty());
        let groups = format!("/sys/fs/cgroup/**/regatta-experiment-{}-*", child.id());
        let left = glob::glob(&groups).expect("a pattern").flatten();
        assert_eq!(left.count(), 0);
    }
}

/// A grandchild that nobody waits for and that is killed at the limit.
const BURNER: &str = r#"
(trap '' TERM; setsid python3 -c '
import os, sys, time
block = bytearray(60_000_000)
path = sys.argv[1]
while True:
    for _ in range(20000): pass
    with open(path + ".aside", "w") as file: file.write(str(time.process_time()))
    os.replace(path + ".aside", path)
' "${0%/*}/burnt" &) 
sleep 1000
"#;

#[test]
fn what_a_killed_grandchild_used_is_counted() {
    for way in ways() {
        let folder = folder(1, BURNER, "");
        let path = folder.path();
        let output = regatta(path, &["experiment", "run", "e.toml", "--accounting", way]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let record = records(path).remove(0);
        assert_eq!(record["verdict"], "timeout", "{record}");
        let burnt = std::fs::read_to_string(path.join("burnt")).expect("a time");
        let burnt: f64 = burnt.trim().parse().expect("a number");
        let cpu = number(&record, "cpu");
        // The shells, which take longer on a busy machine, and what was not written any more.
        assert!(
            cpu >= burnt && cpu <= burnt * 1.02 + 0.15,
            "{way}: {cpu} s, {burnt} s burnt"
        );
        assert!(number(&record, "wall") < 3.5, "{record}");
        let memory = number(&record, "memory");
        assert!((6e7..2e8).contains(&memory), "{way}: {memory} bytes");
        assert!(
            record["measured"]["cpu"]
                .as_str()
                .is_some_and(|name| name.replace(' ', "-") == way)
        );
    }
}

#[test]
fn too_much_memory_is_told() {
    let script = "exec python3 -c 'import time; block = bytearray(400_000_000); time.sleep(9)'";
    for way in ways() {
        let folder = folder(1, script, "limits.memory = 100");
        let path = folder.path();
        let output = regatta(path, &["experiment", "run", "e.toml", "--accounting", way]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let record = records(path).remove(0);
        assert_eq!(record["verdict"], "memory", "{way}: {record}");
    }
}

/// Runs side by side have cores of their own, and each is told how many.
#[test]
fn runs_are_pinned() {
    let script =
        "echo \"$*\"; grep Cpus_allowed_list /proc/self/status; sleep 0.1; echo 'RESULT: TRUE'";
    let folder = folder(6, script, "limits.cores = 1");
    let path = folder.path();
    let output = regatta(path, &["experiment", "run", "e.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    for record in records(path) {
        let log = record["log"].as_str().expect("a log");
        let log = path.join("e.results").join(format!("{log}.log"));
        let text = std::fs::read_to_string(log).expect("a log");
        let core = record["cores"][0].as_u64().expect("a core");
        assert!(
            text.contains(&format!("Cpus_allowed_list:\t{core}\n")),
            "{text}"
        );
        assert!(text.contains("--time-limit 1 --threads 1"), "{text}");
    }
}

/// What a verifier may say, what comes of it, and that the wrong is told.
#[test]
fn answers_are_judged() {
    let script = "case \"$*\" in\n*00.c) echo 'RESULT: TRUE';;\n\
        *01.c) echo 'RESULT: FALSE(unreach-call)'; exit 1;;\n\
        *02.c) echo 'RESULT: TRUE'; exit 1;;\n\
        *03.c) echo 'RESULT: UNKNOWN(no luck: 7)'; exit 2;;\n\
        *04.c) echo 'bad input' >&2; exit 3;;\n\
        *05.c) kill -SEGV $$;;\n\
        *06.c) sleep 1.7; echo 'RESULT: TRUE';;\nesac";
    let folder = folder(7, script, "limits.cores = 1");
    let path = folder.path();
    let output = regatta(path, &["experiment", "run", "e.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let wrong = "WRONG: a says false(unreach-call) of tasks/01, which is true";
    assert!(errors(&output).contains(wrong), "{}", errors(&output));
    let mut found: Vec<(String, String, i64)> = records(path)
        .iter()
        .map(|record| {
            let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
            (
                text("task"),
                text("verdict"),
                record["score"].as_i64().expect("a score"),
            )
        })
        .collect();
    found.sort();
    let found: Vec<(&str, i64)> = found
        .iter()
        .map(|(_, verdict, score)| (verdict.as_str(), *score))
        .collect();
    assert_eq!(
        found,
        [
            ("true", 2),
            ("false(unreach-call)", -16),
            ("crash", 0),
            ("unknown", 0),
            ("rejected", 0),
            ("crash", 0),
            ("timeout", 0),
        ]
    );
    let table = regatta(
        path,
        &["experiment", "table", "e.results", "--format", "csv"],
    );
    let table = String::from_utf8(table.stdout).expect("UTF-8");
    let row = table
        .lines()
        .find(|line| line.starts_with("By configuration,a,"))
        .expect("a row");
    assert!(
        row.starts_with("By configuration,a,7,1,1,0,1,5,-14,14,"),
        "{row}"
    );
    for reason in ["crash,2", "no luck,1", "rejected,1", "time limit,1"] {
        assert!(
            table.contains(&format!("Why there is no answer,{reason}")),
            "{table}"
        );
    }
}

/// The verifier itself: an analysis that is stopped has counters, and tables, plots and the page are made.
#[test]
fn an_experiment_from_begin_to_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    // Bounded model checking does not come to an end here.
    let hard = "extern unsigned long __VERIFIER_nondet_ulong(void); extern void reach_error(void);\n\
        int main(void) { unsigned long x = 1, y = 2, n = 0;\n\
        while (__VERIFIER_nondet_ulong()) { x = x * y + 3; y = y * x + 1; n++; }\n\
        if (x * y == 18446744073709551557u && n > 40) reach_error(); return 0; }\n";
    std::fs::write(path.join("hard.c"), hard).expect("written");
    let text = format!(
        "limits.wall = 2\nlimits.cores = 1\npages = true\n[[tasks]]\nfiles = [\"hard.c\", \"{0}/rotation.c\", \"{0}/midpoint.c\"]\n\
         [[configuration]]\nportfolio = \"bmc\"\n[[configuration]]\nportfolio = \"ki\"\nset.analysis.k-induction.solver = \"z3\"\n",
        examples.display()
    );
    std::fs::write(path.join("e.toml"), text).expect("written");
    let output = regatta(
        path,
        &["experiment", "run", "e.toml", "--set", "sharing=off"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let records = records(path);
    assert_eq!(records.len(), 6);
    let of = |configuration: &str, task: &str| -> &Value {
        let fits = |record: &&Value| {
            let name = record["task"].as_str().unwrap_or_default();
            record["configuration"] == configuration && name.ends_with(task)
        };
        records
            .iter()
            .find(fits)
            .unwrap_or_else(|| panic!("{configuration} on {task}"))
    };
    assert_eq!(of("ki", "midpoint")["verdict"], "false(no-overflow)");
    assert_eq!(of("ki", "midpoint")["winner"], "k-induction");
    let stopped = of("bmc", "hard");
    assert_eq!(stopped["verdict"], "unknown", "{stopped}");
    let analyses = stopped["analyses"].as_array().expect("analyses");
    let search = analyses
        .iter()
        .find(|analysis| analysis["name"] == "bmc")
        .expect("the search");
    assert!(search["ended"].is_null(), "{search}");
    assert!(search["counters"]["bound"].as_u64() >= Some(1), "{search}");
    assert!(
        search["counters"]["queries"].as_u64() >= Some(1),
        "{search}"
    );
    assert!(number(search, "solver") > 0.0, "{search}");
    let described =
        std::fs::read_to_string(path.join("e.results/experiment.json")).expect("a text");
    assert!(described.contains("sharing = \\\"off\\\""), "{described}");
    for (arguments, expected) in [
        (&["table"][..], "By configuration"),
        (&["table", "--format", "latex"], "\\toprule"),
        (&["table", "--format", "markdown"], "| --- |"),
        (&["compare", "--base", "ki"], "bmc against ki, on 3 tasks"),
        (
            &[
                "table",
                "--counters",
                "bound,base_case_microseconds,solver/wall",
            ],
            "\nbase case (s)",
        ),
        (&["table", "--tasks"], "bmc (s)"),
    ] {
        let arguments = [&["experiment"], arguments, &["e.results"]].concat();
        let output = regatta(path, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(
            String::from_utf8_lossy(&output.stdout).contains(expected),
            "{output:?}"
        );
    }
    let output = regatta(path, &["experiment", "plot", "e.results", "--out", "plots"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let drawing = std::fs::read_to_string(path.join("plots/quantiles.svg")).expect("a drawing");
    assert!(drawing.contains("tasks solved") && drawing.contains("</svg>"));
    let drawing = std::fs::read(path.join("plots/scatter-bmc-ki.png")).expect("a drawing");
    assert!(drawing.starts_with(b"\x89PNG"));
    let output = regatta(path, &["experiment", "report", "e.results"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let page = std::fs::read_to_string(path.join("e.results/report.html")).expect("a page");
    let page = page.replace("&#x2f;", "/");
    let mut links = 0;
    for link in page.split("href=\"logs/").skip(1) {
        let link = link.split('"').next().expect("an end").replace("%2B", "+");
        assert!(path.join("e.results/logs").join(&link).exists(), "{link}");
        assert!(link.ends_with(".html"));
        links += 1;
    }
    assert_eq!(links, 6);
}

#[test]
fn mistakes_are_told() {
    let folder = folder(1, ANSWER, "");
    let path = folder.path();
    assert_eq!(
        regatta(path, &["experiment", "run", "e.toml"])
            .status
            .code(),
        Some(0)
    );
    for (arguments, expected) in [
        (&["run", "none.toml"][..], "none.toml: cannot read"),
        (
            &["run", "e.toml", "--out", "e.toml"],
            "e.toml: cannot write",
        ),
        (&["table", "tasks"], "is this the folder of an experiment?"),
        (
            &["table", "e.results", "e.results", "--out", "none/x"],
            "none/x: cannot write",
        ),
        (&["compare", "e.results"], "a comparison needs two"),
        (
            &["table", "e.results", "--counters", "a/b/c"],
            "`a/b/c` is no counter",
        ),
        (
            &["table", "e.results", "--counters", "refinments"],
            "did you mean `refinements`?",
        ),
        (
            &["table", "e.results", "--counters", "nobody.queries"],
            "no run has an analysis `nobody`",
        ),
        (
            &["run", "e.toml", "--group", "full"],
            "no list of tasks has the group `full`",
        ),
        (
            &["diff", "e.results", "tasks"],
            "is this the folder of an experiment?",
        ),
        (
            &["table", "e.results", "--solved-by", "b"],
            "no configuration `b`; there are a",
        ),
        (
            &["run", "e.toml", "--every", "0"],
            "`every` is a number from 1",
        ),
        (
            &["compare", "e.results", "--base", "b"],
            "no configuration `b`; there are a",
        ),
        (
            &["plot", "e.results", "--out", "e.toml"],
            "e.toml: cannot write",
        ),
    ] {
        let output = regatta(path, &[&["experiment"], arguments].concat());
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        assert!(
            errors(&output).contains(expected),
            "{arguments:?}: {}",
            errors(&output)
        );
    }
    // A portfolio's options on the command line.
    for (setting, code) in [
        ("sharing=off", 0),
        ("sharing=of", 3),
        ("analysis.bmc.max_bound=2", 0),
        ("sharing", 3),
    ] {
        let output = regatta(path, &["portfolio", "explain", "bmc", "--set", setting]);
        assert_eq!(output.status.code(), Some(code), "{setting}");
        let verify = [
            "verify",
            "tasks/00.c",
            "--portfolio",
            "bmc",
            "--set",
            setting,
        ];
        assert_eq!(
            regatta(path, &verify).status.code(),
            Some(code),
            "{setting}"
        );
    }
    let output = regatta(
        path,
        &[
            "portfolio",
            "explain",
            "bmc",
            "--set",
            "analysis.bmc.max_bound=2",
        ],
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nmax_bound = 2\n"));
}

/// What is lost or newly wrong is told, and the exit code says so.
#[test]
fn what_became_worse_is_told() {
    let folder = folder(3, ANSWER, "limits.cores = 1");
    let path = folder.path();
    let run = |out: &str| {
        let output = regatta(path, &["experiment", "run", "e.toml", "--out", out]);
        assert!(output.status.code() < Some(2), "{}", errors(&output));
    };
    run("before.results");
    let diff = |after: &str, more: &[&str]| {
        let arguments = [&["experiment", "diff", "before.results", after], more].concat();
        let output = regatta(path, &arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text + &errors(&output))
    };
    let (code, text) = diff("before.results", &[]);
    assert_eq!(code, Some(0), "{text}");
    let worse = "case \"$*\" in *01.c) echo 'RESULT: UNKNOWN(tired)'; exit 2;; *) echo 'RESULT: TRUE';; esac";
    std::fs::write(path.join("verifier"), format!("#!/bin/sh\n{worse}\n")).expect("written");
    run("lost.results");
    let (code, text) = diff("lost.results", &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("worse: tasks lost: 1, and 0 are permitted"),
        "{text}"
    );
    assert!(
        text.contains("lost") && text.contains("tasks/01") && text.contains("tired"),
        "{text}"
    );
    assert_eq!(diff("lost.results", &["--lost", "1"]).0, Some(0));
    let wrong = "echo 'RESULT: FALSE(unreach-call)'; exit 1";
    std::fs::write(path.join("verifier"), format!("#!/bin/sh\n{wrong}\n")).expect("written");
    run("wrong.results");
    let (code, text) = diff("wrong.results", &["--lost", "9"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("worse: a on tasks/00: false(unreach-call) after true: wrong"),
        "{text}"
    );
}

/// The papers' tables are made of programs in the repository; those beside the clone count only if the command line says so.
#[test]
fn the_papers_tables_need_nothing_beside_the_clone() {
    use regatta::experiment::definition::selection::select;
    use regatta::experiment::definition::{Definition, Scale};
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/papers");
    let entries = |folder: &Path| -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    };
    let programs: BTreeSet<String> = entries(&home.join("programs"))
        .iter()
        .map(|program| program.display().to_string())
        .collect();
    let mut used = BTreeSet::new();
    for file in entries(&home) {
        let is_experiment =
            file.extension().is_some_and(|end| end == "toml") && !file.ends_with("figures.toml");
        if is_experiment {
            let mut definition = Definition::read(&file).expect("an experiment");
            definition.scale(&Scale::default()).expect("a scale");
            for task in select(&definition).expect("tasks") {
                assert!(task.expected.is_some(), "{}", task.name);
                let named = task.arguments.iter().filter(|one| one.ends_with(".c"));
                used.extend(named.cloned());
            }
        }
    }
    assert_eq!(used, programs);
    for program in &programs {
        let text = std::fs::read_to_string(program).expect("a program");
        let lines = text.lines().count();
        assert!((11..=32).contains(&lines), "{program} has {lines} lines");
    }
}

/// As it may be where runs are shuffled and several are made at a time.
fn begin_the_second_repetition_first(results: &Path) {
    let text = std::fs::read_to_string(results).expect("results");
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).expect("a record");
        if record["repetition"] == 0 {
            record["begun"] = (record["begun"].as_f64().expect("a moment") + 1e3).into();
        }
        format!("{record}\n")
    });
    std::fs::write(results, lines.collect::<String>()).expect("results are written");
}

/// What is written as BenchExec's result files and read again has the same tables.
#[test]
fn what_is_exported_comes_back() {
    let script = "case \"$*\" in\n*00.c) echo 'RESULT: TRUE';;\n\
        *01.c) echo 'RESULT: FALSE(unreach-call)'; exit 1;;\n\
        *02.c) echo 'RESULT: UNKNOWN(time limit)'; exit 2;;\n\
        *03.c) echo 'RESULT: UNKNOWN(no <luck> & \"more\": 7)'; exit 2;;\n\
        *04.c) echo 'bad input' >&2; exit 3;;\n\
        *05.c) kill -SEGV $$;;\n\
        *06.c) sleep 1.7; echo 'RESULT: TRUE';;\nesac";
    let more = "description = \"a < b\"\nrepetitions = 2\nlimits.cores = 1\nlimits.cpu = 7\nlimits.memory = 4096";
    let folder = folder(7, script, more);
    let path = folder.path();
    let output = regatta(path, &["experiment", "run", "e.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    begin_the_second_repetition_first(&path.join("e.results/results.jsonl"));
    let export = [
        "experiment",
        "export",
        "--benchexec",
        "e.results",
        "--out",
        "xml",
    ];
    let output = regatta(path, &export);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let names = String::from_utf8(output.stdout).expect("UTF-8");
    let mut import = vec![
        "experiment",
        "import",
        "--benchexec",
        "--out",
        "back.results",
    ];
    import.extend(names.lines());
    assert_eq!(import.len(), 7, "two repetitions: {names}");
    let output = regatta(path, &import);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(!errors(&output).contains("note:"), "{}", errors(&output));
    for arguments in [
        &["table", "--tasks", "--format", "csv"][..],
        &["table", "--expected", "true", "--not-solved-by", "a"],
    ] {
        let [ours, back] = ["e.results", "back.results"].map(|name| {
            let arguments = [&["experiment"], arguments, &[name]].concat();
            let output = regatta(path, &arguments);
            assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
            String::from_utf8(output.stdout).expect("UTF-8")
        });
        assert!(ours.contains("configuration"), "{ours}");
        assert_eq!(ours, back);
    }
    let known = |name: &str| -> Vec<(String, String, String, i64, i64)> {
        let text = std::fs::read_to_string(path.join(name).join("results.jsonl"));
        let mut known: Vec<_> = text
            .expect("results")
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).expect("a record");
                let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
                let number = |name: &str| record[name].as_i64().unwrap_or_default();
                // BenchExec's status says how a run has crashed.
                let is_crash = record["verdict"] == "crash";
                (
                    text("task"),
                    text("verdict"),
                    if is_crash {
                        String::new()
                    } else {
                        text("reason")
                    },
                    number("exit"),
                    number("repetition"),
                )
            })
            .collect();
        known.sort();
        known
    };
    assert_eq!(known("e.results"), known("back.results"));
    // A page without logs, and nothing is overwritten.
    let output = regatta(path, &["experiment", "report", "back.results"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let output = regatta(path, &import);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        errors(&output).contains("there are results in this folder"),
        "{}",
        errors(&output)
    );
}

/// What BenchExec has and we have not is counted; what is no result file is told.
#[test]
fn results_of_other_tools_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let run = |name: &str, status: &str, category: &str, more: &str| {
        format!(
            "<run name='../../c/{name}' files='[a]' properties='unreach-call' {more}><column title='status' value='{status}'/>\
             <column title='category' value='{category}' hidden='true'/><column title='cputime' value='2.5s'/>\
             <column title='walltime' value='1.5s'/><column title='blkio-read' value='7B'/></run>"
        )
    };
    let file = |block: &str, runs: &[String]| {
        format!(
            "<?xml version='1.0'?>\n<result benchmarkname='b' name='d{block}' {} tool='Other' version='1' timelimit='900s' \
             date='x' starttime='y' options='--fast'><columns/>{}</result>",
            match block {
                "" => String::new(),
                block => format!("block='{}'", block.trim_start_matches('.')),
            },
            runs.concat()
        )
    };
    let runs = [
        run("x/one.yml", "true", "correct", "expectedVerdict='true'"),
        run(
            "x/two.yml",
            "false(unreach-call)",
            "wrong",
            "expectedVerdict='true'",
        ),
        run("y/one.yml", "TIMEOUT", "error", "expectedVerdict='false'"),
        // Nobody says which verdict is right, but BenchExec knew.
        run("x/three.yml", "true", "correct", ""),
        run("x/four.yml", "", "missing", ""),
    ];
    std::fs::write(path.join("all.xml"), file("", &runs)).expect("written");
    std::fs::write(path.join("set.xml"), file(".Set", &runs[..1])).expect("written");
    let import = |arguments: &[&str]| {
        let before = ["experiment", "import", "--benchexec"];
        regatta(path, &[&before, arguments].concat())
    };
    let output = import(&["all.xml", "set.xml", "--out", "r"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    for expected in [
        "4 values of columns without a counterpart are left out: blkio-read",
        "1 runs without a result are left out",
        "1 runs that are there twice are taken once",
        "1 expected verdicts are missing",
        "4 runs of 1 configurations in r",
    ] {
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    }
    let table = regatta(path, &["experiment", "table", "r", "--format", "csv"]);
    let table = String::from_utf8(table.stdout).expect("UTF-8");
    for row in [
        "By configuration,d,4,2,2,0,1,1,-12,7,",
        "By category,Set,d,1,1,1,",
        "Times of right answers,d,proofs,2,5.0,2.50,2.50,3.0,1.50,1.50",
    ] {
        assert!(table.contains(row), "{table}");
    }
    let other = file("", &runs).replace("900s", "60s");
    std::fs::write(path.join("other.xml"), other).expect("written");
    std::fs::write(path.join("half.xml"), &file("", &runs)[..400]).expect("written");
    std::fs::write(path.join("packed.xml.bz2"), b"BZh9 no").expect("written");
    std::fs::write(path.join("none.xml"), file("", &runs[4..])).expect("written");
    for (files, expected) in [
        (
            &["all.xml", "other.xml"][..],
            "its limits are not those of all.xml",
        ),
        (&["half.xml"], "half.xml:"),
        (&["packed.xml.bz2"], "packed.xml.bz2: cannot read: bzip2"),
        (&["none.xml"], "there is no run with a result"),
        (&["there.xml"], "there.xml: cannot read"),
    ] {
        let output = import(&[files, &["--out", "bad"]].concat());
        assert_eq!(output.status.code(), Some(3), "{files:?}");
        assert!(errors(&output).contains(expected), "{}", errors(&output));
        assert!(!path.join("bad").exists());
    }
}

#[test]
fn lists_depend_on_what_is_there() {
    let folder = folder(3, ANSWER, "");
    let path = folder.path();
    let text = std::fs::read_to_string(path.join("e.toml")).expect("a text");
    for (key, code) in [("if_exists", 3), ("unless_exists", 0)] {
        let with = text.replace("files =", &format!("{key} = \"nowhere\"\nfiles ="));
        std::fs::write(path.join("e.toml"), with).expect("written");
        let output = regatta(path, &["experiment", "run", "e.toml", "--every", "2"]);
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        let is_told = errors(&output).contains("no list of tasks counts here");
        assert_eq!(is_told, code == 3, "{}", errors(&output));
    }
    let tasks: BTreeSet<String> = records(path)
        .iter()
        .map(|record| record["task"].to_string())
        .collect();
    let expected = ["\"tasks/00\"", "\"tasks/02\""].map(str::to_owned);
    assert_eq!(tasks, BTreeSet::from(expected));
}

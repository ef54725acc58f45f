//! Alarms outside of the verifier: harnesses, and runs of the compiled program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value as Json;

const FALSE: &str = "RESULT: FALSE(unreach-call)";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay")
}

fn regatta(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    command.args(arguments).current_dir(folder());
    if !arguments.contains(&"--time-limit") {
        command.args(["--time-limit", "120"]);
    }
    if !arguments.contains(&"--checks") {
        command.args(["--checks", "assertions"]);
    }
    // Values of functions that only the harness defines are what is replayed.
    command.arg("--unknown-calls=havoc");
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the command runs")
}

fn result_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_owned()
}

/// What came of the native replay.
fn replayed(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let events = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let mut replays = events.filter(|event| event["event"] == "replayed");
    Some(replays.next()?["outcome"].as_str()?.to_owned())
}

/// The data models for which the compiler makes programs that run here, with its option.
fn data_models() -> Vec<(&'static str, &'static str)> {
    let work = tempfile::tempdir().expect("a folder");
    let source = work.path().join("probe.c");
    std::fs::write(
        &source,
        "#include <stdio.h>\nint main(void) { return 0; }\n",
    )
    .expect("written");
    let works = |option: &str| {
        let program = work.path().join("probe");
        let mut compiler = Command::new("cc");
        compiler.arg(option).arg(&source).arg("-o").arg(&program);
        let compiled = compiler.stderr(Stdio::null()).status();
        matches!(compiled, Ok(status) if status.success())
            && matches!(Command::new(&program).status(), Ok(status) if status.success())
    };
    let mut models = vec![("lp64", "-m64"), ("ilp32", "-m32")];
    models.retain(|(model, option)| {
        let works = works(option);
        if !works {
            let text = format!(
                "SKIPPED: replay tests for {model}: cc {option} makes nothing that runs here\n"
            );
            let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        }
        works
    });
    models
}

fn cc(work: &Path, arguments: &[&str]) -> Output {
    Command::new("cc")
        .args(arguments)
        .current_dir(work)
        .output()
        .expect("cc runs")
}

/// Alarms that a harness can say all of: the compiled program comes to the error, too, the harness compiles without a
/// warning, and under a debugger the program stops there by itself.
#[test]
fn compiled_programs_come_to_the_error() {
    let programs = [
        "integers.c",
        "floats.c",
        "memory.c",
        "unknown_functions.c",
        "structs.c",
        "external_objects.c",
        "own_error.c",
        "assertion.c",
        "verifier_assert.c",
        "unimportant.c",
    ];
    for (model, option) in data_models() {
        for program in programs {
            let work = tempfile::tempdir().expect("a folder");
            let harness = work.path().join("harness.c");
            let harness_name = harness.display().to_string();
            let mut arguments = vec![
                program,
                "--json",
                "--replay",
                "native",
                "--data-model",
                model,
            ];
            arguments.extend(["--harness", &harness_name]);
            let has_128 = program == "integers.c" && model == "lp64";
            arguments.extend(has_128.then_some("-DREGATTA_128"));
            let output = run(&mut regatta(&arguments));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let text = std::fs::read_to_string(&harness).unwrap_or_default();
            let context = format!("{program} {model}: {said}\n{text}");
            assert_eq!(replayed(&output).as_deref(), Some("confirmed"), "{context}");
            assert_eq!(result_line(&output), FALSE, "{context}");
            assert!(text.contains("The harness is faithful"), "{context}");
            let strict = [
                "-Wall",
                "-Wextra",
                "-Werror",
                "-std=gnu11",
                option,
                "-c",
                "harness.c",
            ];
            let compiled = cc(work.path(), &strict);
            let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
            assert!(compiled.status.success(), "{context}{said}");
            // As the harness says that it is used.
            let source = folder().join(program).display().to_string();
            let mut by_hand = vec!["-g", "-w", "-msse2", "-mfpmath=sse", "-fwrapv", option];
            by_hand.extend(has_128.then_some("-DREGATTA_128"));
            by_hand.extend(["harness.c", &source, "-o", "replay", "-lm"]);
            assert!(cc(work.path(), &by_hand).status.success(), "{context}");
            // Its own error function comes back.
            if program == "own_error.c" {
                continue;
            }
            let ended = run(&mut Command::new(work.path().join("replay")));
            let told = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert!(!ended.status.success(), "{context}");
            assert!(
                told.contains("harness: the error is reached"),
                "{context}{told}"
            );
        }
    }
}

#[test]
fn compiled_programs_end_where_arithmetic_overflows() {
    let native = ["overflow.c", "--json", "--replay", "native"];
    let checked = [&native[..], &["--checks", "overflow"]].concat();
    let output = run(&mut regatta(&checked));
    assert_eq!(result_line(&output), "RESULT: FALSE(no-overflow)");
    assert_eq!(replayed(&output).as_deref(), Some("confirmed"));
    // Without the check it wraps around, in the compiled program as well.
    let output = run(&mut regatta(&native));
    assert_eq!(result_line(&output), FALSE);
    assert_eq!(replayed(&output).as_deref(), Some("confirmed"));
}

#[test]
fn compiled_programs_end_where_they_misuse_memory() {
    for (program, checks, result) in [
        ("misuse.c", "pointers", "RESULT: FALSE(valid-deref)"),
        ("lost.c", "leaks", "RESULT: FALSE(valid-memtrack)"),
    ] {
        let native = [program, "--checks", checks, "--json", "--replay", "native"];
        let output = run(&mut regatta(&native));
        assert_eq!(result_line(&output), result);
        assert_eq!(replayed(&output).as_deref(), Some("confirmed"), "{program}");
    }
}

#[test]
fn a_misuse_of_memory_is_explained_by_the_life_of_the_object() {
    let output = run(&mut regatta(&["misuse.c", "--checks", "pointers", "-v"]));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in ["misuse.c:5:5: allocated here", "misuse.c:9:5: freed here"] {
        assert!(said.contains(line), "{said}");
    }
}

/// Alarms of which a harness says too little, with what it says of that.
#[test]
fn what_a_harness_cannot_say_is_told() {
    for (program, missing) in [
        ("uninitialised.c", "values of what is not initialised"),
        ("arguments.c", "the program's arguments"),
        ("pointer.c", "a pointer that unknown_pointer returns"),
        ("left_in_memory.c", "what fill leaves in memory"),
        ("library_input.c", "what library functions find"),
    ] {
        let work = tempfile::tempdir().expect("a folder");
        let harness = work.path().join("harness.c").display().to_string();
        for (replay, line) in [
            ("interpreter", FALSE),
            ("both", FALSE),
            (
                "native",
                "RESULT: UNKNOWN(the alarm is not confirmed natively",
            ),
        ] {
            let output = run(&mut regatta(&[
                program,
                "--json",
                "--replay",
                replay,
                "--harness",
                &harness,
            ]));
            let text = std::fs::read_to_string(&harness).unwrap_or_default();
            assert!(
                result_line(&output).starts_with(line),
                "{program} {replay}: {text}"
            );
            assert!(
                text.contains("The harness is not faithful"),
                "{program}: {text}"
            );
            assert!(text.contains(missing), "{program}: {text}");
            let outcome = replayed(&output);
            match replay {
                "interpreter" => assert_eq!(outcome, None, "{program}"),
                _ => assert!(
                    outcome.as_deref().is_some_and(
                        |outcome| outcome.starts_with("open: ") && outcome.contains(missing)
                    ),
                    "{program}: {outcome:?}"
                ),
            }
        }
    }
}

/// A compiler that reads the program in another way than the front end does.
fn other_compiler(work: &Path, compiled: u32) -> String {
    let script = format!(
        "#!/bin/sh\nfor a in \"$@\"; do [ \"$a\" = -S ] && set -- \"$@\" -DCOMPILED={compiled}; done\nexec cc \"$@\"\n"
    );
    let file = work.join("other-cc");
    std::fs::write(&file, script).expect("the script is written");
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&file, permissions).expect("the script can be run");
    file.display().to_string()
}

#[test]
fn a_disagreement_is_an_internal_error_and_no_answer() {
    let work = tempfile::tempdir().expect("a folder");
    let compiler = other_compiler(work.path(), 1);
    for replay in ["both", "native"] {
        let mut command = regatta(&["read_otherwise.c", "--json", "--replay", replay]);
        let output = run(command.env("CC", &compiler));
        assert_eq!(
            result_line(&output),
            "RESULT: UNKNOWN(internal error: the interpreter and the compiled program disagree)"
        );
        let outcome = replayed(&output);
        assert_eq!(
            outcome.as_deref(),
            Some("contradicted: it ends with exit code 5")
        );
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("internal error"), "{said}");
    }
    let mut command = regatta(&["read_otherwise.c"]);
    assert_eq!(result_line(&run(command.env("CC", &compiler))), FALSE);
}

#[test]
fn without_a_compiler_the_interpreter_decides_alone() {
    let answers = [
        ("both", FALSE),
        (
            "native",
            "RESULT: UNKNOWN(the alarm is not confirmed natively: ",
        ),
    ];
    for (replay, line) in answers {
        // Nothing to preprocess.
        let mut command = regatta(&["left_in_memory.c", "--json", "--replay", replay]);
        let output = run(command.env("CC", "/nonexistent/cc"));
        assert!(
            result_line(&output).starts_with(line),
            "{}",
            result_line(&output)
        );
        let outcome = replayed(&output).expect("an event");
        assert!(outcome.starts_with("open: cc does not run"), "{outcome}");
    }
}

/// The processes that run a program of a replay.
fn replays_at_work(marker: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let environments = processes.map(|process| std::fs::read_link(process.path().join("exe")));
    environments
        .flatten()
        .filter(|program| program.display().to_string().contains(marker))
        .count()
}

/// A compiled program that does not end is ended: by the limit, and when the command is interrupted; and nothing is left
/// of its folder.
#[test]
fn a_program_that_does_not_end_is_ended() {
    let work = tempfile::tempdir().expect("a folder");
    let compiler = other_compiler(work.path(), 2);
    let temporary = work.path().join("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    let marker = temporary.display().to_string();
    let command = |limit: &str| {
        let mut command = regatta(&[
            "read_otherwise.c",
            "--json",
            "--replay",
            "both",
            "--time-limit",
            limit,
        ]);
        command.env("CC", &compiler).env("TMPDIR", &temporary);
        command
    };
    let output = run(&mut command("8"));
    assert_eq!(
        replayed(&output).as_deref(),
        Some("open: it did not end in time")
    );
    assert_eq!(result_line(&output), FALSE);
    assert_eq!(replays_at_work(&marker), 0);
    let mut interrupted = command("100")
        .stdout(Stdio::null())
        .spawn()
        .expect("the command runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    while replays_at_work(&marker) == 0 {
        assert!(Instant::now() < deadline, "the program never runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill(
        Pid::from_raw(interrupted.id().cast_signed()),
        Signal::SIGTERM,
    )
    .expect("it is there");
    interrupted.wait().expect("it ends");
    while replays_at_work(&marker) > 0 {
        assert!(Instant::now() < deadline, "the program runs on");
        std::thread::sleep(Duration::from_millis(5));
    }
    let left = std::fs::read_dir(&temporary).expect("the folder").count();
    assert_eq!(left, 0);
}

//! The command from outside: exit codes, the one RESULT line, limits, signals, events, properties and task files.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How late the answer may come after a limit, on a machine that is busy with other tests.
const GRACE: Duration = Duration::from_secs(10);

fn regatta(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    command
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command"));
    command
}

fn output(arguments: &[&str]) -> Output {
    regatta(arguments).output().expect("the command runs")
}

/// The RESULT line, which is the only one and the last of standard output.
fn result_line(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).expect("standard output is UTF-8");
    let results = text.lines().filter(|line| line.starts_with("RESULT:"));
    assert_eq!(results.count(), 1, "{text}");
    text.lines().last().expect("a line").to_owned()
}

fn assert_result(arguments: &[&str], line: &str, code: i32) {
    let output = output(arguments);
    assert_eq!(result_line(&output), line, "{arguments:?}");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
}

fn assert_refused(arguments: &[&str], message: &str) {
    let output = output(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(said.contains(message), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn verdicts_have_a_line_and_an_exit_code() {
    assert_result(&["verify", "property.c"], "RESULT: TRUE", 0);
    assert_result(&["property.c"], "RESULT: TRUE", 0);
    let wrong = ["data_model.c", "--data-model", "ilp32"];
    assert_result(&wrong, "RESULT: FALSE(unreach-call)", 1);
    let unsupported = output(&["../errors/unsupported_longjmp.c"]);
    assert!(result_line(&unsupported).starts_with("RESULT: UNKNOWN("));
    assert_eq!(unsupported.status.code(), Some(2));
}

/// What the library does to the program's state, seen by violations that are confirmed and by their absence.
#[test]
fn library_functions_change_the_state() {
    let wrong = "RESULT: FALSE(unreach-call)";
    assert_result(&["realloc.c"], wrong, 1);
    // Doubled before it is increased: 3, not 4 or 2. (That there are not too many handlers is a matter for engines.)
    assert_result(&["exit_handlers.c"], wrong, 1);
    assert_ne!(output(&["destructor.c"]).status.code(), Some(1));
}

/// What C leaves undetermined, and what a name means to the linker, for both verdicts.
#[test]
fn nothing_is_assumed_of_what_is_not_written() {
    let wrong = "RESULT: FALSE(unreach-call)";
    for program in [
        "jump_into_switch.c",
        "jump_into_block.c",
        "jump_within_block.c",
        "weak_and_missing.c",
        "error_by_its_symbol.c",
        "padding_of_a_literal.c",
    ] {
        assert_result(&[program, "--checks", "assertions"], wrong, 1);
    }
    assert_result(&["does_not_return.c"], "RESULT: TRUE", 0);
    for program in ["assembly_changes.c", "storage_order.c"] {
        let said = result_line(&output(&[program]));
        assert!(said.starts_with("RESULT: UNKNOWN("), "{program}: {said}");
    }
}

#[test]
fn the_property_decides() {
    let wrong = "RESULT: FALSE(unreach-call)";
    assert_result(&["property.c", "--property", "call.prp"], wrong, 1);
    assert_result(&["property.c", "--property", "label.prp"], wrong, 1);
    // The library's model of `realloc` calls `free`; the program does not.
    assert_result(&["resized.c", "--property", "free.prp"], "RESULT: TRUE", 0);
    assert_result(&["realloc.c", "--property", "free.prp"], wrong, 1);
    let missing = output(&["property.c", "--property", "missing.prp"]);
    assert_eq!(result_line(&missing), "RESULT: TRUE");
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(
        said.contains("warning") && said.contains("no_such_function"),
        "{said}"
    );
}

#[test]
fn task_files_name_program_property_and_data_model() {
    let wrong = "RESULT: FALSE(unreach-call)";
    assert_result(&["--task", "task.yml"], wrong, 1);
    assert_result(&["data_model.c", "--task", "task.yml"], wrong, 1);
    // What is said on the command line goes before.
    assert_result(
        &["--task", "task.yml", "--data-model", "LP64"],
        "RESULT: TRUE",
        0,
    );
    let other = ["--task", "task.yml", "--property", "missing.prp"];
    assert_result(&other, "RESULT: TRUE", 0);
}

#[test]
fn contradictory_and_unknown_options_are_refused() {
    assert_refused(
        &["property.c", "--task", "task.yml"],
        "not an input file of the task",
    );
    assert_refused(&["property.c", "data_model.c"], "data_model.c");
    assert_refused(&["--json"], "FILE");
    let twice = [
        "property.c",
        "--data-model",
        "LP64",
        "--data-model",
        "ILP32",
    ];
    assert_refused(&twice, "--data-model");
    for limit in ["--time-limit", "--cpu-limit", "--memory-limit", "--threads"] {
        assert_refused(&["property.c", limit, "0"], limit);
        assert_refused(&["property.c", limit, "soon"], limit);
    }
    assert_refused(&["property.c", "--portfolio", "nothing"], "nothing");
    assert_refused(&["verify", "property.c", "--stage", "lowered"], "--stage");
}

#[test]
fn the_program_is_read_as_the_options_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    std::fs::create_dir(folder.path().join("include")).expect("a folder");
    write("include/limit.h", "#define LIMIT 3\n");
    let program = write(
        "program.c",
        "#include <limit.h>\n\
         void reach_error(void);\n\
         int somewhere_else(int *);\n\
         int main(void)\n\
         {\n\
             int x = LIMIT + STEP;\n\
             somewhere_else(&x);\n\
             if (x != 5)\n\
                 reach_error();\n\
             return 0;\n\
         }\n",
    );
    let include = folder.path().join("include");
    let include = include.to_string_lossy();
    assert_refused(&[&program, "-D", "STEP=2"], "limit.h");
    assert_refused(&[&program, "-I", &include], "STEP");
    let read = [&*program, "-I", &include, "-D", "STEP=2"];
    // What is elsewhere may change `x`, which counts only if the user says so.
    let open = output(&read);
    assert!(result_line(&open).contains("`somewhere_else`, which no file defines"));
    let counted = [&read[..], &["--unknown-calls", "havoc"]].concat();
    assert_result(&counted, "RESULT: FALSE(unreach-call)", 1);
    let pure = [&read[..], &["--unknown-calls", "pure"]].concat();
    assert_result(&pure, "RESULT: TRUE", 0);
    let wrong = ["-I", &include, "-D", "STEP=1", "--unknown-calls", "pure"];
    let wrong = [&[&*program][..], &wrong].concat();
    assert_result(&wrong, "RESULT: FALSE(unreach-call)", 1);
}

/// The log is on standard error, and takes nothing from standard output.
#[test]
fn a_verbose_run_tells_what_happens() {
    let proof = ["ledger_proof.c", "--checks", "assertions"];
    let quiet = output(&proof);
    let said = String::from_utf8_lossy(&quiet.stderr);
    assert!(
        said.starts_with("Proved (1 check): assertions.\nNot looked at: overflow, "),
        "{said}"
    );
    for verbose in ["-v", "--verbose"] {
        let output = output(&[&proof[..], &[verbose]].concat());
        assert_eq!(result_line(&output), "RESULT: TRUE");
        assert_eq!(output.stdout, quiet.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("answered by"), "{said}");
    }
}

/// Without a terminal too, a violation is told in the form of a compiler's messages, with its inputs.
#[test]
fn a_violation_has_a_place_and_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |name: &str, text: &str| {
        let program = folder.path().join(name);
        std::fs::write(&program, text).expect("the program is written");
        let output = output(&[&program.display().to_string()]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.replace(&format!("{}/", folder.path().display()), "")
    };
    let declared = "extern int __VERIFIER_nondet_int(void);\n";
    let division = "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  return x > 6 && x < 8 ? 1 / (x - 7) : 0;\n}\n";
    assert_eq!(
        told("a.c", &format!("{declared}{division}")),
        "a.c:4:27: error: an integer is divided by zero [valid-division]\n\
         a.c:3:11: note: __VERIFIER_nondet_int() is 7\n"
    );
    // In a function of the library, the place is that of its call.
    let copy = "#include <string.h>\nint main(void) {\n  char a[2];\n  strcpy(a, \"ab\");\n}\n";
    let said = told("b.c", copy);
    assert!(said.starts_with("b.c:4:3: error: 1 byte"), "{said}");
    assert!(said.contains("`a` of 2 bytes [valid-deref]"), "{said}");
}

#[test]
fn the_interpreter_ends_after_so_many_steps() {
    let cut_off = output(&["interpret", "property.c", "--steps", "1"]);
    let said = String::from_utf8_lossy(&cut_off.stderr);
    assert!(said.contains("step limit reached: 1"), "{said}");
    let whole = output(&["interpret", "property.c", "--steps", "1000"]);
    assert_eq!(whole.status.code(), Some(0));
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [
        &["--help"][..],
        &["verify", "--help"],
        &["--version"],
        &["help"],
    ] {
        let output = output(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty(), "{arguments:?}");
    }
    let text = String::from_utf8(output(&["verify", "--help"]).stdout).expect("UTF-8");
    for option in [
        "--property",
        "--task",
        "--time-limit",
        "--memory-limit",
        "--json",
    ] {
        assert!(text.contains(option), "{option}");
    }
}

#[test]
fn events_are_json_and_the_result_comes_last() {
    let output = output(&["data_model.c", "--json", "--data-model", "ILP32"]);
    assert_eq!(result_line(&output), "RESULT: FALSE(unreach-call)");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    let (_, events) = lines.split_last().expect("lines");
    let events: Vec<serde_json::Value> = events
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    assert!(events.iter().all(|event| event["time"].is_number()));
    let last = events.last().expect("an event");
    assert_eq!(last["event"], "concluded");
    assert_eq!(last["verdict"]["false"], "unreach-call");
}

#[test]
fn the_time_limit_holds() {
    assert_result(
        &["undecided.c", "--time-limit", "0.001"],
        "RESULT: UNKNOWN(time limit)",
        2,
    );
    let start = Instant::now();
    let output = output(&["undecided.c", "--time-limit", "1.5"]);
    assert!(
        start.elapsed() < Duration::from_secs_f64(1.5) + GRACE,
        "{:?}",
        start.elapsed()
    );
    let line = result_line(&output);
    assert!(
        // The analyses may have given up before, when they saw that the time would not suffice.
        [
            "RESULT: UNKNOWN(time limit)",
            "RESULT: UNKNOWN(no analysis found an answer)"
        ]
        .contains(&line.as_str()),
        "{line}"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_memory_limit_holds() {
    let arguments = ["undecided.c", "--memory-limit", "1", "--time-limit", "60"];
    assert_result(&arguments, "RESULT: UNKNOWN(memory limit)", 2);
}

/// Before there is a run: a portfolio file that is a pipe says nothing.
#[test]
fn signals_end_the_command_with_a_result_while_it_reads_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("portfolio.toml");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let child = regatta(&["undecided.c", "--time-limit", "120", "--portfolio"])
            .arg(&pipe)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        // Comes back when the command has opened the pipe to read.
        let _writer = std::fs::File::options().write(true).open(&pipe);
        let pid = i32::try_from(child.id()).expect("a process id");
        kill(Pid::from_raw(pid), signal).expect("the signal is sent");
        let output = child.wait_with_output().expect("the command ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, format!("RESULT: UNKNOWN(interrupted by {signal})\n"));
        assert_eq!(output.status.code(), Some(2), "{signal}");
    }
}

#[test]
fn signals_end_the_run_with_a_result() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let mut child = regatta(&["undecided.c", "--json", "--time-limit", "120"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        // The first event shows that the run has begun.
        let events = wait_for_line(&mut child);
        let pid = i32::try_from(child.id()).expect("a process id");
        kill(Pid::from_raw(pid), signal).expect("the signal is sent");
        let start = Instant::now();
        let text =
            events + &std::io::read_to_string(child.stdout.take().expect("piped")).expect("UTF-8");
        let status = child.wait().expect("the command ends");
        assert!(start.elapsed() < GRACE, "{signal}: {:?}", start.elapsed());
        assert_eq!(status.code(), Some(2), "{signal}");
        let results: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("RESULT:"))
            .collect();
        assert_eq!(results.len(), 1, "{signal}: {text}");
        assert_eq!(text.lines().last(), Some(results[0]), "{signal}");
        assert!(
            results[0].contains(signal.as_str()),
            "{signal}: {}",
            results[0]
        );
    }
}

/// Standard output up to the end of its first line.
fn wait_for_line(child: &mut Child) -> String {
    use std::io::Read;
    let stdout = child.stdout.as_mut().expect("piped");
    let mut line = Vec::new();
    let mut byte = [0];
    while line.last() != Some(&b'\n') && stdout.read(&mut byte).expect("readable") == 1 {
        line.push(byte[0]);
    }
    String::from_utf8(line).expect("UTF-8")
}

#[test]
fn what_a_run_has_worked_out_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let dumped = folder.path().join("dump");
    let path = dumped.display().to_string();
    let options = ["--portfolio", "ki-df", "--dump", &path];
    assert_result(&[&["squares.c"], &options[..]].concat(), "RESULT: TRUE", 0);
    let read = |name: &str| std::fs::read_to_string(dumped.join(name)).expect(name);
    assert!(read("typed.txt").contains("main"));
    assert!(read("lowered.dot").starts_with("digraph"));
    assert!(read("simplified.dot").starts_with("digraph"));
    assert!(read("invariants.txt").contains("data-flow, k = 1: "));
    let proof = read("proof-0-k-induction.txt");
    assert!(proof.starts_with("Confirmed\nstep 0: "), "{proof}");
    let files = std::fs::read_dir(&dumped).expect("files");
    let queries = files.filter(|file| {
        let name = file.as_ref().expect("a file").file_name();
        name.to_string_lossy().starts_with("query-")
    });
    assert!(queries.count() > 0);
}

/// What cannot be written is told before the run.
#[test]
fn outputs_are_probed_before_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("file"), "text").expect("written");
    std::fs::create_dir(at("folder")).expect("a folder");
    for option in [
        "--witness",
        "--harness",
        "--sarif",
        "--report",
        "--dump",
        "--certificate",
    ] {
        for path in ["missing/x/y", "file/x"] {
            // A folder for a dump is made with those around it.
            if (option, path) != ("--dump", "missing/x/y") {
                let path = at(path);
                assert_refused(&["undecided.c", option, &path], " cannot be written: ");
            }
        }
        let is_folder = matches!(option, "--dump" | "--certificate");
        let other = if is_folder { at("file") } else { at("folder") };
        assert_refused(&["undecided.c", option, &other], " cannot be written: ");
        // A folder in which nobody can make a file, root included.
        let arguments = ["undecided.c", option, "/proc/self/x"];
        assert_refused(&arguments, "/proc/self/x cannot be written: ");
    }
    let both = at("a");
    let twice = ["property.c", "--sarif", &both, "--report", &both];
    assert_refused(&twice, "it is named for two things");
    assert_refused(
        &["property.c", "--report", "property.c"],
        "it is the program",
    );
    assert_eq!(std::fs::read_dir(at("folder")).expect("files").count(), 0);
    assert_eq!(std::fs::read_dir(folder.path()).expect("files").count(), 2);
}

/// An answer that is lost is told, and is no answer for who looks at the exit code alone.
#[test]
fn an_answer_on_a_full_disk_is_told() {
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a device")
    };
    for arguments in [
        &["property.c"][..],
        &["property.c", "--json"],
        &["library"],
        &["portfolio", "list"],
        &["manual"],
        &["--help"],
        &["cfa", "property.c"],
    ] {
        let output = regatta(arguments).stdout(full()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
        assert!(said.contains("No space left"), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
    for option in ["--witness", "--report", "--sarif"] {
        let output = output(&["property.c", option, "/dev/full"]);
        assert_eq!(result_line(&output), "RESULT: TRUE");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{option}: {said}");
        assert!(said.contains("/dev/full"), "{option}: {said}");
    }
    // Messages that are lost change nothing.
    let quiet = regatta(&["property.c", "-v"])
        .stderr(full())
        .output()
        .expect("it runs");
    assert_eq!(result_line(&quiet), "RESULT: TRUE");
    assert_eq!(quiet.status.code(), Some(0));
}

/// What is no C program is refused with what to do about it.
#[test]
fn other_inputs_are_refused_with_advice() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, text: &[u8]| {
        std::fs::write(at(name), text).expect("written");
        at(name)
    };
    let c: &[u8] = b"int main(void) { return 0; }\n";
    let table: &[(&str, &[u8], &str)] = &[
        ("a.cpp", c, "this is C++ by its name"),
        ("a.cc", c, "this is C++ by its name"),
        (
            "b.c",
            b"#include <iostream>\nint main() { return 0; }\n",
            "this looks like C++",
        ),
        (
            "c.c",
            b"class A { };\nint main() { return 0; }\n",
            "this looks like C++",
        ),
        (
            "compile_commands.json",
            b"[]",
            "a compilation database is given with -p",
        ),
        (
            "d.c",
            b"int f(void) { return 0; }\n",
            "verification begins in `main`",
        ),
        ("e.c", b"\x7fELF\x02\x01\x01\0", "this is compiled (ELF)"),
        ("f.o", b"", "give the C source"),
        ("g.c", b"\x1f\x8b\x08\0", "this is packed"),
        ("h.c", b"\xff\xfei\0n\0t\0", "iconv"),
        (
            "i.yml",
            b"- entry_type: invariant_set\n",
            "regatta validate",
        ),
        ("j.c", b"#include \"nowhere.h\"\n", "-I FOLDER"),
        ("k.prp", b"CHECK(", "--property"),
    ];
    for (name, text, message) in table {
        assert_refused(&[&write(name, text)], message);
    }
    assert_refused(&[&at("")], "this is a folder");
    assert_refused(
        &["property.c", "data_model.c"],
        "`main` is defined in two files",
    );
    assert_result(&[&write("l.i", c)], "RESULT: TRUE", 0);
}

/// Nothing that a source has in it is obeyed by a terminal.
#[test]
fn a_source_does_not_speak_to_the_terminal() {
    const ACTIVE: [&str; 6] = [
        "\u{1b}", "\u{7}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{7f}",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}\u{2066}\u{7f}";
    let head = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";
    for (number, (text, code)) in [
        (format!("int main(void) {{ return {hostile}; }}\n"), 3),
        (
            format!("#error {hostile}\nint main(void) {{ return 0; }}\n"),
            3,
        ),
        (
            format!("#line 7 \"{hostile}.c\"\nint main(void) {{ return x; }}\n"),
            3,
        ),
        (
            format!(
                "{head}#line 7 \"{hostile}.c\"\nint main(void) {{ char *s = \"{hostile}\"; \
                 int x = __VERIFIER_nondet_int(); if (x == 7) reach_error(); return s[0]; }}\n"
            ),
            1,
        ),
        (
            format!(
                "{head}int strange(int) __asm__(\"{hostile}\");\nint main(void) {{ \
                 __asm__ volatile (\"nop {hostile}\" : : : \"memory\"); \
                 if (strange(1) == 3) reach_error(); return 0; }}\n"
            ),
            2,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(format!("{hostile}{number}.c"));
        std::fs::write(&file, text).expect("written");
        let options: [&[&str]; 4] = [&[], &["-v"], &["--json"], &["-v", "--strict"]];
        for options in options {
            let output = regatta(options).arg(&file).output().expect("it runs");
            let said = [&output.stdout[..], &output.stderr].concat();
            let said = String::from_utf8(said).expect("UTF-8");
            // Behind assembly there may be an answer or none.
            if code < 2 || code == 3 {
                let is_strict = options.contains(&"--strict") && code != 3;
                let is_right = is_strict || output.status.code() == Some(code);
                assert!(is_right, "{number}: {said:?}");
            }
            for active in ACTIVE {
                assert!(!said.contains(active), "{number} {options:?}: {said:?}");
            }
        }
    }
}

/// What an answer was given under is told, and makes it no answer under `--strict`; what cannot be met is not told.
#[test]
fn an_answer_tells_what_it_was_given_under() {
    let assumed = |file: &str| {
        let output = output(&[file, "-v", "--checks", "assertions"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let assumed = said
            .lines()
            .filter_map(|line| line.split_once("assumed at "));
        assumed.map(|line| line.1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        assumed("ledger_proof.c"),
        [
            "ledger_proof.c:9:17: the allocation succeeds",
            "ledger_proof.c:12:17: signed `+` wraps around where it overflows",
            "ledger_proof.c:15:5: the shift is by less than the width",
        ]
    );
    // The run shows that the allocation can succeed, and that `n + 1` does not overflow.
    assert_eq!(assumed("ledger.c"), [] as [&str; 0]);
    let wraps = "ledger_overflow.c:11:9: signed `+` wraps around where it overflows";
    assert_eq!(assumed("ledger_overflow.c"), [wraps]);
    let proof = ["ledger_proof.c", "--checks", "assertions"];
    let strict = output(&[&proof[..], &["--strict"]].concat());
    assert_eq!(strict.status.code(), Some(2));
    assert_eq!(
        result_line(&strict),
        "RESULT: UNKNOWN(assumption at ledger_proof.c:9:17: the allocation succeeds; and 2 more)"
    );
    assert_result(&["property.c", "--strict"], "RESULT: TRUE", 0);
    let json = output(&[&proof[..], &["--json"]].concat());
    let events = String::from_utf8_lossy(&json.stdout).into_owned();
    assert!(events.contains(r#""kind":"malloc_succeeds""#), "{events}");
}

/// How much longer than its limit a run may take, at best of three: the machine may be busy.
const OVERSHOOT: Duration = Duration::from_millis(200);

fn assert_ends_in_time(folder: &Path, arguments: &[&str]) {
    const LIMIT: Duration = Duration::from_millis(400);
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let begin = Instant::now();
        let output = regatta(arguments)
            .args(["--time-limit", "0.4"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .expect("the command runs");
        best = best.min(begin.elapsed());
        assert_eq!(
            result_line(&output),
            "RESULT: UNKNOWN(time limit)",
            "{arguments:?}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        if best < LIMIT + OVERSHOOT {
            return;
        }
    }
    panic!("{arguments:?}: {best:?}");
}

/// Whatever is large or hangs before the analyses: the run ends in time.
#[test]
fn the_time_limit_holds_before_the_analyses_too() {
    use std::fmt::Write as _;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("a file");
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let end = "int main(void) { return 0; }\n";
    write("reads_a_pipe.c", &format!("#include \"pipe\"\n{end}"));
    let itself = "#include __FILE__\n".repeat(2);
    write("includes_itself.c", &format!("{itself}{end}"));
    let mut huge = String::new();
    for number in 0..300_000 {
        let _ = writeln!(huge, "int f{number}(int a) {{ return a + {number}; }}");
    }
    write("huge.i", &format!("{huge}{end}"));
    let list = (0..2_000_000).map(|number| format!("{number},"));
    let list: String = list.collect();
    write(
        "large.i",
        &format!("int a[2000000] = {{{list}}};\nint main(void) {{ return a[3]; }}\n"),
    );
    for arguments in [
        &["pipe"][..],
        &["reads_a_pipe.c"],
        &["includes_itself.c"],
        &["huge.i"],
        &["large.i"],
        &["--task", "pipe"],
        &["huge.i", "--property", "pipe"],
        &["huge.i", "--portfolio", "./pipe.toml"],
    ] {
        if arguments.contains(&"./pipe.toml") {
            std::fs::rename(at("pipe"), at("pipe.toml")).expect("renamed");
        }
        assert_ends_in_time(folder.path(), arguments);
    }
}

/// What `time` shows: the resource usage of the command and of what it has waited for.
#[test]
fn the_cpu_time_of_a_run_is_known_when_it_ends() {
    // `wait4` below waits for it.
    #[allow(clippy::zombie_processes)]
    let child = regatta(&["undecided.c", "--cpu-limit", "1", "--portfolio", "bmc"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let pid = i32::try_from(child.id()).expect("a process id");
    // SAFETY: both are written before they are read; nobody else waits for the process.
    let (ended, usage) = unsafe {
        let (mut status, mut usage) = (0, std::mem::zeroed::<libc::rusage>());
        (libc::wait4(pid, &mut status, 0, &mut usage), usage)
    };
    assert_eq!(ended, pid);
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let used = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    assert!((0.9..3.0).contains(&used), "{used} s");
}

/// With a second opinion, what is right stays right; without a second solver, too, and that is said.
#[test]
fn proofs_get_a_second_opinion() {
    for (solver, name) in [
        ("cvc5", "cvc5"),
        ("/nonexistent/solver", "no second solver"),
    ] {
        let program = "../engines/sum_to_bound.c";
        let output = regatta(&[program, "--check", "thorough", "--portfolio", "ki", "-v"])
            .env("REGATTA_SECOND_SOLVER", solver)
            .output()
            .expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(result_line(&output), "RESULT: TRUE", "{said}");
        let proof = said.lines().find(|line| line.contains("confirmed ("));
        let proof = proof.unwrap_or_else(|| panic!("{said}"));
        assert!(proof.contains("obligations: Z3 confirms"), "{proof}");
        // Where there is no cvc5, that is said.
        let names = [name, "no second solver"];
        assert!(names.iter().any(|name| proof.contains(name)), "{proof}");
    }
}

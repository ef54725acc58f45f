//! What other programs rely on: the version that BenchExec reads, completions, the manual, task definitions, and the way the
//! competition runs the command.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

fn regatta(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command runs")
}

/// Standard output of a command that succeeds and has nothing to complain of.
fn text(arguments: &[&str]) -> String {
    let output = regatta(Path::new(TESTS), arguments);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaints}");
    assert_eq!(complaints, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("standard output is UTF-8")
}

fn names_in(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<OsString> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    names
}

#[test]
fn the_version_is_alone_in_the_first_line() {
    let version = text(&["--version"]);
    let mut lines = version.lines();
    let number = lines.next().and_then(|line| line.strip_prefix("regatta "));
    assert_eq!(number, Some(env!("CARGO_PKG_VERSION")));
    let solvers = lines.next().expect("the solvers");
    assert!(solvers.contains("Z3 5."), "{version}");
    assert_eq!(
        solvers.contains("Yices 2."),
        regatta::solver::HAS_YICES2,
        "{version}"
    );
    assert_eq!(
        solvers.contains("Bitwuzla 0."),
        regatta::solver::HAS_BITWUZLA,
        "{version}"
    );
    assert_eq!(text(&["-V"]).lines().count(), 1);
}

#[test]
fn every_shell_completes_commands_options_and_portfolios() {
    // The last two complete no values.
    for (shell, syntax_check, has_values) in [
        ("bash", Some("bash"), true),
        ("zsh", Some("zsh"), true),
        ("fish", Some("fish"), true),
        ("elvish", None, false),
        ("powershell", None, false),
    ] {
        let script = text(&["completions", shell]);
        for word in ["validate", "witness", "cpu-limit"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert_eq!(script.contains("ki-df-kipdr"), has_values, "{shell}");
        let Some(program) = syntax_check else {
            continue;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("script");
        std::fs::write(&file, &script).expect("written");
        // Only where the shell is installed.
        if let Ok(checked) = Command::new(program).arg("-n").arg(&file).output() {
            assert!(checked.status.success(), "{shell}: {checked:?}");
        }
    }
    let refused = regatta(Path::new(TESTS), &["completions", "cmd"]);
    assert_eq!(refused.status.code(), Some(3));
}

/// In bash, which is where the tests run: without a command, the options of `verify` are completed.
#[test]
fn bash_completes_the_command_that_need_not_be_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script");
    std::fs::write(&script, text(&["completions", "bash"])).expect("written");
    let complete = |words: &str, position: usize| {
        let ask = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={position}; \
             _regatta regatta \"${{COMP_WORDS[{position}]}}\" \"${{COMP_WORDS[{position} - 1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let output = Command::new("bash").args(["-c", &ask]).output();
        String::from_utf8(output.expect("bash runs").stdout).expect("UTF-8")
    };
    assert_eq!(complete("regatta --harn", 1).trim(), "--harness");
    assert_eq!(complete("regatta val", 1).trim(), "validate");
    assert_eq!(complete("regatta --portfolio svc", 2).trim(), "svcomp");
    assert_eq!(
        complete("regatta verify --data-model IL", 3).trim(),
        "ILP32"
    );
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("new/man1");
    text(&["manual", "--out", pages.to_str().expect("UTF-8")]);
    let names = names_in(&pages);
    for name in [
        "regatta.1",
        "regatta-verify.1",
        "regatta-witness-lint.1",
        "regatta-manual.1",
    ] {
        assert!(names.contains(&name.into()), "{name} in {names:?}");
    }
    let first = std::fs::read_to_string(pages.join("regatta.1")).expect("a page");
    assert_eq!(first, text(&["manual"]));
    let parts = [
        ".TH \"regatta\" \"1\" \"\" \"Regatta ",
        "regatta \\- A parallel portfolio verifier for C",
        ".SH \"EXIT STATUS\"",
        "\\-\\-cpu\\-limit",
        "regatta\\-validate(1)",
    ];
    for part in parts {
        assert!(first.contains(part), "{part} in {first}");
    }
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").expect("written");
    let refused = regatta(folder.path(), &["manual", "--out", "file/below"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("error: file/below: "));
}

#[test]
fn a_task_definition_can_be_given_like_a_program() {
    let folder = Path::new(TESTS).join("command");
    let code = |arguments: &[&str]| regatta(&folder, arguments).status.code();
    assert_eq!(code(&["task.yml"]), Some(1));
    assert_eq!(
        code(&["verify", "task.yml", "--data-model", "LP64"]),
        Some(0)
    );
    let missing = regatta(&folder, &["missing.yml"]);
    assert_eq!(missing.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("missing.yml"));
}

/// A folder with a program that violates the property, one for which it holds, and the property.
fn competition_task() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write(
        "unreach-call.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    let program = |step: &str| {
        format!(
            "#include <limits.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\n\
             int main(void) {{\n  unsigned n = __VERIFIER_nondet_uint(), i = 0;\n  \
             while (i < n) {step};\n  if (i > n) reach_error();\n  return 0;\n}}\n"
        )
    };
    write("holds.c", &program("i++"));
    write("violated.c", &program("i += 2"));
    folder
}

#[test]
fn the_competition_gets_a_witness_and_nothing_else() {
    let task = competition_task();
    for (program, result, code) in [
        ("holds.c", "RESULT: TRUE\n", 0),
        ("violated.c", "RESULT: FALSE(unreach-call)\n", 1),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let temporary = tempfile::tempdir().expect("a folder");
        let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
            .args([
                "--portfolio",
                "svcomp",
                "--witness",
                "witness.yml",
                "--data-model",
                "ILP32",
            ])
            .args([
                "--cpu-limit",
                "60",
                "--memory-limit",
                "4000",
                "--threads",
                "2",
                "--property",
            ])
            .arg(task.path().join("unreach-call.prp"))
            .arg(task.path().join(program))
            .current_dir(folder.path())
            .env("TMPDIR", temporary.path())
            .output()
            .expect("the command runs");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            result,
            "{output:?}"
        );
        assert_eq!(output.status.code(), Some(code), "{program}");
        assert_eq!(names_in(folder.path()), ["witness.yml"], "{program}");
        assert_eq!(names_in(task.path()).len(), 3, "{program}");
        // A header for 32 bits that the machine may lack is kept for the user.
        let mut left = names_in(temporary.path());
        left.retain(|name| !name.to_string_lossy().starts_with("regatta-"));
        assert_eq!(left, <[&str; 0]>::default(), "{program}");
    }
}

/// Without an answer there is no witness, and no part of one.
#[test]
fn without_an_answer_there_is_no_witness() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(TESTS).join("command/undecided.c");
    let program = program.to_str().expect("UTF-8");
    let output = regatta(
        folder.path(),
        &[
            "--portfolio",
            "svcomp",
            "--witness",
            "witness.yml",
            "--cpu-limit",
            "1",
            program,
        ],
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(names_in(folder.path()), <[&str; 0]>::default());
}

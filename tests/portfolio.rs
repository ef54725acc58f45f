//! Portfolio files from outside: messages and exit codes, `regatta portfolio`, the progress display.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn regatta(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// A folder with the portfolio file `p.toml`.
fn folder_with(portfolio: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.toml"), portfolio).expect("written");
    folder
}

fn program(name: &str) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    folder.join(name).display().to_string()
}

const BMC: &str = "[[analysis]]\nengine = \"bmc\"\n";

/// What follows `BMC` in a file (or the whole file after a `!`), how the message begins, and what its help has.
const MISTAKES: &[(&str, &str, &str)] = &[
    // Values.
    (
        "!sharing = \"of\"\n",
        "1:11: portfolio: `sharing` is \"on\" or \"off\", not \"of\"",
        "did you mean \"off\"?",
    ),
    (
        "max_bound = -3\n",
        "3:13: portfolio: `max_bound` is a whole number, or \"unlimited\", not -3",
        "",
    ),
    ("max_bound = 1.5\n", "3:13: portfolio: `max_bound` is", ""),
    (
        "[[analysis]]\nengine = \"predicate\"\nrefinement = \"none\"\n",
        "4:10: portfolio: without `refinement`, the first counterexample",
        "",
    ),
    (
        "role = \"profer\"\n",
        "3:8: portfolio: `role` is \"prover\" or \"generator\"",
        "did you mean \"prover\"?",
    ),
    (
        "max_bound = \"unlimitted\"\n",
        "3:13: portfolio: `max_bound` is",
        "did you mean \"unlimited\"?",
    ),
    (
        "priority = 0\n",
        "3:12: portfolio: `priority` is a whole number from 1 to 100, not 0",
        "",
    ),
    ("name = 3\n", "3:8: portfolio: `name` is a text", ""),
    (
        "solver = \"yices\"\n",
        "3:10: portfolio: `solver` is \"z3\", \"yices2\" or \"bitwuzla\", not \"yices\"",
        "did you mean \"yices2\"?",
    ),
    (
        "[schedule]\ngrowth = \"fast\"\n",
        "4:10: portfolio: `growth` is a number from 1.0 to 100.0, not \"fast\"",
        "",
    ),
    (
        "[schedule]\nfirst_slice = 0\n",
        "4:15: portfolio: `first_slice` is a number of seconds from 0.001 to 3600, not 0",
        "",
    ),
    (
        "[[analysis]]\nengine = \"simulation\"\ntime = -1\n",
        "5:8: portfolio: `time` is a number of seconds, not -1",
        "",
    ),
    (
        "[[analysis]]\nengine = \"data_flow\"\nrounds = [\"values\", \"pears\"]\n",
        "5:10: portfolio: `rounds` is a list whose members are \"intervals\",",
        "",
    ),
    // What was a round of an engine and is an engine now.
    (
        "[[analysis]]\nengine = \"data_flow\"\nrounds = [\"states\"]\n",
        "5:10: portfolio: `data_flow` no longer has `rounds` with this value",
        "`engine = \"states\"`",
    ),
    (
        "[[analysis]]\nengine = \"data_flow\"\nprograms = \"products\"\n",
        "5:12: portfolio: `data_flow` no longer has `programs` with this value",
        "`engine = \"polynomials\"`",
    ),
    (
        "[[analysis]]\nengine = \"states\"\nstates = 10.0\n",
        "5:10: portfolio: `states` no longer has `states` with this value",
        "its name is `time`",
    ),
    (
        "[[analysis]]\nengine = \"spacer\"\nabstraction = \"variable\"\n",
        "5:15: portfolio: `abstraction` is \"constraints\" or \"variables\", not \"variable\"",
        "did you mean \"variables\"?",
    ),
    (
        "[[analysis]]\nengine = \"impact\"\npath_invariants_by = \"kipd\"\n",
        "5:22: portfolio: `path_invariants_by` is \"data-flow\" or \"kipdr\", not \"kipd\"",
        "did you mean \"kipdr\"?",
    ),
    // Keys.
    (
        "!shering = \"off\"\n",
        "1:1: portfolio: unknown key `shering`; there are schedule, analysis, opening, description, sharing",
        "did you mean `sharing`?",
    ),
    (
        "max_bond = 3\n",
        "3:1: portfolio: unknown key `max_bond`",
        "did you mean `max_bound`?",
    ),
    (
        "[schedule]\nfirst_slise = 1\n",
        "4:1: portfolio: unknown key `first_slise`",
        "did you mean `first_slice`?",
    ),
    (
        "[shedule]\n",
        "3:2: portfolio: unknown key `shedule`",
        "did you mean `schedule`?",
    ),
    (
        "[[analysis]]\nengine = \"simulation\"\nsolver = \"z3\"\n",
        "5:1: portfolio: unknown key `solver`",
        "",
    ),
    (
        "name = \"first\"\n[[analysis]]\nengine = \"k_induction\"\nafter = \"frist\"\n",
        "6:9: portfolio: no analysis `frist` before this one; there are first",
        "did you mean `first`?",
    ),
    (
        "after = \"bmc\"\n",
        "3:9: portfolio: no analysis `bmc` before this one",
        "",
    ),
    (
        "[[analysis]]\nengine = \"k_induction\"\nproperty_directed = \"yes\"\n",
        "5:21: portfolio: `property_directed` is true or false, not \"yes\"",
        "",
    ),
    // Only the first is told.
    (
        "zzz = 1\naaa = 2\n",
        "3:1: portfolio: unknown key `zzz`",
        "",
    ),
    // Engines.
    (
        "![[analysis]]\nengine = \"bcm\"\n",
        "2:10: portfolio: there is no engine \"bcm\"; there are simulation, exhaustive, bmc",
        "did you mean `bmc`?",
    ),
    (
        "![[analysis]]\nengine = 3\n",
        "2:10: portfolio: there is no engine 3",
        "",
    ),
    (
        "![[analysis]]\nname = \"x\"\n",
        "1:1: portfolio: an analysis without an `engine`",
        "the engines are simulation, exhaustive",
    ),
    // The form.
    (
        "![analysis]\nengine = \"bmc\"\n",
        "1:2: portfolio: an analysis begins with `[[analysis]]`",
        "",
    ),
    (
        "!analysis = [3]\n",
        "1:1: portfolio: a table is expected",
        "",
    ),
    ("!schedule = 3\n", "1:1: portfolio: a table is expected", ""),
    (
        "!sharing = \"on\"\n",
        "2:1: portfolio: no `[[analysis]]`",
        "",
    ),
    ("engine = \"bmc\"\n", "3:1: portfolio: duplicate key", ""),
    ("max_bound = = 3\n", "3:13: portfolio: ", ""),
    // What does not go together.
    (
        BMC,
        "3:1: portfolio: there is an analysis `bmc` already",
        "a `name` of its own",
    ),
    (
        "solver = \"yices2\"\nencoding = \"integer\"\n",
        "4:12: portfolio: yices2 has no integer encoding",
        "`solver = \"z3\"`",
    ),
    (
        "solver = \"bitwuzla\"\nencoding = \"integer\"\n",
        "4:12: portfolio: bitwuzla has no integer encoding",
        "`solver = \"z3\"`",
    ),
];

#[test]
fn mistakes_are_told_with_their_place() {
    let verified = program("command/property.c");
    for (rest, message, help) in MISTAKES {
        let portfolio = match rest.strip_prefix('!') {
            Some(whole) => whole.to_owned(),
            None => format!("{BMC}{rest}"),
        };
        let folder = folder_with(&portfolio);
        for arguments in [
            &["--portfolio", "p.toml", &verified][..],
            &["portfolio", "explain", "p.toml"],
        ] {
            let output = regatta(folder.path(), arguments);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{portfolio}{said}");
            assert_eq!(text(&output.stdout), "", "{portfolio}");
            assert!(
                said.starts_with(&format!("p.toml:{message}")),
                "{portfolio}{said}"
            );
            assert!(
                said.contains(help) && said.contains('^'),
                "{portfolio}{said}"
            );
        }
    }
}

#[test]
fn portfolios_that_are_not_there() {
    let folder = folder_with(BMC);
    let verified = program("command/property.c");
    for (name, message) in [
        ("defualt", "did you mean `default`?"),
        ("nothing", "there are default, svcomp, simulate"),
        ("other.toml", "other.toml: cannot read: "),
        ("./p", "./p: cannot read: "),
        (".//", "cannot read: "),
    ] {
        let output = regatta(folder.path(), &["--portfolio", name, &verified]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(
            output.stdout.is_empty() && said.contains(message),
            "{name}: {said}"
        );
    }
}

#[test]
fn what_explain_prints_is_a_portfolio_file() {
    let list = regatta(Path::new("."), &["portfolio", "list"]);
    assert_eq!(list.status.code(), Some(0));
    let list = text(&list.stdout);
    let names: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        names.contains(&"default") && names.contains(&"svcomp"),
        "{list}"
    );
    for name in names {
        let explained = regatta(Path::new("."), &["portfolio", "explain", name]);
        assert_eq!(explained.status.code(), Some(0), "{name}");
        let folder = folder_with(&text(&explained.stdout));
        let again = regatta(folder.path(), &["portfolio", "explain", "p.toml"]);
        assert_eq!(text(&again.stdout), text(&explained.stdout), "{name}");
    }
}

#[test]
fn what_one_analysis_proves_helps_another() {
    for (sharing, proved) in [("on", true), ("off", false)] {
        let folder = folder_with(&format!(
            "sharing = \"{sharing}\"\n[[analysis]]\nengine = \"k_induction\"\n\
             [[analysis]]\nengine = \"data_flow\"\nrounds = [\"equalities\"]\n"
        ));
        let limit = if proved { "60" } else { "3" };
        let arguments = ["-v", "--time-limit", limit, "--portfolio", "p.toml"];
        let verified = program("command/squares.c");
        let output = regatta(folder.path(), &[&arguments[..], &[&verified]].concat());
        let said = text(&output.stderr);
        let relied = said.contains("invariants of data_flow");
        assert_eq!(
            output.status.code(),
            Some(if proved { 0 } else { 2 }),
            "{said}"
        );
        assert_eq!(relied, proved, "{said}");
    }
}

#[test]
fn a_generator_gives_and_does_not_answer() {
    let data_flow = "[[analysis]]\nengine = \"data_flow\"\n";
    let bmc = "[[analysis]]\nengine = \"bmc\"\nmax_bound = 3\n";
    for (role, code) in [("prover", 0), ("generator", 2)] {
        let folder = folder_with(&format!(
            "closing_check = \"off\"\n{data_flow}role = \"{role}\"\n{bmc}"
        ));
        let verified = program("engines/even_steps.c");
        let checks = ["--checks", "assertions"];
        let arguments = ["--time-limit", "60", "--portfolio", "p.toml", &verified];
        let output = regatta(folder.path(), &[&checks[..], &arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
        // When no prover is left, the race is over.
        assert!(!text(&output.stdout).contains("time limit"));
    }
}

/// A portfolio in which nobody but the prover may answer.
const GENERATOR: &str = "[[analysis]]\nengine = \"data_flow\"\nrole = \"generator\"\n";

#[test]
fn the_prover_answers_if_the_shared_invariants_exclude_the_target() {
    let folder = folder_with(GENERATOR);
    let arguments = ["-v", "--checks", "assertions", "--portfolio", "p.toml"];
    for (file, code) in [
        ("even_steps.c", 0),
        ("integer_double_counter.c", 0),
        // The invariants exclude no violation that there is.
        ("early_exits_missed.c", 2),
        ("deep_ten.c", 2),
    ] {
        let file = program(&format!("engines/{file}"));
        let limits = ["--time-limit", "60", &file];
        let output = regatta(folder.path(), &[&arguments[..], &limits].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{file}: {said}");
        assert_eq!(said.contains("answered by prover"), code == 0, "{said}");
        if code == 0 {
            assert!(said.contains("proof of prover: confirmed"), "{said}");
            assert!(said.contains("prover: relies on"), "{said}");
            assert!(said.contains("closed_targets 1"), "{said}");
        }
        // The race is over when the generator and what it has left to the prover are.
        assert!(!text(&output.stdout).contains("time limit"), "{file}");
    }
}

#[test]
fn the_prover_excludes_those_of_several_targets_that_the_invariants_exclude() {
    let folder = folder_with(GENERATOR);
    let file = folder.path().join("several.c");
    let text_of_file = "#include <assert.h>
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned x = 0, y = 0;
            while (__VERIFIER_nondet_uint()) { x += 2; y += 2; }
            assert(x == y);
            assert(x % 2 == 0);
            assert(x != 77000);
            return 0;
        }";
    std::fs::write(&file, text_of_file).expect("written");
    let file = file.display().to_string();
    let arguments = ["-v", "--checks", "assertions", "--portfolio", "p.toml"];
    let limits = ["--time-limit", "60", &file];
    let output = regatta(folder.path(), &[&arguments[..], &limits].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("closed_targets 2"), "{said}");
    assert!(said.contains("prover: 2 checks are excluded"), "{said}");
}

#[test]
fn a_file_says_what_runs() {
    // A violation that needs thirty rounds of a loop: found or not, as the bound has it.
    let deep = program("engines/deep_ten.c");
    for (bound, code) in [("3", 2), ("\"unlimited\"", 1)] {
        let folder = folder_with(&format!("{BMC}max_bound = {bound}\n"));
        let arguments = ["--portfolio", "p.toml", "--time-limit", "100", &deep];
        let output = regatta(folder.path(), &arguments);
        let result = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{bound}: {result}");
        let said = text(&output.stderr);
        assert!(
            !said.contains('\u{1b}'),
            "no progress where nobody looks: {said}"
        );
    }
}

/// One core for all: each has its turn.
#[test]
fn one_thread_is_enough() {
    for (file, code) in [("rotation_of_three.c", 0), ("deep_ten.c", 1)] {
        let file = program(&format!("engines/{file}"));
        let arguments = ["--threads", "1", "--time-limit", "200", &file];
        let output = regatta(Path::new("."), &arguments);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
    }
}

/// With a terminal for standard error, which `script` makes.
#[test]
fn progress_is_drawn_on_a_terminal_and_leaves_the_result_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = format!(
        "'{}' --time-limit 2 --portfolio bmc '{}' > result",
        env!("CARGO_BIN_EXE_regatta"),
        program("command/undecided.c")
    );
    let script = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "typescript"])
        .current_dir(folder.path())
        .output();
    let Ok(output) = script else {
        return eprintln!("no `script` (package bsdutils): skipped");
    };
    let result = std::fs::read_to_string(folder.path().join("result")).expect("the result");
    assert!(result.starts_with("RESULT: UNKNOWN("), "{result}");
    assert_eq!(result.lines().count(), 1);
    assert_eq!(output.status.code(), Some(2));
    let drawn = std::fs::read(folder.path().join("typescript")).expect("what was drawn");
    let drawn = String::from_utf8_lossy(&drawn);
    assert!(
        drawn.contains("bmc  runs, bound") && drawn.contains("MiB"),
        "{drawn}"
    );
}

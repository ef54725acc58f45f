//! Certificates: what `--certificate` writes is confirmed by a solver that is none of ours (cvc5, where it is there).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Proofs of different kinds: the program in `tests/engines`, and who is to prove it.
const PROOFS: &[(&str, &str)] = &[
    ("counter_to_ten", "bmc"),
    ("nested_product", "bmc"),
    ("error_behind_infinite_loop", "bmc"),
    ("recursion_fibonacci", "bmc"),
    ("switch_machine", "bmc"),
    ("lock_protocol", "ki"),
    ("shift_register_of_two", "ki"),
    ("even_steps", "ki"),
    ("residue_unsigned", "ki"),
    ("function_pointer_table", "ki"),
    ("goto_into_loop", "ki-df"),
    ("two_counters_free_exit", "ki-df"),
    ("error_behind_odd_exit", "df"),
    ("rotation_of_three", "kipdr"),
    ("lock_protocol", "spacer"),
    ("switch_machine", "ctigar"),
    ("even_steps", "predicate-abstraction"),
    ("two_counters_free_exit", "impact"),
    ("array_cells_by_index", "default"),
    ("recursion_identity", "default"),
    ("array_cells_bounded", "default"),
    ("recursion_parity", "horn"),
    ("struct_copies", "default"),
    ("array_sort_three", "default"),
];

fn regatta(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    command.args(arguments).output().expect("the command runs")
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Has the proof of a program written; the index's text, or `None` if there was no proof.
fn certified(program: &str, portfolio: &str, folder: &Path) -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/engines/{program}.c"));
    let path = |path: &Path| path.display().to_string();
    let (file, certificate) = (path(&file), path(folder));
    let checks = ["--checks", "assertions"];
    let options = ["--time-limit", "60", "--portfolio", portfolio];
    let certificate = ["--certificate", &certificate, &file];
    let arguments = [&options[..], &checks, &certificate].concat();
    let output = regatta(&arguments);
    if output.status.code() == Some(2) {
        assert!(!folder.exists(), "{program}: a folder without a proof");
        return None;
    }
    let text = said(&output);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{program} {portfolio}: {text}"
    );
    assert!(
        !text.contains("no certificate"),
        "{program} {portfolio}: {text}"
    );
    let index = std::fs::read_to_string(folder.join("index.txt"));
    Some(index.unwrap_or_else(|error| panic!("{program} {portfolio}: {error}: {text}")))
}

/// The files that an index names.
fn files_of(index: &str) -> Vec<String> {
    let lines = index
        .lines()
        .filter_map(|line| line.trim().split_once(": "));
    let names = lines.map(|(name, _)| name.to_owned());
    names.filter(|name| name.ends_with(".smt2")).collect()
}

fn solver() -> Option<PathBuf> {
    let mut command = Command::new("cvc5");
    let is_there = command
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    is_there.then(|| "cvc5".into())
}

/// What the solver says to a file.
fn ask(solver: &Path, file: &Path) -> String {
    let mut command = Command::new(solver);
    let output = command.args(["--tlimit", "20000"]).arg(file).output();
    said(&output.expect("the solver runs")).trim().to_owned()
}

#[test]
fn another_solver_confirms_proofs() {
    let Some(solver) = solver() else {
        eprintln!("skipped: cvc5 is not there");
        return;
    };
    let (mut proofs, mut confirmed, mut open) = (0, 0, Vec::new());
    for (program, portfolio) in PROOFS {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("certificate");
        let Some(index) = certified(program, portfolio, &folder) else {
            eprintln!("{program} {portfolio}: no proof");
            continue;
        };
        proofs += 1;
        let named = files_of(&index);
        let mut present: Vec<String> = std::fs::read_dir(&folder)
            .expect("the folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter(|name| name.ends_with(".smt2"))
            .collect();
        present.sort();
        assert_eq!(named, present, "{program} {portfolio}: the index");
        for name in named {
            match ask(&solver, &folder.join(&name)).as_str() {
                "unsat" => confirmed += 1,
                "sat" => panic!("{program} {portfolio}: {name} is satisfiable\n{index}"),
                other => open.push(format!("{program} {portfolio} {name}: {other}")),
            }
        }
    }
    eprintln!(
        "{proofs} proofs: cvc5 confirms {confirmed} files, {} are open",
        open.len()
    );
    for one in &open {
        eprintln!("    {one}");
    }
    assert!(proofs >= 18, "only {proofs} of the proofs were found");
    assert!(open.len() * 20 <= confirmed, "too much is open: {open:#?}");
}

/// A wrong condition would be seen: each file has parts without which it has a model.
#[test]
fn conditions_are_not_trivially_unsatisfiable() {
    let Some(solver) = solver() else {
        eprintln!("skipped: cvc5 is not there");
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("certificate");
    let index = certified("lock_protocol", "ki", &folder).expect("a proof");
    let mut files = files_of(&index);
    files.retain(|name| name.contains("condition"));
    assert!(!files.is_empty(), "{index}");
    for name in files {
        let text = std::fs::read_to_string(folder.join(&name)).expect("a file");
        let text = text.replace("(set-info :status unsat)\n", "");
        let (before, rest) = text.split_once("(assert (and ").expect("a conjunction");
        let (conjunction, after) = rest.split_once("))\n").expect("its end");
        let parts = top_level(conjunction);
        assert!(parts.len() > 1, "{text}");
        let needed = (0..parts.len()).filter(|&gone| {
            let mut kept = parts.clone();
            kept.remove(gone);
            let weaker = format!("{before}(assert (and {} true))\n{after}", kept.join(" "));
            let file = place.path().join("without.smt2");
            std::fs::write(&file, weaker).expect("a file");
            ask(&solver, &file) == "sat"
        });
        assert!(needed.count() > 0, "{text}");
    }
}

/// The terms of a text that are in no other one. Names have no parentheses of their own but in pairs.
fn top_level(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    let mut is_quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '|' => is_quoted = !is_quoted,
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 && !is_quoted => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[test]
fn a_folder_that_is_not_empty_is_left_alone() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("mine"), "").expect("a file");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/counter_to_ten.c");
    let folder = place.path().display().to_string();
    let output = regatta(&["--certificate", &folder, &file.display().to_string()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("the folder is not empty"));
    assert_eq!(
        std::fs::read_dir(place.path()).expect("the folder").count(),
        1
    );
}

#[test]
fn without_a_proof_there_is_no_folder() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("certificate");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/deep_ten.c");
    let arguments = [
        "--certificate",
        &folder.display().to_string(),
        &file.display().to_string(),
    ];
    let output = regatta(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(!folder.exists());
    let rest = std::fs::read_dir(place.path()).expect("the folder");
    assert_eq!(rest.count(), 0, "nothing is left aside");
}

//! What can be proved and what can happen, by rules of C and of the environment: small programs with the verdict that
//! the standard decides.
//!
//! A file of `tests/verdicts` has many: each begins with a line `=== VERDICT [OPTION …]: what it shows`, where an option
//! is a data model or one of the command's, and `FALSE` may name the property that is violated. Assertions are checked if no
//! option says what is. `reach_error` is declared for all. `REGATTA_TEST=TEXT` chooses those whose `FILE: what it shows` has the
//! text.

mod pattern;

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// Seconds for each; the machine may be busy.
const TIME_LIMIT: &str = "60";

/// Seconds for one that is to stay open: what goes on for ever takes all of them. It gets more if the variable of the
/// environment is set (`scripts/check-thoroughly.sh`).
const TIME_LIMIT_OF_OPEN: &str = "2";
const LONG_TIME_LIMIT_OF_OPEN: &str = "20";
const ALL: &str = "REGATTA_CHECK_ALL";

struct Case {
    file: String,
    verdict: String,
    options: Vec<String>,
    what: String,
    program: String,
}

impl Case {
    fn parse(file: &str, text: &str) -> Self {
        let (head, program) = text.split_once('\n').expect("a program");
        let (options, what) = head.split_once(": ").expect("`VERDICT: what it shows`");
        let mut options = options.split_whitespace();
        let verdict = options.next().expect("a verdict").to_owned();
        let kind = verdict.split('(').next().unwrap_or_default();
        assert!(
            ["TRUE", "FALSE", "UNKNOWN"].contains(&kind),
            "{file}: {head}"
        );
        let options = options.flat_map(|option| match option {
            "ILP32" | "LP64" => vec!["--data-model".to_owned(), option.to_owned()],
            other => vec![other.to_owned()],
        });
        let mut options: Vec<String> = options.collect();
        // What can happen includes what functions without a body may do.
        if !options
            .iter()
            .any(|option| option.starts_with("--unknown-calls"))
        {
            options.push("--unknown-calls=havoc".to_owned());
        }
        let chooses =
            |option: &String| option.starts_with("--checks") || option.starts_with("--property");
        if !options.iter().any(chooses) {
            options.push("--checks=assertions".to_owned());
        }
        Self {
            file: file.to_owned(),
            verdict,
            options,
            what: what.to_owned(),
            program: format!("extern void reach_error(void);\n{program}"),
        }
    }

    /// What is wrong with the answer, if anything is.
    fn complaint(&self, path: &Path) -> Option<Complaint> {
        std::fs::write(path, &self.program).expect("the program is written");
        let limit = match &*self.verdict {
            "UNKNOWN" if std::env::var_os(ALL).is_some() => LONG_TIME_LIMIT_OF_OPEN,
            "UNKNOWN" => TIME_LIMIT_OF_OPEN,
            _ => TIME_LIMIT,
        };
        let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
            .args(["verify", "--time-limit", limit])
            .args(&self.options)
            .arg(path)
            .output()
            .expect("the command runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let answer = text.lines().last().unwrap_or_default();
        let expected = format!("RESULT: {}", self.verdict);
        let complained = String::from_utf8_lossy(&output.stderr);
        let has_failed = complained.contains("internal error");
        let wrong = !answer.starts_with(&expected) || has_failed;
        wrong.then(|| Complaint {
            is_unknown: answer.starts_with("RESULT: UNKNOWN") && !has_failed,
            text: format!(
                "{}: {}: expected {}, got {answer}\n{complained}{}",
                self.file, self.what, self.verdict, self.program
            ),
        })
    }
}

/// An answer that is not the expected one.
struct Complaint {
    /// There is no answer: on a busy machine some questions to solvers get less done in their time.
    is_unknown: bool,
    text: String,
}

#[test]
fn verdicts_are_those_of_the_standard() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cases"))
        .collect();
    files.sort();
    let cases: Vec<Case> = files
        .iter()
        .flat_map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(path).expect("the cases can be read");
            let cases = text.split("\n=== ").skip(1);
            cases
                .map(|case| Case::parse(&name, case))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(cases.len() >= 70, "only {} cases", cases.len());
    let work = tempfile::tempdir().expect("a folder for programs");
    let path = |number: usize| work.path().join(format!("{number}.c"));
    let complaints: Vec<(usize, Complaint)> = cases
        .par_iter()
        .enumerate()
        .filter(|(_, case)| pattern::is_chosen(&format!("{}: {}", case.file, case.what)))
        .filter_map(|(number, case)| Some((number, case.complaint(&path(number))?)))
        .collect();
    // What was not answered beside others is asked again alone.
    let again = |(number, complaint): (usize, Complaint)| match complaint.is_unknown {
        true => cases[number].complaint(&path(number)),
        false => Some(complaint),
    };
    let complaints = complaints.into_iter().filter_map(again);
    let complaints: Vec<String> = complaints.map(|complaint| complaint.text).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Each item of C11's Annex J.2 stands in the book's list, and those that a check looks at have a case there.
#[test]
fn every_undefined_behaviour_is_checked_or_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the file can be read");
    let (list, cases) = (
        read("docs/src/undefined.md"),
        read("tests/verdicts/annex_j.cases"),
    );
    let cases: Vec<Case> = cases
        .split("\n=== ")
        .skip(1)
        .map(|case| Case::parse("annex_j.cases", case))
        .collect();
    let rows = list.lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split(" | ");
        let number: usize = cells.next()?.trim().parse().ok()?;
        Some((number, cells.last()?.trim()))
    });
    let rows: Vec<(usize, &str)> = rows.collect();
    let numbers: Vec<usize> = rows.iter().map(|row| row.0).collect();
    assert_eq!(numbers, (1..=203).collect::<Vec<usize>>());
    let mut looked_at = 0;
    for (number, what) in rows {
        let own = |case: &&Case| case.what.starts_with(&format!("{number}: "));
        let case = cases.iter().find(own);
        let Some((check, rest)) = what.strip_prefix('`').and_then(|what| what.split_once('`'))
        else {
            assert!(case.is_none(), "item {number} has a case, but no check");
            continue;
        };
        looked_at += 1;
        let case = case.unwrap_or_else(|| panic!("item {number} has no case"));
        let verdict = match rest.contains("UNKNOWN") {
            true => "UNKNOWN",
            false => "FALSE",
        };
        assert!(case.verdict.starts_with(verdict), "item {number}");
        let mut options = case.options.iter();
        assert!(
            options.any(|option| option.contains(check)),
            "item {number}"
        );
    }
    assert_eq!(looked_at, cases.len());
}

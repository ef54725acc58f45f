//! What the command says to inputs that it must refuse: `tests/errors/expected.tsv`, explained beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// A line of the table.
struct Expected<'t> {
    file: &'t str,
    /// `file:line:column:`, `file:line:`, or nothing.
    place: Option<String>,
    message: &'t str,
    exit: i32,
    arguments: Vec<&'t str>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

fn read_line(line: &str) -> Expected<'_> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [file, row, column, message, exit, arguments] = columns.as_slice() else {
        panic!("expected.tsv: six columns, not {}: {line}", columns.len());
    };
    let place = match (*row, *column) {
        ("-", _) => None,
        (row, "-") => Some(format!("{file}:{row}:")),
        (row, column) => Some(format!("{file}:{row}:{column}")),
    };
    Expected {
        file,
        place,
        message,
        exit: exit.parse().expect("expected.tsv: an exit code"),
        arguments: arguments.split_whitespace().collect(),
    }
}

/// What is not as the table has it.
fn check(expected: &Expected<'_>) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .arg(expected.file)
        .args(&expected.arguments)
        // Only for those that are no error; the others end at once.
        .args(match expected.arguments.contains(&"--time-limit") {
            true => &[][..],
            false => &["--time-limit", "60"][..],
        })
        .current_dir(folder())
        .output()
        .map_err(|error| error.to_string())?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let said = format!("{stderr}{stdout}");
    let mut wrong = Vec::new();
    if output.status.code() != Some(expected.exit) {
        wrong.push(format!(
            "exit code {:?}, not {}",
            output.status.code(),
            expected.exit
        ));
    }
    if said.contains("panicked") {
        wrong.push("a panic".into());
    }
    if let Some(place) = &expected.place
        && !said.split_whitespace().any(|word| {
            word.trim_start_matches("./")
                .strip_prefix(place.as_str())
                .is_some_and(|rest| {
                    place.ends_with(':') || !rest.starts_with(|c: char| c.is_ascii_digit())
                })
        })
    {
        wrong.push(format!("no `{place}`"));
    }
    // The names of the files tell what the error is, too.
    let message = match expected.place {
        Some(_) => said.replace(expected.file, ""),
        None => said.clone(),
    };
    if !message.contains(expected.message) {
        wrong.push(format!("no `{}`", expected.message));
    }
    let results = stdout
        .lines()
        .filter(|line| line.starts_with("RESULT: "))
        .count();
    if results != usize::from(expected.exit != 3) {
        wrong.push(format!("{results} RESULT lines"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} {}: {}; it says: {}",
        expected.file,
        expected.arguments.join(" "),
        wrong.join(", "),
        said.trim_end()
    ))
}

#[test]
fn messages_and_exit_codes_are_as_in_the_table() {
    let table = std::fs::read_to_string(folder().join("expected.tsv")).expect("the table");
    let table: Vec<Expected<'_>> = table.lines().skip(1).map(read_line).collect();
    assert!(table.len() >= 100, "only {} lines", table.len());
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        assert!(
            !name.ends_with(".c") || table.iter().any(|expected| expected.file == name),
            "{name} is not in expected.tsv"
        );
    }
    let wrong: Vec<String> = table
        .par_iter()
        .filter_map(|line| check(line).err())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}

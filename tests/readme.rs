//! What README.md says of the command is what the command does: its examples with their output, exit codes, options.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("README.md")
}

fn regatta(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    let command = command.args(arguments).current_dir(folder);
    command.output().expect("the command runs")
}

/// A command of an indented block, with the lines that it is said to print.
struct Example {
    command: String,
    output: Vec<String>,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let Some(line) = line.strip_prefix("    ") else {
            is_open = is_open && line.is_empty();
            continue;
        };
        if let Some(command) = line.strip_prefix("$ ") {
            is_open = true;
            examples.push(Example {
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else if let Some(example) = examples.last_mut().filter(|_| is_open) {
            example.output.push(line.to_owned());
        }
    }
    examples
}

/// The arguments of a command of ours, without what a shell would do with the rest.
fn arguments(command: &str) -> Option<Vec<&str>> {
    let mut words = command.split_whitespace();
    let ours = ["regatta", "target/release/regatta"];
    ours.contains(&words.next()?).then(|| {
        words
            .take_while(|word| !["|", "#", ">"].contains(word))
            .collect()
    })
}

/// A folder in which the examples' relative names are files.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["examples", "tests"] {
        let there = folder.path().join(name);
        std::os::unix::fs::symlink(root().join(name), there).expect("a link");
    }
    let mistaken = "[[analysis]]\nengine = \"bmc\"\nmax_bond = 3\n";
    std::fs::write(folder.path().join("mine.toml"), mistaken).expect("written");
    folder
}

/// Whether the lines that are expected come in this order; `…` stands for any, and the time of an event for any time.
fn is_said(expected: &[String], said: &str) -> Result<(), String> {
    let without_time = |line: &str| match line.split_once(" s] ") {
        Some((time, rest)) if time.starts_with('[') => rest.to_owned(),
        _ => line.trim_end().to_owned(),
    };
    // Empty lines end no block of the README, and are not told apart from what ends one.
    let lines = said.lines().filter(|line| !line.trim().is_empty());
    let said: Vec<String> = lines.map(without_time).collect();
    let mut at = 0;
    let mut may_skip = false;
    for line in expected.iter().map(|line| without_time(line)) {
        if line == "…" {
            may_skip = true;
            continue;
        }
        // Within a line it stands for the rest of it.
        let fits = |said: &String| match line.split_once('…') {
            Some((begin, _)) => said.starts_with(begin),
            None => *said == line,
        };
        let found = said[at..].iter().position(fits);
        match found {
            Some(0) => at += 1,
            Some(skipped) if may_skip => at += skipped + 1,
            _ => return Err(line),
        }
        may_skip = false;
    }
    Ok(())
}

/// What an answer is, by its line.
fn code_of(output: &[String]) -> i32 {
    match output.iter().find(|line| line.starts_with("RESULT: ")) {
        Some(line) if line.starts_with("RESULT: TRUE") => 0,
        Some(line) if line.starts_with("RESULT: FALSE") => 1,
        Some(_) => 2,
        None if output.iter().any(|line| line.starts_with("help: ")) => 3,
        None => 0,
    }
}

#[test]
fn the_examples_print_what_they_are_said_to() {
    let folder = folder();
    let mut count = 0;
    for example in examples(&readme()) {
        let Some(arguments) = arguments(&example.command) else {
            continue;
        };
        if example.output.is_empty() || !example.command.starts_with("target/") {
            continue;
        }
        count += 1;
        let output = regatta(folder.path(), &arguments);
        let said = [&output.stderr[..], &output.stdout].concat();
        let said = String::from_utf8(said).expect("UTF-8");
        let command = &example.command;
        assert_eq!(
            output.status.code(),
            Some(code_of(&example.output)),
            "{command}: {said}"
        );
        // Who answers first, and what each does before, is not the same in any two runs.
        let expected = match arguments.contains(&"-v") {
            true => {
                let lines = example.output.iter();
                let result = lines.filter(|line| line.starts_with("RESULT: "));
                [vec!["…".to_owned()], result.cloned().collect()].concat()
            }
            false => example.output,
        };
        if let Err(line) = is_said(&expected, &said) {
            panic!("{command}: README.md has `{line}`, the command says: {said}");
        }
    }
    assert!(count >= 5, "{count} examples");
}

/// The names of subcommands in front of a command's options.
fn subcommand<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    const NESTED: [&str; 3] = ["portfolio", "experiment", "witness"];
    const PLAIN: [&str; 7] = [
        "verify",
        "validate",
        "cfa",
        "interpret",
        "library",
        "completions",
        "manual",
    ];
    match arguments {
        [first, second, ..] if NESTED.contains(first) => vec![first, second],
        [first, ..] if PLAIN.contains(first) => vec![first],
        _ => vec!["verify"],
    }
}

/// The long options in a text.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_ascii_alphanumeric() && one != '-')
        .filter(|word| word.starts_with("--") && word.len() > 2)
}

fn help(subcommand: &[&str]) -> String {
    let output = regatta(root(), &[subcommand, &["--help"]].concat());
    assert_eq!(output.status.code(), Some(0), "{subcommand:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_options_that_are_named_exist() {
    let text = readme();
    let blocks = examples(&text).into_iter().map(|example| example.command);
    let spans = text.split('`').skip(1).step_by(2);
    let commands: BTreeSet<String> = blocks.chain(spans.map(str::to_owned)).collect();
    let mut count = 0;
    for command in &commands {
        let Some(arguments) = arguments(command) else {
            continue;
        };
        let said = help(&subcommand(&arguments));
        let known: BTreeSet<&str> = options(&said).collect();
        for option in arguments.iter().flat_map(|argument| options(argument)) {
            assert!(known.contains(option), "{command}: there is no {option}");
            count += 1;
        }
    }
    assert!(count >= 20, "{count} options");
}

/// The section on the command names options alone, without the command.
#[test]
fn the_options_of_verify_exist() {
    let text = readme();
    let section = text.split("\n## Use\n").nth(1).expect("the section");
    let section = section.split("\n### ").next().expect("its text");
    let said = help(&["verify"]);
    let known: BTreeSet<&str> = options(&said).collect();
    let items = section.lines().filter(|line| line.starts_with("- `--"));
    let mut count = 0;
    for span in items.flat_map(|line| line.split('`').skip(1).step_by(2)) {
        for option in options(span).filter(|_| span.starts_with("--")) {
            assert!(known.contains(option), "there is no {option}");
            count += 1;
        }
    }
    assert!(count >= 12, "{count} options");
}

/// Options that are named by themselves are those of some command.
#[test]
fn options_by_themselves_are_of_a_command() {
    let text = readme();
    let section = text.split("\n## Use\n").nth(1).expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let mut said = String::new();
    let nested = |name: &str| {
        let help = help(&[name]);
        let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        let names = lines.filter(|line| line.starts_with(|first: char| first.is_alphabetic()));
        let names = names.filter_map(|line| line.split_whitespace().next());
        let names = names.filter(|name| *name != "help");
        names.map(str::to_owned).collect::<Vec<String>>()
    };
    for name in ["verify", "validate", "cfa", "interpret", "manual"] {
        said.push_str(&help(&[name]));
    }
    for name in ["portfolio", "experiment", "witness"] {
        for inner in nested(name) {
            said.push_str(&help(&[name, &inner]));
        }
    }
    let known: BTreeSet<&str> = options(&said).collect();
    let mut count = 0;
    for span in section.split('`').skip(1).step_by(2) {
        // What `--sbatch=…` hands on is not ours.
        if span.starts_with("--") && !span.starts_with("--sbatch") {
            for option in options(span) {
                assert!(known.contains(option), "there is no {option}");
                count += 1;
            }
        }
    }
    assert!(count >= 30, "{count} options");
}

/// The table of exit codes.
#[test]
fn the_exit_codes_are_those_of_the_table() {
    let text = readme();
    let rows = text.lines().filter(|line| line.starts_with("| `RESULT: "));
    let rows: Vec<(&str, &str)> = rows
        .filter_map(|row| {
            let mut cells = row.split('|').map(str::trim).skip(1);
            Some((cells.next()?.trim_matches('`'), cells.next()?))
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("RESULT: TRUE", "0"),
            ("RESULT: FALSE(unreach-call)", "1"),
            ("RESULT: UNKNOWN(reason)", "2")
        ]
    );
    let folder = folder();
    for (arguments, code) in [
        (&["examples/rotation.c"][..], 0),
        (&["examples/midpoint.c"], 1),
        (&["--strict", "tests/command/ledger_proof.c"], 2),
        (&["examples/missing.c"], 3),
        (&["--no-such-option", "examples/rotation.c"], 3),
    ] {
        let output = regatta(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

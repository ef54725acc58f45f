//! What README.md, CONTRIBUTING.md and the book say of the command is what the command does: examples with their output, exit
//! codes, options, engines, portfolios.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of Markdown.
struct Page {
    /// Relative to the repository.
    name: String,
    text: String,
}

fn page(name: &str) -> Page {
    let text = std::fs::read_to_string(root().join(name));
    Page {
        name: name.to_owned(),
        text: text.unwrap_or_else(|error| panic!("{name}: {error}")),
    }
}

/// The files below the folder, by their names relative to the repository.
fn below(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let names = paths.iter().flat_map(|path| {
        let relative = path.strip_prefix(root()).expect("below the root");
        let name = relative.to_str().expect("UTF-8").to_owned();
        if path.is_dir() {
            below(&name)
        } else {
            vec![name]
        }
    });
    names.collect()
}

/// All that is written for users and developers.
fn pages() -> Vec<Page> {
    let book = below("docs/src").into_iter();
    let book = book.filter(|name| name.ends_with(".md"));
    let others = ["README.md", "CONTRIBUTING.md"].map(str::to_owned);
    others
        .into_iter()
        .chain(book)
        .map(|name| page(&name))
        .collect()
}

fn regatta(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
    let command = command.args(arguments).current_dir(folder);
    command.output().expect("the command runs")
}

/// A command of a block of the language `console`, with the lines that it is said to print.
struct Example {
    command: String,
    output: Vec<String>,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_open = line == "```console";
        } else if !is_open || line.trim().is_empty() {
            continue;
        } else if let Some(command) = line.strip_prefix("$ ") {
            examples.push(Example {
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else if let Some(example) = examples.last_mut() {
            example.output.push(line.to_owned());
        }
    }
    examples
}

/// What the text has between backticks outside of blocks.
fn spans(text: &str) -> Vec<&str> {
    let blocks = text.split("```").step_by(2);
    blocks
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
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
    // Blocks have no empty lines.
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
    for page in pages() {
        for example in examples(&page.text) {
            let Some(arguments) = arguments(&example.command) else {
                continue;
            };
            if example.output.is_empty() {
                continue;
            }
            count += 1;
            check(&page, &example, &arguments, folder.path());
        }
    }
    assert!(count >= 7, "{count} examples");
}

/// Whether the command prints what the page says, and ends as that demands.
fn check(page: &Page, example: &Example, arguments: &[&str], folder: &Path) {
    let output = regatta(folder, arguments);
    let said = [&output.stderr[..], &output.stdout].concat();
    let said = String::from_utf8(said).expect("UTF-8");
    let (page, command) = (&page.name, &example.command);
    assert_eq!(
        output.status.code(),
        Some(code_of(&example.output)),
        "{page}: {command}: {said}"
    );
    // Which analysis answers first, and what each does before, is not the same in any two runs.
    let expected = match arguments.contains(&"-v") {
        true => {
            let lines = example.output.iter();
            let result = lines.filter(|line| line.starts_with("RESULT: "));
            [vec!["…".to_owned()], result.cloned().collect()].concat()
        }
        false => example.output.clone(),
    };
    if let Err(line) = is_said(&expected, &said) {
        panic!("{command}: {page} has `{line}`, the command says: {said}");
    }
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
    let mut commands: BTreeSet<String> = BTreeSet::new();
    for page in pages() {
        let blocks = examples(&page.text).into_iter();
        commands.extend(blocks.map(|example| example.command));
        commands.extend(spans(&page.text).into_iter().map(str::to_owned));
    }
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

/// Lists of options are those of `regatta verify`.
#[test]
fn the_options_of_verify_exist() {
    let said = help(&["verify"]);
    let known: BTreeSet<&str> = options(&said).collect();
    let mut count = 0;
    for name in ["README.md", "docs/src/verifying.md"] {
        let text = page(name).text;
        let items = text.lines().filter(|line| line.starts_with("- `-"));
        for span in items.flat_map(spans) {
            for option in options(span).filter(|_| span.starts_with("--")) {
                assert!(known.contains(option), "{name}: there is no {option}");
                count += 1;
            }
        }
    }
    assert!(count >= 25, "{count} options");
}

/// Options that are named by themselves are those of some command, or of one of our scripts where the text names it.
#[test]
fn options_by_themselves_are_of_a_command() {
    let mut said = String::new();
    let nested = |name: &str| {
        let help = help(&[name]);
        let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        let names = lines.filter(|line| line.starts_with(|first: char| first.is_alphabetic()));
        let names = names.filter_map(|line| line.split_whitespace().next());
        let names = names.filter(|name| *name != "help");
        names.map(str::to_owned).collect::<Vec<String>>()
    };
    for name in [
        "verify",
        "check",
        "harness",
        "validate",
        "cfa",
        "interpret",
        "manual",
    ] {
        said.push_str(&help(&[name]));
    }
    for name in ["portfolio", "experiment", "witness"] {
        for inner in nested(name) {
            said.push_str(&help(&[name, &inner]));
        }
    }
    let known: BTreeSet<&str> = options(&said).collect();
    // `scripts/test.sh --test`, and options of `scripts/fuzz-verdicts.py`, `fuzz-memory.py` and `fuzz-termination.py`.
    let of_scripts = ["--test", "--reduce", "--again", "--verify", "--validate"];
    let mut count = 0;
    for page in pages() {
        for span in spans(&page.text) {
            // What `--sbatch=…` hands on is not ours.
            if span.starts_with("--") && !span.starts_with("--sbatch") {
                for option in options(span).filter(|option| !of_scripts.contains(option)) {
                    let name = &page.name;
                    assert!(known.contains(option), "{name}: there is no {option}");
                    count += 1;
                }
            }
        }
    }
    assert!(count >= 50, "{count} options");
}

/// What stands before `=` in a portfolio file, in its order, and the engines that a comment of it lists.
fn explained(engine: &str) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("one.toml");
    std::fs::write(&file, format!("[[analysis]]\nengine = \"{engine}\"\n")).expect("written");
    let file = file.to_str().expect("UTF-8");
    let output = regatta(root(), &["portfolio", "explain", file]);
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let (_, analysis) = said.split_once("[[analysis]]").expect("the analysis");
    let keys = analysis.lines().filter(|line| !line.starts_with('#'));
    let keys = keys.filter_map(|line| line.split_once(" = "));
    let keys = keys.map(|(key, _)| key.to_owned()).collect();
    let comment = analysis.split("engine = ").next().expect("its comment");
    let comment = comment.replace("\n# ", " ");
    let (_, engines) = comment.split_once("The engines: ").expect("the engines");
    let engines = engines.split('"').skip(1).step_by(2);
    (keys, engines.map(str::to_owned).collect())
}

/// The names in the first column of the table below the words.
fn first_column(text: &str, words: &str) -> Vec<String> {
    let (_, rest) = text.split_once(words).expect("the words");
    let lines = rest.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(spans).map(str::to_owned).collect()
}

/// Each engine has a page with its own options; what all engines have is in the page on portfolios.
#[test]
fn each_engine_has_a_page_with_its_options() {
    let portfolios = page("docs/src/portfolios.md").text;
    let common = first_column(&portfolios, "## Options of every analysis");
    let index = page("docs/src/engines/index.md").text;
    let (_, engines) = explained("bmc");
    assert!(engines.len() >= 14, "{engines:?}");
    for engine in engines {
        assert!(index.contains(&format!("({engine}.md)")), "{engine}");
        let (keys, _) = explained(&engine);
        let own = keys.iter().filter(|key| !common.contains(*key));
        let own: BTreeSet<&String> = own.collect();
        let name = format!("docs/src/engines/{engine}.md");
        let said = first_column(&page(&name).text, "**Options.**");
        assert_eq!(own, said.iter().collect(), "{name}");
    }
}

#[test]
fn each_portfolio_is_in_the_book() {
    let pages = ["docs/src/portfolios.md", "docs/src/papers.md"].map(|name| page(name).text);
    let said: BTreeSet<&str> = pages.iter().flat_map(|text| spans(text)).collect();
    for file in below("portfolios") {
        let name = file.strip_prefix("portfolios/");
        let name = name.and_then(|name| name.strip_suffix(".toml"));
        assert!(said.contains(name.expect("a portfolio")), "{file}");
    }
}

/// The table of exit codes.
#[test]
fn the_exit_codes_are_those_of_the_table() {
    for name in ["README.md", "docs/src/verifying.md"] {
        let text = page(name).text;
        check_exit_codes(&text);
    }
}

fn check_exit_codes(text: &str) {
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
            ("RESULT: FALSE(no-overflow)", "1"),
            ("RESULT: UNKNOWN(reason)", "2")
        ]
    );
    let folder = folder();
    for (arguments, code) in [
        (&["examples/rotation.c"][..], 0),
        (&["examples/midpoint.c"], 1),
        (
            &[
                "--strict",
                "--checks",
                "assertions",
                "tests/command/ledger_proof.c",
            ],
            2,
        ),
        (&["examples/missing.c"], 3),
        (&["--no-such-option", "examples/rotation.c"], 3),
    ] {
        let output = regatta(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

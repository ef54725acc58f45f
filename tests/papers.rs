//! The configurations of papers, `papers/NAME`: that each has the paper's setting, and that its algorithm runs and wins.
//!
//! `tests/papers/settings.tsv` has the papers' values of options with their places in the papers, in groups;
//! `tests/papers/portfolios.tsv` says which groups make up an analysis (of two values of one option, the later group's
//! holds); `tests/papers/wins.tsv` has a program for each portfolio, also for those of no paper that `tests/engines.rs`
//! leaves out. `REGATTA_TEST=TEXT` chooses those portfolios whose names have the text.

mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// Seconds for what must be solved; the machine may be busy.
const TIME_LIMIT: &str = "120";

/// The options of an analysis that no paper speaks of: its name and its place among others.
const OF_NO_PAPER: [&str; 6] = ["name", "engine", "priority", "eases_after", "after", "role"];

/// The options of a portfolio that no paper speaks of.
const OF_NO_PAPER_IN_GENERAL: [&str; 6] = [
    "description",
    "only",
    "openings",
    "share_bounds",
    "share_predicates",
    "share_states",
];

/// The row of `portfolios.tsv` about a portfolio as a whole.
const GENERAL: &str = "-";

type Options = BTreeMap<String, String>;

fn regatta(arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(arguments)
        .output()
        .expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/papers")
}

/// The rows of a table, without its header.
fn rows<const N: usize>(table: &'static str) -> Vec<[&'static str; N]> {
    let fields = |line: &'static str| {
        let fields: Vec<&str> = line.split('\t').collect();
        fields
            .try_into()
            .unwrap_or_else(|_| panic!("a line of the table: {line}"))
    };
    table.lines().skip(1).map(fields).collect()
}

/// What `portfolio explain` prints: the general options, and those of each analysis by its name.
fn explained(portfolio: &str) -> BTreeMap<String, Options> {
    let (text, complaint) = regatta(&["portfolio", "explain", portfolio]);
    assert!(!text.is_empty(), "{portfolio}: {complaint}");
    let mut all = BTreeMap::new();
    for (number, section) in text.split("[[analysis]]").enumerate() {
        let general = section.split("[schedule]").next().unwrap_or_default();
        let own = if number == 0 { general } else { section };
        let options = own.lines().filter_map(|line| line.split_once(" = "));
        let options = options.filter(|(key, _)| !key.starts_with('#'));
        let options: Options = options
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let name = match number {
            0 => GENERAL.to_owned(),
            _ => options["name"].trim_matches('"').to_owned(),
        };
        all.insert(name, options);
    }
    all
}

#[test]
fn each_option_has_the_papers_value() {
    let settings = rows::<4>(include_str!("papers/settings.tsv"));
    let portfolios = rows::<4>(include_str!("papers/portfolios.tsv"));
    let mut complaints = Vec::new();
    for [portfolio, analysis, engine, groups] in portfolios {
        let name = format!("papers/{portfolio}");
        if !pattern::is_chosen(&name) {
            continue;
        }
        let mut expected: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        for group in groups.split(' ') {
            let of_group = settings.iter().filter(|row| row[0] == group);
            let before = expected.len();
            expected.extend(
                of_group
                    .clone()
                    .map(|&[_, option, value, place]| (option, (value, place))),
            );
            assert!(
                of_group.count() > 0 && before <= expected.len(),
                "no group {group}"
            );
        }
        let explained = explained(&name);
        let Some(options) = explained.get(analysis) else {
            complaints.push(format!("{name}: no analysis {analysis}"));
            continue;
        };
        if analysis != GENERAL && options["engine"] != format!("{engine:?}") {
            complaints.push(format!(
                "{name}, {analysis}: {}, not {engine}",
                options["engine"]
            ));
        }
        for (option, (value, place)) in &expected {
            let found = options.get(*option).map_or("missing", String::as_str);
            if found != *value {
                complaints.push(format!(
                    "{name}, {analysis}: {option} = {found}, and in the paper {value}: {place}"
                ));
            }
        }
        let of_no_paper: &[&str] = match analysis {
            GENERAL => &OF_NO_PAPER_IN_GENERAL,
            _ => &OF_NO_PAPER,
        };
        for option in options.keys() {
            if !expected.contains_key(option.as_str()) && !of_no_paper.contains(&option.as_str()) {
                complaints.push(format!(
                    "{name}, {analysis}: where does {option} come from?"
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A run that a portfolio's algorithm has to win.
struct Win {
    portfolio: &'static str,
    program: &'static str,
    verdict: &'static str,
    /// The analysis that answers.
    analysis: &'static str,
    /// What the log must have: a step of the algorithm.
    step: &'static str,
}

impl Win {
    fn complaint(&self) -> Option<String> {
        let program = folder().join(self.program).display().to_string();
        let portfolio = self.portfolio;
        let limit = ["--time-limit", TIME_LIMIT, "--checks", "assertions"];
        let (answer, log) = regatta(
            &[
                &["verify", "-v", "--portfolio", portfolio, &program],
                &limit[..],
            ]
            .concat(),
        );
        let expected = match self.verdict {
            "true" => "RESULT: TRUE",
            _ => "RESULT: FALSE(unreach-call)",
        };
        let winner = format!("answered by {}", self.analysis);
        let is_right = answer.lines().last() == Some(expected)
            && log.contains(&winner)
            && log.contains(self.step)
            && !log.contains("internal error");
        (!is_right).then(|| {
            format!(
                "{portfolio} on {}: {answer}, not {} with {winner} after {:?}\n{log}",
                self.program, self.verdict, self.step
            )
        })
    }
}

#[test]
fn each_algorithm_runs_and_wins() {
    let wins = rows::<5>(include_str!("papers/wins.tsv")).into_iter();
    let wins = wins.map(|[portfolio, program, verdict, analysis, step]| Win {
        portfolio,
        program,
        verdict,
        analysis,
        step,
    });
    let wins: Vec<Win> = wins
        .filter(|win| pattern::is_chosen(win.portfolio))
        .collect();
    let complaints: Vec<String> = wins.par_iter().filter_map(Win::complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn each_portfolio_of_a_paper_is_tested() {
    let (list, _) = regatta(&["portfolio", "list"]);
    let names = list.lines().filter_map(|line| line.strip_prefix("papers/"));
    let names: BTreeSet<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let compared = rows::<4>(include_str!("papers/portfolios.tsv"));
    assert_eq!(names, compared.iter().map(|row| row[0]).collect());
}

/// Except for those that combine all engines.
#[test]
fn each_portfolio_wins_somewhere() {
    let (list, _) = regatta(&["portfolio", "list"]);
    let names = list.lines().filter(|line| !line.starts_with(' '));
    let mut names: BTreeSet<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for combined in ["default", "svcomp"] {
        assert!(names.remove(combined));
    }
    let engines = include_str!("engines/expected.tsv").lines().next();
    let engines = engines.unwrap_or_default().split('\t').skip(3);
    let won = rows::<5>(include_str!("papers/wins.tsv")).into_iter();
    let tested: BTreeSet<&str> = won.map(|row| row[0]).chain(engines).collect();
    assert_eq!(names, tested);
}

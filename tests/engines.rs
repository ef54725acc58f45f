//! Small programs through every configuration: what each engine must solve, what it must leave open, and that none is
//! ever wrong. The table `tests/engines/expected.tsv` has a column for each portfolio that is tried. `REGATTA_TEST=TEXT` chooses those whose
//! `PROGRAM with PORTFOLIO` has the text.

mod pattern;

use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

/// Seconds for what must be solved; the machine may be busy.
const ENOUGH: &str = "60";

/// Seconds for what need not be. It gets more if [`ALL`] is set.
const A_WHILE: &str = "0.25";
const A_LONG_WHILE: &str = "2";

/// Of the proofs that must be found, each so many-th gets a second opinion; all of them if the variable of the
/// environment is set (`scripts/check-thoroughly.sh`), for which it may take longer.
const SAMPLE: usize = 40;
const ALL: &str = "REGATTA_CHECK_ALL";

struct Run<'t> {
    program: &'t str,
    expected: &'t str,
    arithmetic: &'t str,
    portfolio: &'t str,
    /// `yes`, `no` or `any`.
    solves: &'t str,
    /// Whether it gets a second opinion; then it need not end in time, but nobody may object.
    is_thorough: bool,
}

impl Run<'_> {
    fn name(&self) -> String {
        format!("{} with {}", self.program, self.portfolio)
    }

    /// What is wrong with the answer, if anything is.
    fn complaint(&self) -> Option<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines");
        let check = if self.is_thorough {
            "thorough"
        } else {
            "usual"
        };
        let limit = match self.solves {
            "yes" => ENOUGH,
            _ if std::env::var_os(ALL).is_some() => A_LONG_WHILE,
            _ => A_WHILE,
        };
        let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
            .args([
                "verify",
                "--time-limit",
                limit,
                "--portfolio",
                self.portfolio,
            ])
            .args(["--arithmetic", self.arithmetic, "--check", check])
            .args(["--checks", "assertions"])
            .arg(folder.join(format!("{}.c", self.program)))
            .output()
            .expect("the command runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let answer = text.lines().last().unwrap_or_default();
        let right = match self.expected {
            "true" => "RESULT: TRUE",
            _ => "RESULT: FALSE(unreach-call)",
        };
        let open = answer.starts_with("RESULT: UNKNOWN(");
        let fits = match self.solves {
            "yes" if self.is_thorough => open || answer == right,
            "yes" => answer == right,
            "no" => open,
            _ => open || answer == right,
        };
        let complained = String::from_utf8_lossy(&output.stderr);
        let fault = complained.contains("internal error") || answer.contains("internal error");
        (!fits || fault).then(|| {
            format!(
                "{}: {answer}, expected {} (solved: {}); {complained}",
                self.name(),
                self.expected,
                self.solves
            )
        })
    }
}

#[test]
fn every_configuration_on_every_program() {
    let table = include_str!("engines/expected.tsv");
    let mut lines = table.lines();
    let portfolios: Vec<&str> = lines
        .next()
        .expect("a header")
        .split('\t')
        .skip(3)
        .collect();
    let mut runs = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let [program, expected, arithmetic, solves @ ..] = fields.as_slice() else {
            panic!("a line of the table: {line}");
        };
        assert_eq!(solves.len(), portfolios.len(), "{line}");
        let own = portfolios.iter().copied().zip(solves.iter().copied());
        let others = [("default", "any"), ("simulate", "any")];
        for (portfolio, solves) in own.chain(others) {
            runs.push(Run {
                program,
                expected,
                arithmetic,
                portfolio,
                solves,
                is_thorough: false,
            });
        }
    }
    let every = if std::env::var_os(ALL).is_some() {
        1
    } else {
        SAMPLE
    };
    let proofs = runs
        .iter()
        .filter(|run| (run.solves, run.expected) == ("yes", "true"))
        .step_by(every)
        .map(|run| Run {
            is_thorough: true,
            ..*run
        });
    let proofs: Vec<Run> = proofs.collect();
    runs.extend(proofs);
    runs.retain(|run| pattern::is_chosen(&run.name()));
    let complaints: Vec<String> = runs.par_iter().filter_map(Run::complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

//! `regatta verify --all-functions`: each function of the program as the entry of a run of its own.

use std::ffi::OsString;

use crate::options::VerifyOptions;
use crate::project::runs::{Run, run_all, side_by_side};
use crate::project::table::{Row, exit_code, table};
use crate::{EXIT_INPUT, complain, complain_rendered, input};
use regatta_frontend::advice::advise;
use regatta_frontend::functions;

/// Wall time for each function if no limit is given (seconds).
const TIME_LIMIT: &str = "10";

/// Runs the command; returns the exit code.
pub fn run(options: &VerifyOptions) -> u8 {
    let listed = input::resolve(&options.input).and_then(|input| {
        if input.load.text.is_some() {
            return Err(
                "error: each function is a run of its own, which cannot read standard input"
                    .to_owned(),
            );
        }
        for warning in &input.warnings {
            complain(&format!("warning: {warning}"));
        }
        let listed = functions(&input.file, &input.load);
        listed.map_err(|error| advise(error, &input.file).render(input::style()))
    });
    let listed = match listed {
        Ok(listed) => listed,
        Err(message) => {
            complain_rendered(&message);
            return EXIT_INPUT;
        }
    };
    let common = common_arguments(options);
    let threads = options.limits.threads.unwrap_or(1);
    let runs: Vec<Run> = listed
        .into_iter()
        .filter(|function| function.name != "main")
        .map(|function| Run {
            arguments: [
                &["--function".into(), OsString::from(&function.name)],
                common.as_slice(),
            ]
            .concat(),
            name: function.name,
            place: function.place,
            sarif: None,
            kept_invariants: None,
            witness: None,
        })
        .collect();
    let asked: Vec<&Run> = runs.iter().collect();
    let answers = run_all(&asked, side_by_side(threads), &|run, answer| {
        complain(&answer.told(run));
    });
    let rows = runs.iter().zip(&answers);
    let rows: Vec<Row<'_>> = rows
        .map(|(run, answer)| Row {
            run,
            answer,
            note: "",
        })
        .collect();
    let code = exit_code(answers.iter().map(|answer| answer.verdict));
    crate::print(table(&rows).as_bytes(), code)
}

/// The arguments of this command that each run gets, too.
fn common_arguments(options: &VerifyOptions) -> Vec<OsString> {
    let mut arguments = Vec::new();
    if options.limits.time_limit.is_none() {
        arguments.extend(["--time-limit", TIME_LIMIT].map(OsString::from));
    }
    if options.limits.threads.is_none() {
        arguments.extend(["--threads", "1"].map(OsString::from));
    }
    let given = crate::arguments().into_iter().skip(2);
    let own = ["--all-functions", "-v", "--verbose"];
    arguments.extend(given.filter(|argument| !own.iter().any(|own| argument == own)));
    arguments
}

//! `regatta manual`: the manual's pages, generated from the text of `--help` and the sections below.

use std::io::Write;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::options::ManualOptions;
use crate::options::grammar;
use crate::{EXIT_INPUT, complain};
use regatta_run::file;

/// The synopsis of the command.
const USAGE: &str = "regatta [OPTIONS] FILE\nregatta COMMAND [OPTIONS] …";

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "The property holds (RESULT: TRUE)."),
    ("1", "The property is violated (RESULT: FALSE)."),
    ("2", "There is no answer (RESULT: UNKNOWN)."),
    (
        "3",
        "Bad usage, or input that cannot be read; standard error says where.",
    ),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "CC",
        "The compiler that preprocesses programs and, with --replay, compiles them [default: cc].",
    ),
    (
        "REGATTA_SECOND_SOLVER",
        "The solver that --check thorough runs as a separate program, on SMT-LIB files [default: cvc5].",
    ),
    (
        "TMPDIR",
        "The folder for temporary files, which are removed at the end [default: /tmp].",
    ),
];

const EXAMPLES: &[(&str, &str)] = &[
    (
        "regatta program.c",
        "Verifies that no assertion fails and reach_error is not called.",
    ),
    (
        "regatta --portfolio svcomp --property unreach-call.prp --data-model ILP32 --witness witness.yml program.i",
        "Runs as in the Competition on Software Verification.",
    ),
    (
        "regatta --time-limit 60 --report report.html program.c",
        "Verifies for a minute at most, and writes the results so far as a page for a browser.",
    ),
    (
        "regatta validate --witness witness.yml program.c",
        "Validates the witness of another verifier.",
    ),
];

/// Runs the command; returns the exit code.
pub fn run(options: &ManualOptions) -> u8 {
    let written = match &options.out {
        Some(folder) => write_all(folder),
        None => page(&whole()).and_then(|page| crate::try_print(&page)),
    };
    match (written, &options.out) {
        (Ok(()), _) => 0,
        (Err(error), Some(folder)) => {
            complain(&format!("error: {}: {error}", folder.display()));
            EXIT_INPUT
        }
        (Err(error), None) => {
            complain(&format!("error: {error}"));
            EXIT_INPUT
        }
    }
}

/// Returns the command as the manual describes it, with the names of the subcommands' pages.
fn whole() -> Command {
    let mut command = grammar::whole()
        .disable_help_subcommand(true)
        .override_usage(USAGE);
    command.build();
    command
}

/// Writes all pages into the folder, which is created if necessary.
fn write_all(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let command = whole();
    let mut waiting = vec![&command];
    while let Some(command) = waiting.pop() {
        let name = Man::new(command.clone()).get_filename();
        file::write(&folder.join(name), &page(command)?)?;
        waiting.extend(command.get_subcommands());
    }
    Ok(())
}

/// Returns the page of the command itself or of a subcommand.
fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    // The date is an empty argument, so that the page is reproducible; `Man` would leave the argument out.
    let name = command.get_display_name().unwrap_or(command.get_name());
    let version = env!("CARGO_PKG_VERSION");
    let mut page = Vec::new();
    writeln!(
        page,
        ".TH \"{name}\" \"1\" \"\" \"Regatta {version}\" \"Regatta\""
    )?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut subcommands = command.get_subcommands().peekable();
    if subcommands.peek().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut more = Roff::new();
    // A subcommand's display name differs from its name, because the command's name precedes it.
    if command
        .get_display_name()
        .is_none_or(|name| name == command.get_name())
    {
        section(&mut more, "EXIT STATUS", EXIT_STATUS);
        section(&mut more, "ENVIRONMENT", ENVIRONMENT);
        section(&mut more, "EXAMPLES", EXAMPLES);
    } else {
        more.control("SH", ["SEE ALSO"]);
        more.text([bold("regatta"), roman("(1)")]);
    }
    more.to_writer(&mut page)?;
    Ok(page)
}

/// Writes a section of terms with their meanings.
fn section(roff: &mut Roff, title: &str, entries: &[(&str, &str)]) {
    roff.control("SH", [title]);
    for (term, meaning) in entries {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*meaning)]);
    }
}

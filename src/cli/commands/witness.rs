//! `regatta witness`: checks witness files without verification.

use std::path::Path;

use crate::input::Input;
use crate::options::{InputOptions, LintOptions, WitnessCommand};
use crate::{EXIT_INPUT, complain_rendered, input};
use regatta_base::printable::{printable, printable_line};
use regatta_frontend::advice::advise;
use regatta_frontend::statements::SourceText;
use regatta_witness::finding::{Finding, Findings};
use regatta_witness::format::read;
use regatta_witness::lint::{Resolved, Subject, lint};

/// The exit code for a witness with errors.
const EXIT_FINDINGS: u8 = 1;

/// Runs the command; returns the exit code.
pub fn run(command: &WitnessCommand) -> u8 {
    match command {
        WitnessCommand::Lint(options) => run_lint(options),
    }
}

fn run_lint(options: &LintOptions) -> u8 {
    let examined = match examine(&options.witness, &options.input) {
        Ok(examined) => examined,
        Err(message) => {
            complain_rendered(&message);
            return EXIT_INPUT;
        }
    };
    let mut text: String = examined.rendered().collect();
    let name = options.witness.display().to_string();
    let name = printable_line(&name);
    text.push_str(&match examined.findings.len() {
        0 => format!("{name}: nothing is wrong\n"),
        1 => format!("{name}: 1 thing is wrong\n"),
        count => format!("{name}: {count} things are wrong\n"),
    });
    let code = match examined.findings.is_empty() {
        true => 0,
        false => EXIT_FINDINGS,
    };
    crate::print(text.as_bytes(), code)
}

/// A witness that has been checked against its program.
pub(super) struct Examined<'o> {
    pub subject: Subject,
    pub resolved: Resolved,
    /// The errors, in the order of the file.
    pub findings: Vec<Finding>,
    witness: &'o Path,
    text: String,
}

impl Examined<'_> {
    /// Renders the errors for the user.
    pub fn rendered(&self) -> impl Iterator<Item = String> {
        let name = self.witness.display().to_string();
        let findings = self.findings.iter();
        findings.map(move |finding| finding.render(&name, &self.text, input::style()))
    }
}

/// Reads a witness and its program.
///
/// # Errors
/// A message for the user: a file that cannot be read.
pub(super) fn examine<'o>(
    witness: &'o Path,
    options: &InputOptions,
) -> Result<Examined<'o>, String> {
    let unreadable = |file: &Path, error: &std::io::Error| {
        printable(&format!("{}: cannot read: {error}", file.display())).into_owned()
    };
    if options.entry.function.is_some() {
        return Err("error: witnesses are of programs that begin in `main`".to_owned());
    }
    let text = std::fs::read(witness).map_err(|error| unreadable(witness, &error))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let Input {
        file,
        load: load_options,
        ..
    } = input::resolve(options)?;
    let program = std::fs::read(&file).map_err(|error| unreadable(&file, &error))?;
    let source = SourceText::new(file.display().to_string(), program)
        .map_err(|error| advise(error, &file).render(input::style()))?;
    let subject = Subject {
        file,
        source,
        options: load_options,
        has_property: options.property.is_some()
            || options.checks.is_some()
            || options.task.is_some(),
        has_data_model: options.data_model.is_some() || options.task.is_some(),
    };
    let mut findings = Findings::default();
    let parsed = read(&text, &mut findings);
    let resolved = lint(&parsed, &subject, &mut findings)
        .map_err(|error| advise(error, &subject.file).render(input::style()))?;
    Ok(Examined {
        subject,
        resolved,
        findings: findings.into_sorted(),
        witness,
        text,
    })
}

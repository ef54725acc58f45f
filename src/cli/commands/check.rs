//! `regatta check`: verifies what `regatta.toml` says.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser as _;

use crate::options::{CheckOptions, Command, CommandLine, VerifyOptions};
use crate::project::cache::{
    Answers, Finding, keep_invariants, question, read_findings, write_findings,
};
use crate::project::config::{EVERY, Entry, MAIN, Project};
use crate::project::files::{merge_sarif, to_json, to_junit};
use crate::project::runs::{Answer, Run, Verdict, run_all, side_by_side};
use crate::project::table::{Row, exit_code, table};
use crate::project::{AS_BEFORE, KNOWN};
use crate::{EXIT_INPUT, complain, complain_rendered, input};
use regatta_base::Error;
use regatta_frontend::advice::advise;
use regatta_frontend::{DefinedFunction, EntryOptions, digests, functions};

/// Runs the command; returns the exit code.
pub fn run(options: &CheckOptions) -> u8 {
    let checked = in_folder(options).and_then(|options| check(&options));
    match checked {
        Ok(code) => code,
        Err(message) => {
            complain_rendered(&message);
            EXIT_INPUT
        }
    }
}

/// Goes to the project's folder, to which its paths are relative; those of the command stay what they are.
///
/// # Errors
/// A message for the user.
fn in_folder(options: &CheckOptions) -> Result<CheckOptions, String> {
    let absolute = |file: &Option<PathBuf>| {
        let file = file.as_ref().map(std::path::absolute).transpose();
        file.map_err(|error| format!("error: {error}"))
    };
    let options = CheckOptions {
        json: absolute(&options.json)?,
        sarif: absolute(&options.sarif)?,
        junit: absolute(&options.junit)?,
        witnesses: absolute(&options.witnesses)?,
        ..options.clone()
    };
    std::env::set_current_dir(&options.folder)
        .map_err(|error| format!("error: {}: {error}", options.folder.display()))?;
    Ok(options)
}

/// A run with what is known of it.
struct Asked {
    run: Run,
    /// The digest of the question; none if the program is refused.
    digest: Option<String>,
    /// The answer to the same question from an earlier time.
    earlier: Option<Answer>,
}

/// Verifies the project; returns the exit code.
///
/// # Errors
/// A message for the user.
fn check(options: &CheckOptions) -> Result<u8, String> {
    let project = Project::read().map_err(rendered)?;
    let baseline = project.baseline.as_ref().map(PathBuf::from);
    let mut known = match &baseline {
        Some(file) => {
            read_findings(file).map_err(|reason| format!("error: {}: {reason}", file.display()))?
        }
        None => BTreeSet::new(),
    };
    let mut answers = Answers::read();
    let scratch = tempfile::tempdir().map_err(|error| format!("error: no folder: {error}"))?;
    let mut asked = questions(&project)?;
    for (number, one) in asked.iter_mut().enumerate() {
        let digest = one.digest.as_deref().filter(|_| !options.again);
        one.earlier = digest.and_then(|digest| answers.get(digest));
        one.run.sarif = Some(scratch.path().join(format!("{number}.sarif")));
    }
    if let Err(error) = keep_invariants(asked.iter_mut().map(|one| &mut one.run)) {
        complain(&format!("warning: no invariants are kept: {error}"));
    }
    if let Some(folder) = &options.witnesses {
        keep_witnesses(folder, &mut asked)
            .map_err(|error| format!("error: {}: {error}", folder.display()))?;
    }
    let open: Vec<&Run> = asked
        .iter()
        .filter(|one| one.earlier.is_none())
        .map(|one| &one.run)
        .collect();
    let jobs = options
        .jobs
        .map_or(side_by_side(project.threads.unwrap_or(1)), usize::from);
    let new = run_all(&open, jobs, &|run, answer| {
        complain(&answer.told(run));
    });
    let mut new = new.into_iter();
    let mut rows = Vec::new();
    let mut findings = BTreeSet::new();
    for one in &asked {
        let (answer, mut note) = match &one.earlier {
            Some(answer) => (answer.clone(), AS_BEFORE),
            None => (new.next().ok_or("error: a run has no answer")?, ""),
        };
        // An error is looked for again, so that its place is that of today.
        if let (Some(digest), "", true) = (&one.digest, note, answer.verdict != Verdict::False) {
            answers.add(digest.clone(), &answer);
        }
        if let Some(finding) = Finding::of(&one.run, &answer) {
            if known.contains(&finding) {
                note = KNOWN;
            }
            findings.insert(finding);
        }
        rows.push((&one.run, answer, note));
    }
    let rows: Vec<Row<'_>> = rows
        .iter()
        .map(|(run, answer, note)| Row { run, answer, note })
        .collect();
    if let Err(error) = answers.write() {
        complain(&format!("warning: the answers are not kept: {error}"));
    }
    write_files(options, &rows)?;
    if options.update_baseline {
        let file = baseline.ok_or("error: regatta.toml names no baseline")?;
        write_findings(&file, &findings)
            .map_err(|error| format!("error: {} is not written: {error}", file.display()))?;
        known = findings;
    }
    let is_new = |row: &&Row<'_>| {
        let finding = Finding::of(row.run, row.answer);
        finding.is_none_or(|finding| !known.contains(&finding))
    };
    let verdicts = rows.iter().filter(is_new).map(|row| row.answer.verdict);
    let code = exit_code(verdicts);
    Ok(crate::print(table(&rows).as_bytes(), code))
}

/// Gives each run about `main` a file for its witness. Those of runs that are made now, or not any more, are removed.
///
/// # Errors
/// When the system refuses.
fn keep_witnesses(folder: &Path, asked: &mut [Asked]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut kept = BTreeSet::new();
    for one in asked {
        if one.run.is_about_main() {
            let file = folder.join(one.run.file_name("yml"));
            if one.earlier.is_some() {
                kept.insert(file.clone());
            }
            one.run.witness = Some(file);
        }
    }
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|end| end == "yml") && !kept.contains(&file) {
            std::fs::remove_file(file)?;
        }
    }
    Ok(())
}

/// The runs of a project, with the digests of what they are about.
///
/// # Errors
/// A message for the user.
fn questions(project: &Project) -> Result<Vec<Asked>, String> {
    let whole = project.input(&Entry::default()).map_err(rendered)?;
    let has_main = defined(&whole)?.iter().any(|one| one.name == MAIN);
    let mut asked = Vec::new();
    for entry in project.entries(has_main) {
        let input = project.input(&entry).map_err(rendered)?;
        let defined = defined(&input)?;
        let places: Vec<DefinedFunction> = match entry.function.as_str() {
            EVERY => defined.into_iter().filter(|one| one.name != MAIN).collect(),
            name => {
                let known = defined.into_iter().find(|one| one.name == name);
                let unknown = || DefinedFunction {
                    name: name.to_owned(),
                    place: String::new(),
                };
                vec![known.unwrap_or_else(unknown)]
            }
        };
        for checks in project.checks(&entry) {
            let runs = places
                .iter()
                .map(|function| project.run(&entry, function, checks.as_deref(), &input));
            asked.extend(with_digests(runs.collect()));
        }
    }
    Ok(asked)
}

/// Finds the digests of the programs of runs that differ in their functions only. A program that is refused has none: its
/// run says why.
fn with_digests(runs: Vec<Run>) -> Vec<Asked> {
    let options = runs.first().and_then(|run| verify_options(&run.arguments));
    let input = options.and_then(|options| input::resolve(&options.input).ok());
    let entries: Vec<Option<EntryOptions>> = runs
        .iter()
        .map(|run| input::entry(&verify_options(&run.arguments)?.input.entry))
        .collect();
    let found = input.and_then(|input| digests(&input.file, &input.load, &entries).ok());
    let mut found = found.unwrap_or_default().into_iter();
    runs.into_iter()
        .map(|run| {
            let program = found.next().flatten();
            Asked {
                digest: program.map(|program| question(&run, &program)),
                run,
                earlier: None,
            }
        })
        .collect()
}

/// The functions that the files define.
///
/// # Errors
/// A message for the user.
fn defined(arguments: &[OsString]) -> Result<Vec<DefinedFunction>, String> {
    let options =
        verify_options(arguments).ok_or("error: regatta.toml has flags that are not known")?;
    let input = input::resolve(&options.input)?;
    let found = functions(&input.file, &input.load);
    found.map_err(|error| advise(error, &input.file).render(input::style()))
}

/// Reads the arguments of a run as `verify` does.
fn verify_options(arguments: &[OsString]) -> Option<VerifyOptions> {
    let head = ["regatta", "verify"].map(OsString::from);
    let line = CommandLine::try_parse_from(head.iter().chain(arguments)).ok()?;
    match line.command {
        Command::Verify(options) => Some(options),
        _ => None,
    }
}

/// Writes the files that the options ask for.
///
/// # Errors
/// A message for the user.
fn write_files(options: &CheckOptions, rows: &[Row<'_>]) -> Result<(), String> {
    let write = |file: &Path, text: Vec<u8>| {
        std::fs::write(file, text)
            .map_err(|error| format!("error: {} is not written: {error}", file.display()))
    };
    if let Some(file) = &options.json {
        write(file, to_json(rows).to_string().into_bytes())?;
    }
    if let Some(file) = &options.junit {
        let text = to_junit(rows).map_err(|error| format!("error: no JUnit file: {error}"))?;
        write(file, text)?;
    }
    if let Some(file) = &options.sarif {
        let parts: Vec<&Path> = rows
            .iter()
            .filter_map(|row| row.run.sarif.as_deref())
            .collect();
        if let Some(merged) = merge_sarif(&parts) {
            write(file, merged.to_string().into_bytes())?;
        }
    }
    Ok(())
}

fn rendered(error: Error) -> String {
    error.render(input::style())
}

//! What is known from earlier: answers of runs whose programs have not changed, invariants of those that have, and findings that
//! are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::runs::{Answer, Run, Verdict};
use regatta_base::digest::sha256;

/// The folder of what is kept.
const FOLDER: &str = ".regatta";

/// Answers of earlier runs, by the digests of what they were about.
#[derive(Debug, Default)]
pub struct Answers {
    file: PathBuf,
    known: BTreeMap<String, Answer>,
    /// The digests of this time: the others are forgotten.
    used: BTreeSet<String>,
}

impl Answers {
    /// The answers in the current folder.
    pub fn read() -> Self {
        let file = Path::new(FOLDER).join("answers.json");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Self {
            known: serde_json::from_str(&text).unwrap_or_default(),
            file,
            used: BTreeSet::new(),
        }
    }

    /// The answer to a question, if it is known.
    pub fn get(&mut self, digest: &str) -> Option<Answer> {
        self.used.insert(digest.to_owned());
        self.known.get(digest).cloned()
    }

    pub fn add(&mut self, digest: String, answer: &Answer) {
        if answer.verdict != Verdict::Error {
            self.used.insert(digest.clone());
            self.known.insert(digest, answer.clone());
        }
    }

    /// Writes the answers that were of use this time.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write(&self) -> std::io::Result<()> {
        let kept: BTreeMap<&String, &Answer> = self
            .known
            .iter()
            .filter(|(digest, _)| self.used.contains(*digest))
            .collect();
        make_folder(Path::new(FOLDER))?;
        std::fs::write(&self.file, serde_json::to_vec_pretty(&kept)?)
    }
}

/// Makes a folder in which something is kept.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    // What is kept here belongs to the machine, not to the project's history.
    std::fs::write(Path::new(FOLDER).join(".gitignore"), "*\n")
}

/// Gives each run a file for the invariants that are kept from one run to the next; files of runs that are not made any more
/// are removed.
///
/// # Errors
/// When the system refuses.
pub fn keep_invariants<'r>(runs: impl Iterator<Item = &'r mut Run>) -> std::io::Result<()> {
    let folder = Path::new(FOLDER).join("invariants");
    make_folder(&folder)?;
    let mut used = BTreeSet::new();
    for run in runs {
        let file = folder.join(run.file_name("json"));
        used.insert(file.clone());
        run.kept_invariants = Some(file);
    }
    for entry in std::fs::read_dir(&folder)? {
        let file = entry?.path();
        if !used.contains(&file) {
            std::fs::remove_file(file)?;
        }
    }
    Ok(())
}

/// The digest of a question: the version, what is asked, and what the program is.
pub fn question(run: &Run, program: &str) -> String {
    let mut text = format!("{} {program}\n", env!("CARGO_PKG_VERSION"));
    for argument in &run.arguments {
        text.push_str(&argument.to_string_lossy());
        text.push('\0');
    }
    sha256(text.as_bytes())
}

/// A finding that is known. It is found again by the text of its line, so that it may move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    pub entry: String,
    pub property: String,
    pub file: String,
    /// The text of the line.
    pub line: String,
}

impl Finding {
    /// The finding of a run that has found an error.
    pub fn of(run: &Run, answer: &Answer) -> Option<Self> {
        if answer.verdict != Verdict::False {
            return None;
        }
        let mut parts = answer.place.rsplitn(3, ':');
        let (_, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        let number: usize = line.parse().ok()?;
        let text = std::fs::read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().nth(number.checked_sub(1)?).unwrap_or_default();
        Some(Self {
            entry: run.name.clone(),
            property: answer.reason.clone(),
            file: file.to_owned(),
            line: line.trim().to_owned(),
        })
    }
}

/// Reads known findings; a file that is not there has none.
///
/// # Errors
/// What is wrong with it.
pub fn read_findings(file: &Path) -> Result<BTreeSet<Finding>, String> {
    match std::fs::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error.to_string()),
    }
}

/// Writes known findings.
///
/// # Errors
/// When the system refuses.
pub fn write_findings(file: &Path, findings: &BTreeSet<Finding>) -> std::io::Result<()> {
    let mut text = serde_json::to_vec_pretty(findings)?;
    text.push(b'\n');
    std::fs::write(file, text)
}

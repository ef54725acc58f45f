//! `regatta.toml`: what a project has verified.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Deserialize;

use super::runs::Run;
use regatta_base::{Error, ErrorKind, Place};
use regatta_frontend::DefinedFunction;

/// The name of the file.
pub const NAME: &str = "regatta.toml";

/// The project's file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Project {
    /// Patterns of the project's C files.
    pub files: Vec<String>,
    /// Patterns of files that do not belong to it.
    pub exclude: Vec<String>,
    /// The compilation database, or its folder.
    pub database: Option<String>,
    /// The targets of cmake whose files are taken from the database.
    pub targets: Vec<String>,
    /// Folders with headers.
    pub include: Vec<String>,
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// Patterns of C files that define what the project's files do not.
    pub stubs: Vec<String>,
    /// The file of known findings.
    pub baseline: Option<String>,
    /// Number of threads of each run.
    pub threads: Option<u16>,
    /// What holds for every entry that does not say otherwise.
    #[serde(flatten)]
    pub common: Question,
    /// What is verified; without any, `main` if a file defines it, and else every function.
    pub entry: Vec<Entry>,
}

/// An entry of the project.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Entry {
    /// The function; `main` is the program, and `*` is every function.
    pub function: String,
    /// Patterns of its files, if these are not those of the project.
    pub files: Option<Vec<String>>,
    /// What a caller guarantees.
    pub requires: Vec<String>,
    #[serde(flatten)]
    pub question: Question,
}

/// What is asked, and within which limits.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Question {
    /// Lists of checks, as in `--checks`; each is a run of its own.
    pub checks: Vec<String>,
    /// Wall time of a run (seconds).
    pub time_limit: Option<f64>,
    /// Resident memory of a run (MiB).
    pub memory_limit: Option<u64>,
    /// The values of global objects: `any`, `first`.
    pub globals: Option<String>,
    pub pointer_depth: Option<u32>,
    pub pointer_length: Option<u32>,
    pub unknown_calls: Option<String>,
    /// The functions that the hardware may call.
    pub interrupts: Vec<String>,
    pub data_model: Option<String>,
    pub standard: Option<String>,
    pub portfolio: Option<String>,
}

/// The function with which a program begins.
pub const MAIN: &str = "main";

/// The function that stands for every function.
pub const EVERY: &str = "*";

/// Wall time of a run if no limit is given (seconds).
const TIME_LIMIT: f64 = 60.0;

impl Project {
    /// Reads the file of the project, which is in the current folder.
    ///
    /// # Errors
    /// If it cannot be read, or says something that is not known.
    pub fn read() -> Result<Self, Error> {
        let text = std::fs::read_to_string(NAME).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string())
                .at(Place::file(NAME))
                .with_help("`files = [\"*.c\"]` is the least that it has to say")
        })?;
        toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            Error::new(ErrorKind::Project, error.message()).at(Place::in_text(NAME, &text, start))
        })
    }

    /// The project's files that match the patterns, without those that are excluded.
    ///
    /// # Errors
    /// If a pattern is malformed, or no file matches it.
    fn matching(&self, patterns: &[String]) -> Result<Vec<PathBuf>, Error> {
        let excluded: Vec<glob::Pattern> = self
            .exclude
            .iter()
            .map(|pattern| {
                glob::Pattern::new(pattern).map_err(|error| malformed(pattern, &error.to_string()))
            })
            .collect::<Result<_, _>>()?;
        let mut files: Vec<PathBuf> = Vec::new();
        for pattern in patterns {
            let found =
                glob::glob(pattern).map_err(|error| malformed(pattern, &error.to_string()))?;
            let mut found: Vec<PathBuf> = found.flatten().collect();
            let is_plain = glob::Pattern::escape(pattern) == *pattern;
            if found.is_empty() && is_plain {
                // The run says that the file is missing.
                found.push(PathBuf::from(pattern));
            }
            for file in found {
                let is_excluded = excluded.iter().any(|pattern| pattern.matches_path(&file));
                if !is_excluded && !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        Ok(files)
    }

    /// The arguments about the files of an entry.
    ///
    /// # Errors
    /// If a pattern is malformed, or no file matches it.
    pub fn input(&self, entry: &Entry) -> Result<Vec<OsString>, Error> {
        let patterns = entry.files.as_ref().unwrap_or(&self.files);
        let mut files = self.matching(patterns)?;
        for stub in self.matching(&self.stubs)? {
            if !files.contains(&stub) {
                files.push(stub);
            }
        }
        let mut arguments: Vec<OsString> = files.into_iter().map(OsString::from).collect();
        if arguments.is_empty() && self.database.is_none() {
            return Err(malformed("files", "no C files are given"));
        }
        if let Some(database) = &self.database {
            arguments.extend(["-p".into(), OsString::from(database)]);
            let targets = self.targets.iter();
            arguments.extend(targets.map(|target| format!("--target={target}").into()));
        }
        arguments.extend(
            self.include
                .iter()
                .map(|folder| format!("-I{folder}").into()),
        );
        arguments.extend(
            self.defines
                .iter()
                .map(|define| format!("-D{define}").into()),
        );
        arguments.extend(
            self.flags
                .iter()
                .map(|flag| format!("--flag={flag}").into()),
        );
        Ok(arguments)
    }

    /// The entries, of which there is at least one. `has_main` says whether the project's files define `main`.
    pub fn entries(&self, has_main: bool) -> Vec<Entry> {
        if !self.entry.is_empty() {
            return self.entry.clone();
        }
        let function = match has_main {
            true => MAIN,
            false => EVERY,
        };
        vec![Entry {
            function: function.to_owned(),
            ..Entry::default()
        }]
    }

    /// The lists of checks of an entry, each of which is a run of its own.
    pub fn checks(&self, entry: &Entry) -> Vec<Option<String>> {
        let checks = entry.question.or(&self.common).checks;
        match checks.is_empty() {
            true => vec![None],
            false => checks.into_iter().map(Some).collect(),
        }
    }

    /// The run for a function of an entry and a list of checks.
    pub fn run(
        &self,
        entry: &Entry,
        function: &DefinedFunction,
        checks: Option<&str>,
        input: &[OsString],
    ) -> Run {
        let mut arguments = Vec::new();
        if function.name != MAIN {
            arguments.extend(["--function".into(), OsString::from(&function.name)]);
        }
        for condition in &entry.requires {
            arguments.push(format!("--requires={condition}").into());
        }
        if let Some(checks) = checks {
            arguments.push(format!("--checks={checks}").into());
        }
        arguments.push(format!("--threads={}", self.threads.unwrap_or(1)).into());
        arguments.extend(entry.question.or(&self.common).arguments());
        arguments.extend_from_slice(input);
        Run {
            name: match checks {
                Some(checks) if self.checks(entry).len() > 1 => {
                    format!("{} ({checks})", function.name)
                }
                _ => function.name.clone(),
            },
            place: function.place.clone(),
            arguments,
            sarif: None,
            kept_invariants: None,
            witness: None,
        }
    }
}

impl Question {
    /// What an entry says, and else what the project says.
    fn or(&self, common: &Self) -> Self {
        let given = |own: &[String], other: &[String]| match own.is_empty() {
            true => other.to_vec(),
            false => own.to_vec(),
        };
        let first = |own: &Option<String>, other: &Option<String>| own.clone().or(other.clone());
        Self {
            checks: given(&self.checks, &common.checks),
            interrupts: given(&self.interrupts, &common.interrupts),
            time_limit: self.time_limit.or(common.time_limit),
            memory_limit: self.memory_limit.or(common.memory_limit),
            globals: first(&self.globals, &common.globals),
            pointer_depth: self.pointer_depth.or(common.pointer_depth),
            pointer_length: self.pointer_length.or(common.pointer_length),
            unknown_calls: first(&self.unknown_calls, &common.unknown_calls),
            data_model: first(&self.data_model, &common.data_model),
            standard: first(&self.standard, &common.standard),
            portfolio: first(&self.portfolio, &common.portfolio),
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        let number = |value: Option<u32>| value.map(|value| value.to_string());
        let time = self.time_limit.unwrap_or(TIME_LIMIT);
        let options = [
            ("time-limit", Some(time.to_string())),
            (
                "memory-limit",
                self.memory_limit.map(|limit| limit.to_string()),
            ),
            ("globals", self.globals.clone()),
            ("pointer-depth", number(self.pointer_depth)),
            ("pointer-length", number(self.pointer_length)),
            ("unknown-calls", self.unknown_calls.clone()),
            ("data-model", self.data_model.clone()),
            ("std", self.standard.clone()),
            ("portfolio", self.portfolio.clone()),
        ];
        let given = options.into_iter();
        let given = given.filter_map(|(name, value)| Some(format!("--{name}={}", value?).into()));
        let interrupts = self.interrupts.iter();
        let interrupts = interrupts.map(|name| format!("--interrupt={name}").into());
        given.chain(interrupts).collect()
    }
}

fn malformed(what: &str, why: &str) -> Error {
    Error::new(ErrorKind::Project, format!("{what}: {why}")).at(Place::file(NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_say_more_than_the_project() {
        let text = "files = [\"*.c\"]\nchecks = [\"assertions\", \"overflow\"]\ntime-limit = 5\n\
                    [[entry]]\nfunction = \"f\"\nrequires = [\"x > 0\"]\n[[entry]]\nfunction = \"g\"\nchecks = [\"overflow\"]\n";
        let project: Project = toml::from_str(text).unwrap();
        let entries = project.entries(true);
        let run = |entry: &Entry, checks: &str| {
            let function = DefinedFunction {
                name: entry.function.clone(),
                place: "a.c:1".to_owned(),
            };
            project.run(entry, &function, Some(checks), &["a.c".into()])
        };
        let lists: Vec<Option<String>> = project.checks(&entries[0]);
        assert_eq!(
            lists,
            [Some("assertions".to_owned()), Some("overflow".to_owned())]
        );
        assert_eq!(run(&entries[0], "overflow").name, "f (overflow)");
        let run = run(&entries[1], "overflow");
        assert_eq!(run.name, "g");
        let arguments: Vec<String> = run
            .arguments
            .iter()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let expected = [
            "--function",
            "g",
            "--checks=overflow",
            "--threads=1",
            "--time-limit=5",
            "a.c",
        ];
        assert_eq!(arguments, expected);
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        assert!(toml::from_str::<Project>("file = [\"a.c\"]\n").is_err());
        assert!(toml::from_str::<Project>("[[entry]]\nfunctions = \"f\"\n").is_err());
    }
}

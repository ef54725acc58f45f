//! The definition of an experiment, a TOML file: its tasks, configurations and limits.
//!
//! Paths in it are relative to its folder. An unknown key is an error with its place, as in a portfolio's file.
//!
//! * [`selection`]: the tasks; [`programs`]: builds of the verifier; [`score`]: the scores of verdicts.

pub mod programs;
pub mod score;
pub mod selection;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::results::figure::Figure;
use regatta_base::options::nearest;
use regatta_base::{Error, ErrorKind, Place};
use regatta_run::config::{Analysis, Portfolio};

/// Between the name of a portfolio's configuration and that of the analysis that is left out.
pub const WITHOUT: &str = " without ";

/// An experiment as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The purpose of the experiment.
    #[serde(default)]
    pub description: String,
    /// The seed of samples and of the order of runs.
    #[serde(default)]
    pub seed: u64,
    /// The number of runs of each configuration on each task.
    #[serde(default = "one")]
    pub repetitions: u32,
    /// The order of the runs.
    #[serde(default)]
    pub order: Order,
    /// The number of runs at a time.
    #[serde(default)]
    pub side_by_side: SideBySide,
    /// Whether each run writes a report (`regatta verify --report`), which costs some milliseconds.
    #[serde(default)]
    pub pages: bool,
    /// The counters that tables show (`results/figure.rs`).
    #[serde(default)]
    pub counters: Vec<String>,
    /// The limits of each run.
    pub limits: Limits,
    /// The lists of tasks.
    pub tasks: Vec<Spanned<Tasks>>,
    /// The configurations that are run on each task.
    #[serde(rename = "configuration")]
    pub configurations: Vec<Spanned<Configuration>>,
    /// The file's folder.
    #[serde(skip)]
    pub folder: PathBuf,
}

fn one() -> u32 {
    1
}

/// The order of the runs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Shuffled by the seed, so that a temporary slowdown of the machine affects all configurations.
    #[default]
    Shuffled,
    /// Task by task, as they are listed.
    Listed,
}

/// The number of runs at a time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum SideBySide {
    /// As many as cores and memory allow.
    #[default]
    Auto,
    /// The given number; one if times are to be compared.
    Fixed(u16),
}

impl<'de> Deserialize<'de> for SideBySide {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Number(u16),
            Word(String),
        }
        const EXPECTED: &str = "`side_by_side` is a number of runs from 1, or \"auto\"";
        match Text::deserialize(deserializer) {
            Ok(Text::Number(number)) if number > 0 => Ok(Self::Fixed(number)),
            Ok(Text::Word(word)) if word == "auto" => Ok(Self::Auto),
            _ => Err(serde::de::Error::custom(EXPECTED)),
        }
    }
}

/// The limits of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Wall time in seconds.
    pub wall: f64,
    /// CPU time of all processes of a run together, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<f64>,
    /// Memory of all processes together, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The number of cores of a run, which no other run uses.
    #[serde(default = "one")]
    pub cores: u32,
}

/// A reduction of an experiment by the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// `Some(n)`: of each list, only every n-th task that the file chooses.
    pub every: Option<usize>,
    /// The limit of wall time in seconds. A limit of CPU time is reduced to this time on all cores.
    pub wall: Option<f64>,
    /// The limit of CPU time in seconds, also where the file has none.
    pub cpu: Option<f64>,
    /// The cores of a run.
    pub cores: Option<u32>,
    /// The groups whose lists of tasks are used, too.
    pub groups: Vec<String>,
}

/// A list of tasks: one of the three sources, and the choice of tasks from it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tasks {
    /// Patterns for C files and task definitions (`.yml`): `*`, `?`, `[…]`, `**`.
    #[serde(default)]
    pub files: Vec<String>,
    /// An SV-COMP `.set` file: patterns for task definitions, one a line.
    #[serde(default)]
    pub set: Option<PathBuf>,
    /// A table with a head: `task expected data_model arithmetic`, tab-separated.
    #[serde(default)]
    pub table: Option<PathBuf>,
    /// The group of the list, which is used only if the command line names that; lists without a group are always used.
    #[serde(default)]
    pub group: Option<String>,
    /// A file or folder that must exist for the list to be used.
    #[serde(default)]
    pub if_exists: Option<PathBuf>,
    /// A file or folder that must not exist for the list to be used.
    #[serde(default)]
    pub unless_exists: Option<PathBuf>,
    /// Patterns of the tasks that are left out, for names and paths.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// `Some(n)`: only every n-th task, from the first.
    #[serde(default)]
    pub every: Option<usize>,
    /// The size of a sample of tasks, drawn by the seed.
    #[serde(default)]
    pub sample: Option<usize>,
    /// The category in tables; if not given, the folder's or the set's name.
    #[serde(default)]
    pub category: Option<String>,
    /// The expected verdict if the task does not state one: `true`, `false`, `false(valid-deref)`.
    #[serde(default)]
    pub expected: Option<String>,
    /// The property file if the task does not state one.
    #[serde(default)]
    pub property: Option<PathBuf>,
    /// `ILP32` or `LP64` if the task does not state the data model.
    #[serde(default)]
    pub data_model: Option<String>,
    /// `bitvector` or `integer` if the task does not state the arithmetic.
    #[serde(default)]
    pub arithmetic: Option<String>,
}

/// A configuration of the verifier, which is run on each task.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Its name in tables; if not given, the portfolio's.
    #[serde(default)]
    pub name: String,
    /// A portfolio's name, or a file that ends in `.toml`.
    #[serde(default)]
    pub portfolio: String,
    /// Changed options of the portfolio, as with `--set`, in TOML.
    #[serde(default)]
    pub set: toml::Table,
    /// Whether there is a further configuration for each analysis of the portfolio, `NAME without ANALYSIS`.
    #[serde(default)]
    pub leave_one_out: bool,
    /// Further options of `regatta verify`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The verifier's program; if not given, this one.
    #[serde(default)]
    pub program: Option<PathBuf>,
    /// Settings from the command line.
    #[serde(skip)]
    pub further: Vec<String>,
}

impl Definition {
    /// Reads an experiment's file.
    ///
    /// # Errors
    /// When it cannot be read or is invalid; with the place.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.as_str()))
        })?;
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::parse(&name, &text, folder)
    }

    /// Parses the text of an experiment's file; `name` is for messages, paths are relative to `folder`.
    ///
    /// # Errors
    /// The first error in the text.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Self, Error> {
        let wrong = |place: Range<usize>, message: String| {
            let place = Place::in_text(name, text, place.start);
            Error::new(ErrorKind::Experiment, message).at(place)
        };
        let mut definition: Self = toml::from_str(text).map_err(|error| {
            let message = error.message().replace('\n', ", ");
            let error = wrong(error.span().unwrap_or(0..0), message.clone());
            match suggestion(&message) {
                Some(near) => error.with_help(format!("did you mean `{near}`?")),
                None => error,
            }
        })?;
        definition.folder = folder.to_owned();
        definition
            .check_numbers()
            .map_err(|message| wrong(0..0, message))?;
        for counter in &definition.counters {
            Figure::parse(counter).map_err(|message| wrong(0..0, message))?;
        }
        for tasks in &definition.tasks {
            let check = tasks.get_ref().check();
            check.map_err(|message| wrong(tasks.span(), message))?;
        }
        definition.leave_analyses_out(&wrong)?;
        let mut names: Vec<String> = Vec::new();
        for configuration in &mut definition.configurations {
            let span = configuration.span();
            let configuration = configuration.get_mut();
            if names.contains(&configuration.name) {
                let message = format!("there is a configuration `{}` already", configuration.name);
                return Err(wrong(span, message).with_help("give each a `name` of its own"));
            }
            names.push(configuration.name.clone());
            // Another build may have other portfolios and options, so they cannot be checked here.
            if configuration.program.is_none() {
                let found =
                    Portfolio::find_with(&configuration.portfolio, &configuration.settings());
                found.map_err(|error| {
                    let message = format!("configuration `{}`: {error}", configuration.name);
                    wrong(span, message)
                })?;
            }
        }
        for (list, what) in [
            (definition.tasks.len(), "`[[tasks]]`"),
            (definition.configurations.len(), "`[[configuration]]`"),
        ] {
            if list == 0 {
                return Err(wrong(text.len()..text.len(), format!("no {what}")));
            }
        }
        Ok(definition)
    }

    /// Fills in what configurations do not say, and adds those that leave an analysis out.
    fn leave_analyses_out(
        &mut self,
        wrong: &impl Fn(Range<usize>, String) -> Error,
    ) -> Result<(), Error> {
        let mut all = Vec::with_capacity(self.configurations.len());
        for mut configuration in std::mem::take(&mut self.configurations) {
            let span = configuration.span();
            configuration.get_mut().complete(&self.folder);
            let more = configuration.get_ref().without_each_analysis();
            let more = more.map_err(|message| wrong(span.clone(), message))?;
            all.push(configuration);
            all.extend(more.into_iter().map(|one| Spanned::new(span.clone(), one)));
        }
        self.configurations = all;
        Ok(())
    }

    /// Changes options of all portfolios, as `--set` does.
    ///
    /// # Errors
    /// When a setting is invalid for a portfolio.
    pub fn add_settings(&mut self, settings: &[String]) -> Result<(), Error> {
        for configuration in &mut self.configurations {
            let configuration = configuration.get_mut();
            configuration.further.extend(settings.iter().cloned());
            if configuration.program.is_none() {
                Portfolio::find_with(&configuration.portfolio, &configuration.settings())?;
            }
        }
        Ok(())
    }

    /// Reduces the experiment, for a first impression.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn scale(&mut self, scale: &Scale) -> Result<(), Error> {
        if let Some(every) = scale.every {
            for tasks in &mut self.tasks {
                let tasks = tasks.get_mut();
                let before = tasks.every.unwrap_or(1);
                tasks.every = Some(before.saturating_mul(every));
            }
        }
        for group in &scale.groups {
            let mut known = self.tasks.iter().map(|tasks| &tasks.get_ref().group);
            if !known.any(|known| known.as_ref() == Some(group)) {
                let message = format!("no list of tasks has the group `{group}`");
                return Err(Error::new(ErrorKind::Experiment, message));
            }
        }
        self.tasks.retain(|tasks| {
            let group = tasks.get_ref().group.as_ref();
            group.is_none_or(|group| scale.groups.contains(group))
        });
        if let Some(wall) = scale.wall {
            self.limits.wall = wall;
            let cpu = wall * f64::from(scale.cores.unwrap_or(self.limits.cores));
            self.limits.cpu = self.limits.cpu.map(|limit| limit.min(cpu));
        }
        self.limits.cpu = scale.cpu.or(self.limits.cpu);
        self.limits.cores = scale.cores.unwrap_or(self.limits.cores);
        let wrong = |message: String| Error::new(ErrorKind::Experiment, message);
        if scale.every == Some(0) {
            return Err(wrong("`every` is a number from 1".to_owned()));
        }
        self.check_numbers().map_err(wrong)
    }

    fn check_numbers(&self) -> Result<(), String> {
        /// Maximum of a time limit, in seconds.
        const MAXIMUM_SECONDS: f64 = 1e9;
        let is_time = |seconds: f64| seconds > 0.0 && seconds <= MAXIMUM_SECONDS;
        let limits = &self.limits;
        if !is_time(limits.wall) || limits.cpu.is_some_and(|cpu| !is_time(cpu)) {
            return Err("a limit of time is a positive number of seconds".to_owned());
        }
        if limits.cores == 0 || limits.memory == Some(0) || self.repetitions == 0 {
            return Err("`cores`, `memory` and `repetitions` are numbers from 1".to_owned());
        }
        Ok(())
    }
}

impl Tasks {
    /// Checks whether the list is used on this machine; paths are relative to the folder.
    pub fn applies(&self, folder: &Path) -> bool {
        let exists = |path: &PathBuf| folder.join(path).exists();
        self.if_exists.as_ref().is_none_or(exists)
            && !self.unless_exists.as_ref().is_some_and(exists)
    }

    fn check(&self) -> Result<(), String> {
        let sources = [
            !self.files.is_empty(),
            self.set.is_some(),
            self.table.is_some(),
        ];
        if sources.iter().filter(|&&given| given).count() != 1 {
            return Err("a list of tasks has one of `files`, `set` and `table`".to_owned());
        }
        if self.every == Some(0) || self.sample == Some(0) {
            return Err("`every` and `sample` are numbers from 1".to_owned());
        }
        if let Some(expected) = &self.expected
            && !crate::definition::score::is_expectation(expected)
        {
            return Err(format!(
                "`expected` is \"true\", \"false\" or \"false(…)\", not {expected:?}"
            ));
        }
        for (given, known) in [
            (&self.data_model, ["ILP32", "LP64"]),
            (&self.arithmetic, ["bitvector", "integer"]),
        ] {
            if let Some(given) = given
                && !known.contains(&given.as_str())
            {
                return Err(format!(
                    "{given:?} is neither {:?} nor {:?}",
                    known[0], known[1]
                ));
            }
        }
        Ok(())
    }
}

impl Configuration {
    /// Fills in defaults, and makes paths relative to the working folder.
    fn complete(&mut self, folder: &Path) {
        if self.portfolio.is_empty() {
            "default".clone_into(&mut self.portfolio);
        }
        if self.name.is_empty() {
            let name = self.portfolio.rsplit('/').next().unwrap_or_default();
            name.trim_end_matches(".toml").clone_into(&mut self.name);
        }
        // The names of portfolios may have slashes, too: `papers/ctigar`.
        if self.portfolio.ends_with(".toml") {
            self.portfolio = folder.join(&self.portfolio).display().to_string();
        }
        if let Some(program) = &mut self.program {
            *program = folder.join(&program);
        }
    }

    /// Returns for each analysis of the portfolio the configuration without it, if that is asked for.
    fn without_each_analysis(&self) -> Result<Vec<Self>, String> {
        if !self.leave_one_out {
            return Ok(Vec::new());
        }
        if self.program.is_some() {
            return Err(
                "`leave_one_out` needs a portfolio of this program, not another `program`"
                    .to_owned(),
            );
        }
        let portfolio = Portfolio::find_with(&self.portfolio, &self.settings());
        let portfolio = portfolio.map_err(|error| error.to_string())?;
        let names: Vec<&str> = portfolio.analyses.iter().map(Analysis::name).collect();
        if names.len() < 2 {
            let name = &self.name;
            return Err(format!(
                "`leave_one_out`: `{name}` has fewer than two analyses"
            ));
        }
        let without = |left_out: &str| {
            let others = names.iter().filter(|&&name| name != left_out);
            let others = others.map(|&name| toml::Value::String(name.to_owned()));
            let mut reduced = self.clone();
            reduced.leave_one_out = false;
            reduced.name = format!("{}{WITHOUT}{left_out}", self.name);
            let only = toml::Value::Array(others.collect());
            reduced.set.insert("only".to_owned(), only);
            reduced
        };
        Ok(names.iter().map(|name| without(name)).collect())
    }

    /// Returns the changed options in the syntax of `--set`, in the order of their keys.
    pub fn settings(&self) -> Vec<String> {
        let mut settings = Vec::new();
        collect_settings(&self.set, "", &mut settings);
        settings.extend(self.further.iter().cloned());
        settings
    }
}

fn collect_settings(table: &toml::Table, prefix: &str, settings: &mut Vec<String>) {
    let sorted: BTreeMap<&String, &toml::Value> = table.iter().collect();
    for (key, value) in sorted {
        let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let key = match !key.is_empty() && key.chars().all(is_bare) {
            true => key.clone(),
            false => toml::Value::String(key.clone()).to_string(),
        };
        let key = format!("{prefix}{key}");
        match value {
            toml::Value::Table(table) => collect_settings(table, &format!("{key}."), settings),
            value => settings.push(format!("{key}={value}")),
        }
    }
}

/// Returns a suggestion from serde's message about an unknown field.
fn suggestion(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let given = quoted.next().filter(|_| message.starts_with("unknown"))?;
    nearest(given, quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "limits.wall = 1\n[[tasks]]\nfiles = [\"*.c\"]\n[[configuration]]\n";

    #[test]
    fn missing_keys_have_defaults() {
        let definition = Definition::parse("e.toml", LEAST, Path::new("")).expect("an experiment");
        assert_eq!(definition.repetitions, 1);
        assert_eq!(definition.order, Order::Shuffled);
        assert_eq!(definition.side_by_side, SideBySide::Auto);
        assert_eq!(definition.configurations[0].get_ref().name, "default");
    }

    #[test]
    fn settings_are_those_of_the_command_line() {
        let text = format!(
            "{LEAST}portfolio = \"ki\"\nset.sharing = \"off\"\n\
             set.analysis.k-induction.solver = \"z3\"\nset.analysis.\"a.b\".x = [1, 2]\n"
        );
        let read: Result<Definition, _> = toml::from_str(&text);
        let definition = read.expect("TOML");
        assert_eq!(
            definition.configurations[0].get_ref().settings(),
            [
                "analysis.\"a.b\".x=[1, 2]",
                "analysis.k-induction.solver=\"z3\"",
                "sharing=\"off\"",
            ]
        );
    }

    #[test]
    fn analyses_are_left_out_one_by_one() {
        let text = format!("{LEAST}name = \"v\"\nportfolio = \"vvt\"\nleave_one_out = true\n");
        let definition = Definition::parse("e.toml", &text, Path::new("")).expect("an experiment");
        let configurations = definition.configurations.iter();
        let described: Vec<(&str, Vec<String>)> = configurations
            .map(Spanned::get_ref)
            .map(|one| (one.name.as_str(), one.settings()))
            .collect();
        let all: Vec<String> = Portfolio::find("vvt")
            .expect("a portfolio")
            .analyses
            .iter()
            .map(|analysis| analysis.name().to_owned())
            .collect();
        assert_eq!(described.len(), 1 + all.len());
        assert_eq!(described[0], ("v", Vec::new()));
        for (name, (described, settings)) in all.iter().zip(&described[1..]) {
            assert_eq!(*described, format!("v without {name}"));
            assert!(
                settings[0].starts_with("only=") && !settings[0].contains(&format!("\"{name}\""))
            );
        }
    }

    #[test]
    fn lists_of_other_groups_do_not_count() {
        let text = LEAST.replace(
            "[[tasks]]",
            "[[tasks]]\nfiles = [\"x.c\"]\ngroup = \"full\"\n[[tasks]]",
        );
        let scaled = |groups: &[&str]| {
            let mut definition =
                Definition::parse("e.toml", &text, Path::new("")).expect("an experiment");
            let groups = groups.iter().map(|&group| group.to_owned()).collect();
            let scale = Scale {
                groups,
                ..Scale::default()
            };
            definition.scale(&scale).map(|()| definition.tasks.len())
        };
        assert_eq!(scaled(&[]).ok(), Some(1));
        assert_eq!(scaled(&["full"]).ok(), Some(2));
        let error = scaled(&["ful"]).expect_err("no such group").to_string();
        assert!(
            error.contains("no list of tasks has the group `ful`"),
            "{error}"
        );
    }

    #[test]
    fn mistakes_have_their_places() {
        let with = |more: &str| format!("{LEAST}{more}");
        for (text, expected) in [
            (
                with("portfolo = \"bmc\"\n"),
                "e.toml:5:1: experiment: unknown field `portfolo`",
            ),
            (with("portfolio = \"bcm\"\n"), "there is no `bcm`"),
            (
                with("set.sharing = \"of\"\n"),
                "`sharing` is \"on\" or \"off\"",
            ),
            (
                with("[[configuration]]\n"),
                "e.toml:5:1: experiment: there is a configuration `default` already",
            ),
            (
                with("portfolio = \"bmc\"\nset.only = [\"bmc\"]\nleave_one_out = true\n"),
                "`bmc` has fewer than two analyses",
            ),
            (LEAST.replace("= 1", "= 0"), "a positive number of seconds"),
            (
                LEAST.replace("= 1", "= nan"),
                "a positive number of seconds",
            ),
            (
                format!("side_by_side = 0\n{LEAST}"),
                "e.toml:1:16: experiment: `side_by_side` is",
            ),
            (
                LEAST.replace("files", "set = \"a\"\nfiles"),
                "has one of `files`, `set` and `table`",
            ),
            (
                LEAST.replace("files", "expected = \"maybe\"\nfiles"),
                "`expected` is \"true\"",
            ),
            (
                LEAST.replace("files", "data_model = \"LP32\"\nfiles"),
                "neither \"ILP32\" nor",
            ),
            (
                LEAST.replace("[[configuration]]", ""),
                "missing field `configuration`",
            ),
            (
                "limits.wall = 1\ntasks = []\nconfiguration = []\n".to_owned(),
                "no `[[tasks]]`",
            ),
        ] {
            let error = Definition::parse("e.toml", &text, Path::new(""));
            let error = error.expect_err(&text).to_string();
            assert!(error.contains(expected), "{error}\nnot\n{expected}");
        }
    }
}

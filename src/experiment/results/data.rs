//! The runs of one or more folders of results, for tables and plots.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::evaluation::statistics::median;
use crate::results::folder::Results;
use crate::results::record::Record;
use regatta_base::Error;

/// The runs of several folders, by configuration.
#[derive(Clone, Debug)]
pub struct Data {
    /// The configurations in the order of the folders and their files.
    pub configurations: Vec<Configuration>,
    /// The categories in alphabetical order.
    pub categories: Vec<String>,
    /// Remarks for the reader, such as that runs are missing.
    pub remarks: Vec<String>,
    pub folders: Vec<Results>,
}

/// A configuration with its runs.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The name, with the folder's if two folders have a configuration of that name.
    pub name: String,
    /// The number of its folder.
    pub folder: usize,
    /// The limit of wall time, in seconds.
    pub limit: f64,
    pub records: Vec<Record>,
}

impl Configuration {
    /// Returns the runs of the category, or all runs.
    pub fn of<'c>(&'c self, category: Option<&'c str>) -> impl Iterator<Item = &'c Record> + Clone {
        let is_wanted =
            move |record: &&Record| category.is_none_or(|category| record.category == category);
        self.records.iter().filter(is_wanted)
    }

    /// Returns the PAR-2 score of a run: the wall time if it has solved its task, else twice the limit.
    pub fn par2(&self, record: &Record) -> f64 {
        match record.is_solved() {
            true => record.wall,
            false => 2.0 * self.limit,
        }
    }

    /// Returns the tasks that one of its runs has solved.
    pub fn solved_tasks(&self) -> BTreeSet<String> {
        let solved = self.records.iter().filter(|record| record.is_solved());
        solved.map(|record| record.key.task.clone()).collect()
    }

    /// Returns the means of this configuration and of the other one for the tasks that both were run on.
    pub fn common_tasks<'d>(&'d self, other: &Self) -> Vec<(&'d str, Means, Means)> {
        let others = other.by_task();
        let tasks = self.by_task().into_iter();
        let common = tasks.filter_map(|(task, means)| Some((task, means, *others.get(task)?)));
        common.collect()
    }

    /// Returns the means over repetitions, by task.
    pub fn by_task(&self) -> BTreeMap<&str, Means> {
        let mut sums: BTreeMap<&str, Means> = BTreeMap::new();
        for record in &self.records {
            let means = sums.entry(&record.key.task).or_default();
            means.runs += 1.0;
            means.solved += f64::from(u8::from(record.is_solved()));
            means.score += f64::from(record.score);
            means.par2 += self.par2(record);
            means.cpu += record.cpu;
        }
        for means in sums.values_mut() {
            for sum in [
                &mut means.solved,
                &mut means.score,
                &mut means.par2,
                &mut means.cpu,
            ] {
                *sum /= means.runs;
            }
        }
        sums
    }
}

/// The means of a configuration's runs on a task.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Means {
    pub runs: f64,
    pub solved: f64,
    pub score: f64,
    pub par2: f64,
    pub cpu: f64,
}

impl Data {
    /// Reads folders of results.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let folders = paths.iter().map(|path| Results::read(path));
        Ok(Self::new(folders.collect::<Result<_, _>>()?))
    }

    fn new(mut folders: Vec<Results>) -> Self {
        let mut remarks = Vec::new();
        let mut configurations: Vec<Configuration> = Vec::new();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for folder in &folders {
            for described in &folder.description.fixed.configurations {
                *names.entry(described.name.clone()).or_default() += 1;
            }
        }
        for (number, folder) in folders.iter_mut().enumerate() {
            let path = folder.path.display().to_string();
            let (made, planned) = (folder.records.len(), folder.planned());
            if made < planned {
                remarks.push(format!("{path}: {made} of {planned} runs have been made"));
            }
            if folder.is_torn {
                remarks.push(format!("{path}: the last line is torn and left out"));
            }
            let mut runs: BTreeMap<String, Vec<Record>> = BTreeMap::new();
            for record in std::mem::take(&mut folder.records) {
                let name = record.key.configuration.clone();
                runs.entry(name).or_default().push(record);
            }
            for described in &folder.description.fixed.configurations {
                let mut records = runs.remove(&described.name).unwrap_or_default();
                records.sort_by(|one, other| one.key.cmp(&other.key));
                let mut name = described.name.clone();
                if names[&name] > 1 {
                    name = format!("{name} ({path})");
                }
                configurations.push(Configuration {
                    name,
                    folder: number,
                    limit: folder.description.fixed.limits.wall,
                    records,
                });
            }
        }
        let records = configurations
            .iter()
            .flat_map(|configuration| &configuration.records);
        let mut categories: Vec<String> = records.map(|record| record.category.clone()).collect();
        categories.sort_unstable();
        categories.dedup();
        Self {
            configurations,
            categories,
            remarks,
            folders,
        }
    }

    /// Keeps the runs that satisfy the predicate.
    pub fn retain(&mut self, is_wanted: impl Fn(&Record) -> bool) {
        for configuration in &mut self.configurations {
            configuration.records.retain(&is_wanted);
        }
    }

    /// Returns the tasks that all configurations with runs solve, in each of their runs.
    pub fn solved_by_all(&self) -> BTreeSet<&str> {
        let with_runs = self.configurations.iter();
        let with_runs = with_runs.filter(|configuration| !configuration.records.is_empty());
        let solved = with_runs.map(|configuration| -> BTreeSet<&str> {
            let tasks = configuration.by_task().into_iter();
            let tasks = tasks.filter(|(_, means)| means.solved >= 1.0);
            tasks.map(|(task, _)| task).collect()
        });
        solved
            .reduce(|one, other| &one & &other)
            .unwrap_or_default()
    }

    /// Returns SV-COMP's normalised score of a configuration: the sum over the categories of the score divided by the number
    /// of runs, times the average number of runs of a category, so that each category has the same weight. `None` without runs.
    pub fn normalised_score(&self, configuration: &Configuration) -> Option<f64> {
        let categories = self.categories.iter().map(|category| {
            let (mut runs, mut score) = (0.0, 0.0);
            for record in configuration.of(Some(category)) {
                runs += 1.0;
                score += f64::from(record.score);
            }
            (runs, score)
        });
        let categories: Vec<(f64, f64)> = categories.filter(|(runs, _)| *runs > 0.0).collect();
        let runs: f64 = categories.iter().map(|(runs, _)| runs).sum();
        let parts: f64 = categories.iter().map(|(runs, score)| score / runs).sum();
        (!categories.is_empty()).then(|| parts * runs / categories.len() as f64)
    }

    /// Returns all runs.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.configurations
            .iter()
            .flat_map(|configuration| &configuration.records)
    }
}

/// A summary of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub runs: usize,
    pub proofs: usize,
    pub alarms: usize,
    pub wrong: usize,
    /// The numbers of runs without an answer, by reason.
    pub unknown: BTreeMap<String, usize>,
    /// The number of answers to tasks without a known verdict.
    pub unjudged: usize,
    pub score: i64,
    /// The score if all tasks were solved.
    pub most: i64,
    /// The mean of the PAR-2 scores in seconds.
    pub par2: f64,
    /// The median wall time of the solved tasks, in seconds.
    pub median: Option<f64>,
    /// The number of runs on tasks that all configurations solve, and their median wall time, in seconds: unlike that of the
    /// tasks that this configuration solves, it does not grow when a configuration solves more.
    pub common: usize,
    pub common_median: Option<f64>,
    /// The CPU time of all runs, in seconds.
    pub cpu: f64,
}

impl Summary {
    /// Summarises the runs of a configuration, of one category or all. `common` are the tasks that all configurations solve
    /// ([`Data::solved_by_all`]).
    pub fn new(
        configuration: &Configuration,
        category: Option<&str>,
        common: &BTreeSet<&str>,
    ) -> Self {
        let mut summary = Self::default();
        let mut walls = Vec::new();
        let mut common_walls = Vec::new();
        for record in configuration.of(category) {
            summary.runs += 1;
            summary.score += i64::from(record.score);
            summary.cpu += record.cpu;
            summary.par2 += configuration.par2(record);
            summary.most += match record.expected.as_deref() {
                Some("true") => 2,
                Some(_) => 1,
                None => 0,
            };
            let is_proof = record.verdict == "true";
            if record.is_solved() {
                walls.push(record.wall);
                if common.contains(record.key.task.as_str()) {
                    common_walls.push(record.wall);
                }
                summary.proofs += usize::from(is_proof);
                summary.alarms += usize::from(!is_proof);
            } else if record.is_wrong() {
                summary.wrong += 1;
            } else if is_proof || record.verdict.starts_with("false") {
                summary.unjudged += 1;
            } else {
                *summary.unknown.entry(record.reason_class()).or_default() += 1;
            }
        }
        summary.par2 /= summary.runs.max(1) as f64;
        summary.median = median(walls);
        summary.common = common_walls.len();
        summary.common_median = median(common_walls);
        summary
    }

    /// Returns the number of right answers.
    pub fn solved(&self) -> usize {
        self.proofs + self.alarms
    }
}

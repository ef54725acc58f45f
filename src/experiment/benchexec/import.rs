//! Converts result files of BenchExec to a folder of results, for tables, comparisons and plots.
//!
//! A run definition of a tool (with its version and options) is a configuration; several executions of it are
//! repetitions. BenchExec writes a file for each set of tasks and may write one for all: a run in both counts once. The
//! score is computed by [`crate::definition::score`], as for own runs; answers that BenchExec judged differently are
//! counted in a remark. Parts without a counterpart are left out and counted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::document::{Attributes, Document, Run, bytes, seconds, unknown_environment};
use super::naming::{Identity, TaskKey, configuration_names, plain, task_key, task_names};
use super::{TOOL, title, verdict_of};
use crate::definition::score::{is_expectation, score};
use crate::definition::selection::Selected;
use crate::definition::{Limits, Order};
use crate::results::folder::{Described, Description, Fixed};
use crate::results::record::{Key, Measured, Record};
use regatta_base::{Error, ErrorKind, Place};
use regatta_report::utc;

/// The imported content of a folder of results.
#[derive(Clone, Debug)]
pub struct Imported {
    pub description: Description,
    pub records: Vec<Record>,
    /// Remarks about the parts that were left out.
    pub remarks: Vec<String>,
}

/// The columns that have a counterpart in a record, or follow from others.
const IMPORTED_COLUMNS: [&str; 15] = [
    title::STATUS,
    title::CATEGORY,
    title::CPU,
    title::WALL,
    title::MEMORY,
    title::TERMINATION,
    title::EXIT_CODE,
    title::SIGNAL,
    title::CORES,
    title::BEGUN,
    title::WINNER,
    title::REASON,
    title::TASK_SET,
    title::TASK,
    title::REPETITION,
];

/// The method of measurement of imported runs.
const MEASURED_BY: &str = "BenchExec";

/// Reads result files and combines them.
///
/// # Errors
/// When a file is invalid, the files have different limits, or there is no run.
pub fn import(files: &[PathBuf]) -> Result<Imported, Error> {
    let mut documents = Vec::with_capacity(files.len());
    for file in files {
        documents.push((file.as_path(), Document::read(file)?));
    }
    assemble(documents)
}

/// The numbers of parts that are left out, by kind.
#[derive(Default)]
struct LeftOut {
    columns: BTreeMap<String, usize>,
    sums: usize,
    /// Runs without a result; runs without a name or times; runs that occur twice.
    open: usize,
    unreadable: usize,
    twice: usize,
    /// Answers that BenchExec judged differently.
    otherwise: usize,
    /// Expected verdicts that were derived from BenchExec's judgement.
    concluded: usize,
}

fn assemble(mut documents: Vec<(&Path, Document)>) -> Result<Imported, Error> {
    let limits = common_limits(&documents)?;
    let mut left_out = LeftOut::default();
    let mut remarks = Vec::new();
    for (file, document) in &documents {
        left_out.sums += document.sums;
        if let Some(error) = document.attribute("error") {
            remarks.push(format!("{}: BenchExec says: {error}", file.display()));
        }
    }
    // A file for one set of tasks names the set, so it is read before the file for all sets.
    documents.sort_by_key(|(_, document)| document.attribute("block").is_none());
    let identities: Vec<Identity> = documents
        .iter()
        .map(|(_, document)| Identity::new(document))
        .collect();
    let executions = executions(&documents, &identities);
    let configurations = configuration_names(&identities);
    let names = task_names(&documents);
    let mut tasks: BTreeMap<&TaskKey, Selected> = BTreeMap::new();
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut records = Vec::new();
    for ((_, document), identity) in documents.iter().zip(&identities) {
        let repetition = executions[identity]
            .iter()
            .position(|execution| *execution == Execution::of(document));
        for run in &document.runs {
            let found = task_key(run).and_then(|key| names.get_key_value(&key));
            let Some((key, name)) = found else {
                left_out.unreadable += 1;
                continue;
            };
            let record_key = Key {
                configuration: configurations[identity].clone(),
                task: name.clone(),
                repetition: u32::try_from(repetition.unwrap_or(0)).unwrap_or(u32::MAX),
            };
            if seen.contains(&record_key) {
                left_out.twice += 1;
                continue;
            }
            let category = category(document, run, &key.0);
            // A task without a result is still a task of the experiment.
            let expected = expected(run, &mut left_out);
            tasks.entry(key).or_insert_with(|| Selected {
                name: name.clone(),
                category: category.clone(),
                expected: expected.clone(),
                arguments: run.attributes.get("name").cloned().into_iter().collect(),
                digest: String::new(),
            });
            if let Some(record) = record(run, &record_key, category, expected, &mut left_out) {
                seen.insert(record_key);
                records.push(record);
            }
        }
    }
    if records.is_empty() {
        let (file, _) = documents[0];
        let place = Place::file(file.display().to_string());
        return Err(Error::new(ErrorKind::Experiment, "there is no run with a result").at(place));
    }
    remarks.extend(left_out.remarks());
    records.sort_by(|one: &Record, other| one.begun.total_cmp(&other.begun));
    let repetitions = executions.values().map(BTreeSet::len).max().unwrap_or(1);
    let fixed = Fixed {
        description: description(&documents),
        version: versions(&identities),
        seed: 0,
        repetitions: u32::try_from(repetitions).unwrap_or(u32::MAX),
        order: Order::Listed,
        limits: limits.unwrap_or_else(|| longest(&records)),
        configurations: described(&identities, &configurations),
        tasks: tasks.into_values().collect(),
    };
    let environment = documents
        .iter()
        .find_map(|(_, document)| document.environment.clone());
    Ok(Imported {
        description: Description {
            fixed,
            environment: environment.unwrap_or_else(unknown_environment),
            measured: measured(),
            begun: records.first().map_or(0.0, |record| record.begun),
            side_by_side: 1,
            counters: Vec::new(),
        },
        records,
        remarks,
    })
}

fn measured() -> Measured {
    Measured {
        cpu: MEASURED_BY.to_owned(),
        memory: MEASURED_BY.to_owned(),
    }
}

/// The execution of its configuration that a file belongs to, ordered by time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Execution {
    /// The repetition in files of this program; zero in others.
    repetition: u32,
    /// The date, which all files of one call of BenchExec share; several repetitions of this program may begin in one second.
    moment: String,
}

impl Execution {
    fn of(document: &Document) -> Self {
        let attribute = |name: &str| document.attribute(name).unwrap_or_default();
        let mut runs = document.runs.iter();
        let given = runs.find_map(|run| run.columns.get(title::REPETITION));
        Self {
            repetition: given.and_then(|text| text.parse().ok()).unwrap_or(0),
            moment: format!("{} {}", attribute("date"), attribute("starttime")),
        }
    }
}

/// Returns the executions of each configuration in their order.
fn executions(
    documents: &[(&Path, Document)],
    identities: &[Identity],
) -> BTreeMap<Identity, BTreeSet<Execution>> {
    let mut executions: BTreeMap<Identity, BTreeSet<Execution>> = BTreeMap::new();
    for ((_, document), identity) in documents.iter().zip(identities) {
        let of = executions.entry(identity.clone()).or_default();
        of.insert(Execution::of(document));
    }
    executions
}

/// Returns the configurations in the order of the files.
fn described(identities: &[Identity], names: &BTreeMap<Identity, String>) -> Vec<Described> {
    let mut described: Vec<Described> = Vec::new();
    for identity in identities {
        let name = &names[identity];
        if described.iter().all(|known| &known.name != name) {
            described.push(Described {
                name: name.clone(),
                arguments: identity
                    .options
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect(),
                program: identity.tool.clone(),
                digest: String::new(),
                portfolio: String::new(),
            });
        }
    }
    described
}

/// Returns the set of tasks, or else the folder's name.
fn category(document: &Document, run: &Run, path: &str) -> String {
    let given = run.columns.get(title::TASK_SET).map(String::as_str);
    let given = given.filter(|name| !name.is_empty());
    let folder = || Path::new(path).parent().and_then(Path::file_name);
    match given.or_else(|| document.attribute("block")) {
        Some(name) => plain(name),
        None => match folder() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => "tasks".to_owned(),
        },
    }
}

/// Returns the expected verdict: as stated, or as it follows from BenchExec's judgement of an answer.
fn expected(run: &Run, left_out: &mut LeftOut) -> Option<String> {
    let told = run.attributes.get("expectedVerdict").map(String::as_str);
    if let Some(told) = told.filter(|told| is_expectation(told)) {
        return Some(told.to_owned());
    }
    let column = |title: &str| run.columns.get(title).map_or("", String::as_str);
    let (verdict, _) = verdict_of(column(title::STATUS), false);
    let concluded = match (column(title::CATEGORY), verdict.as_str()) {
        ("correct" | "correct-unconfirmed", "true") => "true",
        ("correct" | "correct-unconfirmed", alarm) if alarm.starts_with("false") => "false",
        ("wrong", "true") => "false",
        ("wrong", alarm) if alarm.starts_with("false") => "true",
        _ => return None,
    };
    left_out.concluded += 1;
    Some(concluded.to_owned())
}

/// Returns the record of a run, if it has a result.
fn record(
    run: &Run,
    key: &Key,
    category: String,
    expected: Option<String>,
    left_out: &mut LeftOut,
) -> Option<Record> {
    let column = |title: &str| run.columns.get(title).map_or("", |value| value.trim());
    let status = column(title::STATUS);
    if status.is_empty() {
        left_out.open += 1;
        return None;
    }
    let times = (seconds(column(title::WALL)), seconds(column(title::CPU)));
    let (wall, cpu) = match times {
        (Some(wall), Some(cpu)) => (wall, cpu),
        (Some(time), None) | (None, Some(time)) => (time, time),
        (None, None) => {
            left_out.unreadable += 1;
            return None;
        }
    };
    for title in run.columns.keys() {
        if !IMPORTED_COLUMNS.contains(&title.as_str()) {
            *left_out.columns.entry(title.clone()).or_default() += 1;
        }
    }
    let (verdict, own_reason) = verdict_of(status, !column(title::TERMINATION).is_empty());
    let reason = match column(title::REASON) {
        "" => own_reason,
        reason => reason.to_owned(),
    };
    let score = score(expected.as_deref(), &verdict);
    left_out.otherwise += usize::from(match column(title::CATEGORY) {
        "correct" | "correct-unconfirmed" => score <= 0,
        "wrong" => score >= 0,
        _ => score != 0,
    });
    let winner = column(title::WINNER).trim_matches('-');
    let exit = match column(title::SIGNAL).parse::<i32>() {
        Ok(signal) => signal.saturating_neg(),
        Err(_) => column(title::EXIT_CODE).parse().unwrap_or(0),
    };
    let cores = column(title::CORES).split(',');
    Some(Record {
        key: key.clone(),
        category,
        expected,
        score,
        verdict,
        reason,
        winner: (!winner.is_empty()).then(|| winner.to_owned()),
        wall,
        cpu,
        memory: bytes(column(title::MEMORY)).unwrap_or(0),
        measured: measured(),
        exit,
        begun: utc::parse(column(title::BEGUN)).unwrap_or(0.0),
        cores: cores.filter_map(|core| core.trim().parse().ok()).collect(),
        overhead: 0.0,
        features: BTreeMap::new(),
        analyses: Vec::new(),
        log: String::new(),
    })
}

impl LeftOut {
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let values: usize = self.columns.values().sum();
        if values > 0 {
            let titles: Vec<&str> = self.columns.keys().map(String::as_str).collect();
            let titles = titles.join(", ");
            remarks.push(format!(
                "{values} values of columns without a counterpart are left out: {titles}"
            ));
        }
        for (number, what) in [
            (self.sums, "sums over all runs are left out"),
            (self.open, "runs without a result are left out"),
            (
                self.unreadable,
                "runs without a name or without times are left out",
            ),
            (self.twice, "runs that are there twice are taken once"),
            (
                self.concluded,
                "expected verdicts are missing, and derived from BenchExec's category",
            ),
            (
                self.otherwise,
                "answers are judged differently by BenchExec",
            ),
        ] {
            if number > 0 {
                remarks.push(format!("{number} {what}"));
            }
        }
        remarks
    }
}

/// Returns the common limits of all files; `None` if they have none.
fn common_limits(documents: &[(&Path, Document)]) -> Result<Option<Limits>, Error> {
    let mut common: Option<(&Path, Option<Limits>)> = None;
    for (file, document) in documents {
        let limits = limits(&document.attributes);
        match &common {
            Some((first, known)) if *known != limits => {
                let message = format!("its limits are not those of {}", first.display());
                return Err(Error::new(ErrorKind::Experiment, message)
                    .at(Place::file(file.display().to_string()))
                    .with_help("import the two into folders of their own; tables take several"));
            }
            Some(_) => {}
            None => common = Some((*file, limits)),
        }
    }
    Ok(common.and_then(|(_, limits)| limits))
}

/// Returns the limits of a file. BenchExec has no limit of wall time: it is taken from the options of Regatta's runs, or else
/// from the limit of CPU time.
fn limits(attributes: &Attributes) -> Option<Limits> {
    let of = |name: &str| attributes.get(name).map_or("", String::as_str);
    let cpu = seconds(of("timelimit")).filter(|&limit| limit > 0.0);
    let mut options = of("options").split_whitespace();
    // In another tool the option may have another meaning.
    let option = options
        .find(|option| *option == "--time-limit" && of("tool") == TOOL)
        .and_then(|_| options.next());
    let wall = option.and_then(seconds).filter(|&limit| limit > 0.0);
    Some(Limits {
        wall: wall.or(cpu)?,
        cpu,
        memory: bytes(of("memlimit")).map(|bytes| bytes >> 20),
        cores: of("cpuCores").trim().parse().unwrap_or(1),
    })
}

/// Returns the limits for files without limits: the time of the longest run.
fn longest(records: &[Record]) -> Limits {
    let times = records.iter().map(|record| record.wall);
    Limits {
        wall: times.fold(1.0, f64::max),
        cpu: None,
        memory: None,
        cores: 1,
    }
}

fn description(documents: &[(&Path, Document)]) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for (_, document) in documents {
        if !document.description.is_empty() && !texts.contains(&document.description.as_str()) {
            texts.push(&document.description);
        }
    }
    texts.join("; ")
}

fn versions(identities: &[Identity]) -> String {
    let all: BTreeSet<String> = identities
        .iter()
        .map(|identity| format!("{} {}", identity.tool, identity.version))
        .collect();
    // Regatta's version is written without the tool's name, as in own folders.
    let all: Vec<&str> = all.iter().map(|text| text.trim()).collect();
    match all.as_slice() {
        [one] => one.strip_prefix("Regatta ").unwrap_or(one).to_owned(),
        all => all.join(", "),
    }
}

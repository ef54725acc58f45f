//! Writes the records of a folder as result files of BenchExec: one for each configuration and repetition.
//!
//! A file follows version 3.12 of the document type, and describes the machine by system, processor and memory only.
//! Counters and the results of single analyses have no counterpart there and are left out.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use bzip2::Compression;
use bzip2::write::BzEncoder;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use rustc_hash::FxHashMap;

use super::{TOOL, status_of, title};
use crate::definition::selection::Selected;
use crate::results::folder::{Described, Description, Results};
use crate::results::record::Record;
use regatta_frontend::{Specification, Task};
use regatta_report::utc;

const DOCUMENT_TYPE: &str = "result PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.12//EN' \
     'https://www.sosy-lab.org/benchexec/result-3.12.dtd'";

/// The columns that `table-generator` shows; the others are hidden.
const VISIBLE_COLUMNS: [&str; 6] = [
    title::STATUS,
    title::CPU,
    title::WALL,
    title::MEMORY,
    title::WINNER,
    title::REASON,
];

/// A result file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// The name in BenchExec's form: `experiment.2026-11-23_19-53-39.results.configuration.xml`, with `.bz2` if it is compressed.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Returns the result files of a folder. `is_packed`: compressed by bzip2, as BenchExec does.
///
/// # Errors
/// When writing to memory fails.
pub fn result_files(results: &Results, is_packed: bool) -> std::io::Result<Vec<ResultFile>> {
    let fixed = &results.description.fixed;
    let tasks: Vec<TaskParts> = fixed.tasks.iter().map(TaskParts::new).collect();
    let names = fixed.tasks.iter().map(|task| task.name.as_str());
    let numbers: FxHashMap<&str, usize> = names.zip(0..).collect();
    let mut files: Vec<ResultFile> = Vec::new();
    for described in &fixed.configurations {
        for repetition in 0..fixed.repetitions {
            // BenchExec writes runs in the order of the tasks.
            let mut runs: Vec<(usize, &Record)> = Vec::new();
            for record in &results.records {
                let key = &record.key;
                if key.configuration == described.name && key.repetition == repetition {
                    let number = numbers.get(key.task.as_str());
                    runs.extend(number.map(|&number| (number, record)));
                }
            }
            runs.sort_by_key(|&(number, _)| number);
            if runs.is_empty() {
                continue;
            }
            let begun = runs.iter().map(|(_, record)| record.begun);
            let begun = begun.fold(f64::INFINITY, f64::min);
            let set = RunSet {
                results,
                described,
                begun,
                is_whole: runs.len() == tasks.len(),
            };
            let text = set.write(&runs, &tasks)?;
            let mut name = set.file_name();
            if fixed.repetitions > 1 {
                name.push_str(&format!(".{}", repetition + 1));
            }
            // Names may coincide if configurations differ only in letters that are replaced.
            let ending = if is_packed { "xml.bz2" } else { "xml" };
            let is_taken = |name: &str| {
                let wanted = format!("{name}.{ending}");
                files.iter().any(|file: &ResultFile| file.name == wanted)
            };
            while is_taken(&name) {
                name.push('+');
            }
            files.push(ResultFile {
                name: format!("{name}.{ending}"),
                bytes: if is_packed { pack(&text)? } else { text },
            });
        }
    }
    Ok(files)
}

fn pack(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text)?;
    encoder.finish()
}

/// A task in a result file.
struct TaskParts {
    /// The name with the extension of the task's file.
    name: String,
    file: String,
    property: String,
    property_file: String,
}

impl TaskParts {
    fn new(task: &Selected) -> Self {
        let arguments = &task.arguments;
        let file = arguments.iter().find(|argument| {
            let extension = Path::new(argument).extension().and_then(OsStr::to_str);
            matches!(extension, Some("c" | "i" | "yml" | "yaml"))
        });
        let file = file.cloned().unwrap_or_else(|| task.name.clone());
        let ending = Path::new(&file).extension().unwrap_or(OsStr::new("c"));
        let option = arguments
            .iter()
            .position(|argument| argument == "--property");
        let given = option.and_then(|option| arguments.get(option + 1));
        let property = given.map(PathBuf::from).or_else(|| {
            let is_definition = arguments.iter().any(|argument| argument == "--task");
            let task = is_definition.then(|| Task::read(Path::new(&file)).ok());
            let mut known = task??.properties.into_iter();
            known
                .find(|known| Specification::read(&known.file).is_ok())
                .map(|known| known.file)
        });
        // The default property is that of failing assertions and calls of `reach_error`.
        let property = property.unwrap_or_else(|| PathBuf::from("unreach-call.prp"));
        let stem = property.file_stem().unwrap_or_default();
        Self {
            name: format!("{}.{}", task.name, ending.display()),
            file,
            property: stem.to_string_lossy().into_owned(),
            property_file: property.display().to_string(),
        }
    }
}

/// The runs of a file.
struct RunSet<'r> {
    results: &'r Results,
    described: &'r Described,
    /// The time at which the first of them began, in seconds since 1970.
    begun: f64,
    /// Whether all tasks are there.
    is_whole: bool,
}

impl RunSet<'_> {
    /// Returns the folder's name without the extension `.results`.
    fn benchmark(&self) -> String {
        let path = self.results.path.canonicalize();
        let path = path.unwrap_or_else(|_| self.results.path.clone());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.trim_end_matches(".results").to_owned()
    }

    fn file_name(&self) -> String {
        let moment = utc::seconds(self.begun.max(0.0) as u64);
        let moment = moment.trim_end_matches('Z').replace('T', "_");
        let name = |text: &str| -> String {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
            let letters = text.chars();
            letters
                .map(|letter| if plain(letter) { letter } else { '_' })
                .take(80)
                .collect()
        };
        format!(
            "{}.{}.results.{}",
            name(&self.benchmark()),
            moment.replace(':', "-"),
            name(&self.described.name)
        )
    }

    fn write(&self, runs: &[(usize, &Record)], tasks: &[TaskParts]) -> std::io::Result<Vec<u8>> {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
        writer.write_event(Event::DocType(BytesText::from_escaped(DOCUMENT_TYPE)))?;
        let attributes = self.attributes();
        let attributes = attributes.iter().map(|(name, text)| (*name, clean(text)));
        let element = writer.create_element("result").with_attributes(attributes);
        element.write_inner_content(|writer| {
            self.write_head(writer)?;
            for &(task, record) in runs {
                write_run(writer, record, &tasks[task])?;
            }
            Ok(())
        })?;
        let mut bytes = writer.into_inner();
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn attributes(&self) -> Vec<(&'static str, String)> {
        let Description { fixed, .. } = &self.results.description;
        let limits = &fixed.limits;
        let moment = utc::seconds(self.begun.max(0.0) as u64);
        let date = moment.replace('T', " ").replace('Z', " UTC");
        // The limit of wall time has no attribute, so it is written as an option of the run.
        let mut options = vec![
            "--time-limit".to_owned(),
            limits.wall.to_string(),
            "--threads".to_owned(),
            limits.cores.to_string(),
        ];
        options.extend(self.described.arguments.iter().cloned());
        // Imported runs keep their tool and its options.
        let is_ours = !self.described.digest.is_empty();
        let tool = match is_ours {
            true => TOOL,
            false => self.described.program.as_str(),
        };
        if !is_ours {
            options.clone_from(&self.described.arguments);
        }
        let mut attributes = vec![
            ("benchmarkname", self.benchmark()),
            ("date", date),
            ("starttime", utc::microseconds(self.begun)),
            ("tool", tool.to_owned()),
            ("version", fixed.version.clone()),
            (
                "generator",
                format!("regatta {}", env!("CARGO_PKG_VERSION")),
            ),
            ("displayName", tool.to_owned()),
        ];
        // The tool-info module of another tool is unknown.
        if tool == TOOL {
            attributes.push(("toolmodule", "regtool.regatta".to_owned()));
        }
        if let Some(memory) = limits.memory {
            attributes.push(("memlimit", format!("{}B", memory << 20)));
        }
        if let Some(cpu) = limits.cpu {
            attributes.push(("timelimit", format!("{cpu}s")));
        }
        attributes.push(("cpuCores", limits.cores.to_string()));
        attributes.push(("options", options.join(" ")));
        attributes.push(("name", self.described.name.clone()));
        if !self.is_whole {
            attributes.push(("error", "incomplete".to_owned()));
        }
        attributes
    }

    fn write_head(&self, writer: &mut Writer<Vec<u8>>) -> std::io::Result<()> {
        let description = &self.results.description;
        if !description.fixed.description.is_empty() {
            let text = clean(&description.fixed.description);
            let element = writer.create_element("description");
            element.write_text_content(BytesText::new(&text))?;
        }
        writer
            .create_element("columns")
            .write_inner_content(|writer| {
                for title in VISIBLE_COLUMNS {
                    let element = writer.create_element("column");
                    element.with_attribute(("title", title)).write_empty()?;
                }
                Ok(())
            })?;
        let environment = &description.environment;
        writer
            .create_element("systeminfo")
            .write_inner_content(|writer| {
                let os = writer.create_element("os");
                os.with_attribute(("name", clean(&environment.system)))
                    .write_empty()?;
                let cores = environment.cores.to_string();
                let cpu = writer.create_element("cpu");
                let cpu = cpu.with_attribute(("model", clean(&environment.processor)));
                cpu.with_attribute(("cores", cores.as_str()))
                    .write_empty()?;
                let memory = format!("{}B", environment.memory << 20);
                let ram = writer.create_element("ram");
                ram.with_attribute(("size", memory.as_str()))
                    .write_empty()?;
                writer.create_element("environment").write_empty()?;
                Ok(())
            })?;
        Ok(())
    }
}

/// Returns BenchExec's category of the answer.
fn category(record: &Record, status: &str) -> &'static str {
    let is_answer = status == "true" || status.starts_with("false");
    match record.score {
        1.. => "correct",
        ..0 => "wrong",
        0 if is_answer => "missing",
        0 if status == "unknown" => "unknown",
        0 => "error",
    }
}

fn write_run(
    writer: &mut Writer<Vec<u8>>,
    record: &Record,
    task: &TaskParts,
) -> std::io::Result<()> {
    let (status, termination) = status_of(record);
    let files = format!("[{}]", task.file);
    let run = writer.create_element("run");
    let mut run = run.with_attributes([
        ("name", clean(&task.name)),
        ("files", clean(&files)),
        ("properties", clean(&task.property)),
        ("propertyFile", clean(&task.property_file)),
    ]);
    if let Some(expected) = &record.expected {
        run = run.with_attribute(("expectedVerdict", clean(expected)));
    }
    let cores: Vec<String> = record.cores.iter().map(usize::to_string).collect();
    let category = category(record, &status).to_owned();
    let mut columns: Vec<(&str, String)> = vec![
        (title::STATUS, status),
        (title::CPU, format!("{}s", record.cpu)),
        (title::WALL, format!("{}s", record.wall)),
        (title::MEMORY, format!("{}B", record.memory)),
        (title::WINNER, record.winner.clone().unwrap_or_default()),
        (title::REASON, record.reason.clone()),
        (title::CATEGORY, category),
        (title::CORES, cores.join(",")),
        match record.exit {
            signal @ ..0 => (title::SIGNAL, (-signal).to_string()),
            code => (title::EXIT_CODE, code.to_string()),
        },
        (title::BEGUN, utc::microseconds(record.begun)),
        (title::TASK_SET, record.category.clone()),
        (title::TASK, record.key.task.clone()),
        (title::REPETITION, (record.key.repetition + 1).to_string()),
    ];
    columns.extend(termination.map(|reason| (title::TERMINATION, reason.to_owned())));
    columns.retain(|(_, value)| !value.is_empty());
    run.write_inner_content(|writer| {
        for (title, value) in &columns {
            let column = writer.create_element("column");
            let mut column = column
                .with_attribute(("title", *title))
                .with_attribute(("value", clean(value)));
            if !VISIBLE_COLUMNS.contains(title) {
                column = column.with_attribute(("hidden", "true"));
            }
            column.write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Replaces characters that XML does not allow.
fn clean(text: &str) -> Cow<'_, str> {
    let is_wrong = |letter: char| {
        (letter < ' ' && !"\t\n\r".contains(letter)) || matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    match text.contains(is_wrong) {
        true => Cow::Owned(text.replace(is_wrong, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

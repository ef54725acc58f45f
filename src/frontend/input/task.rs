//! Task-definition files of the Competition on Software Verification (format versions 1.0 and 2.0).

use std::path::{Path, PathBuf};

use serde::Deserialize;

use regatta_base::diagnostic::{Error, ErrorKind, Place};
use regatta_program::DataModel;

/// A verification task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The program's files, as paths relative to the current folder.
    pub input_files: Vec<PathBuf>,
    /// The properties to be verified.
    pub properties: Vec<TaskProperty>,
    /// The data model, if the task gives one.
    pub data_model: Option<DataModel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskProperty {
    /// The property file, as a path relative to the current folder.
    pub file: PathBuf,
    /// Whether the property holds, if the task tells.
    pub expected_verdict: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
struct TaskText {
    format_version: FormatVersion,
    input_files: OneOrMore,
    #[serde(default)]
    properties: Vec<PropertyText>,
    #[serde(default)]
    options: OptionsText,
}

/// `'2.0'`, or the same without quotes, which YAML reads as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum FormatVersion {
    Number(f64),
    Text(String),
}

#[derive(Deserialize)]
struct PropertyText {
    property_file: String,
    #[serde(default)]
    expected_verdict: Option<bool>,
}

#[derive(Default, Deserialize)]
struct OptionsText {
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    data_model: Option<String>,
}

impl Task {
    /// Reads a task-definition file; paths in it are relative to its folder.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.as_str()))
        })?;
        Self::parse(&name, &text, file.parent().unwrap_or(Path::new("")))
    }

    /// Reads the text of a task-definition file; `name` is for messages, `folder` is what paths are relative to.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Self, Error> {
        let task: TaskText =
            serde_saphyr::from_str(text).map_err(|error| yaml_error(name, text, &error))?;
        let version = match task.format_version {
            FormatVersion::Number(number) => format!("{number:.1}"),
            FormatVersion::Text(text) => text,
        };
        if !matches!(version.as_str(), "1.0" | "2.0" | "2.1") {
            let message = format!("format version `{version}` is not supported");
            return Err(key_error(name, text, "format_version", message)
                .with_help("supported are 1.0, 2.0 and 2.1"));
        }
        if let Some(language) = &task.options.language
            && language != "C"
        {
            return Err(key_error(
                name,
                text,
                "language",
                format!("language `{language}` is not supported"),
            ));
        }
        let data_model = match task.options.data_model.as_deref() {
            None => None,
            Some("ILP32") => Some(DataModel::Ilp32),
            Some("LP64") => Some(DataModel::Lp64),
            Some(other) => {
                let message = format!("data model `{other}` is not supported");
                return Err(key_error(name, text, "data_model", message)
                    .with_help("supported are ILP32 and LP64"));
            }
        };
        let input_files = match task.input_files {
            OneOrMore::One(file) => vec![file],
            OneOrMore::More(files) => files,
        };
        if input_files.is_empty() {
            return Err(key_error(
                name,
                text,
                "input_files",
                "the task has no input file",
            ));
        }
        Ok(Self {
            input_files: input_files.iter().map(|file| folder.join(file)).collect(),
            properties: task
                .properties
                .into_iter()
                .map(|property| TaskProperty {
                    file: folder.join(property.property_file),
                    expected_verdict: property.expected_verdict,
                })
                .collect(),
            data_model,
        })
    }
}

fn yaml_error(name: &str, text: &str, error: &serde_saphyr::Error) -> Error {
    let message = error.without_snippet().to_string();
    let message = message
        .lines()
        .next()
        .unwrap_or("this is no YAML")
        .to_owned();
    let place = match error.location() {
        Some(location) => {
            let line = usize::try_from(location.line()).unwrap_or(usize::MAX);
            let column = usize::try_from(location.column()).unwrap_or(usize::MAX);
            Place::in_text(name, text, offset_of(text, line, column))
        }
        None => Place::file(name),
    };
    Error::new(ErrorKind::Task, message).at(place)
}

fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let mut offset = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let characters = content.char_indices().nth(column.saturating_sub(1));
            return offset + characters.map_or(content.trim_end().len(), |(offset, _)| offset);
        }
        offset += content.len();
    }
    text.len()
}

/// An error at the line of a key.
fn key_error(name: &str, text: &str, key: &str, message: impl Into<String>) -> Error {
    let start = text
        .split_inclusive('\n')
        .scan(0, |offset, line| {
            let start = *offset;
            *offset += line.len();
            Some((start, line))
        })
        .find(|(_, line)| line.trim_start().starts_with(key))
        .map_or(0, |(start, line)| {
            start + (line.len() - line.trim_start().len())
        });
    Error::new(ErrorKind::Task, message).at(Place::in_text(name, text, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Task, Error> {
        Task::parse("t.yml", text, Path::new("dir"))
    }

    #[test]
    fn both_formats_are_read() {
        let one_file = "format_version: '2.0'\n# comment\ninput_files: 'a.c'\nproperties:\n  - property_file: ../p.prp\n    \
                        expected_verdict: false\noptions:\n  language: C\n  data_model: ILP32\n";
        assert_eq!(
            parse(one_file).unwrap(),
            Task {
                input_files: vec!["dir/a.c".into()],
                properties: vec![TaskProperty {
                    file: "dir/../p.prp".into(),
                    expected_verdict: Some(false),
                }],
                data_model: Some(DataModel::Ilp32),
            }
        );
        let more_files = "format_version: 1.0\ninput_files: [a.c, /b.c]\nproperties:\n  - property_file: p.prp\n  - \
                          property_file: q.prp\n    expected_verdict: true\n    subproperty: valid-deref\n";
        let task = parse(more_files).unwrap();
        assert_eq!(
            task.input_files,
            [PathBuf::from("dir/a.c"), PathBuf::from("/b.c")]
        );
        assert_eq!(task.properties.len(), 2);
        assert_eq!(task.properties[0].expected_verdict, None);
        assert_eq!(task.properties[1].expected_verdict, Some(true));
        assert_eq!(task.data_model, None);
    }

    #[test]
    fn mistakes_have_a_place() {
        let table = [
            ("format_version: [2.0\ninput_files: \"valid.c\n", "t.yml:"),
            (
                "format_version: '3.0'\ninput_files: a.c\n",
                "t.yml:1:1: task definition: format version `3.0`",
            ),
            (
                "format_version: '2.0'\ninput_files: a.c\noptions:\n  language: Java\n",
                "t.yml:4:3: task definition: language `Java`",
            ),
            (
                "format_version: '2.0'\ninput_files: a.c\noptions:\n  data_model: LP65\n",
                "t.yml:4:3: task definition: data model `LP65`",
            ),
            (
                "format_version: '2.0'\ninput_files: []\n",
                "t.yml:2:1: task definition: the task has no input file",
            ),
            ("format_version: '2.0'\n", "t.yml:"),
            ("", "t.yml"),
        ];
        for (text, expected) in table {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{text}\n{message}");
            assert!(message.contains("task definition: "), "{message}");
        }
    }

    #[test]
    fn an_unreadable_file_is_named() {
        let error = Task::read(Path::new("/nonexistent/t.yml")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert!(error.to_string().contains("/nonexistent/t.yml"));
    }
}

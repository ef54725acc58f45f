//! Selects the tasks of an experiment from the lists in its file.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::definition::score::is_expectation;
use crate::definition::{Definition, Tasks};
use regatta_base::digest::hexadecimal;
use regatta_base::{Error, ErrorKind, Place};
use regatta_frontend::{Specification, Task};

/// A selected task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    /// Its name in tables; no two tasks have the same.
    pub name: String,
    /// The category in tables.
    pub category: String,
    /// The right verdict, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The arguments of `regatta verify` for it, with absolute paths.
    pub arguments: Vec<String>,
    /// SHA-256 of its files, by which a changed task is recognised.
    pub digest: String,
}

/// A task without a unique name.
struct Found {
    /// The short name, and the path that distinguishes it from others of that name.
    short: String,
    path: String,
    task: Selected,
}

/// Returns all tasks of an experiment, in the order of its lists.
///
/// # Errors
/// When a list cannot be read, has a missing task, or selects no task.
pub fn select(definition: &Definition) -> Result<Vec<Selected>, Error> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for list in &definition.tasks {
        let list = list.get_ref();
        if !list.applies(&definition.folder) {
            continue;
        }
        let mut found = match (&list.table, &list.set) {
            (Some(table), _) => {
                from_table(list, &definition.folder, &definition.folder.join(table))?
            }
            (_, Some(set)) => from_set(list, &definition.folder, &definition.folder.join(set))?,
            _ => {
                let mut files = Vec::new();
                for pattern in &list.files {
                    let pattern = definition.folder.join(pattern).display().to_string();
                    files.extend(matches(&pattern)?);
                }
                from_files(list, &definition.folder, files, None)?
            }
        };
        leave_out(list, &mut found)?;
        choose(list, definition.seed, &mut found);
        if found.is_empty() {
            let message = format!("no task is chosen by {}", describe(list));
            return Err(Error::new(ErrorKind::Experiment, message));
        }
        // A task that two lists name is taken once.
        found.retain(|found| seen.insert((found.path.clone(), found.task.arguments.clone())));
        all.extend(found);
    }
    if all.is_empty() {
        let message = "no list of tasks counts here: no `if_exists` or `unless_exists` is met, or all are in groups (`--group`)";
        return Err(Error::new(ErrorKind::Experiment, message));
    }
    Ok(named(all))
}

fn describe(list: &Tasks) -> String {
    match (&list.table, &list.set) {
        (Some(table), _) => format!("the table {}", table.display()),
        (_, Some(set)) => format!("the set {}", set.display()),
        _ => list.files.join(", "),
    }
}

/// Gives tasks their short names, or longer ones where short names are ambiguous.
fn named(all: Vec<Found>) -> Vec<Selected> {
    let mut shorts: Vec<&str> = all.iter().map(|found| found.short.as_str()).collect();
    shorts.sort_unstable();
    let twice: BTreeSet<String> = shorts
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0].to_owned())
        .collect();
    let mut taken = BTreeSet::new();
    all.into_iter()
        .map(|found| {
            let base = match twice.contains(&found.short) {
                true => found.path,
                false => found.short,
            };
            let mut name = base.clone();
            let mut number = 1;
            while !taken.insert(name.clone()) {
                number += 1;
                name = format!("{base} ({number})");
            }
            Selected { name, ..found.task }
        })
        .collect()
}

/// Reads a table of tasks: `task`, `expected`, `data_model`, `arithmetic`, and optionally the property in the sixth
/// column. The task's file has the name with `.c` and lies in the table's folder; its property is in the folder `properties`
/// there.
fn from_table(list: &Tasks, folder: &Path, table: &Path) -> Result<Vec<Found>, Error> {
    let text = read(table)?;
    let home = table.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let &[name, expected, data_model, arithmetic, ..] = columns.as_slice() else {
            if line.trim().is_empty() {
                continue;
            }
            return Err(table_error(
                table,
                number,
                line,
                "a line has four columns or more",
            ));
        };
        if !is_expectation(expected) {
            let message = format!("`{expected}` is no verdict to expect");
            return Err(table_error(table, number, line, &message));
        }
        let property = columns.get(5).copied().filter(|name| !name.is_empty());
        let property = match (property, &list.property) {
            (None, Some(property)) => folder.join(property),
            (name, _) => {
                let name = name.unwrap_or("unreach-call");
                home.join("properties").join(format!("{name}.prp"))
            }
        };
        let file = home.join(format!("{name}.c"));
        let arguments = vec![
            "--data-model".to_owned(),
            data_model.to_owned(),
            "--arithmetic".to_owned(),
            arithmetic.to_owned(),
            "--property".to_owned(),
            absolute(&property)?,
            absolute(&file)?,
        ];
        found.push(Found {
            short: name.to_owned(),
            path: file.display().to_string(),
            task: Selected {
                name: String::new(),
                category: category(list, None, Path::new(name)),
                expected: Some(expected.to_owned()),
                arguments,
                digest: digest(&[&file, &property])?,
            },
        });
    }
    Ok(found)
}

fn table_error(table: &Path, number: usize, line: &str, message: &str) -> Error {
    Error::new(ErrorKind::Experiment, message).at(Place {
        file: table.display().to_string().into(),
        line: u32::try_from(number + 1).unwrap_or(u32::MAX),
        column: 1,
        source_line: Some(line.into()),
    })
}

/// Reads the task definitions that a `.set` file names.
fn from_set(list: &Tasks, folder: &Path, set: &Path) -> Result<Vec<Found>, Error> {
    let text = read(set)?;
    let home = set.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for pattern in text.lines().map(str::trim) {
        if !pattern.is_empty() && !pattern.starts_with('#') {
            files.extend(matches(&home.join(pattern).display().to_string())?);
        }
    }
    let name = set
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned());
    from_files(list, folder, files, name)
}

/// Reads C files and task definitions.
fn from_files(
    list: &Tasks,
    folder: &Path,
    mut files: Vec<PathBuf>,
    set: Option<String>,
) -> Result<Vec<Found>, Error> {
    files.sort();
    files.dedup();
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        let mut parts = vec![file.clone()];
        let mut expected = list.expected.clone();
        let mut arguments = Vec::new();
        let is_definition = [OsStr::new("yml"), OsStr::new("yaml")]
            .iter()
            .any(|end| file.extension() == Some(end));
        let mut property = list.property.as_ref().map(|property| folder.join(property));
        let mut data_model = list.data_model.clone();
        if is_definition {
            let task = Task::read(&file)?;
            let mut known = task.properties.iter();
            if let Some(known) = known.find(|known| Specification::read(&known.file).is_ok()) {
                let verdict = known.expected_verdict.map(|verdict| verdict.to_string());
                expected = verdict.or(expected);
                parts.push(known.file.clone());
                property = None;
            }
            data_model = data_model.filter(|_| task.data_model.is_none());
            parts.extend(task.input_files);
            arguments.push("--task".to_owned());
        }
        arguments.push(absolute(&file)?);
        for (option, value) in [
            ("--data-model", data_model),
            ("--arithmetic", list.arithmetic.clone()),
        ] {
            arguments.extend(
                value
                    .into_iter()
                    .flat_map(|value| [option.to_owned(), value]),
            );
        }
        if let Some(property) = property {
            arguments.extend(["--property".to_owned(), absolute(&property)?]);
            parts.push(property);
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let parent = file.parent().and_then(Path::file_name);
        let short = match parent {
            Some(parent) => format!("{}/{stem}", parent.to_string_lossy()),
            None => stem.into_owned(),
        };
        let parts: Vec<&Path> = parts.iter().map(PathBuf::as_path).collect();
        let task = Selected {
            name: String::new(),
            category: category(list, set.as_deref(), Path::new(&short)),
            expected,
            arguments,
            digest: digest(&parts)?,
        };
        found.push(Found {
            short,
            path: file.display().to_string(),
            task,
        });
    }
    Ok(found)
}

/// Returns the given category, or the set's name, or the folder's.
fn category(list: &Tasks, set: Option<&str>, name: &Path) -> String {
    let folder = || {
        let parent = name.parent().map(|folder| folder.display().to_string());
        parent.filter(|folder| !folder.is_empty())
    };
    let given = list.category.clone().or(set.map(str::to_owned));
    given.or_else(folder).unwrap_or_else(|| "tasks".to_owned())
}

fn leave_out(list: &Tasks, found: &mut Vec<Found>) -> Result<(), Error> {
    for pattern in &list.exclude {
        let pattern =
            glob::Pattern::new(pattern).map_err(|error| pattern_error(pattern, &error))?;
        found.retain(|found| !pattern.matches(&found.short) && !pattern.matches(&found.path));
    }
    Ok(())
}

/// Reduces the tasks to every n-th, and these to a sample. The sample depends only on the seed and the tasks' names, and
/// keeps their order.
fn choose(list: &Tasks, seed: u64, found: &mut Vec<Found>) {
    if let Some(every) = list.every {
        let mut number = 0;
        found.retain(|_| {
            number += 1;
            (number - 1) % every == 0
        });
    }
    if let Some(sample) = list.sample
        && sample < found.len()
    {
        let mut drawn: Vec<([u8; 32], usize)> = (0..)
            .zip(found.iter())
            .map(|(index, found)| (draw(seed, &found.short), index))
            .collect();
        drawn.sort_unstable();
        let chosen: BTreeSet<usize> = drawn[..sample].iter().map(|&(_, index)| index).collect();
        let mut index = 0;
        found.retain(|_| {
            index += 1;
            chosen.contains(&(index - 1))
        });
    }
}

/// Returns a hash of the seed and the name, for samples and orders: the same on every machine and with every
/// version of this program.
pub fn draw(seed: u64, name: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(name.as_bytes());
    hash.finalize().into()
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>, Error> {
    let paths = glob::glob(pattern).map_err(|error| pattern_error(pattern, &error))?;
    paths
        .filter(|path| path.as_ref().map_or(true, |path| path.is_file()))
        .map(|path| {
            path.map_err(|error| {
                let place = Place::file(error.path().display().to_string());
                Error::new(ErrorKind::Unreadable, error.error().to_string()).at(place)
            })
        })
        .collect()
}

fn pattern_error(pattern: &str, error: &glob::PatternError) -> Error {
    let message = format!("`{pattern}` is no pattern: {error}");
    Error::new(ErrorKind::Experiment, message)
}

fn read(file: &Path) -> Result<String, Error> {
    std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))
}

fn unreadable(file: &Path, error: &std::io::Error) -> Error {
    let place = Place::file(file.display().to_string());
    Error::new(ErrorKind::Unreadable, error.to_string()).at(place)
}

fn absolute(file: &Path) -> Result<String, Error> {
    let path = file
        .canonicalize()
        .map_err(|error| unreadable(file, &error))?;
    Ok(path.display().to_string())
}

/// Returns the SHA-256 hash of the files, each with its length.
fn digest(files: &[&Path]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hexadecimal(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        for sub in ["a", "b", "properties"] {
            std::fs::create_dir(path.join(sub)).expect("a folder");
        }
        let definition = |verdict: &str| {
            format!(
                "format_version: '2.0'\ninput_files: 'x.c'\n\
                 properties:\n  - property_file: ../properties/unreach-call.prp\n    expected_verdict: {verdict}\n\
                 options:\n  language: C\n  data_model: ILP32\n"
            )
        };
        for (name, text) in [
            ("properties/unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned()),
            ("a/x.c", "int main(void) { return 0; }".to_owned()),
            ("b/x.c", "int main(void) { return 1; }".to_owned()),
            ("a/y.c", "int main(void) { return 2; }".to_owned()),
            ("a/x.yml", definition("true")),
            ("b/x.yml", definition("false")),
            ("Some.set", "# all\na/*.yml\n\nb/*.yml\n".to_owned()),
            ("tasks.tsv", "task\texpected\tdata_model\tarithmetic\tbytes\n\
             a/x\ttrue\tILP32\tbitvector\t1\nb/x\tfalse\tLP64\tinteger\t1\na/y\ttrue\tLP64\tbitvector\t1\n".to_owned()),
        ] {
            std::fs::write(path.join(name), text).expect("written");
        }
        folder
    }

    fn select_in(folder: &Path, tasks: &str) -> Result<Vec<Selected>, String> {
        let text = format!("limits.wall = 1\n[[configuration]]\n{tasks}");
        let definition =
            Definition::parse("e.toml", &text, folder).map_err(|error| error.to_string())?;
        select(&definition).map_err(|error| error.to_string())
    }

    fn names(tasks: &[Selected]) -> Vec<&str> {
        tasks.iter().map(|task| task.name.as_str()).collect()
    }

    #[test]
    fn tables_sets_and_patterns() {
        let folder = folder();
        let select = |tasks: &str| select_in(folder.path(), tasks).expect("tasks");
        let table = select("[[tasks]]\ntable = \"tasks.tsv\"\n");
        assert_eq!(names(&table), ["a/x", "b/x", "a/y"]);
        assert_eq!(table[1].category, "b");
        assert_eq!(table[1].expected.as_deref(), Some("false"));
        assert_eq!(
            table[1].arguments[..4],
            ["--data-model", "LP64", "--arithmetic", "integer"]
        );
        assert_ne!(table[0].digest, table[1].digest);
        let set = select("[[tasks]]\nset = \"Some.set\"\n");
        assert_eq!(names(&set), ["a/x", "b/x"]);
        assert_eq!(set[0].category, "Some");
        assert_eq!(set[1].expected.as_deref(), Some("false"));
        let files = select(
            "[[tasks]]\nfiles = [\"*/*.c\"]\nexclude = [\"b/*\"]\nexpected = \"true\"\ndata_model = \"ILP32\"\n",
        );
        assert_eq!(names(&files), ["a/x", "a/y"]);
        assert_eq!(files[0].expected.as_deref(), Some("true"));
        assert!(files[0].arguments.contains(&"ILP32".to_owned()));
        // Two lists with the same short name.
        let both = select("[[tasks]]\nfiles = [\"a/x.c\"]\n[[tasks]]\nset = \"Some.set\"\n");
        assert_eq!(both.len(), 3);
        assert!(both[0].name.ends_with("a/x.c") && both[1].name.ends_with("a/x.yml"));
    }

    #[test]
    fn samples_depend_on_the_seed() {
        let folder = folder();
        for index in 0..40 {
            std::fs::write(folder.path().join(format!("b/{index:02}.c")), "int x;")
                .expect("written");
        }
        let select = |seed: u64, more: &str| {
            let text = format!("[[tasks]]\nfiles = [\"b/*.c\"]\n{more}");
            let text = format!("seed = {seed}\nlimits.wall = 1\n[[configuration]]\n{text}");
            let definition = Definition::parse("e.toml", &text, folder.path()).expect("a file");
            super::select(&definition).expect("tasks")
        };
        let first = select(1, "sample = 9\n");
        assert_eq!(first.len(), 9);
        assert_eq!(first, select(1, "sample = 9\n"));
        assert_ne!(first, select(2, "sample = 9\n"));
        assert!(first.is_sorted_by_key(|task| task.name.clone()));
        assert_eq!(names(&select(1, "every = 20\n")), ["b/00", "b/20", "b/x"]);
    }

    #[test]
    fn missing_files_are_reported() {
        let folder = folder();
        std::fs::write(
            folder.path().join("bad.tsv"),
            "task\n\na/x\tperhaps\tLP64\tbitvector\n",
        )
        .expect("written");
        std::fs::write(
            folder.path().join("gone.tsv"),
            "task\na/z\ttrue\tLP64\tbitvector\n",
        )
        .expect("written");
        for (tasks, expected) in [
            ("table = \"none.tsv\"", "none.tsv: cannot read"),
            (
                "table = \"bad.tsv\"",
                "bad.tsv:3:1: experiment: `perhaps` is no verdict",
            ),
            ("table = \"gone.tsv\"", "a/z.c: cannot read"),
            ("files = [\"c/*.c\"]", "no task is chosen by c/*.c"),
            ("files = [\"[\"]", "is no pattern"),
        ] {
            let error = select_in(folder.path(), &format!("[[tasks]]\n{tasks}\n"));
            let error = error.expect_err(tasks);
            assert!(error.contains(expected), "{error}");
        }
    }
}

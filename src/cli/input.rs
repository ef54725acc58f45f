//! Translates the options about the input to options of the front end.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::options::{InputOptions, UnknownCallsOption, VolatileOption};
use regatta_base::printable::printable;
use regatta_base::{Error, ErrorKind, Place, Style};
use regatta_frontend::ir::{Devices, UnknownEffect};
use regatta_frontend::property::Check;
use regatta_frontend::{LoadOptions, Specification, Task, advice};
use regatta_program::{Arithmetic, DataModel};

/// Returns the C file and the front end's options.
///
/// # Errors
/// A message for the user: a file that cannot be read, options that contradict each other.
pub fn resolve(options: &InputOptions) -> Result<(PathBuf, LoadOptions), String> {
    let (program, task_file) = match (&options.file, &options.task) {
        (Some(file), None) if is_task_definition(file) => (None, Some(file)),
        (program, task) => (program.as_ref(), task.as_ref()),
    };
    if let Some(file) = task_file
        && is_witness(file)
    {
        let error = Error::new(ErrorKind::Task, "this is a witness, not a task definition")
            .at(Place::file(file.display().to_string()))
            .with_help("regatta validate PROGRAM.c --witness FILE.yml validates it");
        return Err(error.render(style()));
    }
    let task = match task_file {
        Some(file) => Some(Task::read(file).map_err(|error| error.render(style()))?),
        None => None,
    };
    let file = match (program, &task) {
        (Some(file), None) => file.clone(),
        (Some(file), Some(task)) if task.input_files.iter().any(|input| same_file(input, file)) => {
            file.clone()
        }
        (Some(file), Some(_)) => {
            return Err(printable(&format!(
                "error: {} is not an input file of the task definition; give one of the two",
                file.display()
            ))
            .into_owned());
        }
        (None, Some(task)) => match task.input_files.as_slice() {
            [file] => file.clone(),
            files => {
                return Err(format!(
                    "error: the task has {} input files; only one is supported",
                    files.len()
                ));
            }
        },
        (None, None) => return Err("error: no C program given".into()),
    };
    if let Some(refusal) = advice::refusal(&file) {
        return Err(refusal.render(style()));
    }
    let property_file = options
        .property
        .as_ref()
        .or_else(|| supported_property(task.as_ref()));
    let property = match (&options.checks, property_file) {
        (Some(checks), _) => checks.clone(),
        (None, Some(file)) => Specification::read(file).map_err(|error| error.render(style()))?,
        (None, None) => Specification::default(),
    };
    let arithmetic = options.arithmetic.into();
    if arithmetic == Arithmetic::Integer && property.checks.contains(&Check::Overflow) {
        return Err(
            "error: mathematical integers do not overflow; use --arithmetic bitvector".into(),
        );
    }
    if arithmetic == Arithmetic::Integer && property.checks_memory() {
        return Err("error: addresses are those of a machine; use --arithmetic bitvector".into());
    }
    if arithmetic == Arithmetic::Integer && property.is_termination() {
        return Err(
            "error: termination is that of machine integers; use --arithmetic bitvector".into(),
        );
    }
    let data_model = match (
        options.data_model,
        task.as_ref().and_then(|task| task.data_model),
    ) {
        (Some(option), _) => option.into(),
        (None, Some(model)) => model,
        (None, None) => DataModel::default(),
    };
    let load_options = LoadOptions {
        keeps_typed: false,
        property,
        data_model,
        standard: options.standard,
        arithmetic,
        unknown_calls: match options.unknown_calls {
            UnknownCallsOption::Havoc => UnknownEffect::Reachable,
            UnknownCallsOption::Pure => UnknownEffect::Pure,
        },
        devices: Devices {
            change_objects: options.volatile == VolatileOption::Environment,
            ranges: options.mmio.clone(),
        },
        malloc_may_fail: options.malloc_may_fail,
        all_assumptions: false,
        defines: options.define.clone(),
        include_folders: options.include.clone(),
        text: None,
    };
    Ok((file, load_options))
}

/// Returns the first property of the task that is supported, or else its first property, which yields the error message.
fn supported_property(task: Option<&Task>) -> Option<&PathBuf> {
    let properties = &task?.properties;
    let readable = properties
        .iter()
        .find(|property| Specification::read(&property.file).is_ok());
    readable
        .or(properties.first())
        .map(|property| &property.file)
}

/// Returns advice on an unknown argument, if there is any.
pub fn advice_on_arguments(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_file = !argument.starts_with('-') && Path::new(argument).extension().is_some();
    is_file.then(|| {
        "help: one file is read at a time; of a program of several files, give one that includes them all \
         (`#include \"a.c\"`, `#include \"b.c\"`)"
            .to_owned()
    })
}

/// Checks whether a file looks like a witness.
fn is_witness(file: &Path) -> bool {
    let is_regular = std::fs::metadata(file).is_ok_and(|there| there.is_file());
    let text = is_regular.then(|| std::fs::read(file).ok()).flatten();
    text.is_some_and(|text| {
        let beginning = String::from_utf8_lossy(&text[..text.len().min(4096)]).into_owned();
        beginning.contains("entry_type")
    })
}

/// Checks whether the file's name has an extension of task definitions.
fn is_task_definition(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml")
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// Returns the style of messages for the user.
pub fn style() -> Style {
    if std::io::stderr().is_terminal() {
        Style::Fancy
    } else {
        Style::Plain
    }
}

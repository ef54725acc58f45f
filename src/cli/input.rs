//! Translates the options about the input to options of the front end.

use std::io::{IsTerminal, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compilation::database;
use super::compilation::flags::Flags;
use super::options::{
    EntryArguments, GlobalsOption, InputOptions, UnknownCallsOption, VolatileOption,
};
use regatta_base::printable::printable;
use regatta_base::{Error, ErrorKind, Place, Style};
use regatta_frontend::ir::{Devices, UnknownEffect};
use regatta_frontend::property::Check;
use regatta_frontend::{
    EntryOptions, FileOptions, LoadOptions, SourceFile, Specification, Task, advice,
};
use regatta_program::{Arithmetic, DataModel};

/// What the options about the input come to.
pub struct Input {
    /// The first file of the program.
    pub file: PathBuf,
    /// The options of the front end, with the further files.
    pub load: LoadOptions,
    /// Whether an alarm does not count that rests on a function that no file defines.
    pub withholds_unknown: bool,
    /// What the user has to be told.
    pub warnings: Vec<String>,
}

/// Returns the C files and the front end's options.
///
/// # Errors
/// A message for the user: a file that cannot be read, options that contradict each other.
pub fn resolve(options: &InputOptions) -> Result<Input, String> {
    let (files, task_file) = match (options.files.as_slice(), &options.task) {
        ([file], None) if is_task_definition(file) => (&[][..], Some(file)),
        (files, task) => (files, task.as_ref()),
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
    let sources = sources(options, files, task.as_ref())?;
    for source in &sources.files {
        if let Some(refusal) = advice::refusal(&source.path) {
            return Err(refusal.render(style()));
        }
    }
    let property_file = options
        .property
        .as_ref()
        .or_else(|| supported_property(task.as_ref()));
    let arithmetic = options.arithmetic.into();
    let property = match (&options.checks, property_file) {
        (Some(checks), _) => checks.clone(),
        (None, Some(file)) => Specification::read(file).map_err(|error| error.render(style()))?,
        // Mathematical integers have no machine's limits.
        (None, None) if arithmetic == Arithmetic::Integer => Specification::default(),
        (None, None) => Specification::assertions_and_undefined(),
    };
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
    let asks_for_leaks =
        [Check::Leaks, Check::Cleanup].map(|check| property.checks.contains(&check));
    if options.entry.function.is_some() && asks_for_leaks.contains(&true) {
        return Err(
            "error: the objects that --function gives a function are not released at the end; leaks are \
             looked for from `main` only"
                .into(),
        );
    }
    let data_model = options
        .data_model
        .map(DataModel::from)
        .or(sources.common.data_model)
        .or(task.as_ref().and_then(|task| task.data_model))
        .unwrap_or_default();
    let mut files = sources.files.into_iter();
    let Some(first) = files.next() else {
        return Err("error: no C program given".into());
    };
    let load = LoadOptions {
        entry: entry(&options.entry),
        keeps_typed: false,
        property,
        data_model,
        standard: options.standard.or(sources.common.standard),
        arithmetic,
        unknown_calls: match options.unknown_calls {
            Some(UnknownCallsOption::Pure) => UnknownEffect::Pure,
            Some(UnknownCallsOption::Havoc) | None => UnknownEffect::Reachable,
        },
        devices: Devices {
            change_objects: options.volatile == VolatileOption::Environment,
            ranges: options.mmio.clone(),
            interrupts: options.interrupt.clone(),
        },
        malloc_may_fail: options.malloc_may_fail,
        all_assumptions: false,
        defines: options.define.clone(),
        include_folders: options.include.clone(),
        arguments: sources.common.preprocessor,
        own: first.options,
        further: files.collect(),
        text: sources.text,
    };
    Ok(Input {
        file: first.path,
        load,
        withholds_unknown: options.unknown_calls.is_none() && property_file.is_none(),
        warnings: sources.warnings,
    })
}

/// The function with which the program begins, if that is not `main`.
pub fn entry(options: &EntryArguments) -> Option<EntryOptions> {
    let function = options.function.clone()?;
    Some(EntryOptions {
        function,
        depth: options.pointer_depth,
        length: options.pointer_length,
        requires: options.requires.clone(),
        has_any_globals: options.globals == GlobalsOption::Any,
    })
}

/// The files of the program, and what their compilation says.
#[derive(Default)]
struct Sources {
    files: Vec<SourceFile>,
    /// The flags of all files.
    common: Flags,
    /// The text of the first file, if that is standard input.
    text: Option<Arc<[u8]>>,
    warnings: Vec<String>,
}

/// Collects the program's files: those that are named, or those of the task definition or of the compilation database.
///
/// # Errors
/// A message for the user.
fn sources(
    options: &InputOptions,
    named: &[PathBuf],
    task: Option<&Task>,
) -> Result<Sources, String> {
    let mut sources = Sources {
        common: common_flags(options)?,
        ..Sources::default()
    };
    let database = match &options.database {
        Some(path) => {
            Some(database::read(path, &options.target).map_err(|error| error.render(style()))?)
        }
        None => None,
    };
    let paths: Vec<PathBuf> = match (named, task, &database) {
        ([], Some(task), _) => task.input_files.clone(),
        ([], None, Some(database)) => database.iter().map(|one| one.file.clone()).collect(),
        (named, None, _) => named.to_vec(),
        ([file], Some(task), _) if task.input_files.iter().any(|input| same_file(input, file)) => {
            named.to_vec()
        }
        ([file, ..], Some(_), _) => {
            return Err(printable(&format!(
                "error: {} is not an input file of the task definition; give one of the two",
                file.display()
            ))
            .into_owned());
        }
    };
    if let (true, Some(targets)) = (
        named.is_empty(),
        database.as_deref().and_then(database::several_targets),
    ) && options.target.is_empty()
    {
        sources.warnings.push(format!(
            "the files of several targets are taken as one program: {targets}; --target takes those of one"
        ));
    }
    let mut ignored = sources.common.ignored.clone();
    let mut models: Vec<DataModel> = Vec::new();
    for path in paths {
        let entry = database
            .as_ref()
            .map(|database| database::find(database, &path));
        let flags = match entry {
            Some(Some(entry)) => entry.flags.clone(),
            Some(None) => {
                let file = path.display();
                let message = format!("{file} is not in the compilation database");
                sources.warnings.push(message);
                Flags::default()
            }
            None => Flags::default(),
        };
        ignored.extend(flags.ignored);
        models.extend(flags.data_model);
        let options = FileOptions {
            standard: flags.standard,
            arguments: flags.preprocessor,
        };
        sources.files.push(SourceFile { path, options });
    }
    sources.common.data_model = match models.as_slice() {
        [first, rest @ ..] if rest.iter().any(|model| model != first) => {
            return Err("error: some files are compiled with -m32, others with -m64".to_owned());
        }
        [first, ..] => sources.common.data_model.or(Some(*first)),
        [] => sources.common.data_model,
    };
    sources.warnings.extend(ignored_flags(ignored));
    read_standard_input(&mut sources)?;
    Ok(sources)
}

/// The flags for all files.
fn common_flags(options: &InputOptions) -> Result<Flags, String> {
    let read = |words: &[String]| {
        Flags::read(words, None)
            .map_err(|reason| printable(&format!("error: {reason}")).into_owned())
    };
    let is_flag = |word: &String| word.starts_with('-');
    let compiler = match options.compiler.as_slice() {
        // The compiler's name.
        [first, rest @ ..] if !is_flag(first) => rest,
        flags => flags,
    };
    let mut flags = read(&options.flags)?;
    flags.add(read(compiler)?);
    Ok(flags)
}

/// One warning of the flags that do nothing.
fn ignored_flags(mut flags: Vec<String>) -> Option<String> {
    const MAXIMUM_SHOWN: usize = 8;
    flags.sort_unstable();
    flags.dedup();
    let more = match flags.len() > MAXIMUM_SHOWN {
        true => ", …",
        false => "",
    };
    flags.truncate(MAXIMUM_SHOWN);
    (!flags.is_empty()).then(|| format!("ignored: {}{more}", flags.join(", ")))
}

/// Replaces the file `-` by the text of standard input, which becomes the first file.
///
/// # Errors
/// A message for the user.
fn read_standard_input(sources: &mut Sources) -> Result<(), String> {
    let is_input = |source: &SourceFile| source.path == Path::new("-");
    let Some(position) = sources.files.iter().position(is_input) else {
        return Ok(());
    };
    let mut text = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| format!("error: standard input cannot be read: {error}"))?;
    let mut source = sources.files.remove(position);
    if sources.files.iter().any(is_input) {
        return Err("error: standard input is named twice".to_owned());
    }
    source.path = PathBuf::from(STANDARD_INPUT);
    sources.files.insert(0, source);
    sources.text = Some(text.into());
    Ok(())
}

/// How messages call standard input.
const STANDARD_INPUT: &str = "<stdin>";

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
    let is_flag = argument.starts_with('-') && !argument.starts_with("--");
    is_flag.then(|| "help: flags of the compiler can be given behind --".to_owned())
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

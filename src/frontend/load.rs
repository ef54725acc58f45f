//! Loads a program from its files: runs all steps of the front end.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ir::{Devices, UnknownEffect, reached_text};
use rustc_hash::FxHashMap;

use super::lower::{EntryOptions, LowerOptions, lower_in_parts};
use super::memory::{MemoryChecks, MemoryError, MemoryOptions, emit};
use super::parse::{ParsedUnit, parse_in_parts, with_large_stack};
use super::position::Numbering;
use super::preprocess::{Options, Preprocessed, is_accepted, preprocess};
use super::property::{Check, Specification};
use super::standard::{Dialect, Standard};
use regatta_base::diagnostic::{Error, ErrorKind, Place, Warning};
use regatta_base::digest::sha256;
use regatta_program::{Arithmetic, DataModel, Program};

/// The command's options on the semantics of programs.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Sizes of C's types.
    pub data_model: DataModel,
    /// The standard of C that the program is written in; detected if not given.
    pub standard: Option<Standard>,
    pub arithmetic: Arithmetic,
    /// The property to be verified.
    pub property: Specification,
    /// What a call of a function without a body may change.
    pub unknown_calls: UnknownEffect,
    /// The memory that may change without a write of the program.
    pub devices: Devices,
    /// Whether `malloc` and its like may return null.
    pub malloc_may_fail: bool,
    /// Whether all assumptions about operands and accesses are noted.
    pub all_assumptions: bool,
    /// The function with which the program begins, if that is not `main`.
    pub entry: Option<EntryOptions>,
    /// Whether the result contains the typed representation as text.
    pub keeps_typed: bool,
    /// `NAME` or `NAME=VALUE`, for the preprocessor.
    pub defines: Vec<String>,
    /// Folders that are searched for headers.
    pub include_folders: Vec<PathBuf>,
    /// Further arguments for the preprocessor of every file.
    pub arguments: Vec<String>,
    /// What holds for the first file alone.
    pub own: FileOptions,
    /// The program's files beside the first.
    pub further: Vec<SourceFile>,
    /// A text to be read in place of the first file's text.
    pub text: Option<Arc<[u8]>>,
}

/// What a file of the program is compiled with, beside what holds for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// The standard of C; that of the program if not given.
    pub standard: Option<Standard>,
    /// Arguments for the preprocessor.
    pub arguments: Vec<String>,
}

/// A file of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub path: PathBuf,
    pub options: FileOptions,
}

impl Default for LoadOptions {
    /// LP64, machine integers, failing assertions; unknown code changes what it can reach; `malloc` does not fail.
    fn default() -> Self {
        Self {
            data_model: DataModel::default(),
            standard: None,
            arithmetic: Arithmetic::default(),
            property: Specification::default(),
            unknown_calls: UnknownEffect::Reachable,
            devices: Devices::default(),
            malloc_may_fail: false,
            all_assumptions: false,
            entry: None,
            keeps_typed: false,
            defines: Vec::new(),
            include_folders: Vec::new(),
            arguments: Vec::new(),
            own: FileOptions::default(),
            further: Vec::new(),
            text: None,
        }
    }
}

impl LoadOptions {
    /// The preprocessor's options for a file with options of its own.
    fn preprocessor(&self, own: &FileOptions, text: Option<Arc<[u8]>>) -> Options {
        Options {
            data_model: self.data_model,
            standard: own.standard.or(self.standard),
            defines: self.defines.clone(),
            include_folders: self.include_folders.clone(),
            arguments: [self.arguments.as_slice(), &own.arguments].concat(),
            text,
        }
    }
}

/// A program with its warnings.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program as lowered.
    pub program: Program,
    /// The warnings about the program.
    pub warnings: Vec<Warning>,
    /// The typed representation, if it was requested.
    pub typed: Option<String>,
    /// The entry as a C file, if it is not `main`.
    pub entry: Option<String>,
    /// The steps in order, with the wall time that each took.
    pub phases: Vec<(&'static str, Duration)>,
}

/// Reads a C file, and the further ones that the options name, and makes their program.
pub fn load(file: &Path, options: &LoadOptions) -> Result<Loaded, Error> {
    let mut clock = Clock::new();
    let sources = read_all(file, options)?;
    clock.lap("preprocess");
    translate(sources, options, clock)
}

/// Preprocesses all files of the program.
fn read_all(file: &Path, options: &LoadOptions) -> Result<Vec<Preprocessed>, Error> {
    let first = preprocess(
        file,
        &options.preprocessor(&options.own, options.text.clone()),
    )?;
    let mut sources = vec![first];
    for SourceFile { path, options: own } in &options.further {
        sources.push(preprocess(path, &options.preprocessor(own, None))?);
    }
    Ok(sources)
}

/// A function that the program's files define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedFunction {
    pub name: String,
    /// The file and line of the definition.
    pub place: String,
}

/// Reads a C file, and the further ones that the options name, and lists the functions that they define, in order; those of
/// the system's headers are left out.
pub fn functions(file: &Path, options: &LoadOptions) -> Result<Vec<DefinedFunction>, Error> {
    let sources = read_all(file, options)?;
    with_large_stack(move || {
        let mut functions: Vec<DefinedFunction> = Vec::new();
        let is_accepted = remembered(options.data_model);
        for source in sources {
            let unit = parse_in_parts(source, &Numbering::default(), &is_accepted)?;
            for found in unit.defined_functions() {
                if !functions.iter().any(|known| known.name == found.name) {
                    functions.push(found);
                }
            }
        }
        Ok(functions)
    })?
}

/// Reads a C file, and the further ones that the options name, and returns for each entry the digest of what it reaches;
/// none for an entry with which there is no program. `None` stands for `main`.
pub fn digests(
    file: &Path,
    options: &LoadOptions,
    entries: &[Option<EntryOptions>],
) -> Result<Vec<Option<String>>, Error> {
    let sources = read_all(file, options)?;
    with_large_stack(move || {
        let is_accepted = remembered(options.data_model);
        let units = parse_all(sources, &is_accepted)?;
        let digest = |entry: &Option<EntryOptions>| {
            let lowering = LowerOptions {
                data_model: options.data_model,
                unknown_calls: options.unknown_calls,
                devices: options.devices.clone(),
                entry: entry.clone(),
            };
            let lowered = lower_in_parts(&units, &options.property, &lowering, &is_accepted);
            let (unit, _) = lowered.ok()?;
            Some(sha256(reached_text(&unit).as_bytes()))
        };
        Ok(entries.iter().map(digest).collect())
    })?
}

/// Returns whether the compiler accepts a text, which it is asked once.
fn remembered(data_model: DataModel) -> impl Fn(&[u8]) -> bool {
    let known = RefCell::new(FxHashMap::default());
    move |text: &[u8]| {
        let ask = || is_accepted(text, data_model);
        let mut known = known.borrow_mut();
        *known.entry(text.to_vec()).or_insert_with(ask)
    }
}

/// Parses all files of the program.
fn parse_all(
    sources: Vec<Preprocessed>,
    is_accepted: &dyn Fn(&[u8]) -> bool,
) -> Result<Vec<ParsedUnit>, Error> {
    let mut units: Vec<ParsedUnit> = Vec::new();
    let mut numbering = Numbering::default();
    for source in sources {
        let unit = parse_in_parts(source, &numbering, is_accepted)?;
        numbering = unit.positions.numbering();
        units.push(unit);
    }
    Ok(units)
}

/// Makes the program of a preprocessed text.
pub fn load_preprocessed(source: Preprocessed, options: &LoadOptions) -> Result<Loaded, Error> {
    translate(vec![source], options, Clock::new())
}

fn translate(
    sources: Vec<Preprocessed>,
    options: &LoadOptions,
    mut clock: Clock,
) -> Result<Loaded, Error> {
    let name: Arc<str> = sources
        .first()
        .map_or("".into(), |first| first.name.clone());
    with_large_stack(move || {
        let accepted = remembered(options.data_model);
        // Compilers still accept many constructs that C23 has removed.
        let is_lenient = !Dialect::of(options.standard).is_c23_alone();
        let is_accepted = |text: &[u8]| is_lenient && accepted(text);
        let units = parse_all(sources, &is_accepted)?;
        clock.lap("parse");
        let mut warnings: Vec<Warning> = Vec::new();
        for unit in &units {
            warnings.extend_from_slice(&unit.warnings);
        }
        let lowering = LowerOptions {
            data_model: options.data_model,
            unknown_calls: options.unknown_calls,
            devices: options.devices.clone(),
            entry: options.entry.clone(),
        };
        let (unit, more) = lower_in_parts(&units, &options.property, &lowering, &is_accepted)?;
        warnings.extend(more);
        clock.lap("lower");
        #[cfg(debug_assertions)]
        if let Some(fault) = crate::ir::check::fault(&unit) {
            panic!("ill-typed: {fault}");
        }
        let typed = options.keeps_typed.then(|| unit.to_string());
        let entry = unit.entry.clone();
        // The syntax trees are large and not needed any more.
        drop(units);
        let model = MemoryOptions {
            arithmetic: options.arithmetic,
            malloc_may_fail: options.malloc_may_fail,
            all_assumptions: options.all_assumptions,
            checks_overflow: options.property.checks.contains(&Check::Overflow),
            checks_division: options.property.checks.contains(&Check::Division),
            checks_shift: options.property.checks.contains(&Check::Shift),
            memory_checks: MemoryChecks::of(&options.property),
        };
        let program = emit(&unit, &model).map_err(|error| {
            let kind = match error {
                MemoryError::TooLarge | MemoryError::NoStart => ErrorKind::Unsupported,
                MemoryError::Internal(_) => ErrorKind::Internal,
            };
            Error::new(kind, error.to_string()).at(Place::file(name))
        })?;
        clock.lap("emit");
        Ok(Loaded {
            program,
            warnings,
            typed,
            entry,
            phases: clock.phases,
        })
    })?
}

/// Measures the wall time of the steps.
struct Clock {
    last: Instant,
    phases: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn new() -> Self {
        Self {
            last: Instant::now(),
            phases: Vec::new(),
        }
    }

    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.phases.push((name, now - self.last));
        self.last = now;
    }
}

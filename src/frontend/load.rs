//! Loads a program from a file: runs all steps of the front end.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ir::{Devices, UnknownEffect};
use super::lower::{LowerOptions, lower_in_parts};
use super::memory::{MemoryChecks, MemoryError, MemoryOptions, emit};
use super::parse::{parse_in_parts, with_large_stack};
use super::preprocess::{Options, Preprocessed, is_accepted, preprocess};
use super::property::{Check, Specification};
use super::standard::{Dialect, Standard};
use regatta_base::diagnostic::{Error, ErrorKind, Place, Warning};
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
    /// Whether the result contains the typed representation as text.
    pub keeps_typed: bool,
    /// `NAME` or `NAME=VALUE`, for the preprocessor.
    pub defines: Vec<String>,
    /// Folders that are searched for headers.
    pub include_folders: Vec<PathBuf>,
    /// A text to be read in place of the file's text.
    pub text: Option<Arc<[u8]>>,
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
            keeps_typed: false,
            defines: Vec::new(),
            include_folders: Vec::new(),
            text: None,
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
    /// The steps in order, with the wall time that each took.
    pub phases: Vec<(&'static str, Duration)>,
}

/// Reads a C file and makes its program.
pub fn load(file: &Path, options: &LoadOptions) -> Result<Loaded, Error> {
    let preprocessor = Options {
        data_model: options.data_model,
        standard: options.standard,
        defines: options.defines.clone(),
        include_folders: options.include_folders.clone(),
        text: options.text.clone(),
    };
    let mut clock = Clock::new();
    let source = preprocess(file, &preprocessor)?;
    clock.lap("preprocess");
    translate(source, options, clock)
}

/// Makes the program of a preprocessed text.
pub fn load_preprocessed(source: Preprocessed, options: &LoadOptions) -> Result<Loaded, Error> {
    translate(source, options, Clock::new())
}

fn translate(
    source: Preprocessed,
    options: &LoadOptions,
    mut clock: Clock,
) -> Result<Loaded, Error> {
    let name = source.name.clone();
    with_large_stack(move || {
        let accepted = OnceCell::new();
        // Compilers still accept many constructs that C23 has removed.
        let is_lenient = !Dialect::of(options.standard).is_c23_alone();
        let is_accepted = |text: &[u8]| {
            is_lenient && *accepted.get_or_init(|| is_accepted(text, options.data_model))
        };
        let parsed = parse_in_parts(source, &is_accepted)?;
        clock.lap("parse");
        let mut warnings = parsed.warnings.clone();
        let lowering = LowerOptions {
            data_model: options.data_model,
            unknown_calls: options.unknown_calls,
            devices: options.devices.clone(),
        };
        let (unit, more) = lower_in_parts(&parsed, &options.property, &lowering, &is_accepted)?;
        warnings.extend(more);
        clock.lap("lower");
        #[cfg(debug_assertions)]
        if let Some(fault) = crate::ir::check::fault(&unit) {
            panic!("ill-typed: {fault}");
        }
        let typed = options.keeps_typed.then(|| unit.to_string());
        // The syntax trees are large and not needed any more.
        drop(parsed);
        let model = MemoryOptions {
            arithmetic: options.arithmetic,
            malloc_may_fail: options.malloc_may_fail,
            all_assumptions: options.all_assumptions,
            checks_overflow: options.property.checks.contains(&Check::Overflow),
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

//! From a C file to a text without directives: `cc -E`, where that is needed at all.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::diagnostic::{Error, ErrorKind, Place};
use crate::program::DataModel;

/// How files are preprocessed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Sizes of C's types; decides between `-m32` and `-m64`.
    pub data_model: DataModel,
    /// `NAME` or `NAME=VALUE`, as after the compiler's `-D`.
    pub defines: Vec<String>,
    /// Folders that are searched for headers, as after the compiler's `-I`.
    pub include_folders: Vec<PathBuf>,
}

/// A text without directives other than line markers and pragmas.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text; not necessarily UTF-8.
    pub text: Vec<u8>,
    /// The file that the user named.
    pub name: Arc<str>,
    /// Whether the line markers in it give the positions; else the text is the user's own file and positions are its.
    pub positions_from_markers: bool,
}

impl Preprocessed {
    /// A text that is taken as it is; `name` is for messages.
    pub fn from_text(name: impl Into<Arc<str>>, text: impl Into<Vec<u8>>) -> Self {
        Self {
            text: text.into(),
            name: name.into(),
            positions_from_markers: false,
        }
    }
}

/// Reads a file and preprocesses it, unless its name ends in `.i` or there is nothing to do.
pub fn preprocess(file: &Path, options: &Options) -> Result<Preprocessed, Error> {
    let name: Arc<str> = file.display().to_string().into();
    let text = std::fs::read(file).map_err(|error| {
        Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.clone()))
    })?;
    let is_preprocessed = file.extension().is_some_and(|extension| extension == "i");
    if is_preprocessed || !needs_preprocessor(&text) {
        return Ok(Preprocessed::from_text(name, text));
    }
    let text = run_preprocessor(file, &name, options)?;
    Ok(Preprocessed {
        text,
        name,
        positions_from_markers: true,
    })
}

fn needs_preprocessor(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n')
        .any(|line| line.trim_ascii_start().starts_with(b"#"))
}

fn run_preprocessor(file: &Path, name: &Arc<str>, options: &Options) -> Result<Vec<u8>, Error> {
    let compiler = std::env::var_os("CC")
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| OsString::from("cc"));
    let mut command = Command::new(&compiler);
    command
        .arg("-E")
        .arg("-std=gnu11")
        .arg(match options.data_model {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        });
    for define in &options.defines {
        command.arg(format!("-D{define}"));
    }
    for folder in &options.include_folders {
        command.arg("-I").arg(folder);
    }
    let output = command.arg(file).output().map_err(|error| {
        let message = format!("cannot run `{}`: {error}", compiler.display());
        Error::new(ErrorKind::Preprocessor, message)
            .at(Place::file(name.clone()))
            .with_help("install a C compiler (Debian: apt-get install gcc), name one in CC, or give a preprocessed `.i` file")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::new(ErrorKind::Preprocessor, message).at(Place::file(name.clone())))
}

//! The builds of the verifier in an experiment, with their hashes, so that runs of different builds are not mixed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use regatta_base::digest::sha256;
use regatta_base::{Error, ErrorKind, Place};

/// A build of the verifier.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// SHA-256 of the file.
    pub digest: String,
    /// The stamp by which a change of the file is noticed.
    stamp: Stamp,
}

/// Size, time of the last change in seconds and nanoseconds, and inode number.
type Stamp = (u64, i64, i64, u64);

fn stamp(metadata: &Metadata) -> Stamp {
    (
        metadata.len(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ino(),
    )
}

/// All builds of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Programs(Vec<Program>);

impl Programs {
    /// Adds a build; without a path, the running program.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn add(&mut self, path: Option<&Path>) -> Result<&Program, Error> {
        let unreadable = |path: &Path, error: &std::io::Error| {
            let place = Place::file(path.display().to_string());
            Error::new(ErrorKind::Unreadable, error.to_string()).at(place)
        };
        let path = match path {
            Some(path) => path
                .canonicalize()
                .map_err(|error| unreadable(path, &error))?,
            None => std::env::current_exe()
                .map_err(|error| unreadable(Path::new("/proc/self/exe"), &error))?,
        };
        if let Some(index) = self.0.iter().position(|known| known.path == path) {
            return Ok(&self.0[index]);
        }
        let read = || -> std::io::Result<Program> {
            let stamp = stamp(&path.metadata()?);
            Ok(Program {
                path: path.clone(),
                digest: sha256(&std::fs::read(&path)?),
                stamp,
            })
        };
        let program = read().map_err(|error| unreadable(&path, &error))?;
        self.0.push(program);
        Ok(&self.0[self.0.len() - 1])
    }

    /// Returns the build with the hash, if its file has not changed.
    ///
    /// # Errors
    /// A message when the file has changed.
    pub fn checked(&self, digest: &str) -> Result<&Program, String> {
        let program = self.0.iter().find(|program| program.digest == digest);
        let program = program.ok_or_else(|| "a program is missing".to_owned())?;
        match program.path.metadata() {
            Ok(metadata) if stamp(&metadata) == program.stamp => Ok(program),
            _ => Err(format!(
                "{} has changed since the experiment began; the runs that are missing would be of another program",
                program.path.display()
            )),
        }
    }
}

//! Checks before a run whether its output files and folders can be written.

use std::path::{Path, PathBuf};

use crate::options::VerifyOptions;
use regatta_run::file::folder_of;
use regatta_run::proof_export;

/// Checks whether all outputs that the options name can be written, as far as that can be determined.
///
/// # Errors
/// A message for the user.
pub fn probe(options: &VerifyOptions, program: &Path) -> Result<(), String> {
    let files = [
        &options.witness,
        &options.harness,
        &options.sarif,
        &options.report,
    ];
    let files: Vec<&PathBuf> = files.into_iter().flatten().collect();
    let refused = |path: &Path, reason: String| {
        format!("error: {} cannot be written: {reason}", path.display())
    };
    for (number, file) in files.iter().enumerate() {
        probe_file(file).map_err(|reason| refused(file, reason))?;
        if is_same(file, program) {
            return Err(refused(file, "it is the program".to_owned()));
        }
        if files[..number].iter().any(|other| is_same(file, other)) {
            return Err(refused(file, "it is named for two things".to_owned()));
        }
    }
    if let Some(folder) = &options.dump {
        probe_folder(folder).map_err(|reason| refused(folder, reason))?;
    }
    if let Some(folder) = &options.certificate {
        proof_export::can_be_written(folder)
            .and_then(|()| probe_place(folder_of(folder)))
            .map_err(|reason| refused(folder, reason))?;
    }
    Ok(())
}

/// Checks whether the file can be written; devices and pipes are not tried.
fn probe_file(file: &Path) -> Result<(), String> {
    match std::fs::metadata(file) {
        Ok(there) if there.is_dir() => Err("it is a folder".to_owned()),
        Ok(there) if !there.is_file() => Ok(()),
        _ if file.as_os_str().is_empty() => Err("its name is empty".to_owned()),
        _ => probe_place(folder_of(file)),
    }
}

/// Checks whether the folder exists and can be written to, or can be created.
fn probe_folder(folder: &Path) -> Result<(), String> {
    let ancestors = folder.ancestors();
    let mut there = ancestors.filter(|path| path.as_os_str().is_empty() || path.exists());
    match there.next() {
        Some(path) if path.as_os_str().is_empty() => probe_place(Path::new(".")),
        Some(path) => probe_place(path),
        None => Err("there is no such folder".to_owned()),
    }
}

/// Checks whether a file can be created in the folder.
fn probe_place(folder: &Path) -> Result<(), String> {
    if !folder.exists() {
        return Err(format!("there is no folder {}", folder.display()));
    }
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    let made = tempfile::Builder::new()
        .prefix(".regatta-")
        .tempfile_in(folder);
    // The reason without the name of the temporary file.
    let reason = |error: std::io::Error| std::io::Error::from(error.kind()).to_string();
    made.map(drop).map_err(reason)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = folder_of(path).canonicalize().ok()?;
        let whole = folder.join(path.file_name()?);
        Some(whole.canonicalize().unwrap_or(whole))
    };
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

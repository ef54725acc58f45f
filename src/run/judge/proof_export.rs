//! `--certificate FOLDER`: the proof behind the answer as SMT-LIB files that any solver can check.
//!
//! A checker process checks the proof once more and records its queries ([`regatta_certify::verification_conditions`]). They
//! are written to a temporary folder, which is renamed when it is complete.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::answer::Judge;
use super::evidence::Ground;
use crate::options::TaskOptions;
use crate::record::file::folder_of;
use crate::record::verdict::Conclusion;
use crate::task::Task;
use regatta_base::digest::sha256;
use regatta_certify::Check;
use regatta_certify::verification_conditions::{Destination, Written};
use regatta_frontend::property::{Forbidden, Specification};

/// Checks before the run whether a certificate can be written to the folder.
///
/// # Errors
/// The reason why it cannot.
pub fn can_be_written(folder: &Path) -> Result<(), String> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err("the folder is not empty".to_owned()),
            None => Ok(()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let parent = folder_of(folder);
            match parent.is_dir() {
                true => Ok(()),
                false => Err(format!("there is no folder {}", parent.display())),
            }
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Writes the proof behind the answer.
pub(crate) fn write(
    judge: &Judge,
    task: &Task,
    conclusion: &Conclusion,
    folder: &Path,
) -> Result<Written, String> {
    let (Some(analysis), Some(Ground::Proof(certificate, ..))) =
        (&conclusion.analysis, judge.grounds.of(conclusion))
    else {
        return Err("the answer is no proof with conditions".to_owned());
    };
    let aside = tempfile::Builder::new()
        .prefix(".regatta-certificate-")
        .tempdir_in(folder_of(folder))
        .map_err(|error| error.to_string())?;
    let destination = Destination {
        folder: aside.path().to_owned(),
        header: header(&task.options, analysis),
    };
    let reply = judge
        .checker
        .record(&certificate, destination, task.time_left());
    if reply.check != Check::Confirmed {
        return Err("the proof was not confirmed again in the time that was left".to_owned());
    }
    let written = reply.written.ok_or("the checker does not write")??;
    let rename = || {
        std::fs::set_permissions(aside.path(), PermissionsExt::from_mode(0o755))?;
        std::fs::rename(aside.path(), folder)
    };
    rename().map_err(|error| error.to_string())?;
    // The folder has been renamed, so there is nothing left to delete.
    let _ = aside.keep();
    Ok(written)
}

/// Returns the header of the files: the verifier, the program and the property.
fn header(options: &TaskOptions, analysis: &str) -> String {
    let programs: Vec<String> = options
        .files()
        .map(|file| {
            let text = options.text_of(file);
            let hash = text.map_or_else(|_| "unknown".to_owned(), |text| sha256(&text));
            format!("program: {}\nSHA-256: {hash}\n", file.display())
        })
        .collect();
    let programs = programs.concat();
    let Specification { forbidden, checks } = &options.load.property;
    let mut parts = match forbidden {
        Forbidden::Assertions => vec![
            "no assertion fails, and neither reach_error nor __VERIFIER_error is called".to_owned(),
        ],
        Forbidden::Listed { calls, labels } => {
            let calls = calls.iter().map(|name| format!("call of {name}"));
            let labels = labels.iter().map(|name| format!("label {name}"));
            let all: Vec<String> = calls.chain(labels).collect();
            match all.is_empty() {
                true => Vec::new(),
                false => vec![format!("not reached: {}", all.join(", "))],
            }
        }
    };
    parts.extend(checks.iter().map(|check| check.description().to_owned()));
    let property = parts.join("; ");
    let model = options.load.data_model.name();
    let standard = options.load.standard;
    let standard = standard.map_or_else(String::new, |name| format!("standard: {name}\n"));
    format!(
        "Certificate of Regatta {}\n{programs}data model: {model}\n\
         {standard}property: {property}\nproof: {analysis}\n",
        env!("CARGO_PKG_VERSION")
    )
}

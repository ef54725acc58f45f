//! The folder `slurm` of an experiment: the experiment's hash, and its submissions.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

use super::submission::Submission;
use crate::definition::selection::draw;
use crate::results::folder::Fixed;
use regatta_base::digest::{hexadecimal, sha256};
use regatta_run::file;

/// Creates or reads the folder. Returns the name of all jobs, before the submission's number, and the submissions.
///
/// # Errors
/// When the system refuses, or the submissions belong to another experiment.
pub fn open(
    home: &Path,
    folder: &Path,
    fixed: &Fixed,
) -> std::io::Result<(String, Vec<Submission>)> {
    fs::create_dir_all(home)?;
    check_path(&home.canonicalize()?)?;
    let path = home.join("name");
    let mark = mark_of(fixed)?;
    let name = match fs::read_to_string(&path) {
        Ok(text) => {
            let mut lines = text.lines();
            let name = lines.next().unwrap_or_default().to_owned();
            if name.is_empty() || lines.next() != Some(mark.as_str()) {
                let home = home.display();
                return Err(Error::other(format!(
                    "the jobs in {home} are of another experiment: remove that folder, or give another with --out"
                )));
            }
            name
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = new_name(folder);
            file::write(&path, format!("{name}\n{mark}\n").as_bytes())?;
            name
        }
        Err(error) => return Err(error),
    };
    let submissions = Submission::read_all(home, &name)?;
    Ok((name, submissions))
}

/// Returns the hash by which an experiment is recognised. It does not depend on the paths of programs.
fn mark_of(fixed: &Fixed) -> std::io::Result<String> {
    let mut fixed = fixed.clone();
    for described in &mut fixed.configurations {
        described.program.clear();
    }
    Ok(sha256(&serde_json::to_vec(&fixed)?))
}

/// Checks that Slurm uses the folder's path unchanged, since it expands patterns such as `%a` in the names of output files.
fn check_path(path: &Path) -> std::io::Result<()> {
    let path = path.display().to_string();
    match path.contains(['%', '\\', '\n']) {
        false => Ok(()),
        true => Err(std::io::Error::other(
            "Slurm does not support a folder with `%` or `\\` in its path: give another with --out",
        )),
    }
}

/// Returns a name for jobs, in plain letters, that no other experiment has.
fn new_name(folder: &Path) -> String {
    /// Maximum number of letters of the folder's name in it.
    const MAXIMUM_NAME_LENGTH: usize = 40;
    let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let stem = folder.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let stem: String = stem
        .trim_end_matches(".results")
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .take(MAXIMUM_NAME_LENGTH)
        .collect();
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = clock.unwrap_or_default().as_nanos() as u64;
    let mark = hexadecimal(&draw(seed, &path.display().to_string())[..4]);
    format!("regatta-{stem}-{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Limits, Order};

    #[test]
    fn slurm_names_are_plain() {
        let name = new_name(Path::new("/no/such/folder/a b|c,é.results"));
        let tail = name.strip_prefix("regatta-a_b_c__-").expect("a name");
        assert_eq!(tail.len(), 8);
    }

    #[test]
    fn slurm_folders_of_other_experiments_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("slurm");
        let mut fixed = Fixed {
            description: String::new(),
            version: "1".to_owned(),
            seed: 0,
            repetitions: 1,
            order: Order::Listed,
            limits: Limits {
                wall: 1.0,
                cpu: None,
                memory: None,
                cores: 1,
            },
            configurations: Vec::new(),
            tasks: Vec::new(),
        };
        let open = |fixed: &Fixed| open(&home, folder.path(), fixed).map(|(name, _)| name);
        let name = open(&fixed).expect("a folder");
        assert_eq!(open(&fixed).expect("the same"), name);
        fixed.limits.wall = 2.0;
        assert!(open(&fixed).is_err_and(|error| error.to_string().contains("another experiment")));
        fs::write(home.join("name"), "").expect("written");
        assert!(open(&fixed).is_err());
    }
}

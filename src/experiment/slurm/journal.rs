//! The journal of a job: a line when a run begins, and one when it has ended or was stopped.
//!
//! Only the job writes to the file, so it needs no lock. A line counts when it is complete and valid. After a
//! failure of a machine there may be an incomplete line, which is left out: its run is made again.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::results::folder::Sink;
use crate::results::record::{Key, Record};

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// A run has begun.
    Begun(Begun),
    /// A run has ended.
    Ended(Box<Record>),
    /// A run was stopped, for a reason outside the run.
    Withdrawn(Key),
}

/// The beginning of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    #[serde(flatten)]
    pub key: Key,
    /// The name of the cluster's node.
    pub node: String,
}

/// The lines that a reading has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalUpdate {
    pub entries: Vec<Entry>,
    /// The number of invalid lines.
    pub broken: usize,
}

/// Reads the lines after the offset, which is moved behind the last complete line. A missing file counts as empty.
///
/// # Errors
/// When the system refuses.
pub fn read(path: &Path, offset: &mut u64) -> std::io::Result<JournalUpdate> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(JournalUpdate::default()),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(*offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = whole.map_or(0, |last| last + 1);
    *offset += whole as u64;
    let mut update = JournalUpdate::default();
    for line in bytes[..whole].split(|&byte| byte == b'\n') {
        if line.is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(entry) => update.entries.push(entry),
            Err(_) => update.broken += 1,
        }
    }
    Ok(update)
}

/// The journal, open for its job.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// The experiment's folder.
    folder: PathBuf,
    node: String,
}

impl Journal {
    /// Opens or creates the file, and terminates an incomplete line. Also returns the runs that the job has made before a
    /// restart.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(path: &Path, folder: &Path) -> std::io::Result<(Self, Vec<Record>)> {
        let mut file = File::options()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let mut offset = 0;
        let update = read(path, &mut offset)?;
        if file.metadata()?.len() > offset {
            file.write_all(b"\n")?;
        }
        let mut done: Vec<Record> = Vec::new();
        for entry in update.entries {
            if let Entry::Ended(record) = entry
                && done.iter().all(|known| known.key != record.key)
            {
                done.push(*record);
            }
        }
        let node = std::env::var("SLURMD_NODENAME");
        let node = node.or_else(|_| std::fs::read_to_string("/proc/sys/kernel/hostname"));
        let journal = Self {
            file,
            folder: folder.to_owned(),
            node: node.unwrap_or_default().trim().to_owned(),
        };
        Ok((journal, done))
    }

    /// Writes the line and synchronises the file, so that other machines see it.
    fn write(&mut self, entry: &Entry) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()
    }
}

impl Sink for Journal {
    fn path(&self) -> &Path {
        &self.folder
    }

    fn begin(&mut self, key: &Key) -> std::io::Result<()> {
        self.write(&Entry::Begun(Begun {
            key: key.clone(),
            node: self.node.clone(),
        }))
    }

    fn withdraw(&mut self, key: &Key) -> std::io::Result<()> {
        self.write(&Entry::Withdrawn(key.clone()))
    }

    fn append(&mut self, record: &Record) -> std::io::Result<()> {
        self.write(&Entry::Ended(Box::new(record.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurm_journal_survives_torn_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("0.jsonl");
        let key = |task: &str| Key {
            configuration: "a".to_owned(),
            task: task.to_owned(),
            repetition: 0,
        };
        let (mut journal, done) = Journal::open(&path, folder.path()).expect("a journal");
        assert!(done.is_empty());
        journal.begin(&key("x")).expect("written");
        let mut offset = 0;
        assert_eq!(read(&path, &mut offset).expect("read").entries.len(), 1);
        // An incomplete line is not read, and the offset stays before it.
        let mut file = File::options().append(true).open(&path).expect("a file");
        file.write_all(b"{\"ended\":{\"conf").expect("written");
        let before = offset;
        assert_eq!(
            read(&path, &mut offset).expect("read"),
            JournalUpdate::default(),
            "half a line"
        );
        assert_eq!(offset, before);
        // The job is restarted.
        let (mut journal, _) = Journal::open(&path, folder.path()).expect("a journal");
        journal.begin(&key("y")).expect("written");
        let update = read(&path, &mut offset).expect("read");
        assert_eq!((update.entries.len(), update.broken), (1, 1));
        assert!(matches!(&update.entries[0], Entry::Begun(begun) if begun.key == key("y")));
        let missing = read(&folder.path().join("none"), &mut 0).expect("read");
        assert_eq!(missing, JournalUpdate::default());
    }
}

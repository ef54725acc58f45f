//! The files that `regatta verify` writes when the answer is known.

use std::io::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::complain;
use crate::options::VerifyOptions;
use regatta_base::printable::{printable, printable_json};
use regatta_report::{Ending, Recording, html, sarif};
use regatta_run::event::Event;
use regatta_run::file;

/// The requested report files, and the recording of the events so far.
pub struct Reports {
    recording: Recording,
    sarif: Option<PathBuf>,
    html: Option<PathBuf>,
}

impl Reports {
    /// Returns the reports that the options request; `None` if there are none.
    pub fn wanted(options: &VerifyOptions) -> Option<Self> {
        let (sarif, html) = (options.sarif.clone(), options.report.clone());
        (sarif.is_some() || html.is_some()).then(|| Self {
            recording: Recording::default(),
            sarif,
            html,
        })
    }

    /// Records an event.
    pub fn note(&mut self, event: &Event) {
        self.recording.note(event);
    }

    /// Writes the files, and reports errors to the user. Returns whether all files were written.
    pub fn write(&self, ending: &Ending) -> bool {
        // The answer has been printed, so a panic must not change the exit code.
        let write = AssertUnwindSafe(|| self.write_all(ending));
        catch_unwind(write).unwrap_or_else(|_| {
            complain("internal error: the reports are not written");
            false
        })
    }

    fn write_all(&self, ending: &Ending) -> bool {
        let mut is_written = true;
        if let Some(file) = &self.sarif {
            let text = sarif::to_sarif(&self.recording, ending);
            is_written &= write(file, Ok(printable_json(&text).into_owned()));
        }
        if let Some(file) = &self.html {
            // Characters that would display a source in another order (bidirectional controls) are escaped.
            let page = html::to_html(&self.recording, ending);
            let page = page.map(|page| printable(&page).into_owned());
            is_written &= write(file, page.map_err(Error::other));
        }
        is_written
    }
}

fn write(path: &Path, text: Result<String, Error>) -> bool {
    let written = text.and_then(|text| file::write(path, text.as_bytes()));
    if let Err(error) = &written {
        complain(&format!(
            "error: {} is not written: {error}",
            path.display()
        ));
    }
    written.is_ok()
}

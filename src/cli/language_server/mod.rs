//! `regatta lsp`: a server for editors, in the Language Server Protocol.
//!
//! When a C file is saved, the project is verified: by `regatta check` if its folder has a `regatta.toml`, else the file
//! alone. Errors become diagnostics, with the path to them as related information. A run ends when the next one begins.
//!
//! * [`diagnostics`]: from SARIF to diagnostics.

mod diagnostics;

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, ProtocolError};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::project::config;
use crate::{EXIT_INPUT, complain};
use diagnostics::{by_file, path_of, uri_of};

/// Wall time for a file that belongs to no project (seconds).
const TIME_LIMIT: &str = "10";

/// Time between two looks at a run (milliseconds).
const POLL: Duration = Duration::from_millis(20);

/// Runs the command; returns the exit code.
pub fn run() -> u8 {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection);
    drop(connection);
    let joined = threads.join();
    match (served, joined) {
        (Ok(()), Ok(())) => 0,
        (Err(error), _) => {
            complain(&format!("error: {error}"));
            EXIT_INPUT
        }
        (Ok(()), Err(error)) => {
            complain(&format!("error: {error}"));
            EXIT_INPUT
        }
    }
}

/// What the runs share.
struct Shared {
    /// The folder of the project.
    root: PathBuf,
    /// The number of the last run that was asked for.
    last: AtomicU64,
    /// The files that have diagnostics.
    marked: Mutex<BTreeSet<String>>,
}

/// Answers the editor until it has enough.
///
/// # Errors
/// If the editor does not keep to the protocol.
fn serve(connection: &Connection) -> Result<(), ProtocolError> {
    let capabilities = json!({ "textDocumentSync": { "openClose": true, "save": true } });
    let parameters = connection.initialize(capabilities)?;
    let root = parameters["rootUri"].as_str().and_then(path_of);
    let shared = Arc::new(Shared {
        root: root.unwrap_or_else(|| PathBuf::from(".")),
        last: AtomicU64::new(0),
        marked: Mutex::default(),
    });
    for message in &connection.receiver {
        match message {
            Message::Request(request) if connection.handle_shutdown(&request)? => break,
            Message::Notification(notification) => {
                let is_asked = ["textDocument/didOpen", "textDocument/didSave"]
                    .contains(&notification.method.as_str());
                let file = notification.params["textDocument"]["uri"]
                    .as_str()
                    .and_then(path_of);
                if let Some(file) = file.filter(|_| is_asked) {
                    start(&shared, connection, file);
                }
            }
            _ => {}
        }
    }
    shared.last.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// Starts a run for a file; the run before it ends.
fn start(shared: &Arc<Shared>, connection: &Connection, file: PathBuf) {
    let number = shared.last.fetch_add(1, Ordering::SeqCst) + 1;
    let shared = Arc::clone(shared);
    let sender = connection.sender.clone();
    std::thread::spawn(move || {
        let Some(found) = verify(&shared, number, &file) else {
            return;
        };
        let mut marked = shared.marked.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.last.load(Ordering::SeqCst) != number {
            return;
        }
        let now: BTreeSet<String> = found.keys().cloned().collect();
        for uri in marked.union(&now) {
            let diagnostics = found.get(uri).cloned().unwrap_or_default();
            let parameters = json!({ "uri": uri, "diagnostics": diagnostics });
            let method = "textDocument/publishDiagnostics".to_owned();
            let told = sender.send(Message::Notification(Notification::new(method, parameters)));
            if told.is_err() {
                return;
            }
        }
        *marked = now;
    });
}

/// Verifies the project of a file, and returns the diagnostics by file; `None` if a later run has begun.
fn verify(
    shared: &Shared,
    number: u64,
    file: &Path,
) -> Option<std::collections::BTreeMap<String, Vec<Value>>> {
    let scratch = tempfile::tempdir().ok()?;
    let sarif = scratch.path().join("errors.sarif");
    let mut command = Command::new(std::env::current_exe().ok()?);
    match shared.root.join(config::NAME).is_file() {
        true => command.arg("check").arg(&shared.root),
        false => command
            .args(["verify", "--time-limit", TIME_LIMIT, "--all"])
            .arg(file),
    };
    command
        .arg("--sarif")
        .arg(&sarif)
        .current_dir(&shared.root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // The run has processes of its own, which end with it.
        .process_group(0);
    let mut child = command.spawn().ok()?;
    while child.try_wait().ok()?.is_none() {
        if shared.last.load(Ordering::SeqCst) != number {
            let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(POLL);
    }
    let text = std::fs::read(&sarif).unwrap_or_default();
    let log = serde_json::from_slice(&text).unwrap_or(Value::Null);
    let mut found = by_file(&log, &shared.root);
    // A file that has become right loses its marks also if it had none of this run.
    found.entry(uri_of(file)).or_default();
    Some(found)
}

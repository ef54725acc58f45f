//! `regatta lsp`: a server for editors, in the Language Server Protocol.
//!
//! When a C file is saved, the project is verified: by `regatta check` if its folder has a `regatta.toml`, else the file
//! alone. Errors become diagnostics, with the path to them as related information; proved invariants of loops become inlay
//! hints. A run ends when the next one begins.
//!
//! * [`diagnostics`]: from SARIF to diagnostics.
//! * [`hints`]: from witnesses to inlay hints.

mod diagnostics;
mod hints;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
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
    /// Whether the editor can be told that hints have changed.
    refreshes: bool,
    /// What the editor has been told.
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// The files that have diagnostics.
    marked: BTreeSet<String>,
    /// The inlay hints by file.
    hints: ByFile,
}

/// Diagnostics or hints by the URI of the file.
type ByFile = BTreeMap<String, Vec<Value>>;

/// What a run has found.
struct Found {
    diagnostics: ByFile,
    hints: ByFile,
}

/// The folder of a project's witnesses in the project's folder.
const WITNESSES: &str = ".regatta/witnesses";

impl Shared {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers the editor until it has enough.
///
/// # Errors
/// If the editor does not keep to the protocol.
fn serve(connection: &Connection) -> Result<(), ProtocolError> {
    let capabilities = json!({
        "textDocumentSync": { "openClose": true, "save": true },
        "inlayHintProvider": true,
    });
    let parameters = connection.initialize(capabilities)?;
    let root = parameters["rootUri"].as_str().and_then(path_of);
    let shared = Arc::new(Shared {
        root: root.unwrap_or_else(|| PathBuf::from(".")),
        last: AtomicU64::new(0),
        refreshes: parameters["capabilities"]["workspace"]["inlayHint"]["refreshSupport"] == true,
        told: Mutex::default(),
    });
    for message in &connection.receiver {
        match message {
            Message::Request(request) if connection.handle_shutdown(&request)? => break,
            Message::Request(request) => {
                let answer = answer(&shared, request);
                if connection.sender.send(Message::Response(answer)).is_err() {
                    break;
                }
            }
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
            Message::Response(_) => {}
        }
    }
    shared.last.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// Answers a request.
fn answer(shared: &Shared, request: Request) -> Response {
    if request.method != "textDocument/inlayHint" {
        let message = format!("there is no method {}", request.method);
        return Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message);
    }
    let file = request.params["textDocument"]["uri"].as_str();
    // A URI may be written in several ways.
    let uri = file.and_then(path_of).map(|path| uri_of(&path));
    let told = shared.told();
    let hints = uri.and_then(|uri| told.hints.get(&uri));
    let hints = hints::within(
        hints.map_or(&[][..], Vec::as_slice),
        &request.params["range"],
    );
    Response::new_ok(request.id, hints)
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
        let mut told = shared.told();
        if shared.last.load(Ordering::SeqCst) != number {
            return;
        }
        let now: BTreeSet<String> = found.diagnostics.keys().cloned().collect();
        for uri in told.marked.union(&now) {
            let diagnostics = found.diagnostics.get(uri).cloned().unwrap_or_default();
            let parameters = json!({ "uri": uri, "diagnostics": diagnostics });
            let method = "textDocument/publishDiagnostics".to_owned();
            let sent = sender.send(Message::Notification(Notification::new(method, parameters)));
            if sent.is_err() {
                return;
            }
        }
        told.marked = now;
        if told.hints != found.hints {
            told.hints = found.hints;
            if shared.refreshes {
                let id = RequestId::from(format!("hints {number}"));
                let method = "workspace/inlayHint/refresh".to_owned();
                let request = Request::new(id, method, Value::Null);
                // If the editor has gone, there is nobody to tell.
                let _ = sender.send(Message::Request(request));
            }
        }
    });
}

/// Verifies the project of a file; `None` if a later run has begun.
fn verify(shared: &Shared, number: u64, file: &Path) -> Option<Found> {
    let scratch = tempfile::tempdir().ok()?;
    let sarif = scratch.path().join("errors.sarif");
    let program = std::env::current_exe().ok()?;
    let is_project = shared.root.join(config::NAME).is_file();
    let mut witnesses = Vec::new();
    if is_project {
        let folder = shared.root.join(WITNESSES);
        let mut check = Command::new(&program);
        check.arg("check").arg(&shared.root);
        check.arg("--sarif").arg(&sarif);
        check.arg("--witnesses").arg(&folder);
        run_to_end(check, shared, number)?;
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        witnesses.extend(files.map(|file| file.path()));
    } else {
        // All errors are told; a program without any is verified as a whole, whose proof has the invariants.
        let kept = scratch.path().join("invariants.json");
        let verify = |options: &[&OsStr]| {
            let mut verify = Command::new(&program);
            verify.args(["verify", "--time-limit", TIME_LIMIT]);
            verify.arg("--keep-invariants").arg(&kept).args(options);
            verify.arg(file);
            run_to_end(verify, shared, number)
        };
        let all = ["--all".as_ref(), "--sarif".as_ref(), sarif.as_os_str()];
        if verify(&all)? == Some(0) {
            let witness = scratch.path().join("witness.yml");
            verify(&["--witness".as_ref(), witness.as_os_str()])?;
            witnesses.push(witness);
        }
    }
    let mut diagnostics = by_file(&json_of(&sarif), &shared.root);
    // A file that has become right loses its marks also if it had none of this run.
    diagnostics.entry(uri_of(file)).or_default();
    let mut hints = ByFile::new();
    for witness in witnesses {
        for (uri, more) in hints::by_file(&json_of(&witness), &shared.root) {
            let of_file = hints.entry(uri).or_default();
            let new: Vec<Value> = more
                .into_iter()
                .filter(|hint| !of_file.contains(hint))
                .collect();
            of_file.extend(new);
        }
    }
    Some(Found { diagnostics, hints })
}

/// The contents of a file that the run may have written; null if it has not.
fn json_of(file: &Path) -> Value {
    let text = std::fs::read(file).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or(Value::Null)
}

/// Runs the command, with processes of its own that end with it; returns its exit code, and `None` if a later run has begun.
fn run_to_end(mut command: Command, shared: &Shared, number: u64) -> Option<Option<i32>> {
    command
        .current_dir(&shared.root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = command.spawn().ok()?;
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some(status.code());
        }
        if shared.last.load(Ordering::SeqCst) != number {
            let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(POLL);
    }
}

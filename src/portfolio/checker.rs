//! Proofs are checked in processes of their own.
//!
//! The race's process is full of solvers written in C and C++, on many threads: a stray write of theirs, or a fault of
//! ours in the shared store, could make a wrong proof look right. So each proof is checked by a process that was made for it
//! ([`super::zygote`]) and has the program as it was before the race.
//!
//! A proof travels as bytes ([`crate::certify::portable`]) over the process's stream, and so does the answer.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::crash::panic_message;
use super::zygote::Zygote;
use crate::certify::portable::{Answer, Reply, Request, answer_from_bytes, answer_to_bytes};
use crate::certify::{Budget, check_and_record, check_thoroughly, check_with_facts};
use crate::huge_pages;
use crate::program::{Program, Simplified};
use crate::time_slice::{self, AffectedThreads};
use crate::workers::{SOLVER_STACK, Workers};

/// How much longer than its budget a check may take before it is ended.
const GRACE: Duration = Duration::from_secs(10);

/// Has a proof checked, and waits for the answer.
///
/// # Errors
/// When there is no answer, because the check died or did not end; the reason in words.
pub fn check(zygote: &Zygote, request: &Request) -> Answer {
    let time = request.time;
    let end = Instant::now().checked_add(time.saturating_mul(2).saturating_add(GRACE));
    let bytes = request.to_bytes().map_err(|error| error.to_string())?;
    let mut stream = zygote.proof().map_err(|error| error.to_string())?;
    let sent = stream.write_all(&bytes);
    sent.and_then(|()| stream.shutdown(Shutdown::Write))
        .map_err(|error| error.to_string())?;
    let mut worker = [0; size_of::<libc::pid_t>()];
    let mut answer = Vec::new();
    match receive(&mut stream, &mut worker, &mut answer, end) {
        Ok(()) => answer_from_bytes(&answer).unwrap_or(Err("its process died".to_owned())),
        Err(error) => {
            let worker = libc::pid_t::from_ne_bytes(worker);
            if worker > 0 {
                let _ = kill(Pid::from_raw(worker), Signal::SIGKILL);
            }
            Err(format!("its process did not answer: {error}"))
        }
    }
}

/// Reads which process works on the proof, and its answer, until the end of the stream.
fn receive(
    stream: &mut UnixStream,
    worker: &mut [u8],
    answer: &mut Vec<u8>,
    end: Option<Instant>,
) -> std::io::Result<()> {
    let mut chunk = [0; 1 << 12];
    let mut known = 0;
    loop {
        if let Some(end) = end {
            let left = end.saturating_duration_since(Instant::now());
            // Zero would be no limit.
            stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        }
        match stream.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                let of_worker = count.min(worker.len() - known);
                worker[known..known + of_worker].copy_from_slice(&chunk[..of_worker]);
                known += of_worker;
                answer.extend_from_slice(&chunk[of_worker..count]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// What a process knows that checks a proof.
pub struct Judge<'p> {
    pub lowered: &'p Program,
    pub simplified: &'p Simplified,
    pub is_thorough: bool,
}

impl Judge<'_> {
    /// Checks the proof that comes through the stream, and answers.
    ///
    /// # Errors
    /// When the stream breaks, or there is no thread.
    pub fn work(&self, mut stream: UnixStream) -> std::io::Result<()> {
        stream.write_all(&libc::pid_t::to_ne_bytes(nix::unistd::getpid().as_raw()))?;
        huge_pages::allow_soon();
        time_slice::shorten(AffectedThreads::CallerAndStarted);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let check = || self.check(&bytes);
        let answer = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .name("proof checker".to_owned())
                .stack_size(SOLVER_STACK)
                .spawn_scoped(scope, check)?;
            let answer = thread.join();
            Ok::<_, std::io::Error>(answer.unwrap_or_else(|panic| Err(panic_message(&*panic))))
        })?;
        let answer = answer_to_bytes(&answer).map_err(std::io::Error::other)?;
        stream.write_all(&answer)
    }

    fn check(&self, bytes: &[u8]) -> Answer {
        let Request {
            certificate,
            time,
            helpers,
            record,
        } = Request::from_bytes(bytes).map_err(|error| error.to_string())?;
        let (lowered, simplified) = (self.lowered, self.simplified);
        let budget = Budget {
            workers: Workers::fixed(helpers),
            ..Budget::of(time)
        };
        let (mut opinion, mut written, mut facts) = (None, None, Vec::new());
        let check = match record {
            Some(record) => {
                let (check, files) =
                    check_and_record(lowered, simplified, &certificate, budget, &record);
                written = Some(files);
                check
            }
            None if self.is_thorough => {
                let (check, second) = check_thoroughly(lowered, simplified, &certificate, budget);
                opinion = Some(second);
                check
            }
            None => {
                let (check, found) = check_with_facts(lowered, simplified, &certificate, budget);
                facts = found;
                check
            }
        };
        Ok(Reply {
            check,
            opinion,
            written,
            facts,
        })
    }
}

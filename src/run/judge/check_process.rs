//! Checks proofs in separate processes.
//!
//! The race's process contains solvers written in C and C++ on many threads: a stray write of a solver, or a fault of
//! ours in the shared term store, could make a wrong proof look right. So each proof is checked by a process forked for it
//! ([`crate::process::zygote`]), which has the program as it was before the race.
//!
//! The proof and the reply are serialised ([`regatta_certify::portable`]) and sent over a stream.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::process::crash::panic_message;
use crate::process::zygote::Zygote;
use crate::record::event::{EventKind, Reporter};
use regatta_base::huge_pages;
use regatta_base::time_slice::{self, AffectedThreads};
use regatta_base::workers::{SOLVER_STACK, Workers};
use regatta_certify::check::FactNumbers;
use regatta_certify::opinion::Opinion;
use regatta_certify::portable::{Answer, Reply, Request, answer_from_bytes, answer_to_bytes};
use regatta_certify::verification_conditions::Destination;
use regatta_certify::{Budget, Certificate, Check, ProofStep};
use regatta_certify::{check_and_record, check_thoroughly, check_with_facts};
use regatta_program::{Program, Simplified, TargetSet};

/// The proof checker's name in events.
pub(crate) const CHECKER: &str = "proof checker";

/// Time beyond twice its budget after which a check is killed.
const GRACE: Duration = Duration::from_secs(10);

/// Maximum wall time for writing a certificate if the run has no time limit.
const CERTIFICATE_BUDGET: Duration = Duration::from_secs(600);

/// Has proofs of a task checked, each in a process of its own.
pub(crate) struct RemoteChecker {
    /// The process from which checkers are forked; without it no proof can be checked.
    zygote: Option<Arc<Zygote>>,
    reporter: Reporter,
    /// Whether all solvers check the verification conditions.
    is_thorough: bool,
}

impl RemoteChecker {
    /// Makes the checker, which confirms nothing before [`Self::start`].
    pub fn new(reporter: &Reporter, is_thorough: bool) -> Self {
        Self {
            zygote: None,
            reporter: reporter.clone(),
            is_thorough,
        }
    }

    /// Starts the process from which proof checkers are forked, with the program as lowered, all its targets included, and
    /// what was simplified. Must be called while the process has one thread.
    pub fn start(&mut self, lowered: &Program, simplified: &Simplified) {
        self.zygote = None;
        let checker = ProofChecker {
            lowered,
            simplified,
            is_thorough: self.is_thorough,
        };
        match checker.start_zygote() {
            Ok(zygote) => self.zygote = Some(Arc::new(zygote)),
            Err(error) => self.reporter.event(EventKind::Warning {
                message: format!("no proof can be checked: the checker has no process: {error}"),
            }),
        }
    }

    /// Returns the process from which others can be forked, if there is one.
    pub fn zygote(&self) -> Option<Arc<Zygote>> {
        self.zygote.clone()
    }

    /// Has the proof checked within the time, with the number of helper threads, and returns the reply.
    pub fn check(&self, certificate: &Certificate, helpers: usize, time: Duration) -> Reply {
        let request = Request {
            certificate: certificate.clone(),
            time,
            helpers,
            record: None,
        };
        self.ask(&request).unwrap_or_else(|message| {
            self.reporter.event(EventKind::Panicked {
                analysis: CHECKER.to_owned(),
                message,
            });
            undecided("the check did not come to an end")
        })
    }

    /// Checks a proof again and has the verification conditions written.
    pub fn record(
        &self,
        certificate: &Certificate,
        destination: Destination,
        time_left: Option<Duration>,
    ) -> Reply {
        let request = Request {
            certificate: certificate.clone(),
            time: time_left.unwrap_or(CERTIFICATE_BUDGET),
            helpers: 0,
            record: Some(destination),
        };
        let answer = self.ask(&request);
        answer.unwrap_or_else(|message| undecided(&message))
    }

    /// Checks whether a proof is confirmed within about the given time, at the end of the run.
    pub fn confirms(&self, certificate: &Certificate, time: Duration) -> bool {
        let reply = self.check(certificate, 0, time);
        let is_objection = |opinion: &Opinion| opinion.objection.is_some();
        reply.check == Check::Confirmed && !reply.opinion.as_ref().is_some_and(is_objection)
    }

    /// Returns the simplifier's facts that can be confirmed within about the given time.
    pub fn confirmed_facts(&self, time: Duration) -> FactNumbers {
        // Only the facts in the reply matter, not whether this certificate proves the property.
        let certificate = Certificate::of_all(vec![ProofStep::Simplified]);
        self.check(&certificate, 0, time).facts
    }

    fn ask(&self, request: &Request) -> Answer {
        match &self.zygote {
            Some(zygote) => check(zygote, request),
            None => Ok(undecided("the checker has no process")),
        }
    }
}

/// Returns the reply that decides nothing.
fn undecided(reason: &str) -> Reply {
    Reply {
        check: Check::Undecided(reason.to_owned()),
        opinion: None,
        written: None,
        facts: Vec::new(),
        excluded: TargetSet::default(),
    }
}

/// Has a proof checked and waits for the reply.
///
/// # Errors
/// The reason why there is no reply: the process died or did not end in time.
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

/// Reads the number of the checking process and then its reply, until the end of the stream.
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
            // A timeout of zero would mean no timeout.
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

/// The data that a process needs to check proofs.
pub struct ProofChecker<'p> {
    pub lowered: &'p Program,
    pub simplified: &'p Simplified,
    pub is_thorough: bool,
}

impl ProofChecker<'_> {
    /// Starts the process from which proof checkers are forked. Must be called while the process has one thread.
    ///
    /// # Errors
    /// When the system refuses a socket or a process.
    pub fn start_zygote(&self) -> Result<Zygote, Errno> {
        Zygote::start(&|stream| self.work(stream))
    }

    /// Checks the proof that the stream delivers, and writes the reply to it.
    ///
    /// # Errors
    /// When the stream breaks or no thread can be started.
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
        let (mut opinion, mut written) = (None, None);
        let (mut facts, mut excluded) = (Vec::new(), TargetSet::default());
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
                let checked = check_with_facts(lowered, simplified, &certificate, budget);
                (facts, excluded) = (checked.facts, checked.excluded);
                checked.check
            }
        };
        Ok(Reply {
            check,
            opinion,
            written,
            facts,
            excluded,
        })
    }
}

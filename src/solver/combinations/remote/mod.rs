//! A solver in another process, behind [`Solver`].
//!
//! Only one thread of a process at a time may call Yices, so that a second analysis needs it in another process.
//! A part of the program that may fork starts that process, which [`serve`]s at the other end of two streams. One stream
//! is for questions and answers: the solving thread reads it itself, since waking another thread costs more than many
//! questions. The other stream is for interruptions. Changes of the solver's state are buffered here until a question is
//! asked and are sent with it; each term is sent once ([`Exporter`]).
//!
//! If the process dies, all later questions are answered unknown. A process that does not react to an interruption within
//! [`INTERRUPT_TIMEOUT`] is given up as well.

mod serve;
#[cfg(test)]
mod tests;
mod wire;

use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

pub use self::serve::serve;
use self::wire::{Frame, Interruption, Reply, Request, receive, send};
use crate::limits::{INTERRUPT_TIMEOUT, POLL_INTERVAL};
use crate::{Answer, CheckLimit, Interrupt, Reason, Solver, SolverConfig, SolverStatistics};
use regatta_base::counters;
use regatta_term::{Arena, Exporter, TermId, Value};

/// Starts the process and returns the streams to it.
pub type Start = Box<dyn FnOnce() -> io::Result<Streams>>;

/// One end of the connection between a solver process and its client.
#[derive(Debug)]
pub struct Streams {
    /// Questions and answers.
    pub questions: UnixStream,
    /// Interruptions, which must not wait behind questions.
    pub interruptions: UnixStream,
}

impl Streams {
    /// Makes both ends.
    ///
    /// # Errors
    /// When the system refuses a socket.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (asks, answers) = UnixStream::pair()?;
        let (interrupts, listens) = UnixStream::pair()?;
        let ours = Self {
            questions: asks,
            interruptions: interrupts,
        };
        let theirs = Self {
            questions: answers,
            interruptions: listens,
        };
        Ok((ours, theirs))
    }

    /// The file descriptors that another process has to inherit to have this end.
    pub fn handed(&self) -> [RawFd; 2] {
        [self.questions.as_raw_fd(), self.interruptions.as_raw_fd()]
    }

    /// Closes the connection: readers at both ends see its end.
    fn hang_up(&self) {
        let _ = self.questions.shutdown(Shutdown::Both);
        let _ = self.interruptions.shutdown(Shutdown::Both);
    }
}

/// A solver in another process.
pub struct RemoteSolver {
    arena: Rc<Arena>,
    exporter: Exporter,
    /// Requests that were not sent yet.
    pending: Vec<Request>,
    /// Starts the process; present until the first question.
    start: Option<Start>,
    /// The stream for questions, present from the first question on.
    questions: Option<UnixStream>,
    connection: Arc<Connection>,
    peer: Peer,
    /// Why the process was given up.
    lost: Option<String>,
    /// Whether the last check was satisfiable and nothing was changed since.
    satisfiable: bool,
    core: Vec<TermId>,
    limit: CheckLimit,
    statistics: SolverStatistics,
}

/// The connection to the process, shared by all threads.
#[derive(Default)]
struct Connection(Mutex<ConnectionState>);

#[derive(Default)]
struct ConnectionState {
    streams: Option<Streams>,
    /// Number of checks that have begun.
    checks: u64,
    /// Whether the last check is running.
    is_checking: bool,
    /// When the last check was first interrupted.
    interrupted: Option<Instant>,
}

/// The solving thread at the other end.
#[derive(Default)]
struct Peer {
    /// Its number in the operating system.
    thread: Option<libc::id_t>,
    /// Its nice value, as far as it was set here.
    nice: libc::c_int,
}

impl Peer {
    /// Copies the priority of the calling thread, which waits for this one; the scheduler lowers the priority of threads
    /// that overstay their turns.
    fn follow(&mut self) {
        let Some(thread) = self.thread else { return };
        // SAFETY: neither has preconditions. On Linux the number 0 is the calling thread's.
        unsafe {
            let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
            if nice != self.nice && libc::setpriority(libc::PRIO_PROCESS, thread, nice) == 0 {
                self.nice = nice;
            }
        }
    }
}

impl RemoteSolver {
    /// A solver without assertions. The process is started at the first question.
    pub fn new(arena: Rc<Arena>, start: Start) -> Self {
        Self {
            arena,
            exporter: Exporter::default(),
            pending: Vec::new(),
            start: Some(start),
            questions: None,
            connection: Arc::default(),
            peer: Peer::default(),
            lost: None,
            satisfiable: false,
            core: Vec::new(),
            limit: CheckLimit::default(),
            statistics: SolverStatistics::default(),
        }
    }

    fn export(&mut self, term: TermId) -> u32 {
        self.exporter.add(&*self.arena, term)
    }

    /// Invalidates the result of the last check.
    fn forget(&mut self) {
        self.satisfiable = false;
        self.core.clear();
    }

    /// Starts the process, if it was not started yet.
    fn ensure_started(&mut self) -> io::Result<()> {
        if let Some(start) = self.start.take() {
            let streams = start()?;
            streams.questions.set_read_timeout(Some(POLL_INTERVAL))?;
            self.questions = Some(streams.questions.try_clone()?);
            self.connection.0.lock().streams = Some(streams);
        }
        Ok(())
    }

    /// Sends all pending requests and the question, and waits for the answer.
    fn ask(&mut self, question: Request) -> io::Result<Reply> {
        self.ensure_started()?;
        let is_check = matches!(question, Request::Check { .. });
        let mut requests = std::mem::take(&mut self.pending);
        requests.push(question);
        let frame = Frame {
            terms: self.exporter.take(),
            requests,
        };
        let Some(stream) = &self.questions else {
            return Err(ErrorKind::NotConnected.into());
        };
        {
            let mut connection = self.connection.0.lock();
            connection.checks += u64::from(is_check);
            connection.is_checking = is_check;
            connection.interrupted = None;
        }
        send(stream, &frame)?;
        let reply = loop {
            let waits = || {
                self.peer.follow();
                let interrupted = self.connection.0.lock().interrupted;
                interrupted.is_none_or(|since| since.elapsed() < INTERRUPT_TIMEOUT)
            };
            match receive(stream, waits)? {
                Reply::Here { thread } => self.peer.thread = Some(thread),
                reply => break reply,
            }
        };
        self.connection.0.lock().is_checking = false;
        Ok(reply)
    }

    /// Asks the process; `None` if it is lost, for good.
    fn answer(&mut self, question: Request) -> Option<Reply> {
        if self.lost.is_some() {
            return None;
        }
        match self.ask(question) {
            Ok(reply) => Some(reply),
            Err(error) => {
                self.lost = Some(format!("its process is lost: {error}"));
                self.connection.hang_up();
                None
            }
        }
    }
}

impl Solver for RemoteSolver {
    fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    fn push(&mut self) {
        self.forget();
        self.pending.push(Request::Push);
    }

    fn pop(&mut self) {
        self.forget();
        self.pending.push(Request::Pop);
    }

    fn assert(&mut self, formula: TermId) {
        self.forget();
        let place = self.export(formula);
        self.pending.push(Request::Assert(place));
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        self.forget();
        let places = assumptions.iter().map(|&term| self.export(term)).collect();
        let begin = Instant::now();
        let question = Request::Check {
            assumptions: places,
            limit: self.limit,
        };
        let reply = counters::query(|| self.answer(question));
        self.statistics.checks += 1;
        self.statistics.check_time += begin.elapsed();
        self.statistics.translated = self.exporter.len() as u64;
        match reply {
            Some(Reply::Checked { answer, core }) => {
                self.satisfiable = answer == Answer::Satisfiable;
                let core = core.iter();
                self.core = core
                    .filter_map(|&number| assumptions.get(number as usize).copied())
                    .collect();
                answer
            }
            Some(Reply::Here { .. } | Reply::Values(_)) | None => {
                let interrupted = self.connection.0.lock().interrupted.is_some();
                Answer::Unknown(match &self.lost {
                    _ if interrupted => Reason::Interrupted,
                    Some(reason) => Reason::Incomplete(reason.clone()),
                    None => Reason::Incomplete("its process answers something else".to_owned()),
                })
            }
        }
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        self.values(&[term]).pop().flatten()
    }

    fn values(&mut self, terms: &[TermId]) -> Vec<Option<Value>> {
        let nothing = vec![None; terms.len()];
        if !self.satisfiable || terms.is_empty() {
            return nothing;
        }
        let places = terms.iter().map(|&term| self.export(term)).collect();
        match self.answer(Request::Values(places)) {
            Some(Reply::Values(values)) if values.len() == terms.len() => values,
            _ => nothing,
        }
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        self.core.clone()
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.limit = limit;
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        Arc::clone(&self.connection) as Arc<dyn Interrupt>
    }

    fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    fn for_another_thread(&self) -> SolverConfig {
        SolverConfig::default()
    }
}

impl Drop for RemoteSolver {
    fn drop(&mut self) {
        self.connection.hang_up();
    }
}

impl Connection {
    /// Closes the streams, whereupon the process ends.
    fn hang_up(&self) {
        if let Some(streams) = self.0.lock().streams.take() {
            streams.hang_up();
        }
    }
}

impl Interrupt for Connection {
    fn interrupt(&self) {
        let mut connection = self.0.lock();
        if !connection.is_checking {
            return;
        }
        connection.interrupted.get_or_insert_with(Instant::now);
        let check = connection.checks;
        if let Some(streams) = &connection.streams {
            // If sending fails, the thread that waits for the answer sees that the process is gone.
            let _ = send(&streams.interruptions, &Interruption { check });
        }
    }
}

//! A solver in another process, behind [`Solver`].
//!
//! Yices may be called by one thread of a process at a time, so a second analysis that wants it has it in a process of its own.
//! Whoever may fork makes the process, which [`serve`]s at the other end of two streams: one is for questions and answers, and the
//! thread that solves reads it itself, as waking another one costs more than many a question; interruptions have their own. What
//! changes the solver's state is kept here until something is asked; then everything travels together, and terms travel once
//! ([`Exporter`]).
//!
//! A solver that dies takes nothing with it: what is asked from then on is unknown. Neither does one that does not hear:
//! who interrupts it waits [`PATIENCE`] and no longer.

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
use std::time::{Duration, Instant};

use parking_lot::Mutex;

pub use self::serve::serve;
use self::wire::{Frame, Interruption, Reply, Request, receive, send};
use super::{Answer, CheckLimit, Interrupt, Reason, Solver, SolverConfig, SolverStatistics};
use regatta_base::counters;
use regatta_term::{Arena, Exporter, TermId, Value};

/// How long an interrupted check may go on before the process is given up.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is looked whether that is so, and at the thread's priority.
const LOOK: Duration = Duration::from_millis(50);

/// Makes the process; the streams that lead to it.
pub type Start = Box<dyn FnOnce() -> io::Result<Streams>>;

/// One end of what a solver and who asks it talk by.
#[derive(Debug)]
pub struct Streams {
    /// Questions and answers.
    pub questions: UnixStream,
    /// Interruptions, which do not wait until a question is read.
    pub interruptions: UnixStream,
}

impl Streams {
    /// Both ends.
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

    /// What another process is given to have this end, by numbers.
    pub fn handed(&self) -> [RawFd; 2] {
        [self.questions.as_raw_fd(), self.interruptions.as_raw_fd()]
    }

    /// Nothing goes through any more: whoever reads sees an end.
    fn hang_up(&self) {
        let _ = self.questions.shutdown(Shutdown::Both);
        let _ = self.interruptions.shutdown(Shutdown::Both);
    }
}

/// A solver in another process.
pub struct RemoteSolver {
    arena: Rc<Arena>,
    exporter: Exporter,
    /// What the process has not been told.
    pending: Vec<Request>,
    /// Until there is something to ask.
    start: Option<Start>,
    /// The stream for questions, from then on.
    questions: Option<UnixStream>,
    line: Arc<Line>,
    peer: Peer,
    /// Why nothing more can be found out.
    lost: Option<String>,
    /// The last check was satisfiable, and nothing was changed since.
    satisfiable: bool,
    core: Vec<TermId>,
    limit: CheckLimit,
    statistics: SolverStatistics,
}

/// Where the process is, for all threads.
#[derive(Default)]
struct Line(Mutex<LineState>);

#[derive(Default)]
struct LineState {
    streams: Option<Streams>,
    /// Checks that have begun.
    checks: u64,
    /// Whether the last one has not ended.
    is_checking: bool,
    /// When it was interrupted for the first time.
    interrupted: Option<Instant>,
}

/// Who solves at the other end.
#[derive(Default)]
struct Peer {
    /// The thread in the operating system.
    thread: Option<libc::id_t>,
    /// Its priority there.
    nice: libc::c_int,
}

impl Peer {
    /// Gives it the priority of the calling thread, which waits for it: a thread that overstays its turn has a lower one.
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
    /// A solver without assertions. The process is started when there is something to ask.
    pub fn new(arena: Rc<Arena>, start: Start) -> Self {
        Self {
            arena,
            exporter: Exporter::default(),
            pending: Vec::new(),
            start: Some(start),
            questions: None,
            line: Arc::default(),
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

    /// Whatever the last check found, it is about other assertions now.
    fn forget(&mut self) {
        self.satisfiable = false;
        self.core.clear();
    }

    /// Starts the process, if that has not been done.
    fn reach(&mut self) -> io::Result<()> {
        if let Some(start) = self.start.take() {
            let streams = start()?;
            streams.questions.set_read_timeout(Some(LOOK))?;
            self.questions = Some(streams.questions.try_clone()?);
            self.line.0.lock().streams = Some(streams);
        }
        Ok(())
    }

    /// Sends all there is with the question at the end, and waits for the answer.
    fn ask(&mut self, question: Request) -> io::Result<Reply> {
        self.reach()?;
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
            let mut line = self.line.0.lock();
            line.checks += u64::from(is_check);
            line.is_checking = is_check;
            line.interrupted = None;
        }
        send(stream, &frame)?;
        let reply = loop {
            let waits = || {
                self.peer.follow();
                let interrupted = self.line.0.lock().interrupted;
                interrupted.is_none_or(|since| since.elapsed() < PATIENCE)
            };
            match receive(stream, waits)? {
                Reply::Here { thread } => self.peer.thread = Some(thread),
                reply => break reply,
            }
        };
        self.line.0.lock().is_checking = false;
        Ok(reply)
    }

    /// The answer of the process, or `None` if there is none, now and later.
    fn answer(&mut self, question: Request) -> Option<Reply> {
        if self.lost.is_some() {
            return None;
        }
        match self.ask(question) {
            Ok(reply) => Some(reply),
            Err(error) => {
                self.lost = Some(format!("its process is lost: {error}"));
                self.line.hang_up();
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
                let interrupted = self.line.0.lock().interrupted.is_some();
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
        Arc::clone(&self.line) as Arc<dyn Interrupt>
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
        self.line.hang_up();
    }
}

impl Line {
    /// The process ends when nobody holds the stream any more.
    fn hang_up(&self) {
        if let Some(streams) = self.0.lock().streams.take() {
            streams.hang_up();
        }
    }
}

impl Interrupt for Line {
    fn interrupt(&self) {
        let mut line = self.0.lock();
        if !line.is_checking {
            return;
        }
        line.interrupted.get_or_insert_with(Instant::now);
        let check = line.checks;
        if let Some(streams) = &line.streams {
            // Who waits for the answer sees that the process is gone.
            let _ = send(&streams.interruptions, &Interruption { check });
        }
    }
}

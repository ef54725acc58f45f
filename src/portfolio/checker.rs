//! The checker of proofs, in a process of its own.
//!
//! The race's process is full of solvers written in C and C++, on many threads: a stray write of theirs, or a fault of
//! ours in the shared store, could make a wrong proof look right. So when the program is simplified and before there is
//! a second thread, the race forks a process that has the program and nothing else, and that never runs an engine. It
//! sleeps until a proof comes in; for each it forks a process that checks this one proof and ends. Checks do not share
//! anything but the program, run side by side, and one that dies takes nobody with it.
//!
//! A proof travels as bytes ([`crate::certify::portable`]) over a socket of its own, which the race hands over to the
//! process for the answer to come back on.

use std::io::{ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg,
    sendmsg, socketpair,
};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use super::crash::{self, panic_message};
use super::supervisor::{die_with, exit_now};
use crate::certify::portable::{Answer, Reply, Request, answer_from_bytes, answer_to_bytes};
use crate::certify::{Budget, check_and_record, check_thoroughly, check_with_facts};
use crate::program::{Program, Simplified};
use crate::workers::{SOLVER_STACK, Workers};

/// How much longer than its budget a check may take before it is ended.
const GRACE: Duration = Duration::from_secs(10);

/// The process that waits for proofs. It ends with the race's process, or when this is dropped.
pub struct CheckerProcess {
    socket: OwnedFd,
    pid: Pid,
}

impl CheckerProcess {
    /// Starts it. Must be called while the process has one thread.
    ///
    /// # Errors
    /// When the system refuses a socket or a process.
    pub fn start(
        lowered: &Program,
        simplified: &Simplified,
        is_thorough: bool,
    ) -> Result<Self, Errno> {
        let (ours, theirs) = socketpair(
            AddressFamily::Unix,
            SockType::SeqPacket,
            None,
            SockFlag::SOCK_CLOEXEC,
        )?;
        let parent = nix::unistd::getpid();
        // SAFETY: the process has a single thread (the caller's promise), so that the child may do anything.
        match unsafe { fork()? } {
            ForkResult::Parent { child } => Ok(Self {
                socket: ours,
                pid: child,
            }),
            ForkResult::Child => {
                drop(ours);
                let server = Server {
                    lowered,
                    simplified,
                    is_thorough,
                };
                server.run(parent, &theirs)
            }
        }
    }

    /// The process's number in the operating system.
    pub fn id(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Has a proof checked, and waits for the answer.
    ///
    /// # Errors
    /// When there is no answer, because the check died or did not end; the reason in words.
    pub fn check(&self, request: &Request) -> Answer {
        let time = request.time;
        let end = Instant::now().checked_add(time.saturating_mul(2).saturating_add(GRACE));
        let bytes = request.to_bytes().map_err(|error| error.to_string())?;
        let mut stream = self.send(&bytes).map_err(|error| error.to_string())?;
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

    /// Hands over one end of a new socket, sends the bytes through the other, and returns it.
    fn send(&self, bytes: &[u8]) -> std::io::Result<UnixStream> {
        let (mut ours, theirs) = UnixStream::pair()?;
        let handed = [theirs.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&handed)];
        let note = [IoSlice::new(b"?")];
        sendmsg::<()>(
            self.socket.as_raw_fd(),
            &note,
            &rights,
            MsgFlags::MSG_NOSIGNAL,
            None,
        )?;
        drop(theirs);
        ours.write_all(bytes)?;
        ours.shutdown(Shutdown::Write)?;
        Ok(ours)
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

/// What the process knows that waits for proofs.
struct Server<'p> {
    lowered: &'p Program,
    simplified: &'p Simplified,
    is_thorough: bool,
}

impl Server<'_> {
    /// Its life.
    fn run(&self, parent: Pid, socket: &OwnedFd) -> ! {
        isolate(parent, socket.as_raw_fd());
        loop {
            match receive_stream(socket.as_raw_fd()) {
                Ok(Some(stream)) => self.answer(stream, socket),
                Ok(None) => exit_now(0),
                Err(Errno::EINTR) => {}
                Err(_) => exit_now(1),
            }
            // Those that have ended.
            while matches!(
                waitpid(None, Some(WaitPidFlag::WNOHANG)),
                Ok(status) if status != WaitStatus::StillAlive
            ) {}
        }
    }

    /// Starts the process that checks the proof that comes through the stream. Without one the stream ends.
    fn answer(&self, stream: UnixStream, socket: &OwnedFd) {
        let parent = nix::unistd::getpid();
        // SAFETY: this process has a single thread, so that the child may do anything.
        if let Ok(ForkResult::Child) = unsafe { fork() } {
            // SAFETY: nothing uses the socket in this process, and nothing closes it again.
            unsafe { libc::close(socket.as_raw_fd()) };
            isolate(parent, stream.as_raw_fd());
            let done = self.work(stream);
            exit_now(i32::from(done.is_err()))
        }
    }

    fn work(&self, mut stream: UnixStream) -> std::io::Result<()> {
        stream.write_all(&libc::pid_t::to_ne_bytes(nix::unistd::getpid().as_raw()))?;
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

/// For a process just forked: it dies with its parent, its crashes are nobody's, and it keeps nothing open but standard
/// streams and the descriptor.
fn isolate(parent: Pid, kept: RawFd) {
    die_with(parent);
    crash::uninstall();
    let kept = kept.cast_unsigned();
    let first = libc::STDERR_FILENO.cast_unsigned() + 1;
    for (from, to) in [(first, kept.saturating_sub(1)), (kept + 1, u32::MAX)] {
        if from <= to {
            // SAFETY: this process does not use what is closed, nor closes it again: it ends by `_exit`.
            unsafe { libc::syscall(libc::SYS_close_range, from, to, 0u32) };
        }
    }
}

/// The next stream that is handed over; `None` when the other side is gone.
fn receive_stream(socket: RawFd) -> Result<Option<UnixStream>, Errno> {
    let mut note = [0; 1];
    let mut into = [IoSliceMut::new(&mut note)];
    let mut space = nix::cmsg_space!([RawFd; 1]);
    let message = recvmsg::<()>(
        socket,
        &mut into,
        Some(&mut space),
        MsgFlags::MSG_CMSG_CLOEXEC,
    )?;
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(handed) = control
            && let [stream] = handed[..]
        {
            // SAFETY: it was handed over just now, and nobody else has it.
            return Ok(Some(unsafe { UnixStream::from_raw_fd(stream) }));
        }
    }
    Ok(None)
}

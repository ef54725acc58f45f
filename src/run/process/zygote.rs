//! The zygote: the process from which the worker processes of a run are forked.
//!
//! A process with several threads should not fork, and the race's process has many. So while it still has one thread, it
//! forks the zygote, which has the program and never runs an engine. The zygote waits for requests; for each it forks a
//! worker process, which does one thing over sockets of its own and ends.
//! Worker processes share nothing but the program, run in parallel, and the death of one does not affect the others.
//!
//! * A worker checks a proof, as the judge has it done ([`CheckProof`]).
//! * A worker runs Yices for an analysis, because only one thread of a process may call Yices ([`regatta_solver::remote`]).

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg,
    sendmsg, socketpair,
};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use super::crash;
use super::exit::{die_with, exit_now};
use regatta_solver::remote::{self, Streams};
use regatta_solver::{Backend, SolverConfig, new_solver};

/// Maximum number of streams that a request hands over.
const MAXIMUM_STREAMS_PER_REQUEST: usize = 2;

/// The kinds of worker processes, which are the requests.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
enum WorkerKind {
    /// Checks the proof that the one stream delivers.
    Proof = b'p',
    /// Answers queries by Yices over the two streams.
    Yices = b'y',
}

/// Checks the proof that the stream delivers, and writes the reply to it. Runs in a process of its own.
pub type CheckProof<'p> = dyn Fn(UnixStream) -> io::Result<()> + 'p;

/// The zygote process. It ends with the race's process, or when this is dropped.
pub struct Zygote {
    socket: OwnedFd,
    pid: Pid,
}

impl Zygote {
    /// Starts the zygote, which has what the function refers to. Must be called while the process has one thread.
    ///
    /// # Errors
    /// When the system refuses a socket or a process.
    pub fn start(check_proof: &CheckProof<'_>) -> Result<Self, Errno> {
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
                serve(parent, &theirs, check_proof)
            }
        }
    }

    /// Returns the zygote's number in the operating system.
    pub fn id(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Has a proof checker forked and returns the stream to it, which ends at once if the system refuses the process.
    ///
    /// # Errors
    /// When the system refuses a socket, or the zygote has ended.
    pub fn proof(&self) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        self.send(WorkerKind::Proof, &[theirs.as_raw_fd()])?;
        Ok(ours)
    }

    /// Has a process with Yices forked and returns the streams to it, which end at once if the system refuses the process.
    ///
    /// # Errors
    /// When the system refuses a socket, or the zygote has ended.
    pub fn yices(&self) -> io::Result<Streams> {
        let (ours, theirs) = Streams::pair()?;
        self.send(WorkerKind::Yices, &theirs.handed())?;
        Ok(ours)
    }

    fn send(&self, kind: WorkerKind, handed: &[RawFd]) -> io::Result<()> {
        let rights = [ControlMessage::ScmRights(handed)];
        let note = [kind as u8];
        sendmsg::<()>(
            self.socket.as_raw_fd(),
            &[IoSlice::new(&note)],
            &rights,
            MsgFlags::MSG_NOSIGNAL,
            None,
        )?;
        Ok(())
    }
}

/// Serves requests in the zygote process. Never returns.
fn serve(parent: Pid, socket: &OwnedFd, check_proof: &CheckProof<'_>) -> ! {
    isolate(parent, &[socket.as_raw_fd()]);
    loop {
        match receive_request(socket.as_raw_fd()) {
            Ok(Some((kind, streams))) => run(kind, streams, socket, check_proof),
            Ok(None) => exit_now(0),
            Err(Errno::EINTR) => {}
            Err(_) => exit_now(1),
        }
        // Worker processes that have ended are collected.
        while matches!(
            waitpid(None, Some(WaitPidFlag::WNOHANG)),
            Ok(status) if status != WaitStatus::StillAlive
        ) {}
    }
}

/// Forks the worker process for the request. If that fails, the streams end.
fn run(kind: u8, streams: Vec<UnixStream>, socket: &OwnedFd, check_proof: &CheckProof<'_>) {
    let parent = nix::unistd::getpid();
    // SAFETY: this process has a single thread, so that the child may do anything.
    if let Ok(ForkResult::Child) = unsafe { fork() } {
        // SAFETY: nothing uses the socket in this process, and nothing closes it again.
        unsafe { libc::close(socket.as_raw_fd()) };
        let kept: Vec<RawFd> = streams.iter().map(AsRawFd::as_raw_fd).collect();
        isolate(parent, &kept);
        let config = SolverConfig {
            backend: Backend::Yices2,
            ..SolverConfig::default()
        };
        let mut streams = streams.into_iter();
        let done = match (kind, streams.next(), streams.next()) {
            (kind, Some(stream), None) if kind == WorkerKind::Proof as u8 => check_proof(stream),
            (kind, Some(questions), Some(interruptions)) if kind == WorkerKind::Yices as u8 => {
                let streams = Streams {
                    questions,
                    interruptions,
                };
                remote::serve(streams, move |arena| new_solver(config, arena))
            }
            _ => Ok(()),
        };
        exit_now(i32::from(done.is_err()))
    }
}

/// Prepares a process just forked: it dies with its parent, its crashes are not attributed to an analysis, and it closes all
/// descriptors but the standard streams and the given ones.
fn isolate(parent: Pid, kept: &[RawFd]) {
    die_with(parent);
    crash::uninstall();
    let mut kept: Vec<u32> = kept.iter().map(|one| one.cast_unsigned()).collect();
    kept.sort_unstable();
    let mut first = libc::STDERR_FILENO.cast_unsigned() + 1;
    let close = |from: u32, to: u32| {
        if from <= to {
            // SAFETY: this process does not use what is closed, nor closes it again: it ends by `_exit`.
            unsafe { libc::syscall(libc::SYS_close_range, from, to, 0u32) };
        }
    };
    for one in kept {
        close(first, one.saturating_sub(1));
        first = first.max(one + 1);
    }
    close(first, u32::MAX);
}

/// Receives the next request: its kind and its streams; `None` when the other side has ended.
fn receive_request(socket: RawFd) -> Result<Option<(u8, Vec<UnixStream>)>, Errno> {
    let mut note = [0; 1];
    let mut into = [IoSliceMut::new(&mut note)];
    let mut space = nix::cmsg_space!([RawFd; MAXIMUM_STREAMS_PER_REQUEST]);
    let message = recvmsg::<()>(
        socket,
        &mut into,
        Some(&mut space),
        MsgFlags::MSG_CMSG_CLOEXEC,
    )?;
    let mut streams = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(handed) = control {
            // SAFETY: they were handed over just now, and nobody else has them.
            let owned = handed
                .into_iter()
                .map(|one| unsafe { UnixStream::from_raw_fd(one) });
            streams.extend(owned);
        }
    }
    Ok((!streams.is_empty()).then_some((note[0], streams)))
}

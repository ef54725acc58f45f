//! The process that other processes of a run are made from.
//!
//! A process with several threads should not fork, and the race's process has many as soon as there is a race. So before there is
//! a second thread, it forks one that has the program and nothing else, and that never runs an engine. It sleeps until
//! it is sent on an errand; for each it forks a process that does that one thing over sockets of its own and ends.
//! They do not share anything but the program, run side by side, and one that dies takes nobody with it.
//!
//! * A proof is checked ([`super::checker`]).
//! * Yices, which one thread of a process may call, is another analysis's ([`regatta_solver::remote`]).

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

use super::checker::Judge;
use super::crash;
use super::supervisor::{die_with, exit_now};
use regatta_program::{Program, Simplified};
use regatta_solver::remote::{self, Streams};
use regatta_solver::{Backend, SolverConfig, new_solver};

/// How many streams an errand is done by, at most.
const MOST_STREAMS: usize = 2;

/// What a process is made for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Errand {
    /// The proof that comes through the one stream is checked.
    Proof = b'p',
    /// Yices is asked what comes through the two streams.
    Yices = b'y',
}

/// The process. It ends with the race's process, or when this is dropped.
pub struct Zygote {
    socket: OwnedFd,
    pid: Pid,
}

impl Zygote {
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
                let judge = Judge {
                    lowered,
                    simplified,
                    is_thorough,
                };
                live(parent, &theirs, &judge)
            }
        }
    }

    /// The process's number in the operating system.
    pub fn id(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Has a process made that checks a proof; the stream that leads to it. It ends at once if the system refuses the process.
    ///
    /// # Errors
    /// When the system refuses a socket, or this process is gone.
    pub fn proof(&self) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        self.send(Errand::Proof, &[theirs.as_raw_fd()])?;
        Ok(ours)
    }

    /// Has a process made that has Yices; the streams that lead to it. They end at once if the system refuses the process.
    ///
    /// # Errors
    /// When the system refuses a socket, or this process is gone.
    pub fn yices(&self) -> io::Result<Streams> {
        let (ours, theirs) = Streams::pair()?;
        self.send(Errand::Yices, &theirs.handed())?;
        Ok(ours)
    }

    fn send(&self, errand: Errand, handed: &[RawFd]) -> io::Result<()> {
        let rights = [ControlMessage::ScmRights(handed)];
        let note = [errand as u8];
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

/// The process's life.
fn live(parent: Pid, socket: &OwnedFd, judge: &Judge<'_>) -> ! {
    isolate(parent, &[socket.as_raw_fd()]);
    loop {
        match receive_errand(socket.as_raw_fd()) {
            Ok(Some((errand, streams))) => run(errand, streams, socket, judge),
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

/// Starts the process for the errand. Without one the streams end.
fn run(errand: u8, streams: Vec<UnixStream>, socket: &OwnedFd, judge: &Judge<'_>) {
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
        let done = match (errand, streams.next(), streams.next()) {
            (errand, Some(stream), None) if errand == Errand::Proof as u8 => judge.work(stream),
            (errand, Some(questions), Some(interruptions)) if errand == Errand::Yices as u8 => {
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

/// For a process just forked: it dies with its parent, its crashes are nobody's, and it keeps nothing open but standard
/// streams and the descriptors.
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

/// The next streams that are handed over, and for what; `None` when the other side is gone.
fn receive_errand(socket: RawFd) -> Result<Option<(u8, Vec<UnixStream>)>, Errno> {
    let mut note = [0; 1];
    let mut into = [IoSliceMut::new(&mut note)];
    let mut space = nix::cmsg_space!([RawFd; MOST_STREAMS]);
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

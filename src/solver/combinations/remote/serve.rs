//! The server: a solver that executes the requests of another process.

use std::io::{self, ErrorKind};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Streams;
use super::wire::{Frame, Interruption, Reply, Request, receive, send};
use crate::limits::INTERRUPT_INTERVAL;
use crate::{Answer, Interrupt, Reason, Solver, SolverError};
use regatta_base::huge_pages;
use regatta_base::workers::SOLVER_STACK;
use regatta_term::{Arena, TermId};

/// The running check and the interrupted ones.
#[derive(Default)]
struct Checks(Mutex<State>);

#[derive(Default)]
struct State {
    begun: u64,
    ended: u64,
    interrupted: u64,
    solver: Option<Arc<dyn Interrupt>>,
}

/// Serves until the other side hangs up or the solver ends. A new thread reads the questions and solves; it may still run
/// when this returns. The calling thread waits for interruptions.
///
/// # Errors
/// When there is no thread or the stream breaks.
pub fn serve<F>(streams: Streams, make: F) -> io::Result<()>
where
    F: FnOnce(Rc<Arena>) -> Result<Box<dyn Solver>, SolverError> + Send + 'static,
{
    huge_pages::allow_soon();
    let checks = Arc::new(Checks::default());
    let interruptions = streams.interruptions.try_clone()?;
    let of_worker = Arc::clone(&checks);
    std::thread::Builder::new()
        .name("solver".to_owned())
        .stack_size(SOLVER_STACK)
        .spawn(move || {
            let hangs_up = HangsUp(&streams);
            let done = work(&streams.questions, &of_worker, make);
            drop(hangs_up);
            done
        })?;
    loop {
        match receive(&interruptions, || true) {
            Ok(Interruption { check }) => checks.interrupt(check),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
    }
    checks.interrupt(u64::MAX);
    Ok(())
}

/// Hangs up when it is dropped, also by a panic.
struct HangsUp<'s>(&'s Streams);

impl Drop for HangsUp<'_> {
    fn drop(&mut self) {
        self.0.hang_up();
    }
}

fn work<F>(stream: &UnixStream, checks: &Checks, make: F) -> io::Result<()>
where
    F: FnOnce(Rc<Arena>) -> Result<Box<dyn Solver>, SolverError>,
{
    // SAFETY: gettid has no preconditions.
    let thread = unsafe { libc::gettid() }.cast_unsigned();
    send(stream, &Reply::Here { thread })?;
    let arena = Rc::new(Arena::new());
    let mut solver = make(Rc::clone(&arena)).map_err(io::Error::other)?;
    checks.0.lock().solver = Some(solver.interrupter());
    let mut terms: Vec<TermId> = Vec::new();
    loop {
        let frame: Frame = receive(stream, || true)?;
        let imported = frame.terms.import_after(&*arena, &mut terms);
        imported.ok_or(ErrorKind::InvalidData)?;
        let term = |place: u32| -> io::Result<TermId> {
            let term = terms.get(place as usize).copied();
            Ok(term.ok_or(ErrorKind::InvalidData)?)
        };
        for request in frame.requests {
            match request {
                Request::Push => solver.push(),
                Request::Pop => solver.pop(),
                Request::Assert(formula) => solver.assert(term(formula)?),
                Request::Values(places) => {
                    let terms = places.into_iter().map(term);
                    let terms: Vec<TermId> = terms.collect::<io::Result<_>>()?;
                    send(stream, &Reply::Values(solver.values(&terms)))?;
                }
                Request::Check { assumptions, limit } => {
                    let assumptions = assumptions.into_iter().map(term);
                    let assumptions: Vec<TermId> = assumptions.collect::<io::Result<_>>()?;
                    solver.set_limit(limit);
                    let answer = checks.run(|| solver.check(&assumptions));
                    let mut core = Vec::new();
                    if answer == Answer::Unsatisfiable {
                        let needed = solver.unsat_core();
                        let numbers = (0..).zip(&assumptions);
                        let numbers = numbers.filter(|(_, term)| needed.contains(term));
                        core.extend(numbers.map(|(number, _): (u32, _)| number));
                    }
                    send(stream, &Reply::Checked { answer, core })?;
                }
            }
        }
    }
}

impl Checks {
    /// Ends the check with the number and all earlier ones.
    fn interrupt(self: &Arc<Self>, check: u64) {
        {
            let mut state = self.0.lock();
            if state.interrupted >= check || state.ended >= check {
                return;
            }
            state.interrupted = check;
        }
        let this = Arc::clone(self);
        // If no thread can be made, the other side waits a second and hangs up.
        let _ = std::thread::Builder::new().spawn(move || {
            while this.interrupt_running() {
                std::thread::sleep(INTERRUPT_INTERVAL);
            }
        });
    }

    /// Interrupts the solver if the running check was interrupted. Returns whether that is so.
    fn interrupt_running(&self) -> bool {
        let state = self.0.lock();
        let running = state.begun > state.ended && state.interrupted >= state.begun;
        if running && let Some(solver) = &state.solver {
            solver.interrupt();
        }
        running
    }

    /// Runs the next check, unless it is interrupted already.
    fn run(&self, check: impl FnOnce() -> Answer) -> Answer {
        {
            let mut state = self.0.lock();
            state.begun += 1;
            if state.interrupted >= state.begun {
                state.ended = state.begun;
                return Answer::Unknown(Reason::Interrupted);
            }
        }
        let answer = check();
        let mut state = self.0.lock();
        state.ended = state.begun;
        answer
    }
}

//! A solver that is a program of its own: it reads a script in SMT-LIB's notation and says `sat` or `unsat`.
//!
//! It is for a second opinion on what the checker of proofs asks (`regatta_certify::opinion`). Whatever it does, it does
//! it in its own process: it may crash, or take all the memory that it is allowed.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::z3::text::TextAnswer;

/// The variable of the environment that names the program.
const VARIABLE: &str = "REGATTA_SECOND_SOLVER";

/// The program if none is named.
const DEFAULT: &str = "cvc5";

/// What the program may use of memory, in bytes.
const MEMORY: u64 = 4 << 30;

/// What it may take more than it was given before it is ended from outside.
const GRACE: Duration = Duration::from_millis(500);

/// The program.
#[derive(Clone, Debug)]
pub struct ExternalSolver {
    program: OsString,
}

impl ExternalSolver {
    /// The program that the environment names in `REGATTA_SECOND_SOLVER`, or else `cvc5`; `None` if it cannot be run.
    pub fn find() -> Option<Self> {
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let solver = Self::new(named.unwrap_or_else(|| DEFAULT.into()));
        let answer = solver.check("(assert false)\n", Duration::from_secs(5));
        (answer == TextAnswer::Unsatisfiable).then_some(solver)
    }

    /// The program with the name or path.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
        }
    }

    /// Its name, for the user.
    pub fn name(&self) -> String {
        let name = Path::new(&self.program).file_name();
        name.unwrap_or(&self.program).to_string_lossy().into_owned()
    }

    /// Whether what the script declares and asserts has a model.
    pub fn check(&self, script: &str, timeout: Duration) -> TextAnswer {
        match self.run(script, timeout) {
            Ok(said) => match said.trim() {
                "sat" => TextAnswer::Satisfiable(Vec::new()),
                "unsat" => TextAnswer::Unsatisfiable,
                other => TextAnswer::Unknown(other.chars().take(200).collect()),
            },
            Err(error) => TextAnswer::Unknown(error.to_string()),
        }
    }

    fn run(&self, script: &str, timeout: Duration) -> std::io::Result<String> {
        let mut command = Command::new(&self.program);
        if self.name().starts_with("cvc5") {
            let milliseconds = timeout.as_millis().max(1);
            command.args(["--lang", "smt2", "--tlimit", &milliseconds.to_string()]);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let limit = libc::rlimit {
            rlim_cur: MEMORY,
            rlim_max: MEMORY,
        };
        // SAFETY: setrlimit is async-signal-safe.
        unsafe {
            command.pre_exec(move || {
                libc::setrlimit(libc::RLIMIT_AS, &limit);
                Ok(())
            });
        }
        let end = Instant::now() + timeout + GRACE;
        let mut child = command.spawn()?;
        // It reads everything before it says anything.
        if let Some(mut input) = child.stdin.take() {
            let written = input
                .write_all(b"(set-logic ALL)\n")
                .and_then(|()| input.write_all(script.as_bytes()))
                .and_then(|()| input.write_all(b"(check-sat)\n(exit)\n"));
            // If it has stopped reading, its answer says why.
            drop(written);
        }
        let in_time = wait(&mut child, end)?;
        let mut said = String::new();
        if in_time && let Some(mut output) = child.stdout.take() {
            output.read_to_string(&mut said)?;
        }
        Ok(said)
    }
}

/// Waits for the end of the process, and ends it when the time has come; whether it has ended by itself.
fn wait(child: &mut Child, end: Instant) -> std::io::Result<bool> {
    let mut pause = Duration::from_micros(500);
    while child.try_wait()?.is_none() {
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(10));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_is_not_there_has_no_opinion() {
        let solver = ExternalSolver::new("/nonexistent/solver");
        assert!(matches!(
            solver.check("(assert false)\n", SECOND),
            TextAnswer::Unknown(_)
        ));
        assert_eq!(solver.name(), "solver");
    }

    #[test]
    fn what_says_something_else_has_none_either() {
        // `cat` repeats the question.
        let answer = ExternalSolver::new("cat").check("(assert false)\n", SECOND);
        assert!(matches!(answer, TextAnswer::Unknown(_)), "{answer:?}");
    }

    #[test]
    fn one_that_does_not_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("slow");
        std::fs::write(&script, "#!/bin/sh\ncat >/dev/null\nexec sleep 1000\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        let begin = Instant::now();
        let answer = ExternalSolver::new(script).check("(assert false)\n", SECOND / 10);
        assert!(matches!(answer, TextAnswer::Unknown(_)), "{answer:?}");
        assert!(begin.elapsed() < 100 * SECOND);
    }

    #[test]
    fn answers_if_there_is_one() {
        let Some(solver) = ExternalSolver::find() else {
            return;
        };
        let declared = "(declare-const |a b| (_ BitVec 8))(assert (bvult |a b| #x02))\n";
        let satisfiable = TextAnswer::Satisfiable(Vec::new());
        assert_eq!(solver.check(declared, 10 * SECOND), satisfiable);
        let contradiction = format!("{declared}(assert (bvugt |a b| #x03))\n");
        assert_eq!(
            solver.check(&contradiction, 10 * SECOND),
            TextAnswer::Unsatisfiable
        );
        let broken = solver.check("(assert undeclared)\n", 10 * SECOND);
        assert!(matches!(broken, TextAnswer::Unknown(_)), "{broken:?}");
    }
}

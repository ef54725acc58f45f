//! A solver that is a separate program: it reads an SMT-LIB script and prints `sat` or `unsat`.
//!
//! It gives a second opinion on the proof checker's questions (`regatta_certify::opinion`). It runs in its own process, so
//! that it may crash or use up its memory limit without consequences.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::z3::text::TextAnswer;
use crate::limits::{EXTERNAL_GRACE_PERIOD, MAXIMUM_EXTERNAL_MEMORY};

/// Environment variable that names the program.
const PROGRAM_VARIABLE: &str = "REGATTA_SECOND_SOLVER";

/// Program that is used if the variable is not set.
const DEFAULT_PROGRAM: &str = "cvc5";

/// The program to run.
#[derive(Clone, Debug)]
pub struct ExternalSolver {
    program: OsString,
}

impl ExternalSolver {
    /// Finds the program that `REGATTA_SECOND_SOLVER` names, or else `cvc5`; `None` if it cannot be run.
    pub fn find() -> Option<Self> {
        let named = std::env::var_os(PROGRAM_VARIABLE).filter(|name| !name.is_empty());
        let solver = Self::new(named.unwrap_or_else(|| DEFAULT_PROGRAM.into()));
        let answer = solver.check("(assert false)\n", Duration::from_secs(5));
        (answer == TextAnswer::Unsatisfiable).then_some(solver)
    }

    /// The program with the given name or path.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
        }
    }

    /// The program's name, for messages.
    pub fn name(&self) -> String {
        let name = Path::new(&self.program).file_name();
        name.unwrap_or(&self.program).to_string_lossy().into_owned()
    }

    /// Checks whether the script's assertions have a model.
    pub fn check(&self, script: &str, timeout: Duration) -> TextAnswer {
        match self.run(script, timeout) {
            Ok(output) => match output.trim() {
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
            rlim_cur: MAXIMUM_EXTERNAL_MEMORY,
            rlim_max: MAXIMUM_EXTERNAL_MEMORY,
        };
        // SAFETY: setrlimit is async-signal-safe.
        unsafe {
            command.pre_exec(move || {
                libc::setrlimit(libc::RLIMIT_AS, &limit);
                Ok(())
            });
        }
        let end = Instant::now() + timeout + EXTERNAL_GRACE_PERIOD;
        let mut child = command.spawn()?;
        // The program reads the whole input before it prints anything.
        if let Some(mut input) = child.stdin.take() {
            let written = input
                .write_all(b"(set-logic ALL)\n")
                .and_then(|()| input.write_all(script.as_bytes()))
                .and_then(|()| input.write_all(b"(check-sat)\n(exit)\n"));
            // If the program has stopped reading, its output says why.
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

/// Waits for the process and kills it at the deadline. Returns whether it has ended by itself.
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
    fn a_missing_program_answers_unknown() {
        let solver = ExternalSolver::new("/nonexistent/solver");
        assert!(matches!(
            solver.check("(assert false)\n", SECOND),
            TextAnswer::Unknown(_)
        ));
        assert_eq!(solver.name(), "solver");
    }

    #[test]
    fn other_output_is_unknown() {
        // `cat` repeats the input.
        let answer = ExternalSolver::new("cat").check("(assert false)\n", SECOND);
        assert!(matches!(answer, TextAnswer::Unknown(_)), "{answer:?}");
    }

    #[test]
    fn a_program_that_exceeds_its_time_is_killed() {
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
    fn an_installed_program_answers() {
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

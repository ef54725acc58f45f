//! The meaning of C: what the compiled program observes, the interpreter must observe on the program as lowered.
//!
//! Each program of `tests/semantics` writes what it computes to the global `observed` (`observe.h` there); linked with
//! `print_observed.c` it prints that at its end.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use regatta::frontend::{LoadOptions, load};
use regatta::program::DataModel;
use regatta::program::interpreter::{Executable, Limits, Machine, Outcome, ZeroInputs};
use regatta::term::Value;

/// Flags under which the compiler gives C the meaning that the verifier gives it: no optimisation that uses undefined
/// behaviour, wrapping overflow, no fused operations.
const FLAGS: [&str; 4] = ["-O0", "-fwrapv", "-ffp-contract=off", "-w"];

/// Steps after which a run of the interpreter counts as endless.
const STEPS: u64 = 50_000_000;

/// What is left to do: programs that the verifier refuses, gives up or gets wrong, with the reason. A test that finds
/// that one of them agrees fails, too, so that the line goes when the gap is closed.
const KNOWN_GAPS: &[(&str, &str)] = &[
    ("exit_by_abort.c", "`atexit` is not supported"),
    ("exit_with_atexit.c", "`atexit` is not supported"),
    ("math_sign_functions.c", "a NaN has no sign here"),
];

#[test]
fn lp64_programs_do_what_the_compiler_makes_of_them() {
    compare_all(DataModel::Lp64, &["-m64"]);
}

#[test]
fn ilp32_programs_do_what_the_compiler_makes_of_them() {
    compare_all(DataModel::Ilp32, &["-m32", "-msse2", "-mfpmath=sse"]);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics")
}

fn compare_all(data_model: DataModel, machine: &[&str]) {
    let work = tempfile::tempdir().expect("a folder for compiled programs");
    if !compiler_works(machine, work.path()) {
        // Standard error of the test process itself: the harness does not capture it.
        let text = format!(
            "SKIPPED: the semantics tests for {data_model:?}: cc {} makes no programs that run here (gcc-multilib?)\n",
            machine.join(" ")
        );
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        return;
    }
    let mut programs: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of programs")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter(|name| name.ends_with(".c") && name != "print_observed.c")
        .collect();
    programs.sort();
    assert!(programs.len() >= 150, "only {} programs", programs.len());
    for (name, _) in KNOWN_GAPS {
        assert!(
            programs.iter().any(|program| program == name),
            "KNOWN_GAPS names {name}, which is not there"
        );
    }
    let complaints: Vec<String> = programs
        .par_iter()
        .filter_map(|name| {
            let difference = compare(name, data_model, machine, work.path()).err();
            let gap = KNOWN_GAPS.iter().find(|(program, _)| program == name);
            match (difference, gap) {
                (None, None) | (Some(_), Some(_)) => None,
                (Some(difference), None) => Some(format!("{name}: {difference}")),
                (None, Some((_, reason))) => Some(format!(
                    "{name} agrees now: take it out of KNOWN_GAPS ({reason})"
                )),
            }
        })
        .collect();
    assert!(
        complaints.is_empty(),
        "{} of {} programs ({data_model:?}):\n{}",
        complaints.len(),
        programs.len(),
        complaints.join("\n")
    );
}

fn compiler_works(machine: &[&str], work: &Path) -> bool {
    let (source, program) = (work.join("probe.c"), work.join("probe"));
    std::fs::write(
        &source,
        "#include <stdio.h>\nint main(void) { return 0; }\n",
    )
    .expect("the probe is written");
    let compiled = Command::new("cc")
        .args(machine)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .stderr(Stdio::null())
        .status();
    matches!(compiled, Ok(status) if status.success())
        && matches!(Command::new(&program).status(), Ok(status) if status.success())
}

/// An error is the first difference.
fn compare(name: &str, data_model: DataModel, machine: &[&str], work: &Path) -> Result<(), String> {
    let compiled = observe_compiled(name, machine, work)?;
    let interpreted = observe_interpreted(name, data_model);
    let (interpreted, end) = match interpreted {
        Ok(found) => found,
        Err(error) => return Err(format!("refused: {}", error.trim_end())),
    };
    let first = compiled
        .iter()
        .zip(&interpreted)
        .position(|(a, b)| a != b)
        .unwrap_or(compiled.len().min(interpreted.len()));
    let at = |values: &[u64]| {
        values
            .get(first)
            .map_or("nothing".to_owned(), |v| format!("{v:#x}"))
    };
    if compiled != interpreted {
        return Err(format!(
            "observed[{first}]: compiled {}, interpreted {} ({end})",
            at(&compiled),
            at(&interpreted)
        ));
    }
    // `abort` and failing assertions end the run, too; what else ends it early shows in the values.
    match end.strip_prefix("unsupported") {
        Some(_) => Err(end),
        None => Ok(()),
    }
}

fn observe_compiled(name: &str, machine: &[&str], work: &Path) -> Result<Vec<u64>, String> {
    let program = work.join(name).with_extension("out");
    let compiled = Command::new("cc")
        .args(FLAGS)
        .args(machine)
        .arg(folder().join(name))
        .arg(folder().join("print_observed.c"))
        .args(["-lm", "-o"])
        .arg(&program)
        .output()
        .map_err(|error| format!("cc does not run: {error}"))?;
    if !compiled.status.success() {
        let text = String::from_utf8_lossy(&compiled.stderr).into_owned();
        return Err(format!("cc refuses it: {text}"));
    }
    let output = work.join(name).with_extension("txt");
    let file = std::fs::File::create(&output).map_err(|error| error.to_string())?;
    let status = run_for(Command::new(&program).stdout(file), Duration::from_secs(30))?;
    let expected = if name == "exit_by_abort.c" { 134 } else { 0 };
    // Other programs may return what they like; a signal has no code.
    match status.code() {
        Some(code) if expected == 0 || code == expected => {}
        other => return Err(format!("the compiled program ends with code {other:?}")),
    }
    std::fs::read_to_string(&output)
        .map_err(|error| error.to_string())?
        .lines()
        .map(|line| u64::from_str_radix(line, 16).map_err(|error| format!("{line}: {error}")))
        .collect()
}

fn run_for(command: &mut Command, limit: Duration) -> Result<ExitStatus, String> {
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return Err("the compiled program does not end".into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What the interpreter leaves in `observed`, and how the run ended.
fn observe_interpreted(name: &str, data_model: DataModel) -> Result<(Vec<u64>, String), String> {
    let options = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    let loaded = load(&folder().join(name), &options).map_err(|error| error.to_string())?;
    let executable = Executable::compile(&loaded.program);
    let mut machine = Machine::new(&executable);
    let limits = Limits {
        steps: STEPS,
        ..Limits::default()
    };
    let report = machine.run(&mut ZeroInputs, limits);
    let mut end = match &report.outcome {
        Outcome::Unsupported { reason, .. } => format!("unsupported: {reason}"),
        other => format!("{other:?}"),
    };
    if let Some(fault) = report.faults.first() {
        let span = loaded.program.edge(fault.edge).span;
        end.push_str(&format!(
            ", {:?} at {}",
            fault.kind,
            loaded.program.sources.describe(span)
        ));
    }
    let little_endian = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte))
    };
    let count = match machine.read_variable("observed_count") {
        Some(Value::BitVec(bits)) => bits.bits() as u64,
        _ => match machine.read_object("observed_count") {
            Some(bytes) => little_endian(&bytes),
            None => return Err(format!("`observed_count` is not there ({end})")),
        },
    };
    let values = machine.read_object("observed").unwrap_or_default();
    let values = values
        .chunks(8)
        .map(little_endian)
        .take(count as usize)
        .collect();
    Ok((values, end))
}

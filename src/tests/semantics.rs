//! The semantics of C: the interpreter computes the same values on the lowered program as the compiled program does.
//!
//! Each program of `tests/semantics` writes its results to the global `observed` (see `observe.h` there); linked with
//! `print_observed.c`, it prints them at its end. The first line of a program may name its standard of C:
//! `// -std=gnu2x`. `REGATTA_TEST=TEXT` selects the programs whose names contain the text.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::frontend::{LoadOptions, Standard, load};
use crate::program::interpreter::{Executable, InputSource, Limits, Machine, Outcome, ZeroInputs};
use crate::program::{DataModel, Input, InputId};
use crate::term::{Sort, Value};
use rayon::prelude::*;

/// Flags with which the compiler implements the verifier's semantics: no optimisation that exploits undefined behaviour,
/// wrapping overflow, no fused operations.
const FLAGS: [&str; 4] = ["-O0", "-fwrapv", "-ffp-contract=off", "-w"];

/// Maximum number of steps of a run of the interpreter.
const MAXIMUM_STEPS: u64 = 50_000_000;

/// Programs that the verifier rejects, gives up or gets wrong, with the reason. If one of them agrees with the compiler, the
/// test fails too, so that closed gaps are removed from the list.
const KNOWN_GAPS: &[(&str, &str)] = &[];

#[test]
fn lp64_programs_agree_with_the_compiler() {
    compare_all(DataModel::Lp64, &["-m64"]);
}

#[test]
fn ilp32_programs_agree_with_the_compiler() {
    compare_all(DataModel::Ilp32, &["-m32", "-msse2", "-mfpmath=sse"]);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics")
}

fn compare_all(data_model: DataModel, machine: &[&str]) {
    let work = tempfile::tempdir().expect("a folder for compiled programs");
    if !compiler_works(machine, work.path()) {
        // Written to standard error directly, because the test harness captures `eprintln!`.
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
    programs.retain(|program| super::pattern::is_chosen(program));
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

/// Compares the observed values; an error describes the first difference.
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
    // `abort` and failing assertions are proper ends; any other early end shows in the values.
    match end.strip_prefix("unsupported") {
        Some(_) => Err(end),
        None => Ok(()),
    }
}

/// The standard that a program names in its first line.
fn standard_of(name: &str) -> Option<Standard> {
    // Not every program is in UTF-8.
    let bytes = std::fs::read(folder().join(name)).expect("a program");
    let text = String::from_utf8_lossy(&bytes);
    let named = text.lines().next()?.strip_prefix("// -std=")?;
    Some(named.parse().expect("a standard of C"))
}

fn observe_compiled(name: &str, machine: &[&str], work: &Path) -> Result<Vec<u64>, String> {
    let program = work.join(name).with_extension("out");
    let standard = standard_of(name);
    let compiled = Command::new("cc")
        .args(FLAGS)
        .args(standard.map(|standard| format!("-std={standard}")))
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
    // Other programs may return any code; a signal has none.
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

/// A source of inputs with all bits set.
struct OnesInputs;

impl InputSource for OnesInputs {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        Some(match input.sort {
            Sort::BitVec(width) => Value::bit_vec(width, u128::MAX),
            Sort::Bool => Value::Bool(true),
            other => Value::zero(other),
        })
    }
}

/// Observations of a NaN's sign and payload are unknown inputs; observations of other floats are not.
#[test]
fn sign_and_payload_of_a_nan_are_unknown() {
    let unions = "union f { float f; unsigned b; unsigned char c[4]; } u; \
        union d { double d; unsigned long long b; } v; union l { long double l; unsigned long long b[2]; } w; \
        float a[2]; struct s { int i; float f; } s, t;";
    let nan = "volatile double z = 0, n = z / z; volatile float m = n;";
    let number = "volatile double z = 1, n = z / -4; volatile float m = n;";
    let observations = [
        "seen = __builtin_signbit(n);",
        "seen = __builtin_copysign(2.0, n) < 0;",
        "if (__builtin_signbit(m)) seen = 1;",
        "u.f = m; seen = u.b >> 31;",
        "u.f = m; seen = u.c[0] & 1;",
        "v.d = n; seen = v.b;",
        "w.l = n; seen = w.b[0] & 1;",
        "int y; a[1] = m; __builtin_memcpy(&y, &a[1], 4); seen = y;",
        "a[1] = m; seen = ((unsigned char *)a)[4];",
        "s.f = m; t = s; seen = *(int *)&t.f;",
    ];
    // These observations do not depend on the sign and payload.
    let blind = [
        "seen = n != n;",
        "seen = __builtin_isnan(-n) + (n < 0);",
        "u.f = m; seen = u.f != u.f; u.b = 0;",
        "a[1] = m; a[0] = a[1]; seen = a[0] > 0;",
        "seen = __builtin_isinf_sign(n);",
        "s.f = m; t = s; seen = t.f == t.f;",
    ];
    let run = |text: &str, inputs: &mut dyn InputSource| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("nan.i");
        std::fs::write(&file, text).expect("the file is written");
        let loaded =
            load(&file, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let executable = Executable::compile(&loaded.program);
        let mut machine = Machine::new(&executable);
        let report = machine.run(inputs, Limits::default());
        assert!(matches!(report.outcome, Outcome::Ended { .. }), "{text}");
        let seen = match machine.read_variable("seen") {
            Some(value) => value.to_string(),
            None => format!("{:?}", machine.read_object("seen")),
        };
        (seen, report.unknown_inputs > 0)
    };
    for (float, is_nan) in [(nan, true), (number, false)] {
        for observation in observations.iter().chain(&blind) {
            let text = format!(
                "unsigned seen; {unions} int main(void) {{ {float} {observation} return 0; }}"
            );
            let ((low, unknown), (high, _)) =
                (run(&text, &mut ZeroInputs), run(&text, &mut OnesInputs));
            let observed = is_nan && observations.contains(observation);
            assert_eq!(low != high, observed, "{low} and {high}: {text}");
            assert!(unknown || !observed, "{text}");
            assert!(is_nan || !unknown, "{text}");
        }
    }
}

/// The values that the interpreted program writes to `observed`, and the outcome of the run.
fn observe_interpreted(name: &str, data_model: DataModel) -> Result<(Vec<u64>, String), String> {
    let options = LoadOptions {
        data_model,
        standard: standard_of(name),
        ..LoadOptions::default()
    };
    let loaded = load(&folder().join(name), &options).map_err(|error| error.to_string())?;
    let executable = Executable::compile(&loaded.program);
    let mut machine = Machine::new(&executable);
    let limits = Limits {
        steps: MAXIMUM_STEPS,
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
